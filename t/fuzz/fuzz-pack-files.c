/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The input is used as the entries of a pack, with a valid header, checksum and idx, whose
 * offsets are distributed over the input. All objects are read, and the pack is verified.
 * If the input begins with "MIDX", it is used as a multi-pack-index of an empty pack.
 */
#include "compat/posix.h"
#include "pack/pack-internal.h"
#include "t/fuzz/fuzz.h"
#include "t/fuzz/scratch.h"
#include "util/alloc.h"
#include "util/bytes.h"

#define OBJECTS 16

static void write_pack(const uint8_t *data, size_t size)
{
	struct idx_entry v[OBJECTS];
	struct strbuf pack = STRBUF_INIT;
	struct object_id sum;
	const char *idx = scratch_path("pack/pack-1.idx");
	uint32_t nr = 0;
	int fd;

	strbuf_add(&pack, "PACK\0\0\0\2\0\0\0\0", 12);
	strbuf_add(&pack, data, size);
	for (size_t i = 0; i < OBJECTS; i++) {
		memset(&v[nr], 0, sizeof(v[nr]));
		memset(v[nr].oid.hash, (int)i, 20);
		v[nr].oid.algo = HASH_SHA1;
		v[nr++].offset = 12 + size * i / OBJECTS;
	}
	put_be32(pack.buf + 8, nr);
	hash_buf(hash_sha1, pack.buf, pack.len, &sum);
	strbuf_add(&pack, sum.hash, 20);
	scratch_write("pack/pack-1.pack", pack.buf, pack.len);
	fd = open(idx, O_RDWR | O_CREAT | O_TRUNC, 0644);
	if (fd < 0 || idx_write(fd, idx, hash_sha1, v, nr, &sum, NULL) < 0)
		abort();
	close(fd);
	strbuf_release(&pack);
}

static int sink(void *data, const void *p, size_t len, struct err *err)
{
	(void)p, (void)err;
	*(size_t *)data += len;
	return 0;
}

static int look_at(void *data, const struct object_id *oid)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	struct object_info info;
	size_t streamed = 0;

	if (!packs_info(data, oid, &info, NULL) && info.type > OBJ_TAG)
		abort();
	if (!packs_read(data, oid, &buf, NULL)) {
		if (((char *)buf.data)[buf.size])
			abort();
		if (packs_stream(data, oid, sink, &streamed, NULL) < 0 || streamed != buf.size)
			abort();
	}
	object_buf_release(&buf);
	return 0;
}

static int check_listed(void *data, const struct object_id *oid, const struct object_info *info)
{
	(void)data, (void)oid;
	if (info && (info->type < OBJ_COMMIT || info->type > OBJ_TAG))
		abort();
	return 0;
}

static int verify(void *data, struct pack *p)
{
	(void)data;
	return pack_verify(p, NULL, NULL, NULL, NULL) == -100;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct packs_options o = { .algo = hash_sha1, .use_midx = true };
	struct oidset seen = OIDSET_INIT;
	bool midx = size >= 4 && !memcmp(data, "MIDX", 4);
	struct packs *ps;

	write_pack(midx ? (const uint8_t *)"" : data, midx ? 0 : size);
	scratch_write("pack/multi-pack-index", data, midx ? size : 0);
	o.objdir = scratch_dir();
	ps = packs_new(&o);
	if (packs_foreach_new(ps, OBJECT_INFO_LOCATION, &seen, false, check_listed, NULL))
		abort();
	if (packs_foreach_object(ps, true, look_at, ps, NULL) < 0 &&
	    packs_foreach_object(ps, false, look_at, ps, NULL) < 0)
		abort();
	packs_foreach(ps, verify, NULL);
	packs_verify_midx(ps, &(struct midx_verify_options){ NULL, NULL, NULL, NULL });
	packs_free(ps);
	oidset_clear(&seen);
	return 0;
}

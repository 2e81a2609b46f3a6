/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A good .bitmap of a pack is changed as the input says, and everything is asked of it. The first
 * byte of the input chooses whether it has a table of commits, and pseudo-merges; then follow changes of four
 * bytes: two for the place (from the end, if it is odd), one for what is done, and a value.
 *
 * An input that begins with "MIDX" is used as the layer of a chain of multi-pack-indexes instead, and combined
 * with itself.
 */
#include "compat/posix.h"
#include "pack/bitmap-internal.h"
#include "pack/bitmap-write.h"
#include "pack/midx-internal.h"
#include "t/fuzz/fuzz.h"
#include "t/fuzz/scratch.h"
#include "fs/file.h"
#include "util/alloc.h"
#include "util/bytes.h"

#define OBJECTS 700
#define COMMITS 40

static struct idx_entry entries[OBJECTS];
static struct object_id pack_sum;
#define MERGES 5

static struct strbuf good[4] = { STRBUF_INIT, STRBUF_INIT, STRBUF_INIT, STRBUF_INIT };

static void write_pack(void)
{
	struct strbuf pack = STRBUF_INIT;
	const char *idx = scratch_path("pack/pack-1.idx");
	int fd;

	strbuf_add(&pack, "PACK\0\0\0\2\0\0\0\0", 12);
	put_be32(pack.buf + 8, OBJECTS);
	for (unsigned i = 0; i < OBJECTS; i++) {
		memset(&entries[i], 0, sizeof(entries[i]));
		put_be16(entries[i].oid.hash, (uint16_t)(i * 93));
		entries[i].oid.algo = HASH_SHA1;
		entries[i].offset = 12 + (i * 389) % OBJECTS;
	}
	strbuf_addchars(&pack, 'x', OBJECTS);
	hash_buf(hash_sha1, pack.buf, pack.len, &pack_sum);
	strbuf_add(&pack, pack_sum.hash, 20);
	scratch_write("pack/pack-1.pack", pack.buf, pack.len);
	fd = open(idx, O_RDWR | O_CREAT | O_TRUNC, 0644);
	if (fd < 0 || idx_write(fd, idx, hash_sha1, entries, OBJECTS, &pack_sum, NULL) < 0)
		abort();
	close(fd);
	strbuf_release(&pack);
}

/* Some commits are in two of them. */
static void add_merges(struct bitmap_writer *w)
{
	struct bitset commits = BITSET_INIT, reach = BITSET_INIT;

	for (unsigned i = 0; i < MERGES; i++) {
		bitset_clear(&commits);
		bitset_add_range(&commits, i * 7, i * 7 + 9);
		bitset_or(&reach, &commits);
		bitset_add_range(&reach, COMMITS + i * 90, COMMITS + i * 90 + 70);
		bitmap_writer_add_merge(w, &commits, &reach);
	}
	bitset_release(&commits);
	bitset_release(&reach);
}

static void write_good(struct strbuf *out, bool table, bool merges)
{
	struct fsync_batch_options options = { .policy = { .method = FSYNC_METHOD_FSYNC } };
	struct fsync_batch *b = fsync_batch_new(&options);
	struct bitmap_target *t = bitmap_target_entries(entries, OBJECTS, &pack_sum, scratch_path("pack/pack"), scratch_path("pack"));
	struct bitmap_writer *w = bitmap_writer_new(t);
	uint32_t *hashes = xcalloc(OBJECTS, sizeof(*hashes));
	struct bitset types[4] = { BITSET_INIT, BITSET_INIT, BITSET_INIT, BITSET_INIT };
	struct bitset reach = BITSET_INIT;
	struct bitmap_write_options o = { .types = types, .name_hashes = hashes, .lookup_table = table };
	char *path;

	for (unsigned i = 0; i < OBJECTS; i++)
		bitset_add(&types[i < COMMITS ? 0 : 1 + i % 3], i);
	for (unsigned i = COMMITS; i--;) {
		struct object_id oid;

		for (unsigned k = 0; k < 17; k++)
			bitset_add(&reach, k < 3 ? i : COMMITS + i * 16 + k * k % 16);
		bitmap_target_object(t, i, &oid);
		bitmap_writer_add(w, &oid, &reach, true);
	}
	if (merges)
		add_merges(w);
	if (bitmap_writer_stage(w, &o, b, NULL) < 0 || fsync_batch_commit(b, NULL) < 0)
		abort();
	path = xstrfmt("%s/pack-%s.bitmap", scratch_path("pack"), oid_hex(&pack_sum));
	if (read_file(out, path, 0, NULL) < 0 || unlink(path) < 0)
		abort();
	free(path);
	for (int i = 0; i < 4; i++)
		bitset_release(&types[i]);
	bitset_release(&reach);
	free(hashes);
	bitmap_writer_free(w);
	bitmap_target_free(t);
	fsync_batch_free(b);
}

static void change(struct strbuf *sb, const uint8_t *p)
{
	size_t at = (size_t)(p[0] << 8 | p[1]) % sb->len;

	if (p[0] & 1)
		at = sb->len - 1 - at;
	switch (p[2] % 8) {
	case 0:
		strbuf_setlen(sb, at + 1);
		break;
	case 1:
		if (sb->len < 1 << 16)
			strbuf_insert(sb, at, p, 4);
		break;
	case 2:
		strbuf_remove(sb, at, at + p[3] < sb->len ? p[3] : 0);
		break;
	case 3:
		sb->buf[at] ^= (char)(1 << (p[3] % 8));
		break;
	case 4:
		memset(sb->buf + at, 0xff, sb->len - at < 8 ? sb->len - at : 8);
		break;
	default:
		sb->buf[at] = (char)p[3];
	}
	if (!sb->len)
		strbuf_addch(sb, 'B');
}

static int look_up(void *data, const struct object_id *commit)
{
	struct bitset b = BITSET_INIT;

	if (bitmap_index_or_commit(data, commit, &b, NULL) > 0 && b.nr > bitset_words(OBJECTS))
		abort();
	bitset_release(&b);
	return 0;
}

static void ask(struct packs *ps)
{
	struct bitset commits = BITSET_INIT, to = BITSET_INIT;
	struct bitmap_index *b;
	struct bitmap_object o;
	uint32_t bit;

	if (bitmap_index_open(&b, ps, NULL) < 0)
		return;
	for (unsigned i = 0; i < OBJECTS; i++) {
		if (bitmap_index_find(b, &entries[i].oid, &bit, NULL) > 0 &&
		    (bitmap_index_object(b, bit, &o, NULL) < 0 || !oid_eq(&o.oid, &entries[i].oid)))
			abort();
		look_up(b, &entries[i].oid);
		bitset_add(&commits, i);
	}
	if (bitmap_index_foreach_commit(b, look_up, b, NULL) > 0 ||
	    (bitmap_index_or_merges(b, &commits, &to, NULL) >= 0 && to.nr > bitset_words(OBJECTS)))
		abort();
	for (int t = OBJ_COMMIT; t <= OBJ_TAG; t++)
		if (bitset_count(bitmap_index_type(b, t)) > bitmap_index_nr(b))
			abort();
	bitset_release(&commits);
	bitset_release(&to);
	bitmap_index_free(b);
}

static void write_chain(const uint8_t *data, size_t size)
{
	char line[HASH_MAX_HEX + 2], name[128];
	struct object_id sum;

	oid_from_raw(&sum, data + size - 20, hash_sha1);
	snprintf(line, sizeof(line), "%s\n", oid_hex(&sum));
	snprintf(name, sizeof(name), "pack/multi-pack-index.d/multi-pack-index-%s.midx", oid_hex(&sum));
	scratch_write(name, data, size);
	scratch_write("pack/multi-pack-index.d/multi-pack-index-chain", line, strlen(line));
}

static int touch_object(void *data, const struct object_id *oid)
{
	packs_has(data, oid);
	return 0;
}

/* The layer twice, one on top of the other: each object once, and each in its order. */
static void combine(struct packs *ps, const char *path)
{
	struct midx_write_options o = { .bitmap = true, .version = 2 };
	struct midx_range r = { .nr = 2 };
	struct midx_selection s = { .range = &r };
	struct midx_content c;
	struct midx *layers[2] = { NULL, NULL };

	CALLOC_ARRAY(r.v, r.nr);
	CALLOC_ARRAY(r.pack_of, r.nr);
	for (size_t i = 0; i < 2; i++) {
		if (midx_open(&layers[i], path, hash_sha1, NULL) < 0)
			goto out;
		midx_attach_packs(layers[i], ps);
		r.v[i] = layers[i];
		CALLOC_ARRAY(r.pack_of[i], (size_t)layers[i]->nr_packs + 1);
	}
	if (!midx_content_select(&c, ps, &s, &o, NULL)) {
		for (uint32_t i = 1; i < c.nr; i++)
			if (memcmp(c.v[i - 1].name, c.v[i].name, 20) >= 0)
				abort();
		for (uint32_t i = 0; i < c.nr; i++)
			if (c.order[i] >= c.nr || c.v[c.order[i]].pack >= c.nr_packs)
				abort();
		midx_content_release(&c);
	}
out:
	midx_range_release(&r);
	midx_free(layers[0]);
	midx_free(layers[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct packs_options o = { .algo = hash_sha1, .use_midx = true };
	bool chain = size >= 24 && !memcmp(data, "MIDX", 4);
	struct strbuf sb = STRBUF_INIT;
	struct packs *ps;

	if (!good[0].len) {
		scratch_write("pack/x", "", 0);
		write_pack();
		for (unsigned i = 0; i < ARRAY_SIZE(good); i++)
			write_good(&good[i], i & 1, i & 2);
	}
	if (chain)
		write_chain(data, size);
	strbuf_addbuf(&sb, &good[size ? data[0] % ARRAY_SIZE(good) : 0]);
	for (size_t i = 1; !chain && i + 4 <= size && i < 100; i += 4)
		change(&sb, data + i);
	scratch_write("pack/pack-1.bitmap", sb.buf, sb.len);
	o.objdir = scratch_dir();
	ps = packs_new(&o);
	ask(ps);
	if (chain) {
		if (packs_foreach_object(ps, false, touch_object, ps, NULL) > 0)
			abort();
		packs_verify_midx(ps, &(struct midx_verify_options){ NULL, NULL, NULL, NULL });
		scratch_write("pack/layer", data, size);
		combine(ps, scratch_path("pack/layer"));
		unlink(scratch_path("pack/multi-pack-index.d/multi-pack-index-chain"));
	}
	packs_free(ps);
	strbuf_release(&sb);
	return 0;
}

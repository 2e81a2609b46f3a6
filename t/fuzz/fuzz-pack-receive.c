/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The input is used as the entries of a pack that is received, with a valid header and checksum;
 * its first byte says how many entries there are. With one thread and with two, with much memory for bases
 * and with hardly any, the outcome must be the same; and what has been received must be read.
 */
#include "compat/posix.h"
#include "pack/receive/receive.h"
#include "t/fuzz/fuzz.h"
#include "t/fuzz/scratch.h"
#include "util/bytes.h"

struct outcome {
	int rc;
	struct object_id names; /* a hash of all names and types */
	uint32_t nr;
};

static int add_name(void *data, const struct received_object *o)
{
	hash_update(data, o->oid.hash, 20);
	hash_update(data, &o->type, sizeof(o->type));
	return o->type < OBJ_COMMIT || o->type > OBJ_TAG;
}

static struct outcome receive(const struct strbuf *pack, int threads, size_t base_bytes, bool keep_going)
{
	struct pack_receive_options o = {
		.algo = hash_sha1, .threads = threads, .base_bytes = base_bytes, .keep_going = keep_going,
	};
	struct pack_receive_stream_options s = {
		.fd = open("/dev/null", O_RDONLY | O_CLOEXEC), .head = pack->buf, .head_len = pack->len,
		.dir = scratch_dir(),
	};
	struct pack_receive *rx = pack_receive_new(&o);
	struct outcome out = { 0 };
	struct hash_ctx hash;

	hash_init(&hash, hash_sha1);
	out.rc = pack_receive_stream(rx, &s, NULL);
	if (!out.rc)
		out.rc = pack_receive_resolve(rx, NULL);
	if (!out.rc && !keep_going) {
		out.nr = pack_receive_count(rx);
		if (pack_receive_foreach(rx, add_name, &hash, NULL))
			abort();
	}
	hash_final(&hash, &out.names);
	hash_release(&hash);
	pack_receive_free(rx);
	close(s.fd);
	return out;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct strbuf pack = STRBUF_INIT;
	struct outcome one, two;
	struct object_id sum;

	if (!size)
		return 0;
	strbuf_add(&pack, "PACK\0\0\0\2\0\0\0\0", 12);
	pack.buf[11] = (char)data[0];
	strbuf_add(&pack, data + 1, size - 1);
	hash_buf(hash_sha1, pack.buf, pack.len, &sum);
	strbuf_add(&pack, sum.hash, 20);
	one = receive(&pack, 1, 0, false);
	two = receive(&pack, 2, 1, false);
	if ((one.rc == 0) != (two.rc == 0) || one.nr != two.nr || !oid_eq(&one.names, &two.names))
		abort();
	(void)receive(&pack, 1, 0, true);
	strbuf_release(&pack);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include <libdeflate.h>
#include <pthread.h>
#include "util/alloc.h"
#include "util/deflate.h"
#include "util/err.h"

/* What a thread keeps: making one costs more than a small object. */
struct kept {
	struct libdeflate_compressor *deflater;
	int level; /* of deflater */
	struct libdeflate_decompressor *inflater;
};

static _Thread_local struct kept kept;
static pthread_key_t thread_end;
static pthread_once_t thread_end_made = PTHREAD_ONCE_INIT;

static void free_kept(void *arg)
{
	struct kept *k = arg;

	libdeflate_free_compressor(k->deflater);
	libdeflate_free_decompressor(k->inflater);
	k->deflater = NULL;
	k->inflater = NULL;
}

static void make_thread_end(void)
{
	if (pthread_key_create(&thread_end, free_kept))
		BUG("no thread key");
}

static void *must_have(void *p)
{
	if (!p)
		xmalloc(SIZE_MAX / 2); /* says "out of memory" and ends */
	pthread_once(&thread_end_made, make_thread_end);
	pthread_setspecific(thread_end, &kept);
	return p;
}

static struct libdeflate_compressor *deflater_for(int level)
{
	if (kept.deflater && kept.level == level)
		return kept.deflater;
	libdeflate_free_compressor(kept.deflater);
	kept.level = level;
	kept.deflater = must_have(libdeflate_alloc_compressor(level));
	return kept.deflater;
}

void deflate_buf(struct strbuf *out, const void *in, size_t len, int level)
{
	struct libdeflate_compressor *c = deflater_for(level < 0 ? 6 : level > 9 ? 9 : level);
	size_t room = libdeflate_zlib_compress_bound(c, len), made;

	strbuf_grow(out, room);
	made = libdeflate_zlib_compress(c, in, len, out->buf + out->len, room);
	if (!made)
		BUG("libdeflate's bound for %zu bytes was too small", len);
	strbuf_setlen(out, out->len + made);
}

int inflate_buf(const void *in, size_t len, void *out, size_t max,
		size_t *out_len, size_t *used)
{
	size_t made, taken;

	if (!kept.inflater)
		kept.inflater = must_have(libdeflate_alloc_decompressor());
	switch (libdeflate_zlib_decompress_ex(kept.inflater, in, len, out, max, &taken, &made)) {
	case LIBDEFLATE_SUCCESS:
		*out_len = made;
		*used = taken;
		return 0;
	case LIBDEFLATE_INSUFFICIENT_SPACE:
		return ERR_TOO_BIG;
	default:
		return ERR_CORRUPT;
	}
}

/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include <libdeflate.h>
#include <pthread.h>
#include "util/alloc.h"
#include "util/deflate.h"
#include "util/err.h"

/* Cached per thread, since creating one costs more than a small object. */
struct codecs {
	struct libdeflate_compressor *deflater;
	int level; /* of deflater */
	struct libdeflate_decompressor *inflater;
};

static _Thread_local struct codecs codecs;

/* A pthread key only for its destructor, which frees them when the thread ends. */
static pthread_key_t cleanup_key;
static pthread_once_t cleanup_key_once = PTHREAD_ONCE_INIT;

static void free_codecs(void *arg)
{
	struct codecs *c = arg;

	libdeflate_free_compressor(c->deflater);
	libdeflate_free_decompressor(c->inflater);
	c->deflater = NULL;
	c->inflater = NULL;
}

static void create_cleanup_key(void)
{
	if (pthread_key_create(&cleanup_key, free_codecs))
		BUG("no thread key");
}

/* Check an allocation and have it freed with the thread. */
static void *cached(void *p)
{
	if (!p)
		out_of_memory();
	pthread_once(&cleanup_key_once, create_cleanup_key);
	pthread_setspecific(cleanup_key, &codecs);
	return p;
}

static struct libdeflate_compressor *deflater_for(int level)
{
	if (codecs.deflater && codecs.level == level)
		return codecs.deflater;
	libdeflate_free_compressor(codecs.deflater);
	codecs.level = level;
	codecs.deflater = cached(libdeflate_alloc_compressor(level));
	return codecs.deflater;
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
	size_t made, consumed;

	if (!codecs.inflater)
		codecs.inflater = cached(libdeflate_alloc_decompressor());
	switch (libdeflate_zlib_decompress_ex(codecs.inflater, in, len, out, max, &consumed,
					      &made)) {
	case LIBDEFLATE_SUCCESS:
		*out_len = made;
		*used = consumed;
		return 0;
	case LIBDEFLATE_INSUFFICIENT_SPACE:
		return ERR_TOO_BIG;
	default:
		return ERR_CORRUPT;
	}
}

#define STREAM_BYTES ((size_t)64 * 1024)

/* All of z's input. */
static int deflate_some(z_stream *z, int flush, deflate_sink_fn sink, void *data, struct err *err)
{
	unsigned char out[STREAM_BYTES];
	int status, rc = 0;

	do {
		z->next_out = out;
		z->avail_out = sizeof(out);
		status = deflate(z, flush);
		if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
			return err_set(err, ERR_GENERIC, "cannot deflate: %s",
				       z->msg ? z->msg : "unknown error");
		if (sizeof(out) - z->avail_out)
			rc = sink(data, out, sizeof(out) - z->avail_out, err);
	} while (!rc && (flush == Z_FINISH ? status != Z_STREAM_END
					   : z->avail_in || !z->avail_out));
	return rc;
}

int deflate_stream(z_stream *z, const void *in, size_t len, bool finish, deflate_sink_fn sink,
		   void *data, struct err *err)
{
	const unsigned char *at = in;
	int rc = 0;

	while (len && !rc) {
		size_t n = len < MAX_IO_SIZE ? len : MAX_IO_SIZE;

		z->next_in = (unsigned char *)at;
		z->avail_in = (unsigned)n;
		rc = deflate_some(z, Z_NO_FLUSH, sink, data, err);
		at += n;
		len -= n;
	}
	if (!rc && finish)
		rc = deflate_some(z, Z_FINISH, sink, data, err);
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * zlib streams of data in memory, by libdeflate: two to three times as fast as zlib itself.
 * Compressors are cached per thread and freed with it. Thread-safe. And of data that comes in
 * pieces, by zlib.
 */
#ifndef UTIL_DEFLATE_H
#define UTIL_DEFLATE_H

#include "compat/posix.h"
#include <zlib.h>
#include "util/err.h"
#include "util/strbuf.h"

/* Append the zlib stream of in[0..len) to out. level: 0..9, -1 is 6. */
void deflate_buf(struct strbuf *out, const void *in, size_t len, int level);

/*
 * Inflate the stream at `in` into out[0..max). On 0, *out_len is the size of the result and
 * *used the length of the stream. ERR_CORRUPT: malformed or truncated; ERR_TOO_BIG: the
 * result is larger than max. There is no message: the caller knows the object's name.
 */
MUST_USE int inflate_buf(const void *in, size_t len, void *out, size_t max,
			 size_t *out_len, size_t *used);

/*
 * Deflate in[0..len), of any length, and pass the output to `sink` in pieces of at most 64 KiB.
 * finish: also pass the output that zlib holds back, which ends the stream. z: from deflateInit; the
 * caller ends it. A failure of `sink` stops and is returned.
 */
typedef int (*deflate_sink_fn)(void *data, const void *p, size_t len, struct err *err);
MUST_USE int deflate_stream(z_stream *z, const void *in, size_t len, bool finish,
			    deflate_sink_fn sink, void *data, struct err *err);

#endif

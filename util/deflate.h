/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * zlib streams of data in memory, by libdeflate: two to three times as fast as zlib itself.
 * Compressors are cached per thread and freed with it. Thread-safe.
 */
#ifndef UTIL_DEFLATE_H
#define UTIL_DEFLATE_H

#include "compat/posix.h"
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

#endif

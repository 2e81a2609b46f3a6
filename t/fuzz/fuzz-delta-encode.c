/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Making a delta. The first two bytes, big-endian, are the length of the base, which follows; the next two a
 * limit for the delta; the rest is the target. What is made stays within the limit, and gives the target
 * when it is applied.
 */
#include "compat/posix.h"
#include "pack/pack.h"
#include "pack/write/delta.h"
#include "t/fuzz/fuzz.h"
#include "util/alloc.h"
#include "util/bytes.h"

static void check(const uint8_t *base, size_t base_len, const unsigned char *delta, size_t len,
		  const uint8_t *target, size_t target_len)
{
	size_t out_len;
	void *out;

	if (delta_apply(base, base_len, delta, len, target_len, &out, &out_len, NULL) < 0)
		abort();
	if (out_len != target_len || memcmp(out, target, target_len))
		abort();
	free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t base_len, target_len, max, len;
	struct delta_index *ix;
	unsigned char *base, *target, *delta;

	if (size < 4)
		return 0;
	base_len = get_be16(data);
	max = get_be16(data + 2);
	if (base_len > size - 4)
		base_len = size - 4;
	target_len = size - 4 - base_len;
	/* Of the exact sizes, so that a read beyond them is seen. */
	base = xmemdup(data + 4, base_len);
	target = xmemdup(data + 4 + base_len, target_len);
	delta = xmalloc(max + 1);
	ix = delta_index_new(base, base_len);
	if (ix) {
		len = delta_encode(ix, target, target_len, delta, max);
		if (len > max)
			abort();
		if (len)
			check(base, base_len, delta, len, target, target_len);
	}
	delta_index_free(ix);
	free(delta);
	free(target);
	free(base);
	return 0;
}

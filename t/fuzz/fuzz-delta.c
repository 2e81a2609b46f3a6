/* SPDX-License-Identifier: GPL-2.0-only */
/* A delta. The first byte is the length of the base, which follows; the rest is the delta. */
#include "compat/posix.h"
#include "pack/pack.h"
#include "t/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t base_len, len;
	void *out;

	if (!size)
		return 0;
	base_len = data[0] < size - 1 ? data[0] : size - 1;
	if (!delta_apply(data + 1, base_len, data + 1 + base_len, size - 1 - base_len,
			 1 << 20, &out, &len, NULL)) {
		if (len > 1 << 20 || ((char *)out)[len])
			abort();
		free(out);
	}
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "odb/source.h"

bool oid_has_hex_prefix(const struct object_id *oid, const char *hex, size_t len)
{
	char own[HASH_MAX_HEX + 1];

	oid_to_hex_r(own, oid);
	return !memcmp(own, hex, len);
}

size_t oid_digits_apart(const struct object_id *a, const struct object_id *b)
{
	size_t i = 0, len = oid_raw_len(a);

	while (i < len && a->hash[i] == b->hash[i])
		i++;
	if (i == len)
		return 0;
	return 2 * i + ((a->hash[i] ^ b->hash[i]) < 16) + 1;
}

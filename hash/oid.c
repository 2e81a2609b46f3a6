/* SPDX-License-Identifier: GPL-2.0-only */
/* Object ids: raw, hex, arrays. */
#include "compat/posix.h"
#include "hash/hash.h"
#include "util/alloc.h"

static const char hex_digit[16] = "0123456789abcdef";

int hex_value(unsigned char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool oid_is_null(const struct object_id *oid)
{
	static const unsigned char zero[HASH_MAX_RAW];

	return !memcmp(oid->hash, zero, HASH_MAX_RAW);
}

void oid_from_raw(struct object_id *oid, const unsigned char *raw,
		  const struct hash_algo *algo)
{
	memcpy(oid->hash, raw, algo->raw_len);
	memset(oid->hash + algo->raw_len, 0, HASH_MAX_RAW - algo->raw_len);
	oid->algo = (uint8_t)algo->id;
}

/* What hex_value gives, plus one: 0 is no digit. For long lists of names. */
static const unsigned char digit_value[256] = {
	['0'] = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
	['A'] = 11, 12, 13, 14, 15, 16,
	['a'] = 11, 12, 13, 14, 15, 16,
};

int oid_parse_hex(struct object_id *oid, const char *s,
		  const struct hash_algo *algo, const char **end)
{
	unsigned char raw[HASH_MAX_RAW];

	for (size_t i = 0; i < algo->raw_len; i++, s += 2) {
		unsigned hi = digit_value[(unsigned char)s[0]], lo;

		/* a NUL ends here, before anything behind it is read */
		if (!hi || !(lo = digit_value[(unsigned char)s[1]]))
			return -1;
		raw[i] = (unsigned char)((hi - 1) << 4 | (lo - 1));
	}
	oid_from_raw(oid, raw, algo);
	if (end)
		*end = s;
	return 0;
}

int oid_from_hex(struct object_id *oid, const char *s, const struct hash_algo *algo)
{
	struct object_id parsed;
	const char *end;

	if (oid_parse_hex(&parsed, s, algo, &end) < 0 || *end)
		return -1;
	*oid = parsed;
	return 0;
}

size_t oid_raw_len(const struct object_id *oid)
{
	return oid->algo == HASH_SHA256 ? 32 : 20;
}

size_t oid_hex_len(const struct object_id *oid)
{
	return 2 * oid_raw_len(oid);
}

void oid_to_hex_r(char out[HASH_MAX_HEX + 1], const struct object_id *oid)
{
	size_t len = oid_raw_len(oid);

	for (size_t i = 0; i < len; i++) {
		*out++ = hex_digit[oid->hash[i] >> 4];
		*out++ = hex_digit[oid->hash[i] & 15];
	}
	*out = '\0';
}

const char *oid_hex(const struct object_id *oid)
{
	static _Thread_local char buf[4][HASH_MAX_HEX + 1];
	static _Thread_local unsigned turn;
	char *out = buf[turn++ % 4];

	oid_to_hex_r(out, oid);
	return out;
}

void strbuf_add_oid(struct strbuf *sb, const struct object_id *oid)
{
	char hex[HASH_MAX_HEX + 1];

	oid_to_hex_r(hex, oid);
	strbuf_add(sb, hex, oid_hex_len(oid));
}

/* ---- arrays ---- */

void oid_array_append(struct oid_array *a, const struct object_id *oid)
{
	ALLOC_GROW(a->oid, st_add(a->nr, 1), a->alloc);
	a->oid[a->nr++] = *oid;
	a->sorted = false;
}

static int compare(const void *a, const void *b)
{
	return oid_cmp(a, b);
}

void oid_array_sort(struct oid_array *a)
{
	if (!a->sorted && a->nr > 1)
		qsort(a->oid, a->nr, sizeof(*a->oid), compare);
	a->sorted = true;
}

void oid_array_sort_unique(struct oid_array *a)
{
	size_t kept = 0;

	oid_array_sort(a);
	for (size_t i = 0; i < a->nr; i++)
		if (!kept || !oid_eq(&a->oid[kept - 1], &a->oid[i]))
			a->oid[kept++] = a->oid[i];
	a->nr = kept;
}

bool oid_array_contains(struct oid_array *a, const struct object_id *oid)
{
	oid_array_sort(a);
	return a->nr && bsearch(oid, a->oid, a->nr, sizeof(*a->oid), compare);
}

void oid_array_clear(struct oid_array *a)
{
	free(a->oid);
	*a = (struct oid_array)OID_ARRAY_INIT;
}

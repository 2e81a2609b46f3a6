/* SPDX-License-Identifier: GPL-2.0-only */
/* Object ids: raw and hex. */
#include "compat/posix.h"
#include "hash/hash.h"
#include "util/alloc.h"

/* The two hex digits of every byte value, concatenated. */
#define SIXTEEN(d) d "0" d "1" d "2" d "3" d "4" d "5" d "6" d "7" \
	d "8" d "9" d "a" d "b" d "c" d "d" d "e" d "f"
static const char hex_digits[] =
	SIXTEEN("0") SIXTEEN("1") SIXTEEN("2") SIXTEEN("3")
	SIXTEEN("4") SIXTEEN("5") SIXTEEN("6") SIXTEEN("7")
	SIXTEEN("8") SIXTEEN("9") SIXTEEN("a") SIXTEEN("b")
	SIXTEEN("c") SIXTEEN("d") SIXTEEN("e") SIXTEEN("f");

int hex_value(unsigned char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

void oid_from_raw(struct object_id *oid, const unsigned char *raw,
		  const struct hash_algo *algo)
{
	memcpy(oid->hash, raw, algo->raw_len);
	memset(oid->hash + algo->raw_len, 0, HASH_MAX_RAW - algo->raw_len);
	oid->algo = (uint8_t)algo->id;
}

/* A table instead of comparisons, since lists of object names can be long. */
#define NO_DIGIT 0x80
static const unsigned char digit_value[256] = {
	[0 ... '0' - 1] = NO_DIGIT,
	['0'] = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
	['9' + 1 ... 'A' - 1] = NO_DIGIT,
	['A'] = 10, 11, 12, 13, 14, 15,
	['F' + 1 ... 'a' - 1] = NO_DIGIT,
	['a'] = 10, 11, 12, 13, 14, 15,
	['f' + 1 ... 255] = NO_DIGIT,
};

int oid_parse_digits(struct object_id *oid, const char *s, const struct hash_algo *algo)
{
	unsigned char raw[HASH_MAX_RAW];
	unsigned seen = 0;

	for (size_t i = 0; i < algo->raw_len; i++, s += 2) {
		unsigned hi = digit_value[(unsigned char)s[0]];
		unsigned lo = digit_value[(unsigned char)s[1]];

		seen |= hi | lo;
		raw[i] = (unsigned char)(hi << 4 | lo);
	}
	if (seen & NO_DIGIT)
		return -1;
	oid_from_raw(oid, raw, algo);
	return 0;
}

int oid_parse_hex(struct object_id *oid, const char *s,
		  const struct hash_algo *algo, const char **end)
{
	/* Never read past the end of the string. */
	if (memchr(s, '\0', algo->hex_len) || oid_parse_digits(oid, s, algo) < 0)
		return -1;
	if (end)
		*end = s + algo->hex_len;
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

	for (size_t i = 0; i < len; i++)
		memcpy(out + 2 * i, hex_digits + 2 * oid->hash[i], 2);
	out[2 * len] = '\0';
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
	strbuf_grow(sb, oid_hex_len(oid));
	oid_to_hex_r(sb->buf + sb->len, oid);
	sb->len += oid_hex_len(oid);
}

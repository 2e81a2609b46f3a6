/* SPDX-License-Identifier: GPL-2.0-only */
/* Applying a delta (gitformat-pack(5), "Deltified representation"). */
#include "compat/posix.h"
#include "pack/read-internal.h"
#include "util/alloc.h"

int delta_read_size(const unsigned char **at, const unsigned char *end, uint64_t *out)
{
	const unsigned char *p = *at;
	uint64_t v = 0;
	unsigned shift = 0;
	unsigned char c;

	do {
		if (p == end || shift > 63 || (shift == 63 && *p > 1))
			return -1;
		c = *p++;
		v |= (uint64_t)(c & 0x7f) << shift;
		shift += 7;
	} while (c & 0x80);
	*at = p;
	*out = v;
	return 0;
}

/* One instruction: copy `len` bytes at offset `from` of the base, or insert those at `literal`. */
struct step {
	bool copy;
	uint32_t from, len;
	const unsigned char *literal;
};

/* A copy instruction; only the bytes of offset and size whose bit is set in `op` are present. */
static bool read_copy_instruction(unsigned op, const unsigned char **at, const unsigned char *end,
				  struct step *s)
{
	const unsigned char *p = *at;
	uint32_t field[2] = { 0, 0 };

	if (end - p < 7 && end - p < __builtin_popcount(op & 0x7f))
		return false;
	for (unsigned bit = 0; bit < 7; bit++)
		if (op & (1u << bit))
			field[bit >= 4] |= (uint32_t)*p++ << (8 * (bit & 3));
	s->copy = true;
	s->from = field[0];
	s->len = field[1] ? field[1] : 0x10000;
	*at = p;
	return true;
}

static inline bool read_step(const unsigned char **at, const unsigned char *end, struct step *s)
{
	unsigned op = *(*at)++;

	if (op & 0x80)
		return read_copy_instruction(op, at, end, s);
	if (!op || (size_t)(end - *at) < op)
		return false;
	s->copy = false;
	s->len = op;
	s->literal = *at;
	*at += op;
	return true;
}

/* Is the result exactly `want` bytes long? To be known before memory is allocated. */
static bool yields(const unsigned char *at, const unsigned char *end, uint64_t want)
{
	struct step s;

	while (at < end) {
		if (!read_step(&at, end, &s) || s.len > want)
			return false;
		want -= s.len;
	}
	return !want;
}

static int apply_steps(const unsigned char *base, size_t base_size, const unsigned char *at,
		       const unsigned char *end, unsigned char *out, size_t left)
{
	struct step s;

	while (at < end) {
		if (!read_step(&at, end, &s) || s.len > left)
			return -1;
		if (!s.copy)
			memcpy(out, s.literal, s.len);
		else if (s.from > base_size || s.len > base_size - s.from)
			return -1;
		else
			memcpy(out, base + s.from, s.len);
		out += s.len;
		left -= s.len;
	}
	return left ? -1 : 0;
}

bool delta_result_size(const void *delta, size_t delta_size, uint64_t *out)
{
	const unsigned char *at = delta, *end = at + delta_size;
	uint64_t base;

	return !delta_read_size(&at, end, &base) && !delta_read_size(&at, end, out);
}

int delta_apply(const void *base, size_t base_size, const void *delta, size_t delta_size,
		size_t max, void **out, size_t *out_size, struct err *err)
{
	const unsigned char *at = delta, *end = at + delta_size;
	uint64_t want_base, want;
	unsigned char *data;

	if (delta_read_size(&at, end, &want_base) < 0 || delta_read_size(&at, end, &want) < 0)
		return err_set(err, ERR_CORRUPT, "delta has no valid sizes");
	if (want_base != base_size)
		return err_set(err, ERR_CORRUPT, "delta is for a base of %" PRIu64
			       " bytes, not of %zu", want_base, base_size);
	if (want > max || want >= SIZE_MAX)
		return err_set(err, ERR_TOO_BIG, "delta result of %" PRIu64
			       " bytes is too big", want);
	/* Check an implausible size before allocating that much. */
	if (want / 2 > (uint64_t)base_size + delta_size + 65536 && !yields(at, end, want))
		return err_set(err, ERR_CORRUPT, "delta does not produce the %" PRIu64
			       " bytes that its header states", want);
	data = try_alloc((size_t)want + 1);
	if (!data)
		return err_set(err, ERR_TOO_BIG, "no memory for an object of %" PRIu64 " bytes",
			       want);
	if (apply_steps(base, base_size, at, end, data, (size_t)want) < 0) {
		free(data);
		return err_set(err, ERR_CORRUPT, "malformed delta");
	}
	data[want] = 0;
	*out = data;
	*out_size = (size_t)want;
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* Reading blocks. */
#include "compat/posix.h"
#include "refs/reftable/block-internal.h"
#include "util/bytes.h"
#include "util/deflate.h"

static int bad_block(const struct block_source *src, uint64_t at, struct err *err, const char *why)
{
	return err_set(err, ERR_CORRUPT, "reftable '%s': block at offset %" PRIu64 ": %s", src->path, at, why);
}

static uint32_t get_be24(const unsigned char *p)
{
	return (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2];
}

static size_t file_header_before(const struct block_source *src, uint64_t at)
{
	return at ? 0 : src->header_len;
}

enum block_type block_type_at(const struct block_source *src, uint64_t at)
{
	at += file_header_before(src, at);
	return at < src->len ? src->p[at] : 0;
}

/* Where the restart points begin, from the number at the end of the block. */
static int find_restarts(struct block *b, size_t len, struct err *err)
{
	if (len < b->first + 2)
		return bad_block(b->src, b->at, err, "it is too short");
	b->nr_restarts = get_be16(b->p + len - 2);
	if (!b->nr_restarts)
		return bad_block(b->src, b->at, err, "it has no restart points");
	if (b->nr_restarts > (len - 2 - b->first) / 3)
		return bad_block(b->src, b->at, err, "it has no room for its restart points");
	b->end = len - 2 - 3 * b->nr_restarts;
	return b->end > b->first ? 0 : bad_block(b->src, b->at, err, "it has no records");
}

/*
 * JGit does not count the header of the file in the length of a first block of logs; Git does. Both are found in the wild, and
 * the inflated size tells which one it is.
 */
static int inflate_log(struct block *b, size_t header, size_t len, struct err *err)
{
	const unsigned char *in = b->src->p + b->at + header + BLOCK_HEADER_LEN;
	size_t avail = b->src->len - (b->at + header + BLOCK_HEADER_LEN), max, got, used;

	if (len < BLOCK_HEADER_LEN)
		return bad_block(b->src, b->at, err, "it is too short");
	max = len - BLOCK_HEADER_LEN;
	strbuf_reset(&b->inflated);
	strbuf_grow(&b->inflated, len + header);
	if (inflate_buf(in, avail, b->inflated.buf + header + BLOCK_HEADER_LEN, max, &got, &used) < 0)
		return bad_block(b->src, b->at, err, "its reflog entries cannot be inflated");
	if (got == max)
		b->p = (unsigned char *)b->inflated.buf + header;
	else if (header && got == max - header)
		b->p = (unsigned char *)b->inflated.buf;
	else
		return bad_block(b->src, b->at, err, "its inflated size is wrong");
	if (b->p != (unsigned char *)b->inflated.buf)
		header = 0;
	memset(b->inflated.buf, 0, header);
	b->first = header + BLOCK_HEADER_LEN;
	b->next = (uint64_t)(in - b->src->p) + used;
	return find_restarts(b, b->first + got, err);
}

/* A block that ends before block_size is padded with NULs, unless another one follows at once. */
static uint64_t next_block(const struct block_source *src, uint64_t at, size_t len)
{
	uint64_t end = at + len, padded = at + src->block_size;

	if (len >= src->block_size || end >= src->len || src->p[end])
		return end;
	return padded < src->len ? padded : src->len;
}

int block_read(struct block *b, const struct block_source *src, uint64_t at, struct err *err)
{
	size_t header = file_header_before(src, at), len;

	if (at > src->len || src->len - at < header + BLOCK_HEADER_LEN)
		return bad_block(src, at, err, "it lies beyond the end");
	b->src = src;
	b->at = at;
	b->type = src->p[at + header];
	len = get_be24(src->p + at + header + 1);
	switch (b->type) {
	case BLOCK_LOG:
		return inflate_log(b, header, len, err);
	case BLOCK_REF:
	case BLOCK_OBJ:
	case BLOCK_INDEX:
		break;
	default:
		return bad_block(src, at, err, "its type is unknown");
	}
	if (len > src->len - at)
		return bad_block(src, at, err, "it is cut off");
	b->p = src->p + at;
	b->first = header + BLOCK_HEADER_LEN;
	b->next = next_block(src, at, len);
	return find_restarts(b, len, err);
}

void block_release(struct block *b)
{
	strbuf_release(&b->inflated);
}

size_t block_restart(const struct block *b, size_t i)
{
	return get_be24(b->p + b->end + 3 * i);
}

/* ---- records ---- */

int reftable_key_cmp(const struct strbuf *a, const void *key, size_t len)
{
	size_t n = a->len < len ? a->len : len;
	int c = n ? memcmp(a->buf, key, n) : 0;

	return c ? c : a->len < len ? -1 : a->len > len;
}

void block_cursor_start(struct block_cursor *c, const struct block *b)
{
	c->block = b;
	c->at = b->first;
	c->pushed_back = false;
	strbuf_reset(&c->rec.key);
}

int block_cursor_next(struct block_cursor *c, struct err *err)
{
	const struct block *b = c->block;
	const unsigned char *p;
	const char *why;

	if (c->pushed_back) {
		c->pushed_back = false;
		return 1;
	}
	if (c->at >= b->end)
		return 0;
	p = record_read(&c->rec, b->type, &b->src->format, b->p + c->at, b->p + b->end, &why);
	if (!p)
		return bad_block(b->src, b->at, err, why);
	c->at = (size_t)(p - b->p);
	return 1;
}

/* The key of a restart point is whole. */
static int start_at_restart(struct block_cursor *c, const struct block *b, size_t i, struct err *err)
{
	size_t at = block_restart(b, i);

	if (at < b->first || at >= b->end || b->p[at])
		return bad_block(b->src, b->at, err, "a restart point leads to no record");
	block_cursor_start(c, b);
	c->at = at;
	return 0;
}

/* The last restart point whose key is less, or the first one. */
static int seek_restart(struct block_cursor *c, const struct block *b, const void *key, size_t len, struct err *err)
{
	size_t lo = 0, hi = b->nr_restarts;
	int rc = 0;

	while (!rc && hi - lo > 1) {
		size_t mid = lo + (hi - lo) / 2;

		rc = start_at_restart(c, b, mid, err);
		if (!rc)
			rc = block_cursor_next(c, err);
		if (rc <= 0)
			return rc;
		rc = 0;
		if (reftable_key_cmp(&c->rec.key, key, len) < 0)
			lo = mid;
		else
			hi = mid;
	}
	/* The first record is where the block begins, whatever the first restart point says. */
	if (!lo)
		block_cursor_start(c, b);
	return lo ? start_at_restart(c, b, lo, err) : 0;
}

int block_cursor_seek(struct block_cursor *c, const struct block *b, const void *key, size_t len, struct err *err)
{
	int rc = seek_restart(c, b, key, len, err);

	while (!rc && (rc = block_cursor_next(c, err)) > 0) {
		rc = 0;
		if (reftable_key_cmp(&c->rec.key, key, len) >= 0) {
			c->pushed_back = true;
			break;
		}
	}
	return rc;
}

void block_cursor_release(struct block_cursor *c)
{
	strbuf_release(&c->rec.key);
}

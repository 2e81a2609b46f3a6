/* SPDX-License-Identifier: GPL-2.0-only */
/* Seeking in a table, through its indexes, and going on from there. */
#include "compat/posix.h"
#include "refs/reftable/table-internal.h"

static const struct table_section *section_of(const struct reftable *t, enum block_type type)
{
	return type == BLOCK_REF ? &t->refs : type == BLOCK_LOG ? &t->logs : &t->objs;
}

static int bad_index(const struct table_iter *it, uint64_t at, struct err *err, const char *why)
{
	return err_set(err, ERR_CORRUPT, "reftable '%s': index block at offset %" PRIu64 ": %s", it->table->path, at, why);
}

/*
 * Does the section go on with the block at `at`? Its type says so; an index may follow, or the next section. 1, 0, < 0.
 */
static int section_goes_on(const struct table_iter *it, uint64_t at, enum block_type type, struct err *err)
{
	enum block_type is;

	if (at >= it->section->end)
		return 0;
	is = block_type_at(&it->table->src, at);
	if (is == type)
		return 1;
	if (is == BLOCK_INDEX && it->section->index && at <= it->section->index)
		return 0;
	return err_set(err, ERR_CORRUPT, "reftable '%s': block at offset %" PRIu64 ": it has a type that does not belong there",
		       it->table->path, at);
}

static int iter_open_block(struct table_iter *it, uint64_t at, struct err *err)
{
	int rc = block_read(&it->block, &it->table->src, at, err);

	if (!rc)
		block_cursor_start(&it->cursor, &it->block);
	return rc;
}

/* To the next block of the type of the present one. 1, 0, < 0. */
static int next_block_of_section(struct table_iter *it, struct err *err)
{
	int rc = section_goes_on(it, it->block.next, it->block.type, err);

	if (rc > 0)
		rc = iter_open_block(it, it->block.next, err);
	else
		return rc;
	return rc < 0 ? rc : 1;
}

/* ---- the index ---- */

/*
 * Blocks are written before the level of the index that leads to them, which begins at `level`: a damaged index leads to no
 * circle.
 */
static int follow_index(struct table_iter *it, uint64_t level, struct err *err)
{
	uint64_t from = it->block.at, to = it->cursor.rec.position;
	int rc;

	if (to && to < it->section->start)
		return bad_index(it, from, err, "it leads out of its section");
	if (to <= it->table->src.header_len && !it->section->start)
		to = 0; /* the first block, with or without the header of the file */
	if (to >= level || (!to && it->section->start))
		return bad_index(it, from, err, "it leads to no block before it");
	rc = iter_open_block(it, to, err);
	if (!rc && it->block.type != it->type && it->block.type != BLOCK_INDEX)
		rc = bad_index(it, from, err, "it leads to a block of another type");
	return rc;
}

/* In the present level of the index, which may have several blocks. 1, 0: every key is less, < 0. */
static int seek_in_level(struct table_iter *it, const void *key, size_t len, struct err *err)
{
	int rc = 1;

	while (rc > 0) {
		rc = block_cursor_seek(&it->cursor, &it->block, key, len, err);
		if (!rc)
			rc = block_cursor_next(&it->cursor, err);
		if (rc)
			return rc;
		if (it->block.next >= it->section->end ||
		    block_type_at(&it->table->src, it->block.next) != BLOCK_INDEX)
			return 0;
		rc = next_block_of_section(it, err);
	}
	return rc;
}

/* It has the last key of each block. */
static int bad_last_key(const struct table_iter *it, struct err *err)
{
	return err_set(err, ERR_CORRUPT, "reftable '%s': its index does not lead to a block with such a key", it->table->path);
}

static int seek_by_index(struct table_iter *it, const void *key, size_t len, struct err *err)
{
	int rc = iter_open_block(it, it->section->index, err);

	if (!rc && it->block.type != BLOCK_INDEX)
		return bad_index(it, it->section->index, err, "it is none");
	while (!rc && it->block.type == BLOCK_INDEX) {
		uint64_t level = it->block.at;

		rc = seek_in_level(it, key, len, err);
		if (!rc && level != it->section->index)
			return bad_last_key(it, err);
		if (!rc)
			it->done = true;
		if (rc <= 0)
			return rc;
		rc = follow_index(it, level, err);
	}
	if (!rc)
		rc = block_cursor_seek(&it->cursor, &it->block, key, len, err);
	return rc || it->cursor.pushed_back ? rc : bad_last_key(it, err);
}

static int open_first_block(struct table_iter *it, struct err *err)
{
	int rc = iter_open_block(it, it->section->start, err);

	if (!rc && it->block.type != it->type)
		rc = err_set(err, ERR_CORRUPT, "reftable '%s': block at offset %" PRIu64 ": it has another type than its footer says",
			     it->table->path, it->section->start);
	return rc;
}

/* Tables with few blocks have no index. */
static int seek_block_by_block(struct table_iter *it, const void *key, size_t len, struct err *err)
{
	int rc = open_first_block(it, err);

	while (!rc) {
		rc = block_cursor_seek(&it->cursor, &it->block, key, len, err);
		if (rc < 0 || it->cursor.pushed_back)
			return rc;
		rc = next_block_of_section(it, err);
		if (!rc)
			it->done = true;
		if (rc <= 0)
			return rc;
		rc = 0;
	}
	return rc;
}

int table_iter_seek(struct table_iter *it, struct reftable *t, enum block_type type, const void *key, size_t len,
		    struct err *err)
{
	it->table = t;
	it->section = section_of(t, type);
	it->type = type;
	it->done = !it->section->present;
	if (it->done)
		return 0;
	if (!len)
		return open_first_block(it, err);
	return it->section->index ? seek_by_index(it, key, len, err) : seek_block_by_block(it, key, len, err);
}

int table_iter_next(struct table_iter *it, struct err *err)
{
	struct strbuf last = STRBUF_INIT;
	int rc;

	if (it->done)
		return 0;
	rc = block_cursor_next(&it->cursor, err);
	if (rc)
		return rc;
	strbuf_swap(&last, &it->cursor.rec.key);
	rc = next_block_of_section(it, err);
	if (rc > 0)
		rc = block_cursor_next(&it->cursor, err);
	if (rc > 0 && reftable_key_cmp(&it->cursor.rec.key, last.buf, last.len) <= 0)
		rc = err_set(err, ERR_CORRUPT, "reftable '%s': block at offset %" PRIu64 ": its keys come before those of the block before it",
			     it->table->path, it->block.at);
	strbuf_release(&last);
	it->done = rc <= 0;
	return rc;
}

void table_iter_release(struct table_iter *it)
{
	block_release(&it->block);
	block_cursor_release(&it->cursor);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The content of files: read on demand, text or binary, and how similar two of them are.
 */
#include "compat/posix.h"
#include "diff/diff-internal.h"
#include "diff/text-internal.h"
#include "object/tree.h"
#include "util/alloc.h"

#define BINARY_CHECK_BYTES 8000 /* a NUL in these makes a file binary */

#define LONGEST_CHUNK 64

/* All chunks of the same content: their hash and their bytes in total. */
struct chunk {
	uint32_t hash;
	uint32_t bytes;
};

struct diff_chunks {
	size_t nr;
	struct chunk *list; /* by hash, each once */
};

void diff_chunks_free(struct diff_chunks *c)
{
	if (!c)
		return;
	free(c->list);
	free(c);
}

/* ---- reading ---- */

void diff_driver_of(const struct diff_options *o, const char *path, struct diff_driver *out)
{
	*out = (struct diff_driver){ .binary = -1, .marker_size = 7 };
	if (o->driver)
		o->driver(o->driver_data, path, out);
}

const struct diff_options *diff_options_for(const struct diff_options *o, const char *path,
					    struct diff_options *scratch)
{
	struct diff_driver driver;

	if (o->algorithm_given)
		return o;
	diff_driver_of(o, path, &driver);
	if (!driver.algorithm)
		return o;
	*scratch = *o;
	return diff_set_algorithm(scratch, driver.algorithm) ? scratch : o;
}

/* The content of a gitlink is a line that names its commit. */
static void load_gitlink(struct diff_file *f)
{
	char *line = xstrfmt("Subproject commit %s%s\n", oid_hex(&f->oid), f->dirty ? "-dirty" : "");

	f->content.type = OBJ_BLOB;
	f->content.data = line;
	f->content.size = strlen(line);
}

/* What an entry of "git add -N" names, whether or not there is such an object. */
static bool is_empty_blob(const struct diff_file *f, const struct diff_options *o)
{
	return f->oid_valid && oid_eq(&f->oid, &o->algo->empty_blob);
}

int diff_file_load(struct diff_file *f, const struct diff_options *o, struct err *err)
{
	int ret = 0;

	if (f->loaded)
		return 0;
	if (!diff_file_exists(f) || is_empty_blob(f, o)) {
		f->content.data = xcalloc(1, 1);
		f->content.size = 0;
	} else if (MODE_IS_GITLINK(f->mode) && f->oid_valid) {
		load_gitlink(f);
	} else if (f->oid_valid) {
		ret = odb_read_type(o->odb, &f->oid, OBJ_BLOB, &f->content, err);
	} else if (o->read) {
		ret = o->read(o->read_data, f, &f->content, err);
	} else {
		ret = err_set(err, ERR_NOT_FOUND, "no content for '%s'", f->path);
	}
	if (ret < 0)
		return ret;
	f->loaded = f->size_known = true;
	f->size = f->content.size;
	return 0;
}

void diff_file_unload(struct diff_file *f)
{
	if (!f->loaded)
		return;
	object_buf_release(&f->content);
	f->content = (struct object_buf)OBJECT_BUF_INIT;
	f->loaded = false;
}

void diff_file_drop(struct diff_file *f)
{
	diff_file_unload(f);
	diff_chunks_free(f->chunks);
	f->chunks = NULL;
}

/* Set the size, and *oid, of a file that is too large to be held. 0: it is not. */
static int measure(struct diff_file *f, const struct diff_options *o, struct object_id *oid, struct err *err)
{
	int ret = 0;

	if (diff_file_exists(f) && !f->oid_valid && !f->loaded && o->measure)
		ret = o->measure(o->read_data, f, &f->size, oid, err);
	f->size_known |= ret > 0;
	return ret;
}

int diff_file_size(struct diff_file *f, const struct diff_options *o, struct err *err)
{
	struct object_info info;
	int ret;

	if (f->size_known)
		return 0;
	ret = measure(f, o, NULL, err);
	if (ret)
		return ret < 0 ? ret : 0;
	if (!diff_file_exists(f) || !f->oid_valid || MODE_IS_GITLINK(f->mode) || is_empty_blob(f, o))
		return diff_file_load(f, o, err);
	ret = odb_type(o->odb, &f->oid, &info.type, &info.size, err);
	if (ret < 0)
		return ret;
	f->size = info.size;
	f->size_known = true;
	return 0;
}

void diff_file_driver(struct diff_file *f, const struct diff_options *o)
{
	struct diff_driver driver;

	if (f->driver_known)
		return;
	f->driver_known = true;
	f->driver_binary = -1;
	if (!S_ISREG(f->mode)) /* links and submodules have no drivers */
		return;
	diff_driver_of(o, f->path, &driver);
	f->driver_binary = driver.binary;
}

int diff_file_binary(struct diff_file *f, const struct diff_options *o, struct err *err)
{
	int ret;

	if (f->binary_known)
		return 0;
	diff_file_driver(f, o);
	if (f->driver_binary == 0) {
		f->is_binary = false;
	} else if (f->driver_binary > 0) {
		f->is_binary = true;
	} else {
		ret = diff_file_size(f, o, err);
		if (ret < 0)
			return ret;
		if (f->size > o->big_file_threshold || f->size > TEXT_MAX_SIZE) {
			f->is_binary = true;
		} else {
			ret = diff_file_load(f, o, err);
			if (ret < 0)
				return ret;
			f->is_binary = memchr(f->content.data, 0,
					      f->size < BINARY_CHECK_BYTES ? f->size : BINARY_CHECK_BYTES) != NULL;
		}
	}
	f->binary_known = true;
	return 0;
}

int diff_file_hash(struct diff_file *f, const struct diff_options *o, struct err *err)
{
	int ret;

	if (f->oid_valid || !oid_is_null(&f->oid) || !diff_file_exists(f))
		return 0;
	ret = measure(f, o, &f->oid, err);
	if (ret)
		return ret < 0 ? ret : 0;
	ret = diff_file_load(f, o, err);
	if (ret < 0)
		return ret;
	return hash_object_buf(o->algo, "blob", f->content.data, f->content.size, &f->oid,
			       err);
}

int diff_file_show_oid(struct diff_file *f, const struct diff_options *o, struct err *err)
{
	f->oid_shown = true;
	return diff_file_hash(f, o, err);
}

/*
 * ---- similarity ----
 *
 * Both files are cut into lines, of 64 bytes at most; the bytes of lines that both have are
 * counted, wherever they are.
 */

static int by_hash(const void *a, const void *b)
{
	const struct chunk *x = a, *y = b;

	return (x->hash > y->hash) - (x->hash < y->hash);
}

/* Chunks of the same hash become one. */
static void sort_and_merge(struct diff_chunks *c)
{
	size_t kept = 0;

	if (c->nr)
		qsort(c->list, c->nr, sizeof(*c->list), by_hash);
	for (size_t i = 0; i < c->nr; i++) {
		if (kept && c->list[kept - 1].hash == c->list[i].hash)
			c->list[kept - 1].bytes += c->list[i].bytes;
		else
			c->list[kept++] = c->list[i];
	}
	c->nr = kept;
}

/*
 * Collisions of the hash change the result by a percent or two in large files, so this is
 * the hash with which Git's percentages agree: a register of 64 bits, rotated by 7 for each
 * byte, which is added to its lower half; in the end both halves are reduced to a number
 * below HASHES.
 */
#define HASHES 107927u

static uint64_t add_byte(uint64_t reg, unsigned char byte)
{
	reg = reg << 7 | reg >> 57;
	return (reg & ~UINT64_C(0xffffffff)) | (uint32_t)(reg + byte);
}

static uint32_t mix_down(uint64_t reg)
{
	return ((uint32_t)reg + (uint32_t)(reg >> 32) * 97) % HASHES;
}

/* In text, CR LF counts as LF. */
static struct diff_chunks *split_chunks(const char *text, size_t len, bool is_text)
{
	struct diff_chunks *c = xcalloc(1, sizeof(*c));
	size_t alloc = 0;
	uint64_t reg = 0;
	uint32_t bytes = 0;

	for (size_t i = 0; i < len; i++) {
		unsigned char ch = (unsigned char)text[i];

		if (is_text && ch == '\r' && i + 1 < len && text[i + 1] == '\n')
			continue;
		reg = add_byte(reg, ch);
		if (++bytes < LONGEST_CHUNK && ch != '\n' && i + 1 < len)
			continue;
		ALLOC_GROW(c->list, c->nr + 1, alloc);
		c->list[c->nr++] = (struct chunk){ mix_down(reg), bytes };
		reg = bytes = 0;
	}
	sort_and_merge(c);
	return c;
}

static int load_chunks(struct diff_file *f, const struct diff_options *o, struct err *err)
{
	int ret;

	if (f->chunks)
		return 0;
	ret = diff_file_binary(f, o, err);
	if (!ret)
		ret = diff_file_load(f, o, err);
	if (ret < 0)
		return ret;
	f->chunks = split_chunks(f->content.data, f->content.size, !f->is_binary);
	return 0;
}

int diff_count_copied(struct diff_file *from, struct diff_file *to,
		      const struct diff_options *o, uint64_t *copied,
		      uint64_t *added, struct err *err)
{
	int ret = load_chunks(from, o, err);
	const struct chunk *a, *a_end, *b, *b_end;

	if (!ret)
		ret = load_chunks(to, o, err);
	if (ret < 0)
		return ret;
	a = from->chunks->list;
	a_end = a ? a + from->chunks->nr : NULL; /* NULL: there are none */
	b = to->chunks->list;
	b_end = b ? b + to->chunks->nr : NULL;
	*copied = *added = 0;
	for (; b < b_end; b++) {
		uint32_t had = 0;

		while (a < a_end && a->hash < b->hash)
			a++;
		if (a < a_end && a->hash == b->hash)
			had = a->bytes;
		*copied += had < b->bytes ? had : b->bytes;
		*added += had < b->bytes ? b->bytes - had : 0;
	}
	return 0;
}

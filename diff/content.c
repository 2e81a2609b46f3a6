/* SPDX-License-Identifier: GPL-2.0-only */
/* What is in a file, how large it is, whether it is text. */
#include "compat/posix.h"
#include "diff/diff-internal.h"
#include "diff/text.h"
#include "object/tree.h"
#include "util/alloc.h"

#define LOOKED_AT 8000 /* a NUL in the first bytes makes a file binary */

void diff_driver_of(const struct diff_options *o, const char *path, struct diff_driver *out)
{
	*out = (struct diff_driver){ .binary = -1 };
	if (o->driver)
		o->driver(o->driver_data, path, out);
}

/* A repository inside stands for the line that names its commit. */
static void load_gitlink(struct diff_file *f)
{
	char *line = xstrfmt("Subproject commit %s\n", oid_hex(&f->oid));

	f->content.type = OBJ_BLOB;
	f->content.data = line;
	f->content.size = strlen(line);
}

int diff_file_load(struct diff_file *f, const struct diff_options *o, struct err *err)
{
	int ret = 0;

	if (f->loaded)
		return 0;
	if (!diff_file_exists(f)) {
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

void diff_file_forget(struct diff_file *f)
{
	diff_file_unload(f);
	diff_chunks_free(f->chunks);
	f->chunks = NULL;
}

int diff_file_size(struct diff_file *f, const struct diff_options *o, struct err *err)
{
	struct object_info info;
	int ret;

	if (f->size_known)
		return 0;
	if (!diff_file_exists(f) || !f->oid_valid || MODE_IS_GITLINK(f->mode))
		return diff_file_load(f, o, err);
	ret = odb_info(o->odb, &f->oid, &info, err);
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
	diff_driver_of(o, f->path, &driver);
	f->driver_binary = driver.binary;
}

int diff_file_binary(struct diff_file *f, const struct diff_options *o, struct err *err)
{
	int ret;

	if (f->binary_known)
		return 0;
	diff_file_driver(f, o);
	if (o->text || f->driver_binary == 0) {
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
					      f->size < LOOKED_AT ? f->size : LOOKED_AT) != NULL;
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
	ret = diff_file_load(f, o, err);
	if (ret < 0)
		return ret;
	hash_object_buf(odb_algo(o->odb), "blob", f->content.data, f->content.size, &f->oid);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* git-cat-file(1): the content of an object, as it is or as the work tree would have it. */
#include "compat/posix.h"
#include "builtin/cat-file.h"

static int write_piece(void *data UNUSED, const void *p, size_t len, struct err *err)
{
	if (fwrite(p, 1, len, stdout) != len)
		return err_set_errno(err, "write failure on standard output");
	return 0;
}

int cat_file_write(const struct object_buf *buf, struct err *err)
{
	return write_piece(NULL, buf->data, buf->size, err);
}

int cat_file_stream(struct cat_file *c, const struct object_id *oid, struct err *err)
{
	struct object_info info;
	struct object_buf buf = OBJECT_BUF_INIT;
	int rc = odb_type(c->r->odb, oid, &info.type, &info.size, err);

	if (rc < 0)
		return rc;
	if (info.type == OBJ_BLOB && info.size > c->r->settings.big_file_threshold)
		return odb_stream(c->r->odb, oid, write_piece, NULL, err);
	rc = odb_read(c->r->odb, oid, &buf, err);
	if (!rc)
		rc = cat_file_write(&buf, err);
	object_buf_release(&buf);
	return rc;
}

void cat_file_filter(struct cat_file *c, const char *path, const struct object_id *oid,
		     struct object_buf *buf)
{
	struct strbuf out = STRBUF_INIT, warn = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct conversion cv;
	int rc;

	if (buf->type != OBJ_BLOB)
		return;
	if (!c->conv) {
		index_init(&c->ix, c->r->algo);
		if (index_read_repo(&c->ix, c->r, &err) < 0 ||
		    converter_new(&c->conv, c->r, &c->ix, ATTR_CHECKIN, &err) < 0)
			die_err(&err);
	}
	converter_lookup(c->conv, path, &cv);
	rc = convert_to_worktree(c->conv, path, &cv, buf->data, buf->size, oid, &out, &warn,
				 &err);
	repo_report_lines(c->r, warn.buf);
	if (rc < 0)
		die_err(&err);
	if (rc > 0) {
		object_buf_release(buf);
		buf->type = OBJ_BLOB;
		buf->data = strbuf_detach(&out, &buf->size);
	}
	strbuf_release(&out);
	strbuf_release(&warn);
}

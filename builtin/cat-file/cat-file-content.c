/* SPDX-License-Identifier: GPL-2.0-only */
/* git-cat-file(1): the content of an object, as it is or as the work tree would have it. */
#include "compat/posix.h"
#include "builtin/cat-file/cat-file.h"
#include "write-or-die.h"

/* In one call: a reader may close the pipe as soon as it has seen how the object begins. */
static int write_piece(void *data UNUSED, const void *p, size_t len, struct err *err)
{
	if (fflush(stdout) || write_in_full(1, p, len, "standard output", NULL) < 0)
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
	struct strbuf mapped = STRBUF_INIT;
	int rc = odb_type(c->r->odb, oid, &info.type, &info.size, err);

	if (rc < 0)
		return rc;
	if (info.type == OBJ_BLOB && info.size > c->r->settings.big_file_threshold)
		return odb_stream(c->r->odb, oid, write_piece, NULL, err);
	rc = cat_file_mapped(c, oid, info.type, &mapped, err);
	if (rc > 0)
		rc = write_piece(NULL, mapped.buf, mapped.len, err);
	else if (!rc && !(rc = odb_read(c->r->odb, oid, &buf, err)))
		rc = cat_file_write(&buf, err);
	strbuf_release(&mapped);
	object_buf_release(&buf);
	return rc;
}

int cat_file_mapped(struct cat_file *c, const struct object_id *oid, enum object_type type, struct strbuf *out,
		    struct err *err)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	int rc;

	if (!c->use_mailmap || (type != OBJ_COMMIT && type != OBJ_TAG))
		return 0;
	if (!c->map && (rc = mailmap_read(&c->map, c->r, err)) < 0)
		return rc;
	rc = odb_read(c->r->odb, oid, &buf, err);
	if (!rc)
		mailmap_apply_to_object(c->map, buf.data, buf.size, out);
	object_buf_release(&buf);
	return rc < 0 ? rc : 1;
}

static void open_converters(struct cat_file *c)
{
	struct err err = ERR_INIT;

	if (c->conv)
		return;
	index_init(&c->ix, c->r->algo);
	if (index_read_repo(&c->ix, c->r, &err) < 0 ||
	    converter_new(&c->conv, c->r, &c->ix, ATTR_CHECKIN, &err) < 0 ||
	    diff_attrs_new(&c->attrs, c->r, converter_attrs(c->conv), &err) < 0)
		die_err(&err);
	diff_attrs_lend_converter(c->attrs, c->conv);
	diff_options_init(&c->diff, c->r->odb);
	diff_attrs_use(c->attrs, &c->diff);
	c->diff.textconv = true;
}

void cat_file_release_converters(struct cat_file *c)
{
	if (!c->conv)
		return;
	diff_options_release(&c->diff);
	diff_attrs_free(c->attrs);
	converter_free(c->conv);
	index_release(&c->ix);
}

static int filter(struct cat_file *c, const char *path, const struct object_id *oid, struct object_buf *buf,
		  struct err *err)
{
	struct strbuf out = STRBUF_INIT, warn = STRBUF_INIT;
	struct conversion cv;
	int rc;

	if (buf->type != OBJ_BLOB)
		return 1;
	converter_lookup(c->conv, path, &cv);
	rc = convert_to_worktree(c->conv, path, &cv, buf->data, buf->size, oid, &out, &warn, err);
	repo_report_lines(c->r, warn.buf);
	if (rc > 0) {
		object_buf_release(buf);
		buf->type = OBJ_BLOB;
		buf->data = strbuf_detach(&out, &buf->size);
	}
	strbuf_release(&out);
	strbuf_release(&warn);
	return rc < 0 ? rc : 1;
}

bool cat_file_converts(const struct cat_file *c)
{
	return c->filters || c->textconv;
}

bool cat_file_convert(struct cat_file *c, const char *path, const struct object_id *oid, struct object_buf *buf)
{
	struct err err = ERR_INIT;
	int rc;

	open_converters(c);
	rc = c->textconv ? diff_textconv_object(&c->diff, path, oid, buf, &err) : filter(c, path, oid, buf, &err);
	if (rc < 0)
		die_err(&err);
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* Commands, paths, and data of a given size or up to a delimiter. */
#include "compat/posix.h"
#include "fastimport/fastimport-internal.h"
#include "util/alloc.h"
#include "util/quote.h"

#define DATA_STEP ((size_t)1024 * 1024) /* memory grows by it, whatever size the stream announces */

/* 1: the next command, comments left out; 0: the end, and the line is empty. */
int import_next(struct fast_import *fi, struct err *err)
{
	struct import_input *in = &fi->in;
	int rc;

	if (in->unread) {
		in->unread = false;
		return 1;
	}
	do {
		rc = import_input_line(in, err);
		if (rc <= 0)
			return rc;
		if (!fi->seen_data && !starts_with(in->line.buf, "feature ") && !starts_with(in->line.buf, "option "))
			rc = import_begin_data(fi, err);
		if (rc < 0)
			return rc;
	} while (*in->line.buf == '#');
	return 1;
}

int import_parse_mark_line(struct fast_import *fi, struct err *err)
{
	const char *v;

	fi->next_mark = 0;
	if (!skip_prefix(fi->in.line.buf, "mark :", &v))
		return 0;
	fi->next_mark = strtoull(v, NULL, 10);
	return import_next(fi, err);
}

int import_skip_original_oid(struct fast_import *fi, struct err *err)
{
	return starts_with(fi->in.line.buf, "original-oid ") ? import_next(fi, err) : 0;
}

/* ---- paths ---- */

static int parse_path(struct fast_import *fi, const char **p, bool to_space, const char *field, struct strbuf *out,
		      struct err *err)
{
	strbuf_reset(out);
	if (**p == '"') {
		if (unquote_c_style(out, *p, p) < 0)
			return err_set(err, ERR_INVALID, "invalid %s: %s", field, fi->in.line.buf);
		if (strlen(out->buf) != out->len)
			return err_set(err, ERR_INVALID, "NUL in %s: %s", field, fi->in.line.buf);
		return 0;
	}
	strbuf_add(out, *p, to_space ? strcspn(*p, " ") : strlen(*p));
	*p += out->len;
	return 0;
}

int import_path_eol(struct fast_import *fi, const char *p, const char *field, struct strbuf *out, struct err *err)
{
	int rc = parse_path(fi, &p, false, field, out, err);

	if (!rc && *p)
		rc = err_set(err, ERR_INVALID, "garbage after %s: %s", field, fi->in.line.buf);
	return rc;
}

int import_path_space(struct fast_import *fi, const char **p, const char *field, struct strbuf *out, struct err *err)
{
	int rc = parse_path(fi, p, true, field, out, err);

	if (!rc && **p != ' ')
		rc = err_set(err, ERR_INVALID, "missing space after %s: %s", field, fi->in.line.buf);
	*p += !rc;
	return rc;
}

/* ---- data ---- */

static int read_delimited(struct fast_import *fi, const char *end, struct strbuf *out, struct err *err)
{
	char *delimiter = xstrdup(end);
	struct strbuf line = STRBUF_INIT;
	int rc;

	while ((rc = import_input_text(&fi->in, &line, err)) > 0 && strcmp(line.buf, delimiter)) {
		strbuf_addbuf(out, &line);
		strbuf_addch(out, '\n');
	}
	if (!rc)
		rc = err_set(err, ERR_INVALID, "EOF in data (terminator '%s' not found)", delimiter);
	free(delimiter);
	strbuf_release(&line);
	return rc < 0 ? rc : import_input_skip_lf(&fi->in, err);
}

static int read_counted(struct fast_import *fi, uint64_t left, struct strbuf *out, struct err *err)
{
	while (left) {
		size_t got, n = left < DATA_STEP ? (size_t)left : DATA_STEP;
		int rc;

		strbuf_grow(out, n);
		rc = import_input_read(&fi->in, out->buf + out->len, n, &got, err);
		if (rc < 0)
			return rc;
		if (!got)
			return err_set(err, ERR_INVALID, "EOF in data (%" PRIu64 " bytes remaining)", left);
		strbuf_setlen(out, out->len + got);
		left -= got;
	}
	return import_input_skip_lf(&fi->in, err);
}

/* The size behind "data ", or the delimiter behind "<<". */
static int parse_data_line(const struct fast_import *fi, const char **delimiter, uint64_t *size, struct err *err)
{
	const char *v;
	char *end;

	*delimiter = NULL;
	if (!skip_prefix(fi->in.line.buf, "data ", &v))
		return err_set(err, ERR_INVALID, "expected 'data n' command, found: %s", fi->in.line.buf);
	if (skip_prefix(v, "<<", delimiter))
		return 0;
	errno = 0;
	*size = strtoull(v, &end, 10);
	if (errno || *v == '-')
		return err_set(err, ERR_TOO_BIG, "data is too large to use in this context");
	return 0;
}

int import_read_data(struct fast_import *fi, struct strbuf *out, struct err *err)
{
	const char *delimiter;
	uint64_t size;
	int rc = parse_data_line(fi, &delimiter, &size, err);

	strbuf_reset(out);
	if (rc < 0)
		return rc;
	return delimiter ? read_delimited(fi, delimiter, out, err) : read_counted(fi, size, out, err);
}

struct import_stream {
	struct fast_import *fi;
	uint64_t left;
};

static int read_stream(void *data, void *buf, size_t len, size_t *got, struct err *err)
{
	struct import_stream *s = data;
	int rc;

	*got = 0;
	if (!s->left || !len)
		return 0;
	rc = import_input_read(&s->fi->in, buf, s->left < len ? (size_t)s->left : len, got, err);
	if (!rc && !*got)
		rc = err_set(err, ERR_INVALID, "EOF in data (%" PRIu64 " bytes remaining)", s->left);
	s->left -= *got;
	return rc;
}

static int store_stream(struct fast_import *fi, uint64_t size, struct object_id *oid, struct err *err)
{
	struct import_stream s = { fi, size };
	const struct object_stream in = { read_stream, &s, "the stream" };
	int rc = bulk_checkin_stream_from(odb_batch(fi->repo->odb), OBJ_BLOB, &in, size, oid, err);

	fi->count[OBJ_BLOB] += !rc;
	return rc;
}

static int store_blob(struct fast_import *fi, struct object_id *oid, struct err *err)
{
	struct strbuf data = STRBUF_INIT;
	struct import_base base = { &fi->last.oid, fi->last.data.buf, fi->last.data.len };
	int rc = import_read_data(fi, &data, err);

	if (!rc)
		rc = import_store(fi, OBJ_BLOB, &data, fi->last.data.len ? &base : NULL, oid, err);
	if (!rc) {
		strbuf_swap(&fi->last.data, &data);
		fi->last.oid = *oid;
	}
	strbuf_release(&data);
	return rc;
}

int import_read_blob(struct fast_import *fi, struct object_id *oid, struct err *err)
{
	const char *delimiter;
	uint64_t size = 0;
	int rc = parse_data_line(fi, &delimiter, &size, err);

	if (rc < 0)
		return rc;
	if (!delimiter && size > fi->big_file) {
		strbuf_release(&fi->last.data);
		rc = store_stream(fi, size, oid, err);
		if (!rc)
			rc = import_input_skip_lf(&fi->in, err);
	} else {
		rc = store_blob(fi, oid, err);
	}
	if (!rc)
		import_mark_object(fi, oid, OBJ_BLOB);
	return rc;
}

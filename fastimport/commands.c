/* SPDX-License-Identifier: GPL-2.0-only */
/* The other commands of the stream, and the stream as a whole. */
#include "compat/posix.h"
#include "fastimport/fastimport-internal.h"
#include "util/alloc.h"

/* ---- blob, reset, alias ---- */

static int blob(struct fast_import *fi, struct err *err)
{
	struct object_id oid;
	int rc = import_next(fi, err);

	if (rc >= 0)
		rc = import_parse_mark_line(fi, err);
	if (rc >= 0)
		rc = import_skip_original_oid(fi, err);
	return rc < 0 ? rc : import_read_blob(fi, &oid, err);
}

static void forget_tag(struct fast_import *fi, const char *name)
{
	for (size_t i = 0; i < fi->nr_tags; i++)
		if (!strcmp(fi->tags[i].name, name)) {
			free(fi->tags[i].name);
			fi->tags[i] = fi->tags[--fi->nr_tags];
			return;
		}
}

static int reset(struct fast_import *fi, const char *name, struct err *err)
{
	struct import_branch *b = import_branch_get(fi, name);
	const char *tag;
	int rc;

	if (b) {
		b->tip = b->tree = fi->repo->algo->null_oid;
		b->fanout_known = b->deleted = false;
		import_root_set(b->root, &b->tree);
	}
	rc = b ? 0 : import_branch_new(fi, name, &b, err);
	if (rc < 0)
		return rc;
	rc = import_next(fi, err);
	if (rc >= 0)
		rc = import_parse_from(fi, b, err);
	if (rc < 0)
		return rc;
	if (b->deleted && skip_prefix(b->name, "refs/tags/", &tag))
		forget_tag(fi, tag);
	fi->in.unread = fi->in.line.len > 0;
	return 0;
}

static int alias(struct fast_import *fi, struct err *err)
{
	const char *to;
	struct object_id oid;
	int rc = import_input_skip_lf(&fi->in, err);

	if (!rc)
		rc = import_next(fi, err);
	if (rc >= 0)
		rc = import_parse_mark_line(fi, err);
	if (rc < 0)
		return rc;
	if (!fi->next_mark)
		return err_set(err, ERR_INVALID, "expected 'mark' command, got %s", fi->in.line.buf);
	if (!skip_prefix(fi->in.line.buf, "to ", &to))
		return err_set(err, ERR_INVALID, "expected 'to' command, got %s", fi->in.line.buf);
	rc = import_commit_of(fi, to, &oid, err);
	if (!rc)
		import_mark_object(fi, &oid, OBJ_COMMIT);
	return rc < 0 ? rc : import_input_skip_lf(&fi->in, err);
}

static int progress(struct fast_import *fi, struct err *err)
{
	int rc;

	strbuf_addch(&fi->in.line, '\n');
	rc = import_answer(fi, fi->o.out_fd, fi->in.line.buf, fi->in.line.len, err);
	return rc < 0 ? rc : import_input_skip_lf(&fi->in, err);
}

static int checkpoint(struct fast_import *fi, struct err *err)
{
	int rc = import_publish(fi, true, err);

	return rc < 0 ? rc : import_input_skip_lf(&fi->in, err);
}

/* ---- the stream ---- */

static int command(struct fast_import *fi, struct err *err)
{
	char *line = xstrdup(fi->in.line.buf);
	const char *v;
	int rc;

	if (!strcmp(line, "blob"))
		rc = blob(fi, err);
	else if (skip_prefix(line, "commit ", &v))
		rc = import_commit(fi, v, err);
	else if (skip_prefix(line, "tag ", &v))
		rc = import_tag(fi, v, err);
	else if (skip_prefix(line, "reset ", &v))
		rc = reset(fi, v, err);
	else if (skip_prefix(line, "ls ", &v))
		rc = import_ls(fi, v, NULL, err);
	else if (skip_prefix(line, "cat-blob ", &v))
		rc = import_cat_blob(fi, v, err);
	else if (skip_prefix(line, "get-mark ", &v))
		rc = import_get_mark(fi, v, err);
	else if (!strcmp(line, "checkpoint"))
		rc = checkpoint(fi, err);
	else if (!strcmp(line, "alias"))
		rc = alias(fi, err);
	else if (starts_with(line, "progress "))
		rc = progress(fi, err);
	else if (skip_prefix(line, "feature ", &v))
		rc = import_feature(fi, v, err);
	else if (skip_prefix(line, "option git ", &v))
		rc = import_stream_option(fi, v, err);
	else if (starts_with(line, "option "))
		rc = 0; /* of another program */
	else
		rc = err_set(err, ERR_INVALID, "unsupported command: %s", line);
	free(line);
	return rc < 0 ? rc : 0;
}

static int read_commands(struct fast_import *fi, struct err *err)
{
	int rc;

	while ((rc = import_next(fi, err)) > 0) {
		if (!strcmp(fi->in.line.buf, "done")) {
			fi->done_seen = true;
			return 0;
		}
		rc = command(fi, err);
		if (rc < 0)
			return rc;
	}
	return rc;
}

int fast_import_run(struct fast_import *fi, struct err *err)
{
	int rc = read_commands(fi, err);

	if (!rc && !fi->seen_data)
		rc = import_begin_data(fi, err);
	if (!rc && fi->need_done && !fi->done_seen)
		rc = err_set(err, ERR_INVALID, "stream ends early");
	if (!rc)
		rc = import_publish(fi, true, err);
	return rc < 0 ? rc : fi->failed_refs;
}

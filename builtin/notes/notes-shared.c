/* SPDX-License-Identifier: GPL-2.0-only */
/* git-notes(1): the notes of a command, and the end of its operation. */
#include "compat/posix.h"
#include "builtin/notes/notes-cmd.h"
#include "history/names/revparse.h"
#include "repo/ident.h"
#include "util/alloc.h"

int notes_cmd_open(struct notes_cmd *c, const char *doing, enum notes_access access, struct err *err)
{
	int rc = 0;

	if (!starts_with(c->ref, NOTES_PREFIX))
		return err_set(err, ERR_INVALID, "refusing to %s notes in %s (outside of " NOTES_PREFIX ")", doing, c->ref);
	if (access == NOTES_WRITABLE) {
		c->op = repo_operation_begin(c->r);
		rc = repo_operation_open_objects(c->op, err);
	}
	return rc ? rc : notes_ref_open(&c->notes, c->r, c->ref, access, err);
}

struct object_id notes_cmd_object(struct notes_cmd *c, const char *name)
{
	struct object_id oid;

	if (revparse_oid(c->r, name, &oid, NULL) < 0)
		die("failed to resolve '%s' as a valid ref.", name);
	return oid;
}

void notes_cmd_check_args(int argc, int max, const char *const *usage_text, const struct option *opts)
{
	if (argc <= max)
		return;
	error("too many arguments");
	usage_with_options(usage_text, opts);
}

int notes_cmd_idents(struct notes_cmd *c, struct strbuf *author, struct strbuf *committer, struct err *err)
{
	int rc = repo_ident(c->r, author, IDENT_AUTHOR | IDENT_STRICT, err);

	return rc ? rc : repo_ident(c->r, committer, IDENT_COMMITTER | IDENT_STRICT, err);
}

static int queue_change(struct notes_cmd *c, const char *verb, const char *by, struct err *err)
{
	struct strbuf author = STRBUF_INIT, committer = STRBUF_INIT;
	char *reflog = xstrfmt("Notes %s by 'git notes %s'", verb, by), *message = xstrfmt("%s\n", reflog);
	struct notes_words words = { .message = message, .reflog = reflog };
	struct ref_transaction *t = NULL;
	int rc = notes_cmd_idents(c, &author, &committer, err);

	if (!rc)
		rc = repo_operation_begin_refs(c->op, 0, &t, err);
	words.author = author.buf;
	words.committer = committer.buf;
	if (!rc)
		rc = notes_ref_queue(&c->notes, c->op, t, &words, err);
	if (!rc && (rc = repo_operation_prepare(c->op, err)) < 0 && (rc == ERR_CONFLICT || rc == ERR_LOCKED))
		err_prefix(err, "update_ref failed for ref '%s'", c->ref);
	strbuf_release(&committer);
	strbuf_release(&author);
	free(message);
	free(reflog);
	return rc;
}

int notes_cmd_end(struct notes_cmd *c, int rc, const char *verb, const char *by, struct err *err)
{
	if (!rc && c->notes.changed)
		rc = queue_change(c, verb, by, err);
	if (c->op && !rc && !c->notes.changed)
		repo_operation_abort(c->op);
	if (c->op)
		rc = repo_operation_end(c->op, rc, err);
	c->op = NULL;
	return rc < 0 ? report_fatal(err) : 0;
}

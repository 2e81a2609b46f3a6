/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All checks have passed and the locks of all refs are held: write, and hand everything to the
 * batch. Single refs go by a rename of their file, several under a record (journal.c), by one
 * rename of packed-refs (update-packed.c), or both where they have loose files. Classes give the order
 * of publication (D4, D5): reflogs, the record, then refs that
 * get a value, symbolic refs after their targets, then deletions: of symbolic refs before their
 * targets, and of packed-refs before loose files, since one that goes before it
 * would bring an old value back to light.
 */
#include "compat/posix.h"
#include "fs/file.h"
#include "refs/files/files-internal.h"
#include "refs/files/journal-internal.h"
#include "refs/files/loose-internal.h"
#include "refs/files/reflog-internal.h"
#include "refs/files/update-internal.h"
#include "util/alloc.h"
#include "write-or-die.h"

/* ---- reflogs ---- */

/* Neighbours share what has been looked at: a directory that is not there has no logs. */
static bool has_log(struct ref_transaction *t, const char *name)
{
	struct files_transaction *ft = files_transaction(t);
	struct strbuf path = STRBUF_INIT;
	bool exists;

	if (ft->unlogged && refnames_are_neighbours(ft->unlogged, name))
		return false;
	reflog_path(t->rs, name, &path);
	exists = file_exists(path.buf);
	if (!exists) {
		strbuf_setlen(&path, (size_t)(strrchr(path.buf, '/') - path.buf));
		if (!file_exists(path.buf))
			ft->unlogged = name;
	}
	strbuf_release(&path);
	return exists;
}

static int stage_lines(struct ref_transaction *t, struct ref_update *u, const struct strbuf *lines, struct err *err)
{
	bool create = u->flags & REF_FORCE_REFLOG || reflog_is_wanted(t->rs, u->name);
	int rc;

	if (!create && !has_log(t, u->name))
		return 0;
	if (!t->ident)
		return err_set(err, ERR_INVALID, "the change has no author");
	rc = reflog_stage_lines(t->rs, u->name, create, lines, t->batch, err);
	if (rc < 0)
		err_prefix(err, "cannot update the reflog of '%s'", u->name);
	return rc;
}

/* HEAD gets another target: what happens to the old one. A branch that keeps its name in a rename goes and comes back. */
static void add_first_line(const struct ref_transaction *t, struct ref_update *head, struct strbuf *out)
{
	const struct ref_update *u = head->log_first;
	const struct object_id *new_oid = u->log_from ? &t->rs->algo->null_oid : &u->new_oid;

	head->flags |= u->flags & REF_FORCE_REFLOG;
	reflog_format_entry(out, &u->value, new_oid, t->ident, u->msg);
}

/* ref_transaction_add_log_step. *at: the value, which becomes that after the last step. */
static void add_steps(const struct ref_transaction *t, const struct ref_update *u, struct object_id *at,
		      struct strbuf *out)
{
	for (size_t i = 0; i < u->root->nr_log_steps; i++) {
		const struct ref_log_step *step = &u->root->log_steps[i];

		reflog_format_entry(out, at, &step->oid, t->ident, step->msg);
		*at = step->oid;
	}
}

static void add_lines(struct ref_transaction *t, struct ref_update *u, struct strbuf *out)
{
	struct object_id old_oid, new_oid;
	const bool steps = u->root->nr_log_steps;

	if (u->log_first && !steps) /* else the steps tell it */
		add_first_line(t, u, out);
	if (!ref_update_logs(t, u, &old_oid, &new_oid))
		return;
	if (u->log_first && steps)
		old_oid = u->log_first->value;
	add_steps(t, u, &old_oid, out);
	reflog_format_entry(out, &old_oid, &new_oid, t->ident, u->msg);
}

/* Lines for a new value, or the log of another ref. */
static int stage_log(struct ref_transaction *t, struct ref_update *u, struct err *err)
{
	struct strbuf lines = STRBUF_INIT;
	struct object_id old_oid, new_oid;
	int rc = 0;

	if (u->log_from)
		return reflog_stage_renamed(t->rs, u->log_from, u->name, &u->new_oid, t->ident,
					    u->msg, t->batch, err);
	if (!u->log_first && !ref_update_logs(t, u, &old_oid, &new_oid))
		return 0;
	add_lines(t, u, &lines);
	if (lines.len)
		rc = stage_lines(t, u, &lines, err);
	strbuf_release(&lines);
	return rc;
}

/* ---- values ---- */

static int stage_value(struct ref_transaction *t, struct ref_update *u, struct err *err)
{
	int rc = value_write(t, u, err);

	if (rc < 0) {
		err_prefix(err, "cannot update ref '%s'", ref_update_display_name(u));
		return rc;
	}
	return lockfile_stage(&files_update(u)->lock, t->batch, FSYNC_REFERENCE, PUBLISH_REF, err);
}

/* A value that is in packed-refs by then, or a deletion: the loose file goes. */
static int stage_loose_removal(struct ref_transaction *t, const struct ref_update *u,
			       struct err *err)
{
	const struct files_update *f = files_update(u);
	enum publish_class order = f->current.kind == LOOSE_SYMREF ? PUBLISH_SYMREF_DELETE :
								     PUBLISH_REF_DELETE;
	struct strbuf path = STRBUF_INIT;
	int rc;

	if (!f->in_loose)
		return 0;
	ref_path(t->rs, u->name, &path);
	rc = ref_file_stage_removal(path.buf, order, t->batch, err);
	strbuf_release(&path);
	return rc;
}

static bool writes_symref(const struct ref_update *u)
{
	return !u->root->rc && u->flags & UPDATE_WRITES && u->flags & UPDATE_HAVE_TARGET;
}

/* D5: what it leads to comes first, if that is a symbolic ref which changes as well. */
static int stage_symref(struct ref_transaction *t, struct ref_update *u, int depth,
			struct err *err)
{
	const struct lockfile *lk = &files_update(u)->lock;
	struct ref_update *target;
	int rc = 0;

	if (!writes_symref(u) || !lockfile_is_held(lk)) /* staged already */
		return 0;
	target = strmap_get(&t->by_name, u->new_target);
	if (target && depth < SYMREF_MAX_DEPTH)
		rc = stage_symref(t, target, depth + 1, err);
	return rc || !lockfile_is_held(lk) ? rc : stage_value(t, u, err);
}

/* ---- deletions ---- */

static int stage_deletion(struct ref_transaction *t, struct ref_update *u, struct err *err)
{
	int rc = stage_loose_removal(t, u, err);

	return rc ? rc : reflog_stage_removal(t->rs, u->name, PUBLISH_REF_DELETE, t->batch, err);
}

/* ---- all ---- */

enum pass { PASS_LOGS, PASS_VALUES, PASS_SYMREFS, PASS_DELETIONS, PASS_NR };

static int stage_update(struct ref_transaction *t, struct ref_update *u, enum pass pass,
			struct err *err)
{
	const bool via_packed = files_transaction(t)->via_packed;

	switch (pass) {
	case PASS_LOGS:
		return stage_log(t, u, err);
	case PASS_VALUES:
		if (!(u->flags & UPDATE_WRITES) || u->flags & UPDATE_HAVE_TARGET)
			return 0;
		return via_packed ? stage_loose_removal(t, u, err) : stage_value(t, u, err);
	case PASS_SYMREFS:
		return via_packed ? 0 : stage_symref(t, u, 0, err);
	default:
		return u->flags & UPDATE_DELETES ? stage_deletion(t, u, err) : 0;
	}
}

/* One rename is one moment; more than that can be cut in between. */
static bool needs_record(const struct ref_transaction *t)
{
	bool found = !files_transaction(t)->via_packed;

	for (size_t i = 0; !found && i < t->nr; i++) {
		const struct ref_update *u = t->updates[i];

		found = !u->root->rc && u->flags & (UPDATE_WRITES | UPDATE_DELETES) &&
			files_update(u)->in_loose;
	}
	return found && !(t->flags & REF_TRANSACTION_RECOVERS);
}

int transaction_stage(struct ref_transaction *t, struct err *err)
{
	int rc = 0;

	for (enum pass pass = PASS_LOGS; !rc && pass < PASS_NR; pass++)
		for (size_t i = 0; !rc && i < t->nr; i++)
			if (!t->updates[i]->root->rc)
				rc = stage_update(t, t->updates[i], pass, err);
	if (!rc && needs_record(t))
		rc = journal_stage(t, err);
	return rc ? rc : update_stage_packed(t, err);
}

/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "porcelain/autostash.h"
#include "porcelain/stash-apply.h"
#include "porcelain/stash-save.h"

#define STASH_IS_SAFE \
	"Your changes are safe in the stash.\n" \
	"You can run \"git stash pop\" or \"git stash drop\" at any time.\n"

const char *autostash_text(enum autostash_outcome outcome)
{
	static const char *const texts[] = {
		[AUTOSTASH_NONE] = NULL,
		[AUTOSTASH_APPLIED] = "Applied autostash.\n",
		[AUTOSTASH_CONFLICT] = "Your local changes are stashed, however applying them\n"
				       "resulted in conflicts.  You can either resolve the conflicts\n"
				       "and then discard the stash with \"git stash drop\", or, if you\n"
				       "do not want to resolve them now, run \"git reset --hard\" and\n"
				       "apply the local changes later by running \"git stash pop\".\n",
		[AUTOSTASH_STORED] = "Autostash exists; creating a new stash entry.\n" STASH_IS_SAFE,
	};

	return texts[outcome];
}

static int queue_stored(struct repo_operation *op, const struct object_id *stash, struct err *err)
{
	struct ref_transaction *t = repo_operation_refs(op);
	int rc = t ? 0 : repo_operation_begin_refs(op, 0, &t, err);

	return rc ? rc : stash_queue_entry(t, stash, "autostash", err);
}

/* ---- create ---- */

static int seal_stash(struct stash_save *s, enum repo_state_file f, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	struct object_id left;
	int rc = repo_state_oid(s->r, f, &left) ? queue_stored(s->op, &left, err) : 0;

	strbuf_addf(&text, "%s\n", oid_hex(&s->stash));
	if (!rc)
		rc = repo_operation_write_state(s->op, f, text.buf, text.len, err);
	strbuf_release(&text);
	return rc ? rc : repo_operation_commit(s->op, err);
}

static int create_and_clear(struct stash_save *s, enum repo_state_file f, struct err *err)
{
	int rc = stash_save_create(s, err);

	if (!rc)
		rc = seal_stash(s, f, err);
	if (!rc)
		rc = stash_save_clear(s, err);
	return rc ? rc : repo_operation_publish(s->op, err);
}

int autostash_create(struct repo_operation *op, enum repo_state_file f, struct object_id *stash, struct err *err)
{
	struct stash_save s = { .message = "autostash" };
	int rc = stash_save_begin(&s, op, err);

	s.stash = repo_operation_repository(op)->algo->null_oid;
	if (!rc && s.has_changes)
		rc = create_and_clear(&s, f, err);
	lockfile_release(repo_operation_index_lock(op));
	if (!rc)
		*stash = s.stash;
	stash_save_release(&s);
	return rc;
}

/* ---- apply, store ---- */

/* 0: none. */
static int read_autostash(struct repository *r, enum repo_state_file f, struct stash *out, struct err *err)
{
	struct object_id oid;
	int rc;

	if (!repo_state_oid(r, f, &oid))
		return 0;
	rc = stash_read(r, &oid, out, err);
	return rc ? rc : 1;
}

static int apply_stash_of(struct repo_operation *op, const struct stash *s, enum autostash_outcome *outcome, struct err *err)
{
	struct stash_apply a = { .stash = s };
	struct err own = ERR_INIT;
	int rc = config_get_bool(repo_operation_repository(op)->config, "stash.index", &a.index, err);

	if (rc < 0)
		return rc;
	rc = stash_apply_run(&a, op, &own);
	*outcome = !rc && stash_apply_is_clean(&a) ? AUTOSTASH_APPLIED : AUTOSTASH_CONFLICT;
	if (!rc)
		rc = stash_apply_keep_files(&a, &own);
	if (!rc) /* the index is that of `a` */
		rc = repo_operation_publish(op, &own);
	if (rc == ERR_CONFLICT) /* nothing has changed */
		rc = 0;
	else if (rc)
		err_move(err, &own);
	err_release(&own);
	lockfile_release(repo_operation_index_lock(op));
	stash_apply_release(&a);
	return rc;
}

int autostash_apply(struct repo_operation *op, enum repo_state_file f, enum autostash_outcome *outcome, struct err *err)
{
	struct stash s;
	int rc = read_autostash(repo_operation_repository(op), f, &s, err);

	*outcome = AUTOSTASH_NONE;
	if (rc <= 0)
		return rc;
	rc = apply_stash_of(op, &s, outcome, err);
	if (!rc && *outcome == AUTOSTASH_CONFLICT)
		rc = queue_stored(op, &s.commit, err);
	if (!rc)
		rc = repo_operation_remove_state(op, f, err);
	stash_release(&s);
	return rc;
}

int autostash_store(struct repo_operation *op, enum repo_state_file f, enum autostash_outcome *outcome, struct err *err)
{
	struct object_id oid;
	int rc;

	*outcome = AUTOSTASH_NONE;
	if (!repo_state_oid(repo_operation_repository(op), f, &oid))
		return 0;
	rc = queue_stored(op, &oid, err);
	if (!rc)
		rc = repo_operation_remove_state(op, f, err);
	if (!rc)
		*outcome = AUTOSTASH_STORED;
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A branch gets another name, or a copy under one. The new ref with its log, every HEAD
 * that names the old one, the removal of that, and the section of the configuration
 * are one batch: one flush. The refs are one transaction, HEADs included: a crash in between
 * leaves the old name, or the new one (P6).
 */
#include "compat/posix.h"
#include "builtin/branch/branch.h"
#include "repo/state.h"
#include "util/alloc.h"
#include "util/path.h"

struct move {
	struct repository *repo;
	struct repo_operation *op;
	bool copy;
	struct strbuf from, to; /* refs/heads/… */
	bool exists;		/* `from`: it may be unborn */
	struct object_id oid;
	char *msg;
	struct worktree *worktrees;
};

/* ---- may it be done? ---- */

/* A rebase or bisection would lose the branch that it came from. */
static void refuse_busy_branch(const struct move *m)
{
	for (const struct worktree *wt = m->worktrees; wt; wt = wt->next) {
		struct worktree one = *wt;

		one.next = NULL;
		if (wt->head || !worktrees_find_branch(&one, m->from.buf))
			continue;
		if (repo_state_exists_in(wt->gitdir, STATE_REBASE_MERGE) ||
		    repo_state_exists_in(wt->gitdir, STATE_REBASE_APPLY))
			die("branch %s is being rebased at %s", m->from.buf, wt->path);
		die("branch %s is being bisected at %s", m->from.buf, wt->path);
	}
}

/* True: the name is a bad one, but there is such a branch to be helped out of it. */
static bool check_old_name(struct move *m, const char *name, bool is_current)
{
	struct err err = ERR_INIT;
	struct strbuf advice = STRBUF_INIT;
	bool valid;

	if (branch_full_name(m->repo, name, &m->from, &valid, &err) < 0)
		die_err(&err);
	if (!valid && !ref_exists(m->repo->refs, m->from.buf)) {
		err_set(&err, ERR_INVALID, "invalid branch name: '%s'", name);
		branch_advise_syntax(m->repo, &advice);
		die_advised(&err, &advice);
	}
	m->exists = ref_exists(m->repo->refs, m->from.buf);
	if ((m->copy || !is_current) && !m->exists) {
		if (is_current)
			die("no commit on branch '%s' yet", name);
		die("no branch named '%s'", name);
	}
	return !valid;
}

static void read_old_value(struct move *m)
{
	const char *verb = m->copy ? "copy" : "renam";
	struct err err = ERR_INIT;
	char *target = NULL;

	if (!m->exists)
		return;
	if (ref_read_raw(m->repo->refs, m->from.buf, &m->oid, &target, &err) < 0)
		die_err(&err);
	if (!target)
		return;
	error("refname %s is a symbolic ref, %sing it is not supported", m->from.buf, verb);
	die(m->copy ? "branch copy failed" : "branch rename failed");
}

/* ---- how it is done ---- */

/* One step: the branch `from` gets the name `to`. */
struct step {
	struct move *m;
	const char *from, *to;
	bool last; /* the logs name this one */
};

static unsigned log_flags(const struct step *s)
{
	return s->last ? 0 : REF_SKIP_REFLOG;
}

static int queue_new(const struct step *s, struct ref_transaction *t, struct err *err)
{
	struct move *m = s->m;
	struct repository *r = m->repo;
	struct object_id old;
	char *target = NULL;
	int rc = ref_read_raw(r->refs, s->to, &old, &target, NULL);

	if (rc < 0)
		old = r->algo->null_oid;
	rc = ref_transaction_update(t, s->to, &m->oid, target ? NULL : &old,
				    REF_NO_DEREF | REF_SKIP_REFLOG, s->last ? m->msg : NULL, err);
	if (!rc)
		ref_transaction_inherit_log(t, s->from);
	free(target);
	return rc;
}

/* By way of another symbolic ref, perhaps. */
static bool leads_to(const struct move *m, const char *target, const char *branch)
{
	struct object_id oid;
	char *final = NULL;
	int rc = ref_resolve(m->repo->refs, target, &oid, &final, NULL, NULL);
	bool yes = (!rc || rc == ERR_NOT_FOUND) && !strcmp(final, branch);

	free(final);
	return yes;
}

static int queue_head(const struct step *s, const char *head, struct ref_transaction *t,
		      struct err *err)
{
	char *target = NULL;
	struct object_id oid;
	int rc = ref_read_raw(s->m->repo->refs, head, &oid, &target, err);

	/* It may have gone elsewhere meanwhile. */
	if (!rc && target && leads_to(s->m, target, s->from))
		rc = ref_transaction_update_symref(t, head, s->to, target,
						   REF_NO_DEREF | REF_LOG_AFTER_OTHERS | log_flags(s),
						   s->m->msg, err);
	free(target);
	return rc;
}

/* Every HEAD that leads to the branch: ours, and those of other worktrees. */
static int queue_heads(const struct step *s, struct ref_transaction *t, struct err *err)
{
	struct move *m = s->m;
	int rc = 0;

	for (const struct worktree *wt = m->worktrees; !rc && wt; wt = wt->next) {
		char *head;

		if (!wt->head || strcmp(wt->head, m->from.buf))
			continue;
		head = wt->is_current ? xstrdup("HEAD") :
		       wt->id	      ? xstrfmt("worktrees/%s/HEAD", wt->id) :
					xstrdup("main-worktree/HEAD");
		rc = queue_head(s, head, t, err);
		free(head);
	}
	return rc;
}

/* D5: what gets a value first, then what goes. */
static int queue_refs(const struct step *s, struct ref_transaction *t, struct err *err)
{
	struct move *m = s->m;
	int rc = m->exists ? queue_new(s, t, err) : 0;

	if (!rc && !m->copy)
		rc = queue_heads(s, t, err);
	if (!rc && !m->copy && m->exists)
		rc = ref_transaction_update(t, s->from, &m->repo->algo->null_oid, &m->oid,
					    REF_NO_DEREF | log_flags(s), m->msg, err);
	return rc;
}

/* The name stays: there are only the logs to tell. */
static int queue_nothing(const struct step *s, struct ref_transaction *t, struct err *err)
{
	struct move *m = s->m;
	int rc = 0;

	if (m->exists)
		rc = ref_transaction_update(t, s->from, &m->oid, &m->oid, REF_NO_DEREF, m->msg, err);
	if (!rc && m->exists)
		ref_transaction_inherit_log(t, s->from);
	if (!rc && !m->copy)
		rc = queue_heads(s, t, err);
	return rc;
}

static int branch_move_stage_config(struct move *m, struct err *err)
{
	char *path = xstrfmt("%s/config", m->repo->commondir);
	char *old = xstrfmt("branch.%s", m->from.buf + strlen("refs/heads/"));
	char *new = xstrfmt("branch.%s", m->to.buf + strlen("refs/heads/"));
	struct config_section_edit e = { old, new, m->copy };
	/*
	 * A copy comes before the branch that it is for. A renamed section waits until the
	 * refs have moved: settings without a branch do no harm, and the old
	 * name is found again by hand where a crash left it.
	 */
	int rc = config_file_edit_sections(path, &e, 1,
					   m->copy ? PUBLISH_FILE : PUBLISH_FILE_LATE,
					   repo_operation_batch(m->op), err);

	free(new);
	free(old);
	free(path);
	return rc;
}

static int stage(const struct step *s, struct err *err)
{
	bool same = !strcmp(s->from, s->to);
	struct ref_transaction *t = NULL;
	int rc = repo_operation_begin_refs(s->m->op, 0, &t, err);

	if (!rc)
		rc = same ? queue_nothing(s, t, err) : queue_refs(s, t, err);
	if (!rc && s->last && !same)
		rc = branch_move_stage_config(s->m, err);
	return rc;
}

/* All of it, or up to where others can see it but nothing is sealed. */
static int run_step(const struct step *s, struct err *err)
{
	int rc = stage(s, err);

	if (rc)
		repo_operation_abort(s->m->op);
	else
		rc = s->last ? repo_operation_commit(s->m->op, err) :
			       repo_operation_publish(s->m->op, err);
	return rc;
}

static int find_other(void *data, const struct ref *ref)
{
	const struct move *m = data;

	if (!strcmp(ref->name, m->from.buf))
		return 0;
	error("'%s' exists; cannot create '%s'", ref->name, m->to.buf);
	return 1;
}

/* If `from` is not the only one in the directory, no third name helps. */
static int check_detour(struct move *m, struct err *err)
{
	char *dir = xstrfmt("%s/", m->to.buf);
	int rc = refs_foreach(m->repo->refs, dir, REFS_NO_PEEL, find_other, m, err);

	free(dir);
	return rc > 0 ? err_set(err, ERR_CONFLICT, "branch rename failed") : rc;
}

/*
 * Renames by way of a third name, sealed with one flush. After a stop in between, the branch, with HEAD
 * and its log, has the third name.
 */
static int run_detour(struct move *m, struct err *err)
{
	char *way = xstrfmt("refs/heads/renaming-%ld", (long)getpid());
	struct step there = { m, m->from.buf, way, false };
	struct step here = { m, way, m->to.buf, true };
	struct step back = { m, way, m->from.buf, false };
	int rc = check_detour(m, err);

	if (!rc)
		rc = run_step(&there, err);
	if (!rc && (rc = run_step(&here, err)) < 0 && run_step(&back, NULL) < 0)
		warning("the branch '%s' is called '%s' now", m->from.buf, way);
	free(way);
	return rc;
}

static int branch_move_run(struct move *m, struct err *err)
{
	struct step s = { m, m->from.buf, m->to.buf, true };

	if (m->exists && !m->copy && paths_nest(m->from.buf, m->to.buf))
		return run_detour(m, err);
	return run_step(&s, err);
}

static void move_release(struct move *m)
{
	strbuf_release(&m->from);
	strbuf_release(&m->to);
	free(m->msg);
	worktrees_free(m->worktrees);
}

/* Another name must be free, the same one is. */
static void check_new_name(struct move *m, const char *to, bool force)
{
	struct strbuf advice = STRBUF_INIT;
	struct err err = ERR_INIT;
	bool exists;

	if (branch_check_name(m->repo, to, &m->to, &exists, &advice, &err) < 0)
		die_advised(&err, &advice);
	if (!strcmp(m->from.buf, m->to.buf))
		return;
	strbuf_reset(&m->to);
	if (branch_check_new_name(m->repo, to, force, &m->to, &exists, &advice, &err) < 0)
		die_advised(&err, &advice);
}

int branch_move(struct repository *r, const char *from, const char *to, bool copy, bool force)
{
	struct move m = { .repo = r, .copy = copy, .from = STRBUF_INIT, .to = STRBUF_INIT };
	char *current = current_branch_or_die(r);
	struct err err = ERR_INIT;
	bool misnamed;
	int rc;

	misnamed = check_old_name(&m, from ? from : current, !from || !strcmp(from, current));
	check_new_name(&m, to, force);
	m.worktrees = worktrees_or_die(r);
	refuse_busy_branch(&m);
	read_old_value(&m);
	m.msg = xstrfmt("Branch: %s %s to %s", copy ? "copied" : "renamed", m.from.buf, m.to.buf);
	m.op = repo_operation_begin(r);
	rc = branch_move_run(&m, &err);
	repo_operation_free(m.op);
	if (!rc && misnamed)
		warning(copy ? "created a copy of a misnamed branch '%s'" :
			       "renamed a misnamed branch '%s' away",
			m.from.buf + strlen("refs/heads/"));
	move_release(&m);
	free(current);
	return rc < 0 ? report_fatal(&err) : 0;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Branches are deleted together: one transaction for their refs and logs, one edit for
 * what the configuration knew of them, one flush.
 */
#include "compat/posix.h"
#include "builtin/branch/branch.h"
#include "util/alloc.h"
#include "util/map.h"
#include "history/history.h"
#include "history/names/revparse.h"

struct deletion {
	struct repository *repo;
	bool force, remotes;
	struct worktree *worktrees;
	struct commit_pool *pool;
	struct commit *head; /* NULL: unborn, or force */
	struct string_list branches; /* refs as they were named, util: struct doomed */
	struct strset seen;
	int code;
};

struct doomed {
	char *name; /* as messages show it */
	char *was;
	struct object_id oid;
	bool broken, symref;
};

static void doomed_free(void *p)
{
	struct doomed *d = p;

	free(d->name);
	free(d->was);
	free(d);
}

/* ---- is its work kept elsewhere? ---- */

static struct commit *find_commit(struct deletion *d, const struct object_id *oid)
{
	struct object_id commit;

	if (object_peel(odb_source(d->repo->odb), oid, OBJ_COMMIT, &commit, NULL, NULL) < 0)
		return NULL;
	return commit_lookup(d->pool, &commit);
}

/* Where it should have been merged to: its upstream, else HEAD. */
static struct commit *find_reference(struct deletion *d, const char *name, char **upstream)
{
	struct object_id oid;
	struct commit *c = NULL;

	*upstream = NULL;
	if (!d->remotes && !branch_upstream(d->repo, name, upstream, NULL) &&
	    !ref_resolve(d->repo->refs, *upstream, &oid, NULL, NULL, NULL))
		c = find_commit(d, &oid);
	if (!c)
		FREE_AND_NULL(*upstream);
	return c ? c : d->head;
}

static bool reaches(struct deletion *d, struct commit *old, struct commit *young)
{
	struct err err = ERR_INIT;
	int rc = young ? is_ancestor(d->pool, old, young, &err) : 0;

	if (rc < 0)
		die_err(&err);
	return rc > 0;
}

static bool is_merged(struct deletion *d, const char *name, struct commit *tip)
{
	char *upstream = NULL;
	struct commit *reference = find_reference(d, name, &upstream);
	bool merged = reaches(d, tip, reference), in_head;

	if (reference != d->head) {
		in_head = reaches(d, tip, d->head);
		if (merged && !in_head)
			warning("deleting branch '%s' that has been merged to\n"
				"         '%s', but not yet merged to HEAD.", name, upstream);
		else if (!merged && in_head)
			warning("not deleting branch '%s' that is not yet merged to\n"
				"         '%s', even though it is merged to HEAD.", name, upstream);
	}
	free(upstream);
	return merged;
}

static bool is_deletable(struct deletion *d, const char *ref, const char *name,
			 const struct object_id *oid)
{
	struct commit *tip;

	if (d->force)
		return true;
	tip = find_commit(d, oid);
	if (!tip) {
		error("couldn't look up commit object for '%s'", ref);
		return false;
	}
	if (is_merged(d, name, tip))
		return true;
	error("the branch '%s' is not fully merged", name);
	advise_if_enabled(d->repo, "forceDeleteBranch", "If you are sure you want to delete it, "
			  "run 'git branch -D %s'", name);
	return false;
}

/* ---- which are meant ---- */

static bool is_checked_out(struct deletion *d, const char *ref, const char *name)
{
	const struct worktree *wt = NULL;

	if (!d->remotes)
		wt = worktrees_find_branch(d->worktrees, ref);
	if (wt)
		error("cannot delete branch '%s' used by worktree at '%s'", name, wt->path);
	return wt != NULL;
}

static struct doomed *describe(struct deletion *d, const char *name, char *target,
			       const struct object_id *oid)
{
	struct doomed *x = xcalloc(1, sizeof(*x));
	struct strbuf was = STRBUF_INIT;

	x->name = xstrdup(name);
	x->oid = *oid;
	x->symref = target != NULL;
	x->broken = !target && oid_is_null(oid);
	if (target)
		strbuf_addstr(&was, target);
	else if (x->broken)
		strbuf_addstr(&was, "broken");
	else
		odb_abbrev(d->repo->odb, oid, d->repo->settings.abbrev, &was);
	x->was = strbuf_detach(&was, NULL);
	return x;
}

static bool consider_ref(struct deletion *d, const char *ref, const char *name)
{
	struct object_id oid = d->repo->algo->null_oid;
	char *target = NULL;
	bool goes;

	if (is_checked_out(d, ref, name))
		return false;
	if (ref_read_raw(d->repo->refs, ref, &oid, &target, NULL) < 0) {
		error(d->remotes ? "remote-tracking branch '%s' not found" :
				   "branch '%s' not found", name);
		return false;
	}
	if (!refname_is_valid(ref, 0)) /* no command takes its value for a commit */
		oid = d->repo->algo->null_oid;
	goes = target || oid_is_null(&oid) || is_deletable(d, ref, name, &oid);
	if (goes && strset_add(&d->seen, ref))
		string_list_append(&d->branches, ref)->util = describe(d, name, target, &oid);
	free(target);
	return goes;
}

static void consider(struct deletion *d, const char *arg)
{
	struct strbuf name = STRBUF_INIT;
	char *ref;

	short_name_or_die(d->repo, arg, d->remotes, &name);
	ref = xstrfmt(d->remotes ? "refs/remotes/%s" : "refs/heads/%s", name.buf);
	if (!consider_ref(d, ref, name.buf))
		d->code = 1;
	free(ref);
	strbuf_release(&name);
}

/* ---- all of them ---- */

static int branch_delete_stage_config(struct deletion *d, struct repo_operation *op,
				      struct err *err)
{
	char *path = xstrfmt("%s/config", d->repo->commondir);
	struct config_section_edit *e = xcalloc(d->branches.nr, sizeof(*e));
	int rc;

	for (size_t i = 0; i < d->branches.nr; i++)
		e[i].old_name = xstrfmt("branch.%s",
					((struct doomed *)d->branches.items[i].util)->name);
	/* after the refs: a branch that a crash spares keeps its upstream */
	rc = config_file_edit_sections(path, e, d->branches.nr, PUBLISH_FILE_LATE,
				       repo_operation_batch(op), err);
	for (size_t i = 0; i < d->branches.nr; i++)
		free((char *)e[i].old_name);
	free(e);
	free(path);
	return rc;
}

static int queue_all(struct deletion *d, struct ref_transaction *t, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < d->branches.nr; i++) {
		const struct doomed *x = d->branches.items[i].util;

		rc = ref_transaction_update(t, d->branches.items[i].string,
					    &d->repo->algo->null_oid,
					    x->broken || x->symref ? NULL : &x->oid,
					    REF_NO_DEREF, NULL, err);
	}
	return rc;
}

static int branch_delete_run(struct deletion *d, struct err *err)
{
	struct repo_operation *op = repo_operation_begin(d->repo);
	struct ref_transaction *t = NULL;
	int rc = repo_operation_begin_refs(op, 0, &t, err);

	if (!rc)
		rc = queue_all(d, t, err);
	if (!rc && !d->remotes)
		rc = branch_delete_stage_config(d, op, err);
	return repo_operation_end(op, rc, err);
}

static void prepare(struct deletion *d)
{
	struct err err = ERR_INIT;
	struct object_id head;

	if (commit_pool_new(&d->pool, d->repo, &err) < 0)
		die_err(&err);
	free(current_branch_or_die(d->repo)); /* a HEAD that is broken ends it here */
	d->worktrees = worktrees_or_die(d->repo);
	if (!d->force && !ref_resolve(d->repo->refs, "HEAD", &head, NULL, NULL, NULL))
		d->head = find_commit(d, &head);
}

static void report_deletion(const struct deletion *d)
{
	for (size_t i = 0; i < d->branches.nr; i++) {
		const struct doomed *x = d->branches.items[i].util;

		printf("Deleted %s %s (was %s).\n",
		       d->remotes ? "remote-tracking branch" : "branch", x->name, x->was);
	}
}

int branch_delete(struct repository *r, int argc, const char **argv, bool force, bool remotes,
		  bool quiet)
{
	struct deletion d = { .repo = r, .force = force || remotes, .remotes = remotes };
	struct err err = ERR_INIT;
	int rc = 0;

	prepare(&d);
	for (int i = 0; i < argc; i++)
		consider(&d, argv[i]);
	if (d.branches.nr)
		rc = branch_delete_run(&d, &err);
	if (!rc && !quiet)
		report_deletion(&d);
	string_list_clear(&d.branches, doomed_free);
	strset_clear(&d.seen);
	commit_pool_free(d.pool);
	worktrees_free(d.worktrees);
	return rc < 0 ? report_error(&err) : d.code;
}

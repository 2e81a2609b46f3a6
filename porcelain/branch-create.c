/* SPDX-License-Identifier: GPL-2.0-only */
/* New branches: their names, where they start. */
#include "compat/posix.h"
#include "porcelain/branch.h"
#include "util/alloc.h"
#include "history/history.h"
#include "history/names/revparse.h"

/* ---- names ---- */

int branch_current(struct repository *r, char **out, struct err *err)
{
	struct object_id oid;
	const char *name;
	char *head = NULL;
	int rc = ref_resolve(r->refs, "HEAD", &oid, &head, NULL, NULL);

	if (rc == ERR_CORRUPT && ref_holds_zeros(r->refs, "HEAD"))
		head = xstrdup("HEAD");
	else if (rc < 0 && (rc != ERR_NOT_FOUND || !head))
		return err_set(err, rc, "failed to resolve HEAD as a valid ref");
	rc = 0;
	if (!strcmp(head, "HEAD"))
		*out = xstrdup(head);
	else if (skip_prefix(head, "refs/heads/", &name))
		*out = xstrdup(name);
	else
		rc = err_set(err, ERR_INVALID, "HEAD not found below refs/heads!");
	free(head);
	return rc;
}

int branch_short_name(struct repository *r, const char *name, bool remote,
		      struct strbuf *out, struct err *err)
{
	struct strbuf expanded = STRBUF_INIT;
	const char *rest;
	int rc = revparse_branch_name(r, name, strlen(name), &expanded, err);

	if (rc < 0) {
		strbuf_release(&expanded);
		return rc;
	}
	if (!rc || !strcmp(name, "@"))
		strbuf_addstr(out, name);
	else if (skip_prefix(expanded.buf, remote ? "refs/remotes/" : "refs/heads/", &rest))
		strbuf_addstr(out, rest);
	else if (remote || starts_with(expanded.buf, "refs/"))
		strbuf_addstr(out, name);
	else
		strbuf_addbuf(out, &expanded);
	strbuf_release(&expanded);
	return 0;
}

int branch_full_name(struct repository *r, const char *name, struct strbuf *ref, bool *valid,
		     struct err *err)
{
	int rc;

	strbuf_addstr(ref, "refs/heads/");
	rc = branch_short_name(r, name, false, ref, err);
	*valid = *name != '-' && strcmp(ref->buf, "refs/heads/HEAD") &&
		 refname_is_valid(ref->buf, 0);
	return rc;
}

void branch_advise_syntax(struct repository *r, struct strbuf *advice)
{
	if (!advice_enabled(r, "refSyntax"))
		return;
	strbuf_addstr(advice, "See 'git help check-ref-format'");
	advice_add_how_to_disable(r, "refSyntax", advice);
}

int branch_check_name(struct repository *r, const char *name, struct strbuf *ref, bool *exists,
		      struct strbuf *advice, struct err *err)
{
	bool valid;
	int rc = branch_full_name(r, name, ref, &valid, err);

	if (rc < 0)
		return rc;
	if (!valid) {
		branch_advise_syntax(r, advice);
		return err_set(err, ERR_INVALID, "'%s' is not a valid branch name", name);
	}
	*exists = ref_exists(r->refs, ref->buf);
	return 0;
}

int branch_is_checked_out(struct repository *r, const char *ref, bool *used, struct err *err)
{
	struct worktree *list = NULL;
	int rc = worktrees_read(&list, r, err);

	if (rc < 0)
		return rc;
	*used = worktrees_find_branch(list, ref) != NULL;
	worktrees_free(list);
	return 0;
}

static int check_not_checked_out(struct repository *r, const char *ref, struct err *err)
{
	struct worktree *list = NULL;
	const struct worktree *wt;
	int rc = worktrees_read(&list, r, err);

	if (rc < 0)
		return rc;
	wt = worktrees_find_branch(list, ref);
	if (wt && !wt->is_bare)
		rc = err_set(err, ERR_CONFLICT,
			     "cannot force update the branch '%s' used by worktree at '%s'",
			     ref + strlen("refs/heads/"), wt->path);
	worktrees_free(list);
	return rc;
}

int branch_check_new_name(struct repository *r, const char *name, bool force,
			  struct strbuf *ref, bool *exists, struct strbuf *advice,
			  struct err *err)
{
	int rc = branch_check_name(r, name, ref, exists, advice, err);

	if (rc < 0 || !*exists)
		return rc;
	if (!force)
		return err_set(err, ERR_CONFLICT, "a branch named '%s' already exists",
			       ref->buf + strlen("refs/heads/"));
	return check_not_checked_out(r, ref->buf, err);
}

/* ---- where it starts ---- */

/* The only merge base of A and B; false: that is not what "A...B" means here. */
static bool find_merge_base(struct repository *r, const char *name, struct object_id *out)
{
	const char *dots = strstr(name, "...");
	struct commit_list bases = COMMIT_LIST_INIT;
	struct commit_pool *pool = NULL;
	struct object_id a, b;
	bool found = false;
	char *left;

	if (!dots)
		return false;
	left = xstrndup(name, dots - name);
	if (!revparse_commit(r, *left ? left : "HEAD", &a, NULL) &&
	    !revparse_commit(r, dots[3] ? dots + 3 : "HEAD", &b, NULL) &&
	    !commit_pool_new(&pool, r, NULL)) {
		struct commit *one = commit_lookup(pool, &a), *other = commit_lookup(pool, &b);

		found = !merge_bases(pool, one, &other, 1, &bases, NULL) && bases.nr == 1;
		if (found)
			*out = bases.items[0]->oid;
	}
	commit_list_clear(&bases);
	commit_pool_free(pool);
	free(left);
	return found;
}

static int missing_upstream(struct repository *r, const char *name, struct strbuf *advice,
			    struct err *err)
{
	if (advice_enabled(r, "setUpstreamFailure")) {
		strbuf_addstr(advice, "\nIf you are planning on basing your work on an upstream\n"
		       "branch that already exists at the remote, you may need to\n"
		       "run \"git fetch\" to retrieve it.\n"
		       "\n"
		       "If you are planning to push out a new local branch that\n"
		       "will track its remote counterpart, you may want to use\n"
		       "\"git push -u\" to set the upstream config as you push.");
		advice_add_how_to_disable(r, "setUpstreamFailure", advice);
	}
	return err_set(err, ERR_NOT_FOUND, "the requested upstream branch '%s' does not exist",
		       name);
}

/* Only what some remote is fetched into, and branches, can be tracked. */
static bool can_be_tracked(struct repository *r, const char *ref)
{
	struct string_list remotes = STRING_LIST_INIT;
	bool yes = starts_with(ref, "refs/heads/");

	if (!yes) {
		remotes_fetching_into(r, ref, &remotes);
		yes = remotes.nr > 0;
		string_list_clear(&remotes, free);
	}
	return yes;
}

static int resolve_start(struct repository *r, const char *name, bool explicit,
			 struct object_id *oid, struct strbuf *advice, struct err *err)
{
	struct revparse_result res = { .path = NULL };
	struct err why = ERR_INIT;
	int rc = 0;

	if (find_merge_base(r, name, oid))
		return 0;
	if (revparse(r, name, OBJ_ANY, &res, &why) < 0) {
		if (why.preface)
			err_set_preface(err, why.preface);
		rc = explicit ? missing_upstream(r, name, advice, err) :
				err_set(err, ERR_NOT_FOUND, "not a valid object name: '%s'", name);
	} else {
		*oid = res.oid;
	}
	err_release(&why);
	revparse_result_release(&res);
	return rc;
}

static int peel_start(struct repository *r, const char *name, struct object_id *oid,
		      struct err *err)
{
	struct object_id commit;
	enum object_type type;
	int rc = object_peel(odb_source(r->odb), oid, OBJ_ANY, &commit, &type, NULL);

	if (rc >= 0 && type != OBJ_COMMIT)
		error("object %s is a %s, not a commit", oid_hex(&commit),
		      object_type_name(type));
	if (rc < 0 || type != OBJ_COMMIT)
		return err_set(err, ERR_INVALID, "not a valid branch point: '%s'", name);
	*oid = commit;
	return 0;
}

int branch_find_start(struct repository *r, const char *name, enum branch_track track,
		      struct branch_start *start, struct strbuf *advice, struct err *err)
{
	bool explicit = track == BRANCH_TRACK_EXPLICIT || track == BRANCH_TRACK_OVERRIDE;
	struct object_id ignored;
	char *ref = NULL;
	int nr, rc;

	rc = resolve_start(r, name, explicit, &start->oid, advice, err);
	if (rc < 0)
		return rc;
	nr = revparse_ref(r, name, strlen(name), &ref, &ignored, NULL);
	if (nr > 1) {
		free(ref);
		return err_set(err, ERR_AMBIGUOUS, "ambiguous object name: '%s'", name);
	}
	if (nr == 1 && !can_be_tracked(r, ref))
		FREE_AND_NULL(ref);
	if (explicit && (nr != 1 || !ref))
		return err_set(err, ERR_INVALID, "cannot set up tracking information; "
			       "starting point '%s' is not a branch", name);
	start->ref = nr == 1 ? ref : NULL;
	return peel_start(r, name, &start->oid, err);
}

/* ---- making it ---- */

static int queue_branch(struct repository *r, struct ref_transaction *t, const char *ref,
			const struct branch_start *start, const char *start_name, bool reset,
			const struct branch_create_options *o, struct err *err)
{
	char *msg = xstrfmt("branch: %s %s", reset ? "Reset to" : "Created from", start_name);
	int rc = ref_transaction_update(t, ref, &start->oid, reset ? NULL : &r->algo->null_oid,
					o->reflog ? REF_FORCE_REFLOG : 0, msg, err);

	free(msg);
	return rc;
}

int branch_create(struct repository *r, const char *name, const char *start_name,
		  const struct branch_create_options *o, struct strbuf *text, struct err *err)
{
	struct strbuf ref = STRBUF_INIT;
	struct branch_start start = { .ref = NULL };
	struct repo_operation *op;
	struct ref_transaction *t = NULL;
	bool reset, queued;
	int rc;

	if ((rc = branch_check_new_name(r, name, o->force, &ref, &reset, text, err)) < 0 ||
	    (rc = branch_find_start(r, start_name, o->track, &start, text, err)) < 0)
		goto out;
	op = repo_operation_begin(r);
	rc = repo_operation_begin_refs(op, 0, &t, err);
	if (!rc)
		rc = queue_branch(r, t, ref.buf, &start, start_name, reset, o, err);
	if (!rc && start.ref && o->track != BRANCH_TRACK_NEVER)
		rc = branch_stage_tracking(r, op, ref.buf + strlen("refs/heads/"), start.ref,
					   o->track, text, err);
	queued = !rc;
	rc = repo_operation_end(op, rc, err);
	if (queued && rc < 0)
		strbuf_reset(text); /* it says what would have been done */
out:
	strbuf_release(&ref);
	free(start.ref);
	return rc;
}

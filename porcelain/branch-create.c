/* SPDX-License-Identifier: GPL-2.0-only */
/* New branches: their names, where they start. */
#include "compat/posix.h"
#include "porcelain/branch.h"
#include "util/alloc.h"
#include "history/history.h"
#include "history/revparse.h"

/* ---- names ---- */

char *branch_current(struct repository *r)
{
	struct err err = ERR_INIT;
	struct object_id oid;
	const char *name;
	char *head = NULL, *result;
	int rc = ref_resolve(r->refs, "HEAD", &oid, &head, NULL, &err);

	if (rc < 0 && (rc != ERR_NOT_FOUND || !head))
		die("Failed to resolve HEAD as a valid ref.");
	err_release(&err);
	if (!strcmp(head, "HEAD"))
		return head;
	if (!skip_prefix(head, "refs/heads/", &name))
		die("HEAD not found below refs/heads!");
	result = xstrdup(name);
	free(head);
	return result;
}

void branch_short_name(struct repository *r, const char *name, bool allow_remote,
		       struct strbuf *out)
{
	struct strbuf expanded = STRBUF_INIT;
	const char *rest;
	struct err err = ERR_INIT;
	int rc = revparse_branch_name(r, name, strlen(name), &expanded, &err);

	if (rc < 0)
		die_err(&err);
	if (!rc || !strcmp(name, "@"))
		strbuf_addstr(out, name);
	else if (skip_prefix(expanded.buf, "refs/heads/", &rest) ||
		 (allow_remote && skip_prefix(expanded.buf, "refs/remotes/", &rest)))
		strbuf_addstr(out, rest);
	else if (starts_with(expanded.buf, "refs/"))
		strbuf_addstr(out, name);
	else
		strbuf_addbuf(out, &expanded);
	strbuf_release(&expanded);
}

bool branch_full_name(struct repository *r, const char *name, struct strbuf *ref)
{
	strbuf_addstr(ref, "refs/heads/");
	branch_short_name(r, name, false, ref);
	return *name != '-' && strcmp(ref->buf, "refs/heads/HEAD") &&
	       refname_is_valid(ref->buf, 0);
}

bool branch_check_name(struct repository *r, const char *name, struct strbuf *ref)
{
	if (!branch_full_name(r, name, ref))
		die("'%s' is not a valid branch name", name);
	return ref_exists(r->refs, ref->buf);
}

struct worktree *branch_worktrees(struct repository *r)
{
	struct worktree *list = NULL;
	struct err err = ERR_INIT;

	if (worktrees_read(&list, r, &err) < 0)
		die_err(&err);
	return list;
}

bool branch_is_checked_out(struct repository *r, const char *ref)
{
	struct worktree *list = branch_worktrees(r);
	bool used = worktrees_find_branch(list, ref) != NULL;

	worktrees_free(list);
	return used;
}

bool branch_check_new_name(struct repository *r, const char *name, bool force,
			   struct strbuf *ref)
{
	struct worktree *list;
	const struct worktree *wt;

	if (!branch_check_name(r, name, ref))
		return false;
	if (!force)
		die("a branch named '%s' already exists", ref->buf + strlen("refs/heads/"));
	list = branch_worktrees(r);
	wt = worktrees_find_branch(list, ref->buf);
	if (wt && !wt->is_bare)
		die("cannot force update the branch '%s' checked out at '%s'",
		    ref->buf + strlen("refs/heads/"), wt->path);
	worktrees_free(list);
	return true;
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

static NORETURN void die_missing_upstream(struct repository *r, const char *name)
{
	struct err err = ERR_INIT;
	int code;

	err_set(&err, ERR_NOT_FOUND, "the requested upstream branch '%s' does not exist", name);
	code = report_fatal(&err);
	if (advice_enabled(r, "setUpstreamFailure"))
		advise("\nIf you are planning on basing your work on an upstream\n"
		       "branch that already exists at the remote, you may need to\n"
		       "run \"git fetch\" to retrieve it.\n"
		       "\n"
		       "If you are planning to push out a new local branch that\n"
		       "will track its remote counterpart, you may want to use\n"
		       "\"git push -u\" to set the upstream config as you push.\n"
		       "Disable this message with \"git config advice.setUpstreamFailure false\"");
	set_exit_code(code);
	exit(code);
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

static void resolve_start(struct repository *r, const char *name, bool explicit,
			  struct object_id *oid)
{
	struct revparse_result res = { .path = NULL };
	struct err err = ERR_INIT;

	if (find_merge_base(r, name, oid))
		return;
	if (revparse(r, name, OBJ_COMMIT, &res, &err) < 0) {
		if (err.preface)
			fputs(err.preface, stderr);
		if (explicit)
			die_missing_upstream(r, name);
		die("not a valid object name: '%s'", name);
	}
	*oid = res.oid;
	revparse_result_release(&res);
}

static void peel_start(struct repository *r, const char *name, struct object_id *oid)
{
	struct object_id commit;
	enum object_type type;
	struct err err = ERR_INIT;

	if (object_peel(odb_source(r->odb), oid, OBJ_ANY, &commit, &type, &err) >= 0 &&
	    type != OBJ_COMMIT)
		error("object %s is a %s, not a commit", oid_hex(&commit),
		      object_type_name(type));
	if (err.code || type != OBJ_COMMIT)
		die("not a valid branch point: '%s'", name);
	*oid = commit;
}

void branch_find_start(struct repository *r, const char *name, enum branch_track track,
		       struct branch_start *start)
{
	bool explicit = track == BRANCH_TRACK_EXPLICIT || track == BRANCH_TRACK_OVERRIDE;
	struct object_id ignored;
	char *ref = NULL;
	int nr;

	resolve_start(r, name, explicit, &start->oid);
	nr = revparse_ref(r, name, strlen(name), &ref, &ignored, NULL);
	if (nr > 1)
		die("ambiguous object name: '%s'", name);
	if (nr == 1 && !can_be_tracked(r, ref))
		FREE_AND_NULL(ref);
	if (explicit && (nr != 1 || !ref))
		die("cannot set up tracking information; starting point '%s' is not a branch",
		    name);
	start->ref = nr == 1 ? ref : NULL;
	peel_start(r, name, &start->oid);
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
		  const struct branch_create_options *o)
{
	struct strbuf ref = STRBUF_INIT, told = STRBUF_INIT;
	struct branch_start start = { .ref = NULL };
	struct repo_operation *op;
	struct ref_transaction *t = NULL;
	struct err err = ERR_INIT;
	bool reset;
	int rc;

	reset = branch_check_new_name(r, name, o->force, &ref);
	branch_find_start(r, start_name, o->track, &start);
	op = repo_operation_begin(r);
	rc = repo_operation_begin_refs(op, 0, &t, &err);
	if (!rc)
		rc = queue_branch(r, t, ref.buf, &start, start_name, reset, o, &err);
	if (!rc && start.ref && o->track != BRANCH_TRACK_NEVER)
		rc = branch_stage_tracking(r, op, ref.buf + strlen("refs/heads/"), start.ref,
					   o->track, &told, &err);
	rc = repo_operation_end(op, rc, &err);
	if (!rc && !o->quiet)
		fputs(told.buf, stdout);
	strbuf_release(&told);
	strbuf_release(&ref);
	free(start.ref);
	return rc < 0 ? report_fatal(&err) : 0;
}

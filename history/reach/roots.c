/* SPDX-License-Identifier: GPL-2.0-only */
/* Refs, HEADs, reflogs, and the worktrees that have more. */
#include "compat/posix.h"
#include "fs/file.h"
#include "history/reach/roots-internal.h"
#include "util/alloc.h"
#include "util/path.h"

/* ---- refs ---- */

static int bad_object(struct roots_walk *w, const char *name)
{
	return err_set(w->err, ERR_CORRUPT, "bad object %s", name);
}

static int visit_ref(void *data, const struct ref *ref)
{
	struct roots_walk *w = data;
	const struct root root = { .kind = ROOT_REF, .oid = ref->oid, .name = ref->name, .worktree = "",
				   .flags = ref->flags };

	if (ref->flags & REF_IS_BROKEN && !(w->o->flags & (ROOTS_VISIT_BROKEN | ROOTS_VISIT_DANGLING)))
		return bad_object(w, ref->name);
	return w->fn(w->data, &root);
}

static int visit_refs(struct roots_walk *w)
{
	unsigned flags = w->o->flags & ROOTS_VISIT_DANGLING ? REFS_INCLUDE_BROKEN : REFS_ALL_ROOTS;

	return refs_foreach_glob(w->repo, w->o->prefix ? w->o->prefix : "", w->o->pattern, w->o->exclusions, flags,
				 visit_ref, w, w->err);
}

/* ---- HEADs ---- */

/* A HEAD that leads to a bad name, or in a circle, has been damaged. The message names the branch that it leads to. */
static int bad_head(struct roots_walk *w, const char *head)
{
	struct object_id oid;
	char *target = NULL;

	(void)!ref_read_raw(w->repo->refs, head, &oid, &target, NULL);
	(void)bad_object(w, target ? target : head);
	free(target);
	return ERR_CORRUPT;
}

/* rc: of ref_resolve; `why` its message. */
static int visit_head_as_found(struct roots_walk *w, struct root *root, int rc, struct err *why)
{
	bool dangling = w->o->flags & ROOTS_VISIT_DANGLING;

	if (rc && !dangling) {
		if (rc == ERR_NOT_FOUND)
			return 0; /* an unborn branch holds nothing */
		if (rc != ERR_CORRUPT) {
			err_move(w->err, why);
			return rc;
		}
		if (!(w->o->flags & ROOTS_VISIT_BROKEN))
			return bad_head(w, root->name);
		if (root->flags & REF_IS_SYMREF)
			return 0;
	}
	if (rc) {
		root->oid = w->repo->algo->null_oid;
		root->flags |= rc == ERR_NOT_FOUND ? 0 : REF_IS_BROKEN;
	}
	return w->fn(w->data, root);
}

static int visit_head(struct roots_walk *w, const char *worktree)
{
	struct root root = { .kind = ROOT_HEAD, .worktree = worktree };
	struct err why = ERR_INIT;
	char *name = xconcat(worktree, "HEAD");
	int rc = 0;

	root.name = name;
	if (!w->o->exclusions || !ref_is_excluded(w->o->exclusions, name)) {
		rc = ref_resolve(w->repo->refs, name, &root.oid, NULL, &root.flags, &why);
		rc = visit_head_as_found(w, &root, rc, &why);
	}
	err_release(&why);
	free(name);
	return rc;
}

/* ---- reflogs ---- */

struct log_visit {
	struct roots_walk *w;
	struct root root;
	int stopped; /* by the caller */
};

static int visit_entry(void *data, const struct reflog_entry *e)
{
	struct log_visit *v = data;

	v->root.entry = e;
	v->root.oid = e->old_oid;
	v->root.is_old = true;
	v->stopped = v->w->fn(v->w->data, &v->root);
	if (v->stopped)
		return v->stopped;
	v->root.oid = e->new_oid;
	v->root.is_old = false;
	return v->stopped = v->w->fn(v->w->data, &v->root);
}

static int visit_unreadable_log(struct log_visit *v, const struct err *why)
{
	v->root.entry = NULL;
	v->root.oid = v->w->repo->algo->null_oid;
	v->root.flags = REF_IS_BROKEN;
	v->root.why = err_message(why);
	return v->w->fn(v->w->data, &v->root);
}

static int visit_log(void *data, const char *name)
{
	struct roots_walk *w = data;
	struct log_visit v = { w, { .kind = ROOT_LOG, .name = name, .worktree = "" }, 0 };
	struct err why = ERR_INIT;
	int rc = reflog_foreach(w->repo->refs, name, w->o->flags & ROOTS_NEWEST_ENTRY_FIRST, visit_entry, &v, &why);

	if (v.stopped)
		rc = v.stopped;
	else if (rc == ERR_NOT_FOUND) /* it has been removed meanwhile */
		rc = 0;
	else if (rc < 0 && w->o->flags & ROOTS_VISIT_UNREADABLE_LOGS)
		rc = visit_unreadable_log(&v, &why);
	else if (rc < 0)
		err_move(w->err, &why);
	err_release(&why);
	return rc;
}

static int visit_logs(struct roots_walk *w)
{
	return w->o->flags & ROOTS_SINGLE_WORKTREE ? reflogs_foreach(w->repo->refs, visit_log, w, w->err) :
						     reflogs_foreach_everywhere(w->repo->refs, visit_log, w, w->err);
}

/* ---- worktrees ---- */

struct other_refs {
	struct roots_walk *w;
	const char *worktree;
};

static int visit_other_ref(void *data, const struct ref *ref)
{
	struct other_refs *others = data;
	char *name = xconcat(others->worktree, ref->name);
	const struct root root = { .kind = ROOT_WORKTREE_REF, .oid = ref->oid, .name = name,
				   .worktree = others->worktree, .flags = ref->flags };
	int rc;

	if (ref->flags & REF_IS_BROKEN && !(others->w->o->flags & ROOTS_VISIT_BROKEN))
		rc = bad_object(others->w, name);
	else
		rc = others->w->fn(others->w->data, &root);
	free(name);
	return rc;
}

/* A worktree that is just being made may have no HEAD yet: it cannot be opened, and has no refs. */
static int visit_refs_of_worktree(struct roots_walk *w, const char *worktree, const char *gitdir)
{
	static const char *const prefixes[] = { "refs/bisect/", "refs/worktree/", "refs/rewritten/" };
	struct other_refs others = { w, worktree };
	struct repository *there = NULL;
	char *head = path_join(gitdir, "HEAD");
	bool ready = file_exists(head);
	int rc = ready ? repo_open_at(&there, gitdir, NULL, w->err) : 0;

	for (size_t i = 0; ready && !rc && i < ARRAY_SIZE(prefixes); i++)
		rc = refs_foreach(there->refs, prefixes[i], REFS_ALL_ROOTS | REFS_NO_PEEL, visit_other_ref, &others,
				  w->err);
	repo_free(there);
	free(head);
	return rc;
}

static int visit_own_indexes(struct roots_walk *w)
{
	const char *gitdir = w->repo->gitdir;
	char *index = path_join(gitdir, "index");
	int rc = 0;

	if (w->o->flags & ROOTS_OWN_INDEX_TOO && strcmp(index, w->repo->index_path) != 0)
		rc = roots_visit_index(w, "", gitdir, index);
	free(index);
	return rc ? rc : roots_visit_index(w, "", gitdir, w->repo->index_path);
}

static int visit_other_index(struct roots_walk *w, const char *worktree, const char *gitdir)
{
	char *index = path_join(gitdir, "index");
	int rc = roots_visit_index(w, worktree, gitdir, index);

	free(index);
	return rc;
}

/* What a worktree has for itself, apart from its HEAD. */
static int visit_private(struct roots_walk *w, const char *worktree, const char *gitdir)
{
	int rc = 0;

	if (*worktree && roots_want(w, ROOTS(ROOT_WORKTREE_REF)))
		rc = visit_refs_of_worktree(w, worktree, gitdir);
	if (!rc && roots_want(w, ROOTS_OF_INDEX))
		rc = *worktree ? visit_other_index(w, worktree, gitdir) : visit_own_indexes(w);
	if (!rc && roots_want(w, ROOTS(ROOT_STATE)))
		rc = roots_visit_state(w, worktree, gitdir);
	return rc;
}

static bool is_linked_worktree(const char *gitdir, const struct stat *own)
{
	char *link = path_join(gitdir, "gitdir");
	struct stat st;
	bool yes = file_exists(link) && !stat(gitdir, &st) && !is_same_file(&st, own);

	free(link);
	return yes;
}

/* Prefix and directory of each worktree, by turns. */
static int list_worktrees(struct roots_walk *w, struct strvec *list)
{
	struct repository *r = w->repo;
	struct string_list ids = STRING_LIST_INIT;
	struct stat own, main_dir;
	int rc;

	strvec_push(list, "");
	strvec_push(list, r->gitdir);
	if (w->o->flags & ROOTS_SINGLE_WORKTREE)
		return 0;
	if (stat(r->gitdir, &own) < 0)
		return err_set_errno(w->err, "unable to stat '%s'", r->gitdir);
	rc = worktree_ids(r->commondir, &ids, w->err);
	if (!rc && !stat(r->commondir, &main_dir) && !is_same_file(&main_dir, &own)) {
		strvec_push(list, "main-worktree/");
		strvec_push(list, r->commondir);
	}
	for (size_t i = 0; !rc && i < ids.nr; i++) {
		char *gitdir = xstrfmt("%s/worktrees/%s", r->commondir, ids.items[i].string);

		if (is_linked_worktree(gitdir, &own)) {
			strvec_pushf(list, "worktrees/%s/", ids.items[i].string);
			strvec_push(list, gitdir);
		}
		free(gitdir);
	}
	string_list_clear(&ids, NULL);
	return rc;
}

/* ---- all of them ---- */

int roots_foreach(struct repository *r, const struct roots_options *o, root_fn fn, void *data, struct err *err)
{
	struct roots_walk w = { r, o, fn, data, err };
	const unsigned private = ROOTS(ROOT_WORKTREE_REF) | ROOTS_OF_INDEX | ROOTS(ROOT_STATE);
	struct strvec worktrees = STRVEC_INIT;
	int rc = 0;

	if (roots_want(&w, ROOTS(ROOT_REF)))
		rc = visit_refs(&w);
	if (!rc && roots_want(&w, private | ROOTS(ROOT_HEAD)))
		rc = list_worktrees(&w, &worktrees);
	for (size_t i = 0; !rc && roots_want(&w, ROOTS(ROOT_HEAD)) && i < worktrees.nr; i += 2)
		rc = visit_head(&w, worktrees.v[i]);
	if (!rc && roots_want(&w, ROOTS(ROOT_LOG)))
		rc = visit_logs(&w);
	for (size_t i = 0; !rc && roots_want(&w, private) && i < worktrees.nr; i += 2)
		rc = visit_private(&w, worktrees.v[i], worktrees.v[i + 1]);
	strvec_clear(&worktrees);
	return rc;
}

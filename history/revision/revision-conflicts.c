/* SPDX-License-Identifier: GPL-2.0-only */
/* --merge: the commits on both sides that touch files with conflicts. */
#include "compat/posix.h"
#include "history/revision/revision-internal.h"
#include "index/index.h"
#include "refs/root-refs.h"
#include "util/alloc.h"

/* The other side of the operation in progress; NULL: there is none. */
static const char *other_side(struct repository *r)
{
	static const char *const refs[] = { REFNAME_MERGE_HEAD, REFNAME_CHERRY_PICK_HEAD, REFNAME_REVERT_HEAD,
					    REFNAME_REBASE_HEAD };

	for (size_t i = 0; i < ARRAY_SIZE(refs); i++)
		if (ref_exists(r->refs, refs[i]))
			return refs[i];
	return NULL;
}

static int add_sides(struct rev_walk *w, struct err *err)
{
	const char *other = other_side(w->repo);
	bool negate = w->negate;
	char *range;
	int rc;

	if (!other)
		return err_set(err, ERR_INVALID, "--merge requires one of the pseudorefs MERGE_HEAD, CHERRY_PICK_HEAD, "
			       "REVERT_HEAD or REBASE_HEAD");
	range = xstrfmt("HEAD...%s", other);
	w->negate = false;
	rc = rev_add_argument(w, range, err);
	w->negate = negate;
	if (rc == ERR_NOT_FOUND)
		rc = err_set(err, ERR_NOT_FOUND, "--merge without HEAD?");
	free(range);
	return rc;
}

/* Collects the conflicting paths among the requested ones. */
static void collect_conflicts(const struct rev_walk *w, const struct index_state *ix, struct strvec *out)
{
	for (size_t i = 0; i < ix->nr; i++) {
		const struct index_entry *e = ix->entries[i];

		if (e->stage && (!out->nr || strcmp(out->v[out->nr - 1], e->name)) &&
		    (!w->has_pathspec || pathspec_match(&w->pathspec, e->name, e->name_len, false, NULL)))
			strvec_push(out, e->name);
	}
}

/* They take the place of the pathspec; if there is none, nothing limits the walk. */
static int limit_to_conflicts(struct rev_walk *w, struct err *err)
{
	struct strvec paths = STRVEC_INIT;
	struct index_state ix;
	int rc;

	index_init(&ix, w->repo->algo);
	rc = index_read_repo(&ix, w->repo, err);
	if (!rc) {
		collect_conflicts(w, &ix, &paths);
		if (w->has_pathspec)
			pathspec_release(&w->pathspec);
		w->has_pathspec = false;
	}
	if (!rc && paths.nr) {
		rc = pathspec_parse(&w->pathspec, NULL, w->repo->worktree, (const char *const *)paths.v,
				    PATHSPEC_LITERAL, err);
		w->has_pathspec = !rc;
	}
	strvec_clear(&paths);
	index_release(&ix);
	return rc;
}

int rev_walk_conflicts(struct rev_walk *w, struct err *err)
{
	int rc = add_sides(w, err);

	return rc ? rc : limit_to_conflicts(w, err);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* Revisions and ranges as the arguments of a walk. */
#include "compat/posix.h"
#include "history/revision/revision-internal.h"
#include "util/alloc.h"

int rev_resolve(struct rev_walk *w, const char *name, struct object_id *oid, char **path,
		struct err *err)
{
	struct revparse_result res;
	struct err local = ERR_INIT;
	int rc = revparse_quietly(w->repo, name, OBJ_COMMIT, &res, &local);

	if (!rc) {
		*oid = res.oid;
		if (path) {
			*path = res.path;
			res.path = NULL;
		}
		revparse_result_release(&res);
	}
	if (rc != ERR_NOT_FOUND)
		err_move(err, &local);
	err_release(&local);
	return rc;
}

int rev_peel_commit(struct rev_walk *w, const struct object_id *oid, struct commit **out,
		    struct err *err)
{
	struct object_id at;
	int rc = object_peel(odb_source(w->repo->odb), oid, OBJ_COMMIT, &at, NULL, err);

	if (rc < 0)
		return rc;
	*out = commit_lookup(w->pool, &at);
	return commit_parse_node(w->pool, *out, err);
}

static int add_symmetric(struct rev_walk *w, const char *arg, const char *a_name,
			 const struct object_id *a_oid, const char *b_name,
			 const struct object_id *b_oid, uint32_t flags, struct err *err)
{
	struct commit_list bases = COMMIT_LIST_INIT;
	struct commit *a, *b;
	size_t i;
	int rc;

	if (rev_peel_commit(w, a_oid, &a, NULL) < 0 || rev_peel_commit(w, b_oid, &b, NULL) < 0)
		return err_set(err, ERR_INVALID, "Invalid symmetric difference expression %s", arg);
	rc = merge_bases(w->pool, a, &b, 1, &bases, err);
	for (i = 0; !rc && i < bases.nr; i++)
		rev_walk_add_commit(w, &bases.items[i]->oid,
				    oid_hex(&bases.items[i]->oid),
				    (flags ^ REV_UNINTERESTING) | REV_BOTTOM);
	if (!rc) {
		rev_walk_add_commit(w, a_oid, a_name, flags | REV_LEFT);
		rev_walk_add_commit(w, b_oid, b_name, flags);
	}
	commit_list_clear(&bases);
	return rc;
}

/* 1: both ends are there. --ignore-missing takes a range without one for nothing. */
static int check_ends(struct rev_walk *w, const char *arg, const struct object_id *a,
		      const struct object_id *b, bool symmetric, struct err *err)
{
	if (odb_has(w->repo->odb, a) && odb_has(w->repo->odb, b))
		return 1;
	if (w->ignore_missing)
		return 0;
	return err_set(err, ERR_INVALID, symmetric ? "Invalid symmetric difference expression %s" :
		       "Invalid revision range %s", arg);
}

/* "a..b", "a...b", either end HEAD if it is empty. ERR_NOT_FOUND: no range. */
static int add_range(struct rev_walk *w, const char *arg, uint32_t flags, struct err *err)
{
	const char *dots = strstr(arg, ".."), *b_name;
	char *a_path = NULL, *b_path = NULL;
	struct object_id a, b;
	bool symmetric;
	char *a_name;
	int rc;

	if (!dots || (dots == arg && !dots[2])) /* ".." is a directory */
		return ERR_NOT_FOUND;
	symmetric = dots[2] == '.';
	a_name = dots == arg ? xstrdup("HEAD") : xstrndup(arg, dots - arg);
	b_name = dots + 2 + symmetric;
	if (!*b_name)
		b_name = "HEAD";
	rc = rev_resolve(w, a_name, &a, &a_path, err);
	if (!rc)
		rc = rev_resolve(w, b_name, &b, &b_path, err);
	if (!rc)
		rc = check_ends(w, arg, &a, &b, symmetric, err);
	if (rc > 0 && symmetric) {
		rc = add_symmetric(w, arg, a_name, &a, b_name, &b, flags, err);
	} else if (rc > 0) {
		rc = 0;
		rev_walk_add_commit(w, &a, a_name, (flags ^ REV_UNINTERESTING) | REV_BOTTOM);
		w->starts[w->nr_starts - 1].path = a_path;
		w->starts[w->nr_starts - 1].of_range = true;
		rev_walk_add_commit(w, &b, b_name, flags);
		w->starts[w->nr_starts - 1].path = b_path;
		a_path = b_path = NULL;
	}
	free(a_name);
	free(a_path);
	free(b_path);
	return rc;
}

static int add_parents_of(struct rev_walk *w, const char *name, uint32_t flags, unsigned only,
			  struct err *err)
{
	struct object_id oid;
	struct commit *c;
	uint32_t i;
	int rc = rev_resolve(w, name, &oid, NULL, err);

	if (rc < 0)
		return rc;
	if (rev_peel_commit(w, &oid, &c, NULL) < 0 || only > c->nr_parents)
		return ERR_NOT_FOUND;
	for (i = 0; i < c->nr_parents; i++)
		if (!only || i + 1 == only)
			rev_walk_add_commit(w, &c->parents[i]->oid, name, flags);
	return 0;
}

/* "a^@": all parents; "a^!": a without them; "a^-2": a without what its second brought. */
static int add_parent_form(struct rev_walk *w, const char *arg, uint32_t flags, struct err *err)
{
	size_t len = strlen(arg), at = len;
	struct object_id oid;
	unsigned only = 0;
	char *name;
	int rc;

	if (len > 2 && (!strcmp(arg + len - 2, "^@") || !strcmp(arg + len - 2, "^!"))) {
		at = len - 2;
	} else {
		while (at && isdigit((unsigned char)arg[at - 1]))
			at--;
		if (at < 3 || arg[at - 1] != '-' || arg[at - 2] != '^')
			return ERR_NOT_FOUND;
		only = at < len ? strtoul(arg + at, NULL, 10) : 1;
		if (!only)
			return ERR_NOT_FOUND;
		at -= 2;
	}
	name = xstrndup(arg, at);
	if (arg[at + 1] == '@') {
		rc = add_parents_of(w, name, flags, 0, err);
	} else {
		rc = add_parents_of(w, name, (flags ^ REV_UNINTERESTING) | REV_BOTTOM, only, err);
		if (!rc)
			rc = rev_resolve(w, name, &oid, NULL, err);
		if (!rc)
			rev_walk_add_commit(w, &oid, name, flags);
	}
	free(name);
	return rc;
}

static int add_rev(struct rev_walk *w, const char *arg, uint32_t flags, struct err *err)
{
	struct object_id oid;
	char *path = NULL;
	int rc = add_range(w, arg, flags, err);

	if (rc == ERR_NOT_FOUND)
		rc = add_parent_form(w, arg, flags, err);
	if (rc != ERR_NOT_FOUND)
		return rc;
	if (*arg == '^') {
		flags = (flags ^ REV_UNINTERESTING) | REV_BOTTOM;
		arg++;
	}
	rc = rev_resolve(w, arg, &oid, &path, err);
	if (!rc) {
		rev_walk_add_commit(w, &oid, arg, flags);
		w->starts[w->nr_starts - 1].path = path;
	}
	return rc;
}

int rev_add_argument(struct rev_walk *w, const char *arg, struct err *err)
{
	int rc = add_rev(w, arg, w->negate ? REV_UNINTERESTING | REV_BOTTOM : 0, err);

	w->input_given |= !rc; /* "root^@" names no commit, and HEAD neither */
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* Options that stand for many starts: refs, reflogs, indexes, refs of alternates. */
#include "compat/posix.h"
#include "history/alternate-refs.h"
#include "history/reach/roots.h"
#include "history/revision/revision-internal.h"
#include "repo/state.h"
#include "util/alloc.h"

/* ---- refs ---- */

struct refs_to_add {
	struct rev_walk *w;
	size_t skip; /* --branches: "main", not "refs/heads/main" */
	struct err *err;
};

static uint32_t flags_of(const struct rev_walk *w)
{
	return w->negate ? REV_UNINTERESTING | REV_BOTTOM : 0;
}

/* A broken ref may have held anything: without it the walk would be incomplete. */
static int add_ref(const struct refs_to_add *add, const char *name, const struct object_id *oid, unsigned flags)
{
	if (flags & REF_IS_BROKEN)
		return add->w->ignore_missing ? 0 :
			err_set(add->err, ERR_CORRUPT, "bad object %s", name + add->skip);
	rev_walk_add_commit(add->w, oid, name + add->skip, flags_of(add->w));
	add->w->starts[add->w->nr_starts - 1].ref = xstrdup(name);
	return 0;
}

static int on_root(void *data, const struct root *root)
{
	return add_ref(data, root->name, &root->oid, root->flags);
}

static int on_ref(void *data, const struct ref *ref)
{
	return add_ref(data, ref->name, &ref->oid, ref->flags);
}

/* --all takes in HEAD, and the HEADs of other worktrees. */
int rev_add_refs(struct rev_walk *w, const char *prefix, const char *pattern, bool head,
		    struct err *err)
{
	struct refs_to_add add = { w, strlen(prefix), err };
	const struct roots_options o = {
		.kinds = ROOTS(ROOT_REF) | (head ? ROOTS(ROOT_HEAD) : 0),
		.flags = ROOTS_VISIT_BROKEN | (w->single_worktree ? ROOTS_SINGLE_WORKTREE : 0),
		.prefix = prefix,
		.pattern = pattern,
		.exclusions = &w->exclusions,
	};
	int rc = roots_foreach(w->repo, &o, on_root, &add, err);

	w->input_given = true;
	ref_exclusions_clear(&w->exclusions);
	return rc;
}

/* The names that this bisection has for bad and good. */
static void read_bisect_terms(struct repository *r, struct string_list *terms)
{
	struct strbuf text = STRBUF_INIT;

	if (!repo_state_read(r, STATE_BISECT_TERMS, &text, NULL))
		string_list_split(terms, text.buf, "\n");
	strbuf_release(&text);
}

static int add_bisect_refs(struct rev_walk *w, struct err *err)
{
	struct string_list terms = STRING_LIST_INIT;
	char *bad, *good;
	int rc;

	read_bisect_terms(w->repo, &terms);
	bad = xstrfmt("refs/bisect/%s", terms.nr > 1 ? terms.items[0].string : "bad");
	good = xstrfmt("refs/bisect/%s-*", terms.nr > 1 ? terms.items[1].string : "good");
	rc = rev_add_refs(w, "", bad, false, err);
	if (!rc) {
		struct refs_to_add add = { w, 0, err };

		rc = ref_visit_root(w->repo, bad, on_ref, &add, err);
		w->negate = !w->negate;
		if (!rc)
			rc = rev_add_refs(w, "", good, false, err);
		w->negate = !w->negate;
	}
	w->bisect = true;
	string_list_clear(&terms, NULL);
	free(bad);
	free(good);
	return rc;
}

/* ---- reflogs ---- */

struct reflogs {
	struct rev_walk *w;
	bool warned;
};

static int on_logged(void *data, const struct root *root)
{
	struct reflogs *l = data;

	if (oid_is_null(&root->oid))
		return 0;
	if (odb_has(l->w->repo->odb, &root->oid)) {
		rev_walk_add_commit(l->w, &root->oid, "", flags_of(l->w));
		l->w->starts[l->w->nr_starts - 1].implied = true;
	} else if (!l->warned) {
		repo_warn(l->w->repo, "reflog of '%s' references pruned commits", root->name);
		l->warned = true;
	}
	return 0;
}

static int add_reflogs(struct rev_walk *w, struct err *err)
{
	const struct roots_options o = {
		.kinds = ROOTS(ROOT_LOG),
		.flags = w->single_worktree ? ROOTS_SINGLE_WORKTREE : 0,
	};
	struct reflogs l = { .w = w };

	w->input_given = true;
	return roots_foreach(w->repo, &o, on_logged, &l, err);
}

/* ---- indexes ---- */

/* A directory is shown without the slash at its end. */
static size_t shown_len(const struct root *root)
{
	size_t len = root->kind == ROOT_INDEX ? root->name_len : strlen(root->name);

	return len && root->name[len - 1] == '/' ? len - 1 : len;
}

static int on_index_root(void *data, const struct root *root)
{
	struct rev_walk *w = data;

	rev_walk_add_commit(w, &root->oid, "", flags_of(w));
	w->starts[w->nr_starts - 1].path = xmemdupz(root->name, shown_len(root));
	return 0;
}

static int add_indexes(struct rev_walk *w, struct err *err)
{
	const struct roots_options o = {
		.kinds = ROOTS_OF_INDEX,
		.flags = w->single_worktree ? ROOTS_SINGLE_WORKTREE : 0,
	};

	w->input_given = true;
	return roots_foreach(w->repo, &o, on_index_root, w, err);
}

/* ---- alternates ---- */

static int add_alternate_tip(void *data, const struct object_id *oid)
{
	struct rev_walk *w = data;

	rev_walk_add_commit(w, oid, ".alternate", flags_of(w));
	w->starts[w->nr_starts - 1].implied = true;
	return 0;
}

static int add_alternates(struct rev_walk *w, struct err *err)
{
	struct odb *odb = w->repo->odb;
	int rc = 0;

	/* A command that fails has said why; what it has listed counts. */
	for (size_t i = 0; rc >= 0 && i < odb_nr_alternates(odb); i++)
		rc = alternate_refs_list(w->repo, odb_alternate(odb, i), add_alternate_tip, w, err);
	return rc < 0 ? rc : 0;
}

/* ---- the options ---- */

static int ref_kind_option(struct rev_walk *w, const char *arg, struct err *err)
{
	static const struct { const char *name, *prefix; } kinds[] = {
		{ "--branches", "refs/heads/" }, { "--tags", "refs/tags/" },
		{ "--remotes", "refs/remotes/" },
	};
	const char *value;
	int rc;

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (!skip_prefix(arg, kinds[i].name, &value) || (*value && *value != '='))
			continue;
		if (w->exclusions.hidden_configured)
			return err_set(err, ERR_INVALID, "--exclude-hidden cannot be used "
				       "together with %s", kinds[i].name);
		rc = rev_add_refs(w, kinds[i].prefix, *value ? value + 1 : NULL, false, err);
		return rc < 0 ? rc : 1;
	}
	return 0;
}

int rev_input_option(struct rev_walk *w, const char *arg, struct err *err)
{
	int rc = ref_kind_option(w, arg, err);

	if (rc)
		return rc;
	if (!strcmp(arg, "--all"))
		rc = rev_add_refs(w, "", NULL, true, err);
	else if (!strcmp(arg, "--bisect"))
		rc = add_bisect_refs(w, err);
	else if (!strcmp(arg, "--reflog"))
		rc = add_reflogs(w, err);
	else if (!strcmp(arg, "--indexed-objects"))
		rc = add_indexes(w, err);
	else if (!strcmp(arg, "--alternate-refs"))
		rc = add_alternates(w, err);
	else if (!strcmp(arg, "--single-worktree"))
		w->single_worktree = true;
	else
		return 0;
	return rc < 0 ? rc : 1;
}

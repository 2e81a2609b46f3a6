/* SPDX-License-Identifier: GPL-2.0-only */
/* Options that stand for many starts: refs, reflogs, indexes, refs of alternates. */
#include "compat/posix.h"
#include "fs/file.h"
#include "history/alternate-refs.h"
#include "history/revision-internal.h"
#include "index/cache-tree.h"
#include "index/index.h"
#include "object/tree.h"
#include "repo/worktrees.h"
#include "util/alloc.h"
#include "util/path.h"

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
static int on_ref(void *data, const struct ref *ref)
{
	const struct refs_to_add *add = data;

	if (ref->flags & REF_IS_BROKEN)
		return add->w->ignore_missing ? 0 :
			err_set(add->err, ERR_CORRUPT, "bad object %s", ref->name + add->skip);
	rev_walk_add_commit(add->w, &ref->oid, ref->name + add->skip, flags_of(add->w));
	add->w->starts[add->w->nr_starts - 1].ref = xstrdup(ref->name);
	return 0;
}

/* --all takes in HEAD; patterns leave it out as any ref. */
static int on_head(void *data, const struct ref *ref)
{
	const struct refs_to_add *add = data;

	return ref_is_excluded(&add->w->exclusions, ref->name) ? 0 : on_ref(data, ref);
}

int rev_add_refs(struct rev_walk *w, const char *prefix, const char *pattern, bool head,
		    struct err *err)
{
	struct refs_to_add add = { w, strlen(prefix), err };
	int rc = refs_foreach_glob(w->repo, prefix, pattern, &w->exclusions, REFS_ALL_ROOTS, on_ref, &add,
				   err);

	if (!rc && head)
		rc = ref_visit_head(w->repo, on_head, &add, err);
	if (!rc && head && !w->single_worktree)
		rc = ref_visit_other_heads(w->repo, on_head, &add, err);
	w->input_given = true;
	ref_exclusions_clear(&w->exclusions);
	return rc;
}

/* The names that this bisection has for bad and good. */
static void read_bisect_terms(struct repository *r, struct string_list *terms)
{
	char *path = repo_path(r, "BISECT_TERMS");
	struct strbuf text = STRBUF_INIT;

	if (!read_file(&text, path, 4096, NULL))
		string_list_split(terms, text.buf, "\n");
	strbuf_release(&text);
	free(path);
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
	const char *name;
	bool warned;
	struct err *err;
};

static void add_logged(struct reflogs *l, const struct object_id *oid)
{
	if (oid_is_null(oid))
		return;
	if (odb_has(l->w->repo->odb, oid)) {
		rev_walk_add_commit(l->w, oid, "", flags_of(l->w));
		l->w->starts[l->w->nr_starts - 1].implied = true;
	} else if (!l->warned) {
		repo_warn(l->w->repo, "reflog of '%s' references pruned commits", l->name);
		l->warned = true;
	}
}

static int on_entry(void *data, const struct reflog_entry *e)
{
	add_logged(data, &e->old_oid);
	add_logged(data, &e->new_oid);
	return 0;
}

static int on_log(void *data, const char *name)
{
	struct reflogs *l = data;

	l->name = name;
	return reflog_foreach(l->w->repo->refs, name, false, on_entry, l, l->err);
}

static int add_reflogs(struct rev_walk *w, struct err *err)
{
	struct reflogs l = { .w = w, .err = err };

	w->input_given = true;
	return w->single_worktree ? reflogs_foreach(w->repo->refs, on_log, &l, err) :
				    reflogs_foreach_everywhere(w->repo->refs, on_log, &l, err);
}

/* ---- indexes ---- */

static void add_object(struct rev_walk *w, const struct object_id *oid, const char *path, size_t len)
{
	rev_walk_add_commit(w, oid, "", flags_of(w));
	w->starts[w->nr_starts - 1].path = xmemdupz(path, len);
}

static int on_tree(void *data, const char *path, const struct object_id *oid)
{
	size_t len = strlen(path);

	add_object(data, oid, path, len && path[len - 1] == '/' ? len - 1 : len);
	return 0;
}

static int add_index_at(struct rev_walk *w, const char *path, const char *gitdir, struct err *err)
{
	const struct index_places places = { .gitdir = gitdir };
	struct index_state ix;
	int rc;

	index_init(&ix, w->repo->algo);
	rc = index_read(&ix, path, w->repo->algo, &places, err);
	for (size_t i = 0; !rc && i < ix.nr; i++)
		if (!MODE_IS_GITLINK(ix.entries[i]->mode))
			add_object(w, &ix.entries[i]->oid, ix.entries[i]->name,
				   ix.entries[i]->name_len - MODE_IS_TREE(ix.entries[i]->mode));
	if (!rc && ix.cache_tree)
		rc = cache_tree_foreach(ix.cache_tree, on_tree, w);
	index_release(&ix);
	return rc;
}

static int add_indexes(struct rev_walk *w, struct err *err)
{
	struct worktree *trees = NULL;
	int rc = worktrees_read(&trees, w->repo, err);

	w->input_given = true;
	if (!rc)
		rc = add_index_at(w, w->repo->index_path, w->repo->gitdir, err);
	for (struct worktree *t = trees; !rc && t && !w->single_worktree; t = t->next) {
		char *path = path_join(t->gitdir, "index");

		if (!t->is_current && file_exists(path))
			rc = add_index_at(w, path, t->gitdir, err);
		free(path);
	}
	worktrees_free(trees);
	return rc;
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

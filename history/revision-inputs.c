/* SPDX-License-Identifier: GPL-2.0-only */
/* Options that stand for many starts: refs, reflogs, indexes, refs of alternates. */
#include "compat/posix.h"
#include "fs/file.h"
#include "history/revision-internal.h"
#include "index/cache-tree.h"
#include "index/index.h"
#include "object/tree.h"
#include "repo/worktrees.h"
#include "util/alloc.h"
#include "util/path.h"
#include "util/run-command.h"

/* ---- refs ---- */

struct refs_to_add {
	struct rev_walk *w;
	size_t skip; /* --branches: "main", not "refs/heads/main" */
};

static uint32_t flags_of(const struct rev_walk *w)
{
	return w->negate ? REV_UNINTERESTING | REV_BOTTOM : 0;
}

static int on_ref(void *data, const struct ref *ref)
{
	const struct refs_to_add *add = data;

	rev_walk_add_commit(add->w, &ref->oid, ref->name + add->skip, flags_of(add->w));
	return 0;
}

int rev_add_refs(struct rev_walk *w, const char *prefix, const char *pattern, bool head,
		    struct err *err)
{
	struct refs_to_add add = { w, strlen(prefix) };
	int rc = refs_foreach_glob(w->repo, prefix, pattern, &w->exclusions, on_ref, &add, err);

	if (!rc && head)
		rc = ref_visit_head(w->repo, on_ref, &add);
	if (!rc && head && !w->single_worktree)
		rc = ref_visit_other_heads(w->repo, on_ref, &add);
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
		struct refs_to_add add = { w, 0 };
		struct ref ref = { .name = bad };

		if (!ref_resolve(w->repo->refs, bad, &ref.oid, NULL, NULL, NULL))
			(void)on_ref(&add, &ref);
		w->negate = !w->negate;
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

static int add_index_at(struct rev_walk *w, const char *path, struct err *err)
{
	struct index_state ix;
	int rc;

	index_init(&ix, w->repo->algo);
	rc = index_read(&ix, path, w->repo->algo, err);
	for (size_t i = 0; !rc && i < ix.nr; i++)
		if (!MODE_IS_GITLINK(ix.entries[i]->mode))
			add_object(w, &ix.entries[i]->oid, ix.entries[i]->name,
				   ix.entries[i]->name_len);
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
		rc = add_index_at(w, w->repo->index_path, err);
	for (struct worktree *t = trees; !rc && t && !w->single_worktree; t = t->next) {
		char *path = path_join(t->gitdir, "index");

		if (!t->is_current && file_exists(path))
			rc = add_index_at(w, path, err);
		free(path);
	}
	worktrees_free(trees);
	return rc;
}

/* ---- alternates ---- */

#define ALTERNATE_REFS_MAX ((size_t)1024 * 1024 * 1024)

/* core.alternateRefsCommand is given the repository; without it for-each-ref does the work. */
static void set_command(struct rev_walk *w, struct child_process *cp, const char *gitdir)
{
	const char *value = NULL;
	struct string_list prefixes = STRING_LIST_INIT;

	config_get_string(w->repo->config, "core.alternaterefscommand", &value, NULL);
	if (value) {
		cp->use_shell = true;
		strvec_push(&cp->args, value);
		strvec_push(&cp->args, gitdir);
		return;
	}
	strvec_push(&cp->args, "git");
	strvec_pushf(&cp->args, "--git-dir=%s", gitdir);
	strvec_push(&cp->args, "for-each-ref");
	strvec_push(&cp->args, "--format=%(objectname)");
	config_get_string(w->repo->config, "core.alternaterefsprefixes", &value, NULL);
	if (value) {
		strvec_push(&cp->args, "--");
		string_list_split(&prefixes, value, " ");
		for (size_t i = 0; i < prefixes.nr; i++)
			strvec_push(&cp->args, prefixes.items[i].string);
		string_list_clear(&prefixes, NULL);
	}
}

static void add_names(struct rev_walk *w, const char *text)
{
	struct object_id oid;
	const char *end;

	for (; *text; text = end + (*end == '\n')) {
		end = strchrnul(text, '\n');
		if (oid_parse_hex(&oid, text, w->repo->algo, &end) < 0 || (*end && *end != '\n')) {
			repo_warn(w->repo, "invalid line while parsing alternate refs: %.*s",
				  (int)strcspn(text, "\n"), text);
			return;
		}
		rev_walk_add_commit(w, &oid, ".alternate", flags_of(w));
		w->starts[w->nr_starts - 1].implied = true;
	}
}

static int add_alternate(struct rev_walk *w, const char *objdir, struct err *err)
{
	struct child_process cp = CHILD_PROCESS_INIT;
	struct strbuf out = STRBUF_INIT;
	char *gitdir = xstrdup(objdir);
	size_t len;
	int rc = 0;

	if (strip_suffix(gitdir, "/objects", &len)) {
		gitdir[len] = '\0';
		cp.no_stdin = true;
		strvec_push(&cp.env, "GIT_DIR");
		strvec_push(&cp.env, "GIT_WORK_TREE");
		strvec_push(&cp.env, "GIT_OBJECT_DIRECTORY");
		strvec_push(&cp.env, "GIT_ALTERNATE_OBJECT_DIRECTORIES");
		set_command(w, &cp, gitdir);
		rc = pipe_command(&cp, NULL, 0, &out, NULL, ALTERNATE_REFS_MAX, err);
		if (rc >= 0)
			add_names(w, out.buf);
	}
	strbuf_release(&out);
	free(gitdir);
	return rc < 0 ? rc : 0;
}

static int add_alternates(struct rev_walk *w, struct err *err)
{
	struct odb *odb = w->repo->odb;
	int rc = 0;

	for (size_t i = 0; !rc && i < odb_nr_alternates(odb); i++)
		rc = add_alternate(w, odb_alternate(odb, i), err);
	return rc;
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

/* SPDX-License-Identifier: GPL-2.0-only */
/* The command line of git log and similar commands: options, revisions, paths. */
#include "compat/posix.h"
#include "history/revision-internal.h"
#include "fs/file.h"
#include "util/alloc.h"
#include "util/path.h"
#include "history/revparse.h"

/* ---- revisions ---- */

/* *path (may be NULL): that of "TREE:path", NULL otherwise; owned by the caller. */
static int resolve(struct rev_walk *w, const char *name, struct object_id *oid, char **path,
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

static int peel_commit(struct rev_walk *w, const struct object_id *oid, struct commit **out,
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

	if (peel_commit(w, a_oid, &a, NULL) < 0 || peel_commit(w, b_oid, &b, NULL) < 0)
		return err_set(err, ERR_INVALID, "Invalid symmetric difference expression %s", arg);
	rc = merge_bases(w->pool, a, &b, 1, &bases, err);
	for (i = 0; !rc && i < bases.nr; i++)
		rev_walk_add_commit(w, &bases.items[i]->oid, "(merge base)",
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
	rc = resolve(w, a_name, &a, NULL, err);
	if (!rc)
		rc = resolve(w, b_name, &b, NULL, err);
	if (!rc)
		rc = check_ends(w, arg, &a, &b, symmetric, err);
	if (rc > 0 && symmetric) {
		rc = add_symmetric(w, arg, a_name, &a, b_name, &b, flags, err);
	} else if (rc > 0) {
		rc = 0;
		rev_walk_add_commit(w, &a, a_name, (flags ^ REV_UNINTERESTING) | REV_BOTTOM);
		rev_walk_add_commit(w, &b, b_name, flags);
	}
	free(a_name);
	return rc;
}

static int add_parents_of(struct rev_walk *w, const char *name, uint32_t flags, unsigned only,
			  struct err *err)
{
	struct object_id oid;
	struct commit *c;
	uint32_t i;
	int rc = resolve(w, name, &oid, NULL, err);

	if (rc < 0)
		return rc;
	if (peel_commit(w, &oid, &c, NULL) < 0 || only > c->nr_parents)
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
			rc = resolve(w, name, &oid, NULL, err);
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
	rc = resolve(w, arg, &oid, &path, err);
	if (!rc) {
		rev_walk_add_commit(w, &oid, arg, flags);
		w->starts[w->nr_starts - 1].path = path;
	}
	return rc;
}

/* "a", "^a", "a..b", "a...b", "a^@", "a^!", "a^-". ERR_NOT_FOUND: it is none of them. */
static int add_argument(struct rev_walk *w, const char *arg, struct err *err)
{
	int rc = add_rev(w, arg, w->negate ? REV_UNINTERESTING | REV_BOTTOM : 0, err);

	w->input_given |= !rc; /* "root^@" names no commit, and HEAD neither */
	return rc;
}

/* ---- options that name refs ---- */

struct refs_to_add {
	struct rev_walk *w;
	size_t skip; /* --branches: "main", not "refs/heads/main" */
};

static int on_ref(void *data, const struct ref *ref)
{
	const struct refs_to_add *add = data;
	struct rev_walk *w = add->w;

	rev_walk_add_commit(w, &ref->oid, ref->name + add->skip,
			    w->negate ? REV_UNINTERESTING | REV_BOTTOM : 0);
	return 0;
}

static int add_refs(struct rev_walk *w, const char *prefix, const char *pattern, bool head,
		    struct err *err)
{
	struct refs_to_add add = { w, strlen(prefix) };
	int rc = refs_foreach_glob(w->repo, prefix, pattern, &w->exclusions, on_ref, &add, err);

	if (!rc && head)
		rc = ref_visit_head(w->repo, on_ref, &add);
	if (!rc && head)
		rc = ref_visit_other_heads(w->repo, on_ref, &add);
	w->input_given = true;
	ref_exclusions_clear(&w->exclusions);
	return rc;
}

static int ref_option(struct rev_walk *w, const char *arg, struct err *err)
{
	static const struct { const char *name, *prefix; } kinds[] = {
		{ "--branches", "refs/heads/" }, { "--tags", "refs/tags/" },
		{ "--remotes", "refs/remotes/" },
	};
	const char *value;
	size_t i;
	int rc;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (!skip_prefix(arg, kinds[i].name, &value) || (*value && *value != '='))
			continue;
		if (w->exclusions.hidden_configured)
			return err_set(err, ERR_INVALID, "--exclude-hidden cannot be used "
				       "together with %s", kinds[i].name);
		rc = add_refs(w, kinds[i].prefix, *value ? value + 1 : NULL, false, err);
		return rc < 0 ? rc : 1;
	}
	if (!strcmp(arg, "--all"))
		rc = add_refs(w, "", NULL, true, err);
	else if (!strcmp(arg, "--bisect"))
		return err_set(err, ERR_UNSUPPORTED, "--bisect is not available yet");
	else
		return 0;
	return rc < 0 ? rc : 1;
}

/* ---- options with a value ---- */

/*
 * "--name=value" or "--name" "value": how many arguments that is, 0 if it is another
 * option.
 */
static int value_of(const char *const *argv, const char *name, const char **value,
		    struct err *err)
{
	const char *rest;

	if (!skip_prefix(argv[0], name, &rest) || (*rest && *rest != '='))
		return 0;
	if (*rest) {
		*value = rest + 1;
		return 1;
	}
	if (!argv[1])
		return err_set(err, ERR_INVALID, "Option '%s' requires a value", name);
	*value = argv[1];
	return 2;
}

static int parse_number(const char *text, int *out, struct err *err)
{
	char *end;
	long n;

	errno = 0;
	n = strtol(text, &end, 10);
	if (!*text || *end || errno || n > INT_MAX || n < INT_MIN)
		return err_set(err, ERR_INVALID, "'%s': not an integer", text);
	*out = (int)n;
	return 0;
}

static int parse_seconds(const char *text, timestamp_t *out, struct err *err)
{
	char *end;

	errno = 0;
	*out = strtoumax(text, &end, 10);
	if (!*text || *end || errno)
		return err_set(err, ERR_INVALID, "'%s': not a number of seconds", text);
	return 0;
}

/* -5, -n5, -n 5 */
static int count_option(struct rev_walk *w, const char *const *argv, struct err *err)
{
	const char *arg = argv[0];
	int n, rc;

	if (isdigit((unsigned char)arg[1])) {
		if (parse_number(arg + 1, &n, NULL) < 0 || n < 0)
			return err_set(err, ERR_INVALID, "'%s': not a non-negative integer",
				       arg + 1);
		w->max_count = n;
		w->no_walk = false;
		return 1;
	}
	if (arg[1] != 'n')
		return 0;
	if (!arg[2] && !argv[1])
		return err_set(err, ERR_INVALID, "-n requires an argument");
	rc = parse_number(arg[2] ? arg + 2 : argv[1], &w->max_count, err);
	w->no_walk = false;
	return rc < 0 ? rc : arg[2] ? 1 : 2;
}

enum value_kind { VALUE_INT, VALUE_SECONDS, VALUE_DATE, VALUE_PATTERN, VALUE_GLOB,
		  VALUE_EXCLUDE, VALUE_HIDE };

static int apply_value(struct rev_walk *w, enum value_kind kind, void *to,
		       enum rev_grep_field field, const char *value, struct err *err)
{
	switch (kind) {
	case VALUE_INT:
		return parse_number(value, to, err);
	case VALUE_SECONDS:
		return parse_seconds(value, to, err);
	case VALUE_DATE:
		*(timestamp_t *)to = date_approxidate(value, NULL);
		return 0;
	case VALUE_PATTERN:
		rev_grep_add(w, field, value);
		return 0;
	case VALUE_GLOB:
		return add_refs(w, "", value, false, err);
	case VALUE_EXCLUDE:
		ref_exclusions_add(&w->exclusions, value);
		return 0;
	default:
		return ref_exclusions_hide(&w->exclusions, w->repo, value, err);
	}
}

static int value_option(struct rev_walk *w, const char *const *argv, struct err *err)
{
	const struct {
		const char *name;
		enum value_kind kind;
		void *to;
		enum rev_grep_field field;
	} options[] = {
		{ "--max-count", VALUE_INT, &w->max_count, 0 },
		{ "--skip", VALUE_INT, &w->skip, 0 },
		{ "--min-parents", VALUE_INT, &w->min_parents, 0 },
		{ "--max-parents", VALUE_INT, &w->max_parents, 0 },
		{ "--max-age", VALUE_SECONDS, &w->since, 0 },
		{ "--min-age", VALUE_SECONDS, &w->until, 0 },
		{ "--since", VALUE_DATE, &w->since, 0 },
		{ "--after", VALUE_DATE, &w->since, 0 },
		{ "--since-as-filter", VALUE_DATE, &w->since, 0 },
		{ "--until", VALUE_DATE, &w->until, 0 },
		{ "--before", VALUE_DATE, &w->until, 0 },
		{ "--grep", VALUE_PATTERN, NULL, REV_GREP_MESSAGE },
		{ "--author", VALUE_PATTERN, NULL, REV_GREP_AUTHOR },
		{ "--committer", VALUE_PATTERN, NULL, REV_GREP_COMMITTER },
		{ "--grep-reflog", VALUE_PATTERN, NULL, REV_GREP_REFLOG },
		{ "--glob", VALUE_GLOB, NULL, 0 },
		{ "--exclude", VALUE_EXCLUDE, NULL, 0 },
		{ "--exclude-hidden", VALUE_HIDE, NULL, 0 },
	};
	const char *value = NULL;
	size_t i;
	int used, rc;

	for (i = 0; i < ARRAY_SIZE(options); i++) {
		used = value_of(argv, options[i].name, &value, err);
		if (used < 0)
			return used;
		if (!used)
			continue;
		rc = apply_value(w, options[i].kind, options[i].to, options[i].field, value, err);
		if (!strcmp(options[i].name, "--since-as-filter"))
			w->since_as_filter = true;
		if (!strcmp(options[i].name, "--max-count"))
			w->no_walk = false;
		return rc < 0 ? rc : used;
	}
	return 0;
}

/* ---- switches ---- */

static bool flag_option(struct rev_walk *w, const char *arg)
{
	const struct { const char *name; bool *flag; bool value; } flags[] = {
		{ "--reverse", &w->reverse, !w->reverse },
		{ "--first-parent", &w->first_parent, true },
		{ "--exclude-first-parent-only", &w->exclude_first_parent, true },
		{ "--left-right", &w->left_right, true },
		{ "--left-only", &w->left_only, true },
		{ "--right-only", &w->right_only, true },
		{ "--boundary", &w->boundary, true },
		{ "--full-history", &w->full_history, true },
		{ "--sparse", &w->sparse, true },
		{ "--dense", &w->sparse, false },
		{ "--ancestry-path", &w->ancestry_path, true },
		{ "--ignore-missing", &w->ignore_missing, true },
		{ "--source", &w->source, true },
		{ "--do-walk", &w->no_walk, false },
		{ "--no-walk", &w->no_walk, true },
		{ "--not", &w->negate, !w->negate },
	};
	size_t i;

	if (!strcmp(arg, "-g") || !strcmp(arg, "--walk-reflogs")) {
		rev_walk_only_reflogs(w);
		return true;
	}
	for (i = 0; i < ARRAY_SIZE(flags); i++)
		if (!strcmp(arg, flags[i].name)) {
			*flags[i].flag = flags[i].value;
			return true;
		}
	return false;
}

static bool order_option(struct rev_walk *w, const char *arg)
{
	if (!strcmp(arg, "--parents"))
		w->want_parents = w->print_parents = true;
	else if (!strcmp(arg, "--topo-order"))
		w->order = REV_ORDER_TOPO;
	else if (!strcmp(arg, "--date-order"))
		w->order = REV_ORDER_DATE;
	else if (!strcmp(arg, "--author-date-order"))
		w->order = REV_ORDER_AUTHOR_DATE;
	else if (!strcmp(arg, "--merges"))
		w->min_parents = 2;
	else if (!strcmp(arg, "--no-merges"))
		w->max_parents = 1;
	else if (!strcmp(arg, "--no-min-parents"))
		w->min_parents = 0;
	else if (!strcmp(arg, "--no-max-parents"))
		w->max_parents = -1;
	else if (!strcmp(arg, "--no-walk=sorted") || !strcmp(arg, "--no-walk=unsorted"))
		w->no_walk = true, w->unsorted = arg[10] == 'u';
	else
		return false;
	return true;
}

static bool pattern_option(struct rev_walk *w, const char *arg)
{
	if (!strcmp(arg, "--regexp-ignore-case") || !strcmp(arg, "-i"))
		rev_grep_of(w)->ignore_case = true;
	else if (!strcmp(arg, "--extended-regexp") || !strcmp(arg, "-E"))
		rev_grep_of(w)->type = REV_PATTERN_EXTENDED;
	else if (!strcmp(arg, "--basic-regexp"))
		rev_grep_of(w)->type = REV_PATTERN_BASIC;
	else if (!strcmp(arg, "--fixed-strings") || !strcmp(arg, "-F"))
		rev_grep_of(w)->type = REV_PATTERN_FIXED;
	else if (!strcmp(arg, "--all-match"))
		rev_grep_of(w)->all_match = true;
	else if (!strcmp(arg, "--invert-grep"))
		rev_grep_of(w)->invert = true;
	else
		return false;
	return true;
}

/* Options of Git that are not available here. */
static int refused_option(const char *arg, struct err *err)
{
	static const char *const names[] = {
		"--simplify-merges", "--simplify-by-decoration", "--show-pulls", "--remove-empty",
		"--cherry", "--cherry-mark", "--cherry-pick", "--merge", "--children", "--stdin",
		"--perl-regexp", "-P", "--alternate-refs", "--reflog", "--indexed-objects",
		"--objects", "--follow", "-L", "--bisect",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(arg, names[i]) || (!strcmp(names[i], "-L") && starts_with(arg, "-L")))
			return err_set(err, ERR_UNSUPPORTED, "%s is not available yet", names[i]);
	return 0;
}

static int ancestry_option(struct rev_walk *w, const char *arg, struct err *err)
{
	const char *value;
	struct object_id oid;
	struct commit *c;
	int rc;

	if (!skip_prefix(arg, "--ancestry-path=", &value))
		return 0;
	rc = resolve(w, value, &oid, NULL, err);
	if (!rc)
		rc = peel_commit(w, &oid, &c, err);
	if (rc == ERR_NOT_FOUND)
		return err_set(err, ERR_INVALID, "could not get commit for --ancestry-path argument %s", value);
	if (rc < 0)
		return rc;
	w->ancestry_path = true;
	commit_list_add(&w->ancestry_bottoms, c);
	return 1;
}

/* Returns how many arguments it used; 0: no option of the walk. */
static int walk_option(struct rev_walk *w, const char *const *argv, struct err *err)
{
	const char *arg = argv[0];
	int rc;

	if (flag_option(w, arg) || order_option(w, arg) || pattern_option(w, arg))
		return 1;
	rc = count_option(w, argv, err);
	if (!rc)
		rc = ref_option(w, arg, err);
	if (!rc)
		rc = value_option(w, argv, err);
	if (!rc)
		rc = ancestry_option(w, arg, err);
	if (!rc)
		rc = refused_option(arg, err);
	return rc;
}

/* ---- paths ---- */

static bool exists_in_worktree(struct rev_walk *w, const char *arg)
{
	const char *prefix = w->repo->prefix;
	char *path;
	bool exists;

	if (!w->repo->worktree || w->repo->cwd_outside)
		return false;
	path = prefix && !is_absolute_path(arg) ? xstrfmt("%s%s", prefix, arg) : xstrdup(arg);
	exists = *arg && file_exists(path);
	free(path);
	return exists;
}

/* Magic and globs are pathspecs, whatever they match. */
static bool looks_like_pathspec(const char *arg)
{
	if (*arg == ':' && arg[1] && strchr("/!^(", arg[1]))
		return arg[1] != '/' || !arg[2];
	return strpbrk(arg, "*?[") != NULL;
}

static int check_path(struct rev_walk *w, const char *arg, bool first, struct err *err)
{
	struct revparse_result res;
	int rc;

	if (*arg == '-')
		return err_set(err, ERR_INVALID,
			       "option '%s' must come before non-option arguments", arg);
	if (looks_like_pathspec(arg) || exists_in_worktree(w, arg))
		return 0;
	if (!first)
		return err_set(err, ERR_INVALID, "%s: no such path in the working tree.\n"
			       "Use 'git <command> -- <path>...' to specify paths that do not "
			       "exist locally.", arg);
	rc = revparse(w->repo, arg, OBJ_COMMIT, &res, err);
	if (!rc)
		revparse_result_release(&res);
	return rc < 0 ? rc : revparse_explain(w->repo, arg, false, err);
}

static int check_not_a_path(struct rev_walk *w, const char *arg, struct err *err)
{
	if (looks_like_pathspec(arg) || !exists_in_worktree(w, arg))
		return 0;
	return err_set(err, ERR_INVALID, "ambiguous argument '%s': both revision and filename\n"
		       "Use '--' to separate paths from revisions, like this:\n"
		       "'git <command> [<revision>...] -- [<file>...]'", arg);
}

static int set_paths(struct rev_walk *w, const char **paths, struct err *err)
{
	int rc;

	if (!*paths)
		return 0;
	rc = pathspec_parse(&w->pathspec, w->repo->prefix, w->repo->worktree, paths, 0, err);
	w->has_pathspec = !rc;
	return rc;
}

/* ---- the command line ---- */

static int one_option(struct rev_walk *w, const char *const *argv, const struct rev_hooks *hooks,
		      struct err *err)
{
	int used = walk_option(w, argv, err);

	if (!used && hooks && hooks->option)
		used = hooks->option(hooks->data, argv, err);
	if (!used)
		used = err_set(err, ERR_INVALID, "unrecognized argument: %s", argv[0]);
	return used;
}

static int check_combinations(const struct rev_walk *w, struct err *err)
{
	if (w->reverse && w->reflogs)
		return err_set(err, ERR_INVALID, "options '%s' and '%s' cannot be used together",
			       "--reverse", "--walk-reflogs");
	if (w->left_only && w->right_only)
		return err_set(err, ERR_INVALID, "options '%s' and '%s' cannot be used together",
			       "--left-only", "--right-only");
	if (!w->reflogs && rev_has_field(w, REV_GREP_REFLOG))
		return err_set(err, ERR_INVALID, "the option '%s' requires '%s'",
			       "--grep-reflog", "--walk-reflogs");
	return 0;
}

int rev_walk_arguments(struct rev_walk *w, int argc, const char **argv,
		       const struct rev_hooks *hooks, struct err *err)
{
	bool no_more_options = false, never_a_path;
	int dashdash = argc, i, used, rc = 0;

	for (i = 1; i < argc && dashdash == argc; i++)
		if (!strcmp(argv[i], "--"))
			dashdash = i;
	for (i = 1; i < dashdash; i += used) {
		const char *arg = argv[i];

		used = 1;
		if (*arg == '-' && !no_more_options) {
			if (!strcmp(arg, "--end-of-options")) {
				no_more_options = true;
				continue;
			}
			used = one_option(w, argv + i, hooks, err);
			if (used < 0)
				return used;
			continue;
		}
		rc = add_argument(w, arg, err);
		never_a_path = dashdash < argc || *arg == '^';
		if (rc == ERR_AMBIGUOUS || (rc == ERR_NOT_FOUND && never_a_path))
			return revparse_explain(w->repo, arg, never_a_path, err);
		if (rc == ERR_NOT_FOUND)
			break; /* paths from here on */
		if (!rc && dashdash == argc)
			rc = check_not_a_path(w, arg, err);
		if (rc < 0)
			return rc;
	}
	if (rc == ERR_NOT_FOUND) {
		for (used = i, rc = 0; !rc && used < argc; used++)
			rc = check_path(w, argv[used], used == i, err);
		if (!rc)
			rc = set_paths(w, argv + i, err);
	} else if (dashdash < argc) {
		rc = set_paths(w, argv + dashdash + 1, err);
	}
	return rc ? rc : check_combinations(w, err);
}

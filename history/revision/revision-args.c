/* SPDX-License-Identifier: GPL-2.0-only */
/* The command line of git log and similar commands: options, revisions, paths. */
#include "compat/posix.h"
#include "history/revision/revision-internal.h"
#include "index/pathspec.h"
#include "util/alloc.h"
#include "util/path.h"
#include "history/names/revparse.h"

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
		return err_set(err, ERR_INVALID, "'%s': not a number of seconds since epoch", text);
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
	if (!arg[2] && !argv[1]) {
		err_set(err, ERR_ABORTED, "%s", "");
		err_set_preface(err, "error: -n requires an argument\n");
		return ERR_ABORTED;
	}
	rc = parse_number(arg[2] ? arg + 2 : argv[1], &w->max_count, err);
	w->no_walk = false;
	return rc < 0 ? rc : arg[2] ? 1 : 2;
}

enum value_kind { VALUE_INT, VALUE_NEWEST, VALUE_OLDEST, VALUE_SKIP, VALUE_SECONDS, VALUE_DATE, VALUE_PATTERN, VALUE_GLOB,
		  VALUE_EXCLUDE, VALUE_HIDE };

static int refuse_pair(const char *a, const char *b, struct err *err)
{
	return err_set(err, ERR_INVALID, "options '%s' and '%s' cannot be used together", a, b);
}

/* The first n, the last n, all but the first n. -n after --max-count-oldest changes its number. */
static int count_value(struct rev_walk *w, enum value_kind kind, const char *value, struct err *err)
{
	int n, rc = parse_number(value, &n, err);

	if (rc < 0)
		return rc;
	if (w->oldest && kind != VALUE_OLDEST)
		return refuse_pair(kind == VALUE_SKIP ? "--skip" : "--max-count",
				   "--max-count-oldest", err);
	if (kind == VALUE_OLDEST && (w->skip >= 0 || (w->max_count >= 0 && !w->oldest)))
		return refuse_pair(w->skip >= 0 ? "--skip" : "--max-count", "--max-count-oldest",
				   err);
	if (kind == VALUE_SKIP)
		w->skip = n;
	else
		w->max_count = n;
	w->oldest = kind == VALUE_OLDEST;
	return 0;
}

static int apply_value(struct rev_walk *w, enum value_kind kind, void *to,
		       enum rev_grep_field field, const char *value, struct err *err)
{
	switch (kind) {
	case VALUE_INT:
		return parse_number(value, to, err);
	case VALUE_NEWEST:
	case VALUE_OLDEST:
	case VALUE_SKIP:
		return count_value(w, kind, value, err);
	case VALUE_SECONDS:
		return parse_seconds(value, to, err);
	case VALUE_DATE:
		*(timestamp_t *)to = date_approxidate(value, NULL);
		return 0;
	case VALUE_PATTERN:
		rev_grep_add(w, field, value);
		return 0;
	case VALUE_GLOB:
		return rev_add_refs(w, "", value, false, err);
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
		{ "--max-count", VALUE_NEWEST, NULL, 0 },
		{ "--skip", VALUE_SKIP, NULL, 0 },
		{ "--max-count-oldest", VALUE_OLDEST, NULL, 0 },
		{ "--min-parents", VALUE_INT, &w->min_parents, 0 },
		{ "--max-parents", VALUE_INT, &w->max_parents, 0 },
		{ "--max-age", VALUE_SECONDS, &w->since, 0 },
		{ "--min-age", VALUE_SECONDS, &w->until, 0 },
		{ "--since", VALUE_DATE, &w->since, 0 },
		{ "--after", VALUE_DATE, &w->since, 0 },
		{ "--since-as-filter", VALUE_DATE, &w->since_filter, 0 },
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
		if (options[i].kind == VALUE_NEWEST || options[i].kind == VALUE_OLDEST)
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
		{ "--show-pulls", &w->show_pulls, true },
		{ "--remove-empty", &w->remove_empty, true },
		{ "--maximal-only", &w->maximal_only, true },
		{ "--ignore-missing", &w->ignore_missing, true },
		{ "--merge", &w->conflicts, true },
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

static void simplify_merges(struct rev_walk *w, bool by_decoration)
{
	w->simplify_merges = w->full_history = w->want_parents = w->limited = true;
	w->simplify_by_decoration |= by_decoration;
}

static bool order_option(struct rev_walk *w, const char *arg)
{
	if (!strcmp(arg, "--parents"))
		w->want_parents = w->print_parents = true;
	else if (!strcmp(arg, "--children"))
		w->want_children = true;
	else if (!strcmp(arg, "--simplify-merges") || !strcmp(arg, "--simplify-by-decoration"))
		simplify_merges(w, !strcmp(arg, "--simplify-by-decoration"));
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
	else if (!strcmp(arg, "--cherry"))
		w->cherry_mark = w->right_only = true, w->max_parents = 1;
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
		rev_grep_of(w)->type = GREP_EXTENDED;
	else if (!strcmp(arg, "--basic-regexp"))
		rev_grep_of(w)->type = GREP_BASIC;
	else if (!strcmp(arg, "--fixed-strings") || !strcmp(arg, "-F"))
		rev_grep_of(w)->type = GREP_FIXED;
	else if (!strcmp(arg, "--perl-regexp") || !strcmp(arg, "-P"))
		rev_grep_of(w)->type = GREP_PERL;
	else if (!strcmp(arg, "--all-match"))
		rev_grep_of(w)->all_match = true;
	else if (!strcmp(arg, "--invert-grep"))
		rev_grep_of(w)->invert = true;
	else
		return false;
	return true;
}

static int ancestry_option(struct rev_walk *w, const char *arg, struct err *err)
{
	const char *value;
	struct object_id oid;
	struct commit *c;
	int rc;

	if (!strcmp(arg, "--ancestry-path")) {
		w->ancestry_path = w->ancestry_of_range = true;
		return 1;
	}
	if (!skip_prefix(arg, "--ancestry-path=", &value))
		return 0;
	rc = rev_resolve(w, value, &oid, NULL, err);
	if (!rc)
		rc = rev_peel_commit(w, &oid, &c, err);
	if (rc == ERR_NOT_FOUND)
		return err_set(err, ERR_INVALID, "could not get commit for --ancestry-path argument %s", value);
	if (rc < 0)
		return rc;
	w->ancestry_path = true;
	commit_list_add(&w->ancestry_bottoms, c);
	return 1;
}

/* One or the other; but --cherry, which marks, may come after --cherry-pick. */
static int cherry_option(struct rev_walk *w, const char *arg, struct err *err)
{
	bool pick = !strcmp(arg, "--cherry-pick");

	if (pick ? w->cherry_mark : w->cherry_pick)
		return refuse_pair(pick ? "--cherry-mark" : "--cherry-pick", arg, err);
	*(pick ? &w->cherry_pick : &w->cherry_mark) = true;
	return 1;
}

/* --glob=, --exclude=, --exclude-hidden=, which may come from standard input. */
static int pseudo_option(struct rev_walk *w, const char *const *argv, struct err *err)
{
	if (!starts_with(argv[0], "--glob=") && !starts_with(argv[0], "--exclude=") &&
	    !starts_with(argv[0], "--exclude-hidden="))
		return 0;
	return value_option(w, argv, err);
}

/* Returns how many arguments it used; 0: no option of the walk. */
static int walk_option(struct rev_walk *w, const char *const *argv, struct err *err)
{
	const char *arg = argv[0];
	int rc;

	if (!strcmp(arg, "--cherry-pick") || !strcmp(arg, "--cherry-mark"))
		return cherry_option(w, arg, err);
	if (flag_option(w, arg) || order_option(w, arg) || pattern_option(w, arg))
		return 1;
	rc = count_option(w, argv, err);
	if (!rc)
		rc = rev_input_option(w, arg, err);
	if (!rc)
		rc = value_option(w, argv, err);
	return rc ? rc : ancestry_option(w, arg, err);
}

/* ---- paths ---- */

static bool has_files(const struct rev_walk *w)
{
	return w->repo->worktree && !w->repo->cwd_outside;
}

static int check_path(struct rev_walk *w, const char *arg, bool first, struct err *err)
{
	struct revparse_result res;
	int rc;

	if (*arg == '-')
		return err_set(err, ERR_INVALID,
			       "option '%s' must come before non-option arguments", arg);
	if (path_arg_is_pattern(arg) || (has_files(w) && path_arg_exists(w->repo->prefix, arg)))
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

/* "^x" and "x^!" are checked as x. */
static int check_not_a_path(struct rev_walk *w, const char *arg, struct err *err)
{
	size_t len = strlen(arg += *arg == '^');
	char *name = xmemdupz(arg, ends_with(arg, "^!") ? len - 2 : len);
	int rc = 0;

	if (has_files(w) && path_arg_exists(w->repo->prefix, name))
		rc = err_set(err, ERR_INVALID, "ambiguous argument '%s': both revision and filename\n"
			     "Use '--' to separate paths from revisions, like this:\n"
			     "'git <command> [<revision>...] -- [<file>...]'", name);
	free(name);
	return rc;
}

static int set_paths(struct rev_walk *w, const struct strvec *paths, struct err *err)
{
	int rc;

	if (!paths->nr)
		return 0;
	rc = pathspec_parse(&w->pathspec, w->repo->prefix, w->repo->worktree,
			    (const char *const *)paths->v, 0, err);
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
	if (w->oldest && w->reflogs)
		return err_set(err, ERR_UNSUPPORTED, "--max-count-oldest is not available with "
			       "--walk-reflogs");
	if (w->boundary && w->maximal_only)
		return err_set(err, ERR_INVALID, "options '%s' and '%s' cannot be used together",
			       "--boundary", "--maximal-only");
	if (w->want_parents && w->want_children)
		return refuse_pair("--parents", "--children", err);
	if (w->left_only && w->right_only)
		return err_set(err, ERR_INVALID, "options '%s' and '%s' cannot be used together",
			       "--left-only", "--right-only");
	if (!w->reflogs && rev_has_field(w, REV_GREP_REFLOG))
		return err_set(err, ERR_INVALID, "the option '%s' requires '%s'",
			       "--grep-reflog", "--walk-reflogs");
	return 0;
}

/* ---- --stdin ---- */

static int stdin_line(struct rev_walk *w, const char *line, bool no_more_options, struct err *err)
{
	const char *const argv[] = { line, NULL };
	int rc;

	if (*line == '-' && !no_more_options) {
		if (!strcmp(line, "--not")) {
			w->negate = !w->negate;
			return 0;
		}
		rc = rev_input_option(w, line, err);
		if (!rc && strchr(line, '='))
			rc = pseudo_option(w, argv, err);
		if (!rc)
			return err_set(err, ERR_INVALID, "invalid option '%s' in --stdin mode", line);
		return rc < 0 ? rc : 0;
	}
	rc = rev_add_argument(w, line, err);
	if (rc == ERR_NOT_FOUND && w->ignore_missing)
		return 0;
	if (rc == ERR_NOT_FOUND || rc == ERR_AMBIGUOUS)
		return err_set(err, ERR_INVALID, "bad revision '%s'", line);
	return rc;
}

/* Revisions up to an empty line or "--", behind which paths come. --not holds for them alone. */
static int read_stdin(struct rev_walk *w, struct strvec *paths, struct err *err)
{
	struct strbuf line = STRBUF_INIT;
	bool negate = w->negate, in_paths = false, no_more_options = false;
	int rc = 0;

	w->negate = false;
	while (!rc && !strbuf_getline(&line, stdin)) {
		if (in_paths)
			strvec_push(paths, line.buf);
		else if (!line.len)
			break;
		else if (!strcmp(line.buf, "--"))
			in_paths = true;
		else if (!no_more_options && !strcmp(line.buf, "--end-of-options"))
			no_more_options = true;
		else
			rc = stdin_line(w, line.buf, no_more_options, err);
	}
	strbuf_release(&line);
	w->negate = negate;
	w->read_stdin = true;
	return rc;
}

/* ---- all of it ---- */

struct arguments {
	struct rev_walk *w;
	const char **argv;
	int argc, dashdash; /* argc: there is none */
	const struct rev_hooks *hooks;
	struct strvec paths;
	bool no_more_options;
};

/* How many arguments were used; 0: paths from here on; < 0. */
static int take_argument(struct arguments *a, int i, struct err *err)
{
	const char *arg = a->argv[i];
	bool never_a_path = a->dashdash < a->argc || *arg == '^';
	int rc;

	if (*arg == '-' && !a->no_more_options) {
		a->no_more_options = !strcmp(arg, "--end-of-options");
		if (a->no_more_options)
			return 1;
		if (strcmp(arg, "--stdin"))
			return one_option(a->w, a->argv + i, a->hooks, err);
		if (a->w->read_stdin)
			return err_set(err, ERR_INVALID, "--stdin given twice?");
		rc = read_stdin(a->w, &a->paths, err);
		return rc < 0 ? rc : 1;
	}
	rc = rev_add_argument(a->w, arg, err);
	if (rc == ERR_NOT_FOUND && a->w->ignore_missing) {
		a->w->input_given = true;
		return 1;
	}
	if (rc == ERR_AMBIGUOUS || (rc == ERR_NOT_FOUND && never_a_path))
		return revparse_explain(a->w->repo, arg, never_a_path, err);
	if (rc == ERR_NOT_FOUND)
		return 0;
	if (!rc && a->dashdash == a->argc)
		rc = check_not_a_path(a->w, arg, err);
	return rc < 0 ? rc : 1;
}

static int take_arguments(struct arguments *a, struct err *err)
{
	int i, first, used = 1, rc = 0;

	for (i = 1; i < a->dashdash; i += used) {
		used = take_argument(a, i, err);
		if (used <= 0)
			break;
	}
	if (used < 0)
		return used;
	if (i >= a->dashdash)
		i = a->dashdash < a->argc ? a->dashdash + 1 : a->argc;
	for (first = i; !rc && i < a->argc; i++) {
		if (!used)
			rc = check_path(a->w, a->argv[i], i == first, err);
		strvec_push(&a->paths, a->argv[i]);
	}
	return rc;
}

int rev_walk_arguments(struct rev_walk *w, int argc, const char **argv,
		       const struct rev_hooks *hooks, struct err *err)
{
	struct arguments a = { w, argv, argc, argc, hooks, STRVEC_INIT, false };
	int rc;

	for (int i = 1; i < argc && a.dashdash == argc; i++)
		if (!strcmp(argv[i], "--"))
			a.dashdash = i;
	rc = take_arguments(&a, err);
	if (!rc)
		rc = set_paths(w, &a.paths, err);
	strvec_clear(&a.paths);
	if (!rc && w->conflicts)
		rc = rev_walk_conflicts(w, err);
	return rc ? rc : check_combinations(w, err);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * git-update-index(1). Options act in the order of the command line, between
 * the paths: each path is handled by the options in front of it.
 */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "index/index.h"
#include "object/dotfile.h"
#include "operation/operation.h"
#include "util/alloc.h"
#include "util/path.h"
#include "util/quote.h"
#include "history/names/revparse.h"
#include "attr/attr.h"
#include "worktree/worktree.h"

static const char *const usage[] = {
	"git update-index [<options>] [--] [<file>...]",
	NULL
};

enum mark { MARK_NOTHING, MARK_SET, MARK_CLEAR };

struct updater {
	struct repository *r;
	const char *prefix;
	struct index_state ix;
	struct repo_operation *op;
	struct err lock_err; /* why the index is not locked */
	struct converter *conv;

	int add, remove, force_remove, replace, info_only, verbose, nul;
	unsigned quiet, ignore_missing, allow_unmerged, ignore_submodules;
	int ignore_skip_worktree;
	int index_version, show_version, force_write, from_stdin;
	enum mark mark_valid, mark_skip;
	int flip; /* --chmod: '+', '-' or 0 */
	bool has_errors;
};

static void report(const struct updater *u, const char *fmt, ...) PRINTF_LIKE(2, 3);
static void report(const struct updater *u, const char *fmt, ...)
{
	va_list ap;

	if (!u->verbose)
		return;
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
}

static struct converter *update_index_converter(struct updater *u)
{
	struct err err = ERR_INIT;

	if (!u->conv && converter_new(&u->conv, u->r, &u->ix, ATTR_CHECKIN, &err) < 0)
		die_err(&err);
	return u->conv;
}

/* ---- entries ---- */

/* Without --add only paths that are in the index already may be added, in whatever stage. */
static bool may_add(const struct updater *u, const char *path)
{
	size_t len = strlen(path);
	ssize_t pos = index_pos(&u->ix, path, len, 0);

	if (u->add || pos >= 0)
		return true;
	pos = -1 - pos;
	return (size_t)pos < u->ix.nr && !strcmp(u->ix.entries[pos]->name, path);
}

static int put(struct updater *u, struct index_entry *e)
{
	struct err err = ERR_INIT;
	int ret = may_add(u, e->name) ? 0 : -1;

	if (!ret && index_add(&u->ix, e, u->replace ? INDEX_ADD_REPLACE : 0,
			      u->r->settings.protect, &err) < 0) {
		report_error(&err);
		ret = -1;
	}
	if (ret)
		error("%s: cannot add to the index - missing --add option?", e->name);
	return ret;
}

static int update_index_remove_path(struct updater *u, const char *path)
{
	index_remove(&u->ix, path, strlen(path));
	return 0;
}

static int remove_missing(struct updater *u, const char *path)
{
	if (!u->remove)
		return error("%s: does not exist and --remove not passed", path);
	return update_index_remove_path(u, path);
}

static bool wants_to_write(struct updater *u)
{
	struct err err = ERR_INIT;

	if (u->info_only)
		return false;
	if (repo_operation_open_objects(u->op, &err) < 0)
		die_err(&err);
	return true;
}

static bool ignores_stat(struct updater *u)
{
	bool on = false;

	config_get_bool(u->r->config, "core.ignorestat", &on, NULL);
	return on;
}

static int update_index_add_file(struct updater *u, const char *path, const struct stat *st)
{
	struct index_entry *old = index_find(&u->ix, path, strlen(path)), *e;
	struct object_id oid;
	struct err err = ERR_INIT;

	if (old && !S_ISDIR(st->st_mode) &&
	    !index_entry_stat_match(&u->ix, old, st, &u->r->settings))
		return 0; /* up to date */
	if (worktree_hash_path(u->r, update_index_converter(u), path, st,
			       !S_ISDIR(st->st_mode) && wants_to_write(u), &oid, NULL, &err) < 0)
		return report_error(&err), -1;
	e = index_entry_new(&u->ix,
			    worktree_mode(&u->r->settings, st->st_mode,
					  index_find_ours(&u->ix, path, strlen(path))),
			    &oid, path, strlen(path), 0);
	stat_data_fill(&e->stat, st);
	if (ignores_stat(u))
		e->flags |= CE_ASSUME_VALID;
	else if (S_ISREG(st->st_mode))
		e->flags |= CE_UPTODATE;
	return put(u, e);
}

/* A directory: what a gitlink may be. */
static int add_dir(struct updater *u, const char *path, const struct stat *st)
{
	struct index_entry *old = index_find(&u->ix, path, strlen(path));
	struct object_id head;
	bool is_repo = !gitlink_resolve_head(path, u->r->algo, &head, NULL);

	if (old && MODE_IS_GITLINK(old->mode))
		return is_repo ? update_index_add_file(u, path, st) : 0;
	if (old)
		return remove_missing(u, path);
	if (index_has_dir(&u->ix, path, strlen(path)))
		return error("%s: is a directory - add individual files instead", path);
	if (is_repo)
		return update_index_add_file(u, path, st);
	return error("%s: is a directory - add files inside instead", path);
}

static int process_path(struct updater *u, const char *path, const struct stat *st, int stat_errno)
{
	const struct index_entry *old = index_find(&u->ix, path, strlen(path));

	if (worktree_leading_symlink(path, strlen(path)))
		return error("'%s' is beyond a symbolic link", path);
	if (old && old->flags & CE_SKIP_WORKTREE) {
		if (!u->ignore_skip_worktree && u->remove)
			update_index_remove_path(u, path);
		return 0;
	}
	if (stat_errno == ENOENT || stat_errno == ENOTDIR)
		return remove_missing(u, path);
	if (stat_errno)
		return error("lstat(\"%s\"): %s", path, strerror(stat_errno));
	if (S_ISDIR(st->st_mode))
		return add_dir(u, path, st);
	if (!S_ISREG(st->st_mode) && !S_ISLNK(st->st_mode))
		return error("%s: unsupported file type", path);
	return update_index_add_file(u, path, st);
}

/* ---- flags ---- */

static void set_flag(struct updater *u, const char *path, unsigned flag, enum mark mark)
{
	struct index_entry *e = index_find(&u->ix, path, strlen(path));

	if (!e)
		die("Unable to mark file %s", path);
	if (mark == MARK_SET)
		e->flags |= flag;
	else
		e->flags &= ~flag;
	u->ix.changed = true;
}

static void chmod_path(struct updater *u, const char *path)
{
	struct index_entry *old = index_find(&u->ix, path, strlen(path)), *e;

	if (!old || !MODE_IS_FILE(old->mode))
		die("git update-index: cannot chmod %cx '%s'", u->flip, path);
	e = index_entry_new(&u->ix, u->flip == '+' ? MODE_EXEC : MODE_FILE, &old->oid, path,
			    strlen(path), 0);
	e->stat = old->stat;
	e->flags = old->flags & ~CE_UPTODATE;
	if (put(u, e))
		die("git update-index: cannot chmod %cx '%s'", u->flip, path);
	u->ix.changed = true;
	report(u, "chmod %cx '%s'", u->flip, path);
}

/* ---- one path ---- */

static void update_one(struct updater *u, const char *path)
{
	struct stat st = { 0 };
	int stat_errno = lstat(path, &st) < 0 ? errno : 0;

	if (!*path || !path_is_safe(path, canonical_mode(st.st_mode), u->r->settings.protect)) {
		fprintf(stderr, "Ignoring path %s\n", path);
		return;
	}
	if (u->mark_valid) {
		set_flag(u, path, CE_ASSUME_VALID, u->mark_valid);
		return;
	}
	if (u->mark_skip) {
		set_flag(u, path, CE_SKIP_WORKTREE, u->mark_skip);
		return;
	}
	if (u->force_remove) {
		update_index_remove_path(u, path);
		report(u, "remove '%s'", path);
		return;
	}
	if (process_path(u, path, &st, stat_errno))
		die("Unable to process path %s", path);
	report(u, "add '%s'", path);
}

/* Entries that are given as text need none. */
static void need_worktree(const struct updater *u)
{
	struct err err = ERR_INIT;

	if (repo_enter_worktree(u->r, &err) < 0)
		die_err(&err);
}

/* As typed, made relative to the top. Caller frees. */
static char *full_path(const struct updater *u, const char *typed)
{
	struct strbuf sb = STRBUF_INIT;
	const char *rest;

	if (is_absolute_path(typed)) {
		strbuf_addstr(&sb, typed);
		rest = strbuf_path_normalize(&sb) < 0 || !u->r->worktree ? NULL :
			path_inside(sb.buf, u->r->worktree);
		if (!rest)
			die("'%s' is outside repository at '%s'", typed, u->r->worktree);
		rest = xstrdup(rest);
		strbuf_release(&sb);
		return (char *)rest;
	}
	strbuf_addf(&sb, "%s%s", u->prefix ? u->prefix : "", typed);
	if (strbuf_path_normalize(&sb) < 0)
		die("'%s' is outside repository at '%s'", typed, u->r->worktree);
	return strbuf_detach(&sb, NULL);
}

static void handle_path(struct updater *u, const char *typed)
{
	char *path = full_path(u, typed);

	need_worktree(u);
	update_one(u, path);
	if (u->flip)
		chmod_path(u, path);
	free(path);
}

/* ---- entries as text ---- */

static int add_cacheinfo(struct updater *u, unsigned mode, const struct object_id *oid,
			 const char *path, unsigned stage)
{
	struct index_entry *e;

	mode = MODE_IS_SYMLINK(mode) ? MODE_SYMLINK :
	       MODE_IS_GITLINK(mode) || MODE_IS_TREE(mode) ? MODE_GITLINK :
	       mode & 0100 ? MODE_EXEC : MODE_FILE;
	if (!*path || !path_is_safe(path, mode, u->r->settings.protect))
		return error("Invalid path '%s'", path);
	e = index_entry_new(&u->ix, mode, oid, path, strlen(path), stage);
	if (ignores_stat(u))
		e->flags |= CE_ASSUME_VALID;
	if (put(u, e))
		return -1;
	report(u, "add '%s'", path);
	return 0;
}

static bool update_index_parse_mode(const char *s, const char **end, unsigned *mode)
{
	char *stop;
	unsigned long v;

	if (*s < '0' || *s > '7')
		return false;
	v = strtoul(s, &stop, 8);
	*mode = (unsigned)v;
	*end = stop;
	return v <= 0777777;
}

/* "<mode>,<oid>,<path>" */
static int parse_cacheinfo(const struct option *opt, const char *arg, int unset)
{
	struct updater *u = opt->value;
	struct object_id oid;
	unsigned mode;
	const char *p;

	(void)unset;
	if (!update_index_parse_mode(arg, &p, &mode) || *p != ',' ||
	    oid_parse_hex(&oid, p + 1, u->r->algo, &p) < 0 || *p != ',')
		return error("option 'cacheinfo' expects <mode>,<sha1>,<path>");
	if (add_cacheinfo(u, mode, &oid, p + 1, 0))
		die("git update-index: --cacheinfo cannot add %s", p + 1);
	return 0;
}

struct info_line {
	unsigned mode, stage;
	struct object_id oid;
	const char *path;
};

/* One of "mode SP oid TAB path", "mode SP type SP oid TAB path", "mode SP oid SP stage TAB path". */
static bool parse_info(const struct updater *u, const char *line, struct info_line *out)
{
	const char *p, *tab, *end;

	if (!update_index_parse_mode(line, &p, &out->mode) || *p++ != ' ')
		return false;
	tab = strchr(p, '\t');
	if (!tab)
		return false;
	out->path = tab + 1;
	out->stage = 0;
	if (tab - p >= 2 && tab[-2] == ' ' && tab[-1] >= '0' && tab[-1] <= '3') {
		out->stage = (unsigned)(tab[-1] - '0');
		tab -= 2;
	}
	if ((size_t)(tab - p) < u->r->algo->hex_len)
		return false;
	p = tab - u->r->algo->hex_len;
	return p[-1] == ' ' && !oid_parse_hex(&out->oid, p, u->r->algo, &end) && end == tab;
}

static void apply_info(struct updater *u, const struct info_line *info)
{
	struct strbuf plain = STRBUF_INIT;
	const char *path = info->path, *end;

	if (!u->nul && *path == '"') {
		if (unquote_c_style(&plain, path, &end) < 0 || *end)
			die("git update-index: bad quoting of path name");
		path = plain.buf;
	}
	if (!*path || !path_is_safe(path, info->mode, u->r->settings.protect)) {
		fprintf(stderr, "Ignoring path %s\n", path);
	} else if (!info->mode) {
		update_index_remove_path(u, path);
	} else if (add_cacheinfo(u, info->mode, &info->oid, path, info->stage)) {
		die("git update-index: unable to update %s", path);
	}
	strbuf_release(&plain);
}

static void read_index_info(struct updater *u)
{
	struct strbuf line = STRBUF_INIT;
	struct info_line info;

	u->add = u->replace = u->remove = 1;
	while (!(u->nul ? strbuf_getdelim(&line, stdin, 0) : strbuf_getline_lf(&line, stdin))) {
		if (!parse_info(u, line.buf, &info))
			die("malformed index info %s", line.buf);
		apply_info(u, &info);
	}
	strbuf_release(&line);
}

static void read_paths(struct updater *u)
{
	struct strbuf line = STRBUF_INIT, plain = STRBUF_INIT;

	need_worktree(u);
	while (!(u->nul ? strbuf_getdelim(&line, stdin, 0) : strbuf_getline_lf(&line, stdin))) {
		const char *path = line.buf, *end;

		if (!u->nul && *path == '"') {
			strbuf_reset(&plain);
			if (unquote_c_style(&plain, path, &end) < 0 || *end)
				die("line is badly quoted");
			path = plain.buf;
		}
		handle_path(u, path);
	}
	strbuf_release(&line);
	strbuf_release(&plain);
}

/* ---- refreshing ---- */

static void needs_update(void *data, const struct index_entry *e, enum worktree_change why)
{
	struct updater *u = data;

	if (e->stage && u->allow_unmerged)
		return;
	if (!e->stage && why == WT_DELETED && u->ignore_missing)
		return;
	if (u->quiet || (!e->stage && u->ignore_submodules && MODE_IS_GITLINK(e->mode)))
		return;
	printf("%s: needs %s\n", e->name, e->stage ? "merge" : "update");
	u->has_errors = true;
}

static void update_index_refresh(struct updater *u, bool really)
{
	struct err err = ERR_INIT;

	need_worktree(u);
	if (worktree_refresh(u->r, &u->ix, NULL, update_index_converter(u), really, needs_update, u,
			     &err) < 0)
		die_err(&err);
}

static int do_refresh(const struct option *opt, const char *arg, int unset)
{
	(void)arg;
	(void)unset;
	update_index_refresh(opt->value, opt->defval != 0);
	return 0;
}

/* ---- the rest of the command line ---- */

static void unresolve(struct updater *u, const char *typed)
{
	char *path = full_path(u, typed);
	struct err err = ERR_INIT;

	need_worktree(u);
	if (index_unresolve(&u->ix, path, &err) < 0) {
		report_error(&err);
		u->has_errors = true;
	}
	free(path);
}

static bool equals_head(struct updater *u, bool has_head, const struct object_id *tree,
			const struct index_entry *e)
{
	struct object_id oid;
	unsigned mode;

	return has_head && !tree_lookup_path(odb_source(u->r->odb), tree, e->name, &mode, &oid,
					     NULL) &&
	       mode == e->mode && oid_eq(&oid, &e->oid);
}

/* Paths that differ from HEAD, once more. */
static void do_again(struct updater *u, const char *const *argv)
{
	struct object_id tree;
	bool has_head = !revparse_tree(u->r, "HEAD", &tree, NULL);
	struct strvec paths = STRVEC_INIT;
	struct pathspec ps;
	struct attrs *attrs;
	struct err err = ERR_INIT;

	need_worktree(u);
	if (pathspec_parse(&ps, u->prefix, u->r->worktree, argv, PATHSPEC_PREFER_CWD, &err) < 0 ||
	    attrs_new_for_pathspec(&attrs, &ps, u->r, &u->ix, &err) < 0)
		die_err(&err);
	for (size_t i = 0; i < u->ix.nr; i++) {
		const struct index_entry *e = u->ix.entries[i];

		if (!e->stage && pathspec_match(&ps, e->name, e->name_len, false, NULL) &&
		    !equals_head(u, has_head, &tree, e))
			strvec_push(&paths, e->name);
	}
	for (size_t i = 0; i < paths.nr; i++)
		update_one(u, paths.v[i]);
	strvec_clear(&paths);
	attrs_free(attrs);
	pathspec_release(&ps);
}

/* ---- options ---- */

static int set_mark(const struct option *opt, const char *arg, int unset)
{
	(void)arg;
	*(enum mark *)opt->value = unset ? MARK_CLEAR : MARK_SET;
	return 0;
}

static int set_chmod(const struct option *opt, const char *arg, int unset)
{
	(void)unset;
	if (strcmp(arg, "+x") && strcmp(arg, "-x"))
		return error("option 'chmod' expects \"+x\" or \"-x\"");
	*(int *)opt->value = arg[0];
	return 0;
}

static int clear_resolve_undo(const struct option *opt, const char *arg UNUSED, int unset UNUSED)
{
	struct updater *u = opt->value;

	resolve_undo_clear(&u->ix);
	return 0;
}

static int refuse(const struct option *opt, const char *arg, int unset)
{
	(void)arg;
	if (unset) /* switched off is how it is */
		return 0;
	die("update-index --%s is not supported", opt->long_name);
}

enum last_word { LAST_NONE, LAST_STDIN, LAST_INDEX_INFO, LAST_UNRESOLVE, LAST_AGAIN };

/* "--cacheinfo <mode> <oid> <path>" becomes "--cacheinfo=<mode>,<oid>,<path>". */
static int join_cacheinfo(int argc, const char **argv, struct strvec *joined)
{
	int out = 1;

	for (int i = 1; i < argc; i++) {
		bool is_it = !strcmp(argv[i], "--cacheinfo");

		if (!strcmp(argv[i], "--")) {
			while (i < argc)
				argv[out++] = argv[i++];
			break;
		}
		if (is_it && i + 3 < argc && !strchr(argv[i + 1], ',')) {
			argv[out++] = strvec_pushf(joined, "--cacheinfo=%s,%s,%s", argv[i + 1],
						   argv[i + 2], argv[i + 3]);
			i += 3;
		} else {
			argv[out++] = argv[i];
		}
	}
	argv[out] = NULL;
	return out;
}

/* What an option takes that must be the last one, or that takes all that follows. */
static enum last_word find_last_word(int *argc, const char **argv, int *at)
{
	static const struct {
		const char *name;
		size_t shortest; /* abbreviation */
		enum last_word word;
		bool takes_rest;
	} words[] = {
		{ "--stdin", strlen("--st"), LAST_STDIN, false },
		{ "--index-info", strlen("--index-i"), LAST_INDEX_INFO, false },
		{ "--unresolve", strlen("--unr"), LAST_UNRESOLVE, true },
		{ "--again", strlen("--ag"), LAST_AGAIN, true },
		{ "-g", strlen("-g"), LAST_AGAIN, true },
	};

	for (int i = 1; i < *argc && strcmp(argv[i], "--"); i++)
		for (size_t k = 0; k < ARRAY_SIZE(words); k++) {
			if (strlen(argv[i]) < words[k].shortest ||
			    !starts_with(words[k].name, argv[i]))
				continue;
			if (!words[k].takes_rest && i + 1 < *argc) {
				error("option '%s' must be the last argument", words[k].name + 2);
				exit(129);
			}
			*at = i;
			return words[k].word;
		}
	return LAST_NONE;
}

/* For the usage: find_last_word() has taken them out already. */
#define LAST_OPTION(s, l, v, h) { OPTION_BOOL, (s), (l), OPT_VALUE(int, (v)), NULL, (h), PARSE_OPT_NONEG, NULL, 1 }

static void parse_with_last_word(struct updater *u, const struct option *opts, int argc,
				 const char **argv)
{
	struct strvec joined = STRVEC_INIT;
	int end = 0;
	enum last_word last;
	const char **rest;
	int nr;

	argc = join_cacheinfo(argc, argv, &joined);
	last = find_last_word(&argc, argv, &end);
	rest = argv + (last ? end + 1 : argc);
	nr = last ? end : argc;
	/* the rest is cut off while the options in front of it are parsed */
	rest = last ? xmemdup(rest, (size_t)(argc - end) * sizeof(*rest)) : NULL;
	if (last)
		argv[end] = NULL;
	for (;;) {
		nr = parse_options(nr, argv, opts, usage,
				   PARSE_OPT_STOP_AT_NON_OPTION | PARSE_OPT_KEEP_DASHDASH);
		if (!nr || !strcmp(argv[0], "--"))
			break;
		handle_path(u, argv[0]);
	}
	for (int i = 1; i < nr; i++)
		handle_path(u, argv[i]);
	if (last == LAST_STDIN)
		read_paths(u);
	else if (last == LAST_INDEX_INFO)
		read_index_info(u);
	else if (last == LAST_AGAIN)
		do_again(u, rest); /* "--" is a path like others here, as in stock Git */
	for (const char **p = rest; last == LAST_UNRESOLVE && *p; p++)
		unresolve(u, *p);
	free(rest);
	strvec_clear(&joined);
}

static void parse_and_run(struct updater *u, int argc, const char **argv)
{
	struct option opts[] = {
		OPT_BIT('q', NULL, &u->quiet, "continue refresh even when index needs update", 1),
		OPT_BIT(0, "ignore-submodules", &u->ignore_submodules,
			"refresh: ignore submodules", 1),
		OPT_SET_INT(0, "add", &u->add, "do not ignore new files", 1),
		OPT_SET_INT(0, "replace", &u->replace,
			    "let files replace directories and vice-versa", 1),
		OPT_SET_INT(0, "remove", &u->remove, "notice files missing from worktree", 1),
		OPT_BIT(0, "unmerged", &u->allow_unmerged,
			"refresh even if index contains unmerged entries", 1),
		{ OPTION_CALLBACK, 0, "refresh", u, NULL, "refresh stat information",
		  PARSE_OPT_NOARG | PARSE_OPT_NONEG, do_refresh, 0 },
		{ OPTION_CALLBACK, 0, "really-refresh", u, NULL,
		  "like --refresh, but ignore assume-unchanged setting",
		  PARSE_OPT_NOARG | PARSE_OPT_NONEG, do_refresh, 1 },
		OPT_CALLBACK_F(0, "cacheinfo", u, "<mode>,<object>,<path>",
			       "add the specified entry to the index", PARSE_OPT_NONEG,
			       parse_cacheinfo),
		OPT_CALLBACK_F(0, "chmod", &u->flip, "(+|-)x",
			       "override the executable bit of the listed files",
			       PARSE_OPT_NONEG, set_chmod),
		OPT_CALLBACK_F(0, "assume-unchanged", &u->mark_valid, NULL,
			       "mark files as \"not changing\"", PARSE_OPT_NOARG, set_mark),
		OPT_CALLBACK_F(0, "skip-worktree", &u->mark_skip, NULL,
			       "mark files as \"index-only\"", PARSE_OPT_NOARG, set_mark),
		OPT_BOOL(0, "ignore-skip-worktree-entries", &u->ignore_skip_worktree,
			 "do not touch index-only entries"),
		OPT_SET_INT(0, "info-only", &u->info_only,
			    "add to index only; do not add content to object database", 1),
		OPT_SET_INT(0, "force-remove", &u->force_remove,
			    "remove named paths even if present in worktree", 1),
		OPT_BOOL('z', NULL, &u->nul,
			 "with --stdin: input lines are terminated by null bytes"),
		LAST_OPTION(0, "stdin", &u->from_stdin,
			    "read list of paths to be updated from standard input"),
		LAST_OPTION(0, "index-info", &u->from_stdin,
			    "add entries from standard input to the index"),
		LAST_OPTION(0, "unresolve", &u->from_stdin,
			    "repopulate stages #2 and #3 for the listed paths"),
		LAST_OPTION('g', "again", &u->from_stdin,
			    "only update entries that differ from HEAD"),
		OPT_CALLBACK_F(0, "clear-resolve-undo", u, NULL,
			       "forget saved unresolved conflicts",
			       PARSE_OPT_NOARG | PARSE_OPT_NONEG, clear_resolve_undo),
		OPT_BIT(0, "ignore-missing", &u->ignore_missing,
			"ignore files missing from worktree", 1),
		OPT_SET_INT(0, "verbose", &u->verbose, "report actions to standard output", 1),
		OPT_INTEGER(0, "index-version", &u->index_version,
			    "write index in this format"),
		OPT_BOOL(0, "show-index-version", &u->show_version,
			 "report on-disk index format version"),
		OPT_CALLBACK_F(0, "split-index", u, NULL, "enable or disable split index",
			       PARSE_OPT_NOARG, refuse),
		OPT_CALLBACK_F(0, "untracked-cache", u, NULL, "enable/disable untracked cache",
			       PARSE_OPT_NOARG, refuse),
		OPT_CALLBACK_F(0, "test-untracked-cache", u, NULL,
			       "test if the filesystem supports untracked cache",
			       PARSE_OPT_NOARG, refuse),
		OPT_CALLBACK_F(0, "force-untracked-cache", u, NULL,
			       "enable untracked cache without testing the filesystem",
			       PARSE_OPT_NOARG, refuse),
		OPT_BOOL(0, "force-write-index", &u->force_write,
			 "write out the index even if is not flagged as changed"),
		OPT_CALLBACK_F(0, "fsmonitor", u, NULL, "enable or disable file system monitor",
			       PARSE_OPT_NOARG, refuse),
		OPT_CALLBACK_F(0, "fsmonitor-valid", u, NULL,
			       "mark files as fsmonitor valid", PARSE_OPT_NOARG, refuse),
		OPT_END()
	};

	parse_with_last_word(u, opts, argc, argv);
}

/* ---- the command ---- */

static void choose_version(struct updater *u)
{
	if (u->show_version)
		printf("%u\n", u->ix.version);
	if (!u->index_version)
		return;
	if (u->index_version < 2 || u->index_version > 4)
		die("index-version %d not in range: 2..4", u->index_version);
	if ((unsigned)u->index_version != u->ix.version)
		u->ix.changed = true;
	u->ix.version = (unsigned)u->index_version;
}

/* An entry that no index may have. */
static NORETURN void die_of_entry(struct err *err)
{
	char *reason = xstrfmt("error: %s\n", err_message(err));

	err_set_preface(err, reason);
	err_reword(err, "Unable to write new index file");
	free(reason);
	die_err(err);
}

static void update_index_publish(struct updater *u)
{
	struct err err = ERR_INIT;
	int rc;

	if (u->ix.changed || u->force_write) {
		if (u->lock_err.code && u->quiet)
			exit(128);
		if (u->lock_err.code)
			die_err(&u->lock_err);
		repo_operation_set_index(u->op, &u->ix);
		repo_operation_set_index_effects(u->op, INDEX_CHANGED_SKIP_WORKTREE);
	}
	rc = repo_operation_end(u->op, 0, &err);
	if (rc == ERR_INVALID)
		die_of_entry(&err);
	if (rc < 0)
		die_err(&err);
}

int cmd_update_index(int argc, const char **argv, struct command_ctx *ctx)
{
	struct updater u = { .r = ctx->repo, .prefix = ctx->prefix };
	struct err err = ERR_INIT;

	if (!u.r) /* asked for its usage */
		parse_and_run(&u, argc, argv);
	err_init(&u.lock_err);
	u.op = repo_operation_begin(u.r);
	/* a refresh that changes nothing needs no lock */
	if (repo_operation_lock_index(u.op, &u.lock_err) == ERR_OK)
		err_release(&u.lock_err);
	if (index_read_repo(&u.ix, u.r, &err) < 0)
		die_err(&err);
	parse_and_run(&u, argc, argv);
	choose_version(&u);
	update_index_publish(&u);
	err_release(&u.lock_err);
	converter_free(u.conv);
	index_release(&u.ix);
	return u.has_errors ? 1 : 0;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* git-checkout-index(1) */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "cli/path-args.h"
#include "fs/file.h"
#include "object/dotfile.h"
#include "operation/operation.h"
#include "util/alloc.h"
#include "util/path.h"
#include "util/quote.h"
#include "util/string-list.h"
#include "worktree/worktree.h"
#include "worktree/write-files.h"

static const char *const usage[] = { "git checkout-index [<options>] [--] [<file>...]", NULL };

#define STAGE_ALL 4

struct checkout_index {
	struct repository *repo;
	const char *prefix; /* of the directory in which the command was started; "" */
	int all, ignore_skip, force, quiet, no_create, update, nul, from_stdin, temp, stage;
	const char *out_prefix; /* --prefix; NULL: none */
	struct index_state ix;
	struct repo_operation *op; /* NULL: the index is not written */
	struct converter *conv;
	bool failed;
};

static void note_error(struct checkout_index *c, struct err *err)
{
	report_error(err);
	c->failed = true;
}

/* ---- temporary files ---- */

static void print_temp(const struct checkout_index *c, const char *temps, const char *name)
{
	struct strbuf line = STRBUF_INIT, rel = STRBUF_INIT;

	strbuf_add_from_prefix(&rel, name, c->prefix);
	strbuf_addf(&line, "%s\t", temps);
	if (c->nul)
		strbuf_addbuf(&line, &rel);
	else
		quote_c_style(&line, rel.buf, rel.len, c->repo->settings.quote_path);
	strbuf_addch(&line, c->nul ? '\0' : '\n');
	fwrite(line.buf, 1, line.len, stdout);
	strbuf_release(&rel);
	strbuf_release(&line);
}

/* The entries from `pos` to `end` have the same name: one file, or one for each stage. */
static void write_temps(struct checkout_index *c, size_t pos, size_t end)
{
	const char *name = c->ix.entries[pos]->name;
	struct strbuf temps = STRBUF_INIT;
	struct err err = ERR_INIT;
	bool any = false;

	for (unsigned stage = c->stage == STAGE_ALL ? 1 : (unsigned)c->stage; stage <= 3; stage++) {
		size_t len;

		if (temps.len)
			strbuf_addch(&temps, ' ');
		len = temps.len;
		for (size_t i = pos; i < end; i++) {
			if (c->ix.entries[i]->stage != stage)
				continue;
			if (worktree_checkout_temp(c->repo, c->ix.entries[i], c->conv, &temps, &err) < 0)
				note_error(c, &err);
			else
				any = true;
		}
		if (temps.len == len)
			strbuf_addch(&temps, '.');
		if (c->stage != STAGE_ALL)
			break;
	}
	if (any)
		print_temp(c, temps.buf, name);
	strbuf_release(&temps);
}

/* ---- files ---- */

static int compare_file(struct checkout_index *c, struct index_entry *e, const struct stat *st,
			bool *same, struct err *err)
{
	unsigned diff = index_entry_stat_match(&c->ix, e, st, &c->repo->settings);
	enum worktree_change change;
	unsigned mode;
	int rc;

	*same = !diff;
	if (diff != MATCH_RACY || c->out_prefix)
		return 0;
	rc = worktree_entry_changed(c->repo, &c->ix, e, c->conv, &change, NULL, &mode, err);
	*same = !rc && change == WT_UNCHANGED;
	return rc;
}

/* 1: there is nothing to do; 0: the place is free. */
static int make_room(struct checkout_index *c, struct index_entry *e, const char *path, struct err *err)
{
	struct stat st;
	bool same;
	int rc;

	if (lstat(path, &st) < 0)
		return c->no_create ? 1 : c->force ? worktree_clear_parents(path, c->out_prefix ? strlen(c->out_prefix) : 0, err) : 0;
	if (MODE_IS_GITLINK(e->mode) && S_ISDIR(st.st_mode))
		return 1;
	rc = compare_file(c, e, &st, &same, err);
	if (rc || same)
		return rc < 0 ? rc : 1;
	if (!c->force) {
		if (!c->quiet)
			fprintf(stderr, "%s already exists, no checkout\n", path);
		c->failed = true;
		return 1;
	}
	rc = worktree_clear_parents(path, c->out_prefix ? strlen(c->out_prefix) : 0, err);
	if (!rc && !lstat(path, &st))
		rc = S_ISDIR(st.st_mode) ? worktree_remove_directory(path, err) : remove_file(path, err);
	return rc;
}

static void write_file(struct checkout_index *c, struct index_entry *e)
{
	char *path = xstrfmt("%s%s", c->out_prefix ? c->out_prefix : "", e->name);
	const struct checkout_options o = { .prefix = c->out_prefix };
	struct err err = ERR_INIT;
	int rc = 0;

	if (!path_is_safe(e->name, e->mode, c->repo->settings.protect))
		rc = err_set(&err, ERR_INVALID, "invalid path '%s'", e->name);
	if (!rc)
		rc = make_room(c, e, path, &err);
	if (!rc)
		rc = worktree_checkout_entry(c->repo, &c->ix, e, c->conv, &o, &err);
	if (rc < 0)
		note_error(c, &err);
	free(path);
}

/* ---- which entries ---- */

static bool is_wanted_stage(const struct checkout_index *c, const struct index_entry *e)
{
	return c->stage == STAGE_ALL ? e->stage > 0 : (int)e->stage == c->stage;
}

static size_t end_of_name(const struct checkout_index *c, size_t pos)
{
	size_t end = pos + 1;

	while (end < c->ix.nr && !strcmp(c->ix.entries[end]->name, c->ix.entries[pos]->name))
		end++;
	return end;
}

/* The entries of one name. False: none of them is wanted. */
static bool check_out_name(struct checkout_index *c, size_t pos, size_t end)
{
	size_t wanted = 0;

	for (size_t i = pos; i < end; i++) {
		struct index_entry *e = c->ix.entries[i];

		if (!is_wanted_stage(c, e) || ((e->flags & CE_SKIP_WORKTREE) && !c->ignore_skip))
			continue;
		wanted++;
		if (!c->temp)
			write_file(c, e);
	}
	if (wanted && c->temp)
		write_temps(c, pos, end);
	return wanted > 0;
}

static void report_missing(struct checkout_index *c, const char *name, size_t pos, size_t end)
{
	if (c->stage == STAGE_ALL && end > pos)
		return; /* not unmerged: left out */
	c->failed = true;
	if (c->quiet)
		return;
	fprintf(stderr, "git checkout-index: %s ", name);
	if (pos == end)
		fprintf(stderr, "is not in the cache\n");
	else if (c->ix.entries[pos]->flags & CE_SKIP_WORKTREE && !c->ignore_skip)
		fprintf(stderr, "has skip-worktree enabled; use '--ignore-skip-worktree-bits' to checkout\n");
	else if (c->stage)
		fprintf(stderr, "does not exist at stage %d\n", c->stage);
	else
		fprintf(stderr, "is unmerged\n");
}

static void check_out_path(void *data, const char *arg)
{
	struct checkout_index *c = data;
	const char *argv[] = { arg, NULL };
	struct pathspec ps = { 0 };
	struct err err = ERR_INIT;
	const char *name;
	size_t pos, end;
	ssize_t found;

	if (pathspec_parse(&ps, c->prefix, c->repo->worktree, argv, PATHSPEC_LITERAL, &err) < 0)
		die_err(&err);
	name = ps.items[0].match;
	found = index_pos(&c->ix, name, strlen(name), 0);
	pos = end = (size_t)(found < 0 ? -1 - found : found);
	if (pos < c->ix.nr && !strcmp(c->ix.entries[pos]->name, name))
		end = end_of_name(c, pos);
	if (pos == end || !check_out_name(c, pos, end))
		report_missing(c, name, pos, end);
	pathspec_release(&ps);
}

/* Fetches all missing objects of a partial clone together. */
static int checkout_index_prefetch(struct checkout_index *c, struct err *err)
{
	struct string_list paths = { 0 };
	int rc;

	for (size_t i = 0; i < c->ix.nr; i++)
		if (!c->ix.entries[i]->stage && !(c->ix.entries[i]->flags & CE_SKIP_WORKTREE))
			string_list_append(&paths, c->ix.entries[i]->name);
	rc = worktree_write_prepare(c->repo, &c->ix, &paths, err);
	string_list_clear(&paths, NULL);
	return rc;
}

static int check_out_all(struct checkout_index *c, struct err *err)
{
	int rc = c->no_create || c->stage ? 0 : checkout_index_prefetch(c, err);

	for (size_t pos = 0, end; !rc && pos < c->ix.nr; pos = end) {
		end = end_of_name(c, pos);
		if (starts_with(c->ix.entries[pos]->name, c->prefix))
			check_out_name(c, pos, end);
	}
	return rc;
}

static int run_checkout_index(struct checkout_index *c, const char **argv, struct err *err)
{
	int rc = 0;

	if (c->op)
		rc = repo_operation_lock_index(c->op, err);
	if (rc < 0 || (rc = index_read_repo(&c->ix, c->repo, err)) < 0 ||
	    (rc = converter_new(&c->conv, c->repo, &c->ix, c->all ? ATTR_CHECKOUT : ATTR_CHECKIN, err)) < 0)
		return rc;
	for (; *argv; argv++)
		check_out_path(c, *argv);
	if (c->from_stdin)
		each_stdin_path(c->nul, check_out_path, c);
	if (c->all && (rc = check_out_all(c, err)) < 0)
		return rc;
	if (c->op && c->ix.changed)
		repo_operation_set_index(c->op, &c->ix);
	return 0;
}

/* ---- options ---- */

static int parse_stage(const struct option *opt, const char *arg, int unset UNUSED)
{
	int *stage = opt->value;

	if (!strcmp(arg, "all"))
		*stage = STAGE_ALL;
	else if (arg[0] >= '1' && arg[0] <= '3' && !arg[1])
		*stage = arg[0] - '0';
	else
		die("stage should be between 1 and 3 or all");
	return 0;
}

static void checkout_index_parse_arguments(struct checkout_index *c, int argc, const char **argv)
{
	struct option opts[] = {
		OPT_BOOL('a', "all", &c->all, "check out all files in the index"),
		OPT_BOOL(0, "ignore-skip-worktree-bits", &c->ignore_skip,
			 "do not skip files with skip-worktree set"),
		OPT__FORCE(&c->force, "force overwrite of existing files"),
		OPT__QUIET(&c->quiet),
		OPT_BOOL('n', "no-create", &c->no_create, "don't checkout new files"),
		OPT_BOOL('u', "index", &c->update, "update stat information in the index file"),
		OPT_BOOL('z', NULL, &c->nul, "paths are separated with NUL character"),
		OPT_BOOL(0, "stdin", &c->from_stdin, "read list of paths from the standard input"),
		OPT_BOOL(0, "temp", &c->temp, "write the content to temporary files"),
		OPT_STRING(0, "prefix", &c->out_prefix, "string", "when creating files, prepend <string>"),
		OPT_CALLBACK_F(0, "stage", &c->stage, "(1|2|3|all)", "copy out the files from named stage",
			       PARSE_OPT_NONEG, parse_stage),
		OPT_END(),
	};

	argc = parse_options(argc, argv, opts, usage, 0);
	if (c->all && argc)
		die("git checkout-index: don't mix '--all' and explicit filenames");
	if (c->all && c->from_stdin)
		die("git checkout-index: don't mix '--all' and '--stdin'");
	if (c->from_stdin && argc)
		die("git checkout-index: don't mix '--stdin' and explicit filenames");
	c->temp |= c->stage == STAGE_ALL;
	if (c->out_prefix && !*c->out_prefix)
		c->out_prefix = NULL;
	c->update &= !c->temp && !c->out_prefix;
}

int cmd_checkout_index(int argc, const char **argv, struct command_ctx *ctx)
{
	struct checkout_index c = { .repo = ctx->repo, .prefix = ctx->prefix ? ctx->prefix : "" };
	struct err err = ERR_INIT;
	int rc;

	checkout_index_parse_arguments(&c, argc, argv);
	index_init(&c.ix, ctx->repo->algo);
	if (c.update)
		c.op = repo_operation_begin(ctx->repo);
	rc = run_checkout_index(&c, argv, &err);
	if (c.op)
		rc = repo_operation_end(c.op, rc, &err);
	if (rc < 0)
		rc = report_fatal(&err);
	converter_free(c.conv);
	index_release(&c.ix);
	if (finish_stdout() && !rc)
		rc = 128;
	return rc ? rc : c.failed;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* git-grep(1) */
#include "compat/posix.h"
#include "builtin/grep/grep-cmd.h"
#include "history/names/revparse.h"
#include "util/alloc.h"
#include "util/path.h"
#include "util/run-command.h"
#include <locale.h>

/* ---- revisions and paths ---- */

struct revisions {
	const char **names;
	struct object_id *oids;
	size_t nr;
};

static NORETURN void die_no_path(const char *arg)
{
	die("%s: no such path in the working tree.\n"
	    "Use 'git <command> -- <path>...' to specify paths that do not exist locally.", arg);
}

static void check_path(struct grep_cmd *c, const char *arg, bool may_be_revision)
{
	struct err err = ERR_INIT;

	if (*arg == '-')
		die("option '%s' must come before non-option arguments", arg);
	if (path_arg_is_pattern(arg) || path_arg_exists(c->r ? c->r->prefix : NULL, arg))
		return;
	if (!may_be_revision || !c->r)
		die_no_path(arg);
	revparse_explain(c->r, arg, false, &err);
	die_err(&err);
}

/* The arguments in front of the first one that names no object. */
static int take_revisions(struct grep_cmd *c, int argc, bool has_dashdash, struct revisions *out)
{
	bool allowed = c->r && !c->o.no_index && !c->o.untracked;
	struct err err = ERR_INIT;
	int n = 0;

	out->oids = xcalloc((size_t)argc + 1, sizeof(*out->oids));
	out->names = c->rest;
	for (; n < argc && strcmp(c->rest[n], "--"); n++) {
		struct revparse_result found = { 0 };
		int rc = allowed ? revparse_quietly(c->r, c->rest[n], OBJ_ANY, &found, &err) : ERR_NOT_FOUND;

		out->oids[n] = found.oid;
		revparse_result_release(&found);
		if (rc < 0 && has_dashdash && allowed)
			die("unable to resolve revision: %s", c->rest[n]);
		if (rc < 0 && has_dashdash)
			die("--no-index or --untracked cannot be used with revs");
		err_release(&err);
		if (rc < 0)
			break;
		if (!has_dashdash && c->r->worktree && path_arg_exists(c->r->prefix, c->rest[n]))
			die("ambiguous argument '%s': both revision and filename\n"
			    "Use '--' to separate paths from revisions, like this:\n"
			    "'git <command> [<revision>...] -- [<file>...]'", c->rest[n]);
	}
	out->nr = (size_t)n;
	return n;
}

static void take_paths(struct grep_cmd *c, int argc, struct revisions *revs)
{
	struct err err = ERR_INIT;
	bool has_dashdash = false;
	const char **paths;
	int n;

	for (int i = 0; i < argc; i++)
		has_dashdash |= !strcmp(c->rest[i], "--");
	n = take_revisions(c, argc, has_dashdash, revs);
	for (int i = n; !has_dashdash && i < argc; i++)
		check_path(c, c->rest[i], i == n && !c->o.no_index && !c->o.untracked);
	paths = c->rest + n + (n < argc && !strcmp(c->rest[n], "--"));
	if (pathspec_parse(&c->ps, c->r ? c->r->prefix : NULL, c->r ? c->r->worktree : NULL, paths, PATHSPEC_PREFER_CWD, &err) < 0)
		die_err(&err);
}

/* ---- the search ---- */

static void set_up_attributes(struct grep_cmd *c)
{
	struct err err = ERR_INIT;

	c->repo = grep_repo_new(c);
	if (c->r && attrs_new_for_pathspec(&c->ps_attrs, &c->ps, c->r, NULL, &err) < 0)
		die_err(&err);
}

static int search(struct grep_cmd *c, const struct revisions *revs, struct err *err)
{
	int rc = 0;

	if (c->o.no_index || c->o.untracked)
		return grep_directory(c, err);
	if (!revs->nr)
		return grep_index(c, err);
	for (size_t i = 0; !rc && i < revs->nr; i++)
		rc = grep_object(c, revs->names[i], &revs->oids[i], err);
	return rc;
}

/* -O: a pager that can look for the pattern begins at it. */
static int open_pager(struct grep_cmd *c, struct err *err)
{
	const char *pager = c->o.pager ? c->o.pager : pager_program(c->r);
	bool is_less = !strcmp(path_basename(pager), "less"), is_vi = !strcmp(path_basename(pager), "vi");
	struct child_process cp = CHILD_PROCESS_INIT;

	cp.use_shell = true;
	cp.dir = c->r ? c->r->prefix : NULL;
	strvec_push(&cp.args, pager);
	if (is_less && c->o.rules.ignore_case)
		strvec_push(&cp.args, "-I");
	if (c->o.words.nr == 1 && (is_less || is_vi))
		strvec_pushf(&cp.args, "+/%s%s", is_less ? "*" : "", c->o.words.list[0].text);
	for (size_t i = 0; i < c->found.nr; i++)
		strvec_push(&cp.args, c->found.v[i]);
	return run_command(&cp, err);
}

/* -O names no program, and there is to be no pager. */
static bool has_no_pager(struct grep_cmd *c)
{
	const char *pager = c->o.pager ? c->o.pager : pager_program(c->r);

	return !*pager || (!c->o.pager && !strcmp(pager, "cat"));
}

static void begin_output(struct grep_cmd *c)
{
	if (c->o.open_in_pager) {
		if (c->o.cached)
			die("--open-files-in-pager only works on the worktree");
		c->o.threads = 1;
		c->o.format.names = true;
	} else if (!c->o.format.quiet) {
		setup_pager(c->r, "grep");
	}
}

static int search_all(struct grep_cmd *c, const struct revisions *revs, struct err *err)
{
	int rc = grep_begin_jobs(c, err);

	if (!rc) {
		begin_output(c);
		rc = search(c, revs, err);
	}
	grep_end_jobs(c);
	return rc;
}

static void enter_worktree(struct grep_cmd *c, const struct revisions *revs)
{
	struct err err = ERR_INIT;

	if (!c->r || c->o.cached || revs->nr)
		return;
	if (!c->r->worktree && !c->o.no_index)
		die("this operation must be run in a work tree");
	if (c->r->worktree && repo_enter_worktree(c->r, &err) < 0)
		die_err(&err);
}

static void fall_back(struct grep_cmd *c)
{
	struct err err = ERR_INIT;
	bool falls_back = false;

	if (c->r || c->o.no_index)
		return;
	if (config_get_bool(command_config(NULL), "grep.fallbacktonoindex", &falls_back, &err) < 0)
		die_err(&err);
	if (!falls_back)
		die("not a git repository (or any of the parent directories): .git");
	c->o.no_index = true;
}

int cmd_grep(int argc, const char **argv, struct command_ctx *ctx)
{
	struct grep_cmd c = { .r = ctx->repo, .spelled = STRVEC_INIT, .found = STRVEC_INIT };
	struct revisions revs = { 0 };
	struct err err = ERR_INIT;
	int rc;

	setlocale(LC_CTYPE, "");
	argc = grep_parse_options(&c, argc, argv);
	if (c.o.open_in_pager && has_no_pager(&c))
		c.o.open_in_pager = false;
	fall_back(&c);
	take_paths(&c, argc, &revs);
	if (c.o.cached && revs.nr)
		die("both --cached and trees are given");
	enter_worktree(&c, &revs);
	set_up_attributes(&c);
	if (c.o.open_in_pager && revs.nr)
		die("--open-files-in-pager only works on the worktree");
	rc = c.o.format.max_count ? search_all(&c, &revs, &err) : 0;
	if (!rc && c.hit && c.o.open_in_pager)
		rc = open_pager(&c, &err);
	free(revs.oids);
	free(c.args);
	strvec_clear(&c.spelled);
	strvec_clear(&c.found);
	pathspec_release(&c.ps);
	grep_words_clear(&c.o.words);
	attrs_free(c.ps_attrs);
	grep_repo_release(c.repo);
	if (rc < 0)
		return report_fatal(&err);
	return rc ? rc : !c.hit;
}

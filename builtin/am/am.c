/* SPDX-License-Identifier: GPL-2.0-only */
/* git-am(1): the story. */
#include "compat/posix.h"
#include "builtin/am/am-cmd.h"
#include "repo/ident.h"
#include "repo/state.h"
#include "util/alloc.h"

static int refuse_mailboxes(const struct am_cmd *c, struct err *err)
{
	char *dir = repo_state_path(c->r, STATE_REBASE_APPLY);
	int rc = err_set(err, ERR_CONFLICT, "previous rebase directory %s still exists but mbox given.", dir);

	free(dir);
	return rc;
}

static int go_on_with_am(struct am_cmd *c, int nr_paths, struct err *err)
{
	if (nr_paths || (c->o.mode == AM_START && !isatty(0)))
		return refuse_mailboxes(c, err);
	if (c->o.signs_off > 0)
		am_append_signoff(c);
	return am_resume(c, err);
}

static int refuse_stray(const struct am_cmd *c, struct err *err)
{
	char *dir = repo_state_path(c->r, STATE_REBASE_APPLY);
	int rc = err_set(err, ERR_CONFLICT, "Stray %s directory found.\nUse \"git am --abort\" to remove it.", dir);

	free(dir);
	return rc;
}

static char **paths_from_top(const struct am_cmd *c, int nr, const char **argv)
{
	const char *prefix = c->ctx->prefix;
	char **paths = xcalloc((size_t)nr + 1, sizeof(*paths));

	for (int i = 0; i < nr; i++)
		paths[i] = prefix && *argv[i] != '/' && strcmp(argv[i], "-") ? xstrfmt("%s%s", prefix, argv[i]) : xstrdup(argv[i]);
	return paths;
}

static int start_series(struct am_cmd *c, int nr, const char **argv, struct err *err)
{
	char **paths;
	int rc;

	if (c->o.interactive && !nr)
		return err_set(err, ERR_INVALID, "interactive mode requires patches on the command line");
	paths = paths_from_top(c, nr, argv);
	rc = am_read_series(c, (const char *const *)paths, (size_t)nr, err);
	for (int i = 0; i < nr; i++)
		free(paths[i]);
	free(paths);
	if (rc)
		return rc == AM_STOPPED ? c->code : rc;
	return am_run(c, false, err);
}

static int begin_am(struct am_cmd *c, int nr, const char **argv, struct err *err)
{
	const bool gives_up = c->o.mode == AM_ABORT || c->o.mode == AM_QUIT;
	int rc;

	if (repo_state_exists(c->r, STATE_REBASE_APPLY))
		return gives_up ? am_resume(c, err) : refuse_stray(c, err);
	if (c->o.mode == AM_ABORT && result_update_is_unfinished(c->r))
		return result_update_undo(c->r, err); /* a kill before the first stop */
	if (c->o.mode != AM_START)
		return err_set(err, ERR_INVALID, "Resolve operation not in progress, we are not resuming.");
	rc = result_update_refuse_unfinished(c->r, err);
	return rc ? rc : start_series(c, nr, argv, err);
}

int cmd_am(int argc, const char **argv, struct command_ctx *ctx)
{
	struct am_cmd c;
	struct err err = ERR_INIT;
	bool in_progress;
	int rc;

	am_cmd_init(&c, ctx);
	am_read_config(&c);
	in_progress = c.r && am_in_progress(&c);
	if (c.r)
		index_init(&c.series.ix, c.r->algo);
	if (in_progress && am_load(&c, &err) < 0) {
		am_cmd_release(&c);
		return report_fatal(&err);
	}
	argc = am_parse_options(&c, argc, argv);
	rc = repo_ident(c.r, &c.committer, IDENT_COMMITTER | IDENT_STRICT, &err);
	if (!rc)
		rc = in_progress ? go_on_with_am(&c, argc, &err) : begin_am(&c, argc, argv, &err);
	am_cmd_release(&c);
	if (rc < 0)
		return report_fatal(&err);
	return rc ? rc : finish_stdout();
}

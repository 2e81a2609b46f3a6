/* SPDX-License-Identifier: GPL-2.0-only */
/* git-stash(1): show. */
#include "compat/posix.h"
#include "builtin/diff/diff.h"
#include "builtin/stash/stash.h"
#include "util/alloc.h"

static const char *const show_usage[] = { STASH_USAGE_SHOW, NULL };

enum show_what { SHOW_TRACKED, SHOW_ALL, SHOW_UNTRACKED };

struct showing {
	struct stash stash;
	int what; /* enum show_what */
	const char **diff_args, **revs;
	int nr_diff_args, nr_revs;
	bool has_dashes; /* "--", which counts as an option */
};

static bool config_is_on(struct repository *r, const char *key, bool on)
{
	struct err err = ERR_INIT;

	if (config_get_bool(r->config, key, &on, &err) < 0)
		die_err(&err);
	return on;
}

/* ---- arguments ---- */

static bool take_own_option(struct showing *sh, const char *arg)
{
	if (!strcmp(arg, "-u") || !strcmp(arg, "--include-untracked"))
		sh->what = SHOW_ALL;
	else if (!strcmp(arg, "--only-untracked"))
		sh->what = SHOW_UNTRACKED;
	else if (!strcmp(arg, "--no-include-untracked") || !strcmp(arg, "--no-only-untracked"))
		sh->what = SHOW_TRACKED;
	else
		return false;
	return true;
}

/* What begins with "-" is for diff, the rest is the stash. */
static void split_show_arguments(struct showing *sh, int argc, const char **argv)
{
	CALLOC_ARRAY(sh->diff_args, (size_t)argc + 1);
	CALLOC_ARRAY(sh->revs, (size_t)argc + 1);
	sh->diff_args[sh->nr_diff_args++] = "stash show";
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--"))
			sh->has_dashes = true;
		if (take_own_option(sh, argv[i]) || !strcmp(argv[i], "--"))
			continue;
		if (*argv[i] == '-')
			sh->diff_args[sh->nr_diff_args++] = argv[i];
		else
			sh->revs[sh->nr_revs++] = argv[i];
	}
}

/* Without an option the configuration decides; it may ask for nothing. */
static void choose_formats(struct showing *sh, struct diff_command *d)
{
	if (sh->nr_diff_args > 1 || sh->has_dashes) {
		if (!d->o.formats)
			d->o.formats = DIFF_FORMAT_PATCH;
		return;
	}
	d->o.formats = (config_is_on(d->repo, "stash.showstat", true) ? DIFF_FORMAT_STAT : 0) |
		       (config_is_on(d->repo, "stash.showpatch", false) ? DIFF_FORMAT_PATCH : 0);
	if (!d->o.formats)
		d->o.formats = DIFF_FORMAT_NONE;
}

/* ---- the comparison ---- */

static int by_path(const void *a, const void *b)
{
	const struct diff_pair *const *x = a, *const *y = b;

	return strcmp((*x)->new->path, (*y)->new->path);
}

static int compare_stash(struct showing *sh, struct diff_command *d, struct err *err)
{
	const struct stash *s = &sh->stash;
	int rc = 0;

	if (sh->what != SHOW_UNTRACKED)
		rc = diff_trees(&d->queue, &d->o, &s->base_tree, &s->tree, err);
	if (!rc && sh->what != SHOW_TRACKED && s->has_untracked)
		rc = diff_trees(&d->queue, &d->o, NULL, &s->untracked_tree, err);
	if (sh->what == SHOW_ALL && d->queue.nr)
		qsort(d->queue.pairs, d->queue.nr, sizeof(*d->queue.pairs), by_path);
	return rc;
}

static int show_stash(struct showing *sh, struct diff_command *d, struct err *err)
{
	int rc = diff_command_parse(d, sh->nr_diff_args, sh->diff_args, err);

	if (rc)
		return rc;
	choose_formats(sh, d);
	setup_pager(d->repo, "stash");
	rc = compare_stash(sh, d, err);
	return rc ? rc : diff_command_show(d, err);
}

static int show_run(struct showing *sh, struct repository *r, const struct option *own)
{
	struct diff_command d;
	struct err err = ERR_INIT;
	int rc = diff_command_init(&d, r, true, &err), code;

	d.usage = show_usage;
	d.own_options = own;
	if (!rc)
		rc = show_stash(sh, &d, &err);
	code = d.code;
	diff_command_release(&d);
	if (rc)
		return report_fatal(&err);
	return finish_stdout() ? 128 : code;
}

int stash_cmd_show(int argc, const char **argv, struct command_ctx *ctx)
{
	struct showing sh = { .what = SHOW_TRACKED };
	const struct option own[] = { /* for the usage alone: the other options are those of diff */
		OPT_SET_INT('u', "include-untracked", &sh.what, "include untracked files in the stash", SHOW_ALL),
		OPT_SET_INT(0, "only-untracked", &sh.what, "only show untracked files in the stash", SHOW_UNTRACKED),
		OPT_END()
	};
	int code;

	if (argc == 2 && !strcmp(argv[1], "-h"))
		usage_on_stdout(show_usage, own);
	if (config_is_on(ctx->repo, "stash.showincludeuntracked", false))
		sh.what = SHOW_ALL;
	split_show_arguments(&sh, argc, argv);
	code = stash_find_argument(ctx->repo, sh.nr_revs, sh.revs, &sh.stash);
	if (!code)
		code = show_run(&sh, ctx->repo, own);
	stash_release(&sh.stash);
	free(sh.diff_args);
	free(sh.revs);
	return code;
}

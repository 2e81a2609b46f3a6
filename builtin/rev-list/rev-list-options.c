/* SPDX-License-Identifier: GPL-2.0-only */
/* The options of git rev-list that are not those of the walk (history/) or of formats (log). */
#include "compat/posix.h"
#include "builtin/rev-list/rev-list.h"
#include "util/alloc.h"

static const char *const usage[] = {
	"git rev-list [<options>] <commit>... [--] [<path>...]",
	NULL
};

NORETURN void rev_list_usage(void)
{
	const struct option none[] = { OPT_END() };

	usage_with_options(usage, none);
}

NORETURN void rev_list_help(void)
{
	const struct option none[] = { OPT_END() };

	usage_on_stdout(usage, none);
}

static bool commit_option(struct rev_list *l, const char *arg)
{
	const struct { const char *name; bool *flag; bool value; } flags[] = {
		{ "--header", &l->header, true },
		{ "-v", &l->header, true },
		{ "--timestamp", &l->timestamp, true },
		{ "--quiet", &l->quiet, true },
		{ "-z", &l->nul, true },
		{ "--commit-header", &l->commit_header, true },
		{ "--no-commit-header", &l->commit_header, false },
		{ "--count", &l->count, true },
		{ "--use-bitmap-index", &l->use_bitmaps, true },
		{ "--test-bitmap", &l->test_bitmap, true },
		{ "--disk-usage", &l->disk_usage, true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		if (!strcmp(arg, flags[i].name)) {
			*flags[i].flag = flags[i].value;
			return true;
		}
	return false;
}

static int size_option(struct rev_list *l, const char *arg, struct err *err)
{
	const char *value;

	if (!skip_prefix(arg, "--disk-usage=", &value))
		return 0;
	if (strcmp(value, "human"))
		return err_set(err, ERR_INVALID, "invalid value for '%s': '%s', the only allowed "
			       "format is '%s'", "--disk-usage=<format>", value, "human");
	l->disk_usage = l->human = true;
	return 1;
}

static bool bisect_option(struct rev_list *l, const char *arg)
{
	if (!strcmp(arg, "--bisect-vars"))
		l->bisect |= BISECT_ONE | BISECT_VARS;
	else if (!strcmp(arg, "--bisect-all"))
		l->bisect |= BISECT_ONE | BISECT_ALL;
	else
		return false;
	return true;
}

static bool object_option(struct rev_list *l, const char *arg)
{
	if (!strcmp(arg, "--objects"))
		;
	else if (!strcmp(arg, "--objects-edge"))
		l->edges = true;
	else if (!strcmp(arg, "--objects-edge-aggressive"))
		l->edges = l->objects.aggressive_edges = true;
	else
		return false;
	l->walk->objects = true;
	return true;
}

static bool object_detail_option(struct rev_list *l, const char *arg)
{
	const struct { const char *name; bool *flag; bool value; } flags[] = {
		{ "--in-commit-order", &l->objects.in_commit_order, true },
		{ "--object-names", &l->no_names, false },
		{ "--no-object-names", &l->no_names, true },
		{ "--filter-provided-objects", &l->objects.filter_given, true },
		{ "--filter-print-omitted", &l->print_omitted, true },
		{ "--unpacked", &l->walk->unpacked, true },
		{ "--exclude-promisor-objects", &l->exclude_promisor, true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		if (!strcmp(arg, flags[i].name)) {
			*flags[i].flag = flags[i].value;
			return true;
		}
	return false;
}

static int filter_option(struct rev_list *l, const char *arg, struct err *err)
{
	const char *value;

	if (!strcmp(arg, "--no-filter")) {
		filter_spec_release(&l->filter);
		return 1;
	}
	if (!skip_prefix(arg, "--filter=", &value))
		return 0;
	return filter_spec_parse(&l->filter, value, err) < 0 ? ERR_INVALID : 1;
}

static int missing_option(struct rev_list *l, const char *arg)
{
	static const struct { const char *name; enum missing_action action; } actions[] = {
		{ "error", MISSING_ERROR }, { "allow-any", MISSING_ALLOW },
		{ "allow-promisor", MISSING_ALLOW_PROMISOR }, { "print", MISSING_PRINT },
		{ "print-info", MISSING_PRINT_INFO },
	};
	const char *value;

	if (!skip_prefix(arg, "--missing=", &value))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(actions); i++)
		if (!strcmp(value, actions[i].name)) {
			l->missing = actions[i].action;
			l->walk->missing_ok = l->missing != MISSING_ERROR;
			return 1;
		}
	return 0;
}

/*
 * What says how differences are shown means nothing here, but is no mistake; what asks for them
 * is one.
 */
static int diff_option(struct rev_list *l, const char *const *argv, struct err *err)
{
	static const char *const silent[] = { "--always", "--root", "-m" };
	const struct diff_options *o = &l->log.diff;
	enum submodule_mode ignored;
	int used = diff_submodules_option(argv[0], &ignored, err);

	if (used)
		return used;

	for (size_t i = 0; i < ARRAY_SIZE(silent); i++)
		if (!strcmp(argv[0], silent[i]))
			return 1;
	used = diff_options_parse(&l->log.diff, argv, err);
	if (used == ERR_INVALID) { /* as parse_options() has it */
		error("%s", err_message(err));
		exit(129);
	}
	if (used > 0 && (o->formats & ~DIFF_FORMAT_NONE || o->pickaxe || o->filter[0] || o->show_trees ||
			 !strcmp(argv[0], "-r")))
		rev_list_usage();
	l->log.color = o->color;
	if (used > 0 && o->line_prefix)
		l->log.line_prefix = o->line_prefix;
	return used;
}

/* Options of log without effect here. It is a mistake to ask for differences. */
static int unused_option(struct rev_list *l, const char *const *argv, struct err *err)
{
	struct diff_options diff = { .formats = 0 };
	bool silent = starts_with(argv[0], "--diff-merges") || !strcmp(argv[0], "--no-diff-merges");
	int used = log_unused_option(l->log.repo, argv, &diff, err);

	return used > 0 && !silent && (diff.formats || diff.combine || !strcmp(argv[0], "--full-diff")) ? 0 : used;
}

static int on_option(void *data, const char *const *argv, struct err *err)
{
	struct rev_list *l = data;
	const char *arg = argv[0];
	int used;

	if (commit_option(l, arg) || bisect_option(l, arg) || object_option(l, arg) ||
	    object_detail_option(l, arg))
		return 1;
	if (skip_prefix(arg, "--progress=", &l->progress_title))
		return 1;
	if (!strcmp(arg, "--default") && argv[1]) {
		l->walk->default_rev = argv[1];
		return 2;
	}
	used = size_option(l, arg, err);
	if (!used)
		used = filter_option(l, arg, err);
	if (!used)
		used = missing_option(l, arg);
	if (!used)
		used = log_format_option(&l->log, argv, err);
	if (!used)
		used = diff_option(l, argv, err);
	if (!used)
		used = unused_option(l, argv, err);
	if (!used) {
		log_refuse_value(l->log.repo, arg);
		rev_list_usage();
	}
	return used;
}

int rev_list_parse(struct rev_list *l, int argc, const char **argv, struct err *err)
{
	const struct rev_hooks hooks = { on_option, l };

	return rev_walk_arguments(l->walk, argc, argv, &hooks, err);
}

static int refuse_pair(const char *a, const char *b, struct err *err)
{
	return err_set(err, ERR_INVALID, "%s and %s cannot be used together", a, b);
}

int rev_list_check(struct rev_list *l, struct err *err)
{
	struct rev_walk *w = l->walk;

	if (w->bisect)
		l->bisect |= BISECT_ONE;
	if (l->filter.nr && !w->objects)
		return err_set(err, ERR_INVALID, "object filtering requires --objects");
	if (l->log.show_notes > 0)
		return err_set(err, ERR_INVALID, "rev-list does not support display of notes");
	if (l->count && w->objects && (w->left_right || w->cherry_mark))
		return refuse_pair("marked counting", "'--objects'", err);
	if (l->nul && (w->left_right || w->cherry_mark || l->timestamp || l->log.format_given || l->header ||
		       l->log.with_graph || l->disk_usage || l->edges || l->bisect))
		return err_set(err, ERR_INVALID, "-z option used with unsupported option");
	return 0;
}

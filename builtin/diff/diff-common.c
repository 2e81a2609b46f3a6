/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "builtin/diff/diff.h"
#include "builtin/log/log.h"
#include "cli/rename-limit.h"
#include "history/names/revparse.h"
#include "util/alloc.h"

static void set_place(struct diff_command *d, const struct repository *r)
{
	d->o.prefix = r->prefix;
	d->o.abbrev = d->ui ? r->settings.abbrev : 0;
	d->o.index_abbrev = r->settings.abbrev;
}

static int read_config(struct diff_command *d, struct err *err)
{
	const struct config_set *c = command_config(d->repo);

	if (!d->ui)
		return diff_options_config_plumbing(&d->o, c, err);
	d->o.detect = DIFF_DETECT_RENAMES; /* unless diff.renames says other */
	d->o.textconv = d->o.allow_external = true;
	d->o.color = want_color(d->repo, "color.diff", STDOUT_FILENO);
	return diff_options_config(&d->o, c, err);
}

int diff_command_init(struct diff_command *d, struct repository *r, bool ui, struct err *err)
{
	int rc;

	memset(d, 0, sizeof(*d));
	d->repo = r;
	d->ui = ui;
	d->stage = -1;
	index_init(&d->ix, r ? r->algo : hash_sha1);
	diff_options_init(&d->o, r ? r->odb : NULL);
	if (r)
		set_place(d, r);
	d->o.limited = &d->limited;
	rc = read_config(d, err);
	if (rc < 0 || !r)
		return rc;
	rc = rev_walk_new(&d->walk, r, err);
	if (!rc)
		rc = diff_submodules_new(&d->submodules, r, err);
	if (rc)
		return rc;
	d->walk->objects = true;
	if (!ui)
		diff_submodules_set(d->submodules, SUBMODULES_TRACKED, false);
	diff_submodules_use(d->submodules, &d->o);
	d->files = (struct worktree_diff){ .repo = r, .ix = &d->ix, .o = &d->o,
					   .submodules = d->submodules, .stage = 2 };
	return 0;
}

void diff_command_release(struct diff_command *d)
{
	diff_queue_clear(&d->queue);
	diff_combined_clear(&d->combined);
	diff_options_release(&d->o);
	diff_attrs_free(d->attrs);
	diff_submodules_free(d->submodules);
	converter_free(d->conv);
	index_release(&d->ix);
	rev_walk_free(d->walk);
}

/* ---- options ---- */

static int submodules_option(struct diff_command *d, const char *arg, struct err *err)
{
	enum submodule_mode mode;
	int rc = diff_submodules_option(arg, &mode, err);

	if (rc > 0)
		diff_submodules_set(d->submodules, mode, true);
	return rc;
}

static int stage_option(struct diff_command *d, const char *arg)
{
	static const char *const names[] = { "-0", "-1", "-2", "-3" };
	static const char *const words[] = { "", "--base", "--ours", "--theirs" };

	for (int i = 0; i < 4; i++) {
		if (strcmp(arg, names[i]) && strcmp(arg, words[i]))
			continue;
		d->stage = i;
		return 1;
	}
	return 0;
}

static int combine_option(struct diff_command *d, const char *arg)
{
	if (!strcmp(arg, "-c"))
		d->o.combine = DIFF_COMBINE_ALL;
	else if (!strcmp(arg, "--cc"))
		d->o.combine = DIFF_COMBINE_DENSE;
	else
		return 0;
	d->o.combined_all_paths = false;
	return 1;
}

static bool set_switch(struct diff_command *d, const char *arg)
{
	const struct {
		const char *name;
		bool *field, value;
	} all[] = {
		{ "--quiet", &d->quiet, true }, { "--no-quiet", &d->quiet, false },
		{ "--cached", &d->cached, true }, { "--staged", &d->cached, true },
		{ "--merge-base", &d->merge_base, true }, { "-m", &d->match_missing, true },
		{ "-q", &d->silent, true }, { "--combined-all-paths", &d->o.combined_all_paths, true },
	};

	if (!strcmp(arg, "--root"))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		if (strcmp(arg, all[i].name))
			continue;
		*all[i].field = all[i].value;
		return true;
	}
	return false;
}

/* As parse_options() has it. */
NORETURN static void usage_failure(const struct err *err)
{
	error("%s", err_message(err));
	exit(129);
}

NORETURN static void unknown_option(const struct diff_command *d, const char *arg)
{
	struct option none[] = { OPT_END() };

	if (d->own_options)
		usage_with_options(d->usage, d->own_options);
	if (d->ui && strcmp(arg, "-h") != 0)
		error("invalid option: %s", arg);
	usage_with_options(d->usage, none);
}

static int on_option(void *data, const char *const *argv, struct err *err)
{
	struct diff_command *d = data;
	int used;

	if (set_switch(d, argv[0]) || combine_option(d, argv[0]))
		return 1;
	if ((used = submodules_option(d, argv[0], err)) || (used = stage_option(d, argv[0])))
		return used;
	used = diff_options_parse(&d->o, argv, err);
	if (used == ERR_INVALID)
		usage_failure(err);
	if (!used)
		used = log_unused_option(d->repo, argv, &d->o, err);
	if (!used) {
		log_refuse_value(d->repo, argv[0]);
		unknown_option(d, argv[0]);
	}
	return used;
}

/* "-0" to "-3" are stages here, and no number of commits. */
static int take_stages(struct diff_command *d, int argc, const char **argv)
{
	bool only_paths = false;
	int to = 1;

	for (int i = 1; i < argc; i++) {
		only_paths |= !strcmp(argv[i], "--");
		if (only_paths || !stage_option(d, argv[i]))
			argv[to++] = argv[i];
	}
	argv[to] = NULL;
	return to;
}

static int resolve_object(void *data, const char *name, struct object_id *out, struct err *err)
{
	struct diff_command *d = data;

	if (!d->repo)
		return err_set(err, ERR_NOT_FOUND, "not a git repository");
	return revparse_oid(d->repo, name, out, err);
}

static int resolve_options(struct diff_command *d, struct err *err)
{
	int rc = diff_options_resolve(&d->o, resolve_object, d, err);

	if (d->o.complaint)
		warning("%s", d->o.complaint);
	if (rc == ERR_INVALID && d->o.find_objects.nr)
		usage_failure(err);
	return rc || !d->o.output ? rc : redirect_stdout(d->repo, d->o.output, err);
}

static int use_attributes(struct diff_command *d, struct err *err)
{
	struct pathspec *ps = &d->walk->pathspec;
	int rc = converter_new(&d->conv, d->repo, &d->ix,
			       d->repo->worktree ? ATTR_CHECKIN : ATTR_INDEX, err);

	if (!rc)
		rc = diff_attrs_new(&d->attrs, d->repo, converter_attrs(d->conv), err);
	if (rc)
		return rc;
	diff_attrs_lend_converter(d->attrs, d->conv);
	diff_attrs_use(d->attrs, &d->o);
	ps->match_attr = attrs_match_spec;
	ps->match_attr_data = converter_attrs(d->conv);
	return 0;
}

int diff_command_resolve(struct diff_command *d, struct err *err)
{
	int rc = diff_options_check(&d->o, err);

	if (rc < 0)
		return rc;
	d->files.ita_is_entry = !d->o.ita_invisible;
	if (d->o.combine && !d->o.formats)
		d->o.formats = DIFF_FORMAT_PATCH;
	if (d->walk && d->walk->has_pathspec)
		d->o.pathspec = &d->walk->pathspec;
	d->o.pickaxe_ignore_case |= d->walk && rev_grep_ignores_case(d->walk);
	d->o.rotate_strict = true;
	if (d->quiet) {
		d->o.exit_code = true;
		d->o.formats = DIFF_FORMAT_NONE;
	}
	rc = resolve_options(d, err);
	return rc || !d->repo ? rc : use_attributes(d, err);
}

int diff_command_parse(struct diff_command *d, int argc, const char **argv, struct err *err)
{
	const struct rev_hooks hooks = { on_option, d };
	const char **copy = xcalloc((size_t)argc + 1, sizeof(*copy));
	int rc;

	memcpy(copy, argv, (size_t)argc * sizeof(*copy));
	argc = take_stages(d, argc, copy);
	rc = rev_walk_arguments(d->walk, argc, copy, &hooks, err);
	free(copy);
	if (!rc && d->walk->conflicts)
		rc = err_set(err, ERR_UNSUPPORTED, "--merge is not available for differences");
	return rc ? rc : diff_command_resolve(d, err);
}

/* ---- sides of the comparison ---- */

void diff_command_combine(struct diff_command *d)
{
	if (!d->o.combine && d->stage < 0 && d->o.formats & DIFF_FORMAT_PATCH)
		d->o.combine = DIFF_COMBINE_DENSE;
}

bool diff_command_has_bounds(const struct diff_command *d)
{
	return d->walk->since || d->walk->until;
}

int diff_command_refuse_depth(const struct diff_command *d, const char *what, struct err *err)
{
	return d->o.max_depth < 0 ? 0 : err_set(err, ERR_INVALID, "max-depth is not supported for %s diffs", what);
}

int diff_command_open_index(struct diff_command *d, struct err *err)
{
	int rc = index_read_repo(&d->ix, d->repo, err);

	if (rc < 0)
		return rc;
	d->files.conv = d->conv;
	if (d->o.combine)
		d->files.combined = &d->combined;
	d->o.read_is_worktree = true;
	d->o.read = worktree_diff_read;
	d->o.measure = worktree_diff_measure;
	d->o.read_data = &d->files;
	return 0;
}

static int only_base(struct diff_command *d, struct commit *a, struct commit *b,
		     struct object_id *tree, struct err *err)
{
	struct commit_list bases = COMMIT_LIST_INIT;
	int rc = merge_bases(d->walk->pool, a, &b, 1, &bases, err);

	if (!rc && bases.nr != 1)
		rc = err_set(err, bases.nr ? ERR_AMBIGUOUS : ERR_NOT_FOUND, "%s",
			     bases.nr ? "multiple merge bases found" : "no merge base found");
	if (!rc)
		rc = commit_parse_node(d->walk->pool, bases.items[0], err);
	if (!rc)
		*tree = bases.items[0]->tree;
	commit_list_clear(&bases);
	return rc;
}

int diff_command_tree(struct diff_command *d, const struct object_id *oid,
		      const struct object_id *other, struct object_id *tree, struct err *err)
{
	struct object_id a, b;
	int rc;

	if (!d->merge_base)
		return revparse_tree(d->repo, oid_hex(oid), tree, err);
	rc = revparse_commit(d->repo, oid_hex(oid), &a, err);
	if (!rc)
		rc = revparse_commit(d->repo, other ? oid_hex(other) : "HEAD", &b, err);
	return rc ? rc : only_base(d, commit_lookup(d->walk->pool, &a),
				   commit_lookup(d->walk->pool, &b), tree, err);
}

/* ---- output ---- */

/* As lines, or as patches. */
static int show_combined(struct diff_command *d, struct strbuf *text, struct err *err)
{
	const unsigned lines = DIFF_FORMAT_RAW | DIFF_FORMAT_NAME_STATUS | DIFF_FORMAT_NAME_ONLY;
	struct diff_options o = d->o;

	if (o.formats & lines)
		o.formats &= lines;
	return diff_format_combined(&d->combined, &o, text, err);
}

static int show_pairs(struct diff_command *d, struct strbuf *text, bool *any, struct err *err)
{
	int rc = diff_process(&d->queue, &d->o, err);

	if (!rc)
		rc = show_combined(d, text, err);
	if (!rc)
		rc = diff_format(&d->queue, &d->o, text, err);
	if (!rc && d->o.exit_code)
		rc = diff_differs(&d->queue, &d->o, any, err);
	return rc;
}

int diff_command_show(struct diff_command *d, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	bool any = false;
	int rc;

	d->o.drain = print_and_clear;
	if (d->many) {
		any = d->o.exit_code && d->combined.nr;
		rc = diff_format_merge(&d->combined, &d->queue, &d->o, &text, err);
	} else {
		rc = show_pairs(d, &text, &any, err);
	}
	if (!rc)
		rc = print_and_clear(NULL, &text, err);
	strbuf_release(&text);
	if (!rc && !d->quiet)
		warn_rename_limit(&d->limited);
	d->code = (d->queue.check_failed ? 2 : 0) | any;
	return rc;
}

int diff_command_run(struct diff_command *d, int argc, const char **argv,
		     int (*compare)(struct diff_command *d, struct err *err), struct err *err)
{
	int rc = diff_command_parse(d, argc, argv, err);

	if (!rc)
		rc = rev_walk_check_starts(d->walk, err);
	if (!rc)
		rc = compare(d, err);
	return rc ? rc : diff_command_show(d, err);
}

int diff_command_main(int argc, const char **argv, struct command_ctx *ctx, bool ui,
		      const char *const *usage,
		      int (*run)(struct diff_command *d, int argc, const char **argv, struct err *err))
{
	struct option none[] = { OPT_END() };
	struct diff_command d;
	struct err err = ERR_INIT;
	int code, rc;

	if (!ui && argc == 2 && !strcmp(argv[1], "-h"))
		usage_on_stdout(usage, none);
	/* Git has it on standard error for git diff, but for --no-index alone. */
	if (ui && ctx->repo && argc == 2 && !strcmp(argv[1], "-h"))
		usage_with_options(usage, none);
	rc = diff_command_init(&d, ctx->repo, ui, &err);
	d.usage = usage;
	if (!rc)
		rc = run(&d, argc, argv, &err);
	code = d.code;
	diff_command_release(&d);
	if (rc < 0)
		return report_fatal(&err);
	rc = finish_stdout();
	return rc ? rc : code;
}

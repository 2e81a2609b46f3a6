/* SPDX-License-Identifier: GPL-2.0-only */
/* git log: options, and the configuration behind them. */
#include "compat/posix.h"
#include "builtin/log/log.h"
#include "diff/patch-id.h"
#include "history/names/revparse.h"
#include "util/alloc.h"
#include "worktree/diff-attr.h"

/* ---- comparing merges ---- */

static const struct merge_mode {
	const char *name;
	enum merge_diff mode;
	enum diff_combine combine;
} merge_modes[] = {
	{ "off", MERGE_DIFF_OFF, DIFF_COMBINE_NONE },
	{ "none", MERGE_DIFF_OFF, DIFF_COMBINE_NONE },
	{ "on", MERGE_DIFF_DEFAULT, DIFF_COMBINE_NONE },
	{ "m", MERGE_DIFF_DEFAULT, DIFF_COMBINE_NONE },
	{ "1", MERGE_DIFF_FIRST, DIFF_COMBINE_NONE },
	{ "first-parent", MERGE_DIFF_FIRST, DIFF_COMBINE_NONE },
	{ "separate", MERGE_DIFF_EACH, DIFF_COMBINE_NONE },
	{ "c", MERGE_DIFF_COMBINED, DIFF_COMBINE_ALL },
	{ "combined", MERGE_DIFF_COMBINED, DIFF_COMBINE_ALL },
	{ "cc", MERGE_DIFF_COMBINED, DIFF_COMBINE_DENSE },
	{ "dense-combined", MERGE_DIFF_COMBINED, DIFF_COMBINE_DENSE },
	{ "r", MERGE_DIFF_REMERGE, DIFF_COMBINE_NONE },
	{ "remerge", MERGE_DIFF_REMERGE, DIFF_COMBINE_NONE },
};

static const struct merge_mode *find_merge_mode(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(merge_modes); i++)
		if (!strcmp(name, merge_modes[i].name))
			return &merge_modes[i];
	return NULL;
}

/* ---- configuration ---- */

static enum decorate_style decorate_by_name(const char *value)
{
	switch (config_parse_maybe_bool(value)) {
	case 1:
		return DECORATE_SHORT;
	case 0:
		return DECORATE_NO;
	}
	if (!strcmp(value, "full"))
		return DECORATE_FULL;
	if (!strcmp(value, "short"))
		return DECORATE_SHORT;
	if (!strcmp(value, "auto"))
		return DECORATE_AUTO;
	return DECORATE_UNSET;
}

static void read_decorate_config(struct log_options *o, const struct config_set *c)
{
	const struct config_entry *e = config_get(c, "log.decorate");
	const struct config_entry *const *all;
	const char *value = NULL;
	size_t nr = 0, i;

	if (e)
		o->decorate = decorate_by_name(e->value);
	if (o->decorate == DECORATE_UNSET)
		o->decorate = DECORATE_AUTO;
	all = config_get_all(c, "log.excludedecoration", &nr);
	for (i = 0; i < nr; i++)
		if (all[i]->value)
			strvec_push(&o->decorations.exclude_config, all[i]->value);
	config_get_string(c, "log.initialdecorationset", &value, NULL);
	if (value && !strcmp(value, "all"))
		o->decorations.all_refs = true;
}

/* log.diffMerges: what -m and --diff-merges=on mean. */
static int read_merge_config(struct log_options *o, const struct config_set *c, struct err *err)
{
	const char *value = NULL;
	int rc = config_get_string(c, "log.diffmerges", &value, err);

	if (rc > 0 && !find_merge_mode(value))
		return config_entry_bad(config_get(c, "log.diffmerges"), err, "unknown mode");
	if (rc > 0 && find_merge_mode(value)->mode != MERGE_DIFF_DEFAULT)
		o->merge_diff_default = value;
	return rc < 0 ? rc : 0;
}

static int read_config(struct log_options *o, struct err *err)
{
	const struct config_set *c = o->repo->config;
	const char *format = NULL;
	int rc;

	rc = pretty_config(&o->pretty, c, err);
	if (!rc)
		rc = pretty_config_email(&o->pretty, c, err);
	if (!rc)
		rc = diff_options_config(&o->diff, c, err);
	if (rc < 0)
		return rc;
	if (config_get_bool(c, "log.abbrevcommit", &o->abbrev_commit, err) < 0 ||
	    config_get_bool(c, "log.showroot", &o->show_root, err) < 0 ||
	    config_get_bool(c, "log.follow", &o->follow, err) < 0 ||
	    config_get_bool(c, "log.mailmap", &o->mailmap, err) < 0 ||
	    config_get_bool(c, "log.showsignature", &o->show_signature, err) < 0)
		return ERR_INVALID;
	read_decorate_config(o, c);
	if (read_merge_config(o, c, err) < 0 ||
	    config_get_string(c, "format.pretty", &format, err) < 0)
		return ERR_INVALID;
	return format ? pretty_set_format(&o->pretty, format, err) : 0;
}

/* For --simplify-by-decoration. */
static int is_decorated(void *data, const struct object_id *oid, struct err *err)
{
	struct log_options *o = data;
	int rc = pretty_load_decorations(&o->pretty, err);

	return rc < 0 ? rc : decorations_has(o->pretty.decorations, oid);
}

int log_options_init_plumbing(struct log_options *o, struct repository *r, struct err *err)
{
	int rc;

	memset(o, 0, sizeof(*o));
	o->repo = r;
	o->line_end = '\n';
	o->text = o->graph_prefix = (struct strbuf)STRBUF_INIT;
	o->notes_refs = o->line_specs = (struct strvec)STRVEC_INIT;
	o->notes_default = -1;
	o->decorations = (struct decorate_options)DECORATE_OPTIONS_INIT;
	o->merge_diff_default = "separate";
	pretty_init(&o->pretty, r);
	o->pretty.expand_tabs = 0;
	diff_options_init(&o->diff, r->odb);
	o->diff.limited = &o->limited;
	o->plumbing = o->walk_only = true;
	o->decorate = DECORATE_NO;
	o->decorations.all_refs = true;
	o->line_prefix = "";
	pretty_config_encoding(&o->pretty, r->config);
	rc = rev_walk_new(&o->walk, r, err);
	if (!rc)
		rev_walk_set_patch_ids(o->walk, patch_id);
	if (!rc)
		o->walk->is_decorated = is_decorated;
	if (!rc)
		o->walk->is_decorated_data = o;
	return rc;
}

int log_options_init(struct log_options *o, struct repository *r, struct err *err)
{
	int rc = log_options_init_plumbing(o, r, err);

	if (rc < 0)
		return rc;
	o->show_root = o->mailmap = true;
	o->show_notes = -1;
	o->plumbing = o->walk_only = false;
	o->pretty.expand_tabs = -1;
	o->decorate = DECORATE_UNSET;
	o->decorations.all_refs = false;
	o->diff.prefix = r->prefix;
	o->diff.abbrev = o->diff.index_abbrev = r->settings.abbrev;
	o->diff.textconv = true;
	o->diff.detect = DIFF_DETECT_RENAMES; /* unless diff.renames says other */
	o->walk->default_rev = "HEAD";
	commit_pool_keep_buffers(o->walk->pool, true);
	o->color = want_color(r, "color.diff", STDOUT_FILENO);
	o->diff.color = o->color;
	return read_config(o, err);
}

void log_options_release(struct log_options *o)
{
	pretty_release(&o->pretty);
	diff_options_release(&o->diff);
	diff_attrs_free(o->diff_attrs);
	diff_submodules_free(o->submodules);
	decorate_options_release(&o->decorations);
	strvec_clear(&o->notes_refs);
	strvec_clear(&o->line_specs);
	line_history_free(o->lines);
	notes_free(o->notes);
	mailmap_free(o->map);
	strbuf_release(&o->text);
	strbuf_release(&o->graph_prefix);
	graph_free(o->graph);
	free(o->graph_parents);
	free(o->follow_path);
	free(o->graph_colors);
	rev_walk_free(o->walk);
	o->walk = NULL;
	attrs_free(o->attrs);
}

/* ---- options ---- */

static int parse_format(struct log_options *o, const char *format, struct err *err)
{
	o->format_given = true;
	return pretty_set_format(&o->pretty, format, err);
}

static int pretty_option(struct log_options *o, const char *arg, struct err *err)
{
	const char *value;
	int rc = 0;

	if (!strcmp(arg, "--oneline")) {
		rc = parse_format(o, "oneline", err);
		o->abbrev_commit = true;
	} else if (!strcmp(arg, "--pretty")) {
		rc = parse_format(o, "medium", err);
	} else if (skip_prefix(arg, "--pretty=", &value) || skip_prefix(arg, "--format=", &value)) {
		rc = parse_format(o, value, err);
	} else {
		return 0;
	}
	return rc < 0 ? rc : 1;
}

static int parse_date(struct log_options *o, const char *value, struct err *err)
{
	struct date_mode mode = DATE_MODE_INIT;

	if (date_mode_parse(&mode, value) < 0)
		return err_set(err, ERR_INVALID, "unknown date format %s", value);
	date_mode_release(&o->pretty.date);
	o->pretty.date = mode;
	o->pretty.date_explicit = true;
	return 0;
}

static int date_option(struct log_options *o, const char *const *argv, struct err *err)
{
	const char *value;
	int rc, used = 1;

	if (!strcmp(argv[0], "--relative-date")) {
		rc = parse_date(o, "relative", err);
	} else if (skip_prefix(argv[0], "--date=", &value)) {
		rc = parse_date(o, value, err);
	} else if (!strcmp(argv[0], "--date")) {
		if (!argv[1])
			return err_set(err, ERR_INVALID, "Option '--date' requires a value");
		rc = parse_date(o, argv[1], err);
		used = 2;
	} else {
		return 0;
	}
	return rc < 0 ? rc : used;
}

/* Prints an error like parse_options(), for the options that Git parses with it. */
NORETURN static void usage_error(const char *name, size_t len, const char *what)
{
	error("option `%.*s' %s", (int)len, name, what);
	exit(129);
}

/* --NAME=VALUE, --NAME VALUE, --no-NAME; how many were used. */
static int list_option(const char *name, const char *const *argv, struct strvec *list)
{
	const char *arg = argv[0] + 2, *rest;

	if (!starts_with(argv[0], "--"))
		return 0;
	if (skip_prefix(arg, "no-", &rest) && !strcmp(rest, name)) {
		strvec_clear(list);
		return 1;
	}
	if (!skip_prefix(arg, name, &rest))
		return 0;
	if (*rest == '=') {
		strvec_push(list, rest + 1);
		return 1;
	}
	if (*rest)
		return 0;
	if (!argv[1])
		usage_error(name, strlen(name), "requires a value");
	strvec_push(list, argv[1]);
	return 2;
}

static int decorate_option(struct log_options *o, const char *const *argv, struct err *err)
{
	const char *arg = argv[0], *value;
	int used;

	if (!strcmp(arg, "--decorate")) {
		o->decorate = DECORATE_SHORT;
		o->decorate_given = true;
	} else if (!strcmp(arg, "--no-decorate")) {
		o->decorate = DECORATE_NO;
		o->decorate_given = true;
	} else if (skip_prefix(arg, "--decorate=", &value)) {
		o->decorate = decorate_by_name(value);
		o->decorate_given = true;
		if (o->decorate == DECORATE_UNSET)
			return err_set(err, ERR_INVALID, "invalid --decorate option: %s", value);
	} else if ((used = list_option("decorate-refs", argv, &o->decorations.include)) ||
		   (used = list_option("decorate-refs-exclude", argv, &o->decorations.exclude))) {
		return used;
	} else if (!strcmp(arg, "--clear-decorations")) {
		/* What log.excludeDecoration leaves out stays out. */
		strvec_clear(&o->decorations.include);
		strvec_clear(&o->decorations.exclude);
		o->decorations.all_refs = true;
	} else {
		return 0;
	}
	return 1;
}

static int abbrev_option(struct log_options *o, const char *arg)
{
	const char *value;

	if (!strcmp(arg, "--abbrev-commit"))
		o->abbrev_commit = o->abbrev_commit_given = true;
	else if (!strcmp(arg, "--no-abbrev-commit"))
		o->abbrev_commit = false;
	else if (!strcmp(arg, "--abbrev"))
		o->pretty.abbrev = o->diff.abbrev = o->repo->settings.abbrev;
	else if (!strcmp(arg, "--no-abbrev"))
		o->pretty.abbrev = o->diff.abbrev = 0;
	else if (skip_prefix(arg, "--abbrev=", &value))
		o->pretty.abbrev = o->diff.abbrev = diff_abbrev_length(value, o->repo->algo->hex_len);
	else
		return 0;
	return 1;
}

/* --show-notes=REF adds to the default ones, --notes=REF stands in their place. */
static int notes_option(struct log_options *o, const char *arg)
{
	const char *value;

	if (!strcmp(arg, "--notes") || !strcmp(arg, "--show-notes")) {
		o->show_notes = o->notes_default = 1;
	} else if (skip_prefix(arg, "--notes=", &value) || skip_prefix(arg, "--show-notes=", &value)) {
		if (o->notes_default < 0 && arg[2] == 's')
			o->notes_default = 1;
		o->show_notes = 1;
		strvec_push(&o->notes_refs, value);
	} else if (!strcmp(arg, "--show-notes-by-default")) {
		if (o->show_notes < 0)
			o->show_notes = 1;
	} else if (!strcmp(arg, "--standard-notes") || !strcmp(arg, "--no-standard-notes")) {
		o->notes_default = arg[2] == 's';
	} else if (!strcmp(arg, "--no-notes")) {
		o->show_notes = 0;
		o->notes_default = -1;
		strvec_clear(&o->notes_refs);
	} else {
		return 0;
	}
	return 1;
}

/* A diff to each parent is of use only if merges are listed that equal one of them. */
static int set_merge_diff(struct log_options *o, const char *name, const char *arg,
			  struct err *err)
{
	const struct merge_mode *m = find_merge_mode(name);

	if (!m)
		return err_set(err, ERR_INVALID, "invalid value for '%s': '%s'",
			       "--diff-merges", name);
	if (m->mode == MERGE_DIFF_DEFAULT)
		return set_merge_diff(o, o->merge_diff_default, arg, err);
	o->merge_diff = m->mode;
	o->merges_ask = o->diff.combined_all_paths = false;
	o->diff.combine = m->combine;
	o->merges_need_diff = m->mode != MERGE_DIFF_OFF;
	o->walk->full_history |= m->mode == MERGE_DIFF_EACH || m->mode == MERGE_DIFF_FIRST || m->mode == MERGE_DIFF_REMERGE;
	return 1;
}

static int merge_option(struct log_options *o, const char *const *argv, struct err *err)
{
	const char *arg = argv[0], *value;
	int rc;

	if (skip_prefix(arg, "--diff-merges=", &value))
		return set_merge_diff(o, value, arg, err);
	if (!strcmp(arg, "--diff-merges")) {
		if (!argv[1])
			return err_set(err, ERR_INVALID, "Option '%s' requires a value",
				       "--diff-merges");
		rc = set_merge_diff(o, argv[1], arg, err);
		return rc < 0 ? rc : 2;
	}
	if (!strcmp(arg, "--no-diff-merges"))
		return set_merge_diff(o, "off", arg, err);
	if (!strcmp(arg, "--remerge-diff") || !strcmp(arg, "--dd")) {
		rc = set_merge_diff(o, strcmp(arg, "--dd") ? "remerge" : "first-parent", arg, err);
		o->merges_ask = true;
		return rc;
	}
	if (!strcmp(arg, "--combined-all-paths")) {
		o->diff.combined_all_paths = true;
		return 1;
	}
	if (!strcmp(arg, "-c") || !strcmp(arg, "--cc")) {
		rc = set_merge_diff(o, strlen(arg) == 2 ? "c" : "cc", arg, err);
		o->merges_ask = true;
		return rc;
	}
	if (strcmp(arg, "-m"))
		return 0;
	rc = set_merge_diff(o, "on", arg, err);
	o->merges_need_diff = false;
	return rc;
}

static int tabs_option(struct log_options *o, const char *arg, struct err *err)
{
	const char *value;
	int n;

	if (!strcmp(arg, "--expand-tabs")) {
		o->pretty.expand_tabs = 8;
	} else if (!strcmp(arg, "--no-expand-tabs")) {
		o->pretty.expand_tabs = 0;
	} else if (skip_prefix(arg, "--expand-tabs=", &value)) {
		if (!parse_int_strict(value, &n) || n < 0)
			return err_set(err, ERR_INVALID, "'%s': not a non-negative integer", value);
		o->pretty.expand_tabs = n;
	} else {
		return 0;
	}
	return 1;
}

static int encoding_option(struct log_options *o, const char *const *argv, struct err *err)
{
	const char *value;
	int used = 1;

	if (!strcmp(argv[0], "--encoding")) {
		value = argv[1];
		used = 2;
		if (!value)
			return err_set(err, ERR_INVALID, "Option '--encoding' requires a value");
	} else if (!skip_prefix(argv[0], "--encoding=", &value)) {
		return 0;
	}
	o->pretty.encoding = strcmp(value, "none") ? value : "";
	return used;
}

static int graph_option(struct log_options *o, const char *arg)
{
	if (strcmp(arg, "--graph") && strcmp(arg, "--no-graph"))
		return 0;
	o->with_graph = !strcmp(arg, "--graph");
	return 1;
}

static int switch_option(struct log_options *o, const char *arg)
{
	if (!strcmp(arg, "--full-diff"))
		o->full_diff = true;
	else if (!strcmp(arg, "--follow") || !strcmp(arg, "--no-follow"))
		o->follow = o->follow_asked = arg[2] == 'f';
	else if (!strcmp(arg, "--show-signature"))
		o->show_signature = true;
	else if (!strcmp(arg, "--no-show-signature"))
		o->show_signature = false;
	else if (!strcmp(arg, "--log-size"))
		o->log_size = true;
	else if (!strcmp(arg, "--unpacked"))
		o->walk->unpacked = true;
	else if (!strcmp(arg, "--always") || !strcmp(arg, "-v") || !strcmp(arg, "--count"))
		; /* what log does anyway; a count is for rev-list */
	else if (!strcmp(arg, "--root"))
		o->show_root = true;
	else if (!strcmp(arg, "--quiet") || !strcmp(arg, "-q"))
		o->quiet = true;
	else
		return 0;
	return 1;
}

/* Options of git log and git show alone. */
static int porcelain_option(struct log_options *o, const char *const *argv, struct err *err)
{
	const char *arg = argv[0];

	if (!strcmp(arg, "--mailmap") || !strcmp(arg, "--use-mailmap"))
		o->mailmap = true;
	else if (!strcmp(arg, "--no-mailmap") || !strcmp(arg, "--no-use-mailmap"))
		o->mailmap = false;
	else if (!strcmp(arg, "--source"))
		o->walk->source = true;
	else
		return decorate_option(o, argv, err);
	return 1;
}

static int diff_option(struct log_options *o, const char *const *argv, struct err *err)
{
	const char *output = o->diff.output;
	bool color = o->diff.color;
	int used = diff_options_parse(&o->diff, argv, err);

	if (used == ERR_INVALID) { /* as parse_options() has it */
		error("%s", err_message(err));
		exit(129);
	}
	if (used > 0 && o->diff.output != output && redirect_stdout(o->repo, o->diff.output, err) < 0)
		return ERR_IO;
	o->diff_asked |= o->diff.exit_code || !strcmp(argv[0], "-r") || !strcmp(argv[0], "-t");
	if (used > 0 && o->diff.color != color)
		o->color = o->diff.color;
	if (o->diff.null_term)
		o->line_end = '\0';
	return used;
}

static bool is_diff_option(struct repository *r, const char *arg)
{
	const char *const argv[] = { arg, NULL };
	struct diff_options scratch;
	bool known;

	diff_options_init(&scratch, r->odb);
	known = diff_options_parse(&scratch, argv, NULL) != 0;
	diff_options_release(&scratch);
	return known;
}

void log_refuse_value(struct repository *r, const char *arg)
{
	static const char *const names[] = {
		"--mailmap", "--no-mailmap", "--use-mailmap", "--no-use-mailmap", "--source",
		"--quiet", "--no-decorate", "--clear-decorations", "--follow",
	};
	const char *equals = strchr(arg, '=');
	char *name;
	bool known;

	if (!equals || !starts_with(arg, "--"))
		return;
	name = xstrndup(arg, equals - arg);
	known = is_diff_option(r, name);
	for (size_t i = 0; !known && i < ARRAY_SIZE(names); i++)
		known = !strcmp(name, names[i]);
	free(name);
	if (known)
		usage_error(arg + 2, equals - arg - 2, "takes no value");
}

int log_format_option(struct log_options *o, const char *const *argv, struct err *err)
{
	int used = pretty_option(o, argv[0], err);

	if (!used)
		used = date_option(o, argv, err);
	if (!used)
		used = abbrev_option(o, argv[0]);
	if (!used)
		used = notes_option(o, argv[0]);
	if (!used)
		used = tabs_option(o, argv[0], err);
	if (!used)
		used = encoding_option(o, argv, err);
	if (!used)
		used = graph_option(o, argv[0]);
	return used;
}

static int submodules_option(struct log_options *o, const char *arg, struct err *err)
{
	int rc = diff_submodules_option(arg, &o->ignore_submodules, err);

	o->ignore_submodules_given |= rc > 0;
	return rc;
}

static int on_option(void *data, const char *const *argv, struct err *err)
{
	struct log_options *o = data;
	int used = log_format_option(o, argv, err);

	if (!used && !o->walk_only)
		used = porcelain_option(o, argv, err);
	if (!used)
		used = merge_option(o, argv, err);
	if (!used)
		used = switch_option(o, argv[0]);
	if (!used)
		used = log_lines_option(o, argv);
	if (!used)
		used = submodules_option(o, argv[0], err);
	if (!used)
		used = diff_option(o, argv, err);
	if (!used)
		log_refuse_value(o->repo, argv[0]);
	return used;
}

int log_unused_option(struct repository *r, const char *const *argv, struct diff_options *diff, struct err *err)
{
	static const char *const commit_options[] = {
		"-v", "--show-signature", "--no-show-signature", "--log-size", "--full-diff", "--always", "--no-commit-id",
		"--unpacked", "--count",
	};
	struct log_options o;
	int used = log_options_init_plumbing(&o, r, err);

	for (size_t i = 0; !used && i < ARRAY_SIZE(commit_options); i++)
		used = !strcmp(argv[0], commit_options[i]);
	if (!used)
		used = log_format_option(&o, argv, err);
	if (!used && (used = merge_option(&o, argv, err)) > 0) {
		diff->combine = o.diff.combine;
		if (o.merges_need_diff && !diff->formats)
			diff->formats = DIFF_FORMAT_PATCH;
	}
	log_options_release(&o);
	return used;
}

int log_options_parse(struct log_options *o, int argc, const char **argv, struct err *err)
{
	const struct rev_hooks hooks = { on_option, o };

	return rev_walk_arguments(o->walk, argc, argv, &hooks, err);
}

/* ---- what follows from them ---- */

/* For --grep: without indentation and headings. */
static void add_notes(void *notes, const struct object_id *oid, struct strbuf *out)
{
	notes_format(notes, oid, out, true);
}

/* The default ref may be missing. */
static void warn_missing_notes(const struct strvec *missing, const char *default_ref)
{
	for (size_t i = 0; i < missing->nr; i++)
		if (!default_ref || strcmp(missing->v[i], default_ref) != 0)
			warning("notes ref %s is invalid", missing->v[i]);
}

static int open_notes(struct log_options *o, struct err *err)
{
	struct strvec refs = STRVEC_INIT, missing = STRVEC_INIT;
	bool with_default = o->notes_default > 0 || (o->notes_default < 0 && !o->notes_refs.nr);
	bool asked = o->show_notes > 0;
	int rc = 0;

	if (!o->show_notes)
		return 0;
	/* In a user format notes are shown only at %N. */
	if (!asked && (o->format_given || o->pretty.kind == PRETTY_USER) &&
	    !(o->pretty.kind == PRETTY_USER && strstr(o->pretty.user_format, "%N")))
		return 0;
	if (with_default)
		rc = notes_display_refs(o->repo, &refs, err);
	strvec_pushv(&refs, o->notes_refs.v);
	if (!rc)
		rc = notes_open(&o->notes, o->repo, &refs, &missing, err);
	if (!rc)
		warn_missing_notes(&missing, with_default ? refs.v[0] : NULL);
	strvec_clear(&missing);
	strvec_clear(&refs);
	if (!rc) {
		o->pretty.notes = o->notes;
		rev_grep_use_notes(o->walk, add_notes, o->notes);
	}
	return rc;
}

/* --pretty=raw is for programs: no settings of people's, only options. */
static void resolve_raw(struct log_options *o)
{
	if (o->plumbing || !o->format_given || o->pretty.kind != PRETTY_RAW)
		return;
	o->abbrev_commit &= o->abbrev_commit_given;
	if (!o->decorate_given)
		o->decorate = DECORATE_NO;
}

static int resolve_decorations(struct log_options *o, struct err *err)
{
	if (o->decorate == DECORATE_AUTO)
		o->decorate = isatty(STDOUT_FILENO) || pager_in_use() ? DECORATE_SHORT : DECORATE_NO;
	o->pretty.decorate_options = &o->decorations;
	o->pretty.decorate_full = o->decorate == DECORATE_FULL;
	if (o->decorate == DECORATE_NO || o->pretty.kind == PRETTY_USER || pretty_is_email(&o->pretty))
		return 0;
	return pretty_load_decorations(&o->pretty, err);
}

/* -S, --diff-filter and the like choose commits: one without a diff is not shown. */
bool log_diff_decides(const struct log_options *o)
{
	return o->follow_path || o->diff.filter[0] || o->diff.pickaxe || o->diff.find_objects.nr;
}

/* -q is what the command begins with, wherever it stands. */
static void resolve_quiet(struct log_options *o)
{
	const unsigned names = DIFF_FORMAT_NAME_ONLY | DIFF_FORMAT_NAME_STATUS;

	if (o->quiet && !(o->diff.formats & ~names))
		o->diff.formats |= DIFF_FORMAT_NONE;
}

/* Which commits are compared with their parents. */
static int resolve_merge_diff(struct log_options *o, struct err *err)
{
	if (o->patch_by_default && !o->diff.formats)
		o->diff.formats = DIFF_FORMAT_PATCH;
	o->diff_asked |= (o->diff.formats & ~DIFF_FORMAT_NONE) || o->merges_ask || log_diff_decides(o);
	if (o->merge_diff == MERGE_DIFF_UNSET && o->walk->first_parent && !o->plumbing)
		o->merge_diff = MERGE_DIFF_FIRST;
	if (o->merge_diff == MERGE_DIFF_UNSET && o->dense_by_default) {
		o->merge_diff = MERGE_DIFF_COMBINED;
		o->diff.combine = DIFF_COMBINE_DENSE;
	}
	if (o->merge_diff != MERGE_DIFF_COMBINED && o->diff.combined_all_paths)
		return err_set(err, ERR_INVALID, "--combined-all-paths makes no sense without -c or --cc");
	if (o->merges_need_diff && !o->diff.formats)
		o->diff.formats = DIFF_FORMAT_PATCH;
	if (o->walk->first_parent && o->merge_diff == MERGE_DIFF_EACH && !o->plumbing)
		o->merge_diff = MERGE_DIFF_FIRST;
	if (o->merge_diff == MERGE_DIFF_UNSET)
		o->merge_diff = MERGE_DIFF_OFF;
	o->diff_asked |= o->patch_by_default && o->merge_diff == MERGE_DIFF_EACH; /* a header for each */
	return 0;
}

/* Attributes matter to it then. */
static bool compares_contents(const struct diff_options *o)
{
	return o->formats & (DIFF_FORMAT_PATCH | DIFF_FORMAT_STAT | DIFF_FORMAT_NUMSTAT |
			     DIFF_FORMAT_SHORTSTAT | DIFF_FORMAT_CHECK | DIFF_FORMAT_DIRSTAT) || o->pickaxe;
}

/* log.graphColors, or ours. */
static size_t graph_colors(struct log_options *o)
{
	static const char *const defaults =
		"red,green,yellow,blue,magenta,cyan,bold red,bold green,bold yellow,"
		"bold blue,bold magenta,bold cyan";
	struct string_list list = STRING_LIST_INIT;
	const char *value = defaults;
	size_t i, nr = 0;

	if (!o->color)
		return 0;
	config_get_string(o->repo->config, "log.graphcolors", &value, NULL);
	string_list_split(&list, value, ",");
	ALLOC_ARRAY(o->graph_colors, list.nr);
	for (i = 0; i < list.nr; i++) {
		struct strbuf name = STRBUF_INIT;

		strbuf_addstr(&name, list.items[i].string);
		strbuf_trim(&name);
		if (color_parse(name.buf, o->graph_colors[nr]) < 0)
			warning("ignored invalid color '%s' in log.graphColors", name.buf);
		else
			nr++;
		strbuf_release(&name);
	}
	string_list_clear(&list, NULL);
	return nr;
}

static int resolve_graph(struct log_options *o, struct err *err)
{
	size_t nr;

	if (!o->with_graph)
		return 0;
	if (o->walk->reverse || o->walk->no_walk)
		return err_set(err, ERR_INVALID, "options '%s' and '%s' cannot be used together",
			       o->walk->reverse ? "--reverse" : "--no-walk", "--graph");
	if (o->walk->want_children)
		return err_set(err, ERR_INVALID, "options '%s' and '%s' cannot be used together",
			       "--parents", "--children");
	if (o->walk->order == REV_ORDER_DEFAULT)
		o->walk->order = REV_ORDER_TOPO;
	o->walk->want_parents = true;
	nr = graph_colors(o);
	o->graph = graph_new((const char (*)[COLOR_MAXLEN])o->graph_colors, nr);
	return 0;
}

/* The walk sees all commits then: which of them matter depends on the names found on the way. */
static int resolve_follow(struct log_options *o, struct err *err)
{
	struct rev_walk *w = o->walk;

	if (!o->follow)
		return 0;
	if (!w->has_pathspec || w->pathspec.nr != 1 || w->pathspec.has_exclude)
		return !o->follow_asked ? 0 : err_set(err, ERR_INVALID, "--follow requires exactly one pathspec");
	o->follow_path = xstrdup(w->pathspec.items[0].match);
	pathspec_release(&w->pathspec);
	w->has_pathspec = false;
	return 0;
}

/* .gitattributes, .gitmodules, and what the diff has from the options of the walk. */
static int resolve_diff(struct log_options *o, struct err *err)
{
	bool asked = o->diff_asked || o->merges_need_diff;
	bool compares = (asked && compares_contents(&o->diff)) || o->line_specs.nr || o->diff.textconv_asked;
	struct rev_walk *w = o->walk;
	int rc = 0;

	if (!o->full_diff && w->has_pathspec)
		o->diff.pathspec = &w->pathspec;
	o->diff.pickaxe_ignore_case = rev_grep_ignores_case(w);
	if (compares || (w->has_pathspec && w->pathspec.has_attr))
		rc = attrs_new(&o->attrs, o->repo, NULL,
			       o->repo->worktree ? ATTR_CHECKIN : ATTR_INDEX, err);
	if (!rc && w->has_pathspec) {
		w->pathspec.match_attr = attrs_match_spec;
		w->pathspec.match_attr_data = o->attrs;
	}
	if (!rc && compares) {
		rc = diff_attrs_new(&o->diff_attrs, o->repo, o->attrs, err);
		if (!rc)
			diff_attrs_use(o->diff_attrs, &o->diff);
	}
	if (!rc && asked) {
		rc = diff_submodules_new(&o->submodules, o->repo, err);
		if (!rc && o->ignore_submodules_given)
			diff_submodules_set(o->submodules, o->ignore_submodules, true);
		if (!rc)
			diff_submodules_use(o->submodules, &o->diff);
	}
	return rc;
}

static int resolve_object(void *data, const char *name, struct object_id *out, struct err *err)
{
	struct log_options *o = data;

	return revparse_oid(o->repo, name, out, err);
}

int log_options_resolve(struct log_options *o, struct err *err)
{
	int rc = resolve_graph(o, err);

	if (rc >= 0)
		rc = resolve_follow(o, err);
	resolve_quiet(o);
	if (o->diff.complaint)
		warning("%s", o->diff.complaint);
	if (rc >= 0)
		rc = diff_options_check(&o->diff, err);
	if (rc >= 0)
		rc = log_lines_check(o, err);
	if (rc < 0)
		return rc;
	rc = diff_options_resolve(&o->diff, resolve_object, o, err);
	if (rc == ERR_INVALID && o->diff.find_objects.nr) { /* as parse_options() has it */
		error("%s", err_message(err));
		exit(129);
	}
	if (rc < 0)
		return rc;
	resolve_raw(o);
	rc = resolve_merge_diff(o, err);
	if (rc < 0)
		return rc;
	o->line_prefix = o->diff.line_prefix ? o->diff.line_prefix : "";
	o->pretty.walk = o->walk;
	o->pretty.color = o->color;
	if (o->color)
		pretty_read_colors(&o->pretty);
	if (!o->plumbing && pretty_needs_source(&o->pretty)) /* there %S stays as it is */
		o->walk->source = true;
	if (o->mailmap)
		rc = mailmap_read(&o->map, o->repo, err);
	o->pretty.mailmap = o->map;
	if (o->map)
		mailmap_use_for_walk(o->map, o->walk);
	rev_grep_set_encoding(o->walk, o->pretty.encoding);
	if (!rc)
		rc = resolve_decorations(o, err);
	if (!rc)
		rc = open_notes(o, err);
	if (!rc)
		rc = resolve_diff(o, err);
	return rc ? rc : log_lines_begin(o, err);
}

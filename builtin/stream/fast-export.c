/* SPDX-License-Identifier: GPL-2.0-only */
/* git-fast-export(1) */
#include "compat/posix.h"
#include "builtin/stream/export.h"
#include "util/alloc.h"

static const char *const usage[] = { "git fast-export [<rev-list-opts>]", NULL };

/* ---- options ---- */

struct mode_name {
	const char *name;
	int value;
};

static int set_mode(const struct option *opt, const char *what, const char *arg, int unset, const struct mode_name *names)
{
	for (size_t i = 0; names[i].name; i++)
		if (unset ? i == 0 : !strcmp(names[i].name, arg)) {
			*(int *)opt->value = names[i].value;
			return 0;
		}
	return error("unknown %s mode: %s", what, arg);
}

static int on_signed(const struct option *opt, const char *arg, int unset)
{
	static const struct mode_name names[] = {
		{ "abort", EXPORT_ABORT }, { "verbatim", EXPORT_VERBATIM }, { "ignore", EXPORT_VERBATIM },
		{ "warn-verbatim", EXPORT_WARN_VERBATIM }, { "warn", EXPORT_WARN_VERBATIM },
		{ "warn-strip", EXPORT_WARN_STRIP }, { "strip", EXPORT_STRIP }, { NULL, 0 },
	};

	return set_mode(opt, opt->long_name, arg, unset, names);
}

static int on_filtered(const struct option *opt, const char *arg, int unset)
{
	static const struct mode_name names[] = {
		{ "abort", EXPORT_FILTERED_ABORT }, { "drop", EXPORT_FILTERED_DROP },
		{ "rewrite", EXPORT_FILTERED_REWRITE }, { NULL, 0 },
	};

	return set_mode(opt, "tag-of-filtered", arg, unset, names);
}

static int on_reencode(const struct option *opt, const char *arg, int unset)
{
	static const struct mode_name names[] = {
		{ "abort", EXPORT_REENCODE_ABORT }, { "yes", EXPORT_REENCODE_YES }, { "no", EXPORT_REENCODE_NO },
		{ NULL, 0 },
	};

	return set_mode(opt, "reencoding", arg, unset, names);
}

static int on_anonymize_map(const struct option *opt, const char *arg, int unset)
{
	(void)unset;
	return anonymizer_keep(opt->value, arg) ? 0 : error("--anonymize-map token cannot be empty");
}

struct given {
	const char *export_marks, *import_marks, *import_marks_if_exists;
	struct strvec refspecs;
	int data;
};

static int settle_options(struct fast_export *x, const struct given *g, struct err *err)
{
	const char *import = g->import_marks ? g->import_marks : g->import_marks_if_exists;
	int rc = 0;

	if (x->anon.wanted.nr && !x->anonymous)
		return err_set(err, ERR_INVALID, "the option '%s' requires '%s'", "--anonymize-map", "--anonymize");
	if (g->import_marks && g->import_marks_if_exists)
		return err_set(err, ERR_INVALID, "options '%s' and '%s' cannot be used together", "--import-marks",
			       "--import-marks-if-exists");
	for (size_t i = 0; !rc && i < g->refspecs.nr; i++)
		rc = refspec_add(&x->refspec, g->refspecs.v[i], x->repo->algo, err);
	x->export_marks = g->export_marks ? xstrdup(g->export_marks) : NULL;
	x->import_marks = import ? xstrdup(import) : NULL;
	x->marks_may_miss = g->import_marks == NULL;
	return rc;
}

/* The options of the command itself, and then those of the walk, its revisions and its paths. */
static int parse(struct fast_export *x, int argc, const char **argv, struct given *g, struct err *err)
{
	int rc;
	struct option opts[] = {
		OPT_INTEGER(0, "progress", &x->progress, "show progress after <n> objects"),
		OPT_CALLBACK(0, "signed-tags", &x->signed_tags, "mode", "select handling of signed tags", on_signed),
		OPT_CALLBACK(0, "signed-commits", &x->signed_commits, "mode", "select handling of signed commits", on_signed),
		OPT_CALLBACK(0, "tag-of-filtered-object", &x->filtered, "mode",
			     "select handling of tags that tag filtered objects", on_filtered),
		OPT_CALLBACK(0, "reencode", &x->reencode, "mode",
			     "select handling of commit messages in an alternate encoding", on_reencode),
		OPT_STRING(0, "export-marks", &g->export_marks, "file", "dump marks to this file"),
		OPT_STRING(0, "import-marks", &g->import_marks, "file", "import marks from this file"),
		OPT_STRING(0, "import-marks-if-exists", &g->import_marks_if_exists, "file",
			   "import marks from this file if it exists"),
		OPT_BOOL(0, "fake-missing-tagger", &x->fake_missing_tagger, "fake a tagger when tags lack one"),
		OPT_BOOL(0, "full-tree", &x->full_tree, "output full tree for each commit"),
		OPT_BOOL(0, "use-done-feature", &x->done_feature, "use the done feature to terminate the stream"),
		OPT_BOOL(0, "no-data", &x->no_data, "skip output of blob data"),
		OPT_STRVEC(0, "refspec", &g->refspecs, "refspec", "apply refspec to exported refs"),
		OPT_BOOL(0, "anonymize", &x->anonymous, "anonymize output"),
		OPT_CALLBACK_F(0, "anonymize-map", &x->anon, "from:to", "convert <from> to <to> in anonymized output",
			       PARSE_OPT_NONEG, on_anonymize_map),
		OPT_BOOL(0, "reference-excluded-parents", &x->reference_parents,
			 "reference parents which are not in fast-export stream by object id"),
		OPT_BOOL(0, "show-original-ids", &x->original_ids, "show original object ids of blobs/commits"),
		OPT_BOOL(0, "mark-tags", &x->mark_tags, "label tags with mark ids"),
		OPT_END()
	};

	if (argc == 1)
		usage_with_options(usage, opts);
	argc = parse_options(argc, argv, opts, usage, PARSE_OPT_KEEP_UNKNOWN | PARSE_OPT_NO_ABBREV |
			     PARSE_OPT_KEEP_DASHDASH | PARSE_OPT_KEEP_ARGV0);
	rc = log_options_init_plumbing(&x->log, x->repo, err);
	x->walk = x->log.walk;
	if (!rc)
		rc = log_options_parse(&x->log, argc, argv, err);
	if (!rc)
		rc = settle_options(x, g, err);
	if (rc == ERR_INVALID && starts_with(err_message(err), "unrecognized argument: "))
		usage_with_options(usage, opts);
	return rc;
}

/* Parents come first, and are replaced by their nearest ancestors within the paths. */
static void settle_walk(struct fast_export *x)
{
	struct rev_walk *w = x->walk;

	if (w->order == REV_ORDER_DEFAULT)
		w->order = REV_ORDER_TOPO;
	w->reverse = w->want_parents = w->source = true;
	x->log.diff.recursive = true;
	x->log.diff.ignores_submodule = NULL; /* no setting hides changes of a commit */
	if (x->import_marks && !x->marks_may_miss && w->has_pathspec)
		x->full_tree = 1;
}

/* ---- the stream ---- */

static void init(struct fast_export *x, struct repository *r)
{
	*x = (struct fast_export){ .repo = r, .signed_tags = EXPORT_ABORT, .signed_commits = EXPORT_STRIP,
				   .refspec = REFSPEC_INIT(REFSPEC_FETCH) };
}

static void release(struct fast_export *x)
{
	log_options_release(&x->log);
	refspec_release(&x->refspec);
	anonymizer_release(&x->anon);
	oidmap_clear(&x->marks, NULL);
	oid_array_clear(&x->marked_commits);
	string_list_clear(&x->refs, free);
	string_list_clear(&x->tags, free);
	free(x->export_marks);
	free(x->import_marks);
}

static int print_stream(struct fast_export *x, struct err *err)
{
	struct commit *c;
	int rc;

	if (x->done_feature)
		printf("feature done\n");
	rc = export_marks_read(x, err);
	if (!rc)
		rc = export_refs_collect(x, err);
	if (!rc)
		rc = rev_walk_begin(x->walk, err);
	while (!rc && (rc = rev_walk_next(x->walk, &c, err)) > 0)
		rc = export_commit(x, c, err);
	if (!rc)
		rc = export_refs_finish(x, err);
	if (!rc)
		rc = export_marks_write(x, err);
	if (!rc && x->done_feature)
		printf("done\n");
	return rc;
}

int cmd_fast_export(int argc, const char **argv, struct command_ctx *ctx)
{
	struct given g = { .refspecs = STRVEC_INIT };
	struct err err = ERR_INIT;
	struct fast_export x;
	int rc;

	init(&x, ctx->repo);
	rc = parse(&x, argc, argv, &g, &err);
	if (!rc) {
		x.log.diff_asked |= x.log.diff.detect != DIFF_DETECT_NONE;
		rc = log_options_resolve(&x.log, &err);
	}
	if (rc >= 0) {
		settle_walk(&x);
		rc = print_stream(&x, &err);
	}
	strvec_clear(&g.refspecs);
	release(&x);
	if (rc < 0)
		return report_fatal(&err);
	return finish_stdout() ? 128 : 0;
}

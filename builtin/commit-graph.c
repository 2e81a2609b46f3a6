/* SPDX-License-Identifier: GPL-2.0-only */
/* git-commit-graph(1) */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "history/graph/commit-graph-write.h"
#include "operation/operation.h"
#include "util/progress.h"

#define VERIFY_USAGE "git commit-graph verify [--object-dir <dir>] [--shallow] [--[no-]progress]"
#define WRITE_USAGE                                                                              \
	"git commit-graph write [--object-dir <dir>] [--append]\n"                               \
	"                       [--split[=<strategy>]] [--reachable | --stdin-packs | "          \
	"--stdin-commits]\n"                                                                     \
	"                       [--changed-paths] [--[no-]max-new-filters <n>] "                 \
	"[--[no-]progress]\n"                                                                    \
	"                       <split-options>"

static const char *const usage[] = { VERIFY_USAGE, WRITE_USAGE, NULL };

/* ---- what both have ---- */

static int progress_wanted; /* -1: on a terminal */

static struct progress *show_progress(void *data UNUSED, const char *title, uint64_t total)
{
	if (progress_wanted < 0)
		return progress_start(title, total);
	return progress_wanted ? progress_start_forced(title, total) : NULL;
}

static struct progress *show_progress_late(void *data UNUSED, const char *title, uint64_t total)
{
	if (progress_wanted < 0)
		return progress_start(title, total);
	return progress_wanted ? progress_start_delayed(title, total) : NULL;
}

/* One of the object directories that the repository reads. */
static const char *find_objdir(struct repository *r, const char *given)
{
	char *path = given ? realpath(given, NULL) : NULL;
	const char *found = given ? NULL : odb_objdir(r->odb);

	if (given && !path)
		die("could not find object directory matching %s", given);
	for (size_t i = 0; !found && i <= odb_nr_alternates(r->odb); i++) {
		const char *dir = odb_store_objdir(r->odb, i);
		char *real = realpath(dir, NULL);

		if (real && !strcmp(real, path))
			found = dir;
		free(real);
	}
	if (!found)
		die("could not find object directory matching %s", given);
	free(path);
	return found;
}

/* ---- verify ---- */

static void print_fault(void *data UNUSED, const char *msg)
{
	fprintf(stderr, "%s\n", msg);
}

static int verify(int argc, const char **argv, struct command_ctx *ctx)
{
	static const char *const verify_usage[] = { VERIFY_USAGE, NULL };
	const char *objdir = NULL;
	int shallow = 0;
	struct option options[] = {
		OPT_STRING(0, "object-dir", &objdir, "dir", "the object directory to store the graph"),
		OPT_BOOL(0, "shallow", &shallow, "if the commit-graph is split, only verify the tip file"),
		OPT_BOOL(0, "progress", &progress_wanted, "force progress reporting"),
		OPT_END()
	};
	struct commit_graph_verify_options o = {
		.bad = print_fault, .unusable = error_callback, .progress = show_progress,
	};

	progress_wanted = -1;
	argc = parse_options(argc, argv, options, verify_usage, 0);
	if (argc)
		usage_with_options(verify_usage, options);
	repo_ignore_replacements(ctx->repo); /* the commits themselves count */
	o.objdir = find_objdir(ctx->repo, objdir);
	o.shallow = shallow;
	return (int)commit_graph_verify(ctx->repo, &o);
}

/* ---- write ---- */

struct write_options {
	struct commit_graph_write_options o;
	const char *objdir;
	int reachable, stdin_packs, stdin_commits, append;
	int max_commits, size_multiple;
	struct oid_array commits;
	struct strvec packs;
};

static int parse_split(const struct option *opt, const char *arg, int unset UNUSED)
{
	struct write_options *w = opt->value;

	if (!arg && w->o.split)
		return 0; /* what has been said before stays */
	w->o.split = GRAPH_SPLIT;
	if (arg && !strcmp(arg, "no-merge"))
		w->o.split = GRAPH_SPLIT_NO_MERGE;
	else if (arg && !strcmp(arg, "replace"))
		w->o.split = GRAPH_SPLIT_REPLACE;
	else if (arg)
		die("unrecognized --split argument, %s", arg);
	return 0;
}

static int parse_max_filters(const struct option *opt, const char *arg, int unset)
{
	struct write_options *w = opt->value;
	char *end;

	w->o.max_new_filters = -1;
	if (unset)
		return 0;
	errno = 0;
	w->o.max_new_filters = strtol(arg, &end, 10);
	if (errno || *end || end == arg) {
		error("option `max-new-filters' expects a numerical value");
		return -1;
	}
	return 0;
}

static int parse_expiry(const struct option *opt, const char *arg, int unset)
{
	struct write_options *w = opt->value;

	w->o.expire_before = TIME_MAX;
	if (!unset && date_parse_expiry(arg, &w->o.expire_before) < 0)
		die("malformed expiration date '%s'", arg);
	return 0;
}

/* A name at the start of each line, of an object that is there. */
static int read_commits(struct repository *r, struct write_options *w)
{
	struct strbuf line = STRBUF_INIT;
	struct object_id oid, commit;
	enum object_type type;
	int rc = 0;

	while (!rc && strbuf_getline(&line, stdin) != EOF) {
		if (oid_parse_hex(&oid, line.buf, r->algo, NULL)) {
			error("unexpected non-hex object ID: %s", line.buf);
			rc = 1;
		} else if (object_peel(odb_source(r->odb), &oid, OBJ_ANY, &commit, &type, NULL) < 0) {
			error("invalid object: %s", line.buf);
			rc = 1;
		} else if (type == OBJ_COMMIT) {
			oid_array_append(&w->commits, &commit);
		}
	}
	strbuf_release(&line);
	return rc;
}

static int read_input(struct repository *r, struct write_options *w)
{
	struct strbuf line = STRBUF_INIT;

	w->o.source = w->reachable ? GRAPH_FROM_REFS : GRAPH_FROM_PACKS;
	if (w->stdin_commits) {
		w->o.source = GRAPH_FROM_COMMITS;
		return read_commits(r, w);
	}
	if (w->stdin_packs) {
		w->o.source = GRAPH_FROM_NAMED_PACKS;
		while (strbuf_getline(&line, stdin) != EOF)
			strvec_push(&w->packs, line.buf);
		strbuf_release(&line);
	}
	return 0;
}

/* False: nothing is to be written, and it has been said why. */
static bool is_enabled(struct repository *r)
{
	bool enabled = true;
	int version = -1;

	config_get_bool(r->config, "core.commitgraph", &enabled, NULL);
	config_get_int(r->config, "commitgraph.changedpathsversion", &version, NULL);
	if (!enabled)
		warning("attempting to write a commit-graph, but 'core.commitGraph' is disabled");
	else if (version < -1 || version > 2)
		warning("attempting to write a commit-graph, but "
			"'commitGraph.changedPathsVersion' (%d) is not supported", version);
	else
		return true;
	return false;
}

static int write_graph(struct repository *r, struct write_options *w)
{
	struct repo_operation *op;
	struct err err = ERR_INIT;
	int rc = read_input(r, w);

	if (rc)
		return rc;
	op = repo_operation_begin(r);
	rc = commit_graph_write(r, &w->o, repo_operation_batch(op), &err);
	rc = repo_operation_end(op, rc, &err);
	return rc < 0 ? report_fatal(&err) : 0;
}

#define SIZE_MULTIPLE 2

static void init_write_options(struct write_options *w, struct repository *r)
{
	int most = -1;

	memset(w, 0, sizeof(*w));
	progress_wanted = -1;
	config_get_int(r->config, "commitgraph.maxnewfilters", &most, NULL);
	w->o = (struct commit_graph_write_options){
		.size_multiple = SIZE_MULTIPLE, .expire_before = TIME_MAX, .changed_paths = -1,
		.max_new_filters = most, .commits = &w->commits, .packs = &w->packs,
		.progress = show_progress_late, .warn = warning_callback,
	};
	strvec_init(&w->packs);
}

static int write_command(int argc, const char **argv, struct command_ctx *ctx)
{
	static const char *const write_usage[] = { WRITE_USAGE, NULL };
	struct write_options w;
	struct option options[] = {
		OPT_STRING(0, "object-dir", &w.objdir, "dir", "the object directory to store the graph"),
		OPT_BOOL(0, "reachable", &w.reachable, "start walk at all refs"),
		OPT_BOOL(0, "stdin-packs", &w.stdin_packs,
			 "scan pack-indexes listed by stdin for commits"),
		OPT_BOOL(0, "stdin-commits", &w.stdin_commits, "start walk at commits listed by stdin"),
		OPT_BOOL(0, "append", &w.append,
			 "include all commits already in the commit-graph file"),
		OPT_BOOL(0, "changed-paths", &w.o.changed_paths,
			 "enable computation for changed paths"),
		OPT_CALLBACK_F(0, "split", &w, "strategy",
			       "allow writing an incremental commit-graph file",
			       PARSE_OPT_OPTARG | PARSE_OPT_NONEG, parse_split),
		OPT_INTEGER(0, "max-commits", &w.max_commits,
			    "maximum number of commits in a non-base split commit-graph"),
		OPT_INTEGER(0, "size-multiple", &w.size_multiple,
			    "maximum ratio between two levels of a split commit-graph"),
		OPT_CALLBACK(0, "expire-time", &w, "expiry-date",
			     "only expire files older than a given date-time", parse_expiry),
		OPT_CALLBACK(0, "max-new-filters", &w, "n",
			     "maximum number of changed-path Bloom filters to compute",
			     parse_max_filters),
		OPT_BOOL(0, "progress", &progress_wanted, "force progress reporting"),
		OPT_END()
	};
	int rc;

	init_write_options(&w, ctx->repo);
	argc = parse_options(argc, argv, options, write_usage, 0);
	if (argc)
		usage_with_options(write_usage, options);
	if (w.reachable + w.stdin_packs + w.stdin_commits > 1)
		die("use at most one of --reachable, --stdin-commits, or --stdin-packs");
	if (w.max_commits > 0)
		w.o.max_commits = (unsigned long)w.max_commits;
	if (w.size_multiple > 0)
		w.o.size_multiple = (unsigned long)w.size_multiple;
	w.o.objdir = find_objdir(ctx->repo, w.objdir);
	w.o.append = w.append;
	rc = is_enabled(ctx->repo) ? write_graph(ctx->repo, &w) : 0;
	oid_array_clear(&w.commits);
	strvec_clear(&w.packs);
	return rc;
}

int cmd_commit_graph(int argc, const char **argv, struct command_ctx *ctx)
{
	static const struct subcommand commands[] = {
		{ "verify", verify }, { "write", write_command },
	};
	struct option options[] = { OPT_END() };
	command_fn run;

	argc = parse_options(argc, argv, options, usage,
			     PARSE_OPT_STOP_AT_NON_OPTION | PARSE_OPT_KEEP_ARGV0);
	run = find_subcommand(commands, ARRAY_SIZE(commands), argc, argv);
	if (run)
		return run(argc - 1, argv + 1, ctx);
	die_no_subcommand(argv[1], usage, options);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* git-prune(1) */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "history/names/revparse.h"
#include "maintain/prune-packed.h"
#include "maintain/prune.h"
#include "util/progress.h"

static const char *const usage[] = {
	"git prune [-n] [-v] [--progress] [--expire <time>] [--] [<head>...]",
	NULL
};

struct prune_command {
	int verbose, progress; /* progress -1: on a terminal */
	struct progress *meter;
};

static int on_expire(const struct option *opt, const char *arg, int unset)
{
	timestamp_t *when = opt->value;

	if (unset)
		*when = 0;
	else if (date_parse_expiry(arg, when) < 0)
		die("malformed expiration date '%s'", arg);
	return 0;
}

static void report(void *data UNUSED, const char *line)
{
	puts(line);
}

/* As git-prune-packed(1) -n does. */
static void report_packed(void *data UNUSED, const char *path)
{
	printf("rm -f %s\n", path);
}

static void complain(void *data UNUSED, const char *path)
{
	fprintf(stderr, "bad sha1 file: %s\n", path);
}

static void prune_show_progress(void *data, uint64_t nr)
{
	struct prune_command *c = data;

	if (!c->meter)
		c->meter = c->progress > 0 ? progress_start_delayed("Checking connectivity", 0) :
					     progress_start("Checking connectivity", 0);
	progress_update(c->meter, nr);
}

static void read_heads(struct repository *r, int argc, const char **argv, struct oid_array *out)
{
	for (int i = 0; i < argc; i++) {
		struct object_id oid;

		if (revparse_oid(r, argv[i], &oid, NULL) < 0)
			die("unrecognized argument: %s", argv[i]);
		oid_array_append(out, &oid);
	}
}

int cmd_prune(int argc, const char **argv, struct command_ctx *ctx)
{
	struct prune_command c = { .progress = -1 };
	struct oid_array heads = OID_ARRAY_INIT;
	struct prune_options o = { .expire_before = TIME_MAX, .heads = &heads,
				   .complain = complain, .data = &c };
	int dry_run = 0, exclude_promisor = 0, rc;
	struct option options[] = {
		OPT__DRY_RUN(&dry_run, "do not remove, show only"),
		OPT_BOOL('v', "verbose", &c.verbose, "report pruned objects"),
		OPT_BOOL(0, "progress", &c.progress, "show progress"),
		OPT_CALLBACK(0, "expire", &o.expire_before, "expiry-date",
			     "expire objects older than <time>", on_expire),
		/* What has been promised may be missing in any case. */
		OPT_BOOL(0, "exclude-promisor-objects", &exclude_promisor,
			 "limit traversal to objects outside promisor packfiles"),
		OPT_END()
	};
	struct repo_operation *op;
	struct err err = ERR_INIT;

	argc = parse_options(argc, argv, options, usage, 0);
	repo_ignore_replacements(ctx->repo);
	read_heads(ctx->repo, argc, argv, &heads);
	o.dry_run = dry_run;
	if (dry_run || c.verbose)
		o.report = report;
	if (c.progress)
		o.progress = prune_show_progress;
	op = repo_operation_begin(ctx->repo);
	rc = prune_run(op, ctx->repo, &o, &err);
	if (!rc)
		rc = prune_packed_run(op, ctx->repo, dry_run, dry_run ? report_packed : NULL, NULL, &err);
	rc = repo_operation_end(op, rc, &err);
	progress_stop(&c.meter);
	oid_array_clear(&heads);
	if (rc < 0)
		return report_fatal(&err);
	return finish_stdout() ? 128 : 0;
}

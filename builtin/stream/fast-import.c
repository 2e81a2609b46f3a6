/* SPDX-License-Identifier: GPL-2.0-only */
/* git-fast-import(1) */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "fastimport/fastimport.h"
#include "util/alloc.h"

static const char usage[] =
	"usage: git fast-import [--date-format=<f>] [--max-pack-size=<n>] [--big-file-threshold=<n>] [--depth=<n>] "
	"[--active-branches=<n>] [--export-marks=<marks.file>]\n";

/* The crash report; then the message that led to it. Returns the exit code. */
static int crash(struct fast_import *fi, struct err *err)
{
	struct strbuf path = STRBUF_INIT;
	struct err also = ERR_INIT;
	char *msg = xstrdup(err_message(err));
	int code = report_fatal(err);

	if (fast_import_crash(fi, msg, &path, &also) < 0)
		report_error(&also);
	fprintf(stderr, "fast-import: dumping crash report to %s\n", path.buf);
	strbuf_release(&path);
	free(msg);
	return code;
}

static int import_options(struct fast_import *fi, int argc, const char **argv, struct err *err)
{
	const char *option;
	int i = 1, rc = 0;

	for (; i < argc && !rc && *argv[i] == '-' && strcmp(argv[i], "--"); i++)
		rc = skip_prefix(argv[i], "--", &option) ? fast_import_option(fi, option, err) :
							    err_set(err, ERR_INVALID, "unknown option %s", argv[i]);
	if (!rc && i < argc && strcmp(argv[i], "--")) {
		fputs(usage, stderr);
		return 129;
	}
	return rc;
}

int cmd_fast_import(int argc, const char **argv, struct command_ctx *ctx)
{
	struct fast_import_options o = { .in_fd = 0, .out_fd = 1, .warn = warning_callback, .report_error = error_callback };
	struct strbuf stats = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct fast_import *fi;
	int rc;

	if (argc == 2 && !strcmp(argv[1], "-h")) {
		fputs(usage, stdout);
		return 129;
	}
	if (fast_import_new(&fi, ctx->repo, &o, &err) < 0)
		die_err(&err);
	rc = import_options(fi, argc, argv, &err);
	if (!rc)
		rc = fast_import_run(fi, &err);
	if (rc < 0)
		rc = crash(fi, &err);
	else if (rc <= 1 && !fast_import_is_quiet(fi)) {
		fast_import_stats(fi, &stats);
		fputs(stats.buf, stderr);
	}
	strbuf_release(&stats);
	fast_import_free(fi);
	return rc;
}

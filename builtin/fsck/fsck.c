/* SPDX-License-Identifier: GPL-2.0-only */
/* git-fsck(1) */
#include "compat/posix.h"
#include "builtin/fsck/fsck.h"
#include "intake/pack-checks.h"
#include "util/alloc.h"

static const char *const usage[] = {
	"git fsck [--tags] [--root] [--unreachable] [--cache] [--no-reflogs]\n"
	"         [--[no-]full] [--strict] [--verbose] [--lost-found]\n"
	"         [--[no-]dangling] [--[no-]progress] [--connectivity-only]\n"
	"         [--[no-]name-objects] [--[no-]references] [<object>...]",
	NULL
};

/* ---- findings in the content of objects ---- */

static int report_content(void *data, const struct object_id *oid, enum object_type type,
			  enum fsck_severity severity, const char *msg_id, const char *text)
{
	struct fsck *f = data;
	bool bad = severity >= FSCK_ERROR;

	fflush(stdout);
	fprintf(stderr, "%s in %s %s: %s: %s\n", bad ? "error" : "warning",
		fsck_type_name(type), fsck_describe(f, oid), msg_id, text);
	return bad;
}

void fsck_read_oid_list(const char *path, const struct hash_algo *algo, struct oidset *out,
			bool must_exist)
{
	struct err err = ERR_INIT;

	if (oid_list_read(out, path, algo, must_exist, &err) < 0)
		die_err(&err);
}

void fsck_read_severities(struct fsck_options *o, const struct config_set *c)
{
	struct err err = ERR_INIT;

	for (size_t i = 0; i < config_nr(c); i++) {
		const struct config_entry *e = config_at(c, i);
		const char *id;

		if (skip_prefix(e->key, "fsck.", &id) && strcmp(id, "skiplist") &&
		    fsck_set_severity(o, id, e->value ? e->value : "", &err) < 0)
			die_err(&err);
	}
}

static void read_skip_lists(struct fsck *f)
{
	const struct config_set *c = f->repo->config;
	struct err err = ERR_INIT;

	for (size_t i = 0; i < config_nr(c); i++) {
		const struct config_entry *e = config_at(c, i);
		char *path;
		int rc;

		if (strcmp(e->key, "fsck.skiplist"))
			continue;
		rc = config_entry_path(e, &path, &err);
		if (rc < 0)
			die_err(&err);
		if (rc == CONFIG_PATH_OPTIONAL)
			continue;
		fsck_read_oid_list(path, f->algo, &f->skip, true);
		free(path);
	}
}

/* ---- refs as files ---- */

static void report_ref(void *data UNUSED, const struct ref_finding *f)
{
	fflush(stdout);
	if (f->is_error)
		error("%s: %s: %s", f->where, f->msg_id, f->text);
	else
		warning("%s: %s: %s", f->where, f->msg_id, f->text);
}

static void report_checked_ref(void *data UNUSED, const char *what)
{
	fprintf(stderr, "Checking %s\n", what);
}

bool fsck_verify_refs(struct repository *r, const struct fsck_options *checks, bool verbose)
{
	struct ref_verify_options o = {
		.checks = checks,
		.report = report_ref,
		.checking = verbose ? report_checked_ref : NULL,
	};
	struct err err = ERR_INIT;
	size_t errors;

	if (verbose)
		fprintf(stderr, "Checking references consistency\n");
	if (refs_verify(r->refs, &o, &errors, &err) < 0)
		die_err(&err);
	return errors > 0;
}

/* ---- the command ---- */

static bool is_owed(void *data, const struct object_id *oid)
{
	return fsck_is_promised(data, oid);
}

static void set_up(struct fsck *f, struct repository *r)
{
	char *shallow = xstrfmt("%s/shallow", r->commondir);

	repo_ignore_replacements(r);
	f->repo = f->promises.repo = r;
	f->odb = r->odb;
	f->algo = r->algo;
	f->checks.strict = f->strict;
	f->checks.report = report_content;
	f->checks.promised = is_owed;
	f->checks.data = f->checks.promised_data = f;
	f->checks.skip = &f->skip;
	fsck_read_severities(&f->checks, r->config);
	read_skip_lists(f);
	fsck_read_oid_list(shallow, f->algo, &f->shallow, false);
	free(shallow);
}

static void check_refs(struct fsck *f)
{
	struct progress *meter = fsck_progress(f, "Checking ref database", 1);

	if (f->verbose)
		fprintf(stderr, "Checking ref database\n");
	if (fsck_verify_refs(f->repo, &f->checks, f->verbose))
		f->exit_code |= FSCK_BAD_REF;
	progress_update(meter, 1);
	progress_stop(&meter);
}

static void run(struct fsck *f, int argc, const char **argv)
{
	if (f->references)
		check_refs(f);
	if (f->connectivity_only)
		fsck_list_stores(f);
	else
		fsck_check_stores(f);
	fflush(stdout);
	if (argc) {
		fsck_heads_from_args(f, argc, argv);
	} else {
		fsck_heads_from_refs(f);
		f->keep_cache = 1;
	}
	if (f->keep_cache)
		fsck_heads_from_index(f);
	fsck_walk(f);
	fsck_report(f);
}

static void release(struct fsck *f)
{
	fsck_graph_release(f);
	fsck_options_release(&f->checks);
	oidset_clear(&f->skip);
	oidset_clear(&f->shallow);
	promises_release(&f->promises);
}

int cmd_fsck(int argc, const char **argv, struct command_ctx *ctx)
{
	struct fsck f = { .show_dangling = 1, .references = 1, .reflogs = 1, .full = 1, .progress = -1 };
	struct option opts[] = {
		OPT_BOOL('v', "verbose", &f.verbose, "be verbose"),
		OPT_BOOL(0, "unreachable", &f.show_unreachable, "show unreachable objects"),
		OPT_BOOL(0, "dangling", &f.show_dangling, "show dangling objects"),
		OPT_BOOL(0, "tags", &f.show_tags, "report tags"),
		OPT_BOOL(0, "root", &f.show_root, "report root nodes"),
		OPT_BOOL(0, "cache", &f.keep_cache, "make index objects head nodes"),
		OPT_BOOL(0, "reflogs", &f.reflogs, "make reflogs head nodes (default)"),
		OPT_BOOL(0, "full", &f.full, "also consider packs and alternate objects"),
		OPT_BOOL(0, "connectivity-only", &f.connectivity_only, "check only connectivity"),
		OPT_BOOL(0, "strict", &f.strict, "enable more strict checking"),
		OPT_BOOL(0, "lost-found", &f.lost_found, "write dangling objects in .git/lost-found"),
		OPT_BOOL(0, "progress", &f.progress, "show progress"),
		OPT_BOOL(0, "name-objects", &f.name_objects,
			 "show verbose names for reachable objects"),
		OPT_BOOL(0, "references", &f.references, "check reference database consistency"),
		OPT_END()
	};
	struct err err = ERR_INIT;

	argc = parse_options(argc, argv, opts, usage, 0);
	if (f.verbose)
		f.progress = 0;
	if (f.lost_found) {
		f.full = 1;
		f.reflogs = 0; /* what only they have would be lost with them */
		f.show_unreachable = 0;
	}
	set_up(&f, ctx->repo);
	if (f.lost_found)
		f.op = repo_operation_begin(ctx->repo);
	run(&f, argc, argv);
	fsck_check_graphs(&f, ctx->repo);
	fsck_check_midxs(&f);
	if (f.lost_found && repo_operation_end(f.op, 0, &err) < 0)
		die_err(&err);
	release(&f);
	if (finish_stdout())
		return 128;
	return f.exit_code;
}

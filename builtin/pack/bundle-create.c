/* SPDX-License-Identifier: GPL-2.0-only */
/* git bundle create */
#include "compat/posix.h"
#include "builtin/pack/bundle.h"
#include "builtin/log/log.h"
#include "builtin/pack/pack-meters.h"
#include "fs/file.h"
#include "fs/lockfile.h"
#include "maintain/bundle-create.h"
#include "operation/operation.h"
#include "util/alloc.h"
#include "util/path.h"

static const char *const usage[] = { CREATE_USAGE, NULL };

struct create {
	struct repository *repo;
	int level, all_implied; /* of progress */
	int version;		/* -1: the oldest that will do */
	char *path;		/* NULL: standard output */
	struct log_options log; /* formats, which do not matter, but are no errors */
	struct bundle_plan plan;
	struct pack_collection packing;
};

/* ---- options ---- */

/* An option that only old scripts use. */
#define HIDDEN(type, name, value, def) \
	{ (type), 0, (name), OPT_VALUE(int, value), NULL, "same as --progress", PARSE_OPT_HIDDEN, NULL, (def) }

static void parse_options_of(struct create *c, int *argc, const char ***argv, struct command_ctx *ctx)
{
	struct option opts[] = {
		OPT_SET_INT('q', "quiet", &c->level, "do not show progress meter", PROGRESS_NONE),
		OPT_SET_INT(0, "progress", &c->level, "show progress meter", PROGRESS_SOME),
		HIDDEN(OPTION_SET_INT, "all-progress", &c->level, PROGRESS_ALL),
		HIDDEN(OPTION_BOOL, "all-progress-implied", &c->all_implied, 1),
		OPT_INTEGER(0, "version", &c->version, "specify bundle format version"),
		OPT_END()
	};
	const char *file;

	*argc = parse_options(*argc, *argv, opts, usage, PARSE_OPT_STOP_AT_NON_OPTION);
	if (!*argc)
		usage_msg_opt("need a <file> argument", usage, opts);
	file = **argv;
	if (strcmp(file, "-") != 0)
		c->path = is_absolute_path(file) || !ctx->prefix ? xstrdup(file) :
								   path_join(ctx->prefix, file);
}

/* What git-rev-list(1) has beside the options of the walk. */
static int on_option(void *data, const char *const *argv, struct err *err)
{
	static const char *const ignored[] = { "--quiet", "--objects", "--objects-edge",
					       "--objects-edge-aggressive" };
	struct create *c = data;
	const char *value;

	if (skip_prefix(argv[0], "--filter=", &value))
		return bundle_header_add_filter(&c->plan.header, value, err) < 0 ? ERR_INVALID : 1;
	if (!strcmp(argv[0], "--unpacked"))
		return c->log.walk->unpacked = true;
	for (size_t i = 0; i < ARRAY_SIZE(ignored); i++)
		if (!strcmp(argv[0], ignored[i]))
			return 1;
	return log_format_option(&c->log, argv, err);
}

static int choose_version(struct create *c, struct err *err)
{
	struct bundle_header *h = &c->plan.header;
	int least = h->filter || strcmp(h->algo->name, "sha1") ? 3 : 2;

	h->version = c->version < 0 ? least : c->version;
	if (h->version < 2 || h->version > 3)
		return err_set(err, ERR_UNSUPPORTED, "unsupported bundle version %d", h->version);
	if (h->version < least)
		return err_set(err, ERR_UNSUPPORTED,
			       h->filter ? "cannot write bundle version %d with a filter" :
					   "cannot write bundle version %d with algorithm %s",
			       h->version, h->algo->name);
	return 0;
}

/* ---- the pack ---- */

static int begin_packing(struct create *c, struct pack_meters *meters, struct err *err)
{
	struct pack_collection *p = &c->packing;
	bool bitmaps = true;
	int rc;

	p->r = c->repo;
	pack_objects_options_init(&p->o, c->repo->odb);
	rc = pack_objects_options_read(&p->o, c->repo->config, err);
	if (rc >= 0)
		rc = config_get_bool(c->repo->config, "pack.usebitmaps", &bitmaps, err);
	if (rc < 0)
		return rc;
	p->use_bitmaps = bitmaps;
	p->filter = c->plan.header.filter ? &c->plan.header.filter_spec : NULL;
	p->o.big_file_threshold = c->repo->settings.big_file_threshold;
	p->o.ofs_delta = p->o.thin = true;
	p->o.order = PACK_ORDER_SOURCE;
	p->o.progress = pack_meters_show;
	p->o.data = meters;
	return pack_collection_begin(p, err);
}

/* The file is made under another name: a directory in its place is found before the objects are packed. */
static int check_place(const char *path, struct err *err)
{
	if (!is_directory(path))
		return 0;
	errno = ends_with(path, "/") ? ENOTDIR : EISDIR;
	return err_set_errno(err, "cannot create '%s'", path);
}

/* One operation: nothing of the file is seen before all of it is settled; one flush. */
static int write_file(struct create *c, struct err *err)
{
	struct repo_operation *op = repo_operation_begin(c->repo);
	struct lockfile lk = LOCKFILE_INIT;
	int rc = check_place(c->path, err);

	if (!rc)
		rc = lockfile_hold(&lk, c->path, 0, 0, err);
	if (!rc)
		rc = bundle_write(&c->plan, &c->packing, lk.tf->fd, lk.tf->path, err);
	if (!rc) /* D1 */
		rc = lockfile_stage(&lk, repo_operation_batch(op), FSYNC_PACK, PUBLISH_FILE, err);
	rc = repo_operation_end(op, rc, err);
	lockfile_release(&lk);
	return rc;
}

static int write_bundle(struct create *c, struct err *err)
{
	struct pack_meters meters = { .level = c->level };
	int rc = begin_packing(c, &meters, err);

	if (!rc && c->level)
		c->packing.progress = progress_start_forced("Enumerating objects", 0);
	if (!rc)
		rc = c->path ? write_file(c, err) :
			       bundle_write(&c->plan, &c->packing, 1, "standard output", err);
	pack_meters_stop(&meters);
	progress_stop(&c->packing.progress);
	if (!rc)
		pack_tell_totals(&c->packing, c->level);
	pack_collection_end(&c->packing);
	return rc;
}

/* ---- the command ---- */

static int bundle_create_run(struct create *c, int argc, const char **argv, struct err *err)
{
	const struct rev_hooks hooks = { on_option, c };
	int rc = log_options_init_plumbing(&c->log, c->repo, err);

	if (!rc)
		rc = rev_walk_arguments(c->log.walk, argc, argv, &hooks, err);
	if (!rc)
		rc = choose_version(c, err);
	if (!rc)
		rc = bundle_plan_make(&c->plan, c->log.walk, err);
	return rc ? rc : write_bundle(c, err);
}

int bundle_create(int argc, const char **argv, struct command_ctx *ctx)
{
	struct create c = { .repo = ctx->repo, .version = -1, .plan = BUNDLE_PLAN_INIT,
			    .level = isatty(STDERR_FILENO) ? PROGRESS_SOME : PROGRESS_NONE };
	struct err err = ERR_INIT;
	int rc;

	parse_options_of(&c, &argc, &argv, ctx);
	if (!c.repo)
		die("Need a repository to create a bundle.");
	repo_ignore_replacements(c.repo);
	c.plan.header.algo = c.repo->algo;
	rc = bundle_create_run(&c, argc, argv, &err);
	log_options_release(&c.log);
	bundle_plan_release(&c.plan);
	free(c.path);
	return rc < 0 ? report_fatal(&err) : 0;
}

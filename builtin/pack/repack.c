/* SPDX-License-Identifier: GPL-2.0-only */
/* git-repack(1). */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "cli/filter-option.h"
#include "maintain/repack.h"
#include "util/date.h"
#include "util/progress.h"

static const char *const usage[] = {
	"git repack [-a] [-A] [-d] [-f] [-F] [-i] [-l] [-n] [-q] [-b] [-m] [--window=<n>] [--depth=<n>]\n"
	"           [--threads=<n>] [--keep-pack=<pack-name>] [--write-midx[=<mode>]] [--name-hash-version=<n>]\n"
	"           [--path-walk]",
	NULL
};

struct repack_command {
	struct repack_options o;
	enum repack_midx_mode write_midx;
	int all, all_loosen, loosen, cruft, keep_unreachable, delete_redundant, local, no_reuse_delta, no_reuse;
	int quiet, no_server_info, write_bitmap, pack_kept, window, depth, threads;
	int name_hash_version, path_walk, geometric;
	unsigned long window_memory, max_pack_bytes, max_cruft_bytes, combine_cruft_below;
	int delta_islands; /* -1: as configured */
	struct progress *meter;
	const char *title;
};

/* ---- progress ---- */

static void repack_show_progress(void *data, const char *title, uint64_t done, uint64_t total)
{
	struct repack_command *c = data;

	if (c->title != title)
		progress_stop(&c->meter);
	if (!c->meter)
		c->meter = progress_start_forced(title, total);
	c->title = title;
	progress_update(c->meter, done);
}

/* ---- options ---- */

static int set_expiration(const struct option *opt, const char *arg, int unset UNUSED)
{
	timestamp_t *out = opt->value;

	if (date_parse_expiry(arg, out) < 0)
		return error("malformed expiration date '%s'", arg);
	return 0;
}

/* It is not said in vain without -A. */
static int set_loosening(const struct option *opt, const char *arg, int unset)
{
	struct repack_command *c = opt->value;
	const struct option to = { .value = &c->o.loosen_since };

	c->loosen = 1;
	return set_expiration(&to, arg, unset);
}

static int set_write_midx(const struct option *opt, const char *arg, int unset)
{
	enum repack_midx_mode *mode = opt->value;

	if (unset)
		*mode = REPACK_MIDX_NONE;
	else if (!arg || !strcmp(arg, "default"))
		*mode = REPACK_MIDX_WHOLE;
	else if (!strcmp(arg, "incremental"))
		*mode = REPACK_MIDX_INCREMENTAL;
	else
		return error("unknown value for %s: %s", opt->long_name, arg);
	return 0;
}

static void repack_parse(int argc, const char **argv, struct repack_command *c)
{
	struct option opts[] = {
		OPT_SET_INT('a', NULL, &c->all, "pack everything in a single pack", 1),
		OPT_SET_INT('A', NULL, &c->all_loosen,
			    "same as -a, and turn unreachable objects loose", 1),
		OPT_BOOL(0, "cruft", &c->cruft, "same as -a, pack unreachable cruft objects separately"),
		OPT_CALLBACK_F(0, "cruft-expiration", &c->o.cruft_expiry, "approxidate",
			       "with --cruft, expire objects older than this", PARSE_OPT_NONEG,
			       set_expiration),
		OPT_MAGNITUDE(0, "max-cruft-size", &c->max_cruft_bytes,
			      "with --cruft, limit the size of new cruft packs"),
		OPT_MAGNITUDE(0, "combine-cruft-below-size", &c->combine_cruft_below,
			      "with --cruft, only repack cruft packs smaller than this"),
		OPT_SET_INT('d', NULL, &c->delete_redundant,
			    "remove redundant packs, and run git-prune-packed", 1),
		OPT_SET_INT('f', NULL, &c->no_reuse_delta, "pass --no-reuse-delta to git-pack-objects", 1),
		OPT_SET_INT('F', NULL, &c->no_reuse, "pass --no-reuse-object to git-pack-objects", 1),
		OPT_INTEGER(0, "name-hash-version", &c->name_hash_version,
			    "specify the name hash version to use for grouping similar objects by path"),
		OPT_BOOL(0, "path-walk", &c->path_walk, "pass --path-walk to git-pack-objects"),
		OPT_SET_INT('n', NULL, &c->no_server_info, "do not run git-update-server-info", 1),
		OPT_BOOL('q', "quiet", &c->quiet, "be quiet"),
		OPT_BOOL('l', "local", &c->local, "pass --local to git-pack-objects"),
		OPT_BOOL('b', "write-bitmap-index", &c->write_bitmap, "write bitmap index"),
		OPT_BOOL('i', "delta-islands", &c->delta_islands, "pass --delta-islands to git-pack-objects"),
		OPT_CALLBACK_F(0, "unpack-unreachable", c, "approxidate",
			       "with -A, do not loosen objects older than this", PARSE_OPT_NONEG,
			       set_loosening),
		OPT_BOOL('k', "keep-unreachable", &c->keep_unreachable,
			 "with -a, repack unreachable objects"),
		OPT_INTEGER(0, "window", &c->window, "size of the window used for delta compression"),
		OPT_MAGNITUDE(0, "window-memory", &c->window_memory,
			      "same as the above, but limit memory size instead of entries count"),
		OPT_INTEGER(0, "depth", &c->depth, "limits the maximum delta depth"),
		OPT_INTEGER(0, "threads", &c->threads, "limits the maximum number of threads"),
		OPT_MAGNITUDE(0, "max-pack-size", &c->max_pack_bytes, "maximum size of each packfile"),
		OPT_CALLBACK(0, "filter", &c->o.filter, "args", "object filtering", filter_option),
		OPT_STRING(0, "filter-to", &c->o.filter_to, "dir",
			   "pack prefix to store a pack containing filtered out objects"),
		OPT_STRING(0, "expire-to", &c->o.expire_to, "dir",
			   "pack prefix to store a pack containing pruned objects"),
		OPT_BOOL(0, "pack-kept-objects", &c->pack_kept,
			 "repack objects in packs marked with .keep"),
		OPT_STRVEC(0, "keep-pack", &c->o.keep_packs, "name", "do not repack this pack"),
		OPT_INTEGER('g', "geometric", &c->geometric,
			    "find a geometric progression with factor <N>"),
		OPT_CALLBACK_F('m', "write-midx", &c->write_midx, "mode",
			       "write a multi-pack index of the resulting packs", PARSE_OPT_OPTARG,
			       set_write_midx),
		OPT_END()
	};

	parse_options(argc, argv, opts, usage, 0); /* Git ignores arguments */
}

/* What two settings of the user, or the lack of one, mean. */
static void repack_check_together(const struct repack_command *c)
{
	if (c->keep_unreachable && (c->all_loosen || c->loosen))
		die("options '%s' and '%s' cannot be used together", "-A", "-k/--keep-unreachable");
	if (c->cruft && c->keep_unreachable)
		die("options '%s' and '%s' cannot be used together", "-k/--keep-unreachable", "--cruft");
	if (c->cruft && c->all_loosen)
		die("options '%s' and '%s' cannot be used together", "--cruft", "-A");
	if (c->geometric && (c->all || c->all_loosen || c->cruft))
		die("options '%s' and '%s' cannot be used together", "--geometric", "-A/-a");
	if (c->geometric < 0 || c->geometric == 1)
		die("the factor of --geometric has to be at least 2");
	if (c->write_bitmap > 0 && !c->all && !c->all_loosen && !c->cruft && !c->write_midx)
		die("Incremental repacks are incompatible with bitmap indexes.  Use\n"
		    "--no-write-bitmap-index or disable the pack.writeBitmaps configuration.");
	if (c->name_hash_version < 1 || c->name_hash_version > 2)
		die("invalid --name-hash-version option: %d", c->name_hash_version);
}

static void apply_search(const struct repack_command *c, struct pack_objects_options *o)
{
	if (c->window >= 0)
		o->window = (unsigned)c->window;
	if (c->depth >= 0)
		o->depth = (unsigned)c->depth;
	if (c->threads >= 0)
		o->threads = c->threads;
	if (c->window_memory != ULONG_MAX)
		o->window_memory = c->window_memory;
	o->reuse_delta = !c->no_reuse_delta && !c->no_reuse;
	o->reuse_object = !c->no_reuse;
	o->by_path = c->path_walk;
	o->name_hash_version = (unsigned)c->name_hash_version;
}

static void repack_apply(struct repack_command *c, const struct repository *r)
{
	bool kept_is_set = config_get(r->config, "repack.packkeptobjects") != NULL;

	c->o.warn = warning_callback;
	c->o.all = c->all || c->all_loosen || c->cruft;
	c->o.unreachable = c->cruft ? REPACK_CRUFT : c->keep_unreachable ? REPACK_APPEND
			 : c->all_loosen || c->loosen ? REPACK_LOOSEN : REPACK_DROP;
	c->o.delete_redundant = c->delete_redundant;
	c->o.local = c->local;
	c->o.geometric = (unsigned)c->geometric;
	if (c->write_bitmap >= 0)
		c->o.write_bitmap = c->write_bitmap;
	else if (c->pack_kept > 0 && c->o.bitmap_unset)
		c->o.write_bitmap = r->bare;
	if (c->pack_kept >= 0)
		c->o.pack_kept_objects = c->pack_kept;
	else if (!kept_is_set)
		c->o.pack_kept_objects = c->o.write_bitmap && !c->write_midx;
	c->o.midx = c->write_midx;
	if (c->max_pack_bytes != ULONG_MAX)
		c->o.max_pack_bytes = c->max_pack_bytes;
	repack_limit_size(&c->o, &c->o.max_pack_bytes);
	c->o.max_cruft_bytes = c->max_cruft_bytes;
	repack_limit_size(&c->o, &c->o.max_cruft_bytes);
	c->o.combine_cruft_below = c->combine_cruft_below;
	if (c->delta_islands >= 0)
		c->o.delta_islands = c->delta_islands;
	if (c->o.delta_islands && c->path_walk) {
		warning("cannot use --delta-islands with --path-walk");
		c->path_walk = 0;
	}
	if (c->no_server_info)
		c->o.update_server_info = false;
	apply_search(c, &c->o.pack);
	apply_search(c, &c->o.cruft);
	c->o.progress = !c->quiet && isatty(STDERR_FILENO) ? repack_show_progress : NULL;
	c->o.data = c;
}

int cmd_repack(int argc, const char **argv, struct command_ctx *ctx)
{
	struct repack_command c = {
		.write_bitmap = -1, .pack_kept = -1, .window = -1, .depth = -1, .threads = -1,
		.delta_islands = -1, .name_hash_version = 1, .window_memory = ULONG_MAX, .max_pack_bytes = ULONG_MAX,
	};
	struct repack_result result = { 0 };
	struct repo_operation *op;
	struct err err = ERR_INIT;
	int rc;

	if (!ctx->repo)
		repack_parse(argc, argv, &c); /* -h, which ends here */
	repo_ignore_replacements(ctx->repo); /* the objects themselves count */
	repack_options_init(&c.o, ctx->repo);
	if (repack_options_read(&c.o, ctx->repo, &err) < 0)
		return report_fatal(&err);
	repack_parse(argc, argv, &c);
	repack_check_together(&c);
	repack_apply(&c, ctx->repo);
	op = repo_operation_begin(ctx->repo);
	rc = repack_run(op, ctx->repo, &c.o, &result, &err);
	progress_stop(&c.meter);
	rc = repo_operation_end(op, rc, &err);
	repack_options_release(&c.o);
	if (rc < 0)
		return report_fatal(&err);
	if (!result.nr_packs && !c.quiet)
		puts("Nothing new to pack.");
	return 0;
}

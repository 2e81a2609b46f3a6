/* SPDX-License-Identifier: GPL-2.0-only */
/* git-pack-objects(1). */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "builtin/pack/pack-meters.h"
#include "builtin/pack/pack-objects.h"
#include "cli/filter-option.h"
#include "operation/operation.h"
#include "pack/write/pack-files.h"
#include "util/alloc.h"
#include "util/date.h"
#include "util/progress.h"
#include "util/string-list.h"
#include "wire/packfile-uris.h"
#include "write-or-die.h"

static const char *const usage[] = {
	"git pack-objects --stdout [<options>] [< <ref-list> | < <object-list>]",
	"git pack-objects [<options>] <base-name> [< <ref-list> | < <object-list>]",
	NULL
};

#define DEPTH_MAX 4095
#define PACK_SIZE_MIN ((unsigned long)1 << 20)

enum { STDIN_PACKS_NONE, STDIN_PACKS_PLAIN, STDIN_PACKS_FOLLOW };
enum { BITMAP_NONE, BITMAP_TOLD, BITMAP_QUIET };

/* Options as they are parsed. */
struct pack_options {
	int progress, all_progress_implied;
	int to_stdout, non_empty;
	int ofs_delta, reuse_delta, reuse_object, thin;
	int local, incremental, honor_keep;
	int window, depth, threads, compression;
	int name_hash_version, path_walk;
	unsigned long window_memory, max_pack_size;
	int revs, unpacked, all, reflog, indexed_objects, include_tag, shallow;
	int exclude_promisor, exclude_promisor_best_effort;
	int keep_unreachable, pack_loose_unreachable, stdin_packs;
	int delta_islands, keep_true_parents;
	int cruft;
	timestamp_t cruft_expiry; /* 0: none */
	int use_bitmaps;	/* -1: not said */
	int write_bitmap;	/* BITMAP_... */
	unsigned index_version;
	uint64_t index_wide_from;
	int ignored; /* hints without effect on the packed objects */
	struct strvec uri_protocols;
	struct packfile_uris *uris; /* NULL: not asked for */
	int unpack_unreachable;
	timestamp_t unpack_since; /* 0: all */
	struct filter_spec filter;
	struct strvec keep_packs;
	bool write_rev;
	const char *base_name;
};

/* ---- configuration ---- */

static int check_level(int level, struct err *err)
{
	if (level < -1 || level > 9)
		return err_set(err, ERR_INVALID, "bad pack compression level %d", level);
	return 0;
}

static int pack_objects_read_config(struct pack_collection *cmd, struct pack_options *o,
				    struct err *err)
{
	const struct config_set *c = cmd->r->config;
	bool use = true;
	int version = 2, rc = pack_objects_options_read(&cmd->o, c, err);

	o->window = (int)cmd->o.window;
	o->depth = (int)cmd->o.depth;
	o->window_memory = cmd->o.window_memory;
	o->threads = cmd->o.threads;
	o->compression = cmd->o.level;
	if (rc >= 0)
		rc = config_get_bool(c, "pack.writereverseindex", &o->write_rev, err);
	if (rc >= 0)
		rc = config_get_int(c, "pack.indexversion", &version, err);
	if (rc >= 0 && (version < 1 || version > 2))
		return err_set(err, ERR_INVALID, "bad pack.indexVersion=%d", version);
	o->index_version = (unsigned)version;
	if (rc >= 0 && (rc = config_get_bool(c, "pack.usebitmaps", &use, err)) > 0 && !use)
		o->use_bitmaps = 0;
	return rc < 0 ? rc : 0;
}

/* ---- options ---- */

static int set_quiet(const struct option *opt, const char *arg UNUSED, int unset)
{
	*(int *)opt->value = unset ? PROGRESS_SOME : PROGRESS_NONE;
	return 0;
}

static int set_missing(const struct option *opt, const char *arg, int unset)
{
	enum missing_action *action = opt->value;

	(void)unset;
	if (!strcmp(arg, "error"))
		*action = MISSING_ERROR;
	else if (!strcmp(arg, "allow-any"))
		*action = MISSING_ALLOW_ANY;
	else if (!strcmp(arg, "allow-promisor"))
		*action = MISSING_ALLOW_PROMISOR;
	else
		return error("invalid value for '%s': '%s'", "--missing", arg);
	return 0;
}

static int set_stdin_packs(const struct option *opt, const char *arg, int unset)
{
	bool follow = arg && !strcmp(arg, "follow");

	if (arg && !follow)
		return error("invalid value for '%s': '%s'", "--stdin-packs", arg);
	*(int *)opt->value = unset ? STDIN_PACKS_NONE : follow ? STDIN_PACKS_FOLLOW : STDIN_PACKS_PLAIN;
	return 0;
}

static int set_cruft_expiration(const struct option *opt, const char *arg, int unset)
{
	struct pack_options *o = opt->value;

	o->cruft_expiry = 0;
	if (arg && date_parse_expiry(arg, &o->cruft_expiry) < 0)
		return error("malformed expiration date '%s'", arg);
	if (arg || unset)
		o->cruft = !unset;
	return 0;
}

static int set_unpack_unreachable(const struct option *opt, const char *arg, int unset)
{
	struct pack_options *o = opt->value;

	o->unpack_unreachable = !unset;
	o->unpack_since = 0;
	if (arg && date_parse_expiry(arg, &o->unpack_since) < 0)
		return error("malformed expiration date '%s'", arg);
	return 0;
}

static int set_index_version(const struct option *opt, const char *arg, int unset)
{
	struct pack_options *o = opt->value;
	char *end;

	(void)unset;
	if (*arg != '1' && *arg != '2')
		return error("unsupported index version %s", arg);
	o->index_version = (unsigned)(*arg++ - '0');
	if (!*arg)
		return 0;
	errno = 0;
	o->index_wide_from = strtoull(arg + 1, &end, 0);
	if (*arg != ',' || end == arg + 1 || *end || errno || o->index_wide_from & 0x80000000u)
		return error("bad index version '%s'", arg);
	return 0;
}

static int pack_objects_parse(int argc, const char **argv, struct pack_collection *c,
			      struct pack_options *o)
{
	struct option opts[] = {
		OPT_CALLBACK_F('q', "quiet", &o->progress, NULL, "do not show progress meter",
			       PARSE_OPT_NOARG, set_quiet),
		OPT_SET_INT(0, "progress", &o->progress, "show progress meter", PROGRESS_SOME),
		OPT_SET_INT(0, "all-progress", &o->progress,
			    "show progress meter during object writing phase", PROGRESS_ALL),
		OPT_BOOL(0, "all-progress-implied", &o->all_progress_implied,
			 "similar to --all-progress when progress meter is shown"),
		OPT_CALLBACK_F(0, "index-version", o, "<version>[,<offset>]",
			       "write the pack index file in the specified idx format version",
			       PARSE_OPT_NONEG, set_index_version),
		OPT_MAGNITUDE(0, "max-pack-size", &o->max_pack_size,
			      "maximum size of each output pack file"),
		OPT_BOOL(0, "local", &o->local, "ignore borrowed objects from alternate object store"),
		OPT_BOOL(0, "incremental", &o->incremental, "ignore packed objects"),
		OPT_INTEGER(0, "window", &o->window, "limit pack window by objects"),
		OPT_MAGNITUDE(0, "window-memory", &o->window_memory,
			      "limit pack window by memory in addition to object limit"),
		OPT_INTEGER(0, "depth", &o->depth,
			    "maximum length of delta chain allowed in the resulting pack"),
		OPT_BOOL(0, "reuse-delta", &o->reuse_delta, "reuse existing deltas"),
		OPT_BOOL(0, "reuse-object", &o->reuse_object, "reuse existing objects"),
		OPT_BOOL(0, "delta-base-offset", &o->ofs_delta, "use OFS_DELTA objects"),
		OPT_INTEGER(0, "threads", &o->threads,
			    "use threads when searching for best delta matches"),
		OPT_BOOL(0, "non-empty", &o->non_empty, "do not create an empty pack output"),
		OPT_BOOL(0, "revs", &o->revs, "read revision arguments from standard input"),
		OPT_BOOL(0, "unpacked", &o->unpacked,
			 "leave out objects that are packed already"),
		OPT_BOOL(0, "all", &o->all, "include objects reachable from any reference"),
		OPT_BOOL(0, "reflog", &o->reflog, "include objects referred by reflog entries"),
		OPT_BOOL(0, "indexed-objects", &o->indexed_objects,
			 "include objects referred to by the index"),
		OPT_CALLBACK_F(0, "stdin-packs", &o->stdin_packs, "mode", "read packs from stdin",
			       PARSE_OPT_OPTARG, set_stdin_packs),
		OPT_BOOL(0, "stdout", &o->to_stdout, "output pack to stdout"),
		OPT_BOOL(0, "include-tag", &o->include_tag,
			 "include tag objects that refer to objects to be packed"),
		OPT_BOOL(0, "keep-unreachable", &o->keep_unreachable, "keep unreachable objects"),
		OPT_BOOL(0, "pack-loose-unreachable", &o->pack_loose_unreachable,
			 "pack loose unreachable objects"),
		OPT_BOOL(0, "sparse", &o->ignored, "use the sparse reachability algorithm"),
		OPT_BOOL(0, "thin", &o->thin, "create thin packs"),
		OPT_BOOL(0, "shallow", &o->shallow, "create packs suitable for shallow fetches"),
		OPT_BOOL(0, "honor-pack-keep", &o->honor_keep,
			 "ignore packs that have companion .keep file"),
		OPT_STRVEC(0, "keep-pack", &o->keep_packs, "name", "ignore this pack"),
		OPT_INTEGER(0, "compression", &o->compression, "pack compression level"),
		OPT_BOOL(0, "use-bitmap-index", &o->use_bitmaps,
			 "use a bitmap index if available to speed up counting objects"),
		OPT_CALLBACK(0, "filter", &o->filter, "args", "object filtering", filter_option),
		OPT_CALLBACK_F(0, "missing", &c->missing, "action", "handling for missing objects",
			       PARSE_OPT_NONEG, set_missing),
		OPT_INTEGER(0, "name-hash-version", &o->name_hash_version,
			    "use the specified name-hash function to group similar objects"),
		OPT_CALLBACK_F(0, "unpack-unreachable", o, "time",
			       "unpack unreachable objects newer than <time>", PARSE_OPT_OPTARG,
			       set_unpack_unreachable),
		OPT_BOOL(0, "cruft", &o->cruft, "create a cruft pack"),
		OPT_CALLBACK_F(0, "cruft-expiration", o, "time",
			       "expire cruft objects older than <time>", PARSE_OPT_OPTARG,
			       set_cruft_expiration),
		OPT_BOOL(0, "path-walk", &o->path_walk,
			 "search deltas among objects of the same path first"),
		OPT_BOOL(0, "keep-true-parents", &o->keep_true_parents, "do not hide commits by grafts"),
		OPT_BOOL(0, "write-bitmap-index", &o->write_bitmap,
			 "write a bitmap index together with the pack index"),
		{ OPTION_SET_INT, 0, "write-bitmap-index-quiet", &o->write_bitmap, NULL,
		  "write a bitmap index if possible", PARSE_OPT_HIDDEN, NULL, BITMAP_QUIET },
		OPT_BOOL(0, "exclude-promisor-objects", &o->exclude_promisor,
			 "do not pack objects in promisor packfiles"),
		OPT_BOOL(0, "exclude-promisor-objects-best-effort", &o->exclude_promisor_best_effort,
			 "implies --missing=allow-any"),
		OPT_BOOL(0, "delta-islands", &o->delta_islands,
			 "respect islands during delta compression"),
		OPT_STRVEC(0, "uri-protocol", &o->uri_protocols, "protocol",
			   "exclude any configured uploadpack.blobpackfileuri with this protocol"),
		OPT_END()
	};

	argc = parse_options(argc, argv, opts, usage, 0);
	if (argc == 1)
		o->base_name = argv[0];
	if (argc > 1 || !o->base_name == !o->to_stdout)
		usage_with_options(usage, opts);
	return 0;
}

/* ---- what the options mean ---- */

static int pack_objects_check_together(const struct pack_options *o, struct err *err)
{
	if (o->keep_unreachable && o->unpack_unreachable)
		return err_set(err, ERR_INVALID, "options '%s' and '%s' cannot be used together",
			       "--keep-unreachable", "--unpack-unreachable");
	if (o->exclude_promisor && o->exclude_promisor_best_effort)
		return err_set(err, ERR_INVALID, "options '%s' and '%s' cannot be used together",
			       "--exclude-promisor-objects", "--exclude-promisor-objects-best-effort");
	if (o->thin && !o->to_stdout)
		return err_set(err, ERR_INVALID, "--thin cannot be used to build an indexable pack");
	if (o->stdin_packs && o->revs)
		return err_set(err, ERR_INVALID, "cannot use internal rev list with --stdin-packs");
	if (o->cruft && (o->revs || o->stdin_packs))
		return err_set(err, ERR_INVALID, "cannot use %s with --cruft",
			       o->stdin_packs ? "--stdin-packs" : "internal rev list");
	if (o->cruft && o->to_stdout)
		return err_set(err, ERR_INVALID, "cannot use --stdout with --cruft");
	if (o->filter.nr && !o->revs)
		return err_set(err, ERR_INVALID, "cannot use --filter without --revs");
	if (o->name_hash_version < 1 || o->name_hash_version > 2)
		return err_set(err, ERR_INVALID, "invalid --name-hash-version option: %d",
			       o->name_hash_version);
	return check_level(o->compression, err);
}

static int limit_pack_size(struct pack_collection *c, struct pack_options *o, struct err *err)
{
	if (o->to_stdout && o->max_pack_size)
		return err_set(err, ERR_INVALID,
			       "--max-pack-size cannot be used to build a pack for transfer");
	if (!o->max_pack_size && !o->to_stdout)
		o->max_pack_size = c->r->settings.pack_size_limit;
	if (o->max_pack_size && o->max_pack_size < PACK_SIZE_MIN) {
		warning("minimum pack size limit is 1 MiB");
		o->max_pack_size = PACK_SIZE_MIN;
	}
	return 0;
}

static void limit_depth(struct pack_options *o)
{
	if (o->depth < 0)
		o->depth = 0;
	if (o->depth > DEPTH_MAX) {
		warning("--depth %d is too deep, forcing %d", o->depth, DEPTH_MAX);
		o->depth = DEPTH_MAX;
	}
	if (o->window < 0)
		o->window = 0;
}

static int pack_objects_apply(struct pack_collection *c, struct pack_options *o, struct err *err)
{
	int rc;

	/* What implies --revs. */
	o->revs = o->revs || o->thin || o->all || (o->unpacked && !o->stdin_packs) || o->reflog || o->indexed_objects ||
		  o->keep_unreachable || o->pack_loose_unreachable || o->unpack_unreachable;
	/* Without all of these the unreachable objects are not known: nothing is too old then. */
	if (!o->all || !o->reflog || !o->indexed_objects)
		o->unpack_since = 0;
	c->all = o->all;
	c->reflog = o->reflog;
	c->indexed_objects = o->indexed_objects;
	c->unpacked = o->unpacked;
	c->include_tag = o->include_tag;
	c->shallow = o->shallow;
	c->exclude_promisor = o->exclude_promisor || o->exclude_promisor_best_effort;
	if (o->exclude_promisor_best_effort)
		c->missing = MISSING_ALLOW_ANY;
	/* A caller that wants all objects also gets the ones that a partial clone lacks. */
	odb_set_fetch_on_read(c->r->odb, c->missing == MISSING_ERROR && !c->exclude_promisor);
	c->islands = o->delta_islands;
	c->keep_true_parents = o->keep_true_parents;
	/* For files an order of their own is better than that of the packs that there are. */
	c->use_bitmaps = o->use_bitmaps && (o->to_stdout || o->use_bitmaps > 0) && !o->local &&
			 !o->incremental && !o->honor_keep && !o->keep_packs.nr && !o->shallow;
	c->bitmap_quiet = o->write_bitmap == BITMAP_QUIET;
	c->keep_unreachable = o->keep_unreachable;
	c->pack_loose_unreachable = o->pack_loose_unreachable;
	c->filter = o->filter.nr ? &o->filter : NULL;
	if (o->path_walk && o->delta_islands) {
		warning("cannot use --delta-islands with --path-walk");
		o->path_walk = 0;
	}
	rc = pack_objects_check_together(o, err);
	if (!rc)
		rc = limit_pack_size(c, o, err);
	limit_depth(o);
	if (o->write_bitmap && o->max_pack_size) {
		warning("disabling bitmap writing, packs are split due to pack.packSizeLimit");
		o->write_bitmap = 0;
	}
	c->o.window = (unsigned)o->window;
	c->o.depth = (unsigned)o->depth;
	c->o.window_memory = o->window_memory;
	c->o.threads = o->threads;
	c->o.level = o->compression;
	c->o.big_file_threshold = c->r->settings.big_file_threshold;
	c->o.ofs_delta = o->ofs_delta;
	/*
	 * A caller that lists preferred bases has them. Pack files are for a repository: they have
	 * to be complete.
	 */
	c->o.thin = o->thin || (o->to_stdout && !o->revs);
	c->o.reuse_delta = o->reuse_delta;
	c->o.reuse_object = o->reuse_object;
	c->o.incremental = o->incremental;
	c->o.local = o->local;
	c->o.by_path = o->path_walk;
	c->o.name_hash_version = (unsigned)o->name_hash_version;
	c->o.order = o->to_stdout ? PACK_ORDER_SOURCE
		     : o->max_pack_size ? PACK_ORDER_FAMILY : PACK_ORDER_TYPE;
	return rc;
}

/* ---- the command ---- */

static int add_revisions(struct pack_collection *c, struct err *err)
{
	struct strvec lines = STRVEC_INIT;
	int rc = pack_read_revisions(&lines, err);

	if (!rc)
		rc = pack_collect_revisions(c, &lines, err);
	strvec_clear(&lines);
	return rc;
}

static int add_cruft(struct pack_collection *c, const struct pack_options *o, struct err *err)
{
	struct strset discarded = STRSET_INIT;
	const struct cruft_options cruft = { .discarded = &discarded, .expiry = o->cruft_expiry };
	int rc = pack_read_discarded(c, &discarded, err);

	if (!rc)
		rc = pack_collect_cruft(c, &cruft, err);
	strset_clear(&discarded);
	return rc;
}

static int add_objects(struct pack_collection *c, const struct pack_options *o, struct err *err)
{
	int rc;

	pack_collection_exclude_kept(c, &o->keep_packs, o->honor_keep);
	if (o->progress)
		c->progress = progress_start_forced("Enumerating objects", 0);
	if (o->cruft)
		rc = add_cruft(c, o, err);
	else if (o->stdin_packs)
		rc = pack_read_pack_list(c, o->stdin_packs == STDIN_PACKS_FOLLOW, err);
	else if (o->revs)
		rc = add_revisions(c, err);
	else
		rc = pack_read_object_list(c, err);
	progress_stop(&c->progress);
	return rc;
}

static int write_stdout(void *data, const void *p, size_t len, struct err *err)
{
	(void)data;
	return write_in_full(STDOUT_FILENO, p, len, "standard output", err);
}

static int write_files(struct pack_collection *c, const struct pack_options *o, struct err *err)
{
	struct pack_files_options files = {
		.base_name = o->base_name,
		.max_bytes = o->max_pack_size,
		.shared_perm = c->r->settings.shared_perm,
		.write_rev = o->write_rev,
		.index_version = o->index_version,
		.index_wide_from = o->index_wide_from,
		.mtime_of = o->cruft ? pack_collection_mtime : NULL,
		.before_idx = o->write_bitmap ? pack_collection_write_bitmap : NULL,
		.data = c,
	};
	struct oid_array sums = OID_ARRAY_INIT;
	struct repo_operation *op = repo_operation_begin(c->r);
	int rc;

	c->base_name = o->base_name;
	c->batch = repo_operation_batch(op);
	rc = o->unpack_unreachable ? pack_collection_loosen(c, op, o->unpack_since, err) : 0;
	if (!rc)
		rc = pack_objects_write_files(c->po, &files, c->batch, &sums, err);
	rc = repo_operation_end(op, rc, err);
	/* D2: the names after the seal. */
	for (size_t i = 0; i < sums.nr && !rc; i++)
		printf("%s\n", oid_hex(&sums.oid[i]));
	oid_array_clear(&sums);
	if (!rc && finish_stdout())
		rc = ERR_GENERIC;
	return rc;
}

static const struct pack_sink to_stdout = { .write = write_stdout };

/* A pack for others; objects that become loose are the only thing that is written here. */
static int write_to_stdout(struct pack_collection *c, const struct pack_options *o, struct err *err)
{
	struct repo_operation *op;
	int rc;

	if (!o->unpack_unreachable)
		return pack_objects_write(c->po, &to_stdout, err);
	op = repo_operation_begin(c->r);
	rc = pack_collection_loosen(c, op, o->unpack_since, err);
	if (!rc)
		rc = pack_objects_write(c->po, &to_stdout, err);
	return repo_operation_end(op, rc, err);
}

/* Prints the packs that the client downloads from URIs, for upload-pack. */
static void print_uris(const struct pack_options *o)
{
	struct string_list lines = STRING_LIST_INIT;

	packfile_uris_taken(o->uris, &lines);
	for (size_t i = 0; i < lines.nr; i++)
		printf("%s\n", lines.items[i].string);
	fflush(stdout);
	string_list_clear(&lines, NULL);
}

static int write_packs(struct pack_collection *c, const struct pack_options *o, struct err *err)
{
	int rc;

	print_uris(o);
	if (c->whole)
		return pack_write_unchanged(c->whole, &to_stdout, err);
	if (o->non_empty && !pack_objects_count(c->po))
		return 0;
	rc = pack_collection_set_islands(c, err);
	if (rc < 0)
		return rc;
	if (c->islands && o->progress)
		fprintf(stderr, "Marked %" PRIu32 " islands, done.\n", c->delta_islands.nr);
	rc = pack_objects_prepare(c->po, err);
	if (rc < 0)
		return rc;
	return o->to_stdout ? write_to_stdout(c, o, err) : write_files(c, o, err);
}

static bool goes_by_uri(void *data, const struct object_id *oid)
{
	return packfile_uris_take(data, oid);
}

static int set_uris(struct pack_collection *c, struct pack_options *o, struct err *err)
{
	struct strbuf protocols = STRBUF_INIT;
	int rc;

	for (size_t i = 0; i < o->uri_protocols.nr; i++)
		strbuf_addf(&protocols, "%s%s", i ? "," : "", o->uri_protocols.v[i]);
	rc = packfile_uris_read(&o->uris, c->r->config, protocols.buf, c->r->algo, err);
	strbuf_release(&protocols);
	if (!rc && o->uri_protocols.nr) {
		c->o.leave_out = goes_by_uri;
		c->o.leave_out_data = o->uris;
	}
	return rc;
}

static int pack_objects_run(struct pack_collection *c, struct pack_options *o, struct err *err)
{
	struct pack_meters meters = { .level = o->progress, .to_stdout = o->to_stdout };
	int rc = pack_objects_apply(c, o, err);

	if (!rc)
		rc = set_uris(c, o, err);
	if (rc < 0)
		return rc;
	c->o.progress = pack_meters_show;
	c->o.data = &meters;
	c->warn = warning_callback;
	rc = pack_collection_begin(c, err);
	if (!rc)
		rc = add_objects(c, o, err);
	if (!rc)
		rc = write_packs(c, o, err);
	pack_meters_stop(&meters);
	if (!rc)
		pack_tell_totals(c, o->progress);
	return rc;
}

int cmd_pack_objects(int argc, const char **argv, struct command_ctx *ctx)
{
	struct pack_collection c = { .r = ctx->repo };
	struct pack_options o = {
		.progress = isatty(STDERR_FILENO) ? PROGRESS_SOME : PROGRESS_NONE,
		.reuse_delta = 1, .reuse_object = 1, .window = 10, .depth = 50, .compression = -1,
		.use_bitmaps = -1, .name_hash_version = 1, .keep_packs = STRVEC_INIT,
		.uri_protocols = STRVEC_INIT, .filter = FILTER_SPEC_INIT,
		.write_rev = true,
	};
	struct err err = ERR_INIT;
	int rc;

	if (!c.r)
		pack_objects_parse(argc, argv, &c, &o); /* -h, which ends here */
	repo_ignore_replacements(c.r); /* the objects themselves count */
	pack_objects_options_init(&c.o, c.r->odb);
	rc = pack_objects_read_config(&c, &o, &err);
	if (!rc) {
		pack_objects_parse(argc, argv, &c, &o);
		if (o.progress && o.all_progress_implied)
			o.progress = PROGRESS_ALL;
		rc = pack_objects_run(&c, &o, &err);
	}
	pack_collection_end(&c);
	filter_spec_release(&o.filter);
	strvec_clear(&o.keep_packs);
	strvec_clear(&o.uri_protocols);
	packfile_uris_free(o.uris);
	if (rc == ERR_GENERIC && !err.msg)
		return 128;
	return rc < 0 ? report_fatal(&err) : 0;
}

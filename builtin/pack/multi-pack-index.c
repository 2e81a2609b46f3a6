/* SPDX-License-Identifier: GPL-2.0-only */
/* git-multi-pack-index(1) */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "fs/file.h"
#include "history/promisor.h"
#include "maintain/multi-pack-index.h"
#include "odb/upkeep.h"
#include "operation/operation.h"
#include "util/alloc.h"
#include "util/path.h"
#include "util/progress.h"

#define WRITE_USAGE "git multi-pack-index [<options>] write [--preferred-pack=<pack>] [--[no-]bitmap]\n" \
	"[--[no-]incremental] [--[no-]stdin-packs] [--refs-snapshot=<path>]\n" \
	"[--[no-]write-chain-file] [--base=<checksum>]"
#define COMPACT_USAGE "git multi-pack-index [<options>] compact [--[no-]incremental] [--[no-]bitmap]\n" \
	"[--base=<checksum>] [--[no-]write-chain-file] <from> <to>"
#define VERIFY_USAGE "git multi-pack-index [<options>] verify"
#define EXPIRE_USAGE "git multi-pack-index [<options>] expire"
#define REPACK_USAGE "git multi-pack-index [<options>] repack [--batch-size=<size>]"

static const char *const usage[] = { WRITE_USAGE, COMPACT_USAGE, VERIFY_USAGE, EXPIRE_USAGE, REPACK_USAGE, NULL };

/* Options of all subcommands; they may stand before and after its name. */
struct midx_command {
	struct repository *repo;
	const char *prefix;
	const char *object_dir;
	int progress; /* -1: if stderr is a terminal */
	size_t store;
	struct progress *meter;
	enum pack_phase phase;
};

#define COMMON_OPTIONS(c) \
	OPT_STRING(0, "object-dir", &(c)->object_dir, "directory", \
		   "object directory containing set of packfile and pack-index pairs"), \
	OPT_BOOL(0, "progress", &(c)->progress, "force progress reporting")

/* What the user has named, from where the command was started. Caller frees. */
static char *place(const struct midx_command *c, const char *path)
{
	return c->prefix && !is_absolute_path(path) ? xconcat(c->prefix, path) : xstrdup(path);
}

static void find_store(struct midx_command *c)
{
	struct odb *odb = c->repo->odb;
	char *named = c->object_dir ? place(c, c->object_dir) : NULL;
	char *wanted = named ? path_real(named, 0) : NULL;
	bool found = !c->object_dir;

	for (size_t i = 0; wanted && !found && i <= odb_nr_alternates(odb); i++) {
		char *path = path_real(odb_store_objdir(odb, i), 0);

		found = path && !strcmp(path, wanted);
		c->store = i;
		free(path);
	}
	if (!found)
		die("'%s' is neither the object directory of this repository nor an alternate",
		    c->object_dir);
	free(named);
	free(wanted);
	if (!odb_store_has_packs(odb, c->store))
		die("the object store has no packs on a local disk");
}

static struct progress *start_meter(const struct midx_command *c, const char *title, size_t total)
{
	return c->progress > 0 ? progress_start_forced(title, total) : progress_start(title, total);
}

static void multi_pack_index_show_progress(void *data, size_t done, size_t total)
{
	struct midx_command *c = data;

	if (!c->meter)
		c->meter = start_meter(c, "Building bitmaps", total);
	progress_update(c->meter, done);
}

static int show_repack(void *data, enum pack_phase phase, uint32_t done, uint32_t total, struct err *err UNUSED)
{
	struct midx_command *c = data;

	if (c->meter && c->phase != phase)
		progress_stop(&c->meter);
	if (!c->meter)
		c->meter = start_meter(c, pack_phase_title(phase), total);
	c->phase = phase;
	progress_update(c->meter, done);
	return 0;
}

/* As Git has it, without "error: ". */
static void show_bad(void *data UNUSED, const char *msg)
{
	fprintf(stderr, "%s\n", msg);
}

/* "error: …", and the code that Git has for it. */
static int failed(struct err *err, bool compact)
{
	if (err->code == ERR_UNSUPPORTED || (compact && err->code == ERR_INVALID))
		return report_fatal(err);
	report_error(err);
	return 255;
}

static int end(struct repo_operation *op, int rc, struct err *err)
{
	rc = repo_operation_end(op, rc, err);
	return rc < 0 ? failed(err, false) : 0;
}

/* ---- write ---- */

static void read_pack_names(struct strset *names)
{
	struct strbuf line = STRBUF_INIT;

	while (strbuf_getline(&line, stdin) >= 0)
		strset_add(names, line.buf);
	strbuf_release(&line);
}

/* Lines of object names; those after a '+' are preferred. */
static void read_snapshot(const struct midx_command *c, const char *name, struct oid_array *tips,
			  struct oid_array *preferred)
{
	struct strbuf line = STRBUF_INIT;
	char *path = place(c, name);
	FILE *f = fopen(path, "r");
	struct object_id oid;

	if (!f)
		die("could not open '%s' for reading: %s", path, strerror(errno));
	while (strbuf_getline(&line, f) >= 0) {
		bool plus = line.buf[0] == '+';

		if (oid_from_hex(&oid, line.buf + plus, c->repo->algo) < 0)
			die("could not parse line: %s", line.buf);
		oid_array_append(tips, &oid);
		if (plus)
			oid_array_append(preferred, &oid);
	}
	if (ferror(f))
		die("could not read '%s'", path);
	fclose(f);
	free(path);
	strbuf_release(&line);
}

static int check_ref(void *data, const struct ref *ref)
{
	struct promises *promises = data;
	struct err err = ERR_INIT;
	int rc = 0;

	if (!(ref->flags & REF_IS_BROKEN))
		rc = odb_has(promises->repo->odb, &ref->oid) ? 1 : promises_has(promises, &ref->oid, &err);
	if (rc < 0)
		die_err(&err);
	if (!rc)
		die("unable to parse object: %s", ref->name);
	return 0;
}

/* Bitmaps are chosen by the refs: a list of them that is not whole is no ground for it. */
static void check_refs(struct repository *r)
{
	struct promises promises = { .repo = r };
	struct err err = ERR_INIT;

	if (refs_foreach(r->refs, "", REFS_NO_PEEL | REFS_ALL_ROOTS, check_ref, &promises, &err) < 0)
		die_err(&err);
	promises_release(&promises);
}

static int run_write(struct midx_command *c, const struct midx_write_options *o, const char *snapshot)
{
	struct oid_array tips = OID_ARRAY_INIT, preferred = OID_ARRAY_INIT;
	struct object_id written;
	struct bitmap_build_options b;
	struct repo_operation *op;
	struct err err = ERR_INIT;
	int rc;

	memset(&written, 0, sizeof(written));
	if (bitmap_build_options_read(&b, c->repo, &err) < 0)
		die_err(&err);
	if (o->bitmap && !snapshot)
		check_refs(c->repo);
	if (snapshot) {
		read_snapshot(c, snapshot, &tips, &preferred);
		b.tips = &tips;
		b.preferred = &preferred;
	}
	if (c->progress) {
		b.progress = multi_pack_index_show_progress;
		b.progress_data = c;
	}
	op = repo_operation_begin(c->repo);
	rc = multi_pack_index_write(c->repo, c->store, o, o->bitmap ? &b : NULL,
				    repo_operation_batch(op), &written, &err);
	progress_stop(&c->meter);
	rc = repo_operation_end(op, rc, &err);
	oid_array_clear(&tips);
	oid_array_clear(&preferred);
	if (rc < 0)
		return failed(&err, o->from);
	if (o->no_chain && written.algo)
		puts(oid_hex(&written));
	return finish_stdout();
}

/* What write and compact have. */
struct layer_options {
	int bitmap, incremental, write_chain;
	const char *base;
};
#define LAYER_OPTIONS(l) \
	OPT_STRING(0, "base", &(l)->base, "checksum", "base MIDX for incremental writes"), \
	OPT_BOOL(0, "bitmap", &(l)->bitmap, "write multi-pack bitmap"), \
	OPT_BOOL(0, "incremental", &(l)->incremental, "write a new incremental MIDX"), \
	OPT_BOOL(0, "write-chain-file", &(l)->write_chain, "write the multi-pack-index chain file")

static void apply_layer_options(const struct layer_options *l, struct midx_write_options *o,
				const char *const *layer_usage, const struct option *options)
{
	if (!l->write_chain && !l->incremental) {
		error("cannot use --no-write-chain-file without --incremental");
		usage_with_options(layer_usage, options);
	}
	o->bitmap = l->bitmap;
	o->incremental = l->incremental;
	o->no_chain = !l->write_chain;
	o->base = l->base;
}

static int cmd_write(int argc, const char **argv, struct midx_command *c)
{
	static const char *const write_usage[] = { WRITE_USAGE, NULL };
	struct layer_options layer = { .write_chain = 1 };
	const char *preferred = NULL, *snapshot = NULL;
	struct strset names = STRSET_INIT;
	int stdin_packs = 0;
	struct option options[] = {
		COMMON_OPTIONS(c),
		LAYER_OPTIONS(&layer),
		OPT_STRING(0, "preferred-pack", &preferred, "pack",
			   "pack for reuse when computing a multi-pack bitmap"),
		OPT_BOOL(0, "stdin-packs", &stdin_packs,
			 "write multi-pack index containing only given indexes"),
		OPT_STRING(0, "refs-snapshot", &snapshot, "file",
			   "refs snapshot for selecting bitmap commits"),
		OPT_END()
	};
	struct midx_write_options o = { .shared_perm = c->repo->settings.shared_perm };
	int rc;

	if (parse_options(argc, argv, options, write_usage, 0))
		usage_with_options(write_usage, options);
	apply_layer_options(&layer, &o, write_usage, options);
	if (layer.base && layer.write_chain) {
		error("cannot use --base without --no-write-chain-file");
		usage_with_options(write_usage, options);
	}
	find_store(c);
	if (stdin_packs)
		read_pack_names(&names);
	o.preferred = preferred;
	o.only = stdin_packs ? &names : NULL;
	rc = run_write(c, &o, snapshot);
	strset_clear(&names);
	return rc;
}

static int cmd_compact(int argc, const char **argv, struct midx_command *c)
{
	static const char *const compact_usage[] = { COMPACT_USAGE, NULL };
	struct layer_options layer = { .write_chain = 1 };
	struct option options[] = { COMMON_OPTIONS(c), LAYER_OPTIONS(&layer), OPT_END() };
	struct midx_write_options o = { .shared_perm = c->repo->settings.shared_perm };

	argc = parse_options(argc, argv, options, compact_usage, 0);
	if (argc != 2)
		usage_with_options(compact_usage, options);
	apply_layer_options(&layer, &o, compact_usage, options);
	if (layer.base && !layer.incremental) {
		error("cannot use --base without --incremental");
		usage_with_options(compact_usage, options);
	}
	o.from = argv[0];
	o.to = argv[1];
	find_store(c);
	return run_write(c, &o, NULL);
}

/* ---- the others ---- */

static struct progress *verify_meter(void *data, const char *title, uint64_t total)
{
	return start_meter(data, title, total);
}

static int cmd_verify(int argc, const char **argv, struct midx_command *c)
{
	static const char *const verify_usage[] = { VERIFY_USAGE, NULL };
	struct option options[] = { COMMON_OPTIONS(c), OPT_END() };
	struct midx_verify_options o = { .bad = show_bad };
	struct err err = ERR_INIT;
	int rc;

	if (parse_options(argc, argv, options, verify_usage, 0))
		usage_with_options(verify_usage, options);
	find_store(c);
	/* Git dies of a file that is not one, and goes on without one that it cannot parse. */
	rc = odb_store_parse_midx(c->repo->odb, c->store, &err);
	if (rc == ERR_UNSUPPORTED)
		return report_fatal(&err);
	if (rc < 0) {
		report_error(&err);
		error("multi-pack-index file exists, but failed to parse");
		return 1;
	}
	if (c->progress) {
		o.progress = verify_meter;
		o.progress_data = c;
	}
	return odb_store_verify_midx(c->repo->odb, c->store, &o) ? 1 : 0;
}

static int cmd_expire(int argc, const char **argv, struct midx_command *c)
{
	static const char *const expire_usage[] = { EXPIRE_USAGE, NULL };
	struct option options[] = { COMMON_OPTIONS(c), OPT_END() };
	struct midx_write_options o = { .drop_unused = true,
					.shared_perm = c->repo->settings.shared_perm };
	struct repo_operation *op;
	struct err err = ERR_INIT;
	int rc;

	if (parse_options(argc, argv, options, expire_usage, 0))
		usage_with_options(expire_usage, options);
	find_store(c);
	op = repo_operation_begin(c->repo);
	rc = multi_pack_index_write(c->repo, c->store, &o, NULL, repo_operation_batch(op), NULL, &err);
	return end(op, rc, &err);
}

static int cmd_repack_packs(int argc, const char **argv, struct midx_command *c)
{
	static const char *const repack_usage[] = { REPACK_USAGE, NULL };
	unsigned long batch_size = 0;
	struct option options[] = {
		COMMON_OPTIONS(c),
		OPT_MAGNITUDE(0, "batch-size", &batch_size,
			      "during repack, collect pack-files of smaller size into a batch that is larger than this size"),
		OPT_END()
	};
	struct midx_repack_options o = { 0 };
	struct repo_operation *op;
	struct err err = ERR_INIT;
	int rc;

	if (parse_options(argc, argv, options, repack_usage, 0))
		usage_with_options(repack_usage, options);
	find_store(c);
	o.batch_bytes = batch_size;
	if (c->progress) {
		o.progress = show_repack;
		o.data = c;
	}
	op = repo_operation_begin(c->repo);
	rc = multi_pack_index_repack(op, c->repo, c->store, &o, NULL, &err);
	progress_stop(&c->meter);
	return end(op, rc, &err);
}

int cmd_multi_pack_index(int argc, const char **argv, struct command_ctx *ctx)
{
	static const struct {
		const char *name;
		int (*run)(int argc, const char **argv, struct midx_command *c);
	} subcommands[] = {
		{ "write", cmd_write }, { "compact", cmd_compact }, { "verify", cmd_verify },
		{ "expire", cmd_expire }, { "repack", cmd_repack_packs },
	};
	struct midx_command c = { .repo = ctx->repo, .prefix = ctx->prefix, .progress = -1 };
	struct option options[] = { COMMON_OPTIONS(&c), OPT_END() };

	argc = parse_options(argc, argv, options, usage, PARSE_OPT_STOP_AT_NON_OPTION);
	for (size_t i = 0; argc && i < ARRAY_SIZE(subcommands); i++)
		if (!strcmp(argv[0], subcommands[i].name))
			return subcommands[i].run(argc, argv, &c);
	die_no_subcommand(argv[0], usage, options);
}

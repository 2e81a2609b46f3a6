/* SPDX-License-Identifier: GPL-2.0-only */
/* git-index-pack(1). The work is done in pack/receive/, by a confined process (intake/). */
#include "compat/posix.h"
#include "compat/os.h"
#include "compat/syscalls.h"
#include "builtin/builtin.h"
#include "builtin/pack/index-pack.h"
#include "builtin/pack/pack-input.h"
#include "intake/answer.h"
#include "intake/files.h"
#include "intake/reader.h"
#include "operation/operation.h"
#include "util/alloc.h"
#include "util/bytes.h"
#include "util/path.h"
#include "write-or-die.h"

static const char *const usage[] = {
	"git index-pack [-v] [-o <index-file>] [--keep | --keep=<msg>] [--[no-]rev-index] [--verify]\n"
	"               [--strict[=<msg-id>=<severity>...]] [--fsck-objects[=<msg-id>=<severity>...]]\n"
	"               (<pack-file> | --stdin [--fix-thin] [<pack-file>])",
	NULL
};

/* Threads beyond these cost more than they bring. */
#define THREADS_MAX 20

struct index_pack {
	struct repository *r; /* NULL outside of one */
	const struct hash_algo *algo;
	int from_stdin, fix_thin, verbose, verify, stat, stat_only, rev_index, report_end;
	int check_connected, threads;
	bool strict, fsck;
	const char *index_file, *object_format, *header, *title, *index_version, *max_input, *max_inflated;
	const char *keep_msg, *promisor_msg; /* NULL: not wanted */
	const char *pack_file; /* NULL: named by its content */
	char *readable;	       /* another path of it, for processes that have not all descriptors of this one; NULL */
	const struct pack_receive_files *files; /* where pack and tables go before they have their names; NULL: see read_stdin, stage */
	char *idx_path, *rev_path, *keep_path; /* NULL: named by the pack's content */
	unsigned idx_version;
	uint64_t idx_wide_from, max_input_bytes, max_inflated_bytes;
	unsigned char head[12];
	struct strvec severities; /* as --strict and --fsck-objects have them */
	struct pack_checks checks;
	struct pack_progress progress;
	struct intake_policy policy;
	struct intake_reader rd; /* until the operation has ended; of this process alone */
};

/* The command's, since callbacks of options get nothing else. */
static struct index_pack *parsing;

/* ---- options ---- */

static int opt_keep(const struct option *opt UNUSED, const char *arg, int unset)
{
	parsing->keep_msg = unset ? NULL : arg ? arg : "";
	return 0;
}

static int opt_promisor(const struct option *opt UNUSED, const char *arg, int unset)
{
	parsing->promisor_msg = unset ? NULL : arg ? arg : "";
	return 0;
}

static int opt_strict(const struct option *opt UNUSED, const char *arg, int unset UNUSED)
{
	parsing->strict = parsing->fsck = true;
	if (arg)
		strvec_push(&parsing->severities, arg);
	return 0;
}

static int opt_fsck(const struct option *opt UNUSED, const char *arg, int unset UNUSED)
{
	parsing->fsck = true;
	if (arg)
		strvec_push(&parsing->severities, arg);
	return 0;
}

/* VERSION[,OFFSET], where the offset may be in any base of C. */
static void parse_index_version(struct index_pack *p, const char *arg)
{
	char *end;
	unsigned long version = strtoul(arg, &end, 10);

	if (version < 1 || version > 2)
		die("bad --index-version=%s", arg);
	p->idx_version = (unsigned)version;
	if (*end == ',' && end[1])
		p->idx_wide_from = strtoull(end + 1, &end, 0);
	if (*end || p->idx_wide_from & 0x80000000u)
		die("bad --index-version=%s", arg);
}

/* Parses VERSION,COUNT: the header of a pack that the caller has read already. */
static void parse_header(struct index_pack *p)
{
	char *end;
	unsigned long version, count = 0;

	version = strtoul(p->header, &end, 10);
	if (*end == ',' && end[1])
		count = strtoul(end + 1, &end, 10);
	else
		end = "x";
	if (*end || version > UINT32_MAX || count > UINT32_MAX)
		die("bad --pack_header: %s", p->header);
	memcpy(p->head, "PACK", 4);
	put_be32(p->head + 4, (uint32_t)version);
	put_be32(p->head + 8, (uint32_t)count);
}

static void index_pack_read_config(struct index_pack *p)
{
	const struct config_set *c = command_config(p->r);
	struct err err = ERR_INIT;
	bool rev = true;
	int version = 0, threads = 0;

	if (config_get_int(c, "pack.indexversion", &version, &err) < 0 ||
	    config_get_int(c, "pack.threads", &threads, &err) < 0 ||
	    config_get_bool(c, "pack.writereverseindex", &rev, &err) < 0)
		die_err(&err);
	if (version < 0 || version > 2)
		die("bad pack.indexVersion=%d", version);
	if (threads < 0)
		die("invalid number of threads specified (%d)", threads);
	p->idx_version = (unsigned)version;
	p->threads = threads;
	p->rev_index = rev;
}

static void check_combinations(struct index_pack *p)
{
	if (p->fix_thin && !p->from_stdin)
		die("the option '%s' requires '%s'", "--fix-thin", "--stdin");
	if (p->promisor_msg && p->pack_file)
		die("--promisor cannot be used with a pack name");
	if (p->from_stdin && !p->r)
		die("--stdin requires a git repository");
	if (p->from_stdin && p->object_format)
		die("options '%s' and '%s' cannot be used together", "--object-format", "--stdin");
	if (p->verify && p->from_stdin)
		die("options '%s' and '%s' cannot be used together", "--verify", "--stdin");
}

/* The same path with another extension; dies if it does not end in .FROM. Caller frees. */
static char *path_with_extension(const char *path, const char *from, const char *to)
{
	const char *dot = strrchr(path, '.');

	if (!dot || dot == path || strcmp(dot + 1, from) != 0)
		die("packfile name '%s' does not end with '.%s'", path, from);
	return xstrfmt("%.*s.%s", (int)(dot - path), path, to);
}

/* Before a byte of the pack is read. The .rev is beside the .idx, which may be elsewhere than the pack. */
static void name_files(struct index_pack *p)
{
	if (p->index_file)
		p->idx_path = xstrdup(p->index_file);
	else if (p->pack_file)
		p->idx_path = path_with_extension(p->pack_file, "pack", "idx");
	if (p->idx_path && p->rev_index)
		p->rev_path = path_with_extension(p->idx_path, "idx", "rev");
	if (p->pack_file && p->keep_msg)
		p->keep_path = path_with_extension(p->pack_file, "pack", "keep");
}

/* ---- the pack ---- */

static void index_pack_show_progress(void *data, enum pack_receive_phase phase, uint64_t done,
				     uint64_t total,
				     uint64_t bytes)
{
	struct index_pack *p = data;

	pack_progress_update(&p->progress, phase, done, total, p->from_stdin ? bytes : 0);
}

static void make_index_policy(struct index_pack *p)
{
	p->progress = (struct pack_progress){
		.reading = p->title ? p->title : p->from_stdin ? "Receiving objects" : "Indexing objects",
		.resolving = "Resolving deltas", .forced = true,
	};
	p->policy = (struct intake_policy){
		.form = p->verify ? INTAKE_NOTHING : INTAKE_PACKED,
		/* A pack that is verified would be compared with itself. */
		.alone = p->verify && !p->strict,
		.threads = p->threads ? p->threads : os_cpu_count(),
		.max_input_bytes = p->max_input_bytes,
		.limits = { .inflated_bytes = p->max_inflated_bytes },
		.fsck = p->fsck ? &p->checks.fsck : NULL,
		.links = p->strict ? INTAKE_LINKS_CHECKED : p->promisor_msg && p->r ? INTAKE_LINKS_NOTED : INTAKE_LINKS_IGNORED,
		.refuse_duplicates = p->strict && !p->verify,
		.fix_thin = p->fix_thin,
		.promisor_msg = p->promisor_msg, .keep_msg = p->keep_msg,
		.progress = p->verbose ? index_pack_show_progress : NULL, .data = p,
	};
}

/* --report-end-of-input */
static int report_end(void *data, struct err *err)
{
	const struct index_pack *p = data;

	return p->report_end && write_in_full(2, "", 1, "standard error", err) < 0 ? ERR_IO : 0;
}

/* Reads the pack and checks it. If no file is named, the copy is made where a dead writer's is found. */
static int read_pack(struct index_pack *p, const struct intake_place *place, struct err *err)
{
	const struct intake_stream s = {
		.from = { .fd = STDIN_FILENO, .head = p->head, .head_len = p->header ? sizeof(p->head) : 0,
			  .copy = p->files ? p->files->pack : NULL },
		.path = p->from_stdin ? NULL : p->readable ? p->readable : p->pack_file,
		.end = INTAKE_END_FILE, .read_done = report_end, .data = p,
	};
	int rc = intake_reader_begin(&p->rd, &p->policy, place, p->algo, err);

	if (!rc)
		rc = intake_reader_read(&p->rd, &s, err);
	pack_progress_stop(&p->progress);
	if (!rc && p->verbose && pack_receive_added(p->rd.rx))
		fprintf(stderr, "completed with %u local object%s\n", pack_receive_added(p->rd.rx),
			pack_receive_added(p->rd.rx) == 1 ? "" : "s");
	return rc;
}

/* ---- --verify ---- */

static int index_pack_verify(struct index_pack *p, struct err *err)
{
	const char *const files[] = { p->pack_file, p->idx_path, p->rev_path, NULL };
	const struct intake_place place = { .r = p->r };
	int rc;

	if (access(p->idx_path, R_OK) < 0)
		return err_set(err, ERR_NOT_FOUND, "Cannot open existing pack idx file for '%s'",
			       p->idx_path);
	rc = intake_confine_reader(p->r, files, err);
	if (rc)
		return rc;
	rc = read_pack(p, &place, err);
	if (!rc && !p->stat_only)
		rc = pack_receive_verify_idx(p->rd.rx, p->idx_path, err);
	/* There need not be one. */
	if (!rc && p->rev_path && !p->stat_only && access(p->rev_path, F_OK) == 0)
		rc = pack_receive_verify_rev(p->rd.rx, p->rev_path, err);
	if (!rc && p->stat)
		print_pack_statistics(p->rd.rx, !p->stat_only);
	return rc;
}

/* ---- a new index ---- */

/* What a caller hears of a pack. If a confined process has read the pack, the text is untrusted, but it
 * can be printed. */
struct outcome {
	struct object_id pack;
	bool kept, foreign; /* foreign: it refers to objects that it does not have */
	const void *rest;   /* what followed it in the input */
	size_t rest_len;
	const char *missing; /* as pack_checks.missing */
	size_t missing_len;
};

/* packdir: of the files that have no names yet; NULL: all have. */
static struct pack_receive_names names_of(const struct index_pack *p, const char *packdir, const struct repository *r)
{
	return (struct pack_receive_names){
		.packdir = packdir, .pack = p->pack_file, .idx = p->idx_path, .rev = p->rev_path,
		.keep = p->keep_path,
		.write_rev = p->rev_index,
		.idx_version = p->idx_version, .idx_wide_from = p->idx_wide_from,
		.shared_perm = r ? r->settings.shared_perm : 0,
	};
}

/* D2: print the name after the seal. */
static void tell(const struct index_pack *p, const struct outcome *o)
{
	if (p->from_stdin)
		printf("%s\t%s\n", o->kept ? "keep" : "pack", oid_hex(&o->pack));
	else
		printf("%s\n", oid_hex(&o->pack));
	fwrite(o->rest, 1, o->rest_len, stdout);
	fwrite(o->missing, 1, o->missing_len, stdout);
}

static void get_outcome(const struct index_pack *p, struct outcome *o)
{
	o->pack = *pack_receive_checksum(p->rd.rx);
	o->foreign = pack_receive_foreign(p->rd.rx) != 0;
	o->rest = "";
	o->rest_len = 0;
	if (p->from_stdin)
		o->rest = pack_receive_rest(p->rd.rx, &o->rest_len);
	o->missing = p->checks.missing.buf;
	o->missing_len = p->checks.missing.len;
}

/* ---- the answer of the process that reads the pack ---- */

/*
 * Largest answer with the objects that a pack from a promisor remote names; the rest of the input
 * is in one buffer.
 */
#define ANSWER_MAX ((size_t)64 << 20)

static void add_bool(struct strbuf *answer, bool value)
{
	const unsigned char byte = value;

	intake_answer_add(answer, &byte, 1);
}

/* See read_answer. */
static int answer(struct index_pack *p, struct repository *r, struct strbuf *out, bool kept, struct err *err)
{
	struct oid_array named = OID_ARRAY_INIT;
	struct outcome o;
	int rc = p->promisor_msg ? index_pack_find_named(r, p->rd.rx, &named, err) : 0;

	get_outcome(p, &o);
	intake_answer_add(out, o.pack.hash, p->algo->raw_len);
	add_bool(out, kept);
	add_bool(out, o.foreign);
	intake_answer_add(out, o.rest, o.rest_len);
	intake_answer_add(out, o.missing, o.missing_len);
	intake_answer_add_oids(out, &named, p->algo);
	oid_array_clear(&named);
	return rc;
}

/* Names of objects, one in a line. */
static int check_lines(const struct index_pack *p, const char *text, size_t len, struct err *err)
{
	const size_t line = p->algo->hex_len + 1;
	struct object_id oid;
	const char *end;

	for (size_t i = 0; i < len; i += line)
		if (len - i < line || text[i + line - 1] != '\n' || oid_parse_hex(&oid, text + i, p->algo, &end) < 0)
			return err_set(err, ERR_CORRUPT, "the process that reads the pack answers nonsense");
	return 0;
}

/* The checksum and kept are what the caller knows better, if another process has read the pack. */
static int read_answer(const struct index_pack *p, const struct strbuf *text, struct outcome *o, struct oid_array *named, struct err *err)
{
	struct oid_array pack = OID_ARRAY_INIT;
	const void *missing = NULL;
	size_t at = 0;
	int rc = intake_answer_take_oids(text, &at, p->algo, &pack, err);

	if (!rc)
		rc = intake_answer_take_bool(text, &at, &o->kept, err);
	if (!rc)
		rc = intake_answer_take_bool(text, &at, &o->foreign, err);
	if (!rc)
		rc = intake_answer_take(text, &at, &o->rest, &o->rest_len, err);
	if (!rc)
		rc = intake_answer_take(text, &at, &missing, &o->missing_len, err);
	if (!rc)
		rc = check_lines(p, missing, o->missing_len, err);
	if (!rc)
		rc = intake_answer_take_oids(text, &at, p->algo, named, err);
	o->missing = missing;
	o->pack = pack.nr ? pack.oid[0] : p->algo->null_oid;
	oid_array_clear(&pack);
	return rc;
}

/* What both ways end with. rc: the result so far. */
static int end_operation(struct index_pack *p, struct repo_operation *op, const struct outcome *o, const struct oid_array *named, int rc,
	       bool *foreign, struct err *err)
{
	if (!rc && p->promisor_msg && p->r)
		rc = index_pack_promise(p->r, op, named, err);
	rc = repo_operation_end(op, rc, err);
	if (!rc) {
		tell(p, o);
		*foreign = o->foreign;
	}
	return rc;
}

/* ---- a pack for objects/pack ---- */

/* For intake_receive. */
static int index_pack_receive(void *data, const struct intake_place *place, struct err *err)
{
	struct index_pack *p = data;
	char *packdir = xstrfmt("%s/pack", place->r->objdir);
	struct pack_receive_names n = names_of(p, packdir, place->r);
	bool kept = false;
	int rc;

	n.keep_msg = place->keep_msg;
	n.promisor_msg = place->promisor_msg;
	rc = read_pack(p, place, err);
	if (!rc)
		rc = intake_reader_stage(&p->rd, &n, &kept, err);
	free(packdir);
	return rc ? rc : answer(p, place->r, place->answer, kept, err);
}

static int receive_stdin(struct index_pack *p, bool *foreign, struct err *err)
{
	const struct intake in = {
		.receive = index_pack_receive, .data = p, .fd = STDIN_FILENO, .policy = &p->policy, .name = "index-pack", .answer_max = ANSWER_MAX,
	};
	struct repo_operation *op = repo_operation_begin(p->r);
	struct oid_array named = OID_ARRAY_INIT;
	struct intake_result result;
	struct outcome o;
	int rc = intake_receive(p->r, op, &in, &result, err);

	if (!rc)
		rc = read_answer(p, &result.answer, &o, &named, err);
	if (!rc && result.dir) {
		o.pack = result.pack;
		o.kept = result.kept;
	}
	rc = end_operation(p, op, &o, &named, rc, foreign, err);
	oid_array_clear(&named);
	intake_result_release(&result);
	return rc;
}

/* ---- a pack in a file, or files that are named ---- */

struct targets {
	struct tmp_objdir *dir; /* of the copy; NULL: it is beside the file that is named, or there is none */
	struct pack_receive_files files;
};

static void release_targets(struct targets *t)
{
	tempfile_delete(&t->files.pack);
	tempfile_delete(&t->files.idx);
	tempfile_delete(&t->files.rev);
	tmp_objdir_destroy(&t->dir);
}

/* path: what it will be called */
static int create_beside(struct tempfile **out, const char *path, const char *prefix, struct err *err)
{
	struct strbuf dir = STRBUF_INIT;
	int rc;

	path_dirname(&dir, path);
	rc = tempfile_create_in(out, dir.buf, prefix, 0444, err);
	strbuf_release(&dir);
	return rc;
}

static int create_copy(const struct index_pack *p, struct targets *t, struct err *err)
{
	int rc;

	if (p->pack_file)
		return create_beside(&t->files.pack, p->pack_file, "tmp_pack_", err);
	rc = pack_receive_create_dir(&t->dir, p->r->objdir, p->r->settings.shared_perm, err);
	return rc ? rc : tempfile_create_in(&t->files.pack, tmp_objdir_path(t->dir), "tmp_pack_", 0444, err);
}

/* Can it be read? Processes that have closed what /dev/stdin names find it by another path. */
static int check_pack_file(struct index_pack *p, struct err *err)
{
	int fd = (int)RETRY_EINTR(sys->open(p->pack_file, O_RDONLY | O_CLOEXEC, 0));

	if (fd < 0)
		return err_set_errno(err, "cannot open packfile '%s'", p->pack_file);
	sys->close(fd);
	if (starts_with(p->pack_file, "/dev/") || starts_with(p->pack_file, "/proc/"))
		p->readable = path_real(p->pack_file, 0);
	return 0;
}

static int create_targets(struct index_pack *p, struct targets *t, struct err *err)
{
	int rc = p->from_stdin ? create_copy(p, t, err) : check_pack_file(p, err);

	if (!rc)
		rc = create_beside(&t->files.idx, p->idx_path, "tmp_idx_", err);
	if (!rc && p->rev_path)
		rc = create_beside(&t->files.rev, p->rev_path, "tmp_rev_", err);
	p->files = &t->files;
	return rc;
}

/* For intake_read_files. */
static int fill_targets(void *data, struct strbuf *text, struct err *err)
{
	struct index_pack *p = data;
	const struct pack_receive_names n = names_of(p, NULL, p->r);
	const struct intake_place place = { .r = p->r };
	int rc = read_pack(p, &place, err);

	if (!rc)
		rc = pack_receive_write_tables(p->rd.rx, p->files, &n, err);
	return rc ? rc : answer(p, p->r, text, false, err);
}

static int stage(const struct index_pack *p, struct targets *t, struct repo_operation *op, const struct object_id *sum, bool *kept,
		 struct err *err)
{
	char *packdir = p->r ? xstrfmt("%s/pack", p->r->objdir) : NULL;
	struct pack_receive_names n = names_of(p, packdir, p->r);
	int rc;

	n.keep_msg = p->keep_msg;
	n.promisor_msg = p->promisor_msg;
	rc = pack_receive_stage_files(&t->files, sum, repo_operation_batch(op), &n, kept, err);
	free(packdir);
	return rc;
}

static int create(struct index_pack *p, struct targets *t, bool *foreign, struct err *err)
{
	const struct fsync_policy policy = FSYNC_POLICY_DEFAULT;
	struct repo_operation *op = p->r ? repo_operation_begin(p->r) : repo_operation_begin_outside(&policy);
	const struct intake_files in = {
		.receive = fill_targets, .data = p, .r = p->r, .algo = p->algo, .fd = p->from_stdin ? STDIN_FILENO : -1,
		.pack = t->files.pack ? t->files.pack->path : p->readable ? p->readable : p->pack_file, .files = &t->files,
		.policy = &p->policy, .name = "index-pack", .answer_max = ANSWER_MAX,
	};
	struct oid_array named = OID_ARRAY_INIT;
	struct intake_files_result result;
	struct outcome o;
	int rc = intake_read_files(&in, &result, err);

	if (!rc)
		rc = read_answer(p, &result.answer, &o, &named, err);
	o.pack = result.pack;
	o.kept = false;
	if (!rc)
		rc = stage(p, t, op, &result.pack, &o.kept, err);
	rc = end_operation(p, op, &o, &named, rc, foreign, err);
	oid_array_clear(&named);
	intake_files_result_release(&result);
	return rc;
}

static int create_named(struct index_pack *p, bool *foreign, struct err *err)
{
	struct targets t = { .dir = NULL };
	int rc = create_targets(p, &t, err);

	if (!rc)
		rc = create(p, &t, foreign, err);
	release_targets(&t);
	return rc;
}

/* ---- the command ---- */

static int execute(struct index_pack *p, bool *foreign, struct err *err)
{
	make_index_policy(p);
	if (p->verify)
		return index_pack_verify(p, err);
	return p->from_stdin && !p->pack_file && !p->index_file ? receive_stdin(p, foreign, err) : create_named(p, foreign, err);
}

static int index_pack_run(struct index_pack *p)
{
	struct err err = ERR_INIT;
	bool foreign = false;
	int rc = execute(p, &foreign, &err);

	if (p->verify && !rc)
		foreign = pack_receive_foreign(p->rd.rx) != 0;
	pack_progress_stop(&p->progress);
	intake_reader_release(&p->rd);
	pack_checks_release(&p->checks);
	strvec_clear(&p->severities);
	free(p->idx_path);
	free(p->rev_path);
	free(p->keep_path);
	free(p->readable);
	if (rc < 0)
		return report_fatal(&err);
	if (finish_stdout())
		return 128;
	return p->check_connected && foreign ? 1 : 0;
}

int cmd_index_pack(int argc, const char **argv, struct command_ctx *ctx)
{
	struct index_pack p = { .r = ctx->repo, .algo = ctx->repo ? ctx->repo->algo : hash_sha1 };
	struct option opts[] = {
		OPT_COUNTUP('v', NULL, &p.verbose, "be verbose"),
		OPT_STRING('o', NULL, &p.index_file, "index-file", "write the index into this file"),
		OPT_BOOL(0, "stdin", &p.from_stdin, "read the pack from standard input"),
		OPT_BOOL(0, "fix-thin", &p.fix_thin, "add bases that are missing to a thin pack"),
		OPT_CALLBACK_F(0, "keep", NULL, "msg", "create a .keep file",
			       PARSE_OPT_OPTARG | PARSE_OPT_NONEG, opt_keep),
		OPT_CALLBACK_F(0, "promisor", NULL, "msg", "create a .promisor file",
			       PARSE_OPT_OPTARG | PARSE_OPT_NONEG, opt_promisor),
		OPT_CALLBACK_F(0, "strict", NULL, "msg-id=severity", "die of broken objects and links",
			       PARSE_OPT_OPTARG | PARSE_OPT_NONEG, opt_strict),
		OPT_CALLBACK_F(0, "fsck-objects", NULL, "msg-id=severity", "die of broken objects",
			       PARSE_OPT_OPTARG | PARSE_OPT_NONEG, opt_fsck),
		OPT_BOOL(0, "check-self-contained-and-connected", &p.check_connected,
			 "die of broken links; exit with 1 if the pack needs other objects"),
		OPT_BOOL(0, "rev-index", &p.rev_index, "write, or verify, the reverse index"),
		OPT_BOOL(0, "verify", &p.verify, "verify a pack and its index"),
		OPT_BOOL(0, "verify-stat", &p.stat, "the same, and show lengths of chains"),
		OPT_BOOL(0, "verify-stat-only", &p.stat_only, "only show them"),
		OPT_STRING(0, "max-input-size", &p.max_input, "size", "die if the pack is larger"),
		OPT_STRING(0, "max-inflated-size", &p.max_inflated, "size", "die if more is inflated, or made by deltas"),
		OPT_INTEGER(0, "threads", &p.threads, "use so many threads"),
		OPT_STRING(0, "index-version", &p.index_version, "version[,offset]",
			   "version of the index, and from where offsets take 8 bytes"),
		OPT_STRING(0, "object-format", &p.object_format, "hash", "the hash algorithm"),
		OPT_STRING(0, "pack_header", &p.header, "version,count", "header that the caller has read already"),
		OPT_STRING(0, "progress-title", &p.title, "title", "title of the progress meter"),
		OPT_BOOL(0, "report-end-of-input", &p.report_end,
			 "write a NUL on standard error when the pack has been read"),
		OPT_END()
	};
	struct err err = ERR_INIT;

	strvec_init(&p.severities);
	pack_checks_init(&p.checks, print_pack_finding);
	p.checks.collect_missing = true;
	index_pack_read_config(&p);
	parsing = &p;
	argc = parse_options(argc, argv, opts, usage, 0);
	parsing = NULL;
	if (argc > 1 || (!argc && !p.from_stdin) || p.threads < 0)
		usage_with_options(usage, opts);
	p.pack_file = argc ? argv[0] : NULL;
	p.stat |= p.stat_only;
	p.verify |= p.stat;
	p.strict |= p.check_connected;
	if (p.threads > THREADS_MAX)
		p.threads = THREADS_MAX;
	if (p.object_format) {
		p.algo = hash_algo_by_name(p.object_format);
		if (!p.algo)
			die("unknown hash algorithm '%s'", p.object_format);
	}
	/* The names in a skipList are of the algorithm that has been said, perhaps after it. */
	for (size_t i = 0; i < p.severities.nr; i++)
		if (pack_checks_parse(&p.checks, p.severities.v[i], p.algo, &err) < 0)
			die_err(&err);
	if (p.max_input && !parse_magnitude(p.max_input, &p.max_input_bytes))
		die("bad --max-input-size: %s", p.max_input);
	if (p.max_inflated && !parse_magnitude(p.max_inflated, &p.max_inflated_bytes))
		die("bad --max-inflated-size: %s", p.max_inflated);
	if (p.index_version)
		parse_index_version(&p, p.index_version);
	if (p.header)
		parse_header(&p);
	check_combinations(&p);
	name_files(&p);
	return index_pack_run(&p);
}

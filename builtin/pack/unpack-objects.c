/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * git-unpack-objects(1). The pack is read and resolved by pack/receive/, in a confined process, whose objects become part of the
 * operation: nothing of a pack that turns out to be broken is kept, unless -r asks for it.
 */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "builtin/pack/pack-input.h"
#include "intake/answer.h"
#include "intake/confined.h"
#include "operation/operation.h"

static const char *const usage[] = {
	"git unpack-objects [-n] [-q] [-r] [--strict] [--max-input-size=<size>] [--max-inflated-size=<size>]",
	NULL
};

struct unpack_objects {
	struct repository *r;
	int dry_run, quiet, recover, strict;
	uint64_t max_input_bytes, max_inflated_bytes;
	struct pack_checks checks;
	struct pack_progress progress;
	/* ---- of the process that reads the pack ---- */
	const struct intake_place *place;
	struct pack_receive *rx; /* until the operation has ended */
	bool broken;
};

static int unexpected_name(const struct object_id *want, const struct object_id *is, struct err *err)
{
	return err_set(err, ERR_CORRUPT, "object %s became %s when it was written", oid_hex(want),
		       oid_hex(is));
}

static int write_object(void *data, const struct object_id *oid, enum object_type type,
			const void *content, size_t size, struct err *err)
{
	struct unpack_objects *u = data;
	struct object_id name;
	int rc = odb_write(u->place->r->odb, type, content, size, &name, err);

	return rc || oid_eq(&name, oid) ? rc : unexpected_name(oid, &name, err);
}

static int read_piece(void *data, void *buf, size_t len, size_t *got, struct err *err)
{
	return pack_receive_read(data, buf, len, got, err);
}

static int write_big_blob(void *data, const struct object_id *oid, uint64_t size,
			  struct pack_receive_reader *reader, struct err *err)
{
	struct unpack_objects *u = data;
	const struct object_stream in = { read_piece, reader, "standard input" };
	struct object_id name;
	int rc = bulk_checkin_stream_from(odb_batch(u->place->r->odb), OBJ_BLOB, &in, size, &name, err);

	return rc || oid_eq(&name, oid) ? rc : unexpected_name(oid, &name, err);
}

static void report_broken(void *data, const char *msg)
{
	struct unpack_objects *u = data;

	u->broken = true;
	error("%s", msg);
}

static void unpack_objects_show_progress(void *data, enum pack_receive_phase phase, uint64_t done,
					 uint64_t total,
					 uint64_t bytes)
{
	struct unpack_objects *u = data;

	pack_progress_update(&u->progress, phase, done, total, bytes);
}

static struct pack_receive *unpack_objects_begin(struct unpack_objects *u, struct repository *r)
{
	struct pack_receive_options o = {
		.algo = r->algo,
		.odb = r->odb,
		.max_input_bytes = u->max_input_bytes,
		.limits = { .inflated_bytes = u->max_inflated_bytes },
		.fsck = u->strict ? &u->checks.fsck : NULL,
		.check_links = u->strict,
		.note_links = !u->dry_run, .skip_bad_links = true,
		.use_bases = true,
		.keep_going = u->recover,
		.broken = report_broken,
		.object = u->dry_run ? NULL : write_object,
		.big_blob = u->dry_run ? NULL : write_big_blob,
		.progress = u->quiet ? NULL : unpack_objects_show_progress,
		.data = u,
	};

	u->progress.reading = "Unpacking objects";
	return pack_receive_new(&o);
}

static int unpack_objects_read_pack(struct unpack_objects *u, struct repository *r, struct err *err)
{
	struct pack_receive_stream_options s = {
		.fd = STDIN_FILENO, .objdir = u->dry_run ? NULL : r->objdir,
		.shared_perm = r->settings.shared_perm,
	};
	int rc = pack_receive_stream(u->rx, &s, err);

	/* Without a copy deltas cannot be resolved: -n checks that the stream is whole. */
	if (!rc && !u->dry_run)
		rc = pack_receive_resolve(u->rx, err);
	pack_progress_stop(&u->progress);
	if (!rc && pack_receive_unresolved(u->rx)) {
		u->broken = true;
		error("%u objects could not be unpacked", pack_receive_unresolved(u->rx));
	}
	return rc;
}

/* ---- to objects ---- */

/* The rest of the input is in one buffer. */
#define ANSWER_MAX ((size_t)4 << 20)

static int note_foreign(void *data, const struct object_id *oid, enum object_type type UNUSED, struct err *err UNUSED)
{
	oid_array_append(data, oid);
	return 0;
}

/* Of intake_receive. */
static int unpack_objects_receive(void *data, const struct intake_place *place, struct err *err)
{
	struct unpack_objects *u = data;
	unsigned char broken;
	const void *rest;
	size_t len;
	int rc;

	u->place = place;
	u->rx = unpack_objects_begin(u, place->r);
	rc = unpack_objects_read_pack(u, place->r, err);
	if (!rc)
		rc = pack_receive_foreach_foreign(u->rx, note_foreign, place->foreign, err);
	broken = u->broken;
	rest = pack_receive_rest(u->rx, &len);
	intake_answer_add(place->answer, &broken, 1);
	intake_answer_add(place->answer, rest, len);
	return rc;
}

/* What follows the pack in the input goes on to whatever reads our output. */
static int take_answer(struct unpack_objects *u, const struct strbuf *answer, const void **rest, size_t *len, struct err *err)
{
	size_t at = 0;
	int rc = intake_answer_take_bool(answer, &at, &u->broken, err);

	return rc ? rc : intake_answer_take(answer, &at, rest, len, err);
}

static int unpack_objects_unpack(struct unpack_objects *u, struct err *err)
{
	const struct intake in = {
		.receive = unpack_objects_receive, .data = u, .fd = STDIN_FILENO, .unpacks = true,
		.limits = { .inflated_bytes = u->max_inflated_bytes }, .name = "unpack-objects", .answer_max = ANSWER_MAX,
	};
	struct repo_operation *op = repo_operation_begin(u->r);
	struct intake_result result;
	const void *rest = NULL;
	size_t len = 0;
	int rc = intake_receive(u->r, op, &in, &result, err);

	if (!rc)
		rc = take_answer(u, &result.answer, &rest, &len, err);
	rc = repo_operation_end(op, rc, err);
	if (!rc)
		fwrite(rest, 1, len, stdout);
	intake_result_release(&result);
	return rc;
}

/* ---- -n ---- */

static int look(struct unpack_objects *u, struct err *err)
{
	const void *rest;
	size_t len;
	int rc = intake_confine_reader(u->r, NULL, err);

	u->rx = unpack_objects_begin(u, u->r);
	if (!rc)
		rc = unpack_objects_read_pack(u, u->r, err);
	rest = pack_receive_rest(u->rx, &len);
	if (!rc)
		fwrite(rest, 1, len, stdout);
	return rc;
}

/* ---- the command ---- */

static int unpack_objects_run(struct unpack_objects *u)
{
	struct err err = ERR_INIT;
	int rc = u->dry_run ? look(u, &err) : unpack_objects_unpack(u, &err);

	pack_receive_free(u->rx);
	pack_checks_release(&u->checks);
	if (rc < 0)
		return report_fatal(&err);
	return finish_stdout() ? 128 : u->broken;
}

int cmd_unpack_objects(int argc, const char **argv, struct command_ctx *ctx)
{
	struct unpack_objects u = { .r = ctx->repo };
	const char *max = NULL, *max_inflated = NULL;
	struct option opts[] = {
		OPT_BOOL('n', NULL, &u.dry_run, "only check the pack"),
		OPT_BOOL('q', NULL, &u.quiet, "show no progress"),
		OPT_BOOL('r', NULL, &u.recover, "keep what can be read of a broken pack"),
		OPT_BOOL(0, "strict", &u.strict, "write no objects with broken content or links"),
		OPT_STRING(0, "max-input-size", &max, "size", "die if the pack is larger"),
		OPT_STRING(0, "max-inflated-size", &max_inflated, "size", "die if more is inflated, or made by deltas"),
		OPT_END()
	};

	argc = parse_options(argc, argv, opts, usage, 0);
	if (argc)
		usage_with_options(usage, opts);
	if (max && !parse_magnitude(max, &u.max_input_bytes))
		die("bad --max-input-size: %s", max);
	if (max_inflated && !parse_magnitude(max_inflated, &u.max_inflated_bytes))
		die("bad --max-inflated-size: %s", max_inflated);
	pack_checks_init(&u.checks, print_pack_finding);
	return unpack_objects_run(&u);
}

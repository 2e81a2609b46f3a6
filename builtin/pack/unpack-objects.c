/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * git-unpack-objects(1). The pack is read and resolved by pack/receive/, in a confined process, whose objects become part of the
 * operation: nothing of a pack that turns out to be broken is kept, unless -r asks for it.
 */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "builtin/pack/pack-input.h"
#include "intake/answer.h"
#include "intake/reader.h"
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
	struct intake_policy policy;
	struct intake_reader rd; /* until the operation has ended */
	bool broken;
};

static void report_broken(void *data, const char *msg)
{
	struct unpack_objects *u = data;

	u->broken = true;
	error("%s", msg);
}

static void show_unpack_progress(void *data, enum pack_receive_phase phase, uint64_t done, uint64_t total, uint64_t bytes)
{
	struct unpack_objects *u = data;

	pack_progress_update(&u->progress, phase, done, total, bytes);
}

static void make_unpack_policy(struct unpack_objects *u)
{
	u->progress.reading = u->progress.unpacking = "Unpacking objects";
	u->policy = (struct intake_policy){
		.form = u->dry_run ? INTAKE_NOTHING : INTAKE_LOOSE,
		.fsck = u->strict ? &u->checks.fsck : NULL,
		.links = u->strict ? INTAKE_LINKS_CHECKED : u->dry_run ? INTAKE_LINKS_IGNORED : INTAKE_LINKS_NOTED,
		.skip_bad_links = true,
		.max_input_bytes = u->max_input_bytes,
		.limits = { .inflated_bytes = u->max_inflated_bytes },
		.keep_going = u->recover, .broken = report_broken,
		.progress = u->quiet ? NULL : show_unpack_progress, .data = u,
	};
}

/* With -n nothing of the pack is kept, so that deltas cannot be resolved: it checks that the stream is whole. */
static int read_input(struct unpack_objects *u, const struct intake_place *place, struct err *err)
{
	const struct intake_stream s = { .from = { .fd = STDIN_FILENO }, .end = INTAKE_END_ANY };
	int rc = intake_take_pack(&u->rd, &u->policy, place, &s, err);

	pack_progress_stop(&u->progress);
	if (!rc && pack_receive_unresolved(u->rd.rx)) {
		u->broken = true;
		error("%u objects could not be unpacked", pack_receive_unresolved(u->rd.rx));
	}
	return rc;
}

/* ---- to objects ---- */

/* The rest of the input is in one buffer. */
#define ANSWER_MAX ((size_t)4 << 20)

/* Called by intake_receive. */
static int receive_to_unpack(void *data, const struct intake_place *place, struct err *err)
{
	struct unpack_objects *u = data;
	unsigned char broken;
	const void *rest;
	size_t len;
	int rc = read_input(u, place, err);

	if (rc)
		return rc;
	broken = u->broken;
	rest = pack_receive_rest(u->rd.rx, &len);
	intake_answer_add(place->answer, &broken, 1);
	intake_answer_add(place->answer, rest, len);
	return 0;
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
		.receive = receive_to_unpack, .data = u, .fd = STDIN_FILENO, .policy = &u->policy, .name = "unpack-objects",
		.answer_max = ANSWER_MAX,
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
	const struct intake_place place = { .r = u->r };
	const void *rest;
	size_t len;
	int rc = intake_confine_reader(u->r, NULL, err);

	if (!rc)
		rc = read_input(u, &place, err);
	if (!rc) {
		rest = pack_receive_rest(u->rd.rx, &len);
		fwrite(rest, 1, len, stdout);
	}
	return rc;
}

/* ---- the command ---- */

static int unpack_objects_run(struct unpack_objects *u)
{
	struct err err = ERR_INIT;
	int rc;

	make_unpack_policy(u);
	rc = u->dry_run ? look(u, &err) : unpack_objects_unpack(u, &err);
	intake_reader_release(&u->rd);
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

/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "intake/confined.h"
#include "intake/fetcher.h"
#include "intake/process.h"
#include "intake/quarantine.h"
#include "pack/receive/receive.h"
#include "util/alloc.h"
#include "util/path.h"

struct confined {
	struct repository *r;
	const struct intake *in;
	struct tmp_objdir *dir;
	enum sandbox_mode mode;
	struct intake_result *result;
	struct intake_fetcher fetcher; /* for the first child */
};

/* ---- the first child ---- */

static int open_batch(const struct intake *in, const struct intake_place *place, struct err *err)
{
	struct odb *odb = place->r->odb;

	return in->policy->form == INTAKE_LOOSE && !odb_batch(odb) ? odb_begin_batch(odb, place->batch, err) : 0;
}

/* For intake_process. */
static int receive_confined(void *data, int input_fd, int output_fd, struct err *err)
{
	const struct confined *c = data;
	struct strbuf answer = STRBUF_INIT;
	struct fsync_batch_options o = { .policy = c->r->settings.fsync, .hidden = true };
	struct intake_input input = INTAKE_INPUT_INIT;
	struct intake_old old = INTAKE_OLD_INIT;
	struct intake_place place = { .batch = fsync_batch_new(&o), .input = c->in->source ? &input : NULL,
				      .answer = &answer, .foreign = &old.foreign };
	const int fds[] = { c->fetcher.fd, output_fd, c->in->source ? input_fd : c->in->fd };
	int rc = intake_close_all_but(fds, ARRAY_SIZE(fds), err);

	input.fd = input_fd;
	if (!rc)
		rc = intake_open_quarantine(c->dir, c->r->gitdir, &place.r, err);
	if (!rc)
		rc = intake_confine_writer(c->dir, place.r, c->mode, err);
	if (!rc)
		odb_note_used(place.r->odb, &old.used);
	if (!rc && c->fetcher.fd >= 0)
		intake_fetcher_use(c->fetcher.fd, place.r->algo, place.r->odb);
	if (!rc)
		rc = open_batch(c->in, &place, err);
	if (!rc)
		rc = c->in->receive(c->in->data, &place, err);
	if (!rc)
		rc = intake_publish(place.r, place.batch, err);
	if (!rc)
		rc = intake_leave_old(place.r->objdir, &old, place.r->algo, err);
	return rc || !c->in->answer_max ? rc : intake_process_answer(input_fd, output_fd, &answer, err);
}

/* ---- the second one ---- */

static int check_confined(void *data, int input UNUSED, int output UNUSED, struct err *err)
{
	const struct confined *c = data;
	struct intake_check check = { .repo = c->r, .dir = tmp_objdir_path(c->dir), .sandbox = c->mode, .threads = c->in->policy->threads,
				      .limits = c->in->policy->limits };
	int rc = check.threads ? 0 : config_get_int(c->r->config, "pack.threads", &check.threads, err);

	return rc < 0 ? rc : intake_check_objects(&check, err);
}

/* ---- the parent ---- */

static int receive_and_check(struct confined *c, struct err *err)
{
	const struct intake_process receiver = {
		.run = receive_confined, .data = c, .name = c->in->name, .source = c->in->source,
		.answer = c->in->answer_max ? &c->result->answer : NULL, .answer_max = c->in->answer_max,
	};
	const struct intake_process checker = { .run = check_confined, .data = c, .name = c->in->name };
	size_t nr = 0;
	int rc = intake_fetcher_start(&c->fetcher, c->r, err);

	if (!rc)
		rc = intake_process_run(&receiver, err);
	intake_fetcher_end(&c->fetcher);
	if (!rc)
		rc = tmp_objdir_check(c->dir, c->r->algo->hex_len, &nr, err);
	return rc || !nr ? rc : intake_process_run(&checker, err);
}

/* ---- .promisor, .keep ---- */

struct packs {
	const struct confined *c;
	struct fsync_batch *batch;
};

/*
 * stem: of the pack's place. The process that read the pack cannot make the file: it is not ours to say beside which pack. It may be
 * there already, as the pack may be.
 */
static int stage_text(const struct packs *p, const char *stem, const char *ext, const char *msg, bool *made, struct err *err)
{
	char *path = xstrfmt("%s%s", stem, ext);
	int rc = pack_marker_stage(p->batch, path, msg, p->c->r->settings.shared_perm, made, err);

	free(path);
	return rc;
}

/* D3: before the .idx. */
static int stage_texts(void *data, const char *rel, struct err *err)
{
	const struct packs *p = data;
	const struct intake_policy *in = p->c->in->policy;
	char *stem;
	bool made = false, kept = false;
	int rc;

	if (!ends_with(rel, ".pack"))
		return 0;
	stem = xstrfmt("%s/%.*s", p->c->r->objdir, (int)(strlen(rel) - strlen(".pack")), rel);
	rc = in->promisor_msg ? stage_text(p, stem, ".promisor", in->promisor_msg, &made, err) : 0;

	if (!rc && in->keep_msg)
		rc = stage_text(p, stem, ".keep", in->keep_msg, &kept, err);
	p->c->result->kept |= kept;
	if (!rc && oid_from_hex(&p->c->result->pack, strrchr(stem, '/') + strlen("/pack-"), p->c->r->algo) < 0)
		rc = err_set(err, ERR_CORRUPT, "bad name of a pack '%s'", rel);
	free(stem);
	return rc;
}

/* ---- all of it ---- */

static int stage(const struct confined *c, struct repo_operation *op, struct err *err)
{
	struct packs p = { c, repo_operation_batch(op) };
	int rc = tmp_objdir_foreach(c->dir, stage_texts, &p, err);

	return rc ? rc : intake_stage(c->dir, c->r, p.batch, err);
}

static int receive_in_quarantine(struct confined *c, struct repo_operation *op, struct err *err)
{
	int rc;

	tmp_objdir_reap(c->r->objdir);
	rc = tmp_objdir_create(&c->dir, c->r->objdir, "incoming", c->r->settings.shared_perm, err);
	if (!rc)
		rc = receive_and_check(c, err);
	return rc ? rc : stage(c, op, err);
}

/* In this process. */
static int receive_here(struct repository *r, struct repo_operation *op, const struct intake *in, struct strbuf *answer,
			struct err *err)
{
	struct intake_input input = INTAKE_INPUT_INIT;
	struct intake_old old = INTAKE_OLD_INIT;
	const struct intake_place place = {
		.r = r, .batch = repo_operation_batch(op), .input = in->source ? &input : NULL,
		.promisor_msg = in->policy->promisor_msg, .keep_msg = in->policy->keep_msg, .answer = answer, .foreign = &old.foreign,
	};
	int rc;

	input.source = in->source;
	rc = open_batch(in, &place, err);
	if (!rc)
		rc = in->receive(in->data, &place, err);
	if (!rc)
		rc = intake_use_old(r, &old, err);
	intake_old_release(&old);
	return rc;
}

int intake_receive(struct repository *r, struct repo_operation *op, const struct intake *in,
		   struct intake_result *result, struct err *err)
{
	struct confined c = { .r = r, .in = in, .result = result, .fetcher = INTAKE_FETCHER_INIT };
	struct sandbox sandbox;
	int rc = intake_read_sandbox(&c.mode, err);

	*result = (struct intake_result){ .pack = r->algo->null_oid, .answer = STRBUF_INIT };
	if (!rc)
		rc = sandbox_probe(&sandbox, c.mode, err);
	if (!rc)
		return receive_here(r, op, in, &result->answer, err);
	if (rc > 0)
		rc = receive_in_quarantine(&c, op, err);
	result->dir = c.dir;
	return rc;
}

int intake_confine_reader(struct repository *r, const char *const *files, struct err *err)
{
	struct sandbox sandbox;
	enum sandbox_mode mode;
	int rc = intake_read_sandbox(&mode, err);

	if (!rc)
		rc = sandbox_probe(&sandbox, mode, err);
	if (rc <= 0)
		return rc;
	if (r) /* such a process starts none */
		odb_set_fetch(r->odb, NULL, NULL, false);
	sandbox.files = files;
	return repo_confine(r, &sandbox, -1, err);
}

void intake_result_release(struct intake_result *result)
{
	tmp_objdir_destroy(&result->dir);
	strbuf_release(&result->answer);
}

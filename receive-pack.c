/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A push from its first line to its report. The order, in one place:
 *
 *   1. the commands are read and looked at;
 *   2. the pack goes into quarantine, where it is checked and found complete;
 *   3. pre-receive, which sees the quarantine;
 *   4. with hooks that may look at new objects: these get their names (D4), unsealed;
 *   5. what speaks against each ref, with the update hook; nothing has changed yet;
 *   6. one transaction of all refs, published with the objects and sealed once (D1 to D6);
 *   7. the report (D2), then what can change nothing any more.
 */
#include "compat/posix.h"
#include "fs/tmp-objdir.h"
#include "receive-pack.h"
#include "receive/quarantine.h"
#include "util/alloc.h"
#include "util/clock.h"

/* ---- begin and end ---- */

static int receive_server_init(struct receive_server *s, struct repository *r, const struct receive_pack_options *o,
			       struct err *err)
{
	int rc;

	memset(s, 0, sizeof(*s));
	s->repo = r;
	s->o = *o;
	strvec_init(&s->hidden.rules);
	strvec_init(&s->hook_env);
	strvec_init(&s->rq.push_options);
	strbuf_init(&s->rq.cert, 0);
	pkt_reader_init(&s->in, o->in);
	s->in.on_eof = PKT_EOF_REFUSED;
	pkt_writer_init(&s->out, o->out);
	rc = receive_config_read(&s->config, r->config, err);
	if (!rc)
		rc = hidden_refs_read(&s->hidden, r->config, "receive", err);
	if (!rc)
		rc = namespace_prefix(&s->prefix, err);
	return rc;
}

static void receive_server_release(struct receive_server *s)
{
	for (size_t i = 0; i < s->rq.nr; i++)
		push_command_release(&s->rq.commands[i]);
	free(s->rq.commands);
	strvec_clear(&s->rq.push_options);
	oid_array_clear(&s->rq.shallow);
	strbuf_release(&s->rq.cert);
	free(s->nonce);
	strvec_clear(&s->hook_env);
	pkt_reader_release(&s->in);
	pkt_writer_release(&s->out);
	receive_config_release(&s->config);
	hidden_refs_release(&s->hidden);
	free(s->prefix);
}

/* ---- the steps ---- */

static bool needs_pack(const struct push_request *rq)
{
	for (size_t i = 0; i < rq->nr; i++)
		if (!push_command_is_delete(&rq->commands[i]))
			return true;
	return false;
}

static void leave_quarantine(struct receive_server *s)
{
	static const char *const names[] = { "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES",
					     "GIT_QUARANTINE_PATH" };
	struct strvec rest = STRVEC_INIT;

	for (size_t i = 0; i < s->hook_env.nr; i++) {
		bool ours = false;

		for (size_t k = 0; k < ARRAY_SIZE(names); k++)
			ours |= starts_with(s->hook_env.v[i], names[k]) && s->hook_env.v[i][strlen(names[k])] == '=';
		if (!ours)
			strvec_push(&rest, s->hook_env.v[i]);
	}
	strvec_clear(&s->hook_env);
	s->hook_env = rest;
}

/* Hooks that may look at objects before the refs have changed. */
static bool shows_objects(struct receive_server *s)
{
	return receive_has_hook(s, "update") || receive_has_hook(s, "proc-receive") ||
	       receive_has_hook(s, "push-to-checkout") || s->config.deny_current_branch == DENY_UPDATE_INSTEAD;
}

/* From here on the objects are in the operation. */
static int stage_objects(struct receive_server *s, struct quarantine *q, struct repo_operation *op, struct err *err)
{
	int rc = q ? quarantine_stage(q, op, err) : 0;

	if (!rc && q && quarantine_new_shallow(q)->nr)
		rc = receive_stage_shallow(s, quarantine_new_shallow(q), op, err);
	if (!rc && shows_objects(s))
		rc = repo_operation_show_objects(op, err);
	leave_quarantine(s);
	return rc;
}

static int change_refs(struct receive_server *s, struct quarantine *q, struct repo_operation *op,
		       enum push_outcome *out, struct err *err)
{
	int rc = stage_objects(s, q, op, err);

	if (!rc)
		rc = proc_receive_run(s, err);
	if (!rc)
		rc = receive_check_updates(s, err);
	return rc ? rc : receive_update_refs(s, op, out, err);
}

/* Per-ref errors are stored in the commands. Returns < 0 only if the whole push failed. */
static int push(struct receive_server *s, struct quarantine *q, struct repo_operation *op,
		enum push_outcome *out, struct err *err)
{
	int rc = receive_check_names(s, err);

	*out = PUSH_GIVEN_UP;
	cert_check_options(s);
	if (!rc && s->rq.cert.len)
		rc = cert_check(s, op, err);
	if (!rc)
		proc_receive_mark(s);
	if (!rc)
		rc = receive_hook_pre(s, err);
	return rc ? (rc > 0 ? 0 : rc) : change_refs(s, q, op, out, err);
}

static void report_failure(struct receive_server *s, int rc, const struct err *why)
{
	receive_sideband_messagef(s, "error: %s\n", err_message(why));
	push_request_refuse_all(&s->rq, rc == ERR_UNCERTAIN ? "durability unknown" :
				why->sys_errno ? strerror(why->sys_errno) : err_message(why));
}

/* Everything of the push that can fail, up to the seal. */
static void execute(struct receive_server *s, struct quarantine *q)
{
	struct repo_operation *op = repo_operation_begin(s->repo);
	enum push_outcome outcome;
	struct err why = ERR_INIT;
	int rc = push(s, q, op, &outcome, &why);

	if (rc < 0)
		report_failure(s, rc, &why);
	if (outcome == PUSH_GIVEN_UP)
		receive_give_up(s, op);
	repo_operation_free(op);
	err_release(&why);
}

/* The connection ends with it, where there are bands. */
static int end_bands(struct receive_server *s, struct err *err)
{
	if (s->rq.mode == SIDEBAND_NONE || s->client_gone)
		return 0;
	pkt_writer_flush(&s->out);
	return pkt_writer_send(&s->out, err);
}

static int serve_push(struct receive_server *s, struct err *err)
{
	struct quarantine *q = NULL;
	struct err why = ERR_INIT;
	bool unpacked = true;
	int rc;

	s->sent_ms = monotonic_ms();
	if (needs_pack(&s->rq))
		unpacked = quarantine_receive(s, &q, &why) == 0;
	if (unpacked)
		execute(s, q);
	else
		push_request_refuse_all(&s->rq, "unpacker error");
	quarantine_free(&q);
	rc = receive_report(s, unpacked ? NULL : err_message(&why), err);
	s->client_gone |= rc < 0;
	receive_hooks_post(s);
	receive_upkeep(s);
	err_release(&why);
	return rc ? rc : end_bands(s, err);
}

/* There is room for it before the report has begun. */
static void report_to_pusher(struct receive_server *s, const struct err *why)
{
	pkt_writer_reset(&s->out);
	if (s->client_gone || s->in.hung_up || pkt_writer_failed(&s->out))
		return;
	pkt_writer_addf(&s->out, "ERR %.1000s", err_message(why));
	(void)!pkt_writer_send(&s->out, NULL);
}

/* Hooks of others' (reference-transaction) speak to the client, too. */
static int run_hook(void *data, struct child_process *cp, const char *in, size_t in_len, struct err *err)
{
	return receive_run(data, cp, in, in_len, err);
}

int receive_pack_serve(struct repository *r, const struct receive_pack_options *o, struct err *err)
{
	struct receive_server s;
	struct err why = ERR_INIT;
	int rc;

	repo_ignore_replacements(r);
	rc = receive_server_init(&s, r, o, &why);
	r->hook_runner = (struct repo_hook_runner){ run_hook, &s };
	if (!rc)
		tmp_objdir_reap(r->objdir);
	if (!rc && (o->advertise_only || !o->stateless_rpc))
		rc = receive_advertise(&s, &why);
	if (!rc && !o->advertise_only)
		rc = receive_read_request(&s, &why);
	if (rc < 0)
		report_to_pusher(&s, &why);
	else if (rc > 0)
		rc = serve_push(&s, &why);
	err_move(err, &why);
	err_release(&why);
	r->hook_runner.fn = NULL;
	receive_server_release(&s);
	return rc;
}

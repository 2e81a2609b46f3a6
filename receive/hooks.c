/* SPDX-License-Identifier: GPL-2.0-only */
/* githooks(5): pre-receive, update, post-receive, post-update. */
#include "compat/posix.h"
#include "receive/receive.h"
#include "repo/hook.h"
#include "util/alloc.h"

bool receive_has_hook(struct receive_server *s, const char *name)
{
	return repo_has_hook(s->repo, name);
}

/* Runs a hook. Returns its exit code, 0 if there is no such hook, or < 0. */
static int run_named_hook(struct receive_server *s, const char *name, const struct strvec *args, const struct strbuf *in,
			  struct err *err)
{
	struct child_process cp = CHILD_PROCESS_INIT;
	char *path = repo_find_hook(s->repo, name);

	if (!path)
		return 0;
	strvec_push(&cp.args, path);
	if (args)
		strvec_pushv(&cp.args, args->v);
	strvec_pushv(&cp.env, s->hook_env.v);
	free(path);
	return receive_run(s, &cp, in ? in->buf : NULL, in ? in->len : 0, err);
}

static void add_hook_line(struct strbuf *in, const struct object_id *old_oid, const struct object_id *new_oid, const char *name)
{
	strbuf_add_oid(in, old_oid);
	strbuf_addch(in, ' ');
	strbuf_add_oid(in, new_oid);
	strbuf_addf(in, " %s\n", name);
}

static bool is_heard_of(const struct push_command *c)
{
	return !c->error && !c->did_not_exist;
}

int receive_hook_pre(struct receive_server *s, struct err *err)
{
	struct strbuf in = STRBUF_INIT;
	int rc = 0;

	for (size_t i = 0; i < s->rq.nr; i++)
		if (is_heard_of(&s->rq.commands[i]))
			add_hook_line(&in, &s->rq.commands[i].old_oid, &s->rq.commands[i].new_oid, s->rq.commands[i].name);
	if (in.len)
		rc = run_named_hook(s, "pre-receive", NULL, &in, err);
	strbuf_release(&in);
	if (rc <= 0)
		return rc;
	push_request_refuse_all(&s->rq, "pre-receive hook declined");
	return 1;
}

int receive_hook_update(struct receive_server *s, struct push_command *c, struct err *err)
{
	struct strvec args = STRVEC_INIT;
	int rc;

	strvec_push(&args, c->name);
	strvec_push(&args, oid_hex(&c->old_oid));
	strvec_push(&args, oid_hex(&c->new_oid));
	rc = run_named_hook(s, "update", &args, NULL, err);
	strvec_clear(&args);
	if (rc > 0) {
		receive_sideband_messagef(s, "error: hook declined to update %s\n", c->name);
		push_command_refuse(c, "hook declined");
	}
	return rc < 0 ? rc : 0;
}

/* Uses the results that proc-receive reported in place of the command. */
static void add_done(struct strbuf *in, const struct push_command *c)
{
	if (!c->reports.nr)
		add_hook_line(in, &c->old_oid, &c->new_oid, c->name);
	for (size_t i = 0; i < c->reports.nr; i++) {
		const struct push_report *r = &c->reports.items[i];

		add_hook_line(in, r->has_old ? &r->old_oid : &c->old_oid, r->has_new ? &r->new_oid : &c->new_oid,
			      r->name ? r->name : c->name);
	}
}

static void report_hook_failure(struct receive_server *s, int rc, struct err *why)
{
	if (rc < 0)
		receive_sideband_messagef(s, "error: %s\n", err_message(why));
	err_release(why);
}

void receive_hooks_post(struct receive_server *s)
{
	struct strvec args = STRVEC_INIT;
	struct strbuf in = STRBUF_INIT;
	struct err why = ERR_INIT;

	for (size_t i = 0; i < s->rq.nr; i++) {
		const struct push_command *c = &s->rq.commands[i];

		if (!is_heard_of(c))
			continue;
		add_done(&in, c);
		strvec_push(&args, c->name);
	}
	if (in.len) {
		report_hook_failure(s, run_named_hook(s, "post-receive", NULL, &in, &why), &why);
		report_hook_failure(s, run_named_hook(s, "post-update", &args, NULL, &why), &why);
	}
	strvec_clear(&args);
	strbuf_release(&in);
}

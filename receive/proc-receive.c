/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Refs that the host's hook takes over: githooks(5), proc-receive; receive.procReceiveRefs. The conversation is in
 * pkt-lines: versions, commands, push options; then its report.
 */
#include "compat/posix.h"
#include <pthread.h>
#include "receive/receive.h"
#include "repo/hook.h"
#include "util/alloc.h"
#include "util/map.h"
#include "util/path.h"
#include "util/workers.h"
#include "write-or-die.h"

#define LINES_MAX 8000000u

/* ---- which refs ---- */

/* "PREFIX", "adm:PREFIX", "!:PREFIX": of which kinds of commands, and whether the prefix must not be there. */
struct rule {
	bool create, delete, modify, negated;
	const char *prefix;
};

static bool is_letters(const char *text, const char *end)
{
	for (; text < end; text++)
		if (!strchr("adm!", *text))
			return false;
	return true;
}

static struct rule parse_rule(const char *text)
{
	const char *colon = strchr(text, ':');
	struct rule r = { .prefix = text };

	if (colon && is_letters(text, colon)) {
		r.prefix = colon + 1;
		for (; text < colon; text++) {
			r.create |= *text == 'a';
			r.delete |= *text == 'd';
			r.modify |= *text == 'm';
			r.negated |= *text == '!';
		}
	}
	if (!r.create && !r.delete && !r.modify)
		r.create = r.delete = r.modify = true;
	return r;
}

static bool applies(const struct rule *r, const struct push_command *c)
{
	bool kind = push_command_is_delete(c) ? r->delete : oid_is_null(&c->old_oid) ? r->create : r->modify;

	return kind && (*r->prefix && path_inside(c->name, r->prefix)) != r->negated;
}

void proc_receive_mark(struct receive_server *s)
{
	const struct strvec *rules = &s->config.proc_receive_refs;

	for (size_t i = 0; i < s->rq.nr; i++)
		for (size_t k = 0; k < rules->nr && !s->rq.commands[i].error && !s->rq.commands[i].proc_receive; k++) {
			struct rule r = parse_rule(rules->v[k]);

			s->rq.commands[i].proc_receive = applies(&r, &s->rq.commands[i]);
		}
}

/* ---- the conversation ---- */

struct talk {
	struct receive_server *s;
	struct pkt_reader in;
	struct pkt_writer out;
	int fd; /* of it */
	bool push_options; /* the hook accepts push options */
	struct strmap by_name; /* the commands that the hook gets */
	struct push_command *now; /* the command to which the option lines belong */
	struct strbuf words; /* messages for the client; sent after the hook, which also writes to it, has ended */
};

static void send_version(struct talk *t)
{
	struct strbuf *line = pkt_writer_begin(&t->out);

	strbuf_addstr(line, "version=1");
	if (t->s->rq.has_push_options || t->s->rq.atomic)
		strbuf_addch(line, '\0');
	if (t->s->rq.has_push_options)
		strbuf_addstr(line, t->s->rq.atomic ? "push-options " : "push-options");
	if (t->s->rq.atomic)
		strbuf_addstr(line, "atomic");
	strbuf_addch(line, '\n');
	pkt_writer_end(&t->out);
	pkt_writer_flush(&t->out);
}

static int read_version(struct talk *t, struct err *err)
{
	int kind, version = 0;

	while ((kind = pkt_reader_line(&t->in, err)) == PKT_DATA) {
		const char *value, *words = t->in.line + strlen(t->in.line);

		if (skip_prefix(t->in.line, "version=", &value))
			version = atoi(value);
		if (words < t->in.line + t->in.len)
			t->push_options |= strstr(words + 1, "push-options") != NULL;
	}
	if (kind < 0)
		return kind;
	if (version != 0 && version != 1)
		return err_set(err, ERR_UNSUPPORTED, "proc-receive version '%d' is not supported", version);
	return kind == PKT_FLUSH ? 0 : err_set(err, ERR_CORRUPT, "proc-receive hung up");
}

/* In packets. */
static void list_commands(const struct talk *t, struct strbuf *out)
{
	const struct push_request *rq = &t->s->rq;

	for (size_t i = 0; i < rq->nr; i++) {
		const struct push_command *c = &rq->commands[i];

		if (!c->proc_receive || c->error)
			continue;
		strbuf_addf(out, "%04zx", 4 + 2 * (t->s->repo->algo->hex_len + 1) + strlen(c->name));
		strbuf_add_oid(out, &c->old_oid);
		strbuf_addch(out, ' ');
		strbuf_add_oid(out, &c->new_oid);
		strbuf_addf(out, " %s", c->name);
	}
	strbuf_addstr(out, "0000");
	if (!t->push_options || !rq->has_push_options)
		return;
	for (size_t i = 0; i < rq->push_options.nr; i++)
		strbuf_addf(out, "%04zx%s", 4 + strlen(rq->push_options.v[i]), rq->push_options.v[i]);
	strbuf_addstr(out, "0000");
}

/* ---- its report ---- */

static void take_option(struct talk *t, const char *text)
{
	struct push_command *c = t->now;

	if (!c) {
		strbuf_addstr(&t->words, "error: proc-receive reported 'option' without a matching 'ok/ng' directive\n");
		return;
	}
	if (!strcmp(text, "fall-through")) {
		c->proc_receive = c->answered = false; /* the transaction updates it */
		return;
	}
	push_reports_take_option(&c->reports, text, t->s->repo->algo);
}

static void complain(struct talk *t, const char *what, const char *line)
{
	strbuf_addf(&t->words, "error: proc-receive reported %s: %.1000s\n", what, line);
}

/* Parses "ok REF", "ng REF REASON", "option …". Ignores lines about other refs. */
static void take_report_line(struct talk *t, char *line)
{
	const char *rest;
	char *reason = NULL;
	bool ok;

	if (skip_prefix(line, "option ", &rest)) {
		take_option(t, rest);
		return;
	}
	ok = skip_prefix(line, "ok ", &rest);
	if (!ok && !skip_prefix(line, "ng ", &rest)) {
		complain(t, "incomplete status line", line);
		return;
	}
	if (!ok && (reason = strchr(line + (rest - line), ' ')))
		*reason++ = '\0';
	t->now = strmap_get(&t->by_name, rest);
	if (!t->now) {
		complain(t, "status on unknown ref", rest);
		return;
	}
	push_reports_close(&t->now->reports);
	t->now->answered = true;
	if (!ok)
		push_command_refuse(t->now, "%s", reason && *reason ? reason : "failed");
}

static int read_report(struct talk *t, struct err *err)
{
	int kind;
	size_t nr = 0;

	while ((kind = pkt_reader_line(&t->in, err)) == PKT_DATA) {
		if (++nr > LINES_MAX)
			return err_set(err, ERR_TOO_BIG, "proc-receive reports without an end");
		take_report_line(t, t->in.line);
	}
	if (kind < 0)
		return kind;
	return kind == PKT_FLUSH ? 0 : err_set(err, ERR_CORRUPT, "proc-receive did not finish its report");
}

/* ---- all of it ---- */

/* Results that the hook reported before it failed count. */
static void refuse_unanswered(struct talk *t, const char *why)
{
	for (size_t i = 0; i < t->s->rq.nr; i++) {
		struct push_command *c = &t->s->rq.commands[i];

		if (c->proc_receive && !c->answered)
			push_command_refuse(c, "%s", why);
	}
}

/* A hook may send results before it has read all its input. */
struct saying {
	int fd;
	struct strbuf text;
	struct err err;
	int rc;
};

static void *say_commands(void *data)
{
	struct saying *s = data;

	s->rc = write_in_full(s->fd, s->text.buf, s->text.len, "the commands for proc-receive", &s->err);
	return NULL;
}

static int say_and_hear(struct talk *t, struct err *err)
{
	struct saying s = { .fd = t->fd, .text = STRBUF_INIT, .err = ERR_INIT };
	pthread_t thread;
	int rc;

	list_commands(t, &s.text);
	if (start_thread(&thread, say_commands, &s)) {
		rc = read_report(t, err);
		pthread_join(thread, NULL);
	} else {
		rc = err_set(err, ERR_GENERIC, "cannot start a thread");
	}
	if (!rc && s.rc < 0) {
		rc = s.rc;
		err_move(err, &s.err);
	}
	err_release(&s.err);
	strbuf_release(&s.text);
	return rc;
}

static int converse(struct talk *t, struct err *err)
{
	int rc;

	send_version(t);
	rc = pkt_writer_send(&t->out, err);
	if (!rc)
		rc = read_version(t, err);
	return rc ? rc : say_and_hear(t, err);
}

static int run_proc_receive(struct receive_server *s, char *path, struct err *err)
{
	struct child_process cp = CHILD_PROCESS_INIT;
	struct talk t = { .s = s, .words = STRBUF_INIT };
	struct receive_talk *hook;
	struct err why = ERR_INIT;
	int rc, code;

	strvec_push(&cp.args, path);
	strvec_pushv(&cp.env, s->hook_env.v);
	rc = receive_talk_begin(s, &cp, &hook, err);
	if (rc < 0)
		return rc;
	pkt_reader_init(&t.in, cp.out);
	pkt_writer_init(&t.out, cp.in);
	t.fd = cp.in;
	strmap_init(&t.by_name);
	for (size_t i = 0; i < s->rq.nr; i++)
		if (s->rq.commands[i].proc_receive)
			strmap_put(&t.by_name, s->rq.commands[i].name, &s->rq.commands[i]);
	rc = converse(&t, &why);
	code = receive_talk_end(hook);
	receive_sideband_message(s, t.words.buf, t.words.len);
	if (rc < 0)
		receive_sideband_messagef(s, "error: %s\n", err_message(&why));
	if (rc < 0 || code)
		refuse_unanswered(&t, "fail to run proc-receive hook");
	refuse_unanswered(&t, "proc-receive failed to report status");
	strmap_clear(&t.by_name, NULL);
	strbuf_release(&t.words);
	pkt_reader_release(&t.in);
	pkt_writer_release(&t.out);
	err_release(&why);
	return 0;
}

int proc_receive_run(struct receive_server *s, struct err *err)
{
	bool any = false;
	char *path;
	int rc;

	for (size_t i = 0; i < s->rq.nr; i++)
		any |= s->rq.commands[i].proc_receive && !s->rq.commands[i].error;
	if (!any)
		return 0;
	path = repo_find_hook(s->repo, "proc-receive");
	if (!path) {
		struct talk t = { .s = s };

		receive_sideband_messagef(s, "error: cannot find hook 'proc-receive'\n");
		refuse_unanswered(&t, "fail to run proc-receive hook");
		return 0;
	}
	rc = run_proc_receive(s, path, err);
	free(path);
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The client of receive-pack. It sends commands and the pack, while a thread reads the answer. So neither side waits for
 * the other, however much both send.
 */
#include "compat/posix.h"
#include <pthread.h>
#include <sys/socket.h>
#include "history/history.h"
#include "transport/push/push-internal.h"
#include "util/alloc.h"
#include "util/workers.h"
#include "wire/version.h"
#include "write-or-die.h"

#define REPORT_BYTES_MAX ((size_t)64 * 1024 * 1024)
#define REPORT_BYTES_PER_REF ((size_t)8192)

/* ---- begin and end ---- */

int push_session_open(struct push_session **out, struct connection *c, const struct push_session_options *o,
		      struct err *err)
{
	const struct fetch_session_options fo = { .algo = o->algo, .config = o->config, .url = o->url, .tell = o->tell,
						  .data = o->data };
	struct push_session *s;
	int rc;

	CALLOC_ARRAY(s, 1);
	s->o = *o;
	rc = fetch_session_open(&s->f, c, &fo, err);
	if (!rc && s->f->version == 2)
		rc = fetch_session_end(s->f, err_set(err, ERR_UNSUPPORTED, "support for protocol v2 not implemented yet"), err);
	if (rc < 0) {
		free(s);
		return rc;
	}
	*out = s;
	return 0;
}

const struct remote_refs *push_session_refs(const struct push_session *s)
{
	return &s->f->refs;
}

bool push_session_can(const struct push_session *s, const char *capability)
{
	return session_capability(s->f, capability) != NULL;
}

int push_session_end(struct push_session *s, int rc, struct err *err)
{
	if (!s)
		return rc;
	rc = fetch_session_end(s->f, rc, err);
	free(s);
	return rc;
}

/* ---- what goes out ---- */

/* The bytes of a request; over http they travel in packets to the helper, whose end is a packet of its own. */
struct output {
	int fd;
	bool framed;
};

static int write_framed(struct output *o, const char *p, size_t len, struct err *err)
{
	while (len) {
		size_t n = len < PKT_PAYLOAD_MAX ? len : PKT_PAYLOAD_MAX;
		char head[5];
		struct iovec iov[2] = { { head, 4 }, { (void *)p, n } };
		int rc;

		snprintf(head, sizeof(head), "%04zx", n + 4);
		rc = writev_to_peer(o->fd, iov, 2, 0, "the request", err);
		if (rc < 0)
			return rc;
		p += n;
		len -= n;
	}
	return 0;
}

static int write_output(void *data, const void *p, size_t len, struct err *err)
{
	struct output *o = data;

	return o->framed ? write_framed(o, p, len, err) : write_to_peer(o->fd, p, len, 0, "the request", err);
}

struct sending {
	struct push_session *s;
	struct repository *r;
	const struct push_request_options *o;
	struct push_list *list;
	struct output out;
	struct strbuf head; /* commands and options, in packets */
	bool needs_pack;
};

/* ---- commands ---- */

static bool is_sent(const struct push_update *u)
{
	return u->status == PUSH_PENDING;
}

static void add_push_capability(const struct sending *q, struct strbuf *out, bool wanted, const char *word)
{
	if (wanted && push_session_can(q->s, word))
		strbuf_addf(out, " %s", word);
}

static void add_push_capabilities(const struct sending *q, struct strbuf *out)
{
	add_push_capability(q, out, true, "report-status-v2");
	add_push_capability(q, out, !push_session_can(q->s, "report-status-v2"), "report-status");
	add_push_capability(q, out, true, "side-band-64k");
	add_push_capability(q, out, q->o->quiet, "quiet");
	add_push_capability(q, out, q->o->atomic, "atomic");
	add_push_capability(q, out, q->o->push_options && q->o->push_options->nr, "push-options");
	if (push_session_can(q->s, "object-format"))
		strbuf_addf(out, " object-format=%s", q->s->f->algo->name);
	if (session_own_id(q->s->f))
		strbuf_addf(out, " session-id=%s", session_own_id(q->s->f));
	if (push_session_can(q->s, "agent")) {
		strbuf_addstr(out, " agent=");
		append_agent(out);
	}
}

/* "OLD NEW NAME\n" each. */
static void list_commands(struct sending *q, struct strbuf *out)
{
	for (size_t i = 0; i < q->list->nr; i++) {
		const struct push_update *u = &q->list->items[i];

		if (!is_sent(u))
			continue;
		strbuf_add_oid(out, &u->old_oid);
		strbuf_addch(out, ' ');
		strbuf_add_oid(out, &u->new_oid);
		strbuf_addf(out, " %s\n", u->dst);
		q->needs_pack |= !oid_is_null(&u->new_oid);
	}
}

/* A packet for each line; caps go behind the first. */
static void add_command_lines(struct pkt_writer *w, const char *text, const struct strbuf *caps)
{
	while (*text) {
		size_t len = strcspn(text, "\n");
		struct strbuf *line = pkt_writer_begin(w);

		strbuf_add(line, text, len);
		if (caps) {
			strbuf_addch(line, '\0');
			strbuf_add(line, caps->buf, caps->len);
		}
		caps = NULL;
		pkt_writer_end(w);
		text += len + !!text[len];
	}
}

static void add_cert(struct pkt_writer *w, const struct strbuf *cert, const struct strbuf *caps)
{
	struct strbuf *line = pkt_writer_begin(w);

	strbuf_addstr(line, "push-cert");
	strbuf_addch(line, '\0');
	strbuf_add(line, caps->buf, caps->len);
	pkt_writer_end(w);
	for (const char *at = cert->buf; *at;) {
		size_t len = strcspn(at, "\n");

		len += at[len] == '\n';
		pkt_writer_add(w, at, len);
		at += len;
	}
	pkt_writer_addf(w, "push-cert-end\n");
}

/* "shallow OID" lines, if this repository is shallow. */
static int add_shallow_lines(const struct sending *q, struct pkt_writer *w, struct err *err)
{
	struct oid_array boundary = OID_ARRAY_INIT;
	int rc = repo_shallow_boundary(q->r, &boundary, err);

	for (size_t i = 0; !rc && i < boundary.nr; i++)
		pkt_writer_addf(w, "shallow %s", oid_hex(&boundary.oid[i]));
	oid_array_clear(&boundary);
	return rc;
}

static int sign(struct sending *q, const struct strbuf *commands, struct strbuf *cert, struct err *err)
{
	const char *nonce = session_capability(q->s->f, "push-cert");

	if (q->o->sign == PUSH_SIGNED_NEVER || (q->o->sign == PUSH_SIGNED_IF_ASKED && !nonce))
		return 0;
	return push_cert_make(q->s, q->r, q->o, nonce, commands, cert, err);
}

static int compose(struct sending *q, struct err *err)
{
	struct strbuf commands = STRBUF_INIT, caps = STRBUF_INIT, cert = STRBUF_INIT;
	struct pkt_writer w;
	int rc;

	pkt_writer_init(&w, -1);
	list_commands(q, &commands);
	add_push_capabilities(q, &caps);
	rc = sign(q, &commands, &cert, err);
	if (!rc)
		rc = add_shallow_lines(q, &w, err);
	if (!rc && cert.len)
		add_cert(&w, &cert, &caps);
	else if (!rc)
		add_command_lines(&w, commands.buf, &caps);
	pkt_writer_flush(&w);
	if (q->o->push_options && q->o->push_options->nr) {
		for (size_t i = 0; i < q->o->push_options->nr; i++)
			pkt_writer_addf(&w, "%s", q->o->push_options->v[i]);
		pkt_writer_flush(&w);
	}
	if (!rc && pkt_writer_failed(&w))
		rc = err_set(err, ERR_TOO_BIG, "%s", err_message(&w.failure));
	strbuf_swap(&q->head, &w.buf);
	pkt_writer_release(&w);
	strbuf_release(&commands);
	strbuf_release(&caps);
	strbuf_release(&cert);
	return rc;
}

/* ---- the pack ---- */

static int write_pack(struct sending *q, struct err *err)
{
	const struct pack_sink sink = { .write = write_output, .data = &q->out };
	struct oid_array wants = OID_ARRAY_INIT, haves = OID_ARRAY_INIT;
	struct push_pack p = { .r = q->r, .o = q->o, .wants = &wants, .haves = &haves,
			       .ofs_delta = push_session_can(q->s, "ofs-delta") };
	int rc;

	for (size_t i = 0; i < q->list->nr; i++)
		if (is_sent(&q->list->items[i]) && !oid_is_null(&q->list->items[i].new_oid))
			oid_array_append(&wants, &q->list->items[i].new_oid);
	for (size_t i = 0; i < q->s->f->refs.nr; i++)
		if (!oid_is_null(&q->s->f->refs.items[i].oid))
			oid_array_append(&haves, &q->s->f->refs.items[i].oid);
	for (size_t i = 0; i < q->s->f->advertised.nr; i++)
		oid_array_append(&haves, &q->s->f->advertised.oid[i]);
	oid_array_sort_unique(&wants);
	oid_array_sort_unique(&haves);
	rc = push_pack_write(&p, &sink, err);
	oid_array_clear(&wants);
	oid_array_clear(&haves);
	return rc;
}

static int write_request(struct sending *q, struct err *err)
{
	int rc = write_output(&q->out, q->head.buf, q->head.len, err);

	if (!rc && q->needs_pack)
		rc = write_pack(q, err);
	if (!rc && q->out.framed)
		rc = write_to_peer(q->out.fd, "0002", 4, 0, "the request", err);
	return rc;
}

/* ---- both at once ---- */

static void *read_report_thread(void *data)
{
	push_answer_read(data);
	return NULL;
}

/* The request cannot be finished: close the connection, so that the server does not wait for the rest. */
static void hang_up(struct connection *c)
{
	if (c->in != c->out) {
		close(c->out);
		c->out = -1;
	} else {
		shutdown(c->out, SHUT_WR);
	}
}

static bool expects_answer(const struct push_session *s)
{
	return push_session_can(s, "report-status") || push_session_can(s, "report-status-v2") ||
	       push_session_can(s, "side-band-64k");
}

/*
 * An error that the server reports counts more than our own failure to write. If the server has reported all refs, it need not have
 * read all of the pack.
 */
static int exchange_push(struct sending *q, struct push_answer *a, struct err *err)
{
	struct err why = ERR_INIT;
	pthread_t reader;
	int rc;

	if (!expects_answer(q->s))
		return write_request(q, err);
	if (!start_thread(&reader, read_report_thread, a))
		return err_set(err, ERR_GENERIC, "cannot start a thread");
	rc = write_request(q, &why);
	if (rc < 0)
		hang_up(q->s->f->c);
	pthread_join(reader, NULL);
	if (a->rc && (rc != ERR_IO || a->rc != ERR_IO) && !(rc && rc != ERR_IO)) {
		err_release(&why);
		err_move(err, &a->err);
		return a->rc;
	}
	if (!rc)
		rc = a->rc;
	err_move(err, &why);
	err_move(err, &a->err);
	return rc;
}

static void set_status_without_report(struct push_list *l, enum push_status status)
{
	for (size_t i = 0; i < l->nr; i++)
		if (l->items[i].status == PUSH_EXPECTING_REPORT)
			l->items[i].status = status;
}

static void expect_report(struct push_list *l)
{
	for (size_t i = 0; i < l->nr; i++)
		if (is_sent(&l->items[i]))
			l->items[i].status = PUSH_EXPECTING_REPORT;
}

static int transact(struct sending *q, struct err *err)
{
	struct push_session *s = q->s;
	struct push_answer a = { .s = s, .bands = push_session_can(s, "side-band-64k"), .report = STRBUF_INIT,
				 .max_bytes = REPORT_BYTES_MAX + q->list->nr * REPORT_BYTES_PER_REF };
	bool reports = push_session_can(s, "report-status") || push_session_can(s, "report-status-v2");
	int rc = compose(q, err);

	if (rc < 0)
		return rc;
	s->f->over = true;
	rc = exchange_push(q, &a, err);
	expect_report(q->list);
	if (!rc && reports)
		rc = push_answer_take(&a, q->list, err);
	else if (!rc)
		set_status_without_report(q->list, PUSH_OK);
	if (!rc)
		rc = session_end_answer(s->f, err);
	strbuf_release(&a.report);
	err_release(&a.err);
	return rc;
}

/* ---- the request, and the capabilities of the server ---- */

static int check_support(const struct push_session *s, const struct push_request_options *o, struct err *err)
{
	if (o->atomic && !push_session_can(s, "atomic"))
		return err_set(err, ERR_UNSUPPORTED, "the receiving end does not support --atomic push");
	if (o->push_options && o->push_options->nr && !push_session_can(s, "push-options"))
		return err_set(err, ERR_UNSUPPORTED, "the receiving end does not support push options");
	if (o->sign == PUSH_SIGNED_ALWAYS && !session_capability(s->f, "push-cert"))
		return err_set(err, ERR_UNSUPPORTED, "the receiving end does not support --signed push");
	return 0;
}

/* 1: something is to be sent. */
static bool reject_unsupported(const struct push_session *s, const struct push_request_options *o, struct push_list *l)
{
	bool any = false;

	for (size_t i = 0; i < l->nr; i++) {
		struct push_update *u = &l->items[i];

		if (u->status == PUSH_PENDING && oid_is_null(&u->new_oid) && !push_session_can(s, "delete-refs") &&
		    s->f->c->kind != CONNECTION_HELPER)
			u->status = PUSH_REJECT_NO_DELETE;
	}
	if (o->atomic)
		push_list_fail_atomic(l);
	for (size_t i = 0; i < l->nr; i++)
		any |= is_sent(&l->items[i]);
	return any;
}

int push_session_send(struct push_session *s, struct repository *r, const struct push_request_options *o,
		      struct push_list *l, struct err *err)
{
	struct sending q = { .s = s, .r = r, .o = o, .list = l, .head = STRBUF_INIT,
			     .out = { s->f->c->out, s->f->c->kind == CONNECTION_STATELESS } };
	bool by_helper = s->f->c->kind == CONNECTION_HELPER;
	int rc = by_helper ? 0 : check_support(s, o, err);

	if (rc < 0 || !reject_unsupported(s, o, l))
		return rc;
	if (by_helper)
		rc = push_by_helper(s, o, l, err);
	else if (o->dry_run)
		for (size_t i = 0; i < l->nr; i++)
			l->items[i].status = is_sent(&l->items[i]) ? PUSH_OK : l->items[i].status;
	else
		rc = transact(&q, err);
	strbuf_release(&q.head);
	return rc;
}

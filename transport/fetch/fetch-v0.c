/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A fetch by versions 0 and 1: gitprotocol-pack(5), gitprotocol-capabilities(5). The server keeps the wants and haves of
 * earlier requests. Over http (gitprotocol-http(5)) it does not: each request repeats them, and the answer begins anew.
 */
#include "compat/posix.h"
#include "transport/fetch/fetch-internal.h"
#include "wire/version.h"

/*
 * Haves of one round. The server answers each one at once, while we are still writing. So a round must be small enough that
 * neither side fills a pipe while the other side does not read it.
 */
#define HAVES_MAX 256u

enum acks { ACKS_SIMPLE, ACKS_MULTI, ACKS_DETAILED };

static bool is_stateless(const struct fetch_task *t)
{
	return t->s->c->kind == CONNECTION_STATELESS;
}

/* ---- the request ---- */

static int need(struct fetch_task *t, const char *capability, const char *what, struct err *err)
{
	return session_capability(t->s, capability) ? 0
		: err_set(err, ERR_UNSUPPORTED, "Server does not support %s", what);
}

static int check_capabilities(struct fetch_task *t, struct err *err)
{
	const struct fetch_wanted *w = t->w;
	int rc = 0;

	/* Without sideband, nothing separates the end of the pack from the bytes after it. */
	if (is_stateless(t) && !session_capability(t->s, "side-band-64k") && !session_capability(t->s, "side-band"))
		return err_set(err, ERR_UNSUPPORTED, "Server does not support side-band, which http needs");
	if (w->negotiate_only || (w->refs && w->refs->nr))
		return err_set(err, ERR_UNSUPPORTED, "the server does not support version 2 of the protocol, "
			       "which is needed for this");
	if (w->depth || t->boundary.nr)
		rc = need(t, "shallow", "shallow clients", err);
	if (!rc && w->deepen_since)
		rc = need(t, "deepen-since", "--shallow-since", err);
	if (!rc && w->deepen_not && w->deepen_not->nr)
		rc = need(t, "deepen-not", "--shallow-exclude", err);
	if (!rc && w->deepen_relative)
		rc = need(t, "deepen-relative", "--deepen", err);
	return rc;
}

static void add_word(struct fetch_task *t, struct strbuf *out, bool wanted, const char *name)
{
	if (wanted && session_capability(t->s, name))
		strbuf_addf(out, " %s", name);
}

/* Add the capabilities that we use and the server has. */
static void add_v0_capabilities(struct fetch_task *t, enum acks *acks, struct strbuf *out)
{
	const struct fetch_wanted *w = t->w;
	struct fetch_session *s = t->s;
	bool large = session_capability(s, "side-band-64k");

	*acks = session_capability(s, "multi_ack_detailed") ? ACKS_DETAILED
		: session_capability(s, "multi_ack") ? ACKS_MULTI : ACKS_SIMPLE;
	add_word(t, out, *acks == ACKS_DETAILED, "multi_ack_detailed");
	add_word(t, out, *acks == ACKS_MULTI, "multi_ack");
	add_word(t, out, large, "side-band-64k");
	add_word(t, out, !large, "side-band");
	s->raw = !large && !session_capability(s, "side-band");
	add_word(t, out, w->deepen_relative, "deepen-relative");
	add_word(t, out, w->thin, "thin-pack");
	add_word(t, out, w->quiet, "no-progress");
	add_word(t, out, w->include_tag, "include-tag");
	add_word(t, out, true, "ofs-delta");
	add_word(t, out, w->deepen_since != 0, "deepen-since");
	add_word(t, out, w->deepen_not && w->deepen_not->nr, "deepen-not");
	add_word(t, out, w->filter && w->filter->nr, "filter");
	if (session_capability(s, "object-format"))
		strbuf_addf(out, " object-format=%s", s->algo->name);
	if (session_own_id(s))
		strbuf_addf(out, " session-id=%s", session_own_id(s));
	if (session_capability(s, "agent")) {
		strbuf_addstr(out, " agent=");
		append_agent(out);
	}
}

static void add_v0_wants(struct fetch_task *t, enum acks *acks)
{
	const struct oid_array *wants = t->w->oids;
	struct pkt_writer *out = &t->s->out;
	struct strbuf words = STRBUF_INIT;

	add_v0_capabilities(t, acks, &words);
	for (size_t i = 0; i < wants->nr; i++)
		pkt_writer_addf(out, "want %s%s\n", oid_hex(&wants->oid[i]), i ? "" : words.buf);
	strbuf_release(&words);
	fetch_add_shallow(t);
	fetch_add_filter(t, session_capability(t->s, "filter"));
	pkt_writer_flush(out);
}

/* Read the server's shallow and unshallow lines, if the boundary moves. A stateless server repeats them. */
static int read_shallow(struct fetch_task *t, struct err *err)
{
	const char *line;
	size_t nr = 0;
	int kind = 0, rc = 1;

	if (!fetch_wanted_deepens(t->w))
		return 0;
	while (rc > 0 && (kind = session_line(t->s, &line, err)) == PKT_DATA) {
		if (++nr > FETCH_LINES_MAX)
			return err_set(err, ERR_TOO_BIG, "an answer without an end");
		rc = fetch_take_shallow(t, line, err);
		if (!rc)
			return err_set(err, ERR_CORRUPT, "expected shallow/unshallow, got %s", line);
	}
	if (rc < 0 || kind < 0)
		return rc < 0 ? rc : kind;
	return kind == PKT_FLUSH ? 0 : err_set(err, ERR_CORRUPT, "expected shallow/unshallow");
}

/* If the boundary moves, a server that keeps its state sends the changes before it reads haves. */
static int exchange_boundary(struct fetch_task *t, struct err *err)
{
	int rc;

	if (fetch_wanted_deepens(t->w)) {
		if (is_stateless(t))
			return 0;
		rc = pkt_writer_send(&t->s->out, err);
		return rc ? rc : read_shallow(t, err);
	}
	/* The server has told its own boundary with its refs. */
	for (size_t i = 0; i < t->s->shallow.nr; i++)
		oid_array_append(&t->shallow, &t->s->shallow.oid[i]);
	return 0;
}

/* ---- acknowledgements ---- */

enum answer { NAK, ACK, ACK_COMMON, ACK_READY };

/* One of these, < 0. */
static int read_ack(struct fetch_task *t, struct object_id *oid, struct err *err)
{
	const char *line, *rest;
	int kind = session_line(t->s, &line, err);

	if (kind < 0)
		return kind;
	if (kind != PKT_DATA)
		return err_set(err, ERR_CORRUPT, "git fetch-pack: expected ACK/NAK, got a flush packet");
	if (!strcmp(line, "NAK"))
		return NAK;
	if (skip_prefix(line, "ACK ", &rest) && !oid_parse_hex(oid, rest, t->s->algo, &rest)) {
		if (!*rest)
			return ACK;
		if (!strcmp(rest, " continue") || !strcmp(rest, " common"))
			return ACK_COMMON;
		if (!strcmp(rest, " ready"))
			return ACK_READY;
	}
	return err_set(err, ERR_CORRUPT, "git fetch-pack: expected ACK/NAK, got '%s'", line);
}

/* After a flush packet: all acknowledgements up to the NAK; with simple ones a single line. */
static int read_acks(struct fetch_task *t, struct fetch_round *round, enum acks acks, struct err *err)
{
	struct object_id oid;
	size_t nr = 0;
	int answer, rc = 0;

	while (!rc && (answer = read_ack(t, &oid, err)) != NAK) {
		if (answer < 0)
			return answer;
		if (++nr > FETCH_LINES_MAX)
			return err_set(err, ERR_TOO_BIG, "an answer without an end");
		rc = fetch_take_common(t, round, &oid, err);
		round->ready |= answer == ACK_READY;
		if (acks == ACKS_SIMPLE)
			break;
	}
	return rc;
}

/* Read the last acknowledgement before the pack. Simple acknowledgements have only one, which was read already. */
static int read_last_ack(struct fetch_task *t, const struct fetch_round *round, enum acks acks, struct err *err)
{
	struct object_id oid;
	size_t nr = 0;
	int answer;

	if (acks == ACKS_SIMPLE && round->got_common && !is_stateless(t))
		return 0;
	while ((answer = read_ack(t, &oid, err)) == ACK_COMMON || answer == ACK_READY)
		if (++nr > FETCH_LINES_MAX)
			return err_set(err, ERR_TOO_BIG, "an answer without an end");
	return answer < 0 ? answer : 0;
}

/* The next request repeats only the common objects. */
static int begin_next_request(struct fetch_task *t, struct fetch_round *round, struct err *err)
{
	enum acks same;
	int rc;

	if (!is_stateless(t))
		return 0;
	rc = session_end_answer(t->s, err);
	if (rc < 0)
		return rc;
	add_v0_wants(t, &same);
	for (size_t i = 0; i < round->common.nr; i++)
		pkt_writer_addf(&t->s->out, "have %s\n", oid_hex(&round->common.oid[i]));
	return 0;
}

static int send_round(struct fetch_task *t, struct err *err)
{
	int rc;

	if (!is_stateless(t))
		return pkt_writer_send(&t->s->out, err);
	rc = session_send_request(t->s, err);
	return rc ? rc : read_shallow(t, err);
}

static int negotiate_v0(struct fetch_task *t, enum acks acks, struct err *err)
{
	struct fetch_round round = FETCH_ROUND_INIT;
	unsigned max = is_stateless(t) ? FETCH_HAVES_MAX : HAVES_MAX;
	int rc = 0;

	while (!rc && !round.ready && !(acks == ACKS_SIMPLE && round.got_common)) {
		rc = fetch_add_haves(t, &round, max, err);
		if (rc < 0 || round.done)
			break;
		pkt_writer_flush(&t->s->out);
		rc = send_round(t, err);
		if (!rc)
			rc = read_acks(t, &round, acks, err);
		if (!rc)
			rc = begin_next_request(t, &round, err);
	}
	if (!rc) {
		pkt_writer_addf(&t->s->out, "done\n");
		rc = send_round(t, err);
	}
	if (!rc)
		rc = read_last_ack(t, &round, acks, err);
	fetch_round_release(&round);
	return rc;
}

int fetch_negotiate_v0(struct fetch_task *t, struct err *err)
{
	enum acks acks;
	int rc = check_capabilities(t, err);

	if (rc < 0 || !t->w->oids->nr)
		return rc;
	add_v0_wants(t, &acks);
	rc = exchange_boundary(t, err);
	if (!rc)
		rc = negotiate_v0(t, acks, err);
	t->s->over = true;
	return rc ? rc : 1;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* The command "fetch" of version 2: gitprotocol-v2(5). */
#include "compat/posix.h"
#include "transport/fetch/fetch-internal.h"

/* ---- the request ---- */

static int add_v2_wants(struct fetch_task *t, struct err *err)
{
	const struct fetch_wanted *w = t->w;
	struct pkt_writer *out = &t->s->out;

	for (size_t i = 0; i < w->oids->nr; i++)
		pkt_writer_addf(out, "want %s", oid_hex(&w->oids->oid[i]));
	if (w->refs && w->refs->nr && !session_capability_has(t->s, "fetch", "ref-in-want"))
		return err_set(err, ERR_UNSUPPORTED, "server does not support want-ref");
	for (size_t i = 0; w->refs && i < w->refs->nr; i++)
		pkt_writer_addf(out, "want-ref %s", w->refs->v[i]);
	return 0;
}

static int add_v2_shallow(struct fetch_task *t, struct err *err)
{
	if (!fetch_wanted_deepens(t->w) && !t->boundary.nr)
		return 0;
	if (!session_capability_has(t->s, "fetch", "shallow"))
		return err_set(err, ERR_UNSUPPORTED, "Server does not support shallow requests");
	fetch_add_shallow(t);
	if (t->w->deepen_relative)
		pkt_writer_addf(&t->s->out, "deepen-relative");
	return 0;
}

static int add_haves(struct fetch_task *t, struct fetch_round *round, struct err *err)
{
	/* The server is stateless. */
	for (size_t i = 0; i < round->common.nr; i++)
		pkt_writer_addf(&t->s->out, "have %s", oid_hex(&round->common.oid[i]));
	return fetch_add_haves(t, round, FETCH_HAVES_MAX, err);
}

static int make_request(struct fetch_task *t, struct fetch_round *round, struct err *err)
{
	struct fetch_session *s = t->s;
	const char *protocols = NULL;
	int rc = fetch_uri_protocols(t, &protocols, err);

	if (!rc)
		rc = session_begin_command(s, "fetch", err);
	if (rc < 0)
		return rc;
	if (t->w->thin)
		pkt_writer_addf(&s->out, "thin-pack");
	if (t->w->quiet)
		pkt_writer_addf(&s->out, "no-progress");
	if (t->w->include_tag)
		pkt_writer_addf(&s->out, "include-tag");
	pkt_writer_addf(&s->out, "ofs-delta");
	if (session_capability_has(s, "fetch", "sideband-all"))
		pkt_writer_addf(&s->out, "sideband-all");
	if (protocols)
		pkt_writer_addf(&s->out, "packfile-uris %s", protocols);
	if (t->w->negotiate_only)
		pkt_writer_addf(&s->out, "wait-for-done");
	rc = add_v2_shallow(t, err);
	fetch_add_filter(t, session_capability_has(s, "fetch", "filter"));
	if (!rc && !t->w->negotiate_only)
		rc = add_v2_wants(t, err);
	if (!rc)
		rc = add_haves(t, round, err);
	if (!rc && round->done && !t->w->negotiate_only)
		pkt_writer_addf(&s->out, "done");
	pkt_writer_flush(&s->out);
	return rc;
}

/* ---- the answer ---- */

static int take_ack(struct fetch_task *t, struct fetch_round *round, const char *line, struct err *err)
{
	struct object_id oid;
	const char *hex;

	if (!strcmp(line, "NAK"))
		return 0;
	if (!strcmp(line, "ready")) {
		round->ready = true;
		return 0;
	}
	if (!skip_prefix(line, "ACK ", &hex) || oid_from_hex(&oid, hex, t->s->algo) < 0)
		return err_set(err, ERR_CORRUPT, "unexpected acknowledgment line: '%s'", line);
	return fetch_take_common(t, round, &oid, err);
}

static int take_wanted_ref(struct fetch_task *t, const char *line, struct err *err)
{
	struct object_id oid;
	const char *name;

	if (oid_parse_hex(&oid, line, t->s->algo, &name) < 0 || *name++ != ' ')
		return err_set(err, ERR_CORRUPT, "expected wanted-ref, got '%s'", line);
	for (size_t i = 0; t->w->refs && i < t->w->refs->nr; i++)
		if (!strcmp(t->w->refs->v[i], name)) {
			remote_refs_add(&t->result->wanted_refs, name)->oid = oid;
			return 0;
		}
	return err_set(err, ERR_CORRUPT, "unexpected wanted-ref: '%s'", line);
}

static int take_section_line(struct fetch_task *t, struct fetch_round *round, const char *section, const char *line,
		     struct err *err)
{
	int rc;

	if (!strcmp(section, "acknowledgments"))
		return take_ack(t, round, line, err);
	if (!strcmp(section, "wanted-refs"))
		return take_wanted_ref(t, line, err);
	if (!strcmp(section, "packfile-uris"))
		return fetch_take_uri(t, line, err);
	if (!strcmp(section, "shallow-info")) {
		rc = fetch_take_shallow(t, line, err);
		return rc ? (rc < 0 ? rc : 0)
			: err_set(err, ERR_CORRUPT, "unknown shallow line: %s", line);
	}
	return err_set(err, ERR_CORRUPT, "unexpected section '%s'", section);
}

/* 1: the pack comes next; 0: the answer has ended, < 0. */
static int read_v2_response(struct fetch_task *t, struct fetch_round *round, struct err *err)
{
	struct fetch_session *s = t->s;
	char section[32];
	const char *line;
	size_t nr = 0;
	int kind, rc = 0;

	for (;;) {
		kind = session_line(s, &line, err);
		if (kind != PKT_DATA)
			return kind < 0 ? kind : err_set(err, ERR_CORRUPT, "error reading section header");
		if (!strcmp(line, "packfile"))
			return 1;
		snprintf(section, sizeof(section), "%s", line);
		while (!rc && (kind = session_line(s, &line, err)) == PKT_DATA)
			rc = ++nr > FETCH_LINES_MAX
				? err_set(err, ERR_TOO_BIG, "an answer without an end")
				: take_section_line(t, round, section, line, err);
		if (rc < 0 || kind < 0)
			return rc < 0 ? rc : kind;
		if (kind == PKT_FLUSH)
			return 0;
		if (kind != PKT_DELIM)
			return err_set(err, ERR_CORRUPT, "error processing section '%s'", section);
	}
}

static int read_whole_answer(struct fetch_task *t, struct fetch_round *round, struct err *err)
{
	int rc;

	t->s->bands = session_capability_has(t->s, "fetch", "sideband-all");
	rc = read_v2_response(t, round, err);
	if (!rc)
		rc = session_end_answer(t->s, err);
	t->s->bands = false;
	return rc;
}

/* 1: there are no more haves; the request has nothing new and is dropped. */
static int send_unless_told(struct fetch_task *t, struct fetch_round *round, bool first, struct err *err)
{
	int rc = make_request(t, round, err);

	if (!rc && t->w->negotiate_only && !round->told) {
		pkt_writer_reset(&t->s->out);
		return first ? err_set(err, ERR_INVALID, "there is no commit to negotiate with") : 1;
	}
	return rc ? rc : session_send_request(t->s, err);
}

static void note_common(struct fetch_task *t, const struct fetch_round *round)
{
	for (size_t i = 0; i < round->common.nr; i++)
		oid_array_append(&t->result->common, &round->common.oid[i]);
	oid_array_sort_unique(&t->result->common);
}

/* Only that, and no pack. */
static int negotiate_only(struct fetch_task *t, struct fetch_round *round, struct err *err)
{
	bool first = true;
	int rc;

	if (!session_capability_has(t->s, "fetch", "wait-for-done"))
		return err_set(err, ERR_UNSUPPORTED, "server does not support wait-for-done");
	while (!(rc = send_unless_told(t, round, first, err))) {
		rc = read_whole_answer(t, round, err);
		if (rc > 0)
			rc = err_set(err, ERR_CORRUPT, "expected 'acknowledgments', received 'packfile'");
		if (rc < 0 || round->ready || round->done)
			break;
		first = false;
	}
	if (rc >= 0)
		note_common(t, round);
	return rc < 0 ? rc : 0;
}

static int negotiate_v2(struct fetch_task *t, struct fetch_round *round, struct err *err)
{
	int rc = 0;

	do {
		rc = make_request(t, round, err);
		if (!rc)
			rc = session_send_request(t->s, err);
		if (!rc)
			rc = read_whole_answer(t, round, err);
		if (!rc && round->done)
			rc = err_set(err, ERR_CORRUPT, "expected packfile after 'done'");
	} while (!rc);
	return rc;
}

int fetch_negotiate_v2(struct fetch_task *t, struct err *err)
{
	struct fetch_round round = FETCH_ROUND_INIT;
	int rc = t->w->negotiate_only ? negotiate_only(t, &round, err) : negotiate_v2(t, &round, err);

	fetch_round_release(&round);
	return rc;
}

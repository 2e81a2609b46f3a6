/* SPDX-License-Identifier: GPL-2.0-only */
/* Versions 0 and 1 of the protocol: gitprotocol-pack(5), gitprotocol-capabilities(5). */
#include "compat/posix.h"
#include "upload/upload.h"
#include "util/alloc.h"
#include "util/trace2.h"
#include "wire/version.h"

/* A flag of an oid. */
#define TIP 1u

enum multi_ack { MULTI_ACK_NONE, MULTI_ACK, MULTI_ACK_DETAILED };

struct session {
	struct upload_server *s;
	struct fetch_request q;
	struct oid_flags tips; /* the oids that this connection advertised */
	enum multi_ack multi_ack;
	bool no_done;
	bool filter; /* the client has the capability "filter" */
	bool capabilities_sent;
	size_t nr_judged; /* haves that the last check of readiness covered */
	bool ready, sent_ready; /* enough is known; the client has got "ready" */
	bool round_has_common, round_has_missing; /* haves since the last flush packet */
	struct object_id last; /* the last common have */
};

/* ---- the advertisement ---- */

static void append_capabilities(struct session *v, struct strbuf *out)
{
	struct upload_server *s = v->s;
	const struct upload_config *u = &s->config;
	char *target = NULL;

	strbuf_addstr(out, "multi_ack thin-pack side-band side-band-64k ofs-delta shallow "
		      "deepen-since deepen-not deepen-relative no-progress include-tag "
		      "multi_ack_detailed");
	if (u->allow_tip || u->allow_any)
		strbuf_addstr(out, " allow-tip-sha1-in-want");
	if (u->allow_reachable || u->allow_any)
		strbuf_addstr(out, " allow-reachable-sha1-in-want");
	if (s->o.stateless_rpc || s->o.advertise_only)
		strbuf_addstr(out, " no-done");
	if (!upload_head_target(s, false, &target, NULL) && target)
		strbuf_addf(out, " symref=HEAD:%s", target);
	free(target);
	if (u->allow_filter)
		strbuf_addstr(out, " filter");
	strbuf_addf(out, " object-format=%s", s->repo->algo->name);
	if (u->advertise_sid)
		strbuf_addf(out, " session-id=%s", trace2_session_id());
	strbuf_addstr(out, " agent=");
	append_agent(out);
}

/* The first line has the capabilities, after a NUL. */
static void print_line(struct session *v, const struct object_id *oid, const char *name,
		       const char *peeled)
{
	struct strbuf *line = pkt_writer_begin(&v->s->out);

	strbuf_add_oid(line, oid);
	strbuf_addch(line, ' ');
	strbuf_addstr(line, name);
	strbuf_addstr(line, peeled);
	if (!v->capabilities_sent) {
		strbuf_addch(line, '\0');
		append_capabilities(v, line);
		v->capabilities_sent = true;
	}
	strbuf_addch(line, '\n');
	pkt_writer_end(&v->s->out);
}

static int advertise_ref(void *data, const char *name, const struct ref *ref)
{
	struct session *v = data;
	const struct object_source *src = odb_source_unreplaced(v->s->repo->odb);
	struct object_id peeled = ref->peeled;

	if (!v->s->o.advertise_only)
		*oid_flags_at(&v->tips, ref->oid.hash) |= TIP;
	print_line(v, &ref->oid, name, "");
	if (!(ref->flags & REF_PEEL_KNOWN) &&
	    (object_peel(src, &ref->oid, OBJ_ANY, &peeled, NULL, NULL) < 0 ||
	     oid_eq(&peeled, &ref->oid)))
		return pkt_writer_failed(&v->s->out) ? ERR_IO : 0;
	if (!oid_is_null(&peeled))
		print_line(v, &peeled, name, "^{}");
	return pkt_writer_failed(&v->s->out) ? ERR_IO : 0;
}

/* Sends the boundary of a shallow server, in the format of the file "shallow". */
static int advertise_shallow(struct session *v, struct err *err)
{
	struct oid_array boundary = OID_ARRAY_INIT;
	int rc = repo_shallow_boundary(v->s->repo, &boundary, err);

	for (size_t i = 0; i < boundary.nr; i++)
		pkt_writer_addf(&v->s->out, "shallow %s", oid_hex(&boundary.oid[i]));
	oid_array_clear(&boundary);
	return rc;
}

static int advertise(struct session *v, struct err *err)
{
	struct upload_server *s = v->s;
	int rc;

	if (s->o.version == 1)
		pkt_writer_addf(&s->out, "version 1\n");
	rc = upload_refs_foreach(s, advertise_ref, v, err);
	if (rc < 0)
		return rc;
	if (!v->capabilities_sent)
		print_line(v, &s->repo->algo->null_oid, "capabilities", "^{}");
	rc = advertise_shallow(v, err);
	if (rc < 0)
		return rc;
	pkt_writer_flush(&s->out);
	return pkt_writer_send(&s->out, err);
}

/* ---- wants ---- */

/* Parses the capabilities after the first want; after other wants they count, too. */
static int take_capabilities(struct session *v, const char *words, struct err *err)
{
	struct fetch_request *q = &v->q;
	struct string_list list = STRING_LIST_INIT;
	const char *value;
	int rc = 0;

	string_list_split(&list, words, " ");
	for (size_t i = 0; i < list.nr && !rc; i++) {
		const char *w = list.items[i].string;

		if (!strcmp(w, "filter"))
			v->filter = true;
		else if (!strcmp(w, "multi_ack_detailed"))
			v->multi_ack = MULTI_ACK_DETAILED;
		else if (!strcmp(w, "multi_ack"))
			v->multi_ack = MULTI_ACK;
		else if (!strcmp(w, "no-done"))
			v->no_done = true;
		else if (!strcmp(w, "thin-pack"))
			q->thin = true;
		else if (!strcmp(w, "ofs-delta"))
			q->ofs_delta = true;
		else if (!strcmp(w, "no-progress"))
			q->no_progress = true;
		else if (!strcmp(w, "include-tag"))
			q->include_tag = true;
		else if (!strcmp(w, "deepen-relative"))
			q->deepen_relative = true;
		else if (!strcmp(w, "side-band-64k"))
			q->mode = SIDEBAND_LARGE;
		else if (!strcmp(w, "side-band") && q->mode == SIDEBAND_NONE)
			q->mode = SIDEBAND_SMALL;
		else if (skip_prefix(w, "object-format=", &value) &&
			 strcmp(value, v->s->repo->algo->name) != 0)
			rc = err_set(err, ERR_INVALID, "mismatched object format: server %s; "
				     "client %s", v->s->repo->algo->name, value);
		else if (skip_prefix(w, "session-id=", &value))
			trace2_data_string("transfer", "client-sid", value);
	}
	string_list_clear(&list, NULL);
	return rc;
}

static int take_want_line(struct session *v, const char *line, const char *hex, struct err *err)
{
	struct upload_server *s = v->s;
	struct object_id oid;
	const char *words;

	if (oid_parse_hex(&oid, hex, s->repo->algo, &words) < 0)
		return err_set(err, ERR_INVALID, "protocol error, expected to get object ID, "
			       "not '%s'", line);
	if (!odb_has(s->repo->odb, &oid))
		return err_set(err, ERR_INVALID, "not our ref %s", oid_hex(&oid));
	if (*words) {
		int rc = take_capabilities(v, words, err);

		if (rc < 0)
			return rc;
	}
	fetch_request_add_want(&v->q, &oid);
	return 0;
}

static int take_filter_line(struct session *v, const char *text, struct err *err)
{
	if (!v->filter || !v->s->config.allow_filter)
		return err_set(err, ERR_INVALID, "filtering capability not negotiated");
	return fetch_request_take_filter(v->s, &v->q, text, err);
}

static int take_line(struct session *v, const char *line, struct err *err)
{
	const char *rest;
	int rc;

	if (skip_prefix(line, "want ", &rest))
		return take_want_line(v, line, rest, err);
	if (skip_prefix(line, "filter ", &rest))
		return take_filter_line(v, rest, err);
	rc = fetch_request_take_shallow(v->s, &v->q, line, err);
	if (rc)
		return rc < 0 ? rc : 0;
	return err_set(err, ERR_INVALID, "protocol error, expected to get object ID, not '%s'",
		       line);
}

/* Reads wants up to a flush packet. No want means that the client says goodbye. */
static int read_wants(struct session *v, struct err *err)
{
	struct pkt_reader *in = &v->s->in;
	size_t nr = 0;
	int kind, rc = 0;

	while (!rc && (kind = pkt_reader_line(in, err)) == PKT_DATA) {
		if (++nr > UPLOAD_LINES_MAX)
			rc = err_set(err, ERR_TOO_BIG, "a request of more than %d lines",
				     UPLOAD_LINES_MAX);
		else
			rc = take_line(v, in->line, err);
	}
	if (rc < 0 || kind < 0)
		return rc < 0 ? rc : kind;
	return kind == PKT_FLUSH ? 0 : err_set(err, ERR_CORRUPT, "the remote end hung up unexpectedly");
}

/* Wants that are not yet known to be allowed. */
struct unproven {
	struct oidset oids;
	struct oidset tips; /* the ones that are tips of refs */
};

/* > 0: all are. */
static int note_tip(void *data, const char *name UNUSED, const struct ref *ref)
{
	struct unproven *u = data;

	return oidset_insert(&u->tips, &ref->oid) && u->tips.map.nr == u->oids.map.nr;
}

static int check_unproven(struct session *v, struct unproven *u, struct err *err)
{
	const struct oid_array *wants = &v->q.wants;
	struct oid_array others = OID_ARRAY_INIT;
	int rc = upload_refs_to(v->s, &u->oids, note_tip, u, err);

	if (rc)
		return rc < 0 ? rc : 0;
	for (size_t i = 0; i < wants->nr; i++)
		if (oidset_contains(&u->oids, &wants->oid[i]) &&
		    !oidset_contains(&u->tips, &wants->oid[i]))
			oid_array_append(&others, &wants->oid[i]);
	/* Over HTTP another process advertised the refs; they may have moved since. */
	if (!v->s->config.allow_reachable && !v->s->o.stateless_rpc)
		rc = err_set(err, ERR_INVALID, "not our ref %s", oid_hex(&others.oid[0]));
	else
		rc = upload_check_reachable(v->s, &others, err);
	oid_array_clear(&others);
	return rc;
}

/*
 * Has each of the wants been advertised here? That it was the tip of a ref then is enough: refs may move. Else is it
 * the tip of a ref now or, if that is enough, reached by one?
 */
static int check_wants_by_refs(struct session *v, struct err *err)
{
	struct unproven u = { OIDSET_INIT, OIDSET_INIT };
	int rc = 0;

	for (size_t i = 0; i < v->q.wants.nr; i++)
		if (!oid_flags_get(&v->tips, v->q.wants.oid[i].hash))
			oidset_insert(&u.oids, &v->q.wants.oid[i]);
	if (u.oids.map.nr)
		rc = check_unproven(v, &u, err);
	oidset_clear(&u.oids);
	oidset_clear(&u.tips);
	return rc;
}

/*
 * May the client have all its wants? Rules that allow more than the advertised refs allow hidden
 * refs, too.
 */
static int check_wants(struct session *v, struct err *err)
{
	const struct upload_config *u = &v->s->config;
	struct hidden_refs none = HIDDEN_REFS_INIT, hidden = v->s->hidden;
	int rc;

	if (u->allow_any)
		return 0;
	if (u->allow_tip || u->allow_reachable)
		v->s->hidden = none;
	rc = check_wants_by_refs(v, err);
	v->s->hidden = hidden;
	return rc;
}

/* ---- haves ---- */

static const char *ack_word(const struct session *v, bool ready)
{
	if (v->multi_ack == MULTI_ACK_DETAILED)
		return ready ? " ready" : " common";
	return v->multi_ack == MULTI_ACK ? " continue" : "";
}

/* Is enough known to build the pack? Only haves that came since the last check can change that. */
static int decide_ack(struct session *v, struct err *err)
{
	int rc = 0;

	if (v->multi_ack && !v->ready && v->q.haves.nr > v->nr_judged)
		rc = upload_is_ready(v->s, &v->q, err);
	v->nr_judged = v->q.haves.nr;
	v->ready |= rc > 0;
	return rc < 0 ? rc : 0;
}

/* A have that is missing here is answered only to stop a client that goes on. */
static int answer_missing(struct session *v, const struct object_id *oid, struct err *err)
{
	int rc = decide_ack(v, err);

	v->round_has_missing = true;
	if (rc < 0 || !v->ready)
		return rc;
	v->sent_ready |= v->multi_ack == MULTI_ACK_DETAILED;
	pkt_writer_addf(&v->s->out, "ACK %s%s\n", oid_hex(oid), ack_word(v, true));
	return 0;
}

static int take_have_line(struct session *v, const char *line, const char *hex, struct err *err)
{
	struct upload_server *s = v->s;
	struct object_id oid;
	bool common;
	int rc = upload_parse_oid(s, line, hex, &oid, err);

	if (!rc)
		rc = upload_note_have(s, &v->q, &oid, &common, err);
	if (rc < 0 || !common)
		return rc < 0 ? rc : answer_missing(v, &oid, err);
	v->round_has_common = true;
	v->last = oid;
	if (v->multi_ack || v->q.haves.nr == 1)
		pkt_writer_addf(&s->out, "ACK %s%s\n", oid_hex(&oid), ack_word(v, false));
	return 0;
}

/* If a have of this round is missing here, answer_missing has sent "ready" already. */
static int end_of_round(struct session *v, struct err *err)
{
	struct upload_server *s = v->s;
	int rc = decide_ack(v, err);

	if (rc < 0)
		return rc;
	if (v->ready && v->multi_ack == MULTI_ACK_DETAILED && v->round_has_common &&
	    !v->round_has_missing) {
		v->sent_ready = true;
		pkt_writer_addf(&s->out, "ACK %s ready\n", oid_hex(&v->last));
	}
	v->round_has_common = v->round_has_missing = false;
	if (!v->q.haves.nr || v->multi_ack)
		pkt_writer_addf(&s->out, "NAK\n");
	if (v->no_done && v->sent_ready) {
		pkt_writer_addf(&s->out, "ACK %s\n", oid_hex(&v->last));
		v->q.done = true;
	}
	return pkt_writer_send(&s->out, err);
}

/*
 * Rounds of haves, each ended by a flush packet, until "done". 1: the pack comes next, 0: not. A request of HTTP may
 * end where the first round would begin: a client that deepens asks for the boundary first.
 */
static int negotiate_v0(struct session *v, struct err *err)
{
	struct upload_server *s = v->s;
	const char *hex;
	size_t nr = 0;
	int rc = 0, kind;

	while (!rc && !v->q.done) {
		s->in.on_eof = s->o.stateless_rpc && !nr ? PKT_EOF_ANYWHERE : PKT_EOF_REFUSED;
		kind = pkt_reader_line(&s->in, err);
		if (kind < 0 || kind == PKT_EOF)
			return kind < 0 ? kind : 0;
		if (++nr > UPLOAD_LINES_MAX)
			rc = err_set(err, ERR_TOO_BIG, "a request of more than %d lines",
				     UPLOAD_LINES_MAX);
		else if (kind == PKT_FLUSH)
			rc = end_of_round(v, err);
		else if (kind != PKT_DATA)
			rc = err_set(err, ERR_INVALID, "unexpected packet");
		else if (skip_prefix(s->in.line, "have ", &hex))
			rc = take_have_line(v, s->in.line, hex, err);
		else if (!strcmp(s->in.line, "done"))
			break;
		else
			rc = err_set(err, ERR_INVALID, "expected SHA1 list, got '%s'", s->in.line);
		if (!rc && kind == PKT_FLUSH && s->o.stateless_rpc && !v->q.done)
			return 0;
	}
	if (rc < 0)
		return rc;
	if (v->q.done)
		return 1;
	if (!v->q.haves.nr)
		pkt_writer_addf(&s->out, "NAK\n");
	else if (v->multi_ack)
		pkt_writer_addf(&s->out, "ACK %s\n", oid_hex(&v->last));
	return 1;
}

static int serve_request(struct session *v, struct err *err)
{
	int rc = read_wants(v, err);

	if (!rc)
		rc = check_wants(v, err);
	if (!rc)
		rc = upload_deepen(v->s, &v->q, false, err);
	if (!rc)
		rc = pkt_writer_send(&v->s->out, err);
	if (rc < 0 || !v->q.wants.nr)
		return rc;
	if ((rc = negotiate_v0(v, err)) > 0)
		rc = upload_send_pack(v->s, &v->q, err);
	return rc < 0 ? rc : pkt_writer_send(&v->s->out, err);
}

int upload_serve_v0(struct upload_server *s, struct err *err)
{
	struct session v = { .s = s };
	int rc = 0;

	fetch_request_init(&v.q);
	oid_flags_init(&v.tips, s->repo->algo);
	if (s->o.advertise_only || !s->o.stateless_rpc)
		rc = advertise(&v, err);
	if (!rc && !s->o.advertise_only)
		rc = serve_request(&v, err);
	fetch_request_release(&v.q);
	oid_flags_release(&v.tips);
	return rc;
}

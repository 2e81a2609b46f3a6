/* SPDX-License-Identifier: GPL-2.0-only */
/* The command "fetch" of version 2: gitprotocol-v2(5). */
#include "compat/posix.h"
#include "upload/upload.h"
#include "util/alloc.h"

/* ---- arguments ---- */

static int take_want_argument(struct upload_server *s, struct fetch_request *q, const char *line,
			      const char *hex, struct err *err)
{
	struct object_id oid;
	int rc = upload_parse_oid(s, line, hex, &oid, err);

	if (rc < 0)
		return rc;
	if (!odb_has(s->repo->odb, &oid))
		return err_set(err, ERR_INVALID, "not our ref %s", hex);
	fetch_request_add_want(q, &oid);
	return 0;
}

static int take_want_ref(struct upload_server *s, struct fetch_request *q, const char *name,
			 struct err *err)
{
	char *full = xconcat(s->prefix, name);
	struct object_id oid;
	int rc = 0;

	if (!starts_with(name, "refs/") && strcmp(name, "HEAD") != 0)
		rc = err_set(err, ERR_INVALID, "unknown ref %s", name);
	else if (!refname_is_valid(name, REFNAME_ALLOW_ONELEVEL) ||
		 ref_is_hidden(&s->hidden, name, full) ||
		 ref_resolve(s->repo->refs, full, &oid, NULL, NULL, NULL) < 0)
		rc = err_set(err, ERR_INVALID, "unknown ref %s", name);
	else if (!strset_add(&q->want_ref_names, name))
		rc = err_set(err, ERR_INVALID, "duplicate want-ref %s", name);
	if (!rc) {
		string_list_append(&q->want_refs, name)->util = xmemdup(&oid, sizeof(oid));
		fetch_request_add_want(q, &oid);
	}
	free(full);
	return rc;
}

static int take_have_argument(struct upload_server *s, struct fetch_request *q, const char *line,
			      const char *hex, struct err *err)
{
	struct object_id oid;
	bool common;
	int rc = upload_parse_oid(s, line, hex, &oid, err);

	if (!rc)
		rc = upload_note_have(s, q, &oid, &common, err);
	return rc;
}

static int take_filter_argument(struct upload_server *s, struct fetch_request *q, const char *text,
				struct err *err)
{
	if (!s->config.allow_filter)
		return err_set(err, ERR_INVALID, "unexpected line: 'filter %s'", text);
	return fetch_request_take_filter(s, q, text, err);
}

/* A command of the host makes packs without them, which is always right. */
static int take_uris(struct upload_server *s, struct fetch_request *q, const char *protocols,
		     struct err *err)
{
	if (q->uris)
		return upload_refuse(s, err_set(err, ERR_INVALID, "multiple packfile-uris lines forbidden"));
	return packfile_uris_read(&q->uris, s->repo->config, s->config.pack_objects_hook ? "" : protocols,
				  s->repo->algo, err);
}

static bool take_flag(struct upload_server *s, struct fetch_request *q, const char *line)
{
	const struct {
		const char *word;
		bool *flag;
	} flags[] = {
		{ "thin-pack", &q->thin }, { "ofs-delta", &q->ofs_delta },
		{ "include-tag", &q->include_tag }, { "no-progress", &q->no_progress },
		{ "done", &q->done }, { "wait-for-done", &q->wait_for_done },
		{ "deepen-relative", &q->deepen_relative },
	};

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		if (!strcmp(line, flags[i].word)) {
			*flags[i].flag = true;
			return true;
		}
	}
	if (strcmp(line, "sideband-all") != 0 || !s->config.allow_sideband_all)
		return false;
	s->out.band = BAND_PACK;
	return true;
}

static int take_fetch_argument(struct upload_server *s, struct fetch_request *q, const char *line,
			       struct err *err)
{
	const char *rest;
	int rc;

	if (skip_prefix(line, "have ", &rest))
		return take_have_argument(s, q, line, rest, err);
	if (skip_prefix(line, "want ", &rest))
		return take_want_argument(s, q, line, rest, err);
	if (skip_prefix(line, "want-ref ", &rest) && s->config.allow_ref_in_want)
		return upload_refuse(s, take_want_ref(s, q, rest, err));
	if (skip_prefix(line, "filter ", &rest))
		return take_filter_argument(s, q, rest, err);
	if (skip_prefix(line, "packfile-uris ", &rest) && packfile_uris_exist(s->repo->config))
		return take_uris(s, q, rest, err);
	rc = fetch_request_take_shallow(s, q, line, err);
	if (rc)
		return rc < 0 ? rc : 0;
	if (take_flag(s, q, line))
		return 0;
	return err_set(err, ERR_INVALID, "unexpected line: '%s'", line);
}

static int read_fetch_arguments(struct upload_server *s, struct fetch_request *q, struct err *err)
{
	size_t nr = 0;
	int kind, rc = 0;

	while (!rc && (kind = upload_next_argument(s, err)) == PKT_DATA) {
		if (++nr > UPLOAD_LINES_MAX)
			rc = err_set(err, ERR_TOO_BIG, "a request of more than %d lines",
				     UPLOAD_LINES_MAX);
		else
			rc = take_fetch_argument(s, q, s->in.line, err);
	}
	if (rc < 0 || kind < 0)
		return rc < 0 ? rc : kind;
	if (kind != PKT_FLUSH)
		return err_set(err, ERR_INVALID, "expected flush after fetch arguments");
	string_list_sort(&q->want_refs);
	return 0;
}

/* ---- the answer ---- */

static void answer_haves(struct upload_server *s, const struct fetch_request *q, bool ready)
{
	pkt_writer_addf(&s->out, "acknowledgments\n");
	if (!q->haves.nr)
		pkt_writer_addf(&s->out, "NAK\n");
	for (size_t i = 0; i < q->haves.nr; i++)
		pkt_writer_addf(&s->out, "ACK %s\n", oid_hex(&q->haves.oid[i]));
	if (ready)
		pkt_writer_addf(&s->out, "ready\n");
}

/* 1: the pack comes next; 0: the client asks again, < 0. */
static int negotiate_v2(struct upload_server *s, struct fetch_request *q, struct err *err)
{
	int ready = 0;

	if (q->done || !q->nr_have_lines)
		return 1;
	if (!q->wait_for_done)
		ready = upload_is_ready(s, q, err);
	if (ready < 0)
		return ready;
	answer_haves(s, q, ready);
	if (ready)
		pkt_writer_delim(&s->out);
	else
		pkt_writer_flush(&s->out);
	return ready;
}

static void send_wanted_refs(struct upload_server *s, const struct fetch_request *q)
{
	if (!q->want_refs.nr)
		return;
	pkt_writer_addf(&s->out, "wanted-refs\n");
	for (size_t i = 0; i < q->want_refs.nr; i++) {
		const struct string_list_item *item = &q->want_refs.items[i];

		pkt_writer_addf(&s->out, "%s %s\n", oid_hex(item->util), item->string);
	}
	pkt_writer_delim(&s->out);
}

static int send_sections(struct upload_server *s, struct fetch_request *q, struct err *err)
{
	int rc = upload_deepen(s, q, true, err);

	if (rc < 0)
		return rc;
	send_wanted_refs(s, q);
	q->mode = SIDEBAND_LARGE;
	return upload_send_pack(s, q, err);
}

/*
 * Without a want nothing is sent; but a client may ask what both have ("git fetch --negotiate-only"), and if it is
 * done with that, or names nothing, it gets a pack without objects.
 */
static bool is_question(const struct fetch_request *q)
{
	return q->wants.nr || q->wait_for_done;
}

int upload_fetch_v2(struct upload_server *s, struct err *err)
{
	struct fetch_request q;
	int rc;

	fetch_request_init(&q);
	rc = read_fetch_arguments(s, &q, err);
	if (!rc && is_question(&q) && (rc = negotiate_v2(s, &q, err)) > 0)
		rc = send_sections(s, &q, err);
	if (!rc)
		s->out.band = 0;
	fetch_request_release(&q);
	return rc;
}

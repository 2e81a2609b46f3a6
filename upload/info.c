/* SPDX-License-Identifier: GPL-2.0-only */
/* The commands "object-info" and "bundle-uri" of version 2: gitprotocol-v2(5). */
#include "compat/posix.h"
#include "upload/upload.h"

/* ---- object-info ---- */

/* A compressed request can have many lines for little. Clients ask for 10,000 objects at most. */
#define INFO_LINES_MAX 100000

struct object_info_request {
	struct oid_array oids; /* each once */
	struct oidset seen;
	bool size;
};

static int read_info_request(struct upload_server *s, struct object_info_request *q,
			     struct err *err)
{
	const char *hex;
	struct object_id oid;
	size_t lines = 0;
	int kind, rc = 0;

	while (!rc && (kind = upload_next_argument(s, err)) == PKT_DATA) {
		if (lines++ == INFO_LINES_MAX)
			rc = upload_refuse(s, err_set(err, ERR_TOO_BIG, "object-info: a request of more than %d lines",
						      INFO_LINES_MAX));
		else if (!strcmp(s->in.line, "size"))
			q->size = true;
		else if (!skip_prefix(s->in.line, "oid ", &hex))
			rc = upload_refuse(s, err_set(err, ERR_INVALID, "object-info: unexpected line: '%s'",
						      s->in.line));
		else if (!(rc = upload_parse_oid(s, s->in.line, hex, &oid, err)) && oidset_insert(&q->seen, &oid))
			oid_array_append(&q->oids, &oid);
	}
	if (rc < 0 || kind < 0)
		return rc < 0 ? rc : kind;
	return kind == PKT_FLUSH ? 0
		: err_set(err, ERR_INVALID, "expected flush after object-info arguments");
}

static void answer_info(struct upload_server *s, const struct object_info_request *q)
{
	if (q->size && q->oids.nr)
		pkt_writer_addf(&s->out, "size");
	for (size_t i = 0; i < q->oids.nr; i++) {
		const struct object_id *oid = &q->oids.oid[i];
		enum object_type type;
		uint64_t size;

		if (!q->size)
			pkt_writer_addf(&s->out, "%s", oid_hex(oid));
		else if (odb_type(s->repo->odb, oid, &type, &size, NULL) < 0)
			pkt_writer_addf(&s->out, "%s ", oid_hex(oid));
		else
			pkt_writer_addf(&s->out, "%s %" PRIu64, oid_hex(oid), size);
	}
	pkt_writer_flush(&s->out);
}

int upload_object_info_v2(struct upload_server *s, struct err *err)
{
	struct object_info_request q = { OID_ARRAY_INIT, OIDSET_INIT, false };
	int rc = read_info_request(s, &q, err);

	if (!rc)
		answer_info(s, &q);
	oid_array_clear(&q.oids);
	oidset_clear(&q.seen);
	return rc;
}

/* ---- bundle-uri ---- */

int upload_bundle_uri_v2(struct upload_server *s, struct err *err)
{
	const struct config_set *c = s->repo->config;
	int kind = upload_next_argument(s, err);

	if (kind != PKT_FLUSH)
		return kind < 0 ? kind
			: err_set(err, ERR_INVALID, "bundle-uri: unexpected argument: '%s'",
				  kind == PKT_DATA ? s->in.line : "");
	for (size_t i = 0; i < config_nr(c); i++) {
		const struct config_entry *e = config_at(c, i);

		if (starts_with(e->key, "bundle.") && e->value)
			pkt_writer_addf(&s->out, "%s=%s", e->key, e->value);
	}
	pkt_writer_flush(&s->out);
	return 0;
}

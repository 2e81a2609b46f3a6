/* SPDX-License-Identifier: GPL-2.0-only */
/* The advertisement of receive-pack: gitprotocol-pack(5), "Reference Discovery". */
#include "compat/posix.h"
#include "history/alternate-refs.h"
#include "history/history.h"
#include "receive/receive.h"
#include "util/alloc.h"
#include "util/trace2.h"
#include "wire/version.h"

struct advertisement {
	struct receive_server *s;
	struct oidset seen; /* so that each .have is sent once, and not for the value of a ref */
	bool capabilities_sent;
};

static void append_capabilities(struct receive_server *s, struct strbuf *out)
{
	const struct receive_config *c = &s->config;

	cert_make_nonce(s);
	strbuf_addstr(out, "report-status report-status-v2 delete-refs side-band-64k quiet");
	if (c->advertise_atomic)
		strbuf_addstr(out, " atomic");
	if (c->prefer_ofs_delta)
		strbuf_addstr(out, " ofs-delta");
	if (s->nonce)
		strbuf_addf(out, " push-cert=%s", s->nonce);
	if (c->advertise_push_options)
		strbuf_addstr(out, " push-options");
	if (c->advertise_sid)
		strbuf_addf(out, " session-id=%s", trace2_session_id());
	strbuf_addf(out, " object-format=%s agent=", s->repo->algo->name);
	append_agent(out);
}

static void add_ref_line(struct advertisement *a, const struct object_id *oid, const char *name)
{
	struct strbuf *line = pkt_writer_begin(&a->s->out);

	strbuf_add_oid(line, oid);
	strbuf_addch(line, ' ');
	strbuf_addstr(line, name);
	if (!a->capabilities_sent) {
		strbuf_addch(line, '\0');
		append_capabilities(a->s, line);
		a->capabilities_sent = true;
	}
	strbuf_addch(line, '\n');
	pkt_writer_end(&a->s->out);
}

/*
 * The client cannot change refs outside its namespace, but they still show objects that it need not
 * send. A broken ref is advertised with a null value, so that the client can delete or replace it.
 */
static int add_ref(void *data, const struct ref *ref)
{
	struct advertisement *a = data;
	struct receive_server *s = a->s;
	const char *name = NULL;
	bool new;

	if (!skip_prefix(ref->name, s->prefix, &name))
		name = NULL;
	if (ref_is_hidden(&s->hidden, name, ref->name) || (!name && ref->flags & REF_IS_BROKEN))
		return 0;
	new = oidset_insert(&a->seen, &ref->oid);
	if (name || new)
		add_ref_line(a, &ref->oid, name ? name : ".have");
	return pkt_writer_failed(&s->out) ? ERR_IO : 0;
}

static int add_have(void *data, const struct object_id *oid)
{
	struct advertisement *a = data;

	if (oidset_insert(&a->seen, oid))
		add_ref_line(a, oid, ".have");
	return pkt_writer_failed(&a->s->out) ? ERR_IO : 0;
}

/*
 * A failing command (core.alternateRefsCommand), or an alternate that is no repository, only makes
 * the push larger.
 */
static int add_alternates(struct advertisement *a, struct err *err)
{
	struct odb *odb = a->s->repo->odb;
	int rc = 0;

	for (size_t i = 0; i < odb_nr_alternates(odb) && rc >= 0; i++)
		rc = alternate_refs_list(a->s->repo, odb_alternate(odb, i), add_have, a, err);
	return rc < 0 ? rc : 0;
}

static int add_shallow(struct receive_server *s, struct err *err)
{
	struct oid_array boundary = OID_ARRAY_INIT;
	int rc = repo_shallow_boundary(s->repo, &boundary, err);

	for (size_t i = 0; i < boundary.nr; i++)
		pkt_writer_addf(&s->out, "shallow %s", oid_hex(&boundary.oid[i]));
	oid_array_clear(&boundary);
	return rc;
}

int receive_advertise(struct receive_server *s, struct err *err)
{
	struct advertisement a = { .s = s };
	int rc;

	if (s->o.version == 1)
		pkt_writer_addf(&s->out, "version 1\n");
	rc = refs_foreach(s->repo->refs, "", REFS_NO_PEEL | REFS_ALL_ROOTS, add_ref, &a, err);
	if (!rc)
		rc = add_alternates(&a, err);
	if (!a.capabilities_sent)
		add_ref_line(&a, &s->repo->algo->null_oid, "capabilities^{}");
	if (!rc)
		rc = add_shallow(s, err);
	pkt_writer_flush(&s->out);
	oidset_clear(&a.seen);
	return rc ? rc : pkt_writer_send(&s->out, err);
}

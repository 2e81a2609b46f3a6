/* SPDX-License-Identifier: GPL-2.0-only */
/* Lines of a request, and the common objects so far: the same in all versions of the protocol. */
#include "compat/posix.h"
#include "transport/fetch/fetch-internal.h"

/* Negotiation stops after so many haves in vain, once a common object is known. */
#define IN_VAIN_MAX 256u

void fetch_add_shallow(struct fetch_task *t)
{
	const struct fetch_wanted *w = t->w;
	struct pkt_writer *out = &t->s->out;

	for (size_t i = 0; i < t->boundary.nr; i++)
		pkt_writer_addf(out, "shallow %s", oid_hex(&t->boundary.oid[i]));
	if (w->depth)
		pkt_writer_addf(out, "deepen %d", w->depth);
	if (w->deepen_since)
		pkt_writer_addf(out, "deepen-since %" PRIu64, (uint64_t)w->deepen_since);
	for (size_t i = 0; w->deepen_not && i < w->deepen_not->nr; i++)
		pkt_writer_addf(out, "deepen-not %s", w->deepen_not->v[i]);
}

void fetch_add_filter(struct fetch_task *t, bool known)
{
	struct strbuf text = STRBUF_INIT;

	if (!t->w->filter || !t->w->filter->nr)
		return;
	/* As Git does: all objects come then. */
	if (!known) {
		repo_warn(t->r, "filtering not recognized by server, ignoring");
		return;
	}
	filter_spec_format(t->w->filter, &text);
	pkt_writer_addf(&t->s->out, "filter %s", text.buf);
	strbuf_release(&text);
}

static void add_included(struct fetch_task *t, struct fetch_round *round)
{
	const struct oid_array *include = t->w->include;

	for (size_t i = 0; t->n && include && !round->included && i < include->nr; i++)
		if (odb_has(t->r->odb, &include->oid[i])) {
			pkt_writer_addf(&t->s->out, "have %s", oid_hex(&include->oid[i]));
			round->told++;
		}
	round->included = true;
}

int fetch_add_haves(struct fetch_task *t, struct fetch_round *round, unsigned max, struct err *err)
{
	struct object_id oid;
	unsigned nr = 0;
	int rc = 1;

	round->told = 0;
	add_included(t, round);
	while (t->n && nr < round->size && (rc = negotiator_next(t->n, &oid, err)) > 0) {
		nr++;
		if (t->w->include && oid_array_contains(t->w->include, &oid))
			continue;
		pkt_writer_addf(&t->s->out, "have %s", oid_hex(&oid));
	}
	if (rc < 0)
		return rc;
	round->told += nr;
	round->in_vain += nr;
	if (!t->n || !nr || (round->got_common && round->in_vain >= IN_VAIN_MAX))
		round->done = true;
	round->size = round->size * 2 < max ? round->size * 2 : max;
	return 0;
}

int fetch_take_common(struct fetch_task *t, struct fetch_round *round, const struct object_id *oid,
		      struct err *err)
{
	int rc = t->n ? negotiator_ack(t->n, oid, err) : 0;

	round->got_common = true;
	if (rc < 0)
		return rc;
	/* A stateless server acknowledges the common objects in each round again. */
	if (!oidset_insert(&round->known, oid))
		return 0;
	oid_array_append(&round->common, oid);
	round->in_vain = 0;
	return 0;
}

void fetch_round_release(struct fetch_round *round)
{
	oid_array_clear(&round->common);
	oidset_clear(&round->known);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* One fetch: negotiation, the pack, the shallow boundary. */
#include "compat/posix.h"
#include "compat/syscalls.h"
#include "history/revision/bundle-check.h"
#include "history/history.h"
#include "transport/fetch/fetch-internal.h"
#include "util/alloc.h"

#define PREREQUISITES_SHOWN 20u /* in a message */

void fetch_result_init(struct fetch_result *r)
{
	memset(r, 0, sizeof(*r));
	strvec_init(&r->keeps);
}

void fetch_result_release(struct fetch_result *r)
{
	pack_receive_free(r->received);
	r->received = NULL;
	intake_result_release(&r->intake);
	for (size_t i = 0; i < r->nr_others; i++)
		pack_receive_free(r->others[i]);
	FREE_AND_NULL(r->others);
	r->nr_others = 0;
	oid_array_clear(&r->common);
	oid_array_clear(&r->shallow);
	oid_array_clear(&r->unshallow);
	oid_array_clear(&r->rejected);
	remote_refs_release(&r->wanted_refs);
	/* After a failure, or without a commit, they are still there. */
	for (size_t i = 0; i < r->keeps.nr; i++)
		sys->unlink(r->keeps.v[i]);
	strvec_clear(&r->keeps);
}

struct tips {
	struct negotiator *n;
	struct err *err;
};

static int add_ref(void *data, const struct ref *ref)
{
	struct tips *tips = data;

	return oid_is_null(&ref->oid) ? 0 : negotiator_add_tip(tips->n, &ref->oid, tips->err);
}

static int begin_negotiation(struct fetch_task *t, struct err *err)
{
	const struct fetch_wanted *w = t->w;
	struct tips tips = { .err = err };
	int rc;

	if (w->refetch || w->no_dependents)
		return 0;
	rc = negotiator_new(&t->n, t->r, w->algorithm, err);
	if (rc < 0)
		return rc;
	tips.n = t->n;
	if (w->tips)
		for (size_t i = 0; !rc && i < w->tips->nr; i++)
			rc = negotiator_add_tip(t->n, &w->tips->oid[i], err);
	else
		rc = refs_foreach(t->r->refs, "", REFS_NO_PEEL, add_ref, &tips, err);
	for (size_t i = 0; !rc && w->borrowed && i < w->borrowed->nr; i++)
		rc = negotiator_add_tip(t->n, &w->borrowed->oid[i], err);
	for (size_t i = 0; !rc && !w->negotiate_only && i < t->s->advertised.nr; i++)
		negotiator_add_known(t->n, &t->s->advertised.oid[i]);
	return rc;
}

static void release_task(struct fetch_task *t)
{
	negotiator_free(t->n);
	oid_array_clear(&t->boundary);
	oid_array_clear(&t->shallow);
	oid_array_clear(&t->unshallow);
	oid_array_clear(&t->roots);
	strvec_clear(&t->uris);
	free(t->uri_readers);
	oidset_clear(&t->boundaries);
}

/* Nothing can be negotiated, and only a bundle that leaves something out may owe it. */
static int begin_bundle(struct fetch_task *t, struct fetch_wanted *plain, struct err *err)
{
	const struct fetch_wanted *w = t->w;
	struct oid_array missing = OID_ARRAY_INIT;
	struct strbuf text = STRBUF_INIT;
	int rc = 1;

	if (w->negotiate_only)
		return err_set(err, ERR_UNSUPPORTED, "protocol does not support --negotiate-only");
	*plain = (struct fetch_wanted){
		.oids = w->oids, .borrowed = w->borrowed, .sought = w->sought, .fsck = w->fsck, .keep = true,
		.from_promisor = w->from_promisor && fetch_session_bundle(t->s)->filter,
		.lock_pack = w->lock_pack, .keep_msg = w->keep_msg, .meter = w->meter, .meter_data = w->meter_data,
	};
	t->w = plain;
	bundle_missing(t->r, fetch_session_bundle(t->s), &missing);
	for (size_t i = 0; i < missing.nr && i < PREREQUISITES_SHOWN; i++)
		strbuf_addf(&text, "\n  %s", oid_hex(&missing.oid[i]));
	if (missing.nr)
		rc = err_set(err, ERR_NOT_FOUND, "Repository lacks these prerequisite commits:%s%s", text.buf,
			     missing.nr > PREREQUISITES_SHOWN ? "\n  ..." : "");
	strbuf_release(&text);
	oid_array_clear(&missing);
	return rc;
}

static int fetch_begin(struct fetch_task *t, struct fetch_wanted *plain, struct err *err)
{
	int rc = repo_shallow_boundary(t->r, &t->boundary, err);

	if (rc < 0)
		return rc;
	if (t->s->bundle)
		return begin_bundle(t, plain, err);
	if (t->w->negotiate_only && t->s->version != 2)
		return err_set(err, ERR_UNSUPPORTED, "--negotiate-only requires protocol v2");
	rc = begin_negotiation(t, err);
	if (rc < 0)
		return rc;
	return t->s->version == 2 ? fetch_negotiate_v2(t, err) : fetch_negotiate_v0(t, err);
}

/* All ids that objects of a promisor name. */
static bool is_owed(void *data UNUSED, const struct object_id *oid UNUSED)
{
	return true;
}

int fetch_session_get(struct fetch_session *s, const struct fetch_wanted *w, struct repo_operation *op,
		      struct repository *r, struct fetch_result *result, struct err *err)
{
	struct fetch_task t = { .s = s, .w = w, .r = r, .result = result, .uris = STRVEC_INIT };
	struct fetch_wanted plain; /* what t.w is for a bundle */
	struct fetch_wanted filtered = *w;
	int rc;

	if (w->filter_auto) {
		filtered.filter = &s->auto_filter;
		t.w = w = &filtered;
	}
	if (w->fsck)
		w->fsck->promised = w->from_promisor ? is_owed : NULL;
	rc = fetch_session_is_helper(s) ? fetch_by_helper(&t, op, err) : fetch_begin(&t, &plain, err);

	if (rc > 0) {
		rc = fetch_apply_shallow(&t, err);
		if (!rc)
			rc = fetch_receive(&t, op, err);
		if (!rc)
			rc = session_end_answer(s, err);
		if (!rc)
			rc = fetch_stage_shallow(&t, op, err);
	}
	release_task(&t);
	return rc < 0 ? rc : 0;
}

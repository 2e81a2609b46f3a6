/* SPDX-License-Identifier: GPL-2.0-only */
/* Every ref, as a backend lists them: resolved, peeled, and without those that are no refs. */
#include "compat/posix.h"
#include "refs/refs-backend.h"

struct visit {
	struct ref_store *rs;
	unsigned flags;
	ref_fn fn;
	void *data;
};

/* The object below an annotated tag, if it is one; null if not, or unknown. */
static void look_up_peeled(struct visit *v, struct ref *ref)
{
	if (!(v->flags & REFS_NO_PEEL) && !oid_is_null(&ref->oid) &&
	    ref_peel(v->rs, &ref->oid, &ref->peeled))
		ref->flags |= REF_PEEL_KNOWN;
}

static int deliver(struct visit *v, struct ref *ref)
{
	if (!refname_is_valid(ref->name, 0)) {
		if (!refname_is_safe(ref->name))
			return 0;
		ref->flags |= REF_BAD_NAME | REF_IS_BROKEN;
		ref->oid = ref->peeled = v->rs->algo->null_oid;
	}
	if ((ref->flags & REF_IS_BROKEN) && !(v->flags & REFS_INCLUDE_BROKEN))
		return 0;
	return v->fn(v->data, ref);
}

static int visit(void *data, const struct ref_raw *raw)
{
	struct visit *v = data;
	struct ref ref = { .name = raw->name, .oid = v->rs->algo->null_oid,
			   .peeled = v->rs->algo->null_oid,
			   .flags = raw->packed ? REF_IS_PACKED : 0 };
	unsigned f = 0;

	if (raw->kind == REF_KIND_SYMREF) {
		ref.symref_target = raw->target;
		/* Broken or dangling: the flag says so, the id stays null. */
		if (ref_resolve(v->rs, raw->name, &ref.oid, NULL, &f, NULL) < 0)
			f |= REF_IS_BROKEN;
		ref.flags |= REF_IS_SYMREF | (f & (REF_IS_BROKEN | REF_IS_PACKED));
	} else if (raw->kind == REF_KIND_OID && !oid_is_null(raw->oid)) {
		ref.oid = *raw->oid;
	} else {
		ref.flags |= REF_IS_BROKEN;
	}
	if (raw->peeled)
		ref.peeled = *raw->peeled;
	if (raw->peel_known)
		ref.flags |= REF_PEEL_KNOWN;
	else
		look_up_peeled(v, &ref);
	return deliver(v, &ref);
}

int refs_foreach_except(struct ref_store *rs, const char *prefix, const struct strvec *except,
			unsigned flags, ref_fn fn, void *data, struct err *err)
{
	struct visit v = { rs, flags, fn, data };

	return rs->backend->foreach(rs, prefix, except, visit, &v, err);
}

int refs_foreach(struct ref_store *rs, const char *prefix, unsigned flags,
		 ref_fn fn, void *data, struct err *err)
{
	static const struct strvec none = STRVEC_INIT;

	return refs_foreach_except(rs, prefix, &none, flags, fn, data, err);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* Every ref, as a backend lists them: resolved and peeled; broken ones only if they are asked for. */
#include "compat/posix.h"
#include "refs/refs-backend.h"

struct visit {
	struct ref_store *rs;
	unsigned flags;
	ref_fn fn;
	void *data;
	struct err *err;
	struct strbuf valid_dir; /* of the last valid name */
};

/* The object below an annotated tag, if it is one; null if not, or unknown. */
static void look_up_peeled(struct visit *v, struct ref *ref)
{
	if (!(v->flags & REFS_NO_PEEL) && !oid_is_null(&ref->oid) &&
	    ref_peel(v->rs, &ref->oid, &ref->peeled))
		ref->flags |= REF_PEEL_KNOWN;
}

/*
 * A name outside of refs/ is a ref like others if its place may hold it, as it may be the only name of the object. A
 * name that leads out of the directory can only come from a file with many refs.
 */
static int check_name(struct visit *v, struct ref *ref, unsigned name_flags)
{
	if (refname_is_valid_after(&v->valid_dir, ref->name, strlen(ref->name), name_flags))
		return 0;
	if (!refname_is_safe(ref->name))
		return err_set(v->err, ERR_CORRUPT, "packed refname is dangerous: %s", ref->name);
	ref->flags |= REF_BAD_NAME | REF_IS_BROKEN;
	ref->oid = ref->peeled = v->rs->algo->null_oid;
	return 0;
}

/* A broken symbolic ref is none of the roots: it holds nothing, and its target below refs/ comes on its own. */
static bool is_wanted(const struct visit *v, const struct ref *ref)
{
	if (!(ref->flags & REF_IS_BROKEN) || v->flags & REFS_INCLUDE_BROKEN)
		return true;
	return v->flags & REFS_ALL_ROOTS && !(ref->flags & REF_IS_SYMREF && !(ref->flags & REF_BAD_NAME));
}

static int deliver(struct visit *v, struct ref *ref, unsigned name_flags)
{
	int rc = check_name(v, ref, name_flags);

	return rc < 0 ? rc : is_wanted(v, ref) ? v->fn(v->data, ref) : 0;
}

static int visit(void *data, const struct ref_raw *raw)
{
	struct visit *v = data;
	struct ref ref = { .name = raw->name, .oid = v->rs->algo->null_oid,
			   .peeled = v->rs->algo->null_oid,
			   .flags = raw->flags };
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
	return deliver(v, &ref, raw->name_flags);
}

int refs_foreach_in(struct ref_store *rs, const struct ref_range *range, unsigned flags, ref_fn fn, void *data,
		    struct err *err)
{
	static const struct strvec none = STRVEC_INIT;
	struct visit v = { rs, flags, fn, data, err, STRBUF_INIT };
	struct ref_range r = *range;
	int rc;

	if (!r.except)
		r.except = &none;
	rc = rs->backend->foreach(rs, &r, visit, &v, err);
	strbuf_release(&v.valid_dir);
	return rc;
}

int refs_foreach(struct ref_store *rs, const char *prefix, unsigned flags,
		 ref_fn fn, void *data, struct err *err)
{
	return refs_foreach_in(rs, &(struct ref_range){ .prefix = prefix }, flags, fn, data, err);
}

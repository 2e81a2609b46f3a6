/* SPDX-License-Identifier: GPL-2.0-only */
/* Every ref: loose files merged over packed-refs, in order of names. */
#include "compat/posix.h"
#include "refs/refs-internal.h"
#include "util/alloc.h"
#include "util/strbuf.h"

struct visit {
	struct ref_store *rs;
	unsigned flags;
	ref_fn fn;
	void *data;
	struct strbuf name; /* of a packed entry, NUL-terminated */
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
	}
	if ((ref->flags & REF_IS_BROKEN) && !(v->flags & REFS_INCLUDE_BROKEN))
		return 0;
	return v->fn(v->data, ref);
}

static int visit_loose(struct visit *v, const struct loose_entry *e)
{
	struct ref ref = { .name = e->name, .oid = v->rs->algo->null_oid,
			   .peeled = v->rs->algo->null_oid };
	unsigned f = 0;

	if (e->value.kind == LOOSE_SYMREF) {
		ref.symref_target = e->value.target;
		/* Broken or dangling: the flag says so, the id stays null. */
		if (ref_resolve(v->rs, e->name, &ref.oid, NULL, &f, NULL) < 0)
			f |= REF_IS_BROKEN;
		ref.flags = REF_IS_SYMREF | (f & (REF_IS_BROKEN | REF_IS_PACKED));
	} else if (e->value.kind == LOOSE_OID && !oid_is_null(&e->value.oid)) {
		ref.oid = e->value.oid;
	} else {
		ref.flags = REF_IS_BROKEN;
	}
	look_up_peeled(v, &ref);
	return deliver(v, &ref);
}

static int visit_packed(struct visit *v, const struct packed_entry *e)
{
	struct ref ref = { .oid = e->oid, .peeled = e->peeled, .flags = REF_IS_PACKED };

	strbuf_reset(&v->name);
	strbuf_add(&v->name, e->name, e->name_len);
	ref.name = v->name.buf;
	if (oid_is_null(&ref.oid))
		ref.flags |= REF_IS_BROKEN;
	if (e->peel_known)
		ref.flags |= REF_PEEL_KNOWN;
	else
		look_up_peeled(v, &ref);
	return deliver(v, &ref);
}

static bool packed_in_prefix(const struct packed_entry *e, const char *prefix, size_t len)
{
	return e->name_len >= len && !memcmp(e->name, prefix, len);
}

/* < 0, 0, > 0: which of the two comes first. */
static int order(const struct loose_entry *l, const struct packed_entry *p)
{
	size_t len = strlen(l->name);
	int c = memcmp(l->name, p->name, len < p->name_len ? len : p->name_len);

	if (c)
		return c;
	return len < p->name_len ? -1 : len > p->name_len;
}

static int merge(struct visit *v, const struct loose_list *loose,
		 const struct packed_refs *packed, const char *prefix, struct err *err)
{
	size_t plen = strlen(prefix), i = 0;
	struct packed_entry e;
	struct packed_cursor c;
	int rc, more, cmp;

	rc = packed_cursor_start(&c, packed, prefix, err);
	if (rc < 0)
		return rc;
	more = packed_cursor_next(&c, &e, err);
	for (;;) {
		if (more < 0)
			return more;
		if (more && !packed_in_prefix(&e, prefix, plen))
			more = 0;
		if (!more && i == loose->nr)
			return 0;
		cmp = !more ? -1 : i == loose->nr ? 1 : order(&loose->items[i], &e);
		rc = cmp <= 0 ? visit_loose(v, &loose->items[i++]) : visit_packed(v, &e);
		if (rc)
			return rc;
		if (cmp >= 0)
			more = packed_cursor_next(&c, &e, err);
	}
}

int refs_foreach(struct ref_store *rs, const char *prefix, unsigned flags,
		 ref_fn fn, void *data, struct err *err)
{
	struct visit v = { rs, flags, fn, data, STRBUF_INIT };
	struct loose_list loose = { .nr = 0 };
	struct packed_refs *packed;
	int rc;

	/* Loose first: a ref that is packed meanwhile is then seen in the second. */
	rc = loose_collect(rs, prefix, &loose, err);
	if (!rc) {
		rc = packed_refs_get(rs, &packed, err);
		if (!rc) {
			rc = merge(&v, &loose, packed, prefix, err);
			packed_refs_put(packed);
		}
	}
	loose_list_clear(&loose);
	strbuf_release(&v.name);
	return rc;
}

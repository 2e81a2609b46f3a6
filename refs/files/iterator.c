/* SPDX-License-Identifier: GPL-2.0-only */
/* Every ref: loose files merged over packed-refs, in order of names. */
#include "compat/posix.h"
#include "refs/files/files-internal.h"
#include "refs/files/loose-internal.h"
#include "refs/files/packed-internal.h"
#include "util/alloc.h"
#include "util/strbuf.h"

struct visit {
	ref_raw_fn fn;
	void *data;
	struct strbuf name; /* of a packed entry, NUL-terminated */
};

static int visit_loose(struct visit *v, const struct loose_entry *e)
{
	struct ref_raw raw = {
		.name = e->name,
		.kind = loose_ref_kind(e->value.kind),
		.oid = &e->value.oid,
		.target = e->value.target,
	};

	return v->fn(v->data, &raw);
}

static int visit_packed(struct visit *v, const struct packed_entry *e)
{
	struct ref_raw raw = {
		.kind = REF_KIND_OID,
		.oid = &e->oid,
		.peeled = &e->peeled,
		.packed = true,
		.peel_known = e->peel_known,
	};

	strbuf_reset(&v->name);
	strbuf_add(&v->name, e->name, e->name_len);
	raw.name = v->name.buf;
	return v->fn(v->data, &raw);
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
		 struct packed_refs *packed, const char *prefix, struct err *err)
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

int files_foreach(struct ref_store *rs, const char *prefix, ref_raw_fn fn, void *data,
		  struct err *err)
{
	struct visit v = { fn, data, STRBUF_INIT };
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

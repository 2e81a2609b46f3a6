/* SPDX-License-Identifier: GPL-2.0-only */
/* Every ref: loose files merged over packed-refs, in order of names. */
#include "compat/posix.h"
#include "refs/files/files-internal.h"
#include "refs/files/loose-internal.h"
#include "refs/files/packed-internal.h"
#include "util/alloc.h"
#include "util/strbuf.h"

struct visit {
	const char *prefix, *after;
	ref_raw_fn fn;
	void *data;
	const struct strvec *except;
	size_t next_except; /* those before it are behind us */
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
		.flags = REF_IS_PACKED,
		.name_flags = REFNAME_ALLOW_ONELEVEL,
		.peel_known = e->peel_known,
	};

	strbuf_reset(&v->name);
	strbuf_add(&v->name, e->name, e->name_len);
	raw.name = v->name.buf;
	return v->fn(v->data, &raw);
}

/* Where the first packed ref of the range may be. */
static const char *range_start(const struct visit *v)
{
	return v->after && strcmp(v->after, v->prefix) > 0 ? v->after : v->prefix;
}

static bool is_at_start(const struct visit *v, const struct packed_entry *e)
{
	return v->after && strlen(v->after) == e->name_len && !memcmp(v->after, e->name, e->name_len);
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

/* The directory that is left out, and has the entry; NULL: there is none. Entries come in order. */
static const char *left_out(struct visit *v, const struct packed_entry *e)
{
	for (; v->next_except < v->except->nr; v->next_except++) {
		const char *dir = v->except->v[v->next_except];
		size_t len = strlen(dir);
		int c = memcmp(dir, e->name, len < e->name_len ? len : e->name_len);

		if (c > 0 || (!c && len > e->name_len))
			return NULL;
		if (!c)
			return dir;
	}
	return NULL;
}

/* To the first entry behind a directory: its name without the '/' at its end, and the byte after '/'. */
static int skip_directory(struct packed_cursor *c, struct packed_refs *packed, const char *dir,
			  struct err *err)
{
	char *behind = xstrdup(dir);
	int rc;

	behind[strlen(behind) - 1]++;
	rc = packed_cursor_start(c, packed, behind, err);
	free(behind);
	return rc;
}

/* The next line of packed_cursor_next that the caller asks for. */
static int next_packed(struct visit *v, struct packed_cursor *c, struct packed_refs *packed,
		       struct packed_entry *e, struct err *err)
{
	const char *dir;
	int rc = 0, more;

	while (!rc && (more = packed_cursor_next(c, e, err)) > 0 && ((dir = left_out(v, e)) || is_at_start(v, e)))
		rc = dir ? skip_directory(c, packed, dir, err) : 0;
	if (rc < 0 || more <= 0)
		return rc < 0 ? rc : more;
	return packed_in_prefix(e, v->prefix, strlen(v->prefix));
}

static int merge(struct visit *v, const struct loose_list *loose, struct packed_refs *packed,
		 struct err *err)
{
	struct packed_entry e;
	struct packed_cursor c;
	int rc, more, cmp;
	size_t i = 0;

	rc = packed_cursor_start(&c, packed, range_start(v), err);
	if (rc < 0)
		return rc;
	while (v->after && i < loose->nr && strcmp(loose->items[i].name, v->after) <= 0)
		i++;
	more = next_packed(v, &c, packed, &e, err);
	for (;;) {
		if (more < 0)
			return more;
		if (!more && i == loose->nr)
			return 0;
		cmp = !more ? -1 : i == loose->nr ? 1 : order(&loose->items[i], &e);
		rc = cmp <= 0 ? visit_loose(v, &loose->items[i++]) : visit_packed(v, &e);
		if (rc)
			return rc;
		if (cmp >= 0)
			more = next_packed(v, &c, packed, &e, err);
	}
}

int files_foreach(struct ref_store *rs, const struct ref_range *range, ref_raw_fn fn, void *data, struct err *err)
{
	struct visit v = { .prefix = range->prefix, .after = range->after, .except = range->except, .fn = fn,
			   .data = data, .name = STRBUF_INIT };
	struct loose_list loose = { .except = range->except };
	struct packed_refs *packed;
	int rc;

	/* Loose first: a ref that is packed meanwhile is then seen in the second. */
	rc = loose_collect(rs, range->prefix, &loose, err);
	if (!rc) {
		rc = packed_refs_get(rs, &packed, err);
		if (!rc) {
			rc = merge(&v, &loose, packed, err);
			packed_refs_put(packed);
		}
	}
	loose_list_clear(&loose);
	strbuf_release(&v.name);
	return rc;
}

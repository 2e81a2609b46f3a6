/* SPDX-License-Identifier: GPL-2.0-only */
/* What an atom says of a ref. */
#include "compat/posix.h"
#include "util/alloc.h"
#include "reflist/ref-filter-internal.h"

/* ---- names ---- */

/* Without the first n components (n < 0: leave -n of them). */
static const char *strip_left(const char *name, int n)
{
	long remaining = n;

	if (n < 0) {
		remaining = n + 1;
		for (const char *s = name; *s; s++)
			remaining += *s == '/';
	}
	for (; remaining > 0; remaining--, name++) {
		name = strchr(name, '/');
		if (!name)
			return "";
	}
	return name;
}

static size_t strip_right(const char *name, int n)
{
	size_t len = strlen(name);
	long remaining = n;

	if (n < 0) {
		remaining = n + 1;
		for (const char *s = name; *s; s++)
			remaining += *s == '/';
	}
	for (; remaining > 0; remaining--) {
		const char *slash = memrchr(name, '/', len);

		if (!slash)
			return 0;
		len = slash - name;
	}
	return len;
}

static char *shorten(struct ref_listing *l, const char *name)
{
	struct ref_listing_state *s = l->state;
	bool strict = true;

	if (!s->shortener) {
		config_get_bool(l->repo->config, "core.warnambiguousrefs", &strict, NULL);
		s->shortener = ref_shortener_new(l->repo->refs, strict);
	}
	return ref_shortener_name(s->shortener, name);
}

void ref_name_format(struct ref_listing *l, const struct ref_atom *a, const char *name,
		     struct strbuf *out)
{
	char *shortened;

	switch (a->name_form) {
	case NAME_SHORT:
		shortened = shorten(l, name);
		strbuf_addstr(out, shortened);
		free(shortened);
		break;
	case NAME_LSTRIP:
		strbuf_addstr(out, strip_left(name, a->strip));
		break;
	case NAME_RSTRIP:
		strbuf_add(out, name, strip_right(name, a->strip));
		break;
	default:
		strbuf_addstr(out, name);
	}
}

static void add_refname(struct ref_listing *l, const struct ref_item *item,
			const struct ref_atom *a, struct strbuf *out)
{
	if (item->kind == REF_KIND_DETACHED_HEAD && l->head_description)
		strbuf_addstr(out, l->head_description);
	else
		ref_name_format(l, a, item->refname, out);
}

/* ---- where HEADs are ---- */

static bool is_head(struct ref_listing *l, const struct ref_item *item)
{
	struct ref_listing_state *s = l->state;
	struct object_id oid;

	if (!s->head_read) {
		if (ref_resolve(l->repo->refs, "HEAD", &oid, &s->head, NULL, NULL) < 0)
			FREE_AND_NULL(s->head);
		s->head_read = true;
	}
	return s->head && !strcmp(s->head, item->refname);
}

static int add_worktree_path(struct ref_listing *l, const struct ref_item *item,
			     struct strbuf *out, struct err *err)
{
	struct ref_listing_state *s = l->state;
	struct worktree *w;
	int rc;

	if (!s->worktrees_read) {
		rc = worktrees_read(&s->worktrees, l->repo, err);
		if (rc < 0)
			return rc;
		for (w = s->worktrees; w; w = w->next)
			if (w->head && !strmap_contains(&s->worktree_of, w->head))
				strmap_put(&s->worktree_of, w->head, w);
		s->worktrees_read = true;
	}
	w = strmap_get(&s->worktree_of, item->refname);
	if (w)
		strbuf_addstr(out, w->path);
	return 0;
}

static void add_flags(const struct ref_item *item, struct strbuf *out)
{
	if (item->flags & REF_IS_SYMREF)
		strbuf_addstr(out, item->flags & REF_IS_PACKED ? "symref,packed" : "symref");
	else if (item->flags & REF_IS_PACKED)
		strbuf_addstr(out, "packed");
}

/* ---- the object ---- */

/* The object that the atom is about; NULL: there is no tag to follow. */
static int find_object(struct ref_listing *l, const struct ref_item *item,
		       const struct ref_atom *a, struct object_facts **out, struct err *err)
{
	struct object_facts *f = &l->state->object;
	int rc;

	*out = NULL;
	object_facts_about(f, &item->oid);
	if (!a->deref) {
		*out = f;
		return 0;
	}
	if (item->flags & REF_PEEL_KNOWN && oid_is_null(&item->peeled))
		return 0; /* packed-refs says that it is no tag */
	rc = object_facts_type(f, l->repo, item->refname, err);
	if (rc < 0 || f->info.type != OBJ_TAG)
		return rc;
	rc = object_facts_content(f, l->repo, item->refname, err);
	if (rc < 0)
		return rc;
	object_facts_about(&l->state->target, &f->tag.target);
	*out = &l->state->target;
	return 0;
}

static void add_size(uint64_t size, struct strbuf *out, uint64_t *number)
{
	*number = size;
	strbuf_addf(out, "%" PRIu64, size);
}

static int header_value(struct ref_listing *l, const struct ref_item *item,
			struct object_facts *f, const struct ref_atom *a, struct strbuf *out,
			uint64_t *number, struct err *err)
{
	bool place = a->id == ATOM_DELTABASE || (a->id == ATOM_OBJECTSIZE && a->flag);
	int rc = place ? object_facts_place(f, l->repo, item->refname, err) :
			 object_facts_type(f, l->repo, item->refname, err);

	if (rc < 0)
		return rc;
	if (a->id == ATOM_OBJECTTYPE)
		strbuf_addstr(out, object_type_name(f->info.type));
	else if (a->id == ATOM_OBJECTSIZE)
		add_size(a->flag ? f->info.disk_size : f->info.size, out, number);
	else if (oid_is_null(&f->info.delta_base))
		strbuf_add_oid(out, &l->repo->algo->null_oid);
	else
		strbuf_add_oid(out, &f->info.delta_base);
	return 0;
}

static int object_value(struct ref_listing *l, const struct ref_item *item,
			const struct ref_atom *a, struct strbuf *out, uint64_t *number,
			struct err *err)
{
	struct object_facts *f;
	int rc = find_object(l, item, a, &f, err);

	if (rc < 0 || !f)
		return rc;
	if (a->id == ATOM_OBJECTNAME) {
		if (a->abbrev)
			odb_abbrev(l->repo->odb, &f->oid, a->abbrev, out);
		else
			strbuf_add_oid(out, &f->oid);
		return 0;
	}
	if (a->id <= ATOM_DELTABASE)
		return header_value(l, item, f, a, out, number, err);
	rc = object_facts_content(f, l->repo, item->refname, err);
	if (!rc)
		rc = ref_content_value(l, f, a, out, number, err);
	return rc;
}

/* Where it leads in the end, by way of however many others. */
static void add_symref(struct ref_listing *l, const struct ref_item *item,
		       const struct ref_atom *a, struct strbuf *out)
{
	struct object_id oid;
	char *target = NULL;

	if (!item->symref)
		return;
	if (ref_resolve(l->repo->refs, item->refname, &oid, &target, NULL, NULL) < 0)
		ref_name_format(l, a, item->symref, out);
	else
		ref_name_format(l, a, target, out);
	free(target);
}

int ref_atom_value(struct ref_listing *l, const struct ref_item *item, const struct ref_atom *a,
		   struct strbuf *out, uint64_t *number, struct err *err)
{
	*number = 0;
	switch (a->id) {
	case ATOM_REFNAME:
		add_refname(l, item, a, out);
		break;
	case ATOM_SYMREF:
		add_symref(l, item, a, out);
		break;
	case ATOM_FLAG:
		add_flags(item, out);
		return 0;
	case ATOM_HEAD:
		strbuf_addch(out, is_head(l, item) ? '*' : ' ');
		return 0;
	case ATOM_WORKTREEPATH:
		return add_worktree_path(l, item, out, err);
	case ATOM_UPSTREAM:
	case ATOM_PUSH:
	case ATOM_AHEAD_BEHIND:
		return ref_remote_value(l, item, a, out, err);
	case ATOM_COLOR:
		if (l->color)
			strbuf_addstr(out, a->arg);
		return 0;
	case ATOM_ALIGN:
	case ATOM_IF:
	case ATOM_THEN:
	case ATOM_ELSE:
	case ATOM_END:
		return 0;
	default:
		return object_value(l, item, a, out, number, err);
	}
	if (a->deref)
		strbuf_addstr(out, "^{}");
	return 0;
}

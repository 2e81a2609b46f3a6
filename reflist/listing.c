/* SPDX-License-Identifier: GPL-2.0-only */
/* A listing and its items: made, filled, freed. */
#include "compat/posix.h"
#include "util/alloc.h"
#include "reflist/reflist-internal.h"

struct reflist *reflist_new(struct repository *r)
{
	static const struct reflist_state blank = {
		.literals = STRBUF_INIT, .value = STRBUF_INIT, .worktree_of = STRMAP_INIT,
		.version_suffixes = STRVEC_INIT,
	};
	struct reflist *l;

	CALLOC_ARRAY(l, 1);
	l->repo = r;
	l->state = xmemdup(&blank, sizeof(blank));
	return l;
}

void reflist_item_free(struct reflist_item *item)
{
	if (!item)
		return;
	for (size_t i = 0; i < item->nr_values; i++)
		free(item->values[i].text);
	free(item->values);
	free(item);
}

static void state_free(struct reflist_state *s)
{
	for (size_t i = 0; i < s->nr_atoms; i++)
		ref_atom_free(s->atoms[i]);
	for (size_t i = 0; i < s->alloc_frames; i++)
		strbuf_release(&s->frames[i].out);
	free(s->atoms);
	free(s->keys);
	free(s->pieces);
	free(s->frames);
	free(s->head);
	strbuf_release(&s->literals);
	strbuf_release(&s->value);
	object_facts_clear(&s->object);
	object_facts_clear(&s->target);
	commit_pool_free(s->pool);
	grafts_clear(&s->grafts);
	mailmap_free(s->mailmap);
	ref_shortener_free(s->shortener);
	worktrees_free(s->worktrees);
	strmap_clear(&s->worktree_of, NULL);
	strvec_clear(&s->version_suffixes);
	free(s);
}

void reflist_free(struct reflist *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->nr; i++)
		reflist_item_free(l->items[i]);
	free(l->items);
	state_free(l->state);
	free(l);
}

int reflist_pool(struct reflist *l, struct commit_pool **out, struct err *err)
{
	int rc = 0;

	if (!l->state->pool)
		rc = commit_pool_new(&l->state->pool, l->repo, err);
	if (!rc)
		*out = l->state->pool;
	return rc;
}

/* ---- items ---- */

unsigned reflist_kind_of(const char *name)
{
	static const struct { const char *prefix; unsigned kind; } kinds[] = {
		{ "refs/heads/", REFLIST_HEADS }, { "refs/remotes/", REFLIST_REMOTES },
		{ "refs/tags/", REFLIST_TAGS }, { "refs/", REFLIST_OTHERS },
	};

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (starts_with(name, kinds[i].prefix))
			return kinds[i].kind;
	return REFLIST_ROOT;
}

struct reflist_item *reflist_item_fill(struct reflist_item *item, size_t *size, const struct ref *ref,
				       unsigned kind)
{
	size_t len = strlen(ref->name) + 1;
	size_t target = ref->symref_target ? strlen(ref->symref_target) + 1 : 0;
	size_t need = st_add(st_add(sizeof(*item), len), target);

	if (!item || need > *size) {
		*size = need;
		item = xrealloc(item, need);
	}
	memset(item, 0, sizeof(*item));
	memcpy(item->refname, ref->name, len);
	if (target) { /* stored behind the name */
		memcpy(item->refname + len, ref->symref_target, target);
		item->symref = item->refname + len;
	}
	item->oid = ref->oid;
	item->peeled = ref->peeled;
	item->flags = ref->flags;
	item->kind = kind;
	return item;
}

struct reflist_item *reflist_append(struct reflist *l, const struct ref *ref, unsigned kind)
{
	size_t size;

	ALLOC_GROW(l->items, l->nr + 1, l->alloc);
	l->items[l->nr] = reflist_item_fill(NULL, &size, ref, kind);
	return l->items[l->nr++];
}

struct reflist_item *reflist_add(struct reflist *l, const char *refname,
				 const struct object_id *oid)
{
	struct ref ref = { .name = refname, .oid = *oid };

	return reflist_append(l, &ref, reflist_kind_of(refname));
}

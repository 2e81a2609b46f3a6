/* SPDX-License-Identifier: GPL-2.0-only */
/* See fetch-map.h. */
#include "compat/posix.h"
#include "porcelain/fetch-map.h"
#include "refs/refs.h"
#include "util/alloc.h"
#include "util/map.h"

#define TAGS "refs/tags/"

static void item_release(struct fetch_item *item)
{
	free(item->src);
	free(item->dst);
}

void fetch_map_release(struct fetch_map *map)
{
	for (size_t i = 0; i < map->nr; i++)
		item_release(&map->items[i]);
	free(map->items);
	oid_array_clear(&map->left_out);
	*map = (struct fetch_map)FETCH_MAP_INIT;
}

static struct fetch_item *fetch_map_add(struct fetch_map *map, const char *src,
					const struct object_id *oid, const char *dst,
					bool force, enum fetch_head_status status)
{
	struct fetch_item *item;

	ALLOC_GROW(map->items, map->nr + 1, map->alloc);
	item = &map->items[map->nr++];
	*item = (struct fetch_item){ xstrdup(src), dst && *dst ? xstrdup(dst) : NULL, *oid, force, status };
	return item;
}

/* ---- one refspec ---- */

struct making {
	struct fetch_map *map;
	const struct remote_refs *refs;
	const struct fetch_choice *choice;
	repo_warn_fn warn;
	void *data;
	bool knows_symbolic;
	struct strset symbolic; /* refs of ours */
};

/* "topic" as a destination is a branch, "tags/x" is what it says. */
static char *full_destination(const char *dst)
{
	if (!dst || !*dst)
		return NULL;
	if (starts_with(dst, "refs/"))
		return xstrdup(dst);
	if (starts_with(dst, "heads/") || starts_with(dst, "tags/") || starts_with(dst, "remotes/"))
		return xstrfmt("refs/%s", dst);
	return xstrfmt("refs/heads/%s", dst);
}

/* Its place below refs/prefetch/; NULL: it is not prefetched, like all that a refspec for tags alone brings. */
static char *prefetch_destination(char *dst, const struct refspec_item *spec)
{
	const char *rest;
	char *to = NULL;

	if (dst && skip_prefix(dst, "refs/", &rest) && !starts_with(spec->dst, TAGS))
		to = xstrfmt("refs/prefetch/%s", rest);
	free(dst);
	return to;
}

static void fetch_map_tell(const struct making *m, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vreport(m->warn, m->data, fmt, ap);
	va_end(ap);
}

/* The refspecs that choose: those of the command line, or else those of the remote. */
static const struct refspec *choosing(const struct fetch_choice *c)
{
	return c->given->nr ? c->given : &c->remote->fetch;
}

/* A negative refspec leaves out a source, whatever else chooses it: patterns, branch.*.merge, --tags. */
static bool is_excluded(const struct making *m, const char *src)
{
	return refspec_excludes(choosing(m->choice), src);
}

static void place(struct making *m, const char *src, const struct object_id *oid, const struct refspec_item *spec,
		  const char *mapped, enum fetch_head_status status)
{
	bool prefetch = m->choice->prefetch && status != FETCH_HEAD_MERGE;
	char *dst;

	if (is_excluded(m, src)) {
		oid_array_append(&m->map->left_out, oid);
		return;
	}
	dst = full_destination(mapped);
	if (prefetch)
		dst = prefetch_destination(dst, spec);
	if (dst && !refname_is_valid(dst, 0))
		fetch_map_tell(m, "* Ignoring funny ref '%s' locally", dst);
	else if (!prefetch || dst)
		fetch_map_add(m->map, src, oid, dst, spec->force || prefetch, status);
	free(dst);
}

/* A broken one counts: to ask for it makes the command fail, where the copy would not be whole. */
static bool fetch_map_is_there(const struct remote_ref *ref)
{
	return ref && (!oid_is_null(&ref->oid) || remote_ref_is_broken(ref));
}

static int note_symbolic(void *data, const struct ref *ref)
{
	if (ref->symref_target)
		strset_add(data, ref->name);
	return 0;
}

/* A pattern leaves symbolic refs here alone (refs/remotes/origin/HEAD): the ref that one names comes by itself. */
static bool is_symbolic_here(struct making *m, const char *dst)
{
	struct repository *r = m->choice->here;

	if (!r || m->choice->prefetch)
		return false;
	/* All at once: to look at each ref costs more. The update of the refs reports refs that cannot be read. */
	if (!m->knows_symbolic)
		(void)!refs_foreach(r->refs, "", REFS_INCLUDE_BROKEN, note_symbolic, &m->symbolic, NULL);
	m->knows_symbolic = true;
	return strset_contains(&m->symbolic, dst);
}

static void expand_pattern(struct making *m, const struct refspec_item *spec, enum fetch_head_status status)
{
	struct strbuf dst = STRBUF_INIT;

	for (size_t i = 0; i < m->refs->nr; i++) {
		const struct remote_ref *ref = &m->refs->items[i];

		strbuf_reset(&dst);
		if (fetch_map_is_there(ref) && refspec_item_map(spec, ref->name, &dst) && !is_symbolic_here(m, dst.buf))
			place(m, ref->name, &ref->oid, spec, dst.buf, status);
	}
	strbuf_release(&dst);
}

static int expand(struct making *m, const struct refspec_item *spec, enum fetch_head_status status, struct err *err)
{
	const char *name = *spec->src ? spec->src : "HEAD";
	const struct remote_ref *ref;

	if (spec->negative)
		return 0;
	if (spec->pattern) {
		expand_pattern(m, spec, status);
		return 0;
	}
	if (spec->exact_oid) {
		place(m, spec->src, &spec->oid, spec, spec->dst, status);
		return 0;
	}
	ref = remote_refs_dwim(m->refs, name);
	if (!fetch_map_is_there(ref))
		return err_set(err, ERR_NOT_FOUND, "couldn't find remote ref %s", name);
	place(m, ref->name, &ref->oid, spec, spec->dst, status);
	return 0;
}

/* ---- who chooses ---- */

static void add_by_pattern(struct making *m, const struct refspec_item *spec, size_t nr)
{
	struct strbuf dst = STRBUF_INIT;

	for (size_t i = 0; !spec->negative && i < nr; i++) {
		const char *src = m->map->items[i].src;
		struct object_id oid = m->map->items[i].oid;

		strbuf_reset(&dst);
		if (refspec_item_map(spec, src, &dst) && !is_symbolic_here(m, dst.buf))
			place(m, src, &oid, spec, dst.buf, FETCH_HEAD_IGNORE);
	}
	strbuf_release(&dst);
}

/* A refspec may name its source in short, as the command line may. */
static void add_by_name(struct making *m, const struct refspec_item *spec, size_t nr)
{
	struct strvec names = STRVEC_INIT;

	refname_expansions(*spec->src ? spec->src : "HEAD", &names);
	for (size_t k = 0; k < names.nr; k++)
		for (size_t i = 0; i < nr; i++) {
			struct object_id oid = m->map->items[i].oid;

			if (strcmp(m->map->items[i].src, names.v[k]) != 0)
				continue;
			place(m, m->map->items[i].src, &oid, spec, spec->dst, FETCH_HEAD_IGNORE);
			strvec_clear(&names);
			return;
		}
	strvec_clear(&names);
}

/*
 * What the command line names goes where the remote's own refspecs would put it, too. Each of these has its own
 * "+"; as in Git, negative refspecs of the remote do not count here.
 */
static void add_opportunistic(struct making *m, size_t nr)
{
	const struct refspec *rs = m->choice->refmap ? m->choice->refmap : &m->choice->remote->fetch;

	for (size_t k = 0; k < rs->nr; k++)
		if (rs->items[k].pattern)
			add_by_pattern(m, &rs->items[k], nr);
		else if (!rs->items[k].negative)
			add_by_name(m, &rs->items[k], nr);
}

static int choose_given(struct making *m, struct err *err)
{
	const struct refspec *rs = m->choice->given;
	int rc = 0;

	for (size_t i = 0; !rc && i < rs->nr; i++)
		rc = expand(m, &rs->items[i], FETCH_HEAD_MERGE, err);
	return rc;
}

/* The first that a name, which may be short, can mean; NULL. */
static struct fetch_item *item_that_is(const struct fetch_map *map, const char *name)
{
	struct strvec names = STRVEC_INIT;
	struct fetch_item *found = NULL;

	refname_expansions(name, &names);
	for (size_t i = 0; i < map->nr && !found; i++)
		for (size_t k = 0; k < names.nr && !found; k++)
			if (!strcmp(map->items[i].src, names.v[k]))
				found = &map->items[i];
	strvec_clear(&names);
	return found;
}

/* What the current branch merges is marked; what no refspec brings comes without a place. */
static void add_merges(struct making *m)
{
	const struct strvec *merge = m->choice->merge;

	for (size_t k = 0; k < merge->nr; k++) {
		const struct remote_ref *ref = remote_refs_dwim(m->refs, merge->v[k]);
		struct fetch_item *item = item_that_is(m->map, merge->v[k]);

		if (item)
			item->status = FETCH_HEAD_MERGE;
		else if (fetch_map_is_there(ref) && !is_excluded(m, ref->name))
			fetch_map_add(m->map, ref->name, &ref->oid, NULL, false, FETCH_HEAD_MERGE);
	}
}

static int choose_configured(struct making *m, struct err *err)
{
	const struct refspec *rs = &m->choice->remote->fetch;
	bool has_merge = m->choice->merge && m->choice->merge->nr, none = has_merge || m->choice->merges_elsewhere;
	int rc = 0;

	for (size_t i = 0; !rc && i < rs->nr; i++) {
		size_t first = m->map->nr;

		rc = expand(m, &rs->items[i], FETCH_HEAD_NOT_FOR_MERGE, err);
		if (!i && !none && !rs->items[i].pattern && m->map->nr > first)
			m->map->items[first].status = FETCH_HEAD_MERGE;
	}
	if (!rc && has_merge)
		add_merges(m);
	return rc;
}

static int choose_head(struct making *m, struct err *err)
{
	const struct remote_ref *ref = remote_refs_find(m->refs, "HEAD");

	if (!ref || oid_is_null(&ref->oid))
		return err_set(err, ERR_NOT_FOUND, "couldn't find remote ref HEAD");
	fetch_map_add(m->map, ref->name, &ref->oid, NULL, false, FETCH_HEAD_MERGE);
	return 0;
}

static void add_all_tags(struct making *m)
{
	for (size_t i = 0; i < m->refs->nr; i++) {
		const struct remote_ref *ref = &m->refs->items[i];

		if (starts_with(ref->name, TAGS) && fetch_map_is_there(ref) && !is_excluded(m,
											    ref->name))
			fetch_map_add(m->map, ref->name, &ref->oid, ref->name, false,
				      FETCH_HEAD_NOT_FOR_MERGE);
	}
}

static void add_missing_tags(struct fetch_map *map, const struct remote_refs *refs, struct repository *r)
{
	struct oidset coming = OIDSET_INIT;
	struct strset placed = STRSET_INIT;

	for (size_t i = 0; i < map->left_out.nr; i++)
		oidset_insert(&coming, &map->left_out.oid[i]);
	for (size_t i = 0; i < map->nr; i++) {
		oidset_insert(&coming, &map->items[i].oid);
		if (map->items[i].dst)
			strset_add(&placed, map->items[i].dst);
	}
	for (size_t i = 0; i < refs->nr; i++) {
		const struct remote_ref *ref = &refs->items[i];
		const struct object_id *target = oid_is_null(&ref->peeled) ? &ref->oid : &ref->peeled;

		if (!starts_with(ref->name, TAGS) || oid_is_null(&ref->oid) || strset_contains(&placed, ref->name) ||
		    ref_exists(r->refs, ref->name))
			continue;
		if (oidset_contains(&coming, &ref->oid) || oidset_contains(&coming, target) || odb_has_quick(r->odb, target))
			fetch_map_add(map, ref->name, &ref->oid, ref->name, false,
				      FETCH_HEAD_NOT_FOR_MERGE);
	}
	oidset_clear(&coming);
	strset_clear(&placed);
}

/*
 * As in Git, tags come before the places that the remote's refspecs add: a tag that follows is in FETCH_HEAD also where
 * such a refspec brings it.
 */
static void add_tags(struct making *m)
{
	if (m->choice->tags == REMOTE_TAGS_ALL)
		add_all_tags(m);
	else if (m->choice->follow && fetch_choice_follows_tags(m->choice))
		add_missing_tags(m->map, m->refs, m->choice->follow);
}

/* ---- each place once ---- */

static int drop_repeated(struct making *m, struct err *err)
{
	struct fetch_map *map = m->map;
	struct strmap places = STRMAP_INIT; /* 1 + the position */
	size_t nr = 0;
	int rc = 0;

	for (size_t i = 0; i < map->nr; i++) {
		struct fetch_item item = map->items[i], *other;
		uintptr_t at = item.dst ? (uintptr_t)strmap_get(&places, item.dst) : 0;

		if (!at) {
			if (item.dst)
				strmap_put(&places, item.dst, (void *)(nr + 1));
			map->items[nr++] = item;
			continue;
		}
		other = &map->items[at - 1];
		/* The first stays as it is: the "+" of a later refspec does not force what came without one. */
		if (!strcmp(other->src, item.src))
			;
		else if (item.status == FETCH_HEAD_IGNORE)
			fetch_map_tell(m, "%s usually tracks %s, not %s", item.dst, item.src,
				       other->src);
		else if (!rc)
			rc = err_set(err, ERR_CONFLICT, "Cannot fetch both %s and %s to %s", other->src, item.src,
				     item.dst);
		item_release(&item);
	}
	map->nr = nr;
	strmap_clear(&places, NULL);
	return rc;
}

int fetch_map_make(struct fetch_map *map, const struct remote_refs *refs, const struct fetch_choice *c,
		   repo_warn_fn warn, void *data, struct err *err)
{
	struct making m = { map, refs, c, warn, data, false, STRSET_INIT };
	size_t chosen;
	int rc;

	if (c->given->nr)
		rc = choose_given(&m, err);
	else if (c->remote->fetch.nr || (c->merge && c->merge->nr))
		rc = choose_configured(&m, err);
	else if (c->prefetch)
		rc = 0;
	else
		rc = choose_head(&m, err);
	chosen = map->nr;
	if (!rc)
		add_tags(&m);
	if (!rc && c->given->nr)
		add_opportunistic(&m, chosen);
	strset_clear(&m.symbolic);
	return rc < 0 ? rc : drop_repeated(&m, err);
}

/* ---- tags that follow ---- */

bool fetch_choice_follows_tags(const struct fetch_choice *c)
{
	const struct refspec *rs = choosing(c);

	return c->tags == REMOTE_TAGS_DEFAULT && refspec_has_places(rs);
}

void fetch_map_backfill_tags(struct fetch_map *map, const struct remote_refs *refs, struct repository *r)
{
	add_missing_tags(map, refs, r);
}

/* ---- what has to be asked for ---- */

void fetch_map_wants(const struct fetch_map *map, struct oid_array *out)
{
	for (size_t i = 0; i < map->nr; i++)
		oid_array_append(out, &map->items[i].oid);
	oid_array_sort_unique(out);
}

static bool only_excludes(const struct refspec *rs)
{
	for (size_t i = 0; i < rs->nr; i++)
		if (!rs->items[i].negative)
			return false;
	return true;
}

void fetch_choice_prefixes(const struct fetch_choice *c, struct strvec *out)
{
	const struct refspec *rs = choosing(c);
	bool limited = !rs->nr || refspec_prefixes(rs, out), merges = !c->given->nr && c->merge && c->merge->nr;

	/* As in Git, a short name finds only what a refspec lists, or a tag. */
	limited |= only_excludes(rs);
	for (size_t i = 0; limited && merges && i < c->merge->nr; i++)
		strvec_push(out, c->merge->v[i]);
	if (!limited) {
		strvec_clear(out);
		return;
	}
	if (!c->given->nr && (rs->nr || !merges))
		strvec_push(out, "HEAD");
	if (c->tags == REMOTE_TAGS_ALL || (c->tags != REMOTE_TAGS_NONE && !c->given->nr) || fetch_choice_follows_tags(c))
		strvec_push(out, TAGS);
}

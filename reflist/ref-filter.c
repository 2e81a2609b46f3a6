/* SPDX-License-Identifier: GPL-2.0-only */
/* Which refs are listed; the listing itself. */
#include "compat/posix.h"
#include "util/alloc.h"
#include "util/wildmatch.h"
#include "reflist/ref-filter-internal.h"
#include "history/revparse.h"
#include <dirent.h>

/* ---- filters ---- */

void ref_filter_release(struct ref_filter *f)
{
	strvec_clear(&f->patterns);
	strvec_clear(&f->exclude);
	oid_array_clear(&f->points_at);
	oid_array_clear(&f->contains);
	oid_array_clear(&f->no_contains);
	oid_array_clear(&f->merged);
	oid_array_clear(&f->no_merged);
}

int ref_filter_add_object(struct oid_array *list, struct repository *r, const char *name,
			  struct err *err)
{
	struct err local = ERR_INIT;
	struct object_id oid;
	int rc = revparse_oid(r, name, &oid, &local);

	err_release(&local);
	if (rc < 0)
		return err_set(err, ERR_NOT_FOUND, "malformed object name '%s'", name);
	oid_array_append(list, &oid);
	return 0;
}

int ref_filter_add_commit(struct oid_array *list, struct repository *r, const char *name,
			  struct err *err)
{
	const struct object_source *src = odb_source(r->odb);
	struct err local = ERR_INIT;
	struct object_id oid, commit;
	enum object_type type = OBJ_BAD;
	int rc = revparse_oid(r, name, &oid, &local);

	err_release(&local);
	if (rc < 0)
		return err_set(err, ERR_NOT_FOUND, "malformed object name %s", name);
	rc = object_peel(src, &oid, OBJ_ANY, &commit, &type, err);
	if (rc < 0)
		return rc;
	if (type != OBJ_COMMIT)
		return err_set(err, ERR_INVALID, "object %s is a %s, not a commit",
			       oid_hex(&commit), object_type_name(type));
	oid_array_append(list, &commit);
	return 0;
}

/* ---- listings ---- */

struct ref_listing *ref_listing_new(struct repository *r)
{
	static const struct ref_listing_state blank = {
		.literals = STRBUF_INIT, .value = STRBUF_INIT, .worktree_of = STRMAP_INIT,
		.version_suffixes = STRVEC_INIT,
	};
	struct ref_listing *l;

	CALLOC_ARRAY(l, 1);
	l->repo = r;
	l->state = xmemdup(&blank, sizeof(blank));
	return l;
}

void ref_item_free(struct ref_item *item)
{
	if (!item)
		return;
	for (size_t i = 0; i < item->nr_values; i++)
		free(item->values[i].text);
	free(item->values);
	free(item);
}

static void state_free(struct ref_listing_state *s)
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
	object_facts_forget(&s->object);
	object_facts_forget(&s->target);
	commit_pool_free(s->pool);
	mailmap_free(s->mailmap);
	ref_shortener_free(s->shortener);
	worktrees_free(s->worktrees);
	strmap_clear(&s->worktree_of, NULL);
	strvec_clear(&s->version_suffixes);
	free(s);
}

void ref_listing_free(struct ref_listing *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->nr; i++)
		ref_item_free(l->items[i]);
	free(l->items);
	state_free(l->state);
	free(l);
}

int ref_listing_pool(struct ref_listing *l, struct commit_pool **out, struct err *err)
{
	int rc = 0;

	if (!l->state->pool)
		rc = commit_pool_new(&l->state->pool, l->repo, err);
	if (!rc)
		*out = l->state->pool;
	return rc;
}

/* ---- one ref ---- */

static unsigned kind_of(const char *name)
{
	static const struct { const char *prefix; unsigned kind; } kinds[] = {
		{ "refs/heads/", REF_KIND_HEADS }, { "refs/remotes/", REF_KIND_REMOTES },
		{ "refs/tags/", REF_KIND_TAGS }, { "refs/", REF_KIND_OTHERS },
	};

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (starts_with(name, kinds[i].prefix))
			return kinds[i].kind;
	return REF_KIND_ROOT;
}

/* Into item (of *room bytes), which grows; name and target lie behind it. */
static struct ref_item *fill_item(struct ref_item *item, size_t *room, const struct ref *ref,
				  unsigned kind)
{
	size_t len = strlen(ref->name) + 1;
	size_t target = ref->symref_target ? strlen(ref->symref_target) + 1 : 0;
	size_t need = st_add(st_add(sizeof(*item), len), target);

	if (need > *room) {
		*room = need;
		item = xrealloc(item, need);
	}
	memset(item, 0, sizeof(*item));
	memcpy(item->refname, ref->name, len);
	if (target) {
		memcpy(item->refname + len, ref->symref_target, target);
		item->symref = item->refname + len;
	}
	item->oid = ref->oid;
	item->peeled = ref->peeled;
	item->flags = ref->flags;
	item->kind = kind;
	return item;
}

static struct ref_item *append_item(struct ref_listing *l, const struct ref *ref, unsigned kind)
{
	size_t room = 0;

	ALLOC_GROW(l->items, l->nr + 1, l->alloc);
	l->items[l->nr] = fill_item(NULL, &room, ref, kind);
	return l->items[l->nr++];
}

struct ref_item *ref_listing_add(struct ref_listing *l, const char *refname,
				 const struct object_id *oid)
{
	struct ref ref = { .name = refname, .oid = *oid };

	return append_item(l, &ref, kind_of(refname));
}

/* ---- does it match ---- */

static bool matches_path(const char *name, const char *pattern, unsigned wild)
{
	size_t len = strlen(pattern);

	if (!strncmp(name, pattern, len) &&
	    (!name[len] || name[len] == '/' || (len && pattern[len - 1] == '/')))
		return true;
	return wildmatch(pattern, name, wild | WM_PATHNAME);
}

static bool matches_any(const struct strvec *patterns, const char *name, bool as_path,
			bool ignore_case)
{
	unsigned wild = ignore_case ? WM_CASEFOLD : 0;

	for (size_t i = 0; i < patterns->nr; i++)
		if (as_path ? matches_path(name, patterns->v[i], wild) :
			      wildmatch(patterns->v[i], name, wild))
			return true;
	return false;
}

static const char *short_name(const char *name)
{
	static const char *const prefixes[] = {
		"refs/tags/", "refs/heads/", "refs/remotes/", "refs/",
	};

	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (skip_prefix(name, prefixes[i], &name))
			break;
	return name;
}

struct gathering {
	struct ref_listing *l;
	const struct ref_filter *f;
	/* Show each at once, instead of keeping it. */
	ref_shown_fn fn;
	void *data;
	size_t max, shown;
	struct ref_item *item;
	size_t item_room;
	struct strbuf text;
	struct err *err;
};

/* 1: it is one of those, or a tag of one of those. */
static int points_at(struct gathering *g, const struct ref *ref)
{
	struct oid_array wanted = g->f->points_at;
	struct object_facts *o = &g->l->state->object;
	int rc;

	for (size_t i = 0; i < wanted.nr; i++)
		if (oid_eq(&wanted.oid[i], &ref->oid))
			return 1;
	if (ref->flags & REF_PEEL_KNOWN && oid_is_null(&ref->peeled))
		return 0;
	object_facts_about(o, &ref->oid);
	rc = object_facts_type(o, g->l->repo, ref->name, g->err);
	if (rc < 0 || o->info.type != OBJ_TAG)
		return rc;
	rc = object_facts_content(o, g->l->repo, ref->name, g->err);
	for (size_t i = 0; !rc && i < wanted.nr; i++)
		if (oid_eq(&wanted.oid[i], &o->tag.target))
			return 1;
	return rc;
}

/* 1: wanted, 0, < 0. */
static int is_wanted(struct gathering *g, const struct ref *ref, unsigned kind)
{
	const struct ref_filter *f = g->f;
	const char *name = f->match_short ? short_name(ref->name) : ref->name;

	if (!(kind & f->kinds))
		return 0;
	if (f->patterns.nr && !matches_any(&f->patterns, name, !f->match_short, f->ignore_case))
		return 0;
	if (f->exclude.nr && matches_any(&f->exclude, ref->name, true, f->ignore_case))
		return 0;
	return f->points_at.nr ? points_at(g, ref) : 1;
}

/* Ends the reading, and is no failure. */
#define ENOUGH INT_MAX

static int show_now(struct gathering *g, const struct ref *ref, unsigned kind)
{
	int rc;

	g->item = fill_item(g->item, &g->item_room, ref, kind);
	strbuf_reset(&g->text);
	rc = ref_listing_show(g->l, g->item, &g->text, g->err);
	if (!rc)
		rc = g->fn(g->data, &g->text);
	if (!rc && ++g->shown == g->max)
		rc = ENOUGH;
	return rc;
}

static int take(struct gathering *g, const struct ref *ref, unsigned kind)
{
	int rc = is_wanted(g, ref, kind);

	if (rc <= 0)
		return rc;
	if (!g->fn) {
		append_item(g->l, ref, kind);
		return 0;
	}
	return show_now(g, ref, kind);
}

static int visit(void *data, const struct ref *ref)
{
	struct gathering *g = data;
	const struct repository *r = g->l->repo;
	unsigned kind = kind_of(ref->name);

	if (ref->flags & REF_BAD_NAME) {
		repo_warn(r, "ignoring ref with broken name %s", ref->name);
		return 0;
	}
	if (ref->flags & REF_IS_BROKEN) {
		if (!(ref->flags & REF_IS_SYMREF)) /* a branch that is not born is fine */
			repo_warn(r, "ignoring broken ref %s", ref->name);
		return 0;
	}
	return take(g, ref, kind);
}

/* ---- where to look ---- */

/* What names begin with that match a pattern behind `prefix`. */
static void add_literal_prefixes(struct strvec *out, const struct ref_filter *f,
				 const char *prefix)
{
	for (size_t i = 0; i < f->patterns.nr; i++)
		strvec_pushf(out, "%s%.*s", prefix, (int)simple_length(f->patterns.v[i]),
			     f->patterns.v[i]);
}

static void add_prefixes(struct strvec *out, const struct ref_filter *f)
{
	static const struct { unsigned kind; const char *prefix; } kinds[] = {
		{ REF_KIND_HEADS, "refs/heads/" }, { REF_KIND_REMOTES, "refs/remotes/" },
		{ REF_KIND_TAGS, "refs/tags/" },
	};
	bool literally = f->patterns.nr && !f->ignore_case;

	if (literally && !f->match_short) {
		add_literal_prefixes(out, f, "");
		return;
	}
	if (f->kinds & REF_KIND_OTHERS) {
		strvec_push(out, "refs/");
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (!(f->kinds & kinds[i].kind))
			continue;
		if (literally)
			add_literal_prefixes(out, f, kinds[i].prefix);
		else
			strvec_push(out, kinds[i].prefix);
	}
}

static int cmp_strings(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Everything that may match, in order of names: prefixes that others hold are left out. */
static int visit_refs(struct gathering *g)
{
	struct strvec prefixes = STRVEC_INIT;
	const char *last = NULL;
	int rc = 0;

	add_prefixes(&prefixes, g->f);
	qsort(prefixes.v, prefixes.nr, sizeof(*prefixes.v), cmp_strings);
	for (size_t i = 0; !rc && i < prefixes.nr; i++) {
		if (last && starts_with(prefixes.v[i], last))
			continue;
		last = prefixes.v[i];
		rc = refs_foreach(g->l->repo->refs, last, REFS_NO_PEEL | REFS_INCLUDE_BROKEN,
				  visit, g, g->err);
	}
	strvec_clear(&prefixes);
	return rc;
}

/* ---- refs that are not below refs/ ---- */

/* Refs by gitglossary(7), "root refs"; FETCH_HEAD and MERGE_HEAD hold more than a name. */
static bool is_root_ref(const char *name)
{
	static const char *const irregular[] = {
		"HEAD", "AUTO_MERGE", "BISECT_EXPECTED_REV", "MERGE_AUTOSTASH",
		"NOTES_MERGE_PARTIAL", "NOTES_MERGE_REF",
	};

	if (!strcmp(name, "FETCH_HEAD") || !strcmp(name, "MERGE_HEAD") ||
	    name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ-_")])
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(irregular); i++)
		if (!strcmp(name, irregular[i]))
			return true;
	return ends_with(name, "_HEAD");
}

static int visit_root(struct gathering *g, const char *name, unsigned kind)
{
	struct ref ref = { .name = name };
	struct object_id oid;
	char *target = NULL;
	int rc = 0;

	if (!ref_resolve(g->l->repo->refs, name, &ref.oid, NULL, &ref.flags, NULL) &&
	    !ref_read_raw(g->l->repo->refs, name, &oid, &target, NULL)) {
		ref.symref_target = target;
		if (kind == REF_KIND_ROOT || !target)
			rc = take(g, &ref, kind);
		free(target);
	}
	return rc;
}

static int visit_roots(struct gathering *g)
{
	const char *path = g->l->repo->gitdir;
	struct string_list names = STRING_LIST_INIT;
	DIR *dir = opendir(path);
	struct dirent *de;
	int rc = 0;

	if (!dir)
		return err_set_errno(g->err, "cannot open directory '%s'", path);
	while ((de = readdir(dir)))
		if (is_root_ref(de->d_name))
			string_list_append(&names, de->d_name);
	closedir(dir);
	string_list_sort(&names);
	for (size_t i = 0; !rc && i < names.nr; i++)
		rc = visit_root(g, names.items[i].string, REF_KIND_ROOT);
	string_list_clear(&names, NULL);
	return rc;
}

static int gather(struct gathering *g)
{
	int rc = 0;

	if (g->f->kinds & REF_KIND_DETACHED_HEAD)
		rc = visit_root(g, "HEAD", REF_KIND_DETACHED_HEAD);
	if (!rc && g->f->kinds & REF_KIND_ROOT)
		rc = visit_roots(g);
	return rc ? rc : visit_refs(g);
}

/* ---- the whole ---- */

static int collect(struct ref_listing *l, const struct ref_filter *f, size_t max,
		   struct err *err)
{
	struct gathering g = { .l = l, .f = f, .text = STRBUF_INIT, .err = err };
	size_t from = l->nr;
	int rc = gather(&g);

	if (!rc && ref_filter_needs_history(f))
		rc = ref_filter_by_history(l, from, f, err);
	return rc ? rc : ref_listing_sort(l, max, err);
}

int ref_listing_collect(struct ref_listing *l, const struct ref_filter *f, struct err *err)
{
	return collect(l, f, 0, err);
}

static int show_while_reading(struct ref_listing *l, const struct ref_filter *f, size_t max,
			      ref_shown_fn fn, void *data, struct err *err)
{
	struct gathering g = { .l = l, .f = f, .fn = fn, .data = data, .max = max,
			       .text = STRBUF_INIT, .err = err };
	int rc = gather(&g);

	free(g.item);
	strbuf_release(&g.text);
	return rc == ENOUGH ? 0 : rc;
}

int ref_listing_each(struct ref_listing *l, const struct ref_filter *f, size_t max,
		     ref_shown_fn fn, void *data, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int rc;

	if (!l->nr && ref_sort_is_natural(l) && !ref_filter_needs_history(f))
		return show_while_reading(l, f, max, fn, data, err);
	rc = collect(l, f, max, err);
	for (size_t i = 0; !rc && i < l->nr && (!max || i < max); i++) {
		strbuf_reset(&text);
		rc = ref_listing_show(l, l->items[i], &text, err);
		if (!rc)
			rc = fn(data, &text);
	}
	strbuf_release(&text);
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* Which refs are listed: they are read, matched, and kept or shown at once. */
#include "compat/posix.h"
#include "util/alloc.h"
#include "util/wildmatch.h"
#include "reflist/reflist-internal.h"
#include "history/names/revparse.h"
#include "refs/root-refs.h"

/* ---- filters ---- */

void reflist_filter_release(struct reflist_filter *f)
{
	strvec_clear(&f->patterns);
	strvec_clear(&f->exclude);
	oid_array_clear(&f->points_at);
	oid_array_clear(&f->contains);
	oid_array_clear(&f->no_contains);
	oid_array_clear(&f->merged);
	oid_array_clear(&f->no_merged);
}

int reflist_filter_add_object(struct oid_array *list, struct repository *r, const char *name,
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

int reflist_filter_add_commit(struct oid_array *list, struct repository *r, const char *name,
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
	if (rc < 0) {
		err_release(err);
		return err_set(err, ERR_CORRUPT, "no such commit %s", name);
	}
	if (type != OBJ_COMMIT)
		return err_set(err, ERR_INVALID, "object %s is a %s, not a commit",
			       oid_hex(&commit), object_type_name(type));
	oid_array_append(list, &commit);
	return 0;
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

/* A power of two. Many refs lead to the same few objects: each is looked up once. */
#define PRESENT_IDS 512

struct collector {
	struct reflist *l;
	const struct reflist_filter *f;
	/* If set, refs are shown at once instead of being kept. */
	reflist_show_fn fn;
	void *data;
	size_t max, shown;
	struct reflist_item *item;
	size_t item_size;
	struct strbuf text;
	struct object_id present[PRESENT_IDS]; /* objects that are there, by their first bytes */
	struct err *err;
};

/* Replaces the message about a missing object by Git's for this case. */
static int malformed_ref(const struct ref *ref, struct err *err)
{
	return err_set(err, ERR_NOT_FOUND, "malformed object at '%s'", ref->name);
}

/* Content of the selected object, if it is a tag: 1; 0: it is none. */
static int read_tag(struct collector *g, const struct ref *ref, struct object_facts *o)
{
	struct err missing = ERR_INIT;
	int rc = object_facts_type(o, g->l->repo, ref->name, &missing);

	if (rc == ERR_NOT_FOUND)
		rc = malformed_ref(ref, g->err);
	else if (rc < 0)
		err_move(g->err, &missing);
	err_release(&missing);
	if (rc < 0 || o->info.type != OBJ_TAG)
		return rc;
	rc = object_facts_content(o, g->l->repo, ref->name, g->err);
	return rc < 0 ? rc : 1;
}

static bool is_wanted(const struct collector *g, const struct object_id *oid)
{
	const struct oid_array *wanted = &g->f->points_at;

	for (size_t i = 0; i < wanted->nr; i++)
		if (oid_eq(&wanted->oid[i], oid))
			return true;
	return false;
}

static bool is_present(struct collector *g, const struct object_id *oid)
{
	struct object_id *known = &g->present[((unsigned)oid->hash[0] << 8 | oid->hash[1]) % PRESENT_IDS];

	if (oid_eq(known, oid))
		return true;
	if (!odb_has(g->l->repo->odb, oid))
		return false;
	*known = *oid;
	return true;
}

/* 1: the ref, or a tag to which it leads, names one of the objects; 0: not; < 0: failure. */
static int points_at(struct collector *g, const struct ref *ref)
{
	struct object_facts *o = &g->l->state->object;
	struct object_id oid = ref->oid;
	int rc = 1;

	if (is_wanted(g, &oid))
		return 1;
	/* No tag: the object is not read, but a ref without its object is reported as in Git. */
	if (ref->flags & REF_PEEL_KNOWN && oid_is_null(&ref->peeled))
		return is_present(g, &oid) ? 0 : malformed_ref(ref, g->err);
	while (rc > 0) {
		object_facts_select(o, &oid);
		rc = read_tag(g, ref, o);
		if (rc > 0)
			oid = o->tag.target;
		if (rc > 0 && is_wanted(g, &oid))
			return 1;
	}
	return rc;
}

/* 1: selected, 0: not, < 0: failure. */
static int is_selected(struct collector *g, const struct ref *ref, unsigned kind)
{
	const struct reflist_filter *f = g->f;
	const char *name = f->match_short ? short_name(ref->name) : ref->name;

	if (!(kind & f->kinds))
		return 0;
	if (f->patterns.nr && !matches_any(&f->patterns, name, !f->match_short, f->ignore_case))
		return 0;
	if (f->exclude.nr && matches_any(&f->exclude, ref->name, true, f->ignore_case))
		return 0;
	return f->points_at.nr ? points_at(g, ref) : 1;
}

/* Returned by a visitor to end the reading without failure. */
#define STOP_READING INT_MAX

static int show_now(struct collector *g, const struct ref *ref, unsigned kind)
{
	int rc;

	g->item = reflist_item_fill(g->item, &g->item_size, ref, kind);
	strbuf_reset(&g->text);
	rc = reflist_show(g->l, g->item, &g->text, g->err);
	if (!rc)
		rc = g->fn(g->data, &g->text);
	if (!rc && ++g->shown == g->max)
		rc = STOP_READING;
	return rc;
}

static int add_or_show(struct collector *g, const struct ref *ref, unsigned kind)
{
	int rc = is_selected(g, ref, kind);

	if (rc <= 0)
		return rc;
	if (!g->fn) {
		reflist_append(g->l, ref, kind);
		return 0;
	}
	return show_now(g, ref, kind);
}

static int visit(void *data, const struct ref *ref)
{
	struct collector *g = data;
	const struct repository *r = g->l->repo;
	unsigned kind = reflist_kind_of(ref->name);

	if (ref->flags & REF_BAD_NAME) {
		repo_warn(r, "ignoring ref with broken name %s", ref->name);
		return 0;
	}
	if (ref->flags & REF_IS_BROKEN) {
		if (!(ref->flags & REF_IS_SYMREF)) /* a symbolic ref to an unborn branch is fine */
			repo_warn(r, "ignoring broken ref %s", ref->name);
		return 0;
	}
	return add_or_show(g, ref, kind);
}

/* ---- prefixes to read ---- */

/* The literal beginnings of the patterns, behind `prefix`. */
static void add_literal_prefixes(struct strvec *out, const struct reflist_filter *f,
				 const char *prefix)
{
	for (size_t i = 0; i < f->patterns.nr; i++)
		strvec_pushf(out, "%s%.*s", prefix, (int)simple_length(f->patterns.v[i]),
			     f->patterns.v[i]);
}

static void add_prefixes(struct strvec *out, const struct reflist_filter *f)
{
	static const struct { unsigned kind; const char *prefix; } kinds[] = {
		{ REFLIST_HEADS, "refs/heads/" }, { REFLIST_REMOTES, "refs/remotes/" },
		{ REFLIST_TAGS, "refs/tags/" },
	};
	bool literally = f->patterns.nr && !f->ignore_case;

	if (literally && !f->match_short) {
		add_literal_prefixes(out, f, "");
		return;
	}
	if (f->kinds & REFLIST_OTHERS) {
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

/* Reads refs below the prefixes, in order of names, each once. */
static int visit_refs(struct collector *g)
{
	struct strvec prefixes = STRVEC_INIT;
	struct ref_range range = { .after = g->f->start_after };
	int rc = 0;

	add_prefixes(&prefixes, g->f);
	qsort(prefixes.v, prefixes.nr, sizeof(*prefixes.v), cmp_strings);
	for (size_t i = 0; !rc && i < prefixes.nr; i++) {
		if (range.prefix && starts_with(prefixes.v[i], range.prefix))
			continue;
		range.prefix = prefixes.v[i];
		rc = refs_foreach_in(g->l->repo->refs, &range, REFS_NO_PEEL | REFS_INCLUDE_BROKEN, visit, g, g->err);
	}
	strvec_clear(&prefixes);
	return rc;
}

/* ---- refs that are not below refs/ ---- */

static int visit_root(struct collector *g, const char *name, unsigned kind)
{
	struct ref ref = { .name = name };
	struct object_id oid;
	char *target = NULL;
	int rc = 0;

	if (!ref_resolve(g->l->repo->refs, name, &ref.oid, NULL, &ref.flags, NULL) &&
	    !ref_read_raw(g->l->repo->refs, name, &oid, &target, NULL)) {
		ref.symref_target = target;
		if (kind == REFLIST_ROOT || !target)
			rc = add_or_show(g, &ref, kind);
		free(target);
	}
	return rc;
}

static int visit_roots(struct collector *g)
{
	struct string_list names = STRING_LIST_INIT;
	int rc = refs_root_names(g->l->repo->refs, "", &names, g->err);

	for (size_t i = 0; !rc && i < names.nr; i++)
		if (!g->f->start_after || strcmp(names.items[i].string, g->f->start_after) > 0)
			rc = visit_root(g, names.items[i].string, REFLIST_ROOT);
	string_list_clear(&names, NULL);
	return rc;
}

static bool needs_objects(const struct reflist *l)
{
	const struct reflist_state *s = l->state;

	for (size_t i = 0; i < s->nr_atoms; i++)
		if (ref_atom_needs_object(s->atoms[i]))
			return true;
	return false;
}

static int read_refs(struct collector *g)
{
	int rc = 0;

	if (needs_objects(g->l))
		repo_preload_replacements(g->l->repo);
	if (g->f->kinds & REFLIST_DETACHED_HEAD)
		rc = visit_root(g, "HEAD", REFLIST_DETACHED_HEAD);
	if (!rc && g->f->kinds & REFLIST_ROOT)
		rc = visit_roots(g);
	return rc ? rc : visit_refs(g);
}

/* ---- listing ---- */

static int collect(struct reflist *l, const struct reflist_filter *f, size_t max,
		   struct err *err)
{
	struct collector g = { .l = l, .f = f, .text = STRBUF_INIT, .err = err };
	size_t from = l->nr;
	int rc = read_refs(&g);

	if (!rc && reflist_filter_needs_history(f))
		rc = reflist_filter_by_history(l, from, f, err);
	return rc ? rc : reflist_sort(l, max, err);
}

int reflist_collect(struct reflist *l, const struct reflist_filter *f, struct err *err)
{
	return collect(l, f, 0, err);
}

static int show_while_reading(struct reflist *l, const struct reflist_filter *f, size_t max,
			      reflist_show_fn fn, void *data, struct err *err)
{
	struct collector g = { .l = l, .f = f, .fn = fn, .data = data, .max = max,
			       .text = STRBUF_INIT, .err = err };
	int rc = read_refs(&g);

	free(g.item);
	strbuf_release(&g.text);
	return rc == STOP_READING ? 0 : rc;
}

int reflist_each(struct reflist *l, const struct reflist_filter *f, size_t max,
		 reflist_show_fn fn, void *data, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int rc;

	if (!l->nr && reflist_sort_is_natural(l) && !reflist_filter_needs_history(f))
		return show_while_reading(l, f, max, fn, data, err);
	rc = collect(l, f, max, err);
	for (size_t i = 0; !rc && i < l->nr && (!max || i < max); i++) {
		strbuf_reset(&text);
		rc = reflist_show(l, l->items[i], &text, err);
		if (!rc)
			rc = fn(data, &text);
	}
	strbuf_release(&text);
	return rc;
}

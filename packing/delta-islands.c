/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * See delta-islands.h. Refs get islands by their names; what refs name, commits by children before parents, and then
 * trees level by level hand their islands on to what they lead to.
 */
#include "compat/posix.h"
#include <regex.h>
#include "config/config.h"
#include "history/revision/revision.h"
#include "packing/delta-islands-internal.h"
#include "odb/odb.h"
#include "refs/refs.h"
#include "util/alloc.h"
#include "util/map.h"

/* Groups of a pattern that count for the name of an island, as in stock Git; one more is looked for. */
#define GROUPS_MAX 14

static const char key[] = "pack.island";

/* An object that a ref names. */
struct tip {
	struct object_id oid;
	uint32_t island;
};

struct finding {
	struct delta_islands *d;
	struct repository *r;
	regex_t *patterns;
	size_t nr_patterns;
	struct strmap islands; /* by name: number plus one */
	struct tip *tips;
	size_t nr_tips, alloc_tips;
	void (*warn)(void *data, const char *msg);
	void *warn_data;
};

/* ---- names of islands ---- */

static int add_pattern(struct finding *f, const char *value, struct err *err)
{
	char *anchored;
	int rc = 0;

	if (!value)
		return err_set(err, ERR_INVALID, "missing value for '%s'", key);
	anchored = xstrfmt("^%s", value);
	if (regcomp(&f->patterns[f->nr_patterns], anchored, REG_EXTENDED))
		rc = err_set(err, ERR_INVALID, "failed to load island regex for '%s': %s", key, anchored);
	else
		f->nr_patterns++;
	free(anchored);
	return rc;
}

static int read_patterns(struct finding *f, struct err *err)
{
	const struct config_entry *const *v;
	size_t nr = 0;
	int rc = 0;

	v = config_get_all(f->r->config, key, &nr);
	CALLOC_ARRAY(f->patterns, nr + 1);
	for (size_t i = 0; i < nr && !rc; i++)
		rc = add_pattern(f, v[i]->value, err);
	return rc;
}

/* The groups that matched, with dashes between them. */
static void name_of(struct finding *f, const char *ref, const regmatch_t *m, struct strbuf *out)
{
	if (m[GROUPS_MAX + 1].rm_so >= 0 && f->warn)
		f->warn(f->warn_data, "island regex from config has too many capture groups (max=14)");
	for (int i = 1; i <= GROUPS_MAX; i++) {
		if (m[i].rm_so < 0)
			continue;
		if (out->len)
			strbuf_addch(out, '-');
		strbuf_add(out, ref + m[i].rm_so, (size_t)(m[i].rm_eo - m[i].rm_so));
	}
}

static uint32_t number_of(struct finding *f, const char *name)
{
	uintptr_t known = (uintptr_t)strmap_get(&f->islands, name);

	if (!known) {
		known = ++f->d->nr;
		strmap_put(&f->islands, name, (void *)known);
	}
	return (uint32_t)(known - 1);
}

/* Adds a ref to its island. If several patterns match, the last one counts. */
static int add_ref(void *data, const struct ref *ref)
{
	struct finding *f = data;
	regmatch_t m[GROUPS_MAX + 2];
	struct strbuf name = STRBUF_INIT;
	size_t i = f->nr_patterns;

	if (oid_is_null(&ref->oid))
		return 0;
	while (i && regexec(&f->patterns[i - 1], ref->name, ARRAY_SIZE(m), m, 0))
		i--;
	if (!i)
		return 0;
	name_of(f, ref->name, m, &name);
	ALLOC_GROW(f->tips, f->nr_tips + 1, f->alloc_tips);
	f->tips[f->nr_tips++] = (struct tip){ ref->oid, number_of(f, name.buf) };
	strbuf_release(&name);
	return 0;
}

static int find_core(struct finding *f, struct err *err)
{
	static const char core[] = "pack.islandcore";
	const struct config_entry *e = config_get(f->r->config, core);
	uintptr_t known;

	if (!e)
		return 0;
	if (!e->value)
		return err_set(err, ERR_INVALID, "missing value for '%s'", core);
	known = (uintptr_t)strmap_get(&f->islands, e->value);
	f->d->has_core = known != 0;
	f->d->core = known ? (uint32_t)(known - 1) : 0;
	return 0;
}

/* ---- what refs name ---- */

/* From tag to tag; what commits and trees lead to comes later. */
static int mark_tip(struct finding *f, struct rev_walk *w, struct island_trees *t, const struct tip *tip,
		    struct err *err)
{
	shared_set set = shared_sets_add(f->d->sets, SHARED_SET_EMPTY, tip->island);
	struct object_id oid = tip->oid;
	enum object_type type;
	uint64_t size;
	int rc;

	while (odb_has(f->r->odb, &oid)) {
		(void)delta_islands_mark(f->d, oid.hash, set);
		rc = odb_type(f->r->odb, &oid, &type, &size, err);
		if (rc < 0)
			return rc;
		if (type == OBJ_COMMIT)
			rev_walk_add_commit(w, &oid, oid_hex(&oid), 0);
		if (type == OBJ_TREE)
			island_trees_queue(t, &oid);
		if (type != OBJ_TAG)
			return 0;
		rc = object_tag_target(odb_source(f->r->odb), &oid, &oid, &type, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* ---- commits ---- */

/* Whatever leads to it has been here. */
static void pass_on(struct finding *f, struct island_trees *t, const struct commit *c)
{
	shared_set set = oid_flags_get(&f->d->marks, c->oid.hash) & SHARED_SET_MAX;

	for (uint32_t i = 0; i < c->nr_parents; i++)
		(void)delta_islands_mark(f->d, c->parents[i]->oid.hash, set);
	if (delta_islands_mark(f->d, c->tree.hash, set))
		island_trees_queue(t, &c->tree);
}

static int walk_commits(struct finding *f, struct rev_walk *w, struct island_trees *t, struct err *err)
{
	struct commit *c;
	int rc;

	if (!w->nr_starts)
		return 0;
	w->order = REV_ORDER_TOPO;
	w->missing_ok = true;
	rc = rev_walk_begin(w, err);
	while (!rc && (rc = rev_walk_next(w, &c, err)) > 0) {
		pass_on(f, t, c);
		rc = 0;
	}
	return rc;
}

static int mark_all(struct finding *f, bool keep_true_parents, struct err *err)
{
	struct island_trees t = { .d = f->d, .odb = f->r->odb, .algo = f->r->algo };
	struct rev_walk *w = NULL;
	int rc = rev_walk_new(&w, f->r, err);

	if (!rc && keep_true_parents)
		commit_pool_keep_true_parents(w->pool);
	for (size_t i = 0; i < f->nr_tips && !rc; i++)
		rc = mark_tip(f, w, &t, &f->tips[i], err);
	if (!rc)
		rc = walk_commits(f, w, &t, err);
	rev_walk_free(w);
	if (!rc)
		rc = island_trees_pass_on(&t, err);
	island_trees_release(&t);
	return rc;
}

/* ---- all of it ---- */

int delta_islands_find(struct delta_islands *out, struct repository *r, bool keep_true_parents,
		       void (*warn)(void *data, const char *msg), void *warn_data, struct err *err)
{
	struct delta_islands d = { .nr = 0 };
	struct finding f = { .d = &d, .r = r, .islands = STRMAP_INIT, .warn = warn, .warn_data = warn_data };
	int rc = read_patterns(&f, err);

	oid_flags_init(&d.marks, r->algo);
	if (!rc && f.nr_patterns)
		rc = refs_foreach(r->refs, "", REFS_NO_PEEL, add_ref, &f, err);
	d.sets = shared_sets_new(d.nr);
	if (!rc)
		rc = find_core(&f, err);
	if (!rc)
		rc = mark_all(&f, keep_true_parents, err);
	while (f.nr_patterns)
		regfree(&f.patterns[--f.nr_patterns]);
	free(f.patterns);
	free(f.tips);
	strmap_clear(&f.islands, NULL);
	if (rc < 0)
		delta_islands_release(&d);
	else
		*out = d;
	return rc;
}

void delta_islands_release(struct delta_islands *d)
{
	shared_sets_free(d->sets);
	oid_flags_release(&d->marks);
	*d = (struct delta_islands){ .nr = 0 };
}

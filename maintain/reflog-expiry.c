/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "maintain/reflog-expiry.h"
#include "object/tree.h"
#include "util/alloc.h"
#include "util/wildmatch.h"
#include "history/history.h"
#include "history/reach/roots.h"
#include "history/names/revparse.h"

#define DAY ((timestamp_t)24 * 60 * 60)

/* Flags of commits, for --stale-fix. */
#define FROM_REF 1u /* reachable from a ref: assumed to be complete, else fsck complains */
#define COMPLETE 2u
#define BROKEN 4u
#define VISITED 8u

struct limits {
	timestamp_t reachable, unreachable; /* entries before that expire; 0: none */
};

struct pattern {
	char *pattern;
	struct limits limits;
};

struct reflog_expiry {
	struct repository *repo;
	struct commit_pool *pool;
	struct limits defaults, given;
	bool reachable_given, unreachable_given;
	struct pattern *patterns; /* in order of the configuration */
	size_t nr_patterns, alloc_patterns;
	bool fix_stale;
	struct oidset complete_trees, broken_trees;

	/* ---- the present log ---- */
	struct limits now;
	bool walks; /* reachability matters for this log */
	uint32_t round;
	uint32_t *seen; /* by index of commit: the round in which it was reached */
	size_t alloc_seen;
	struct commit_list queue, beyond; /* to be visited; older than walk_until */
	timestamp_t walk_until;
};

/* ---- configuration ---- */

static struct pattern *find_pattern(struct reflog_expiry *x, const char *pattern, size_t len)
{
	struct pattern *p;

	for (size_t i = 0; i < x->nr_patterns; i++)
		if (strlen(x->patterns[i].pattern) == len &&
		    !memcmp(x->patterns[i].pattern, pattern, len))
			return &x->patterns[i];
	ALLOC_GROW(x->patterns, x->nr_patterns + 1, x->alloc_patterns);
	p = &x->patterns[x->nr_patterns++];
	memset(p, 0, sizeof(*p)); /* a limit that is not configured is "never", as in Git */
	p->pattern = xmemdupz(pattern, len);
	return p;
}

static int read_config(struct reflog_expiry *x, struct err *err)
{
	const struct config_set *c = x->repo->config;

	for (size_t i = 0; i < config_nr(c); i++) {
		const struct config_entry *e = config_at(c, i);
		struct limits *limits = &x->defaults;
		const char *rest, *name;
		timestamp_t when;

		if (!skip_prefix(e->key, "gc.", &rest))
			continue;
		name = strrchr(rest, '.');
		name = name ? name + 1 : rest;
		if (strcmp(name, "reflogexpire") && strcmp(name, "reflogexpireunreachable"))
			continue;
		if (config_entry_expiry(e, &when, err) < 0)
			return ERR_INVALID;
		if (name != rest)
			limits = &find_pattern(x, rest, name - 1 - rest)->limits;
		if (ends_with(name, "unreachable"))
			limits->unreachable = when;
		else
			limits->reachable = when;
	}
	return 0;
}

int reflog_expiry_new(struct reflog_expiry **out, struct repository *r, struct err *err)
{
	struct reflog_expiry *x;
	timestamp_t now = date_now(NULL);
	int rc;

	CALLOC_ARRAY(x, 1);
	x->repo = r;
	x->defaults.reachable = now - 90 * DAY;
	x->defaults.unreachable = now - 30 * DAY;
	rc = commit_pool_new(&x->pool, r, err);
	if (!rc) {
		commit_pool_ignore_graph(x->pool); /* missing objects have to be noticed */
		rc = read_config(x, err);
	}
	if (rc < 0)
		reflog_expiry_free(x);
	else
		*out = x;
	return rc;
}

void reflog_expiry_free(struct reflog_expiry *x)
{
	if (!x)
		return;
	for (size_t i = 0; i < x->nr_patterns; i++)
		free(x->patterns[i].pattern);
	free(x->patterns);
	free(x->seen);
	commit_list_clear(&x->queue);
	commit_list_clear(&x->beyond);
	oidset_clear(&x->complete_trees);
	oidset_clear(&x->broken_trees);
	commit_pool_free(x->pool);
	free(x);
}

void reflog_expiry_set_reachable(struct reflog_expiry *x, timestamp_t before)
{
	x->given.reachable = before;
	x->reachable_given = true;
}

void reflog_expiry_set_unreachable(struct reflog_expiry *x, timestamp_t before)
{
	x->given.unreachable = before;
	x->unreachable_given = true;
}

/*
 * The limits of the first pattern that matches. If none matches, stashes never expire, because no
 * ref reaches older ones.
 */
static struct limits limits_of(const struct reflog_expiry *x, const char *name)
{
	struct limits l = x->defaults;
	size_t i;

	for (i = 0; i < x->nr_patterns; i++)
		if (wildmatch(x->patterns[i].pattern, name, 0))
			break;
	if (i < x->nr_patterns)
		l = x->patterns[i].limits;
	else if (!strcmp(name, "refs/stash"))
		l = (struct limits){ 0, 0 };
	if (x->reachable_given)
		l.reachable = x->given.reachable;
	if (x->unreachable_given)
		l.unreachable = x->given.unreachable;
	return l;
}

/* ---- one walk from the tip ---- */

static bool mark_seen(struct reflog_expiry *x, const struct commit *c)
{
	if (c->index >= x->alloc_seen) {
		size_t old = x->alloc_seen;

		ALLOC_GROW(x->seen, commit_pool_nr(x->pool), x->alloc_seen);
		memset(x->seen + old, 0, (x->alloc_seen - old) * sizeof(*x->seen));
	}
	if (x->seen[c->index] == x->round)
		return false;
	x->seen[c->index] = x->round;
	return true;
}

static bool is_seen(const struct reflog_expiry *x, const struct commit *c)
{
	return c->index < x->alloc_seen && x->seen[c->index] == x->round;
}

/* NULL: it is no commit, or a missing one. */
static struct commit *commit_of(struct reflog_expiry *x, const struct object_id *oid)
{
	const struct object_source *src = odb_source(x->repo->odb);
	struct object_id peeled;
	enum object_type type;
	struct commit *c;

	if (oid_is_null(oid) || object_peel(src, oid, OBJ_ANY, &peeled, &type, NULL) < 0 ||
	    type != OBJ_COMMIT)
		return NULL;
	c = commit_lookup(x->pool, &peeled);
	return commit_parse_node(x->pool, c, NULL) < 0 ? NULL : c;
}

/* Back to walk_until; missing commits are skipped. */
static void reflog_expiry_walk(struct reflog_expiry *x)
{
	while (x->queue.nr) {
		struct commit *c = x->queue.items[--x->queue.nr];

		if (commit_parse_node(x->pool, c, NULL) < 0)
			continue;
		if (c->date < x->walk_until) {
			commit_list_add(&x->beyond, c);
			continue;
		}
		for (uint32_t i = 0; i < c->nr_parents; i++)
			if (mark_seen(x, c->parents[i]))
				commit_list_add(&x->queue, c->parents[i]);
	}
}

static bool is_reachable(struct reflog_expiry *x, struct commit *c)
{
	reflog_expiry_walk(x);
	if (!is_seen(x, c) && x->beyond.nr) {
		struct commit_list rest = x->beyond;

		x->beyond = x->queue; /* which is empty */
		x->queue = rest;
		x->walk_until = 0;
		reflog_expiry_walk(x);
	}
	return is_seen(x, c);
}

/* Where a ref cannot be read, all entries count as reachable: the log may hold its value alone. */
static void spare_unreachable(struct reflog_expiry *x)
{
	x->now.unreachable = x->now.reachable;
	x->walks = false;
}

static int add_tip(void *data, const struct root *root)
{
	struct reflog_expiry *x = data;
	struct commit *c = root->flags & REF_IS_BROKEN ? NULL : commit_of(x, &root->oid);

	if (root->flags & REF_IS_BROKEN)
		spare_unreachable(x);
	else if (c && mark_seen(x, c))
		commit_list_add(&x->queue, c);
	return 0;
}

static bool is_head(const char *name)
{
	const char *rest;

	if (skip_prefix(name, "main-worktree/", &rest))
		return !strcmp(rest, "HEAD");
	if (skip_prefix(name, "worktrees/", &rest) && (rest = strchr(rest, '/')))
		return !strcmp(rest, "/HEAD");
	return !strcmp(name, "HEAD");
}

/* HEAD may have been on any branch: for its log, what any ref reaches is reachable. */
static int all_tips(struct reflog_expiry *x, root_fn fn, struct err *err)
{
	const struct roots_options o = { .kinds = ROOTS(ROOT_REF) | ROOTS(ROOT_HEAD), .flags = ROOTS_VISIT_BROKEN };

	return roots_foreach(x->repo, &o, fn, x, err);
}

int reflog_expiry_begin(struct reflog_expiry *x, const char *name, struct err *err)
{
	struct root own = { .kind = ROOT_REF, .name = name };
	struct commit *tip = NULL;
	int rc;

	x->now = limits_of(x, name);
	x->queue.nr = x->beyond.nr = 0;
	x->walk_until = x->now.reachable;
	x->round++;
	x->walks = x->now.unreachable > x->now.reachable;
	if (!x->walks)
		return 0;
	if (is_head(name))
		return all_tips(x, add_tip, err);
	rc = ref_resolve(x->repo->refs, name, &own.oid, NULL, NULL, NULL);
	if (!rc)
		tip = commit_of(x, &own.oid);
	if (tip)
		add_tip(x, &own);
	else if (rc == ERR_NOT_FOUND || (!rc && odb_has(x->repo->odb, &own.oid)))
		x->walks = false; /* nothing is reachable from there */
	else
		spare_unreachable(x);
	return 0;
}

/* ---- --stale-fix ---- */

static bool tree_is_complete(struct reflog_expiry *x, const struct object_id *oid, int depth)
{
	const struct object_source *src = odb_source(x->repo->odb);
	struct object_buf buf = OBJECT_BUF_INIT;
	struct tree_iter it;
	struct tree_entry e;
	int rc;

	if (oidset_contains(&x->complete_trees, oid))
		return true;
	if (oidset_contains(&x->broken_trees, oid) || depth > 4096)
		return false;
	rc = odb_read_type(x->repo->odb, oid, OBJ_TREE, &buf, NULL);
	if (!rc) {
		tree_iter_init(&it, buf.data, buf.size, x->repo->algo);
		while ((rc = tree_iter_next(&it, &e, NULL)) > 0) {
			if (MODE_IS_GITLINK(e.mode))
				continue;
			if (MODE_IS_TREE(e.mode) ? !tree_is_complete(x, &e.oid, depth + 1) :
						   !src->has(src->data, &e.oid))
				rc = ERR_NOT_FOUND;
			if (rc < 0)
				break;
		}
	}
	object_buf_release(&buf);
	oidset_insert(rc < 0 ? &x->broken_trees : &x->complete_trees, oid);
	return !rc;
}

/* The first parent of c that is not decided yet; NULL: none. *broken: a parent is incomplete. */
static struct commit *undecided_parent(struct commit *c, bool *broken)
{
	*broken = false;
	for (uint32_t i = 0; i < c->nr_parents; i++) {
		struct commit *p = c->parents[i];

		if (!(p->flags & (FROM_REF | COMPLETE | BROKEN | VISITED)))
			return p;
		*broken |= (p->flags & BROKEN) != 0;
	}
	return NULL;
}

/* Depth first, each commit after its parents. */
static bool commit_is_complete(struct reflog_expiry *x, struct commit *tip)
{
	struct commit_list path = COMMIT_LIST_INIT;
	bool broken;

	if (!(tip->flags & (FROM_REF | COMPLETE | BROKEN)))
		commit_list_add(&path, tip);
	while (path.nr) {
		struct commit *c = path.items[path.nr - 1], *parent;

		if (!(c->flags & VISITED)) {
			c->flags |= VISITED;
			if (commit_parse_node(x->pool, c, NULL) < 0 ||
			    !tree_is_complete(x, &c->tree, 0)) {
				c->flags |= BROKEN;
				path.nr--;
				continue;
			}
		}
		parent = undecided_parent(c, &broken);
		if (parent && !broken) {
			commit_list_add(&path, parent);
			continue;
		}
		c->flags |= broken ? BROKEN : COMPLETE;
		path.nr--;
	}
	commit_list_clear(&path);
	return !(tip->flags & BROKEN);
}

static int add_ref_tip(void *data, const struct root *root)
{
	struct reflog_expiry *x = data;
	struct commit *c = root->flags & REF_IS_BROKEN ? NULL : commit_of(x, &root->oid);

	if (c && !(c->flags & FROM_REF)) {
		c->flags |= FROM_REF;
		commit_list_add(&x->queue, c);
	}
	return 0;
}

int reflog_expiry_fix_stale(struct reflog_expiry *x, struct err *err)
{
	int rc = all_tips(x, add_ref_tip, err);

	while (!rc && x->queue.nr) {
		struct commit *c = x->queue.items[--x->queue.nr];

		if (commit_parse_node(x->pool, c, NULL) < 0)
			continue;
		for (uint32_t i = 0; i < c->nr_parents; i++) {
			if (c->parents[i]->flags & FROM_REF)
				continue;
			c->parents[i]->flags |= FROM_REF;
			commit_list_add(&x->queue, c->parents[i]);
		}
	}
	x->fix_stale = !rc;
	return rc;
}

/* ---- an entry ---- */

static bool is_stale(struct reflog_expiry *x, const struct object_id *oid)
{
	struct commit *c;

	if (oid_is_null(oid))
		return false;
	c = commit_of(x, oid);
	return !c || !commit_is_complete(x, c);
}

/* Something that is no commit counts as reachable. */
static bool is_unreachable(struct reflog_expiry *x, const struct object_id *oid)
{
	struct commit *c = commit_of(x, oid);

	return c && !is_reachable(x, c);
}

int reflog_expiry_keeps(void *data, size_t i UNUSED, size_t nr UNUSED,
			const struct reflog_entry *e, struct err *err UNUSED)
{
	struct reflog_expiry *x = data;

	if (e->date < x->now.reachable)
		return 0;
	if (x->fix_stale && (is_stale(x, &e->old_oid) || is_stale(x, &e->new_oid)))
		return 0;
	if (e->date >= x->now.unreachable)
		return 1;
	return x->walks && !is_unreachable(x, &e->old_oid) && !is_unreachable(x, &e->new_oid);
}

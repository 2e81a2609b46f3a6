/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The walk of trees and blobs. Directories are kept on a stack, whose depth is limited, so that
 * hostile trees cannot exhaust the program's own. A tree is done once nothing new can come of it:
 * at once, unless a filter looks at where things lie.
 */
#include "compat/posix.h"
#include "history/revision/objects-internal.h"
#include "object/tree-new.h"
#include "util/alloc.h"

/* Looking up flags is mostly waiting for memory, so it is asked for some entries before. */
#define LOOK_AHEAD 8 /* a power of two */

struct level {
	struct object_buf buf, old; /* old: see seen_trees */
	struct tree_new_iter entries;
	struct raw_tree_entry ahead[LOOK_AHEAD]; /* entries first to last - 1, modulo LOOK_AHEAD */
	size_t first, last;
	struct object_buf *home; /* of seen_trees; NULL: none */
	struct object_id oid;
	size_t path_len;      /* of the directory's path, with its '/' */
	uint64_t depth;	      /* of its entries, for filters */
	bool partial;	      /* something below was left out that may not be elsewhere */
	bool all_match;	      /* everything below is within the pathspec */
};

struct seen_trees {
	struct object_buf *trees; /* NULL until there is one */
	size_t bytes;
};

struct object_walker {
	struct rev_walk *w;
	const struct object_walk_options *o;
	struct odb *odb;
	const struct hash_algo *algo;
	struct oid_flags flags;
	struct object_edges edges;
	struct seen_trees seen;
	struct object_filter *filter; /* NULL: none */
	bool places_matter;
	unsigned max_depth;
	struct level *levels;
	size_t nr, alloc;
	struct strbuf path;
	struct oid_array roots; /* trees of commits that are to be visited */
	size_t next_given;	/* start that is to be visited */
};

/* ---- reporting ---- */

static int report_missing(struct object_walker *s, const struct object_id *oid,
			  enum object_type type, const char *path, struct err *err)
{
	struct walked_object m = { .oid = oid, .type = type, .path = path };
	uint32_t *f = oid_flags_at(&s->flags, oid->hash);

	if (*f & OBJECT_MISSING)
		return 0;
	*f |= OBJECT_MISSING | OBJECT_DONE;
	if (s->o->missing)
		return s->o->missing(s->o->data, &m, err);
	if (type == OBJ_TREE)
		return err_set(err, ERR_NOT_FOUND, "bad tree object %s", oid_hex(oid));
	return err_set(err, ERR_NOT_FOUND, "missing %s object '%s'", object_type_name(type),
		       oid_hex(oid));
}

static int deliver(struct object_walker *s, const struct object_id *oid, enum object_type type,
		   const char *path, struct err *err)
{
	struct walked_object found = { .oid = oid, .type = type, .path = path };
	uint32_t *f = oid_flags_at(&s->flags, oid->hash);

	if (*f & OBJECT_SHOWN)
		return 0;
	*f |= OBJECT_SHOWN;
	object_edges_delivered(&s->edges, path);
	if (s->w->unpacked && odb_is_packed(s->odb, oid))
		return 0;
	return s->o->object ? s->o->object(s->o->data, &found, err) : 0;
}

/* What the filter says, which does not concern starts. */
static struct filter_verdict judge(struct object_walker *s, const struct object_id *oid,
				   enum object_type type, uint64_t depth, bool given)
{
	struct filter_verdict v = FILTER_VERDICT_ALL;

	if (!s->filter || (given && !s->o->filter_given))
		return v;
	object_filter_judge(s->filter, oid, type, &s->path, depth, &v);
	if (v.omit && s->o->omitted)
		*oid_flags_at(&s->flags, oid->hash) |= OBJECT_OMITTED;
	return v;
}

/* ---- blobs and tags ---- */

/* One that is missing is asked for; without a filter with the other files of its directory. */
static int fetch_blob(struct object_walker *s, const struct object_id *oid, struct err *err)
{
	struct oid_array wanted = OID_ARRAY_INIT;
	struct object_id other;
	struct raw_tree_entry e;
	struct tree_iter it;
	int rc;

	oid_array_append(&wanted, oid);
	if (!s->filter && s->nr) {
		const struct object_buf *tree = &s->levels[s->nr - 1].buf;

		tree_iter_init(&it, tree->data, tree->size, s->algo);
		while (tree_iter_next_raw(&it, &e, NULL) > 0) {
			if (mode_object_type(canonical_mode(e.raw_mode)) != OBJ_BLOB ||
			    *oid_flags_at(&s->flags, e.oid) & (OBJECT_DONE | OBJECT_EXCLUDED))
				continue;
			oid_from_raw(&other, e.oid, s->algo);
			oid_array_append(&wanted, &other);
		}
	}
	rc = odb_prefetch(s->odb, &wanted, err);
	oid_array_clear(&wanted);
	return rc;
}

/* 1: the blob exists, or existence is not checked; 0: it is missing. */
static int find_blob(struct object_walker *s, const struct object_id *oid, struct err *err)
{
	int rc = 0;

	if (!s->o->check_present || odb_has(s->odb, oid))
		return 1;
	if (odb_fetches_on_read(s->odb))
		rc = fetch_blob(s, oid, err);
	return rc < 0 ? rc : odb_has(s->odb, oid);
}

/* *partial is set if the blob may be delivered at another place. */
static int visit_blob(struct object_walker *s, const struct object_id *oid, uint64_t depth,
		      bool given, bool *partial, struct err *err)
{
	struct filter_verdict v = judge(s, oid, OBJ_BLOB, depth, given);
	int rc;

	if (v.final)
		*oid_flags_at(&s->flags, oid->hash) |= OBJECT_DONE;
	else
		*partial = true;
	if (!v.include)
		return 0;
	rc = find_blob(s, oid, err);
	if (rc < 0)
		return rc;
	if (!rc)
		return report_missing(s, oid, OBJ_BLOB, s->path.buf, err);
	return deliver(s, oid, OBJ_BLOB, s->path.buf, err);
}

static int visit_tag(struct object_walker *s, const struct rev_object *tag, struct err *err)
{
	struct filter_verdict v = judge(s, &tag->oid, OBJ_TAG, 0, true);

	*oid_flags_at(&s->flags, tag->oid.hash) |= OBJECT_DONE;
	return v.include ? deliver(s, &tag->oid, OBJ_TAG, tag->path, err) : 0;
}

/* ---- trees that have been seen ---- */

/*
 * From commit to commit most entries of a tree stay the same, and need no look at their flags: each
 * entry of a tree that has been passed is done. So the last tree of each path is kept. Whether it is
 * of the same path does not matter but for speed, and paths that share a home drive each other out.
 */
#define SEEN_TREES 8192
#define SEEN_BYTES_MAX ((size_t)16 * 1024 * 1024)

static void seen_trees_forget(struct seen_trees *t)
{
	for (size_t i = 0; t->trees && i < SEEN_TREES; i++)
		object_buf_release(&t->trees[i]);
	t->bytes = 0;
}

static struct object_buf *seen_trees_at(struct seen_trees *t, const struct strbuf *path)
{
	uint64_t h = path->len;

	if (!t->trees)
		CALLOC_ARRAY(t->trees, SEEN_TREES);
	for (size_t i = 0; i < path->len; i++)
		h = (h ^ (unsigned char)path->buf[i]) * UINT64_C(0x9e3779b97f4a7c15);
	return &t->trees[(h >> 32) % SEEN_TREES];
}

static void seen_trees_take(struct seen_trees *t, struct object_buf *home, struct object_buf *out)
{
	*out = *home;
	*home = (struct object_buf)OBJECT_BUF_INIT;
	t->bytes -= out->size;
}

static void seen_trees_put(struct seen_trees *t, struct object_buf *home, struct object_buf *tree)
{
	if (tree->size > SEEN_BYTES_MAX) {
		object_buf_release(tree);
		return;
	}
	if (t->bytes > SEEN_BYTES_MAX - tree->size)
		seen_trees_forget(t);
	t->bytes += tree->size - home->size;
	object_buf_release(home);
	*home = *tree;
}

/* ---- trees ---- */

/* 1: the next entry; 0: there is none. An error waits for its turn. */
static int next_entry(struct object_walker *s, struct level *l, struct raw_tree_entry *out,
		      struct err *err)
{
	while (l->last - l->first < LOOK_AHEAD) {
		struct raw_tree_entry *e = &l->ahead[l->last % LOOK_AHEAD];

		if (tree_new_iter_next(&l->entries, e, NULL) <= 0)
			break;
		oid_flags_prefetch(&s->flags, e->oid);
		l->last++;
	}
	if (l->first == l->last)
		return tree_new_iter_next(&l->entries, out, err);
	*out = l->ahead[l->first++ % LOOK_AHEAD];
	return 1;
}

static int push_level(struct object_walker *s, const struct object_id *oid,
		      struct object_buf *buf, uint64_t depth, bool all_match, struct err *err)
{
	struct level *l;

	if (s->nr > s->max_depth) {
		object_buf_release(buf);
		return err_set(err, ERR_TOO_BIG, "exceeded maximum allowed tree depth at '%s'",
			       s->path.buf);
	}
	if (s->filter)
		object_filter_enter(s->filter, &s->path);
	if (s->path.len)
		strbuf_addch(&s->path, '/');
	ALLOC_GROW(s->levels, s->nr + 1, s->alloc);
	l = &s->levels[s->nr++];
	l->buf = *buf;
	l->old = (struct object_buf)OBJECT_BUF_INIT;
	l->first = l->last = 0;
	l->home = NULL;
	l->oid = *oid;
	l->path_len = s->path.len;
	l->depth = depth;
	l->all_match = all_match;
	if (!s->places_matter && !s->w->has_pathspec) {
		l->home = seen_trees_at(&s->seen, &s->path);
		seen_trees_take(&s->seen, l->home, &l->old);
	}
	tree_new_iter_init(&l->entries, l->buf.data, l->buf.size, l->old.data, l->old.size,
			   s->algo);
	return 0;
}

/* Its content: 1 if it is missing, which has been reported. */
static int objects_read_tree(struct object_walker *s, const struct object_id *oid,
			     struct object_buf *buf, struct err *err)
{
	struct err why = ERR_INIT;
	int rc = repo_step(s->w->repo, &why);

	if (!rc)
		rc = odb_read_type(s->odb, oid, OBJ_TREE, buf, &why);
	if (rc == ERR_NOT_FOUND) {
		rc = report_missing(s, oid, OBJ_TREE, s->path.buf, err);
		rc = rc < 0 ? rc : 1;
	} else if (rc < 0) {
		err_move(err, &why);
	}
	err_release(&why);
	return rc;
}

/* depth: its own. *partial as for blobs. */
static int visit_tree(struct object_walker *s, const struct object_id *oid, uint64_t depth,
		      bool given, bool all_match, bool *partial, struct err *err)
{
	struct filter_verdict v = judge(s, oid, OBJ_TREE, depth, given);
	struct object_buf buf = OBJECT_BUF_INIT;
	bool descend = !v.skip && !v.stale;
	int rc;

	if (!v.final)
		*partial = true;
	if (v.final && (!s->places_matter || v.skip))
		*oid_flags_at(&s->flags, oid->hash) |= OBJECT_DONE;
	if (descend) {
		rc = objects_read_tree(s, oid, &buf, err);
		if (rc)
			return rc < 0 ? rc : 0;
	} else if (v.include && s->o->check_present && !odb_has(s->odb, oid)) {
		return report_missing(s, oid, OBJ_TREE, s->path.buf, err);
	}
	rc = v.include ? deliver(s, oid, OBJ_TREE, s->path.buf, err) : 0;
	if (rc < 0 || !descend) {
		object_buf_release(&buf);
		return rc;
	}
	rc = push_level(s, oid, &buf, given ? 0 : depth + 1, all_match, err);
	if (!rc)
		s->levels[s->nr - 1].partial = !v.final;
	return rc;
}

static void pop_level(struct object_walker *s)
{
	struct level *l = &s->levels[--s->nr];

	if (s->filter)
		object_filter_leave(s->filter);
	if (!s->places_matter || !l->partial)
		*oid_flags_at(&s->flags, l->oid.hash) |= OBJECT_DONE;
	else if (s->nr)
		s->levels[s->nr - 1].partial = true;
	object_buf_release(&l->old);
	if (l->home)
		seen_trees_put(&s->seen, l->home, &l->buf);
	else
		object_buf_release(&l->buf);
}

/* Is the entry, whose path is s->path, within the paths of the walk? *all: and all below. */
static bool is_wanted_path(const struct object_walker *s, bool is_tree, bool *all)
{
	enum pathspec_match m;

	if (*all)
		return true;
	if (!is_tree)
		return pathspec_match(&s->w->pathspec, s->path.buf, s->path.len, false, NULL);
	m = pathspec_match_dir(&s->w->pathspec, s->path.buf, s->path.len);
	*all = m == PATHSPEC_MATCH;
	return m != PATHSPEC_NO_MATCH;
}

static int visit_entry(struct object_walker *s, const struct raw_tree_entry *e, bool is_tree,
		       bool given, struct err *err)
{
	struct level *l = &s->levels[s->nr - 1];
	bool all = l->all_match, partial = false;
	uint64_t depth = l->depth;
	struct object_id oid;
	size_t at = s->nr - 1;
	int rc;

	strbuf_setlen(&s->path, l->path_len);
	strbuf_add(&s->path, e->name, e->name_len);
	if (!is_wanted_path(s, is_tree, &all))
		return 0;
	oid_from_raw(&oid, e->oid, s->algo);
	if (s->w->stops_at && s->w->stops_at(s->w->stops_at_data, &oid))
		return 0;
	rc = is_tree ? visit_tree(s, &oid, depth, given, all, &partial, err) :
		       visit_blob(s, &oid, depth, given, &partial, err);
	s->levels[at].partial |= partial; /* they may have moved */
	return rc;
}

/* The new entries of the topmost directory, up to the next one that is entered. */
static int scan_level(struct object_walker *s, struct err *err)
{
	size_t nr = s->nr;
	struct raw_tree_entry e;
	int rc;

	while ((rc = next_entry(s, &s->levels[nr - 1], &e, err)) > 0) {
		unsigned mode = canonical_mode(e.raw_mode);
		uint32_t flags;

		if (MODE_IS_GITLINK(mode))
			continue;
		flags = *oid_flags_at(&s->flags, e.oid);
		if (flags & (OBJECT_DONE | OBJECT_EXCLUDED))
			continue;
		rc = visit_entry(s, &e, MODE_IS_TREE(mode), flags & OBJECT_GIVEN, err);
		if (rc < 0 || s->nr > nr)
			return rc;
	}
	if (rc < 0)
		err_prefix(err, "tree %s", oid_hex(&s->levels[nr - 1].oid));
	else
		pop_level(s);
	return rc;
}

static int walk_tree(struct object_walker *s, const struct object_id *oid, const char *path,
		     struct err *err)
{
	uint32_t flags = *oid_flags_at(&s->flags, oid->hash);
	bool partial = false;
	int rc;

	if (flags & (OBJECT_DONE | OBJECT_EXCLUDED))
		return 0;
	strbuf_reset(&s->path);
	strbuf_addstr(&s->path, path);
	rc = visit_tree(s, oid, 0, flags & OBJECT_GIVEN, !s->w->has_pathspec, &partial, err);
	while (rc >= 0 && s->nr)
		rc = scan_level(s, err);
	return rc < 0 ? rc : 0;
}

/* ---- all of it ---- */

static int walk_given(struct object_walker *s, const struct rev_object *o, struct err *err)
{
	uint32_t flags = *oid_flags_at(&s->flags, o->oid.hash);
	bool partial = false;

	if ((o->flags & REV_UNINTERESTING) || (flags & (OBJECT_DONE | OBJECT_EXCLUDED)))
		return 0;
	if (o->type == OBJ_TREE)
		return walk_tree(s, &o->oid, o->path, err);
	if (o->type == OBJ_TAG)
		return visit_tag(s, o, err);
	strbuf_reset(&s->path);
	strbuf_addstr(&s->path, o->path);
	return visit_blob(s, &o->oid, 0, true, &partial, err);
}

/* Starts, then the trees of commits, as far as they are known. */
static int walk_queued(struct object_walker *s, struct err *err)
{
	int rc = 0;

	while (!rc && s->next_given < s->w->nr_objects)
		rc = walk_given(s, &s->w->given_objects[s->next_given++], err);
	for (size_t i = 0; !rc && i < s->roots.nr; i++) {
		*oid_flags_at(&s->flags, s->roots.oid[i].hash) &= ~OBJECT_QUEUED;
		rc = walk_tree(s, &s->roots.oid[i], "", err);
	}
	s->roots.nr = 0;
	return rc;
}

static int deliver_commit(const struct object_walker *s, struct commit *c, struct err *err)
{
	struct walked_object found = { .oid = &c->oid, .type = OBJ_COMMIT };

	if (s->o->commit)
		return s->o->commit(s->o->data, c, err);
	return s->o->object ? s->o->object(s->o->data, &found, err) : 0;
}

static int visit_commit(struct object_walker *s, struct commit *c, struct err *err)
{
	struct filter_verdict v = judge(s, &c->oid, OBJ_COMMIT, 0, c->flags & REV_GIVEN);
	bool stops = s->w->stops_at && s->w->stops_at(s->w->stops_at_data, &c->tree);
	uint32_t *f;

	f = oid_flags_at(&s->flags, c->tree.hash);
	if (!stops && !(*f & (OBJECT_DONE | OBJECT_EXCLUDED | OBJECT_QUEUED))) {
		*f |= OBJECT_QUEUED;
		oid_array_append(&s->roots, &c->tree);
	}
	return v.include ? deliver_commit(s, c, err) : 0;
}

static int walk_commits(struct object_walker *s, struct err *err)
{
	struct commit *c;
	int rc;

	while ((rc = rev_walk_next(s->w, &c, err)) > 0) {
		rc = visit_commit(s, c, err);
		if (!rc && s->o->in_commit_order)
			rc = walk_queued(s, err);
		commit_release_buffer(c);
		if (rc < 0)
			return rc;
	}
	return rc < 0 ? rc : walk_queued(s, err);
}

static int report_missing_commits(struct object_walker *s, struct err *err)
{
	struct oid_array *missing = &s->w->missing;
	int rc = 0;

	for (size_t i = 0; !rc && i < missing->nr; i++)
		rc = report_missing(s, &missing->oid[i],
				    i < s->w->nr_missing_starts ? OBJ_NONE : OBJ_COMMIT, "", err);
	return rc;
}

static int report_omitted(struct object_walker *s, struct err *err)
{
	const unsigned char *raw;
	struct object_id oid;
	uint32_t flags;
	int rc = 0;

	if (!s->o->omitted)
		return 0;
	for (size_t i = 0; !rc && oid_flags_next(&s->flags, &i, &raw, &flags);) {
		if ((flags & (OBJECT_OMITTED | OBJECT_SHOWN)) != OBJECT_OMITTED)
			continue;
		oid_from_raw(&oid, raw, s->algo);
		rc = s->o->omitted(s->o->data, &oid, err);
	}
	return rc;
}

static void exclude_objects(struct object_walker *s, const struct oidset *excluded)
{
	const struct object_id *oid;
	void *value;

	for (size_t i = 0; oidmap_next(&excluded->map, &i, &oid, &value);)
		*oid_flags_at(&s->flags, oid->hash) |= OBJECT_EXCLUDED;
}

static int begin(struct object_walker *s, struct err *err)
{
	const struct rev_walk *w = s->w;
	int rc = 0;

	if (w->excluded)
		exclude_objects(s, w->excluded);
	for (size_t i = 0; i < w->nr_objects; i++)
		if (!(w->given_objects[i].flags & REV_UNINTERESTING))
			*oid_flags_at(&s->flags, w->given_objects[i].oid.hash) |= OBJECT_GIVEN;
	if (s->o->filter && s->o->filter->nr)
		rc = object_filter_new(&s->filter, w->repo, s->o->filter, s->o->omitted != NULL,
				       err);
	s->places_matter = s->filter && object_filter_needs_place(s->filter);
	if (!rc)
		rc = object_edges_find(s->w, &s->flags, s->o, &s->edges, err);
	return rc;
}

int object_walk(struct rev_walk *w, const struct object_walk_options *o, struct err *err)
{
	struct object_walker s = {
		.w = w, .o = o, .odb = w->repo->odb, .algo = w->repo->algo, .path = STRBUF_INIT,
		.max_depth = object_max_tree_depth(odb_source(w->repo->odb)),
	};
	int rc;

	oid_flags_init(&s.flags, s.algo);
	rc = begin(&s, err);
	if (!rc && o->begun)
		rc = o->begun(o->data, err);
	if (!rc)
		rc = walk_commits(&s, err);
	if (!rc)
		rc = object_edges_report(w, &s.edges, o, err);
	if (!rc)
		rc = report_missing_commits(&s, err);
	if (!rc)
		rc = report_omitted(&s, err);
	while (s.nr) {
		object_buf_release(&s.levels[--s.nr].old);
		object_buf_release(&s.levels[s.nr].buf);
	}
	free(s.levels);
	seen_trees_forget(&s.seen);
	free(s.seen.trees);
	strbuf_release(&s.path);
	oid_array_clear(&s.roots);
	object_filter_free(s.filter);
	object_edges_release(&s.edges);
	oid_flags_release(&s.flags);
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* Which commit brought a blob: the trees of all commits, the oldest first, each tree once. */
#include "compat/posix.h"
#include "history/describe/describe-internal.h"
#include "history/revision/revision.h"
#include "object/tree.h"

struct blob_search {
	const struct object_id *blob;
	struct oidset seen; /* trees */
	struct strbuf path;
	bool found;
};

#define FOUND 1

static int look_at(void *data, const char *path, size_t len, const struct tree_entry *e,
		   struct err *err UNUSED)
{
	struct blob_search *s = data;

	if (MODE_IS_TREE(e->mode))
		return oidset_insert(&s->seen, &e->oid) ? TREE_WALK_DESCEND : TREE_WALK_SKIP;
	if (MODE_IS_GITLINK(e->mode) || !oid_eq(&e->oid, s->blob))
		return TREE_WALK_SKIP;
	strbuf_add(&s->path, path, len);
	s->found = true;
	return ERR_ABORTED; /* enough */
}

/* 1: it has the blob. */
static int search_commit(struct describer *d, struct blob_search *s, struct commit *c,
			 struct err *err)
{
	int rc;

	if (!oidset_insert(&s->seen, &c->tree))
		return 0;
	rc = tree_walk(odb_source(d->repo->odb), &c->tree, "", look_at, s, err);
	return s->found ? FOUND : rc;
}

static int search_history(struct describer *d, struct blob_search *s, struct rev_walk *w,
			  struct object_id *out, struct err *err)
{
	struct object_id head;
	struct commit *c;
	int rc;

	if (ref_resolve(d->repo->refs, "HEAD", &head, NULL, NULL, NULL) < 0)
		return err_set(err, ERR_NOT_FOUND,
			       "cannot search for blob '%s' on an unborn branch", oid_hex(s->blob));
	rev_walk_add_commit(w, &head, "HEAD", 0);
	w->reverse = true;
	rc = rev_walk_begin(w, err);
	while (!rc && (rc = rev_walk_next(w, &c, err)) > 0) {
		rc = search_commit(d, s, c, err);
		if (rc == FOUND)
			*out = c->oid;
	}
	return rc;
}

int describe_blob(struct describer *d, const struct object_id *blob, struct strbuf *out,
		  struct err *err)
{
	struct blob_search s = { .blob = blob, .seen = OIDSET_INIT, .path = STRBUF_INIT };
	struct rev_walk *w = NULL;
	struct object_id commit;
	int rc = rev_walk_new(&w, d->repo, err);

	if (!rc)
		rc = search_history(d, &s, w, &commit, err);
	rev_walk_free(w);
	oidset_clear(&s.seen);
	if (rc == FOUND) {
		rc = describe_commit(d, commit_lookup(d->pool, &commit), out, err);
		if (!rc)
			strbuf_addf(out, ":%s", s.path.buf);
	} else if (!rc) {
		rc = err_set(err, ERR_NOT_FOUND, "blob '%s' not reachable from HEAD",
			     oid_hex(blob));
	}
	strbuf_release(&s.path);
	return rc;
}

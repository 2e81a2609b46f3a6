/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The walk. A received pack is taken as a whole: the walk also wants all objects that its objects name and it does not have. A pack
 * of a server may hold unreachable objects, which name objects that are gone. So if an object cannot be found, the walk begins anew
 * and follows the objects of packs one by one.
 */
#include "compat/posix.h"
#include "history/revision/connected.h"
#include "object/commit.h"
#include "object/tag.h"
#include "object/tree.h"
#include "transport/http/http-walk-internal.h"
#include "util/alloc.h"

/* ---- what an object leads to ---- */

static int push_entries(struct http_walk *w, const struct object_buf *buf, struct err *err)
{
	struct tree_entry e;
	struct tree_iter it;
	int rc;

	tree_iter_init(&it, buf->data, buf->size, w->r->algo);
	while ((rc = tree_iter_next(&it, &e, err)) > 0)
		if (!MODE_IS_GITLINK(e.mode))
			walk_push(w, &e.oid);
	return rc;
}

static int push_links(struct http_walk *w, const struct object_id *oid, const struct object_buf *buf, struct err *err)
{
	struct oid_array parents = OID_ARRAY_INIT;
	struct object_id tree;
	struct tag_view tag;
	int rc = 0;

	switch (buf->type) {
	case OBJ_COMMIT:
		walk_say(w, "walk %s", oid_hex(oid));
		rc = commit_parse_links(buf->data, buf->size, w->r->algo, &tree, &parents, NULL, err);
		for (size_t i = 0; !rc && i < parents.nr; i++)
			walk_push(w, &parents.oid[i]);
		if (!rc)
			walk_push(w, &tree);
		oid_array_clear(&parents);
		break;
	case OBJ_TREE:
		rc = push_entries(w, buf, err);
		break;
	case OBJ_TAG:
		rc = tag_parse(&tag, buf->data, buf->size, w->r->algo, err);
		if (!rc)
			walk_push(w, &tag.target);
		break;
	default:
		break;
	}
	if (rc < 0)
		err_prefix(err, "object %s", oid_hex(oid));
	return rc;
}

/* ---- one object ---- */

/* Refs lead to it, or to all of what it leads to. */
static int is_complete(struct http_walk *w, const struct object_id *oid, struct err *err)
{
	const struct oid_array tips = { .oid = (struct object_id *)oid, .nr = 1 };
	const struct connected_options o = { .shallow = NULL };
	struct object_id missing;

	return w->o->thorough ? 0 : objects_are_connected(w->r, &tips, &o, &missing, err);
}

/* It is in the database already. */
static int walk_ours(struct http_walk *w, const struct object_id *oid, struct err *err)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	enum object_type type;
	uint64_t size;
	int rc = odb_type(w->r->odb, oid, &type, &size, err);

	if (rc < 0 || type == OBJ_BLOB)
		return rc;
	if (type != OBJ_TREE)
		rc = is_complete(w, oid, err);
	if (rc)
		return rc < 0 ? rc : 0;
	rc = odb_read(w->r->odb, oid, &buf, err);
	if (!rc)
		rc = push_links(w, oid, &buf, err);
	object_buf_release(&buf);
	return rc;
}

static int walk_packed(struct http_walk *w, struct walk_received *p, const struct object_id *oid, struct err *err)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	int rc;

	if (!w->precise)
		return 0; /* with the rest of the pack */
	rc = walk_read_received(p, oid, &buf, err);
	if (!rc)
		rc = push_links(w, oid, &buf, err);
	object_buf_release(&buf);
	return rc;
}

/* 1: it has come, alone (buf) or in a pack. */
static int get_from(struct http_walk *w, struct walk_base *b, const struct object_id *oid, struct object_buf *buf,
		    struct err *err)
{
	int rc = walk_get_loose(w, b, oid, buf, err);

	return rc ? rc : walk_get_packed(w, b, oid, err);
}

static int not_found(struct http_walk *w, const struct object_id *oid, struct err *err)
{
	const char *trouble = w->trouble ? w->trouble : w->pack_trouble;

	w->incomplete = true;
	if (!w->precise)
		return 0;
	if (trouble)
		return err_set(err, ERR_CORRUPT, "Unable to find %s under %s: %s", oid_hex(oid), w->bases[0]->url, trouble);
	return err_set(err, ERR_NOT_FOUND, "Unable to find %s under %s", oid_hex(oid), w->bases[0]->url);
}

static int walk_theirs(struct http_walk *w, const struct object_id *oid, struct err *err)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	struct walk_received *p;
	int rc = 0;

	FREE_AND_NULL(w->trouble);
	for (size_t i = 0; !rc && i < w->nr_bases; i++) {
		rc = get_from(w, w->bases[i], oid, &buf, err);
		if (!rc)
			rc = walk_add_alternates(w, i, err);
	}
	if (!rc)
		return not_found(w, oid, err);
	p = rc > 0 ? walk_find_received(w, oid) : NULL;
	if (p)
		rc = walk_packed(w, p, oid, err);
	else if (rc > 0 && buf.data)
		rc = push_links(w, oid, &buf, err);
	object_buf_release(&buf);
	return rc < 0 ? rc : 0;
}

static int walk_one(struct http_walk *w, const struct object_id *oid, struct err *err)
{
	struct walk_received *p = walk_find_received(w, oid);

	if (p)
		return walk_packed(w, p, oid, err);
	if (odb_has_quick(w->r->odb, oid))
		return walk_ours(w, oid, err);
	return walk_theirs(w, oid, err);
}

/* ---- all ---- */

static int walk_all(struct http_walk *w, const struct oid_array *wants, struct err *err)
{
	int rc = 0;

	oidset_clear(&w->seen);
	for (size_t i = wants->nr; i; i--)
		walk_push(w, &wants->oid[i - 1]);
	while (!rc && w->todo.nr) {
		struct object_id oid = w->todo.oid[--w->todo.nr];

		rc = walk_one(w, &oid, err);
	}
	return rc;
}

/* *next: what a tag leads to. */
static int look_at(struct http_walk *w, const struct object_id *oid, enum object_type *type, struct object_id *next,
		   struct err *err)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	struct walk_received *p = walk_find_received(w, oid);
	struct tag_view tag;
	int rc = p ? walk_read_received(p, oid, &buf, err) : odb_read(w->r->odb, oid, &buf, err);

	*type = buf.type;
	if (!rc && buf.type == OBJ_TAG) {
		rc = tag_parse(&tag, buf.data, buf.size, w->r->algo, err);
		if (!rc)
			*next = tag.target;
	}
	object_buf_release(&buf);
	return rc;
}

int http_walk_peel(struct http_walk *w, const struct object_id *oid, enum object_type *type, struct object_id *peeled,
		   struct err *err)
{
	enum object_type end;
	int rc = look_at(w, oid, type, peeled, err);

	end = *type;
	if (end != OBJ_TAG)
		*peeled = w->r->algo->null_oid;
	while (!rc && end == OBJ_TAG) {
		const struct object_id at = *peeled;

		rc = look_at(w, &at, &end, peeled, err);
	}
	return rc;
}

struct http_walk *http_walk_new(struct repo_operation *op, const struct http_walk_options *o)
{
	struct http_walk *w = xcalloc(1, sizeof(*w));

	*w = (struct http_walk){ .o = o, .r = o->r, .op = op, .todo = OID_ARRAY_INIT, .seen = OIDSET_INIT };
	return w;
}

void http_walk_free(struct http_walk *w)
{
	if (!w)
		return;
	walk_free_received(w);
	walk_free_bases(w);
	oid_array_clear(&w->todo);
	oidset_clear(&w->seen);
	tmp_objdir_destroy(&w->dir);
	free(w->trouble);
	free(w->pack_trouble);
	free(w);
}

int http_walk_run(struct http_walk *w, const struct oid_array *wants, struct err *err)
{
	int rc = walk_add_first_base(w, err);

	if (!rc)
		rc = walk_all(w, wants, err);
	if (!rc && w->incomplete) {
		w->precise = true;
		rc = walk_all(w, wants, err);
	}
	if (!rc && w->has_big)
		rc = tmp_objdir_stage_all(w->dir, repo_operation_batch(w->op), false, err);
	return rc;
}

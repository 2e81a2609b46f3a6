/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "history/promisor.h"
#include "object/commit.h"
#include "object/tag.h"
#include "object/tree.h"
#include "odb/odb.h"
#include "pack/pack.h"

/* ---- packs ---- */

struct search {
	int (*fn)(void *data, struct pack *p);
	void *data;
};

static int pass_if_promisor(void *data, struct pack *p)
{
	const struct search *s = data;

	return pack_has_file(p, "promisor") ? s->fn(s->data, p) : 0;
}

int promisor_packs_foreach(struct repository *r, int (*fn)(void *data, struct pack *p), void *data)
{
	struct search s = { fn, data };

	return odb_foreach_pack(r->odb, ODB_ALL, pass_if_promisor, &s);
}

struct listing {
	struct promises *p;
	struct oidset *out;
	struct err *err;
};

static int list_name(void *data, const struct object_id *oid)
{
	oidset_insert(data, oid);
	return 0;
}

static int list_pack(void *data, struct pack *pack)
{
	struct listing *l = data;

	return pack_foreach_object(pack, false, list_name, l->out, l->err);
}

int promisor_pack_objects(struct oidset *out, struct repository *r, struct err *err)
{
	struct listing l = { NULL, out, err };
	int rc;

	*out = (struct oidset)OIDSET_INIT;
	rc = promisor_packs_foreach(r, list_pack, &l);
	if (rc < 0)
		oidset_clear(out);
	return rc;
}

/* ---- what their objects mention ---- */

static void add_tree(struct promises *p, const struct object_buf *buf)
{
	struct tree_entry e;
	struct tree_iter it;

	tree_iter_init(&it, buf->data, buf->size, p->repo->algo);
	while (tree_iter_next(&it, &e, NULL) > 0)
		if (!MODE_IS_GITLINK(e.mode))
			oidset_insert(&p->oids, &e.oid);
}

static void add_commit(struct promises *p, const struct object_buf *buf)
{
	struct oid_array parents = OID_ARRAY_INIT;
	struct object_id tree;
	timestamp_t date;

	if (!commit_parse_links(buf->data, buf->size, p->repo->algo, &tree, &parents, &date, NULL)) {
		oidset_insert(&p->oids, &tree);
		for (size_t i = 0; i < parents.nr; i++)
			oidset_insert(&p->oids, &parents.oid[i]);
	}
	oid_array_clear(&parents);
}

static int add_object(void *data, const struct object_id *oid)
{
	struct listing *l = data;
	struct object_buf buf = OBJECT_BUF_INIT;
	const struct repository *r = l->p->repo;
	enum object_type type;
	struct tag_view tag;
	uint64_t size;

	oidset_insert(&l->p->oids, oid);
	if (odb_type(r->odb, oid, &type, &size, NULL) < 0 || type == OBJ_BLOB ||
	    odb_read(r->odb, oid, &buf, NULL) < 0)
		return 0;
	if (buf.type == OBJ_TREE)
		add_tree(l->p, &buf);
	else if (buf.type == OBJ_COMMIT)
		add_commit(l->p, &buf);
	else if (buf.type == OBJ_TAG && !tag_parse(&tag, buf.data, buf.size, r->algo, NULL))
		oidset_insert(&l->p->oids, &tag.target);
	object_buf_release(&buf);
	return 0;
}

static int add_pack(void *data, struct pack *pack)
{
	struct listing *l = data;

	return pack_foreach_object(pack, true, add_object, l, l->err);
}

int promises_has(struct promises *p, const struct object_id *oid, struct err *err)
{
	struct listing l = { p, NULL, err };
	int rc = p->is_known ? 0 : promisor_packs_foreach(p->repo, add_pack, &l);

	if (rc < 0)
		return rc;
	p->is_known = true;
	return oidset_contains(&p->oids, oid);
}

void promises_release(struct promises *p)
{
	oidset_clear(&p->oids);
	p->is_known = false;
}

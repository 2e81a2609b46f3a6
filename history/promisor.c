/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "fs/file.h"
#include "history/promisor.h"
#include "object/commit.h"
#include "object/tag.h"
#include "object/tree.h"
#include "pack/pack.h"
#include "util/alloc.h"

struct promises {
	struct repository *repo;
	struct oidset *out;
	struct err *err;
};

static void add_tree(struct promises *p, const struct object_buf *buf)
{
	struct tree_entry e;
	struct tree_iter it;

	tree_iter_init(&it, buf->data, buf->size, p->repo->algo);
	while (tree_iter_next(&it, &e, NULL) > 0)
		if (!MODE_IS_GITLINK(e.mode))
			oidset_insert(p->out, &e.oid);
}

static void add_commit(struct promises *p, const struct object_buf *buf)
{
	struct oid_array parents = OID_ARRAY_INIT;
	struct object_id tree;
	timestamp_t date;

	if (!commit_parse_links(buf->data, buf->size, p->repo->algo, &tree, &parents, &date, NULL)) {
		oidset_insert(p->out, &tree);
		for (size_t i = 0; i < parents.nr; i++)
			oidset_insert(p->out, &parents.oid[i]);
	}
	oid_array_clear(&parents);
}

static int on_object(void *data, const struct object_id *oid, const struct object_buf *buf)
{
	struct promises *p = data;
	struct tag_view tag;

	oidset_insert(p->out, oid);
	if (!buf->data)
		return 0;
	if (buf->type == OBJ_TREE)
		add_tree(p, buf);
	else if (buf->type == OBJ_COMMIT)
		add_commit(p, buf);
	else if (buf->type == OBJ_TAG && !tag_parse(&tag, buf->data, buf->size, p->repo->algo, NULL))
		oidset_insert(p->out, &tag.target);
	return 0;
}

static int on_pack(void *data, struct pack *pack)
{
	struct promises *p = data;
	const char *path = pack_path(pack);
	size_t len;
	char *mark;
	int rc = 0;

	if (!strip_suffix(path, ".pack", &len))
		return 0;
	mark = xstrfmt("%.*s.promisor", (int)len, path);
	if (file_exists(mark))
		rc = pack_verify(pack, on_object, NULL, p, p->err);
	free(mark);
	return rc < 0 ? rc : 0;
}

int promised_objects(struct oidset *out, struct repository *r, struct err *err)
{
	struct promises p = { r, out, err };
	struct packs *packs;
	int rc = 0;

	*out = (struct oidset)OIDSET_INIT;
	for (size_t i = 0; !rc && (packs = odb_packs(r->odb, i)); i++)
		rc = packs_foreach(packs, on_pack, &p);
	if (rc < 0)
		oidset_clear(out);
	return rc;
}

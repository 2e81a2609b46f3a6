/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which objects those of the pack refer to: each of them must be in the pack or in the database,
 * and have the type that is expected of it. git-index-pack(1), --strict.
 */
#include "compat/posix.h"
#include "object/commit.h"
#include "object/tag.h"
#include "object/tree.h"
#include "pack/receive/receive-internal.h"
#include "util/alloc.h"

/* Sets by the first byte of a name, so that threads do not wait for each other. */
#define SETS 64

struct rx_links {
	struct {
		pthread_mutex_t lock;
		struct oidmap types; /* what is expected */
	} sets[SETS];
};

struct rx_links *rx_links_new(void)
{
	struct rx_links *l;

	CALLOC_ARRAY(l, 1);
	for (unsigned i = 0; i < SETS; i++)
		pthread_mutex_init(&l->sets[i].lock, NULL);
	return l;
}

void rx_links_free(struct rx_links *l)
{
	for (unsigned i = 0; l && i < SETS; i++) {
		pthread_mutex_destroy(&l->sets[i].lock);
		oidmap_clear(&l->sets[i].types, NULL);
	}
	free(l);
}

static int wrong_type(const struct object_id *oid, enum object_type want, enum object_type is,
		      struct err *err)
{
	return err_set(err, ERR_CORRUPT, "object %s: expected type %s, found %s", oid_hex(oid),
		       object_type_name(want), object_type_name(is));
}

static int add(struct rx_links *l, const struct object_id *oid, enum object_type type,
	       struct err *err)
{
	unsigned s = oid->hash[0] % SETS;
	enum object_type before;

	pthread_mutex_lock(&l->sets[s].lock);
	before = (enum object_type)(uintptr_t)oidmap_get(&l->sets[s].types, oid);
	if (!before)
		oidmap_put(&l->sets[s].types, oid, (void *)(uintptr_t)type);
	pthread_mutex_unlock(&l->sets[s].lock);
	return before && before != type ? wrong_type(oid, type, before, err) : 0;
}

static int add_of_tree(struct pack_receive *rx, const void *content, size_t size, struct err *err)
{
	struct tree_iter it;
	struct tree_entry e;
	int rc;

	tree_iter_init(&it, content, size, rx->o.algo);
	while ((rc = tree_iter_next(&it, &e, err)) > 0) {
		if (MODE_IS_GITLINK(e.mode))
			continue;
		rc = add(rx->links, &e.oid, mode_object_type(e.mode), err);
		if (rc < 0)
			break;
	}
	return rc;
}

static int add_of_commit(struct pack_receive *rx, const void *content, size_t size, struct err *err)
{
	struct oid_array parents = OID_ARRAY_INIT;
	struct object_id tree;
	int rc = commit_parse_links(content, size, rx->o.algo, &tree, &parents, NULL, err);

	if (!rc)
		rc = add(rx->links, &tree, OBJ_TREE, err);
	for (size_t i = 0; i < parents.nr && !rc; i++)
		rc = add(rx->links, &parents.oid[i], OBJ_COMMIT, err);
	oid_array_clear(&parents);
	return rc;
}

static int add_of_tag(struct pack_receive *rx, const void *content, size_t size, struct err *err)
{
	struct tag_view tag;
	int rc = tag_parse(&tag, content, size, rx->o.algo, err);

	return rc ? rc : add(rx->links, &tag.target, tag.target_type, err);
}

int rx_links_add(struct pack_receive *rx, const struct object_id *oid, enum object_type type,
		 const void *content, size_t size, struct err *err)
{
	struct err why = ERR_INIT;
	int rc = 0;

	if (type == OBJ_TREE)
		rc = add_of_tree(rx, content, size, &why);
	else if (type == OBJ_COMMIT)
		rc = add_of_commit(rx, content, size, &why);
	else if (type == OBJ_TAG)
		rc = add_of_tag(rx, content, size, &why);
	if (rc < 0)
		err_set(err, rc, "invalid %s %s: %s", object_type_name(type), oid_hex(oid),
			err_message(&why));
	err_release(&why);
	return rc;
}

/* ---- are they all there? ---- */

static int check(struct pack_receive *rx, const struct object_id *oid, enum object_type want,
		 struct err *err)
{
	uint32_t i = rx_find_name(rx, oid->hash);
	const struct object_source *src;
	struct object_info info;
	enum object_type is;

	if (i != RX_NONE) {
		is = rx_entry(rx, i)->type;
	} else {
		src = rx->o.odb ? odb_source_unreplaced(rx->o.odb) : NULL;
		if (!src || src->info(src->data, oid, &info, NULL) < 0)
			return err_set(err, ERR_CORRUPT, "did not receive expected object %s",
				       oid_hex(oid));
		is = info.type;
		rx->nr_foreign++;
	}
	return is == want ? 0 : wrong_type(oid, want, is, err);
}

int rx_links_check(struct pack_receive *rx, struct err *err)
{
	const struct object_id *oid;
	void *type;
	int rc = 0;

	for (unsigned s = 0; s < SETS && !rc; s++)
		for (size_t i = 0; !rc && oidmap_next(&rx->links->sets[s].types, &i, &oid, &type);)
			rc = check(rx, oid, (enum object_type)(uintptr_t)type, err);
	return rc;
}

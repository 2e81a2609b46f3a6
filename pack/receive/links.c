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
#include "util/map.h"

/* Sets by the first byte of a name, so that threads do not wait for each other. */
#define SETS 64

/*
 * Open addressing; a slot is a name and the type that is expected, 0 if it is free. Anybody can name
 * objects as they like in a tree, so each byte of a name and a secret key decide on its place.
 */
struct link_set {
	pthread_mutex_t lock;
	unsigned char *slots;
	size_t nr, mask;
};

struct rx_links {
	size_t raw_len;
	struct link_set sets[SETS];
};

struct rx_links *rx_links_new(size_t raw_len)
{
	struct rx_links *l;

	CALLOC_ARRAY(l, 1);
	l->raw_len = raw_len;
	for (unsigned i = 0; i < SETS; i++)
		pthread_mutex_init(&l->sets[i].lock, NULL);
	return l;
}

void rx_links_free(struct rx_links *l)
{
	for (unsigned i = 0; l && i < SETS; i++) {
		pthread_mutex_destroy(&l->sets[i].lock);
		free(l->sets[i].slots);
	}
	free(l);
}

static unsigned char *slot_at(const struct rx_links *l, const struct link_set *s, size_t i)
{
	return s->slots + i * (l->raw_len + 1);
}

/* The slot of that name, or the free one where it belongs. */
static unsigned char *find_link_slot(const struct rx_links *l, const struct link_set *s,
				     const unsigned char *name)
{
	size_t i = mem_hash(name, l->raw_len) & s->mask;
	unsigned char *at;

	while (at = slot_at(l, s, i), at[l->raw_len] && memcmp(at, name, l->raw_len))
		i = (i + 1) & s->mask;
	return at;
}

static void grow(const struct rx_links *l, struct link_set *s)
{
	struct link_set old = *s;

	s->mask = s->slots ? 2 * s->mask + 1 : 63;
	s->slots = xcalloc(s->mask + 1, l->raw_len + 1);
	for (size_t i = 0; old.slots && i <= old.mask; i++) {
		const unsigned char *from = slot_at(l, &old, i);

		if (from[l->raw_len])
			memcpy(find_link_slot(l, s, from), from, l->raw_len + 1);
	}
	free(old.slots);
}

/* The type that was expected before, or 0. */
static enum object_type note(struct rx_links *l, const unsigned char *name, enum object_type type)
{
	struct link_set *s = &l->sets[name[0] % SETS];
	enum object_type before;
	unsigned char *at;

	pthread_mutex_lock(&s->lock);
	if (!s->slots || s->nr > s->mask / 4 * 3)
		grow(l, s);
	at = find_link_slot(l, s, name);
	before = at[l->raw_len];
	if (!before) {
		memcpy(at, name, l->raw_len);
		at[l->raw_len] = (unsigned char)type;
		s->nr++;
	}
	pthread_mutex_unlock(&s->lock);
	return before;
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
	enum object_type before = note(l, oid->hash, type);

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

static int add_of_commit(struct pack_receive *rx, const struct object_id *oid, const void *content,
			 size_t size, struct err *err)
{
	struct oid_array parents = OID_ARRAY_INIT;
	struct object_id tree;
	int rc = commit_parse_links(content, size, rx->o.algo, &tree, &parents, NULL, err);

	if (!rc)
		rc = add(rx->links, &tree, OBJ_TREE, err);
	if (rx->o.shallow && oidset_contains(rx->o.shallow, oid))
		parents.nr = 0; /* they need not be there */
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
		rc = add_of_commit(rx, oid, content, size, &why);
	else if (type == OBJ_TAG)
		rc = add_of_tag(rx, content, size, &why);
	if (rc < 0 && rx->o.skip_bad_links)
		rc = 0;
	if (rc < 0)
		err_set(err, rc, "invalid %s %s: %s", object_type_name(type), oid_hex(oid),
			err_message(&why));
	err_release(&why);
	return rc;
}

/* ---- are they all there? ---- */

static int check(void *data, const struct object_id *oid, enum object_type want, struct err *err)
{
	struct pack_receive *rx = data;
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

static int foreach_link(struct pack_receive *rx,
			int (*fn)(void *data, const struct object_id *oid, enum object_type type,
				  struct err *err),
			void *data, struct err *err)
{
	const struct rx_links *l = rx->links;
	int rc = 0;

	for (unsigned k = 0; k < SETS; k++)
		for (size_t i = 0; !rc && l->sets[k].slots && i <= l->sets[k].mask; i++) {
			const unsigned char *at = slot_at(l, &l->sets[k], i);
			struct object_id oid;

			if (!at[l->raw_len])
				continue;
			oid_from_raw(&oid, at, rx->o.algo);
			rc = fn(data, &oid, at[l->raw_len], err);
		}
	return rc;
}

int pack_receive_check_links(struct pack_receive *rx, struct err *err)
{
	rx->nr_foreign = 0;
	return rx->links ? foreach_link(rx, check, rx, err) : 0;
}

struct foreign {
	struct pack_receive *rx;
	int (*fn)(void *data, const struct object_id *oid, enum object_type type, struct err *err);
	void *data;
};

static int pass_foreign(void *data, const struct object_id *oid, enum object_type type, struct err *err)
{
	struct foreign *f = data;

	return rx_find_name(f->rx, oid->hash) == RX_NONE ? f->fn(f->data, oid, type, err) : 0;
}

int pack_receive_foreach_foreign(struct pack_receive *rx,
				 int (*fn)(void *data, const struct object_id *oid,
					   enum object_type type, struct err *err),
				 void *data, struct err *err)
{
	struct foreign f = { rx, fn, data };

	return rx->links ? foreach_link(rx, pass_foreign, &f, err) : 0;
}

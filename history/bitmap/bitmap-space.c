/* SPDX-License-Identifier: GPL-2.0-only */
/* Which bit an object has. */
#include "compat/posix.h"
#include "history/bitmap/bitmap-internal.h"
#include "pack/name-hash.h"
#include "util/alloc.h"

static int get_extra(struct bit_space *s, const struct object_id *oid, enum object_type type,
		     const char *path, size_t *bit, struct err *err)
{
	size_t i = (uintptr_t)oidmap_get(&s->by_oid, oid);

	if (!i) {
		if (s->closed)
			return err_set(err, ERR_NOT_FOUND, "object %s is not in the pack", oid_hex(oid));
		ALLOC_GROW(s->extra, s->nr_extra + 1, s->alloc_extra);
		s->extra[s->nr_extra++] = (struct bit_extra){ *oid, type, path ? pack_name_hash(path) : 0 };
		i = s->nr_extra;
		oidmap_put(&s->by_oid, oid, (void *)(uintptr_t)i);
	}
	*bit = s->nr_fixed + i - 1;
	return 0;
}

int bit_space_get(struct bit_space *s, const struct object_id *oid, enum object_type type,
		  const char *path, size_t *bit, struct err *err)
{
	uint32_t fixed;
	int rc = s->find(s->data, oid, &fixed, err);

	if (rc < 0)
		return rc;
	if (!rc)
		return get_extra(s, oid, type, path, bit, err);
	if (s->types && !bitset_has(&s->types[type - OBJ_COMMIT], fixed)) {
		bitset_add(&s->types[type - OBJ_COMMIT], fixed);
		if (path && s->name_hashes)
			s->name_hashes[fixed] = pack_name_hash(path);
	}
	*bit = fixed;
	return 0;
}

void bit_space_release(struct bit_space *s)
{
	oidmap_clear(&s->by_oid, NULL);
	FREE_AND_NULL(s->extra);
	s->nr_extra = s->alloc_extra = 0;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* What the configuration and the refs say about writing bitmaps. */
#include "compat/posix.h"
#include "history/bitmap/bitmap-build.h"
#include "util/path.h"

struct collecting {
	struct repository *repo;
	struct oid_array *tips, *preferred;
};

static bool is_preferred(struct repository *r, const char *refname)
{
	const struct config_entry *const *v;
	size_t nr = 0;

	v = config_get_all(r->config, "pack.preferbitmaptips", &nr);
	for (size_t i = 0; i < nr; i++)
		if (v[i]->value && *v[i]->value && path_inside(refname, v[i]->value))
			return true;
	return false;
}

static int bitmap_tips_add_ref(void *data, const struct ref *ref)
{
	struct collecting *c = data;

	oid_array_append(c->tips, &ref->oid);
	if (is_preferred(c->repo, ref->name))
		oid_array_append(c->preferred, &ref->oid);
	return 0;
}

int bitmap_collect_tips(struct repository *r, struct oid_array *tips, struct oid_array *preferred,
			struct err *err)
{
	struct collecting c = { r, tips, preferred };

	return refs_foreach(r->refs, "refs/", REFS_NO_PEEL, bitmap_tips_add_ref, &c, err);
}

int bitmap_build_options_read(struct bitmap_build_options *out, struct repository *r, struct err *err)
{
	struct bitmap_build_options o = { .hash_cache = true };
	int rc = config_get_bool(r->config, "pack.writebitmaphashcache", &o.hash_cache, err);

	if (rc >= 0)
		rc = config_get_bool(r->config, "pack.writebitmaplookuptable", &o.lookup_table, err);
	if (rc < 0)
		return rc;
	*out = o;
	return 0;
}

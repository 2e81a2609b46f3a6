/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include <pthread.h>
#include <stdatomic.h>
#include "repo/replace-internal.h"
#include "util/alloc.h"

#define DEPTH_MAX 5

struct replacements {
	const struct ref_backend *backend;
	char *gitdir, *commondir, *base; /* base ends in a slash */
	const struct hash_algo *algo;
	pthread_mutex_t lock;
	_Atomic(bool) loaded;
	struct oidmap map; /* to struct object_id */
};

struct replacements *replacements_new(const struct ref_store_options *refs, const char *base)
{
	struct replacements *r = xcalloc(1, sizeof(*r));
	size_t len = strlen(base);

	r->backend = refs->backend;
	r->gitdir = xstrdup(refs->gitdir);
	r->commondir = xstrdup(refs->commondir);
	r->base = xstrfmt("%s%s", base, len && base[len - 1] == '/' ? "" : "/");
	r->algo = refs->algo;
	pthread_mutex_init(&r->lock, NULL);
	return r;
}

void replacements_free(struct replacements *r)
{
	if (!r)
		return;
	oidmap_clear(&r->map, free);
	pthread_mutex_destroy(&r->lock);
	free(r->gitdir);
	free(r->commondir);
	free(r->base);
	free(r);
}

bool replacements_ref(const struct replacements *r, const char *name, struct object_id *oid)
{
	return r && skip_prefix(name, r->base, &name) && !oid_from_hex(oid, name, r->algo);
}

/* Refs whose names are no object names are ignored. */
static int add_ref(void *data, const struct ref *ref)
{
	struct replacements *r = data;
	struct object_id oid;

	if (replacements_ref(r, ref->name, &oid))
		free(oidmap_put(&r->map, &oid, xmemdup(&ref->oid, sizeof(ref->oid))));
	return 0;
}

/*
 * Loads the replacements by a ref store of its own: only one thread may use the one of the
 * repository.
 */
static int load(struct replacements *r, struct err *err)
{
	struct ref_store_options o = { .backend = r->backend, .gitdir = r->gitdir,
				       .commondir = r->commondir, .algo = r->algo };
	struct ref_store *rs;
	int rc = ref_store_open(&rs, &o, err);

	if (rc < 0)
		return rc;
	rc = refs_foreach(rs, r->base, REFS_NO_PEEL, add_ref, r, err);
	ref_store_free(rs);
	return rc;
}

static int load_once(struct replacements *r, struct err *err)
{
	int rc = 0;

	if (atomic_load_explicit(&r->loaded, memory_order_acquire))
		return 0;
	pthread_mutex_lock(&r->lock);
	if (!atomic_load(&r->loaded))
		rc = load(r, err);
	if (!rc)
		atomic_store_explicit(&r->loaded, true, memory_order_release);
	pthread_mutex_unlock(&r->lock);
	return rc;
}

void replacements_preload(struct replacements *r, struct ref_store *rs)
{
	pthread_mutex_lock(&r->lock);
	if (!atomic_load(&r->loaded) && !refs_foreach(rs, r->base, REFS_NO_PEEL, add_ref, r, NULL))
		atomic_store_explicit(&r->loaded, true, memory_order_release);
	pthread_mutex_unlock(&r->lock);
}

bool replacements_any(struct replacements *r)
{
	return load_once(r, NULL) < 0 || r->map.nr;
}

int replacements_find(void *replacements, const struct object_id *oid, struct object_id *out,
		      struct err *err)
{
	struct replacements *r = replacements;
	const struct object_id *at = oid, *next;
	int depth = 0, rc = load_once(r, err);

	if (rc < 0 || !r->map.nr)
		return rc;
	while ((next = oidmap_get(&r->map, at)) != NULL) {
		if (++depth > DEPTH_MAX)
			return err_set(err, ERR_CORRUPT, "replace depth too high for object %s",
				       oid_hex(oid));
		at = next;
	}
	*out = *at;
	return depth > 0;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* Packs that others have replaced: packs_removal_* of pack.h. */
#include "compat/posix.h"
#include "fs/file.h"
#include "pack/pack-internal.h"
#include "pack/verify-object-internal.h"
#include "util/alloc.h"

struct seen_pack {
	struct pack *pack;
	time_t mtime;
	unsigned mtime_nsec;
	bool goes;
};

struct packs_removal {
	struct fsync_batch *batch;
	char *dir;
	struct seen_pack *v;
	size_t nr;
};

struct packs_removal *packs_removal_new(struct packs *packs)
{
	struct pack_set *set = packs_set(packs);
	struct packs_removal *x;

	CALLOC_ARRAY(x, 1);
	x->dir = xstrdup(packs->dir);
	CALLOC_ARRAY(x->v, set->nr + 1);
	for (size_t i = 0; i < set->nr; i++) {
		struct stat st;

		if (!stat(set->all[i]->path, &st))
			x->v[x->nr++] = (struct seen_pack){ set->all[i], st.st_mtime, ST_MTIME_NSEC(st), false };
	}
	return x;
}

void packs_removal_free(struct packs_removal *x)
{
	if (!x)
		return;
	free(x->v);
	free(x->dir);
	free(x);
}

static void given_up(void *data, bool published UNUSED)
{
	packs_removal_free(data);
}

/*
 * If the pack was touched or rewritten since, another process relies on one of its objects: it
 * stays.
 */
static bool is_as_it_was(const struct seen_pack *s)
{
	struct stat st;

	return !stat(s->pack->path, &st) && st.st_mtime == s->mtime && ST_MTIME_NSEC(st) == s->mtime_nsec;
}

/* Removes the .idx first: readers do not look for a pack without it. */
static int remove_pack(const struct pack *p, struct err *err)
{
	static const char *const extensions[] = {
		"idx", "rev", "bitmap", "mtimes", "promisor", "pack"
	};
	int rc = 0;

	for (size_t i = 0; i < ARRAY_SIZE(extensions) && !rc; i++) {
		char *path = xstrfmt("%s.%s", p->base, extensions[i]);

		rc = remove_file(path, err);
		free(path);
	}
	return rc;
}

static int remove_them(void *data, struct err *err)
{
	struct packs_removal *x = data;
	int rc = 0;

	for (size_t i = 0; i < x->nr && !rc; i++)
		if (x->v[i].goes && is_as_it_was(&x->v[i]))
			rc = remove_pack(x->v[i].pack, err);
	fsync_batch_note_dir(x->batch, FSYNC_PACK_METADATA, x->dir);
	return rc;
}

int packs_removal_stage(struct packs_removal *x, const struct strset *names, struct fsync_batch *b,
			struct err *err)
{
	/* D5: what replaces them, and what no longer names their objects, comes first (t0101: repack). */
	struct fsync_staging s = {
		.component = FSYNC_PACK_METADATA, .order = PUBLISH_OBJECT_DELETE, .how = PUBLISH_CALL,
		.fd = -1, .final_path = x->dir, .done = given_up, .call = remove_them, .data = x,
	};
	int rc = 0;

	x->batch = b;
	for (size_t i = 0; i < x->nr && !rc; i++) {
		char *name = xstrfmt("%s.idx", strrchr(x->v[i].pack->base, '/') + 1);

		x->v[i].goes = strset_contains(names, name);
		/* It may have the only copies of objects by then. */
		if (!x->v[i].goes)
			rc = pack_adopt(x->v[i].pack, b, err);
		free(name);
	}
	if (rc < 0) {
		packs_removal_free(x);
		return rc;
	}
	return fsync_batch_stage(b, &s, err);
}

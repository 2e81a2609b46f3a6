/* SPDX-License-Identifier: GPL-2.0-only */
/* See verify-object-internal.h. Also finds packed copies of loose objects. */
#include "compat/posix.h"
#include "compat/syscalls.h"
#include "fs/file.h"
#include "pack/read-internal.h"
#include "pack/verify-object-internal.h"
#include "util/alloc.h"

static bool entry_is_whole(struct pack *p, uint64_t offset, struct pack_entry *e, uint32_t *pos)
{
	uint64_t end;
	uint32_t crc;

	return pack_locate(p, offset, pos, &end, NULL) == 0 && p->idx.crc &&
	       pack_crc(p, offset, end, &crc, NULL) == 0 && crc == idx_crc(&p->idx, *pos) &&
	       pack_entry_read(p, offset, e, NULL) == 0;
}

bool pack_object_is_whole(struct pack *p, uint64_t offset, struct pack_whole *w)
{
	uint32_t *chain = NULL, pos;
	size_t nr = 0, alloc = 0;
	struct pack_entry e;

	while (!w->damaged) {
		if (nr > p->idx.nr || !entry_is_whole(p, offset, &e, &pos)) {
			w->damaged = true;
			break;
		}
		if (bitset_has(&w->entries, pos))
			break;
		ALLOC_GROW(chain, nr + 1, alloc);
		chain[nr++] = pos;
		if (e.type != OBJ_OFS_DELTA && e.type != OBJ_REF_DELTA)
			break;
		offset = e.base_offset; /* 0, which is no entry, if it is not in this pack */
	}
	while (nr && !w->damaged)
		bitset_add(&w->entries, chain[--nr]);
	free(chain);
	return !w->damaged;
}

int pack_file_adopt(const char *path, struct fsync_batch *b, struct err *err)
{
	bool names_it = ends_with(path, ".idx"), has_it = ends_with(path, ".pack");
	struct fsync_staging s = {
		.component = has_it ? FSYNC_PACK : FSYNC_PACK_METADATA,
		.order = names_it ? PUBLISH_PACK_IDX : PUBLISH_PACK_DATA,
		.how = PUBLISH_ADOPT, .final_path = path,
	};

	s.fd = (int)RETRY_EINTR(sys->open(path, O_RDONLY | O_CLOEXEC, 0));
	return s.fd < 0 ? err_set_errno(err, "cannot open '%s'", path) : fsync_batch_stage(b, &s, err);
}

int pack_adopt(const struct pack *p, struct fsync_batch *b, struct err *err)
{
	static const char *const extensions[] = { "pack", "idx" };
	int rc = 0;

	for (size_t i = 0; i < ARRAY_SIZE(extensions) && !rc; i++) {
		char *path = xstrfmt("%s.%s", p->base, extensions[i]);

		rc = pack_file_adopt(path, b, err);
		free(path);
	}
	return rc;
}

int pack_stage_uncruft(const char *path, struct fsync_batch *b, struct err *err)
{
	char *mtimes = xstrfmt("%.*s.mtimes", (int)(strlen(path) - strlen(".pack")), path);
	const struct fsync_staging s = {
		.component = FSYNC_PACK_METADATA, .order = PUBLISH_OBJECT_DELETE,
		.how = PUBLISH_UNLINK, .fd = -1, .final_path = mtimes,
	};
	int rc = file_exists(mtimes) ? fsync_batch_stage(b, &s, err) : 0;

	free(mtimes);
	return rc;
}

/* ---- copies of other objects ---- */

struct checked_pack {
	struct pack *pack;
	struct pack_whole whole;
};

struct pack_check {
	struct packs *packs;
	struct checked_pack *v;
	size_t nr, alloc;
};

struct pack_check *pack_check_new(struct packs *packs)
{
	struct pack_check *c;

	CALLOC_ARRAY(c, 1);
	c->packs = packs;
	return c;
}

static struct checked_pack *checked_pack(struct pack_check *c, struct pack *p)
{
	for (size_t i = 0; i < c->nr; i++)
		if (c->v[i].pack == p)
			return &c->v[i];
	ALLOC_GROW(c->v, c->nr + 1, c->alloc);
	c->v[c->nr] = (struct checked_pack){ .pack = p };
	return &c->v[c->nr++];
}

bool pack_check_find(struct pack_check *c, const struct object_id *oid, struct pack **in)
{
	struct pack_location at;

	if (!packs_find_not_cruft(c->packs, oid, &at) || pack_open_data(at.pack, NULL) < 0 ||
	    !pack_object_is_whole(at.pack, at.offset, &checked_pack(c, at.pack)->whole))
		return false;
	*in = at.pack;
	return true;
}

int pack_check_adopt(const struct pack_check *c, struct fsync_batch *b, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < c->nr && !rc; i++)
		if (!c->v[i].whole.damaged)
			rc = pack_adopt(c->v[i].pack, b, err);
	return rc;
}

void pack_check_free(struct pack_check *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->nr; i++)
		bitset_release(&c->v[i].whole.entries);
	free(c->v);
	free(c);
}

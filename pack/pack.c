/* SPDX-License-Identifier: GPL-2.0-only */
/* One pack: its files, which are opened when needed, and the entries known to be corrupt. */
#include "compat/posix.h"
#include "fs/file.h"
#include "pack/pack-internal.h"
#include "util/alloc.h"
#include "util/bytes.h"

struct pack *pack_new(struct packs *owner, const char *base, size_t base_len,
		      const struct stat *st)
{
	struct pack *p;

	CALLOC_ARRAY(p, 1);
	p->owner = owner;
	p->base = xstrndup(base, base_len);
	p->path = xstrfmt("%s.pack", p->base);
	p->mtime = st->st_mtime;
	atomic_init(&p->cruft, -1);
	p->size = (uint64_t)st->st_size;
	p->dev = st->st_dev;
	p->ino = st->st_ino;
	pthread_mutex_init(&p->lock, NULL);
	return p;
}

bool pack_is_current(struct pack *p, const struct stat *st)
{
	return p->ino == st->st_ino && p->dev == st->st_dev && p->size == (uint64_t)st->st_size &&
	       !pack_is_gone(p);
}

void pack_free(struct pack *p)
{
	if (!p)
		return;
	window_file_free(p->file);
	mapped_file_release(&p->rev.map);
	free(p->rev.built);
	free(p->rev.sorted);
	free(atomic_load(&p->types));
	idx_release(&p->idx);
	oidset_clear(&p->bad);
	pthread_mutex_destroy(&p->lock);
	free(p->base);
	free(p->path);
	free(p);
}

/* ---- opening ---- */

void packs_warn(struct packs *ps, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vreport(ps->opts.warn, ps->opts.warn_data, fmt, ap);
	va_end(ap);
}

bool pack_is_gone(struct pack *p)
{
	return atomic_load(&p->idx_state) == PART_GONE || atomic_load(&p->data_state) == PART_GONE;
}

/* The error for a file that could not be opened before; damage was reported at that time. */
static int failed_before(struct pack *p, int state, struct err *err)
{
	if (state == PART_GONE)
		return err_set(err, ERR_NOT_FOUND, "pack '%s' does not exist", p->path);
	return err_set(err, ERR_CORRUPT, "pack '%s' is not usable", p->path);
}

static int finish_open(struct pack *p, _Atomic(int) *state, int rc, struct err *why,
		       struct err *err)
{
	int now = !rc ? PART_OPEN : rc == ERR_NOT_FOUND ? PART_GONE : PART_BAD;

	atomic_store_explicit(state, now, memory_order_release);
	if (now == PART_GONE) {
		err_move(err, why);
	} else if (rc < 0) {
		packs_warn(p->owner, "%s", err_message(why));
		err_move(err, why);
		rc = ERR_CORRUPT;
	}
	err_release(why);
	return rc;
}

int pack_open_idx(struct pack *p, struct err *err)
{
	struct err why = ERR_INIT;
	int rc = 0, state = atomic_load_explicit(&p->idx_state, memory_order_acquire);

	if (state == PART_OPEN)
		return 0;
	if (state >= PART_GONE)
		return failed_before(p, state, err);
	pthread_mutex_lock(&p->lock);
	state = atomic_load(&p->idx_state);
	if (state == PART_UNOPENED) {
		char *path = xstrfmt("%s.idx", p->base);

		rc = idx_open(&p->idx, path, p->owner->opts.algo, &why);
		free(path);
		rc = finish_open(p, &p->idx_state, rc, &why, err);
	} else if (state >= PART_GONE) {
		rc = failed_before(p, state, err);
	}
	pthread_mutex_unlock(&p->lock);
	return rc;
}

/* Check that header and checksum agree with the idx. */
static int check_data(struct pack *p, struct window_file *f, struct err *err)
{
	size_t raw = p->idx.algo->raw_len;
	uint64_t size = window_file_size(f);
	struct window_pin pin;
	uint32_t version, nr;
	bool same;
	int rc;

	if (size < PACK_HEADER_BYTES + raw)
		return err_set(err, ERR_CORRUPT, "file '%s' is far too short to be a packfile",
			       p->path);
	rc = window_pin(&pin, f, 0, PACK_HEADER_BYTES, err);
	if (rc < 0)
		return rc;
	same = get_be32(pin.p) == PACK_SIGNATURE;
	version = get_be32(pin.p + 4);
	nr = get_be32(pin.p + 8);
	window_unpin(f, &pin);
	if (!same)
		return err_set(err, ERR_CORRUPT, "file '%s' is not a GIT packfile", p->path);
	if (version != 2 && version != 3)
		return err_set(err, ERR_UNSUPPORTED, "packfile '%s' is version %u and not supported",
			       p->path, version);
	if (nr != p->idx.nr)
		return err_set(err, ERR_CORRUPT, "packfile '%s' claims to have %u objects while "
			       "index indicates %u objects", p->path, nr, p->idx.nr);
	rc = window_pin(&pin, f, size - raw, raw, err);
	if (rc < 0)
		return rc;
	same = !memcmp(pin.p, p->idx.pack_sum, raw);
	window_unpin(f, &pin);
	if (!same)
		return err_set(err, ERR_CORRUPT, "packfile '%s' does not match index", p->path);
	return 0;
}

static int open_data(struct pack *p, struct err *err)
{
	struct window_file *f;
	int rc = window_file_open(&f, p->owner->pool, p->path, err);

	if (rc < 0)
		return rc;
	rc = check_data(p, f, err);
	if (rc < 0) {
		window_file_free(f);
		return rc;
	}
	p->file = f;
	p->end = window_file_size(f) - p->idx.algo->raw_len;
	return 0;
}

int pack_open_data(struct pack *p, struct err *err)
{
	struct err why = ERR_INIT;
	int rc, state = atomic_load_explicit(&p->data_state, memory_order_acquire);

	if (state == PART_OPEN)
		return 0;
	if (state >= PART_GONE)
		return failed_before(p, state, err);
	rc = pack_open_idx(p, err);
	if (rc < 0)
		return rc;
	pthread_mutex_lock(&p->lock);
	state = atomic_load(&p->data_state);
	if (state == PART_UNOPENED)
		rc = finish_open(p, &p->data_state, open_data(p, &why), &why, err);
	else if (state >= PART_GONE)
		rc = failed_before(p, state, err);
	pthread_mutex_unlock(&p->lock);
	return rc;
}

/* ---- corrupt entries ---- */

/* An object id made from an offset, so that offsets can be kept in an oidset. */
static struct object_id offset_key(uint64_t offset)
{
	struct object_id key = { .algo = HASH_UNKNOWN };

	put_be64(key.hash, offset * UINT64_C(0x9e3779b97f4a7c15));
	return key;
}

bool pack_mark_bad(struct pack *p, uint64_t offset)
{
	struct object_id key = offset_key(offset);
	bool news;

	pthread_mutex_lock(&p->lock);
	news = oidset_insert(&p->bad, &key);
	if (news)
		atomic_fetch_add(&p->nr_bad, 1);
	pthread_mutex_unlock(&p->lock);
	return news;
}

bool pack_is_marked_bad(struct pack *p, uint64_t offset)
{
	struct object_id key;
	bool bad;

	if (!atomic_load_explicit(&p->nr_bad, memory_order_relaxed))
		return false;
	key = offset_key(offset);
	pthread_mutex_lock(&p->lock);
	bad = oidset_contains(&p->bad, &key);
	pthread_mutex_unlock(&p->lock);
	return bad;
}

/* ---- attributes ---- */

const char *pack_path(const struct pack *p)
{
	return p->path;
}

bool pack_has_object(struct pack *p, const struct object_id *oid)
{
	uint32_t pos;

	return !pack_open_idx(p, NULL) && idx_find(&p->idx, oid->hash, &pos);
}

bool pack_has_file(const struct pack *p, const char *extension)
{
	char *path = xstrfmt("%s.%s", p->base, extension);
	bool has = file_exists(path);

	free(path);
	return has;
}

uint32_t pack_nr_objects(const struct pack *p)
{
	return pack_open_idx((struct pack *)p, NULL) < 0 ? 0 : p->idx.nr;
}

uint64_t pack_size_bytes(const struct pack *p)
{
	return p->size;
}

uint32_t pack_time(const struct pack *p)
{
	return p->mtime < 0 ? 0 : p->mtime > UINT32_MAX ? UINT32_MAX : (uint32_t)p->mtime;
}

uint64_t pack_idx_size_bytes(const struct pack *p)
{
	return pack_open_idx((struct pack *)p, NULL) < 0 ? 0 : p->idx.map.len;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All packs of one object directory: finding them, and finding objects in them.
 *
 * Look-ups take no lock. The set of packs is immutable; scanning the directory again creates
 * a new set, and the old one is kept until packs_free, because other threads may still use
 * it. So are the packs themselves.
 */
#include "compat/posix.h"
#include "compat/os.h"
#include <dirent.h>
#include "compat/fskind.h"
#include "compat/syscalls.h"
#include "fs/file.h"
#include "pack/read-internal.h"
#include "util/alloc.h"

#define FETCH_DEPTH_MAX 64
/* Smaller objects are inflated in one go, which is faster. */
#define STREAM_MIN_BYTES ((uint64_t)512 * 1024)
#define DEFAULT_BASE_CACHE ((size_t)96 * 1024 * 1024)

/* ---- life ---- */

/* For delta bases that are missing or corrupt in their pack. */
static int read_elsewhere(struct packs *ps, struct pack *p, const struct object_id *oid,
			  struct object_buf *out, struct err *err);
static int info_elsewhere(struct packs *ps, struct pack *p, const struct object_id *oid,
			  struct object_info *out, struct err *err);

struct packs *packs_new(const struct packs_options *opts)
{
	struct packs *ps;

	CALLOC_ARRAY(ps, 1);
	ps->opts = *opts;
	ps->objdir = xstrdup(opts->objdir);
	ps->opts.objdir = ps->objdir;
	ps->dir = xstrfmt("%s/pack", opts->objdir);
	ps->pool = window_pool_new(opts->window_size, opts->window_limit);
	ps->cache = base_cache_new(opts->delta_base_cache_limit ? opts->delta_base_cache_limit
								 : DEFAULT_BASE_CACHE);
	ps->max_object_bytes = os_memory_bytes();
	ps->read_elsewhere = read_elsewhere;
	ps->info_elsewhere = info_elsewhere;
	pthread_mutex_init(&ps->lock, NULL);
	return ps;
}

static void pack_set_free(struct pack_set *s)
{
	midx_free(s->midx);
	free(s->all);
	free(s->single);
	free(s->mru);
	free(s);
}

static void pack_free_value(void *p)
{
	pack_free(p);
}

void packs_drop_cache(struct packs *p)
{
	base_cache_clear(p->cache);
}

static void reader_free(struct reader *r)
{
	if (!r)
		return;
	libdeflate_free_decompressor(r->inflater);
	free(r);
}

void packs_free(struct packs *ps)
{
	struct pack_set *set;

	if (!ps)
		return;
	set = atomic_load(&ps->set);
	while (set) {
		struct pack_set *older = set->older;

		pack_set_free(set);
		set = older;
	}
	for (size_t i = 0; i < ARRAY_SIZE(ps->readers); i++)
		reader_free(ps->readers[i].idle);
	base_cache_free(ps->cache);
	strmap_clear(&ps->by_base, pack_free_value);
	for (size_t i = 0; i < ps->nr_replaced; i++)
		pack_free(ps->replaced[i]);
	free(ps->replaced);
	window_pool_free(ps->pool);
	pthread_mutex_destroy(&ps->lock);
	free(ps->objdir);
	free(ps->dir);
	free(ps);
}

/* Each thread has a slot of its own, unless there are many. */
static struct reader_slot *own_slot(struct packs *ps)
{
	static atomic_uint nr_threads;
	static _Thread_local unsigned number; /* from 1 */

	if (!number)
		number = atomic_fetch_add(&nr_threads, 1) + 1;
	return &ps->readers[number % ARRAY_SIZE(ps->readers)];
}

struct reader *reader_get(struct packs *ps)
{
	struct reader *r = atomic_exchange(&own_slot(ps)->idle, NULL);

	if (r)
		return r;
	CALLOC_ARRAY(r, 1);
	r->inflater = libdeflate_alloc_decompressor();
	if (!r->inflater)
		out_of_memory();
	return r;
}

void reader_put(struct packs *ps, struct reader *r)
{
	reader_free(atomic_exchange(&own_slot(ps)->idle, r));
}

/* ---- scanning the directory ---- */

struct scan {
	struct pack **v;
	size_t nr, alloc;
};

/*
 * A repack may have removed a pack and made another of the same name: drop all data about the old
 * one.
 */
static struct pack *replace(struct packs *ps, const char *base, const struct stat *st)
{
	struct pack *p = pack_new(ps, base, strlen(base), st), *old = strmap_put(&ps->by_base, base, p);

	if (old) {
		ALLOC_GROW(ps->replaced, ps->nr_replaced + 1, ps->alloc_replaced);
		ps->replaced[ps->nr_replaced++] = old;
	}
	return p;
}

static struct pack *find_or_create(struct packs *ps, const char *name, size_t len)
{
	char *base = xstrfmt("%s/%.*s", ps->dir, (int)len, name);
	char *path = xstrfmt("%s.pack", base);
	struct pack *p = NULL;
	struct stat st;

	/* An .idx without its .pack is being removed, or is garbage. */
	if (!stat(path, &st) && S_ISREG(st.st_mode)) {
		p = strmap_get(&ps->by_base, base);
		if (!p || !pack_is_current(p, &st))
			p = replace(ps, base, &st);
	}
	free(path);
	free(base);
	return p;
}

static int newest_first(const void *a, const void *b)
{
	const struct pack *x = *(struct pack *const *)a, *y = *(struct pack *const *)b;

	if (x->mtime != y->mtime)
		return x->mtime > y->mtime ? -1 : 1;
	return strcmp(x->base, y->base);
}

static void scan_dir(struct packs *ps, struct scan *s)
{
	DIR *dir = opendir(ps->dir);
	struct dirent *de;

	if (!dir) {
		if (errno != ENOENT)
			packs_warn(ps, "unable to open object pack directory: %s: %s", ps->dir,
				   strerror(errno));
		return;
	}
	while ((de = readdir(dir))) {
		size_t len = strlen(de->d_name);
		struct pack *p;

		if (len < 5 || strcmp(de->d_name + len - 4, ".idx"))
			continue;
		p = find_or_create(ps, de->d_name, len - 4);
		if (!p)
			continue;
		ALLOC_GROW(s->v, s->nr + 1, s->alloc);
		s->v[s->nr++] = p;
	}
	closedir(dir);
	if (s->nr)
		qsort(s->v, s->nr, sizeof(*s->v), newest_first);
}

/* ---- the set ---- */

static struct midx *open_midx(struct packs *ps)
{
	struct err err = ERR_INIT;
	struct midx *m = NULL;
	int rc = midx_open_dir(&m, ps->dir, ps->opts.algo, &err);

	if (rc < 0 && rc != ERR_NOT_FOUND)
		packs_warn(ps, "%s", err_message(&err));
	err_release(&err);
	return m;
}

static bool same_packs(const struct pack_set *set, const struct scan *s)
{
	return set->nr == s->nr && (!s->nr || !memcmp(set->all, s->v, s->nr * sizeof(*s->v)));
}

/* Attach packs to the midx that covers them; the others are searched one by one. */
static void split_by_midx(struct pack_set *set)
{
	CALLOC_ARRAY(set->single, set->nr + 1);
	CALLOC_ARRAY(set->mru, set->nr + 1);
	for (size_t i = 0; i < set->nr; i++) {
		struct pack *p = set->all[i];
		char *name = xstrfmt("%s.idx", strrchr(p->base, '/') + 1);

		if (!midx_attach(set->midx, name, p)) {
			set->single[set->nr_single] = p;
			atomic_init(&set->mru[set->nr_single++], p);
		}
		free(name);
	}
}

static bool same_time(const struct stat *a, const struct stat *b)
{
	return a->st_mtime == b->st_mtime && ST_MTIME_NSEC(*a) == ST_MTIME_NSEC(*b) &&
	       a->st_ctime == b->st_ctime && ST_CTIME_NSEC(*a) == ST_CTIME_NSEC(*b);
}

/*
 * File systems have coarse clocks: a directory that has just changed may change again without a new
 * time.
 */
#define SETTLED_SECONDS 2

/* A client of a network file system may see old times of a directory. */
static bool dir_times_hold(struct packs *ps)
{
	if (!ps->dir_view_known)
		ps->dir_view = fs_lock_view(ps->dir);
	ps->dir_view_known = true;
	return ps->dir_view != 0;
}

/* No name in it, nor the multi-pack-index, has changed since the last scan. */
static bool dir_is_unchanged(struct packs *ps)
{
	struct stat st;
	bool same;

	if (stat(ps->dir, &st) < 0)
		memset(&st, 0, sizeof(st));
	same = st.st_ino && st.st_ino == ps->dir_seen.st_ino && st.st_dev == ps->dir_seen.st_dev &&
	       same_time(&st, &ps->dir_seen);
	ps->dir_seen = st;
	if (st.st_ctime > time(NULL) - SETTLED_SECONDS)
		ps->dir_seen.st_ino = 0;
	return same && dir_times_hold(ps);
}

/* Create a new set if something has changed. ps->lock is held. */
static void rescan(struct packs *ps)
{
	struct pack_set *old = atomic_load(&ps->set), *set;
	struct scan s = { NULL, 0, 0 };

	if (dir_is_unchanged(ps) && old)
		return;
	scan_dir(ps, &s);
	if (old && same_packs(old, &s) &&
	    (!ps->opts.use_midx || midx_is_current(old->midx, ps->dir))) {
		free(s.v);
		return;
	}
	CALLOC_ARRAY(set, 1);
	set->all = s.v;
	set->nr = s.nr;
	set->older = old;
	if (ps->opts.use_midx)
		set->midx = open_midx(ps);
	split_by_midx(set);
	atomic_store_explicit(&ps->set, set, memory_order_release);
}

struct pack_set *packs_set(struct packs *ps)
{
	struct pack_set *set = atomic_load_explicit(&ps->set, memory_order_acquire);

	if (set)
		return set;
	pthread_mutex_lock(&ps->lock);
	if (!atomic_load(&ps->set))
		rescan(ps);
	set = atomic_load(&ps->set);
	pthread_mutex_unlock(&ps->lock);
	return set;
}

/*
 * Limit of new scans because of concurrent repacks: a process that removes files all the time must
 * not stop the reader.
 */
#define LOOKS_MAX 100

struct pack_set *packs_set_held(struct packs *ps)
{
	struct pack_set *set = packs_set(ps);

	for (int i = 0; i < LOOKS_MAX; i++) {
		bool gone = false;

		for (size_t k = 0; k < set->nr; k++)
			gone |= pack_open_idx(set->all[k], NULL) == ERR_NOT_FOUND;
		if (!gone || !packs_reprepare(ps))
			break;
		set = packs_set(ps);
	}
	return set;
}

size_t packs_count(struct packs *ps)
{
	return packs_set(ps)->nr;
}

size_t packs_count_single(struct packs *ps)
{
	return packs_set(ps)->nr_single;
}

bool packs_reprepare(struct packs *ps)
{
	struct pack_set *before = atomic_load(&ps->set);

	pthread_mutex_lock(&ps->lock);
	rescan(ps);
	pthread_mutex_unlock(&ps->lock);
	return atomic_load(&ps->set) != before;
}

/* ---- finding an object ---- */

static bool is_pack_usable(struct pack *p, uint64_t offset)
{
	return atomic_load_explicit(&p->data_state, memory_order_relaxed) < PART_GONE &&
	       !pack_is_marked_bad(p, offset);
}

static bool find_in_pack(struct pack *p, const struct object_id *oid, struct pack_location *out)
{
	uint64_t offset;
	uint32_t pos;

	if (pack_open_idx(p, NULL) < 0 || !idx_find(&p->idx, oid->hash, &pos))
		return false;
	offset = idx_offset(&p->idx, pos);
	if (!is_pack_usable(p, offset))
		return false;
	*out = (struct pack_location){ p, offset };
	return true;
}

static bool find_in_all(const struct pack_set *set, const struct object_id *oid,
			const struct pack *not_in, struct pack_location *out)
{
	for (size_t i = 0; i < set->nr; i++)
		if (set->all[i] != not_in && find_in_pack(set->all[i], oid, out))
			return true;
	return false;
}

/* Move the i-th pack to the front, unless another thread holds the lock. */
static void move_to_front(struct packs *ps, struct pack_set *set, size_t i, struct pack *p)
{
	if (pthread_mutex_trylock(&ps->lock))
		return;
	if (atomic_load(&set->mru[i]) == p) {
		atomic_fetch_add(&set->mru_moves, 1);
		for (; i; i--)
			atomic_store(&set->mru[i], atomic_load(&set->mru[i - 1]));
		atomic_store(&set->mru[0], p);
		atomic_fetch_add(&set->mru_moves, 1);
	}
	pthread_mutex_unlock(&ps->lock);
}

/*
 * This takes no lock. If the object is found, that is certain. If not, and packs were moved
 * meanwhile, one of them may have been skipped, so all are searched again.
 */
static bool find_in_packs(struct packs *ps, struct pack_set *set, const struct object_id *oid,
			  struct pack_location *out)
{
	unsigned moves = atomic_load(&set->mru_moves);

	for (size_t i = 0; i < set->nr_single; i++) {
		struct pack *p = atomic_load(&set->mru[i]);

		if (!find_in_pack(p, oid, out))
			continue;
		if (i)
			move_to_front(ps, set, i, p);
		return true;
	}
	if (!(moves & 1) && atomic_load(&set->mru_moves) == moves)
		return false;
	return find_in_all(set, oid, NULL, out);
}

/* 1 found, 0 absent, -1 present, but the copy it refers to cannot be used. */
static int find_in_midx(const struct midx *m, const struct object_id *oid,
			struct pack_location *out)
{
	uint64_t offset;
	uint32_t pos, id;

	if (!midx_find(m, oid->hash, &m, &pos))
		return 0;
	if (!midx_location(m, pos, &id, &offset) || !m->packs[id] || !is_pack_usable(m->packs[id], offset))
		return -1;
	*out = (struct pack_location){ m->packs[id], offset };
	return 1;
}

bool packs_find(struct packs *ps, const struct object_id *oid, const struct pack *not_in,
		struct pack_location *out)
{
	struct pack_set *set = packs_set(ps);
	int hit;

	if (not_in)
		return find_in_all(set, oid, not_in, out);
	hit = set->midx ? find_in_midx(set->midx, oid, out) : 0;
	if (hit > 0)
		return true;
	if (find_in_packs(ps, set, oid, out))
		return true;
	return hit < 0 && find_in_all(set, oid, NULL, out);
}

bool packs_has(struct packs *ps, const struct object_id *oid)
{
	struct pack_location at;

	return packs_find(ps, oid, NULL, &at);
}

bool pack_is_cruft(struct pack *p)
{
	int cruft = atomic_load(&p->cruft);

	if (cruft < 0) {
		cruft = pack_has_file(p, "mtimes");
		atomic_store(&p->cruft, cruft);
	}
	return cruft;
}

bool packs_find_not_cruft(struct packs *ps, const struct object_id *oid, struct pack_location *out)
{
	struct pack_set *set = packs_set(ps);

	if (!packs_find(ps, oid, NULL, out))
		return false;
	for (size_t i = 0; pack_is_cruft(out->pack) && i < set->nr; i++)
		if (!pack_is_cruft(set->all[i]))
			find_in_pack(set->all[i], oid, out);
	return true;
}

bool packs_is_cruft(struct packs *ps, const struct object_id *oid)
{
	struct pack_location at;

	return packs_find_not_cruft(ps, oid, &at) && pack_is_cruft(at.pack);
}

bool packs_can_touch(struct packs *ps, const struct object_id *oid)
{
	struct pack_location at;

	return packs_find_not_cruft(ps, oid, &at) && !pack_is_cruft(at.pack) && file_can_be_touched(at.pack->path);
}

bool packs_touch(struct packs *ps, const struct object_id *oid)
{
	static const struct timespec now[2] = { { 0, UTIME_NOW }, { 0, UTIME_NOW } };
	struct pack_location at;

	if (!packs_find_not_cruft(ps, oid, &at) || pack_is_cruft(at.pack))
		return false;
	if (!atomic_load(&at.pack->touched)) {
		if (sys->utimens(at.pack->path, now) < 0)
			return false;
		atomic_store(&at.pack->touched, true);
	}
	return true;
}

/* ---- reading: copy after copy until one is good ---- */

/* An operation on one copy of an object. */
typedef int (*copy_fn)(struct pack *p, uint64_t offset, void *arg, struct err *err);

static int try_copies(struct packs *ps, const struct object_id *oid, const struct pack *not_in,
		      copy_fn fn, void *arg, struct err *err)
{
	struct err first = ERR_INIT;
	struct pack_location at;
	int rc = ERR_NOT_FOUND;

	while (packs_find(ps, oid, not_in, &at)) {
		struct err why = ERR_INIT;

		rc = pack_open_data(at.pack, &why);
		if (rc == ERR_NOT_FOUND) {
			/* Removed, but not damaged: the next scan will find the new pack. */
			pack_mark_bad(at.pack, at.offset);
			rc = first.code ? ERR_CORRUPT : ERR_NOT_FOUND;
			err_release(&why);
			continue;
		}
		if (!rc)
			rc = fn(at.pack, at.offset, arg, &why);
		if (!rc && first.code)
			packs_warn(ps, "%s; the copy in '%s' is used", err_message(&first),
				   at.pack->path);
		if (is_damage(rc)) {
			/* The next search skips this copy. */
			pack_mark_bad(at.pack, at.offset);
			rc = ERR_CORRUPT;
			why.code = rc;
			err_prefix(&why, "packed object %s (stored in %s) is corrupt",
				   oid_hex(oid), at.pack->path);
		} else if (rc < 0) {
			err_prefix(&why, "packed object %s (stored in %s)", oid_hex(oid),
				   at.pack->path);
		}
		err_move(&first, &why);
		err_release(&why);
		if (rc != ERR_CORRUPT)
			break;
	}
	if (rc == ERR_NOT_FOUND)
		err_set(err, rc, "object %s not found", oid_hex(oid));
	else if (rc < 0)
		err_move(err, &first);
	err_release(&first);
	return rc;
}

struct read_arg {
	struct packs *packs;
	struct object_buf *out;
};

static int read_packed_copy(struct pack *p, uint64_t offset, void *arg, struct err *err)
{
	struct read_arg *a = arg;
	struct reader *r = reader_get(a->packs);
	int rc = pack_read_at(p, r, offset, a->out, err);

	reader_put(a->packs, r);
	return rc;
}

int packs_read(struct packs *ps, const struct object_id *oid, struct object_buf *out,
	       struct err *err)
{
	struct read_arg a = { ps, out };

	return try_copies(ps, oid, NULL, read_packed_copy, &a, err);
}

struct info_arg {
	unsigned flags;
	struct object_info *out;
};

static int info_copy(struct pack *p, uint64_t offset, void *arg, struct err *err)
{
	struct info_arg *a = arg;
	struct reader *r = reader_get(p->owner);
	int rc = pack_info_at(p, r, offset, a->flags, a->out, err);

	reader_put(p->owner, r);
	return rc;
}

int packs_info(struct packs *ps, const struct object_id *oid, struct object_info *out,
	       struct err *err)
{
	struct info_arg a = { INFO_LOCATION, out };

	return try_copies(ps, oid, NULL, info_copy, &a, err);
}

int packs_type(struct packs *ps, const struct object_id *oid, enum object_type *type,
	       uint64_t *size, struct err *err)
{
	struct object_info info;
	struct info_arg a = { 0, &info };
	int rc = try_copies(ps, oid, NULL, info_copy, &a, err);

	if (!rc) {
		*type = info.type;
		*size = info.size;
	}
	return rc;
}

/* After the first piece no other copy can be tried: a failure is final. */
struct stream_arg {
	struct packs *packs;
	int (*sink)(void *data, const void *p, size_t len, struct err *err);
	void *data;
	int failed;
	struct err why;
};

static int stream_from_memory(struct stream_arg *a, struct pack *p, uint64_t offset,
			      struct err *err)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	struct read_arg r = { a->packs, &buf };
	int rc = read_packed_copy(p, offset, &r, err);

	if (rc < 0)
		return rc;
	a->failed = a->sink(a->data, buf.data, buf.size, &a->why);
	object_buf_release(&buf);
	return 0;
}

static int stream_copy(struct pack *p, uint64_t offset, void *arg, struct err *err)
{
	struct stream_arg *a = arg;
	struct err why = ERR_INIT;
	struct pack_entry e;
	bool any = false;
	int rc = pack_entry_read(p, offset, &e, err);

	if (rc < 0)
		return rc;
	if (e.type == OBJ_OFS_DELTA || e.type == OBJ_REF_DELTA || e.size < STREAM_MIN_BYTES)
		return stream_from_memory(a, p, offset, err);
	rc = pack_entry_stream(p, &e, a->sink, a->data, &any, &why);
	err_move(any ? &a->why : err, &why);
	err_release(&why);
	if (!any)
		return rc;
	a->failed = rc;
	return 0;
}

int packs_stream(struct packs *ps, const struct object_id *oid,
		 int (*sink)(void *data, const void *p, size_t len, struct err *err),
		 void *data, struct err *err)
{
	struct stream_arg a = { ps, sink, data, 0, ERR_INIT };
	int rc = try_copies(ps, oid, NULL, stream_copy, &a, err);

	if (!rc && a.failed) {
		rc = a.failed;
		err_move(err, &a.why);
	}
	err_release(&a.why);
	return rc;
}

/* ---- delta bases from elsewhere ---- */

/* False if this thread is fetching that base already, or too many bases. */
static bool begin_fetching(struct packs *ps, struct fetching *f)
{
	unsigned depth = 0;
	bool ok = true;

	pthread_mutex_lock(&ps->lock);
	for (const struct fetching *o = ps->fetching; o && ok; o = o->next)
		if (pthread_equal(o->thread, f->thread) &&
		    (oid_eq(o->oid, f->oid) || ++depth == FETCH_DEPTH_MAX))
			ok = false;
	if (ok) {
		f->next = ps->fetching;
		ps->fetching = f;
	}
	pthread_mutex_unlock(&ps->lock);
	return ok;
}

static void end_fetching(struct packs *ps, struct fetching *f)
{
	struct fetching **at = &ps->fetching;

	pthread_mutex_lock(&ps->lock);
	while (*at != f)
		at = &(*at)->next;
	*at = f->next;
	pthread_mutex_unlock(&ps->lock);
}


/* Try other packs than p by `fn`, then other stores by `ask`. */
static int try_elsewhere(struct packs *ps, struct pack *p, const struct object_id *oid,
			 copy_fn fn, int (*ask)(const struct object_source *s,
						const struct object_id *oid, void *arg),
			 void *arg, struct err *err)
{
	struct fetching f = { pthread_self(), oid, NULL };
	struct err why = ERR_INIT;
	int rc;

	if (!begin_fetching(ps, &f))
		return err_set(err, ERR_CORRUPT, "delta bases form a cycle at object %s",
			       oid_hex(oid));
	rc = try_copies(ps, oid, p, fn, arg, &why);
	if (is_damage(rc) && ps->opts.others && !ask(ps->opts.others, oid, arg))
		rc = 0;
	end_fetching(ps, &f);
	if (rc < 0)
		err_move(err, &why);
	err_release(&why);
	return rc;
}

static int ask_read(const struct object_source *s, const struct object_id *oid, void *arg)
{
	return s->read(s->data, oid, ((struct read_arg *)arg)->out, NULL);
}

static int read_elsewhere(struct packs *ps, struct pack *p, const struct object_id *oid,
			  struct object_buf *out, struct err *err)
{
	struct read_arg a = { ps, out };

	return try_elsewhere(ps, p, oid, read_packed_copy, ask_read, &a, err);
}

static int ask_info(const struct object_source *s, const struct object_id *oid, void *arg)
{
	return s->info(s->data, oid, ((struct info_arg *)arg)->out, NULL);
}

static int info_elsewhere(struct packs *ps, struct pack *p, const struct object_id *oid,
			  struct object_info *out, struct err *err)
{
	struct info_arg a = { 0, out };

	return try_elsewhere(ps, p, oid, info_copy, ask_info, &a, err);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading the index file. Nothing in it is trusted: counts, lengths and
 * offsets are checked against the mapping. The checksum is computed in a
 * thread of its own while the entries are parsed.
 */
#include "compat/posix.h"
#include <sys/mman.h>
#include "index/index-internal.h"
#include "util/alloc.h"
#include "util/workers.h"

/* Below this, a thread costs more than the hash. */
#define HASH_IN_THREAD_BYTES ((size_t)128 * 1024)

struct reader {
	struct index_state *ix;
	const char *path;
	const unsigned char *map, *pos, *end; /* end: where the checksum begins */
	size_t size;
	uint32_t version, count;
	struct err order; /* the first fault in the order of names; unused in a split index */
	bool sdir; /* sparse directories are allowed */
	size_t name_budget; /* version 4: bytes that names may still grow to */
	struct err *err;
};

static int corrupt(struct reader *rd, const char *fmt, ...) PRINTF_LIKE(2, 3);
static int corrupt(struct reader *rd, const char *fmt, ...)
{
	va_list ap;
	char *why;

	va_start(ap, fmt);
	why = xvstrfmt(fmt, ap);
	va_end(ap);
	err_set(rd->err, ERR_CORRUPT, "index file corrupt: '%s': %s", rd->path, why);
	free(why);
	return ERR_CORRUPT;
}

/* ---- checksum ---- */

struct checksum_job {
	const struct reader *rd;
	struct object_id result;
	pthread_t thread;
	bool running, wanted;
};

static void *compute_checksum(void *data)
{
	struct checksum_job *job = data;
	const struct reader *rd = job->rd;

	hash_buf(rd->ix->algo, rd->map, (size_t)(rd->end - rd->map), &job->result);
	return NULL;
}

static void checksum_start(struct checksum_job *job, const struct reader *rd)
{
	memset(job, 0, sizeof(*job));
	job->rd = rd;
	/* all zero: written with index.skipHash */
	job->wanted = !oid_is_null(&rd->ix->checksum);
	if (job->wanted && rd->size >= HASH_IN_THREAD_BYTES)
		job->running = start_thread(&job->thread, compute_checksum, job);
}

static int checksum_finish(struct checksum_job *job, struct reader *rd)
{
	if (!job->wanted)
		return 0;
	if (job->running)
		pthread_join(job->thread, NULL);
	else
		compute_checksum(job);
	if (oid_eq(&job->result, &rd->ix->checksum))
		return 0;
	/* other errors that were found are a consequence of this one */
	if (rd->err)
		err_release(rd->err);
	return corrupt(rd, "bad checksum");
}

/* ---- entries ---- */

static size_t remaining(const struct reader *rd)
{
	return (size_t)(rd->end - rd->pos);
}

static void load_stat(struct stat_data *sd, const unsigned char *p)
{
	sd->ctime_sec = load_be32(p);
	sd->ctime_nsec = load_be32(p + 4);
	sd->mtime_sec = load_be32(p + 8);
	sd->mtime_nsec = load_be32(p + 12);
	sd->dev = load_be32(p + 16);
	sd->ino = load_be32(p + 20);
	sd->uid = load_be32(p + 28);
	sd->gid = load_be32(p + 32);
	sd->size = load_be32(p + 36);
}

/* The variable width number of version 4: that of OFS_DELTA offsets in packs. */
static int load_varint(struct reader *rd, size_t *out)
{
	size_t v = 0;

	for (int i = 0; i < 9 && rd->pos < rd->end; i++) {
		unsigned char c = *rd->pos++;

		v = i ? ((v + 1) << 7 | (c & 127)) : (c & 127);
		if (!(c & 128)) {
			*out = v;
			return 0;
		}
	}
	return -1;
}

/* The parts of a name, before it is built. */
struct raw_name {
	size_t keep; /* bytes of the previous entry's name */
	const unsigned char *tail;
	size_t tail_len;
};

static int find_name_v4(struct reader *rd, const struct index_entry *prev, struct raw_name *n)
{
	size_t strip, prev_len = prev ? prev->name_len : 0;
	const unsigned char *nul;

	if (load_varint(rd, &strip) < 0 || strip > prev_len)
		return corrupt(rd, "malformed name field in the index");
	nul = memchr(rd->pos, 0, remaining(rd));
	if (!nul)
		return corrupt(rd, "unterminated name");
	n->keep = prev_len - strip;
	n->tail = rd->pos;
	n->tail_len = (size_t)(nul - rd->pos);
	rd->pos = nul + 1;
	/* A small file must not grow to any size by repeating a long name. */
	if (n->keep > rd->name_budget)
		return corrupt(rd, "names are too long");
	rd->name_budget -= n->keep;
	return 0;
}

static int find_name(struct reader *rd, const unsigned char *start, size_t flag_len,
		     struct raw_name *n)
{
	const unsigned char *nul;
	size_t padded;

	nul = memchr(rd->pos, 0, remaining(rd));
	if (!nul)
		return corrupt(rd, "unterminated name");
	n->keep = 0;
	n->tail = rd->pos;
	n->tail_len = (size_t)(nul - rd->pos);
	if (flag_len == FLAG_NAME_MASK ? n->tail_len < flag_len : n->tail_len != flag_len)
		return corrupt(rd, "name length does not match");
	padded = ((size_t)(nul - start) + 8) & ~(size_t)7;
	if (padded > (size_t)(rd->end - start))
		return corrupt(rd, "truncated");
	rd->pos = start + padded;
	return 0;
}

static bool mode_is_known(unsigned mode)
{
	return MODE_IS_FILE(mode) || MODE_IS_SYMLINK(mode) || MODE_IS_GITLINK(mode) || MODE_IS_TREE(mode);
}

/* Whether it counts is known with the extensions. */
static void note_order(struct reader *rd, const struct index_entry *prev, const struct index_entry *e)
{
	if (!rd->order.code)
		(void)!index_entry_check_order(prev, e, rd->path, &rd->order);
}

static struct index_entry *build_entry(struct reader *rd, const struct index_entry *prev,
				       const struct raw_name *n)
{
	size_t len = n->keep + n->tail_len;
	struct index_entry *e =
		arena_alloc(rd->ix, st_add(offsetof(struct index_entry, name) + 1, len));

	if (n->keep)
		memcpy(e->name, prev->name, n->keep);
	memcpy(e->name + n->keep, n->tail, n->tail_len);
	e->name[len] = '\0';
	e->name_len = (uint32_t)len;
	return e;
}

static int read_flags(struct reader *rd, unsigned flags, unsigned *out)
{
	unsigned flags2;

	*out = flags & FLAG_ASSUME_VALID ? CE_ASSUME_VALID : 0;
	if (!(flags & FLAG_EXTENDED))
		return 0;
	if (rd->version < 3)
		return corrupt(rd, "extended flags in version 2");
	if (remaining(rd) < 2)
		return corrupt(rd, "truncated");
	flags2 = (unsigned)rd->pos[0] << 8 | rd->pos[1];
	rd->pos += 2;
	if (flags2 & ~(FLAG2_SKIP_WORKTREE | FLAG2_INTENT_TO_ADD))
		return corrupt(rd, "unknown index entry format 0x%04x", flags2);
	if (flags2 & FLAG2_SKIP_WORKTREE)
		*out |= CE_SKIP_WORKTREE;
	if (flags2 & FLAG2_INTENT_TO_ADD)
		*out |= CE_INTENT_TO_ADD;
	return 0;
}

static int read_entry(struct reader *rd, const struct index_entry *prev,
		      struct index_entry **out)
{
	const struct hash_algo *algo = rd->ix->algo;
	const unsigned char *start = rd->pos;
	size_t fixed = ENTRY_FIXED_LEN + algo->raw_len + 2;
	unsigned flags, ce_flags, mode;
	struct raw_name name = { 0, NULL, 0 };
	struct index_entry *e;
	int ret;

	if (remaining(rd) < fixed)
		return corrupt(rd, "truncated");
	mode = load_be32(start + 24);
	flags = (unsigned)start[fixed - 2] << 8 | start[fixed - 1];
	rd->pos += fixed;
	ret = read_flags(rd, flags, &ce_flags);
	if (!ret)
		ret = rd->version == 4 ? find_name_v4(rd, prev, &name) :
			find_name(rd, start, flags & FLAG_NAME_MASK, &name);
	if (ret)
		return ret;
	if (!mode_is_known(mode))
		return corrupt(rd, "entry with invalid mode %o", mode);
	e = build_entry(rd, prev, &name);
	load_stat(&e->stat, start);
	e->mode = mode;
	e->flags = ce_flags;
	e->stage = (flags >> FLAG_STAGE_SHIFT) & 3;
	oid_from_raw(&e->oid, start + ENTRY_FIXED_LEN, algo);
	*out = e;
	rd->ix->sparse_dirs |= MODE_IS_TREE(mode);
	note_order(rd, prev, e);
	return 0;
}

static int read_entries(struct reader *rd)
{
	struct index_state *ix = rd->ix;
	size_t least = ENTRY_FIXED_LEN + ix->algo->raw_len + 2 + 2;
	struct index_entry *prev = NULL;
	int ret = 0;

	if (rd->count > remaining(rd) / least)
		return corrupt(rd, "too many entries for its size: %" PRIu32, rd->count);
	rd->name_budget = st_add(st_mult(rd->size, 32), (size_t)64 << 20);
	ALLOC_ARRAY(ix->entries, (size_t)rd->count + !rd->count);
	ix->alloc = rd->count;
	arena_reserve(ix, st_add(rd->size, st_mult(rd->count,
						   sizeof(struct index_entry) - least + 8)));
	for (uint32_t i = 0; i < rd->count && !ret; i++) {
		ret = read_entry(rd, prev, &ix->entries[i]);
		prev = ret ? NULL : ix->entries[i];
		ix->nr += !ret;
	}
	return ret;
}

/* ---- extensions ---- */

static void keep_ext(struct strbuf **out, const void *p, size_t len)
{
	*out = xmalloc(sizeof(**out));
	strbuf_init(*out, len);
	strbuf_add(*out, p, len);
}

static int read_extension(struct reader *rd, uint32_t sig, const unsigned char *p, size_t len)
{
	struct index_state *ix = rd->ix;

	switch (sig) {
	case EXT_TREE:
		/* derived data: a malformed one is ignored, it can be computed again */
		if (!ix->cache_tree && cache_tree_read(&ix->cache_tree, p, len, ix->algo, NULL) < 0)
			ix->cache_tree = NULL;
		return 0;
	case EXT_REUC:
		if (ix->resolve_undo)
			return corrupt(rd, "two REUC extensions");
		if (resolve_undo_read(&ix->resolve_undo, p, len, ix->algo, NULL) < 0)
			return corrupt(rd, "index records invalid resolve-undo information");
		return 0;
	case EXT_UNTR:
		if (!ix->untracked_ext)
			keep_ext(&ix->untracked_ext, p, len);
		return 0;
	case EXT_FSMN:
		if (!ix->fsmonitor_ext)
			keep_ext(&ix->fsmonitor_ext, p, len);
		return 0;
	case EXT_LINK:
		if (ix->link_ext)
			return corrupt(rd, "two link extensions");
		keep_ext(&ix->link_ext, p, len);
		return 0;
	case EXT_SDIR:
		rd->sdir = true;
		return 0;
	}
	if (sig >> 24 >= 'A' && sig >> 24 <= 'Z')
		return 0; /* optional */
	for (int i = 24; i >= 0; i -= 8)
		if (!isprint((int)(sig >> i & 255)))
			return corrupt(rd, "unknown extension 0x%08" PRIx32, sig);
	return err_set(rd->err, ERR_UNSUPPORTED,
		       "index uses %c%c%c%c extension, which we do not understand",
		       (char)(sig >> 24), (char)(sig >> 16), (char)(sig >> 8), (char)sig);
}

static int read_extensions(struct reader *rd)
{
	while (remaining(rd)) {
		uint32_t sig;
		size_t len;
		int ret;

		if (remaining(rd) < 8)
			return corrupt(rd, "truncated extension");
		sig = load_be32(rd->pos);
		len = load_be32(rd->pos + 4);
		rd->pos += 8;
		if (len > remaining(rd))
			return corrupt(rd, "extension extends past the end");
		ret = read_extension(rd, sig, rd->pos, len);
		if (ret)
			return ret;
		rd->pos += len;
	}
	return 0;
}

/* ---- the file ---- */

static int read_header(struct reader *rd)
{
	struct index_state *ix = rd->ix;

	if (rd->size < INDEX_HEADER_LEN + ix->algo->raw_len)
		return corrupt(rd, "smaller than expected");
	if (load_be32(rd->map) != INDEX_SIGNATURE)
		return corrupt(rd, "bad signature 0x%08" PRIx32, load_be32(rd->map));
	rd->version = load_be32(rd->map + 4);
	rd->count = load_be32(rd->map + 8);
	rd->end = rd->map + rd->size - ix->algo->raw_len;
	rd->pos = rd->map + INDEX_HEADER_LEN;
	oid_from_raw(&ix->checksum, rd->end, ix->algo);
	return 0;
}

/* In a split index, replaced entries have names of a shared file: then the whole is checked later. */
static int check_entries(struct reader *rd)
{
	if (rd->order.code && !rd->ix->link_ext) {
		err_move(rd->err, &rd->order);
		return ERR_CORRUPT;
	}
	for (size_t i = 0; rd->ix->sparse_dirs && i < rd->ix->nr; i++) {
		const struct index_entry *e = rd->ix->entries[i];
		bool fits = rd->sdir && !e->stage && e->flags & CE_SKIP_WORKTREE &&
			    (rd->ix->link_ext || (e->name_len > 1 && e->name[e->name_len - 1] == '/'));

		if (MODE_IS_TREE(e->mode) && !fits)
			return corrupt(rd, "entry '%s' with invalid mode %o", e->name, e->mode);
	}
	return 0;
}

int index_parse(struct index_state *ix, const void *bytes, size_t size, const char *path,
		struct err *err)
{
	struct reader rd = { .ix = ix, .path = path, .map = bytes, .size = size, .err = err };
	struct checksum_job job;
	int ret, sum;

	ret = read_header(&rd);
	if (ret)
		return ret;
	ix->version = rd.version;
	checksum_start(&job, &rd);
	if (rd.version < 2 || rd.version > 4)
		ret = err_set(err, ERR_UNSUPPORTED, "bad index version %" PRIu32 " in '%s'",
			      rd.version, path);
	if (!ret)
		ret = read_entries(&rd);
	if (!ret)
		ret = read_extensions(&rd);
	if (!ret)
		ret = check_entries(&rd);
	err_release(&rd.order);
	sum = checksum_finish(&job, &rd);
	return sum ? sum : ret;
}

static int map_file(int fd, const struct stat *st, const char *path, void **map, struct err *err)
{
	struct reader rd = { .path = path, .err = err };

	if (!S_ISREG(st->st_mode))
		return corrupt(&rd, "not a regular file");
	if (!st->st_size)
		return corrupt(&rd, "smaller than expected");
	if ((uintmax_t)st->st_size > SIZE_MAX / 64)
		return corrupt(&rd, "too big");
	*map = mmap(NULL, (size_t)st->st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (*map == MAP_FAILED)
		return err_set_errno(err, "unable to map index file '%s'", path);
	return 0;
}

static int read_fd_into(struct index_state *ix, int fd, const char *path, struct err *err)
{
	struct stat st;
	void *map;
	int ret;

	if (fstat(fd, &st) < 0)
		return err_set_errno(err, "cannot stat the open index '%s'", path);
	ret = map_file(fd, &st, path, &map, err);
	if (ret)
		return ret;
	ret = index_parse(ix, map, (size_t)st.st_size, path, err);
	munmap(map, (size_t)st.st_size);
	ix->timestamp_sec = (uint32_t)st.st_mtime;
	ix->timestamp_nsec = ST_MTIME_NSEC(st);
	stat_data_fill(&ix->file, &st);
	return ret;
}

int index_read_file(struct index_state *ix, const char *path, bool optional, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), ret;

	if (fd < 0 && errno == ENOENT && optional)
		return 0;
	if (fd < 0)
		return err_set_errno(err, "index file open failed: '%s'", path);
	ret = read_fd_into(ix, fd, path, err);
	close(fd);
	return ret;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writing a pack without deltas. The checksum covers the header, which contains the number of
 * objects, and that is known only at the end. So objects are not hashed while they are added;
 * the finished file, which is in the page cache, is read once for the checksum.
 *
 * A mutex protects the table of entries and the buffer. Readers copy an entry under it, and
 * read the file without it.
 */
#include "compat/posix.h"
#include <libdeflate.h>
#include <pthread.h>
#include <zlib.h>
#include "compat/syscalls.h"
#include "fs/tempfile.h"
#include "pack/read-internal.h"
#include "pack/pack.h"
#include "pack/stage-internal.h"
#include "util/alloc.h"
#include "util/bytes.h"
#include "util/deflate.h"
#include "write-or-die.h"

#define BUFFER_BYTES ((size_t)512 * 1024)
#define HASH_BYTES ((size_t)1024 * 1024)

struct written {
	struct object_id oid;
	uint64_t offset, data_offset, end;
	uint64_t size;	      /* of the content */
	uint64_t stored_size; /* before deflation: the content, or a delta */
	uint32_t base;	      /* of the delta: its place among the entries, plus one; 0: no delta */
	uint32_t depth;	      /* length of the chain of deltas */
	uint32_t crc;
	enum object_type type;
};

struct stream {
	z_stream z;
	uint64_t size, seen;
	uint64_t offset, data_offset;
	enum object_type type;
	uint32_t crc;
	bool open;
};

struct pack_writer {
	struct pack_writer_options opts;
	char *dir, *packdir;
	pthread_mutex_t lock;
	struct tempfile *tmp; /* NULL once staged */
	char *tmp_path;	      /* for messages */
	int fd;		      /* a descriptor of our own, which staging does not close */
	unsigned char *buf;
	size_t buf_len;
	uint64_t flushed;     /* bytes in the file */
	struct written *entries;
	size_t nr, alloc;
	struct oidmap by_oid; /* index + 1 */
	struct stream stream;
	bool failed, finished;
};

/* ---- creating and freeing ---- */

int pack_writer_new(struct pack_writer **out, const struct pack_writer_options *o,
		    struct err *err)
{
	struct pack_writer *w;
	struct tempfile *tmp;
	int fd, rc;

	rc = tempfile_create_in(&tmp, o->dir, "tmp_pack_", 0444, err);
	if (rc < 0)
		return rc;
	fd = fcntl(tmp->fd, F_DUPFD_CLOEXEC, 0);
	if (fd < 0) {
		rc = err_set_errno(err, "cannot duplicate the descriptor of '%s'", tmp->path);
		tempfile_delete(&tmp);
		return rc;
	}
	CALLOC_ARRAY(w, 1);
	w->opts = *o;
	w->dir = xstrdup(o->dir);
	w->packdir = xstrdup(o->packdir);
	w->opts.dir = w->dir;
	w->opts.packdir = w->packdir;
	w->tmp = tmp;
	w->tmp_path = xstrdup(tmp->path);
	w->fd = fd;
	w->buf = xmalloc(BUFFER_BYTES);
	pthread_mutex_init(&w->lock, NULL);
	/* Room for the header, which is written at the end. */
	memset(w->buf, 0, PACK_HEADER_BYTES);
	w->buf_len = PACK_HEADER_BYTES;
	*out = w;
	return 0;
}

void pack_writer_free(struct pack_writer *w)
{
	if (!w)
		return;
	if (w->stream.open)
		deflateEnd(&w->stream.z);
	tempfile_delete(&w->tmp);
	sys->close(w->fd);
	oidmap_clear(&w->by_oid, NULL);
	pthread_mutex_destroy(&w->lock);
	free(w->entries);
	free(w->buf);
	free(w->tmp_path);
	free(w->dir);
	free(w->packdir);
	free(w);
}

/* ---- bytes ---- */

static uint64_t position(const struct pack_writer *w)
{
	return w->flushed + w->buf_len;
}

bool pack_writer_has_room(const struct pack_writer *w, uint64_t deflated, uint64_t limit)
{
	uint64_t rest = PACK_ENTRY_HEADER_MAX + w->opts.algo->raw_len; /* header and trailer */

	return !w->nr || (position(w) + rest <= limit && deflated <= limit - position(w) - rest);
}

/* After a failed write the length of the file is unknown, so nothing more is written. */
static int is_writer_usable(struct pack_writer *w, struct err *err)
{
	if (w->failed)
		return err_set(err, ERR_IO, "'%s': an earlier write failed", w->tmp_path);
	if (w->finished)
		BUG("pack_writer used after finish");
	return 0;
}

static int flush_buffer(struct pack_writer *w, struct err *err)
{
	int rc;

	if (!w->buf_len)
		return 0;
	rc = write_in_full(w->fd, w->buf, w->buf_len, w->tmp_path, err);
	if (rc < 0) {
		w->failed = true;
		return rc;
	}
	w->flushed += w->buf_len;
	w->buf_len = 0;
	return 0;
}

static int append(struct pack_writer *w, const void *p, size_t len, struct err *err)
{
	int rc;

	if (len > BUFFER_BYTES - w->buf_len) {
		rc = flush_buffer(w, err);
		if (rc < 0)
			return rc;
	}
	if (len <= BUFFER_BYTES) {
		memcpy(w->buf + w->buf_len, p, len);
		w->buf_len += len;
		return 0;
	}
	rc = write_in_full(w->fd, p, len, w->tmp_path, err);
	if (rc < 0) {
		w->failed = true;
		return rc;
	}
	w->flushed += len;
	return 0;
}

/* Truncate the pack to `offset`. */
static int truncate_to(struct pack_writer *w, uint64_t offset, struct err *err)
{
	if (offset >= w->flushed) {
		w->buf_len = (size_t)(offset - w->flushed);
		return 0;
	}
	w->buf_len = 0;
	if (RETRY_EINTR(sys->ftruncate(w->fd, (off_t)offset)) < 0 ||
	    lseek(w->fd, (off_t)offset, SEEK_SET) < 0) {
		w->failed = true;
		return err_set_errno(err, "cannot truncate '%s'", w->tmp_path);
	}
	w->flushed = offset;
	return 0;
}

size_t pack_entry_header(unsigned char *out, enum object_type type, uint64_t size)
{
	size_t n = 0;
	unsigned char c = (unsigned char)((unsigned)type << 4 | (size & 15));

	size >>= 4;
	while (size) {
		out[n++] = c | 0x80;
		c = size & 0x7f;
		size >>= 7;
	}
	out[n++] = c;
	return n;
}

/* The digits to the base 128, one less for each that follows. */
size_t pack_put_distance(unsigned char *out, uint64_t v)
{
	unsigned char tmp[10];
	size_t n = sizeof(tmp);

	tmp[--n] = v & 0x7f;
	while (v >>= 7)
		tmp[--n] = 0x80 | (--v & 0x7f);
	memcpy(out, tmp + n, sizeof(tmp) - n);
	return sizeof(tmp) - n;
}

/* ---- adding ---- */

static bool contains(const struct pack_writer *w, const struct object_id *oid)
{
	return oidmap_contains(&w->by_oid, oid);
}

static void record(struct pack_writer *w, const struct written *e)
{
	ALLOC_GROW(w->entries, w->nr + 1, w->alloc);
	w->entries[w->nr++] = *e;
	oidmap_put(&w->by_oid, &e->oid, (void *)(uintptr_t)w->nr);
}

static bool is_object_type(enum object_type type)
{
	return type >= OBJ_COMMIT && type <= OBJ_TAG;
}

/* The header of an entry at that position: for a delta, how far back its base is. Returns its length. */
static size_t writer_entry_header(const struct pack_writer *w, unsigned char *head, const struct written *e)
{
	size_t len;

	if (!e->base)
		return pack_entry_header(head, e->type, e->size);
	len = pack_entry_header(head, OBJ_OFS_DELTA, e->stored_size);
	return len + pack_put_distance(head + len, e->offset - w->entries[e->base - 1].offset);
}

/* *e has what the header tells; the rest of it is filled in here. */
static int add_deflated(struct pack_writer *w, struct written *given, const void *deflated, size_t len,
			struct err *err)
{
	unsigned char head[PACK_ENTRY_HEADER_MAX];
	struct written e = *given;
	size_t head_len;
	int rc = is_writer_usable(w, err);

	if (rc < 0)
		return rc;
	if (contains(w, &e.oid))
		return 0;
	if (w->nr == UINT32_MAX)
		return err_set(err, ERR_TOO_BIG, "'%s': too many objects for one pack", w->tmp_path);
	e.offset = position(w);
	head_len = writer_entry_header(w, head, &e);
	e.data_offset = e.offset + head_len;
	e.end = e.data_offset + len;
	e.crc = libdeflate_crc32(libdeflate_crc32(0, head, head_len), deflated, len);
	rc = append(w, head, head_len, err);
	if (!rc)
		rc = append(w, deflated, len, err);
	if (!rc)
		record(w, &e);
	return rc;
}

int pack_writer_add_deflated(struct pack_writer *w, const struct object_id *oid,
			     enum object_type type, uint64_t size,
			     const void *deflated, size_t len, struct err *err)
{
	struct written e = { .oid = *oid, .type = type, .size = size, .stored_size = size };
	int rc;

	if (!is_object_type(type) || w->stream.open)
		BUG("pack_writer_add_deflated: type %d, stream open: %d", type, w->stream.open);
	pthread_mutex_lock(&w->lock);
	rc = add_deflated(w, &e, deflated, len, err);
	pthread_mutex_unlock(&w->lock);
	return rc;
}

int pack_writer_add_delta(struct pack_writer *w, const struct object_id *oid, enum object_type type, uint64_t size,
			  const struct pack_delta *delta, struct err *err)
{
	struct written e = { .oid = *oid, .type = type, .size = size, .stored_size = delta->size };
	int rc;

	pthread_mutex_lock(&w->lock);
	e.base = (uint32_t)(uintptr_t)oidmap_get(&w->by_oid, delta->base);
	if (!e.base || w->entries[e.base - 1].type != type || w->stream.open)
		BUG("pack_writer_add_delta: no such base in the pack");
	e.depth = w->entries[e.base - 1].depth + 1;
	rc = add_deflated(w, &e, delta->deflated->buf, delta->deflated->len, err);
	pthread_mutex_unlock(&w->lock);
	return rc;
}

int pack_writer_depth(struct pack_writer *w, const struct object_id *oid)
{
	size_t i;
	int depth;

	pthread_mutex_lock(&w->lock);
	i = (uintptr_t)oidmap_get(&w->by_oid, oid);
	depth = i ? (int)w->entries[i - 1].depth : -1;
	pthread_mutex_unlock(&w->lock);
	return depth;
}

/* ---- streaming ---- */

int pack_writer_stream_begin(struct pack_writer *w, enum object_type type,
			     uint64_t size, int level, struct err *err)
{
	unsigned char head[PACK_ENTRY_HEADER_MAX];
	size_t head_len = pack_entry_header(head, type, size);
	struct stream *s = &w->stream;
	int rc;

	if (!is_object_type(type) || s->open)
		BUG("pack_writer_stream_begin: type %d, stream open: %d", type, s->open);
	memset(s, 0, sizeof(*s));
	if (deflateInit(&s->z, level) != Z_OK)
		return err_set(err, ERR_GENERIC, "cannot start to deflate (level %d)", level);
	pthread_mutex_lock(&w->lock);
	rc = is_writer_usable(w, err);
	if (!rc && w->nr == UINT32_MAX)
		rc = err_set(err, ERR_TOO_BIG, "'%s': too many objects for one pack", w->tmp_path);
	s->offset = position(w);
	if (!rc)
		rc = append(w, head, head_len, err);
	pthread_mutex_unlock(&w->lock);
	if (rc < 0) {
		deflateEnd(&s->z);
		return rc;
	}
	s->type = type;
	s->size = size;
	s->data_offset = s->offset + head_len;
	s->crc = libdeflate_crc32(0, head, head_len);
	s->open = true;
	return 0;
}

static int append_deflated(void *data, const void *p, size_t len, struct err *err)
{
	struct pack_writer *w = data;
	int rc;

	w->stream.crc = libdeflate_crc32(w->stream.crc, p, len);
	pthread_mutex_lock(&w->lock);
	rc = append(w, p, len, err);
	pthread_mutex_unlock(&w->lock);
	return rc;
}

int pack_writer_stream(struct pack_writer *w, const void *p, size_t len, struct err *err)
{
	struct stream *s = &w->stream;

	if (!s->open)
		BUG("pack_writer_stream without begin");
	if (len > s->size - s->seen)
		return err_set(err, ERR_INVALID, "more content than the %" PRIu64
			       " bytes that were announced", s->size);
	s->seen += len;
	return deflate_stream(&s->z, p, len, false, append_deflated, w, err);
}

int pack_writer_stream_end(struct pack_writer *w, const struct object_id *oid, struct err *err)
{
	struct stream *s = &w->stream;
	struct written e = { .oid = *oid };
	int rc;

	if (!s->open)
		BUG("pack_writer_stream_end without begin");
	if (s->seen != s->size)
		return err_set(err, ERR_INVALID, "%" PRIu64 " bytes of content instead of the %"
			       PRIu64 " that were announced", s->seen, s->size);
	rc = deflate_stream(&s->z, NULL, 0, true, append_deflated, w, err);
	if (rc < 0)
		return rc;
	pthread_mutex_lock(&w->lock);
	if (contains(w, oid)) {
		rc = truncate_to(w, s->offset, err);
	} else {
		e.type = s->type;
		e.size = e.stored_size = s->size;
		e.offset = s->offset;
		e.data_offset = s->data_offset;
		e.end = position(w);
		e.crc = s->crc;
		record(w, &e);
	}
	pthread_mutex_unlock(&w->lock);
	deflateEnd(&s->z);
	s->open = false;
	return rc;
}

int pack_writer_stream_cancel(struct pack_writer *w, struct err *err)
{
	int rc;

	if (!w->stream.open)
		return 0;
	deflateEnd(&w->stream.z);
	w->stream.open = false;
	rc = is_writer_usable(w, err);
	if (rc < 0)
		return rc;
	pthread_mutex_lock(&w->lock);
	rc = truncate_to(w, w->stream.offset, err);
	pthread_mutex_unlock(&w->lock);
	return rc;
}

/* ---- reading back ---- */

uint32_t pack_writer_count(const struct pack_writer *w)
{
	return (uint32_t)w->nr;
}

bool pack_writer_has(const struct pack_writer *w, const struct object_id *oid)
{
	pthread_mutex_t *lock = (pthread_mutex_t *)&w->lock;
	bool has;

	pthread_mutex_lock(lock);
	has = contains(w, oid);
	pthread_mutex_unlock(lock);
	return has;
}

/* Copy the entry of an object; with `flush`, make sure that its bytes are in the file. */
static int find_written(struct pack_writer *w, const struct object_id *oid, bool flush,
			struct written *out, struct err *err)
{
	size_t i;
	int rc = 0;

	pthread_mutex_lock(&w->lock);
	i = (uintptr_t)oidmap_get(&w->by_oid, oid);
	if (!i)
		rc = err_set(err, ERR_NOT_FOUND, "object %s not found", oid_hex(oid));
	else if (flush && w->entries[i - 1].end > w->flushed)
		rc = w->failed ? is_writer_usable(w, err) : flush_buffer(w, err);
	if (!rc)
		*out = w->entries[i - 1];
	pthread_mutex_unlock(&w->lock);
	return rc;
}

/* A copy of the entry on which a delta builds; its bytes come before those of the delta. */
static struct written base_written(struct pack_writer *w, const struct written *e)
{
	struct written base;

	pthread_mutex_lock(&w->lock);
	base = w->entries[e->base - 1];
	pthread_mutex_unlock(&w->lock);
	return base;
}

int pack_writer_info(struct pack_writer *w, const struct object_id *oid,
		     struct object_info *out, struct err *err)
{
	struct written e;
	int rc = find_written(w, oid, false, &e, err);

	if (rc < 0)
		return rc;
	out->type = e.type;
	out->size = e.size;
	out->disk_size = e.end - e.offset;
	out->delta_base = e.base ? base_written(w, &e).oid : w->opts.algo->null_oid;
	return 0;
}

/* The deflated bytes of an entry, inflated: the content, or a delta. A NUL follows. Caller frees. */
static int read_stored(struct pack_writer *w, const struct written *e, unsigned char **out, struct err *err)
{
	unsigned char *packed = NULL, *data = NULL;
	size_t len;
	int rc;

	if (e->stored_size >= SIZE_MAX || e->end - e->data_offset > SIZE_MAX)
		return err_set(err, ERR_TOO_BIG, "object %s is too big for memory", oid_hex(&e->oid));
	len = (size_t)(e->end - e->data_offset);
	packed = try_alloc(len + !len);
	data = try_alloc((size_t)e->stored_size + 1);
	if (!packed || !data)
		rc = err_set(err, ERR_TOO_BIG, "object %s is too big for memory", oid_hex(&e->oid));
	else if (pread_in_full(w->fd, packed, len, (off_t)e->data_offset) != (ssize_t)len)
		rc = err_set_errno(err, "cannot read object %s back from '%s'", oid_hex(&e->oid), w->tmp_path);
	else
		rc = inflate_stream(packed, len, data, (size_t)e->stored_size, err);
	free(packed);
	if (rc < 0) {
		free(data);
		return rc;
	}
	data[e->stored_size] = 0;
	*out = data;
	return 0;
}

/* Replaces *data, the content of a base, by that of the delta `e`. */
static int apply_stored(struct pack_writer *w, const struct written *e, unsigned char **data, size_t *size,
			struct err *err)
{
	unsigned char *delta;
	void *result;
	int rc = read_stored(w, e, &delta, err);

	if (rc < 0)
		return rc;
	rc = delta_apply(*data, *size, delta, (size_t)e->stored_size, (size_t)e->size, &result, size, err);
	free(delta);
	if (rc < 0)
		return rc;
	free(*data);
	*data = result;
	return 0;
}

int pack_writer_read(struct pack_writer *w, const struct object_id *oid,
		     struct object_buf *out, struct err *err)
{
	struct written *chain;
	unsigned char *data = NULL;
	struct written e;
	size_t size, n = 0;
	int rc = find_written(w, oid, true, &e, err);

	if (rc < 0)
		return rc;
	ALLOC_ARRAY(chain, (size_t)e.depth + 1);
	for (chain[0] = e; chain[n].base; n++)
		chain[n + 1] = base_written(w, &chain[n]);
	rc = read_stored(w, &chain[n], &data, err);
	size = (size_t)chain[n].size;
	while (!rc && n)
		rc = apply_stored(w, &chain[--n], &data, &size, err);
	free(chain);
	if (rc < 0) {
		free(data);
		return rc;
	}
	out->type = e.type;
	out->data = data;
	out->size = size;
	return 0;
}

int pack_writer_foreach(struct pack_writer *w,
			int (*fn)(void *data, const struct object_id *oid), void *data)
{
	int rc = 0;

	for (size_t i = 0; i < w->nr && !rc; i++)
		rc = fn(data, &w->entries[i].oid);
	return rc;
}

/* ---- finishing ---- */

/* Hash the file and append the checksum. */
static int append_checksum(struct pack_writer *w, struct object_id *sum, struct err *err)
{
	unsigned char *piece = xmalloc(HASH_BYTES);
	struct hash_ctx hash;
	int rc = 0;

	hash_init(&hash, w->opts.algo);
	for (uint64_t at = 0; at < w->flushed && !rc;) {
		uint64_t left = w->flushed - at;
		size_t n = left < HASH_BYTES ? (size_t)left : HASH_BYTES;

		errno = 0;
		if (pread_in_full(w->fd, piece, n, (off_t)at) != (ssize_t)n)
			rc = err_set_errno(err, "cannot read back '%s'", w->tmp_path);
		hash_update(&hash, piece, n);
		at += n;
	}
	free(piece);
	hash_final(&hash, sum);
	hash_release(&hash);
	if (!rc)
		rc = append(w, sum->hash, w->opts.algo->raw_len, err);
	if (!rc)
		rc = flush_buffer(w, err);
	return rc;
}

static int write_pack_header(struct pack_writer *w, struct err *err)
{
	unsigned char head[PACK_HEADER_BYTES];

	put_be32(head, PACK_SIGNATURE);
	put_be32(head + 4, 2);
	put_be32(head + 8, (uint32_t)w->nr);
	return pwrite_in_full(w->fd, head, sizeof(head), 0, w->tmp_path, err);
}

static struct idx_entry *sorted_entries(const struct pack_writer *w)
{
	struct idx_entry *v;

	ALLOC_ARRAY(v, w->nr);
	for (size_t i = 0; i < w->nr; i++) {
		v[i].oid = w->entries[i].oid;
		v[i].offset = w->entries[i].offset;
		v[i].crc = w->entries[i].crc;
	}
	idx_entries_sort(v, (uint32_t)w->nr);
	return v;
}

static int stage_all(struct pack_writer *w, const struct object_id *sum, struct fsync_batch *b,
		     struct err *err)
{
	char *prefix = xstrfmt("%s/pack", w->packdir);
	struct pack_parts parts = { prefix, w->dir, w->opts.algo, w->opts.shared_perm, sum };
	struct idx_entry *v = sorted_entries(w);
	uint32_t nr = (uint32_t)w->nr;
	char *path = xstrfmt("%s-%s.pack", prefix, oid_hex(sum));
	int rc = pack_part_stage(&parts, &w->tmp, "pack", b, err);

	if (!rc)
		rc = pack_stage_uncruft(path, b, err);
	if (!rc && w->opts.write_rev)
		rc = pack_table_stage(&parts, "rev", rev_write, v, nr, b, err);
	if (!rc)
		rc = pack_table_stage(&parts, "idx", idx_write, v, nr, b, err);
	free(v);
	free(path);
	free(prefix);
	return rc;
}

int pack_writer_finish(struct pack_writer *w, struct fsync_batch *b, struct err *err)
{
	struct object_id sum;
	int rc;

	if (w->stream.open)
		BUG("pack_writer_finish while a stream is open");
	pthread_mutex_lock(&w->lock);
	rc = is_writer_usable(w, err);
	w->finished = true;
	if (rc < 0 || !w->nr)
		goto out;
	if ((rc = flush_buffer(w, err)) < 0 ||
	    (rc = write_pack_header(w, err)) < 0 ||
	    (rc = append_checksum(w, &sum, err)) < 0)
		goto out;
	rc = stage_all(w, &sum, b, err);
out:
	pthread_mutex_unlock(&w->lock);
	return rc;
}

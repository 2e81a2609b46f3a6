/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Bytes of packs that go into a new one as they are. They are read by pread, not through a mapping: a
 * disk that fails, or a file that has become shorter, is an error and no SIGBUS. The crc of each
 * entry is compared with the one in the index before anybody gets it, so that damage does not
 * spread.
 *
 * A run is a stretch of entries that follow each other in the pack and in the new one: it
 * is read with one call for each buffer.
 */
#include "compat/posix.h"
#include <libdeflate.h>
#include "compat/syscalls.h"
#include "pack/write/write-internal.h"
#include "util/alloc.h"
#include "util/bytes.h"
#include "write-or-die.h"

/* Files of packs that are open at a time. */
#define OPEN_MAX_SOURCES 64

/* ---- files ---- */

/* One that is not the present one is closed. */
static void close_one(struct pack_objects *po, const struct pack_source *keep)
{
	uint32_t open = 0;

	for (uint32_t i = 0; i < po->nr_sources; i++)
		open += po->sources[i].fd >= 0;
	for (uint32_t i = 0; i < po->nr_sources && open >= OPEN_MAX_SOURCES; i++) {
		struct pack_source *s = &po->sources[i];

		if (s == keep || s->fd < 0)
			continue;
		sys->close(s->fd);
		s->fd = -1;
		open--;
	}
}

/* Is it still the file whose index we have? */
static bool is_same_pack(const struct pack *p, int fd)
{
	size_t raw = p->idx.algo->raw_len;
	unsigned char sum[HASH_MAX_RAW];
	struct stat st;

	return !fstat(fd, &st) && (uint64_t)st.st_size == p->end + raw &&
	       pread_in_full(fd, sum, raw, (off_t)p->end) == (ssize_t)raw &&
	       !memcmp(sum, p->idx.pack_sum, raw);
}

int pack_source_fd(struct pack_objects *po, struct pack_source *s)
{
	int fd;

	if (s->fd >= 0)
		return s->fd;
	close_one(po, s);
	fd = (int)RETRY_EINTR(sys->open(s->pack->path, O_RDONLY | O_CLOEXEC, 0));
	if (fd >= 0 && !is_same_pack(s->pack, fd)) {
		sys->close(fd);
		fd = -1;
	}
	s->fd = fd;
	return fd;
}

static int read_failed(const struct pack_source *s, uint64_t offset, ssize_t got, struct err *err)
{
	if (got < 0)
		return err_set_errno(err, "cannot read '%s'", s->pack->path);
	return err_set(err, ERR_CORRUPT, "'%s' ends before offset %" PRIu64, s->pack->path, offset);
}

int pack_source_read(const struct pack_source *s, unsigned char *buf, size_t len, uint64_t offset,
		     struct err *err)
{
	ssize_t got = pread_in_full(s->fd, buf, len, (off_t)offset);

	if (got == (ssize_t)len)
		return 0;
	return read_failed(s, offset + len, got, err);
}

/* Does the index have another crc for the entry? Those of version 1 have none. */
static bool crc_differs(const struct pack_source *s, const struct pack_item *it, uint32_t crc)
{
	return s->pack->idx.crc && idx_crc(&s->pack->idx, it->in_pos) != crc;
}

/* ---- runs ---- */

/* Can the entry of an item go as it is to that place in the new pack, header included? */
static bool goes_unchanged(const struct pack_objects *po, const struct pack_item *it,
			   uint64_t out_offset)
{
	const struct pack_item *base;

	if (!it->source || (it->flags & ITEM_NO_COPY) || !po->o.reuse_object || it->out_offset)
		return false;
	if (!item_is_delta_copy(it))
		return !it->base;
	if (!(it->flags & ITEM_REUSE_DELTA))
		return false;
	base = &po->items[it->base - 1];
	if (it->in_type == OBJ_REF_DELTA)
		return !po->o.ofs_delta && (base->out_offset || base->flags & ITEM_PREFERRED_BASE);
	return po->o.ofs_delta && base->out_offset && base->source == it->source &&
	       out_offset - base->out_offset == it->in_offset - base->in_offset;
}

/* The length of the run that begins with order[0], of at most `room` bytes; places are given. */
static uint32_t measure_entry(struct pack_objects *po, uint64_t at, size_t room, const uint32_t *order,
			      uint32_t nr, size_t *len)
{
	const struct pack_item *before = NULL;
	uint32_t k;

	*len = 0;
	for (k = 0; k < nr; k++) {
		struct pack_item *it = &po->items[order[k]];
		uint64_t size = it->in_end - it->in_offset;

		if (!goes_unchanged(po, it, at + *len) || size > room - *len)
			break;
		if (before && (it->source != before->source || it->in_offset != before->in_end))
			break;
		it->out_offset = at + *len;
		*len += (size_t)size;
		before = it;
	}
	return k;
}

/* How many of the run are whole? The others lose their places. */
static uint32_t check_run(struct pack_objects *po, const unsigned char *buf,
			  const uint32_t *order, uint32_t nr, size_t *len)
{
	struct pack_source *s = &po->sources[po->items[order[0]].source - 1];
	uint32_t k;

	*len = 0;
	for (k = 0; k < nr; k++) {
		struct pack_item *it = &po->items[order[k]];
		size_t size = (size_t)(it->in_end - it->in_offset);

		it->crc = libdeflate_crc32(0, buf + *len, size);
		if (crc_differs(s, it, it->crc)) {
			item_drop_copy(it);
			break;
		}
		*len += size;
	}
	for (uint32_t i = k; i < nr; i++)
		po->items[order[i]].out_offset = 0;
	return k;
}

/* A repack has taken the pack away, and put the objects into another one. */
static void drop_run(struct pack_objects *po, const uint32_t *order, uint32_t nr)
{
	for (uint32_t k = 0; k < nr; k++) {
		po->items[order[k]].out_offset = 0;
		item_drop_copy(&po->items[order[k]]);
	}
}

int pack_copy_run(struct pack_objects *po, struct pack_output *out, const uint32_t *order,
		  uint32_t nr, struct err *err)
{
	const struct pack_item *first = &po->items[order[0]];
	size_t len, room = OUTPUT_BYTES - out->len;
	struct pack_source *s;
	unsigned char *at;
	int rc;

	if (room < OUTPUT_ENTRY_MAX) {
		rc = pack_output_room(out, OUTPUT_ENTRY_MAX, &at, err);
		if (rc < 0)
			return rc;
		room = OUTPUT_BYTES - out->len;
	}
	nr = measure_entry(po, pack_output_at(out), room, order, nr, &len);
	if (!nr)
		return 0;
	s = &po->sources[first->source - 1];
	if (pack_source_fd(po, s) < 0) {
		drop_run(po, order, nr);
		return 0;
	}
	at = out->buf + out->len;
	rc = pack_source_read(s, at, len, first->in_offset, err);
	if (rc < 0)
		return rc;
	nr = check_run(po, at, order, nr, &len);
	out->len += len;
	return (int)nr;
}

/* ---- one entry ---- */

/* How far behind the last entry the next may begin to be read ahead with it. */
#define NEAR_BYTES ((uint64_t)64 * 1024)

int pack_source_peek(struct pack_objects *po, const struct pack_source *s, uint64_t offset, size_t len,
		     const unsigned char **out, struct err *err)
{
	struct pack_piece *b = &po->piece;
	bool near = b->source == s && offset >= b->offset && offset <= b->end + NEAR_BYTES;
	size_t want = len;
	int rc;

	if (!b->buf)
		b->buf = xmalloc(OUTPUT_ENTRY_MAX);
	if (b->source == s && offset >= b->offset && offset + len <= b->end) {
		*out = b->buf + (offset - b->offset);
		return 0;
	}
	if (near)
		want = s->pack->end - offset < OUTPUT_ENTRY_MAX ? (size_t)(s->pack->end - offset)
								: OUTPUT_ENTRY_MAX;
	b->source = NULL;
	rc = pack_source_read(s, b->buf, want, offset, err);
	if (rc < 0)
		return rc;
	b->source = s;
	b->offset = offset;
	b->end = offset + want;
	*out = b->buf;
	return 0;
}

static int emit_piece(struct pack_item *it, struct pack_output *out, const void *p, size_t len,
		      struct err *err)
{
	it->crc = libdeflate_crc32(it->crc, p, len);
	return pack_output_add(out, p, len, err);
}

static int copy_small(struct pack_objects *po, const struct pack_source *s,
		      struct pack_output *out, uint32_t i, const unsigned char *header,
		      size_t header_len, struct err *err)
{
	struct pack_item *it = &po->items[i];
	size_t len = (size_t)(it->in_end - it->in_offset);
	const unsigned char *p;
	int rc = pack_source_peek(po, s, it->in_offset, len, &p, err);

	if (rc < 0)
		return rc;
	if (crc_differs(s, it, libdeflate_crc32(0, p, len)))
		return 0;
	rc = emit_piece(it, out, header, header_len, err);
	if (!rc)
		rc = emit_piece(it, out, p + it->in_header, len - it->in_header, err);
	return rc < 0 ? rc : 1;
}

int pack_source_crc(struct pack_objects *po, const struct pack_source *s, uint64_t from,
		    uint64_t to, uint32_t *out, struct err *err)
{
	const unsigned char *p;
	uint32_t crc = 0;

	for (uint64_t at = from; at < to;) {
		size_t n = to - at < OUTPUT_ENTRY_MAX ? (size_t)(to - at) : OUTPUT_ENTRY_MAX;
		int rc = pack_source_peek(po, s, at, n, &p, err);

		if (rc < 0)
			return rc;
		crc = libdeflate_crc32(crc, p, n);
		at += n;
	}
	*out = crc;
	return 0;
}

/* Bytes of a pack, whose crc is added to *crc. */
static int copy_bytes(struct pack_objects *po, const struct pack_source *s, struct pack_output *out,
		      uint64_t from, uint64_t to, uint32_t *crc, struct err *err)
{
	const unsigned char *p;
	int rc = 0;

	for (uint64_t at = from; at < to && !rc;) {
		size_t n = to - at < OUTPUT_ENTRY_MAX ? (size_t)(to - at) : OUTPUT_ENTRY_MAX;

		rc = pack_source_peek(po, s, at, n, &p, err);
		if (rc < 0)
			break;
		*crc = libdeflate_crc32(*crc, p, n);
		rc = pack_output_add(out, p, n, err);
		at += n;
	}
	return rc;
}

int pack_source_copy(struct pack_objects *po, const struct pack_source *s, struct pack_output *out,
		     uint64_t from, uint64_t to, struct err *err)
{
	uint32_t crc = 0;

	return copy_bytes(po, s, out, from, to, &crc, err);
}

/*
 * Reads the entry twice, so that the reader never gets the first part of an entry that is damaged
 * further on.
 */
static int copy_large(struct pack_objects *po, const struct pack_source *s,
		      struct pack_output *out, uint32_t i, const unsigned char *header,
		      size_t header_len, struct err *err)
{
	struct pack_item *it = &po->items[i];
	uint32_t crc;
	int rc = pack_source_crc(po, s, it->in_offset, it->in_end, &crc, err);

	if (rc < 0)
		return rc;
	if (crc_differs(s, it, crc))
		return 0;
	rc = emit_piece(it, out, header, header_len, err);
	if (!rc)
		rc = copy_bytes(po, s, out, it->in_offset + it->in_header, it->in_end, &it->crc, err);
	return rc < 0 ? rc : 1;
}

int pack_copy_entry(struct pack_objects *po, struct pack_output *out, uint32_t i,
		    const unsigned char *header, size_t header_len, struct err *err)
{
	struct pack_item *it = &po->items[i];
	struct pack_source *s = &po->sources[it->source - 1];
	uint64_t offset = pack_output_at(out);
	int rc;

	it->crc = 0;
	if (pack_source_fd(po, s) < 0)
		rc = 0;
	else if (it->in_end - it->in_offset <= OUTPUT_ENTRY_MAX)
		rc = copy_small(po, s, out, i, header, header_len, err);
	else
		rc = copy_large(po, s, out, i, header, header_len, err);
	if (!rc)
		item_drop_copy(it);
	if (rc <= 0)
		return rc;
	it->out_offset = offset;
	return rc;
}

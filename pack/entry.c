/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One entry of a pack: its header and its content. Complete contents are inflated by
 * libdeflate if the mapped window contains the entry, everything else by zlib, window by
 * window.
 */
#include "compat/posix.h"
#include <zlib.h>
#include "pack/read-internal.h"
#include "util/alloc.h"

/* A deflate stream cannot grow by more than this factor. */
#define INFLATE_RATIO_MAX 1032
/* The largest window that is requested for libdeflate. */
#define WHOLE_WANT_MAX ((size_t)4 * 1024 * 1024)
#define STREAM_BYTES ((size_t)128 * 1024)

static int corrupt(const struct pack *p, uint64_t offset, const char *what, struct err *err)
{
	return err_set(err, ERR_CORRUPT, "%s at offset %" PRIu64 " of '%s'", what, offset,
		       p->path);
}

/* ---- header ---- */

size_t pack_entry_parse_size(const unsigned char *at, size_t len, enum object_type *type,
			     uint64_t *size)
{
	size_t n = 0;
	unsigned shift = 4;
	unsigned char c;

	if (!len)
		return 0;
	c = at[n++];
	*type = (enum object_type)((c >> 4) & 7);
	*size = c & 15;
	while (c & 0x80) {
		if (n == len || shift > 63 || (shift > 57 && (at[n] & 0x7f) >> (64 - shift)))
			return 0;
		c = at[n++];
		*size |= (uint64_t)(c & 0x7f) << shift;
		shift += 7;
	}
	return n;
}

size_t pack_entry_parse_distance(const unsigned char *at, size_t len, uint64_t *out)
{
	size_t n = 0;
	uint64_t v;

	if (!len)
		return 0;
	v = at[n] & 0x7f;
	while (at[n++] & 0x80) {
		if (n == len || v >= UINT64_MAX >> 8)
			return 0;
		v = ((v + 1) << 7) | (at[n] & 0x7f);
	}
	*out = v;
	return n;
}

static int parse_header(struct pack *p, const unsigned char *at, size_t len,
			struct pack_entry *e, struct err *err)
{
	size_t used = pack_entry_parse_size(at, len, &e->type, &e->size), n;
	uint64_t distance;
	uint32_t pos;

	if (!used)
		return corrupt(p, e->offset, "malformed entry header", err);
	switch (e->type) {
	case OBJ_COMMIT:
	case OBJ_TREE:
	case OBJ_BLOB:
	case OBJ_TAG:
		break;
	case OBJ_OFS_DELTA:
		n = pack_entry_parse_distance(at + used, len - used, &distance);
		if (!n || !distance || distance > e->offset - PACK_HEADER_BYTES)
			return corrupt(p, e->offset, "delta base offset is out of bounds", err);
		e->base_offset = e->offset - distance;
		used += n;
		break;
	case OBJ_REF_DELTA:
		n = p->idx.algo->raw_len;
		if (len - used < n)
			return corrupt(p, e->offset, "malformed entry header", err);
		oid_from_raw(&e->base_oid, at + used, p->idx.algo);
		if (idx_find(&p->idx, at + used, &pos))
			e->base_offset = idx_offset(&p->idx, pos);
		used += n;
		break;
	default:
		return err_set(err, ERR_CORRUPT, "unknown object type %d at offset %" PRIu64
			       " in '%s'", (int)e->type, e->offset, p->path);
	}
	e->data_offset = e->offset + used;
	return 0;
}

int pack_entry_read(struct pack *p, uint64_t offset, struct pack_entry *out, struct err *err)
{
	struct pack_entry e = { .offset = offset };
	struct window_pin pin;
	size_t len;
	int rc;

	if (offset < PACK_HEADER_BYTES || offset >= p->end)
		return corrupt(p, offset, "object offset is out of bounds", err);
	rc = window_pin(&pin, p->file, offset, PACK_ENTRY_HEADER_MAX, err);
	if (rc < 0)
		return rc;
	len = pin.len < p->end - offset ? pin.len : (size_t)(p->end - offset);
	rc = parse_header(p, pin.p, len, &e, err);
	window_unpin(p->file, &pin);
	if (!rc)
		*out = e;
	return rc;
}

/* ---- content in pieces ---- */

struct entry_inflater {
	struct pack *p;
	uint64_t entry_offset; /* for messages */
	uint64_t at;	       /* offset of the first byte not yet passed to z */
	struct window_pin pin;
	z_stream z;
	bool ended;
};

static int entry_inflater_open(struct entry_inflater *in, struct pack *p,
			       const struct pack_entry *e, struct err *err)
{
	memset(in, 0, sizeof(*in));
	in->p = p;
	in->entry_offset = e->offset;
	in->at = e->data_offset;
	if (inflateInit(&in->z) != Z_OK)
		return err_set(err, ERR_GENERIC, "cannot start to inflate");
	return 0;
}

static void entry_inflater_close(struct entry_inflater *in)
{
	window_unpin(in->p->file, &in->pin);
	inflateEnd(&in->z);
}

static int next_window(struct entry_inflater *in, struct err *err)
{
	uint64_t left = in->p->end - in->at;
	size_t n;
	int rc;

	window_unpin(in->p->file, &in->pin);
	if (in->at >= in->p->end)
		return corrupt(in->p, in->entry_offset, "truncated object", err);
	rc = window_pin(&in->pin, in->p->file, in->at, 1, err);
	if (rc < 0)
		return rc;
	n = in->pin.len < left ? in->pin.len : (size_t)left;
	if (n > UINT_MAX / 2)
		n = UINT_MAX / 2;
	in->z.next_in = (unsigned char *)in->pin.p;
	in->z.avail_in = (unsigned)n;
	in->at += n;
	return 0;
}

/* Up to len bytes; fewer only at the end of the stream, after its check has passed. */
static int entry_inflater_read(struct entry_inflater *in, void *out, size_t len, size_t *got,
			       struct err *err)
{
	size_t done = 0;

	while (done < len && !in->ended) {
		unsigned room = len - done < UINT_MAX / 2 ? (unsigned)(len - done) : UINT_MAX / 2;
		int status, rc = 0;

		if (!in->z.avail_in && (rc = next_window(in, err)) < 0)
			return rc;
		in->z.next_out = (unsigned char *)out + done;
		in->z.avail_out = room;
		status = inflate(&in->z, Z_NO_FLUSH);
		done += room - in->z.avail_out;
		if (status == Z_STREAM_END)
			in->ended = true;
		else if (status != Z_OK && (status != Z_BUF_ERROR || in->z.avail_in))
			return corrupt(in->p, in->entry_offset, "bad compressed data", err);
	}
	*got = done;
	return 0;
}

static int entry_inflater_expect_end(struct entry_inflater *in, struct err *err)
{
	unsigned char extra;
	size_t got;
	int rc = entry_inflater_read(in, &extra, 1, &got, err);

	if (!rc && got)
		rc = corrupt(in->p, in->entry_offset, "object is longer than its size says", err);
	return rc;
}

int pack_entry_stream(struct pack *p, const struct pack_entry *e,
		      int (*sink)(void *data, const void *p, size_t len, struct err *err),
		      void *data, bool *any, struct err *err)
{
	unsigned char *piece = xmalloc(STREAM_BYTES);
	uint64_t left = e->size;
	struct entry_inflater in;
	int rc = entry_inflater_open(&in, p, e, err);

	if (rc < 0)
		goto out;
	while (left && !rc) {
		size_t want = left < STREAM_BYTES ? (size_t)left : STREAM_BYTES, got = 0;

		rc = entry_inflater_read(&in, piece, want, &got, err);
		if (!rc && got < want)
			rc = corrupt(p, e->offset, "object is shorter than its size says", err);
		left -= got;
		/* Pass on the last piece only after the stream's own check has passed. */
		if (!rc && !left)
			rc = entry_inflater_expect_end(&in, err);
		if (!rc) {
			*any = true;
			rc = sink(data, piece, got, err);
		}
	}
	if (!rc && !e->size)
		rc = entry_inflater_expect_end(&in, err);
	entry_inflater_close(&in);
out:
	free(piece);
	return rc;
}

/* ---- complete content ---- */

static int inflate_by_windows(struct pack *p, const struct pack_entry *e,
			      unsigned char *out, struct err *err)
{
	struct entry_inflater in;
	size_t got;
	int rc = entry_inflater_open(&in, p, e, err);

	if (rc < 0)
		return rc;
	rc = entry_inflater_read(&in, out, (size_t)e->size, &got, err);
	if (!rc && got < e->size)
		rc = corrupt(p, e->offset, "object is shorter than its size says", err);
	if (!rc)
		rc = entry_inflater_expect_end(&in, err);
	entry_inflater_close(&in);
	return rc;
}

/*
 * A pack does not store the length of a stream: libdeflate gets the mapped data up to the
 * checksum and stops where the stream ends. 1: the window is too short, or the data are bad.
 */
static int inflate_at_once(struct pack *p, struct reader *r, const struct pack_entry *e,
			   unsigned char *out, struct err *err)
{
	uint64_t left = p->end - e->data_offset;
	size_t bound = (size_t)e->size + (size_t)e->size / 1000 + 64;
	size_t want = bound < WHOLE_WANT_MAX ? bound : WHOLE_WANT_MAX;
	enum libdeflate_result result = LIBDEFLATE_BAD_DATA;
	struct window_pin pin;
	bool to_the_end;
	int rc = window_pin(&pin, p->file, e->data_offset, want, err);

	if (rc < 0)
		return rc;
	to_the_end = pin.len >= left;
	if (to_the_end || pin.len >= bound)
		result = libdeflate_zlib_decompress(r->inflater, pin.p,
						    to_the_end ? (size_t)left : pin.len,
						    out, (size_t)e->size, NULL);
	window_unpin(p->file, &pin);
	if (result == LIBDEFLATE_SUCCESS)
		return 0;
	if (!to_the_end)
		return 1;
	return corrupt(p, e->offset,
		       result == LIBDEFLATE_BAD_DATA ? "bad compressed data" :
		       "object is not as long as its size says", err);
}

static int inflate_into(struct pack *p, struct reader *r, const struct pack_entry *e,
			unsigned char *out, struct err *err)
{
	int rc = inflate_at_once(p, r, e, out, err);

	return rc > 0 ? inflate_by_windows(p, e, out, err) : rc;
}

/*
 * Short entries are inflated whole, by libdeflate: that takes less time than to begin with zlib. An entry
 * that is damaged further on still has a beginning.
 */
#define PEEK_WHOLE_MAX 2048

int pack_entry_peek(struct pack *p, struct reader *r, const struct pack_entry *e,
		    unsigned char out[PACK_PEEK_MAX], size_t *got, struct err *err)
{
	unsigned char whole[PEEK_WHOLE_MAX];
	struct entry_inflater in;
	int rc;

	if (e->size <= sizeof(whole) && e->data_offset < p->end &&
	    !inflate_at_once(p, r, e, whole, NULL)) {
		*got = e->size < PACK_PEEK_MAX ? (size_t)e->size : PACK_PEEK_MAX;
		memcpy(out, whole, *got);
		return 0;
	}
	rc = entry_inflater_open(&in, p, e, err);
	if (rc < 0)
		return rc;
	rc = entry_inflater_read(&in, out, PACK_PEEK_MAX, got, err);
	entry_inflater_close(&in);
	return rc;
}

int pack_entry_inflate(struct pack *p, struct reader *r, const struct pack_entry *e,
		       void **out, struct err *err)
{
	unsigned char *data;
	int rc;

	if (e->data_offset >= p->end || e->size / INFLATE_RATIO_MAX > p->end - e->data_offset)
		return corrupt(p, e->offset, "impossible object size", err);
	if (e->size > p->owner->max_object_bytes)
		return err_set(err, ERR_TOO_BIG, "object of %" PRIu64 " bytes at offset %" PRIu64
			       " of '%s' is too big for memory", e->size, e->offset, p->path);
	data = try_alloc((size_t)e->size + 1);
	if (!data)
		return err_set(err, ERR_TOO_BIG, "no memory for an object of %" PRIu64 " bytes",
			       e->size);
	rc = inflate_into(p, r, e, data, err);
	if (rc < 0) {
		free(data);
		return rc;
	}
	data[e->size] = 0;
	*out = data;
	return 0;
}

int inflate_stream(const void *in, size_t in_len, void *out, size_t out_len, struct err *err)
{
	struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
	enum libdeflate_result result;

	if (!d)
		return err_set(err, ERR_GENERIC, "cannot start to inflate");
	result = libdeflate_zlib_decompress(d, in, in_len, out, out_len, NULL);
	libdeflate_free_decompressor(d);
	if (result != LIBDEFLATE_SUCCESS)
		return err_set(err, ERR_CORRUPT, "bad compressed data");
	return 0;
}

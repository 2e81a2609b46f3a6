/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The content of entries, read again from the file. The end of each entry is known, and its
 * inflated size was compared with its header. A file that another process owns may have changed
 * since.
 */
#include "compat/posix.h"
#include "pack/receive/receive-internal.h"
#include "util/alloc.h"
#include "util/deflate.h"

#define INPUT_PIECE ((size_t)1024 * 1024)

int rx_file_open(struct pack_receive *rx, struct err *err)
{
	if (rx->file)
		return 0;
	if (!rx->pool)
		rx->pool = window_pool_new(0, 0);
	return window_file_open(&rx->file, rx->pool, rx->path, err);
}

void rx_file_close(struct pack_receive *rx)
{
	window_file_free(rx->file);
	rx->file = NULL;
}

/* Where the deflated content of an entry begins and ends. */
static uint64_t content_begin(const struct pack_receive *rx, uint32_t i)
{
	return rx_entry(rx, i)->offset + rx_entry(rx, i)->header_len;
}

static uint64_t content_end(const struct pack_receive *rx, uint32_t i)
{
	return i + 1 < rx->nr && rx_entry(rx, i + 1)->offset ? rx_entry(rx, i + 1)->offset : rx->end;
}

static int changed(const struct pack_receive *rx, uint32_t i, struct err *err)
{
	return err_set(err, ERR_CORRUPT, "'%s' has changed at offset %" PRIu64 " since it was read",
		       rx->path, rx_entry(rx, i)->offset);
}

int rx_stored_size(struct pack_receive *rx, uint32_t i, uint64_t *size, struct err *err)
{
	const struct rx_entry *e = rx_entry(rx, i);
	struct window_pin pin;
	enum object_type type;
	int rc = window_pin(&pin, rx->file, e->offset, PACK_ENTRY_HEADER_MAX, err);

	if (rc < 0)
		return rc;
	if (!pack_entry_parse_size(pin.p, pin.len, &type, size) || type != (enum object_type)e->stored)
		rc = changed(rx, i, err);
	window_unpin(rx->file, &pin);
	return rc;
}

static int too_big(uint64_t size, struct err *err)
{
	return err_set(err, ERR_TOO_BIG, "no memory for an object of %" PRIu64 " bytes", size);
}

static int inflate_entry(struct pack_receive *rx, uint32_t i, unsigned char *out, size_t size,
			 struct err *err)
{
	uint64_t begin = content_begin(rx, i), end = content_end(rx, i);
	size_t made, used;
	struct window_pin pin;
	int rc;

	if (end - begin > SIZE_MAX / 2)
		return too_big(end - begin, err);
	rc = window_pin(&pin, rx->file, begin, (size_t)(end - begin), err);
	if (rc < 0)
		return rc;
	if (pin.len < end - begin || inflate_buf(pin.p, (size_t)(end - begin), out, size, &made, &used) ||
	    made != size)
		rc = changed(rx, i, err);
	window_unpin(rx->file, &pin);
	return rc;
}

/* A base that only the database has so far. */
static int read_added(struct pack_receive *rx, uint32_t i, void **out, size_t *size, struct err *err)
{
	const struct object_source *src = odb_source_unreplaced(rx->o.odb);
	struct object_buf buf = OBJECT_BUF_INIT;
	struct object_id oid;
	int rc;

	rx_oid(rx, i, &oid);
	rc = src->read(src->data, &oid, &buf, err);
	if (!rc)
		rc = rx_spend(rx, buf.size, rx->end, err);
	if (rc < 0) {
		object_buf_release(&buf);
		return rc;
	}
	*out = buf.data;
	*size = buf.size;
	return 0;
}

int rx_inflate(struct pack_receive *rx, uint32_t i, void **out, size_t *size, struct err *err)
{
	unsigned char *data;
	uint64_t want;
	int rc;

	if (rx_entry(rx, i)->flags & RX_ADDED)
		return read_added(rx, i, out, size, err);
	rc = rx_stored_size(rx, i, &want, err);
	if (rc < 0)
		return rc;
	if (want > rx->max_object_bytes)
		return too_big(want, err);
	rc = rx_spend(rx, want, rx->end, err);
	if (rc < 0)
		return rc;
	data = try_alloc((size_t)want + 1);
	if (!data)
		return too_big(want, err);
	rc = inflate_entry(rx, i, data, (size_t)want, err);
	if (rc < 0) {
		free(data);
		return rc;
	}
	data[want] = 0;
	*out = data;
	*size = (size_t)want;
	return 0;
}

/* Checks the size of the result before it is built. */
static int check_result(struct pack_receive *rx, enum object_type type, const void *delta, size_t delta_size,
			struct err *err)
{
	uint64_t size;
	int rc;

	if (!delta_result_size(delta, delta_size, &size))
		return 0; /* delta_apply says so */
	rc = rx_check_size(rx, type, size, err);
	return rc ? rc : rx_spend(rx, size, rx->end, err);
}

int rx_apply(struct pack_receive *rx, uint32_t i, const struct base_view *base, void **out, size_t *size,
	     struct err *err)
{
	void *delta;
	size_t delta_size;
	int rc = rx_inflate(rx, i, &delta, &delta_size, err);

	if (rc < 0)
		return rc;
	rc = check_result(rx, base->type, delta, delta_size, err);
	if (rc < 0) {
		free(delta);
		return rc;
	}
	rc = delta_apply(base->data, base->size, delta, delta_size, (size_t)rx->max_object_bytes, out, size, err);
	free(delta);
	if (rc < 0)
		err_prefix(err, "pack has bad object at offset %" PRIu64 ": failed to apply delta",
			   rx_entry(rx, i)->offset);
	return rc;
}

int rx_read_object(struct pack_receive *rx, uint32_t i, struct object_buf *out, struct err *err)
{
	uint32_t *path = NULL;
	size_t nr = 0, alloc = 0, size, made_size;
	void *data = NULL, *made;
	int rc;

	for (; rx_is_delta(rx_entry(rx, i)); i = rx_entry(rx, i)->base) {
		ALLOC_GROW(path, nr + 1, alloc);
		path[nr++] = i;
	}
	rc = rx_inflate(rx, i, &data, &size, err);
	while (!rc && nr) {
		const struct base_view base = { rx_entry(rx, i)->type, data, size };

		rc = rx_apply(rx, path[--nr], &base, &made, &made_size, err);
		if (!rc) {
			free(data);
			data = made;
			size = made_size;
		}
	}
	free(path);
	if (rc < 0) {
		free(data);
		return rc;
	}
	out->type = rx_entry(rx, i)->type;
	out->data = data;
	out->size = size;
	return 0;
}

/* ---- in pieces ---- */

struct pack_receive_reader {
	struct pack_receive *rx;
	uint32_t entry;
	uint64_t at, end;
	struct window_pin pin;
	z_stream z;
	bool ended;
};

static int next_piece(struct pack_receive_reader *r, struct err *err)
{
	uint64_t left = r->end - r->at;
	size_t n;
	int rc;

	window_unpin(r->rx->file, &r->pin);
	if (!left)
		return changed(r->rx, r->entry, err);
	rc = window_pin(&r->pin, r->rx->file, r->at, 1, err);
	if (rc < 0)
		return rc;
	n = r->pin.len < INPUT_PIECE ? r->pin.len : INPUT_PIECE;
	if (n > left)
		n = (size_t)left;
	r->z.next_in = (unsigned char *)r->pin.p;
	r->z.avail_in = (unsigned)n;
	r->at += n;
	return 0;
}

int pack_receive_read(struct pack_receive_reader *r, void *buf, size_t len, size_t *got,
		      struct err *err)
{
	size_t done = 0;

	while (done < len && !r->ended) {
		unsigned room = len - done < UINT_MAX / 2 ? (unsigned)(len - done) : UINT_MAX / 2;
		int status, rc = r->z.avail_in ? 0 : next_piece(r, err);

		if (rc < 0)
			return rc;
		r->z.next_out = (unsigned char *)buf + done;
		r->z.avail_out = room;
		status = inflate(&r->z, Z_NO_FLUSH);
		done += room - r->z.avail_out;
		if (status == Z_STREAM_END)
			r->ended = true;
		else if (status != Z_OK && (status != Z_BUF_ERROR || r->z.avail_in))
			return changed(r->rx, r->entry, err);
	}
	*got = done;
	return 0;
}

int rx_reader_open(struct pack_receive_reader **out, struct pack_receive *rx, uint32_t i,
		   struct err *err)
{
	struct pack_receive_reader *r;

	CALLOC_ARRAY(r, 1);
	r->rx = rx;
	r->entry = i;
	r->at = content_begin(rx, i);
	r->end = content_end(rx, i);
	if (inflateInit(&r->z) != Z_OK) {
		free(r);
		return err_set(err, ERR_GENERIC, "cannot start to inflate");
	}
	*out = r;
	return 0;
}

void rx_reader_close(struct pack_receive_reader *r)
{
	window_unpin(r->rx->file, &r->pin);
	inflateEnd(&r->z);
	free(r);
}

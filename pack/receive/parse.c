/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading a pack once, from its header to its checksum: where each entry begins, that it inflates to
 * the size that it states, and the names of objects that are not deltas.
 *
 * This thread inflates, since only the end of one entry tells where the next begins. Contents
 * collect in slabs, which worker threads hash and check. Objects too large for that are hashed
 * here in pieces. No size is believed: memory is taken for what a slab may hold, whatever an
 * entry claims.
 *
 * The workers also make the objects of deltas, as far as they have the bases (inline-deltas.c). What they leave is
 * resolved later (resolve.c).
 */
#include "compat/posix.h"
#include "pack/receive/receive-internal.h"
#include "util/alloc.h"
#include "util/bytes.h"
#include "util/deflate.h"
#include "util/workers.h"

#define SLAB_BYTES ((size_t)512 * 1024)
#define SLAB_OBJECTS 256
#define SLABS_IN_FLIGHT 8
/* Larger objects are hashed in pieces, if they are not deltas; they can be read again later. */
#define HOLD_BYTES ((uint64_t)4 * 1024 * 1024)
#define PIECE_BYTES ((size_t)128 * 1024)
/* The least that follows the header of an entry: an empty stream. */
#define STREAM_MIN_BYTES 8

struct slab {
	struct parser *p;
	unsigned char *data;
	size_t used, cap;
	unsigned nr;
	struct {
		uint32_t entry;
		size_t at, size;
	} objects[SLAB_OBJECTS];
	struct slab *next; /* idle */
};

struct parser {
	struct pack_receive *rx;
	struct rx_input *in;
	struct workers *workers;
	struct slab *slab, *idle;
	struct rx_inline *inline_deltas;
	z_stream z;
	bool z_open;
	unsigned char *piece; /* scratch of PIECE_BYTES */
};

/* ---- slabs ---- */

static void hash_slab(void *job)
{
	struct slab *s = job;
	struct parser *p = s->p;

	for (unsigned k = 0; k < s->nr && !atomic_load(&p->rx->failed); k++) {
		const unsigned char *content = s->data + s->objects[k].at;
		uint32_t i = s->objects[k].entry;
		size_t size = s->objects[k].size;

		if (rx_is_delta(rx_entry(p->rx, i)))
			rx_inline_delta(p->inline_deltas, i, content, size);
		else
			rx_inline_object(p->inline_deltas, i, content, size);
	}
}

/* In the parsing thread. */
static void slab_done(void *job)
{
	struct slab *s = job;

	if (s->cap > SLAB_BYTES) {
		free(s->data);
		free(s);
		return;
	}
	s->next = s->p->idle;
	s->p->idle = s;
}

static void submit_slab(struct parser *p)
{
	struct slab *s = p->slab;

	p->slab = NULL;
	if (s)
		workers_submit(p->workers, hash_slab, slab_done, s);
}

/* Room for an object of `size` bytes, and a NUL. */
static unsigned char *slab_room(struct parser *p, size_t size)
{
	struct slab *s = p->slab;

	if (s && (s->nr == SLAB_OBJECTS || size >= s->cap - s->used)) {
		submit_slab(p);
		s = NULL;
	}
	if (!s && size < SLAB_BYTES && p->idle) {
		s = p->idle;
		p->idle = s->next;
	} else if (!s) {
		s = xmalloc(sizeof(*s));
		s->p = p;
		s->cap = size < SLAB_BYTES ? SLAB_BYTES : size + 1;
		s->data = xmalloc(s->cap);
	} else {
		return s->data + s->used;
	}
	s->used = 0;
	s->nr = 0;
	p->slab = s;
	return s->data;
}

static void slab_add(struct parser *p, uint32_t entry, size_t size)
{
	struct slab *s = p->slab;

	s->objects[s->nr].entry = entry;
	s->objects[s->nr].at = s->used;
	s->objects[s->nr++].size = size;
	s->data[s->used + size] = 0;
	s->used += size + 1;
}

/* ---- inflating ---- */

static int bad_object(const struct parser *p, uint32_t i, const char *what, struct err *err)
{
	return err_set(err, ERR_CORRUPT, "pack has bad object at offset %" PRIu64 ": %s",
		       rx_entry(p->rx, i)->offset, what);
}

static int z_begin(struct parser *p, struct err *err)
{
	if (p->z_open)
		return inflateReset(&p->z) == Z_OK ? 0 : err_set(err, ERR_GENERIC, "cannot start to inflate");
	if (inflateInit(&p->z) != Z_OK)
		return err_set(err, ERR_GENERIC, "cannot start to inflate");
	p->z_open = true;
	return 0;
}

/*
 * Inflate up to len bytes, waiting for input where that is needed; *ended: that was the end of the
 * stream.
 */
static int z_read(struct parser *p, uint32_t i, unsigned char *out, size_t len, size_t *got,
		  bool *ended, struct err *err)
{
	z_stream *z = &p->z;
	char why[40];
	int rc = 0;

	z->next_out = out;
	z->avail_out = (unsigned)len;
	while (!rc && z->avail_out && !*ended) {
		size_t have = rx_input_available(p->in);
		int status;

		if (!have) {
			rc = rx_input_need(p->in, 1, err);
			continue;
		}
		z->next_in = (unsigned char *)rx_input_at(p->in);
		z->avail_in = have < UINT_MAX ? (unsigned)have : UINT_MAX;
		have = z->avail_in;
		status = inflate(z, Z_NO_FLUSH);
		*ended = status == Z_STREAM_END;
		snprintf(why, sizeof(why), "inflate returned %d", status);
		if (status != Z_OK && !*ended && (status != Z_BUF_ERROR || z->avail_in))
			rc = bad_object(p, i, why, err);
		else
			rc = rx_input_use(p->in, have - z->avail_in, err);
	}
	*got = len - z->avail_out;
	return rc;
}

/* After the last byte of content: the stream must end. */
static int z_expect_end(struct parser *p, uint32_t i, bool *ended, struct err *err)
{
	unsigned char extra;
	size_t got = 0;
	int rc = 0;

	while (!rc && !got && !*ended)
		rc = z_read(p, i, &extra, 1, &got, ended, err);
	if (!rc && got)
		rc = bad_object(p, i, "it is longer than its size says", err);
	return rc;
}

/* The content in pieces: into out, or, if that is NULL, to the hash (if any). */
static int inflate_pieces(struct parser *p, uint32_t i, uint64_t size, unsigned char *out,
			  struct hash_ctx *hash, struct err *err)
{
	bool ended = false;
	uint64_t done = 0;
	int rc = z_begin(p, err);

	while (!rc && done < size && !ended) {
		size_t want = size - done < PIECE_BYTES ? (size_t)(size - done) : PIECE_BYTES, got = 0;
		unsigned char *to = out ? out + done : p->piece;

		rc = z_read(p, i, to, want, &got, &ended, err);
		if (!rc && hash)
			hash_update(hash, to, got);
		done += got;
	}
	if (!rc && done < size)
		rc = bad_object(p, i, "it is shorter than its size says", err);
	return rc ? rc : z_expect_end(p, i, &ended, err);
}

/*
 * The whole content. libdeflate is faster by far, but it needs all of the stream: if that is
 * not there yet, or is damaged, zlib takes over.
 */
static int inflate_whole(struct parser *p, uint32_t i, size_t size, unsigned char *out,
			 struct err *err)
{
	size_t made, used;
	int rc = rx_input_prefer(p->in, size + 4096, err);

	if (rc < 0)
		return rc;
	rc = inflate_buf(rx_input_at(p->in), rx_input_available(p->in), out, size, &made, &used);
	if (!rc && made == size)
		return rx_input_use(p->in, used, err);
	return inflate_pieces(p, i, size, out, NULL, err);
}

/* ---- entries ---- */

static int read_big(struct parser *p, uint32_t i, uint64_t size, struct err *err)
{
	struct pack_receive *rx = p->rx;
	struct rx_entry *e = rx_entry(rx, i);
	char head[OBJECT_HEADER_MAX];
	struct hash_ctx hash;
	struct object_id oid;
	int rc;

	hash_init_checked(&hash, rx->o.algo);
	hash_update(&hash, head, (size_t)object_header_format(head, e->type, size));
	rc = inflate_pieces(p, i, size, NULL, &hash, err);
	if (hash_final(&hash, &oid) && !rc)
		rc = hash_attack(&oid, err);
	hash_release(&hash);
	if (rc < 0)
		return rc;
	memcpy(rx_name(rx, i), oid.hash, rx->raw_len);
	e->flags |= RX_BIG;
	e->inline_done = true;
	ALLOC_GROW(rx->big, rx->nr_big + 1, rx->big_alloc);
	rx->big[rx->nr_big++] = i;
	return 0;
}

static int read_object(struct parser *p, uint32_t i, uint64_t size, struct err *err)
{
	int rc;

	rx_entry(p->rx, i)->type = rx_entry(p->rx, i)->stored;
	rc = rx_check_size(p->rx, rx_entry(p->rx, i)->type, size, err);
	if (rc < 0)
		return rc;
	if (size > HOLD_BYTES)
		return read_big(p, i, size, err);
	rc = inflate_whole(p, i, (size_t)size, slab_room(p, (size_t)size), err);
	if (!rc)
		slab_add(p, i, (size_t)size);
	return rc;
}

static int read_delta(struct parser *p, uint32_t i, uint64_t size, struct err *err)
{
	int rc;

	p->rx->nr_deltas++;
	if (size > HOLD_BYTES) {
		rx_entry(p->rx, i)->inline_done = true;
		return inflate_pieces(p, i, size, NULL, NULL, err);
	}
	rc = inflate_whole(p, i, (size_t)size, slab_room(p, (size_t)size), err);
	if (!rc)
		slab_add(p, i, (size_t)size);
	return rc;
}

/* What follows type and size in the header of a delta; *used grows by it. */
static int read_base(struct parser *p, uint32_t i, size_t *used, struct err *err)
{
	struct pack_receive *rx = p->rx;
	struct rx_entry *e = rx_entry(rx, i);
	uint64_t distance;
	size_t n;
	int rc;

	if (e->stored == OBJ_REF_DELTA) {
		rc = rx_input_need(p->in, *used + rx->raw_len, err);
		if (rc < 0)
			return rc;
		rx_add_ref(rx, i, rx_input_at(p->in) + *used);
		memcpy(rx_name(rx, i), rx_input_at(p->in) + *used, rx->raw_len);
		*used += rx->raw_len;
		return 0;
	}
	n = pack_entry_parse_distance(rx_input_at(p->in) + *used, rx_input_available(p->in) - *used,
				      &distance);
	if (!n)
		return bad_object(p, i, "offset value overflow for delta base object", err);
	if (!distance || distance >= e->offset)
		return bad_object(p, i, "delta base offset is out of bound", err);
	e->base = rx_find_offset(rx, e->offset - distance, i);
	*used += n;
	return 0;
}

static int read_entry(struct parser *p, struct err *err)
{
	struct pack_receive *rx = p->rx;
	enum object_type type;
	struct rx_entry *e;
	uint64_t size;
	uint32_t i;
	size_t used;
	int rc = rx_table_add(rx, &i, err);

	if (rc < 0)
		return rc;
	e = rx_entry(rx, i);
	e->offset = p->in->offset;
	rc = rx_input_prefer(p->in, 4096, err);
	/* A valid pack has at least so much from here on: a header, a stream, the checksum. */
	if (!rc)
		rc = rx_input_need(p->in, 1 + STREAM_MIN_BYTES + rx->raw_len, err);
	if (rc < 0)
		return rc;
	p->in->crc = 0;
	used = pack_entry_parse_size(rx_input_at(p->in), rx_input_available(p->in), &type, &size);
	if (!used)
		return bad_object(p, i, "malformed header", err);
	e->stored = (uint8_t)type;
	if (rx_is_delta(e))
		rc = read_base(p, i, &used, err);
	else if (type < OBJ_COMMIT || type > OBJ_TAG)
		rc = err_set(err, ERR_CORRUPT, "pack has bad object at offset %" PRIu64
			     ": unknown object type %d", e->offset, (int)type);
	e->header_len = (uint8_t)used;
	if (!rc)
		rc = rx_input_use(p->in, used, err);
	if (!rc)
		rc = rx_spend(rx, size, p->in->offset, err);
	if (!rc)
		rc = rx_is_delta(e) ? read_delta(p, i, size, err) : read_object(p, i, size, err);
	e->crc = p->in->crc;
	return rc;
}

/* ---- the pack ---- */

static int read_header(struct pack_receive *rx, struct err *err)
{
	const unsigned char *at;
	int rc = rx_input_need(&rx->in, PACK_HEADER_BYTES, err);

	if (rc < 0)
		return rc;
	at = rx_input_at(&rx->in);
	if (get_be32(at) != PACK_SIGNATURE)
		return err_set(err, ERR_CORRUPT, "pack signature mismatch");
	if (get_be32(at + 4) != 2 && get_be32(at + 4) != 3)
		return err_set(err, ERR_UNSUPPORTED, "pack version %u unsupported", get_be32(at + 4));
	rx->nr_header = get_be32(at + 8);
	return rx_input_use(&rx->in, PACK_HEADER_BYTES, err);
}

static int read_checksum(struct pack_receive *rx, struct err *err)
{
	const unsigned char *at;
	int rc = rx_input_flush(&rx->in, err);

	rx->end = rx->in.offset;
	if (!rc)
		rc = rx_input_need(&rx->in, rx->raw_len, err);
	if (rc < 0)
		return rc;
	rc = rx_sink_hash(rx->sink, &rx->sum, err);
	if (rc < 0)
		return rc;
	at = rx_input_at(&rx->in);
	if (memcmp(at, rx->sum.hash, rx->raw_len))
		return err_set(err, ERR_CORRUPT, "pack is corrupted (%s mismatch)",
			       rx->o.algo->id == HASH_SHA1 ? "SHA1" : "SHA256");
	rc = rx_input_use(&rx->in, rx->raw_len, err);
	rx->size = rx->in.offset;
	return rc ? rc : rx_input_flush(&rx->in, err);
}

static int read_entries(struct parser *p, struct err *err)
{
	struct pack_receive *rx = p->rx;
	int rc = 0;

	for (uint32_t i = 0; i < rx->nr_header && !rc && !atomic_load(&rx->failed); i++) {
		rc = read_entry(p, err);
		if (rx->o.progress && (!(i & 63) || i + 1 == rx->nr_header))
			rx->o.progress(rx->o.data, PACK_RECEIVE_READING, i + 1, rx->nr_header,
				       p->in->offset);
	}
	return rc;
}

static void parser_release(struct parser *p)
{
	workers_free(p->workers);
	while (p->idle) {
		struct slab *s = p->idle;

		p->idle = s->next;
		free(s->data);
		free(s);
	}
	if (p->z_open)
		inflateEnd(&p->z);
	rx_inline_end(p->inline_deltas);
	free(p->piece);
}

/* The entry that is broken does not count. */
static void forget_last(struct pack_receive *rx)
{
	if (rx->nr)
		rx->nr--;
	while (rx->nr_refs && rx->refs[rx->nr_refs - 1].entry >= rx->nr)
		rx->nr_refs--;
	rx->end = rx_entry(rx, rx->nr)->offset;
}

/* If keep_going is set, the entries read so far count as the whole pack. */
static int end_broken(struct pack_receive *rx, int rc, struct err *err)
{
	rc = rx_broken(rx, rc, err);
	if (!rc)
		rc = rx_input_flush(&rx->in, err);
	rx->in.len = rx->in.pos;
	return rc;
}

int rx_parse(struct pack_receive *rx, struct err *err)
{
	struct parser p = { .rx = rx, .in = &rx->in };
	int rc = read_header(rx, err);

	if (rc < 0)
		return rc;
	p.workers = workers_new(rx->o.threads, SLABS_IN_FLIGHT);
	p.inline_deltas = rx_inline_new(rx);
	p.piece = xmalloc(PIECE_BYTES);
	rc = read_entries(&p, err);
	submit_slab(&p);
	workers_drain(p.workers);
	parser_release(&p);
	if (rx->rc) {
		err_move(err, &rx->err);
		return rx->rc;
	}
	if (rc == ERR_CORRUPT && rx->o.keep_going)
		forget_last(rx);
	if (!rc)
		rc = read_checksum(rx, err);
	return rc == ERR_CORRUPT && rx->o.keep_going ? end_broken(rx, rc, err) : rc;
}

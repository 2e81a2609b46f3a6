/* SPDX-License-Identifier: GPL-2.0-only */
/* The entries of the new pack: copied, or made of the objects. */
#include "compat/posix.h"
#include <libdeflate.h>
#include <zlib.h>
#include "odb/odb.h"
#include "pack/read-internal.h"
#include "pack/write/delta.h"
#include "pack/write/write-internal.h"
#include "util/alloc.h"
#include "util/deflate.h"


/* ---- headers ---- */
/* size: of the content that is deflated after the header. */
static size_t make_header(const struct pack_objects *po, const struct pack_item *it,
			  uint64_t out_offset, uint64_t size, unsigned char *out)
{
	const struct pack_item *base;
	size_t n;

	if (!it->base)
		return pack_entry_header(out, (enum object_type)it->type, size);
	base = &po->items[it->base - 1];
	if (po->o.ofs_delta && base->out_offset) {
		n = pack_entry_header(out, OBJ_OFS_DELTA, size);
		return n + pack_put_distance(out + n, out_offset - base->out_offset);
	}
	n = pack_entry_header(out, OBJ_REF_DELTA, size);
	memcpy(out + n, pack_item_name(po, it->base - 1), po->raw_len);
	return n + po->raw_len;
}

/* ---- making ---- */

static bool has_doubtful_copy(const struct pack_item *it)
{
	return it->source && (it->flags & ITEM_NO_COPY);
}

void pack_made_init(struct pack_made *made, const struct pack_objects *po, uint32_t i)
{
	const struct pack_item *it = &po->items[i];

	*made = (struct pack_made){ .z = STRBUF_INIT, .is_doubtful = has_doubtful_copy(it) };
	if (it->base)
		made->is_base_doubtful = has_doubtful_copy(&po->items[it->base - 1]);
}

/* In threads: flags are not read here, for they may be set at the same time. */
static int read_item(const struct pack_objects *po, uint32_t i, bool is_doubtful,
		     struct object_buf *out, struct err *err)
{
	const struct pack_item *it = &po->items[i];
	struct object_id oid;

	pack_item_oid(po, i, &oid);
	if (is_doubtful)
		return pack_read_corrupt_base(po, &oid, po->sources[it->source - 1].pack, it->in_offset,
					      out, err);
	return odb_read(po->o.odb, &oid, out, err);
}

/* The delta of two objects that the search has found, once more. */
static int delta_again(const struct pack_objects *po, const struct pack_item *it,
		       const struct object_buf *target, const struct object_buf *base,
		       struct strbuf *z, struct err *err)
{
	/* A limit that is not met: the encoder gives up earlier than it must. */
	size_t max = st_add(target->size, 64), len = 0;
	struct delta_index *ix = delta_index_new(base->data, base->size);
	unsigned char *delta = xmalloc(max);

	if (ix)
		len = delta_encode(ix, target->data, target->size, delta, max);
	delta_index_free(ix);
	if (len == it->delta_size)
		deflate_buf(z, delta, len, po->o.level);
	free(delta);
	if (len != it->delta_size)
		return err_set(err, ERR_CORRUPT, "an object has changed while it was packed");
	return 0;
}

static int make_delta(const struct pack_objects *po, uint32_t i, struct pack_made *out,
		      struct err *err)
{
	struct object_buf target = OBJECT_BUF_INIT, base = OBJECT_BUF_INIT;
	const struct pack_item *it = &po->items[i];
	int rc = read_item(po, i, out->is_doubtful, &target, err);

	if (!rc)
		rc = read_item(po, it->base - 1, out->is_base_doubtful, &base, err);
	if (!rc)
		rc = delta_again(po, it, &target, &base, &out->z, err);
	out->size = it->delta_size;
	object_buf_release(&target);
	object_buf_release(&base);
	return rc;
}

static int make_whole(const struct pack_objects *po, uint32_t i, struct pack_made *out,
		      struct err *err)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	int rc = read_item(po, i, out->is_doubtful, &buf, err);

	if (rc < 0)
		return rc;
	deflate_buf(&out->z, buf.data, buf.size, po->o.level);
	out->size = buf.size;
	out->type = (uint8_t)buf.type;
	object_buf_release(&buf);
	return 0;
}

int pack_item_make(const struct pack_objects *po, uint32_t i, struct pack_made *out,
		   struct err *err)
{
	return po->items[i].base ? make_delta(po, i, out, err) : make_whole(po, i, out, err);
}

bool pack_item_is_copied(const struct pack_objects *po, const struct pack_item *it)
{
	if (!it->source || (it->flags & ITEM_NO_COPY) || !po->o.reuse_object)
		return false;
	return item_is_delta_copy(it) ? (it->flags & ITEM_REUSE_DELTA) != 0 : !it->base;
}

bool pack_item_is_work(const struct pack_objects *po, const struct pack_item *it)
{
	return !it->delta && !pack_item_is_copied(po, it);
}

/* ---- large objects, which are never in memory ---- */

struct streaming {
	struct pack_output *out;
	z_stream z;
	uint32_t crc;
	uint64_t left; /* of the size that the header says */
};

static int add_deflated(void *data, const void *p, size_t len, struct err *err)
{
	struct streaming *s = data;

	s->crc = libdeflate_crc32(s->crc, p, len);
	return pack_output_add(s->out, p, len, err);
}

static int stream_piece(void *data, const void *p, size_t len, struct err *err)
{
	struct streaming *s = data;

	if (len > s->left)
		return err_set(err, ERR_CORRUPT, "an object is longer than its size says");
	s->left -= len;
	return deflate_stream(&s->z, p, len, false, add_deflated, s, err);
}

static int stream_whole(struct pack_objects *po, struct pack_output *out, uint32_t i,
			struct err *err)
{
	struct pack_item *it = &po->items[i];
	struct streaming s = { .out = out, .left = it->size };
	unsigned char header[PACK_ENTRY_HEADER_MAX];
	uint64_t at = pack_output_at(out);
	size_t n = make_header(po, it, at, it->size, header);
	struct object_id oid;
	int rc;

	if (deflateInit(&s.z, po->o.level) != Z_OK)
		return err_set(err, ERR_GENERIC, "cannot start to deflate (level %d)", po->o.level);
	s.crc = libdeflate_crc32(0, header, n);
	pack_item_oid(po, i, &oid);
	rc = pack_output_add(out, header, n, err);
	if (!rc)
		rc = odb_stream(po->o.odb, &oid, stream_piece, &s, err);
	if (!rc && s.left)
		rc = err_set(err, ERR_CORRUPT, "object %s is shorter than its size says",
			     oid_hex(&oid));
	if (!rc)
		rc = deflate_stream(&s.z, NULL, 0, true, add_deflated, &s, err);
	it->crc = s.crc;
	it->out_offset = at;
	deflateEnd(&s.z);
	return rc;
}

bool pack_item_is_large(const struct pack_objects *po, const struct pack_item *it)
{
	return po->o.big_file_threshold && it->type == OBJ_BLOB && !it->base &&
	       (it->flags & ITEM_SIZE_KNOWN) && it->size > po->o.big_file_threshold;
}

uint64_t pack_item_bytes_max(const struct pack_objects *po, const struct pack_item *it)
{
	if (it->delta)
		return it->delta_deflated;
	if (pack_item_is_copied(po, it))
		return it->in_end - it->in_offset;
	return it->size + it->size / 1000 + 64;
}

/* ---- emitting ---- */

static int emit_deflated(struct pack_objects *po, struct pack_output *out, uint32_t i,
			 uint64_t size, const void *p, size_t len, struct err *err)
{
	struct pack_item *it = &po->items[i];
	unsigned char header[PACK_ENTRY_HEADER_MAX];
	uint64_t at = pack_output_at(out);
	size_t n = make_header(po, it, at, size, header);
	int rc = pack_output_add(out, header, n, err);

	if (!rc)
		rc = pack_output_add(out, p, len, err);
	it->crc = libdeflate_crc32(libdeflate_crc32(0, header, n), p, len);
	it->out_offset = at;
	return rc;
}

static int emit_made(struct pack_objects *po, struct pack_output *out, uint32_t i,
		     const struct pack_made *made, struct err *err)
{
	struct pack_made here;
	int rc = 0;

	pack_made_init(&here, po, i);
	if (!made) {
		rc = pack_item_make(po, i, &here, err);
		made = &here;
	}
	if (!rc && made->type)
		po->items[i].type = made->type;
	if (!rc)
		rc = emit_deflated(po, out, i, made->size, made->z.buf, made->z.len, err);
	strbuf_release(&here.z);
	return rc;
}

static int emit_copy(struct pack_objects *po, struct pack_output *out, uint32_t i, struct err *err)
{
	unsigned char header[PACK_ENTRY_HEADER_MAX];
	const struct pack_item *it = &po->items[i];
	size_t n = make_header(po, it, pack_output_at(out), it->in_size, header);

	return pack_copy_entry(po, out, i, header, n, err);
}

int pack_item_emit(struct pack_objects *po, struct pack_output *out, uint32_t i,
		   const struct pack_made *made, struct err *err)
{
	struct pack_item *it = &po->items[i];
	int rc;

	if (!made && pack_item_is_copied(po, it)) {
		rc = emit_copy(po, out, i, err);
		if (rc)
			return rc < 0 ? rc : 0;
	}
	if (it->delta) {
		rc = emit_deflated(po, out, i, it->delta_size, it->delta, it->delta_deflated, err);
		FREE_AND_NULL(it->delta);
		return rc;
	}
	if (pack_item_is_large(po, it))
		return stream_whole(po, out, i, err);
	return emit_made(po, out, i, made, err);
}

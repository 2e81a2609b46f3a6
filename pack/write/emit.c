/* SPDX-License-Identifier: GPL-2.0-only */
/* Writing the new pack: header, entries in order with bases first, checksum. */
#include "compat/posix.h"
#include <libdeflate.h>
#include "odb.h"
#include "pack/read-internal.h"
#include "pack/write/delta-internal.h"
#include "pack/write/write-internal.h"
#include "util/alloc.h"
#include "util/bytes.h"
#include "util/deflate.h"

#define PROGRESS_EVERY 256

struct emitter {
	struct pack_objects *po;
	struct pack_output out;
	uint32_t *order, nr;
	uint32_t done, told;
	uint32_t *stack; /* deltas that wait for their bases */
	size_t nr_stack, alloc_stack;
};

/* ---- headers ---- */

/* The distance to the base, as OFS_DELTA has it. Returns its length, at most 10. */
static size_t put_distance(unsigned char *out, uint64_t v)
{
	unsigned char tmp[10];
	size_t n = sizeof(tmp);

	tmp[--n] = v & 0x7f;
	while (v >>= 7)
		tmp[--n] = 0x80 | (--v & 0x7f);
	memcpy(out, tmp + n, sizeof(tmp) - n);
	return sizeof(tmp) - n;
}

size_t pack_item_header(const struct pack_objects *po, uint32_t i, uint64_t out_offset,
			uint64_t size, unsigned char *out)
{
	const struct pack_item *it = &po->items[i], *base;
	size_t n;

	if (!it->base)
		return pack_entry_header(out, (enum object_type)it->type, size);
	base = &po->items[it->base - 1];
	if (po->o.ofs_delta && base->out_offset) {
		n = pack_entry_header(out, OBJ_OFS_DELTA, size);
		return n + put_distance(out + n, out_offset - base->out_offset);
	}
	n = pack_entry_header(out, OBJ_REF_DELTA, size);
	memcpy(out + n, pack_item_name(po, it->base - 1), po->raw_len);
	return n + po->raw_len;
}

/* ---- one entry ---- */

static int emit_deflated(struct emitter *e, uint32_t i, uint64_t size, const void *p, size_t len,
			 struct err *err)
{
	struct pack_item *it = &e->po->items[i];
	unsigned char header[PACK_ENTRY_HEADER_MAX];
	uint64_t at = pack_output_at(&e->out);
	size_t n = pack_item_header(e->po, i, at, size, header);
	int rc = pack_output_add(&e->out, header, n, err);

	if (!rc)
		rc = pack_output_add(&e->out, p, len, err);
	it->crc = libdeflate_crc32(libdeflate_crc32(0, header, n), p, len);
	it->out_offset = at;
	return rc;
}

static int emit_whole(struct emitter *e, uint32_t i, struct err *err)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	struct strbuf z = STRBUF_INIT;
	struct object_id oid;
	int rc;

	pack_item_oid(e->po, i, &oid);
	rc = odb_read(e->po->o.odb, &oid, &buf, err);
	if (rc < 0)
		return rc;
	e->po->items[i].type = (uint8_t)buf.type;
	deflate_buf(&z, buf.data, buf.size, e->po->o.level);
	rc = emit_deflated(e, i, buf.size, z.buf, z.len, err);
	object_buf_release(&buf);
	strbuf_release(&z);
	return rc;
}

/* The delta of two objects, as the search has found it. */
static int make_delta(struct emitter *e, const struct object_buf *target,
		      const struct object_buf *base, const struct pack_item *it, struct strbuf *z,
		      struct err *err)
{
	struct delta_index *ix = delta_index_new(base->data, base->size);
	size_t max = st_add(target->size, 64); /* a limit that is not met: it gives up earlier than it must */
	unsigned char *delta = xmalloc(max);
	size_t len = 0;

	if (ix)
		len = delta_encode(ix, target->data, target->size, delta, max);
	delta_index_free(ix);
	if (len == it->delta_size)
		deflate_buf(z, delta, len, e->po->o.level);
	free(delta);
	if (len != it->delta_size)
		return err_set(err, ERR_CORRUPT, "an object has changed while it was packed");
	return 0;
}

static int emit_delta_again(struct emitter *e, uint32_t i, struct err *err)
{
	struct object_buf target = OBJECT_BUF_INIT, base = OBJECT_BUF_INIT;
	const struct pack_item *it = &e->po->items[i];
	struct strbuf z = STRBUF_INIT;
	struct object_id oid;
	int rc;

	pack_item_oid(e->po, i, &oid);
	rc = odb_read(e->po->o.odb, &oid, &target, err);
	pack_item_oid(e->po, it->base - 1, &oid);
	if (!rc)
		rc = odb_read(e->po->o.odb, &oid, &base, err);
	if (!rc)
		rc = make_delta(e, &target, &base, it, &z, err);
	if (!rc)
		rc = emit_deflated(e, i, it->delta_size, z.buf, z.len, err);
	object_buf_release(&target);
	object_buf_release(&base);
	strbuf_release(&z);
	return rc;
}

static int emit_delta(struct emitter *e, uint32_t i, struct err *err)
{
	struct pack_item *it = &e->po->items[i];
	int rc;

	if (!it->delta)
		return emit_delta_again(e, i, err);
	rc = emit_deflated(e, i, it->delta_size, it->delta, it->delta_deflated, err);
	FREE_AND_NULL(it->delta);
	return rc;
}

static int emit_copy(struct emitter *e, uint32_t i, struct err *err)
{
	unsigned char header[PACK_ENTRY_HEADER_MAX];
	size_t n = pack_item_header(e->po, i, pack_output_at(&e->out), e->po->items[i].in_size, header);

	return pack_copy_entry(e->po, &e->out, i, header, n, err);
}

static bool can_be_copied(const struct pack_objects *po, const struct pack_item *it)
{
	if (!it->source || (it->flags & ITEM_NO_COPY) || !po->o.reuse_object)
		return false;
	return item_is_delta_copy(it) ? (it->flags & ITEM_REUSE_DELTA) != 0 : !it->base;
}

static int emit_one(struct emitter *e, uint32_t i, struct err *err)
{
	struct pack_objects *po = e->po;
	struct pack_item *it = &po->items[i];
	int rc = 0;

	if (can_be_copied(po, it)) {
		rc = emit_copy(e, i, err);
		/* The copy is damaged, and with it the delta. */
		if (!rc && (it->flags & ITEM_REUSE_DELTA)) {
			it->flags &= (uint8_t)~ITEM_REUSE_DELTA;
			it->base = 0;
		}
	}
	if (!rc)
		rc = it->base ? emit_delta(e, i, err) : emit_whole(e, i, err);
	if (rc < 0)
		return rc;
	e->done++;
	return 0;
}

/* The object, and before it the bases that are not there yet. */
static int emit_with_bases(struct emitter *e, uint32_t i, struct err *err)
{
	struct pack_objects *po = e->po;
	int rc = 0;

	for (;;) {
		const struct pack_item *base;

		ALLOC_GROW(e->stack, e->nr_stack + 1, e->alloc_stack);
		e->stack[e->nr_stack++] = i;
		if (!po->items[i].base)
			break;
		i = po->items[i].base - 1;
		base = &po->items[i];
		if (base->out_offset || (base->flags & ITEM_PREFERRED_BASE))
			break;
	}
	while (e->nr_stack && !rc)
		rc = emit_one(e, e->stack[--e->nr_stack], err);
	return rc;
}

/* ---- all of them ---- */

static int tell_progress(struct emitter *e, struct err *err)
{
	const struct pack_objects_options *o = &e->po->o;

	if (!o->progress || (e->done - e->told < PROGRESS_EVERY && e->done != e->nr))
		return 0;
	e->told = e->done;
	return o->progress(o->data, PACK_PHASE_WRITE, e->done, e->nr, err);
}

static int emit_all(struct emitter *e, struct err *err)
{
	uint32_t i = 0;
	int rc = 0;

	while (i < e->nr && !rc) {
		if (e->po->items[e->order[i]].out_offset) {
			i++;
			continue;
		}
		rc = pack_copy_run(e->po, &e->out, e->order + i, e->nr - i, err);
		if (rc > 0) {
			i += (uint32_t)rc;
			e->done += (uint32_t)rc;
			rc = 0;
		} else if (!rc) {
			rc = emit_with_bases(e, e->order[i++], err);
		}
		if (!rc)
			rc = tell_progress(e, err);
	}
	return rc;
}

static void count(struct pack_objects *po)
{
	struct pack_objects_stats *st = &po->stats;

	for (uint32_t i = 0; i < po->nr; i++) {
		const struct pack_item *it = &po->items[i];

		if (!it->out_offset)
			continue;
		st->total++;
		st->deltas += it->base != 0;
		st->reused_deltas += (it->flags & ITEM_REUSE_DELTA) != 0;
		st->reused += can_be_copied(po, it);
	}
	for (uint32_t i = 0; i < po->nr_sources; i++)
		st->packs += po->sources[i].copied_from;
}

static int emit_header(struct emitter *e, struct err *err)
{
	unsigned char header[PACK_HEADER_BYTES];

	put_be32(header, PACK_SIGNATURE);
	put_be32(header + 4, 2);
	put_be32(header + 8, e->nr);
	return pack_output_add(&e->out, header, sizeof(header), err);
}

int pack_objects_write(struct pack_objects *po, pack_sink_fn sink, void *data, struct err *err)
{
	struct emitter e = { .po = po, .nr = pack_objects_count(po) };
	int rc;

	if (!po->prepared || po->written)
		BUG("a list of objects is written %s", po->written ? "twice" : "unprepared");
	po->written = true;
	e.order = pack_list_order(po);
	pack_output_init(&e.out, po->algo, sink, data);
	rc = emit_header(&e, err);
	if (!rc)
		rc = emit_all(&e, err);
	if (!rc)
		rc = pack_output_finish(&e.out, &po->checksum, err);
	if (!rc) {
		count(po);
		po->stats.bytes = e.out.flushed;
	}
	pack_output_release(&e.out);
	free(e.order);
	free(e.stack);
	return rc;
}

void pack_objects_get_stats(const struct pack_objects *po, struct pack_objects_stats *out)
{
	*out = po->stats;
}

const struct object_id *pack_objects_checksum(const struct pack_objects *po)
{
	return &po->checksum;
}

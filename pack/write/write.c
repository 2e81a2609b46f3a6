/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writing the new pack: header, entries, checksum. What is not copied is read and deflated by
 * threads, ahead of the place that the writing has come to.
 */
#include "compat/posix.h"
#include "pack/write/write-internal.h"
#include "util/alloc.h"
#include "util/bytes.h"
#include "util/workers.h"

#define PROGRESS_EVERY 256
/* Steps in flight. Larger objects are not made ahead, which bounds the memory. */
#define STEPS_MAX 64
#define AHEAD_MAX ((uint64_t)1 << 20)

struct writer {
	struct pack_objects *po;
	struct pack_output out;
	uint32_t *order, nr;
	uint32_t done, told;
	int rc; /* the first failure, and its message */
	struct err *err;
};

/* Items that are copied, order[from..to); or one that is made. */
struct step {
	struct writer *w;
	uint32_t from, to;
	bool is_made;
	struct pack_made made;
	int rc;
	struct err err;
};

/* ---- one step ---- */

static void make_step(void *arg)
{
	struct step *s = arg;

	if (s->is_made)
		s->rc = pack_item_make(s->w->po, s->w->order[s->from], &s->made, &s->err);
}

static int tell_progress(struct writer *w)
{
	const struct pack_objects_options *o = &w->po->o;

	if (!o->progress || (w->done - w->told < PROGRESS_EVERY && w->done != w->nr))
		return 0;
	w->told = w->done;
	return o->progress(o->data, PACK_PHASE_WRITE, w->done, w->nr, w->err);
}

static int emit_copies(struct writer *w, uint32_t from, uint32_t to)
{
	int rc = 0;

	while (from < to && !rc) {
		uint32_t n = 1;

		rc = pack_copy_run(w->po, &w->out, w->order + from, to - from, w->err);
		if (rc > 0)
			n = (uint32_t)rc;
		else if (!rc)
			rc = pack_item_emit(w->po, &w->out, w->order[from], NULL, w->err);
		if (rc < 0)
			return rc;
		from += n;
		w->done += n;
		rc = tell_progress(w);
	}
	return rc;
}

static int emit_step(struct step *s)
{
	struct writer *w = s->w;

	if (!s->is_made)
		return emit_copies(w, s->from, s->to);
	if (s->rc < 0) {
		err_move(w->err, &s->err);
		return s->rc;
	}
	s->rc = pack_item_emit(w->po, &w->out, w->order[s->from], &s->made, w->err);
	w->done++;
	return s->rc < 0 ? s->rc : tell_progress(w);
}

static void finish_step(void *arg)
{
	struct step *s = arg;

	if (!s->w->rc)
		s->w->rc = emit_step(s);
	strbuf_release(&s->made.z);
	err_release(&s->err);
	free(s);
}

/* ---- all steps ---- */

static bool fits(const struct pack_item *it)
{
	return (it->flags & ITEM_SIZE_KNOWN) && it->size <= AHEAD_MAX;
}

/* Is it to be made by a thread, ahead? */
static bool is_made_ahead(const struct pack_objects *po, const struct pack_item *it)
{
	return pack_item_is_work(po, it) && fits(it) &&
	       (!it->base || fits(&po->items[it->base - 1]));
}

static struct step *next_step(struct writer *w, uint32_t at)
{
	const struct pack_objects *po = w->po;
	struct step *s;

	CALLOC_ARRAY(s, 1);
	s->w = w;
	s->from = at;
	strbuf_init(&s->made.z, 0);
	s->is_made = is_made_ahead(po, &po->items[w->order[at]]);
	do
		at++;
	while (!s->is_made && at < w->nr && !is_made_ahead(po, &po->items[w->order[at]]));
	s->to = at;
	return s;
}

static void write_entries(struct writer *w)
{
	struct workers *pool = workers_new(w->po->o.threads, STEPS_MAX);

	for (uint32_t at = 0; at < w->nr && !w->rc;) {
		struct step *s = next_step(w, at);

		at = s->to;
		workers_submit(pool, make_step, finish_step, s);
	}
	workers_free(pool);
}

static int write_header(struct writer *w)
{
	unsigned char header[PACK_HEADER_BYTES];

	put_be32(header, PACK_SIGNATURE);
	put_be32(header + 4, 2);
	put_be32(header + 8, w->nr);
	return pack_output_add(&w->out, header, sizeof(header), w->err);
}

/* ---- the whole ---- */

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
		st->reused += pack_item_is_copied(po, it);
	}
	for (uint32_t i = 0; i < po->nr_sources; i++)
		st->packs += po->sources[i].copied_from;
}

int pack_objects_write(struct pack_objects *po, pack_sink_fn sink, void *data, struct err *err)
{
	struct err why = ERR_INIT;
	struct writer w = { .po = po, .nr = pack_objects_count(po), .err = &why };

	if (!po->prepared || po->written)
		BUG("a list of objects is written %s", po->written ? "twice" : "unprepared");
	po->written = true;
	w.order = pack_list_order(po);
	pack_output_init(&w.out, po->algo, sink, data);
	w.rc = write_header(&w);
	if (!w.rc)
		write_entries(&w);
	if (!w.rc)
		w.rc = pack_output_finish(&w.out, &po->checksum, w.err);
	if (!w.rc) {
		count(po);
		po->stats.bytes = w.out.flushed;
	}
	pack_output_release(&w.out);
	free(w.order);
	err_move(err, &why);
	err_release(&why);
	return w.rc;
}

void pack_objects_get_stats(const struct pack_objects *po, struct pack_objects_stats *out)
{
	*out = po->stats;
}

const struct object_id *pack_objects_checksum(const struct pack_objects *po)
{
	return &po->checksum;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes the new pack: header, entries, checksum. Threads read and deflate the objects that are not
 * copied, ahead of the writing.
 */
#include "compat/posix.h"
#include "pack/write/write-internal.h"
#include "util/alloc.h"
#include "util/bytes.h"
#include "util/trace2.h"
#include "util/workers.h"

#define PROGRESS_EVERY 256
/* Steps in flight. Larger objects are not made ahead, which bounds the memory. */
#define STEPS_MAX 64
#define AHEAD_MAX ((uint64_t)1 << 20)

struct writer {
	struct pack_objects *po;
	struct pack_output out;
	const uint32_t *order;
	uint32_t from, nr; /* order[from..nr) */
	uint64_t limit;	   /* bytes of this pack; 0: none */
	uint32_t cut;	   /* what comes from here on goes into another pack; nr: nothing */
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

static int report_write_progress(struct writer *w)
{
	const struct pack_objects_options *o = &w->po->o;
	uint32_t total = pack_objects_count(w->po), done = w->from + w->done;

	if (!o->progress || (w->done - w->told < PROGRESS_EVERY && done != total))
		return 0;
	w->told = w->done;
	return o->progress(o->data, PACK_PHASE_WRITE, done, total, w->err);
}

static int ranges_done(void *data, uint32_t nr, struct err *err)
{
	struct writer *w = data;

	(void)err;
	w->done += nr;
	return report_write_progress(w);
}

/* One entry of `bytes`, its header not counted, unless it has no room: then the pack ends before it. */
static int emit_one(struct writer *w, uint32_t at, uint64_t bytes, const struct pack_made *made)
{
	uint64_t rest = PACK_ENTRY_HEADER_MAX + w->po->raw_len;
	int rc;

	if (w->limit && at > w->from &&
	    (pack_output_at(&w->out) + rest > w->limit ||
	     bytes > w->limit - rest - pack_output_at(&w->out))) {
		w->cut = at;
		return 0;
	}
	rc = pack_item_emit(w->po, &w->out, w->order[at], made, w->err);
	w->done++;
	return rc < 0 ? rc : report_write_progress(w);
}

/* If there is a limit, the size of an entry must be known before it is written. */
static int emit_limited(struct writer *w, uint32_t at)
{
	const struct pack_item *it = &w->po->items[w->order[at]];
	struct pack_made made;
	int rc;

	if (!pack_item_is_work(w->po, it) || pack_item_is_large(w->po, it))
		return emit_one(w, at, pack_item_bytes_max(w->po, it), NULL);
	pack_made_init(&made, w->po, w->order[at]);
	rc = pack_item_make(w->po, w->order[at], &made, w->err);
	if (!rc)
		rc = emit_one(w, at, made.z.len, &made);
	strbuf_release(&made.z);
	return rc;
}

static int emit_copies(struct writer *w, uint32_t from, uint32_t to)
{
	int rc = 0;

	while (from < to && !rc && w->cut == w->nr) {
		if (w->limit) {
			rc = emit_limited(w, from++);
			continue;
		}
		rc = pack_copy_run(w->po, &w->out, w->order + from, to - from, w->err);
		if (rc > 0) {
			from += (uint32_t)rc;
			w->done += (uint32_t)rc;
			rc = report_write_progress(w);
		} else if (!rc) {
			rc = emit_one(w, from++, 0, NULL);
		}
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
	return emit_one(w, s->from, s->made.z.len, &s->made);
}

static void finish_step(void *arg)
{
	struct step *s = arg;

	if (!s->w->rc && s->w->cut == s->w->nr)
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
	pack_made_init(&s->made, po, w->order[at]);
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

	for (uint32_t at = w->from; at < w->nr && !w->rc && w->cut == w->nr;) {
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
	put_be32(header + 8, w->nr - w->from + w->po->nr_in_ranges);
	return pack_output_add(&w->out, header, sizeof(header), w->err);
}

/* ---- parts ---- */

/* Objects of a pack that is finished are no bases for those of the next one. */
static void leave_bases(struct pack_objects *po, uint32_t from, uint32_t cut, uint32_t nr)
{
	for (uint32_t k = from; k < cut; k++)
		po->items[po->order[k]].flags |= ITEM_ELSEWHERE;
	for (uint32_t k = cut; k < nr; k++) {
		struct pack_item *it = &po->items[po->order[k]];

		if (!it->base || !(po->items[it->base - 1].flags & ITEM_ELSEWHERE))
			continue;
		it->base = 0;
		it->flags &= (uint8_t)~ITEM_REUSE_DELTA;
		FREE_AND_NULL(it->delta);
	}
}

static void count(struct pack_objects *po, uint32_t from, uint32_t to)
{
	struct pack_objects_stats *st = &po->stats;

	for (uint32_t k = from; k < to; k++) {
		const struct pack_item *it = &po->items[po->order[k]];

		st->total++;
		st->deltas += it->base != 0;
		st->reused_deltas += (it->flags & ITEM_REUSE_DELTA) != 0;
		st->reused += pack_item_is_copied(po, it);
	}
	st->packs = 0;
	for (uint32_t i = 0; i < po->nr_sources; i++)
		st->packs += po->sources[i].copied_from;
}

int pack_objects_write_part(struct pack_objects *po, uint64_t limit, const struct pack_sink *sink,
			    struct pack_part *out, struct err *err)
{
	struct err why = ERR_INIT;
	struct writer w = { .po = po, .nr = po->nr - po->nr_preferred, .limit = limit, .err = &why };

	if (!po->prepared)
		BUG("a list of objects is written unprepared");
	if (!po->order)
		po->order = pack_list_order(po);
	if (po->nr_ranges && (limit || po->nr_written))
		BUG("ranges of packs go into one pack only");
	w.order = po->order;
	w.from = po->nr_written;
	w.cut = w.nr;
	w.rc = pack_output_init(&w.out, po->algo, sink, w.err);
	if (!w.rc)
		w.rc = write_header(&w);
	if (!w.rc)
		w.rc = pack_ranges_write(po, &w.out, ranges_done, &w, w.err);
	if (!w.rc)
		write_entries(&w);
	if (!w.rc)
		w.rc = pack_output_finish(&w.out, &po->checksum, w.err);
	if (!w.rc) {
		count(po, w.from, w.cut);
		po->stats.total += po->nr_in_ranges;
		po->stats.in_ranges = po->nr_in_ranges;
		po->stats.bytes += w.out.flushed;
		leave_bases(po, w.from, w.cut, w.nr);
		po->nr_written = w.cut;
		*out = (struct pack_part){ w.from, w.cut, w.cut < w.nr, w.out.flushed, po->checksum };
	}
	pack_output_release(&w.out);
	err_move(err, &why);
	err_release(&why);
	return w.rc;
}

int pack_objects_write(struct pack_objects *po, const struct pack_sink *sink, struct err *err)
{
	struct pack_part all;

	return pack_objects_write_part(po, 0, sink, &all, err);
}

static void trace_stats(const struct pack_objects_stats *st)
{
	trace2_data_intmax("pack-objects", "written", st->total);
	trace2_data_intmax("pack-objects", "written/delta", st->deltas);
	trace2_data_intmax("pack-objects", "reused", st->reused);
	trace2_data_intmax("pack-objects", "reused/delta", st->reused_deltas);
	trace2_data_intmax("pack-objects", "pack-reused", st->in_ranges);
	trace2_data_intmax("pack-objects", "packs-reused", st->packs);
}

void pack_objects_tell_stats(const struct pack_objects *po, struct pack *whole, struct strbuf *line)
{
	struct pack_objects_stats st = po->stats;

	if (whole)
		st = (struct pack_objects_stats){ .total = pack_nr_objects(whole), .packs = 1,
						  .in_ranges = pack_nr_objects(whole) };
	if (!st.in_ranges)
		st.packs = 0;
	trace_stats(&st);
	strbuf_reset(line);
	strbuf_addf(line, "Total %" PRIu32 " (delta %" PRIu32 "), reused %" PRIu32 " (delta %" PRIu32
		    "), pack-reused %" PRIu32 " (from %" PRIu32 ")\n", st.total, st.deltas, st.reused,
		    st.reused_deltas, st.in_ranges, st.packs);
}

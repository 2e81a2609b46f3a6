/* SPDX-License-Identifier: GPL-2.0-only */
/* Writing one file of a commit-graph, chunk by chunk. gitformat-commit-graph(5). */
#include "compat/posix.h"
#include "csum-file.h"
#include "history/graph/commit-graph-write-internal.h"
#include "util/alloc.h"
#include "util/bytes.h"

struct output {
	const struct graph_writer *w;
	struct csum_file *f;
	uint64_t nr_wide, nr_extra, filter_bytes;
};

static const struct graph_value *commit_graph_chunks_value_of(const struct graph_writer *w,
							      const struct commit *c)
{
	return &w->values[c->index];
}

/* The date as stored: the file has only the low bits of dates after the year 2514. */
static uint64_t stored_date(const struct commit *c)
{
	return c->date & GRAPH_DATE_MAX;
}

/* The corrected date, as it is counted from the date. */
static uint64_t offset_of(const struct graph_writer *w, const struct commit *c)
{
	return commit_graph_chunks_value_of(w, c)->corrected_date - stored_date(c);
}

/* ---- chunks ---- */

static int write_fanout(struct output *o, struct err *err)
{
	const struct commit_list *l = &o->w->commits;
	size_t at = 0;
	int rc = 0;

	for (unsigned i = 0; !rc && i < 256; i++) {
		while (at < l->nr && l->items[at]->oid.hash[0] <= i)
			at++;
		rc = csum_write_be32(o->f, (uint32_t)at, err);
	}
	return rc;
}

static int write_names(struct output *o, struct err *err)
{
	const struct commit_list *l = &o->w->commits;
	int rc = 0;

	for (size_t i = 0; !rc && i < l->nr; i++)
		rc = csum_write(o->f, l->items[i]->oid.hash, o->w->repo->algo->raw_len, err);
	return rc;
}

static void put_parents(struct output *o, const struct commit *c, unsigned char *p)
{
	uint32_t one = GRAPH_NO_PARENT, two = GRAPH_NO_PARENT;

	if (c->nr_parents)
		one = commit_graph_chunks_value_of(o->w, c->parents[0])->pos;
	if (c->nr_parents == 2)
		two = commit_graph_chunks_value_of(o->w, c->parents[1])->pos;
	if (c->nr_parents > 2) {
		two = GRAPH_MSB | (uint32_t)o->nr_extra;
		o->nr_extra += c->nr_parents - 1;
	}
	put_be32(p, one);
	put_be32(p + 4, two);
}

static int write_commits(struct output *o, struct err *err)
{
	const struct commit_list *l = &o->w->commits;
	size_t raw_len = o->w->repo->algo->raw_len;
	unsigned char rest[16];
	int rc = 0;

	o->nr_extra = 0;
	for (size_t i = 0; !rc && i < l->nr; i++) {
		const struct commit *c = l->items[i];

		put_parents(o, c, rest);
		put_be32(rest + 8, commit_graph_chunks_value_of(o->w,
								c)->level << 2 | (uint32_t)(stored_date(c) >> 32));
		put_be32(rest + 12, (uint32_t)c->date);
		rc = csum_write(o->f, c->tree.hash, raw_len, err);
		if (!rc)
			rc = csum_write(o->f, rest, sizeof(rest), err);
	}
	return rc;
}

static int write_dates(struct output *o, struct err *err)
{
	const struct commit_list *l = &o->w->commits;
	uint32_t wide = 0;
	int rc = 0;

	for (size_t i = 0; !rc && i < l->nr; i++) {
		uint64_t offset = offset_of(o->w, l->items[i]);

		rc = csum_write_be32(o->f, offset > GRAPH_OFFSET_MAX ? GRAPH_MSB | wide++ :
								       (uint32_t)offset, err);
	}
	return rc;
}

static int write_wide_dates(struct output *o, struct err *err)
{
	const struct commit_list *l = &o->w->commits;
	int rc = 0;

	for (size_t i = 0; !rc && i < l->nr; i++)
		if (offset_of(o->w, l->items[i]) > GRAPH_OFFSET_MAX)
			rc = csum_write_be64(o->f, offset_of(o->w, l->items[i]), err);
	return rc;
}

static int write_extra_parents(struct output *o, struct err *err)
{
	const struct commit_list *l = &o->w->commits;
	int rc = 0;

	for (size_t i = 0; !rc && i < l->nr; i++) {
		const struct commit *c = l->items[i];

		for (uint32_t j = 1; !rc && c->nr_parents > 2 && j < c->nr_parents; j++)
			rc = csum_write_be32(o->f, commit_graph_chunks_value_of(o->w,
										c->parents[j])->pos |
					     (j + 1 == c->nr_parents ? GRAPH_MSB : 0), err);
	}
	return rc;
}

static int write_filter_ends(struct output *o, struct err *err)
{
	const struct commit_list *l = &o->w->commits;
	uint32_t end = 0;
	int rc = 0;

	for (size_t i = 0; !rc && i < l->nr; i++) {
		end += (uint32_t)commit_graph_chunks_value_of(o->w, l->items[i])->filter.len;
		rc = csum_write_be32(o->f, end, err);
	}
	return rc;
}

static int write_filters(struct output *o, struct err *err)
{
	const struct changed_path_settings *s = &o->w->filters;
	const struct commit_list *l = &o->w->commits;
	int rc = csum_write_be32(o->f, s->version, err);

	if (!rc)
		rc = csum_write_be32(o->f, s->nr_hashes, err);
	if (!rc)
		rc = csum_write_be32(o->f, s->bits_per_entry, err);
	for (size_t i = 0; !rc && i < l->nr; i++) {
		const struct strbuf *filter = &commit_graph_chunks_value_of(o->w,
									    l->items[i])->filter;

		rc = csum_write(o->f, filter->buf, filter->len, err);
	}
	return rc;
}

static int write_bases(struct output *o, struct err *err)
{
	struct object_id name;
	int rc = 0;

	for (size_t i = 0; !rc && i < o->w->base.nr_layers; i++) {
		graph_layer_checksum(o->w->base.layers[i], &name);
		rc = csum_write(o->f, name.hash, o->w->repo->algo->raw_len, err);
	}
	return rc;
}

/* ---- the file ---- */

struct chunk {
	uint32_t id;
	bool there;
	uint64_t bytes;
	int (*write)(struct output *o, struct err *err);
};
#define CHUNKS_MAX 9

static void measure(struct output *o)
{
	const struct commit_list *l = &o->w->commits;

	for (size_t i = 0; i < l->nr; i++) {
		const struct commit *c = l->items[i];

		o->nr_extra += c->nr_parents > 2 ? c->nr_parents - 1 : 0;
		o->nr_wide += offset_of(o->w, c) > GRAPH_OFFSET_MAX;
		o->filter_bytes += commit_graph_chunks_value_of(o->w, c)->filter.len;
	}
}

static unsigned list_chunks(struct output *o, struct chunk *out)
{
	const struct graph_writer *w = o->w;
	uint64_t nr = w->commits.nr, raw_len = w->repo->algo->raw_len;
	const bool dates = w->with_dates, filters = w->with_filters;
	const struct chunk all[CHUNKS_MAX] = {
		{ GRAPH_CHUNK_FANOUT, true, GRAPH_FANOUT_BYTES, write_fanout },
		{ GRAPH_CHUNK_NAMES, true, nr * raw_len, write_names },
		{ GRAPH_CHUNK_COMMITS, true, nr * (raw_len + 16), write_commits },
		{ GRAPH_CHUNK_DATES, dates, nr * 4, write_dates },
		{ GRAPH_CHUNK_WIDE_DATES, dates && o->nr_wide, o->nr_wide * 8, write_wide_dates },
		{ GRAPH_CHUNK_PARENTS, o->nr_extra, o->nr_extra * 4, write_extra_parents },
		{ GRAPH_CHUNK_FILTER_ENDS, filters, nr * 4, write_filter_ends },
		{ GRAPH_CHUNK_FILTERS, filters, GRAPH_FILTER_HEADER_BYTES + o->filter_bytes, write_filters },
		{ GRAPH_CHUNK_BASES, w->base.nr_layers, w->base.nr_layers * raw_len, write_bases },
	};
	unsigned n = 0;

	for (unsigned i = 0; i < CHUNKS_MAX; i++)
		if (all[i].there)
			out[n++] = all[i];
	return n;
}

static int write_table(struct output *o, const struct chunk *chunks, unsigned nr, struct err *err)
{
	uint64_t at = GRAPH_HEADER_BYTES + ((uint64_t)nr + 1) * GRAPH_TABLE_ENTRY_BYTES;
	unsigned char head[GRAPH_HEADER_BYTES];
	int rc;

	put_be32(head, GRAPH_SIGNATURE);
	head[4] = 1;
	head[5] = (unsigned char)o->w->repo->algo->id;
	head[6] = (unsigned char)nr;
	head[7] = (unsigned char)o->w->base.nr_layers;
	rc = csum_write(o->f, head, sizeof(head), err);
	for (unsigned i = 0; !rc && i <= nr; i++) {
		rc = csum_write_be32(o->f, i < nr ? chunks[i].id : 0, err);
		if (!rc)
			rc = csum_write_be64(o->f, at, err);
		at += i < nr ? chunks[i].bytes : 0;
	}
	return rc;
}

int graph_write_file(const struct graph_writer *w, int fd, const char *path,
		     struct object_id *checksum, struct err *err)
{
	struct output o = { .w = w };
	struct chunk chunks[CHUNKS_MAX];
	unsigned nr;
	int rc;

	measure(&o);
	if (o.filter_bytes > UINT32_MAX || o.nr_extra > GRAPH_OFFSET_MAX)
		return err_set(err, ERR_TOO_BIG, "too many commits to write graph");
	nr = list_chunks(&o, chunks);
	o.f = csum_file_new(fd, path, w->repo->algo, false, 0);
	rc = write_table(&o, chunks, nr, err);
	for (unsigned i = 0; !rc && i < nr; i++)
		rc = chunks[i].write(&o, err);
	if (!rc)
		rc = csum_finish(o.f, checksum, err);
	csum_file_free(o.f);
	return rc;
}

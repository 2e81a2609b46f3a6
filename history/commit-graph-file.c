/* SPDX-License-Identifier: GPL-2.0-only */
/* One file of a commit-graph: its tables, and where they are. gitformat-commit-graph(5). */
#include "compat/posix.h"
#include "history/commit-graph-internal.h"
#include "util/alloc.h"
#include "util/bytes.h"

struct chunk {
	const unsigned char *p;
	uint64_t len;
};

static int bad(struct err *err, const char *text)
{
	return err_set(err, ERR_CORRUPT, "%s", text);
}

/* ---- the table of chunks ---- */

static uint64_t end_of_chunks(const struct graph_layer *l)
{
	return l->map.len - l->algo->raw_len;
}

static const unsigned char *table_entry(const struct graph_layer *l, unsigned i)
{
	return l->map.p + GRAPH_HEADER_BYTES + (size_t)i * GRAPH_TABLE_ENTRY_BYTES;
}

/* Offsets must ascend and stay before the checksum; each id may be there once. */
static int check_table(const struct graph_layer *l, unsigned nr, struct err *err)
{
	uint64_t at = GRAPH_HEADER_BYTES + ((uint64_t)nr + 1) * GRAPH_TABLE_ENTRY_BYTES;

	if (at > end_of_chunks(l))
		return err_set(err, ERR_CORRUPT,
			       "commit-graph file is too small to hold %u chunks", nr);
	for (unsigned i = 0; i <= nr; i++) {
		uint64_t offset = get_be64(table_entry(l, i) + 4);
		uint32_t id = get_be32(table_entry(l, i));

		if (i < nr && !id)
			return bad(err, "terminating chunk id appears earlier than expected");
		if (i == nr && id)
			return err_set(err, ERR_CORRUPT,
				       "final chunk has non-zero id %" PRIx32, id);
		if (offset < at || offset > end_of_chunks(l))
			return err_set(err, ERR_CORRUPT, "improper chunk offset(s) %" PRIx64
				       " and %" PRIx64, at, offset);
		at = offset;
		for (unsigned j = 0; j < i; j++)
			if (get_be32(table_entry(l, j)) == id)
				return err_set(err, ERR_CORRUPT,
					       "duplicate chunk ID %" PRIx32 " found", id);
	}
	return 0;
}

/* {NULL, 0} if there is none. */
static struct chunk find_chunk(const struct graph_layer *l, unsigned nr, uint32_t id)
{
	for (unsigned i = 0; i < nr; i++) {
		const unsigned char *e = table_entry(l, i);
		uint64_t from = get_be64(e + 4);

		if (get_be32(e) == id)
			return (struct chunk){ l->map.p + from,
					       get_be64(e + GRAPH_TABLE_ENTRY_BYTES + 4) - from };
	}
	return (struct chunk){ NULL, 0 };
}

/* ---- tables ---- */

static int use_names(struct graph_layer *l, unsigned nr, struct err *err)
{
	struct chunk fanout = find_chunk(l, nr, GRAPH_CHUNK_FANOUT);
	struct chunk names = find_chunk(l, nr, GRAPH_CHUNK_NAMES);
	struct chunk commits = find_chunk(l, nr, GRAPH_CHUNK_COMMITS);

	if (!fanout.p)
		return bad(err, "commit-graph required OID fanout chunk missing or corrupted");
	if (fanout.len != GRAPH_FANOUT_BYTES)
		return bad(err, "commit-graph oid fanout chunk is wrong size");
	for (unsigned i = 1; i < 256; i++)
		if (get_be32(fanout.p + 4 * i) < get_be32(fanout.p + 4 * (i - 1)))
			return bad(err, "commit-graph fanout values out of order");
	l->nr = get_be32(fanout.p + 4 * 255);
	if (!names.p)
		return bad(err, "commit-graph required OID lookup chunk missing or corrupted");
	if (names.len != (uint64_t)l->nr * l->algo->raw_len)
		return bad(err, "commit-graph OID lookup chunk is the wrong size");
	if (!commits.p)
		return bad(err, "commit-graph required commit data chunk missing or corrupted");
	if (commits.len != (uint64_t)l->nr * (l->algo->raw_len + 16))
		return bad(err, "commit-graph commit data chunk is wrong size");
	l->fanout = fanout.p;
	l->names = names.p;
	l->commits = commits.p;
	return 0;
}

static int use_dates_and_parents(struct graph_layer *l, unsigned nr, struct err *err)
{
	struct chunk dates = find_chunk(l, nr, GRAPH_CHUNK_DATES);
	struct chunk wide = find_chunk(l, nr, GRAPH_CHUNK_WIDE_DATES);
	struct chunk parents = find_chunk(l, nr, GRAPH_CHUNK_PARENTS);

	if (dates.p && dates.len != (uint64_t)l->nr * 4)
		return bad(err, "commit-graph generations chunk is wrong size");
	l->dates = dates.p;
	l->wide_dates = wide.p;
	l->nr_wide_dates = wide.len / 8;
	l->parents = parents.p;
	l->nr_parents = parents.len / 4;
	return 0;
}

/* Filters that cannot be used are no reason to do without the rest. */
static void use_filters(struct graph_layer *l, unsigned nr, repo_warn_fn warn, void *warn_data)
{
	struct chunk ends = find_chunk(l, nr, GRAPH_CHUNK_FILTER_ENDS);
	struct chunk filters = find_chunk(l, nr, GRAPH_CHUNK_FILTERS);
	char *msg = NULL;

	if (!ends.p || !filters.p)
		return;
	if (ends.len / 4 != l->nr)
		msg = xstrdup("commit-graph changed-path index chunk is too small");
	else if (filters.len < GRAPH_FILTER_HEADER_BYTES)
		msg = xstrfmt("ignoring too-small changed-path chunk (%" PRIu64 " < %d) in "
			      "commit-graph file", filters.len, GRAPH_FILTER_HEADER_BYTES);
	if (msg) {
		if (warn)
			warn(warn_data, msg);
		free(msg);
		return;
	}
	l->filter_ends = ends.p;
	l->filters = filters.p + GRAPH_FILTER_HEADER_BYTES;
	l->filters_len = filters.len - GRAPH_FILTER_HEADER_BYTES;
	l->filter_settings.version = get_be32(filters.p);
	l->filter_settings.nr_hashes = get_be32(filters.p + 4);
	l->filter_settings.bits_per_entry = get_be32(filters.p + 8);
}

static int use_bases(struct graph_layer *l, unsigned nr, struct err *err)
{
	struct chunk bases = find_chunk(l, nr, GRAPH_CHUNK_BASES);

	l->nr_bases = l->map.p[7];
	if (!l->nr_bases)
		return 0;
	if (!bases.p)
		return bad(err, "commit-graph has no base graphs chunk");
	if (bases.len < (uint64_t)l->nr_bases * l->algo->raw_len)
		return bad(err, "commit-graph base graphs chunk is too small");
	l->bases = bases.p;
	return 0;
}

static int parse_header(const struct graph_layer *l, struct err *err)
{
	const unsigned char *p = l->map.p;
	uint64_t least = GRAPH_HEADER_BYTES + 4 * GRAPH_TABLE_ENTRY_BYTES + GRAPH_FANOUT_BYTES;

	if (l->map.len < least + l->algo->raw_len)
		return bad(err, "commit-graph file is too small");
	if (get_be32(p) != GRAPH_SIGNATURE)
		return err_set(err, ERR_CORRUPT, "commit-graph signature %X does not match "
			       "signature %X", get_be32(p), GRAPH_SIGNATURE);
	if (p[4] != 1)
		return err_set(err, ERR_UNSUPPORTED, "commit-graph version %X does not match "
			       "version %X", p[4], 1);
	if (p[5] != l->algo->id)
		return err_set(err, ERR_UNSUPPORTED, "commit-graph hash version %X does not match "
			       "version %X", p[5], (unsigned)l->algo->id);
	return 0;
}

static int parse(struct graph_layer *l, repo_warn_fn warn, void *warn_data, struct err *err)
{
	int rc = parse_header(l, err);
	unsigned nr;

	if (rc < 0)
		return rc;
	nr = l->map.p[6];
	if ((rc = check_table(l, nr, err)) < 0 || (rc = use_names(l, nr, err)) < 0 ||
	    (rc = use_dates_and_parents(l, nr, err)) < 0 || (rc = use_bases(l, nr, err)) < 0)
		return rc;
	use_filters(l, nr, warn, warn_data);
	return 0;
}

int graph_layer_open(struct graph_layer **out, const char *path, const struct hash_algo *algo,
		     repo_warn_fn warn, void *warn_data, struct err *err)
{
	struct graph_layer *l;
	int rc;

	CALLOC_ARRAY(l, 1);
	l->algo = algo;
	l->path = xstrdup(path);
	rc = mapped_file_open(&l->map, path, err);
	if (!rc)
		rc = parse(l, warn, warn_data, err);
	if (rc < 0)
		graph_layer_free(l);
	else
		*out = l;
	return rc;
}

void graph_layer_free(struct graph_layer *l)
{
	if (!l)
		return;
	mapped_file_release(&l->map);
	free(l->path);
	free(l);
}

void graph_layer_checksum(const struct graph_layer *l, struct object_id *out)
{
	oid_from_raw(out, l->map.p + end_of_chunks(l), l->algo);
}

bool graph_layer_find(const struct graph_layer *l, const unsigned char *name, uint32_t *pos)
{
	uint32_t lo = name[0] ? get_be32(l->fanout + 4 * (name[0] - 1)) : 0;
	uint32_t hi = get_be32(l->fanout + 4 * name[0]);

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		int cmp = memcmp(name, graph_layer_name(l, mid), l->algo->raw_len);

		if (!cmp) {
			*pos = mid;
			return true;
		}
		if (cmp < 0)
			hi = mid;
		else
			lo = mid + 1;
	}
	*pos = lo;
	return false;
}

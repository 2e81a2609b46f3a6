/* SPDX-License-Identifier: GPL-2.0-only */
/* git commit-graph verify: is what the files say true? */
#include "compat/posix.h"
#include "history/commit-graph-internal.h"
#include "history/graph/commit-graph-write.h"
#include "object/commit.h"
#include "util/alloc.h"
#include "util/bytes.h"

struct verifier {
	struct repository *repo;
	const struct commit_graph_verify_options *o;
	const struct commit_graph *g;
	int faults, checksums; /* checksums: the faults that are wrong checksums */
	/* Commits with level 0, and with another; none: position GRAPH_POS_NONE */
	uint32_t zero, not_zero;
};

static void bad(struct verifier *v, const char *fmt, ...) PRINTF_LIKE(2, 3);
static void bad(struct verifier *v, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vreport(v->o->bad, v->o->data, fmt, ap);
	va_end(ap);
	v->faults++;
}

static void on_load_fault(void *data, const char *msg)
{
	struct verifier *v = data;

	if (v->o->unusable)
		v->o->unusable(v->o->data, msg);
	v->faults++;
}

/* ---- one file by itself ---- */

static void check_checksum(struct verifier *v, const struct graph_layer *l)
{
	struct object_id want, is;

	graph_layer_checksum(l, &want);
	hash_buf(l->algo, l->map.p, l->map.len - l->algo->raw_len, &is);
	if (oid_eq(&want, &is))
		return;
	v->checksums++;
	bad(v, "the commit-graph file has incorrect checksum and is likely corrupt");
}

/* False: nothing is where it is looked for. */
static bool check_names(struct verifier *v, const struct graph_layer *l)
{
	uint32_t at = 0;
	int before = v->faults;

	for (uint32_t i = 1; i < l->nr; i++)
		if (memcmp(graph_layer_name(l, i - 1), graph_layer_name(l, i),
			   l->algo->raw_len) >= 0) {
			struct object_id one, two;

			oid_from_raw(&one, graph_layer_name(l, i - 1), l->algo);
			oid_from_raw(&two, graph_layer_name(l, i), l->algo);
			bad(v, "commit-graph has incorrect OID order: %s then %s", oid_hex(&one),
			    oid_hex(&two));
		}
	for (unsigned first = 0; first < 256; first++) {
		uint32_t says = get_be32(l->fanout + 4 * first);

		while (at < l->nr && *graph_layer_name(l, at) <= first)
			at++;
		if (says != at)
			bad(v, "commit-graph has incorrect fanout value: fanout[%u] = %u != %u", first,
			    says, at);
	}
	return v->faults == before;
}

/* ---- commits against the objects ---- */

struct expected {
	struct object_id oid, tree;
	struct oid_array parents;
	timestamp_t date;
};

/* False: a fault, which has been reported. */
static bool read_commit(struct verifier *v, struct expected *e)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	int rc = odb_read_type(v->repo->odb, &e->oid, OBJ_COMMIT, &buf, NULL);

	if (!rc)
		rc = commit_parse_links(buf.data, buf.size, v->repo->algo, &e->tree, &e->parents,
					&e->date, NULL);
	object_buf_release(&buf);
	if (rc < 0)
		bad(v, "failed to parse commit %s from object database for commit-graph",
		    oid_hex(&e->oid));
	return !rc;
}

static void check_parents(struct verifier *v, const struct expected *e,
			  const struct graph_commit *gc)
{
	char name[HASH_MAX_HEX + 1]; /* oid_hex gives out four names, and this one is needed longest */
	struct object_id parent;

	oid_to_hex_r(name, &e->oid);
	for (uint32_t i = 0; i < gc->nr_parents; i++) {
		if (i == e->parents.nr) {
			bad(v, "commit-graph parent list for commit %s is too long", name);
			return;
		}
		commit_graph_oid(v->g, graph_commit_parent(gc, i), &parent);
		if (!oid_eq(&parent, &e->parents.oid[i]))
			bad(v, "commit-graph parent for %s is %s != %s", name, oid_hex(&parent),
			    oid_hex(&e->parents.oid[i]));
	}
	if (gc->nr_parents < e->parents.nr)
		bad(v, "commit-graph parent list for commit %s terminates early", name);
}

/* Each must be greater than those of the parents; which of the two kinds, the graph decides. */
static void check_generation(struct verifier *v, const struct expected *e, uint32_t pos,
			     const struct graph_commit *gc)
{
	uint64_t least = 0;
	struct graph_commit p;

	*(gc->level ? &v->not_zero : &v->zero) = pos;
	if (!gc->level)
		return;
	for (uint32_t i = 0; i < gc->nr_parents; i++)
		if (!commit_graph_read(v->g, graph_commit_parent(gc, i), &p, NULL)) {
			uint64_t is = v->g->corrected_dates ? p.generation : p.level;

			least = is > least ? is : least;
		}
	/* Levels do not grow beyond what fits into the table. */
	if (v->g->corrected_dates || least < GRAPH_LEVEL_MAX)
		least++;
	if ((v->g->corrected_dates ? gc->generation : gc->level) < least)
		bad(v, "commit-graph generation for commit %s is %" PRIu64 " < %" PRIu64,
		    oid_hex(&e->oid), v->g->corrected_dates ? gc->generation : gc->level, least);
}

static void check_commit(struct verifier *v, uint32_t pos)
{
	struct expected e = { .parents = OID_ARRAY_INIT };
	struct object_id tree;
	struct graph_commit gc;

	commit_graph_oid(v->g, pos, &e.oid);
	if (commit_graph_read(v->g, pos, &gc, NULL) < 0) {
		bad(v, "failed to parse commit %s from commit-graph", oid_hex(&e.oid));
		return;
	}
	if (read_commit(v, &e)) {
		oid_from_raw(&tree, gc.tree, v->repo->algo);
		if (!oid_eq(&tree, &e.tree))
			bad(v, "root tree OID for commit %s in commit-graph is %s != %s",
			    oid_hex(&e.oid), oid_hex(&tree), oid_hex(&e.tree));
		check_parents(v, &e, &gc);
		check_generation(v, &e, pos, &gc);
		if (gc.date != (e.date & GRAPH_DATE_MAX))
			bad(v, "commit date for commit %s in commit-graph is %" PRIu64
			    " != %" PRIu64, oid_hex(&e.oid), gc.date, e.date);
	}
	oid_array_clear(&e.parents);
}

static void check_levels(struct verifier *v)
{
	struct object_id zero, other;

	if (v->zero == GRAPH_POS_NONE || v->not_zero == GRAPH_POS_NONE)
		return;
	commit_graph_oid(v->g, v->zero, &zero);
	commit_graph_oid(v->g, v->not_zero, &other);
	bad(v, "commit-graph has both zero and non-zero generations (e.g., commits '%s' and '%s')",
	    oid_hex(&zero), oid_hex(&other));
}

/* ---- all ---- */

enum commit_graph_state commit_graph_verify(struct repository *r, const struct commit_graph_verify_options *o)
{
	struct verifier v = { .repo = r, .o = o, .zero = GRAPH_POS_NONE,
			      .not_zero = GRAPH_POS_NONE };
	struct progress *progress = NULL;
	struct commit_graph *g;

	graph_load(&g, r, o->objdir, on_load_fault, &v);
	if (!g)
		return v.faults ? COMMIT_GRAPH_BAD : COMMIT_GRAPH_SOUND;
	v.g = g;
	if (o->progress)
		progress = o->progress(o->data, "Verifying commits in commit graph", g->nr);
	for (size_t i = o->shallow ? g->nr_layers - 1 : 0; i < g->nr_layers; i++) {
		const struct graph_layer *l = g->layers[i];
		bool sound;

		check_checksum(&v, l);
		sound = check_names(&v, l);
		for (uint32_t j = 0; sound && j < l->nr; j++) {
			check_commit(&v, l->base + j);
			progress_update(progress, l->base + j + 1);
		}
	}
	check_levels(&v);
	progress_stop(&progress);
	commit_graph_free(g);
	return !v.faults ? COMMIT_GRAPH_SOUND : v.faults == v.checksums ? COMMIT_GRAPH_BAD_CHECKSUM : COMMIT_GRAPH_BAD;
}

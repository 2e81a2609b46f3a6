/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The new packs of a repack, and what goes into each: repack.h. Every object that is kept is in one of them,
 * or in an old pack that stays.
 */
#include "compat/posix.h"
#include "maintain/repack-internal.h"
#include "maintain/unpack-unreachable.h"
#include "packing/new-pack.h"
#include "maintain/root-lists.h"
#include "maintain/recent-objects.h"
#include "odb/odb.h"
#include "pack/write/pack-files.h"
#include "util/alloc.h"

/* ---- one part ---- */

static int show_pack_progress(void *data, enum pack_phase phase, uint32_t done, uint32_t total,
			      struct err *err UNUSED)
{
	const struct repack *k = data;

	if (k->o->progress)
		k->o->progress(k->o->data, phase == PACK_PHASE_DELTAS ? "Compressing objects" : "Writing objects",
			       done, total);
	return 0;
}

int repack_begin_part(struct repack *k, enum repack_part part, const struct pack_objects_options *o,
		      struct err *err)
{
	struct pack_collection *c = &k->parts[part];

	*c = (struct pack_collection){ .r = k->r, .o = *o, .warn = k->o->warn, .warn_data = k->o->data };
	c->o.order = k->o->max_pack_bytes ? PACK_ORDER_FAMILY : PACK_ORDER_TYPE;
	/* An object that is borrowed, too, but comes from a promisor remote here, has to say so here. */
	c->o.local = k->o->local && part != REPACK_PROMISOR;
	c->o.progress = show_pack_progress;
	c->o.data = k;
	c->islands = k->o->delta_islands && part < REPACK_YOUNG;
	c->keep_true_parents = true; /* or nothing would bring them back when the grafts go */
	return pack_collection_begin(c, err);
}

static int write_elsewhere(struct repack *k, struct pack_objects *po, const struct pack_files_options *files,
			   struct err *err)
{
	struct oid_array not_ours = OID_ARRAY_INIT;
	int rc = pack_objects_prepare(po, err);

	if (!rc)
		rc = pack_objects_write_files(po, files, repo_operation_batch(k->op), &not_ours, err);
	oid_array_clear(&not_ours);
	return rc;
}

static bool wants_bitmap(const struct repack *k, enum repack_part part)
{
	return k->o->write_bitmap && k->o->all && part == REPACK_MAIN && !k->o->midx && !k->o->max_pack_bytes;
}

int repack_write_part(struct repack *k, enum repack_part part, const char *elsewhere, struct err *err)
{
	const bool cruft = part == REPACK_YOUNG || part == REPACK_OLD;
	struct pack_collection *c = &k->parts[part];
	char *packdir = xstrfmt("%s/pack", odb_objdir(k->r->odb));
	char *base = xstrfmt("%s/pack", packdir);
	struct pack_files_options files = {
		.base_name = elsewhere ? elsewhere : base,
		.max_bytes = cruft && k->o->max_cruft_bytes ? k->o->max_cruft_bytes : k->o->max_pack_bytes,
		.shared_perm = k->r->settings.shared_perm,
		.write_rev = true,
		.promisor = part == REPACK_PROMISOR,
		.index_version = 2,
		.mtime_of = cruft ? pack_collection_mtime : NULL,
		.before_idx = wants_bitmap(k, part) ? pack_collection_write_bitmap : NULL,
		.data = c,
	};
	int rc = config_get_bool(k->r->config, "pack.writereverseindex", &files.write_rev, err);

	c->base_name = files.base_name;
	c->batch = repo_operation_batch(k->op);
	if (rc >= 0 && pack_objects_count(c->po))
		rc = pack_collection_set_islands(c, err);
	if (rc >= 0 && pack_objects_count(c->po))
		rc = elsewhere ? write_elsewhere(k, c->po, &files, err) :
				 new_pack_files_stage(c->po, k->op, odb_objdir(k->r->odb), &files, &k->sums, err);
	free(base);
	free(packdir);
	return rc < 0 ? rc : 0;
}

/* ---- reachable or unpacked objects ---- */

/*
 * What other worktrees hold for themselves, and what borrowers hold of ours, counts as if our refs named it.
 * weak: kept with as much as there is of what they lead to.
 */
static int list_other_roots(struct repack *k, struct strvec *strong, struct oid_array *weak, struct err *err)
{
	struct roots own = ROOTS_INIT, borrowed = ROOTS_INIT;
	int rc = roots_collect_worktrees(&own, k->r, k->r->odb, err);
	const struct oid_array *lists[] = { &own.weak, &borrowed.weak };

	if (!rc)
		rc = roots_collect_borrowers(&borrowed, k->r, err);
	for (size_t n = 0; !rc && n < own.strong.nr; n++) /* a missing one ends the walk */
		strvec_push(strong, oid_hex(&own.strong.oid[n]));
	for (size_t n = 0; !rc && n < borrowed.strong.nr; n++)
		if (odb_has_quick(k->r->odb, &borrowed.strong.oid[n]))
			strvec_push(strong, oid_hex(&borrowed.strong.oid[n]));
	for (size_t i = 0; !rc && i < ARRAY_SIZE(lists); i++)
		for (size_t n = 0; n < lists[i]->nr; n++)
			oid_array_append(weak, &lists[i]->oid[n]);
	roots_release(&own);
	roots_release(&borrowed);
	return rc;
}

static int exclude_pack(void *data, struct pack *p)
{
	pack_objects_exclude_pack(data, p);
	return 0;
}

/*
 * Objects from promisor remotes are walked through, as something of ours may be reached by them alone. They
 * are not added: they stay in packs of their kind. What they promise may be missing.
 */
static void allow_for_promises(struct repack *k, struct pack_collection *c)
{
	if (!k->promisor)
		return;
	c->missing = MISSING_ALLOW_PROMISOR;
	promisor_packs_foreach(k->r, exclude_pack, c->po);
}

/*
 * The walk with the filter has found all other objects; objects that are missing now have been left
 * out before (--filter-to).
 */
static void allow_what_is_elsewhere(struct pack_collection *c)
{
	c->missing = MISSING_ALLOW_ANY;
}

/*
 * After the strong roots: what the weak ones lead to beyond them. Most name something that has been added, as ORIG_HEAD
 * does; then there is no second walk.
 */
static int collect_weak(struct pack_collection *c, struct oid_array *weak, struct err *err)
{
	struct pack_collection before = *c;
	struct strvec lines = STRVEC_INIT;
	int rc = 0;

	oid_array_sort_unique(weak);
	for (size_t i = 0; i < weak->nr; i++)
		if (!pack_objects_has(c->po, &weak->oid[i]) && odb_has_quick(c->r->odb, &weak->oid[i]))
			strvec_push(&lines, oid_hex(&weak->oid[i]));
	if (lines.nr) {
		c->all = c->reflog = c->indexed_objects = c->keep_unreachable = c->pack_loose_unreachable = false;
		c->not_all = true;
		c->missing = MISSING_ALLOW_ANY;
		rc = pack_collect_revisions(c, &lines, err);
		c->all = before.all;
		c->reflog = before.reflog;
		c->indexed_objects = before.indexed_objects;
		c->keep_unreachable = before.keep_unreachable;
		c->pack_loose_unreachable = before.pack_loose_unreachable;
		c->not_all = before.not_all;
		c->missing = before.missing;
	}
	strvec_clear(&lines);
	return rc;
}

static int collect_reachable(struct repack *k, enum repack_part part, struct err *err)
{
	struct pack_collection *c = &k->parts[part];
	struct oid_array weak = OID_ARRAY_INIT;
	struct strvec lines = STRVEC_INIT;
	int rc = 0;

	c->all = c->reflog = c->indexed_objects = true;
	c->unpacked = !k->o->all;
	if (part == REPACK_MAIN && k->o->filter.nr)
		c->filter = &k->o->filter;
	allow_for_promises(k, c);
	if (part == REPACK_LEFT_OUT)
		allow_what_is_elsewhere(c);
	if (k->o->all) {
		pack_collection_exclude_kept(c, &k->kept_names, !k->o->pack_kept_objects);
		c->keep_unreachable = c->pack_loose_unreachable =
			!k->o->filter.nr && k->o->unreachable == REPACK_APPEND; /* else: make_rest */
		rc = list_other_roots(k, &lines, &weak, err);
	}
	if (!rc)
		rc = pack_collect_revisions(c, &lines, err);
	if (!rc)
		rc = collect_weak(c, &weak, err);
	oid_array_clear(&weak);
	strvec_clear(&lines);
	return rc;
}

static int make_reachable(struct repack *k, enum repack_part part, const char *elsewhere, struct err *err)
{
	struct pack_objects_options o = k->o->pack;
	int rc;

	o.incremental = !k->o->all;
	rc = repack_begin_part(k, part, &o, err);
	if (!rc && part == REPACK_LEFT_OUT)
		pack_objects_exclude_list(k->parts[part].po, k->parts[REPACK_MAIN].po);
	if (!rc)
		rc = collect_reachable(k, part, err);
	return rc < 0 ? rc : repack_write_part(k, part, elsewhere, err);
}

/*
 * Packs the objects that the filter leaves out, if no other pack takes the unreachable ones: all that the old packs have, or
 * that is loose, and is not in the new one. So a filter never makes objects go.
 */
static int make_rest(struct repack *k, const char *elsewhere, struct err *err)
{
	int rc = repack_begin_part(k, REPACK_LEFT_OUT, &k->o->pack, err);
	struct pack_collection *c = &k->parts[REPACK_LEFT_OUT];

	if (rc < 0)
		return rc;
	pack_objects_exclude_list(c->po, k->parts[REPACK_MAIN].po);
	pack_collection_exclude_kept(c, &k->kept_names, !k->o->pack_kept_objects);
	if (k->promisor)
		promisor_packs_foreach(k->r, exclude_pack, c->po);
	for (size_t i = 0; i < k->nr_old && !rc; i++)
		if (repack_may_remove(&k->old[i]) && !k->old[i].promisor)
			rc = pack_objects_add_pack(c->po, k->old[i].pack, err);
	if (!rc)
		rc = pack_collect_loose(c, err);
	return rc < 0 ? rc : repack_write_part(k, REPACK_LEFT_OUT, elsewhere, err);
}

static int make_left_out(struct repack *k, struct err *err)
{
	const bool rest = k->o->all && (k->o->unreachable == REPACK_DROP || k->o->unreachable == REPACK_APPEND);

	return rest ? make_rest(k, k->o->filter_to, err) :
		      make_reachable(k, REPACK_LEFT_OUT, k->o->filter_to, err);
}

/* ---- what came from promisor remotes ---- */

struct adding {
	struct repack *k;
	struct err *err;
};

static bool repack_make_stays(const struct repack *k, const struct pack *p)
{
	for (size_t i = 0; i < k->nr_old; i++)
		if (k->old[i].pack == p)
			return k->old[i].kept;
	return k->o->local; /* it belongs to an alternate */
}

static int repack_make_add_pack(void *data, struct pack *p)
{
	struct adding *a = data;

	if (repack_make_stays(a->k, p))
		return 0;
	return pack_objects_add_pack(a->k->parts[REPACK_PROMISOR].po, p, a->err);
}

/* All of it: no rule predicts which objects will be needed again. */
static int make_promisor(struct repack *k, struct err *err)
{
	struct adding a = { k, err };
	int rc = repack_begin_part(k, REPACK_PROMISOR, &k->o->pack, err);

	if (!rc)
		rc = promisor_packs_foreach(k->r, repack_make_add_pack, &a);
	return rc < 0 ? rc : repack_write_part(k, REPACK_PROMISOR, NULL, err);
}

/* ---- unreachable objects ---- */

static int list_recent(struct repack *k, struct oidset *out, struct err *err)
{
	struct oid_array v = OID_ARRAY_INIT;
	int rc = roots_collect_recent(&v, k->r, err);

	for (size_t i = 0; i < v.nr && !rc; i++)
		(void)oidset_insert(out, &v.oid[i]);
	oid_array_clear(&v);
	return rc;
}

static bool is_large_cruft(const struct repack *k, const struct old_pack *p)
{
	return p->cruft && k->o->combine_cruft_below && !k->o->cruft_expiry &&
	       pack_size_bytes(p->pack) >= k->o->combine_cruft_below;
}

/* Which packs go, and which of cruft stay for their size. */
static void sort_out_cruft(struct repack *k, struct strset *discarded, struct strset *large)
{
	for (size_t i = 0; i < k->nr_old; i++) {
		struct old_pack *p = &k->old[i];

		if (!repack_may_remove(p))
			continue;
		p->kept = is_large_cruft(k, p);
		strset_add(p->kept ? large : discarded, pack_file_name(p->pack));
	}
}

static int make_cruft_part(struct repack *k, enum repack_part part, const struct cruft_options *o,
			   const char *elsewhere, struct err *err)
{
	int rc = repack_begin_part(k, part, &k->o->cruft, err);

	for (enum repack_part before = 0; before < part && !rc; before++)
		if (k->parts[before].po)
			pack_objects_exclude_list(k->parts[part].po, k->parts[before].po);
	if (!rc)
		rc = pack_collect_cruft(&k->parts[part], o, err);
	return rc < 0 ? rc : repack_write_part(k, part, elsewhere, err);
}

/*
 * Objects reachable from refs of ours or of borrowers are in the packs that have been made.
 * --expire-to: expired objects go into a pack elsewhere.
 */
static int make_cruft(struct repack *k, struct err *err)
{
	struct strset discarded = STRSET_INIT, large = STRSET_INIT;
	struct oidset recent = OIDSET_INIT;
	struct cruft_options o = { .discarded = &discarded, .kept_cruft = &large,
				   .expiry = k->o->cruft_expiry, .recent = &recent };
	int rc;

	sort_out_cruft(k, &discarded, &large);
	rc = list_recent(k, &recent, err);
	if (!rc)
		rc = make_cruft_part(k, REPACK_YOUNG, &o, NULL, err);
	if (!rc && k->o->expire_to && o.expiry) {
		o.expiry = 0;
		rc = make_cruft_part(k, REPACK_OLD, &o, k->o->expire_to, err);
	}
	strset_clear(&discarded);
	strset_clear(&large);
	oidset_clear(&recent);
	return rc;
}

struct loosening {
	struct repack *k;
	struct oidset young; /* with loosen_since */
};

/* Reachable, or borrowed: with all that it leads to. */
static bool repack_make_is_closed(void *data, const struct object_id *oid)
{
	const struct loosening *l = data;
	const struct repack *k = l->k;

	for (enum repack_part part = 0; part < REPACK_YOUNG; part++)
		if (k->parts[part].po && pack_objects_has(k->parts[part].po, oid))
			return true;
	return k->o->local && odb_is_packed_in(k->r->odb, ODB_ALTERNATES, oid);
}

/* In a pack that stays. */
static bool repack_make_is_safe(void *data, const struct object_id *oid)
{
	const struct loosening *l = data;
	const struct repack *k = l->k;

	if (repack_make_is_closed(data, oid))
		return true;
	for (size_t i = 0; i < k->nr_old; i++)
		if (!repack_may_remove(&k->old[i]) && pack_has_object(k->old[i].pack, oid))
			return true;
	return false;
}

static bool would_be_lost(void *data, const struct object_id *oid)
{
	const struct loosening *l = data;

	return !repack_make_is_safe(data, oid) && (!l->k->o->loosen_since ||
						   oidset_contains(&l->young, oid));
}

static int loosen_unreachable(struct repack *k, struct err *err)
{
	struct loosening l = { .k = k, .young = OIDSET_INIT };
	struct pack **going;
	size_t nr = 0;
	int rc = 0;

	if (k->o->loosen_since)
		rc = young_objects(&l.young, k->r, k->o->loosen_since, repack_make_is_safe,
				   repack_make_is_closed, &l, err);
	ALLOC_ARRAY(going, k->nr_old + 1);
	for (size_t i = 0; i < k->nr_old; i++)
		if (repack_may_remove(&k->old[i]))
			going[nr++] = k->old[i].pack;
	if (!rc)
		rc = packs_loosen(k->op, k->r, going, nr, would_be_lost, &l, err);
	free(going);
	oidset_clear(&l.young);
	return rc;
}

/* ---- all of it ---- */

int repack_make_packs(struct repack *k, struct err *err)
{
	int rc = make_reachable(k, REPACK_MAIN, NULL, err);

	if (!rc && k->o->filter.nr)
		rc = make_left_out(k, err);
	if (!rc && k->o->all && k->promisor)
		rc = make_promisor(k, err);
	k->nr_main = k->sums.nr;
	if (!rc && k->o->all && k->o->unreachable == REPACK_CRUFT)
		rc = make_cruft(k, err);
	if (!rc && k->o->all && k->o->unreachable == REPACK_LOOSEN && k->o->delete_redundant)
		rc = loosen_unreachable(k, err);
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * See repack.h. In this order: new packs, published but not sealed; the multi-pack-index, which is made
 * of packs that are there; removals. What follows (loose objects that are packed, lists of packs) looks
 * at the packs that are left, so removals are published before, too. The operation's commit seals all of it.
 */
#include "compat/posix.h"
#include "maintain/repack-internal.h"
#include "fs/tmp-objdir.h"
#include "history/promisor.h"
#include "maintain/prune-packed.h"
#include "maintain/prune.h"
#include "maintain/repack-midx.h"
#include "maintain/server-info.h"
#include "odb/upkeep.h"
#include "util/alloc.h"

/* ---- the packs that there are ---- */

static bool is_named(const struct strvec *names, const char *name)
{
	for (size_t i = 0; i < names->nr; i++)
		if (!strcmp(names->v[i], name))
			return true;
	return false;
}

static int repack_note_pack(void *data, struct pack *p)
{
	struct repack *k = data;
	struct old_pack *old;
	char *idx = repack_idx_name(p);

	if (repack_midx_keeps(k->o, &k->layers, idx))
		strvec_push(&k->kept_names, pack_file_name(p));
	free(idx);
	ALLOC_GROW(k->old, k->nr_old + 1, k->alloc_old);
	old = &k->old[k->nr_old++];
	*old = (struct old_pack){
		.pack = p,
		.cruft = pack_has_file(p, "mtimes"),
		.promisor = pack_has_file(p, "promisor"),
		.kept = is_named(&k->kept_names, pack_file_name(p)) ||
			(!k->o->pack_kept_objects && pack_has_file(p, "keep")),
	};
	return 0;
}

static int note_promisor(void *data, struct pack *p UNUSED)
{
	((struct repack *)data)->promisor = true;
	return 1;
}

/* ---- geometric: the smallest packs become one ---- */

static int by_objects(const void *a, const void *b)
{
	const struct old_pack *x = a, *y = b;
	uint32_t n = pack_nr_objects(x->pack), m = pack_nr_objects(y->pack);

	return n != m ? (n < m ? -1 : 1) : strcmp(pack_path(x->pack), pack_path(y->pack));
}

/*
 * How many of the smallest are combined, so that each pack that is left has at least `factor` times as
 * many objects as the next smaller one.
 */
static size_t find_split(const struct repack *k, size_t nr)
{
	uint64_t factor = k->o->geometric, sum = 0;
	size_t split = nr;

	while (split > 1 && pack_nr_objects(k->old[split - 1].pack) >=
			    factor * pack_nr_objects(k->old[split - 2].pack))
		split--;
	if (split <= 1)
		return 0;
	for (size_t i = 0; i < split; i++)
		sum += pack_nr_objects(k->old[i].pack);
	/* The new one is not too large for the next. */
	for (; split < nr && pack_nr_objects(k->old[split].pack) < factor * sum; split++)
		sum += pack_nr_objects(k->old[split].pack);
	return split;
}

/*
 * Puts the packs that may be combined first, by size: packs from promisor remotes, or others.
 * Returns how many.
 */
static size_t sort_packs(struct repack *k, bool promisor)
{
	size_t nr = 0;

	for (size_t i = 0; i < k->nr_old; i++)
		if (repack_may_remove(&k->old[i]) && !k->old[i].cruft && k->old[i].promisor == promisor) {
			struct old_pack p = k->old[i];

			k->old[i] = k->old[nr];
			k->old[nr++] = p;
		}
	if (nr)
		qsort(k->old, nr, sizeof(*k->old), by_objects);
	return nr;
}

bool repack_geometric_takes_all(struct repository *r, unsigned factor)
{
	struct repack_options o = { .geometric = factor };
	struct repack k = { .r = r, .o = &o, .kept_names = STRVEC_INIT };
	bool all = true;

	odb_refresh(r->odb, ODB_OWN);
	odb_foreach_pack(r->odb, ODB_OWN, repack_note_pack, &k);
	for (int promisor = 0; promisor < 2; promisor++) {
		size_t nr = sort_packs(&k, promisor);

		all &= find_split(&k, nr) == nr;
	}
	free(k.old);
	return all;
}

/*
 * Objects in a pack that stays are left out. But an object from a promisor remote stays in a promisor
 * pack, even if another pack has it, too: otherwise the objects that it names would no longer be
 * promised.
 */
static int combine(struct repack *k, enum repack_part part, struct err *err)
{
	const bool promisor = part == REPACK_PROMISOR;
	size_t split = find_split(k, sort_packs(k, promisor));
	int rc = repack_begin_part(k, part, &k->o->pack, err);
	struct pack_objects *po = k->parts[part].po;

	for (size_t i = split; i < k->nr_old && !rc; i++)
		if (!k->old[i].cruft && (!promisor || k->old[i].promisor))
			pack_objects_exclude_pack(po, k->old[i].pack);
	for (size_t i = 0; i < split && !rc; i++) {
		k->old[i].combined = true;
		rc = pack_objects_add_pack(po, k->old[i].pack, err);
	}
	if (!rc && !promisor)
		rc = pack_collect_loose(&k->parts[part], err);
	return rc < 0 ? rc : repack_write_part(k, part, NULL, err);
}

static int make_geometric(struct repack *k, struct err *err)
{
	int rc = combine(k, REPACK_MAIN, err);

	if (!rc && k->promisor)
		rc = combine(k, REPACK_PROMISOR, err);
	for (size_t i = 0; i < k->nr_old; i++)
		k->old[i].kept |= !k->old[i].combined;
	k->nr_main = k->sums.nr;
	return rc;
}

/* ---- afterwards ---- */

/* Has a new one of those the same name, as it has the same content? */
static bool is_made_again(const struct repack *k, const char *name, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (!strncmp(name + strlen("pack-"), oid_hex(&k->sums.oid[i]), k->r->algo->hex_len))
			return true;
	return false;
}

static void list_what_goes(struct repack *k, struct strset *out)
{
	bool replaced = k->o->all || k->o->geometric;

	for (size_t i = 0; k->o->delete_redundant && replaced && i < k->nr_old; i++) {
		char *name = repack_idx_name(k->old[i].pack);

		if (repack_may_remove(&k->old[i]) && !is_made_again(k, name, k->sums.nr))
			strset_add(out, name);
		free(name);
	}
}

/* Removes the .mtimes of a cruft pack if the new pack equals it: its objects are reachable now. */
static int drop_stale_mtimes(struct repack *k, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < k->nr_old && !rc; i++) {
		const char *name = pack_file_name(k->old[i].pack);
		char *path = xstrfmt("%s/pack/%.*s.mtimes", odb_objdir(k->r->odb),
				     (int)(strlen(name) - strlen(".pack")), name);
		const struct fsync_staging s = {
			.component = FSYNC_PACK_METADATA, .order = PUBLISH_OBJECT_DELETE,
			.how = PUBLISH_UNLINK, .fd = -1, .final_path = path,
		};

		if (k->old[i].cruft && is_made_again(k, name, k->nr_main))
			rc = fsync_batch_stage(repo_operation_batch(k->op), &s, err);
		free(path);
	}
	return rc;
}

static int index_and_remove(struct repack *k, struct err *err)
{
	struct odb *odb = k->r->odb;
	struct strset gone = STRSET_INIT;
	const struct repack_midx m = { k->r, k->op, k->o, &k->layers, &gone, k->sums.nr ? &k->sums.oid[0] : NULL };
	int rc = 0;

	list_what_goes(k, &gone);
	if (k->o->midx && odb_store_has_packs(odb, 0))
		rc = repack_write_midx(&m, err);
	else if (odb_store_midx_names_any(odb, 0, &gone))
		rc = odb_store_stage_midx_clearing(odb, 0, repo_operation_batch(k->op), err);
	if (!rc)
		rc = drop_stale_mtimes(k, err);
	if (!rc && gone.map.nr) {
		rc = packs_removal_stage(k->removal, &gone, repo_operation_batch(k->op), err);
		k->removal = NULL;
	}
	if (!rc)
		rc = repo_operation_publish(k->op, err);
	odb_refresh(odb, ODB_OWN);
	strset_clear(&gone);
	return rc;
}

static int tidy(struct repack *k, struct err *err)
{
	int rc = 0;

	if (k->o->delete_redundant)
		rc = prune_packed_run(k->op, k->r, false, NULL, NULL, err);
	if (!rc && k->o->delete_redundant && k->o->unreachable != REPACK_LOOSEN && k->o->unreachable != REPACK_APPEND)
		rc = prune_shallow_missing(k->op, k->r, err);
	/* The packs are in place by now. Only clients of dumb http miss a newer list. */
	if (!rc && k->o->update_server_info)
		rc = server_info_update(k->op, k->r, false, err) ? 1 : 0;
	if (rc > 0) {
		if (k->o->warn)
			k->o->warn(k->o->data, err_message(err));
		err_release(err);
		rc = 0;
	}
	return rc;
}

/* ---- what cannot be done ---- */

static int check(const struct repack_options *o, struct err *err)
{
	if (o->geometric && o->all)
		return err_set(err, ERR_INVALID, "options '--geometric' and '-A/-a' cannot be used together");
	if (o->geometric && o->filter.nr)
		return err_set(err, ERR_INVALID, "options '--geometric' and '--filter' cannot be used together");
	if (o->filter_to && !o->filter.nr)
		return err_set(err, ERR_INVALID,
			       "option '--filter-to' can only be used along with '--filter'");
	if (o->max_pack_bytes && o->write_bitmap && o->warn && !o->midx)
		o->warn(o->data, "disabling bitmap writing, packs are split due to pack.packSizeLimit");
	return 0;
}

int repack_run(struct repo_operation *op, struct repository *r, const struct repack_options *o,
	       struct repack_result *out, struct err *err)
{
	struct repack k = { .r = r, .op = op, .o = o, .sums = OID_ARRAY_INIT, .kept_names = STRVEC_INIT };
	int rc = o->delete_redundant ? prune_is_allowed(r, "delete packs", err) : 0;

	if (!rc)
		rc = check(o, err);
	if (rc < 0)
		return rc;
	odb_refresh(r->odb, ODB_OWN);
	k.removal = odb_store_packs_removal(r->odb, 0);
	for (size_t i = 0; i < o->keep_packs.nr; i++)
		strvec_push(&k.kept_names, o->keep_packs.v[i]);
	if (o->midx == REPACK_MIDX_INCREMENTAL)
		odb_store_midx_layers(r->odb, 0, &k.layers);
	odb_foreach_pack(r->odb, ODB_OWN, repack_note_pack, &k);
	promisor_packs_foreach(r, note_promisor, &k);
	tmp_objdir_reap(odb_objdir(r->odb));
	rc = o->geometric ? make_geometric(&k, err) : repack_make_packs(&k, err);
	for (size_t i = 0; i < REPACK_NR_PARTS; i++)
		pack_collection_end(&k.parts[i]);
	if (!rc)
		rc = repo_operation_publish(op, err);
	odb_refresh(r->odb, ODB_OWN);
	if (!rc)
		rc = index_and_remove(&k, err);
	if (!rc)
		rc = tidy(&k, err);
	if (!rc && out)
		out->nr_packs = k.sums.nr;
	packs_removal_free(k.removal);
	midx_layers_release(&k.layers);
	strvec_clear(&k.kept_names);
	free(k.old);
	oid_array_clear(&k.sums);
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * See repack.h. In this order: new packs, published but not sealed; the multi-pack-index, which is made
 * of packs that are there; removals. What follows (loose objects that are packed, lists of packs) looks
 * at the packs that are left, so removals are published before, too. The operation's commit seals all of it.
 */
#include "compat/posix.h"
#include "maintain/repack.h"
#include "fs/tmp-objdir.h"
#include "maintain/loosen.h"
#include "maintain/new-pack.h"
#include "maintain/pack-collection.h"
#include "maintain/prune-packed.h"
#include "maintain/prune.h"
#include "maintain/repack-midx.h"
#include "maintain/roots.h"
#include "maintain/server-info.h"
#include "odb.h"
#include "pack/midx.h"
#include "pack/write/pack-files.h"
#include "util/alloc.h"

struct old_pack {
	struct pack *pack;
	bool kept, cruft, promisor;
};

struct repack {
	struct repository *r;
	struct repo_operation *op;
	const struct repack_options *o;
	struct old_pack *old;
	size_t nr_old, alloc_old;
	bool promisor; /* one of them is */
	struct packs_removal *removal;
	struct oid_array sums; /* of new packs, those of what is unreachable last */
	size_t nr_main;
	struct midx_layers layers; /* that stay as they are, as far as they can */
	struct strvec kept_names;  /* --keep-pack, and packs of these layers */
};

/* ---- the packs that there are ---- */

static bool is_named(const struct strvec *names, const char *name)
{
	for (size_t i = 0; i < names->nr; i++)
		if (!strcmp(names->v[i], name))
			return true;
	return false;
}

static int note_pack(void *data, struct pack *p)
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
	k->promisor |= old->promisor;
	return 0;
}

/* A kept pack stays, even if its objects are packed once more. */
static bool may_go(const struct old_pack *p)
{
	return !p->kept && !pack_has_file(p->pack, "keep");
}

/* ---- making packs ---- */

static int show_pack_progress(void *data, enum pack_phase phase, uint32_t done, uint32_t total,
			      struct err *err)
{
	const struct repack *k = data;

	(void)err;
	if (k->o->progress)
		k->o->progress(k->o->data, phase == PACK_PHASE_DELTAS ? "Compressing objects" : "Writing objects",
			       done, total);
	return 0;
}

static int begin_collection(struct repack *k, struct pack_collection *c,
			    const struct pack_objects_options *o, struct err *err)
{
	*c = (struct pack_collection){ .r = k->r, .o = *o, .warn = k->o->warn, .warn_data = k->o->data };
	c->o.order = k->o->max_pack_bytes ? PACK_ORDER_FAMILY : PACK_ORDER_TYPE;
	c->o.local = k->o->local;
	c->o.progress = show_pack_progress;
	c->o.data = k;
	return pack_collection_begin(c, err);
}

static int write_elsewhere(struct repack *k, struct pack_objects *po, const struct pack_files_options *files,
			   struct oid_array *sums, struct err *err)
{
	int rc = pack_objects_prepare(po, err);

	return rc < 0 ? rc : pack_objects_write_files(po, files, repo_operation_batch(k->op), sums, err);
}

/* elsewhere: its base name, if it is not for the repository; NULL. */
static int write_pack(struct repack *k, struct pack_collection *c, bool cruft, const char *elsewhere,
		      struct err *err)
{
	struct oid_array not_ours = OID_ARRAY_INIT;
	char *packdir = xstrfmt("%s/pack", odb_objdir(k->r->odb));
	char *base = xstrfmt("%s/pack", packdir);
	bool bitmap = k->o->write_bitmap && k->o->all && !cruft && !k->o->midx && !k->o->max_pack_bytes;
	struct pack_files_options files = {
		.base_name = elsewhere ? elsewhere : base,
		.max_bytes = cruft && k->o->max_cruft_bytes ? k->o->max_cruft_bytes : k->o->max_pack_bytes,
		.shared_perm = k->r->settings.shared_perm,
		.write_rev = true,
		.index_version = 2,
		.mtime_of = cruft ? pack_collection_mtime : NULL,
		.before_idx = bitmap ? pack_collection_write_bitmap : NULL,
		.data = c,
	};
	int rc = config_get_bool(k->r->config, "pack.writereverseindex", &files.write_rev, err);

	c->packdir = packdir;
	c->batch = repo_operation_batch(k->op);
	if (rc >= 0 && pack_objects_count(c->po))
		rc = elsewhere ? write_elsewhere(k, c->po, &files, &not_ours, err) :
				 new_pack_files_stage(c->po, k->op, odb_objdir(k->r->odb), &files, &k->sums, err);
	oid_array_clear(&not_ours);
	free(base);
	free(packdir);
	return rc < 0 ? rc : 0;
}

/* ---- what goes into them ---- */

/* What others hold of ours counts as if our refs named it. */
static int list_borrowed(struct repack *k, struct strvec *lines, struct err *err)
{
	struct roots roots = ROOTS_INIT;
	int rc = roots_collect_borrowers(&roots, k->r, err);
	const struct oid_array *lists[] = { &roots.strong, &roots.weak };

	for (size_t i = 0; !rc && i < ARRAY_SIZE(lists); i++)
		for (size_t n = 0; n < lists[i]->nr; n++)
			if (odb_has_quick(k->r->odb, &lists[i]->oid[n]))
				strvec_push(lines, oid_hex(&lists[i]->oid[n]));
	roots_release(&roots);
	return rc;
}

static int collect_reachable(struct repack *k, struct pack_collection *c, struct err *err)
{
	struct strvec lines = STRVEC_INIT;
	int rc = 0;

	c->all = c->reflog = c->indexed_objects = true;
	if (k->o->all) {
		pack_collection_exclude_kept(c, &k->kept_names, !k->o->pack_kept_objects);
		c->keep_unreachable = c->pack_loose_unreachable = k->o->unreachable == REPACK_APPEND;
		rc = list_borrowed(k, &lines, err);
	}
	if (!rc)
		rc = pack_collect_revisions(c, &lines, err);
	strvec_clear(&lines);
	return rc;
}

static int make_main(struct repack *k, struct pack_collection *c, struct err *err)
{
	struct pack_objects_options o = k->o->pack;
	int rc;

	o.incremental = !k->o->all;
	rc = begin_collection(k, c, &o, err);
	c->unpacked = !k->o->all;
	if (!rc)
		rc = collect_reachable(k, c, err);
	return rc < 0 ? rc : write_pack(k, c, false, NULL, err);
}

static int list_recent(struct repack *k, struct oidset *out, struct err *err)
{
	struct oid_array v = OID_ARRAY_INIT;
	int rc = roots_collect_recent(&v, k->r, err);

	for (size_t i = 0; i < v.nr && !rc; i++)
		(void)oidset_insert(out, &v.oid[i]);
	oid_array_clear(&v);
	return rc;
}

/*
 * What is reachable from refs of ours or of borrowers is in the main pack, which has been made. --expire-to:
 * what is left then goes, but into a pack elsewhere.
 */
static int make_cruft(struct repack *k, const struct pack_collection *reachable, struct err *err)
{
	struct strset discarded = STRSET_INIT;
	struct oidset recent = OIDSET_INIT;
	struct cruft_options o = { .discarded = &discarded, .expiry = k->o->cruft_expiry,
				   .made = { reachable->po }, .recent = &recent };
	struct pack_collection young = { .r = k->r }, old = { .r = k->r };
	int rc;

	for (size_t i = 0; i < k->nr_old; i++)
		if (may_go(&k->old[i]))
			strset_add(&discarded, pack_file_name(k->old[i].pack));
	rc = list_recent(k, &recent, err);
	if (!rc)
		rc = begin_collection(k, &young, &k->o->cruft, err);
	if (!rc)
		rc = pack_collect_cruft(&young, &o, err);
	if (!rc)
		rc = write_pack(k, &young, true, NULL, err);
	if (!rc && k->o->expire_to && o.expiry) {
		o.expiry = 0;
		o.made[1] = young.po;
		rc = begin_collection(k, &old, &k->o->cruft, err);
		if (!rc)
			rc = pack_collect_cruft(&old, &o, err);
		if (!rc)
			rc = write_pack(k, &old, true, k->o->expire_to, err);
	}
	pack_collection_end(&young);
	pack_collection_end(&old);
	strset_clear(&discarded);
	oidset_clear(&recent);
	return rc;
}

struct loosening {
	struct repack *k;
	const struct pack_collection *reachable;
};

/* In no pack that stays. */
static bool would_be_lost(void *data, const struct object_id *oid)
{
	const struct loosening *l = data;

	if (pack_objects_has(l->reachable->po, oid))
		return false;
	for (size_t i = 0; i < l->k->nr_old; i++)
		if (!may_go(&l->k->old[i]) && pack_has_object(l->k->old[i].pack, oid))
			return false;
	for (size_t i = 0; l->k->o->local && i < odb_nr_alternates(l->k->r->odb); i++)
		if (packs_has(odb_packs(l->k->r->odb, i + 1), oid))
			return false;
	return true;
}

static int loosen_unreachable(struct repack *k, const struct pack_collection *reachable, struct err *err)
{
	struct loosening l = { k, reachable };
	int rc = 0;

	for (size_t i = 0; i < k->nr_old && !rc; i++)
		if (may_go(&k->old[i]))
			rc = pack_loosen(k->op, k->r, k->old[i].pack, k->o->loosen_since, would_be_lost, &l,
					 err);
	return rc;
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

/* Those that may be combined come first, by size. Returns how many. */
static size_t sort_packs(struct repack *k)
{
	size_t nr = 0;

	for (size_t i = 0; i < k->nr_old; i++)
		if (may_go(&k->old[i]) && !k->old[i].cruft) {
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
	size_t nr;
	bool all;

	packs_reprepare(odb_packs(r->odb, 0));
	packs_foreach(odb_packs(r->odb, 0), note_pack, &k);
	nr = sort_packs(&k);
	all = find_split(&k, nr) == nr;
	free(k.old);
	return all;
}

static int make_geometric(struct repack *k, struct pack_collection *c, struct err *err)
{
	size_t split = find_split(k, sort_packs(k));
	int rc = begin_collection(k, c, &k->o->pack, err);

	for (size_t i = split; i < k->nr_old && !rc; i++) {
		k->old[i].kept = true;
		if (!k->old[i].cruft)
			pack_objects_exclude_pack(c->po, k->old[i].pack);
	}
	for (size_t i = 0; i < split && !rc; i++)
		rc = pack_objects_add_pack(c->po, k->old[i].pack, err);
	if (!rc)
		rc = pack_collect_loose(c, err);
	return rc < 0 ? rc : write_pack(k, c, false, NULL, err);
}

static int make_packs(struct repack *k, struct err *err)
{
	struct pack_collection c = { .r = k->r };
	int rc = k->o->geometric ? make_geometric(k, &c, err) : make_main(k, &c, err);

	k->nr_main = k->sums.nr;
	if (!rc && k->o->all && k->o->unreachable == REPACK_CRUFT)
		rc = make_cruft(k, &c, err);
	if (!rc && k->o->all && k->o->unreachable == REPACK_LOOSEN && k->o->delete_redundant)
		rc = loosen_unreachable(k, &c, err);
	pack_collection_end(&c);
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

		if (may_go(&k->old[i]) && !is_made_again(k, name, k->sums.nr))
			strset_add(out, name);
		free(name);
	}
}

/* What was unreachable, and is just that pack again, is reachable now. */
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
	struct packs *packs = odb_packs(k->r->odb, 0);
	struct strset gone = STRSET_INIT;
	const struct repack_midx m = { k->r, k->op, k->o, &k->layers, &gone, k->sums.nr ? &k->sums.oid[0] : NULL };
	int rc = 0;

	list_what_goes(k, &gone);
	if (k->o->midx)
		rc = repack_write_midx(&m, err);
	else if (midx_names_any(packs, &gone))
		rc = midx_stage_clearing(packs, repo_operation_batch(k->op), err);
	if (!rc)
		rc = drop_stale_mtimes(k, err);
	if (!rc && gone.map.nr) {
		rc = packs_removal_stage(k->removal, &gone, repo_operation_batch(k->op), err);
		k->removal = NULL;
	}
	if (!rc)
		rc = repo_operation_publish(k->op, err);
	packs_reprepare(packs);
	strset_clear(&gone);
	return rc;
}

static int tidy(struct repack *k, struct err *err)
{
	int rc = 0;

	if (k->o->delete_redundant)
		rc = prune_packed_run(k->op, k->r, false, NULL, NULL, err);
	if (!rc && k->o->update_server_info)
		rc = server_info_update(k->op, k->r, false, err);
	return rc;
}

/* ---- what cannot be done ---- */

static int refuse(const char *what, struct err *err)
{
	return err_set(err, ERR_UNSUPPORTED, "%s is not available yet", what);
}

static int check(const struct repack_options *o, struct err *err)
{
	if (o->geometric && o->all)
		return err_set(err, ERR_INVALID, "options '--geometric' and '-A/-a' cannot be used together");
	if (o->filter.nr || o->filter_to)
		return refuse("--filter", err);
	if (o->combine_cruft_below)
		return refuse("--combine-cruft-below-size", err);
	if (o->max_pack_bytes && o->write_bitmap && o->warn && !o->midx)
		o->warn(o->data, "disabling bitmap writing, packs are split due to pack.packSizeLimit");
	return 0;
}

int repack_run(struct repo_operation *op, struct repository *r, const struct repack_options *o,
	       struct repack_result *out, struct err *err)
{
	struct repack k = { .r = r, .op = op, .o = o, .sums = OID_ARRAY_INIT, .kept_names = STRVEC_INIT };
	struct packs *packs = odb_packs(r->odb, 0);
	int rc = o->delete_redundant ? prune_is_allowed(r, "delete packs", err) : 0;

	if (!rc)
		rc = check(o, err);
	if (rc < 0)
		return rc;
	packs_reprepare(packs);
	k.removal = packs_removal_new(packs);
	for (size_t i = 0; i < o->keep_packs.nr; i++)
		strvec_push(&k.kept_names, o->keep_packs.v[i]);
	if (o->midx == REPACK_MIDX_INCREMENTAL)
		midx_layers_read(&k.layers, packs);
	packs_foreach(packs, note_pack, &k);
	if (k.promisor)
		rc = refuse("repacking a partial clone", err);
	tmp_objdir_reap(odb_objdir(r->odb));
	if (!rc)
		rc = make_packs(&k, err);
	if (!rc)
		rc = repo_operation_publish(op, err);
	packs_reprepare(packs);
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

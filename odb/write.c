/* SPDX-License-Identifier: GPL-2.0-only */
/* New objects: the batch that is open, and objects that are there already. */
#include "compat/posix.h"
#include "odb/odb-internal.h"
#include "odb/stage/object-stage.h"
#include "util/trace2.h"

/* ---- objects that are there already ---- */

void odb_note_used(struct odb *odb, struct oid_array *used)
{
	odb->used = used;
}

static bool freshen_in_rank(struct odb *odb, enum odb_rank rank, const struct object_id *oid, bool dry_run)
{
	FOR_EACH_STORE(odb, st) {
		struct odb_source *s = st->sources[rank];
		struct object_adopter *adopter = st == odb->stores.first ? odb->adopter : NULL;

		if (s && s->ops->freshen(s, oid, adopter, dry_run))
			return true;
	}
	return false;
}

static bool freshen_any(struct odb *odb, const struct object_id *oid, bool dry_run)
{
	return freshen_in_rank(odb, ODB_RANK_INDEXED, oid, dry_run) ||
	       freshen_in_rank(odb, ODB_RANK_FILES, oid, dry_run);
}

static bool note_used(struct odb *odb, const struct object_id *oid)
{
	if (!freshen_any(odb, oid, true))
		return false;
	pthread_mutex_lock(&odb->told_lock);
	oid_array_append(odb->used, oid);
	pthread_mutex_unlock(&odb->told_lock);
	return true;
}

/*
 * For the batch: an object that is there need not be written, but it is touched, so
 * that a prune that goes by age does not take it away under us. One that cannot
 * be touched is written again, and so is a young one that is damaged, or one that only cruft packs have.
 */
bool odb_freshen(struct odb *odb, const struct object_id *oid)
{
	return odb->used ? note_used(odb, oid) : freshen_any(odb, oid, false);
}

static bool exists_for_batch(void *data, const struct object_id *oid)
{
	return odb_freshen(data, oid);
}

/* ---- the batch ---- */

#define MANY_OBJECTS 100
#define MANY_OBJECTS_TO_FLUSH 8

/*
 * Each pack costs every command that looks for objects. So the more there are, the bigger a new
 * one has to be: twice for every so many.
 */
#define PACKS_PER_DOUBLING 8
#define DOUBLINGS_MAX 6

static size_t count_own_packs(struct odb *odb)
{
	struct packs *packs = odb_store_packs(odb->stores.first);

	return packs ? packs_count(packs) : 0;
}

static unsigned unpack_limit(struct odb *odb, struct fsync_batch *b)
{
	unsigned limit = fsync_batch_flushes_each(b, FSYNC_LOOSE_OBJECT, odb->objdir) ?
				 MANY_OBJECTS_TO_FLUSH : MANY_OBJECTS;
	size_t doublings;

	if (odb->o.unpack_limit != UNPACK_LIMIT_AUTO)
		return odb->o.unpack_limit;
	doublings = count_own_packs(odb) / PACKS_PER_DOUBLING;
	return limit << (doublings < DOUBLINGS_MAX ? doublings : DOUBLINGS_MAX);
}

/* The source of our own store that takes new objects; NULL: none does. */
static struct odb_source *writable_source(const struct odb *odb)
{
	for (int rank = 0; rank < ODB_NR_RANKS; rank++) {
		struct odb_source *s = odb->stores.first->sources[rank];

		if (s && s->ops->begin_batch)
			return s;
	}
	return NULL;
}

int odb_begin_batch(struct odb *odb, struct fsync_batch *b, struct err *err)
{
	struct odb_source *s = writable_source(odb);
	struct object_stage_options o = {
		.objdir = odb->objdir,
		.algo = odb->o.algo,
		.batch = b,
		.shared_perm = odb->o.shared_perm,
		.loose_level = odb->o.loose_level,
		.pack_level = odb->o.pack_level,
		.unpack_limit = unpack_limit(odb, b),
		.pack_size_limit = odb->o.pack_size_limit,
		.big_file_threshold = odb->o.big_file_threshold,
		.exists = exists_for_batch,
		.exists_data = odb,
	};

	if (odb->batch)
		return err_set(err, ERR_INVALID, "a batch of new objects is open already");
	if (!s)
		return err_set(err, ERR_UNSUPPORTED, "no objects can be written to '%s'", odb->objdir);
	return s->ops->begin_batch(s, &o, &odb->batch, err);
}

struct bulk_checkin *odb_batch(struct odb *odb)
{
	struct odb_source *b = odb->batch;

	return b && b->ops->checkin ? b->ops->checkin(b) : NULL;
}

static struct odb_source *need_batch(struct odb *odb)
{
	if (!odb->batch)
		BUG("objects are written without odb_begin_batch");
	return odb->batch;
}

int odb_stage_batch(struct odb *odb, struct err *err)
{
	struct odb_source *b = need_batch(odb);
	int rc;

	trace2_region_enter("objects", "stage");
	rc = b->ops->stage_batch(b, err);
	trace2_region_leave("objects", "stage");
	return rc;
}

static void end_batch(struct odb *odb, bool publish)
{
	struct odb_source *b = odb->batch;
	unsigned what;

	if (!b)
		return;
	odb->batch = NULL;
	what = b->ops->end_batch(b, publish);
	for (int rank = 0; what && rank < ODB_NR_RANKS; rank++) {
		struct odb_source *s = odb->stores.first->sources[rank];

		if (s && s->ops->objects_added)
			s->ops->objects_added(s, what);
	}
}

void odb_end_batch(struct odb *odb)
{
	end_batch(odb, true);
}

void odb_abort_batch(struct odb *odb)
{
	end_batch(odb, false);
}

int odb_write(struct odb *odb, enum object_type type, const void *data, size_t size,
	      struct object_id *oid, struct err *err)
{
	struct odb_source *b = need_batch(odb);

	return b->ops->write(b, type, data, size, oid, err);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* Young objects of others that an operation comes to rest on: the way from one to the next. */
#include "compat/posix.h"
#include <pthread.h>
#include "odb/adopter.h"
#include "odb/odb-internal.h"
#include "util/workers.h"

void odb_begin_adoption(struct odb *odb, struct fsync_batch *b)
{
	if (odb->adopter)
		BUG("a second adoption of objects is begun");
	if (fsync_batch_seals(b, FSYNC_LOOSE_OBJECT))
		odb->adopter = object_adopter_new(odb->objdir, odb->o.algo, b);
}

void odb_end_adoption(struct odb *odb)
{
	object_adopter_free(odb->adopter);
	odb->adopter = NULL;
}

void odb_depend_on(struct odb *odb, const struct object_id *oid)
{
	if (odb->adopter)
		object_adopter_push(odb->adopter, oid);
}

struct new_links {
	struct odb *odb;
	struct err *err;
};

static int push_new_links(void *data, const struct object_id *oid)
{
	struct new_links *n = data;
	struct odb_source *batch = n->odb->batch;
	struct object_buf content = OBJECT_BUF_INIT;
	struct object_info info;
	int rc;

	if (!object_adopter_meets(n->odb->adopter, oid))
		return 0;
	rc = batch->ops->info(batch, oid, OBJECT_INFO_TYPE, &info, n->err);
	if (rc < 0 || info.type == OBJ_BLOB)
		return rc;
	rc = batch->ops->read(batch, oid, 0, &content, n->err);
	if (!rc)
		object_adopter_push_links(n->odb->adopter, &content);
	object_buf_release(&content);
	return rc;
}

static bool is_new_or_packed(struct odb *odb, const struct object_id *oid)
{
	return (odb->batch && odb->batch->ops->has(odb->batch, oid, true)) || odb_has_indexed(odb, oid);
}

bool odb_can_rest_on(struct odb *odb, const struct object_id *oid)
{
	return odb_has(odb, oid) && (!odb->adopter || is_new_or_packed(odb, oid) ||
				     object_adopt(odb->adopter, oid, NULL) >= 0);
}

/* Beyond so many it is worth while to look first whether there is anything young at all. */
#define FEW_OBJECTS 32

/* Some that were asked for, perhaps in several threads. */
struct round {
	struct odb *odb;
	struct oid_array oids;
	pthread_mutex_t lock;
	int rc;
	struct err err; /* the first one's */
};

static void adopt_some(void *data, size_t begin, size_t end)
{
	struct round *r = data;

	for (size_t i = begin; i < end; i++) {
		struct err why = ERR_INIT;
		int rc = is_new_or_packed(r->odb, &r->oids.oid[i]) ? 0 :
			 object_adopt(r->odb->adopter, &r->oids.oid[i], &why);

		if (rc < 0) {
			pthread_mutex_lock(&r->lock);
			if (!r->rc)
				err_move(&r->err, &why);
			r->rc = rc;
			pthread_mutex_unlock(&r->lock);
		}
		err_release(&why);
	}
}

/* Round after round: what the last ones lead to. */
static int adopt_pending(struct odb *odb, struct err *err)
{
	struct round r = { .odb = odb, .lock = PTHREAD_MUTEX_INITIALIZER };

	while (!r.rc && object_adopter_take(odb->adopter, &r.oids)) {
		if (r.oids.nr > FEW_OBJECTS)
			workers_parallel_for(r.oids.nr, FEW_OBJECTS, 0, adopt_some, &r);
		else
			adopt_some(&r, 0, r.oids.nr);
		oid_array_clear(&r.oids);
	}
	if (r.rc)
		err_move(err, &r.err);
	err_release(&r.err);
	return r.rc;
}

static size_t count_new(const struct odb *odb)
{
	return odb->batch && odb->batch->ops->count ? odb->batch->ops->count(odb->batch) : 0;
}

int odb_adopt(struct odb *odb, struct err *err)
{
	struct object_adopter *a = odb->adopter;
	struct new_links n = { odb, err };
	size_t nr;
	int rc = 0;

	if (!a)
		return 0;
	nr = object_adopter_pending(a) + count_new(odb);
	if (nr > FEW_OBJECTS && !object_adopter_sees_young(a))
		return 0;
	if (odb->batch)
		rc = odb->batch->ops->foreach(odb->batch, push_new_links, &n, err);
	return rc < 0 ? rc : adopt_pending(odb, err);
}

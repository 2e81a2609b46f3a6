/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Loose objects of one object directory. After a few questions about one fan-out directory its names
 * are listed, and the answer "no" comes from that list, which may be stale. The answer "yes" is always
 * looked at, since an empty file is no object.
 */
#include "compat/posix.h"
#include <pthread.h>
#include "object-file.h"
#include "odb/adopter.h"
#include "odb/source.h"
#include "util/alloc.h"

/* So many questions about one fan-out directory are answered by a stat each. */
#define ASK_SINGLY 4
#define FANOUTS 256

/* Names in one fan-out directory, read when single questions get dearer. */
struct loose_fanout {
	unsigned asked;
	bool loaded;
	struct oid_array oids; /* sorted */
};

struct loose_source {
	struct odb_source base;
	const char *objdir;
	pthread_mutex_t lock; /* for fanouts */
	struct loose_fanout *fanouts; /* 256, from the first question on */
};

/* ---- lists ---- */

/* The caller holds the lock. */
static struct loose_fanout *fanout_of(struct loose_source *s, unsigned fanout)
{
	if (!s->fanouts)
		CALLOC_ARRAY(s->fanouts, FANOUTS);
	return &s->fanouts[fanout];
}

static int load_fanout(struct loose_source *s, unsigned fanout, struct err *err)
{
	struct loose_fanout *f = fanout_of(s, fanout);
	int rc;

	if (f->loaded)
		return 0;
	rc = loose_object_list(s->objdir, s->base.algo, fanout, &f->oids, err);
	if (rc < 0) {
		oid_array_clear(&f->oids);
		return rc;
	}
	oid_array_sort(&f->oids);
	f->loaded = true;
	return 0;
}

/* The list answers only "no" by itself: a listed file may be empty, or have gone. */
static bool has_by_list(struct loose_source *s, const struct object_id *oid)
{
	struct loose_fanout *f;
	bool known, there = false;

	pthread_mutex_lock(&s->lock);
	f = fanout_of(s, oid->hash[0]);
	known = f->loaded || (++f->asked > ASK_SINGLY && !load_fanout(s, oid->hash[0], NULL));
	if (known)
		there = oid_array_contains(&f->oids, oid);
	pthread_mutex_unlock(&s->lock);
	return (!known || there) && loose_object_exists(s->objdir, oid);
}

/* Append all in one fan-out directory; from the list. */
static int list_fanout(struct loose_source *s, unsigned fanout, struct oid_array *out, struct err *err)
{
	struct loose_fanout *f;
	int rc;

	pthread_mutex_lock(&s->lock);
	f = fanout_of(s, fanout);
	rc = load_fanout(s, fanout, err);
	for (size_t i = 0; !rc && i < f->oids.nr; i++)
		oid_array_append(out, &f->oids.oid[i]);
	pthread_mutex_unlock(&s->lock);
	return rc;
}

static void forget_lists(struct loose_source *s)
{
	pthread_mutex_lock(&s->lock);
	for (size_t i = 0; s->fanouts && i < FANOUTS; i++) {
		oid_array_clear(&s->fanouts[i].oids);
		s->fanouts[i].loaded = false;
	}
	pthread_mutex_unlock(&s->lock);
}

/* ---- one object ---- */

static const char *objdir_of(const struct odb_source *s)
{
	return ((const struct loose_source *)s)->objdir;
}

static int loose_read(struct odb_source *s, const struct object_id *oid, uint64_t max, struct object_buf *out,
		      struct err *err)
{
	return loose_object_read(objdir_of(s), oid, s->algo, max, out, err);
}

static int loose_info(struct odb_source *s, const struct object_id *oid, unsigned want UNUSED,
		      struct object_info *out, struct err *err)
{
	int rc = loose_object_info(objdir_of(s), oid, out, err);

	if (!rc)
		out->delta_base = s->algo->null_oid;
	return rc;
}

static bool loose_has(struct odb_source *s, const struct object_id *oid, bool quick)
{
	return quick ? has_by_list((struct loose_source *)s, oid) : loose_object_exists(objdir_of(s), oid);
}

static int loose_stream(struct odb_source *s, const struct object_id *oid, odb_sink_fn sink, void *data,
			bool *any, struct err *err)
{
	return loose_object_stream(objdir_of(s), oid, s->algo, sink, data, any, err);
}

static bool loose_freshen(struct odb_source *s, const struct object_id *oid, struct object_adopter *adopter,
			  bool dry_run)
{
	int adopted;

	if (!has_by_list((struct loose_source *)s, oid))
		return false;
	if (dry_run)
		return loose_object_can_be_touched(objdir_of(s), oid);
	adopted = adopter ? object_adopt(adopter, oid, NULL) : 0;
	return adopted >= 0 && loose_object_touch(objdir_of(s), oid, adopter && !adopted);
}

/* ---- all objects ---- */

struct passing {
	odb_oid_fn fn;
	void *data;
};

static int pass_name(void *data, const struct object_id *oid, const char *path UNUSED)
{
	const struct passing *p = data;

	return p->fn(p->data, oid);
}

static int loose_foreach(struct odb_source *s, odb_oid_fn fn, void *data, struct err *err)
{
	struct passing p = { fn, data };

	return loose_object_foreach(objdir_of(s), s->algo, pass_name, NULL, &p, err);
}

static int loose_prefix_lookup(struct odb_source *s, const char *hex, size_t len, struct oid_array *out,
			       struct err *err)
{
	unsigned fanout = (unsigned)(hex_value((unsigned char)hex[0]) << 4 | hex_value((unsigned char)hex[1]));
	struct oid_array all = OID_ARRAY_INIT;
	int rc = list_fanout((struct loose_source *)s, fanout, &all, err);

	for (size_t i = 0; i < all.nr; i++)
		if (oid_has_hex_prefix(&all.oid[i], hex, len))
			oid_array_append(out, &all.oid[i]);
	oid_array_clear(&all);
	return rc;
}

static size_t loose_unique_prefix_len(struct odb_source *s, const struct object_id *oid)
{
	struct oid_array all = OID_ARRAY_INIT;
	size_t need = 0;

	if (!list_fanout((struct loose_source *)s, oid->hash[0], &all, NULL))
		for (size_t i = 0; i < all.nr; i++) {
			size_t digits = oid_digits_apart(&all.oid[i], oid);

			need = digits > need ? digits : need;
		}
	oid_array_clear(&all);
	return need;
}

static void loose_objects_added(struct odb_source *s, unsigned what UNUSED)
{
	forget_lists((struct loose_source *)s);
}

static int loose_begin_batch(struct odb_source *s UNUSED, const struct object_stage_options *o,
			     struct odb_source **batch, struct err *err UNUSED)
{
	*batch = odb_source_batch_new(o);
	return 0;
}

static void loose_free(struct odb_source *base)
{
	struct loose_source *s = (struct loose_source *)base;

	forget_lists(s);
	free(s->fanouts);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

static const struct odb_source_ops loose_ops = {
	.name = "loose",
	.rank = ODB_RANK_FILES,
	.free = loose_free,
	.read = loose_read,
	.info = loose_info,
	.has = loose_has,
	.stream = loose_stream,
	.freshen = loose_freshen,
	.foreach = loose_foreach,
	.prefix_lookup = loose_prefix_lookup,
	.unique_prefix_len = loose_unique_prefix_len,
	.objects_added = loose_objects_added,
	.begin_batch = loose_begin_batch,
};

struct odb_source *odb_source_loose_new(const char *objdir, const struct hash_algo *algo)
{
	struct loose_source *s = xcalloc(1, sizeof(*s));

	s->base = (struct odb_source){ &loose_ops, algo };
	s->objdir = objdir;
	pthread_mutex_init(&s->lock, NULL);
	return &s->base;
}

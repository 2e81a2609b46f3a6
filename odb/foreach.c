/* SPDX-License-Identifier: GPL-2.0-only */
/* Every object of all sources. */
#include "compat/posix.h"
#include "odb/odb-internal.h"

int odb_foreach(struct odb *odb, unsigned flags,
		int (*fn)(void *data, const struct object_id *oid),
		void *data, struct err *err)
{
	int rc = 0;

	if (odb->batch)
		rc = odb->batch->ops->foreach(odb->batch, fn, data, err);
	FOR_EACH_STORE(odb, st) {
		for (int rank = ODB_NR_RANKS - 1; rc >= 0 && rank >= 0; rank--)
			if (st->sources[rank])
				rc = st->sources[rank]->ops->foreach(st->sources[rank], fn, data, err);
		if (flags & ODB_FOREACH_LOCAL)
			break;
	}
	return rc < 0 ? rc : 0;
}

/* ---- each once ---- */

struct once {
	struct oidset seen;
	unsigned want;
	odb_info_fn fn;
	void *data;
};

static int show_unknown(void *data, const struct object_id *oid)
{
	struct once *o = data;

	return oidset_insert(&o->seen, oid) ? o->fn(o->data, oid, NULL) : 0;
}

static int show_source(struct once *o, struct odb_source *s, bool more, struct err *err)
{
	if (s->ops->foreach_new)
		return s->ops->foreach_new(s, o->want, &o->seen, more, o->fn, o->data);
	return s->ops->foreach(s, show_unknown, o, err);
}

int odb_foreach_once(struct odb *odb, unsigned want,
		     int (*fn)(void *data, const struct object_id *oid,
			       const struct object_info *info),
		     void *data, struct err *err)
{
	struct once o = { OIDSET_INIT, want, fn, data };
	int rc = odb->batch ? show_source(&o, odb->batch, true, err) : 0;

	FOR_EACH_STORE(odb, st)
		for (int rank = ODB_NR_RANKS - 1; rc >= 0 && rank >= 0; rank--)
			if (st->sources[rank])
				rc = show_source(&o, st->sources[rank], rank || next_store(st), err);
	oidset_clear(&o.seen);
	return rc < 0 ? rc : 0;
}

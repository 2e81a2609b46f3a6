/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Looking for an object in all sources, in the order that source.h gives. A copy that is
 * corrupt is remembered and passed over.
 */
#include "compat/posix.h"
#include "odb/odb-internal.h"
#include "util/alloc.h"

/* Applies replacements: points *oid at the object to read, which may be in buf. */
static int replace(const struct odb *odb, const struct object_id **oid, struct object_id *buf,
		   struct err *err)
{
	int rc = odb->replace ? odb->replace(odb->replace_data, *oid, buf, err) : 0;

	if (rc > 0)
		*oid = buf;
	return rc < 0 ? rc : 0;
}

/* ---- looking for copies ---- */

/* One look for an object: the question, and the errors so far. */
struct look {
	struct odb *odb;
	const struct object_id *oid;
	/* Asks one source. ERR_NOT_FOUND: go on; 0: done. */
	int (*ask)(struct look *l, struct odb_source *s, struct err *err);
	void *out;
	uint64_t max;  /* odb_source_ops.read */
	unsigned want; /* odb_source_ops.info */
	int rc;	    /* of the copy that ended it */
	bool final; /* the result stands, good or bad: no other copy */
	int rc_first;
	struct err first; /* of the first bad copy */
	bool local; /* no remote is asked */
};

/* Does this end the search? Then l->rc is the result. */
static bool take_answer(struct look *l, int this_rc, struct err *this_err)
{
	if (this_rc == ERR_NOT_FOUND && !l->final) {
		err_release(this_err);
		return false;
	}
	if (!this_rc || l->final) {
		l->rc = this_rc;
		if (this_rc < 0 && !l->rc_first) {
			l->rc_first = this_rc;
			err_move(&l->first, this_err);
		}
		err_release(this_err);
		return true;
	}
	if (!l->rc_first)
		l->rc_first = this_rc;
	err_move(&l->first, this_err);
	err_release(this_err);
	return false;
}

static bool try_rank(struct look *l, enum odb_rank rank)
{
	FOR_EACH_STORE(l->odb, st) {
		struct odb_source *s = st->sources[rank];
		struct err err = ERR_INIT;

		if (s && take_answer(l, l->ask(l, s, &err), &err))
			return true;
	}
	return false;
}

static bool try_batch(struct look *l)
{
	struct err err = ERR_INIT;

	return l->odb->batch && take_answer(l, l->ask(l, l->odb->batch, &err), &err);
}

/* Repacks that come one after the other, each before the packs of the last one have been opened. */
#define LOOKS_MAX 20

/*
 * A repack may have moved an object between the first looks for it: look again, as long as packs change.
 * changed: what has been packed may be loose again.
 */
static bool look_again(struct odb *odb, bool (*find)(void *data, bool changed), void *data)
{
	bool changed = true;

	for (int i = 0; i < LOOKS_MAX && changed; i++) {
		changed = odb_refresh(odb, ODB_ALL);
		if (find(data, changed))
			return true;
	}
	return false;
}

/* A bad copy was passed over: once is enough. */
static void report_damage(struct odb *odb, const char *msg)
{
	bool is_new;

	if (!odb->o.warn)
		return;
	pthread_mutex_lock(&odb->told_lock);
	is_new = strset_add(&odb->told, msg);
	pthread_mutex_unlock(&odb->told_lock);
	if (is_new)
		odb->o.warn(odb->o.warn_data, msg);
}

static bool try_again(void *data, bool changed)
{
	struct look *l = data;

	return try_rank(l, ODB_RANK_INDEXED) || (changed && try_rank(l, ODB_RANK_FILES));
}

/* The empty tree is there even where it is not. */
static bool is_empty_tree(const struct odb *odb, const struct object_id *oid)
{
	return oid_eq(oid, &odb->o.algo->empty_tree);
}

/* This repository has no copy, not even a damaged one: ask the promisor remotes. */
static bool try_to_fetch(struct look *l)
{
	struct oid_array one = OID_ARRAY_INIT;
	struct odb *odb = l->odb;

	if (l->local || !odb->fetch || !odb->fetch_on_read || l->rc_first || is_empty_tree(odb, l->oid))
		return false;
	oid_array_append(&one, l->oid);
	l->rc_first = odb->fetch(odb->fetch_data, &one, &l->first);
	oid_array_clear(&one);
	return !l->rc_first && look_again(odb, try_again, l);
}

static int look_everywhere(struct look *l, struct err *err)
{
	int rc;

	if (!try_batch(l) && !try_rank(l, ODB_RANK_INDEXED) && !try_rank(l, ODB_RANK_FILES) &&
	    !look_again(l->odb, try_again, l) && !try_to_fetch(l))
		l->rc = l->rc_first ? l->rc_first : ERR_NOT_FOUND;
	rc = l->rc;
	if (!rc && l->rc_first)
		report_damage(l->odb, err_message(&l->first));
	if (rc < 0 && l->rc_first)
		err_move(err, &l->first);
	else if (rc < 0)
		err_set(err, rc, "object %s not found", oid_hex(l->oid));
	err_release(&l->first);
	return rc;
}

/* ---- reading ---- */

static int ask_to_read(struct look *l, struct odb_source *s, struct err *err)
{
	int rc = s->ops->read(s, l->oid, l->max, l->out, err);

	l->final |= l->max && rc == ERR_TOO_BIG;
	return rc;
}

static int read_any(struct odb *odb, const struct object_id *oid, bool local, struct object_buf *out,
		    struct err *err)
{
	struct look l = { .odb = odb, .oid = oid, .out = out, .local = local, .ask = ask_to_read };
	struct err why = ERR_INIT;
	int rc = look_everywhere(&l, &why);

	if (rc == ERR_NOT_FOUND && is_empty_tree(odb, oid)) {
		*out = (struct object_buf){ OBJ_TREE, xmemdupz("", 0), 0 };
		rc = 0;
	}
	if (rc < 0)
		err_move(err, &why);
	err_release(&why);
	return rc;
}

int odb_read(struct odb *odb, const struct object_id *oid, struct object_buf *out,
	     struct err *err)
{
	struct object_id buf;
	int rc = replace(odb, &oid, &buf, err);

	return rc < 0 ? rc : read_any(odb, oid, false, out, err);
}

/* buf becomes *out, if it is of that type. */
static int expect_type(struct object_buf *buf, const struct object_id *oid, enum object_type want, struct object_buf *out,
		       struct err *err)
{
	int rc;

	if (want != OBJ_ANY && buf->type != want) {
		rc = err_set(err, ERR_INVALID, "object %s is a %s, not a %s", oid_hex(oid),
			     object_type_name(buf->type), object_type_name(want));
		object_buf_release(buf);
		return rc;
	}
	*out = *buf;
	return 0;
}

int odb_read_type(struct odb *odb, const struct object_id *oid, enum object_type want,
		  struct object_buf *out, struct err *err)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	int rc = odb_read(odb, oid, &buf, err);

	return rc < 0 ? rc : expect_type(&buf, oid, want, out, err);
}

int odb_read_limited(struct odb *odb, const struct object_id *oid, enum object_type want, uint64_t max,
		     struct object_buf *out, struct err *err)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	struct look l = { .odb = odb, .out = &buf, .max = max ? max : 1, .ask = ask_to_read };
	struct object_id other;
	int rc = replace(odb, &oid, &other, err);

	l.oid = oid;
	if (!rc)
		rc = look_everywhere(&l, err);
	return rc < 0 ? rc : expect_type(&buf, oid, want, out, err);
}

int odb_read_peeled(struct odb *odb, const struct object_id *oid, enum object_type want,
		    struct object_buf *out, struct object_id *actual, struct err *err)
{
	struct object_id at;
	int rc = object_peel(&odb->source, oid, want, &at, NULL, err);

	if (rc < 0)
		return rc;
	rc = odb_read_type(odb, &at, want, out, err);
	if (!rc && actual)
		*actual = at;
	return rc;
}

/* ---- type and size ---- */

static int ask_for_info(struct look *l, struct odb_source *s, struct err *err)
{
	return s->ops->info(s, l->oid, l->want, l->out, err);
}

static int info_of_any(struct odb *odb, const struct object_id *oid, unsigned want, struct object_info *out,
		       struct err *err)
{
	struct look l = { .odb = odb, .oid = oid, .out = out, .want = want, .ask = ask_for_info };
	struct err why = ERR_INIT;
	int rc = look_everywhere(&l, &why);

	if (rc == ERR_NOT_FOUND && is_empty_tree(odb, oid)) {
		*out = (struct object_info){ .type = OBJ_TREE, .delta_base = odb->o.algo->null_oid };
		rc = 0;
	}
	if (rc < 0)
		err_move(err, &why);
	err_release(&why);
	return rc;
}

int odb_info_unreplaced(struct odb *odb, const struct object_id *oid, struct object_info *out,
			struct err *err)
{
	return info_of_any(odb, oid, OBJECT_INFO_LOCATION, out, err);
}

int odb_info(struct odb *odb, const struct object_id *oid, struct object_info *out,
	     struct err *err)
{
	struct object_id buf;
	int rc = replace(odb, &oid, &buf, err);

	return rc < 0 ? rc : odb_info_unreplaced(odb, oid, out, err);
}

static int type_of_any(struct odb *odb, const struct object_id *oid, enum object_type *type,
		       uint64_t *size, struct err *err)
{
	struct object_info info;
	int rc = info_of_any(odb, oid, OBJECT_INFO_TYPE, &info, err);

	if (!rc) {
		*type = info.type;
		*size = info.size;
	}
	return rc;
}

int odb_type(struct odb *odb, const struct object_id *oid, enum object_type *type,
	     uint64_t *size, struct err *err)
{
	struct object_id buf;
	int rc = replace(odb, &oid, &buf, err);

	return rc < 0 ? rc : type_of_any(odb, oid, type, size, err);
}

/* ---- existence ---- */

static bool has_in_rank(struct odb *odb, enum odb_rank rank, const struct object_id *oid, bool quick)
{
	FOR_EACH_STORE(odb, st) {
		struct odb_source *s = st->sources[rank];

		if (s && s->ops->has(s, oid, quick))
			return true;
	}
	return false;
}

bool odb_has_indexed(struct odb *odb, const struct object_id *oid)
{
	return has_in_rank(odb, ODB_RANK_INDEXED, oid, true);
}

bool odb_has_quick(struct odb *odb, const struct object_id *oid)
{
	return (odb->batch && odb->batch->ops->has(odb->batch, oid, true)) || odb_has_indexed(odb, oid) ||
	       has_in_rank(odb, ODB_RANK_FILES, oid, true) || is_empty_tree(odb, oid);
}

struct question {
	struct odb *odb;
	const struct object_id *oid;
};

static bool has_now(void *data, bool changed)
{
	const struct question *q = data;

	return odb_has_indexed(q->odb, q->oid) ||
	       (changed && has_in_rank(q->odb, ODB_RANK_FILES, q->oid, false));
}

bool odb_has(struct odb *odb, const struct object_id *oid)
{
	struct question q = { odb, oid };

	return odb_has_quick(odb, oid) || has_in_rank(odb, ODB_RANK_FILES, oid, false) ||
	       look_again(odb, has_now, &q);
}

int odb_prefetch(struct odb *odb, struct oid_array *oids, struct err *err)
{
	struct oid_array missing = OID_ARRAY_INIT;
	int rc = 0;

	if (!odb->fetch)
		return 0;
	oid_array_sort_unique(oids);
	for (size_t i = 0; i < oids->nr; i++)
		if (!odb_has_quick(odb, &oids->oid[i]))
			oid_array_append(&missing, &oids->oid[i]);
	if (missing.nr)
		rc = odb->fetch(odb->fetch_data, &missing, err);
	if (!rc && missing.nr)
		odb_refresh(odb, ODB_ALL);
	oid_array_clear(&missing);
	return rc;
}

/* ---- streaming ---- */

struct stream {
	odb_sink_fn sink;
	void *data;
};

static int ask_to_stream(struct look *l, struct odb_source *s, struct err *err)
{
	struct stream *st = l->out;
	bool any = false;
	int rc = s->ops->stream(s, l->oid, st->sink, st->data, &any, err);

	l->final = any;
	return rc;
}

int odb_stream_unreplaced(struct odb *odb, const struct object_id *oid,
			  int (*sink)(void *data, const void *p, size_t len, struct err *err),
			  void *data, struct err *err)
{
	struct stream st = { .sink = sink, .data = data };
	struct look l = { .odb = odb, .oid = oid, .out = &st, .ask = ask_to_stream };

	return look_everywhere(&l, err);
}

int odb_stream(struct odb *odb, const struct object_id *oid,
	       int (*sink)(void *data, const void *p, size_t len, struct err *err),
	       void *data, struct err *err)
{
	struct object_id buf;
	int rc = replace(odb, &oid, &buf, err);

	return rc < 0 ? rc : odb_stream_unreplaced(odb, oid, sink, data, err);
}

/* ---- as an object_source ---- */

static int source_read(void *odb, const struct object_id *oid, struct object_buf *out,
		       struct err *err)
{
	return odb_read(odb, oid, out, err);
}

static int source_read_unreplaced(void *odb, const struct object_id *oid,
				  struct object_buf *out, struct err *err)
{
	return read_any(odb, oid, false, out, err);
}

static int source_read_local(void *odb, const struct object_id *oid, struct object_buf *out, struct err *err)
{
	return read_any(odb, oid, true, out, err);
}

static int source_info(void *odb, const struct object_id *oid, struct object_info *out,
		       struct err *err)
{
	/* The delta base would cost a search, and no caller asks for it here. */
	*out = (struct object_info){ .delta_base = ((struct odb *)odb)->o.algo->null_oid };
	return odb_type(odb, oid, &out->type, &out->size, err);
}

static int source_info_unreplaced(void *odb, const struct object_id *oid,
				  struct object_info *out, struct err *err)
{
	*out = (struct object_info){ .delta_base = ((struct odb *)odb)->o.algo->null_oid };
	return type_of_any(odb, oid, &out->type, &out->size, err);
}

static bool source_has(void *odb, const struct object_id *oid)
{
	return odb_has(odb, oid);
}

void odb_make_object_sources(struct odb *odb)
{
	const struct hash_algo *algo = odb->o.algo;
	int depth = odb->o.max_tree_depth;

	odb->source = (struct object_source){ source_read, source_info, source_has, odb, algo, depth,
					      peel_memo_new() };
	odb->unreplaced = (struct object_source){ source_read_unreplaced, source_info_unreplaced, source_has,
						  odb, algo, depth, peel_memo_new() };
	odb->local = odb->unreplaced;
	odb->local.read = source_read_local;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where an object is looked for, in this order: the open batch; the packs of
 * every store (an answer from memory); loose files of every store (a system
 * call each); and, after a miss, packs that have come meanwhile. A copy that is
 * corrupt is remembered and passed over.
 */
#include "compat/posix.h"
#include "odb/adopter.h"
#include "object-file.h"
#include "odb/odb-internal.h"
#include "util/alloc.h"
#include "util/trace2.h"

static int read_any(struct odb *odb, const struct object_id *oid, bool local, struct object_buf *out,
		    struct err *err);
static int type_of_any(struct odb *odb, const struct object_id *oid, enum object_type *type,
		       uint64_t *size, struct err *err);
static bool has_changed(struct odb *odb);

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
	/* Where it lies costs more, and nobody asks for it through this. */
	*out = (struct object_info){ .delta_base = odb_algo(odb)->null_oid };
	return odb_type(odb, oid, &out->type, &out->size, err);
}

static int source_info_unreplaced(void *odb, const struct object_id *oid,
				  struct object_info *out, struct err *err)
{
	*out = (struct object_info){ .delta_base = odb_algo(odb)->null_oid };
	return type_of_any(odb, oid, &out->type, &out->size, err);
}

static bool source_has(void *odb, const struct object_id *oid)
{
	return odb_has(odb, oid);
}

int odb_open(struct odb **out, const struct odb_options *opts, struct err *err)
{
	struct odb *odb;
	struct packs_options po;

	if (!opts->objdir || !*opts->objdir)
		return err_set(err, ERR_INVALID, "no object directory");
	odb = xcalloc(1, sizeof(*odb));
	odb->o = *opts;
	odb->objdir = xstrdup(opts->objdir);
	odb->o.objdir = odb->objdir;
	pthread_mutex_init(&odb->told_lock, NULL);
	odb->source = (struct object_source){ source_read, source_info, source_has,
					      odb, opts->algo, opts->max_tree_depth, peel_memo_new() };
	odb->unreplaced = (struct object_source){ source_read_unreplaced, source_info_unreplaced,
						  source_has, odb, opts->algo,
						  opts->max_tree_depth, peel_memo_new() };
	odb->local = odb->unreplaced;
	odb->local.read = source_read_local;
	po = (struct packs_options){
		.algo = opts->algo,
		.delta_base_cache_limit = opts->delta_base_cache_limit,
		.window_size = opts->packed_git_window_size,
		.window_limit = opts->packed_git_limit,
		.use_midx = opts->use_multi_pack_index,
		.others = &odb->local,
		.warn = opts->warn,
		.warn_data = opts->warn_data,
	};
	odb_stores_init(&odb->stores, odb->objdir, &po, opts->report_error);
	odb_stores_add_alternates(&odb->stores, opts->alternates_env);
	odb->o.alternates_env = opts->alternates_env ? xstrdup(opts->alternates_env) : NULL;
	*out = odb;
	return 0;
}

void odb_free(struct odb *odb)
{
	if (!odb)
		return;
	odb_end_batch(odb);
	object_adopter_free(odb->adopter);
	odb_stores_release(&odb->stores);
	peel_memo_free(odb->source.peeled);
	peel_memo_free(odb->unreplaced.peeled);
	pthread_mutex_destroy(&odb->told_lock);
	strset_clear(&odb->told);
	free((char *)odb->o.alternates_env);
	free(odb->objdir);
	free(odb);
}

const struct hash_algo *odb_algo(const struct odb *odb)
{
	return odb->o.algo;
}

const char *odb_objdir(const struct odb *odb)
{
	return odb->objdir;
}

const struct object_source *odb_source(struct odb *odb)
{
	return &odb->source;
}

const struct object_source *odb_source_unreplaced(struct odb *odb)
{
	return &odb->unreplaced;
}

void odb_set_replace(struct odb *odb, odb_replace_fn fn, void *data)
{
	odb->replace = fn;
	odb->replace_data = data;
}

void odb_set_fetch(struct odb *odb, odb_fetch_fn fn, void *data, bool on_read)
{
	odb->fetch = fn;
	odb->fetch_data = data;
	odb->fetch_on_read = on_read;
}

void odb_set_fetch_on_read(struct odb *odb, bool on_read)
{
	odb->fetch_on_read = on_read;
}

bool odb_fetches_on_read(const struct odb *odb)
{
	return odb->fetch && odb->fetch_on_read;
}

bool odb_can_fetch(const struct odb *odb)
{
	return odb && odb->fetch;
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
		has_changed(odb);
	oid_array_clear(&missing);
	return rc;
}

/* *oid: what is to be read, which may be in buf. */
static int replace(const struct odb *odb, const struct object_id **oid, struct object_id *buf,
		   struct err *err)
{
	int rc = odb->replace ? odb->replace(odb->replace_data, *oid, buf, err) : 0;

	if (rc > 0)
		*oid = buf;
	return rc < 0 ? rc : 0;
}

/* ---- looking for copies ---- */

/* One look for an object: what to do with a copy, and what went wrong so far. */
struct look {
	struct odb *odb;
	const struct object_id *oid;
	/* ERR_NOT_FOUND: not here, go on; 0: done */
	int (*in_batch)(struct look *l, struct err *err);
	int (*in_packs)(struct look *l, struct odb_store *s, struct err *err);
	int (*in_loose)(struct look *l, struct odb_store *s, struct err *err);
	void *out;
	int rc;	    /* of the copy that ended it */
	bool final; /* the result stands, good or bad: no other copy */
	int rc_first;
	struct err first; /* of the first bad copy */
	bool local; /* nobody else is asked */
};

/* 1: this ends the search with the result in l->rc. */
static bool settle(struct look *l, int this_rc, struct err *this_err)
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

static bool try_packs(struct look *l)
{
	FOR_EACH_STORE(l->odb, s) {
		struct err err = ERR_INIT;

		if (settle(l, l->in_packs(l, s, &err), &err))
			return true;
	}
	return false;
}

static bool try_loose(struct look *l)
{
	FOR_EACH_STORE(l->odb, s) {
		struct err err = ERR_INIT;

		if (settle(l, l->in_loose(l, s, &err), &err))
			return true;
	}
	return false;
}

static bool try_batch(struct look *l)
{
	struct err err = ERR_INIT;

	return l->odb->batch && settle(l, l->in_batch(l, &err), &err);
}

static bool has_changed(struct odb *odb)
{
	bool changed = false;

	FOR_EACH_STORE(odb, s)
		changed |= packs_reprepare(s->packs);
	return changed;
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
		changed = has_changed(odb);
		if (find(data, changed))
			return true;
	}
	return false;
}

void odb_drop_cache(struct odb *odb)
{
	FOR_EACH_STORE(odb, s)
		packs_drop_cache(s->packs);
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

	return try_packs(l) || (changed && try_loose(l));
}

/* The empty tree is there even where it is not. */
static bool is_empty_tree(const struct odb *odb, const struct object_id *oid)
{
	return oid_eq(oid, &odb->o.algo->empty_tree);
}

/* It has no copy here, not even a bad one: whoever may have it is asked. */
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

	if (!try_batch(l) && !try_packs(l) && !try_loose(l) && !look_again(l->odb, try_again, l) &&
	    !try_to_fetch(l))
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

static int read_in_batch(struct look *l, struct err *err)
{
	return bulk_checkin_read(l->odb->batch, l->oid, l->out, err);
}

static int read_in_packs(struct look *l, struct odb_store *s, struct err *err)
{
	return packs_read(s->packs, l->oid, l->out, err);
}

static int read_in_loose(struct look *l, struct odb_store *s, struct err *err)
{
	return loose_object_read(s->objdir, l->oid, s->algo, 0, l->out, err);
}

static int read_any(struct odb *odb, const struct object_id *oid, bool local, struct object_buf *out,
		    struct err *err)
{
	struct look l = {
		.odb = odb, .oid = oid, .out = out, .local = local,
		.in_batch = read_in_batch, .in_packs = read_in_packs, .in_loose = read_in_loose,
	};
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

/* ---- reading what is not too big ---- */

struct limited_read {
	struct object_buf buf;
	uint64_t max;
};

static int refuse_size(struct look *l, uint64_t size, struct err *err)
{
	l->final = true;
	return err_set(err, ERR_TOO_BIG, "object %s has %" PRIu64 " bytes", oid_hex(l->oid), size);
}

static int limited_in_batch(struct look *l, struct err *err)
{
	struct limited_read *r = l->out;
	struct object_info info;
	int rc = bulk_checkin_info(l->odb->batch, l->oid, &info, err);

	if (!rc && info.size > r->max)
		return refuse_size(l, info.size, err);
	return rc ? rc : bulk_checkin_read(l->odb->batch, l->oid, &r->buf, err);
}

static int limited_in_packs(struct look *l, struct odb_store *s, struct err *err)
{
	struct limited_read *r = l->out;
	enum object_type type;
	uint64_t size;
	int rc = packs_type(s->packs, l->oid, &type, &size, err);

	if (!rc && size > r->max)
		return refuse_size(l, size, err);
	return rc ? rc : packs_read(s->packs, l->oid, &r->buf, err);
}

static int limited_in_loose(struct look *l, struct odb_store *s, struct err *err)
{
	struct limited_read *r = l->out;
	int rc = loose_object_read(s->objdir, l->oid, s->algo, r->max, &r->buf, err);

	l->final |= rc == ERR_TOO_BIG;
	return rc;
}

int odb_read_limited(struct odb *odb, const struct object_id *oid, enum object_type want, uint64_t max,
		     struct object_buf *out, struct err *err)
{
	struct limited_read r = { OBJECT_BUF_INIT, max ? max : 1 };
	struct look l = {
		.odb = odb, .oid = oid, .out = &r,
		.in_batch = limited_in_batch, .in_packs = limited_in_packs, .in_loose = limited_in_loose,
	};
	struct object_id buf;
	int rc = replace(odb, &oid, &buf, err);

	l.oid = oid;
	if (!rc)
		rc = look_everywhere(&l, err);
	return rc < 0 ? rc : expect_type(&r.buf, oid, want, out, err);
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

static int info_in_batch(struct look *l, struct err *err)
{
	return bulk_checkin_info(l->odb->batch, l->oid, l->out, err);
}

static int info_in_packs(struct look *l, struct odb_store *s, struct err *err)
{
	return packs_info(s->packs, l->oid, l->out, err);
}

static int info_in_loose(struct look *l, struct odb_store *s, struct err *err)
{
	struct object_info *info = l->out;
	int rc = loose_object_info(s->objdir, l->oid, info, err);

	if (!rc)
		info->delta_base = s->algo->null_oid;
	return rc;
}

int odb_info_unreplaced(struct odb *odb, const struct object_id *oid, struct object_info *out,
			struct err *err)
{
	struct look l = {
		.odb = odb, .oid = oid, .out = out,
		.in_batch = info_in_batch, .in_packs = info_in_packs, .in_loose = info_in_loose,
	};
	struct err why = ERR_INIT;
	int rc = look_everywhere(&l, &why);

	if (rc == ERR_NOT_FOUND && is_empty_tree(odb, oid)) {
		*out = (struct object_info){ .type = OBJ_TREE,
					     .delta_base = odb->o.algo->null_oid };
		rc = 0;
	}
	if (rc < 0)
		err_move(err, &why);
	err_release(&why);
	return rc;
}

int odb_info(struct odb *odb, const struct object_id *oid, struct object_info *out,
	     struct err *err)
{
	struct object_id buf;
	int rc = replace(odb, &oid, &buf, err);

	return rc < 0 ? rc : odb_info_unreplaced(odb, oid, out, err);
}

static int type_in_packs(struct look *l, struct odb_store *s, struct err *err)
{
	struct object_info *info = l->out;

	return packs_type(s->packs, l->oid, &info->type, &info->size, err);
}

static int type_of_any(struct odb *odb, const struct object_id *oid, enum object_type *type,
		       uint64_t *size, struct err *err)
{
	struct object_info info = { .type = OBJ_TREE }; /* of the empty one, if it is not there */
	struct look l = {
		.odb = odb, .oid = oid, .out = &info,
		.in_batch = info_in_batch, .in_packs = type_in_packs, .in_loose = info_in_loose,
	};
	struct err why = ERR_INIT;
	int rc = look_everywhere(&l, &why);

	if (rc == ERR_NOT_FOUND && is_empty_tree(odb, oid))
		rc = 0;
	if (rc < 0)
		err_move(err, &why);
	err_release(&why);
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

bool odb_is_packed(struct odb *odb, const struct object_id *oid)
{
	FOR_EACH_STORE(odb, s)
		if (packs_has(s->packs, oid))
			return true;
	return false;
}

bool odb_has_quick(struct odb *odb, const struct object_id *oid)
{
	if (odb->batch && bulk_checkin_has(odb->batch, oid))
		return true;
	if (odb_is_packed(odb, oid))
		return true;
	FOR_EACH_STORE(odb, s)
		if (odb_store_has_loose(s, oid))
			return true;
	return is_empty_tree(odb, oid);
}

struct question {
	struct odb *odb;
	const struct object_id *oid;
};

static bool is_loose(const struct question *q)
{
	FOR_EACH_STORE(q->odb, s)
		if (loose_object_exists(s->objdir, q->oid))
			return true;
	return false;
}

static bool has_now(void *data, bool changed)
{
	const struct question *q = data;

	return odb_is_packed(q->odb, q->oid) || (changed && is_loose(q));
}

bool odb_has(struct odb *odb, const struct object_id *oid)
{
	struct question q = { odb, oid };

	return odb_has_quick(odb, oid) || is_loose(&q) || look_again(odb, has_now, &q);
}

/*
 * For the batch: an object that is there need not be written, but it is touched, so
 * that a prune that goes by age does not take it away under us. One that cannot
 * be touched is written again, and so is a young one that is damaged, or one that only cruft packs have.
 */
static bool use_loose(struct odb *odb, struct odb_store *s, const struct object_id *oid)
{
	bool adopts = odb->adopter && s == odb->stores.first;
	int adopted;

	if (!odb_store_has_loose(s, oid))
		return false;
	adopted = adopts ? object_adopt(odb->adopter, oid, NULL) : 0;
	return adopted >= 0 && loose_object_touch(s->objdir, oid, adopts && !adopted);
}

void odb_note_used(struct odb *odb, struct oid_array *used)
{
	odb->used = used;
}

static bool can_freshen(struct odb *odb, const struct object_id *oid)
{
	FOR_EACH_STORE(odb, s)
		if (packs_can_touch(s->packs, oid) ||
		    (odb_store_has_loose(s, oid) && loose_object_can_be_touched(s->objdir, oid)))
			return true;
	return false;
}

static bool note_used(struct odb *odb, const struct object_id *oid)
{
	if (!can_freshen(odb, oid))
		return false;
	pthread_mutex_lock(&odb->told_lock);
	oid_array_append(odb->used, oid);
	pthread_mutex_unlock(&odb->told_lock);
	return true;
}

bool odb_freshen(struct odb *odb, const struct object_id *oid)
{
	if (odb->used)
		return note_used(odb, oid);
	FOR_EACH_STORE(odb, s)
		if (packs_touch(s->packs, oid))
			return true;
	FOR_EACH_STORE(odb, s)
		if (use_loose(odb, s, oid))
			return true;
	return false;
}

static bool exists_for_batch(void *data, const struct object_id *oid)
{
	return odb_freshen(data, oid);
}

/* ---- streaming ---- */

struct stream {
	int (*sink)(void *data, const void *p, size_t len, struct err *err);
	void *data;
	bool any; /* the sink has seen something: no other copy can be tried */
	bool hashing;
	struct hash_ctx hash;
};

static int pass_piece(void *data, const void *p, size_t len, struct err *err)
{
	struct stream *st = data;

	st->any = true;
	if (st->hashing)
		hash_update(&st->hash, p, len);
	return st->sink(st->data, p, len, err);
}

static int stream_in_batch(struct look *l, struct err *err)
{
	struct stream *st = l->out;
	struct object_buf buf = OBJECT_BUF_INIT;
	int rc = bulk_checkin_read(l->odb->batch, l->oid, &buf, err);

	if (rc < 0)
		return rc;
	rc = pass_piece(st, buf.data, buf.size, err);
	l->final = true;
	object_buf_release(&buf);
	return rc;
}

static int stream_in_packs(struct look *l, struct odb_store *s, struct err *err)
{
	struct stream *st = l->out;
	char head[OBJECT_HEADER_MAX];
	struct object_info info;
	struct object_id actual;
	int rc = packs_type(s->packs, l->oid, &info.type, &info.size, err);

	if (rc < 0)
		return rc;
	hash_init_checked(&st->hash, s->algo);
	hash_update(&st->hash, head,
		    (size_t)object_header_format(head, info.type, info.size));
	st->hashing = true;
	rc = packs_stream(s->packs, l->oid, pass_piece, st, err);
	st->hashing = false;
	if (hash_final(&st->hash, &actual) && !rc)
		rc = hash_attack(&actual, err);
	hash_release(&st->hash);
	if (!rc && !oid_eq(&actual, l->oid))
		rc = err_set(err, ERR_CORRUPT,
			     "packed object %s in '%s/pack' is corrupt: hash mismatch",
			     oid_hex(l->oid), s->objdir);
	l->final = st->any;
	return rc;
}

static int stream_in_loose(struct look *l, struct odb_store *s, struct err *err)
{
	struct stream *st = l->out;
	bool any;
	int rc = loose_object_stream(s->objdir, l->oid, s->algo, pass_piece, st, &any, err);

	l->final = st->any;
	return rc;
}

int odb_stream_unreplaced(struct odb *odb, const struct object_id *oid,
			  int (*sink)(void *data, const void *p, size_t len, struct err *err),
			  void *data, struct err *err)
{
	struct stream st = { .sink = sink, .data = data };
	struct look l = {
		.odb = odb, .oid = oid, .out = &st,
		.in_batch = stream_in_batch, .in_packs = stream_in_packs,
		.in_loose = stream_in_loose,
	};

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

/* ---- enumeration ---- */

struct enumeration {
	int (*fn)(void *data, const struct object_id *oid);
	void *data;
};

static int show_loose(void *data, const struct object_id *oid, const char *path)
{
	struct enumeration *e = data;

	(void)path;
	return e->fn(e->data, oid);
}

int odb_foreach(struct odb *odb, unsigned flags,
		int (*fn)(void *data, const struct object_id *oid),
		void *data, struct err *err)
{
	struct enumeration e = { fn, data };
	int rc = 0;

	if (odb->batch)
		rc = bulk_checkin_foreach(odb->batch, fn, data);
	FOR_EACH_STORE(odb, s) {
		if (rc >= 0)
			rc = loose_object_foreach(s->objdir, s->algo, show_loose, NULL, &e, err);
		if (rc >= 0)
			rc = packs_foreach_object(s->packs, false, fn, data, err);
		if (flags & ODB_FOREACH_LOCAL)
			break;
	}
	return rc < 0 ? rc : 0;
}

struct once {
	struct oidset seen;
	int (*fn)(void *data, const struct object_id *oid, const struct object_info *info);
	void *data;
};

static int show_unknown(void *data, const struct object_id *oid)
{
	struct once *o = data;

	return oidset_insert(&o->seen, oid) ? o->fn(o->data, oid, NULL) : 0;
}

int odb_foreach_once(struct odb *odb, unsigned want,
		     int (*fn)(void *data, const struct object_id *oid,
			       const struct object_info *info),
		     void *data, struct err *err)
{
	struct once o = { OIDSET_INIT, fn, data };
	struct enumeration e = { show_unknown, &o };
	int rc = odb->batch ? bulk_checkin_foreach(odb->batch, show_unknown, &o) : 0;

	FOR_EACH_STORE(odb, s) {
		if (rc >= 0)
			rc = loose_object_foreach(s->objdir, s->algo, show_loose, NULL, &e, err);
		if (rc >= 0)
			rc = packs_foreach_new(s->packs, want, &o.seen, next_store(s) != NULL, fn,
					       data);
	}
	oidset_clear(&o.seen);
	return rc < 0 ? rc : 0;
}

/* ---- stores ---- */

static struct odb_store *store_at(const struct odb *odb, size_t i)
{
	struct odb_store *s = odb->stores.first;

	while (s && i--)
		s = next_store(s);
	return s;
}

size_t odb_nr_alternates(const struct odb *odb)
{
	size_t nr = 0;

	for (struct odb_store *s = next_store(odb->stores.first); s; s = next_store(s))
		nr++;
	return nr;
}

const char *odb_alternate(const struct odb *odb, size_t i)
{
	struct odb_store *s = store_at(odb, i + 1);

	return s ? s->objdir : NULL;
}

struct packs *odb_packs(struct odb *odb, size_t store)
{
	struct odb_store *s = store_at(odb, store);

	return s ? s->packs : NULL;
}

/* ---- writing ---- */

#define MANY_OBJECTS 100
#define MANY_OBJECTS_TO_FLUSH 8

/*
 * Each pack costs every command that looks for objects. So the more there are, the bigger a new
 * one has to be: twice for every so many.
 */
#define PACKS_PER_DOUBLING 8
#define DOUBLINGS_MAX 6

static unsigned unpack_limit(const struct odb *odb, struct fsync_batch *b)
{
	unsigned limit = fsync_batch_flushes_each(b, FSYNC_LOOSE_OBJECT, odb->objdir) ?
				 MANY_OBJECTS_TO_FLUSH : MANY_OBJECTS;
	size_t doublings;

	if (odb->o.unpack_limit != UNPACK_LIMIT_AUTO)
		return odb->o.unpack_limit;
	doublings = packs_count(odb->stores.first->packs) / PACKS_PER_DOUBLING;
	return limit << (doublings < DOUBLINGS_MAX ? doublings : DOUBLINGS_MAX);
}

int odb_begin_batch(struct odb *odb, struct fsync_batch *b, struct err *err)
{
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
	odb->batch = bulk_checkin_new(&o);
	return 0;
}

struct bulk_checkin *odb_batch(struct odb *odb)
{
	return odb->batch;
}

static struct bulk_checkin *need_batch(struct odb *odb)
{
	if (!odb->batch)
		BUG("objects are written without odb_begin_batch");
	return odb->batch;
}

int odb_stage_batch(struct odb *odb, struct err *err)
{
	int rc;

	trace2_region_enter("objects", "stage");
	rc = bulk_checkin_finish(need_batch(odb), err);
	trace2_region_leave("objects", "stage");
	return rc;
}

static void end_batch(struct odb *odb, void (*end)(struct bulk_checkin *b))
{
	struct bulk_checkin *b = odb->batch;
	bool new_pack = b && bulk_checkin_has_pack(b);

	if (!b)
		return;
	odb->batch = NULL;
	if (bulk_checkin_count(b))
		odb_store_forget_loose(odb->stores.first);
	end(b);
	if (new_pack)
		packs_reprepare(odb->stores.first->packs);
}

void odb_end_batch(struct odb *odb)
{
	end_batch(odb, bulk_checkin_free);
}

void odb_abort_batch(struct odb *odb)
{
	end_batch(odb, bulk_checkin_abort);
}

int odb_write(struct odb *odb, enum object_type type, const void *data, size_t size,
	      struct object_id *oid, struct err *err)
{
	return bulk_checkin_add(need_batch(odb), type, data, size, oid, err);
}

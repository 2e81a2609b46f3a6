/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * refs_import: all refs and all entries of reflogs become the one table of a new stack. They are read twice: first to learn
 * how large blocks must be, and the update indexes, which the header of the table has. Memory: that of the writer.
 */
#include "compat/posix.h"
#include "object/ident.h"
#include "refs/reftable/change-internal.h"
#include "refs/reftable/write-internal.h"
#include "refs/root-refs.h"

/* ---- how large it becomes ---- */

#define FIRST_INDEX 1

struct table_import {
	const struct ref_import *im;
	size_t longest; /* name and target of a ref */
	uint64_t max_index;
	struct reftable_writer *w;
	struct strbuf key;
	/* The log that is written. */
	const char *log;
	uint64_t index;
	struct err *err;
};

static int measure_ref(void *data, const struct ref_raw *raw, struct err *err UNUSED)
{
	struct table_import *ti = data;
	size_t len = strlen(raw->name) + (raw->target ? strlen(raw->target) : 0);

	if (len > ti->longest)
		ti->longest = len;
	return 0;
}

static int count_entry(void *data, const struct reflog_entry *e UNUSED)
{
	++*(uint64_t *)data;
	return 0;
}

static int measure(struct table_import *ti, struct err *err)
{
	const struct string_list *logs = &ti->im->logs;
	int rc = ref_import_foreach(ti->im, measure_ref, ti, err);

	for (size_t i = 0; !rc && i < logs->nr; i++) {
		uint64_t nr = 0;

		rc = reflog_foreach(ti->im->from, logs->items[i].string, true, count_entry, &nr, err);
		logs->items[i].util = (void *)(uintptr_t)nr;
		if (nr > ti->max_index)
			ti->max_index = nr;
	}
	return rc;
}

/* ---- records ---- */

static int import_ref(void *data, const struct ref_raw *raw, struct err *err)
{
	struct table_import *ti = data;
	struct ref_record r = { .update_index = FIRST_INDEX, .type = REF_VALUE_SYMREF, .target = raw->target };
	struct object_id peeled;

	if (raw->kind == REF_KIND_SYMREF) {
		r.target_len = strlen(raw->target);
	} else {
		ref_import_peel(ti->im, raw, &peeled);
		r.type = oid_is_null(&peeled) ? REF_VALUE_OID : REF_VALUE_PEELED;
		r.oid = raw->oid->hash;
		r.peeled = peeled.hash;
	}
	strbuf_reset(&ti->key);
	strbuf_addstr(&ti->key, raw->name);
	return reftable_writer_add_ref(ti->w, &ti->key, &r, err);
}

static int import_log_record(struct table_import *ti, const struct log_record *r)
{
	strbuf_reset(&ti->key);
	log_key_add(&ti->key, ti->log, ti->index--);
	return reftable_writer_add_log(ti->w, &ti->key, r, ti->err);
}

/* The newest comes first, and has the highest index. */
static int import_entry(void *data, const struct reflog_entry *e)
{
	struct table_import *ti = data;
	struct ident_split ident = { .name = "", .mail = "" };
	struct strbuf msg = STRBUF_INIT;
	struct log_record r = {
		.type = LOG_VALUE_UPDATE, .old_oid = e->old_oid.hash, .new_oid = e->new_oid.hash, .date = e->date, .tz = e->tz,
	};
	int rc;

	if (ti->index < FIRST_INDEX)
		return err_set(ti->err, ERR_CONFLICT, "the reflog of '%s' has changed meanwhile", ti->log);
	if (ident_split_line(&ident, e->ident, strlen(e->ident)) < 0)
		return err_set(ti->err, ERR_CORRUPT, "the reflog of '%s' has an entry without an author", ti->log);
	if (e->msg && *e->msg)
		strbuf_addf(&msg, "%s\n", e->msg);
	r.name = ident.name;
	r.name_len = ident.name_len;
	r.mail = ident.mail;
	r.mail_len = ident.mail_len;
	r.msg = msg.buf;
	r.msg_len = msg.len;
	rc = import_log_record(ti, &r);
	strbuf_release(&msg);
	return rc;
}

/* A log without entries has one that has no ids. */
static int import_log_entries(struct table_import *ti, const char *name, uint64_t nr)
{
	const unsigned char *null = ti->im->from->algo->null_oid.hash;

	ti->log = name;
	ti->index = nr ? nr : FIRST_INDEX;
	if (!nr)
		return import_log_record(ti, &(struct log_record){ .type = LOG_VALUE_UPDATE, .old_oid = null, .new_oid = null,
								    .name = "", .mail = "", .msg = "" });
	return reflog_foreach(ti->im->from, name, true, import_entry, ti, ti->err);
}

static int import_records(struct table_import *ti, struct err *err)
{
	const struct string_list *logs = &ti->im->logs;
	int rc = ref_import_foreach(ti->im, import_ref, ti, err);

	ti->err = err;
	for (size_t i = 0; !rc && i < logs->nr; i++)
		rc = import_log_entries(ti, logs->items[i].string, (uintptr_t)logs->items[i].util);
	return rc ? rc : reftable_writer_finish(ti->w, err);
}

/* ---- the table ---- */

static int write_import(void *data, const struct ref_table_options *wanted, reftable_sink_fn sink, void *sink_data,
			struct err *err)
{
	struct table_import *ti = data;
	const struct reftable_write_options o = {
		.algo = ti->im->from->algo,
		.block_size = reftable_block_size_for(wanted->block_size, ti->longest),
		.restart_interval = wanted->restart_interval,
		.index_objects = !wanted->no_object_index,
		.min_update_index = FIRST_INDEX,
		.max_update_index = ti->max_index,
	};
	int rc;

	ti->w = reftable_writer_new(&o, sink, sink_data);
	rc = import_records(ti, err);
	reftable_writer_free(ti->w);
	return rc;
}

int reftable_import(struct ref_store *rs, const struct ref_import *im, struct fsync_batch *b, struct err *err)
{
	struct reftable_store *st = reftable_store(rs);
	struct table_import ti = { .im = im, .max_index = FIRST_INDEX, .key = STRBUF_INIT };
	struct reftable_change c = { .nr_refs = 0 };
	int rc = measure(&ti, err);

	if (!rc)
		rc = change_lock(&c, st, st->shared, b, err);
	if (!rc)
		rc = change_stage_first(&c, ti.max_index, write_import, &ti, b, err);
	if (!rc)
		rc = fsync_batch_publish(b, err);
	change_release(&c);
	strbuf_release(&ti.key);
	return rc;
}

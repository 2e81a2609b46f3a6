/* SPDX-License-Identifier: GPL-2.0-only */
/* refs_import: refs go into packed-refs, symbolic ones and those outside of refs/ into files of their own. */
#include "compat/posix.h"
#include "refs/files/files-internal.h"
#include "refs/files/reflog-internal.h"
#include "refs/root-refs.h"
#include "util/alloc.h"

/* ---- refs ---- */

struct files_import {
	const struct ref_import *im;
	struct ref_transaction *t;
	bool packable; /* or the others */
};

static bool goes_into_packed(const struct files_import *f, const struct ref_raw *raw)
{
	return raw->kind == REF_KIND_OID && starts_with(raw->name, "refs/") && ref_may_be_packed(f->t->rs, raw->name);
}

static int queue_ref(void *data, const struct ref_raw *raw, struct err *err)
{
	static const unsigned flags = REF_NO_DEREF | REF_SKIP_REFLOG | REF_SKIP_OBJECT_CHECK;
	struct files_import *f = data;
	struct object_id peeled;
	int rc;

	if (goes_into_packed(f, raw) != f->packable)
		return 0;
	if (raw->kind == REF_KIND_SYMREF)
		return ref_transaction_update_symref(f->t, raw->name, raw->target, NULL, flags, NULL, err);
	rc = ref_transaction_update(f->t, raw->name, raw->oid, NULL, flags, NULL, err);
	ref_import_peel(f->im, raw, &peeled);
	if (!rc)
		ref_transaction_know_value(f->t, oid_is_null(&peeled) ? OBJ_COMMIT : OBJ_TAG, &peeled);
	return rc;
}

/* ---- reflogs ---- */

static int format_entry(void *data, const struct reflog_entry *e)
{
	struct strbuf ident = STRBUF_INIT;

	strbuf_addf(&ident, "%s %" PRIuMAX " %+05d", e->ident, (uintmax_t)e->date, e->tz);
	reflog_format_entry(data, &e->old_oid, &e->new_oid, ident.buf, e->msg);
	strbuf_release(&ident);
	return 0;
}

static int import_log(struct ref_store *rs, const struct ref_import *im, const char *name, struct fsync_batch *b,
		      struct err *err)
{
	struct strbuf lines = STRBUF_INIT;
	int rc = reflog_foreach(im->from, name, false, format_entry, &lines, err);

	if (!rc)
		rc = reflog_stage_lines(rs, name, true, &lines, b, err);
	strbuf_release(&lines);
	return rc;
}

/* ---- both ---- */

static int import_refs(struct ref_store *rs, const struct ref_import *im, bool packable, struct fsync_batch *b, struct err *err)
{
	struct files_import f = { im, ref_transaction_begin(rs, packable ? REF_TRANSACTION_ALONE : 0), packable };
	int rc = ref_import_foreach(im, queue_ref, &f, err);

	if (!rc)
		rc = ref_transaction_prepare(f.t, b, err);
	if (!rc)
		rc = fsync_batch_publish(b, err);
	ref_transaction_finish(f.t, rc);
	ref_transaction_free(f.t);
	return rc;
}

int files_import(struct ref_store *rs, const struct ref_import *im, struct fsync_batch *b, struct err *err)
{
	int rc = import_refs(rs, im, true, b, err);

	if (!rc)
		rc = import_refs(rs, im, false, b, err);
	for (size_t i = 0; !rc && i < im->logs.nr; i++)
		rc = import_log(rs, im, im->logs.items[i].string, b, err);
	return rc;
}

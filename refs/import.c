/* SPDX-License-Identifier: GPL-2.0-only */
/* All refs of one store for another one: what the backends share. */
#include "compat/posix.h"
#include "refs/refs-backend.h"
#include "refs/root-refs.h"

/* ---- each ref ---- */

struct import_walk {
	ref_import_fn fn;
	void *data;
	struct err *err;
};

static int import_visit(void *data, const struct ref_raw *raw)
{
	struct import_walk *w = data;

	if (raw->kind == REF_KIND_BROKEN || (raw->kind == REF_KIND_OID && oid_is_null(raw->oid)))
		return err_set(w->err, ERR_CORRUPT, "the ref '%s' is broken", raw->name);
	if (!refname_is_root_ref(raw->name) && !refname_is_valid(raw->name, 0))
		return err_set(w->err, ERR_CORRUPT, "the ref '%s' has a bad name", raw->name);
	return w->fn(w->data, raw, w->err);
}

static int import_visit_root(struct import_walk *w, struct ref_store *from, const char *name)
{
	struct ref_value v;
	int rc = from->backend->read(from, name, &v, w->err);

	if (rc < 0)
		return rc;
	if (v.kind != REF_KIND_MISSING)
		rc = import_visit(w, &(struct ref_raw){ .name = name, .kind = v.kind, .oid = &v.oid, .target = v.target });
	ref_value_release(&v);
	return rc;
}

int ref_import_foreach(const struct ref_import *im, ref_import_fn fn, void *data, struct err *err)
{
	const struct ref_range all = { .prefix = "refs/", .except = &(struct strvec)STRVEC_INIT };
	struct import_walk w = { fn, data, err };
	int rc = 0;

	for (size_t i = 0; !rc && i < im->roots.nr; i++)
		rc = import_visit_root(&w, im->from, im->roots.items[i].string);
	return rc ? rc : im->from->backend->foreach(im->from, &all, import_visit, &w, err);
}

void ref_import_peel(const struct ref_import *im, const struct ref_raw *raw, struct object_id *peeled)
{
	*peeled = im->from->algo->null_oid;
	if (raw->peeled)
		*peeled = *raw->peeled;
	else if (!raw->peel_known && !ref_peel(im->from, raw->oid, peeled))
		*peeled = im->from->algo->null_oid;
}

/* ---- all of it ---- */

static int import_add_log(void *data, const char *name)
{
	string_list_append(data, name);
	return 0;
}

int refs_import(struct ref_store *rs, struct ref_store *from, bool reflogs, struct fsync_batch *b, struct err *err)
{
	struct ref_import im = { .from = from, .roots = STRING_LIST_INIT, .logs = STRING_LIST_INIT };
	int rc = refs_root_names(from, "", &im.roots, err);

	if (!rc && reflogs)
		rc = reflogs_foreach(from, import_add_log, &im.logs, err);
	string_list_sort(&im.logs);
	if (!rc)
		rc = rs->backend->import ? rs->backend->import(rs, &im, b, err) :
					   err_set(err, ERR_UNSUPPORTED, "refs cannot become %s", rs->backend->name);
	string_list_clear(&im.roots, NULL);
	string_list_clear(&im.logs, NULL);
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* What git fetch --prune would remove. */
#include "compat/posix.h"
#include "porcelain/fetch-internal.h"
#include "porcelain/remote.h"
#include "util/alloc.h"
#include "util/map.h"

int remote_find_stale(struct repository *r, const struct remote *remote, const struct remote_refs *refs,
		      struct strvec *out, struct err *err)
{
	struct fetch_rows rows = FETCH_ROWS_INIT;
	int rc = fetch_decide_pruned(&rows, r, &remote->fetch, refs, out, err);

	free(rows.rows);
	return rc;
}

struct dangling {
	struct repository *r;
	struct strset stale;
	struct strvec *out;
};

static int note_dangling(void *data, const struct ref *ref)
{
	struct dangling *d = data;
	struct object_id oid;
	char *end = NULL;

	if (!ref->symref_target)
		return 0;
	(void)!ref_resolve(d->r->refs, ref->name, &oid, &end, NULL, NULL);
	if (end && strset_contains(&d->stale, end)) {
		strvec_push(d->out, ref->name);
		strvec_push(d->out, end);
	}
	free(end);
	return 0;
}

int remote_find_dangling(struct repository *r, const struct strvec *stale, struct strvec *out, struct err *err)
{
	struct dangling d = { r, STRSET_INIT, out };
	int rc;

	if (!stale->nr)
		return 0;
	for (size_t i = 0; i < stale->nr; i++)
		strset_add(&d.stale, stale->v[i]);
	rc = refs_foreach(r->refs, "", REFS_NO_PEEL | REFS_INCLUDE_BROKEN, note_dangling, &d, err);
	strset_clear(&d.stale);
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* What git fetch --prune would remove. */
#include "compat/posix.h"
#include "porcelain/fetch-internal.h"
#include "porcelain/remote.h"
#include "util/alloc.h"

int remote_find_stale(struct repository *r, const struct remote *remote, const struct remote_refs *refs,
		      struct strvec *out, struct err *err)
{
	struct fetch_rows rows = FETCH_ROWS_INIT;
	int rc = fetch_decide_pruned(&rows, r, &remote->fetch, refs, out, err);

	free(rows.rows);
	return rc;
}

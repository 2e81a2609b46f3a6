/* SPDX-License-Identifier: GPL-2.0-only */
/* The task prefetch of git-maintenance(1): each remote by a command of its own, which the caller runs. */
#include "compat/posix.h"
#include "maintain/tasks/tasks-internal.h"
#include "repo/remotes.h"
#include "util/alloc.h"

/* remote.<name>.skipFetchAll */
static int is_skipped(struct repository *r, const struct remote *remote, bool *out, struct err *err)
{
	char *key = xstrfmt("remote.%s.skipfetchall", remote->name);
	int rc;

	*out = remote->skip_default_update;
	rc = config_get_bool(r->config, key, out, err);
	free(key);
	return rc < 0 ? rc : 0;
}

/* One that fails does not keep the others from being fetched. */
int task_prefetch(struct repository *r, struct repo_operation *op UNUSED, const struct maintenance_options *o,
		  struct err *err)
{
	struct remotes *all;
	bool failed = false;
	int rc = repo_remotes(r, &all, err);

	for (size_t i = 0; !rc && i < remotes_nr(all); i++) {
		const struct remote *remote = remotes_at(all, i);
		bool skipped = false;

		rc = is_skipped(r, remote, &skipped, err);
		if (!rc && !skipped && remote->urls.nr)
			failed |= !o->prefetch(o->data, remote->name);
	}
	return rc || !failed ? rc : err_set(err, ERR_IO, "failed to prefetch remotes");
}

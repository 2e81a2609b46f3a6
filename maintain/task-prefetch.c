/* SPDX-License-Identifier: GPL-2.0-only */
/* The task prefetch of git-maintenance(1): only that it is not there yet. */
#include "compat/posix.h"
#include "maintain/tasks-internal.h"
#include "util/alloc.h"

/* remote.<name>.skipFetchAll */
static int is_skipped(struct repository *r, const char *url_key, bool *out, struct err *err)
{
	char *key = xstrfmt("%.*s.skipfetchall", (int)(strlen(url_key) - strlen(".url")), url_key);
	int rc = config_get_bool(r->config, key, out, err);

	free(key);
	return rc < 0 ? rc : 0;
}

int task_prefetch_check(struct repository *r, struct err *err)
{
	for (size_t i = 0; i < config_nr(r->config); i++) {
		const char *key = config_at(r->config, i)->key;
		bool skipped = false;
		int rc;

		if (!starts_with(key, "remote.") || !ends_with(key, ".url"))
			continue;
		rc = is_skipped(r, key, &skipped, err);
		if (rc < 0)
			return rc;
		if (!skipped)
			return err_set(err, ERR_UNSUPPORTED,
				       "task 'prefetch' is not available yet");
	}
	return 0;
}

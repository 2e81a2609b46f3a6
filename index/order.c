/* SPDX-License-Identifier: GPL-2.0-only */
/* The order that entries of a file must have: gitformat-index(5), "Index entries". */
#include "compat/posix.h"
#include "index/index-internal.h"

int index_entry_check_order(const struct index_entry *a, const struct index_entry *b, const char *path, struct err *err)
{
	int cmp = a ? index_name_cmp(a->name, a->name_len, 0, b->name, b->name_len, 0) : -1;

	if (!b->name_len)
		return err_set(err, ERR_CORRUPT, "index file corrupt: '%s': entry without a name", path);
	if (cmp > 0)
		return err_set(err, ERR_CORRUPT, "index file corrupt: '%s': unordered entries at '%s'", path, b->name);
	if (!cmp && (!a->stage || a->stage >= b->stage))
		return err_set(err, ERR_CORRUPT, "index file corrupt: '%s': unordered stage entries for '%s'", path, b->name);
	return 0;
}

int index_check_order(const struct index_state *ix, const char *path, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < ix->nr && !rc; i++)
		rc = index_entry_check_order(i ? ix->entries[i - 1] : NULL, ix->entries[i], path, err);
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "maintain/reflog-expire.h"
#include "maintain/reflog-expiry.h"

static int note_name(void *data, const char *name)
{
	if (refname_is_usable(name))
		string_list_append(data, name);
	return 0;
}

static int expire_one(struct reflog_expiry *x, struct repo_operation *op, struct repository *r,
		      const char *name, struct err *err)
{
	struct err why = ERR_INIT;
	int rc = reflog_expiry_begin(x, name, &why);

	if (!rc)
		rc = reflog_rewrite(r->refs, name, REFLOG_IF_FREE, reflog_expiry_keeps, x,
				    repo_operation_batch(op), &why);
	if (rc == ERR_LOCKED)
		repo_warn(r, "%s", err_message(&why));
	else if (rc < 0 && rc != ERR_NOT_FOUND) /* gone meanwhile */
		err_move(err, &why);
	err_release(&why);
	return rc == ERR_LOCKED || rc == ERR_NOT_FOUND ? 0 : rc;
}

int reflogs_expire(struct repo_operation *op, struct repository *r, struct err *err)
{
	struct string_list names = STRING_LIST_INIT;
	struct reflog_expiry *x = NULL;
	int rc = reflogs_foreach_everywhere(r->refs, note_name, &names, err);

	if (!rc && names.nr)
		rc = reflog_expiry_new(&x, r, err);
	for (size_t i = 0; !rc && i < names.nr; i++)
		rc = expire_one(x, op, r, names.items[i].string, err);
	reflog_expiry_free(x);
	string_list_clear(&names, NULL);
	return rc;
}

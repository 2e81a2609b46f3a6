/* SPDX-License-Identifier: GPL-2.0-only */
/* checkout, switch, restore: what both forms, of branches and of paths, do. */
#include "compat/posix.h"
#include "builtin/checkout/checkout.h"
#include "repo/hook.h"
#include "util/alloc.h"

int checkout_read_index(struct checkout *co, struct err *err)
{
	int rc = repo_operation_lock_index(co->op, err);

	if (!rc)
		rc = index_read_repo(&co->ix, co->r, err);
	return rc ? rc : converter_new(&co->conv, co->r, &co->ix, ATTR_CHECKIN, err);
}

void checkout_set_origin(const struct checkout *co, struct converter *conv)
{
	const char *name = co->command == RESTORE ? co->source : co->name;

	if (co->has_tree)
		converter_set_named_origin(conv, name, co->has_commit ? &co->commit : &co->tree);
}

/* Writes the files, with the attributes of the new index, which replaces the old one. */
int checkout_write_files(struct checkout *co, struct unpack_trees *m, struct err *err)
{
	struct converter *conv = NULL;
	int rc;

	converter_free(co->conv);
	co->conv = NULL;
	index_release(&co->ix);
	co->ix = m->result;
	index_init(&m->result, co->r->algo);
	rc = converter_new(&conv, co->r, &co->ix, ATTR_CHECKOUT, err);
	m->start_meter = checkout_meter(co);
	if (!rc)
		checkout_set_origin(co, conv);
	if (!rc)
		rc = unpack_trees_update_files(m, co->r, &co->ix, conv, err);
	converter_free(conv);
	return rc ? rc : converter_new(&co->conv, co->r, &co->ix, ATTR_CHECKIN, err);
}

int checkout_run_hook(struct checkout *co, const struct object_id *from, const struct object_id *to,
		      bool moved)
{
	char *old = xstrdup(oid_hex(from)), *new = xstrdup(oid_hex(to));
	const char *args[] = { old, new, moved ? "1" : "0", NULL };
	struct err err = ERR_INIT;
	int rc = repo_run_hook(co->r, "post-checkout", NULL, args, NULL, &err);

	if (rc < 0 && err.msg)
		report_error(&err);
	err_release(&err);
	free(old);
	free(new);
	return rc < 0 ? 1 : 0;
}

progress_start_fn checkout_meter(const struct checkout *co)
{
	if (co->progress > 0)
		return progress_start_delayed;
	return co->progress < 0 && !co->quiet ? progress_start : NULL;
}

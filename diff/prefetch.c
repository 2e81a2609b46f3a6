/* SPDX-License-Identifier: GPL-2.0-only */
/* In a partial clone: contents that a step is about to read, asked for together (odb_prefetch). */
#include "compat/posix.h"
#include "diff/diff-internal.h"
#include "object/tree.h"
#include "odb/odb.h"

void diff_want_file(struct oid_array *wanted, const struct diff_file *f)
{
	if (diff_file_exists(f) && f->oid_valid && !f->loaded && !MODE_IS_GITLINK(f->mode))
		oid_array_append(wanted, &f->oid);
}

int diff_prefetch(const struct diff_queue *q, const struct diff_options *o, struct err *err)
{
	struct oid_array wanted = OID_ARRAY_INIT;
	int rc;

	if (!odb_can_fetch(o->odb))
		return 0;
	for (size_t i = 0; i < q->nr; i++) {
		const struct diff_pair *p = q->pairs[i];

		if (p->unmerged || (p->old->oid_valid && p->new->oid_valid && oid_eq(&p->old->oid, &p->new->oid)))
			continue;
		diff_want_file(&wanted, p->old);
		diff_want_file(&wanted, p->new);
	}
	rc = odb_prefetch(o->odb, &wanted, err);
	oid_array_clear(&wanted);
	return rc;
}

int diff_prefetch_combined(const struct diff_combined_list *list, const struct diff_options *o, struct err *err)
{
	struct oid_array wanted = OID_ARRAY_INIT;
	int rc;

	if (!odb_can_fetch(o->odb))
		return 0;
	for (size_t i = 0; i < list->nr; i++) {
		diff_want_file(&wanted, list->items[i].new);
		for (size_t k = 0; k < list->items[i].nr; k++)
			diff_want_file(&wanted, list->items[i].old[k]);
	}
	rc = odb_prefetch(o->odb, &wanted, err);
	oid_array_clear(&wanted);
	return rc;
}

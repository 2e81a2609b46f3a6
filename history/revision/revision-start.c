/* SPDX-License-Identifier: GPL-2.0-only */
/* The one commit at which a walk starts, for those who look into it before the walk begins. */
#include "compat/posix.h"
#include "history/revision/revision-internal.h"

static bool is_excluded(const struct rev_walk *w, const struct object_id *oid)
{
	for (size_t i = 0; i < w->nr_starts; i++)
		if ((w->starts[i].flags & REV_UNINTERESTING) && oid_eq(&w->starts[i].oid, oid))
			return true;
	return false;
}

int rev_walk_only_start(struct rev_walk *w, struct commit **out, struct err *err)
{
	const struct rev_start *found = NULL;
	int rc = rev_add_default(w, err);

	for (size_t i = 0; !rc && i < w->nr_starts; i++) {
		const struct rev_start *s = &w->starts[i];

		if ((s->flags & REV_UNINTERESTING) || is_excluded(w, &s->oid))
			continue;
		if (found)
			return err_set(err, ERR_INVALID, "More than one commit to dig from: %s and %s?",
				       s->name, found->name);
		if (rev_peel_commit(w, &s->oid, out, NULL) < 0)
			return err_set(err, ERR_INVALID, "Non commit %s?", s->name);
		found = s;
	}
	if (!rc && !found)
		rc = err_set(err, ERR_INVALID, "No commit specified?");
	return rc;
}

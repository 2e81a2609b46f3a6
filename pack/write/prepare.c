/* SPDX-License-Identifier: GPL-2.0-only */
/* Prepares a new pack: looks up its objects and chooses the deltas. */
#include "compat/posix.h"
#include "pack/write/write-internal.h"

const char *pack_phase_title(enum pack_phase phase)
{
	return phase == PACK_PHASE_DELTAS ? "Compressing objects" : "Writing objects";
}

int pack_objects_prepare(struct pack_objects *po, struct err *err)
{
	int rc;

	if (po->prepared)
		BUG("a list of objects is prepared twice");
	rc = pack_marks_finish(po, err);
	po->prepared = true;
	if (!rc)
		rc = pack_list_locate(po, err);
	if (!rc)
		rc = pack_list_reuse(po, err);
	if (!rc && po->o.window && po->o.depth)
		rc = pack_list_search(po, err);
	return rc;
}

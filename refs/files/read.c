/* SPDX-License-Identifier: GPL-2.0-only */
/* One ref, one step: loose first, then packed. */
#include "compat/posix.h"
#include "refs/files/files-internal.h"
#include "refs/files/loose-internal.h"
#include "refs/files/packed-internal.h"

int files_read(struct ref_store *rs, const char *name, struct ref_value *out, struct err *err)
{
	struct packed_refs *packed;
	struct packed_entry e;
	struct loose_value v;
	int rc;

	name = ref_canonical_name(name);
	rc = loose_read(rs, name, &v, err);
	if (rc < 0)
		return rc;
	*out = (struct ref_value){ .kind = loose_ref_kind(v.kind), .oid = v.oid,
				   .target = v.target };
	if (out->kind != REF_KIND_MISSING || !ref_may_be_packed(rs, name))
		return 0;
	rc = packed_refs_get(rs, &packed, err);
	if (rc < 0)
		return rc;
	rc = packed_refs_lookup(packed, name, &e, err);
	if (rc > 0)
		*out = (struct ref_value){ .kind = REF_KIND_OID, .oid = e.oid, .packed = true };
	packed_refs_put(packed);
	return rc < 0 ? rc : 0;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* From a ref's name to its value: loose first, then packed; through symrefs. */
#include "compat/posix.h"
#include "refs/refs-internal.h"
#include "util/alloc.h"

/*
 * Another worktree's name for a shared ref is that ref: main-worktree/refs/heads/x
 * lives in packed-refs as refs/heads/x.
 */
const char *ref_canonical_name(const char *name)
{
	const char *id, *bare;
	size_t id_len;

	if (refname_worktree_prefix(name, &id, &id_len, &bare) &&
	    !refname_is_per_worktree(bare))
		return bare;
	return name;
}

int ref_read_step(struct ref_store *rs, const char *name, struct loose_value *v,
		  bool *packed, struct err *err)
{
	struct packed_entry e;
	struct packed_refs *p;
	int rc;

	*packed = false;
	name = ref_canonical_name(name);
	rc = loose_read(rs, name, v, err);
	if (rc < 0 || (v->kind != LOOSE_MISSING && v->kind != LOOSE_DIR))
		return rc;
	v->kind = LOOSE_MISSING;
	if (!ref_may_be_packed(rs, name))
		return 0;
	rc = packed_refs_get(rs, &p, err);
	if (rc < 0)
		return rc;
	rc = packed_refs_lookup(p, name, &e, err);
	if (rc > 0) {
		v->kind = LOOSE_OID;
		v->oid = e.oid;
		*packed = true;
	}
	packed_refs_put(p);
	return rc < 0 ? rc : 0;
}

static int check_readable_name(const char *name, unsigned *flags, struct err *err)
{
	if (refname_is_usable(name))
		return 0;
	if (!refname_is_safe(name))
		return err_set(err, ERR_INVALID, "bad ref name '%s'", name);
	*flags |= REF_BAD_NAME;
	return 0;
}

int ref_resolve(struct ref_store *rs, const char *name, struct object_id *oid,
		char **final, unsigned *flags, struct err *err)
{
	struct loose_value v = { .kind = LOOSE_MISSING };
	char *at = xstrdup(name);
	unsigned f = 0;
	bool packed;
	int depth, rc;

	rc = check_readable_name(name, &f, err);
	for (depth = 0; !rc; depth++) {
		if (depth == SYMREF_MAX_DEPTH) {
			rc = err_set(err, ERR_CORRUPT, "too many levels of symbolic refs at '%s'", name);
			break;
		}
		rc = ref_read_step(rs, at, &v, &packed, err);
		if (rc < 0 || v.kind != LOOSE_SYMREF)
			break;
		f |= REF_IS_SYMREF;
		free(at);
		at = v.target;
		v.target = NULL;
		if (!refname_is_valid(at, REFNAME_ALLOW_ONELEVEL) && !refname_is_safe(at))
			rc = err_set(err, ERR_CORRUPT,
				     "symbolic ref '%s' leads to bad name '%s'", name, at);
	}
	if (!rc && packed)
		f |= REF_IS_PACKED;
	if (!rc && v.kind == LOOSE_MISSING) {
		rc = err_set(err, ERR_NOT_FOUND, "ref '%s' does not exist", at);
		if (f & REF_IS_SYMREF)
			f |= REF_IS_BROKEN;
	} else if (!rc && (v.kind == LOOSE_BROKEN || oid_is_null(&v.oid))) {
		rc = err_set(err, ERR_CORRUPT, "ref '%s' is broken", at);
	}
	if (rc == ERR_CORRUPT)
		f |= REF_IS_BROKEN;
	if (!rc)
		*oid = v.oid;
	if (flags)
		*flags = f;
	if (final && (!rc || rc == ERR_NOT_FOUND))
		*final = at;
	else
		free(at);
	loose_value_release(&v);
	return rc;
}

int ref_read_raw(struct ref_store *rs, const char *name, struct object_id *oid,
		 char **target, struct err *err)
{
	struct loose_value v = { .kind = LOOSE_MISSING };
	unsigned f = 0;
	bool packed;
	int rc = check_readable_name(name, &f, err);

	if (!rc)
		rc = ref_read_step(rs, name, &v, &packed, err);
	if (rc < 0)
		return rc;
	switch (v.kind) {
	case LOOSE_SYMREF:
		*target = v.target;
		return 0;
	case LOOSE_OID:
		*target = NULL;
		*oid = v.oid;
		return 0;
	case LOOSE_BROKEN:
		return err_set(err, ERR_CORRUPT, "ref '%s' is broken", name);
	default:
		return err_set(err, ERR_NOT_FOUND, "ref '%s' does not exist", name);
	}
}

bool ref_peel(const struct ref_store *rs, const struct object_id *oid,
	      struct object_id *peeled)
{
	const struct object_source *src = rs->objects;
	struct object_info info;
	int rc;

	*peeled = rs->algo->null_oid;
	if (!src)
		return false;
	rc = src->info(src->data, oid, &info, NULL);
	if (rc < 0)
		return rc == ERR_NOT_FOUND; /* what is not there leads nowhere */
	if (info.type != OBJ_TAG)
		return true;
	if (!object_peel(src, oid, OBJ_ANY, peeled, NULL, NULL))
		return true;
	*peeled = rs->algo->null_oid;
	return false;
}

bool ref_exists(struct ref_store *rs, const char *name)
{
	struct object_id oid;

	return !ref_resolve(rs, name, &oid, NULL, NULL, NULL);
}

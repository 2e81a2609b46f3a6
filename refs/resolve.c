/* SPDX-License-Identifier: GPL-2.0-only */
/* From a ref's name to its value, through symbolic refs. */
#include "compat/posix.h"
#include "refs/refs-backend.h"
#include "util/alloc.h"

const char *ref_canonical_name(const char *name)
{
	const char *id, *bare;
	size_t id_len;

	if (refname_worktree_prefix(name, &id, &id_len, &bare) &&
	    !refname_is_per_worktree(bare))
		return bare;
	return name;
}

void ref_value_release(struct ref_value *v)
{
	FREE_AND_NULL(v->target);
	v->kind = REF_KIND_MISSING;
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
	struct ref_value v = { .kind = REF_KIND_MISSING };
	char *at = xstrdup(name);
	unsigned f = 0;
	int depth, rc;

	rc = check_readable_name(name, &f, err);
	if (!rc && f & REF_BAD_NAME)
		rc = err_set(err, ERR_CORRUPT, "ref '%s' has a bad name", name);
	for (depth = 0; !rc; depth++) {
		if (depth == SYMREF_MAX_DEPTH) {
			rc = err_set(err, ERR_CORRUPT, "too many levels of symbolic refs at '%s'", name);
			break;
		}
		rc = rs->backend->read(rs, at, &v, err);
		if (rc < 0 || v.kind != REF_KIND_SYMREF)
			break;
		f |= REF_IS_SYMREF;
		free(at);
		at = v.target;
		v.target = NULL;
		if (!refname_is_valid(at, REFNAME_ALLOW_ONELEVEL))
			rc = err_set(err, ERR_CORRUPT,
				     "symbolic ref '%s' leads to bad name '%s'", name, at);
	}
	if (!rc)
		f |= v.flags;
	if (!rc && v.kind == REF_KIND_MISSING) {
		rc = err_set(err, ERR_NOT_FOUND, "ref '%s' does not exist", at);
		if (f & REF_IS_SYMREF)
			f |= REF_IS_BROKEN;
	} else if (!rc && (v.kind == REF_KIND_BROKEN || oid_is_null(&v.oid))) {
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
	ref_value_release(&v);
	return rc;
}

int ref_read_raw(struct ref_store *rs, const char *name, struct object_id *oid,
		 char **target, struct err *err)
{
	struct ref_value v = { .kind = REF_KIND_MISSING };
	unsigned f = 0;
	int rc = check_readable_name(name, &f, err);

	if (!rc)
		rc = rs->backend->read(rs, name, &v, err);
	if (rc < 0)
		return rc;
	switch (v.kind) {
	case REF_KIND_SYMREF:
		*target = v.target;
		return 0;
	case REF_KIND_OID:
		*target = NULL;
		*oid = v.oid;
		return 0;
	case REF_KIND_BROKEN:
		return err_set(err, ERR_CORRUPT, "ref '%s' is broken", name);
	default:
		return err_set(err, ERR_NOT_FOUND, "ref '%s' does not exist", name);
	}
}

bool ref_holds_zeros(struct ref_store *rs, const char *name)
{
	struct object_id oid;
	char *target = NULL;
	bool yes = !ref_read_raw(rs, name, &oid, &target, NULL) && !target && oid_is_null(&oid);

	free(target);
	return yes;
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
		return rc == ERR_NOT_FOUND; /* a missing ref leads nowhere */
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

/* SPDX-License-Identifier: GPL-2.0-only */
/* git-replace(1): the refs. */
#include "compat/posix.h"
#include "builtin/replace/replace-cmd.h"
#include "history/names/revparse.h"
#include "util/alloc.h"

char *replace_ref(const struct replace_cmd *c, const struct object_id *oid)
{
	return xstrfmt("%s%s", c->base, oid_hex(oid));
}

int replace_type(struct replace_cmd *c, const struct object_id *oid, enum object_type *type)
{
	uint64_t size;

	return odb_type(c->r->odb, oid, type, &size, NULL);
}

/* ---- the ref ---- */

int replace_check_ref(struct replace_cmd *c, const char *ref, struct object_id *old, struct err *err)
{
	*old = c->r->algo->null_oid;
	if (!refname_is_valid(ref, 0))
		return err_set(err, ERR_INVALID, "'%s' is not a valid ref name", ref);
	if (ref_resolve(c->r->refs, ref, old, NULL, NULL, NULL) < 0)
		*old = c->r->algo->null_oid;
	else if (!c->force)
		return err_set(err, ERR_EXISTS, "replace ref '%s' already exists", ref);
	return 0;
}

static int check_types(struct replace_cmd *c, const struct replacement *rep, struct err *err)
{
	enum object_type was = OBJ_BAD, is = OBJ_BAD;

	if (replace_type(c, &rep->old_oid, &was) < 0)
		was = OBJ_BAD;
	if (replace_type(c, &rep->new_oid, &is) < 0)
		is = OBJ_BAD;
	if (c->force || was == is)
		return 0;
	return err_set(err, ERR_INVALID, "Objects must be of the same type.\n'%s' points to a replaced object of type '%s'\n"
		       "while '%s' points to a replacement object of type '%s'.", rep->old_name,
		       was == OBJ_BAD ? "(null)" : object_type_name(was), rep->new_name,
		       is == OBJ_BAD ? "(null)" : object_type_name(is));
}

int replace_queue(struct replace_cmd *c, const struct replacement *rep, struct err *err)
{
	char *ref = replace_ref(c, &rep->old_oid);
	struct object_id old;
	int rc = check_types(c, rep, err);

	if (!rc)
		rc = replace_check_ref(c, ref, &old, err);
	if (!rc && !c->force && strmap_contains(&c->queued, ref))
		rc = err_set(err, ERR_EXISTS, "replace ref '%s' already exists", ref);
	if (!rc)
		free(strmap_put(&c->queued, ref, xmemdup(&rep->new_oid, sizeof(rep->new_oid))));
	free(ref);
	return rc;
}

static int update_refs(struct replace_cmd *c, struct err *err)
{
	struct strmap_entry **entries = strmap_sorted(&c->queued);
	struct ref_transaction *t;
	struct object_id old;
	int rc = c->queued.nr ? repo_operation_begin_refs(c->op, 0, &t, err) : 0;

	for (size_t i = 0; !rc && i < c->queued.nr; i++) {
		rc = replace_check_ref(c, entries[i]->key, &old, err);
		if (!rc)
			rc = ref_transaction_update(t, entries[i]->key, entries[i]->value, &old, 0, NULL, err);
	}
	free(entries);
	strmap_clear(&c->queued, free);
	return rc;
}

int replace_publish(struct replace_cmd *c, int rc, struct err *err)
{
	if (!rc)
		rc = update_refs(c, err);
	return repo_operation_end(c->op, rc, err);
}

int replace_end(struct replace_cmd *c, int rc, struct err *err)
{
	rc = replace_publish(c, rc, err);
	if (rc < 0)
		report_error(err);
	return rc < 0 ? REPLACE_FAILED : 0;
}

static int resolve_object(struct replace_cmd *c, const char *name, struct object_id *oid, struct err *err)
{
	return revparse_oid(c->r, name, oid, NULL) < 0 ?
		err_set(err, ERR_NOT_FOUND, "failed to resolve '%s' as a valid ref", name) : 0;
}

int replace_object(struct replace_cmd *c, const char *old_name, const char *new_name)
{
	struct replacement rep = { .old_name = old_name, .new_name = new_name };
	struct err err = ERR_INIT;
	int rc = resolve_object(c, old_name, &rep.old_oid, &err);

	if (!rc)
		rc = resolve_object(c, new_name, &rep.new_oid, &err);
	c->op = repo_operation_begin(c->r);
	if (!rc)
		rc = replace_queue(c, &rep, &err);
	return replace_end(c, rc, &err);
}

int replace_check_difference(const struct replacement *rep, const char *kind, struct err *err)
{
	return oid_eq(&rep->old_oid, &rep->new_oid) ?
		err_set(err, ERR_EXISTS, "new %s is the same as the old one: '%s'", kind, oid_hex(&rep->old_oid)) : 0;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* gitrevisions(7): names of objects, with or without a path, and why one means nothing. */
#include "compat/posix.h"
#include "history/names/revparse-internal.h"
#include "util/alloc.h"

void revparse_result_release(struct revparse_result *r)
{
	FREE_AND_NULL(r->path);
}

/* The colon that divides REV from path, outside of "@{…}" and "^{…}"; NULL: none. */
static const char *find_colon(const char *name)
{
	const char *s;
	int depth = 0;

	for (s = name; *s; s++) {
		if (*s == '{' && s > name && (s[-1] == '@' || s[-1] == '^'))
			depth++;
		else if (*s == '}' && depth)
			depth--;
		else if (*s == ':' && !depth)
			return s;
	}
	return NULL;
}

int revparse_quietly(struct repository *r, const char *name, enum object_type hint,
		     struct revparse_result *out, struct err *err)
{
	struct revparse_result res = { .mode = 0 };
	struct err local = ERR_INIT;
	const char *colon;
	int rc;

	rc = rev_parse_expr(r, name, strlen(name), hint, &res.oid, &local);
	if (rc == ERR_NOT_FOUND && !local.msg) {
		if (name[0] == ':' && name[1] == '/')
			rc = rev_parse_text(r, name + 2, strlen(name + 2), NULL, &res.oid, &local);
		else if ((colon = find_colon(name)))
			rc = rev_parse_path(r, name, colon, &res, &local);
	}
	if (!rc)
		*out = res;
	else
		revparse_result_release(&res);
	err_move(err, &local);
	err_release(&local);
	return rc;
}

static int explain(struct repository *r, const char *name, bool never_a_path, struct err *err)
{
	const char *colon = find_colon(name);

	if (colon && !(name[0] == ':' && (!name[1] || strchr("/!^", name[1]))) &&
	    rev_explain_path(r, name, colon, err) < 0)
		return ERR_NOT_FOUND;
	if (never_a_path)
		return err_set(err, ERR_NOT_FOUND, "bad revision '%s'", name);
	return err_set(err, ERR_NOT_FOUND, "ambiguous argument '%s': unknown revision or path not "
		       "in the working tree.\nUse '--' to separate paths from revisions, like "
		       "this:\n'git <command> [<revision>...] -- [<file>...]'", name);
}

int revparse_explain(struct repository *r, const char *name, bool never_a_path, struct err *err)
{
	struct err why = ERR_INIT;
	int rc = explain(r, name, never_a_path, &why);

	if (err && err->preface)
		err_set_preface(&why, err->preface);
	err_release(err);
	err_move(err, &why);
	return rc;
}

int revparse(struct repository *r, const char *name, enum object_type hint,
	     struct revparse_result *out, struct err *err)
{
	struct err local = ERR_INIT;
	int rc = revparse_quietly(r, name, hint, out, &local);

	if (rc == ERR_NOT_FOUND && !local.msg) {
		revparse_explain(r, name, false, &local);
	} else if (rc == ERR_AMBIGUOUS) {
		revparse_explain(r, name, false, &local);
		local.code = ERR_AMBIGUOUS;
	}
	err_move(err, &local);
	err_release(&local);
	return rc;
}

static int parse_with_hint(struct repository *r, const char *name, enum object_type hint,
			   struct object_id *oid, struct err *err)
{
	struct revparse_result res;
	int rc = revparse(r, name, hint, &res, err);

	if (rc < 0)
		return rc;
	*oid = res.oid;
	revparse_result_release(&res);
	return 0;
}

int revparse_oid(struct repository *r, const char *name, struct object_id *oid, struct err *err)
{
	return parse_with_hint(r, name, OBJ_ANY, oid, err);
}

int revparse_of_type(struct repository *r, const char *name, enum object_type type,
		     struct object_id *oid, struct err *err)
{
	return parse_with_hint(r, name, (enum object_type)(type | HINT_EXACT), oid, err);
}

static int parse_peeled(struct repository *r, const char *name, enum object_type want,
			struct object_id *out, struct err *err)
{
	struct object_id oid;
	int rc = parse_with_hint(r, name, want, &oid, err);

	return rc < 0 ? rc : object_peel(odb_source(r->odb), &oid, want, out, NULL, err);
}

int revparse_commit(struct repository *r, const char *name, struct object_id *oid,
		    struct err *err)
{
	return parse_peeled(r, name, OBJ_COMMIT, oid, err);
}

int revparse_tree(struct repository *r, const char *name, struct object_id *oid, struct err *err)
{
	return parse_peeled(r, name, OBJ_TREE, oid, err);
}

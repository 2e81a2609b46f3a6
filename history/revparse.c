/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The grammar. Operators stand at the end and are taken off from there:
 *
 *	EXPR ~N | EXPR ^N | EXPR ^{…}	what is left of them is parsed first
 *	a ref, a ref with @{…}, a full or abbreviated object name, describe's output
 */
#include "compat/posix.h"
#include "history/revparse-internal.h"
#include "object/commit.h"
#include "util/alloc.h"

void revparse_result_release(struct revparse_result *r)
{
	FREE_AND_NULL(r->path);
}

bool rev_warn_ambiguous(const struct repository *r)
{
	bool warn = true;

	config_get_bool(r->config, "core.warnambiguousrefs", &warn, NULL);
	return warn;
}

/* ---- parents ---- */

/* The n-th parent, 1…; with 0 the commit itself. oid may be a tag. */
static int nth_parent(struct repository *r, const struct object_id *oid, unsigned n,
		      struct object_id *out, struct err *err)
{
	struct oid_array parents = OID_ARRAY_INIT;
	struct object_buf buf = OBJECT_BUF_INIT;
	struct object_id commit;
	int rc;

	rc = odb_read_peeled(r->odb, oid, OBJ_COMMIT, &buf, &commit, NULL);
	if (rc < 0)
		return ERR_NOT_FOUND;
	rc = commit_parse_links(buf.data, buf.size, r->algo, NULL, &parents, NULL, err);
	if (!rc && !n)
		*out = commit;
	else if (!rc && n <= parents.nr)
		*out = parents.oid[n - 1];
	else if (!rc)
		rc = ERR_NOT_FOUND;
	oid_array_clear(&parents);
	object_buf_release(&buf);
	return rc;
}

/*
 * Digits at the end of name, behind '~' or '^'; a number that is too large
 * stands for one that nothing has.
 */
static bool split_number(const char *name, size_t len, size_t *base, char *op, unsigned *n)
{
	size_t at = len, i;
	unsigned value = 0;

	while (at && isdigit((unsigned char)name[at - 1]))
		at--;
	if (!at || (name[at - 1] != '~' && name[at - 1] != '^'))
		return false;
	for (i = at; i < len; i++) {
		if (value > (INT_MAX - 9) / 10)
			value = INT_MAX / 100;
		value = value * 10 + (name[i] - '0');
	}
	*op = name[at - 1];
	*n = at == len ? 1 : value;
	*base = at - 1;
	return true;
}

static int parse_number_op(struct repository *r, const char *name, size_t base, char op,
			   unsigned n, struct object_id *oid, struct err *err)
{
	int rc = rev_parse_expr(r, name, base, OBJ_COMMIT, oid, err);

	if (rc < 0)
		return rc;
	if (op == '^')
		return nth_parent(r, oid, n, oid, err);
	rc = nth_parent(r, oid, 0, oid, err);
	while (!rc && n--)
		rc = nth_parent(r, oid, 1, oid, err);
	return rc;
}

/* ---- ^{…} ---- */

/* "…^{": where the '^' is, for a name that ends in '}'. */
static bool split_peel(const char *name, size_t len, size_t *base)
{
	size_t i;

	if (!len || name[len - 1] != '}')
		return false;
	for (i = len - 1; i > 1; i--)
		if (name[i - 1] == '{' && name[i - 2] == '^') {
			*base = i - 2;
			return true;
		}
	return false;
}

static int peel_to(struct repository *r, const char *name, size_t len,
		   const struct object_id *oid, enum object_type want,
		   struct object_id *out, struct err *err)
{
	enum object_type type;
	struct object_id at;
	int rc;

	rc = object_peel(odb_source(r->odb), oid, want, &at, &type, NULL);
	if (!rc) {
		*out = at;
		return 0;
	}
	if (rc != ERR_INVALID)
		return ERR_NOT_FOUND;
	if (object_peel(odb_source(r->odb), oid, OBJ_ANY, &at, &type, NULL) < 0)
		return ERR_NOT_FOUND;
	/* A commit on the way to something else is seen as its tree. */
	if (type == OBJ_COMMIT && want != OBJ_TAG)
		type = OBJ_TREE;
	return err_set(err, ERR_NOT_FOUND, "%.*s: expected %s type, but the object "
		       "dereferences to %s type", (int)len, name, object_type_name(want),
		       object_type_name(type));
}

static int parse_peel(struct repository *r, const char *name, size_t len, size_t base,
		      struct object_id *oid, struct err *err)
{
	const char *what = name + base + 2;
	size_t what_len = len - base - 3;
	enum object_type want = OBJ_ANY, hint = OBJ_ANY;
	bool exists = false;
	int rc;

	if (what_len && *what == '/')
		hint = OBJ_COMMIT;
	else if (what_len == 6 && !memcmp(what, "object", 6))
		exists = true;
	else if (what_len && (want = object_type_from_name(what, what_len)) == OBJ_BAD)
		return ERR_NOT_FOUND;
	if (want == OBJ_COMMIT || want == OBJ_TREE)
		hint = want;
	rc = rev_parse_expr(r, name, base, hint, oid, err);
	if (rc < 0)
		return rc;
	if (exists)
		return odb_has(r->odb, oid) ? 0 : ERR_NOT_FOUND;
	if (what_len && *what == '/') {
		rc = peel_to(r, name, len, oid, OBJ_COMMIT, oid, err);
		if (rc < 0 || what_len == 1)
			return rc;
		return rev_parse_text(r, what + 1, what_len - 1, oid, oid, err);
	}
	return peel_to(r, name, len, oid, want, oid, err);
}

/* ---- names ---- */

/* "v1.0-5-gabcdef": the hex digits behind the last "-g". */
static bool split_describe(const char *name, size_t len, size_t *hex_at)
{
	size_t i = len;

	while (i && hex_value((unsigned char)name[i - 1]) >= 0)
		i--;
	/* The 'g' itself is no hex digit, so i stands right behind it. */
	if (i == len || i < 2 || name[i - 1] != 'g' || name[i - 2] != '-')
		return false;
	*hex_at = i;
	return true;
}

static void warn_hex_ref(struct repository *r, const char *name, size_t len)
{
	struct strbuf copy = STRBUF_INIT;
	bool advise = true;
	char *full;

	/* A ref of that name is most likely a mistake; the object wins. */
	strbuf_add(&copy, name, len);
	if (rev_warn_ambiguous(r) && ref_dwim(r->refs, copy.buf, len, &full, NULL)) {
		free(full);
		config_get_bool(r->config, "advice.objectnamewarning", &advise, NULL);
		repo_warn(r, "refname '%s' is ambiguous.%s", copy.buf, !advise ? "" :
			  "\nA ref has the very name of an object, which is what is meant "
			  "here. It was\nprobably made by mistake; look at it and delete it. "
			  "To see no more of this:\n\"git config advice.objectNameWarning false\"");
	}
	strbuf_release(&copy);
}

static int parse_name(struct repository *r, const char *name, size_t len,
		      enum object_type hint, struct object_id *oid, struct err *err)
{
	const char *end;
	size_t hex_at;
	int rc;

	if (len == r->algo->hex_len && !oid_parse_hex(oid, name, r->algo, &end)) {
		warn_hex_ref(r, name, len);
		return 0;
	}
	rc = rev_parse_ref(r, name, len, oid, err);
	if (rc != ERR_NOT_FOUND || (err && err->msg))
		return rc;
	if (split_describe(name, len, &hex_at)) {
		rc = rev_parse_abbrev(r, name + hex_at, len - hex_at, OBJ_COMMIT, oid, err);
		if (rc != ERR_NOT_FOUND)
			return rc;
	}
	return rev_parse_abbrev(r, name, len, hint, oid, err);
}

int rev_parse_expr(struct repository *r, const char *name, size_t len,
		   enum object_type hint, struct object_id *oid, struct err *err)
{
	size_t base;
	unsigned n;
	char op;

	if (split_number(name, len, &base, &op, &n))
		return parse_number_op(r, name, base, op, n, oid, err);
	if (split_peel(name, len, &base))
		return parse_peel(r, name, len, base, oid, err);
	return parse_name(r, name, len, hint, oid, err);
}

/* ---- the public face ---- */

const char *rev_find_colon(const char *name)
{
	const char *s;
	int depth = 0;

	for (s = name; *s; s++) {
		if (*s == '{')
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
		else if ((colon = rev_find_colon(name)))
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

int revparse_explain(struct repository *r, const char *name, bool never_a_path, struct err *err)
{
	const char *colon = rev_find_colon(name);

	if (colon && !(name[0] == ':' && name[1] == '/') &&
	    rev_explain_path(r, name, colon, err) < 0)
		return ERR_NOT_FOUND;
	if (never_a_path)
		return err_set(err, ERR_NOT_FOUND, "bad revision '%s'", name);
	return err_set(err, ERR_NOT_FOUND, "ambiguous argument '%s': unknown revision or path not "
		       "in the working tree.\nUse '--' to separate paths from revisions, like "
		       "this:\n'git <command> [<revision>...] -- [<file>...]'", name);
}

int revparse(struct repository *r, const char *name, enum object_type hint,
	     struct revparse_result *out, struct err *err)
{
	struct err local = ERR_INIT;
	int rc = revparse_quietly(r, name, hint, out, &local);

	if (rc == ERR_NOT_FOUND && !local.msg) {
		revparse_explain(r, name, false, &local);
	} else if (rc == ERR_AMBIGUOUS) {
		struct err said = ERR_INIT;

		err_move(&said, &local);
		revparse_explain(r, name, false, &local);
		local.code = ERR_AMBIGUOUS;
		if (said.preface)
			err_set_preface(&local, said.preface);
		err_release(&said);
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

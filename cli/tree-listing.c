/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "cli/tree-listing.h"
#include "object/tree.h"
#include "odb/odb.h"
#include "repo/repo.h"
#include "util/alloc.h"
#include "util/quote.h"

struct listed_entry {
	unsigned mode;
	struct object_id oid;
	char *name;
};

static const char *parse_mode(const char *p, unsigned *mode)
{
	unsigned m = 0;

	if (*p < '0' || *p > '7')
		return NULL;
	for (; *p >= '0' && *p <= '7'; p++) {
		if (m > UINT_MAX >> 3)
			return NULL;
		m = m << 3 | (unsigned)(*p - '0');
	}
	*mode = m;
	return *p == ' ' ? p + 1 : NULL;
}

static int parse_line(const struct tree_listing *l, const char *line, struct listed_entry *e, enum object_type *type,
		      const char **name, struct err *err)
{
	const char *p = parse_mode(line, &e->mode), *space = p ? strchr(p, ' ') : NULL;

	if (!space || oid_parse_hex(&e->oid, space + 1, l->r->algo, name) < 0 || **name != '\t')
		return err_set(err, ERR_INVALID, "input format error: %s", line);
	*type = object_type_from_name(p, (size_t)(space - p));
	if (*type == OBJ_BAD)
		return err_set(err, ERR_INVALID, "invalid object type \"%.*s\"", (int)(space - p), p);
	if (!*++*name)
		return err_set(err, ERR_INVALID, "input format error: %s", line);
	return 0;
}

static int parse_name(const struct tree_listing *l, const char *name, struct listed_entry *e, struct err *err)
{
	struct strbuf plain = STRBUF_INIT;
	const char *end;

	if (l->nul || *name != '"') {
		strbuf_addstr(&plain, name);
	} else if (unquote_c_style(&plain, name, &end) < 0) {
		strbuf_release(&plain);
		return err_set(err, ERR_INVALID, "invalid quoting");
	}
	e->name = strbuf_detach(&plain, NULL);
	if (strchr(e->name, '/'))
		return err_set(err, ERR_INVALID, "path %s contains slash", e->name);
	return 0;
}

static int check_object(const struct tree_listing *l, const struct listed_entry *e, enum object_type type, struct err *err)
{
	enum object_type wanted = mode_object_type(e->mode), found;
	uint64_t size;
	int rc;

	if (type != wanted)
		return err_set(err, ERR_INVALID, "entry '%s' object type (%s) doesn't match mode type (%s)", e->name,
			       object_type_name(type), object_type_name(wanted));
	rc = odb_type(l->r->odb, &e->oid, &found, &size, err);
	if (!rc && found != type)
		return err_set(err, ERR_INVALID, "entry '%s' object %s is a %s but specified type was (%s)", e->name,
			       oid_hex(&e->oid), object_type_name(found), object_type_name(type));
	if (rc != ERR_NOT_FOUND)
		return rc;
	err_release(err);
	if (l->missing || MODE_IS_GITLINK(e->mode))
		return 0;
	return err_set(err, ERR_NOT_FOUND, "entry '%s' object %s is unavailable", e->name, oid_hex(&e->oid));
}

int tree_listing_add(struct tree_listing *l, const char *line, struct err *err)
{
	struct listed_entry e = { .name = NULL };
	enum object_type type = OBJ_BAD;
	const char *name;
	int rc = parse_line(l, line, &e, &type, &name, err);

	if (!rc)
		rc = parse_name(l, name, &e, err);
	if (!rc)
		rc = check_object(l, &e, type, err);
	if (rc < 0) {
		free(e.name);
		return rc;
	}
	ALLOC_GROW(l->v, l->nr + 1, l->alloc);
	l->v[l->nr++] = e;
	return 0;
}

static int entry_cmp(const void *a, const void *b)
{
	const struct listed_entry *x = a, *y = b;

	return tree_entry_cmp(x->name, strlen(x->name), x->mode, y->name, strlen(y->name), y->mode);
}

void tree_listing_take(struct tree_listing *l, struct strbuf *tree)
{
	if (l->nr)
		qsort(l->v, l->nr, sizeof(*l->v), entry_cmp);
	for (size_t i = 0; i < l->nr; i++)
		tree_append(tree, l->v[i].mode, l->v[i].name, strlen(l->v[i].name), &l->v[i].oid);
	tree_listing_release(l);
}

void tree_listing_release(struct tree_listing *l)
{
	while (l->nr)
		free(l->v[--l->nr].name);
	FREE_AND_NULL(l->v);
	l->alloc = 0;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* Objects and packs that git-pack-objects(1) reads from its standard input. */
#include "compat/posix.h"
#include "builtin/pack/pack-objects.h"
#include "object/tree.h"
#include "odb/odb.h"
#include "util/alloc.h"
#include "util/map.h"

/* ---- what the other side has ---- */

struct list {
	struct pack_collection *c;
	struct oid_array preferred_trees;
};

/*
 * The tree of a commit: files of the same path in it are good bases. It is a hint: a missing object, or
 * one that leads to no tree, does no harm.
 */
static int note_preferred(struct list *l, const struct object_id *oid, struct err *err)
{
	struct err why = ERR_INIT;
	struct object_id tree;
	enum object_type type;
	int rc = object_peel(odb_source(l->c->r->odb), oid, OBJ_TREE, &tree, &type, &why);

	/* As many as there is room for in a window. */
	if (!rc && l->preferred_trees.nr < l->c->o.window)
		oid_array_append(&l->preferred_trees, &tree);
	if (rc == ERR_NOT_FOUND || rc == ERR_INVALID)
		rc = 0;
	if (rc < 0)
		err_move(err, &why);
	err_release(&why);
	return rc;
}

static int add_preferred(struct list *l, const char *path, struct err *err)
{
	const struct object_source *src = odb_source(l->c->r->odb);
	int rc = 0;

	for (size_t i = 0; i < l->preferred_trees.nr && !rc; i++) {
		struct object_id oid;
		unsigned mode;

		rc = tree_lookup_path(src, &l->preferred_trees.oid[i], path, &mode, &oid, NULL);
		if (rc == ERR_NOT_FOUND) {
			rc = 0;
			continue;
		}
		if (!rc && !S_ISDIR(mode) && !S_ISREG(mode) && !S_ISLNK(mode))
			continue;
		if (!rc)
			rc = pack_objects_add(l->c->po, &oid, S_ISDIR(mode) ? OBJ_TREE : OBJ_BLOB, path,
					      PACK_PREFERRED_BASE, err);
		else
			rc = err_set(err, rc, "cannot read the tree %s",
				     oid_hex(&l->preferred_trees.oid[i]));
	}
	return rc;
}

/* ---- names of objects ---- */

static int add_line(struct list *l, const char *line, struct err *err)
{
	bool preferred = *line == '-';
	struct object_id oid;
	const char *end;
	int rc;

	if (oid_parse_hex(&oid, line + preferred, l->c->r->algo, &end) < 0)
		return err_set(err, ERR_INVALID, "expected %sobject ID, got garbage:\n %s",
			       preferred ? "edge " : "", line);
	if (preferred)
		return note_preferred(l, &oid, err);
	end += *end == ' ';
	rc = *end ? add_preferred(l, end, err) : 0;
	if (!rc)
		rc = pack_collection_add(l->c, &oid, OBJ_NONE, *end ? end : NULL, 0, err);
	return rc;
}

int pack_read_object_list(struct pack_collection *c, struct err *err)
{
	struct list l = { c, OID_ARRAY_INIT };
	struct strbuf line = STRBUF_INIT;
	int rc = 0;

	while (!rc && !strbuf_getline_lf(&line, stdin))
		rc = add_line(&l, line.buf, err);
	if (!rc && ferror(stdin))
		rc = err_set_errno(err, "cannot read the standard input");
	strbuf_release(&line);
	oid_array_clear(&l.preferred_trees);
	return rc;
}

/* ---- revisions ---- */

int pack_read_revisions(struct strvec *lines, struct err *err)
{
	struct strbuf line = STRBUF_INIT;

	while (!strbuf_getline_lf(&line, stdin) && line.len)
		strvec_push(lines, line.buf);
	strbuf_release(&line);
	return ferror(stdin) ? err_set_errno(err, "cannot read the standard input") : 0;
}

/* ---- packs ---- */

struct pack_search {
	const char *name;
	struct pack *found;
};

static int is_it(void *data, struct pack *p)
{
	struct pack_search *s = data;

	if (!strcmp(pack_file_name(p), s->name))
		s->found = p;
	return s->found != NULL;
}

/* A pack of ours or of an alternate by its name without directory; NULL: there is none. */
static struct pack *find_pack(struct pack_collection *c, const char *name)
{
	struct pack_search s = { name, NULL };

	odb_foreach_pack(c->r->odb, ODB_ALL, is_it, &s);
	return s.found;
}

static int note_pack(struct pack_collection *c, struct pack_choices *p, const char *line, struct err *err)
{
	struct pack_choice *to = *line == '^' ? &p->closed : p->follow && *line == '!' ? &p->open : &p->included;
	const char *name = line + (to != &p->included);
	struct pack *found;

	if (!*line)
		return 0;
	found = find_pack(c, name);
	if (!found)
		return err_set(err, ERR_NOT_FOUND, "could not find pack '%s'", name);
	ALLOC_GROW(to->v, to->nr + 1, to->alloc);
	to->v[to->nr++] = found;
	return 0;
}

int pack_read_pack_list(struct pack_collection *c, bool follow, struct err *err)
{
	struct pack_choices p = { .follow = follow };
	struct strbuf line = STRBUF_INIT;
	int rc = 0;

	while (!rc && !strbuf_getline_lf(&line, stdin))
		rc = note_pack(c, &p, line.buf, err);
	if (!rc && ferror(stdin))
		rc = err_set_errno(err, "cannot read the standard input");
	if (!rc)
		rc = pack_collect_packs(c, &p, err);
	strbuf_release(&line);
	free(p.included.v);
	free(p.closed.v);
	free(p.open.v);
	return rc;
}

int pack_read_discarded(struct pack_collection *c, struct strset *discarded, struct err *err)
{
	struct strbuf line = STRBUF_INIT;
	int rc = 0;

	while (!rc && !strbuf_getline_lf(&line, stdin)) {
		const char *name = line.buf + (*line.buf == '-');

		if (*name && !find_pack(c, name))
			rc = err_set(err, ERR_NOT_FOUND, "could not find pack '%s'", name);
		else if (name > line.buf)
			strset_add(discarded, name);
	}
	if (!rc && ferror(stdin))
		rc = err_set_errno(err, "cannot read the standard input");
	strbuf_release(&line);
	return rc;
}

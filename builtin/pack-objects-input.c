/* SPDX-License-Identifier: GPL-2.0-only */
/* Objects and packs that git-pack-objects(1) is told of on its standard input. */
#include "compat/posix.h"
#include "builtin/pack-objects.h"
#include "fs/file.h"
#include "object/tree.h"
#include "odb.h"
#include "util/alloc.h"
#include "util/map.h"

/* ---- what the other side has ---- */

/*
 * The tree of a commit: files of the same path in it are good bases. It is a hint: what is not there, or
 * leads to no tree, does no harm.
 */
static int note_preferred(struct pack_command *c, const struct object_id *oid, struct err *err)
{
	struct err why = ERR_INIT;
	struct object_id tree;
	enum object_type type;
	int rc = object_peel(odb_source(c->r->odb), oid, OBJ_TREE, &tree, &type, &why);

	/* As many as there is room for in a window. */
	if (!rc && c->preferred_trees.nr < c->o.window)
		oid_array_append(&c->preferred_trees, &tree);
	if (rc == ERR_NOT_FOUND || rc == ERR_INVALID)
		rc = 0;
	if (rc < 0)
		err_move(err, &why);
	err_release(&why);
	return rc;
}

static int add_preferred(struct pack_command *c, const char *path, struct err *err)
{
	const struct object_source *src = odb_source(c->r->odb);
	int rc = 0;

	for (size_t i = 0; i < c->preferred_trees.nr && !rc; i++) {
		struct object_id oid;
		unsigned mode;

		rc = tree_lookup_path(src, &c->preferred_trees.oid[i], path, &mode, &oid, NULL);
		if (rc == ERR_NOT_FOUND) {
			rc = 0;
			continue;
		}
		if (!rc && !S_ISDIR(mode) && !S_ISREG(mode) && !S_ISLNK(mode))
			continue;
		if (!rc)
			rc = pack_objects_add(c->po, &oid, S_ISDIR(mode) ? OBJ_TREE : OBJ_BLOB, path,
					      PACK_PREFERRED_BASE, err);
		else
			rc = err_set(err, rc, "cannot read the tree %s",
				     oid_hex(&c->preferred_trees.oid[i]));
	}
	return rc;
}

/* ---- names of objects ---- */

static int add_line(struct pack_command *c, const char *line, struct err *err)
{
	bool preferred = *line == '-';
	struct object_id oid;
	const char *end;
	int rc;

	if (oid_parse_hex(&oid, line + preferred, c->r->algo, &end) < 0)
		return err_set(err, ERR_INVALID, "expected %sobject ID, got garbage:\n %s",
			       preferred ? "edge " : "", line);
	if (preferred)
		return note_preferred(c, &oid, err);
	end += *end == ' ';
	rc = *end ? add_preferred(c, end, err) : 0;
	if (!rc)
		rc = pack_command_add(c, &oid, OBJ_NONE, *end ? end : NULL, 0, err);
	return rc;
}

/* Calls fn for each line of stdin. */
static int read_lines(struct pack_command *c,
		      int (*fn)(struct pack_command *c, const char *line, struct err *err),
		      struct err *err)
{
	struct strbuf line = STRBUF_INIT;
	int rc = 0;

	while (!rc && !strbuf_getline_lf(&line, stdin))
		rc = fn(c, line.buf, err);
	if (!rc && ferror(stdin))
		rc = err_set_errno(err, "cannot read the standard input");
	strbuf_release(&line);
	return rc;
}

int pack_read_object_list(struct pack_command *c, struct err *err)
{
	return read_lines(c, add_line, err);
}

/* ---- packs ---- */

struct pack_search {
	const char *name;
	struct pack *found;
};

static int is_it(void *data, struct pack *p)
{
	struct pack_search *s = data;

	if (!strcmp(pack_command_name_of(p), s->name))
		s->found = p;
	return s->found != NULL;
}

/* A pack of ours or of an alternate by its name without directory; NULL: there is none. */
static struct pack *find_pack(struct pack_command *c, const char *name)
{
	struct pack_search s = { name, NULL };

	for (size_t i = 0; i <= odb_nr_alternates(c->r->odb) && !s.found; i++)
		packs_foreach(odb_packs(c->r->odb, i), is_it, &s);
	return s.found;
}

/* Included packs are added when all lines have been read: what others exclude is known then. */
struct pack_lines {
	struct pack **v;
	size_t nr, alloc;
};

static int note_pack(struct pack_command *c, struct pack_lines *included, const char *line,
		     struct err *err)
{
	bool excluded = *line == '^';
	struct pack *p;

	if (*line == '!')
		return err_set(err, ERR_UNSUPPORTED, "packs with '!' are not supported yet");
	if (!*line)
		return 0;
	p = find_pack(c, line + excluded);
	if (!p)
		return err_set(err, ERR_NOT_FOUND, "could not find pack '%s'", line + excluded);
	if (excluded) {
		pack_objects_exclude_pack(c->po, p);
		return 0;
	}
	ALLOC_GROW(included->v, included->nr + 1, included->alloc);
	included->v[included->nr++] = p;
	return 0;
}

int pack_read_pack_list(struct pack_command *c, struct err *err)
{
	struct pack_lines included = { NULL, 0, 0 };
	struct strbuf line = STRBUF_INIT;
	int rc = 0;

	while (!rc && !strbuf_getline_lf(&line, stdin))
		rc = note_pack(c, &included, line.buf, err);
	if (!rc && ferror(stdin))
		rc = err_set_errno(err, "cannot read the standard input");
	for (size_t i = 0; i < included.nr && !rc; i++)
		rc = pack_objects_add_pack(c->po, included.v[i], err);
	strbuf_release(&line);
	free(included.v);
	return rc;
}

/* ---- packs that are kept ---- */

struct kept {
	struct pack_command *c;
	struct strset names;
	bool honor;
};

static bool has_keep_file(const struct pack *p)
{
	size_t len = strlen(pack_path(p));
	char *path = xstrfmt("%.*s.keep", (int)(len - strlen(".pack")), pack_path(p));
	bool there = file_exists(path);

	free(path);
	return there;
}

static int exclude_if_kept(void *data, struct pack *p)
{
	struct kept *k = data;

	if (strset_contains(&k->names, pack_command_name_of(p)) || (k->honor && has_keep_file(p)))
		pack_objects_exclude_pack(k->c->po, p);
	return 0;
}

int pack_exclude_kept(struct pack_command *c, const struct strvec *names, bool honor,
		      struct err *err)
{
	struct kept k = { .c = c, .names = STRSET_INIT, .honor = honor };

	(void)err;
	for (size_t i = 0; i < names->nr; i++)
		strset_add(&k.names, names->v[i]);
	if (honor || names->nr)
		packs_foreach(odb_packs(c->r->odb, 0), exclude_if_kept, &k);
	strset_clear(&k.names);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* git-mktree(1) */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "cli/stdin-lines.h"
#include "object/tree.h"
#include "operation/operation.h"
#include "util/alloc.h"
#include "util/quote.h"

static const char *const usage[] = {
	"git mktree [-z] [--missing] [--batch]",
	NULL
};

struct entry {
	unsigned mode;
	struct object_id oid;
	char *name;
};

struct mktree {
	struct repository *r;
	struct repo_operation *op;
	int nul, missing, batch;
	struct entry *v;
	size_t nr, alloc;
	struct strbuf names; /* written, not printed yet */
};

/* ---- one line: "MODE TYPE OID\tNAME" ---- */

static const char *mktree_parse_mode(const char *p, unsigned *mode)
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

/* False: the line is not of that form. */
static bool mktree_parse_line(const struct mktree *m, const char *line, struct entry *e,
			      enum object_type *type, const char **name)
{
	const char *p = mktree_parse_mode(line, &e->mode), *space;

	space = p ? strchr(p, ' ') : NULL;
	if (!space || oid_parse_hex(&e->oid, space + 1, m->r->algo, name) < 0 || **name != '\t')
		return false;
	*type = object_type_from_name(p, (size_t)(space - p));
	if (*type == OBJ_BAD)
		die("invalid object type \"%.*s\"", (int)(space - p), p);
	++*name;
	return **name != '\0';
}

static char *parse_name(const struct mktree *m, const char *name)
{
	struct strbuf plain = STRBUF_INIT;
	const char *end;

	if (m->nul || *name != '"')
		return xstrdup(name);
	if (unquote_c_style(&plain, name, &end) < 0)
		die("invalid quoting");
	return strbuf_detach(&plain, NULL);
}

static void check_object(const struct mktree *m, const struct entry *e, enum object_type type)
{
	enum object_type wanted = mode_object_type(e->mode);
	struct object_info info;
	struct err err = ERR_INIT;
	int rc;

	if (type != wanted)
		die("entry '%s' object type (%s) doesn't match mode type (%s)", e->name,
		    object_type_name(type), object_type_name(wanted));
	rc = odb_type(m->r->odb, &e->oid, &info.type, &info.size, &err);
	if (!rc && info.type != type)
		die("entry '%s' object %s is a %s but specified type was (%s)", e->name,
		    oid_hex(&e->oid), object_type_name(info.type), object_type_name(type));
	if (rc < 0 && rc != ERR_NOT_FOUND)
		die_err(&err);
	if (rc < 0 && !m->missing && !MODE_IS_GITLINK(e->mode))
		die("entry '%s' object %s is unavailable", e->name, oid_hex(&e->oid));
	err_release(&err);
}

static void mktree_add_line(struct mktree *m, const char *line)
{
	struct entry e = { 0 };
	enum object_type type;
	const char *name;

	if (!mktree_parse_line(m, line, &e, &type, &name))
		die("input format error: %s", line);
	e.name = parse_name(m, name);
	if (strchr(e.name, '/'))
		die("path %s contains slash", e.name);
	check_object(m, &e, type);
	ALLOC_GROW(m->v, m->nr + 1, m->alloc);
	m->v[m->nr++] = e;
}

/* ---- a tree ---- */

static int entry_cmp(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return tree_entry_cmp(x->name, strlen(x->name), x->mode, y->name, strlen(y->name),
			      y->mode);
}

static void write_tree(struct mktree *m)
{
	struct strbuf tree = STRBUF_INIT;
	struct object_id oid;
	struct err err = ERR_INIT;

	if (m->nr)
		qsort(m->v, m->nr, sizeof(*m->v), entry_cmp);
	for (size_t i = 0; i < m->nr; i++) {
		tree_append(&tree, m->v[i].mode, m->v[i].name, strlen(m->v[i].name),
			    &m->v[i].oid);
		free(m->v[i].name);
	}
	m->nr = 0;
	if (odb_write(m->r->odb, OBJ_TREE, tree.buf, tree.len, &oid, &err) < 0)
		die_err(&err);
	strbuf_release(&tree);
	strbuf_add_oid(&m->names, &oid);
	strbuf_addch(&m->names, '\n');
}

/* Publishes the tree: the reader of its name will use it at once. */
static void mktree_publish(struct mktree *m)
{
	struct err err = ERR_INIT;

	if (repo_operation_publish(m->op, &err) < 0)
		die_err(&err);
	fwrite(m->names.buf, 1, m->names.len, stdout);
	strbuf_reset(&m->names);
	fflush(stdout);
}

static void read_trees(struct mktree *m)
{
	struct stdin_lines in = STDIN_LINES_INIT;
	struct strbuf line = STRBUF_INIT;
	bool open = false; /* a tree has been begun */

	in.term = m->nul ? '\0' : '\n';
	while (stdin_lines_next(&in, &line)) {
		if (line.len) {
			mktree_add_line(m, line.buf);
			open = true;
			continue;
		}
		if (!m->batch)
			die("input format error: (blank line only valid in batch mode)");
		write_tree(m);
		open = false;
		if (!stdin_lines_ready(&in))
			mktree_publish(m);
	}
	if (open || !m->batch)
		write_tree(m);
	stdin_lines_release(&in);
	strbuf_release(&line);
}

int cmd_mktree(int argc, const char **argv, struct command_ctx *ctx)
{
	struct mktree m = { .r = ctx->repo, .names = STRBUF_INIT };
	struct err err = ERR_INIT;
	struct option opts[] = {
		OPT_BOOL('z', NULL, &m.nul, "input is NUL terminated"),
		OPT_BOOL(0, "missing", &m.missing, "allow missing objects"),
		OPT_BOOL(0, "batch", &m.batch, "allow creation of more than one tree"),
		OPT_END()
	};

	parse_options(argc, argv, opts, usage, 0);
	if (m.missing)
		odb_set_fetch_on_read(m.r->odb, false);
	m.op = repo_operation_begin(m.r);
	if (repo_operation_open_objects(m.op, &err) < 0)
		die_err(&err);
	read_trees(&m);
	if (repo_operation_end(m.op, 0, &err) < 0)
		die_err(&err);
	fwrite(m.names.buf, 1, m.names.len, stdout);
	strbuf_release(&m.names);
	free(m.v);
	return finish_stdout() ? 128 : 0;
}

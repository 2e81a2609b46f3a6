/* SPDX-License-Identifier: GPL-2.0-only */
/* git-ls-tree(1) */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "cli/list-format.h"
#include "index/pathspec.h"
#include "object/tree.h"
#include "util/path.h"
#include "util/quote.h"
#include "util/strbuf.h"
#include "history/names/revparse.h"

static const char *const usage[] = {
	"git ls-tree [<options>] <tree-ish> [<path>...]",
	NULL
};

enum { SHOW_LONG = 1, SHOW_NAME, SHOW_NAME_STATUS, SHOW_OBJECT };

struct lister {
	struct repository *r;
	const char *prefix; /* NULL: paths are shown from the top */
	struct pathspec ps;
	int only_trees, recurse, show_trees, nul;
	int abbrev; /* 0: none */
	struct oid_array *sizes; /* not NULL: only collect what will be read */
	const char *format;
	struct strbuf line;
};

/* ---- which entries ---- */

static bool is_below(const char *path, const char *dir, size_t len)
{
	return !len || (!strncmp(path, dir, len) && (dir[len - 1] == '/' || path[len] == '/'));
}

/* Named itself, or below something named. "sub/" names a submodule, too. */
static bool is_wanted(const struct lister *l, const char *path, size_t len, unsigned mode)
{
	for (size_t i = 0; i < l->ps.nr; i++) {
		const struct pathspec_item *it = &l->ps.items[i];

		if (!strcmp(path, it->match) || is_below(path, it->match, it->len))
			return true;
		if (MODE_IS_GITLINK(mode) && it->len == len + 1 && it->match[len] == '/' && !memcmp(it->match, path, len))
			return true;
	}
	return !l->ps.nr;
}

/* Something below it is named. */
static bool leads_on(const struct lister *l, const char *path, size_t len)
{
	for (size_t i = 0; i < l->ps.nr; i++) {
		const struct pathspec_item *it = &l->ps.items[i];

		if (it->len > len && it->match[len] == '/' && !memcmp(it->match, path, len))
			return true;
	}
	return false;
}

/* ---- one line ---- */

static void ls_tree_add_path(struct lister *l, struct strbuf *out, const char *path)
{
	struct strbuf rel = STRBUF_INIT;

	if (l->prefix)
		strbuf_add_from_prefix(&rel, path, l->prefix);
	else
		strbuf_addstr(&rel, path);
	if (l->nul)
		strbuf_addbuf(out, &rel);
	else
		quote_c_style(out, rel.buf, rel.len, l->r->settings.quote_path);
	strbuf_release(&rel);
}

static int add_size(struct lister *l, struct strbuf *out, const struct tree_entry *e, bool padded,
		    struct err *err)
{
	struct object_info info;
	int ret;

	if (mode_object_type(e->mode) != OBJ_BLOB) {
		strbuf_addf(out, padded ? "%7s" : "%s", "-");
		return 0;
	}
	ret = odb_type(l->r->odb, &e->oid, &info.type, &info.size, err);
	if (!ret)
		strbuf_addf(out, padded ? "%7" PRIu64 : "%" PRIu64, info.size);
	return ret;
}

static void ls_tree_add_oid(struct lister *l, struct strbuf *out, const struct object_id *oid)
{
	if (l->abbrev)
		odb_abbrev(l->r->odb, oid, l->abbrev < 0 ? l->r->settings.abbrev : l->abbrev, out);
	else
		strbuf_add_oid(out, oid);
}

struct line_source {
	struct lister *l;
	const char *path;
	const struct tree_entry *e;
};

static int ls_tree_expand_atom(void *data, struct strbuf *out, const char *atom, struct err *err)
{
	struct line_source *s = data;

	if (!strcmp(atom, "objectmode"))
		strbuf_addf(out, "%06o", s->e->mode);
	else if (!strcmp(atom, "objecttype"))
		strbuf_addstr(out, object_type_name(mode_object_type(s->e->mode)));
	else if (!strcmp(atom, "objectname"))
		ls_tree_add_oid(s->l, out, &s->e->oid);
	else if (!strcmp(atom, "objectsize"))
		return add_size(s->l, out, s->e, false, err);
	else if (!strcmp(atom, "objectsize:padded"))
		return add_size(s->l, out, s->e, true, err);
	else if (!strcmp(atom, "path"))
		ls_tree_add_path(s->l, out, s->path);
	else
		return err_set(err, ERR_INVALID, "bad ls-tree format: %%(%s)", atom);
	return 0;
}

static int ls_tree_show(struct lister *l, const char *path, const struct tree_entry *e,
			struct err *err)
{
	struct line_source s = { l, path, e };
	int ret;

	if (l->sizes) {
		if (mode_object_type(e->mode) == OBJ_BLOB)
			oid_array_append(l->sizes, &e->oid);
		return 0;
	}
	strbuf_reset(&l->line);
	ret = list_format_expand(&l->line, l->format, "ls-tree", ls_tree_expand_atom, &s, err);
	if (ret)
		return ret;
	strbuf_addch(&l->line, l->nul ? '\0' : '\n');
	fwrite(l->line.buf, 1, l->line.len, stdout);
	return 0;
}

static int visit(void *data, const char *path, size_t len, const struct tree_entry *e,
		 struct err *err)
{
	struct lister *l = data;
	bool wanted = is_wanted(l, path, len, e->mode), descend;
	int ret = 0;

	if (!MODE_IS_TREE(e->mode)) {
		if (wanted && !(l->only_trees && mode_object_type(e->mode) == OBJ_BLOB))
			ret = ls_tree_show(l, path, e, err);
		return ret ? ret : TREE_WALK_SKIP;
	}
	descend = leads_on(l, path, len);
	if (!wanted && !descend)
		return TREE_WALK_SKIP;
	descend |= l->recurse != 0;
	if (!descend || l->show_trees)
		ret = ls_tree_show(l, path, e, err);
	return ret ? ret : descend ? TREE_WALK_DESCEND : TREE_WALK_SKIP;
}

/* In a partial clone: files whose size is wanted, together. */
static int ls_tree_prefetch(struct lister *l, const struct object_id *tree, struct err *err)
{
	struct oid_array sizes = OID_ARRAY_INIT;
	int rc;

	if (!odb_can_fetch(l->r->odb) || !strstr(l->format, "%(objectsize"))
		return 0;
	l->sizes = &sizes;
	rc = tree_walk(odb_source(l->r->odb), tree, "", visit, l, err);
	l->sizes = NULL;
	if (!rc)
		rc = odb_prefetch(l->r->odb, &sizes, err);
	oid_array_clear(&sizes);
	return rc;
}

/* ---- command line ---- */

/* Wildcards and most magic mean nothing here. */
static void check_magic(const struct pathspec *ps)
{
	for (size_t i = 0; i < ps->nr; i++) {
		const struct pathspec_item *it = &ps->items[i];
		const char *magic = it->glob ? "'glob'" : it->icase ? "'icase'" :
				    it->exclude ? "'exclude' (mnemonic: '!')" :
				    it->attr ? "'attr'" : NULL;

		if (magic)
			die("%s: pathspec magic not supported by this command: %s", it->original,
			    magic);
	}
}

static const char *ls_tree_choose_format(int mode, const char *format)
{
	switch (mode) {
	case SHOW_NAME:
	case SHOW_NAME_STATUS:
		return "%(path)";
	case SHOW_OBJECT:
		return "%(objectname)";
	case SHOW_LONG:
		return "%(objectmode) %(objecttype) %(objectname) %(objectsize:padded)%x09%(path)";
	default:
		return format ? format : "%(objectmode) %(objecttype) %(objectname)%x09%(path)";
	}
}

static void ls_tree_find_tree(struct lister *l, const char *name, struct object_id *tree)
{
	struct revparse_result found = { 0 };
	struct err err = ERR_INIT;

	if (revparse(l->r, name, OBJ_ANY, &found, &err) < 0) {
		err_reword(&err, "Not a valid object name %s", name);
		die_err(&err);
	}
	if (object_peel(odb_source(l->r->odb), &found.oid, OBJ_TREE, tree, NULL, &err) < 0)
		die("not a tree object");
	revparse_result_release(&found);
}

int cmd_ls_tree(int argc, const char **argv, struct command_ctx *ctx)
{
	struct lister l = { .r = ctx->repo, .prefix = ctx->prefix, .line = STRBUF_INIT };
	struct object_id tree;
	struct err err = ERR_INIT;
	int mode = 0, full_name = 0, full_tree = 0;
	struct option opts[] = {
		OPT_BOOL('d', NULL, &l.only_trees, "only show trees"),
		OPT_BOOL('r', NULL, &l.recurse, "recurse into subtrees"),
		OPT_BOOL('t', NULL, &l.show_trees, "show trees when recursing"),
		OPT_BOOL('z', NULL, &l.nul, "terminate entries with NUL byte"),
		OPT_CMDMODE('l', "long", &mode, "include object size", SHOW_LONG),
		OPT_CMDMODE(0, "name-only", &mode, "list only filenames", SHOW_NAME),
		OPT_CMDMODE(0, "name-status", &mode, "list only filenames", SHOW_NAME_STATUS),
		OPT_CMDMODE(0, "object-only", &mode, "list only objects", SHOW_OBJECT),
		OPT_BOOL(0, "full-name", &full_name, "use full path names"),
		OPT_BOOL(0, "full-tree", &full_tree,
			 "list entire tree; not just current directory (implies --full-name)"),
		OPT_STRING(0, "format", &l.format, "format", "format to use for the output"),
		OPT_ABBREV(&l.abbrev),
		OPT_END()
	};

	argc = parse_options(argc, argv, opts, usage, 0);
	if (l.format && mode)
		usage_msg_opt("--format can't be combined with other format-altering options",
			      usage, opts);
	if (!argc)
		usage_with_options(usage, opts);
	l.format = ls_tree_choose_format(mode, l.format);
	l.show_trees |= l.only_trees && l.recurse;
	ls_tree_find_tree(&l, argv[0], &tree);
	if (pathspec_parse(&l.ps, full_tree ? NULL : ctx->prefix, l.r->worktree, argv + 1,
			   PATHSPEC_PREFER_CWD, &err) < 0)
		die_err(&err);
	check_magic(&l.ps);
	if (full_name || full_tree)
		l.prefix = NULL;
	if (ls_tree_prefetch(&l, &tree, &err) < 0 || tree_walk(odb_source(l.r->odb), &tree, "",
							       visit, &l, &err) < 0)
		die_err(&err);
	pathspec_release(&l.ps);
	strbuf_release(&l.line);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* git-ls-files(1) */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "cli/list-format.h"
#include "cli/submodule-option.h"
#include "fs/file.h"
#include "index/index.h"
#include "util/alloc.h"
#include "util/path.h"
#include "util/quote.h"
#include "history/names/revparse.h"
#include "worktree/worktree.h"
#include "attr/eol.h"

static const char *const usage[] = {
	"git ls-files [<options>] [<file>...]",
	NULL
};

struct lister {
	struct repository *r;
	struct index_state ix;
	struct pathspec ps;
	char *seen;	    /* per pathspec item, with --error-unmatch */
	const char *prefix; /* NULL: paths are shown from the top */
	struct ignore *ig;
	struct converter *conv;
	struct lstat_cursor cursor;
	struct strbuf line;

	int cached, deleted, modified, others, ignored, stage, killed, unmerged, resolve_undo;
	int nul, tag, valid_bit, fsmonitor_bit, eol, debug, deduplicate;
	int directory, empty_directory, error_unmatch, full_name, exclude_standard;
	size_t files_before_standard; /* of exclude_from */
	int abbrev, recurse;
	bool exclude_given;
	struct strvec exclude, exclude_from;
	const char *exclude_per_dir, *with_tree, *format;
	bool shown_name; /* for --deduplicate */
};

/* ---- parts of a line ---- */

static void ls_files_add_path(struct lister *l, struct strbuf *out, const char *path)
{
	struct strbuf rel = STRBUF_INIT;

	if (l->prefix)
		strbuf_add_from_prefix(&rel, path, l->prefix);
	if (l->nul)
		strbuf_addstr(out, l->prefix ? rel.buf : path);
	else if (l->prefix)
		quote_c_style(out, rel.buf, rel.len, l->r->settings.quote_path);
	else
		quote_c_style(out, path, strlen(path), l->r->settings.quote_path);
	strbuf_release(&rel);
}

static void ls_files_add_oid(struct lister *l, struct strbuf *out, const struct object_id *oid)
{
	if (l->abbrev)
		odb_abbrev(l->r->odb, oid, l->abbrev < 0 ? l->r->settings.abbrev : l->abbrev, out);
	else
		strbuf_add_oid(out, oid);
}

static void end_line(struct lister *l)
{
	strbuf_addch(&l->line, l->nul ? '\0' : '\n');
	fwrite(l->line.buf, 1, l->line.len, stdout);
	strbuf_reset(&l->line);
}

/* ---- line ends ---- */

static const char *eol_kind(const char *data, size_t len)
{
	struct eol_stats s;

	eol_stats_gather(&s, data, len);
	if (eol_stats_binary(&s))
		return "-text";
	if (!s.crlf)
		return s.lone_lf ? "lf" : "none";
	return s.lone_lf ? "mixed" : "crlf";
}

static const char *eol_in_index(struct lister *l, const struct index_entry *e)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	const char *kind = "";

	if (!e || !MODE_IS_FILE(e->mode))
		return "";
	if (!odb_read_type(l->r->odb, &e->oid, OBJ_BLOB, &buf, NULL))
		kind = eol_kind(buf.data, buf.size);
	object_buf_release(&buf);
	return kind;
}

static const char *eol_in_worktree(const char *path)
{
	struct strbuf buf = STRBUF_INIT;
	const char *kind = "";
	struct stat st;

	if (lstat(path, &st) < 0 || !S_ISREG(st.st_mode))
		return "";
	if (!read_file(&buf, path, 0, NULL))
		kind = eol_kind(buf.buf, buf.len);
	strbuf_release(&buf);
	return kind;
}

static const char *eol_attr(struct lister *l, const char *path)
{
	static const char *const names[] = { "text", "eol", "crlf" };
	struct attr_value v[3];
	bool is_auto, lf, crlf;

	attrs_get(converter_attrs(l->conv), path, names, 3, v);
	if (v[0].state == ATTR_UNSPECIFIED)
		v[0] = v[2];
	if (v[0].state == ATTR_UNSET)
		return "-text";
	is_auto = v[0].state == ATTR_VALUE && !strcmp(v[0].value, "auto");
	lf = v[1].state == ATTR_VALUE && !strcmp(v[1].value, "lf");
	crlf = v[1].state == ATTR_VALUE && !strcmp(v[1].value, "crlf");
	if (v[0].state == ATTR_VALUE && !strcmp(v[0].value, "input"))
		lf = true;
	if (lf)
		return is_auto ? "text=auto eol=lf" : "text eol=lf";
	if (crlf)
		return is_auto ? "text=auto eol=crlf" : "text eol=crlf";
	return is_auto ? "text=auto" : v[0].state == ATTR_SET ? "text" : "";
}

static void add_eol(struct lister *l, const struct index_entry *e, const char *path)
{
	if (l->eol)
		strbuf_addf(&l->line, "i/%-5s w/%-5s attr/%-17s\t", eol_in_index(l, e),
			    eol_in_worktree(path), eol_attr(l, path));
}

/* ---- entries of the index ---- */

struct atom_source {
	struct lister *l;
	const struct index_entry *e;
};

static int ls_files_expand_atom(void *data, struct strbuf *out, const char *atom, struct err *err)
{
	struct atom_source *s = data;

	if (!strcmp(atom, "objectmode"))
		strbuf_addf(out, "%06o", s->e->mode);
	else if (!strcmp(atom, "objectname"))
		ls_files_add_oid(s->l, out, &s->e->oid);
	else if (!strcmp(atom, "stage"))
		strbuf_addf(out, "%d", s->e->stage);
	else if (!strcmp(atom, "eolinfo:index"))
		strbuf_addstr(out, eol_in_index(s->l, s->e));
	else if (!strcmp(atom, "eolinfo:worktree"))
		strbuf_addstr(out, eol_in_worktree(s->e->name));
	else if (!strcmp(atom, "eolattr"))
		strbuf_addstr(out, eol_attr(s->l, s->e->name));
	else if (!strcmp(atom, "path"))
		ls_files_add_path(s->l, out, s->e->name);
	else
		return err_set(err, ERR_INVALID, "bad ls-files format: %%(%s)", atom);
	return 0;
}

static void add_tag(struct lister *l, int tag, const struct index_entry *e)
{
	if (!l->tag)
		return;
	if (l->valid_bit && e && e->flags & CE_ASSUME_VALID)
		tag = tolower(tag);
	strbuf_addf(&l->line, "%c ", tag);
}

static unsigned flag_bits(const struct index_entry *e)
{
	unsigned bits = (unsigned)e->stage << 12;

	if (e->flags & CE_ASSUME_VALID)
		bits |= 0x8000;
	if (e->flags & CE_INTENT_TO_ADD)
		bits |= 0x20004000;
	if (e->flags & CE_SKIP_WORKTREE)
		bits |= 0x40004000;
	return bits;
}

static void add_debug(struct lister *l, const struct index_entry *e)
{
	const struct stat_data *sd = &e->stat;

	if (l->debug)
		strbuf_addf(&l->line,
			    "  ctime: %u:%u\n  mtime: %u:%u\n  dev: %u\tino: %u\n"
			    "  uid: %u\tgid: %u\n  size: %u\tflags: %x\n",
			    sd->ctime_sec, sd->ctime_nsec, sd->mtime_sec, sd->mtime_nsec,
			    sd->dev, sd->ino, sd->uid, sd->gid, sd->size, flag_bits(e));
}

static void show_entry(struct lister *l, const struct index_entry *e, int tag)
{
	struct atom_source s = { l, e };
	struct err err = ERR_INIT;

	l->shown_name = true;
	if (l->seen)
		pathspec_match(&l->ps, e->name, e->name_len, MODE_IS_GITLINK(e->mode), l->seen);
	if (l->format) {
		if (list_format_expand(&l->line, l->format, "ls-files", ls_files_expand_atom, &s,
				       &err) < 0)
			die_err(&err);
		end_line(l);
		return;
	}
	add_tag(l, tag, e);
	if (l->stage) {
		strbuf_addf(&l->line, "%06o ", e->mode);
		ls_files_add_oid(l, &l->line, &e->oid);
		strbuf_addf(&l->line, " %d\t", e->stage);
	}
	add_eol(l, e, e->name);
	ls_files_add_path(l, &l->line, e->name);
	strbuf_addch(&l->line, l->nul ? '\0' : '\n');
	add_debug(l, e);
	fwrite(l->line.buf, 1, l->line.len, stdout);
	strbuf_reset(&l->line);
}

static int cached_tag(const struct index_entry *e)
{
	return e->stage ? 'M' : e->flags & CE_SKIP_WORKTREE ? 'S' : 'H';
}

/* Deleted or modified? Flags that promise there is no change do not count here. */
static void show_changes(struct lister *l, struct index_entry *e, bool once)
{
	enum worktree_change change;
	unsigned mode, flags = e->flags;
	struct stat st;

	e->flags &= ~CE_ASSUME_VALID;
	change = worktree_compare(l->r, &l->ix, e, &l->cursor, l->conv, &st, &mode);
	e->flags = flags;
	if (change == WT_DELETED && !mode && l->deleted) {
		show_entry(l, e, 'R');
		if (once)
			return;
	}
	if (change != WT_UNCHANGED && l->modified && !(flags & CE_ASSUME_VALID && mode))
		show_entry(l, e, 'C');
}

static bool is_selected(struct lister *l, const struct index_entry *e)
{
	if (l->ignored && !ignore_is_ignored(l->ig, e->name, e->name_len, false))
		return false;
	return pathspec_match(&l->ps, e->name, e->name_len, MODE_IS_GITLINK(e->mode), NULL);
}

static void show_index(struct lister *l)
{
	bool once = l->deduplicate && !l->tag && !l->stage;
	const char *last = "";

	if (!(l->cached || l->stage || l->deleted || l->modified))
		return;
	for (size_t i = 0; i < l->ix.nr; i++) {
		struct index_entry *e = l->ix.entries[i];

		if (once && l->shown_name && !strcmp(last, e->name))
			continue;
		l->shown_name = false;
		last = e->name;
		if (!is_selected(l, e))
			continue;
		if ((l->cached || l->stage) && (!l->unmerged || e->stage)) {
			show_entry(l, e, cached_tag(e));
			if (once)
				continue;
		}
		if ((l->deleted || l->modified) && !(e->flags & CE_SKIP_WORKTREE))
			show_changes(l, e, once);
	}
}

/* ---- other files ---- */

static void show_other(struct lister *l, const char *path, int tag)
{
	add_tag(l, tag, NULL);
	add_eol(l, NULL, path);
	ls_files_add_path(l, &l->line, path);
	end_line(l);
}

/* Does the file stand where the index has a directory, or below a file of it? */
static bool is_in_the_way(const struct index_state *ix, const char *path, size_t len)
{
	if (index_has_dir(ix, path, len))
		return true;
	for (size_t i = 1; i < len; i++)
		if (path[i] == '/' && index_pos(ix, path, i, 0) >= 0)
			return true;
	return false;
}

struct found_other {
	struct lister *l;
	struct strvec killed;
	struct string_list ignored; /* they are found in no order */
};

static int note_other(void *data, const char *path, size_t len, bool is_dir,
		      enum dirwalk_kind kind)
{
	struct found_other *f = data;
	struct lister *l = f->l;

	if (kind == DIRWALK_UNREADABLE) {
		warning("could not open directory '%s': %s", path, strerror(errno));
		return 0;
	}
	if ((kind == DIRWALK_IS_IGNORED) != (l->ignored != 0))
		return 0;
	if (is_dir && index_pos(&l->ix, path, len - 1, 0) >= 0)
		return 0; /* a file of the index has become a directory */
	if (l->killed && is_in_the_way(&l->ix, path, len - is_dir))
		strvec_push(&f->killed, path);
	if (l->others) {
		if (l->seen)
			pathspec_match(&l->ps, path, len, is_dir, l->seen);
		if (l->ignored)
			string_list_append(&f->ignored, path);
		else
			show_other(l, path, '?');
	}
	return 0;
}

static void show_others(struct lister *l)
{
	struct found_other f = { l, STRVEC_INIT, STRING_LIST_INIT };
	unsigned flags = DIRWALK_REPORT_UNREADABLE;
	struct err err = ERR_INIT;

	if (!l->others && !l->killed)
		return;
	if (l->ignored)
		flags |= DIRWALK_IGNORED | DIRWALK_IGNORED_ONLY;
	if (l->empty_directory)
		flags |= DIRWALK_EMPTY_DIRS;
	if (worktree_walk_untracked(l->r, &l->ix, l->ig, &l->ps,
				    l->directory ? UNTRACKED_NORMAL : UNTRACKED_ALL, flags,
				    note_other, &f, &err) < 0)
		die_err(&err);
	string_list_sort(&f.ignored);
	for (size_t i = 0; i < f.ignored.nr; i++)
		show_other(l, f.ignored.items[i].string, '?');
	string_list_clear(&f.ignored, NULL);
	for (size_t i = 0; i < f.killed.nr; i++)
		show_other(l, f.killed.v[i], 'K');
	strvec_clear(&f.killed);
}

static void show_resolve_undo(struct lister *l)
{
	const struct resolve_undo *ru = l->ix.resolve_undo;

	for (size_t i = 0; ru && i < ru->paths.nr; i++) {
		const struct string_list_item *it = &ru->paths.items[i];
		const struct resolve_undo_info *info = it->util;

		if (!pathspec_match(&l->ps, it->string, strlen(it->string), false, l->seen))
			continue;
		for (int k = 0; k < 3; k++) {
			if (!info->mode[k])
				continue;
			add_tag(l, 'U', NULL);
			strbuf_addf(&l->line, "%06o ", info->mode[k]);
			ls_files_add_oid(l, &l->line, &info->oid[k]);
			strbuf_addf(&l->line, " %d\t", k + 1);
			ls_files_add_path(l, &l->line, it->string);
			end_line(l);
		}
	}
}

/* ---- --with-tree ---- */

static int overlay_entry(void *data, const char *path, size_t len, const struct tree_entry *te,
			 struct err *err)
{
	struct lister *l = data;
	struct index_entry *e;
	ssize_t pos;

	if (MODE_IS_TREE(te->mode))
		return pathspec_match_dir(&l->ps, path, len) == PATHSPEC_NO_MATCH ?
			TREE_WALK_SKIP : TREE_WALK_DESCEND;
	pos = index_pos(&l->ix, path, len, 0);
	if (pos >= 0)
		return TREE_WALK_SKIP;
	pos = -1 - pos;
	if ((size_t)pos < l->ix.nr && !strcmp(l->ix.entries[pos]->name, path))
		return TREE_WALK_SKIP; /* unmerged */
	e = index_entry_new(&l->ix, te->mode, &te->oid, path, len, 1);
	return index_add(&l->ix, e, INDEX_ADD_REPLACE, 0, err);
}

static void overlay_tree(struct lister *l)
{
	struct err err = ERR_INIT;
	struct object_id oid, tree;

	if (revparse_oid(l->r, l->with_tree, &oid, &err) < 0) {
		err_reword(&err, "tree-ish %s not found.", l->with_tree);
		die_err(&err);
	}
	if (object_peel(odb_source(l->r->odb), &oid, OBJ_TREE, &tree, NULL, &err) < 0)
		die("bad tree-ish %s", l->with_tree);
	if (tree_walk(odb_source(l->r->odb), &tree, "", overlay_entry, l, &err) < 0)
		die_err(&err);
}

/* ---- setting up ---- */

static void set_up_ignore(struct lister *l)
{
	struct err err = ERR_INIT;

	l->ig = ignore_new_empty(l->r, l->exclude_standard ? ".gitignore" : l->exclude_per_dir);
	for (size_t i = 0; i <= l->exclude_from.nr; i++) {
		if (l->exclude_standard && i == l->files_before_standard &&
		    ignore_add_standard(l->ig, &l->ix, &err) < 0)
			die_err(&err);
		if (i < l->exclude_from.nr &&
		    ignore_add_file(l->ig, l->exclude_from.v[i], &err) < 0)
			die("cannot use %s as an exclude file", l->exclude_from.v[i]);
	}
	for (size_t i = 0; i < l->exclude.nr; i++)
		ignore_add_pattern(l->ig, l->exclude.v[i]);
}

static void open_all(struct lister *l, const char **argv, const char *prefix)
{
	struct err err = ERR_INIT;

	if (pathspec_parse(&l->ps, prefix, l->r->worktree, argv, PATHSPEC_PREFER_CWD, &err) < 0 ||
	    index_read_repo(&l->ix, l->r, &err) < 0 ||
	    converter_new(&l->conv, l->r, &l->ix, ATTR_CHECKIN, &err) < 0)
		die_err(&err);
	l->ps.match_attr = attrs_match_spec;
	l->ps.match_attr_data = converter_attrs(l->conv);
	if (l->error_unmatch && l->ps.nr)
		l->seen = xcalloc(l->ps.nr, 1);
	set_up_ignore(l);
	lstat_cursor_init(&l->cursor);
}

static int report_unmatched(const struct lister *l)
{
	int missing = 0;

	for (size_t i = 0; l->seen && i < l->ps.nr; i++)
		if (!l->seen[i]) {
			error("pathspec '%s' did not match any file(s) known to git",
			      l->ps.items[i].original);
			missing = 1;
		}
	if (missing)
		fprintf(stderr, "Did you forget to 'git add'?\n");
	return missing;
}

static void close_all(struct lister *l)
{
	lstat_cursor_release(&l->cursor);
	converter_free(l->conv);
	ignore_free(l->ig);
	index_release(&l->ix);
	pathspec_release(&l->ps);
	strvec_clear(&l->exclude);
	strvec_clear(&l->exclude_from);
	strbuf_release(&l->line);
	free(l->seen);
}

/* ---- command line ---- */

static int exclude_standard(const struct option *opt, const char *arg UNUSED, int unset UNUSED)
{
	struct lister *l = opt->value;

	l->exclude_standard = 1;
	l->files_before_standard = l->exclude_from.nr;
	return 0;
}

static void ls_files_check_combinations(struct lister *l, const struct option *opts)
{
	if (l->format && (l->stage || l->others || l->killed || l->resolve_undo ||
			  l->deduplicate || l->eol || l->tag))
		usage_msg_opt("--format cannot be used with -s, -o, -k, -t, --resolve-undo, "
			      "--deduplicate, --eol", usage, opts);
	if (l->tag || l->valid_bit || l->fsmonitor_bit)
		l->tag = 1;
	if (l->unmerged)
		l->stage = 1;
	if (l->ignored && !l->others && !l->cached)
		die("ls-files -i must be used with either -o or -c");
	if (l->ignored && !l->exclude_given)
		die("ls-files --ignored needs some exclude pattern");
	if (l->with_tree && (l->stage || l->unmerged))
		die("options '%s' and '%s' cannot be used together", "ls-files --with-tree",
		    "-s/-u");
	if (!(l->stage || l->deleted || l->others || l->unmerged || l->modified || l->killed ||
	      l->resolve_undo))
		l->cached = 1;
}

static void enter_worktree(struct lister *l)
{
	struct err err = ERR_INIT;

	if (!(l->others || l->deleted || l->modified || l->killed))
		return;
	if (!l->r->worktree)
		die("this operation must be run in a work tree");
	if (repo_enter_worktree(l->r, &err) < 0)
		die_err(&err);
}

static void ls_files_parse_command_line(struct lister *l, int *argc, const char **argv)
{
	struct option opts[] = {
		OPT_BOOL('z', NULL, &l->nul, "separate paths with the NUL character"),
		OPT_BOOL('t', NULL, &l->tag, "identify the file status with tags"),
		OPT_BOOL('v', NULL, &l->valid_bit,
			 "use lowercase letters for 'assume unchanged' files"),
		OPT_BOOL('f', NULL, &l->fsmonitor_bit,
			 "use lowercase letters for 'fsmonitor clean' files"),
		OPT_BOOL('c', "cached", &l->cached, "show cached files in the output (default)"),
		OPT_BOOL('d', "deleted", &l->deleted, "show deleted files in the output"),
		OPT_BOOL('m', "modified", &l->modified, "show modified files in the output"),
		OPT_BOOL('o', "others", &l->others, "show other files in the output"),
		OPT_BOOL('i', "ignored", &l->ignored, "show ignored files in the output"),
		OPT_BOOL('s', "stage", &l->stage,
			 "show staged contents' object name in the output"),
		OPT_BOOL('k', "killed", &l->killed,
			 "show files on the filesystem that need to be removed"),
		OPT_BOOL(0, "directory", &l->directory, "show 'other' directories' names only"),
		OPT_BOOL(0, "eol", &l->eol, "show line endings of files"),
		OPT_BOOL(0, "empty-directory", &l->empty_directory,
			 "don't show empty directories"),
		OPT_BOOL('u', "unmerged", &l->unmerged, "show unmerged files in the output"),
		OPT_BOOL(0, "resolve-undo", &l->resolve_undo, "show resolve-undo information"),
		OPT_STRVEC('x', "exclude", &l->exclude, "pattern", "skip files matching pattern"),
		{ OPTION_STRVEC, 'X', "exclude-from", OPT_VALUE(struct strvec, &l->exclude_from), "file",
		  "read exclude patterns from <file>", PARSE_OPT_NONEG, NULL, 0 },
		OPT_STRING(0, "exclude-per-directory", &l->exclude_per_dir, "file",
			   "read additional per-directory exclude patterns in <file>"),
		OPT_CALLBACK_F(0, "exclude-standard", l, NULL, "add the standard git exclusions",
			       PARSE_OPT_NOARG | PARSE_OPT_NONEG, exclude_standard),
		{ OPTION_BOOL, 0, "full-name", OPT_VALUE(int, &l->full_name), NULL,
		  "make the output relative to the project top directory", PARSE_OPT_NONEG, NULL, 1 },
		OPT_BOOL(0, "recurse-submodules", &l->recurse, "recurse through submodules"),
		OPT_BOOL(0, "error-unmatch", &l->error_unmatch,
			 "if any <file> is not in the index, treat this as an error"),
		OPT_STRING(0, "with-tree", &l->with_tree, "tree-ish",
			   "pretend that paths removed since <tree-ish> are still present"),
		OPT_ABBREV(&l->abbrev),
		OPT_BOOL(0, "debug", &l->debug, "show debugging data"),
		OPT_BOOL(0, "deduplicate", &l->deduplicate, "suppress duplicate entries"),
		OPT_BOOL(0, "sparse", &(int){ 0 },
			 "show sparse directories in the presence of a sparse index"),
		{ OPTION_STRING, 0, "format", OPT_VALUE(const char *, &l->format), "format", "format to use for the output",
		  PARSE_OPT_NONEG, NULL, 0 },
		OPT_END()
	};

	*argc = parse_options(*argc, argv, opts, usage, 0);
	l->exclude_given = l->exclude.nr || l->exclude_from.nr || l->exclude_per_dir ||
			   l->exclude_standard;
	ls_files_check_combinations(l, opts);
	if (l->recurse)
		refuse_submodules(l->r, NULL, "ls-files --recurse-submodules");
}

int cmd_ls_files(int argc, const char **argv, struct command_ctx *ctx)
{
	struct lister l = {
		.r = ctx->repo,
		.line = STRBUF_INIT,
		.exclude = STRVEC_INIT,
		.exclude_from = STRVEC_INIT,
		.empty_directory = 1,
	};
	int ret;

	ls_files_parse_command_line(&l, &argc, argv);
	enter_worktree(&l);
	open_all(&l, argv, ctx->prefix);
	l.prefix = l.full_name ? NULL : ctx->prefix;
	if (l.with_tree)
		overlay_tree(&l);
	show_others(&l);
	show_index(&l);
	if (l.resolve_undo)
		show_resolve_undo(&l);
	ret = report_unmatched(&l);
	close_all(&l);
	return ret;
}

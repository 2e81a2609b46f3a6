/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Merging trees into the index. The index and the trees are lists in the same order: one
 * pass reads what each of them has at a path, decides, and appends to the result.
 */
#include "compat/posix.h"
#include "fs/file.h"
#include "util/alloc.h"
#include "worktree/sparse.h"
#include "worktree/tree-merge.h"
#include "worktree/write-files.h"

/* The entries at one path; NULL where there is none. */
struct place {
	const char *name;
	size_t len;
	struct index_entry *cur;      /* the index, stage 0 */
	struct index_entry *unmerged; /* the index, first of its higher stages */
	struct index_entry *tree[TREE_MERGE_MAX];
};

struct merger {
	struct tree_merge *m;
	struct repository *r;
	struct index_state *ix;
	struct converter *c;
	struct index_state trees[TREE_MERGE_MAX];
	size_t nr;
	struct err *err;
	struct sparse *sparse;		 /* NULL: everything is checked out */
	struct ignore *ignore;		 /* made when it is first needed */
	struct string_list in_the_way[5]; /* for_switch: by enum refusal */
	bool refused;
};

/* ---- trees as lists ---- */

struct flattener {
	struct index_state *list, *memory;
};

static int flatten_entry(void *data, const char *path, size_t len, const struct tree_entry *te,
			 struct err *err)
{
	struct flattener *f = data;
	struct index_entry *e;

	(void)err;
	if (MODE_IS_TREE(te->mode))
		return TREE_WALK_DESCEND;
	e = index_entry_new(f->memory, te->mode, &te->oid, path, len, 0);
	ALLOC_GROW(f->list->entries, f->list->nr + 1, f->list->alloc);
	f->list->entries[f->list->nr++] = e;
	return TREE_WALK_SKIP;
}

static int entry_order(const void *a, const void *b)
{
	const struct index_entry *x = *(struct index_entry *const *)a;
	const struct index_entry *y = *(struct index_entry *const *)b;

	return strcmp(x->name, y->name);
}

/* Entries use the memory of the result, which lives longer. */
static int flatten(struct merger *mg, const struct object_id *trees)
{
	const char *prefix = mg->m->prefix ? mg->m->prefix : "";

	for (size_t i = 0; i < mg->nr; i++) {
		struct index_state *list = &mg->trees[i];
		struct flattener f = { list, &mg->m->result };
		int ret;

		index_init(list, mg->r->algo);
		ret = tree_walk(odb_source(mg->r->odb), &trees[i], prefix, flatten_entry, &f,
				mg->err);
		if (ret)
			return ret;
		for (size_t k = 1; k < list->nr; k++)
			if (strcmp(list->entries[k - 1]->name, list->entries[k]->name) > 0) {
				/* a tree that is not sorted; fsck reports it */
				qsort(list->entries, list->nr, sizeof(*list->entries), entry_order);
				break;
			}
	}
	return 0;
}

/* ---- files that must not be lost ---- */

enum refusal { OVERWRITTEN, NOT_UPTODATE, UNTRACKED_IN_DIR, UNTRACKED_FILE, UNTRACKED_PARENT };

/* With for_switch 0 is returned and the pass goes on, to find all that is in the way. */
static int refuse(struct merger *mg, enum refusal why, const char *path)
{
	if (mg->m->for_switch) {
		mg->refused = true;
		if (!string_list_lookup(&mg->in_the_way[why], path))
			string_list_insert(&mg->in_the_way[why], path);
		return 0;
	}
	switch (why) {
	case NOT_UPTODATE:
		return err_set(mg->err, ERR_CONFLICT, "Entry '%s' not uptodate. Cannot merge.", path);
	case OVERWRITTEN:
		return err_set(mg->err, ERR_CONFLICT,
			       "Entry '%s' would be overwritten by merge. Cannot merge.", path);
	case UNTRACKED_IN_DIR:
		return err_set(mg->err, ERR_CONFLICT,
			       "Updating '%s' would lose untracked files in it", path);
	case UNTRACKED_PARENT:
		return err_set(mg->err, ERR_CONFLICT,
			       "Untracked working tree file '%s' would be removed by merge.", path);
	default:
		return err_set(mg->err, ERR_CONFLICT,
			       "Untracked working tree file '%s' would be overwritten by merge.",
			       path);
	}
}

static bool is_missing(const struct index_entry *e)
{
	struct stat st;

	return lstat(e->name, &st) < 0 && errno == ENOENT;
}

static void add_paths(struct strbuf *out, const struct string_list *paths, const char *first,
		      const char *last)
{
	if (!paths->nr)
		return;
	strbuf_addf(out, "%s%s\n", out->len ? "error: " : "", first);
	for (size_t i = 0; i < paths->nr; i++)
		strbuf_addf(out, "\t%s\n", paths->items[i].string);
	strbuf_addf(out, "%s\n", last);
}

static int tell_refused(struct merger *mg)
{
	static const char commit[] = "Please commit your changes or stash them before you switch branches.";
	static const char move[] = "Please move or remove them before you switch branches.";
	static const char *const words[][2] = {
		[OVERWRITTEN] = { "Your local changes to the following files would be overwritten by checkout:", commit },
		[NOT_UPTODATE] = { "Your local changes to the following files would be overwritten by checkout:", commit },
		[UNTRACKED_IN_DIR] = { "Updating the following directories would lose untracked files in them:", "" },
		[UNTRACKED_FILE] = { "The following untracked working tree files would be overwritten by checkout:", move },
		[UNTRACKED_PARENT] = { "The following untracked working tree files would be removed by checkout:", move },
	};
	struct strbuf text = STRBUF_INIT;
	int rc = 0;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		add_paths(&text, &mg->in_the_way[i], words[i][0], words[i][1]);
		string_list_clear(&mg->in_the_way[i], NULL);
	}
	if (mg->refused)
		rc = err_set(mg->err, ERR_CONFLICT, "%sAborting", text.buf);
	strbuf_release(&text);
	return rc;
}

/* An ignored file may go, unless all shall be kept. */
static bool is_expendable(struct merger *mg, const char *path, size_t len)
{
	if (mg->m->keep_ignored)
		return false;
	if (!mg->ignore && ignore_new(&mg->ignore, mg->r, mg->ix, NULL) < 0)
		return false;
	return ignore_is_ignored(mg->ignore, path, len, false);
}

/* An untracked file in place of one of its directories has been told of: that is enough. */
static bool is_below_untracked(const struct merger *mg, const struct index_entry *e)
{
	const struct string_list *l = &mg->in_the_way[UNTRACKED_FILE];

	for (size_t i = 0; i < l->nr; i++) {
		const char *rest;

		if (skip_prefix(e->name, l->items[i].string, &rest) && *rest == '/')
			return true;
	}
	return false;
}

/* Fails if the file of an entry that will be changed or removed has local changes. */
static int check_uptodate(struct merger *mg, struct index_entry *e)
{
	enum worktree_change change;
	int ret;

	if (mg->m->index_only || mg->m->reset || !mg->r->worktree)
		return 0;
	ret = worktree_entry_changed(mg->r, mg->ix, e, mg->c, &change, NULL, NULL, mg->err);
	if (ret)
		return ret;
	if (change == WT_UNCHANGED)
		return 0;
	/* it does not exist: nothing is lost; a file in place of its directory is a change, too */
	if (change == WT_DELETED && (is_missing(e) || is_below_untracked(mg, e)))
		return 0;
	return refuse(mg, NOT_UPTODATE, e->name);
}

static int found_untracked(void *data, const char *path, size_t len, bool is_dir,
			   enum dirwalk_kind kind)
{
	(void)data;
	(void)path;
	(void)len;
	(void)is_dir;
	return kind == DIRWALK_UNTRACKED ? 1 : 0;
}

/* A directory in place of a new file: fails if it has untracked files. */
static int check_dir_expendable(struct merger *mg, const char *path)
{
	const char *const argv[] = { path, NULL };
	struct ignore *ig = NULL;
	struct pathspec ps;
	int ret = pathspec_parse(&ps, NULL, mg->r->worktree, argv, PATHSPEC_LITERAL, mg->err);

	if (ret)
		return ret;
	ret = ignore_new(&ig, mg->r, mg->ix, mg->err);
	if (!ret)
		ret = worktree_walk_untracked(mg->r, mg->ix, ig, &ps, UNTRACKED_ALL, 0,
					      found_untracked, NULL, mg->err);
	ignore_free(ig);
	pathspec_release(&ps);
	return ret > 0 ? refuse(mg, UNTRACKED_IN_DIR, path) : ret;
}

/* An untracked file among the directories that lead to path: its length, or 0. */
static size_t untracked_parent(struct merger *mg, const char *path)
{
	for (size_t i = 1; path[i]; i++) {
		char *parent;
		struct stat st;
		bool stop;

		if (path[i] != '/')
			continue;
		parent = xmemdupz(path, i);
		stop = lstat(parent, &st) < 0;
		free(parent);
		if (stop)
			return 0;
		if (!S_ISDIR(st.st_mode))
			return index_pos(mg->ix, path, i, 0) < 0 ? i : 0;
	}
	return 0;
}

/* Fails if an untracked file is where a new entry will be written. */
static int check_absent(struct merger *mg, const struct index_entry *e)
{
	size_t parent;
	struct stat st;

	if (mg->m->index_only || mg->m->reset || !mg->m->update)
		return 0;
	parent = untracked_parent(mg, e->name);
	if (parent && is_expendable(mg, e->name, parent))
		return 0;
	if (parent) {
		char *path = xmemdupz(e->name, parent);
		int ret = refuse(mg, UNTRACKED_PARENT, path);

		free(path);
		return ret;
	}
	if (worktree_leading_symlink(e->name, e->name_len) || lstat(e->name, &st) < 0)
		return 0;
	if (S_ISDIR(st.st_mode))
		return MODE_IS_GITLINK(e->mode) ? 0 : check_dir_expendable(mg, e->name);
	return is_expendable(mg, e->name, e->name_len) ? 0 : refuse(mg, UNTRACKED_FILE, e->name);
}

/* Neither the index nor the new tree has it: a file that has come in its place is in the way. */
static int check_gone(struct merger *mg, const struct index_entry *e)
{
	size_t len = e->name_len;
	struct stat st;
	char *path;
	int ret = 0;

	if (mg->m->index_only || mg->m->reset || !mg->m->update)
		return 0;
	for (size_t i = 1; i < len; i++) {
		if (e->name[i] != '/')
			continue;
		path = xmemdupz(e->name, i);
		if (lstat(path, &st) < 0)
			len = 0;
		else if (!S_ISDIR(st.st_mode))
			len = i;
		free(path);
	}
	path = xmemdupz(e->name, len);
	if (len && !lstat(path, &st) && !S_ISDIR(st.st_mode) && !is_expendable(mg, path, len))
		ret = refuse(mg, UNTRACKED_PARENT, path);
	free(path);
	return ret;
}

/* ---- outcomes for one path ---- */

static bool same(const struct index_entry *a, const struct index_entry *b)
{
	if (!a || !b)
		return a == b;
	return a->mode == b->mode && oid_eq(&a->oid, &b->oid) &&
	       !((a->flags | b->flags) & CE_INTENT_TO_ADD);
}

/* e uses the memory of the result. Conflicts of files and directories are found at the end. */
static int append(struct merger *mg, struct index_entry *e, unsigned stage)
{
	if (stage) /* the tree's list must keep its own */
		e = index_entry_new(&mg->m->result, e->mode, &e->oid, e->name, e->name_len, stage);
	return index_add(&mg->m->result, e, INDEX_ADD_APPEND | INDEX_ADD_KEEP_TREE,
			 mg->r->settings.protect, mg->err);
}

static int append_copy(struct merger *mg, const struct index_entry *cur)
{
	struct index_entry *e = index_entry_new(&mg->m->result, cur->mode, &cur->oid, cur->name,
						cur->name_len, 0);

	e->stat = cur->stat;
	e->flags = cur->flags &
		   (CE_ASSUME_VALID | CE_SKIP_WORKTREE | CE_INTENT_TO_ADD | CE_UPTODATE);
	return append(mg, e, 0);
}

static int keep_entry(struct merger *mg, struct index_entry *cur)
{
	enum worktree_change change = WT_UNCHANGED;
	int ret = append_copy(mg, cur);

	/* with one tree, --reset -u restores files that were changed in the work tree */
	if (!ret && mg->m->kind == TREE_MERGE_ONE && mg->m->reset && mg->m->update &&
	    !(cur->flags & CE_SKIP_WORKTREE)) {
		ret = worktree_entry_changed(mg->r, mg->ix, cur, mg->c, &change, NULL, NULL,
					     mg->err);
		if (!ret && change != WT_UNCHANGED)
			string_list_append(&mg->m->checked_out, cur->name);
	}
	return ret;
}

/* A new path that the patterns of a sparse checkout leave out. */
static bool is_left_out(const struct merger *mg, const struct place *p)
{
	return mg->sparse && !p->unmerged && !sparse_has(mg->sparse, p->name, p->len);
}

static int use_entry(struct merger *mg, const struct place *p, struct index_entry *e)
{
	bool skip;
	int ret;

	if (p->cur && same(p->cur, e))
		return keep_entry(mg, p->cur);
	skip = p->cur ? p->cur->flags & CE_SKIP_WORKTREE : is_left_out(mg, p);
	ret = p->cur ? check_uptodate(mg, p->cur) : p->unmerged || skip ? 0 : check_absent(mg, e);
	if (!ret)
		ret = append(mg, e, 0);
	if (!ret && skip)
		e->flags |= CE_SKIP_WORKTREE;
	else if (!ret && mg->m->update)
		string_list_append(&mg->m->checked_out, e->name);
	return ret;
}

static int remove_entry(struct merger *mg, const struct place *p)
{
	int ret = p->cur ? check_uptodate(mg, p->cur) : 0;

	if (!ret && mg->m->update && (p->cur || p->unmerged))
		string_list_append(&mg->m->removed, p->name);
	return ret;
}

/* ---- the rules ---- */

static int merge_one(struct merger *mg, const struct place *p)
{
	return p->tree[0] ? use_entry(mg, p, p->tree[0]) : remove_entry(mg, p);
}

/* Does the list have a file where path needs a directory, or the other way round? */
static bool blocks(const struct index_state *list, const struct place *p)
{
	if (index_has_dir(list, p->name, p->len))
		return true;
	for (size_t i = 1; i < p->len; i++)
		if (p->name[i] == '/' && index_pos(list, p->name, i, 0) >= 0)
			return true;
	return false;
}

/* Cases as the table of git-read-tree(1) numbers them. */
static int merge_two(struct merger *mg, const struct place *p)
{
	struct index_entry *cur = p->cur, *from = p->tree[0], *to = p->tree[1];

	if (p->unmerged) /* only with reset */
		return to ? use_entry(mg, p, to) : remove_entry(mg, p);
	if (!cur) {
		if (!to)
			return from ? check_gone(mg, from) : 0; /* 2, 10: and it is not there */
		if (!from || !mg->ix->version)
			return use_entry(mg, p, to); /* 1, and 3 before there is an index */
		if (same(from, to))
			return 0; /* 3: its staged removal is kept */
		return refuse(mg, OVERWRITTEN, p->name);
	}
	if (!from && !to && mg->m->reset && (blocks(&mg->trees[0], p) || blocks(&mg->trees[1], p)))
		return remove_entry(mg, p);
	if (!from && !to && blocks(&mg->trees[1], p) && !blocks(&mg->trees[0], p))
		return refuse(mg, OVERWRITTEN, p->name);
	if ((!from && !to) || same(cur, to) || (from && to && same(from, to)))
		return keep_entry(mg, cur); /* 4 to 7, 14, 15, 18, 19 */
	if (from && same(cur, from))
		return to ? use_entry(mg, p, to) : remove_entry(mg, p); /* 10, 11; 20, 21 */
	return refuse(mg, OVERWRITTEN, p->name); /* 8, 9, 12, 13, 16, 17 */
}

struct sides {
	struct index_entry *ours, *theirs, *base;
	bool base_is_ours, base_is_theirs, some_base_missing;
};

static void compare_sides(const struct merger *mg, const struct place *p, struct sides *s)
{
	memset(s, 0, sizeof(*s));
	s->ours = p->tree[mg->nr - 2];
	s->theirs = p->tree[mg->nr - 1];
	for (size_t i = 0; i + 2 < mg->nr; i++) {
		struct index_entry *base = p->tree[i];

		if (!s->base)
			s->base = base;
		s->some_base_missing |= !base;
		if (!base && blocks(&mg->trees[i], p))
			continue; /* something else was there: both sides changed it */
		s->base_is_ours |= same(base, s->ours);
		s->base_is_theirs |= same(base, s->theirs);
	}
}

/* A conflict: the stages are added to the index. */
static int leave_unmerged(struct merger *mg, const struct place *p, const struct sides *s)
{
	int ret = p->cur ? check_uptodate(mg, p->cur) : 0;

	if (!ret && mg->m->trivial_only)
		ret = err_set(mg->err, ERR_CONFLICT, "Merge requires file-level merging");
	if (!ret && s->base)
		ret = append(mg, s->base, 1);
	if (!ret && s->ours)
		ret = append(mg, s->ours, 2);
	if (!ret && s->theirs)
		ret = append(mg, s->theirs, 3);
	return ret;
}

static bool removal_is_trivial(const struct merger *mg, const struct sides *s)
{
	if (!s->ours && !s->theirs)
		return s->some_base_missing || mg->m->aggressive;
	if (!mg->m->aggressive)
		return false;
	return (!s->ours && s->base_is_theirs) || (!s->theirs && s->base_is_ours);
}

static int merge_three(struct merger *mg, const struct place *p)
{
	const struct index_state *our_list = &mg->trees[mg->nr - 2];
	const struct index_state *their_list = &mg->trees[mg->nr - 1];
	struct sides s;

	compare_sides(mg, p, &s);
	/* only their side changed it: the index may have that version already */
	if (s.theirs && s.base_is_ours && !s.base_is_theirs && !blocks(our_list, p)) {
		if (p->cur && !same(p->cur, s.theirs) && !same(p->cur, s.ours))
			return refuse(mg, OVERWRITTEN, p->name);
		return use_entry(mg, p, s.theirs);
	}
	if (p->cur && !same(p->cur, s.ours))
		return refuse(mg, OVERWRITTEN, p->name);
	if (s.ours && same(s.ours, s.theirs))
		return use_entry(mg, p, s.ours);
	if (s.ours && s.base_is_theirs && !s.base_is_ours && !blocks(their_list, p))
		return use_entry(mg, p, s.ours);
	if (removal_is_trivial(mg, &s))
		return remove_entry(mg, p);
	return leave_unmerged(mg, p, &s);
}

static int merge_bind(struct merger *mg, const struct place *p)
{
	if (p->cur && p->tree[0])
		return err_set(mg->err, ERR_CONFLICT,
			       "Entry '%s' overlaps with '%s'.  Cannot bind.", p->tree[0]->name,
			       p->cur->name);
	return p->cur ? keep_entry(mg, p->cur) : use_entry(mg, p, p->tree[0]);
}

static int merge_place(struct merger *mg, const struct place *p)
{
	switch (mg->m->kind) {
	case TREE_MERGE_ONE:
		return merge_one(mg, p);
	case TREE_MERGE_TWO:
		return merge_two(mg, p);
	case TREE_MERGE_THREE:
		return merge_three(mg, p);
	case TREE_MERGE_BIND:
		return merge_bind(mg, p);
	default:
		for (size_t i = mg->nr; i-- > 0;)
			if (p->tree[i])
				return append(mg, p->tree[i], 0);
		return 0;
	}
}

/* ---- the pass ---- */

struct cursor {
	const struct index_state *list;
	size_t pos;
};

static struct index_entry *head_of(const struct cursor *c)
{
	return c->pos < c->list->nr ? c->list->entries[c->pos] : NULL;
}

static void find_least(const struct cursor *c, struct place *p)
{
	struct index_entry *e = head_of(c);

	if (e && (!p->name || strcmp(e->name, p->name) < 0)) {
		p->name = e->name;
		p->len = e->name_len;
	}
}

static bool is_at(const struct cursor *c, const struct place *p)
{
	struct index_entry *e = head_of(c);

	return e && e->name_len == p->len && !memcmp(e->name, p->name, p->len);
}

static void read_from_index(struct cursor *c, struct place *p)
{
	for (; is_at(c, p); c->pos++) {
		struct index_entry *e = head_of(c);

		if (e->flags & CE_REMOVE)
			continue;
		if (!e->stage)
			p->cur = e;
		else if (!p->unmerged)
			p->unmerged = e;
	}
}

/* What has been appended to the result for this place is what that tree has there. */
static bool is_as_in(const struct merger *mg, const struct place *p, const struct index_entry *e,
		     size_t before)
{
	const struct index_state *out = &mg->m->result;

	if (!e)
		return out->nr == before;
	return out->nr == before + 1 && !strcmp(out->entries[before]->name, p->name) &&
	       same(out->entries[before], e);
}

static int run_pass(struct merger *mg)
{
	static const struct index_state nothing;
	bool reads = mg->m->kind == TREE_MERGE_READ;
	struct cursor cur = { reads ? &nothing : mg->ix, 0 };
	struct cursor tree[TREE_MERGE_MAX];
	bool equal = true;
	int ret = 0;

	for (size_t i = 0; i < mg->nr; i++)
		tree[i] = (struct cursor){ &mg->trees[i], 0 };
	while (!ret) {
		struct place p = { 0 };
		size_t before = mg->m->result.nr;

		find_least(&cur, &p);
		for (size_t i = 0; i < mg->nr; i++)
			find_least(&tree[i], &p);
		if (!p.name)
			break;
		read_from_index(&cur, &p);
		for (size_t i = 0; i < mg->nr; i++)
			for (; is_at(&tree[i], &p); tree[i].pos++)
				p.tree[i] = head_of(&tree[i]);
		ret = merge_place(mg, &p);
		equal = equal && is_as_in(mg, &p, p.tree[mg->nr - 1], before);
	}
	mg->m->result_is_last_tree = equal;
	return ret;
}

/* A file of one tree and a directory of another cannot both be in the index. */
static int check_files_and_dirs(struct merger *mg)
{
	struct index_state *out = &mg->m->result;

	for (size_t i = 0; i < out->nr; i++) {
		const struct index_entry *e = out->entries[i];
		size_t begin = index_dir_start(out, e->name, e->name_len);

		if (begin >= out->nr || strncmp(out->entries[begin]->name, e->name, e->name_len) ||
		    out->entries[begin]->name[e->name_len] != '/' ||
		    out->entries[begin]->stage != e->stage)
			continue;
		if (mg->m->kind != TREE_MERGE_READ)
			return refuse(mg, OVERWRITTEN, e->name);
		index_remove_at(out, i--); /* the directory wins */
	}
	return 0;
}

int tree_merge_run(struct tree_merge *m, struct repository *r, struct index_state *ix,
		   struct converter *c, const struct object_id *trees, size_t nr,
		   struct err *err)
{
	struct merger mg = { .m = m, .r = r, .ix = ix, .c = c, .nr = nr, .err = err };
	int ret;

	if (nr > TREE_MERGE_MAX)
		return err_set(err, ERR_TOO_BIG, "I cannot read more than %d trees", TREE_MERGE_MAX);
	index_init(&m->result, r->algo);
	ret = sparse_new(&mg.sparse, r, err);
	if (!ret)
		ret = flatten(&mg, trees);
	if (!ret)
		ret = run_pass(&mg);
	if (!ret)
		ret = mg.refused ? 0 : check_files_and_dirs(&mg);
	if (!ret || mg.refused)
		ret = tell_refused(&mg);
	ignore_free(mg.ignore);
	sparse_free(mg.sparse);
	for (size_t i = 0; i < nr; i++)
		index_release(&mg.trees[i]);
	m->result.version = ix->version;
	m->result.timestamp_sec = ix->timestamp_sec;
	m->result.timestamp_nsec = ix->timestamp_nsec;
	m->result.file = ix->file;
	m->result.changed = true;
	return ret;
}

/* ---- files ---- */

/* What is in the place of a file that leaves the index is not that file, and stays. */
static void warn_of_directory(const struct repository *r, const char *path)
{
	struct stat st;
	char *text;

	if (worktree_leading_symlink(path, strlen(path)) || lstat(path, &st) < 0 ||
	    !S_ISDIR(st.st_mode))
		return;
	text = xstrfmt("warning: unable to unlink '%s': Is a directory\n", path);
	repo_report_lines(r, text);
	free(text);
}

int tree_merge_update_files(struct tree_merge *m, struct repository *r, struct index_state *ix,
			    struct converter *c, struct err *err)
{
	int ret = worktree_prefetch(r, ix, &m->checked_out, err), rc;

	if (ret < 0)
		return ret;
	for (size_t i = 0; i < m->removed.nr; i++) {
		warn_of_directory(r, m->removed.items[i].string);
		rc = worktree_remove_entry(r, m->removed.items[i].string, err);
		ret = ret ? ret : rc;
	}
	rc = worktree_write_files(r, ix, &m->checked_out, c, m->progress, err);
	return ret ? ret : rc;
}

void tree_merge_release(struct tree_merge *m)
{
	index_release(&m->result);
	string_list_clear(&m->removed, NULL);
	string_list_clear(&m->checked_out, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Merging trees into the index. The index and the trees are lists in the same order: one
 * pass reads what each of them has at a path, decides, and appends to the result.
 */
#include "compat/posix.h"
#include "index/cache-tree.h"
#include "util/alloc.h"
#include "worktree/unpack-trees-internal.h"
#include "worktree/write-files.h"

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

static int unpack_trees_entry_order(const void *a, const void *b)
{
	const struct index_entry *x = *(struct index_entry *const *)a;
	const struct index_entry *y = *(struct index_entry *const *)b;

	return strcmp(x->name, y->name);
}

/* Then its entries are at hand. They are only for comparing: the first of two trees never gives one to the result. */
static bool is_tree_of_index(const struct merger *mg, const struct object_id *tree)
{
	struct object_id cached;
	size_t nr;

	return mg->m->kind == UNPACK_TREES_TWO && !mg->m->prefix &&
	       cache_tree_lookup(mg->ix, "", 0, &cached, &nr) && nr == mg->ix->nr && oid_eq(&cached, tree);
}

static void list_index(const struct index_state *ix, struct index_state *list)
{
	ALLOC_ARRAY(list->entries, ix->nr);
	memcpy(list->entries, ix->entries, st_mult(ix->nr, sizeof(*ix->entries)));
	list->nr = ix->nr;
	list->alloc = ix->nr;
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
		if (!i && is_tree_of_index(mg, &trees[i])) {
			list_index(mg->ix, list);
			continue;
		}
		ret = tree_walk(odb_source(mg->r->odb), &trees[i], prefix, flatten_entry, &f,
				mg->err);
		if (ret)
			return ret;
		for (size_t k = 1; k < list->nr; k++)
			if (strcmp(list->entries[k - 1]->name, list->entries[k]->name) > 0) {
				/* a tree that is not sorted; fsck reports it */
				qsort(list->entries, list->nr, sizeof(*list->entries),
				      unpack_trees_entry_order);
				break;
			}
	}
	return 0;
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
	       unpack_trees_same(out->entries[before], e);
}

static int run_pass(struct merger *mg)
{
	static const struct index_state nothing;
	bool reads = mg->m->kind == UNPACK_TREES_READ;
	struct cursor cur = { reads ? &nothing : mg->ix, 0 };
	struct cursor tree[UNPACK_TREES_MAX];
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
		ret = unpack_trees_place(mg, &p);
		equal = equal && is_as_in(mg, &p, p.tree[mg->nr - 1], before);
	}
	mg->m->result_is_last_tree = equal;
	return ret;
}

/* Entries below a file come right after it, but for others that begin with its name, too. */
static bool next_begins_with(const struct index_state *ix, size_t pos)
{
	const struct index_entry *e = ix->entries[pos];

	return pos + 1 < ix->nr && !strncmp(ix->entries[pos + 1]->name, e->name, e->name_len);
}

/* A file of one tree and a directory of another cannot both be in the index. */
static int unpack_trees_check_files_and_dirs(struct merger *mg)
{
	struct index_state *out = &mg->m->result;

	for (size_t i = 0; i < out->nr; i++) {
		const struct index_entry *e = out->entries[i];
		size_t begin;

		if (!next_begins_with(out, i))
			continue;
		begin = index_dir_start(out, e->name, e->name_len);
		if (begin >= out->nr || strncmp(out->entries[begin]->name, e->name, e->name_len) ||
		    out->entries[begin]->name[e->name_len] != '/' ||
		    out->entries[begin]->stage != e->stage)
			continue;
		if (mg->m->kind != UNPACK_TREES_READ)
			return unpack_trees_refuse(mg, OVERWRITTEN, e->name);
		index_remove_at(out, i--); /* the directory wins */
	}
	return 0;
}

int unpack_trees_run(struct unpack_trees *m, struct repository *r, struct index_state *ix,
		   struct converter *c, const struct object_id *trees, size_t nr,
		   struct err *err)
{
	struct merger mg = { .m = m, .r = r, .ix = ix, .c = c, .nr = nr, .err = err };
	int ret;

	if (nr > UNPACK_TREES_MAX)
		return err_set(err, ERR_TOO_BIG, "I cannot read more than %d trees", UNPACK_TREES_MAX);
	index_init(&m->result, r->algo);
	lstat_cursor_init(&mg.cursor);
	strbuf_init(&mg.clear, 0);
	ret = m->update && !m->no_sparse && m->kind != UNPACK_TREES_READ ? sparse_new(&mg.sparse, r, err) : 0;
	if (!ret)
		ret = flatten(&mg, trees);
	if (!ret)
		ret = run_pass(&mg);
	if (!ret)
		ret = unpack_trees_check_cwd(&mg);
	if (!ret)
		ret = mg.refused ? 0 : unpack_trees_check_files_and_dirs(&mg);
	if (!ret || mg.refused)
		ret = unpack_trees_tell_refused(&mg);
	ignore_free(mg.ignore);
	lstat_cursor_release(&mg.cursor);
	strbuf_release(&mg.clear);
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

/* In the words of checkout, or in those of the other commands. */
static void add_border(struct strbuf *out, const struct unpack_trees *m, const struct string_list *paths,
		       const char *many, const char *one)
{
	if (m->for_switch && paths->nr)
		strbuf_addf(out, "warning: %s\n", many);
	for (size_t i = 0; i < paths->nr; i++)
		strbuf_addf(out, m->for_switch ? "\t%s\n" : one, paths->items[i].string);
	if (m->for_switch && paths->nr)
		strbuf_addch(out, '\n');
}

static void warn_of_border(const struct unpack_trees *m, const struct repository *r)
{
	struct strbuf text = STRBUF_INIT;

	add_border(&text, m, &m->left, "The following paths are not up to date and were left despite sparse patterns:",
		   "error: Path '%s' not uptodate; will not remove from working tree.\n");
	add_border(&text, m, &m->not_overwritten,
		   "The following paths were already present and thus not updated despite sparse patterns:",
		   "error: Path '%s' already present; will not overwrite with sparse update.\n");
	if (m->for_switch && text.len)
		strbuf_addstr(&text, "After fixing the above paths, you may want to run `git sparse-checkout reapply`.\n");
	repo_report_lines(r, text.buf);
	strbuf_release(&text);
}

int unpack_trees_update_files(struct unpack_trees *m, struct repository *r, struct index_state *ix,
			    struct converter *c, struct err *err)
{
	const struct write_files_options o = { m->start_meter, m->start_meter, m->collided };
	int ret = worktree_write_prepare(r, ix, &m->checked_out, err), rc;

	if (!ret && m->before_files && (m->checked_out.nr || m->removed.nr))
		ret = m->before_files(m->before_files_data, err);
	if (ret < 0)
		return ret;
	ret = worktree_remove_files(r, &m->removed, err);
	rc = worktree_write_files(r, ix, &m->checked_out, c, &o, err);
	warn_of_border(m, r);
	return ret ? ret : rc;
}

int unpack_trees_list(struct repository *r, const struct object_id *tree, struct index_state *out, struct err *err)
{
	struct unpack_trees m = { .kind = UNPACK_TREES_READ, .index_only = true };
	struct index_state none;
	int rc;

	index_init(&none, r->algo);
	rc = unpack_trees_run(&m, r, &none, NULL, tree, 1, err);
	*out = m.result;
	index_init(&m.result, r->algo);
	unpack_trees_release(&m);
	return rc;
}

void unpack_trees_release(struct unpack_trees *m)
{
	index_release(&m->result);
	string_list_clear(&m->removed, NULL);
	string_list_clear(&m->checked_out, NULL);
	string_list_clear(&m->left, NULL);
	string_list_clear(&m->not_overwritten, NULL);
}

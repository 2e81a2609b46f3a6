/* SPDX-License-Identifier: GPL-2.0-only */
/* Merging trees: what becomes of one path, by the rules of git-read-tree(1). */
#include "compat/posix.h"
#include "worktree/unpack-trees-internal.h"
#include "worktree/write-files.h"

/* ---- outcomes for one path ---- */

bool unpack_trees_same(const struct index_entry *a, const struct index_entry *b)
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

/* Sets skip-worktree of the entry that was appended last. */
static void set_skip(struct merger *mg, bool out)
{
	struct index_state *ix = &mg->m->result;
	struct index_entry *e = ix->entries[ix->nr - 1];

	e->flags = out ? e->flags | CE_SKIP_WORKTREE : e->flags & ~CE_SKIP_WORKTREE;
}

/* If there is one tree, --reset -u restores files that were changed in the work tree. */
static int restore_changed(struct merger *mg, struct index_entry *cur)
{
	enum worktree_change change = WT_UNCHANGED;
	int ret;

	if (mg->m->kind != UNPACK_TREES_ONE || !mg->m->reset || !mg->m->update)
		return 0;
	ret = unpack_trees_compare(mg, cur, &change);
	if (!ret && change != WT_UNCHANGED)
		string_list_append(&mg->m->checked_out, cur->name);
	return ret;
}

static int keep_entry(struct merger *mg, const struct place *p)
{
	bool was_out = p->cur->flags & CE_SKIP_WORKTREE, out = was_out;
	int ret = 0;

	if (mg->sparse)
		ret = unpack_trees_find_border(mg, p->cur, &out);
	if (!ret)
		ret = append_copy(mg, p->cur);
	if (ret)
		return ret;
	set_skip(mg, out);
	if (out == was_out)
		return out ? 0 : restore_changed(mg, p->cur);
	if (out)
		worktree_remove_add(&mg->m->removed, p->name, p->cur->mode);
	else
		string_list_append(&mg->m->checked_out, p->name);
	return 0;
}

static unsigned mode_before(const struct place *p)
{
	return p->cur ? p->cur->mode : p->unmerged ? p->unmerged->mode : 0;
}

/*
 * A file that the trees change. Without patterns one that is not checked out is written, and
 * stays marked, as in Git.
 */
static int use_entry(struct merger *mg, const struct place *p, struct index_entry *e)
{
	bool out = mg->sparse && !sparse_has(mg->sparse, p->name, p->len);
	bool marked = mg->sparse ? out : p->cur && p->cur->flags & CE_SKIP_WORKTREE;
	int ret;

	if (p->cur && unpack_trees_same(p->cur, e))
		return keep_entry(mg, p);
	if (p->cur)
		ret = unpack_trees_check_replaced(mg, p->cur, e);
	else
		ret = p->unmerged || out ? 0 : unpack_trees_check_absent(mg, e);
	if (!ret)
		ret = append(mg, e, 0);
	if (ret)
		return ret;
	set_skip(mg, marked);
	if (mg->m->update && !out)
		string_list_append(&mg->m->checked_out, e->name);
	else if (mg->m->update && (p->unmerged || (p->cur && !(p->cur->flags & CE_SKIP_WORKTREE))))
		worktree_remove_add(&mg->m->removed, e->name, mode_before(p));
	return 0;
}

static int remove_entry(struct merger *mg, const struct place *p)
{
	/* Nothing in the place of a submodule is lost: see worktree_remove_files. */
	int ret = p->cur && !MODE_IS_GITLINK(p->cur->mode) ? unpack_trees_check_uptodate(mg, p->cur) : 0;

	if (!ret && mg->m->update && (p->cur || p->unmerged))
		worktree_remove_add(&mg->m->removed, p->name, mode_before(p));
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
			return from ? unpack_trees_check_gone(mg, from) : 0; /* 2, 10: and it is not there */
		if (!from || !mg->ix->version)
			return use_entry(mg, p, to); /* 1, and 3 before there is an index */
		if (unpack_trees_same(from, to))
			return 0; /* 3: its staged removal is kept */
		return unpack_trees_refuse(mg, OVERWRITTEN, p->name);
	}
	if (!from && !to && mg->m->reset && (blocks(&mg->trees[0], p) || blocks(&mg->trees[1], p)))
		return remove_entry(mg, p);
	if (!from && !to && blocks(&mg->trees[1], p) && !blocks(&mg->trees[0], p))
		return unpack_trees_refuse(mg, OVERWRITTEN, p->name);
	if ((!from && !to) || unpack_trees_same(cur, to) || (from && to && unpack_trees_same(from, to)))
		return keep_entry(mg, p); /* 4 to 7, 14, 15, 18, 19 */
	if (from && unpack_trees_same(cur, from))
		return to ? use_entry(mg, p, to) : remove_entry(mg, p); /* 10, 11; 20, 21 */
	return unpack_trees_refuse(mg, OVERWRITTEN, p->name); /* 8, 9, 12, 13, 16, 17 */
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
		s->base_is_ours |= unpack_trees_same(base, s->ours);
		s->base_is_theirs |= unpack_trees_same(base, s->theirs);
	}
}

/* A conflict: the stages are added to the index. */
static int leave_unmerged(struct merger *mg, const struct place *p, const struct sides *s)
{
	int ret = p->cur ? unpack_trees_check_uptodate(mg, p->cur) : 0;

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
		if (p->cur && !unpack_trees_same(p->cur, s.theirs) && !unpack_trees_same(p->cur, s.ours))
			return unpack_trees_refuse(mg, OVERWRITTEN, p->name);
		return use_entry(mg, p, s.theirs);
	}
	if (p->cur && !unpack_trees_same(p->cur, s.ours))
		return unpack_trees_refuse(mg, OVERWRITTEN, p->name);
	if (s.ours && unpack_trees_same(s.ours, s.theirs))
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
	return p->cur ? keep_entry(mg, p) : use_entry(mg, p, p->tree[0]);
}

int unpack_trees_place(struct merger *mg, const struct place *p)
{
	switch (mg->m->kind) {
	case UNPACK_TREES_ONE:
		return merge_one(mg, p);
	case UNPACK_TREES_TWO:
		return merge_two(mg, p);
	case UNPACK_TREES_THREE:
		return merge_three(mg, p);
	case UNPACK_TREES_BIND:
		return merge_bind(mg, p);
	default:
		for (size_t i = mg->nr; i-- > 0;)
			if (p->tree[i])
				return append(mg, p->tree[i], 0);
		return 0;
	}
}

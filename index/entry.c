/* SPDX-License-Identifier: GPL-2.0-only */
/* Putting entries into the index and taking them out. */
#include "compat/posix.h"
#include "index/index-internal.h"
#include "object/dotfile.h"
#include "util/alloc.h"

struct index_entry *index_entry_new(struct index_state *ix, unsigned mode,
				    const struct object_id *oid, const char *name,
				    size_t len, unsigned stage)
{
	struct index_entry *e = arena_alloc(ix, st_add(offsetof(struct index_entry, name) + 1, len));

	memset(e, 0, offsetof(struct index_entry, name));
	e->mode = mode;
	e->flags = CE_NEW;
	e->stage = (uint8_t)stage;
	e->oid = *oid;
	e->name_len = (uint32_t)len;
	memcpy(e->name, name, len);
	e->name[len] = '\0';
	return e;
}

static int entry_cmp(const struct index_entry *a, const struct index_entry *b)
{
	return index_name_cmp(a->name, a->name_len, a->stage, b->name, b->name_len, b->stage);
}

void index_collect_new(const struct index_state *ix, struct oid_array *out)
{
	for (size_t i = 0; i < ix->nr; i++) {
		const struct index_entry *e = ix->entries[i];

		if (e->flags & CE_NEW && !(e->flags & (CE_REMOVE | CE_INTENT_TO_ADD)) &&
		    !MODE_IS_GITLINK(e->mode))
			oid_array_append(out, &e->oid);
	}
}

/* ---- removing ---- */

/* Before an entry is removed: what the rest of the index has to know. */
static void record_removal(struct index_state *ix, struct index_entry *e)
{
	resolve_undo_record(ix, e);
	cache_tree_invalidate(ix, e->name);
	ix->changed = true;
}

static void remove_range(struct index_state *ix, size_t begin, size_t end)
{
	if (begin == end)
		return;
	for (size_t i = begin; i < end; i++)
		record_removal(ix, ix->entries[i]);
	memmove(ix->entries + begin, ix->entries + end,
		(ix->nr - end) * sizeof(*ix->entries));
	ix->nr -= end - begin;
	name_hash_drop(ix);
}

void index_remove_at(struct index_state *ix, size_t pos)
{
	remove_range(ix, pos, pos + 1);
}

static bool same_name(const struct index_entry *e, const char *name, size_t len)
{
	return e->name_len == len && !memcmp(e->name, name, len);
}

size_t index_remove(struct index_state *ix, const char *name, size_t len)
{
	ssize_t pos = index_pos(ix, name, len, 0);
	size_t begin = (size_t)(pos < 0 ? -1 - pos : pos), end = begin;

	while (end < ix->nr && same_name(ix->entries[end], name, len))
		end++;
	remove_range(ix, begin, end);
	return end - begin;
}

void index_remove_marked(struct index_state *ix)
{
	size_t kept = 0;

	for (size_t i = 0; i < ix->nr; i++) {
		struct index_entry *e = ix->entries[i];

		if (e->flags & CE_REMOVE)
			record_removal(ix, e);
		else
			ix->entries[kept++] = e;
	}
	if (kept != ix->nr)
		name_hash_drop(ix);
	ix->nr = kept;
}

/* ---- conflicts of files with directories ---- */

static bool is_below(const struct index_entry *e, const char *dir, size_t len)
{
	return e->name_len > len && e->name[len] == '/' && !memcmp(e->name, dir, len);
}

static int path_conflict(const struct index_entry *e, struct err *err)
{
	return err_set(err, ERR_CONFLICT, "'%s' appears as both a file and as a directory", e->name);
}

/* Entries of the same stage below "name/". */
static int clear_below(struct index_state *ix, const struct index_entry *e, unsigned flags,
		       struct err *err)
{
	size_t pos = index_dir_start(ix, e->name, e->name_len);

	while (pos < ix->nr && is_below(ix->entries[pos], e->name, e->name_len)) {
		if (ix->entries[pos]->stage != e->stage)
			pos++;
		else if (!(flags & INDEX_ADD_REPLACE))
			return path_conflict(e, err);
		else
			index_remove_at(ix, pos);
	}
	return 0;
}

/*
 * A file of the same stage where the entry needs a directory. `checked`: so
 * many bytes of the name are directories for certain.
 */
static int clear_parents(struct index_state *ix, const struct index_entry *e, size_t checked,
			 unsigned flags, struct err *err)
{
	for (size_t len = checked; len < e->name_len; len++) {
		ssize_t pos;

		if (e->name[len] != '/')
			continue;
		pos = index_pos(ix, e->name, len, e->stage);
		if (pos < 0)
			continue;
		if (!(flags & INDEX_ADD_REPLACE))
			return path_conflict(e, err);
		index_remove_at(ix, (size_t)pos);
	}
	return 0;
}

/* How much of e's directory is also that of a neighbour in the index. */
static size_t shared_dir(const struct index_entry *neighbour, const struct index_entry *e)
{
	size_t dir = 0;

	if (neighbour->stage != e->stage)
		return 0;
	for (size_t i = 0; i < e->name_len && i < neighbour->name_len; i++) {
		if (e->name[i] != neighbour->name[i])
			break;
		if (e->name[i] == '/')
			dir = i + 1;
	}
	return dir;
}

static int remove_conflicting(struct index_state *ix, const struct index_entry *e, unsigned flags,
			      struct err *err)
{
	ssize_t pos = index_pos(ix, e->name, e->name_len, e->stage);
	size_t at, checked = 0;
	int ret;

	if (pos >= 0)
		return 0; /* it is in: there cannot be a conflict */
	at = (size_t)(-1 - pos);
	if (at)
		checked = shared_dir(ix->entries[at - 1], e);
	if (at < ix->nr) {
		size_t other = shared_dir(ix->entries[at], e);

		checked = other > checked ? other : checked;
		ret = clear_below(ix, e, flags, err);
		if (ret)
			return ret;
	}
	return clear_parents(ix, e, checked, flags, err);
}

/* ---- adding ---- */

static int check_path(const struct index_entry *e, unsigned protect, struct err *err)
{
	if (e->name_len && path_is_safe(e->name, e->mode, protect))
		return 0;
	return err_set(err, ERR_INVALID, "invalid path '%s'", e->name);
}

/* Does the tree that holds it stay the same? */
static bool same_in_tree(const struct index_entry *a, const struct index_entry *b)
{
	return a->mode == b->mode && oid_eq(&a->oid, &b->oid) && a->stage == b->stage &&
	       (a->flags & (CE_INTENT_TO_ADD | CE_REMOVE)) ==
	       (b->flags & (CE_INTENT_TO_ADD | CE_REMOVE));
}

static void replace_at(struct index_state *ix, size_t pos, struct index_entry *e, unsigned flags)
{
	struct index_entry *old = ix->entries[pos];

	if (old == e)
		return;
	if (!(flags & INDEX_ADD_KEEP_TREE) && !same_in_tree(old, e))
		cache_tree_invalidate(ix, e->name);
	ix->entries[pos] = e;
	name_hash_drop(ix);
	ix->changed = true;
}

static void insert_at(struct index_state *ix, size_t pos, struct index_entry *e, unsigned flags)
{
	ALLOC_GROW(ix->entries, st_add(ix->nr, 1), ix->alloc);
	memmove(ix->entries + pos + 1, ix->entries + pos,
		(ix->nr - pos) * sizeof(*ix->entries));
	ix->entries[pos] = e;
	ix->nr++;
	if (!(flags & INDEX_ADD_KEEP_TREE))
		cache_tree_invalidate(ix, e->name);
	name_hash_added(ix, e);
	ix->changed = true;
}

/* A path in conflict has no stage 0. */
static int drop_resolved(struct index_state *ix, const struct index_entry *e, unsigned flags,
			 struct err *err)
{
	ssize_t pos = e->stage ? index_pos(ix, e->name, e->name_len, 0) : -1;

	if (pos < 0)
		return 0;
	if (!(flags & INDEX_ADD_REPLACE))
		return err_set(err, ERR_CONFLICT, "'%s' is in the index without a conflict", e->name);
	index_remove_at(ix, (size_t)pos);
	return 0;
}

/* A resolved path has no stages 1 to 3 left. */
static void drop_stages(struct index_state *ix, size_t pos, const struct index_entry *e)
{
	size_t end = pos;

	while (end < ix->nr && same_name(ix->entries[end], e->name, e->name_len))
		end++;
	remove_range(ix, pos, end);
}

int index_add(struct index_state *ix, struct index_entry *e, unsigned flags,
	      unsigned protect, struct err *err)
{
	bool append = !ix->nr || entry_cmp(ix->entries[ix->nr - 1], e) < 0;
	ssize_t pos;
	int ret = check_path(e, protect, err);

	if (!ret && !(append && flags & INDEX_ADD_APPEND))
		ret = remove_conflicting(ix, e, flags, err);
	if (!ret && e->stage)
		ret = drop_resolved(ix, e, flags, err);
	if (ret)
		return ret;
	pos = append && flags & INDEX_ADD_APPEND ? -1 - (ssize_t)ix->nr :
		index_pos(ix, e->name, e->name_len, e->stage);
	if (pos >= 0) {
		replace_at(ix, (size_t)pos, e, flags);
		return 0;
	}
	pos = -1 - pos;
	if (!e->stage)
		drop_stages(ix, (size_t)pos, e);
	insert_at(ix, (size_t)pos, e, flags);
	return 0;
}

int index_unresolve(struct index_state *ix, const char *path, struct err *err)
{
	const struct resolve_undo_info *found = resolve_undo_find(ix, path);
	struct resolve_undo_info info;
	size_t len = strlen(path);

	if (!found)
		return err_set(err, ERR_NOT_FOUND, "no resolved conflict is recorded for '%s'", path);
	info = *found;
	index_remove(ix, path, len);
	for (unsigned i = 0; i < 3; i++) {
		struct index_entry *e;
		int ret;

		if (!info.mode[i])
			continue;
		e = index_entry_new(ix, info.mode[i], &info.oid[i], path, len, i + 1);
		ret = index_add(ix, e, INDEX_ADD_REPLACE, 0, err);
		if (ret)
			return ret;
	}
	resolve_undo_remove(ix, path);
	ix->changed = true;
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* checkout and restore of paths: from the index, or from a tree through the index. */
#include "compat/posix.h"
#include "builtin/checkout/checkout.h"
#include "index/cache-tree.h"
#include "odb/odb.h"
#include "util/alloc.h"
#include "attr/attr.h"
#include "worktree/content-merge.h"
#include "worktree/write-files.h"

struct paths {
	struct checkout *co;
	struct pathspec ps;
	struct attrs *attrs; /* of ps */
	char *seen;
	struct string_list write, remove; /* files */
	struct index_state scratch;	  /* entries to be written that the index does not get */
	size_t recreated; /* conflicts, by --merge */
	enum merge3_style style;
	bool to_index, to_files, unmerged;
};

/* "sub/" names a submodule, too. */
static bool is_wanted(struct paths *p, const char *path, size_t len, unsigned mode)
{
	return pathspec_match(&p->ps, path, len, MODE_IS_GITLINK(mode), p->seen);
}

/* ---- from a tree ---- */

static int use_tree_entry(struct paths *p, unsigned mode, const struct object_id *oid,
			  const char *path, size_t len, struct err *err)
{
	struct checkout *co = p->co;
	struct index_state *to = p->to_index ? &co->ix : &p->scratch;
	const struct index_entry *old = index_find(to, path, len);

	string_list_append(&p->write, path);
	if (old && old->mode == mode && oid_eq(&old->oid, oid) && !(old->flags & CE_INTENT_TO_ADD))
		return 0;
	return index_add(to, index_entry_new(to, mode, oid, path, len, 0), INDEX_ADD_REPLACE,
			 co->r->settings.protect, err);
}

static int on_tree_entry(void *data, const char *path, size_t len, const struct tree_entry *e,
			 struct err *err)
{
	struct paths *p = data;
	int rc = 0;

	if (MODE_IS_TREE(e->mode))
		return pathspec_match_dir(&p->ps, path, len) ? TREE_WALK_DESCEND : TREE_WALK_SKIP;
	if (is_wanted(p, path, len, e->mode))
		rc = use_tree_entry(p, e->mode, &e->oid, path, len, err);
	return rc < 0 ? rc : TREE_WALK_SKIP;
}

/* Without overlay: what matches and is not in the tree goes. */
static void remove_others(struct paths *p)
{
	struct checkout *co = p->co;

	string_list_sort(&p->write);
	for (size_t i = co->ix.nr; i-- > 0;) {
		const struct index_entry *e = co->ix.entries[i];

		if (is_wanted(p, e->name, e->name_len, e->mode) && !string_list_lookup(&p->write, e->name))
			worktree_remove_add(&p->remove, e->name, e->mode);
	}
	string_list_sort(&p->remove);
}

/* After the files are written: until then a .gitattributes that goes still counts, as in Git. */
static void remove_from_index(struct paths *p)
{
	struct index_state *ix = &p->co->ix;

	if (!p->to_index || !p->co->has_tree || !p->remove.nr)
		return;
	string_list_sort(&p->remove);
	for (size_t i = ix->nr; i-- > 0;) {
		if (!string_list_lookup(&p->remove, ix->entries[i]->name))
			continue;
		cache_tree_invalidate(ix, ix->entries[i]->name);
		ix->changed = true;
		index_remove_at(ix, i);
	}
}

static int take_from_tree(struct paths *p, struct err *err)
{
	struct checkout *co = p->co;
	int rc = tree_walk(odb_source(co->r->odb), &co->tree, "", on_tree_entry, p, err);

	if (rc)
		return rc;
	for (size_t i = 0; i < co->ix.nr; i++) /* these are known paths, even where the tree lacks them */
		if (!co->overlay)
			is_wanted(p, co->ix.entries[i]->name, co->ix.entries[i]->name_len, co->ix.entries[i]->mode);
	if (!co->overlay)
		remove_others(p);
	return 0;
}

/* ---- from the index ---- */

static int take_stage(struct paths *p, const struct index_entry *e, struct err *err)
{
	if (e->stage != (unsigned)p->co->ours + 1)
		return 0;
	string_list_append(&p->write, e->name);
	return index_add(&p->scratch, index_entry_new(&p->scratch, e->mode, &e->oid, e->name,
						      e->name_len, 0),
			 INDEX_ADD_REPLACE, p->co->r->settings.protect, err);
}

/* ---- conflicts made again: --merge ---- */

/* Makes entries unmerged again that were resolved in the index. */
static int unresolve(struct paths *p, struct err *err)
{
	struct index_state *ix = &p->co->ix;
	struct strvec paths = STRVEC_INIT;
	int rc = 0;

	for (size_t i = 0; ix->resolve_undo && i < ix->resolve_undo->paths.nr; i++) {
		const char *path = ix->resolve_undo->paths.items[i].string;

		if (is_wanted(p, path, strlen(path), 0))
			strvec_push(&paths, path);
	}
	for (size_t i = 0; i < paths.nr && !rc; i++)
		rc = index_unresolve(ix, paths.v[i], err);
	strvec_clear(&paths);
	return rc;
}

static const struct index_entry *stage_of(const struct index_state *ix, const struct index_entry *e,
					  unsigned stage)
{
	ssize_t at = index_pos(ix, e->name, e->name_len, stage);

	return at < 0 ? NULL : ix->entries[at];
}

/* The merged text becomes an object, which is written like any other; nothing else names it. */
static int write_merged(struct paths *p, const struct index_entry *ours, const struct strbuf *text, struct err *err)
{
	struct checkout *co = p->co;
	struct object_id oid;
	int rc = repo_operation_open_objects(co->op, err);

	if (!rc)
		rc = odb_write(co->r->odb, OBJ_BLOB, text->buf, text->len, &oid, err);
	if (!rc)
		rc = index_add(&p->scratch, index_entry_new(&p->scratch, ours->mode, &oid, ours->name,
							    ours->name_len, 0),
			       INDEX_ADD_REPLACE, co->r->settings.protect, err);
	if (rc)
		return rc;
	string_list_append(&p->write, ours->name);
	p->recreated++;
	return 0;
}

static int merge_again(struct paths *p, const struct index_entry *e, struct err *err)
{
	struct checkout *co = p->co;
	const struct index_entry *base = stage_of(&co->ix, e, 1), *ours = stage_of(&co->ix, e, 2),
				 *theirs = stage_of(&co->ix, e, 3);
	struct content_merge cm = { .r = co->r, .attrs = converter_attrs(co->conv) };
	struct merge_rules rules = { .style = p->style, .attributes = content_merge_attributes, .attributes_data = &cm };
	struct merge_blobs m = { .path = e->name, .label = { "base", "ours", "theirs" } };
	struct merge_blobs_outcome outcome;
	struct strbuf text = STRBUF_INIT;
	int rc;

	if (!ours || !theirs || !MODE_IS_FILE(ours->mode) || !MODE_IS_FILE(theirs->mode)) {
		error("path '%s' does not have all necessary versions", e->name);
		p->unmerged = true;
		return 0;
	}
	m.oid[MERGE_BASE] = base && MODE_IS_FILE(base->mode) ? &base->oid : NULL;
	m.oid[MERGE_OURS] = &ours->oid;
	m.oid[MERGE_THEIRS] = &theirs->oid;
	rc = merge_blobs(&m, &rules, co->r->odb, &text, &outcome, err);
	if (rc == ERR_ABORTED) { /* a merge driver */
		err_release(err);
		error("path '%s': cannot merge", e->name);
		p->unmerged = true;
		strbuf_release(&text);
		return 0;
	}
	if (!rc && outcome.binary)
		warning("Cannot merge binary files: %s (%s vs. %s)", e->name, "ours", "theirs");
	if (!rc)
		rc = write_merged(p, ours, &text, err);
	strbuf_release(&text);
	return rc;
}

static bool has_stage(const struct index_state *ix, const struct index_entry *e, unsigned stage)
{
	return index_pos(ix, e->name, e->name_len, stage) >= 0;
}

static int take_unmerged(struct paths *p, const struct index_entry *e, const char **last,
			 struct err *err)
{
	struct checkout *co = p->co;
	const char *side = co->ours == 1 ? "our" : "their";
	bool first = !*last || strcmp(*last, e->name);

	*last = e->name;
	if (co->ours && has_stage(&co->ix, e, (unsigned)co->ours + 1))
		return take_stage(p, e, err);
	if (!first)
		return 0;
	if (co->merge)
		return merge_again(p, e, err);
	if (co->force || co->ignore_unmerged) {
		if (!co->quiet)
			warning("path '%s' is unmerged", e->name);
		return 0;
	}
	if (co->ours && !co->overlay) {
		worktree_remove_add(&p->remove, e->name, e->mode);
		return 0;
	}
	p->unmerged = true;
	if (co->ours)
		error("path '%s' does not have %s version", e->name, side);
	else
		error("path '%s' is unmerged", e->name);
	return 0;
}

static int take_from_index(struct paths *p, struct err *err)
{
	struct checkout *co = p->co;
	const char *last = NULL;
	int rc = co->merge ? unresolve(p, err) : 0;

	for (size_t i = 0; i < co->ix.nr && !rc; i++) {
		const struct index_entry *e = co->ix.entries[i];

		if (!is_wanted(p, e->name, e->name_len, e->mode))
			continue;
		if ((e->flags & CE_SKIP_WORKTREE) && !co->ignore_skip)
			continue;
		if (e->stage)
			rc = take_unmerged(p, e, &last, err);
		else if (!co->overlay && (e->flags & CE_INTENT_TO_ADD))
			worktree_remove_add(&p->remove, e->name, e->mode);
		else
			string_list_append(&p->write, e->name);
	}
	return rc;
}

/* ---- files ---- */

/* Only what differs is written, so that files which are right keep their times. */
static int drop_unchanged(struct paths *p, struct string_list *out, struct err *err)
{
	struct checkout *co = p->co;
	int rc = 0;

	for (size_t i = 0; i < p->write.nr && !rc; i++) {
		const char *path = p->write.items[i].string;
		struct index_entry *e = index_find(&co->ix, path, strlen(path));
		enum worktree_change change = WT_MODIFIED;

		if (e && !index_find(&p->scratch, path, strlen(path)))
			rc = worktree_entry_changed(co->r, &co->ix, e, co->conv, &change, NULL,
						    NULL, err);
		if (change != WT_UNCHANGED)
			string_list_append(out, path);
	}
	return rc;
}

static bool is_attributes(const char *path)
{
	const char *slash = strrchr(path, '/');

	return !strcmp(slash ? slash + 1 : path, ".gitattributes");
}

/* Files that are written one after the other, by the same rules. */
struct batch {
	struct index_state *ix;	  /* that has their entries: scratch, or the index */
	bool attributes;	  /* .gitattributes, or all others */
	struct string_list paths;
};

static void choose_batch(const struct paths *p, const struct string_list *paths, struct batch *b)
{
	bool scratch = b->ix == &p->scratch;

	for (size_t i = 0; i < paths->nr; i++) {
		const char *path = paths->items[i].string;

		if (is_attributes(path) == b->attributes &&
		    scratch == (index_find(&p->scratch, path, strlen(path)) != NULL))
			string_list_append(&b->paths, path);
	}
}

/* For .gitattributes itself its new content counts, in the place of the file; the others are as they are. */
static int own_attributes(const struct paths *p, const struct batch *b, struct index_state *own, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < b->paths.nr && !rc && b->attributes; i++) {
		const char *path = b->paths.items[i].string;
		const struct index_entry *e = index_find(b->ix, path, strlen(path));

		rc = index_add(own, index_entry_new(own, e->mode, &e->oid, path, e->name_len, 0), INDEX_ADD_REPLACE,
			       p->co->r->settings.protect, err);
	}
	return rc;
}

/*
 * As in Git, the attributes of the work tree count for paths, and those of the index only where a file is missing;
 * checkout of a branch does it the other way round.
 */
static int write_batch(struct paths *p, const struct batch *b, struct err *err)
{
	struct checkout *co = p->co;
	const struct write_files_options o = { .filtering = checkout_meter(co) };
	struct converter *conv = NULL;
	struct index_state own;
	int rc;

	index_init(&own, co->r->algo);
	rc = own_attributes(p, b, &own, err);
	if (!rc)
		rc = converter_new(&conv, co->r, b->attributes ? &own : &co->ix,
				   b->attributes ? ATTR_CHECKOUT : ATTR_CHECKIN, err);
	if (!rc)
		checkout_set_origin(co, conv);
	if (!rc)
		rc = worktree_write_files(co->r, b->ix, &b->paths, conv, &o, err);
	converter_free(conv);
	index_release(&own);
	return rc;
}

/* .gitattributes come first: the other files are converted as they say. */
static int write_all(struct paths *p, const struct string_list *paths, struct err *err)
{
	struct index_state *const from[] = { &p->scratch, &p->co->ix };
	int rc = 0;

	for (int i = 0; i < 4 && !rc; i++) {
		struct batch b = { from[i & 1], i < 2, STRING_LIST_INIT };

		choose_batch(p, paths, &b);
		if (b.paths.nr)
			rc = write_batch(p, &b, err);
		string_list_clear(&b.paths, NULL);
	}
	return rc;
}

static void tell_count(const struct paths *p, size_t nr)
{
	const struct checkout *co = p->co;
	struct strbuf id = STRBUF_INIT;

	if (p->recreated)
		fprintf(stderr, "Recreated %zu merge conflict%s\n", p->recreated, p->recreated == 1 ? "" : "s");
	nr -= p->recreated;
	if (p->recreated && !nr)
		return;
	if (co->has_tree)
		odb_abbrev(co->r->odb, &co->tree, co->r->settings.abbrev, &id);
	fprintf(stderr, "Updated %zu path%s from %s\n", nr, nr == 1 ? "" : "s",
		co->has_tree ? id.buf : "the index");
	strbuf_release(&id);
}

static int update_files(struct paths *p, struct err *err)
{
	struct string_list todo = STRING_LIST_INIT;
	int rc = drop_unchanged(p, &todo, err);

	if (!rc)
		rc = worktree_remove_files(p->co->r, &p->remove, err);
	if (!rc)
		rc = write_all(p, &todo, err);
	if (!rc && p->co->count)
		tell_count(p, todo.nr);
	string_list_clear(&todo, NULL);
	return rc;
}

static bool tell_unmatched(const struct paths *p)
{
	bool any = false;

	for (size_t i = 0; i < p->ps.nr; i++) {
		if (p->seen[i] || p->ps.items[i].exclude)
			continue;
		error("pathspec '%s' did not match any file(s) known to git",
		      p->ps.items[i].original);
		any = true;
	}
	return any;
}

/* > 0: told already. */
static int run_paths(struct paths *p, struct err *err)
{
	struct checkout *co = p->co;
	int rc = checkout_read_index(co, err);

	if (!rc)
		rc = attrs_new_for_pathspec(&p->attrs, &p->ps, co->r, &co->ix, err);
	if (!rc)
		rc = merge_config_style(&p->style, co->r->config, err);
	if (!rc && co->conflict)
		merge3_parse_style(&p->style, co->conflict);
	if (!rc)
		rc = co->has_tree ? take_from_tree(p, err) : take_from_index(p, err);
	if (!rc && (tell_unmatched(p) || p->unmerged))
		return 1;
	if (!rc && p->to_files)
		rc = update_files(p, err);
	if (!rc)
		remove_from_index(p);
	if (!rc && co->ix.changed)
		repo_operation_set_index(co->op, &co->ix);
	return rc;
}

int checkout_paths(struct checkout *co, const char **argv)
{
	struct paths p = { .co = co, .to_files = true, .to_index = true };
	struct err err = ERR_INIT;
	int rc;

	if (co->command == RESTORE) {
		p.to_index = co->staged;
		p.to_files = co->worktree;
	}
	pathspec_args_parse(&co->pathspec_args, &p.ps, co->r, argv, 0);
	p.seen = xcalloc(p.ps.nr + 1, 1);
	index_init(&p.scratch, co->r->algo);
	co->op = repo_operation_begin(co->r);
	rc = run_paths(&p, &err);
	rc = repo_operation_end(co->op, rc, &err);
	if (!rc && co->command == CHECKOUT)
		rc = checkout_run_hook(co, &co->old_commit, &co->old_commit, false);
	index_release(&p.scratch);
	string_list_clear(&p.write, NULL);
	string_list_clear(&p.remove, NULL);
	attrs_free(p.attrs);
	pathspec_release(&p.ps);
	free(p.seen);
	return rc < 0 ? report_fatal(&err) : rc ? 1 : finish_stdout();
}

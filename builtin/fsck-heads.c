/* SPDX-License-Identifier: GPL-2.0-only */
/* Where reachability begins: arguments, refs, HEADs, reflogs, indexes. */
#include "compat/posix.h"
#include "builtin/fsck-internal.h"
#include "fs/file.h"
#include "index/cache-tree.h"
#include "index/index.h"
#include "util/alloc.h"
#include "history/revparse.h"

/*
 * The node of an object that a ref or the like names, if the object is there
 * and whole; else NO_NODE.
 */
static uint32_t read_complete_object(struct fsck *f, const struct object_id *oid)
{
	uint32_t node = fsck_find(f, oid);
	struct object_buf buf = OBJECT_BUF_INIT;
	struct object_info info;

	if (oid_is_null(oid))
		return NO_NODE;
	if (!f->connectivity_only && node != NO_NODE && (f->nodes[node].flags & NODE_PRESENT))
		return node;
	if (!f->connectivity_only && f->full)
		return NO_NODE;
	/* Not looked at so far: now it is. */
	if (odb_type(f->odb, oid, &info.type, &info.size, NULL) < 0)
		return NO_NODE;
	if (info.type != OBJ_BLOB && odb_read(f->odb, oid, &buf, NULL) < 0)
		return NO_NODE;
	node = NO_NODE;
	if (fsck_add_object(f, oid, info.type, buf.data, buf.size) == 0)
		node = fsck_find(f, oid);
	object_buf_release(&buf);
	return node;
}

/* ---- refs ---- */

static bool is_branch(const char *name)
{
	return !strcmp(name, "HEAD") || starts_with(name, "refs/heads/");
}

static void head_of_ref(struct fsck *f, const char *name, const struct object_id *oid)
{
	uint32_t node = read_complete_object(f, oid);

	if (node == NO_NODE) {
		if (!fsck_is_promised(f, oid))
			fsck_error(f, FSCK_BAD_LINK, "%s: invalid sha1 pointer %s", name, oid_hex(oid));
		/* It is no default head, but somebody meant to have one. */
		f->default_refs++;
		return;
	}
	if (f->nodes[node].type != OBJ_COMMIT && is_branch(name))
		fsck_error(f, FSCK_BAD_REF, "%s: not a commit", name);
	f->default_refs++;
	fsck_set_name(f, node, "%s", name);
	fsck_mark_head(f, node);
}

static int one_ref(void *data, const struct ref *ref)
{
	head_of_ref(data, ref->name, &ref->oid);
	return 0;
}

/* HEAD of one worktree; `name` as seen from here. */
static void one_head(struct fsck *f, const char *name)
{
	struct object_id oid = f->algo->null_oid;
	char *target = NULL, *final = NULL;
	struct err err = ERR_INIT;
	const char *branch;

	if (f->verbose)
		fprintf(stderr, "Checking %s link\n", name);
	if (ref_read_raw(f->repo->refs, name, &oid, &target, NULL) < 0) {
		fsck_error(f, FSCK_BAD_REF, "invalid %s", name);
		return;
	}
	if (target && !starts_with(target, "refs/heads/"))
		fsck_error(f, FSCK_BAD_REF, "%s points to something strange (%s)", name, target);
	if (ref_resolve(f->repo->refs, name, &oid, &final, NULL, &err) < 0)
		oid = f->algo->null_oid;
	if (!oid_is_null(&oid))
		head_of_ref(f, name, &oid);
	else if (!target)
		fsck_error(f, FSCK_BAD_REF, "%s: detached HEAD points at nothing", name);
	else if (skip_prefix(target, "refs/heads/", &branch) && refname_is_valid(target, 0))
		fprintf(stderr, "notice: %s points to an unborn branch (%s)\n", name, branch);
	err_release(&err);
	free(target);
	free(final);
}

/* ---- reflogs ---- */

struct log_scan {
	struct fsck *f;
	const char *name;
};

static void log_value(struct log_scan *s, const struct object_id *oid, timestamp_t date)
{
	uint32_t node;

	if (oid_is_null(oid))
		return;
	node = read_complete_object(s->f, oid);
	if (node == NO_NODE) {
		if (!fsck_is_promised(s->f, oid))
			fsck_error(s->f, FSCK_BAD_LINK, "%s: invalid reflog entry %s", s->name,
				   oid_hex(oid));
		return;
	}
	if (date)
		fsck_set_name(s->f, node, "%s@{%" PRIu64 "}", s->name, (uint64_t)date);
	fsck_mark_head(s->f, node);
}

static int log_entry(void *data, const struct reflog_entry *e)
{
	struct log_scan *s = data;

	if (s->f->verbose)
		fprintf(stderr, "Checking reflog %s->%s\n", oid_hex(&e->old_oid),
			oid_hex(&e->new_oid));
	log_value(s, &e->old_oid, 0);
	log_value(s, &e->new_oid, e->date);
	return 0;
}

static int one_log(void *data, const char *name)
{
	struct log_scan s = { data, name };
	struct err err = ERR_INIT;
	int rc = reflog_foreach(s.f->repo->refs, name, false, log_entry, &s, &err);

	if (rc < 0 && rc != ERR_NOT_FOUND)
		fsck_error(s.f, FSCK_BAD_REF, "%s", err_message(&err));
	err_release(&err);
	return 0;
}

/* ---- worktrees ---- */

/* Runs fn with "" for the one that we are in, then "main-worktree/", "worktrees/ID/". */
static void each_worktree(struct fsck *f,
			  void (*fn)(struct fsck *f, const char *prefix, const char *gitdir))
{
	struct repository *r = f->repo;
	char *dir = xstrfmt("%s/worktrees", r->commondir);
	struct stat own, other;
	struct string_list ids = STRING_LIST_INIT;

	fn(f, "", r->gitdir);
	(void)!worktree_ids(r->commondir, &ids, NULL);
	if (stat(r->gitdir, &own) < 0)
		memset(&own, 0, sizeof(own));
	if (!stat(r->commondir, &other) && !is_same_file(&other, &own))
		fn(f, "main-worktree/", r->commondir);
	for (size_t i = 0; i < ids.nr; i++) {
		char *gitdir = xstrfmt("%s/%s", dir, ids.items[i].string);
		char *prefix = xstrfmt("worktrees/%s/", ids.items[i].string);
		char *link = xstrfmt("%s/gitdir", gitdir); /* without it there is no worktree */

		if (file_exists(link) && !stat(gitdir, &other) && !is_same_file(&other, &own))
			fn(f, prefix, gitdir);
		free(link);
		free(prefix);
		free(gitdir);
	}
	string_list_clear(&ids, NULL);
	free(dir);
}

static void worktree_head(struct fsck *f, const char *prefix, const char *gitdir UNUSED)
{
	char *name = xstrfmt("%sHEAD", prefix);

	one_head(f, name);
	free(name);
}

static void worktree_log(struct fsck *f, const char *prefix, const char *gitdir UNUSED)
{
	char *name = xstrfmt("%sHEAD", prefix);

	if (*prefix) /* our own is among all logs */
		one_log(f, name);
	free(name);
}

void fsck_heads_from_refs(struct fsck *f)
{
	struct err err = ERR_INIT;

	if (refs_foreach(f->repo->refs, "", REFS_INCLUDE_BROKEN | REFS_NO_PEEL, one_ref, f, &err) < 0)
		die_err(&err);
	each_worktree(f, worktree_head);
	if (f->reflogs) {
		if (reflogs_foreach(f->repo->refs, one_log, f, &err) < 0)
			die_err(&err);
		each_worktree(f, worktree_log);
	}
	/* Nothing would be reachable, and that is not news. */
	if (!f->default_refs) {
		fprintf(stderr, "notice: No default references\n");
		f->show_unreachable = 0;
	}
}

/* ---- indexes ---- */

/* --name-objects: ":path" here, "worktrees/ID/:path" there. */
struct index_scan {
	struct fsck *f;
	const char *prefix;
};

static int cached_tree(void *data, const char *path, const struct object_id *oid)
{
	struct index_scan *s = data;
	uint32_t node = read_complete_object(s->f, oid);

	if (s->f->verbose)
		fprintf(stderr, "Checking cache tree\n");
	if (node == NO_NODE) {
		if (!fsck_is_promised(s->f, oid))
			fsck_error(s->f, FSCK_BAD_REF, "%s: invalid sha1 pointer in cache-tree",
				   oid_hex(oid));
		return 0;
	}
	fsck_set_name(s->f, node, "%s:%s", s->prefix, path);
	fsck_mark_head(s->f, node);
	if (s->f->nodes[node].type != OBJ_TREE)
		fsck_error(s->f, FSCK_BAD_OBJECT, "non-tree in cache-tree");
	return 0;
}

static void resolved_stages(struct index_scan *s, const struct resolve_undo *ru)
{
	for (size_t i = 0; ru && i < ru->paths.nr; i++) {
		const struct string_list_item *item = &ru->paths.items[i];
		const struct resolve_undo_info *info = item->util;

		for (int stage = 0; stage < 3; stage++) {
			uint32_t node;

			if (!info->mode[stage] || MODE_IS_GITLINK(info->mode[stage]))
				continue;
			node = read_complete_object(s->f, &info->oid[stage]);
			if (node == NO_NODE) {
				if (!fsck_is_promised(s->f, &info->oid[stage]))
					fsck_error(s->f, FSCK_BAD_REF,
						   "%s: invalid sha1 pointer in resolve-undo",
						   oid_hex(&info->oid[stage]));
				continue;
			}
			fsck_set_name(s->f, node, "%s:(%d):%s", s->prefix, stage, item->string);
			fsck_mark_head(s->f, node);
		}
	}
}

static void one_index(struct fsck *f, const char *prefix, const char *gitdir)
{
	const struct index_places places = { .gitdir = *prefix ? gitdir : f->repo->gitdir };
	struct index_scan s = { f, prefix };
	struct index_state ix;
	struct err err = ERR_INIT;
	char *path = *prefix ? xstrfmt("%s/index", gitdir) : xstrdup(f->repo->index_path);

	index_init(&ix, f->algo);
	if (index_read(&ix, path, f->algo, &places, &err) < 0)
		die_err(&err);
	for (size_t i = 0; i < ix.nr; i++) {
		const struct index_entry *e = ix.entries[i];
		uint32_t node;

		if (MODE_IS_GITLINK(e->mode))
			continue;
		node = fsck_node(f, &e->oid, mode_object_type(e->mode));
		fsck_set_name(f, node, "%s:%s", prefix, e->name);
		fsck_mark_head(f, node);
	}
	cache_tree_foreach(ix.cache_tree, cached_tree, &s);
	resolved_stages(&s, ix.resolve_undo);
	index_release(&ix);
	free(path);
}

void fsck_heads_from_index(struct fsck *f)
{
	each_worktree(f, one_index);
}

/* ---- arguments ---- */

void fsck_heads_from_args(struct fsck *f, int argc, const char **argv)
{
	for (int i = 0; i < argc; i++) {
		struct object_id oid;
		uint32_t node;

		if (revparse_oid(f->repo, argv[i], &oid, NULL) < 0) {
			fsck_error(f, FSCK_BAD_OBJECT, "invalid parameter: expected sha1, got '%s'",
				   argv[i]);
			continue;
		}
		node = read_complete_object(f, &oid);
		if (node == NO_NODE) {
			if (!fsck_is_promised(f, &oid))
				fsck_error(f, FSCK_BAD_OBJECT, "%s: object missing", oid_hex(&oid));
			continue;
		}
		fsck_set_name(f, node, "%s", argv[i]);
		fsck_mark_head(f, node);
	}
}

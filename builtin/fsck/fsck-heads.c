/* SPDX-License-Identifier: GPL-2.0-only */
/* Where reachability begins: arguments, refs, HEADs, reflogs, indexes. */
#include "compat/posix.h"
#include "builtin/fsck/fsck.h"
#include "history/reach/roots.h"
#include "history/names/revparse.h"

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
		/* It is no default head, but it was meant to be one. */
		f->default_refs++;
		return;
	}
	if (f->nodes[node].type != OBJ_COMMIT && is_branch(name))
		fsck_error(f, FSCK_BAD_REF, "%s: not a commit", name);
	f->default_refs++;
	fsck_set_name(f, node, "%s", name);
	fsck_mark_head(f, node);
}

/* HEAD of one worktree; its name as seen from here. */
static void one_head(struct fsck *f, const struct root *root)
{
	struct object_id oid = f->algo->null_oid;
	const char *name = root->name;
	char *target = NULL;
	int rc = ref_read_raw(f->repo->refs, name, &oid, &target, NULL);

	if (rc == ERR_NOT_FOUND && starts_with(name, "worktrees/")) /* `git worktree add` was interrupted */
		return;
	if (rc < 0) {
		fsck_error(f, FSCK_BAD_REF, "invalid %s", name);
		return;
	}
	if (target && !starts_with(target, "refs/heads/"))
		fsck_error(f, FSCK_BAD_REF, "%s points to something strange (%s)", name, target);
	if (!oid_is_null(&root->oid))
		head_of_ref(f, name, &root->oid);
	else if (!target)
		fsck_error(f, FSCK_BAD_REF, "%s: detached HEAD points at nothing", name);
	free(target);
}

/* ---- reflogs ---- */

/* Every entry is announced, also one without an old value. */
static void announce_entry(const struct root *root)
{
	const struct reflog_entry *e = root->entry;

	if (root->is_old)
		fprintf(stderr, "Checking reflog %s->%s\n", oid_hex(&e->old_oid), oid_hex(&e->new_oid));
}

static void log_value(struct fsck *f, const struct root *root)
{
	timestamp_t date = root->entry && !root->is_old ? root->entry->date : 0;
	uint32_t node;

	if (root->why) {
		fsck_error(f, FSCK_BAD_REF, "%s", root->why);
		return;
	}
	if (f->verbose)
		announce_entry(root);
	if (oid_is_null(&root->oid))
		return;
	node = read_complete_object(f, &root->oid);
	if (node == NO_NODE) {
		if (!fsck_is_promised(f, &root->oid))
			fsck_error(f, FSCK_BAD_LINK, "%s: invalid reflog entry %s", root->name, oid_hex(&root->oid));
		return;
	}
	if (date)
		fsck_set_name(f, node, "%s@{%" PRIu64 "}", root->name, (uint64_t)date);
	fsck_mark_head(f, node);
}

static int one_root(void *data, const struct root *root)
{
	struct fsck *f = data;

	if (root->kind == ROOT_REF)
		head_of_ref(f, root->name, &root->oid);
	else if (root->kind == ROOT_HEAD)
		one_head(f, root);
	else
		log_value(f, root);
	return 0;
}

void fsck_heads_from_refs(struct fsck *f)
{
	const struct roots_options o = {
		.kinds = ROOTS(ROOT_REF) | ROOTS(ROOT_HEAD) | (f->reflogs ? ROOTS(ROOT_LOG) : 0),
		.flags = ROOTS_VISIT_DANGLING | ROOTS_VISIT_UNREADABLE_LOGS,
	};
	struct err err = ERR_INIT;

	if (roots_foreach(f->repo, &o, one_root, f, &err) < 0)
		die_err(&err);
	/* Nothing would be reachable, and that is not news. */
	if (!f->default_refs) {
		fprintf(stderr, "notice: No default references\n");
		f->show_unreachable = 0;
	}
}

/* ---- indexes ---- */

static void cached_tree(struct fsck *f, const struct root *root)
{
	uint32_t node = read_complete_object(f, &root->oid);

	if (f->verbose)
		fprintf(stderr, "Checking cache tree\n");
	if (node == NO_NODE) {
		if (!fsck_is_promised(f, &root->oid))
			fsck_error(f, FSCK_BAD_REF, "%s: invalid sha1 pointer in cache-tree", oid_hex(&root->oid));
		return;
	}
	fsck_set_name(f, node, "%s:%s", root->worktree, root->name);
	fsck_mark_head(f, node);
	if (f->nodes[node].type != OBJ_TREE)
		fsck_error(f, FSCK_BAD_OBJECT, "non-tree in cache-tree");
}

static void resolved_stage(struct fsck *f, const struct root *root)
{
	uint32_t node = read_complete_object(f, &root->oid);

	if (node == NO_NODE) {
		if (!fsck_is_promised(f, &root->oid))
			fsck_error(f, FSCK_BAD_REF, "%s: invalid sha1 pointer in resolve-undo", oid_hex(&root->oid));
		return;
	}
	fsck_set_name(f, node, "%s:(%d):%s", root->worktree, root->stage, root->name);
	fsck_mark_head(f, node);
}

static void index_entry_root(struct fsck *f, const struct root *root)
{
	uint32_t node = fsck_node(f, &root->oid, mode_object_type(root->mode));

	fsck_set_name(f, node, "%s:%s", root->worktree, root->name);
	fsck_mark_head(f, node);
}

/* --name-objects: ":path" here, "worktrees/ID/:path" there. */
static int one_index_root(void *data, const struct root *root)
{
	if (root->kind == ROOT_INDEX)
		index_entry_root(data, root);
	else if (root->kind == ROOT_CACHED_TREE)
		cached_tree(data, root);
	else
		resolved_stage(data, root);
	return 0;
}

void fsck_heads_from_index(struct fsck *f)
{
	const struct roots_options o = { .kinds = ROOTS_OF_INDEX };
	struct err err = ERR_INIT;

	if (roots_foreach(f->repo, &o, one_index_root, f, &err) < 0)
		die_err(&err);
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

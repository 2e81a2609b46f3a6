/* SPDX-License-Identifier: GPL-2.0-only */
/* "REV:path", ":path", ":2:path"; and why there is no such thing. */
#include "compat/posix.h"
#include "history/names/revparse-internal.h"
#include "fs/file.h"
#include "index/index.h"
#include "object/tree.h"
#include "util/alloc.h"
#include "util/path.h"

/* "./x" and "../x" are relative to the cwd. *out: relative to the top; caller frees. */
static int resolve_relative(struct repository *r, const char *path, char **out, struct err *err)
{
	struct strbuf full = STRBUF_INIT;

	if (!starts_with(path, "./") && !starts_with(path, "../")) {
		*out = xstrdup(path);
		return 0;
	}
	if (!r->worktree)
		return err_set(err, ERR_INVALID, "relative path syntax can't be used "
			       "outside working tree");
	strbuf_addf(&full, "%s%s", r->prefix ? r->prefix : "", path);
	if (strbuf_path_normalize(&full) < 0) {
		strbuf_release(&full);
		return err_set(err, ERR_INVALID, "'%s' is outside repository at '%s'",
			       path, r->worktree);
	}
	while (full.len && full.buf[full.len - 1] == '/')
		strbuf_setlen(&full, full.len - 1);
	*out = strbuf_detach(&full, NULL);
	return 0;
}

/* ":path" is stage 0; ":2:path". Gives the path's text. */
static const char *split_stage(const char *name, unsigned *stage)
{
	*stage = 0;
	name++;
	if (*name >= '0' && *name <= '3' && name[1] == ':') {
		*stage = *name - '0';
		return name + 2;
	}
	return name;
}

static int parse_index_path(struct repository *r, const char *name,
			    struct revparse_result *out, struct err *err)
{
	struct index_state ix;
	unsigned stage;
	char *path;
	ssize_t pos;
	int rc = resolve_relative(r, split_stage(name, &stage), &path, err);

	if (rc < 0)
		return rc;
	index_init(&ix, r->algo);
	rc = index_read_repo(&ix, r, err);
	if (!rc) {
		pos = index_pos(&ix, path, strlen(path), stage);
		if (pos < 0) {
			rc = ERR_NOT_FOUND;
		} else {
			out->oid = ix.entries[pos]->oid;
			out->mode = ix.entries[pos]->mode;
			out->path = path;
			path = NULL;
		}
	}
	index_release(&ix);
	free(path);
	return rc;
}

/* The tree before the colon. */
static int parse_treeish(struct repository *r, const char *name, const char *colon,
			 struct object_id *tree, struct err *err)
{
	struct object_id oid;
	int rc = rev_parse_expr(r, name, colon - name, OBJ_TREE, &oid, err);

	if (!rc && object_peel(odb_source(r->odb), &oid, OBJ_TREE, tree, NULL, NULL) < 0)
		rc = ERR_NOT_FOUND;
	return rc;
}

int rev_parse_path(struct repository *r, const char *name, const char *colon,
		   struct revparse_result *out, struct err *err)
{
	struct object_id tree;
	char *path;
	int rc;

	if (colon == name)
		return parse_index_path(r, name, out, err);
	rc = parse_treeish(r, name, colon, &tree, err);
	if (!rc)
		rc = resolve_relative(r, colon + 1, &path, err);
	if (rc < 0)
		return rc;
	rc = tree_lookup_path(odb_source(r->odb), &tree, path, &out->mode, &out->oid, NULL);
	if (!rc) {
		if (!out->mode)
			out->mode = MODE_TREE;
		out->path = path;
		return 0;
	}
	free(path);
	return rc == ERR_CORRUPT ? rc : ERR_NOT_FOUND;
}

/* ---- explanations ---- */

static bool on_disk(struct repository *r, const char *path)
{
	char *full;
	bool exists;

	if (!r->worktree)
		return false;
	full = path_join(r->worktree, path);
	exists = file_exists(full);
	free(full);
	return exists;
}

static int explain_tree_path(struct repository *r, const char *name, int rev_len,
			     const struct object_id *tree, const char *path, struct err *err)
{
	struct object_id oid;
	unsigned mode;
	char *full;
	int rc = 0;

	if (on_disk(r, path))
		return err_set(err, ERR_NOT_FOUND, "path '%s' exists on disk, but not in '%.*s'",
			       path, rev_len, name);
	full = xstrfmt("%s%s", r->prefix ? r->prefix : "", path);
	if (r->prefix &&
	    !tree_lookup_path(odb_source(r->odb), tree, full, &mode, &oid, NULL))
		rc = err_set(err, ERR_NOT_FOUND, "path '%s' exists, but not '%s'\n"
			     "hint: Did you mean '%.*s:%s' aka '%.*s:./%s'?",
			     full, path, rev_len, name, full, rev_len, name, path);
	free(full);
	return rc ? rc : err_set(err, ERR_NOT_FOUND, "path '%s' does not exist in '%.*s'",
				 path, rev_len, name);
}

/* The lowest stage that the index has of path; -1: none. */
static int find_stage(const struct index_state *ix, const char *path)
{
	unsigned stage;

	for (stage = 0; stage <= 3; stage++)
		if (index_pos(ix, path, strlen(path), stage) >= 0)
			return (int)stage;
	return -1;
}

static int explain_index_path(struct repository *r, const char *name, const char *path,
			      struct err *err)
{
	struct index_state ix;
	unsigned stage;
	char *full;
	int has, rc = 0;

	split_stage(name, &stage);
	full = xstrfmt("%s%s", r->prefix ? r->prefix : "", path);
	index_init(&ix, r->algo);
	if (index_read_repo(&ix, r, err) < 0)
		rc = ERR_NOT_FOUND;
	else if ((has = find_stage(&ix, path)) >= 0)
		rc = err_set(err, ERR_NOT_FOUND, "path '%s' is in the index, but not at stage %u\n"
			     "hint: Did you mean ':%d:%s'?", path, stage, has, path);
	else if (r->prefix && (has = find_stage(&ix, full)) >= 0)
		rc = err_set(err, ERR_NOT_FOUND, "path '%s' is in the index, but not '%s'\n"
			     "hint: Did you mean ':%d:%s' aka ':%d:./%s'?",
			     full, path, has, full, has, path);
	else if (on_disk(r, path))
		rc = err_set(err, ERR_NOT_FOUND, "path '%s' exists on disk, but not in the index", path);
	else
		rc = err_set(err, ERR_NOT_FOUND,
			     "path '%s' does not exist (neither on disk nor in the index)", path);
	index_release(&ix);
	free(full);
	return rc;
}

int rev_explain_path(struct repository *r, const char *name, const char *colon, struct err *err)
{
	struct object_id tree;
	unsigned stage;
	const char *text = colon == name ? split_stage(name, &stage) : colon + 1;
	char *path;
	int rc;

	if (colon == name && (starts_with(text, "./") || starts_with(text, "../")))
		return 0; /* no better explanation */
	rc = resolve_relative(r, text, &path, err);
	if (rc < 0)
		return rc;
	if (colon == name)
		rc = explain_index_path(r, name, path, err);
	else if (parse_treeish(r, name, colon, &tree, NULL) < 0)
		rc = err_set(err, ERR_NOT_FOUND, "invalid object name '%.*s'.",
			     (int)(colon - name), name);
	else
		rc = explain_tree_path(r, name, (int)(colon - name), &tree, path, err);
	free(path);
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "fs/lockfile.h"
#include "worktree/linked/linked.h"
#include "util/alloc.h"
#include "util/path.h"
#include "write-or-die.h"

#define LINK_LOCK_TIMEOUT_MS 1000

int worktree_stage_text(struct fsync_batch *b, const char *path, const char *text, struct err *err)
{
	struct lockfile lk = LOCKFILE_INIT;
	int rc = lockfile_hold(&lk, path, LOCK_NO_DEREF, LINK_LOCK_TIMEOUT_MS, err);

	if (!rc)
		rc = write_in_full(lk.tf->fd, text, strlen(text), lk.tf->path, err);
	if (!rc)
		rc = lockfile_stage(&lk, b, FSYNC_OTHER, PUBLISH_FILE, err);
	lockfile_release(&lk);
	return rc;
}

/* A Git that does not know relative paths must not look for the worktrees in a wrong place. */
int worktree_stage_relative_format(struct repository *r, struct fsync_batch *b, struct err *err)
{
	static const struct config_edit edits[] = {
		{ .key = "core.repositoryformatversion", .value = "1" },
		{ .key = "extensions.relativeWorktrees", .value = "true" },
	};
	char *path;
	bool on = false;
	int rc;

	if (!config_get_bool(r->config, "extensions.relativeworktrees", &on, NULL) && on)
		return 0;
	path = path_join(r->commondir, "config");
	rc = config_file_edit_all(path, edits, ARRAY_SIZE(edits), b, err);
	free(path);
	return rc;
}

static int stage_link(struct fsync_batch *b, const char *path, const char *before, const char *to, struct err *err)
{
	char *text = xstrfmt("%s%s\n", before, to);
	int rc = worktree_stage_text(b, path, text, err);

	free(text);
	return rc;
}

int worktree_stage_links(struct fsync_batch *b, const struct worktree_links *l, struct err *err)
{
	char *dot_git = path_join(l->path, ".git"), *back = path_join(l->gitdir, "gitdir");
	struct strbuf there = STRBUF_INIT, here = STRBUF_INIT;
	int rc;

	if (l->relative) {
		strbuf_relative_path(&there, l->gitdir, l->path);
		strbuf_relative_path(&here, dot_git, l->gitdir);
	}
	rc = stage_link(b, dot_git, "gitdir: ", l->relative ? there.buf : l->gitdir, err);
	if (!rc)
		rc = stage_link(b, back, "", l->relative ? here.buf : dot_git, err);
	strbuf_release(&here);
	strbuf_release(&there);
	free(back);
	free(dot_git);
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sparse checkouts: if an entry is marked as not checked out, but its file exists, it counts as
 * checked out, so that changes of the file are noticed. (With sparse.expectFilesOutsideOfPatterns
 * such files are expected, for example from a file system that creates files on demand.)
 */
#include "compat/posix.h"
#include "config/config.h"
#include "index/index-internal.h"
#include "util/alloc.h"

static bool has_any_skipped(const struct index_state *ix)
{
	for (size_t i = 0; i < ix->nr; i++)
		if (ix->entries[i]->flags & CE_SKIP_WORKTREE)
			return true;
	return false;
}

static int is_wanted(const struct repository *r, bool *wanted, struct err *err)
{
	bool sparse = false, expected = false;

	if (config_get_bool(r->config, "core.sparsecheckout", &sparse, err) < 0 ||
	    config_get_bool(r->config, "sparse.expectfilesoutsideofpatterns", &expected, err) < 0)
		return ERR_INVALID;
	*wanted = sparse && !expected;
	return 0;
}

/* The length of the first of its directories that is not there, with its slash; 0: all are. */
static size_t missing_dir(int top, const struct index_entry *e)
{
	for (size_t i = 1; i < e->name_len; i++) {
		struct stat st;
		char *dir;
		int rc;

		if (e->name[i] != '/')
			continue;
		dir = xmemdupz(e->name, i);
		rc = fstatat(top, dir, &st, AT_SYMLINK_NOFOLLOW);
		free(dir);
		if (rc < 0)
			return i + 1;
	}
	return 0;
}

/* Skips all entries below a directory that does not exist. */
static void look_at_files(struct index_state *ix, int top)
{
	const char *missing = NULL;
	size_t len = 0;

	for (size_t i = 0; i < ix->nr; i++) {
		struct index_entry *e = ix->entries[i];
		struct stat st;

		if (!(e->flags & CE_SKIP_WORKTREE) || (len && !strncmp(e->name, missing, len)))
			continue;
		if (!fstatat(top, e->name, &st, AT_SYMLINK_NOFOLLOW)) {
			e->flags &= ~CE_SKIP_WORKTREE;
			ix->changed = true;
			continue;
		}
		len = missing_dir(top, e);
		missing = e->name;
	}
}

int index_notice_present_files(struct index_state *ix, const struct repository *r, struct err *err)
{
	bool wanted = false;
	int rc = r->worktree && has_any_skipped(ix) ? is_wanted(r, &wanted, err) : 0, top;

	if (rc || !wanted)
		return rc;
	top = open(r->worktree, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (top < 0)
		return 0; /* then nothing is there */
	look_at_files(ix, top);
	close(top);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* "move" of git-worktree(1) */
#include "compat/posix.h"
#include "compat/syscalls.h"
#include "operation/operation.h"
#include "worktree/linked/linked.h"
#include "repo/worktrees.h"
#include "util/alloc.h"
#include "util/path.h"

static int rename_worktree(struct fsync_batch *b, const char *from, const struct worktree_move *m, struct err *err)
{
	struct strbuf dir = STRBUF_INIT;

	if (RETRY_EINTR(sys->rename(from, m->to)) < 0)
		return err_set_errno(err, "failed to move '%s' to '%s'", from, m->given);
	path_dirname(&dir, from);
	fsync_batch_note_dir(b, FSYNC_OTHER, dir.buf);
	strbuf_reset(&dir);
	path_dirname(&dir, m->to);
	fsync_batch_note_dir(b, FSYNC_OTHER, dir.buf);
	strbuf_release(&dir);
	return 0;
}

int worktree_move(struct repository *r, struct repo_operation *op, const struct worktree *w, const struct worktree_move *m,
		  struct err *err)
{
	struct fsync_batch *b = repo_operation_batch(op);
	char *real = NULL, *gitdir = path_real(w->gitdir, 0);
	struct worktree_links links = { .gitdir = gitdir ? gitdir : w->gitdir, .relative = m->relative };
	int rc = rename_worktree(b, w->path, m, err);

	if (!rc && m->relative)
		rc = worktree_stage_relative_format(r, b, err);
	if (!rc) {
		real = path_real(m->to, 0);
		links.path = real ? real : m->to;
		rc = worktree_stage_links(b, &links, err);
	}
	free(gitdir);
	free(real);
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* git-rebase(1): hooks that run after something has been published. Nothing depends on their results. */
#include "compat/posix.h"
#include "builtin/rebase/rebase-run.h"
#include "cli/pick-hooks.h"
#include "repo/hook.h"
#include "util/alloc.h"

void rebase_post_checkout(struct rebase_cmd *c, const struct object_id *from, const struct object_id *to)
{
	char *old = xstrdup(oid_hex(from));
	const char *args[] = { old, oid_hex(to), "1", NULL };
	struct err err = ERR_INIT;

	(void)!repo_run_hook(c->r, "post-checkout", NULL, args, NULL, &err);
	err_release(&err);
	free(old);
}

void rebase_run_post_rewrite(struct rebase_run *run)
{
	const char *args[] = { "rebase", NULL };
	struct err err = ERR_INIT;

	if (run->now.rewritten.len)
		(void)!repo_run_hook(run->r, "post-rewrite", NULL, args, run->now.rewritten.buf, &err);
	err_release(&err);
}

/* git commit --amend runs it for each commit. */
static void run_post_rewrite_amend(struct rebase_run *run)
{
	const char *args[] = { "amend", NULL };

	for (const char *p = run->amended.buf; *p; p += strcspn(p, "\n"), p += *p == '\n') {
		char *line = xstrndup(p, strcspn(p, "\n") + 1);
		struct err err = ERR_INIT;

		(void)!repo_run_hook(run->r, "post-rewrite", NULL, args, line, &err);
		err_release(&err);
		free(line);
	}
}

void rebase_run_after_commit(struct rebase_run *run)
{
	if (run->has_new_commit && repo_has_hook(run->r, "post-commit"))
		pick_run_post_commit(run->r);
	if (run->amended.len && repo_has_hook(run->r, "post-rewrite"))
		run_post_rewrite_amend(run);
	run->has_new_commit = false;
	strbuf_reset(&run->amended);
}

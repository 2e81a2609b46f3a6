/* SPDX-License-Identifier: GPL-2.0-only */
/* What every form of git-branch(1) asks before it locks anything: an error ends it here. */
#include "compat/posix.h"
#include "builtin/branch/branch.h"

char *current_branch_or_die(struct repository *r)
{
	struct err err = ERR_INIT;
	char *name = NULL;

	if (branch_current(r, &name, &err) < 0)
		die_err(&err);
	return name;
}

void short_name_or_die(struct repository *r, const char *name, bool remote,
		       struct strbuf *out)
{
	struct err err = ERR_INIT;

	if (branch_short_name(r, name, remote, out, &err) < 0)
		die_err(&err);
}

bool is_checked_out_or_die(struct repository *r, const char *ref)
{
	struct err err = ERR_INIT;
	bool used = false;

	if (branch_is_checked_out(r, ref, &used, &err) < 0)
		die_err(&err);
	return used;
}

struct worktree *worktrees_or_die(struct repository *r)
{
	struct worktree *list = NULL;
	struct err err = ERR_INIT;

	if (worktrees_read(&list, r, &err) < 0)
		die_err(&err);
	return list;
}

int report_advised(struct err *err, struct strbuf *advice)
{
	int code = report_fatal(err);

	if (advice->len)
		advise("%s", advice->buf);
	strbuf_release(advice);
	return code;
}

void die_advised(struct err *err, struct strbuf *advice)
{
	int code = report_advised(err, advice);

	set_exit_code(code);
	exit(code);
}

/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "cli/edit-text.h"
#include "cli/pick-hooks.h"
#include "fs/file.h"
#include "repo/hook.h"
#include "util/alloc.h"

static int run_hook(struct repository *r, const char *name, const char *const *args, struct err *err)
{
	char *index = xstrfmt("GIT_INDEX_FILE=%s", r->index_path);
	const char *env[] = { index, "GIT_EDITOR=:", NULL };
	int rc = repo_run_hook(r, name, env, args, NULL, err);

	free(index);
	return rc;
}

int pick_prepare_message(struct repository *r, struct strbuf *message, struct err *err)
{
	char *path = repo_path(r, "COMMIT_EDITMSG");
	const char *args[] = { path, "message", NULL };
	int rc = edit_text_write(path, message, err);

	if (!rc)
		rc = run_hook(r, "prepare-commit-msg", args, err);
	if (rc == ERR_ABORTED) {
		if (err && err->msg)
			report_error(err);
		err_release(err);
		rc = err_set(err, ERR_ABORTED, "'prepare-commit-msg' hook failed");
	}
	strbuf_reset(message);
	if (!rc)
		rc = read_file(message, path, EDIT_TEXT_MAX, err);
	free(path);
	return rc;
}

void pick_run_post_commit(struct repository *r)
{
	const char *args[] = { NULL };
	struct err err = ERR_INIT;

	(void)!run_hook(r, "post-commit", args, &err); /* nothing depends on it any more */
	err_release(&err);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* Moving HEAD: what checkout, switch and reset share. */
#include "compat/posix.h"
#include "object/commit.h"
#include "odb/odb.h"
#include "porcelain/head.h"
#include "util/alloc.h"

int head_read(struct repository *r, struct object_id *oid, char **branch, bool *unborn, struct err *err)
{
	int rc = ref_resolve(r->refs, "HEAD", oid, branch, NULL, err);

	*unborn = rc == ERR_NOT_FOUND && *branch;
	if (!*unborn)
		return rc;
	err_release(err);
	*oid = r->algo->null_oid;
	return 0;
}

int head_describe_commit(struct repository *r, const struct object_id *commit, struct strbuf *out,
			 struct err *err)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	struct commit_view view = { .parents = NULL };
	int rc = odb_read_type(r->odb, commit, OBJ_COMMIT, &buf, err);

	if (!rc)
		rc = commit_parse(&view, buf.data, buf.size, r->algo, err);
	if (!rc) {
		odb_abbrev(r->odb, commit, r->settings.abbrev, out);
		strbuf_addch(out, ' ');
		commit_subject(out, view.message, view.message_len, " ");
	}
	commit_view_release(&view);
	object_buf_release(&buf);
	return rc;
}

char *head_detached_advice(const char *name)
{
	static const char text[] =
		"Note: switching to '%s'.\n\n"
		"You are in 'detached HEAD' state. You can look around, make experimental\n"
		"changes and commit them, and you can discard any commits you make in this\n"
		"state without impacting any branches by switching back to a branch.\n\n"
		"If you want to create a new branch to retain commits you create, you may\n"
		"do so (now or later) by using -c with the switch command. Example:\n\n"
		"  git switch -c <new-branch-name>\n\n"
		"Or undo this operation with:\n\n"
		"  git switch -\n\n"
		"Turn off this advice by setting config variable advice.detachedHead to false\n\n";

	return xstrfmt(text, name);
}

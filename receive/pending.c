/* SPDX-License-Identifier: GPL-2.0-only */
/* Parts that are not there yet. */
#include "compat/posix.h"
#include "receive/receive.h"

void proc_receive_mark(struct receive_server *s UNUSED)
{
}

int proc_receive_run(struct receive_server *s UNUSED, struct err *err UNUSED)
{
	return 0;
}

char *cert_new_nonce(const struct receive_server *s UNUSED)
{
	return NULL;
}

size_t cert_signed_len(const char *cert UNUSED, size_t len)
{
	return len;
}

int cert_check(struct receive_server *s UNUSED, struct repo_operation *op UNUSED, struct err *err)
{
	return err_set(err, ERR_UNSUPPORTED, "push certificates are not there yet");
}

void cert_release(struct receive_server *s UNUSED)
{
}

int receive_update_worktree(struct receive_server *s UNUSED, struct push_command *c, const char *worktree_path UNUSED,
			    struct err *err UNUSED)
{
	push_command_refuse(c, "receive.denyCurrentBranch=updateInstead is not there yet");
	return 0;
}

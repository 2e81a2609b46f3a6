/* SPDX-License-Identifier: GPL-2.0-only */
/* git-am(1): what a command holds. */
#include "compat/posix.h"
#include "builtin/am/am-cmd.h"

void am_cmd_init(struct am_cmd *c, struct command_ctx *ctx)
{
	*c = (struct am_cmd){ .r = ctx->repo, .ctx = ctx, .committer = STRBUF_INIT, .rewritten = STRBUF_INIT,
			      .s = { .apply_options = STRVEC_INIT } };
	am_mail_init(&c->mail);
}

void am_cmd_release(struct am_cmd *c)
{
	am_release_run(c);
	for (size_t i = 0; i < c->mails.nr; i++)
		strbuf_release(&c->mails.texts[i]);
	free(c->mails.texts);
	am_mail_release(&c->mail);
	strvec_clear(&c->s.apply_options);
	strbuf_release(&c->rewritten);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The identities of the user, for new commits, tags and reflogs. git-commit(1), COMMIT INFORMATION.
 */
#ifndef REPO_IDENT_H
#define REPO_IDENT_H

#include "compat/posix.h"
#include "config/config.h"
#include "repo/repo.h"
#include "util/err.h"
#include "util/strbuf.h"

#define IDENT_AUTHOR 1
#define IDENT_COMMITTER 2
#define IDENT_STRICT 4	  /* fail if name or mail address are not known for certain */
#define IDENT_NO_DATE 8

/*
 * Append "Name <mail> DATE ZONE" from GIT_AUTHOR_* or GIT_COMMITTER_*, author.* or
 * committer.*, user.*, EMAIL, and what the system knows (unless user.useConfigOnly).
 * ERR_NO_IDENT: not known; the error's preface says what to do about it.
 */
MUST_USE int repo_ident(struct repository *r, struct strbuf *out, unsigned flags, struct err *err);
/* The same without a repository. */
MUST_USE int ident_from_config(const struct config_set *c, struct strbuf *out,
			       unsigned flags, struct err *err);

#endif

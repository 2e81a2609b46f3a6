/* SPDX-License-Identifier: GPL-2.0-only */
/* The text of a new commit, as git-commit(1) and git-commit-tree(1) make it. */
#ifndef PORCELAIN_COMMIT_OBJECT_H
#define PORCELAIN_COMMIT_OBJECT_H

#include "cli/cli.h"
#include "object/commit.h"

/*
 * Appended to out. Without draft->encoding it becomes UTF-8: what is not is taken for
 * Latin-1, with a warning; extra headers stay as they are. key: signs it, as signature_make;
 * NULL: not signed. Errors: as commit_compose and gpg_sign.
 */
MUST_USE int commit_object_text(struct repository *r, const struct commit_draft *draft,
				const char *key, struct strbuf *out, struct err *err);
/* The header that keeps a merged tag, appended to out, if the tag is signed. */
void commit_object_add_mergetag(struct strbuf *out, const char *tag, size_t len,
				const struct hash_algo *algo);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* Moving HEAD: what checkout, switch and reset share. */
#ifndef PORCELAIN_HEAD_H
#define PORCELAIN_HEAD_H

#include "cli/cli.h"
#include "operation/operation.h"

/* Append "1234567 subject of the commit". */
MUST_USE int head_describe_commit(struct repository *r, const struct object_id *commit,
				  struct strbuf *out, struct err *err);
/* What the user has to know of a HEAD that is no branch, for who has asked advice.detachedHead. Caller frees. */
char *head_detached_advice(const char *name);

#endif

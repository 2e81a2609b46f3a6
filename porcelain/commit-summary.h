/* SPDX-License-Identifier: GPL-2.0-only */
/* The summary of a new commit that commit, cherry-pick and revert print: "[main 1234567] subject", and changes. */
#ifndef PORCELAIN_COMMIT_SUMMARY_H
#define PORCELAIN_COMMIT_SUMMARY_H

#include "compat/posix.h"
#include "repo/repo.h"

struct commit_summary {
	const char *branch; /* "refs/heads/x"; "HEAD" or NULL: detached */
	bool hides_root;    /* do not call it a root commit */
	const struct object_id *commit;
	const struct object_id *parents;
	size_t nr_parents;
	const char *author, *committer; /* ident lines */
	bool author_date;		/* show it */
	const char *message;
	size_t message_len;
};

/* Append it. The commit may be one of the odb's open batch. */
MUST_USE int commit_summary(struct repository *r, const struct commit_summary *s, struct strbuf *out, struct err *err);

#endif

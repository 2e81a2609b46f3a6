/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of git-pull(1): pull.c fetches, decides how the branches come together, and merges; options.c reads options
 * and configuration, candidates.c says why there is nothing to merge. The fetch is git-fetch(1) as a child, the merge
 * git-merge(1) in this process: each is an operation of its own.
 */
#ifndef BUILTIN_PULL_PULL_CMD_H
#define BUILTIN_PULL_PULL_CMD_H

#include "builtin/builtin.h"
#include "hash/hash.h"
#include "repo/repo.h"
#include "util/strvec.h"

enum pull_rebase { REBASE_UNSET = -1, REBASE_FALSE, REBASE_TRUE, REBASE_MERGES, REBASE_INTERACTIVE };

struct pull_cmd {
	struct repository *r;
	struct command_ctx *ctx;
	struct strvec both, merge_args, fetch_args; /* options that are passed on */
	int verbosity, dry_run, append, autostash;
	int rebase;	/* enum pull_rebase */
	const char *ff; /* "--ff", "--no-ff", "--ff-only"; NULL: not given */
	char *branch;	/* "refs/heads/x", "HEAD" if it is detached */
	bool unborn;
	struct object_id head;
	struct oid_array heads; /* of FETCH_HEAD, for the merge */
};

/* ---- options.c ---- */
/* Returns the number of arguments that are left: repository and refspecs. */
int pull_parse_options(struct pull_cmd *p, int argc, const char **argv);
/* pull.ff, branch.<name>.rebase, pull.rebase: where no option decides. */
void pull_read_config(struct pull_cmd *p);

/* ---- candidates.c ---- */
/* Nothing was fetched for a merge: print the reason. Returns the exit code. */
int pull_explain_no_candidates(const struct pull_cmd *p, int argc, const char **argv);

#endif

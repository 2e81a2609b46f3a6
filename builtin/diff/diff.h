/* SPDX-License-Identifier: GPL-2.0-only */
/* What git diff, diff-files and diff-index share: options, and what they compare with. */
#ifndef BUILTIN_DIFF_DIFF_H
#define BUILTIN_DIFF_DIFF_H

#include "compat/posix.h"
#include "builtin/builtin.h"
#include "diff/diff.h"
#include "history/revision/revision.h"
#include "worktree/diff-attr.h"
#include "worktree/diff-worktree.h"

struct diff_command {
	struct repository *repo;
	struct rev_walk *walk; /* revisions and paths of the command line */
	struct diff_options o;
	struct diff_queue queue;
	struct diff_combined_list combined; /* shown before it */
	struct diff_attrs *attrs;
	struct diff_submodules *submodules;
	struct index_state ix;
	struct converter *conv;
	struct worktree_diff files;
	const char *const *usage;
	const struct option *own_options; /* of the command that has those of diff, too: for the usage alone. NULL: none */
	bool ui; /* for people */
	bool many; /* more than two trees: the queue is that of the first old one, for statistics */
	bool quiet, cached, merge_base;
	bool match_missing; /* -m */
	bool silent;	    /* -q of diff-files */
	struct diff_rename_limit limited;
	int code; /* the exit code */
	int stage;	    /* of unmerged paths; -1: not said */
};

/* ui: diff.* keys that are meant for people count, and colours. */
MUST_USE int diff_command_init(struct diff_command *d, struct repository *r, bool ui,
			       struct err *err);
void diff_command_release(struct diff_command *d);
/* argv[1..): options, revisions, paths. */
MUST_USE int diff_command_parse(struct diff_command *d, int argc, const char **argv,
				struct err *err);
/* Conflicts: ours and theirs with the file, if the options leave it open. Before _open_index. */
void diff_command_combine(struct diff_command *d);
/* Read the index; what converts files of the work tree. */
MUST_USE int diff_command_open_index(struct diff_command *d, struct err *err);
/* --since, --until and the like were given, which are for history. */
bool diff_command_has_bounds(const struct diff_command *d);
/* ERR_INVALID: --max-depth was given, which is for trees; what: "index" or "worktree". */
MUST_USE int diff_command_refuse_depth(const struct diff_command *d, const char *what, struct err *err);
/* The last part of it: what follows from the options. */
MUST_USE int diff_command_resolve(struct diff_command *d, struct err *err);
/* diff_process, and show; sets the exit code. */
MUST_USE int diff_command_show(struct diff_command *d, struct err *err);
/*
 * Two files or directories: parse, compare, show. Implied: nothing said so but that there is no
 * repository.
 */
MUST_USE int diff_no_index(struct diff_command *d, int argc, const char **argv, bool implied,
			   struct err *err);
/* The tree of a commit, or with --merge-base of what it and `other` (NULL: HEAD) come from. */
MUST_USE int diff_command_tree(struct diff_command *d, const struct object_id *oid,
			       const struct object_id *other, struct object_id *tree,
			       struct err *err);
/* Parse, compare, show. */
MUST_USE int diff_command_run(struct diff_command *d, int argc, const char **argv,
			      int (*compare)(struct diff_command *d, struct err *err), struct err *err);
/* The body of a command, around `run`; returns the exit code. */
int diff_command_main(int argc, const char **argv, struct command_ctx *ctx, bool ui,
		      const char *const *usage,
		      int (*run)(struct diff_command *d, int argc, const char **argv, struct err *err));

#endif

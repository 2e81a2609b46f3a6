/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of git-commit(1): commit.c parses the options and calls the steps, index.c decides which
 * changes are committed, author.c and message.c with which author and message, summary.c prints the
 * result. The commit itself is made by commit/commit.h, which knows nothing of struct commit_run.
 */
#ifndef BUILTIN_COMMIT_COMMIT_RUN_H
#define BUILTIN_COMMIT_COMMIT_RUN_H

#include "cli/cli.h"
#include "cli/context-option.h"
#include "cli/path-args.h"
#include "fs/lockfile.h"
#include "index/index.h"
#include "index/pathspec.h"
#include "object/commit.h"
#include "object/message.h"
#include "operation/operation.h"
#include "worktree/worktree.h"

enum dry_run_format { STATUS_NONE, STATUS_LONG, STATUS_SHORT, STATUS_PORCELAIN };

struct commit_options {
	int quiet, verbose, all, include, only, interactive, patch, no_verify, dry_run;
	struct context_option context;
	int amend, no_post_rewrite, allow_empty, allow_empty_message, reset_author;
	int signoff, edit /* -1: not said */, show_status, branch, ahead_behind, null_term;
	int status_format; /* enum dry_run_format */
	struct strvec messages, trailers;
	const char *file, *author, *date, *reedit, *reuse, *fixup, *squash;
	bool fixup_amends; /* --fixup=amend: or reword:, which are not part of `fixup` */
	const char *template_file, *cleanup_name, *untracked;
	const char *sign_key; /* "" the default key, NULL none */
	struct pathspec_args pathspec;
};

enum commit_style {
	COMMIT_AS_IS,	/* the index as it stands */
	COMMIT_UPDATED, /* -a, -i: the index with changes of the work tree */
	COMMIT_PARTIAL, /* paths alone: HEAD with changes of those */
};

/* What will be the tree, and what the index becomes. */
struct commit_index {
	enum commit_style style;
	struct index_state ix;	    /* becomes the index */
	struct index_state partial; /* COMMIT_PARTIAL: becomes the tree */
	struct lockfile next; /* COMMIT_PARTIAL: the index that hooks see */
	struct converter *conv;
	char *seen_by_hooks;   /* path of the index that hooks see; NULL: not yet */
};

enum commit_whence { FROM_COMMIT, FROM_MERGE, FROM_CHERRY_PICK };

struct commit_run {
	struct repository *repo;
	struct repo_operation *op; /* NULL: not begun, or committed */
	bool made; /* the commit is published */
	const char *prefix;
	struct commit_options o;
	char *found_author; /* owned; o.author then */
	struct pathspec ps;
	struct commit_index ci;

	bool initial; /* no commit yet */
	struct object_id head, head_tree;
	struct object_buf head_buf;
	struct commit_view head_view;
	struct oid_array head_parents; /* grafts heeded */
	char *head_ref; /* "refs/heads/x"; "HEAD" if detached */
	enum commit_whence whence;
	struct oid_array parents;
	struct strbuf extra_headers; /* tags that are merged; --amend: those of the old one */

	bool use_editor;
	enum cleanup_mode cleanup;
	char comment_char;
	struct strbuf author, committer; /* ident lines */
	bool author_date_given;
	struct strbuf message;
	const char *hook_source; /* second argument of prepare-commit-msg */
	char *hook_commit;	 /* third one */
	struct notes_rewrite *notes; /* --amend: that go to the new commit; NULL: none */
	struct strbuf template_text; /* what an editor must change */
	const char *why_not; /* for standard error, behind an error if there is one */
};

/* ---- index.c ---- */
MUST_USE int commit_index_prepare(struct commit_run *run, struct err *err);
/* Let hooks and editors see index and objects; the first call does the work. */
MUST_USE int commit_index_expose(struct commit_run *run, struct err *err);
/* After a hook that may have changed the index. */
MUST_USE int commit_index_reload(struct commit_run *run, struct err *err);
/* The index that makes the tree. */
struct index_state *commit_index_tree_source(struct commit_run *run);
/* Say what the operation makes of the index of the repository. */
MUST_USE int commit_index_set(struct commit_run *run, struct err *err);
void commit_index_release(struct commit_index *ci);

/* ---- message.c ---- */
/*
 * The author, from options and commits; also in the environment, where hooks, editor and
 * everything else that is started find it.
 */
MUST_USE int commit_author_prepare(struct commit_run *run, struct err *err);
/* Committer and message, from options and files. */
MUST_USE int commit_message_prepare(struct commit_run *run, struct err *err);
/* COMMIT_EDITMSG, hooks, editor, clean-up. 1: not this message, run->why_not says why. */
MUST_USE int commit_message_finish(struct commit_run *run, struct err *err);
/* 0, or ERR_ABORTED; does nothing without such a hook. */
MUST_USE int commit_run_hook(struct commit_run *run, const char *name,
			     const char *const *args, struct err *err);
/* The same after the commit: with the index that is in place. */
MUST_USE int commit_run_last_hook(struct commit_run *run, const char *name,
				  const char *const *args, struct err *err);

/* ---- author.c ---- */
/*
 * --author without "<mail>": "Name <mail>" of the first author in the history, of all refs,
 * whose name or mail matches. *out NULL: there is none; caller frees.
 */
MUST_USE int commit_find_author(struct repository *r, const char *pattern, char **out,
				struct err *err);

/* ---- summary.c ---- */
/* The status for the template, and the patches of -v. */
MUST_USE int commit_status_text(struct commit_run *run, struct strbuf *out,
				struct strbuf *patches, struct err *err);
/* What --dry-run shows. */
MUST_USE int commit_dry_run_text(struct commit_run *run, struct strbuf *out, struct err *err);
/* "[main 1234567] subject" and what has changed. */
MUST_USE int commit_summary_text(struct commit_run *run, const struct object_id *commit,
				 struct strbuf *out, struct err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How git-rebase(1) carries out its list.
 *
 *               +---- each command ----+
 *               v                      |
 *   start -> IN MEMORY ----------------+
 *               |    ^
 *       publish |    | children have run: HEAD and the list are read anew
 *               v    |
 *            PUBLISHED -- sealed: a stop, or the end
 *
 * Commits are made in the open operation; `now` is what has been done, `base` what HEAD, index and files show. Publishing
 * brings both together: the state of the rebase first, if it begins; then files, index and HEAD, whose log has a line for
 * each commit; then lists. Nothing is published before the end where no child needs to see it and nothing stops.
 *
 * Cost: one flush from the start, or a stop, to the end, or the next stop.
 */
#ifndef BUILTIN_REBASE_REBASE_RUN_H
#define BUILTIN_REBASE_REBASE_RUN_H

#include "builtin/rebase/rebase-cmd.h"
#include "commit/commit.h"
#include "merge/commits.h"
#include "notes/notes-rewrite.h"
#include "sequence/pick.h"
#include "util/map.h"
#include "worktree/content-merge.h"
#include "worktree/merge-result.h"

/* What has been done; copied to go back to it. */
struct rebase_progress {
	struct object_id head, tree;
	size_t at;	/* in the list */
	size_t done_nr; /* commands */
	struct strbuf done, rewritten, pending;
	struct strbuf fixups;	   /* current-fixups: "squash OID" lines */
	struct strbuf squash_text; /* message-squash */
	struct strbuf fixup_text;  /* message-fixup */
	bool has_fixup_text;
};

struct rebase_step {
	struct object_id oid;
	char *msg;
};

struct rebase_ref {
	char *name; /* refs/heads/x, refs/rewritten/x */
	struct object_id before, after; /* after: null, not reached yet */
	bool queued;			/* published: a label, or that it was reached */
};

struct rebase_refs {
	struct rebase_ref *items;
	size_t nr, alloc;
};

/* Files of a stop; NULL: none. Empty ids: none. */
struct rebase_stop {
	struct object_id tree;		   /* of index and files */
	const struct index_state *stages; /* conflicts */
	struct strvec *rerere_messages;	   /* with stages: gets messages about recorded resolutions */
	struct object_id stopped;	   /* stopped-sha, REBASE_HEAD */
	struct object_id amend;
	struct object_id merge_head;
	struct object_id pick_head; /* CHERRY_PICK_HEAD: git commit takes its author */
	struct object_id revert_head;
	struct strbuf message, merge_msg, author_script, patch;
	bool has_message, has_merge_msg, has_auto_merge, keep_squash_msg;
};

struct rebase_run {
	struct rebase_cmd *c;
	struct repository *r;
	struct repo_operation *op;
	struct rebase_progress now, published;
	struct object_id base_head, base_tree;
	struct rebase_step *steps;
	size_t nr_steps, alloc_steps;
	size_t total; /* commands */
	bool begun;   /* rebase-merge/ is there, and HEAD is detached */
	bool fast_forwards;
	bool has_run_command;
	bool is_advanced; /* `at` is behind the command that runs */
	bool sign_failed; /* a commit could not be signed: the rebase stops before its command */
	bool hook_refused; /* the same, by prepare-commit-msg */
	bool has_new_commit; /* since the last publication */
	struct strbuf amended; /* the same: "OLD NEW" lines */
	size_t dropped_to; /* commands before it are done a second time: what they drop has been reported */
	bool keeps_ours;  /* -s ours */
	bool reverts;	  /* the command that runs is revert */
	bool one_by_one; /* something is in the way, or a hook looks at each commit */
	struct rebase_refs labels, updates;
	struct strbuf committer;
	struct notes_rewrite *notes;
	struct merge_trees merge; /* settings */
	struct content_merge attributes;
	struct index_state ix; /* for attributes */
	struct result_update last; /* of the files, at the end */
	bool has_merge;
};

/* A command returns it where the rebase stops as it should; the exit code is 0. */
#define REBASE_STOPPED_WELL 256

/* ---- run.c ---- */
void rebase_run_init(struct rebase_run *run, struct rebase_cmd *c);
void rebase_run_release(struct rebase_run *run);
/* HEAD is at the new base, in memory. */
MUST_USE int rebase_run_detach(struct rebase_run *run, struct err *err);
/* The rest of the list, and the end. Exit code, or < 0. */
MUST_USE int rebase_run_list(struct rebase_run *run, struct err *err);
/* HEAD has moved by what others did: a child, the user. */
MUST_USE int rebase_run_read_head(struct rebase_run *run, struct err *err);
void rebase_run_flush_pending(struct rebase_run *run);
/* `done` has the command. */
void rebase_run_note_done(struct rebase_run *run, const struct todo_item *item);
/* The command at `at` is done. */
void rebase_run_advance(struct rebase_run *run);
/* The same, because something is published before the command ends. */
void rebase_run_advance_early(struct rebase_run *run);
void rebase_run_add_step(struct rebase_run *run, const struct object_id *oid, const char *command, const char *subject);
/* Is the first command from `at` on that does something a fixup? */
bool rebase_list_has_fixup_at(const struct todo_list *l, size_t at);
/* HEAD becomes a commit that is there. */
void rebase_run_fast_forward(struct rebase_run *run, const struct commit *c);
/* `oid` has become HEAD, or will when the fixups behind it are done. */
void rebase_run_note_rewritten(struct rebase_run *run, const struct object_id *oid);
MUST_USE int rebase_run_begin_op(struct rebase_run *run, struct err *err);
void progress_init(struct rebase_progress *p);
void progress_copy(struct rebase_progress *to, const struct rebase_progress *from);
void progress_release(struct rebase_progress *p);

/* ---- run-pick.c ---- */
/* pick, reword, edit, fixup, squash. > 0: stopped, the exit code; 0: go on. */
MUST_USE int rebase_run_pick(struct rebase_run *run, struct todo_item *item, struct err *err);
struct pick rebase_run_pick_of(struct rebase_run *run, struct commit *c);
MUST_USE int rebase_run_prepare_merge(struct rebase_run *run, struct err *err);
/* Make a commit in memory; run->now becomes it. */
struct rebase_new {
	const struct object_id *tree;
	const struct object_id *parents;
	size_t nr_parents;
	const char *author;
	struct strbuf *message; /* a hook may change it */
	const struct commit *picked; /* NULL: none */
	bool amends;
};
MUST_USE int rebase_run_commit_without_hooks(struct rebase_run *run, const struct rebase_new *n, struct err *err);
MUST_USE int rebase_run_message(struct rebase_run *run, struct commit *c, struct strbuf *out, struct err *err);
/* The date of an ident line: "1700000000 +0000". */
const char *rebase_date_of(const char *ident);
/* The present time in that form, whatever GIT_AUTHOR_DATE and GIT_COMMITTER_DATE are. */
void rebase_add_date_now(struct strbuf *out);
MUST_USE int rebase_run_author(struct rebase_run *run, struct commit *c, struct strbuf *out, struct err *err);
/* Is the next command one that goes into this commit? */
bool rebase_run_is_last_fixup(const struct rebase_run *run);

/* ---- run-hooks.c ---- */
/*
 * The same with the hook prepare-commit-msg: what has been done, and index and files of the commit, are published before it.
 * ERR_ABORTED: it refuses, run->hook_refused is set.
 */
MUST_USE int rebase_run_commit(struct rebase_run *run, const struct rebase_new *n, struct err *err);

/* ---- run-post-hooks.c ---- */
/* After a publication: post-commit, and post-rewrite for commits that were amended. */
void rebase_run_after_commit(struct rebase_run *run);
void rebase_run_post_rewrite(struct rebase_run *run);

/* ---- run-fixup.c ---- */
/* Take the message of a fixup into message-squash and message-fixup. */
MUST_USE int rebase_fixup_add(struct rebase_run *run, const struct todo_item *item, struct commit *c, struct err *err);
/* message-squash becomes the message of HEAD. */
MUST_USE int rebase_fixup_read_head(struct rebase_run *run, struct err *err);
void rebase_fixup_end(struct rebase_run *run);
/* A chain needs an editor at its end. */
bool rebase_fixup_needs_editor(const struct rebase_run *run);
size_t rebase_fixup_count(const struct rebase_run *run);

struct rebase_ref *rebase_refs_find(struct rebase_refs *l, const char *name);
/* ---- run-merge.c ---- */
void rebase_run_label(struct rebase_run *run, const struct todo_item *item);
MUST_USE int rebase_run_reset(struct rebase_run *run, const struct todo_item *item, struct err *err);
MUST_USE int rebase_run_merge(struct rebase_run *run, struct todo_item *item, struct err *err);
MUST_USE int rebase_run_update_ref(struct rebase_run *run, const struct todo_item *item, struct err *err);
/* Labels and refs of a rebase in progress. */
MUST_USE int rebase_run_read_refs(struct rebase_run *run, struct err *err);
void rebase_run_plan_refs(struct rebase_run *run);
struct rebase_ref *rebase_refs_add(struct rebase_refs *l, const char *name, const struct object_id *before,
				   const struct object_id *after);
void rebase_refs_release(struct rebase_refs *l);

/* ---- run-publish.c ---- */
/*
 * Show what has been done, and end the operation. stop NULL: nothing stops. `sealed`: by a flush.
 * ERR_CONFLICT: something is in the way; nothing has been published.
 */
MUST_USE int rebase_publish(struct rebase_run *run, const struct rebase_stop *stop, bool sealed, struct err *err);
/* The last one: branch, refs, HEAD; the state goes. */
MUST_USE int rebase_publish_end(struct rebase_run *run, struct err *err);
/* Its two parts: index and files; the rest, if rc is 0. Returns rc, or what the publication returned. */
MUST_USE int rebase_run_stage_files(struct rebase_run *run, struct err *err);
MUST_USE int rebase_publish_staged(struct rebase_run *run, int rc, struct err *err);
/* After a conflict with files: forget what has been done since the last publication. */
void rebase_take_back(struct rebase_run *run);

/* ---- run-stop.c ---- */
void rebase_stop_release(struct rebase_stop *stop);
/* Fill in stopped-sha, the patch, the author. */
MUST_USE int rebase_stop_at_commit(struct rebase_run *run, struct rebase_stop *stop, struct commit *c, struct err *err);
void rebase_print_not_applied(struct rebase_run *run, const struct todo_item *item);
/* Behind the commit. `failed`: its message could not be edited. */
MUST_USE int rebase_stop_edit(struct rebase_run *run, const struct todo_item *item, struct commit *c, bool failed,
			      struct err *err);
MUST_USE int rebase_stop_break(struct rebase_run *run, struct err *err);
/* Conflicts. `result` is that of the merge; its messages are printed. */
MUST_USE int rebase_stop_conflict(struct rebase_run *run, const struct todo_item *item, struct commit *c,
				  const struct merge_result *result, struct rebase_stop *stop, struct err *err);
/* The command could not be carried out; --continue runs it again. `done` has it, too. Why has been printed. */
MUST_USE int rebase_stop_rescheduled(struct rebase_run *run, const struct todo_item *item, struct err *err);
/* The same for a command that is in `done` already. */
MUST_USE int rebase_stop_put_back(struct rebase_run *run, const struct todo_item *item, struct err *err);

/* ---- run-child.c ---- */
struct rebase_child_commit {
	const char *command; /* of the reflog: "reword" */
	const char *file;    /* -F; NULL: none */
	const char *cleanup; /* NULL: none */
	bool amend, edit, allow_empty, verify, quiet;
	bool own_author; /* from author-script */
};
/* git commit. > 0: its exit code; what it printed is out. HEAD is read anew. */
/*
 * git merge -s octopus: HEAD and the heads, with that message and author. HEAD is read anew. > 0: it has failed, and left index
 * and files as they were.
 * Cost: one flush.
 */
struct rebase_child_merge {
	const struct commit_list *heads;
	const char *message, *author; /* an ident line */
};
MUST_USE int rebase_child_octopus(struct rebase_run *run, const struct rebase_child_merge *cm, struct err *err);
MUST_USE int rebase_child_commit(struct rebase_run *run, const struct rebase_child_commit *cc, struct err *err);
MUST_USE int rebase_run_exec(struct rebase_run *run, const struct todo_item *item, struct err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* What a command is, what it gets, and all that there are. What they print with: cli/cli.h. */
#ifndef BUILTIN_BUILTIN_H
#define BUILTIN_BUILTIN_H

#include "compat/posix.h"
#include "cli/cli.h"

struct command;
struct command_ctx {
	struct repository *repo; /* NULL outside of a repository */
	const char *prefix;	 /* NULL at the top or outside */
	const struct command *commands; /* all that there are, by name; for help */
	size_t nr_commands;
};

#define CMD_REPO 1u	    /* needs a repository */
#define CMD_REPO_GENTLY 2u  /* opens one if there is one */
#define CMD_WORKTREE 4u	    /* needs a work tree, cwd is its top */
#define CMD_PAGER 8u	    /* output goes through the pager on a terminal */
#define CMD_PAGER_OWN 32u   /* calls setup_pager itself, where it lists something */
#define CMD_PART 128u	    /* not all of it is here: COMMAND_REST */
#define CMD_AS_IT_IS 64u    /* nothing is fetched because it is read and missing */
#define CMD_LENIENT 16u	    /* settings with bad values do not stop it (config) */

/*
 * argv[0] is the command's name. Returns the exit code. A command is added by a line in
 * the table of git.c (sorted by name) and a prototype below.
 */
/*
 * Returned instead of an exit code: the request belongs to the other half of the command. Nothing
 * has been done.
 */
#define COMMAND_REST (-1)
typedef int (*command_fn)(int argc, const char **argv, struct command_ctx *ctx);
struct command {
	const char *name;
	command_fn run;
	unsigned flags;
};

/* subcommand.c: the subcommand that argv[1] names; NULL: none of them. */
struct subcommand {
	const char *name;
	command_fn run; /* argv[0] is the subcommand's name */
};
command_fn find_subcommand(const struct subcommand *subs, size_t nr, int argc, const char **argv);
/* name: of no subcommand; NULL: none was given. */
NORETURN void die_no_subcommand(const char *name, const char *const *usage,
				const struct option *options);

/*
 * Say that `doing` ("Merging") is not possible because the index has conflicts, and how to resolve them. Returns
 * ERR_CONFLICT.
 */
MUST_USE int fail_unmerged(struct repository *r, const char *doing, struct err *err);
/* Read the index; the same if it has conflicts. */
MUST_USE int refuse_unmerged(struct repository *r, const char *doing, struct err *err);

/*
 * reset.c: `reset --merge` of `merge --abort`, which leaves MERGE_AUTOSTASH alone. Returns the exit code. unsealed not NULL: if
 * the reset has been published, *unsealed is its operation, which the caller ends.
 */
int reset_of_merge(struct command_ctx *ctx, struct repo_operation **unsealed);
/*
 * The same for git-am(1): to `to`; NULL: to HEAD, which stays; the null id: HEAD's branch goes. rerere forgets its conflicts.
 * On 0 *op is the operation, published.
 */
MUST_USE int reset_of_am(struct command_ctx *ctx, const struct object_id *to, struct repo_operation **op, struct err *err);
/*
 * autostash.c: the changes that MERGE_AUTOSTASH names, if it is there, come back; or, with `store`, only go to the list of
 * stashes. An operation of its own. Prints the outcome. Returns the exit code of a failure, which has been reported.
 */
int command_end_autostash(struct repository *r, bool store);
/* The same as the last part of `op`, which ends in all outcomes: what it has published is sealed with it. */
int command_end_autostash_in(struct repo_operation *op, bool store);

/*
 * checkout/checkout.c: `git checkout --ignore-other-worktrees NAME --` as the last part of `op`, which ends in all outcomes: the
 * refs of `op` change in one transaction with HEAD. Returns the exit code. If it is not 0, nothing has changed.
 */
int command_checkout_in(struct command_ctx *ctx, struct repo_operation *op, const char *name, bool quiet);
/* hash-object.c: dies, with all faults, if it is not what fsck accepts. Blobs are always accepted. */
void command_check_object(const struct hash_algo *algo, enum object_type type, const void *data, size_t size);

/* help.c: the commands that have a group in the help and are among `commands`, on stdout. */
void print_common_commands(const struct command *commands, size_t nr);

int git_main(int argc, const char **argv); /* git.c; main() is in git-main.c */

int cmd_add(int argc, const char **argv, struct command_ctx *ctx);
int cmd_am(int argc, const char **argv, struct command_ctx *ctx);
int cmd_annotate(int argc, const char **argv, struct command_ctx *ctx);
int cmd_apply(int argc, const char **argv, struct command_ctx *ctx);
int cmd_archive(int argc, const char **argv, struct command_ctx *ctx);
int cmd_bisect(int argc, const char **argv, struct command_ctx *ctx);
int cmd_blame(int argc, const char **argv, struct command_ctx *ctx);
int cmd_branch(int argc, const char **argv, struct command_ctx *ctx);
int cmd_bundle(int argc, const char **argv, struct command_ctx *ctx);
int cmd_cat_file(int argc, const char **argv, struct command_ctx *ctx);
int cmd_check_attr(int argc, const char **argv, struct command_ctx *ctx);
int cmd_check_ignore(int argc, const char **argv, struct command_ctx *ctx);
int cmd_check_mailmap(int argc, const char **argv, struct command_ctx *ctx);
int cmd_check_ref_format(int argc, const char **argv, struct command_ctx *ctx);
int cmd_checkout(int argc, const char **argv, struct command_ctx *ctx);
int cmd_checkout_index(int argc, const char **argv, struct command_ctx *ctx);
int cmd_cherry(int argc, const char **argv, struct command_ctx *ctx);
int cmd_cherry_pick(int argc, const char **argv, struct command_ctx *ctx);
int cmd_revert(int argc, const char **argv, struct command_ctx *ctx);
int cmd_clean(int argc, const char **argv, struct command_ctx *ctx);
int cmd_clone(int argc, const char **argv, struct command_ctx *ctx);
int cmd_column(int argc, const char **argv, struct command_ctx *ctx);
int cmd_commit(int argc, const char **argv, struct command_ctx *ctx);
int cmd_commit_graph(int argc, const char **argv, struct command_ctx *ctx);
int cmd_commit_tree(int argc, const char **argv, struct command_ctx *ctx);
int cmd_config(int argc, const char **argv, struct command_ctx *ctx);
int cmd_count_objects(int argc, const char **argv, struct command_ctx *ctx);
int cmd_credential(int argc, const char **argv, struct command_ctx *ctx);
int cmd_credential_cache(int argc, const char **argv, struct command_ctx *ctx);
int cmd_credential_cache_daemon(int argc, const char **argv, struct command_ctx *ctx);
int cmd_credential_store(int argc, const char **argv, struct command_ctx *ctx);
int cmd_daemon(int argc, const char **argv, struct command_ctx *ctx);
int cmd_describe(int argc, const char **argv, struct command_ctx *ctx);
int cmd_diff(int argc, const char **argv, struct command_ctx *ctx);
int cmd_diff_files(int argc, const char **argv, struct command_ctx *ctx);
int cmd_diff_index(int argc, const char **argv, struct command_ctx *ctx);
int cmd_diff_tree(int argc, const char **argv, struct command_ctx *ctx);
int cmd_fast_export(int argc, const char **argv, struct command_ctx *ctx);
int cmd_fast_export(int argc, const char **argv, struct command_ctx *ctx);
int cmd_fast_import(int argc, const char **argv, struct command_ctx *ctx);
int cmd_fetch(int argc, const char **argv, struct command_ctx *ctx);
int cmd_fetch_pack(int argc, const char **argv, struct command_ctx *ctx);
int cmd_fmt_merge_msg(int argc, const char **argv, struct command_ctx *ctx);
int cmd_for_each_ref(int argc, const char **argv, struct command_ctx *ctx);
int cmd_for_each_repo(int argc, const char **argv, struct command_ctx *ctx);
int cmd_format_patch(int argc, const char **argv, struct command_ctx *ctx);
int cmd_fsck(int argc, const char **argv, struct command_ctx *ctx);
int cmd_gc(int argc, const char **argv, struct command_ctx *ctx);
int cmd_get_tar_commit_id(int argc, const char **argv, struct command_ctx *ctx);
int cmd_grep(int argc, const char **argv, struct command_ctx *ctx);
int cmd_hash_object(int argc, const char **argv, struct command_ctx *ctx);
int cmd_help(int argc, const char **argv, struct command_ctx *ctx);
int cmd_history(int argc, const char **argv, struct command_ctx *ctx);
int cmd_hook(int argc, const char **argv, struct command_ctx *ctx);
int cmd_http_backend(int argc, const char **argv, struct command_ctx *ctx);
int cmd_index_pack(int argc, const char **argv, struct command_ctx *ctx);
int cmd_init(int argc, const char **argv, struct command_ctx *ctx);
int cmd_interpret_trailers(int argc, const char **argv, struct command_ctx *ctx);
int cmd_log(int argc, const char **argv, struct command_ctx *ctx);
int cmd_ls_files(int argc, const char **argv, struct command_ctx *ctx);
int cmd_ls_remote(int argc, const char **argv, struct command_ctx *ctx);
int cmd_ls_tree(int argc, const char **argv, struct command_ctx *ctx);
int cmd_mailinfo(int argc, const char **argv, struct command_ctx *ctx);
int cmd_mailsplit(int argc, const char **argv, struct command_ctx *ctx);
int cmd_maintenance(int argc, const char **argv, struct command_ctx *ctx);
int cmd_prune_packed(int argc, const char **argv, struct command_ctx *ctx);
int cmd_repack(int argc, const char **argv, struct command_ctx *ctx);
int cmd_merge(int argc, const char **argv, struct command_ctx *ctx);
int cmd_merge_base(int argc, const char **argv, struct command_ctx *ctx);
int cmd_merge_file(int argc, const char **argv, struct command_ctx *ctx);
int cmd_merge_index(int argc, const char **argv, struct command_ctx *ctx);
int cmd_merge_one_file(int argc, const char **argv, struct command_ctx *ctx);
int cmd_merge_tree(int argc, const char **argv, struct command_ctx *ctx);
int cmd_mktag(int argc, const char **argv, struct command_ctx *ctx);
int cmd_mktree(int argc, const char **argv, struct command_ctx *ctx);
int cmd_multi_pack_index(int argc, const char **argv, struct command_ctx *ctx);
int cmd_mv(int argc, const char **argv, struct command_ctx *ctx);
int cmd_name_rev(int argc, const char **argv, struct command_ctx *ctx);
int cmd_notes(int argc, const char **argv, struct command_ctx *ctx);
int cmd_pack_objects(int argc, const char **argv, struct command_ctx *ctx);
int cmd_pack_refs(int argc, const char **argv, struct command_ctx *ctx);
int cmd_patch_id(int argc, const char **argv, struct command_ctx *ctx);
int cmd_range_diff(int argc, const char **argv, struct command_ctx *ctx);
int cmd_prune(int argc, const char **argv, struct command_ctx *ctx);
int cmd_read_tree(int argc, const char **argv, struct command_ctx *ctx);
int cmd_reflog(int argc, const char **argv, struct command_ctx *ctx);
int cmd_refs(int argc, const char **argv, struct command_ctx *ctx);
int cmd_replay(int argc, const char **argv, struct command_ctx *ctx);
int cmd_replace(int argc, const char **argv, struct command_ctx *ctx);
int cmd_rerere(int argc, const char **argv, struct command_ctx *ctx);
int cmd_reset(int argc, const char **argv, struct command_ctx *ctx);
int cmd_restore(int argc, const char **argv, struct command_ctx *ctx);
int cmd_diff_pairs(int argc, const char **argv, struct command_ctx *ctx);
int cmd_whatchanged(int argc, const char **argv, struct command_ctx *ctx);
int cmd_repo(int argc, const char **argv, struct command_ctx *ctx);
int cmd_last_modified(int argc, const char **argv, struct command_ctx *ctx);
int cmd_request_pull(int argc, const char **argv, struct command_ctx *ctx);
int cmd_remote(int argc, const char **argv, struct command_ctx *ctx);
int cmd_rev_list(int argc, const char **argv, struct command_ctx *ctx);
int cmd_rev_parse(int argc, const char **argv, struct command_ctx *ctx);
int cmd_rm(int argc, const char **argv, struct command_ctx *ctx);
int cmd_shell(int argc, const char **argv, struct command_ctx *ctx);
int cmd_shortlog(int argc, const char **argv, struct command_ctx *ctx);
int cmd_show(int argc, const char **argv, struct command_ctx *ctx);
int cmd_show_branch(int argc, const char **argv, struct command_ctx *ctx);
int cmd_show_index(int argc, const char **argv, struct command_ctx *ctx);
int cmd_show_ref(int argc, const char **argv, struct command_ctx *ctx);
int cmd_sparse_checkout(int argc, const char **argv, struct command_ctx *ctx);
int cmd_stash(int argc, const char **argv, struct command_ctx *ctx);
int cmd_status(int argc, const char **argv, struct command_ctx *ctx);
int cmd_stripspace(int argc, const char **argv, struct command_ctx *ctx);
int cmd_submodule(int argc, const char **argv, struct command_ctx *ctx);
int cmd_switch(int argc, const char **argv, struct command_ctx *ctx);
int cmd_symbolic_ref(int argc, const char **argv, struct command_ctx *ctx);
int cmd_tag(int argc, const char **argv, struct command_ctx *ctx);
int cmd_unpack_file(int argc, const char **argv, struct command_ctx *ctx);
int cmd_unpack_objects(int argc, const char **argv, struct command_ctx *ctx);
int cmd_update_index(int argc, const char **argv, struct command_ctx *ctx);
int cmd_update_ref(int argc, const char **argv, struct command_ctx *ctx);
int cmd_update_server_info(int argc, const char **argv, struct command_ctx *ctx);
int cmd_upload_archive(int argc, const char **argv, struct command_ctx *ctx);
int cmd_upload_pack(int argc, const char **argv, struct command_ctx *ctx);
int cmd_pull(int argc, const char **argv, struct command_ctx *ctx);
int cmd_push(int argc, const char **argv, struct command_ctx *ctx);
int cmd_send_pack(int argc, const char **argv, struct command_ctx *ctx);
int cmd_rebase(int argc, const char **argv, struct command_ctx *ctx);
int cmd_receive_pack(int argc, const char **argv, struct command_ctx *ctx);
int cmd_var(int argc, const char **argv, struct command_ctx *ctx);
int cmd_verify_commit(int argc, const char **argv, struct command_ctx *ctx);
int cmd_verify_pack(int argc, const char **argv, struct command_ctx *ctx);
int cmd_verify_tag(int argc, const char **argv, struct command_ctx *ctx);
int cmd_version(int argc, const char **argv, struct command_ctx *ctx);
int cmd_worktree(int argc, const char **argv, struct command_ctx *ctx);
int cmd_write_tree(int argc, const char **argv, struct command_ctx *ctx);

#endif

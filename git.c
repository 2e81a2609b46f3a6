/* SPDX-License-Identifier: GPL-2.0-only */
/* Entry: find the command, run it, make an exit code of its result. */
#include "compat/posix.h"
#include <signal.h>
#include "cli/alias.h"
#include "cli/git-options.h"
#include "builtin/builtin.h"
#include "cli/known-commands.h"
#include "fs/file.h"
#include "porcelain/lazy-fetch.h"
#include "util/alloc.h"
#include "util/path.h"
#include "util/quote.h"
#include "util/run-command.h"
#include "util/trace2.h"
#include "wire/pkt-trace.h"
#include "worktree/worktree.h"

/* Sorted by name. A command that is not here is an error that names it. */
static const struct command commands[] = {
	{ "add", cmd_add, CMD_REPO | CMD_WORKTREE },
	{ "am", cmd_am, CMD_REPO | CMD_WORKTREE },
	{ "annotate", cmd_annotate, CMD_REPO | CMD_PAGER },
	{ "apply", cmd_apply, CMD_REPO_GENTLY },
	{ "archive", cmd_archive, CMD_REPO_GENTLY },
	{ "bisect", cmd_bisect, CMD_REPO },
	{ "blame", cmd_blame, CMD_REPO | CMD_PAGER },
	{ "branch", cmd_branch, CMD_REPO | CMD_PAGER_OWN },
	{ "bundle", cmd_bundle, CMD_REPO_GENTLY },
	{ "cat-file", cmd_cat_file, CMD_REPO },
	{ "check-attr", cmd_check_attr, CMD_REPO },
	{ "check-ignore", cmd_check_ignore, CMD_REPO | CMD_WORKTREE },
	{ "check-mailmap", cmd_check_mailmap, CMD_REPO },
	{ "check-ref-format", cmd_check_ref_format, CMD_REPO_GENTLY },
	{ "checkout", cmd_checkout, CMD_REPO | CMD_WORKTREE },
	{ "checkout-index", cmd_checkout_index, CMD_REPO | CMD_WORKTREE },
	{ "cherry", cmd_cherry, CMD_REPO },
	{ "cherry-pick", cmd_cherry_pick, CMD_REPO | CMD_WORKTREE },
	{ "clean", cmd_clean, CMD_REPO | CMD_WORKTREE },
	{ "clone", cmd_clone, 0 },
	{ "column", cmd_column, CMD_REPO_GENTLY },
	{ "commit", cmd_commit, CMD_REPO | CMD_WORKTREE },
	{ "commit-graph", cmd_commit_graph, CMD_REPO | CMD_AS_IT_IS },
	{ "commit-tree", cmd_commit_tree, CMD_REPO },
	{ "config", cmd_config, CMD_REPO_GENTLY | CMD_LENIENT },
	{ "count-objects", cmd_count_objects, CMD_REPO | CMD_AS_IT_IS },
	{ "credential", cmd_credential, CMD_REPO_GENTLY },
	{ "credential-cache", cmd_credential_cache, 0 },
	{ "credential-cache--daemon", cmd_credential_cache_daemon, CMD_REPO_GENTLY },
	{ "credential-store", cmd_credential_store, CMD_REPO_GENTLY },
	{ "daemon", cmd_daemon, 0 },
	{ "describe", cmd_describe, CMD_REPO },
	{ "diff", cmd_diff, CMD_REPO_GENTLY | CMD_PAGER_OWN },
	{ "diff-files", cmd_diff_files, CMD_REPO | CMD_WORKTREE },
	{ "diff-index", cmd_diff_index, CMD_REPO },
	{ "diff-pairs", cmd_diff_pairs, CMD_REPO },
	{ "diff-tree", cmd_diff_tree, CMD_REPO },
	{ "fast-export", cmd_fast_export, CMD_REPO },
	{ "fast-import", cmd_fast_import, CMD_REPO },
	{ "fetch", cmd_fetch, CMD_REPO | CMD_AS_IT_IS },
	{ "fetch-pack", cmd_fetch_pack, CMD_REPO_GENTLY | CMD_AS_IT_IS },
	{ "fmt-merge-msg", cmd_fmt_merge_msg, CMD_REPO },
	{ "for-each-ref", cmd_for_each_ref, CMD_REPO },
	{ "for-each-repo", cmd_for_each_repo, CMD_REPO_GENTLY },
	{ "format-patch", cmd_format_patch, CMD_REPO },
	{ "fsck", cmd_fsck, CMD_REPO | CMD_AS_IT_IS },
	{ "gc", cmd_gc, CMD_REPO | CMD_AS_IT_IS },
	{ "get-tar-commit-id", cmd_get_tar_commit_id, 0 },
	{ "grep", cmd_grep, CMD_REPO_GENTLY | CMD_PAGER_OWN },
	{ "hash-object", cmd_hash_object, CMD_REPO_GENTLY },
	{ "help", cmd_help, CMD_REPO_GENTLY | CMD_LENIENT },
	{ "history", cmd_history, CMD_REPO },
	{ "hook", cmd_hook, CMD_REPO_GENTLY },
	{ "http-backend", cmd_http_backend, 0 },
	{ "index-pack", cmd_index_pack, CMD_REPO_GENTLY | CMD_AS_IT_IS },
	{ "init", cmd_init, 0 },
	{ "init-db", cmd_init, 0 },
	{ "interpret-trailers", cmd_interpret_trailers, CMD_REPO_GENTLY },
	{ "last-modified", cmd_last_modified, CMD_REPO },
	{ "log", cmd_log, CMD_REPO | CMD_PAGER },
	{ "ls-files", cmd_ls_files, CMD_REPO },
	{ "ls-remote", cmd_ls_remote, CMD_REPO_GENTLY },
	{ "ls-tree", cmd_ls_tree, CMD_REPO },
	{ "mailinfo", cmd_mailinfo, CMD_REPO_GENTLY },
	{ "mailsplit", cmd_mailsplit, CMD_REPO_GENTLY },
	{ "maintenance", cmd_maintenance, CMD_REPO | CMD_AS_IT_IS },
	{ "merge", cmd_merge, CMD_REPO | CMD_WORKTREE },
	{ "merge-base", cmd_merge_base, CMD_REPO },
	{ "merge-file", cmd_merge_file, CMD_REPO_GENTLY },
	{ "merge-index", cmd_merge_index, CMD_REPO },
	{ "merge-one-file", cmd_merge_one_file, CMD_REPO | CMD_WORKTREE },
	{ "merge-tree", cmd_merge_tree, CMD_REPO },
	{ "mktag", cmd_mktag, CMD_REPO },
	{ "mktree", cmd_mktree, CMD_REPO },
	{ "multi-pack-index", cmd_multi_pack_index, CMD_REPO | CMD_AS_IT_IS },
	{ "mv", cmd_mv, CMD_REPO | CMD_WORKTREE },
	{ "name-rev", cmd_name_rev, CMD_REPO },
	{ "notes", cmd_notes, CMD_REPO },
	{ "pack-objects", cmd_pack_objects, CMD_REPO | CMD_AS_IT_IS },
	{ "pack-refs", cmd_pack_refs, CMD_REPO | CMD_AS_IT_IS },
	{ "patch-id", cmd_patch_id, CMD_REPO_GENTLY },
	{ "prune", cmd_prune, CMD_REPO | CMD_AS_IT_IS },
	{ "prune-packed", cmd_prune_packed, CMD_REPO | CMD_AS_IT_IS },
	{ "pull", cmd_pull, CMD_REPO | CMD_WORKTREE },
	{ "push", cmd_push, CMD_REPO },
	{ "range-diff", cmd_range_diff, CMD_REPO },
	{ "read-tree", cmd_read_tree, CMD_REPO },
	{ "rebase", cmd_rebase, CMD_REPO | CMD_WORKTREE },
	{ "receive-pack", cmd_receive_pack, 0 },
	{ "reflog", cmd_reflog, CMD_REPO | CMD_AS_IT_IS },
	{ "refs", cmd_refs, CMD_REPO | CMD_AS_IT_IS },
	{ "remote", cmd_remote, CMD_REPO },
	{ "repack", cmd_repack, CMD_REPO | CMD_AS_IT_IS },
	{ "replace", cmd_replace, CMD_REPO },
	{ "replay", cmd_replay, CMD_REPO },
	{ "repo", cmd_repo, CMD_REPO },
	{ "request-pull", cmd_request_pull, CMD_REPO },
	{ "rerere", cmd_rerere, CMD_REPO },
	{ "reset", cmd_reset, CMD_REPO },
	{ "restore", cmd_restore, CMD_REPO | CMD_WORKTREE },
	{ "rev-list", cmd_rev_list, CMD_REPO },
	{ "rev-parse", cmd_rev_parse, CMD_REPO_GENTLY },
	{ "revert", cmd_revert, CMD_REPO | CMD_WORKTREE },
	{ "rm", cmd_rm, CMD_REPO | CMD_WORKTREE },
	{ "send-pack", cmd_send_pack, CMD_REPO },
	{ "shell", cmd_shell, 0 },
	{ "shortlog", cmd_shortlog, CMD_REPO_GENTLY | CMD_PAGER },
	{ "show", cmd_show, CMD_REPO | CMD_PAGER },
	{ "show-branch", cmd_show_branch, CMD_REPO },
	{ "show-index", cmd_show_index, CMD_REPO_GENTLY },
	{ "show-ref", cmd_show_ref, CMD_REPO },
	{ "sparse-checkout", cmd_sparse_checkout, CMD_REPO | CMD_PART },
	{ "stage", cmd_add, CMD_REPO | CMD_WORKTREE },
	{ "stash", cmd_stash, CMD_REPO | CMD_WORKTREE },
	{ "status", cmd_status, CMD_REPO | CMD_WORKTREE },
	{ "stripspace", cmd_stripspace, CMD_REPO_GENTLY },
	{ "submodule", cmd_submodule, CMD_REPO | CMD_PART },
	{ "switch", cmd_switch, CMD_REPO | CMD_WORKTREE },
	{ "symbolic-ref", cmd_symbolic_ref, CMD_REPO },
	{ "tag", cmd_tag, CMD_REPO | CMD_PAGER_OWN },
	{ "unpack-file", cmd_unpack_file, CMD_REPO },
	{ "unpack-objects", cmd_unpack_objects, CMD_REPO | CMD_AS_IT_IS },
	{ "update-index", cmd_update_index, CMD_REPO },
	{ "update-ref", cmd_update_ref, CMD_REPO },
	{ "update-server-info", cmd_update_server_info, CMD_REPO },
	{ "upload-archive", cmd_upload_archive, 0 },
	{ "upload-pack", cmd_upload_pack, 0 },
	{ "var", cmd_var, CMD_REPO_GENTLY | CMD_LENIENT },
	{ "verify-commit", cmd_verify_commit, CMD_REPO },
	{ "verify-pack", cmd_verify_pack, CMD_REPO_GENTLY | CMD_AS_IT_IS },
	{ "verify-tag", cmd_verify_tag, CMD_REPO },
	{ "version", cmd_version, 0 },
	{ "whatchanged", cmd_whatchanged, CMD_REPO },
	{ "worktree", cmd_worktree, CMD_REPO },
	{ "write-tree", cmd_write_tree, CMD_REPO },
};

static int compare_name(const void *name, const void *command)
{
	return strcmp(name, ((const struct command *)command)->name);
}

static const struct command *find_command(const char *name)
{
	return bsearch(name, commands, ARRAY_SIZE(commands), sizeof(commands[0]), compare_name);
}

/* ---- a command of ours ---- */

static void show_note(struct repository *r, const char *key, const char *text)
{
	if (!key)
		fprintf(stderr, "%s\n", text);
	else if (advice_enabled(r, key))
		advise("%s", text);
}

/*
 * 0, with *out NULL where a repository is wanted but not needed and there is none
 * that may be used.
 */
static int open_repository(struct repository **out, unsigned flags, struct err *err)
{
	struct repo_open_options o = {
		.lenient = (flags & CMD_LENIENT) != 0,
		.warn = flags & CMD_LENIENT ? NULL : warning_callback,
		.report_error = error_callback,
		.note = flags & CMD_LENIENT ? NULL : show_note,
	};
	struct err local = ERR_INIT;
	int rc;

	*out = NULL;
	if (!(flags & (CMD_REPO | CMD_REPO_GENTLY | CMD_WORKTREE)))
		return 0;
	rc = repo_open(out, &o, &local);
	if (rc && !(flags & (CMD_REPO | CMD_WORKTREE))) {
		if (rc == ERR_UNSUPPORTED)
			warning("%s", err_message(&local));
		if (rc == ERR_UNSUPPORTED || rc == ERR_NOT_FOUND || rc == ERR_ABORTED)
			rc = 0;
	}
	if (rc)
		err_move(err, &local);
	err_release(&local);
	return rc;
}

static void choose_pager(const struct command *c, struct repository *r, int wanted)
{
	const char *program = NULL;

	if (c->flags & CMD_PAGER_OWN) {
		if (wanted == 0)
			setenv("GIT_PAGER", "cat", 1); /* it will ask by itself */
		if (wanted <= 0)
			return;
	}
	if (wanted < 0) {
		wanted = pager_config(r, c->name, &program);
		if (wanted < 0)
			wanted = (c->flags & CMD_PAGER) != 0;
	}
	if (wanted && !pager_in_use())
		start_pager(program ? program : pager_program(r));
}

/* Children find the same repository, whatever the cwd has become. */
static void export_place(const struct repository *r)
{
	setenv("GIT_PREFIX", r->prefix ? r->prefix : "", 1);
	if (strcmp(r->gitdir, ".git"))
		setenv("GIT_DIR", r->gitdir, 1);
	if (getenv("GIT_WORK_TREE") && r->worktree)
		setenv("GIT_WORK_TREE", r->worktree, 1);
}

static void trace_command(const char *kind, const struct strvec *args)
{
	struct strbuf line = STRBUF_INIT;

	if (!trace_want("GIT_TRACE"))
		return;
	for (size_t i = 0; i < args->nr; i++) {
		strbuf_addch(&line, ' ');
		sq_quote_pretty(&line, args->v[i]);
	}
	trace_printf("GIT_TRACE", "trace: %s: git%s", kind, line.buf);
	strbuf_release(&line);
}

/* Git finds the repository for these in another way, which is not traced. */
static bool setup_is_traced(const char *command)
{
	static const char *const others[] = {
		"check-ref-format", "clone", "credential-cache", "credential-cache--daemon", "credential-store", "daemon",
		"diff", "get-tar-commit-id", "hash-object", "help", "http-backend", "init", "init-db", "receive-pack",
		"rev-parse", "shell", "stripspace", "submodule", "upload-archive", "upload-pack", "verify-pack", "version",
	};

	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (!strcmp(command, others[i]))
			return false;
	return true;
}

/* As Git has it: not absolute if the place was found or given otherwise, and the cwd is still the same. */
static const char *traced_gitdir(const struct repository *r, const char *cwd)
{
	const char *given = getenv("GIT_DIR"), *rest;

	if (!r->cwd_outside)
		return r->gitdir;
	if (given && *given)
		return given;
	if (!strcmp(r->gitdir, cwd))
		return ".";
	return skip_prefix(r->gitdir, cwd, &rest) && !strcmp(rest, "/.git") ? ".git" : r->gitdir;
}

/* GIT_TRACE_SETUP of git(1): the places of the repository, one a line. */
static void trace_setup(const struct command *c, const struct repository *r, const char *prefix)
{
	static const char key[] = "GIT_TRACE_SETUP";
	bool shared = r && !strcmp(r->gitdir, r->commondir), traced = setup_is_traced(c->name);
	bool enters = c->flags & CMD_WORKTREE;
	char *cwd = r && (traced || enters) && trace_want(key) ? xgetcwd() : NULL;
	const char *gitdir;

	if (cwd && traced) {
		gitdir = traced_gitdir(r, cwd);
		trace_printf(key, "setup: git_dir: %s", gitdir);
		trace_printf(key, "setup: git_common_dir: %s", shared ? gitdir : r->commondir);
		trace_printf(key, "setup: worktree: %s", r->worktree ? r->worktree : "(null)");
		trace_printf(key, "setup: cwd: %s", cwd);
		trace_printf(key, "setup: prefix: %s", prefix ? prefix : "(null)");
	}
	if (cwd && enters && r->worktree)
		trace_printf(key, "setup: chdir from '%s' to '%s'", cwd, r->worktree);
	free(cwd);
}

/*
 * Commands fetch objects that a partial clone lacks when they need them. Commands that list
 * objects, or maintain the repository (CMD_AS_IT_IS), fetch only the objects that they ask for by
 * odb_prefetch.
 */
static struct promised_fetcher *begin_fetching(const struct command *c, struct repository *r)
{
	return r ? promised_fetcher_new(r, !(c->flags & CMD_AS_IT_IS)) : NULL;
}

/* Where the process was started: -C and aliases change the directory later. */
static char *original_cwd;

static int run_builtin(const struct command *c, const struct strvec *args, int use_pager)
{
	bool usage_only = args->nr == 2 && !strcmp(args->v[1], "-h");
	unsigned flags = usage_only ? CMD_REPO_GENTLY | CMD_LENIENT : c->flags;
	struct command_ctx ctx = { .commands = commands, .nr_commands = ARRAY_SIZE(commands) };
	struct promised_fetcher *fetcher;
	struct err err = ERR_INIT;
	const char **argv;
	int rc, rc_out = 0;

	trace2_cmd_name(c->name);
	pkt_trace_identity(c->name);
	trace_command("built-in", args);
	if (open_repository(&ctx.repo, flags, &err) < 0)
		return report_fatal(&err);
	set_command_repo(ctx.repo);
	if (ctx.repo) {
		ctx.prefix = ctx.repo->prefix;
		repo_set_original_cwd(ctx.repo, original_cwd);
		trace_setup(c, ctx.repo, ctx.prefix);
		ctx.repo->smudge_racy = worktree_smudge_racy;
		if ((flags & CMD_WORKTREE) && repo_enter_worktree(ctx.repo, &err) < 0)
			return report_fatal(&err);
		export_place(ctx.repo);
	}
	if (!usage_only)
		choose_pager(c, ctx.repo, use_pager);

	fetcher = begin_fetching(c, ctx.repo);
	/* commands reorder their argv, so they get an array of their own */
	argv = xmemdup(args->v, (args->nr + 1) * sizeof(*argv));
	rc = c->run((int)args->nr, argv, &ctx);
	if (rc == 128) /* the command has said why; no second message */
		(void)fflush(stdout);
	else
		rc_out = finish_stdout();
	free(argv);
	set_command_repo(NULL);
	promised_fetcher_free(fetcher);
	repo_free(ctx.repo);
	return rc ? rc : rc_out;
}

/* ---- other programs ---- */

/*
 * "git-NAME" of the exec-path or PATH. Names of Git's own commands are looked for in
 * the exec-path alone: what another Git put on PATH must not run unasked.
 */
static char *find_external(const char *name)
{
	char *program = xstrfmt("git-%s", name), *full;

	if (known_command_find(name)) {
		full = path_join(git_exec_path(), program);
		if (access(full, X_OK))
			FREE_AND_NULL(full);
	} else {
		full = strchr(name, '/') ? NULL : locate_in_path(program);
	}
	free(program);
	return full;
}

static bool run_external(const struct strvec *args, int use_pager, int *code)
{
	struct child_process cp = CHILD_PROCESS_INIT;
	char *full = find_external(args->v[0]);
	struct err err = ERR_INIT;

	if (!full)
		return false;
	if (use_pager == 1)
		start_pager(pager_program(NULL));
	trace_command("exec", args);
	strvec_push(&cp.args, full);
	strvec_pushv(&cp.args, args->v + 1);
	*code = run_command(&cp, &err);
	if (*code < 0)
		*code = report_fatal(&err);
	free(full);
	return true;
}

/* What opening a repository changes: the program that takes over finds it anew. */
struct old_place {
	char *cwd;
	bool has_gitdir;
};

static void note_place(struct old_place *p)
{
	p->cwd = xgetcwd();
	p->has_gitdir = getenv("GIT_DIR") != NULL;
}

static void return_to_place(struct old_place *p)
{
	if (p->cwd && chdir(p->cwd))
		die("cannot change to '%s': %s", p->cwd, strerror(errno));
	if (!p->has_gitdir)
		unsetenv("GIT_DIR");
	unsetenv("GIT_PREFIX");
}

/* False: it was for the part of the command that is not here. */
static bool run_part(const struct command *c, struct strvec *args, int use_pager, int *code)
{
	struct old_place place;

	if (!(c->flags & CMD_PART)) {
		*code = run_builtin(c, args, use_pager);
		return true;
	}
	note_place(&place);
	*code = run_builtin(c, args, use_pager);
	if (*code == COMMAND_REST)
		return_to_place(&place);
	free(place.cwd);
	return *code != COMMAND_REST;
}

/* GIT_FALLBACK: another Git, for what we do not have. Returns only if not set. */
static void exec_fallback(const struct strvec *args)
{
	const char *path = getenv("GIT_FALLBACK");
	struct strvec argv = STRVEC_INIT;
	struct stat theirs, ours;
	struct err err = ERR_INIT;

	if (!path || !*path)
		return;
	if (!stat(path, &theirs) && !stat("/proc/self/exe", &ours) && is_same_file(&theirs, &ours))
		die("GIT_FALLBACK names this program itself: '%s'", path);
	if (nesting_before_exec(path, &err) < 0)
		die_err(&err);
	strvec_push(&argv, path);
	strvec_pushv(&argv, args->v);
	trace2_exit(0);
	execv(path, (char *const *)argv.v);
	die("cannot run GIT_FALLBACK '%s': %s", path, strerror(errno));
}

/* ---- finding it ---- */

/* Git's own exit code is 1, which for one that we do not have yet would read as "differs", "no". */
static int no_such_command(const char *name, const struct string_list *seen)
{
	if (known_command_find(name)) {
		fprintf(stderr, "git: '%s' is a Git command that is not available here yet. "
			"GIT_FALLBACK can name a Git that has it.\n", name);
		return 128;
	}
	if (seen->nr)
		fprintf(stderr, "expansion of alias '%s' failed; '%s' is not a git command\n",
			seen->items[0].string, name);
	else
		fprintf(stderr, "git: '%s' is not a git command. See 'git --help'.\n", name);
	return 1;
}

static int run_elsewhere(const struct strvec *args, const struct string_list *seen)
{
	exec_fallback(args);
	return no_such_command(args->v[0], seen);
}

static int run_words(struct strvec *args, struct git_options *o)
{
	struct string_list seen = STRING_LIST_INIT;
	bool ended = false;
	int code = 0;

	for (;;) {
		const struct command *c = find_command(args->v[0]);

		if (c) {
			if (!run_part(c, args, o->use_pager, &code))
				code = run_elsewhere(args, &seen);
			break;
		}
		if (run_external(args, o->use_pager, &code))
			break;
		if (!alias_expand(args, &seen, o, &ended, &code)) {
			code = run_elsewhere(args, &seen);
			break;
		}
		if (ended)
			break;
	}
	string_list_clear(&seen, NULL);
	return code;
}

/* "git CMD --help" is "git help CMD"; the options that are commands become ones. */
static void rewrite_help(struct strvec *args)
{
	const char *first = args->v[0];

	if (!strcmp(first, "--version") || !strcmp(first, "-v") || !strcmp(first, "--help") ||
	    !strcmp(first, "-h")) {
		strvec_insert(args, 0, first[1] == 'v' || first[2] == 'v' ? "version" : "help");
		strvec_remove(args, 1);
	} else if (args->nr > 1 && !strcmp(args->v[1], "--help")) {
		strvec_remove(args, 1);
		strvec_insert(args, 0, "help");
		strvec_insert(args, 1, "--exclude-guides");
	}
}

/* ---- --list-cmds=a,b ---- */

static void list_external(struct strvec *out)
{
	const char *path = getenv("PATH");
	struct string_list dirs = STRING_LIST_INIT;
	size_t before = out->nr;

	string_list_split(&dirs, path ? path : "", ":");
	for (size_t i = 0; i < dirs.nr; i++)
		list_programs(out, dirs.items[i].string, "git-");
	string_list_clear(&dirs, NULL);
	for (size_t k = out->nr; k-- > before;)
		if (known_command_find(out->v[k])) /* another Git's: find_external */
			strvec_remove(out, k);
}

/* What completion offers: the commands that have a group of their own in the help. */
static void list_porcelain(struct strvec *out)
{
	for (size_t k = 0; k < ARRAY_SIZE(commands); k++) {
		const struct known_command *known = known_command_find(commands[k].name);

		if (known && (known->group != GROUP_NONE || !strcmp(known->name, "config") ||
			      !strcmp(known->name, "help")))
			strvec_push(out, known->name);
	}
}

static void drop_helpers(struct strvec *out)
{
	for (size_t k = out->nr; k-- > 0;)
		if (strstr(out->v[k], "--"))
			strvec_remove(out, k);
}

static int list_commands(const char *types)
{
	struct string_list wanted = STRING_LIST_INIT;
	struct strvec out = STRVEC_INIT;

	string_list_split(&wanted, types, ",");
	for (size_t i = 0; i < wanted.nr; i++) {
		const char *type = wanted.items[i].string;

		if (!strcmp(type, "builtins") || !strcmp(type, "main"))
			for (size_t k = 0; k < ARRAY_SIZE(commands); k++)
				strvec_push(&out, commands[k].name);
		else if (!strcmp(type, "list-mainporcelain"))
			list_porcelain(&out);
		else if (!strcmp(type, "others"))
			list_external(&out);
		else if (!strcmp(type, "alias"))
			alias_list(&out);
		else if (!strcmp(type, "nohelpers"))
			drop_helpers(&out);
		else if (strcmp(type, "config") && !starts_with(type, "list-"))
			die("unsupported command listing type '%s'", type);
	}
	for (size_t i = 0; i < out.nr; i++)
		puts(out.v[i]);
	string_list_clear(&wanted, NULL);
	strvec_clear(&out);
	return finish_stdout();
}

/* ---- entry ---- */

/* Descriptors 0 to 2 are open: a file of ours must never become "standard error". */
static void sanitize_descriptors(void)
{
	int fd = open("/dev/null", O_RDWR); /* check-calls: not a file on disk */

	while (fd >= 0 && fd < 2)
		fd = dup(fd);
	if (fd > 2)
		close(fd);
}

/* Programs that children run as "git-x" or "git" are ours. */
static void prepend_exec_path(void)
{
	const char *old = getenv("PATH"), *dir = git_exec_path();
	struct strbuf sb = STRBUF_INIT;

	if (old && starts_with(old, dir) && (!old[strlen(dir)] || old[strlen(dir)] == ':'))
		return;
	strbuf_addf(&sb, "%s:%s", dir, old ? old : "/usr/local/bin:/usr/bin:/bin");
	setenv("PATH", sb.buf, 1);
	strbuf_release(&sb);
}

/*
 * Started as "git-NAME". Programs and aliases of that name are not looked for: the program found would be this one, which
 * would look for it again, without end.
 */
static int run_dashed(struct strvec *args)
{
	const struct command *c;

	rewrite_help(args);
	c = find_command(args->v[0]);
	if (c)
		return run_builtin(c, args, -1);
	if (known_command_find(args->v[0]))
		exec_fallback(args);
	die("cannot handle %s as a builtin", args->v[0]);
}

static int run_git(int argc, const char **argv)
{
	struct git_options o = { .use_pager = -1 };
	struct strvec args = STRVEC_INIT;
	const char *name = path_basename(argc ? argv[0] : "git"), *dashed, *types;
	int skip, code;

	if (*name == '-')
		name++; /* a login shell: git-shell(1) */
	if (skip_prefix(name, "git-", &dashed)) {
		strvec_push(&args, dashed);
		strvec_pushv(&args, argv + 1);
		code = run_dashed(&args);
		strvec_clear(&args);
		return code;
	}
	skip = argc > 1 ? git_options_parse(&o, argc - 1, argv + 1) : 0;
	if (o.end)
		return o.code;
	if (skip + 1 >= argc) {
		git_usage(stdout);
		print_common_commands(commands, ARRAY_SIZE(commands));
		code = finish_stdout();
		return code ? code : 1;
	}
	if (skip_prefix(argv[skip + 1], "--list-cmds=", &types))
		return list_commands(types);
	strvec_pushv(&args, argv + 1 + skip);
	rewrite_help(&args);
	prepend_exec_path();
	code = run_words(&args, &o);
	strvec_clear(&args);
	return code;
}

int git_main(int argc, const char **argv)
{
	int code;

	set_exit_code(129);
	sanitize_descriptors();
	signal(SIGPIPE, SIG_DFL);
	trace2_start(argv);
	free(original_cwd);
	original_cwd = xgetcwd();
	code = run_git(argc, argv);
	set_exit_code(code);
	return code;
}

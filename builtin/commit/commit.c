/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * git-commit(1). Everything that one commit writes - blobs, trees, the commit, the
 * index, the ref and its logs - is staged in one batch and sealed with one flush.
 */
#include "compat/posix.h"
#include "repo/hook.h"
#include "builtin/builtin.h"
#include "cli/edit-text.h"
#include "cli/utf8-warning.h"
#include "commit/commit.h"
#include "porcelain/auto-maintenance.h"
#include "builtin/commit/commit-run.h"
#include "notes/notes-rewrite.h"
#include "porcelain/status-format.h"
#include "index/cache-tree.h"
#include "porcelain/head.h"
#include "repo/state.h"
#include "util/alloc.h"
#include "history/grafts.h"
#include "history/history.h"
#include "history/names/revparse.h"
#include "worktree/merge-result.h"
#include "worktree/rerere.h"

static const char *const usage[] = {
	"git commit [-a | --interactive | --patch] [-s] [-v] [-u<mode>] [--amend]\n"
	"                  [--dry-run] [(-c | -C | --squash) <commit> | --fixup [(amend|reword):]<commit>)]\n"
	"                  [-F <file> | -m <msg>] [--reset-author] [--allow-empty]\n"
	"                  [--allow-empty-message] [--no-verify] [-e] [--author=<author>]\n"
	"                  [--date=<date>] [--cleanup=<mode>] [--[no-]status]\n"
	"                  [-i | -o] [--pathspec-from-file=<file> [--pathspec-file-nul]]\n"
	"                  [(--trailer <token>[(=|:)<value>])...] [-S[<keyid>]]\n"
	"                  [--] [<pathspec>...]",
	NULL
};

/* ---- options ---- */

static int parse_gpg_sign(const struct option *opt, const char *arg, int unset)
{
	const char **key = opt->value;

	*key = unset ? NULL : arg ? arg : "";
	return 0;
}

static int parse_untracked(const struct option *opt, const char *arg, int unset)
{
	const char **mode = opt->value;
	enum untracked_mode parsed;
	struct err err = ERR_INIT;

	*mode = unset ? "no" : arg ? arg : "all";
	if (status_untracked_mode(&parsed, *mode, &err) < 0)
		die_err(&err);
	return 0;
}

static int parse_command_line(int argc, const char **argv, struct commit_options *o)
{
	struct option opts[] = {
		OPT_BOOL('q', "quiet", &o->quiet, "suppress summary after successful commit"),
		OPT_COUNTUP('v', "verbose", &o->verbose, "show diff in commit message template"),
		OPT_GROUP("Commit message options"),
		OPT_STRING('F', "file", &o->file, "file", "read message from file"),
		OPT_STRING(0, "author", &o->author, "author", "override author for commit"),
		OPT_STRING(0, "date", &o->date, "date", "override date for commit"),
		OPT_STRVEC('m', "message", &o->messages, "message", "commit message"),
		OPT_STRING('c', "reedit-message", &o->reedit, "commit",
			   "reuse and edit message from specified commit"),
		OPT_STRING('C', "reuse-message", &o->reuse, "commit",
			   "reuse message from specified commit"),
		OPT_STRING(0, "fixup", &o->fixup, "[(amend|reword):]commit",
			   "use autosquash formatted message to fixup or amend/reword specified commit"),
		OPT_STRING(0, "squash", &o->squash, "commit",
			   "use autosquash formatted message to squash specified commit"),
		OPT_BOOL(0, "reset-author", &o->reset_author,
			 "the commit is authored by me now (used with -C/-c/--amend)"),
		OPT_STRVEC(0, "trailer", &o->trailers, "trailer", "add custom trailer(s)"),
		OPT_BOOL('s', "signoff", &o->signoff, "add a Signed-off-by trailer"),
		OPT_STRING('t', "template", &o->template_file, "file", "use specified template file"),
		OPT_BOOL('e', "edit", &o->edit, "force edit of commit"),
		OPT_STRING(0, "cleanup", &o->cleanup_name, "mode",
			   "how to strip spaces and #comments from message"),
		OPT_BOOL(0, "status", &o->show_status, "include status in commit message template"),
		OPT_CALLBACK_F('S', "gpg-sign", &o->sign_key, "key-id", "GPG sign commit",
			       PARSE_OPT_OPTARG, parse_gpg_sign),
		OPT_GROUP("Commit contents options"),
		OPT_BOOL('a', "all", &o->all, "commit all changed files"),
		OPT_BOOL('i', "include", &o->include, "add specified files to index for commit"),
		OPT_BOOL(0, "interactive", &o->interactive, "interactively add files"),
		OPT_BOOL('p', "patch", &o->patch, "interactively add changes"),
		OPT_CONTEXT(&o->context),
		OPT_BOOL('o', "only", &o->only, "commit only specified files"),
		OPT_BOOL('n', "no-verify", &o->no_verify, "bypass pre-commit and commit-msg hooks"),
		OPT_BOOL(0, "dry-run", &o->dry_run, "show what would be committed"),
		OPT_SET_INT(0, "short", &o->status_format, "show status concisely", STATUS_SHORT),
		OPT_BOOL(0, "branch", &o->branch, "show branch information"),
		OPT_BOOL(0, "ahead-behind", &o->ahead_behind, "compute full ahead/behind values"),
		OPT_SET_INT(0, "porcelain", &o->status_format, "machine-readable output",
			    STATUS_PORCELAIN),
		OPT_SET_INT(0, "long", &o->status_format,
			    "show status in long format (default)", STATUS_LONG),
		OPT_BOOL('z', "null", &o->null_term, "terminate entries with NUL"),
		OPT_BOOL(0, "amend", &o->amend, "amend previous commit"),
		OPT_BOOL(0, "no-post-rewrite", &o->no_post_rewrite, "bypass post-rewrite hook"),
		OPT_CALLBACK_F('u', "untracked-files", &o->untracked, "mode",
			       "show untracked files, optional modes: all, normal, no. (Default: all)",
			       PARSE_OPT_OPTARG, parse_untracked),
		OPT_PATHSPEC_FILE(&o->pathspec),
		{ OPTION_BOOL, 0, "allow-empty", OPT_VALUE(int, &o->allow_empty), NULL,
		  "ok to record an empty change", PARSE_OPT_HIDDEN, NULL, 1 },
		{ OPTION_BOOL, 0, "allow-empty-message", OPT_VALUE(int, &o->allow_empty_message), NULL,
		  "ok to record a change with an empty message", PARSE_OPT_HIDDEN, NULL, 1 },
		OPT_END(),
	};

	return parse_options(argc, argv, opts, usage, 0);
}

static void conflict(const char *a, const char *b)
{
	die("options '%s' and '%s' cannot be used together", a, b);
}

static void check_choice(const struct commit_options *o)
{
	const char *other = o->include ? "-i/--include" : o->only ? "-o/--only" : o->all ? "-a/--all" : NULL;

	if (other)
		conflict(other, "--interactive/-p/--patch");
	if (o->pathspec.file)
		conflict("--pathspec-from-file", "--interactive/--patch");
}

static void check_options(struct commit_options *o, int argc, const char **argv)
{
	check_context_numbers(&o->context);
	if (o->interactive || o->patch)
		check_choice(o);
	if (o->include && o->only)
		conflict("-i/--include", "-o/--only");
	if (o->all && o->include)
		conflict("-i/--include", "-a/--all");
	if (o->all && o->only)
		conflict("-o/--only", "-a/--all");
	check_context_choice(&o->context, o->interactive || o->patch, "--interactive/--patch");
	if (o->pathspec.file && o->all)
		conflict("--pathspec-from-file", "-a");
	if (o->all && argc)
		die("paths '%s ...' with -a does not make sense", argv[0]);
	if (!argc && !o->pathspec.file &&
	    (o->include || (o->only && !o->amend && !o->allow_empty)))
		die("No paths with --include/--only does not make sense.");
	if (o->null_term && o->status_format == STATUS_NONE)
		o->status_format = STATUS_PORCELAIN;
	if (o->status_format != STATUS_NONE)
		o->dry_run = 1;
}

/* ---- options of the message ---- */

static void check_message_sources(const struct commit_options *o)
{
	const struct {
		bool given;
		const char *name;
	} sources[] = {
		{ o->reedit != NULL, "-c" },	{ o->reuse != NULL, "-C" },
		{ o->file != NULL, "-F" },	{ o->fixup != NULL, "--fixup" },
	};
	const char *first = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(sources); i++) {
		if (!sources[i].given)
			continue;
		if (first)
			conflict(first, sources[i].name);
		first = sources[i].name;
	}
	if (o->squash && o->fixup)
		conflict("--squash", "--fixup");
	if (o->messages.nr && (o->reedit || o->reuse || o->file))
		conflict("-m", o->reedit ? "-c" : o->reuse ? "-C" : "-F");
}

static void choose_cleanup(struct commit_run *run)
{
	const char *name = run->o.cleanup_name;
	const struct config_entry *e = config_get(run->repo->config, "commit.cleanup");

	if (!name && e)
		name = e->value;
	run->cleanup = CLEANUP_DEFAULT;
	if (name && cleanup_mode_parse(name, &run->cleanup) < 0)
		die("Invalid cleanup mode %s", name);
	if (run->cleanup == CLEANUP_DEFAULT)
		run->cleanup = run->use_editor ? CLEANUP_STRIP : CLEANUP_WHITESPACE;
	if (run->cleanup == CLEANUP_SCISSORS && !run->use_editor)
		run->cleanup = CLEANUP_WHITESPACE;
}

/* reword: is amend: without changes of content. */
static void check_reword(struct commit_options *o, int argc, const char **argv)
{
	if (o->patch || o->interactive || o->all || o->include || o->only)
		die("reword option of '--fixup' and "
		    "'--patch/--interactive/--all/--include/--only' cannot be used together");
	if (argc)
		die("reword option of '--fixup' and path '%s' cannot be used together", argv[0]);
	o->only = 1;
}

static void split_fixup(struct commit_options *o, int argc, const char **argv)
{
	const char *colon = o->fixup, *rest;

	while (colon && isalpha((unsigned char)*colon))
		colon++;
	if (!colon || colon == o->fixup || *colon != ':')
		return;
	if (skip_prefix(o->fixup, "reword:", &rest))
		check_reword(o, argc, argv);
	else if (!skip_prefix(o->fixup, "amend:", &rest))
		die("unknown option: --fixup=%s", o->fixup);
	if (o->messages.nr)
		die("options '-m' and '--fixup:%.*s' cannot be used together",
		    (int)(colon - o->fixup), o->fixup);
	o->fixup = rest;
	o->fixup_amends = true;
	o->allow_empty = 1;
}

/* Resolves named authors and commits before the index is touched. */
static void find_people(struct commit_run *run)
{
	const char *from = run->o.reedit ? run->o.reedit : run->o.reuse;
	struct err err = ERR_INIT;
	struct object_id oid;

	if (run->o.author && !strchr(run->o.author, '>')) {
		if (commit_find_author(run->repo, run->o.author, &run->found_author, &err) < 0)
			die_err(&err);
		if (!run->found_author)
			die("--author '%s' is not 'Name <email>' and matches no existing author",
			    run->o.author);
		run->o.author = run->found_author;
	}
	if (from && revparse_commit(run->repo, from, &oid, NULL) < 0)
		die("could not lookup commit '%s'", from);
}

static void check_message_options(struct commit_run *run)
{
	struct commit_options *o = &run->o;

	check_message_sources(o);
	find_people(run);
	if (o->reset_author && !o->reedit && !o->reuse && !o->amend && !repo_state_exists(run->repo, STATE_CHERRY_PICK_HEAD))
		die("--reset-author can be used only with -C, -c or --amend.");
	if (o->reset_author && o->author)
		conflict("--reset-author", "--author");
	run->use_editor = !(o->messages.nr || o->file || o->reuse ||
			    (o->fixup && !o->fixup_amends));
	if (o->edit >= 0)
		run->use_editor = o->edit;
	run->comment_char = edit_comment_char(run->repo);
	edit_warn_auto_comment_char(run->repo);
	choose_cleanup(run);
}

/* ---- defaults ---- */

/* Defaults that come from the configuration. */
static void read_config(struct commit_run *run)
{
	struct commit_options *o = &run->o;
	bool on = true;
	struct err err = ERR_INIT;
	int verbose = 0;
	bool is_bool;

	if (config_get_bool(run->repo->config, "commit.status", &on, &err) < 0)
		die_err(&err);
	o->show_status = on;
	on = false;
	if (config_get_bool(run->repo->config, "commit.gpgsign", &on, &err) < 0)
		die_err(&err);
	o->sign_key = on ? "" : NULL;
	if (config_get_bool_or_int(run->repo->config, "commit.verbose", &is_bool, &verbose,
				   &err) < 0)
		die_err(&err);
	o->verbose = verbose;
	o->edit = -1;
	o->ahead_behind = -1;
}

/* ---- where we are ---- */

/* A graft of HEAD, or the boundary of a shallow clone, decides what an amended commit follows. */
static int find_head_parents(struct commit_run *run, struct err *err)
{
	const struct graft *graft;
	struct grafts grafts;
	int rc = grafts_read(&grafts, run->repo, err);

	if (rc < 0)
		return rc;
	graft = graft_of(&grafts, &run->head);
	for (size_t i = 0; i < (graft ? graft->parents.nr : run->head_view.nr_parents); i++)
		oid_array_append(&run->head_parents, graft ? &graft->parents.oid[i] :
				 &run->head_view.parents[i]);
	grafts_clear(&grafts);
	return 0;
}

static int read_head_commit(struct commit_run *run, struct err *err)
{
	int rc = odb_read_type(run->repo->odb, &run->head, OBJ_COMMIT, &run->head_buf, err);

	if (rc < 0)
		return rc;
	rc = commit_parse(&run->head_view, run->head_buf.data, run->head_buf.size,
			  run->repo->algo, err);
	if (rc < 0)
		err_prefix(err, "could not parse HEAD commit");
	else
		run->head_tree = run->head_view.tree;
	return rc < 0 ? rc : find_head_parents(run, err);
}

static int find_head(struct commit_run *run, struct err *err)
{
	int rc = head_read(run->repo, &run->head, &run->head_ref, &run->initial, err);

	return rc < 0 || run->initial ? rc : read_head_commit(run, err);
}

static int check_whence(struct commit_run *run, struct err *err)
{
	if (result_update_refuse_unfinished(run->repo, err))
		return ERR_CONFLICT;
	if (repo_state_exists(run->repo, STATE_MERGE_HEAD))
		run->whence = FROM_MERGE;
	else if (repo_state_exists(run->repo, STATE_CHERRY_PICK_HEAD))
		run->whence = FROM_CHERRY_PICK;
	if (!run->o.amend)
		return 0;
	if (run->initial)
		return err_set(err, ERR_INVALID, "You have nothing to amend.");
	if (run->whence == FROM_MERGE)
		return err_set(err, ERR_INVALID, "You are in the middle of a merge -- cannot amend.");
	if (run->whence == FROM_CHERRY_PICK)
		return err_set(err, ERR_INVALID,
			       "You are in the middle of a cherry-pick -- cannot amend.");
	return 0;
}

/* A tag that was merged is kept in the commit, if it is signed. */
static int keep_merged_tag(struct commit_run *run, const struct object_id *oid, struct err *err)
{
	struct object_buf tag = OBJECT_BUF_INIT;
	int rc = odb_read_type(run->repo->odb, oid, OBJ_TAG, &tag, err);

	if (!rc)
		commit_add_mergetag(&run->extra_headers, tag.data, tag.size,
					   run->repo->algo);
	object_buf_release(&tag);
	return rc;
}

/* The objects that are merged go to the end of `named` as they are, and their commits to that of the parents. */
static int read_merge_heads(struct commit_run *run, struct oid_array *named, struct err *err)
{
	size_t first = named->nr;
	int rc = repo_state_oids(run->repo, STATE_MERGE_HEAD, named, err);

	for (size_t i = first; rc >= 0 && i < named->nr; i++) {
		struct object_id commit;

		if (object_peel(odb_source(run->repo->odb), &named->oid[i], OBJ_COMMIT, &commit, NULL, NULL) < 0)
			rc = err_set(err, ERR_CORRUPT, "Corrupt %s file (%s)", repo_state_name(STATE_MERGE_HEAD),
				     oid_hex(&named->oid[i]));
		else
			oid_array_append(&run->parents, &commit);
	}
	return rc;
}

static bool merged_without_ff(struct commit_run *run)
{
	struct strbuf mode = STRBUF_INIT;
	bool yes = !repo_state_read(run->repo, STATE_MERGE_MODE, &mode, NULL) && !strcmp(mode.buf, "no-ff");

	strbuf_release(&mode);
	return yes;
}

/* 1: parent i is there twice, or an ancestor of another one; < 0. */
static int is_redundant(const struct oid_array *parents, size_t i, struct commit_pool *pool,
			struct err *err)
{
	struct commit *c = commit_lookup(pool, &parents->oid[i]);
	int rc = 0;

	for (size_t k = 0; !rc && k < parents->nr; k++) {
		if (k < i && oid_eq(&parents->oid[k], &parents->oid[i]))
			return 1;
		if (!oid_eq(&parents->oid[k], &parents->oid[i]))
			rc = is_ancestor(pool, c, commit_lookup(pool, &parents->oid[k]), err);
	}
	return rc;
}

/* Adds HEAD and the merged commits as parents, without redundant ones, unless --no-ff was given. */
static int add_merge_parents(struct commit_run *run, struct err *err)
{
	struct oid_array named = OID_ARRAY_INIT, all;
	struct commit_pool *pool = NULL;
	bool reduce = !merged_without_ff(run);
	int rc, redundant;

	oid_array_append(&named, &run->head);
	rc = read_merge_heads(run, &named, err);
	all = run->parents;
	memset(&run->parents, 0, sizeof(run->parents));
	if (rc >= 0 && reduce)
		rc = commit_pool_new(&pool, run->repo, err);
	for (size_t i = 0; rc >= 0 && i < all.nr; i++) {
		redundant = reduce ? is_redundant(&all, i, pool, err) : 0;
		rc = redundant < 0 ? redundant : 0;
		if (redundant)
			continue;
		oid_array_append(&run->parents, &all.oid[i]);
		if (!oid_eq(&all.oid[i], &named.oid[i]))
			rc = keep_merged_tag(run, &named.oid[i], err);
	}
	commit_pool_free(pool);
	oid_array_clear(&named);
	oid_array_clear(&all);
	return rc;
}

/* --no-post-rewrite keeps notes from being copied, too. */
static int find_notes(struct commit_run *run, struct err *err)
{
	const struct commit_options *o = &run->o;

	return o->amend && !o->no_post_rewrite && !o->dry_run ?
		notes_rewrite_open(&run->notes, run->repo, "amend", err) : 0;
}

static int find_parents(struct commit_run *run, struct err *err)
{
	if (run->initial)
		return 0;
	if (run->o.amend) {
		for (size_t i = 0; i < run->head_parents.nr; i++)
			oid_array_append(&run->parents, &run->head_parents.oid[i]);
		commit_other_headers(run->head_buf.data, run->head_buf.size, &run->extra_headers);
		return 0;
	}
	oid_array_append(&run->parents, &run->head);
	return run->whence == FROM_MERGE ? add_merge_parents(run, err) : 0;
}

/* ---- is there anything to commit? ---- */

/* The tree that the new commit would be compared with. */
static int base_tree(struct commit_run *run, struct object_id *out, struct err *err)
{
	if (run->initial || (run->o.amend && !run->head_parents.nr)) {
		*out = run->repo->algo->empty_tree;
		return 0;
	}
	if (!run->o.amend) {
		*out = run->head_tree;
		return 0;
	}
	return revparse_tree(run->repo, "HEAD^", out, err);
}

static int is_empty_change(struct commit_run *run, const struct object_id *tree, bool *empty,
			   struct err *err)
{
	struct object_id base;
	int rc;

	*empty = false;
	if (run->whence == FROM_MERGE || (run->o.amend && run->head_parents.nr > 1))
		return 0;
	rc = base_tree(run, &base, err);
	if (rc >= 0)
		*empty = oid_eq(&base, tree);
	return rc;
}

static int print_status(struct commit_run *run, struct err *err)
{
	struct strbuf out = STRBUF_INIT;
	int rc = commit_dry_run_text(run, &out, err);

	fwrite(out.buf, 1, out.len, stdout);
	strbuf_release(&out);
	return rc;
}

static int print_summary(struct commit_run *run, const struct object_id *commit, struct err *err)
{
	struct strbuf out = STRBUF_INIT;
	int rc = commit_summary_text(run, commit, &out, err);

	fwrite(out.buf, 1, out.len, stdout);
	strbuf_release(&out);
	return rc;
}

static int report_empty(struct commit_run *run, struct err *err)
{
	int rc;

	if (run->o.amend)
		fputs("You asked to amend the most recent commit, but doing so would make\n"
		      "it empty. You can repeat your command with --allow-empty, or you can\n"
		      "remove the commit entirely with \"git reset HEAD^\".\n",
		      stderr);
	rc = print_status(run, err);
	if (run->whence == FROM_CHERRY_PICK && !run->o.amend)
		fprintf(stderr, "The previous cherry-pick is now empty, possibly due to conflict resolution.\n"
			"If you wish to commit it anyway, use:\n\n    git commit --allow-empty\n\n"
			"Otherwise, please use 'git %s --skip'\n",
			repo_state_exists(run->repo, STATE_REBASE_MERGE) ? "rebase" : "cherry-pick");
	return rc < 0 ? rc : 1;
}

/* ---- the commit ---- */

static const char *reflog_action(const struct commit_run *run)
{
	if (run->initial)
		return "commit (initial)";
	if (run->o.amend)
		return "commit (amend)";
	if (run->whence == FROM_MERGE)
		return "commit (merge)";
	if (run->whence == FROM_CHERRY_PICK)
		return "commit (cherry-pick)";
	return "commit";
}

static int write_commit(struct commit_run *run, const struct object_id *tree,
			struct object_id *out, struct err *err)
{
	const struct new_commit c = {
		.draft = {
			.tree = *tree,
			.parents = run->parents.oid,
			.nr_parents = run->parents.nr,
			.author = run->author.buf,
			.committer = run->committer.buf,
			.encoding = commit_encoding(run->repo),
			.extra_headers = run->extra_headers.buf,
			.message = run->message.buf,
			.message_len = run->message.len,
		},
		.sign_key = run->o.sign_key,
		.warn_not_utf8 = warn_commit_not_utf8,
	};
	int rc = commit_create(run->op, &c, out, err);

	if (rc == ERR_GENERIC) {
		report_error(err);
		rc = err_set(err, ERR_GENERIC, "failed to write commit object");
	}
	return rc;
}

static int advance_head(struct commit_run *run, const struct object_id *commit,
			struct ref_transaction **refs, struct err *err)
{
	struct strbuf log = STRBUF_INIT;
	const char *action = getenv("GIT_REFLOG_ACTION");
	struct head_move m = { .to = commit, .from = &run->head, .committer = run->committer.buf };
	int rc;

	commit_reflog_message(&log, action ? action : reflog_action(run), run->message.buf);
	m.reflog = log.buf;
	rc = commit_advance_head(run->op, &m, refs, err);
	strbuf_release(&log);
	return rc;
}

static int copy_notes(struct commit_run *run, struct ref_transaction *t,
		      const struct object_id *commit, struct err *err)
{
	const struct notes_pair pair = { run->head, *commit };
	struct notes_copy copy = {
		.pairs = &pair,
		.nr = 1,
		.author = run->author.buf,
		.committer = run->committer.buf,
		.by = "git commit --amend",
	};

	return notes_rewrite_copy(run->notes, &copy, run->op, t, err);
}

/* If an autostash waits, its changes come back in this operation, and one flush seals both. */
static int end_operation(struct commit_run *run, int rc, struct err *err)
{
	if (!rc && repo_state_exists(run->repo, STATE_MERGE_AUTOSTASH)) {
		rc = repo_operation_publish(run->op, err);
		if (!rc)
			return 0;
	}
	rc = repo_operation_end(run->op, rc, err);
	run->op = NULL;
	return rc;
}

/* Objects, refs and logs, index: one operation, one flush. */
static int publish(struct commit_run *run, const struct object_id *commit, struct err *err)
{
	struct rerere rr = { .op = run->op, .ix = &run->ci.ix, .lenient = true };
	struct ref_transaction *t;
	struct strvec messages;
	int rc;

	strvec_init(&messages);
	if ((rc = commit_index_set(run, err)) >= 0 && (rc = rerere_update(&rr, &messages, err)) >= 0 &&
	    (rc = repo_operation_end_state(run->op, STATE_ENDS_BY_COMMIT, err)) >= 0 &&
	    (rc = advance_head(run, commit, &t, err)) >= 0)
		rc = copy_notes(run, t, commit, err);
	rc = end_operation(run, rc, err);
	for (size_t i = 0; i < messages.nr; i++)
		fprintf(stderr, "%s\n", messages.v[i]);
	strvec_clear(&messages);
	/* The veto of the reference-transaction hook is fatal, as a lock would be. */
	return rc == ERR_ABORTED ? ERR_CONFLICT : rc;
}

static void run_last_hooks(struct commit_run *run, const struct object_id *commit)
{
	const char *amend_args[] = { "amend", NULL };
	const char *no_args[] = { NULL };
	struct err err = ERR_INIT;

	/* their exit codes change nothing any more */
	if (commit_run_last_hook(run, "post-commit", no_args, &err) < 0)
		err_release(&err);
	if (run->o.amend && !run->o.no_post_rewrite) {
		char *line = xstrfmt("%s %s\n", oid_hex(&run->head), oid_hex(commit));

		if (repo_run_hook(run->repo, "post-rewrite", NULL, amend_args, line, &err) < 0)
			err_release(&err);
		free(line);
	}
}

/* ---- the story ---- */

static int run_pre_commit(struct commit_run *run, struct err *err)
{
	const char *no_args[] = { NULL };
	int rc;

	if (run->o.no_verify || run->o.dry_run)
		return 0;
	rc = commit_run_hook(run, "pre-commit", no_args, err);
	if (rc >= 0 && run->ci.seen_by_hooks)
		rc = commit_index_reload(run, err);
	return rc;
}

static int make_tree(struct commit_run *run, struct object_id *tree, struct err *err)
{
	unsigned flags = run->o.dry_run ? WRITE_TREE_DRY_RUN : 0;
	int rc = cache_tree_update(commit_index_tree_source(run), run->repo, flags, tree, err);

	if (rc < 0)
		fputs("error: Error building trees\n", stderr);
	return rc;
}

/* After hooks and editor: the index may be another one by now. */
static int final_tree(struct commit_run *run, struct object_id *tree, struct err *err)
{
	int rc = 0;

	if (run->ci.seen_by_hooks)
		rc = commit_index_reload(run, err);
	return rc < 0 ? rc : make_tree(run, tree, err);
}

static int show_dry_run(struct commit_run *run, bool empty, struct err *err)
{
	int rc = print_status(run, err);

	return rc < 0 ? rc : empty;
}

/* Paths alone can be committed all the same. */
static int check_unmerged(struct commit_run *run, struct err *err)
{
	const struct index_state *ix = &run->ci.ix;
	const char *last = "";

	if (run->ci.style == COMMIT_PARTIAL || !index_has_unmerged(ix))
		return 0;
	if (run->o.dry_run)
		return show_dry_run(run, true, err);
	for (size_t i = 0; i < ix->nr; i++) {
		if (ix->entries[i]->stage && strcmp(last, ix->entries[i]->name)) {
			last = ix->entries[i]->name;
			printf("U\t%s\n", last);
		}
	}
	fflush(stdout);
	return fail_unmerged(run->repo, "Committing", err);
}

static int run_commit(struct commit_run *run, struct err *err)
{
	struct object_id tree, commit;
	bool empty;
	int rc;

	if ((rc = commit_index_prepare(run, err)) < 0 || (rc = check_unmerged(run, err)) != 0 ||
	    (rc = commit_author_prepare(run, err)) < 0 || (rc = run_pre_commit(run, err)) < 0 ||
	    (rc = commit_message_prepare(run, err)) < 0 || (rc = make_tree(run, &tree, err)) < 0 ||
	    (rc = is_empty_change(run, &tree, &empty, err)) < 0)
		return rc;
	if (run->o.dry_run)
		return show_dry_run(run, empty, err);
	if (empty && !run->o.allow_empty)
		return report_empty(run, err);
	if ((rc = commit_message_finish(run, err)) != 0 ||
	    (rc = final_tree(run, &tree, err)) < 0 ||
	    (rc = write_commit(run, &tree, &commit, err)) < 0 ||
	    (rc = publish(run, &commit, err)) < 0)
		return rc;
	run->made = true;
	run_last_hooks(run, &commit);
	auto_maintenance(run->repo, run->o.quiet);
	return run->o.quiet ? 0 : print_summary(run, &commit, err);
}

static void commit_run_init(struct commit_run *run, struct command_ctx *ctx)
{
	memset(run, 0, sizeof(*run));
	run->repo = ctx->repo;
	run->prefix = ctx->prefix;
	run->o.context = (struct context_option)CONTEXT_OPTION_INIT;
	strvec_init(&run->o.messages);
	strvec_init(&run->o.trailers);
	index_init(&run->ci.ix, ctx->repo->algo);
	index_init(&run->ci.partial, ctx->repo->algo);
	strbuf_init(&run->author, 0);
	strbuf_init(&run->committer, 0);
	strbuf_init(&run->message, 0);
	strbuf_init(&run->extra_headers, 0);
	strbuf_init(&run->template_text, 0);
}

static void commit_run_release(struct commit_run *run)
{
	if (run->op)
		repo_operation_abort(run->op);
	repo_operation_free(run->op);
	commit_index_release(&run->ci);
	commit_view_release(&run->head_view);
	object_buf_release(&run->head_buf);
	oid_array_clear(&run->head_parents);
	oid_array_clear(&run->parents);
	pathspec_release(&run->ps);
	strvec_clear(&run->o.messages);
	strvec_clear(&run->o.trailers);
	strbuf_release(&run->author);
	strbuf_release(&run->committer);
	strbuf_release(&run->message);
	strbuf_release(&run->extra_headers);
	strbuf_release(&run->template_text);
	free(run->head_ref);
	free(run->hook_commit);
	free(run->found_author);
	notes_rewrite_free(run->notes);
}

int cmd_commit(int argc, const char **argv, struct command_ctx *ctx)
{
	struct commit_run run = { .repo = NULL };
	struct err err = ERR_INIT;
	int rc;

	if (!ctx->repo) /* asked for its usage */
		parse_command_line(argc, argv, &run.o);
	commit_run_init(&run, ctx);
	read_config(&run);
	argc = parse_command_line(argc, argv, &run.o);
	split_fixup(&run.o, argc, argv);
	check_options(&run.o, argc, argv);
	check_message_options(&run);
	pathspec_args_parse(&run.o.pathspec, &run.ps, run.repo, argv, 0);
	if ((rc = find_head(&run, &err)) >= 0 && (rc = check_whence(&run, &err)) >= 0 &&
	    (rc = find_parents(&run, &err)) >= 0 && (rc = find_notes(&run, &err)) >= 0) {
		run.op = repo_operation_begin(ctx->repo);
		rc = run_commit(&run, &err);
	}
	if (rc == ERR_ABORTED)
		rc = err.msg ? report_error(&err) : 1; /* without: a hook said why */
	else if (rc < 0)
		rc = report_fatal(&err);
	if (run.why_not)
		fprintf(stderr, "%s\n", run.why_not);
	err_release(&err);
	if (run.made && run.op && command_end_autostash_in(run.op, false) && !rc)
		rc = 128;
	if (run.made)
		run.op = NULL;
	commit_run_release(&run);
	if (rc)
		return rc;
	return finish_stdout();
}

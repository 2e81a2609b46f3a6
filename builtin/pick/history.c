/* SPDX-License-Identifier: GPL-2.0-only */
/* git-history(1) */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "cli/choose/choose.h"
#include "cli/edit-text.h"
#include "diff/diff.h"
#include "history/revision/revision.h"
#include "index/cache-tree.h"
#include "object/commit.h"
#include "object/message.h"
#include "odb/odb.h"
#include "porcelain/status-format.h"
#include "refs/refs.h"
#include "sequence/replay.h"
#include "util/alloc.h"
#include "util/quote.h"
#include "worktree/unpack-trees.h"

#define FAILED 255 /* the exit code of Git */

static const char *const usage[] = {
	"git history fixup <commit> [--dry-run] [--update-refs=(branches|head)] [--reedit-message] [--empty=(drop|keep|abort)]",
	"git history reword <commit> [--dry-run] [--update-refs=(branches|head)]",
	"git history split <commit> [--dry-run] [--update-refs=(branches|head)] [--] [<pathspec>...]",
	NULL
};
static const char *const fixup_usage[] = {
	"git history fixup <commit> [--dry-run] [--update-refs=(branches|head)] [--reedit-message] [--empty=(drop|keep|abort)]",
	NULL
};
static const char *const reword_usage[] = { "git history reword <commit> [--dry-run] [--update-refs=(branches|head)]", NULL };
static const char *const split_usage[] = {
	"git history split <commit> [--dry-run] [--update-refs=(branches|head)] [--] [<pathspec>...]", NULL
};

struct history_command {
	struct repository *r;
	const char *verb;	/* of the reflog */
	const char *name;	/* the commit, as it was given */
	struct commit *commit;	/* that is made again */
	struct object_id before; /* the tree of its parent */
	struct rev_walk *walk;	/* its descendants */
	struct commit_list descendants;
	struct replay replay;
	struct replay_branches branches; /* that may be updated; HEAD, if it is detached */
	struct pathspec ps;
	struct strbuf out;
	int dry_run, reedit;
	bool head_only;
	struct object_id fixed; /* the tree of a fixup */
	bool drops;		/* the commit, which has become empty */
};

/* ---- options ---- */

static int on_update_refs(const struct option *opt, const char *arg, int unset UNUSED)
{
	struct history_command *h = opt->value;

	h->head_only = !strcmp(arg, "head");
	if (!h->head_only && strcmp(arg, "branches"))
		return error("update-refs expects one of 'branches' or 'head'");
	return 0;
}

static int on_empty_commits(const struct option *opt, const char *arg, int unset UNUSED)
{
	struct history_command *h = opt->value;

	if (!strcmp(arg, "drop"))
		h->replay.empty = REPLAY_EMPTY_DROP;
	else if (!strcmp(arg, "keep"))
		h->replay.empty = REPLAY_EMPTY_KEEP;
	else if (!strcmp(arg, "abort"))
		h->replay.empty = REPLAY_EMPTY_ABORT;
	else
		die("unrecognized '--empty=' action '%s'; valid values are \"drop\", \"keep\", and \"abort\".", arg);
	return 0;
}

#define COMMON_OPTIONS(h)                                                                                        \
	OPT_CALLBACK_F(0, "update-refs", (h), "(branches|head)", "which refs are updated", PARSE_OPT_NONEG,      \
		       on_update_refs),                                                                          \
	OPT_BOOL('n', "dry-run", &(h)->dry_run, "update no ref, but print what would be updated")

/* ---- which commits, which refs ---- */

static int find_commit(struct history_command *h, struct err *err)
{
	struct object_id oid;
	int rc = revparse_oid(h->r, h->name, &oid, NULL);

	if (!rc && object_peel(odb_source(h->r->odb), &oid, OBJ_COMMIT, &oid, NULL, err) < 0) {
		report_error(err);
		rc = ERR_INVALID;
	}
	if (rc)
		return err_set(err, ERR_NOT_FOUND, "commit cannot be found: %s", h->name);
	h->commit = commit_lookup(h->walk->pool, &oid);
	rc = commit_parse_node(h->walk->pool, h->commit, err);
	h->before = h->r->algo->empty_tree;
	if (!rc && h->commit->nr_parents) {
		rc = commit_parse_node(h->walk->pool, h->commit->parents[0], err);
		h->before = h->commit->parents[0]->tree;
	}
	return rc;
}

/* For --update-refs=head there is nothing but HEAD, or its branch. */
static int find_refs(struct history_command *h, struct err *err)
{
	struct object_id head;
	char *name = NULL;
	int rc;

	if (!h->head_only)
		return replay_read_branches(&h->branches, h->r, err);
	rc = ref_resolve(h->r->refs, "HEAD", &head, &name, NULL, err);
	if (rc == ERR_NOT_FOUND) {
		err_release(err);
		rc = err_set(err, ERR_NOT_FOUND, "cannot look up HEAD");
	}
	if (!rc)
		replay_add_branch(&h->branches, name, &head);
	free(name);
	return rc;
}

/* The commits between the rewritten one and the refs, parents first. A merge among them cannot be made again. */
static int find_descendants(struct history_command *h, struct err *err)
{
	struct rev_walk *w = h->walk;
	struct commit *c;
	int rc;

	for (size_t i = 0; i < h->branches.nr; i++)
		rev_walk_add_commit(w, &h->branches.items[i].old, h->branches.items[i].name, 0);
	rev_walk_add_commit(w, &h->commit->oid, h->name, REV_UNINTERESTING | REV_BOTTOM);
	w->default_rev = NULL;
	w->order = REV_ORDER_TOPO;
	w->reverse = w->full_history = w->ancestry_path = w->ancestry_of_range = true;
	rc = rev_walk_begin(w, err);
	while (!rc && (rc = rev_walk_next(w, &c, err)) > 0) {
		commit_list_add(&h->descendants, c);
		rc = 0;
		if (c->nr_parents > 1)
			rc = err_set(err, ERR_UNSUPPORTED, "replaying merge commits is not supported yet!");
	}
	if (!rc && h->head_only && !h->descendants.nr &&
	    (!h->branches.nr || !oid_eq(&h->branches.items[0].old, &h->commit->oid)))
		rc = err_set(err, ERR_INVALID, "rewritten commit must be an ancestor of HEAD when using --update-refs=head");
	return rc;
}

/* ---- messages ---- */

static int add_changes(struct history_command *h, const struct object_id *from, const struct object_id *to,
		       struct strbuf *out, struct err *err)
{
	struct diff_queue q = DIFF_QUEUE_INIT;
	struct diff_options o;
	int rc;

	diff_options_init(&o, h->r->odb);
	o.recursive = true;
	o.detect = DIFF_DETECT_RENAMES;
	rc = diff_trees(&q, &o, from, to, err);
	if (!rc)
		rc = diff_process(&q, &o, err);
	if (q.nr)
		strbuf_addstr(out, "Changes to be committed:\n");
	for (size_t i = 0; !rc && i < q.nr; i++) {
		const struct diff_pair *p = q.pairs[i];
		const char *path = p->new->mode ? p->new->path : p->old->path;

		strbuf_addf(out, "\t%s", status_change_label(p->status));
		if (p->status == 'R' || p->status == 'C') {
			quote_c_style(out, p->old->path, strlen(p->old->path), h->r->settings.quote_path);
			strbuf_addstr(out, " -> ");
		}
		quote_c_style(out, path, strlen(path), h->r->settings.quote_path);
		strbuf_addch(out, '\n');
	}
	if (q.nr)
		strbuf_addch(out, '\n');
	diff_queue_clear(&q);
	diff_options_release(&o);
	return rc;
}

static int read_message(struct history_command *h, struct strbuf *out, struct err *err)
{
	struct pick p = { .r = h->r, .pool = h->walk->pool, .commit = h->commit };
	struct pick_message_options o = { .comment_char = '#' };

	return pick_message(&p, &o, out, err);
}

/* The user makes a message of that of the commit, for a commit that changes one tree into the other. */
static int edit_message(struct history_command *h, const char *action, const struct object_id *from,
			const struct object_id *to, struct strbuf *message, struct err *err)
{
	char comment = edit_comment_char(h->r), *path = repo_path(h->r, "COMMIT_EDITMSG");
	struct strbuf hints = STRBUF_INIT;
	int rc = read_message(h, message, err);

	strbuf_addf(&hints,
		    "Please enter the commit message for the %s changes. Lines starting\n"
		    "with '%c' will be ignored, and an empty message aborts the commit.\n", action, comment);
	if (!rc)
		rc = add_changes(h, from, to, &hints, err);
	strbuf_addch(message, '\n');
	message_add_commented(message, hints.buf, hints.len, comment);
	if (!rc) {
		rc = edit_text(h->r, path, message, err);
		if (rc == ERR_ABORTED) {
			report_error(err);
			fprintf(stderr, "Aborting commit as launching the editor failed.\n");
		}
	}
	message_cleanup(message, CLEANUP_STRIP, comment);
	if (!rc && !message->len) {
		fprintf(stderr, "Aborting commit due to empty commit message.\n");
		rc = ERR_ABORTED;
	}
	strbuf_release(&hints);
	free(path);
	return rc;
}

/* ---- new commits ---- */

static int write_as_author(struct history_command *h, const struct object_id *tree, const struct object_id *parents,
			size_t nr_parents, const struct strbuf *message, struct replay_tip *out, struct err *err)
{
	int rc = replay_write(&h->replay, h->commit, tree, parents, nr_parents, message, &out->commit, err);

	out->tree = *tree;
	return rc;
}

/* The commit's own parents. */
static struct object_id *parents_of(const struct commit *c)
{
	struct object_id *out;

	ALLOC_ARRAY(out, c->nr_parents + 1);
	for (size_t i = 0; i < c->nr_parents; i++)
		out[i] = c->parents[i]->oid;
	return out;
}

/* The commit with another tree, and another message if one is given. */
static int replace_commit(struct history_command *h, const struct object_id *tree, const struct strbuf *message,
			  struct err *err)
{
	struct object_id *parents = parents_of(h->commit);
	struct replay_tip tip;
	int rc = write_as_author(h, tree, parents, h->commit->nr_parents, message, &tip, err);

	if (!rc)
		replay_set(&h->replay, h->commit, &tip);
	free(parents);
	return rc;
}

/* For --update-refs=head, HEAD itself moves with the rewritten commit, and its branch with a descendant. */
static void update_refs_at(struct history_command *h, const struct commit *c)
{
	const struct replay_tip *tip = replay_of(&h->replay, c);

	for (size_t i = 0; i < h->branches.nr; i++)
		if (oid_eq(&h->branches.items[i].old, &c->oid))
			replay_add_update(&h->replay, h->head_only && c == h->commit ? "HEAD" : h->branches.items[i].name, &c->oid,
					  &tip->commit);
}

/* The descendants follow the rewritten commit. */
static int replay_descendants(struct history_command *h, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < h->descendants.nr; i++) {
		struct replay_tip tip = *replay_of(&h->replay, h->commit);

		rc = replay_commit(&h->replay, h->descendants.items[i], &tip, err);
		if (rc > 0)
			return err_set(err, ERR_CONFLICT, "merge conflict while replaying commit %s",
				       oid_hex(&h->descendants.items[i]->oid));
		if (!rc)
			update_refs_at(h, h->descendants.items[i]);
	}
	if (!rc)
		update_refs_at(h, h->commit);
	return rc;
}

/* ---- the way through a subcommand ---- */

typedef int (*rewrite_fn)(struct history_command *h, struct err *err);

static int rewrite(struct history_command *h, rewrite_fn make_commit, struct err *err)
{
	struct strbuf log = STRBUF_INIT;
	int rc = find_refs(h, err);

	if (!rc)
		rc = find_descendants(h, err);
	if (!rc)
		rc = make_commit(h, err);
	if (!rc)
		rc = replay_descendants(h, err);
	strbuf_addf(&log, "%s: updating %s", h->verb, h->name);
	if (!rc && h->dry_run)
		replay_print_updates(&h->replay, &h->out);
	else if (!rc)
		rc = replay_queue_updates(&h->replay, log.buf, err);
	strbuf_release(&log);
	return rc;
}

/* Returns the exit code. A hook that does not want it is fatal, as in Git. */
static int commit_changes(struct history_command *h, struct err *err)
{
	int rc = replay_commit_updates(&h->replay, err);

	if (rc == ERR_ABORTED)
		return report_fatal(err);
	if (rc) {
		report_error(err);
		error("failed replaying descendants");
		return FAILED;
	}
	fwrite(h->out.buf, 1, h->out.len, stdout);
	return finish_stdout();
}

/* check: may the commit be made? */
static int run(struct history_command *h, rewrite_fn check, rewrite_fn make_commit)
{
	struct err err = ERR_INIT;
	int code = FAILED, rc = rev_walk_new(&h->walk, h->r, &err);

	h->replay.r = h->r;
	h->replay.pool = h->walk ? h->walk->pool : NULL;
	h->replay.op = repo_operation_begin(h->r);
	if (!rc)
		rc = find_commit(h, &err);
	if (!rc)
		rc = replay_begin(&h->replay, &err);
	if (!rc && check)
		rc = check(h, &err);
	if (!rc)
		rc = rewrite(h, make_commit, &err);
	if (!rc)
		code = commit_changes(h, &err);
	else
		rc = repo_operation_end(h->replay.op, rc, &err);
	replay_end(&h->replay);
	replay_release_branches(&h->branches);
	commit_list_clear(&h->descendants);
	rev_walk_free(h->walk);
	pathspec_release(&h->ps);
	strbuf_release(&h->out);
	if (rc && err.msg)
		report_error(&err);
	err_release(&err);
	return code;
}

/* ---- reword ---- */

static int make_reworded(struct history_command *h, struct err *err)
{
	struct strbuf message = STRBUF_INIT;
	int rc = edit_message(h, "reworded", &h->before, &h->commit->tree, &message, err);

	if (rc == ERR_ABORTED)
		error("failed writing reworded commit");
	if (!rc)
		rc = replace_commit(h, &h->commit->tree, &message, err);
	strbuf_release(&message);
	return rc;
}

static int cmd_history_reword(int argc, const char **argv, struct command_ctx *ctx)
{
	struct history_command h = { .r = ctx->repo, .verb = "reword", .out = STRBUF_INIT, .replay.committer = STRBUF_INIT };
	struct option opts[] = { COMMON_OPTIONS(&h), OPT_END() };

	argc = parse_options(argc, argv, opts, reword_usage, 0);
	if (argc != 1) {
		error("command expects a single revision");
		return FAILED;
	}
	h.name = argv[0];
	return run(&h, NULL, make_reworded);
}

/* ---- fixup ---- */

/* The trees of HEAD and of the index. */
static int staged_trees(struct history_command *h, struct object_id *head, struct object_id *staged, struct err *err)
{
	struct index_state ix;
	int rc = revparse_tree(h->r, "HEAD", head, NULL);

	index_init(&ix, h->r->algo);
	if (rc)
		rc = err_set(err, rc, "cannot look up HEAD");
	if (!rc)
		rc = index_read_repo(&ix, h->r, err);
	if (!rc)
		rc = cache_tree_update(&ix, h->r, 0, staged, err);
	if (!rc && oid_eq(head, staged))
		rc = err_set(err, ERR_INVALID, "nothing to fixup: no staged changes");
	index_release(&ix);
	return rc;
}

/* Nothing is left of the commit: h->drops if its parent takes its place. */
static int drop_commit(struct history_command *h, struct err *err)
{
	if (h->replay.empty == REPLAY_EMPTY_KEEP)
		return 0;
	if (h->replay.empty == REPLAY_EMPTY_ABORT)
		return err_set(err, ERR_INVALID, "fixup makes commit %s empty", h->name);
	if (!h->commit->nr_parents)
		return err_set(err, ERR_INVALID, "cannot drop root commit %s: it has no parent to replay onto", h->name);
	h->drops = true;
	return 0;
}

static int check_fixup(struct history_command *h, struct err *err)
{
	struct object_id head, staged;
	int rc = staged_trees(h, &head, &staged, err);

	if (!rc)
		rc = replay_merge(&h->replay, &head, &h->commit->tree, &staged, &h->fixed, err);
	if (rc > 0)
		rc = err_set(err, ERR_CONFLICT, "fixup would produce conflicts; aborting");
	return rc || !oid_eq(&h->fixed, &h->before) ? rc : drop_commit(h, err);
}

static int make_fixed(struct history_command *h, struct err *err)
{
	struct strbuf message = STRBUF_INIT;
	int rc = 0;

	if (h->drops) {
		struct replay_tip parent = { h->commit->parents[0]->oid, h->before, true };

		replay_set(&h->replay, h->commit, &parent);
		return 0;
	}
	if (h->reedit)
		rc = edit_message(h, "fixup", &h->commit->tree, &h->fixed, &message, err);
	if (rc == ERR_ABORTED)
		error("failed writing fixed-up commit");
	if (!rc)
		rc = replace_commit(h, &h->fixed, h->reedit ? &message : NULL, err);
	strbuf_release(&message);
	return rc;
}

static int cmd_history_fixup(int argc, const char **argv, struct command_ctx *ctx)
{
	struct history_command h = { .r = ctx->repo, .verb = "fixup", .out = STRBUF_INIT, .replay.committer = STRBUF_INIT };
	struct option opts[] = {
		COMMON_OPTIONS(&h),
		OPT_BOOL(0, "reedit-message", &h.reedit, "edit the message of the commit"),
		OPT_CALLBACK_F(0, "empty", &h, "(drop|keep|abort)", "what becomes of empty commits", PARSE_OPT_NONEG, on_empty_commits),
		OPT_END()
	};

	argc = parse_options(argc, argv, opts, fixup_usage, 0);
	if (argc != 1) {
		error("command expects a single revision");
		return FAILED;
	}
	if (!ctx->repo->worktree) {
		error("cannot run fixup in a bare repository");
		return FAILED;
	}
	h.name = argv[0];
	return run(&h, check_fixup, make_fixed);
}

/* ---- split ---- */

/* Which of the commit's changes come first? */
static int choose_tree(struct history_command *h, struct object_id *out, struct err *err)
{
	struct choose_request q = { .repo = h->r, .target = CHOOSE_SPLIT, .rev = h->name, .tree = &h->commit->tree, .ps = &h->ps,
				    .context = CONTEXT_OPTION_INIT, .auto_advance = 1, .op = h->replay.op };
	struct index_state ix;
	int rc;

	index_init(&ix, h->r->algo);
	rc = unpack_trees_list(h->r, &h->before, &ix, err);
	q.into = &ix;
	if (!rc && choose_hunks(&q))
		rc = ERR_ABORTED;
	if (!rc)
		rc = cache_tree_update(&ix, h->r, 0, out, err);
	index_release(&ix);
	if (!rc && oid_eq(out, &h->before))
		rc = err_set(err, ERR_INVALID, "split commit is empty");
	if (!rc && oid_eq(out, &h->commit->tree))
		rc = err_set(err, ERR_INVALID, "split commit tree matches original commit");
	return rc;
}

static int make_part(struct history_command *h, const struct object_id *from, const struct object_id *to,
		     const struct object_id *parents, size_t nr_parents, const char *which, struct replay_tip *out,
		     struct err *err)
{
	struct strbuf message = STRBUF_INIT;
	int rc = edit_message(h, "split-out", from, to, &message, err);

	if (!rc)
		rc = write_as_author(h, to, parents, nr_parents, &message, out, err);
	if (rc) {
		if (err->msg)
			report_error(err);
		rc = err_set(err, rc, "failed writing %s commit", which);
	}
	strbuf_release(&message);
	return rc;
}

static int make_split(struct history_command *h, struct err *err)
{
	struct object_id *parents = parents_of(h->commit), tree;
	struct replay_tip first, second;
	int rc;

	if (h->commit->nr_parents > 1)
		rc = err_set(err, ERR_UNSUPPORTED, "cannot split up merge commit");
	else
		rc = choose_tree(h, &tree, err);
	if (!rc)
		rc = make_part(h, &h->before, &tree, parents, h->commit->nr_parents, "first", &first, err);
	if (!rc)
		rc = make_part(h, &tree, &h->commit->tree, &first.commit, 1, "second", &second, err);
	if (!rc)
		replay_set(&h->replay, h->commit, &second);
	free(parents);
	return rc;
}

static int cmd_history_split(int argc, const char **argv, struct command_ctx *ctx)
{
	struct history_command h = { .r = ctx->repo, .verb = "split", .out = STRBUF_INIT, .replay.committer = STRBUF_INIT };
	struct option opts[] = { COMMON_OPTIONS(&h), OPT_END() };
	struct err err = ERR_INIT;

	argc = parse_options(argc, argv, opts, split_usage, 0);
	if (argc < 1) {
		error("command expects a committish");
		return FAILED;
	}
	h.name = argv[0];
	if (argc > 1 && !strcmp(argv[1], "--"))
		argv++;
	if (pathspec_parse(&h.ps, h.r->prefix, h.r->worktree, argv + 1, 0, &err) < 0)
		return report_fatal(&err);
	return run(&h, NULL, make_split);
}

/* ---- the command ---- */

int cmd_history(int argc, const char **argv, struct command_ctx *ctx)
{
	static const struct subcommand subs[] = {
		{ "fixup", cmd_history_fixup },
		{ "reword", cmd_history_reword },
		{ "split", cmd_history_split },
	};
	struct option opts[] = { OPT_END() };
	command_fn fn = find_subcommand(subs, ARRAY_SIZE(subs), argc, argv);

	if (fn)
		return fn(argc - 1, argv + 1, ctx);
	argc = parse_options(argc, argv, opts, usage, 0);
	die_no_subcommand(argc ? argv[0] : NULL, usage, opts);
}

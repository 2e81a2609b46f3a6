/* SPDX-License-Identifier: GPL-2.0-only */
/* git-reset(1) */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "cli/choose/choose.h"
#include "cli/context-option.h"
#include "cli/path-args.h"
#include "cli/submodule-option.h"
#include "fs/file.h"
#include "history/names/revparse.h"
#include "index/cache-tree.h"
#include "operation/operation.h"
#include "porcelain/autostash.h"
#include "porcelain/head.h"
#include "refs/root-refs.h"
#include "util/alloc.h"
#include "attr/attr.h"
#include "worktree/sparse.h"
#include "worktree/unpack-trees.h"
#include "worktree/merge-result.h"
#include "worktree/rerere.h"

static const char *const usage[] = {
	"git reset [--mixed | --soft | --hard | --merge | --keep] [-q] [<commit>]",
	"git reset [-q] [<tree-ish>] [--] <pathspec>...",
	"git reset [-q] [--pathspec-from-file [--pathspec-file-nul]] [<tree-ish>]",
	"git reset --patch [<tree-ish>] [--] [<pathspec>...]",
	NULL
};

enum mode { MODE_NONE, MODE_MIXED, MODE_SOFT, MODE_HARD, MODE_MERGE, MODE_KEEP };
static const char *const mode_name[] = { "none", "mixed", "soft", "hard", "merge", "keep" };

struct resetter {
	struct repository *r;
	const char *prefix;
	int mode, quiet, refresh, intent_to_add, patch, auto_advance;
	struct context_option context;
	struct pathspec_args pathspec_args;
	struct pathspec ps;
	struct attrs *attrs; /* of ps */
	bool with_paths, unborn, detached, zeros; /* zeros: HEAD is an id of zeros */
	const char *rev;
	struct object_id commit, tree, head;
	struct index_state ix;
	bool ix_read;
	struct repo_operation *op;
	struct converter *conv;
	struct sparse *sparse; /* NULL: every path is to have its file */
	int recurse;
	bool keep_autostash; /* `merge --abort` brings it back */
	bool of_am, moves_head; /* `am --skip`, `am --abort` */
	struct repo_operation **unsealed; /* NULL: the reset is sealed at its end */
	enum autostash_outcome autostash;
};

/* ---- command line ---- */

static void parse_options_of(struct resetter *rs, int *argc, const char **argv)
{
	struct option opts[] = {
		OPT__QUIET(&rs->quiet),
		OPT_BOOL(0, "refresh", &rs->refresh,
			 "compare files with the index after a mixed reset"),
		OPT_CMDMODE(0, "mixed", &rs->mode, "reset HEAD and index", MODE_MIXED),
		OPT_CMDMODE(0, "soft", &rs->mode, "reset only HEAD", MODE_SOFT),
		OPT_CMDMODE(0, "hard", &rs->mode, "reset HEAD, index and working tree", MODE_HARD),
		OPT_CMDMODE(0, "merge", &rs->mode, "reset HEAD, index and working tree, but keep "
			    "changes that are not staged", MODE_MERGE),
		OPT_CMDMODE(0, "keep", &rs->mode, "reset HEAD but keep local changes", MODE_KEEP),
		OPT_RECURSE_SUBMODULES(&rs->recurse, "control recursive updating of submodules"),
		OPT_BOOL('p', "patch", &rs->patch, "select hunks interactively"),
		OPT_BOOL(0, "auto-advance", &rs->auto_advance,
			 "auto advance to the next file when selecting hunks interactively"),
		OPT_CONTEXT(&rs->context),
		OPT_BOOL('N', "intent-to-add", &rs->intent_to_add,
			 "record only the fact that removed paths will be added later"),
		OPT_PATHSPEC_FILE(&rs->pathspec_args),
		OPT_END()
	};

	rs->auto_advance = 1;
	rs->context = (struct context_option)CONTEXT_OPTION_INIT;
	*argc = parse_options(*argc, argv, opts, usage, PARSE_OPT_KEEP_DASHDASH);
	argv[*argc] = NULL;
	if (rs->patch && rs->pathspec_args.file)
		die("options '%s' and '%s' cannot be used together", "--pathspec-from-file", "--patch");
}

/*
 * Does the argument name an object of any kind, as in Git? find_target refuses other objects than
 * commits.
 */
static bool names_object(const struct resetter *rs, const char *arg)
{
	struct revparse_result res;
	int rc = revparse(rs->r, arg, OBJ_COMMIT, &res, NULL);

	if (!rc)
		revparse_result_release(&res);
	return !rc;
}

static void require_file(const struct resetter *rs, const char *arg)
{
	struct err err = ERR_INIT;

	if (*arg == '-')
		die("option '%s' must come before non-option arguments", arg);
	if (path_arg_is_pattern(arg) || path_arg_exists(rs->prefix, arg))
		return;
	(void)revparse_explain(rs->r, arg, false, &err);
	die_err(&err);
}

/* A revision first, if the argument is one; then paths. Returns the paths. */
static const char **reset_split_arguments(struct resetter *rs, const char **argv)
{
	rs->rev = "HEAD";
	if (!argv[0])
		return argv;
	if (!strcmp(argv[0], "--"))
		return argv + 1;
	if (argv[1] && !strcmp(argv[1], "--")) {
		rs->rev = argv[0];
		return argv + 2;
	}
	if (names_object(rs, argv[0])) {
		if (path_arg_exists(rs->prefix, argv[0]))
			die("ambiguous argument '%s': both revision and filename\n"
			    "Use '--' to separate paths from revisions, like this:\n"
			    "'git <command> [<revision>...] -- [<file>...]'", argv[0]);
		rs->rev = argv[0];
		return argv + 1;
	}
	require_file(rs, argv[0]);
	return argv;
}

static int find_target(struct resetter *rs, struct err *err)
{
	struct err why = ERR_INIT;
	struct object_id head;
	char *branch = NULL;
	int rc = ref_resolve(rs->r->refs, "HEAD", &head, &branch, NULL, NULL);

	if (!rc)
		rs->head = head;
	rs->detached = branch && !strcmp(branch, "HEAD");
	free(branch);
	rs->unborn = rc < 0;
	rs->zeros = rc == ERR_CORRUPT && ref_holds_zeros(rs->r->refs, "HEAD");
	if (rs->zeros && !strcmp(rs->rev, "HEAD"))
		return err_set(err, ERR_INVALID, "Could not parse object '%s'.", rs->rev);
	if (rs->unborn && !strcmp(rs->rev, "HEAD")) {
		rs->tree = rs->r->algo->empty_tree;
		return 0;
	}
	if (!names_object(rs, rs->rev))
		return err_set(err, ERR_INVALID, "Failed to resolve '%s' as a valid %s.", rs->rev,
			       rs->with_paths ? "tree" : "revision");
	rc = rs->with_paths ? revparse_tree(rs->r, rs->rev, &rs->tree, &why) :
			      revparse_commit(rs->r, rs->rev, &rs->commit, &why);
	if (rc < 0) {
		error("%s", err_message(&why));
		err_release(&why);
		return err_set(err, ERR_INVALID, "Could not parse object '%s'.", rs->rev);
	}
	if (rs->with_paths)
		return 0;
	return object_peel(odb_source(rs->r->odb), &rs->commit, OBJ_TREE, &rs->tree, NULL, err);
}

static void check_mode(struct resetter *rs)
{
	if (rs->with_paths && rs->mode == MODE_MIXED)
		warning("--mixed with paths is deprecated; use 'git reset -- <paths>' instead.");
	else if (rs->with_paths && rs->mode != MODE_NONE)
		die("Cannot do %s reset with paths.", mode_name[rs->mode]);
	if (rs->mode == MODE_NONE)
		rs->mode = MODE_MIXED;
	if (rs->mode != MODE_SOFT && rs->mode != MODE_MIXED && (!rs->r->worktree || rs->r->bare))
		die("this operation must be run in a work tree");
	if (rs->mode == MODE_MIXED && rs->r->bare)
		die("mixed reset is not allowed in a bare repository");
	if (rs->intent_to_add && rs->mode != MODE_MIXED)
		die("the option '%s' requires '%s'", "-N", "--mixed");
}

/* ---- the index and the files ---- */

static int read_index(struct resetter *rs, struct err *err)
{
	int rc = repo_operation_lock_index(rs->op, err);

	if (!rc)
		rc = index_read_repo(&rs->ix, rs->r, err);
	rs->ix_read = !rc;
	if (!rc)
		rc = sparse_new(&rs->sparse, rs->r, err);
	return rc ? rc : converter_new(&rs->conv, rs->r, &rs->ix, ATTR_CHECKIN, err);
}

/* Updates the files, with the attributes of the new index. */
static int reset_update_files(struct resetter *rs, struct unpack_trees *m, struct err *err)
{
	struct converter *conv = NULL;
	int rc = converter_new(&conv, rs->r, &rs->ix, ATTR_CHECKOUT, err);

	m->start_meter = rs->quiet ? NULL : progress_start;
	if (!rc) /* a detached HEAD has no name here, as in Git */
		converter_set_named_origin(conv, rs->detached && !strcmp(rs->rev, "HEAD") ? NULL : rs->rev, &rs->commit);
	if (!rc)
		rc = unpack_trees_update_files(m, rs->r, &rs->ix, conv, err);
	converter_free(conv);
	return rc;
}

/* An entry that comes into the index without a file: it need not have one, if the patterns leave it out. */
static void mark_left_out(struct resetter *rs, struct index_entry *e)
{
	const struct index_entry *old = index_find(&rs->ix, e->name, e->name_len);
	struct stat st;

	if (rs->sparse && (!old || old->flags & CE_SKIP_WORKTREE) && lstat(e->name, &st) < 0 &&
	    !sparse_has(rs->sparse, e->name, e->name_len))
		e->flags |= CE_SKIP_WORKTREE;
}

/* The result takes the place of the index; the converter looks into the one that is there. */
static int take_result(struct resetter *rs, struct unpack_trees *m, struct err *err)
{
	converter_free(rs->conv);
	rs->conv = NULL;
	for (size_t i = 0; rs->mode == MODE_MIXED && i < m->result.nr; i++)
		mark_left_out(rs, m->result.entries[i]);
	index_release(&rs->ix);
	rs->ix = m->result;
	index_init(&m->result, rs->r->algo);
	return converter_new(&rs->conv, rs->r, &rs->ix, ATTR_CHECKIN, err);
}

/*
 * The entry that stands for the path of the stage e: its file as it is, or, if that is ours already, their version. Without
 * either there is none. Called for each stage: the last one counts.
 */
static int find_conflicted(struct resetter *rs, const struct index_entry *e, unsigned *mode, struct object_id *oid, struct err *err)
{
	struct stat st;
	const struct index_entry *ours = index_find_ours(&rs->ix, e->name, e->name_len);

	*mode = 0;
	if (!lstat(e->name, &st) && (S_ISREG(st.st_mode) || S_ISLNK(st.st_mode))) {
		int rc = worktree_hash_path(rs->r, rs->conv, e->name, &st, true, oid, mode, err);

		if (rc || !ours || ours->mode != *mode || !oid_eq(&ours->oid, oid))
			return rc;
	}
	*mode = e->stage == 3 ? e->mode : 0;
	*oid = e->oid;
	return 0;
}

/* Index and files as a tree: each path that is in conflict differs from HEAD. */
static int write_staged_tree(struct resetter *rs, struct object_id *out, struct err *err)
{
	struct index_state staged;
	int rc = repo_operation_open_objects(rs->op, err);

	index_init(&staged, rs->r->algo);
	for (size_t i = 0; !rc && i < rs->ix.nr; i++) {
		const struct index_entry *e = rs->ix.entries[i];
		struct object_id oid = e->oid;
		unsigned mode = e->mode;

		if (e->stage)
			rc = find_conflicted(rs, e, &mode, &oid, err);
		if (!rc && mode)
			rc = index_add(&staged, index_entry_new(&staged, mode, &oid, e->name, e->name_len, 0), INDEX_ADD_REPLACE,
				       rs->r->settings.protect, err);
	}
	if (!rc)
		rc = cache_tree_update(&staged, rs->r, WRITE_TREE_MISSING_OK, out, err);
	index_release(&staged);
	return rc;
}

/*
 * P7: what --merge, the end of an aborted merge, and --keep change is marked while they change it: MERGE_HEAD goes before the
 * index. --hard drops local changes, which no marker brings back; given again it does all.
 */
struct reset_marker {
	struct resetter *rs;
	struct object_id from, to;
};

static int publish_reset_marker(void *data, struct err *err)
{
	const struct reset_marker *marker = data;

	return result_update_mark(marker->rs->op, &marker->from, &marker->to, err);
}

static int mark_files(struct resetter *rs, struct unpack_trees *m, struct reset_marker *marker, struct err *err)
{
	int rc;

	*marker = (struct reset_marker){ .rs = rs, .to = rs->tree };
	if ((rs->mode != MODE_MERGE && rs->mode != MODE_KEEP) || rs->unborn || (!m->checked_out.nr && !m->removed.nr))
		return 0;
	rc = object_peel(odb_source(rs->r->odb), &rs->head, OBJ_TREE, &marker->from, NULL, err);
	if (!rc && oid_eq(&marker->from, &rs->tree))
		rc = write_staged_tree(rs, &marker->to, err);
	if (!rc && !oid_eq(&marker->from, &marker->to)) {
		m->before_files = publish_reset_marker;
		m->before_files_data = marker;
	}
	return rc;
}

static int merge_trees(struct resetter *rs, struct unpack_trees *m, const struct object_id *trees,
		       size_t nr, struct err *err)
{
	struct reset_marker marker;
	int rc = unpack_trees_run(m, rs->r, &rs->ix, rs->conv, trees, nr, err);

	if (!rc && m->update)
		rc = mark_files(rs, m, &marker, err);
	if (!rc)
		rc = take_result(rs, m, err);
	if (!rc && m->update)
		rc = reset_update_files(rs, m, err);
	unpack_trees_release(m);
	return rc;
}

/* The changes from HEAD to the target, in files and index; fails if local ones are in the way. */
static int carry_over(struct resetter *rs, struct err *err)
{
	struct unpack_trees m = { .kind = UNPACK_TREES_TWO, .update = true };
	struct object_id trees[2];
	int rc;

	if (rs->unborn)
		return err_set(err, ERR_INVALID, "You do not have a valid HEAD.");
	rc = object_peel(odb_source(rs->r->odb), &rs->head, OBJ_TREE, &trees[0], NULL, err);
	trees[1] = rs->tree;
	return rc ? rc : merge_trees(rs, &m, trees, 2, err);
}

static int reset_index(struct resetter *rs, struct err *err)
{
	struct unpack_trees m = { .kind = UNPACK_TREES_ONE };
	int rc = rs->mode == MODE_KEEP ? carry_over(rs, err) : 0;

	m.reset = rs->mode != MODE_MERGE;
	m.update = rs->mode == MODE_HARD || rs->mode == MODE_MERGE;
	if (!rc)
		rc = merge_trees(rs, &m, &rs->tree, 1, err);
	return rc ? rc : cache_tree_prime(&rs->ix, rs->r, &rs->tree, err);
}

/* ---- paths ---- */

struct path_change {
	char *path;
	unsigned mode;
	struct object_id oid;
};
struct path_changes {
	struct resetter *rs;
	struct path_change *items;
	size_t nr, alloc;
};

static int note_change(void *data, const char *path, unsigned old_mode,
		       const struct object_id *old_oid, const struct index_entry *e,
		       struct err *err)
{
	struct path_changes *ch = data;
	struct path_change *c;

	(void)e;
	(void)err;
	if (!pathspec_match(&ch->rs->ps, path, strlen(path), false, NULL))
		return 0;
	ALLOC_GROW(ch->items, ch->nr + 1, ch->alloc);
	c = &ch->items[ch->nr++];
	*c = (struct path_change){ .path = xstrdup(path), .mode = old_mode };
	if (old_mode)
		c->oid = *old_oid;
	return 0;
}

static int apply_change(struct resetter *rs, const struct path_change *c, struct err *err)
{
	size_t len = strlen(c->path);
	unsigned mode = c->mode;
	struct index_entry *e;

	if (!mode && !rs->intent_to_add) {
		index_remove(&rs->ix, c->path, len);
		cache_tree_invalidate(&rs->ix, c->path);
		rs->ix.changed = true;
		return 0;
	}
	if (!mode) {
		const struct index_entry *old = index_find(&rs->ix, c->path, len);

		if (!old)
			return 0;
		e = index_entry_new(&rs->ix, old->mode, &rs->r->algo->empty_blob, c->path, len, 0);
		e->flags |= CE_INTENT_TO_ADD;
	} else {
		e = index_entry_new(&rs->ix, mode, &c->oid, c->path, len, 0);
	}
	mark_left_out(rs, e);
	return index_add(&rs->ix, e, INDEX_ADD_REPLACE, rs->r->settings.protect, err);
}

static int reset_paths(struct resetter *rs, struct err *err)
{
	struct path_changes ch = { .rs = rs };
	struct object_id oid;
	int rc = index_diff_tree(&rs->ix, odb_source(rs->r->odb), &rs->tree, note_change, &ch, err);

	/* others read the empty blob that entries with CE_INTENT_TO_ADD name */
	if (!rc && rs->intent_to_add)
		rc = repo_operation_open_objects(rs->op, err);
	if (!rc && rs->intent_to_add)
		rc = odb_write(rs->r->odb, OBJ_BLOB, "", 0, &oid, err);
	for (size_t i = 0; i < ch.nr; i++) {
		if (!rc)
			rc = apply_change(rs, &ch.items[i], err);
		free(ch.items[i].path);
	}
	free(ch.items);
	return rc;
}

/* ---- afterwards ---- */

struct unstaged {
	struct strbuf text;
	const char *last;
};

/* Another kind of thing in the place of the file, or of one of its directories, is no deletion. */
static char unstaged_letter(const struct index_entry *e, enum worktree_change why)
{
	struct stat st;

	if (e->stage)
		return 'U';
	if (why == WT_DELETED && !worktree_leading_symlink(e->name, e->name_len)) {
		if (!lstat(e->name, &st))
			return 'T';
		return errno == ENOENT ? 'D' : 'M';
	}
	return why == WT_DELETED ? 'D' : why == WT_TYPE_CHANGED ? 'T' :
	       e->flags & CE_INTENT_TO_ADD ? 'A' : 'M';
}

static void add_unstaged(void *data, const struct index_entry *e, enum worktree_change why)
{
	struct unstaged *u = data;
	char letter = unstaged_letter(e, why);

	if (e->stage && u->last && !strcmp(u->last, e->name))
		return;
	u->last = e->name;
	if (!u->text.len)
		strbuf_addstr(&u->text, "Unstaged changes after reset:\n");
	strbuf_addf(&u->text, "%c\t%s\n", letter, e->name);
}

static int reset_refresh(struct resetter *rs, struct unstaged *u, struct err *err)
{
	if (rs->mode != MODE_MIXED || !rs->refresh || !rs->r->worktree)
		return 0;
	return worktree_refresh_index(rs->r, &rs->ix, NULL, rs->conv,
				      rs->quiet ? NULL : add_unstaged, u, err);
}

/* ---- HEAD ---- */

static char *log_message(const struct resetter *rs)
{
	const char *action = getenv("GIT_REFLOG_ACTION");

	return action ? xstrfmt("%s: updating HEAD", action) :
			xstrfmt("reset: moving to %s", rs->rev);
}

static int queue_orig_head(struct resetter *rs, struct ref_transaction *t, struct err *err)
{
	const char *action = getenv("GIT_REFLOG_ACTION");
	struct object_id old;
	char *msg;
	int rc;

	if (!rs->unborn) {
		msg = xstrfmt("%s: updating ORIG_HEAD", action ? action : "reset");
		rc = ref_transaction_update(t, REFNAME_ORIG_HEAD, &rs->head, NULL, 0, msg, err);
		free(msg);
		return rc;
	}
	if (!ref_resolve(rs->r->refs, REFNAME_ORIG_HEAD, &old, NULL, NULL, NULL))
		return ref_transaction_update(t, REFNAME_ORIG_HEAD, &rs->r->algo->null_oid, &old, 0, NULL,
					      err);
	return 0;
}

/* ORIG_HEAD is the target, and stays. */
static int move_head_of_am(struct resetter *rs, struct err *err)
{
	struct ref_transaction *t = NULL;
	int rc = rerere_clear(rs->op, err);

	if (!rc && rs->moves_head) {
		rc = repo_operation_begin_refs(rs->op, 0, &t, err);
		if (!rc)
			rc = ref_transaction_update(t, "HEAD", &rs->commit, rs->unborn ? &rs->r->algo->null_oid : &rs->head, 0,
						    "am --abort", err);
	}
	return rc ? rc : repo_operation_end_state(rs->op, STATE_ENDS_BY_SWITCH, err);
}

static int move_head(struct resetter *rs, struct err *err)
{
	struct ref_transaction *t = NULL;
	char *msg = log_message(rs);
	int rc = 0;

	if (!oid_is_null(&rs->commit)) {
		rc = repo_operation_begin_refs(rs->op, 0, &t, err);
		if (!rc)
			rc = queue_orig_head(rs, t, err);
		if (!rc)
			rc = ref_transaction_update(t, "HEAD", &rs->commit,
						    rs->zeros ? NULL : rs->unborn ? &rs->r->algo->null_oid : &rs->head,
						    0, msg, err);
	}
	if (!rc)
		rc = repo_operation_end_state(rs->op, STATE_ENDS_BY_SWITCH, err);
	if (!rc && !rs->keep_autostash)
		rc = autostash_store(rs->op, STATE_MERGE_AUTOSTASH, &rs->autostash, err);
	free(msg);
	return rc;
}

static int say_where(const struct resetter *rs, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int rc = head_describe_commit(rs->r, &rs->commit, &text, err);

	if (!rc)
		printf("HEAD is now at %s\n", text.buf);
	strbuf_release(&text);
	return rc;
}

/* ---- the story ---- */

static void reset_set_index(struct resetter *rs)
{
	const bool files = rs->mode == MODE_HARD || rs->mode == MODE_MERGE || rs->mode == MODE_KEEP;

	repo_operation_set_index(rs->op, &rs->ix);
	repo_operation_set_index_effects(rs->op, files ? INDEX_CHANGED_WORKTREE : INDEX_CHANGED_SKIP_WORKTREE);
}

static int change_index(struct resetter *rs, struct unstaged *u, struct err *err)
{
	int rc = read_index(rs, err);

	if (!rc)
		rc = attrs_new_for_pathspec(&rs->attrs, &rs->ps, rs->r, &rs->ix, err);
	if (rc)
		return rc;
	if (rs->mode == MODE_KEEP && (repo_state_exists(rs->r, STATE_MERGE_HEAD) || index_has_unmerged(&rs->ix)))
		return err_set(err, ERR_INVALID, "Cannot do a keep reset in the middle of a merge.");
	rc = rs->with_paths || rs->intent_to_add ? reset_paths(rs, err) : reset_index(rs, err);
	if (rc == ERR_CONFLICT) {
		report_error(err);
		if (rs->of_am)
			return err_set(err, ERR_INVALID, "failed to clean index");
		return err_set(err, ERR_INVALID, "Could not reset index file to revision '%s'.",
			       rs->rev);
	}
	if (!rc)
		rc = reset_refresh(rs, u, err);
	if (!rc)
		reset_set_index(rs);
	return rc;
}

static int check_soft(struct resetter *rs, struct err *err)
{
	struct index_state ix;
	int rc;

	index_init(&ix, rs->r->algo);
	rc = index_read_repo(&ix, rs->r, err);
	if (!rc && (repo_state_exists(rs->r, STATE_MERGE_HEAD) || index_has_unmerged(&ix)))
		rc = err_set(err, ERR_INVALID, "Cannot do a soft reset in the middle of a merge.");
	index_release(&ix);
	return rc;
}

/* For `merge --abort` the operation may go on. */
static int end_reset(struct resetter *rs, int rc, struct err *err)
{
	if (!rc && rs->unsealed) {
		rc = repo_operation_publish(rs->op, err);
		if (!rc) {
			*rs->unsealed = rs->op;
			return 0;
		}
	}
	return repo_operation_end(rs->op, rc, err);
}

static int reset_run(struct resetter *rs, struct unstaged *u, struct err *err)
{
	int rc;

	/* --hard writes the files anew, and with paths the state stays. */
	if (rs->mode != MODE_HARD && !rs->with_paths && result_update_refuse_unfinished(rs->r, err))
		return ERR_CONFLICT;
	rs->op = repo_operation_begin(rs->r);
	rc = rs->mode == MODE_SOFT ? check_soft(rs, err) : change_index(rs, u, err);
	if (!rc && !rs->with_paths)
		rc = rs->of_am ? move_head_of_am(rs, err) : move_head(rs, err);
	rc = end_reset(rs, rc, err);
	if (rc)
		return rc;
	if (rs->mode == MODE_HARD && !rs->quiet && !oid_is_null(&rs->commit))
		rc = say_where(rs, err);
	fputs(u->text.buf, stdout);
	fflush(stdout);
	if (rs->autostash)
		fputs(autostash_text(rs->autostash), stderr);
	return rc;
}

static void read_config(struct resetter *rs)
{
	struct err err = ERR_INIT;
	bool quiet = false, no_refresh = false;

	if (config_get_bool(rs->r->config, "reset.quiet", &quiet, &err) < 0 ||
	    config_get_bool(rs->r->config, "reset.norefresh", &no_refresh, &err) < 0)
		die_err(&err);
	rs->quiet = quiet;
	rs->refresh = !no_refresh;
}

static void check_reset_choice(const struct resetter *rs)
{
	check_context_numbers(&rs->context);
	check_context_choice(&rs->context, rs->patch, "--patch");
	if (!rs->auto_advance && !rs->patch)
		die("the option '%s' requires '%s'", "--no-auto-advance", "--patch");
	if (rs->patch && rs->mode != MODE_NONE)
		die("options '%s' and '%s' cannot be used together", "--patch", "--{hard,mixed,soft}");
}

static int choose_to_reset(struct resetter *rs)
{
	struct choose_request q = { .repo = rs->r, .target = CHOOSE_RESET, .rev = rs->rev, .tree = &rs->tree, .ps = &rs->ps,
				    .context = rs->context, .auto_advance = rs->auto_advance };
	struct err err = ERR_INIT;
	int code;

	if (rs->r->worktree && repo_enter_worktree(rs->r, &err) < 0)
		die_err(&err);
	code = choose_hunks(&q);
	pathspec_release(&rs->ps);
	return code ? code : finish_stdout();
}

static int reset_command(int argc, const char **argv, struct command_ctx *ctx, bool keep_autostash,
			 struct repo_operation **unsealed)
{
	struct resetter rs = { .r = ctx->repo, .prefix = ctx->prefix, .keep_autostash = keep_autostash, .unsealed = unsealed };
	struct unstaged u = { .text = STRBUF_INIT };
	struct err err = ERR_INIT;
	const char **paths;
	int rc;

	if (ctx->repo)
		read_config(&rs);
	parse_options_of(&rs, &argc, argv);
	rs.commit = rs.head = rs.r->algo->null_oid;
	paths = reset_split_arguments(&rs, argv);
	rs.with_paths = pathspec_args_parse(&rs.pathspec_args, &rs.ps, rs.r, paths, 0) > 0 || rs.patch;
	if (find_target(&rs, &err) < 0)
		die_err(&err);
	check_reset_choice(&rs);
	if (rs.patch)
		return choose_to_reset(&rs);
	if (rs.recurse)
		refuse_submodules(rs.r, &rs.tree, "reset --recurse-submodules");
	check_mode(&rs);
	if (rs.r->worktree && repo_enter_worktree(rs.r, &err) < 0)
		die_err(&err);
	index_init(&rs.ix, rs.r->algo);
	rc = reset_run(&rs, &u, &err);
	converter_free(rs.conv);
	index_release(&rs.ix);
	sparse_free(rs.sparse);
	attrs_free(rs.attrs);
	pathspec_release(&rs.ps);
	strbuf_release(&u.text);
	return rc ? report_fatal(&err) : finish_stdout();
}

int cmd_reset(int argc, const char **argv, struct command_ctx *ctx)
{
	return reset_command(argc, argv, ctx, false, NULL);
}

int reset_of_merge(struct command_ctx *ctx, struct repo_operation **unsealed)
{
	const char *argv[] = { "reset", "--merge", NULL };

	return reset_command(2, argv, ctx, true, unsealed);
}

static int find_target_of_am(struct resetter *rs, const struct object_id *to, struct err *err)
{
	char *branch = NULL;
	int rc = ref_resolve(rs->r->refs, "HEAD", &rs->head, &branch, NULL, NULL);

	free(branch);
	rs->unborn = rc < 0;
	if (rs->unborn)
		rs->head = rs->r->algo->null_oid;
	rs->commit = to ? *to : rs->head;
	rs->moves_head = to && !(rs->unborn && oid_is_null(to));
	rs->tree = rs->r->algo->empty_tree;
	return oid_is_null(&rs->commit) ? 0 : object_peel(odb_source(rs->r->odb), &rs->commit, OBJ_TREE, &rs->tree, NULL, err);
}

int reset_of_am(struct command_ctx *ctx, const struct object_id *to, struct repo_operation **op, struct err *err)
{
	struct resetter rs = { .r = ctx->repo, .mode = MODE_MERGE, .rev = "HEAD", .of_am = true, .unsealed = op };
	struct unstaged u = { .text = STRBUF_INIT };
	int rc = find_target_of_am(&rs, to, err);

	index_init(&rs.ix, rs.r->algo);
	if (!rc)
		rc = reset_run(&rs, &u, err);
	converter_free(rs.conv);
	index_release(&rs.ix);
	sparse_free(rs.sparse);
	attrs_free(rs.attrs);
	strbuf_release(&u.text);
	return rc;
}

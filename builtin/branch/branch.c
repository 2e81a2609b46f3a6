/* SPDX-License-Identifier: GPL-2.0-only */
/* git-branch(1): reads the options and calls the function of each mode. */
#include "compat/posix.h"
#include "builtin/branch/branch.h"
#include "cli/column.h"
#include "cli/edit-text.h"
#include "cli/list-format.h"
#include "cli/submodule-option.h"
#include "history/names/revparse.h"
#include "object/message.h"
#include "util/alloc.h"
#include "util/color.h"

static const char *const usage[] = {
	"git branch [<options>] [-r | -a] [--merged] [--no-merged]",
	"git branch [<options>] [-f] [--recurse-submodules] <branch-name> [<start-point>]",
	"git branch [<options>] [-l] [<pattern>...]",
	"git branch [<options>] [-r] (-d | -D) <branch-name>...",
	"git branch [<options>] (-m | -M) [<old-branch>] <new-branch>",
	"git branch [<options>] (-c | -C) [<old-branch>] <new-branch>",
	"git branch [<options>] [-r | -a] [--points-at]",
	"git branch [<options>] [-r | -a] [--format]",
	NULL
};

/* ---- --edit-description ---- */

static char *description_key(const char *branch)
{
	return xstrfmt("branch.%s.description", branch);
}

static int store_description(struct repository *r, const char *branch, const char *text,
			     bool existed, struct err *err)
{
	char *path = xstrfmt("%s/config", r->commondir), *key = description_key(branch);
	struct config_edit e = { .key = key, .value = *text ? text : NULL, .multi = true };
	int rc = 0;

	if (*text || existed) {
		struct repo_operation *op = repo_operation_begin(r);

		rc = config_file_edit(path, &e, repo_operation_batch(op), err);
		rc = repo_operation_end(op, rc, err);
	}
	free(key);
	free(path);
	return rc;
}

static int edit_description(struct repository *r, const char *branch, struct err *err)
{
	char *path = repo_path(r, "EDIT_DESCRIPTION"), *key = description_key(branch);
	const struct config_entry *e = config_get(r->config, key);
	const char *old = e ? e->value : NULL;
	char comment = edit_comment_char(r);
	struct strbuf text = STRBUF_INIT, hint = STRBUF_INIT;
	int rc;

	strbuf_addstr(&text, old ? old : "");
	strbuf_complete_line(&text);
	strbuf_addf(&hint, "Please edit the description for the branch\n  %s\n"
		    "Lines starting with '%c' will be stripped.\n", branch, comment);
	message_add_commented(&text, hint.buf, hint.len, comment);
	rc = edit_text(r, path, &text, err);
	if (!rc) {
		message_cleanup(&text, CLEANUP_STRIP, comment);
		rc = store_description(r, branch, text.buf, old != NULL, err);
	}
	strbuf_release(&hint);
	strbuf_release(&text);
	free(key);
	free(path);
	return rc;
}

static int edit_branch_description(struct repository *r, const char *arg)
{
	struct strbuf name = STRBUF_INIT;
	struct err err = ERR_INIT;
	char *ref;
	int rc;

	if (arg) {
		short_name_or_die(r, arg, false, &name);
	} else {
		char *current = current_branch_or_die(r);

		if (!strcmp(current, "HEAD"))
			die("cannot give description to detached HEAD");
		strbuf_addstr(&name, current);
		free(current);
	}
	ref = xstrfmt("refs/heads/%s", name.buf);
	if (!ref_exists(r->refs, ref)) {
		if (!arg || is_checked_out_or_die(r, ref))
			error("no commit on branch '%s' yet", name.buf);
		else
			error("no branch named '%s'", name.buf);
		rc = 1;
	} else {
		rc = edit_description(r, name.buf, &err) < 0 ? report_error(&err) : 0;
	}
	free(ref);
	strbuf_release(&name);
	return rc;
}

/* ---- --show-current ---- */

static int show_current(struct repository *r)
{
	struct object_id oid;
	struct err err = ERR_INIT;
	const char *name;
	char *head = NULL;
	int rc = ref_resolve(r->refs, "HEAD", &oid, &head, NULL, &err);

	if (rc < 0 && (rc != ERR_NOT_FOUND || !head))
		die("failed to resolve HEAD as a valid ref");
	err_release(&err);
	if (skip_prefix(head, "refs/heads/", &name))
		puts(name);
	else if (strcmp(head, "HEAD"))
		die("HEAD (%s) points outside of refs/heads/", head);
	free(head);
	return 0;
}

/* ---- --set-upstream-to, --unset-upstream ---- */

/* The branch that is meant; NULL: HEAD is detached. Caller frees. */
static char *branch_meant(struct repository *r, const char *name)
{
	struct strbuf s = STRBUF_INIT;
	char *current;

	if (name) {
		short_name_or_die(r, name, false, &s);
		if (strcmp(s.buf, "HEAD"))
			return strbuf_detach(&s, NULL);
		strbuf_release(&s);
	}
	current = current_branch_or_die(r);
	if (!strcmp(current, "HEAD"))
		FREE_AND_NULL(current);
	return current;
}

/* Prints the result, or the error with advice; returns the exit code. */
static int report(int rc, struct strbuf *text, bool quiet, struct err *err)
{
	if (rc < 0)
		return report_advised(err, text);
	if (!quiet)
		fputs(text->buf, stdout);
	strbuf_release(text);
	return rc;
}

static int set_upstream(struct repository *r, const char *arg, const char *upstream, bool quiet)
{
	struct branch_start start = { .ref = NULL };
	struct strbuf text = STRBUF_INIT;
	struct repo_operation *op;
	struct err err = ERR_INIT;
	char *name = branch_meant(r, arg), *ref;
	bool staged;
	int rc;

	if (!name)
		die("could not set upstream of HEAD to %s when it does not point to any branch",
		    upstream);
	ref = xstrfmt("refs/heads/%s", name);
	if (!ref_exists(r->refs, ref)) {
		if (!arg || is_checked_out_or_die(r, ref))
			die("no commit on branch '%s' yet", name);
		die("branch '%s' does not exist", name);
	}
	rc = branch_find_start(r, upstream, BRANCH_TRACK_OVERRIDE, &start, &text, &err);
	if (!rc) {
		op = repo_operation_begin(r);
		rc = branch_stage_tracking(r, op, name, start.ref, BRANCH_TRACK_OVERRIDE, &text,
					   &err);
		staged = !rc;
		rc = repo_operation_end(op, rc, &err);
		if (staged && rc < 0)
			strbuf_reset(&text); /* it says what would have been done */
	}
	rc = report(rc, &text, quiet, &err);
	free(start.ref);
	free(ref);
	free(name);
	return rc;
}

static int unset_upstream(struct repository *r, const char *arg)
{
	char *name = branch_meant(r, arg), *path, *remote, *merge;
	struct config_edit edits[2];
	struct repo_operation *op;
	struct err err = ERR_INIT;
	size_t nr = 0;
	int rc;

	if (!name)
		die("could not unset upstream of HEAD when it does not point to any branch");
	if (!branch_config(r, name, "merge"))
		die("branch '%s' has no upstream information", name);
	path = xstrfmt("%s/config", r->commondir);
	remote = xstrfmt("branch.%s.remote", name);
	merge = xstrfmt("branch.%s.merge", name);
	if (branch_config(r, name, "remote"))
		edits[nr++] = (struct config_edit){ .key = remote, .multi = true };
	edits[nr++] = (struct config_edit){ .key = merge, .multi = true };
	op = repo_operation_begin(r);
	rc = config_file_edit_all(path, edits, nr, repo_operation_batch(op), &err);
	rc = repo_operation_end(op, rc, &err);
	free(merge);
	free(remote);
	free(path);
	free(name);
	return rc < 0 ? report_fatal(&err) : 0;
}

/* ---- options ---- */

enum action { ACTION_CREATE, ACTION_LIST, ACTION_DELETE, ACTION_MOVE, ACTION_COPY,
	      ACTION_SHOW_CURRENT, ACTION_DESCRIBE, ACTION_UNSET_UPSTREAM, ACTION_SET_UPSTREAM };

struct branch_args {
	struct ref_options refs;
	struct branch_list_options list;
	unsigned del, move, copy;
	int list_it, show_current, describe, unset_upstream;
	enum action action;
	int force, quiet, reflog, icase, omit_empty, recurse;
	int track; /* enum branch_track */
	const char *upstream;
};

static int parse_track(const struct option *opt, const char *arg, int unset)
{
	int *track = opt->value;

	if (unset)
		*track = BRANCH_TRACK_NEVER;
	else if (!arg || !strcmp(arg, "direct"))
		*track = BRANCH_TRACK_EXPLICIT;
	else if (!strcmp(arg, "inherit"))
		*track = BRANCH_TRACK_INHERIT;
	else
		return error("option `--track' expects \"direct\" or \"inherit\"");
	return 0;
}

static int parse_color(const struct option *opt, const char *arg, int unset)
{
	int *color = opt->value;

	*color = unset ? COLOR_NEVER : arg ? (int)color_when_parse(arg) : COLOR_ALWAYS;
	if (*color == COLOR_UNSET)
		return error("option `color' expects \"always\", \"auto\", or \"never\"");
	return 0;
}

/* Nothing but options lists; some of them mean that, too. False: they do not go together. */
static bool choose_action(struct branch_args *a, int argc)
{
	const struct reflist_filter *f = &a->refs.filter;
	int others = !!a->del + !!a->move + !!a->copy + !!a->describe + !!a->upstream +
		     !!a->show_current + !!a->unset_upstream;

	if (!others && !argc)
		a->list_it = 1;
	if (f->contains.nr || f->no_contains.nr || f->merged.nr || f->no_merged.nr ||
	    f->points_at.nr)
		a->list_it = 1;
	if (others + !!a->list_it > 1)
		return false;
	a->action = a->list_it	       ? ACTION_LIST :
		    a->del	       ? ACTION_DELETE :
		    a->move	       ? ACTION_MOVE :
		    a->copy	       ? ACTION_COPY :
		    a->describe	       ? ACTION_DESCRIBE :
		    a->upstream	       ? ACTION_SET_UPSTREAM :
		    a->unset_upstream  ? ACTION_UNSET_UPSTREAM :
		    a->show_current    ? ACTION_SHOW_CURRENT :
					 ACTION_CREATE;
	return a->action != ACTION_CREATE || argc <= 2;
}

static int parse_command_line(int argc, const char **argv, struct branch_args *a)
{
	struct ref_options *refs = &a->refs;
	struct option opts[] = {
		OPT_GROUP("Generic options"),
		OPT_COUNTUP('v', "verbose", &a->list.verbose,
			    "show hash and subject, give twice for upstream branch"),
		OPT_BOOL('q', "quiet", &a->quiet, "suppress informational messages"),
		OPT_CALLBACK_F('t', "track", &a->track, "(direct|inherit)",
			       "set branch tracking configuration", PARSE_OPT_OPTARG, parse_track),
		{ OPTION_SET_INT, 0, "set-upstream", &a->track, NULL, "do not use",
		  PARSE_OPT_HIDDEN, NULL, BRANCH_TRACK_OVERRIDE },
		OPT_STRING('u', "set-upstream-to", &a->upstream, "upstream",
			   "change the upstream info"),
		OPT_BOOL(0, "unset-upstream", &a->unset_upstream, "unset the upstream info"),
		OPT_CALLBACK_F(0, "color", &a->list.color, "when", "use colored output",
			       PARSE_OPT_OPTARG, parse_color),
		OPT_SET_INT('r', "remotes", (int *)&refs->filter.kinds,
			    "act on remote-tracking branches", REFLIST_REMOTES),
		REF_OPT_COMMIT("contains", refs, "print only branches that contain the commit",
			       on_ref_contains),
		REF_OPT_COMMIT("no-contains", refs,
			       "print only branches that don't contain the commit",
			       on_ref_no_contains),
		REF_OPT_WITH(refs),
		REF_OPT_WITHOUT(refs),
		OPT_ABBREV(&a->list.abbrev),
		OPT_GROUP("Specific git-branch actions:"),
		OPT_SET_INT('a', "all", (int *)&refs->filter.kinds,
			    "list both remote-tracking and local branches",
			    REFLIST_REMOTES | REFLIST_HEADS),
		OPT_BIT('d', "delete", &a->del, "delete fully merged branch", 1),
		OPT_BIT('D', NULL, &a->del, "delete branch (even if not merged)", 2),
		OPT_BIT('m', "move", &a->move, "move/rename a branch and its reflog", 1),
		OPT_BIT('M', NULL, &a->move, "move/rename a branch, even if target exists", 2),
		OPT_BOOL(0, "omit-empty", &a->omit_empty,
			 "do not output a newline after empty formatted refs"),
		OPT_BIT('c', "copy", &a->copy, "copy a branch and its reflog", 1),
		OPT_BIT('C', NULL, &a->copy, "copy a branch, even if target exists", 2),
		OPT_BOOL('l', "list", &a->list_it, "list branch names"),
		OPT_BOOL(0, "show-current", &a->show_current, "show current branch name"),
		OPT_BOOL(0, "create-reflog", &a->reflog, "create the branch's reflog"),
		OPT_BOOL(0, "edit-description", &a->describe,
			 "edit the description for the branch"),
		OPT__FORCE(&a->force, "force creation, move/rename, deletion"),
		REF_OPT_MERGED(refs, "print only branches that are merged"),
		REF_OPT_NO_MERGED(refs, "print only branches that are not merged"),
		OPT_COLUMN(&a->list.columns, "list branches in columns"),
		REF_OPT_SORT(refs),
		REF_OPT_POINTS_AT(refs, "print only branches of the object"),
		OPT_BOOL('i', "ignore-case", &a->icase,
			 "sorting and filtering are case insensitive"),
		OPT_BOOL(0, "recurse-submodules", &a->recurse, "recurse through submodules"),
		OPT_STRING(0, "format", &a->list.format, "format",
			   "format to use for the output"),
		OPT_END()
	};

	argc = parse_options(argc, argv, opts, usage, 0);
	if (!choose_action(a, argc))
		usage_with_options(usage, opts);
	return argc;
}

static void check_recursing(struct repository *r, bool creates, const char *start)
{
	bool on = false;
	struct object_id tree;
	struct err err = ERR_INIT;

	if (config_get_bool(r->config, "submodule.propagatebranches", &on, &err) < 0)
		die_err(&err);
	if (!on)
		die("branch with --recurse-submodules can only be used if submodule.propagateBranches is enabled");
	if (!creates)
		die("--recurse-submodules can only be used to create branches");
	refuse_submodules(r, revparse_tree(r, start ? start : "HEAD", &tree, NULL) < 0 ? NULL : &tree,
			  "branch --recurse-submodules");
}

/* ---- actions ---- */

static int run_list(struct branch_args *a, int argc, const char **argv, struct repository *r)
{
	struct branch_list_options *o = &a->list;
	char *head = current_branch_or_die(r);

	setup_pager(r, "branch");
	column_resolve(&o->columns);
	if (o->verbose && (o->columns & COLUMN_EXPLICIT) && column_active(o->columns))
		die("options '%s' and '%s' cannot be used together", "--column", "--verbose");
	if (o->verbose)
		o->columns = 0;
	if ((a->refs.filter.kinds & REFLIST_HEADS) && !strcmp(head, "HEAD"))
		a->refs.filter.kinds |= REFLIST_DETACHED_HEAD;
	for (int i = 0; i < argc; i++)
		strvec_push(&a->refs.filter.patterns, argv[i]);
	o->refs = &a->refs;
	o->ignore_case = a->icase;
	o->omit_empty = a->omit_empty;
	free(head);
	return branch_list(r, o);
}

static int run_delete(struct branch_args *a, int argc, const char **argv, struct repository *r)
{
	if (!argc)
		die("branch name required");
	if (a->refs.filter.kinds == (REFLIST_HEADS | REFLIST_REMOTES))
		die("cannot use -a with -d");
	return branch_delete(r, argc, argv, a->force || (a->del & 2),
			     a->refs.filter.kinds == REFLIST_REMOTES, a->quiet);
}

static int run_move(struct branch_args *a, int argc, const char **argv, struct repository *r)
{
	bool copy = a->action == ACTION_COPY;
	bool force = a->force || ((copy ? a->copy : a->move) & 2);
	bool detached;
	char *head;

	if (!argc)
		die("branch name required");
	if (argc > 2)
		die(copy ? "too many branches for a copy operation" :
			   "too many arguments for a rename operation");
	if (argc == 2)
		return branch_move(r, argv[0], argv[1], copy, force);
	head = current_branch_or_die(r);
	detached = !strcmp(head, "HEAD");
	free(head);
	if (detached)
		die(copy ? "cannot copy the current branch while not on any" :
			   "cannot rename the current branch while not on any");
	return branch_move(r, NULL, argv[0], copy, force);
}

static int run_create(struct branch_args *a, int argc, const char **argv, struct repository *r)
{
	struct branch_create_options o = { .force = a->force, .reflog = a->reflog,
					   .track = a->track };
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;
	char *head;
	int rc;

	if (a->refs.filter.kinds != REFLIST_HEADS)
		die("the -a, and -r, options to 'git branch' do not take a branch name.\n"
		    "Did you mean to use: -a|-r --list <pattern>?");
	if (a->track == BRANCH_TRACK_OVERRIDE)
		die("the '--set-upstream' option is no longer supported. Please use '--track' or '--set-upstream-to' instead.");
	if (a->track == BRANCH_TRACK_UNSET)
		o.track = r->settings.branch_track;
	head = current_branch_or_die(r);
	rc = branch_create(r, argv[0], argc == 2 ? argv[1] : head, &o, &text, &err);
	free(head);
	return report(rc, &text, a->quiet, &err);
}

static int branch_run(struct branch_args *a, int argc, const char **argv, struct repository *r)
{
	switch (a->action) {
	case ACTION_LIST:
		return run_list(a, argc, argv, r);
	case ACTION_DELETE:
		return run_delete(a, argc, argv, r);
	case ACTION_MOVE:
	case ACTION_COPY:
		return run_move(a, argc, argv, r);
	case ACTION_SHOW_CURRENT:
		return show_current(r);
	case ACTION_DESCRIBE:
		if (argc > 1)
			die("cannot edit description of more than one branch");
		return edit_branch_description(r, argc ? argv[0] : NULL);
	case ACTION_SET_UPSTREAM:
		if (argc > 1)
			die("too many arguments to set new upstream");
		return set_upstream(r, argc ? argv[0] : NULL, a->upstream, a->quiet);
	case ACTION_UNSET_UPSTREAM:
		if (argc > 1)
			die("too many arguments to unset upstream");
		return unset_upstream(r, argc ? argv[0] : NULL);
	default:
		return run_create(a, argc, argv, r);
	}
}

/* -1 where neither color.branch nor color.ui says. */
static int configured_color(struct repository *r)
{
	const struct config_entry *e = config_get(r->config, "color.branch");

	if (!e)
		e = config_get(r->config, "color.ui");
	if (!e)
		return COLOR_AUTO;
	return e->value ? (int)color_when_parse(e->value) : COLOR_AUTO;
}

int cmd_branch(int argc, const char **argv, struct command_ctx *ctx)
{
	struct branch_args a = { .refs = REF_OPTIONS_INIT, .track = BRANCH_TRACK_UNSET,
				 .list = { .abbrev = -1 } };
	struct repository *r = ctx->repo;
	int code;

	a.refs.repo = r;
	a.refs.filter.kinds = REFLIST_HEADS;
	if (r) {
		a.list.color = configured_color(r);
		a.list.columns = column_config(r, "branch");
	}
	argc = parse_command_line(argc, argv, &a);
	if (a.recurse)
		check_recursing(r, a.action == ACTION_CREATE, argc > 1 ? argv[1] : NULL);
	code = branch_run(&a, argc, argv, r);
	ref_options_release(&a.refs);
	return code;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* git-notes(1): merge. */
#include "compat/posix.h"
#include "builtin/notes/notes-cmd.h"
#include "history/names/revparse.h"
#include "notes/notes-merge.h"
#include "pretty/pretty.h"
#include "util/alloc.h"

static const char *const merge_usage[] = {
	"git notes merge [<options>] <notes-ref>",
	"git notes merge --commit [<options>]",
	"git notes merge --abort [<options>]",
	NULL
};

struct notes_merge_options {
	int commit, abort, verbosity;
	const char *strategy;
};

static void report_line(void *data UNUSED, const char *line)
{
	puts(line);
}

static void check_options(const struct notes_merge_options *o, int argc, const struct option *opts)
{
	if ((o->strategy != NULL) + o->commit + o->abort > 1) {
		error("cannot mix --commit, --abort or -s/--strategy");
		usage_with_options(merge_usage, opts);
	}
	if (!o->commit && !o->abort && argc != 1) {
		error("must specify a notes ref to merge");
		usage_with_options(merge_usage, opts);
	}
	if (o->commit || o->abort)
		notes_cmd_check_args(argc, 0, merge_usage, opts);
}

/* ---- the strategy ---- */

/* False: the key is not set. */
static bool strategy_of_config(struct notes_cmd *c, const char *key, enum notes_strategy *out)
{
	const struct config_entry *e = config_get(c->r->config, key);
	struct err err = ERR_INIT;
	char *why;

	if (!e || (e->value && notes_strategy_parse(e->value, out)))
		return e != NULL;
	why = e->value ? xstrfmt("unknown notes merge strategy %s", e->value) : xstrdup("missing value");
	(void)config_entry_bad(e, &err, why);
	free(why);
	die_err(&err);
}

static enum notes_strategy choose_strategy(struct notes_cmd *c, const struct notes_merge_options *o,
					   const struct option *opts)
{
	enum notes_strategy s = NOTES_MANUAL;
	const char *name;
	bool found = false;
	char *key;

	if (o->strategy) {
		if (notes_strategy_parse(o->strategy, &s))
			return s;
		error("unknown -s/--strategy: %s", o->strategy);
		usage_with_options(merge_usage, opts);
	}
	if (skip_prefix(c->ref, NOTES_PREFIX, &name)) {
		key = xstrfmt("notes.%s.mergestrategy", name);
		found = strategy_of_config(c, key, &s);
		free(key);
	}
	if (!found)
		(void)strategy_of_config(c, "notes.mergestrategy", &s);
	return s;
}

/* ---- the merge ---- */

static char *remote_name(struct notes_cmd *c, const char *arg)
{
	struct object_id oid;

	return revparse_oid(c->r, arg, &oid, NULL) >= 0 ? xstrdup(arg) : notes_expand_ref(arg);
}

static int report_conflicts(struct notes_cmd *c)
{
	char *dir = repo_state_path(c->r, STATE_NOTES_MERGE_WORKTREE);

	fprintf(stderr, "Automatic notes merge failed. Fix conflicts in %s and commit the result with "
		"'git notes merge --commit', or abort the merge with 'git notes merge --abort'.\n", dir);
	free(dir);
	return 1;
}

/* --commit and --abort ask nothing about the ref of the command line. */
static int change_by_merge(struct notes_cmd *c, struct notes_merge *m, const struct notes_merge_options *o, struct err *err)
{
	struct strbuf author = STRBUF_INIT, committer = STRBUF_INIT;
	int rc = notes_cmd_idents(c, &author, &committer, err);

	m->author = author.buf;
	m->committer = committer.buf;
	c->op = repo_operation_begin(c->r);
	if (!rc)
		rc = o->abort ? notes_merge_abort(m, c->op, err) : o->commit ? notes_merge_conclude(m, c->op, err) :
			notes_merge_run(m, c->op, err);
	fflush(stdout);
	rc = repo_operation_end(c->op, rc, err);
	c->op = NULL;
	strbuf_release(&committer);
	strbuf_release(&author);
	return rc;
}

int notes_merge_cmd(struct notes_cmd *c, int argc, const char **argv)
{
	struct notes_merge_options o = { 0 };
	struct option opts[] = {
		OPT_GROUP("General options"),
		OPT__VERBOSITY(&o.verbosity),
		OPT_GROUP("Merge options"),
		OPT_STRING('s', "strategy", &o.strategy, "strategy",
			   "resolve notes conflicts using the given strategy (manual/ours/theirs/union/cat_sort_uniq)"),
		OPT_GROUP("Committing unmerged notes"),
		{ OPTION_SET_INT, 0, "commit", &o.commit, NULL, "finalize notes merge by committing unmerged notes",
		  PARSE_OPT_NONEG, NULL, 1 },
		OPT_GROUP("Aborting notes merge resolution"),
		{ OPTION_SET_INT, 0, "abort", &o.abort, NULL, "abort notes merge", PARSE_OPT_NONEG, NULL, 1 },
		OPT_END()
	};
	struct notes_merge m = { .repo = c->r, .local = c->ref, .report = report_line, .warn = warning_callback };
	struct err err = ERR_INIT;
	char *remote = NULL;
	int rc;

	argc = parse_options(argc, argv, opts, merge_usage, 0);
	check_options(&o, argc, opts);
	m.verbosity = o.verbosity + NOTES_MERGE_VERBOSITY;
	m.advise = advice_enabled(c->r, "resolveConflict");
	if (!o.commit && !o.abort) {
		if (!starts_with(c->ref, NOTES_PREFIX))
			die("refusing to merge notes in %s (outside of " NOTES_PREFIX ")", c->ref);
		m.strategy = choose_strategy(c, &o, opts);
		m.remote = remote = remote_name(c, argv[0]);
	}
	rc = change_by_merge(c, &m, &o, &err);
	free(remote);
	if (rc < 0 && o.abort) {
		report_error(&err);
		return 1;
	}
	if (rc < 0)
		return report_fatal(&err);
	return m.conflicts ? report_conflicts(c) : 0;
}

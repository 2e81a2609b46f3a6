/* SPDX-License-Identifier: GPL-2.0-only */
/* git-cherry-pick(1) and git-revert(1): the story. */
#include "compat/posix.h"
#include "builtin/pick/pick-cmd.h"
#include "history/revision/revision.h"
#include "repo/state.h"
#include "util/alloc.h"

/* ---- which commits ---- */

/* Everything that is named must be a commit. */
static int check_starts(struct pick_cmd *c, const struct rev_walk *w, struct err *err)
{
	for (size_t i = 0; i < w->nr_starts; i++) {
		enum object_type type = OBJ_NONE;
		struct object_id at;
		int rc = object_peel(odb_source(c->r->odb), &w->starts[i].oid, OBJ_ANY, &at, &type, err);

		if (rc)
			return rc;
		if (type != OBJ_COMMIT)
			return err_set(err, ERR_INVALID, "%s: can't cherry-pick a %s", w->starts[i].name, object_type_name(type));
	}
	return 0;
}

static int add_commit(struct pick_cmd *c, struct commit *commit, struct err *err)
{
	struct pick p = { .r = c->r, .pool = c->pool, .commit = commit_lookup(c->pool, &commit->oid) };
	struct strbuf subject = STRBUF_INIT;
	int rc = commit_parse_node(c->pool, p.commit, err);

	if (!rc)
		rc = pick_subject(&p, &subject, err);
	if (!rc)
		todo_append(&c->todo, c->r, c->revert ? TODO_REVERT : TODO_PICK, 0, &commit->oid, subject.buf);
	strbuf_release(&subject);
	return rc;
}

static int list_commits(struct pick_cmd *c, struct rev_walk *w, struct err *err)
{
	struct commit *commit;
	bool range;
	int rc = check_starts(c, w, err);

	range = !w->no_walk;
	if (range && !c->revert)
		w->reverse = !w->reverse;
	c->several = range || w->nr_starts != 1;
	if (!rc)
		rc = rev_walk_begin(w, err);
	while (!rc && (rc = rev_walk_next(w, &commit, err)) > 0)
		rc = add_commit(c, commit, err);
	if (!rc && !c->todo.nr)
		rc = err_set(err, ERR_INVALID, "empty commit set passed");
	return rc;
}

/* Exits for arguments that are no revisions, as Git does. */
static int read_commits(struct pick_cmd *c, int argc, const char **argv, struct err *err)
{
	struct rev_walk *w = NULL;
	struct strvec args;
	int rc = rev_walk_new(&w, c->r, err);

	strvec_init(&args);
	for (int i = 0; i < argc; i++)
		if (strcmp(argv[i], "--"))
			strvec_push(&args, i && !strcmp(argv[i], "-") ? "@{-1}" : argv[i]);
	strvec_push(&args, "--"); /* none of them is a path */
	if (!rc) {
		w->no_walk = w->unsorted = w->objects = true;
		rc = rev_walk_arguments(w, (int)args.nr, args.v, NULL, err);
		if (!rc)
			rc = rev_walk_check_starts(w, err);
		if (rc && starts_with(err_message(err), "unrecognized argument"))
			pick_usage(c);
		if (rc)
			exit(report_fatal(err));
	}
	if (!rc)
		rc = list_commits(c, w, err);
	rev_walk_free(w);
	strvec_clear(&args);
	return rc;
}

/* ---- the command ---- */

static int refuse_second(struct pick_cmd *c)
{
	bool reverts = false;
	struct strbuf todo = STRBUF_INIT;

	if (!repo_state_read(c->r, STATE_SEQUENCER_TODO, &todo, NULL))
		reverts = starts_with(todo.buf, "revert ");
	strbuf_release(&todo);
	error("%s is already in progress", reverts ? "revert" : "cherry-pick");
	advise("try \"git %s (--continue | %s--abort | --quit)\"", reverts ? "revert" : "cherry-pick",
	       pick_in_progress(c) ? "--skip | " : "");
	return ERR_CONFLICT;
}

static int start(struct pick_cmd *c, int argc, const char **argv, struct err *err)
{
	int rc;

	if (argc < 2)
		pick_usage(c);
	rc = read_commits(c, argc, argv, err);
	if (!rc)
		rc = result_update_refuse_unfinished(c->r, err);
	if (!rc && c->several && repo_state_exists(c->r, STATE_SEQUENCER))
		return refuse_second(c);
	if (!rc)
		rc = pick_read_head(c, err);
	if (!rc && oid_is_null(&c->head) && c->revert && c->several)
		rc = err_set(err, ERR_INVALID, "can't revert as initial commit");
	return rc ? rc : pick_run_steps(c, err);
}

static void release(struct pick_cmd *c)
{
	pick_release_steps(c);
	commit_pool_free(c->pool);
	todo_release(&c->todo);
	strvec_clear(&c->o.strategy_options);
	strvec_clear(&c->saved);
	strbuf_release(&c->out);
	strbuf_release(&c->dropped);
	free(c->branch);
}

static int run_command_as(bool revert, int argc, const char **argv, struct command_ctx *ctx)
{
	struct pick_cmd c = { .r = ctx->repo, .ctx = ctx, .revert = revert, .name = revert ? "revert" : "cherry-pick",
			      .out = STRBUF_INIT, .dropped = STRBUF_INIT, .committer = STRBUF_INIT, .last_message = STRBUF_INIT };
	struct err err = ERR_INIT;
	int rc;

	strvec_init(&c.o.strategy_options);
	todo_init(&c.todo);
	argc = pick_parse_options(&c, argc, argv);
	if (c.o.mode != PICK_MODE_START && argc > 1)
		pick_usage(&c);
	rc = commit_pool_new(&c.pool, c.r, &err);
	if (!rc)
		rc = c.o.mode == PICK_MODE_START ? start(&c, argc, argv, &err) : pick_resume(&c, &err);
	release(&c);
	if (rc < 0) {
		if (err.msg)
			report_error(&err);
		err_release(&err);
		fprintf(stderr, "fatal: %s failed\n", c.name);
		return 128;
	}
	return rc ? rc : finish_stdout();
}

int cmd_cherry_pick(int argc, const char **argv, struct command_ctx *ctx)
{
	return run_command_as(false, argc, argv, ctx);
}

int cmd_revert(int argc, const char **argv, struct command_ctx *ctx)
{
	return run_command_as(true, argc, argv, ctx);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* git-replay(1) */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "builtin/log/log.h"
#include "history/revision/revision.h"
#include "refs/refs.h"
#include "sequence/replay.h"

static const char *const usage[] = {
	"git replay ([--contained] --onto=<newbase> | --advance=<branch> | --revert=<branch>)\n"
	"       [--ref=<ref>] [--ref-action=<mode>] <revision-range>",
	NULL
};

struct replay_command {
	struct repository *r;
	struct replay replay;
	struct log_options log; /* all options of log are taken; many do nothing here */
	struct rev_walk *walk;	/* of log */
	struct object_id onto, onto_given; /* which may be a tag of it: for the reflog */
	char *target;	      /* the full name of the branch of --advance or --revert */
	struct strset wanted; /* refs that the range names: they are updated */
	size_t nr_positive, nr_refs; /* ends of the range, and different refs among them */
	struct strbuf out;
	/* ---- options ---- */
	const char *onto_name, *advance, *revert, *ref, *action;
	int contained;
	bool prints, refs_failed;
};

/* ---- options ---- */

static void reject_pair(const char *a, const char *b)
{
	die("options '%s' and '%s' cannot be used together", a, b);
}

static void check_options(const struct replay_command *c, const struct option *opts)
{
	const char *branch_option = c->advance ? "--advance" : "--revert";

	if (!c->onto_name && !c->advance && !c->revert) {
		error("exactly one of --onto, --advance, or --revert is required");
		usage_with_options(usage, opts);
	}
	if (c->onto_name && c->advance && c->revert)
		die("options '%s', '%s', and '%s' cannot be used together", "--onto", "--advance", "--revert");
	if (c->onto_name && (c->advance || c->revert))
		reject_pair("--onto", branch_option);
	if (c->advance && c->revert)
		reject_pair("--advance", "--revert");
	if (c->contained && !c->onto_name)
		reject_pair(branch_option, "--contained");
	if (c->contained && c->ref)
		reject_pair("--ref", "--contained");
}

static void choose_action(struct replay_command *c)
{
	const char *value = c->action, *name = "--ref-action";
	struct err err = ERR_INIT;

	if (!value) {
		name = "replay.refAction";
		if (config_get_string(c->r->config, "replay.refaction", &value, &err) < 0)
			die_err(&err);
	}
	c->prints = value && !strcmp(value, "print");
	if (value && !c->prints && strcmp(value, "update"))
		die("invalid %s value: '%s'", name, value);
}

/* ---- what the range is, and where it goes ---- */

static void find_onto(struct replay_command *c)
{
	const char *name = c->advance ? c->advance : c->revert, *option = c->advance ? "--advance" : "--revert";
	struct err err = ERR_INIT;
	struct object_id oid;

	if (c->onto_name) {
		if (revparse_commit(c->r, c->onto_name, &c->onto, NULL) < 0 ||
		    revparse_oid(c->r, c->onto_name, &c->onto_given, NULL) < 0)
			die("'%s' is not a valid commit-ish for --onto", c->onto_name);
		return;
	}
	if (revparse_ref(c->r, name, strlen(name), &c->target, &oid, &err) != 1)
		die("argument to %s must be a reference", option);
	if (c->nr_positive > 1)
		die("'%s' cannot be used with multiple revision ranges because the ordering would be ill-defined", option);
	if (revparse_commit(c->r, c->target, &c->onto, &err) < 0)
		die_err(&err);
}

/* Which refs does the range name? */
static void read_ends(struct replay_command *c)
{
	for (size_t i = 0; i < c->walk->nr_starts; i++) {
		const struct rev_start *s = &c->walk->starts[i];
		struct object_id oid;
		char *full = NULL;

		if (s->flags & REV_UNINTERESTING)
			continue;
		c->nr_positive++;
		if (s->ref)
			c->nr_refs += strset_add(&c->wanted, s->ref);
		else if (s->name && revparse_ref(c->r, s->name, strlen(s->name), &full, &oid, NULL) == 1)
			c->nr_refs += strset_add(&c->wanted, full);
		free(full);
	}
	if (!c->nr_positive)
		die("need some commits to replay");
}

/* 0, or an error that has been reported. */
static int check_ref(const struct replay_command *c)
{
	if (c->ref && !refname_is_valid(c->ref, 0))
		return error("'%s' is not a valid refname", c->ref);
	if (c->ref && c->nr_refs > 1)
		return error("'--ref' cannot be used with multiple revision ranges");
	return 0;
}

/* Commits are wanted parents first, for a revert children first. */
static void force_order(struct replay_command *c)
{
	bool reverse = !c->revert;

	if (c->walk->order != REV_ORDER_DEFAULT && c->walk->order != REV_ORDER_TOPO)
		warning("some rev walking options will be overridden as '%s' bit in 'struct rev_info' will be forced",
			"sort_order");
	if (c->walk->reverse)
		warning("some rev walking options will be overridden as '%s' bit in 'struct rev_info' will be forced",
			"reverse");
	c->walk->order = REV_ORDER_TOPO;
	c->walk->reverse = reverse;
}

/* ---- the work ---- */

static void update_branches(struct replay_command *c, const struct replay_branches *branches, const struct commit *old,
			    const struct replay_tip *tip)
{
	for (size_t i = 0; i < branches->nr; i++)
		if (oid_eq(&branches->items[i].old, &old->oid) &&
		    (c->contained || strset_contains(&c->wanted, branches->items[i].name)))
			replay_add_update(&c->replay, branches->items[i].name, &old->oid, &tip->commit);
}

/* The one ref that gets the result. */
static void update_target(struct replay_command *c, const struct replay_tip *tip)
{
	struct object_id old = c->onto;

	if (c->ref && ref_resolve(c->r->refs, c->ref, &old, NULL, NULL, NULL) < 0)
		old = c->r->algo->null_oid;
	replay_add_update(&c->replay, c->ref ? c->ref : c->target, &old, &tip->commit);
}

/* 1: conflict. */
static int replay_range(struct replay_command *c, const struct replay_branches *branches, struct err *err)
{
	struct replay_tip onto, last;
	struct commit *commit;
	int rc = replay_tip_of(&c->replay, &c->onto, &onto, err), more = 0;

	if (!rc) {
		last = onto;
		rc = rev_walk_begin(c->walk, err);
	}
	while (!rc && (more = rev_walk_next(c->walk, &commit, err)) > 0) {
		struct replay_tip tip = c->revert ? last : onto;

		rc = replay_commit(&c->replay, commit, &tip, err);
		if (rc)
			break;
		last = tip;
		if (c->onto_name && !c->ref)
			update_branches(c, branches, commit, &tip);
	}
	if (!rc && more < 0)
		rc = more;
	if (!rc && (c->target || c->ref))
		update_target(c, &last);
	return rc;
}

static int update_refs(struct replay_command *c, struct err *err)
{
	struct strbuf log = STRBUF_INIT;
	int rc = 0;

	if (c->prints) {
		replay_print_updates(&c->replay, &c->out);
		return 0;
	}
	if (c->onto_name)
		strbuf_addf(&log, "replay --onto %s", oid_hex(&c->onto_given));
	else
		strbuf_addf(&log, "replay %s %s", c->advance ? "--advance" : "--revert", c->advance ? c->advance : c->revert);
	rc = replay_queue_updates(&c->replay, log.buf, err);
	strbuf_release(&log);
	return rc;
}

static int replay_all(struct replay_command *c, struct err *err)
{
	struct replay_branches branches = { .nr = 0 };
	int rc = replay_read_branches(&branches, c->r, err);

	if (!rc)
		rc = replay_begin(&c->replay, err);
	if (!rc)
		rc = replay_range(c, &branches, err);
	if (!rc)
		rc = update_refs(c, err);
	replay_release_branches(&branches);
	if (rc) {
		repo_operation_abort(c->replay.op);
		repo_operation_free(c->replay.op);
		return rc;
	}
	rc = replay_commit_updates(&c->replay, err);
	c->refs_failed = rc < 0 && rc != ERR_ABORTED;
	return rc;
}

/* An option that is unknown, or refs that cannot be moved, are an error; all else is fatal. Returns the exit code. */
static int report_failure(const struct replay_command *c, struct err *err)
{
	if (!c->refs_failed && (err->code != ERR_INVALID || !starts_with(err_message(err), "unrecognized argument: ")))
		return report_fatal(err);
	report_error(err);
	return 128;
}

int cmd_replay(int argc, const char **argv, struct command_ctx *ctx)
{
	struct replay_command c = { .r = ctx->repo, .out = STRBUF_INIT, .wanted = STRSET_INIT };
	struct option opts[] = {
		OPT_BOOL(0, "contained", &c.contained, "update all branches that point at commits of the range"),
		{ .type = OPTION_STRING, .long_name = "onto", .value = OPT_VALUE(const char *, &c.onto_name), .argh = "revision",
		  .help = "make the commits again on that one", .flags = PARSE_OPT_NONEG },
		{ .type = OPTION_STRING, .long_name = "advance", .value = OPT_VALUE(const char *, &c.advance), .argh = "branch",
		  .help = "make them again on that branch, and move it", .flags = PARSE_OPT_NONEG },
		{ .type = OPTION_STRING, .long_name = "revert", .value = OPT_VALUE(const char *, &c.revert), .argh = "branch",
		  .help = "undo the commits on that branch", .flags = PARSE_OPT_NONEG },
		{ .type = OPTION_STRING, .long_name = "ref", .value = OPT_VALUE(const char *, &c.ref), .argh = "ref",
		  .help = "the ref that gets the result", .flags = PARSE_OPT_NONEG },
		{ .type = OPTION_STRING, .long_name = "ref-action", .value = OPT_VALUE(const char *, &c.action), .argh = "mode",
		  .help = "update refs, or print what would be updated", .flags = PARSE_OPT_NONEG },
		OPT_END()
	};
	struct err err = ERR_INIT;
	int rc;

	argc = parse_options(argc, argv, opts, usage, PARSE_OPT_KEEP_ARGV0 | PARSE_OPT_KEEP_UNKNOWN | PARSE_OPT_NO_ABBREV);
	check_options(&c, opts);
	choose_action(&c);
	rc = log_options_init_plumbing(&c.log, c.r, &err);
	c.walk = c.log.walk;
	if (!rc)
		rc = log_options_parse(&c.log, argc, argv, &err);
	if (!rc) {
		read_ends(&c);
		find_onto(&c);
		if (check_ref(&c) < 0)
			exit(128);
		force_order(&c);
		c.replay = (struct replay){ .r = c.r, .op = repo_operation_begin(c.r), .pool = c.walk->pool, .revert = c.revert,
					    .committer = STRBUF_INIT };
		rc = replay_all(&c, &err);
	}
	if (!rc)
		fwrite(c.out.buf, 1, c.out.len, stdout);
	replay_end(&c.replay);
	log_options_release(&c.log);
	strset_clear(&c.wanted);
	strbuf_release(&c.out);
	free(c.target);
	if (rc < 0)
		return report_failure(&c, &err);
	return rc ? 1 : finish_stdout();
}

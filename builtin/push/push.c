/* SPDX-License-Identifier: GPL-2.0-only */
/* git-push(1) */
#include "compat/posix.h"
#include <signal.h>
#include "builtin/fetch/fetch.h"
#include "builtin/fetch/fetch-common.h"
#include "builtin/push/push-meter.h"
#include "builtin/push/push-report.h"
#include "builtin/push/push.h"
#include "cli/git-options.h"
#include "cli/submodule-option.h"
#include "history/names/revparse.h"
#include "util/alloc.h"
#include "util/run-command.h"

static const char *const usage[] = { "git push [<options>] [<repository> [<refspec>...]]", NULL };

/* ---- options ---- */

static int opt_lease(const struct option *opt, const char *arg, int unset)
{
	struct push_cmd *c = opt->value;
	const char *value = arg ? strchr(arg, ':') : NULL;
	struct object_id oid;

	if (unset) {
		strvec_clear(&c->leases);
		c->lease_for_all = false;
	} else if (arg) {
		if (value && value[1] && revparse_oid(c->r, value + 1, &oid, NULL) < 0)
			return error("cannot parse expected object name '%s'", value + 1);
		strvec_push(&c->leases, arg);
	} else {
		c->lease_for_all = true;
	}
	return 0;
}

static int opt_recurse(const struct option *opt, const char *arg, int unset)
{
	struct push_cmd *c = opt->value;

	c->recurse = unset ? "no" : arg;
	return 0;
}

static bool parse_signed(const char *text, enum push_signed *out)
{
	int truth = text ? config_parse_maybe_bool(text) : 1;

	if (truth >= 0)
		*out = truth ? PUSH_SIGNED_ALWAYS : PUSH_SIGNED_NEVER;
	else if (!strcasecmp(text, "if-asked"))
		*out = PUSH_SIGNED_IF_ASKED;
	else
		return false;
	return true;
}

static int push_opt_signed(const struct option *opt, const char *arg, int unset)
{
	struct push_cmd *c = opt->value;

	if (unset)
		c->sign = PUSH_SIGNED_NEVER;
	else if (!parse_signed(arg, &c->sign))
		die("bad signed argument: %s", arg);
	return 0;
}

/* ---- the configuration ---- */

static void flag_or_die(struct push_cmd *c, const char *key, int *flag)
{
	struct err err = ERR_INIT;
	bool value = *flag != 0;

	if (config_get_bool(c->r->config, key, &value, &err) < 0)
		die_err(&err);
	*flag = value;
}

/* An empty value takes back those before it. */
static void read_push_options(struct push_cmd *c)
{
	size_t nr;
	const struct config_entry *const *all = config_get_all(c->r->config, "push.pushoption", &nr);

	for (size_t i = 0; i < nr; i++) {
		if (!all[i]->value)
			die("missing value for 'push.pushoption'");
		if (*all[i]->value)
			strvec_push(&c->push_options, all[i]->value);
		else
			strvec_clear(&c->push_options);
	}
}

static void read_config(struct push_cmd *c)
{
	const struct config_entry *e = config_get(c->r->config, "push.gpgsign");
	const char *recurse = NULL;
	struct err err = ERR_INIT;

	flag_or_die(c, "push.followtags", &c->follow_tags);
	flag_or_die(c, "push.useforceifincludes", &c->if_includes);
	if (e && !parse_signed(e->value, &c->sign))
		die("invalid value for '%s'", "push.gpgsign");
	if (config_get_string(c->r->config, "push.recursesubmodules", &recurse, &err) < 0)
		die_err(&err);
	if (recurse)
		c->recurse = recurse;
}

static bool recurses(const struct push_cmd *c)
{
	int truth = c->recurse ? config_parse_maybe_bool(c->recurse) : 0;

	if (!truth)
		return false;
	if (truth < 0 && !strcmp(c->recurse, "check"))
		return true;
	if (truth > 0 || (strcmp(c->recurse, "on-demand") != 0 && strcmp(c->recurse, "only") != 0))
		die("bad recurse-submodules argument: %s", c->recurse);
	if (has_submodules(c->r, NULL))
		die("--recurse-submodules=%s is not available yet; there is 'check', and 'no'", c->recurse);
	return true;
}

/* ---- one URL ---- */

static int push_connect(struct push_cmd *c, const char *text, struct push_session **out,
			struct err *err)
{
	struct connect_options co = {
		.config = c->r->config, .ipv4 = c->ipv4, .ipv6 = c->ipv6, .verbosity = c->verbose - c->quiet,
		.program = c->receive_pack ? c->receive_pack : c->remote->receive_pack,
		.remote_name = c->remote->origin == REMOTE_UNCONFIGURED ? NULL : c->remote->name,
		.gitdir = c->r->gitdir_abs, .vcs = c->remote->vcs,
	};
	const struct push_session_options so = { .algo = c->r->algo, .config = c->r->config, .url = text,
						 .tell = show_remote_words };
	int rc = client_protocol_version(c->r->config, &co.version, err);

	/* There is no push in version 2. */
	if (co.version == 2)
		co.version = 0;
	return rc < 0 ? rc : push_session_open_url(out, text, &co, &so, err);
}

static unsigned match_flags(const struct push_cmd *c)
{
	return (c->mirror ? PUSH_MATCH_MIRROR | PUSH_MATCH_FORCE : 0) | (c->prune ? PUSH_MATCH_PRUNE : 0) |
	       (c->follow_tags ? PUSH_MATCH_FOLLOW_TAGS : 0) | (c->force ? PUSH_MATCH_FORCE : 0) |
	       (advice_enabled(c->r, "pushUnqualifiedRefName") ? PUSH_MATCH_ADVISE : 0);
}

/* Everything before something is sent. */
static int prepare(struct push_cmd *c, struct push_session *s, const char *url, struct err *err)
{
	const struct push_rules rules = { .atomic = c->atomic, .force_if_includes = c->if_includes, .remote = c->remote,
					  .leases = &c->leases, .lease_for_all = c->lease_for_all };
	int rc = push_match(&c->list, c->r, push_session_refs(s), &c->specs, match_flags(c), err);

	if (!rc)
		rc = push_check(&c->list, c->r, &rules, err);
	if (!rc && c->verify)
		rc = push_run_hook(c, url, err);
	if (!rc && recurses(c))
		rc = push_check_submodules(c, err);
	if (!rc && !c->list.nr && !push_session_refs(s)->nr) {
		fprintf(stderr, "%s\n", PUSH_NOTHING_TEXT);
		rc = ERR_ABORTED;
	}
	if (!rc && c->recurse && !strcmp(c->recurse, "only"))
		push_list_release(&c->list); /* submodules, of which there are none: not what has them */
	return rc;
}

static bool has_changes(const struct push_list *l)
{
	for (size_t i = 0; i < l->nr; i++)
		if (l->items[i].status != PUSH_UP_TO_DATE)
			return true;
	return false;
}

static int push_send(struct push_cmd *c, struct push_session *s, struct err *err)
{
	struct push_meters meters = { 0 };
	bool shown = !c->quiet && (c->progress > 0 || (c->progress < 0 && isatty(2)));
	struct push_request_options o = {
		.atomic = c->atomic, .thin = c->thin, .quiet = c->quiet || !shown, .dry_run = c->dry_run, .sign = c->sign,
		.push_options = &c->push_options, .meter = shown ? push_meters_show : NULL,
		.tell = push_meters_tell, .meter_data = &meters,
	};
	int rc = push_session_send(s, c->r, &o, &c->list, err);

	push_meters_stop(&meters);
	return rc;
}

static void print_table(struct push_cmd *c, const char *url)
{
	char *shown = url_for_display(url);
	const struct push_table t = { .r = c->r, .url = shown, .verbose = c->verbose > 0, .porcelain = c->porcelain };

	if (!c->quiet || push_has_errors(&c->list))
		push_table_print(&t, &c->list);
	free(shown);
}

/* 0, 1: some refs were refused; 128: nothing came of it. */
static int push_to(struct push_cmd *c, const char *url)
{
	struct push_session *s = NULL;
	struct err err = ERR_INIT;
	bool refused, sent = false;
	int rc;

	if (c->verbose > 0)
		fprintf(stderr, "Pushing to %s\n", url);
	rc = push_check_sources(c->r, &c->specs, &err);
	if (!rc && push_connect(c, url, &s, &err) < 0)
		return report_fatal(&err);
	if (!rc)
		rc = prepare(c, s, url, &err);
	if (!rc) {
		sent = true;
		rc = push_send(c, s, &err);
	}
	refused = push_has_errors(&c->list);
	if (c->atomic && !starts_with(url, "http") && !strstr(url, "::"))
		push_tell_atomic(&c->list);
	rc = push_session_end(s, rc, &err);
	if (rc < 0 && rc != ERR_ABORTED && rc != ERR_INVALID)
		return report_fatal(&err);
	if (rc < 0 && *err_message(&err) && err.code && err.msg)
		error("%s", err_message(&err));
	err_release(&err);
	if (sent)
		print_table(c, url);
	if (sent && !c->dry_run && push_record(c, &err) < 0) {
		refused = true;
		report_error(&err);
	}
	if (c->porcelain && sent) /* the table is whole, whatever was refused */
		puts("Done");
	else if (!rc && !refused && !c->quiet && !has_changes(&c->list))
		fprintf(stderr, "Everything up-to-date\n");
	if (!rc && !refused)
		return 0;
	{
		char *shown = url_for_display(url);

		error("failed to push some refs to '%s'", shown);
		free(shown);
	}
	push_advise(c);
	return 1;
}

/* ---- the command ---- */

static void check_combinations(struct push_cmd *c, int argc)
{
	if (c->deletes && (c->all || c->mirror || c->tags))
		die("options '%s' and '%s' cannot be used together", "--delete", "--all/--branches/--mirror/--tags");
	if (c->deletes && argc < 2)
		die("--delete doesn't make sense without any refs");
	if (c->all && c->mirror)
		die("options '%s' and '%s' cannot be used together", "--all/--branches", "--mirror");
	if (c->tags && (c->all || c->mirror))
		die("options '%s' and '%s' cannot be used together", "--tags", c->all ? "--all/--branches" : "--mirror");
	if (c->all && argc > 1)
		die("--all can't be combined with refspecs");
	if (c->mirror && argc > 1)
		die("--mirror can't be combined with refspecs");
	for (size_t i = 0; i < c->push_options.nr; i++)
		if (strchr(c->push_options.v[i], '\n'))
			die("push options must not have new line characters");
}

/* remote.<name>.mirror is as the option. Git lets --all and --tags have their way beside the key, not refspecs. */
static void use_mirror(struct push_cmd *c, int argc)
{
	if (!c->remote->mirror)
		return;
	if (argc > 1)
		die("--mirror can't be combined with refspecs");
	if (!c->all && !c->tags)
		c->mirror = 1;
}

static void push_choose_refspecs(struct push_cmd *c, int argc, const char **argv)
{
	use_mirror(c, argc);
	push_add_arguments(c, argc > 1 ? argc - 1 : 0, argv + 1);
	if (c->specs.nr)
		return;
	c->refspecs_are_default = !c->mirror;
	for (size_t i = 0; i < c->remote->push.nr; i++) {
		struct err err = ERR_INIT;

		if (refspec_add(&c->specs, c->remote->push.items[i].text, c->r->algo, &err) < 0)
			die_err(&err);
	}
	if (!c->specs.nr && !c->mirror)
		push_add_default(c);
}

static int push_to_all(struct push_cmd *c)
{
	int code = 0;

	for (size_t i = 0; i < c->remote->push_urls.nr; i++) {
		int one = push_to(c, c->remote->push_urls.v[i]);

		if (one > code)
			code = one;
		push_list_release(&c->list);
	}
	return code;
}

/* ---- a group of remotes ---- */

/* The command line for one member: `name` is in the place of the group's. */
static void add_member_arguments(struct strvec *out, const char *const *given, const char *group, const char *name)
{
	for (; *given; given++) {
		const char *arg = *given, *value;

		if (arg == group) /* the very argument */
			strvec_push(out, name);
		else if (skip_prefix(arg, "--repo=", &value) && value == group)
			strvec_pushf(out, "--repo=%s", name);
		else
			strvec_push(out, arg);
	}
}

/* One after the other, each by a command of its own. */
static int push_to_group(const struct push_cmd *c, const struct strvec *names, const char *const *given)
{
	int code = 0;

	for (size_t i = 0; i < names->nr; i++) {
		struct child_process cp = CHILD_PROCESS_INIT;
		struct err err = ERR_INIT;

		if (!c->quiet)
			printf("Pushing to %s\n", names->v[i]);
		fflush(stdout);
		push_own_command(&cp.args, "push");
		strvec_push(&cp.args, "--no-group");
		add_member_arguments(&cp.args, given, c->repo_name, names->v[i]);
		if (run_command(&cp, &err)) {
			error("could not push to %s", names->v[i]);
			code = 1;
		}
		err_release(&err);
	}
	return code;
}

int cmd_push(int argc, const char **argv, struct command_ctx *ctx)
{
	struct push_cmd c = { .r = ctx->repo, .specs = REFSPEC_INIT(REFSPEC_PUSH), .verify = 1, .thin = 1, .progress = -1,
			      .leases = STRVEC_INIT, .push_options = STRVEC_INIT };
	struct strvec given = STRVEC_INIT, members = STRVEC_INIT;
	const char *repo = NULL, **words;
	int code, verbosity = 0, group = 1; /* group 0: we push to a member of one */
	struct option opts[] = {
		OPT__VERBOSITY(&verbosity),
		OPT_STRING(0, "repo", &repo, "repository", "repository"),
		OPT_BOOL(0, "all", &c.all, "push all branches"),
		OPT_BOOL(0, "branches", &c.all, "alias of --all"),
		OPT_BOOL(0, "mirror", &c.mirror, "mirror all refs"),
		OPT_BOOL('d', "delete", &c.deletes, "delete refs"),
		OPT_BOOL(0, "tags", &c.tags, "push tags (can't be used with --all or --branches or --mirror)"),
		OPT_BOOL('n', "dry-run", &c.dry_run, "dry run"),
		OPT_BOOL(0, "porcelain", &c.porcelain, "machine-readable output"),
		OPT_BOOL('f', "force", &c.force, "force updates"),
		OPT_CALLBACK_F(0, "force-with-lease", &c, "<refname>:<expect>",
			       "require old value of ref to be at this value", PARSE_OPT_OPTARG, opt_lease),
		OPT_BOOL(0, "force-if-includes", &c.if_includes, "require remote updates to be integrated locally"),
		OPT_CALLBACK(0, "recurse-submodules", &c, "(check|on-demand|no)",
			     "control recursive pushing of submodules", opt_recurse),
		OPT_BOOL(0, "thin", &c.thin, "use thin pack"),
		OPT_STRING(0, "receive-pack", &c.receive_pack, "receive-pack", "receive pack program"),
		OPT_STRING(0, "exec", &c.receive_pack, "receive-pack", "receive pack program"),
		OPT_BOOL('u', "set-upstream", &c.set_upstream, "set upstream for git pull/status"),
		OPT_BOOL(0, "progress", &c.progress, "force progress reporting"),
		OPT_BOOL(0, "prune", &c.prune, "prune locally removed refs"),
		OPT_BOOL(0, "verify", &c.verify, "run the pre-push hook"),
		OPT_BOOL(0, "follow-tags", &c.follow_tags, "push missing but relevant tags"),
		OPT_CALLBACK_F(0, "signed", &c, "(yes|no|if-asked)", "GPG sign the push",
			       PARSE_OPT_OPTARG, push_opt_signed),
		OPT_BOOL(0, "atomic", &c.atomic, "request atomic transaction on remote side"),
		OPT_STRVEC('o', "push-option", &given, "server-specific", "option to transmit"),
		OPT_BOOL('4', "ipv4", &c.ipv4, "use IPv4 addresses only"),
		OPT_BOOL('6', "ipv6", &c.ipv6, "use IPv6 addresses only"),
		{ OPTION_BOOL, 0, "group", OPT_VALUE(int, &group), NULL, NULL, PARSE_OPT_HIDDEN, NULL, 1 },
		OPT_END()
	};

	/* parsing moves the arguments */
	words = xmemdup(argv + 1, (size_t)argc * sizeof(*argv));
	if (c.r)
		read_config(&c); /* else only -h is asked for */
	argc = parse_options(argc, argv, opts, usage, 0);
	c.verbose = verbosity > 0 ? verbosity : 0;
	c.quiet = verbosity < 0 ? -verbosity : 0;
	if (given.nr)
		strvec_pushv(&c.push_options, given.v);
	else
		read_push_options(&c);
	check_combinations(&c, argc);
	c.repo_name = argc ? argv[0] : repo;
	if (group && c.repo_name && remote_group_add(c.r, c.repo_name, &members)) {
		if (c.atomic)
			die("--atomic can only be used when pushing to one remote");
		code = push_to_group(&c, &members, words);
		strvec_clear(&members);
		free(words);
		return finish_stdout() ? 128 : code;
	}
	free(words);
	signal(SIGPIPE, SIG_IGN);
	push_choose_remote(&c);
	push_choose_refspecs(&c, argc, argv);
	code = push_to_all(&c);
	refspec_release(&c.specs);
	strvec_clear(&c.leases);
	strvec_clear(&c.push_options);
	strvec_clear(&given);
	free(c.branch);
	return finish_stdout() ? 128 : code;
}

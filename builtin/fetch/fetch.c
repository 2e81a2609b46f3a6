/* SPDX-License-Identifier: GPL-2.0-only */
/* git-fetch(1) */
#include "compat/posix.h"
#include <unistd.h>
#include "builtin/builtin.h"
#include "builtin/fetch/fetch.h"
#include "cli/filter-option.h"
#include "cli/git-options.h"
#include "cli/stdin-lines.h"
#include "cli/submodule-option.h"
#include "history/history.h"
#include "porcelain/auto-maintenance.h"
#include "porcelain/lazy-fetch.h"
#include "porcelain/remote-credentials.h"
#include "util/alloc.h"
#include "util/date.h"
#include "util/run-command.h"

static const char *const usage[] = {
	"git fetch [<options>] [<repository> [<refspec>...]]",
	"git fetch [<options>] <group>",
	"git fetch --multiple [<options>] [(<repository>|<group>)...]",
	"git fetch --all [<options>]",
	NULL
};

/* ---- options ---- */

static int fetch_opt_filter(const struct option *opt, const char *arg, int unset)
{
	struct fetch_cmd *f = opt->value;
	const struct option spec = { .value = &f->filter };

	f->filter_none = unset;
	f->filter_text = arg;
	f->filter_auto = !unset && !strcmp(arg, "auto");
	return f->filter_auto ? filter_option(&spec, NULL, 1) : filter_option(&spec, arg, unset);
}

static int opt_refmap(const struct option *opt, const char *arg, int unset)
{
	struct fetch_cmd *f = opt->value;

	f->o.has_refmap = !unset;
	if (unset)
		strvec_clear(&f->refmap);
	else if (*arg)
		strvec_push(&f->refmap, arg);
	return 0;
}

static int fetch_opt_recurse(const struct option *opt, const char *arg, int unset)
{
	const char **value = opt->value;

	*value = unset ? "no" : arg ? arg : "yes";
	return 0;
}

static int fetch_depth_or_die(const char *text)
{
	char *end;
	long n = strtol(text, &end, 10);

	if (*end || end == text)
		die("depth %s is not a positive number", text);
	if (n < 1 || n > FETCH_DEPTH_INFINITE)
		die("depth %s is not a positive number", text);
	return (int)n;
}

static void fetch_set_depth(struct fetch_cmd *f)
{
	struct fetch_wanted *w = &f->o.wanted;
	struct oid_array boundary = OID_ARRAY_INIT;
	struct err err = ERR_INIT;

	if (f->deepen) {
		char *end;
		long n = strtol(f->deepen, &end, 10);

		if (f->depth)
			die("options '--deepen' and '--depth' cannot be used together");
		if (n < 0)
			die("negative depth in --deepen is not supported");
		if (*end)
			die("depth %s is not a positive number", f->deepen);
		w->depth = (int)n;
		w->deepen_relative = true;
	}
	if (f->unshallow) {
		if (f->depth)
			die("options '--depth' and '--unshallow' cannot be used together");
		if (repo_shallow_boundary(f->r, &boundary, &err) < 0)
			die_err(&err);
		if (!boundary.nr)
			die("--unshallow on a complete repository does not make sense");
		w->depth = FETCH_DEPTH_INFINITE;
		oid_array_clear(&boundary);
	}
	if (f->depth)
		w->depth = fetch_depth_or_die(f->depth);
	if (f->since)
		w->deepen_since = date_approxidate(f->since, NULL);
	if (f->deepen_not.nr)
		w->deepen_not = &f->deepen_not;
}

/* ---- the configuration ---- */

static bool fetch_bool_or_die(struct fetch_cmd *f, const char *key, bool value)
{
	struct err err = ERR_INIT;

	if (config_get_bool(f->r->config, key, &value, &err) < 0)
		die_err(&err);
	return value;
}

static void read_output(struct fetch_cmd *f)
{
	const char *value = "full";
	struct err err = ERR_INIT;

	if (config_get_string(f->r->config, "fetch.output", &value, &err) < 0)
		die_err(&err);
	f->o.porcelain = f->porcelain;
	f->o.compact = !strcasecmp(value, "compact");
	if (!f->o.compact && strcasecmp(value, "full"))
		die("invalid value for '%s': '%s'", "fetch.output", value);
}

static void read_checks(struct fetch_cmd *f)
{
	const char *algorithm = "consecutive";
	struct err err = ERR_INIT;
	bool wanted = false;

	if (read_fetch_checks(&f->checks, f->r->config, f->r->algo, &wanted, &err) < 0)
		die_err(&err);
	if (wanted)
		f->o.wanted.fsck = &f->checks.fsck;
	if (config_get_string(f->r->config, "fetch.negotiationalgorithm", &algorithm, &err) < 0 ||
	    negotiation_algorithm_parse(algorithm, &f->o.wanted.algorithm, &err) < 0)
		die_err(&err);
}

static void read_bundles(struct fetch_cmd *f)
{
	const struct config_entry *token = config_get(f->r->config, "fetch.bundlecreationtoken");
	struct err err = ERR_INIT;

	if (config_get_string(f->r->config, "fetch.bundleuri", &f->o.bundle_uri, &err) < 0)
		die_err(&err);
	/* A fetch writes it. As in Git, all bundles are new where it is no number. */
	f->o.bundle_token = token && token->value ? strtoumax(token->value, NULL, 10) : 0;
	if (f->o.bundle_uri && !*f->o.bundle_uri)
		f->o.bundle_uri = NULL;
}

static void read_pruning(struct fetch_cmd *f, const struct remote *remote)
{
	if (f->o.prune < 0)
		f->o.prune = remote->prune >= 0 ? remote->prune : fetch_bool_or_die(f,
										    "fetch.prune", false);
	if (f->o.prune_tags < 0)
		f->o.prune_tags = remote->prune_tags >= 0 ? remote->prune_tags
			: fetch_bool_or_die(f, "fetch.prunetags", false);
}

/* Reads the configured filter of a promisor remote. */
static void read_filter(struct fetch_cmd *f, const struct remote *remote)
{
	bool given = f->filter.nr || f->filter_auto;
	struct err err = ERR_INIT;

	if (given && remote->origin == REMOTE_UNCONFIGURED)
		die("--filter can only be used with a remote that is configured");
	if (given && !remote->promisor)
		f->o.new_filter = f->filter_text;
	f->o.wanted.from_promisor = remote->promisor || given;
	f->o.wanted.filter_auto = f->filter_auto;
	f->o.wanted.filter = &f->filter;
	if (given || f->filter_none || !remote->promisor || !remote->filter)
		return;
	f->o.wanted.filter_auto = !strcmp(remote->filter, "auto");
	if (f->o.wanted.filter_auto)
		return;
	if (filter_spec_parse(&f->remote_filter, remote->filter, &err) < 0)
		die_err(&err);
	f->o.wanted.filter = &f->remote_filter;
}

/* ---- one remote ---- */

static void add_refspecs(struct fetch_cmd *f, int argc, const char **argv)
{
	struct stdin_lines in = STDIN_LINES_INIT;
	struct strbuf line = STRBUF_INIT;
	struct err err = ERR_INIT;
	int rc = 0;

	for (int i = 0; !rc && i < argc; i++) {
		char *text;

		if (strcmp(argv[i], "tag")) {
			rc = refspec_add(&f->o.given, argv[i], f->r->algo, &err);
			continue;
		}
		if (++i >= argc)
			die("you need to specify a tag name");
		text = xstrfmt("refs/tags/%s:refs/tags/%s", argv[i], argv[i]);
		rc = refspec_add(&f->o.given, text, f->r->algo, &err);
		free(text);
	}
	while (!rc && f->from_stdin && stdin_lines_next(&in, &line))
		rc = refspec_add(&f->o.given, line.buf, f->r->algo, &err);
	for (size_t i = 0; !rc && i < f->refmap.nr; i++)
		rc = refspec_add(&f->o.refmap, f->refmap.v[i], f->r->algo, &err);
	if (rc < 0)
		die_err(&err);
	stdin_lines_release(&in);
	strbuf_release(&line);
}

static char *reflog_action(int argc, const char **argv)
{
	const char *env = getenv("GIT_REFLOG_ACTION");
	struct strbuf action = STRBUF_INIT;

	if (env)
		return xstrdup(env);
	strbuf_addstr(&action, "fetch");
	for (int i = 0; i < argc; i++) {
		char *shown = url_has_scheme(argv[i]) ? url_for_display(argv[i]) : xstrdup(argv[i]);

		strbuf_addf(&action, " %s", shown);
		free(shown);
	}
	return strbuf_detach(&action, NULL);
}

static void fetch_resolve_options(struct fetch_cmd *f, struct remote *remote)
{
	struct fetch_options *o = &f->o;
	struct err err = ERR_INIT;

	o->tags = f->tags < 0 ? REMOTE_TAGS_DEFAULT : f->tags ? REMOTE_TAGS_ALL : REMOTE_TAGS_NONE;
	o->append = f->append;
	o->atomic = f->atomic;
	o->dry_run = f->dry_run;
	o->force = f->force > 0;
	o->prefetch = f->prefetch;
	o->set_upstream = f->set_upstream;
	o->update_head_ok = f->update_head_ok;
	o->no_fetch_head = !f->write_fetch_head;
	o->no_forced_check = !f->forced_updates;
	o->verbosity = f->verbose - f->quiet;
	o->warn = warning_callback;
	o->say_error = error_callback;
	o->wanted.keep = f->keep;
	o->wanted.refetch = f->refetch;
	o->wanted.update_shallow = f->update_shallow;
	o->wanted.quiet = o->verbosity < 0 || !(f->show_progress > 0 || (f->show_progress < 0 && isatty(2)));
	if (!o->wanted.quiet) {
		o->wanted.meter = pack_progress_update;
		o->wanted.meter_data = &f->progress;
	}
	fetch_read_tips(f, remote);
	o->connect.config = f->r->config;
	o->connect.ipv4 = f->ipv4;
	o->connect.ipv6 = f->ipv6;
	o->connect.verbosity = o->verbosity;
	if (client_protocol_version(f->r->config, &o->connect.version, &err) < 0)
		die_err(&err);
	o->gitdir = f->r->gitdir;
	o->session = (struct fetch_session_options){
		.algo = f->r->algo, .config = f->r->config,
		.server_options = &f->server_options, .tell = o->verbosity < 0 ? NULL : show_remote_words,
	};
	fetch_set_depth(f);
	read_output(f);
	read_checks(f);
	read_bundles(f);
	read_pruning(f, remote);
	read_filter(f, remote);
}

static int find_remote(struct fetch_cmd *f, const char *name, struct remote **out, struct err *err)
{
	int rc = repo_remote(f->r, name, out, err);

	if (!rc)
		rc = remote_check_credentials(f->r->config, *out, err);
	if (rc < 0 || (*out)->urls.nr)
		return rc;
	return err_set(err, ERR_INVALID, "'%s' does not appear to be a git repository", (*out)->name);
}

static int fetch_one(struct fetch_cmd *f, const char *name, int argc, const char **argv, const char *action)
{
	struct remote *remote = NULL;
	struct err err = ERR_INIT;
	int rc = find_remote(f, name, &remote, &err);

	if (rc < 0)
		return report_fatal(&err);
	f->o.reflog_action = action;
	add_refspecs(f, argc, argv);
	fetch_resolve_options(f, remote);
	if (f->negotiate_only)
		return fetch_print_common(f, remote);
	rc = fetch_from(f->r, remote, &f->o, &err);
	pack_progress_stop(&f->progress);
	if (rc < 0)
		return report_fatal(&err);
	return rc;
}

/* ---- --promised: what another command of ours has missed (porcelain/lazy-fetch.h) ---- */

static int read_oids(struct fetch_cmd *f, struct oid_array *out, struct err *err)
{
	struct stdin_lines in = STDIN_LINES_INIT;
	struct strbuf line = STRBUF_INIT;
	struct object_id oid;
	int rc = 0;

	while (!rc && stdin_lines_next(&in, &line)) {
		rc = oid_from_hex(&oid, line.buf, f->r->algo);
		if (rc < 0)
			rc = err_set(err, ERR_INVALID, "'%s' is no object name", line.buf);
		else
			oid_array_append(out, &oid);
	}
	stdin_lines_release(&in);
	strbuf_release(&line);
	return rc;
}

static int get_promised(struct fetch_cmd *f, struct remote *remote, struct err *err)
{
	struct fetch_session *s = NULL;
	struct oid_array oids = OID_ARRAY_INIT;
	struct repo_operation *op;
	struct fetch_result result;
	int rc = read_oids(f, &oids, err);

	fetch_result_init(&result);
	if (!rc)
		rc = fetch_open_session(&s, remote, &f->o, err);
	if (!rc) {
		op = repo_operation_begin(f->r);
		rc = promised_get(s, f->r, &oids, &f->o.wanted, op, &result, err);
		pack_progress_stop(&f->progress);
		rc = repo_operation_end(op, rc, err);
	}
	fetch_result_release(&result);
	oid_array_clear(&oids);
	return rc;
}

static int fetch_promised(struct fetch_cmd *f, const char *name)
{
	struct remote *remote = NULL;
	struct err err = ERR_INIT;
	int rc = find_remote(f, name, &remote, &err);

	if (rc < 0)
		return report_fatal(&err);
	fetch_resolve_options(f, remote);
	rc = get_promised(f, remote, &err);
	return rc < 0 ? report_fatal(&err) : 0;
}

/* ---- afterwards ---- */

static void write_graph(struct fetch_cmd *f)
{
	struct child_process cp = CHILD_PROCESS_INIT;
	struct err err = ERR_INIT;
	bool wanted = f->write_graph > 0 || (f->write_graph < 0 && fetch_bool_or_die(f,
										     "fetch.writecommitgraph", false));

	if (!wanted)
		return;
	push_own_command(&cp.args, "commit-graph");
	strvec_pushl(&cp.args, "write", "--reachable", "--split", f->verbose > f->quiet ? "--progress" : "--no-progress",
		     NULL);
	if (run_command(&cp, &err) < 0)
		report_error(&err);
}

/* As in Git, a fetch from nowhere is no error: it is one of no remotes. */
static bool is_anywhere(struct fetch_cmd *f, const char *name)
{
	struct remote *remote = NULL;
	struct err err = ERR_INIT;

	if (repo_remote(f->r, name, &remote, &err) < 0)
		die_err(&err);
	return remote->urls.nr > 0;
}

static int fetch_several(struct fetch_cmd *f, const struct strvec *names)
{
	if (f->negotiate_only)
		die("must supply remote when using --negotiate-only");
	if (f->atomic)
		die("--atomic can only be used when fetching from one remote");
	if (f->from_stdin)
		die("--stdin can only be used when fetching from one remote");
	return fetch_many(f, names);
}

static int run(struct fetch_cmd *f, int argc, const char **argv, const char *action)
{
	struct strvec names = STRVEC_INIT;
	int code;

	if (f->all > 0 || (f->all < 0 && !argc && fetch_bool_or_die(f, "fetch.all", false))) {
		if (argc == 1 && f->all > 0)
			die("fetch --all does not take a repository argument");
		if (argc > 1)
			die("fetch --all does not make sense with refspecs");
		fetch_add_all_remotes(f, &names);
	} else if (f->multiple > 0) {
		for (int i = 0; i < argc; i++)
			fetch_add_remotes(f, argv[i], &names);
	} else if (argc && f->multiple < 0 && remote_group_add(f->r, argv[0], &names) && argc > 1) {
		die("fetching a group and specifying refspecs does not make sense");
	}
	if (names.nr == 1 && f->multiple <= 0) {
		code = fetch_one(f, names.v[0], 0, NULL, action);
	} else if (names.nr || f->all > 0 || f->multiple > 0 || !is_anywhere(f, argc ? argv[0] : NULL)) {
		code = fetch_several(f, &names);
	} else {
		code = fetch_one(f, argc ? argv[0] : NULL, argc ? argc - 1 : 0, argv + 1, action);
	}
	strvec_clear(&names);
	return code;
}

static void check_recursing(struct fetch_cmd *f)
{
	int truth = f->recurse ? config_parse_maybe_bool(f->recurse) : 0;

	if (truth < 0 && strcmp(f->recurse, "on-demand") != 0)
		die("bad recurse-submodules argument: %s", f->recurse);
	if (truth > 0)
		refuse_submodules(f->r, NULL, "--recurse-submodules");
}

static void check_options(struct fetch_cmd *f)
{
	if (f->negotiate_only && f->recurse && strcmp(f->recurse, "no"))
		die("options '--negotiate-only' and '--recurse-submodules' cannot be used together");
	check_recursing(f);
	if (f->negotiate_only && !f->restrict_to.nr)
		die("--negotiate-only needs one or more --negotiation-restrict=*");
}

/* What the command line leaves open. */
static void read_defaults(struct fetch_cmd *f)
{
	if (f->forced_updates < 0)
		f->forced_updates = fetch_bool_or_die(f, "fetch.showforcedupdates", true);
	if (f->jobs < 0) {
		f->jobs = 1;
		(void)!config_get_int(f->r->config, "fetch.parallel", &f->jobs, NULL);
	}
	if (!f->jobs)
		f->jobs = (int)sysconf(_SC_NPROCESSORS_ONLN);
}

/* The commit-graph, maintenance and standard output. Returns the exit code; `code` is the one of the fetch. */
static int finish_fetch(struct fetch_cmd *f, int code)
{
	if (code < 128 && !f->dry_run && !f->promised && !f->negotiate_only)
		write_graph(f);
	if (code < 128 && f->auto_maintenance && !f->promised && !f->negotiate_only)
		auto_maintenance(f->r, f->quiet > 0);
	return finish_stdout() ? 128 : code;
}

static void release_fetch(struct fetch_cmd *f)
{
	refspec_release(&f->o.given);
	refspec_release(&f->o.refmap);
	filter_spec_release(&f->filter);
	filter_spec_release(&f->remote_filter);
	oid_array_clear(&f->tip_oids);
	oid_array_clear(&f->include_oids);
	strvec_clear(&f->restrict_to);
	strvec_clear(&f->include);
	strvec_clear(&f->refmap);
	strvec_clear(&f->deepen_not);
	strvec_clear(&f->server_options);
	pack_checks_release(&f->checks);
}

/* Long because of the table of options. */
int cmd_fetch(int argc, const char **argv, struct command_ctx *ctx)
{
	struct fetch_cmd f = {
		.r = ctx->repo, .tags = -1, .all = -1, .multiple = -1, .jobs = -1, .show_progress = -1, .auto_maintenance = 1,
		.write_graph = -1, .write_fetch_head = 1, .forced_updates = -1,
		.o = { .given = REFSPEC_INIT(REFSPEC_FETCH), .refmap = REFSPEC_INIT(REFSPEC_FETCH), .prune = -1,
		       .prune_tags = -1 },
		.filter = FILTER_SPEC_INIT, .remote_filter = FILTER_SPEC_INIT, .restrict_to = STRVEC_INIT, .include = STRVEC_INIT,
		.refmap = STRVEC_INIT, .deepen_not = STRVEC_INIT, .server_options = STRVEC_INIT,
		.progress = { .reading = "Receiving objects", .unpacking = "Unpacking objects", .resolving = "Resolving deltas", .forced = true },
	};
	int verbosity = 0;
	struct option opts[] = {
		OPT__VERBOSITY(&verbosity),
		OPT_BOOL(0, "all", &f.all, "fetch from all remotes"),
		OPT_BOOL(0, "set-upstream", &f.set_upstream, "set upstream for git pull/fetch"),
		OPT_BOOL('a', "append", &f.append, "append to .git/FETCH_HEAD instead of overwriting"),
		OPT_BOOL(0, "atomic", &f.atomic, "use atomic transaction to update references"),
		OPT_STRING(0, "upload-pack", &f.o.connect.program, "path", "path to upload pack on remote end"),
		OPT__FORCE(&f.force, "force overwrite of local reference"),
		OPT_BOOL('m', "multiple", &f.multiple, "fetch from multiple remotes"),
		OPT_BOOL('t', "tags", &f.tags, "fetch all tags and associated objects"),
		OPT_SET_INT('n', NULL, &f.tags, "do not fetch all tags (--no-tags)", 0),
		OPT_INTEGER('j', "jobs", &f.jobs, "number of submodules fetched in parallel"),
		OPT_BOOL(0, "prefetch", &f.prefetch, "modify the refspec to place all refs within refs/prefetch/"),
		OPT_BOOL('p', "prune", &f.o.prune, "prune remote-tracking branches no longer on remote"),
		OPT_BOOL('P', "prune-tags", &f.o.prune_tags, "prune local tags no longer on remote and clobber changed tags"),
		OPT_CALLBACK_F(0, "recurse-submodules-default", &f.recurse_default, "on-demand",
			       "the default of --recurse-submodules", PARSE_OPT_HIDDEN | PARSE_OPT_NONEG, fetch_opt_recurse),
		OPT_CALLBACK_F(0, "submodule-prefix", &f.submodule_prefix, "dir", "what to put in front of paths of submodules",
			       PARSE_OPT_HIDDEN | PARSE_OPT_NONEG, fetch_opt_recurse),
		OPT_CALLBACK_F(0, "recurse-submodules", &f.recurse, "on-demand",
			       "control recursive fetching of submodules", PARSE_OPT_OPTARG, fetch_opt_recurse),
		OPT_BOOL(0, "dry-run", &f.dry_run, "dry run"),
		OPT_BOOL(0, "porcelain", &f.porcelain, "machine-readable output"),
		OPT_BOOL(0, "write-fetch-head", &f.write_fetch_head, "write fetched references to the FETCH_HEAD file"),
		OPT_BOOL('k', "keep", &f.keep, "keep downloaded pack"),
		OPT_BOOL('u', "update-head-ok", &f.update_head_ok, "allow updating of HEAD ref"),
		OPT_BOOL(0, "progress", &f.show_progress, "force progress reporting"),
		OPT_STRING(0, "depth", &f.depth, "depth", "deepen history of shallow clone"),
		OPT_STRING(0, "shallow-since", &f.since, "time", "deepen history of shallow repository based on time"),
		OPT_STRVEC(0, "shallow-exclude", &f.deepen_not, "ref",
			     "deepen history of shallow clone, excluding ref"),
		OPT_STRING(0, "deepen", &f.deepen, "n", "deepen history of shallow clone"),
		OPT_BOOL(0, "unshallow", &f.unshallow, "convert to a complete repository"),
		OPT_BOOL(0, "refetch", &f.refetch, "re-fetch without negotiating common commits"),
		OPT_BOOL(0, "update-shallow", &f.update_shallow, "accept refs that update .git/shallow"),
		OPT_CALLBACK(0, "refmap", &f, "refmap", "specify fetch refmap", opt_refmap),
		OPT_STRVEC('o', "server-option", &f.server_options, "server-specific", "option to transmit"),
		OPT_BOOL('4', "ipv4", &f.ipv4, "use IPv4 addresses only"),
		OPT_BOOL('6', "ipv6", &f.ipv6, "use IPv6 addresses only"),
		OPT_STRVEC(0, "negotiation-restrict", &f.restrict_to, "revision",
			     "report that we have only objects reachable from this object"),
		OPT_STRVEC(0, "negotiation-tip", &f.restrict_to, "revision", "alias of --negotiation-restrict"),
		OPT_STRVEC(0, "negotiation-include", &f.include, "revision",
			     "report that we have this object, whatever else is reported"),
		OPT_BOOL(0, "negotiate-only", &f.negotiate_only, "do not fetch a packfile; instead, print ancestors"),
		OPT_CALLBACK(0, "filter", &f, "args", "object filtering", fetch_opt_filter),
		OPT_BOOL(0, "auto-maintenance", &f.auto_maintenance, "run 'maintenance --auto' after fetching"),
		OPT_BOOL(0, "auto-gc", &f.auto_maintenance, "run 'maintenance --auto' after fetching"),
		OPT_BOOL(0, "show-forced-updates", &f.forced_updates, "check for forced-updates on all updated branches"),
		OPT_BOOL(0, "write-commit-graph", &f.write_graph, "write the commit-graph after fetching"),
		OPT_BOOL(0, "promised", &f.promised, "fetch the objects that stdin names"),
		OPT_BOOL(0, "stdin", &f.from_stdin, "accept refspecs from stdin"),
		OPT_END()
	};
	char *action = reflog_action(argc - 1, argv + 1);
	int code;

	pack_checks_init(&f.checks, print_pack_finding);
	argc = parse_options(argc, argv, opts, usage, 0);
	f.verbose = verbosity > 0 ? verbosity : 0;
	f.quiet = verbosity < 0 ? -verbosity : 0;
	check_options(&f);
	read_defaults(&f);
	if (f.promised && argc != 1)
		usage_with_options(usage, opts);
	code = f.promised ? fetch_promised(&f, argv[0]) : run(&f, argc, argv, action);
	code = finish_fetch(&f, code);
	free(action);
	release_fetch(&f);
	return code;
}

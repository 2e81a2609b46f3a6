/* SPDX-License-Identifier: GPL-2.0-only */
/* git-clone(1) */
#include "compat/posix.h"
#include <unistd.h>
#include "attr/convert.h"
#include "builtin/builtin.h"
#include "builtin/fetch/clone.h"
#include "cli/submodule-option.h"
#include "fs/file.h"
#include "repo/ref-storage.h"
#include "repo/remotes.h"
#include "util/alloc.h"
#include "util/date.h"
#include "util/progress.h"

static const char *const usage[] = { "git clone [<options>] [--] <repo> [<dir>]", NULL };

static void say(void *data UNUSED, const char *text)
{
	fputs(text, stderr);
}

/* ---- options ---- */

static int clone_opt_filter(const struct option *opt, const char *arg, int unset)
{
	struct clone_cmd *cc = opt->value;
	struct err err = ERR_INIT;

	filter_spec_release(&cc->filter);
	cc->filter_text = unset ? NULL : arg;
	if (!unset && strcmp(arg, "auto") != 0 && filter_spec_parse(&cc->filter, arg, &err) < 0)
		die_err(&err);
	return 0;
}

static int clone_opt_recurse(const struct option *opt, const char *arg, int unset)
{
	struct strvec *list = opt->value;

	if (unset)
		strvec_clear(list);
	else
		strvec_push(list, arg ? arg : ".");
	return 0;
}

static void check_ref_format(const struct clone_cmd *cc)
{
	const struct ref_backend *refs;
	struct err err = ERR_INIT;

	if (cc->ref_format && ref_storage_by_name(&refs, cc->ref_format, &err) < 0)
		die("%s", err_message(&err));
}

/* They would come now. */
static void check_submodules(const struct clone_cmd *cc)
{
	const struct clone_place *p = &cc->o.place;
	struct repository *r;
	struct err err = ERR_INIT;

	if (!cc->submodules.nr || !p->worktree || cc->o.no_checkout)
		return;
	if (repo_open_at(&r, p->gitdir, p->worktree, &err) < 0)
		die_err(&err);
	refuse_submodules(r, NULL, "--recurse-submodules");
	repo_free(r);
}

static void not_together(bool a, const char *one, bool b, const char *other)
{
	if (a && b)
		die("options '%s' and '%s' cannot be used together", one, other);
}

static void check_combinations(struct clone_cmd *cc)
{
	check_ref_format(cc);
	if (cc->also_filter_submodules && (!cc->filter_text || !cc->submodules.nr))
		die("the option '%s' requires '%s'", "--also-filter-submodules",
		    cc->filter_text ? "--recurse-submodules" : "--filter");
	not_together(cc->bare > 0, "--bare", cc->separate != NULL, "--separate-git-dir");
	not_together(cc->o.revision, "--revision", cc->o.branch, "--branch");
	not_together(cc->o.revision, "--revision", cc->mirror, "--mirror");
	not_together(cc->bundle_uri, "--bundle-uri", cc->depth || cc->since || cc->deepen_not.nr,
		     "--depth/--shallow-since/--shallow-exclude");
	if (cc->mirror)
		cc->bare = 1;
	not_together(cc->bare > 0, cc->mirror ? "--mirror" : "--bare", cc->sparse > 0, "--sparse");
	if (cc->bare > 0)
		cc->no_checkout = 1;
	if (cc->single_branch < 0)
		cc->single_branch = cc->depth || cc->since || cc->deepen_not.nr;
}

static int clone_depth_or_die(const char *text)
{
	char *end;
	long n = strtol(text, &end, 10);

	if (*end || end == text || n < 1 || n > FETCH_DEPTH_INFINITE)
		die("depth %s is not a positive number", text);
	return (int)n;
}

static void clone_set_depth(struct clone_cmd *cc)
{
	struct fetch_wanted *w = &cc->o.wanted;

	if (cc->depth)
		w->depth = clone_depth_or_die(cc->depth);
	if (cc->since)
		w->deepen_since = date_approxidate(cc->since, NULL);
	if (cc->deepen_not.nr)
		w->deepen_not = &cc->deepen_not;
}

/* ---- the configuration: the user's, and what -c adds ---- */

static void add_config_arg(struct clone_cmd *cc, struct config_edit *e, const char *arg, struct strbuf *text)
{
	const char *equals = strchr(arg, '=');
	struct strbuf key = STRBUF_INIT;
	struct err err = ERR_INIT;
	char *name = equals ? xstrndup(arg, (size_t)(equals - arg)) : xstrdup(arg);

	if (config_key_parse(&key, name, &err) < 0) {
		report_error(&err);
		die("unable to write parameters to config file");
	}
	*e = (struct config_edit){ .key = strvec_push(&cc->kept, name),
				   .value = strvec_push(&cc->kept, equals ? equals + 1 : "true"), .append = true };
	if (config_text_edit(text, e, "-c", &err) < 0)
		die_err(&err);
	strbuf_release(&key);
	free(name);
}

static struct config_set *read_config(struct clone_cmd *cc)
{
	static const struct config_include_ctx nowhere = { NULL, NULL, NULL };
	struct config_set *c = config_set_new();
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;

	for (size_t i = 0; i < cc->submodules.nr; i++)
		strvec_pushf(&cc->config_args, "submodule.active=%s", cc->submodules.v[i]);
	CALLOC_ARRAY(cc->edits, cc->config_args.nr + 1);
	for (size_t i = 0; i < cc->config_args.nr; i++)
		add_config_arg(cc, &cc->edits[i], cc->config_args.v[i], &text);
	if (config_set_read_all(c, NULL, NULL, false, &nowhere, &err) < 0 ||
	    config_set_read_buf(c, text.buf, text.len, "-c", CONFIG_ORIGIN_FILE, CONFIG_SCOPE_LOCAL, &nowhere,
				&err) < 0)
		die_err(&err);
	cc->o.extra = cc->edits;
	cc->o.nr_extra = cc->config_args.nr;
	strbuf_release(&text);
	return c;
}

static bool clone_bool_or_die(const struct config_set *c, const char *key, bool value)
{
	struct err err = ERR_INIT;

	if (config_get_bool(c, key, &value, &err) < 0)
		die_err(&err);
	return value;
}

static void use_config(struct clone_cmd *cc, const struct config_set *c)
{
	struct repo_settings settings;
	struct err err = ERR_INIT;
	bool checks = false;

	cc->o.config = c;
	cc->o.origin = cc->origin ? cc->origin : "origin";
	if (!cc->origin && config_get_string(c, "clone.defaultremotename", &cc->o.origin, &err) < 0)
		die_err(&err);
	if (!remote_name_is_valid(cc->o.origin))
		die("'%s' is not a valid remote name", cc->o.origin);
	if (cc->reject_shallow < 0)
		cc->reject_shallow = clone_bool_or_die(c, "clone.rejectshallow", false);
	if (read_fetch_checks(&cc->checks, c, NULL, &checks, &err) < 0)
		die_err(&err);
	if (checks)
		cc->o.wanted.fsck = &cc->checks.fsck;
	if (client_protocol_version(c, &cc->o.connect.version, &err) < 0)
		die_err(&err);
	/* A bad value would end the clone later, with a part of it there. */
	if (repo_settings_read(&settings, c, hash_sha1, NULL, NULL, &err) < 0 || converter_check_config(c, &err) < 0)
		die_err(&err);
	repo_settings_release(&settings);
}

/* ---- how the objects come ---- */

static void ignored_in_local(bool given, const char *option)
{
	if (given)
		warning("%s is ignored in local clones; use file:// instead.", option);
}

static bool source_is_shallow(struct clone_cmd *cc)
{
	char *path = xstrfmt("%s/shallow", cc->o.source_common);
	bool yes = file_exists(path);

	free(path);
	return yes;
}

static void choose_objects(struct clone_cmd *cc)
{
	struct clone_options *o = &cc->o;
	bool local = cc->local && o->source;

	if (local) {
		ignored_in_local(cc->depth, "--depth");
		ignored_in_local(cc->since, "--shallow-since");
		ignored_in_local(cc->deepen_not.nr, "--shallow-exclude");
		ignored_in_local(cc->filter_text, "--filter");
	}
	if (local && source_is_shallow(cc)) {
		if (cc->reject_shallow > 0)
			die("source repository is shallow, reject to clone.");
		if (cc->local > 0)
			warning("source repository is shallow, ignoring --local");
		local = false;
	}
	if (cc->local > 0 && !local)
		warning("--local is ignored");
	o->objects = !local ? CLONE_BY_TRANSPORT : cc->shared ? CLONE_SHARED : cc->no_hardlinks ? CLONE_BY_COPIES :
		cc->local > 0 ? CLONE_LINKS_ONLY : CLONE_BY_LINKS;
	o->filter = cc->filter_text;
	if (!local && o->filter)
		o->wanted.filter = &cc->filter;
	o->wanted.filter_auto = !local && o->filter && !strcmp(o->filter, "auto");
}

/* ---- all of it ---- */

static void clone_resolve_options(struct clone_cmd *cc)
{
	struct clone_options *o = &cc->o;

	o->progress = o->verbosity >= 0 && (cc->show_progress > 0 || (cc->show_progress < 0 && isatty(2)));
	o->mirror = cc->mirror > 0;
	o->single_branch = cc->single_branch > 0;
	o->no_tags = !cc->tags;
	o->no_checkout = cc->no_checkout > 0;
	o->sparse = cc->sparse > 0;
	o->dissociate = cc->dissociate > 0;
	if (cc->bundle_uri && *cc->bundle_uri)
		o->bundle_uri = url_has_scheme(cc->bundle_uri) ? cc->bundle_uri : clone_absolute(cc, cc->bundle_uri);
	o->ask_for_bundles = clone_bool_or_die(o->config, "transfer.bundleuri", false);
	o->ref_format = cc->ref_format;
	o->template_dir = cc->template && *cc->template ? clone_absolute(cc, cc->template) : cc->template;
	o->warn = warning_callback;
	o->report_error = error_callback;
	o->say = say;
	clone_set_depth(cc);
	o->wanted.quiet = !o->progress;
	o->wanted.reject_shallow = cc->reject_shallow > 0;
	if (o->progress) {
		o->wanted.meter = pack_progress_update;
		o->wanted.meter_data = &cc->progress;
	}
	if (o->progress && cc->show_progress > 0)
		o->files_progress = progress_start_delayed;
	else if (o->progress)
		o->files_progress = progress_start;
	o->connect.config = o->config;
	o->connect.ipv4 = cc->ipv4 > 0;
	o->connect.ipv6 = cc->ipv6 > 0;
	o->connect.verbosity = o->verbosity;
	o->session = (struct fetch_session_options){
		.config = o->config, .server_options = &cc->server_options,
		.tell = o->verbosity < 0 ? NULL : show_remote_words,
	};
}

/* The exit code. */
static int clone_run(struct clone_cmd *cc)
{
	struct err err = ERR_INIT;
	int rc;

	clone_make_places(cc);
	if (cc->o.verbosity >= 0)
		fprintf(stderr, cc->o.place.worktree ? "Cloning into '%s'...\n" : "Cloning into bare repository '%s'...\n",
			cc->dir);
	clone_add_references(cc);
	choose_objects(cc);
	rc = clone_repository(&cc->o, &err);
	pack_progress_stop(&cc->progress);
	clone_leave_places(cc, rc >= 0);
	if (rc < 0)
		return report_fatal(&err);
	if (rc != CLONE_NO_CHECKOUT) {
		check_submodules(cc);
		return 0;
	}
	report_error(&err);
	warning("Clone succeeded, but checkout failed.\nYou can inspect what was checked out with 'git status'\n"
		"and retry with 'git restore --source=HEAD :/'\n");
	return 128;
}

int cmd_clone(int argc, const char **argv, struct command_ctx *ctx UNUSED)
{
	struct clone_cmd cc = {
		.kept = STRVEC_INIT, .filter = FILTER_SPEC_INIT, .config_args = STRVEC_INIT, .references = STRVEC_INIT,
		.optional_references = STRVEC_INIT, .objdirs = STRVEC_INIT, .deepen_not = STRVEC_INIT,
		.server_options = STRVEC_INIT, .submodules = STRVEC_INIT, .show_progress = -1, .reject_shallow = -1,
		.local = -1, .single_branch = -1, .tags = 1, .bare = -1,
		.progress = { .reading = "Receiving objects", .unpacking = "Unpacking objects", .resolving = "Resolving deltas", .forced = true },
	};
	struct option opts[] = {
		OPT__VERBOSITY(&cc.o.verbosity),
		OPT_BOOL(0, "progress", &cc.show_progress, "force progress reporting"),
		OPT_BOOL(0, "reject-shallow", &cc.reject_shallow, "don't clone shallow repository"),
		OPT_BOOL('n', "no-checkout", &cc.no_checkout, "don't create a checkout"),
		OPT_BOOL(0, "bare", &cc.bare, "create a bare repository"),
		OPT_BOOL(0, "mirror", &cc.mirror, "create a mirror repository (implies --bare)"),
		OPT_BOOL('l', "local", &cc.local, "to clone from a local repository"),
		OPT_BOOL(0, "no-hardlinks", &cc.no_hardlinks, "don't use local hardlinks, always copy"),
		OPT_BOOL('s', "shared", &cc.shared, "setup as shared repository"),
		OPT_CALLBACK_F(0, "recurse-submodules", &cc.submodules, "pathspec",
			       "initialize submodules in the clone", PARSE_OPT_OPTARG, clone_opt_recurse),
		OPT_CALLBACK_F(0, "recursive", &cc.submodules, "pathspec", "alias of --recurse-submodules",
			       PARSE_OPT_OPTARG, clone_opt_recurse),
		OPT_INTEGER('j', "jobs", &cc.jobs, "number of submodules cloned in parallel"),
		OPT_STRING(0, "template", &cc.template, "template-directory",
			   "directory from which templates will be used"),
		OPT_STRVEC(0, "reference", &cc.references, "repo", "reference repository"),
		OPT_STRVEC(0, "reference-if-able", &cc.optional_references, "repo", "reference repository"),
		OPT_BOOL(0, "dissociate", &cc.dissociate, "use --reference only while cloning"),
		OPT_STRING('o', "origin", &cc.origin, "name", "use <name> instead of 'origin' to track upstream"),
		OPT_STRING('b', "branch", &cc.o.branch, "branch", "checkout <branch> instead of the remote's HEAD"),
		OPT_STRING(0, "revision", &cc.o.revision, "rev", "clone single revision <rev> and check out"),
		OPT_STRING('u', "upload-pack", &cc.o.connect.program, "path", "path to git-upload-pack on the remote"),
		OPT_STRING(0, "depth", &cc.depth, "depth", "create a shallow clone of that depth"),
		OPT_STRING(0, "shallow-since", &cc.since, "time", "create a shallow clone since a specific time"),
		OPT_STRVEC(0, "shallow-exclude", &cc.deepen_not, "ref",
			   "deepen history of shallow clone, excluding ref"),
		OPT_BOOL(0, "single-branch", &cc.single_branch, "clone only one branch, HEAD or --branch"),
		OPT_BOOL(0, "tags", &cc.tags, "clone tags, and make later fetches not to follow them"),
		OPT_BOOL(0, "shallow-submodules", &cc.shallow_submodules, "any cloned submodules will be shallow"),
		OPT_STRING(0, "separate-git-dir", &cc.separate, "gitdir", "separate git dir from working tree"),
		OPT_STRING(0, "ref-format", &cc.ref_format, "format", "specify the reference format to use"),
		OPT_STRVEC('c', "config", &cc.config_args, "key=value", "set config inside the new repository"),
		OPT_STRVEC(0, "server-option", &cc.server_options, "server-specific", "option to transmit"),
		OPT_BOOL('4', "ipv4", &cc.ipv4, "use IPv4 addresses only"),
		OPT_BOOL('6', "ipv6", &cc.ipv6, "use IPv6 addresses only"),
		OPT_CALLBACK(0, "filter", &cc, "args", "object filtering", clone_opt_filter),
		OPT_BOOL(0, "also-filter-submodules", &cc.also_filter_submodules,
			 "apply partial clone filters to submodules"),
		OPT_BOOL(0, "remote-submodules", &cc.remote_submodules,
			 "any cloned submodules will use their remote-tracking branch"),
		OPT_BOOL(0, "sparse", &cc.sparse, "initialize sparse-checkout file to include only files at root"),
		OPT_STRING(0, "bundle-uri", &cc.bundle_uri, "uri", "a URI for downloading bundles before fetching"),
		OPT_END()
	};
	struct config_set *config;
	int code;

	pack_checks_init(&cc.checks, print_pack_finding);
	argc = parse_options(argc, argv, opts, usage, 0);
	if (argc > 2 || argc < 1) {
		fprintf(stderr, "fatal: %s\n\n", argc ? "Too many arguments." : "You must specify a repository to clone.");
		usage_with_options(usage, opts);
	}
	check_combinations(&cc);
	cc.name = argv[0];
	cc.o.place.worktree = cc.bare > 0 ? NULL : "";
	config = read_config(&cc);
	clone_find_source(&cc);
	if (argc > 1)
		cc.dir = argv[1];
	else
		clone_guess_dir(&cc);
	use_config(&cc, config);
	clone_resolve_options(&cc);
	code = clone_run(&cc);

	config_set_free(config);
	free(cc.edits);
	filter_spec_release(&cc.filter);
	pack_checks_release(&cc.checks);
	strvec_clear(&cc.kept);
	strvec_clear(&cc.config_args);
	strvec_clear(&cc.references);
	strvec_clear(&cc.optional_references);
	strvec_clear(&cc.objdirs);
	strvec_clear(&cc.deepen_not);
	strvec_clear(&cc.server_options);
	strvec_clear(&cc.submodules);
	return code;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * git remote add: configuration and refs/remotes/<name>/HEAD are one operation, the fetch is
 * another one.
 */
#include "compat/posix.h"
#include "builtin/remote/remote.h"
#include "cli/git-options.h"
#include "porcelain/remote.h"
#include "util/alloc.h"
#include "util/path.h"
#include "util/run-command.h"

static const char *const usage[] = { "git remote add [<options>] <name> <url>", NULL };

enum mirror { MIRROR_NONE, MIRROR_FETCH = 1, MIRROR_PUSH = 2, MIRROR_BOTH = 3 };

struct adding {
	struct repository *r;
	const char *name, *url, *master;
	int fetch, tags, mirror;
	struct strvec track;
};

static int opt_mirror(const struct option *opt, const char *arg, int unset)
{
	int *mirror = opt->value;

	if (unset) {
		*mirror = MIRROR_NONE;
	} else if (!arg) {
		warning("--mirror is dangerous and deprecated; please\n"
			"\t use --mirror=fetch or --mirror=push instead");
		*mirror = MIRROR_BOTH;
	} else if (!strcmp(arg, "fetch")) {
		*mirror = MIRROR_FETCH;
	} else if (!strcmp(arg, "push")) {
		*mirror = MIRROR_PUSH;
	} else {
		return error("unknown --mirror argument: %s", arg);
	}
	return 0;
}

/* Refs of one would be among those of the other. */
static void refuse_nesting(const struct adding *a)
{
	struct remotes *all = remotes_or_die(a->r);

	for (size_t i = 0; i < remotes_nr(all); i++) {
		const char *other = remotes_at(all, i)->name;

		if (path_is_below(a->name, other))
			die("remote name '%s' is a subset of existing remote '%s'", a->name, other);
		if (path_is_below(other, a->name))
			die("remote name '%s' is a superset of existing remote '%s'", a->name, other);
	}
}

static void plan(struct adding *a, struct remote_edits *e)
{
	char *url = xstrfmt("remote.%s.url", a->name), *fetch = xstrfmt("remote.%s.fetch", a->name);
	char *mirror = xstrfmt("remote.%s.mirror", a->name), *tags = xstrfmt("remote.%s.tagOpt", a->name);

	remote_edits_set(e, url, NULL, a->url);
	if (!a->mirror || a->mirror & MIRROR_FETCH) {
		if (!a->track.nr)
			strvec_push(&a->track, "*");
		for (size_t i = 0; i < a->track.nr; i++) {
			char *text = remote_branch_refspec_or_die(a->r, a->track.v[i], a->name, a->mirror);

			remote_edits_add(e, fetch, text);
			free(text);
		}
	}
	if (a->mirror & MIRROR_PUSH)
		remote_edits_set(e, mirror, NULL, "true");
	if (a->tags >= 0)
		remote_edits_set(e, tags, NULL, a->tags ? "--tags" : "--no-tags");
	free(tags);
	free(mirror);
	free(fetch);
	free(url);
}

static int stage_head(const struct adding *a, struct repo_operation *op, struct err *err)
{
	char *head = xstrfmt("refs/remotes/%s/HEAD", a->name), *target;
	struct ref_transaction *t = NULL;
	int rc = repo_operation_begin_refs(op, 0, &t, err);

	target = xstrfmt("refs/remotes/%s/%s", a->name, a->master);
	if (!rc)
		rc = ref_transaction_update_symref(t, head, target, NULL, REF_NO_DEREF, "remote add", err);
	free(target);
	free(head);
	return rc;
}

/* The configuration comes last: without it the HEAD of a remote does no harm, and the command can be run again. */
static int configure(struct adding *a, struct err *err)
{
	struct remote_edits edits = REMOTE_EDITS_INIT;
	struct repo_operation *op;
	int rc;

	plan(a, &edits);
	op = repo_operation_begin(a->r);
	rc = remote_edits_stage(&edits, a->r, op, PUBLISH_FILE_LATE, err);
	if (!rc && a->master)
		rc = stage_head(a, op, err);
	rc = repo_operation_end(op, rc, err);
	remote_edits_release(&edits);
	return rc;
}

static int fetch(const struct adding *a)
{
	struct child_process cp = CHILD_PROCESS_INIT;
	struct err err = ERR_INIT;
	int rc;

	printf("Updating %s\n", a->name);
	fflush(stdout);
	push_own_command(&cp.args, "fetch");
	strvec_push(&cp.args, a->name);
	rc = run_command(&cp, &err);
	if (rc < 0)
		report_error(&err);
	return rc ? -error("Could not fetch %s", a->name) : 0;
}

static int remote_add_add(struct adding *a)
{
	struct err err = ERR_INIT;

	if (a->master && a->mirror)
		die("specifying a master branch makes no sense with --mirror");
	if (a->mirror && !(a->mirror & MIRROR_FETCH) && a->track.nr)
		die("specifying branches to track makes sense only with fetch mirrors");
	if (*a->name && remote_is_own(a->r, remote_or_die(a->r, a->name))) {
		error("remote %s already exists.", a->name);
		return EXIT_REMOTE_EXISTS;
	}
	if (!remote_name_is_valid(a->name))
		die("'%s' is not a valid remote name", a->name);
	refuse_nesting(a);
	if (configure(a, &err) < 0)
		return report_fatal(&err);
	return a->fetch ? fetch(a) : 0;
}

int remote_cmd_add(int argc, const char **argv, struct repository *r, bool verbose UNUSED)
{
	struct adding a = { .r = r, .tags = -1, .track = STRVEC_INIT };
	struct option opts[] = {
		OPT_BOOL('f', "fetch", &a.fetch, "fetch the remote branches"),
		OPT_BOOL(0, "tags", &a.tags,
			 "fetch all tags, or (--no-tags) none"),
		OPT_STRVEC('t', "track", &a.track, "branch", "branch(es) to track"),
		OPT_STRING('m', "master", &a.master, "branch", "master branch"),
		OPT_CALLBACK_F(0, "mirror", &a.mirror, "(push|fetch)",
			       "set up remote as a mirror to push to or fetch from", PARSE_OPT_OPTARG, opt_mirror),
		OPT_END()
	};
	int code;

	argc = parse_options(argc, argv, opts, usage, 0);
	if (argc != 2)
		usage_with_options(usage, opts);
	a.name = argv[0];
	a.url = argv[1];
	code = remote_add_add(&a);
	strvec_clear(&a.track);
	return code;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* git remote prune and update. */
#include "compat/posix.h"
#include "builtin/remote/remote.h"
#include "cli/git-options.h"
#include "operation/operation.h"
#include "porcelain/remote.h"
#include "util/alloc.h"
#include "util/map.h"
#include "util/run-command.h"

/* ---- prune ---- */

struct pruning {
	struct repository *r;
	bool dry_run;
	struct strvec stale;
	struct strvec dangling; /* a symbolic ref, then what it leads to */
};

static int remote_prune_find_stale(struct pruning *p, const struct remote *remote, struct err *err)
{
	struct remote_refs refs = REMOTE_REFS_INIT;
	int rc;

	remote_ask_or_die(p->r, remote, &refs);
	rc = remote_find_stale(p->r, remote, &refs, &p->stale, err);
	if (!rc)
		rc = remote_find_dangling(p->r, &p->stale, &p->dangling, err);
	remote_refs_release(&refs);
	return rc;
}

static int delete_stale(struct pruning *p, struct err *err)
{
	struct repo_operation *op = repo_operation_begin(p->r);
	struct ref_transaction *t = NULL;
	int rc = repo_operation_begin_refs(op, 0, &t, err);

	for (size_t i = 0; !rc && i < p->stale.nr; i++)
		rc = ref_transaction_update(t, p->stale.v[i], &p->r->algo->null_oid, NULL, REF_NO_DEREF,
					    "remote: prune", err);
	return repo_operation_end(op, rc, err);
}

static void tell(const struct pruning *p, const struct remote *remote)
{
	const char *format = p->dry_run ? " %s will become dangling after %s is deleted\n" :
					  " %s has become dangling after %s was deleted\n";
	const char *name;

	printf("Pruning %s\nURL: %s\n", remote->name, remote->urls.nr ? remote->urls.v[0] : "(no URL)");
	for (size_t i = 0; i < p->stale.nr; i++) {
		name = p->stale.v[i];
		skip_prefix(name, "refs/remotes/", &name);
		printf(" * [%s] %s\n", p->dry_run ? "would prune" : "pruned", name);
	}
	for (size_t i = 0; i < p->dangling.nr; i += 2)
		printf(format, p->dangling.v[i], p->dangling.v[i + 1]);
}

static int prune(struct repository *r, const char *name, bool dry_run)
{
	struct pruning p = { .r = r, .dry_run = dry_run, .stale = STRVEC_INIT, .dangling = STRVEC_INIT };
	struct remote *remote = remote_or_die(r, name);
	struct err err = ERR_INIT;
	int rc = remote_prune_find_stale(&p, remote, &err);

	if (!rc && p.stale.nr && !dry_run)
		rc = delete_stale(&p, &err);
	if (!rc && p.stale.nr)
		tell(&p, remote);
	strvec_clear(&p.stale);
	strvec_clear(&p.dangling);
	return rc < 0 ? report_error(&err) : 0;
}

int remote_cmd_prune(int argc, const char **argv, struct repository *r, bool verbose UNUSED)
{
	static const char *const usage[] = { "git remote prune [<options>] <name>", NULL };
	int dry_run = 0, code = 0;
	struct option opts[] = { OPT_BOOL('n', "dry-run", &dry_run, "dry run"), OPT_END() };

	argc = parse_options(argc, argv, opts, usage, 0);
	if (!argc)
		usage_with_options(usage, opts);
	for (int i = 0; i < argc; i++)
		code |= prune(r, argv[i], dry_run);
	return code;
}

/* ---- update ---- */

int remote_cmd_update(int argc, const char **argv, struct repository *r, bool verbose)
{
	static const char *const usage[] = { "git remote update [<options>] [<group> | <remote>]...", NULL };
	struct child_process cp = CHILD_PROCESS_INIT;
	struct err err = ERR_INIT;
	int prune_too = -1, rc;
	struct option opts[] = { OPT_BOOL('p', "prune", &prune_too, "prune remotes after fetching"), OPT_END() };

	argc = parse_options(argc, argv, opts, usage, 0);
	push_own_command(&cp.args, "fetch");
	if (prune_too >= 0)
		strvec_push(&cp.args, prune_too ? "--prune" : "--no-prune");
	if (verbose)
		strvec_push(&cp.args, "-v");
	/* Alone, "default" is all of them, unless the configuration says more. */
	if ((!argc || (argc == 1 && !strcmp(argv[0], "default"))) && !config_get(r->config, "remotes.default")) {
		strvec_push(&cp.args, "--all");
	} else {
		strvec_pushl(&cp.args, "--multiple", argc ? "--" : "default", NULL);
		for (int i = 0; i < argc; i++)
			strvec_push(&cp.args, argv[i]);
	}
	fflush(stdout);
	rc = run_command(&cp, &err);
	if (rc < 0)
		report_error(&err);
	return rc != 0;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* git-http-push(1): a push to a server that knows only files, by WebDAV. */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "builtin/push/push-report.h"
#include "builtin/remote-http/remote-http.h"
#include "history/history.h"
#include "transport/url.h"
#include "util/alloc.h"
#include "util/trace2.h"

static const char *const usage[] = {
	"git http-push [--all] [--dry-run] [--force] [--verbose] <URL> <ref> [<ref>...]",
	"git http-push [-d | -D] [--dry-run] [--verbose] <URL> <ref>",
	NULL
};

struct http_push {
	struct http_helper h;
	struct dav_push *s;
	struct push_list list;
	int all, dry_run, force, verbose, delete_merged, delete_any;
};

/* ---- -d, -D ---- */

static int is_merged(struct http_push *p, const struct object_id *old, const struct object_id *young, struct err *err)
{
	struct commit_pool *pool;
	int rc = commit_pool_new(&pool, p->h.r, err);

	if (rc < 0)
		return rc;
	rc = is_ancestor(pool, commit_lookup(pool, old), commit_lookup(pool, young), err);
	commit_pool_free(pool);
	return rc;
}

/* -d: what goes has to be in HEAD. */
static int check_merged(struct http_push *p, const struct remote_ref *ref, const struct remote_ref *head, struct err *err)
{
	int rc;

	if (!head || oid_is_null(&head->oid))
		return err_set(err, ERR_INVALID, "Unable to resolve remote HEAD");
	if (!odb_has(p->h.r->odb, &head->oid))
		return err_set(err, ERR_INVALID, "Remote HEAD resolves to object %s\nwhich does not exist locally, perhaps you "
			       "need to fetch?", oid_hex(&head->oid));
	if (!odb_has(p->h.r->odb, &ref->oid))
		return err_set(err, ERR_INVALID, "Remote branch %s resolves to object %s\nwhich does not exist locally, perhaps you "
			       "need to fetch?", ref->name, oid_hex(&ref->oid));
	rc = is_merged(p, &ref->oid, &head->oid, err);
	if (!rc)
		return err_set(err, ERR_INVALID, "The branch '%s' is not an ancestor of your current HEAD.\nIf you are sure you want to "
			       "delete it, run:\n\t'git http-push -D %s %s'", ref->name, p->h.url, ref->name);
	return rc < 0 ? rc : 0;
}

static int match_deletion(struct http_push *p, const char *name, struct err *err)
{
	const struct remote_refs *refs = dav_push_refs(p->s);
	const struct remote_ref *ref = remote_refs_dwim(refs, name), *head = remote_refs_find(refs, "HEAD");
	struct push_update *u;
	int rc;

	if (!ref)
		return err_set(err, ERR_NOT_FOUND, "No remote ref matching '%s'", name);
	if (ref == head || (head && head->symref_target && !strcmp(head->symref_target, ref->name)))
		return err_set(err, ERR_INVALID, "Remote branch %s is the current HEAD", ref->name);
	rc = p->delete_any ? 0 : check_merged(p, ref, head, err);
	if (rc < 0)
		return rc;
	u = push_list_add(&p->list, NULL, ref->name);
	u->new_oid = p->h.r->algo->null_oid;
	u->old_oid = ref->oid;
	u->old_known = true;
	return 0;
}

/* ---- the push ---- */

static int match(struct http_push *p, int nr, const char **names, struct err *err)
{
	const struct push_rules rules = { .atomic = false };
	struct refspec specs = REFSPEC_INIT(REFSPEC_PUSH);
	int rc = 0;

	for (int i = 0; !rc && i < nr; i++)
		rc = refspec_add(&specs, names[i], p->h.r->algo, err);
	if (!rc)
		rc = push_match(&p->list, p->h.r, dav_push_refs(p->s), &specs, p->force ? PUSH_MATCH_FORCE : 0, err);
	if (!rc)
		rc = push_check(&p->list, p->h.r, &rules, err);
	refspec_release(&specs);
	return rc;
}

static int http_push_push(struct http_push *p, int nr, const char **names, struct err *err)
{
	const struct dav_push_options o = {
		.dry_run = p->dry_run, .all = p->all, .say = p->verbose ? remote_http_say : NULL,
		.data = &p->h,
	};
	int rc = remote_http_begin(&p->h, err);

	if (!rc && !p->h.r)
		rc = err_set(err, ERR_NOT_FOUND, "not a git repository (or any of the parent directories): .git");
	if (!rc)
		rc = remote_http_open(&p->h, p->h.url, err);
	if (!rc)
		rc = dav_push_open(&p->s, p->h.client, p->h.r, err);
	if (!rc && (p->delete_merged || p->delete_any))
		rc = match_deletion(p, names[0], err);
	else if (!rc)
		rc = match(p, nr, names, err);
	return rc ? rc : dav_push_send(p->s, &o, &p->list, err);
}

static int http_push_run(struct http_push *p, int nr, const char **names)
{
	char *shown = url_for_display(p->h.url);
	struct err err = ERR_INIT;
	int rc = http_push_push(p, nr, names, &err);

	if (rc < 0)
		report_error(&err);
	if (p->list.nr) {
		const struct push_table t = { .r = p->h.r, .url = shown, .verbose = p->verbose > 0 };

		push_table_print(&t, &p->list);
	}
	rc = rc < 0 || push_has_errors(&p->list) ? 1 : 0;
	free(shown);
	return rc;
}

int http_push_main(int argc, const char **argv)
{
	struct http_push p = { .h = HTTP_HELPER_INIT, .list = PUSH_LIST_INIT };
	const struct option opts[] = {
		OPT_BOOL(0, "all", &p.all, "send everything that the refs lead to"),
		OPT_BOOL(0, "dry-run", &p.dry_run, "only show what would be done"),
		OPT_BOOL(0, "force", &p.force, "change refs that are no ancestors, too"),
		OPT_BOOL('v', "verbose", &p.verbose, "show each step"),
		OPT_BOOL('d', NULL, &p.delete_merged, "delete a branch of the server that is merged into its HEAD"),
		OPT_BOOL('D', NULL, &p.delete_any, "delete a branch of the server"),
		OPT_END()
	};
	bool deletes;
	int code;

	trace2_start(argv);
	trace2_cmd_name("http-push");
	if (argc == 2 && !strcmp(argv[1], "-h"))
		usage_with_options(usage, opts); /* on standard error, as an unknown option */
	argc = parse_options(argc, argv, opts, usage, 0);
	deletes = p.delete_merged || p.delete_any;
	if (argc < 2)
		usage_with_options(usage, opts);
	if (deletes && argc != 2)
		die("You must specify only one branch name when deleting a remote branch");
	p.h.url = argv[0];
	p.h.verbosity = p.verbose;
	p.h.alone = true;
	remote_http_catch_signals();
	code = http_push_run(&p, argc - 1, argv + 1);
	dav_push_free(p.s);
	push_list_release(&p.list);
	remote_http_end(&p.h);
	trace2_exit(code);
	remote_http_die_of_signal();
	return code;
}

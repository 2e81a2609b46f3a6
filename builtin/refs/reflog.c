/* SPDX-License-Identifier: GPL-2.0-only */
/* git-reflog(1) */
#include "compat/posix.h"
#include "builtin/log/log.h"
#include "cli/rename-limit.h"
#include "util/alloc.h"
#include "util/map.h"
#include "maintain/reflog-expiry.h"
#include "operation/operation.h"
#include "refs/root-refs.h"
#include "repo/ident.h"

#define SHOW_USAGE "git reflog [show] [<log-options>] [<ref>]"
#define LIST_USAGE "git reflog list"
#define EXPIRE_USAGE                                                                        \
	"git reflog expire [--expire=<time>] [--expire-unreachable=<time>]\n"                \
	"                  [--rewrite] [--updateref] [--stale-fix]\n"                        \
	"                  [--dry-run | -n] [--verbose] [--all [--single-worktree] | "       \
	"<refs>...]"
#define DELETE_USAGE                                                                        \
	"git reflog delete [--rewrite] [--updateref]\n"                                      \
	"                  [--dry-run | -n] [--verbose] <ref>@{<specifier>}..."
#define DROP_USAGE "git reflog drop [--all [--single-worktree] | <refs>...]"
#define EXISTS_USAGE "git reflog exists <ref>"
#define WRITE_USAGE "git reflog write <ref> <old-oid> <new-oid> <message>"

static const char *const usage[] = {
	SHOW_USAGE, LIST_USAGE, EXPIRE_USAGE, DELETE_USAGE, DROP_USAGE, EXISTS_USAGE, WRITE_USAGE, NULL
};

/* Exit code of what has failed for single refs, as Git has it. */
#define SOME_FAILED 255

static int report_failure(struct err *err)
{
	error("%s", err_message(err));
	err_release(err);
	return SOME_FAILED;
}

/* ---- the end of a command that changes logs ---- */

/* What could be done is kept, though it has failed for single refs. */
static int finish(struct repo_operation *op, int code)
{
	struct err err = ERR_INIT;

	if (repo_operation_end(op, 0, &err) < 0)
		return report_fatal(&err);
	return code;
}

static int reflog_collect_name(void *data, const char *name)
{
	if (refname_is_usable(name))
		string_list_append(data, name);
	return 0;
}

static void collect_all(struct repository *r, bool single_worktree, struct string_list *names)
{
	struct err err = ERR_INIT;
	int rc = single_worktree ? reflogs_foreach(r->refs, reflog_collect_name, names, &err) :
				   reflogs_foreach_everywhere(r->refs, reflog_collect_name, names,
							      &err);

	if (rc < 0)
		die_err(&err);
}

/* ---- show, list, exists ---- */

/* As log -g, but with an output of its own unless the options choose another. */
static int reflog_show(int argc, const char **argv, struct command_ctx *ctx)
{
	static const char *const show_usage[] = { SHOW_USAGE, NULL };
	const struct option none[] = { OPT_END() };
	struct log_options o;
	struct err err = ERR_INIT;
	int rc;

	if (argc == 2 && !strcmp(argv[1], "-h"))
		parse_options(argc, argv, none, show_usage, 0);
	setup_pager(ctx->repo, "reflog");
	rc = log_options_init(&o, ctx->repo, &err);
	if (!rc)
		rc = rev_grep_config(o.walk, ctx->repo->config, &err);
	if (!rc) {
		o.walk->reflogs = true;
		o.abbrev_commit = true;
		rc = pretty_set_format(&o.pretty, "oneline", &err);
	}
	if (!rc)
		rc = log_run(&o, argc, argv, &err);
	if (rc < 0 && log_asks_for_help(&err))
		usage_on_stdout(show_usage, none);
	if (!rc)
		warn_rename_limit(&o.limited);
	log_options_release(&o);
	return rc < 0 ? report_fatal(&err) : 0;
}

static int print_name(void *data UNUSED, const char *name)
{
	if (refname_is_valid(name, REFNAME_ALLOW_ONELEVEL))
		puts(name);
	return 0;
}

static int reflog_list(int argc, const char **argv, struct command_ctx *ctx)
{
	static const char *const list_usage[] = { LIST_USAGE, NULL };
	struct option options[] = { OPT_END() };
	struct err err = ERR_INIT;

	argc = parse_options(argc, argv, options, list_usage, 0);
	if (argc) {
		error("%s does not accept arguments: '%s'", "list", argv[0]);
		return SOME_FAILED;
	}
	if (reflogs_foreach(ctx->repo->refs, print_name, NULL, &err) < 0)
		return report_fatal(&err);
	return 0;
}

static int exists(int argc, const char **argv, struct command_ctx *ctx)
{
	static const char *const exists_usage[] = { EXISTS_USAGE, NULL };
	struct option options[] = { OPT_END() };

	argc = parse_options(argc, argv, options, exists_usage, 0);
	if (!argc)
		usage_with_options(exists_usage, options);
	if (!refname_is_valid(argv[0], REFNAME_ALLOW_ONELEVEL))
		die("invalid ref format: %s", argv[0]);
	return !reflog_exists(ctx->repo->refs, argv[0]);
}

/* ---- what expire and delete share ---- */

struct change {
	struct repository *repo;
	struct repo_operation *op;
	int dry_run, fix_old, update_ref, verbose;
};

#define CHANGE_OPTIONS(c)                                                                   \
	OPT__DRY_RUN(&(c).dry_run, "do not actually prune any entries"),                     \
	OPT_BOOL(0, "rewrite", &(c).fix_old,                                                 \
		 "rewrite the old SHA1 with the new SHA1 of the entry that now precedes it"), \
	OPT_BOOL(0, "updateref", &(c).update_ref,                                            \
		 "update the reference to the value of the top reflog entry"),               \
	OPT_BOOL(0, "verbose", &(c).verbose, "print extra information on screen")

static unsigned change_flags(const struct change *c)
{
	return (c->dry_run ? REFLOG_DRY_RUN : 0) | (c->fix_old ? REFLOG_FIX_OLD : 0) |
	       (c->update_ref ? REFLOG_UPDATE_REF : 0);
}

static void report_entry(const struct change *c, bool stays, const char *msg)
{
	if (c->verbose)
		printf("%s %s\n", stays ? "keep" : c->dry_run ? "would prune" : "prune", msg);
}

/* ---- expire ---- */

struct expire {
	struct change change;
	struct reflog_expiry *expiry;
};

static int keeps(void *data, size_t i, size_t nr, const struct reflog_entry *e, struct err *err)
{
	struct expire *x = data;
	int rc = reflog_expiry_keeps(x->expiry, i, nr, e, err);

	if (rc >= 0)
		report_entry(&x->change, rc > 0, e->msg);
	return rc;
}

static int expire_one(struct expire *x, const char *name)
{
	struct repository *r = x->change.repo;
	struct err err = ERR_INIT;
	int rc = reflog_expiry_begin(x->expiry, name, &err);

	if (!rc)
		rc = reflog_rewrite(r->refs, name, change_flags(&x->change), keeps, x,
				    repo_operation_batch(x->change.op), &err);
	if (rc == ERR_NOT_FOUND) { /* gone meanwhile */
		err_release(&err);
		return 0;
	}
	return rc < 0 ? report_failure(&err) : 0;
}

struct time_option {
	timestamp_t when;
	bool given;
};

static int on_time(const struct option *opt, const char *arg, int unset UNUSED)
{
	struct time_option *t = opt->value;

	if (date_parse_expiry(arg, &t->when) < 0)
		die("invalid timestamp '%s' given to '--%s'", arg, opt->long_name);
	t->given = true;
	return 0;
}

static void open_expiry(struct expire *x, const struct time_option *reachable,
			const struct time_option *unreachable, bool fix_stale)
{
	struct err err = ERR_INIT;

	if (reflog_expiry_new(&x->expiry, x->change.repo, &err) < 0)
		die_err(&err);
	if (reachable->given)
		reflog_expiry_set_reachable(x->expiry, reachable->when);
	if (unreachable->given)
		reflog_expiry_set_unreachable(x->expiry, unreachable->when);
	if (!fix_stale)
		return;
	if (x->change.verbose)
		printf("Marking reachable objects...");
	if (reflog_expiry_fix_stale(x->expiry, &err) < 0)
		die_err(&err);
	if (x->change.verbose)
		putchar('\n');
}

/* Adds the names of logs for arguments to the list, each once. Returns the exit code. */
static int name_logs(struct repository *r, int argc, const char **argv, const char *complaint,
		     struct string_list *names)
{
	struct strset seen = STRSET_INIT;
	struct object_id oid;
	int code = 0;

	for (size_t i = 0; i < names->nr; i++)
		strset_add(&seen, names->items[i].string);
	for (int i = 0; i < argc; i++) {
		char *name = NULL;

		if (ref_dwim_log(r->refs, argv[i], strlen(argv[i]), &name, &oid) < 1) {
			error(complaint, argv[i]); /* NOLINT: a literal with one %s */
			code = SOME_FAILED;
		} else if (strset_add(&seen, name)) {
			string_list_append(names, name);
		}
		free(name);
	}
	strset_clear(&seen);
	return code;
}

static int expire(int argc, const char **argv, struct command_ctx *ctx)
{
	static const char *const expire_usage[] = { EXPIRE_USAGE, NULL };
	struct expire x = { .change.repo = ctx->repo };
	struct time_option reachable = { 0, false }, unreachable = { 0, false };
	int all = 0, single_worktree = 0, fix_stale = 0, code = 0;
	struct string_list names = STRING_LIST_INIT;
	struct option options[] = {
		CHANGE_OPTIONS(x.change),
		OPT_CALLBACK_F(0, "expire", &reachable, "timestamp",
			       "prune entries older than the specified time",
			       PARSE_OPT_NONEG, on_time),
		OPT_CALLBACK_F(0, "expire-unreachable", &unreachable, "timestamp",
			       "prune entries older than <time> that are not reachable from "
			       "the current tip of the branch", PARSE_OPT_NONEG, on_time),
		OPT_BOOL(0, "stale-fix", &fix_stale,
			 "prune any reflog entries that point to broken commits"),
		OPT_BOOL(0, "all", &all, "process the reflogs of all references"),
		OPT_BOOL(0, "single-worktree", &single_worktree,
			 "limits processing to reflogs from the current worktree only"),
		OPT_END()
	};

	argc = parse_options(argc, argv, options, expire_usage, 0);
	open_expiry(&x, &reachable, &unreachable, fix_stale);
	if (all)
		collect_all(ctx->repo, single_worktree, &names);
	code = name_logs(ctx->repo, argc, argv, "%s points nowhere!", &names);
	x.change.op = repo_operation_begin(ctx->repo);
	for (size_t i = 0; i < names.nr; i++)
		code |= expire_one(&x, names.items[i].string);
	reflog_expiry_free(x.expiry);
	string_list_clear(&names, NULL);
	return finish(x.change.op, code);
}

/* ---- delete ---- */

/* A log, and the entries to delete: one after the other, as if each was deleted at once. */
struct plan {
	char *name;
	char **messages; /* oldest first */
	timestamp_t *dates;
	bool *gone;
	size_t nr, alloc, alloc_dates, left;
	bool failed;
};

struct delete {
	struct change change;
	struct plan **plans;
	size_t nr, alloc;
};

static int note_entry(void *data, const struct reflog_entry *e)
{
	struct plan *p = data;

	ALLOC_GROW(p->messages, p->nr + 1, p->alloc);
	ALLOC_GROW(p->dates, p->nr + 1, p->alloc_dates);
	p->dates[p->nr] = e->date;
	p->messages[p->nr++] = xstrdup(e->msg);
	return 0;
}

static void plan_free(struct plan *p)
{
	for (size_t i = 0; i < p->nr; i++)
		free(p->messages[i]);
	free(p->messages);
	free(p->dates);
	free(p->gone);
	free(p->name);
	free(p);
}

/* The plan for a log, made if it is the first time; `name` is taken over. */
static struct plan *plan_of(struct delete *d, char *name, struct err *err)
{
	struct plan *p;
	int rc;

	for (size_t i = 0; i < d->nr; i++) {
		if (!strcmp(d->plans[i]->name, name)) {
			free(name);
			return d->plans[i];
		}
	}
	CALLOC_ARRAY(p, 1);
	p->name = name;
	rc = reflog_foreach(d->change.repo->refs, name, false, note_entry, p, err);
	if (rc < 0) {
		plan_free(p);
		return NULL;
	}
	p->left = p->nr;
	CALLOC_ARRAY(p->gone, p->nr ? p->nr : 1);
	ALLOC_GROW(d->plans, d->nr + 1, d->alloc);
	d->plans[d->nr++] = p;
	return p;
}

/*
 * "2}": the second from the top, which is 0. "yesterday}": the youngest that is older.
 * Only entries that are not deleted count. p->nr: no such entry.
 */
static size_t find_entry(const struct plan *p, const char *place)
{
	char *end;
	unsigned long n = strtoul(place, &end, 10);
	bool by_number = *end == '}';
	timestamp_t before = by_number ? 0 : date_approxidate(place, NULL);
	size_t i;

	for (i = p->nr; i-- > 0;) {
		if (p->gone[i])
			continue;
		if (by_number ? !n-- : p->dates[i] < before)
			return i;
	}
	return p->nr;
}

static void plan_deletion(struct delete *d, struct plan *p, const char *place)
{
	size_t at = find_entry(p, place);

	for (size_t i = 0; i < p->nr; i++)
		if (!p->gone[i])
			report_entry(&d->change, i != at, p->messages[i]);
	if (at < p->nr && !d->change.dry_run)
		p->gone[at] = true;
}

static int plan_argument(struct delete *d, const char *arg)
{
	const char *place = strstr(arg, "@{");
	struct err err = ERR_INIT;
	struct object_id oid;
	struct plan *p;
	char *name;

	if (!place) {
		error("not a reflog: %s", arg);
		return SOME_FAILED;
	}
	if (ref_dwim_log(d->change.repo->refs, arg, place - arg, &name, &oid) < 1) {
		error("no reflog for '%s'", arg);
		return SOME_FAILED;
	}
	p = plan_of(d, name, &err);
	if (!p)
		return report_failure(&err);
	plan_deletion(d, p, place + 2);
	return 0;
}

static int stays(void *data, size_t i, size_t nr, const struct reflog_entry *e, struct err *err)
{
	const struct plan *p = data;

	if (nr != p->nr || strcmp(e->msg, p->messages[i]) || e->date != p->dates[i])
		return err_set(err, ERR_CONFLICT, "the reflog of '%s' has just been changed",
			       p->name);
	return !p->gone[i];
}

static int reflog_delete(int argc, const char **argv, struct command_ctx *ctx)
{
	static const char *const delete_usage[] = { DELETE_USAGE, NULL };
	struct delete d = { .change.repo = ctx->repo };
	struct option options[] = { CHANGE_OPTIONS(d.change), OPT_END() };
	struct err err = ERR_INIT;
	int code = 0;

	argc = parse_options(argc, argv, options, delete_usage, 0);
	if (!argc) {
		error("no reflog specified to delete");
		return SOME_FAILED;
	}
	for (int i = 0; i < argc; i++)
		code |= plan_argument(&d, argv[i]);
	d.change.op = repo_operation_begin(ctx->repo);
	for (size_t i = 0; i < d.nr; i++) {
		if (reflog_rewrite(ctx->repo->refs, d.plans[i]->name, change_flags(&d.change),
				   stays, d.plans[i], repo_operation_batch(d.change.op), &err) < 0)
			code |= report_failure(&err);
		plan_free(d.plans[i]);
	}
	free(d.plans);
	return finish(d.change.op, code);
}

/* ---- drop ---- */

static int drop(int argc, const char **argv, struct command_ctx *ctx)
{
	static const char *const drop_usage[] = { DROP_USAGE, NULL };
	struct string_list names = STRING_LIST_INIT;
	int all = 0, single_worktree = 0, code = 0;
	struct option options[] = {
		OPT_BOOL(0, "all", &all, "drop the reflogs of all references"),
		OPT_BOOL(0, "single-worktree", &single_worktree,
			 "drop reflogs from the current worktree only"),
		OPT_END()
	};
	struct repo_operation *op;
	struct err err = ERR_INIT;

	argc = parse_options(argc, argv, options, drop_usage, 0);
	if (argc && all)
		usage_msg_opt("references specified along with --all", drop_usage, options);
	if (all)
		collect_all(ctx->repo, single_worktree, &names);
	code = name_logs(ctx->repo, argc, argv, "reflog could not be found: '%s'", &names);
	op = repo_operation_begin(ctx->repo);
	for (size_t i = 0; i < names.nr; i++)
		if (reflog_remove(ctx->repo->refs, names.items[i].string,
				  repo_operation_batch(op), &err) < 0)
			code |= report_failure(&err);
	string_list_clear(&names, NULL);
	return finish(op, code);
}

/* ---- write ---- */

static void object_or_die(const struct repository *r, const char *which, const char *text, struct object_id *out)
{
	if (oid_from_hex(out, text, r->algo) < 0)
		die("invalid %s object ID: '%s'", which, text);
	if (!oid_is_null(out) && !odb_has(r->odb, out))
		die("%s object '%s' does not exist", which, text);
}

static int reflog_write(int argc, const char **argv, struct command_ctx *ctx)
{
	static const char *const write_usage[] = { WRITE_USAGE, NULL };
	struct option options[] = { OPT_END() };
	struct reflog_entry e = { .ident = NULL };
	struct strbuf ident = STRBUF_INIT;
	struct repo_operation *op;
	struct err err = ERR_INIT;
	int rc;

	argc = parse_options(argc, argv, options, write_usage, 0);
	if (argc != 4)
		usage_with_options(write_usage, options);
	if (!refname_is_valid(argv[0], 0) && !refname_is_root_ref(argv[0]))
		die("invalid reference name: %s", argv[0]);
	object_or_die(ctx->repo, "old", argv[1], &e.old_oid);
	object_or_die(ctx->repo, "new", argv[2], &e.new_oid);
	e.msg = argv[3];
	op = repo_operation_begin(ctx->repo);
	rc = repo_ident(ctx->repo, &ident, IDENT_COMMITTER, &err);
	e.ident = ident.buf;
	if (!rc)
		rc = reflog_append(ctx->repo->refs, argv[0], &e, repo_operation_batch(op), &err);
	rc = repo_operation_end(op, rc, &err);
	strbuf_release(&ident);
	return rc < 0 ? report_fatal(&err) : 0;
}

/* ---- the command ---- */

int cmd_reflog(int argc, const char **argv, struct command_ctx *ctx)
{
	static const struct subcommand subcommands[] = {
		{ "show", reflog_show }, { "list", reflog_list }, { "expire", expire },
		{ "delete", reflog_delete }, { "drop", drop }, { "exists", exists }, { "write", reflog_write },
	};
	const struct option none[] = { OPT_END() };
	command_fn run;

	if (argc > 1 && !strcmp(argv[1], "-h"))
		parse_options(argc, argv, none, usage, 0);
	run = find_subcommand(subcommands, ARRAY_SIZE(subcommands), argc, argv);
	return run ? run(argc - 1, argv + 1, ctx) : reflog_show(argc, argv, ctx);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* git-rerere(1) */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "maintain/rerere-gc.h"
#include "operation/operation.h"
#include "worktree/rerere.h"

static const char *const usage[] = {
	"git rerere [clear | forget <pathspec>... | diff | status | remaining | gc]",
	NULL
};

struct rerere_cmd {
	struct repository *r;
	const char *prefix;
	struct index_state ix;
	struct repo_operation *op;
	struct strvec messages;
	int autoupdate;
};

static void print_messages(const struct strvec *messages)
{
	for (size_t i = 0; i < messages->nr; i++)
		fprintf(stderr, "%s\n", messages->v[i]);
}

static int print_paths(struct string_list *paths)
{
	for (size_t i = 0; i < paths->nr; i++)
		puts(paths->items[i].string);
	string_list_clear(paths, NULL);
	return 0;
}

/* ---- what changes rr-cache ---- */

static int record_and_replay(struct rerere_cmd *c, struct err *err)
{
	struct rerere rr = { .op = c->op, .ix = &c->ix, .autoupdate = c->autoupdate };
	bool autoupdate = c->autoupdate > 0;
	int rc = c->autoupdate < 0 ? config_get_bool(c->r->config, "rerere.autoupdate", &autoupdate, err) : 0;

	rc = rc < 0 ? rc : autoupdate ? repo_operation_lock_index(c->op, err) : 0;
	rr.autoupdate = autoupdate;
	if (!rc)
		rc = index_read_repo(&c->ix, c->r, err);
	if (!rc)
		rc = rerere_update(&rr, &c->messages, err);
	if (!rc && rr.staged)
		repo_operation_set_index(c->op, &c->ix);
	return rc;
}

static int forget(struct rerere_cmd *c, const char **argv, struct err *err)
{
	struct rerere rr = { .op = c->op, .ix = &c->ix };
	struct pathspec ps = { 0 };
	int rc = pathspec_parse(&ps, c->prefix, c->r->worktree, argv, PATHSPEC_PREFER_CWD, err);

	if (!argv[0])
		warning("'git rerere forget' without paths is deprecated");
	if (!rc)
		rc = index_read_repo(&c->ix, c->r, err);
	if (!rc)
		rc = rerere_forget(&rr, &ps, &c->messages, err);
	pathspec_release(&ps);
	return rc;
}

/* One operation. */
static int change(struct rerere_cmd *c, const char *what, const char **argv, struct err *err)
{
	int rc;

	c->op = repo_operation_begin(c->r);
	if (!what)
		rc = record_and_replay(c, err);
	else if (!strcmp(what, "clear"))
		rc = rerere_clear(c->op, err);
	else if (!strcmp(what, "gc"))
		rc = rerere_gc_run(c->op, c->r, err);
	else
		rc = forget(c, argv, err);
	rc = repo_operation_end(c->op, rc, err);
	print_messages(&c->messages);
	return rc;
}

/* ---- what shows it ---- */

static int show_diff(struct rerere_cmd *c, struct err *err)
{
	struct strbuf out = STRBUF_INIT;
	int rc = rerere_add_diff(c->r, &out, err);

	fwrite(out.buf, 1, out.len, stdout);
	strbuf_release(&out);
	return rc;
}

static int show_status(struct rerere_cmd *c, struct err *err)
{
	struct string_list paths = STRING_LIST_INIT;
	int rc = rerere_list_tracked(c->r, &paths, err);

	return rc ? rc : print_paths(&paths);
}

static int show_remaining(struct rerere_cmd *c, struct err *err)
{
	struct string_list paths = STRING_LIST_INIT;
	int rc = index_read_repo(&c->ix, c->r, err);

	if (!rc)
		rc = rerere_list_remaining(c->r, &c->ix, &paths, err);
	return rc ? rc : print_paths(&paths);
}

int cmd_rerere(int argc, const char **argv, struct command_ctx *ctx)
{
	struct rerere_cmd c = { .r = ctx->repo, .prefix = ctx->prefix, .autoupdate = -1 };
	struct option opts[] = {
		OPT_BOOL(0, "rerere-autoupdate", &c.autoupdate, "register clean resolutions in index"),
		OPT_END()
	};
	struct err err = ERR_INIT;
	const char *what;
	int rc;

	argc = parse_options(argc, argv, opts, usage, 0);
	if (!c.r)
		usage_with_options(usage, opts);
	what = argc ? argv[0] : NULL;
	index_init(&c.ix, c.r->algo);
	strvec_init(&c.messages);
	if (!what || !strcmp(what, "clear") || !strcmp(what, "gc") || !strcmp(what, "forget"))
		rc = change(&c, what, argv + 1, &err);
	else if (!strcmp(what, "diff"))
		rc = show_diff(&c, &err);
	else if (!strcmp(what, "status"))
		rc = show_status(&c, &err);
	else if (!strcmp(what, "remaining"))
		rc = show_remaining(&c, &err);
	else
		usage_with_options(usage, opts);
	if (rc)
		rc = report_fatal(&err);
	index_release(&c.ix);
	strvec_clear(&c.messages);
	return rc ? rc : finish_stdout();
}

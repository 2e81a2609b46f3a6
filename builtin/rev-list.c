/* SPDX-License-Identifier: GPL-2.0-only */
/* git-rev-list(1) */
#include "compat/posix.h"
#include "builtin/rev-list.h"
#include "util/alloc.h"

static int init(struct rev_list *l, struct repository *r, struct err *err)
{
	int rc;

	memset(l, 0, sizeof(*l));
	l->commit_header = true;
	l->missing_text = l->omitted_text = (struct strbuf)STRBUF_INIT;
	rc = log_options_init_plumbing(&l->log, r, err);
	l->walk = l->log.walk;
	return rc;
}

static void release(struct rev_list *l)
{
	filter_spec_release(&l->filter);
	strbuf_release(&l->missing_text);
	strbuf_release(&l->omitted_text);
	log_options_release(&l->log);
}

static int list_commits(struct rev_list *l, struct err *err)
{
	struct commit *c;
	int rc;

	while ((rc = rev_walk_next(l->walk, &c, err)) > 0) {
		rc = rev_list_show_commit(l, c, err);
		commit_release_buffer(c);
		if (rc < 0)
			return rc;
		if (ferror(stdout))
			break;
	}
	for (size_t i = 0; !rc && i < l->walk->missing.nr; i++)
		rev_list_add_missing(l, &l->walk->missing.oid[i],
				     i < l->walk->nr_missing_starts ? OBJ_NONE : OBJ_COMMIT, "");
	return rc < 0 ? rc : 0;
}

static int run(struct rev_list *l, int argc, const char **argv, struct err *err)
{
	struct rev_walk *w = l->walk;
	int rc = rev_list_parse(l, argc, argv, err);

	if (!rc)
		rc = rev_list_check(l, err);
	if (!rc)
		rc = log_options_settle(&l->log, err);
	if (rc < 0)
		return rc;
	if (l->header && !l->log.format_given)
		rc = pretty_set_format(&l->log.pretty, "raw", err);
	if (!w->nr_starts && !w->input_given && !w->default_rev)
		rev_list_usage();
	if (l->log.format_given || l->header)
		commit_pool_keep_buffers(w->pool, true);
	if (!rc)
		rc = rev_walk_begin(w, err);
	if (rc < 0)
		return rc;
	if (l->progress_title)
		l->progress = progress_start(l->progress_title, 0);
	rc = w->objects ? rev_list_objects(l, err) : list_commits(l, err);
	progress_stop(&l->progress);
	if (!rc) {
		rev_list_print_missing(l);
		rev_list_print_sums(l);
	}
	return rc;
}

int cmd_rev_list(int argc, const char **argv, struct command_ctx *ctx)
{
	struct rev_list l;
	struct err err = ERR_INIT;
	int rc;

	if (argc == 2 && !strcmp(argv[1], "-h"))
		rev_list_usage();
	rc = init(&l, ctx->repo, &err);
	if (!rc)
		rc = run(&l, argc, argv, &err);
	release(&l);
	if (rc < 0)
		return report_fatal(&err);
	return finish_stdout();
}

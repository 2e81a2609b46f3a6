/* SPDX-License-Identifier: GPL-2.0-only */
/* The differences that are offered, as git diff-files and diff-index show them, and as interactive.diffFilter shows them. */
#include "compat/posix.h"
#include "cli/choose/choose-internal.h"
#include "history/names/revparse.h"
#include "util/run-command.h"
#include "worktree/diff-attr.h"
#include "worktree/diff-worktree.h"

#define FILTERED_MAX ((size_t)1 << 30)

/* ---- the index ---- */

static void ignore_change(void *data UNUSED, const struct index_entry *e UNUSED, enum worktree_change why UNUSED)
{
}

void choose_print_conflicts(const struct chooser *c)
{
	const char *last = NULL;

	for (size_t i = 0; i < c->ix->nr; i++) {
		const struct index_entry *e = c->ix->entries[i];

		if (!e->stage || (last && !strcmp(last, e->name)))
			continue;
		last = e->name;
		printf("%s: needs merge\n", e->name);
	}
}

int choose_refresh(struct chooser *c, struct err *err)
{
	if (!c->repo->worktree)
		return 0;
	choose_print_conflicts(c);
	return worktree_refresh_index(c->repo, c->ix, NULL, c->conv, ignore_change, NULL, err);
}

/* ---- the text ---- */

struct chooser_diff {
	struct chooser *c;
	struct diff_options o;
	struct diff_queue queue;
	struct diff_attrs *attrs;
	struct diff_submodules *submodules;
	struct worktree_diff files;
};

static int config_context(struct chooser_diff *d, const struct config_set *config, struct err *err)
{
	const struct context_option *given = &d->c->q->context;
	int n, rc = config_get_int(config, "diff.context", &n, err);

	if (rc > 0 && n < 0)
		rc = err_set(err, ERR_INVALID, "%s cannot be negative", "diff.context");
	if (rc > 0)
		d->o.context = (unsigned)n;
	if (rc >= 0)
		rc = config_get_int(config, "diff.interhunkcontext", &n, err);
	if (rc > 0 && n < 0)
		rc = err_set(err, ERR_INVALID, "%s cannot be negative", "diff.interHunkContext");
	if (rc > 0)
		d->o.interhunk_context = (unsigned)n;
	if (given->lines >= 0)
		d->o.context = (unsigned)given->lines;
	if (given->between >= 0)
		d->o.interhunk_context = (unsigned)given->between;
	d->c->context = d->o.context;
	return rc < 0 ? rc : 0;
}

static int config_algorithm(struct chooser_diff *d, const struct config_set *config, struct err *err)
{
	const char *name;
	int rc = config_get_string(config, "diff.algorithm", &name, err);

	if (rc > 0 && !diff_set_algorithm(&d->o, name))
		return err_set(err, ERR_INVALID, "unknown value for config 'diff.algorithm': %s", name);
	if (rc > 0)
		d->o.algorithm_given = true;
	return rc < 0 ? rc : 0;
}

static int init_diff_options(struct chooser_diff *d, struct err *err)
{
	struct chooser *c = d->c;
	int rc;

	diff_options_init(&d->o, c->repo->odb);
	rc = diff_options_config_plumbing(&d->o, c->repo->config, err);
	if (!rc)
		rc = config_context(d, c->repo->config, err);
	if (!rc)
		rc = config_algorithm(d, c->repo->config, err);
	d->o.formats = DIFF_FORMAT_PATCH;
	d->o.index_abbrev = c->repo->settings.abbrev;
	d->o.pathspec = c->q->ps && c->q->ps->nr ? c->q->ps : NULL;
	d->o.reverse = c->words->swapped;
	d->o.read = worktree_diff_read;
	d->o.measure = worktree_diff_measure;
	d->o.read_data = &d->files;
	d->o.read_is_worktree = true;
	return rc;
}

static int compare_files(struct chooser_diff *d, struct err *err)
{
	struct chooser *c = d->c;

	d->files = (struct worktree_diff){ .repo = c->repo, .ix = c->ix, .conv = c->conv, .o = &d->o, .submodules = d->submodules,
					   .refreshed = true, .ita_is_entry = c->words->cached };
	if (c->words->since_index)
		return worktree_diff_files(&d->files, &d->queue, err);
	return worktree_diff_index(&d->files, &d->queue, &c->tree, c->words->cached, err);
}

static int find_differences(struct chooser_diff *d, struct err *err)
{
	struct chooser *c = d->c;
	int rc = diff_submodules_new(&d->submodules, c->repo, err);

	if (!rc) {
		diff_submodules_set(d->submodules, SUBMODULES_COMMITS, true);
		diff_submodules_use(d->submodules, &d->o);
		rc = diff_attrs_new(&d->attrs, c->repo, converter_attrs(c->conv), err);
	}
	if (rc)
		return rc;
	diff_attrs_lend_converter(d->attrs, c->conv);
	diff_attrs_use(d->attrs, &d->o);
	rc = compare_files(d, err);
	return rc ? rc : diff_process(&d->queue, &d->o, err);
}

/* interactive.diffFilter reads the coloured text. */
static int filter_text(struct chooser *c, struct strbuf *colored, struct err *err)
{
	struct child_process cp = CHILD_PROCESS_INIT;
	struct strbuf out = STRBUF_INIT;
	const char *filter;
	int rc = config_get_string(c->repo->config, "interactive.difffilter", &filter, err);

	if (rc <= 0 || !colored->len)
		return rc < 0 ? rc : 0;
	strvec_push(&cp.args, filter);
	cp.use_shell = true;
	fflush(stdout);
	rc = pipe_command(&cp, colored->buf, colored->len, &out, NULL, FILTERED_MAX, err);
	if (rc >= 0) /* whatever its exit code is, as in Git */
		strbuf_swap(colored, &out);
	strbuf_release(&out);
	return rc < 0 ? rc : 0;
}

static int format_differences(struct chooser_diff *d, struct strbuf *plain, struct strbuf *colored, struct err *err)
{
	struct chooser *c = d->c;
	int rc = diff_format(&d->queue, &d->o, plain, err);

	if (rc || !c->diff_color)
		return rc;
	d->o.color = true;
	rc = diff_format(&d->queue, &d->o, colored, err);
	return rc ? rc : filter_text(c, colored, err);
}

/* Without any colour the texts are as they are. */
static void keep_colors(struct chooser *c, const struct diff_options *o)
{
	for (size_t i = 0; i < DIFF_COLOR_NR; i++)
		snprintf(c->diff_colors[i], COLOR_MAXLEN, "%s", c->diff_color ? o->colors[i] : "");
}

int choose_find_hunks(struct chooser *c, struct err *err)
{
	struct chooser_diff d = { .c = c, .queue = DIFF_QUEUE_INIT };
	struct strbuf plain = STRBUF_INIT, colored = STRBUF_INIT;
	int rc = init_diff_options(&d, err);

	if (!rc)
		rc = find_differences(&d, err);
	if (!rc)
		rc = format_differences(&d, &plain, &colored, err);
	keep_colors(c, &d.o);
	if (!rc) {
		rc = hunk_list_parse(&c->list, &plain, &colored, c->diff_color, err);
		c->filter_failed = rc == ERR_INVALID;
	}
	strbuf_release(&plain);
	strbuf_release(&colored);
	diff_queue_clear(&d.queue);
	diff_options_release(&d.o);
	diff_attrs_free(d.attrs);
	diff_submodules_free(d.submodules);
	return rc;
}

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

void choose_print_conflicts(const struct index_state *ix)
{
	const char *last = NULL;

	for (size_t i = 0; i < ix->nr; i++) {
		const struct index_entry *e = ix->entries[i];

		if (!e->stage || (last && !strcmp(last, e->name)))
			continue;
		last = e->name;
		printf("%s: needs merge\n", e->name);
	}
}

int choose_refresh(struct repository *r, struct index_state *ix, struct converter *conv, struct err *err)
{
	if (!r->worktree)
		return 0;
	return worktree_refresh_index(r, ix, NULL, conv, ignore_change, NULL, err);
}

/* ---- the comparison ---- */

struct chooser_diff {
	const struct choose_comparison *cmp;
	struct diff_options o;
	struct diff_queue queue;
	struct diff_attrs *attrs;
	struct diff_submodules *submodules;
	struct worktree_diff files;
};

static int config_number(const struct config_set *config, const char *key, const char *shown, unsigned *out, struct err *err)
{
	int n, rc = config_get_int(config, key, &n, err);

	if (rc > 0 && n < 0)
		return err_set(err, ERR_INVALID, "%s cannot be negative", shown);
	if (rc > 0)
		*out = (unsigned)n;
	return rc < 0 ? rc : 0;
}

static int config_context(struct chooser_diff *d, const struct config_set *config, struct err *err)
{
	const struct context_option *given = &d->cmp->context;
	int rc = config_number(config, "diff.context", "diff.context", &d->o.context, err);

	if (!rc)
		rc = config_number(config, "diff.interhunkcontext", "diff.interHunkContext", &d->o.interhunk_context, err);
	if (given->lines >= 0)
		d->o.context = (unsigned)given->lines;
	if (given->between >= 0)
		d->o.interhunk_context = (unsigned)given->between;
	return rc;
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

static int config_for_hunks(struct chooser_diff *d, const struct config_set *config, struct err *err)
{
	int rc = diff_options_config_plumbing(&d->o, config, err);

	if (!rc)
		rc = config_context(d, config, err);
	return rc ? rc : config_algorithm(d, config, err);
}

static int config_for_people(struct chooser_diff *d, const struct config_set *config, struct err *err)
{
	d->o.detect = DIFF_DETECT_RENAMES;
	d->o.textconv = true;
	return diff_options_config(&d->o, config, err);
}

static int init_diff_options(struct chooser_diff *d, struct err *err)
{
	const struct choose_comparison *cmp = d->cmp;
	int rc;

	diff_options_init(&d->o, cmp->repo->odb);
	rc = cmp->for_people ? config_for_people(d, cmp->repo->config, err) : config_for_hunks(d, cmp->repo->config, err);
	d->o.formats = cmp->formats;
	d->o.null_term = cmp->formats == DIFF_FORMAT_NUMSTAT;
	d->o.index_abbrev = cmp->repo->settings.abbrev;
	d->o.pathspec = cmp->ps && cmp->ps->nr ? cmp->ps : NULL;
	d->o.reverse = cmp->swapped;
	if (cmp->own_prefixes) {
		const char *src = d->o.src_prefix;

		d->o.src_prefix = d->o.dst_prefix;
		d->o.dst_prefix = src;
	}
	d->o.read = worktree_diff_read;
	d->o.measure = worktree_diff_measure;
	d->o.read_data = &d->files;
	d->o.read_is_worktree = true;
	return rc;
}

static int compare_files(struct chooser_diff *d, struct err *err)
{
	const struct choose_comparison *cmp = d->cmp;

	d->files = (struct worktree_diff){ .repo = cmp->repo, .ix = cmp->ix, .conv = cmp->conv, .o = &d->o,
					   .submodules = d->submodules, .stage = cmp->stage, .refreshed = true,
					   .ita_is_entry = (cmp->cached && !cmp->for_people) || cmp->ita_is_entry };
	if (!cmp->tree)
		return worktree_diff_files(&d->files, &d->queue, err);
	return worktree_diff_index(&d->files, &d->queue, cmp->tree, cmp->cached, err);
}

static int find_differences(struct chooser_diff *d, struct err *err)
{
	const struct choose_comparison *cmp = d->cmp;
	int rc = diff_submodules_new(&d->submodules, cmp->repo, err);

	if (!rc) {
		diff_submodules_set(d->submodules, SUBMODULES_COMMITS, true);
		diff_submodules_use(d->submodules, &d->o);
		rc = diff_attrs_new(&d->attrs, cmp->repo, converter_attrs(cmp->conv), err);
	}
	if (rc)
		return rc;
	diff_attrs_lend_converter(d->attrs, cmp->conv);
	diff_attrs_use(d->attrs, &d->o);
	rc = compare_files(d, err);
	return rc ? rc : diff_process(&d->queue, &d->o, err);
}

/* The names of pairs may be found through the text; both texts have the same lines. */
static int format_differences(struct chooser_diff *d, struct strbuf *plain, struct strbuf *colored, struct err *err)
{
	int rc = plain ? diff_format(&d->queue, &d->o, plain, err) : 0;

	if (rc || !colored)
		return rc;
	d->o.color = true;
	return diff_format(&d->queue, &d->o, colored, err);
}

int choose_compare(struct choose_comparison *cmp, struct strbuf *plain, struct strbuf *colored, struct err *err)
{
	struct chooser_diff d = { .cmp = cmp, .queue = DIFF_QUEUE_INIT };
	int rc = init_diff_options(&d, err);

	if (!rc)
		rc = find_differences(&d, err);
	if (!rc)
		rc = format_differences(&d, plain, colored, err);
	cmp->context.lines = (int)d.o.context;
	for (size_t i = 0; i < DIFF_COLOR_NR; i++)
		snprintf(cmp->colors[i], COLOR_MAXLEN, "%s", colored ? d.o.colors[i] : "");
	diff_queue_clear(&d.queue);
	diff_options_release(&d.o);
	diff_attrs_free(d.attrs);
	diff_submodules_free(d.submodules);
	return rc;
}

/* ---- the hunks ---- */

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
	if (rc >= 0) /* its exit code does not count, as in Git */
		strbuf_swap(colored, &out);
	strbuf_release(&out);
	return rc < 0 ? rc : 0;
}

int choose_find_hunks(struct chooser *c, struct err *err)
{
	struct choose_comparison cmp = { .repo = c->repo, .ix = c->ix, .conv = c->conv, .ps = c->q->ps,
					 .tree = c->words->since_index ? NULL : &c->tree, .cached = c->words->cached,
					 .swapped = c->words->swapped, .own_prefixes = c->words->forward, .formats = DIFF_FORMAT_PATCH, .context = c->q->context };
	struct strbuf plain = STRBUF_INIT, colored = STRBUF_INIT;
	int rc = choose_compare(&cmp, &plain, c->diff_color ? &colored : NULL, err);

	c->context = (unsigned)cmp.context.lines;
	memcpy(c->diff_colors, cmp.colors, sizeof(c->diff_colors));
	if (!rc && c->diff_color)
		rc = filter_text(c, &colored, err);
	if (!rc) {
		rc = hunk_list_parse(&c->list, &plain, &colored, c->diff_color, err);
		c->filter_failed = rc == ERR_INVALID;
	}
	strbuf_release(&plain);
	strbuf_release(&colored);
	return rc;
}

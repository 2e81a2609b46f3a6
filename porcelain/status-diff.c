/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "porcelain/status-diff.h"
#include "diff/diff.h"
#include "object/message.h"
#include "util/alloc.h"
#include "worktree/diff-attr.h"

struct diff_run {
	struct repository *repo;
	struct converter *conv;
	struct diff_options o;
	struct diff_queue queue;
	struct diff_attrs *attrs;
};

/* ---- the two sides ---- */

static void queue_staged(struct diff_run *run, const struct status *s)
{
	for (size_t i = 0; i < s->nr; i++) {
		const struct status_item *it = &s->items[i];

		if (it->stages)
			diff_queue_add_unmerged(&run->queue, it->path);
		else if (it->staged == 'R')
			diff_queue_add(&run->queue, it->old_path, it->mode_head, &it->oid_head,
				       it->old_path, 0, NULL);
		if (it->stages || it->staged == ' ')
			continue;
		if (it->staged == 'R' || it->staged == 'C')
			diff_queue_add(&run->queue, it->path, 0, NULL, it->path, it->mode_index,
				       &it->oid_index);
		else
			diff_queue_add(&run->queue, it->path, it->mode_head, &it->oid_head,
				       it->path, it->mode_index, &it->oid_index);
	}
}

/* Against the file in the work tree; a submodule is its commit, or, if that is the same, dirty. */
static void queue_against_file(struct diff_run *run, const struct status_item *it, unsigned mode,
			       const struct object_id *oid)
{
	struct object_id sub;
	bool is_sub = MODE_IS_GITLINK(mode) &&
		      gitlink_resolve_head(it->path, run->repo->algo, &sub, NULL) >= 0;
	struct diff_pair *p = diff_queue_add(&run->queue, it->path, mode, oid, it->path,
					     it->mode_worktree, is_sub ? &sub : NULL);

	p->new->dirty = it->gitlink_modified && !it->gitlink_new_commits;
}

static void queue_unstaged(struct diff_run *run, const struct status *s)
{
	for (size_t i = 0; i < s->nr; i++) {
		const struct status_item *it = &s->items[i];

		if (it->stages) {
			diff_queue_add_unmerged(&run->queue, it->path);
			if (it->stage_mode[1])
				queue_against_file(run, it, it->stage_mode[1], &it->stage_oid[1]);
		} else if (it->wt_old_path) {
			diff_queue_add(&run->queue, it->wt_old_path, it->mode_index,
				       &it->oid_index, it->wt_old_path, 0, NULL);
			diff_queue_add(&run->queue, it->path, 0, NULL, it->path,
				       it->mode_worktree, NULL);
		} else if (it->unstaged != ' ') {
			queue_against_file(run, it, it->mode_index, &it->oid_index);
		}
	}
}

/* A file of the work tree; warns about content that its next conversion would change. */
static int read_file_side(void *data, const struct diff_file *file, struct object_buf *out,
			  struct err *err)
{
	struct diff_run *run = data;
	struct strbuf warn = STRBUF_INIT;
	int rc = worktree_read_side(run->conv, file->path, CONVERT_WARN, out, &warn, err);

	repo_report_lines(run->repo, warn.buf);
	strbuf_release(&warn);
	return rc;
}

static int measure_file_side(void *data, const struct diff_file *file, uint64_t *size, struct object_id *oid, struct err *err)
{
	struct diff_run *run = data;

	return worktree_measure_side(run->conv, file->path, size, oid, err);
}

static int add_patch(struct diff_run *run, const char *src, const char *dst, struct strbuf *out,
		     struct err *err)
{
	int rc;

	if (src) {
		run->o.src_prefix = src;
		run->o.dst_prefix = dst;
	}
	rc = diff_process(&run->queue, &run->o, err);
	if (rc >= 0)
		rc = diff_format(&run->queue, &run->o, out, err);
	diff_queue_clear(&run->queue);
	return rc;
}

static void add_heading(struct strbuf *out, char comment_char, const char *text)
{
	if (comment_char)
		message_add_commented(out, text, strlen(text), comment_char);
	else
		strbuf_addstr(out, *text == '\n' ? text + 1 : text);
}

static int init_options(struct diff_run *run, bool color, struct err *err)
{
	int rc;

	diff_options_init(&run->o, run->repo->odb);
	rc = diff_options_config(&run->o, run->repo->config, err);
	run->o.formats = DIFF_FORMAT_PATCH;
	run->o.abbrev = run->repo->settings.abbrev;
	run->o.detect = DIFF_DETECT_RENAMES;
	run->o.color = color;
	run->o.textconv = true;
	run->o.read = read_file_side;
	run->o.measure = measure_file_side;
	run->o.read_data = run;
	if (rc >= 0)
		rc = diff_attrs_new(&run->attrs, run->repo, converter_attrs(run->conv), err);
	if (rc >= 0)
		diff_attrs_use(run->attrs, &run->o);
	return rc;
}

int status_add_diffs(struct repository *r, struct converter *c, const struct status *s,
		     int verbose, bool color, char comment_char, struct strbuf *out,
		     struct err *err)
{
	struct diff_run run = { .repo = r, .conv = c, .queue = DIFF_QUEUE_INIT };
	bool both = verbose > 1;
	int rc = init_options(&run, color, err);

	if (rc >= 0) {
		if (both && status_has_staged(s))
			add_heading(out, comment_char, "\nChanges to be committed:\n");
		queue_staged(&run, s);
		rc = add_patch(&run, both ? "c/" : NULL, both ? "i/" : NULL, out, err);
	}
	if (rc >= 0 && both && status_has_unstaged(s)) {
		add_heading(out, comment_char,
			    "--------------------------------------------------\n"
			    "Changes not staged for commit:\n");
		queue_unstaged(&run, s);
		rc = add_patch(&run, "i/", "w/", out, err);
	}
	diff_options_release(&run.o);
	diff_attrs_free(run.attrs);
	return rc;
}

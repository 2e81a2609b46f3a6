/* SPDX-License-Identifier: GPL-2.0-only */
/* log --follow: one file, under the names that it had. */
#include "compat/posix.h"
#include "diff/diff-internal.h"
#include "util/alloc.h"

static bool is_created(const struct diff_queue *q)
{
	for (size_t i = 0; i < q->nr; i++)
		if (!diff_file_exists(q->pairs[i]->old))
			return true;
	return false;
}

struct diff_options diff_options_for_search(const struct diff_options *o)
{
	struct diff_options all = *o;

	all.pathspec = NULL;
	all.relative = NULL;
	all.recursive = true;
	all.max_depth = -1;
	all.show_trees = all.quick = all.break_rewrites = false;
	all.filter[0] = '\0';
	all.pickaxe = NULL;
	all.rotate_to = NULL;
	all.limited = NULL;
	all.find_objects.nr = all.order.nr = 0;
	return all;
}

/* Leaves the pair whose new side is the path, if it was renamed or copied; else none. */
static void keep_source(struct diff_queue *q, const char *path)
{
	bool *keep = xcalloc(q->nr + 1, sizeof(*keep));

	for (size_t i = 0; i < q->nr; i++) {
		const struct diff_pair *p = q->pairs[i];

		keep[i] = (p->status == DIFF_STATUS_RENAMED || p->status == DIFF_STATUS_COPIED) &&
			  !strcmp(p->new->path, path);
	}
	diff_queue_filter(q, keep);
	free(keep);
}

int diff_follow(struct diff_queue *q, const struct diff_options *o,
		const struct object_id *old_tree, const struct object_id *new_tree, char **path,
		struct err *err)
{
	const char *const argv[] = { *path, NULL };
	struct diff_options file = *o, all = diff_options_for_search(o);
	struct diff_queue found = DIFF_QUEUE_INIT;
	struct pathspec ps;
	int ret = pathspec_parse(&ps, NULL, NULL, argv, PATHSPEC_LITERAL, err);

	if (ret < 0)
		return ret;
	file.pathspec = &ps;
	all.detect = DIFF_DETECT_COPIES;
	all.find_copies_harder = true;
	ret = diff_trees(q, &file, old_tree, new_tree, err);
	if (!ret && !o->reverse && is_created(q)) {
		ret = diff_trees(&found, &all, old_tree, new_tree, err);
		if (!ret)
			ret = diff_process(&found, &all, err);
		if (!ret)
			keep_source(&found, *path);
	}
	if (!ret && found.nr) {
		free(*path);
		*path = xstrdup(found.pairs[0]->old->path);
		diff_queue_clear(q);
		*q = found;
		ret = diff_choose(q, o, err);
	} else {
		diff_queue_clear(&found);
		if (!ret)
			ret = diff_process(q, &file, err);
	}
	pathspec_release(&ps);
	return ret;
}

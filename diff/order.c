/* SPDX-License-Identifier: GPL-2.0-only */
/* The order of files: -O, --rotate-to, --skip-to; gitdiffcore(7) "diffcore-order", "-rotate". */
#include "compat/posix.h"
#include "diff/diff-internal.h"
#include "fs/file.h"
#include "util/alloc.h"
#include "util/wildmatch.h"

/* ---- -O ---- */

#define ORDER_FILE_MAX ((size_t)64 << 20)

struct ranked {
	struct diff_pair *pair;
	size_t rank, position;
};

/* The number of the first pattern that matches the path or a directory above it. */
static size_t rank_of(const struct strvec *patterns, const char *path)
{
	char *part = xstrdup(path), *slash;
	size_t rank = patterns->nr;

	for (size_t i = 0; i < patterns->nr && rank == patterns->nr; i++) {
		strcpy(part, path);
		for (;;) {
			if (wildmatch(patterns->v[i], part, 0)) {
				rank = i;
				break;
			}
			slash = strrchr(part, '/');
			if (!slash)
				break;
			*slash = '\0';
		}
	}
	free(part);
	return rank;
}

static int by_rank(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return x->position < y->position ? -1 : x->position > y->position;
}

static void sort_pairs(struct diff_queue *q, const struct strvec *patterns)
{
	struct ranked *list;

	ALLOC_ARRAY(list, q->nr);
	for (size_t i = 0; i < q->nr; i++)
		list[i] = (struct ranked){ q->pairs[i],
					   rank_of(patterns, q->pairs[i]->new->path), i };
	qsort(list, q->nr, sizeof(*list), by_rank);
	for (size_t i = 0; i < q->nr; i++)
		q->pairs[i] = list[i].pair;
	free(list);
}

/* Each line is a pattern; empty lines and lines that begin with '#' are skipped. */
int diff_read_order(struct diff_options *o, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	const char *line, *end;
	int ret;

	if (!o->order_file || !*o->order_file || o->order.nr)
		return 0;
	if (access(o->order_file, R_OK) < 0) {
		o->order_errno = errno;
		return 0;
	}
	ret = read_file(&text, o->order_file, ORDER_FILE_MAX, err);
	if (ret < 0) {
		strbuf_release(&text);
		return ret;
	}
	for (line = text.buf; *line; line = end + (*end == '\n')) {
		end = line + strcspn(line, "\n");
		if (end > line && *line != '#')
			strvec_pushf(&o->order, "%.*s", (int)(end - line), line);
	}
	strbuf_release(&text);
	return 0;
}

/* ---- --rotate-to, --skip-to ---- */

/* Files are in order: the file itself, or the place where it would be. */
static int rotate(struct diff_queue *q, const struct diff_options *o, struct err *err)
{
	struct diff_pair **list;
	size_t first = 0;
	int cmp = -1;

	while (first < q->nr && (cmp = strcmp(o->rotate_to, q->pairs[first]->new->path)) > 0)
		first++;
	if (o->rotate_strict && q->nr && (first == q->nr || cmp))
		return err_set(err, ERR_NOT_FOUND, "No such path '%s' in the diff", o->rotate_to);
	if (first == q->nr)
		return 0;
	ALLOC_ARRAY(list, q->nr);
	memcpy(list, q->pairs + first, (q->nr - first) * sizeof(*list));
	memcpy(list + q->nr - first, q->pairs, first * sizeof(*list));
	memcpy(q->pairs, list, q->nr * sizeof(*list));
	free(list);
	for (; o->rotate_skips && first; first--)
		diff_pair_free(q->pairs[--q->nr]);
	return 0;
}

int diff_order(struct diff_queue *q, const struct diff_options *o, struct err *err)
{
	if (o->order_errno && q->nr) {
		errno = o->order_errno;
		return err_set_errno(err, "failed to read orderfile '%s'", o->order_file);
	}
	if (o->order.nr)
		sort_pairs(q, &o->order);
	return o->rotate_to ? rotate(q, o, err) : 0;
}

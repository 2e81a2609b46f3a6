/* SPDX-License-Identifier: GPL-2.0-only */
/* --dirstat: which part of all changes is in which directory. */
#include "compat/posix.h"
#include "diff/diff-internal.h"
#include "object/tree.h"
#include "util/alloc.h"

#define BYTES_PER_LINE 64 /* of binary files, where lines count */

struct damage {
	const char *path;
	uint64_t amount;
};

struct damages {
	struct damage *list;
	size_t nr, next;
	uint64_t all;
	const struct diff_options *o;
	struct strbuf *out;
};

static const char *path_of(const struct diff_pair *p)
{
	return diff_file_exists(p->new) ? p->new->path : p->old->path;
}

static void add(struct damages *d, const struct diff_pair *p, uint64_t amount)
{
	d->list[d->nr++] = (struct damage){ path_of(p), amount };
	d->all += amount;
}

/* Bytes that were removed and added; at least 1 if anything has changed. */
static int count_bytes(struct diff_pair *p, const struct diff_options *o, uint64_t *amount,
		       struct err *err)
{
	uint64_t copied = 0, added = 0;
	int ret = diff_file_size(p->old, o, err);

	if (!ret)
		ret = diff_file_size(p->new, o, err);
	if (!ret && diff_file_exists(p->old) && diff_file_exists(p->new))
		ret = diff_count_copied(p->old, p->new, o, &copied, &added, err);
	else if (!ret)
		added = diff_file_exists(p->new) ? p->new->size : 0;
	*amount = (diff_file_exists(p->old) ? p->old->size - copied : 0) + added;
	if (!*amount)
		*amount = 1;
	diff_file_drop(p->old);
	diff_file_drop(p->new);
	return ret;
}

static int dirstat_collect(struct damages *d, struct diff_queue *q, struct err *err)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < q->nr; i++) {
		struct diff_pair *p = q->pairs[i];
		uint64_t amount = 1;
		bool same = p->old->oid_valid && p->new->oid_valid &&
			    oid_eq(&p->old->oid, &p->new->oid);

		if (MODE_IS_TREE(p->old->mode) || MODE_IS_TREE(p->new->mode))
			continue;
		if (!d->o->dirstat.by_file && !diff_file_exists(p->old) && !diff_file_exists(p->new))
			continue; /* unmerged */
		if (same)
			amount = 0; /* moved, or another mode */
		else if (!d->o->dirstat.by_file)
			ret = count_bytes(p, d->o, &amount, err);
		add(d, p, amount);
	}
	return ret;
}

static int collect_lines(struct damages *d, struct diff_queue *q, struct err *err)
{
	struct diff_line_count *counts;
	size_t nr;
	int ret = diff_count_lines(q, d->o, &counts, &nr, err);

	if (ret < 0)
		return ret;
	for (size_t i = 0; i < nr; i++)
		add(d, counts[i].pair, counts[i].binary ?
		    (counts[i].changed + BYTES_PER_LINE - 1) / BYTES_PER_LINE : counts[i].changed);
	free(counts);
	return 0;
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct damage *)a)->path, ((const struct damage *)b)->path);
}

static bool show(const struct damages *d, const char *dir, size_t len, uint64_t amount)
{
	unsigned permille = (unsigned)(amount * 1000 / d->all);

	if (!amount || permille < d->o->dirstat.permille)
		return false;
	if (d->o->line_prefix)
		strbuf_addstr(d->out, d->o->line_prefix);
	strbuf_addf(d->out, "%4u.%01u%% %.*s\n", permille / 10, permille % 10, (int)len, dir);
	return true;
}

/*
 * Sums up the files below a directory, of which the first len bytes of the next path are the
 * name; returns what counts for the directory above. One whose changes all come from one
 * directory below it is not shown.
 */
static uint64_t sum_directory(struct damages *d, const char *dir, size_t len)
{
	uint64_t sum = 0;
	size_t files = 0, directories = 0;

	while (d->next < d->nr) {
		const struct damage *f = &d->list[d->next];
		const char *slash;

		if (strncmp(f->path, dir, len))
			break;
		slash = strchr(f->path + len, '/');
		if (slash) {
			sum += sum_directory(d, f->path, (size_t)(slash + 1 - f->path));
			directories++;
		} else {
			sum += f->amount;
			d->next++;
			files++;
		}
	}
	if (len && (files || directories != 1) && show(d, dir, len, sum) &&
	    !d->o->dirstat.cumulative)
		return 0;
	return sum;
}

int diff_add_dirstat(struct diff_queue *q, const struct diff_options *o, struct strbuf *out,
		     struct err *err)
{
	struct damages d = { .o = o, .out = out };
	int ret;

	ALLOC_ARRAY(d.list, q->nr);
	ret = o->dirstat.by_line ? collect_lines(&d, q, err) : dirstat_collect(&d, q, err);
	if (!ret && d.all) {
		qsort(d.list, d.nr, sizeof(*d.list), by_path);
		sum_directory(&d, "", 0);
	}
	free(d.list);
	return ret;
}

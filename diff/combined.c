/* SPDX-License-Identifier: GPL-2.0-only */
/* Files that differ from several old versions: which ones, and how they are shown. */
#include "compat/posix.h"
#include "diff/combined-internal.h"
#include "diff/diff-internal.h"
#include "diff/external-internal.h"
#include "object/tree.h"
#include "util/alloc.h"
#include "util/map.h"
#include "util/quote.h"

/* ---- the list ---- */

struct diff_combined *diff_combined_add(struct diff_combined_list *list, struct diff_file *new, size_t nr)
{
	struct diff_combined *c;

	ALLOC_GROW(list->items, list->nr + 1, list->alloc);
	c = &list->items[list->nr++];
	*c = (struct diff_combined){ .new = diff_file_share(new), .nr = nr };
	CALLOC_ARRAY(c->old, nr);
	c->status = xcalloc(nr + 1, 1);
	return c;
}

void diff_combined_set(struct diff_combined *c, size_t side, struct diff_file *old, char status)
{
	c->old[side] = diff_file_share(old);
	c->status[side] = status;
}

void diff_combined_clear(struct diff_combined_list *list)
{
	for (size_t i = 0; i < list->nr; i++) {
		struct diff_combined *c = &list->items[i];

		for (size_t k = 0; k < c->nr; k++)
			diff_file_free(c->old[k]);
		diff_file_free(c->new);
		free(c->old);
		free(c->status);
	}
	free(list->items);
	*list = (struct diff_combined_list)DIFF_COMBINED_LIST_INIT;
}

/* Files, and trees (-t): a directory may have taken the place of a file, under its name. */
static bool is_tree_pair(const struct diff_pair *p)
{
	return S_ISDIR(p->new->mode ? p->new->mode : p->old->mode);
}

static void map_paths(struct strmap map[2], const struct diff_queue *q)
{
	map[0] = map[1] = (struct strmap)STRMAP_INIT;
	for (size_t i = 0; i < q->nr; i++)
		strmap_put(&map[is_tree_pair(q->pairs[i])], q->pairs[i]->new->path, q->pairs[i]);
}

int diff_combine(struct diff_combined_list *list, const struct diff_queue *queues, size_t nr,
		 struct err *err)
{
	struct strmap (*maps)[2];

	if (nr > DIFF_COMBINED_MAX)
		return err_set(err, ERR_UNSUPPORTED, "combined diffs are of %d parents at most",
			       DIFF_COMBINED_MAX);
	CALLOC_ARRAY(maps, nr);
	for (size_t k = 0; k < nr; k++)
		map_paths(maps[k], &queues[k]);
	for (size_t i = 0; nr && i < queues[0].nr; i++) {
		struct diff_pair *pairs[DIFF_COMBINED_MAX] = { queues[0].pairs[i] };
		struct diff_combined *c;
		size_t k = 1;

		while (k < nr && (pairs[k] = strmap_get(&maps[k][is_tree_pair(pairs[0])], pairs[0]->new->path)))
			k++;
		if (k < nr)
			continue;
		c = diff_combined_add(list, pairs[0]->new, nr);
		for (k = 0; k < nr; k++)
			diff_combined_set(c, k, pairs[k]->old, pairs[k]->status);
	}
	for (size_t k = 0; k < nr; k++) {
		strmap_clear(&maps[k][0], NULL);
		strmap_clear(&maps[k][1], NULL);
	}
	free(maps);
	return 0;
}

static void call_types_modified(struct diff_queue *q)
{
	for (size_t i = 0; i < q->nr; i++)
		if (q->pairs[i]->status == DIFF_STATUS_TYPE_CHANGED)
			q->pairs[i]->status = DIFF_STATUS_MODIFIED;
}

int diff_trees_combined(struct diff_combined_list *list, struct diff_queue *first,
			const struct diff_options *o, const struct object_id *new_tree,
			const struct object_id *old_trees, size_t nr, struct err *err)
{
	struct diff_queue *queues = xcalloc(nr + 1, sizeof(*queues));
	/* As in Git: where no step needs pairs, trees alone are compared. */
	bool plain = !o->detect && !o->break_rewrites && !o->pickaxe && !o->filter[0];
	struct diff_options all = *o;
	int ret = 0;

	all.recursive = true;
	if (o->formats & ~(DIFF_FORMAT_RAW | DIFF_FORMAT_NAME_ONLY | DIFF_FORMAT_NAME_STATUS)) { /* a tree has no lines */
		all.show_trees = false;
		all.max_depth = -1;
	}
	all.reverse &= !plain;
	for (size_t i = 0; !ret && i < nr; i++) {
		ret = diff_trees(&queues[i], &all, &old_trees[i], new_tree, err);
		if (!ret)
			ret = diff_process(&queues[i], &all, err);
		if (plain)
			call_types_modified(&queues[i]);
	}
	if (!ret)
		ret = diff_combine(list, queues, nr, err);
	for (size_t i = 1; i < nr; i++)
		diff_queue_clear(&queues[i]);
	*first = queues[0];
	free(queues);
	return ret;
}

/* ---- --raw, --name-status, --name-only ---- */

static void combined_start_line(struct strbuf *out, const struct diff_options *o)
{
	if (o->line_prefix)
		strbuf_addstr(out, o->line_prefix);
}

static const struct object_id *oid_of(const struct diff_file *f, const struct diff_options *o)
{
	return f->oid_valid ? &f->oid : &o->algo->null_oid;
}

/* --relative does not shorten it. */
static void add_whole_path(struct strbuf *out, const struct diff_options *o, const char *path)
{
	if (o->null_term)
		strbuf_addstr(out, path);
	else
		quote_c_style(out, path, strlen(path), o->quote_path);
}

static void combined_add_raw(struct strbuf *out, const struct diff_options *o,
			     const struct diff_combined *c)
{
	int between = o->null_term ? '\0' : '\t', end = o->null_term ? '\0' : '\n';

	if (o->formats & DIFF_FORMAT_RAW) {
		combined_start_line(out, o); /* the others have none, as in Git */
		for (size_t i = 0; i < c->nr; i++)
			strbuf_addch(out, ':');
		for (size_t i = 0; i < c->nr; i++)
			strbuf_addf(out, "%06o ", c->old[i]->mode);
		strbuf_addf(out, "%06o", c->new->mode);
		for (size_t i = 0; i <= c->nr; i++) {
			strbuf_addch(out, ' ');
			diff_add_raw_oid(out, o, oid_of(i < c->nr ? c->old[i] : c->new, o));
		}
		strbuf_addch(out, ' ');
	}
	if (o->formats & (DIFF_FORMAT_RAW | DIFF_FORMAT_NAME_STATUS)) {
		strbuf_addstr(out, c->status);
		strbuf_addch(out, between);
	}
	for (size_t i = 0; o->combined_all_paths && i < c->nr; i++) {
		add_whole_path(out, o, c->old[i]->path);
		strbuf_addch(out, between);
	}
	add_whole_path(out, o, c->new->path);
	strbuf_addch(out, end);
}

/* ---- the patch ---- */

struct combined_patch {
	const struct diff_combined *c;
	const struct diff_options *o;
	struct strbuf *out;
	struct text_line text[DIFF_COMBINED_MAX + 1]; /* the new one comes last */
	struct strbuf converted[DIFF_COMBINED_MAX + 1];
	bool binary, modes_differ;
};

static void PRINTF_LIKE(2, 3) add_meta_line(const struct combined_patch *p, const char *fmt, ...)
{
	va_list ap;

	combined_start_line(p->out, p->o);
	strbuf_addstr(p->out, diff_color_of(p->o, DIFF_COLOR_META));
	va_start(ap, fmt);
	strbuf_vaddf(p->out, fmt, ap);
	va_end(ap);
	strbuf_addf(p->out, "%s\n", diff_color_of(p->o, DIFF_COLOR_RESET));
}

static void combined_meta_path(const struct combined_patch *p, const char *head, const char *prefix,
			       const char *path)
{
	struct strbuf plain = STRBUF_INIT, line = STRBUF_INIT;

	strbuf_addf(&plain, "%s%s", prefix, path);
	strbuf_addstr(&line, head);
	quote_c_style(&line, plain.buf, plain.len, p->o->quote_path);
	add_meta_line(p, "%s", line.buf);
	strbuf_release(&plain);
	strbuf_release(&line);
}

static void combined_add_index_line(const struct combined_patch *p)
{
	const struct diff_options *o = p->o;
	int abbrev = o->full_index ? 0 : o->index_abbrev;
	struct strbuf line = STRBUF_INIT;

	strbuf_addstr(&line, "index ");
	for (size_t i = 0; i < p->c->nr; i++) {
		strbuf_addstr(&line, i ? "," : "");
		diff_add_oid(&line, o, oid_of(p->c->old[i], o), abbrev);
	}
	strbuf_addstr(&line, "..");
	diff_add_oid(&line, o, oid_of(p->c->new, o), abbrev);
	add_meta_line(p, "%s", line.buf);
	strbuf_release(&line);
}

/* Is it in no old version? */
static bool combined_is_new(const struct diff_combined *c)
{
	for (size_t i = 0; i < c->nr; i++)
		if (c->status[i] != DIFF_STATUS_ADDED)
			return false;
	return true;
}

static void add_mode_line(const struct combined_patch *p)
{
	const struct diff_combined *c = p->c;
	struct strbuf line = STRBUF_INIT;

	if (combined_is_new(c)) {
		add_meta_line(p, "new file mode %06o", c->new->mode);
		return;
	}
	for (size_t i = 0; i < c->nr; i++)
		strbuf_addf(&line, "%s%06o", i ? "," : "", c->old[i]->mode);
	if (!diff_file_exists(c->new))
		add_meta_line(p, "deleted file mode %s", line.buf);
	else /* as Git has it: no prefix, no colour */
		strbuf_addf(p->out, "mode %s..%06o%s\n", line.buf, c->new->mode,
			    diff_color_of(p->o, DIFF_COLOR_RESET));
	strbuf_release(&line);
}

static void add_file_lines(const struct combined_patch *p)
{
	const struct diff_combined *c = p->c;

	for (size_t i = 0; p->o->combined_all_paths && i < c->nr; i++) {
		if (c->status[i] == DIFF_STATUS_ADDED)
			add_meta_line(p, "--- /dev/null");
		else
			combined_meta_path(p, "--- ", p->o->src_prefix, c->old[i]->path);
	}
	if (!p->o->combined_all_paths && p->modes_differ && combined_is_new(c))
		add_meta_line(p, "--- /dev/null");
	else if (!p->o->combined_all_paths)
		combined_meta_path(p, "--- ", p->o->src_prefix, c->new->path);
	if (diff_file_exists(c->new))
		combined_meta_path(p, "+++ ", p->o->dst_prefix, c->new->path);
	else
		add_meta_line(p, "+++ /dev/null");
}

static void combined_add_header(const struct combined_patch *p, bool with_files)
{
	combined_meta_path(p,
			   p->o->combine == DIFF_COMBINE_DENSE ? "diff --cc " : "diff --combined ", "",
			   p->c->new->path);
	combined_add_index_line(p);
	if (p->modes_differ)
		add_mode_line(p);
	if (with_files)
		add_file_lines(p);
}

static struct diff_file *file_of(const struct combined_patch *p, size_t i)
{
	return i < p->c->nr ? p->c->old[i] : p->c->new;
}

/* Contents, as drivers convert them. */
static int combined_load(struct combined_patch *p, struct err *err)
{
	for (size_t i = 0; i <= p->c->nr; i++) {
		struct diff_file *f = file_of(p, i);
		bool converted;
		int ret = diff_textconv(f, p->o, &p->converted[i], &converted, err);

		if (!ret && !converted)
			ret = diff_file_binary(f, p->o, err);
		if (!ret)
			ret = diff_file_load(f, p->o, err);
		if (ret < 0)
			return ret;
		if (converted)
			p->text[i] = (struct text_line){ p->converted[i].buf, p->converted[i].len };
		else
			p->text[i] = (struct text_line){ f->content.data, f->content.size };
		p->binary |= !converted && f->is_binary;
		p->modes_differ |= f->mode != p->c->new->mode;
	}
	return 0;
}

/* An earlier side with the same object; `side`: there is none. */
static size_t same_side(const struct diff_combined *c, size_t side)
{
	size_t i = 0;

	while (i < side && !(c->old[i]->oid_valid == c->old[side]->oid_valid &&
			     oid_eq(&c->old[i]->oid, &c->old[side]->oid)))
		i++;
	return i;
}

static void combined_add_text(struct combined_patch *p)
{
	const struct diff_combined *c = p->c;
	struct combined_text t;
	bool any = false;

	combined_init(&t, &p->text[c->nr], c->nr);
	for (size_t i = 0; diff_file_exists(c->new) && i < c->nr; i++) {
		size_t as = same_side(c, i);

		if (as < i)
			combined_repeat_side(&t, i, as);
		else
			combined_add_side(&t, i, &p->text[i], &p->text[c->nr], p->o);
	}
	if (diff_file_exists(c->new))
		any = combined_choose(&t, p->o->context, p->o->combine == DIFF_COMBINE_DENSE);
	if (any || p->modes_differ || !c->new->oid_valid)
		combined_add_header(p, true);
	if (any)
		combined_print(&t, p->o, p->out);
	combined_release(&t);
}

static int add_patch(const struct diff_combined *c, const struct diff_options *o, struct strbuf *out,
		     struct err *err)
{
	struct combined_patch p = { .c = c, .o = o, .out = out };
	int ret;

	for (size_t i = 0; i <= c->nr; i++)
		strbuf_init(&p.converted[i], 0);
	if (c->new->gone)
		c->new->mode = 0;
	ret = combined_load(&p, err);
	if (!ret && p.binary) {
		combined_add_header(&p, false);
		strbuf_addstr(out, "Binary files differ\n"); /* as Git has it: no prefix */
	} else if (!ret) {
		combined_add_text(&p);
	}
	for (size_t i = 0; i <= c->nr; i++) {
		strbuf_release(&p.converted[i]);
		diff_file_unload(file_of(&p, i));
	}
	return ret;
}

int diff_format_combined(const struct diff_combined_list *list, const struct diff_options *o,
			 struct strbuf *out, struct err *err)
{
	const unsigned lines = DIFF_FORMAT_RAW | DIFF_FORMAT_NAME_STATUS | DIFF_FORMAT_NAME_ONLY;
	int ret = 0;

	if (o->formats & lines)
		for (size_t i = 0; i < list->nr; i++)
			combined_add_raw(out, o, &list->items[i]);
	if (o->formats & DIFF_FORMAT_PATCH)
		ret = diff_prefetch_combined(list, o, err);
	for (size_t i = 0; !ret && o->formats & DIFF_FORMAT_PATCH && i < list->nr; i++) {
		ret = add_patch(&list->items[i], o, out, err);
		if (!ret && o->drain)
			ret = o->drain(o->drain_data, out, err);
	}
	return ret;
}

int diff_format_merge(const struct diff_combined_list *list, struct diff_queue *first,
		      const struct diff_options *o, struct strbuf *out, struct err *err)
{
	const unsigned lines = DIFF_FORMAT_RAW | DIFF_FORMAT_NAME_STATUS | DIFF_FORMAT_NAME_ONLY | DIFF_FORMAT_CHECK;
	const unsigned statistics = DIFF_FORMAT_NUMSTAT | DIFF_FORMAT_STAT | DIFF_FORMAT_SHORTSTAT |
				    DIFF_FORMAT_DIRSTAT | DIFF_FORMAT_SUMMARY;
	struct diff_options part = *o;
	int ret = 0;

	part.formats = o->formats & statistics;
	if (part.formats)
		ret = diff_format(first, &part, out, err);
	part.formats = o->formats & lines;
	if (!ret && part.formats)
		ret = diff_format_combined(list, &part, out, err);
	part.formats = o->formats & DIFF_FORMAT_PATCH;
	if (ret < 0 || !list->nr || !part.formats)
		return ret;
	if (o->formats & (lines | statistics)) {
		combined_start_line(out, o);
		strbuf_addch(out, o->null_term ? '\0' : '\n');
	}
	return diff_format_combined(list, &part, out, err);
}

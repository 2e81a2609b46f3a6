/* SPDX-License-Identifier: GPL-2.0-only */
/* git-merge-tree(1), --trivial-merge: what a merge of three trees would do with each path, and the change to our version. */
#include "compat/posix.h"
#include "builtin/merge-tree.h"
#include "diff/text.h"
#include "history/names/revparse.h"
#include "merge/texts.h"
#include "worktree/unpack-trees.h"

#define BINARY_CHECK_BYTES 8000 /* a NUL in these makes a file binary */
#define CONTEXT_LINES 3

enum trivial_side { SIDE_BASE, SIDE_OURS, SIDE_THEIRS, SIDES };

struct trivial_merge {
	struct repository *r;
	struct index_state files[SIDES];
	size_t at[SIDES];
	struct strbuf out;
};

/* ---- one change, as a patch without names ---- */

static void add_patch_line(struct strbuf *out, char sign, const struct text_line *l)
{
	strbuf_addch(out, sign);
	strbuf_add(out, l->text, l->len);
	if (!l->len || l->text[l->len - 1] != '\n')
		strbuf_addstr(out, "\n\\ No newline at end of file\n");
}

static void add_range(struct strbuf *out, char sign, size_t first, size_t nr)
{
	strbuf_addf(out, " %c%" PRIuMAX, sign, (uintmax_t)(first + (nr ? 1 : 0)));
	if (nr != 1)
		strbuf_addf(out, ",%" PRIuMAX, (uintmax_t)nr);
}

/* Changes from..to-1 with lines around them. */
static void add_plain_hunk(struct strbuf *out, const struct text_diff *d, size_t from, size_t to)
{
	const struct text_change *c = &d->changes[from], *last = &d->changes[to - 1];
	size_t before = c->old_first < CONTEXT_LINES ? c->old_first : CONTEXT_LINES;
	size_t old_end = last->old_first + last->old_nr, new_end = last->new_first + last->new_nr;
	size_t left = d->side[0].nr - old_end, after = left < CONTEXT_LINES ? left : CONTEXT_LINES;
	size_t line = c->old_first - before;

	strbuf_addstr(out, "@@");
	add_range(out, '-', line, old_end + after - line);
	add_range(out, '+', c->new_first - before, new_end + after - (c->new_first - before));
	strbuf_addstr(out, " @@\n");
	for (; from < to; from++) {
		c = &d->changes[from];
		for (; line < c->old_first; line++)
			add_patch_line(out, ' ', &d->side[0].lines[line]);
		for (; line < c->old_first + c->old_nr; line++)
			add_patch_line(out, '-', &d->side[0].lines[line]);
		for (size_t i = 0; i < c->new_nr; i++)
			add_patch_line(out, '+', &d->side[1].lines[c->new_first + i]);
	}
	for (; line < old_end + after; line++)
		add_patch_line(out, ' ', &d->side[0].lines[line]);
}

static void add_change(struct strbuf *out, const struct object_buf *old, const char *text, size_t len)
{
	const struct diff_options o = { 0 };
	struct text_diff d;
	size_t to;

	if (old->size > TEXT_MAX_SIZE || len > TEXT_MAX_SIZE)
		return;
	text_diff(&d, old->data ? old->data : "", old->size, text ? text : "", len, &o);
	for (size_t from = 0; from < d.nr; from = to) {
		for (to = from + 1; to < d.nr; to++)
			if (d.changes[to].old_first - d.changes[to - 1].old_first - d.changes[to - 1].old_nr > 2 * CONTEXT_LINES)
				break;
		add_plain_hunk(out, &d, from, to);
	}
	text_diff_release(&d);
}

/* ---- one path ---- */

static int read_side_of_path(struct trivial_merge *t, const struct index_entry *e, struct object_buf *out, struct err *err)
{
	return e && !MODE_IS_GITLINK(e->mode) ? odb_read_type(t->r->odb, &e->oid, OBJ_BLOB, out, err) : 0;
}

static bool is_binary_version(const struct object_buf *b)
{
	return b->size && memchr(b->data, 0, b->size < BINARY_CHECK_BYTES ? b->size : BINARY_CHECK_BYTES);
}

static void merge_versions(const char *path, const struct object_buf *v, struct strbuf *merged)
{
	struct merge3 m = MERGE3_INIT;

	if (is_binary_version(&v[SIDE_BASE]) || is_binary_version(&v[SIDE_OURS]) || is_binary_version(&v[SIDE_THEIRS])) {
		warning("Cannot merge binary files: %s (.our vs. .their)", path);
		strbuf_add(merged, v[SIDE_OURS].data, v[SIDE_OURS].size);
		return;
	}
	m.side[MERGE3_OURS] = (struct merge3_text){ v[SIDE_OURS].data, v[SIDE_OURS].size, ".our" };
	m.side[MERGE3_BASE] = (struct merge3_text){ v[SIDE_BASE].data, v[SIDE_BASE].size, ".base" };
	m.side[MERGE3_THEIRS] = (struct merge3_text){ v[SIDE_THEIRS].data, v[SIDE_THEIRS].size, ".their" };
	merge3_texts(&m, merged);
}

static void add_entry_line(struct strbuf *out, const char *side, const struct index_entry *e)
{
	if (e)
		strbuf_addf(out, "  %-6s %o %s %s\n", side, e->mode, oid_hex(&e->oid), e->name);
}

/* `both`: texts of three versions are merged; else theirs is the result, or none. */
static int add_outcome(struct trivial_merge *t, struct index_entry *const *e, bool both, struct err *err)
{
	struct object_buf v[SIDES] = { OBJECT_BUF_INIT, OBJECT_BUF_INIT, OBJECT_BUF_INIT };
	struct strbuf merged = STRBUF_INIT;
	int rc = 0;

	for (int s = both ? SIDE_BASE : SIDE_OURS; !rc && s < SIDES; s++)
		rc = read_side_of_path(t, e[s], &v[s], err);
	if (!rc && both) {
		merge_versions(e[SIDE_OURS]->name, v, &merged);
		add_change(&t->out, &v[SIDE_OURS], merged.buf, merged.len);
	} else if (!rc) {
		add_change(&t->out, &v[SIDE_OURS], v[SIDE_THEIRS].data, v[SIDE_THEIRS].size);
	}
	for (int s = 0; s < SIDES; s++)
		object_buf_release(&v[s]);
	strbuf_release(&merged);
	return rc;
}

static bool is_same_entry(const struct index_entry *a, const struct index_entry *b)
{
	return a && b ? a->mode == b->mode && oid_eq(&a->oid, &b->oid) : a == b;
}

static void add_versions(struct strbuf *out, const char *what, struct index_entry *const *e)
{
	strbuf_addf(out, "%s\n", what);
	add_entry_line(out, "base", e[SIDE_BASE]);
	add_entry_line(out, "our", e[SIDE_OURS]);
	add_entry_line(out, "their", e[SIDE_THEIRS]);
}

static int show_path(struct trivial_merge *t, struct index_entry **e, struct err *err)
{
	struct index_entry *base = e[SIDE_BASE], *ours = e[SIDE_OURS], *theirs = e[SIDE_THEIRS];

	if (is_same_entry(ours, theirs) || is_same_entry(base, theirs))
		return 0;
	if (ours && theirs && is_same_entry(base, ours)) {
		strbuf_addstr(&t->out, "merged\n");
		add_entry_line(&t->out, "result", theirs);
		add_entry_line(&t->out, "our", ours);
		return add_outcome(t, e, false, err);
	}
	if (!theirs && !base)
		return 0; /* ours alone has it */
	add_versions(&t->out, !base ? (ours ? "added in both" : "added in remote") :
			      !theirs ? "removed in remote" : !ours ? "removed in local" : "changed in both", e);
	if (!ours && base)
		return 0;
	return add_outcome(t, e, ours && theirs, err);
}

/* ---- all paths ---- */

/* The entries of the first path that is left, NULL where a tree does not have it. False: none is left. */
static bool next_entries(struct trivial_merge *t, struct index_entry **e)
{
	const char *first = NULL;

	for (int s = 0; s < SIDES; s++) {
		const struct index_state *ix = &t->files[s];

		if (t->at[s] < ix->nr && (!first || strcmp(ix->entries[t->at[s]]->name, first) < 0))
			first = ix->entries[t->at[s]]->name;
	}
	for (int s = 0; first && s < SIDES; s++) {
		const struct index_state *ix = &t->files[s];
		bool here = t->at[s] < ix->nr && !strcmp(ix->entries[t->at[s]]->name, first);

		e[s] = here ? ix->entries[t->at[s]++] : NULL;
	}
	return first;
}

int merge_tree_trivial(struct repository *r, const char **names, struct err *err)
{
	struct trivial_merge t = { .r = r, .out = STRBUF_INIT };
	struct index_entry *e[SIDES];
	struct object_id tree;
	int rc = 0;

	for (int s = 0; s < SIDES; s++)
		index_init(&t.files[s], r->algo);
	for (int s = 0; !rc && s < SIDES; s++) {
		rc = revparse_tree(r, names[s], &tree, NULL) < 0 ? err_set(err, ERR_NOT_FOUND, "unknown rev %s", names[s]) :
									  unpack_trees_list(r, &tree, &t.files[s], err);
	}
	while (!rc && next_entries(&t, e)) {
		rc = show_path(&t, e, err);
		fwrite(t.out.buf, 1, t.out.len, stdout);
		strbuf_reset(&t.out);
	}
	for (int s = 0; s < SIDES; s++)
		index_release(&t.files[s]);
	strbuf_release(&t.out);
	return rc;
}

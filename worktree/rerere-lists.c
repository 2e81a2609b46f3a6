/* SPDX-License-Identifier: GPL-2.0-only */
/* Records: shown, and forgotten. */
#include "compat/posix.h"
#include "diff/diff.h"
#include "util/alloc.h"
#include "worktree/content-merge.h"
#include "worktree/rerere-internal.h"

/* ---- clear ---- */

int rerere_clear(struct repo_operation *op, struct err *err)
{
	struct repository *r = repo_operation_repository(op);
	struct rerere_list list = RERERE_LIST_INIT;
	bool enabled = false;
	int rc = rerere_is_enabled(r, &enabled, err);

	if (rc || !enabled)
		return rc;
	rc = rerere_list_read(&list, r, err);
	for (size_t i = 0; !rc && i < list.nr; i++)
		if (!rerere_has_image(r, &list.items[i], RERERE_POSTIMAGE))
			rerere_variant_remove(r, &list.items[i]);
	rerere_list_release(&list);
	return rc ? rc : repo_operation_remove_state(op, STATE_MERGE_RR, err);
}

/* ---- forget ---- */

struct forgetting {
	struct rerere *rr;
	struct repository *r;
	struct rerere_files files;
	struct content_merge merge;
	struct rerere_list list;
	struct strvec *messages;
};

/* The conflict as the merge left it, from the stages of the index. */
static int merge_stages(struct forgetting *f, size_t i, struct strbuf *out, struct err *err)
{
	const struct index_state *ix = f->rr->ix;
	struct merge_blobs b = { .path = ix->entries[i]->name, .label = { "base", "ours", "theirs" } };
	struct merge_rules rules = MERGE_RULES_INIT;
	struct merge_blobs_outcome how;

	rules.attributes = content_merge_attributes;
	rules.attributes_data = &f->merge;
	for (size_t end = rerere_next_path(ix, i); i < end; i++)
		b.oid[ix->entries[i]->stage - 1] = &ix->entries[i]->oid;
	return merge_blobs(&b, &rules, f->r->odb, out, &how, err);
}

static int forget_variant(struct forgetting *f, const struct rerere_item *item, const struct strbuf *text, struct err *err)
{
	char *path = rerere_image_path(f->r, item, RERERE_POSTIMAGE);
	int rc = rerere_image_stage(f->rr->op, item, RERERE_PREIMAGE, text, err);

	if (!rc)
		rc = rerere_image_stage(f->rr->op, item, RERERE_THISIMAGE, text, err);
	if (!rc)
		rc = repo_operation_remove_file(f->rr->op, path, err);
	if (!rc) {
		strvec_pushf(f->messages, "Updated preimage for '%s'", item->path);
		strvec_pushf(f->messages, "Forgot resolution for '%s'", item->path);
		rerere_list_put(&f->list, item->path, &item->id, item->variant);
	}
	free(path);
	return rc;
}

static int forget_path(struct forgetting *f, size_t i, struct err *err)
{
	struct rerere_item item = { .path = f->rr->ix->entries[i]->name, .variant = RERERE_NEW };
	struct strbuf raw = STRBUF_INIT, text = STRBUF_INIT, resolved = STRBUF_INIT;
	int rc = merge_stages(f, i, &raw, err);

	if (!rc && rerere_file_normalize(&f->files, item.path, &raw, &text, &item.id) <= 0)
		strvec_pushf(f->messages, "error: could not parse conflict hunks in '%s'", item.path);
	else if (!rc && !rerere_find_resolution(f->r, &item, &text, &resolved))
		strvec_pushf(f->messages, "error: no remembered resolution for '%s'", item.path);
	else if (!rc)
		rc = forget_variant(f, &item, &text, err);
	strbuf_release(&raw);
	strbuf_release(&text);
	strbuf_release(&resolved);
	return rc;
}

static bool matches(const struct pathspec *ps, const char *path)
{
	return !ps->nr || pathspec_match(ps, path, strlen(path), false, NULL);
}

/* The index in memory has the conflict again. */
static int bring_back_conflicts(struct forgetting *f, struct pathspec *ps, struct err *err)
{
	const struct resolve_undo *ru = f->rr->ix->resolve_undo;
	struct string_list paths = STRING_LIST_INIT;
	int rc = 0;

	for (size_t i = 0; ru && i < ru->paths.nr; i++)
		if (matches(ps, ru->paths.items[i].string))
			string_list_append(&paths, ru->paths.items[i].string);
	for (size_t i = 0; !rc && i < paths.nr; i++)
		rc = index_unresolve(f->rr->ix, paths.items[i].string, err);
	string_list_clear(&paths, NULL);
	return rc;
}

static int forget_matching(struct forgetting *f, struct pathspec *ps, struct err *err)
{
	struct index_state *ix = f->rr->ix;
	int rc = bring_back_conflicts(f, ps, err);

	for (size_t i = 0; !rc && i < ix->nr; i = rerere_next_path(ix, i))
		if (ix->entries[i]->stage && rerere_can_track(ix, i) && matches(ps, ix->entries[i]->name))
			rc = forget_path(f, i, err);
	return rc ? rc : rerere_list_write(&f->list, f->rr->op, err);
}

int rerere_forget(struct rerere *rr, struct pathspec *ps, struct strvec *messages, struct err *err)
{
	struct forgetting f = { .rr = rr, .messages = messages, .list = RERERE_LIST_INIT };
	bool enabled = false;
	int rc;

	f.r = repo_operation_repository(rr->op);
	f.merge.r = f.r;
	rc = rerere_is_enabled(f.r, &enabled, err);
	if (rc || !enabled)
		return rc;
	rc = rerere_files_open(&f.files, f.r, rr->ix, err);
	f.merge.attrs = f.files.attrs;
	if (!rc)
		rc = rerere_list_read(&f.list, f.r, err);
	if (!rc)
		rc = forget_matching(&f, ps, err);
	rerere_list_release(&f.list);
	rerere_files_close(&f.files);
	return rc;
}

/* ---- lists ---- */

/* Empty if rerere is not enabled. */
static int read_list(struct repository *r, struct rerere_list *list, struct err *err)
{
	bool enabled = false;
	int rc = rerere_is_enabled(r, &enabled, err);

	return rc || !enabled ? rc : rerere_list_read(list, r, err);
}

int rerere_list_tracked(struct repository *r, struct string_list *out, struct err *err)
{
	struct rerere_list list = RERERE_LIST_INIT;
	int rc = read_list(r, &list, err);

	for (size_t i = 0; !rc && i < list.nr; i++)
		string_list_append(out, list.items[i].path);
	rerere_list_release(&list);
	return rc;
}

static bool is_resolved(const struct index_state *ix, const char *path)
{
	return ix->resolve_undo && string_list_lookup(&ix->resolve_undo->paths, path) && index_find(ix, path, strlen(path));
}

int rerere_list_remaining(struct repository *r, const struct index_state *ix, struct string_list *out, struct err *err)
{
	struct rerere_list list = RERERE_LIST_INIT;
	bool enabled = false;
	int rc = rerere_is_enabled(r, &enabled, err);

	if (!rc && enabled)
		rc = rerere_list_read(&list, r, err);
	for (size_t i = 0; !rc && enabled && i < ix->nr; i = rerere_next_path(ix, i))
		if (ix->entries[i]->stage && !rerere_can_track(ix, i))
			string_list_append(out, ix->entries[i]->name);
	for (size_t i = 0; !rc && i < list.nr; i++)
		if (!is_resolved(ix, list.items[i].path))
			string_list_append(out, list.items[i].path);
	string_list_sort(out);
	string_list_remove_duplicates(out, NULL);
	rerere_list_release(&list);
	return rc;
}

/* ---- diff ---- */

struct image_diff {
	const struct rerere_files *files;
	const struct rerere_item *item;
	const void *old_side; /* the diff_file that is the recorded conflict */
};

static int read_side(void *data, const struct diff_file *file, struct object_buf *out, struct err *err)
{
	struct image_diff *d = data;
	struct strbuf text = STRBUF_INIT;
	int rc = file == d->old_side ? rerere_image_read(d->files->r, d->item, RERERE_PREIMAGE, &text, err) :
				       rerere_file_read(d->files, file->path, &text, err);

	if (!rc) {
		out->size = text.len;
		out->data = strbuf_detach(&text, NULL);
		out->type = OBJ_BLOB;
	}
	strbuf_release(&text);
	return rc;
}

/* A plain patch: neither lines of the extended header, nor names of functions. */
static void add_plain_patch(struct strbuf *out, const char *patch)
{
	const char *p = strstr(patch, "--- a/");

	while (p && *p) {
		const char *eol = strchrnul(p, '\n'), *end = eol;

		if (starts_with(p, "@@ -"))
			end = strstr(p + 2, "@@") + 2;
		strbuf_add(out, p, (size_t)(end - p));
		strbuf_addch(out, '\n');
		p = *eol ? eol + 1 : eol;
	}
}

static int add_item_diff(const struct rerere_files *f, const struct rerere_item *item, struct strbuf *out, struct err *err)
{
	struct image_diff d = { .files = f, .item = item };
	struct diff_queue q = DIFF_QUEUE_INIT;
	struct diff_options o;
	struct strbuf patch = STRBUF_INIT;
	int rc;

	diff_options_init(&o, f->r->odb);
	o.formats = DIFF_FORMAT_PATCH;
	o.text = true;
	o.src_prefix = "a/";
	o.dst_prefix = "b/";
	o.read = read_side;
	o.read_data = &d;
	d.old_side = diff_queue_add(&q, item->path, MODE_FILE, NULL, item->path, MODE_FILE, NULL)->old;
	rc = diff_process(&q, &o, err);
	if (!rc && q.nr)
		rc = diff_format(&q, &o, &patch, err);
	if (!rc && patch.len)
		add_plain_patch(out, patch.buf);
	diff_queue_clear(&q);
	diff_options_release(&o);
	strbuf_release(&patch);
	return rc;
}

int rerere_add_diff(struct repository *r, struct strbuf *out, struct err *err)
{
	struct rerere_list list = RERERE_LIST_INIT;
	struct rerere_files files = { .r = r };
	int rc = read_list(r, &list, err);

	for (size_t i = 0; !rc && i < list.nr; i++)
		rc = add_item_diff(&files, &list.items[i], out, err);
	rerere_list_release(&list);
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* Recording conflicts and resolutions, and replaying them. */
#include "compat/posix.h"
#include "attr/convert.h"
#include "compat/syscalls.h"
#include "fs/file.h"
#include "fs/replace.h"
#include "merge/texts.h"
#include "object/dotfile.h"
#include "util/alloc.h"
#include "worktree/rerere-internal.h"
#include "worktree/worktree.h"

#define MARKER_SIZE 7
#define BINARY_CHECK_BYTES 8000

/* ---- files ---- */

int rerere_files_open(struct rerere_files *f, struct repository *r, const struct index_state *ix, struct err *err)
{
	f->r = r;
	return attrs_new(&f->attrs, r, ix, ATTR_CHECKIN, err);
}

void rerere_files_close(struct rerere_files *f)
{
	attrs_free(f->attrs);
	f->attrs = NULL;
}

/* MERGE_RR and an index can name anything. */
static int check_path(const struct repository *r, const char *path, struct err *err)
{
	if (!path_is_safe(path, MODE_FILE, r->settings.protect))
		return err_set(err, ERR_INVALID, "invalid path '%s'", path);
	if (worktree_leading_symlink(path, strlen(path)))
		return err_set(err, ERR_INVALID, "'%s' is beyond a symbolic link", path);
	return 0;
}

int rerere_file_read(const struct rerere_files *f, const char *path, struct strbuf *out, struct err *err)
{
	struct err why = ERR_INIT;
	int rc = check_path(f->r, path, err);

	if (rc)
		return rc;
	if (read_file_nofollow(out, path, RERERE_FILE_MAX, &why)) {
		rc = err_set(err, ERR_IO, "could not open '%s': %s", path, strerror(why.sys_errno));
		err_release(&why);
	}
	return rc;
}

static size_t marker_size_of(const struct rerere_files *f, const char *path)
{
	static const char *const names[] = { "conflict-marker-size" };
	struct attr_value v;
	int size;

	attrs_get(f->attrs, path, names, 1, &v);
	return v.state == ATTR_VALUE && (size = atoi(v.value)) > 0 ? (size_t)size : MARKER_SIZE;
}

int rerere_file_normalize(const struct rerere_files *f, const char *path, const struct strbuf *text, struct strbuf *out,
			  struct object_id *id)
{
	return rerere_normalize(text->buf, text->len, marker_size_of(f, path), f->r->algo, out, id);
}

/* ---- resolutions ---- */

static bool is_binary(const struct strbuf *text)
{
	return text->len && memchr(text->buf, 0, text->len < BINARY_CHECK_BYTES ? text->len : BINARY_CHECK_BYTES);
}

/* The change from the recorded conflict to its resolution, made to the text. */
static bool apply_variant(const struct repository *r, const struct rerere_item *item, const struct strbuf *text,
			  struct strbuf *out)
{
	struct strbuf pre = STRBUF_INIT, post = STRBUF_INIT;
	struct merge3 m = MERGE3_INIT;
	bool ok = !rerere_image_read(r, item, RERERE_PREIMAGE, &pre, NULL) &&
		  !rerere_image_read(r, item, RERERE_POSTIMAGE, &post, NULL) && !is_binary(&pre) && !is_binary(&post) &&
		  !is_binary(text);

	m.side[MERGE3_BASE] = (struct merge3_text){ pre.buf, pre.len, NULL };
	m.side[MERGE3_OURS] = (struct merge3_text){ text->buf, text->len, NULL };
	m.side[MERGE3_THEIRS] = (struct merge3_text){ post.buf, post.len, NULL };
	ok = ok && !merge3_texts(&m, out);
	if (!ok)
		strbuf_reset(out);
	strbuf_release(&pre);
	strbuf_release(&post);
	return ok;
}

bool rerere_find_resolution(const struct repository *r, struct rerere_item *item, const struct strbuf *text,
			    struct strbuf *out)
{
	int end = rerere_variants_end(r, &item->id);

	for (int v = 0; v < end; v++) {
		struct rerere_item tried = *item;

		tried.variant = v;
		if (!rerere_has_image(r, &tried, RERERE_PREIMAGE) || !rerere_has_image(r, &tried, RERERE_POSTIMAGE) ||
		    !apply_variant(r, &tried, text, out))
			continue;
		item->variant = v;
		return true;
	}
	return false;
}

/* ---- conflicts of the index ---- */

size_t rerere_next_path(const struct index_state *ix, size_t i)
{
	const char *name = ix->entries[i]->name;

	while (++i < ix->nr && !strcmp(ix->entries[i]->name, name))
		;
	return i;
}

bool rerere_can_track(const struct index_state *ix, size_t i)
{
	bool side[4] = { false };

	for (size_t end = rerere_next_path(ix, i); i < end; i++)
		side[ix->entries[i]->stage] = MODE_IS_FILE(ix->entries[i]->mode);
	return side[2] && side[3];
}

/* ---- one run ---- */

struct rerere_run {
	struct rerere *rr;
	struct repository *r;
	struct rerere_files files;
	struct rerere_list list;
	struct strvec *messages;
	bool autoupdate;
};

static void add_message(struct rerere_run *run, const char *fmt, const char *path)
{
	strvec_pushf(run->messages, fmt, path);
}

/* The other files go on. */
static void add_failure(struct rerere_run *run, struct err *why)
{
	strvec_pushf(run->messages, "error: %s", why->msg ? why->msg : "");
	err_release(why);
}

/* *nr: as rerere_normalize. False: the file cannot be read, or its markers are wrong; a message says so. */
static bool read_conflict_file(struct rerere_run *run, const char *path, struct strbuf *raw, struct strbuf *text,
			       struct object_id *id, int *nr)
{
	struct err why = ERR_INIT;

	if (rerere_file_read(&run->files, path, raw, &why)) {
		add_failure(run, &why);
		return false;
	}
	*nr = rerere_file_normalize(&run->files, path, raw, text, id);
	if (*nr >= 0)
		return true;
	add_message(run, "error: could not parse conflict hunks in '%s'", path);
	return false;
}

/* A conflict of the index is new, or is recorded once more: its lines may have changed. */
static void track_conflict(struct rerere_run *run, const char *path)
{
	struct strbuf raw = STRBUF_INIT, text = STRBUF_INIT;
	struct rerere_item *item = rerere_list_find(&run->list, path);
	struct object_id id;
	int nr = 0;
	bool ok = read_conflict_file(run, path, &raw, &text, &id, &nr);

	if (item && (!ok || nr)) {
		rerere_variant_remove(run->r, item);
		rerere_list_remove(&run->list, item);
	}
	if (ok && nr)
		rerere_list_put(&run->list, path, &id, RERERE_NEW);
	strbuf_release(&raw);
	strbuf_release(&text);
}

static void track_conflicts(struct rerere_run *run)
{
	const struct index_state *ix = run->rr->ix;

	for (size_t i = 0; i < ix->nr; i = rerere_next_path(ix, i))
		if (ix->entries[i]->stage && rerere_can_track(ix, i))
			track_conflict(run, ix->entries[i]->name);
}

static bool is_variant_taken(const struct rerere_run *run, const struct rerere_item *item)
{
	for (size_t i = 0; i < run->list.nr; i++) {
		const struct rerere_item *other = &run->list.items[i];

		if (other != item && other->variant == item->variant && oid_eq(&other->id, &item->id))
			return true;
	}
	return rerere_has_image(run->r, item, RERERE_PREIMAGE) || rerere_has_image(run->r, item, RERERE_POSTIMAGE);
}

static int stage_file(struct rerere_run *run, const char *path, struct err *err)
{
	struct index_state *ix = run->rr->ix;
	struct converter *conv = NULL;
	struct object_id oid;
	struct index_entry *e;
	unsigned mode;
	struct stat st;
	int rc = lstat(path, &st) < 0 ? err_set_errno(err, "could not stat '%s'", path) : 0;

	if (!rc)
		rc = repo_operation_open_objects(run->rr->op, err);
	if (!rc)
		rc = converter_new(&conv, run->r, ix, ATTR_CHECKIN, err);
	if (!rc)
		rc = worktree_hash_path(run->r, conv, path, &st, true, &oid, &mode, err);
	if (!rc) {
		mode = worktree_mode(&run->r->settings, st.st_mode, index_find_ours(ix, path, strlen(path)));
		e = index_entry_new(ix, mode, &oid, path, strlen(path), 0);
		stat_data_fill(&e->stat, &st);
		rc = index_add(ix, e, INDEX_ADD_REPLACE, run->r->settings.protect, err);
		ix->changed = run->rr->staged = true;
	}
	converter_free(conv);
	return rc;
}

/* gc keeps what has been of use lately. */
static void touch_resolution(const struct rerere_run *run, const struct rerere_item *item)
{
	char *path = rerere_image_path(run->r, item, RERERE_POSTIMAGE);

	(void)sys->utimens(path, NULL);
	free(path);
}

static int replay(struct rerere_run *run, struct rerere_item *item, const struct strbuf *text, const struct strbuf *resolved,
		  struct err *err)
{
	int rc = replace_user_file(item->path, resolved, ".merge_file_", item->path, err);

	if (!rc)
		rc = rerere_image_stage(run->rr->op, item, RERERE_THISIMAGE, text, err);
	touch_resolution(run, item);
	if (!rc && run->autoupdate)
		rc = stage_file(run, item->path, err);
	if (!rc)
		add_message(run, run->autoupdate ? "Staged '%s' using previous resolution." :
						   "Resolved '%s' using previous resolution.", item->path);
	item->done = true;
	return rc;
}

static int record_conflict(struct rerere_run *run, struct rerere_item *item, const struct strbuf *text, struct err *err)
{
	int rc;

	for (item->variant = 0; is_variant_taken(run, item);)
		item->variant++;
	rc = rerere_image_stage(run->rr->op, item, RERERE_PREIMAGE, text, err);
	if (!rc)
		add_message(run, "Recorded preimage for '%s'", item->path);
	else
		item->done = true;
	return rc;
}

static int record_resolution(struct rerere_run *run, struct rerere_item *item, const struct strbuf *raw, struct err *err)
{
	int rc = rerere_image_stage(run->rr->op, item, RERERE_POSTIMAGE, raw, err);

	if (!rc)
		add_message(run, "Recorded resolution for '%s'.", item->path);
	item->done = true;
	return rc;
}

static int handle_item(struct rerere_run *run, struct rerere_item *item, struct err *err)
{
	struct strbuf raw = STRBUF_INIT, text = STRBUF_INIT, resolved = STRBUF_INIT;
	struct object_id id;
	int rc = 0, nr = 0;
	bool ok = read_conflict_file(run, item->path, &raw, &text, &id, &nr);

	if (ok && item->variant == RERERE_NEW)
		rc = rerere_find_resolution(run->r, item, &text, &resolved) ?
			replay(run, item, &text, &resolved, err) : record_conflict(run, item, &text, err);
	else if (ok && !nr)
		rc = record_resolution(run, item, &raw, err);
	strbuf_release(&raw);
	strbuf_release(&text);
	strbuf_release(&resolved);
	return rc;
}

/* A file that fails does not keep the command from its end: only a resolution is not recorded, or not replayed. */
static void handle_items(struct rerere_run *run)
{
	for (size_t i = 0; i < run->list.nr; i++) {
		struct err why = ERR_INIT;

		if (handle_item(run, &run->list.items[i], &why))
			add_failure(run, &why);
	}
}

static int run_open(struct rerere_run *run, struct err *err)
{
	bool autoupdate = run->rr->autoupdate > 0;
	int rc = 0;

	run->r = repo_operation_repository(run->rr->op);
	if (run->rr->autoupdate < 0)
		rc = config_get_bool(run->r->config, "rerere.autoupdate", &autoupdate, err);
	run->autoupdate = autoupdate;
	if (rc >= 0)
		rc = rerere_files_open(&run->files, run->r, run->rr->ix, err);
	return rc < 0 ? rc : rerere_list_read(&run->list, run->r, err);
}

static int update_all(struct rerere_run *run, struct err *err)
{
	bool enabled = false;
	int rc = rerere_is_enabled(repo_operation_repository(run->rr->op), &enabled, err);

	if (rc || !enabled)
		return rc;
	rc = run_open(run, err);
	if (rc)
		return rc;
	track_conflicts(run);
	handle_items(run);
	return rerere_list_write(&run->list, run->rr->op, err);
}

int rerere_update(struct rerere *rr, struct strvec *messages, struct err *err)
{
	struct rerere_run run = { .rr = rr, .messages = messages, .list = RERERE_LIST_INIT };
	struct err why = ERR_INIT;
	int rc = update_all(&run, rr->lenient ? &why : err);

	if (rc && rr->lenient) {
		add_failure(&run, &why);
		rc = 0;
	}
	rerere_list_release(&run.list);
	rerere_files_close(&run.files);
	return rc;
}

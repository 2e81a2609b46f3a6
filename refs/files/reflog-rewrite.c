/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Entries that leave a reflog. The remaining entries are chosen without a lock, since that may
 * take a walk through the history; then the ref is locked, so that no process appends, and the log ("logs/NAME.lock", for others that rewrite it), and the new log is
 * made of the chosen entries and the entries appended since.
 */
#include "compat/posix.h"
#include "fs/file.h"
#include "fs/lockfile.h"
#include "refs/files/files-internal.h"
#include "refs/files/reflog-internal.h"
#include "util/alloc.h"
#include "util/path.h"
#include "write-or-die.h"

/* ---- the text ---- */

struct rewrite {
	struct ref_store *rs;
	const char *name;
	unsigned flags;
	reflog_keep_fn keep;
	void *data;
	struct strbuf seen; /* the log that was decided on */
	struct strbuf text; /* what becomes of it */
	struct strbuf ident;
	struct object_id last; /* new value of the last entry that stays */
	bool any;	       /* there is one */
	bool drops_last;
};

static void rewrite_release(struct rewrite *w)
{
	strbuf_release(&w->seen);
	strbuf_release(&w->text);
	strbuf_release(&w->ident);
}

static char *log_line_end(char *line, const char *end)
{
	return memchr(line, '\n', end - line);
}

static size_t count_entries(struct rewrite *w, struct strbuf *log)
{
	char *line = log->buf, *end = log->buf + log->len, *lf;
	struct reflog_entry e;
	size_t nr = 0;

	for (; line < end; line = lf + 1) {
		lf = log_line_end(line, end);
		nr += reflog_parse_line(w->rs, line, lf - line, &e, &w->ident);
		*lf = '\n';
	}
	return nr;
}

/* The line stays as it is, but for the old value. One without a message gets its tab, as in Git. */
static void add_line(struct rewrite *w, const char *line, size_t len,
		     const struct reflog_entry *e)
{
	size_t at = w->text.len;

	strbuf_add(&w->text, line, len);
	if (!*e->msg && !memchr(line, '\t', len))
		strbuf_addch(&w->text, '\t');
	strbuf_addch(&w->text, '\n');
	memcpy(w->text.buf + at, oid_hex(&e->old_oid), w->rs->algo->hex_len);
	w->last = e->new_oid;
	w->any = true;
}

/* Lines of log from `from` on; all of them stay if keep is NULL. */
static int filter_lines(struct rewrite *w, struct strbuf *log, size_t from, reflog_keep_fn keep,
		      struct err *err)
{
	char *line = log->buf + from, *end = log->buf + log->len, *lf;
	size_t nr = keep ? count_entries(w, log) : 0, i = 0;
	struct reflog_entry e;
	int rc = 1;

	for (; rc >= 0 && line < end; line = lf + 1) {
		lf = log_line_end(line, end);
		if (reflog_parse_line(w->rs, line, lf - line, &e, &w->ident)) {
			if (w->flags & REFLOG_FIX_OLD)
				e.old_oid = w->any ? w->last : w->rs->algo->null_oid;
			rc = keep ? keep(w->data, i++, nr, &e, err) : 1;
			if (rc > 0)
				add_line(w, line, lf - line, &e);
			w->drops_last = !rc;
		}
		*lf = '\n';
	}
	return rc < 0 ? rc : 0;
}

static int decide(struct rewrite *w, struct err *err)
{
	strbuf_reset(&w->text);
	w->any = w->drops_last = false;
	return filter_lines(w, &w->seen, 0, w->keep, err);
}

/* Both locks are held: the log as it is now. */
static int decide_again(struct rewrite *w, struct err *err)
{
	struct strbuf now = STRBUF_INIT;
	size_t known = w->seen.len;
	int rc = reflog_read(w->rs, w->name, &now, err);

	if (!rc && now.len >= known && !memcmp(now.buf, w->seen.buf, known)) {
		rc = filter_lines(w, &now, known, NULL, err);
	} else if (!rc) {
		strbuf_swap(&w->seen, &now);
		rc = decide(w, err);
	}
	strbuf_release(&now);
	return rc;
}

/* ---- the ref's lock, which ends with the batch ---- */

struct held_ref {
	struct lockfile lock;
	struct ref_store *rs;
	char *name;
	bool made_dirs, removes_log;
};

static void held_done(void *data, bool published)
{
	struct held_ref *h = data;

	lockfile_release(&h->lock);
	if (h->made_dirs)
		ref_remove_empty_parents(h->rs, h->name, false);
	if (h->removes_log && published)
		ref_remove_empty_parents(h->rs, h->name, true);
	free(h->name);
	free(h);
}

static int hold_ref(struct held_ref **out, struct ref_store *rs, const char *name,
		    struct err *err)
{
	struct strbuf path = STRBUF_INIT, dir = STRBUF_INIT;
	struct err why = ERR_INIT;
	struct held_ref *h;
	int rc;

	CALLOC_ARRAY(h, 1);
	h->rs = rs;
	h->name = xstrdup(name);
	ref_path(rs, name, &path);
	path_dirname(&dir, path.buf);
	h->made_dirs = !is_directory(dir.buf); /* for the lock alone: no need to last */
	rc = ref_make_parents(rs, path.buf, NULL, &why);
	if (!rc)
		rc = lockfile_hold(&h->lock, path.buf, LOCK_NO_DEREF, files_store(rs)->lock_timeout_ms, &why);
	if (rc < 0) {
		err_set(err, rc, "cannot lock ref '%s': %s", name, err_message(&why));
		held_done(h, false);
	} else {
		*out = h;
	}
	err_release(&why);
	strbuf_release(&dir);
	strbuf_release(&path);
	return rc;
}

/*
 * The lock goes once the new log has its name, or with it the ref its value; its
 * removal needs no durability.
 */
static int stage_release(struct held_ref *h, struct fsync_batch *b, struct err *err)
{
	struct fsync_staging s = {
		.order = PUBLISH_REF_DELETE,
		.how = PUBLISH_UNLINK,
		.fd = -1,
		.final_path = h->lock.tf->path,
		.done = held_done,
		.data = h,
	};

	return fsync_batch_stage(b, &s, err);
}

/* ---- the ref's value ---- */

/* Is the ref to follow its log? 1, 0, < 0; *out: the value. */
static int wants_value(struct rewrite *w, struct object_id *out, struct err *err)
{
	struct ref_value v;
	int rc;

	if (!(w->flags & REFLOG_UPDATE_REF) || !w->drops_last || !w->any)
		return 0;
	rc = w->rs->backend->read(w->rs, w->name, &v, err);
	if (rc < 0)
		return rc;
	rc = v.kind == REF_KIND_OID && !oid_eq(&v.oid, &w->last) && !oid_is_null(&w->last);
	*out = w->last;
	ref_value_release(&v);
	return rc;
}

static int write_value(struct rewrite *w, struct lockfile *lk, const struct object_id *oid,
		       struct err *err)
{
	struct strbuf line = STRBUF_INIT;
	int rc = apply_shared_perm(lk->tf->path, files_store(w->rs)->shared_perm, err);

	strbuf_addf(&line, "%s\n", oid_hex(oid));
	if (!rc)
		rc = write_in_full(lk->tf->fd, line.buf, line.len, lk->tf->path, err);
	strbuf_release(&line);
	if (rc < 0)
		err_prefix(err, "cannot update ref '%s'", w->name);
	return rc;
}

/* ---- the new log ---- */

static int hold_log(struct lockfile *lk, struct ref_store *rs, const char *name, struct err *err)
{
	struct strbuf path = STRBUF_INIT;
	int rc;

	reflog_path(rs, name, &path);
	rc = lockfile_hold(lk, path.buf, LOCK_NO_DEREF, files_store(rs)->lock_timeout_ms, err);
	strbuf_release(&path);
	return rc;
}

static int write_log(struct rewrite *w, struct lockfile *lk, struct err *err)
{
	int rc = apply_shared_perm(lk->tf->path, files_store(w->rs)->shared_perm, err);

	if (!rc)
		rc = write_in_full(lk->tf->fd, w->text.buf, w->text.len, lk->tf->path, err);
	if (rc < 0)
		err_prefix(err, "cannot rewrite the reflog of '%s'", w->name);
	return rc;
}

/*
 * All is written: hand it over. D1: the log's lock file is renamed by the batch after its
 * writeback; D5: the ref moves after its log. Test: t1417.
 */
static int stage_all(struct held_ref *h, struct lockfile *log, bool moves,
		     struct fsync_batch *b, struct err *err)
{
	int rc = lockfile_stage(log, b, FSYNC_REFERENCE, PUBLISH_REFLOG, err);

	if (moves) {
		if (!rc)
			rc = lockfile_stage(&h->lock, b, FSYNC_REFERENCE, PUBLISH_REF, err);
		held_done(h, false);
		return rc;
	}
	if (!rc)
		return stage_release(h, b, err);
	held_done(h, false);
	return rc;
}

static int write_both(struct rewrite *w, struct held_ref *h, struct fsync_batch *b,
		      struct err *err)
{
	struct lockfile log = LOCKFILE_INIT;
	struct object_id oid;
	int moves = 0, rc;

	rc = hold_log(&log, w->rs, w->name, err);
	if (!rc)
		rc = decide_again(w, err);
	if (!rc)
		rc = moves = wants_value(w, &oid, err);
	if (moves > 0)
		rc = write_value(w, &h->lock, &oid, err);
	else if (!rc)
		rc = lockfile_close(&h->lock, err);
	if (!rc)
		rc = write_log(w, &log, err);
	if (!rc)
		return stage_all(h, &log, moves > 0, b, err);
	lockfile_release(&log);
	held_done(h, false);
	return rc;
}

int files_reflog_rewrite(struct ref_store *rs, const char *name, unsigned flags,
			 reflog_keep_fn keep, void *data, struct fsync_batch *b,
			 struct err *err)
{
	struct rewrite w = {
		.rs = rs, .name = name, .flags = flags, .keep = keep, .data = data,
		.seen = STRBUF_INIT, .text = STRBUF_INIT, .ident = STRBUF_INIT,
	};
	struct held_ref *h;
	int rc = reflog_read(rs, name, &w.seen, err);

	if (!rc)
		rc = decide(&w, err);
	if (!rc && !(flags & REFLOG_DRY_RUN) &&
	    (w.text.len != w.seen.len || memcmp(w.text.buf, w.seen.buf, w.text.len))) {
		rc = hold_ref(&h, rs, name, err);
		if (!rc)
			rc = write_both(&w, h, b, err);
	}
	rewrite_release(&w);
	return rc;
}

/* ---- removing a log ---- */

int files_reflog_remove(struct ref_store *rs, const char *name, struct fsync_batch *b,
			struct err *err)
{
	struct held_ref *h;
	int rc;

	if (!files_reflog_exists(rs, name))
		return err_set(err, ERR_NOT_FOUND, "no reflog for '%s'", name);
	rc = hold_ref(&h, rs, name, err);
	if (rc < 0)
		return rc;
	h->removes_log = true;
	rc = lockfile_close(&h->lock, err);
	if (!rc)
		rc = reflog_stage_removal(rs, name, PUBLISH_REFLOG, b, err);
	if (!rc)
		return stage_release(h, b, err);
	held_done(h, false);
	return rc;
}

/* ---- one more entry ---- */

int files_reflog_append(struct ref_store *rs, const char *name, const struct reflog_entry *e, struct fsync_batch *b,
			struct err *err)
{
	struct strbuf line = STRBUF_INIT;
	struct held_ref *h;
	int rc = hold_ref(&h, rs, name, err);

	if (rc < 0)
		return rc;
	rc = lockfile_close(&h->lock, err);
	reflog_format_entry(&line, &e->old_oid, &e->new_oid, e->ident, e->msg);
	if (!rc)
		rc = reflog_stage_lines(rs, name, true, &line, b, err);
	strbuf_release(&line);
	if (!rc)
		return stage_release(h, b, err);
	held_done(h, false);
	return rc;
}

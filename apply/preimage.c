/* SPDX-License-Identifier: GPL-2.0-only */
/* The content that a patch is for: of the index, of the working tree, or of an earlier patch of the same input. */
#include "compat/posix.h"
#include "apply/apply-internal.h"
#include "fs/file.h"
#include "object/tree.h"
#include "worktree/worktree.h"

#define CONTENT_MAX ((size_t)1 << 31)

/* Values in apply.table, where a path has no patch that makes it. */
char apply_to_delete, apply_was_deleted;

/* The patch of this input that made the file. *gone: one has removed it. */
struct apply_patch *apply_earlier_patch(struct apply *a, const struct apply_patch *ap, bool *gone)
{
	void *v;

	*gone = false;
	if (ap->p.is_copy || ap->p.is_rename || !ap->p.old_name)
		return NULL; /* "git diff" means all old sides at once */
	v = strmap_get(&a->table, ap->p.old_name);
	*gone = v == &apply_was_deleted;
	return v == &apply_to_delete || v == &apply_was_deleted ? NULL : v;
}

bool apply_checks_file(const struct apply *a, const char *path)
{
	if (a->series)
		return a->index_with_files && !strset_contains(&a->series->changed, path);
	return !a->cached;
}

/* ---- contents ---- */

/* As a commit would have the file; of one whose patch has CRLF, lines end as they do. */
static int read_worktree(struct apply *a, const struct apply_patch *ap, const char *name, const struct stat *st,
			 struct strbuf *out)
{
	struct conversion cv;
	struct strbuf converted = STRBUF_INIT, warn = STRBUF_INIT;
	int rc;

	if (S_ISLNK(st->st_mode))
		return read_link(out, name, (size_t)st->st_size, NULL);
	if (!S_ISREG(st->st_mode) || read_file(out, name, CONTENT_MAX, NULL) < 0)
		return -1;
	if (!a->conv)
		return 0;
	converter_lookup(a->conv, name, &cv);
	if (ap->p.has_crlf)
		cv.text = TEXT_NO;
	rc = convert_to_git(a->conv, name, &cv, out->buf, out->len, &converted, ap->p.has_crlf ? 0 : CONVERT_RENORMALIZE, &warn,
			    NULL);
	if (rc > 0)
		strbuf_swap(out, &converted);
	if (warn.len)
		apply_say(a, "%s", warn.buf);
	strbuf_release(&converted);
	strbuf_release(&warn);
	return rc < 0 ? rc : 0;
}

static int read_entry(struct apply *a, const struct index_entry *e, struct strbuf *out)
{
	struct object_buf buf = OBJECT_BUF_INIT;

	if (MODE_IS_GITLINK(e->mode)) {
		strbuf_addf(out, "Subproject commit %s\n", oid_hex(&e->oid));
		return 0;
	}
	if (odb_read_type(a->repo->odb, &e->oid, OBJ_BLOB, &buf, NULL) < 0)
		return -1;
	strbuf_add(out, buf.data, buf.size);
	object_buf_release(&buf);
	return 0;
}

/* From the index, if it counts, or the file. 1: a submodule without index. */
static int read_target(struct apply *a, const struct apply_patch *ap, const struct index_entry *e, const char *name,
		       unsigned mode, struct strbuf *out)
{
	struct stat st;
	int rc = 0;

	if (a->has_index) {
		if (e)
			rc = read_entry(a, e, out);
	} else if (name) {
		if (MODE_IS_GITLINK(mode))
			return 1;
		if (worktree_leading_symlink(name, strlen(name)))
			return apply_error(a, "reading from '%s' beyond a symbolic link", name);
		rc = lstat(name, &st) < 0 ? -1 : read_worktree(a, ap, name, &st, out);
	}
	return rc < 0 ? apply_error(a, "failed to read %s", name) : 0;
}

int apply_load_preimage(struct apply *a, struct apply_patch *ap, const struct index_entry *e, struct strbuf *out)
{
	bool gone;
	struct apply_patch *earlier = apply_earlier_patch(a, ap, &gone);
	int rc;

	if (gone)
		return apply_error(a, "path %s has been renamed/deleted", ap->p.old_name);
	if (earlier) {
		strbuf_addbuf(out, &earlier->result);
		return 0;
	}
	rc = read_target(a, ap, e, ap->p.old_name, ap->p.old_mode, out);
	if (rc == 1) /* a submodule, about which only the index knows */
		ap->p.nr = 0;
	return rc < 0 ? rc : 0;
}

/* ---- the index against the file ---- */

bool apply_differs_from_entry(struct apply *a, struct index_entry *e, const struct stat *st)
{
	enum worktree_change change = WT_UNCHANGED;
	unsigned match, mode;
	struct stat again;

	if (MODE_IS_GITLINK(e->mode))
		return !S_ISDIR(st->st_mode);
	match = index_entry_stat_match(&a->ix, e, st, &a->repo->settings);
	if (match & ~MATCH_RACY && !a->in_series) /* Git refreshes the index before a series */
		return true;
	if (!match)
		return false;
	return worktree_entry_changed(a->repo, &a->ix, e, a->conv, &change, &again, &mode, NULL) < 0 || change != WT_UNCHANGED;
}

/* --index: a file that is missing is written. */
int apply_check_out_entry(struct apply *a, struct index_entry *e, struct stat *st)
{
	const struct checkout_options o = { 0 };

	if (worktree_checkout_entry(a->repo, &a->ix, e, a->conv, &o, NULL) < 0 || lstat(e->name, st) < 0)
		return apply_error(a, "cannot checkout %s", e->name);
	return 0;
}

int apply_load_current(struct apply *a, struct apply_patch *ap, struct strbuf *out)
{
	const char *name = ap->p.new_name;
	struct index_entry *e = index_find(&a->ix, name, strlen(name));
	struct stat st;

	if (!e)
		return apply_error(a, "%s: does not exist in index", name);
	if (lstat(name, &st) < 0) {
		if (errno != ENOENT && errno != ENOTDIR)
			return -1;
		if (apply_check_out_entry(a, e, &st) < 0)
			return -1;
	}
	if (apply_differs_from_entry(a, e, &st))
		return apply_error(a, "%s: does not match index", name);
	return read_target(a, ap, e, name, ap->p.new_mode, out) < 0 ? -1 : 0;
}


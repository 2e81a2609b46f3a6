/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The results of an input become files and entries of the index. Contents go to temporary files first, so that what can fail
 * by a full disk fails before any file has changed; then old files go, and new ones get their names.
 */
#include "compat/posix.h"
#include "compat/syscalls.h"
#include "apply/apply-internal.h"
#include "fs/file.h"
#include "object/tree.h"
#include "util/alloc.h"
#include "util/path.h"
#include "util/string-list.h"
#include "worktree/rerere.h"
#include "worktree/worktree.h"
#include "write-or-die.h"

static unsigned mode_of(const struct apply_patch *ap)
{
	return ap->p.new_mode ? ap->p.new_mode : MODE_FILE;
}

static bool writes_file(const struct apply *a, const struct apply_patch *ap)
{
	return !a->cached && !ap->rejected && ap->p.is_delete <= 0;
}

static int say_unwritable(struct apply *a, const struct apply_patch *ap)
{
	int code = errno;

	apply_error(a, "unable to write file '%s' mode %o: %s", ap->p.new_name, mode_of(ap), strerror(code));
	return APPLY_FATAL;
}

/* ---- new contents ---- */

/* The nearest directory above the path that is there, with a slash; "": the current one. */
static char *existing_parent(const char *path)
{
	char *dir = xstrdup(path), *slash;

	while ((slash = strrchr(dir, '/'))) {
		slash[0] = '\0';
		if (slash == dir || is_directory_nofollow(dir)) {
			slash[0] = '/';
			slash[1] = '\0';
			return dir;
		}
	}
	*dir = '\0';
	return dir;
}

static int write_content(struct apply *a, struct apply_patch *ap, struct err *err)
{
	const char *name = ap->p.new_name;
	struct strbuf converted = STRBUF_INIT, warn = STRBUF_INIT;
	const struct strbuf *out = &ap->result;
	struct fsync_batch *batch = a->op ? repo_operation_batch(a->op) : NULL;
	struct conversion cv;
	int rc = 0;

	if (a->conv) {
		converter_lookup(a->conv, name, &cv);
		rc = convert_to_worktree(a->conv, name, &cv, ap->result.buf, ap->result.len, NULL, &converted, &warn, err);
		if (rc > 0)
			out = &converted;
		if (warn.len)
			apply_say(a, "%s", warn.buf);
	}
	if (rc >= 0)
		rc = write_in_full(ap->staged->fd, out->buf, out->len, name, err);
	if (!rc && batch && a->repo->worktree && fsync_batch_awaits(batch, FSYNC_WORKTREE, a->repo->worktree))
		fsync_batch_await(batch, name, tempfile_release_fd(ap->staged));
	else if (!rc)
		rc = tempfile_close(ap->staged, err);
	strbuf_release(&converted);
	strbuf_release(&warn);
	return rc;
}

static int stage_content(struct apply *a, struct apply_patch *ap)
{
	char *dir;
	struct err err = ERR_INIT;
	int rc;

	if (!writes_file(a, ap) || !MODE_IS_FILE(mode_of(ap)))
		return 0;
	dir = existing_parent(ap->p.new_name);
	rc = tempfile_create_in(&ap->staged, *dir ? dir : ".", ".git-apply-", mode_of(ap) & 0100 ? 0777 : 0666, &err);
	if (!rc)
		rc = write_content(a, ap, &err);
	if (rc < 0) {
		errno = err.sys_errno;
		say_unwritable(a, ap);
	}
	err_release(&err);
	free(dir);
	return rc < 0 ? APPLY_FATAL : 0;
}

/* ---- old files ---- */

/* A file that a patch of this input writes is replaced, and need not go before. */
static bool is_written_again(const struct apply *a, const char *path)
{
	for (size_t i = 0; i < a->nr; i++)
		if (a->patches[i]->staged && !strcmp(a->patches[i]->p.new_name, path))
			return true;
	return false;
}

static void remove_old_file(struct apply *a, const struct apply_patch *ap)
{
	const char *path = ap->p.old_name;
	bool with_parents = ap->p.is_delete > 0 || ap->p.is_rename;
	int failed;

	if (a->cached || is_written_again(a, path))
		return;
	failed = MODE_IS_GITLINK(ap->p.old_mode) ? sys->rmdir(path) : sys->unlink(path);
	if (failed && errno != ENOENT && errno != ENOTDIR)
		apply_say(a, "warning: unable to %s '%s': %s\n", MODE_IS_GITLINK(ap->p.old_mode) ? "rmdir" : "unlink", path,
			  strerror(errno));
	else if (!failed && with_parents)
		remove_empty_parents(path, a->prefix ? a->prefix : "");
}

static bool leaves_index(const struct apply *a)
{
	return a->has_index && a->update_index && !a->intent_to_add;
}

static void note_changed(struct apply *a, const char *path)
{
	if (a->series)
		strset_add(&a->series->changed, path);
}

static void remove_old_side(struct apply *a, struct apply_patch *ap)
{
	const struct file_patch *p = &ap->p;

	if (ap->rejected || !p->old_name || (p->is_delete <= 0 && (p->is_new > 0 || p->is_copy)))
		return;
	if (leaves_index(a))
		index_remove(&a->ix, p->old_name, strlen(p->old_name));
	note_changed(a, p->old_name);
	remove_old_file(a, ap);
}

/* ---- new files ---- */

static bool is_under_link(struct apply *a, const char *path)
{
	return !a->unsafe_paths && worktree_leading_symlink(path, strlen(path));
}

static int name_file(struct apply_patch *ap)
{
	const char *path = ap->p.new_name;

	if (sys->rename(ap->staged->path, path) < 0 &&
	    ((errno != EISDIR && errno != ENOTEMPTY && errno != EEXIST) || sys->rmdir(path) < 0 ||
	     sys->rename(ap->staged->path, path) < 0))
		return -1;
	tempfile_forget(&ap->staged);
	return 0;
}

static int make_link(const struct apply_patch *ap)
{
	const char *path = ap->p.new_name;
	struct stat st;

	if (!lstat(path, &st))
		(void)(S_ISDIR(st.st_mode) ? sys->rmdir(path) : sys->unlink(path));
	return sys->symlink(ap->result.buf, path);
}

static int make_submodule(const struct apply_patch *ap)
{
	return is_directory_nofollow(ap->p.new_name) ? 0 : sys->mkdir(ap->p.new_name, 0777);
}

static int create_new_file(struct apply *a, struct apply_patch *ap)
{
	struct err err = ERR_INIT;
	int rc;

	if (is_under_link(a, ap->p.new_name)) {
		apply_error(a, "affected file '%s' is beyond a symbolic link", ap->p.new_name);
		return APPLY_FATAL;
	}
	if (make_leading_dirs(ap->p.new_name, 0, &err) < 0) {
		errno = err.sys_errno == EEXIST ? ENOTDIR : err.sys_errno; /* of the directory's path */
		rc = -1;
	} else {
		rc = ap->staged ? name_file(ap) : MODE_IS_SYMLINK(mode_of(ap)) ? make_link(ap) : make_submodule(ap);
	}
	if (rc < 0)
		rc = say_unwritable(a, ap);
	err_release(&err);
	return rc;
}

/* ---- the index ---- */

static int add_entry(struct apply *a, const char *name, unsigned mode, const struct object_id *oid, unsigned stage,
		     unsigned flags)
{
	struct index_entry *e = index_entry_new(&a->ix, mode, oid, name, strlen(name), stage);
	struct err err = ERR_INIT;
	struct stat st;

	e->flags |= flags;
	if (!stage && !a->cached && !MODE_IS_GITLINK(mode) && !flags) {
		if (lstat(name, &st) < 0) {
			apply_error(a, "unable to stat newly created file '%s': %s", name, strerror(errno));
			return APPLY_FATAL;
		}
		stat_data_fill(&e->stat, &st);
	}
	if (index_add(&a->ix, e, 0, a->repo->settings.protect, &err) < 0) {
		apply_error(a, "%s", err_message(&err));
		err_release(&err);
		apply_error(a, "unable to add cache entry for %s", name);
		return APPLY_FATAL;
	}
	a->ix.changed = true;
	return 0;
}

static int add_conflict(struct apply *a, struct apply_patch *ap)
{
	int rc = 0;

	index_remove(&a->ix, ap->p.new_name, strlen(ap->p.new_name));
	for (unsigned i = 0; !rc && i < MERGE_STAGES; i++)
		if (ap->has_oid[i])
			rc = add_entry(a, ap->p.new_name, mode_of(ap), &ap->oid[i], i + 1, 0);
	return rc;
}

static int add_new_entry(struct apply *a, struct apply_patch *ap)
{
	const struct strbuf none = STRBUF_INIT, *content = &ap->result;
	const char *name = ap->p.new_name, *hex;
	struct object_id oid;
	unsigned flags = 0;

	if (ap->conflicted)
		return add_conflict(a, ap);
	if (a->intent_to_add) {
		if (ap->p.is_new <= 0)
			return 0;
		flags = CE_INTENT_TO_ADD;
		content = &none;
	}
	if (!flags && MODE_IS_GITLINK(mode_of(ap))) {
		if (!skip_prefix(ap->result.buf, "Subproject commit ", &hex) || oid_parse_hex(&oid, hex, a->algo, &hex) < 0 ||
		    *hex != '\n') {
			apply_error(a, "corrupt patch for submodule %s", name);
			return APPLY_FATAL;
		}
	} else if (odb_write(a->repo->odb, OBJ_BLOB, content->buf, content->len, &oid, NULL) < 0) {
		apply_error(a, "unable to create backing store for newly created file %s", name);
		return APPLY_FATAL;
	}
	return add_entry(a, name, mode_of(ap), &oid, 0, flags);
}

static int create_new_side(struct apply *a, struct apply_patch *ap)
{
	int rc = 0;

	if (ap->rejected || ap->p.is_delete > 0)
		return 0;
	if (!a->cached)
		rc = create_new_file(a, ap);
	note_changed(a, ap->p.new_name);
	if (!rc && a->update_index)
		rc = add_new_entry(a, ap);
	return rc;
}

/* ---- rejected hunks ---- */

static void write_hunks(struct apply *a, const struct apply_patch *ap, int fd, const char *path)
{
	struct strbuf out = STRBUF_INIT;
	int rc;

	strbuf_addf(&out, "diff a/%s b/%s\t(rejected hunks)\n", ap->p.new_name, ap->p.new_name);
	for (size_t i = 0; i < ap->p.nr; i++) {
		const struct patch_hunk *h = &ap->p.hunks[i];

		apply_say(a, h->rejected ? "Rejected hunk #%zu.\n" : "Hunk #%zu applied cleanly.\n", i + 1);
		if (!h->rejected)
			continue;
		strbuf_add(&out, h->text, h->len);
		strbuf_complete_line(&out);
	}
	rc = write_in_full(fd, out.buf, out.len, path, NULL);
	if (sys->close(fd) < 0 || rc < 0)
		apply_error(a, "cannot write %s: %s", path, strerror(errno));
	strbuf_release(&out);
}

/* The file of that name is a new one; -1: the reason has been said. */
static int open_rejects(struct apply *a, const char *path)
{
	int fd = -1;

	for (int i = 0; fd < 0 && i < 2; i++) {
		fd = (int)RETRY_EINTR(sys->open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
		if (fd >= 0 || errno != EEXIST || i)
			continue;
		if (sys->unlink(path) < 0) {
			apply_error(a, "cannot unlink '%s': %s", path, strerror(errno));
			return -1;
		}
	}
	if (fd < 0)
		apply_error(a, "cannot open %s: %s", path, strerror(errno));
	return fd;
}

/* true: hunks were rejected. */
static bool write_rejects(struct apply *a, struct apply_patch *ap)
{
	char *path, *before;
	size_t nr = 0;
	int fd;

	for (size_t i = 0; i < ap->p.nr; i++)
		nr += ap->p.hunks[i].rejected;
	if (!nr) {
		if (a->verbosity > 0)
			apply_say_name(a, ap, "Applied patch ", " cleanly.");
		return false;
	}
	path = xstrfmt("%s.rej", ap->p.new_name);
	before = xstrfmt(" with %zu reject%s...", nr, nr == 1 ? "" : "s");
	apply_say_name(a, ap, "Applying patch ", before);
	fd = open_rejects(a, path);
	if (fd >= 0)
		write_hunks(a, ap, fd, path);
	free(before);
	free(path);
	return true;
}

/* ---- all ---- */

static int say_conflicts(struct apply *a)
{
	struct string_list paths = STRING_LIST_INIT;
	int found;

	for (size_t i = 0; i < a->nr; i++)
		if (a->patches[i]->conflicted && !a->patches[i]->rejected)
			string_list_append(&paths, a->patches[i]->p.new_name);
	string_list_sort(&paths);
	for (size_t i = 0; i < paths.nr; i++)
		apply_say(a, "U %s\n", paths.items[i].string);
	found = paths.nr > 0;
	string_list_clear(&paths, NULL);
	return found;
}

int apply_write_results(struct apply *a)
{
	int ret = 0, rc = 0;

	for (size_t i = 0; !rc && i < a->nr; i++)
		rc = stage_content(a, a->patches[i]);
	for (size_t i = 0; !rc && i < a->nr; i++)
		remove_old_side(a, a->patches[i]);
	for (size_t i = 0; !rc && i < a->nr; i++) {
		rc = create_new_side(a, a->patches[i]);
		ret |= a->patches[i]->rejected || (!rc && write_rejects(a, a->patches[i]));
	}
	if (rc)
		return rc;
	return say_conflicts(a) || ret;
}

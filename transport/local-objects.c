/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The objects of another repository on this machine: its files get a second name in ours, or are copied. Other processes
 * may change that repository meanwhile, and a user who may write there could make links that lead elsewhere. So each
 * entry is checked again when it has its place here, and refused if it is no plain file.
 *
 * The process that made a linked file may never have flushed it: the operation settles and seals it with all other new
 * files (PUBLISH_ADOPT).
 */
#include "compat/posix.h"
#include <dirent.h>
#include "compat/syscalls.h"
#include "fs/file.h"
#include "fs/tempfile.h"
#include "transport/local-objects.h"
#include "util/alloc.h"
#include "util/path.h"
#include "write-or-die.h"

/* ---- the files ---- */

struct copied_file {
	char *name; /* below the object directories */
	enum publish_class order;
	enum fsync_component component;
	mode_t mode;
	dev_t dev;
	ino_t ino;
};
struct copying {
	struct repository *r;
	struct fsync_batch *batch;
	const char *from, *to; /* object directories */
	enum local_objects_how how; /* becomes COPIES where links cannot be made */
	struct copied_file *files;
	size_t nr, alloc;
};

/* Temporary files, locks, and files that we write ourselves. */
static bool is_left_out(const char *name, const char *path)
{
	return starts_with(name, "tmp_") || starts_with(name, ".tmp-") || starts_with(name, "incoming-") ||
	       ends_with(name, ".lock") || !strcmp(path, "info/alternates") || !strcmp(path, "info/http-alternates");
}

static void classify(struct copied_file *f)
{
	if (starts_with(f->name, "info/") || starts_with(f->name, "pack/multi-pack-index")) {
		f->order = PUBLISH_DERIVED;
		f->component = starts_with(f->name, "info/commit-graph") ? FSYNC_COMMIT_GRAPH : FSYNC_PACK_METADATA;
	} else if (!starts_with(f->name, "pack/")) {
		f->order = PUBLISH_LOOSE_OBJECT;
		f->component = FSYNC_LOOSE_OBJECT;
	} else {
		f->order = ends_with(f->name, ".idx") ? PUBLISH_PACK_IDX : PUBLISH_PACK_DATA;
		f->component = ends_with(f->name, ".pack") ? FSYNC_PACK : FSYNC_PACK_METADATA;
	}
}

static void note_file(struct copying *k, const char *name, const struct stat *st)
{
	struct copied_file *f;

	ALLOC_GROW(k->files, k->nr + 1, k->alloc);
	f = &k->files[k->nr++];
	*f = (struct copied_file){ .name = xstrdup(name), .mode = st->st_mode, .dev = st->st_dev, .ino = st->st_ino };
	classify(f);
}

static int list_dir(struct copying *k, const char *dir, int depth, struct err *err);

static int list_entry(struct copying *k, const char *name, const char *path, int depth, struct err *err)
{
	char *full = path_join(k->from, path);
	struct stat st;
	int rc = 0;

	if (lstat(full, &st) < 0)
		rc = errno == ENOENT ? 0 : err_set_errno(err, "failed to stat '%s'", full);
	else if (S_ISLNK(st.st_mode))
		rc = err_set(err, ERR_INVALID, "symlink '%s' exists, refusing to clone with --local", path);
	else if (S_ISDIR(st.st_mode))
		rc = is_left_out(name, path) ? 0 : list_dir(k, path, depth + 1, err);
	else if (!S_ISREG(st.st_mode))
		rc = err_set(err, ERR_INVALID, "'%s' is not a regular file, refusing to clone with --local", path);
	else if (!is_left_out(name, path))
		note_file(k, path, &st);
	free(full);
	return rc;
}

/* dir: "" or below the object directory. */
static int list_dir(struct copying *k, const char *dir, int depth, struct err *err)
{
	char *full = *dir ? path_join(k->from, dir) : xstrdup(k->from);
	DIR *d = opendir(full);
	struct dirent *de;
	int rc = 0;

	if (!d)
		rc = err_set_errno(err, "failed to open '%s'", full);
	else if (depth > 4)
		rc = err_set(err, ERR_INVALID, "'%s' is too deep for an object directory", full);
	while (!rc && (de = readdir(d))) {
		char *path = *dir ? path_join(dir, de->d_name) : xstrdup(de->d_name);

		if (strcmp(de->d_name, ".") && strcmp(de->d_name, ".."))
			rc = list_entry(k, de->d_name, path, depth, err);
		free(path);
	}
	if (d)
		closedir(d);
	free(full);
	return rc;
}

static int compare_files(const void *a, const void *b)
{
	const struct copied_file *x = a, *y = b;

	return x->order != y->order ? (int)x->order - (int)y->order : strcmp(x->name, y->name);
}

/* ---- links ---- */

/* Another process could have put another file there since our check. */
static int check_link(const struct copied_file *f, const char *from, const char *to, struct err *err)
{
	struct stat st;

	if (lstat(to, &st) < 0)
		return err_set_errno(err, "hardlink cannot be checked at '%s'", to);
	if (!S_ISREG(st.st_mode) || st.st_dev != f->dev || st.st_ino != f->ino)
		return err_set(err, ERR_CONFLICT, "hardlink different from source at '%s'", from);
	return 0;
}

/* 1: done; 0: it cannot be linked, and may be copied. */
static int link_file(struct copying *k, const struct copied_file *f, const char *from, const char *to, struct err *err)
{
	struct fsync_staging s = { .component = f->component, .order = f->order, .how = PUBLISH_ADOPT, .fd = -1,
				   .final_path = to };
	int rc;

	if (RETRY_EINTR(sys->link(from, to)) < 0) {
		if (k->how == LOCAL_OBJECTS_LINKS_ONLY)
			return err_set_errno(err, "failed to create link '%s'", to);
		k->how = LOCAL_OBJECTS_COPIES;
		return 0;
	}
	rc = check_link(f, from, to, err);
	if (!rc)
		rc = fsync_batch_stage(k->batch, &s, err);
	return rc ? rc : 1;
}

/* ---- copies ---- */

static int copy_bytes(int in, int out, const char *from, const char *to, struct err *err)
{
	size_t size = 1 << 17;
	char *buf = xmalloc(size);
	ssize_t n;
	int rc = 0;

	while (!rc && (n = RETRY_EINTR(read(in, buf, size))) != 0)
		rc = n < 0 ? err_set_errno(err, "failed to read '%s'", from) : write_in_full(out, buf, (size_t)n, to, err);
	free(buf);
	return rc;
}

static int copy_file(struct copying *k, const struct copied_file *f, const char *from, const char *to, struct err *err)
{
	int in = (int)RETRY_EINTR(sys->open(from, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0));
	struct strbuf dir = STRBUF_INIT;
	struct tempfile *t = NULL;
	struct stat st;
	int rc = 0;

	if (in < 0 || fstat(in, &st) < 0)
		rc = err_set_errno(err, "failed to open '%s'", from);
	else if (!S_ISREG(st.st_mode))
		rc = err_set(err, ERR_CONFLICT, "'%s' is no longer a regular file", from);
	path_dirname(&dir, to);
	if (!rc)
		rc = tempfile_create_in(&t, dir.buf, "tmp_obj_", f->mode & 0111 ? 0555 : 0444, err);
	if (!rc)
		rc = copy_bytes(in, t->fd, from, t->path, err);
	if (!rc)
		rc = apply_shared_perm(t->path, k->r->settings.shared_perm, err);
	if (!rc)
		rc = tempfile_stage(&t, k->batch, f->component, f->order, to, false, err);
	tempfile_delete(&t);
	if (in >= 0)
		sys->close(in);
	strbuf_release(&dir);
	return rc;
}

/* ---- all of them ---- */

static int make_parent(struct copying *k, const struct copied_file *f, const char *to, struct strbuf *last,
		       struct err *err)
{
	struct strbuf dir = STRBUF_INIT, up = STRBUF_INIT;
	int rc = 0;

	path_dirname(&dir, to);
	if (strcmp(dir.buf, last->buf) && !is_directory(dir.buf)) {
		rc = make_dirs(dir.buf, k->r->settings.shared_perm, err);
		path_dirname(&up, dir.buf);
		if (!rc)
			fsync_batch_note_dir(k->batch, f->component, up.buf);
	}
	strbuf_swap(last, &dir);
	strbuf_release(&dir);
	strbuf_release(&up);
	return rc;
}

static int copy_all(struct copying *k, struct err *err)
{
	struct strbuf last = STRBUF_INIT;
	int rc = 0;

	for (size_t i = 0; !rc && i < k->nr; i++) {
		const struct copied_file *f = &k->files[i];
		char *from = path_join(k->from, f->name), *to = path_join(k->to, f->name);

		rc = make_parent(k, f, to, &last, err);
		if (!rc && k->how != LOCAL_OBJECTS_COPIES)
			rc = link_file(k, f, from, to, err);
		if (!rc && k->how == LOCAL_OBJECTS_COPIES)
			rc = copy_file(k, f, from, to, err);
		rc = rc > 0 ? 0 : rc;
		free(from);
		free(to);
	}
	strbuf_release(&last);
	return rc;
}

int local_objects_copy(struct repository *r, struct repo_operation *op, const char *from,
		       enum local_objects_how how, struct err *err)
{
	struct copying k = { .r = r, .batch = repo_operation_batch(op), .from = from, .to = r->objdir, .how = how };
	struct stat st;
	int rc = 0;

	if (lstat(from, &st) < 0)
		rc = err_set_errno(err, "failed to stat '%s'", from);
	else if (S_ISLNK(st.st_mode))
		rc = err_set(err, ERR_INVALID, "'%s' is a symlink, refusing to clone with --local", from);
	if (!rc)
		rc = list_dir(&k, "", 0, err);
	if (!rc) {
		if (k.nr)
			qsort(k.files, k.nr, sizeof(*k.files), compare_files);
		rc = copy_all(&k, err);
	}
	for (size_t i = 0; i < k.nr; i++)
		free(k.files[i].name);
	free(k.files);
	return rc;
}

/* ---- alternates ---- */

/* The alternates of the other repository become ours, too. Relative paths are made absolute. */
int local_objects_alternates(const char *objdir, struct strbuf *out, struct err *err)
{
	char *path = path_join(objdir, "info/alternates");
	struct strbuf text = STRBUF_INIT;
	int rc = read_file(&text, path, 1 << 24, err);

	if (rc == ERR_NOT_FOUND) {
		err_release(err);
		rc = 0;
	}
	for (char *line = text.buf; !rc && line && *line;) {
		char *end = strchrnul(line, '\n'), *full;
		bool last = !*end;

		*end = '\0';
		if (is_absolute_path(line) || *line == '#' || !*line) {
			strbuf_addf(out, "%s\n", line);
		} else {
			full = path_join(objdir, line);
			path_normalize(full, full);
			strbuf_addf(out, "%s\n", full);
			free(full);
		}
		line = last ? NULL : end + 1;
	}
	strbuf_release(&text);
	free(path);
	return rc;
}

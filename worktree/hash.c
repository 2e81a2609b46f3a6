/* SPDX-License-Identifier: GPL-2.0-only */
/* Reading and hashing a file of the work tree as the object that it becomes. */
#include "compat/posix.h"
#include "fs/file.h"
#include "util/alloc.h"
#include "worktree/worktree.h"
#include "write-or-die.h"

static int changed_while_read(const char *path, struct err *err)
{
	return err_set(err, ERR_IO, "file '%s' changed while it was being read", path);
}

/* The complete file, which must not change while it is read. */
static int read_stable(int fd, const char *path, struct object_buf *out, struct err *err)
{
	struct stat before, after;
	ssize_t n;
	char *data;

	if (fstat(fd, &before) < 0)
		return err_set_errno(err, "cannot stat '%s'", path);
	if (!S_ISREG(before.st_mode) || before.st_size < 0)
		return changed_while_read(path, err);
	data = try_alloc((size_t)before.st_size + 1);
	if (!data)
		return err_set(err, ERR_TOO_BIG, "cannot hold '%s' (%jd bytes) in memory", path,
			       (intmax_t)before.st_size);
	/* one byte more than needed, to see whether it has grown */
	n = read_in_full(fd, data, (size_t)before.st_size + 1);
	if (n < 0) {
		free(data);
		return err_set_errno(err, "read error while indexing '%s'", path);
	}
	if (n != before.st_size || fstat(fd, &after) < 0 || !is_same_state(&before, &after)) {
		free(data);
		return changed_while_read(path, err);
	}
	data[n] = '\0';
	out->type = OBJ_BLOB;
	out->data = data;
	out->size = (size_t)n;
	return 0;
}

static int read_regular(const char *path, struct object_buf *out, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	int rc;

	if (fd < 0)
		return err_set_errno(err, "open(\"%s\")", path);
	rc = read_stable(fd, path, out, err);
	close(fd);
	return rc;
}

static int read_symlink(const char *path, const struct stat *st, struct object_buf *out,
			struct err *err)
{
	struct strbuf target = STRBUF_INIT;
	int rc = read_link(&target, path, (size_t)st->st_size, err);

	if (rc < 0) {
		err_prefix(err, "readlink(\"%s\")", path);
		return rc;
	}
	out->type = OBJ_BLOB;
	out->size = target.len;
	out->data = strbuf_detach(&target, NULL);
	return 0;
}

int worktree_read_blob(struct converter *c, const struct conversion *cv, const char *path,
		       const struct stat *st, unsigned flags, struct object_buf *out,
		       struct strbuf *warn, struct err *err)
{
	struct object_buf raw = OBJECT_BUF_INIT;
	struct strbuf conv = STRBUF_INIT;
	int rc;

	if (S_ISLNK(st->st_mode))
		return read_symlink(path, st, out, err);
	rc = read_regular(path, &raw, err);
	if (rc < 0)
		return rc;
	rc = convert_to_git(c, path, cv, raw.data, raw.size, &conv, flags, warn, err);
	if (rc > 0) {
		object_buf_release(&raw);
		out->type = OBJ_BLOB;
		out->size = conv.len;
		out->data = strbuf_detach(&conv, NULL);
	} else if (!rc) {
		*out = raw;
	} else {
		object_buf_release(&raw);
	}
	return rc < 0 ? rc : 0;
}

unsigned worktree_mode(const struct repo_settings *s, unsigned st_mode,
		       const struct index_entry *old)
{
	if (S_ISDIR(st_mode))
		return MODE_GITLINK;
	if (!s->symlinks && S_ISREG(st_mode) && old && MODE_IS_SYMLINK(old->mode))
		return old->mode;
	if (!s->filemode && S_ISREG(st_mode))
		return old && MODE_IS_FILE(old->mode) ? old->mode : MODE_FILE;
	return canonical_mode(st_mode);
}

static bool may_stream(struct repository *r, struct converter *c, const struct conversion *cv,
		       const struct stat *st)
{
	return S_ISREG(st->st_mode) && (uint64_t)st->st_size > r->settings.big_file_threshold &&
	       conversion_is_noop_to_git(c, cv);
}

/* Hash a file of any size without holding or writing it. */
static int hash_big_file(struct repository *r, const char *path, uint64_t size,
			 struct object_id *oid, struct err *err)
{
	const size_t piece = 1 << 20;
	char head[OBJECT_HEADER_MAX];
	struct object_id name;
	struct hash_ctx ctx;
	uint64_t left = size;
	char *buf;
	ssize_t n = 1;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	int rc = 0;

	if (fd < 0)
		return err_set_errno(err, "open(\"%s\")", path);
	buf = xmalloc(piece);
	hash_init_checked(&ctx, r->algo);
	hash_update(&ctx, head, (size_t)object_header_format(head, OBJ_BLOB, size));
	while (left && (n = read_in_full(fd, buf, left < piece ? (size_t)left : piece)) > 0) {
		hash_update(&ctx, buf, (size_t)n);
		left -= (uint64_t)n;
	}
	if (n < 0)
		rc = err_set_errno(err, "read error while indexing '%s'", path);
	else if (left || read_in_full(fd, buf, 1) != 0)
		rc = changed_while_read(path, err);
	else if (hash_final(&ctx, &name))
		rc = hash_attack(&name, err);
	else
		*oid = name;
	hash_release(&ctx);
	free(buf);
	close(fd);
	return rc;
}

int worktree_hash_large(struct converter *c, const struct conversion *cv, const char *path, const struct stat *st,
			struct object_id *oid, struct err *err)
{
	struct repository *r = converter_repository(c);
	int rc = 0;

	if (!may_stream(r, c, cv, st))
		return 0;
	if (oid)
		rc = hash_big_file(r, path, (uint64_t)st->st_size, oid, err);
	return rc < 0 ? rc : 1;
}

static int stream_big_file(struct repository *r, const char *path, uint64_t size,
			   struct object_id *oid, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	int rc;

	if (fd < 0)
		return err_set_errno(err, "open(\"%s\")", path);
	rc = bulk_checkin_stream(odb_batch(r->odb), OBJ_BLOB, fd, size, path, oid, err);
	close(fd);
	return rc;
}

static int hash_small(struct repository *r, struct converter *c, const struct conversion *cv,
		      const char *path, const struct stat *st, bool write,
		      struct object_id *oid, struct err *err)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	struct strbuf warn = STRBUF_INIT;
	int rc = worktree_read_blob(c, cv, path, st, write ? CONVERT_WRITE_OBJECT : 0, &buf,
				    &warn, err);

	if (!rc && write)
		rc = odb_write(r->odb, OBJ_BLOB, buf.data, buf.size, oid, err);
	else if (!rc)
		rc = hash_object_buf(r->algo, "blob", buf.data, buf.size, oid, err);
	object_buf_release(&buf);
	strbuf_release(&warn);
	return rc;
}

int worktree_hash_path(struct repository *r, struct converter *c, const char *path,
		       const struct stat *st, bool write, struct object_id *oid,
		       unsigned *mode, struct err *err)
{
	struct conversion cv;
	int rc;

	if (S_ISDIR(st->st_mode)) {
		rc = gitlink_resolve_head(path, r->algo, oid, NULL);
		if (rc < 0)
			rc = err_set(err, rc, "'%s' does not have a commit checked out", path);
	} else if (!S_ISREG(st->st_mode) && !S_ISLNK(st->st_mode)) {
		rc = err_set(err, ERR_INVALID,
			     "%s: can only add regular files, symbolic links or git-directories",
			     path);
	} else {
		converter_lookup(c, path, &cv);
		if (!may_stream(r, c, &cv, st))
			rc = hash_small(r, c, &cv, path, st, write, oid, err);
		else if (write)
			rc = stream_big_file(r, path, (uint64_t)st->st_size, oid, err);
		else
			rc = hash_big_file(r, path, (uint64_t)st->st_size, oid, err);
	}
	if (!rc && mode)
		*mode = worktree_mode(&r->settings, st->st_mode, NULL);
	return rc;
}

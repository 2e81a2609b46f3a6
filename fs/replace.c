/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "compat/syscalls.h"
#include "fs/replace.h"
#include "fs/tempfile.h"
#include "util/alloc.h"
#include "util/path.h"
#include "write-or-die.h"

/* A device or a pipe stays, and takes the text. */
static int write_device(const char *path, const struct strbuf *text, const char *name, struct err *err)
{
	int fd = (int)RETRY_EINTR(sys->open(path, O_WRONLY | O_CLOEXEC, 0)), rc;

	if (fd < 0)
		return err_set_errno(err, "Could not open %s for writing", name);
	rc = write_in_full(fd, text->buf, text->len, name, err);
	close(fd);
	return rc;
}

static int write_new(const char *path, mode_t mode, const struct strbuf *text, const char *prefix, const char *name,
		     struct err *err)
{
	char *dir = xmemdupz(path, (size_t)(path_basename(path) - path));
	struct tempfile *t = NULL;
	int rc = tempfile_create_in(&t, *dir ? dir : ".", prefix, 0600, err);

	if (!rc)
		rc = write_in_full(t->fd, text->buf, text->len, name, err);
	if (!rc && sys->fchmod(t->fd, mode) < 0)
		rc = err_set_errno(err, "Could not write to %s", name);
	if (!rc)
		rc = tempfile_close(t, err);
	if (!rc && sys->rename(t->path, path) < 0)
		rc = err_set_errno(err, "Could not write to %s", name);
	if (!rc)
		tempfile_forget(&t);
	tempfile_delete(&t);
	free(dir);
	return rc;
}

int replace_user_file(const char *path, const struct strbuf *text, const char *prefix, const char *name, struct err *err)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return err_set_errno(err, "Could not open %s for writing", name);
	if (!S_ISREG(st.st_mode))
		return write_device(path, text, name, err);
	return write_new(path, st.st_mode & 07777, text, prefix, name, err);
}

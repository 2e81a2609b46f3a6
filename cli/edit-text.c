/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "cli/edit-text.h"
#include "compat/syscalls.h"
#include "fs/file.h"

int edit_text_write(const char *path, const struct strbuf *text, struct err *err)
{
	int fd = (int)RETRY_EINTR(sys->open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK,
					    0666));
	int rc;

	if (fd < 0)
		return err_set_errno(err, "could not open '%s'", path);
	rc = write_in_full(fd, text->buf, text->len, path, err);
	if (sys->close(fd) < 0 && rc >= 0)
		rc = err_set_errno(err, "could not write '%s'", path);
	return rc;
}

int edit_text(struct repository *r, const char *path, struct strbuf *text, struct err *err)
{
	int rc = edit_text_write(path, text, err);

	if (!rc)
		rc = launch_editor(r, path, NULL, err);
	if (rc < 0)
		return rc;
	strbuf_reset(text);
	return read_file(text, path, EDIT_TEXT_MAX, err);
}

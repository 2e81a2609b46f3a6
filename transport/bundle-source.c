/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include <fcntl.h>
#include "compat/syscalls.h"
#include "transport/bundle-source.h"
#include "util/alloc.h"

struct bundle_source {
	int fd;
	char *name;
	struct bundle_header header;
	size_t given; /* of header.rest */
};

int bundle_source_find(const struct remote_url *u)
{
	char head[BUNDLE_SIGNATURE_LEN];
	struct stat st;
	int fd;

	/* Only a regular file: opening a named pipe would wait for its other end. */
	if (u->kind != URL_LOCAL || !u->plain_path || stat(u->path, &st) < 0 || !S_ISREG(st.st_mode))
		return -1;
	fd = open(u->path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	if (pread(fd, head, sizeof(head), 0) == (ssize_t)sizeof(head) && bundle_has_signature(head, sizeof(head)))
		return fd;
	close(fd);
	return -1;
}

int bundle_source_open(struct bundle_source **out, int fd, const char *name, struct err *err)
{
	struct bundle_source *b = xcalloc(1, sizeof(*b));
	int rc;

	b->fd = fd;
	b->name = xstrdup(name);
	b->header = (struct bundle_header)BUNDLE_HEADER_INIT;
	rc = bundle_header_read(&b->header, fd, name, err);
	if (rc < 0)
		bundle_source_free(b);
	else
		*out = b;
	return rc;
}

void bundle_source_free(struct bundle_source *b)
{
	if (!b)
		return;
	close(b->fd);
	bundle_header_release(&b->header);
	free(b->name);
	free(b);
}

const struct bundle_header *bundle_source_header(const struct bundle_source *b)
{
	return &b->header;
}

int bundle_source_read(struct bundle_source *b, void *buf, size_t len, size_t *got, struct err *err)
{
	const struct strbuf *rest = &b->header.rest;
	ssize_t n;

	if (b->given < rest->len) {
		*got = rest->len - b->given < len ? rest->len - b->given : len;
		memcpy(buf, rest->buf + b->given, *got);
		b->given += *got;
		return 0;
	}
	n = RETRY_EINTR(read(b->fd, buf, len));
	if (n < 0)
		return err_set_errno(err, "cannot read '%s'", b->name);
	*got = (size_t)n;
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "compat/syscalls.h"
#include "credential/secret.h"
#include "util/alloc.h"

void secret_wipe(void *p, size_t len)
{
	volatile unsigned char *byte = p;

	while (len--)
		*byte++ = 0;
}

void secret_free(char **s)
{
	if (*s)
		secret_wipe(*s, strlen(*s));
	FREE_AND_NULL(*s);
}

void secret_set(char **s, const char *value)
{
	char *copy = value ? xstrdup(value) : NULL;

	secret_free(s);
	*s = copy;
}

void secret_buf_add(struct strbuf *sb, const void *p, size_t len)
{
	if (strbuf_avail(sb) < len) {
		struct strbuf larger = STRBUF_INIT;

		strbuf_grow(&larger, st_add(st_add(sb->len, sb->len), st_add(len, 256)));
		strbuf_addbuf(&larger, sb);
		strbuf_swap(&larger, sb);
		secret_buf_release(&larger);
	}
	strbuf_add(sb, p, len);
}

void secret_buf_addstr(struct strbuf *sb, const char *s)
{
	secret_buf_add(sb, s, strlen(s));
}

void secret_buf_release(struct strbuf *sb)
{
	if (sb->alloc)
		secret_wipe(sb->buf, sb->alloc);
	strbuf_release(sb);
}

int secret_buf_read(struct strbuf *sb, int fd, size_t max_bytes, const char *what, struct err *err)
{
	char piece[4096];
	ssize_t n;
	int rc = 0;

	while ((n = RETRY_EINTR(sys->read(fd, piece, sizeof(piece)))) > 0) {
		if (sb->len + n > max_bytes) {
			rc = err_set(err, ERR_TOO_BIG, "too much text from %s", what);
			break;
		}
		secret_buf_add(sb, piece, n);
	}
	if (n < 0)
		rc = err_set_errno(err, "cannot read from %s", what);
	secret_wipe(piece, sizeof(piece));
	return rc;
}

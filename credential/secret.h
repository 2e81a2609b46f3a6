/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Strings that must not stay in memory: they are overwritten before they are freed, also where a buffer moves as
 * it grows.
 */
#ifndef CREDENTIAL_SECRET_H
#define CREDENTIAL_SECRET_H

#include "compat/posix.h"
#include "util/err.h"
#include "util/strbuf.h"

/* Overwrite `len` bytes, which the compiler may not leave out. */
void secret_wipe(void *p, size_t len);
/* Overwrite, free, NULL; NULL is fine. */
void secret_free(char **s);
/* *s becomes a copy of value (NULL: nothing); what it was is overwritten. */
void secret_set(char **s, const char *value);

/* strbuf_add and strbuf_release for such texts; no other function may let them grow. */
void secret_buf_add(struct strbuf *sb, const void *p, size_t len);
void secret_buf_addstr(struct strbuf *sb, const char *s);
void secret_buf_release(struct strbuf *sb);
/* All of fd, at most max_bytes. ERR_IO, ERR_TOO_BIG; `what` is for messages. */
MUST_USE int secret_buf_read(struct strbuf *sb, int fd, size_t max_bytes, const char *what, struct err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "util/alloc.h"
#include "util/err.h"

void err_init(struct err *err)
{
	err->code = 0;
	err->sys_errno = 0;
	err->msg = NULL;
	err->preface = NULL;
}

void err_release(struct err *err)
{
	if (!err)
		return;
	free(err->msg);
	free(err->preface);
	err_init(err);
}

void err_set_preface(struct err *err, const char *text)
{
	if (!err || err->preface)
		return;
	err->preface = xstrdup(text);
}

int err_vset(struct err *err, enum err_code code, const char *fmt, va_list ap)
{
	int saved = errno;

	if (err && !err->code) {
		err->msg = xvstrfmt(fmt, ap);
		err->code = code;
	}
	errno = saved;
	return code;
}

int err_set(struct err *err, enum err_code code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	err_vset(err, code, fmt, ap);
	va_end(ap);
	return code;
}

void err_reword(struct err *err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	free(err->msg);
	err->msg = xvstrfmt(fmt, ap);
	va_end(ap);
}

/* Most failures are of files that may be missing, and their messages are dropped. strerror looks for a translation first. */
static const char *error_text(int code)
{
	return code == ENOENT ? "No such file or directory" : strerror(code);
}

int err_set_errno(struct err *err, const char *fmt, ...)
{
	int saved = errno;

	if (err && !err->code) {
		va_list ap;
		char *what;

		va_start(ap, fmt);
		what = xvstrfmt(fmt, ap);
		va_end(ap);
		err->msg = xstrfmt("%s: %s", what, error_text(saved));
		err->code = ERR_IO;
		err->sys_errno = saved;
		free(what);
	}
	errno = saved;
	return ERR_IO;
}

void err_prefix(struct err *err, const char *fmt, ...)
{
	va_list ap;
	char *prefix, *msg;

	if (!err || !err->code || !err->msg)
		return;
	va_start(ap, fmt);
	prefix = xvstrfmt(fmt, ap);
	va_end(ap);
	msg = xstrfmt("%s: %s", prefix, err->msg);
	free(prefix);
	free(err->msg);
	err->msg = msg;
}

const char *err_message(const struct err *err)
{
	return err && err->msg ? err->msg : "unknown error";
}

void err_move(struct err *dst, struct err *src)
{
	if (!src)
		return;
	if (dst && !dst->code) {
		free(dst->msg);
		free(dst->preface);
		*dst = *src;
		err_init(src);
	} else {
		err_release(src);
	}
}

void vreport(void (*fn)(void *data, const char *msg), void *data, const char *fmt, va_list ap)
{
	char *msg;

	if (!fn)
		return;
	msg = xvstrfmt(fmt, ap);
	fn(data, msg);
	free(msg);
}

void bug_at(const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "BUG: %s:%d: ", file, line);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	abort();
}

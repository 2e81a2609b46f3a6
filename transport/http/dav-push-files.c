/* SPDX-License-Identifier: GPL-2.0-only */
/* Files of the server's repository. */
#include "compat/posix.h"
#include "compat/os.h"
#include "transport/http/dav-push-internal.h"
#include "util/alloc.h"

#define FILE_NAME_RANDOM "%016" PRIx64

void dav_push_say(const struct dav_push *s, const char *fmt, ...)
{
	struct strbuf line = STRBUF_INIT;
	va_list ap;

	if (!s->o || !s->o->say)
		return;
	va_start(ap, fmt);
	strbuf_vaddf(&line, fmt, ap);
	va_end(ap);
	s->o->say(s->o->data, line.buf);
	strbuf_release(&line);
}

char *dav_push_url(const struct dav_push *s, const char *path)
{
	struct strbuf url = STRBUF_INIT;

	strbuf_addstr(&url, http_base(s->c));
	for (; *path; path++)
		strbuf_addf(&url, isalnum((unsigned char)*path) || strchr("/-._~", *path) ? "%c" : "%%%02X", (unsigned char)*path);
	return strbuf_detach(&url, NULL);
}

int dav_push_read(const struct dav_push *s, const char *path, size_t max, struct strbuf *out, bool *there, struct err *err)
{
	char *url = dav_push_url(s, path);
	struct err why = ERR_INIT;
	int rc;

	strbuf_reset(out);
	rc = http_get_text(s->c, url, max, out, &why);
	*there = !rc;
	if (rc < 0 && rc != ERR_NOT_FOUND)
		err_move(err, &why);
	if (rc < 0)
		strbuf_reset(out);
	if (!rc && strlen(out->buf) != out->len)
		rc = err_set(err, ERR_CORRUPT, "the server's file '%s' is damaged", path);
	err_release(&why);
	free(url);
	return rc == ERR_NOT_FOUND ? 0 : rc;
}

int dav_push_replace(const struct dav_push *s, const char *path, const struct strbuf *content, const struct dav_lock *lock,
		     struct err *err)
{
	char *tmp = xstrfmt("%s." FILE_NAME_RANDOM ".lock", path, os_random64());
	char *from = dav_push_url(s, tmp), *to = dav_push_url(s, path);
	int rc = dav_put(s->c, from, content->buf, content->len, NULL, err);

	if (!rc)
		rc = dav_move(s->c, from, to, lock, err);
	if (rc < 0 && dav_delete(s->c, from, NULL, NULL) < 0)
		dav_push_say(s, "%s is left there", tmp);
	free(tmp);
	free(from);
	free(to);
	return rc;
}

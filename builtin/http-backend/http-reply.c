/* SPDX-License-Identifier: GPL-2.0-only */
/* Replies of a CGI program: header lines, a status where it is not 200, the body. */
#include "compat/posix.h"
#include "builtin/http-backend/http-backend.h"
#include "util/date.h"
#include "write-or-die.h"

#define YEAR_SECONDS 31536000

void http_reply_release(struct http_reply *reply)
{
	strbuf_release(&reply->head);
}

void http_header(struct http_reply *reply, const char *name, const char *value)
{
	strbuf_addf(&reply->head, "%s: %s\r\n", name, value);
}

void http_no_cache(struct http_reply *reply)
{
	http_header(reply, "Expires", "Fri, 01 Jan 1980 00:00:00 GMT");
	http_header(reply, "Pragma", "no-cache");
	http_header(reply, "Cache-Control", "no-cache, max-age=0, must-revalidate");
}

void http_date(struct http_reply *reply, const char *name, timestamp_t t)
{
	static char fmt[] = "%a, %d %b %Y %H:%M:%S GMT";
	static const struct date_mode mode = { .type = DATE_STRFTIME, .strftime_fmt = fmt };

	strbuf_addf(&reply->head, "%s: ", name);
	date_format(&reply->head, t, 0, &mode);
	strbuf_addstr(&reply->head, "\r\n");
}

void http_cache_for_ever(struct http_reply *reply)
{
	timestamp_t now = date_now(NULL);

	http_date(reply, "Date", now);
	http_date(reply, "Expires", now + YEAR_SECONDS);
	http_header(reply, "Cache-Control", "public, max-age=31536000");
}

bool http_send(const void *p, size_t len)
{
	return !write_in_full(1, p, len, "standard output", NULL);
}

bool http_send_head(struct http_reply *reply)
{
	strbuf_addstr(&reply->head, "\r\n");
	return http_send(reply->head.buf, reply->head.len);
}

/* allow: the methods that would do, or NULL. */
static bool send_status(struct http_reply *reply, const char *status, const char *allow)
{
	strbuf_reset(&reply->head);
	http_header(reply, "Status", status);
	if (allow)
		http_header(reply, "Allow", allow);
	http_no_cache(reply);
	return http_send_head(reply);
}

int http_refuse(struct http_reply *reply, const char *status, const char *why, ...)
{
	va_list ap;

	if (!send_status(reply, status, NULL))
		return 1;
	va_start(ap, why);
	vfprintf(stderr, why, ap);
	va_end(ap);
	fputc('\n', stderr);
	return 0;
}

int http_fail(struct http_reply *reply, struct err *err)
{
	int code = http_refuse(reply, "500 Internal Server Error", "fatal: %s", err_message(err));

	err_release(err);
	return code;
}

int http_refuse_method(struct http_reply *reply, const char *allow)
{
	const char *protocol = getenv("SERVER_PROTOCOL");

	/* HTTP/1.0 knows no 405 */
	if (protocol && !strcmp(protocol, "HTTP/1.1"))
		return !send_status(reply, "405 Method Not Allowed", allow);
	return !send_status(reply, "400 Bad Request", NULL);
}

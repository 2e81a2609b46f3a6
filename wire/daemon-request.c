/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "util/alloc.h"
#include "util/strbuf.h"
#include "wire/daemon-request.h"

void daemon_request_release(struct daemon_request *rq)
{
	FREE_AND_NULL(rq->service);
	FREE_AND_NULL(rq->path);
	FREE_AND_NULL(rq->host);
	FREE_AND_NULL(rq->port);
	FREE_AND_NULL(rq->protocol);
}

static int invalid(struct err *err)
{
	return err_set(err, ERR_INVALID, "invalid request");
}

/* What is left of the line, and the end of it. */
struct cursor {
	const char *at, *end;
};

/* The bytes up to a NUL, which is passed over, or up to the end. */
static char *take_string(struct cursor *c)
{
	size_t n = strnlen(c->at, (size_t)(c->end - c->at));
	char *s = xmemdupz(c->at, n);

	c->at += n;
	if (c->at < c->end)
		c->at++;
	return s;
}

/* ---- "git-SERVICE PATH" ---- */

static int parse_command(struct daemon_request *rq, struct cursor *c, struct err *err)
{
	char *text = take_string(c);
	size_t len = strlen(text), n;
	const char *service;
	int rc = 0;

	if (len && text[len - 1] == '\n')
		text[len - 1] = '\0';
	if (!skip_prefix(text, "git-", &service)) {
		rc = invalid(err);
	} else {
		n = strspn(service, "abcdefghijklmnopqrstuvwxyz-");
		if (!n || service[n] != ' ' || !service[n + 1]) {
			rc = invalid(err);
		} else {
			rq->service = xmemdupz(service, n);
			rq->path = xstrdup(service + n + 1);
		}
	}
	free(text);
	return rc;
}

/* ---- "host=HOST:PORT" ---- */

static bool host_is_safe(const char *s, bool is_address)
{
	for (size_t i = 0; s[i]; i++) {
		unsigned char ch = (unsigned char)s[i];

		if (ch == '.' && (!i || s[i - 1] == '.'))
			return false;
		if (!isalnum(ch) && ch < 0x80 && !strchr("._-", ch) && !(is_address && ch == ':'))
			return false;
	}
	return true;
}

static bool port_is_valid(const char *s)
{
	size_t len = strlen(s);
	long v = len <= 5 && strspn(s, "0123456789") == len ? strtol(s, NULL, 10) : 0;

	return v > 0 && v < 65536;
}

/* Cuts `text` up. "[::1]:9418", "::1", "example.org:9418", "" (nothing is said). */
static int parse_host(struct daemon_request *rq, char *text, struct err *err)
{
	char *host = text, *port = NULL, *colon;
	bool is_address = true;

	if (*text == '[') {
		char *close = strchr(++host, ']');

		if (!close || (close[1] && close[1] != ':'))
			return invalid(err);
		port = close[1] ? close + 2 : NULL;
		*close = '\0';
	} else if ((colon = strchr(text, ':')) && !strchr(colon + 1, ':')) {
		*colon = '\0';
		port = colon + 1;
		is_address = false;
	} else if (!colon) {
		is_address = false;
	}
	if (!host_is_safe(host, is_address) || (port && *port && !port_is_valid(port)))
		return invalid(err);
	if (*host && host[strlen(host) - 1] == '.')
		host[strlen(host) - 1] = '\0'; /* the root of all names */
	for (char *p = host; *p; p++)
		if (*p >= 'A' && *p <= 'Z')
			*p += 'a' - 'A';
	rq->host = *host ? xstrdup(host) : NULL;
	rq->port = port && *port ? xstrdup(port) : NULL;
	return 0;
}

/* ---- "version=2" ---- */

static bool is_parameter(const char *s)
{
	for (; *s; s++)
		if (*s <= ' ' || *s >= 0x7f || *s == ':')
			return false;
	return true;
}

static int parse_extra(struct daemon_request *rq, struct cursor *c, struct err *err)
{
	struct strbuf all = STRBUF_INIT;
	int rc = 0;

	while (!rc && c->at < c->end) {
		char *one = take_string(c);

		if (!is_parameter(one))
			rc = invalid(err);
		else if (*one)
			strbuf_addf(&all, "%s%s", all.len ? ":" : "", one);
		free(one);
	}
	if (!rc && all.len)
		rq->protocol = strbuf_detach(&all, NULL);
	strbuf_release(&all);
	return rc;
}

/* ---- all of it ---- */

int daemon_request_parse(struct daemon_request *out, const void *line, size_t len, struct err *err)
{
	struct daemon_request rq = DAEMON_REQUEST_INIT;
	struct cursor c = { line, (const char *)line + len };
	int rc = parse_command(&rq, &c, err);

	if (!rc && c.at < c.end && *c.at) {
		char *text = take_string(&c);

		if (strncasecmp(text, "host=", 5))
			rc = invalid(err);
		else
			rc = parse_host(&rq, text + 5, err);
		free(text);
	}
	if (!rc && c.at < c.end)
		rc = *c.at++ ? invalid(err) : parse_extra(&rq, &c, err);
	if (rc)
		daemon_request_release(&rq);
	else
		*out = rq;
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "util/alloc.h"
#include "util/strbuf.h"
#include "wire/daemon-request.h"

void daemon_request_release(struct daemon_request *rq)
{
	FREE_AND_NULL(rq->service);
	FREE_AND_NULL(rq->path);
	FREE_AND_NULL(rq->said_host);
	FREE_AND_NULL(rq->host);
	FREE_AND_NULL(rq->port);
	FREE_AND_NULL(rq->protocol);
}

static int invalid(struct err *err)
{
	return err_set(err, ERR_INVALID, "Invalid request");
}

static int not_a_command(const char *line, struct err *err)
{
	return err_set(err, ERR_UNSUPPORTED, "Protocol error: '%s'", line);
}

/* The unread part of the line. */
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

static bool is_service(const char *name, size_t len)
{
	static const char *const services[] = { "upload-pack", "receive-pack", "upload-archive" };

	for (size_t i = 0; i < ARRAY_SIZE(services); i++)
		if (strlen(services[i]) == len && !memcmp(services[i], name, len))
			return true;
	return false;
}

static int parse_command(struct daemon_request *rq, const char *line, struct err *err)
{
	const char *service, *blank;

	blank = skip_prefix(line, "git-", &service) ? strchr(service, ' ') : NULL;
	if (!blank || !is_service(service, (size_t)(blank - service)))
		return not_a_command(line, err);
	rq->service = xmemdupz(service, (size_t)(blank - service));
	rq->path = xstrdup(blank + 1);
	return 0;
}

/* ---- "host=HOST:PORT" ---- */

static bool has_control(const char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s < ' ' || *s == 0x7f)
			return true;
	return false;
}

/*
 * What may become one part of a path: without slashes, dots at its beginning and end, and dots that follow
 * one; in lower case if `lower`. Caller frees.
 */
static char *make_safe(const char *s, size_t len, bool lower)
{
	char *out = xmalloc(len + 1);
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		if (s[i] == '/' || (s[i] == '.' && (!n || out[n - 1] == '.')))
			continue;
		out[n++] = lower && s[i] >= 'A' && s[i] <= 'Z' ? s[i] + 'a' - 'A' : s[i];
	}
	while (n && out[n - 1] == '.') /* a name's is the root of all names */
		n--;
	out[n] = '\0';
	return out;
}

/* "[::1]:9418", "::1", "example.org:9418", "". */
static int parse_host(struct daemon_request *rq, const char *text, struct err *err)
{
	const char *host = text, *end = text + strlen(text), *port = NULL, *colon = strrchr(text, ':');

	if (has_control(text))
		return invalid(err);
	if (*text == '[') {
		end = strchr(++host, ']');
		if (!end)
			return err_set(err, ERR_INVALID, "Invalid request ('[' without ']')");
		if (end[1] && end[1] != ':')
			return err_set(err, ERR_INVALID, "Garbage after end of host part");
		port = end[1] ? end + 2 : NULL;
	} else if (colon && strchr(text, ':') == colon) {
		end = colon;
		port = colon + 1;
	} /* several colons: an IPv6 address without brackets */
	rq->said_host = xstrdup(text);
	rq->host = make_safe(host, (size_t)(end - host), true);
	rq->port = port && *port ? make_safe(port, strlen(port), false) : NULL;
	return 0;
}

/* ---- "version=2" ---- */

static int parse_extra(struct daemon_request *rq, struct cursor *c, struct err *err)
{
	struct strbuf all = STRBUF_INIT;
	int rc = 0;

	while (!rc && c->at < c->end) {
		char *one = take_string(c);

		if (has_control(one))
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

static int parse_attributes(struct daemon_request *rq, struct cursor *c, struct err *err)
{
	int rc = 0;

	if (c->at < c->end && *c->at) {
		char *text = take_string(c);

		if (strncasecmp(text, "host=", 5))
			rc = invalid(err);
		else
			rc = parse_host(rq, text + 5, err);
		free(text);
	}
	if (!rc && c->at < c->end)
		rc = *c->at++ ? invalid(err) : parse_extra(rq, c, err);
	return rc;
}

int daemon_request_parse(struct daemon_request *out, const void *line, size_t len, struct err *err)
{
	struct daemon_request rq = DAEMON_REQUEST_INIT;
	struct cursor c = { line, (const char *)line + len };
	char *command = take_string(&c);
	size_t command_len = strlen(command);
	int rc;

	if (command_len && command[command_len - 1] == '\n')
		command[command_len - 1] = '\0';
	rc = parse_attributes(&rq, &c, err);
	if (!rc)
		rc = parse_command(&rq, command, err);
	free(command);
	if (rc)
		daemon_request_release(&rq);
	else
		*out = rq;
	return rc;
}

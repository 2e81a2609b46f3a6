/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "transport/http/dav-internal.h"
#include "util/alloc.h"

#ifndef NO_EXPAT
#include <expat.h>

#define DEPTH_MAX 64
#define TEXT_MAX ((size_t)64 * 1024)
#define DAV_NAMESPACE "DAV:|" /* expat puts the namespace, and '|', before a name */
#define TOKEN_MAX 1024

struct parsing {
	XML_Parser parser;
	unsigned depth;
	struct strbuf text; /* of the innermost element */
	struct err *err;
	int rc;
	/* listing */
	int (*fn)(void *data, const char *href, bool folder, struct err *err);
	void *data;
	struct strbuf href;
	bool in_propstat, folder;
	/* lock */
	bool in_token, in_lock, have_token;
	struct strbuf *token;
	uint64_t seconds;
};

static void stop(struct parsing *p, int rc)
{
	p->rc = rc;
	XML_StopParser(p->parser, XML_FALSE);
}

static void on_doctype(void *data, const XML_Char *name UNUSED, const XML_Char *sysid UNUSED, const XML_Char *pubid UNUSED,
		       int internal UNUSED)
{
	struct parsing *p = data;

	stop(p, err_set(p->err, ERR_CORRUPT, "the server's XML has a document type, which is not allowed"));
}

static bool is(const XML_Char *name, const char *wanted)
{
	const char *rest;

	return skip_prefix(name, DAV_NAMESPACE, &rest) && !strcmp(rest, wanted);
}

static void on_start(void *data, const XML_Char *name, const XML_Char **attributes UNUSED)
{
	struct parsing *p = data;

	strbuf_reset(&p->text);
	if (++p->depth > DEPTH_MAX) {
		stop(p, err_set(p->err, ERR_CORRUPT, "the server's XML is nested too deeply"));
	} else if (is(name, "response")) {
		strbuf_reset(&p->href);
		p->folder = p->in_propstat = false;
	} else if (is(name, "propstat")) {
		p->in_propstat = true;
	} else if (is(name, "collection")) {
		p->folder = p->folder || p->in_propstat;
	} else if (is(name, "activelock")) {
		p->in_lock = true;
	} else if (is(name, "locktoken")) {
		p->in_token = p->in_lock;
	}
}

static void on_text(void *data, const XML_Char *s, int len)
{
	struct parsing *p = data;

	if (p->text.len + (size_t)len > TEXT_MAX)
		stop(p, err_set(p->err, ERR_CORRUPT, "the server's XML has a text that is too long"));
	else
		strbuf_add(&p->text, s, (size_t)len);
}

static void end_response(struct parsing *p)
{
	int rc;

	if (!p->fn)
		return;
	rc = p->href.len ? p->fn(p->data, p->href.buf, p->folder, p->err)
			 : err_set(p->err, ERR_CORRUPT, "the server's XML has a response without href");
	if (rc < 0)
		stop(p, rc);
}

/* "Second-600", "Infinite"; several are a choice that servers do not have. */
static void take_timeout(struct parsing *p)
{
	const char *digits;

	if (skip_prefix(p->text.buf, "Second-", &digits) && isdigit((unsigned char)*digits))
		p->seconds = strtoull(digits, NULL, 10);
}

static void end_href(struct parsing *p)
{
	if (p->in_token && p->token) {
		strbuf_reset(p->token);
		strbuf_addbuf(p->token, &p->text);
		p->have_token = true;
	} else if (!p->in_propstat && !p->href.len) {
		strbuf_addbuf(&p->href, &p->text);
	}
}

static void on_end(void *data, const XML_Char *name)
{
	struct parsing *p = data;

	strbuf_trim(&p->text);
	if (is(name, "href"))
		end_href(p);
	else if (is(name, "timeout") && p->in_lock)
		take_timeout(p);
	else if (is(name, "response"))
		end_response(p);
	else if (is(name, "propstat"))
		p->in_propstat = false;
	else if (is(name, "activelock"))
		p->in_lock = false;
	else if (is(name, "locktoken"))
		p->in_token = false;
	strbuf_reset(&p->text);
	p->depth--;
}

static int parse(struct parsing *p, const struct strbuf *xml, struct err *err)
{
	size_t at = 0;

	p->err = err;
	p->parser = XML_ParserCreateNS(NULL, '|');
	if (!p->parser)
		out_of_memory();
	XML_SetUserData(p->parser, p);
	XML_SetStartDoctypeDeclHandler(p->parser, on_doctype);
	XML_SetElementHandler(p->parser, on_start, on_end);
	XML_SetCharacterDataHandler(p->parser, on_text);
	do {
		const size_t len = xml->len - at < INT_MAX / 2 ? xml->len - at : INT_MAX / 2;
		const bool last = at + len == xml->len;

		if (XML_Parse(p->parser, xml->buf + at, (int)len, last) != XML_STATUS_OK && !p->rc)
			p->rc = err_set(err, ERR_CORRUPT, "the server's XML is damaged: %s",
					XML_ErrorString(XML_GetErrorCode(p->parser)));
		at += len;
	} while (!p->rc && at < xml->len);
	XML_ParserFree(p->parser);
	strbuf_release(&p->text);
	strbuf_release(&p->href);
	return p->rc;
}

int dav_parse_listing(const struct strbuf *xml, int (*fn)(void *data, const char *href, bool folder, struct err *err),
		      void *data, struct err *err)
{
	struct parsing p = { .text = STRBUF_INIT, .href = STRBUF_INIT, .fn = fn, .data = data };

	return parse(&p, xml, err);
}

/* It goes into headers. */
static bool is_token(const struct strbuf *token)
{
	for (size_t i = 0; i < token->len; i++)
		if ((unsigned char)token->buf[i] <= ' ' || (unsigned char)token->buf[i] >= 127 || strchr("<>()", token->buf[i]))
			return false;
	return token->len && token->len <= TOKEN_MAX;
}

int dav_parse_lock(const struct strbuf *xml, struct strbuf *token, uint64_t *seconds, struct err *err)
{
	struct parsing p = { .text = STRBUF_INIT, .href = STRBUF_INIT, .token = token };
	int rc = parse(&p, xml, err);

	*seconds = p.seconds;
	if (!rc && (!p.have_token || !is_token(token)))
		rc = err_set(err, ERR_CORRUPT, "the server has given a lock without a token");
	return rc;
}

int dav_can_parse(struct err *err UNUSED)
{
	return 0;
}

#else

int dav_can_parse(struct err *err)
{
	return err_set(err, ERR_UNSUPPORTED, "cannot push by WebDAV: this git was built without expat");
}

int dav_parse_listing(const struct strbuf *xml UNUSED, int (*fn)(void *, const char *, bool, struct err *) UNUSED, void *data UNUSED,
		      struct err *err)
{
	return dav_can_parse(err);
}

int dav_parse_lock(const struct strbuf *xml UNUSED, struct strbuf *token UNUSED, uint64_t *seconds UNUSED, struct err *err)
{
	return dav_can_parse(err);
}

#endif

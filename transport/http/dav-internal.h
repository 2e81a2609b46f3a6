/* SPDX-License-Identifier: GPL-2.0-only */
/* Answers of WebDAV servers, which are XML: RFC 4918. Nothing in them is trusted: no DTD, no entities but those of XML itself. */
#ifndef TRANSPORT_HTTP_DAV_INTERNAL_H
#define TRANSPORT_HTTP_DAV_INTERNAL_H

#include "transport/http/dav.h"
#include "util/strbuf.h"

#define DAV_ANSWER_MAX ((size_t)256 << 20) /* of a folder with a million entries */

/* ERR_UNSUPPORTED in a program that was built without expat (NO_EXPAT). The functions below fail there, too. */
MUST_USE int dav_can_parse(struct err *err);
/* 207 Multi-Status: fn gets each href as it is written, and whether it is a folder. ERR_CORRUPT. */
MUST_USE int dav_parse_listing(const struct strbuf *xml, int (*fn)(void *data, const char *href, bool folder, struct err *err),
			       void *data, struct err *err);
/* The answer to LOCK: the token (appended), and its seconds (0: for ever). ERR_CORRUPT. */
MUST_USE int dav_parse_lock(const struct strbuf *xml, struct strbuf *token, uint64_t *seconds, struct err *err);

#endif

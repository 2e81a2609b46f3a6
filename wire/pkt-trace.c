/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include <stdatomic.h>
#include "util/strbuf.h"
#include "util/trace-redact.h"
#include "util/trace2.h"
#include "wire/pkt-trace.h"

#define KEY "GIT_TRACE_PACKET"
#define PACKFILE_KEY "GIT_TRACE_PACKFILE"

enum { UNKNOWN, NO, YES };
static atomic_int wanted = UNKNOWN;
static const char *_Atomic identity = "git";
/* Since band 1, 2 or 3 has come, up to the flush packet: Git has a process of its own there, called "sideband". */
static atomic_bool in_bands;
/* Since a pack has begun, band 1 carries it. */
static atomic_bool in_pack;
/* Since a line "packfile-uris", up to the next special packet, lines are "HASH URI". */
static atomic_bool in_uris;

static bool is_wanted(void)
{
	int state = atomic_load_explicit(&wanted, memory_order_relaxed);

	if (state == UNKNOWN) {
		bool lines = trace_want(KEY), packs = trace_want(PACKFILE_KEY);

		state = lines || packs ? YES : NO;
		atomic_store(&wanted, state);
	}
	return state == YES;
}

void pkt_trace_identity(const char *command)
{
	static const char *const named[] = { "clone", "fetch", "fetch-pack", "ls-remote", "push", "receive-pack", "upload-pack" };

	for (size_t i = 0; i < ARRAY_SIZE(named); i++)
		if (!strcmp(command, named[i]))
			atomic_store(&identity, named[i]);
	is_wanted(); /* a server opens no files later on, when it is confined */
}

static bool begins_pack(const char *payload, size_t len)
{
	if (len && *payload == 1)
		payload++, len--;
	return len >= 4 && !memcmp(payload, "PACK", 4);
}

/* On one line, whatever it is; line feeds are dropped. */
static void add_readable(struct strbuf *out, const char *payload, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		unsigned char c = payload[i];

		if (c >= 0x20 && c <= 0x7e)
			strbuf_addch(out, c);
		else if (c != '\n')
			strbuf_addf(out, "\\%o", c);
	}
}

/* Notes where the section of packfile URIs begins and ends. Is this packet one of its lines? */
static bool is_packfile_uri(const char *payload, size_t len)
{
	static const char header[] = "packfile-uris";

	if (len && *payload == 1)
		payload++, len--;
	if (len && payload[len - 1] == '\n')
		len--;
	if (len == strlen(header) && !memcmp(payload, header, len)) {
		atomic_store(&in_uris, true);
		return false;
	}
	if (len == 4 && !memcmp(payload, "000", 3))
		atomic_store(&in_uris, false);
	return atomic_load(&in_uris);
}

/* Path and query of a URI may give access: scheme and host stay, without a password. */
static void hide_packfile_uri(struct strbuf *text)
{
	struct strbuf out = STRBUF_INIT;
	const char *host;

	trace_add_redacted(&out, text->buf);
	host = strstr(out.buf, "://");
	if (host) {
		host += strlen("://");
		strbuf_setlen(&out, host + strcspn(host, "/?#") - out.buf);
		strbuf_addstr(&out, "/<redacted>");
	}
	strbuf_swap(text, &out);
	strbuf_release(&out);
}

static const char *reader(char direction, const char *payload, size_t len)
{
	bool flush = len == 4 && !memcmp(payload, "0000", 4);
	bool here = len && *payload >= 1 && *payload <= 3;

	if (direction != '<' || (!here && !(flush && atomic_load(&in_bands))))
		return atomic_load(&identity);
	atomic_store(&in_bands, !flush);
	return "sideband";
}

/* Band 1 of what a client reads, since a pack has begun: GIT_TRACE_PACKFILE gets it as it is. */
static void copy_pack(char direction, const char *payload, size_t len)
{
	if (direction == '<' && len > 1 && *payload == 1)
		trace_bytes(PACKFILE_KEY, payload + 1, len - 1);
}

void pkt_trace(char direction, const char *payload, size_t len)
{
	struct strbuf text = STRBUF_INIT;
	const char *name;

	if (!is_wanted())
		return;
	name = reader(direction, payload, len);
	if (begins_pack(payload, len) || (atomic_load(&in_pack) && len && *payload == 1))
		copy_pack(direction, payload, len);
	if (begins_pack(payload, len)) {
		atomic_store(&in_pack, true);
		payload = "PACK ...";
		len = strlen(payload);
	} else if (len && *payload == 1 && atomic_load(&in_pack)) {
		return;
	}
	add_readable(&text, payload, len);
	if (is_packfile_uri(payload, len) && trace_redacts())
		hide_packfile_uri(&text);
	trace_printf(KEY, "packet: %12s%c %s", name, direction, text.buf);
	strbuf_release(&text);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The request line of git://. What is accepted, written out again, is accepted again and means the same; a
 * host that may become part of a path has no '/' and no name that begins with a dot.
 */
#include "compat/posix.h"
#include "t/fuzz/fuzz.h"
#include "util/alloc.h"
#include "util/path.h"
#include "util/strbuf.h"
#include "wire/daemon-request.h"

static bool same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static void write_again(const struct daemon_request *rq, struct strbuf *out)
{
	strbuf_addf(out, "git-%s %s%s", rq->service, rq->path, ends_with(rq->path, "\n") ? "\n" : "");
	strbuf_addch(out, '\0');
	if (rq->host) {
		strbuf_addf(out, "host=%s", rq->said_host);
		strbuf_addch(out, '\0');
	}
	strbuf_addch(out, '\0');
	if (rq->protocol) {
		strbuf_addstr(out, rq->protocol);
		strbuf_addch(out, '\0');
	}
}

/* One part of a path at most. */
static bool is_safe(const char *s)
{
	return !s || !*s || (!strchr(s, '/') && path_is_plain(s));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct daemon_request rq = DAEMON_REQUEST_INIT, again = DAEMON_REQUEST_INIT;
	struct strbuf text = STRBUF_INIT;

	if (daemon_request_parse(&rq, data, size, NULL) < 0) {
		if (rq.service || rq.path || rq.host || rq.port || rq.protocol)
			abort();
		return 0;
	}
	if (strchr(rq.service, '/') || !is_safe(rq.host) || !is_safe(rq.port))
		abort();
	write_again(&rq, &text);
	if (daemon_request_parse(&again, text.buf, text.len, NULL) < 0 ||
	    !same(rq.service, again.service) || !same(rq.path, again.path) ||
	    !same(rq.host, again.host) || !same(rq.port, again.port) ||
	    !same(rq.protocol, again.protocol))
		abort();
	strbuf_release(&text);
	daemon_request_release(&rq);
	daemon_request_release(&again);
	return 0;
}

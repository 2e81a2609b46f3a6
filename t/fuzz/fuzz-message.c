/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Messages of commits and tags: clean-up, trailers, scissors, signatures; mailmaps and
 * idents. The first byte selects which; its remaining bits are flags or a mode.
 */
#include "compat/posix.h"
#include "object/ident.h"
#include "object/message.h"
#include "t/fuzz/fuzz.h"
#include "util/alloc.h"
#include "pretty/pretty.h"

/* A second clean-up changes nothing. */
static void cleanup(const char *s, size_t len, enum cleanup_mode mode)
{
	struct strbuf once = STRBUF_INIT, twice = STRBUF_INIT;

	strbuf_add(&once, s, len);
	message_cleanup(&once, mode, '#');
	strbuf_add(&twice, once.buf, once.len);
	message_cleanup(&twice, mode, '#');
	if (once.len != twice.len || memcmp(once.buf, twice.buf, once.len))
		abort();
	if (message_scissors(s, len, '#') > len)
		abort();
	message_is_empty(s, len);
	strbuf_release(&once);
	strbuf_release(&twice);
}

/* If it is the last trailer already, it is not added again. */
static void trailers(const char *s, size_t len)
{
	struct strbuf msg = STRBUF_INIT;
	size_t first;

	if (message_trailers_start(s, len, '#', NULL) > len)
		abort();
	strbuf_add(&msg, s, len);
	message_cleanup(&msg, CLEANUP_STRIP, '#');
	message_add_trailer(&msg, "Acked-by: A", '#', NULL);
	first = msg.len;
	message_add_trailer(&msg, "Acked-by: A", '#', NULL);
	if (msg.len != first)
		abort();
	strbuf_release(&msg);
}

/* Options, separated by commas, up to the first NUL; then the message. */
static void show_trailers(const char *s, size_t len)
{
	struct trailer_options o = TRAILER_OPTIONS_INIT;
	struct strbuf out = STRBUF_INIT;
	size_t n = strlen(s), at = n < len ? n + 1 : n;

	for (const char *p = s; p < s + n; p += strcspn(p, ","), p += *p == ',')
		trailer_options_add(&o, p, strcspn(p, ","));
	trailers_format(&o, s + at, len - at, &out);
	trailer_options_release(&o);
	strbuf_release(&out);
}

static void mailmap(const char *s, size_t len)
{
	struct mailmap *m = mailmap_parse(s, len);
	struct ident_split id;

	if (!ident_split_line(&id, s, len)) {
		const char *name = id.name, *mail = id.mail;
		size_t name_len = id.name_len, mail_len = id.mail_len;

		mailmap_apply(m, &name, &name_len, &mail, &mail_len);
	}
	mailmap_free(m);
}

/* An ident that was formatted can be parsed, and has the same date. */
static void ident(const char *s, size_t len)
{
	size_t n = strlen(s), at = n < len ? n + 1 : n;
	struct strbuf out = STRBUF_INIT;
	struct ident_split id;

	if (!ident_format(&out, s, s + at, 1700000000, 130, false, NULL) &&
	    (ident_split_line(&id, out.buf, out.len) || !id.has_date || id.date != 1700000000))
		abort();
	strbuf_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *s;

	if (!size)
		return 0;
	s = xmemdupz(data + 1, size - 1);
	switch (data[0] % 5) {
	case 0:
		cleanup(s, size - 1, data[0] / 5 % (CLEANUP_SCISSORS + 1));
		break;
	case 1:
		trailers(s, size - 1);
		break;
	case 2:
		show_trailers(s, size - 1);
		break;
	case 3:
		mailmap(s, size - 1);
		break;
	default:
		ident(s, size - 1);
	}
	free(s);
	return 0;
}

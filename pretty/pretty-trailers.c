/* SPDX-License-Identifier: GPL-2.0-only */
/* %(trailers:…); %(describe…) says that it is not there. */
#include "compat/posix.h"
#include "pretty/pretty-user.h"
#include "pretty/trailers.h"

/* Behind "trailers": ")" or ":a,b=c)". Where it ends, or NULL. */
static const char *parse_options_text(struct trailer_options *o, const char *s)
{
	const char *end;

	if (*s == ')')
		return s + 1;
	if (*s++ != ':')
		return NULL;
	for (;; s = end + 1) {
		end = s + strcspn(s, ",)");
		if (!*end)
			return NULL;
		if (end != s && !trailer_options_add(o, s, end - s))
			return NULL;
		if (*end == ')')
			return end + 1;
	}
}

size_t user_format_parenthesis(struct user_format *f, const char *s, struct strbuf *out,
			       struct err *err)
{
	struct trailer_options o = TRAILER_OPTIONS_INIT;
	const char *rest, *end = NULL;

	if (skip_prefix(s, "(describe", &rest) && (*rest == ')' || *rest == ':')) {
		err_set(err, ERR_UNSUPPORTED, "%%(describe) is not available yet");
		end = strchr(rest, ')');
		return end ? (size_t)(end + 1 - s) : 0;
	}
	if (!skip_prefix(s, "(trailers", &rest))
		return 0;
	end = parse_options_text(&o, rest);
	if (end)
		trailers_format(&o, f->pc->v.message, f->pc->v.message_len, out);
	trailer_options_release(&o);
	return end ? (size_t)(end - s) : 0;
}

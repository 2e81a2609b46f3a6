/* SPDX-License-Identifier: GPL-2.0-only */
/* Messages about patches. */
#include "compat/posix.h"
#include "apply/apply-internal.h"
#include "util/quote.h"

const char *apply_name(const struct apply_patch *ap)
{
	return ap->p.new_name ? ap->p.new_name : ap->p.old_name;
}

/* In errors and warnings, which may quote anything, control characters cannot reach a terminal. */
static void mask_controls(struct strbuf *text)
{
	if (!starts_with(text->buf, "error: ") && !starts_with(text->buf, "warning: "))
		return;
	for (size_t i = 0; i < text->len; i++) {
		unsigned char c = (unsigned char)text->buf[i];

		if ((c < ' ' || c == 0x7f) && c != '\t' && c != '\n')
			text->buf[i] = '?';
	}
}

void apply_say(struct apply *a, const char *fmt, ...)
{
	struct strbuf text = STRBUF_INIT;
	va_list ap;

	if (a->verbosity < 0)
		return;
	va_start(ap, fmt);
	strbuf_vaddf(&text, fmt, ap);
	va_end(ap);
	mask_controls(&text);
	a->say(a->data, text.buf);
	strbuf_release(&text);
}

int apply_error(struct apply *a, const char *fmt, ...)
{
	struct strbuf text = STRBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(&text, fmt, ap);
	va_end(ap);
	apply_say(a, "error: %s\n", text.buf);
	strbuf_release(&text);
	return -1;
}

static void add_name(const struct apply *a, struct strbuf *out, const char *name)
{
	quote_c_style(out, name, strlen(name), a->repo ? a->repo->settings.quote_path : true);
}

void apply_say_name(struct apply *a, const struct apply_patch *ap, const char *before, const char *after)
{
	struct strbuf text = STRBUF_INIT;
	const struct file_patch *p = &ap->p;

	strbuf_addstr(&text, before);
	if (p->old_name && p->new_name && strcmp(p->old_name, p->new_name) != 0) {
		add_name(a, &text, p->old_name);
		strbuf_addstr(&text, " => ");
		add_name(a, &text, p->new_name);
	} else {
		add_name(a, &text, apply_name(ap));
	}
	apply_say(a, "%s%s\n", text.buf, after);
	strbuf_release(&text);
}

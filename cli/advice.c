/* SPDX-License-Identifier: GPL-2.0-only */
/* "hint: …" lines; advice.* of git-config(1) turns them off. */
#include "compat/posix.h"
#include "cli/cli.h"
#include "util/alloc.h"
#include "util/color.h"

static void print_hints(const char *text)
{
	struct strbuf out = STRBUF_INIT;
	bool color = want_color(NULL, "color.advice", STDERR_FILENO);
	const char *line, *end;

	for (line = text; *line; line = *end ? end + 1 : end) {
		end = strchrnul(line, '\n');
		strbuf_addf(&out, "%shint:%s%.*s%s\n", color ? "\033[33m" : "",
			    end > line ? " " : "", (int)(end - line), line,
			    color ? COLOR_RESET : "");
	}
	fflush(stdout);
	fwrite(out.buf, 1, out.len, stderr);
	strbuf_release(&out);
}

void advise(const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = xvstrfmt(fmt, ap);
	va_end(ap);
	print_hints(text);
	free(text);
}

bool advice_enabled(struct repository *r, const char *key)
{
	const char *all = getenv("GIT_ADVICE");
	bool on = !all || config_parse_maybe_bool(all) != 0;
	char *full = xstrfmt("advice.%s", key);

	if (on && config_get_bool(command_config(r), full, &on, NULL) < 0)
		on = true;
	free(full);
	return on;
}

void advice_add_how_to_disable(struct repository *r, const char *key, struct strbuf *text)
{
	char *full = xstrfmt("advice.%s", key);

	if (!config_get(command_config(r), full))
		strbuf_addf(text, "\nDisable this message with \"git config set %s false\"", full);
	free(full);
}

void advise_if_enabled(struct repository *r, const char *key, const char *fmt, ...)
{
	struct strbuf text = STRBUF_INIT;
	va_list ap;

	if (!advice_enabled(r, key))
		return;
	va_start(ap, fmt);
	strbuf_vaddf(&text, fmt, ap);
	va_end(ap);
	advice_add_how_to_disable(r, key, &text);
	print_hints(text.buf);
	strbuf_release(&text);
}

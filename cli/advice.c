/* SPDX-License-Identifier: GPL-2.0-only */
/* "hint: …" lines; advice.* of git-config(1) turns them off. */
#include "compat/posix.h"
#include "cli/cli.h"
#include "util/alloc.h"
#include "util/color.h"

void advise(const char *fmt, ...)
{
	struct strbuf out = STRBUF_INIT;
	bool color = want_color(NULL, "color.advice", STDERR_FILENO);
	const char *line, *end;
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = xvstrfmt(fmt, ap);
	va_end(ap);
	for (line = text; *line; line = *end ? end + 1 : end) {
		end = strchrnul(line, '\n');
		strbuf_addf(&out, "%shint: %.*s%s\n", color ? "\033[33m" : "", (int)(end - line),
			    line, color ? COLOR_RESET : "");
	}
	fflush(stdout);
	fwrite(out.buf, 1, out.len, stderr);
	strbuf_release(&out);
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

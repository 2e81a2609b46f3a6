/* SPDX-License-Identifier: GPL-2.0-only */
/* Answers: lines of standard input, or single keys of the terminal. */
#include "compat/posix.h"
#include <termios.h>
#include "compat/syscalls.h"
#include "cli/choose/choose-internal.h"

bool choose_read_line(struct strbuf *out)
{
	strbuf_reset(out);
	fflush(stdout);
	if (strbuf_getline(out, stdin) == EOF)
		return false;
	return true;
}

/* A key that sends several bytes at once, as the arrows do, is all of them. */
static bool read_bytes_of_key(int fd, struct strbuf *out)
{
	char buf[16];
	ssize_t n = RETRY_EINTR(read(fd, buf, sizeof(buf)));

	if (n > 0)
		strbuf_add(out, buf, (size_t)n);
	return n > 0;
}

static bool read_terminal_key(struct strbuf *out)
{
	struct termios was, raw;
	bool ok;

	if (tcgetattr(STDIN_FILENO, &was) < 0)
		return choose_read_line(out);
	raw = was;
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	if (tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw) < 0)
		return choose_read_line(out);
	ok = read_bytes_of_key(STDIN_FILENO, out);
	(void)tcsetattr(STDIN_FILENO, TCSANOW, &was);
	if (ok && out->len == 1 && out->buf[0] == 4) /* ^D */
		ok = false;
	strbuf_trim_trailing_newline(out);
	return ok;
}

bool choose_read_key(struct chooser *c, struct strbuf *out)
{
	bool ok;

	if (!c->single_key)
		return choose_read_line(out);
	strbuf_reset(out);
	fflush(stdout);
	if (!isatty(STDIN_FILENO) && !c->told_about_keys) {
		warning("reading single keystrokes not supported on this platform; reading line instead");
		c->told_about_keys = true;
	}
	ok = isatty(STDIN_FILENO) ? read_terminal_key(out) : choose_read_line(out);
	printf("%s\n", ok ? out->buf : "");
	return ok;
}

bool choose_yes_or_no(struct chooser *c, const char *question)
{
	for (;;) {
		choose_print_colored(&c->colors, SLOT_PROMPT, "%s", question);
		if (!choose_read_key(c, &c->answer))
			return false;
		switch (c->answer.buf[0]) {
		case 'y':
		case 'Y':
			return true;
		case 'n':
		case 'N':
			return false;
		}
	}
}

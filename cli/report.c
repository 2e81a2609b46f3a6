/* SPDX-License-Identifier: GPL-2.0-only */
/* Telling users, and ending. */
#include "compat/posix.h"
#include "cli/cli.h"
#include "compat/syscalls.h"
#include "util/alloc.h"
#include "util/trace2.h"
#include "util/utf8.h"

/*
 * One message in one write, so that lines of several processes do not mix. Control
 * characters in names must not drive the terminal.
 */
static void print_lines(const char *prefix, const char *text)
{
	struct strbuf sb = STRBUF_INIT;

	fflush(stdout);
	strbuf_addstr(&sb, prefix);
	strbuf_add_printable(&sb, text, strlen(text), "\t\n");
	strbuf_addch(&sb, '\n');
	fwrite(sb.buf, 1, sb.len, stderr);
	fflush(stderr);
	strbuf_release(&sb);
}

static void vsay(const char *prefix, const char *fmt, va_list ap)
{
	char *text = xvstrfmt(fmt, ap);

	print_lines(prefix, text);
	free(text);
}

void warning(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsay("warning: ", fmt, ap);
	va_end(ap);
}

int error(const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = xvstrfmt(fmt, ap);
	va_end(ap);
	trace2_error(text);
	print_lines("error: ", text);
	free(text);
	return -1;
}

void warning_callback(void *data UNUSED, const char *msg)
{
	warning("%s", msg);
}

void error_callback(void *data UNUSED, const char *msg)
{
	error("%s", msg);
}

void report_preface(const struct err *err)
{
	if (err->preface) {
		fflush(stdout);
		fputs(err->preface, stderr);
	}
}

/* Seen by others already, but not sealed. */
static void show_uncertain(const struct err *err)
{
	if (err->code == ERR_UNCERTAIN)
		print_lines("hint: ", "the change is in place, but its durability is uncertain: a power\n"
			    "hint: cut may undo it. Running the command again is safe.");
}

int report_fatal(struct err *err)
{
	trace2_error(err_message(err));
	report_preface(err);
	/* "": the function that failed has reported it. */
	if (*err_message(err))
		print_lines("fatal: ", err_message(err));
	show_uncertain(err);
	err_release(err);
	return 128;
}

int report_error(struct err *err)
{
	report_preface(err);
	error("%s", err_message(err));
	show_uncertain(err);
	err_release(err);
	return 1;
}

/*
 * For trace2, told when the process ends. 129 is what parse_options exits with,
 * which alone ends without asking here.
 */
static int command_exit_code = 129;

static void trace_exit_code(void)
{
	trace2_exit(command_exit_code);
}

void set_exit_code(int code)
{
	static bool registered;

	command_exit_code = code;
	if (!registered) {
		registered = true;
		atexit(trace_exit_code);
	}
}

void die(const char *fmt, ...)
{
	struct err err = ERR_INIT;
	va_list ap;

	va_start(ap, fmt);
	err_vset(&err, ERR_GENERIC, fmt, ap);
	va_end(ap);
	die_err(&err);
}

void die_err(struct err *err)
{
	int code = report_fatal(err);

	set_exit_code(code);
	exit(code);
}

int finish_stdout(void)
{
	struct stat st;
	bool known;
	char *text;

	if (fstat(STDOUT_FILENO, &st) < 0)
		return 0; /* our caller closed it: no output is wanted */
	known = !ferror(stdout); /* errno is that of fflush */
	if (known && !fflush(stdout))
		return 0;
	if (errno == EPIPE || S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode))
		return 0; /* the reader had enough */
	text = xstrfmt("write failure on standard output%s%s", known ? ": " : "", known ? strerror(errno) : "");
	print_lines("fatal: ", text);
	free(text);
	return 128;
}

int redirect_stdout(const struct repository *r, const char *name, struct err *err)
{
	bool inside = r && r->prefix && *name != '/';
	char *path = xstrfmt("%s%s", inside ? r->prefix : "", name);
	int fd = sys->open(path, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0666), ret = 0;

	if (fd < 0)
		ret = err_set_errno(err, "could not open '%s' for writing", name);
	else if (dup2(fd, STDOUT_FILENO) < 0)
		ret = err_set_errno(err, "cannot redirect standard output");
	if (fd >= 0)
		close(fd);
	free(path);
	return ret;
}

int print_and_clear(void *data UNUSED, struct strbuf *out, struct err *err)
{
	if (out->len && fwrite(out->buf, 1, out->len, stdout) != out->len)
		return err_set_errno(err, "cannot write to standard output");
	strbuf_reset(out);
	return 0;
}

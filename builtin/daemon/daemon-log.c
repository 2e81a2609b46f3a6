/* SPDX-License-Identifier: GPL-2.0-only */
/* Where git daemon writes what happens: standard error, syslog, nowhere. */
#include "compat/posix.h"
#include <syslog.h>
#include "builtin/daemon/daemon.h"
#include "util/strbuf.h"
#include "util/utf8.h"

#define LOG_LINE_MAX 4096

static enum daemon_log destination = DAEMON_LOG_STDERR;
static bool is_verbose;

void daemon_log_open(enum daemon_log to, bool verbose)
{
	destination = to;
	is_verbose = verbose;
	if (to == DAEMON_LOG_SYSLOG)
		openlog("git-daemon", LOG_PID, LOG_DAEMON);
}

/* In one write, so that lines of several processes do not mix. */
static void log_line(int priority, const char *text)
{
	struct strbuf line = STRBUF_INIT;

	if (destination == DAEMON_LOG_SYSLOG) {
		strbuf_add_printable(&line, text, strlen(text), "");
		syslog(priority, "%s", line.buf);
	} else if (destination == DAEMON_LOG_STDERR) {
		strbuf_addf(&line, "[%d] ", (int)getpid());
		strbuf_add_printable(&line, text, strlen(text), "");
		strbuf_addch(&line, '\n');
		fwrite(line.buf, 1, line.len, stderr);
		fflush(stderr);
	}
	strbuf_release(&line);
}

static void log_text(int priority, const char *fmt, va_list ap)
{
	struct strbuf text = STRBUF_INIT;

	strbuf_vaddf(&text, fmt, ap);
	log_line(priority, text.buf);
	strbuf_release(&text);
}

void daemon_log_error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	log_text(LOG_ERR, fmt, ap);
	va_end(ap);
}

void daemon_log_info(const char *fmt, ...)
{
	va_list ap;

	if (!is_verbose)
		return;
	va_start(ap, fmt);
	log_text(LOG_INFO, fmt, ap);
	va_end(ap);
}

void daemon_die(const char *fmt, ...)
{
	struct strbuf text = STRBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(&text, fmt, ap);
	va_end(ap);
	if (destination != DAEMON_LOG_SYSLOG)
		die("%s", text.buf);
	log_line(LOG_ERR, text.buf);
	exit(1);
}

void daemon_log_relay(int fd)
{
	FILE *in = fdopen(fd, "r"); /* check-calls: a pipe */
	char line[LOG_LINE_MAX];

	if (!in) {
		close(fd);
		return;
	}
	while (fgets(line, sizeof(line), in)) {
		line[strcspn(line, "\n")] = '\0';
		log_line(LOG_ERR, line);
	}
	fclose(in);
}

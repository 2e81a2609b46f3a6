/* SPDX-License-Identifier: GPL-2.0-only */
/* Sinks of both kinds of trace, and the old kind (GIT_TRACE, GIT_TRACE_*). */
#include "compat/posix.h"
#include <pthread.h>
#include <sys/time.h>
#include "compat/syscalls.h"
#include "util/alloc.h"
#include "util/trace-sink.h"
#include "util/trace2.h"

/* ---- sinks ---- */

/*
 * Traces use the platform's own calls, not the table in use: what a test
 * records or makes fail is the program, not the watching of it.
 */
static int open_sink(const char *path, int extra_flags)
{
	return syscalls_native.open(path,
				    O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | extra_flags,
				    0666);
}

static int open_in_directory(const char *dir, const char *name)
{
	struct strbuf path = STRBUF_INIT;
	int fd = -1;

	for (int n = 0; n < 10; n++) {
		strbuf_reset(&path);
		strbuf_addf(&path, "%s/%s", dir, name);
		if (n)
			strbuf_addf(&path, ".%d", n);
		fd = open_sink(path.buf, O_EXCL);
		if (fd >= 0 || errno != EEXIST)
			break;
	}
	strbuf_release(&path);
	return fd;
}

int trace_open(const char *value, const char *name, bool *known)
{
	struct stat st;

	*known = true;
	if (!value || !*value || !strcmp(value, "0") || !strcasecmp(value, "false"))
		return -1;
	if (!strcmp(value, "1") || !strcasecmp(value, "true"))
		return 2;
	if (value[0] >= '2' && value[0] <= '9' && !value[1])
		return value[0] - '0';
	if (value[0] != '/') {
		*known = false;
		return -1;
	}
	if (name && !stat(value, &st) && S_ISDIR(st.st_mode))
		return open_in_directory(value, name);
	return open_sink(value, 0);
}

int trace_write(int fd, const struct strbuf *line)
{
	size_t done = 0;

	while (done < line->len) {
		ssize_t n = syscalls_native.write(fd, line->buf + done, line->len - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		done += (size_t)n;
	}
	return 0;
}

void trace_add_time_and_place(struct strbuf *out, const char *file, int line,
			      size_t width)
{
	struct timeval tv;
	struct tm tm;
	size_t start;

	gettimeofday(&tv, NULL);
	localtime_r(&tv.tv_sec, &tm);
	strbuf_addf(out, "%02d:%02d:%02d.%06ld ", tm.tm_hour, tm.tm_min, tm.tm_sec,
		    (long)tv.tv_usec);
	start = out->len;
	strbuf_addf(out, "%s:%d", file, line);
	if (out->len - start < width)
		strbuf_addchars(out, ' ', width - (out->len - start));
}

/* ---- GIT_TRACE, GIT_TRACE_PACKET and so on ---- */

#define MAX_KEYS 16

/* Process-wide, as sinks are: the variables are read once. */
static pthread_mutex_t keys_lock = PTHREAD_MUTEX_INITIALIZER;
static struct trace_key {
	const char *name;
	int fd;
} keys[MAX_KEYS];
static size_t nr_keys;

static int open_key(const char *name)
{
	const char *value = getenv(name);
	bool known;
	int fd = trace_open(value, NULL, &known);

	if (!known)
		fprintf(stderr,
			"warning: unknown trace value for '%s': %s\n"
			"         If you want to trace into a file, then please set %s\n"
			"         to an absolute pathname (starting with /)\n",
			name, value, name);
	else if (fd < 0 && value && *value == '/')
		fprintf(stderr, "warning: could not open '%s' for tracing: %s\n",
			value, strerror(errno));
	return fd;
}

static int key_fd(const char *name)
{
	size_t i;
	int fd;

	pthread_mutex_lock(&keys_lock);
	for (i = 0; i < nr_keys; i++)
		if (!strcmp(keys[i].name, name))
			break;
	if (i == nr_keys && nr_keys < MAX_KEYS) {
		keys[i].name = name;
		keys[i].fd = open_key(name);
		nr_keys++;
	}
	fd = i < nr_keys ? keys[i].fd : -1;
	pthread_mutex_unlock(&keys_lock);
	return fd;
}

bool trace_want(const char *env_key)
{
	return key_fd(env_key) >= 0;
}

void trace_printf_at(const char *file, int line, const char *env_key,
		     const char *fmt, ...)
{
	struct strbuf out = STRBUF_INIT;
	int fd = key_fd(env_key), saved = errno;
	va_list ap;

	if (fd < 0)
		return;
	trace_add_time_and_place(&out, file, line, 23);
	strbuf_addch(&out, ' ');
	va_start(ap, fmt);
	strbuf_vaddf(&out, fmt, ap);
	va_end(ap);
	strbuf_complete_line(&out);
	trace_write(fd, &out);
	strbuf_release(&out);
	errno = saved;
}

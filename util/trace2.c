/* SPDX-License-Identifier: GPL-2.0-only */
/* Both kinds of trace: trace2 (GIT_TRACE2*), and the older one (GIT_TRACE, GIT_TRACE_*). */
#include "compat/posix.h"
#include <pthread.h>
#include <stdatomic.h>
#include <sys/time.h>
#include "compat/syscalls.h"
#include "util/alloc.h"
#include "util/quote.h"
#include "util/trace-redact.h"
#include "util/trace2.h"
#if __has_include("build-info.h")
#include "build-info.h"
#endif
#ifndef SLUICE_VERSION
#define SLUICE_VERSION "0"
#endif

/* ---- sinks ---- */

/*
 * Traces use the platform's own calls, not the table in use: tests record calls of the
 * program and make them fail, not those of tracing.
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

/*
 * The descriptor for a value of GIT_TRACE*: "", "0", "false" none (-1); "1",
 * "true" stderr; 2..9 that descriptor; an absolute path is opened for appending, and in a
 * directory a file called `name` is made (unless that is NULL). Any other value: *known is
 * false.
 */
static int trace_open(const char *value, const char *name, bool *known)
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

/* One line in one write, so that lines of several processes do not mix. -1: failed. */
static int trace_write_bytes(int fd, const char *buf, size_t len)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n = syscalls_native.write(fd, buf + done, len - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		done += (size_t)n;
	}
	return 0;
}

static int trace_write(int fd, const struct strbuf *line)
{
	return trace_write_bytes(fd, line->buf, line->len);
}

/* "07:15:46.230767 file.c:50"; the location is padded to `width`. */
static void add_time_and_location(struct strbuf *out, const char *file, int line,
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

/* ---- state of the process: set by trace2_start, before threads ---- */

enum { NORMAL, PERF, EVENT, NR_SINKS };

static struct sink {
	const char *env, *env_brief;
	atomic_int fd; /* -1: off */
	bool brief;    /* no time, no place */
} sinks[NR_SINKS] = {
	{ "GIT_TRACE2", "GIT_TRACE2_BRIEF", -1, false },
	{ "GIT_TRACE2_PERF", "GIT_TRACE2_PERF_BRIEF", -1, false },
	{ "GIT_TRACE2_EVENT", "GIT_TRACE2_EVENT_BRIEF", -1, false },
};
static atomic_bool enabled; /* is any trace2 sink open? */
static struct timespec started;
static char *sid;	   /* of this process, with those of its parents before it */
static int depth;	   /* number of traced parents */
static char *hierarchy;	   /* command names of the parents */
static int max_nesting = 2; /* deeper regions are not events */
static atomic_int next_child, next_thread = 1;
static atomic_uint_least64_t counters[TRACE2_COUNTER_NR];

static const struct {
	const char *category, *name;
} counter_names[TRACE2_COUNTER_NR] = {
	[TRACE2_COUNTER_WRITEOUT_ONLY] = { "fsync", "writeout-only" },
	[TRACE2_COUNTER_HARDWARE_FLUSH] = { "fsync", "hardware-flush" },
	[TRACE2_COUNTER_SHARE_HITS] = { "share", "hits" },
	[TRACE2_COUNTER_SHARE_BYTES] = { "share", "bytes" },
	[TRACE2_COUNTER_SHARE_WAITS] = { "share", "waits" },
};

/* ---- state of the thread ---- */

#define MAX_REGIONS 32

static _Thread_local char thread_name[24];
static _Thread_local double region_start[MAX_REGIONS];
static _Thread_local int nr_regions;

/* Start times of children by id; further children are traced without a running time. */
static double child_start[64];

static const char *this_thread(void)
{
	if (!*thread_name)
		snprintf(thread_name, sizeof(thread_name), "th%02d",
			 atomic_fetch_add(&next_thread, 1));
	return thread_name;
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - started.tv_sec) +
	       (double)(now.tv_nsec - started.tv_nsec) / 1e9;
}

/* ---- one line to one sink ---- */

static bool is_open(int which)
{
	return atomic_load_explicit(&sinks[which].fd, memory_order_relaxed) >= 0;
}

/* Releases the line. A sink that cannot be written is closed to further events. */
static void emit(int which, struct strbuf *line)
{
	int saved = errno;
	int fd = atomic_load(&sinks[which].fd);

	strbuf_addch(line, '\n');
	if (fd >= 0 && trace_write(fd, line) < 0)
		atomic_store(&sinks[which].fd, -1);
	strbuf_release(line);
	errno = saved;
}

/* The common fields of an event; not every format has all of them. */
struct event {
	const char *name;
	const char *file;
	int line;
	double t_abs, t_rel;  /* < 0: none */
	const char *category; /* NULL: none */
	int nesting;	      /* 0: none */
};

static void emit_normal(const struct event *ev, const char *text)
{
	struct strbuf line = STRBUF_INIT;

	if (!is_open(NORMAL))
		return;
	if (!sinks[NORMAL].brief) {
		add_time_and_location(&line, ev->file, ev->line, 33);
		strbuf_addch(&line, ' ');
	}
	strbuf_addstr(&line, text);
	emit(NORMAL, &line);
}

static void add_seconds_column(struct strbuf *line, double t)
{
	if (t < 0)
		strbuf_addf(line, " | %9s", "");
	else
		strbuf_addf(line, " | %9.6f", t);
}

static void emit_perf(const struct event *ev, const char *text)
{
	struct strbuf line = STRBUF_INIT;

	if (!is_open(PERF))
		return;
	if (!sinks[PERF].brief) {
		add_time_and_location(&line, ev->file, ev->line, 28);
		strbuf_addstr(&line, " | ");
	}
	strbuf_addf(&line, "d%d | %-24s | %-12s | %-3s", depth, this_thread(),
		    ev->name, "");
	add_seconds_column(&line, ev->t_abs);
	add_seconds_column(&line, ev->t_rel);
	strbuf_addf(&line, " | %-12.12s | ", ev->category ? ev->category : "");
	for (int i = 1; i < ev->nesting; i++)
		strbuf_addstr(&line, "..");
	strbuf_addstr(&line, text);
	emit(PERF, &line);
}

/* A JSON string; bytes that are not UTF-8 are copied unchanged, as Git does. */
static void add_json_string(struct strbuf *out, const char *s)
{
	static const char letters[] = "btn?fr"; /* from \b, which is 8 */

	strbuf_addch(out, '"');
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c == '"' || c == '\\')
			strbuf_addf(out, "\\%c", c);
		else if (c >= 8 && c <= 13 && c != 11)
			strbuf_addf(out, "\\%c", letters[c - 8]);
		else if (c < 0x20)
			strbuf_addf(out, "\\u%04x", c);
		else
			strbuf_addch(out, c);
	}
	strbuf_addch(out, '"');
}

static void add_member(struct strbuf *out, const char *key, const char *value)
{
	strbuf_addf(out, ",\"%s\":", key);
	add_json_string(out, value);
}

static void add_argv_member(struct strbuf *out, const char *const *argv)
{
	struct strbuf arg = STRBUF_INIT;

	strbuf_addstr(out, ",\"argv\":[");
	for (size_t i = 0; argv[i]; i++) {
		if (i)
			strbuf_addch(out, ',');
		strbuf_reset(&arg);
		trace_add_redacted(&arg, argv[i]);
		add_json_string(out, arg.buf);
	}
	strbuf_addch(out, ']');
	strbuf_release(&arg);
}

static void add_utc_time(struct strbuf *out, const char *fmt)
{
	struct timeval tv;
	struct tm tm;

	gettimeofday(&tv, NULL);
	gmtime_r(&tv.tv_sec, &tm);
	strbuf_addf(out, fmt, tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday,
		    tm.tm_hour, tm.tm_min, tm.tm_sec, (long)tv.tv_usec);
}

/* `members`: ",\"key\":value" pairs that follow the common ones. */
static void emit_event(const struct event *ev, const struct strbuf *members)
{
	struct strbuf line = STRBUF_INIT;
	bool brief = sinks[EVENT].brief;

	if (!is_open(EVENT) || ev->nesting > max_nesting)
		return;
	strbuf_addf(&line, "{\"event\":\"%s\"", ev->name);
	add_member(&line, "sid", sid);
	add_member(&line, "thread", this_thread());
	if (!brief || !strcmp(ev->name, "version") || !strcmp(ev->name, "atexit")) {
		strbuf_addstr(&line, ",\"time\":\"");
		add_utc_time(&line, "%04d-%02d-%02dT%02d:%02d:%02d.%06ldZ\"");
	}
	if (!brief) {
		add_member(&line, "file", ev->file);
		strbuf_addf(&line, ",\"line\":%d", ev->line);
	}
	if (ev->t_abs >= 0 && strncmp(ev->name, "region", 6) &&
	    strncmp(ev->name, "child", 5))
		strbuf_addf(&line, ",\"t_abs\":%.6f", ev->t_abs);
	if (ev->t_rel >= 0 && strncmp(ev->name, "child", 5))
		strbuf_addf(&line, ",\"t_rel\":%.6f", ev->t_rel);
	if (ev->nesting)
		strbuf_addf(&line, ",\"nesting\":%d", ev->nesting);
	if (ev->category)
		add_member(&line, "category", ev->category);
	strbuf_addbuf(&line, members);
	strbuf_addch(&line, '}');
	emit(EVENT, &line);
}

/* ---- start and end ---- */

static void add_argv(struct strbuf *out, const char *const *argv)
{
	struct strbuf arg = STRBUF_INIT;

	for (size_t i = 0; argv[i]; i++) {
		if (i)
			strbuf_addch(out, ' ');
		strbuf_reset(&arg);
		trace_add_redacted(&arg, argv[i]);
		sq_quote_pretty(out, arg.buf);
	}
	strbuf_release(&arg);
}

/* The session id: "20261121T071546.230691Z-H0a7c9cdf-P00000e07", after the parent's. */
static void make_sid(void)
{
	struct strbuf id = STRBUF_INIT;
	const char *parent = getenv("GIT_TRACE2_PARENT_SID");
	char host[256] = "";
	uint32_t host_hash = 2166136261u; /* the same in every process: FNV-1a */

	if (parent && *parent) {
		strbuf_addf(&id, "%s/", parent);
		for (; *parent; parent++)
			depth += *parent == '/';
		depth++;
	}
	if (gethostname(host, sizeof(host) - 1))
		host[0] = '\0';
	for (const char *c = host; *c; c++)
		host_hash = (host_hash ^ (unsigned char)*c) * 16777619u;
	add_utc_time(&id, "%04d%02d%02dT%02d%02d%02d.%06ldZ");
	strbuf_addf(&id, "-H%08" PRIx32 "-P%08x", host_hash, (unsigned)getpid());
	sid = strbuf_detach(&id, NULL);
	setenv("GIT_TRACE2_PARENT_SID", sid, 1);
}

const char *trace2_session_id(void)
{
	if (!sid)
		make_sid();
	return sid;
}

static bool env_is_true(const char *name)
{
	const char *v = getenv(name);

	return v && *v && strcmp(v, "0") && strcasecmp(v, "false") &&
	       strcasecmp(v, "no") && strcasecmp(v, "off");
}

static void open_sinks(void)
{
	const char *slash = strrchr(sid, '/');

	for (int i = 0; i < NR_SINKS; i++) {
		const char *value = getenv(sinks[i].env);
		bool known;
		int fd = trace_open(value, slash ? slash + 1 : sid, &known);

		if (!known)
			fprintf(stderr, "warning: trace2: %s value for '%s': '%s'\n",
				strncmp(value, "af_unix:", 8) ? "unknown" : "unsupported",
				sinks[i].env, value);
		else if (fd < 0 && value && *value == '/' &&
			 env_is_true("GIT_TRACE2_DST_DEBUG"))
			fprintf(stderr, "warning: trace2: could not open '%s' for '%s' tracing: %s\n",
				value, sinks[i].env, strerror(errno));
		sinks[i].fd = fd;
		sinks[i].brief = env_is_true(sinks[i].env_brief);
		if (fd >= 0)
			enabled = true;
	}
}

void trace2_start_at(const char *file, int line, const char *const *argv)
{
	struct event ev = { "version", file, line, -1, -1, NULL, 0 };
	struct strbuf text = STRBUF_INIT, json = STRBUF_INIT;
	const char *nesting = getenv("GIT_TRACE2_EVENT_NESTING");
	bool wanted = false;

	for (int i = 0; i < NR_SINKS; i++) {
		const char *value = getenv(sinks[i].env);

		wanted |= value && *value;
	}
	if (!wanted || enabled)
		return;
	clock_gettime(CLOCK_MONOTONIC, &started);
	strcpy(thread_name, "main");
	if (nesting && atoi(nesting) > 0)
		max_nesting = atoi(nesting);
	make_sid();
	open_sinks();
	if (!enabled)
		return;

	emit_normal(&ev, "version " SLUICE_VERSION);
	emit_perf(&ev, SLUICE_VERSION);
	strbuf_addstr(&json, ",\"evt\":\"3\",\"exe\":\"" SLUICE_VERSION "\"");
	emit_event(&ev, &json);

	ev.name = "start";
	ev.t_abs = seconds();
	strbuf_addstr(&text, "start ");
	add_argv(&text, argv);
	emit_normal(&ev, text.buf);
	emit_perf(&ev, text.buf + strlen("start "));
	strbuf_reset(&json);
	add_argv_member(&json, argv);
	emit_event(&ev, &json);
	strbuf_release(&text);
	strbuf_release(&json);
}

void trace2_cmd_name_at(const char *file, int line, const char *name)
{
	struct event ev = { "cmd_name", file, line, -1, -1, NULL, 0 };
	struct strbuf text = STRBUF_INIT, json = STRBUF_INIT;
	const char *parents = hierarchy ? hierarchy : getenv("GIT_TRACE2_PARENT_NAME");
	char *full;

	if (!enabled)
		return;
	full = parents && *parents ? xstrfmt("%s/%s", parents, name) : xstrdup(name);
	free(hierarchy);
	hierarchy = full;
	setenv("GIT_TRACE2_PARENT_NAME", hierarchy, 1);

	strbuf_addf(&text, "cmd_name %s (%s)", name, hierarchy);
	emit_normal(&ev, text.buf);
	emit_perf(&ev, text.buf + strlen("cmd_name "));
	add_member(&json, "name", name);
	add_member(&json, "hierarchy", hierarchy);
	emit_event(&ev, &json);
	strbuf_release(&text);
	strbuf_release(&json);
}

static void emit_counter(const char *file, int line, enum trace2_counter c)
{
	struct event ev = { "counter", file, line, -1, -1, counter_names[c].category, 0 };
	struct strbuf text = STRBUF_INIT, json = STRBUF_INIT;
	uint64_t value = trace2_counter_get(c);

	if (!value)
		return;
	strbuf_addf(&text, "counter %s/%s value:%" PRIu64, ev.category,
		    counter_names[c].name, value);
	emit_normal(&ev, text.buf);
	strbuf_reset(&text);
	strbuf_addf(&text, "name:%s value:%" PRIu64, counter_names[c].name, value);
	emit_perf(&ev, text.buf);
	add_member(&json, "name", counter_names[c].name);
	strbuf_addf(&json, ",\"count\":%" PRIu64, value);
	emit_event(&ev, &json);
	strbuf_release(&text);
	strbuf_release(&json);
}

static void emit_end(const char *name, const char *file, int line, int code)
{
	struct event ev = { name, file, line, seconds(), -1, NULL, 0 };
	struct strbuf text = STRBUF_INIT, json = STRBUF_INIT;

	strbuf_addf(&text, "%s elapsed:%.6f code:%d", name, ev.t_abs, code);
	emit_normal(&ev, text.buf);
	strbuf_reset(&text);
	strbuf_addf(&text, "code:%d", code);
	emit_perf(&ev, text.buf);
	strbuf_addf(&json, ",\"code\":%d", code);
	emit_event(&ev, &json);
	strbuf_release(&text);
	strbuf_release(&json);
}

void trace2_stop(void)
{
	enabled = false;
	for (int i = 0; i < NR_SINKS; i++) {
		int fd = atomic_exchange(&sinks[i].fd, -1);

		/* Ours are close-on-exec; others were there before us. */
		if (fd >= 0 && (fcntl(fd, F_GETFD) & FD_CLOEXEC))
			close(fd);
	}
}

void trace2_exit_at(const char *file, int line, int code)
{
	if (!enabled)
		return;
	for (int c = 0; c < TRACE2_COUNTER_NR; c++)
		emit_counter(file, line, (enum trace2_counter)c);
	emit_end("exit", file, line, code);
	emit_end("atexit", file, line, code);
	trace2_stop();
}

/* ---- errors, regions, data, children ---- */

void trace2_error_at(const char *file, int line, const char *msg)
{
	struct event ev = { "error", file, line, -1, -1, NULL, 0 };
	struct strbuf text = STRBUF_INIT, json = STRBUF_INIT;

	if (!enabled)
		return;
	strbuf_addstr(&text, "error ");
	trace_add_redacted(&text, msg);
	msg = text.buf + strlen("error ");
	emit_normal(&ev, text.buf);
	emit_perf(&ev, msg);
	add_member(&json, "msg", msg);
	add_member(&json, "fmt", msg);
	emit_event(&ev, &json);
	strbuf_release(&text);
	strbuf_release(&json);
}

static void emit_region(const struct event *ev, const char *label)
{
	struct strbuf text = STRBUF_INIT, json = STRBUF_INIT;

	strbuf_addf(&text, "label:%s", label);
	emit_perf(ev, text.buf);
	add_member(&json, "label", label);
	emit_event(ev, &json);
	strbuf_release(&text);
	strbuf_release(&json);
}

void trace2_region_enter_at(const char *file, int line, const char *category,
			    const char *label)
{
	struct event ev = { "region_enter", file, line, -1, -1, category, 0 };

	if (!enabled)
		return;
	ev.t_abs = seconds();
	if (nr_regions < MAX_REGIONS)
		region_start[nr_regions] = ev.t_abs;
	ev.nesting = ++nr_regions;
	emit_region(&ev, label);
}

void trace2_region_leave_at(const char *file, int line, const char *category,
			    const char *label)
{
	struct event ev = { "region_leave", file, line, -1, -1, category, nr_regions };

	if (!enabled || !nr_regions)
		return;
	ev.t_abs = seconds();
	nr_regions--;
	ev.t_rel = nr_regions < MAX_REGIONS ? ev.t_abs - region_start[nr_regions] : 0;
	emit_region(&ev, label);
}

void trace2_data_string_at(const char *file, int line, const char *category,
			   const char *key, const char *value)
{
	struct event ev = { "data", file, line, -1, -1, category, nr_regions + 1 };
	struct strbuf text = STRBUF_INIT, json = STRBUF_INIT, shown = STRBUF_INIT;

	if (!enabled)
		return;
	ev.t_abs = ev.t_rel = seconds();
	if (nr_regions && nr_regions <= MAX_REGIONS)
		ev.t_rel -= region_start[nr_regions - 1];
	trace_add_redacted(&shown, value);
	strbuf_addf(&text, "%s:%s", key, shown.buf);
	emit_perf(&ev, text.buf);
	add_member(&json, "key", key);
	add_member(&json, "value", shown.buf);
	emit_event(&ev, &json);
	strbuf_release(&shown);
	strbuf_release(&text);
	strbuf_release(&json);
}

void trace2_data_intmax_at(const char *file, int line, const char *category,
			   const char *key, intmax_t value)
{
	char text[32];

	if (!enabled)
		return;
	snprintf(text, sizeof(text), "%jd", value);
	trace2_data_string_at(file, line, category, key, text);
}

int trace2_child_start_at(const char *file, int line, const char *const *argv,
			  const char *child_class)
{
	struct event ev = { "child_start", file, line, -1, -1, NULL, 0 };
	struct strbuf text = STRBUF_INIT, json = STRBUF_INIT, args = STRBUF_INIT;
	int id;

	if (!enabled)
		return -1;
	id = atomic_fetch_add(&next_child, 1);
	ev.t_abs = seconds();
	if (id < (int)ARRAY_SIZE(child_start))
		child_start[id] = ev.t_abs;
	add_argv(&args, argv);
	strbuf_addf(&text, "child_start[%d] %s", id, args.buf);
	emit_normal(&ev, text.buf);
	if (!child_class)
		child_class = "?";
	strbuf_reset(&text);
	strbuf_addf(&text, "[ch%d] class:%s argv:[%s]", id, child_class, args.buf);
	emit_perf(&ev, text.buf);
	strbuf_addf(&json, ",\"child_id\":%d", id);
	add_member(&json, "child_class", child_class);
	strbuf_addstr(&json, ",\"use_shell\":false");
	add_argv_member(&json, argv);
	emit_event(&ev, &json);
	strbuf_release(&args);
	strbuf_release(&text);
	strbuf_release(&json);
	return id;
}

void trace2_child_exit_at(const char *file, int line, int id, int pid, int code)
{
	struct event ev = { "child_exit", file, line, -1, -1, NULL, 0 };
	struct strbuf text = STRBUF_INIT, json = STRBUF_INIT;

	if (!enabled || id < 0)
		return;
	ev.t_abs = seconds();
	ev.t_rel = id < (int)ARRAY_SIZE(child_start) ? ev.t_abs - child_start[id] : 0;
	strbuf_addf(&text, "child_exit[%d] pid:%d code:%d elapsed:%.6f", id, pid, code,
		    ev.t_rel);
	emit_normal(&ev, text.buf);
	strbuf_reset(&text);
	strbuf_addf(&text, "[ch%d] pid:%d code:%d", id, pid, code);
	emit_perf(&ev, text.buf);
	strbuf_addf(&json, ",\"child_id\":%d,\"pid\":%d,\"code\":%d,\"t_rel\":%.6f", id,
		    pid, code, ev.t_rel);
	emit_event(&ev, &json);
	strbuf_release(&text);
	strbuf_release(&json);
}

/* ---- counters; relaxed, since no other memory depends on them ---- */

void trace2_counter_add(enum trace2_counter c, uint64_t n)
{
	atomic_fetch_add_explicit(&counters[c], n, memory_order_relaxed);
}

uint64_t trace2_counter_get(enum trace2_counter c)
{
	return atomic_load_explicit(&counters[c], memory_order_relaxed);
}

/* ---- the older kind: GIT_TRACE, GIT_TRACE_PACKET and so on ---- */

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

bool trace_has_descriptor(int fd)
{
	bool found = false;

	for (int i = 0; i < NR_SINKS; i++)
		found |= atomic_load(&sinks[i].fd) == fd;
	pthread_mutex_lock(&keys_lock);
	for (size_t i = 0; i < nr_keys; i++)
		found |= keys[i].fd == fd;
	pthread_mutex_unlock(&keys_lock);
	return found;
}

void trace_bytes(const char *env_key, const void *buf, size_t len)
{
	int fd = key_fd(env_key), saved = errno;

	if (fd >= 0)
		trace_write_bytes(fd, buf, len);
	errno = saved;
}

void trace_printf_at(const char *file, int line, const char *env_key,
		     const char *fmt, ...)
{
	struct strbuf out = STRBUF_INIT, text = STRBUF_INIT;
	int fd = key_fd(env_key), saved = errno;
	va_list ap;

	if (fd < 0)
		return;
	add_time_and_location(&out, file, line, 23);
	strbuf_addch(&out, ' ');
	va_start(ap, fmt);
	strbuf_vaddf(&text, fmt, ap);
	va_end(ap);
	trace_add_redacted(&out, text.buf);
	strbuf_complete_line(&out);
	trace_write(fd, &out);
	strbuf_release(&text);
	strbuf_release(&out);
	errno = saved;
}

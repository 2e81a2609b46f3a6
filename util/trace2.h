/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracing for users: trace2 (GIT_TRACE2, GIT_TRACE2_PERF, GIT_TRACE2_EVENT; the formats are
 * those of Git's api-trace2 page) and the older GIT_TRACE variables. The open files are
 * process-wide state. All functions are thread-safe and cost one branch when nothing is
 * traced.
 */
#ifndef UTIL_TRACE2_H
#define UTIL_TRACE2_H

#include "compat/posix.h"

enum trace2_counter {
	TRACE2_COUNTER_WRITEOUT_ONLY,  /* fsync/writeout-only */
	TRACE2_COUNTER_HARDWARE_FLUSH, /* fsync/hardware-flush */
	TRACE2_COUNTER_SHARE_HITS,     /* share/hits: packs that another client has requested before */
	TRACE2_COUNTER_SHARE_BYTES,    /* share/bytes: bytes sent from shared files */
	TRACE2_COUNTER_SHARE_WAITS,    /* share/waits: waits until such a file had grown */
	TRACE2_COUNTER_NR
};

/*
 * Nothing here fails: a file that cannot be opened or written gets no further events. The
 * macros add the place in the source, which is part of the formats.
 */
#define trace2_start(argv) trace2_start_at(__FILE__, __LINE__, (argv))
#define trace2_cmd_name(name) trace2_cmd_name_at(__FILE__, __LINE__, (name))
#define trace2_exit(code) trace2_exit_at(__FILE__, __LINE__, (code))
#define trace2_error(msg) trace2_error_at(__FILE__, __LINE__, (msg))
#define trace2_region_enter(category, label) \
	trace2_region_enter_at(__FILE__, __LINE__, (category), (label))
#define trace2_region_leave(category, label) \
	trace2_region_leave_at(__FILE__, __LINE__, (category), (label))
#define trace2_data_string(category, key, value) \
	trace2_data_string_at(__FILE__, __LINE__, (category), (key), (value))
#define trace2_data_intmax(category, key, value) \
	trace2_data_intmax_at(__FILE__, __LINE__, (category), (key), (value))
#define trace2_child_start(argv, child_class) \
	trace2_child_start_at(__FILE__, __LINE__, (argv), (child_class))
#define trace2_child_exit(id, pid, code) \
	trace2_child_exit_at(__FILE__, __LINE__, (id), (pid), (code))

/* Opens the files, emits "version" and "start"; once, before threads are started. */
void trace2_start_at(const char *file, int line, const char *const *argv);
void trace2_cmd_name_at(const char *file, int line, const char *name);
/* The session id; made up if nothing is traced. Not in a thread. */
const char *trace2_session_id(void);
/* Emits the counters that are not 0, "exit" and "atexit", and closes the files. */
void trace2_exit_at(const char *file, int line, int code);
/* Write no more events. For a new process that is not part of the traced command. */
void trace2_stop(void);
void trace2_error_at(const char *file, int line, const char *msg);
void trace2_region_enter_at(const char *file, int line, const char *category,
			    const char *label);
void trace2_region_leave_at(const char *file, int line, const char *category,
			    const char *label);
void trace2_data_string_at(const char *file, int line, const char *category,
			   const char *key, const char *value);
void trace2_data_intmax_at(const char *file, int line, const char *category,
			   const char *key, intmax_t value);
/* Returns the id for trace2_child_exit. child_class NULL: "?". */
int trace2_child_start_at(const char *file, int line, const char *const *argv,
			  const char *child_class);
void trace2_child_exit_at(const char *file, int line, int id, int pid, int code);

void trace2_counter_add(enum trace2_counter c, uint64_t n); /* counts without a trace, too */
uint64_t trace2_counter_get(enum trace2_counter c);

/* env_key: "GIT_TRACE" and so on. Values "1", "true", "2" mean stderr, a path is a file. */
#define trace_printf(env_key, ...) \
	trace_printf_at(__FILE__, __LINE__, (env_key), __VA_ARGS__)
bool trace_want(const char *env_key);
/* Does a trace that is open, of either kind, go to this descriptor? */
bool trace_has_descriptor(int fd);
/* The bytes as they are, without a time or a line feed. */
void trace_bytes(const char *env_key, const void *buf, size_t len);
void trace_printf_at(const char *file, int line, const char *env_key,
		     const char *fmt, ...) PRINTF_LIKE(4, 5);

#endif

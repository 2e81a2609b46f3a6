/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Trace2 (GIT_TRACE2, GIT_TRACE2_PERF, GIT_TRACE2_EVENT; format as
 * documented in the api-trace2 page of the Git manual) and GIT_TRACE.
 * Sinks are process-wide state, as the design allows. All functions are
 * thread-safe and cost one branch when no sink is open.
 */
#ifndef UTIL_TRACE2_H
#define UTIL_TRACE2_H

#include "compat/posix.h"

enum trace2_counter {
	TRACE2_COUNTER_WRITEOUT_ONLY,  /* fsync/writeout-only */
	TRACE2_COUNTER_HARDWARE_FLUSH, /* fsync/hardware-flush */
	TRACE2_COUNTER_NR
};

/*
 * Nothing here fails: a sink that cannot be opened or written is dropped.
 * The macros add the place in the source, which the formats have a field for.
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

/* Opens the sinks, tells "version" and "start"; once, before threads start. */
void trace2_start_at(const char *file, int line, const char *const *argv);
void trace2_cmd_name_at(const char *file, int line, const char *name);
/* Tells the counters that are not 0, "exit" and "atexit", closes the sinks. */
void trace2_exit_at(const char *file, int line, int code);
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

void trace2_counter_add(enum trace2_counter c, uint64_t n); /* always counted */
uint64_t trace2_counter_get(enum trace2_counter c);

/* GIT_TRACE and friends: "1"/"true"/"2" stderr, absolute path appends. */
#define trace_printf(env_key, ...) \
	trace_printf_at(__FILE__, __LINE__, (env_key), __VA_ARGS__)
bool trace_want(const char *env_key);
void trace_printf_at(const char *file, int line, const char *env_key,
		     const char *fmt, ...) PRINTF_LIKE(4, 5);

#endif

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

void trace2_start(const char *const *argv); /* opens sinks; "version", "start" */
void trace2_cmd_name(const char *name);
void trace2_exit(int code);		     /* counters, "exit", "atexit" */
void trace2_error(const char *msg);
void trace2_region_enter(const char *category, const char *label);
void trace2_region_leave(const char *category, const char *label);
void trace2_data_string(const char *category, const char *key, const char *value);
void trace2_data_intmax(const char *category, const char *key, intmax_t value);
int trace2_child_start(const char *const *argv, const char *child_class);
void trace2_child_exit(int id, int pid, int code);
void trace2_counter_add(enum trace2_counter c, uint64_t n); /* always counted */
uint64_t trace2_counter_get(enum trace2_counter c);

/* GIT_TRACE and friends: "1"/"true"/"2" stderr, absolute path appends. */
bool trace_want(const char *env_key);
void trace_printf(const char *env_key, const char *fmt, ...) PRINTF_LIKE(2, 3);

#endif

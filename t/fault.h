/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A call table that records calls and makes one fail; linked into the unit tests and
 * t/helper/fault-git.
 *
 *   fault_install(&plan);
 *   ... the code under test ...
 *   fault_text()   "open o/tmp creat|excl|wronly\nwrite o/tmp @0 12\n..."
 *   fault_remove();
 *
 * What counts is every call that changes something on disk or flushes it; reading calls pass
 * through uncounted, and so does close (it is recorded), unless the plan is about close or pread
 * only.
 */
#ifndef T_FAULT_H
#define T_FAULT_H

#include "compat/posix.h"

struct fault_plan {
	/* 1: the first counted call fails, and so on; 0: none does. */
	size_t fail_at;
	int fail_errno;
	/* A write does only half of what it was asked for; other calls succeed. */
	bool short_write;
	/*
	 * Calls after it fail, too, if they need space: a disk that stays full.
	 */
	bool from_then_on;
	/* Flushes and writeouts are recorded and counted, and may fail, but nothing is flushed. */
	bool no_flush;
	/* Only calls of this name count ("fsync"); NULL: all. */
	const char *only;
	/* Each line is appended here as well; -1: not. Not owned. */
	int log_fd;
	/* Where `before` writes; stays open; -1: nowhere. */
	int calls_fd;
	/* Called before each counted call goes through: what is the state? */
	void (*before)(void *data, const char *line);
	void *data;
};
#define FAULT_PLAN_INIT { .log_fd = -1, .calls_fd = -1 }

/* Thread-safe once installed; install and remove are not. plan is copied. */
void fault_install(const struct fault_plan *plan);
/* For sweeps: the n-th call fails, or all from the n-th on. */
void fault_install_failure(size_t n, int sys_errno, bool from_then_on);
void fault_remove(void); /* the platform's own table again; frees the text */

/*
 * All lines so far: "NAME PATH [DETAIL]", with " = ERRNO-NAME" if it failed and
 * " (injected)" if that was our doing. Valid until the next call through the table.
 */
const char *fault_text(void);
size_t fault_counted(void); /* counted calls so far */
bool fault_hit(void);	    /* has a call been made to fail? */

/* "ENOSPC" to its number; 0 if not known. */
int fault_errno_by_name(const char *name);

#endif

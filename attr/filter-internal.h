/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Filter drivers: one-shot commands and long-running processes.
 * gitattributes(5), filter; "Long Running Filter Process" and "Delay" in particular.
 */
#ifndef ATTR_FILTER_INTERNAL_H
#define ATTR_FILTER_INTERNAL_H

#include "compat/posix.h"
#include "config/config.h"
#include "hash/hash.h"
#include "util/err.h"
#include "util/strbuf.h"
#include "util/string-list.h"

struct filters; /* drivers by name, running processes */

struct filters *filters_new(const struct config_set *config);
void filters_free(struct filters *f); /* closes the processes' input, awaits them */

enum filter_direction { FILTER_CLEAN, FILTER_SMUDGE };
/* Is there anything to run for this driver in this direction? */
bool filter_is_active(struct filters *f, const char *driver, enum filter_direction dir);

struct filter_request {
	enum filter_direction dir;
	const char *path;
	const void *data;
	size_t len;
	const char *ref;		 /* where the blob comes from; may be NULL */
	const struct object_id *treeish; /* may be NULL */
	const struct object_id *oid;	 /* may be NULL */
	bool may_delay;
};
#define FILTER_DELAYED 2
/*
 * 1: result in out; 0: not filtered (no command, or the driver failed and is not
 * required: message in warn); < 0: a required driver failed ("path: clean filter 'x' failed").
 * With may_delay, FILTER_DELAYED: filter_collect has the result, once filters_await has named the path.
 */
int filter_apply(struct filters *f, const char *driver, const struct filter_request *q,
		 struct strbuf *out, struct strbuf *warn, struct err *err);
/* The result of a delayed request, whose data are not sent again. Returns as filter_apply. */
int filter_collect(struct filters *f, const char *driver, const struct filter_request *q,
		   struct strbuf *out, struct strbuf *warn, struct err *err);
/*
 * Wait until a filter offers delayed files, which are appended to ready; from whichever of
 * them comes first. False: no filter has any left; what it has not offered will not come.
 */
bool filters_await(struct filters *f, struct string_list *ready, struct strbuf *warn);

/* ---- long-running processes: filter-process.c ---- */

struct filter_processes; /* by their commands */

struct filter_processes *filter_processes_new(void);
void filter_processes_free(struct filter_processes *ps);
/* 0: result in out; FILTER_DELAYED; < 0: failed, message in warn; else: not supported. */
int filter_process_run(struct filter_processes *ps, const char *cmd,
		       const struct filter_request *q, struct strbuf *out, struct strbuf *warn);
int filter_process_collect(struct filter_processes *ps, const char *cmd,
			   const struct filter_request *q, struct strbuf *out,
			   struct strbuf *warn);
bool filter_processes_await(struct filter_processes *ps, struct string_list *ready,
			    struct strbuf *warn);

#endif

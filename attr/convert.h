/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Conversion between work tree and repository: end-of-line, ident, filters,
 * working-tree-encoding. gitattributes(5), core.autocrlf, core.eol,
 * core.safecrlf.
 */
#ifndef ATTR_CONVERT_H
#define ATTR_CONVERT_H

#include "compat/posix.h"
#include "index/index.h"
#include "repo/repo.h"
#include "util/err.h"
#include "util/strbuf.h"
#include "util/string-list.h"
#include "attr/attr.h"

struct converter; /* holds attrs, config, running filter processes */

MUST_USE int converter_new(struct converter **out, struct repository *r,
			   const struct index_state *ix, enum attr_direction dir,
			   struct err *err);
/* Whether converter_new() accepts core.autocrlf and core.safecrlf, for a repository that does not exist yet. */
MUST_USE int converter_check_config(const struct config_set *config, struct err *err);
void converter_free(struct converter *c); /* ends filter processes */
struct attrs *converter_attrs(struct converter *c);
struct repository *converter_repository(struct converter *c);
/*
 * The origin of blobs that will be converted for the work tree. Filter processes get the full name of the ref,
 * if it is not NULL, and the commit or tree, if it is not null. Copied.
 */
void converter_set_origin(struct converter *c, const char *ref, const struct object_id *treeish);
/* The same with the ref that a name of a revision stands for, if it stands for one. */
void converter_set_named_origin(struct converter *c, const char *name, const struct object_id *treeish);

/* What applies to one path. */
struct conversion {
	enum { TEXT_NO, TEXT_YES, TEXT_AUTO } text;
	bool crlf_out; /* text gets CRLF in the work tree */
	bool ident;
	const char *filter;   /* driver name, NULL */
	const char *encoding; /* working-tree-encoding, NULL */
	bool bad_encoding;    /* working-tree-encoding is a boolean: an error */
	bool may_delay;	      /* set by the caller: see convert_to_worktree */
	/* The blob in the index at this path: text=auto keeps its CRLF. */
	bool in_index;
	struct object_id index_oid;
};
void converter_lookup(struct converter *c, const char *path, struct conversion *out);
/* Is any content unchanged by it? Then a file may be streamed. */
bool conversion_is_noop_to_git(struct converter *c, const struct conversion *cv);
bool conversion_is_noop_to_worktree(const struct conversion *cv);
/* Does it run a program? Then it must be done in the main thread. */
bool conversion_needs_main_thread(struct converter *c, const struct conversion *cv);

#define CONVERT_WRITE_OBJECT 1u	/* safecrlf and encoding round trips are checked */
#define CONVERT_RENORMALIZE 2u
#define CONVERT_WARN 4u		/* safecrlf is checked, but only warns */
/*
 * Work tree to repository. Returns 1 with the result in out, 0 if unchanged (out
 * untouched), < 0 on failure. Messages for the user (safecrlf, a filter that failed), whole
 * lines, go to warn (not NULL). Thread-safe unless conversion_needs_main_thread.
 */
int convert_to_git(struct converter *c, const char *path, const struct conversion *cv,
		   const void *data, size_t len, struct strbuf *out, unsigned flags,
		   struct strbuf *warn, struct err *err);
/*
 * Repository to work tree; same returns. oid for ident and filter metadata. With may_delay, a
 * long-running filter may also put the file off (CONVERT_DELAYED):
 *
 *   while (converter_await(c, &ready, &warn))      offered by the filters, as they get done
 *           convert_delayed(c, path, &cv, oid, …)  for each path of ready
 *
 * A delayed file that no filter has offered by the end of the wait is lost.
 */
#define CONVERT_DELAYED 2
int convert_to_worktree(struct converter *c, const char *path, const struct conversion *cv,
			const void *data, size_t len, const struct object_id *oid,
			struct strbuf *out, struct strbuf *warn, struct err *err);
/* Waits for the next paths, which are appended to ready. False: no filter has any left. */
bool converter_await(struct converter *c, struct string_list *ready, struct strbuf *warn);
/* 1: all of the file's content is in out. 0: a filter that is not required has failed at it. */
int convert_delayed(struct converter *c, const char *path, const struct conversion *cv,
		    const struct object_id *oid, struct strbuf *out, struct strbuf *warn,
		    struct err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Changes of the remotes that are configured: git-remote(1). The configuration and the refs that belong to a remote change
 * in one operation.
 *
 * Errors:     < 0: nothing has changed. ERR_NOT_FOUND of rename and remove: the configuration file has no such section.
 * Durability: on 0 all of it survives a power cut (P1). The configuration changes after the refs: after
 * a stop in between, the remote still has its old name, and the same command completes the change.
 * Cost:       one flush call, however many refs there are.
 */
#ifndef PORCELAIN_REMOTE_H
#define PORCELAIN_REMOTE_H

#include "compat/posix.h"
#include "operation/operation.h"
#include "repo/remotes.h"
#include "transport/remote-refs.h"
#include "util/string-list.h"

/* ---- remote-edit.c: edits of the repository's configuration file, done under one lock ---- */
struct remote_edits {
	char *section, *new_section; /* this comes first; new_section NULL: it goes. section NULL: none */
	struct remote_edit *list;
	size_t nr, alloc;
};
#define REMOTE_EDITS_INIT { NULL, NULL, NULL, 0, 0 }
void remote_edits_release(struct remote_edits *e);
/* The key is "remote.<name>.<key>", and so on. */
void remote_edits_add(struct remote_edits *e, const char *key, const char *value);
/* All values that are `old` become the new one; there is none: it is added. */
void remote_edits_replace(struct remote_edits *e, const char *key, const char *old, const char *value);
/* Sets the only value, or the value that matches the expression (may be NULL): ERR_AMBIGUOUS if there are several. */
void remote_edits_set(struct remote_edits *e, const char *key, const char *pattern, const char *value);
/* Removes all values, or the values that match; none is fine. */
void remote_edits_unset(struct remote_edits *e, const char *key, const char *pattern);
/* order: PUBLISH_FILE, or PUBLISH_FILE_LATE, after the refs. */
MUST_USE int remote_edits_stage(const struct remote_edits *e, struct repository *r, struct repo_operation *op,
				enum publish_class order, struct err *err);

/* ---- remote-branches.c: branch.<name>.* ---- */
enum rebase_kind { REBASE_NOT, REBASE_PLAIN, REBASE_INTERACTIVE, REBASE_MERGES };
struct remote_branch {
	char *name;
	const char *remote, *push_remote; /* NULL: not said; they belong to the configuration */
	struct strvec merge;		  /* without refs/heads/ */
	enum rebase_kind rebase;
};
/* Sorted by name; util: struct remote_branch. Odd settings are reported by `warn` (may be NULL). */
void remote_branches_read(struct string_list *out, const struct config_set *c, repo_warn_fn warn, void *data);
void remote_branches_release(struct string_list *branches);

/* ---- remote-move.c ---- */
struct remote_move {
	bool nested; /* out: a ref of the remote is where a directory has to be, or the other way round */
};
MUST_USE int remote_rename(struct repository *r, struct remote *remote, const char *new_name, repo_warn_fn warn,
			   void *data, struct remote_move *out, struct err *err);
/* Converts the file of an old repository into a section of the configuration. */
MUST_USE int remote_convert(struct repository *r, const struct remote *remote, struct err *err);
/* kept: branches outside of refs/remotes/ that it has fetched; appended. */
MUST_USE int remote_remove(struct repository *r, const struct remote *remote, repo_warn_fn warn, void *data,
			   struct strvec *kept, struct err *err);

/* ---- remote-stale.c ---- */
/* Refs here that the remote's refspecs would have made, and whose source is gone there; appended. */
MUST_USE int remote_find_stale(struct repository *r, const struct remote *remote, const struct remote_refs *refs,
			       struct strvec *out, struct err *err);
/* Symbolic refs that lead to one of these: each, and then the one that it leads to; appended. */
MUST_USE int remote_find_dangling(struct repository *r, const struct strvec *stale, struct strvec *out, struct err *err);

#endif

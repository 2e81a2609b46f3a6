/* SPDX-License-Identifier: GPL-2.0-only */
/* The state of the working tree as text: git-status(1), OUTPUT. */
#ifndef PORCELAIN_STATUS_FORMAT_H
#define PORCELAIN_STATUS_FORMAT_H

#include "cli/cli.h"
#include "util/color.h"
#include "worktree/status.h"

enum status_slot {
	SLOT_HEADER, SLOT_UPDATED, SLOT_CHANGED, SLOT_UNTRACKED, SLOT_NOBRANCH, SLOT_UNMERGED,
	SLOT_LOCAL_BRANCH, SLOT_REMOTE_BRANCH, SLOT_BRANCH, SLOT_NR
};

struct status_format {
	struct repository *repo;
	const struct status *s;
	const char *prefix;	 /* paths are shown relative to it; NULL: to the top */
	char colors[SLOT_NR][COLOR_MAXLEN]; /* "" without colour */
	bool nul, branch, show_stash, hints;
	bool stable;		 /* porcelain v1: never says more than it did */
	bool for_commit;	 /* told by git commit */
	bool in_template;	 /* as comments of its message */
	char comment_char;	 /* in front of the lines of the long format; or NUL */
	bool amend;
	bool show_untracked, ahead_behind;
	unsigned columns;	 /* cli/column.h: of untracked files */
	const struct strbuf *patches; /* of -v, above the last line; NULL: none */
};

/* color.status or status.color, whichever comes last; else color.ui. */
bool status_wants_color(struct repository *r);
/* Settings from the configuration; color: for standard output. */
MUST_USE int status_format_init(struct status_format *f, struct repository *r,
				const struct status *s, bool color, struct err *err);
void status_format_long(const struct status_format *f, struct strbuf *out);
/* How a branch ("refs/heads/x") and its upstream differ, as checkout tells it; "": it has none. */
void status_format_tracking(struct repository *r, const char *branch,
			    const struct object_id *commit, struct strbuf *out);
void status_format_short(const struct status_format *f, struct strbuf *out);
void status_format_v2(const struct status_format *f, struct strbuf *out);

/* "no", "normal", "all" and booleans; NULL: normal. */
MUST_USE int status_untracked_mode(enum untracked_mode *mode, const char *word,
				   struct err *err);
/* "all", "dirty", "untracked", "none" of --ignore-submodules; NULL: the configured mode. */
MUST_USE int status_submodule_mode(enum submodule_mode *mode, struct repository *r,
				   const char *word, struct err *err);
/* status.renames, diff.renames: 0, 1, or 2 for copies. */
int status_rename_mode(struct repository *r);

/* "new file:   ", in its column. */
const char *status_change_label(char letter);
/* Shared by the formats. */
void status_add_path(const struct status_format *f, struct strbuf *out, const char *path,
		     bool quote_space);

/* A branch that the current one is compared with: the one that it builds on, or is pushed to. */
struct tracking {
	char *name;	      /* short; NULL: none */
	bool is_upstream, is_push_target; /* both, if it is pushed to its upstream, or nowhere */
	bool gone;
	bool counted;	      /* ahead and behind are known */
	bool same;
	size_t ahead, behind;
};
void tracking_find(struct tracking *t, const struct status_format *f);
/* That of status.compareBranches: "@{upstream}" or "@{push}"; there may be none, or it is no longer there. */
void tracking_find_named(struct tracking *t, const struct status_format *f, const char *name);
void tracking_release(struct tracking *t);

#endif

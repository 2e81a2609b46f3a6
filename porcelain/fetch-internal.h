/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parts of a fetch share. */
#ifndef PORCELAIN_FETCH_INTERNAL_H
#define PORCELAIN_FETCH_INTERNAL_H

#include "operation/operation.h"
#include "porcelain/fetch.h"
#include "transport/fetch/bundle-uri.h"

/* One line of the table; of a ref that is to be changed its place in the transaction, too. */
struct fetch_row {
	char flag; /* ' ', '+', '-', 't', '*', '!', '=': git-fetch(1), OUTPUT */
	const char *what;   /* "[new branch]"; NULL: old and new value */
	const char *remark; /* "forced update"; NULL: none */
	const char *src, *dst; /* NULL: not in the repository there, or none here */
	const char *log;    /* for the reflog */
	struct object_id old_oid, new_oid;
	ssize_t queued;	    /* < 0: not in the transaction */
};
struct fetch_rows {
	struct fetch_row *rows;
	size_t nr, alloc;
	bool any_rejected, any_conflict;
	bool ragged; /* as Git has it, nothing is aligned where a ref was refused */
	struct strvec dangling; /* symbolic refs that lead to deleted refs, each before that */
};
#define FETCH_ROWS_INIT { NULL, 0, 0, false, false, false, STRVEC_INIT }

/* ---- fetch-bundles.c: what o->bundle_uri has ---- */
MUST_USE int fetch_get_bundles(struct repo_operation *op, struct repository *r, const struct fetch_options *o,
			       struct bundle_uri_result *out, struct err *err);
/* Their refs, below refs/bundles/. */
MUST_USE int fetch_queue_bundles(struct ref_transaction *t, const struct bundle_uri_result *bundles, struct err *err);

/* ---- fetch-update.c: what becomes of each ref ---- */
/* ERR_CONFLICT: one of the map's places is a branch that is checked out. */
MUST_USE int fetch_check_places(struct repository *r, const struct fetch_map *map, struct err *err);
/* Add rows for the items of the map from `first` on, in the order of FETCH_HEAD; the objects are here. */
MUST_USE int fetch_decide(struct fetch_rows *out, struct repository *r, const struct fetch_map *map, size_t first,
			  const struct fetch_options *o, struct err *err);
/* Add rows for refs that no longer exist in the remote. */
MUST_USE int fetch_decide_pruned(struct fetch_rows *out, struct repository *r, const struct refspec *rs,
				 const struct remote_refs *refs, struct strvec *names, struct err *err);
MUST_USE int fetch_queue(struct fetch_rows *rows, struct ref_transaction *t, const char *action, struct err *err);
/* After the end: what could not be done has become '!'. */
void fetch_note_results(struct fetch_rows *rows, const struct ref_transaction *t, const struct fetch_options *o);

/* ---- fetch-show.c ---- */
/* `between` is called after the rows of deleted refs. */
void fetch_show(const struct fetch_rows *rows, struct repository *r, const char *url, const struct fetch_options *o,
		void (*between)(void *data), void *data);

/* ---- fetch-head.c ---- */
/* The URL as FETCH_HEAD and the table have it. Caller frees. */
char *fetch_display_url(const char *url);
MUST_USE int fetch_stage_head(struct repo_operation *op, struct repository *r, const struct fetch_map *map,
			      const char *url, bool append, struct err *err);

/* ---- fetch-follow.c: the remote's HEAD, and the upstream ---- */
struct fetch_head {
	char *ref, *target; /* <remote>/HEAD becomes that; NULL: nothing is to be done */
	char *word;	    /* the text for the user instead; NULL: none */
	char *there;	    /* with a word: the branch that HEAD is there */
};
/* pruned: names of refs that the fetch deletes. */
void fetch_decide_head(struct repository *r, const struct remote *remote, const struct remote_refs *refs,
		       const struct strvec *pruned, struct fetch_head *out);
/*
 * After all else has been published: makes <remote>/HEAD, and seals all. It is a transaction of its own, since with
 * a symbolic ref in it the others could not go to packed-refs at once.
 */
MUST_USE int fetch_commit_head(struct repo_operation *op, const struct fetch_head *head, struct err *err);
/* Without `op`, as in a dry run, nothing is staged. *warning: why there is no upstream to set; caller frees. */
MUST_USE int fetch_stage_upstream(struct repo_operation *op, struct repository *r, const struct remote *remote,
				  const struct fetch_map *map, char **warning, struct err *err);

#endif

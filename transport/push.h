/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The client of receive-pack: git-push(1), git-send-pack(1), gitprotocol-pack(5).
 *
 *	push_session_open(&s, connection, &options, err)         capabilities and refs of the other side
 *	push_match(&list, r, push_session_refs(s), refspecs, flags, err)   which refs shall change (push-match.c)
 *	push_check(&list, r, &rules, err)                        fast forward, leases: what is refused here (push-check.c)
 *	push_session_send(s, r, &request, &list, err)            commands, pack, report (push-session.c)
 *	push_session_end(s, rc, err)
 *
 * Each update has its status afterwards. Nothing here prints.
 */
#ifndef TRANSPORT_PUSH_H
#define TRANSPORT_PUSH_H

#include "compat/posix.h"
#include "refs/refspec.h"
#include "repo/remotes.h"
#include "repo/repo.h"
#include "transport/connect.h"
#include "transport/remote-refs.h"
#include "util/strvec.h"

enum push_status {
	PUSH_PENDING,	    /* nothing is known yet; as a result: the other side has said nothing of it */
	PUSH_OK,
	PUSH_UP_TO_DATE,
	/* refused here */
	PUSH_REJECT_NON_FAST_FORWARD,
	PUSH_REJECT_ALREADY_EXISTS, /* a tag */
	PUSH_REJECT_FETCH_FIRST,    /* its old value is not here */
	PUSH_REJECT_NEEDS_FORCE,    /* one of them is no commit */
	PUSH_REJECT_STALE,	    /* the lease */
	PUSH_REJECT_REMOTE_UPDATED, /* --force-if-includes */
	PUSH_REJECT_NO_DELETE,	    /* the other side cannot delete */
	PUSH_REJECT_SHALLOW,	    /* new shallow roots */
	PUSH_ATOMIC_FAILED,	    /* because of another one */
	/* by the other side */
	PUSH_REMOTE_REJECT,	    /* message: "ng" */
	PUSH_EXPECTING_REPORT,	    /* sent, no report has come */
};

/* report-status-v2: what has happened instead of what was asked for */
struct push_result {
	char *name; /* NULL: the update's own */
	struct object_id old_oid, new_oid;
	bool has_old, has_new, forced;
	bool closed; /* internal: another one follows it */
};

struct push_update {
	char *src; /* the ref, or what else was named, here; NULL: a deletion */
	char *dst; /* the ref there, in full */
	struct object_id new_oid; /* null: delete */
	struct object_id old_oid; /* what it is there; null: it is not */
	bool old_known;	   /* false: a remote helper that does not tell values */
	bool force;	   /* '+', or --force */
	bool forced;	   /* and it was needed */
	/* --force-with-lease */
	bool has_lease, lease_via_tracking;
	struct object_id lease; /* null: it must not exist */
	enum push_status status;
	char *message;	   /* of the other side; NULL: none */
	struct push_result *results;
	size_t nr_results;
	char *tracking;	   /* remote-tracking ref that follows; NULL: none */
};
struct push_list {
	struct push_update *items;
	size_t nr, alloc;
};
#define PUSH_LIST_INIT { NULL, 0, 0 }
struct push_update *push_list_add(struct push_list *l, const char *src, const char *dst);
void push_list_release(struct push_list *l);
/* Refused, here or there; or nothing is known. */
bool push_update_is_refused(const struct push_update *u);
/* If any is refused, all that are pending are PUSH_ATOMIC_FAILED. */
void push_list_fail_atomic(struct push_list *l);

/* ---- push-match.c: refspecs ---- */
#define PUSH_MATCH_MIRROR 1u  /* --mirror: all names, unless refspecs say which; what is not pushed is deleted */
#define PUSH_MATCH_PRUNE 2u   /* --prune */
#define PUSH_MATCH_FOLLOW_TAGS 4u
#define PUSH_MATCH_ADVISE 16u /* "hint: …" lines in messages about names that are not in full */
#define PUSH_MATCH_FORCE 8u  /* each as with '+' */
/*
 * Updates, each dst once: first those of refs that are there, in the order of `theirs`, then new ones. ERR_INVALID with Git's words: "src refspec X does not match any", "dst
 * refspec X matches more than one", …; all of them, one a line.
 */
MUST_USE int push_match(struct push_list *out, struct repository *r, const struct remote_refs *theirs,
			const struct refspec *specs, unsigned flags, struct err *err);

/* ---- push-check.c: what is refused before anything is sent ---- */
struct push_rules {
	bool atomic; /* one refused: all are */
	bool force_if_includes;
	const struct remote *remote; /* for tracking refs; NULL: none */
	/* --force-with-lease=REF[:EXPECT] in their order, and whether it was said for all refs. NULL: none */
	const struct strvec *leases;
	bool lease_for_all;
};
/* The remote-tracking ref that follows a ref of the remote, and its value. 1: it is there; 0: not. */
bool push_find_tracking(struct repository *r, const struct remote *remote, const char *dst, char **name,
			struct object_id *oid);
MUST_USE int push_check(struct push_list *l, struct repository *r, const struct push_rules *rules, struct err *err);

/* ---- push-session.c ---- */
struct push_session;
struct push_session_options {
	const struct hash_algo *algo;
	const struct config_set *config;
	const char *url; /* for messages, and certificates */
	/* Lines of the other side for the user, "remote: " included; NULL: dropped. */
	void (*tell)(void *data, const char *text, size_t len);
	void *data;
};
enum push_meter { PUSH_METER_NONE, PUSH_METER_FINDING, PUSH_METER_DELTAS, PUSH_METER_WRITING, PUSH_METER_DONE };
enum push_signed { PUSH_SIGNED_NEVER, PUSH_SIGNED_IF_ASKED, PUSH_SIGNED_ALWAYS };
struct push_request_options {
	bool atomic, thin, quiet, dry_run;
	enum push_signed sign;
	const struct strvec *push_options; /* NULL: none */
	/* Progress of the pack, and the line "Total …" at its end; NULL: none. total 0: not known. */
	void (*meter)(void *data, enum push_meter phase, uint64_t done, uint64_t total);
	void (*tell_totals)(void *data, const char *line);
	void *meter_data;
};
/* The connection is the session's from now on, in all outcomes. Also of a remote helper that pushes by itself. */
MUST_USE int push_session_open(struct push_session **out, struct connection *c,
			       const struct push_session_options *o, struct err *err);
/* ... to what is at a URL, as users write it. */
MUST_USE int push_session_open_url(struct push_session **out, const char *text, const struct connect_options *co,
				   const struct push_session_options *o, struct err *err);
const struct remote_refs *push_session_refs(const struct push_session *s);
/* "atomic", "push-options", "delete-refs", "ofs-delta", "report-status", … */
bool push_session_can(const struct push_session *s, const char *capability);
/*
 * Sends those that are PUSH_PENDING and change something, and the objects that are missing there, made into a pack in this
 * process while it goes out; takes the report. < 0: the connection failed, or the other side could not unpack (its reason); statuses
 * are filled as far as is known. A ref that is refused is no error.
 */
MUST_USE int push_session_send(struct push_session *s, struct repository *r, const struct push_request_options *o,
			       struct push_list *l, struct err *err);
MUST_USE int push_session_end(struct push_session *s, int rc, struct err *err);

#endif

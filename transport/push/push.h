/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The client of receive-pack: git-push(1), git-send-pack(1), gitprotocol-pack(5).
 *
 *	push_session_open(&s, connection, &options, err)         capabilities and refs of the server
 *	push_match(&list, r, push_session_refs(s), refspecs, flags, err)   finds the refs to change (push-match.c)
 *	push_check(&list, r, &rules, err)                        fast forward, leases: updates refused here (push-check.c)
 *	push_session_send(s, r, &request, &list, err)            commands, pack, report (push-session.c)
 *	push_session_end(s, rc, err)
 *
 * Each update has its status afterwards. Nothing here prints.
 */
#ifndef TRANSPORT_PUSH_PUSH_H
#define TRANSPORT_PUSH_PUSH_H

#include "compat/posix.h"
#include "refs/refspec.h"
#include "repo/remotes.h"
#include "repo/repo.h"
#include "transport/connect.h"
#include "transport/remote-refs.h"
#include "util/strvec.h"
#include "wire/push-report.h"

enum push_status {
	PUSH_PENDING,	    /* not sent yet; after push_session_send: the server has not reported it */
	PUSH_OK,
	PUSH_UP_TO_DATE,
	/* refused here */
	PUSH_REJECT_NON_FAST_FORWARD,
	PUSH_REJECT_ALREADY_EXISTS, /* a tag */
	PUSH_REJECT_FETCH_FIRST,    /* the object of the old value is missing here */
	PUSH_REJECT_NEEDS_FORCE,    /* the old or the new value is no commit */
	PUSH_REJECT_STALE,	    /* the value differs from the lease */
	PUSH_REJECT_REMOTE_UPDATED, /* --force-if-includes */
	PUSH_REJECT_NO_DELETE,	    /* the server cannot delete refs */
	PUSH_REJECT_SHALLOW,	    /* new shallow roots */
	PUSH_ATOMIC_FAILED,	    /* another update of an atomic push was refused */
	/* refused by the server */
	PUSH_REMOTE_REJECT,	    /* message: the reason after "ng" */
	PUSH_EXPECTING_REPORT,	    /* sent, no report has come */
};

struct push_update {
	char *src; /* the local ref or object name; NULL: a deletion */
	char *dst; /* full name of the remote ref */
	struct object_id new_oid; /* null: delete */
	struct object_id old_oid; /* value of the remote ref; null: it does not exist */
	bool old_known;	   /* false: the remote helper does not tell values */
	bool force;	   /* '+', or --force */
	bool forced;	   /* and it was needed */
	/* --force-with-lease */
	bool has_lease, lease_via_tracking;
	struct object_id lease; /* null: it must not exist */
	enum push_status status;
	char *message;	   /* from the server; NULL: none */
	/* report-status-v2: the changes that the server has made in place of the requested one */
	struct push_reports results;
	char *tracking;	   /* remote-tracking ref of dst; NULL: none */
};
struct push_list {
	struct push_update *items;
	size_t nr, alloc;
};
#define PUSH_LIST_INIT { NULL, 0, 0 }
struct push_update *push_list_add(struct push_list *l, const char *src, const char *dst);
void push_list_release(struct push_list *l);
/* True if the update was refused, here or by the server, or if its result is not known. */
bool push_update_is_refused(const struct push_update *u);
/* If any update is refused, set all pending ones to PUSH_ATOMIC_FAILED. */
void push_list_fail_atomic(struct push_list *l);

/* ---- push-match.c: refspecs ---- */
#define PUSH_MATCH_MIRROR 1u  /* --mirror: all refs, or those of the refspecs; deletes all other remote refs */
#define PUSH_MATCH_PRUNE 2u   /* --prune */
#define PUSH_MATCH_FOLLOW_TAGS 4u
#define PUSH_MATCH_ADVISE 16u /* "hint: …" lines in messages about names that are not in full */
#define PUSH_MATCH_FORCE 8u  /* treat each refspec as if it had '+' */
/*
 * Find the updates, each dst once: first updates of existing remote refs, in the order of `theirs`, then new refs.
 * ERR_INVALID with Git's messages: "src refspec X does not match any", "dst refspec X matches more than one", …; all of
 * them, one on each line.
 */
MUST_USE int push_match(struct push_list *out, struct repository *r, const struct remote_refs *theirs,
			const struct refspec *specs, unsigned flags, struct err *err);

/*
 * Find the sources of refspecs that name one, without the remote's refs: before a connection is made. ERR_INVALID with
 * the same messages. Cost: a few look-ups of refs per refspec.
 */
MUST_USE int push_check_sources(struct repository *r, const struct refspec *specs, struct err *err);

/* ---- push-check.c: refuses updates before anything is sent ---- */
struct push_rules {
	bool atomic; /* if one update is refused, all are */
	bool force_if_includes;
	const struct remote *remote; /* for tracking refs; NULL: none */
	/* --force-with-lease=REF[:EXPECT] in their order (NULL: none); lease_for_all: --force-with-lease */
	const struct strvec *leases;
	bool lease_for_all;
};
/* Find the remote-tracking ref of a ref of the remote, and its value. False: it does not exist. */
bool push_find_tracking(struct repository *r, const struct remote *remote, const char *dst, char **name,
			struct object_id *oid);
MUST_USE int push_check(struct push_list *l, struct repository *r, const struct push_rules *rules, struct err *err);

/* ---- push-session.c ---- */
struct push_session;
struct push_session_options {
	const struct hash_algo *algo;
	const struct config_set *config;
	const char *url; /* for messages, and certificates */
	/* Called with lines of the server for the user, with "remote: "; NULL: they are dropped. */
	void (*tell)(void *data, const char *text, size_t len);
	void *data;
};
enum push_meter { PUSH_METER_NONE, PUSH_METER_FINDING, PUSH_METER_COUNTING, PUSH_METER_DELTAS, PUSH_METER_WRITING, PUSH_METER_DONE };
enum push_signed { PUSH_SIGNED_NEVER, PUSH_SIGNED_IF_ASKED, PUSH_SIGNED_ALWAYS };
struct push_request_options {
	bool atomic, thin, quiet, dry_run;
	enum push_signed sign;
	const struct strvec *push_options; /* NULL: none */
	/*
	 * Progress of the pack, and lines in between ("Delta compression using …") and at its end
	 * ("Total …"); NULL: not shown. total 0: not known; bytes 0: not counted.
	 */
	void (*meter)(void *data, enum push_meter phase, uint64_t done, uint64_t total, uint64_t bytes);
	void (*tell)(void *data, const char *line);
	void *meter_data;
};
/* Open a session. It owns the connection, or the remote helper that pushes by itself, from now on, on all outcomes. */
MUST_USE int push_session_open(struct push_session **out, struct connection *c,
			       const struct push_session_options *o, struct err *err);
/* The same for the repository at `text`, a URL or path as users write it. */
MUST_USE int push_session_open_url(struct push_session **out, const char *text, const struct connect_options *co,
				   const struct push_session_options *o, struct err *err);
const struct remote_refs *push_session_refs(const struct push_session *s);
/* "atomic", "push-options", "delete-refs", "ofs-delta", "report-status", … */
bool push_session_can(const struct push_session *s, const char *capability);
/*
 * Send the updates that are PUSH_PENDING and change a ref, with a pack of the objects that the server lacks, and read the
 * report. This process makes the pack while it sends it. < 0: the connection failed, or the server could not unpack (with its
 * reason); statuses are set as far as they are known. A refused ref is no error.
 */
MUST_USE int push_session_send(struct push_session *s, struct repository *r, const struct push_request_options *o,
			       struct push_list *l, struct err *err);
MUST_USE int push_session_end(struct push_session *s, int rc, struct err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* Declarations that the files of the client of upload-pack share. */
#ifndef TRANSPORT_FETCH_FETCH_INTERNAL_H
#define TRANSPORT_FETCH_FETCH_INTERNAL_H

#include "intake/reader.h"
#include "transport/fetch/fetch-session-state.h"

#define FETCH_CAPABILITIES_MAX 1000u
#define FETCH_URIS_MAX 1000u

struct fetch_task;

/* ---- fetch-helper.c: a remote helper that fetches by itself ---- */
/* Its refs, as of version 0. */
MUST_USE int session_list_by_helper(struct fetch_session *s, struct err *err);
/* Tell the helper that no more commands come. */
void session_end_helper(struct fetch_session *s);
MUST_USE int fetch_by_helper(struct fetch_task *t, struct repo_operation *op, struct err *err);

/* ---- fetch-helper-objects.c: objects that a remote helper puts into our database ---- */
struct fetch_helper_objects {
	struct stat shallow; /* stat of the file "shallow" before the fetch */
	bool had_shallow;
};
/* Call it before the helper fetches. */
void fetch_helper_objects_begin(struct fetch_helper_objects *a, const struct repository *r);
/* Check the new objects like a received pack, and stage them in the operation, which seals them. */
MUST_USE int fetch_helper_objects_take(const struct fetch_helper_objects *a, const struct fetch_task *t, struct repo_operation *op,
				 struct err *err);

/* fetch-v2.c, fetch-v0.c: send the request and negotiate. 1: the pack comes next; 0: there is no pack. */
struct fetch_task {
	struct fetch_session *s;
	const struct fetch_wanted *w;
	struct repository *r;
	struct fetch_result *result;
	struct negotiator *n;
	struct oid_array boundary; /* our shallow boundary before the fetch; sorted */
	struct oid_array shallow, unshallow; /* lines of the server */
	/* Commits of the server's own boundary that are not in ours; only if the request does not deepen. */
	struct oid_array roots;
	struct strvec uris; /* "HASH URI": packs to download */
	struct intake_policy uri_policy;    /* for them */
	struct intake_reader *uri_readers; /* one for each; NULL: none was begun */
	/* While the pack is checked: these need no parents. */
	struct oidset boundaries;
};
int fetch_negotiate_v2(struct fetch_task *t, struct err *err);
int fetch_negotiate_v0(struct fetch_task *t, struct err *err);

/* ---- fetch-request.c: what requests of all versions have ---- */
#define FETCH_HAVES_FIRST 16u
#define FETCH_HAVES_MAX 16384u /* of one round of version 2 */
struct fetch_round {
	struct oid_array common; /* objects known to be on both sides; each once */
	struct oidset known;	 /* the same */
	unsigned size;		 /* number of haves in the next round */
	unsigned told;		 /* haves sent in this round */
	unsigned in_vain;	 /* haves sent since the last common object */
	bool ready, done, got_common, included;
};
#define FETCH_ROUND_INIT { .size = FETCH_HAVES_FIRST }
void fetch_round_release(struct fetch_round *round);
/* Add the lines of our boundary, and of the requested new one. */
void fetch_add_shallow(struct fetch_task *t);
/* known: the server supports filters. */
void fetch_add_filter(struct fetch_task *t, bool known);
/* Add the next haves. round->done: there are no more, or enough were in vain. The next round is larger, up to max. */
MUST_USE int fetch_add_haves(struct fetch_task *t, struct fetch_round *round, unsigned max, struct err *err);
MUST_USE int fetch_take_common(struct fetch_task *t, struct fetch_round *round, const struct object_id *oid,
			       struct err *err);

/* ---- fetch-receive.c ---- */
MUST_USE int fetch_receive(struct fetch_task *t, struct repo_operation *op, struct err *err);

/* ---- fetch-shallow.c: the boundary ---- */
/* Take a line "shallow OID" or "unshallow OID". 1: it was one; 0: another line; < 0: error. */
int fetch_take_shallow(struct fetch_task *t, const char *line, struct err *err);
/* Apply the lines after the last of them: fills result->shallow, result->unshallow and t->roots. */
MUST_USE int fetch_apply_shallow(struct fetch_task *t, struct err *err);
MUST_USE int fetch_stage_shallow(struct fetch_task *t, struct repo_operation *op, struct err *err);

/* ---- fetch-check.c ---- */
/*
 * Check that no object is missing that the pack, the wanted ids and the new boundary lead to. A wanted id that needs the
 * server's boundary is rejected, or the boundary becomes ours, too (update_shallow). marks: a byte for each commit of
 * t->roots, id of w->oids, and id of wanted_refs, 0 before; the result is in them. foreign: gets the objects that the
 * pack depends on and does not have.
 */
MUST_USE int fetch_check_pack(struct fetch_task *t, struct pack_receive *rx, unsigned char *marks, struct oid_array *foreign,
			      struct err *err);
size_t fetch_count_marks(const struct fetch_task *t);
/* Move the marks to result->shallow and result->rejected. */
void fetch_take_marks(struct fetch_task *t, const unsigned char *marks);

/* ---- fetch-uris.c: packs whose URIs the server has sent ---- */
/* fetch.uriProtocols; NULL: packfile URIs are off here, or not supported by the server. */
MUST_USE int fetch_uri_protocols(const struct fetch_task *t, const char **out, struct err *err);
MUST_USE int fetch_take_uri(struct fetch_task *t, const char *line, struct err *err);
/* Downloads the packs, for an intake_source. The server's own pack is the first. */
struct fetch_uri_source {
	struct fetch_task *task;
	size_t nr;  /* packs that were begun */
	bool begun; /* the first pack was begun */
	bool open;
	int fd; /* valid if open */
};
int fetch_next_uri(struct fetch_uri_source *s, struct err *err);
MUST_USE int fetch_read_uri(struct fetch_uri_source *s, void *buf, size_t len, size_t *got, struct err *err);
void fetch_uri_source_release(struct fetch_uri_source *s);
/* Read the packs into t->result->others. Each is resolved, has the announced hash, and is not staged yet. */
MUST_USE int fetch_receive_uris(struct fetch_task *t, const struct intake_place *place, struct err *err);
/* If t->w->fsck is set: check the special blobs that trees of any pack name, after all packs are resolved. own: the server's pack. */
MUST_USE int fetch_finish_fsck(struct fetch_task *t, struct pack_receive *own, struct err *err);
MUST_USE int fetch_stage_uris(struct fetch_task *t, struct err *err);
bool fetch_uris_have(const struct fetch_result *result, const struct object_id *oid);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* Declarations that the files of the client of upload-pack share. */
#ifndef TRANSPORT_FETCH_INTERNAL_H
#define TRANSPORT_FETCH_INTERNAL_H

#include "intake/input.h"
#include "transport/bundle-source.h"
#include "transport/fetch-session.h"
#include "util/color.h"
#include "wire/pkt-reader.h"
#include "wire/pkt-writer.h"

/* Lines of a list that has no end of its own. */
#define FETCH_LINES_MAX 20000000u
#define FETCH_CAPABILITIES_MAX 1000u
#define FETCH_URIS_MAX 1000u

#define WORD_COLORS 4 /* hint, warning, success, error */

struct fetch_session {
	struct connection *c;	      /* NULL: the session reads `bundle` */
	struct bundle_source *bundle; /* the bundle; NULL: the session has a connection */
	struct fetch_session_options o;
	struct pkt_reader in;
	struct pkt_writer out;
	int version;
	const struct hash_algo *algo;
	struct strvec capabilities; /* "name", "name=value" */
	struct remote_refs refs;    /* version 0: the advertisement */
	struct oid_array shallow, advertised;
	bool bands; /* sideband-all: each line has a band */
	struct strbuf words; /* text of band 2: an incomplete line */
	unsigned words_allowed; /* kinds of control sequences that it may have */
	bool words_configured; /* words_allowed is from the configuration */
	bool words_colored; /* color.remote: keywords at the beginning of a line */
	char word_colors[WORD_COLORS][COLOR_MAXLEN]; /* read if words_colored */
	/* ---- fetch-promisors.c ---- */
	struct strbuf promisors; /* names of the accepted promisor remotes, as sent to the server */
	struct filter_spec auto_filter; /* their filters together */
	bool tells_id;		/* transfer.advertiseSID */
	/* the packet of band 1 whose bytes are being read */
	const char *piece;
	size_t piece_len;
	bool pack_ended, raw; /* raw: without bands */
	bool over;	      /* version 0: the server ends by itself */
};

/* The value, "" if it has none; NULL: it is not there. */
const char *session_capability(const struct fetch_session *s, const char *name);
/* Is `word` among the words of that capability's value? */
bool session_capability_has(const struct fetch_session *s, const char *name, const char *word);
/*
 * Read the next line. Returns an enum pkt_kind; *line: s->in.line, or the text after the band. ERR_ABORTED: an ERR
 * packet, or band 3; ERR_CORRUPT: unexpected end.
 */
int session_line(struct fetch_session *s, const char **line, struct err *err);
/* Our session id if it may be sent and the server supports it; else NULL. */
const char *session_own_id(const struct fetch_session *s);

/* Read the server's offer of promisor remotes (NULL: none) into s->promisors and s->auto_filter. */
MUST_USE int session_take_promisors(struct fetch_session *s, const char *offered, struct err *err);

/* ---- fetch-progress-text.c: text of the server for the user ---- */
/* color.remote and color.remote.<slot> */
void session_read_word_colors(struct fetch_session *s);
/* sideband.allowControlCharacters */
MUST_USE int session_read_words_allowed(struct fetch_session *s, struct err *err);
/* Print complete lines. all: an incomplete line, too. */
void session_tell(struct fetch_session *s, const char *text, size_t len, bool all);
/* Text of the other side without control characters that are not allowed, for a message. Caller frees. */
char *session_clean(const struct fetch_session *s, const char *text);
/*
 * The same for a part of a line, a name or a reason. Line ends and tabs are always masked, too: a script that reads the
 * line would take the rest for further lines and fields of ours. Colours pass only if the user has allowed them.
 */
char *session_clean_field(const struct fetch_session *s, const char *text);

/* End the request and send it. */
MUST_USE int session_send_request(struct fetch_session *s, struct err *err);
/* Write command=NAME and the capabilities, up to the delimiter. */
MUST_USE int session_begin_command(struct fetch_session *s, const char *name, struct err *err);
/* After the flush packet that ends an answer of version 2. */
MUST_USE int session_end_answer(struct fetch_session *s, struct err *err);

/* For pack_receive_stream_options: the bytes of band 1. */
int session_pack_read(void *data, void *buf, size_t len, size_t *got, struct err *err);
bool session_pack_ready(void *data);

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
MUST_USE int fetch_receive_uris(struct fetch_task *t, struct intake_input *in, struct err *err);
/* If t->w->fsck is set: check the special blobs that trees of any pack name, after all packs are resolved. own: the server's pack. */
MUST_USE int fetch_finish_fsck(struct fetch_task *t, struct pack_receive *own, struct err *err);
MUST_USE int fetch_stage_uris(struct fetch_task *t, struct fsync_batch *batch, const struct pack_receive_names *names,
			      struct err *err);
bool fetch_uris_have(const struct fetch_result *result, const struct object_id *oid);

#endif

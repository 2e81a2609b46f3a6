/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of the client of upload-pack share. */
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
	struct connection *c;	      /* NULL: */
	struct bundle_source *bundle; /* what it is instead of a server */
	struct fetch_session_options o;
	struct pkt_reader in;
	struct pkt_writer out;
	int version;
	const struct hash_algo *algo;
	struct strvec capabilities; /* "name", "name=value" */
	struct remote_refs refs;    /* version 0: the advertisement */
	struct oid_array shallow, advertised;
	bool bands; /* sideband-all: each line has a band */
	struct strbuf words; /* of band 2: half a line */
	unsigned words_allowed; /* kinds of control sequences in them */
	bool words_configured; /* words_allowed is from the configuration */
	bool words_colored; /* color.remote: keywords at the beginning of a line */
	char word_colors[WORD_COLORS][COLOR_MAXLEN]; /* read if words_colored */
	/* ---- fetch-promisors.c ---- */
	struct strbuf promisors; /* names of promisor remotes that were accepted, as they are said to the server */
	struct filter_spec auto_filter; /* what they leave out */
	bool tells_id;		/* transfer.advertiseSID */
	/* the packet of band 1 that is being given out */
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
 * The next line: an enum pkt_kind; text is s->in.line, or behind the band. ERR_ABORTED: an ERR packet, or band 3;
 * ERR_CORRUPT: the end, where none may be.
 */
int session_line(struct fetch_session *s, const char **line, struct err *err);
/* Our session id, if the server may and can know it; NULL. */
const char *session_own_id(const struct fetch_session *s);

/* What the server offers of promisor remotes (NULL: nothing) to s->promisors and s->auto_filter. */
MUST_USE int session_take_promisors(struct fetch_session *s, const char *offered, struct err *err);

/* ---- fetch-progress-text.c: what the server says to the user ---- */
/* color.remote and color.remote.<slot> */
void session_read_word_colors(struct fetch_session *s);
/* sideband.allowControlCharacters */
MUST_USE int session_read_words_allowed(struct fetch_session *s, struct err *err);
/* Whole lines go out. all: half a line, too. */
void session_tell(struct fetch_session *s, const char *text, size_t len, bool all);
/* Text of the other side without control characters that are not allowed, for a message. Caller frees. */
char *session_clean(const struct fetch_session *s, const char *text);
/*
 * The same for a part of a line, a name or a reason: line ends and tabs are masked too, whatever is allowed, since a script
 * that reads the line would take what follows for lines and fields of ours. Colours pass only if the user has allowed them.
 */
char *session_clean_field(const struct fetch_session *s, const char *text);

/* The end of a request: it goes out. */
MUST_USE int session_send_request(struct fetch_session *s, struct err *err);
/* command=NAME and the capabilities, up to the delimiter. */
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
/* Nothing more is wanted of it. */
void session_end_helper(struct fetch_session *s);
MUST_USE int fetch_by_helper(struct fetch_task *t, struct repo_operation *op, struct err *err);

/* ---- fetch-helper-objects.c: what somebody else puts into our database ---- */
struct fetch_helper_objects {
	struct stat shallow; /* of the boundary's file, before */
	bool had_shallow;
};
/* Before anything arrives. */
void fetch_helper_objects_begin(struct fetch_helper_objects *a, const struct repository *r);
/* Checked like what we receive ourselves, and sealed with the operation. */
MUST_USE int fetch_helper_objects_take(const struct fetch_helper_objects *a, const struct fetch_task *t, struct repo_operation *op,
				 struct err *err);

/* fetch-v2.c, fetch-v0.c: ask, negotiate; when 1 is returned the pack comes next, 0: there is none. */
struct fetch_task {
	struct fetch_session *s;
	const struct fetch_wanted *w;
	struct repository *r;
	struct fetch_result *result;
	struct negotiator *n;
	struct oid_array boundary; /* our own, before; sorted */
	struct oid_array shallow, unshallow; /* as the server has told them */
	/* Commits of the server's own boundary that are none of ours: nobody has asked to deepen. */
	struct oid_array roots;
	struct strvec uris; /* "HASH URI": packs that are to come from elsewhere */
	/* While the pack is checked: these need no parents. */
	struct oidset boundaries;
};
int fetch_negotiate_v2(struct fetch_task *t, struct err *err);
int fetch_negotiate_v0(struct fetch_task *t, struct err *err);

/* ---- fetch-request.c: what requests of all versions have ---- */
#define FETCH_HAVES_FIRST 16u
#define FETCH_HAVES_MAX 16384u /* of one round of version 2 */
struct fetch_round {
	struct oid_array common; /* what both have, as far as is known; each once */
	struct oidset known;	 /* the same */
	unsigned size;		 /* so many haves are told next */
	unsigned told;		 /* haves of this round */
	unsigned in_vain;	 /* haves since something was common */
	bool ready, done, got_common, included;
};
#define FETCH_ROUND_INIT { .size = FETCH_HAVES_FIRST }
void fetch_round_release(struct fetch_round *round);
/* Our boundary, and where the new one shall be. */
void fetch_add_shallow(struct fetch_task *t);
/* known: the server can. */
void fetch_add_filter(struct fetch_task *t, bool known);
/* The next haves; done: there are no more, or enough were in vain. The next round is larger, up to max. */
MUST_USE int fetch_add_haves(struct fetch_task *t, struct fetch_round *round, unsigned max, struct err *err);
MUST_USE int fetch_take_common(struct fetch_task *t, struct fetch_round *round, const struct object_id *oid,
			       struct err *err);

/* ---- fetch-receive.c ---- */
MUST_USE int fetch_receive(struct fetch_task *t, struct repo_operation *op, struct err *err);

/* ---- fetch-shallow.c: the boundary ---- */
/* "shallow OID", "unshallow OID"; 1: it was such a line, 0, < 0. */
int fetch_take_shallow(struct fetch_task *t, const char *line, struct err *err);
/* All have been told: what they mean. */
MUST_USE int fetch_apply_shallow(struct fetch_task *t, struct err *err);
MUST_USE int fetch_stage_shallow(struct fetch_task *t, struct repo_operation *op, struct err *err);

/* ---- fetch-check.c ---- */
/*
 * Is all there that the pack, what is wanted and the new boundary lead to? What needs the server's boundary is rejected, or
 * that is taken up (update_shallow). Which, marks tell: a byte for each commit of t->roots, id of w->oids, and id of
 * wanted_refs; all 0 before. foreign gets what the pack rests on, and does not have.
 */
MUST_USE int fetch_check_pack(struct fetch_task *t, struct pack_receive *rx, unsigned char *marks, struct oid_array *foreign,
			      struct err *err);
size_t fetch_count_marks(const struct fetch_task *t);
/* To result->shallow, result->rejected. */
void fetch_take_marks(struct fetch_task *t, const unsigned char *marks);

/* ---- fetch-uris.c: packs of which the server has sent the URI ---- */
/* fetch.uriProtocols; NULL: none are wanted, or the server has none. */
MUST_USE int fetch_uri_protocols(const struct fetch_task *t, const char **out, struct err *err);
MUST_USE int fetch_take_uri(struct fetch_task *t, const char *line, struct err *err);
/* Who downloads them, for an intake_source: the server's own pack is the first. */
struct fetch_uri_source {
	struct fetch_task *task;
	size_t nr;  /* packs that were begun */
	bool begun; /* the first of them */
	bool open;
	int fd; /* if it is open */
};
int fetch_next_uri(struct fetch_uri_source *s, struct err *err);
MUST_USE int fetch_read_uri(struct fetch_uri_source *s, void *buf, size_t len, size_t *got, struct err *err);
void fetch_uri_source_release(struct fetch_uri_source *s);
/* Who reads them: each is resolved, and the one that was announced: in t->result->others, not staged. */
MUST_USE int fetch_receive_uris(struct fetch_task *t, struct intake_input *in, struct err *err);
/* With t->w->fsck, when all packs are resolved: checks the special blobs that trees of any of them name. own: the server's. */
MUST_USE int fetch_finish_fsck(struct fetch_task *t, struct pack_receive *own, struct err *err);
MUST_USE int fetch_stage_uris(struct fetch_task *t, struct fsync_batch *batch, const struct pack_receive_names *names,
			      struct err *err);
bool fetch_uris_have(const struct fetch_result *result, const struct object_id *oid);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The inside of a session, for the clients of upload-pack and receive-pack: fields, capabilities, lines, and text of the
 * server for the user. Fetching has more of its own in fetch-internal.h.
 */
#ifndef TRANSPORT_FETCH_FETCH_SESSION_STATE_H
#define TRANSPORT_FETCH_FETCH_SESSION_STATE_H

#include "intake/input.h"
#include "transport/bundle-source.h"
#include "transport/fetch/fetch-session.h"
#include "util/color.h"
#include "wire/pkt-reader.h"
#include "wire/pkt-writer.h"

/* Lines of a list that has no end of its own. */
#define FETCH_LINES_MAX 20000000u

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

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* Commit objects: parsing into fields, headers, message; composing. */
#ifndef OBJECT_COMMIT_H
#define OBJECT_COMMIT_H

#include "compat/posix.h"
#include "hash/hash.h"
#include "object/object.h"
#include "util/date.h"
#include "util/strbuf.h"

/*
 * A parsed commit. Pointers lead into the object's bytes, which must
 * outlive it.
 */
struct commit_view {
	struct object_id tree;
	struct object_id *parents; /* owned */
	size_t nr_parents;
	const char *author, *committer; /* ident lines without LF */
	size_t author_len, committer_len;
	const char *encoding; /* NULL: UTF-8 */
	size_t encoding_len;
	const char *message; /* after the blank line */
	size_t message_len;
	timestamp_t date; /* committer's, 0 if broken */
};
MUST_USE int commit_parse(struct commit_view *out, const void *buf, size_t size,
			  const struct hash_algo *algo, struct err *err);
void commit_view_release(struct commit_view *c);

/* Only the parts that walking needs: tree, parents, date. Faster. */
MUST_USE int commit_parse_links(const void *buf, size_t size, const struct hash_algo *algo,
				struct object_id *tree, struct oid_array *parents,
				timestamp_t *date, struct err *err);

/*
 * A header by name ("gpgsig", "mergetag", "HG:extra"): value with
 * continuation lines joined by LF, appended to out. False if absent.
 */
bool commit_find_header(const void *buf, size_t size, const char *name, struct strbuf *out);
/* One after the other: from byte *pos (0 at first), which moves behind what was found. */
bool commit_next_header(const void *buf, size_t size, size_t *pos, const char *name,
			struct strbuf *out);
/* All but those that every commit has, encoding and signatures; appended to out as they are. */
void commit_other_headers(const void *buf, size_t size, struct strbuf *out);
/* "NAME VALUE\n"; a blank marks lines of the value behind the first, its last LF is left out. */
void commit_add_header(struct strbuf *out, const char *name, const char *value, size_t len);

/*
 * The signature in the headers of a commit, and what it signs: the object without the
 * signature headers of any hash. Both are appended; several headers make one signature. False:
 * there is none. algo and signature may be NULL: only the payload is wanted.
 */
bool commit_split_signature(const void *buf, size_t size, const struct hash_algo *algo,
			    struct strbuf *payload, struct strbuf *signature);

struct commit_draft {
	struct object_id tree;
	const struct object_id *parents;
	size_t nr_parents;
	const char *author, *committer; /* whole ident lines */
	const char *encoding;		/* NULL or UTF-8: no header */
	const char *extra_headers;	/* complete lines, NULL if none */
	const char *gpgsig;		/* signature text, NULL if none */
	const char *message;
	size_t message_len;
};
/* The object's bytes. ERR_INVALID if the message has a NUL. */
MUST_USE int commit_compose(struct strbuf *out, const struct commit_draft *d, struct err *err);

/* First line(s) of a message folded to one, as %s; and the body as %b. */
void commit_subject(struct strbuf *out, const char *message, size_t len, const char *sep);
const char *commit_body(const char *message, size_t len, size_t *body_len);

#endif

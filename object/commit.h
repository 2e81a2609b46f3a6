/* SPDX-License-Identifier: GPL-2.0-only */
/* Commit objects: parsing (fields, headers, signature, message) and composing. */
#ifndef OBJECT_COMMIT_H
#define OBJECT_COMMIT_H

#include "compat/posix.h"
#include "hash/hash.h"
#include "object/object.h"
#include "util/date.h"
#include "util/strbuf.h"

/*
 * A parsed commit. Its pointers refer to the object's bytes, which must outlive it.
 */
struct commit_view {
	struct object_id tree;
	struct object_id *parents; /* owned */
	size_t nr_parents;
	const char *author, *committer; /* ident lines, not NUL-terminated */
	size_t author_len, committer_len;
	const char *encoding; /* NULL: UTF-8 */
	size_t encoding_len;
	const char *message; /* after the blank line, up to a NUL, which ends the text as everywhere in Git */
	size_t message_len;
	timestamp_t date; /* the committer's, see ident_order_date */
};
MUST_USE int commit_parse(struct commit_view *out, const void *buf, size_t size,
			  const struct hash_algo *algo, struct err *err);
void commit_view_release(struct commit_view *c);

/* Parse only what revision walking needs; each of the three may be NULL. Parents are appended. */
MUST_USE int commit_parse_links(const void *buf, size_t size, const struct hash_algo *algo,
				struct object_id *tree, struct oid_array *parents,
				timestamp_t *date, struct err *err);

/*
 * Append the value of a header ("gpgsig", "mergetag", "HG:extra") to out, continuation lines
 * joined by LF. False if there is no such header.
 */
bool commit_find_header(const void *buf, size_t size, const char *name, struct strbuf *out);
/* For repeated headers: searches from byte *pos (initially 0), which is then advanced. */
bool commit_next_header(const void *buf, size_t size, size_t *pos, const char *name,
			struct strbuf *out);
/* Append, unchanged, all headers but tree, parent, author, committer, encoding and signatures. */
void commit_other_headers(const void *buf, size_t size, struct strbuf *out);
/* Append "NAME VALUE\n"; further lines of the value get a leading blank, its last LF is dropped. */
void commit_add_header(struct strbuf *out, const char *name, const char *value, size_t len);

/*
 * Split a signed commit: append the value of its signature headers to `signature`, and the signed
 * text (the object without the signature headers of any hash) to `payload`. False if
 * there is no signature. algo and signature may both be NULL if only the payload is wanted.
 */
bool commit_split_signature(const void *buf, size_t size, const struct hash_algo *algo,
			    struct strbuf *payload, struct strbuf *signature);

struct commit_draft {
	struct object_id tree;
	const struct object_id *parents;
	size_t nr_parents;
	const char *author, *committer; /* "Name <mail> date zone" */
	const char *encoding;		/* NULL or UTF-8: no header */
	const char *extra_headers;	/* complete lines, or NULL */
	const char *gpgsig;		/* signature, or NULL */
	const char *message;
	size_t message_len;
};
/* Append the object's bytes to out. ERR_CORRUPT if the message contains a NUL. */
MUST_USE int commit_compose(struct strbuf *out, const struct commit_draft *d, struct err *err);

/* The first paragraph (%s), its lines joined by `sep`; and the rest (%b), which is not copied. */
void commit_subject(struct strbuf *out, const char *message, size_t len, const char *sep);
/* The first line that is not blank, with the blanks around its text; it is not copied. */
const char *commit_first_line(const char *message, size_t len, size_t *line_len);
const char *commit_body(const char *message, size_t len, size_t *body_len);

#endif

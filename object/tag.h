/* SPDX-License-Identifier: GPL-2.0-only */
/* Annotated tags. */
#ifndef OBJECT_TAG_H
#define OBJECT_TAG_H

#include "compat/posix.h"
#include "hash/hash.h"
#include "object/object.h"

struct tag_view {
	struct object_id target;
	enum object_type target_type;
	const char *name, *tagger, *message; /* into the object; tagger may be NULL */
	size_t name_len, tagger_len, message_len;
	size_t signature_offset; /* in message; message_len if unsigned */
};
MUST_USE int tag_parse(struct tag_view *out, const void *buf, size_t size,
		       const struct hash_algo *algo, struct err *err);
/*
 * The signature at the end of a tag's object, and what it signs: what is before it, without
 * signature headers. Both are appended. False: there is none.
 */
bool tag_split_signature(const struct tag_view *t, const char *object, struct strbuf *payload,
			 struct strbuf *signature);

/* Where its signature begins, or len: the last line that begins one, it may quote others. */
size_t message_signature(const char *msg, size_t len);

#endif

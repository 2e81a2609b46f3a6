/* SPDX-License-Identifier: GPL-2.0-only */
/* Annotated tag objects: parsing, and splitting off the signature. */
#ifndef OBJECT_TAG_H
#define OBJECT_TAG_H

#include "compat/posix.h"
#include "hash/hash.h"
#include "object/object.h"

struct tag_view {
	struct object_id target;
	enum object_type target_type;
	const char *name, *tagger, *message; /* point into the object; tagger may be NULL */
	size_t name_len, tagger_len, message_len;
	size_t signature_offset; /* in message; message_len if unsigned */
};
MUST_USE int tag_parse(struct tag_view *out, const void *buf, size_t size,
		       const struct hash_algo *algo, struct err *err);
/*
 * Split a signed tag: append the signature at the end of its message to `signature`, and the signed
 * text (the object before it, without signature headers) to `payload`. False if there is
 * no signature.
 */
bool tag_split_signature(const struct tag_view *t, const char *object, struct strbuf *payload,
			 struct strbuf *signature);

/*
 * The offset of the signature in a message, or len. It starts at the last line that can start
 * one, since the message itself may quote signatures.
 */
size_t message_signature(const char *msg, size_t len);

#endif

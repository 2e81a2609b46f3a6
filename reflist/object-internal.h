/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Facts about the object that a ref names: its header, then its content, then what
 * was parsed from it. Each is read when an atom needs it, and once.
 */
#ifndef REFLIST_OBJECT_INTERNAL_H
#define REFLIST_OBJECT_INTERNAL_H

#include "compat/posix.h"
#include "object/commit.h"
#include "object/tag.h"
#include "repo/repo.h"
#include "sign/sign.h"

struct message_parts { /* of a commit or tag, within its content */
	const char *subject, *body, *signature, *end;
	size_t subject_len;
};

struct object_facts {
	struct object_id oid;
	bool have_type, have_place, have_content, parsed, have_message;
	struct object_info info; /* type and size; the rest with have_place */
	struct object_buf buf;
	struct commit_view commit;
	struct tag_view tag;
	struct message_parts message;
	bool have_signature;
	struct signature_check signature; /* of a commit */
};
void object_facts_clear(struct object_facts *f);
/* Select that object; the facts stay if it is the same one. */
void object_facts_select(struct object_facts *f, const struct object_id *oid);
/* Type and size. ERR_NOT_FOUND "missing object … for …". */
MUST_USE int object_facts_type(struct object_facts *f, struct repository *r,
			       const char *refname, struct err *err);
/* Also where and how it is stored. Cost: may sort the offsets of a pack. */
MUST_USE int object_facts_place(struct object_facts *f, struct repository *r,
				const char *refname, struct err *err);
/* Content and, of commits and tags, the fields. */
MUST_USE int object_facts_content(struct object_facts *f, struct repository *r,
				  const char *refname, struct err *err);
/*
 * Gets the signature of a commit. *out is NULL for other objects. Call it after
 * object_facts_content.
 */
MUST_USE int object_facts_signature(struct object_facts *f, struct repository *r,
				    const struct signature_check **out, struct err *err);
/* NULL: it is neither commit nor tag. After object_facts_content. */
const struct message_parts *object_facts_message(struct object_facts *f);

#endif

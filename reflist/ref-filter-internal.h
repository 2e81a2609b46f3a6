/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of ref-filter share: atoms, what is known of one object, one listing. */
#ifndef REFLIST_REF_FILTER_INTERNAL_H
#define REFLIST_REF_FILTER_INTERNAL_H

#include "compat/posix.h"
#include "object/commit.h"
#include "object/tag.h"
#include "sign/sign.h"
#include "util/date.h"
#include "util/map.h"
#include "history/history.h"
#include "pretty/pretty.h"
#include "reflist/ref-filter.h"
#include "repo/worktrees.h"

/* ---- atoms (ref-atom.c) ---- */

enum atom_id {
	/* of the ref */
	ATOM_REFNAME, ATOM_SYMREF, ATOM_FLAG, ATOM_HEAD, ATOM_WORKTREEPATH, ATOM_UPSTREAM,
	ATOM_PUSH, ATOM_AHEAD_BEHIND,
	/* of the object's name and header */
	ATOM_OBJECTNAME, ATOM_OBJECTTYPE, ATOM_OBJECTSIZE, ATOM_DELTABASE,
	/* of its content */
	ATOM_TREE, ATOM_PARENT, ATOM_NUMPARENT, ATOM_OBJECT, ATOM_TYPE, ATOM_TAG,
	ATOM_PERSON, ATOM_SUBJECT, ATOM_BODY, ATOM_CONTENTS, ATOM_TRAILERS, ATOM_SIGNATURE,
	ATOM_RAW,
	/* of the format */
	ATOM_COLOR, ATOM_ALIGN, ATOM_IF, ATOM_THEN, ATOM_ELSE, ATOM_END
};

enum person_kind { PERSON_AUTHOR, PERSON_COMMITTER, PERSON_TAGGER, PERSON_CREATOR };
enum person_part { PART_ALL, PART_NAME, PART_EMAIL, PART_DATE };
/* of the address */
#define EMAIL_TRIM 1u
#define EMAIL_LOCALPART 2u
#define EMAIL_MAILMAP 4u

enum name_form { NAME_WHOLE, NAME_SHORT, NAME_LSTRIP, NAME_RSTRIP };
enum remote_form { REMOTE_REF, REMOTE_TRACK, REMOTE_TRACKSHORT, REMOTE_NAME, REMOTE_THEIR_REF };
enum contents_part {
	CONTENTS_ALL, CONTENTS_SUBJECT, CONTENTS_BODY, CONTENTS_SIGNATURE, CONTENTS_LINES,
	CONTENTS_SIZE
};
enum signature_part {
	SIGNATURE_WORDS, SIGNATURE_GRADE, SIGNATURE_SIGNER, SIGNATURE_KEY, SIGNATURE_FINGERPRINT,
	SIGNATURE_PRIMARY, SIGNATURE_TRUST
};
enum align_position { POSITION_LEFT, POSITION_MIDDLE, POSITION_RIGHT };
enum if_form { IF_ANY, IF_EQUALS, IF_NOTEQUALS };

struct ref_atom {
	char *text;   /* as written; what tells atoms apart */
	enum atom_id id;
	bool deref;   /* '*': of the object that a tag names */
	bool numeric; /* sorts by number */
	/* what of the following there is depends on id */
	enum name_form name_form;
	int strip;		/* components */
	enum remote_form remote_form;
	bool nobracket;
	int abbrev;		/* 0: whole names, -1: automatic */
	bool flag;		/* objectsize:disk, subject:sanitize, raw:size */
	enum person_kind person;
	enum person_part part;
	unsigned email;		/* EMAIL_… */
	struct date_mode date;
	enum contents_part contents;
	enum signature_part signature;
	unsigned long lines, width;
	enum align_position position;
	enum if_form if_form;
	char *arg;		/* what to compare with; the escape sequence; owned */
	struct object_id oid;	/* ahead-behind */
	struct trailer_options trailers;
};

/*
 * The atom written as text[0..len), known by its index from now on; the same text gives
 * the same one.
 */
MUST_USE int ref_atom_parse(struct ref_listing *l, const char *text, size_t len, size_t *out,
			    struct err *err);
void ref_atom_free(struct ref_atom *a);
/* Does it need to look at the object? */
bool ref_atom_needs_object(const struct ref_atom *a);

/* ---- what is known of one object (ref-object.c) ---- */

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
void object_facts_forget(struct object_facts *f);
/* Make it about that object; what is known of the same one stays. */
void object_facts_about(struct object_facts *f, const struct object_id *oid);
/* Type and size. ERR_NOT_FOUND "missing object … for …". */
MUST_USE int object_facts_type(struct object_facts *f, struct repository *r,
			       const char *refname, struct err *err);
/* Also where and how it is stored: may sort the offsets of a pack. */
MUST_USE int object_facts_place(struct object_facts *f, struct repository *r,
				const char *refname, struct err *err);
/* Content and, of commits and tags, the fields. */
MUST_USE int object_facts_content(struct object_facts *f, struct repository *r,
				  const char *refname, struct err *err);
/* Of commits. *out is NULL for others. After object_facts_content. */
MUST_USE int object_facts_signature(struct object_facts *f, struct repository *r,
				    const struct signature_check **out, struct err *err);
/* NULL: it is neither commit nor tag. After object_facts_content. */
const struct message_parts *object_facts_message(struct object_facts *f);

/* ---- one listing ---- */

struct ref_value {
	char *text; /* owned; NULL: not known yet */
	size_t len;
	uint64_t number;
};

struct sort_key {
	size_t atom;
	bool reverse, version;
};

struct format_piece {
	size_t atom; /* FORMAT_LITERAL: text */
	size_t text, len; /* within literals */
};
#define FORMAT_LITERAL SIZE_MAX

struct format_frame { /* an opening atom that waits for its %(end) */
	struct strbuf out;
	const struct ref_atom *opener; /* NULL: the bottom */
	bool then_seen, else_seen, condition;
	size_t then_len;
};

struct ref_listing_state {
	struct ref_atom **atoms;
	size_t nr_atoms, alloc_atoms;
	struct sort_key *keys;
	size_t nr_keys, alloc_keys;
	struct format_piece *pieces;
	size_t nr_pieces, alloc_pieces;
	struct strbuf literals;
	bool reset_color; /* at the end of each line */
	struct format_frame *frames;
	size_t nr_frames, alloc_frames;
	struct strbuf value; /* scratch */
	struct object_facts object, target;
	/* read when they are asked for first */
	struct commit_pool *pool;
	struct mailmap *mailmap;
	struct worktree *worktrees;
	struct strmap worktree_of; /* branch to struct worktree */
	bool worktrees_read;
	char *head; /* the ref that HEAD is */
	bool head_read;
	struct ref_shortener *shortener;
	struct strvec version_suffixes;
	bool version_suffixes_read;
};

MUST_USE int ref_listing_pool(struct ref_listing *l, struct commit_pool **out, struct err *err);

/* ---- values (ref-value.c, ref-remote.c, ref-contents.c) ---- */

/*
 * Append what the atom says of the item to out; *number is set if it is numeric. Things that
 * do not apply give nothing.
 */
MUST_USE int ref_atom_value(struct ref_listing *l, const struct ref_item *item,
			    const struct ref_atom *a, struct strbuf *out, uint64_t *number,
			    struct err *err);
/* A ref's name as :short, :lstrip=N, :rstrip=N say. */
void ref_name_format(struct ref_listing *l, const struct ref_atom *a, const char *name,
		     struct strbuf *out);
MUST_USE int ref_remote_value(struct ref_listing *l, const struct ref_item *item,
			      const struct ref_atom *a, struct strbuf *out, struct err *err);
/* Atoms of commits and tags; facts have the content. */
MUST_USE int ref_content_value(struct ref_listing *l, struct object_facts *f,
			       const struct ref_atom *a, struct strbuf *out, uint64_t *number,
			       struct err *err);

/* ---- sorting (ref-sort.c) ---- */

/* Is it the order in which refs are read? */
bool ref_sort_is_natural(const struct ref_listing *l);
MUST_USE int ref_listing_sort(struct ref_listing *l, size_t max, struct err *err);

void ref_item_free(struct ref_item *item);

/* ---- ancestry (ref-reach.c) ---- */

/* Do these filters ask for the history? Then only what is a commit is listed. */
bool ref_filter_needs_history(const struct ref_filter *f);
/* Take out of l->items[from …) what --contains, --merged and so on do not want. */
MUST_USE int ref_filter_by_history(struct ref_listing *l, size_t from,
				   const struct ref_filter *f, struct err *err);

#endif

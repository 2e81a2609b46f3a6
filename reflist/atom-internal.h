/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Atoms: the text between "%(" and ")" in a format, and sort keys. An atom is parsed once;
 * from then on a listing refers to it by its index.
 */
#ifndef REFLIST_ATOM_INTERNAL_H
#define REFLIST_ATOM_INTERNAL_H

#include "compat/posix.h"
#include "hash/hash.h"
#include "pretty/pretty.h"
#include "reflist/reflist.h"
#include "util/date.h"

enum atom_id {
	/* of the ref */
	ATOM_REFNAME, ATOM_SYMREF, ATOM_FLAG, ATOM_HEAD, ATOM_WORKTREEPATH, ATOM_UPSTREAM,
	ATOM_PUSH, ATOM_AHEAD_BEHIND,
	/* of the object's name and header */
	ATOM_OBJECTNAME, ATOM_OBJECTTYPE, ATOM_OBJECTSIZE, ATOM_DELTABASE,
	/* of its content */
	ATOM_TREE, ATOM_PARENT, ATOM_NUMPARENT, ATOM_OBJECT, ATOM_TYPE, ATOM_TAG,
	ATOM_PERSON, ATOM_SUBJECT, ATOM_BODY, ATOM_CONTENTS, ATOM_TRAILERS, ATOM_SIGNATURE,
	ATOM_DESCRIBE, ATOM_RAW,
	/* of the format */
	ATOM_COLOR, ATOM_ALIGN, ATOM_IF, ATOM_THEN, ATOM_ELSE, ATOM_END
};

enum person_kind { PERSON_AUTHOR, PERSON_COMMITTER, PERSON_TAGGER, PERSON_CREATOR };
enum person_part { PART_ALL, PART_NAME, PART_EMAIL, PART_DATE };
/* of the address */
#define EMAIL_TRIM 1u
#define EMAIL_LOCALPART 2u
#define EMAIL_MAILMAP 4u

enum name_form { NAME_FULL, NAME_SHORT, NAME_LSTRIP, NAME_RSTRIP };
enum remote_form { REMOTE_REF, REMOTE_TRACK, REMOTE_TRACKSHORT, REMOTE_NAME, REMOTE_THEIR_REF };
enum contents_part {
	CONTENTS_ALL, CONTENTS_SUBJECT, CONTENTS_BODY, CONTENTS_SIGNATURE, CONTENTS_LINES,
	CONTENTS_SIZE
};
enum signature_part {
	SIGNATURE_OUTPUT, SIGNATURE_GRADE, SIGNATURE_SIGNER, SIGNATURE_KEY, SIGNATURE_FINGERPRINT,
	SIGNATURE_PRIMARY, SIGNATURE_TRUST
};
enum align_position { POSITION_LEFT, POSITION_MIDDLE, POSITION_RIGHT };
enum if_form { IF_ANY, IF_EQUALS, IF_NOTEQUALS };

struct ref_atom {
	char *text;   /* as written; two atoms with the same text are the same */
	enum atom_id id;
	bool deref;   /* '*': of the object that a tag names */
	bool numeric; /* sorts by number */
	/* which of the following are used depends on id */
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
	struct commit_description *description;
};

/* *out: the index of the atom text[0..len) in the listing, which has each text once. */
MUST_USE int ref_atom_parse(struct reflist *l, const char *text, size_t len, size_t *out,
			    struct err *err);
void ref_atom_free(struct ref_atom *a);
/* Must the object be read for it? */
bool ref_atom_needs_object(const struct ref_atom *a);

#endif

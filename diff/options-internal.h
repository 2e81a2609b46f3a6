/* SPDX-License-Identifier: GPL-2.0-only */
/* Tables of options, shared by the files that have a group of them. */
#ifndef DIFF_OPTIONS_INTERNAL_H
#define DIFF_OPTIONS_INTERNAL_H

#include "compat/posix.h"
#include "diff/diff.h"

enum option_kind {
	SET_FORMAT,  /* |= value */
	SET_IGNORE,  /* |= value */
	SET_TRUE, SET_FALSE, /* bool */
	SET_NUMBER,  /* int, needs a value; |= value */
	SET_STRING,  /* const char *, needs a value */
	CALL,	     /* a struct option_call */
	SPECIAL,
};

#define FIELD(name) offsetof(struct diff_options, name)

/* Values: after "=" or, if NEEDED, in the next word. */
#define OPTIONAL 1u
#define NEEDED 2u

struct option_row {
	char letter; /* its value, if any, follows directly or is the next word */
	const char *name;
	enum option_kind kind;
	size_t field;
	unsigned value; /* bits, or enum special */
	unsigned value_mode;
};

/* An option that a function sets. */
struct option_call {
	struct option_row row;
	/* value: NULL if none was given */
	int (*set)(struct diff_options *o, const struct option_row *r, const char *value,
		   struct err *err);
};

#define CALL_ROW(letter, name, mode, set) { { letter, name, CALL, 0, 0, mode }, set }
#define BOOL_ROW(name, kind, field) { { 0, name, kind, FIELD(field), 0, 0 }, NULL }
#define END_ROW { { 0, NULL, CALL, 0, 0, 0 }, NULL }

/* Each ends in END_ROW. options-text.c: how texts are compared. */
extern const struct option_call diff_text_rows[];
/* options-output.c: which files and lines are shown, and how. */
extern const struct option_call diff_output_rows[];

/* "option `stat' WHY" or "switch `U' WHY". */
int diff_bad_value(const struct option_row *r, struct err *err, const char *why);
/* Formats that exclude each other. */
#define NAME_FORMATS (DIFF_FORMAT_NAME_ONLY | DIFF_FORMAT_NAME_STATUS | DIFF_FORMAT_CHECK)

/* -s cancels earlier formats, and a format an earlier -s; but for names, which refuse it. */
static inline void diff_add_format(struct diff_options *o, unsigned format)
{
	if (!(format & NAME_FORMATS))
		o->formats &= ~DIFF_FORMAT_NONE;
	o->formats |= format;
}

/* ---- configuration and defaults of the groups ---- */
MUST_USE int diff_text_config(struct diff_options *o, const struct config_set *c,
			      struct err *err);
MUST_USE int diff_output_config(struct diff_options *o, const struct config_set *c,
				struct err *err);
MUST_USE int diff_output_config_plumbing(struct diff_options *o, const struct config_set *c,
					 struct err *err);

#endif

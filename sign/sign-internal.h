/* SPDX-License-Identifier: GPL-2.0-only */
/* The interface of signing programs, and what they share. */
#ifndef SIGN_SIGN_INTERNAL_H
#define SIGN_SIGN_INTERNAL_H

#include "compat/posix.h"
#include "fs/tempfile.h"
#include "sign/sign.h"
#include "util/date.h"

/* Limit of the output on each stream: a program that prints more has failed. */
#define SIGN_OUTPUT_MAX ((size_t)16 << 20)

struct sign_format;

/* The configuration; strings belong to it. */
struct sign_settings {
	const struct sign_format *format; /* gpg.format */
	const char *programs[3];	  /* by sign_format.index; NULL: its default */
	const char *signing_key;	  /* user.signingKey; NULL: none */
	int min_trust;			  /* SIGNATURE_TRUST_UNKNOWN: any */
};

struct sign_request {
	struct repository *r;
	const struct sign_format *format;
	const char *program;
	const char *payload;
	size_t len;
	timestamp_t date; /* of the commit or tag; 0: not known. For checks */
};

struct sign_format {
	const char *name; /* of gpg.format */
	size_t index;
	const char *default_program;
	const char *const *begins;	/* how its signatures begin; NULL-terminated */
	const char *const *check_args;	/* options for checks, NULL-terminated */
	/* The key where none is given; caller frees. "": unknown, then `sign` fails. */
	int (*default_key)(struct repository *r, char **key, struct err *err);
	/* Append to *signature; outputs and errors as signature_make. */
	int (*sign)(const struct sign_request *q, const char *key, struct strbuf *signature,
		    struct err *err);
	/*
	 * Run the program and fill result, trust, names, output and status of c. False: it
	 * failed, or the signature is not valid. Failures are reported by sign_report_error.
	 */
	bool (*check)(const struct sign_request *q, const char *signature, size_t len,
		      struct signature_check *c);
};

extern const struct sign_format sign_format_openpgp, sign_format_x509, sign_format_ssh;

/* A private file with that content, closed. */
MUST_USE int sign_write_temp(struct tempfile **out, const char *prefix, const char *text,
			     size_t len, struct err *err);
/* Write and close; on failure it is deleted. */
MUST_USE int sign_fill_temp(struct tempfile **t, const char *text, size_t len, struct err *err);
/* $TMPDIR or /tmp */
const char *sign_temp_dir(void);
/* Remove CR at line ends behind `from`: some programs write CRLF. */
void sign_remove_cr(struct strbuf *text, size_t from);
/* Pass the message to the repository's report_error and release err. */
void sign_report_error(struct repository *r, struct err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * git format-patch: commits as mails.
 *
 *	format_patch_config(), then options, revisions	options.c
 *	series_collect()				series.c
 *	base_find()					base.c
 *	cover_write()					cover.c
 *	mail_begin(), log_show_commit(), mail_end()	mail.c, for each commit
 */
#ifndef BUILTIN_FORMAT_PATCH_FORMAT_PATCH_H
#define BUILTIN_FORMAT_PATCH_FORMAT_PATCH_H

#include "compat/posix.h"
#include "build-info.h"
#include "builtin/log/log.h"
#include "util/progress.h"
#include "wire/version.h"

/* Below mails, and as boundary of parts. */
#define VERSION_TEXT GIT_COMPATIBLE_VERSION ".sluice." SLUICE_VERSION

enum thread_style { THREAD_NONE, THREAD_SHALLOW, THREAD_DEEP };
/* Where the description of a branch goes in a cover letter. */
enum cover_from { COVER_FROM_NONE, COVER_FROM_MESSAGE, COVER_FROM_SUBJECT, COVER_FROM_AUTO };
enum auto_base { AUTO_BASE_NEVER, AUTO_BASE_ALWAYS, AUTO_BASE_WHEN_ABLE };

#define MODE_UNSET (-1)
#define MODE_AUTO 2 /* for what may be 0 or 1 */

struct format_patch {
	struct repository *repo;
	const char *prefix; /* NULL: the top */
	struct log_options log;
	struct email_style style;

	/* ---- options ---- */
	int numbered;		 /* 0, 1, MODE_AUTO */
	int numbers_given;	 /* numbered, by an option */
	int start_number, numbered_files, keep_subject, use_stdout, quiet, zero_commit, always, ignore_upstream;
	int patch_only, binary, sign_off, progress, force_in_body_from, encode_headers, name_max;
	int cover, cover_config; /* 0, 1, MODE_AUTO; cover: MODE_UNSET */
	enum cover_from cover_from;
	enum thread_style thread;
	const char *cover_from_name, *description_file, *list_format, *reroll, *in_reply_to, *suffix;
	const char *output; /* --output; NULL: none */
	const char *output_dir, *configured_dir, *signature_file, *signature_config, *interdiff, *range_diff, *rfc;
	int creation_factor; /* < 0: not given */
	const char *subject_prefix;
	bool subject_prefix_given;
	char *marked_prefix;	 /* owned; the same with --rfc and -v */
	char *signature;	 /* owned; NULL or "": none */
	bool signature_given;	 /* by --signature */
	const char *base;	 /* --base; NULL: none */
	bool base_given;
	enum auto_base auto_base;
	const char *boundary;	 /* of parts; NULL: one part */
	bool mboxrd;		 /* format.mboxrd; for --stdout */
	bool attached;		 /* by --attach, not --inline */
	char *from;		 /* owned; an ident line */
	struct strvec to, cc, headers;

	/* ---- the series ---- */
	struct commit_list commits; /* youngest first */
	struct commit *origin;	 /* the one boundary; NULL: there is none, or several */
	char *branch;		 /* owned; NULL: not known */
	bool branch_known;
	int total, nr;		 /* of the mail; total 0: not numbered */
	int mails;		 /* all of them */
	bool has_cover;
	struct object_id base_oid;
	bool has_base;
	enum diff_detect base_detect; /* diff.renames, whatever options say */
	struct oid_array prerequisites;
	struct object_id interdiff_oid;
	char *range1, *range2;	 /* of --range-diff; owned; NULL: not wanted */

	/* ---- texts ---- */
	char *outdir;		 /* owned; NULL: standard output */
	size_t outdir_offset;	 /* of the part of names that is shown */
	int saved_stdout;
	struct strbuf prefix_text, header_text, mail_text, multipart, separator, commentary, sign_off_line, name;
	char *message_id;	 /* owned; of the last mail */
	struct strvec references;
};

/* ---- options.c ---- */
MUST_USE int format_patch_config(struct format_patch *f, struct err *err);
/* argv is "format-patch -h": print the usage and exit. */
void format_patch_help(struct format_patch *f, int argc, const char **argv);
/* argv[1..): options, revisions, paths. Exits for a wrong command line. */
MUST_USE int format_patch_options(struct format_patch *f, int argc, const char **argv, struct err *err);

/* A file that the user names, relative to the place where the command was started. Caller frees. */
char *user_path(const struct format_patch *f, const char *name);

/* ---- series.c ---- */
MUST_USE int series_collect(struct format_patch *f, struct err *err);
/* The branch that the series belongs to; NULL: not known. */
const char *series_branch(struct format_patch *f);

/* ---- base.c ---- */
MUST_USE int base_find(struct format_patch *f, struct err *err);
/* Append the block, once. */
void base_add(struct format_patch *f, struct strbuf *out);

/* ---- mail.c ---- */
/* The headers that all mails have. */
MUST_USE int mail_prepare(struct format_patch *f, struct err *err);
void mail_add_message_id(struct format_patch *f, const char *name);
/* Open the file of mail number f->nr. c NULL: it is named by `title`. */
MUST_USE int mail_open(struct format_patch *f, struct commit *c, const char *title, struct err *err);
/* Everything below the patch. */
void mail_add_end(struct format_patch *f, struct strbuf *out);
MUST_USE int mail_close(struct format_patch *f, struct err *err);
MUST_USE int mail_commit(struct format_patch *f, struct commit *c, struct err *err);
/* Lines of f->mail_text, which stand below "From …". */
void mail_add_ids(struct format_patch *f);
void mail_set_subject_prefix(struct format_patch *f);

/* ---- cover.c ---- */
MUST_USE int cover_write(struct format_patch *f, struct err *err);
/* Append the differences to --interdiff, each line behind `indent`. */
MUST_USE int cover_add_interdiff(struct format_patch *f, const char *indent, struct strbuf *out, struct err *err);
/* Append the comparison with --range-diff. */
MUST_USE int cover_add_range_diff(struct format_patch *f, struct strbuf *out, struct err *err);

#endif

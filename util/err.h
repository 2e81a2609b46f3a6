/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Errors as values. A function that can fail returns 0 or a negative enum
 * err_code and takes a `struct err *` for the message. Only builtin/ and
 * git.c print messages or exit.
 *
 *   struct err err = ERR_INIT;
 *   if (odb_read(odb, &oid, &buf, &err) < 0)
 *           goto out;            (the first failure's message stays)
 *
 * Messages are lower case, quote their subject ('path'), end without a full
 * stop. The err argument may be NULL everywhere: the message is then dropped.
 *
 * Outputs of a function are untouched when it fails.
 */
#ifndef UTIL_ERR_H
#define UTIL_ERR_H

#include "compat/posix.h"

enum err_code {
	ERR_OK = 0,
	ERR_GENERIC = -1,    /* none of the kinds below */
	ERR_IO = -2,	     /* a system call failed: see err->sys_errno */
	ERR_NOT_FOUND = -3,  /* the requested file, object or ref does not exist */
	ERR_EXISTS = -4,     /* a file, object or ref exists and must not */
	ERR_CORRUPT = -5,    /* malformed or hash mismatch on disk or wire */
	ERR_INVALID = -6,    /* bad argument, bad name, bad syntax */
	ERR_LOCKED = -7,     /* another process holds a lock */
	ERR_CONFLICT = -8,   /* old value differs; name conflict */
	ERR_AMBIGUOUS = -9,  /* an abbreviation matches several */
	ERR_TOO_BIG = -10,   /* beyond a cap */
	ERR_UNSUPPORTED = -11, /* unknown format, version, extension */
	ERR_UNCERTAIN = -12, /* published, durability unknown */
	ERR_ABORTED = -13,   /* a hook, filter, editor or the user refused */
	ERR_NO_IDENT = -14,  /* no name and mail address are configured */
};

struct err {
	int code;	 /* enum err_code of the first failure, 0 if none */
	int sys_errno;	 /* errno of the failed call, 0 if none */
	char *msg;	 /* owned; NULL if none */
	char *preface;	 /* lines to print before the message; owned, usually NULL */
};

#define ERR_INIT { 0, 0, NULL, NULL }

void err_init(struct err *err);
void err_release(struct err *err); /* idempotent; leaves it as ERR_INIT */

/*
 * Record a failure and return `code`, so that callers can write
 * `return err_set(err, ERR_CORRUPT, "bad tree '%s'", hex);`. If err already
 * holds a failure, that first one stays and only `code` is returned.
 */
int err_set(struct err *err, enum err_code code, const char *fmt, ...)
	PRINTF_LIKE(3, 4);
int err_vset(struct err *err, enum err_code code, const char *fmt, va_list ap);

/* Same with ERR_IO; appends ": " and strerror(errno), keeps errno in err. */
int err_set_errno(struct err *err, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Replace the message of the error that is set; its code and preface stay. */
void err_reword(struct err *err, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Text to print before the message; a first preface stays. */
void err_set_preface(struct err *err, const char *text);

/* Put "PREFIX: " before the message, if there is one. */
void err_prefix(struct err *err, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* The message, never NULL ("unknown error" if there is none). */
const char *err_message(const struct err *err);

/* Move src's failure into dst, unless dst has one. src is empty afterwards. */
void err_move(struct err *dst, struct err *src);

/* Format a warning and pass it to the callback fn; nothing happens if fn is NULL. */
void vreport(void (*fn)(void *data, const char *msg), void *data, const char *fmt, va_list ap);

/* For broken invariants: prints the place in the source and aborts. */
NORETURN void bug_at(const char *file, int line, const char *fmt, ...)
	PRINTF_LIKE(3, 4);
#define BUG(...) bug_at(__FILE__, __LINE__, __VA_ARGS__)

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Signatures of commits, tags and other texts, made and checked by programs: gpg
 * (openpgp), gpgsm (x509) and ssh-keygen (ssh). gpg.* and user.signingKey of
 * git-config(1); gitformat-signature(5).
 *
 *   struct signature_check c = SIGNATURE_CHECK_INIT;
 *   if (!signature_check_commit(&c, repo, data, size, err) && c.good) ...
 *   signature_check_release(&c);
 *
 * A failure that concerns one signature only (a missing program, no
 * gpg.ssh.allowedSignersFile) goes to the repository's report_error and makes the check
 * "not good"; bad settings, which concern all of them, are an error.
 *
 * Cost: one or more child processes for each. Temporary files are in $TMPDIR, or /tmp, for
 * their user alone, and removed on every path, also by a signal that ends us. None of them
 * is flushed.
 */
#ifndef SIGN_SIGN_H
#define SIGN_SIGN_H

#include "compat/posix.h"
#include "repo/repo.h"
#include "util/err.h"
#include "util/strbuf.h"

/*
 * Append the detached, armoured signature of the payload. key: as the user gave it; "" stands for
 * user.signingKey, else the committer (gpg, gpgsm) or the output of
 * gpg.ssh.defaultKeyCommand.
 * Errors: ERR_GENERIC  the program did not sign; the message is the program's, or Git's
 *         ERR_INVALID  bad settings, or none where one is needed
 *         ERR_NO_IDENT as repo_ident
 *         ERR_IO       temporary files
 */
MUST_USE int signature_make(struct repository *r, const char *payload, size_t len,
			    const char *key, struct strbuf *signature, struct err *err);

/* ---- checking ---- */

enum signature_trust {
	SIGNATURE_TRUST_UNKNOWN = -1, /* not reported by the program */
	SIGNATURE_TRUST_UNDEFINED, SIGNATURE_TRUST_NEVER, SIGNATURE_TRUST_MARGINAL,
	SIGNATURE_TRUST_FULLY, SIGNATURE_TRUST_ULTIMATE
};

struct signature_check {
	bool is_signed;
	bool good;    /* valid, and as trusted as gpg.minTrustLevel asks */
	char result;  /* 'N' none, 'G', 'B', 'E', 'X', 'Y', 'R': see %G? of git-log(1) */
	enum signature_trust trust;
	/* NULL if the program did not report it. */
	char *signer, *key, *fingerprint, *primary_fingerprint;
	char *output; /* of the program, for people; NULL: it did not run */
	char *status; /* of the program, for other programs (--raw) */
	struct strbuf payload; /* the signed text */
};
#define SIGNATURE_CHECK_INIT { false, false, 'N', SIGNATURE_TRUST_UNDEFINED, NULL, NULL, \
	NULL, NULL, NULL, NULL, STRBUF_INIT }
void signature_check_release(struct signature_check *c);

/*
 * 0: see the fields. An object without a signature is not signed and not good.
 * ERR_INVALID: bad settings, or "bad/incompatible signature '…'" where it is of no known
 * format.
 */
MUST_USE int signature_check_commit(struct signature_check *c, struct repository *r,
				    const char *object, size_t len, struct err *err);
MUST_USE int signature_check_tag(struct signature_check *c, struct repository *r,
				 const char *object, size_t len, struct err *err);

/* The same for a push certificate, text that is followed by its signature: gitprotocol-pack(5). NUL-terminated. */
MUST_USE int signature_check_push(struct signature_check *c, struct repository *r, const char *cert, size_t len,
				  struct err *err);
/* Where the signature begins, at the beginning of a line; len: there is none. The text is NUL-terminated. */
size_t signature_find(const char *text, size_t len);
/* "openpgp", "x509", "ssh": how the signature begins; NULL: in no known way. */
const char *signature_format(const char *signature);

/* result, but 'U' for a good signature whose key is not trusted. */
char signature_grade(const struct signature_check *c);
/* "undefined", "never", "marginal", "fully", "ultimate" */
const char *signature_trust_name(const struct signature_check *c);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* Signatures by gpg (gpg.program, gpg.format openpgp or x509). */
#ifndef BUILTIN_GPG_H
#define BUILTIN_GPG_H

#include "builtin/builtin.h"
#include "util/strbuf.h"

/*
 * Detached, armoured signature of the payload. key "": user.signingKey, or the
 * committer. ERR_ABORTED: the program failed ("gpg failed to sign the data").
 */
MUST_USE int gpg_sign(struct repository *r, const char *payload, size_t len, const char *key,
		      struct strbuf *signature, struct err *err);

/* ---- verifying ---- */

#define GPG_VERIFY_VERBOSE 1u	  /* the payload goes to standard output */
#define GPG_VERIFY_RAW 2u	  /* the status lines are shown, not the words for people */
#define GPG_VERIFY_OMIT_STATUS 4u /* neither is shown */
/*
 * Check a detached signature; what the program says goes to standard error. 0: it is good
 * and as trusted as gpg.minTrustLevel asks. ERR_ABORTED without a message: it is not.
 * ERR_UNSUPPORTED: a format that we have no program for; others: it could not run.
 */
MUST_USE int gpg_verify(struct repository *r, const char *payload, size_t len,
			const char *signature, size_t signature_len, unsigned flags,
			struct err *err);
/* The signature at the end of a tag object. ERR_NOT_FOUND "no signature found". */
MUST_USE int gpg_verify_tag(struct repository *r, const char *object, size_t len,
			    unsigned flags, struct err *err);

#endif

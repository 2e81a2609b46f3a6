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

#endif

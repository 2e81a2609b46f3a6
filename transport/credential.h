/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * User names and passwords for other hosts: gitcredentials(7), git-credential(1). Asked of helpers, then of the
 * user (askpass or the terminal).
 *
 *	credential_from_url(&c, url, err)
 *	credential_fill(&c, config, err)      … use it …
 *	credential_approve(&c) or credential_reject(&c)
 *	credential_release(&c)                secrets are overwritten
 *
 * Values that hold a line feed, a NUL or (unless credential.protectProtocol is off) a carriage return are
 * refused before a helper sees them; prompts show control characters quoted (credential.sanitizePrompt).
 */
#ifndef TRANSPORT_CREDENTIAL_H
#define TRANSPORT_CREDENTIAL_H

#include "compat/posix.h"
#include "config/config.h"
#include "util/date.h"
#include "util/err.h"
#include "util/strbuf.h"
#include "util/strvec.h"

struct credential {
	char *protocol, *host, *path, *username, *password; /* NULL: not known */
	/* of helpers that can more than passwords: capability authtype, state */
	char *authtype, *credential, *oauth_refresh_token;
	timestamp_t password_expiry; /* TIME_MAX: never */
	struct strvec wwwauth, state;
	bool capa_authtype, capa_state; /* both sides know them */
	bool multistage, ephemeral, quit;
	/* ---- internal ---- */
	struct strvec helpers;
	bool configured, approved, use_http_path, username_from_helper;
};
void credential_init(struct credential *c);
void credential_release(struct credential *c);
MUST_USE int credential_from_url(struct credential *c, const char *url, struct err *err);
/* The lines that helpers speak: key=value until an empty line or the end. ERR_INVALID. */
MUST_USE int credential_read(struct credential *c, int fd, struct err *err);
MUST_USE int credential_write(const struct credential *c, struct strbuf *out, struct err *err);
/* ERR_ABORTED: a helper says "quit", or nobody can be asked (GIT_TERMINAL_PROMPT=0). */
MUST_USE int credential_fill(struct credential *c, const struct config_set *config, struct err *err);
void credential_approve(struct credential *c, const struct config_set *config);
void credential_reject(struct credential *c, const struct config_set *config);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * User names and passwords for other hosts: gitcredentials(7), git-credential(1). Asked of helpers, then of the
 * user (transport/ask.h).
 *
 *	credential_init(&c)
 *	credential_from_url(&c, url, err)
 *	c.capa_authtype.caller = c.capa_state.caller = true    if authtype, credential and state are understood
 *	credential_fill(&c, config, err)      … use it …
 *	credential_approve(&c, config) or credential_reject(&c, config)
 *	credential_release(&c)                secrets are overwritten
 *
 * After a credential_reject, credential_fill asks anew. With c.multistage the same is filled again, after what the
 * server has answered: the helper gets its state back.
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

/* What only those get who know it. */
struct credential_capability {
	bool caller; /* whoever asks for the credential does; told to helpers */
	bool helper; /* the helper that has answered does */
};

struct credential {
	char *protocol, *host, *path, *username, *password; /* NULL: not known; set by secret_set */
	/* capability authtype: what goes into the header Authorization, in place of the password */
	char *authtype, *credential, *oauth_refresh_token;
	timestamp_t password_expiry; /* TIME_MAX: never */
	struct strvec wwwauth;	     /* the server's WWW-Authenticate, for helpers */
	struct strvec state;	     /* capability state: what the helpers want back */
	struct credential_capability capa_authtype, capa_state;
	bool multistage; /* "continue": the server's answer to this is not the last word */
	bool ephemeral;	 /* not to be kept */
	bool quit;	 /* a helper wants nobody else asked */
	bool allow_cr;	 /* credential.protectProtocol=false: values may hold a carriage return */
	/* May be NULL: of helpers that answer nonsense. */
	void (*warn)(void *data, const char *msg);
	void *warn_data;
	/* ---- internal ---- */
	struct strvec helpers;
	char *default_username;
	bool configured, approved, use_http_path, raw_prompt, no_questions;
};
void credential_init(struct credential *c);
void credential_release(struct credential *c);

/*
 * Forget all that was known, and take protocol, host, path, user and password of the URL, with %XX decoded.
 * ERR_INVALID: it has no scheme, or a line feed ("url contains a newline in its path component: ..."); c is empty then.
 */
MUST_USE int credential_from_url(struct credential *c, const char *url, struct err *err);
/* "https://me@example.com/path" without a password, for messages; what is missing is left out. Appended. */
void credential_describe(const struct credential *c, struct strbuf *out);
/*
 * For those who keep credentials: is `kept` what `wanted` asks for? Of protocol, host, path and user what is not said
 * fits anything; the password too if with_secret.
 */
bool credential_matches(const struct credential *wanted, const struct credential *kept, bool with_secret);

/*
 * The lines that helpers speak: key=value until an empty line or the end. Keys that are not known are skipped; a
 * later value replaces an earlier one, but NAME[] is a list, which an empty value clears. ERR_INVALID: a line without
 * '=', a NUL, a bad "url" or boolean; c then holds a part.
 */
MUST_USE int credential_parse(struct credential *c, const char *text, size_t len, struct err *err);
MUST_USE int credential_read(struct credential *c, int fd, struct err *err);

enum credential_audience {
	CREDENTIAL_FOR_HELPER, /* what we ask, or report */
	CREDENTIAL_FOR_CALLER, /* the answer of git credential fill */
};
/* Append the lines; `out` is a secret_buf. ERR_INVALID: a value that nobody may get. */
MUST_USE int credential_write(const struct credential *c, enum credential_audience whom, struct strbuf *out,
			      struct err *err);

/*
 * Until there is a username and a password (or, if the caller knows that, an authtype and a credential): the
 * configuration, each helper in order, the user. ERR_ABORTED: a helper says "quit", or nobody can be asked
 * ("could not read Username for 'https://example.com': terminal prompts disabled"). ERR_INVALID: a value that no
 * helper may see, a bad setting, a host or protocol that is missing.
 */
MUST_USE int credential_fill(struct credential *c, const struct config_set *config, struct err *err);
/*
 * Tell the helpers that it was good (once; nothing is told of what has expired or has no password) or bad: they
 * keep or drop it. credential_reject also forgets username, password and credential here. A helper that fails is
 * no error; ERR_INVALID as above.
 */
MUST_USE int credential_approve(struct credential *c, const struct config_set *config, struct err *err);
MUST_USE int credential_reject(struct credential *c, const struct config_set *config, struct err *err);

#endif

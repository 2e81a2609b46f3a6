/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * User names and passwords for other hosts: gitcredentials(7), git-credential(1). They come from credential helpers,
 * then from the user (credential/ask.h).
 *
 *	credential_init(&c)
 *	credential_from_url(&c, url, err)
 *	c.capa_authtype.caller = c.capa_state.caller = true    if authtype, credential and state are understood
 *	credential_fill(&c, config, err)      … use it …
 *	credential_approve(&c, config) or credential_reject(&c, config)
 *	credential_release(&c)                secrets are overwritten
 *
 * After a credential_reject, credential_fill asks again. If c.multistage is set, fill the same credential again after
 * the server has answered: the helper gets its state back.
 *
 * Values that hold a line feed, a NUL or (unless credential.protectProtocol is off) a carriage return are
 * refused before a helper sees them; prompts show control characters quoted (credential.sanitizePrompt).
 */
#ifndef CREDENTIAL_CREDENTIAL_H
#define CREDENTIAL_CREDENTIAL_H

#include "compat/posix.h"
#include "config/config.h"
#include "util/date.h"
#include "util/err.h"
#include "util/strbuf.h"
#include "util/strvec.h"

/* A capability: its attributes go only to programs that have announced it. */
struct credential_capability {
	bool caller; /* the program that asks for the credential supports it; helpers get the capability */
	bool helper; /* the helper that has answered supports it */
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
	bool quit;	 /* a helper wants no other helper and not the user to be asked */
	bool allow_cr;	 /* credential.protectProtocol=false: values may hold a carriage return */
	/* Called if a helper gives a malformed answer; may be NULL. */
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
 * Clear c, and set protocol, host, path, user and password from the URL, with %XX decoded.
 * ERR_INVALID: it has no scheme, or a line feed ("url contains a newline in its path component: ..."); c is empty then.
 */
MUST_USE int credential_from_url(struct credential *c, const char *url, struct err *err);
/* Append "https://me@example.com/path", without a password and without missing parts, for messages. */
void credential_describe(const struct credential *c, struct strbuf *out);
/*
 * For programs that store credentials: does the stored credential `kept` match `wanted`? Compares protocol, host, path
 * and user, and if with_secret the password; a field that `wanted` does not have matches every value.
 */
bool credential_matches(const struct credential *wanted, const struct credential *kept, bool with_secret);

/*
 * Parse the lines of the helper protocol: key=value, until an empty line or the end. Unknown keys are skipped. A
 * later value replaces an earlier one, but NAME[] is a list, which an empty value clears. ERR_INVALID: a line without
 * '=', a NUL, a bad "url" or boolean; c then holds a part of the values.
 */
MUST_USE int credential_parse(struct credential *c, const char *text, size_t len, struct err *err);
MUST_USE int credential_read(struct credential *c, int fd, struct err *err);

enum credential_audience {
	CREDENTIAL_FOR_HELPER, /* a question */
	CREDENTIAL_FOR_REPORT, /* "store" or "erase": with the capabilities of the helper that answered */
	CREDENTIAL_FOR_CALLER, /* the answer of git credential fill */
};
/* Append the lines to `out`, a secret_buf. ERR_INVALID: a value holds a character that no program may get. */
MUST_USE int credential_write(const struct credential *c, enum credential_audience whom, struct strbuf *out,
			      struct err *err);

/*
 * Ask the configuration, each helper in order, and the user, until there is a username and a password (or, if the
 * caller supports it, an authtype and a credential). ERR_ABORTED: a helper answers "quit", or the user cannot be asked
 * ("could not read Username for 'https://example.com': terminal prompts disabled"). ERR_INVALID: a value that no
 * helper may see, a bad setting, or no host or protocol.
 */
MUST_USE int credential_fill(struct credential *c, const struct config_set *config, struct err *err);
/*
 * Tell the helpers to store or to erase the credential. credential_approve does so once, and not for a credential that
 * has expired or has no password. credential_reject also clears username, password and credential in c. A helper that
 * fails is no error; ERR_INVALID as above.
 */
MUST_USE int credential_approve(struct credential *c, const struct config_set *config, struct err *err);
MUST_USE int credential_reject(struct credential *c, const struct config_set *config, struct err *err);

#endif

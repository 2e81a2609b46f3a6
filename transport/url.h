/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parses the place of a repository as users write it: git-fetch(1), "GIT URLS". It is a URL, the short form of
 * ssh ("user@host:path"), a path of this machine, or an address for a remote helper (gitremote-helpers(7),
 * "helper::address").
 */
#ifndef TRANSPORT_URL_H
#define TRANSPORT_URL_H

#include "compat/posix.h"
#include "config/config.h"
#include "util/err.h"
#include "util/strbuf.h"

enum url_kind {
	URL_LOCAL,  /* a path, or file:// */
	URL_SSH,    /* ssh://, git+ssh://, ssh+git://, host:path */
	URL_GIT,    /* git:// */
	URL_HELPER, /* any other scheme, also http and https: git-remote-<scheme> handles it */
};

struct remote_url {
	enum url_kind kind;
	char *scheme;	 /* as protocol.<name>.allow has it: "file", "ssh", "git", "http", "ext" */
	char *user_host; /* URL_SSH: "me@host"; URL_GIT: "host"; without brackets; may be "" */
	char *host_port; /* URL_GIT, and file://: as it was written, decoded; "" */
	char *port;	 /* digits; NULL: not said */
	char *path;	 /* URL_LOCAL, _SSH, _GIT: decoded, as the other side gets it; "~" leads it where it may */
	char *address;	 /* URL_HELPER: what the helper is given */
	bool plain_path; /* URL_LOCAL without file://: what clone copies or links */
};
#define REMOTE_URL_INIT { .kind = URL_LOCAL }
void remote_url_release(struct remote_url *u);

/* ERR_INVALID: there is no path. Before a connection, call remote_url_check, too. */
MUST_USE int remote_url_parse(struct remote_url *out, const char *text, struct err *err);
/*
 * Before a connection: hosts, ports and paths that begin with '-' would be options of the program that
 * connects ("strange hostname '-x' blocked"), and line ends would end the request of git://. ERR_INVALID.
 */
MUST_USE int remote_url_check(const struct remote_url *u, struct err *err);

/* Is it a path of this machine, whether it is there or not? "host:path" is none, "./a:b" is one. */
bool url_is_local_path(const char *text);
/* Does it begin with "scheme://"? */
bool url_has_scheme(const char *text);

/* %XX decoded. Caller frees. */
char *url_decode(const char *s, size_t len);

/* A URL without user and password; for what users and logs see. Caller frees. */
char *url_for_display(const char *text);
/*
 * transfer.credentialsInUrl: ERR_INVALID if it is "die" and the URL has a password, or no known value. *warning is set if it is
 * "warn" and it has one; caller frees.
 */
MUST_USE int url_check_credentials(const struct config_set *c, const char *text, char **warning,
				   struct err *err);

/*
 * May this scheme be used? protocol.<name>.allow, protocol.allow, GIT_ALLOW_PROTOCOL,
 * GIT_PROTOCOL_FROM_USER (git(1)). from_user: 0, 1, or -1: as the environment says. ERR_ABORTED "transport 'x' not
 * allowed".
 */
MUST_USE int transport_check_allowed(const struct config_set *c, const char *scheme, int from_user,
				     struct err *err);

#endif

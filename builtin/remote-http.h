/* SPDX-License-Identifier: GPL-2.0-only */
/* The program git-remote-http, which is one of its own: only it links libcurl, so that no other command pays for that. */
#ifndef BUILTIN_REMOTE_HTTP_H
#define BUILTIN_REMOTE_HTTP_H

#include "compat/posix.h"
#include "repo/repo.h"
#include "transport/http.h"
#include "util/strvec.h"

/* argv: the name of the remote or its URL, and its URL. Returns the exit code. */
int remote_http_main(int argc, const char **argv);

/* ---- what its files share ---- */
struct http_helper {
	struct repository *r;
	const struct config_set *config;
	const char *name; /* of the remote; NULL: only a URL */
	const char *url;
	struct http_client *client;
	int verbosity;
	bool ipv4, ipv6, any_version, progress, object_format;
	bool serving; /* the parent will miss the end of an answer, and say so */
	struct strvec fetch_options; /* of git fetch-pack */
};
/* remote-http-common.c: the client, if there is none yet, for the settings of that URL. */
MUST_USE int remote_http_open(struct http_helper *h, const char *url, struct err *err);
MUST_USE int remote_http_answer(const char *text, struct err *err);

/* remote-http-connect.c: "stateless-connect SERVICE". 0: "fallback"; 1: served to its end: it was the last command. */
MUST_USE int remote_http_connect(struct http_helper *h, const char *service, struct err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* The program git-remote-http, which is one of its own: only it links libcurl, so that no other command pays for that. */
#ifndef BUILTIN_REMOTE_HTTP_REMOTE_HTTP_H
#define BUILTIN_REMOTE_HTTP_REMOTE_HTTP_H

#include "compat/posix.h"
#include "hash/hash.h"
#include "repo/repo.h"
#include "transport/http/dav-push.h"
#include "transport/http/http-walk.h"
#include "util/strvec.h"

/* argv: the name of the remote or its URL, and its URL. Returns the exit code. */
int remote_http_main(int argc, const char **argv);
/* git-http-fetch(1), git-http-push(1): the same program under these names. */
int http_fetch_main(int argc, const char **argv);
int http_push_main(int argc, const char **argv);

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
	bool alone;   /* there is no parent */
	struct strvec fetch_options; /* of git fetch-pack */
	bool known, dumb; /* known: by the first request; dumb: the server knows only files */
	struct strbuf info_refs; /* of a dumb one */
	struct http_walk_options walk_options;
	struct http_walk *walk; /* until its operation has ended */
	struct dav_push *push;	/* after "list for-push" */
	bool dry_run;
};
#define HTTP_HELPER_INIT { .fetch_options = STRVEC_INIT, .info_refs = STRBUF_INIT }
/* remote-http-common.c: the repository, if there is one, and its configuration. The end releases all of it. */
MUST_USE int remote_http_begin(struct http_helper *h, struct err *err);
void remote_http_end(struct http_helper *h);
/* The client, if there is none yet, for the settings of that URL; another one (data: the http_helper). */
MUST_USE int remote_http_open(struct http_helper *h, const char *url, struct err *err);
MUST_USE int remote_http_open_other(void *data, const char *url, struct http_client **out, struct err *err);
/* To standard error; data: not used. */
void remote_http_say(void *data, const char *line);
MUST_USE int remote_http_answer(const char *text, struct err *err);

/* remote-http-connect.c: "stateless-connect SERVICE". 0: "fallback"; 1: served to its end: it was the last command. */
MUST_USE int remote_http_connect(struct http_helper *h, const char *service, struct err *err);

/*
 * Make a signal end the current request, which fails, instead of the process. The process gives
 * back its locks, then dies of the signal.
 */
void remote_http_catch_signals(void);
void remote_http_die_of_signal(void);

/* ---- remote-http-push.c: "list for-push"; "push SPEC" lines up to an empty one ---- */
MUST_USE int remote_http_list_for_push(struct http_helper *h, struct err *err);
MUST_USE int remote_http_push(struct http_helper *h, const char *line, struct err *err);

/* ---- remote-http-dumb.c ---- */
void remote_http_add_ref(struct strbuf *out, const struct remote_ref *ref); /* a line of the answer to "list" */

/* The first request, once: out has the advertisement, unless the server is dumb. */
MUST_USE int remote_http_discover(struct http_helper *h, const char *service, const char *protocol, struct strbuf *out,
				  struct err *err);
MUST_USE int remote_http_list_dumb(struct http_helper *h, struct err *err);
MUST_USE int remote_http_fetch_dumb(struct http_helper *h, const struct oid_array *wants, struct err *err);
/* The operation's objects are open. */
MUST_USE int remote_http_walk(struct http_helper *h, const struct oid_array *wants, bool thorough,
			      struct repo_operation *op, struct err *err);

#endif

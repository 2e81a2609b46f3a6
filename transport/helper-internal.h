/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A remote helper, git-remote-<scheme>: gitremote-helpers(7). The conversation is in lines; what they are about is
 * beside: connect-helper.c has connections and single files, helper-list.c the refs, helper-fetch.c the objects.
 */
#ifndef TRANSPORT_HELPER_INTERNAL_H
#define TRANSPORT_HELPER_INTERNAL_H

#include "transport/connect-internal.h"
#include "transport/remote-refs.h"

struct helper {
	struct connection *c;
	char *name; /* of the scheme; owned */
	bool option, connect, stateless, get, fetch, import, push, export, object_format;
	bool for_push; /* what is listed is to be pushed to */
	bool gone; /* it has ended before its answer */
};

/* Of a connection that helper_start has made; it goes with that. */
struct helper *helper_of(struct connection *c);

/* git remote-<scheme> <name> <address>; gitdir: what GIT_DIR is for it, NULL: what it is for us. */
MUST_USE int helper_start(struct connection *c, const char *scheme, const char *name, const char *address,
			  const char *gitdir, int version, struct err *err);
MUST_USE int helper_ask_capabilities(struct helper *h, struct err *err);
MUST_USE int helper_read_line(struct helper *h, struct strbuf *line, struct err *err);
/* Text with a line end. */
MUST_USE int helper_say(struct helper *h, const char *text, struct err *err);
/* "NAME VALUE". 1: done; 0: it does not know it, < 0: it does, but not so. */
int helper_set_option(struct helper *h, const char *option, struct err *err);
/* After a failure: a helper that has ended with an exit code has said why by itself. */
void helper_explain(struct helper *h, struct err *err);

/* ---- helper-list.c ---- */
struct helper_list {
	struct remote_refs refs;
	const struct hash_algo *algo; /* as the helper has said, or as it was given */
};
/* One line of the answer to "list". ERR_CORRUPT, ERR_UNSUPPORTED. */
MUST_USE int helper_list_take(struct helper_list *list, const char *line, struct err *err);
/* All have been taken: symbolic refs get values. */
void helper_list_end(struct helper_list *list);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A remote helper, git-remote-<scheme>: gitremote-helpers(7). This part starts it and exchanges lines with it. Other
 * files use the lines: connect-helper.c for connections and single files, helper-list.c for refs, fetch-helper.c for
 * objects.
 */
#ifndef TRANSPORT_HELPER_INTERNAL_H
#define TRANSPORT_HELPER_INTERNAL_H

#include "transport/connect-internal.h"
#include "transport/remote-refs.h"

struct helper {
	struct connection *c;
	char *name; /* of the scheme; owned */
	bool option, connect, stateless, get, fetch, import, push, export, object_format;
	bool for_push; /* list the refs for a push ("list for-push") */
	bool gone; /* it has ended before its answer */
};

/* The helper of a connection that helper_start has made; the connection owns it. */
struct helper *helper_of(struct connection *c);

/* Run git remote-<scheme> <name> <address>. gitdir: its GIT_DIR; NULL: the same as ours. */
MUST_USE int helper_start(struct connection *c, const char *scheme, const char *name, const char *address,
			  const char *gitdir, int version, struct err *err);
MUST_USE int helper_ask_capabilities(struct helper *h, struct err *err);
MUST_USE int helper_read_line(struct helper *h, struct strbuf *line, struct err *err);
/* Text with a line end. */
MUST_USE int helper_say(struct helper *h, const char *text, struct err *err);
/* Send the option "NAME VALUE". 1: set; 0: the helper does not know it; < 0: it refuses this value. */
int helper_set_option(struct helper *h, const char *option, struct err *err);
/* After a failure: if the helper has ended with an exit code, it has printed the reason itself. */
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

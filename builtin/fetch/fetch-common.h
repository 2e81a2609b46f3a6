/* SPDX-License-Identifier: GPL-2.0-only */
/* What the commands that talk to other repositories share. */
#ifndef BUILTIN_FETCH_FETCH_COMMON_H
#define BUILTIN_FETCH_FETCH_COMMON_H

#include "compat/posix.h"
#include "builtin/pack/pack-input.h"
#include "repo/remotes.h"
#include "transport/fetch/fetch-session.h"

/* protocol.version: 2 unless it says otherwise. */
MUST_USE int client_protocol_version(const struct config_set *c, int *out, struct err *err);
/*
 * fetch.fsckObjects, transfer.fsckObjects: *wanted; fetch.fsck.<msg-id>, fetch.fsck.skipList: into checks, which are
 * initialised. An unknown msg-id is a warning. algo: of the names in a list; NULL: as they are long.
 */
MUST_USE int read_fetch_checks(struct pack_checks *checks, const struct config_set *c, const struct hash_algo *algo,
			       bool *wanted, struct err *err);
/* fetch_session_options.tell: standard error. */
void show_remote_words(void *data, const char *text, size_t len);

/* A request to a remote that only asks for its refs. */
struct refs_query {
	const struct config_set *config;
	const struct hash_algo *algo; /* of our repository; NULL: there is none */
	const char *gitdir;	      /* the same */
	const char *program;	      /* --upload-pack; NULL: as the remote says */
	const struct strvec *server_options, *prefixes; /* NULL: those of the remote; all refs */
	int verbosity;
};
MUST_USE int list_remote_refs(const struct remote *remote, const struct refs_query *q, struct remote_refs *refs,
			      struct err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * packfile-uris: blobs that a client fetches from elsewhere, as packs by themselves, instead of getting
 * them in the pack (gitprotocol-v2(5)). The host names them:
 *
 *	uploadpack.blobPackfileUri = <object-hash> <pack-hash> <uri>
 */
#ifndef WIRE_PACKFILE_URIS_H
#define WIRE_PACKFILE_URIS_H

#include "compat/posix.h"
#include "config/config.h"
#include "hash/hash.h"
#include "util/string-list.h"

struct packfile_uris;

/* Has the host named any? */
bool packfile_uris_exist(const struct config_set *c);
/* Those of protocols ("http,https") that the client takes. ERR_INVALID: a setting is malformed. */
MUST_USE int packfile_uris_read(struct packfile_uris **out, const struct config_set *c, const char *protocols,
				const struct hash_algo *algo, struct err *err);
void packfile_uris_free(struct packfile_uris *u); /* NULL is fine */
/* Does this object, which the pack would have, go by URI? u may be NULL. */
bool packfile_uris_take(struct packfile_uris *u, const struct object_id *blob);
/* Append the lines "<pack-hash> <uri>" of what has been taken: sorted, each once. */
void packfile_uris_taken(const struct packfile_uris *u, struct string_list *out);

#endif

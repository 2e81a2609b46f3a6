/* SPDX-License-Identifier: GPL-2.0-only */
/* The socket and the protocol between git credential-cache and its daemon. */
#ifndef BUILTIN_CREDENTIAL_CREDENTIAL_CACHE_H
#define BUILTIN_CREDENTIAL_CREDENTIAL_CACHE_H

#include "compat/posix.h"
#include "util/err.h"

/*
 * A request: "action=ACTION\ntimeout=SECONDS\n", then the lines of a credential (credential/credential.h), until the
 * client closes its half. The answer: lines of a credential.
 */
#define CACHE_REQUEST_MAX_BYTES (1u << 20)

/*
 * Go into the directory of the socket, which must be ours alone (fs/private-dir.h): the name of the socket then
 * counts there, however long the path is. *name points into path; *dir: the directory.
 */
MUST_USE int cache_enter_dir(const char *path, const char **name, int *dir, struct err *err);
/* Connects to the daemon that listens there; -1 with errno: none does. */
int cache_connect(const char *name);
/* A socket's address; -1: the name is too long. */
struct sockaddr_un;
int cache_address(struct sockaddr_un *out, const char *name);

#endif

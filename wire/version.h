/* SPDX-License-Identifier: GPL-2.0-only */
/* Versions: of the protocol that a client asks for, and of ours as others see it. */
#ifndef WIRE_VERSION_H
#define WIRE_VERSION_H

#include "compat/posix.h"
#include "util/strbuf.h"

/*
 * The version of Git whose behaviour scripts can expect: many ask for it and compare.
 * Behind it stands who we are.
 */
#define GIT_COMPATIBLE_VERSION "2.39.5"

/* The highest of "version=N" in GIT_PROTOCOL (git(1)) that is known: 0, 1 or 2. */
int protocol_version_requested(void);
/* The value of the capability "agent": printable, without spaces. GIT_USER_AGENT replaces it. */
void append_agent(struct strbuf *out);

#endif

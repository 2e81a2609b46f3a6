/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * GIT_TRACE_PACKET of git(1): one line for each packet that is read or written, without the content
 * of packs; and GIT_TRACE_PACKFILE, the packs that a client receives. Reader and writer call it.
 *
 * Cost: the load of a flag while tracing is off.
 */
#ifndef WIRE_PKT_TRACE_H
#define WIRE_PKT_TRACE_H

#include "compat/posix.h"

/*
 * Which command reads and writes. As in Git, commands other than the usual ones of transport are "git", and
 * what a client reads from sidebands is read by "sideband". Opens the trace.
 */
void pkt_trace_identity(const char *command);
/* direction: '<' read, '>' written. */
void pkt_trace(char direction, const char *payload, size_t len);

#endif

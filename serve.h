/* SPDX-License-Identifier: GPL-2.0-only */
/* Protocol version 2: the capabilities of the server, and its commands. */
#ifndef SERVE_H
#define SERVE_H

#include "compat/posix.h"
#include "upload/upload.h"

/*
 * Advertise (unless it is the second half of an HTTP exchange), then serve commands until the
 * client has no more. gitprotocol-v2(5).
 */
MUST_USE int serve_v2(struct upload_server *s, struct err *err);

#endif

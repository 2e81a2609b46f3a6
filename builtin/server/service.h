/* SPDX-License-Identifier: GPL-2.0-only */
/* Commands that servers start for their clients: upload-pack and the like. */
#ifndef BUILTIN_SERVER_SERVICE_H
#define BUILTIN_SERVER_SERVICE_H

#include "builtin/builtin.h"

/* Is there such a command: one of ours, or one that somebody has put beside them? */
bool service_is_there(const struct command_ctx *ctx, const char *name);

#endif

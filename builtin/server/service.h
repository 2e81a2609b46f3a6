/* SPDX-License-Identifier: GPL-2.0-only */
/* Commands that servers start for their clients: upload-pack and the like. */
#ifndef BUILTIN_SERVER_SERVICE_H
#define BUILTIN_SERVER_SERVICE_H

#include "builtin/builtin.h"

/* Does such a command exist, either ours or one that was installed beside ours? */
bool service_is_there(const struct command_ctx *ctx, const char *name);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* The program git-remote-http, which is one of its own: only it links libcurl, so that no other command pays for that. */
#ifndef BUILTIN_REMOTE_HTTP_H
#define BUILTIN_REMOTE_HTTP_H

#include "compat/posix.h"

/* argv: the name of the remote or its URL, and its URL. Returns the exit code. */
int remote_http_main(int argc, const char **argv);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A single file from elsewhere, by its URI: bundles, lists of them, packs. Paths and file:// are opened where they are; for
 * other schemes git-remote-<scheme> downloads it (gitremote-helpers(7), "get"), http and https among them.
 */
#ifndef TRANSPORT_DOWNLOAD_H
#define TRANSPORT_DOWNLOAD_H

#include "compat/posix.h"
#include "config/config.h"
#include "util/err.h"

struct download_options {
	const struct config_set *config;
	const char *objdir; /* where the file is for a moment, in a directory that a dead owner does not leave behind */
	int shared_perm;
	int verbosity;
	/* Somebody else has named the URI: nothing of this machine, unless that was at one of this machine himself. */
	bool foreign;
};

/* Does it name a file of this machine? */
bool uri_is_local(const char *uri);
/* A URI that is relative to another: to a file's directory, or with is_dir below it. Caller frees. */
char *uri_resolve(const char *base, bool is_dir, const char *uri);

/*
 * *fd reads from the beginning of a regular file; nobody else can change a downloaded one. Caller closes it.
 * Errors: ERR_ABORTED (protocol.<scheme>.allow), ERR_INVALID (no URI of a file, or one that may not be read), ERR_IO, ERR_NOT_FOUND.
 */
MUST_USE int download_open(int *fd, const char *uri, const struct download_options *o, struct err *err);

#endif

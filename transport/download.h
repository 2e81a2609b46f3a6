/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gets a single file by its URI: a bundle, a list of bundles, a pack. A path or file:// is opened in place. For other
 * schemes, also http and https, git-remote-<scheme> downloads the file (gitremote-helpers(7), "get").
 */
#ifndef TRANSPORT_DOWNLOAD_H
#define TRANSPORT_DOWNLOAD_H

#include "compat/posix.h"
#include "config/config.h"
#include "util/err.h"

struct download_options {
	const struct config_set *config;
	const char *objdir; /* holds the file for a short time, in a temporary directory (fs/tmp-objdir.h) */
	int shared_perm;
	int verbosity;
	/* The URI comes from another host: it may not name a file of this machine. */
	bool foreign;
};

/* Does it name a file of this machine? */
bool uri_is_local(const char *uri);
/* A URI that is relative to another: to a file's directory, or with is_dir below it. Caller frees. */
char *uri_resolve(const char *base, bool is_dir, const char *uri);

/*
 * *fd: a regular file, at its beginning. No other process can change a downloaded one. Caller closes it.
 * Errors: ERR_ABORTED (protocol.<scheme>.allow), ERR_INVALID (the URI names no file, or one that may not be read), ERR_IO, ERR_NOT_FOUND.
 */
MUST_USE int download_open(int *fd, const char *uri, const struct download_options *o, struct err *err);

#endif

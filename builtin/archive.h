/* SPDX-License-Identifier: GPL-2.0-only */
/* What git archive and git upload-archive share. */
#ifndef BUILTIN_ARCHIVE_H
#define BUILTIN_ARCHIVE_H

#include "compat/posix.h"
#include "builtin/builtin.h"
#include "util/strvec.h"

/* git archive --remote: archive-remote.c */
struct archive_request {
	const char *repo, *exec; /* exec NULL: our own git upload-archive */
	struct strvec args;	 /* for the server */
};
/* Write what it sends to `out`. Dies, or returns the exit code: 1 if the server has failed. */
int archive_from_remote(const struct archive_request *rq, int out);

/*
 * An archive for a client, who has sent the arguments: nothing of this machine but the repository may be
 * read, only what refs name unless uploadArchive.allowUnreachable is set.
 */
struct archive_client {
	/*
	 * The format of that number in archive_formats_read goes through a program: starts it, and returns the
	 * descriptor for the tar; -1: it cannot be had.
	 */
	int (*start_filter)(void *data, size_t format, int level);
	void *data;
};

/*
 * Make an archive as the arguments, argv[1..], say, on standard output or where they say. client NULL:
 * the user has said them. r NULL: only --list. Dies, or returns the exit code.
 */
int archive_command(int argc, const char **argv, struct repository *r, const char *prefix,
		    const struct archive_client *client);

#endif

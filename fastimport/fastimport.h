/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading history from a stream: git-fast-import(1).
 *
 *   fast_import_new(&fi, repo, &o, err)
 *   fast_import_option(fi, "depth=5", err)        options of the command line
 *   fast_import_run(fi, err)                      the stream, to its end
 *   fast_import_free(fi)
 *
 * The import is one operation: new objects go into one pack, refs change in one transaction.
 *
 * Durability: objects, refs and marks files are sealed together at the end, and at each `checkpoint`.
 * Errors:     after a malformed stream no ref of it has changed; the objects stay, and a crash report tells why.
 * Memory:     trees of the active branches, one blob, and about 100 bytes for each object. Blobs above the
 *             threshold for big files are streamed. No size of the stream is trusted.
 * Cost:       one flush for the end, and one for each checkpoint.
 */
#ifndef FASTIMPORT_FASTIMPORT_H
#define FASTIMPORT_FASTIMPORT_H

#include "compat/posix.h"
#include "repo/repo.h"
#include "util/err.h"

struct fast_import;
struct fast_import_options {
	int in_fd, out_fd; /* the stream; progress and answers */
	void (*warn)(void *data, const char *msg);
	void (*report_error)(void *data, const char *msg);
	void *data;
};
/* Free *out also after an error: of the configuration. */
MUST_USE int fast_import_new(struct fast_import **out, struct repository *r, const struct fast_import_options *o, struct err *err);
void fast_import_free(struct fast_import *fi);

/* Before the stream: an option of the command line without "--". ERR_UNSUPPORTED: there is no such option. */
MUST_USE int fast_import_option(struct fast_import *fi, const char *option, struct err *err);
/* Read the stream and commit. 1: some refs were not updated, which has been reported. */
MUST_USE int fast_import_run(struct fast_import *fi, struct err *err);
/* After a failure: write the crash report, keep objects and marks. Appends the path of the report. */
MUST_USE int fast_import_crash(struct fast_import *fi, const char *msg, struct strbuf *path, struct err *err);
bool fast_import_is_quiet(const struct fast_import *fi);
/* The lines of --stats. */
void fast_import_stats(const struct fast_import *fi, struct strbuf *out);

#endif

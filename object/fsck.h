/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks of the content of objects. Findings have the message ids of git-fsck(1)
 * (missingEmail, zeroPaddedFilemode, hasDotgit), and severities that fsck.<msg-id> can change.
 *
 *   struct fsck_options o = { .report = fn };
 *   fsck_object(&o, ...)  for each object, in any order
 *   fsck_finish(&o, src)  for the .gitmodules and .gitattributes that trees refer to
 *   fsck_options_release(&o);
 */
#ifndef OBJECT_FSCK_H
#define OBJECT_FSCK_H

#include "compat/posix.h"
#include "object/object.h"

enum fsck_severity { FSCK_IGNORE, FSCK_INFO, FSCK_WARN, FSCK_ERROR, FSCK_FATAL };

/* Blobs with a special name (.gitmodules): which of them trees name, and which have been checked. */
struct fsck_special {
	struct oidset found, done;
};

struct fsck_options {
	bool strict; /* warnings by default become errors, 100664 is a bad mode */
	/*
	 * Called for each finding with FSCK_WARN (or info) or FSCK_ERROR (or fatal), but not for
	 * an ignored one. A non-zero result counts as a failure, and ends the check of a
	 * commit or tag.
	 */
	int (*report)(void *data, const struct object_id *oid, enum object_type type,
		      enum fsck_severity severity, const char *msg_id, const char *text);
	void *data;
	/* Called if a special blob cannot be read. True: it is a promised object, and is not reported. NULL: none is. */
	bool (*promised)(void *data, const struct object_id *oid);
	void *promised_data;
	int *severity; /* by internal id; NULL: defaults; owned */
	struct oidset *skip; /* fsck.skipList; not owned */
	struct fsck_special gitmodules, gitattributes; /* owned */
};
void fsck_options_release(struct fsck_options *o);
/*
 * Set the severity of a message ("missingEmail", in any case) to "ignore", "warn" or "error".
 * ERR_INVALID if one of the two is unknown, or if a fatal message would not be an error.
 */
MUST_USE int fsck_set_severity(struct fsck_options *o, const char *msg_id,
			       const char *severity, struct err *err);
bool fsck_msg_id_exists(const char *msg_id);
/* FSCK_IGNORE, FSCK_WARN or FSCK_ERROR; for checks of things other than objects (refs). */
enum fsck_severity fsck_severity_of(const struct fsck_options *o, const char *msg_id);
/*
 * Check one object; returns the number of failures. buf NULL: a blob that is too large for
 * memory. The content of a blob is checked only if a tree checked before refers to it as
 * .gitmodules or .gitattributes; if the tree comes later, fsck_finish does it.
 */
int fsck_object(struct fsck_options *o, const struct object_id *oid, enum object_type type,
		const void *buf, size_t size, const struct hash_algo *algo);
/* Read and check the remaining special blobs; returns the number of failures. */
int fsck_finish(struct fsck_options *o, const struct object_source *src);


#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks of object content with the message ids of git-fsck(1): missingEmail,
 * zeroPaddedFilemode, hasDotgit, … Each has a severity that fsck.<msg-id>
 * can change.
 *
 *   struct fsck_options o = { .report = fn };
 *   fsck_object(&o, …)    each object, in any order
 *   fsck_finish(&o, src)  the .gitmodules and .gitattributes that trees named
 *   fsck_options_release(&o);
 */
#ifndef OBJECT_FSCK_H
#define OBJECT_FSCK_H

#include "compat/posix.h"
#include "object/object.h"

enum fsck_severity { FSCK_IGNORE, FSCK_INFO, FSCK_WARN, FSCK_ERROR, FSCK_FATAL };

/* Blobs with special names: found in trees; those that have been checked. */
struct fsck_special {
	struct oidset found, done;
};

struct fsck_options {
	bool strict; /* warnings become errors, 100664 is a bad mode */
	/*
	 * Called per finding with FSCK_WARN or FSCK_ERROR (infos come as warnings,
	 * fatal ones as errors, what is ignored does not come). A non-zero return
	 * counts as a failure, and ends the check of a commit or tag.
	 */
	int (*report)(void *data, const struct object_id *oid, enum object_type type,
		      enum fsck_severity severity, const char *msg_id, const char *text);
	void *data;
	int *severity; /* by internal id; NULL: defaults; owned */
	struct oidset *skip; /* fsck.skipList; not owned */
	struct fsck_special gitmodules, gitattributes; /* owned */
};
void fsck_options_release(struct fsck_options *o);
/*
 * "missingEmail" (case does not matter), "ignore", "warn" or "error". ERR_INVALID if
 * one of the two is unknown, or if a fatal one would be anything but an error.
 */
MUST_USE int fsck_set_severity(struct fsck_options *o, const char *msg_id,
			       const char *severity, struct err *err);
bool fsck_knows(const char *msg_id);
/* FSCK_IGNORE, FSCK_WARN or FSCK_ERROR: for who checks what is no object (refs). */
enum fsck_severity fsck_severity_of(const struct fsck_options *o, const char *msg_id);
/*
 * Number of failures (0: fine). buf NULL: a blob too large for memory. Stock messages in
 * `text`. A blob is looked into if a tree that was checked before names it .gitmodules or
 * .gitattributes, else by fsck_finish.
 */
int fsck_object(struct fsck_options *o, const struct object_id *oid, enum object_type type,
		const void *buf, size_t size, const struct hash_algo *algo);
/* Reads and checks what is left of the special blobs. Number of failures. */
int fsck_finish(struct fsck_options *o, const struct object_source *src);

/* Path components that must not be in a tree: .git in any disguise, "..", NTFS
 * and HFS+ tricks. `protect`: bits below. */
#define PROTECT_HFS 1u
#define PROTECT_NTFS 2u
bool path_component_is_safe(const char *name, size_t len, unsigned mode, unsigned protect);
bool path_is_safe(const char *path, unsigned mode, unsigned protect); /* every component */

#endif

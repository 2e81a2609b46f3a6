/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks of object content with the message ids of git-fsck(1): missingEmail,
 * zeroPaddedFilemode, hasDotgit, … Each has a severity that fsck.<msg-id>
 * can change.
 */
#ifndef OBJECT_FSCK_H
#define OBJECT_FSCK_H

#include "compat/posix.h"
#include "object/object.h"

enum fsck_severity { FSCK_IGNORE, FSCK_INFO, FSCK_WARN, FSCK_ERROR, FSCK_FATAL };
struct fsck_options {
	bool strict; /* warnings become errors */
	/* called per finding; non-zero return counts as a failure */
	int (*report)(void *data, const struct object_id *oid, enum object_type type,
		      enum fsck_severity severity, const char *msg_id, const char *text);
	void *data;
	int *severity; /* by internal id; NULL: defaults; owned */
	struct oidset *skip; /* fsck.skipList; not owned */
};
void fsck_options_release(struct fsck_options *o);
/* "missingEmail=ignore"; ERR_INVALID if one of the two is unknown. */
MUST_USE int fsck_set_severity(struct fsck_options *o, const char *msg_id,
			       const char *severity, struct err *err);
/* Number of failures (0: fine). */
int fsck_object(struct fsck_options *o, const struct object_id *oid, enum object_type type,
		const void *buf, size_t size, const struct hash_algo *algo);
/* Path components that must not be in a tree: .git in any disguise, "..", NTFS
 * and HFS+ tricks. `protect`: bits below. */
#define PROTECT_HFS 1u
#define PROTECT_NTFS 2u
bool path_component_is_safe(const char *name, size_t len, unsigned mode, unsigned protect);
bool path_is_safe(const char *path, unsigned mode, unsigned protect); /* every component */

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which process made this lock, and does it still live?
 *
 * A process that takes locks holds one owner file, .git-owner-ID, in the home of those locks:
 * the repository's common directory, or for a lock that is in no repository the
 * directory of the lock. The file is locked in the kernel (an open-file-description lock) before it
 * has its name, and exists for as long as the process. Whatever the process makes bears a mark
 * that names the owner file: lock files in an extended attribute, temporary object directories
 * in their name. Nobody but a dead owner leaves an owner file that is not locked, in any
 * container; and nobody removes one whose owner lives. So the owner of a mark is gone if
 * its owner file, in the very directory that the mark means, is not locked or not there.
 *
 * This is believed only on file systems that are known to be used by one kernel alone, and the same
 * one for all who see the file: fs_lock_view in compat/fskind.h. Elsewhere nothing gets a mark, and
 * nobody is ever called gone.
 *
 * The homes of this process are process-wide state, as the list of temporary files is
 * (fs/tempfile.h): owner files go at exit and on a fatal signal, after all the rest.
 */
#ifndef FS_OWNER_H
#define FS_OWNER_H

#include "compat/posix.h"
#include "util/string-list.h"

enum lock_owner { LOCK_OWNER_UNKNOWN, LOCK_OWNER_ALIVE, LOCK_OWNER_GONE };

/* A letter for the kind of file system, and 12 random hex digits. */
#define OWNER_ID_LEN 13
/* Text without the NUL. */
#define OWNER_TEXT_MAX 64

/* A mark. */
struct owner {
	char id[OWNER_ID_LEN + 1];
	uint64_t boot; /* first half of the boot id */
	uint64_t home; /* inode of the directory that holds the owner file */
	pid_t pid;     /* for messages: as the owner's own container counts */
};

/*
 * Our mark for something in the directory `dir`; makes the owner file if need be. False where
 * that cannot be (file system, no such locks, disk full): then there is no mark. Cheap
 * after the first call. The id stays the same in one home.
 */
bool owner_self(struct owner *out, const char *dir);
/* The same as text, its fields joined by spaces; the length, 0: there is no mark. */
size_t owner_self_text(char out[OWNER_TEXT_MAX + 1], const char *dir);
/*
 * Before a directory is removed in which we have made and removed everything ourselves: our
 * owner file there goes first. No lock or staging directory of ours may be left that names it.
 */
void owner_leave(const char *dir);
/*
 * From the first name that an operation publishes in the repository of `dir` until its seal, the
 * owner file says "unsealed": what others find there may not be durable yet. One of a process that
 * was killed in between, or whose seal failed, stays and says so until somebody has sealed
 * it. Calls nest. Without owner files (see above) this does nothing.
 */
void owner_note_unsealed(void *dir, bool unsealed); /* fsync_batch_options.note_unsealed */
/*
 * A new name, beside the owner file, for a file that is about to be replaced at `path`. The caller
 * removes the file of that name when it has sealed; if it is killed, others do so when they have
 * sealed. NULL: there is no owner file. The caller frees the name.
 */
char *owner_second_name(const char *path); /* fsync_batch_options.second_name */
/*
 * Has another process published something there that is not sealed? Paths of owner files of dead
 * ones are appended to `dead`: once their names have been sealed, owner_forget removes them.
 */
bool owner_find_unsealed(const char *dir, struct string_list *dead);
void owner_forget(const struct string_list *dead);
/* The same for those that were dead when our own file was made there, and have been sealed. */
void owner_forget_earlier(const char *dir);
/*
 * Since when are other processes at work there that have an owner file, and live? Whatever these have
 * made or touched since is not older than that. In seconds; 0: nobody is. Where the file system does not
 * tell when a file was made, an hour before its last change is taken for it.
 */
time_t owner_others_since(const char *dir);
/* Fields joined by `sep`; the length, at most OWNER_TEXT_MAX. */
size_t owner_format(char out[OWNER_TEXT_MAX + 1], const struct owner *o, char sep);
/* `len` bytes at text; stops at their end. False if it is not ours. */
bool owner_parse(struct owner *out, const char *text, size_t len, char sep);
/*
 * Of a mark that was found on something in the directory `dir`.
 * made_at: the ctime of what bears it, in seconds; 0: not known.
 */
enum lock_owner owner_state(const struct owner *o, const char *dir, time_t made_at);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds the process that made a lock, and whether that process is still alive.
 *
 * A process that takes locks holds one owner file, .git-owner-ID, in the home of the locks: the
 * common directory of the repository, or the directory of the lock if the lock is in no repository.
 * The process locks the file in the kernel (an open-file-description lock) before the file gets its
 * name, and keeps it until the process ends. Each lock file and temporary object directory bears a
 * mark that names the owner file: a lock file in an extended attribute, a temporary object directory
 * in its name.
 *
 * A live process keeps its owner file locked, also in another container, and no process removes the
 * owner file of a live one. So the owner of a mark is gone if its owner file, in the very directory
 * that the mark means, is missing or not locked.
 *
 * This proof holds only on file systems that one kernel uses, the same for all processes that see
 * the file: fs_lock_view in compat/fskind.h. On other file systems nothing gets a mark, and no owner
 * is ever found to be gone.
 *
 * The homes of this process are process-wide state, like the list of temporary files
 * (fs/tempfile.h). Owner files are removed at exit and on a fatal signal, after all other files.
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
 * The mark of this process for a file in the directory `dir`. Makes the owner file if needed. False:
 * there is no mark, because the file system is not trusted or has no such locks, or the disk is
 * full. Cheap after the first call. The id stays the same in one home.
 */
bool owner_self(struct owner *out, const char *dir);
/* The same as text, its fields joined by spaces; the length, 0: there is no mark. */
size_t owner_self_text(char out[OWNER_TEXT_MAX + 1], const char *dir);
/*
 * Remove our owner file in `dir`, before the caller removes that directory, in which only this
 * process has made files. No lock or staging directory may be left that names the owner file.
 */
void owner_leave(const char *dir);
/*
 * Remove the owner files of dead processes in a directory in which no lock is taken otherwise: a work tree, whose file ".git"
 * a killed process was about to make. Cost: one directory read.
 */
void owner_sweep(const char *dir);
/*
 * Write "unsealed" into the owner file, from the first name that an operation publishes in the
 * repository of `dir` until its seal. It warns other processes that objects and refs they find there
 * may not be durable yet. If the process is killed in between, or its seal fails, its owner file
 * stays until another process has sealed these names. Calls nest. Without owner files (see above)
 * this does nothing.
 */
void owner_note_unsealed(void *dir, bool unsealed); /* fsync_batch_options.note_unsealed */
/*
 * A new name, beside the owner file, for the file that is about to be replaced at `path`. The caller
 * removes the file of that name after its seal. If the caller is killed, another process removes it
 * after a seal of its own. NULL: there is no owner file. The caller frees the name.
 */
char *owner_second_name(const char *path); /* fsync_batch_options.second_name */
/*
 * Has another process published names there that are not sealed? Appends the paths of owner files
 * whose processes have ended to `dead`. After a seal of these names, call owner_forget: it removes
 * the owner files.
 */
bool owner_find_unsealed(const char *dir, struct string_list *dead);
void owner_forget(const struct string_list *dead);
/* The same for owner files whose processes had ended when our own file was made there; call it after a seal. */
void owner_forget_earlier(const char *dir);
/*
 * When the oldest live process that has an owner file there has started, in seconds; 0: there is no
 * other process. Everything that these processes have made or touched is at least as new. If the file
 * system does not record when a file was created, the result is an hour before its last change.
 */
time_t owner_others_since(const char *dir);
/* Fields joined by `sep`; the length, at most OWNER_TEXT_MAX. */
size_t owner_format(char out[OWNER_TEXT_MAX + 1], const struct owner *o, char sep);
/* Parse `len` bytes at text. False: this is no mark in our format. */
bool owner_parse(struct owner *out, const char *text, size_t len, char sep);
/*
 * State of the owner of a mark that was found in the directory `dir`.
 * made_at: ctime of the file or directory that bears the mark, in seconds; 0: not known.
 */
enum lock_owner owner_state(const struct owner *o, const char *dir, time_t made_at);

#endif

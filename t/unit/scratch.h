/* SPDX-License-Identifier: GPL-2.0-only */
/* A temporary directory for a unit test, and helpers for files in it. */
#ifndef UNIT_SCRATCH_H
#define UNIT_SCRATCH_H

#include "compat/posix.h"
#include "compat/fskind.h"
#include "util/strbuf.h"

/* Real path of a new directory on the disk (not a tmpfs); freed by _remove. */
char *scratch_new(void);
/* The same below `parent`; NULL if that is no directory. */
char *scratch_new_in(const char *parent);
void scratch_remove(char *dir);

/* Setup and teardown for cmocka: create and remove `dir`; teardown also ends fault injection. */
extern char *dir;
int scratch_setup(void **state);
int scratch_teardown(void **state);
/* Does posix_spawn() say that there is no such program? Not under qemu, which copies the memory that vfork shares. */
bool scratch_spawn_tells(void);
/* GIT_TEST_FS_KIND, for the batches of this test. */
void pretend_fs(enum fs_kind kind);
/* Compare the contents of `dir`, in the form of tree_of. */
void assert_tree(const char *expect);
/* How many descriptors this process has open; one more while counting, always. */
size_t open_descriptors(void);

/* One of 8 rotating buffers: dir/FORMAT. */
const char *at(const char *dir, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Write a file, creating the directories above it. */
void write_text(const char *path, const char *text);
/* A descriptor of a new file with that content. */
int new_file(const char *path, const char *text);
/* Caller frees; NULL if there is no such file. */
char *read_text(const char *path);
/* "d sub\nf sub/file 12\n", sorted, without the owner file of a process; caller frees. */
char *tree_of(const char *dir);

/* Run fn in a child. It must end in a BUG() whose message contains `text`. */
void assert_bug(void (*fn)(void), const char *text);
/* Run fn, which must not return, in a child. Its exit code. */
int exit_code_of(void (*fn)(void));

/* Replace every `dir` in text by ".", and leave out lines that begin with one of the words in
 * `drop` (separated by spaces). Caller frees. */
char *simplify(const char *text, const char *dir, const char *drop);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* A directory of its own for a unit test, and what is in it. */
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

/* For cmocka's setup and teardown: `dir` is the test's own; faults go away with it. */
extern char *dir;
int scratch_setup(void **state);
int scratch_teardown(void **state);
/* GIT_TEST_FS_KIND, for the batches of this test. */
void pretend_fs(enum fs_kind kind);
/* What is in it now, as tree_of tells it. */
void assert_tree(const char *expect);


/* One of 8 rotating buffers: dir/FORMAT. */
const char *at(const char *dir, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* With the directories above it. */
void write_text(const char *path, const char *text);
/* Descriptor of a new file with that content. */
int new_file(const char *path, const char *text);
/* Caller frees; NULL if there is no such file. */
char *read_text(const char *path);
/* "d sub\nf sub/file 12\n", sorted, without the owner file of a process; caller frees. */
char *tree_of(const char *dir);

/* Every `dir` in text becomes "."; caller frees. Lines that begin with one of the
 * words in `drop` (space separated) are left out. */
char *simplify(const char *text, const char *dir, const char *drop);

#endif

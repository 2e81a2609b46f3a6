/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tables of one directory "reftable", as its file "tables.list" names them, oldest first. A change adds a table, and
 * replaces the list by a rename. Tables that a newer list does not name any more may vanish at any time: readers
 * go on with the tables they have opened, or read the list again.
 */
#ifndef REFS_REFTABLE_STACK_INTERNAL_H
#define REFS_REFTABLE_STACK_INTERNAL_H

#include "compat/posix.h"
#include "refs/reftable/merged-internal.h"

struct reftable_stack {
	char *dir; /* ".../reftable" */
	char *list_path;
	const struct hash_algo *algo;
	/* The list as it was read. Its file stays open, so that its inode number is not given to a newer list. */
	int list_fd; /* -1: there was none */
	struct stat list_st;
	bool is_read;
	struct reftable **tables;
	size_t nr;
	struct log_rewrites *rewrites; /* not published yet: log-rewrite.c */
};

struct reftable_stack *reftable_stack_new(const char *gitdir, const struct hash_algo *algo);
void reftable_stack_free(struct reftable_stack *s); /* NULL is fine */
/*
 * Brings s->tables up to date. Tables that stay in the list stay open.
 * Errors: ERR_CORRUPT: a table is damaged, is missing, or the list is malformed; ERR_IO. The tables stay as they were.
 * Cost:   one stat if nothing has changed.
 */
MUST_USE int reftable_stack_reload(struct reftable_stack *s, struct err *err);
/* The update index of the next change. ERR_CORRUPT: a table has such a large one that none is left. */
MUST_USE int reftable_stack_next_index(const struct reftable_stack *s, uint64_t *out, struct err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* Helpers for tests of pack/: a temporary working directory, stock git, files. */
#ifndef T_UNIT_PACK_AUX_H
#define T_UNIT_PACK_AUX_H

#include "compat/posix.h"
#include "object/object.h"
#include "pack/bitset.h"
#include "pack/pack.h"
#include "util/strbuf.h"

/* Create a directory and change to it. Removed at exit. */
const char *aux_enter_dir(void);
bool aux_have_stock(void);
/* `sh -c` with "$GIT" as the stock git; output appended to out (may be NULL). */
int aux_sh(struct strbuf *out, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* The same; fails the test if the command does. */
void aux_must(const char *fmt, ...) PRINTF_LIKE(1, 2);
/* A repository in dir with two commits of some 100 files that delta well, packed. */
void aux_make_repo(const char *dir, const char *hash);

struct warnings {
	struct strbuf text;
	unsigned nr;
};
#define WARNINGS_INIT { STRBUF_INIT, 0 }
struct packs *aux_packs(const char *objdir, const struct hash_algo *algo,
			struct warnings *w);
/* The same, with further options in *o. */
struct packs *aux_packs_with(struct packs_options *o, const char *objdir,
			     const struct hash_algo *algo, struct warnings *w);
/* Every object that stock git lists, read by us, has the same type and content. */
size_t aux_compare_all(struct packs *ps, const char *repo, const struct hash_algo *algo);
/* The same bits, whatever the number of words. */
bool aux_bitset_eq(const struct bitset *a, const struct bitset *b);
/* Read or write a file; the test fails on errors. */
void aux_read(struct strbuf *out, const char *path);
void aux_write(const char *path, const void *p, size_t len);
/* The first path that matches. Caller frees. */
char *aux_glob(const char *fmt, ...) PRINTF_LIKE(1, 2);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Commits as nodes of the history: each once, linked to its parents, parsed when
 * somebody needs more than its name. Grafts (info/grafts) and the borders of a shallow
 * clone (the file "shallow") are applied here, so that nobody else has to know.
 */
#ifndef HISTORY_COMMITS_H
#define HISTORY_COMMITS_H

#include "compat/posix.h"
#include "hash/hash.h"
#include "object/object.h"
#include "repo/repo.h"
#include "util/date.h"
#include "util/err.h"

struct commit {
	struct object_id oid;
	struct object_id tree;	 /* once parsed */
	struct commit **parents; /* NULL-terminated; owned by the pool */
	uint32_t nr_parents;
	uint32_t index;		 /* 0, 1, 2, …: for arrays beside the pool */
	uint32_t flags;		 /* of whoever walks; see the headers of walkers */
	bool parsed;
	bool shallow;		 /* its parents are beyond the border */
	timestamp_t date;	 /* committer's */
	char *buffer;		 /* content, if the pool keeps it; NUL-terminated */
	size_t buffer_len;
};

struct commit_pool;

/* Reads the grafts and the shallow file. ERR_CORRUPT if they are malformed. */
MUST_USE int commit_pool_new(struct commit_pool **out, struct repository *r, struct err *err);
void commit_pool_free(struct commit_pool *p);
/* Keep the content of commits from now on, until commit_release_buffer. */
void commit_pool_keep_buffers(struct commit_pool *p, bool keep);
void commit_release_buffer(struct commit *c);
/* The content, read again if it was not kept. Lives until commit_release_buffer. */
MUST_USE int commit_buffer(struct commit_pool *p, struct commit *c, const char **buf,
			   size_t *len, struct err *err);

/* The node of that name; nothing is read. Never NULL. */
struct commit *commit_lookup(struct commit_pool *p, const struct object_id *oid);
size_t commit_pool_nr(const struct commit_pool *p); /* one more than the highest index */
/* Tree, parents, date. ERR_NOT_FOUND, ERR_CORRUPT, ERR_INVALID (no commit). */
MUST_USE int commit_parse_node(struct commit_pool *p, struct commit *c, struct err *err);
/* Simplification rewrites parents: a new list (copied), the old one is forgotten. */
void commit_set_parents(struct commit_pool *p, struct commit *c, struct commit *const *parents,
			uint32_t nr);
/* Clear these flags in every node. */
void commit_pool_clear_flags(struct commit_pool *p, uint32_t flags);
/* Lists everything in "shallow" (rev-parse --is-shallow-repository asks). */
bool repo_is_shallow(struct repository *r);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* Which stack has which ref. */
#include "compat/posix.h"
#include "refs/reftable/reftable-internal.h"
#include "util/alloc.h"

static struct reftable_stack *stack_of_worktree(struct reftable_store *st, const char *id, size_t len)
{
	struct reftable_stack *s = strmap_get_mem(&st->others, id, len);
	char *key, *gitdir;

	if (s)
		return s;
	key = xmemdupz(id, len);
	gitdir = xstrfmt("%s/worktrees/%s", st->commondir, key);
	if (!strcmp(gitdir, st->gitdir)) {
		s = st->own;
	} else {
		s = reftable_stack_new(gitdir, st->base.algo);
		strmap_put(&st->others, key, s);
	}
	free(gitdir);
	free(key);
	return s;
}

struct reftable_stack *reftable_stack_of(struct ref_store *rs, const char *name, const char **bare)
{
	struct reftable_store *st = reftable_store(rs);
	const char *id;
	size_t len;

	*bare = name;
	if (refname_worktree_prefix(name, &id, &len, bare))
		return id && refname_is_per_worktree(*bare) ? stack_of_worktree(st, id, len) : st->shared;
	return refname_is_per_worktree(name) ? st->own : st->shared;
}

int reftable_fresh_stack_of(struct reftable_stack **out, struct ref_store *rs, const char *name, const char **bare,
			    struct err *err)
{
	struct reftable_stack *s = reftable_stack_of(rs, name, bare);
	int rc = reftable_stack_reload(s, err);

	if (!rc)
		*out = s;
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* Conflicts of names. In tables "a" and "a/b" could both be, but no other Git could check such a repository out. */
#include "compat/posix.h"
#include "refs/reftable/transaction-internal.h"
#include "util/alloc.h"

static const struct reftable_stack *stack_of_update(const struct ref_update *u)
{
	return reftable_update(u)->change->stack;
}

static int exists_error(struct err *err, const char *other, const struct ref_update *u)
{
	return err_set(err, ERR_CONFLICT, "'%s' exists; cannot create '%s'", other, u->name);
}

static int both_error(struct err *err, const char *a, const char *b)
{
	return err_set(err, ERR_CONFLICT, "cannot process '%s' and '%s' at the same time", a, b);
}

/* Is "a" or "a/b" a ref, when "a/b/c" is to be made? */
static int check_prefix(struct ref_transaction *t, const struct ref_update *u, const char *prefix, struct err *err)
{
	const struct ref_update *other = strmap_get(&t->by_name, prefix);
	struct ref_value v;
	int rc = reftable_lookup(t->rs, stack_of_update(u), prefix, &v, err);

	if (!rc && v.kind != REF_KIND_MISSING)
		rc = exists_error(err, prefix, u);
	if (!rc && other && !other->root->rc)
		rc = both_error(err, prefix, u->name);
	ref_value_release(&v);
	return rc;
}

static bool parent_is_free(const struct reftable_transaction *rt, const struct ref_update *u, size_t parent_len)
{
	return rt->free_parent && rt->free_stack == stack_of_update(u) && strlen(rt->free_parent) == parent_len &&
	       !memcmp(rt->free_parent, reftable_update(u)->bare, parent_len);
}

static int check_prefixes(struct ref_transaction *t, const struct ref_update *u, struct err *err)
{
	struct reftable_transaction *rt = reftable_transaction(t);
	const char *name = reftable_update(u)->bare, *last = strrchr(name, '/'), *slash;
	size_t parent_len = last ? (size_t)(last - name) : 0;
	int rc = 0;

	/* Names come sorted, so that neighbours share what has been looked at. */
	if (!last || parent_is_free(rt, u, parent_len))
		return 0;
	for (slash = strchr(name, '/'); !rc && slash; slash = strchr(slash + 1, '/')) {
		char *prefix;

		if (slash - name == 4 && !memcmp(name, "refs", 4))
			continue;
		prefix = xmemdupz(name, slash - name);
		rc = check_prefix(t, u, prefix, err);
		free(prefix);
	}
	if (!rc) {
		free(rt->free_parent);
		rt->free_parent = xmemdupz(name, parent_len);
		rt->free_stack = stack_of_update(u);
	}
	return rc;
}

/* Is there an "a/b", when "a" is to be made? */
static int check_below(struct ref_transaction *t, const struct ref_update *u, struct err *err)
{
	const struct reftable_stack *s = stack_of_update(u);
	char *dir = xconcat(reftable_update(u)->bare, "/"), *queued = xconcat(u->name, "/");
	struct merged_iter m = MERGED_ITER_INIT;
	const struct reftable_record *rec;
	const struct ref_update *other;
	int rc;

	merged_iter_start(&m, BLOCK_REF, s->tables, s->nr);
	rc = merged_iter_seek(&m, dir, strlen(dir), err);
	if (!rc)
		rc = merged_iter_next(&m, &rec, err);
	if (rc > 0)
		rc = starts_with(rec->key.buf, dir) ? exists_error(err, rec->key.buf, u) : 0;
	if (!rc && (other = ref_update_find_below(t, queued)))
		rc = both_error(err, u->name, other->name);
	merged_iter_release(&m);
	free(queued);
	free(dir);
	return rc;
}

int reftable_check_name(struct ref_transaction *t, const struct ref_update *u, struct err *err)
{
	int rc = check_prefixes(t, u, err);

	return rc || !starts_with(reftable_update(u)->bare, "refs/") ? rc : check_below(t, u, err);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of the reftable backend; opening a store. */
#include "compat/posix.h"
#include "refs/reftable/reftable-internal.h"
#include "refs/reftable/reftable.h"
#include "refs/reftable/transaction-internal.h"
#include "util/alloc.h"

static int reftable_store_open(struct ref_store *rs, const struct ref_store_options *o, struct err *err UNUSED)
{
	struct reftable_store *st = reftable_store(rs);

	st->gitdir = xstrdup(o->gitdir);
	st->commondir = xstrdup(o->commondir ? o->commondir : o->gitdir);
	st->shared_perm = o->shared_perm;
	st->lock_timeout_ms = o->lock_timeout_ms;
	st->tables = o->tables;
	st->shared = st->own = reftable_stack_new(st->commondir, rs->algo);
	if (strcmp(st->gitdir, st->commondir))
		st->own = reftable_stack_new(st->gitdir, rs->algo);
	return 0;
}

static void free_stack(void *stack)
{
	reftable_stack_free(stack);
}

static void reftable_store_close(struct ref_store *rs)
{
	struct reftable_store *st = reftable_store(rs);

	if (st->own != st->shared)
		reftable_stack_free(st->own);
	reftable_stack_free(st->shared);
	strmap_clear(&st->others, free_stack);
	free(st->gitdir);
	free(st->commondir);
}

static const struct ref_path paths[] = {
	{ .path = "HEAD" },
	{ .path = "reftable", .is_tree = true, .is_replaced = true },
	{ .path = NULL },
};

static const char *const layout_dirs[] = { "refs", "reftable", NULL };
/* HEAD and refs/ make the directory a repository for every Git; refs/heads is a file, so that none makes refs in it. */
static const struct ref_layout layout = {
	.dirs = layout_dirs,
	.head_stub = REF_HEAD_STUB,
	.file = "refs/heads",
	.file_text = "this repository uses the reftable format\n",
};

const struct ref_backend reftable_ref_backend = {
	.name = "reftable",
	.store_size = sizeof(struct reftable_store),
	.transaction_size = sizeof(struct reftable_transaction),
	.update_size = sizeof(struct reftable_update),
	.open = reftable_store_open,
	.close = reftable_store_close,
	.read = reftable_read_ref,
	.foreach = reftable_foreach,
	.root_names = reftable_root_names,
	.import = reftable_import,
	.lock = reftable_lock,
	.stage = reftable_stage,
	.unlock = reftable_unlock,
	.release = reftable_release,
	.update_clear = reftable_update_clear,
	.verify = reftable_verify,
	.pack = reftable_pack,
	.pack_is_due = reftable_pack_is_due,
	.reflog_exists = reftable_reflog_exists,
	.reflog_foreach = reftable_reflog_foreach,
	.reflogs_foreach = reftable_reflogs_foreach,
	.reflog_rewrite = reftable_reflog_rewrite,
	.reflog_remove = reftable_reflog_remove,
	.reflog_append = reftable_reflog_append,
	.paths = paths,
	.layout = &layout,
};

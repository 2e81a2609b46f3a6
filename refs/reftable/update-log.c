/* SPDX-License-Identifier: GPL-2.0-only */
/* The entries that a transaction adds to reflogs. */
#include "compat/posix.h"
#include "refs/reftable/transaction-internal.h"
#include "util/alloc.h"

struct lines {
	struct ref_transaction *t;
	struct reftable_update *r;
	struct ident_split ident;
	unsigned nr;
};

static void add_log_line(struct lines *l, const struct object_id *old_oid, const struct object_id *new_oid, const char *msg)
{
	change_add_log(l->r->change, l->r->bare, l->nr++, old_oid, new_oid, &l->ident, msg);
}

/* HEAD gets another target: what happens to the old one. A branch that keeps its name in a rename goes and comes back. */
static void add_first_log_line(struct lines *l, const struct ref_update *first)
{
	add_log_line(l, &first->value, first->log_from ? &l->t->rs->algo->null_oid : &first->new_oid, first->msg);
}

static void add_log_lines(struct lines *l, const struct object_id *old_oid, const struct object_id *new_oid)
{
	const struct ref_update *u = &l->r->base, *root = u->root;
	struct object_id at = *old_oid;

	if (u->log_first && root->nr_log_steps)
		at = u->log_first->value;
	for (size_t i = 0; i < root->nr_log_steps; i++) {
		add_log_line(l, &at, &root->log_steps[i].oid, root->log_steps[i].msg);
		at = root->log_steps[i].oid;
	}
	add_log_line(l, &at, new_oid, u->msg);
}

static int split_ident(struct lines *l, struct err *err)
{
	const char *ident = l->t->ident;

	if (!ident || ident_split_line(&l->ident, ident, strlen(ident)) < 0)
		return err_set(err, ERR_INVALID, "the change has no author");
	return 0;
}

/* All entries of another log, under the name of this one, which loses its own. */
static int inherit_log(struct lines *l, struct err *err)
{
	const char *from = l->r->base.log_from, *bare;
	struct reftable_stack *s = reftable_stack_of(l->t->rs, from, &bare);
	struct merged_iter m = MERGED_ITER_INIT;
	const struct reftable_record *rec;
	size_t name_len;
	uint64_t index;
	bool any = false;
	int rc = change_delete_logs(l->r->change, l->r->bare, err);

	merged_iter_start(&m, BLOCK_LOG, s->tables, s->nr);
	if (!rc)
		rc = merged_iter_seek(&m, bare, strlen(bare) + 1, err);
	while (!rc && (rc = merged_iter_next(&m, &rec, err)) > 0) {
		rc = 0;
		if (strcmp(rec->key.buf, bare) || !log_key_parse(&rec->key, &name_len, &index))
			break;
		change_copy_log(l->r->change, l->r->bare, index, &rec->log);
		any = true;
	}
	merged_iter_release(&m);
	if (!rc && l->r->base.msg && (any || reflog_is_wanted(l->t->rs, l->r->base.name))) {
		rc = split_ident(l, err);
		if (!rc)
			add_log_line(l, &l->r->base.new_oid, &l->r->base.new_oid, l->r->base.msg);
	}
	return rc;
}

int reftable_update_log(struct ref_transaction *t, struct ref_update *u, struct err *err)
{
	struct lines l = { .t = t, .r = reftable_update(u) };
	struct object_id old_oid, new_oid;
	bool logs, create;
	int rc;

	if (u->log_from)
		return inherit_log(&l, err);
	logs = ref_update_logs(t, u, &old_oid, &new_oid);
	if (!u->log_first && !logs)
		return 0;
	create = (u->flags | (u->log_first ? u->log_first->flags : 0)) & REF_FORCE_REFLOG || reflog_is_wanted(t->rs, u->name);
	if (!create && !reftable_log_exists(l.r->change->stack, l.r->bare))
		return 0;
	rc = split_ident(&l, err);
	if (rc < 0)
		return rc;
	if (u->log_first && !u->root->nr_log_steps) /* else the steps tell it */
		add_first_log_line(&l, u->log_first);
	if (logs)
		add_log_lines(&l, &old_oid, &new_oid);
	return 0;
}

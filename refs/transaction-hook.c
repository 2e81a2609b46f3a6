/* SPDX-License-Identifier: GPL-2.0-only */
/* What the reference-transaction hook is told of a transaction: githooks(5). */
#include "compat/posix.h"
#include "refs/refs-internal.h"

static void add_value(struct strbuf *out, bool given, const char *target,
		      const struct object_id *oid, const struct object_id *null_oid)
{
	if (given && target)
		strbuf_addf(out, "ref:%s ", target);
	else
		strbuf_addf(out, "%s ", oid_hex(given ? oid : null_oid));
}

/* As they were asked for, and those that were split off from symbolic refs. */
static void add_lines(const struct ref_transaction *t, struct strbuf *out)
{
	const struct object_id *null_oid = &t->rs->algo->null_oid;
	size_t i;

	for (i = 0; i < t->nr; i++) {
		const struct ref_update *u = t->updates[i];
		const unsigned asked = u->root->queued_flags;

		if (u->root->rc)
			continue;
		add_value(out, asked & (UPDATE_HAVE_OLD | UPDATE_HAVE_OLD_TARGET), u->old_target,
			  &u->old_oid, null_oid);
		add_value(out, asked & (UPDATE_HAVE_NEW | UPDATE_HAVE_TARGET), u->new_target,
			  &u->new_oid, null_oid);
		strbuf_addf(out, "%s\n", u->name);
	}
}

int transaction_run_hook(struct ref_transaction *t, const char *state, struct err *err)
{
	const struct ref_hook *hook = &t->rs->hook;
	struct strbuf lines = STRBUF_INIT;
	int rc;

	if (!hook->run || !hook->is_there(hook->data))
		return 0;
	add_lines(t, &lines);
	rc = hook->run(hook->data, t->batch, state, lines.buf, err);
	strbuf_release(&lines);
	if (rc < 0)
		return err_set(err, ERR_ABORTED, "in '%s' phase, update aborted by the "
			       "reference-transaction hook", state);
	return 0;
}

void transaction_tell_hook(struct ref_transaction *t, const char *state)
{
	struct err ignored = ERR_INIT;

	if (transaction_run_hook(t, state, &ignored) < 0)
		err_release(&ignored);
}

void ref_transaction_abort(struct ref_transaction *t)
{
	if (t->state != TRANSACTION_OPEN)
		return;
	transaction_tell_hook(t, "aborted");
	t->state = TRANSACTION_CLOSED;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Transactions that were interrupted are finished here, by the next command that opens the
 * repository, even one that only reads, or by the next transaction. The rest of a record is a
 * transaction of the ordinary kind, without reflog lines, which are there by then, and without
 * the hook, in which every ref has to be as the record says it was (value and time), or has its new
 * value already. If one is neither, another process has removed locks and changed it since: then
 * nothing is done, and the record is set aside.
 *
 * The process that finishes a record holds its lock, so two never both do it, and takes the locks of
 * its refs after that. A process with locks of refs never waits for one of a record: all are
 * released first.
 */
#include "compat/posix.h"
#include "compat/syscalls.h"
#include "fs/file.h"
#include "fs/owner.h"
#include "refs/files/files-internal.h"
#include "refs/files/journal-internal.h"
#include "refs/files/update-internal.h"
#include "util/alloc.h"
#include "util/string-list.h"

/* An abandoned record, and where its recovery is (journal-internal.h). */
struct recovery {
	struct ref_store *rs;
	const struct fsync_policy *policy;
	const char *path;
	enum record_state state;
};

/* J4 */
static void expect_finishing(const struct recovery *x)
{
	if (x->state != RECORD_FINISHING)
		BUG("the record '%s' is changed without its lock", x->path);
}

/* ---- the rest, as a transaction ---- */

/* A worktree that has been removed meanwhile is not to be made again. */
static bool has_place(const struct ref_store *rs, const char *name)
{
	const char *id, *bare;
	size_t len;
	char *dir;
	bool there;

	if (!refname_worktree_prefix(name, &id, &len, &bare) || !id)
		return true;
	dir = xstrfmt("%s/worktrees/%.*s", files_store(rs)->commondir, (int)len, id);
	there = is_directory(dir);
	free(dir);
	return there;
}

static void note_entry(struct files_update *f, const char *old, const char *new)
{
	f->journal_old = old;
	f->journal_new = new;
}

static void queue_entry(void *data, const char *name, const char *old, const char *new)
{
	struct ref_transaction *t = data;
	struct err ignored = ERR_INIT;
	const char *target;
	struct object_id oid;
	int rc = ERR_INVALID;

	if (!has_place(t->rs, name))
		return;
	if (skip_prefix(new, "ref:", &target))
		rc = ref_transaction_update_symref(t, name, target, NULL,
						   REF_NO_DEREF | REF_SKIP_REFLOG, NULL,
						   &ignored);
	else if (!oid_from_hex(&oid, new, t->rs->algo))
		rc = ref_transaction_update(t, name, &oid, NULL, REF_NO_DEREF | REF_SKIP_REFLOG,
					    NULL, &ignored);
	if (!rc)
		note_entry(files_update(t->updates[t->nr - 1]), old, new);
	err_release(&ignored);
}

/* Its lock is held, the disk refuses, or its object is in a store that is not ours now. */
static bool has_to_wait(const struct ref_transaction *t, const struct ref_update *u)
{
	switch (u->rc) {
	case ERR_CONFLICT:
	case ERR_CORRUPT:
		return false;
	case ERR_INVALID:
		return u->failure == REF_FAILURE_NEW_VALUE &&
		       files_store(t->rs)->objects_elsewhere;
	default:
		return true;
	}
}

/*
 * How many there were to do. *differs: one for which nothing can be done any more, or NULL.
 * < 0: one could not be looked at now: the record has to stay.
 */
static int count_changes(const struct ref_transaction *t, const struct ref_update **differs,
			 struct err *err)
{
	int nr = 0;

	*differs = NULL;
	for (size_t i = 0; i < t->nr; i++) {
		const struct ref_update *u = t->updates[i];

		if (!u->rc)
			nr += !!(u->flags & (UPDATE_WRITES | UPDATE_DELETES));
		else if (has_to_wait(t, u))
			return err_set(err, u->rc, "%s", u->error);
		else
			*differs = u;
	}
	return nr;
}

/* Others do not find it any more, `refs verify` does. */
static int set_aside(struct recovery *x, const struct ref_update *u, struct err *err)
{
	char *aside = xconcat(x->path, JOURNAL_SET_ASIDE);
	int rc = 0;

	expect_finishing(x);
	if (RETRY_EINTR(sys->rename(x->path, aside)) < 0) {
		rc = err_set_errno(err, "unable to rename '%s' to '%s'", x->path, aside);
	} else {
		ref_store_warn(x->rs, "a ref transaction that had been interrupted is not finished: "
			       "%s; see '%s'", u->error, aside);
		record_enter_state(&x->state, RECORD_SET_ASIDE);
	}
	free(aside);
	return rc;
}

static int commit_rest(struct recovery *x, struct ref_transaction *t, struct err *err)
{
	struct fsync_batch_options o = {
		.policy = *x->policy,
		.note_unsealed = owner_note_unsealed,
		.note_unsealed_data = files_store(t->rs)->commondir,
		.second_name = owner_second_name,
	};
	struct fsync_batch *b = fsync_batch_new(&o);
	const struct ref_update *differs = NULL;
	int nr = 0, rc = ref_transaction_prepare(t, b, err);

	if (!rc) {
		nr = count_changes(t, &differs, err);
		rc = nr < 0 ? nr : 0;
	}
	if (!rc && !differs)
		rc = ref_file_stage_removal(x->path, PUBLISH_REF_JOURNAL_END, b, err);
	if (!rc && !differs)
		rc = ref_transaction_commit(t, err);
	else
		ref_transaction_abort(t);
	fsync_batch_free(b);
	if (!rc && differs)
		return set_aside(x, differs, err);
	if (!rc && nr)
		ref_store_warn(x->rs, "finished a ref transaction that had been interrupted");
	return rc;
}

/* ---- one record ---- */

/* A damaged record says nothing: it goes. */
static int finish_record(struct recovery *x, struct err *err)
{
	struct ref_transaction *t = ref_transaction_begin(x->rs, REF_TRANSACTION_ALLOW_FAILURE |
								 REF_TRANSACTION_RECOVERS);
	struct strbuf record = STRBUF_INIT;
	struct err why = ERR_INIT;
	int rc;

	expect_finishing(x);
	rc = journal_read(x->rs, x->path, &record, queue_entry, t, &why);
	if (!rc) {
		rc = commit_rest(x, t, &why);
	} else if (rc == ERR_CORRUPT) {
		ref_store_warn(x->rs, "removing '%s', which is damaged", x->path);
		err_release(&why);
		rc = remove_file(x->path, &why);
	} else if (rc == ERR_NOT_FOUND) {
		rc = 0; /* another process was faster, or it had not got its name */
	}
	if (rc < 0)
		err_set(err, rc, "cannot finish the ref transaction of '%s': %s", x->path,
			err_message(&why));
	err_release(&why);
	ref_transaction_free(t);
	strbuf_release(&record);
	return rc;
}

static int finish_under_lock(struct recovery *x, struct err *err)
{
	char *new = xstrfmt("%s.new", x->path);
	int rc;

	record_enter_state(&x->state, RECORD_FINISHING);
	/* P5: left by a process that died with the lock. */
	rc = remove_file(new, err);
	if (!rc)
		rc = finish_record(x, err);
	if (x->state == RECORD_FINISHING)
		record_enter_state(&x->state, rc < 0 ? RECORD_ABANDONED : RECORD_NONE);
	free(new);
	return rc;
}

static int recover_one(struct ref_store *rs, const char *path,
		       const struct fsync_policy *policy, struct err *err)
{
	struct recovery x = { .rs = rs, .policy = policy, .path = path, .state = RECORD_ABANDONED };
	struct lockfile lk = LOCKFILE_INIT;
	int rc = lockfile_hold(&lk, path, LOCK_NO_DEREF, RECOVERY_TIMEOUT_MS, err);

	if (!rc)
		rc = finish_under_lock(&x, err);
	lockfile_release(&lk);
	return rc;
}

int files_recover(struct ref_store *rs, const struct fsync_policy *policy, struct err *err)
{
	struct string_list paths = STRING_LIST_INIT;
	int rc = journal_abandoned(rs, &paths, err);

	for (size_t i = 0; i < paths.nr; i++) {
		int one = recover_one(rs, paths.items[i].string, policy, err);

		rc = rc ? rc : one; /* err keeps the first message */
	}
	string_list_clear(&paths, NULL);
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * P6 for what cannot go the whole way (update-whole.c): HEAD, other symbolic refs, refs of
 * one worktree, and all that changes together with them. These go ref by ref, in
 * the order of update-stage.c. Before the first of them a record of the transaction gets its
 * name, `refs.redo`, and after the last one it goes. With its name the transaction has happened:
 * who finds it although nobody holds `refs.redo.lock` (a kill, a power cut, a disk that refused)
 * does the rest, as a transaction in which every ref has to be as the record says it was.
 * What is new already, or was changed by somebody since, stays as it is.
 *
 *	# ref transaction to be finished, version 1 LF
 *	NAME NUL OLD NUL NEW NUL	for each ref that changes
 *	HASH LF				of all the above
 *
 * NAME is one that every worktree understands. OLD and NEW are an object name, null for
 * none, or "ref:TARGET". OLD ends in a space and the time of the loose file, if there is one.
 *
 * The lock is taken before those of the refs, and held until the record has gone, so that
 * there is one record at a time. Stock git knows neither: between a cut and the next command
 * of ours it sees refs of which some are new and some old, and none that dangles (D5).
 * Tests: t/unit/test-refs-redo.c, t/t1410-refs-faults.sh.
 */
#include "compat/posix.h"
#include "fs/file.h"
#include "refs/files/files-internal.h"
#include "refs/files/loose-internal.h"
#include "refs/files/update-internal.h"
#include "util/alloc.h"
#include "write-or-die.h"

#define HEADER "# ref transaction to be finished, version 1\n"
#define RECORD_MAX (1u << 30) /* bytes */
/* Recovery waits no longer than this for a lock, whatever is configured. */
#define PATIENCE_MS 1000

static char *record_path(const struct ref_store *rs, const char *suffix)
{
	return xstrfmt("%s/refs.redo%s", files_store(rs)->commondir, suffix);
}

/* ---- what the record says of a ref ---- */

static bool same_dir(const char *a, const char *b)
{
	struct stat x, y;

	return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* What goes before the names of our own refs; false: we are no worktree of this repository. */
static bool add_own_prefix(const struct ref_store *rs, struct strbuf *out)
{
	struct string_list ids = STRING_LIST_INIT;
	bool found = same_dir(files_store(rs)->gitdir, files_store(rs)->commondir);
	size_t i;

	if (found)
		strbuf_addstr(out, "main-worktree/");
	else if (worktree_ids(files_store(rs)->commondir, &ids, NULL) < 0)
		return false;
	for (i = 0; !found && i < ids.nr; i++) {
		char *dir = xstrfmt("%s/worktrees/%s", files_store(rs)->commondir, ids.items[i].string);

		found = same_dir(files_store(rs)->gitdir, dir);
		if (found)
			strbuf_addf(out, "worktrees/%s/", ids.items[i].string);
		free(dir);
	}
	string_list_clear(&ids, NULL);
	return found;
}

static bool add_name(const struct ref_store *rs, const char *name, struct strbuf *out)
{
	if (refname_is_per_worktree(name) && !add_own_prefix(rs, out))
		return false;
	strbuf_add(out, name, strlen(name) + 1);
	return true;
}

static void add_old(const struct ref_store *rs, const struct ref_update *u, struct strbuf *out)
{
	struct strbuf path = STRBUF_INIT;
	struct stat st = { .st_size = 0 };

	if (files_update(u)->current.kind == LOOSE_SYMREF)
		strbuf_addf(out, "ref:%s", files_update(u)->current.target);
	else
		strbuf_addstr(out, oid_hex(&u->value));
	if (files_update(u)->in_loose) {
		ref_path(rs, u->name, &path);
		(void)lstat(path.buf, &st);
		strbuf_addf(out, " %jd.%09u", (intmax_t)st.st_mtime, ST_MTIME_NSEC(st));
		strbuf_release(&path);
	}
}

static void add_new(const struct ref_store *rs, const struct ref_update *u, struct strbuf *out)
{
	if (u->flags & UPDATE_WRITES && u->flags & UPDATE_HAVE_TARGET)
		strbuf_addf(out, "ref:%s", u->new_target);
	else
		strbuf_addstr(out, oid_hex(u->flags & UPDATE_WRITES ? &u->new_oid :
								      &rs->algo->null_oid));
}

/* How many change; 0 if one of them has no name that others understand. */
static size_t add_entries(const struct ref_transaction *t, struct strbuf *out)
{
	size_t i, nr = 0;

	for (i = 0; i < t->nr; i++) {
		const struct ref_update *u = t->updates[i];

		if (u->root->rc || !(u->flags & (UPDATE_WRITES | UPDATE_DELETES)))
			continue;
		if (!add_name(t->rs, u->name, out))
			return 0;
		add_old(t->rs, u, out);
		strbuf_addch(out, '\0');
		add_new(t->rs, u, out);
		strbuf_addch(out, '\0');
		nr++;
	}
	return nr;
}

bool redo_applies(const struct ref_store *rs, const struct ref_update *u)
{
	struct strbuf now = STRBUF_INIT;
	const char *rest;
	bool same;

	add_old(rs, u, &now);
	/* Its file may have gone into packed-refs with the same value. */
	same = skip_prefix(files_update(u)->redo_old, now.buf, &rest) &&
	       (!*rest || (*rest == ' ' && !files_update(u)->in_loose));
	strbuf_release(&now);
	return same;
}

/* ---- writing it ---- */

static void add_hash(const struct hash_algo *algo, struct strbuf *content)
{
	struct object_id sum;

	hash_buf(algo, content->buf, content->len, &sum);
	strbuf_addf(content, "%s\n", oid_hex(&sum));
}

static int stage_record(struct ref_transaction *t, const struct strbuf *content,
			const char *path, struct err *err)
{
	char *new = record_path(t->rs, ".new");
	struct tempfile *tf = NULL;
	int rc = tempfile_create(&tf, new, 0666, err);

	if (!rc)
		rc = apply_shared_perm(new, files_store(t->rs)->shared_perm, err);
	if (!rc)
		rc = write_in_full(tf->fd, content->buf, content->len, new, err);
	if (!rc)
		rc = tempfile_stage(&tf, t->batch, FSYNC_REFERENCE, PUBLISH_REF_JOURNAL, path, false,
				    err);
	tempfile_delete(&tf);
	free(new);
	return rc;
}

int redo_stage(struct ref_transaction *t, struct err *err)
{
	struct strbuf content = STRBUF_INIT;
	char *path = record_path(t->rs, "");
	int rc = 0;

	strbuf_addstr(&content, HEADER);
	if (add_entries(t, &content) >= 2 && content.len < RECORD_MAX / 2) {
		add_hash(t->rs->algo, &content);
		rc = stage_record(t, &content, path, err);
		if (!rc)
			rc = ref_file_stage_removal(path, PUBLISH_REF_JOURNAL_END, t->batch, err);
	}
	strbuf_release(&content);
	free(path);
	return rc;
}

/* ---- reading it; nothing in it is trusted ---- */

/* The entries, and where they end; false: damaged. */
static bool check_record(const struct strbuf *record, const struct hash_algo *algo,
			 const char **from, const char **end)
{
	const size_t tail = algo->hex_len + 1;
	struct object_id is, says;
	const char *rest;

	if (record->len < strlen(HEADER) + tail || !skip_prefix(record->buf, HEADER, from))
		return false;
	*end = record->buf + record->len - tail;
	if (oid_parse_hex(&says, *end, algo, &rest) || strcmp(rest, "\n"))
		return false;
	hash_buf(algo, record->buf, record->len - tail, &is);
	return oid_eq(&is, &says) && (*from == *end || !(*end)[-1]);
}

static const char *next_field(const char **p, const char *end)
{
	const char *field = *p;

	if (field >= end)
		return NULL;
	*p += strlen(field) + 1;
	return field;
}

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

static void queue_entry(struct ref_transaction *t, const char *name, const char *old,
			const char *new)
{
	struct err ignored = ERR_INIT;
	const char *target;
	struct object_id oid;
	int rc = ERR_INVALID;

	if (!has_place(t->rs, name))
		return;
	if (skip_prefix(new, "ref:", &target))
		rc = ref_transaction_update_symref(t, name, target, NULL, REF_SKIP_REFLOG, NULL,
						   &ignored);
	else if (!oid_from_hex(&oid, new, t->rs->algo))
		rc = ref_transaction_update(t, name, &oid, NULL, REF_NO_DEREF | REF_SKIP_REFLOG,
					    NULL, &ignored);
	if (!rc)
		files_update(t->updates[t->nr - 1])->redo_old = old;
	err_release(&ignored);
}

static void queue_entries(struct ref_transaction *t, const char *p, const char *end)
{
	const char *name, *old, *new;

	while ((name = next_field(&p, end)) && (old = next_field(&p, end)) &&
	       (new = next_field(&p, end)))
		queue_entry(t, name, old, new);
}

/* ---- doing the rest ---- */

/* Its lock is held, the disk refuses, or its object is in a store that is not ours now. */
static bool has_to_wait(const struct ref_transaction *t, const struct ref_update *u)
{
	switch (u->rc) {
	case ERR_CONFLICT:
	case ERR_CORRUPT:
		return false;
	case ERR_INVALID:
		return u->failure == REF_FAILURE_NEW_VALUE && files_store(t->rs)->objects_elsewhere;
	default:
		return true;
	}
}

/* How many there were to do. < 0: one could not be looked at now: the record has to stay. */
static int count_redone(const struct ref_transaction *t, struct err *err)
{
	int nr = 0;
	size_t i;

	for (i = 0; i < t->nr; i++) {
		const struct ref_update *u = t->updates[i];

		if (!u->rc)
			nr += !!(u->flags & (UPDATE_WRITES | UPDATE_DELETES));
		else if (has_to_wait(t, u))
			return err_set(err, u->rc, "%s", u->error);
	}
	return nr;
}

static int redo(struct ref_transaction *t, const char *path, const struct fsync_policy *policy,
		struct err *err)
{
	struct fsync_batch_options o = { .policy = *policy };
	struct fsync_batch *b = fsync_batch_new(&o);
	int nr = 0, rc = ref_transaction_prepare(t, b, err);

	if (!rc) {
		nr = count_redone(t, err);
		rc = nr < 0 ? nr : ref_file_stage_removal(path, PUBLISH_REF_JOURNAL_END, b, err);
	}
	if (!rc)
		rc = ref_transaction_commit(t, err);
	else
		ref_transaction_abort(t);
	fsync_batch_free(b);
	if (!rc && nr)
		ref_store_warn(t->rs, "finished a ref transaction that had been interrupted");
	return rc;
}

/* The lock is held. A damaged record says nothing: it goes. */
static int finish_record(struct ref_store *rs, const struct fsync_policy *policy, struct err *err)
{
	struct strbuf record = STRBUF_INIT;
	char *path = record_path(rs, "");
	struct ref_transaction *t;
	struct err why = ERR_INIT;
	const char *from, *end;
	int rc = read_file(&record, path, RECORD_MAX, &why);

	if (!rc && check_record(&record, rs->algo, &from, &end)) {
		t = ref_transaction_begin(rs, REF_TRANSACTION_ALLOW_FAILURE | REF_TRANSACTION_RECOVERS);
		queue_entries(t, from, end);
		rc = redo(t, path, policy, &why);
		ref_transaction_free(t);
	} else if (!rc || rc == ERR_TOO_BIG) {
		ref_store_warn(rs, "removing '%s', which is damaged", path);
		rc = remove_file(path, &why);
	}
	if (rc == ERR_NOT_FOUND)
		rc = 0;
	else if (rc < 0)
		err_set(err, rc, "cannot finish the ref transaction of '%s': %s", path,
			err_message(&why));
	err_release(&why);
	strbuf_release(&record);
	free(path);
	return rc;
}

static long patience(long timeout_ms)
{
	return timeout_ms < 0 || timeout_ms > PATIENCE_MS ? PATIENCE_MS : timeout_ms;
}

static int finish_with_patience(struct ref_store *rs, const struct fsync_policy *policy,
				struct err *err)
{
	const long lock = files_store(rs)->lock_timeout_ms, packed = files_store(rs)->packed_lock_timeout_ms;
	int rc;

	files_store(rs)->lock_timeout_ms = patience(lock);
	files_store(rs)->packed_lock_timeout_ms = patience(packed);
	rc = finish_record(rs, policy, err);
	files_store(rs)->lock_timeout_ms = lock;
	files_store(rs)->packed_lock_timeout_ms = packed;
	return rc;
}

int redo_lock(struct ref_store *rs, struct lockfile *lk, long timeout_ms,
	      const struct fsync_policy *policy, struct err *err)
{
	char *path = record_path(rs, ""), *new = record_path(rs, ".new");
	int rc = lockfile_hold(lk, path, LOCK_NO_DEREF, timeout_ms, err);

	if (!rc) {
		/* P5: left by somebody who died with the lock. */
		rc = remove_file(new, err);
		if (!rc)
			rc = finish_with_patience(rs, policy, err);
		if (rc < 0)
			lockfile_release(lk);
	}
	free(new);
	free(path);
	return rc;
}

bool redo_is_due(const struct ref_store *rs)
{
	char *path = record_path(rs, ""), *lock = record_path(rs, ".lock");
	bool due = lock_owner_of(lock, NULL) == LOCK_OWNER_GONE ||
		   (file_exists(path) && !file_exists(lock));

	free(lock);
	free(path);
	return due;
}

void redo_what_is_due(struct ref_store *rs, const struct fsync_policy *policy)
{
	struct lockfile lk = LOCKFILE_INIT;
	struct err ignored = ERR_INIT;

	if (redo_lock(rs, &lk, 0, policy, &ignored) < 0)
		err_release(&ignored);
	lockfile_release(&lk);
}

void files_recover(struct ref_store *rs, const struct fsync_policy *policy)
{
	char *path = record_path(rs, "");

	if (file_exists(path) && redo_is_due(rs))
		redo_what_is_due(rs, policy);
	free(path);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The journal of refs: P6 for transactions that go ref by ref. Before the first of its refs
 * changes, a transaction gives its record a name, and removes it after the last one. With the
 * name of the record the transaction has happened: a process that finds a record whose writer is gone
 * (a kill, a power cut, a failed disk) completes it (recover.c).
 *
 *	COMMONDIR/ref-journal/ID	one record per transaction
 *	COMMONDIR/ref-journal/ID.lock	held by its writer, or by the process that finishes it
 *
 *	# ref transaction to be finished, version 1 LF
 *	NAME NUL OLD NUL NEW NUL	for each ref that changes
 *	HASH LF				of all the above
 *
 * NAME is one that every worktree understands. OLD and NEW are an object name, null for
 * none, or "ref:TARGET". OLD ends in a space and the time of the loose file, if there is one.
 *
 * The lock has its name before the record, and loses it after, so a record without a lock has no
 * writer. Its writer also holds the lock of each ref until the ref has changed: transactions
 * of other refs have records of their own, and none waits for another's. The directory stays.
 *
 * A version that had one record, COMMONDIR/refs.redo, wrote it in the same format.
 * Tests: t/unit/test-refs-journal.c, t/t1410-refs-faults.sh.
 */
#include "compat/posix.h"
#include "compat/os.h"
#include "fs/file.h"
#include "refs/files/files-internal.h"
#include "refs/files/journal-internal.h"
#include "refs/files/loose-internal.h"
#include "refs/files/update-internal.h"
#include "util/alloc.h"
#include "util/map.h"
#include "util/string-list.h"
#include "write-or-die.h"
#include <dirent.h>

#define HEADER "# ref transaction to be finished, version 1\n"
#define RECORD_MAX (1u << 30) /* bytes */

/* ---- states ---- */

#define IN(state) (1u << RECORD_##state)

/* The drawing of the header: the states that may follow each. */
static const unsigned char record_next_states[RECORD_STATE_NR] = {
	[RECORD_NONE] = IN(LOCKED),
	[RECORD_LOCKED] = IN(STAGED) | IN(NONE) | IN(ABANDONED),
	[RECORD_STAGED] = IN(HAPPENED) | IN(NONE) | IN(ABANDONED),
	[RECORD_HAPPENED] = IN(NONE) | IN(ABANDONED),
	[RECORD_ABANDONED] = IN(FINISHING),
	[RECORD_FINISHING] = IN(NONE) | IN(SET_ASIDE) | IN(ABANDONED),
	[RECORD_SET_ASIDE] = 0,
};

void record_enter_state(enum record_state *state, enum record_state next)
{
	static const char *const names[RECORD_STATE_NR] = { "NONE", "LOCKED", "STAGED", "HAPPENED",
							    "ABANDONED", "FINISHING", "SET_ASIDE" };

	if (!(record_next_states[*state] & (1u << next)))
		BUG("a record of refs goes from %s to %s", names[*state], names[next]);
	*state = next;
}

/* ---- what a record says of a ref ---- */

static bool same_dir(const char *a, const char *b)
{
	struct stat x, y;

	return !stat(a, &x) && !stat(b, &y) && is_same_file(&x, &y);
}

/* What goes before the names of our own refs; false: we are no worktree of this repository. */
static bool add_own_prefix(const struct files_store *fs, struct strbuf *out)
{
	struct string_list ids = STRING_LIST_INIT;
	bool found = same_dir(fs->gitdir, fs->commondir);

	if (found)
		strbuf_addstr(out, "main-worktree/");
	else if (worktree_ids(fs->commondir, &ids, NULL) < 0)
		return false;
	for (size_t i = 0; !found && i < ids.nr; i++) {
		char *dir = xstrfmt("%s/worktrees/%s", fs->commondir, ids.items[i].string);

		found = same_dir(fs->gitdir, dir);
		if (found)
			strbuf_addf(out, "worktrees/%s/", ids.items[i].string);
		free(dir);
	}
	string_list_clear(&ids, NULL);
	return found;
}

/* False: it has none. */
static bool add_name(const struct ref_store *rs, const char *name, struct strbuf *out)
{
	if (refname_is_per_worktree(name) && !add_own_prefix(files_store(rs), out))
		return false;
	strbuf_add(out, name, strlen(name) + 1);
	return true;
}

static void add_value(const struct ref_update *u, struct strbuf *out)
{
	const struct files_update *f = files_update(u);

	if (f->current.kind == LOOSE_SYMREF)
		strbuf_addf(out, "ref:%s", f->current.target);
	else
		strbuf_add_oid(out, &u->value);
}

static void add_old(const struct ref_update *u, struct strbuf *out)
{
	const struct files_update *f = files_update(u);

	add_value(u, out);
	if (f->in_loose)
		strbuf_addf(out, " %jd.%09u", (intmax_t)f->mtime, f->mtime_nsec);
}

static void add_new(const struct ref_store *rs, const struct ref_update *u, struct strbuf *out)
{
	if (u->flags & UPDATE_WRITES && u->flags & UPDATE_HAVE_TARGET)
		strbuf_addf(out, "ref:%s", u->new_target);
	else
		strbuf_add_oid(out, u->flags & UPDATE_WRITES ? &u->new_oid : &rs->algo->null_oid);
}

/* How many change; 0 if one of them has no name that others understand. */
static size_t add_entries(const struct ref_transaction *t, struct strbuf *out)
{
	size_t nr = 0;

	for (size_t i = 0; i < t->nr; i++) {
		const struct ref_update *u = t->updates[i];

		if (u->root->rc || !(u->flags & (UPDATE_WRITES | UPDATE_DELETES)))
			continue;
		if (!add_name(t->rs, u->name, out))
			return 0;
		add_old(u, out);
		strbuf_addch(out, '\0');
		add_new(t->rs, u, out);
		strbuf_addch(out, '\0');
		nr++;
	}
	return nr;
}

enum journal_entry_state journal_entry_state(const struct ref_update *u)
{
	const struct files_update *f = files_update(u);
	enum journal_entry_state state = ENTRY_DIFFERS;
	struct strbuf now = STRBUF_INIT;
	const char *rest;

	add_value(u, &now);
	if (!strcmp(f->journal_new, now.buf))
		state = ENTRY_IS_DONE;
	strbuf_reset(&now);
	add_old(u, &now);
	/* Its file may have gone into packed-refs with the same value. */
	if (skip_prefix(f->journal_old, now.buf, &rest) &&
	    (!*rest || (*rest == ' ' && !f->in_loose)))
		state = ENTRY_APPLIES;
	strbuf_release(&now);
	return state;
}

/* ---- writing ---- */

static char *journal_dir(const struct ref_store *rs)
{
	return xstrfmt("%s/ref-journal", files_store(rs)->commondir);
}

/* Creates the record under a unique name. The directory is made once, and stays. */
static int lock_new_record(struct ref_transaction *t, struct lockfile *lk, struct err *err)
{
	char *dir = journal_dir(t->rs);
	char *path = xstrfmt("%s/%016" PRIx64, dir, os_random64());
	struct err why = ERR_INIT;
	int rc = lockfile_hold(lk, path, LOCK_NO_DEREF, 0, &why);

	if (rc < 0 && why.sys_errno == ENOENT) {
		rc = ref_make_parents(t->rs, path, t->batch, err);
		if (!rc)
			rc = lockfile_hold(lk, path, LOCK_NO_DEREF, 0, err);
	} else if (rc < 0) {
		err_move(err, &why);
	}
	if (!rc)
		rc = lockfile_close(lk, err);
	err_release(&why);
	free(path);
	free(dir);
	return rc;
}

static int stage_content(struct ref_transaction *t, const char *path,
			 const struct strbuf *content, struct err *err)
{
	char *new = xstrfmt("%s.new", path);
	struct tempfile *tf = NULL;
	int rc = tempfile_create(&tf, new, 0666, err);

	if (!rc)
		rc = apply_shared_perm(new, files_store(t->rs)->shared_perm, err);
	if (!rc)
		rc = write_in_full(tf->fd, content->buf, content->len, new, err);
	if (!rc)
		rc = tempfile_stage(&tf, t->batch, FSYNC_REFERENCE, PUBLISH_REF_JOURNAL, path,
				    false, err);
	tempfile_delete(&tf);
	free(new);
	return rc;
}

static void add_hash(const struct hash_algo *algo, struct strbuf *content)
{
	struct object_id sum;

	hash_buf(algo, content->buf, content->len, &sum);
	strbuf_addf(content, "%s\n", oid_hex(&sum));
}

int journal_stage(struct ref_transaction *t, struct err *err)
{
	struct files_transaction *ft = files_transaction(t);
	struct strbuf content = STRBUF_INIT;
	struct lockfile lk = LOCKFILE_INIT;
	int rc = 0;

	strbuf_addstr(&content, HEADER);
	if (add_entries(t, &content) >= 2 && content.len < RECORD_MAX / 2) {
		add_hash(t->rs->algo, &content);
		record_enter_state(&ft->record, RECORD_LOCKED); /* J2 */
		rc = lock_new_record(t, &lk, err);
		if (!rc)
			rc = stage_content(t, lk.target, &content, err);
		if (!rc)
			rc = ref_file_stage_removal(lk.target, PUBLISH_REF_JOURNAL_END, t->batch,
						    err);
		if (rc < 0)
			lockfile_release(&lk);
		else
			held_locks_add(ft->held, &lk);
		record_enter_state(&ft->record, rc < 0 ? RECORD_NONE : RECORD_STAGED);
	}
	strbuf_release(&content);
	return rc;
}

/* ---- reading; nothing in it is trusted ---- */

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

int journal_read(const struct ref_store *rs, const char *path, struct strbuf *record,
		 journal_entry_fn fn, void *data, struct err *err)
{
	const char *from, *end, *name, *old, *new;
	int rc = read_file(record, path, RECORD_MAX, err);

	if (rc < 0 && rc != ERR_TOO_BIG)
		return rc;
	if (rc < 0 || !check_record(record, rs->algo, &from, &end))
		return err_set(err, ERR_CORRUPT, "'%s' is damaged", path);
	while ((name = next_field(&from, end)) && (old = next_field(&from, end)) &&
	       (new = next_field(&from, end)))
		fn(data, name, old, new);
	return 0;
}

/* ---- records without a writer ---- */

static bool has_suffix_file(const char *path, const char *suffix)
{
	char *full = xstrfmt("%s%s", path, suffix);
	bool there = file_exists(full);

	free(full);
	return there;
}

/*
 * The state of a record, as the files say; RECORD_LOCKED stands for each state in which a process
 * that may be alive holds the lock. The record is looked for after its lock (J3): a record that has come to its
 * end meanwhile is RECORD_NONE.
 */
static enum record_state record_state_on_disk(const char *path)
{
	char *lock = xstrfmt("%s.lock", path);
	enum record_state state = RECORD_LOCKED;

	if (lock_owner_of(lock, NULL) == LOCK_OWNER_GONE)
		state = RECORD_ABANDONED;
	else if (!file_exists(lock))
		state = file_exists(path) || has_suffix_file(path, ".new") ? RECORD_ABANDONED : RECORD_NONE;
	free(lock);
	return state;
}

static void add_abandoned(struct string_list *out, const char *path)
{
	if (record_state_on_disk(path) == RECORD_ABANDONED)
		string_list_append(out, path);
}

/* ID, ID.lock and ID.new are one; sorted. */
static int list_ids(const char *dir, struct string_list *out, struct err *err)
{
	DIR *d = opendir(dir);
	struct dirent *de;

	if (!d)
		return errno == ENOENT || errno == ENOTDIR ? 0 :
			err_set_errno(err, "cannot open directory '%s'", dir);
	while ((de = readdir(d))) {
		char *id;
		size_t len;

		if (de->d_name[0] == '.' || ends_with(de->d_name, JOURNAL_SET_ASIDE))
			continue;
		if (!strip_suffix(de->d_name, ".lock", &len) &&
		    !strip_suffix(de->d_name, ".new", &len))
			len = strlen(de->d_name);
		id = xstrndup(de->d_name, len);
		string_list_append(out, id);
		free(id);
	}
	closedir(d);
	string_list_sort(out);
	return 0;
}

int journal_abandoned(const struct ref_store *rs, struct string_list *out, struct err *err)
{
	char *dir = journal_dir(rs);
	char *former = xstrfmt("%s/refs.redo", files_store(rs)->commondir);
	struct string_list ids = STRING_LIST_INIT;
	int rc = list_ids(dir, &ids, err);

	if (file_exists(former))
		add_abandoned(out, former);
	for (size_t i = 0; !rc && i < ids.nr; i++) {
		char *path;

		if (i && !strcmp(ids.items[i].string, ids.items[i - 1].string))
			continue;
		path = xstrfmt("%s/%s", dir, ids.items[i].string);
		add_abandoned(out, path);
		free(path);
	}
	string_list_clear(&ids, NULL);
	free(former);
	free(dir);
	return rc;
}

/* ---- does one of them concern us? ---- */

static void note_name(void *data, const char *name, const char *old UNUSED,
		      const char *new UNUSED)
{
	strset_add(data, name);
}

static bool has_name_of_ours(const struct ref_transaction *t, const struct strset *names)
{
	struct strbuf name = STRBUF_INIT;
	bool found = false;

	for (size_t i = 0; !found && i < t->nr; i++) {
		strbuf_reset(&name);
		found = add_name(t->rs, t->updates[i]->name, &name) &&
			strset_contains(names, name.buf);
	}
	strbuf_release(&name);
	return found;
}

bool journal_names_ours(const struct ref_transaction *t, const struct string_list *paths)
{
	struct strset names = STRSET_INIT;
	bool found;

	for (size_t i = 0; i < paths->nr; i++) {
		struct strbuf record = STRBUF_INIT;
		struct err ignored = ERR_INIT;

		if (journal_read(t->rs, paths->items[i].string, &record, note_name, &names,
				 &ignored) < 0)
			err_release(&ignored);
		strbuf_release(&record);
	}
	found = has_name_of_ours(t, &names);
	strset_clear(&names);
	return found;
}

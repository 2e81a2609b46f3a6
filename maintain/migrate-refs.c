/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include <dirent.h>
#include "maintain/migrate-refs.h"
#include "compat/os.h"
#include "compat/syscalls.h"
#include "fs/file.h"
#include "fs/lockfile.h"
#include "operation/operation.h"
#include "refs/root-refs.h"
#include "repo/ref-storage.h"
#include "util/alloc.h"
#include "util/path.h"
#include "write-or-die.h"

#define STAGING_DIR "ref_migration"

struct ref_migration {
	struct repository *r;
	const struct ref_migration_options *o;
	const struct ref_layout *from_layout, *to_layout;
	struct repo_operation *op;
	struct lockfile lock;
	char *dir; /* where the new format is built */
	bool placed;
};

/* Tables have HEAD, and the file is a stub; else HEAD and its like are files. */
static bool has_tables(const struct ref_layout *l)
{
	return l->head_stub != NULL;
}

static int migration_commit(struct ref_migration *m, int rc, struct err *err)
{
	if (!rc)
		rc = repo_operation_commit(m->op, err);
	else
		repo_operation_abort(m->op);
	return rc;
}

static void note_gitdir(struct ref_migration *m, const char *dir)
{
	fsync_batch_note_dir(repo_operation_batch(m->op), FSYNC_REFERENCE, dir);
}

/* ---- files ---- */

static int stage_text(struct ref_migration *m, const char *name, const char *text, enum publish_class order, struct err *err)
{
	char *path = path_join(m->r->commondir, name);
	struct lockfile lk = LOCKFILE_INIT;
	int rc = lockfile_hold(&lk, path, LOCK_NO_DEREF, m->r->settings.files_lock_timeout_ms, err);

	if (!rc)
		rc = write_in_full(lk.tf->fd, text, strlen(text), lk.tf->path, err);
	if (!rc)
		rc = apply_shared_perm(lk.tf->path, m->r->settings.shared_perm, err);
	if (!rc)
		rc = lockfile_stage(&lk, repo_operation_batch(m->op), FSYNC_REFERENCE, order, err);
	lockfile_release(&lk);
	free(path);
	return rc;
}

/* A missing directory is an empty one. */
static int list_names(const char *dir, struct string_list *names, struct err *err)
{
	DIR *d = opendir(dir);
	struct dirent *de;
	int rc = 0;

	if (!d)
		return errno == ENOENT || errno == ENOTDIR ? 0 : err_set_errno(err, "cannot open directory '%s'", dir);
	while ((errno = 0, de = readdir(d)))
		if (strcmp(de->d_name, ".") && strcmp(de->d_name, ".."))
			string_list_append(names, de->d_name);
	if (errno)
		rc = err_set_errno(err, "cannot read directory '%s'", dir);
	closedir(d);
	return rc;
}

static int remove_any(const char *path, struct err *err)
{
	return is_directory_nofollow(path) ? remove_tree(path, false, err) : remove_file(path, err);
}

static int remove_below(const char *dir, const char *name, struct err *err)
{
	char *path = path_join(dir, name);
	int rc = remove_any(path, err);

	free(path);
	return rc;
}

/* ---- build ---- */

static int open_new_store(struct ref_store **out, struct ref_migration *m, const char *dir, struct err *err)
{
	const struct repository *r = m->r;
	struct ref_store_options so = {
		.backend = m->o->to, .gitdir = dir, .algo = r->algo, .objects = odb_source_unreplaced(r->odb),
		.shared_perm = r->settings.shared_perm, .reflogs = REFLOG_NONE,
		.lock_timeout_ms = r->settings.files_lock_timeout_ms,
		.table_lock_timeout_ms = r->settings.packed_lock_timeout_ms,
	};
	int rc = ref_storage_read_options(&so, r->config, err);

	return rc ? rc : ref_store_open(out, &so, err);
}

/* A new name for each dry run. */
static int make_dry_run_dir(struct ref_migration *m, struct err *err)
{
	do {
		free(m->dir);
		m->dir = xstrfmt("%s/" STAGING_DIR ".%08x", m->r->commondir, (unsigned)os_random64());
	} while (RETRY_EINTR(sys->mkdir(m->dir, 0777)) < 0 && errno == EEXIST);
	if (!is_directory_nofollow(m->dir))
		return err_set_errno(err, "cannot create migration directory '%s'", m->dir);
	return apply_shared_perm(m->dir, m->r->settings.shared_perm, err);
}

static int make_staging(struct ref_migration *m, struct err *err)
{
	const int perm = m->r->settings.shared_perm;
	int rc = 0;

	if (m->o->dry_run) {
		rc = make_dry_run_dir(m, err);
	} else {
		m->dir = path_join(m->r->commondir, STAGING_DIR);
		rc = make_dir(m->dir, perm, err);
	}
	for (const char *const *name = m->to_layout->dirs; !rc && *name; name++) {
		char *path = path_join(m->dir, *name);

		rc = make_dir(path, perm, err);
		free(path);
	}
	note_gitdir(m, m->r->commondir);
	note_gitdir(m, m->dir);
	return rc;
}

static int build(struct ref_migration *m, struct err *err)
{
	struct ref_store *to = NULL;
	int rc = make_staging(m, err);

	if (!rc)
		rc = open_new_store(&to, m, m->dir, err);
	if (!rc)
		rc = refs_import(to, m->r->refs, m->o->reflogs, repo_operation_batch(m->op), err);
	rc = migration_commit(m, rc, err);
	ref_store_free(to);
	return rc;
}

/* ---- place ---- */

/* A file or directory of the format that is not used goes first. A file is replaced in one step. */
static int place_one(struct ref_migration *m, const char *name, struct err *err)
{
	char *from = path_join(m->dir, name), *to = path_join(m->r->commondir, name);
	int rc = is_directory_nofollow(from) || is_directory_nofollow(to) || starts_with(name, "refs/") ? remove_any(to, err) : 0;

	if (!rc && RETRY_EINTR(sys->rename(from, to)) < 0)
		rc = err_set_errno(err, "could not link file '%s' to '%s'", from, to);
	free(from);
	free(to);
	return rc;
}

/* The directory "refs" itself stays: without it the directory is no repository. */
static int place_refs_dir(struct ref_migration *m, struct err *err)
{
	struct string_list names = STRING_LIST_INIT;
	char *from = path_join(m->dir, "refs"), *to = path_join(m->r->commondir, "refs");
	int rc = remove_tree(to, true, err);

	if (!rc)
		rc = list_names(from, &names, err);
	for (size_t i = 0; !rc && i < names.nr; i++) {
		char *name = path_join("refs", names.items[i].string);

		rc = place_one(m, name, err);
		free(name);
	}
	note_gitdir(m, to);
	string_list_clear(&names, NULL);
	free(from);
	free(to);
	return rc;
}

static int place_files(struct ref_migration *m, struct err *err)
{
	struct string_list names = STRING_LIST_INIT;
	int rc = list_names(m->dir, &names, err);

	for (size_t i = 0; !rc && i < names.nr; i++) {
		const char *name = names.items[i].string;

		if (!strcmp(name, "refs"))
			rc = place_refs_dir(m, err);
		else if (*name != '.')
			rc = place_one(m, name, err);
	}
	string_list_clear(&names, NULL);
	return rc;
}

/* Not readable there: the configuration names the other format. */
static int place(struct ref_migration *m, struct err *err)
{
	int rc;

	m->placed = true;
	rc = has_tables(m->to_layout) ? place_one(m, "reftable", err) : place_files(m, err);
	note_gitdir(m, m->r->commondir);
	return migration_commit(m, rc, err);
}

/* ---- compare ---- */

static void sum_value(struct hash_ctx *sum, const char *name, const char *target, const struct object_id *oid)
{
	hash_update(sum, name, strlen(name) + 1);
	if (target)
		hash_update(sum, target, strlen(target) + 1);
	else
		hash_update(sum, oid_hex(oid), strlen(oid_hex(oid)) + 1);
}

static int sum_ref(void *data, const struct ref *ref)
{
	sum_value(data, ref->name, ref->symref_target, &ref->oid);
	return 0;
}

static int sum_roots(struct hash_ctx *sum, struct ref_store *rs, struct err *err)
{
	struct string_list names = STRING_LIST_INIT;
	int rc = refs_root_names(rs, "", &names, err);

	for (size_t i = 0; !rc && i < names.nr; i++) {
		struct object_id oid;
		char *target = NULL;

		rc = ref_read_raw(rs, names.items[i].string, &oid, &target, err);
		if (!rc)
			sum_value(sum, names.items[i].string, target, &oid);
		free(target);
	}
	string_list_clear(&names, NULL);
	return rc;
}

/* A checksum of all names and values. */
static int sum_refs(struct object_id *out, struct ref_store *rs, struct err *err)
{
	struct hash_ctx sum;
	int rc;

	hash_init(&sum, hash_sha256);
	rc = sum_roots(&sum, rs, err);
	if (!rc)
		rc = refs_foreach(rs, "", REFS_INCLUDE_BROKEN | REFS_NO_PEEL, sum_ref, &sum, err);
	hash_final(&sum, out);
	hash_release(&sum);
	return rc;
}

static int compare(struct ref_migration *m, struct err *err)
{
	struct object_id before, after;
	struct ref_store *to = NULL;
	int rc = open_new_store(&to, m, m->r->commondir, err);

	if (!rc)
		rc = sum_refs(&after, to, err);
	if (!rc)
		rc = sum_refs(&before, m->r->refs, err);
	if (!rc && !oid_eq(&before, &after))
		rc = err_set(err, ERR_CONFLICT, "refs have changed during the migration; it can be run again");
	ref_store_free(to);
	return rc;
}

/* ---- switch ---- */

/* Other extensions that only version 1 has. */
static int needs_version_1(bool *out, const char *path, struct err *err)
{
	static const char *const any_version[] = { "noop", "preciousobjects", "worktreeconfig", "partialclone", "refstorage" };
	struct config_set *c = config_set_new();
	int rc = config_set_read_file(c, path, CONFIG_SCOPE_LOCAL, NULL, err);

	*out = false;
	for (size_t i = 0; !rc && i < config_nr(c); i++) {
		const char *name;
		bool v1 = skip_prefix(config_at(c, i)->key, "extensions.", &name);

		for (size_t k = 0; v1 && k < ARRAY_SIZE(any_version); k++)
			v1 = strcmp(name, any_version[k]) != 0;
		*out |= v1;
	}
	config_set_free(c);
	return rc;
}

static int edit_config(struct ref_migration *m, struct err *err)
{
	const bool is_default = m->o->to == ref_storage_default();
	char *path = path_join(m->r->commondir, "config");
	bool version_1;
	int rc = needs_version_1(&version_1, path, err);
	const struct config_edit edits[] = {
		{ .key = "core.repositoryformatversion", .value = is_default && !version_1 ? "0" : "1", .multi = true },
		{ .key = "extensions.refstorage", .value = is_default ? NULL : ref_backend_name(m->o->to), .multi = true },
	};

	if (!rc)
		rc = config_file_edit_all(path, edits, ARRAY_SIZE(edits), repo_operation_batch(m->op), err);
	free(path);
	return rc;
}

/*
 * The stub HEAD comes after the configuration, and in a later phase (fsync/order.h): files whose HEAD is a stub would have no
 * current branch. A HEAD that names a branch does no harm beside tables.
 */
static int switch_format(struct ref_migration *m, struct err *err)
{
	int rc = edit_config(m, err);

	if (!rc && m->to_layout->head_stub)
		rc = stage_text(m, "HEAD", m->to_layout->head_stub, PUBLISH_FILE_LATE, err);
	return migration_commit(m, rc, err);
}

/* ---- sweep ---- */

static int sweep_root_refs(const char *gitdir, struct err *err)
{
	struct string_list names = STRING_LIST_INIT;
	int rc = list_names(gitdir, &names, err);

	for (size_t i = 0; !rc && i < names.nr; i++)
		if (refname_is_root_ref(names.items[i].string) && strcmp(names.items[i].string, "HEAD"))
			rc = remove_below(gitdir, names.items[i].string, err);
	string_list_clear(&names, NULL);
	return rc;
}

static int sweep_files(struct ref_migration *m, const struct ref_layout *used, struct err *err)
{
	const char *gitdir = m->r->commondir;
	char *refs = path_join(gitdir, "refs"), *journal = path_join(gitdir, "ref-journal");
	int rc = sweep_root_refs(gitdir, err);

	if (!rc)
		rc = remove_below(gitdir, "packed-refs", err);
	if (!rc)
		rc = remove_below(gitdir, "logs", err);
	if (!rc)
		rc = remove_tree(refs, true, err);
	if (!rc) /* it stays if there is the record of a transaction in it */
		(void)!sys->rmdir(journal);
	if (!rc)
		rc = stage_text(m, "HEAD", used->head_stub, PUBLISH_FILE_LATE, err);
	if (!rc)
		rc = stage_text(m, used->file, used->file_text, PUBLISH_FILE_LATE, err);
	free(journal);
	free(refs);
	return rc ? rc : repo_operation_publish(m->op, err);
}

/* Removes the files of the format that is not used, and then the record that they are there. */
static int sweep(struct ref_migration *m, const struct ref_layout *used, struct err *err)
{
	int rc = has_tables(used) ? sweep_files(m, used, err) : remove_below(m->r->commondir, "reftable", err);

	return rc ? rc : remove_below(m->r->commondir, STAGING_DIR, err);
}

/* ---- all of it ---- */

static int refuse_worktrees(const struct repository *r, struct err *err)
{
	struct string_list ids = STRING_LIST_INIT;
	int rc = worktree_ids(r->commondir, &ids, err);

	if (!rc && ids.nr)
		rc = err_set(err, ERR_UNSUPPORTED, "migrating repositories with worktrees is not supported yet");
	string_list_clear(&ids, NULL);
	return rc;
}

/* Alone from here on; an interrupted migration is swept. */
static int begin_migration(struct ref_migration *m, struct err *err)
{
	char *path = path_join(m->r->commondir, STAGING_DIR);
	int rc = lockfile_hold(&m->lock, path, LOCK_NO_DEREF, 0, err);

	if (!rc && file_exists(path))
		rc = sweep(m, m->from_layout, err);
	free(path);
	return rc;
}

static int migrate_under_lock(struct ref_migration *m, struct err *err)
{
	struct err ignored = ERR_INIT;
	int rc = build(m, err);

	if (!rc)
		rc = place(m, err);
	if (!rc)
		rc = compare(m, err);
	if (!rc) {
		rc = switch_format(m, err);
		/* Perhaps it has been switched: then both formats stay, and the next migration sees which one counts. */
		if (rc < 0)
			return rc;
		return sweep(m, m->to_layout, err);
	}
	if ((m->placed ? sweep(m, m->from_layout, &ignored) : remove_tree(m->dir, false, &ignored)) < 0)
		err_release(&ignored);
	return rc;
}

int ref_migrate(struct repository *r, const struct ref_migration_options *o, char **dir, struct err *err)
{
	struct ref_migration m = {
		.r = r, .o = o, .lock = LOCKFILE_INIT, .to_layout = refs_layout(o->to), .from_layout = refs_layout(refs_backend(r->refs)),
	};
	int rc = r->refs_are_outside ? err_set(err, ERR_UNSUPPORTED, "refs outside of the repository cannot be migrated") :
				       refuse_worktrees(r, err);

	if (rc < 0)
		return rc;
	m.op = repo_operation_begin(r);
	if (o->dry_run) {
		rc = build(&m, err);
	} else {
		rc = begin_migration(&m, err);
		if (!rc)
			rc = migrate_under_lock(&m, err);
	}
	lockfile_release(&m.lock);
	rc = repo_operation_end(m.op, rc, err);
	if (!rc && o->dry_run) {
		*dir = m.dir;
		m.dir = NULL;
	}
	free(m.dir);
	return rc;
}

/* Under the lock: another migration may have switched since this process began. In doubt, nothing is removed. */
static bool still_has_format(const struct repository *r)
{
	static const struct config_include_ctx nowhere = { NULL, NULL, NULL };
	struct config_set *c = config_set_new();
	char *path = path_join(r->commondir, "config");
	const struct config_entry *e;
	bool same;

	same = !config_set_read_file(c, path, CONFIG_SCOPE_LOCAL, &nowhere, NULL);
	e = config_get(c, "extensions.refstorage");
	same = same && !strcmp(e && e->value ? e->value : "files", ref_backend_name(refs_backend(r->refs)));
	config_set_free(c);
	free(path);
	return same;
}

int ref_migration_sweep(struct repo_operation *op, struct repository *r, struct err *err)
{
	struct ref_migration m = { .r = r, .op = op, .lock = LOCKFILE_INIT, .from_layout = refs_layout(refs_backend(r->refs)) };
	char *path = path_join(r->commondir, STAGING_DIR), *lock = xconcat(path, ".lock");
	struct err busy = ERR_INIT;
	int rc = 0;

	if (!r->refs_are_outside && (file_exists(path) || file_exists(lock)) &&
	    !lockfile_hold(&m.lock, path, LOCK_NO_DEREF, 0, &busy) && file_exists(path) && still_has_format(r))
		rc = sweep(&m, m.from_layout, err);
	lockfile_release(&m.lock);
	err_release(&busy);
	free(lock);
	free(path);
	return rc;
}

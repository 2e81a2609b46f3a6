/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Objects that a remote helper has put into our object database by itself, with a program of its own.
 *
 * They have no quarantine, unlike the objects of a push. A helper may keep a repository or refs of its own below GIT_DIR,
 * and run Git commands on them. If GIT_OBJECT_DIRECTORY were set for these commands, objects of the helper's refs would be
 * lost when the fetch fails, and objects of its other repository would come into ours. So the objects arrive directly in
 * the database, as with stock Git. Before the first ref changes, this file does what P1 to P6 require of a fetch:
 *
 *   - It walks the wanted objects that no ref leads to yet, and reads and hashes each object, with the checks of
 *     fetch.fsckObjects. No object may be missing or damaged. The helper's answer "connectivity-ok" is not trusted.
 *   - It adopts the loose objects that it meets (odb/adopter.h), so that the operation makes them durable. It does the same
 *     for the files of young packs (D2), and for the file "shallow" if the helper has changed it.
 *
 * An object counts as fetched only if a ref names it: a later fetch requests all others again, and checks them again
 * (fetch_drop_named).
 *
 * After a failure, unreachable objects remain until git-gc(1) removes them. Refs, FETCH_HEAD and configuration are
 * as before.
 */
#include "compat/posix.h"
#include <dirent.h>
#include <time.h>
#include "compat/os.h"
#include "fs/file.h"
#include "object/fsck.h"
#include "pack/pack.h"
#include "intake/missing.h"
#include "transport/fetch/fetch-internal.h"
#include "util/alloc.h"
#include "util/path.h"

#define READ_WHOLE_MAX ((uint64_t)1 << 20) /* of a blob */

static bool stat_shallow(const struct repository *r, struct stat *st)
{
	char *path = path_join(r->commondir, "shallow");
	bool there = !stat(path, st);

	free(path);
	return there;
}

void fetch_helper_objects_begin(struct fetch_helper_objects *a, const struct repository *r)
{
	a->had_shallow = stat_shallow(r, &a->shallow);
}

/* ---- packs ---- */

/* Not known to have reached the disk: as of loose objects, odb/adopter.h. */
static bool is_young(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && st.st_ctime >= time(NULL) - os_dirty_seconds();
}

static int take_pack_file(const char *path, struct repo_operation *op, struct err *err)
{
	/* .keep files are the helper's, others are still being written */
	bool counts = !ends_with(path, ".keep") && is_young(path);

	return counts ? pack_file_adopt(path, repo_operation_batch(op), err) : 0;
}

static int take_packs(const struct fetch_task *t, struct repo_operation *op, struct err *err)
{
	char *dir_path = path_join(t->r->objdir, "pack");
	DIR *dir = opendir(dir_path);
	struct dirent *de;
	int rc = dir || errno == ENOENT ? 0 : err_set_errno(err, "unable to open directory '%s'", dir_path);

	while (!rc && dir && (de = readdir(dir))) {
		char *path = path_join(dir_path, de->d_name);

		if (starts_with(de->d_name, "pack-"))
			rc = take_pack_file(path, op, err);
		free(path);
	}
	if (dir)
		closedir(dir);
	free(dir_path);
	return rc;
}

/* ---- objects ---- */

static int drop_content(void *data UNUSED, const void *p UNUSED, size_t len UNUSED, struct err *err UNUSED)
{
	return 0;
}

static int check_content(const struct fetch_task *t, const struct object_id *oid, const struct object_buf *buf,
			 struct err *err)
{
	struct object_id is;
	int rc = hash_object_buf(t->r->algo, object_type_name(buf->type), buf->data, buf->size, &is, err);

	if (!rc && !oid_eq(&is, oid))
		rc = err_set(err, ERR_CORRUPT, "object %s is damaged: its content is that of %s", oid_hex(oid), oid_hex(&is));
	if (!rc && t->w->fsck && fsck_object(t->w->fsck, oid, buf->type, buf->data, buf->size, t->r->algo))
		rc = err_set(err, ERR_CORRUPT, "fsck error in object %s", oid_hex(oid));
	return rc;
}

/* Reading alone hashes loose objects, and streaming all. */
static int check_object(const struct fetch_task *t, const struct object_id *oid, struct err *err)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	enum object_type type;
	uint64_t size;
	int rc = odb_type(t->r->odb, oid, &type, &size, err);

	if (!rc && type == OBJ_BLOB && size > READ_WHOLE_MAX)
		return odb_stream_unreplaced(t->r->odb, oid, drop_content, NULL, err);
	if (!rc)
		rc = odb_source_unreplaced(t->r->odb)->read(odb_source_unreplaced(t->r->odb)->data, oid, &buf, err);
	if (!rc)
		rc = check_content(t, oid, &buf, err);
	object_buf_release(&buf);
	return rc;
}

static int take_object(void *data, const struct object_id *oid, struct err *err)
{
	const struct fetch_task *t = data;

	odb_depend_on(t->r->odb, oid);
	return check_object(t, oid, err);
}

static int take_objects(const struct fetch_task *t, struct err *err)
{
	const struct connected_options o = {
		.complete = t->w->borrowed, .promised = t->w->from_promisor, .found = take_object, .data = (void *)t,
	};
	struct object_id missing;
	int rc = intake_check_tips(t->r, t->w->oids, &o, &missing, err);

	if (!rc)
		return err_set(err, ERR_NOT_FOUND, "remote did not send all necessary objects: %s is missing",
			       oid_hex(&missing));
	if (rc > 0 && t->w->fsck && fsck_finish(t->w->fsck, odb_source_unreplaced(t->r->odb)))
		rc = err_set(err, ERR_CORRUPT, "fsck error in fetched objects");
	return rc < 0 ? rc : 0;
}

/* Single objects that were asked for: some may not have come. */
static int take_single(const struct fetch_task *t, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < t->w->oids->nr; i++)
		if (odb_has(t->r->odb, &t->w->oids->oid[i]))
			rc = take_object((void *)t, &t->w->oids->oid[i], err);
	return rc;
}

static int take_shallow(const struct fetch_helper_objects *a, const struct fetch_task *t, struct repo_operation *op,
			struct err *err)
{
	struct stat now;
	char *path;
	int rc;

	if (!stat_shallow(t->r, &now) || (a->had_shallow && is_same_state(&now, &a->shallow)))
		return 0;
	path = path_join(t->r->commondir, "shallow");
	rc = repo_operation_add_written_file(op, path, err);
	free(path);
	return rc;
}

int fetch_helper_objects_take(const struct fetch_helper_objects *a, const struct fetch_task *t, struct repo_operation *op,
			struct err *err)
{
	int rc = take_packs(t, op, err);

	if (!rc)
		rc = take_shallow(a, t, op, err);
	if (!rc)
		rc = t->w->no_dependents ? take_single(t, err) : take_objects(t, err);
	return rc;
}

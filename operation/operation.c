// SPDX-License-Identifier: GPL-2.0-only
/*
 * The order of an operation, in one place:
 *
 *   1. objects are staged (odb_stage_batch), since index and refs name them (D4);
 *   2. the index is written into its lock and staged;
 *   3. the refs are prepared last: their locks, which others wait for, are held only while
 *      everything is settled, and their hook is asked when nothing else can fail;
 *   4. the batch settles all of it (D1), publishes it by class (fsync-order.h: D3, D4, D5)
 *      and seals it (D2);
 *   5. the ref transaction ends: its hook is told how.
 *
 * A failed flush fails the batch for good (D6), and so every later step here.
 */
#include "compat/posix.h"
#include "repo/hook.h"
#include "compat/syscalls.h"
#include "fs/file.h"
#include "fs/owner.h"
#include "operation/operation.h"
#include "repo/ident.h"
#include "util/alloc.h"
#include "util/path.h"
#include "util/string-list.h"

struct repo_operation {
	struct repository *repo; /* NULL: outside of one */
	struct fsync_batch *batch;
	struct lockfile index_lock;
	struct index_state *index; /* for the next commit; not owned */
	struct ref_transaction *refs;
	bool refs_open; /* neither committed nor given up */
	bool prepared;
};

/* ---- begin and free ---- */

static int make_shared_dir(void *data, const char *path)
{
	const struct repository *r = data;

	return make_dir(path, r->settings.shared_perm, NULL);
}

static struct repo_operation *new_operation(struct fsync_batch *batch)
{
	struct repo_operation *op = xcalloc(1, sizeof(*op));

	op->batch = batch;
	op->index_lock = (struct lockfile)LOCKFILE_INIT;
	return op;
}

/* ---- the hook of refs ---- */

#define REF_HOOK "reference-transaction"

static bool has_ref_hook(void *data)
{
	const struct repo_operation *op = data;

	return repo_has_hook(op->repo, REF_HOOK);
}

/* It may look at the objects that the refs will name, and at the refs as they are. */
static int run_ref_hook(void *data, const char *state, const char *lines, struct err *err)
{
	const char *args[] = { state, NULL };
	struct repo_operation *op = data;
	int rc = repo_operation_show_objects(op, err);

	return rc ? rc : repo_run_hook(op->repo, REF_HOOK, NULL, args, lines, err);
}

static void set_ref_hook(struct repo_operation *op, bool on)
{
	struct ref_hook hook = { .is_there = has_ref_hook, .run = run_ref_hook, .data = op };
	static const struct ref_hook none;

	ref_store_set_hook(op->repo->refs, on ? &hook : &none);
}

struct repo_operation *repo_operation_begin_with(struct repository *r, struct fsync_batch *batch)
{
	struct fsync_batch_options opts = {
		.policy = r->settings.fsync,
		.make_dir = make_shared_dir,
		.make_dir_data = r,
		.note_unsealed = owner_note_unsealed,
		.note_unsealed_data = r->commondir,
		.second_name = owner_second_name,
	};

	if (r->operation)
		BUG("a second operation is begun in '%s'", r->gitdir);
	if (batch)
		fsync_batch_set_options(batch, &opts);
	r->operation = new_operation(batch ? batch : fsync_batch_new(&opts));
	r->operation->repo = r;
	set_ref_hook(r->operation, true);
	odb_begin_adoption(r->odb, r->operation->batch);
	return r->operation;
}

struct repo_operation *repo_operation_begin(struct repository *r)
{
	return repo_operation_begin_with(r, NULL);
}

struct repo_operation *repo_operation_begin_outside(const struct fsync_policy *policy)
{
	struct fsync_batch_options opts = { .policy = *policy,
					    .second_name = owner_second_name };

	return new_operation(fsync_batch_new(&opts));
}

/* Tells the hook, if there was anything to tell. What each ref came to can still be asked. */
static void finish_refs(struct repo_operation *op, int rc)
{
	if (op->refs_open)
		ref_transaction_finish(op->refs, rc);
	op->refs_open = false;
}

/* What is staged goes, what is locked is free again. */
static void give_up(struct repo_operation *op)
{
	fsync_batch_abort(op->batch);
	finish_refs(op, ERR_ABORTED);
	lockfile_release(&op->index_lock);
	op->index = NULL;
	op->prepared = false;
	if (op->repo)
		odb_abort_batch(op->repo->odb);
}

/* Something was begun of which nobody has said whether it shall happen. */
static bool is_pending(const struct repo_operation *op)
{
	return op->index || op->refs_open || op->prepared || !fsync_batch_is_empty(op->batch);
}

void repo_operation_free(struct repo_operation *op)
{
	if (!op)
		return;
	if (is_pending(op))
		BUG("an operation ends that was neither committed nor aborted");
	lockfile_release(&op->index_lock);
	ref_transaction_free(op->refs);
	if (op->repo) {
		set_ref_hook(op, false);
		odb_end_batch(op->repo->odb);
		odb_end_adoption(op->repo->odb);
		op->repo->operation = NULL;
	}
	fsync_batch_free(op->batch);
	free(op);
}

struct fsync_batch *repo_operation_batch(struct repo_operation *op)
{
	return op->batch;
}

/* ---- its parts ---- */

int repo_operation_open_objects(struct repo_operation *op, struct err *err)
{
	struct odb *odb = op->repo->odb;

	return odb_batch(odb) ? 0 : odb_begin_batch(odb, op->batch, err);
}

int repo_operation_lock_index(struct repo_operation *op, struct err *err)
{
	return index_lock(op->repo, &op->index_lock, err);
}

struct lockfile *repo_operation_index_lock(struct repo_operation *op)
{
	return &op->index_lock;
}

void repo_operation_set_index(struct repo_operation *op, struct index_state *ix)
{
	op->index = ix;
}

struct ref_transaction *repo_operation_new_refs(struct repo_operation *op, unsigned flags)
{
	if (op->refs_open)
		BUG("an operation has one ref transaction at a time");
	ref_transaction_free(op->refs);
	op->refs = ref_transaction_begin(op->repo->refs, flags);
	op->refs_open = true;
	return op->refs;
}

int repo_operation_begin_refs(struct repo_operation *op, unsigned flags,
			      struct ref_transaction **out, struct err *err)
{
	struct strbuf ident = STRBUF_INIT;
	int rc = repo_ident(op->repo, &ident, IDENT_COMMITTER, err);

	if (!rc) {
		*out = repo_operation_new_refs(op, flags);
		ref_transaction_set_ident(*out, ident.buf);
	}
	strbuf_release(&ident);
	return rc;
}

int repo_operation_remove_file(struct repo_operation *op, const char *path, struct err *err)
{
	struct fsync_staging s = { .component = FSYNC_OTHER, .order = PUBLISH_FILE_LATE,
				   .how = PUBLISH_UNLINK, .fd = -1, .final_path = path };
	struct stat st;

	/* A directory of that name is none of ours: its removal would fail when all is published. */
	return !lstat(path, &st) && !S_ISDIR(st.st_mode) ? fsync_batch_stage(op->batch, &s, err) : 0;
}

/* In place or by a new file: both are covered. One that is not there was not wanted. */
static int stage_written(struct fsync_batch *b, const char *path, struct err *err)
{
	struct fsync_staging s = { .component = FSYNC_OTHER, .order = PUBLISH_FILE,
				   .how = PUBLISH_IN_PLACE, .final_path = path };
	struct strbuf dir = STRBUF_INIT;

	s.fd = (int)RETRY_EINTR(sys->open(path, O_RDONLY | O_CLOEXEC, 0));
	if (s.fd < 0)
		return errno == ENOENT ? 0 : err_set_errno(err, "unable to open '%s'", path);
	path_dirname(&dir, path);
	fsync_batch_note_dir(b, FSYNC_OTHER, dir.buf);
	strbuf_release(&dir);
	return fsync_batch_stage(b, &s, err);
}

int repo_operation_add_written_file(struct repo_operation *op, const char *path,
				    struct err *err)
{
	char *real = path_real(path, 1);
	int rc = real ? stage_written(op->batch, real, err) :
			err_set_errno(err, "unable to open '%s'", path);

	free(real);
	return rc;
}

/* ---- children ---- */

/* Young objects that others have written become part of the operation, if it needs them. */
static int stage_objects(struct repo_operation *op, struct err *err)
{
	struct odb *odb = op->repo ? op->repo->odb : NULL;
	int rc = odb ? odb_adopt(odb, err) : 0;

	return !rc && odb && odb_batch(odb) ? odb_stage_batch(odb, err) : rc;
}

int repo_operation_show_objects(struct repo_operation *op, struct err *err)
{
	int rc = stage_objects(op, err);

	if (!rc)
		rc = fsync_batch_publish_objects(op->batch, err);
	return rc ? rc : fsync_batch_seal_for(op->batch, op->repo->commondir, err);
}

/* ---- the end ---- */

static int stage_index(struct repo_operation *op, struct err *err)
{
	struct index_state *ix = op->index;

	op->index = NULL;
	return ix ? index_write_locked(ix, op->repo, &op->index_lock, op->batch, err) : 0;
}

static int prepare_refs(struct repo_operation *op, struct err *err)
{
	return op->refs_open ? ref_transaction_prepare(op->refs, op->batch, err) : 0;
}

/* The objects that get a name by this operation. */
static void rest_on_objects(struct repo_operation *op)
{
	struct oid_array oids = OID_ARRAY_INIT;

	if (op->index)
		index_collect_new(op->index, &oids);
	if (op->refs_open)
		ref_transaction_new_values(op->refs, &oids);
	for (size_t i = 0; i < oids.nr; i++)
		odb_rest_on(op->repo->odb, &oids.oid[i]);
	oid_array_clear(&oids);
}

int repo_operation_prepare(struct repo_operation *op, struct err *err)
{
	int rc = 0;

	if (op->prepared)
		return 0;
	rest_on_objects(op);
	if ((rc = stage_objects(op, err)) < 0 || (rc = stage_index(op, err)) < 0 ||
	    (rc = prepare_refs(op, err)) < 0)
		give_up(op);
	else
		op->prepared = true;
	return rc;
}

static int finish(struct repo_operation *op,
		  int (*publish)(struct fsync_batch *b, struct err *err), struct err *err)
{
	int rc = repo_operation_prepare(op, err);

	if (!rc) {
		rc = publish(op->batch, err);
		finish_refs(op, rc);
	}
	if (rc < 0)
		give_up(op);
	op->prepared = false;
	return rc;
}

/*
 * P1 for what was there already: an answer that rests on it is given when it has been sealed,
 * by whoever has published it, or here. Our own seal may have brought along what others had
 * published before.
 */
static int seal_what_was_there(struct repo_operation *op, struct err *err)
{
	const char *dir = op->repo->commondir, *objdir = odb_objdir(op->repo->odb);
	struct string_list dead = STRING_LIST_INIT;
	int rc = 0;

	if (fsync_batch_has_sealed_all(op->batch, dir, objdir)) {
		owner_forget_earlier(dir);
		return 0;
	}
	if (owner_find_unsealed(dir, &dead))
		rc = fsync_batch_flush_others(op->batch, dir, objdir, err);
	if (rc > 0)
		owner_forget(&dead);
	string_list_clear(&dead, NULL);
	return rc < 0 ? rc : 0;
}

int repo_operation_commit(struct repo_operation *op, struct err *err)
{
	int rc = finish(op, fsync_batch_commit, err);

	return rc || !op->repo ? rc : seal_what_was_there(op, err);
}

int repo_operation_publish(struct repo_operation *op, struct err *err)
{
	return finish(op, fsync_batch_publish, err);
}

void repo_operation_abort(struct repo_operation *op)
{
	give_up(op);
}

int repo_operation_end(struct repo_operation *op, int rc, struct err *err)
{
	if (!op)
		return rc;
	if (rc)
		give_up(op);
	else
		rc = repo_operation_commit(op, err);
	repo_operation_free(op);
	return rc;
}

int repo_operation_write_object(struct repository *r, enum object_type type, const void *data,
				size_t size, struct object_id *oid, struct err *err)
{
	struct repo_operation *op = repo_operation_begin(r);
	int rc = repo_operation_open_objects(op, err);

	if (!rc)
		rc = odb_write(r->odb, type, data, size, oid, err);
	return repo_operation_end(op, rc, err);
}

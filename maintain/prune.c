/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The order of looking is what makes this safe beside others: first the list of what might go, with
 * its times; then who is at work; then what is reachable. A process that begins to work after the list
 * was made touches the objects that it uses, which is seen before a file goes for good; refs that it
 * has written by then are seen when the roots are read again.
 */
#include "compat/posix.h"
#include "maintain/prune.h"
#include "compat/syscalls.h"
#include "fs/file.h"
#include "fs/owner.h"
#include "fs/tmp-objdir.h"
#include "history/history.h"
#include "maintain/prune-internal.h"
#include "object-file.h"
#include "util/alloc.h"
#include "util/path.h"

/* Temporary files of an unknown owner are left alone for so long, in seconds. */
#define LONGEST_SILENCE (60 * 60)

struct candidate {
	struct object_id oid;
	time_t mtime;
};

struct prune {
	struct repository *repo;
	struct repo_operation *op;
	struct prune_options o;
	struct candidate *v;
	size_t nr, alloc;
	time_t temporary_before;
	struct oid_array shallow; /* the boundary when we began */
	struct err *err;
};

int prune_is_allowed(const struct repository *r, const char *what, struct err *err)
{
	bool precious = false;

	if (config_get_bool(r->config, "extensions.preciousobjects", &precious, err) < 0)
		return ERR_INVALID;
	return precious ? err_set(err, ERR_UNSUPPORTED, "cannot %s in a precious-objects repo", what) : 0;
}

/* ---- what might go ---- */

static bool is_old(const struct prune *p, time_t mtime)
{
	return mtime < 0 || (timestamp_t)mtime <= p->o.expire_before;
}

static int list_object(void *data, const struct object_id *oid, const char *path)
{
	struct prune *p = data;
	struct stat st;

	if (lstat(path, &st) < 0 || !is_old(p, st.st_mtime))
		return 0;
	ALLOC_GROW(p->v, p->nr + 1, p->alloc);
	p->v[p->nr++] = (struct candidate){ .oid = *oid, .mtime = st.st_mtime };
	return 0;
}

static int list_other(void *data, const char *path)
{
	struct prune *p = data;
	const char *name = strrchr(path, '/');

	if (starts_with(name ? name + 1 : path, "tmp_obj_"))
		prune_temporary_file(&p->o, path, p->temporary_before);
	else if (p->o.complain)
		p->o.complain(p->o.data, path);
	return 0;
}

/* What the living have written or touched since they are at work is theirs. */
static void spare_what_is_in_use(struct prune *p)
{
	const time_t since = owner_others_since(p->repo->commondir);
	size_t kept = 0;

	if (!since)
		return;
	for (size_t i = 0; i < p->nr; i++)
		if (p->v[i].mtime < since)
			p->v[kept++] = p->v[i];
	p->nr = kept;
}

static void spare_what_is_reachable(struct prune *p, struct reachable *x)
{
	size_t kept = 0;

	for (size_t i = 0; i < p->nr; i++)
		if (!reachable_has(x, &p->v[i].oid))
			p->v[kept++] = p->v[i];
	p->nr = kept;
}

static void report_objects(struct prune *p)
{
	for (size_t i = 0; p->o.report && i < p->nr; i++) {
		enum object_type type;
		uint64_t size;
		const char *name = "unknown";

		if (!odb_type(p->repo->odb, &p->v[i].oid, &type, &size, NULL))
			name = object_type_name(type);
		prune_report(&p->o, "%s %s", oid_hex(&p->v[i].oid), name);
	}
}

/* ---- removing ---- */

/* Where there is no room for a directory, the time between these calls is all that is left to chance. */
static int remove_at_once(const struct candidate *c, const char *path, struct err *err)
{
	struct stat st;

	if (lstat(path, &st) < 0 || st.st_mtime != c->mtime ||
	    !RETRY_EINTR(sys->unlink(path)) || errno == ENOENT)
		return 0;
	return err_set_errno(err, "unable to remove '%s'", path);
}

/*
 * Moved aside, then looked at: a touch (loose_object_touch) comes before the move, and the time says
 * so, or after it, and finds no object; then the other process writes it again. Test:
 * t5304-prune.sh, "one that is touched meanwhile comes back".
 */
static int remove_by_way_of(const struct candidate *c, const char *path, const char *aside,
			    struct err *err)
{
	struct stat st;
	int rc = 0;

	if (RETRY_EINTR(sys->rename(path, aside)) < 0)
		return errno == ENOENT ? 0 : err_set_errno(err, "unable to remove '%s'", path);
	if (lstat(aside, &st) < 0)
		return err_set_errno(err, "unable to stat '%s'", aside);
	if (st.st_mtime == c->mtime) {
		if (!RETRY_EINTR(sys->unlink(aside)))
			return 0;
		rc = err_set_errno(err, "unable to remove '%s'", path);
	}
	/* Not over one that has been written meanwhile, which is just as good. */
	if (RETRY_EINTR(sys->link(aside, path)) < 0 && errno != EEXIST &&
	    RETRY_EINTR(sys->rename(aside, path)) < 0)
		rc = err_set_errno(err, "unable to restore '%s'", path);
	(void)RETRY_EINTR(sys->unlink(aside));
	return rc;
}

static int remove_object(const struct prune *p, const struct candidate *c,
			 const struct tmp_objdir *dir, struct err *err)
{
	struct strbuf path = STRBUF_INIT;
	char *aside = dir ? path_join(tmp_objdir_path(dir), oid_hex(&c->oid)) : NULL;
	int rc;

	loose_object_path(&path, odb_objdir(p->repo->odb), &c->oid);
	rc = aside ? remove_by_way_of(c, path.buf, aside, err) : remove_at_once(c, path.buf, err);
	strbuf_release(&path);
	free(aside);
	return rc;
}

/*
 * The objects are in order, so that each directory has its turn once. Only the last change is noted: a
 * journal takes all along with it, and where each directory would be flushed by itself, that is not
 * worth it: what comes back after a power cut goes the next time.
 */
static int remove_objects(void *data, struct err *err)
{
	struct prune *p = data;
	const char *objdir = odb_objdir(p->repo->odb);
	struct strbuf fanout = STRBUF_INIT;
	struct tmp_objdir *dir = NULL;
	int rc = 0;

	(void)!tmp_objdir_create(&dir, objdir, "prune", SHARED_PERM_UMASK, NULL);
	for (size_t i = 0; !rc && i < p->nr; i++) {
		unsigned byte = p->v[i].oid.hash[0];

		rc = remove_object(p, &p->v[i], dir, err);
		if (rc || (i + 1 < p->nr && p->v[i + 1].oid.hash[0] == byte))
			continue;
		strbuf_reset(&fanout);
		strbuf_addf(&fanout, "%s/%02x", objdir, byte);
		(void)RETRY_EINTR(sys->rmdir(fanout.buf));
	}
	tmp_objdir_destroy(&dir);
	fsync_batch_note_dir(repo_operation_batch(p->op), FSYNC_LOOSE_OBJECT, objdir);
	strbuf_release(&fanout);
	return rc;
}

static void prune_free(struct prune *p)
{
	oid_array_clear(&p->shallow);
	free(p->v);
	free(p);
}

static void prune_done(void *data, bool published UNUSED)
{
	prune_free(data);
}

/* Takes p over. */
static int stage_removal(struct prune *p, struct err *err)
{
	struct fsync_staging s = {
		.component = FSYNC_LOOSE_OBJECT, .order = PUBLISH_OBJECT_DELETE, .how = PUBLISH_CALL,
		.fd = -1, .final_path = odb_objdir(p->repo->odb), .done = prune_done,
		.call = remove_objects, .data = p,
	};

	return fsync_batch_stage(repo_operation_batch(p->op), &s, err);
}

/* ---- in order ---- */

/*
 * D5: a ref that another process has deleted and not sealed yet would be back after a power cut, and its
 * objects gone. Where a journal orders all names that cannot be; there this is not asked.
 */
static int seal_what_we_rest_on(struct prune *p, struct err *err)
{
	struct fsync_batch *b = repo_operation_batch(p->op);
	const char *dir = p->repo->commondir, *objdir = odb_objdir(p->repo->odb);
	struct string_list dead = STRING_LIST_INIT;
	int rc = 0;

	if (owner_find_unsealed(dir, &dead))
		rc = fsync_batch_flush_others(b, dir, objdir, err);
	string_list_clear(&dead, NULL);
	return rc < 0 ? rc : 0;
}

static int decide(struct prune *p, struct reachable *x, struct err *err)
{
	int rc = reachable_mark(x, err);

	if (!rc) {
		spare_what_is_reachable(p, x);
		if (p->nr)
			rc = reachable_update(x, err);
	}
	if (rc < 0)
		return rc;
	spare_what_is_reachable(p, x);
	return p->nr && !p->o.dry_run ? seal_what_we_rest_on(p, err) : 0;
}

static int list(struct prune *p, struct err *err)
{
	int rc = loose_object_foreach(odb_objdir(p->repo->odb), p->repo->algo, list_object,
				      list_other, p, err);

	spare_what_is_in_use(p);
	return rc < 0 ? rc : repo_shallow_boundary(p->repo, &p->shallow, err);
}

static void choose_temporary(struct prune *p)
{
	const time_t since = owner_others_since(p->repo->commondir);

	p->temporary_before = time(NULL) - LONGEST_SILENCE;
	if (since && p->temporary_before >= since)
		p->temporary_before = since - 1;
	if ((timestamp_t)p->temporary_before > p->o.expire_before)
		p->temporary_before = (time_t)p->o.expire_before;
}

int prune_run(struct repo_operation *op, struct repository *r, const struct prune_options *o,
	      struct err *err)
{
	struct reachable_options ro = { .recent_after = o->expire_before, .heads = o->heads,
					.progress = o->progress, .data = o->data };
	struct prune *p = xcalloc(1, sizeof(*p));
	struct reachable *x = reachable_new(r, &ro);
	int rc = prune_is_allowed(r, "prune", err);

	*p = (struct prune){ .repo = r, .op = op, .o = *o };
	choose_temporary(p);
	if (!rc)
		rc = list(p, err);
	if (!rc && (p->nr || p->shallow.nr))
		rc = decide(p, x, err);
	if (!rc)
		report_objects(p);
	if (!rc)
		rc = prune_temporary(r, o, p->temporary_before, err);
	if (!rc && p->shallow.nr)
		rc = prune_shallow(op, r, o, x, &p->shallow, err);
	reachable_free(x);
	if (rc < 0 || !p->nr || o->dry_run) {
		prune_free(p);
		return rc;
	}
	return stage_removal(p, err);
}

/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "compat/dirscan.h"
#include "compat/os.h"
#include "compat/syscalls.h"
#include "fs/file.h"
#include "intake/quarantine.h"
#include "object-file.h"
#include "pack/receive/receive.h"
#include "util/alloc.h"
#include "util/path.h"
#include "util/trace2.h"
#include "write-or-die.h"

/* In the quarantine: ids, one after the other. */
#define FOREIGN_NAME "tmp_foreign"
#define USED_NAME "tmp_used"
#define IDS_MAX ((size_t)512 * 1024 * 1024)

int intake_close_all_but(const int *fds, size_t nr, struct err *err)
{
	bool reads_stdin = false;

	for (size_t i = 0; i < nr; i++)
		reads_stdin |= fds[i] == STDIN_FILENO;
	os_close_others(fds, nr, trace_has_descriptor);
	if ((!reads_stdin && os_redirect_to_null(STDIN_FILENO) < 0) || os_redirect_to_null(STDOUT_FILENO) < 0)
		return err_set_errno(err, "cannot open '/dev/null'");
	return 0;
}

/* files: may be read besides, ends with NULL; NULL: none. */
static int confine(const struct intake_check *c, const char *const *files, struct err *err)
{
	struct sandbox sandbox;
	int rc = sandbox_probe(&sandbox, c->sandbox, err);

	if (rc <= 0)
		return rc;
	sandbox.files = files;
	return repo_confine(c->repo, &sandbox, -1, err);
}

/* ---- loose objects ---- */

static int drop(void *data UNUSED, const void *p UNUSED, size_t len UNUSED, struct err *err UNUSED)
{
	return 0;
}

static int check_loose(const struct intake_check *c, struct err *err)
{
	struct oid_array oids = OID_ARRAY_INIT;
	bool any;
	int rc = 0;

	for (unsigned i = 0; i < 256 && !rc; i++)
		rc = loose_object_list(c->dir, c->repo->algo, i, &oids, err);
	for (size_t i = 0; i < oids.nr && !rc; i++)
		rc = loose_object_stream(c->dir, &oids.oid[i], c->repo->algo, drop, NULL, &any, err);
	oid_array_clear(&oids);
	return rc;
}

/* ---- packs ---- */

static int check_name(struct pack_receive *rx, const char *stem, struct err *err)
{
	const char *hex = oid_hex(pack_receive_checksum(rx));

	return !strcmp(strrchr(stem, '/') + strlen("/pack-"), hex) ? 0 : err_set(err, ERR_CORRUPT, "the checksum of pack '%s' is %s", stem, hex);
}

/* rev: NULL: there is none. */
static int check_tables(struct pack_receive *rx, const char *idx, const char *rev, struct err *err)
{
	int rc = pack_receive_verify_idx(rx, idx, err);

	return rc || !rev ? rc : pack_receive_verify_rev(rx, rev, err);
}

/* The first process has kept to the limit; bases that were here are now in a thin pack, and count, too. */
static uint64_t twice(uint64_t n)
{
	return n > UINT64_MAX / 2 ? UINT64_MAX : 2 * n;
}

/* No database: it would compare the objects with themselves. */
static struct pack_receive *begin(const struct intake_check *c, const struct hash_algo *algo)
{
	struct pack_receive_options o = { .algo = algo, .threads = c->threads,
					  .limits = { .inflated_bytes = twice(c->limits.inflated_bytes),
						      .inflated_per_input = twice(c->limits.inflated_per_input) } };

	return pack_receive_new(&o);
}

static int read_pack(struct pack_receive *rx, const char *path, struct err *err)
{
	int rc = pack_receive_file(rx, path, err);

	return rc ? rc : pack_receive_resolve(rx, err);
}

/* stem: the path without ".pack". */
static int check_pack(const struct intake_check *c, const char *stem, struct err *err)
{
	struct pack_receive *rx = begin(c, c->repo->algo);
	char *pack = xstrfmt("%s.pack", stem), *idx = xstrfmt("%s.idx", stem), *rev = xstrfmt("%s.rev", stem);
	struct stat st;
	int rc = read_pack(rx, pack, err);

	if (!rc)
		rc = check_name(rx, stem, err);
	if (!rc)
		rc = check_tables(rx, idx, lstat(rev, &st) ? NULL : rev, err);
	pack_receive_free(rx);
	free(pack);
	free(idx);
	free(rev);
	return rc;
}

static int check_file(const struct intake_check *c, const char *packdir, const char *name, struct err *err)
{
	char *stem;
	int rc;

	if (starts_with(name, "tmp_") || !ends_with(name, ".pack"))
		return 0;
	stem = xstrfmt("%s/%.*s", packdir, (int)(strlen(name) - strlen(".pack")), name);
	rc = check_pack(c, stem, err);
	free(stem);
	return rc;
}

static int check_packs(const struct intake_check *c, struct err *err)
{
	char *packdir = path_join(c->dir, "pack"), *buf = xmalloc(32768);
	struct dir_scan d;
	unsigned char type;
	const char *name;
	int rc = 0, more = 0;

	if (!dir_scan_open(&d, packdir, buf, 32768)) {
		while (!rc && (more = dir_scan_next(&d, &name, &type)) > 0)
			rc = check_file(c, packdir, name, err);
		dir_scan_close(&d);
	} else if (errno != ENOENT) {
		more = -1;
	}
	if (!rc && more < 0)
		rc = err_set_errno(err, "unable to open directory '%s'", packdir);
	free(buf);
	free(packdir);
	return rc;
}

int intake_check_objects(const struct intake_check *c, struct err *err)
{
	int rc = intake_close_all_but(NULL, 0, err);

	if (!rc)
		rc = confine(c, NULL, err);
	if (!rc)
		rc = check_loose(c, err);
	return rc ? rc : check_packs(c, err);
}

int intake_check_tables(const struct intake_check *c, const struct hash_algo *algo, const char *pack, const char *idx,
			const char *rev, struct err *err)
{
	const char *const files[] = { pack, idx, rev, NULL };
	struct pack_receive *rx = begin(c, algo);
	int rc = intake_close_all_but(NULL, 0, err);

	if (!rc)
		rc = confine(c, files, err);
	if (!rc)
		rc = read_pack(rx, pack, err);
	if (!rc)
		rc = check_tables(rx, idx, rev, err);
	pack_receive_free(rx);
	return rc;
}

/* ---- objects that were here before ---- */

static int leave_ids(const char *dir, const char *name, const struct oid_array *oids, const struct hash_algo *algo,
		     struct err *err)
{
	char *path = path_join(dir, name);
	struct strbuf text = STRBUF_INIT;
	int fd, rc;

	fd = (int)RETRY_EINTR(sys->open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
	for (size_t i = 0; i < oids->nr; i++)
		strbuf_add(&text, oids->oid[i].hash, algo->raw_len);
	rc = fd < 0 ? err_set_errno(err, "unable to create '%s'", path) : write_in_full(fd, text.buf, text.len, path, err);
	if (fd >= 0)
		sys->close(fd);
	strbuf_release(&text);
	free(path);
	return rc;
}

static int take_ids(const char *dir, const char *name, const struct hash_algo *algo, struct oid_array *oids, struct err *err)
{
	char *path = path_join(dir, name);
	struct strbuf text = STRBUF_INIT;
	struct object_id oid;
	int rc = access(path, F_OK) ? 0 : read_file_nofollow(&text, path, IDS_MAX, err);

	for (size_t i = 0; !rc && i + algo->raw_len <= text.len; i += algo->raw_len) {
		oid_from_raw(&oid, (const unsigned char *)text.buf + i, algo);
		oid_array_append(oids, &oid);
	}
	strbuf_release(&text);
	free(path);
	return rc;
}

int intake_leave_old(const char *dir, const struct intake_old *old, const struct hash_algo *algo, struct err *err)
{
	int rc = old->foreign.nr ? leave_ids(dir, FOREIGN_NAME, &old->foreign, algo, err) : 0;

	return rc || !old->used.nr ? rc : leave_ids(dir, USED_NAME, &old->used, algo, err);
}

/* ---- the first process ---- */

int intake_open_quarantine(const struct tmp_objdir *dir, const char *gitdir, struct repository **out, struct err *err)
{
	struct strvec env = STRVEC_INIT;
	int rc;

	tmp_objdir_env(dir, &env);
	rc = repo_open_with_objects(out, gitdir, env.v[0] + strlen("GIT_OBJECT_DIRECTORY="),
				    env.v[1] + strlen("GIT_ALTERNATE_OBJECT_DIRECTORIES="), err);
	strvec_clear(&env);
	return rc;
}

int intake_confine_writer(const struct tmp_objdir *dir, struct repository *r, enum sandbox_mode mode, struct err *err)
{
	struct sandbox sandbox;
	int rc = sandbox_probe(&sandbox, mode, err);

	if (rc <= 0)
		return rc;
	sandbox.private_dir = tmp_objdir_path(dir);
	sandbox.tree = true;
	return repo_confine(r, &sandbox, -1, err);
}

int intake_publish(struct repository *r, struct fsync_batch *batch, struct err *err)
{
	int rc = odb_batch(r->odb) ? odb_stage_batch(r->odb, err) : 0;

	return rc ? rc : fsync_batch_publish(batch, err);
}

void intake_old_release(struct intake_old *old)
{
	oid_array_clear(&old->foreign);
	oid_array_clear(&old->used);
}

/* P1 */
int intake_use_old(struct repository *r, const struct intake_old *old, struct err *err)
{
	for (size_t i = 0; i < old->foreign.nr; i++)
		odb_depend_on(r->odb, &old->foreign.oid[i]);
	for (size_t i = 0; i < old->used.nr; i++)
		if (!odb_freshen(r->odb, &old->used.oid[i]))
			return err_set(err, ERR_NOT_FOUND, "object %s was here, and cannot be kept", oid_hex(&old->used.oid[i]));
	return 0;
}

int intake_stage(struct tmp_objdir *dir, struct repository *r, struct fsync_batch *batch, struct err *err)
{
	struct intake_old old = INTAKE_OLD_INIT;
	int rc = take_ids(tmp_objdir_path(dir), FOREIGN_NAME, r->algo, &old.foreign, err);

	if (!rc)
		rc = take_ids(tmp_objdir_path(dir), USED_NAME, r->algo, &old.used, err);
	if (!rc)
		rc = intake_use_old(r, &old, err);
	intake_old_release(&old);
	return rc ? rc : tmp_objdir_stage_all(dir, batch, true, err);
}

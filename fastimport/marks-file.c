/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "compat/syscalls.h"
#include "fastimport/marks-file.h"
#include "fs/lockfile.h"
#include "write-or-die.h"

static int parse_mark_text(const struct hash_algo *algo, const char *line, uint64_t *id, struct object_id *oid)
{
	char *end = NULL;

	*id = *line == ':' ? strtoull(line + 1, &end, 10) : 0;
	if (*id && !algo) /* that of a submodule, which may be another */
		algo = strlen(end) > 1 + hash_sha1->hex_len ? hash_sha256 : hash_sha1;
	return !*id || *end != ' ' || oid_from_hex(oid, end + 1, algo) < 0 ? -1 : 0;
}

int marks_file_read(const struct hash_algo *algo, const char *path, bool may_miss, mark_fn fn, void *data, struct err *err)
{
	FILE *f = fopen(path, "re");
	struct strbuf line = STRBUF_INIT;
	struct object_id oid;
	uint64_t id;
	int rc = 0;

	if (!f)
		return may_miss && errno == ENOENT ? 0 : err_set_errno(err, "cannot read '%s'", path);
	while (!rc && strbuf_getline_lf(&line, f) >= 0)
		rc = parse_mark_text(algo, line.buf, &id, &oid) < 0 ?
			err_set(err, ERR_INVALID, "corrupt mark line: %s", line.buf) : fn(data, id, &oid, err);
	if (!rc && ferror(f))
		rc = err_set_errno(err, "cannot read '%s'", path);
	fclose(f);
	strbuf_release(&line);
	return rc;
}

int marks_file_stage(struct repo_operation *op, const char *path, unsigned flags, const struct strbuf *text, struct err *err)
{
	struct lockfile lk = LOCKFILE_INIT;
	struct stat st;
	int rc;

	if (!stat(path, &st) && !S_ISREG(st.st_mode)) {
		int fd = (int)sys->open(path, O_WRONLY | O_CLOEXEC, 0);

		rc = fd < 0 ? err_set_errno(err, "unable to write marks file %s", path) :
			      write_in_full(fd, text->buf, text->len, path, err);
		if (fd >= 0)
			close(fd);
		return rc;
	}
	rc = lockfile_hold(&lk, path, flags, 0, err);
	if (rc < 0)
		err_prefix(err, "unable to write marks file %s", path);
	if (!rc)
		rc = write_in_full(lk.tf->fd, text->buf, text->len, path, err);
	if (!rc)
		rc = lockfile_stage(&lk, repo_operation_batch(op), FSYNC_OTHER, PUBLISH_FILE_LATE, err);
	lockfile_release(&lk);
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* See mtimes.h. */
#include "compat/posix.h"
#include "csum-file.h"
#include "fs/mmap-window.h"
#include "pack/write/mtimes.h"
#include "pack/write/write-internal.h"
#include "util/alloc.h"
#include "util/bytes.h"

#define MTIMES_SIGNATURE 0x4d544d45u /* "MTME" */
#define HEADER_BYTES 12

/* ---- reading ---- */

/* Objects go by what it says: its checksum is computed each time. */
static int check_mtimes(const struct mapped_file *m, const struct pack *p, const char *path,
			struct err *err)
{
	const struct hash_algo *algo = p->idx.algo;
	uint64_t want = HEADER_BYTES + (uint64_t)p->idx.nr * 4 + 2 * algo->raw_len;
	struct object_id sum;

	if (m->len != want || get_be32(m->p) != MTIMES_SIGNATURE)
		return err_set(err, ERR_CORRUPT, "mtimes file '%s' is malformed", path);
	if (get_be32(m->p + 4) != 1 || get_be32(m->p + 8) != (uint32_t)algo->id)
		return err_set(err, ERR_UNSUPPORTED, "mtimes file '%s' has an unknown version or hash",
			       path);
	if (memcmp(m->p + want - 2 * algo->raw_len, p->idx.pack_sum, algo->raw_len) != 0)
		return err_set(err, ERR_CORRUPT, "mtimes file '%s' belongs to another pack", path);
	hash_buf(algo, m->p, want - algo->raw_len, &sum);
	if (memcmp(m->p + want - algo->raw_len, sum.hash, algo->raw_len) != 0)
		return err_set(err, ERR_CORRUPT, "mtimes file '%s' has a wrong checksum", path);
	return 0;
}

/* m stays empty if there is no such file. */
static int open_mtimes(struct mapped_file *m, const struct pack *p, struct err *err)
{
	char *path = xstrfmt("%s.mtimes", p->base);
	struct err why = ERR_INIT;
	int rc = mapped_file_open(m, path, &why);

	if (!rc)
		rc = check_mtimes(m, p, path, &why);
	if (rc == ERR_NOT_FOUND)
		rc = 0;
	if (rc < 0)
		err_move(err, &why);
	err_release(&why);
	free(path);
	return rc;
}

int pack_foreach_mtime(struct pack *p, pack_mtime_fn fn, void *data, struct err *err)
{
	struct mapped_file m = MAPPED_FILE_INIT;
	const uint32_t of_pack = pack_time(p);
	struct object_id oid;
	int rc = pack_open_idx(p, err);

	if (!rc)
		rc = open_mtimes(&m, p, err);
	for (uint32_t i = 0; !rc && i < p->idx.nr; i++) {
		oid_from_raw(&oid, idx_name(&p->idx, i), p->idx.algo);
		rc = fn(data, &oid, m.p ? get_be32(m.p + HEADER_BYTES + (size_t)i * 4) : of_pack);
	}
	mapped_file_release(&m);
	return rc;
}

/* ---- writing ---- */

int pack_mtimes_write(int fd, const char *name, const struct hash_algo *algo,
		      const uint32_t *mtimes, uint32_t nr, const struct object_id *sum, struct err *err)
{
	struct csum_file *f = csum_file_new(fd, name, algo, false, 0);
	int rc = csum_write_be32(f, MTIMES_SIGNATURE, err);

	if (!rc)
		rc = csum_write_be32(f, 1, err);
	if (!rc)
		rc = csum_write_be32(f, (uint32_t)algo->id, err);
	for (uint32_t i = 0; i < nr && !rc; i++)
		rc = csum_write_be32(f, mtimes[i], err);
	if (!rc)
		rc = csum_write(f, sum->hash, algo->raw_len, err);
	if (!rc)
		rc = csum_finish(f, NULL, err);
	csum_file_free(f);
	return rc;
}

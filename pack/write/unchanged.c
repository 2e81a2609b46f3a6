/* SPDX-License-Identifier: GPL-2.0-only */
/* A complete pack as it is: read, and passed on. */
#include "compat/posix.h"
#include "compat/syscalls.h"
#include "pack/write/write-internal.h"
#include "util/alloc.h"
#include "util/bytes.h"
#include "write-or-die.h"

struct whole_pack {
	struct pack *pack;
	int fd;
	uint64_t size;
};

static int check_pack(const struct whole_pack *w, struct err *err)
{
	const struct pack_idx *idx = &w->pack->idx;
	unsigned char head[PACK_HEADER_BYTES], sum[HASH_MAX_RAW];
	size_t raw = idx->algo->raw_len;
	struct stat st;

	if (fstat(w->fd, &st) < 0 ||
	    pread_in_full(w->fd, head, sizeof(head), 0) < 0 ||
	    pread_in_full(w->fd, sum, raw, (off_t)w->pack->end) < 0)
		return err_set_errno(err, "cannot read '%s'", w->pack->path);
	if ((uint64_t)st.st_size != w->size || get_be32(head) != PACK_SIGNATURE ||
	    get_be32(head + 4) != 2 || get_be32(head + 8) != idx->nr ||
	    memcmp(sum, idx->pack_sum, raw) != 0)
		return err_set(err, ERR_CORRUPT, "packfile '%s' does not match index", w->pack->path);
	return 0;
}

static int read_piece(const struct whole_pack *w, uint64_t at, void *buf, size_t len, struct err *err)
{
	ssize_t got = pread_in_full(w->fd, buf, len, (off_t)at);

	if (got < 0)
		return err_set_errno(err, "cannot read '%s'", w->pack->path);
	if ((size_t)got < len)
		return err_set(err, ERR_CORRUPT, "'%s' ends before offset %" PRIu64, w->pack->path,
			       at + len);
	return 0;
}

static int send_bytes(const struct whole_pack *w, const struct pack_sink *sink, struct err *err)
{
	void *own = sink->room ? NULL : xmalloc(PACK_ROOM_MAX), *buf = own;
	int rc = 0;

	for (uint64_t at = 0; at < w->size && !rc;) {
		size_t n = w->size - at < PACK_ROOM_MAX ? (size_t)(w->size - at) : PACK_ROOM_MAX;

		if (sink->room)
			rc = sink->room(sink->data, n, &buf, err);
		if (!rc)
			rc = read_piece(w, at, buf, n, err);
		if (!rc)
			rc = sink->write(sink->data, buf, n, err);
		at += n;
	}
	free(own);
	return rc;
}

int pack_write_unchanged(struct pack *p, const struct pack_sink *sink, struct err *err)
{
	struct whole_pack w = { .pack = p };
	int rc = pack_open_data(p, err);

	if (rc < 0)
		return rc;
	w.size = p->end + p->idx.algo->raw_len;
	w.fd = (int)RETRY_EINTR(sys->open(p->path, O_RDONLY | O_CLOEXEC, 0));
	if (w.fd < 0)
		return err_set_errno(err, "cannot open '%s'", p->path);
	rc = check_pack(&w, err);
	if (!rc)
		rc = send_bytes(&w, sink, err);
	sys->close(w.fd);
	return rc < 0 ? rc : 0;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Thin packs: some deltas have their base not in the pack but in the database. Such bases are
 * resolved like entries of the pack. The ones that the pack turned out not to have are then
 * appended to it, and it gets a new count and checksum. git-index-pack(1), --fix-thin.
 */
#include "compat/posix.h"
#include "compat/sort.h"
#include "compat/syscalls.h"
#include "pack/receive/receive-internal.h"
#include "util/alloc.h"
#include "util/bytes.h"
#include "util/deflate.h"
#include "write-or-die.h"

#define PIECE_BYTES ((size_t)1024 * 1024)

static int ref_entry_cmp(const void *a, const void *b, void *data)
{
	const struct pack_receive *rx = data;
	uint32_t x = rx->refs[*(const uint32_t *)a].entry, y = rx->refs[*(const uint32_t *)b].entry;

	return x < y ? -1 : x > y;
}

/* Collects the missing bases, each once, in the order of the deltas. */
static uint32_t *list_missing(struct pack_receive *rx, uint32_t *nr)
{
	uint32_t *v;

	*nr = 0;
	ALLOC_ARRAY(v, (size_t)rx->nr_refs + 1);
	for (uint32_t i = 0; i < rx->nr_refs; i++) {
		if (!rx->refs[i].claimed)
			v[(*nr)++] = i;
		while (rx_next_ref(rx, i) != RX_NONE)
			i++;
	}
	qsort_r(v, *nr, sizeof(*v), ref_entry_cmp, rx);
	return v;
}

static int add_base(struct pack_receive *rx, const unsigned char *name, struct err *err)
{
	const struct object_source *src = odb_source_unreplaced(rx->o.odb);
	struct object_info info;
	struct object_id oid;
	struct rx_entry *e;
	uint32_t i;
	int rc;

	oid_from_raw(&oid, name, rx->o.algo);
	if (src->info(src->data, &oid, &info, NULL) < 0)
		return 0; /* another delta may still produce it */
	rc = rx_table_add(rx, &i, err);
	if (rc < 0)
		return rc;
	e = rx_entry(rx, i);
	e->stored = e->type = (uint8_t)info.type;
	e->flags = RX_ADDED;
	e->child = e->sibling = RX_NONE;
	memcpy(rx_name(rx, i), name, rx->raw_len);
	rx->nr_added++;
	return 0;
}

/* In a partial clone the sender may rely on objects that this repository never got. */
static int prefetch(struct pack_receive *rx, const uint32_t *missing, uint32_t nr, struct err *err)
{
	struct oid_array oids = OID_ARRAY_INIT;
	struct object_id oid;
	int rc;

	if (!odb_can_fetch(rx->o.odb))
		return 0;
	for (uint32_t i = 0; i < nr; i++) {
		oid_from_raw(&oid, rx->refs[missing[i]].name, rx->o.algo);
		oid_array_append(&oids, &oid);
	}
	rc = odb_prefetch(rx->o.odb, &oids, err);
	oid_array_clear(&oids);
	return rc;
}

int rx_thin_find(struct pack_receive *rx, struct err *err)
{
	uint32_t nr, *missing;
	int rc = 0;

	if (!rx->o.odb)
		return 0;
	missing = list_missing(rx, &nr);
	rc = prefetch(rx, missing, nr, err);
	for (uint32_t i = 0; i < nr && !rc; i++)
		rc = add_base(rx, rx->refs[missing[i]].name, err);
	free(missing);
	return rc;
}

/* ---- writing them ---- */

static int append_base(struct pack_receive *rx, uint32_t i, struct err *err)
{
	struct rx_entry *e = rx_entry(rx, i);
	unsigned char head[PACK_ENTRY_HEADER_MAX];
	struct strbuf out = STRBUF_INIT;
	void *data;
	size_t size;
	int rc = rx_inflate(rx, i, &data, &size, err);

	if (rc < 0)
		return rc;
	e->header_len = (uint8_t)pack_entry_header(head, e->type, size);
	strbuf_add(&out, head, e->header_len);
	deflate_buf(&out, data, size, rx->o.level);
	free(data);
	e->offset = rx->end;
	e->crc = libdeflate_crc32(0, out.buf, out.len);
	rc = pwrite_in_full(rx->fd, out.buf, out.len, (off_t)rx->end, rx->path, err);
	rx->end += out.len;
	strbuf_release(&out);
	return rc;
}

/* ---- which of them are needed ---- */

/*
 * Where the chain of deltas of i ends. up: the base of each entry, or one nearer to the end of the
 * chain; chains get shorter as they are followed, since many objects may rest on a long one.
 */
static uint32_t find_end(uint32_t *up, uint32_t i)
{
	while (up[i] != RX_NONE) {
		if (up[up[i]] != RX_NONE)
			up[i] = up[up[i]];
		i = up[i];
	}
	return i;
}

/*
 * A base is left out if an entry of the pack turned out to be the same object, unless that one rests
 * on it. Its `base` is then that entry.
 */
static uint32_t leave_out(struct pack_receive *rx, uint32_t first)
{
	uint32_t left_out = 0, *up;

	rx_sort_names(rx);
	ALLOC_ARRAY(up, (size_t)rx->nr + 1);
	for (uint32_t i = 0; i < rx->nr; i++)
		up[i] = rx_entry(rx, i)->base;
	for (uint32_t i = first; i < rx->nr; i++) {
		uint32_t own = rx_find_name(rx, rx_name(rx, i)); /* the first, if there are two */

		/* Deltas of bases that are left out use the entry of the pack instead. */
		if (own >= first || find_end(up, own) == i)
			continue;
		rx_entry(rx, i)->base = up[i] = own;
		left_out++;
	}
	free(up);
	return left_out;
}

/* Entries that stay move together; deltas of the others get the pack's own entries as bases. */
static void close_gaps(struct pack_receive *rx, uint32_t first)
{
	uint32_t *moved, to = first;

	ALLOC_ARRAY(moved, (size_t)(rx->nr - first) + 1);
	for (uint32_t i = first; i < rx->nr; i++) {
		uint32_t own = rx_entry(rx, i)->base;

		moved[i - first] = own != RX_NONE ? own : to;
		if (own != RX_NONE)
			continue;
		*rx_entry(rx, to) = *rx_entry(rx, i);
		memmove(rx_name(rx, to++), rx_name(rx, i), rx->raw_len);
	}
	for (uint32_t i = 0; i < first; i++) {
		struct rx_entry *e = rx_entry(rx, i);

		if (e->base != RX_NONE && e->base >= first)
			e->base = moved[e->base - first];
	}
	rx->nr_added -= rx->nr - to;
	rx->nr = to;
	free(moved);
}

/* ---- the checksum ---- */

/*
 * Reads the file back for its new checksum, and hashes the received part again: a new checksum must
 * not hide an error of disk or memory.
 */
static int hash_again(struct pack_receive *rx, uint64_t old_end, const unsigned char *old_head,
		      struct object_id *sum, struct err *err)
{
	unsigned char *piece = xmalloc(PIECE_BYTES);
	struct hash_ctx hash, old;
	struct object_id old_sum;
	int rc = 0;

	hash_init(&hash, rx->o.algo);
	hash_init(&old, rx->o.algo);
	hash_update(&old, old_head, PACK_HEADER_BYTES);
	for (uint64_t at = 0; at < rx->end && !rc;) {
		size_t n = rx->end - at < PIECE_BYTES ? (size_t)(rx->end - at) : PIECE_BYTES;
		size_t skip = at ? 0 : PACK_HEADER_BYTES;

		if (at < old_end && n > old_end - at)
			n = (size_t)(old_end - at);
		errno = 0;
		if (pread_in_full(rx->fd, piece, n, (off_t)at) != (ssize_t)n)
			rc = err_set_errno(err, "cannot read back '%s'", rx->path);
		hash_update(&hash, piece, n);
		if (at < old_end)
			hash_update(&old, piece + skip, n - skip);
		at += n;
	}
	free(piece);
	hash_final(&hash, sum);
	hash_final(&old, &old_sum);
	hash_release(&hash);
	hash_release(&old);
	if (!rc && !oid_eq(&old_sum, &rx->sum))
		rc = err_set(err, ERR_IO, "Unexpected tail checksum for %s (disk corruption?)", rx->path);
	return rc;
}

static int finish_file(struct pack_receive *rx, uint64_t old_end, struct err *err)
{
	unsigned char old_head[PACK_HEADER_BYTES], head[PACK_HEADER_BYTES];
	struct object_id sum;
	int rc;

	errno = 0;
	if (pread_in_full(rx->fd, old_head, sizeof(old_head), 0) != (ssize_t)sizeof(old_head))
		return err_set_errno(err, "cannot read back '%s'", rx->path);
	memcpy(head, old_head, sizeof(head));
	put_be32(head + 8, rx->nr);
	rc = pwrite_in_full(rx->fd, head, sizeof(head), 0, rx->path, err);
	if (!rc)
		rc = hash_again(rx, old_end, old_head, &sum, err);
	if (!rc)
		rc = pwrite_in_full(rx->fd, sum.hash, rx->raw_len, (off_t)rx->end, rx->path, err);
	if (rc < 0)
		return rc;
	rx->sum = sum;
	rx->size = rx->end + rx->raw_len;
	return 0;
}

int rx_thin_append(struct pack_receive *rx, struct err *err)
{
	uint32_t first = rx->nr - rx->nr_added;
	uint64_t old_end = rx->end;
	int rc = 0;

	if (leave_out(rx, first))
		close_gaps(rx, first);
	if (rx->nr == first)
		return 0;
	rx_file_close(rx);
	for (uint32_t i = first; i < rx->nr && !rc; i++)
		rc = append_base(rx, i, err);
	if (!rc)
		rc = finish_file(rx, old_end, err);
	for (uint32_t i = first; i < rx->nr; i++)
		rx_entry(rx, i)->flags &= (uint8_t)~RX_ADDED;
	return rc ? rc : rx_file_open(rx, err);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Handles each object of the pack as soon as its content is known: names it, compares it with an
 * object of that name in the database, checks its content, records its links, and passes it to the
 * caller.
 */
#include "compat/posix.h"
#include "pack/receive/receive-internal.h"
#include "util/alloc.h"

#define PIECE_BYTES ((size_t)128 * 1024)

/* ---- an object of that name is there already ---- */

static int collision(const struct object_id *oid, struct err *err)
{
	return err_set(err, ERR_CORRUPT, "SHA1 COLLISION FOUND WITH %s !", oid_hex(oid));
}

/* Compares type and size with the object in the database. */
static int compare_info(struct pack_receive *rx, const struct object_id *oid, enum object_type type,
			uint64_t size, struct err *err)
{
	const struct object_source *src = odb_source_unreplaced(rx->o.odb);
	struct object_info info;
	int rc = src->info(src->data, oid, &info, NULL);

	if (rc < 0)
		return err_set(err, rc, "cannot read existing object info %s", oid_hex(oid));
	return info.type != type || info.size != size ? collision(oid, err) : 0;
}

static int compare_content(struct pack_receive *rx, const struct object_id *oid,
			   enum object_type type, const void *content, size_t size, struct err *err)
{
	const struct object_source *src = odb_source_unreplaced(rx->o.odb);
	struct object_buf buf = OBJECT_BUF_INIT;
	int rc = compare_info(rx, oid, type, size, err);

	if (rc < 0)
		return rc;
	if (src->read(src->data, oid, &buf, NULL) < 0)
		return err_set(err, ERR_CORRUPT, "cannot read existing object %s", oid_hex(oid));
	if (buf.type != type || buf.size != size || memcmp(buf.data, content, size))
		rc = collision(oid, err);
	object_buf_release(&buf);
	return rc;
}

struct comparison {
	struct pack_receive_reader *ours;
	const struct object_id *oid;
	unsigned char *piece;
};

/* Compares the next piece with the object in the database. */
static int compare_piece(void *data, const void *p, size_t len, struct err *err)
{
	struct comparison *c = data;
	const unsigned char *theirs = p;

	while (len) {
		size_t want = len < PIECE_BYTES ? len : PIECE_BYTES, got;
		int rc = pack_receive_read(c->ours, c->piece, want, &got, err);

		if (rc < 0)
			return rc;
		if (got != want || memcmp(c->piece, theirs, want))
			return collision(c->oid, err);
		theirs += want;
		len -= want;
	}
	return 0;
}

/* In pieces from both sides; the sizes are the same. */
static int compare_big(struct pack_receive *rx, uint32_t i, const struct object_id *oid,
		       uint64_t size, struct err *err)
{
	struct comparison c = { .oid = oid };
	int rc = compare_info(rx, oid, OBJ_BLOB, size, err);

	if (!rc)
		rc = rx_reader_open(&c.ours, rx, i, err);
	if (rc < 0)
		return rc;
	c.piece = xmalloc(PIECE_BYTES);
	rc = odb_stream_unreplaced(rx->o.odb, oid, compare_piece, &c, err);
	free(c.piece);
	rx_reader_close(c.ours);
	return rc;
}

static bool is_known(const struct pack_receive *rx, const struct object_id *oid)
{
	return rx->o.odb && odb_has_quick(rx->o.odb, oid);
}

/* ---- checks ---- */

static int check_content(struct pack_receive *rx, const struct object_id *oid,
			 enum object_type type, const void *content, size_t size, struct err *err)
{
	int failures;

	if (!rx->o.fsck)
		return 0;
	pthread_mutex_lock(&rx->callback);
	failures = fsck_object(rx->o.fsck, oid, type, content, size, rx->o.algo);
	pthread_mutex_unlock(&rx->callback);
	return failures ? err_set(err, ERR_CORRUPT, "fsck error in packed object") : 0;
}

static int deliver(struct pack_receive *rx, const struct object_id *oid, enum object_type type,
		   const void *content, size_t size, struct err *err)
{
	int rc;

	if (!rx->o.object)
		return 0;
	pthread_mutex_lock(&rx->callback);
	rc = rx->o.object(rx->o.data, oid, type, content, size, err);
	pthread_mutex_unlock(&rx->callback);
	return rc;
}

static int check_known_name(struct pack_receive *rx, const struct object_id *oid,
			    enum object_type type, const void *content, size_t size,
			    struct err *err)
{
	int rc = 0;

	if (is_known(rx, oid))
		rc = compare_content(rx, oid, type, content, size, err);
	if (!rc)
		rc = check_content(rx, oid, type, content, size, err);
	if (!rc && rx->links)
		rc = rx_links_add(rx, oid, type, content, size, err);
	return rc ? rc : deliver(rx, oid, type, content, size, err);
}

int rx_object(struct pack_receive *rx, uint32_t i, const void *content, size_t size,
	      struct err *err)
{
	enum object_type type = rx_entry(rx, i)->type;
	struct object_id oid;
	int rc = hash_object_buf(rx->o.algo, object_type_name(type), content, size, &oid, err);

	if (rc < 0)
		return rc;
	memcpy(rx_name(rx, i), oid.hash, rx->raw_len);
	return check_known_name(rx, &oid, type, content, size, err);
}

/* ---- big ones, of which only the name is known so far ---- */

static int check_big_blob(struct pack_receive *rx, uint32_t i, const struct object_id *oid,
			  struct err *err)
{
	struct pack_receive_reader *r;
	uint64_t size;
	int rc = rx_stored_size(rx, i, &size, err);

	if (!rc && is_known(rx, oid))
		rc = compare_big(rx, i, oid, size, err);
	if (!rc)
		rc = check_content(rx, oid, OBJ_BLOB, NULL, 0, err);
	if (rc < 0 || !rx->o.big_blob)
		return rc;
	rc = rx_reader_open(&r, rx, i, err);
	if (rc < 0)
		return rc;
	rc = rx->o.big_blob(rx->o.data, oid, size, r, err);
	rx_reader_close(r);
	return rc;
}

static int check_big_other(struct pack_receive *rx, uint32_t i, const struct object_id *oid,
			   struct err *err)
{
	void *content;
	size_t size;
	int rc = rx_inflate(rx, i, &content, &size, err);

	if (rc < 0)
		return rc;
	rc = check_known_name(rx, oid, rx_entry(rx, i)->type, content, size, err);
	free(content);
	return rc;
}

/* If keep_going is set, a refused big object is left out, as a small one is. */
static void check_one_big(struct pack_receive *rx, uint32_t i)
{
	struct rx_entry *e = rx_entry(rx, i);
	struct object_id oid;
	struct err err = ERR_INIT;
	int rc;

	rx_oid(rx, i, &oid);
	rc = e->type == OBJ_BLOB ? check_big_blob(rx, i, &oid, &err)
				 : check_big_other(rx, i, &oid, &err);
	if (rc < 0) {
		e->type = 0;
		e->flags |= RX_BROKEN;
		(void)rx_broken(rx, rc, &err);
	}
}

void rx_check_big(struct pack_receive *rx)
{
	for (size_t k = 0; k < rx->nr_big && !atomic_load(&rx->failed); k++)
		check_one_big(rx, rx->big[k]);
}

/* ---- after all of them ---- */

/* Reads objects of the pack, which no other process can see yet, and of the database. */
static int read_own(void *data, const struct object_id *oid, struct object_buf *out, struct err *err)
{
	struct pack_receive *rx = data;
	uint32_t i = rx_find_name(rx, oid->hash);

	if (i != RX_NONE)
		return rx_read_object(rx, i, out, err);
	if (!rx->o.odb)
		return err_set(err, ERR_NOT_FOUND, "object %s not found", oid_hex(oid));
	return odb_source_unreplaced(rx->o.odb)->read(odb_source_unreplaced(rx->o.odb)->data, oid, out,
						      err);
}

int rx_finish_checks(struct pack_receive *rx, struct err *err)
{
	const struct object_source src = { .read = read_own, .data = rx, .algo = rx->o.algo };

	if (rx->o.fsck && !rx->o.fsck_finish_later && fsck_finish(rx->o.fsck, &src))
		return err_set(err, ERR_CORRUPT, "fsck error in pack objects");
	return 0;
}

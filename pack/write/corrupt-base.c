/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads objects whose packed copy may be damaged: a copy counts only if its content has the right
 * name.
 */
#include "compat/posix.h"
#include "odb/odb.h"
#include "pack/write/write-internal.h"

static bool is_named(const struct pack_objects *po, const struct object_id *oid,
		     const struct object_buf *buf)
{
	struct object_id actual;

	return !hash_object_buf(po->algo, object_type_name(buf->type), buf->data, buf->size, &actual,
				NULL) &&
	       oid_eq(&actual, oid);
}

int pack_read_corrupt_base(const struct pack_objects *po, const struct object_id *oid,
			   struct pack *pack, uint64_t offset, struct object_buf *out, struct err *err)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	int rc = odb_read(po->o.odb, oid, &buf, err);

	if (rc < 0)
		return rc;
	if (!is_named(po, oid, &buf)) {
		object_buf_release(&buf);
		/* Readers skip this copy from now on. */
		pack_mark_bad(pack, offset);
		rc = odb_read(po->o.odb, oid, &buf, NULL);
		if (!rc && !is_named(po, oid, &buf)) {
			object_buf_release(&buf);
			rc = ERR_CORRUPT;
		}
	}
	if (rc < 0)
		return err_set(err, ERR_CORRUPT, "packed object %s (stored in %s) is corrupt",
			       oid_hex(oid), pack->path);
	*out = buf;
	return 0;
}

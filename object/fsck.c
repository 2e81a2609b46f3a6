/* SPDX-License-Identifier: GPL-2.0-only */
/* Which check an object gets. */
#include "compat/posix.h"
#include "object/fsck-internal.h"

int fsck_object(struct fsck_options *o, const struct object_id *oid, enum object_type type,
		const void *buf, size_t size, const struct hash_algo *algo)
{
	struct fsck_item it = { o, oid, type, algo };

	switch (type) {
	case OBJ_BLOB:
		return fsck_blob(&it, buf, size);
	case OBJ_TREE:
		return fsck_tree(&it, buf, size);
	case OBJ_COMMIT:
		return fsck_commit(&it, buf, size);
	case OBJ_TAG:
		return fsck_tag(&it, buf, size);
	default:
		return fsck_found(&it, MSG_UNKNOWN_TYPE,
				  "unknown type '%d' (internal fsck error)", (int)type) != 0;
	}
}

/* ---- special blobs that have not been checked yet ---- */

struct special_kind {
	struct fsck_special *special;
	const char *name;
	enum fsck_msg missing, not_blob;
};

static int check_special_blob(struct fsck_options *o, const struct object_source *src,
			      const struct special_kind *k, const struct object_id *oid)
{
	struct fsck_item it = { o, oid, OBJ_BLOB, src->algo };
	struct object_buf buf = OBJECT_BUF_INIT;
	int failures;

	if (src->read(src->data, oid, &buf, NULL) < 0) {
		bool owed = o->promised && o->promised(o->promised_data, oid);

		return !owed && fsck_found(&it, k->missing, "unable to read %s blob", k->name) != 0;
	}
	it.type = buf.type;
	if (buf.type == OBJ_BLOB)
		failures = fsck_blob(&it, buf.data, buf.size);
	else
		failures = fsck_found(&it, k->not_blob, "non-blob found at %s", k->name) != 0;
	object_buf_release(&buf);
	return failures;
}

static int check_special_blobs(struct fsck_options *o, const struct object_source *src,
			       const struct special_kind *k)
{
	struct oid_array left = OID_ARRAY_INIT;
	const struct object_id *oid;
	int failures = 0;

	for (size_t i = 0; oidmap_next(&k->special->found.map, &i, &oid, NULL);)
		if (!oidset_contains(&k->special->done, oid))
			oid_array_append(&left, oid);
	oid_array_sort(&left);
	for (size_t i = 0; i < left.nr; i++)
		failures += check_special_blob(o, src, k, &left.oid[i]);
	oid_array_clear(&left);
	return failures;
}

int fsck_finish(struct fsck_options *o, const struct object_source *src)
{
	struct special_kind modules = { &o->gitmodules, ".gitmodules",
					MSG_GITMODULES_MISSING, MSG_GITMODULES_BLOB };
	struct special_kind attributes = { &o->gitattributes, ".gitattributes",
					   MSG_GITATTRIBUTES_MISSING, MSG_GITATTRIBUTES_BLOB };

	return check_special_blobs(o, src, &modules) + check_special_blobs(o, src, &attributes);
}

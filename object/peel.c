/* SPDX-License-Identifier: GPL-2.0-only */
/* Peeling: from tags, or a commit, to what they lead to. */
#include "compat/posix.h"
#include "object/commit.h"
#include "object/object.h"
#include "object/tag.h"

/* The target of a tag, or the tree of a commit. */
static int dereference(const struct object_source *src, const struct object_id *oid,
		       enum object_type type, struct object_id *next, struct err *err)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	struct tag_view tag;
	int rc = src->read(src->data, oid, &buf, err);

	if (rc < 0)
		return rc;
	if (buf.type != type) {
		rc = err_set(err, ERR_CORRUPT, "object %s is not a %s",
			     oid_hex(oid), object_type_name(type));
	} else if (type == OBJ_TAG) {
		rc = tag_parse(&tag, buf.data, buf.size, src->algo, err);
		if (!rc)
			*next = tag.target;
	} else {
		rc = commit_parse_links(buf.data, buf.size, src->algo, next, NULL, NULL, err);
	}
	if (rc < 0)
		err_prefix(err, "%s %s", object_type_name(type), oid_hex(oid));
	object_buf_release(&buf);
	return rc;
}

int object_peel(const struct object_source *src, const struct object_id *oid,
		enum object_type want, struct object_id *out,
		enum object_type *out_type, struct err *err)
{
	struct object_id at = *oid;
	struct object_info info;
	int rc;

	for (;;) {
		rc = src->info(src->data, &at, &info, err);
		if (rc < 0)
			return rc;
		if (want == OBJ_ANY ? info.type != OBJ_TAG : info.type == want)
			break;
		if (info.type != OBJ_TAG && !(info.type == OBJ_COMMIT && want == OBJ_TREE))
			return err_set(err, ERR_INVALID, "object %s is a %s, not a %s",
				       oid_hex(&at), object_type_name(info.type),
				       object_type_name(want));
		rc = dereference(src, &at, info.type, &at, err);
		if (rc < 0)
			return rc;
	}
	*out = at;
	if (out_type)
		*out_type = info.type;
	return 0;
}

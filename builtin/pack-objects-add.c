/* SPDX-License-Identifier: GPL-2.0-only */
/* One object of git-pack-objects(1): its path decides whether it gets a delta. */
#include "compat/posix.h"
#include "builtin/pack-objects.h"
#include "util/progress.h"

static bool wants_no_delta(struct pack_command *c, const char *path)
{
	static const char *const name = "delta";
	struct attr_value v;

	attrs_get(c->attrs, path, &name, 1, &v);
	return v.state == ATTR_UNSET;
}

int pack_command_add(struct pack_command *c, const struct object_id *oid, enum object_type type,
		     const char *path, unsigned flags, struct err *err)
{
	if (path && *path && type != OBJ_TREE && type != OBJ_TAG && wants_no_delta(c, path))
		flags |= PACK_NO_DELTA;
	progress_update(c->progress, ++c->nr_enumerated);
	return pack_objects_add(c->po, oid, type, path, flags, err);
}

const char *pack_command_name_of(const struct pack *p)
{
	const char *slash = strrchr(pack_path(p), '/');

	return slash ? slash + 1 : pack_path(p);
}

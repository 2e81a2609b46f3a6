/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "config/config.h"
#include "util/alloc.h"
#include "worktree/content-merge.h"

/* A name that no configuration explains means text. */
static int content_merge_find_driver(struct repository *r, const char *name, enum merge_kind *kind,
				     struct err *err)
{
	char *key = xstrfmt("merge.%s.driver", name);
	bool program = config_get(r->config, key) != NULL;

	free(key);
	if (program)
		return err_set(err, ERR_UNSUPPORTED, "merging by a program (merge.%s.driver) is not "
			       "available yet", name);
	*kind = !strcmp(name, "binary") ? MERGE_KIND_BINARY : !strcmp(name, "union") ? MERGE_KIND_UNION : MERGE_KIND_TEXT;
	return 0;
}

int content_merge_attributes(void *data, const char *path, struct merge_attributes *out, struct err *err)
{
	static const char *const names[] = { "merge", "conflict-marker-size" };
	struct content_merge *m = data;
	struct attr_value v[ARRAY_SIZE(names)];
	const char *name = NULL;
	int size;

	attrs_get(m->attrs, path, names, ARRAY_SIZE(names), v);
	if (v[1].state == ATTR_VALUE && (size = atoi(v[1].value)) > 0)
		out->marker_size = (size_t)size;
	out->kind = v[0].state == ATTR_UNSET ? MERGE_KIND_BINARY : MERGE_KIND_TEXT;
	if (v[0].state == ATTR_VALUE)
		name = v[0].value;
	else if (v[0].state == ATTR_UNSPECIFIED && config_get_string(m->r->config, "merge.default", &name, err) < 0)
		return ERR_INVALID;
	return name ? content_merge_find_driver(m->r, name, &out->kind, err) : 0;
}

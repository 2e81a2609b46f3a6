/* SPDX-License-Identifier: GPL-2.0-only */
/* Reading an index together with the parts that its file only names: a shared index, trees. */
#include "compat/posix.h"
#include "index/index-internal.h"

/* What the file names only. */
static int read_parts(struct index_state *ix, const char *path, const struct index_places *p, struct err *err)
{
	int ret = 0;

	if (ix->link_ext)
		ret = p && p->gitdir ? index_read_base(ix, path, p->gitdir, err) :
				       err_set(err, ERR_UNSUPPORTED, "index '%s' is split", path);
	if (!ret && ix->sparse_dirs && p && p->objects)
		ret = index_expand_sparse_dirs(ix, p->objects, path, err);
	return ret;
}

int index_read(struct index_state *ix, const char *path, const struct hash_algo *algo, const struct index_places *places,
	       struct err *err)
{
	struct index_state fresh;
	int ret;

	index_init(&fresh, algo);
	ret = index_read_file(&fresh, path, true, err);
	if (!ret)
		ret = read_parts(&fresh, path, places, err);
	if (ret) {
		index_release(&fresh);
		return ret;
	}
	*ix = fresh;
	return 0;
}

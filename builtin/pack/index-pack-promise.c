/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "builtin/pack/index-pack.h"
#include "packing/new-pack.h"
#include "packing/pack-collection.h"
#include "pack/write/pack-files.h"
#include "util/alloc.h"

struct promised {
	struct repository *r;
	struct strvec lines;
};
struct search {
	struct repository *r;
	struct oid_array *out;
};

/* Blobs that a tree of the pack names are left as they are, as Git leaves them. */
static int add_if_here(void *data, const struct object_id *oid, enum object_type type, struct err *err UNUSED)
{
	struct search *s = data;

	if (type != OBJ_BLOB && odb_has_quick(s->r->odb, oid))
		oid_array_append(s->out, oid);
	return 0;
}

int index_pack_find_named(struct repository *r, struct pack_receive *rx, struct oid_array *out, struct err *err)
{
	struct search s = { r, out };

	return pack_receive_foreach_foreign(rx, add_if_here, &s, err);
}

static int collect(struct pack_collection *c, const struct promised *p, struct err *err)
{
	int rc;

	pack_objects_options_init(&c->o, p->r->odb);
	rc = pack_objects_options_read(&c->o, p->r->config, err);
	if (rc < 0)
		return rc;
	c->o.ofs_delta = true;
	c->o.order = PACK_ORDER_TYPE;
	c->o.big_file_threshold = p->r->settings.big_file_threshold;
	rc = pack_collection_begin(c, err);
	return rc < 0 ? rc : pack_collect_revisions(c, &p->lines, err);
}

static int write_pack(struct pack_collection *c, struct repo_operation *op, struct err *err)
{
	struct repository *r = c->r;
	struct oid_array sums = OID_ARRAY_INIT;
	char *base = xstrfmt("%s/pack/pack", odb_objdir(r->odb));
	struct pack_files_options files = { .base_name = base, .shared_perm = r->settings.shared_perm,
					    .write_rev = true, .promisor = true, .index_version = 2 };
	int rc = config_get_bool(r->config, "pack.writereverseindex", &files.write_rev, err);

	if (rc >= 0)
		rc = new_pack_files_stage(c->po, op, odb_objdir(r->odb), &files, &sums, err);
	oid_array_clear(&sums);
	free(base);
	return rc < 0 ? rc : 0;
}

int index_pack_promise(struct repository *r, struct repo_operation *op, const struct oid_array *named, struct err *err)
{
	struct promised p = { .r = r, .lines = STRVEC_INIT };
	/*
	 * A missing object can be in the new pack, which is not visible yet, or has been promised
	 * before.
	 */
	struct pack_collection c = { .r = r, .exclude_promisor = true, .missing = MISSING_ALLOW_ANY };
	int rc = 0;

	for (size_t i = 0; i < named->nr; i++)
		if (odb_has_quick(r->odb, &named->oid[i]))
			strvec_push(&p.lines, oid_hex(&named->oid[i]));
	if (p.lines.nr) {
		rc = collect(&c, &p, err);
		if (!rc && pack_objects_count(c.po))
			rc = write_pack(&c, op, err);
		pack_collection_end(&c);
	}
	strvec_clear(&p.lines);
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* Peeling: follows tags, or a commit, to an object of the wanted type. */
#include "compat/posix.h"
#include <pthread.h>
#include "object/commit.h"
#include "object/object.h"
#include "object/tag.h"
#include "util/alloc.h"

int object_type_expect(const struct object_id *oid, enum object_type type, enum object_type want, struct err *err)
{
	if (want == OBJ_ANY || type == want)
		return 0;
	return err_set(err, ERR_CORRUPT, "object %s is a %s, not a %s", oid_hex(oid), object_type_name(type),
		       object_type_name(want));
}

int object_tag_target(const struct object_source *src, const struct object_id *tag,
		      struct object_id *target, enum object_type *type, struct err *err)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	struct tag_view view;
	int rc = src->read(src->data, tag, &buf, err);

	if (!rc)
		rc = object_type_expect(tag, buf.type, OBJ_TAG, err);
	if (!rc)
		rc = tag_parse(&view, buf.data, buf.size, src->algo, err);
	if (!rc) {
		*target = view.target;
		*type = view.target_type;
	}
	object_buf_release(&buf);
	return rc;
}

/* The target of a tag, or the tree of a commit, and the type that it should have. */
static int dereference(const struct object_source *src, const struct object_id *oid,
		       enum object_type type, struct object_id *next, enum object_type *want, struct err *err)
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
		if (!rc) {
			*next = tag.target;
			*want = tag.target_type;
		}
	} else {
		*want = OBJ_TREE;
		rc = commit_parse_links(buf.data, buf.size, src->algo, next, NULL, NULL, err);
	}
	if (rc < 0)
		err_prefix(err, "%s %s", object_type_name(type), oid_hex(oid));
	object_buf_release(&buf);
	return rc;
}

/* ---- tags of tags of tags ---- */

/* Longer chains of tags are remembered: each tag can be a ref, so that n refs would take n * n / 2 readings. */
#define SHORT_CHAIN 8

struct peel_memo {
	pthread_mutex_t lock;
	struct oidmap ends;   /* a tag: the number of its object in `objects`, plus 1 */
	struct oid_array objects;
};

struct peel_memo *peel_memo_new(void)
{
	struct peel_memo *m;

	CALLOC_ARRAY(m, 1);
	pthread_mutex_init(&m->lock, NULL);
	return m;
}

void peel_memo_free(struct peel_memo *m)
{
	if (!m)
		return;
	oidmap_clear(&m->ends, NULL);
	oid_array_clear(&m->objects);
	pthread_mutex_destroy(&m->lock);
	free(m);
}

static bool memo_find(struct peel_memo *m, struct object_id *tag)
{
	uintptr_t n;

	pthread_mutex_lock(&m->lock);
	n = (uintptr_t)oidmap_get(&m->ends, tag);
	if (n)
		*tag = m->objects.oid[n - 1];
	pthread_mutex_unlock(&m->lock);
	return n != 0;
}

static void memo_add(struct peel_memo *m, const struct oid_array *tags, const struct object_id *end)
{
	pthread_mutex_lock(&m->lock);
	oid_array_append(&m->objects, end);
	for (size_t i = 0; i < tags->nr; i++)
		oidmap_put(&m->ends, &tags->oid[i], (void *)(uintptr_t)m->objects.nr);
	pthread_mutex_unlock(&m->lock);
}

/* From a tag to the first object that is none; or, if the tags are believed, is none by what they say. */
static int follow_tags(const struct object_source *src, struct object_id *at, struct object_info *info, bool believe,
		       struct err *err)
{
	struct oid_array passed = OID_ARRAY_INIT;
	size_t nr = 0;
	int rc = 0;

	while (!rc && info->type == OBJ_TAG) {
		enum object_type want = OBJ_ANY;
		bool is_long = src->peeled && nr++ >= SHORT_CHAIN;

		if (!is_long || !memo_find(src->peeled, at)) {
			if (is_long)
				oid_array_append(&passed, at);
			rc = dereference(src, at, OBJ_TAG, at, &want, err);
		}
		if (!rc && (!believe || want == OBJ_ANY))
			rc = src->info(src->data, at, info, err);
		else if (!rc)
			info->type = want;
		if (!rc)
			rc = object_type_expect(at, info->type, want, err);
	}
	if (!rc && passed.nr)
		memo_add(src->peeled, &passed, at);
	oid_array_clear(&passed);
	return rc;
}

int object_peel(const struct object_source *src, const struct object_id *oid,
		enum object_type want, struct object_id *out,
		enum object_type *out_type, struct err *err)
{
	struct object_id at = *oid;
	struct object_info info;
	int rc = src->info(src->data, &at, &info, err);

	if (!rc && info.type == OBJ_TAG && want != OBJ_TAG)
		rc = follow_tags(src, &at, &info, false, err);
	if (!rc && info.type == OBJ_COMMIT && want == OBJ_TREE) {
		enum object_type tree;

		rc = dereference(src, &at, OBJ_COMMIT, &at, &tree, err);
		if (!rc)
			rc = src->info(src->data, &at, &info, err);
	}
	if (rc < 0)
		return rc;
	if (want != OBJ_ANY && info.type != want)
		return err_set(err, ERR_INVALID, "object %s is a %s, not a %s", oid_hex(&at),
			       object_type_name(info.type), object_type_name(want));
	*out = at;
	if (out_type)
		*out_type = info.type;
	return 0;
}

int object_peel_as_named(const struct object_source *src, const struct object_id *oid, struct object_id *out,
			 struct err *err)
{
	struct object_id at = *oid;
	struct object_info info;
	int rc = src->info(src->data, &at, &info, err);

	if (!rc && info.type == OBJ_TAG)
		rc = follow_tags(src, &at, &info, true, err);
	if (!rc)
		*out = at;
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* Starts of a walk that are no commits, and commits that are not there. */
#include "compat/posix.h"
#include "history/revision/revision-internal.h"
#include "object/tag.h"
#include "util/alloc.h"

static void note(struct rev_walk *w, const struct object_id *oid, enum object_type type,
		 char *path, uint32_t flags)
{
	if (!w->objects) {
		free(path);
		return;
	}
	ALLOC_GROW(w->given_objects, w->nr_objects + 1, w->alloc_objects);
	w->given_objects[w->nr_objects++] = (struct rev_object){
		*oid, type, path, flags & REV_UNINTERESTING
	};
}

void rev_free_objects(struct rev_walk *w)
{
	while (w->nr_objects)
		free(w->given_objects[--w->nr_objects].path);
	FREE_AND_NULL(w->given_objects);
	oidset_clear(&w->given_tags[0]);
	oidset_clear(&w->given_tags[1]);
	oid_array_clear(&w->missing);
}

/* From one tag to what it names, and the type that this has by the tag. */
static int pass_tag(struct rev_walk *w, const struct rev_start *s, struct object_id *oid, enum object_type *want,
		    struct err *err)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	struct tag_view tag;
	int rc = odb_read_type(w->repo->odb, oid, OBJ_TAG, &buf, err);

	if (rc < 0)
		return rc;
	rc = tag_parse(&tag, buf.data, buf.size, w->repo->algo, err);
	if (rc < 0) {
		err_prefix(err, "bad tag %s", oid_hex(oid));
	} else {
		note(w, oid, OBJ_TAG, xmemdupz(tag.name, tag.name_len), s->flags);
		*oid = tag.target;
		*want = tag.target_type;
	}
	object_buf_release(&buf);
	return rc;
}

static int bad_object(const struct rev_start *s, int rc, struct err *err)
{
	return err_set(err, rc == ERR_CORRUPT || rc == ERR_UNSUPPORTED ? ERR_CORRUPT : ERR_NOT_FOUND, "bad object %s", s->name);
}

int rev_walk_check_starts(struct rev_walk *w, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < w->nr_starts; i++) {
		enum object_type type;
		uint64_t size;

		rc = odb_type(w->repo->odb, &w->starts[i].oid, &type, &size, NULL);
		if (rc < 0)
			rc = bad_object(&w->starts[i], rc, err);
	}
	return rc;
}

/* 0: it leads to a missing object, and that is all right. */
static int missing_start(struct rev_walk *w, const struct rev_start *s,
			 const struct object_id *oid, int rc, struct err *err)
{
	if (w->ignore_missing)
		return 0;
	if (rc == ERR_NOT_FOUND && w->missing_ok && !(s->flags & REV_UNINTERESTING)) {
		oid_array_append(&w->missing, oid);
		w->nr_missing_starts++;
		return 0;
	}
	return bad_object(s, rc, err);
}

int rev_peel_start(struct rev_walk *w, struct rev_start *s, struct object_id *oid, struct err *err)
{
	struct oidset *given = &w->given_tags[(s->flags & REV_UNINTERESTING) != 0];
	enum object_type type, want = OBJ_ANY;
	uint64_t size;
	int rc;

	*oid = s->oid;
	while (!(rc = odb_type(w->repo->odb, oid, &type, &size, NULL)) &&
	       !(rc = object_type_expect(oid, type, want, NULL)) && type == OBJ_TAG) {
		/* One that was given before, with all that follow it. */
		if (!oidset_insert(given, oid) &&
		    !object_peel(odb_source(w->repo->odb), oid, OBJ_ANY, oid, &type, NULL))
			break;
		rc = pass_tag(w, s, oid, &want, NULL);
		if (rc < 0)
			break;
	}
	if (rc < 0)
		return missing_start(w, s, oid, rc, err);
	if (type == OBJ_COMMIT)
		return 1;
	note(w, oid, type, xstrdup(s->path ? s->path : ""), s->flags);
	return 0;
}

int rev_allow_missing(struct rev_walk *w, struct commit *c, int rc, struct err *err)
{
	if (rc != ERR_NOT_FOUND || !w->missing_ok)
		return rc;
	if (err)
		err_release(err);
	if (!(c->flags & REV_SEEN)) {
		c->flags |= REV_SEEN;
		oid_array_append(&w->missing, &c->oid);
	}
	return 0;
}

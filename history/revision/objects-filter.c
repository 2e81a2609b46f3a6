/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Filters of a walk of objects: --filter of git-rev-list(1). Each part judges by itself; an object
 * is included if all parts include it where it lies.
 */
#include "compat/posix.h"
#include "history/revision/objects-internal.h"
#include "history/names/revparse.h"
#include "index/pattern-list.h"
#include "util/alloc.h"

#define SPARSE_SPEC_MAX ((uint64_t)100 * 1024 * 1024)

struct filter_state {
	const struct filter_part *part;
	struct oidmap depths;	      /* tree: the least depth at which it was seen, plus one */
	struct pattern_list patterns; /* sparse:oid */
	bool *inside;		      /* of each directory entered: is it within the patterns? */
	size_t nr_inside, alloc_inside;
};

struct object_filter {
	struct repository *repo;
	struct filter_state *parts;
	size_t nr;
	bool collect;
};

/* ---- life ---- */

static int read_sparse_spec(struct object_filter *f, struct filter_state *st, struct err *err)
{
	const char *name = st->part->name;
	struct object_buf buf = OBJECT_BUF_INIT;
	struct object_id oid;
	enum object_type type;
	uint64_t size;

	if (revparse_oid(f->repo, name, &oid, NULL) < 0)
		return err_set(err, ERR_NOT_FOUND, "unable to access sparse blob in '%s'", name);
	if (odb_type(f->repo->odb, &oid, &type, &size, NULL) < 0 || size > SPARSE_SPEC_MAX ||
	    odb_read_type(f->repo->odb, &oid, OBJ_BLOB, &buf, NULL) < 0)
		return err_set(err, ERR_INVALID, "unable to parse sparse filter data in %s",
			       oid_hex(&oid));
	pattern_list_parse(&st->patterns, buf.data, buf.size, "");
	object_buf_release(&buf);
	return 0;
}

int object_filter_new(struct object_filter **out, struct repository *r,
		      const struct filter_spec *spec, bool collect, struct err *err)
{
	struct object_filter *f;
	int rc = 0;

	CALLOC_ARRAY(f, 1);
	CALLOC_ARRAY(f->parts, spec->nr + 1);
	f->repo = r;
	f->collect = collect;
	for (f->nr = 0; !rc && f->nr < spec->nr; f->nr++) {
		f->parts[f->nr].part = &spec->parts[f->nr];
		if (spec->parts[f->nr].kind == FILTER_SPARSE_OID)
			rc = read_sparse_spec(f, &f->parts[f->nr], err);
	}
	if (rc < 0)
		object_filter_free(f);
	else
		*out = f;
	return rc;
}

void object_filter_free(struct object_filter *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->nr; i++) {
		oidmap_clear(&f->parts[i].depths, NULL);
		pattern_list_release(&f->parts[i].patterns);
		free(f->parts[i].inside);
	}
	free(f->parts);
	free(f);
}

bool object_filter_needs_place(const struct object_filter *f)
{
	for (size_t i = 0; i < f->nr; i++)
		if (f->parts[i].part->kind == FILTER_TREE_DEPTH ||
		    f->parts[i].part->kind == FILTER_SPARSE_OID)
			return true;
	return false;
}

/* ---- the kinds of filters ---- */

static const struct filter_verdict all = FILTER_VERDICT_ALL;
static const struct filter_verdict left_out = { .final = true, .omit = true };

static struct filter_verdict judge_size(struct object_filter *f, const struct filter_part *p,
					const struct object_id *oid, enum object_type type)
{
	uint64_t size;

	/* A missing object is reported as missing, not as omitted. */
	if (type != OBJ_BLOB || odb_type(f->repo->odb, oid, &type, &size, NULL) < 0)
		return all;
	return size < p->number ? all : left_out;
}

static struct filter_verdict judge_type(const struct filter_part *p, enum object_type type)
{
	return (struct filter_verdict){
		.include = type == p->type, .final = true,
		.skip = p->type == OBJ_COMMIT || p->type == OBJ_TAG,
	};
}

static struct filter_verdict judge_depth(const struct object_filter *f, struct filter_state *st,
					 const struct object_id *oid, enum object_type type,
					 uint64_t depth)
{
	uint64_t limit = st->part->number, before;
	struct filter_verdict v = { .include = depth < limit, .final = depth < limit,
				    .omit = depth >= limit };

	if (type != OBJ_TREE)
		return v;
	before = (uintptr_t)oidmap_get(&st->depths, oid);
	if (before && before - 1 <= depth) {
		v.stale = true;
		v.include = before - 1 < limit;
		v.omit = !v.include;
		v.final = false; /* entries below may yet be found less deep */
		return v;
	}
	oidmap_put(&st->depths, oid, (void *)(uintptr_t)(depth + 1));
	v.skip = !f->collect && (!limit || depth >= limit - 1);
	v.final = v.include && !v.skip;
	return v;
}

static bool is_inside(const struct filter_state *st, const struct strbuf *path, bool is_dir)
{
	const struct ignore_pattern *p = NULL;

	if (path->len)
		p = pattern_list_match(&st->patterns, path->buf, path->len, is_dir, false);
	if (p)
		return !p->negated;
	return st->nr_inside && st->inside[st->nr_inside - 1];
}

static struct filter_verdict judge_path(const struct filter_state *st, enum object_type type,
					const struct strbuf *path)
{
	if (type != OBJ_BLOB || is_inside(st, path, false))
		return all;
	return (struct filter_verdict){ .omit = true };
}

static struct filter_verdict judge_part(struct object_filter *f, struct filter_state *st,
					const struct object_id *oid, enum object_type type,
					const struct strbuf *path, uint64_t depth)
{
	switch (st->part->kind) {
	case FILTER_BLOB_NONE:
		return type == OBJ_BLOB ? left_out : all;
	case FILTER_BLOB_LIMIT:
		return judge_size(f, st->part, oid, type);
	case FILTER_OBJECT_TYPE:
		return judge_type(st->part, type);
	case FILTER_TREE_DEPTH:
		return type == OBJ_TREE || type == OBJ_BLOB ? judge_depth(f, st, oid, type, depth) :
							      all;
	case FILTER_SPARSE_OID:
		return judge_path(st, type, path);
	}
	return all;
}

/* ---- all parts ---- */

void object_filter_judge(struct object_filter *f, const struct object_id *oid,
			 enum object_type type, const struct strbuf *path, uint64_t depth,
			 struct filter_verdict *out)
{
	struct filter_verdict v = FILTER_VERDICT_ALL;
	size_t skip = 0, stale = 0;

	for (size_t i = 0; i < f->nr; i++) {
		struct filter_verdict part = judge_part(f, &f->parts[i], oid, type, path, depth);

		v.include &= part.include;
		v.final &= part.final;
		v.omit |= part.omit;
		skip += part.skip;
		stale += part.stale;
	}
	/* Where omitted objects are collected, each part must see all that it would omit. */
	v.skip = f->collect ? skip == f->nr : skip > 0;
	v.stale = f->nr && stale == f->nr;
	*out = v;
}

void object_filter_enter(struct object_filter *f, const struct strbuf *path)
{
	for (size_t i = 0; i < f->nr; i++) {
		struct filter_state *st = &f->parts[i];
		bool inside;

		if (st->part->kind != FILTER_SPARSE_OID)
			continue;
		inside = is_inside(st, path, true);
		ALLOC_GROW(st->inside, st->nr_inside + 1, st->alloc_inside);
		st->inside[st->nr_inside++] = inside;
	}
}

void object_filter_leave(struct object_filter *f)
{
	for (size_t i = 0; i < f->nr; i++)
		if (f->parts[i].nr_inside)
			f->parts[i].nr_inside--;
}

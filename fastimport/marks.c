/* SPDX-License-Identifier: GPL-2.0-only */
/* Marks: a hash table of numbers. */
#include "compat/posix.h"
#include "fastimport/fastimport-internal.h"
#include "fastimport/marks-file.h"
#include "util/alloc.h"

static size_t mark_slot(const struct import_marks *m, uint64_t id)
{
	size_t i = (size_t)(id * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (m->size - 1);

	while (m->v[i].id && m->v[i].id != id)
		i = (i + 1) & (m->size - 1);
	return i;
}

struct import_mark *import_mark_get(struct import_marks *m, uint64_t id)
{
	struct import_mark *found = m->size && id ? &m->v[mark_slot(m, id)] : NULL;

	return found && found->id ? found : NULL;
}

static void grow_marks(struct import_marks *m)
{
	struct import_marks bigger = { .size = m->size ? m->size * 2 : 1024 };

	bigger.v = xcalloc(bigger.size, sizeof(*bigger.v));
	bigger.nr = m->nr;
	for (size_t i = 0; i < m->size; i++)
		if (m->v[i].id)
			bigger.v[mark_slot(&bigger, m->v[i].id)] = m->v[i];
	free(m->v);
	*m = bigger;
}

void import_mark_set(struct import_marks *m, uint64_t id, const struct object_id *oid, enum object_type type)
{
	struct import_mark *mark;

	if (m->nr >= m->size / 2)
		grow_marks(m);
	mark = &m->v[mark_slot(m, id)];
	m->nr += !mark->id;
	*mark = (struct import_mark){ id, *oid, type };
}

int import_parse_mark(struct fast_import *fi, const char **p, char after, struct import_mark **out, struct err *err)
{
	const char *digits = *p + 1;
	uint64_t id;
	char *end;

	id = strtoull(digits, &end, 10);
	if (end == digits)
		return err_set(err, ERR_INVALID, "no value after ':' in mark: %s", fi->in.line.buf);
	if (*end != after)
		return err_set(err, ERR_INVALID, after ? "missing space after mark: %s" : "garbage after mark: %s",
			       fi->in.line.buf);
	*p = end;
	*out = import_mark_get(&fi->marks, id);
	if (!*out)
		return err_set(err, ERR_NOT_FOUND, "mark :%" PRIu64 " not declared", id);
	return 0;
}

/* ---- files ---- */

static int cmp_marks(const void *a, const void *b)
{
	const struct import_mark *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

void import_marks_text(const struct fast_import *fi, struct strbuf *out)
{
	struct import_mark *v = xcalloc(fi->marks.nr + 1, sizeof(*v));
	size_t nr = 0;

	for (size_t i = 0; i < fi->marks.size; i++)
		if (fi->marks.v[i].id)
			v[nr++] = fi->marks.v[i];
	qsort(v, nr, sizeof(*v), cmp_marks);
	for (size_t i = 0; i < nr; i++)
		strbuf_addf(out, ":%" PRIu64 " %s\n", v[i].id, oid_hex(&v[i].oid));
	free(v);
}

/* After the refs: who reads the file may expect them. */
int import_marks_stage(struct fast_import *fi, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int rc;

	if (!fi->export_marks)
		return 0;
	import_marks_text(fi, &text);
	rc = marks_file_stage(fi->op, fi->export_marks, LOCK_MAKE_DIRS, &text, err);
	strbuf_release(&text);
	return rc;
}

static int add_mark(void *data, uint64_t id, const struct object_id *oid, struct err *err)
{
	struct fast_import *fi = data;
	enum object_type type;
	uint64_t size;
	int rc = odb_type(fi->repo->odb, oid, &type, &size, NULL);

	if (rc < 0)
		return err_set(err, rc, "object not found: %s", oid_hex(oid));
	import_mark_set(&fi->marks, id, oid, type);
	return 0;
}

int import_marks_read(struct fast_import *fi, struct err *err)
{
	if (!fi->import_marks || fi->marks_read)
		return 0;
	fi->marks_read = true;
	return marks_file_read(fi->repo->algo, fi->import_marks, fi->marks_may_miss, add_mark, fi, err);
}

/* ---- submodules ---- */

struct submodule_marks {
	struct import_marks to;
	struct fast_import *fi;
};

static int add_to_mark(void *data, uint64_t id, const struct object_id *oid, struct err *err)
{
	struct submodule_marks *s = data;

	(void)err;
	import_mark_set(&s->to, id, oid, OBJ_COMMIT);
	return 0;
}

static int map_from_mark(void *data, uint64_t id, const struct object_id *oid, struct err *err)
{
	struct submodule_marks *s = data;
	const struct import_mark *to = import_mark_get(&s->to, id);
	struct object_id *copy;

	if (!to)
		return err_set(err, ERR_INVALID, "mark :%" PRIu64 " not declared", id);
	copy = xmalloc(sizeof(*copy));
	*copy = to->oid;
	free(oidmap_put(&s->fi->sub_map, oid, copy));
	return 0;
}

int import_marks_map_submodules(struct fast_import *fi, struct err *err)
{
	struct strmap_entry **v = strmap_sorted(&fi->sub_from);
	int rc = 0;

	for (size_t i = 0; i < fi->sub_from.nr && !rc; i++) {
		struct submodule_marks s = { .fi = fi };
		const char *to = strmap_get(&fi->sub_to, v[i]->key);

		if (!to)
			rc = err_set(err, ERR_INVALID, "missing to marks for submodule '%s'", v[i]->key);
		if (!rc)
			rc = marks_file_read(fi->repo->algo, to, false, add_to_mark, &s, err);
		if (!rc)
			rc = marks_file_read(NULL, v[i]->value, false, map_from_mark, &s, err);
		free(s.to.v);
	}
	free(v);
	v = strmap_sorted(&fi->sub_to);
	for (size_t i = 0; i < fi->sub_to.nr && fi->sub_from.nr && !rc; i++)
		if (!strmap_contains(&fi->sub_from, v[i]->key))
			rc = err_set(err, ERR_INVALID, "missing from marks for submodule '%s'", v[i]->key);
	free(v);
	return rc;
}

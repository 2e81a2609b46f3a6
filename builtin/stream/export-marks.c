/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers of the objects of a stream, and the files that keep those of commits from run to run. */
#include "compat/posix.h"
#include "builtin/stream/export.h"
#include "fastimport/marks-file.h"
#include "operation/operation.h"

uint64_t export_mark_of(const struct fast_export *x, const struct object_id *oid)
{
	return (uint64_t)(uintptr_t)oidmap_get(&x->marks, oid);
}

static void set_mark(struct fast_export *x, const struct object_id *oid, uint64_t id, enum object_type type)
{
	(void)oidmap_put(&x->marks, oid, (void *)(uintptr_t)id);
	if (type == OBJ_COMMIT)
		oid_array_append(&x->marked_commits, oid);
}

void export_mark_next(struct fast_export *x, const struct object_id *oid, enum object_type type)
{
	set_mark(x, oid, ++x->last_mark, type);
	printf("mark :%" PRIu64 "\n", x->last_mark);
}

/* Commits that the other side has are not exported again. Other objects do not matter. */
static int add_imported(void *data, uint64_t id, const struct object_id *oid, struct err *err)
{
	struct fast_export *x = data;
	enum object_type type;
	uint64_t size;
	int rc = odb_type(x->repo->odb, oid, &type, &size, NULL);

	if (rc < 0)
		return err_set(err, rc, "object not found: %s", oid_hex(oid));
	if (id > x->last_mark)
		x->last_mark = id;
	if (type != OBJ_COMMIT)
		return 0;
	set_mark(x, oid, id, type);
	commit_lookup(x->walk->pool, oid)->flags |= REV_SHOWN;
	return 0;
}

int export_marks_read(struct fast_export *x, struct err *err)
{
	int rc = !x->import_marks ? 0 :
		marks_file_read(x->repo->algo, x->import_marks, x->marks_may_miss, add_imported, x, err);

	x->last_imported = x->last_mark;
	return rc;
}

int export_marks_write(struct fast_export *x, struct err *err)
{
	struct repo_operation *op;
	struct strbuf text = STRBUF_INIT;
	int rc;

	if (!x->export_marks || x->last_mark == x->last_imported)
		return 0;
	for (size_t i = 0; i < x->marked_commits.nr; i++)
		strbuf_addf(&text, ":%" PRIu64 " %s\n", export_mark_of(x, &x->marked_commits.oid[i]),
			    oid_hex(&x->marked_commits.oid[i]));
	op = repo_operation_begin(x->repo);
	rc = marks_file_stage(op, x->export_marks, 0, &text, err);
	rc = repo_operation_end(op, rc, err);
	strbuf_release(&text);
	return rc;
}

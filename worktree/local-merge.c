/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Merging local changes into another commit. Each path is looked at once: as one of the user's
 * files, or as one that the user has deleted, or as one that the new commit brings.
 */
#include "compat/posix.h"
#include "odb/odb.h"
#include "util/alloc.h"
#include "worktree/content-merge.h"
#include "worktree/local-merge-internal.h"

struct run {
	struct local_merge *m;
	struct repository *r;
	struct attrs *attrs;
	struct side_renames ours, theirs;
	struct err *err;
};

/* The three versions of a file, which may have different names; and the name of the result. */
struct versions {
	const struct index_entry *base, *ours, *theirs; /* NULL: there is none */
	const char *path;
};

static const struct index_entry *find(const struct index_state *ix, const char *path)
{
	return index_find(ix, path, strlen(path));
}

/* ---- outcomes ---- */

/* At the end; they are sorted when all are there. */
static void put(struct index_state *to, const struct versions *v, unsigned mode,
		const struct object_id *oid, unsigned stage)
{
	ALLOC_GROW(to->entries, to->nr + 1, to->alloc);
	to->entries[to->nr++] = index_entry_new(to, mode, oid, v->path, strlen(v->path), stage);
}

static void put_file(struct run *run, const struct versions *v, const struct index_entry *e)
{
	if (e)
		put(&run->m->files, v, e->mode, &e->oid, 0);
}

static void put_conflict(struct run *run, const struct versions *v)
{
	const struct index_entry *stage[] = { v->base, v->ours, v->theirs };

	for (unsigned i = 0; i < ARRAY_SIZE(stage); i++)
		if (stage[i])
			put(&run->m->stages, v, stage[i]->mode, &stage[i]->oid, i + 1);
}

static int refuse(struct run *run, const char *path, const char *why)
{
	return err_set(run->err, ERR_UNSUPPORTED, "cannot merge the local changes of '%s': %s", path, why);
}

/* ---- contents ---- */

static bool has_one_name(const struct versions *v)
{
	const char *ours = v->ours->name;

	return !strcmp(ours, v->theirs->name) && (!v->base || !strcmp(ours, v->base->name));
}

/* If names differ, each is printed with its label. */
static void set_labels(const struct run *run, const struct versions *v, char *label[MERGE_STAGES])
{
	const struct index_entry *e[MERGE_STAGES] = { v->base, v->ours, v->theirs };

	for (int i = 0; i < MERGE_STAGES; i++)
		label[i] = has_one_name(v) || !e[i] ? xstrdup(run->m->label[i]) :
			   xstrfmt("%s:%s", run->m->label[i], e[i]->name);
}

static int merge_text(struct run *run, const struct versions *v, struct strbuf *text, bool *conflict)
{
	struct content_merge cm = { .r = run->r, .attrs = run->attrs };
	struct merge_rules rules = { .style = run->m->style, .attributes = content_merge_attributes,
				     .attributes_data = &cm };
	struct merge_blobs b = { .path = v->path };
	struct merge_blobs_outcome outcome = { 0 };
	char *label[MERGE_STAGES];
	int rc;

	set_labels(run, v, label);
	for (int i = 0; i < MERGE_STAGES; i++)
		b.label[i] = label[i];
	b.oid[MERGE_BASE] = v->base ? &v->base->oid : NULL;
	b.oid[MERGE_OURS] = &v->ours->oid;
	b.oid[MERGE_THEIRS] = &v->theirs->oid;
	rc = merge_blobs(&b, &rules, run->r->odb, text, &outcome, run->err);
	*conflict = !outcome.clean;
	for (int i = 0; i < MERGE_STAGES; i++)
		free(label[i]);
	return rc;
}

/* A mode that one side has changed is the new one. */
static unsigned merge_modes(const struct versions *v, bool *conflict)
{
	if (v->ours->mode == v->theirs->mode)
		return v->ours->mode;
	if (!v->base)
		*conflict = true;
	return v->base && v->ours->mode == v->base->mode ? v->theirs->mode : v->ours->mode;
}

static int merge_contents(struct run *run, const struct versions *v)
{
	struct strbuf text = STRBUF_INIT;
	struct object_id oid = v->ours->oid;
	bool conflict = false;
	unsigned mode;
	int rc = 0;

	if (!oid_eq(&oid, &v->theirs->oid) && v->base && oid_eq(&oid, &v->base->oid)) {
		oid = v->theirs->oid;
	} else if (!oid_eq(&oid, &v->theirs->oid) && !(v->base && oid_eq(&v->base->oid, &v->theirs->oid))) {
		rc = merge_text(run, v, &text, &conflict);
		if (!rc)
			rc = odb_write(run->r->odb, OBJ_BLOB, text.buf, text.len, &oid, run->err);
		string_list_append(&run->m->merged, v->path);
	}
	strbuf_release(&text);
	mode = merge_modes(v, &conflict);
	if (conflict)
		put_conflict(run, v);
	put(&run->m->files, v, mode, &oid, 0);
	return rc;
}

/* ---- one file ---- */

static int merge_changed(struct run *run, const struct versions *v)
{
	const struct index_entry *base = v->base;

	if (MODE_IS_FILE(v->ours->mode) && MODE_IS_FILE(v->theirs->mode) && (!base || MODE_IS_FILE(base->mode)))
		return merge_contents(run, v);
	if (MODE_IS_GITLINK(v->ours->mode) || MODE_IS_GITLINK(v->theirs->mode))
		return refuse(run, v->path, "it is a submodule");
	if (!MODE_IS_SYMLINK(v->ours->mode) || !MODE_IS_SYMLINK(v->theirs->mode) ||
	    (base && !MODE_IS_SYMLINK(base->mode)))
		return refuse(run, v->path, "a file has become a symbolic link, or the other way round");
	put_conflict(run, v);
	put_file(run, v, v->ours);
	return 0;
}

static int merge_versions(struct run *run, const struct versions *v)
{
	if (local_merge_same(v->ours, v->theirs) || local_merge_same(v->base, v->theirs)) {
		put_file(run, v, v->ours);
	} else if (local_merge_same(v->base, v->ours)) {
		put_file(run, v, v->theirs);
	} else if (v->ours && v->theirs) {
		return merge_changed(run, v);
	} else { /* deleted by one, changed by the other: that version stays, as a conflict */
		put_conflict(run, v);
		put_file(run, v, v->ours ? v->ours : v->theirs);
	}
	return 0;
}

static int merge_renamed(struct run *run, const struct versions *v, bool taken)
{
	return taken ? refuse(run, v->path, "another file of that name was renamed to it, or was added") :
		       merge_versions(run, v);
}

/* One of the user's files. */
static int merge_theirs(struct run *run, const struct index_entry *e)
{
	const struct local_merge *m = run->m;
	const char *from = strmap_get(&run->theirs.from, e->name), *to = strmap_get(&run->ours.to, e->name);
	struct versions v = { .base = find(m->base, e->name), .ours = find(m->ours, e->name), .theirs = e, .path = e->name };

	if (from) { /* renamed here; perhaps by the new commit as well, which was found to be alike */
		bool alike = strmap_contains(&run->ours.to, from);

		v.base = find(m->base, from);
		v.ours = find(m->ours, alike ? e->name : from);
		return merge_renamed(run, &v, !alike && find(m->ours, e->name));
	}
	if (to) {
		v.path = to;
		v.ours = find(m->ours, to);
		return merge_renamed(run, &v, find(m->theirs, to) != NULL);
	}
	return merge_versions(run, &v);
}

/* What the user has deleted, or renamed: that has been merged under the new name. */
static int merge_deleted(struct run *run, const struct index_entry *e)
{
	struct versions v = { .base = e, .ours = find(run->m->ours, e->name), .path = e->name };

	if (find(run->m->theirs, e->name) || strmap_contains(&run->theirs.to, e->name))
		return 0;
	return merge_versions(run, &v);
}

/*
 * Adds a file that only the new commit has; if it has a new name, it may have been merged already.
 */
static void add_new(struct run *run, const struct index_entry *e)
{
	struct versions v = { .path = e->name };

	if (!find(run->m->theirs, e->name) && !find(run->m->base, e->name) &&
	    !strmap_contains(&run->ours.from, e->name))
		put_file(run, &v, e);
}

/* ---- all of them ---- */

static int local_merge_entry_order(const void *a, const void *b)
{
	const struct index_entry *x = *(struct index_entry *const *)a;
	const struct index_entry *y = *(struct index_entry *const *)b;
	int cmp = strcmp(x->name, y->name);

	return cmp ? cmp : (int)x->stage - (int)y->stage;
}

static void sort_entries(struct index_state *ix)
{
	if (ix->nr)
		qsort(ix->entries, ix->nr, sizeof(*ix->entries), local_merge_entry_order);
}

static int local_merge_check_files_and_dirs(struct run *run)
{
	const struct index_state *ix = &run->m->files;

	for (size_t i = 0; i < ix->nr; i++)
		if (index_has_dir(ix, ix->entries[i]->name, ix->entries[i]->name_len))
			return refuse(run, ix->entries[i]->name, "a file has become a directory, or the other way round");
	return 0;
}

int local_merge_run(struct local_merge *m, struct repository *r, struct attrs *attrs, struct err *err)
{
	struct run run = { m, r, attrs, SIDE_RENAMES_INIT, SIDE_RENAMES_INIT, err };
	int rc;

	index_init(&m->files, r->algo);
	index_init(&m->stages, r->algo);
	rc = local_merge_find_renames(m, r, &run.ours, &run.theirs, err);
	for (size_t i = 0; i < m->theirs->nr && !rc; i++)
		rc = merge_theirs(&run, m->theirs->entries[i]);
	for (size_t i = 0; i < m->base->nr && !rc; i++)
		rc = merge_deleted(&run, m->base->entries[i]);
	for (size_t i = 0; i < m->ours->nr && !rc; i++)
		add_new(&run, m->ours->entries[i]);
	sort_entries(&m->files);
	sort_entries(&m->stages);
	if (!rc)
		rc = local_merge_check_files_and_dirs(&run);
	side_renames_release(&run.ours);
	side_renames_release(&run.theirs);
	return rc;
}

void local_merge_release(struct local_merge *m)
{
	index_release(&m->files);
	index_release(&m->stages);
	string_list_clear(&m->merged, NULL);
}

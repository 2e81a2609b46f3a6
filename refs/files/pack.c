/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Many loose refs become lines of packed-refs. The new file gets its name first, and only
 * then the loose ones go (D5), some at a time, each under its own lock: a ref that another process has
 * changed, or removed and made again, in the meantime is left alone.
 */
#include "compat/posix.h"
#include "refs/files/files-internal.h"
#include "refs/files/loose-internal.h"
#include "refs/files/packed-internal.h"
#include "util/alloc.h"
#include "util/wildmatch.h"

/* So many are locked at once while their files go. */
#define PRUNE_CHUNK 1000

struct packing {
	struct ref_store *rs;
	const struct refs_pack_options *o;
	struct fsync_batch *batch;
	struct lockfile lock; /* packed-refs.lock */
	struct loose_list loose;
	struct packed_change *chosen; /* in order of names */
	size_t nr;
};

static void complain(const struct packing *p, const char *fmt, ...) PRINTF_LIKE(2, 3);
static void complain(const struct packing *p, const char *fmt, ...)
{
	va_list ap;
	char *msg;

	if (!p->o->complain)
		return;
	va_start(ap, fmt);
	msg = xvstrfmt(fmt, ap);
	va_end(ap);
	p->o->complain(p->o->data, msg);
	free(msg);
}

/* ---- refs to pack ---- */

static bool matches(const char *const *patterns, const char *name)
{
	for (; patterns && *patterns; patterns++)
		if (wildmatch(*patterns, name, 0))
			return true;
	return false;
}

static bool is_selected(const struct refs_pack_options *o, const char *name)
{
	if (matches(o->exclude, name))
		return false;
	if (o->all)
		return true;
	return o->include && *o->include ? matches(o->include, name) :
					   starts_with(name, "refs/tags/");
}

static bool is_packable(const struct ref_store *rs, const struct loose_entry *e)
{
	return e->value.kind == LOOSE_OID && !oid_is_null(&e->value.oid) &&
	       ref_may_be_packed(rs, e->name) && refname_is_valid(e->name, 0);
}

static bool points_to_object(const struct packing *p, const struct loose_entry *e)
{
	const struct object_source *src = p->rs->objects;

	if (!src || src->has(src->data, &e->value.oid))
		return true;
	complain(p, "%s does not point to a valid object!", e->name);
	return false;
}

static void choose(struct packing *p)
{
	size_t i;

	ALLOC_ARRAY(p->chosen, p->loose.nr + 1);
	for (i = 0; i < p->loose.nr; i++) {
		const struct loose_entry *e = &p->loose.items[i];
		struct packed_change *c = &p->chosen[p->nr];

		if (!is_packable(p->rs, e) || !is_selected(p->o, e->name) ||
		    !points_to_object(p, e))
			continue;
		c->name = e->name;
		c->oid = e->value.oid;
		c->peel_unknown = !ref_peel(p->rs, &c->oid, &c->peeled);
		p->nr++;
	}
}

/*
 * A large packed-refs is dear to write again: the more it holds, the more loose refs are
 * waited for, five for each doubling, and sixteen at least.
 */
static int are_many(struct packing *p, bool *many, struct err *err)
{
	const size_t entry = p->rs->algo->hex_len + 60; /* bytes, or so */
	size_t limit = 0, nr = 0, size, i;
	struct packed_refs *present;
	int rc = packed_refs_get(p->rs, &present, err);

	if (rc < 0)
		return rc;
	for (size = packed_refs_size(present) / entry; size > 1; size /= 2)
		limit += 5;
	packed_refs_put(present);
	if (limit < 16)
		limit = 16;
	for (i = 0; i < p->loose.nr; i++)
		nr += is_packable(p->rs, &p->loose.items[i]);
	*many = nr >= limit;
	return 0;
}

/* ---- the new file ---- */

/* Those whose packed value is the loose one already need no line. */
static int stage_packed(struct packing *p, struct err *err)
{
	struct packed_refs *present;
	struct packed_change *changes;
	struct packed_entry e;
	size_t i, nr = 0;
	int rc = packed_refs_get(p->rs, &present, err), found;

	if (rc < 0)
		return rc;
	ALLOC_ARRAY(changes, p->nr + 1);
	for (i = 0; !rc && i < p->nr; i++) {
		found = packed_refs_lookup(present, p->chosen[i].name, &e, err);
		if (found < 0)
			rc = found;
		else if (!found || !oid_eq(&e.oid, &p->chosen[i].oid))
			changes[nr++] = p->chosen[i];
	}
	if (!rc && nr)
		rc = packed_refs_stage(p->rs, &p->lock, present, changes, nr, p->batch,
				       PUBLISH_PACKED_REFS, err);
	free(changes);
	packed_refs_put(present);
	return rc;
}

/* When the batch has settled all else: others wait for the lock. */
static int lock_and_pack(void *data, struct err *err)
{
	struct packing *p = data;
	bool many = true;
	int rc = packed_refs_lock(p->rs, &p->lock, files_store(p->rs)->packed_lock_timeout_ms,
				  PACKED_PATIENCE_MS, err);

	/* Read under the lock, when no other process packs. */
	if (!rc)
		rc = loose_collect(p->rs, "refs/", &p->loose, err);
	if (!rc && p->o->if_many)
		rc = are_many(p, &many, err);
	if (!rc && many) {
		choose(p);
		rc = stage_packed(p, err);
	}
	return rc;
}

static int write_packed(struct packing *p, struct err *err)
{
	int rc = packed_refs_stage_call(p->rs, p->batch, lock_and_pack, p, err);

	if (!rc)
		rc = fsync_batch_publish(p->batch, err);
	lockfile_release(&p->lock);
	return rc;
}

/* ---- the loose files ---- */

struct pruned {
	struct lockfile lock;
	const struct packed_change *ref;
};

static bool lock_ref(struct packing *p, const char *path, struct lock_group *locks,
		     struct pruned *out, const struct packed_change *ref)
{
	struct err why = ERR_INIT;

	out->lock = (struct lockfile)LOCKFILE_INIT;
	out->ref = ref;
	if (!lockfile_hold_in_group(&out->lock, path, files_store(p->rs)->lock_timeout_ms, locks, &why))
		return true;
	/* Gone with its directory: then there is nothing to remove. */
	if (why.sys_errno != ENOENT)
		complain(p, "cannot lock ref '%s': %s", ref->name, err_message(&why));
	err_release(&why);
	return false;
}

/* The lock is held: does the file say what packed-refs says by now? */
static int check_prunable(struct packing *p, const char *path, struct packed_refs *present,
			  const struct packed_change *ref, bool *yes, struct err *err)
{
	struct loose_value v;
	struct packed_entry e;
	int rc = loose_read_path(p->rs, path, &v, NULL, err);

	*yes = false;
	if (rc < 0)
		return rc;
	if (v.kind == LOOSE_OID) {
		rc = packed_refs_lookup(present, ref->name, &e, err);
		*yes = rc > 0 && oid_eq(&e.oid, &v.oid);
	}
	loose_value_release(&v);
	return rc < 0 ? rc : 0;
}

static int prune_locked(struct packing *p, const struct pruned *list, size_t nr,
			struct err *err)
{
	struct strbuf path = STRBUF_INIT;
	struct packed_refs *present;
	bool go;
	/* After the locks: what it says of these refs stays until we let go. */
	int rc = packed_refs_get(p->rs, &present, err);
	size_t i;

	if (rc < 0)
		return rc;
	for (i = 0; !rc && i < nr; i++) {
		strbuf_reset(&path);
		ref_path(p->rs, list[i].ref->name, &path);
		rc = check_prunable(p, path.buf, present, list[i].ref, &go, err);
		if (!rc && go)
			rc = ref_file_stage_removal(path.buf, PUBLISH_REF_DELETE, p->batch, err);
	}
	packed_refs_put(present);
	strbuf_release(&path);
	return rc ? rc : fsync_batch_publish(p->batch, err);
}

static int prune_chunk(struct packing *p, const struct packed_change *refs, size_t nr,
		       struct lock_group *locks, struct err *err)
{
	struct strbuf path = STRBUF_INIT;
	struct pruned *list;
	size_t locked = 0, i;
	int rc = 0;

	ALLOC_ARRAY(list, nr);
	for (i = 0; i < nr; i++) {
		strbuf_reset(&path);
		ref_path(p->rs, refs[i].name, &path);
		locked += lock_ref(p, path.buf, locks, &list[locked], &refs[i]);
	}
	if (locked)
		rc = prune_locked(p, list, locked, err);
	if (rc < 0)
		fsync_batch_abort(p->batch);
	for (i = 0; i < locked; i++)
		lockfile_release(&list[i].lock);
	for (i = 0; i < locked; i++)
		ref_remove_empty_parents(p->rs, list[i].ref->name, false);
	strbuf_release(&path);
	free(list);
	return rc;
}

static int prune_loose(struct packing *p, struct err *err)
{
	struct lock_group locks = LOCK_GROUP_INIT(files_store(p->rs)->commondir);
	size_t i, n;
	int rc = 0;

	for (i = 0; !rc && i < p->nr; i += n) {
		n = p->nr - i < PRUNE_CHUNK ? p->nr - i : PRUNE_CHUNK;
		rc = prune_chunk(p, p->chosen + i, n, &locks, err);
	}
	lock_group_release(&locks);
	return rc;
}

int files_pack(struct ref_store *rs, const struct refs_pack_options *o,
	       struct fsync_batch *b, struct err *err)
{
	/* P5: a killed one may have left locks of refs that are not loose any more. */
	struct packing p = { .rs = rs, .o = o, .batch = b, .loose = { .clear_locks = true } };
	int rc = write_packed(&p, err);

	if (!rc && !o->no_prune)
		rc = prune_loose(&p, err);
	loose_list_clear(&p.loose);
	free(p.chosen);
	return rc;
}

int files_pack_is_due(struct ref_store *rs, bool *due, struct err *err)
{
	struct packing p = { .rs = rs };
	int rc = loose_collect(rs, "refs/", &p.loose, err);

	if (!rc)
		rc = are_many(&p, due, err);
	loose_list_clear(&p.loose);
	return rc;
}

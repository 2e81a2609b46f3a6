/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Build the pack for one fetch request. Bitmaps tell which objects it has if they can; otherwise a
 * walk does. A pack on disk that has exactly these objects is sent unchanged.
 */
#include "compat/posix.h"
#include "compat/os.h"
#include "history/bitmap/bitmap.h"
#include "history/revision/objects.h"
#include "history/revision/revision.h"
#include "relay/relay.h"
#include "pack/write/pack-objects.h"
#include "upload/upload.h"
#include "util/alloc.h"
#include "util/clock.h"

/* ---- progress, as text for band 2 ---- */

#define PROGRESS_INTERVAL_MS 200

struct meter {
	struct relay_queue *queue; /* NULL: the client wants no progress */
	const char *title;
	int64_t shown_ms;
};

static void meter_start(struct meter *m, const char *title)
{
	m->title = title;
	m->shown_ms = monotonic_ms();
}

static void meter_print(struct meter *m, uint64_t done, uint64_t total, const char *end)
{
	char line[120];
	int len;

	if (!m->queue)
		return;
	if (total)
		len = snprintf(line, sizeof(line), "%s: %3d%% (%" PRIu64 "/%" PRIu64 ")%s", m->title,
			       (int)(done * 100 / total), done, total, end);
	else
		len = snprintf(line, sizeof(line), "%s: %" PRIu64 "%s", m->title, done, end);
	relay_queue_text(m->queue, line, (size_t)len);
}

static void meter_update(struct meter *m, uint64_t done, uint64_t total)
{
	int64_t now = m->queue ? monotonic_ms() : 0;

	if (!m->queue || now - m->shown_ms < PROGRESS_INTERVAL_MS)
		return;
	m->shown_ms = now;
	meter_print(m, done, total, "\r");
}

/* ---- one pack ---- */

struct pack_making {
	struct upload_server *s;
	struct fetch_request *q;
	struct relay_queue *queue; /* NULL: nothing is sent yet */
	struct pack_objects *po;
	struct bitmap_walk *bitmap; /* NULL: the objects were found by walking */
	struct pack *whole;	    /* a pack to be sent unchanged; NULL: none */
	struct meter meter;
	uint64_t nr; /* objects found so far */
	struct err err; /* errors of callbacks that cannot return one */
};

static int add_object(struct pack_making *j, const struct object_id *oid, enum object_type type,
		      const char *path, unsigned flags, struct err *err)
{
	meter_update(&j->meter, ++j->nr, 0);
	if (j->nr % REPO_STEPS_PER_CHECK == 0 && repo_check_canceled(j->s->repo, err) < 0)
		return ERR_ABORTED;
	if (type == OBJ_BLOB && !(flags & PACK_PREFERRED_BASE) && packfile_uris_take(j->q->uris, oid))
		return 0;
	if (!j->q->haves.nr)
		return pack_objects_mark(j->po, oid, type, path, err);
	return pack_objects_add(j->po, oid, type, path, flags, err);
}

static int add_walked(void *data, const struct walked_object *o, struct err *err)
{
	return add_object(data, o->oid, o->type, o->path, o->edge ? PACK_PREFERRED_BASE : 0, err);
}

static void add_known(struct rev_walk *w, const struct oid_array *oids)
{
	for (size_t i = 0; i < oids->nr; i++)
		rev_walk_add_commit(w, &oids->oid[i], oid_hex(&oids->oid[i]),
				    REV_UNINTERESTING | REV_BOTTOM);
}

static void add_walk_starts(struct rev_walk *w, const struct fetch_request *q)
{
	for (size_t i = 0; i < q->cut.nr; i++)
		commit_pool_add_shallow(w->pool, &q->cut.oid[i]);
	for (size_t i = 0; i < q->wants.nr; i++)
		rev_walk_add_commit(w, &q->wants.oid[i], oid_hex(&q->wants.oid[i]), 0);
	add_known(w, &q->haves);
	add_known(w, &q->unshallowed);
}

/*
 * Between a shallow boundary and the commits deepened below it, no parent shows which commits the
 * client has. So each commit that the client names counts.
 */
static int walk_objects(struct pack_making *j, struct err *err)
{
	struct object_walk_options o = { .filter = j->q->filter.nr ? &j->q->filter : NULL,
					 .edges = j->q->thin,
					 .aggressive_edges = j->q->cut.nr > 0,
					 .object = add_walked, .data = j };
	struct rev_walk *w;
	int rc = rev_walk_new(&w, j->s->repo, err);

	if (rc < 0)
		return rc;
	w->objects = true;
	add_walk_starts(w, j->q);
	rc = rev_walk_begin(w, err);
	if (!rc)
		rc = object_walk(w, &o, err);
	rev_walk_free(w);
	return rc;
}

/* ---- by bitmaps ---- */

static bool is_without_blobs(const struct filter_spec *f)
{
	return f->nr == 1 && f->parts[0].kind == FILTER_BLOB_NONE;
}

/*
 * A boundary, and most filters, are not in bitmaps. For a thin pack, all that is sent has to be in the
 * bitmapped packs: of what came later the walk knows bases, by path; bitmaps do not.
 */
static bool may_use_bitmaps(const struct pack_making *j)
{
	const struct fetch_request *q = j->q;

	return j->s->config.use_bitmaps && !q->cut.nr &&
	       (!q->filter.nr || is_without_blobs(&q->filter));
}

/*
 * Add the base of a stored delta if the client has it: the delta is then sent as it is. If there is
 * a filter, the client may lack blobs of its haves. pack_objects does not copy an entry that it
 * cannot read.
 */
static int add_base(struct pack_making *j, enum object_type type, struct pack *pack, uint64_t offset)
{
	struct object_id base;

	if (!j->q->thin || (type == OBJ_BLOB && j->q->filter.nr))
		return 0;
	if (pack_delta_base(pack, offset, &base, NULL) <= 0 || !bitmap_walk_excludes(j->bitmap, &base))
		return 0;
	return pack_objects_add(j->po, &base, type, NULL, PACK_PREFERRED_BASE, &j->err);
}

/* A run of objects of a clone: copied as they are. */
static int add_run(void *data, struct pack *pack, uint32_t first, uint32_t nr)
{
	struct pack_making *j = data;

	j->nr += nr;
	return pack_objects_add_range(j->po, pack, first, nr, &j->err);
}

static int add_found(void *data, const struct object_id *oid, enum object_type type,
		     uint32_t name_hash, struct pack *pack, uint64_t offset)
{
	struct pack_making *j = data;
	int rc;

	j->nr++;
	if (type == OBJ_BLOB && packfile_uris_take(j->q->uris, oid))
		return 0;
	if (pack && !j->q->haves.nr)
		return pack_objects_copy(j->po, oid, type, name_hash, pack, offset, &j->err);
	rc = pack_objects_add_packed(j->po, oid, type, name_hash, pack, offset, &j->err);
	return rc < 0 || !pack ? rc : add_base(j, type, pack, offset);
}

static int add_all_found(struct pack_making *j, struct err *err)
{
	if (j->q->haves.nr || j->q->uris || !pack_objects_keeps_ranges(j->po))
		return bitmap_walk_foreach(j->bitmap, add_found, j, err);
	return bitmap_walk_foreach_run(j->bitmap, add_run, add_found, j, err);
}

/* ERR_NOT_FOUND: the bitmaps cannot answer. */
static int find_by_bitmap(struct pack_making *j, struct err *err)
{
	struct err why = ERR_INIT;
	int rc = ERR_NOT_FOUND;

	if (may_use_bitmaps(j))
		rc = bitmap_walk_new(&j->bitmap, j->s->repo, &j->q->wants, &j->q->haves,
				     j->q->thin && j->q->haves.nr ? BITMAP_WALK_PACKED : 0, &why);
	if (rc < 0 && rc != ERR_NOT_FOUND)
		err_move(err, &why);
	err_release(&why);
	if (!rc && j->q->filter.nr)
		bitmap_walk_drop(j->bitmap, OBJ_BLOB);
	return rc;
}

/* ---- include-tag: annotated tags whose target is sent ---- */

static bool is_sent(struct pack_making *j, const struct object_id *oid)
{
	return j->bitmap ? bitmap_walk_has(j->bitmap, oid) : pack_objects_has(j->po, oid);
}

/* Adds a tag and the tags below it; the object that they peel to is sent. */
static int add_chain(struct pack_making *j, const char *name, const struct object_id *tag)
{
	struct object_id oid = *tag, target;
	enum object_type type = OBJ_TAG;
	int rc = 0;

	while (!rc && type == OBJ_TAG && !is_sent(j, &oid)) {
		rc = object_tag_target(odb_source(j->s->repo->odb), &oid, &target, &type, &j->err);
		if (rc < 0)
			break;
		rc = add_object(j, &oid, OBJ_TAG, name, 0, &j->err);
		oid = target;
	}
	return rc;
}

static int add_tag_of_sent(void *data, const char *name, const struct ref *ref)
{
	struct pack_making *j = data;
	const struct object_source *src = odb_source_unreplaced(j->s->repo->odb);
	struct object_id peeled = ref->peeled;

	if (!(ref->flags & REF_PEEL_KNOWN) &&
	    object_peel(src, &ref->oid, OBJ_ANY, &peeled, NULL, NULL) < 0)
		return 0;
	if (oid_is_null(&peeled) || oid_eq(&peeled, &ref->oid) || !is_sent(j, &peeled) ||
	    !odb_has(j->s->repo->odb, &ref->oid))
		return 0;
	return add_chain(j, name, &ref->oid);
}

static int add_tags_of_sent(struct pack_making *j, struct err *err)
{
	struct strvec below = STRVEC_INIT;
	int rc;

	strvec_push(&below, "refs/tags/");
	rc = upload_refs_below(j->s, &below, add_tag_of_sent, j, err);
	strvec_clear(&below);
	return rc;
}

/* Git counts in a second pass what its walk has found; here it has happened at once. */
static void show_count(struct pack_making *j)
{
	uint64_t nr = j->whole ? 0 : j->nr;

	if (!nr)
		return;
	meter_start(&j->meter, "Counting objects");
	meter_print(&j->meter, nr, nr, ", done.\n");
}

static int find_objects(struct pack_making *j, struct err *err)
{
	int rc;

	meter_start(&j->meter, "Enumerating objects");
	rc = find_by_bitmap(j, err);
	if (rc == ERR_NOT_FOUND)
		rc = walk_objects(j, err);
	if (!rc && j->q->include_tag)
		rc = add_tags_of_sent(j, err);
	if (!rc && j->bitmap && !pack_objects_count(j->po) && pack_objects_keeps_ranges(j->po) &&
	    !j->q->filter.nr && !j->q->uris)
		j->whole = bitmap_walk_whole_pack(j->bitmap);
	if (!rc && j->bitmap && !j->whole)
		rc = add_all_found(j, err);
	err_move(err, &j->err);
	if (rc)
		return rc;
	meter_print(&j->meter, j->whole ? pack_nr_objects(j->whole) : j->nr, 0, ", done.\n");
	show_count(j);
	return 0;
}

static int on_progress(void *data, enum pack_phase phase, uint32_t done, uint32_t total,
		       struct err *err)
{
	struct pack_making *j = data;
	const char *title = pack_phase_title(phase);

	if (phase == PACK_PHASE_DELTAS) {
		if (j->meter.title != title && total)
			meter_start(&j->meter, title);
		if (done == total && total)
			meter_print(&j->meter, done, total, ", done.\n");
		else
			meter_update(&j->meter, done, total);
	}
	return j->queue && relay_queue_is_unwanted(j->queue)
		? err_set(err, ERR_ABORTED, "the client is gone") : 0;
}

static int queue_room(void *data, size_t len, void **p, struct err *err)
{
	return relay_queue_reserve(data, len, p, err);
}

static int to_queue(void *data, const void *p, size_t len, struct err *err)
{
	return relay_queue_write(data, p, len, err);
}

static void tell_stats(struct pack_making *j)
{
	struct strbuf line = STRBUF_INIT;

	pack_objects_tell_stats(j->po, j->whole, &line);
	if (j->meter.queue)
		relay_queue_text(j->queue, line.buf, line.len);
	strbuf_release(&line);
}

static int new_pack(struct pack_making *j, struct err *err)
{
	const struct repository *r = j->s->repo;
	struct pack_objects_options o;
	int rc;

	pack_objects_options_init(&o, r->odb);
	rc = pack_objects_options_read(&o, r->config, err);
	if (rc < 0)
		return rc;
	o.big_file_threshold = r->settings.big_file_threshold;
	o.ofs_delta = j->q->ofs_delta;
	o.thin = j->q->thin;
	o.order = PACK_ORDER_SOURCE;
	o.progress = on_progress;
	o.data = j;
	j->po = pack_objects_new(&o);
	return 0;
}

static int send_objects(struct pack_making *j, struct err *err)
{
	const struct pack_sink sink = { .write = to_queue, .room = queue_room, .data = j->queue };
	int rc;

	bitmap_walk_free(j->bitmap);
	j->bitmap = NULL;
	rc = j->whole ? 0 : pack_objects_prepare(j->po, err);
	if (rc < 0)
		return rc;
	/* The client may take hours for the rest. */
	odb_drop_cache(j->s->repo->odb);
	os_release_memory();
	return j->whole ? pack_write_unchanged(j->whole, &sink, err)
			: pack_objects_write(j->po, &sink, err);
}

static int find(struct pack_making **out, const struct upload_job *what, struct relay_queue *queue,
		struct err *err)
{
	struct pack_making *j;
	int rc;

	CALLOC_ARRAY(j, 1);
	j->s = what->s;
	j->q = what->q;
	j->queue = queue;
	err_init(&j->err);
	j->meter.queue = j->q->no_progress ? NULL : queue;
	*out = j;
	rc = new_pack(j, err);
	return rc < 0 ? rc : find_objects(j, err);
}

int upload_find_pack(struct upload_job *what, struct err *err)
{
	return find(&what->found, what, NULL, err);
}

void upload_job_release(struct upload_job *what)
{
	if (!what->found)
		return;
	bitmap_walk_free(what->found->bitmap);
	pack_objects_free(what->found->po);
	FREE_AND_NULL(what->found);
}

int upload_make_pack(void *data, struct relay_queue *queue, struct err *err)
{
	struct upload_job *what = data;
	struct pack_making *j;
	int rc;

	what->s->queue = queue;
	rc = what->found ? 0 : find(&what->found, what, queue, err);
	j = what->found;
	j->queue = queue;
	j->meter.queue = j->q->no_progress ? NULL : queue;
	if (!rc)
		rc = send_objects(j, err);
	if (!rc)
		tell_stats(j);
	upload_job_release(what);
	what->s->queue = NULL;
	odb_drop_cache(what->s->repo->odb);
	os_release_memory(); /* the built pack may wait in the queue for the client */
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Every object of every store: loose files are read and hashed by worker threads,
 * packs by pack_verify; the checks of content and the table of links are fed
 * in the order of names and offsets, by this thread alone.
 */
#include "compat/posix.h"
#include "builtin/fsck/fsck.h"
#include "history/graph/commit-graph-write.h"
#include "object-file.h"
#include "object/tag.h"
#include "odb/upkeep.h"
#include "util/alloc.h"
#include "util/workers.h"

/* Larger loose blobs are hashed in pieces and not held. */
#define HOLD_BYTES ((uint64_t)8 * 1024 * 1024)
#define IN_FLIGHT 64

/* ---- one object, whole and of the right name ---- */

static void check_links_at_the_ends(struct fsck *f, const struct object_id *oid,
				    const struct object_buf *buf)
{
	const char *text = buf->data;
	size_t hex = f->algo->hex_len;

	/* "tree HEX\n" is followed by the parents, if there are any. */
	if (f->show_root && buf->type == OBJ_COMMIT && buf->size > hex + 6 &&
	    !starts_with(text + hex + 6, "parent "))
		printf("root %s\n", fsck_describe(f, oid));
	if (f->show_tags && buf->type == OBJ_TAG) {
		struct tag_view tag;

		if (!tag_parse(&tag, buf->data, buf->size, f->algo, NULL))
			printf("tagged %s %s (%.*s) in %s\n", fsck_type_name(tag.target_type),
			       oid_hex(&tag.target), (int)tag.name_len, tag.name,
			       fsck_describe(f, oid));
	}
}

/*
 * `path` is where it lies, for messages; `bit` tells faults of content: in a pack, it is
 * the pack in the message, as git fsck does.
 */
static void check_object(struct fsck *f, const struct object_id *oid,
			 const struct object_buf *buf, const char *path, int bit)
{
	if (f->verbose)
		fprintf(stderr, "Checking %s %s\n", fsck_type_name(buf->type), oid_hex(oid));
	if (fsck_add_object(f, oid, buf->type, buf->data, buf->size) < 0)
		fsck_error(f, FSCK_BAD_OBJECT, "%s: object could not be parsed: %s",
			   oid_hex(oid), path);
	if (fsck_object(&f->checks, oid, buf->type, buf->data, buf->size, f->algo))
		f->exit_code |= bit;
	if (buf->data)
		check_links_at_the_ends(f, oid, buf);
}

/* ---- loose objects ---- */

struct loose_scan {
	struct fsck *f;
	const char *objdir;
	struct workers *workers;
	struct progress *progress;
};

struct loose_job {
	struct loose_scan *scan;
	struct object_id oid;
	char *path;
	struct object_buf buf;
	struct err err;
	int rc;
};

static int drop_piece(void *data UNUSED, const void *p UNUSED, size_t len UNUSED,
		      struct err *err UNUSED)
{
	return 0;
}

static void read_loose(void *data)
{
	struct loose_job *j = data;
	const struct hash_algo *algo = j->scan->f->algo;
	struct object_info info;
	bool any;

	j->rc = loose_object_info(j->scan->objdir, &j->oid, &info, NULL);
	if (!j->rc && info.type == OBJ_BLOB && info.size > HOLD_BYTES) {
		j->rc = loose_object_stream(j->scan->objdir, &j->oid, algo, drop_piece, NULL,
					    &any, &j->err);
		j->buf.type = OBJ_BLOB;
		return;
	}
	j->rc = loose_object_read_file(j->path, &j->oid, algo, 0, &j->buf, &j->err);
}

static void loose_read(void *data)
{
	struct loose_job *j = data;
	struct fsck *f = j->scan->f;

	if (!j->rc) {
		check_object(f, &j->oid, &j->buf, j->path, FSCK_BAD_OBJECT);
	} else if (j->rc != ERR_NOT_FOUND) { /* it may go while we look */
		fsck_error(f, FSCK_BAD_OBJECT, "%s", err_message(&j->err));
		if (!strstr(err_message(&j->err), "hash-path mismatch"))
			fsck_error(f, 0, "%s: object corrupt or missing: %s", oid_hex(&j->oid),
				   j->path);
	}
	progress_update(j->scan->progress, j->oid.hash[0]);
	err_release(&j->err);
	object_buf_release(&j->buf);
	free(j->path);
	free(j);
}

static int submit_loose(void *data, const struct object_id *oid, const char *path)
{
	struct loose_scan *scan = data;
	struct loose_job *j;

	CALLOC_ARRAY(j, 1);
	j->scan = scan;
	j->oid = *oid;
	j->path = xstrdup(path);
	workers_submit(scan->workers, read_loose, loose_read, j);
	return 0;
}

static int loose_cruft(void *data UNUSED, const char *path)
{
	const char *name = strrchr(path, '/');

	if (!starts_with(name ? name + 1 : path, "tmp_obj_"))
		fprintf(stderr, "bad sha1 file: %s\n", path);
	return 0;
}

static void check_loose(struct fsck *f, const char *objdir)
{
	struct loose_scan scan = { f, objdir, workers_new(0, IN_FLIGHT), NULL };
	struct err err = ERR_INIT;

	if (f->verbose)
		fprintf(stderr, "Checking object directory\n");
	scan.progress = fsck_progress(f, "Checking object directories", 256);
	if (loose_object_foreach(objdir, f->algo, submit_loose, loose_cruft, &scan, &err) < 0)
		fsck_error(f, FSCK_BAD_OBJECT, "%s", err_message(&err));
	err_release(&err);
	workers_free(scan.workers);
	progress_update(scan.progress, 256);
	progress_stop(&scan.progress);
}

/* ---- packs ---- */

struct pack_scan {
	struct fsck *f;
	const char *path;
	struct progress *progress;
	uint64_t total, done;
	struct strset checked; /* packs, by path */
	bool gone;	       /* a pack that was to be checked has been removed */
};

static int packed_object(void *data, const struct object_id *oid, const struct object_buf *buf)
{
	struct pack_scan *scan = data;

	progress_update(scan->progress, ++scan->done);
	check_object(scan->f, oid, buf, scan->path, FSCK_BAD_PACK);
	return 0;
}

static void bad_pack(void *data, const char *msg)
{
	fsck_error(((struct pack_scan *)data)->f, FSCK_BAD_PACK, "%s", msg);
}

static void bad_rev(void *data, const char *msg)
{
	fsck_error(((struct pack_scan *)data)->f, FSCK_BAD_REV, "%s", msg);
}

static void bad_bitmap(void *data, const char *msg)
{
	fsck_error(data, FSCK_BAD_BITMAP, "%s", msg);
}

static void note_fault(void *data, const char *msg)
{
	strvec_push(data, msg);
}

static int count_pack(void *data, struct pack *p)
{
	((struct pack_scan *)data)->total += pack_nr_objects(p);
	return 0;
}

static int check_pack(void *data, struct pack *p)
{
	struct pack_scan *scan = data;
	struct err err = ERR_INIT;
	int rc;

	scan->path = pack_path(p);
	if (!strset_add(&scan->checked, scan->path))
		return 0;
	rc = pack_verify(p, packed_object, bad_pack, scan, &err);
	if (rc < 0 && pack_is_gone(p))
		scan->gone = true;
	else if (rc < 0)
		fsck_error(scan->f, FSCK_BAD_PACK, "%s", err_message(&err));
	err_release(&err);
	pack_verify_rev(p, bad_rev, scan);
	return 0;
}

/* What a repack beside it has put in the place of the packs that it removed is checked, too. */
static void check_each_pack(struct pack_scan *scan)
{
	do {
		scan->gone = false;
		odb_foreach_pack(scan->f->odb, ODB_ALL, check_pack, scan);
	} while (scan->gone && odb_refresh(scan->f->odb, ODB_ALL));
}

static struct progress *store_progress(void *data, const char *title, uint64_t total)
{
	return fsck_progress(data, title, total);
}

/* A fault is one if it is still there when nothing has changed meanwhile. */
static void check_midx(struct fsck *f, size_t store)
{
	struct strvec faults = STRVEC_INIT;
	const struct midx_verify_options o = {
		.bad = note_fault, .data = &faults, .progress = store_progress, .progress_data = f,
	};

	do {
		strvec_clear(&faults);
		odb_store_verify_midx(f->odb, store, &o);
	} while (faults.nr && odb_refresh(f->odb, ODB_ALL));
	for (size_t i = 0; i < faults.nr; i++)
		fsck_error(f, FSCK_BAD_MIDX, "%s", faults.v[i]);
	strvec_clear(&faults);
}

static void check_packs(struct fsck *f)
{
	size_t stores = odb_nr_alternates(f->odb) + 1;
	struct pack_scan scan = { .f = f, .checked = STRSET_INIT };

	odb_foreach_pack(f->odb, ODB_ALL, count_pack, &scan);
	if (scan.total)
		scan.progress = fsck_progress(f, "Checking objects", scan.total);
	check_each_pack(&scan);
	strset_clear(&scan.checked);
	progress_stop(&scan.progress);
	for (size_t i = 0; i < stores; i++)
		odb_store_verify_bitmaps(f->odb, i, bad_bitmap, f);
}

void fsck_check_midxs(struct fsck *f)
{
	bool enabled = true;

	config_get_bool(f->repo->config, "core.multipackindex", &enabled, NULL);
	for (size_t i = 0; enabled && i <= odb_nr_alternates(f->odb); i++)
		check_midx(f, i);
}

void fsck_check_stores(struct fsck *f)
{
	for (size_t i = 0; i <= odb_nr_alternates(f->odb); i++)
		check_loose(f, odb_store_objdir(f->odb, i));
	if (f->full)
		check_packs(f);
	if (fsck_finish(&f->checks, odb_source(f->odb)))
		f->exit_code |= FSCK_BAD_OBJECT;
}

/* ---- without a look at the contents ---- */

static int trust_object(void *data, const struct object_id *oid)
{
	struct fsck *f = data;
	uint32_t node = fsck_node(f, oid, OBJ_NONE);

	f->nodes[node].flags |= NODE_PRESENT;
	return 0;
}

void fsck_list_stores(struct fsck *f)
{
	struct err err = ERR_INIT;

	if (odb_foreach(f->odb, 0, trust_object, f, &err) < 0)
		die_err(&err);
}

/* ---- commit-graphs ---- */

static void bad_graph(void *data, const char *msg)
{
	((struct fsck *)data)->exit_code |= FSCK_BAD_GRAPH;
	fprintf(stderr, "%s\n", msg);
}

static void unusable_graph(void *data, const char *msg)
{
	fsck_error(data, FSCK_BAD_GRAPH, "%s", msg);
}

void fsck_check_graphs(struct fsck *f, struct repository *r)
{
	struct commit_graph_verify_options o = {
		.bad = bad_graph, .unusable = unusable_graph, .data = f, .progress = store_progress,
	};
	bool enabled = true;

	config_get_bool(r->config, "core.commitgraph", &enabled, NULL);
	for (size_t i = 0; enabled && i <= odb_nr_alternates(f->odb); i++) {
		o.objdir = odb_store_objdir(f->odb, i);
		(void)!commit_graph_verify(r, &o);
	}
}

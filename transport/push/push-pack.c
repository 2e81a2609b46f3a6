/* SPDX-License-Identifier: GPL-2.0-only */
/* The pack of a push: the objects that the new values lead to and the server lacks. This process makes it while it sends it. */
#include "compat/posix.h"
#include "compat/os.h"
#include "history/revision/objects.h"
#include "history/revision/revision.h"
#include "pack/write/pack-files.h"
#include "transport/push/push-internal.h"
#include "util/alloc.h"

struct making {
	const struct push_pack *p;
	struct pack_objects *po;
	const struct pack_sink *sink; /* where the pack goes to; NULL: into files */
	uint64_t nr, bytes;	      /* objects found; bytes that have gone to the sink */
	int threads;
	bool searches_deltas;
};

static void show_meter(const struct making *m, enum push_meter phase, uint64_t done, uint64_t total)
{
	if (m->p->o->meter)
		m->p->o->meter(m->p->o->meter_data, phase, done, total, phase == PUSH_METER_WRITING ? m->bytes : 0);
}

static void tell_line(const struct making *m, const char *line)
{
	if (m->p->o->meter && m->p->o->tell)
		m->p->o->tell(m->p->o->meter_data, line);
}

static int push_pack_add(void *data, const struct walked_object *o, struct err *err)
{
	struct making *m = data;

	m->nr++;
	show_meter(m, PUSH_METER_FINDING, m->nr, 0);
	return pack_objects_add(m->po, o->oid, o->type, o->path, o->edge ? PACK_PREFERRED_BASE : 0, err);
}

/* A have that is missing here, or peels to no commit, cannot limit the walk. */
static void add_known(struct rev_walk *w, const struct push_pack *p)
{
	struct odb *odb = p->r->odb;
	struct object_id commit;

	for (size_t i = 0; i < p->haves->nr; i++)
		if (odb_has_quick(odb, &p->haves->oid[i]) &&
		    !object_peel(odb_source_unreplaced(odb), &p->haves->oid[i], OBJ_COMMIT, &commit, NULL, NULL))
			rev_walk_add_commit(w, &commit, oid_hex(&commit), REV_UNINTERESTING | REV_BOTTOM);
}

static int find(struct making *m, struct err *err)
{
	const struct push_pack *p = m->p;
	struct object_walk_options o = { .edges = p->o->thin, .object = push_pack_add, .data = m };
	struct rev_walk *w;
	int rc = rev_walk_new(&w, p->r, err);

	if (rc < 0)
		return rc;
	w->objects = true;
	for (size_t i = 0; i < p->wants->nr; i++)
		rev_walk_add_commit(w, &p->wants->oid[i], oid_hex(&p->wants->oid[i]), 0);
	add_known(w, p);
	rc = rev_walk_begin(w, err);
	if (!rc)
		rc = object_walk(w, &o, err);
	rev_walk_free(w);
	if (!rc && m->nr)
		show_meter(m, PUSH_METER_COUNTING, m->nr, m->nr);
	return rc;
}

static void tell_threads(struct making *m)
{
	char line[80];

	m->searches_deltas = true;
	snprintf(line, sizeof(line), "Delta compression using up to %d threads\n", m->threads);
	if (m->threads > 1)
		tell_line(m, line);
}

static int show_push_progress(void *data, enum pack_phase phase, uint32_t done, uint32_t total, struct err *err UNUSED)
{
	struct making *m = data;

	if (phase == PACK_PHASE_DELTAS && !m->searches_deltas)
		tell_threads(m);
	show_meter(m, phase == PACK_PHASE_DELTAS ? PUSH_METER_DELTAS : PUSH_METER_WRITING, done, total);
	return 0;
}

static int push_pack_begin(struct making *m, struct err *err)
{
	const struct push_pack *p = m->p;
	struct pack_objects_options o;
	int rc;

	pack_objects_options_init(&o, p->r->odb);
	rc = pack_objects_options_read(&o, p->r->config, err);
	if (rc < 0)
		return rc;
	o.big_file_threshold = p->r->settings.big_file_threshold;
	o.ofs_delta = p->ofs_delta;
	o.thin = p->o->thin;
	o.order = PACK_ORDER_SOURCE;
	o.progress = show_push_progress;
	o.data = m;
	m->threads = o.threads ? o.threads : os_cpu_count();
	m->po = pack_objects_new(&o);
	return 0;
}

static void tell_totals(const struct making *m)
{
	struct strbuf line = STRBUF_INIT;

	pack_objects_tell_stats(m->po, NULL, &line);
	show_meter(m, PUSH_METER_DONE, 0, 0);
	tell_line(m, line.buf);
	strbuf_release(&line);
}

/* The server gets the original objects: their replacements (git-replace(1)) may not exist there. */
static int prepare(struct making *m, struct err *err)
{
	int rc;

	repo_ignore_replacements(m->p->r);
	rc = push_pack_begin(m, err);
	if (!rc)
		rc = find(m, err);
	return rc ? rc : pack_objects_prepare(m->po, err);
}

static int count_and_write(void *data, const void *bytes, size_t len, struct err *err)
{
	struct making *m = data;

	m->bytes += len;
	return m->sink->write(m->sink->data, bytes, len, err);
}

static int room_of_sink(void *data, size_t len, void **p, struct err *err)
{
	const struct making *m = data;

	return m->sink->room(m->sink->data, len, p, err);
}

int push_pack_write(const struct push_pack *p, const struct pack_sink *sink, struct err *err)
{
	struct making m = { .p = p, .sink = sink };
	const struct pack_sink counted = { .write = count_and_write, .room = sink->room ? room_of_sink : NULL, .data = &m };
	int rc = prepare(&m, err);

	if (!rc)
		rc = pack_objects_write(m.po, &counted, err);
	if (!rc && pack_objects_count(m.po))
		show_meter(&m, PUSH_METER_WRITING, pack_objects_count(m.po), pack_objects_count(m.po));
	if (!rc)
		tell_totals(&m);
	pack_objects_free(m.po);
	return rc;
}

int push_pack_write_files(const struct push_pack *p, const char *dir, struct fsync_batch *b, struct oid_array *sums,
			  struct err *err)
{
	char *base = xstrfmt("%s/pack", dir);
	const struct pack_files_options o = { .base_name = base, .tmp_dir = dir, .shared_perm = p->r->settings.shared_perm };
	struct making m = { .p = p };
	int rc = prepare(&m, err);

	if (!rc && m.nr)
		rc = pack_objects_write_files(m.po, &o, b, sums, err);
	pack_objects_free(m.po);
	free(base);
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* Receives the pack: checks it while it comes, checks that it is complete, stages it as a pack or as loose objects. */
#include "compat/posix.h"
#include <sys/mman.h>
#include "intake/confined.h"
#include "pack/receive/receive.h"
#include "transport/fetch/fetch-internal.h"
#include "util/alloc.h"
#include "util/bytes.h"

#define HEAD_BYTES 12
#define UNPACK_LIMIT_DEFAULT 100

struct reception {
	struct fetch_task *t;
	const struct intake_place *place;
	struct pack_receive *rx;
	uint32_t nr;
	bool loose, limited; /* limited: the user has said how many may be loose */
	unsigned char head[HEAD_BYTES];
	struct fetch_uri_source uris;
	/* Shared with the process that receives: see fetch_check_pack. */
	unsigned char *marks;
	size_t nr_marks;
};

static int read_head(struct reception *p, struct err *err)
{
	size_t have = 0, got;

	while (have < HEAD_BYTES) {
		int rc = session_pack_read(p->t->s, p->head + have, HEAD_BYTES - have, &got, err);

		if (rc < 0)
			return rc;
		if (!got)
			return err_set(err, ERR_CORRUPT, "early EOF");
		have += got;
	}
	p->nr = get_be32(p->head + 8);
	return 0;
}

/* fetch.unpackLimit, transfer.unpackLimit: fewer objects go loose; 0: all do. */
static int choose_form(struct reception *p, struct err *err)
{
	const struct config_set *c = p->t->r->config;
	const struct fetch_wanted *w = p->t->w;
	int limit = -1, rc;

	rc = config_get_int(c, "fetch.unpacklimit", &limit, err);
	if (rc >= 0 && limit < 0)
		rc = config_get_int(c, "transfer.unpacklimit", &limit, err);
	p->limited = limit >= 0;
	if (limit < 0)
		limit = UNPACK_LIMIT_DEFAULT;
	p->loose = !w->keep && !w->from_promisor && (!limit || p->nr < (uint32_t)limit);
	return rc < 0 ? rc : 0;
}

static int write_object(void *data, const struct object_id *oid, enum object_type type,
			const void *content, size_t size, struct err *err)
{
	struct reception *p = data;
	struct object_id name;
	int rc = odb_write(p->place->r->odb, type, content, size, &name, err);

	return rc || oid_eq(&name, oid) ? rc
		: err_set(err, ERR_CORRUPT, "object %s became %s", oid_hex(oid), oid_hex(&name));
}

static int read_piece(void *data, void *buf, size_t len, size_t *got, struct err *err)
{
	return pack_receive_read(data, buf, len, got, err);
}

static int write_big_blob(void *data, const struct object_id *oid UNUSED, uint64_t size,
			  struct pack_receive_reader *reader, struct err *err)
{
	struct reception *p = data;
	const struct object_stream in = { read_piece, reader, "the pack" };
	struct object_id name;

	return bulk_checkin_stream_from(odb_batch(p->place->r->odb), OBJ_BLOB, &in, size, &name, err);
}

static void show_receive_progress(void *data, enum pack_receive_phase phase, uint64_t done, uint64_t total,
			  uint64_t bytes)
{
	struct reception *p = data;

	if (p->loose && phase == PACK_RECEIVE_READING)
		phase = PACK_RECEIVE_UNPACKING;
	p->t->w->meter(p->t->w->meter_data, phase, done, total, bytes);
}

/* ---- what comes, for who reads it ---- */

static int next_pack(void *data, struct err *err)
{
	struct reception *p = data;

	return fetch_next_uri(&p->uris, err);
}

/* Read the server's own pack first, then the packs whose URIs it has sent. */
static int read_source(void *data, void *buf, size_t len, size_t *got, struct err *err)
{
	struct reception *p = data;

	return p->uris.begun ? fetch_read_uri(&p->uris, buf, len, got, err) : session_pack_read(p->t->s, buf, len, got, err);
}

static bool source_is_ready(void *data)
{
	const struct reception *p = data;

	return p->uris.begun || session_pack_ready(p->t->s);
}

/* ---- reading ---- */

static int pack_receive_begin(struct reception *p, struct err *err)
{
	struct repository *r = p->place->r;
	const struct fetch_wanted *w = p->t->w;
	struct pack_receive_options o = {
		.algo = r->algo, .odb = r->odb, .level = r->settings.pack_level,
		.fsck = w->fsck, .check_links = !p->t->uris.nr && !w->from_promisor && !w->no_dependents,
		.note_links = p->t->uris.nr != 0, .fsck_finish_later = p->t->uris.nr != 0,
		.shallow = &p->t->boundaries, .use_bases = p->loose, .fix_thin = !p->loose,
		.object = p->loose ? write_object : NULL, .big_blob = p->loose ? write_big_blob : NULL,
		.progress = w->meter ? show_receive_progress : NULL, .data = p,
	};
	int rc = config_get_int(r->config, "pack.threads", &o.threads, err);

	if (rc < 0)
		return rc;
	p->rx = pack_receive_new(&o);
	if (p->loose && p->limited)
		bulk_checkin_keep_loose(odb_batch(r->odb));
	return 0;
}

static int read_session_pack(struct reception *p, const char *packdir, struct err *err)
{
	struct pack_receive_stream_options s = {
		.fd = -1, .read = intake_input_read, .ready = intake_input_ready, .read_data = p->place->input,
		.head = p->head, .head_len = HEAD_BYTES, .objdir = p->place->r->objdir,
		.shared_perm = p->place->r->settings.shared_perm,
	};
	unsigned char rest[256];
	size_t got;
	int rc = pack_receive_stream(p->rx, &s, err);

	if (rc < 0)
		return rc;
	/* Up to the end of the band: what the server still has to say, and nothing of a pack. */
	pack_receive_rest(p->rx, &got);
	if (!got && !p->t->s->raw)
		rc = intake_input_read(p->place->input, rest, sizeof(rest), &got, err);
	if (!rc && got)
		rc = err_set(err, ERR_CORRUPT, "pack has junk at the end");
	if (!rc && !p->loose)
		pack_receive_start_writeback(p->rx, p->place->batch, packdir);
	return rc ? rc : pack_receive_resolve(p->rx, err);
}

static int stage_packs(struct reception *p, const char *packdir, struct err *err)
{
	struct repository *r = p->place->r;
	struct pack_receive_names n = {
		.packdir = packdir, .write_rev = true, .promisor_msg = p->place->promisor_msg,
		.keep_msg = p->place->keep_msg, .shared_perm = r->settings.shared_perm,
	};
	int rc = config_get_bool(r->config, "pack.writereverseindex", &n.write_rev, err);

	if (rc >= 0)
		rc = fetch_stage_uris(p->t, p->place->batch, &n, err);
	if (!rc && !p->loose && p->nr)
		rc = pack_receive_stage(p->rx, p->place->batch, &n, NULL, err);
	return rc;
}

/* Called by intake_receive. */
static int receive_fetched(void *data, const struct intake_place *place, struct err *err)
{
	struct reception *p = data;
	struct fetch_task *t = p->t;
	char *packdir = xstrfmt("%s/pack", place->r->objdir);
	int rc;

	p->place = place;
	t->r = place->r;
	rc = pack_receive_begin(p, err);
	if (!rc)
		rc = intake_input_next(place->input, err);
	if (rc > 0)
		rc = read_session_pack(p, packdir, err);
	if (t->w->meter)
		t->w->meter(t->w->meter_data, PACK_RECEIVE_DONE, p->nr, p->nr, 0);
	if (!rc && t->uris.nr)
		rc = fetch_receive_uris(t, place->input, err);
	if (!rc && t->uris.nr && t->w->fsck)
		rc = fetch_finish_fsck(t, p->rx, err);
	if (!rc)
		rc = fetch_check_pack(t, p->rx, p->marks, place->foreign, err);
	if (!rc && ((!p->loose && p->nr) || t->uris.nr))
		rc = stage_packs(p, packdir, err);
	free(packdir);
	return rc;
}

/* ---- who asks for it ---- */

static char *promisor_text(const struct remote_refs *sought)
{
	struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; sought && i < sought->nr; i++)
		strbuf_addf(&text, "%s%s %s", i ? "\n" : "", oid_hex(&sought->items[i].oid),
			    sought->items[i].name);
	return strbuf_detach(&text, NULL);
}

static int receive_all(struct reception *p, struct repo_operation *op, struct err *err)
{
	struct fetch_task *t = p->t;
	const struct fetch_wanted *w = t->w;
	const struct intake_source source = {
		.next = next_pack, .read = read_source, .ready = source_is_ready, .fd = t->s->bundle ? -1 : t->s->in.fd, .data = p,
	};
	char *promisor = w->from_promisor ? promisor_text(w->sought) : NULL;
	const struct intake in = {
		.receive = receive_fetched, .data = p, .source = &source, .unpacks = p->loose, .promisor_msg = promisor,
		.keep_msg = w->lock_pack ? (w->keep_msg ? w->keep_msg : "") : NULL, .name = "index-pack",
	};
	int rc = intake_receive(t->r, op, &in, &t->result->intake, err);

	free(promisor);
	fetch_uri_source_release(&p->uris);
	t->result->received = p->rx;
	if (rc < 0)
		return rc;
	t->result->objects = p->nr;
	t->result->pack = p->rx ? *pack_receive_checksum(p->rx) : t->result->intake.pack;
	fetch_take_marks(t, p->marks);
	return 0;
}

int fetch_receive(struct fetch_task *t, struct repo_operation *op, struct err *err)
{
	struct reception p = { .t = t, .uris = { .task = t }, .nr_marks = fetch_count_marks(t) + 1 };
	int rc = read_head(&p, err);

	if (!rc)
		rc = choose_form(&p, err);
	if (rc < 0)
		return rc;
	p.marks = mmap(NULL, p.nr_marks, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (p.marks == MAP_FAILED)
		return err_set_errno(err, "cannot make shared memory");
	rc = receive_all(&p, op, err);
	munmap(p.marks, p.nr_marks);
	return rc;
}

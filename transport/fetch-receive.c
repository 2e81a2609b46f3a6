/* SPDX-License-Identifier: GPL-2.0-only */
/* The pack: checked while it comes, found complete, staged as a pack or as loose objects. */
#include "compat/posix.h"
#include <unistd.h>
#include "pack/receive/receive.h"
#include "transport/fetch-internal.h"
#include "util/alloc.h"
#include "util/bytes.h"

#define HEAD_BYTES 12
#define UNPACK_LIMIT_DEFAULT 100

struct reception {
	struct fetch_task *t;
	struct repo_operation *op;
	struct pack_receive *rx;
	uint32_t nr;
	bool loose, limited; /* limited: the user has said how many may be loose */
	unsigned char head[HEAD_BYTES];
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
	int rc = odb_write(p->t->r->odb, type, content, size, &name, err);

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

	return bulk_checkin_stream_from(odb_batch(p->t->r->odb), OBJ_BLOB, &in, size, &name, err);
}

static void show_progress(void *data, enum pack_receive_phase phase, uint64_t done, uint64_t total,
			  uint64_t bytes)
{
	struct reception *p = data;

	if (p->loose && phase == PACK_RECEIVE_READING)
		phase = PACK_RECEIVE_UNPACKING;
	p->t->w->meter(p->t->w->meter_data, phase, done, total, bytes);
}

static int begin(struct reception *p, struct err *err)
{
	struct repository *r = p->t->r;
	const struct fetch_wanted *w = p->t->w;
	struct pack_receive_options o = {
		.algo = r->algo, .odb = r->odb, .level = r->settings.pack_level,
		.fsck = w->fsck, .check_links = !p->t->uris.nr && !w->from_promisor && !w->no_dependents,
		.note_links = p->t->uris.nr != 0,
		.shallow = &p->t->boundaries, .use_bases = p->loose, .fix_thin = !p->loose,
		.object = p->loose ? write_object : NULL, .big_blob = p->loose ? write_big_blob : NULL,
		.progress = w->meter ? show_progress : NULL, .data = p,
	};
	int rc = config_get_int(r->config, "pack.threads", &o.threads, err);

	if (rc < 0)
		return rc;
	p->rx = pack_receive_new(&o);
	if (!p->loose)
		return 0;
	rc = repo_operation_open_objects(p->op, err);
	if (!rc && p->limited)
		bulk_checkin_keep_loose(odb_batch(r->odb));
	return rc;
}

static int read_pack(struct reception *p, const char *packdir, struct err *err)
{
	struct pack_receive_stream_options s = {
		.fd = -1, .read = session_pack_read, .ready = session_pack_ready, .read_data = p->t->s,
		.head = p->head, .head_len = HEAD_BYTES, .objdir = p->t->r->objdir,
		.shared_perm = p->t->r->settings.shared_perm,
	};
	unsigned char rest[256];
	size_t got;
	int rc = pack_receive_stream(p->rx, &s, err);

	if (rc < 0)
		return rc;
	/* Up to the end of the band: what the server still has to say, and nothing of a pack. */
	pack_receive_rest(p->rx, &got);
	if (!got && !p->t->s->raw)
		rc = session_pack_read(p->t->s, rest, sizeof(rest), &got, err);
	if (!rc && got)
		rc = err_set(err, ERR_CORRUPT, "pack has junk at the end");
	if (!rc && !p->loose)
		pack_receive_start_writeback(p->rx, repo_operation_batch(p->op), packdir);
	return rc ? rc : pack_receive_resolve(p->rx, err);
}

static char *promisor_text(const struct remote_refs *sought)
{
	struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; sought && i < sought->nr; i++)
		strbuf_addf(&text, "%s%s %s", i ? "\n" : "", oid_hex(&sought->items[i].oid),
			    sought->items[i].name);
	return strbuf_detach(&text, NULL);
}

static int stage_packs(struct reception *p, const char *packdir, struct err *err)
{
	struct fetch_task *t = p->t;
	char *promisor = t->w->from_promisor ? promisor_text(t->w->sought) : NULL;
	struct pack_receive_names n = {
		.packdir = packdir, .write_rev = true, .promisor_msg = promisor,
		.keep_msg = t->w->lock_pack ? (t->w->keep_msg ? t->w->keep_msg : "") : NULL,
		.shared_perm = t->r->settings.shared_perm,
	};
	int rc = config_get_bool(t->r->config, "pack.writereverseindex", &n.write_rev, err);

	if (rc >= 0)
		rc = fetch_stage_uris(t, p->op, &n, err);
	if (!rc && !p->loose && p->nr)
		rc = pack_receive_stage(p->rx, repo_operation_batch(p->op), &n, NULL, err);
	free(promisor);
	return rc;
}

int fetch_receive(struct fetch_task *t, struct repo_operation *op, struct err *err)
{
	struct reception p = { .t = t, .op = op };
	char *packdir = xstrfmt("%s/pack", t->r->objdir);
	int rc = read_head(&p, err);

	if (!rc)
		rc = choose_form(&p, err);
	if (!rc)
		rc = begin(&p, err);
	if (!rc)
		rc = read_pack(&p, packdir, err);
	if (t->w->meter)
		t->w->meter(t->w->meter_data, PACK_RECEIVE_DONE, p.nr, p.nr, 0);
	if (!rc && t->uris.nr)
		rc = fetch_receive_uris(t, err);
	if (!rc)
		rc = fetch_check_pack(t, p.rx, err);
	if (!rc && ((!p.loose && p.nr) || t->uris.nr))
		rc = stage_packs(&p, packdir, err);
	if (!rc) {
		t->result->objects = p.nr;
		t->result->pack = *pack_receive_checksum(p.rx);
	}
	t->result->received = p.rx; /* its temporary directory is needed until the end of the operation */
	free(packdir);
	return rc;
}

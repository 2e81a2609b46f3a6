/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The child of receive-pack that takes the pack (receive/quarantine.h): few objects go loose, else the pack is
 * kept. What it prints goes to the client.
 */
#include "compat/posix.h"
#include <poll.h>
#include "builtin/builtin.h"
#include "builtin/pack/pack-input.h"
#include "builtin/server/receive-unpack.h"
#include "util/alloc.h"
#include "util/bytes.h"

#define HEAD_BYTES 12
#define UNPACK_LIMIT_DEFAULT 100

struct unpacking {
	struct receive_server *s;
	struct repository *r;
	struct fsync_batch *batch;
	struct pack_receive *rx;
	struct pack_checks checks;
	struct pack_progress progress;
	unsigned char head[HEAD_BYTES];
	uint32_t nr;
	bool loose;
};

/* ---- the pack ---- */

static int read_from_client(void *data, void *buf, size_t len, size_t *got, struct err *err)
{
	struct unpacking *u = data;

	return pkt_reader_raw(&u->s->in, buf, len, got, err);
}

static bool client_is_ready(void *data)
{
	const struct pkt_reader *in = &((struct unpacking *)data)->s->in;
	struct pollfd p = { .fd = in->fd, .events = POLLIN };

	return in->start < in->end || poll(&p, 1, 0) > 0;
}

static int read_head(struct unpacking *u, struct err *err)
{
	size_t have = 0, got;

	while (have < HEAD_BYTES) {
		int rc = read_from_client(u, u->head + have, HEAD_BYTES - have, &got, err);

		if (rc < 0)
			return rc;
		if (!got)
			return err_set(err, ERR_CORRUPT, have ? "eof before pack header was fully read" : "unpack-objects abnormal exit");
		have += got;
	}
	if (memcmp(u->head, "PACK", 4) != 0)
		return err_set(err, ERR_CORRUPT, "protocol error (pack signature mismatch detected)");
	u->nr = get_be32(u->head + 8);
	return 0;
}

static int write_object(void *data, const struct object_id *oid, enum object_type type, const void *content,
			size_t size, struct err *err)
{
	struct unpacking *u = data;
	struct object_id name;
	int rc = odb_write(u->r->odb, type, content, size, &name, err);

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
	struct unpacking *u = data;
	const struct object_stream in = { read_piece, reader, "the pack" };
	struct object_id name;

	return bulk_checkin_stream_from(odb_batch(u->r->odb), OBJ_BLOB, &in, size, &name, err);
}

static void show_progress(void *data, enum pack_receive_phase phase, uint64_t done, uint64_t total, uint64_t bytes)
{
	struct unpacking *u = data;

	if (u->loose && phase == PACK_RECEIVE_READING)
		phase = PACK_RECEIVE_UNPACKING;
	pack_progress_update(&u->progress, phase, done, total, bytes);
}

/* receive.unpackLimit, transfer.unpackLimit: fewer objects go loose; 0: none do. */
static void choose_form(struct unpacking *u)
{
	int64_t limit = u->s->config.unpack_limit < 0 ? UNPACK_LIMIT_DEFAULT : u->s->config.unpack_limit;

	u->loose = u->nr < (uint64_t)limit;
	u->progress = (struct pack_progress){ .resolving = "Resolving deltas", .forced = true };
	if (u->loose)
		u->progress.unpacking = "Unpacking objects";
}

static int begin(struct unpacking *u, struct err *err)
{
	struct receive_server *s = u->s;
	struct pack_receive_options o = {
		.algo = u->r->algo, .odb = u->r->odb, .level = u->r->settings.pack_level,
		.max_input_bytes = s->config.max_input_bytes, .limits = s->config.limits, .fsck = s->config.fsck ? &u->checks.fsck : NULL,
		.note_links = true, .use_bases = u->loose, .fix_thin = !u->loose,
		.object = u->loose ? write_object : NULL, .big_blob = u->loose ? write_big_blob : NULL,
		.progress = s->rq.quiet || s->rq.mode == SIDEBAND_NONE ? NULL : show_progress, .data = u,
	};
	int rc = config_get_int(u->r->config, "pack.threads", &o.threads, err);

	if (rc >= 0 && s->config.fsck)
		rc = pack_checks_read(&u->checks, u->r->config, "receive.fsck.", u->r->algo, err);
	if (rc < 0)
		return rc;
	u->rx = pack_receive_new(&o);
	/* Where nobody has said how many may be loose, it depends on the file system. */
	if (u->loose && s->config.unpack_limit >= 0)
		bulk_checkin_keep_loose(odb_batch(u->r->odb));
	return 0;
}

static int receive(struct unpacking *u, const char *packdir, struct err *err)
{
	struct pack_receive_stream_options in = {
		.fd = -1, .read = read_from_client, .ready = client_is_ready, .read_data = u, .head = u->head, .head_len = HEAD_BYTES,
		.objdir = u->r->objdir,
	};
	int rc = pack_receive_stream(u->rx, &in, err);

	if (!rc && !u->loose)
		pack_receive_start_writeback(u->rx, u->batch, packdir);
	return rc ? rc : pack_receive_resolve(u->rx, err);
}

static int keep(struct unpacking *u, const char *packdir, struct err *err)
{
	struct pack_receive_names n = { .packdir = packdir, .write_rev = true };
	int rc = config_get_bool(u->r->config, "pack.writereverseindex", &n.write_rev, err);

	return rc < 0 ? rc : pack_receive_stage(u->rx, u->batch, &n, NULL, err);
}

static int note_foreign(void *data, const struct object_id *oid, enum object_type type UNUSED, struct err *err UNUSED)
{
	oid_array_append(data, oid);
	return 0;
}

int take_pushed_pack(struct receive_server *s, struct repository *r, struct fsync_batch *batch,
		     struct oid_array *foreign, struct err *err)
{
	struct unpacking u = { .s = s, .r = r, .batch = batch };
	char *packdir = xstrfmt("%s/pack", r->objdir);
	int rc;

	pack_checks_init(&u.checks, print_pack_finding);
	rc = read_head(&u, err);
	if (!rc) {
		choose_form(&u);
		rc = begin(&u, err);
	}
	if (!rc)
		rc = receive(&u, packdir, err);
	pack_progress_stop(&u.progress);
	if (!rc)
		rc = pack_receive_foreach_foreign(u.rx, note_foreign, foreign, err);
	if (!rc && !u.loose && u.nr)
		rc = keep(&u, packdir, err);
	/* What has been staged has its files in the directory of u.rx until it is published; this process ends after it. */
	free(packdir);
	return rc;
}

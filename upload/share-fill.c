/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "compat/syscalls.h"
#include "upload/broker.h"
#include "upload/pack-source.h"
#include "upload/share-file.h"
#include "upload/share-fill.h"
#include "upload/slots.h"
#include "util/clock.h"
#include "util/detach.h"

/* How often it checks for followers. */
#define LOOK_MS 1000
/* Bytes after which the directory is counted again, since other fillers write there, too. */
#define ROOM_STEP ((uint64_t)64 * 1024 * 1024)

struct filler {
	struct share_dir dir;
	const struct object_id *kind;
	struct share_file file;
	uint64_t bytes;
	uint64_t room_end; /* number of bytes up to which there is room */
	int64_t looked_ms;
	bool is_alone;	       /* there was no follower at the last check */
	enum share_state ends; /* the state to end with, if not SHARE_DONE */
};

/* Stop only if two checks in a row find no follower: one client may leave just as another comes. */
static int check_followers(struct filler *f, struct err *err)
{
	int64_t now = monotonic_ms();
	bool was_alone = f->is_alone;

	if (now - f->looked_ms < LOOK_MS)
		return 0;
	f->looked_ms = now;
	f->is_alone = !share_file_is_followed(&f->file);
	return was_alone && f->is_alone ? err_set(err, ERR_ABORTED, "no other request uses this pack") : 0;
}

static int find_room(struct filler *f, size_t len, struct err *err)
{
	uint64_t room, want;

	if (f->bytes + len <= f->room_end)
		return 0;
	want = f->bytes < ROOM_STEP ? f->bytes : ROOM_STEP;
	room = share_dir_room(&f->dir, want < len ? len : want);
	f->room_end = f->bytes + (room < ROOM_STEP ? room : ROOM_STEP);
	return f->bytes + len <= f->room_end ? 0
		: err_set(err, ERR_TOO_BIG, "no room for shared packs");
}

static int add_piece(struct filler *f, const struct iovec *piece, struct err *err)
{
	int rc = find_room(f, piece->iov_len, err);

	if (!rc)
		rc = share_file_write(&f->file, f->bytes, piece->iov_base, piece->iov_len, err);
	if (rc < 0)
		f->ends = SHARE_FULL;
	else
		f->bytes += piece->iov_len;
	return rc;
}

/* A pack_output_fn. */
static int take_output(void *data, enum sideband_band band, const struct iovec *pieces, size_t nr,
		       struct err *err)
{
	struct filler *f = data;
	int rc = check_followers(f, err);

	if (band != BAND_PACK || !nr)
		return rc;
	for (size_t i = 0; i < nr && !rc; i++)
		if (pieces[i].iov_len)
			rc = add_piece(f, &pieces[i], err);
	if (!rc)
		share_file_grew(&f->file);
	return rc;
}

static int fill_file(struct filler *f, struct upload_server *s, struct fetch_request *q,
		     struct err *err)
{
	struct pack_relay_options o = { .fd = -1, .mode = SIDEBAND_NONE, .keepalive_ms = LOOK_MS,
					.output = take_output, .output_data = f };
	struct upload_job j = { .s = s, .q = q };
	int slot, rc = upload_slot_take(s, &o, &slot, err);

	if (rc == ERR_LOCKED)
		f->ends = SHARE_BUSY;
	return rc < 0 ? rc : upload_relay_pack(&j, &o, err);
}

/* Removes the name before it writes the final state, so that no request finds a failed file. */
static void finish(struct filler *f, int rc, struct err *err)
{
	if (rc < 0)
		share_dir_drop(&f->dir, f->kind, f->file.fd);
	if (rc < 0 && f->ends == SHARE_FULL)
		share_dir_note_unfit(&f->dir, f->kind);
	share_file_end(&f->file, rc < 0 ? f->ends : SHARE_DONE, rc < 0 ? err_message(err) : "");
	share_file_release(&f->file);
	(void)share_dir_room(&f->dir, 0);
}

NORETURN static void run(struct upload_server *s, struct fetch_request *q,
			 const struct share_dir *dir, const struct object_id *kind, int fd,
			 int broker)
{
	struct filler f = { .dir = *dir, .kind = kind, .looked_ms = monotonic_ms(),
			    .ends = SHARE_FAILED };
	struct err err = ERR_INIT;
	int rc;

	if (s->o.in > 2)
		sys->close(s->o.in);
	if (s->o.out > 2)
		sys->close(s->o.out);
	f.dir.seen = -1;
	share_file_fill(&f.file, fd);
	rc = share_dir_reopen(&f.dir, &err);
	if (!rc && broker >= 0)
		rc = broker_replace(&s->broker, broker, &err);
	if (!rc)
		rc = fill_file(&f, s, q, &err);
	finish(&f, rc, &err);
	_exit(rc < 0);
}

int upload_filler_start(struct upload_server *s, struct fetch_request *q,
			const struct share_dir *dir, const struct object_id *kind, int fd,
			int followed, struct err *err)
{
	int broker = -1, rc = s->broker.fd < 0 ? 0 : broker_connect(&s->broker, &broker, err);

	if (!rc)
		rc = process_detach(err);
	if (!rc) {
		sys->close(followed);
		run(s, q, dir, kind, fd, broker);
	}
	if (broker >= 0)
		sys->close(broker);
	sys->close(fd);
	return rc < 0 ? rc : 0;
}

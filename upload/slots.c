/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include <fcntl.h>
#include "compat/os.h"
#include "compat/syscalls.h"
#include "fs/file-lock.h"
#include "upload/slots.h"
#include "util/clock.h"
#include "util/trace2.h"

/* Offset of the bytes that stand for slots. */
#define FIRST_BYTE ((off_t)1 << 32)
/* How often a waiting request tries again to get a slot. */
#define LOOK_MIN_MS 5
#define LOOK_MAX_MS 200

struct search {
	int fd;
	unsigned max;
	int64_t give_up_ms, pause_ms;
	unsigned wait_s;
};

/*
 * A lock for reading is all that may be had of a directory, and others may hold one, too: it counts if there is
 * no other when it has been set. Two that try at once may both give way; never do both stay.
 */
static int try_place(const struct search *w, unsigned i)
{
	off_t at = FIRST_BYTE + (off_t)i;
	int held = file_lock_query(w->fd, F_WRLCK, at, 1);

	if (held)
		return held < 0 ? -1 : 0;
	if (file_lock_set(w->fd, F_RDLCK, at, 1))
		return -1;
	if (!file_lock_query(w->fd, F_WRLCK, at, 1))
		return 1;
	(void)file_lock_set(w->fd, F_UNLCK, at, 1);
	return 0;
}

/* Returns 1 if it took a slot, 0 if all are taken, -1 if the file system has no such locks. */
static int try_all(const struct search *w)
{
	unsigned first = (unsigned)(os_random64() % w->max);
	int rc = 0;

	for (unsigned i = 0; i < w->max && !rc; i++)
		rc = try_place(w, (first + i) % w->max);
	return rc;
}

static int try_slots(void *data, int64_t until_ms, struct err *err)
{
	struct search *w = data;
	int64_t now = monotonic_ms(), pause = w->pause_ms;
	int rc = try_all(w);

	if (rc)
		return rc < 0 ? err_set(err, ERR_UNSUPPORTED, "no locks") : 1;
	if (now >= w->give_up_ms)
		return err_set(err, ERR_LOCKED, "too many clients fetch from this repository at the "
			       "moment; waited %u seconds, try again later", w->wait_s);
	w->pause_ms = pause * 2 < LOOK_MAX_MS ? pause * 2 : LOOK_MAX_MS;
	if (pause > until_ms - now)
		pause = until_ms - now;
	if (pause > w->give_up_ms - now)
		pause = w->give_up_ms - now;
	if (pause > 0)
		usleep((useconds_t)pause * 1000);
	return 0;
}

int upload_slot_take(struct upload_server *s, struct pack_relay_options *o, int *out,
		     struct err *err)
{
	struct search w = { .max = s->config.max_concurrent, .pause_ms = LOOK_MIN_MS,
			    .wait_s = s->config.max_concurrent_wait_s };
	struct err why = ERR_INIT;
	int rc;

	*out = -1;
	if (!w.max)
		return 0;
	w.fd = open(s->repo->commondir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (w.fd < 0)
		return err_set_errno(err, "cannot open '%s'", s->repo->commondir);
	w.give_up_ms = monotonic_ms() + (int64_t)w.wait_s * 1000;
	rc = pack_relay_await(o, try_slots, &w, &why);
	if (!rc) {
		*out = w.fd;
		return 0;
	}
	sys->close(w.fd);
	if (rc == ERR_UNSUPPORTED) {
		trace2_data_string("upload-pack", "max-concurrent", "unsupported");
		rc = 0;
	}
	if (rc < 0)
		err_move(err, &why);
	err_release(&why);
	return rc;
}

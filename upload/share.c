/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "compat/syscalls.h"
#include "upload/pack-source.h"
#include "upload/share.h"
#include "upload/share-dir.h"
#include "upload/share-file.h"
#include "upload/share-fill.h"
#include "upload/share-key.h"
#include "util/clock.h"
#include "util/trace2.h"

/* How long a follower sleeps at most: the filler may have died. */
#define LOOK_MS 500
/* How often a client tries another file after its filler has died. */
#define TRIES 3

/* ---- following ---- */

struct follower {
	struct share_file file;
	uint64_t at, have; /* bytes of the pack: sent, and known to be in the file */
	bool done;
	enum share_state failed; /* final state of a failure; SHARE_GROWING: no failure */
};

static int fail(struct follower *f, enum share_state how, struct err *err)
{
	struct strbuf text = STRBUF_INIT;

	f->failed = how;
	if (how == SHARE_FAILED || how == SHARE_BUSY)
		share_file_message(&f->file, &text);
	if (!text.len)
		strbuf_addstr(&text, how == SHARE_FULL ? "a shared pack has not been finished"
						       : "the process that made this pack has died");
	err_set(err, how == SHARE_BUSY ? ERR_LOCKED : ERR_GENERIC, "%s", text.buf);
	strbuf_release(&text);
	return how == SHARE_BUSY ? ERR_LOCKED : ERR_GENERIC;
}

/* An unreadable disk counts as a full one. */
static int read_share_status(struct follower *f, struct share_status *st, struct err *err)
{
	int rc = share_file_status(&f->file, st, err);

	if (rc < 0) {
		f->failed = SHARE_FULL;
		return rc;
	}
	f->done = st->state == SHARE_DONE;
	f->have = st->bytes;
	return f->done || st->state == SHARE_GROWING ? 0 : fail(f, st->state, err);
}

static int await_more(struct follower *f, int64_t until_ms, struct err *err)
{
	struct share_status st;
	int rc;

	while (!(rc = read_share_status(f, &st, err)) && f->have == f->at && !f->done) {
		int64_t left = until_ms - monotonic_ms();

		if (left <= 0)
			break;
		trace2_counter_add(TRACE2_COUNTER_SHARE_WAITS, 1);
		share_file_wait(&f->file, &st, left < LOOK_MS ? left : LOOK_MS);
	}
	return rc;
}

/* A pack_pull_fn. */
static int pull(void *data, void *buf, size_t len, size_t *got, int64_t until_ms, struct err *err)
{
	struct follower *f = data;
	uint64_t n;
	int rc = f->at < f->have || f->done ? 0 : await_more(f, until_ms, err);

	if (rc < 0)
		return rc;
	n = f->have - f->at < len ? f->have - f->at : len;
	if (!n)
		return !f->done;
	rc = share_file_read(&f->file, f->at, buf, (size_t)n, err);
	if (rc < 0) {
		f->failed = SHARE_FULL;
		return rc;
	}
	f->at += n;
	*got = (size_t)n;
	trace2_counter_add(TRACE2_COUNTER_SHARE_BYTES, n);
	return 1;
}

/* ---- going on without the file ---- */

/*
 * The same pack once more, made for this client alone. What it has got already is compared with the file and left
 * out: if that is not the same, the client must not get the rest.
 */
struct rest {
	const struct pack_relay_options *client;
	const struct share_file *file;
	uint64_t at, sent;
};

static int compare(struct rest *r, const char *p, size_t len, struct err *err)
{
	char there[16384];
	int rc = 0;

	while (len && !rc) {
		size_t n = len < sizeof(there) ? len : sizeof(there);

		rc = share_file_read(r->file, r->at, there, n, err);
		if (!rc && memcmp(there, p, n) != 0)
			rc = err_set(err, ERR_CONFLICT, "a shared pack has not been finished, and "
				     "another one is not the same");
		r->at += n;
		p += n;
		len -= n;
	}
	return rc;
}

#define PIECES_MAX 4

/* A pack_output_fn. */
static int send_rest(void *data, enum sideband_band band, const struct iovec *pieces, size_t nr,
		     struct err *err)
{
	struct rest *r = data;
	const struct pack_relay_options *o = r->client;
	struct iovec left[PIECES_MAX];
	size_t nr_left = 0;

	if (band != BAND_PACK || !nr || r->at == r->sent)
		return sideband_send(o->fd, o->timeout_s, o->mode, band, pieces, nr, err);
	for (size_t i = 0; i < nr && i < PIECES_MAX; i++) {
		uint64_t had = r->sent - r->at;
		size_t n = had < pieces[i].iov_len ? (size_t)had : pieces[i].iov_len;
		int rc = compare(r, pieces[i].iov_base, n, err);

		if (rc < 0)
			return rc;
		if (n < pieces[i].iov_len)
			left[nr_left++] = (struct iovec){ (char *)pieces[i].iov_base + n,
							  pieces[i].iov_len - n };
	}
	return nr_left ? sideband_send(o->fd, o->timeout_s, o->mode, band, left, nr_left, err) : 0;
}

static int go_on_alone(struct upload_server *s, struct fetch_request *q,
		       struct pack_relay_options *o, const struct share_file *file, uint64_t sent,
		       struct err *err)
{
	struct upload_job j = { .s = s, .q = q };
	struct rest rest = { .client = o, .file = file, .sent = sent };
	struct pack_relay_options through = *o;

	trace2_data_intmax("share", "alone-after", (intmax_t)sent);
	through.output = send_rest;
	through.output_data = &rest;
	if (o->mode == SIDEBAND_NONE)
		through.keepalive_ms = 0;
	return upload_send_alone(&j, &through, err);
}

/* ---- one try ---- */

struct share {
	struct upload_server *s;
	struct fetch_request *q;
	struct pack_relay_options *o;
	struct share_dir dir;
	struct object_id kind;
};

/* Follow the file. Returns 1 if no byte was sent and none will come: try another way. */
static int follow(struct share *h, int fd, bool *died, struct err *err)
{
	struct follower f = { .file = SHARE_FILE_INIT };
	struct err why = ERR_INIT;
	uint64_t sent = 0;
	int rc;

	share_file_open(&f.file, fd);
	rc = pack_relay_pull(h->o, pull, &f, &sent, &why);
	*died = f.failed == SHARE_DEAD;
	if (rc < 0 && f.failed == SHARE_FULL && sent) {
		err_release(&why);
		rc = go_on_alone(h->s, h->q, h->o, &f.file, sent, &why);
	} else if (rc < 0 && f.failed && f.failed != SHARE_BUSY && !sent) {
		err_release(&why);
		rc = 1;
	} else if (rc < 0 && f.failed) {
		pack_relay_error(h->o, &why);
	}
	if (f.failed == SHARE_DEAD)
		share_dir_drop(&h->dir, &h->kind, fd);
	share_dir_leave(&h->dir, &h->kind, share_file_detach(&f.file));
	err_move(err, &why);
	return rc;
}

/* Creates a file and starts its filler; returns a descriptor to follow it; -1: there is none. */
static int start_filler(struct share *h)
{
	struct err err = ERR_INIT;
	int fd = -1, ours = -1, rc = share_dir_create(&h->dir, &h->kind, &fd, &err);

	if (!rc || rc == ERR_EXISTS)
		ours = share_dir_find(&h->dir, &h->kind);
	if (!rc && ours < 0)
		sys->close(fd);
	else if (!rc)
		rc = upload_filler_start(h->s, h->q, &h->dir, &h->kind, fd, ours,
					 &err);
	if (rc < 0 && rc != ERR_EXISTS) {
		trace2_data_string("share", "no-filler", err_message(&err));
		if (ours >= 0) {
			share_dir_drop(&h->dir, &h->kind, ours);
			sys->close(ours);
			ours = -1;
		}
	}
	err_release(&err);
	return ours;
}

static const char *const kind_names[] = {
	[SHARE_NEW] = "new", [SHARE_AGAIN] = "again", [SHARE_UNFIT] = "unfit",
};

/* Finds or creates the file for this request; -1: the request is served alone. */
static int find_file(struct share *h)
{
	enum share_kind kind = share_dir_note(&h->dir, &h->kind);
	int fd = kind == SHARE_UNFIT ? -1 : share_dir_find(&h->dir, &h->kind);

	trace2_data_string("share", "kind", oid_hex(&h->kind));
	trace2_data_string("share", "request", fd >= 0 ? "found" : kind_names[kind]);
	if (fd >= 0)
		trace2_counter_add(TRACE2_COUNTER_SHARE_HITS, 1);
	return fd >= 0 || kind != SHARE_AGAIN ? fd : start_filler(h);
}

/* ---- from begin to end ---- */

static int prepare(struct share *h, struct err *err)
{
	const struct upload_config *u = &h->s->config;
	int rc;

	if (!u->share_dir)
		return err_set(err, ERR_INVALID, "uploadpack.shareDirectory is not set");
	if (h->s->share_refused)
		return err_set(err, ERR_INVALID, "%s", h->s->share_refused);
	rc = upload_request_kind(h->s, h->q, &h->kind, err);
	return rc < 0 ? rc : share_dir_open(&h->dir, u->share_dir, u->share_s, u->share_limit_bytes,
					    err);
}

int upload_send_shared(struct upload_server *s, struct fetch_request *q,
		       struct pack_relay_options *o, struct err *err)
{
	struct share h = { .s = s, .q = q, .o = o, .dir = SHARE_DIR_INIT };
	struct upload_job j = { .s = s, .q = q };
	struct err why = ERR_INIT;
	bool again = true;
	int rc = 1;

	if (prepare(&h, &why) < 0) {
		trace2_data_string("share", "off", err_message(&why));
		again = false;
	}
	err_release(&why);
	for (int i = 0; i < TRIES && again && rc == 1; i++) {
		int fd = find_file(&h);

		again = false;
		if (fd >= 0)
			rc = follow(&h, fd, &again, err);
	}
	share_dir_release(&h.dir);
	return rc == 1 ? upload_send_alone(&j, o, err) : rc;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sending a pack to a client while it is being made: Documentation/Serving.adoc. It comes from one of one
 * of three sources: a function of this process, which runs in a thread of its own and hands bytes over
 * through a bounded queue; a command, whose pipe is read; or something that is asked for more, such
 * as a file that grows.
 *
 *   - Packets are full. Bytes that do not fill one wait for more, at most for the keepalive
 *     interval (5 s without one).
 *   - Several packets leave with one writev(2).
 *   - The keepalive clock starts at the last byte sent. When it fires, what is held goes out, or,
 *     if nothing is, an empty packet. It runs while the source has not begun yet, too.
 *   - The last byte is held back until the source has ended well; otherwise the client gets its
 *     error on band 3 and no end of the pack.
 *   - Text of the source goes out on band 2; without bands a function's is dropped.
 *
 * Errors: what the source failed with; the client has been told. ERR_IO: the client is gone.
 * The caller ignores SIGPIPE. Memory: 4 MiB.
 */
#ifndef PACK_RELAY_H
#define PACK_RELAY_H

#include "compat/posix.h"
#include "sideband.h"
#include "util/err.h"
#include "util/run-command.h"

/* Takes what sideband_send would send. Without pieces: a keepalive is due. */
typedef int (*pack_output_fn)(void *data, enum sideband_band band, const struct iovec *pieces,
			      size_t nr, struct err *err);

struct pack_relay_options {
	int fd; /* the client's end */
	enum sideband_mode mode;
	int64_t keepalive_ms; /* 0: none; without bands there is none either */
	/* When the client got its last byte, for the clock (util/clock.h); 0: now. */
	int64_t sent_ms;
	/* NULL, or this gets everything instead of `fd`, keepalives in any mode, too. */
	pack_output_fn output;
	void *output_data;
	unsigned timeout_s; /* how long the client may read nothing (writev_to_peer); 0: for ever */
};

/* There is no source: tell the client why, on band 3. */
void pack_relay_error(const struct pack_relay_options *o, const struct err *why);

/* ---- a function ---- */

struct relay_queue;
typedef int (*pack_source_fn)(void *data, struct relay_queue *out, struct err *err);
MUST_USE int pack_relay_function(const struct pack_relay_options *o, pack_source_fn source,
				 void *data, struct err *err);

/* For the source's thread. They wait while the queue is full; ERR_ABORTED: the client is gone. */
MUST_USE int relay_queue_write(struct relay_queue *out, const void *p, size_t len,
			       struct err *err);
/*
 * The queue's own memory, for `len` bytes (at most RELAY_ROOM_MAX). It is the source's until the next
 * call of either: a relay_queue_write from its beginning on copies nothing.
 */
#define RELAY_ROOM_MAX ((size_t)512 * 1024)
MUST_USE int relay_queue_reserve(struct relay_queue *out, size_t len, void **p, struct err *err);
/* Text for the user, as on a terminal: whole lines, or ended by a carriage return. */
void relay_queue_text(struct relay_queue *out, const char *text, size_t len);
/*
 * Is the client gone? Then no more work should be done for it. The second asks the system itself, as the sender may
 * not have met it yet: one system call.
 */
bool relay_queue_is_unwanted(const struct relay_queue *out);
bool relay_queue_has_lost_client(const struct relay_queue *out);

/*
 * Has the peer closed its end, as far as the system tells without a write? A pipe or a socket pair of which nobody
 * holds the other end, a connection that was reset. Not a peer that only writes no more: it reads. Of TCP it is
 * seen once something has been sent to the closed end. One system call.
 */
bool peer_is_gone(int fd);

/* ---- something that is asked ---- */

/*
 * What comes next of the pack, up to `len` bytes of it: *got. If there is nothing yet, waits for it, but
 * not beyond `until_ms` (util/clock.h). 1: more may come; 0: that was all, and nothing is in buf.
 */
typedef int (*pack_pull_fn)(void *data, void *buf, size_t len, size_t *got, int64_t until_ms,
			    struct err *err);
/*
 * Send what is pulled, in the caller's thread. The client is not told of a failure: as long as *sent, the bytes
 * of the pack that went out, is 0, another source may serve it. o->sent_ms is kept up to date.
 */
MUST_USE int pack_relay_pull(struct pack_relay_options *o, pack_pull_fn pull, void *data,
			     uint64_t *sent, struct err *err);

/*
 * Before there is a source: keep the client waiting until `ready` returns 1, or < 0, which is returned. It
 * waits itself, but not beyond until_ms, and returns 0 then.
 */
typedef int (*pack_ready_fn)(void *data, int64_t until_ms, struct err *err);
MUST_USE int pack_relay_await(struct pack_relay_options *o, pack_ready_fn ready, void *data,
			      struct err *err);

/* ---- a command ---- */

/*
 * `cp` has been started with a pipe for stdout and, if there are bands, for stderr; both are
 * closed here and the command is awaited (ended, if the client is gone). What does not begin
 * as a pack does is not passed on. `name` is what messages call it.
 */
MUST_USE int pack_relay_command(const struct pack_relay_options *o, struct child_process *cp,
				const char *name, struct err *err);

/* A command that somebody else has started. */
struct relay_pipe {
	int out, err; /* our ends of its pipes; err -1: there is none. Both are closed here */
	/* Await it, if `end` is set end it before: its exit code, as of finish_command. */
	int (*finish)(void *data, bool end);
	void *data;
};
MUST_USE int pack_relay_pipe(const struct pack_relay_options *o, const struct relay_pipe *from,
			     const char *name, struct err *err);

#endif

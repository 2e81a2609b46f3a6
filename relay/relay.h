/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sends a pack to a client while the pack is being built: Documentation/Serving.adoc. There are three kinds
 * of sources: a function, which runs in a thread of this process and passes bytes through a bounded queue; a
 * command, whose pipe is read; or a pull function, which returns the next bytes, such as of a growing file.
 *
 *   - Packets are full. Bytes that do not fill a packet wait for more, at most for the keepalive interval
 *     (5 s if there is none).
 *   - One writev(2) sends several packets.
 *   - The keepalive clock starts at the last byte sent, also before the source begins. When it fires, the
 *     waiting bytes are sent, or an empty packet if there are none.
 *   - The last byte is sent only after the source has succeeded. If the source fails, the client gets its
 *     error on band 3, and never a complete pack.
 *   - Text of the source goes to band 2. Without a sideband the text of a function is dropped.
 *
 * Errors: the error of the source, which the client has got; ERR_IO: the client is gone.
 * The caller ignores SIGPIPE. Memory: 4 MiB.
 */
#ifndef RELAY_RELAY_H
#define RELAY_RELAY_H

#include "compat/posix.h"
#include "sideband.h"
#include "util/err.h"
#include "util/run-command.h"

/* Gets the arguments of sideband_send. No pieces: a keepalive is due. */
typedef int (*pack_output_fn)(void *data, enum sideband_band band, const struct iovec *pieces,
			      size_t nr, struct err *err);

struct pack_relay_options {
	int fd; /* the client's end */
	enum sideband_mode mode;
	int64_t keepalive_ms; /* 0: no keepalives; none without a sideband either */
	/* Time of the last byte to the client (util/clock.h); 0: now. */
	int64_t sent_ms;
	/* If set, gets all output instead of `fd`, and keepalives in every mode. */
	pack_output_fn output;
	void *output_data;
	unsigned timeout_s; /* longest time without reading by the client (writev_to_peer); 0: no limit */
};

/* For a source that could not be started: send the reason to the client on band 3. */
void pack_relay_error(const struct pack_relay_options *o, const struct err *why);

/* ---- a function ---- */

struct relay_queue;
typedef int (*pack_source_fn)(void *data, struct relay_queue *out, struct err *err);
MUST_USE int pack_relay_function(const struct pack_relay_options *o, pack_source_fn source,
				 void *data, struct err *err);

/*
 * For the thread of the source. Both wait while the queue is full. ERR_ABORTED: the client is gone.
 */
MUST_USE int relay_queue_write(struct relay_queue *out, const void *p, size_t len,
			       struct err *err);
/*
 * Returns `len` bytes of the queue's memory (at most RELAY_ROOM_MAX), which the source may fill
 * until its next call of a queue function. A relay_queue_write from the start of that memory copies
 * nothing.
 */
#define RELAY_ROOM_MAX ((size_t)512 * 1024)
MUST_USE int relay_queue_reserve(struct relay_queue *out, size_t len, void **p, struct err *err);
/* Text for the user: whole lines, or lines that end with a carriage return, as for a terminal. */
void relay_queue_text(struct relay_queue *out, const char *text, size_t len);
/*
 * Is the client gone? Then the source should stop. The first function knows what the sender has
 * noticed; the second asks the system as well (one system call).
 */
bool relay_queue_is_unwanted(const struct relay_queue *out);
bool relay_queue_has_lost_client(const struct relay_queue *out);

/*
 * Has the peer closed its end, as far as the system can tell without a write? True for a pipe or
 * socket pair whose other end is closed, and for a reset connection. False for a peer that only
 * shut down writing, since it still reads. On TCP a close shows only after something was sent to
 * it. Cost: one system call.
 */
bool peer_is_gone(int fd);

/* ---- a pull function ---- */

/*
 * Stores up to `len` next bytes of the pack in buf and their number in *got. If there are none yet,
 * waits for them until `until_ms` (util/clock.h) at most. Returns 1 if more may come, 0 at the end
 * (buf is then empty), or < 0.
 */
typedef int (*pack_pull_fn)(void *data, void *buf, size_t len, size_t *got, int64_t until_ms,
			    struct err *err);
/*
 * Send the bytes that `pull` returns, in the caller's thread. The client does not get the error of
 * a failure: while *sent, the number of pack bytes sent, is 0, the caller may use another source.
 * Updates o->sent_ms.
 */
MUST_USE int pack_relay_pull(struct pack_relay_options *o, pack_pull_fn pull, void *data,
			     uint64_t *sent, struct err *err);

/*
 * Send keepalives until `ready` returns 1 or < 0, and return that. `ready` does the waiting: until
 * until_ms at most, when it returns 0.
 */
typedef int (*pack_ready_fn)(void *data, int64_t until_ms, struct err *err);
MUST_USE int pack_relay_await(struct pack_relay_options *o, pack_ready_fn ready, void *data,
			      struct err *err);

/* ---- a command ---- */

/*
 * `cp` runs with a pipe for stdout and, with a sideband, one for stderr. Both are closed here, and
 * the command is waited for (and killed first if the client is gone). Output that does not begin
 * with the header of a pack is not sent. `name` is the command's name in messages.
 */
MUST_USE int pack_relay_command(const struct pack_relay_options *o, struct child_process *cp,
				const char *name, struct err *err);

/* A command that another process has started. */
struct relay_pipe {
	int out, err; /* our ends of its pipes; err is -1 if it has none. Both are closed here */
	/*
	 * Wait for the command; if `end` is set, kill it first. Returns the exit code as
	 * finish_command does.
	 */
	int (*finish)(void *data, bool end);
	void *data;
};
MUST_USE int pack_relay_pipe(const struct pack_relay_options *o, const struct relay_pipe *from,
			     const char *name, struct err *err);

#endif

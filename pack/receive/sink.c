/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hashes used input and copies it to the file. For a large pack a separate thread does that, since
 * the thread that inflates has most to do; buffers are handed over to it.
 */
#include "compat/posix.h"
#include "pack/receive/receive-internal.h"
#include "util/alloc.h"
#include "util/workers.h"
#include "write-or-die.h"

/* Filled buffers that may wait for the thread. */
#define BUFFERS_MAX 3
/* Bytes of a pack before a thread is started. */
#define INLINE_BYTES_MAX ((uint64_t)4 * 1024 * 1024)

struct piece {
	unsigned char *buf;
	size_t len;
};

struct rx_sink {
	int fd; /* -1: bytes are only hashed */
	const char *name;
	struct hash_ctx hash;
	uint64_t inline_bytes;
	bool may_start, started;
	pthread_t thread;
	/* Guards the fields below; fd and hash belong to the thread that works on a piece. */
	pthread_mutex_t lock;
	pthread_cond_t news;
	struct piece queue[BUFFERS_MAX]; /* the thread works on the first one */
	unsigned nr;
	unsigned char *spare; /* a finished buffer, for reuse */
	bool ending;
	int rc; /* of the first failure; later pieces are dropped */
	struct err err;
};

struct rx_sink *rx_sink_new(const struct hash_algo *algo, bool may_start)
{
	struct rx_sink *s;

	CALLOC_ARRAY(s, 1);
	s->fd = -1;
	s->may_start = may_start;
	hash_init(&s->hash, algo);
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->news, NULL);
	return s;
}

void rx_sink_copy_to(struct rx_sink *s, int fd, const char *name)
{
	s->fd = fd;
	s->name = name;
}

static int work(struct rx_sink *s, const unsigned char *p, size_t len, struct err *err)
{
	hash_update(&s->hash, p, len);
	return s->fd >= 0 ? write_in_full(s->fd, p, len, s->name, err) : 0;
}

/* ---- the thread ---- */

/* Call with the lock held; it is released during the work. */
static void work_on_first(struct rx_sink *s)
{
	struct piece piece = s->queue[0];
	struct err err = ERR_INIT;
	int rc = s->rc;

	pthread_mutex_unlock(&s->lock);
	if (!rc)
		rc = work(s, piece.buf, piece.len, &err);
	pthread_mutex_lock(&s->lock);
	if (rc < 0 && !s->rc) {
		s->rc = rc;
		err_move(&s->err, &err);
	}
	err_release(&err);
	memmove(s->queue, s->queue + 1, --s->nr * sizeof(*s->queue));
	if (s->spare)
		free(piece.buf);
	else
		s->spare = piece.buf;
	pthread_cond_broadcast(&s->news);
}

static void *run(void *data)
{
	struct rx_sink *s = data;

	pthread_mutex_lock(&s->lock);
	while (s->nr || !s->ending) {
		if (s->nr)
			work_on_first(s);
		else
			pthread_cond_wait(&s->news, &s->lock);
	}
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

void rx_sink_free(struct rx_sink *s)
{
	if (!s)
		return;
	if (s->started) {
		pthread_mutex_lock(&s->lock);
		s->ending = true;
		if (!s->rc)
			s->rc = ERR_GENERIC; /* the remaining pieces are dropped */
		pthread_cond_broadcast(&s->news);
		pthread_mutex_unlock(&s->lock);
		pthread_join(s->thread, NULL);
	}
	pthread_mutex_destroy(&s->lock);
	pthread_cond_destroy(&s->news);
	hash_release(&s->hash);
	err_release(&s->err);
	free(s->spare);
	free(s);
}

/* ---- handing over ---- */

/* Wait until at most `most` pieces are left. Call with the lock held. */
static int await(struct rx_sink *s, unsigned most, struct err *err)
{
	while (s->nr > most)
		pthread_cond_wait(&s->news, &s->lock);
	/* Only the first caller gets the message; later ones get the code. */
	if (s->rc)
		err_move(err, &s->err);
	return s->rc;
}

unsigned char *rx_sink_spare(struct rx_sink *s, size_t cap)
{
	unsigned char *buf;

	if (!s->started) {
		if (!s->may_start || s->inline_bytes < INLINE_BYTES_MAX)
			return NULL;
		s->started = start_thread(&s->thread, run, s);
		s->may_start = s->started;
		if (!s->started)
			return NULL;
	}
	pthread_mutex_lock(&s->lock);
	buf = s->spare;
	s->spare = NULL;
	pthread_mutex_unlock(&s->lock);
	return buf ? buf : xmalloc(cap);
}

int rx_sink_give(struct rx_sink *s, unsigned char *buf, size_t len, struct err *err)
{
	int rc;

	pthread_mutex_lock(&s->lock);
	rc = await(s, BUFFERS_MAX - 1, err);
	s->queue[s->nr++] = (struct piece){ buf, len };
	pthread_cond_broadcast(&s->news);
	pthread_mutex_unlock(&s->lock);
	return rc;
}

int rx_sink_put(struct rx_sink *s, const unsigned char *p, size_t len, struct err *err)
{
	int rc = rx_sink_wait(s, err);

	s->inline_bytes += len;
	return rc ? rc : work(s, p, len, err);
}

int rx_sink_wait(struct rx_sink *s, struct err *err)
{
	int rc;

	pthread_mutex_lock(&s->lock);
	rc = await(s, 0, err);
	pthread_mutex_unlock(&s->lock);
	return rc;
}

int rx_sink_hash(struct rx_sink *s, struct object_id *out, struct err *err)
{
	int rc = rx_sink_wait(s, err);

	if (!rc)
		hash_final(&s->hash, out);
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include <pthread.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include "compat/socket.h"
#include "compat/syscalls.h"
#include "history/promisor.h"
#include "intake/fetcher.h"
#include "intake/quarantine.h"
#include "util/alloc.h"
#include "util/bytes.h"
#include "write-or-die.h"

/* A request: their number, 4 bytes, big-endian, and the ids. The answer: one byte, 1 if all went well. */
#define HEAD_BYTES 4
#define ASKED_MAX 1000000u

/* ---- the process that fetches ---- */

/* False: the other end is closed, or talks nonsense. */
static bool read_request(int fd, const struct hash_algo *algo, struct oid_array *asked)
{
	unsigned char raw[HEAD_BYTES > HASH_MAX_RAW ? HEAD_BYTES : HASH_MAX_RAW];
	uint32_t nr;

	asked->nr = 0;
	if (read_in_full(fd, raw, HEAD_BYTES) != HEAD_BYTES)
		return false;
	nr = get_be32(raw);
	for (uint32_t i = 0; nr <= ASKED_MAX && i < nr; i++) {
		struct object_id oid;

		if (read_in_full(fd, raw, algo->raw_len) != (ssize_t)algo->raw_len)
			return false;
		oid_from_raw(&oid, raw, algo);
		oid_array_append(asked, &oid);
	}
	return nr <= ASKED_MAX;
}

static int keep_promised(struct promises *p, struct oid_array *asked, struct err *err)
{
	size_t nr = 0;
	int rc = 0;

	for (size_t i = 0; rc >= 0 && i < asked->nr; i++) {
		rc = promises_has(p, &asked->oid[i], err);
		if (rc > 0)
			asked->oid[nr++] = asked->oid[i];
	}
	asked->nr = nr;
	return rc < 0 ? rc : 0;
}

static void serve(struct repository *r, int fd)
{
	struct promises promises = { .repo = r };
	struct oid_array asked = OID_ARRAY_INIT;

	while (read_request(fd, r->algo, &asked)) {
		struct err err = ERR_INIT;
		int rc = keep_promised(&promises, &asked, &err);
		unsigned char good;

		if (!rc && asked.nr)
			rc = odb_prefetch(r->odb, &asked, &err);
		good = !rc;
		err_release(&err); /* the fetch has said why */
		if (write_in_full(fd, &good, 1, "the answer", NULL) < 0)
			break;
	}
	oid_array_clear(&asked);
	promises_release(&promises);
}

int intake_fetcher_start(struct intake_fetcher *f, struct repository *r, struct err *err)
{
	int pair[2];

	*f = (struct intake_fetcher)INTAKE_FETCHER_INIT;
	if (!odb_can_fetch(r->odb))
		return 0;
	if (os_socketpair(AF_UNIX, SOCK_STREAM, pair) < 0)
		return err_set_errno(err, "cannot create a socket");
	fflush(stdout);
	f->pid = fork();
	if (!f->pid) {
		if (!intake_close_all_but(&pair[0], 1, NULL))
			serve(r, pair[0]);
		_exit(0);
	}
	close(pair[0]);
	if (f->pid < 0) {
		close(pair[1]);
		return err_set_errno(err, "cannot fork");
	}
	f->fd = pair[1];
	return 0;
}

void intake_fetcher_end(struct intake_fetcher *f)
{
	if (f->fd < 0)
		return;
	close(f->fd);
	f->fd = -1;
	while (waitpid(f->pid, NULL, 0) < 0 && errno == EINTR)
		;
}

/* ---- the confined process ---- */

struct asking {
	int fd;
	const struct hash_algo *algo;
	pthread_mutex_t lock; /* one question at a time */
};

static int ask_some(const struct asking *a, const struct object_id *oids, size_t nr, struct err *err)
{
	struct strbuf request = STRBUF_INIT;
	unsigned char raw[HEAD_BYTES], good = 0;
	int rc;

	put_be32(raw, (uint32_t)nr);
	strbuf_add(&request, raw, HEAD_BYTES);
	for (size_t i = 0; i < nr; i++)
		strbuf_add(&request, oids[i].hash, a->algo->raw_len);
	rc = write_in_full(a->fd, request.buf, request.len, "the request", err);
	strbuf_release(&request);
	if (!rc && (read_in_full(a->fd, &good, 1) != 1 || !good))
		rc = err_set(err, ERR_IO, "could not fetch %s from promisor remote", oid_hex(oids));
	return rc;
}

/* For odb_set_fetch. */
static int ask(void *data, const struct oid_array *wanted, struct err *err)
{
	struct asking *a = data;
	int rc = 0;

	pthread_mutex_lock(&a->lock);
	for (size_t i = 0, n; !rc && i < wanted->nr; i += n) {
		n = wanted->nr - i < ASKED_MAX ? wanted->nr - i : ASKED_MAX;
		rc = ask_some(a, wanted->oid + i, n, err);
	}
	pthread_mutex_unlock(&a->lock);
	return rc;
}

void intake_fetcher_use(int fd, const struct hash_algo *algo, struct odb *odb)
{
	struct asking *a = xcalloc(1, sizeof(*a));

	a->fd = fd;
	a->algo = algo;
	pthread_mutex_init(&a->lock, NULL);
	odb_set_fetch(odb, ask, a, true);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Packs that were downloaded. A confined process reads each pack (intake/confined.h), and leaves pack and index in a quarantine. The walk
 * reads objects there until the operation publishes them. If the system cannot confine a process, this process reads the pack itself.
 */
#include "compat/posix.h"
#include <fcntl.h>
#include "compat/syscalls.h"
#include "intake/answer.h"
#include "intake/reader.h"
#include "pack/pack.h"
#include "transport/http/http-walk-internal.h"
#include "util/alloc.h"

/* Names of objects that a pack refers to and does not have. */
#define ANSWER_MAX ((size_t)256 << 20)

struct walk_received {
	struct intake_result intake;
	struct packs *packs;	 /* of the quarantine; NULL: there is none */
	struct pack_receive *rx; /* then */
	bool useless;		 /* the process that has read it has lied */
};

/* ---- objects of received packs ---- */

static bool received_has(const struct walk_received *p, const struct object_id *oid)
{
	return p->packs ? packs_has(p->packs, oid) : pack_receive_has(p->rx, oid);
}

struct walk_received *walk_find_received(const struct http_walk *w, const struct object_id *oid)
{
	for (size_t i = 0; i < w->nr_received; i++)
		if (!w->received[i]->useless && received_has(w->received[i], oid))
			return w->received[i];
	return NULL;
}

int walk_read_received(struct walk_received *p, const struct object_id *oid, struct object_buf *out, struct err *err)
{
	return p->packs ? packs_read(p->packs, oid, out, err) : pack_receive_object(p->rx, oid, out, err);
}

static void free_received(struct walk_received *p)
{
	packs_free(p->packs);
	pack_receive_free(p->rx);
	intake_result_release(&p->intake);
	free(p);
}

void walk_free_received(struct http_walk *w)
{
	for (size_t i = 0; i < w->nr_received; i++)
		free_received(w->received[i]);
	free(w->received);
}

/* ---- the process that reads a pack; perhaps this one ---- */

struct reception {
	const struct http_walk *w;
	int fd;
	const struct object_id *oid; /* the object that it was fetched for */
	struct intake_policy policy;
	struct intake_reader rd;
};

static int check_wanted(bool is_there, struct err *err)
{
	return is_there ? 0 : err_set(err, ERR_CORRUPT, "its index has an object that it does not have");
}

/* In the second walk objects are looked at one by one: see http-walk.c. */
static int answer_foreign(const struct reception *p, const struct intake_place *place, struct err *err)
{
	struct oid_array foreign = OID_ARRAY_INIT;
	int rc = p->w->precise ? 0 : intake_reader_foreign(&p->rd, &foreign, err);

	if (!rc && foreign.nr > ANSWER_MAX / HASH_MAX_RAW)
		rc = err_set(err, ERR_TOO_BIG, "the pack refers to more than %zu other objects", ANSWER_MAX / HASH_MAX_RAW);
	if (!rc)
		intake_answer_add_oids(place->answer, &foreign, p->w->r->algo);
	oid_array_clear(&foreign);
	return rc;
}

/* Called by intake_receive. */
static int receive_walked(void *data, const struct intake_place *place, struct err *err)
{
	struct reception *p = data;
	const struct intake_stream s = { .from = { .fd = p->fd }, .end = INTAKE_END_FILE };
	int rc = intake_reader_begin(&p->rd, &p->policy, place, place->r->algo, err);

	if (!rc)
		rc = intake_reader_read(&p->rd, &s, err);
	if (!rc)
		rc = check_wanted(pack_receive_has(p->rd.rx, p->oid), err);
	if (!rc)
		rc = intake_reader_stage(&p->rd, NULL, NULL, err);
	return rc ? rc : answer_foreign(p, place, err);
}

/* ---- the process that walks ---- */

static void open_quarantine(struct walk_received *p, const struct repository *r)
{
	const struct packs_options o = {
		.objdir = tmp_objdir_path(p->intake.dir), .algo = r->algo,
		.delta_base_cache_limit = r->settings.delta_base_cache_limit,
	};

	p->packs = packs_new(&o);
}

static int walk_answer(struct http_walk *w, const struct strbuf *answer, struct err *err)
{
	struct oid_array foreign = OID_ARRAY_INIT;
	size_t at = 0;
	int rc = intake_answer_take_oids(answer, &at, w->r->algo, &foreign, err);

	for (size_t i = 0; !rc && i < foreign.nr; i++)
		walk_push(w, &foreign.oid[i]);
	oid_array_clear(&foreign);
	return rc;
}

/* A staged pack is needed until the end of the operation, even if the walk cannot use it. */
static int take_received(struct http_walk *w, struct walk_received *p, const struct object_id *oid, struct err *err)
{
	int rc;

	ALLOC_GROW(w->received, w->nr_received + 1, w->alloc_received);
	w->received[w->nr_received++] = p;
	if (p->intake.dir)
		open_quarantine(p, w->r);
	/* The process that has read the pack says that it is there. It may have been taken over. */
	rc = check_wanted(received_has(p, oid), err);
	if (!rc)
		rc = walk_answer(w, &p->intake.answer, err);
	p->useless = rc < 0;
	strbuf_release(&p->intake.answer);
	return rc;
}

int walk_receive(struct http_walk *w, const char *path, const struct object_id *oid, struct err *err)
{
	struct reception p = { .w = w, .oid = oid, .policy = { .links = INTAKE_LINKS_NOTED } };
	struct intake in = { .receive = receive_walked, .data = &p, .policy = &p.policy, .name = "index-pack", .answer_max = ANSWER_MAX };
	struct walk_received *received;
	int rc;

	in.fd = p.fd = (int)RETRY_EINTR(sys->open(path, O_RDONLY | O_CLOEXEC, 0));
	if (in.fd < 0)
		return err_set_errno(err, "cannot open '%s'", path);
	CALLOC_ARRAY(received, 1);
	rc = intake_receive(w->r, w->op, &in, &received->intake, err);
	sys->close(in.fd);
	received->rx = p.rd.rx;
	if (!rc)
		return take_received(w, received, oid, err);
	free_received(received);
	return rc;
}

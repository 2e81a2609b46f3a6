/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Packs that were downloaded. A confined process reads each pack (intake/confined.h), and leaves pack and index in a quarantine. The walk
 * reads objects there until the operation publishes them. If the system cannot confine a process, this process reads the pack itself.
 */
#include "compat/posix.h"
#include <fcntl.h>
#include "compat/syscalls.h"
#include "intake/answer.h"
#include "intake/confined.h"
#include "pack/pack.h"
#include "pack/receive/receive.h"
#include "transport/http/http-walk-internal.h"
#include "util/alloc.h"
#include "util/path.h"

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
	const struct object_id *oid; /* what it was fetched for */
	struct pack_receive *rx;
};

static int read_walked(const struct reception *p, const struct intake_place *place, struct err *err)
{
	const struct pack_receive_stream_options s = {
		.fd = p->fd, .objdir = place->r->objdir, .shared_perm = place->r->settings.shared_perm,
	};
	size_t rest;
	int rc = pack_receive_stream(p->rx, &s, err);

	if (rc < 0)
		return rc;
	pack_receive_rest(p->rx, &rest);
	if (rest)
		return err_set(err, ERR_CORRUPT, "pack has junk at the end");
	return pack_receive_resolve(p->rx, err);
}

static int check_wanted(bool is_there, struct err *err)
{
	return is_there ? 0 : err_set(err, ERR_CORRUPT, "its index has an object that it does not have");
}

static int stage_walked(const struct reception *p, const struct intake_place *place, struct err *err)
{
	char *packdir = path_join(place->r->objdir, "pack");
	struct pack_receive_names names = {
		.packdir = packdir, .write_rev = true, .shared_perm = place->r->settings.shared_perm,
	};
	int rc = config_get_bool(place->r->config, "pack.writereverseindex", &names.write_rev, err);

	if (rc >= 0)
		rc = pack_receive_stage(p->rx, place->batch, &names, NULL, err);
	free(packdir);
	return rc;
}

static int add_foreign(void *data, const struct object_id *oid, enum object_type type UNUSED, struct err *err)
{
	struct oid_array *foreign = data;

	if (foreign->nr >= ANSWER_MAX / HASH_MAX_RAW)
		return err_set(err, ERR_TOO_BIG, "the pack refers to more than %zu other objects", ANSWER_MAX / HASH_MAX_RAW);
	oid_array_append(foreign, oid);
	return 0;
}

/* In the second walk objects are looked at one by one: see http-walk.c. */
static int answer_foreign(const struct reception *p, const struct intake_place *place, struct err *err)
{
	struct oid_array foreign = OID_ARRAY_INIT;
	int rc = p->w->precise ? 0 : pack_receive_foreach_foreign(p->rx, add_foreign, &foreign, err);

	if (!rc)
		intake_answer_add_oids(place->answer, &foreign, p->w->r->algo);
	oid_array_clear(&foreign);
	return rc;
}

/* Called by intake_receive. */
static int receive_walked(void *data, const struct intake_place *place, struct err *err)
{
	struct reception *p = data;
	struct pack_receive_options o = {
		.algo = place->r->algo, .odb = place->r->odb, .level = place->r->settings.pack_level, .note_links = true,
	};
	int rc = config_get_int(place->r->config, "pack.threads", &o.threads, err);

	if (rc < 0)
		return rc;
	p->rx = pack_receive_new(&o);
	rc = read_walked(p, place, err);
	if (!rc)
		rc = check_wanted(pack_receive_has(p->rx, p->oid), err);
	if (!rc)
		rc = stage_walked(p, place, err);
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
	struct reception p = { .w = w, .oid = oid };
	struct intake in = { .receive = receive_walked, .data = &p, .name = "index-pack", .answer_max = ANSWER_MAX };
	struct walk_received *received;
	int rc;

	in.fd = p.fd = (int)RETRY_EINTR(sys->open(path, O_RDONLY | O_CLOEXEC, 0));
	if (in.fd < 0)
		return err_set_errno(err, "cannot open '%s'", path);
	CALLOC_ARRAY(received, 1);
	rc = intake_receive(w->r, w->op, &in, &received->intake, err);
	sys->close(in.fd);
	received->rx = p.rx;
	if (!rc)
		return take_received(w, received, oid, err);
	free_received(received);
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* Receives the pack: checks it while it comes, checks that it is complete, stages it as a pack or as loose objects. */
#include "compat/posix.h"
#include <sys/mman.h>
#include "intake/reader.h"
#include "transport/fetch/fetch-internal.h"
#include "util/alloc.h"

struct reception {
	struct fetch_task *t;
	const struct intake_place *place;
	struct intake_policy policy;
	struct intake_reader rd;
	struct intake_head head;
	struct fetch_uri_source uris;
	/* Shared with the process that receives: see fetch_check_pack. */
	unsigned char *marks;
	size_t nr_marks;
};

static int read_head(struct reception *p, struct err *err)
{
	int rc = intake_read_head(&p->head, session_pack_read, p->t->s, err);

	return rc || p->head.len == INTAKE_HEAD_BYTES ? rc : err_set(err, ERR_CORRUPT, "early EOF");
}

/* Links are checked by the reader if the server sends one pack. With more, all packs are checked together: fetch-check.c. */
static enum intake_links links_of(const struct fetch_task *t)
{
	if (t->uris.nr)
		return INTAKE_LINKS_NOTED;
	return t->w->from_promisor || t->w->no_dependents ? INTAKE_LINKS_IGNORED : INTAKE_LINKS_CHECKED;
}

/* fetch.unpackLimit, transfer.unpackLimit: fewer objects go loose; 0: all do. */
static int make_policy(struct reception *p, struct err *err)
{
	const struct fetch_wanted *w = p->t->w;
	int rc;

	p->policy = (struct intake_policy){
		.fsck = w->fsck, .fsck_finish_later = p->t->uris.nr != 0, .links = links_of(p->t), .shallow = &p->t->boundaries,
		.fix_thin = true, .never_loose = w->keep || w->from_promisor, .zero_unpacks_all = true,
		.keep_msg = w->lock_pack ? (w->keep_msg ? w->keep_msg : "") : NULL,
		.progress = w->meter, .data = w->meter_data,
	};
	rc = intake_read_unpack_limit(p->t->r->config, "fetch", &p->policy.unpack_limit, err);
	if (!rc)
		intake_policy_choose_form(&p->policy, p->head.nr_objects);
	return rc;
}

/* ---- the source of the packs ---- */

static int next_pack(void *data, struct err *err)
{
	struct reception *p = data;

	return fetch_next_uri(&p->uris, err);
}

/* Read the server's own pack first, then the packs whose URIs it has sent. */
static int read_source(void *data, void *buf, size_t len, size_t *got, struct err *err)
{
	struct reception *p = data;

	return p->uris.begun ? fetch_read_uri(&p->uris, buf, len, got, err) : session_pack_read(p->t->s, buf, len, got, err);
}

static bool source_is_ready(void *data)
{
	const struct reception *p = data;

	return p->uris.begun || session_pack_ready(p->t->s);
}

/* ---- reading ---- */

/* Up to the end of the band: messages of the server may follow, but no more of a pack. */
static int read_session_pack(struct reception *p, struct err *err)
{
	const struct intake_stream s = {
		.from = { .fd = -1, .read = intake_input_read, .ready = intake_input_ready, .read_data = p->place->input,
			  .head = p->head.bytes, .head_len = p->head.len },
		.end = p->t->s->raw ? INTAKE_END_BUFFERED : INTAKE_END_STREAM,
	};

	return intake_reader_read(&p->rd, &s, err);
}

/* Called by intake_receive. */
static int receive_fetched(void *data, const struct intake_place *place, struct err *err)
{
	struct reception *p = data;
	struct fetch_task *t = p->t;
	int rc;

	p->place = place;
	t->r = place->r;
	rc = intake_reader_begin(&p->rd, &p->policy, place, place->r->algo, err);
	if (!rc)
		rc = intake_input_next(place->input, err);
	if (rc > 0)
		rc = read_session_pack(p, err);
	if (t->w->meter)
		t->w->meter(t->w->meter_data, PACK_RECEIVE_DONE, p->head.nr_objects, p->head.nr_objects, 0);
	if (!rc && t->uris.nr)
		rc = fetch_receive_uris(t, place, err);
	if (!rc && t->uris.nr && t->w->fsck)
		rc = fetch_finish_fsck(t, p->rd.rx, err);
	if (!rc)
		rc = fetch_check_pack(t, p->rd.rx, p->marks, place->foreign, err);
	if (!rc)
		rc = fetch_stage_uris(t, err);
	return rc ? rc : intake_reader_stage(&p->rd, NULL, NULL, err);
}

/* ---- who asks for it ---- */

static char *promisor_text(const struct remote_refs *sought)
{
	struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; sought && i < sought->nr; i++)
		strbuf_addf(&text, "%s%s %s", i ? "\n" : "", oid_hex(&sought->items[i].oid),
			    sought->items[i].name);
	return strbuf_detach(&text, NULL);
}

static int receive_all(struct reception *p, struct repo_operation *op, struct err *err)
{
	struct fetch_task *t = p->t;
	const struct fetch_wanted *w = t->w;
	const struct intake_source source = {
		.next = next_pack, .read = read_source, .ready = source_is_ready, .fd = t->s->bundle ? -1 : t->s->in.fd, .data = p,
	};
	char *promisor = w->from_promisor ? promisor_text(w->sought) : NULL;
	const struct intake in = {
		.receive = receive_fetched, .data = p, .source = &source, .policy = &p->policy, .name = "index-pack",
	};
	int rc;

	p->policy.promisor_msg = promisor;
	rc = intake_receive(t->r, op, &in, &t->result->intake, err);
	free(promisor);
	fetch_uri_source_release(&p->uris);
	t->result->received = p->rd.rx;
	if (rc < 0)
		return rc;
	t->result->objects = p->head.nr_objects;
	t->result->pack = p->rd.rx ? *pack_receive_checksum(p->rd.rx) : t->result->intake.pack;
	fetch_take_marks(t, p->marks);
	return 0;
}

int fetch_receive(struct fetch_task *t, struct repo_operation *op, struct err *err)
{
	struct reception p = { .t = t, .uris = { .task = t }, .nr_marks = fetch_count_marks(t) + 1 };
	int rc = read_head(&p, err);

	if (!rc)
		rc = make_policy(&p, err);
	if (rc < 0)
		return rc;
	p.marks = mmap(NULL, p.nr_marks, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (p.marks == MAP_FAILED)
		return err_set_errno(err, "cannot make shared memory");
	rc = receive_all(&p, op, err);
	munmap(p.marks, p.nr_marks);
	return rc;
}

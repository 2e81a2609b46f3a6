/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * packfile-uris of gitprotocol-v2(5): the server sends URIs of packs instead of their objects. The server's own pack is
 * read first, so that the server does not wait. All packs are checked together and staged together.
 */
#include "compat/posix.h"
#include <fcntl.h>
#include "compat/syscalls.h"
#include "transport/download.h"
#include "transport/fetch/fetch-internal.h"
#include "util/alloc.h"

int fetch_uri_protocols(const struct fetch_task *t, const char **out, struct err *err)
{
	const char *protocols = NULL;
	int rc = config_get_string(t->r->config, "fetch.uriprotocols", &protocols, err);

	if (rc > 0 && *protocols && !strpbrk(protocols, " \n") && !t->w->negotiate_only &&
	    session_capability_has(t->s, "fetch", "packfile-uris"))
		*out = protocols;
	return rc < 0 ? rc : 0;
}

int fetch_take_uri(struct fetch_task *t, const char *line, struct err *err)
{
	const char *protocols = NULL, *uri;
	struct object_id hash;
	int rc = fetch_uri_protocols(t, &protocols, err);

	if (rc < 0)
		return rc;
	if (!protocols)
		return err_set(err, ERR_CORRUPT, "unexpected section 'packfile-uris'");
	if (oid_parse_hex(&hash, line, t->s->algo, &uri) < 0 || *uri != ' ' || !uri[1])
		return err_set(err, ERR_CORRUPT, "expected '<hash> <uri>', got: %s", line);
	if (t->uris.nr >= FETCH_URIS_MAX)
		return err_set(err, ERR_TOO_BIG, "the server names too many packs");
	strvec_push(&t->uris, line);
	return 0;
}

/* Is its scheme in fetch.uriProtocols? */
static int check_scheme(const struct fetch_task *t, const char *uri, struct err *err)
{
	size_t len = strcspn(uri, ":");
	const char *p = NULL;
	int rc = fetch_uri_protocols(t, &p, err);

	for (; !rc && p && *p; p += strcspn(p, ","), p += *p == ',')
		if (strcspn(p, ",") == len && !strncmp(p, uri, len) && !strncmp(uri + len, "://", 3))
			return 0;
	return rc ? rc : err_set(err, ERR_CORRUPT, "the server names a pack at '%s', which was not asked for", uri);
}

/* ---- the files ---- */

int fetch_next_uri(struct fetch_uri_source *s, struct err *err)
{
	struct fetch_task *t = s->task;
	const struct download_options d = {
		.config = t->r->config, .objdir = t->r->objdir, .shared_perm = t->r->settings.shared_perm,
		.verbosity = t->w->quiet ? -1 : 0, .foreign = !t->s->o.url || !uri_is_local(t->s->o.url),
	};
	const char *uri;
	int rc;

	/* The server's own pack. */
	if (!s->nr++)
		return 1;
	fetch_uri_source_release(s);
	s->begun = true;
	if (s->nr - 2 >= t->uris.nr)
		return 0;
	uri = strchr(t->uris.v[s->nr - 2], ' ') + 1;
	rc = check_scheme(t, uri, err);
	if (!rc)
		rc = download_open(&s->fd, uri, &d, err);
	s->open = !rc;
	return rc ? rc : 1;
}

int fetch_read_uri(struct fetch_uri_source *s, void *buf, size_t len, size_t *got, struct err *err)
{
	ssize_t n = RETRY_EINTR(read(s->fd, buf, len));

	if (n < 0)
		return err_set_errno(err, "cannot read a pack");
	*got = (size_t)n;
	return 0;
}

void fetch_uri_source_release(struct fetch_uri_source *s)
{
	if (s->open)
		close(s->fd);
	s->open = false;
}

/* ---- the packs ---- */

static int check_announced_hash(const struct fetch_task *t, const struct pack_receive *rx, const char *line, struct err *err)
{
	struct object_id hash;
	const char *uri;

	if (oid_parse_hex(&hash, line, t->s->algo, &uri) < 0)
		BUG("a line that has been read");
	if (!oid_eq(&hash, pack_receive_checksum(rx)))
		return err_set(err, ERR_CORRUPT, "the pack at%s is %s, not %s as the server has said", uri,
			       oid_hex(pack_receive_checksum(rx)), oid_hex(&hash));
	return 0;
}

/* Read a whole pack. No byte may follow it, and it must have the announced hash. */
static int receive_uri(struct fetch_task *t, const struct intake_place *place, const char *line, struct err *err)
{
	const struct fetch_wanted *w = t->w;
	const struct intake_stream s = {
		.from = { .fd = -1, .read = intake_input_read, .ready = intake_input_ready, .read_data = place->input },
		.end = INTAKE_END_STREAM,
	};
	struct intake_reader *rd = &t->uri_readers[t->result->nr_others];
	int rc = intake_input_next(place->input, err);

	if (rc > 0)
		rc = intake_reader_begin(rd, &t->uri_policy, place, place->r->algo, err);
	else
		return rc;
	if (rc < 0)
		return rc;
	t->result->others[t->result->nr_others++] = rd->rx;
	rc = intake_reader_read(rd, &s, err);
	if (!rc)
		rc = check_announced_hash(t, rd->rx, line, err);
	if (w->meter)
		w->meter(w->meter_data, PACK_RECEIVE_DONE, 0, 0, 0);
	return rc;
}

int fetch_receive_uris(struct fetch_task *t, const struct intake_place *place, struct err *err)
{
	int rc = 0;

	t->uri_policy = (struct intake_policy){
		.fsck = t->w->fsck, .fsck_finish_later = true, .links = INTAKE_LINKS_NOTED,
		.progress = t->w->meter, .data = t->w->meter_data,
	};
	CALLOC_ARRAY(t->result->others, t->uris.nr);
	CALLOC_ARRAY(t->uri_readers, t->uris.nr);
	for (size_t i = 0; !rc && i < t->uris.nr; i++)
		rc = receive_uri(t, place, t->uris.v[i], err);
	return rc;
}

/* ---- .gitmodules and .gitattributes: the tree and the blob may be in two packs ---- */

struct all_packs {
	struct fetch_task *t;
	struct pack_receive *own;
};

static int read_from_packs(void *data, const struct object_id *oid, struct object_buf *out, struct err *err)
{
	const struct all_packs *a = data;
	const struct fetch_result *result = a->t->result;
	const struct object_source *src = odb_source_unreplaced(a->t->r->odb);

	if (pack_receive_has(a->own, oid))
		return pack_receive_object(a->own, oid, out, err);
	for (size_t i = 0; i < result->nr_others; i++)
		if (pack_receive_has(result->others[i], oid))
			return pack_receive_object(result->others[i], oid, out, err);
	return src->read(src->data, oid, out, err);
}

int fetch_finish_fsck(struct fetch_task *t, struct pack_receive *own, struct err *err)
{
	struct all_packs all = { t, own };
	const struct object_source src = { .read = read_from_packs, .data = &all, .algo = t->r->algo };

	return fsck_finish(t->w->fsck, &src) ? err_set(err, ERR_CORRUPT, "fsck error in pack objects") : 0;
}

int fetch_stage_uris(struct fetch_task *t, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < t->result->nr_others; i++)
		rc = intake_reader_stage(&t->uri_readers[i], NULL, NULL, err);
	return rc;
}

bool fetch_uris_have(const struct fetch_result *result, const struct object_id *oid)
{
	for (size_t i = 0; i < result->nr_others; i++)
		if (pack_receive_has(result->others[i], oid))
			return true;
	return false;
}

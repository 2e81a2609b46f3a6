/* SPDX-License-Identifier: GPL-2.0-only */
/* What a client asks for, in either version of the protocol. */
#include "compat/posix.h"
#include "upload/upload.h"
#include "util/alloc.h"

void fetch_request_init(struct fetch_request *q)
{
	memset(q, 0, sizeof(*q));
}

void fetch_request_release(struct fetch_request *q)
{
	oid_array_clear(&q->wants);
	oidset_clear(&q->want_set);
	oid_array_clear(&q->haves);
	oidset_clear(&q->have_set);
	string_list_clear(&q->want_refs, free);
	strset_clear(&q->want_ref_names);
	upload_ready_free(q->ready);
	packfile_uris_free(q->uris);
	oid_array_clear(&q->shallow);
	oidset_clear(&q->shallow_set);
	oid_array_clear(&q->deepen_not);
	oidset_clear(&q->deepen_not_set);
	filter_spec_release(&q->filter);
	oid_array_clear(&q->unshallowed);
	oid_array_clear(&q->cut);
}

void fetch_request_add_want(struct fetch_request *q, const struct object_id *oid)
{
	if (oidset_insert(&q->want_set, oid))
		oid_array_append(&q->wants, oid);
}

int upload_parse_oid(const struct upload_server *s, const char *line, const char *hex,
		     struct object_id *out, struct err *err)
{
	const char *end;

	if (oid_parse_hex(out, hex, s->repo->algo, &end) < 0)
		return err_set(err, ERR_INVALID, "protocol error, expected to get object ID, "
			       "not '%s'", line);
	return 0;
}

/* ---- lines about depth ---- */

static int take_boundary(struct upload_server *s, struct fetch_request *q, const char *line,
			 const char *hex, struct err *err)
{
	struct object_id oid;
	enum object_type type;
	uint64_t size;
	int rc = upload_parse_oid(s, line, hex, &oid, err);

	if (rc < 0)
		return rc;
	/* What we do not have is no boundary of anything that we send. */
	if (odb_type(s->repo->odb, &oid, &type, &size, NULL) < 0)
		return 0;
	if (type != OBJ_COMMIT)
		return err_set(err, ERR_INVALID, "invalid shallow object %s", hex);
	if (oidset_insert(&q->shallow_set, &oid))
		oid_array_append(&q->shallow, &oid);
	return 0;
}

static int take_depth(struct fetch_request *q, const char *line, const char *text,
		      struct err *err)
{
	char *end;
	long depth;

	errno = 0;
	depth = strtol(text, &end, 0);
	if (errno || end == text || *end || depth <= 0 || depth > UPLOAD_DEPTH_INFINITE)
		return err_set(err, ERR_INVALID, "invalid deepen: %s", line);
	q->depth = (int)depth;
	return 0;
}

static int take_since(struct fetch_request *q, const char *line, const char *text,
		      struct err *err)
{
	unsigned long long t;
	char *end;

	errno = 0;
	t = strtoull(text, &end, 0);
	if (errno || end == text || *end || strchr(text, '-') || t > TIME_MAX)
		return err_set(err, ERR_INVALID, "invalid deepen-since: %s", line);
	q->deepen_since = t;
	q->has_deepen_since = true;
	return 0;
}

static int take_not(struct upload_server *s, struct fetch_request *q, const char *line,
		    const char *name, struct err *err)
{
	struct object_id oid;
	char *full = NULL, *shown = xconcat(s->prefix, name);
	const char *seen = NULL;
	int nr = *s->prefix ? !ref_resolve(s->repo->refs, shown, &oid, NULL, NULL, NULL)
			    : ref_dwim(s->repo->refs, name, strlen(name), &full, &oid);

	if (nr > 0 && (!full || skip_prefix(full, s->prefix, &seen)) &&
	    !ref_is_hidden(&s->hidden, full ? seen : name, full ? full : shown)) {
		if (oidset_insert(&q->deepen_not_set, &oid))
			oid_array_append(&q->deepen_not, &oid);
	} else {
		nr = 0;
	}
	free(full);
	free(shown);
	if (nr == 1)
		return 0;
	return err_set(err, ERR_INVALID, nr ? "ambiguous deepen-not: %s"
					    : "deepen-not is not a ref: %s", line);
}

int fetch_request_take_shallow(struct upload_server *s, struct fetch_request *q,
			       const char *line, struct err *err)
{
	const char *rest;
	int rc;

	if (skip_prefix(line, "shallow ", &rest))
		rc = take_boundary(s, q, line, rest, err);
	else if (skip_prefix(line, "deepen ", &rest))
		rc = take_depth(q, line, rest, err);
	else if (skip_prefix(line, "deepen-since ", &rest))
		rc = take_since(q, line, rest, err);
	else if (skip_prefix(line, "deepen-not ", &rest))
		rc = take_not(s, q, line, rest, err);
	else
		return 0;
	return rc < 0 ? rc : 1;
}

int fetch_request_take_filter(struct upload_server *s, struct fetch_request *q, const char *text,
			      struct err *err)
{
	int rc;

	if (q->filter.nr)
		return err_set(err, ERR_INVALID, "multiple filter-specs cannot be combined");
	rc = filter_spec_parse(&q->filter, text, err);
	return rc < 0 ? rc : upload_refuse(s, upload_filter_check(s->repo->config, &q->filter, err));
}

bool fetch_deepens(const struct fetch_request *q)
{
	return q->depth || q->has_deepen_since || q->deepen_not.nr;
}

/* ---- what both have ---- */

int upload_note_have(struct upload_server *s, struct fetch_request *q,
		     const struct object_id *oid, bool *common, struct err *err UNUSED)
{
	q->nr_have_lines++;
	*common = oidset_contains(&q->have_set, oid) || odb_has_quick(s->repo->odb, oid);
	if (*common && oidset_insert(&q->have_set, oid))
		oid_array_append(&q->haves, oid);
	return 0;
}

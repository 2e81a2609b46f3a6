/* SPDX-License-Identifier: GPL-2.0-only */
/* The remote helper for servers that know only files: "list", and "fetch", which walks (transport/http/http-walk.h). */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "builtin/remote-http/remote-http.h"
#include "util/alloc.h"

int remote_http_discover(struct http_helper *h, const char *service, const char *protocol, struct strbuf *out,
			 struct err *err)
{
	int rc = h->client && h->known ? 0 : remote_http_open(h, h->url, err);

	if (rc || h->known)
		return rc;
	rc = http_smart_discover(h->client, service, protocol, out, &h->dumb, err);
	h->known = !rc;
	if (!rc && h->dumb)
		strbuf_swap(&h->info_refs, out);
	return rc;
}

/* ---- list ---- */

void remote_http_add_ref(struct strbuf *out, const struct remote_ref *ref)
{
	if (ref->symref_target)
		strbuf_addf(out, "@%s %s\n", ref->symref_target, ref->name);
	else
		strbuf_addf(out, "%s %s\n", oid_hex(&ref->oid), ref->name);
}

int remote_http_list_dumb(struct http_helper *h, struct err *err)
{
	struct remote_refs refs = REMOTE_REFS_INIT;
	const struct hash_algo *algo = h->r ? h->r->algo : hash_sha1;
	struct strbuf out = STRBUF_INIT;
	int rc = http_walk_refs(h->client, &h->info_refs, &refs, &algo, err);

	if (!rc && h->object_format)
		strbuf_addf(&out, ":object-format %s\n", algo->name);
	for (size_t i = 0; !rc && i < refs.nr; i++)
		remote_http_add_ref(&out, &refs.items[i]);
	strbuf_addch(&out, '\n');
	if (!rc)
		rc = remote_http_answer(out.buf, err);
	strbuf_release(&out);
	remote_refs_release(&refs);
	return rc;
}

/* ---- fetch ---- */

static int check_options(const struct http_helper *h, struct err *err)
{
	for (size_t i = 0; i < h->fetch_options.nr; i++) {
		const char *o = h->fetch_options.v[i];

		if (starts_with(o, "--depth") || starts_with(o, "--shallow") || starts_with(o, "--deepen"))
			return err_set(err, ERR_UNSUPPORTED, "dumb http transport does not support shallow capabilities");
		if (starts_with(o, "--filter"))
			warning("filtering not recognized by server, ignoring");
	}
	return 0;
}

int remote_http_walk(struct http_helper *h, const struct oid_array *wants, bool thorough, struct repo_operation *op,
		     struct err *err)
{
	unsigned long max_idx = 0;

	if (config_get_ulong(h->r->config, "http.maxindexsize", &max_idx, err) < 0)
		return ERR_INVALID;
	h->walk_options = (struct http_walk_options){
		.max_idx_bytes = max_idx, .r = h->r, .client = h->client, .open = remote_http_open_other, .warn = warning_callback,
		.say = h->verbosity > 0 ? remote_http_say : NULL, .data = h, .thorough = thorough,
	};
	h->walk = http_walk_new(op, &h->walk_options);
	return http_walk_run(h->walk, wants, err);
}

/*
 * A parent of our own checks and seals the new objects, together with its refs (transport/fetch/fetch-helper-objects.c).
 * Another parent may do neither.
 */
static int end(struct http_helper *h, struct repo_operation *op, int rc, struct err *err)
{
	return h->any_version ? repo_operation_end_unsealed(op, rc, err) : repo_operation_end(op, rc, err);
}

static void end_walk(struct http_helper *h)
{
	http_walk_free(h->walk);
	h->walk = NULL;
}

int remote_http_fetch_dumb(struct http_helper *h, const struct oid_array *wants, struct err *err)
{
	struct repo_operation *op;
	int rc = check_options(h, err);

	if (!rc && !h->r)
		rc = err_set(err, ERR_INVALID, "fetch attempted without a local repo");
	if (rc < 0)
		return rc;
	op = repo_operation_begin(h->r);
	rc = repo_operation_open_objects(op, err);
	if (!rc)
		rc = remote_http_walk(h, wants, false, op, err);
	rc = end(h, op, rc, err);
	end_walk(h);
	return rc ? rc : remote_http_answer("\n", err);
}

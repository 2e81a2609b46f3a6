/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Uses a remote helper: for a connection to a service (stateless-connect, connect) or, if it makes none, for its list of
 * refs and its own fetch (fetch-helper.c); and for single files.
 */
#include "compat/posix.h"
#include "transport/helper-internal.h"
#include "util/alloc.h"

static int set_connect_options(struct helper *h, const struct connect_options *o, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int rc = 0;

	if (!h->option)
		return 0;
	strbuf_addf(&text, "verbosity %d", o->verbosity + 1 > 0 ? o->verbosity + 1 : 0);
	rc = helper_set_option(h, text.buf, err);
	for (size_t i = 0; rc >= 0 && o->helper_options && i < o->helper_options->nr; i++)
		rc = helper_set_option(h, o->helper_options->v[i], err);
	if (rc >= 0 && (o->ipv4 || o->ipv6))
		rc = helper_set_option(h, o->ipv4 ? "family ipv4" : "family ipv6", err);
	/* Ours alone: without it a helper connects to servers of version 2 only. */
	if (rc >= 0 && h->stateless)
		rc = helper_set_option(h, "stateless-rpc-any true", err);
	if (rc > 0 && h->stateless)
		h->c->request_end = true;
	strbuf_release(&text);
	return rc < 0 ? rc : 0;
}

/* 1: connected; 0: "fallback", < 0. */
static int try_connect(struct helper *h, const char *command, const char *service, struct err *err)
{
	struct strbuf line = STRBUF_INIT;
	char *text = xstrfmt("%s %s", command, service);
	int rc = helper_say(h, text, err);

	if (!rc)
		rc = helper_read_line(h, &line, err);
	if (!rc && !line.len)
		rc = 1;
	else if (!rc && strcmp(line.buf, "fallback") != 0)
		rc = err_set(err, ERR_CORRUPT, "unknown response to connect: %s", line.buf);
	free(text);
	strbuf_release(&line);
	return rc;
}

/* The helper makes no connection, but fetches or pushes by itself. It always lists its refs; only these may be wanted. */
static int list_by_helper(struct helper *h, const char *service, struct err *err)
{
	h->for_push = !strcmp(service, "git-receive-pack");
	if (h->for_push && !h->push)
		return err_set(err, ERR_UNSUPPORTED, h->export ? "remote helper '%s' can only export (a stream of git fast-export), "
			       "which is not available yet" : "operation not supported by protocol '%s'", h->name);
	if (!h->for_push && strcmp(service, "git-upload-pack") != 0)
		return err_set(err, ERR_UNSUPPORTED, "can't connect to subservice %s", service);
	h->c->kind = CONNECTION_HELPER;
	return 0;
}

static int use_helper(struct helper *h, const char *service, const struct connect_options *o,
		      struct err *err)
{
	int rc = helper_ask_capabilities(h, err);

	if (!rc)
		rc = set_connect_options(h, o, err);
	if (!rc && h->connect)
		rc = try_connect(h, "connect", service, err);
	/* A stateless connection is one of version 2. */
	if (!rc && h->stateless) {
		rc = try_connect(h, "stateless-connect", service, err);
		if (rc > 0)
			h->c->kind = CONNECTION_STATELESS;
	}
	if (!rc)
		rc = list_by_helper(h, service, err);
	return rc < 0 ? rc : 0;
}

int connect_helper(struct connection *c, const struct remote_url *u, const char *service,
		   const struct connect_options *o, struct err *err)
{
	int rc = helper_start(c, u->scheme, o->remote_name ? o->remote_name : u->address, u->address, o->gitdir, o->version,
			      err);

	if (!rc)
		rc = use_helper(helper_of(c), service, o, err);
	if (rc < 0)
		helper_explain(helper_of(c), err);
	return rc;
}

/* ---- single files ---- */

static int get_file(struct helper *h, const char *uri, const char *path, int verbosity, struct err *err)
{
	const struct connect_options o = { .verbosity = verbosity };
	struct strbuf line = STRBUF_INIT;
	char *text = xstrfmt("get %s %s", uri, path);
	int rc = helper_ask_capabilities(h, err);

	if (!rc && !h->get)
		rc = err_set(err, ERR_UNSUPPORTED, "insufficient capabilities: remote helper '%s' cannot get files", h->name);
	if (!rc)
		rc = set_connect_options(h, &o, err);
	if (!rc)
		rc = helper_say(h, text, err);
	if (!rc)
		rc = helper_read_line(h, &line, err);
	if (!rc && line.len)
		rc = err_set(err, ERR_CORRUPT, "unknown response to get: %s", line.buf);
	if (!rc)
		rc = helper_say(h, "", err); /* that was the last command */
	free(text);
	strbuf_release(&line);
	return rc;
}

int connect_download(const char *scheme, const char *uri, const char *path, int verbosity, struct err *err)
{
	struct connection *c = connection_new();
	int rc = helper_start(c, scheme, uri, uri, NULL, 0, err);

	if (!rc)
		rc = get_file(helper_of(c), uri, path, verbosity, err);
	if (!rc)
		return connection_finish(c, err);
	connection_abort(c);
	return rc;
}

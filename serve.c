/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "serve.h"
#include "upload/upload.h"
#include "util/trace2.h"
#include "wire/version.h"

/* ---- capabilities and commands ---- */

struct capability {
	const char *name;
	/* Is it offered? Appends its value, if it has one. */
	bool (*offered)(struct upload_server *s, struct strbuf *value);
	/* A client sends it with a request. NULL: it may not. value: behind the '=', or NULL. */
	int (*take)(struct upload_server *s, const char *value, struct err *err);
	/* A command. NULL: it is none. */
	int (*run)(struct upload_server *s, struct err *err);
};

static bool always(struct upload_server *s UNUSED, struct strbuf *value UNUSED)
{
	return true;
}

static bool offer_agent(struct upload_server *s UNUSED, struct strbuf *value)
{
	append_agent(value);
	return true;
}

static bool offer_ls_refs(struct upload_server *s, struct strbuf *value)
{
	if (s->config.unborn_advertised)
		strbuf_addstr(value, "unborn");
	return true;
}

static bool offer_fetch(struct upload_server *s, struct strbuf *value)
{
	strbuf_addstr(value, "shallow wait-for-done");
	if (s->config.allow_filter)
		strbuf_addstr(value, " filter");
	if (s->config.allow_ref_in_want)
		strbuf_addstr(value, " ref-in-want");
	if (s->config.allow_sideband_all)
		strbuf_addstr(value, " sideband-all");
	if (packfile_uris_exist(s->repo->config))
		strbuf_addstr(value, " packfile-uris");
	return true;
}

static bool offer_object_format(struct upload_server *s, struct strbuf *value)
{
	strbuf_addstr(value, s->repo->algo->name);
	return true;
}

static bool offer_object_info(struct upload_server *s, struct strbuf *value UNUSED)
{
	return s->config.advertise_object_info;
}

static bool offer_session_id(struct upload_server *s, struct strbuf *value)
{
	if (s->config.advertise_sid)
		strbuf_addstr(value, trace2_session_id());
	return s->config.advertise_sid;
}

static bool offer_bundle_uri(struct upload_server *s, struct strbuf *value UNUSED)
{
	return s->config.advertise_bundle_uris;
}

/* Anything; it is for the trace only. */
static int take_note(struct upload_server *s UNUSED, const char *value UNUSED,
		     struct err *err UNUSED)
{
	return 0;
}

/* Which of them the client accepts. It gets all objects all the same. */
static int take_promisors(struct upload_server *s UNUSED, const char *value, struct err *err UNUSED)
{
	if (value)
		trace2_data_string("transfer", "promisor-remotes", value);
	return 0;
}

static int take_session_id(struct upload_server *s UNUSED, const char *value,
			   struct err *err UNUSED)
{
	if (value)
		trace2_data_string("transfer", "client-sid", value);
	return 0;
}

static int take_object_format(struct upload_server *s, const char *value, struct err *err)
{
	if (!value || !*value)
		return err_set(err, ERR_INVALID, "object-format capability requires an argument");
	if (!hash_algo_by_name(value))
		return err_set(err, ERR_INVALID, "unknown object format '%s'", value);
	return strcmp(value, s->repo->algo->name)
		? err_set(err, ERR_INVALID, "mismatched object format: server %s; client %s",
			  s->repo->algo->name, value) : 0;
}

/* In the order in which they are advertised. */
static const struct capability capabilities[] = {
	{ "agent", offer_agent, take_note, NULL },
	{ "ls-refs", offer_ls_refs, NULL, upload_ls_refs_v2 },
	{ "fetch", offer_fetch, NULL, upload_fetch_v2 },
	{ "server-option", always, take_note, NULL },
	{ "object-format", offer_object_format, take_object_format, NULL },
	{ "session-id", offer_session_id, take_session_id, NULL },
	{ "object-info", offer_object_info, NULL, upload_object_info_v2 },
	{ "bundle-uri", offer_bundle_uri, NULL, upload_bundle_uri_v2 },
	{ "promisor-remote", upload_offer_promisors, take_promisors, NULL },
};

static void advertise(struct upload_server *s)
{
	pkt_writer_addf(&s->out, "version 2\n");
	for (size_t i = 0; i < ARRAY_SIZE(capabilities); i++) {
		const struct capability *c = &capabilities[i];
		struct strbuf value = STRBUF_INIT;

		if (c->offered(s, &value))
			pkt_writer_addf(&s->out, "%s%s%s\n", c->name, value.len ? "=" : "",
					value.buf);
		strbuf_release(&value);
	}
	pkt_writer_flush(&s->out);
}

/* ---- requests ---- */

struct request {
	const struct capability *command;
	bool has_object_format;
};

/* The capability of that name, if it is offered; *value is behind the '=', or NULL. */
static const struct capability *find_offered(struct upload_server *s, const char *line,
					     const char **value)
{
	for (size_t i = 0; i < ARRAY_SIZE(capabilities); i++) {
		const struct capability *c = &capabilities[i];
		struct strbuf offered = STRBUF_INIT;
		const char *rest;
		bool found = skip_prefix(line, c->name, &rest) && (!*rest || *rest == '=') &&
			c->offered(s, &offered);

		strbuf_release(&offered);
		if (found) {
			*value = *rest ? rest + 1 : NULL;
			return c;
		}
	}
	return NULL;
}

static int take_command(struct upload_server *s, struct request *q, const char *name,
			struct err *err)
{
	const char *value;
	const struct capability *c = find_offered(s, name, &value);

	if (q->command)
		return err_set(err, ERR_INVALID, "command '%s' requested after already requesting "
			       "command '%s'", name, q->command->name);
	if (!c || !c->run || value)
		return err_set(err, ERR_INVALID, "invalid command '%s'", name);
	q->command = c;
	return 0;
}

/* "command=NAME", or a capability. */
static int take_line(struct upload_server *s, struct request *q, const char *line, struct err *err)
{
	const struct capability *c;
	const char *value;

	if (skip_prefix(line, "command=", &value))
		return take_command(s, q, value, err);
	c = find_offered(s, line, &value);
	if (!c || !c->take)
		return err_set(err, ERR_INVALID, "unknown capability '%s'", line);
	q->has_object_format |= !strcmp(c->name, "object-format");
	return c->take(s, value, err);
}

/*
 * The command and capabilities of a request, up to its arguments. Returns 1: there is one, *kind says
 * how it ended; 0: the client has no more, < 0.
 */
static int read_request(struct upload_server *s, struct request *q, int *kind, struct err *err)
{
	bool any = false;
	int rc = 0;

	s->in.on_eof = PKT_EOF_ANYWHERE;
	while (!rc && (*kind = pkt_reader_line(&s->in, err)) == PKT_DATA) {
		s->in.on_eof = PKT_EOF_REFUSED;
		any = true;
		rc = take_line(s, q, s->in.line, err);
	}
	s->in.on_eof = PKT_EOF_REFUSED;
	if (rc < 0 || *kind < 0)
		return rc < 0 ? rc : *kind;
	if (!any && (*kind == PKT_EOF || *kind == PKT_FLUSH))
		return 0;
	if (*kind == PKT_RESPONSE_END)
		return err_set(err, ERR_INVALID, "unexpected end of a request");
	if (!q->command)
		return err_set(err, ERR_INVALID, "no command requested");
	if (!q->has_object_format && s->repo->algo != hash_sha1)
		return err_set(err, ERR_INVALID, "mismatched object format: server %s; client sha1",
			       s->repo->algo->name);
	return 1;
}

/* A request without arguments ends before them; its command finds none then. */
static int run_command_of(struct upload_server *s, const struct request *q, int kind,
			  struct err *err)
{
	int rc;

	s->in_arguments = kind == PKT_DELIM;
	rc = q->command->run(s, err);
	return rc < 0 ? rc : pkt_writer_send(&s->out, err);
}

static int serve_one(struct upload_server *s, struct err *err)
{
	struct request q = { NULL, false };
	int kind, rc = read_request(s, &q, &kind, err);

	if (rc > 0 && (rc = run_command_of(s, &q, kind, err)) >= 0)
		return 1;
	return rc;
}

int serve_v2(struct upload_server *s, struct err *err)
{
	int rc = 0;

	if (s->o.advertise_only || !s->o.stateless_rpc) {
		advertise(s);
		rc = pkt_writer_send(&s->out, err);
	}
	if (rc < 0 || s->o.advertise_only)
		return rc;
	do
		rc = serve_one(s, err);
	while (rc > 0 && !s->o.stateless_rpc);
	return rc < 0 ? rc : 0;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the client wants: gitprotocol-pack(5), "Reference Update Request and Packfile Transfer".
 *
 *   [shallow OID]*  then commands, the first with capabilities, or a certificate that has them; flush
 *   [push option]*  flush, if the client has said so
 *   the pack, if anything is not deleted: receive/quarantine.h
 */
#include "compat/posix.h"
#include "receive/receive.h"
#include "sign/sign.h"
#include "util/alloc.h"
#include "util/trace2.h"

#define OPTIONS_MAX 100000u
/* Limit of push options: hooks get them in the environment, whose size the kernel limits. */
#define OPTION_BYTES_MAX ((size_t)4 * 1024 * 1024)
/*
 * Limit of the bytes of names, which are stored several times: in commands, in the transaction, in
 * the report.
 */
#define NAME_BYTES_MAX ((size_t)128 * 1024 * 1024)
/* No file system has room for a longer path, and the lock of a ref is a file. */
#define NAME_MAX_BYTES 4096
#define SHALLOW_MAX 4000000u
#define CERT_BYTES_MAX ((size_t)64 * 1024 * 1024)

/* ---- capabilities ---- */

static int take_format(const struct receive_server *s, const char *name, struct err *err)
{
	return strcmp(name, s->repo->algo->name) ?
		       err_set(err, ERR_INVALID, "unknown object format '%.100s' specified", name) : 0;
}

static int take_capability(struct receive_server *s, const char *word, struct err *err)
{
	struct push_request *rq = &s->rq;
	const char *value;

	if (!strcmp(word, "report-status"))
		rq->report_status = true;
	else if (!strcmp(word, "report-status-v2"))
		rq->report_status_v2 = true;
	else if (!strcmp(word, "side-band-64k"))
		rq->mode = SIDEBAND_LARGE;
	else if (!strcmp(word, "quiet"))
		rq->quiet = true;
	else if (!strcmp(word, "atomic"))
		rq->atomic = s->config.advertise_atomic;
	else if (!strcmp(word, "push-options"))
		rq->has_push_options = s->config.advertise_push_options;
	else if (skip_prefix(word, "object-format=", &value))
		return take_format(s, value, err);
	else if (skip_prefix(word, "session-id=", &value))
		trace2_data_string("transfer", "client-sid", value);
	return 0;
}

/* Ignores unknown capabilities: later versions may send them. */
static int take_capabilities(struct receive_server *s, const char *text, struct err *err)
{
	struct string_list words = STRING_LIST_INIT;
	int rc = 0;

	string_list_split(&words, text, " ");
	for (size_t i = 0; i < words.nr && !rc; i++)
		rc = take_capability(s, words.items[i].string, err);
	string_list_clear(&words, NULL);
	return rc;
}

/* ---- commands ---- */

static int bad_line(const char *line, struct err *err)
{
	return err_set(err, ERR_CORRUPT, "protocol error: expected old/new/ref, got '%.1000s'", line);
}

static int take_command(struct receive_server *s, const char *line, size_t len, struct err *err)
{
	struct push_request *rq = &s->rq;
	struct push_command *c;
	struct object_id old_oid, new_oid;
	const char *at;

	if (memchr(line, '\0', len) || oid_parse_hex(&old_oid, line, s->repo->algo, &at) < 0 || *at != ' ' ||
	    oid_parse_hex(&new_oid, at + 1, s->repo->algo, &at) < 0 || *at != ' ' || !at[1])
		return bad_line(line, err);
	if (rq->nr >= RECEIVE_COMMANDS_MAX)
		return err_set(err, ERR_TOO_BIG, "too many refs in one push");
	if (strlen(at + 1) > NAME_BYTES_MAX - rq->name_bytes)
		return err_set(err, ERR_TOO_BIG, "too many bytes of ref names in one push");
	rq->name_bytes += strlen(at + 1);
	ALLOC_GROW(rq->commands, rq->nr + 1, rq->alloc);
	c = &rq->commands[rq->nr++];
	*c = (struct push_command){ .name = xstrdup(at + 1), .old_oid = old_oid, .new_oid = new_oid };
	c->full_name = *s->prefix ? xconcat(s->prefix, c->name) : c->name;
	if (strlen(c->name) > NAME_MAX_BYTES)
		push_command_refuse(c, "refname is too long");
	return 0;
}

static int take_shallow_line(struct receive_server *s, const char *hex, struct err *err)
{
	struct object_id oid;
	const char *end;

	if (oid_parse_hex(&oid, hex, s->repo->algo, &end) < 0 || *end)
		return err_set(err, ERR_CORRUPT, "protocol error: expected shallow sha, got '%.100s'", hex);
	if (s->rq.shallow.nr >= SHALLOW_MAX)
		return err_set(err, ERR_TOO_BIG, "too many shallow lines in one push");
	oid_array_append(&s->rq.shallow, &oid);
	return 0;
}

/* ---- certificates: gitprotocol-pack(5), "Push Certificate" ---- */

/* The signed commands count, not the unsigned ones. */
static int take_signed_commands(struct receive_server *s, struct err *err)
{
	const char *text = strstr(s->rq.cert.buf, "\n\n"), *limit = s->rq.cert.buf + signature_find(s->rq.cert.buf, s->rq.cert.len);
	int rc = 0;

	if (!text || text >= limit)
		return err_set(err, ERR_CORRUPT, "malformed push certificate");
	for (text += 2; text < limit && !rc; text = strchrnul(text, '\n') + 1) {
		char *line = xstrndup(text, strcspn(text, "\n"));

		rc = take_command(s, line, strlen(line), err);
		free(line);
	}
	return rc;
}

static int take_cert(struct receive_server *s, struct err *err)
{
	struct strbuf *cert = &s->rq.cert;

	for (;;) {
		int kind = pkt_reader_next(&s->in, err);

		if (kind < 0)
			return kind;
		if (kind != PKT_DATA || memchr(s->in.line, '\0', s->in.len))
			return err_set(err, ERR_CORRUPT, "protocol error: push certificate without an end");
		if (!strcmp(s->in.line, "push-cert-end\n"))
			break;
		if (cert->len + s->in.len > CERT_BYTES_MAX)
			return err_set(err, ERR_TOO_BIG, "push certificate is too large");
		strbuf_add(cert, s->in.line, s->in.len);
	}
	return take_signed_commands(s, err);
}

/* ---- lines ---- */

static int take_request_line(struct receive_server *s, char *line, size_t len, struct err *err)
{
	const char *rest;
	size_t text_len = strlen(line);
	int rc = 0;

	if (!s->rq.nr && skip_prefix(line, "shallow ", &rest))
		return take_shallow_line(s, rest, err);
	if (text_len < len)
		rc = take_capabilities(s, line + text_len + 1, err);
	if (rc)
		return rc;
	if (!strcmp(line, "push-cert") && !s->rq.nr && s->config.cert_nonce_seed)
		return take_cert(s, err);
	return s->rq.cert.len ? err_set(err, ERR_CORRUPT, "protocol error: got both push certificate and unsigned commands") :
	       take_command(s, line, text_len, err);
}

static int read_commands(struct receive_server *s, struct err *err)
{
	for (;;) {
		int kind = pkt_reader_line(&s->in, err);

		if (kind < 0)
			return kind;
		if (kind == PKT_FLUSH)
			return 0;
		if (kind != PKT_DATA)
			return err_set(err, ERR_CORRUPT, "protocol error: a packet of version 2");
		kind = take_request_line(s, s->in.line, s->in.len, err);
		if (kind < 0)
			return kind;
	}
}

static int read_push_options(struct receive_server *s, struct err *err)
{
	size_t bytes = 0;

	for (;;) {
		int kind = pkt_reader_line(&s->in, err);

		if (kind < 0)
			return kind;
		if (kind == PKT_FLUSH)
			return 0;
		if (kind != PKT_DATA || memchr(s->in.line, '\0', s->in.len))
			return err_set(err, ERR_CORRUPT, "protocol error: bad push option");
		bytes += s->in.len;
		if (s->rq.push_options.nr >= OPTIONS_MAX || bytes > OPTION_BYTES_MAX)
			return err_set(err, ERR_TOO_BIG, "too many push options");
		strvec_push(&s->rq.push_options, s->in.line);
	}
}

/* Sets the environment of hooks: githooks(5). */
static void export_push_options(struct receive_server *s)
{
	const struct strvec *options = &s->rq.push_options;

	for (size_t i = 0; i < options->nr; i++)
		strvec_pushf(&s->hook_env, "GIT_PUSH_OPTION_%zu=%s", i, options->v[i]);
	strvec_pushf(&s->hook_env, "GIT_PUSH_OPTION_COUNT=%zu", options->nr);
}

int receive_read_request(struct receive_server *s, struct err *err)
{
	int rc = read_commands(s, err);

	if (rc || !s->rq.nr)
		return rc;
	if (s->rq.has_push_options)
		rc = read_push_options(s, err);
	export_push_options(s);
	return rc < 0 ? rc : 1;
}

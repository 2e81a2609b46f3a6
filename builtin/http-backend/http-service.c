/* SPDX-License-Identifier: GPL-2.0-only */
/* Services over HTTP: the smart protocol of gitprotocol-http(5). */
#include "compat/posix.h"
#include "builtin/http-backend/http-backend.h"
#include "builtin/server/service.h"
#include "cli/git-options.h"
#include "util/alloc.h"
#include "util/run-command.h"
#include "wire/pkt-line.h"

#define MAX_REQUEST_BUFFER ((size_t)10 * 1024 * 1024)

struct service {
	const char *name; /* without "git-" */
	const char *key;  /* of the configuration */
	enum {
		FOR_ALL,
		FOR_USERS, /* whom the web server knows */
		FOR_NONE,
	} by_default;
	bool advertises;
	/*
	 * It answers while it reads. A web server may wait with reading our answer until it has passed
	 * on the whole request, so all of that is read before the service starts.
	 */
	bool read_all;
};
static const struct service services[] = {
	{ "upload-pack", "http.uploadpack", FOR_ALL, true, true },
	{ "receive-pack", "http.receivepack", FOR_USERS, true, false },
	{ "upload-archive", "http.uploadarchive", FOR_NONE, false, false },
};

static const char *user_name(void)
{
	const char *user = getenv("REMOTE_USER");

	return user && *user ? user : NULL;
}

/* NULL: it has been refused. */
static const struct service *find_service(struct http_request *rq, const char *asked, int *code)
{
	const struct service *s = NULL;
	struct err err = ERR_INIT;
	const char *name;
	bool enabled;

	if (skip_prefix(asked, "git-", &name))
		for (size_t i = 0; !s && i < ARRAY_SIZE(services); i++)
			if (!strcmp(name, services[i].name))
				s = &services[i];
	if (!s) {
		*code = http_refuse(&rq->reply, "403 Forbidden", "Unsupported service: '%s'", asked);
		return NULL;
	}
	enabled = s->by_default == FOR_ALL || (s->by_default == FOR_USERS && user_name());
	if (config_get_bool(rq->repo->config, s->key, &enabled, &err) < 0) {
		*code = http_fail(&rq->reply, &err);
		return NULL;
	}
	if (enabled)
		return s;
	*code = http_refuse(&rq->reply, "403 Forbidden", "Service not enabled: '%s'", s->name);
	return NULL;
}

/* ---- the child ---- */

/* Reflogs and the like name the user whom the web server knows. */
static void add_identity(struct strvec *env)
{
	const char *user = user_name(), *host = getenv("REMOTE_ADDR");

	if (!user)
		user = "anonymous";
	if (!host || !*host)
		host = "(none)";
	if (!getenv("GIT_COMMITTER_NAME"))
		strvec_pushf(env, "GIT_COMMITTER_NAME=%s", user);
	if (!getenv("GIT_COMMITTER_EMAIL"))
		strvec_pushf(env, "GIT_COMMITTER_EMAIL=%s@http.%s", user, host);
}

/* It answers on our standard output. body: its input; NULL: none. */
static int run(struct http_request *rq, const struct service *s, const char *option,
	       struct http_body *body)
{
	struct child_process cp = CHILD_PROCESS_INIT;
	struct err err = ERR_INIT;
	int rc, code;

	push_own_command(&cp.args, s->name);
	if (option)
		strvec_push(&cp.args, option);
	strvec_push(&cp.args, ".");
	add_identity(&cp.env);
	strvec_push(&cp.env, "GIT_DIR"); /* that is where it starts */
	cp.dir = rq->repo->gitdir_abs;
	cp.no_stdin = !body;
	cp.in = body ? -1 : 0;
	rc = start_command(&cp, &err);
	if (!rc && body) {
		rc = http_body_copy(body, cp.in, &err);
		close(cp.in);
		if (rc && err.sys_errno == EPIPE) { /* it has read enough: its exit code counts */
			rc = 0;
			err_release(&err);
		}
	}
	code = finish_command(&cp);
	child_process_release(&cp);
	if (rc)
		report_fatal(&err); /* the head has gone, so there is no other way to tell */
	err_release(&err);
	return rc || code ? 1 : 0;
}

/* ---- GET info/refs?service= ---- */

/* There is no push in version 2: a client that asks for it gets version 0. */
static bool is_version_2(const struct service *s)
{
	const char *p = getenv("GIT_PROTOCOL");

	if (strcmp(s->name, "upload-pack"))
		return false;
	for (; p && *p; p += strcspn(p, ":"), p += *p == ':')
		if (starts_with(p, "version=2") && (!p[9] || p[9] == ':'))
			return true;
	return false;
}

static bool send_service_line(const struct service *s)
{
	return !pkt_writef(1, NULL, "# service=git-%s\n", s->name) && !pkt_flush(1, NULL);
}

int http_advertise(struct http_request *rq, const char *asked)
{
	int code = 1;
	const struct service *s = find_service(rq, asked, &code);
	bool there;
	char *type;

	if (!s)
		return code;
	if (!s->advertises)
		return http_refuse(&rq->reply, "403 Forbidden", "Unsupported service: '%s'", asked);
	there = service_is_there(rq->ctx, s->name);
	type = xstrfmt("application/x-git-%s-advertisement", s->name);
	http_no_cache(&rq->reply);
	http_header(&rq->reply, "Content-Type", type);
	free(type);
	if (!http_send_head(&rq->reply))
		return 1;
	if (rq->head_only)
		return 0;
	if ((!there || !is_version_2(s)) && !send_service_line(s))
		return 1;
	if (!there) /* clients show this; they would not show the text of an error page */
		return pkt_writef(1, NULL, "ERR this server has no git %s", s->name) < 0;
	return run(rq, s, "--http-backend-info-refs", NULL);
}

/* ---- POST git-SERVICE ---- */

/* http.maxRequestBuffer, unless the environment says it. */
static int max_request_buffer(struct http_request *rq, size_t *max, struct err *err)
{
	const char *env = getenv("GIT_HTTP_MAX_REQUEST_BUFFER");
	unsigned long configured = MAX_REQUEST_BUFFER;
	uint64_t v;
	int rc;

	if (env) {
		if (!parse_magnitude(env, &v) || v > SIZE_MAX / 2)
			return err_set(err, ERR_GENERIC, "failed to parse GIT_HTTP_MAX_REQUEST_BUFFER");
		*max = (size_t)v;
		return 0;
	}
	rc = config_get_ulong(rq->repo->config, "http.maxrequestbuffer", &configured, err);
	*max = configured;
	return rc < 0 ? ERR_GENERIC : 0;
}

/* The answer says it to the client, too. */
static bool has_content_type(struct http_request *rq, const struct service *s, int *code)
{
	char *want = xstrfmt("application/x-git-%s-request", s->name), *text = NULL;
	const char *got = getenv("CONTENT_TYPE");
	bool ok;

	if (!got)
		got = "";
	ok = !strcmp(got, want);
	if (!ok) {
		text = xstrfmt("Expected POST with Content-Type '%s', but received '%s' instead.",
			       want, got);
		*code = http_refuse(&rq->reply, "415 Unsupported Media Type", "%s", text);
		if (!*code)
			*code = !(http_send(text, strlen(text)) && http_send("\n", 1));
	}
	free(text);
	free(want);
	return ok;
}

static int refuse_body(struct http_request *rq, int rc, struct err *err)
{
	const char *status = rc == ERR_TOO_BIG ? "413 Content Too Large" :
			     rc == ERR_UNSUPPORTED ? "415 Unsupported Media Type" :
			     rc == ERR_GENERIC ? "500 Internal Server Error" :
			     "400 Bad Request";
	int code = http_refuse(&rq->reply, status, "fatal: %s", err_message(err));

	err_release(err);
	return code;
}

int http_serve(struct http_request *rq)
{
	int code = 1, rc;
	const struct service *s = find_service(rq, rq->path, &code);
	struct http_body *body = NULL;
	struct err err = ERR_INIT;
	size_t max = 0;
	char *type;

	if (!s || !has_content_type(rq, s, &code))
		return code;
	if (!service_is_there(rq->ctx, s->name))
		return http_refuse(&rq->reply, "501 Not Implemented", "this server has no git %s",
				   s->name);
	rq->reads_body = true;
	rc = http_body_open(&body, &err);
	if (!rc && s->read_all) {
		rc = max_request_buffer(rq, &max, &err);
		if (!rc)
			rc = http_body_read_all(body, max, &err);
	}
	if (rc) {
		code = refuse_body(rq, rc, &err);
	} else {
		type = xstrfmt("application/x-git-%s-result", s->name);
		http_no_cache(&rq->reply);
		http_header(&rq->reply, "Content-Type", type);
		free(type);
		if (http_send_head(&rq->reply))
			code = run(rq, s, !strcmp(s->name, "upload-archive") ? NULL : "--stateless-rpc",
				   body);
	}
	http_body_free(body);
	return code;
}

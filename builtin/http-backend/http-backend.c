/* SPDX-License-Identifier: GPL-2.0-only */
/* git-http-backend(1): a CGI program (RFC 3875) that serves repositories. */
#include "compat/posix.h"
#include <signal.h>
#include "builtin/http-backend/http-backend.h"
#include "repo/enter.h"
#include "util/alloc.h"
#include "util/path.h"

/* ---- which file of a repository ---- */

/*
 * The end of the request's path, '#' standing for that many lower case hexadecimal digits as
 * follow in `hex` (0-terminated list).
 */
struct route {
	const char *method; /* "GET": HEAD as well */
	const char *pattern;
	unsigned char hex[3];
	int (*run)(struct http_request *rq); /* NULL: info/refs, which has two meanings */
};
static const struct route routes[] = {
	{ "GET", "HEAD", { 0 }, http_send_HEAD },
	{ "GET", "info/refs", { 0 }, NULL },
	{ "GET", "objects/info/alternates", { 0 }, http_send_text },
	{ "GET", "objects/info/http-alternates", { 0 }, http_send_text },
	{ "GET", "objects/info/packs", { 0 }, http_send_info_packs },
	{ "GET", "objects/#/#", { 2, 38 }, http_send_object },
	{ "GET", "objects/#/#", { 2, 62 }, http_send_object },
	{ "GET", "objects/pack/pack-#.pack", { 40 }, http_send_pack },
	{ "GET", "objects/pack/pack-#.pack", { 64 }, http_send_pack },
	{ "GET", "objects/pack/pack-#.idx", { 40 }, http_send_idx },
	{ "GET", "objects/pack/pack-#.idx", { 64 }, http_send_idx },
	{ "POST", "git-upload-pack", { 0 }, http_serve },
	{ "POST", "git-upload-archive", { 0 }, http_serve },
	{ "POST", "git-receive-pack", { 0 }, http_serve },
};

static size_t route_len(const struct route *r)
{
	size_t len = 0, next = 0;

	for (const char *p = r->pattern; *p; p++)
		len += *p == '#' ? r->hex[next++] : 1;
	return len;
}

/* end: route_len bytes. */
static bool route_matches(const struct route *r, const char *end)
{
	size_t next = 0;

	for (const char *p = r->pattern; *p; p++) {
		if (*p != '#') {
			if (*p != *end++)
				return false;
		} else if (strspn(end, "0123456789abcdef") < r->hex[next]) {
			return false;
		} else {
			end += r->hex[next++];
		}
	}
	return true;
}

/* The route of "REPOSITORY/REST"; *len is that of the first part. */
static const struct route *find_route(const char *path, size_t *len)
{
	size_t path_len = strlen(path);

	for (size_t i = 0; i < ARRAY_SIZE(routes); i++) {
		size_t n = route_len(&routes[i]);

		if (path_len <= n || path[path_len - n - 1] != '/' ||
		    !route_matches(&routes[i], path + path_len - n))
			continue;
		*len = path_len - n - 1;
		return &routes[i];
	}
	return NULL;
}

/* ---- the request ---- */

/* The name of a parameter, up to '=' or '&', decoded once. Caller frees. */
static char *parameter_name(const char *p)
{
	struct strbuf out = STRBUF_INIT;
	size_t n;

	for (; !strchr("=&", *p); p += n) {
		int hi = *p == '%' ? hex_value((unsigned char)p[1]) : -1;
		int lo = hi >= 0 ? hex_value((unsigned char)p[2]) : -1;
		bool decoded = lo >= 0 && hi + lo > 0; /* not "%00" */

		n = decoded ? 3 : 1;
		strbuf_addch(&out, decoded ? hi * 16 + lo : *p);
	}
	return strbuf_detach(&out, NULL);
}

/*
 * *service: the value of the parameter "service", not decoded, or NULL if the query has none. Caller frees.
 *
 * The web server has read the same text, perhaps to decide which requests need a password. It may have taken the first
 * of two parameters, compared names without case, or left values encoded. ERR_INVALID: a query that two programs
 * could read in two ways. Clients send none: names of services have no byte that is encoded.
 */
static int query_service(char **service, const char *query, struct err *err)
{
	const char *found = NULL;
	bool plain = true;

	*service = NULL;
	for (const char *p = query; *p; p += strcspn(p, "&"), p += *p == '&') {
		char *name = parameter_name(p);

		if (!strcasecmp(name, "service")) {
			plain = plain && !found && starts_with(p, "service") && strchr("=&", p[strlen("service")]);
			found = p;
		}
		free(name);
	}
	if (!plain)
		return err_set(err, ERR_INVALID, "the query names a service in more than one way: '%s'", query);
	if (found) {
		found += strlen("service");
		found += *found == '=';
		*service = xmemdupz(found, strcspn(found, "&"));
	}
	return 0;
}

/* Has it a part ".."? Doubled slashes are the server's own, which has put it together. */
static bool leads_out(const char *path)
{
	for (const char *p = path; *p; p += strcspn(p, "/"), p += strspn(p, "/"))
		if (starts_with(p, "..") && (!p[2] || p[2] == '/'))
			return true;
	return false;
}

/* GIT_PROJECT_ROOT and PATH_INFO, or PATH_TRANSLATED. Caller frees. */
static int requested_path(char **out, struct err *err)
{
	const char *root = getenv("GIT_PROJECT_ROOT"), *info = getenv("PATH_INFO");
	const char *translated = getenv("PATH_TRANSLATED");
	struct strbuf path = STRBUF_INIT;

	if (root && *root) {
		if (!info || !*info)
			return err_set(err, ERR_INVALID, "GIT_PROJECT_ROOT is set but PATH_INFO is not");
		if (!is_dir_sep(*info) || !path_is_plain(info))
			return err_set(err, ERR_INVALID, "'%s': aliased", info);
		strbuf_addpath(&path, root, info + 1);
	} else if (!translated || !*translated) {
		return err_set(err, ERR_INVALID, "No GIT_PROJECT_ROOT or PATH_TRANSLATED from server");
	} else if (leads_out(translated)) {
		return err_set(err, ERR_INVALID, "'%s': aliased", translated);
	} else {
		strbuf_addstr(&path, translated);
	}
	*out = strbuf_detach(&path, NULL);
	return 0;
}

/* ---- the repository ---- */

/* Chooses the function for the request; info/refs has two meanings. */
static int dispatch(struct http_request *rq, const struct route *route)
{
	const char *query = getenv("QUERY_STRING");
	struct err err = ERR_INIT;
	char *service;
	int code;

	if (route->run)
		return route->run(rq);
	if (query_service(&service, query ? query : "", &err) < 0) {
		code = http_refuse(&rq->reply, "400 Bad Request", "%s", err_message(&err));
		err_release(&err);
		return code;
	}
	code = service ? http_advertise(rq, service) : http_send_info_refs(rq);
	free(service);
	return code;
}

static int serve(struct http_request *rq, const struct route *route, const char *dir)
{
	struct err err = ERR_INIT;
	int rc = repo_enter(dir, 0, NULL, &err), code;

	if (rc == ERR_NOT_FOUND) {
		err_release(&err);
		return http_refuse(&rq->reply, "404 Not Found", "Not a git repository: '%s'", dir);
	}
	if (rc)
		return http_fail(&rq->reply, &err);
	if (!getenv("GIT_HTTP_EXPORT_ALL") && access("git-daemon-export-ok", F_OK))
		return http_refuse(&rq->reply, "404 Not Found", "Repository not exported: '%s'", dir);
	if (repo_open_at(&rq->repo, ".", NULL, &err) < 0)
		return http_fail(&rq->reply, &err);
	code = dispatch(rq, route);
	repo_free(rq->repo);
	return code;
}

static int serve_path(struct http_request *rq, const char *path)
{
	const char *method = getenv("REQUEST_METHOD");
	size_t len = 0;
	const struct route *route = find_route(path, &len);
	char *dir;
	int code;

	if (!route)
		return http_refuse(&rq->reply, "404 Not Found", "Request not supported: '%s'", path);
	rq->head_only = !strcmp(method, "HEAD");
	if (strcmp(rq->head_only ? "GET" : method, route->method) != 0)
		return http_refuse_method(&rq->reply,
					  strcmp(route->method, "GET") ? route->method : "GET, HEAD");
	dir = xmemdupz(path, len);
	rq->path = path + len + 1;
	code = serve(rq, route, dir);
	free(dir);
	return code;
}

/* Clients say by a header which version of the protocol they want. */
static void take_protocol(void)
{
	const char *header = getenv("HTTP_GIT_PROTOCOL");

	if (header && !getenv("GIT_PROTOCOL"))
		setenv("GIT_PROTOCOL", header, 1);
}

int cmd_http_backend(int argc UNUSED, const char **argv UNUSED, struct command_ctx *ctx)
{
	struct http_request rq = { .ctx = ctx, .reply = HTTP_REPLY_INIT };
	struct err err = ERR_INIT;
	char *path = NULL;
	int code, rc;

	signal(SIGPIPE, SIG_IGN); /* a service may end before it has read all that we have for it */
	take_protocol();
	if (!getenv("REQUEST_METHOD"))
		rc = err_set(&err, ERR_INVALID, "No REQUEST_METHOD from server");
	else
		rc = requested_path(&path, &err);
	code = rc ? http_fail(&rq.reply, &err) : serve_path(&rq, path);
	if (!rq.reads_body)
		http_body_drop();
	free(path);
	http_reply_release(&rq.reply);
	return code;
}

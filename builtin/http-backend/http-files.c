/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files of a repository for clients that fetch by themselves: the dumb protocol of
 * gitprotocol-http(5). Lists are made when they are asked for.
 */
#include "compat/posix.h"
#include "builtin/http-backend/http-backend.h"
#include "maintain/server-info.h"
#include "refs/refs.h"
#include "repo/hidden-refs.h"
#include "util/alloc.h"
#include "util/path.h"

#define PIECE 65536

/* True: the repository allows it; else it has been refused. */
static bool is_allowed(struct http_request *rq, int *code)
{
	bool enabled = true;
	struct err err = ERR_INIT;

	if (config_get_bool(rq->repo->config, "http.getanyfile", &enabled, &err) < 0) {
		*code = http_fail(&rq->reply, &err);
		return false;
	}
	if (!enabled)
		*code = http_refuse(&rq->reply, "403 Forbidden", "Unsupported service: getanyfile");
	return enabled;
}

static void describe(struct http_request *rq, uint64_t size, const char *type)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, size);
	http_header(&rq->reply, "Content-Length", text);
	http_header(&rq->reply, "Content-Type", type);
}

static int send_text(struct http_request *rq, const struct strbuf *text, const char *type)
{
	describe(rq, text->len, type);
	if (!http_send_head(&rq->reply))
		return 1;
	return !rq->head_only && !http_send(text->buf, text->len);
}

/* ---- lists ---- */

/* HEAD of the namespace `prefix`, as it is seen there. ERR_NOT_FOUND: there is none. */
static int read_HEAD(struct http_request *rq, const char *prefix, struct strbuf *text,
		     struct err *err)
{
	char *name = xstrfmt("%sHEAD", prefix), *target = NULL;
	struct object_id oid;
	const char *seen;
	int rc = ref_read_raw(rq->repo->refs, name, &oid, &target, err);

	if (!rc && !target)
		strbuf_addf(text, "%s\n", oid_hex(&oid));
	else if (!rc && skip_prefix(target, prefix, &seen))
		strbuf_addf(text, "ref: %s\n", seen);
	else if (!rc)
		rc = err_set(err, ERR_NOT_FOUND, "HEAD leads out of the namespace");
	free(target);
	free(name);
	return rc;
}

int http_send_HEAD(struct http_request *rq)
{
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;
	char *prefix = NULL;
	int code = 1, rc;

	if (!is_allowed(rq, &code))
		return code;
	rc = namespace_prefix(&prefix, &err);
	if (!rc)
		rc = read_HEAD(rq, prefix, &text, &err);
	if (!rc)
		code = send_text(rq, &text, "text/plain");
	else if (rc == ERR_NOT_FOUND && *prefix)
		code = http_refuse(&rq->reply, "404 Not Found", "%s", err_message(&err));
	else
		code = http_fail(&rq->reply, &err);
	err_release(&err);
	free(prefix);
	strbuf_release(&text);
	return code;
}

int http_send_info_refs(struct http_request *rq)
{
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;
	char *prefix = NULL;
	int code = 1, rc;

	if (!is_allowed(rq, &code))
		return code;
	rc = namespace_prefix(&prefix, &err);
	if (!rc)
		rc = server_info_refs(rq->repo, prefix, &text, &err);
	if (rc < 0) {
		code = http_fail(&rq->reply, &err);
	} else {
		http_no_cache(&rq->reply);
		code = send_text(rq, &text, "text/plain");
	}
	free(prefix);
	strbuf_release(&text);
	return code;
}

int http_send_info_packs(struct http_request *rq)
{
	struct strbuf text = STRBUF_INIT;
	int code = 1;

	if (!is_allowed(rq, &code))
		return code;
	server_info_packs(rq->repo, &text);
	http_no_cache(&rq->reply);
	code = send_text(rq, &text, "text/plain; charset=utf-8");
	strbuf_release(&text);
	return code;
}

/* ---- files ---- */

/* As many bytes as were announced: a file that has become shorter ends in a broken reply. */
static bool copy_bytes(int fd, uint64_t left)
{
	char buf[PIECE];

	while (left) {
		size_t want = left < PIECE ? (size_t)left : PIECE;
		ssize_t n = read(fd, buf, want);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0 || !http_send(buf, (size_t)n))
			return false;
		left -= (uint64_t)n;
	}
	return true;
}

static int send_open_file(struct http_request *rq, int fd, const char *type)
{
	struct stat st;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return http_refuse(&rq->reply, "404 Not Found", "Cannot read '%s'", rq->path);
	describe(rq, (uint64_t)st.st_size, type);
	http_date(&rq->reply, "Last-Modified", (timestamp_t)st.st_mtime);
	if (!http_send_head(&rq->reply))
		return 1;
	return !rq->head_only && !copy_bytes(fd, (uint64_t)st.st_size);
}

/* for_ever: a file that never changes. */
static int send_file(struct http_request *rq, const char *type, bool for_ever)
{
	char *path = path_join(rq->repo->objdir, rq->path + strlen("objects/"));
	int fd, code = 1;

	if (!is_allowed(rq, &code)) {
		free(path);
		return code;
	}
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe must not make us wait */
	if (fd < 0) {
		code = http_refuse(&rq->reply, "404 Not Found", "Cannot open '%s': %s", rq->path,
				   strerror(errno));
	} else {
		if (for_ever)
			http_cache_for_ever(&rq->reply);
		else
			http_no_cache(&rq->reply);
		code = send_open_file(rq, fd, type);
		close(fd);
	}
	free(path);
	return code;
}

int http_send_text(struct http_request *rq)
{
	return send_file(rq, "text/plain", false);
}

int http_send_object(struct http_request *rq)
{
	return send_file(rq, "application/x-git-loose-object", true);
}

int http_send_pack(struct http_request *rq)
{
	return send_file(rq, "application/x-git-packed-objects", true);
}

int http_send_idx(struct http_request *rq)
{
	return send_file(rq, "application/x-git-packed-objects-toc", true);
}

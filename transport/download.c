/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include <fcntl.h>
#include "fs/tmp-objdir.h"
#include "transport/connect-internal.h"
#include "transport/download.h"
#include "util/alloc.h"
#include "util/path.h"

bool uri_is_local(const char *uri)
{
	return starts_with(uri, "file://") || url_is_local_path(uri);
}

/* ---- relative URIs ---- */

/* "scheme://host", which stays; of a path there is no such thing. */
static size_t root_len(const char *uri)
{
	const char *host = url_has_scheme(uri) ? strstr(uri, "://") + 3 : uri;

	return (size_t)(host - uri) + (host == uri ? 0 : strcspn(host, "/"));
}

static void drop_last(struct strbuf *s, size_t root)
{
	while (s->len > root && s->buf[s->len - 1] == '/')
		strbuf_setlen(s, s->len - 1);
	while (s->len > root && s->buf[s->len - 1] != '/')
		strbuf_setlen(s, s->len - 1);
}

char *uri_resolve(const char *base, bool is_dir, const char *uri)
{
	size_t root = root_len(base);
	struct strbuf s = STRBUF_INIT;

	if (url_has_scheme(uri))
		return xstrdup(uri);
	if (*uri == '/') {
		strbuf_add(&s, base, root);
		strbuf_addstr(&s, uri);
		return strbuf_detach(&s, NULL);
	}
	strbuf_addstr(&s, base);
	if (!is_dir)
		drop_last(&s, root);
	if (s.len && s.buf[s.len - 1] != '/')
		strbuf_addch(&s, '/');
	for (;;) {
		if (skip_prefix(uri, "./", &uri))
			continue;
		if (!skip_prefix(uri, "../", &uri))
			break;
		drop_last(&s, root);
	}
	if (s.len && s.buf[s.len - 1] != '/')
		strbuf_addch(&s, '/');
	strbuf_addstr(&s, uri);
	return strbuf_detach(&s, NULL);
}

/* ---- files of this machine ---- */

static int open_file(int *fd, const char *path, const char *uri, struct err *err)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return err_set_errno(err, "cannot read '%s'", uri);
	if (!S_ISREG(st.st_mode))
		return err_set(err, ERR_INVALID, "'%s' is not a file", uri);
	*fd = open(path, O_RDONLY | O_CLOEXEC);
	return *fd < 0 ? err_set_errno(err, "cannot read '%s'", uri) : 0;
}

static int open_local(int *fd, const char *uri, const struct download_options *o, struct err *err)
{
	struct remote_url u = REMOTE_URL_INIT;
	int rc;

	if (o->foreign)
		return err_set(err, ERR_ABORTED, "'%s' names a file of this machine", uri);
	rc = transport_check_allowed(o->config, "file", -1, err);
	if (!rc && !url_has_scheme(uri))
		return open_file(fd, uri, uri, err);
	if (!rc)
		rc = remote_url_parse(&u, uri, err);
	if (!rc)
		rc = open_file(fd, u.path, uri, err);
	remote_url_release(&u);
	return rc;
}

/* ---- others ---- */

static int open_by_helper(int *fd, const struct remote_url *u, const char *uri, const struct download_options *o,
			  struct err *err)
{
	struct tmp_objdir *dir = NULL;
	char *path = NULL;
	int rc = tmp_objdir_create(&dir, o->objdir, "download", o->shared_perm, err);

	if (!rc) {
		path = path_join(tmp_objdir_path(dir), "file");
		rc = connect_download(u->scheme, uri, path, o->verbosity, err);
	}
	if (!rc)
		rc = open_file(fd, path, uri, err);
	/* The open descriptor stays readable after its file is removed. */
	tmp_objdir_destroy(&dir);
	free(path);
	return rc;
}

int download_open(int *fd, const char *uri, const struct download_options *o, struct err *err)
{
	struct remote_url u = REMOTE_URL_INIT;
	int rc;

	if (strpbrk(uri, "\r\n"))
		return err_set(err, ERR_INVALID, "a URI with a line end");
	if (uri_is_local(uri))
		return open_local(fd, uri, o, err);
	if (strpbrk(uri, " \t")) /* the helper reads "get URI PATH": a server must not choose the path */
		return err_set(err, ERR_INVALID, "URI is malformed");
	rc = remote_url_parse(&u, uri, err);
	if (!rc && u.kind != URL_HELPER)
		rc = err_set(err, ERR_UNSUPPORTED, "no files can be downloaded by '%s'", u.scheme);
	if (!rc)
		rc = transport_check_allowed(o->config, u.scheme, o->foreign ? 0 : -1, err);
	if (!rc)
		rc = open_by_helper(fd, &u, uri, o, err);
	remote_url_release(&u);
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* Downloads files of the server for the walk; and other functions that the parts of the walk share. */
#include "compat/posix.h"
#include <fcntl.h>
#include "compat/syscalls.h"
#include "transport/http/http-walk-internal.h"
#include "util/alloc.h"

void walk_say(const struct http_walk *w, const char *fmt, ...)
{
	struct strbuf line = STRBUF_INIT;
	va_list ap;

	if (!w->o->say)
		return;
	va_start(ap, fmt);
	strbuf_vaddf(&line, fmt, ap);
	va_end(ap);
	w->o->say(w->o->data, line.buf);
	strbuf_release(&line);
}

void walk_note_trouble(char **trouble, struct err *why)
{
	free(*trouble);
	*trouble = xstrdup(err_message(why));
	err_release(why);
}

void walk_push(struct http_walk *w, const struct object_id *oid)
{
	if (oidset_insert(&w->seen, oid))
		oid_array_append(&w->todo, oid);
}

int walk_get_text(struct walk_base *b, const char *tail, size_t max, struct strbuf *out, struct err *err)
{
	char *url = xconcat(b->url, tail);
	struct err why = ERR_INIT;
	int rc = http_get_text(b->client, url, max, out, &why);

	if (rc < 0 && rc != ERR_NOT_FOUND)
		err_move(err, &why);
	err_release(&why);
	free(url);
	return rc == ERR_NOT_FOUND ? 0 : rc < 0 ? rc : 1;
}

int walk_get_file(struct walk_base *b, const char *url, const char *path, uint64_t max_bytes, struct err *err)
{
	int fd = (int)RETRY_EINTR(sys->open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
	struct err why = ERR_INIT;
	uint64_t got, most;
	int rc;

	if (fd < 0)
		return err_set_errno(err, "cannot open '%s'", path);
	most = http_most_bytes(fd);
	if (max_bytes && (!most || max_bytes < most))
		most = max_bytes;
	rc = http_get_to_fd(b->client, url, fd, 0, most, &got, &why);
	if (sys->close(fd) < 0 && !rc)
		rc = err_set_errno(&why, "cannot close '%s'", path);
	if (rc < 0 && rc != ERR_NOT_FOUND)
		err_move(err, &why);
	err_release(&why);
	return rc == ERR_NOT_FOUND ? 0 : rc < 0 ? rc : 1;
}

int walk_dir(struct http_walk *w, const char **path, struct err *err)
{
	int rc = w->dir ? 0 : tmp_objdir_create(&w->dir, w->r->objdir, "walk", w->r->settings.shared_perm, err);

	if (!rc)
		*path = tmp_objdir_path(w->dir);
	return rc;
}

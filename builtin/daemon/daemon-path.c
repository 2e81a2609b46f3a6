/* SPDX-License-Identifier: GPL-2.0-only */
/* Which repository a client of git daemon means, and whether it may be served. */
#include "compat/posix.h"
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include "builtin/daemon/daemon.h"
#include "repo/enter.h"
#include "util/alloc.h"
#include "util/path.h"

/* ---- names and addresses of this host ---- */

void daemon_host_release(struct daemon_host *h)
{
	FREE_AND_NULL(h->canonical);
	FREE_AND_NULL(h->address);
}

const char *daemon_host_canonical(struct daemon_host *h)
{
	struct addrinfo hints = { .ai_flags = AI_CANONNAME, .ai_socktype = SOCK_STREAM }, *list;

	if (h->canonical || !h->name)
		return h->canonical ? h->canonical : "";
	if (!getaddrinfo(h->name, NULL, &hints, &list)) {
		const char *name = list->ai_canonname;

		/* It may become part of a path, and the owner of a name server has chosen it. */
		if (name && *name && *name != '.' && !strchr(name, '/') && !strstr(name, ".."))
			h->canonical = xstrdup(name);
		freeaddrinfo(list);
	}
	if (!h->canonical)
		h->canonical = xstrdup("");
	return h->canonical;
}

const char *daemon_host_address(struct daemon_host *h)
{
	struct sockaddr_storage sa;
	socklen_t len = sizeof(sa);
	char text[NI_MAXHOST];

	if (!h->address && !getsockname(0, (struct sockaddr *)&sa, &len) &&
	    (sa.ss_family == AF_INET || sa.ss_family == AF_INET6) &&
	    !getnameinfo((struct sockaddr *)&sa, len, text, sizeof(text), NULL, 0, NI_NUMERICHOST))
		h->address = xstrdup(text);
	return h->address ? h->address : "";
}

/* ---- from what the client said to a path ---- */

static char *expand_template(const char *template, struct daemon_host *h, const char *dir)
{
	struct strbuf out = STRBUF_INIT;
	const char *p = template;

	while (*p) {
		if (*p != '%') {
			strbuf_addch(&out, *p++);
			continue;
		}
		p++;
		if (skip_prefix(p, "H", &p))
			strbuf_addstr(&out, h->name ? h->name : "");
		else if (skip_prefix(p, "CH", &p))
			strbuf_addstr(&out, daemon_host_canonical(h));
		else if (skip_prefix(p, "IP", &p))
			strbuf_addstr(&out, daemon_host_address(h));
		else if (skip_prefix(p, "P", &p))
			strbuf_addstr(&out, h->port ? h->port : "");
		else if (skip_prefix(p, "D", &p))
			strbuf_addstr(&out, dir);
		else {
			strbuf_addch(&out, '%');
			skip_prefix(p, "%", &p);
		}
	}
	return strbuf_detach(&out, NULL);
}

/* "~alice/x" with --user-path=DIR: "~alice/DIR/x". NULL: refused. */
static char *user_path(const struct daemon_options *o, const char *asked)
{
	size_t name_len = strcspn(asked, "/");
	size_t dir_len = o->user_path ? strlen(o->user_path) : 0;

	if (!o->user_path) {
		daemon_log_error("'%s': User-path not allowed", asked);
		return NULL;
	}
	if (!dir_len)
		return xstrdup(asked);
	while (dir_len > 1 && is_dir_sep(o->user_path[dir_len - 1]))
		dir_len--;
	return xstrfmt("%.*s/%.*s%s", (int)name_len, asked, (int)dir_len, o->user_path,
		       asked + name_len);
}

/*
 * "/x", or "~alice" with or without "/x" behind it. "~/x" would be the home of the user who runs
 * the server.
 */
static bool is_plain_request(const char *asked)
{
	size_t user_len = *asked == '~' ? strcspn(asked, "/") : 0;
	const char *rest = asked + user_len;

	if (user_len ? user_len == 1 && *rest : !is_dir_sep(*rest))
		return false;
	return path_is_plain(rest);
}

/* The place that `asked` stands for; NULL: refused. */
static char *translate(const struct daemon_options *o, struct daemon_host *h, const char *asked)
{
	if (!is_plain_request(asked)) {
		daemon_log_error("'%s': aliased", asked);
		return NULL;
	}
	if (*asked == '~')
		return user_path(o, asked);
	if (o->interpolated_path && h->name) {
		char *path = expand_template(o->interpolated_path, h, asked);

		daemon_log_info("Interpolated dir '%s'", path);
		return path;
	}
	return o->base_path ? xstrfmt("%s%s", o->base_path, asked) : xstrdup(asked);
}

/* ---- what may be served ---- */

static bool is_listed(const struct daemon_options *o, const char *path)
{
	for (const char *const *dir = o->directories; *dir; dir++)
		if (o->strict ? !strcmp(path, *dir) : path_inside(path, *dir) != NULL)
			return true;
	return !*o->directories;
}

static int enter(const struct daemon_options *o, const char *place, char **path, struct err *err)
{
	return repo_enter(place, o->strict ? REPO_ENTER_STRICT : 0, path, err);
}

bool daemon_enter(const struct daemon_options *o, struct daemon_host *h, const char *asked,
		  char **path)
{
	char *place = translate(o, h, asked), *found = NULL;
	struct err err = ERR_INIT;
	bool ok = false;

	if (!place)
		return false;
	if (enter(o, place, &found, &err) < 0 && err.code == ERR_NOT_FOUND && o->base_path &&
	    o->base_path_relaxed && *asked != '~') {
		err_release(&err);
		free(place);
		place = xstrdup(asked);
		if (enter(o, place, &found, &err) < 0)
			found = NULL;
	}
	if (!found) /* behind its first line it may have advice */
		daemon_log_error("%.*s", (int)strcspn(err_message(&err), "\n"), err_message(&err));
	else if (!is_listed(o, found))
		daemon_log_error("'%s': not in directory list", found);
	else
		ok = true;
	if (ok) {
		*path = found;
		found = NULL;
	}
	err_release(&err);
	free(found);
	free(place);
	return ok;
}

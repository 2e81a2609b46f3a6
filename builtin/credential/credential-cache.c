/* SPDX-License-Identifier: GPL-2.0-only */
/* git-credential-cache(1): asks the daemon, and starts one where there is something to keep. */
#include "compat/posix.h"
#include <sys/socket.h>
#include <sys/un.h>
#include "builtin/builtin.h"
#include "builtin/credential/credential-cache.h"
#include "compat/socket.h"
#include "compat/syscalls.h"
#include "fs/private-dir.h"
#include "credential/secret.h"
#include "util/alloc.h"
#include "util/path.h"
#include "util/run-command.h"
#include "write-or-die.h"

static const char *const usage[] = { "git credential-cache [<options>] <action>", NULL };

#define DEFAULT_TIMEOUT_S 900

/* ---- the socket ---- */

int cache_enter_dir(const char *path, const char **name, int *dir, struct err *err)
{
	const char *slash = strrchr(path, '/');
	char *parent;
	int rc;

	if (!slash || *path != '/' || !slash[1])
		return err_set(err, ERR_INVALID, "socket directory must be an absolute path");
	parent = xmemdupz(path, slash == path ? 1 : slash - path);
	rc = private_dir_open(dir, parent, err);
	if (!rc && fchdir(*dir) < 0)
		rc = err_set_errno(err, "cannot enter '%s'", parent);
	free(parent);
	*name = slash + 1;
	return rc;
}

int cache_address(struct sockaddr_un *out, const char *name)
{
	memset(out, 0, sizeof(*out));
	out->sun_family = AF_UNIX;
	if (strlen(name) >= sizeof(out->sun_path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	strcpy(out->sun_path, name);
	return 0;
}

int cache_connect(const char *name)
{
	struct sockaddr_un address;
	int fd, why;

	if (cache_address(&address, name) < 0)
		return -1;
	fd = os_socket(AF_UNIX, SOCK_STREAM, 0);
	if (fd < 0 || !connect(fd, (struct sockaddr *)&address, sizeof(address)))
		return fd;
	why = errno;
	close(fd);
	errno = why;
	return -1;
}

static char *default_socket(void)
{
	char *old = path_expand_user("~/.git-credential-cache"), *path = NULL;
	const char *cache = getenv("XDG_CACHE_HOME");
	struct stat st;

	if (old && !stat(old, &st) && S_ISDIR(st.st_mode))
		path = xconcat(old, "/socket");
	else if (cache && *cache)
		path = xconcat(cache, "/git/credential/socket");
	else
		path = path_expand_user("~/.cache/git/credential/socket");
	free(old);
	return path;
}

/* ---- the daemon ---- */

/* It says "ok" when it listens, and goes on. */
static int start_daemon(const char *path, struct err *err)
{
	struct child_process cp = CHILD_PROCESS_INIT;
	char said[16] = "";
	ssize_t n = 0;
	int rc;

	strvec_pushl(&cp.args, "git", "credential-cache--daemon", path, NULL);
	cp.no_stdin = true;
	cp.out = -1;
	rc = start_command(&cp, err);
	if (!rc) {
		n = RETRY_EINTR(sys->read(cp.out, said, sizeof(said) - 1));
		close(cp.out);
		if (n < 3 || strcmp(said, "ok\n") != 0) {
			finish_command(&cp);
			rc = err_set(err, ERR_IO, "cache daemon did not start");
		}
	}
	child_process_release(&cp);
	return rc;
}

/* *fd -1: there is no daemon, and the request needs none. */
static int reach_daemon(int *fd, const char *path, bool start, struct err *err)
{
	struct err why = ERR_INIT;
	const char *name = NULL;
	int dir = -1, rc = cache_enter_dir(path, &name, &dir, &why);

	*fd = rc ? -1 : cache_connect(name);
	if (rc == ERR_IO && why.sys_errno == ENOENT)
		rc = 0;
	else if (!rc && *fd < 0 && errno != ENOENT && errno != ECONNREFUSED)
		rc = err_set_errno(&why, "unable to connect to cache daemon");
	if (rc)
		err_move(err, &why);
	err_release(&why);
	if (!rc && *fd < 0 && start) {
		rc = start_daemon(path, err);
		if (dir < 0 && !rc)
			rc = cache_enter_dir(path, &name, &dir, err);
		if (!rc && (*fd = cache_connect(name)) < 0)
			rc = err_set_errno(err, "unable to connect to cache daemon");
	}
	return rc;
}

static int talk(int fd, const char *action, int timeout_s, const struct strbuf *credential, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	char head[128];
	int rc;

	snprintf(head, sizeof(head), "action=%s\ntimeout=%d\n", action, timeout_s);
	secret_buf_addstr(&text, head);
	secret_buf_add(&text, credential->buf, credential->len);
	rc = write_in_full(fd, text.buf, text.len, "cache daemon", err);
	secret_buf_release(&text);
	if (!rc && shutdown(fd, SHUT_WR) < 0)
		rc = err_set_errno(err, "cannot talk to cache daemon");
	if (!rc)
		rc = secret_buf_read(&text, fd, CACHE_REQUEST_MAX_BYTES, "cache daemon", err);
	if (!rc)
		rc = write_in_full(STDOUT_FILENO, text.buf, text.len, "standard output", err);
	secret_buf_release(&text);
	return rc;
}

static int credential_cache_act(const char *path, const char *action, int timeout_s,
				struct err *err)
{
	bool is_exit = !strcmp(action, "exit"), is_store = !strcmp(action, "store");
	struct strbuf credential = STRBUF_INIT;
	int fd = -1, rc = 0;

	if (!is_exit && !is_store && strcmp(action, "get") != 0 && strcmp(action, "erase") != 0)
		return 0; /* of a newer program */
	if (!is_exit)
		rc = secret_buf_read(&credential, STDIN_FILENO, CACHE_REQUEST_MAX_BYTES - 128, "the caller", err);
	if (!rc)
		rc = reach_daemon(&fd, path, is_store, err);
	if (!rc && fd >= 0)
		rc = talk(fd, action, timeout_s, &credential, err);
	if (fd >= 0)
		close(fd);
	secret_buf_release(&credential);
	return rc;
}

static int credential_cache_print_capabilities(void)
{
	puts("version 0\ncapability authtype");
	return finish_stdout();
}

int cmd_credential_cache(int argc, const char **argv, struct command_ctx *ctx UNUSED)
{
	const char *socket_path = NULL;
	int timeout_s = DEFAULT_TIMEOUT_S;
	struct option opts[] = {
		OPT_INTEGER(0, "timeout", &timeout_s, "number of seconds to cache credentials"),
		OPT_STRING(0, "socket", &socket_path, "path", "path of cache-daemon socket"),
		OPT_END()
	};
	struct err err = ERR_INIT;
	char *path;
	int rc;

	argc = parse_options(argc, argv, opts, usage, 0);
	if (argc != 1)
		usage_with_options(usage, opts);
	if (!strcmp(argv[0], "capability"))
		return credential_cache_print_capabilities();
	path = socket_path ? xstrdup(socket_path) : default_socket();
	if (!path)
		die("unable to find a suitable socket path; use --socket");
	rc = credential_cache_act(path, argv[0], timeout_s, &err);
	free(path);
	return rc < 0 ? report_fatal(&err) : 0;
}

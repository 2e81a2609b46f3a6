/* SPDX-License-Identifier: GPL-2.0-only */
/* git-credential-cache--daemon(1): keeps passwords in memory for a while, one request at a time. */
#include "compat/posix.h"
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include "builtin/builtin.h"
#include "builtin/credential/credential-cache.h"
#include "compat/os.h"
#include "compat/socket.h"
#include "compat/syscalls.h"
#include "fs/file.h"
#include "fs/tempfile.h"
#include "credential/credential.h"
#include "credential/secret.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "write-or-die.h"

static const char *const usage[] = { "git credential-cache--daemon [--debug] <socket-path>", NULL };

/* How long to wait for the first credential, and for a client that does not go on. */
#define IDLE_MS 30000
#define CLIENT_TIMEOUT_S 10
/* ... and for another daemon that is starting or ending, each time for a moment. */
#define TRIES 600
#define TRY_MS 50

struct entry {
	struct credential c;
	int64_t until_ms;
};

struct cache {
	struct entry *v;
	size_t nr, alloc;
	int64_t until_ms; /* when to end if there is nothing to keep */
	bool end;
};

/* ---- stored credentials ---- */

static void drop(struct cache *cache, size_t i)
{
	credential_release(&cache->v[i].c);
	cache->v[i] = cache->v[--cache->nr]; /* the last entry moves here; it has no pointer into itself */
}

static void drop_old(struct cache *cache)
{
	int64_t now = monotonic_ms();

	for (size_t i = cache->nr; i--;)
		if (cache->v[i].until_ms <= now)
			drop(cache, i);
}

static void credential_cache_daemon_erase(struct cache *cache, const struct credential *c,
					  bool with_secret)
{
	for (size_t i = cache->nr; i--;)
		if (credential_matches(c, &cache->v[i].c, with_secret))
			drop(cache, i);
}

/* `c` becomes the cache's. */
static void credential_cache_daemon_store(struct cache *cache, struct credential *c, int timeout_s)
{
	bool whole = (c->username && c->password) || (c->authtype && c->credential);

	if (!c->protocol || !c->host || !whole || c->ephemeral || timeout_s <= 0)
		return;
	credential_cache_daemon_erase(cache, c, false);
	ALLOC_GROW(cache->v, cache->nr + 1, cache->alloc);
	cache->v[cache->nr].c = *c;
	cache->v[cache->nr++].until_ms = monotonic_ms() + (int64_t)timeout_s * 1000;
	credential_init(c);
}

/* Only what the client can use, and does not know. */
static int credential_cache_daemon_get(const struct cache *cache, const struct credential *c,
				       struct strbuf *out, struct err *err)
{
	for (size_t i = 0; i < cache->nr; i++) {
		struct credential found = cache->v[i].c;

		if (!credential_matches(c, &found, false))
			continue;
		found.protocol = found.host = found.path = NULL;
		strvec_init(&found.wwwauth);
		found.capa_authtype.caller = c->capa_authtype.caller;
		found.capa_state.caller = false;
		return credential_write(&found, CREDENTIAL_FOR_HELPER, out, err);
	}
	return 0;
}

/* ---- a client ---- */

/* "NAME=VALUE\n" at *p, which goes beyond it; NULL: it is something else. */
static char *take_line(const char **p, const char *name)
{
	const char *value, *eol = strchr(*p, '\n');

	if (!eol || !skip_prefix(*p, name, &value) || value > eol)
		return NULL;
	*p = eol + 1;
	return xmemdupz(value, eol - value);
}

static int answer(struct cache *cache, const struct strbuf *request, struct strbuf *out, struct err *err)
{
	const char *p = request->buf;
	char *action = take_line(&p, "action="), *timeout = action ? take_line(&p, "timeout=") : NULL;
	struct credential c;
	int rc = 0;

	credential_init(&c);
	c.allow_cr = true; /* the sender has checked it */
	if (!timeout)
		rc = err_set(err, ERR_INVALID, "client sent a bad request");
	if (!rc)
		rc = credential_parse(&c, p, request->buf + request->len - p, err);
	if (!rc && !strcmp(action, "get"))
		rc = credential_cache_daemon_get(cache, &c, out, err);
	else if (!rc && !strcmp(action, "store"))
		credential_cache_daemon_store(cache, &c, atoi(timeout));
	else if (!rc && !strcmp(action, "erase"))
		credential_cache_daemon_erase(cache, &c, true);
	else if (!rc && !strcmp(action, "exit"))
		cache->end = true;
	else if (!rc)
		rc = err_set(err, ERR_INVALID, "unknown action '%s'", action);
	credential_release(&c);
	free(action);
	free(timeout);
	return rc;
}

static void serve(struct cache *cache, int fd, struct tempfile **name)
{
	struct timeval patience = { .tv_sec = CLIENT_TIMEOUT_S };
	struct strbuf request = STRBUF_INIT, out = STRBUF_INIT;
	struct err err = ERR_INIT;
	int rc;

	fcntl(fd, F_SETFD, FD_CLOEXEC);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	rc = secret_buf_read(&request, fd, CACHE_REQUEST_MAX_BYTES, "a client", &err);
	if (!rc)
		rc = answer(cache, &request, &out, &err);
	if (cache->end) /* the client may start another one as soon as it hears from us */
		tempfile_delete(name);
	if (!rc)
		rc = write_in_full(fd, out.buf, out.len, "a client", &err);
	if (rc < 0)
		warning("%s", err_message(&err));
	err_release(&err);
	secret_buf_release(&request);
	secret_buf_release(&out);
	close(fd);
}

/* ---- the socket ---- */

/* Until when there is something to wait for. */
static int time_left_ms(const struct cache *cache)
{
	int64_t until = cache->until_ms, left;

	for (size_t i = 0; i < cache->nr; i++)
		if (!i || cache->v[i].until_ms < until)
			until = cache->v[i].until_ms;
	left = until - monotonic_ms();
	return left < 0 ? 0 : left > INT_MAX ? INT_MAX : (int)left;
}

static void serve_all(struct cache *cache, int listener, struct tempfile **name)
{
	while (!cache->end) {
		struct pollfd p = { .fd = listener, .events = POLLIN };
		int n = poll(&p, 1, time_left_ms(cache)), fd;

		if (n < 0 && errno != EINTR)
			break;
		drop_old(cache);
		fd = n > 0 ? accept(listener, NULL, NULL) : -1;
		if (fd >= 0)
			serve(cache, fd, name);
		if (!cache->nr && cache->until_ms <= monotonic_ms())
			break;
	}
	while (cache->nr)
		drop(cache, cache->nr - 1);
	free(cache->v);
}

/*
 * *listener -1: another daemon listens there. The lock on the directory is held for as long as we live,
 * so that no process removes the socket of a daemon that has just started.
 */
static int listen_there(int *listener, int dir, const char *name, struct err *err)
{
	struct sockaddr_un address;
	int other, held = flock(dir, LOCK_EX | LOCK_NB);

	for (int tries = 0;; tries++) {
		other = cache_connect(name);
		if (other >= 0) {
			close(other);
			return 0;
		}
		if (!held || (errno != EWOULDBLOCK && errno != ENOENT && errno != ECONNREFUSED) || tries == TRIES)
			break;
		poll(NULL, 0, TRY_MS); /* who has the lock is about to listen, or to end */
		held = flock(dir, LOCK_EX | LOCK_NB);
	}
	if (unlinkat(dir, name, 0) < 0 && errno != ENOENT) /* check-calls: a socket, used only while we live */
		return err_set_errno(err, "unable to remove '%s'", name);
	*listener = os_socket(AF_UNIX, SOCK_STREAM, 0);
	if (*listener < 0 || cache_address(&address, name) < 0 ||
	    bind(*listener, (struct sockaddr *)&address, sizeof(address)) < 0 || listen(*listener, 16) < 0)
		return err_set_errno(err, "unable to bind to '%s'", name);
	return 0;
}

/* The directory is made for us alone, those above it as usual. */
static int make_private_dir(const char *path, struct err *err)
{
	char *dir = xstrdup(path), *slash = strrchr(dir, '/');
	int rc = 0;

	if (*path == '/' && slash && slash > dir) {
		*slash = '\0';
		rc = make_leading_dirs(dir, 0, err);
		if (!rc && RETRY_EINTR(sys->mkdir(dir, 0700)) < 0 && errno != EEXIST)
			rc = err_set_errno(err, "unable to create directory '%s'", dir);
	}
	free(dir);
	return rc;
}

static int prepare(int *listener, const char *path, struct err *err)
{
	const char *name;
	int dir, rc;

	umask(077);
	rc = make_private_dir(path, err);
	if (!rc)
		rc = cache_enter_dir(path, &name, &dir, err);
	return rc ? rc : listen_there(listener, dir, name, err);
}

static bool keep_none(int fd UNUSED)
{
	return false;
}

/* Detaches: no process waits for us, no terminal ends us, and no core file shows secrets. */
static void go_on_alone(bool debug)
{
	struct rlimit none = { 0, 0 };
	bool ignore = false;

	(void)!config_get_bool(command_config(NULL), "credentialcache.ignoresighup", &ignore, NULL);
	if (ignore)
		signal(SIGHUP, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	setsid();
	setrlimit(RLIMIT_CORE, &none);
	puts("ok");
	fflush(stdout);
	os_redirect_to_null(STDOUT_FILENO);
	os_close_inherited(keep_none); /* a process may wait for the end of a pipe */
	if (!debug)
		os_redirect_to_null(STDERR_FILENO);
}

int cmd_credential_cache_daemon(int argc, const char **argv, struct command_ctx *ctx UNUSED)
{
	int debug = 0, listener = -1;
	struct option opts[] = {
		OPT_BOOL(0, "debug", &debug, "print debugging messages to stderr"),
		OPT_END()
	};
	struct cache cache = { .until_ms = monotonic_ms() + IDLE_MS };
	struct tempfile *name = NULL;
	struct err err = ERR_INIT;

	argc = parse_options(argc, argv, opts, usage, 0);
	if (argc != 1)
		usage_with_options(usage, opts);
	if (prepare(&listener, argv[0], &err) < 0)
		return report_fatal(&err);
	if (listener < 0) {
		puts("ok"); /* who asked for it finds it */
		return finish_stdout();
	}
	name = tempfile_register(argv[0]);
	go_on_alone(debug);
	serve_all(&cache, listener, &name);
	tempfile_delete(&name);
	return 0;
}

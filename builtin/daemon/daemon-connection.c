/* SPDX-License-Identifier: GPL-2.0-only */
/* One connection of git daemon: the request, whether it is allowed, the service. */
#include "compat/posix.h"
#include <netdb.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include "builtin/daemon/daemon.h"
#include "builtin/server/service.h"
#include "cli/git-options.h"
#include "config/config.h"
#include "repo/repo.h"
#include "util/alloc.h"
#include "util/path.h"
#include "util/run-command.h"
#include "wire/pkt-line.h"

#define HOOK_MESSAGE_MAX ((size_t)64 * 1024)

/* ---- who is there ---- */

/* REMOTE_ADDR and REMOTE_PORT, for hooks and services; none where it is no socket. */
static void export_peer(void)
{
	struct sockaddr_storage sa;
	socklen_t len = sizeof(sa);
	char address[NI_MAXHOST], port[NI_MAXSERV];
	char *text;

	unsetenv("REMOTE_ADDR");
	unsetenv("REMOTE_PORT");
	if (getpeername(0, (struct sockaddr *)&sa, &len) ||
	    (sa.ss_family != AF_INET && sa.ss_family != AF_INET6) ||
	    getnameinfo((struct sockaddr *)&sa, len, address, sizeof(address), port, sizeof(port),
			NI_NUMERICHOST | NI_NUMERICSERV))
		return;
	text = xstrfmt(sa.ss_family == AF_INET6 ? "[%s]" : "%s", address);
	setenv("REMOTE_ADDR", text, 1);
	setenv("REMOTE_PORT", port, 1);
	daemon_log_info("Connection from %s:%s", text, port);
	free(text);
}

/* ---- the request ---- */

static void request_took_too_long(int sig UNUSED)
{
	static const char text[] = "git daemon: no request came in time\n";

	if (write(2, text, sizeof(text) - 1) < 0)
		_exit(2);
	_exit(1);
}

/* 0, or the exit code where none came or it is malformed, which is logged. */
static int read_request(const struct daemon_options *o, struct daemon_request *rq)
{
	struct strbuf line = STRBUF_INIT;
	struct err err = ERR_INIT;
	int kind, rc;

	if (o->init_timeout_s) {
		signal(SIGALRM, request_took_too_long);
		alarm((unsigned)o->init_timeout_s);
	}
	kind = pkt_read(0, &line, &err);
	alarm(0);
	if (kind == PKT_DATA)
		rc = daemon_request_parse(rq, line.buf, line.len, &err);
	else if (kind == PKT_EOF)
		rc = err_set(&err, ERR_CORRUPT, "the remote end hung up unexpectedly");
	else
		rc = kind < 0 ? kind : err_set(&err, ERR_UNSUPPORTED, "Protocol error: ''");
	if (rc)
		daemon_log_error("%s", err_message(&err));
	strbuf_release(&line);
	err_release(&err);
	if (kind < 0 || kind == PKT_EOF)
		return 1;
	return !rc ? 0 : rc == ERR_UNSUPPORTED ? 255 : 128;
}

static void log_request(const struct daemon_request *rq)
{
	if (rq->said_host)
		daemon_log_info("Extended attribute \"host\": %s", rq->said_host);
	if (rq->protocol)
		daemon_log_info("Extended attribute \"protocol\": %s", rq->protocol);
	daemon_log_info("Request %s for '%s'", rq->service, rq->path);
}

/* ---- refusing ---- */

/* Tell the client; `why` only where that is allowed. Returns the exit code. */
static int refuse(const struct daemon_options *o, const struct daemon_request *rq, const char *why)
{
	struct err err = ERR_INIT;

	if (!o->informative_errors)
		why = "access denied or repository not exported";
	if (pkt_writef(1, &err, "ERR %s: %s", why, rq->path) < 0)
		daemon_log_error("%s", err_message(&err));
	err_release(&err);
	return 255;
}

/* daemon.SERVICE of the repository; < 0: its configuration cannot be read. */
static int is_enabled_here(const struct daemon_service *s)
{
	struct config_set *c = NULL;
	char *top = NULL, *prefix = NULL;
	struct err err = ERR_INIT;
	bool enabled = s->enabled;
	int rc = repo_read_early_config(&c, &top, &prefix, &err);

	if (!rc)
		rc = config_get_bool(c, s->key, &enabled, &err);
	if (rc < 0)
		daemon_log_error("%s", err_message(&err));
	config_set_free(c);
	free(top);
	free(prefix);
	err_release(&err);
	return rc < 0 ? rc : enabled;
}

/* Ask --access-hook. The first line that it prints says to the client why not. */
static int ask_hook(const struct daemon_options *o, const struct daemon_request *rq,
		    struct daemon_host *h, const char *path)
{
	struct child_process cp = CHILD_PROCESS_INIT;
	struct strbuf said = STRBUF_INIT;
	struct err err = ERR_INIT;
	int code;

	strvec_pushl(&cp.args, o->access_hook, rq->service, path, h->name ? h->name : "",
		     daemon_host_canonical(h), daemon_host_address(h), h->port ? h->port : "", NULL);
	cp.no_stdin = true;
	code = pipe_command(&cp, NULL, 0, &said, NULL, HOOK_MESSAGE_MAX, &err);
	if (code) {
		strbuf_setlen(&said, strcspn(said.buf, "\n"));
		strbuf_rtrim(&said);
		daemon_log_error("'%s': %s", rq->path, code < 0 ? err_message(&err) : "service rejected");
		code = refuse(o, rq, said.len && code > 0 ? said.buf : "service rejected");
	}
	err_release(&err);
	strbuf_release(&said);
	return code;
}

/* ---- the service ---- */

/* Also without --informative-errors: it says nothing about a repository. */
static int refuse_missing(const char *service)
{
	struct err err = ERR_INIT;

	daemon_log_error("'%s': this server has no such command", service);
	if (pkt_writef(1, &err, "ERR this server has no git %s", service) < 0)
		daemon_log_error("%s", err_message(&err));
	err_release(&err);
	return 255;
}

/*
 * The child speaks with the client by itself; what it says on standard error goes to the log.
 * gitdir: the child starts there.
 */
static int run_service(const struct daemon_options *o, const struct daemon_request *rq,
		       const char *gitdir)
{
	struct child_process cp = CHILD_PROCESS_INIT;
	struct err err = ERR_INIT;
	int code;

	push_own_command(&cp.args, rq->service);
	if (!strcmp(rq->service, "upload-pack")) {
		strvec_push(&cp.args, "--strict");
		if (o->timeout_s)
			strvec_pushf(&cp.args, "--timeout=%d", o->timeout_s);
	}
	strvec_push(&cp.args, ".");
	strvec_push(&cp.env, "GIT_DIR"); /* that is where we are now */
	if (rq->protocol)
		strvec_pushf(&cp.env, "GIT_PROTOCOL=%s", rq->protocol);
	else
		strvec_push(&cp.env, "GIT_PROTOCOL");
	cp.dir = gitdir;
	cp.err = -1;
	code = start_command(&cp, &err);
	if (code < 0) {
		daemon_log_error("%s", err_message(&err));
	} else {
		close(0); /* the client sees the end of the child, not ours */
		close(1);
		daemon_log_relay(cp.err);
		code = finish_command(&cp);
	}
	child_process_release(&cp);
	err_release(&err);
	return code < 0 ? 255 : code;
}

/* The repository is the cwd; `path` is its name. */
static int serve_entered(const struct daemon_options *o, const struct daemon_service *s,
			 const struct daemon_request *rq, struct daemon_host *h, const char *path)
{
	char *gitdir = xgetcwd();
	int enabled, code;

	if (!gitdir) {
		daemon_log_error("'%s': %s", path, strerror(errno));
		return refuse(o, rq, "no such repository");
	}
	if (!o->export_all && access("git-daemon-export-ok", F_OK)) {
		daemon_log_error("'%s': repository not exported.", path);
		free(gitdir);
		return refuse(o, rq, "repository not exported");
	}
	enabled = s->overridable ? is_enabled_here(s) : s->enabled;
	if (enabled <= 0) {
		daemon_log_error("'%s': service not enabled for '%s'", s->name, path);
		code = refuse(o, rq, "service not enabled");
	} else {
		code = o->access_hook ? ask_hook(o, rq, h, path) : 0;
		if (!code)
			code = service_is_there(o->ctx, s->name) ? run_service(o, rq, gitdir) :
			       refuse_missing(s->name);
	}
	free(gitdir);
	return code;
}

static int serve_request(const struct daemon_options *o, const struct daemon_request *rq)
{
	struct daemon_host h = { rq->host, rq->port, NULL, NULL };
	const struct daemon_service *s = NULL;
	char *path = NULL;
	int code;

	for (size_t i = 0; !s && i < DAEMON_NR_SERVICES; i++)
		if (!strcmp(rq->service, o->services[i].name))
			s = &o->services[i];
	if (!s)
		BUG("a service that is not in the list: %s", rq->service);
	if (!s->enabled && !s->overridable) {
		daemon_log_error("'%s': service not enabled.", s->name);
		return refuse(o, rq, "service not enabled");
	}
	if (daemon_enter(o, &h, rq->path, &path))
		code = serve_entered(o, s, rq, &h, path);
	else
		code = refuse(o, rq, "no such repository");
	daemon_host_release(&h);
	free(path);
	return code;
}

/*
 * Unsets variables that describe a repository of the user who started us; settings given by -c are
 * kept.
 */
static void forget_own_repository(void)
{
	for (const char *const *name = repo_local_env; *name; name++)
		if (!starts_with(*name, "GIT_CONFIG"))
			unsetenv(*name);
}

int daemon_serve(const struct daemon_options *o)
{
	struct daemon_request rq = DAEMON_REQUEST_INIT;
	int code;

	forget_own_repository();
	export_peer();
	code = read_request(o, &rq);
	if (!code) {
		log_request(&rq);
		code = serve_request(o, &rq);
	}
	daemon_request_release(&rq);
	return code;
}

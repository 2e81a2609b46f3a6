/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of git daemon. */
#ifndef BUILTIN_DAEMON_DAEMON_H
#define BUILTIN_DAEMON_DAEMON_H

#include "compat/posix.h"
#include "builtin/builtin.h"
#include "util/strvec.h"
#include "wire/daemon-request.h"

/* ---- what it was asked to do ---- */

struct daemon_service {
	const char *name;  /* "upload-pack" */
	const char *key;   /* of the configuration that may override it */
	bool enabled, overridable;
};
#define DAEMON_NR_SERVICES 3

struct daemon_options {
	int verbose, export_all, strict, informative_errors, base_path_relaxed;
	const char *base_path, *interpolated_path, *access_hook;
	const char *user_path; /* NULL: "~" is refused; "": the home itself; else a directory there */
	int timeout_s, init_timeout_s; /* 0: none */
	int max_connections;	       /* 0: any number */
	const char *const *directories; /* all that may be served; none: everything */
	struct daemon_service services[DAEMON_NR_SERVICES];
	const struct command_ctx *ctx; /* which commands there are */
};

/* ---- daemon-log.c ---- */

enum daemon_log { DAEMON_LOG_STDERR, DAEMON_LOG_SYSLOG, DAEMON_LOG_NONE };
void daemon_log_open(enum daemon_log to, bool verbose);
/* One line; control characters in it become '?', since clients have a say in it. */
void daemon_log_error(const char *fmt, ...) PRINTF_LIKE(1, 2);
void daemon_log_info(const char *fmt, ...) PRINTF_LIKE(1, 2); /* with --verbose */
/*
 * It cannot start. Goes to syslog if that is the log, with exit code 1: standard error may be a client. Else as
 * die().
 */
NORETURN void daemon_die(const char *fmt, ...) PRINTF_LIKE(1, 2);
/* Each line that comes from fd, until it ends, as an error; closes fd. */
void daemon_log_relay(int fd);

/* ---- daemon-path.c ---- */

/* The server's side of a connection, for templates and hooks. */
struct daemon_host {
	const char *name; /* what the client said, or NULL */
	const char *port; /* the same */
	char *canonical;  /* looked up when it is needed */
	char *address;	  /* ours, of this connection */
};
void daemon_host_release(struct daemon_host *h);
const char *daemon_host_canonical(struct daemon_host *h);
const char *daemon_host_address(struct daemon_host *h);

/*
 * Change to the repository that a client's path means, if it may be served. *path is the name
 * that was found; caller frees. False: refused, and logged why.
 */
bool daemon_enter(const struct daemon_options *o, struct daemon_host *h, const char *asked,
		  char **path);

/* ---- daemon-connection.c ---- */

/* Serve the client at standard input and output, up to the end. Returns an exit code. */
int daemon_serve(const struct daemon_options *o);

/* ---- daemon-listen.c ---- */

struct daemon_listeners {
	int *fds;
	size_t nr;
};
/*
 * Bind and listen at the addresses of the names in `hosts`, or at all if it is empty. Dies if there is no socket;
 * one that cannot be had is logged.
 */
void daemon_listen(struct daemon_listeners *l, const struct strvec *hosts, const char *port,
		   bool reuse_address);

/* Logs "Listening on ADDRESS:PORT" for each socket, if --verbose is given. */
void daemon_log_places(const struct daemon_listeners *l);

/* ---- daemon-loop.c ---- */

/* Accept connections, each served by a child, until SIGTERM or SIGINT comes, which is returned. */
int daemon_loop(const struct daemon_options *o, struct daemon_listeners *l);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* git-daemon(1): the server of git://. */
#include "compat/posix.h"
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include "builtin/daemon/daemon.h"
#include "fs/file.h"
#include "fs/tempfile.h"
#include "util/alloc.h"
#include "write-or-die.h"

#define DEFAULT_PORT 9418
#define NO_PORT INT_MIN /* none was given */

/*
 * A request comes at once. Without a limit, silent connections from --max-connections addresses would
 * keep all others out.
 */
#define INIT_TIMEOUT_S 30

static const char *const usage[] = {
	"git daemon [--verbose] [--syslog] [--export-all]\n"
	"[--timeout=<n>] [--init-timeout=<n>] [--max-connections=<n>]\n"
	"[--strict-paths] [--base-path=<path>] [--base-path-relaxed]\n"
	"[--user-path | --user-path=<path>]\n"
	"[--interpolated-path=<path>]\n"
	"[--reuseaddr] [--pid-file=<file>]\n"
	"[--(enable|disable|allow-override|forbid-override)=<service>]\n"
	"[--access-hook=<path>] [--[no-]informative-errors]\n"
	"[--inetd | [--listen=<host_or_ipaddr>] [--port=<n>]\n"
	"           [--detach] [--user=<user> [--group=<group>]]\n"
	"[--log-destination=(stderr|syslog|none)]\n"
	"[<directory>...]",
	NULL
};

/* What the command line says beyond struct daemon_options. */
struct command_line {
	struct daemon_options o;
	int inetd, detach, reuse_address, port;
	struct strvec listen;
	const char *log, *user, *group, *pid_file;
};

/* ---- options ---- */

static int set_service(const struct option *opt, const char *arg, int unset UNUSED)
{
	struct daemon_options *o = opt->value;
	const char *what = opt->long_name;

	for (size_t i = 0; i < DAEMON_NR_SERVICES; i++) {
		struct daemon_service *s = &o->services[i];

		if (strcmp(s->name, arg))
			continue;
		if (ends_with(what, "able"))
			s->enabled = *what == 'e';
		else
			s->overridable = *what == 'a';
		return 0;
	}
	die("No such service %s", arg);
}

static int set_user_path(const struct option *opt, const char *arg, int unset)
{
	*(const char **)opt->value = unset ? NULL : arg ? arg : "";
	return 0;
}

/* The last of --syslog and --log-destination counts. */
static int set_syslog(const struct option *opt, const char *arg UNUSED, int unset UNUSED)
{
	*(const char **)opt->value = "syslog";
	return 0;
}

static int set_number(const struct option *opt, const char *arg, int unset UNUSED)
{
	int v, least = strcmp(opt->long_name, "max-connections") ? 0 : INT_MIN;

	if (!parse_int_strict(arg, &v) || v < least)
		die("invalid %s '%s', expecting %s integer", opt->long_name, arg,
		    least ? "an" : "a non-negative");
	*(int *)opt->value = v;
	return 0;
}

#define OPT_NUMBER(l, v, h) OPT_CALLBACK_F(0, l, OPT_VALUE(int, v), "n", h, PARSE_OPT_NONEG, set_number)
#define OPT_SERVICE(l, h) OPT_CALLBACK_F(0, l, o, "service", h, PARSE_OPT_NONEG, set_service)

static int parse(struct command_line *c, int argc, const char **argv)
{
	struct daemon_options *o = &c->o;
	struct option opts[] = {
		OPT_BOOL(0, "verbose", &o->verbose, "log connections and requests"),
		OPT_CALLBACK_F(0, "syslog", &c->log, NULL, "log to syslog",
			       PARSE_OPT_NOARG | PARSE_OPT_NONEG, set_syslog),
		OPT_STRING(0, "log-destination", &c->log, "stderr|syslog|none", "where to log"),
		OPT_BOOL(0, "export-all", &o->export_all,
			 "serve repositories without git-daemon-export-ok as well"),
		OPT_NUMBER("timeout", &o->timeout_s, "seconds that a client may be silent"),
		OPT_NUMBER("init-timeout", &o->init_timeout_s, "seconds until the request has come"),
		OPT_NUMBER("max-connections", &o->max_connections,
			   "connections at a time (0: any number)"),
		OPT_BOOL(0, "strict-paths", &o->strict, "take paths as they are"),
		OPT_STRING(0, "base-path", &o->base_path, "path", "put before each path"),
		OPT_BOOL(0, "base-path-relaxed", &o->base_path_relaxed,
			 "try the path without the base path as well"),
		OPT_CALLBACK_F(0, "user-path", &o->user_path, "path",
			       "serve ~user/, or that directory there", PARSE_OPT_OPTARG,
			       set_user_path),
		OPT_STRING(0, "interpolated-path", &o->interpolated_path, "template",
			   "the path, made of %H, %CH, %IP, %P and %D"),
		OPT_SERVICE("enable", "enable a service"),
		OPT_SERVICE("disable", "disable a service"),
		OPT_SERVICE("allow-override", "repositories may enable or disable it"),
		OPT_SERVICE("forbid-override", "repositories have no say in it"),
		OPT_STRING(0, "access-hook", &o->access_hook, "path", "ask this program first"),
		OPT_BOOL(0, "informative-errors", &o->informative_errors,
			 "tell clients why they are refused"),
		OPT_BOOL(0, "inetd", &c->inetd, "serve the client at standard input and output"),
		OPT_STRVEC(0, "listen", &c->listen, "host-or-address", "listen there"),
		OPT_INTEGER(0, "port", &c->port, "listen on this port (0: one that is free)"),
		OPT_BOOL(0, "reuseaddr", &c->reuse_address, "use SO_REUSEADDR"),
		OPT_BOOL(0, "detach", &c->detach, "go on in the background"),
		OPT_STRING(0, "pid-file", &c->pid_file, "file", "write the process id there"),
		OPT_STRING(0, "user", &c->user, "user", "become this user"),
		OPT_STRING(0, "group", &c->group, "group", "become this group, with --user"),
		OPT_END()
	};

	if (argc > 1 && !strcmp(argv[1], "-h"))
		usage_with_options(usage, opts);
	return parse_options(argc, argv, opts, usage, 0);
}

static enum daemon_log log_destination(const struct command_line *c)
{
	const char *to = c->log ? c->log : c->inetd || c->detach ? "syslog" : "stderr";

	if (!strcmp(to, "stderr"))
		return DAEMON_LOG_STDERR;
	if (!strcmp(to, "syslog"))
		return DAEMON_LOG_SYSLOG;
	if (strcmp(to, "none"))
		die("unknown log destination '%s'", to);
	return DAEMON_LOG_NONE;
}

static void check(struct command_line *c)
{
	if (c->inetd && (c->detach || c->user || c->group))
		daemon_die("--detach, --user and --group are incompatible with --inetd");
	if (c->inetd && (c->listen.nr || c->port != NO_PORT))
		daemon_die("--listen= and --port= are incompatible with --inetd");
	if (c->port != NO_PORT && (c->port > 65535 || c->port < 0))
		daemon_die("bad port %d", c->port);
	if (c->group && !c->user)
		daemon_die("--group supplied without --user");
	if (c->o.strict && !*c->o.directories)
		daemon_die("option --strict-paths requires '<directory>' arguments");
	if (c->o.base_path) {
		struct stat st;

		if (stat(c->o.base_path, &st) < 0 || !S_ISDIR(st.st_mode))
			daemon_die("base-path '%s' does not exist or is not a directory",
				   c->o.base_path);
	}
	if (c->o.max_connections < 0)
		c->o.max_connections = 0; /* as Git has it */
}

/* ---- becoming a daemon ---- */

struct identity {
	const char *name; /* NULL: stay who we are */
	uid_t uid;
	gid_t gid;
};

/* Looked up before anything is opened, since it may fail. */
static struct identity find_identity(const char *user, const char *group)
{
	struct identity id = { user, 0, 0 };
	struct passwd *pw = user ? getpwnam(user) : NULL;
	struct group *gr = group ? getgrnam(group) : NULL;

	if (user && !pw)
		daemon_die("user not found - %s", user);
	if (group && !gr)
		daemon_die("group not found - %s", group);
	if (pw) {
		id.uid = pw->pw_uid;
		id.gid = gr ? gr->gr_gid : pw->pw_gid;
	}
	return id;
}

/* Gives up all groups of the user who started us, and the way back. */
static void drop_privileges(const struct identity *id)
{
	if (!id->name)
		return;
	if (initgroups(id->name, id->gid) < 0 || setgid(id->gid) < 0 || setuid(id->uid) < 0)
		daemon_die("cannot drop privileges: %s", strerror(errno));
	if (id->uid && (setuid(0) == 0 || seteuid(0) == 0))
		daemon_die("cannot drop privileges: they could be had back");
}

static void redirect_to_null(int fd)
{
	int null = open("/dev/null", fd ? O_WRONLY : O_RDONLY); /* check-calls: a device */

	if (null >= 0 && null != fd) {
		dup2(null, fd);
		close(null);
	}
}

static void detach(void)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork failed: %s", strerror(errno));
	if (pid)
		_exit(0);
	if (setsid() < 0)
		die("setsid failed: %s", strerror(errno));
	for (int fd = 0; fd < 3; fd++)
		redirect_to_null(fd);
}

/* Removed when we end. NULL: none is wanted. */
static struct tempfile *write_pid_file(const char *path)
{
	struct tempfile *file = NULL;
	struct err err = ERR_INIT;
	char *text = xstrfmt("%d\n", (int)getpid());

	/* one that is there is of a daemon that was killed: it has our address otherwise */
	if (path && (remove_file(path, &err) < 0 || tempfile_create(&file, path, 0644, &err) < 0 ||
		     write_in_full(file->fd, text, strlen(text), path, &err) < 0 ||
		     tempfile_close(file, &err) < 0))
		die_err(&err);
	free(text);
	return file;
}

static int stand_alone(struct command_line *c)
{
	struct identity id = find_identity(c->user, c->group);
	struct daemon_listeners l = { NULL, 0 };
	struct tempfile *pid_file;
	char port[12];
	int sig;

	snprintf(port, sizeof(port), "%d", c->port == NO_PORT ? DEFAULT_PORT : c->port);
	daemon_listen(&l, &c->listen, port, c->reuse_address);
	if (c->detach)
		detach();
	pid_file = write_pid_file(c->pid_file);
	drop_privileges(&id);
	sig = daemon_loop(&c->o, &l);
	tempfile_delete(&pid_file);
	for (size_t i = 0; i < l.nr; i++)
		close(l.fds[i]);
	free(l.fds);
	/* Its parent sees the signal, as of any program that does not catch it. */
	signal(sig, SIG_DFL);
	raise(sig);
	return 128 + sig;
}

int cmd_daemon(int argc, const char **argv, struct command_ctx *ctx)
{
	enum daemon_log log;
	struct command_line c = {
		.o = {
			.max_connections = 32,
			.init_timeout_s = INIT_TIMEOUT_S,
			.ctx = ctx,
			.services = {
				{ "upload-archive", "daemon.uploadarch", false, true },
				{ "upload-pack", "daemon.uploadpack", true, true },
				{ "receive-pack", "daemon.receivepack", false, true },
			},
		},
		.port = NO_PORT,
		.listen = STRVEC_INIT,
	};
	int code;

	argc = parse(&c, argc, argv);
	argv[argc] = NULL;
	c.o.directories = argv;
	log = log_destination(&c);
	daemon_log_open(log, c.o.verbose);
	check(&c);
	if (c.inetd && log != DAEMON_LOG_STDERR)
		redirect_to_null(2); /* inetd makes it the client's socket */
	code = c.inetd ? daemon_serve(&c.o) : stand_alone(&c);
	strvec_clear(&c.listen);
	return code;
}

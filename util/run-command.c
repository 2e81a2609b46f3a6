/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include "compat/os.h"
#include "compat/syscalls.h"
#include "util/alloc.h"
#include "util/path.h"
#include "util/quote.h"
#include "util/run-command.h"
#include "util/trace2.h"

extern char **environ;

void child_process_init(struct child_process *cp)
{
	*cp = (struct child_process)CHILD_PROCESS_INIT;
}

void child_process_release(struct child_process *cp)
{
	strvec_clear(&cp->args);
	strvec_clear(&cp->env);
}

/* ---- finding the program ---- */

static bool is_program(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
}

char *locate_in_path(const char *name)
{
	const char *dirs = getenv("PATH");
	struct strbuf path = STRBUF_INIT;

	while (dirs && *name) {
		size_t n = strcspn(dirs, ":");

		strbuf_reset(&path);
		strbuf_add(&path, dirs, n); /* an empty one is the working directory */
		if (n)
			strbuf_addch(&path, '/');
		strbuf_addstr(&path, name);
		if (is_program(path.buf))
			return strbuf_detach(&path, NULL);
		dirs = dirs[n] ? dirs + n + 1 : NULL;
	}
	strbuf_release(&path);
	return NULL;
}

/* argv for the child; a command line with shell syntax goes through /bin/sh. */
static void make_argv(struct strvec *argv, const struct child_process *cp)
{
	const char *line = cp->args.v[0];

	if (cp->use_shell && strpbrk(line, "|&;<>()$`\\\"' \t\n*?[#~=%")) {
		strvec_pushl(argv, "/bin/sh", "-c", NULL);
		/* In the shell the arguments are "$@", and the line itself is $0. */
		strvec_pushf(argv, cp->args.nr > 1 ? "%s \"$@\"" : "%s", line);
	}
	strvec_pushv(argv, cp->args.v);
}

/* The path of argv[0]; NULL if there is none. Caller frees. */
static char *find_program(const char *name, const char *dir)
{
	char *path, *full;

	if (strchr(name, '/'))
		return xstrdup(name);
	path = locate_in_path(name);
	if (!path || !dir || is_absolute_path(path))
		return path;
	full = path_absolute(path); /* the child starts in another directory */
	free(path);
	return full;
}

/* ---- environment ---- */

static bool same_variable(const char *a, const char *b)
{
	size_t n = strcspn(a, "=");

	return strcspn(b, "=") == n && !memcmp(a, b, n);
}

/* Our environment with the changes applied; only the array is to be freed. */
static char **make_env(const struct strvec *changes)
{
	size_t nr = 0, ours = 0, i, j;
	char **env;

	while (environ[ours])
		ours++;
	ALLOC_ARRAY(env, st_add(ours, changes->nr + 1));
	for (i = 0; i < ours; i++) {
		for (j = 0; j < changes->nr; j++)
			if (same_variable(environ[i], changes->v[j]))
				break;
		if (j == changes->nr)
			env[nr++] = environ[i];
	}
	for (i = 0; i < changes->nr; i++) {
		for (j = i + 1; j < changes->nr; j++)
			if (same_variable(changes->v[i], changes->v[j]))
				break; /* a later change wins */
		if (j == changes->nr && strchr(changes->v[i], '='))
			env[nr++] = (char *)changes->v[i];
	}
	env[nr] = NULL;
	return env;
}

/* ---- descriptors ---- */

/* What the child gets as 0, 1, 2 (-1: ours are inherited), and our ends of the pipes. */
struct child_fds {
	int child[3];
	int ours[3];

};

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void child_fds_close(struct child_fds *p, bool ours)
{
	for (int i = 0; i < 3; i++) {
		close_fd(&p->child[i]);
		if (ours)
			close_fd(&p->ours[i]);
	}
}

/*
 * `wanted`: in, out and err of struct child_process. Descriptors in it belong to *p from here
 * on, even on failure. Those below 3 are moved away so that no dup2 overwrites them.
 */
static int child_fds_open(struct child_fds *p, const int wanted[3])
{
	int failed = 0;

	for (int i = 0; i < 3; i++) {
		int fd[2];

		p->child[i] = p->ours[i] = -1;
		if (!wanted[i])
			continue;
		if (wanted[i] > 0) {
			p->child[i] = wanted[i];
		} else if (os_pipe(fd) < 0) {
			failed = errno;
			continue;
		} else {
			p->child[i] = fd[i ? 1 : 0];
			p->ours[i] = fd[i ? 0 : 1];
		}
		if (p->child[i] < 3) {
			int moved = fcntl(p->child[i], F_DUPFD_CLOEXEC, 3);

			if (moved < 0)
				failed = errno;
			close(p->child[i]);
			p->child[i] = moved;
		}
	}
	if (!failed)
		return 0;
	child_fds_close(p, true);
	errno = failed;
	return -1;
}

/* ---- starting ---- */

/*
 * The signal mask that the program was started with. Our worker threads block all signals,
 * which children must not inherit.
 */
static sigset_t initial_mask;

__attribute__((constructor)) static void save_signal_mask(void)
{
	pthread_sigmask(SIG_SETMASK, NULL, &initial_mask);
}

/* What we have inherited ourselves, and would pass on, goes as well. */
static int add_detaching(posix_spawn_file_actions_t *fa)
{
	int rc = posix_spawn_file_actions_addopen(fa, 0, "/dev/null", O_RDWR, 0);

	for (int i = 1; i < 3 && !rc; i++)
		rc = posix_spawn_file_actions_adddup2(fa, 0, i);
	return rc ? rc : os_spawn_close_from(fa, 3);
}

static int add_actions(posix_spawn_file_actions_t *fa, const struct child_process *cp,
		       const struct child_fds *p)
{
	static const int order[3] = { 0, 2, 1 }; /* stdout may be a copy of stderr */
	int rc = cp->detach ? add_detaching(fa) : 0;

	for (int n = 0; n < 3 && !rc && !cp->detach; n++) {
		int i = order[n];

		if (i == 0 && cp->no_stdin)
			rc = posix_spawn_file_actions_addopen(fa, 0, "/dev/null", O_RDONLY, 0);
		else if (i == 1 && cp->stdout_to_stderr)
			rc = posix_spawn_file_actions_adddup2(fa, 2, 1);
		else if (p->child[i] >= 0)
			rc = posix_spawn_file_actions_adddup2(fa, p->child[i], i);
	}
	if (!rc && cp->dir)
		rc = os_spawn_chdir(fa, cp->dir);
	return rc;
}

/* ---- without posix_spawn ---- */

static int redirect(int i, const struct child_process *cp, const struct child_fds *p)
{
	if (cp->detach)
		return i ? dup2(0, i) : os_redirect_to_null(0);
	if (i == 0 && cp->no_stdin)
		return os_redirect_to_null(0);
	if (i == 1 && cp->stdout_to_stderr)
		return dup2(2, 1);
	return p->child[i] >= 0 ? dup2(p->child[i], i) : 0;
}

static bool child_keeps_none(int fd UNUSED)
{
	return false;
}

/* In the child: only returns if that fails. */
static void exec_in_child(const char *program, char *const *argv, char *const *env, const struct child_process *cp,
			  const struct child_fds *p)
{
	static const int order[3] = { 0, 2, 1 }; /* as in add_actions */

	signal(SIGPIPE, SIG_DFL);
	if (cp->detach && setsid() < 0)
		return;
	if (cp->detach)
		os_close_inherited(child_keeps_none);
	for (int n = 0; n < 3; n++)
		if (redirect(cp->detach ? n : order[n], cp, p) < 0)
			return;
	if (cp->dir && chdir(cp->dir) < 0)
		return;
	pthread_sigmask(SIG_SETMASK, &initial_mask, NULL);
	execve(program, argv, env);
}

/*
 * As posix_spawn, which fails with EPERM where a profile of a container forbids clone3; fork asks the kernel by the older
 * clone. ENOSYS: a system's posix_spawn lacks the new directory or the new session. Returns an errno: the child sends that of a failed exec through a pipe.
 */
static int spawn_by_fork(const char *program, char *const *argv, char *const *env, struct child_process *cp,
			 const struct child_fds *p)
{
	int fd[2], failed = 0;

	if (os_pipe(fd) < 0)
		return errno;
	cp->pid = fork();
	if (!cp->pid) {
		exec_in_child(program, argv, env, cp, p);
		failed = errno;
		_exit(write(fd[1], &failed, sizeof(failed)) < 0 ? 126 : 127);
	}
	if (cp->pid < 0)
		failed = errno;
	close(fd[1]);
	if (!failed && RETRY_EINTR(read(fd[0], &failed, sizeof(failed))) > 0)
		(void)RETRY_EINTR(waitpid(cp->pid, NULL, 0));
	close(fd[0]);
	return failed;
}

/*
 * Returns an errno. Unlike fork, posix_spawn reports a failed exec, and copies no page
 * tables, which takes time with a large index in memory.
 */
static int spawn(const char *program, char *const *argv, char *const *env,
		 struct child_process *cp, const struct child_fds *p)
{
	posix_spawn_file_actions_t fa;
	posix_spawnattr_t attr;
	sigset_t defaults;
	int rc;

	posix_spawn_file_actions_init(&fa);
	posix_spawnattr_init(&attr);
	sigemptyset(&defaults);
	sigaddset(&defaults, SIGPIPE); /* the child must not inherit that we ignore it */
	posix_spawnattr_setsigdefault(&attr, &defaults);
	posix_spawnattr_setsigmask(&attr, &initial_mask);
	rc = os_spawn_set_flags(&attr, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK, cp->detach);
	if (!rc)
		rc = add_actions(&fa, cp, p);
	if (!rc)
		rc = posix_spawn(&cp->pid, program, &fa, &attr, argv, env);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&fa);
	return rc == EPERM || rc == ENOSYS ? spawn_by_fork(program, argv, env, cp, p) : rc;
}

/* A script without "#!" is run by the shell, as a shell would do. */
static int spawn_script(const char *program, const struct strvec *argv, char *const *env,
			struct child_process *cp, const struct child_fds *p)
{
	struct strvec sh = STRVEC_INIT;
	int rc;

	strvec_pushl(&sh, "/bin/sh", program, NULL);
	strvec_pushv(&sh, argv->v + 1);
	rc = spawn("/bin/sh", (char *const *)sh.v, env, cp, p);
	strvec_clear(&sh);
	return rc;
}

static int start_error(const struct child_process *cp, int failure, struct err *err)
{
	const char *name = cp->args.v[0];
	struct stat st;

	errno = failure;
	if (cp->dir && (failure == ENOENT || failure == ENOTDIR) &&
	    (stat(cp->dir, &st) || !S_ISDIR(st.st_mode))) {
		errno = failure;
		return err_set_errno(err, "cannot run %s: cannot change to '%s'", name,
				     cp->dir);
	}
	if (failure == ENOENT || failure == ENOTDIR)
		return err_set(err, ERR_NOT_FOUND, "cannot run %s: %s", name,
			       strerror(failure));
	return err_set_errno(err, "cannot run %s", name);
}

static void trace_start(struct child_process *cp, const struct strvec *argv)
{
	cp->trace2_id = trace2_child_start(argv->v, NULL);
	if (trace_want("GIT_TRACE")) {
		struct strbuf line = STRBUF_INIT;

		for (size_t i = 0; i < argv->nr; i++) {
			strbuf_addch(&line, ' ');
			sq_quote_pretty(&line, argv->v[i]);
		}
		trace_printf("GIT_TRACE", "trace: run_command:%s", line.buf);
		strbuf_release(&line);
	}
}

/* ---- programs that start each other ---- */

#define NESTING "SLUICE_NESTING"
#define NESTING_MAX 100

/* How many of our processes are among our ancestors, we among them. */
static int nesting_next(const char *name, struct err *err)
{
	const char *text = getenv(NESTING);
	int depth = text ? atoi(text) : 0;

	if (depth >= NESTING_MAX)
		return err_set(err, ERR_ABORTED, "cannot run %s: %d programs have started each other, which looks endless",
			       name, NESTING_MAX);
	return depth < 0 ? 1 : depth + 1;
}

int nesting_before_exec(const char *name, struct err *err)
{
	int depth = nesting_next(name, err);
	char text[16];

	if (depth < 0)
		return depth;
	snprintf(text, sizeof(text), "%d", depth);
	setenv(NESTING, text, 1);
	return 0;
}

int start_command(struct child_process *cp, struct err *err)
{
	const int wanted[3] = { cp->no_stdin ? 0 : cp->in, cp->stdout_to_stderr ? 0 : cp->out,
				cp->err };
	struct child_fds p;
	struct strvec argv = STRVEC_INIT;
	char *program = NULL, **env = NULL;
	int rc = ENOENT, depth = nesting_next(cp->args.v[0], err);

	cp->pid = -1;
	if (child_fds_open(&p, wanted) < 0)
		return err_set_errno(err, "cannot create pipe for %s", cp->args.v[0]);
	if (depth < 0) {
		child_fds_close(&p, true);
		return depth;
	}
	strvec_pushf(&cp->env, NESTING "=%d", depth);
	make_argv(&argv, cp);
	trace_start(cp, &argv);
	program = find_program(argv.v[0], cp->dir);
	if (program) {
		env = make_env(&cp->env);
		rc = spawn(program, (char *const *)argv.v, env, cp, &p);
		if (rc == ENOEXEC)
			rc = spawn_script(program, &argv, env, cp, &p);
	}
	child_fds_close(&p, rc != 0);
	free(env);
	free(program);
	strvec_clear(&argv);
	if (rc) {
		cp->pid = -1;
		trace2_child_exit(cp->trace2_id, -1, -1);
		return start_error(cp, rc, err);
	}
	if (cp->in < 0)
		cp->in = p.ours[0];
	if (cp->out < 0 && !cp->stdout_to_stderr)
		cp->out = p.ours[1];
	if (cp->err < 0)
		cp->err = p.ours[2];
	return 0;
}

/* ---- ending ---- */

int finish_command(struct child_process *cp)
{
	int status, code = -1;
	pid_t got;

	if (cp->pid <= 0)
		return -1;
	do
		got = waitpid(cp->pid, &status, 0);
	while (got < 0 && errno == EINTR);
	if (got == cp->pid && WIFEXITED(status))
		code = WEXITSTATUS(status);
	else if (got == cp->pid && WIFSIGNALED(status))
		code = 128 + WTERMSIG(status);
	trace2_child_exit(cp->trace2_id, (int)cp->pid, code);
	cp->pid = -1;
	return code;
}

int run_command(struct child_process *cp, struct err *err)
{
	int code = start_command(cp, err);

	if (!code) {
		code = finish_command(cp);
		if (code < 0)
			err_set_errno(err, "cannot wait for %s", cp->args.v[0]);
	}
	child_process_release(cp);
	return code;
}

/* ---- input and output through pipes ---- */

/* A child need not read all of its input: writing gives EPIPE then, without a SIGPIPE. */
struct sigpipe_guard {
	sigset_t before;
	bool was_pending;
};

static void sigpipe_block(struct sigpipe_guard *g)
{
	sigset_t set;

	sigpending(&set);
	g->was_pending = sigismember(&set, SIGPIPE);
	sigemptyset(&set);
	sigaddset(&set, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &set, &g->before);
}

static void sigpipe_unblock(const struct sigpipe_guard *g)
{
	sigset_t set;
	int sig;

	sigpending(&set);
	if (!g->was_pending && sigismember(&set, SIGPIPE)) {
		sigemptyset(&set);
		sigaddset(&set, SIGPIPE);
		sigwait(&set, &sig); /* consume the signal that our write caused */
	}
	pthread_sigmask(SIG_SETMASK, &g->before, NULL);
}

/* One pipe: data to write to it, or a buffer for data read from it. */
struct transfer {
	int *fd;
	const char *in;
	size_t in_len;
	struct strbuf *out;
	size_t out_max; /* of out->len; 0: no limit */
};

static int write_some(struct transfer *t)
{
	size_t piece = t->in_len < MAX_IO_SIZE ? t->in_len : MAX_IO_SIZE;
	ssize_t n = piece ? write(*t->fd, t->in, piece) : 0;

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return 0;
	if (n < 0 && errno != EPIPE)
		return -1;
	if (n > 0) {
		t->in += n;
		t->in_len -= (size_t)n;
	}
	if (n < 0 || !t->in_len)
		close_fd(t->fd);
	return 0;
}

static int read_some(struct transfer *t)
{
	ssize_t n;

	strbuf_grow(t->out, 65536);
	n = read(*t->fd, t->out->buf + t->out->len, strbuf_avail(t->out));
	if (n < 0)
		return errno == EINTR || errno == EAGAIN ? 0 : -1;
	if (!n) {
		close_fd(t->fd);
		return 0;
	}
	strbuf_setlen(t->out, t->out->len + (size_t)n);
	if (t->out_max && t->out->len > t->out_max) {
		errno = EFBIG;
		return -1;
	}
	return 0;
}

static int transfer_all(struct transfer *transfers, size_t nr)
{
	for (;;) {
		struct pollfd pfd[3];
		struct transfer *owner[3];
		nfds_t n = 0;

		for (size_t i = 0; i < nr; i++) {
			if (*transfers[i].fd < 0)
				continue;
			pfd[n].fd = *transfers[i].fd;
			pfd[n].events = transfers[i].out ? POLLIN : POLLOUT;
			owner[n++] = &transfers[i];
		}
		if (!n)
			return 0;
		if (poll(pfd, n, -1) < 0) {
			if (errno == EINTR)
				continue;
			return -1;
		}
		for (nfds_t i = 0; i < n; i++) {
			if (!(pfd[i].revents & (POLLIN | POLLOUT | POLLHUP | POLLERR | POLLNVAL)))
				continue;
			if ((owner[i]->out ? read_some : write_some)(owner[i]) < 0)
				return -1;
		}
	}
}

static int transfer_error(const struct child_process *cp, size_t max_out, struct err *err)
{
	if (errno == EFBIG)
		return err_set(err, ERR_TOO_BIG, "output of %s is larger than %zu bytes",
			       cp->args.v[0], max_out);
	return err_set_errno(err, "cannot exchange data with %s", cp->args.v[0]);
}

int pipe_command(struct child_process *cp, const char *in, size_t in_len,
		 struct strbuf *out, struct strbuf *errout,
		 size_t max_out, struct err *err)
{
	size_t out_before = out ? out->len : 0, err_before = errout ? errout->len : 0;
	struct transfer transfers[3];
	struct sigpipe_guard guard;
	size_t nr = 0;
	int ret, code;

	if (in)
		cp->in = -1;
	if (out)
		cp->out = -1;
	if (errout)
		cp->err = -1;
	ret = start_command(cp, err);
	if (ret < 0)
		goto out;

	if (in) {
		fcntl(cp->in, F_SETFL, fcntl(cp->in, F_GETFL) | O_NONBLOCK);
		transfers[nr++] = (struct transfer){ &cp->in, in, in_len, NULL, 0 };
	}
	if (out)
		transfers[nr++] = (struct transfer){ &cp->out, NULL, 0, out,
					     max_out ? st_add(out_before, max_out) : 0 };
	if (errout)
		transfers[nr++] = (struct transfer){ &cp->err, NULL, 0, errout,
					     max_out ? st_add(err_before, max_out) : 0 };
	sigpipe_block(&guard);
	if (transfer_all(transfers, nr) < 0)
		ret = transfer_error(cp, max_out, err);
	sigpipe_unblock(&guard);
	for (size_t i = 0; i < nr; i++)
		close_fd(transfers[i].fd);

	code = finish_command(cp);
	if (!ret && code < 0)
		ret = err_set_errno(err, "cannot wait for %s", cp->args.v[0]);
	if (!ret)
		ret = code;
out:
	if (ret < 0 && out)
		strbuf_setlen(out, out_before);
	if (ret < 0 && errout)
		strbuf_setlen(errout, err_before);
	child_process_release(cp);
	return ret;
}

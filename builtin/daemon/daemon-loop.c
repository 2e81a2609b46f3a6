/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * git daemon's loop: it accepts connections, starts a process for each, and removes ended ones. Each is a process group, so that it can be ended with its children.
 */
#include "compat/posix.h"
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include "builtin/daemon/daemon.h"
#include "compat/os.h"
#include "compat/socket.h"
#include "util/alloc.h"
#include "wire/pkt-line.h"

struct connection {
	pid_t pid;
	unsigned char address[16]; /* of the client; zeros behind one that is shorter */
	bool ending;		   /* it has got a signal to end, and counts no more */
};

/* Connections that were turned away and are still open: see turn_away. */
#define NR_REFUSED 32

struct loop {
	const struct daemon_options *o;
	struct daemon_listeners *listeners;
	struct connection *live; /* oldest first */
	size_t nr, alloc;
	int refused[NR_REFUSED]; /* -1: none */
	size_t next_refused;
};

/* ---- signals ---- */

static volatile sig_atomic_t must_end;
static int wake[2]; /* a pipe: signals end the wait */

static void on_signal(int sig)
{
	int saved = errno;

	if (sig != SIGCHLD)
		must_end = sig;
	if (write(wake[1], "", 1) < 0)
		errno = 0; /* it is full: the wait ends anyway */
	errno = saved;
}

static void catch_signals(void)
{
	static const int signals[] = { SIGCHLD, SIGTERM, SIGINT };
	struct sigaction sa = { .sa_handler = on_signal, .sa_flags = SA_RESTART };

	if (os_pipe(wake) < 0)
		die("cannot create a pipe: %s", strerror(errno));
	for (int i = 0; i < 2; i++)
		fcntl(wake[i], F_SETFL, fcntl(wake[i], F_GETFL) | O_NONBLOCK);
	sigemptyset(&sa.sa_mask);
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		sigaction(signals[i], &sa, NULL);
	signal(SIGPIPE, SIG_IGN); /* one that is turned away may have gone */
}

static void restore_signals(void)
{
	signal(SIGCHLD, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
}

static void drain(int fd)
{
	char buf[64];

	while (read(fd, buf, sizeof(buf)) > 0)
		;
}

/* ---- children ---- */

static void reap(struct loop *l)
{
	pid_t pid;
	int status;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		size_t i = 0;

		while (i < l->nr && l->live[i].pid != pid)
			i++;
		if (i == l->nr)
			continue;
		daemon_log_info("[%d] Disconnected%s", (int)pid, status ? " (with error)" : "");
		memmove(l->live + i, l->live + i + 1, (l->nr - i - 1) * sizeof(*l->live));
		l->nr--;
	}
}

static size_t count(const struct loop *l, const unsigned char *address)
{
	size_t n = 0;

	for (size_t i = 0; i < l->nr; i++)
		n += !l->live[i].ending &&
		     (!address || !memcmp(l->live[i].address, address, sizeof(l->live[i].address)));
	return n;
}

static int by_address(const void *a, const void *b)
{
	const struct connection *x = *(const struct connection *const *)a;
	const struct connection *y = *(const struct connection *const *)b;
	int cmp = memcmp(x->address, y->address, sizeof(x->address));

	return cmp ? cmp : (x > y) - (x < y);
}

/*
 * The youngest connection of the client that has most of them, if they are more than `most`, or as many
 * and its youngest is younger; NULL: none. *most: how many. Connections are in the order in which they came.
 */
static struct connection *find_victim(struct loop *l, size_t *most)
{
	struct connection **v = xcalloc(l->nr + 1, sizeof(*v)), *victim = NULL;
	size_t nr = 0;

	for (size_t i = 0; i < l->nr; i++)
		if (!l->live[i].ending)
			v[nr++] = &l->live[i];
	qsort(v, nr, sizeof(*v), by_address);
	for (size_t i = 0, first = 0; i < nr; i++) {
		size_t n = i - first + 1;

		if (i + 1 < nr && !memcmp(v[i]->address, v[i + 1]->address, sizeof(v[i]->address)))
			continue;
		if (n > *most || (n == *most && victim && v[i] > victim)) {
			*most = n;
			victim = v[i];
		}
		first = i + 1;
	}
	free(v);
	return victim;
}

/*
 * There are as many connections as there may be. A client that has two more than the newcomer loses its
 * youngest one, so that no client can shut others out. False: there is no such client.
 */
static bool make_room(struct loop *l, const unsigned char *newcomer)
{
	size_t most = count(l, newcomer) + 1;
	struct connection *victim = find_victim(l, &most);

	if (!victim)
		return false;
	daemon_log_error("ending connection [%d]: its client has %zu", (int)victim->pid, most);
	kill(-victim->pid, SIGTERM);
	victim->ending = true;
	return true;
}

/* ---- one that comes ---- */

static void client_address(const struct sockaddr_storage *sa, unsigned char out[16])
{
	memset(out, 0, 16);
	if (sa->ss_family == AF_INET)
		memcpy(out, &((const struct sockaddr_in *)sa)->sin_addr, 4);
	else if (sa->ss_family == AF_INET6)
		memcpy(out, &((const struct sockaddr_in6 *)sa)->sin6_addr, 16);
}

/*
 * Takes fd over. Its buffer is empty: writing does not wait. If it were closed now, the request that is
 * still on its way would be answered by a reset, which can overtake our words: it is closed when as
 * many others have come after it.
 */
static void turn_away(struct loop *l, int fd)
{
	int *place = &l->refused[l->next_refused++ % NR_REFUSED];

	daemon_log_error("Too many children, dropping connection");
	if (pkt_writef(fd, NULL, "ERR too many connections, try again later") < 0)
		daemon_log_info("the client has gone already");
	shutdown(fd, SHUT_WR);
	if (*place >= 0)
		close(*place);
	*place = fd;
}

NORETURN static void serve_in_child(struct loop *l, int fd)
{
	int code;

	setpgid(0, 0);
	restore_signals();
	for (size_t i = 0; i < l->listeners->nr; i++)
		close(l->listeners->fds[i]);
	for (size_t i = 0; i < NR_REFUSED; i++)
		if (l->refused[i] >= 0)
			close(l->refused[i]);
	close(wake[0]);
	close(wake[1]);
	if (dup2(fd, 0) < 0 || dup2(fd, 1) < 0)
		_exit(128);
	close(fd);
	code = daemon_serve(l->o);
	fflush(NULL);
	_exit(code);
}

static void start(struct loop *l, int fd, const unsigned char *address)
{
	struct connection *c;
	pid_t pid = fork();

	if (!pid)
		serve_in_child(l, fd);
	if (pid < 0) {
		daemon_log_error("unable to fork: %s", strerror(errno));
		return;
	}
	setpgid(pid, pid); /* both sides do it: neither knows who comes first */
	ALLOC_GROW(l->live, l->nr + 1, l->alloc);
	c = &l->live[l->nr++];
	c->pid = pid;
	c->ending = false;
	memcpy(c->address, address, sizeof(c->address));
}

/* False: it cannot be accepted now, for want of descriptors or memory. */
static bool accept_one(struct loop *l, int listener)
{
	struct sockaddr_storage sa = { 0 };
	socklen_t len = sizeof(sa);
	unsigned char address[16];
	int fd = os_accept(listener, (struct sockaddr *)&sa, &len);

	if (fd < 0) {
		if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) {
			daemon_log_error("accept failed: %s", strerror(errno));
			return false;
		}
		return true; /* the client has gone, a signal came */
	}
	client_address(&sa, address);
	reap(l);
	if (l->o->max_connections && count(l, NULL) >= (size_t)l->o->max_connections &&
	    !make_room(l, address)) {
		turn_away(l, fd);
	} else {
		start(l, fd, address);
		close(fd);
	}
	return true;
}

/* ---- the loop ---- */

static void wait_and_accept(struct loop *l, struct pollfd *pfd)
{
	size_t nr = l->listeners->nr;
	bool ok = true;

	if (poll(pfd, nr + 1, -1) < 0) {
		if (errno == EINTR)
			return;
		die("poll failed: %s", strerror(errno));
	}
	if (pfd[nr].revents)
		drain(wake[0]);
	reap(l);
	for (size_t i = 0; i < nr && !must_end; i++)
		if (pfd[i].revents)
			ok &= accept_one(l, l->listeners->fds[i]);
	if (!ok)
		poll(&pfd[nr], 1, 1000); /* a child that ends gives some back */
}

int daemon_loop(const struct daemon_options *o, struct daemon_listeners *listeners)
{
	struct loop l = { .o = o, .listeners = listeners };
	struct pollfd *pfd = xcalloc(listeners->nr + 1, sizeof(*pfd));

	for (size_t i = 0; i < NR_REFUSED; i++)
		l.refused[i] = -1;
	catch_signals();
	for (size_t i = 0; i <= listeners->nr; i++) {
		pfd[i].fd = i < listeners->nr ? listeners->fds[i] : wake[0];
		pfd[i].events = POLLIN;
	}
	daemon_log_info("Ready to rumble"); /* first: other programs wait for this line */
	daemon_log_places(listeners);
	while (!must_end)
		wait_and_accept(&l, pfd);
	daemon_log_info("Ending by signal %d; %zu connections go on", (int)must_end, count(&l, NULL));
	free(pfd);
	free(l.live);
	return (int)must_end;
}

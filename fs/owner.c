/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "fs/owner.h"
#include "compat/syscalls.h"
#include "fsync-batch.h"
#include "write-or-die.h"
#include <pthread.h>
#include <signal.h>

#define OWNER_VERSION '1'

static size_t read_small(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return 0;
	n = read_in_full(fd, buf, size - 1);
	close(fd);
	if (n < 0)
		return 0;
	buf[n] = '\0';
	return (size_t)n;
}

/* ---- what /proc says ---- */

struct process_stat {
	char state;
	uint64_t threads, start;
};

/*
 * proc(5): the name of the program stands in parentheses and may hold any
 * byte, so fields are counted after the last ')': state is the first.
 */
static bool read_process_stat(pid_t pid, struct process_stat *out)
{
	char path[40], buf[1024];
	char *p;

	snprintf(path, sizeof(path), "/proc/%ld/stat", (long)pid);
	if (!read_small(path, buf, sizeof(buf)) || !(p = strrchr(buf, ')')))
		return false;
	for (int field = 3; field <= 22; field++) {
		p = strchr(p, ' ');
		if (!p)
			return false;
		p++;
		if (field == 3)
			out->state = *p;
		else if (field == 20)
			out->threads = strtoull(p, NULL, 10);
	}
	out->start = strtoull(p, NULL, 10);
	return true;
}

/* The first 16 hex digits of "6f9619ff-8b86-d011-…". */
static bool read_boot_id(uint64_t *out)
{
	char buf[64];
	uint64_t id = 0;
	int digits = 0;

	read_small("/proc/sys/kernel/random/boot_id", buf, sizeof(buf));
	for (char *p = buf; *p && digits < 16; p++) {
		unsigned char c = (unsigned char)*p;

		if (c == '-')
			continue;
		if (!isxdigit(c))
			return false;
		id = id << 4 | (uint64_t)(isdigit(c) ? c - '0' : tolower(c) - 'a' + 10);
		digits++;
	}
	*out = id;
	return digits == 16;
}

/* "pid:[4026531836]" */
static uint64_t namespace_of(const char *link)
{
	char buf[64];
	ssize_t n = readlink(link, buf, sizeof(buf) - 1);
	char *p;

	if (n <= 0)
		return 0;
	buf[n] = '\0';
	p = strchr(buf, '[');
	return p ? strtoull(p + 1, NULL, 10) : 0;
}

/* /proc may be that of another pid namespace; then it proves nothing. */
static bool proc_is_ours(void)
{
	char buf[32];
	ssize_t n = readlink("/proc/self", buf, sizeof(buf) - 1);

	if (n <= 0)
		return false;
	buf[n] = '\0';
	return strtol(buf, NULL, 10) == (long)getpid();
}

static bool read_self(struct owner *o)
{
	struct process_stat st;

	memset(o, 0, sizeof(*o));
	o->pid = getpid();
	if (!proc_is_ours() || !read_boot_id(&o->boot) || !read_process_stat(o->pid, &st))
		return false;
	o->start = st.start;
	o->pid_ns = namespace_of("/proc/self/ns/pid");
	o->time_ns = namespace_of("/proc/self/ns/time"); /* 0 before Linux 5.6 */
	return o->pid_ns != 0;
}

/* Does not change while the process lives, so it is kept; a fork asks anew. */
bool owner_self(struct owner *out)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	static struct owner self;
	static bool known;
	bool ok;

	pthread_mutex_lock(&mutex);
	if (self.pid != getpid())
		known = read_self(&self);
	ok = known;
	if (ok)
		*out = self;
	pthread_mutex_unlock(&mutex);
	return ok;
}

/* ---- text ---- */

size_t owner_format(char out[OWNER_TEXT_MAX + 1], const struct owner *o, char sep)
{
	int n = snprintf(out, OWNER_TEXT_MAX + 1,
			 "%c%c%016"PRIx64"%c%"PRIx64"%c%"PRIx64"%c%ld%c%"PRIu64,
			 OWNER_VERSION, sep, o->boot, sep, o->pid_ns, sep,
			 o->time_ns, sep, (long)o->pid, sep, o->start);

	return n > 0 && n <= OWNER_TEXT_MAX ? (size_t)n : 0;
}

static bool parse_field(const char **p, int base, char end, uint64_t *out)
{
	char *after;

	if (!isxdigit((unsigned char)**p))
		return false;
	errno = 0;
	*out = strtoull(*p, &after, base);
	if (errno || *after != end)
		return false;
	*p = after + 1;
	return true;
}

bool owner_parse(struct owner *out, const char *text, size_t len, char sep)
{
	char buf[OWNER_TEXT_MAX + 1];
	const char *p = buf + 2;
	struct owner o;
	uint64_t pid;

	if (len > OWNER_TEXT_MAX || len < 2 || text[0] != OWNER_VERSION || text[1] != sep)
		return false;
	memcpy(buf, text, len);
	buf[len] = '\0';
	if (!parse_field(&p, 16, sep, &o.boot) ||
	    !parse_field(&p, 16, sep, &o.pid_ns) ||
	    !parse_field(&p, 16, sep, &o.time_ns) ||
	    !parse_field(&p, 10, sep, &pid) ||
	    !parse_field(&p, 10, '\0', &o.start))
		return false;
	if (!pid || pid > INT32_MAX)
		return false;
	o.pid = (pid_t)pid;
	*out = o;
	return true;
}

/* ---- the proof ---- */

/* Linux gives the namespaces that the machine boots with these numbers. */
#define INITIAL_PID_NS UINT64_C(0xeffffffc)
#define INITIAL_TIME_NS UINT64_C(0xeffffffa)

static bool made_before_boot(time_t made_at)
{
#ifdef CLOCK_BOOTTIME
	struct timespec now, up;

	return made_at && !clock_gettime(CLOCK_REALTIME, &now) &&
	       !clock_gettime(CLOCK_BOOTTIME, &up) &&
	       made_at < now.tv_sec - up.tv_sec - 1;
#else
	(void)made_at;
	return false;
#endif
}

/*
 * Boot ids differ. Container managers may give each container a boot id of its
 * own, so outside of the initial namespaces a second witness is needed: the
 * mark is older than this boot.
 */
static enum lock_owner other_boot(const struct owner *o, const struct owner *self,
				  time_t made_at)
{
	if (o->pid_ns == INITIAL_PID_NS && self->pid_ns == INITIAL_PID_NS)
		return LOCK_OWNER_GONE;
	if ((self->time_ns == INITIAL_TIME_NS || !self->time_ns) &&
	    made_before_boot(made_at))
		return LOCK_OWNER_GONE;
	return LOCK_OWNER_UNKNOWN;
}

enum lock_owner owner_state(const struct owner *o, time_t made_at)
{
	struct process_stat st;
	struct owner self;

	if (!owner_self(&self))
		return LOCK_OWNER_UNKNOWN;
	if (o->boot != self.boot)
		return other_boot(o, &self, made_at);
	if (o->pid_ns != self.pid_ns || o->time_ns != self.time_ns)
		return LOCK_OWNER_UNKNOWN;
	if (kill(o->pid, 0) && errno == ESRCH)
		return LOCK_OWNER_GONE;
	if (!read_process_stat(o->pid, &st))
		return LOCK_OWNER_ALIVE; /* hidden, or ending right now */
	if (st.start != o->start)
		return LOCK_OWNER_GONE; /* the pid has been used again */
	/* A zombie runs no more, unless only its first thread has ended. */
	if ((st.state == 'Z' || st.state == 'X') && st.threads <= 1)
		return LOCK_OWNER_GONE;
	return LOCK_OWNER_ALIVE;
}

bool owner_is_provable_on(int fd)
{
	return fs_is_local(fd);
}

/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "write-or-die.h"
#include "compat/syscalls.h"
#include "util/alloc.h"
#include "util/clock.h"
#include <poll.h>

/* ---- core.fsync, core.fsyncMethod (git-config(1)) ---- */

/*
 * The components that Git makes durable by default. A value of core.fsync
 * starts from this set, as in Git; only an absent or empty value means our default.
 */
#define STOCK_DEFAULT (FSYNC_PACK | FSYNC_DERIVED_METADATA)

static const struct {
	const char *word;
	unsigned components;
} component_words[] = {
	{ "loose-object", FSYNC_LOOSE_OBJECT },
	{ "pack", FSYNC_PACK },
	{ "pack-metadata", FSYNC_PACK_METADATA },
	{ "commit-graph", FSYNC_COMMIT_GRAPH },
	{ "index", FSYNC_INDEX },
	{ "reference", FSYNC_REFERENCE },
	{ "object-map", FSYNC_OBJECT_MAP },
	{ "objects", FSYNC_OBJECTS },
	{ "derived-metadata", FSYNC_DERIVED_METADATA },
	{ "committed", FSYNC_COMMITTED },
	{ "added", FSYNC_ADDED },
	{ "all", FSYNC_ALL },
	{ "default", STOCK_DEFAULT },
};

static bool component_lookup(const char *word, size_t len, unsigned *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(component_words); i++) {
		const char *w = component_words[i].word;

		if (strlen(w) == len && !strncmp(w, word, len)) {
			*out = component_words[i].components;
			return true;
		}
	}
	return false;
}

/* One word of the list, "-" prefix included. False: not known. */
static bool component_apply(const char *word, size_t len, unsigned *set)
{
	unsigned c;

	if (len == 4 && !strncmp(word, "none", 4)) {
		*set = 0;
		return true;
	}
	if (*word == '-') {
		if (!component_lookup(word + 1, len - 1, &c))
			return false;
		*set &= ~c;
		return true;
	}
	if (!component_lookup(word, len, &c))
		return false;
	*set |= c;
	return true;
}

void fsync_components_parse(const char *value, unsigned *components,
			    void (*warn)(void *data, const char *word), void *data)
{
	static const char sep[] = ", \t\n\r";
	unsigned set = STOCK_DEFAULT;
	bool any = false;

	for (const char *p = value + strspn(value, sep); *p; p += strspn(p, sep)) {
		size_t len = strcspn(p, sep);

		any = true;
		if (!component_apply(p, len, &set) && warn) {
			char *word = *p == '-' ? xstrndup(p + 1, len - 1) : xstrndup(p, len);

			warn(data, word);
			free(word);
		}
		p += len;
	}
	if (!any)
		set = FSYNC_SLUICE_DEFAULT;
	else if (set)
		set |= FSYNC_OTHER;
	*components = set;
}

int fsync_method_parse(const char *value, enum fsync_method *out)
{
	if (!strcmp(value, "fsync"))
		*out = FSYNC_METHOD_FSYNC;
	else if (!strcmp(value, "writeout-only"))
		*out = FSYNC_METHOD_WRITEOUT_ONLY;
	else if (!strcmp(value, "batch"))
		*out = FSYNC_METHOD_BATCH;
	else
		return -1;
	return 0;
}

bool fsync_disabled_by_environment(void)
{
	static const char *const no[] = { "", "0", "false", "no", "off" };
	const char *v = getenv("GIT_TEST_FSYNC");

	if (!v)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(no); i++)
		if (!strcasecmp(v, no[i]))
			return true;
	return false;
}

/* ---- full reads and writes ---- */

/* Until the descriptor is ready. False: errno says why not. */
static bool await_fd(int fd, short events, unsigned timeout_s)
{
	struct pollfd pfd = { .fd = fd, .events = events };
	int64_t end_ms = monotonic_ms() + (int64_t)timeout_s * 1000;

	for (;;) {
		int64_t left = end_ms - monotonic_ms();
		int rc = poll(&pfd, 1, !timeout_s ? -1 : left < 0 ? 0 : left > INT_MAX ? INT_MAX : (int)left);

		if (rc > 0)
			return true;
		if (rc < 0 && errno != EINTR)
			return false;
		if (!rc) {
			errno = ETIMEDOUT;
			return false;
		}
	}
}

/*
 * After a call that returned -1: true if it is to be tried again. A
 * descriptor that does not block is waited for.
 */
static bool io_again(int fd, short events, unsigned timeout_s)
{
	if (errno == EINTR)
		return true;
	if (errno != EAGAIN && errno != EWOULDBLOCK)
		return false;
	return await_fd(fd, events, timeout_s);
}

/* A write that makes no progress and gives no error would loop for ever. */
static int write_failed(ssize_t n, unsigned timeout_s, const char *what, struct err *err)
{
	if (!n)
		errno = ENOSPC;
	else if (timeout_s && errno == ETIMEDOUT)
		return err_set(err, ERR_IO, "%s: nothing has been read for %u seconds", what, timeout_s);
	return err_set_errno(err, "unable to write '%s'", what);
}

int write_to_peer(int fd, const void *buf, size_t len, unsigned timeout_s, const char *what,
		  struct err *err)
{
	const char *p = buf;

	while (len) {
		size_t piece = len < MAX_IO_SIZE ? len : MAX_IO_SIZE;
		ssize_t n = sys->write(fd, p, piece);

		if (n < 0 && io_again(fd, POLLOUT, timeout_s))
			continue;
		if (n <= 0)
			return write_failed(n, timeout_s, what, err);
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

int write_in_full(int fd, const void *buf, size_t len, const char *what, struct err *err)
{
	return write_to_peer(fd, buf, len, 0, what, err);
}

int pwrite_in_full(int fd, const void *buf, size_t len, off_t off, const char *what,
		   struct err *err)
{
	const char *p = buf;

	while (len) {
		size_t piece = len < MAX_IO_SIZE ? len : MAX_IO_SIZE;
		ssize_t n = RETRY_EINTR(sys->pwrite(fd, p, piece, off));

		if (n <= 0)
			return write_failed(n, 0, what, err);
		p += n;
		off += n;
		len -= (size_t)n;
	}
	return 0;
}

/* How many elements of iov one call may carry; the last may have to be cut. */
static int writev_fit(struct iovec *iov, int iovcnt, size_t *cut)
{
	size_t sum = 0;
	int n;

	*cut = 0;
	for (n = 0; n < iovcnt && n < IOV_MAX; n++) {
		if (iov[n].iov_len > MAX_IO_SIZE - sum) {
			if (!n)
				*cut = MAX_IO_SIZE;
			return n ? n : 1;
		}
		sum += iov[n].iov_len;
	}
	return n;
}

int writev_to_peer(int fd, struct iovec *iov, int iovcnt, unsigned timeout_s, const char *what,
		   struct err *err)
{
	while (iovcnt) {
		size_t cut, left;
		int nr = writev_fit(iov, iovcnt, &cut);
		ssize_t n;

		if (!iov->iov_len) {
			iov++, iovcnt--;
			continue;
		}
		n = cut ? sys->write(fd, iov->iov_base, cut) : sys->writev(fd, iov, nr);
		if (n < 0 && io_again(fd, POLLOUT, timeout_s))
			continue;
		if (n <= 0)
			return write_failed(n, timeout_s, what, err);
		for (left = (size_t)n; iovcnt && left >= iov->iov_len; iov++, iovcnt--)
			left -= iov->iov_len;
		if (left) {
			iov->iov_base = (char *)iov->iov_base + left;
			iov->iov_len -= left;
		}
	}
	return 0;
}

int writev_in_full(int fd, struct iovec *iov, int iovcnt, const char *what, struct err *err)
{
	return writev_to_peer(fd, iov, iovcnt, 0, what, err);
}

/* Without an offset: from where the descriptor is. */
static ssize_t read_all(int fd, char *p, size_t len, const off_t *off)
{
	size_t got = 0;

	while (got < len) {
		size_t piece = len - got < MAX_IO_SIZE ? len - got : MAX_IO_SIZE;
		ssize_t n = off ? sys->pread(fd, p + got, piece, *off + (off_t)got) :
				  sys->read(fd, p + got, piece);

		if (n < 0 && io_again(fd, POLLIN, 0))
			continue;
		if (n < 0)
			return -1;
		if (!n)
			break;
		got += (size_t)n;
	}
	return (ssize_t)got;
}

ssize_t read_in_full(int fd, void *buf, size_t len)
{
	return read_all(fd, buf, len, NULL);
}

ssize_t pread_in_full(int fd, void *buf, size_t len, off_t off)
{
	return read_all(fd, buf, len, &off);
}

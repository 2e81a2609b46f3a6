/* SPDX-License-Identifier: GPL-2.0-only */
/* writev(2) for platforms without one. */
#include "compat/posix.h"
#include "compat/writev.h"

/* The sum of the lengths; -1 where writev(2) says EINVAL. */
static ssize_t total_length(const struct iovec *iov, int iovcnt)
{
	size_t sum = 0;

	if (iovcnt < 0 || iovcnt > IOV_MAX)
		return -1;
	for (int i = 0; i < iovcnt; i++) {
		if (iov[i].iov_len > (size_t)SSIZE_MAX - sum)
			return -1;
		sum += iov[i].iov_len;
	}
	return (ssize_t)sum;
}

ssize_t compat_writev(int fd, const struct iovec *iov, int iovcnt)
{
	ssize_t total = total_length(iov, iovcnt), rc;
	size_t want, filled = 0;
	char *buf;

	if (total < 0) {
		errno = EINVAL;
		return -1;
	}
	want = (size_t)total < MAX_IO_SIZE ? (size_t)total : MAX_IO_SIZE;
	buf = malloc(want ? want : 1);
	if (!buf) {
		errno = ENOMEM;
		return -1;
	}
	for (int i = 0; i < iovcnt && filled < want; i++) {
		size_t n = iov[i].iov_len < want - filled ? iov[i].iov_len : want - filled;

		memcpy(buf + filled, iov[i].iov_base, n);
		filled += n;
	}
	rc = write(fd, buf, filled);
	free(buf);
	return rc;
}

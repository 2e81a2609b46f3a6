/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef COMPAT_WRITEV_H
#define COMPAT_WRITEV_H

#include "compat/posix.h"

/*
 * As writev(2): one write of all pieces joined, so that nothing of anybody else comes between
 * them; a partial write beyond MAX_IO_SIZE. EINVAL: more than IOV_MAX pieces, or more bytes than
 * a ssize_t counts. Used where NO_WRITEV is defined.
 */
ssize_t compat_writev(int fd, const struct iovec *iov, int iovcnt);

#endif

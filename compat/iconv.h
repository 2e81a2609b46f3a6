/* SPDX-License-Identifier: GPL-2.0-only */
/* iconv(3); systems whose C library has none know no encoding but UTF-8. */
#ifndef COMPAT_ICONV_H
#define COMPAT_ICONV_H

#include "compat/posix.h"

#if defined(NO_ICONV) || !__has_include(<iconv.h>)
typedef void *iconv_t;

static inline iconv_t iconv_open(const char *to UNUSED, const char *from UNUSED)
{
	errno = EINVAL; /* as for an unknown encoding */
	return (iconv_t)-1;
}

static inline size_t iconv(iconv_t cd UNUSED, char **in UNUSED, size_t *in_left UNUSED, char **out UNUSED,
			   size_t *out_left UNUSED)
{
	errno = EBADF;
	return (size_t)-1;
}

static inline int iconv_close(iconv_t cd UNUSED)
{
	return 0;
}
#else
#include <iconv.h>
#endif

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* Warnings, and answers to the frontend. */
#include "compat/posix.h"
#include "fastimport/fastimport-internal.h"
#include "write-or-die.h"

void import_warn(const struct fast_import *fi, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vreport(fi->o.warn, fi->o.data, fmt, ap);
	va_end(ap);
}

int import_answer(const struct fast_import *fi UNUSED, int fd, const void *p, size_t len, struct err *err)
{
	return write_in_full(fd, p, len, "the frontend", err);
}

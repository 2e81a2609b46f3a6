/* SPDX-License-Identifier: GPL-2.0-only */
/* Telling what goes. */
#include "compat/posix.h"
#include "maintain/prune-internal.h"
#include "util/alloc.h"

void prune_report(const struct prune_options *o, const char *fmt, ...)
{
	va_list ap;
	char *line;

	if (!o->report)
		return;
	va_start(ap, fmt);
	line = xvstrfmt(fmt, ap);
	va_end(ap);
	o->report(o->data, line);
	free(line);
}

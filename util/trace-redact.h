/* SPDX-License-Identifier: GPL-2.0-only */
/* Secrets stay out of traces, unless the user sets GIT_TRACE_REDACT to 0, see git(1). */
#ifndef UTIL_TRACE_REDACT_H
#define UTIL_TRACE_REDACT_H

#include "compat/posix.h"

struct strbuf;

/* False if GIT_TRACE_REDACT is a false boolean. */
bool trace_redacts(void);
/*
 * Appends `text`. "<REDACTED>" replaces the password of each URL in it, "scheme://user:password@host". Git 2.55 does this
 * in trace2, for http and https URLs that are whole arguments; here it covers every scheme, "-c key=URL", and all traces.
 */
void trace_add_redacted(struct strbuf *out, const char *text);

#endif

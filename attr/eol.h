/* SPDX-License-Identifier: GPL-2.0-only */
/* Line ends and $Id$: the conversions that look at content only. */
#ifndef ATTR_EOL_H
#define ATTR_EOL_H

#include "compat/posix.h"
#include "hash/hash.h"
#include "util/strbuf.h"

struct eol_stats {
	size_t nul, lone_cr, lone_lf, crlf;
	size_t printable, nonprintable;
};
void eol_stats_gather(struct eol_stats *s, const char *data, size_t len);
/* What counts as binary for text=auto. */
bool eol_stats_binary(const struct eol_stats *s);

void eol_to_lf(struct strbuf *out, const char *data, size_t len);
void eol_to_crlf(struct strbuf *out, const char *data, size_t len);

/* "$Id: anything$" to "$Id$"; false if there was none. */
bool ident_collapse(struct strbuf *out, const char *data, size_t len);
/* "$Id$" to "$Id: OID $"; foreign expansions stay. False if nothing to do. */
bool ident_expand(struct strbuf *out, const char *data, size_t len,
		  const struct object_id *oid);

#endif

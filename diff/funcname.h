/* SPDX-License-Identifier: GPL-2.0-only */
/* Lines that name functions: "Defining a custom hunk-header" in gitattributes(5). */
#ifndef DIFF_FUNCNAME_H
#define DIFF_FUNCNAME_H

#include "diff/diff.h"
#include "diff/text.h"

/* Patterns of such lines. They can be used by several threads. */
struct funcname;
/* By the patterns of the driver; NULL, or none of them: the default. ERR_INVALID: bad pattern. */
MUST_USE int funcname_new(struct funcname **out, const struct diff_driver *driver, struct err *err);
void funcname_free(struct funcname *f);
/* Does the line name a function? Sets the name, unless `out` is NULL. NULL: the default. */
bool funcname_of_line(const struct funcname *f, const struct text_line *l, struct strbuf *out);

#endif

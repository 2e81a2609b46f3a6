/* SPDX-License-Identifier: GPL-2.0-only */
/* Languages that the attribute "diff" can name without any configuration: gitattributes(5). */
#ifndef DIFF_DRIVERS_H
#define DIFF_DRIVERS_H

#include "compat/posix.h"

struct builtin_driver {
	const char *name;
	bool ignore_case;     /* of both patterns */
	const char *funcname; /* as in struct diff_driver */
	const char *word_regex;
};

/* NULL: there is none of that name. */
const struct builtin_driver *diff_builtin_driver(const char *name);

#endif

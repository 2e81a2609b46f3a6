/* SPDX-License-Identifier: GPL-2.0-only */
/* -I: changes of lines that all match one of some patterns are ignorable. */
#include "compat/posix.h"
#include <regex.h>
#include "compat/regexec.h"
#include "diff/diff-internal.h"
#include "util/alloc.h"

struct diff_regexes {
	size_t nr;
	regex_t list[];
};

bool diff_regexes_add(struct diff_regexes **r, const char *pattern)
{
	size_t nr = *r ? (*r)->nr : 0;

	*r = xrealloc(*r, sizeof(**r) + (nr + 1) * sizeof((*r)->list[0]));
	(*r)->nr = nr;
	if (regcomp(&(*r)->list[nr], pattern, REG_EXTENDED | REG_NEWLINE))
		return false;
	(*r)->nr++;
	return true;
}

void diff_regexes_free(struct diff_regexes *r)
{
	for (size_t i = 0; r && i < r->nr; i++)
		regfree(&r->list[i]);
	free(r);
}

bool diff_regexes_match(const struct diff_regexes *r, const char *text, size_t len)
{
	for (size_t i = 0; i < r->nr; i++)
		if (!regexec_range(&r->list[i], text, len, 0, NULL, 0))
			return true;
	return false;
}

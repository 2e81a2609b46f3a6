/* SPDX-License-Identifier: GPL-2.0-only */
/* Programs that take part in a patch: external.c. */
#ifndef DIFF_EXTERNAL_INTERNAL_H
#define DIFF_EXTERNAL_INTERNAL_H

#include "compat/posix.h"
#include "diff/diff.h"

#define TEXT_MAX ((size_t)1 << 30) /* bytes that a textconv may print */

/* The file as its driver's textconv prints it; *converted is false if there is no such thing. */
MUST_USE int diff_textconv(struct diff_file *f, const struct diff_options *o,
			   struct strbuf *out, bool *converted, struct err *err);

struct external_diff {
	const char *command; /* for the shell */
	bool trust_exit_code; /* 1 means that there is a difference */
};
struct external_call {
	struct diff_file *old, *new;
	const char *path;
	const char *new_path, *header; /* of a rename or copy; NULL */
	size_t counter, total;	       /* of files */
	bool same; /* out: its exit code counts, and is 0 */
};
/* false: there is none for the path, or none is allowed. */
bool diff_external_of(const struct diff_options *o, const char *path,
		      struct external_diff *out);
/* Its output goes to `out`, or behind that to standard output if options.drain is set. */
MUST_USE int diff_run_external(const struct external_diff *e, struct external_call *c,
			       const struct diff_options *o, struct strbuf *out,
			       struct err *err);

#endif

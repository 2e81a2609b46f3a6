/* SPDX-License-Identifier: GPL-2.0-only */
/* git log -L: the history of lines. */
#include "compat/posix.h"
#include "builtin/log/log.h"

int log_lines_option(struct log_options *o, const char *const *argv)
{
	const char *arg = argv[0];

	if (!o->takes_lines || !skip_prefix(arg, "-L", &arg))
		return 0;
	if (!*arg && !argv[1]) { /* as parse_options() has it */
		error("switch `L' requires a value");
		exit(129);
	}
	strvec_push(&o->line_specs, *arg ? arg : argv[1]);
	return *arg ? 1 : 2;
}

int log_lines_check(struct log_options *o, struct err *err)
{
	const unsigned possible = DIFF_FORMAT_PATCH | DIFF_FORMAT_RAW | DIFF_FORMAT_NAME_ONLY |
				  DIFF_FORMAT_NAME_STATUS | DIFF_FORMAT_SUMMARY | DIFF_FORMAT_NONE;

	if (!o->line_specs.nr)
		return 0;
	if (o->walk->has_pathspec || o->follow_path)
		return err_set(err, ERR_INVALID, "-L<range>:<file> cannot be used with pathspec");
	if (o->full_diff || o->diff.formats & ~possible)
		return err_set(err, ERR_INVALID, "-L does not yet support the requested diff format");
	if (o->diff.reverse)
		return err_set(err, ERR_INVALID, "options '%s' and '%s' cannot be used together", "-L", "-R");
	if (!o->diff.formats)
		o->diff.formats = DIFF_FORMAT_PATCH;
	return 0;
}

int log_lines_begin(struct log_options *o, struct err *err)
{
	int rc = 0;

	if (!o->line_specs.nr)
		return 0;
	o->lines = line_history_new(o->walk, &o->diff);
	for (size_t i = 0; !rc && i < o->line_specs.nr; i++)
		rc = line_history_add(o->lines, o->line_specs.v[i], o->repo->prefix, err);
	return rc;
}

int log_lines_changes(struct log_options *o, const struct commit *c, struct diff_queue *q, struct err *err)
{
	line_history_changes(o->lines, c, q);
	return diff_process(q, &o->diff, err);
}

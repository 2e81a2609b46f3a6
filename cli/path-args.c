/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "cli/path-args.h"
#include "util/alloc.h"
#include "util/quote.h"

size_t pathspec_args_parse(const struct pathspec_args *a, struct pathspec *ps,
			   struct repository *r, const char **argv, unsigned flags)
{
	struct strvec from_file = STRVEC_INIT;
	struct err err = ERR_INIT;
	size_t nr = 0;

	if (a->file && argv[0])
		die("'%s' and pathspec arguments cannot be used together",
		    "--pathspec-from-file");
	if (a->nul && !a->file)
		die("the option '%s' requires '%s'", "--pathspec-file-nul",
		    "--pathspec-from-file");
	if (a->file) {
		if (pathspec_read_file(&from_file, a->file, a->nul, &err) < 0)
			die_err(&err);
		argv = from_file.v;
	}
	while (argv[nr])
		nr++;
	if (pathspec_parse(ps, r->prefix, r->worktree, argv, flags, &err) < 0)
		die_err(&err);
	strvec_clear(&from_file);
	return nr;
}

void each_stdin_path(bool nul, void (*fn)(void *data, const char *path), void *data)
{
	struct strbuf line = STRBUF_INIT, raw = STRBUF_INIT;

	while (strbuf_getdelim(&line, stdin, nul ? '\0' : '\n') != EOF) {
		const char *end;

		if (!nul && line.buf[0] == '"') {
			strbuf_reset(&raw);
			if (unquote_c_style(&raw, line.buf, &end) < 0)
				die("line is badly quoted");
			strbuf_swap(&line, &raw);
		}
		fn(data, line.buf);
		fflush(stdout);
	}
	strbuf_release(&line);
	strbuf_release(&raw);
}

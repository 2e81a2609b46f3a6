/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * diff-trees [<options of git-diff>] <old-tree> <new-tree>
 *
 * Compares two trees of the current repository with diff/ (names in full hex; "-" is
 * the empty tree). Prints what git diff-tree -r prints. With --stdin-pairs instead
 * of the trees it reads one pair per line, and prints each answer after that line.
 */
#include "compat/posix.h"
#include "diff/diff.h"
#include "repo/repo.h"
#include "util/strvec.h"

static NORETURN void fail(struct err *err)
{
	fprintf(stderr, "fatal: %s\n", err_message(err));
	exit(128);
}

static const struct object_id *tree_arg(struct odb *odb, struct object_id *oid,
					const char *arg)
{
	if (!strcmp(arg, "-"))
		return NULL;
	if (oid_from_hex(oid, arg, odb_algo(odb)) < 0) {
		fprintf(stderr, "fatal: bad tree '%s'\n", arg);
		exit(128);
	}
	return oid;
}

static void show(struct diff_options *o, const char *old_arg, const char *new_arg)
{
	struct diff_queue q = DIFF_QUEUE_INIT;
	struct strbuf out = STRBUF_INIT;
	struct object_id old, new;
	struct err err = ERR_INIT;

	if (diff_trees(&q, o, tree_arg(o->odb, &old, old_arg), tree_arg(o->odb, &new, new_arg),
		       &err) < 0 ||
	    diff_process(&q, o, &err) < 0 || diff_format(&q, o, &out, &err) < 0)
		fail(&err);
	fwrite(out.buf, 1, out.len, stdout);
	strbuf_release(&out);
	diff_queue_clear(&q);
}

int main(int argc UNUSED, const char **argv)
{
	struct repo_open_options open_options = { 0 };
	struct repository *r;
	struct diff_options o;
	struct err err = ERR_INIT;
	bool from_stdin = false;

	if (repo_open(&r, &open_options, &err) < 0)
		fail(&err);
	diff_options_init(&o, r->odb);
	if (diff_options_config(&o, r->config, &err) < 0)
		fail(&err);
	o.detect = DIFF_DETECT_NONE; /* as in plumbing */
	o.abbrev = 0;
	for (argv++; *argv; argv++) {
		int used = diff_options_parse(&o, argv, &err);

		if (used < 0)
			fail(&err);
		if (!used && !strcmp(*argv, "--stdin-pairs"))
			from_stdin = true;
		else if (!used)
			break;
		else
			argv += used - 1;
	}
	if (diff_options_check(&o, &err) < 0)
		fail(&err);
	if (!o.formats)
		o.formats = DIFF_FORMAT_RAW;
	if (from_stdin) {
		struct strbuf line = STRBUF_INIT;

		while (!strbuf_getline_lf(&line, stdin)) {
			char *space = strchr(line.buf, ' ');

			if (!space)
				break;
			puts(line.buf);
			*space = '\0';
			show(&o, line.buf, space + 1);
		}
		strbuf_release(&line);
	} else if (argv[0] && argv[1]) {
		show(&o, argv[0], argv[1]);
	}
	diff_options_release(&o);
	repo_free(r);
	return 0;
}

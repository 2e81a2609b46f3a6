/* SPDX-License-Identifier: GPL-2.0-only */
/* git-check-ref-format(1) */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "util/alloc.h"

static NORETURN void usage_exit(FILE *fp)
{
	fputs("usage: git check-ref-format [--normalize] [<options>] <refname>\n"
	      "   or: git check-ref-format --branch <branchname-shorthand>\n", fp);
	set_exit_code(129);
	exit(129);
}

struct nth_checkout {
	unsigned long left;
	char *branch;
};

static int see_reflog_entry(void *data, const struct reflog_entry *e)
{
	struct nth_checkout *want = data;
	const char *from, *to;

	if (!skip_prefix(e->msg, "checkout: moving from ", &from) || !(to = strstr(from, " to ")))
		return 0;
	if (--want->left)
		return 0;
	want->branch = xmemdupz(from, to - from);
	return 1;
}

/* "@{-2}": the branch that was left by the last checkout but one. NULL: none. */
static char *previous_branch(struct repository *r, const char *name)
{
	struct nth_checkout want = { 0, NULL };
	char *end;

	want.left = strtoul(name + strlen("@{-"), &end, 10);
	if (!want.left || strcmp(end, "}") ||
	    reflog_foreach(r->refs, "HEAD", true, see_reflog_entry, &want, NULL) < 0)
		return NULL;
	return want.branch;
}

/* A name that could be a branch; "@{-N}" asks the reflog of HEAD. */
static int check_branch(struct repository *r, const char *name)
{
	struct strbuf ref = STRBUF_INIT;
	char *expanded = NULL;
	int rc = 0;

	if (starts_with(name, "@{-"))
		expanded = r ? previous_branch(r, name) : NULL;
	else
		expanded = xstrdup(name);
	strbuf_addf(&ref, "refs/heads/%s", expanded ? expanded : "");
	if (!expanded || *expanded == '-' || !strcmp(ref.buf, "refs/heads/HEAD") ||
	    !refname_is_valid(ref.buf, 0))
		die("'%s' is not a valid branch name", name);
	puts(expanded);
	free(expanded);
	strbuf_release(&ref);
	return rc;
}

int cmd_check_ref_format(int argc, const char **argv, struct command_ctx *ctx)
{
	bool normalize = false;
	unsigned flags = 0;
	struct strbuf clean = STRBUF_INIT;
	int i, rc;

	if (argc == 2 && !strcmp(argv[1], "-h"))
		usage_exit(stdout);
	if (argc == 3 && !strcmp(argv[1], "--branch"))
		return check_branch(ctx->repo, argv[2]);
	for (i = 1; i < argc && argv[i][0] == '-'; i++) {
		if (!strcmp(argv[i], "--normalize") || !strcmp(argv[i], "--print"))
			normalize = true;
		else if (!strcmp(argv[i], "--allow-onelevel"))
			flags |= REFNAME_ALLOW_ONELEVEL;
		else if (!strcmp(argv[i], "--no-allow-onelevel"))
			flags &= ~REFNAME_ALLOW_ONELEVEL;
		else if (!strcmp(argv[i], "--refspec-pattern"))
			flags |= REFNAME_REFSPEC_PATTERN;
		else
			usage_exit(stderr);
	}
	if (i != argc - 1)
		usage_exit(stderr);

	if (!normalize)
		return refname_is_valid(argv[i], flags) ? 0 : 1;
	rc = refname_normalize(&clean, argv[i], flags) ? 0 : 1;
	if (!rc)
		puts(clean.buf);
	strbuf_release(&clean);
	return rc;
}

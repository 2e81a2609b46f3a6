/* SPDX-License-Identifier: GPL-2.0-only */
/* git-bundle(1) */
#include "compat/posix.h"
#include <fcntl.h>
#include "builtin/builtin.h"
#include "history/bundle-check.h"
#include "util/alloc.h"
#include "util/path.h"

#define CREATE_USAGE                                                                        \
	"git bundle create [-q | --quiet | --progress]\n"                                    \
	"                  [--version=<version>] <file> <git-rev-list-args>"
#define VERIFY_USAGE "git bundle verify [-q | --quiet] <file>"
#define LIST_HEADS_USAGE "git bundle list-heads <file> [<refname>...]"
#define UNBUNDLE_USAGE "git bundle unbundle [--progress] <file> [<refname>...]"

static const char *const usage[] = { CREATE_USAGE, VERIFY_USAGE, LIST_HEADS_USAGE, UNBUNDLE_USAGE,
				     NULL };

/* ---- what the subcommands share ---- */

struct bundle {
	char *path; /* NULL: standard input */
	struct bundle_header header;
};

static const char *bundle_name(const struct bundle *b)
{
	return b->path ? b->path : "<stdin>";
}

static int parse_command_line(int argc, const char **argv, const struct option *opts,
			      const char *const sub_usage[], struct command_ctx *ctx,
			      struct bundle *b)
{
	argc = parse_options(argc, argv, opts, sub_usage, PARSE_OPT_STOP_AT_NON_OPTION);
	if (!argc)
		usage_msg_opt("need a <file> argument", sub_usage, opts);
	if (strcmp(argv[0], "-"))
		b->path = *argv[0] == '/' || !ctx->prefix ? xstrdup(argv[0]) :
							    path_join(ctx->prefix, argv[0]);
	return argc;
}

/* False: an error was told. */
static bool read_header(struct bundle *b)
{
	struct err err = ERR_INIT;
	int fd = STDIN_FILENO, rc;

	b->header = (struct bundle_header)BUNDLE_HEADER_INIT;
	if (b->path)
		fd = open(b->path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		error("could not open '%s'", b->path);
		return false;
	}
	rc = bundle_header_read(&b->header, fd, bundle_name(b), &err);
	if (b->path)
		close(fd);
	if (rc < 0)
		report_error(&err);
	return rc >= 0;
}

static void bundle_release(struct bundle *b)
{
	bundle_header_release(&b->header);
	free(b->path);
}

/* A ref, or with names only if it is one of them. */
static void print_refs(const struct bundle_refs *l, const char *const *names)
{
	for (size_t i = 0; i < l->nr; i++) {
		const char *name = l->items[i].name ? l->items[i].name : "";
		const char *const *n = names;

		while (*n && strcmp(*n, name))
			n++;
		if (!*names || *n)
			printf("%s %s\n", oid_hex(&l->items[i].oid), name);
	}
}

/* ---- list-heads ---- */

static int list_heads(int argc, const char **argv, struct command_ctx *ctx)
{
	static const char *const sub_usage[] = { LIST_HEADS_USAGE, NULL };
	struct option opts[] = { OPT_END() };
	struct bundle b = { .path = NULL };
	bool ok;

	parse_command_line(argc, argv, opts, sub_usage, ctx, &b);
	ok = read_header(&b);
	if (ok)
		print_refs(&b.header.refs, argv + 1);
	bundle_release(&b);
	return ok ? finish_stdout() : 1;
}

/* ---- verify ---- */

static void print_details(const struct bundle_header *h)
{
	static const char *const none[] = { NULL };

	if (h->refs.nr == 1)
		puts("The bundle contains this ref:");
	else
		printf("The bundle contains these %zu refs:\n", h->refs.nr);
	print_refs(&h->refs, none);
	if (!h->prerequisites.nr)
		puts("The bundle records a complete history.");
	else if (h->prerequisites.nr == 1)
		puts("The bundle requires this ref:");
	else
		printf("The bundle requires these %zu refs:\n", h->prerequisites.nr);
	print_refs(&h->prerequisites, none);
	printf("The bundle uses this hash algorithm: %s\n", h->algo->name);
	if (h->filter)
		printf("The bundle uses this filter: %s\n", h->filter);
}

/* 0: it can be unpacked here. */
static int check(struct repository *r, const struct bundle *b, bool quiet)
{
	struct oid_array missing = OID_ARRAY_INIT;
	struct err err = ERR_INIT;
	int rc;

	bundle_missing(r, &b->header, &missing);
	if (missing.nr) {
		if (!quiet)
			error("Repository lacks these prerequisite commits:");
		for (size_t i = 0; !quiet && i < missing.nr; i++)
			error("%s ", oid_hex(&missing.oid[i]));
		oid_array_clear(&missing);
		return 1;
	}
	if (!quiet)
		print_details(&b->header);
	rc = bundle_is_connected(r, &b->header, &err);
	if (rc > 0)
		return 0;
	if (rc < 0)
		return report_fatal(&err);
	error("some prerequisite commits exist in the object store, but are not connected to "
	      "the repository's history");
	return 1;
}

static int verify(int argc, const char **argv, struct command_ctx *ctx)
{
	static const char *const sub_usage[] = { VERIFY_USAGE, NULL };
	int quiet = 0, code = 1;
	struct option opts[] = {
		OPT_BOOL('q', "quiet", &quiet, "do not show details"),
		OPT_END()
	};
	struct bundle b = { .path = NULL };

	parse_command_line(argc, argv, opts, sub_usage, ctx, &b);
	if (read_header(&b)) {
		if (ctx->repo)
			code = check(ctx->repo, &b, quiet);
		else
			error("need a repository to verify a bundle");
	}
	if (!code)
		code = finish_stdout();
	if (!code)
		fprintf(stderr, "%s is okay\n", bundle_name(&b));
	bundle_release(&b);
	return code;
}

/* ---- the command ---- */

/* These need packs to be made and received. */
static int unavailable(int argc UNUSED, const char **argv, struct command_ctx *ctx UNUSED)
{
	die("'git bundle %s' is not available yet", argv[0]);
}

int cmd_bundle(int argc, const char **argv, struct command_ctx *ctx)
{
	static const struct {
		const char *name;
		command_fn run;
	} subcommands[] = {
		{ "create", unavailable }, { "verify", verify }, { "list-heads", list_heads },
		{ "unbundle", unavailable },
	};
	const struct option none[] = { OPT_END() };

	if (argc > 1 && !strcmp(argv[1], "-h"))
		parse_options(argc, argv, none, usage, 0);
	for (size_t i = 0; argc > 1 && i < ARRAY_SIZE(subcommands); i++)
		if (!strcmp(argv[1], subcommands[i].name))
			return subcommands[i].run(argc - 1, argv + 1, ctx);
	if (argc < 2)
		error("need a subcommand");
	else if (*argv[1] == '-')
		error("unknown option `%s'", argv[1] + strspn(argv[1], "-"));
	else
		error("unknown subcommand: `%s'", argv[1]);
	usage_with_options(usage, none);
}

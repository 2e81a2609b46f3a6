/* SPDX-License-Identifier: GPL-2.0-only */
/* git-bundle(1) */
#include "compat/posix.h"
#include <fcntl.h>
#include "builtin/pack/bundle.h"
#include "history/revision/bundle-check.h"
#include "intake/pack-progress.h"
#include "intake/reader.h"
#include "operation/operation.h"
#include "util/alloc.h"
#include "util/path.h"

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

/* The descriptor, which goes on behind the header and what has been read with it; -1: an error was printed. */
static int open_bundle(struct bundle *b)
{
	struct err err = ERR_INIT;
	int fd = STDIN_FILENO;

	b->header = (struct bundle_header)BUNDLE_HEADER_INIT;
	if (b->path)
		fd = open(b->path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		error("could not open '%s'", b->path);
		return -1;
	}
	if (!bundle_header_read(&b->header, fd, bundle_name(b), &err))
		return fd;
	report_error(&err);
	if (b->path)
		close(fd);
	return -1;
}

static bool read_header(struct bundle *b)
{
	int fd = open_bundle(b);

	if (fd >= 0 && b->path)
		close(fd);
	return fd >= 0;
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

/* 0: it can be unpacked here. details: prints its refs and prerequisites. */
static int check(struct repository *r, const struct bundle *b, bool quiet, bool details)
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
	if (details)
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

static int bundle_verify(int argc, const char **argv, struct command_ctx *ctx)
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
			code = check(ctx->repo, &b, quiet, !quiet);
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

/* ---- unbundle ---- */

struct unbundling {
	struct bundle *b;
	int fd;
	bool progress;
	struct intake_policy policy;
	struct intake_reader rd; /* until the operation has ended; used by the process that reads the pack */
};

/* Called by intake_receive. */
static int receive_bundled(void *data, const struct intake_place *place, struct err *err)
{
	struct unbundling *u = data;
	const struct strbuf *head = &u->b->header.rest;
	const struct intake_stream s = {
		.from = { .fd = u->fd, .head = head->buf, .head_len = head->len }, .end = INTAKE_END_FILE,
	};
	struct pack_progress p = { .reading = "Unbundling objects", .resolving = "Resolving deltas", .forced = true };
	int rc;

	u->policy.progress = u->progress ? pack_progress_update : NULL;
	u->policy.data = &p;
	rc = intake_take_pack(&u->rd, &u->policy, place, &s, err);
	pack_progress_stop(&p);
	return rc;
}

/* As index-pack --stdin --fix-thin: no ref names the objects yet. One operation, one flush. */
static int bundle_unpack(struct repository *r, struct bundle *b, int fd, bool progress, struct err *err)
{
	struct unbundling u = {
		.b = b, .fd = fd, .progress = progress,
		.policy = { .fix_thin = true, .promisor_msg = b->header.filter ? "from-bundle" : NULL },
	};
	const struct intake in = { .receive = receive_bundled, .data = &u, .fd = fd, .policy = &u.policy, .name = "unbundle" };
	struct repo_operation *op = repo_operation_begin(r);
	struct intake_result result;
	int rc = intake_receive(r, op, &in, &result, err);

	rc = repo_operation_end(op, rc, err);
	intake_reader_release(&u.rd);
	intake_result_release(&result);
	return rc;
}

static int unbundle_into(struct repository *r, struct bundle *b, int fd, bool progress)
{
	struct err err = ERR_INIT;
	int code;

	if (b->header.algo != r->algo)
		return error("'%s' has objects named by %s, the repository by %s", bundle_name(b),
			     b->header.algo->name, r->algo->name), 1;
	code = check(r, b, false, false);
	if (!code && bundle_unpack(r, b, fd, progress, &err) < 0) {
		report_error(&err);
		code = 1;
	}
	return code;
}

static int unbundle(int argc, const char **argv, struct command_ctx *ctx)
{
	static const char *const sub_usage[] = { UNBUNDLE_USAGE, NULL };
	int progress = isatty(STDERR_FILENO), fd, code = 1;
	struct option opts[] = {
		OPT_BOOL(0, "progress", &progress, "show progress meter"),
		OPT_END()
	};
	struct bundle b = { .path = NULL };

	parse_command_line(argc, argv, opts, sub_usage, ctx, &b);
	fd = open_bundle(&b);
	if (fd >= 0) {
		if (!ctx->repo)
			die("Need a repository to unbundle.");
		code = unbundle_into(ctx->repo, &b, fd, progress);
		if (b.path)
			close(fd);
	}
	/* D2: print the refs after the seal. */
	if (!code) {
		print_refs(&b.header.refs, argv + 1);
		code = finish_stdout();
	}
	bundle_release(&b);
	return code;
}

/* ---- the command ---- */

int cmd_bundle(int argc, const char **argv, struct command_ctx *ctx)
{
	static const struct subcommand subcommands[] = {
		{ "create", bundle_create }, { "verify", bundle_verify }, { "list-heads", list_heads },
		{ "unbundle", unbundle },
	};
	const struct option none[] = { OPT_END() };
	command_fn run;

	if (argc > 1 && !strcmp(argv[1], "-h"))
		parse_options(argc, argv, none, usage, 0);
	run = find_subcommand(subcommands, ARRAY_SIZE(subcommands), argc, argv);
	if (run)
		return run(argc - 1, argv + 1, ctx);
	if (argc < 2 || *argv[1] != '-')
		die_no_subcommand(argv[1], usage, none);
	error("unknown option `%s'", argv[1] + strspn(argv[1], "-"));
	usage_with_options(usage, none);
}

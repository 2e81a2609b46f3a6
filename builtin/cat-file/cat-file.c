/* SPDX-License-Identifier: GPL-2.0-only */
/* git-cat-file(1): one object; which mode is wanted. */
#include "compat/posix.h"
#include "builtin/cat-file/cat-file.h"
#include "object/tree.h"
#include "util/alloc.h"
#include "util/quote.h"
#include "history/names/revparse.h"

static const char *const usage[] = {
	"git cat-file <type> <object>",
	"git cat-file (-e | -p | -t | -s) <object>",
	"git cat-file (--textconv | --filters)\n"
	"             [<rev>:<path|tree-ish> | --path=<path|tree-ish> <rev>]",
	"git cat-file (--batch | --batch-check | --batch-command) [--batch-all-objects]\n"
	"             [--buffer] [--follow-symlinks] [--unordered]\n"
	"             [--textconv | --filters] [-Z]",
	NULL
};

/* ---- one object ---- */

static void print_tree(struct cat_file *c, const struct object_id *oid)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	struct strbuf name = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct tree_iter it;
	struct tree_entry e;
	int rc;

	if (odb_read_type(c->r->odb, oid, OBJ_TREE, &buf, &err) < 0)
		die_err(&err);
	tree_iter_init(&it, buf.data, buf.size, c->r->algo);
	while ((rc = tree_iter_next(&it, &e, &err)) > 0) {
		strbuf_reset(&name);
		quote_c_style(&name, e.name, e.name_len, c->r->settings.quote_path);
		printf("%06o %s %s\t%s\n", e.mode, object_type_name(mode_object_type(e.mode)),
		       oid_hex(&e.oid), name.buf);
	}
	if (rc < 0)
		die_err(&err);
	strbuf_release(&name);
	object_buf_release(&buf);
}

/* Reports a damaged copy; the caller reports a missing one. */
static bool get_info(struct cat_file *c, const struct object_id *oid, struct object_info *out)
{
	struct err err = ERR_INIT;
	int rc = odb_type(c->r->odb, oid, &out->type, &out->size, &err);

	if (rc < 0 && rc != ERR_NOT_FOUND)
		report_error(&err);
	err_release(&err);
	return !rc;
}

static struct object_info info_or_die(struct cat_file *c, const struct object_id *oid)
{
	struct object_info info;

	if (!get_info(c, oid, &info))
		die("git cat-file: could not get object info");
	return info;
}

static uint64_t shown_size(struct cat_file *c, const struct object_id *oid)
{
	struct object_info info = info_or_die(c, oid);
	struct strbuf mapped = STRBUF_INIT;
	struct err err = ERR_INIT;
	int rc = cat_file_mapped(c, oid, info.type, &mapped, &err);

	if (rc < 0)
		die_err(&err);
	if (rc)
		info.size = mapped.len;
	strbuf_release(&mapped);
	return info.size;
}

static void pretty_print(struct cat_file *c, const char *name, const struct object_id *oid)
{
	struct object_info info;
	struct err err = ERR_INIT;

	if (!get_info(c, oid, &info))
		die("Not a valid object name %s", name);
	if (info.type == OBJ_TREE)
		print_tree(c, oid);
	else if (cat_file_stream(c, oid, &err) < 0)
		die_err(&err);
}

/*
 * Prints an object of the type, or the object that it leads to: the tree of a commit, the target of
 * a tag.
 */
static void print_as(struct cat_file *c, const char *name, const struct object_id *oid,
		     const char *type_name)
{
	enum object_type want = object_type_from_name(type_name, strlen(type_name));
	struct object_id at;
	struct err err = ERR_INIT;
	int rc;

	if (want == OBJ_BAD)
		die("invalid object type \"%s\"", type_name);
	rc = object_peel(odb_source(c->r->odb), oid, want, &at, NULL, &err);
	if (rc == ERR_NOT_FOUND || rc == ERR_INVALID)
		die("git cat-file %s: bad file", name);
	if (rc < 0 || cat_file_stream(c, &at, &err) < 0)
		die_err(&err);
}

/* --filters prints other objects than blobs as they are stored, --textconv prints them like -p. */
static void print_converted(struct cat_file *c, const char *name, const struct revparse_result *res)
{
	bool convertible = MODE_IS_FILE(res->mode) || !res->mode;
	const char *path = c->path ? c->path : res->path;
	struct object_buf buf = OBJECT_BUF_INIT;
	struct err err = ERR_INIT;

	if (!path)
		die("<object>:<path> required, only <object> '%s' given", name);
	if (c->filters || convertible) {
		if (odb_read(c->r->odb, &res->oid, &buf, &err) < 0)
			die_err(&err);
		convertible = convertible && cat_file_convert(c, path, &res->oid, &buf);
	}
	if (c->textconv && !convertible)
		pretty_print(c, name, &res->oid);
	else if (cat_file_write(&buf, &err) < 0)
		die_err(&err);
	object_buf_release(&buf);
}

static int one_object(struct cat_file *c, int mode, const char *type_name, const char *name)
{
	struct revparse_result res = { 0 };
	struct err err = ERR_INIT;
	int rc, code = 0;

	/* As in Git, searches are for the batch modes; elsewhere "HEAD^{/text}" does it. */
	if (starts_with(name, ":/"))
		die("Not a valid object name %s", name);
	rc = revparse(c->r, name, OBJ_ANY, &res, &err);
	if (rc == ERR_AMBIGUOUS)
		report_preface(&err);
	else if (rc < 0 && strchr(name, ':') && starts_with(err_message(&err), "path "))
		die_err(&err);
	if (rc < 0)
		die("Not a valid object name %s", name);
	switch (mode) {
	case 'e':
		code = !odb_has(c->r->odb, &res.oid);
		break;
	case 't':
		puts(object_type_name(info_or_die(c, &res.oid).type));
		break;
	case 's':
		printf("%" PRIu64 "\n", shown_size(c, &res.oid));
		break;
	case 'p':
		pretty_print(c, name, &res.oid);
		break;
	case 'f':
	case 'c':
		print_converted(c, name, &res);
		break;
	default:
		print_as(c, name, &res.oid, type_name);
	}
	revparse_result_release(&res);
	return finish_stdout() ? 128 : code;
}

/* ---- the command line ---- */

static int set_batch(const struct option *opt, const char *arg, int unset UNUSED)
{
	struct cat_file *c = opt->value;

	if (c->mode != BATCH_NONE)
		return error("only one batch option may be specified");
	c->mode = (enum batch_mode)opt->defval;
	c->format = arg;
	return 0;
}

/* Filters that depend on where an object lies make no sense here. */
static int set_filter(const struct option *opt, const char *arg, int unset)
{
	struct filter_spec *f = opt->value;
	struct err err = ERR_INIT;

	if (unset)
		filter_spec_release(f);
	else if (filter_spec_parse(f, arg, &err) < 0)
		die_err(&err);
	return 0;
}

NORETURN static void short_usage(const char *fmt, const char *a)
{
	char *msg = xstrfmt(fmt, a);

	fprintf(stderr, "usage: %s\n", msg);
	free(msg);
	exit(129);
}

static void check_filter(const struct filter_spec *f)
{
	const char *name = NULL;

	if (f->nr > 1 || f->combined)
		name = "combine";
	else if (f->nr && (f->parts->kind == FILTER_TREE_DEPTH || f->parts->kind == FILTER_SPARSE_OID))
		name = filter_kind_name(f->parts->kind);
	if (name)
		short_usage("objects filter not supported: '%s'", name);
}

static const char *mode_option(int mode)
{
	static const char *const names[] = { "-e", "-p", "-t", "-s" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i][1] == mode)
			return names[i];
	return mode == 'f' ? "--filters" : "--textconv";
}

static NORETURN void wrong(const struct option *opts, const char *fmt, const char *a)
{
	char *msg = xstrfmt(fmt, a);

	usage_msg_opt(msg, usage, opts);
}

static void check_batch(const struct cat_file *c, int mode, int argc, const struct option *opts)
{
	if (mode && mode != 'f' && mode != 'c')
		wrong(opts, "'%s' is incompatible with batch mode", mode_option(mode));
	if (argc)
		wrong(opts, "batch modes take no arguments%s", "");
	if (c->path)
		wrong(opts, "'%s' is incompatible with batch mode", "--path");
	if (c->all_objects && mode)
		wrong(opts, "'%s' is incompatible with --batch-all-objects", mode_option(mode));
}

static void check_single(const struct cat_file *c, int mode, int argc, const struct option *opts)
{
	if (c->follow_symlinks)
		wrong(opts, "'%s' requires a batch mode", "--follow-symlinks");
	if (c->buffered)
		wrong(opts, "'%s' requires a batch mode", "--buffer");
	if (c->all_objects)
		wrong(opts, "'%s' requires a batch mode", "--batch-all-objects");
	if (c->nul_output || c->nul_input)
		wrong(opts, "'%s' requires a batch mode", c->nul_output ? "-Z" : "-z");
	if (c->filter.nr)
		short_usage("objects filter only supported in batch mode%s", "");
	if (c->path && mode != 'f' && mode != 'c')
		wrong(opts, "'%s' needs '--filters' or '--textconv'", "--path=<path|tree-ish>");
	if (mode && !argc)
		wrong(opts, mode == 'f' || mode == 'c' ? "<rev> required with '%s'"
						       : "<object> required with '%s'",
		      mode_option(mode));
	if (mode && argc > 1)
		wrong(opts, "too many arguments%s", "");
	if (!mode && !argc)
		usage_with_options(usage, opts);
	if (!mode && argc != 2) {
		char nr[16];

		snprintf(nr, sizeof(nr), "%d", argc);
		wrong(opts, "only two arguments allowed in <type> <object> mode, not %s", nr);
	}
}

#define OPT_BATCH(name, help, mode) \
	{ OPTION_CALLBACK, 0, name, &c, "format", help, \
	  PARSE_OPT_OPTARG | PARSE_OPT_NONEG, set_batch, mode }

int cmd_cat_file(int argc, const char **argv, struct command_ctx *ctx)
{
	struct cat_file c = { .r = ctx->repo };
	int mode = 0, unknown_type = 0, code;
	struct option opts[] = {
		OPT_GROUP("Check object existence or emit object contents"),
		OPT_CMDMODE('e', NULL, &mode, "check if <object> exists", 'e'),
		OPT_CMDMODE('p', NULL, &mode, "pretty-print <object> content", 'p'),
		OPT_GROUP("Emit [broken] object attributes"),
		OPT_CMDMODE('t', NULL, &mode,
			    "show object type (one of 'blob', 'tree', 'commit', 'tag', ...)", 't'),
		OPT_CMDMODE('s', NULL, &mode, "show object size", 's'),
		OPT_BOOL(0, "allow-unknown-type", &unknown_type,
			 "allow -s and -t to work with broken/corrupt objects"),
		OPT_BOOL(0, "use-mailmap", &c.use_mailmap, "use mail map file"),
		OPT_BOOL(0, "mailmap", &c.use_mailmap, "alias of --use-mailmap"),
		OPT_GROUP("Batch objects requested on stdin (or --batch-all-objects)"),
		OPT_BATCH("batch", "show full <object> or <rev> contents", BATCH_CONTENTS),
		OPT_BATCH("batch-check", "like --batch, but don't emit <contents>", BATCH_INFO),
		OPT_BOOL('z', NULL, &c.nul_input, "stdin is NUL-terminated"),
		OPT_BOOL('Z', NULL, &c.nul_output, "stdin and stdout is NUL-terminated"),
		OPT_BATCH("batch-command", "read commands from stdin", BATCH_COMMAND),
		OPT_CMDMODE(0, "batch-all-objects", &c.all_objects,
			    "with --batch[-check]: ignores stdin, batches all known objects", 1),
		OPT_GROUP("Change or optimize batch output"),
		OPT_BOOL(0, "buffer", &c.buffered, "buffer --batch output"),
		OPT_BOOL(0, "follow-symlinks", &c.follow_symlinks, "follow in-tree symlinks"),
		OPT_BOOL(0, "unordered", &c.unordered, "do not order objects before emitting them"),
		OPT_GROUP("Emit object (blob or tree) with conversion or filter (stand-alone, or with batch)"),
		OPT_CMDMODE(0, "textconv", &mode,
			    "run textconv on object's content", 'c'),
		OPT_CMDMODE(0, "filters", &mode, "run filters on object's content", 'f'),
		OPT_STRING(0, "path", &c.path, "blob|tree",
			   "use a <path> for (--textconv | --filters); Not with 'batch'"),
		OPT_CALLBACK(0, "filter", &c.filter, "args", "object filtering", set_filter),
		OPT_END()
	};

	argc = parse_options(argc, argv, opts, usage, 0);
	check_filter(&c.filter);
	if (c.mode != BATCH_NONE)
		check_batch(&c, mode, argc, opts);
	else
		check_single(&c, mode, argc, opts);
	c.filters = mode == 'f';
	c.textconv = mode == 'c';
	if (c.mode != BATCH_NONE)
		code = cat_file_batch(&c);
	else
		code = one_object(&c, mode, argv[0], argv[argc - 1]);
	cat_file_release_converters(&c);
	mailmap_free(c.map);
	filter_spec_release(&c.filter);
	return code;
}

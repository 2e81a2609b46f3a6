/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * git-hash-object(1). -w --stdin-paths may serve a program that reads our
 * answer to one line before it writes the next, and that uses the object at once:
 * so names are printed when their objects are published, which is done whenever no
 * further line is there yet.
 */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "cli/stdin-lines.h"
#include "fs/file.h"
#include "object/fsck.h"
#include "object/tree.h"
#include "operation/operation.h"
#include "util/alloc.h"
#include "util/path.h"
#include "util/quote.h"
#include "attr/convert.h"

static const char *const usage[] = {
	"git hash-object [-t <type>] [-w] [--path=<file> | --no-filters]\n"
	"                [--stdin [--literally]] [--] <file>...",
	"git hash-object [-t <type>] [-w] --stdin-paths [--no-filters]",
	NULL
};

struct hash_object {
	struct repository *r; /* NULL outside of one */
	struct repo_operation *op; /* -w */
	const struct hash_algo *algo;
	const char *type_name;
	enum object_type type;
	int write, no_filters, literally;
	const char *path; /* --path as seen from the top */
	struct index_state ix;
	struct converter *conv;
	struct strbuf names; /* hashed, not printed yet */
};

/* ---- filters ---- */

static struct converter *hash_object_converter(struct hash_object *h)
{
	struct err err = ERR_INIT;

	if (h->conv)
		return h->conv;
	if (index_read_repo(&h->ix, h->r, &err) < 0 ||
	    converter_new(&h->conv, h->r, &h->ix, ATTR_CHECKIN, &err) < 0)
		die_err(&err);
	return h->conv;
}

/* In place; nothing without a repository or a path. */
static void apply_filters(struct hash_object *h, const char *path, struct object_buf *buf)
{
	struct strbuf out = STRBUF_INIT, warn = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct conversion cv;
	int rc;

	if (h->no_filters || !path || !h->r || h->type != OBJ_BLOB)
		return;
	converter_lookup(hash_object_converter(h), path, &cv);
	rc = convert_to_git(h->conv, path, &cv, buf->data, buf->size, &out,
			    h->write ? CONVERT_WRITE_OBJECT : 0, &warn, &err);
	repo_report_lines(h->r, warn.buf);
	if (rc < 0)
		die_err(&err);
	if (rc > 0) {
		object_buf_release(buf);
		buf->data = strbuf_detach(&out, &buf->size);
	}
	strbuf_release(&out);
	strbuf_release(&warn);
}

static bool may_stream(struct hash_object *h, const char *path, const struct stat *st)
{
	struct conversion cv;

	if (!h->write || h->type != OBJ_BLOB || !S_ISREG(st->st_mode) ||
	    (uint64_t)st->st_size <= h->r->settings.big_file_threshold)
		return false;
	if (h->no_filters || !path)
		return true;
	converter_lookup(hash_object_converter(h), path, &cv);
	return conversion_is_noop_to_git(h->conv, &cv);
}

/* ---- one object ---- */

static int report_fault(void *data UNUSED, const struct object_id *oid UNUSED, enum object_type type UNUSED,
			enum fsck_severity severity UNUSED, const char *msg_id, const char *text)
{
	error("object fails fsck: %s: %s", msg_id, text);
	return 1;
}

/* What makes the rest of a tree unreadable has a message of its own in Git. */
static void report_broken_tree(const struct hash_algo *algo, const void *data, size_t size)
{
	struct err err = ERR_INIT;
	struct tree_entry e;
	struct tree_iter it;
	int rc;

	tree_iter_init(&it, data, size, algo);
	while ((rc = tree_iter_next(&it, &e, &err)) > 0)
		;
	if (rc < 0)
		report_error(&err);
}

void command_check_object(const struct hash_algo *algo, enum object_type type, const void *data, size_t size)
{
	struct fsck_options o = { .strict = true, .report = report_fault };

	if (type == OBJ_TREE)
		report_broken_tree(algo, data, size);
	if (type != OBJ_BLOB && fsck_object(&o, &algo->null_oid, type, data, size, algo))
		die("refusing to create malformed object");
	fsck_options_release(&o);
}

static void add_name(struct hash_object *h, const struct object_id *oid)
{
	strbuf_add_oid(&h->names, oid);
	strbuf_addch(&h->names, '\n');
}

/* What has been written becomes visible, and then its names. */
static void hash_object_publish(struct hash_object *h)
{
	struct err err = ERR_INIT;

	if (h->write && h->names.len && repo_operation_publish(h->op, &err) < 0)
		die_err(&err);
	fwrite(h->names.buf, 1, h->names.len, stdout);
	strbuf_reset(&h->names);
}

static void hash_content(struct hash_object *h, struct object_buf *buf, const char *path,
			 const char *shown)
{
	struct err err = ERR_INIT;
	struct object_id oid;
	int rc;

	apply_filters(h, path, buf);
	if (!h->literally)
		command_check_object(h->algo, h->type, buf->data, buf->size);
	rc = h->write ? odb_write(h->r->odb, h->type, buf->data, buf->size, &oid, &err) :
			hash_object_buf(h->algo, h->type_name, buf->data, buf->size, &oid, &err);
	if (rc < 0)
		die("%s: %s", shown, err_message(&err));
	add_name(h, &oid);
	object_buf_release(buf);
}

/* `path` for filters, NULL: none; `shown` for messages. */
static void hash_fd(struct hash_object *h, int fd, const char *path, const char *shown)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	struct strbuf in = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct object_id oid;
	struct stat st;

	if (fstat(fd, &st) < 0 || S_ISDIR(st.st_mode))
		die("Unable to %s %s", h->write ? "add" : "hash", shown);
	if (may_stream(h, path, &st)) {
		off_t at = lseek(fd, 0, SEEK_CUR);
		uint64_t size = (uint64_t)(st.st_size - (at > 0 ? at : 0));

		if (bulk_checkin_stream(odb_batch(h->r->odb), OBJ_BLOB, fd, size, shown, &oid,
					&err) < 0)
			die_err(&err);
		add_name(h, &oid);
		return;
	}
	if (read_fd(&in, fd, 0, shown, &err) < 0)
		die_err(&err);
	buf.type = h->type;
	buf.data = strbuf_detach(&in, &buf.size);
	hash_content(h, &buf, path, shown);
}

/* ---- where they come from ---- */

/* As seen from the top, where we are; for filters also without "..". */
static char *from_top(const struct hash_object *h, const char *arg, const char *prefix)
{
	const char *inside = NULL;
	char *path, *clean;

	if (is_absolute_path(arg) && h->r && h->r->worktree)
		inside = path_inside(arg, h->r->worktree);
	if (inside)
		return xstrdup(inside);
	if (is_absolute_path(arg))
		return xstrdup(arg);
	path = xstrfmt("%s%s", prefix ? prefix : "", arg);
	clean = xstrdup(path);
	if (path_normalize(clean, path) < 0) { /* it climbs out */
		free(clean);
		return path;
	}
	free(path);
	return clean;
}

static void hash_argument(struct hash_object *h, const char *arg, const char *prefix)
{
	char *file = is_absolute_path(arg) ? xstrdup(arg)
					   : xstrfmt("%s%s", prefix ? prefix : "", arg);
	char *path = from_top(h, arg, prefix);
	int fd = open(file, O_RDONLY | O_CLOEXEC);

	if (fd < 0) {
		int failure = errno;

		hash_object_publish(h); /* those before it are hashed */
		fflush(stdout);
		errno = failure;
	}
	if (fd < 0) {
		free(path);
		die("could not open '%s' for reading: %s", file, strerror(errno));
	}
	hash_fd(h, fd, h->path ? h->path : path, file);
	close(fd);
	free(path);
	free(file);
}

static void hash_stdin_paths(struct hash_object *h, const char *prefix)
{
	struct stdin_lines in = STDIN_LINES_INIT;
	struct strbuf line = STRBUF_INIT, name = STRBUF_INIT;
	const char *end;

	while (stdin_lines_next(&in, &line)) {
		strbuf_strip_suffix(&line, "\r");
		if (*line.buf == '"') {
			strbuf_reset(&name);
			if (unquote_c_style(&name, line.buf, &end) < 0 || *end)
				die("line is badly quoted");
			strbuf_swap(&line, &name);
		}
		hash_argument(h, line.buf, prefix);
		if (!stdin_lines_ready(&in)) {
			hash_object_publish(h);
			fflush(stdout);
		}
	}
	stdin_lines_release(&in);
	strbuf_release(&line);
	strbuf_release(&name);
}

/* ---- the command ---- */

static void hash_object_begin(struct hash_object *h, struct repository *r)
{
	struct err err = ERR_INIT;

	h->r = r;
	h->algo = r ? r->algo : hash_sha1;
	h->type = object_type_from_name(h->type_name, strlen(h->type_name));
	if (h->type == OBJ_BAD)
		die("invalid object type \"%s\"", h->type_name);
	index_init(&h->ix, h->algo);
	if (h->write && !r)
		die("not a git repository (or any of the parent directories): .git");
	if (!h->write)
		return;
	h->op = repo_operation_begin(r);
	if (repo_operation_open_objects(h->op, &err) < 0)
		die_err(&err);
}

static int finish(struct hash_object *h)
{
	struct err err = ERR_INIT;

	/* D2: the last names after the seal */
	if (h->write && repo_operation_end(h->op, 0, &err) < 0)
		die_err(&err);
	fwrite(h->names.buf, 1, h->names.len, stdout);
	strbuf_release(&h->names);
	converter_free(h->conv);
	index_release(&h->ix);
	return finish_stdout() ? 128 : 0;
}

static const char *wrong_usage(int nr_stdin, int paths, int argc, const struct hash_object *h)
{
	if (paths && nr_stdin)
		return "Can't use --stdin-paths with --stdin";
	if (paths && argc)
		return "Can't specify files with --stdin-paths";
	if (paths && h->path)
		return "Can't use --stdin-paths with --path";
	if (nr_stdin > 1)
		return "Multiple --stdin arguments are not supported";
	if (h->path && h->no_filters)
		return "Can't use --path with --no-filters";
	return NULL;
}

int cmd_hash_object(int argc, const char **argv, struct command_ctx *ctx)
{
	struct hash_object h = { .type_name = "blob", .names = STRBUF_INIT };
	char *path = NULL;
	int nr_stdin = 0, paths = 0;
	const char *wrong;
	struct option opts[] = {
		OPT_STRING('t', NULL, &h.type_name, "type", "object type"),
		OPT_BOOL('w', NULL, &h.write, "write the object into the object database"),
		OPT_COUNTUP(0, "stdin", &nr_stdin, "read the object from stdin"),
		OPT_BOOL(0, "stdin-paths", &paths, "read file names from stdin"),
		OPT_BOOL(0, "no-filters", &h.no_filters, "store file as is without filters"),
		OPT_BOOL(0, "literally", &h.literally,
			 "just hash any random garbage to create corrupt objects for debugging Git"),
		OPT_STRING(0, "path", &h.path, "file", "process file as it were from this path"),
		OPT_END()
	};

	argc = parse_options(argc, argv, opts, usage, 0);
	wrong = wrong_usage(nr_stdin, paths, argc, &h);
	if (wrong) {
		error("%s", wrong);
		usage_with_options(usage, opts);
	}
	hash_object_begin(&h, ctx->repo);
	if (h.path)
		h.path = path = from_top(&h, h.path, ctx->prefix);
	if (nr_stdin)
		hash_fd(&h, 0, h.path, "standard input");
	for (int i = 0; i < argc; i++)
		hash_argument(&h, argv[i], ctx->prefix);
	if (paths)
		hash_stdin_paths(&h, ctx->prefix);
	free(path);
	return finish(&h);
}

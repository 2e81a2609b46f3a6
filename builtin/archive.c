/* SPDX-License-Identifier: GPL-2.0-only */
/* git-archive(1) */
#include "compat/posix.h"
#include <signal.h>
#include "archive/archive.h"
#include "builtin/archive.h"
#include "compat/syscalls.h"
#include "history/names/revparse.h"
#include "object/commit.h"
#include "object/tree.h"
#include "repo/hidden-refs.h"
#include "util/alloc.h"
#include "util/path.h"
#include "util/quote.h"

static const char *const usage[] = {
	"git archive [<options>] <tree-ish> [<path>...]",
	"git archive --list",
	"git archive --remote <repo> [--exec <cmd>] [<options>] <tree-ish> [<path>...]",
	"git archive --remote <repo> [--exec <cmd>] --list",
	NULL
};

struct command_line {
	struct archive_options o;
	struct archive_formats formats;
	const char *format, *output, *mtime, *remote, *exec;
	const char *cwd; /* prefix in the repository; NULL: the top */
	const struct archive_client *client; /* NULL: the user is here */
	int list, verbose, worktree_attributes;
	struct archive_extra *extras;
	size_t nr_extras, alloc_extras;
	struct object_id commit;
};

/* ---- extra files ---- */

static struct archive_extra *new_extra(struct command_line *c)
{
	struct archive_extra *x;

	ALLOC_GROW(c->extras, c->nr_extras + 1, c->alloc_extras);
	x = &c->extras[c->nr_extras++];
	memset(x, 0, sizeof(*x));
	x->mode = MODE_FILE;
	return x;
}

static char *in_cwd(const struct command_line *c, const char *path)
{
	return is_absolute_path(path) ? xstrdup(path) : xconcat(c->cwd ? c->cwd : "", path);
}

/* Clients have no say in files that are not in a tree. */
static void refuse_for_client(const struct command_line *c, const char *option)
{
	if (c->client)
		die("options '%s' and '--remote' cannot be used together", option);
}

/* --add-file=FILE: relative to where the user is, though we may be at the top by now. */
static int archive_add_file(const struct option *opt, const char *arg, int unset)
{
	struct command_line *c = opt->value;
	struct archive_extra *x;
	struct stat st;
	char *path;

	if (unset) {
		c->nr_extras = 0;
		return 0;
	}
	refuse_for_client(c, "--add-file");
	if (!*arg)
		return error("--add-file needs a file");
	path = in_cwd(c, arg);
	if (stat(path, &st) < 0)
		die("File not found: %s", path);
	if (!S_ISREG(st.st_mode))
		die("Not a regular file: %s", path);
	x = new_extra(c);
	x->mode = canonical_mode(st.st_mode);
	x->path = xconcat(c->o.prefix ? c->o.prefix : "", path_basename(arg));
	x->file = path;
	return 0;
}

/* --add-virtual-file=PATH:CONTENT; the path may be quoted. */
static int add_virtual_file(const struct option *opt, const char *arg, int unset)
{
	struct command_line *c = opt->value;
	struct strbuf path = STRBUF_INIT;
	const char *p = arg;
	struct archive_extra *x;

	if (unset) {
		c->nr_extras = 0;
		return 0;
	}
	refuse_for_client(c, "--add-virtual-file");
	if (*p != '"') {
		p = strchr(arg, ':');
		if (p)
			strbuf_add(&path, arg, (size_t)(p - arg));
	} else if (unquote_c_style(&path, p, &p) < 0) {
		die("unclosed quote: '%s'", arg);
	}
	if (!p || *p != ':')
		die("missing colon: '%s'", arg);
	if (!path.len)
		die("empty file name: '%s'", arg);
	x = new_extra(c);
	x->path = in_cwd(c, path.buf);
	x->content_len = strlen(p + 1);
	x->content = xstrdup(p + 1);
	strbuf_release(&path);
	return 0;
}

/* ---- options ---- */

static bool takes_value(const char *word)
{
	static const char *const words[] = { "--format", "--prefix", "--add-file", "--add-virtual-file",
					     "--output", "-o", "--mtime", "--remote", "--exec" };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(word, words[i]))
			return true;
	return false;
}

/* -NUMBER, which may have several digits, is taken out of argv. Returns the new argc. */
static int take_level(int argc, const char **argv, int *level)
{
	int kept = 1, i;

	for (i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		const char *word = argv[i];
		size_t len = strlen(word);

		if (len > 1 && len < 8 && *word == '-' && strspn(word + 1, "0123456789") == len - 1 &&
		    !takes_value(argv[i - 1]))
			*level = (int)strtol(word + 1, NULL, 10);
		else
			argv[kept++] = word;
	}
	for (; i < argc; i++)
		argv[kept++] = argv[i];
	argv[kept] = NULL;
	return kept;
}

static int parse(struct command_line *c, int argc, const char **argv)
{
	struct option opts[] = {
		OPT_STRING(0, "format", &c->format, "fmt", "archive format"),
		OPT_STRING(0, "prefix", &c->o.prefix, "prefix",
			   "prepend prefix to each pathname in the archive"),
		OPT_CALLBACK(0, "add-file", c, "file", "add untracked file to archive",
			     archive_add_file),
		OPT_CALLBACK(0, "add-virtual-file", c, "path:content",
			     "add untracked file to archive", add_virtual_file),
		OPT_STRING('o', "output", &c->output, "file", "write the archive to this file"),
		OPT_BOOL(0, "worktree-attributes", &c->worktree_attributes,
			 "read .gitattributes in working directory"),
		OPT__VERBOSE(&c->verbose),
		OPT_STRING(0, "mtime", &c->mtime, "time",
			   "set modification time of archive entries"),
		OPT_GROUP("-<n>: level of compression"),
		OPT_BOOL('l', "list", &c->list, "list supported archive formats"),
		OPT_STRING(0, "remote", &c->remote, "repo", "retrieve the archive from a remote"),
		OPT_STRING(0, "exec", &c->exec, "command",
			   "path to the remote git-upload-archive command"),
		OPT_END()
	};

	argc = take_level(argc, argv, &c->o.level);
	argc = parse_options(argc, argv, opts, usage, 0);
	if (c->client && (c->remote || c->output))
		die("Unexpected option %s", c->output ? "--output" : "--remote");
	if (c->client && c->exec)
		die("the option '--exec' requires '--remote'");
	if (!c->list && !argc)
		usage_with_options(usage, opts);
	if (c->list && argc)
		die("extra command line parameter '%s'", argv[0]);
	return argc;
}

static int list_formats(const struct command_line *c)
{
	for (size_t i = 0; i < c->formats.nr; i++)
		if (!c->client || c->formats.items[i].remote)
			puts(c->formats.items[i].name);
	return finish_stdout();
}

static const struct archive_format *archive_choose_format(const struct command_line *c)
{
	const struct archive_format *f;

	if (!c->format && c->output && (f = archive_format_of_file(&c->formats, c->output)))
		return f;
	f = archive_format_find(&c->formats, c->format ? c->format : "tar");
	if (!f || (c->client && !f->remote))
		die("Unknown archive format '%s'", c->format);
	return f;
}

/* ---- the tree ---- */

/* As fetches see refs. Other ways to a ref ("main-worktree/refs/heads/x"), ORIG_HEAD and the like are none. */
static bool client_may_see(const char *full, void *data)
{
	return (starts_with(full, "refs/") || !strcmp(full, "HEAD")) && !ref_is_hidden(data, full, full);
}

/*
 * What clients may name: a ref that is not hidden from fetches, or a path in what it names. The ref is looked up
 * as one, not as the object name that it could look like. A hidden ref gets the answer for a missing one.
 */
static void find_remote(struct command_line *c, const char *name, struct object_id *oid)
{
	struct hidden_refs hidden = HIDDEN_REFS_INIT;
	const char *colon = strchr(name, ':');
	size_t len = colon ? (size_t)(colon - name) : strlen(name);
	struct object_id tree;
	struct err err = ERR_INIT;
	unsigned mode;
	char *full = NULL;
	bool is_head = len == 1 && *name == '@';

	if (hidden_refs_read(&hidden, c->o.repo->config, "uploadpack", &err) < 0)
		die_err(&err);
	if (!ref_dwim_visible(c->o.repo->refs, is_head ? "HEAD" : name, is_head ? 4 : len, client_may_see,
			      &hidden, &full, oid))
		die("no such ref: %.*s", (int)len, name);
	free(full);
	hidden_refs_release(&hidden);
	if (!colon)
		return;
	if (object_peel(odb_source(c->o.repo->odb), oid, OBJ_TREE, &tree, NULL, &err) < 0 ||
	    tree_lookup_path(odb_source(c->o.repo->odb), &tree, colon + 1, &mode, oid, &err) < 0)
		die("not a valid object name: %s", name);
}

static void find_local(struct command_line *c, const char *name, struct object_id *oid)
{
	struct err err = ERR_INIT;

	if (revparse_oid(c->o.repo, name, oid, &err) < 0) {
		report_preface(&err);
		die("not a valid object name: %s", name);
	}
}

/* The commit, if it is one: its id goes into the archive, and its time. */
static void archive_find_commit(struct command_line *c, const struct object_id *oid)
{
	struct odb *odb = c->o.repo->odb;
	struct object_buf buf = OBJECT_BUF_INIT;
	struct err err = ERR_INIT;
	enum object_type type;

	c->o.mtime = date_now(NULL);
	if (object_peel(odb_source(odb), oid, OBJ_ANY, &c->commit, &type, &err) < 0)
		die("not a tree object: %s", oid_hex(oid));
	if (type != OBJ_COMMIT)
		return;
	if (odb_read_type(odb, &c->commit, OBJ_COMMIT, &buf, &err) < 0 ||
	    commit_parse_links(buf.data, buf.size, odb_algo(odb), NULL, NULL, &c->o.mtime, &err) < 0)
		die_err(&err);
	object_buf_release(&buf);
	c->o.commit = &c->commit;
}

static void archive_find_tree(struct command_line *c, const char *name)
{
	struct repository *r = c->o.repo;
	bool unreachable = !c->client;
	struct object_id oid, top;
	struct err err = ERR_INIT;
	unsigned mode = 0;
	char *dir;

	if (c->client &&
	    config_get_bool(r->config, "uploadarchive.allowunreachable", &unreachable, &err) < 0)
		die_err(&err);
	if (unreachable)
		find_local(c, name, &oid);
	else
		find_remote(c, name, &oid);
	archive_find_commit(c, &oid);
	if (object_peel(odb_source(r->odb), &oid, OBJ_TREE, &top, NULL, &err) < 0)
		die("not a tree object: %s", oid_hex(&oid));
	c->o.tree = c->o.root = top;
	c->o.ref = name;
	if (!c->cwd)
		return;
	dir = xstrndup(c->cwd, strlen(c->cwd) - 1); /* it ends in '/' */
	if (tree_lookup_path(odb_source(r->odb), &top, dir, &mode, &c->o.tree, &err) < 0 ||
	    !MODE_IS_TREE(mode))
		die("current working directory is untracked");
	free(dir);
}

/* ---- writing ---- */

static void say_path(const char *path)
{
	fprintf(stderr, "%s\n", path);
}

static int open_output(const struct command_line *c, const struct archive_format *f)
{
	char *path;
	int fd;

	if (c->client && f->command)
		return c->client->start_filter(c->client->data, (size_t)(f - c->formats.items),
					       c->o.level);
	if (!c->output)
		return 1;
	path = in_cwd(c, c->output);
	fd = sys->open(path, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		die("could not create archive file '%s': %s", c->output, strerror(errno));
	free(path);
	return fd;
}

static void release(struct command_line *c)
{
	for (size_t i = 0; i < c->nr_extras; i++) {
		free(c->extras[i].path);
		free(c->extras[i].file);
		free(c->extras[i].content);
	}
	free(c->extras);
	archive_formats_release(&c->formats);
}

static int write_archive(struct command_line *c, const char **argv)
{
	const struct archive_format *f = archive_choose_format(c);
	struct archive_format plain;
	struct err err = ERR_INIT;
	int fd, rc;

	if (!archive_format_takes_level(f, c->o.level))
		die("Argument not supported for format '%s': -%d", f->name, c->o.level);
	archive_find_tree(c, argv[0]);
	if (c->mtime)
		c->o.mtime = date_approxidate(c->mtime, NULL);
	c->o.paths = argv + 1;
	c->o.cwd = c->cwd;
	c->o.worktree = c->client ? NULL : c->o.repo->worktree;
	c->o.prefix = c->o.prefix ? c->o.prefix : "";
	c->o.worktree_attributes = c->worktree_attributes;
	c->o.verbose = c->verbose ? say_path : NULL;
	c->o.extras = c->extras;
	c->o.nr_extras = c->nr_extras;
	if (f->command)
		signal(SIGPIPE, SIG_IGN); /* that of the program: it becomes an error message */
	fd = open_output(c, f);
	if (fd < 0)
		die("cannot start the filter of format '%s'", f->name);
	plain = *f;
	if (c->client)
		plain.command = NULL; /* fd leads to it */
	rc = archive_write(&c->o, &plain, fd, &err);
	if (fd != 1 && sys->close(fd) < 0 && !rc)
		rc = err_set_errno(&err, "could not write archive file '%s'", c->output);
	return rc ? report_fatal(&err) : 0;
}

int archive_command(int argc, const char **argv, struct repository *r, const char *prefix,
		    const struct archive_client *client)
{
	struct command_line c = { .o = { .repo = r, .level = -1 }, .client = client,
				  .cwd = prefix && *prefix ? prefix : NULL };
	struct err err = ERR_INIT;
	int code;

	parse(&c, argc, argv);
	if (archive_formats_read(&c.formats, command_config(r), &err) < 0)
		die_err(&err);
	if (!c.list && !r)
		die("not a git repository (or any of the parent directories): .git");
	code = c.list ? list_formats(&c) : write_archive(&c, argv);
	release(&c);
	return code;
}

/* ---- --remote ---- */

/* One of these options at argv[i], with its value. Returns how many words it takes; 0: it is another. */
static int take_own(const char **argv, int i, const char *name, const char **value)
{
	const char *rest;

	if (!skip_prefix(argv[i], name, &rest))
		return 0;
	if (!strcmp(name, "-o") && *rest)
		*value = rest;
	else if (*rest == '=')
		*value = rest + 1;
	else if (!*rest && argv[i + 1])
		*value = argv[i + 1];
	else
		return 0;
	return *value == argv[i + 1] ? 2 : 1;
}

/* Takes out our own options; all others go to the server. */
static void archive_split_arguments(int argc, const char **argv, struct archive_request *rq,
				    const char **output)
{
	int i = 1, used;

	while (i < argc && strcmp(argv[i], "--") != 0) {
		used = take_own(argv, i, "--remote", &rq->repo);
		if (!used)
			used = take_own(argv, i, "--exec", &rq->exec);
		if (!used)
			used = take_own(argv, i, "--output", output);
		if (!used)
			used = take_own(argv, i, "-o", output);
		if (!used)
			strvec_push(&rq->args, argv[i]);
		i += used ? used : 1;
	}
	for (; i < argc; i++)
		strvec_push(&rq->args, argv[i]);
}

/* The format by the name of the file comes first: a later --format wins. */
static void add_format(struct command_line *c, struct archive_request *rq)
{
	const struct archive_format *f = archive_format_of_file(&c->formats, c->output);
	struct strvec args = STRVEC_INIT;

	if (f)
		strvec_pushf(&args, "--format=%s", f->name);
	for (size_t i = 0; i < rq->args.nr; i++)
		strvec_push(&args, rq->args.v[i]);
	strvec_clear(&rq->args);
	rq->args = args;
}

static int archive_remote(struct archive_request *rq, const char *output, struct command_ctx *ctx)
{
	struct command_line c = { .output = output, .cwd = ctx->prefix };
	const struct archive_format none = { .name = NULL };
	struct err err = ERR_INIT;
	int fd, code;

	if (archive_formats_read(&c.formats, command_config(ctx->repo), &err) < 0)
		die_err(&err);
	if (output)
		add_format(&c, rq);
	fd = open_output(&c, &none);
	code = archive_from_remote(rq, fd);
	if (fd != 1 && sys->close(fd) < 0 && !code)
		die("could not write archive file '%s': %s", output, strerror(errno));
	release(&c);
	return code;
}

int cmd_archive(int argc, const char **argv, struct command_ctx *ctx)
{
	struct archive_request rq = { .args = STRVEC_INIT };
	const char *output = NULL;
	int code;

	archive_split_arguments(argc, argv, &rq, &output);
	if (rq.repo) {
		code = archive_remote(&rq, output, ctx);
		strvec_clear(&rq.args);
		return code;
	}
	strvec_clear(&rq.args);
	return archive_command(argc, argv, ctx->repo, ctx->prefix, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* git-diff-tree(1) */
#include "compat/posix.h"
#include "builtin/log/log.h"
#include "cli/rename-limit.h"
#include "cli/stdin-lines.h"
#include "history/names/revparse.h"
#include "util/alloc.h"

static const char *const usage[] = {
	"git diff-tree [--stdin] [-m] [-s] [-v] [--no-commit-id] [--pretty] [-t] [-r] [-c | --cc] "
	"[--combined-all-paths] [--root] [--merge-base] [<common-diff-options>] <tree-ish> "
	"[<tree-ish>] [<path>...]",
	NULL
};

struct diff_tree {
	struct log_options log;
	bool from_stdin, verbose, merge_base, quiet;
};

NORETURN static void bad_usage(void)
{
	struct option none[] = { OPT_END() };

	usage_with_options(usage, none);
}

/* ---- options ---- */

static bool own_option(struct diff_tree *d, const char *arg)
{
	const struct {
		const char *name;
		bool *field, value;
	} all[] = {
		{ "--stdin", &d->from_stdin, true },	   { "-v", &d->verbose, true },
		{ "--no-commit-id", &d->log.no_header, true }, { "--merge-base", &d->merge_base, true },
		{ "--always", &d->log.only_changes, false }, { "--quiet", &d->quiet, true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		if (strcmp(arg, all[i].name))
			continue;
		*all[i].field = all[i].value;
		return true;
	}
	return false;
}

/* Takes out the options that have another meaning for the walk. */
static int take_options(struct diff_tree *d, int argc, const char **argv)
{
	bool only_paths = false;
	int to = 1;

	for (int i = 1; i < argc; i++) {
		only_paths |= !strcmp(argv[i], "--");
		if (only_paths || !own_option(d, argv[i]))
			argv[to++] = argv[i];
	}
	argv[to] = NULL;
	return to;
}

static bool needs_contents(const struct log_options *o)
{
	const unsigned alone = DIFF_FORMAT_NAME_ONLY | DIFF_FORMAT_NAME_STATUS | DIFF_FORMAT_NONE;

	return o->diff.show_trees || o->diff.pickaxe ||
	       (!(o->diff.formats & alone) && o->diff.formats & ~DIFF_FORMAT_RAW);
}

static int parse(struct diff_tree *d, int argc, const char **argv, struct err *err)
{
	struct log_options *o = &d->log;
	const char **copy = xcalloc((size_t)argc + 1, sizeof(*copy));
	int rc;

	memcpy(copy, argv, (size_t)argc * sizeof(*copy));
	argc = take_options(d, argc, copy);
	rc = log_options_parse(o, argc, copy, err);
	free(copy);
	if (rc < 0)
		return rc;
	if (d->quiet) {
		o->diff.exit_code = true;
		o->diff.formats = DIFF_FORMAT_NONE;
	}
	if (!o->diff.formats)
		o->diff.formats = o->diff.combine == DIFF_COMBINE_DENSE ? DIFF_FORMAT_PATCH :
									  DIFF_FORMAT_RAW;
	o->diff.recursive |= needs_contents(o);
	o->diff.rotate_strict = true;
	o->with_graph = false; /* accepted, and without effect */
	o->ids_only = !o->format_given && !d->verbose;
	return log_options_resolve(o, err);
}

static int init(struct diff_tree *d, struct repository *r, struct err *err)
{
	struct log_options *o = &d->log;
	int rc = log_options_init_plumbing(o, r, err);

	if (rc < 0)
		return rc;
	o->show_notes = -1; /* %N alone asks for them */
	o->diff.abbrev = o->pretty.abbrev = 0;
	o->diff.index_abbrev = r->settings.abbrev;
	o->diff.prefix = r->prefix;
	o->diff.recursive = false;
	o->diff_asked = o->only_changes = o->walk->objects = true;
	o->walk->no_walk = true;
	commit_pool_keep_buffers(o->walk->pool, true);
	return diff_options_config_plumbing(&o->diff, r->config, err);
}

/* ---- one commit, two trees ---- */

static int diff_tree_show_commit(struct diff_tree *d, struct commit *c, struct err *err)
{
	int rc = commit_parse_node(d->log.walk->pool, c, err);

	if (!rc)
		rc = log_show_commit(&d->log, c, err);
	return rc < 0 ? rc : 0;
}

static int show_trees(struct diff_tree *d, const struct object_id *a, const struct object_id *b,
		      struct err *err)
{
	struct log_options *o = &d->log;
	struct diff_queue q = DIFF_QUEUE_INIT;
	struct object_id old, new;
	int rc = revparse_tree(o->repo, oid_hex(a), &old, err);

	if (!rc)
		rc = revparse_tree(o->repo, oid_hex(b), &new, err);
	if (!rc)
		rc = diff_trees(&q, &o->diff, &old, &new, err);
	if (!rc)
		rc = diff_process(&q, &o->diff, err);
	o->diff.drain = print_and_clear;
	if (!rc)
		rc = diff_format(&q, &o->diff, &o->text, err);
	if (!rc)
		rc = print_and_clear(NULL, &o->text, err);
	if (!rc)
		rc = log_note_differences(o, &q, err);
	o->check_failed |= q.check_failed;
	diff_queue_clear(&q);
	return rc;
}

static int find_base(struct diff_tree *d, const struct object_id *a, const struct object_id *b,
		     struct object_id *base, struct err *err)
{
	struct commit_list bases = COMMIT_LIST_INIT;
	struct object_id x, y;
	struct commit *other;
	int rc = revparse_commit(d->log.repo, oid_hex(a), &x, err);

	if (!rc)
		rc = revparse_commit(d->log.repo, oid_hex(b), &y, err);
	if (rc < 0)
		return rc;
	other = commit_lookup(d->log.walk->pool, &y);
	rc = merge_bases(d->log.walk->pool, commit_lookup(d->log.walk->pool, &x), &other, 1, &bases, err);
	if (!rc && bases.nr != 1)
		rc = err_set(err, bases.nr ? ERR_AMBIGUOUS : ERR_NOT_FOUND, "%s",
			     bases.nr ? "multiple merge bases found" : "no merge base found");
	if (!rc)
		*base = bases.items[0]->oid;
	commit_list_clear(&bases);
	return rc;
}

static int show_pair(struct diff_tree *d, const struct rev_start *a, const struct rev_start *b, struct err *err)
{
	struct object_id base;

	if (b->flags & REV_UNINTERESTING) { /* "b ^a" */
		const struct rev_start *swap = a;

		a = b;
		b = swap;
	}
	if (d->merge_base) {
		int rc = find_base(d, &a->oid, &b->oid, &base, err);

		return rc < 0 ? rc : show_trees(d, &base, &b->oid, err);
	}
	return show_trees(d, &a->oid, &b->oid, err);
}

static int show_one(struct diff_tree *d, const struct rev_start *s, struct err *err)
{
	struct object_info info;
	struct object_id oid;
	int rc = odb_type(d->log.repo->odb, &s->oid, &info.type, &info.size, err);

	if (!rc && (info.type == OBJ_TREE || info.type == OBJ_BLOB)) { /* nothing to compare it with: told, but no failure */
		error("object %s is a %s, not a commit", oid_hex(&s->oid), object_type_name(info.type));
		return 0;
	}
	if (!rc)
		rc = revparse_commit(d->log.repo, oid_hex(&s->oid), &oid, err);
	return rc < 0 ? rc : diff_tree_show_commit(d, commit_lookup(d->log.walk->pool, &oid), err);
}

/* ---- --stdin ---- */

/* Blank and a name; false: there is none. */
static bool next_oid(struct diff_tree *d, const char **at, struct object_id *oid)
{
	if (!isspace((unsigned char)**at))
		return false;
	return !oid_parse_hex(oid, *at + 1, d->log.repo->algo, at);
}

/* "commit parent…": other parents than it has. */
static int commit_line(struct diff_tree *d, const struct object_id *oid, const char *rest, struct err *err)
{
	struct commit *c = commit_lookup(d->log.walk->pool, oid), other;
	struct commit **parents = NULL;
	size_t nr = 0, alloc = 0;
	struct object_id parent;
	int rc = commit_parse_node(d->log.walk->pool, c, err);

	while (!rc && next_oid(d, &rest, &parent)) {
		ALLOC_GROW(parents, nr + 2, alloc);
		parents[nr++] = commit_lookup(d->log.walk->pool, &parent);
		parents[nr] = NULL;
	}
	if (rc < 0)
		return rc;
	other = *c;
	if (nr) {
		other.parents = parents;
		other.nr_parents = (uint32_t)nr;
	}
	rc = log_show_commit(&d->log, &other, err);
	free(parents);
	return rc < 0 ? rc : 0;
}

static int tree_line(struct diff_tree *d, const struct object_id *oid, const char *rest, struct err *err)
{
	struct object_id other;

	if (!next_oid(d, &rest, &other) || *rest) {
		error("Need exactly two trees, separated by a space");
		return 0;
	}
	printf("%s %s\n", oid_hex(oid), oid_hex(&other));
	return show_trees(d, oid, &other, err);
}

static int stdin_line(struct diff_tree *d, const char *line, struct err *err)
{
	struct object_info info;
	struct object_id oid;
	const char *rest;
	int rc;

	if (oid_parse_hex(&oid, line, d->log.repo->algo, &rest) < 0) {
		printf("%s\n", line); /* whatever else is there passes */
		return 0;
	}
	rc = odb_type(d->log.repo->odb, &oid, &info.type, &info.size, err);
	if (rc < 0)
		return rc;
	if (info.type == OBJ_COMMIT)
		return commit_line(d, &oid, rest, err);
	if (info.type == OBJ_TREE)
		return tree_line(d, &oid, rest, err);
	error("Object %s is a %s, not a commit or tree", oid_hex(&oid), object_type_name(info.type));
	return 0;
}

static int run_stdin(struct diff_tree *d, struct err *err)
{
	struct stdin_lines in = STDIN_LINES_INIT;
	struct strbuf line = STRBUF_INIT;
	int rc = 0;

	while (!rc && stdin_lines_next(&in, &line)) {
		rc = stdin_line(d, line.buf, err);
		fflush(stdout); /* a reader may wait for it */
	}
	strbuf_release(&line);
	stdin_lines_release(&in);
	return rc;
}

/* ---- all of it ---- */

static int diff_tree_run(struct diff_tree *d, struct err *err)
{
	struct rev_walk *w = d->log.walk;
	int rc = rev_walk_check_starts(w, err);

	if (rc < 0)
		return rc;
	if (d->merge_base && (w->nr_starts != 2 || d->from_stdin))
		return err_set(err, ERR_INVALID, d->from_stdin ?
			       "options '--merge-base' and '--stdin' cannot be used together" :
			       "--merge-base only works with two commits");
	if ((!w->nr_starts || w->reflogs) && !d->from_stdin) /* -g leaves no start, in Git too */
		bad_usage();
	if (w->nr_starts == 2) /* Git prints nothing for three and more, "A...B" among them */
		rc = show_pair(d, &w->starts[0], &w->starts[1], err);
	else if (w->nr_starts == 1)
		rc = show_one(d, &w->starts[0], err);
	return rc || !d->from_stdin ? rc : run_stdin(d, err);
}

int cmd_diff_tree(int argc, const char **argv, struct command_ctx *ctx)
{
	struct option none[] = { OPT_END() };
	struct diff_tree d = { .from_stdin = false };
	struct err err = ERR_INIT;
	int rc, result;

	if (argc == 2 && !strcmp(argv[1], "-h"))
		parse_options(argc, argv, none, usage, 0);
	rc = init(&d, ctx->repo, &err);
	if (!rc)
		rc = parse(&d, argc, argv, &err);
	if (rc < 0 && starts_with(err_message(&err), "unrecognized argument: "))
		bad_usage();
	if (!rc)
		rc = diff_tree_run(&d, &err);
	if (!rc && !d.quiet)
		warn_rename_limit(&d.log.limited);
	result = (d.log.check_failed ? 2 : 0) | (d.log.diff.exit_code && d.log.has_differences ? 1 : 0);
	log_options_release(&d.log);
	if (rc < 0)
		return report_fatal(&err);
	rc = finish_stdout();
	return rc ? rc : result;
}

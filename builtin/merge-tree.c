/* SPDX-License-Identifier: GPL-2.0-only */
/* git-merge-tree(1). The deprecated --trivial-merge is in merge-tree-trivial.c. */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "builtin/merge-tree.h"
#include "cli/rename-limit.h"
#include "cli/stdin-lines.h"
#include "cli/submodule-conflicts.h"
#include "history/names/revparse.h"
#include "merge/commits.h"
#include "merge/options.h"
#include "operation/operation.h"
#include "util/alloc.h"
#include "util/quote.h"
#include "worktree/content-merge.h"

static const char *const usage[] = {
	"git merge-tree [--write-tree] [<options>] <branch1> <branch2>",
	"git merge-tree [--trivial-merge] <base-tree> <branch1> <branch2>",
	NULL
};

struct merge_tree {
	struct repository *r;
	struct commit_pool *pool;
	struct repo_operation *op;
	struct merge_trees m;
	struct content_merge attributes;
	struct index_state no_index; /* attributes come from files of the working tree alone */
	struct strbuf out;
	struct strvec strategy_options;
	const char *base;
	int messages; /* -1: if there are conflicts */
	int quiet, nul, name_only, allow_unrelated, from_stdin;
};

/* The names of one merge, as they were given. */
struct merge_names {
	const char *base; /* NULL: to be found */
	const char *ours, *theirs;
};

/* ---- names ---- */

/* 1: told already */
static int find_commit(struct merge_tree *t, const char *name, struct commit **out, struct err *err)
{
	struct err why = ERR_INIT;
	struct object_id oid, at;

	if (revparse_of_type(t->r, name, OBJ_COMMIT, &oid, NULL) < 0 ||
	    object_peel(odb_source(t->r->odb), &oid, OBJ_COMMIT, &at, NULL, &why) < 0) {
		if (why.code)
			report_error(&why);
		fprintf(stderr, "merge-tree: %s - not something we can merge\n", name);
		return 1;
	}
	*out = commit_lookup(t->pool, &at);
	return commit_parse_node(t->pool, *out, err);
}

static int find_tree(struct merge_tree *t, const char *name, struct object_id *out, struct err *err)
{
	struct object_id oid;

	if (revparse_oid(t->r, name, &oid, NULL) < 0)
		return err_set(err, ERR_NOT_FOUND, "could not parse as tree '%s'", name);
	if (object_peel(odb_source(t->r->odb), &oid, OBJ_TREE, out, NULL, NULL) < 0)
		return err_set(err, ERR_INVALID, "unable to read tree (%s)", oid_hex(&oid));
	return 0;
}

/* ---- one merge ---- */

static int merge_with_base(struct merge_tree *t, const struct merge_names *n, struct merge_result *result, struct err *err)
{
	const char *names[MERGE_STAGES] = { n->base, n->ours, n->theirs };
	struct merge_trees m = t->m;
	struct object_id tree[MERGE_STAGES];
	int rc = 0;

	for (int s = 0; !rc && s < MERGE_STAGES; s++) {
		rc = find_tree(t, names[s], &tree[s], err);
		m.tree[s] = &tree[s];
		m.label[s] = names[s];
	}
	return rc ? rc : merge_trees(&m, result, err);
}

static int merge_by_history(struct merge_tree *t, const struct merge_names *n, struct merge_result *result, struct err *err)
{
	struct commit_list bases = COMMIT_LIST_INIT;
	struct merge_trees m = t->m;
	struct commit *ours, *theirs;
	int rc = find_commit(t, n->ours, &ours, err);

	if (!rc)
		rc = find_commit(t, n->theirs, &theirs, err);
	if (rc)
		return rc;
	rc = merge_bases(t->pool, ours, &theirs, 1, &bases, err);
	if (!rc && !bases.nr && !t->allow_unrelated)
		rc = err_set(err, ERR_INVALID, "refusing to merge unrelated histories");
	m.label[MERGE_OURS] = n->ours;
	m.label[MERGE_THEIRS] = n->theirs;
	if (!rc)
		rc = merge_commits(&m, t->pool, ours, theirs, &bases, result, err);
	commit_list_clear(&bases);
	return rc;
}

/* ---- output ---- */

static void add_path(struct merge_tree *t, const char *path)
{
	if (t->nul)
		strbuf_addstr(&t->out, path);
	else
		quote_c_style(&t->out, path, strlen(path), t->r->settings.quote_path);
	strbuf_addch(&t->out, t->nul ? '\0' : '\n');
}

static void add_stages(struct merge_tree *t, const struct index_state *stages)
{
	const char *last = NULL;

	for (size_t i = 0; i < stages->nr; i++) {
		const struct index_entry *e = stages->entries[i];

		if (!t->name_only)
			strbuf_addf(&t->out, "%06o %s %d\t", e->mode, oid_hex(&e->oid), e->stage);
		else if (last && !strcmp(last, e->name))
			continue;
		add_path(t, e->name);
		last = e->name;
	}
}

static void add_messages(struct merge_tree *t, const struct merge_result *result)
{
	strbuf_addch(&t->out, t->nul ? '\0' : '\n');
	for (size_t i = 0; i < result->nr_messages; i++) {
		const struct merge_message *m = &result->messages[i];

		if (t->nul) {
			strbuf_addf(&t->out, "%zu", m->paths.nr);
			strbuf_addch(&t->out, '\0');
			for (size_t k = 0; k < m->paths.nr; k++)
				strbuf_add(&t->out, m->paths.v[k], strlen(m->paths.v[k]) + 1);
			strbuf_addstr(&t->out, merge_message_type_name(m->type));
			strbuf_addch(&t->out, '\0');
		}
		strbuf_addf(&t->out, "%s\n", m->text);
		if (t->nul)
			strbuf_addch(&t->out, '\0');
	}
}

static void add_messages_and_warn(struct merge_tree *t, const struct merge_result *result)
{
	add_messages(t, result);
	advise_on_submodule_conflicts(t->r, result);
	warn_of_merge_limit(result->needed_rename_limit);
}

static void add_result(struct merge_tree *t, const struct merge_result *result)
{
	if (t->from_stdin) {
		strbuf_addch(&t->out, result->clean ? '1' : '0');
		strbuf_addch(&t->out, '\0');
	}
	strbuf_add_oid(&t->out, &result->tree);
	strbuf_addch(&t->out, t->nul ? '\0' : '\n');
	if (!result->clean)
		add_stages(t, &result->stages);
	if (t->messages > 0 || (t->messages < 0 && !result->clean))
		add_messages_and_warn(t, result);
	if (t->from_stdin)
		strbuf_addch(&t->out, '\0');
}

/* *clean is set if 0 is returned. 1: told already */
static int merge_and_print(struct merge_tree *t, const struct merge_names *n, bool *clean, struct err *err)
{
	struct merge_result result;
	int rc = n->base ? merge_with_base(t, n, &result, err) : merge_by_history(t, n, &result, err);

	if (rc == ERR_ABORTED) { /* a merge driver */
		err_release(err);
		return err_set(err, rc, "failure to merge");
	}
	if (rc)
		return rc;
	*clean = result.clean;
	if (!t->quiet)
		add_result(t, &result);
	merge_result_release(&result);
	return 0;
}

/* ---- --stdin ---- */

/* "[<base> -- ]<branch1> <branch2>" */
static int parse_line(const char *line, struct strvec *words, struct merge_names *n, struct err *err)
{
	const char *const *v;
	size_t at = 0;

	for (const char *p = line; *p;) {
		size_t len = strcspn(p, " \t\r\n");

		if (len)
			strvec_pushf(words, "%.*s", (int)len, p);
		p += len + strspn(p + len, " \t\r\n");
	}
	v = words->v;
	*n = (struct merge_names){ 0 };
	if (words->nr > 1 && !strcmp(v[1], "--")) {
		n->base = v[0];
		at = 2;
	}
	if (words->nr != at + 2)
		return err_set(err, ERR_INVALID, "malformed input line: '%s'.", words->nr ? v[0] : "");
	n->ours = v[at];
	n->theirs = v[at + 1];
	return 0;
}

/* The reader may use the trees at once. */
static int publish_and_print(struct merge_tree *t, struct err *err)
{
	int rc = repo_operation_publish(t->op, err);

	if (!rc)
		rc = print_and_clear(NULL, &t->out, err);
	return rc ? rc : finish_stdout();
}

static int merge_lines_of_stdin(struct merge_tree *t, struct err *err)
{
	struct stdin_lines in = STDIN_LINES_INIT;
	struct strbuf line = STRBUF_INIT;
	int rc = 0;

	while (!rc && stdin_lines_next(&in, &line)) {
		struct strvec words = STRVEC_INIT;
		struct merge_names n;
		bool clean;

		rc = parse_line(line.buf, &words, &n, err);
		if (!rc)
			rc = merge_and_print(t, &n, &clean, err);
		if (!rc && !stdin_lines_ready(&in))
			rc = publish_and_print(t, err);
		else if (rc && t->out.len)
			(void)!publish_and_print(t, NULL); /* the answers before a bad line, which is the error */
		strvec_clear(&words);
	}
	stdin_lines_release(&in);
	strbuf_release(&line);
	return rc;
}

/* ---- the command ---- */

static int prepare(struct merge_tree *t, struct err *err)
{
	int rc = merge_options_config(&t->m, t->r->config, err);

	for (size_t i = 0; !rc && i < t->strategy_options.nr; i++)
		if (!merge_options_strategy(&t->m, t->strategy_options.v[i]))
			rc = err_set(err, ERR_INVALID, "unknown strategy option: -X%s", t->strategy_options.v[i]);
	t->m.odb = t->r->odb;
	t->m.abbrev = t->r->settings.abbrev;
	t->attributes.r = t->r;
	t->attributes.ix = &t->no_index;
	content_merge_use(&t->attributes, &t->m.rules);
	index_init(&t->no_index, t->r->algo);
	if (!rc)
		rc = attrs_new(&t->attributes.attrs, t->r, &t->no_index, ATTR_CHECKIN, err);
	if (!rc)
		rc = commit_pool_new(&t->pool, t->r, err);
	return rc;
}

static int merge_all(struct merge_tree *t, const struct merge_names *n, struct err *err)
{
	bool clean = true;
	int rc = prepare(t, err);

	t->op = repo_operation_begin(t->r);
	if (!rc)
		rc = repo_operation_open_objects(t->op, err);
	if (!rc)
		rc = t->from_stdin ? merge_lines_of_stdin(t, err) : merge_and_print(t, n, &clean, err);
	if (rc || t->quiet) { /* the names of the objects are not printed */
		repo_operation_abort(t->op);
		repo_operation_free(t->op);
	} else {
		rc = repo_operation_end(t->op, 0, err);
	}
	if (!rc)
		rc = print_and_clear(NULL, &t->out, err);
	return rc ? rc : !clean;
}

static void reject_incompatible_options(const struct merge_tree *t, int argc, const struct option *opts)
{
	if (t->quiet && t->messages > 0)
		die("options '%s' and '%s' cannot be used together", "--quiet", "--messages");
	if (t->quiet && t->name_only)
		die("options '%s' and '%s' cannot be used together", "--quiet", "--name-only");
	if (t->quiet && t->from_stdin)
		die("options '%s' and '%s' cannot be used together", "--quiet", "--stdin");
	if (t->quiet && t->nul)
		die("options '%s' and '%s' cannot be used together", "--quiet", "-z");
	if (t->from_stdin && t->base)
		die("options '%s' and '%s' cannot be used together", "--merge-base", "--stdin");
	if (!t->from_stdin && argc != 2)
		usage_with_options(usage, opts);
}

int cmd_merge_tree(int argc, const char **argv, struct command_ctx *ctx)
{
	struct merge_tree t = { .r = ctx->repo, .out = STRBUF_INIT, .strategy_options = STRVEC_INIT, .messages = -1 };
	struct merge_names names = { 0 };
	struct err err = ERR_INIT;
	bool options = argc > 1 && *argv[1] == '-';
	int mode = 0, rc;
	struct option opts[] = {
		OPT_CMDMODE(0, "write-tree", &mode, "do a real merge instead of a trivial merge", 'w'),
		OPT_CMDMODE(0, "trivial-merge", &mode, "do a trivial merge only", 't'),
		OPT_BOOL(0, "messages", &t.messages, "also show informational/conflict messages"),
		OPT_SET_INT(0, "quiet", &t.quiet, "suppress all output; only exit status wanted", 1),
		OPT_SET_INT('z', NULL, &t.nul, "separate paths with the NUL character", 1),
		OPT_SET_INT(0, "name-only", &t.name_only, "list filenames without modes/oids/stages", 1),
		OPT_SET_INT(0, "allow-unrelated-histories", &t.allow_unrelated, "allow merging unrelated histories", 1),
		OPT_SET_INT(0, "stdin", &t.from_stdin, "perform multiple merges, one per line of input", 1),
		OPT_STRING(0, "merge-base", &t.base, "tree-ish", "specify a merge-base for the merge"),
		OPT_STRVEC('X', "strategy-option", &t.strategy_options, "option=value",
			   "option for selected merge strategy"),
		OPT_END()
	};

	argc = parse_options(argc, argv, opts, usage, PARSE_OPT_STOP_AT_NON_OPTION);
	if (mode == 't' || (!mode && argc == 3 && !t.from_stdin)) {
		if (options && (t.messages >= 0 || t.quiet || t.nul || t.name_only || t.allow_unrelated || t.from_stdin ||
				t.base || t.strategy_options.nr))
			die("--trivial-merge is incompatible with all other options");
		strvec_clear(&t.strategy_options);
		if (argc != 3)
			usage_with_options(usage, opts);
		rc = merge_tree_trivial(t.r, argv, &err);
		return rc < 0 ? report_fatal(&err) : finish_stdout() ? 128 : 0;
	}
	t.nul |= t.from_stdin;
	reject_incompatible_options(&t, argc, opts);
	if (!t.from_stdin)
		names = (struct merge_names){ t.base, argv[0], argv[1] };
	rc = merge_all(&t, &names, &err);
	content_merge_release(&t.attributes);
	attrs_free(t.attributes.attrs);
	index_release(&t.no_index);
	commit_pool_free(t.pool);
	strbuf_release(&t.out);
	strvec_clear(&t.strategy_options);
	if (rc < 0)
		return report_fatal(&err);
	return finish_stdout() ? 128 : rc;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * git-merge(1): several strategies, and strategies that are programs, git-merge-NAME on PATH. The first one without conflicts
 * is taken, or the one with the least. A program changes index and files itself, so no lock is held and no operation is open
 * while it runs. Before it runs, local changes are saved as a commit. What it has changed is undone if it does not handle the
 * merge, or if another strategy follows.
 */
#include "compat/posix.h"
#include "builtin/merge/merge-cmd.h"
#include "cli/git-options.h"
#include "cli/known-commands.h"
#include "index/cache-tree.h"
#include "util/alloc.h"
#include "util/run-command.h"
#include "util/string-list.h"

static const char *const known_strategies[] = { "ort", "recursive", "octopus", "resolve", "ours", "subtree" };

/* ---- names ---- */

static bool is_known(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(known_strategies); i++)
		if (!strcmp(name, known_strategies[i]))
			return true;
	return false;
}

/* "git-merge-file" is a command, not a strategy. */
static bool is_merge_command(const char *name)
{
	char *command = xstrfmt("merge-%s", name);
	bool yes = known_command_find(command);

	free(command);
	return yes;
}

static bool is_program(const char *name)
{
	char *program = xstrfmt("git-merge-%s", name), *path;
	bool yes = false;

	if (!strchr(name, '/') && !is_merge_command(name)) {
		path = locate_in_path(program);
		yes = path;
		free(path);
	}
	free(program);
	return yes;
}

static void print_programs(void)
{
	struct string_list dirs = STRING_LIST_INIT;
	struct strvec found = STRVEC_INIT;
	const char *path = getenv("PATH");

	string_list_split(&dirs, path ? path : "", ":");
	for (size_t i = 0; i < dirs.nr; i++)
		list_programs(&found, dirs.items[i].string, "git-merge-");
	strvec_sort_unique(&found);
	for (size_t i = found.nr; i-- > 0;)
		if (is_known(found.v[i]) || is_merge_command(found.v[i]))
			strvec_remove(&found, i);
	if (found.nr)
		fputs("Available custom strategies are:", stderr);
	for (size_t i = 0; i < found.nr; i++)
		fprintf(stderr, " %s", found.v[i]);
	if (found.nr)
		fputs(".\n", stderr);
	strvec_clear(&found);
	string_list_clear(&dirs, NULL);
}

int merge_check_strategies(const struct merge_cmd *m)
{
	for (size_t i = 0; i < m->o.strategies.nr; i++) {
		const char *name = m->o.strategies.v[i];

		if (is_known(name) || is_program(name))
			continue;
		fprintf(stderr, "Could not find merge strategy '%s'.\n"
			"Available strategies are: octopus ours recursive resolve subtree.\n", name);
		print_programs();
		return 1;
	}
	return 0;
}

bool merge_has_external_strategy(const struct merge_cmd *m)
{
	for (size_t i = 0; i < m->o.strategies.nr; i++)
		if (!is_known(m->o.strategies.v[i]))
			return true;
	return false;
}

/* ---- local changes ---- */

struct external_merge {
	struct merge_cmd *m;
	struct strbuf saved; /* the commit that has the local changes; "": none */
	bool changed;	     /* a program has run since the files were as saved */
	const char *best;
	size_t least; /* conflicts of `best` */
};

static int save_local_changes(struct external_merge *x, struct err *err)
{
	struct child_process child = CHILD_PROCESS_INIT;
	int rc;

	push_own_command(&child.args, "stash");
	strvec_push(&child.args, "create");
	rc = pipe_command(&child, NULL, 0, &x->saved, NULL, 0, err);
	while (x->saved.len && x->saved.buf[x->saved.len - 1] == '\n')
		strbuf_setlen(&x->saved, x->saved.len - 1);
	return rc > 0 ? err_set(err, ERR_GENERIC, "stash failed") : rc;
}

static int reset_to_head(struct err *err)
{
	struct child_process child = CHILD_PROCESS_INIT;
	int rc;

	push_own_command(&child.args, "read-tree");
	strvec_pushl(&child.args, "--reset", "-u", "HEAD", NULL);
	rc = run_command(&child, err);
	return rc > 0 ? err_set(err, ERR_GENERIC, "read-tree failed") : rc;
}

static int restore_local_changes(struct external_merge *x, struct err *err)
{
	struct child_process child = CHILD_PROCESS_INIT;
	int rc;

	if (!x->changed)
		return 0;
	rc = reset_to_head(err);
	if (!rc && x->saved.len) {
		push_own_command(&child.args, "stash");
		strvec_pushl(&child.args, "apply", "--index", "--quiet", x->saved.buf, NULL);
		rc = run_command(&child, err);
	}
	x->changed = rc;
	if (rc && x->saved.len)
		error("the local changes are in the commit %s: git stash apply --index brings them back", x->saved.buf);
	return rc > 0 ? err_set(err, ERR_GENERIC, "stash apply failed") : rc;
}

/* ---- one strategy ---- */

enum attempt { ATTEMPT_CLEAN, ATTEMPT_CONFLICTS, ATTEMPT_UNHANDLED };

static int run_program_of_strategy(struct external_merge *x, const char *name, struct err *err)
{
	struct child_process child = CHILD_PROCESS_INIT;
	struct merge_cmd *m = x->m;

	strvec_pushf(&child.args, "git-merge-%s", name);
	for (size_t i = 0; i < m->o.strategy_options.nr; i++)
		strvec_pushf(&child.args, "--%s", m->o.strategy_options.v[i]);
	for (size_t i = 0; i < m->bases.nr; i++)
		strvec_push(&child.args, oid_hex(&m->bases.items[i]->oid));
	strvec_pushl(&child.args, "--", "HEAD", NULL);
	strvec_pushf(&child.env, "GIT_REFLOG_ACTION=%s", m->action);
	for (size_t i = 0; i < m->heads.nr; i++) {
		const char *hex = oid_hex(&m->heads.items[i].commit->oid);

		strvec_push(&child.args, hex);
		strvec_pushf(&child.env, "GITHEAD_%s=%s", hex, m->heads.items[i].name);
	}
	fflush(stdout);
	x->changed = true;
	return run_command(&child, err);
}

/* The index that the program has left becomes the result. */
static int adopt_index(struct merge_cmd *m, int code, struct err *err)
{
	struct index_state *ix = &m->update.ix;
	int rc = result_update_begin(&m->update, m->op, err);

	if (rc)
		return rc;
	m->result = (struct merge_result){ .tree = m->head_tree };
	index_init(&m->result.stages, m->r->algo);
	m->has_result = m->external = true;
	for (size_t i = 0; !rc && i < ix->nr; i++) {
		const struct index_entry *e = ix->entries[i];

		if (e->stage)
			rc = index_add(&m->result.stages,
				       index_entry_new(&m->result.stages, e->mode, &e->oid, e->name, strlen(e->name), e->stage),
				       0, m->r->settings.protect, err);
	}
	m->result.clean = !code && !m->result.stages.nr;
	if (!rc)
		rc = repo_operation_open_objects(m->op, err);
	if (!rc && m->result.clean)
		rc = cache_tree_update(ix, m->r, 0, &m->result.tree, err);
	return rc;
}

/* Returns an enum attempt, or < 0. The operation is open, and m->result set, unless it is ATTEMPT_UNHANDLED. */
static int attempt(struct external_merge *x, const char *name, struct err *err)
{
	struct merge_cmd *m = x->m;
	int rc;

	m->strategy = name;
	m->external = m->has_told = false;
	if (is_known(name)) {
		m->op = repo_operation_begin(m->r);
		rc = result_update_begin(&m->update, m->op, err);
		if (!rc)
			rc = merge_run_strategy(m, err);
	} else {
		rc = run_program_of_strategy(x, name, err);
		if (rc == 0 || rc == 1) {
			m->op = repo_operation_begin(m->r);
			rc = adopt_index(m, rc, err);
		}
	}
	if (rc)
		return rc < 0 && rc != ERR_NOT_FOUND ? rc : ATTEMPT_UNHANDLED;
	return m->result.clean ? ATTEMPT_CLEAN : ATTEMPT_CONFLICTS;
}

static void give_up_attempt(struct merge_cmd *m)
{
	for (size_t i = 0; m->has_result && !m->has_told && i < m->result.nr_messages; i++)
		printf("%s\n", m->result.messages[i].text);
	if (m->op) {
		repo_operation_abort(m->op);
		repo_operation_free(m->op);
		m->op = NULL;
		result_update_release(&m->update);
		m->update = (struct result_update){ 0 };
	}
	if (m->has_result)
		merge_result_release(&m->result);
	m->has_result = false;
}

static size_t count_conflicts(const struct index_state *stages)
{
	size_t nr = 0;

	for (size_t i = 0; i < stages->nr; i++)
		nr += !i || strcmp(stages->entries[i]->name, stages->entries[i - 1]->name);
	return nr;
}

static int rewind_files(struct external_merge *x, struct err *err)
{
	puts("Rewinding the tree to pristine...");
	fflush(stdout);
	return restore_local_changes(x, err);
}

/* ---- all strategies ---- */

static int conclude_attempt(struct external_merge *x, struct err *err)
{
	struct merge_cmd *m = x->m;
	int rc = 0;

	if (!m->external) {
		rc = merge_plan_update(m, &m->head_tree, &m->result.tree, &m->result.stages, err);
		if (rc == ERR_CONFLICT)
			return merge_report_failed(m, err);
		if (!rc)
			rc = result_update_run(&m->update, err);
	}
	return rc ? rc : merge_conclude(m, err);
}

/* The one with the least conflicts: again, unless it was the last. */
static int use_best(struct external_merge *x, bool is_last, struct err *err)
{
	int rc = 0;

	if (!is_last) {
		give_up_attempt(x->m);
		rc = rewind_files(x, err);
		printf("Using the %s strategy to prepare resolving by hand.\n", x->best);
		if (!rc)
			rc = attempt(x, x->best, err);
	}
	return rc < 0 ? rc : conclude_attempt(x, err);
}

static int try_each(struct external_merge *x, struct err *err)
{
	const struct strvec *all = &x->m->o.strategies;
	int rc = ATTEMPT_UNHANDLED;
	size_t nr;

	for (size_t i = 0; i < all->nr; i++) {
		give_up_attempt(x->m);
		rc = i ? rewind_files(x, err) : 0;
		if (rc)
			return rc;
		if (all->nr > 1)
			printf("Trying merge strategy %s...\n", all->v[i]);
		rc = attempt(x, all->v[i], err);
		if (rc < 0 || rc == ATTEMPT_CLEAN)
			return rc < 0 ? rc : conclude_attempt(x, err);
		nr = rc == ATTEMPT_CONFLICTS ? count_conflicts(&x->m->result.stages) : 0;
		if (rc == ATTEMPT_CONFLICTS && (!x->best || nr <= x->least)) {
			x->best = all->v[i];
			x->least = nr;
		}
	}
	if (x->best)
		return use_best(x, rc == ATTEMPT_CONFLICTS && x->best == all->v[all->nr - 1], err);
	give_up_attempt(x->m);
	rc = restore_local_changes(x, err);
	return rc ? rc : merge_report_failed(x->m, err);
}

int merge_by_strategies(struct merge_cmd *m, struct err *err)
{
	struct external_merge x = { .m = m, .saved = STRBUF_INIT };
	int rc;

	result_update_release(&m->update);
	m->update = (struct result_update){ 0 };
	rc = repo_operation_end(m->op, 0, err); /* seals an autostash */
	m->op = NULL;
	if (!rc)
		rc = save_local_changes(&x, err);
	if (!rc)
		rc = try_each(&x, err);
	strbuf_release(&x.saved);
	return rc;
}

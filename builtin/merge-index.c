/* SPDX-License-Identifier: GPL-2.0-only */
/* git-merge-index(1) */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "index/index.h"
#include "util/alloc.h"
#include "util/run-command.h"

#define MOST_FAILURES 255 /* in the exit code */

static const char *const usage[] = { "git merge-index [-o] [-q] <merge-program> (-a | [--] [<filename>...])", NULL };

struct merge_index {
	struct index_state ix;
	const char *program;
	bool all_in_one_shot, quiet; /* -o, -q */
	int failures;
};

/* The entries from `pos` to `end` are the stages of one path. */
static int run_program(struct merge_index *m, size_t pos, size_t end)
{
	const char *oids[3] = { "", "", "" }, *name = m->ix.entries[pos]->name;
	char modes[3][16] = { "", "", "" };
	struct child_process child = CHILD_PROCESS_INIT;
	struct err err = ERR_INIT;
	char hex[3][HASH_MAX_HEX + 1];
	int rc;

	for (; pos < end; pos++) {
		const struct index_entry *e = m->ix.entries[pos];
		unsigned i = e->stage - 1u;

		oids[i] = strcpy(hex[i], oid_hex(&e->oid));
		snprintf(modes[i], sizeof(modes[i]), "%06o", e->mode);
	}
	strvec_pushl(&child.args, m->program, oids[0], oids[1], oids[2], name, modes[0], modes[1], modes[2], NULL);
	rc = run_command(&child, &err);
	if (rc < 0)
		report_error(&err);
	return rc;
}

static size_t end_of_stages(const struct merge_index *m, size_t pos)
{
	size_t end = pos;

	while (end < m->ix.nr && m->ix.entries[end]->stage && !strcmp(m->ix.entries[end]->name, m->ix.entries[pos]->name))
		end++;
	return end;
}

/* False: it failed, and no other path follows. */
static bool merge_entry(struct merge_index *m, size_t pos, size_t end)
{
	if (pos == end || !run_program(m, pos, end))
		return true;
	if (m->failures < MOST_FAILURES)
		m->failures++;
	return m->all_in_one_shot;
}

static bool merge_every_path(struct merge_index *m)
{
	for (size_t pos = 0, end; pos < m->ix.nr; pos = end > pos ? end : pos + 1) {
		end = end_of_stages(m, pos);
		if (!merge_entry(m, pos, end))
			return false;
	}
	return true;
}

static bool merge_path(struct merge_index *m, const char *path)
{
	ssize_t found = index_pos(&m->ix, path, strlen(path), 0);
	size_t pos = (size_t)(found < 0 ? -1 - found : found);

	if (pos == m->ix.nr || strcmp(m->ix.entries[pos]->name, path))
		die("git merge-index: %s not in the cache", path);
	return merge_entry(m, pos, end_of_stages(m, pos));
}

static void merge_arguments(struct merge_index *m, const char *const *args)
{
	bool options = true, goes_on = true;

	for (; *args && goes_on; args++) {
		if (!options || **args != '-')
			goes_on = merge_path(m, *args);
		else if (!strcmp(*args, "--"))
			options = false;
		else if (!strcmp(*args, "-a"))
			goes_on = merge_every_path(m);
		else
			die("git merge-index: unknown option %s", *args);
	}
}

int cmd_merge_index(int argc, const char **argv, struct command_ctx *ctx)
{
	struct merge_index m = { 0 };
	struct option opts[] = { OPT_END() };
	struct err err = ERR_INIT;
	int i = 1;

	if (argc == 2 && !strcmp(argv[1], "-h"))
		parse_options(argc, argv, opts, usage, 0);
	if (argc < 3)
		usage_with_options(usage, opts);
	m.all_in_one_shot = !strcmp(argv[i], "-o");
	i += m.all_in_one_shot;
	m.quiet = !strcmp(argv[i], "-q");
	i += m.quiet;
	if (i == argc)
		usage_with_options(usage, opts);
	m.program = argv[i++];
	index_init(&m.ix, ctx->repo->algo);
	if (index_read_repo(&m.ix, ctx->repo, &err) < 0)
		die_err(&err);
	merge_arguments(&m, argv + i);
	index_release(&m.ix);
	if (m.failures && !m.quiet)
		die("merge program failed");
	return m.failures;
}

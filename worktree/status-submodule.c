/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Changes inside submodules. "git status" runs in each of them, as a process of its own,
 * because each has its own configuration. It is given the repository, and never looks for one
 * above; and what leads in a circle ends, since the processes count how deep they are.
 */
#include "compat/posix.h"
#include "fs/file.h"
#include "submodule/submodules.h"
#include "util/alloc.h"
#include "util/run-command.h"
#include "worktree/status-internal.h"

#define STATUS_OUTPUT_MAX ((size_t)64 << 20)
#define DEPTH_VAR "GIT_SUBMODULE_DEPTH"

/* "1 .M S..U …": the only change is that a submodule has untracked files. */
static bool is_nested_untracked(const char *line, size_t len)
{
	return len > 9 && !memcmp(line, "1 .M S..U", 9);
}

/* Lines of "git status --porcelain=2": '?' untracked, '1', '2' and 'u' changes. */
static void parse_status_lines(const char *text, bool *modified, bool *untracked)
{
	while (*text) {
		size_t n = strcspn(text, "\n");

		if (*text == '?' || is_nested_untracked(text, n))
			*untracked = true;
		else if (*text == '1' || *text == '2' || *text == 'u')
			*modified = true;
		text += n + (text[n] == '\n');
	}
}

static unsigned long current_depth(void)
{
	const char *text = getenv(DEPTH_VAR);

	return text ? strtoul(text, NULL, 10) : 0;
}

static int run_status(const char *dir, bool with_untracked, bool *modified, bool *untracked,
		      struct err *err)
{
	struct child_process cp = CHILD_PROCESS_INIT;
	struct strbuf out = STRBUF_INIT;
	unsigned long depth = current_depth() + 1;
	int rc;

	if (depth > SUBMODULE_DEPTH_MAX)
		return err_set(err, ERR_CORRUPT, "submodule '%s' is more than %d levels deep", dir,
			       SUBMODULE_DEPTH_MAX);
	strvec_pushl(&cp.args, "git", "status", "--porcelain=2", NULL);
	if (!with_untracked)
		strvec_push(&cp.args, "-uno");
	for (size_t i = 0; repo_local_env[i]; i++)
		strvec_push(&cp.env, repo_local_env[i]);
	strvec_push(&cp.env, "GIT_ATTR_SOURCE"); /* names a tree of this repository */
	strvec_push(&cp.env, "GIT_DIR=.git");
	strvec_pushf(&cp.env, DEPTH_VAR "=%lu", depth);
	cp.dir = dir;
	rc = pipe_command(&cp, NULL, 0, &out, NULL, STATUS_OUTPUT_MAX, err);
	if (rc > 0)
		rc = err_set(err, ERR_GENERIC,
			     "'git status --porcelain=2' failed in submodule %s", dir);
	if (!rc)
		parse_status_lines(out.buf, modified, untracked);
	strbuf_release(&out);
	return rc;
}

/* The item of an unstaged change at that path, perhaps a new one. */
static struct status_item *item_of(struct status *s, const struct index_entry *e)
{
	struct status_item *it;

	for (size_t i = 0; i < s->nr; i++)
		if (s->items[i].unstaged != ' ' && !strcmp(s->items[i].path, e->name))
			return &s->items[i];
	it = status_item_append(s, e->name);
	it->unstaged = 'M';
	it->is_gitlink = true;
	it->mode_index = it->mode_worktree = e->mode;
	it->oid_index = e->oid;
	return it;
}

int submodule_inspect(struct repository *r, const char *path, bool with_untracked,
		      bool *modified, bool *untracked, struct err *err)
{
	struct err why = ERR_INIT;
	char *gitdir;
	int rc = gitlink_find_gitdir(&gitdir, path, &why);

	*modified = *untracked = false;
	if (rc == ERR_ABORTED) {
		repo_warn(r, "not looking into submodule '%s': %s", path, err_message(&why));
		rc = 0;
	} else if (rc < 0) {
		err_move(err, &why);
	} else if (gitdir) {
		rc = run_status(path, with_untracked, modified, untracked, err);
	}
	err_release(&why);
	free(gitdir);
	return rc;
}

static int check_submodule(struct collector *c, const struct index_entry *e,
			   enum submodule_mode mode, struct err *err)
{
	bool with_untracked = mode == SUBMODULES_ALL && c->o->untracked != UNTRACKED_NO;
	bool modified, untracked;
	struct status_item *it;
	int rc = submodule_inspect(c->r, e->name, with_untracked, &modified, &untracked, err);

	if (rc < 0 || (!modified && !untracked))
		return rc;
	it = item_of(c->s, e);
	it->gitlink_modified = modified;
	it->gitlink_untracked = untracked;
	return 0;
}

int status_collect_submodules(struct collector *c, struct err *err)
{
	for (size_t i = 0; i < c->ix->nr; i++) {
		const struct index_entry *e = c->ix->entries[i];
		enum submodule_mode mode;
		int rc;

		if (!MODE_IS_GITLINK(e->mode))
			continue;
		mode = status_mode_of(c, e->name);
		if (mode == SUBMODULES_NONE || mode == SUBMODULES_COMMITS || e->stage ||
		    (c->o->ps && !pathspec_match(c->o->ps, e->name, e->name_len, true, NULL)))
			continue;
		rc = check_submodule(c, e, mode, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Operations in progress (a merge, a rebase, am, cherry-pick, revert, bisect), by the files
 * that they keep in the git directory.
 */
#include "compat/posix.h"
#include "history/names/revparse.h"
#include "repo/state.h"
#include "util/alloc.h"
#include "worktree/status-internal.h"

char *status_short_name(const char *ref)
{
	const char *s = ref;

	if (skip_prefix(ref, "refs/heads/", &s) || skip_prefix(ref, "refs/remotes/", &s) ||
	    skip_prefix(ref, "refs/tags/", &s))
		return xstrdup(s);
	return xstrdup(ref);
}

static char *abbreviate(struct collector *c, const struct object_id *oid)
{
	struct strbuf out = STRBUF_INIT;

	odb_abbrev(c->r->odb, oid, c->r->settings.abbrev, &out);
	return strbuf_detach(&out, NULL);
}

/* A branch name, or a commit shown short. */
static char *branch_state(struct collector *c, enum repo_state_file f)
{
	char *line = repo_state_line(c->r, f), *shown = NULL;
	struct object_id oid;

	if (!line)
		return NULL;
	if (oid_from_hex(&oid, line, c->r->algo) >= 0)
		shown = abbreviate(c, &oid);
	else if (strcmp(line, "detached HEAD") != 0)
		shown = status_short_name(line);
	free(line);
	return shown;
}

/* ---- the commands of a rebase ---- */

static bool names_no_commit(const char *command)
{
	static const char *const words[] = { "exec ", "x ", "label ", "l " };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (starts_with(command, words[i]))
			return true;
	return false;
}

/* "pick 0123…cdef subject" with the object name short. */
static void push_command(struct collector *c, struct strvec *out, const char *line)
{
	const char *name = strchrnul(line, ' ');
	size_t len;
	struct object_id oid;
	char *word, *shown;

	name += *name == ' ';
	len = strcspn(name, " ");
	word = xstrndup(name, len);
	if (!len || names_no_commit(line) || revparse_oid(c->r, word, &oid, NULL) < 0) {
		strvec_push(out, line);
	} else {
		shown = abbreviate(c, &oid);
		strvec_pushf(out, "%.*s%s%s", (int)(name - line), line, shown, name + len);
		free(shown);
	}
	free(word);
}

static char comment_char(struct collector *c)
{
	const struct config_entry *e = config_get(c->r->config, "core.commentchar");

	return e && e->value && strlen(e->value) == 1 ? *e->value : '#';
}

/*
 * Only the first commands (or the last ones) of a list are shown: *nr is how many there are.
 * False if there is no such file.
 */
static bool read_commands(struct collector *c, enum repo_state_file f, bool last, struct strvec *out,
			  size_t *nr)
{
	struct strbuf text = STRBUF_INIT;
	bool there = repo_state_read(c->r, f, &text, NULL) >= 0;
	struct strvec lines = STRVEC_INIT;
	char *save = NULL, comment = comment_char(c);

	for (char *line = strtok_r(text.buf, "\n", &save); there && line;
	     line = strtok_r(NULL, "\n", &save)) {
		size_t len = strlen(line);

		while (len && isspace((unsigned char)line[len - 1]))
			line[--len] = '\0';
		line += strspn(line, " \t\r\v\f");
		if (*line && *line != comment)
			strvec_push(&lines, line);
	}
	*nr = lines.nr;
	for (size_t i = last && lines.nr > STATUS_COMMANDS ? lines.nr - STATUS_COMMANDS : 0;
	     i < lines.nr && out->nr < STATUS_COMMANDS; i++)
		push_command(c, out, lines.v[i]);
	strvec_clear(&lines);
	strbuf_release(&text);
	return there;
}

/* Was the commit that a rebase stopped at taken apart, or another one put in its place? */
static bool is_splitting(struct collector *c)
{
	char *before = repo_state_line(c->r, STATE_ORIG_HEAD);
	char *stopped = repo_state_line(c->r, STATE_REBASE_MERGE_AMEND);
	char *start = repo_state_line(c->r, STATE_REBASE_MERGE_ORIG_HEAD), *branch = NULL;
	struct object_id head;
	bool yes = false;

	if (before && stopped && start && !ref_read_raw(c->r->refs, "HEAD", &head, &branch, NULL))
		yes = strcmp(stopped, start) ? strcmp(before, start) != 0
					     : branch || strcmp(oid_hex(&head), stopped) != 0;
	free(branch);
	free(before);
	free(stopped);
	free(start);
	return yes;
}

static void find_commands(struct collector *c)
{
	struct status *s = c->s;

	s->rebase_splits = is_splitting(c);
	read_commands(c, STATE_REBASE_MERGE_DONE, true, &s->rebase_done, &s->nr_rebase_done);
	s->rebase_todo_missing = !read_commands(c, STATE_REBASE_MERGE_TODO, false,
						&s->rebase_todo, &s->nr_rebase_todo);
}

static void find_am(struct collector *c)
{
	char *patch = repo_state_path(c->r, STATE_REBASE_APPLY_PATCH);
	struct stat st;

	c->s->operations |= OP_AM;
	c->s->am_patch_empty = !stat(patch, &st) && !st.st_size;
	free(patch);
}

static void find_rebase(struct collector *c)
{
	bool apply = repo_state_exists(c->r, STATE_REBASE_APPLY);

	if (!apply && !repo_state_exists(c->r, STATE_REBASE_MERGE))
		return;
	if (repo_state_exists(c->r, STATE_REBASE_APPLY_APPLYING)) {
		find_am(c);
		return;
	}
	if (!apply && repo_state_exists(c->r, STATE_REBASE_MERGE_INTERACTIVE)) {
		c->s->operations |= OP_REBASE_INTERACTIVE;
		find_commands(c);
	} else {
		c->s->operations |= OP_REBASE;
	}
	c->s->rebase_branch = branch_state(c, apply ? STATE_REBASE_APPLY_HEAD_NAME : STATE_REBASE_MERGE_HEAD_NAME);
	c->s->rebase_onto = branch_state(c, apply ? STATE_REBASE_APPLY_ONTO : STATE_REBASE_MERGE_ONTO);
}

/* ---- all ---- */

/* A sequence of several commits goes on between its conflicts, without a HEAD of its own. */
static unsigned sequence_in_progress(struct collector *c)
{
	struct strbuf text = STRBUF_INIT;
	const char *p = "", *rest;
	unsigned found = 0;

	if (repo_state_read(c->r, STATE_SEQUENCER_TODO, &text, NULL) >= 0)
		p = text.buf + strspn(text.buf, " \t\r\n");
	if ((skip_prefix(p, "pick", &rest) || skip_prefix(p, "p", &rest)) &&
	    (*rest == ' ' || *rest == '\t'))
		found = OP_CHERRY_PICK;
	else if (skip_prefix(p, "revert", &rest) && (*rest == ' ' || *rest == '\t'))
		found = OP_REVERT;
	strbuf_release(&text);
	return found;
}

void status_find_operations(struct collector *c)
{
	struct status *s = c->s;

	s->cherry_pick_head = s->revert_head = c->r->algo->null_oid;
	if (repo_state_exists(c->r, STATE_WORKTREE_UPDATE))
		s->operations |= OP_INTERRUPTED;
	if (repo_state_exists(c->r, STATE_MERGE_HEAD))
		s->operations |= OP_MERGE;
	find_rebase(c);
	if (!(s->operations & ~(unsigned)OP_INTERRUPTED) && repo_state_oid(c->r, STATE_CHERRY_PICK_HEAD, &s->cherry_pick_head))
		s->operations |= OP_CHERRY_PICK;
	if (repo_state_oid(c->r, STATE_REVERT_HEAD, &s->revert_head))
		s->operations |= OP_REVERT;
	s->operations |= sequence_in_progress(c);
	s->merge_message = repo_state_exists(c->r, STATE_MERGE_MSG);
	if (repo_state_exists(c->r, STATE_BISECT_LOG)) {
		s->operations |= OP_BISECT;
		s->bisect_branch = branch_state(c, STATE_BISECT_START);
	}
}

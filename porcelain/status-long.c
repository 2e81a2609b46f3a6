/* SPDX-License-Identifier: GPL-2.0-only */
/* The long format of git-status(1), which is also what a commit's template tells. */
#include "compat/posix.h"
#include "cli/column.h"
#include "porcelain/status-format.h"
#include "object/message.h"
#include "repo/state.h"
#include "util/alloc.h"

/* ---- lines ---- */

/* Text in the colour of a slot; a colour never reaches across a line end. */
static void print_text(const struct status_format *f, struct strbuf *out, enum status_slot slot,
		       const char *fmt, ...) PRINTF_LIKE(4, 5);
static void print_text(const struct status_format *f, struct strbuf *out, enum status_slot slot,
		       const char *fmt, ...)
{
	struct strbuf text = STRBUF_INIT;
	const char *s;
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(&text, fmt, ap);
	va_end(ap);
	if (!*f->colors[slot]) {
		strbuf_addbuf(out, &text);
		strbuf_release(&text);
		return;
	}
	for (s = text.buf; *s;) {
		size_t n = strcspn(s, "\n");

		if (n)
			strbuf_addf(out, "%s%.*s%s", f->colors[slot], (int)n, s, COLOR_RESET);
		if (s[n] == '\n')
			strbuf_addch(out, '\n');
		s += n + (s[n] == '\n');
	}
	strbuf_release(&text);
}

#define header(f, out, ...) print_text((f), (out), SLOT_HEADER, __VA_ARGS__)

static void hint(const struct status_format *f, struct strbuf *out, const char *text)
{
	if (f->hints)
		header(f, out, "  (%s)\n", text);
}

static const char *status_long_short_branch(const struct status *s)
{
	const char *name = s->branch;

	skip_prefix(name, "refs/heads/", &name);
	return name;
}

/* ---- where we are ---- */

static void print_place(const struct status_format *f, struct strbuf *out)
{
	const struct status *s = f->s;

	if (s->branch) {
		header(f, out, "On branch ");
		print_text(f, out, SLOT_BRANCH, "%s\n", status_long_short_branch(s));
	} else if (s->operations & (OP_REBASE | OP_REBASE_INTERACTIVE)) {
		print_text(f, out, SLOT_NOBRANCH, "%srebase in progress; onto ",
			   s->operations & OP_REBASE_INTERACTIVE ? "interactive " : "");
		header(f, out, "%s\n", s->rebase_onto ? s->rebase_onto : "");
	} else if (s->detached_from) {
		print_text(f, out, SLOT_NOBRANCH, "%s",
			   s->detached_at ? "HEAD detached at " : "HEAD detached from ");
		header(f, out, "%s\n", s->detached_from);
	} else {
		print_text(f, out, SLOT_NOBRANCH, "Not currently on any branch.\n");
	}
}

static const char *commits(size_t n)
{
	return n == 1 ? "commit" : "commits";
}

static void print_counts(const struct status_format *f, const struct tracking *t,
			 struct strbuf *out)
{
	if (!t->ahead && !t->behind) {
		header(f, out, "Your branch is up to date with '%s'.\n", t->name);
	} else if (!t->behind) {
		header(f, out, "Your branch is ahead of '%s' by %zu %s.\n", t->name, t->ahead,
		       commits(t->ahead));
		if (t->is_push_target)
			hint(f, out, "use \"git push\" to publish your local commits");
	} else if (!t->ahead) {
		header(f, out,
		       "Your branch is behind '%s' by %zu %s, and can be fast-forwarded.\n",
		       t->name, t->behind, commits(t->behind));
		if (t->is_upstream)
			hint(f, out, "use \"git pull\" to update your local branch");
	} else {
		header(f, out,
		       "Your branch and '%s' have diverged,\nand have %zu and %zu different %s each, respectively.\n",
		       t->name, t->ahead, t->behind, commits(t->ahead + t->behind));
		if (t->is_upstream && !f->for_commit)
			hint(f, out, "use \"git pull\" if you want to integrate the remote branch with yours");
	}
}

static void print_comparison(const struct status_format *f, const struct tracking *t, struct strbuf *out)
{
	if (t->gone) {
		header(f, out, "Your branch is based on '%s', but the upstream is gone.\n",
		       t->name);
		hint(f, out, "use \"git branch --unset-upstream\" to fixup");
	} else if (t->counted) {
		print_counts(f, t, out);
	} else {
		header(f, out, "Your branch and '%s' refer to different commits.\n", t->name);
		if (t->is_push_target)
			hint(f, out, "use \"git status --ahead-behind\" for details");
	}
}

/* The words of status.compareBranches. The caller frees its text. */
static void compared_branches(const struct status_format *f, struct string_list *out)
{
	const char *value = "@{upstream}";
	struct string_list words = STRING_LIST_INIT;

	if (config_get_string(f->repo->config, "status.comparebranches", &value, NULL) < 0)
		return;
	string_list_split(&words, value, " ");
	for (size_t i = 0; i < words.nr; i++) {
		const char *word = words.items[i].string;

		if (!strcmp(word, "@{upstream}") || !strcmp(word, "@{push}"))
			string_list_append(out, word);
		else if (*word)
			repo_warn(f->repo, "ignoring value '%s' for status.compareBranches, only @{upstream} and @{push} "
				  "are supported", word);
	}
	string_list_clear(&words, NULL);
}

static void print_tracking(const struct status_format *f, struct strbuf *out)
{
	struct string_list words = STRING_LIST_INIT, shown = STRING_LIST_INIT;
	struct tracking t;

	if (f->s->initial)
		return;
	compared_branches(f, &words);
	for (size_t i = 0; i < words.nr; i++) {
		tracking_find_named(&t, f, words.items[i].string);
		if (t.name && !string_list_lookup(&shown, t.name)) {
			string_list_insert(&shown, t.name);
			print_comparison(f, &t, out);
			strbuf_addch(out, '\n');
		}
		tracking_release(&t);
	}
	string_list_clear(&words, NULL);
	string_list_clear(&shown, NULL);
}

void status_format_tracking(struct repository *r, const char *branch,
			    const struct object_id *commit, struct strbuf *out)
{
	struct status s = { .branch = (char *)branch, .head = *commit };
	struct status_format f = { .repo = r, .s = &s, .ahead_behind = true,
				   .hints = advice_enabled(r, "statusHints") };

	print_tracking(&f, out);
	if (out->len)
		strbuf_setlen(out, out->len - 1); /* the empty line */
}

/* ---- operations in progress ---- */

static void print_merge(const struct status_format *f, struct strbuf *out)
{
	if (status_has_unmerged(f->s)) {
		header(f, out, "You have unmerged paths.\n");
		hint(f, out, "fix conflicts and run \"git commit\"");
		hint(f, out, "use \"git merge --abort\" to abort the merge");
	} else {
		header(f, out, "All conflicts fixed but you are still merging.\n");
		hint(f, out, "use \"git commit\" to conclude merge");
	}
	strbuf_addch(out, '\n');
}

static void print_am(const struct status_format *f, struct strbuf *out)
{
	bool empty = f->s->am_patch_empty;

	header(f, out, "You are in the middle of an am session.\n");
	if (empty)
		header(f, out, "The current patch is empty.\n");
	else
		hint(f, out, "fix conflicts and then run \"git am --continue\"");
	hint(f, out, "use \"git am --skip\" to skip this patch");
	if (empty)
		hint(f, out, "use \"git am --allow-empty\" to record this patch as an empty commit");
	hint(f, out, "use \"git am --abort\" to restore the original branch");
	strbuf_addch(out, '\n');
}

static void print_commands_done(const struct status_format *f, struct strbuf *out)
{
	size_t nr = f->s->nr_rebase_done;

	if (!nr)
		header(f, out, "No commands done.\n");
	else if (nr == 1)
		header(f, out, "Last command done (1 command done):\n");
	else
		header(f, out, "Last commands done (%zu commands done):\n", nr);
	for (size_t i = 0; i < f->s->rebase_done.nr; i++)
		header(f, out, "   %s\n", f->s->rebase_done.v[i]);
	if (nr > f->s->rebase_done.nr) {
		char *path = repo_state_path(f->repo, STATE_REBASE_MERGE_DONE);
		const char *shown = path;

		if (f->repo->worktree && skip_prefix(path, f->repo->worktree, &shown))
			shown += *shown == '/';
		if (f->hints)
			header(f, out, "  (see more in file %s)\n", shown);
		free(path);
	}
}

static void print_commands_to_do(const struct status_format *f, struct strbuf *out)
{
	size_t nr = f->s->nr_rebase_todo;

	if (!nr) {
		header(f, out, "No commands remaining.\n");
		return;
	}
	if (nr == 1)
		header(f, out, "Next command to do (1 remaining command):\n");
	else
		header(f, out, "Next commands to do (%zu remaining commands):\n", nr);
	for (size_t i = 0; i < f->s->rebase_todo.nr; i++)
		header(f, out, "   %s\n", f->s->rebase_todo.v[i]);
	hint(f, out, "use \"git rebase --edit-todo\" to view and edit");
}

static void print_commands(const struct status_format *f, struct strbuf *out)
{
	if (!(f->s->operations & OP_REBASE_INTERACTIVE))
		return;
	if (f->s->rebase_todo_missing)
		header(f, out, "git-rebase-todo is missing.\n");
	print_commands_done(f, out);
	print_commands_to_do(f, out);
}

/* "You are currently DOING branch 'x' on 'y'." */
static void print_rebase_of(const struct status_format *f, struct strbuf *out, const char *doing,
			    const char *without_branch)
{
	if (f->s->rebase_branch)
		header(f, out, "You are currently %s branch '%s' on '%s'.\n", doing,
		       f->s->rebase_branch, f->s->rebase_onto ? f->s->rebase_onto : "");
	else
		header(f, out, "You are currently %s.\n", without_branch);
}

/* A stop at a commit, to change it or to make several of it. */
static void print_stop(const struct status_format *f, struct strbuf *out)
{
	const struct status *s = f->s;

	if (s->rebase_splits && !s->branch &&
	    (f->amend || f->in_template || status_has_unstaged(s))) {
		print_rebase_of(f, out, "splitting a commit while rebasing",
				"splitting a commit during a rebase");
		hint(f, out, "Once your working directory is clean, run \"git rebase --continue\"");
		return;
	}
	print_rebase_of(f, out, "editing a commit while rebasing",
			"editing a commit during a rebase");
	if (f->amend)
		return;
	hint(f, out, "use \"git commit --amend\" to amend the current commit");
	hint(f, out, "use \"git rebase --continue\" once you are satisfied with your changes");
}

static void print_rebase(const struct status_format *f, struct strbuf *out)
{
	const struct status *s = f->s;

	print_commands(f, out);
	if (status_has_unmerged(s)) {
		print_rebase_of(f, out, "rebasing", "rebasing");
		hint(f, out, "fix conflicts and then run \"git rebase --continue\"");
		hint(f, out, "use \"git rebase --skip\" to skip this patch");
		hint(f, out, "use \"git rebase --abort\" to check out the original branch");
	} else if (s->operations & OP_REBASE || s->merge_message) {
		print_rebase_of(f, out, "rebasing", "rebasing");
		hint(f, out, "all conflicts fixed: run \"git rebase --continue\"");
	} else {
		print_stop(f, out);
	}
	strbuf_addch(out, '\n');
}

/* oid is null between two commits of a sequence. */
static void print_sequence(const struct status_format *f, struct strbuf *out, const char *doing,
			   const char *name, const char *cmd, const struct object_id *oid)
{
	struct strbuf text = STRBUF_INIT;
	bool between = oid_is_null(oid);

	if (between) {
		header(f, out, "%s currently in progress.\n", name);
	} else {
		odb_abbrev(f->repo->odb, oid, f->repo->settings.abbrev, &text);
		header(f, out, "You are currently %s commit %s.\n", doing, text.buf);
		strbuf_reset(&text);
	}
	strbuf_addf(&text, status_has_unmerged(f->s) ? "fix conflicts and run \"git %s --continue\"" :
				     between ? "run \"git %s --continue\" to continue" :
					       "all conflicts fixed: run \"git %s --continue\"",
		    cmd);
	hint(f, out, text.buf);
	strbuf_reset(&text);
	strbuf_addf(&text, "use \"git %s --skip\" to skip this patch", cmd);
	hint(f, out, text.buf);
	strbuf_reset(&text);
	strbuf_addf(&text, "use \"git %s --abort\" to cancel the %s operation", cmd, cmd);
	hint(f, out, text.buf);
	strbuf_addch(out, '\n');
	strbuf_release(&text);
}

static void print_bisect(const struct status_format *f, struct strbuf *out)
{
	if (f->s->bisect_branch)
		header(f, out, "You are currently bisecting, started from branch '%s'.\n",
		       f->s->bisect_branch);
	else
		header(f, out, "You are currently bisecting.\n");
	hint(f, out, "use \"git bisect reset\" to get back to the original branch");
	strbuf_addch(out, '\n');
}

/* Not of Git: the file that tells it is our own. */
static void print_interrupted(const struct status_format *f, struct strbuf *out)
{
	header(f, out, "A command was interrupted while it changed files of the working tree.\n");
	hint(f, out, "use \"git merge --abort\" to bring these files back");
	strbuf_addch(out, '\n');
}

static void print_operations(const struct status_format *f, struct strbuf *out)
{
	unsigned ops = f->s->operations;

	/* a merge cannot be concluded before, and is aborted together with it */
	if (ops & OP_INTERRUPTED) {
		print_interrupted(f, out);
		ops &= ~(unsigned)OP_MERGE;
	}
	if (ops & OP_MERGE && ops & OP_REBASE_INTERACTIVE) {
		print_commands(f, out);
		strbuf_addch(out, '\n');
	}
	if (ops & OP_MERGE)
		print_merge(f, out);
	else if (ops & OP_AM)
		print_am(f, out);
	else if (ops & (OP_REBASE | OP_REBASE_INTERACTIVE))
		print_rebase(f, out);
	else if (ops & OP_CHERRY_PICK)
		print_sequence(f, out, "cherry-picking", "Cherry-pick", "cherry-pick",
			       &f->s->cherry_pick_head);
	else if (ops & OP_REVERT)
		print_sequence(f, out, "reverting", "Revert", "revert", &f->s->revert_head);
	if (ops & OP_BISECT)
		print_bisect(f, out);
}

/* ---- lists ---- */

const char *status_change_label(char letter)
{
	switch (letter) {
	case 'A':
		return "new file:   ";
	case 'D':
		return "deleted:    ";
	case 'R':
		return "renamed:    ";
	case 'C':
		return "copied:     ";
	case 'T':
		return "typechange: ";
	default:
		return "modified:   ";
	}
}

/* " (new commits, modified content)" */
static void print_inside(const struct status_format *f, struct strbuf *out,
			 const struct status_item *it)
{
	const struct {
		bool is;
		const char *text;
	} parts[] = { { it->gitlink_new_commits, "new commits" },
		      { it->gitlink_modified, "modified content" },
		      { it->gitlink_untracked, "untracked content" } };
	const char *sep = " (";

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		if (!parts[i].is)
			continue;
		header(f, out, "%s%s", sep, parts[i].text);
		sep = ", ";
	}
	if (*sep == ',')
		header(f, out, ")");
}

static void print_change(const struct status_format *f, struct strbuf *out, enum status_slot slot,
			 char letter, const char *old, const struct status_item *it)
{
	struct strbuf text = STRBUF_INIT;

	strbuf_addstr(&text, status_change_label(letter));
	if (old) {
		status_add_path(f, &text, old, false);
		strbuf_addstr(&text, " -> ");
	}
	status_add_path(f, &text, it->path, false);
	header(f, out, "\t");
	print_text(f, out, slot, "%s", text.buf);
	if (slot == SLOT_CHANGED)
		print_inside(f, out, it);
	strbuf_addch(out, '\n');
	strbuf_release(&text);
}

static bool plain_commit(const struct status_format *f)
{
	return !(f->s->operations & OP_MERGE) && oid_is_null(&f->s->cherry_pick_head);
}

static void unstage_hint(const struct status_format *f, struct strbuf *out)
{
	if (!plain_commit(f))
		return;
	hint(f, out, f->s->initial ? "use \"git rm --cached <file>...\" to unstage" :
			   f->amend ? "use \"git restore --source=HEAD^1 --staged <file>...\" to unstage" :
				      "use \"git restore --staged <file>...\" to unstage");
}

static void print_staged(const struct status_format *f, struct strbuf *out)
{
	const struct status *s = f->s;

	if (!status_has_staged(s))
		return;
	header(f, out, "Changes to be committed:\n");
	unstage_hint(f, out);
	for (size_t i = 0; i < s->nr; i++)
		if (s->items[i].staged != ' ' && !s->items[i].stages)
			print_change(f, out, SLOT_UPDATED, s->items[i].staged,
				     s->items[i].old_path, &s->items[i]);
	strbuf_addch(out, '\n');
}

static const char *unmerged_label(unsigned stages)
{
	static const char *const labels[] = {
		"", "both deleted:    ", "added by us:     ", "deleted by them: ",
		"added by them:   ", "deleted by us:   ", "both added:      ", "both modified:   ",
	};

	return labels[stages & 7];
}

static void unmerged_hint(const struct status_format *f, struct strbuf *out)
{
	bool all_deleted = true, any_deleted = false;

	for (size_t i = 0; i < f->s->nr; i++) {
		unsigned stages = f->s->items[i].stages;

		if (!stages)
			continue;
		if (stages == 1)
			any_deleted = true;
		else
			all_deleted = false;
		if (stages == 3 || stages == 5)
			any_deleted = true;
	}
	if (!any_deleted)
		hint(f, out, "use \"git add <file>...\" to mark resolution");
	else if (all_deleted)
		hint(f, out, "use \"git rm <file>...\" to mark resolution");
	else
		hint(f, out, "use \"git add/rm <file>...\" as appropriate to mark resolution");
}

static void print_unmerged(const struct status_format *f, struct strbuf *out)
{
	const struct status *s = f->s;

	if (!status_has_unmerged(s))
		return;
	header(f, out, "Unmerged paths:\n");
	unstage_hint(f, out);
	unmerged_hint(f, out);
	for (size_t i = 0; i < s->nr; i++) {
		struct strbuf text = STRBUF_INIT;

		if (!s->items[i].stages)
			continue;
		strbuf_addstr(&text, unmerged_label(s->items[i].stages));
		status_add_path(f, &text, s->items[i].path, false);
		header(f, out, "\t");
		print_text(f, out, SLOT_UNMERGED, "%s", text.buf);
		strbuf_addch(out, '\n');
		strbuf_release(&text);
	}
	strbuf_addch(out, '\n');
}

static void print_unstaged(const struct status_format *f, struct strbuf *out)
{
	const struct status *s = f->s;
	bool deleted = false, inside = false;

	if (!status_has_unstaged(s))
		return;
	for (size_t i = 0; i < s->nr; i++) {
		deleted |= s->items[i].unstaged == 'D' && !s->items[i].stages;
		inside |= s->items[i].gitlink_modified || s->items[i].gitlink_untracked;
	}
	header(f, out, "Changes not staged for commit:\n");
	hint(f, out, deleted ? "use \"git add/rm <file>...\" to update what will be committed" :
			       "use \"git add <file>...\" to update what will be committed");
	hint(f, out, "use \"git restore <file>...\" to discard changes in working directory");
	if (inside)
		hint(f, out, "commit or discard the untracked or modified content in submodules");
	for (size_t i = 0; i < s->nr; i++)
		if (s->items[i].unstaged != ' ' && !s->items[i].stages)
			print_change(f, out, SLOT_CHANGED, s->items[i].unstaged,
				     s->items[i].wt_old_path, &s->items[i]);
	strbuf_addch(out, '\n');
}

static void print_other_columns(const struct status_format *f, struct strbuf *out,
				const struct strvec *paths)
{
	bool color = *f->colors[SLOT_UNTRACKED];
	char *indent = xstrfmt("%s\t%s", f->colors[SLOT_HEADER], f->colors[SLOT_UNTRACKED]);
	const struct column_layout layout = {
		.indent = indent,
		.newline = color ? COLOR_RESET "\n" : NULL,
	};

	column_print(out, paths, f->columns, &layout);
	free(indent);
}

static void print_others(const struct status_format *f, struct strbuf *out,
			 const struct string_list *l, const char *title, const char *how)
{
	struct strvec paths = STRVEC_INIT;
	struct strbuf path = STRBUF_INIT;

	if (!l->nr)
		return;
	header(f, out, "%s:\n", title);
	hint(f, out, how);
	for (size_t i = 0; i < l->nr; i++) {
		strbuf_reset(&path);
		status_add_path(f, &path, l->items[i].string, false);
		if (column_active(f->columns)) {
			strvec_push(&paths, path.buf);
			continue;
		}
		header(f, out, "\t");
		print_text(f, out, SLOT_UNTRACKED, "%s", path.buf);
		strbuf_addch(out, '\n');
	}
	print_other_columns(f, out, &paths);
	strbuf_addch(out, '\n');
	strvec_clear(&paths);
	strbuf_release(&path);
}

/* ---- the last line ---- */

/* Something is staged, or a merge without conflicts can be concluded. */
static bool can_commit(const struct status *s)
{
	return status_has_staged(s) || (s->operations & OP_MERGE && !status_has_unmerged(s));
}

static void print_nothing_staged(const struct status_format *f, struct strbuf *out)
{
	const struct status *s = f->s;
	const char *text, *how = NULL;

	if (f->amend) {
		text = "No changes";
	} else if (status_has_unstaged(s) || status_has_unmerged(s)) {
		text = "no changes added to commit";
		how = "use \"git add\" and/or \"git commit -a\"";
	} else if (s->untracked.nr) {
		text = "nothing added to commit but untracked files present";
		how = "use \"git add\" to track";
	} else if (s->initial) {
		text = "nothing to commit";
		how = "create/copy files and use \"git add\" to track";
	} else if (!f->show_untracked) {
		text = "nothing to commit";
		how = "use -u to show untracked files";
	} else {
		text = "nothing to commit, working tree clean";
	}
	strbuf_addstr(out, text);
	if (how && f->hints)
		strbuf_addf(out, " (%s)", how);
	strbuf_addch(out, '\n');
}

static void print_sections(const struct status_format *f, struct strbuf *out)
{
	const struct status *s = f->s;

	print_place(f, out);
	print_tracking(f, out);
	print_operations(f, out);
	if (s->initial)
		header(f, out, "\n%s\n\n", f->for_commit ? "Initial commit" : "No commits yet");
	print_staged(f, out);
	print_unmerged(f, out);
	print_unstaged(f, out);
	print_others(f, out, &s->untracked, "Untracked files",
		     "use \"git add <file>...\" to include in what will be committed");
	print_others(f, out, &s->ignored, "Ignored files",
		     "use \"git add -f <file>...\" to include in what will be committed");
	if (!f->show_untracked && status_has_staged(s))
		header(f, out, "Untracked files not listed%s\n",
		       f->hints ? " (use -u option to show untracked files)" : "");
}

static void print_stash(const struct status_format *f, struct strbuf *out)
{
	if (f->show_stash && f->s->stash_count)
		header(f, out, "Your stash currently has %zu %s\n", f->s->stash_count,
		       f->s->stash_count == 1 ? "entry" : "entries");
}

/* status.displayCommentPrefix; a template becomes comments as a whole. */
static void add_section(const struct status_format *f, struct strbuf *out,
			void (*fn)(const struct status_format *, struct strbuf *))
{
	struct strbuf text = STRBUF_INIT;

	fn(f, &text);
	if (f->comment_char && !f->in_template)
		message_add_commented(out, text.buf, text.len, f->comment_char);
	else
		strbuf_addbuf(out, &text);
	strbuf_release(&text);
}

void status_format_long(const struct status_format *f, struct strbuf *out)
{
	add_section(f, out, print_sections);
	if (f->patches)
		strbuf_addbuf(out, f->patches);
	if (!can_commit(f->s) && !f->in_template)
		print_nothing_staged(f, out);
	add_section(f, out, print_stash);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* The menu of `git add --interactive`: git-add(1), "INTERACTIVE MODE". */
#include "compat/posix.h"
#include "cli/choose/menu.h"
#include "util/alloc.h"

/* ---- status, help ---- */

static void print_status(struct menu *m, const struct changed_files *files)
{
	if (files->nr) {
		const struct menu_list l = { .files = files };

		menu_print_list(m, &l, NULL);
	}
	putchar('\n');
}

static void menu_status(struct menu *m)
{
	struct changed_files files = { NULL, 0, 0 };

	if (menu_find_changes(m, CHANGED_ANYWHERE, &files))
		print_status(m, &files);
	changed_files_clear(&files);
}

static void menu_help(struct menu *m)
{
	static const char *const lines[] = {
		"status        - show paths with changes",
		"update        - add working tree state to the staged set of changes",
		"revert        - revert staged set of changes back to the HEAD version",
		"patch         - pick hunks and update selectively",
		"diff          - view diff between HEAD and index",
		"add untracked - add contents of untracked files to the staged set of changes",
	};

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		choose_print_colored(&m->colors, SLOT_HELP, "%s\n", lines[i]);
}

/* ---- choosing files ---- */

/* The files that the user has marked; false: none, and a line says so. */
static bool choose_files(struct menu *m, const char *prompt, bool immediate, struct changed_files *files)
{
	const struct menu_list l = { .files = files, .prompt = prompt, .immediate = immediate };
	bool *marked = xcalloc(files->nr + 1, sizeof(*marked));
	bool any = files->nr && menu_choose(m, &l, marked) > 0;

	changed_files_keep(files, marked);
	free(marked);
	return any;
}

/* "updated 2 paths" */
static void print_count(const char *done, size_t nr)
{
	printf("%s %zu path%s\n\n", done, nr, nr == 1 ? "" : "s");
}

static void change_chosen(struct menu *m, struct changed_files *files, const char *prompt, const char *done,
			  int (*change)(struct menu *m, const struct changed_files *files, struct err *err))
{
	struct err err = ERR_INIT;

	if (!choose_files(m, prompt, false, files))
		putchar('\n');
	else if (change(m, files, &err) < 0)
		report_error(&err);
	else
		print_count(done, files->nr);
	err_release(&err);
	changed_files_clear(files);
}

static void menu_update(struct menu *m)
{
	struct changed_files files = { NULL, 0, 0 };

	if (menu_find_changes(m, CHANGED_IN_FILES, &files))
		change_chosen(m, &files, "Update", "updated", menu_stage_files);
}

static void menu_revert(struct menu *m)
{
	struct changed_files files = { NULL, 0, 0 };

	if (menu_find_changes(m, CHANGED_IN_INDEX, &files))
		change_chosen(m, &files, "Revert", "reverted", menu_unstage_files);
}

static void menu_add_untracked(struct menu *m)
{
	struct changed_files files = { NULL, 0, 0 };

	if (!menu_find_untracked(m, &files))
		return;
	if (files.nr)
		change_chosen(m, &files, "Add untracked", "added", menu_stage_files);
	else
		printf("No untracked files.\n\n");
}

/* ---- patch, diff ---- */

/* Files with conflicts, and binary ones, have no hunks to choose. */
static void drop_files_without_hunks(struct menu *m, struct changed_files *files, size_t *binary)
{
	bool *keep = xcalloc(files->nr + 1, sizeof(*keep));

	for (size_t i = 0; i < files->nr; i++) {
		const struct changed_file *f = &files->items[i];

		if (f->unmerged)
			choose_print_error(&m->colors, "ignoring unmerged: %s", f->path);
		*binary += f->files.binary;
		keep[i] = !f->unmerged && !f->files.binary;
	}
	changed_files_keep(files, keep);
	free(keep);
}

static void choose_hunks_of(struct menu *m, const struct changed_files *files)
{
	struct choose_request q = *m->q;
	struct pathspec ps;

	changed_files_as_pathspec(m, files, &ps);
	q.ps = &ps;
	(void)choose_hunks(&q);
	pathspec_release(&ps);
}

static void menu_patch(struct menu *m)
{
	struct changed_files files = { NULL, 0, 0 };
	size_t binary = 0;

	if (!menu_find_changes(m, CHANGED_IN_FILES, &files))
		return;
	drop_files_without_hunks(m, &files, &binary);
	if (!files.nr)
		choose_print_error(&m->colors, "%s", binary ? "Only binary files changed." : "No changes.");
	else if (choose_files(m, "Patch update", false, &files))
		choose_hunks_of(m, &files);
	changed_files_clear(&files);
}

static void menu_diff(struct menu *m)
{
	struct changed_files files = { NULL, 0, 0 };

	if (!menu_find_changes(m, CHANGED_IN_INDEX, &files))
		return;
	if (choose_files(m, "Review diff", true, &files))
		menu_show_diff(m, &files);
	putchar('\n');
	changed_files_clear(&files);
}

/* ---- the loop ---- */

static const struct menu_command {
	const char *name;
	void (*run)(struct menu *m); /* NULL: the end */
} menu_commands[] = {
	{ "status", menu_status }, { "update", menu_update }, { "revert", menu_revert }, { "add untracked", menu_add_untracked },
	{ "patch", menu_patch }, { "diff", menu_diff }, { "quit", NULL }, { "help", menu_help },
};

static void menu_loop(struct menu *m)
{
	const char *names[ARRAY_SIZE(menu_commands) + 1] = { NULL };
	const struct menu_list l = { .words = names, .nr_words = ARRAY_SIZE(menu_commands), .prompt = "What now" };

	for (size_t i = 0; i < ARRAY_SIZE(menu_commands); i++)
		names[i] = menu_commands[i].name;
	menu_status(m);
	for (;;) {
		ssize_t i = menu_choose(m, &l, NULL);

		if (i == MENU_ENDED || (i >= 0 && !menu_commands[i].run))
			break;
		if (i >= 0)
			menu_commands[i].run(m);
	}
	puts("Bye.");
}

int choose_from_menu(const struct choose_request *q)
{
	struct menu m = { .q = q, .repo = q->repo, .answer = STRBUF_INIT };
	struct err err = ERR_INIT;
	int rc = menu_begin(&m, &err);

	if (!rc)
		menu_loop(&m);
	menu_release(&m);
	fflush(stdout);
	return rc ? report_fatal(&err) : 0;
}

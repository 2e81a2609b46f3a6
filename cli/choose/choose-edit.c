/* SPDX-License-Identifier: GPL-2.0-only */
/* e: the user writes the lines of a hunk. */
#include "compat/posix.h"
#include "cli/choose/choose-internal.h"
#include "cli/edit-text.h"
#include "compat/syscalls.h"
#include "util/alloc.h"

#define EDIT_FILE "addp-hunk-edit.diff"

static void add_guide(const struct chooser *c, struct strbuf *text)
{
	char mark = edit_comment_char(c->repo), removed = c->words->reverse ? '+' : '-', added = c->words->reverse ? '-' : '+';

	strbuf_addf(text, "%c ---\n", mark);
	strbuf_addf(text, "%c To remove '%c' lines, make them ' ' lines (context).\n", mark, removed);
	strbuf_addf(text, "%c To remove '%c' lines, delete them.\n", mark, added);
	strbuf_addf(text, "%c Lines starting with %c will be removed.\n", mark, mark);
	strbuf_addf(text, "%c If the patch applies cleanly, the edited hunk will immediately be marked for %s.\n", mark,
		    c->words->gerund);
	strbuf_addf(text, "%c If it does not apply cleanly, you will be given an opportunity to\n", mark);
	strbuf_addf(text, "%c edit again.  If all lines of the hunk are removed, then the edit is\n", mark);
	strbuf_addf(text, "%c aborted and the hunk is left unchanged.\n", mark);
}

static void drop_comments(const struct chooser *c, struct strbuf *text)
{
	char mark = edit_comment_char(c->repo);
	struct strbuf out = STRBUF_INIT;
	bool any = false;

	for (size_t pos = 0; pos < text->len;) {
		const char *line = text->buf + pos, *nl = memchr(line, '\n', text->len - pos);
		size_t len = nl ? (size_t)(nl - line) + 1 : text->len - pos;

		if (*line != mark) {
			strbuf_add(&out, line, len);
			any |= !isspace((unsigned char)*line) || *line == ' ';
		}
		pos += len;
	}
	strbuf_swap(text, &out);
	strbuf_release(&out);
	if (!any)
		strbuf_reset(text);
}

static int run_hunk_editor(const struct chooser *c, const struct hunk_part *h, struct strbuf *text, struct err *err)
{
	char *path = repo_path(c->repo, EDIT_FILE);
	int rc;

	strbuf_addf(text, "%c Manual hunk edit mode -- see bottom for a quick guide.\n", edit_comment_char(c->repo));
	choose_add_hunk_text(c, h, false, text);
	add_guide(c, text);
	fflush(stdout);
	rc = edit_text(c->repo, path, text, err);
	if (rc < 0 && err->code)
		error("%s", err_message(err));
	if (rc < 0)
		error("could not edit '%s': %s", path, strerror(0));
	sys->unlink(path);
	free(path);
	return rc;
}

/* 1: it applies; 0: the user has removed all; -1: it cannot be used. */
static int edit_once(struct file_prompt *p)
{
	struct hunk_part *h = &p->f->hunks[p->at];
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;
	bool empty = false;
	int rc = run_hunk_editor(p->c, h, &text, &err);

	if (!rc) {
		drop_comments(p->c, &text);
		rc = hunk_replace(&p->c->list, h, &text, &empty, &err);
		if (rc < 0) {
			error("%s", err_message(&err));
			error("could not parse hunk header");
		}
	}
	strbuf_release(&text);
	err_release(&err);
	if (rc < 0)
		return -1;
	return empty ? 0 : choose_check_file(p->c, p->f) ? 1 : -1;
}

bool choose_edit_hunk(struct file_prompt *p)
{
	struct hunk_part before = p->f->hunks[p->at];

	for (;;) {
		int rc = edit_once(p);

		if (rc >= 0)
			return rc;
		p->f->hunks[p->at] = before;
		if (!choose_yes_or_no(p->c, "Your edited hunk does not apply. Edit again (saying \"no\" discards!) [y/n]? "))
			return false;
	}
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* The hunks of one file: show one, ask, do what the answer says. */
#include "compat/posix.h"
#include "cli/choose/choose-internal.h"

/* ---- the file ---- */

static void show_file_header(const struct chooser *c, const struct hunk_file *f)
{
	const struct hunk_text *t = c->diff_color ? &c->list.colored : &c->list.plain;
	bool has_mode = f->nr && f->hunks[0].is_mode;

	for (size_t i = f->from; i < choose_end_of_header(f); i++)
		if (!has_mode || i < f->mode_line || i > f->mode_line + 1)
			fwrite(hunk_text_line(t, i), 1, hunk_text_len(t, i), stdout);
}

static void show_hunk(struct file_prompt *p)
{
	struct strbuf text = STRBUF_INIT;

	if (p->shown != p->at && p->f->nr) {
		choose_add_shown(p, p->c->diff_color, &text);
		fwrite(text.buf, 1, text.len, stdout);
	}
	p->shown = p->at;
	strbuf_release(&text);
}

/* ---- the prompt ---- */

static const char *thing_of(const struct file_prompt *p)
{
	if (p->f->deleted)
		return "deletion";
	if (p->f->added)
		return "addition";
	return p->f->nr && p->f->hunks[p->at].is_mode ? "mode change" : "this hunk";
}

static enum hunk_choice choice_of(const struct file_prompt *p)
{
	return p->f->nr ? p->f->hunks[p->at].choice : p->f->choice;
}

static void print_prompt(const struct file_prompt *p)
{
	const struct choose_words *w = p->c->words;
	const char *was = choice_of(p) == HUNK_CHOSEN ? " (was: y)" : choice_of(p) == HUNK_SKIPPED ? " (was: n)" : "";
	struct strbuf letters = STRBUF_INIT;

	choose_add_letters(p, &letters);
	choose_print_colored(&p->c->colors, SLOT_PROMPT, "(%zu/%zu) %c%s %s%s%s [y,n,q,a,d%s,?]? ", p->at + 1,
			     p->f->nr ? p->f->nr : 1, toupper((unsigned char)*w->verb), w->verb + 1, thing_of(p), w->where, was,
			     letters.buf);
	strbuf_release(&letters);
}

/* ---- undecided hunks ---- */

static ssize_t find_undecided(const struct file_prompt *p, bool forward)
{
	size_t nr = p->f->nr;

	for (size_t step = 1; step < nr; step++) {
		size_t i = (p->at + (forward ? step : nr - step)) % nr;

		if (p->f->hunks[i].choice == HUNK_UNDECIDED)
			return (ssize_t)i;
	}
	return -1;
}

enum choose_step choose_in_file(struct chooser *c, struct hunk_file *f, bool has_others)
{
	struct file_prompt p = { .c = c, .f = f, .shown = SIZE_MAX, .has_others = has_others };
	enum choose_step step = STEP_ASK_AGAIN;

	show_file_header(c, f);
	while (step == STEP_ASK_AGAIN) {
		if (p.at >= f->nr)
			p.at = 0;
		p.before = find_undecided(&p, false);
		p.behind = find_undecided(&p, true);
		if (c->q->auto_advance && choose_is_decided(&p)) {
			step = STEP_FILE_DONE;
			break;
		}
		show_hunk(&p);
		print_prompt(&p);
		if (!choose_read_key(c, &c->answer))
			step = STEP_QUIT;
		else if (c->answer.len)
			step = choose_do_key(&p);
	}
	return step;
}

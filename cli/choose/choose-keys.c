/* SPDX-License-Identifier: GPL-2.0-only */
/* The keys of a prompt: git-add(1), "patch". */
#include "compat/posix.h"
#include <regex.h>
#include "cli/choose/choose-internal.h"
#include "util/alloc.h"
#include "util/run-command.h"

#define LIST_LINES 20	/* of hunks to go to, at a time */
#define LIST_RANGE 20	/* columns of their positions */
#define LIST_COLUMNS 80 /* of a line */

#define KEY_OFFERS "kKjJg/se><pP"

static const struct {
	char key;
	const char *text;
} key_help[] = {
	{ 'j', "go to the next undecided hunk, roll over at the bottom" },
	{ 'J', "go to the next hunk, roll over at the bottom" },
	{ 'k', "go to the previous undecided hunk, roll over at the top" },
	{ 'K', "go to the previous hunk, roll over at the top" },
	{ 'g', "select a hunk to go to" },
	{ '/', "search for a hunk matching the given regex" },
	{ 's', "split the current hunk into smaller hunks" },
	{ 'e', "manually edit the current hunk" },
	{ 'p', "print the current hunk" },
	{ 'P', "print the current hunk using the pager" },
	{ '>', "go to the next file, roll over at the bottom" },
	{ '<', "go to the previous file, roll over at the top" },
};

static struct hunk_part *hunk_of(const struct file_prompt *p)
{
	return &p->f->hunks[p->at];
}

bool choose_permits(const struct file_prompt *p, char key)
{
	switch (key) {
	case 'k':
		return p->before >= 0;
	case 'j':
		return p->behind >= 0;
	case 'K':
	case 'J':
	case 'g':
	case '/':
		return p->f->nr > 1;
	case 's':
		return p->f->nr && hunk_of(p)->parts > 1;
	case 'e':
		return p->f->nr && !p->f->deleted && !hunk_of(p)->is_mode && !p->c->words->forward;
	case '>':
	case '<':
		return p->has_others;
	}
	return p->f->nr;
}

bool choose_is_decided(const struct file_prompt *p)
{
	return p->before < 0 && p->behind < 0 && (p->f->nr ? hunk_of(p)->choice : p->f->choice) != HUNK_UNDECIDED;
}

void choose_add_letters(const struct file_prompt *p, struct strbuf *out)
{
	for (const char *key = KEY_OFFERS; *key; key++)
		if (choose_permits(p, *key))
			strbuf_addf(out, ",%c", *key);
}

/* ---- messages ---- */

static enum choose_step refuse(const struct file_prompt *p, const char *text)
{
	choose_print_colored(&p->c->colors, SLOT_ERROR, "%s\n", text);
	return STEP_ASK_AGAIN;
}

static void show_summary(const struct file_prompt *p)
{
	size_t nr = p->f->nr, chosen = 0;

	for (size_t i = 0; i < nr; i++)
		chosen += p->f->hunks[i].choice == HUNK_CHOSEN;
	printf("%sHUNKS SUMMARY - Hunks: %zu, USE: %zu, SKIP: %zu\n%s\n", p->c->colors.slot[SLOT_HELP], nr, chosen, nr - chosen,
	       p->c->colors.reset);
}

static void show_help(const struct file_prompt *p)
{
	const struct choose_colors *colors = &p->c->colors;
	const char *verb = p->c->words->verb, *where = p->c->words->where;

	printf("%sy - %s this hunk%s\n"
	       "n - do not %s this hunk%s\n"
	       "q - quit; do not %s this hunk or any of the remaining ones\n"
	       "a - %s this hunk and all later hunks in the file\n"
	       "d - do not %s this hunk or any of the later hunks in the file\n%s",
	       colors->slot[SLOT_HELP], verb, where, verb, where, verb, verb, verb, colors->reset);
	for (size_t i = 0; i < ARRAY_SIZE(key_help); i++)
		if (choose_permits(p, key_help[i].key))
			choose_print_colored(colors, SLOT_HELP, "%c - %s\n", key_help[i].key, key_help[i].text);
	choose_print_colored(colors, SLOT_HELP, "? - print help\n");
	if (choose_is_decided(p))
		show_summary(p);
}

static void show_in_pager(const struct file_prompt *p)
{
	struct child_process cp = CHILD_PROCESS_INIT;
	const char *program = pager_program(p->c->repo);
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;

	choose_add_shown(p, p->c->diff_color, &text);
	if (!isatty(STDOUT_FILENO) || !program || !*program || !strcmp(program, "cat")) {
		fwrite(text.buf, 1, text.len, stdout);
	} else {
		strvec_push(&cp.args, program);
		cp.use_shell = true;
		if (!getenv("LESS"))
			strvec_push(&cp.env, "LESS=FRX");
		if (!getenv("LV"))
			strvec_push(&cp.env, "LV=-c");
		fflush(stdout);
		if (pipe_command(&cp, text.buf, text.len, NULL, NULL, 0, &err) < 0)
			report_error(&err);
	}
	err_release(&err);
	strbuf_release(&text);
}

/* ---- decisions ---- */

/* To the next undecided hunk, or behind the last one. */
static void go_on(struct file_prompt *p)
{
	p->at = p->behind < 0 ? p->f->nr : (size_t)p->behind;
}

static void decide(struct file_prompt *p, enum hunk_choice choice)
{
	if (p->f->nr)
		hunk_of(p)->choice = choice;
	else
		p->f->choice = choice;
	go_on(p);
}

/* This hunk, and those behind it, as far as they are undecided. Then comes the first one that still is. */
static void decide_rest(struct file_prompt *p, enum hunk_choice choice)
{
	if (!p->f->nr && p->f->choice == HUNK_UNDECIDED)
		p->f->choice = choice;
	for (; p->at < p->f->nr; p->at++)
		if (hunk_of(p)->choice == HUNK_UNDECIDED)
			hunk_of(p)->choice = choice;
	p->at = 0;
	while (p->at < p->f->nr && hunk_of(p)->choice != HUNK_UNDECIDED)
		p->at++;
}

/* ---- g ---- */

static void print_summary(const struct file_prompt *p, size_t i)
{
	const struct hunk_part *h = &p->f->hunks[i];
	const char marks[] = { [HUNK_UNDECIDED] = ' ', [HUNK_SKIPPED] = '-', [HUNK_CHOSEN] = '+' };
	const struct hunk_header *header = &h->header;
	struct strbuf out = STRBUF_INIT;
	size_t start, line = h->from;

	strbuf_addf(&out, "%c%2zu: ", marks[h->choice], i + 1);
	start = out.len;
	strbuf_addf(&out, " -%lu,%lu +%lu,%lu ", header->old_pos, header->old_nr, header->new_pos, header->new_nr);
	if (out.len - start < LIST_RANGE)
		strbuf_addchars(&out, ' ', LIST_RANGE - (out.len - start));
	while (line < h->to && *hunk_text_line(h->plain, line) == ' ')
		line++;
	if (line < h->to)
		strbuf_add(&out, hunk_text_line(h->plain, line), hunk_text_len(h->plain, line));
	if (out.len > start + LIST_COLUMNS)
		strbuf_setlen(&out, start + LIST_COLUMNS);
	strbuf_complete_line(&out);
	fwrite(out.buf, 1, out.len, stdout);
	strbuf_release(&out);
}

static size_t print_summaries(const struct file_prompt *p, size_t from)
{
	size_t end = from + LIST_LINES < p->f->nr ? from + LIST_LINES : p->f->nr;

	for (size_t i = from; i < end; i++)
		print_summary(p, i);
	return end;
}

/* The number goes to c->answer; it is empty where the input has ended. */
static void ask_for_hunk(struct file_prompt *p)
{
	struct chooser *c = p->c;
	size_t next = p->at > LIST_LINES / 2 ? p->at - LIST_LINES / 2 : 0;

	if (!next && p->f->hunks[0].is_mode) /* it can be gone to, but is not listed */
		next = 1;
	do {
		next = print_summaries(p, next);
		fputs(next < p->f->nr ? "go to which hunk (<ret> to see more)? " : "go to which hunk? ", stdout);
		if (!choose_read_line(&c->answer))
			return;
		strbuf_trim_trailing_newline(&c->answer);
	} while (!c->answer.len);
}

static enum choose_step go_to_hunk(struct file_prompt *p)
{
	struct strbuf *answer = &p->c->answer;
	char *end, *text;
	unsigned long n;

	if (!choose_permits(p, 'g'))
		return refuse(p, "No other hunks to goto");
	strbuf_remove(answer, 0, 1);
	strbuf_trim(answer);
	if (!answer->len)
		ask_for_hunk(p);
	errno = 0;
	n = strtoul(answer->buf, &end, 10);
	if (end == answer->buf || *end) {
		text = xstrfmt("Invalid number: '%s'", answer->buf);
	} else if (n && n <= p->f->nr) {
		p->at = n - 1;
		return STEP_ASK_AGAIN;
	} else {
		text = xstrfmt("Sorry, only %zu hunk%s available.", p->f->nr, p->f->nr == 1 ? "" : "s");
	}
	refuse(p, text);
	free(text);
	return STEP_ASK_AGAIN;
}

/* ---- / ---- */

static bool matches(const struct file_prompt *p, const regex_t *regex, size_t i)
{
	struct strbuf text = STRBUF_INIT;
	bool found;

	choose_add_hunk_text(p->c, &p->f->hunks[i], false, &text);
	found = !regexec(regex, text.buf, 0, NULL, 0);
	strbuf_release(&text);
	return found;
}

static void find_match(struct file_prompt *p, const regex_t *regex)
{
	for (size_t step = 0; step < p->f->nr; step++) {
		size_t i = (p->at + step) % p->f->nr;

		if (matches(p, regex, i)) {
			p->at = i;
			return;
		}
	}
	refuse(p, "No hunk matches the given pattern");
}

static enum choose_step search_hunk(struct file_prompt *p)
{
	struct strbuf *answer = &p->c->answer;
	char why[1024];
	regex_t regex;
	int rc;

	if (!choose_permits(p, '/'))
		return refuse(p, "No other hunks to search");
	strbuf_remove(answer, 0, 1);
	strbuf_trim_trailing_newline(answer);
	if (!answer->len) {
		fputs("search for regex? ", stdout);
		if (!choose_read_line(answer) || !answer->len)
			return STEP_ASK_AGAIN;
	}
	rc = regcomp(&regex, answer->buf, REG_EXTENDED | REG_NOSUB | REG_NEWLINE);
	if (rc) {
		regerror(rc, &regex, why, sizeof(why));
		choose_print_colored(&p->c->colors, SLOT_ERROR, "Malformed search regexp %s: %s\n", answer->buf, why);
		return STEP_ASK_AGAIN;
	}
	find_match(p, &regex);
	regfree(&regex);
	return STEP_ASK_AGAIN;
}

/* ---- s, e ---- */

static enum choose_step split_hunk(struct file_prompt *p)
{
	size_t parts;

	if (!choose_permits(p, 's'))
		return refuse(p, "Sorry, cannot split this hunk");
	parts = hunk_of(p)->parts;
	hunk_split(p->f, p->at);
	choose_print_colored(&p->c->colors, SLOT_HEADER, "Split into %zu hunks.\n", parts);
	p->shown = SIZE_MAX;
	return STEP_ASK_AGAIN;
}

static enum choose_step edit_hunk(struct file_prompt *p)
{
	if (!choose_permits(p, 'e'))
		return refuse(p, "Sorry, cannot edit this hunk");
	if (choose_edit_hunk(p)) {
		hunk_of(p)->choice = HUNK_CHOSEN;
		go_on(p);
	}
	return STEP_ASK_AGAIN;
}

/* ---- all ---- */

static enum choose_step go_to(struct file_prompt *p, char key)
{
	size_t nr = p->f->nr;

	if (!choose_permits(p, key))
		return refuse(p, key == 'j' || key == 'k' ? "No other undecided hunk" : "No other hunk");
	if (key == 'j' || key == 'k')
		p->at = (size_t)(key == 'j' ? p->behind : p->before);
	else
		p->at = (p->at + (key == 'J' ? 1 : nr - 1)) % nr;
	return STEP_ASK_AGAIN;
}

static enum choose_step go_to_file(struct file_prompt *p, char key)
{
	if (!choose_permits(p, key))
		return refuse(p, key == '>' ? "No next file" : "No previous file");
	return key == '>' ? STEP_NEXT_FILE : STEP_PREVIOUS_FILE;
}

/* Keys that answer the question. True: it was one of them. */
static bool decide_by_key(struct file_prompt *p, char key, enum choose_step *step)
{
	*step = STEP_ASK_AGAIN;
	switch (tolower((unsigned char)key)) {
	case 'y':
		decide(p, HUNK_CHOSEN);
		return true;
	case 'n':
		decide(p, HUNK_SKIPPED);
		return true;
	case 'a':
		decide_rest(p, HUNK_CHOSEN);
		return true;
	case 'd':
		decide_rest(p, HUNK_SKIPPED);
		return true;
	case 'q':
		*step = STEP_QUIT;
		return true;
	}
	return false;
}

static enum choose_step do_other_key(struct file_prompt *p, char key)
{
	switch (key) {
	case 'j':
	case 'J':
	case 'k':
	case 'K':
		return go_to(p, key);
	case 'g':
		return go_to_hunk(p);
	case '/':
		return search_hunk(p);
	case 's':
		return split_hunk(p);
	case 'e':
		return edit_hunk(p);
	case '>':
	case '<':
		return go_to_file(p, key);
	case 'p':
		p->shown = SIZE_MAX;
		return STEP_ASK_AGAIN;
	case 'P':
		if (p->f->nr)
			show_in_pager(p);
		return STEP_ASK_AGAIN;
	case '?':
		show_help(p);
		return STEP_ASK_AGAIN;
	}
	choose_print_colored(&p->c->colors, SLOT_ERROR, "Unknown command '%s' (use '?' for help)\n", p->c->answer.buf);
	return STEP_ASK_AGAIN;
}

enum choose_step choose_do_key(struct file_prompt *p)
{
	const char *answer = p->c->answer.buf;
	enum choose_step step;

	if (p->c->answer.len > 1 && *answer != 'g' && *answer != '/') {
		choose_print_colored(&p->c->colors, SLOT_ERROR, "Only one letter is expected, got '%s'\n", answer);
		return STEP_ASK_AGAIN;
	}
	return decide_by_key(p, *answer, &step) ? step : do_other_key(p, *answer);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* The words of prompts and their colours: git-add(1), git-config(1) color.interactive. */
#include "compat/posix.h"
#include "cli/choose/choose-internal.h"
#include "util/alloc.h"

enum words {
	WORDS_STAGE, WORDS_STASH, WORDS_RESET_HEAD, WORDS_RESET_TREE, WORDS_CHECKOUT_INDEX, WORDS_CHECKOUT_HEAD,
	WORDS_CHECKOUT_TREE, WORDS_FILES_HEAD, WORDS_FILES_TREE, WORDS_SPLIT
};

static const struct choose_words all_words[] = {
	[WORDS_STAGE] = { .verb = "stage", .where = "", .gerund = "staging", .index = true, .since_index = true },
	[WORDS_STASH] = { .verb = "stash", .where = "", .gerund = "stashing", .index = true },
	[WORDS_RESET_HEAD] = { .verb = "unstage", .where = "", .gerund = "unstaging", .index = true, .reverse = true,
			       .cached = true },
	[WORDS_RESET_TREE] = { .verb = "apply", .where = " to index", .gerund = "applying", .index = true, .swapped = true,
			       .cached = true },
	[WORDS_CHECKOUT_INDEX] = { .verb = "discard", .where = " from worktree", .gerund = "discarding", .files = true,
				   .reverse = true, .since_index = true },
	[WORDS_CHECKOUT_HEAD] = { .verb = "discard", .where = " from index and worktree", .gerund = "discarding", .index = true,
				  .files = true, .reverse = true },
	[WORDS_CHECKOUT_TREE] = { .verb = "apply", .where = " to index and worktree", .gerund = "applying", .index = true,
				  .files = true, .swapped = true },
	[WORDS_FILES_HEAD] = { .verb = "discard", .where = " from worktree", .gerund = "discarding", .files = true,
			       .reverse = true },
	[WORDS_SPLIT] = { .verb = "stage", .where = "", .gerund = "staging", .index = true, .swapped = true, .cached = true,
			  .forward = true },
	[WORDS_FILES_TREE] = { .verb = "apply", .where = " to worktree", .gerund = "applying", .files = true, .swapped = true },
};

const struct choose_words *choose_find_words(enum choose_target target, const char *rev)
{
	bool head = rev && (!strcmp(rev, "HEAD") || !strcmp(rev, "@"));

	switch (target) {
	case CHOOSE_STASH:
		return &all_words[WORDS_STASH];
	case CHOOSE_RESET:
		return &all_words[!rev || head ? WORDS_RESET_HEAD : WORDS_RESET_TREE];
	case CHOOSE_CHECKOUT:
		return &all_words[!rev ? WORDS_CHECKOUT_INDEX : head ? WORDS_CHECKOUT_HEAD : WORDS_CHECKOUT_TREE];
	case CHOOSE_WORKTREE:
		return &all_words[!rev ? WORDS_CHECKOUT_INDEX : head ? WORDS_FILES_HEAD : WORDS_FILES_TREE];
	case CHOOSE_SPLIT:
		return &all_words[WORDS_SPLIT];
	case CHOOSE_STAGE:
		break;
	}
	return &all_words[WORDS_STAGE];
}

/* ---- colours ---- */

void choose_read_colors(struct choose_colors *c, struct repository *r)
{
	static const struct {
		const char *key, *value;
	} slots[SLOT_NR] = {
		[SLOT_HEADER] = { "color.interactive.header", "bold" },
		[SLOT_HELP] = { "color.interactive.help", "bold red" },
		[SLOT_PROMPT] = { "color.interactive.prompt", "bold blue" },
		[SLOT_ERROR] = { "color.interactive.error", "bold red" },
	};
	bool on = want_color(r, "color.interactive", STDOUT_FILENO);

	c->reset = on ? COLOR_RESET : "";
	for (int i = 0; i < SLOT_NR; i++) {
		const char *value = NULL;

		*c->slot[i] = '\0';
		if (!on)
			continue;
		if (config_get_string(r->config, slots[i].key, &value, NULL) <= 0 || color_parse(value, c->slot[i]) < 0)
			(void)color_parse(slots[i].value, c->slot[i]);
	}
}

void choose_print_colored(const struct choose_colors *c, enum choose_slot slot, const char *fmt, ...)
{
	struct strbuf text = STRBUF_INIT;
	va_list ap;
	bool ends;

	va_start(ap, fmt);
	strbuf_vaddf(&text, fmt, ap);
	va_end(ap);
	ends = text.len && text.buf[text.len - 1] == '\n';
	if (ends)
		strbuf_setlen(&text, text.len - 1);
	fputs(c->slot[slot], stdout);
	fwrite(text.buf, 1, text.len, stdout);
	fputs(c->reset, stdout);
	if (ends)
		putchar('\n');
	strbuf_release(&text);
}

void choose_print_error(const struct choose_colors *c, const char *fmt, ...)
{
	va_list ap;

	fflush(stdout);
	fputs(c->slot[SLOT_ERROR], stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, "%s\n", c->reset);
}

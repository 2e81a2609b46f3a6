/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "history/names/revparse.h"
#include "refs/refs.h"
#include "sequence/todo.h"
#include "util/alloc.h"

/* ---- the commands ---- */

static const struct {
	const char *name;
	char letter;
	enum todo_takes takes;
} commands[] = {
#define TODO_ROW(id, name, letter, takes) { name, letter, takes },
	TODO_COMMANDS(TODO_ROW)
#undef TODO_ROW
};

const char *todo_command_name(enum todo_command c)
{
	return commands[c].name;
}

bool todo_is_fixup(enum todo_command c)
{
	return c == TODO_FIXUP || c == TODO_SQUASH;
}

void todo_init(struct todo_list *l)
{
	*l = (struct todo_list){ .text = STRBUF_INIT };
}

void todo_release(struct todo_list *l)
{
	for (size_t i = 0; i < l->nr; i++)
		free(l->items[i].arg);
	free(l->items);
	strbuf_release(&l->text);
	todo_init(l);
}

/* ---- one line ---- */

struct todo_line {
	struct repository *r;
	const char *p, *end; /* the rest of it */
	struct strvec *errors;
	struct todo_item *item;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static void skip_blanks(struct todo_line *t)
{
	while (t->p < t->end && is_blank(*t->p))
		t->p++;
}

/* Takes "pick" or "p" off the line, if a blank or the end follows. */
static bool take_command(struct todo_line *t, enum todo_command *out)
{
	size_t len = 0, left = (size_t)(t->end - t->p);

	while (len < left && !is_blank(t->p[len]))
		len++;
	for (int c = 0; c < TODO_COMMENT; c++) {
		bool is_name = strlen(commands[c].name) == len && !memcmp(commands[c].name, t->p, len);
		bool is_letter = len == 1 && commands[c].letter && *t->p == commands[c].letter;

		if (!is_name && !is_letter)
			continue;
		t->p += len;
		*out = c;
		return true;
	}
	return false;
}

static int refuse(struct todo_line *t, const char *fmt, const char *what)
{
	strvec_pushf(t->errors, fmt, what);
	return -1;
}

/* Up to a blank: a commit. */
static int take_commit(struct todo_line *t)
{
	struct object_id named;
	const char *from = t->p;
	enum object_type type = OBJ_NONE;
	uint64_t size;
	char *name;
	int rc = 0;

	while (t->p < t->end && !is_blank(*t->p))
		t->p++;
	name = xmemdupz(from, (size_t)(t->p - from));
	if (!*name || revparse_of_type(t->r, name, OBJ_COMMIT, &named, NULL) < 0)
		rc = refuse(t, "could not parse '%s'", name);
	else if (object_peel(odb_source(t->r->odb), &named, OBJ_COMMIT, &t->item->oid, NULL, NULL) < 0) {
		t->item->oid = t->r->algo->null_oid;
		if (odb_type(t->r->odb, &named, &type, &size, NULL) < 0)
			rc = refuse(t, "could not parse '%s'", name);
		else
			strvec_pushf(t->errors, "object %s is a %s, not a commit", oid_hex(&named), object_type_name(type));
		rc = -1;
	}
	free(name);
	skip_blanks(t);
	return rc;
}

/* "-C", "-c": the message of the commit that follows is used. */
static bool take_message_option(struct todo_line *t)
{
	if (t->end - t->p < 2 || t->p[0] != '-' || (t->p[1] != 'C' && t->p[1] != 'c'))
		return false;
	t->item->flags |= TODO_USE_MESSAGE | (t->p[1] == 'c' ? TODO_EDIT_MESSAGE : 0);
	t->p += 2;
	skip_blanks(t);
	return true;
}

static int check_text(struct todo_line *t, const char *text)
{
	switch (t->item->command) {
	case TODO_LABEL:
		if (!strcmp(text, "#") || !refname_is_valid(text, REFNAME_ALLOW_ONELEVEL))
			return refuse(t, "'%s' is not a valid label", text);
		return 0;
	case TODO_UPDATE_REF:
		if (!refname_is_valid(text, REFNAME_ALLOW_ONELEVEL))
			return refuse(t, "'%s' is not a valid refname", text);
		if (!refname_is_valid(text, 0))
			return refuse(t, "update-ref requires a fully qualified refname e.g. refs/heads/%s", text);
		return 0;
	default:
		return 0;
	}
}

/* What stands behind the command. */
static int take_arguments(struct todo_line *t)
{
	const char *name = commands[t->item->command].name;
	char *rest;
	int rc = 0;

	skip_blanks(t);
	if (commands[t->item->command].takes == TODO_TAKES_NOTHING) {
		if (t->p == t->end)
			return 0;
		rest = xmemdupz(t->p, (size_t)(t->end - t->p));
		strvec_pushf(t->errors, "%s does not accept arguments: '%s\n'", name, rest);
		free(rest);
		return -1;
	}
	if (t->p == t->end)
		return refuse(t, "missing arguments for %s", name);
	if (t->item->command == TODO_FIXUP)
		(void)take_message_option(t);
	if (commands[t->item->command].takes == TODO_TAKES_COMMIT ||
	    (t->item->command == TODO_MERGE && take_message_option(t)))
		rc = take_commit(t);
	rest = xmemdupz(t->p, (size_t)(t->end - t->p));
	if (!rc)
		rc = check_text(t, rest);
	free(t->item->arg);
	t->item->arg = rest;
	return rc;
}

static int parse_line(struct todo_line *t, const char *comment)
{
	char *word;

	skip_blanks(t);
	t->item->command = TODO_COMMENT;
	if (t->p == t->end || (*comment && starts_with(t->p, comment)))
		return 0;
	if (take_command(t, &t->item->command))
		return take_arguments(t);
	word = xmemdupz(t->p, strcspn(t->p, " \t\r\n"));
	strvec_pushf(t->errors, "invalid command '%s'", word);
	free(word);
	return -1;
}

/* ---- the list ---- */

static struct todo_item *add_item(struct todo_list *l, const struct hash_algo *algo)
{
	struct todo_item *item;

	ALLOC_GROW(l->items, l->nr + 1, l->alloc);
	item = &l->items[l->nr++];
	*item = (struct todo_item){ .oid = algo->null_oid, .offset = l->text.len };
	item->arg = xstrdup("");
	return item;
}

int todo_parse(struct todo_list *l, struct repository *r, const char *text, size_t len, const char *comment,
	       struct strvec *errors)
{
	const char *stop = text + len;
	int rc = 0;

	for (size_t number = 1; text < stop; number++) {
		const char *lf = memchr(text, '\n', (size_t)(stop - text)), *end = lf ? lf : stop;
		char *line = xmemdupz(text, (size_t)(end - text - (end > text && end[-1] == '\r')));
		struct todo_line t = { .r = r, .p = line, .end = line + strlen(line), .errors = errors };

		t.item = add_item(l, r->algo);
		strbuf_add(&l->text, text, (size_t)(end - text));
		strbuf_addch(&l->text, '\n');
		t.item->len = l->text.len - t.item->offset;
		if (parse_line(&t, comment) < 0) {
			rc = ERR_INVALID;
			strvec_pushf(errors, "invalid line %zu: %s", number, line);
			t.item->command = TODO_COMMENT;
		}
		free(line);
		text = lf ? lf + 1 : stop;
	}
	return rc;
}

void todo_append(struct todo_list *l, struct repository *r, enum todo_command command, unsigned flags,
		 const struct object_id *oid, const char *arg)
{
	struct todo_item *item = add_item(l, r->algo);

	item->command = command;
	item->flags = flags;
	if (oid)
		item->oid = *oid;
	if (arg) {
		free(item->arg);
		item->arg = xstrdup(arg);
	}
	todo_format_item(item, r, TODO_NAMES_SHORT, false, &l->text);
	item->len = l->text.len - item->offset;
}

void todo_format_rest(const struct todo_list *l, struct strbuf *out)
{
	if (l->at < l->nr)
		strbuf_addstr(out, l->text.buf + l->items[l->at].offset);
}

void todo_format_item(const struct todo_item *item, struct repository *r, enum todo_names names, bool letters,
		      struct strbuf *out)
{
	if (letters && commands[item->command].letter)
		strbuf_addch(out, commands[item->command].letter);
	else
		strbuf_addstr(out, commands[item->command].name);
	if (item->flags & TODO_USE_MESSAGE)
		strbuf_addstr(out, item->flags & TODO_EDIT_MESSAGE ? " -c" : " -C");
	if (!oid_is_null(&item->oid)) {
		strbuf_addch(out, ' ');
		if (names == TODO_NAMES_FULL)
			strbuf_add_oid(out, &item->oid);
		else
			odb_abbrev(r->odb, &item->oid, r->settings.abbrev, out);
	}
	if (*item->arg)
		strbuf_addf(out, " %s", item->arg);
	strbuf_addch(out, '\n');
}

size_t todo_count_left(const struct todo_list *l)
{
	size_t n = 0;

	for (size_t i = l->at; i < l->nr; i++)
		n += l->items[i].command != TODO_COMMENT;
	return n;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The block of trailers is taken apart, each new one finds its place in it by the rule of
 * its key, and the block is written again. git-interpret-trailers(1).
 */
#include "compat/posix.h"
#include "cli/cli.h"
#include "object/message.h"
#include "porcelain/trailers.h"
#include "util/alloc.h"
#include "util/run-command.h"

#define COMMAND_OUTPUT_MAX ((size_t)1 << 20)

enum place { PLACE_END, PLACE_AFTER, PLACE_BEFORE, PLACE_START };
enum if_exists { ADD_IF_DIFFERENT_NEIGHBOR, ADD_IF_DIFFERENT, ADD, REPLACE, KEEP };
enum if_missing { MISSING_ADD, MISSING_KEEP };

/* Names of the values above, in their order. */
static const char *const places[] = { "end", "after", "before", "start", NULL };
static const char *const exists_actions[] = { "addIfDifferentNeighbor", "addIfDifferent", "add",
					      "replace", "doNothing", NULL };
static const char *const missing_actions[] = { "add", "doNothing", NULL };

struct rule {
	char *name; /* as in trailer.NAME.key; NULL: for all that have none of their own */
	const char *key, *command, *cmd; /* NULL: not set; the configuration's */
	int where, exists, missing;	 /* -1: not set; of the enums above */
};

struct item {
	char *key; /* NULL: no trailer, `value` is the line */
	char *value;
};

struct block {
	struct rule *rules;
	size_t nr_rules, alloc_rules;
	struct rule common;
	const char *separators;
	struct item *items;
	size_t nr, alloc;
};

/* ---- rules ---- */

static int trailers_choose(const char *const *names, const struct config_entry *e)
{
	for (int i = 0; e->value && names[i]; i++)
		if (!strcasecmp(names[i], e->value))
			return i;
	warning("unknown value '%s' for key '%s'", e->value ? e->value : "", e->key);
	return -1;
}

static void set_rule(struct rule *r, const char *var, const struct config_entry *e)
{
	if (!strcmp(var, "where"))
		r->where = trailers_choose(places, e);
	else if (!strcmp(var, "ifexists"))
		r->exists = trailers_choose(exists_actions, e);
	else if (!strcmp(var, "ifmissing"))
		r->missing = trailers_choose(missing_actions, e);
	else if (r->name && !strcmp(var, "key"))
		r->key = e->value;
	else if (r->name && !strcmp(var, "command"))
		r->command = e->value;
	else if (r->name && !strcmp(var, "cmd"))
		r->cmd = e->value;
}

static struct rule *rule_for(struct block *b, const char *name, size_t len)
{
	for (size_t i = 0; i < b->nr_rules; i++)
		if (strlen(b->rules[i].name) == len && !strncasecmp(b->rules[i].name, name, len))
			return &b->rules[i];
	ALLOC_GROW(b->rules, b->nr_rules + 1, b->alloc_rules);
	b->rules[b->nr_rules] = (struct rule){ .name = xmemdupz(name, len), .where = -1,
					       .exists = -1, .missing = -1 };
	return &b->rules[b->nr_rules++];
}

static void read_rules(struct block *b, const struct config_set *c)
{
	const char *name, *var;

	for (size_t i = 0; i < config_nr(c); i++) {
		const struct config_entry *e = config_at(c, i);

		if (!skip_prefix(e->key, "trailer.", &name))
			continue;
		var = strrchr(name, '.');
		if (var)
			set_rule(rule_for(b, name, (size_t)(var - name)), var + 1, e);
		else if (!strcmp(name, "separators") && e->value && *e->value)
			b->separators = e->value;
		else
			set_rule(&b->common, name, e);
	}
}

/* Without what a key may end with: "Bug #" is called "Bug". */
static size_t name_length(const char *key, size_t len)
{
	while (len && !isalnum((unsigned char)key[len - 1]))
		len--;
	return len;
}

/* By the beginning of its name or key. NULL: there is none. */
static const struct rule *find_rule_n(const struct block *b, const char *key, size_t key_len)
{
	size_t len = name_length(key, key_len);

	for (size_t i = 0; i < b->nr_rules; i++) {
		const struct rule *r = &b->rules[i];

		if (!strncasecmp(key, r->name, len) ||
		    (r->key && !strncasecmp(key, r->key, len)))
			return r;
	}
	return NULL;
}

static const struct rule *find_rule(const struct block *b, const char *key)
{
	return find_rule_n(b, key, strlen(key));
}

static bool has_rule(const void *data, const char *key, size_t len)
{
	return find_rule_n(data, key, len);
}

static int setting(int own, int common)
{
	return own >= 0 ? own : common >= 0 ? common : 0;
}

/* ---- the block as it is ---- */

/* Offset of the separator behind a key; 0: no key, < 0: no separator. */
static ssize_t find_separator(const char *s, size_t len, const char *separators, bool equals)
{
	bool blank = false;

	for (size_t i = 0; i < len && s[i]; i++) {
		if (strchr(separators, s[i]) || (equals && s[i] == '='))
			return (ssize_t)i;
		if (!blank && (isalnum((unsigned char)s[i]) || s[i] == '-'))
			continue;
		if (!i || (s[i] != ' ' && s[i] != '\t'))
			break;
		blank = true;
	}
	return -1;
}

static char *trimmed(const char *s, size_t len)
{
	while (len && isspace((unsigned char)*s)) {
		s++;
		len--;
	}
	while (len && isspace((unsigned char)s[len - 1]))
		len--;
	return xmemdupz(s, len);
}

/* As the rule spells it. */
static char *own_key(const struct block *b, char *key)
{
	const struct rule *r = find_rule(b, key);

	if (!r || !r->key)
		return key;
	free(key);
	return xstrdup(r->key);
}

static void insert_item(struct block *b, size_t at, char *key, char *value)
{
	ALLOC_GROW(b->items, b->nr + 1, b->alloc);
	memmove(b->items + at + 1, b->items + at, (b->nr - at) * sizeof(*b->items));
	b->items[at] = (struct item){ key, value };
	b->nr++;
}

static void remove_item(struct block *b, size_t at)
{
	free(b->items[at].key);
	free(b->items[at].value);
	memmove(b->items + at, b->items + at + 1, (--b->nr - at) * sizeof(*b->items));
}

/* The length of a line with its continuation lines. */
static size_t item_length(const char *s, size_t len)
{
	const char *eol = s;

	do {
		eol = memchr(eol, '\n', len - (size_t)(eol - s));
		eol = eol ? eol + 1 : s + len;
	} while (eol < s + len && (*eol == ' ' || *eol == '\t'));
	return (size_t)(eol - s);
}

static void parse_block(struct block *b, const char *s, size_t len, char comment_char)
{
	for (size_t n; len; s += n, len -= n) {
		ssize_t sep;

		n = item_length(s, len);
		if (*s == comment_char)
			continue;
		sep = find_separator(s, n, b->separators, false);
		if (sep > 0)
			insert_item(b, b->nr, own_key(b, trimmed(s, (size_t)sep)),
				    trimmed(s + sep + 1, n - (size_t)sep - 1));
		else
			insert_item(b, b->nr, NULL, xmemdupz(s, n - (s[n - 1] == '\n')));
	}
}

/* ---- a new one ---- */

static bool same_key(const char *a, const char *b)
{
	size_t n, m;

	if (!a)
		return false;
	n = name_length(a, strlen(a));
	m = name_length(b, strlen(b));
	return !strncasecmp(a, b, n < m ? n : m);
}

static bool is_same(const struct item *it, const char *key, const char *value)
{
	return same_key(it->key, key) && !strcasecmp(it->value, value);
}

static bool trailers_is_there(const struct block *b, const char *key, const char *value)
{
	for (size_t i = 0; i < b->nr; i++)
		if (is_same(&b->items[i], key, value))
			return true;
	return false;
}

/* What trailer.KEY.cmd, or .command, prints for a value. Takes `value`. */
static char *command_value(const struct rule *r, char *value)
{
	struct child_process cp = CHILD_PROCESS_INIT;
	struct strbuf out = STRBUF_INIT, line = STRBUF_INIT;
	const char *p = r->command, *hit;
	struct err err = ERR_INIT;

	for (; !r->cmd && (hit = strstr(p, "$ARG")); p = hit + strlen("$ARG")) {
		strbuf_add(&line, p, (size_t)(hit - p));
		strbuf_addstr(&line, value);
	}
	strbuf_addstr(&line, r->cmd ? r->cmd : p);
	strvec_push(&cp.args, line.buf);
	if (r->cmd)
		strvec_push(&cp.args, value);
	cp.use_shell = true;
	cp.no_stdin = true;
	free(value);
	if (pipe_command(&cp, NULL, 0, &out, NULL, COMMAND_OUTPUT_MAX, &err) != 0) {
		error("running trailer command '%s' failed", line.buf);
		strbuf_reset(&out);
	}
	err_release(&err);
	value = trimmed(out.buf, out.len);
	strbuf_release(&line);
	strbuf_release(&out);
	return value;
}

/* The last one with that key, seen from the end, or the first one; b->nr: none. */
static size_t find_item(const struct block *b, const char *key, bool from_end)
{
	for (size_t i = 0; i < b->nr; i++) {
		size_t at = from_end ? b->nr - 1 - i : i;

		if (same_key(b->items[at].key, key))
			return at;
	}
	return b->nr;
}

/* Takes key and value. */
static void add_item(struct block *b, const struct rule *r, char *key, char *value)
{
	int where = setting(r ? r->where : -1, b->common.where);
	int exists = setting(r ? r->exists : -1, b->common.exists);
	bool behind = where == PLACE_END || where == PLACE_AFTER, wanted;
	size_t found = find_item(b, key, behind), at = behind ? b->nr : 0, next;
	bool there = found < b->nr;

	if (there ? exists == KEEP : setting(r ? r->missing : -1, b->common.missing) == MISSING_KEEP) {
		free(key);
		free(value);
		return;
	}
	if (r && (r->command || r->cmd)) {
		if (!*value && there) {
			free(value);
			value = xstrdup(b->items[found].value);
		}
		value = command_value(r, value);
	}
	if (there && (where == PLACE_AFTER || where == PLACE_BEFORE))
		at = behind ? found + 1 : found;
	next = behind ? at - 1 : at; /* its neighbour, if anything is there */
	wanted = !there || exists == ADD || exists == REPLACE ||
		 (exists == ADD_IF_DIFFERENT ? !trailers_is_there(b, key, value) :
					       !is_same(&b->items[next], key, value));
	if (!wanted) {
		free(key);
		free(value);
		return;
	}
	insert_item(b, at, key, value);
	if (there && exists == REPLACE)
		remove_item(b, found + (at <= found));
}

static int add_argument(struct block *b, const char *arg, struct err *err)
{
	size_t len = strlen(arg);
	ssize_t sep = find_separator(arg, len, b->separators, true);
	size_t end = sep < 0 ? len : (size_t)sep;
	char *key = trimmed(arg, end);

	if (!*key) {
		if (sep < 0)
			error("empty --trailer argument");
		else
			error("invalid trailer '%s': missing key before separator", arg);
		free(key);
		return err_set(err, ERR_INVALID, "unable to pass trailers to --trailers");
	}
	key = own_key(b, key);
	add_item(b, find_rule(b, key), key,
		 sep < 0 ? xstrdup("") : trimmed(arg + end + 1, len - end - 1));
	return 0;
}

/* ---- all of it ---- */

static void format_item(const struct block *b, const struct item *it, struct strbuf *out)
{
	const char *end = it->key ? it->key + strlen(it->key) : NULL;

	while (end && end > it->key && isspace((unsigned char)end[-1]))
		end--;
	if (!end)
		strbuf_addf(out, "%s\n", it->value);
	else if (end > it->key && strchr(b->separators, end[-1]))
		strbuf_addf(out, "%s%s\n", it->key, it->value);
	else
		strbuf_addf(out, "%s%c %s\n", it->key, *b->separators, it->value);
}

static void write_block(const struct block *b, struct strbuf *msg, size_t start, size_t end)
{
	struct strbuf out = STRBUF_INIT;

	strbuf_add(&out, msg->buf, start);
	if (start == end) /* there was no block; a line without its end is ended, and no more */
		strbuf_addstr(&out, end ? "\n" : "\n\n");
	for (size_t i = 0; i < b->nr; i++)
		format_item(b, &b->items[i], &out);
	strbuf_add(&out, msg->buf + end, msg->len - end);
	strbuf_swap(msg, &out);
	strbuf_release(&out);
}

static void block_release(struct block *b)
{
	while (b->nr)
		remove_item(b, b->nr - 1);
	while (b->nr_rules)
		free(b->rules[--b->nr_rules].name);
	free(b->items);
	free(b->rules);
}

static void block_init(struct block *b, struct repository *r, struct trailer_syntax *syntax)
{
	*b = (struct block){ .common = { .where = -1, .exists = -1, .missing = -1 },
			     .separators = ":" };
	read_rules(b, r->config);
	*syntax = (struct trailer_syntax){ b->separators, has_rule, b };
}

void trailers_add_line(struct repository *r, struct strbuf *msg, const char *line,
		       char comment_char)
{
	struct trailer_syntax syntax;
	struct block b;

	block_init(&b, r, &syntax);
	message_add_trailer(msg, line, comment_char, &syntax);
	block_release(&b);
}

int trailers_add(struct repository *r, struct strbuf *msg, const struct strvec *args,
		 char comment_char, struct err *err)
{
	size_t end = message_text_end(msg->buf, msg->len, comment_char), start;
	struct trailer_syntax syntax;
	struct block b;
	int rc = 0;

	if (!args->nr)
		return 0;
	block_init(&b, r, &syntax);
	start = message_trailers_start(msg->buf, msg->len, comment_char, &syntax);
	if (start > end)
		start = end;
	parse_block(&b, msg->buf + start, end - start, comment_char);
	for (size_t i = 0; i < b.nr_rules; i++) { /* these run without being asked for */
		const struct rule *rule = &b.rules[i];

		if (rule->command)
			add_item(&b, rule, xstrdup(rule->key ? rule->key : rule->name), xstrdup(""));
	}
	for (size_t i = 0; !rc && i < args->nr; i++)
		rc = add_argument(&b, args->v[i], err);
	if (!rc && (b.nr || start < end))
		write_block(&b, msg, start, end);
	block_release(&b);
	return rc;
}

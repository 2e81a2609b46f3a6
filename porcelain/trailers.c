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
	bool unfold;
	struct rule *rules;
	size_t nr_rules, alloc_rules;
	struct rule common;
	const char *separators;
	struct item *items;
	size_t nr, alloc;
};

/* ---- rules ---- */

int trailer_setting_parse(enum trailer_setting setting, const char *value)
{
	static const char *const *const names[] = { places, exists_actions, missing_actions };

	for (int i = 0; names[setting][i]; i++)
		if (!strcasecmp(names[setting][i], value))
			return i;
	return -1;
}

static int trailers_choose(enum trailer_setting setting, const struct config_entry *e)
{
	int value = e->value ? trailer_setting_parse(setting, e->value) : -1;

	if (value >= 0)
		return value;
	warning("unknown value '%s' for key '%s'", e->value ? e->value : "", e->key);
	return -1;
}

static void set_rule(struct rule *r, const char *var, const struct config_entry *e)
{
	if (!strcmp(var, "where"))
		r->where = trailers_choose(TRAILER_WHERE, e);
	else if (!strcmp(var, "ifexists"))
		r->exists = trailers_choose(TRAILER_IF_EXISTS, e);
	else if (!strcmp(var, "ifmissing"))
		r->missing = trailers_choose(TRAILER_IF_MISSING, e);
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
static const struct rule *find_rule(const struct block *b, const char *key)
{
	size_t len = name_length(key, strlen(key));

	for (size_t i = 0; i < b->nr_rules; i++) {
		const struct rule *r = &b->rules[i];

		if (!strncasecmp(key, r->name, len) ||
		    (r->key && !strncasecmp(key, r->key, len)))
			return r;
	}
	return NULL;
}

/* len: up to the separator; blanks before it count. */
static bool has_rule(const void *data, const char *key, size_t len)
{
	const struct block *b = data;

	for (size_t i = 0; i < b->nr_rules; i++)
		if (!strncasecmp(key, b->rules[i].name, len) ||
		    (b->rules[i].key && !strncasecmp(key, b->rules[i].key, len)))
			return true;
	return false;
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

/* The length of a line, for trailers with the lines that continue it: empty ones, too, as in Git. */
static size_t item_length(const char *s, size_t len, bool trailer)
{
	const char *eol = s;

	do {
		eol = memchr(eol, '\n', len - (size_t)(eol - s));
		eol = eol ? eol + 1 : s + len;
	} while (trailer && eol < s + len && isspace((unsigned char)*eol));
	return (size_t)(eol - s);
}

/* Line breaks and the white space behind them become one space. Takes `value`. */
static char *unfolded(char *value)
{
	char *out = value;

	for (const char *p = value; *p; out++) {
		if (*p == '\n') {
			while (isspace((unsigned char)*p))
				p++;
			*out = ' ';
		} else {
			*out = *p++;
		}
	}
	*out = '\0';
	return value;
}

static char *value_of(const struct block *b, const char *s, size_t len)
{
	char *value = trimmed(s, len);

	return b->unfold ? unfolded(value) : value;
}

static void parse_block(struct block *b, const char *s, size_t len, char comment_char)
{
	for (size_t n; len; s += n, len -= n) {
		ssize_t sep;

		sep = find_separator(s, len, b->separators, false);
		n = item_length(s, len, sep > 0 && *s != comment_char);
		if (*s == comment_char)
			continue;
		if (sep > 0)
			insert_item(b, b->nr, own_key(b, trimmed(s, (size_t)sep)),
				    value_of(b, s + sep + 1, n - (size_t)sep - 1));
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

	if (!r->cmd && (hit = strstr(p, "$ARG"))) { /* only the first one, as in Git */
		strbuf_add(&line, p, (size_t)(hit - p));
		strbuf_addstr(&line, value);
		p = hit + strlen("$ARG");
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

static int chosen(const struct trailer_arg *arg, enum trailer_setting which, int own, int common)
{
	return arg && arg->chosen[which] >= 0 ? arg->chosen[which] : setting(own, common);
}

/* Takes key and value. arg: where it comes from; NULL: not from an argument with choices of its own. */
static void add_item(struct block *b, const struct rule *r, const struct trailer_arg *arg, char *key, char *value)
{
	int where = chosen(arg, TRAILER_WHERE, r ? r->where : -1, b->common.where);
	int exists = chosen(arg, TRAILER_IF_EXISTS, r ? r->exists : -1, b->common.exists);
	int missing = chosen(arg, TRAILER_IF_MISSING, r ? r->missing : -1, b->common.missing);
	bool behind = where == PLACE_END || where == PLACE_AFTER, wanted;
	size_t found = find_item(b, key, behind), at = behind ? b->nr : 0, next;
	bool there = found < b->nr;

	if (there ? exists == KEEP : missing == MISSING_KEEP) {
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

/* Takes `key`, which is not empty. */
static void add_keyed(struct block *b, const struct trailer_arg *arg, const char *text, ssize_t sep, char *key)
{
	key = own_key(b, key);
	add_item(b, find_rule(b, key), arg, key,
		 sep < 0 ? xstrdup("") : trimmed(text + sep + 1, strlen(text) - (size_t)sep - 1));
}

/* The key of an argument, which may be empty; *sep: offset of the separator, or < 0. */
static char *argument_key(const struct block *b, const char *text, ssize_t *sep)
{
	*sep = find_separator(text, strlen(text), b->separators, true);
	return trimmed(text, *sep < 0 ? strlen(text) : (size_t)*sep);
}

static int add_argument(struct block *b, const char *text, struct err *err)
{
	ssize_t sep;
	char *key = argument_key(b, text, &sep);

	if (!*key) {
		if (sep < 0)
			error("empty --trailer argument");
		else
			error("invalid trailer '%s': missing key before separator", text);
		free(key);
		return err_set(err, ERR_INVALID, "unable to pass trailers to --trailers");
	}
	add_keyed(b, NULL, text, sep, key);
	return 0;
}

static void add_lenient(struct block *b, const struct trailer_arg *arg)
{
	ssize_t sep;
	char *key = argument_key(b, arg->text, &sep);

	/* As in Git, a blank argument is the shortest abbreviation of a configured key; without any, it is a blank line. */
	if (*key || sep < 0) {
		add_keyed(b, arg, arg->text, sep, key);
		return;
	}
	free(key);
	key = trimmed(arg->text, strlen(arg->text));
	if (*key)
		error("empty trailer token in trailer '%s'", key);
	free(key);
}

/* trailer.KEY.command runs without being asked for. */
static void add_configured(struct block *b)
{
	for (size_t i = 0; i < b->nr_rules; i++) {
		const struct rule *rule = &b->rules[i];

		if (rule->command)
			add_item(b, rule, NULL, xstrdup(rule->key ? rule->key : rule->name), xstrdup(""));
	}
}

/* ---- all of it ---- */

static void format_item(const struct block *b, const struct item *it, struct strbuf *out)
{
	const char *end = it->key ? it->key + strlen(it->key) : NULL;

	while (end && end > it->key && isspace((unsigned char)end[-1]))
		end--;
	if (!end || end == it->key)
		strbuf_addf(out, "%s\n", it->value);
	else if (strchr(b->separators, end[-1]))
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

static void block_init(struct block *b, const struct config_set *config, struct trailer_syntax *syntax)
{
	*b = (struct block){ .common = { .where = -1, .exists = -1, .missing = -1 },
			     .separators = ":" };
	read_rules(b, config);
	*syntax = (struct trailer_syntax){ b->separators, has_rule, b };
}

void trailers_add_line(struct repository *r, struct strbuf *msg, const char *line,
		       char comment_char)
{
	struct trailer_syntax syntax;
	struct block b;

	block_init(&b, r->config, &syntax);
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
	block_init(&b, r->config, &syntax);
	start = message_trailers_start(msg->buf, msg->len, comment_char, &syntax);
	if (start > end)
		start = end;
	parse_block(&b, msg->buf + start, end - start, comment_char);
	add_configured(&b);
	for (size_t i = 0; !rc && i < args->nr; i++)
		rc = add_argument(&b, args->v[i], err);
	if (!rc && (b.nr || start < end))
		write_block(&b, msg, start, end);
	block_release(&b);
	return rc;
}

/* ---- git interpret-trailers ---- */

static size_t line_end(const struct strbuf *msg, size_t pos)
{
	const char *eol = memchr(msg->buf + pos, '\n', msg->len - pos);

	return eol ? (size_t)(eol - msg->buf) + 1 : msg->len;
}

/* The line "---", behind which a patch begins; or the length. */
static size_t divider_offset(const struct strbuf *msg)
{
	size_t pos = 0;

	while (pos < msg->len && !(!strncmp(msg->buf + pos, "---", 3) && isspace((unsigned char)msg->buf[pos + 3])))
		pos = line_end(msg, pos);
	return pos;
}

/* Behind the last line of the message that is no comment, is not empty, and is not in Git's old list of conflicts. */
static size_t log_end(const struct strbuf *msg, size_t limit, char comment_char)
{
	size_t end = 0;
	bool conflicts = false;

	for (size_t pos = 0, next; pos < limit; pos = next) {
		const char *line = msg->buf + pos;

		next = line_end(msg, pos);
		if (*line == comment_char || *line == '\n')
			continue;
		if (!strncmp(line, "Conflicts:\n", 11)) {
			conflicts = true;
			continue;
		}
		if (conflicts && *line == '\t')
			continue;
		conflicts = false;
		end = next;
	}
	return end;
}

static bool is_after_blank_line(const struct strbuf *msg, size_t pos)
{
	size_t at = pos;

	while (at && (at == pos || msg->buf[at - 1] != '\n'))
		if (!isspace((unsigned char)msg->buf[--at]))
			return false;
	return pos;
}

static void add_wanted(const struct block *b, const struct trailers_edit *e, struct strbuf *out)
{
	for (size_t i = 0; i < b->nr; i++) {
		const struct item *it = &b->items[i];

		if (it->key ? !(e->trim_empty && !*it->value) : !e->only_trailers)
			format_item(b, it, out);
	}
}

/* The block is from start to end. */
static void replace_block(const struct block *b, const struct trailers_edit *e, struct strbuf *msg, size_t start, size_t end)
{
	struct strbuf out = STRBUF_INIT;

	if (!e->only_trailers) {
		strbuf_add(&out, msg->buf, start);
		if (!is_after_blank_line(msg, start))
			strbuf_addch(&out, '\n');
	}
	add_wanted(b, e, &out);
	if (!e->only_trailers)
		strbuf_add(&out, msg->buf + end, msg->len - end);
	strbuf_swap(msg, &out);
	strbuf_release(&out);
}

void trailers_edit(const struct config_set *config, struct strbuf *msg, const struct trailers_edit *e, char comment_char)
{
	size_t limit, end, start;
	struct trailer_syntax syntax;
	struct block b;

	strbuf_complete_line(msg);
	limit = e->no_divider ? msg->len : divider_offset(msg);
	limit = message_scissors(msg->buf, limit, comment_char);
	end = log_end(msg, limit, comment_char);
	if (!end && limit)
		end = line_end(msg, 0); /* an empty subject */
	block_init(&b, config, &syntax);
	b.unfold = e->unfold;
	start = message_trailers_start(msg->buf, end, comment_char, &syntax);
	parse_block(&b, msg->buf + start, end - start, comment_char);
	if (!e->only_input) {
		add_configured(&b);
		for (size_t i = 0; i < e->nr_args; i++)
			add_lenient(&b, &e->args[i]);
	}
	replace_block(&b, e, msg, start, end);
	block_release(&b);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* --batch, --batch-check, --batch-command: names or commands on standard input. */
#include "compat/posix.h"
#include "builtin/cat-file/cat-file.h"
#include "cli/stdin-lines.h"
#include "util/alloc.h"
#include "history/names/revparse.h"

#define DEFAULT_FORMAT "%(objectname) %(objecttype) %(objectsize)"

/* What one line of output is made of. */
struct item {
	struct object_id oid;
	struct object_info info;
	unsigned mode; /* of a tree's or the index's entry; 0: the name is not of that kind */
	bool known; /* info is all that is needed */
	const char *rest; /* NULL: none */
};

struct batch {
	struct cat_file *c;
	const char *format;
	bool split_input; /* the rest of a line is no part of the name */
	unsigned needs; /* OBJECT_INFO_… */
	bool shows_size;
	char end; /* of lines of output */
	struct strbuf line; /* of output */
};

/* ---- the format ---- */

enum atom { ATOM_NAME, ATOM_TYPE, ATOM_SIZE, ATOM_DISK, ATOM_DELTABASE, ATOM_REST, ATOM_MODE, ATOM_NR };

static const char *const atoms[ATOM_NR] = {
	"objectname", "objecttype", "objectsize", "objectsize:disk", "deltabase", "rest", "objectmode",
};

static const unsigned atom_needs[ATOM_NR] = {
	[ATOM_TYPE] = OBJECT_INFO_TYPE, [ATOM_SIZE] = OBJECT_INFO_TYPE,
	[ATOM_DISK] = OBJECT_INFO_LOCATION, [ATOM_DELTABASE] = OBJECT_INFO_LOCATION,
};

/* "(atom)" at p: which; *end behind it. Ends the program if it is none. */
static enum atom parse_atom(const char *p, const char **end)
{
	const char *close = strchr(p, ')');
	size_t len;

	if (!close)
		die("bad cat-file format: element '%s' does not end in ')'", p);
	len = (size_t)(close - p) - 1;
	for (int a = 0; a < ATOM_NR; a++)
		if (strlen(atoms[a]) == len && !memcmp(atoms[a], p + 1, len)) {
			*end = close + 1;
			return (enum atom)a;
		}
	die("bad cat-file format: %%(%.*s)", (int)len, p + 1);
}

static void add_atom(struct strbuf *out, enum atom a, const struct item *it)
{
	switch (a) {
	case ATOM_NAME:
		strbuf_add_oid(out, &it->oid);
		break;
	case ATOM_TYPE:
		strbuf_addstr(out, object_type_name(it->info.type));
		break;
	case ATOM_SIZE:
		strbuf_addf(out, "%" PRIu64, it->info.size);
		break;
	case ATOM_DISK:
		strbuf_addf(out, "%" PRIu64, it->info.disk_size);
		break;
	case ATOM_DELTABASE:
		strbuf_add_oid(out, &it->info.delta_base);
		break;
	case ATOM_MODE:
		if (it->mode)
			strbuf_addf(out, "%06o", it->mode);
		break;
	default:
		strbuf_addstr(out, it->rest ? it->rest : "");
	}
}

/* Expand the format for `it`; NULL: only note what it needs. */
static void expand(struct batch *b, const struct item *it)
{
	const char *p = b->format;

	while (*p) {
		enum atom a;

		if (p[0] == '%' && p[1] == '(') {
			a = parse_atom(p + 1, &p);
			b->split_input |= a == ATOM_REST;
			b->needs |= atom_needs[a];
			b->shows_size |= a == ATOM_SIZE;
			if (it)
				add_atom(&b->line, a, it);
			continue;
		}
		p += p[0] == '%' && p[1] == '%';
		strbuf_addch(&b->line, (unsigned char)*p++);
	}
}

/* ---- one object ---- */

static void put(struct batch *b)
{
	fwrite(b->line.buf, 1, b->line.len, stdout);
	strbuf_reset(&b->line);
}

static void print_content(struct batch *b, const struct item *it)
{
	struct cat_file *c = b->c;
	struct object_buf buf = OBJECT_BUF_INIT;
	struct err err = ERR_INIT;

	if (cat_file_converts(c) && it->info.type == OBJ_BLOB) {
		if (!it->rest)
			die("missing path for '%s'", oid_hex(&it->oid));
		if (odb_read(c->r->odb, &it->oid, &buf, &err) < 0)
			die_err(&err);
		cat_file_convert(c, it->rest, &it->oid, &buf);
		fwrite(buf.data, 1, buf.size, stdout);
		object_buf_release(&buf);
	} else if (cat_file_stream(c, &it->oid, &err) < 0) {
		die_err(&err);
	}
	putchar(b->end);
}

static int find_info(const struct batch *b, struct item *it, struct err *err)
{
	struct odb *odb = b->c->r->odb;

	if (!b->needs && !b->c->contents)
		return odb_has(odb, &it->oid) ? 0 : ERR_NOT_FOUND;
	if (b->needs & OBJECT_INFO_LOCATION)
		return odb_info(odb, &it->oid, &it->info, err);
	return odb_type(odb, &it->oid, &it->info.type, &it->info.size, err);
}

/* Prints "NAME WORD" in place of the requested output. */
static void print_state(struct batch *b, const char *name, const char *word)
{
	strbuf_addf(&b->line, "%s %s%c", name, word, b->end);
	put(b);
}

static void print_missing(struct batch *b, const struct item *it, const char *name)
{
	if (MODE_IS_GITLINK(it->mode))
		print_state(b, oid_hex(&it->oid), "submodule");
	else
		print_state(b, name, "missing");
}

/* A damaged object may be one among many; one of a type that is none ends the program, as in Git. */
static void report_broken(struct err *err)
{
	if (err->code == ERR_UNSUPPORTED)
		die_err(err);
	report_error(err);
	err_release(err);
}

static bool is_left_out(const struct batch *b, const struct item *it)
{
	const struct filter_part *f = b->c->filter.parts;

	if (!b->c->filter.nr)
		return false;
	if (f->kind == FILTER_OBJECT_TYPE)
		return it->info.type != f->type;
	return it->info.type == OBJ_BLOB && (f->kind == FILTER_BLOB_NONE || it->info.size >= f->number);
}

/* If --use-mailmap is given, the size is the size of the mapped content. */
static void map_size(const struct batch *b, struct item *it)
{
	struct strbuf mapped = STRBUF_INIT;
	struct err err = ERR_INIT;
	int rc = b->shows_size ? cat_file_mapped(b->c, &it->oid, it->info.type, &mapped, &err) : 0;

	if (rc < 0)
		die_err(&err);
	if (rc)
		it->info.size = mapped.len;
	strbuf_release(&mapped);
}

/* `name` as it was given, for messages. */
static void print_object(struct batch *b, struct item *it, const char *name)
{
	struct err err = ERR_INIT;
	int rc = it->known ? 0 : find_info(b, it, &err);

	if (rc < 0) {
		if (rc != ERR_NOT_FOUND)
			report_broken(&err);
		err_release(&err);
		print_missing(b, it, name);
		return;
	}
	if (is_left_out(b, it)) {
		if (!b->c->all_objects)
			print_state(b, name, "excluded");
		return;
	}
	map_size(b, it);
	expand(b, it);
	strbuf_addch(&b->line, b->end);
	put(b);
	if (b->c->contents)
		print_content(b, it);
}

static void print_word(struct batch *b, const char *word, const char *name)
{
	strbuf_addf(&b->line, "%s %zu%c%s%c", word, strlen(name), b->end, name, b->end);
	put(b);
}

/* ---- names ---- */

static int resolve_plain(struct batch *b, const char *name, struct item *it)
{
	struct revparse_result res = { 0 };
	struct err err = ERR_INIT;
	int rc;

	/* whole names need no look at the refs */
	if (!oid_from_hex(&it->oid, name, b->c->r->algo))
		return 0;
	rc = revparse_quietly(b->c->r, name, OBJ_ANY, &res, &err);
	if (!rc) {
		it->oid = res.oid;
		it->mode = res.path && *res.path ? res.mode : 0;
	} else if (rc == ERR_AMBIGUOUS) {
		error("%s", err_message(&err));
	}
	revparse_result_release(&res);
	err_release(&err);
	return rc;
}

static void print_named(struct batch *b, const char *name, struct item *it)
{
	int rc = resolve_plain(b, name, it);

	if (!rc)
		print_object(b, it, name);
	else
		print_state(b, name, rc == ERR_AMBIGUOUS ? "ambiguous" : "missing");
}

static void print_followed(struct batch *b, const char *name, struct item *it)
{
	struct strbuf target = STRBUF_INIT;

	switch (cat_file_follow(b->c->r, name, &it->oid, &it->mode, &target)) {
	case LINK_FOUND:
		print_object(b, it, name);
		break;
	case LINK_PLAIN:
		print_named(b, name, it);
		break;
	case LINK_MISSING:
		print_state(b, name, "missing");
		break;
	case LINK_DANGLING:
		print_word(b, "dangling", name);
		break;
	case LINK_LOOP:
		print_word(b, "loop", name);
		break;
	case LINK_NOTDIR:
		print_word(b, "notdir", name);
		break;
	case LINK_OUTSIDE:
		print_word(b, "symlink", target.buf);
		break;
	}
	strbuf_release(&target);
}

/* Cuts the name off a line of input; what follows the first white space, if that counts; NULL: nothing. */
static const char *cut_rest(const struct batch *b, char *line)
{
	char *space = b->split_input ? line + strcspn(line, " \t") : line + strlen(line);

	if (!*space)
		return NULL;
	*space++ = '\0';
	return space + strspn(space, " \t");
}

static void print_line(struct batch *b, char *line)
{
	struct item it = { .rest = cut_rest(b, line) };

	if (b->c->follow_symlinks)
		print_followed(b, line, &it);
	else
		print_named(b, line, &it);
	if (!b->c->buffered && fflush(stdout))
		die("write failure on standard output: %s", strerror(errno));
}

/* ---- a partial clone: objects of lines that are at hand are asked for together ---- */

#define LINES_AT_ONCE 10000 /* with --buffer: no reader waits for a single answer */

static void want_line(const struct batch *b, const char *line, struct oid_array *wanted)
{
	struct revparse_result res = { 0 };
	char *name = xstrdup(line);
	struct object_id oid;

	cut_rest(b, name);
	if (!oid_from_hex(&oid, name, b->c->r->algo))
		oid_array_append(wanted, &oid);
	else if (!revparse_quietly(b->c->r, name, OBJ_ANY, &res, NULL))
		oid_array_append(wanted, &res.oid);
	revparse_result_release(&res);
	free(name);
}

/* An error is reported when the line's turn comes. are_commands: a word stands before each name. */
static void prefetch(const struct batch *b, const struct strvec *lines, bool are_commands)
{
	struct oid_array wanted = OID_ARRAY_INIT;
	struct err err = ERR_INIT;

	if (lines->nr < 2 || b->c->follow_symlinks || !odb_can_fetch(b->c->r->odb))
		return;
	for (size_t i = 0; i < lines->nr; i++)
		want_line(b, are_commands ? strchr(lines->v[i], ' ') + 1 : lines->v[i], &wanted);
	(void)!odb_prefetch(b->c->r->odb, &wanted, &err);
	err_release(&err);
	oid_array_clear(&wanted);
}

/* ---- commands ---- */

static bool is_command(const char *line, const char *name, const char **arg)
{
	if (!skip_prefix(line, name, arg))
		return false;
	if (**arg && **arg != ' ')
		*arg = "";
	return true;
}

enum batch_command { CMD_CONTENTS, CMD_INFO, CMD_MAILMAP, CMD_NR };

/* "contents NAME", "info NAME" or "mailmap BOOL"; anything else ends the program. */
static const char *parse_command(const char *line, enum batch_command *cmd)
{
	static const char *const names[CMD_NR] = { "contents", "info", "mailmap" };
	const char *arg;

	for (int i = 0; i < CMD_NR; i++)
		if (is_command(line, names[i], &arg)) {
			if (!*arg)
				die("%s requires arguments", names[i]);
			*cmd = (enum batch_command)i;
			return arg + 1;
		}
	die("unknown command: '%s'", line);
}

static void switch_mailmap(struct batch *b, const char *arg)
{
	int on = config_parse_maybe_bool(arg);

	if (on < 0)
		die("mailmap: invalid boolean '%s'", arg);
	b->c->use_mailmap = on;
}

static void run_command_line(struct batch *b, const char *line)
{
	enum batch_command cmd;
	char *arg = xstrdup(parse_command(line, &cmd));

	b->c->contents = cmd == CMD_CONTENTS;
	if (cmd == CMD_MAILMAP)
		switch_mailmap(b, arg);
	else
		print_line(b, arg);
	free(arg);
}

/* True if the line is "flush". */
static bool check_command(const struct batch *b, const char *line)
{
	enum batch_command cmd;
	const char *arg;

	if (!*line)
		die("empty command in input");
	if (isspace((unsigned char)*line))
		die("whitespace before command: '%s'", line);
	if (!is_command(line, "flush", &arg)) {
		parse_command(line, &cmd);
		return false;
	}
	if (*arg)
		die("flush takes no arguments");
	if (!b->c->buffered)
		die("flush is only for --buffer mode");
	return true;
}

static void run_queued(struct batch *b, struct strvec *queue)
{
	prefetch(b, queue, true);
	for (size_t i = 0; i < queue->nr; i++)
		run_command_line(b, queue->v[i]);
	strvec_clear(queue);
	fflush(stdout);
}

/*
 * --buffer: commands run only at a flush or at the end. A client that writes many commands before it
 * reads an answer would otherwise block, as we would block in writing.
 */
static void read_commands(struct batch *b, char term)
{
	struct strbuf line = STRBUF_INIT;
	struct strvec queue = STRVEC_INIT;

	while (strbuf_getdelim(&line, stdin, term) != EOF) {
		if (check_command(b, line.buf))
			run_queued(b, &queue);
		else if (b->c->buffered)
			strvec_push(&queue, line.buf);
		else
			run_command_line(b, line.buf);
	}
	run_queued(b, &queue);
	strbuf_release(&line);
}

static void print_queued(struct batch *b, struct strvec *queue)
{
	prefetch(b, queue, false);
	for (size_t i = 0; i < queue->nr; i++) {
		char *line = xstrdup(queue->v[i]);

		print_line(b, line);
		free(line);
	}
	strvec_clear(queue);
}

/*
 * In a partial clone lines that have come with the one at hand, and with --buffer even more, which have not, are read
 * before the answers: who waits for one has written nothing behind it.
 */
static bool reads_on(const struct batch *b, const struct stdin_lines *in, size_t nr)
{
	return odb_can_fetch(b->c->r->odb) && nr < LINES_AT_ONCE && (b->c->buffered || stdin_lines_buffered(in));
}

static void read_names(struct batch *b, char term)
{
	struct stdin_lines in = STDIN_LINES_INIT;
	struct strbuf line = STRBUF_INIT;
	struct strvec queue = STRVEC_INIT;

	in.term = term;
	b->c->contents = b->c->mode == BATCH_CONTENTS;
	while (stdin_lines_next(&in, &line)) {
		strvec_push(&queue, line.buf);
		if (!reads_on(b, &in, queue.nr))
			print_queued(b, &queue);
	}
	print_queued(b, &queue);
	stdin_lines_release(&in);
	strbuf_release(&line);
}

/* ---- all objects ---- */

struct collected {
	struct batch *b;
	struct item *all;
	size_t nr, alloc;
};

static void print_one_of_all(struct batch *b, struct item *it)
{
	print_object(b, it, oid_hex(&it->oid));
}

static struct item item_of(const struct batch *b, const struct object_id *oid,
			   const struct object_info *info)
{
	struct item it = { .oid = *oid, .known = info || !b->needs };

	if (info)
		it.info = *info;
	return it;
}

static int collect(void *data, const struct object_id *oid, const struct object_info *info)
{
	struct collected *col = data;

	ALLOC_GROW(col->all, col->nr + 1, col->alloc);
	col->all[col->nr++] = item_of(col->b, oid, info);
	return 0;
}

static int print_found(void *data, const struct object_id *oid, const struct object_info *info)
{
	struct collected *col = data;
	struct item it = item_of(col->b, oid, info);

	print_one_of_all(col->b, &it);
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return oid_cmp(&((const struct item *)a)->oid, &((const struct item *)b)->oid);
}

static void print_all(struct batch *b)
{
	struct collected col = { .b = b };
	struct err err = ERR_INIT;

	b->c->contents = b->c->mode == BATCH_CONTENTS;
	if (b->c->contents)
		b->needs |= OBJECT_INFO_TYPE;
	if (odb_foreach_once(b->c->r->odb, b->needs, b->c->unordered ? print_found : collect, &col,
			     &err) < 0)
		die_err(&err);
	if (col.nr)
		qsort(col.all, col.nr, sizeof(*col.all), by_name);
	for (size_t i = 0; i < col.nr; i++)
		print_one_of_all(b, &col.all[i]);
	free(col.all);
}

int cat_file_batch(struct cat_file *c)
{
	static char buf[64 * 1024]; /* glibc takes no size without a buffer */
	struct batch b = { .c = c, .format = c->format ? c->format : DEFAULT_FORMAT,
			   .end = c->nul_output ? '\0' : '\n', .line = STRBUF_INIT };
	char term = c->nul_input || c->nul_output ? '\0' : '\n';

	setvbuf(stdout, buf, _IOFBF, sizeof(buf));
	expand(&b, NULL);
	strbuf_reset(&b.line);
	b.split_input = (b.split_input || cat_file_converts(c)) && c->mode != BATCH_COMMAND;
	if (c->filter.nr || (b.shows_size && c->use_mailmap))
		b.needs |= OBJECT_INFO_TYPE;
	if (c->all_objects) {
		repo_ignore_replacements(c->r);
		print_all(&b);
	} else if (c->mode == BATCH_COMMAND) {
		read_commands(&b, term);
	} else {
		read_names(&b, term);
	}
	strbuf_release(&b.line);
	return finish_stdout() ? 128 : 0;
}

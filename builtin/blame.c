/* SPDX-License-Identifier: GPL-2.0-only */
/* git-blame(1), git-annotate(1) */
#include "compat/posix.h"
#include "attr/convert.h"
#include "builtin/builtin.h"
#include "compat/os.h"
#include "diff/line-spec.h"
#include "fs/file.h"
#include "history/blame/blame.h"
#include "history/revision/revision.h"
#include "index/index.h"
#include "intake/pack-checks.h"
#include "object/commit.h"
#include "object/ident.h"
#include "object/tree.h"
#include "pretty/pretty.h"
#include "repo/state.h"
#include "util/alloc.h"
#include "util/path.h"
#include "util/progress.h"
#include "util/quote.h"
#include "util/utf8.h"
#include "worktree/diff-attr.h"

#define GRAFTS_MAX ((size_t)64 << 20)
#define DATE_WIDTH ((size_t)10) /* shorter dates are at the right of it */

static const char *const blame_usage[] = {
	"git blame [<options>] [<rev-opts>] [<rev>] [--] <file>",
	"",
	"<rev-opts> are documented in git-rev-list(1)",
	NULL
};
static const char *const annotate_usage[] = {
	"git annotate [<options>] [<rev-opts>] [<rev>] [--] <file>",
	"",
	"<rev-opts> are documented in git-rev-list(1)",
	NULL
};

struct person {
	struct strbuf name, mail;
	timestamp_t time;
	int tz;
};
#define PERSON_INIT { STRBUF_INIT, STRBUF_INIT, 0, 0 }

/* Lines of this time and older have that colour. */
struct age_color {
	timestamp_t until;
	char color[COLOR_MAXLEN];
};

struct blame_command {
	struct repository *repo;
	struct rev_walk *walk;
	struct blame blame;
	struct diff_options diff;
	struct diff_attrs *attrs;
	struct mailmap *map;
	struct date_mode date;
	size_t date_width;
	struct strvec ranges;
	char *path;
	const char *contents;
	const char *encoding; /* "": commits are not converted */
	struct index_state index; /* read where the lines are in no commit */
	struct oidset ignored;
	struct strvec ignored_revs, ignored_files;
	struct commit_list chain;    /* --reverse --first-parent: from the last commit to the first */
	struct commit_list *child_of; /* the child in the chain, by index of the commit */
	size_t nr_child_of;
	struct progress *meter;
	size_t nr_wanted, nr_found;
	bool mark_ignored, mark_unblamable;
	int reverse, score_debug, progress;
	int incremental, porcelain, line_porcelain, blank, root, stats, show_name, show_number, compat, raw_time, long_ids,
		no_author, email, ignore_space, abbrev, color_lines, color_age, configured_lines, configured_age;
	char repeated_color[COLOR_MAXLEN];
	struct age_color *ages; /* the oldest first */
	size_t nr_ages;
	const char *grafts_file;
	/* widths of the columns */
	size_t longest_author, longest_file, digits, old_digits, id_width, score_digits;
};

/* ---- people ---- */

static void set_person(const struct blame_command *b, struct person *p, const char *line, size_t len)
{
	struct ident_split id;

	if (ident_split_line(&id, line, len) < 0)
		return;
	if (b->map)
		mailmap_apply(b->map, &id.name, &id.name_len, &id.mail, &id.mail_len);
	strbuf_add(&p->name, id.name, id.name_len);
	strbuf_addf(&p->mail, "<%.*s>", (int)id.mail_len, id.mail);
	p->time = id.date;
	p->tz = id.tz;
}

static void release_person(struct person *p)
{
	strbuf_release(&p->name);
	strbuf_release(&p->mail);
}

/* A text that is in no commit. */
static void set_nobody(const struct blame_command *b, const struct commit *c, struct person *p)
{
	strbuf_addstr(&p->name, b->contents ? "External file (--contents)" : "Not Committed Yet");
	strbuf_addstr(&p->mail, b->contents ? "<external.file>" : "<not.committed.yet>");
	p->time = date_now(&p->tz);
	p->time = c->date;
}

static void read_people(struct blame_command *b, struct commit *c, struct person *author, struct person *committer,
			struct strbuf *summary)
{
	struct err err = ERR_INIT;
	struct commit_view v, in_encoding;
	char *converted;
	const char *text;
	size_t len, converted_len;

	if (oid_is_null(&c->oid)) {
		set_nobody(b, c, author);
		set_nobody(b, c, committer);
		strbuf_addf(summary, "Version of %s from %s", b->path,
			    !b->contents ? b->path : strcmp(b->contents, "-") ? b->contents : "standard input");
		return;
	}
	if (commit_buffer(b->walk->pool, c, &text, &len, &err) < 0)
		die_err(&err);
	if (commit_parse(&v, text, len, b->repo->algo, &err) < 0)
		die_err(&err);
	converted = pretty_reencode(b->encoding, &v, text, len, &converted_len);
	if (converted && commit_parse(&in_encoding, converted, converted_len, b->repo->algo, NULL) == 0) {
		commit_view_release(&v);
		v = in_encoding;
	}
	set_person(b, author, v.author, v.author_len);
	set_person(b, committer, v.committer, v.committer_len);
	text = commit_first_line(v.message, v.message_len, &len);
	strbuf_add(summary, text, len);
	if (!summary->len)
		strbuf_addf(summary, "(%s)", oid_hex(&c->oid));
	commit_view_release(&v);
	commit_release_buffer(c);
	free(converted);
}

static void add_person(struct strbuf *out, const char *role, const struct person *p)
{
	strbuf_addf(out, "%s %s\n%s-mail %s\n%s-time %" PRIu64 "\n%s-tz %+05d\n", role, p->name.buf, role, p->mail.buf,
		    role, p->time, role, p->tz);
}

/* ---- output for programs ---- */

/* The details of a commit, once, or each time. False: they were shown before. */
static bool add_commit_details(struct blame_command *b, struct strbuf *out, const struct blame_file *f, bool repeat)
{
	struct person author = PERSON_INIT, committer = PERSON_INIT;
	struct strbuf summary = STRBUF_INIT;

	if (!repeat && f->commit->flags & BLAME_SHOWN)
		return false;
	f->commit->flags |= BLAME_SHOWN;
	read_people(b, f->commit, &author, &committer, &summary);
	add_person(out, "author", &author);
	add_person(out, "committer", &committer);
	strbuf_addf(out, "summary %s\n", summary.buf);
	if (f->commit->flags & REV_UNINTERESTING)
		strbuf_addstr(out, "boundary\n");
	release_person(&author);
	release_person(&committer);
	strbuf_release(&summary);
	return true;
}

static void add_file_details(struct blame_command *b, struct strbuf *out, const struct blame_file *f)
{
	bool high = b->repo->settings.quote_path;

	if (f->previous) {
		strbuf_addf(out, "previous %s ", oid_hex(&f->previous->commit->oid));
		quote_c_style(out, f->previous->path, strlen(f->previous->path), high);
		strbuf_addch(out, '\n');
	}
	strbuf_addstr(out, "filename ");
	quote_c_style(out, f->path, strlen(f->path), high);
	strbuf_addch(out, '\n');
}

static void add_group_line(struct strbuf *out, const struct blame_entry *e)
{
	strbuf_addf(out, "%s %zu %zu %zu\n", oid_hex(&e->suspect->commit->oid), e->file_line + 1, e->line + 1, e->nr);
}

static void on_found(void *data, const struct blame_entry *e)
{
	struct blame_command *b = data;
	struct strbuf out = STRBUF_INIT;

	b->nr_found += e->nr;
	progress_update(b->meter, b->nr_found);
	if (!b->incremental)
		return;

	add_group_line(&out, e);
	add_commit_details(b, &out, e->suspect, false);
	add_file_details(b, &out, e->suspect);
	fwrite(out.buf, 1, out.len, stdout);
	strbuf_release(&out);
}

static void add_text_line(const struct blame_command *b, struct strbuf *out, size_t line)
{
	const char *text = b->blame.final->text.data;

	strbuf_add(out, text + b->blame.lines[line], b->blame.lines[line + 1] - b->blame.lines[line]);
	strbuf_complete_line(out);
}

/* Have lines of several files of this commit been found? */
static bool has_several_files(const struct blame_command *b, const struct blame_file *f)
{
	for (const struct blame_entry *e = b->blame.done; e; e = e->next)
		if (e->suspect->commit == f->commit && e->suspect != f)
			return true;
	return false;
}

static void add_porcelain(struct blame_command *b, struct strbuf *out, const struct blame_entry *e)
{
	add_group_line(out, e);
	for (size_t i = 0; i < e->nr; i++) {
		if (i)
			strbuf_addf(out, "%s %zu %zu\n", oid_hex(&e->suspect->commit->oid), e->file_line + i + 1,
				    e->line + i + 1);
		if ((!i || b->line_porcelain) && (add_commit_details(b, out, e->suspect, b->line_porcelain) ||
						  has_several_files(b, e->suspect)))
			add_file_details(b, out, e->suspect);
		if (b->mark_unblamable && e->unblamable)
			strbuf_addstr(out, "unblamable\n");
		if (b->mark_ignored && e->ignored)
			strbuf_addstr(out, "ignored\n");
		strbuf_addch(out, '\t');
		add_text_line(b, out, e->line + i);
	}
}

/* ---- output for people ---- */

static void add_time(const struct blame_command *b, struct strbuf *out, const struct person *p)
{
	struct strbuf text = STRBUF_INIT;
	size_t width;

	if (b->raw_time) {
		strbuf_addf(out, "%" PRIu64 " %+05d", p->time, p->tz);
		return;
	}
	date_format(&text, p->time, p->tz, &b->date);
	width = (size_t)utf8_width(text.buf, text.len, false);
	if (text.len < DATE_WIDTH && b->date_width < DATE_WIDTH)
		strbuf_addchars(out, ' ', DATE_WIDTH - (text.len > b->date_width ? text.len : b->date_width));
	strbuf_addbuf(out, &text);
	if (width < b->date_width)
		strbuf_addchars(out, ' ', b->date_width - width);
	strbuf_release(&text);
}

static void add_id(const struct blame_command *b, struct strbuf *out, const struct blame_entry *e)
{
	const struct commit *c = e->suspect->commit;
	size_t len = b->long_ids ? b->repo->algo->hex_len : b->id_width, begin = out->len;
	bool is_blank = c->flags & REV_UNINTERESTING && b->blank;

	if (c->flags & REV_UNINTERESTING && !b->blank && !b->compat)
		strbuf_addch(out, '^');
	if (b->mark_unblamable && e->unblamable)
		strbuf_addch(out, '*');
	if (b->mark_ignored && e->ignored)
		strbuf_addch(out, '?');
	if (len <= out->len - begin)
		return;
	len -= out->len - begin;
	if (len > b->repo->algo->hex_len)
		len = b->repo->algo->hex_len;
	if (is_blank)
		strbuf_addchars(out, ' ', len);
	else
		strbuf_add(out, oid_hex(&c->oid), len);
}

/* The colour of the columns before a line; "": none. */
static const char *line_color(const struct blame_command *b, const struct person *author, bool is_repeated)
{
	size_t i = 0;

	if (b->color_lines && is_repeated)
		return b->repeated_color;
	if (!b->color_age || !b->nr_ages)
		return "";
	while (i + 1 < b->nr_ages && author->time > b->ages[i].until)
		i++;
	return b->ages[i].color;
}

/* before: the commit of the line above; NULL: none. */
static void add_for_people(const struct blame_command *b, struct strbuf *out, const struct blame_entry *e,
			   const struct commit *before, const struct person *author)
{
	const struct strbuf *name = b->email ? &author->mail : &author->name;
	size_t width = (size_t)utf8_width(name->buf, name->len, false);
	struct strbuf time = STRBUF_INIT;

	add_time(b, &time, author);
	for (size_t i = 0; i < e->nr; i++) {
		const char *color = b->compat ? "" : line_color(b, author, i || before == e->suspect->commit);

		strbuf_addstr(out, color);
		add_id(b, out, e);
		if (b->compat) {
			strbuf_addf(out, "\t(%10s\t%s\t%zu)", name->buf, time.buf, e->line + i + 1);
			add_text_line(b, out, e->line + i);
			continue;
		}
		if (b->score_debug)
			strbuf_addf(out, " %*u %02zu", (int)b->score_digits, blame_score(&b->blame, e), e->suspect->references);
		if (b->show_name)
			strbuf_addf(out, " %-*s", (int)b->longest_file, e->suspect->path);
		if (b->show_number)
			strbuf_addf(out, " %*zu", (int)b->old_digits, e->file_line + i + 1);
		if (!b->no_author) {
			strbuf_addf(out, " (%s", name->buf);
			strbuf_addchars(out, ' ', b->longest_author - width + 1);
			strbuf_addbuf(out, &time);
		}
		strbuf_addf(out, " %*zu) %s", (int)b->digits, e->line + i + 1, *color ? "\033[m" : "");
		add_text_line(b, out, e->line + i);
	}
	strbuf_release(&time);
}

static size_t count_digits(size_t n)
{
	size_t digits = 1;

	for (; n >= 10; n /= 10)
		digits++;
	return digits;
}

static void widen(size_t *width, size_t needed)
{
	if (*width < needed)
		*width = needed;
}

static void measure_ids(struct blame_command *b)
{
	struct strbuf id = STRBUF_INIT;
	size_t hex = b->repo->algo->hex_len;

	if (b->abbrev >= 0) {
		b->id_width = b->abbrev && (size_t)b->abbrev < hex ? (size_t)b->abbrev + 1 : hex;
		return;
	}
	for (const struct blame_entry *e = b->blame.done; e; e = e->next) {
		strbuf_reset(&id);
		odb_abbrev(b->repo->odb, &e->suspect->commit->oid, b->repo->settings.abbrev, &id);
		widen(&b->id_width, id.len + 1);
	}
	strbuf_release(&id);
}

static void show_for_people(struct blame_command *b, struct strbuf *out)
{
	struct person *authors = NULL, committer = PERSON_INIT;
	struct strbuf summary = STRBUF_INIT;
	const struct commit *before = NULL;
	size_t nr = 0, alloc = 0, i = 0;

	for (const struct blame_entry *e = b->blame.done; e; e = e->next) {
		const struct strbuf *name;

		ALLOC_GROW(authors, nr + 1, alloc);
		authors[nr] = (struct person)PERSON_INIT;
		strbuf_reset(&summary);
		read_people(b, e->suspect->commit, &authors[nr], &committer, &summary);
		release_person(&committer);
		if (strcmp(e->suspect->path, b->path))
			b->show_name = 1;
		name = b->email ? &authors[nr].mail : &authors[nr].name;
		widen(&b->longest_author, (size_t)utf8_width(name->buf, name->len, false));
		widen(&b->longest_file, strlen(e->suspect->path));
		widen(&b->digits, count_digits(e->line + e->nr));
		widen(&b->old_digits, count_digits(e->file_line + e->nr));
		widen(&b->score_digits, count_digits(blame_score(&b->blame, e)));
		nr++;
	}
	for (const struct blame_entry *e = b->blame.done; e; before = e->suspect->commit, e = e->next, i++) {
		add_for_people(b, out, e, before, &authors[i]);
		release_person(&authors[i]);
	}
	free(authors);
	strbuf_release(&summary);
}

static void show_result(struct blame_command *b)
{
	struct strbuf out = STRBUF_INIT;

	if (b->porcelain)
		for (const struct blame_entry *e = b->blame.done; e; e = e->next)
			add_porcelain(b, &out, e);
	else
		show_for_people(b, &out);
	fwrite(out.buf, 1, out.len, stdout);
	strbuf_release(&out);
}

/* ---- options ---- */

static int on_score(const struct option *opt, const char *arg, int unset)
{
	struct blame *b = opt->value;
	bool is_copy = opt->short_name == 'C';
	unsigned *score = is_copy ? &b->copy_score : &b->move_score;

	(void)unset;
	b->moves = true;
	if (is_copy && b->copies < 3)
		b->copies++;
	if (arg)
		*score = (unsigned)strtoul(arg, NULL, 10);
	return 0;
}

static int on_algorithm(const struct option *opt, const char *arg, int unset)
{
	struct diff_options *o = opt->value;

	(void)unset;
	if (!diff_set_algorithm(o, arg ? arg : opt->long_name))
		return error("option diff-algorithm accepts \"myers\", \"minimal\", \"patience\" and \"histogram\"");
	return 0;
}

/* How many columns a date takes, at least. */
static size_t date_columns(const struct date_mode *mode)
{
	static const char *const longest[] = {
		[DATE_NORMAL] = "Thu Oct 19 16:00:04 2006 -0700", [DATE_HUMAN] = "Thu Oct 19 16:00",
		[DATE_RELATIVE] = "4 years, 11 months ago",	  [DATE_SHORT] = "2006-10-19",
		[DATE_ISO8601] = "2006-10-19 16:00:04 -0700",	  [DATE_ISO8601_STRICT] = "2006-10-19T16:00:04-07:00",
		[DATE_RFC2822] = "Thu, 19 Oct 2006 16:00:04 -0700", [DATE_RAW] = "1161298804 -0700",
		[DATE_UNIX] = "1161298804",
	};
	struct strbuf text = STRBUF_INIT;
	size_t len;

	if (mode->type != DATE_STRFTIME)
		return strlen(longest[mode->type]);
	date_format(&text, 0, 0, mode);
	len = text.len;
	strbuf_release(&text);
	return len;
}

/* blame.ignoreRevsFile: each file once, in the order of their names. */
static void read_ignored_files(struct blame_command *b, struct err *err)
{
	const struct config_set *c = b->repo->config;
	struct string_list files = STRING_LIST_INIT;

	for (size_t i = 0; i < config_nr(c) && !err->code; i++) {
		char *path = NULL;

		if (strcmp(config_at(c, i)->key, "blame.ignorerevsfile"))
			continue;
		if (!config_entry_path(config_at(c, i), &path, err))
			string_list_insert(&files, path);
		free(path);
	}
	for (size_t i = 0; i < files.nr; i++)
		strvec_push(&b->ignored_files, files.items[i].string);
	string_list_clear(&files, NULL);
}

static void read_blame_config(struct blame_command *b, const char **date)
{
	const struct config_set *c = b->repo->config;
	struct pretty pretty = { .encoding = NULL };
	struct err err = ERR_INIT;
	bool v;

	pretty_config_encoding(&pretty, c);
	b->encoding = pretty.encoding;
	read_ignored_files(b, &err);
	config_get_bool(c, "blame.markignoredlines", &b->mark_ignored, &err);
	config_get_bool(c, "blame.markunblamablelines", &b->mark_unblamable, &err);

	if (config_get_bool(c, "blame.showroot", &v, &err) > 0)
		b->root = v;
	if (config_get_bool(c, "blame.blankboundary", &v, &err) > 0)
		b->blank = v;
	if (config_get_bool(c, "blame.showemail", &v, &err) > 0)
		b->email = v;
	if (err.code || config_get_string(c, "blame.date", date, &err) < 0)
		die_err(&err);
}

/* ---- colours ---- */

/* "blue,12 month ago,white": a colour, then times and colours in turn. */
static int read_age_colors(struct blame_command *b, const char *text, struct err *err)
{
	struct string_list words = STRING_LIST_INIT;
	size_t alloc = 0;
	int rc = 0;

	string_list_split(&words, text, ",");
	for (size_t i = 0; !rc && i < words.nr; i += 2) {
		struct age_color age = { .until = UINT64_MAX };
		const char *name = words.items[i].string;

		if (color_parse(name, age.color) < 0) {
			error("invalid color value: %s", name);
			rc = err_set(err, ERR_INVALID, "expecting a color: %s", name);
		}
		if (i + 1 < words.nr)
			age.until = date_approxidate(words.items[i + 1].string, NULL);
		ALLOC_GROW(b->ages, b->nr_ages + 1, alloc);
		b->ages[b->nr_ages++] = age;
	}
	if (!rc && words.nr % 2 == 0)
		rc = err_set(err, ERR_INVALID, "must end with a color");
	string_list_clear(&words, NULL);
	return rc;
}

static int read_colors(struct blame_command *b, struct err *err)
{
	const struct config_set *c = b->repo->config;
	const char *scheme = NULL, *repeated = "cyan", *ages = "blue,12 month ago,white,1 month ago,red";

	if (config_get_string(c, "color.blame.repeatedlines", &repeated, err) < 0 ||
	    config_get_string(c, "color.blame.highlightrecent", &ages, err) < 0 ||
	    config_get_string(c, "blame.coloring", &scheme, err) < 0)
		return (int)err->code;
	if (color_parse(repeated, b->repeated_color) < 0 && color_parse("cyan", b->repeated_color) == 0)
		warning("invalid value for '%s': '%s'", "color.blame.repeatedLines", repeated);
	if (scheme && !strcmp(scheme, "repeatedLines"))
		b->configured_lines = 1;
	else if (scheme && !strcmp(scheme, "highlightRecent"))
		b->configured_age = 1;
	else if (scheme && strcmp(scheme, "none") != 0)
		warning("invalid value for '%s': '%s'", "blame.coloring", scheme);
	return read_age_colors(b, ages, err);
}

/* ---- -S ---- */

/* "COMMIT [PARENT...]": the commit has these parents. */
static int graft_line(struct blame_command *b, const char *line, struct err *err)
{
	struct commit_list l = COMMIT_LIST_INIT;
	struct object_id oid;
	const char *p = line;
	int rc = 0;

	while (*(p += strspn(p, " "))) {
		if (oid_parse_hex(&oid, p, b->repo->algo, &p) < 0) {
			commit_list_clear(&l);
			return error("bad graft data: %s", line) < 0 ? 0 : 0;
		}
		commit_list_add(&l, commit_lookup(b->walk->pool, &oid));
	}
	if (l.nr)
		rc = commit_parse_node(b->walk->pool, l.items[0], err);
	if (!rc && l.nr) {
		commit_set_parents(b->walk->pool, l.items[0], l.items + 1, (uint32_t)l.nr - 1);
		l.items[0]->graph_pos = GRAPH_POS_NONE; /* its filter compares with another parent */
	}
	commit_list_clear(&l);
	return rc;
}

static int read_grafts_file(struct blame_command *b, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	struct err why = ERR_INIT;
	char *save = NULL, *path;
	int rc;

	if (!b->grafts_file)
		return 0;
	path = is_absolute_path(b->grafts_file) || !b->repo->prefix ? xstrdup(b->grafts_file) :
		path_join(b->repo->prefix, b->grafts_file);
	rc = read_named_file(&text, path, GRAFTS_MAX, &why);
	if (rc < 0)
		rc = err_set(err, rc, "reading graft file '%s' failed: %s", b->grafts_file, strerror(why.sys_errno ? why.sys_errno : ENOENT));
	for (char *line = rc < 0 ? NULL : strtok_r(text.buf, "\n", &save); !rc && line; line = strtok_r(NULL, "\n", &save))
		rc = *line == '#' ? 0 : graft_line(b, line, err);
	err_release(&why);
	strbuf_release(&text);
	free(path);
	return rc;
}

/* ---- the text to begin with ---- */

/* What the textconv of the file's driver prints, as Git keeps it: 1. 0: there is none. */
static int read_converted(struct blame_command *b, struct converter *c, const char *path, struct object_buf *text,
			  struct strbuf *warn, struct err *err)
{
	struct strbuf out = STRBUF_INIT;
	struct conversion cv;
	struct stat st;
	int rc;

	if (lstat(path, &st) < 0 || !S_ISREG(st.st_mode))
		return 0;
	rc = diff_textconv_object(&b->diff, path, NULL, text, err);
	if (rc <= 0)
		return rc;
	converter_lookup(c, path, &cv);
	rc = convert_to_git(c, path, &cv, text->data, text->size, &out, 0, warn, err);
	if (rc > 0) {
		object_buf_release(text);
		*text = (struct object_buf){ .type = OBJ_BLOB };
		text->data = strbuf_detach(&out, &text->size);
	}
	strbuf_release(&out);
	return rc < 0 ? rc : 1;
}

static void read_worktree_file(struct blame_command *b, struct object_buf *text)
{
	struct strbuf warn = STRBUF_INIT, data = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct converter *c;
	const char *path = b->contents ? b->contents : b->path;
	int rc;

	if (b->contents && !strcmp(b->contents, "-")) {
		char buf[8192];
		ssize_t n;

		while ((n = read(STDIN_FILENO, buf, sizeof(buf))) > 0)
			strbuf_add(&data, buf, (size_t)n);
		text->data = strbuf_detach(&data, &text->size);
		return;
	}
	if (converter_new(&c, b->repo, &b->index, ATTR_CHECKIN, &err) < 0)
		die_err(&err);
	rc = read_converted(b, c, path, text, &warn, &err);
	if (!rc)
		rc = worktree_read_side(c, path, 0, text, &warn, &err);
	if (rc < 0)
		die_err(&err);
	strbuf_release(&warn);
	converter_free(c);
}

static struct commit *commit_of_name(struct blame_command *b, const char *name)
{
	struct object_id oid;

	if (revparse_commit(b->repo, name, &oid, NULL) < 0)
		return NULL;
	return commit_lookup(b->walk->pool, &oid);
}

/* The commit, or HEAD and those of MERGE_HEAD. */
static void find_parents(struct blame_command *b, struct commit *base, struct commit_list *out)
{
	struct oid_array merged = OID_ARRAY_INIT;
	struct err err = ERR_INIT;
	bool given = base;

	if (!base && !(base = commit_of_name(b, "HEAD")))
		die("no such ref: HEAD");
	commit_list_add(out, base);
	if (!given && repo_state_oids(b->repo, STATE_MERGE_HEAD, &merged, &err) < 0 && err.code != ERR_NOT_FOUND)
		die_err(&err);
	for (size_t i = 0; i < merged.nr; i++)
		commit_list_add(out, commit_lookup(b->walk->pool, &merged.oid[i]));
	for (size_t i = 0; !given && i < out->nr; i++) /* for the walk that finds out what "^x" excludes */
		rev_walk_add_commit(b->walk, &out->items[i]->oid, "HEAD", 0);
	oid_array_clear(&merged);
	err_release(&err);
}

/* The mode of the path in the first of the commits that has it, or in the index. */
static unsigned find_mode(struct blame_command *b, const struct commit_list *parents)
{
	struct err err = ERR_INIT;
	struct object_id oid;
	unsigned mode;

	for (size_t i = 0; i < parents->nr; i++) {
		if (commit_parse_node(b->walk->pool, parents->items[i], &err) < 0)
			die_err(&err);
		if (!tree_lookup_path(odb_source(b->repo->odb), &parents->items[i]->tree, b->path, &mode, &oid, NULL))
			return mode;
	}
	if (!index_find_ours(&b->index, b->path, strlen(b->path)))
		die("no such path '%s' in HEAD", b->path);
	return MODE_FILE;
}

/* The commit that the file of the work tree would be in. `base`: its parent. */
static void start_from_file(struct blame_command *b, struct commit *base)
{
	struct commit *c = commit_lookup(b->walk->pool, &b->repo->algo->null_oid);
	struct commit_list parents = COMMIT_LIST_INIT;
	struct object_buf text = OBJECT_BUF_INIT;
	struct err err = ERR_INIT;
	unsigned mode;
	struct stat st;

	find_parents(b, base, &parents);
	if (index_read_repo(&b->index, b->repo, &err) < 0)
		die_err(&err);
	b->blame.index = &b->index;
	mode = find_mode(b, &parents);
	if (!b->contents && lstat(b->path, &st) < 0)
		die("Cannot lstat '%s': %s", b->path, strerror(errno));
	if (b->contents && strcmp(b->contents, "-") && stat(b->contents, &st) < 0)
		die("Cannot stat '%s': %s", b->contents, strerror(errno));
	if ((!b->contents || strcmp(b->contents, "-")) && !S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode))
		die("unsupported file type %s", b->contents ? b->contents : b->path);
	read_worktree_file(b, &text);
	c->parsed = true;
	c->date = date_now(NULL);
	commit_set_parents(b->walk->pool, c, parents.items, (uint32_t)parents.nr);
	if (blame_start_text(&b->blame, c, b->path, mode, &text, &err) < 0)
		die_err(&err);
	commit_list_clear(&parents);
}

/* ---- --reverse ---- */

/* "START" alone means START..HEAD. */
static void complete_range(struct blame_command *b)
{
	struct object_id head;

	if (b->walk->nr_starts != 1 || b->walk->starts[0].flags & REV_UNINTERESTING ||
	    revparse_commit(b->repo, "HEAD", &head, NULL) < 0)
		return;
	b->walk->starts[0].flags |= REV_UNINTERESTING;
	rev_walk_add_commit(b->walk, &head, "HEAD", 0);
}

/* The one commit that the range excludes. */
static const struct rev_start *find_oldest(struct blame_command *b)
{
	const struct rev_start *only = NULL;

	for (size_t i = 0; i < b->walk->nr_starts; i++) {
		const struct rev_start *s = &b->walk->starts[i];

		if (!(s->flags & REV_UNINTERESTING))
			continue;
		if (only)
			die("More than one commit to dig up from, %s and %s?", s->name, only->name);
		only = s;
	}
	if (!only)
		die("No commit to dig up from?");
	return only;
}

/* For --first-parent: the only child of a commit is the one on the way from `last`. */
static void link_chain(struct blame_command *b, struct commit *last, const struct commit *first)
{
	struct err err = ERR_INIT;
	struct commit *c = last;
	size_t alloc = 0;

	for (;;) {
		if (commit_parse_node(b->walk->pool, c, &err) < 0)
			die_err(&err);
		ALLOC_GROW(b->chain.items, b->chain.nr + 1, alloc);
		b->chain.items[b->chain.nr++] = c;
		if (c == first)
			break;
		if (!c->nr_parents)
			die("--reverse --first-parent together require range along first-parent chain");
		c = c->parents[0];
	}
	b->nr_child_of = commit_pool_nr(b->walk->pool);
	CALLOC_ARRAY(b->child_of, b->nr_child_of);
	for (size_t i = 1; i < b->chain.nr; i++)
		b->child_of[b->chain.items[i]->index] = (struct commit_list){ &b->chain.items[i - 1], 1, 1 };
}

static const struct commit_list *children_of(void *data, const struct commit *c)
{
	const struct blame_command *b = data;

	if (!b->walk->first_parent)
		return rev_children(b->walk, c);
	return c->index < b->nr_child_of ? &b->child_of[c->index] : NULL;
}

static int start_from_commit(struct blame_command *b, struct commit *c, const char *name, struct err *err)
{
	int rc = blame_start(&b->blame, c, b->path, err);

	if (rc == ERR_NOT_FOUND)
		die("no such path %s in %s", b->path, name);
	return rc;
}

static int start_reverse(struct blame_command *b, struct err *err)
{
	struct commit *first, *last = NULL;
	const struct rev_start *oldest;
	int rc;

	if (b->contents)
		die("--contents and --reverse do not blend well.");
	complete_range(b);
	oldest = find_oldest(b);
	first = commit_lookup(b->walk->pool, &oldest->oid);
	for (size_t i = 0; i < b->walk->nr_starts; i++)
		if (!(b->walk->starts[i].flags & REV_UNINTERESTING))
			last = commit_lookup(b->walk->pool, &b->walk->starts[i].oid);
	if (b->walk->first_parent && (!last || last == first))
		die("--reverse and --first-parent together require specified latest commit");
	b->walk->want_children = true;
	rc = rev_walk_begin(b->walk, err);
	if (rc < 0)
		return rc;
	if (b->walk->first_parent)
		link_chain(b, last, first);
	b->blame.children = children_of;
	b->blame.children_data = b;
	return start_from_commit(b, first, oldest->name, err);
}

static int start_blame(struct blame_command *b, struct err *err)
{
	const char *name = "HEAD";
	struct commit *only = NULL;

	for (size_t i = 0; i < b->walk->nr_starts; i++) {
		const struct rev_start *s = &b->walk->starts[i];

		if (s->flags & REV_UNINTERESTING)
			continue;
		if (only)
			die("More than one commit to dig from %s and %s?", s->name, name);
		only = commit_lookup(b->walk->pool, &s->oid);
		name = s->name;
	}
	if (b->contents || (!only && b->repo->worktree)) {
		start_from_file(b, only);
		return 0;
	}
	if (!only)
		only = commit_of_name(b, "HEAD");
	if (!only)
		die("no such ref: HEAD");
	return start_from_commit(b, only, name, err);
}

/* ---- ignored commits ---- */

/* Names of other objects are left out; a tag counts as its commit. */
static int read_ignored_file(struct blame_command *b, const char *path, struct err *err)
{
	struct oidset names = OIDSET_INIT;
	const struct object_id *oid;
	void *unused;
	int rc;

	if (!*path) {
		oidset_clear(&b->ignored);
		return 0;
	}
	rc = oid_list_read(&names, path, b->repo->algo, true, err);
	for (size_t i = 0; !rc && oidmap_next(&names.map, &i, &oid, &unused);) {
		struct object_id commit;

		if (!revparse_commit(b->repo, oid_hex(oid), &commit, NULL))
			oidset_insert(&b->ignored, &commit);
	}
	oidset_clear(&names);
	return rc;
}

static int read_ignored(struct blame_command *b, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < b->ignored_files.nr; i++)
		rc = read_ignored_file(b, b->ignored_files.v[i], err);
	for (size_t i = 0; !rc && i < b->ignored_revs.nr; i++) {
		struct object_id commit;

		if (revparse_commit(b->repo, b->ignored_revs.v[i], &commit, NULL) < 0)
			die("cannot find revision %s to ignore", b->ignored_revs.v[i]);
		oidset_insert(&b->ignored, &commit);
	}
	b->blame.ignore = &b->ignored;
	return rc;
}

/* ---- -L ---- */

static int read_final(void *data, const struct diff_file *file, struct object_buf *out, struct err *err)
{
	const struct blame_command *b = data;
	const struct object_buf *text = &b->blame.final->text;

	(void)file;
	(void)err;
	*out = (struct object_buf){ OBJ_BLOB, xmemdupz(text->data, text->size), text->size };
	return 0;
}

static int add_ranges(struct blame_command *b, struct err *err)
{
	const struct option none[] = { OPT_END() };
	struct line_ranges all = LINE_RANGES_INIT;
	struct diff_options o = b->diff;
	struct diff_queue q = DIFF_QUEUE_INIT;
	size_t anchor = 0;
	int rc = 0;

	o.read = read_final;
	o.read_data = b;
	o.measure = NULL;
	diff_queue_add(&q, b->path, 0, NULL, b->path, MODE_FILE, NULL);
	for (size_t i = 0; !rc && i < b->ranges.nr; i++) {
		const char *range = *b->ranges.v[i] ? b->ranges.v[i] : ","; /* as in Git, an empty one is the whole file */
		char *spec = xstrfmt("%s:%s", range, b->path);
		struct line_range found;

		rc = line_spec_find(&found, spec, q.pairs[0]->new, anchor, &o, err);
		if (rc == ERR_INVALID && starts_with(err_message(err), "-L argument not"))
			usage_with_options(blame_usage, none);
		if (!rc) {
			line_ranges_add(&all, found.begin, found.end);
			anchor = found.end;
		}
		free(spec);
	}
	if (!rc && !b->ranges.nr)
		line_ranges_add(&all, 0, b->blame.nr_lines);
	for (size_t i = 0; !rc && i < all.nr; i++) {
		blame_add_lines(&b->blame, all.items[i].begin, all.items[i].end);
		b->nr_wanted += all.items[i].end - all.items[i].begin;
	}
	line_ranges_release(&all);
	diff_queue_clear(&q);
	return rc;
}

/* ---- the command ---- */

static bool file_is_there(const struct blame_command *b, const char *arg)
{
	char *path = b->repo->prefix ? path_join(b->repo->prefix, arg) : xstrdup(arg);
	struct stat st;
	bool is_there = !lstat(path, &st);

	free(path);
	return is_there;
}

static char *path_from_top(struct repository *r, const char *arg)
{
	const char *args[] = { arg, NULL };
	struct err err = ERR_INIT;
	struct pathspec ps;
	char *path;

	if (pathspec_parse(&ps, r->prefix, r->worktree, args, PATHSPEC_LITERAL, &err) < 0)
		die_err(&err);
	path = xstrdup(ps.items[0].match);
	pathspec_release(&ps);
	return path;
}

/* Take the path out of the arguments, which may be "REV PATH", "PATH REV", "REV -- PATH", "-- PATH REV". */
static int take_path(struct blame_command *b, int argc, const char **argv, const char *const *usage,
		     const struct option *opts)
{
	int dash = 0, at = argc - 1;

	while (dash < argc && strcmp(argv[dash], "--"))
		dash++;
	if (dash < argc) {
		at = dash + 1;
		if (argc - at < 1 || argc - at > 2 || (argc - at == 2 && dash))
			usage_with_options(usage, opts);
	} else if (argc < 1) {
		usage_with_options(usage, opts);
	} else if (argc == 2 && !file_is_there(b, argv[1]) && file_is_there(b, argv[0])) {
		at = 0;
	}
	b->path = path_from_top(b->repo, argv[at]);
	if (dash < argc) {
		memmove(argv + dash, argv + at + 1, (size_t)(argc - at) * sizeof(*argv));
		return argc - 2;
	}
	memmove(argv + at, argv + at + 1, (size_t)(argc - at) * sizeof(*argv));
	return argc - 1;
}

static int blame_all(struct blame_command *b, struct err *err)
{
	int rc;

	b->walk->default_rev = NULL;
	b->blame.found = on_found;
	b->blame.found_data = b;
	rc = (b->reverse ? start_reverse : start_blame)(b, err);
	if (rc < 0)
		return rc;
	for (size_t i = 0, excluded = b->reverse; i < b->walk->nr_starts && !excluded; i++)
		if (b->walk->starts[i].flags & REV_UNINTERESTING) {
			excluded = 1;
			rc = rev_walk_begin(b->walk, err);
			if (rc < 0)
				return rc;
		}
	b->blame.since = b->walk->since;
	b->blame.first_parent = b->walk->first_parent;
	rc = add_ranges(b, err);
	if (!rc && b->progress)
		b->meter = progress_start_delayed("Blaming lines", b->nr_wanted);
	if (!rc)
		rc = blame_run(&b->blame, err);
	progress_stop(&b->meter);
	if (rc < 0 || b->incremental)
		return rc;
	measure_ids(b);
	if (b->score_debug)
		blame_count_references(&b->blame);
	show_result(b);
	return 0;
}

/* --encoding, which belongs to the options of revisions. */
static int encoding_option(void *data, const char *const *argv, struct err *err)
{
	struct blame_command *b = data;
	const char *value = argv[1];
	int used = 2;

	if (skip_prefix(argv[0], "--encoding=", &value))
		used = 1;
	else if (strcmp(argv[0], "--encoding"))
		return 0;
	if (!value)
		return err_set(err, ERR_INVALID, "Option '--encoding' requires a value");
	b->encoding = strcmp(value, "none") ? value : "";
	return used;
}

static int blame_set_up(struct blame_command *b, int argc, const char **argv, struct err *err)
{
	const struct rev_hooks hooks = { .option = encoding_option, .data = b };
	const char *args[64] = { "blame" };
	int rc = 0;

	if (argc > 60)
		return err_set(err, ERR_INVALID, "too many arguments");
	memcpy(args + 1, argv, (size_t)argc * sizeof(*argv));
	args[argc + 1] = "--";
	b->walk->default_rev = NULL;
	rc = rev_walk_arguments(b->walk, argc + 2, args, &hooks, err);
	if (!rc)
		rc = rev_walk_check_starts(b->walk, err);
	if (!b->encoding)
		b->encoding = "UTF-8";
	if (!rc)
		rc = mailmap_read(&b->map, b->repo, err);
	if (!rc)
		rc = diff_attrs_new(&b->attrs, b->repo, NULL, err);
	if (!rc)
		diff_attrs_use(b->attrs, &b->diff);
	return rc;
}

static void release_command(struct blame_command *b)
{
	blame_release(&b->blame);
	diff_options_release(&b->diff);
	diff_attrs_free(b->attrs);
	mailmap_free(b->map);
	rev_walk_free(b->walk);
	date_mode_release(&b->date);
	strvec_clear(&b->ranges);
	strvec_clear(&b->ignored_revs);
	strvec_clear(&b->ignored_files);
	oidset_clear(&b->ignored);
	commit_list_clear(&b->chain);
	free(b->child_of);
	index_release(&b->index);
	free(b->path);
	free(b->ages);
}

/* What options leave open. */
static void settle_display(struct blame_command *b)
{
	if (!b->color_lines && !b->color_age) {
		b->color_lines = b->configured_lines;
		b->color_age = b->configured_age;
	}
	if (b->progress > 0 && (b->incremental || b->porcelain || b->line_porcelain))
		die("--progress can't be used with --incremental or porcelain formats");
	if (b->progress < 0)
		b->progress = !b->incremental && !b->porcelain && !b->line_porcelain && isatty(2);
}

static int run_blame(int argc, const char **argv, struct command_ctx *ctx, bool compat)
{
	struct blame_command b = { .repo = ctx->repo, .compat = compat, .abbrev = -1,
				   .date = DATE_MODE_INIT, .ranges = STRVEC_INIT, .progress = -1,
				   .ignored = OIDSET_INIT, .ignored_revs = STRVEC_INIT, .ignored_files = STRVEC_INIT };
	const char *const *usage = compat ? annotate_usage : blame_usage;
	struct err err = ERR_INIT;
	const char *date = "iso";
	int minimal = 0, indent = -1, textconv = 1;
	struct option opts[] = {
		OPT_BOOL(0, "incremental", &b.incremental, "show entries as they are found"),
		OPT_BOOL('b', NULL, &b.blank, "show no names of boundary commits"),
		OPT_BOOL(0, "root", &b.root, "do not treat root commits as boundaries"),
		OPT_BOOL(0, "textconv", &textconv, "convert files by the textconv of their driver"),
		OPT_BOOL(0, "show-stats", &b.stats, "show how much has been read"),
		OPT_BOOL(0, "progress", &b.progress, "force progress reporting"),
		OPT_BOOL(0, "score-debug", &b.score_debug, "show the scores of entries"),
		OPT_BOOL('f', "show-name", &b.show_name, "show the file's name in that commit"),
		OPT_BOOL('n', "show-number", &b.show_number, "show the line's number in that commit"),
		OPT_BOOL('p', "porcelain", &b.porcelain, "show a format for programs"),
		OPT_BOOL(0, "line-porcelain", &b.line_porcelain, "the same, with all details for each line"),
		OPT_BOOL('c', NULL, &b.compat, "show the format of git-annotate"),
		OPT_BOOL('t', NULL, &b.raw_time, "show raw times"),
		OPT_BOOL('l', NULL, &b.long_ids, "show long names of commits"),
		OPT_BOOL('s', NULL, &b.no_author, "show neither author nor time"),
		OPT_BOOL('e', "show-email", &b.email, "show addresses, not names"),
		OPT_BOOL('w', NULL, &b.ignore_space, "ignore differences in whitespace"),
		OPT_CALLBACK_F(0, "diff-algorithm", &b.diff, "algorithm", "choose how lines are compared", PARSE_OPT_NONEG,
			       on_algorithm),
		OPT_CALLBACK_F(0, "patience", &b.diff, NULL, "compare lines by \"patience diff\"", PARSE_OPT_NOARG | PARSE_OPT_NONEG,
			       on_algorithm),
		OPT_CALLBACK_F(0, "histogram", &b.diff, NULL, "compare lines by \"histogram diff\"", PARSE_OPT_NOARG | PARSE_OPT_NONEG,
			       on_algorithm),
		OPT_BOOL(0, "minimal", &minimal, "find the smallest difference"),
		OPT_BOOL(0, "indent-heuristic", &indent, "let indentation decide where a change lies"),
		OPT_STRING(0, "contents", &b.contents, "file", "use the content of that file"),
		{ .type = OPTION_STRING, .long_name = "date", .value = OPT_VALUE(const char *, &date), .argh = "format", .help = "how times are shown",
		  .flags = PARSE_OPT_NONEG },
		{ .type = OPTION_BOOL, .long_name = "reverse", .value = OPT_VALUE(int, &b.reverse),
		  .help = "show the last commit that has each line", .flags = PARSE_OPT_NONEG, .defval = 1 },
		OPT_STRVEC(0, "ignore-rev", &b.ignored_revs, "rev", "ignore the changes of that commit"),
		OPT_STRVEC(0, "ignore-revs-file", &b.ignored_files, "file", "ignore the commits that the file names"),
		OPT_CALLBACK_F('C', NULL, &b.blame, "score", "find lines copied from other files",
			       PARSE_OPT_OPTARG | PARSE_OPT_NONEG, on_score),
		OPT_CALLBACK_F('M', NULL, &b.blame, "score", "find lines moved in the file",
			       PARSE_OPT_OPTARG | PARSE_OPT_NONEG, on_score),
		OPT_BOOL(0, "color-lines", &b.color_lines, "color redundant metadata from previous line differently"),
		OPT_BOOL(0, "color-by-age", &b.color_age, "color lines by age"),
		{ .type = OPTION_STRING, .short_name = 'S', .value = OPT_VALUE(const char *, &b.grafts_file), .argh = "file",
		  .help = "use revisions from <file> instead of calling git-rev-list", .flags = PARSE_OPT_NONEG },
		OPT_STRVEC('L', NULL, &b.ranges, "range", "only these lines: <start>,<end> or :<function>"),
		OPT_INTEGER(0, "abbrev", &b.abbrev, "use <n> digits for names of commits"),
		OPT_END()
	};
	int rc;

	if (!ctx->repo)
		usage_on_stdout(usage, opts);
	os_keep_memory();
	rc = rev_walk_new(&b.walk, ctx->repo, &err);
	if (rc < 0)
		return report_fatal(&err);
	diff_options_init(&b.diff, ctx->repo->odb);
	if (diff_options_config_plumbing(&b.diff, ctx->repo->config, &err) < 0)
		die_err(&err);
	b.diff.context = 0;
	blame_init(&b.blame, b.walk->pool, &b.diff);
	read_blame_config(&b, &date);
	if (read_colors(&b, &err) < 0)
		die_err(&err);
	argc = parse_options(argc, argv, opts, usage, PARSE_OPT_KEEP_DASHDASH | PARSE_OPT_KEEP_UNKNOWN);
	b.diff.textconv = textconv;
	settle_display(&b);
	argc = take_path(&b, argc, argv, usage, opts);
	if (date_mode_parse(&b.date, date) < 0)
		die("unknown date format %s", date);
	b.date_width = date_columns(&b.date);
	b.porcelain |= b.line_porcelain;
	b.diff.minimal |= minimal;
	if (indent >= 0)
		b.diff.indent_heuristic = indent;
	b.blame.show_root = b.root;
	if (b.ignore_space)
		b.diff.ignore |= DIFF_IGNORE_ALL_SPACE;
	rc = blame_set_up(&b, argc, argv, &err);
	if (!rc)
		rc = read_grafts_file(&b, &err);
	if (!rc)
		rc = read_ignored(&b, &err);
	if (!rc)
		rc = blame_all(&b, &err);
	if (!rc && b.stats && !b.incremental)
		printf("num read blob: %zu\nnum get patch: %zu\nnum commits: %zu\n", b.blame.nr_blobs, b.blame.nr_texts,
		       b.blame.nr_commits);
	release_command(&b);
	return rc < 0 ? report_fatal(&err) : finish_stdout();
}

int cmd_blame(int argc, const char **argv, struct command_ctx *ctx)
{
	return run_blame(argc, argv, ctx, false);
}

int cmd_annotate(int argc, const char **argv, struct command_ctx *ctx)
{
	return run_blame(argc, argv, ctx, true);
}

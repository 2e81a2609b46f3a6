/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "object/commit.h"
#include "object/ident.h"
#include "pretty/shortlog.h"
#include "util/alloc.h"
#include "util/map.h"
#include "util/utf8.h"

struct group {
	size_t count;
	struct strvec lines; /* the youngest first */
};

/* Where we are in a log as text. */
enum place { BETWEEN_COMMITS, IN_HEADERS, BEFORE_MESSAGE };

struct shortlog {
	struct repository *repo;
	const struct shortlog_options *o;
	struct mailmap *mailmap;
	struct strmap groups; /* by name, to struct group */
	/* formats of a commit's texts */
	struct pretty author, committer, line, message;
	struct pretty *formats; /* of o->formats */
	size_t nr_formats;
	bool many;		/* a commit can have several names */
	struct strset names;	/* that it has been counted under */
	struct strbuf name, text, trailers;
	/* of the text that is being read */
	enum place place;
	char *pending;		/* the person whose message comes */
};

void shortlog_options_release(struct shortlog_options *o)
{
	strvec_clear(&o->trailers);
	strvec_clear(&o->formats);
}

/* ---- set-up ---- */

static void prepare_format(struct shortlog *s, struct pretty *p, const char *format)
{
	const struct pretty *style = s->o->style;

	pretty_init(p, s->repo);
	if (style) {
		p->encoding = style->encoding;
		p->abbrev = style->abbrev;
		p->walk = style->walk;
	}
	if (style && style->date_explicit) {
		p->date = style->date;
		if (p->date.strftime_fmt)
			p->date.strftime_fmt = xstrdup(p->date.strftime_fmt);
		p->date_explicit = true;
	}
	p->kind = PRETTY_USER;
	p->user_format = xstrdup(format);
}

static void prepare_formats(struct shortlog *s)
{
	const struct shortlog_options *o = s->o;

	prepare_format(s, &s->author, o->email ? "%aN <%aE>" : "%aN");
	prepare_format(s, &s->committer, o->email ? "%cN <%cE>" : "%cN");
	if (o->style && o->style->kind == PRETTY_USER) {
		prepare_format(s, &s->line, o->style->user_format);
		s->line.reference = o->style->reference;
	} else {
		prepare_format(s, &s->line, "%s");
	}
	prepare_format(s, &s->message, "%B");
	CALLOC_ARRAY(s->formats, o->formats.nr + 1);
	for (size_t i = 0; i < o->formats.nr; i++)
		prepare_format(s, &s->formats[s->nr_formats++], o->formats.v[i]);
}

int shortlog_new(struct shortlog **out, struct repository *r, const struct shortlog_options *o,
		 struct err *err)
{
	struct shortlog *s;
	int rc;

	CALLOC_ARRAY(s, 1);
	s->repo = r;
	s->o = o;
	s->many = o->trailers.nr || o->formats.nr + !!(o->people & SHORTLOG_AUTHOR) +
		!!(o->people & SHORTLOG_COMMITTER) > 1;
	strbuf_init(&s->name, 0);
	strbuf_init(&s->text, 0);
	strbuf_init(&s->trailers, 0);
	rc = mailmap_read(&s->mailmap, r, err);
	if (rc < 0) {
		shortlog_free(s);
		return rc;
	}
	if (r)
		prepare_formats(s);
	*out = s;
	return 0;
}

static void free_group(void *data)
{
	struct group *g = data;

	strvec_clear(&g->lines);
	free(g);
}

void shortlog_free(struct shortlog *s)
{
	if (!s)
		return;
	pretty_release(&s->author);
	pretty_release(&s->committer);
	pretty_release(&s->line);
	pretty_release(&s->message);
	for (size_t i = 0; i < s->nr_formats; i++)
		pretty_release(&s->formats[i]);
	free(s->formats);
	mailmap_free(s->mailmap);
	strmap_clear(&s->groups, free_group);
	strset_clear(&s->names);
	strbuf_release(&s->name);
	strbuf_release(&s->text);
	strbuf_release(&s->trailers);
	free(s->pending);
	free(s);
}

/* ---- one commit under one name ---- */

/* Without blanks and "[PATCH …]" at its start; the lines up to an empty one are joined. */
static char *clean_line(const char *text)
{
	struct strbuf out = STRBUF_INIT;
	const char *eol, *close;

	while (isspace((unsigned char)*text))
		text++;
	eol = strchrnul(text, '\n');
	if (starts_with(text, "[PATCH")) {
		close = strchr(text, ']');
		if (close && close < eol)
			text = close + 1;
	}
	while (isspace((unsigned char)*text) && *text != '\n')
		text++;
	commit_subject(&out, text, strlen(text), " ");
	return strbuf_detach(&out, NULL);
}

/* text: NULL with `summary`. */
static void count(struct shortlog *s, const char *name, const char *text)
{
	struct group *g = strmap_get(&s->groups, name);
	char *line;

	if (!g) {
		CALLOC_ARRAY(g, 1);
		strvec_init(&g->lines);
		strmap_put(&s->groups, name, g);
	}
	g->count++;
	if (!text)
		return;
	line = clean_line(text);
	strvec_push(&g->lines, line);
	free(line);
}

/* The same, unless the commit has been counted under that name. */
static void count_once(struct shortlog *s, const char *name, const char *text)
{
	if (!s->many || strset_add(&s->names, name))
		count(s, name, text);
}

/* A person as the mailmap has it, in s->name. False: it is none. */
static bool format_person(struct shortlog *s, const char *ident)
{
	struct ident_split id;
	const char *name, *mail;
	size_t name_len, mail_len;

	if (ident_split_line(&id, ident, strlen(ident)) < 0)
		return false;
	/* As in Git, blanks before a name are part of it. */
	name = id.name_len ? ident : id.name;
	name_len = id.name_len ? (size_t)(id.name + id.name_len - ident) : 0;
	mail = id.mail;
	mail_len = id.mail_len;
	mailmap_apply(s->mailmap, &name, &name_len, &mail, &mail_len);
	strbuf_reset(&s->name);
	strbuf_add(&s->name, name, name_len);
	if (s->o->email) {
		strbuf_addstr(&s->name, " <");
		strbuf_add(&s->name, mail, mail_len);
		strbuf_addch(&s->name, '>');
	}
	return true;
}

/* ---- commits ---- */

struct item {
	struct shortlog *s;
	struct commit_pool *pool;
	struct commit *commit;
	const char *line; /* NULL with `summary` */
};

static int count_format(struct item *it, struct pretty *p, struct err *err)
{
	struct strbuf *name = &it->s->name;
	int rc;

	strbuf_reset(name);
	rc = pretty_commit(p, it->pool, it->commit, name, err);
	if (!rc)
		count_once(it->s, name->buf, it->line);
	return rc;
}

static int count_trailers(struct item *it, struct err *err)
{
	struct trailer_options o = TRAILER_OPTIONS_INIT;
	struct shortlog *s = it->s;
	char *value, *end;
	int rc;

	strbuf_reset(&s->name);
	strbuf_reset(&s->trailers);
	rc = pretty_commit(&s->message, it->pool, it->commit, &s->name, err);
	if (rc < 0)
		return rc;
	strvec_pushv(&o.keys, s->o->trailers.v);
	o.only = o.unfold = o.value_only = o.has_separator = true;
	strbuf_addch(&o.separator, '\n');
	trailer_options_read_config(&o, s->repo->config);
	trailers_format(&o, s->name.buf, s->name.len, &s->trailers);
	trailer_options_release(&o);
	for (value = s->trailers.buf; *value; value = end) {
		end = strchrnul(value, '\n');
		if (*end)
			*end++ = '\0';
		count_once(s, format_person(s, value) ? s->name.buf : value, it->line);
	}
	return 0;
}

int shortlog_add_commit(struct shortlog *s, struct commit_pool *pool, struct commit *c,
			struct err *err)
{
	struct item it = { s, pool, c, NULL };
	int rc = 0;

	if (s->many)
		strset_clear(&s->names);
	if (!s->o->summary) {
		strbuf_reset(&s->text);
		rc = pretty_commit(&s->line, pool, c, &s->text, err);
		it.line = s->text.len ? s->text.buf : "<none>";
	}
	if (!rc && (s->o->people & SHORTLOG_AUTHOR))
		rc = count_format(&it, &s->author, err);
	if (!rc && (s->o->people & SHORTLOG_COMMITTER))
		rc = count_format(&it, &s->committer, err);
	if (!rc && s->o->trailers.nr)
		rc = count_trailers(&it, err);
	for (size_t i = 0; !rc && i < s->nr_formats; i++)
		rc = count_format(&it, &s->formats[i], err);
	return rc;
}

/* ---- a log as text ---- */

static void end_pending(struct shortlog *s, const char *line)
{
	if (s->pending && format_person(s, s->pending))
		count(s, s->name.buf, s->o->summary ? NULL : line);
	FREE_AND_NULL(s->pending);
	s->place = BETWEEN_COMMITS;
}

void shortlog_add_line(struct shortlog *s, const char *line)
{
	bool committer = s->o->people == SHORTLOG_COMMITTER;
	const char *person;

	if (!line) {
		end_pending(s, "");
		return;
	}
	switch (s->place) {
	case BETWEEN_COMMITS:
		if (!skip_prefix(line, committer ? "Commit: " : "Author: ", &person) &&
		    !skip_prefix(line, committer ? "committer " : "author ", &person))
			break;
		s->pending = xstrdup(person);
		s->place = IN_HEADERS;
		break;
	case IN_HEADERS:
		if (!*line)
			s->place = BEFORE_MESSAGE;
		break;
	case BEFORE_MESSAGE:
		if (*line)
			end_pending(s, line);
	}
}

/* ---- output ---- */

struct entry {
	const char *name;
	const struct group *group;
	size_t order;
};

static int compare_numbers(const void *va, const void *vb)
{
	const struct entry *a = va, *b = vb;

	if (a->group->count != b->group->count)
		return a->group->count > b->group->count ? -1 : 1;
	return a->order < b->order ? -1 : 1;
}

static void format_line(const struct shortlog *s, const char *line, struct strbuf *out)
{
	if (s->o->wrap) {
		strbuf_add_wrapped_text(out, line, s->o->indent1, s->o->indent2, s->o->width);
		strbuf_addch(out, '\n');
	} else {
		strbuf_addf(out, "      %s\n", line);
	}
}

static void format_entry(const struct shortlog *s, const struct entry *e, struct strbuf *out)
{
	if (s->o->summary) {
		strbuf_addf(out, "%6zu\t%s\n", e->group->count, e->name);
		return;
	}
	strbuf_addf(out, "%s (%zu):\n", e->name, e->group->count);
	for (size_t i = e->group->lines.nr; i-- > 0;)
		format_line(s, e->group->lines.v[i], out);
	strbuf_addch(out, '\n');
}

void shortlog_format(struct shortlog *s, struct strbuf *out)
{
	struct strmap_entry **sorted = strmap_sorted(&s->groups);
	size_t nr = s->groups.nr;
	struct entry *entries;

	CALLOC_ARRAY(entries, nr + 1);
	for (size_t i = 0; i < nr; i++)
		entries[i] = (struct entry){ sorted[i]->key, sorted[i]->value, i };
	if (s->o->numbered)
		qsort(entries, nr, sizeof(*entries), compare_numbers);
	for (size_t i = 0; i < nr; i++)
		format_entry(s, &entries[i], out);
	free(entries);
	free(sorted);
}

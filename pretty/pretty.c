/* SPDX-License-Identifier: GPL-2.0-only */
/* The built-in formats, and the choice of one. */
#include "compat/posix.h"
#include "pretty/pretty.h"
#include "object/ident.h"
#include "util/alloc.h"
#include "util/utf8.h"

#define TAB_COLUMNS 8

void pretty_init(struct pretty *p, struct repository *r)
{
	memset(p, 0, sizeof(*p));
	p->repo = r;
	p->abbrev = r->settings.abbrev;
	p->expand_tabs = -1;
	p->terminator = true;
}

void pretty_release(struct pretty *p)
{
	FREE_AND_NULL(p->user_format);
	date_mode_release(&p->date);
	if (p->decorations_owned)
		decorations_free(p->decorations);
	mailmap_free(p->placeholder_mailmap);
	p->decorations = NULL;
	p->placeholder_mailmap = NULL;
}

int pretty_config(struct pretty *p, const struct config_set *c, struct err *err)
{
	const char *value = NULL;

	config_get_string(c, "i18n.commitencoding", &p->encoding, NULL);
	config_get_string(c, "i18n.logoutputencoding", &p->encoding, NULL);
	if (config_get_string(c, "log.date", &value, err) < 0)
		return ERR_INVALID;
	if (value && date_mode_parse(&p->date, value) < 0)
		return err_set(err, ERR_INVALID, "unknown date format %s", value);
	return 0;
}

int pretty_load_decorations(struct pretty *p, struct err *err)
{
	static const struct decorate_options defaults = DECORATE_OPTIONS_INIT;
	int rc;

	if (p->decorations)
		return 0;
	rc = decorations_load(&p->decorations, p->repo,
			      p->decorate_options ? p->decorate_options : &defaults, err);
	p->decorations_owned = !rc;
	return rc;
}

void pretty_read_colors(struct pretty *p)
{
	const char *value = NULL;

	if (p->colors_read)
		return;
	p->colors_read = true;
	decorate_colors_read(&p->decorate_colors, p->repo->config);
	config_get_string(p->repo->config, "color.diff.commit", &value, NULL);
	if (!value || color_parse(value, p->commit_color) < 0)
		color_parse("yellow", p->commit_color);
}

/* ---- the choice ---- */

static const struct {
	const char *name;
	enum pretty_kind kind;
	const char *user_format;
} formats[] = {
	{ "raw", PRETTY_RAW, NULL },
	{ "medium", PRETTY_MEDIUM, NULL },
	{ "short", PRETTY_SHORT, NULL },
	{ "full", PRETTY_FULL, NULL },
	{ "fuller", PRETTY_FULLER, NULL },
	{ "oneline", PRETTY_ONELINE, NULL },
	{ "reference", PRETTY_USER, "%C(auto)%h (%s, %ad)" },
};

static void set_user_format(struct pretty *p, const char *text, bool terminator)
{
	char *copy = xstrdup(text); /* which may be the present one */

	free(p->user_format);
	p->user_format = copy;
	p->reference = false;
	p->kind = PRETTY_USER;
	p->terminator = terminator;
}

/* A whole name, or the beginning of one: "--pretty=ful" is "full", the first that fits. */
static bool set_builtin(struct pretty *p, const char *name)
{
	size_t i, len = strlen(name), best = ARRAY_SIZE(formats);

	for (i = 0; i < ARRAY_SIZE(formats); i++)
		if (!strncmp(formats[i].name, name, len) &&
		    (best == ARRAY_SIZE(formats) ||
		     strlen(formats[i].name) < strlen(formats[best].name)))
			best = i;
	if (best == ARRAY_SIZE(formats))
		return false;
	if (!formats[best].user_format) {
		p->kind = formats[best].kind;
		p->terminator = true;
		return true;
	}
	set_user_format(p, formats[best].user_format, true);
	p->reference = true;
	return true;
}

static int set_format(struct pretty *p, const char *format, int depth, struct err *err)
{
	const char *rest, *value = NULL;
	char *key;
	int rc;

	if (skip_prefix(format, "format:", &rest)) {
		set_user_format(p, rest, false);
		return 0;
	}
	if (!*format || skip_prefix(format, "tformat:", &rest) || strchr(format, '%')) {
		set_user_format(p, starts_with(format, "tformat:") ? rest : format, true);
		return 0;
	}
	if (depth > 10)
		return err_set(err, ERR_INVALID, "invalid --pretty format: '%s' references an "
			       "alias which points to itself", format);
	/* The built-in ones cannot be redefined. */
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		if (!strcmp(formats[i].name, format))
			return set_builtin(p, format) ? 0 : ERR_INVALID;
	key = xstrfmt("pretty.%s", format);
	rc = config_get_string(p->repo->config, key, &value, NULL);
	free(key);
	if (rc > 0)
		return set_format(p, value, depth + 1, err);
	if (!strcmp(format, "email") || !strcmp(format, "mboxrd"))
		return err_set(err, ERR_UNSUPPORTED, "--pretty=%s is not available yet", format);
	if (set_builtin(p, format))
		return 0;
	return err_set(err, ERR_INVALID, "invalid --pretty format: %s", format);
}

int pretty_set_format(struct pretty *p, const char *format, struct err *err)
{
	return set_format(p, format, 0, err);
}

bool pretty_needs_source(const struct pretty *p)
{
	return p->kind == PRETTY_USER && strstr(p->user_format, "%S");
}

/* ---- encoding ---- */

/* One character that does not fit, and all of it stays as it is. Caller frees. */
static char *reencode(const struct pretty *p, const struct commit_view *v, const char *raw,
		      size_t len, size_t *out_len)
{
	const char *to = p->encoding && p->kind != PRETTY_USER ? p->encoding : "UTF-8";
	char *from = v->encoding ? xstrndup(v->encoding, v->encoding_len) : NULL;
	char *out = NULL;

	if (*to && !same_encoding(from ? from : "UTF-8", to))
		out = reencode_string(raw, len, to, from ? from : "UTF-8", out_len);
	free(from);
	return out;
}

/* ---- people ---- */

struct person {
	const char *name, *mail;
	size_t name_len, mail_len;
	timestamp_t date;
	int tz;
};

static bool split_person(const struct pretty *p, const char *line, size_t len, struct person *out)
{
	struct ident_split id;

	if (!line || ident_split_line(&id, line, len) < 0)
		return false;
	out->name = id.name;
	out->name_len = id.name_len;
	out->mail = id.mail;
	out->mail_len = id.mail_len;
	out->date = id.has_date ? id.date : 0;
	out->tz = id.has_date ? id.tz : 0;
	if (p->mailmap)
		mailmap_apply(p->mailmap, &out->name, &out->name_len, &out->mail, &out->mail_len);
	return true;
}

/* "Author: NAME <MAIL>" and, if wanted, a line with the date. */
static void add_person(struct pretty_commit *pc, const char *label, const char *date_label,
		       const char *line, size_t len, struct strbuf *out)
{
	struct person who;

	if (!split_person(pc->p, line, len, &who))
		return;
	strbuf_addstr(out, label);
	strbuf_add(out, who.name, who.name_len);
	strbuf_addstr(out, " <");
	strbuf_add(out, who.mail, who.mail_len);
	strbuf_addstr(out, ">\n");
	if (date_label) {
		strbuf_addstr(out, date_label);
		date_format(out, who.date, who.tz, &pc->p->date);
		strbuf_addch(out, '\n');
	}
}

static void add_people(struct pretty_commit *pc, struct strbuf *out)
{
	const struct commit_view *v = &pc->v;

	switch (pc->p->kind) {
	case PRETTY_SHORT:
		add_person(pc, "Author: ", NULL, v->author, v->author_len, out);
		break;
	case PRETTY_FULL:
		add_person(pc, "Author: ", NULL, v->author, v->author_len, out);
		add_person(pc, "Commit: ", NULL, v->committer, v->committer_len, out);
		break;
	case PRETTY_FULLER:
		add_person(pc, "Author:     ", "AuthorDate: ", v->author, v->author_len, out);
		add_person(pc, "Commit:     ", "CommitDate: ", v->committer, v->committer_len, out);
		break;
	default:
		add_person(pc, "Author: ", "Date:   ", v->author, v->author_len, out);
	}
}

static void add_merge_line(struct pretty_commit *pc, struct strbuf *out)
{
	uint32_t i;

	if (pc->c->nr_parents < 2)
		return;
	strbuf_addstr(out, "Merge:");
	for (i = 0; i < pc->c->nr_parents; i++) {
		strbuf_addch(out, ' ');
		if (pc->p->abbrev)
			odb_abbrev(pc->p->repo->odb, &pc->c->parents[i]->oid, pc->p->abbrev, out);
		else
			strbuf_add_oid(out, &pc->c->parents[i]->oid);
	}
	strbuf_addch(out, '\n');
}

/* ---- messages ---- */

static size_t without_trailing_blanks(const char *s, size_t len)
{
	while (len && isspace((unsigned char)s[len - 1]))
		len--;
	return len;
}

/* Tabs become blanks, so that columns stand where they did before the indent. */
static void add_expanded(struct strbuf *out, const char *s, size_t len, int columns)
{
	const char *tab;
	size_t width = 0;

	while (columns > 0 && (tab = memchr(s, '\t', len))) {
		int w = utf8_width(s, tab - s, false);

		strbuf_add(out, s, tab - s);
		width += w < 0 ? 0 : (size_t)w;
		do
			strbuf_addch(out, ' ');
		while (++width % columns);
		len -= tab + 1 - s;
		s = tab + 1;
	}
	strbuf_add(out, s, len);
}

static void add_message(struct pretty_commit *pc, bool title_only, int tabs, struct strbuf *out)
{
	const char *s = pc->v.message, *end = s + pc->v.message_len, *eol;
	bool started = false;
	size_t len;

	for (; s < end; s = eol + 1) {
		eol = memchr(s, '\n', end - s);
		if (!eol)
			eol = end;
		len = without_trailing_blanks(s, eol - s);
		if (!len && !started)
			continue;
		if (!len && title_only)
			break;
		started = true;
		strbuf_addchars(out, ' ', 4);
		add_expanded(out, s, len, tabs);
		strbuf_addch(out, '\n');
	}
}

/* What was converted must not say that it is in its old encoding. */
static void add_headers_as_they_are(struct pretty_commit *pc, struct strbuf *out)
{
	const char *end = strstr(pc->text, "\n\n"), *header = NULL, *eol = NULL;
	size_t len = end ? (size_t)(end + 1 - pc->text) : pc->text_len, before;

	if (pc->converted && pc->encoding)
		header = memmem(pc->text, len, "\nencoding ", 10);
	if (header)
		eol = memchr(header + 1, '\n', pc->text + len - header - 1);
	before = eol ? (size_t)(header + 1 - pc->text) : len;
	strbuf_add(out, pc->text, before);
	if (eol) {
		if (!is_encoding_utf8(pc->p->encoding))
			strbuf_addf(out, "encoding %s\n", pc->p->encoding);
		strbuf_add(out, eol + 1, pc->text + len - eol - 1);
	}
	strbuf_complete_line(out);
}

static void built_in_format(struct pretty_commit *pc, struct strbuf *out)
{
	struct pretty *p = pc->p;
	int tabs = p->expand_tabs;

	if (tabs < 0)
		tabs = p->kind == PRETTY_MEDIUM || p->kind == PRETTY_FULL ||
		       p->kind == PRETTY_FULLER ? TAB_COLUMNS : 0;
	if (p->kind == PRETTY_ONELINE) {
		commit_subject(out, pc->v.message, pc->v.message_len, " ");
		if (p->notes)
			notes_format(p->notes, &pc->c->oid, out, false);
		return;
	}
	if (p->kind == PRETTY_RAW) {
		add_headers_as_they_are(pc, out);
	} else {
		add_merge_line(pc, out);
		add_people(pc, out);
	}
	strbuf_addch(out, '\n');
	add_message(pc, p->kind == PRETTY_SHORT, tabs, out);
	/* Empty lines at the end go, even that above a message that is empty. */
	strbuf_rtrim(out);
	strbuf_addch(out, '\n');
	if (p->notes)
		notes_format(p->notes, &pc->c->oid, out, false);
}

/* Columns are counted in UTF-8, so it is expanded in that and converted at the end. */
static int user_format_in_encoding(struct pretty_commit *pc, struct strbuf *out, struct err *err)
{
	const char *to = pc->p->encoding;
	struct strbuf text = STRBUF_INIT;
	char *converted = NULL;
	size_t len;
	int rc = pretty_user_format(pc, &text, err);

	if (!rc && to && *to && !is_encoding_utf8(to))
		converted = reencode_string(text.buf, text.len, to, "UTF-8", &len);
	if (converted)
		strbuf_add(out, converted, len);
	else
		strbuf_addbuf(out, &text);
	free(converted);
	strbuf_release(&text);
	return rc;
}

int pretty_commit(struct pretty *p, struct commit_pool *pool, struct commit *c,
		  struct strbuf *out, struct err *err)
{
	struct pretty_commit pc = { .p = p, .pool = pool, .c = c };
	struct commit_view raw;
	char *text;
	int rc = commit_buffer(pool, c, &pc.text, &pc.text_len, err);

	if (!rc)
		rc = commit_parse(&raw, pc.text, pc.text_len, p->repo->algo, err);
	if (rc < 0)
		return rc;
	pc.encoding = raw.encoding;
	pc.encoding_len = raw.encoding_len;
	text = reencode(p, &raw, pc.text, pc.text_len, &pc.text_len);
	if (text && commit_parse(&pc.v, text, pc.text_len, p->repo->algo, NULL) < 0) {
		FREE_AND_NULL(text); /* UTF-16 and the like: not line by line */
		pc.text_len = c->buffer_len;
	}
	if (text) {
		pc.text = text;
		pc.converted = true;
		commit_view_release(&raw);
	} else {
		pc.v = raw;
	}
	if (p->kind == PRETTY_USER)
		rc = user_format_in_encoding(&pc, out, err);
	else
		built_in_format(&pc, out);
	commit_view_release(&pc.v);
	free(text);
	return rc;
}

/* ---- reflogs ---- */

void pretty_reflog_selector(const struct pretty *p, struct strbuf *out, bool shortened)
{
	struct rev_reflog_info info;
	char *name;

	if (!p->walk || !rev_reflog_info(p->walk, &info))
		return;
	name = shortened ? ref_shorten(p->repo->refs, info.ref, false) : xstrdup(info.ref);
	strbuf_addf(out, "%s@{", name);
	free(name);
	/* By date if the user asked by date, or how dates are to look. */
	if (info.by_date || p->date_explicit)
		date_format(out, info.date, info.tz, &p->date);
	else
		strbuf_addf(out, "%u", info.number);
	strbuf_addch(out, '}');
}

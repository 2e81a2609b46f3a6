/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "history/merge-heads.h"
#include "history/revision/revision.h"
#include "object/commit.h"
#include "object/ident.h"
#include "object/message.h"
#include "object/tag.h"
#include "porcelain/merge-message.h"
#include "repo/ident.h"
#include "sign/sign.h"
#include "util/alloc.h"
#include "util/string-list.h"
#include "util/wildmatch.h"

/* In this order they are in the title. */
enum source_kind { SOURCE_HEAD, SOURCE_BRANCH, SOURCE_REMOTE_BRANCH, SOURCE_TAG, SOURCE_COMMIT, SOURCE_KINDS };
static const char *const kind_name[][2] = {
	[SOURCE_HEAD] = { "HEAD", "HEAD" },
	[SOURCE_BRANCH] = { "branch", "branches" },
	[SOURCE_REMOTE_BRANCH] = { "remote-tracking branch", "remote-tracking branches" },
	[SOURCE_TAG] = { "tag", "tags" },
	[SOURCE_COMMIT] = { "commit", "commits" },
};

struct merge_source {
	struct object_id oid;
	enum source_kind kind;
	char *what;   /* "'topic'", or "" */
	char *origin; /* for the subjects: "topic", "'topic' of url" */
	char *url;
	bool shown;
};

struct source_list {
	struct merge_source *items;
	size_t nr, alloc;
};

/* ---- reading ---- */

static enum source_kind kind_of(const char *text, const char **rest)
{
	static const struct {
		const char *prefix;
		enum source_kind kind;
	} kinds[] = { { "branch ", SOURCE_BRANCH }, { "tag ", SOURCE_TAG }, { "remote-tracking branch ", SOURCE_REMOTE_BRANCH },
		      { "commit ", SOURCE_COMMIT } };

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (skip_prefix(text, kinds[i].prefix, rest))
			return kinds[i].kind;
	*rest = text;
	return *text == '\'' ? SOURCE_COMMIT : SOURCE_HEAD;
}

static const char *find_last(const char *text, const char *word)
{
	const char *found = NULL;

	for (const char *p = text; (p = strstr(p, word)); p++)
		found = p;
	return found;
}

/* The name without its quotes. */
static char *bare_name(const char *what)
{
	size_t len = strlen(what);

	if (len > 1 && what[0] == '\'' && what[len - 1] == '\'')
		return xmemdupz(what + 1, len - 2);
	return xstrdup(what);
}

static char *origin_of(const struct merge_source *s, const char *text)
{
	const bool is_branch = s->kind == SOURCE_BRANCH || s->kind == SOURCE_REMOTE_BRANCH;
	const char *origin = is_branch ? s->what : text;

	if (!strcmp(s->url, "."))
		return bare_name(origin);
	if (!strcmp(s->url, text)) /* nothing but that was in the line */
		return xstrdup(text);
	return strcmp(origin, s->url) ? xstrfmt("%s of %s", origin, s->url) : xstrdup(origin);
}

/* `line` is the description alone. */
static void add_source(struct source_list *l, const struct object_id *oid, const char *line)
{
	const char *of = find_last(line, " of "), *what;
	char *text = of ? xmemdupz(line, (size_t)(of - line)) : xstrdup(line);
	struct merge_source s = { .oid = *oid, .url = xstrdup(of ? of + 4 : line) };

	s.kind = kind_of(text, &what);
	s.what = xstrdup(s.kind == SOURCE_HEAD ? "" : what);
	s.origin = origin_of(&s, text);
	free(text);
	ALLOC_GROW(l->items, l->nr + 1, l->alloc);
	l->items[l->nr++] = s;
}

static int parse_source(struct source_list *l, const struct repository *r, const char *line, size_t nr, struct err *err)
{
	struct object_id oid;
	const char *p;

	if (oid_parse_hex(&oid, line, r->algo, &p) < 0 || *p != '\t')
		return err_set(err, ERR_INVALID, "error in line %zu: %s", nr, line);
	if (starts_with(p + 1, "not-for-merge"))
		return 0;
	if (p[1] != '\t')
		return err_set(err, ERR_INVALID, "error in line %zu: %s", nr, line);
	add_source(l, &oid, p + 2);
	return 0;
}

static int parse_sources(struct source_list *l, const struct repository *r, const char *lines, struct err *err)
{
	struct strbuf line = STRBUF_INIT;
	size_t nr = 0;
	int rc = 0;

	for (const char *p = lines; !rc && *p;) {
		size_t len = strcspn(p, "\n");

		strbuf_reset(&line);
		strbuf_add(&line, p, len);
		rc = parse_source(l, r, line.buf, ++nr, err);
		p += len + (p[len] == '\n');
	}
	strbuf_release(&line);
	return rc;
}

/* ---- which ones count ---- */

static void free_source(struct merge_source *s)
{
	free(s->what);
	free(s->origin);
	free(s->url);
}

static void free_sources(struct source_list *l)
{
	for (size_t i = 0; i < l->nr; i++)
		free_source(&l->items[i]);
	free(l->items);
}

static struct commit *commit_of_source(struct commit_pool *p, struct repository *r, const struct merge_source *s)
{
	struct err ignored = ERR_INIT;
	struct object_id oid;
	bool found = !object_peel(odb_source(r->odb), &s->oid, OBJ_COMMIT, &oid, NULL, &ignored);

	err_release(&ignored);
	return found ? commit_lookup(p, &oid) : NULL;
}

static bool is_in_list(const struct commit_list *l, const struct commit *c)
{
	for (size_t i = 0; i < l->nr; i++)
		if (l->items[i] == c)
			return true;
	return false;
}

static int reduce_sources(struct source_list *l, struct repository *r, struct err *err)
{
	struct commit_list heads = COMMIT_LIST_INIT;
	struct commit_pool *p = NULL;
	struct object_id head;
	size_t kept = 0;
	int rc;

	rc = ref_resolve(r->refs, "HEAD", &head, NULL, NULL, err);
	if (!rc)
		rc = commit_pool_new(&p, r, err);
	if (!rc)
		commit_list_add(&heads, commit_lookup(p, &head));
	for (size_t i = 0; !rc && i < l->nr; i++) {
		struct commit *c = commit_of_source(p, r, &l->items[i]);

		if (c)
			commit_list_add(&heads, c);
	}
	if (!rc)
		rc = commits_reduce(p, &heads, err);
	for (size_t i = 0; !rc && i < l->nr; i++) {
		if (is_in_list(&heads, commit_of_source(p, r, &l->items[i])))
			l->items[kept++] = l->items[i];
		else
			free_source(&l->items[i]);
	}
	l->nr = rc ? l->nr : kept;
	commit_list_clear(&heads);
	commit_pool_free(p);
	return rc;
}

/* ---- the title ---- */

static bool suppresses(const struct repository *r, const char *branch)
{
	size_t nr = 0;
	const struct config_entry *const *all = config_get_all(r->config, "merge.suppressdest", &nr);
	bool yes = false;

	if (!nr)
		return !strcmp(branch, "master") || !strcmp(branch, "main");
	for (size_t i = 0; i < nr; i++) {
		const char *glob = all[i]->value;

		if (!glob || !*glob)
			yes = false;
		else
			yes |= wildmatch(glob, branch, WM_PATHNAME);
	}
	return yes;
}

static size_t count_kind(const struct source_list *l, const char *url, enum source_kind kind)
{
	size_t nr = 0;

	for (size_t i = 0; i < l->nr; i++)
		nr += l->items[i].kind == kind && !strcmp(l->items[i].url, url);
	return nr;
}

/* "branches 'a', 'b' and 'c'" */
static void add_kind(struct strbuf *out, const struct source_list *l, const char *url, enum source_kind kind, size_t nr)
{
	size_t at = 0;

	strbuf_addstr(out, kind_name[kind][nr > 1]);
	for (size_t i = 0; i < l->nr && kind != SOURCE_HEAD; i++) {
		if (l->items[i].kind != kind || strcmp(l->items[i].url, url))
			continue;
		strbuf_addf(out, "%s%s", !at ? " " : at + 1 < nr ? ", " : " and ", l->items[i].what);
		at++;
	}
}

static void add_url(struct strbuf *out, struct source_list *l, const char *url)
{
	size_t all = 0, heads = count_kind(l, url, SOURCE_HEAD);
	const char *sep = "";
	bool is_description = false;

	for (size_t i = 0; i < l->nr; i++) {
		if (strcmp(l->items[i].url, url))
			continue;
		all++;
		l->items[i].shown = true;
	}
	if (heads == all) {
		strbuf_addstr(out, url);
		return;
	}
	for (int kind = 0; kind < SOURCE_KINDS; kind++) {
		size_t nr = count_kind(l, url, (enum source_kind)kind);

		if (!nr)
			continue;
		strbuf_addstr(out, sep);
		sep = ", ";
		add_kind(out, l, url, (enum source_kind)kind, nr);
		is_description |= kind_name[kind][0] && starts_with(url, kind_name[kind][0]);
	}
	if (strcmp(url, ".") && !is_description)
		strbuf_addf(out, " of %s", url);
}

static void add_title(struct repository *r, struct strbuf *out, struct source_list *l, const char *into)
{
	struct object_id head;
	char *branch = NULL;

	if (!into) {
		if (ref_resolve(r->refs, "HEAD", &head, &branch, NULL, NULL) < 0 && !branch)
			branch = xstrdup("HEAD");
		into = branch;
		skip_prefix(into, "refs/heads/", &into);
	}
	strbuf_addstr(out, "Merge ");
	for (size_t i = 0, nr = 0; i < l->nr; i++) {
		if (l->items[i].shown)
			continue;
		strbuf_addstr(out, nr++ ? "; " : "");
		add_url(out, l, l->items[i].url);
	}
	if (suppresses(r, into))
		strbuf_addch(out, '\n');
	else
		strbuf_addf(out, " into %s\n", into);
	free(branch);
}

/* ---- tags ---- */

static int add_signature_output(struct repository *r, struct strbuf *out, const struct object_buf *buf, char comment,
				struct err *err)
{
	struct signature_check c = SIGNATURE_CHECK_INIT;
	int rc = signature_check_tag(&c, r, buf->data, buf->size, err);

	if (!rc && c.output && *c.output) {
		strbuf_addch(out, '\n');
		message_add_commented(out, c.output, strlen(c.output), comment);
	}
	signature_check_release(&c);
	return rc;
}

/* The message of an annotated tag, without its signature. The check of the signature is a comment. */
static int add_tag(struct repository *r, struct strbuf *out, const struct object_id *oid, char comment, struct err *err)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	struct tag_view v;
	int rc = odb_read(r->odb, oid, &buf, err);

	if (!rc && buf.type == OBJ_TAG) {
		rc = tag_parse(&v, buf.data, buf.size, r->algo, err);
		if (!rc) {
			strbuf_addch(out, '\n');
			strbuf_add(out, v.message, v.signature_offset);
			strbuf_complete_line(out);
		}
		if (!rc && v.signature_offset < v.message_len)
			rc = add_signature_output(r, out, &buf, comment, err);
	}
	object_buf_release(&buf);
	return rc;
}

/* ---- people ---- */

static void count_person(struct string_list *people, const char *line, size_t len)
{
	struct ident_split id;
	struct string_list_item *item;
	char *name;

	if (ident_split_line(&id, line, len))
		return;
	name = xmemdupz(id.name, id.name_len);
	item = string_list_insert(people, name);
	item->util = (void *)((uintptr_t)item->util + 1);
	free(name);
}

/* The most frequent one first; they are sorted by name. */
static const struct string_list_item *nth_person(const struct string_list *people, const struct string_list_item *not)
{
	const struct string_list_item *best = NULL;

	for (size_t i = 0; i < people->nr; i++)
		if (people->items + i != not && (!best || people->items[i].util > best->util))
			best = people->items + i;
	return best;
}

static bool is_user(struct repository *r, const char *name, unsigned whose)
{
	struct strbuf line = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct ident_split id;
	bool yes = false;

	if (!repo_ident(r, &line, whose, &err) && !ident_split_line(&id, line.buf, line.len))
		yes = strlen(name) == id.name_len && !memcmp(name, id.name, id.name_len);
	err_release(&err);
	strbuf_release(&line);
	return yes;
}

/* "By A", "By A (2) and B (1)", "By A (3) and others". The user alone needs no line. */
static void add_credit_line(struct repository *r, const struct string_list *people, unsigned whose, char comment,
			    struct strbuf *out)
{
	const char *label = whose == IDENT_AUTHOR ? "By" : "Via";
	const struct string_list_item *first = nth_person(people, NULL), *second = nth_person(people, first);

	if (!first || (people->nr == 1 && is_user(r, first->string, whose)))
		return;
	strbuf_addf(out, "\n%c %s %s", comment, label, first->string);
	if (second)
		strbuf_addf(out, " (%zu) and ", (size_t)(uintptr_t)first->util);
	if (people->nr > 2)
		strbuf_addstr(out, "others");
	else if (second)
		strbuf_addf(out, "%s (%zu)", second->string, (size_t)(uintptr_t)second->util);
}

/* ---- subjects ---- */

/* One side of a merge. */
struct side_log {
	size_t nr, limit;	/* of subjects */
	struct strbuf subjects;
	bool credits;
	struct string_list authors, committers;
};

static void add_subject(struct side_log *log, const struct commit *c, const struct commit_view *v)
{
	if (++log->nr > log->limit)
		return;
	strbuf_addstr(&log->subjects, "  ");
	if (v->message_len)
		commit_subject(&log->subjects, v->message, v->message_len, " ");
	else
		strbuf_addstr(&log->subjects, oid_hex(&c->oid));
	strbuf_addch(&log->subjects, '\n');
}

/* Merges have no subject here. Their committers are named, and the one of the youngest other commit. */
static int add_commit_of_side(struct side_log *log, struct rev_walk *w, struct commit *c, struct err *err)
{
	const bool merge = c->nr_parents > 1;
	struct commit_view v = { 0 };
	const char *buf;
	size_t len;
	int rc = commit_buffer(w->pool, c, &buf, &len, err);

	if (!rc)
		rc = commit_parse(&v, buf, len, w->repo->algo, err);
	if (!rc && log->credits && (merge || !log->nr))
		count_person(&log->committers, v.committer, v.committer_len);
	if (!rc && log->credits && !merge)
		count_person(&log->authors, v.author, v.author_len);
	if (!rc && !merge)
		add_subject(log, c, &v);
	commit_view_release(&v);
	return rc;
}

static int walk_side(struct repository *r, const struct merge_source *s, struct side_log *log, struct err *err)
{
	char *name = xstrfmt("%s^0", oid_hex(&s->oid));
	const char *argv[] = { "", name, "--not", "HEAD", NULL };
	struct rev_walk *w = NULL;
	struct commit *c;
	int rc = rev_walk_new(&w, r, err);

	if (!rc)
		rc = rev_walk_arguments(w, ref_exists(r->refs, "HEAD") ? 4 : 2, argv, NULL, err);
	if (!rc)
		rc = rev_walk_begin(w, err);
	while (!rc && (rc = rev_walk_next(w, &c, err)) > 0)
		rc = add_commit_of_side(log, w, c, err);
	rev_walk_free(w);
	free(name);
	return rc;
}

/* merge.branchdesc: the description of a branch of this repository, line by line. The origin of another one has a URL. */
static int add_description(struct repository *r, const struct merge_source *s, struct strbuf *out, struct err *err)
{
	char *key = xstrfmt("branch.%s.description", s->origin);
	const struct config_entry *e = config_get(r->config, key);
	bool wanted = false;
	int rc = config_get_bool(r->config, "merge.branchdesc", &wanted, err);

	free(key);
	if (rc < 0 || !wanted || s->kind != SOURCE_BRANCH || !e || !e->value)
		return rc < 0 ? rc : 0;
	for (const char *p = e->value; *p; p += strcspn(p, "\n"), p += *p == '\n')
		strbuf_addf(out, "  : %.*s\n", (int)strcspn(p, "\n"), p);
	return 0;
}

static int add_log(struct repository *r, const struct merge_source *s, const struct merge_message_options *o,
		   struct strbuf *out, struct err *err)
{
	struct side_log log = { .limit = (size_t)o->log, .subjects = STRBUF_INIT, .credits = o->credits };
	int rc = walk_side(r, s, &log, err);

	if (!rc) {
		add_credit_line(r, &log.authors, IDENT_AUTHOR, o->comment_char, out);
		add_credit_line(r, &log.committers, IDENT_COMMITTER, o->comment_char, out);
		strbuf_addf(out, "\n* %s:", s->origin);
		if (log.nr > log.limit)
			strbuf_addf(out, " (%zu commits)", log.nr);
		strbuf_addch(out, '\n');
		rc = add_description(r, s, out, err);
	}
	strbuf_addbuf(out, &log.subjects);
	if (log.nr > log.limit)
		strbuf_addstr(out, "  ...\n");
	strbuf_release(&log.subjects);
	string_list_clear(&log.authors, NULL);
	string_list_clear(&log.committers, NULL);
	return rc;
}

/* ---- all ---- */

int merge_message_format(struct repository *r, const char *lines, const struct merge_message_options *o,
			 struct strbuf *out, struct err *err)
{
	struct source_list l = { 0 };
	int rc = o->reduce && !ref_exists(r->refs, "HEAD") ? err_set(err, ERR_NOT_FOUND, "No current branch") : 0;

	if (!rc)
		rc = parse_sources(&l, r, lines, err);
	if (!rc && o->reduce)
		rc = reduce_sources(&l, r, err);
	if (!rc && o->first && !o->no_title) {
		strbuf_addstr(out, o->first);
		strbuf_complete_line(out);
	} else if (!rc && l.nr && !o->no_title) {
		add_title(r, out, &l, o->into_name);
	}
	for (size_t i = 0; !rc && i < l.nr && !o->first && !o->no_title; i++)
		rc = add_tag(r, out, &l.items[i].oid, o->comment_char, err);
	for (size_t i = 0; !rc && i < l.nr && o->log; i++)
		rc = add_log(r, &l.items[i], o, out, err);
	free_sources(&l);
	return rc;
}

/* ---- conflicts ---- */

void merge_message_add_conflicts(struct strbuf *out, const struct index_state *stages, bool scissors, char comment_char)
{
	struct strbuf text = STRBUF_INIT;
	const char *last = "";

	strbuf_addch(out, '\n');
	if (scissors)
		message_add_scissors(out, comment_char);
	strbuf_addstr(&text, scissors ? "\nConflicts:\n" : "Conflicts:\n");
	for (size_t i = 0; i < stages->nr; i++) {
		const char *name = stages->entries[i]->name;

		if (strcmp(name, last))
			strbuf_addf(&text, "\t%s\n", name);
		last = name;
	}
	message_add_commented(out, text.buf, text.len, comment_char);
	strbuf_release(&text);
}

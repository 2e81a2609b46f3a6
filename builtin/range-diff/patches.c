/* SPDX-License-Identifier: GPL-2.0-only */
/* The commits of a range as texts that can be compared: what git log -p prints of them, rewritten in sections. */
#include "compat/posix.h"
#include "builtin/log/log.h"
#include "builtin/range-diff/range-diff.h"
#include "object/commit.h"
#include "util/alloc.h"
#include "util/quote.h"

/* ---- the header of a file's differences ---- */

struct file_header {
	char *old_name, *new_name;
	unsigned old_mode, new_mode; /* 0: not said */
	bool is_new, is_deleted, is_rename;
};

static void file_header_release(struct file_header *h)
{
	free(h->old_name);
	free(h->new_name);
	*h = (struct file_header){ 0 };
}

static char *plain_name(const char *s, size_t len)
{
	char *quoted = xstrndup(s, len);
	struct strbuf name = STRBUF_INIT;

	if (*quoted == '"' && unquote_c_style(&name, quoted, NULL) >= 0) {
		free(quoted);
		return strbuf_detach(&name, NULL);
	}
	strbuf_release(&name);
	return quoted;
}

/* "diff --git NAME NAME": a file that keeps its name. */
static void set_common_name(struct file_header *h, const char *names, size_t len)
{
	size_t half = len / 2;

	if (len % 2 && names[half] == ' ' && !memcmp(names, names + half + 1, half)) {
		h->old_name = plain_name(names, half);
		h->new_name = xstrdup(h->old_name);
	}
}

static void set_name(char **name, const char *s, const char *end)
{
	free(*name);
	*name = plain_name(s, end - s);
}

/* A line below "diff --git". False: it is not part of the header. */
static bool read_header_line(struct file_header *h, const char *line, const char *end)
{
	const char *value;

	if (skip_prefix(line, "old mode ", &value) || skip_prefix(line, "deleted file mode ", &value)) {
		h->old_mode = (unsigned)strtoul(value, NULL, 8);
		h->is_deleted = line[0] == 'd';
	} else if (skip_prefix(line, "new mode ", &value) || skip_prefix(line, "new file mode ", &value)) {
		h->new_mode = (unsigned)strtoul(value, NULL, 8);
		h->is_new = line[4] == 'f';
	} else if (skip_prefix(line, "rename from ", &value) || skip_prefix(line, "copy from ", &value)) {
		set_name(&h->old_name, value, end);
		h->is_rename |= line[0] == 'r';
	} else if (skip_prefix(line, "rename to ", &value) || skip_prefix(line, "copy to ", &value)) {
		set_name(&h->new_name, value, end);
	} else {
		return starts_with(line, "similarity index ") || starts_with(line, "dissimilarity index ") ||
		       starts_with(line, "index ") || starts_with(line, "--- ") || starts_with(line, "+++ ");
	}
	return true;
}

static void add_title(struct strbuf *out, const struct file_header *h)
{
	strbuf_addstr(out, " ## ");
	if (h->is_new)
		strbuf_addf(out, "%s (new)", h->new_name);
	else if (h->is_deleted)
		strbuf_addf(out, "%s (deleted)", h->old_name);
	else if (h->is_rename)
		strbuf_addf(out, "%s => %s", h->old_name, h->new_name);
	else
		strbuf_addstr(out, h->new_name);
	if (h->old_mode && h->new_mode && h->old_mode != h->new_mode)
		strbuf_addf(out, " (mode change %06o => %06o)", h->old_mode, h->new_mode);
	strbuf_addstr(out, " ##\n");
}

/* ---- lines of the log ---- */

struct patch_reader_state {
	struct range_patches *patches;
	const struct hash_algo *algo;
	bool in_message; /* no difference has begun */
	bool in_header;
	char *file;	 /* name in hunk headers; NULL: none */
	struct file_header header;
};

static struct range_patch *last_patch(struct patch_reader_state *s)
{
	return &s->patches->items[s->patches->nr - 1];
}

static void start_patch(struct patch_reader_state *s, const char *hex)
{
	struct range_patches *l = s->patches;
	struct range_patch p = { .text = STRBUF_INIT, .match = -1 };

	if (oid_parse_hex(&p.oid, hex, s->algo, NULL) < 0)
		return;
	ALLOC_GROW(l->items, l->nr + 1, l->alloc);
	l->items[l->nr++] = p;
	s->in_message = true;
	s->in_header = false;
}

static void add_message_line(struct patch_reader_state *s, const char *line, const char *end)
{
	struct strbuf *text = &last_patch(s)->text;

	if (starts_with(line, "Author: ")) {
		strbuf_addstr(text, " ## Metadata ##\n");
		strbuf_add(text, line, end - line);
		strbuf_addstr(text, "\n\n ## Commit message ##\n");
	} else if (starts_with(line, "Notes") && end[-1] == ':') {
		strbuf_addstr(text, "\n\n ## ");
		strbuf_add(text, line, end - line - 1);
		strbuf_addstr(text, " ##\n");
	} else if (starts_with(line, "    ")) {
		while (end > line && isspace((unsigned char)end[-1]))
			end--;
		strbuf_add(text, line, end - line);
		strbuf_addch(text, '\n');
	}
}

static void start_file(struct patch_reader_state *s, const char *names, const char *end)
{
	struct range_patch *p = last_patch(s);

	s->in_message = false;
	s->in_header = true;
	file_header_release(&s->header);
	set_common_name(&s->header, names, end - names);
	strbuf_addch(&p->text, '\n');
	if (!p->diff_at)
		p->diff_at = p->text.len;
}

static void end_header(struct patch_reader_state *s)
{
	struct file_header *h = &s->header;

	s->in_header = false;
	if (!h->old_name || !h->new_name)
		return;
	add_title(&last_patch(s)->text, h);
	last_patch(s)->diff_lines++;
	free(s->file);
	s->file = xstrdup(h->is_deleted ? h->old_name : h->new_name);
}

static void add_hunk_header(struct patch_reader_state *s, const char *line, const char *end)
{
	struct strbuf *text = &last_patch(s)->text;
	const char *name = strstr(line + 3, "@@");

	strbuf_addstr(text, "@@");
	if (name && name[2] && s->file) {
		strbuf_addf(text, " %s:", s->file);
		strbuf_add(text, name + 2, end - name - 2);
	}
}

static void add_diff_line(struct patch_reader_state *s, const char *line, const char *end)
{
	struct strbuf *text = &last_patch(s)->text;

	if (line == end || starts_with(line, "index "))
		return;
	if (starts_with(line, "@@ ")) {
		add_hunk_header(s, line, end);
	} else {
		bool marked = *line == '>' || *line == '<' || *line == '#';

		strbuf_addch(text, *line == '>' ? '+' : *line == '<' ? '-' : ' ');
		strbuf_add(text, line + marked, end - line - marked);
	}
	strbuf_addch(text, '\n');
	last_patch(s)->diff_lines++;
}

/* The line ends at `end` in a NUL. */
static void read_log_line(struct patch_reader_state *s, const char *line, const char *end)
{
	const char *rest;

	if (s->in_header && (end == line || !read_header_line(&s->header, line, end)))
		end_header(s);
	if (s->in_header)
		return;
	if (skip_prefix(line, "commit ", &rest))
		start_patch(s, rest);
	else if (!s->patches->nr)
		return;
	else if (skip_prefix(line, "diff --git ", &rest))
		start_file(s, rest, end);
	else if (s->in_message)
		add_message_line(s, line, end);
	else
		add_diff_line(s, line, end);
}

static void read_log_text(struct patch_reader_state *s, struct strbuf *text)
{
	char *line = text->buf, *stop = line + text->len, *end;

	for (; line < stop; line = end + 1) {
		end = memchr(line, '\n', stop - line);
		if (!end)
			end = stop;
		*end = '\0';
		read_log_line(s, line, end);
	}
	if (s->in_header)
		end_header(s);
}

/* ---- the log ---- */

static int keep_text(void *data, struct strbuf *text, struct err *err UNUSED)
{
	strbuf_addbuf(data, text);
	strbuf_reset(text);
	return 0;
}

static int set_subject(struct range_patch *p, struct log_options *log, struct commit *c, struct err *err)
{
	struct pretty style;
	struct strbuf subject = STRBUF_INIT;
	int rc;

	pretty_init(&style, log->repo);
	style.kind = PRETTY_ONELINE;
	style.encoding = log->pretty.encoding;
	rc = pretty_commit(&style, log->walk->pool, c, &subject, err);
	pretty_release(&style);
	p->subject = strbuf_detach(&subject, NULL);
	return rc;
}

static int read_commit(struct patch_reader_state *s, struct log_options *log, struct commit *c, struct strbuf *text,
		       struct err *err)
{
	size_t from = s->patches->nr;
	int rc = log_show_commit(log, c, err);

	if (rc < 0)
		return rc;
	read_log_text(s, text);
	strbuf_reset(text);
	for (rc = 0; !rc && from < s->patches->nr; from++)
		rc = set_subject(&s->patches->items[from], log, c, err);
	commit_release_buffer(c);
	return rc;
}

static int read_commits(struct patch_reader_state *s, struct log_options *log, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	struct commit *c;
	int rc = rev_walk_begin(log->walk, err);

	log->emit = keep_text;
	log->emit_data = &text;
	while (rc >= 0 && (rc = rev_walk_next(log->walk, &c, err)) > 0)
		rc = read_commit(s, log, c, &text, err);
	strbuf_release(&text);
	return rc;
}

static int start_log(struct log_options *log, const struct range_diff_options *o, const char *range, struct err *err)
{
	static const char *const fixed[] = {
		"log", "--no-color", "-p", "--reverse", "--date-order", "--decorate=no", "--no-prefix", "--submodule=short",
		"--output-indicator-new=>", "--output-indicator-old=<", "--output-indicator-context=#", "--no-abbrev-commit",
		"--pretty=medium", NULL
	};
	struct strvec args = STRVEC_INIT;
	size_t i = 0;
	int rc = rev_grep_config(log->walk, o->repo->config, err);

	strvec_pushv(&args, (const char **)fixed);
	for (; i < o->log_args.nr && o->log_args.v[i][0] == '-' && strcmp(o->log_args.v[i], "--"); i++)
		strvec_push(&args, o->log_args.v[i]);
	strvec_push(&args, range);
	for (; i < o->log_args.nr; i++)
		strvec_push(&args, o->log_args.v[i]);
	log->show_notes = -1;
	log->format_given = false;
	if (!rc)
		rc = log_options_parse(log, (int)args.nr, (const char **)args.v, err);
	log->format_given = false; /* notes are shown by default */
	if (!rc)
		rc = log_options_resolve(log, err);
	strvec_clear(&args);
	return rc;
}

int range_patches_read(struct range_patches *out, const struct range_diff_options *o, const char *range, struct err *err)
{
	struct patch_reader_state s = { .patches = out, .algo = o->repo->algo };
	struct log_options log;
	int rc = log_options_init(&log, o->repo, err);

	if (!rc)
		rc = start_log(&log, o, range, err);
	if (!rc)
		rc = read_commits(&s, &log, err);
	log_options_release(&log);
	file_header_release(&s.header);
	free(s.file);
	return rc;
}

const char *range_patch_diff(const struct range_patch *p, size_t *len)
{
	*len = p->text.len - p->diff_at;
	return p->text.buf + p->diff_at;
}

void range_patches_release(struct range_patches *p)
{
	for (size_t i = 0; i < p->nr; i++) {
		strbuf_release(&p->items[i].text);
		free(p->items[i].subject);
		free(p->items[i].hashes);
	}
	FREE_AND_NULL(p->items);
	p->nr = p->alloc = 0;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* git-am(1): the files in rebase-apply/, which are those of Git. */
#include "compat/posix.h"
#include "builtin/am/am-cmd.h"
#include "repo/state.h"
#include "util/alloc.h"
#include "util/quote.h"

bool am_in_progress(const struct am_cmd *c)
{
	return repo_state_exists(c->r, STATE_REBASE_APPLY_NEXT) && repo_state_exists(c->r, STATE_REBASE_APPLY_LAST);
}

bool am_patch_is_empty(const struct am_cmd *c)
{
	char *path;
	struct stat st;
	bool yes;

	if (c->mail.has_text)
		return !c->mail.patch.len;
	path = am_path(c, "patch");
	yes = stat(path, &st) < 0 || !st.st_size;
	free(path);
	return yes;
}

/* ---- reading ---- */

static int read_count(const struct am_cmd *c, enum repo_state_file f, size_t *out, struct err *err)
{
	char *line = repo_state_line(c->r, f), *end = NULL;
	unsigned long n = line ? strtoul(line, &end, 10) : 0;
	bool good = line && end > line && !*end && n < INT_MAX;

	free(line);
	if (!good)
		return err_set(err, ERR_CORRUPT, "Corrupt %s file", repo_state_name(f));
	*out = n;
	return 0;
}

static bool is_word(const char *line, const char *word)
{
	return line && !strcmp(line, word);
}

static void read_switch(const struct am_cmd *c, enum repo_state_file f, int *out)
{
	char *line = repo_state_line(c->r, f);

	*out = is_word(line, "t");
	free(line);
}

static int set_unparsed(const struct am_cmd *c, const char *name, struct err *err)
{
	char *path = am_path(c, name);
	int rc = err_set(err, ERR_CORRUPT, "could not parse %s", path);

	free(path);
	return rc;
}

static int parse_quoted_cr(struct am_cmd *c, const char *line, struct err *err)
{
	struct am_settings *s = &c->s;

	s->has_quoted_cr = line && *line;
	if (!s->has_quoted_cr || quoted_cr_parse(line, &s->quoted_cr))
		return 0;
	return set_unparsed(c, "quoted-cr", err);
}

static int read_choices(struct am_cmd *c, struct err *err)
{
	struct am_settings *s = &c->s;
	char *line = repo_state_line(c->r, STATE_REBASE_APPLY_KEEP);
	int rc;

	s->keep = is_word(line, "t") ? AM_KEEP_ALL : is_word(line, "b") ? AM_KEEP_NON_PATCH : AM_KEEP_NOT;
	free(line);
	line = repo_state_line(c->r, STATE_REBASE_APPLY_SCISSORS);
	s->scissors = !line || !*line ? AM_SCISSORS_UNSET : is_word(line, "t") ? AM_SCISSORS_ON : AM_SCISSORS_OFF;
	free(line);
	line = repo_state_line(c->r, STATE_REBASE_APPLY_QUOTED_CR);
	rc = parse_quoted_cr(c, line, err);
	free(line);
	line = repo_state_line(c->r, STATE_REBASE_APPLY_RERERE);
	s->rerere_autoupdate = !line ? -1 : is_word(line, "t");
	free(line);
	return rc;
}

static int read_apply_options(struct am_cmd *c, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	const char *p;
	int rc = repo_state_read(c->r, STATE_REBASE_APPLY_OPTIONS, &text, NULL) == ERR_IO ? ERR_IO : 0;

	strvec_clear(&c->s.apply_options);
	for (p = text.buf; !rc && *(p += strspn(p, " \n"));) {
		char *word = sq_dequote_step(p, &p);

		if (!word)
			rc = set_unparsed(c, "apply-opt", err);
		else
			strvec_push(&c->s.apply_options, word);
		free(word);
	}
	strbuf_release(&text);
	return rc;
}

/* GIT_AUTHOR_NAME='…' and so on. */
struct author_line {
	const char *key;
	struct strbuf *to;
	bool given;
};

#define AUTHOR_LINES 3

/* AUTHOR_LINES: there is no such key. */
static size_t find_author_key(const struct author_line *lines, const char *key)
{
	size_t i = 0;

	while (i < AUTHOR_LINES && strcmp(lines[i].key, key))
		i++;
	return i;
}

/* Take the line at *at, and move on to the next one. -1: the line cannot be read. Any fault is reported. */
static int take_author_line(struct author_line *lines, char **at, bool *good)
{
	char *line = *at, *eol = strchrnul(line, '\n'), *equals, *word;
	const char *end;
	size_t i;

	*at = *eol ? eol + 1 : eol;
	*eol = '\0';
	equals = strchr(line, '=');
	if (!equals)
		return error("no key present in '%s'", line);
	*equals = '\0';
	word = sq_dequote_step(equals + 1, &end);
	if (!word || *end) {
		free(word);
		return error("unable to dequote value of '%s'", line);
	}
	i = find_author_key(lines, line);
	if (i == AUTHOR_LINES || lines[i].given) {
		error(i == AUTHOR_LINES ? "unknown variable '%s'" : "'%s' already given", line);
		*good = false;
	} else {
		lines[i].given = true;
		strbuf_reset(lines[i].to);
		strbuf_addstr(lines[i].to, word);
	}
	free(word);
	return 0;
}

static int parse_author(struct am_mail *m, char *text)
{
	struct author_line lines[AUTHOR_LINES] = {
		{ "GIT_AUTHOR_NAME", &m->author, false },
		{ "GIT_AUTHOR_EMAIL", &m->email, false },
		{ "GIT_AUTHOR_DATE", &m->date, false },
	};
	bool good = true;

	while (*text)
		if (take_author_line(lines, &text, &good) < 0)
			return -1;
	for (size_t i = 0; i < AUTHOR_LINES; i++)
		if (!lines[i].given) {
			error("missing '%s'", lines[i].key);
			good = false;
		}
	return good ? 0 : -1;
}

static int read_author(struct am_cmd *c, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int rc = 0;

	if (repo_state_exists(c->r, STATE_REBASE_APPLY_AUTHOR_SCRIPT))
		rc = repo_state_read(c->r, STATE_REBASE_APPLY_AUTHOR_SCRIPT, &text, err);
	if (!rc && text.len && parse_author(&c->mail, text.buf) < 0)
		rc = err_set(err, ERR_CORRUPT, "could not parse author script");
	strbuf_release(&text);
	return rc;
}

static int read_message(struct am_cmd *c, struct err *err)
{
	am_mail_reset(&c->mail);
	c->mail.has_message = repo_state_exists(c->r, STATE_REBASE_APPLY_FINAL_COMMIT);
	return c->mail.has_message ? repo_state_read(c->r, STATE_REBASE_APPLY_FINAL_COMMIT, &c->mail.message, err) : 0;
}

/* What the commits have become is read once: later it is in memory. */
static int read_rebase(struct am_cmd *c, struct err *err)
{
	const enum repo_state_file original = STATE_REBASE_APPLY_ORIGINAL_COMMIT;

	c->rebasing = repo_state_exists(c->r, STATE_REBASE_APPLY_REBASING);
	if (!c->rebasing)
		return 0;
	if (!repo_state_oid(c->r, original, &c->mail.commit) && repo_state_exists(c->r, original))
		return set_unparsed(c, "original-commit", err);
	if (c->begun || !repo_state_exists(c->r, STATE_REBASE_APPLY_REWRITTEN))
		return 0;
	return repo_state_read(c->r, STATE_REBASE_APPLY_REWRITTEN, &c->rewritten, err);
}

int am_load(struct am_cmd *c, struct err *err)
{
	struct am_settings *s = &c->s;
	int rc = read_count(c, STATE_REBASE_APPLY_NEXT, &c->next, err);

	c->stopped_at = c->next;
	if (!rc)
		rc = read_count(c, STATE_REBASE_APPLY_LAST, &c->last, err);
	if (!rc)
		rc = read_message(c, err);
	if (!rc)
		rc = read_author(c, err);
	if (!rc)
		rc = read_rebase(c, err);
	read_switch(c, STATE_REBASE_APPLY_THREEWAY, &s->threeway);
	read_switch(c, STATE_REBASE_APPLY_QUIET, &s->quiet);
	read_switch(c, STATE_REBASE_APPLY_SIGN, &s->signoff);
	read_switch(c, STATE_REBASE_APPLY_UTF8, &s->utf8);
	read_switch(c, STATE_REBASE_APPLY_MESSAGE_ID, &s->message_id);
	if (!rc)
		rc = read_choices(c, err);
	c->begun = true;
	return rc ? rc : read_apply_options(c, err);
}

/* ---- writing ---- */

static int write_line(struct am_cmd *c, enum repo_state_file f, const char *text, struct err *err)
{
	char *line = xstrfmt("%s%s", text, *text ? "\n" : "");
	int rc = repo_operation_write_state(c->op, f, line, strlen(line), err);

	free(line);
	return rc;
}

static int write_switch(struct am_cmd *c, enum repo_state_file f, bool on, struct err *err)
{
	return write_line(c, f, on ? "t" : "f", err);
}

static int write_buf(struct am_cmd *c, enum repo_state_file f, const struct strbuf *text, struct err *err)
{
	return repo_operation_write_state(c->op, f, text->buf, text->len, err);
}

static int write_mails(struct am_cmd *c, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < c->mails.nr; i++) {
		const struct strbuf *text = &c->mails.texts[i];
		char *name = xstrfmt("%04zu", i + 1);

		rc = repo_operation_write_state_in(c->op, STATE_REBASE_APPLY, name, text->buf, text->len, err);
		free(name);
	}
	return rc;
}

static int write_choices(struct am_cmd *c, struct err *err)
{
	static const char *const keep[] = { [AM_KEEP_NOT] = "f", [AM_KEEP_ALL] = "t", [AM_KEEP_NON_PATCH] = "b" };
	static const char *const scissors[] = { [AM_SCISSORS_UNSET] = "", [AM_SCISSORS_OFF] = "f", [AM_SCISSORS_ON] = "t" };
	static const char *const quoted[] = { [QUOTED_CR_NOWARN] = "nowarn", [QUOTED_CR_WARN] = "warn", [QUOTED_CR_STRIP] = "strip" };
	const struct am_settings *s = &c->s;
	struct strbuf options = STRBUF_INIT;
	int rc = write_line(c, STATE_REBASE_APPLY_KEEP, keep[s->keep], err);

	if (!rc)
		rc = write_line(c, STATE_REBASE_APPLY_SCISSORS, scissors[s->scissors], err);
	if (!rc)
		rc = write_line(c, STATE_REBASE_APPLY_QUOTED_CR, s->has_quoted_cr ? quoted[s->quoted_cr] : "", err);
	if (!rc && s->rerere_autoupdate >= 0)
		rc = write_switch(c, STATE_REBASE_APPLY_RERERE, s->rerere_autoupdate, err);
	sq_quote_argv(&options, s->apply_options.v);
	if (!rc)
		rc = write_line(c, STATE_REBASE_APPLY_OPTIONS, options.buf, err);
	strbuf_release(&options);
	return rc;
}

int am_write_beginning(struct am_cmd *c, struct err *err)
{
	const struct am_settings *s = &c->s;
	int rc = write_mails(c, err);

	if (!rc)
		rc = write_switch(c, STATE_REBASE_APPLY_THREEWAY, s->threeway, err);
	if (!rc && !(c->rebase && s->quiet)) /* that of a rebase is empty */
		rc = write_switch(c, STATE_REBASE_APPLY_QUIET, s->quiet, err);
	if (!rc)
		rc = write_switch(c, STATE_REBASE_APPLY_SIGN, s->signoff, err);
	if (!rc)
		rc = write_switch(c, STATE_REBASE_APPLY_UTF8, s->utf8, err);
	if (!rc)
		rc = write_switch(c, STATE_REBASE_APPLY_MESSAGE_ID, s->message_id, err);
	if (!rc)
		rc = write_choices(c, err);
	if (!rc && c->rebase)
		rc = rebase_state_write(c->rebase, c->op, err);
	if (!rc)
		rc = write_line(c, c->rebase ? STATE_REBASE_APPLY_REBASING : STATE_REBASE_APPLY_APPLYING, "", err);
	return rc ? rc : write_line(c, STATE_REBASE_APPLY_ABORT_SAFETY, oid_is_null(&c->base_head) ? "" : oid_hex(&c->base_head), err);
}

int am_write_counts(struct am_cmd *c, struct err *err)
{
	char *last = xstrfmt("%zu", c->last);
	int rc = write_line(c, STATE_REBASE_APPLY_NEXT, "1", err);

	if (!rc)
		rc = write_line(c, STATE_REBASE_APPLY_LAST, last, err);
	free(last);
	return rc;
}

static int write_author(struct am_cmd *c, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int rc;

	strbuf_addstr(&text, "GIT_AUTHOR_NAME=");
	sq_quote(&text, c->mail.author.buf);
	strbuf_addstr(&text, "\nGIT_AUTHOR_EMAIL=");
	sq_quote(&text, c->mail.email.buf);
	strbuf_addstr(&text, "\nGIT_AUTHOR_DATE=");
	sq_quote(&text, c->mail.date.buf);
	strbuf_addch(&text, '\n');
	rc = write_buf(c, STATE_REBASE_APPLY_AUTHOR_SCRIPT, &text, err);
	strbuf_release(&text);
	return rc;
}

/* Between two mails there is no message, as in Git. */
static int write_mail_files(struct am_cmd *c, struct err *err)
{
	const struct am_mail *m = &c->mail;
	int rc = 0;

	if (m->has_text && !c->rebasing) {
		rc = write_buf(c, STATE_REBASE_APPLY_INFO, &m->info, err);
		if (!rc)
			rc = write_buf(c, STATE_REBASE_APPLY_MSG, &m->body, err);
	}
	if (!rc && m->has_text)
		rc = write_buf(c, STATE_REBASE_APPLY_PATCH, &m->patch, err);
	if (rc)
		return rc;
	if (m->has_message) {
		rc = write_author(c, err);
		return rc ? rc : write_buf(c, STATE_REBASE_APPLY_FINAL_COMMIT, &m->message, err);
	}
	rc = repo_operation_remove_state(c->op, STATE_REBASE_APPLY_AUTHOR_SCRIPT, err);
	return rc ? rc : repo_operation_remove_state(c->op, STATE_REBASE_APPLY_FINAL_COMMIT, err);
}

static int write_rebase(struct am_cmd *c, struct err *err)
{
	int rc = c->rewritten.len ? write_buf(c, STATE_REBASE_APPLY_REWRITTEN, &c->rewritten, err) : 0;

	if (rc)
		return rc;
	if (oid_is_null(&c->mail.commit))
		return repo_operation_remove_state(c->op, STATE_REBASE_APPLY_ORIGINAL_COMMIT, err);
	return write_line(c, STATE_REBASE_APPLY_ORIGINAL_COMMIT, oid_hex(&c->mail.commit), err);
}

int am_write_progress(struct am_cmd *c, struct err *err)
{
	char *next = xstrfmt("%zu", c->next);
	int rc = write_mail_files(c, err);

	if (!rc && c->rebasing)
		rc = write_rebase(c, err);

	/* Not where --continue stops before that: then --abort still keeps the index. */
	if (!rc && c->index_clean)
		rc = repo_operation_remove_state(c->op, STATE_REBASE_APPLY_DIRTY_INDEX, err);
	/* A patch that stops a second time says nothing about commits that others have made between. */
	if (!rc && c->next != c->stopped_at)
		rc = write_line(c, STATE_REBASE_APPLY_ABORT_SAFETY, oid_is_null(&c->head) ? "" : oid_hex(&c->head), err);
	if (!rc)
		rc = write_line(c, STATE_REBASE_APPLY_NEXT, next, err);
	free(next);
	return rc;
}

/* A2: without `next` no am is in progress, however much of the rest a kill leaves. */
int am_remove_state(struct am_cmd *c, struct err *err)
{
	int rc = repo_operation_remove_state(c->op, STATE_REBASE_APPLY_NEXT, err);

	return rc ? rc : repo_operation_remove_state(c->op, STATE_REBASE_APPLY, err);
}

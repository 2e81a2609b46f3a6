/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "sequence/rebase-state.h"
#include "util/alloc.h"
#include "util/quote.h"

void rebase_state_init(struct rebase_state *s)
{
	*s = (struct rebase_state){ .rerere_autoupdate = -1 };
	strvec_init(&s->strategy_options);
	strvec_init(&s->trailers);
}

void rebase_state_release(struct rebase_state *s)
{
	free(s->head_name);
	free(s->strategy);
	free(s->sign_key);
	strvec_clear(&s->strategy_options);
	strvec_clear(&s->trailers);
	rebase_state_init(s);
}

/* The files that both directories have. */
struct rebase_state_files {
	enum repo_state_file head_name, onto, orig_head, quiet, verbose, signoff, rerere, gpg_sign;
};

static const struct rebase_state_files *files_of(const struct rebase_state *s)
{
	static const struct rebase_state_files both[] = {
		{ STATE_REBASE_MERGE_HEAD_NAME, STATE_REBASE_MERGE_ONTO, STATE_REBASE_MERGE_ORIG_HEAD, STATE_REBASE_MERGE_QUIET,
		  STATE_REBASE_MERGE_VERBOSE, STATE_REBASE_MERGE_SIGNOFF, STATE_REBASE_MERGE_RERERE,
		  STATE_REBASE_MERGE_GPG_SIGN },
		{ STATE_REBASE_APPLY_HEAD_NAME, STATE_REBASE_APPLY_ONTO, STATE_REBASE_APPLY_ORIG_HEAD, STATE_REBASE_APPLY_QUIET,
		  STATE_REBASE_APPLY_VERBOSE, STATE_REBASE_APPLY_SIGNOFF, STATE_REBASE_APPLY_ALLOW_RERERE,
		  STATE_REBASE_APPLY_GPG_SIGN },
	};

	return &both[s->applies];
}

bool rebase_state_has_branch(const struct rebase_state *s)
{
	return s->head_name && starts_with(s->head_name, "refs/");
}

/* ---- reading ---- */

static int read_oid(const struct repository *r, enum repo_state_file f, struct object_id *out, struct err *err)
{
	char *line = repo_state_line(r, f);
	const char *name = strrchr(repo_state_name(f), '/') + 1;
	int rc = 0;

	if (!line)
		rc = err_set(err, ERR_NOT_FOUND, "could not read '%s'", name);
	else if (oid_parse_hex(out, line, r->algo, NULL) < 0)
		rc = err_set(err, ERR_CORRUPT, "invalid %s: '%s'", name, line);
	free(line);
	return rc;
}

static int read_options(struct rebase_state *s, const struct repository *r, struct err *err)
{
	char *line = repo_state_line(r, STATE_REBASE_MERGE_STRATEGY_OPTS);
	int rc = 0;

	if (line && strvec_split_cmdline(&s->strategy_options, line) < 0)
		rc = err_set(err, ERR_CORRUPT, "could not parse '%s'", line);
	free(line);
	/* As Git 2.39 writes them: --patience. */
	for (size_t i = 0; i < s->strategy_options.nr; i++) {
		char *option = xstrdup(s->strategy_options.v[i]);

		strvec_remove(&s->strategy_options, i);
		strvec_insert(&s->strategy_options, i, starts_with(option, "--") ? option + 2 : option);
		free(option);
	}
	return rc;
}

static int read_trailers(struct rebase_state *s, const struct repository *r, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	char *save = NULL;
	int rc = 0;

	if (repo_state_exists(r, STATE_REBASE_MERGE_TRAILER))
		rc = repo_state_read(r, STATE_REBASE_MERGE_TRAILER, &text, err);
	for (char *line = rc ? NULL : strtok_r(text.buf, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		strvec_push(&s->trailers, line);
	strbuf_release(&text);
	return rc;
}

static void read_sign_key(struct rebase_state *s, const struct repository *r)
{
	char *line = repo_state_line(r, files_of(s)->gpg_sign);

	if (line && starts_with(line, "-S"))
		s->sign_key = xstrdup(line + 2);
	free(line);
}

/* As in Git, rebase-apply/quiet counts whatever is in it. */
static void read_switches(struct rebase_state *s, const struct repository *r)
{
	const struct rebase_state_files *f = files_of(s);
	char *rerere = repo_state_line(r, f->rerere);

	s->quiet = repo_state_exists(r, f->quiet);
	s->verbose = repo_state_exists(r, f->verbose);
	s->signoff = repo_state_exists(r, f->signoff);
	if (rerere)
		s->rerere_autoupdate = !strcmp(rerere, "--rerere-autoupdate");
	free(rerere);
}

static void read_switches_of_merge(struct rebase_state *s, const struct repository *r)
{
	s->reset_author_date = repo_state_exists(r, STATE_REBASE_MERGE_IGNORE_DATE);
	s->committer_date_is_author_date = repo_state_exists(r, STATE_REBASE_MERGE_CDATE);
	s->reschedule_failed_exec = repo_state_exists(r, STATE_REBASE_MERGE_RESCHEDULE);
	s->empty = repo_state_exists(r, STATE_REBASE_MERGE_KEEP_EMPTY) ? REBASE_EMPTY_KEEP :
		   repo_state_exists(r, STATE_REBASE_MERGE_DROP_EMPTY) ? REBASE_EMPTY_DROP :
									 REBASE_EMPTY_STOP;
}

int rebase_state_read(struct rebase_state *s, const struct repository *r, struct err *err)
{
	const struct rebase_state_files *f = files_of(s);
	int rc;

	s->head_name = repo_state_line(r, f->head_name);
	if (!s->head_name)
		return err_set(err, ERR_NOT_FOUND, "could not read '%s'", "head-name");
	rc = read_oid(r, f->onto, &s->onto, err);
	if (!rc)
		rc = read_oid(r, f->orig_head, &s->orig_head, err);
	s->squash_onto = r->algo->null_oid;
	read_sign_key(s, r);
	read_switches(s, r);
	if (rc || s->applies)
		return rc;
	(void)repo_state_oid(r, STATE_REBASE_MERGE_SQUASH_ONTO, &s->squash_onto);
	s->strategy = repo_state_line(r, STATE_REBASE_MERGE_STRATEGY);
	read_switches_of_merge(s, r);
	return 0;
}

int rebase_state_read_commits(struct rebase_state *s, const struct repository *r, struct err *err)
{
	int rc = s->applies ? 0 : read_options(s, r, err);

	return rc || s->applies ? rc : read_trailers(s, r, err);
}

/* ---- writing ---- */

static int write_line(struct repo_operation *op, enum repo_state_file f, const char *line, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int rc;

	strbuf_addf(&text, "%s\n", line);
	rc = repo_operation_write_state(op, f, text.buf, text.len, err);
	strbuf_release(&text);
	return rc;
}

static int write_switch(struct repo_operation *op, bool on, enum repo_state_file f, struct err *err)
{
	return on ? repo_operation_write_state(op, f, "", 0, err) : 0;
}

static int write_switches_of_merge(const struct rebase_state *s, struct repo_operation *op, struct err *err)
{
	const struct {
		bool on;
		enum repo_state_file file;
	} all[] = {
		{ true, STATE_REBASE_MERGE_INTERACTIVE },
		{ s->reset_author_date, STATE_REBASE_MERGE_IGNORE_DATE },
		{ s->committer_date_is_author_date, STATE_REBASE_MERGE_CDATE },
		{ s->reschedule_failed_exec, STATE_REBASE_MERGE_RESCHEDULE },
		{ !s->reschedule_failed_exec, STATE_REBASE_MERGE_NO_RESCHEDULE },
		{ s->empty == REBASE_EMPTY_DROP, STATE_REBASE_MERGE_DROP_EMPTY },
		{ s->empty == REBASE_EMPTY_KEEP, STATE_REBASE_MERGE_KEEP_EMPTY },
	};
	int rc = 0;

	for (size_t i = 0; !rc && i < ARRAY_SIZE(all); i++)
		rc = write_switch(op, all[i].on, all[i].file, err);
	return rc;
}

static int write_switches(const struct rebase_state *s, struct repo_operation *op, struct err *err)
{
	const struct rebase_state_files *f = files_of(s);
	int rc = write_switch(op, s->quiet, f->quiet, err);

	if (!rc)
		rc = write_switch(op, s->verbose, f->verbose, err);
	if (!rc && s->signoff)
		rc = write_line(op, f->signoff, "--signoff", err);
	if (!rc && s->rerere_autoupdate >= 0)
		rc = write_line(op, f->rerere, s->rerere_autoupdate ? "--rerere-autoupdate" : "--no-rerere-autoupdate", err);
	return rc;
}

static int write_sign_key(const struct rebase_state *s, struct repo_operation *op, struct err *err)
{
	char *option = s->sign_key ? xstrfmt("-S%s", s->sign_key) : NULL;
	int rc = option ? write_line(op, files_of(s)->gpg_sign, option, err) : 0;

	free(option);
	return rc;
}

static int write_strategy(const struct rebase_state *s, struct repo_operation *op, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int rc = 0;

	if (s->strategy || s->strategy_options.nr)
		rc = write_line(op, STATE_REBASE_MERGE_STRATEGY, s->strategy ? s->strategy : "ort", err);
	for (size_t i = 0; i < s->strategy_options.nr; i++) {
		strbuf_addstr(&text, i ? " \"" : "\"");
		for (const char *p = s->strategy_options.v[i]; *p; p++) {
			if (strchr("\"\\", *p))
				strbuf_addch(&text, '\\');
			strbuf_addch(&text, *p);
		}
		strbuf_addch(&text, '"');
	}
	if (!rc && text.len)
		rc = write_line(op, STATE_REBASE_MERGE_STRATEGY_OPTS, text.buf, err);
	strbuf_release(&text);
	return rc;
}

static int write_trailers(const struct rebase_state *s, struct repo_operation *op, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int rc = 0;

	for (size_t i = 0; i < s->trailers.nr; i++)
		strbuf_addf(&text, "%s\n", s->trailers.v[i]);
	if (text.len)
		rc = repo_operation_write_state(op, STATE_REBASE_MERGE_TRAILER, text.buf, text.len, err);
	strbuf_release(&text);
	return rc;
}

int rebase_state_write(const struct rebase_state *s, struct repo_operation *op, struct err *err)
{
	const struct rebase_state_files *f = files_of(s);
	int rc = write_line(op, f->head_name, s->head_name, err);

	if (!rc)
		rc = write_line(op, f->onto, oid_hex(&s->onto), err);
	if (!rc)
		rc = write_line(op, f->orig_head, oid_hex(&s->orig_head), err);
	if (!rc)
		rc = write_switches(s, op, err);
	if (!rc)
		rc = write_sign_key(s, op, err);
	if (rc || s->applies)
		return rc;
	if (!oid_is_null(&s->squash_onto))
		rc = write_line(op, STATE_REBASE_MERGE_SQUASH_ONTO, oid_hex(&s->squash_onto), err);
	if (!rc)
		rc = write_switches_of_merge(s, op, err);
	if (!rc)
		rc = write_strategy(s, op, err);
	return rc ? rc : write_trailers(s, op, err);
}

/* ---- author-script ---- */

/* Everything between quotes; a quote and '!' behind a backslash, as a shell reads it. */
static void add_quoted(struct strbuf *out, const char *name, const char *text, size_t len)
{
	strbuf_addf(out, "%s='", name);
	for (size_t i = 0; i < len; i++) {
		if (text[i] == '\'')
			strbuf_addf(out, "'\\%c'", text[i]);
		else
			strbuf_addch(out, text[i]);
	}
	strbuf_addstr(out, "'\n");
}

void author_script_format(struct strbuf *out, const char *ident, size_t len)
{
	const char *lt = memchr(ident, '<', len), *end = ident + len;
	const char *gt = lt ? memchr(lt, '>', (size_t)(end - lt)) : NULL;
	size_t name_len = lt ? (size_t)(lt - ident) : 0;
	struct strbuf date = STRBUF_INIT;

	while (name_len && ident[name_len - 1] == ' ')
		name_len--;
	add_quoted(out, "GIT_AUTHOR_NAME", ident, name_len);
	add_quoted(out, "GIT_AUTHOR_EMAIL", lt ? lt + 1 : "", lt && gt ? (size_t)(gt - lt - 1) : 0);
	strbuf_addstr(&date, "@");
	if (gt && gt + 2 < end)
		strbuf_add(&date, gt + 2, (size_t)(end - gt - 2));
	add_quoted(out, "GIT_AUTHOR_DATE", date.buf, date.len);
	strbuf_release(&date);
}

int author_script_read(const struct repository *r, struct strvec *env, struct err *err)
{
	static const char *const names[] = { "GIT_AUTHOR_NAME=", "GIT_AUTHOR_EMAIL=", "GIT_AUTHOR_DATE=" };
	struct strvec words = STRVEC_INIT;
	struct strbuf text = STRBUF_INIT;
	int rc = repo_state_read(r, STATE_REBASE_MERGE_AUTHOR_SCRIPT, &text, err);

	if (!rc && (strvec_split_cmdline(&words, text.buf) < 0 || words.nr != ARRAY_SIZE(names)))
		rc = err_set(err, ERR_CORRUPT, "unable to parse '%s'", repo_state_name(STATE_REBASE_MERGE_AUTHOR_SCRIPT));
	for (size_t i = 0; !rc && i < words.nr; i++) {
		if (!starts_with(words.v[i], names[i]))
			rc = err_set(err, ERR_CORRUPT, "missing '%.*s'", (int)strlen(names[i]) - 1, names[i]);
		else
			strvec_push(env, words.v[i]);
	}
	strbuf_release(&text);
	strvec_clear(&words);
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* Whose commit it is, and with which words. */
#include "compat/posix.h"
#include "repo/hook.h"
#include "builtin/commit/commit-run.h"
#include "porcelain/trailers.h"
#include "repo/ident.h"
#include "cli/edit-text.h"
#include "fs/file.h"
#include "object/ident.h"
#include "repo/state.h"
#include "util/alloc.h"
#include "util/path.h"
#include "util/quote.h"
#include "util/utf8.h"
#include "history/names/revparse.h"

/* ---- the commit whose words and author are used again ---- */

struct reused {
	struct object_buf buf;
	struct commit_view view;
};

static int reused_open(struct commit_run *run, const char *name, struct reused *out,
		       struct err *err)
{
	struct object_id oid;

	if (revparse_commit(run->repo, name, &oid, NULL) < 0)
		return err_set(err, ERR_NOT_FOUND, "could not lookup commit '%s'", name);
	if (odb_read_type(run->repo->odb, &oid, OBJ_COMMIT, &out->buf, err) < 0)
		return err->code;
	return commit_parse(&out->view, out->buf.data, out->buf.size, run->repo->algo, err);
}

static void reused_release(struct reused *r)
{
	commit_view_release(&r->view);
	object_buf_release(&r->buf);
}

static const char *output_encoding(struct commit_run *run)
{
	const struct config_entry *e = config_get(run->repo->config, "i18n.commitencoding");

	return e && e->value ? e->value : "UTF-8";
}

/* In the encoding that the new commit will have. */
static void add_reencoded(struct commit_run *run, struct strbuf *out,
			  const struct commit_view *v, const char *text, size_t text_len)
{
	char *from = v->encoding ? xmemdupz(v->encoding, v->encoding_len) : xstrdup("UTF-8");
	const char *to = output_encoding(run);
	char *conv = NULL;
	size_t len;

	if (!same_encoding(from, to))
		conv = reencode_string(text, text_len, to, from, &len);
	if (conv)
		strbuf_add(out, conv, len);
	else
		strbuf_add(out, text, text_len);
	free(conv);
	free(from);
}

/* ---- author ---- */

/* "Name <mail>": the two parts; false if it is nothing like that. */
static bool split_author_option(const char *s, char **name, char **mail)
{
	const char *lt = strchr(s, '<');
	const char *gt = lt ? strchr(lt, '>') : NULL;
	size_t n;

	if (!gt)
		return false;
	n = (size_t)(lt - s);
	while (n && isspace((unsigned char)s[n - 1]))
		n--;
	*name = xmemdupz(s, n);
	*mail = xmemdupz(lt + 1, (size_t)(gt - lt - 1));
	return true;
}

static int parse_date_option(const char *s, timestamp_t *t, int *tz, struct err *err)
{
	bool bad = false;

	if (date_parse(s, t, tz) >= 0)
		return 0;
	*t = date_approxidate(s, &bad);
	if (bad)
		return err_set(err, ERR_INVALID, "invalid date format: %s", s);
	if (*t > INT64_MAX) /* before 1970, or beyond what anything can show */
		return err_set(err, ERR_INVALID, "invalid date format: @%" PRIu64, (uint64_t)*t);
	(void)date_now(tz);
	return 0;
}

/* The line that applies before --author and --date change it; *source: the commit that had it. */
static int author_base(struct commit_run *run, struct strbuf *line, const char **source,
		       struct err *err)
{
	const char *from = run->o.amend ? "HEAD" : run->o.reedit ? run->o.reedit : run->o.reuse;
	struct reused r = { 0 };
	int rc;

	if (run->o.amend && (run->o.reedit || run->o.reuse))
		from = run->o.reedit ? run->o.reedit : run->o.reuse;
	if (!from && run->whence == FROM_CHERRY_PICK)
		from = repo_state_name(STATE_CHERRY_PICK_HEAD);
	if (!from || run->o.reset_author) {
		unsigned strict = run->o.author ? 0 : IDENT_STRICT;

		*source = NULL;
		return repo_ident(run->repo, line, IDENT_AUTHOR | strict, err);
	}
	*source = from;
	rc = reused_open(run, from, &r, err);
	if (rc >= 0) {
		add_reencoded(run, line, &r.view, r.view.author, r.view.author_len);
		run->author_date_given = true;
	}
	reused_release(&r);
	return rc;
}

static int compose_author(struct commit_run *run, struct err *err)
{
	struct strbuf base = STRBUF_INIT;
	struct ident_split split;
	char *name = NULL, *mail = NULL;
	const char *source;
	timestamp_t date;
	int tz, rc = author_base(run, &base, &source, err);

	if (rc < 0)
		goto out;
	if (!source && !run->o.author && !run->o.date) {
		strbuf_swap(&run->author, &base);
		goto out;
	}
	if (ident_split_line(&split, base.buf, base.len) < 0) {
		rc = err_set(err, ERR_CORRUPT, "commit '%s' has malformed author line",
			     source ? source : "HEAD");
		goto out;
	}
	name = xmemdupz(split.name, split.name_len);
	mail = xmemdupz(split.mail, split.mail_len);
	date = split.date;
	tz = split.tz;
	if (run->o.author) {
		FREE_AND_NULL(name);
		FREE_AND_NULL(mail);
		if (!split_author_option(run->o.author, &name, &mail)) {
			rc = err_set(err, ERR_INVALID,
				     "--author '%s' is not 'Name <email>' and matches no existing author",
				     run->o.author);
			goto out;
		}
	}
	if (run->o.date) {
		rc = parse_date_option(run->o.date, &date, &tz, err);
		run->author_date_given = true;
	}
	if (rc >= 0)
		rc = ident_format(&run->author, name, mail, date, tz, true, err);
out:
	free(name);
	free(mail);
	strbuf_release(&base);
	return rc;
}

/* For hooks and the editor, as if the user had set it. */
static int export_author(const struct commit_run *run, struct err *err)
{
	struct ident_split s;
	char *name, *mail, *date;
	int rc = 0;

	if (ident_split_line(&s, run->author.buf, run->author.len) < 0)
		return err_set(err, ERR_CORRUPT, "malformed author line");
	name = xmemdupz(s.name, s.name_len);
	mail = xmemdupz(s.mail, s.mail_len);
	date = xstrfmt("@%" PRIu64 " %c%04d", s.date, s.tz < 0 ? '-' : '+', abs(s.tz));
	if (setenv("GIT_AUTHOR_NAME", name, 1) || setenv("GIT_AUTHOR_EMAIL", mail, 1) ||
	    setenv("GIT_AUTHOR_DATE", date, 1))
		rc = err_set_errno(err, "could not set GIT_AUTHOR_NAME");
	free(date);
	free(mail);
	free(name);
	return rc;
}

int commit_author_prepare(struct commit_run *run, struct err *err)
{
	int rc = compose_author(run, err);

	return rc < 0 ? rc : export_author(run, err);
}

/* ---- where the words come from ---- */

static void add_messages(const struct commit_options *o, struct strbuf *out)
{
	for (size_t i = 0; i < o->messages.nr; i++) {
		if (out->len)
			strbuf_addch(out, '\n');
		strbuf_addstr(out, o->messages.v[i]);
		strbuf_complete_line(out);
	}
}

static int read_message_file(struct commit_run *run, struct strbuf *out, struct err *err)
{
	char *path;
	int rc;

	if (!strcmp(run->o.file, "-")) {
		if (isatty(0))
			fprintf(stderr, "(reading log message from standard input)\n");
		return read_fd(out, 0, EDIT_TEXT_MAX, "standard input", err);
	}
	path = is_absolute_path(run->o.file) || !run->prefix
		       ? xstrdup(run->o.file)
		       : xstrfmt("%s%s", run->prefix, run->o.file);
	rc = read_named_file(out, path, EDIT_TEXT_MAX, err);
	if (rc < 0) {
		int saved = err->sys_errno;

		err_release(err);
		rc = err_set(err, rc, "could not read log file '%s': %s", run->o.file,
			     strerror(saved ? saved : ENOENT));
	}
	free(path);
	return rc;
}

static int reuse_message(struct commit_run *run, const char *name, struct strbuf *out,
			 struct err *err)
{
	struct reused r = { 0 };
	int rc = reused_open(run, name, &r, err);

	if (rc >= 0)
		add_reencoded(run, out, &r.view, r.view.message, r.view.message_len);
	reused_release(&r);
	if (rc >= 0) {
		run->hook_source = "commit";
		free(run->hook_commit);
		run->hook_commit = xstrdup(name);
	}
	return rc;
}

/* "fixup! SUBJECT", "squash! SUBJECT" */
static int autosquash_message(struct commit_run *run, const char *verb, const char *name,
			      struct strbuf *out, struct err *err)
{
	struct reused r = { 0 };
	struct strbuf text = STRBUF_INIT;
	int rc = reused_open(run, name, &r, err);

	if (rc >= 0) {
		add_reencoded(run, &text, &r.view, r.view.message, r.view.message_len);
		strbuf_addf(out, "%s! ", verb);
		commit_subject(out, text.buf, text.len, " ");
		strbuf_addstr(out, "\n");
	}
	strbuf_release(&text);
	reused_release(&r);
	return rc;
}

/*
 * "amend! SUBJECT" and the whole message of that commit, to be edited; if that is one of these
 * itself, what it says below its subject.
 */
static int amend_message(struct commit_run *run, struct strbuf *out, struct err *err)
{
	struct reused r = { 0 };
	struct strbuf text = STRBUF_INIT;
	const char *body;
	size_t len;
	int rc = reused_open(run, run->o.fixup, &r, err);

	if (rc >= 0) {
		add_reencoded(run, &text, &r.view, r.view.message, r.view.message_len);
		strbuf_addstr(out, "amend! ");
		commit_subject(out, text.buf, text.len, " ");
		strbuf_addstr(out, "\n\n");
		body = text.buf;
		len = text.len;
		if (starts_with(text.buf, "amend!"))
			body = commit_body(text.buf, text.len, &len);
		strbuf_add(out, body, len);
	}
	strbuf_release(&text);
	reused_release(&r);
	return rc;
}

static int read_template(struct commit_run *run, struct strbuf *out, struct err *err)
{
	char *path = NULL;
	int rc = 0;

	if (run->o.template_file)
		path = xstrdup(run->o.template_file);
	else
		rc = config_get_path(run->repo->config, "commit.template", &path, err);
	if (rc < 0 || !path)
		return rc;
	if (run->o.template_file && run->prefix && !is_absolute_path(path)) {
		char *full = xstrfmt("%s%s", run->prefix, path);

		free(path);
		path = full;
	}
	rc = read_file(out, path, EDIT_TEXT_MAX, err);
	if (rc < 0) {
		err_release(err);
		rc = err_set(err, rc, "could not read '%s': %s", path, strerror(ENOENT));
	} else {
		run->hook_source = "template";
		strbuf_addbuf(&run->template_text, out);
	}
	free(path);
	return rc;
}

static int find_words(struct commit_run *run, struct strbuf *out, struct err *err)
{
	struct commit_options *o = &run->o;
	const char *reused = o->reuse ? o->reuse : o->reedit;
	int rc = 0;

	if (o->squash && reused && !strcmp(o->squash, reused)) {
		strbuf_addstr(out, "squash! "); /* before its own subject, once */
	} else if (o->squash) {
		rc = autosquash_message(run, "squash", o->squash, out, err);
		run->hook_source = "message";
		if (rc < 0)
			return rc;
		if (o->messages.nr || o->file || o->reuse || o->reedit)
			strbuf_addch(out, '\n');
	}
	if (o->messages.nr && !o->fixup) {
		struct strbuf m = STRBUF_INIT;

		add_messages(o, &m);
		strbuf_addbuf(out, &m);
		strbuf_release(&m);
		run->hook_source = "message";
		return 0;
	}
	if (o->file) {
		run->hook_source = "message";
		return read_message_file(run, out, err);
	}
	if (o->reuse || o->reedit)
		return reuse_message(run, reused, out, err);
	if (o->fixup) {
		rc = o->fixup_amends ? amend_message(run, out, err) :
				       autosquash_message(run, "fixup", o->fixup, out, err);
		if (rc >= 0 && o->messages.nr) {
			strbuf_addch(out, '\n');
			add_messages(o, out);
		}
		run->hook_source = "message";
		return rc;
	}
	if (o->squash)
		return rc;
	if (o->amend)
		return reuse_message(run, "HEAD", out, err);
	if (repo_state_read(run->repo, STATE_MERGE_MSG, out, NULL) >= 0) {
		run->hook_source = "merge";
		return 0;
	}
	if (repo_state_read(run->repo, STATE_SQUASH_MSG, out, NULL) >= 0) {
		run->hook_source = "squash";
		return 0;
	}
	return read_template(run, out, err);
}

static void add_signoff(struct commit_run *run, struct strbuf *msg)
{
	struct strbuf line = STRBUF_INIT;

	if (ident_add_signoff(&line, run->committer.buf))
		trailers_add_line(run->repo, msg, line.buf, run->comment_char);
	strbuf_release(&line);
}

/* core.commentChar=auto: one with which no line of the message starts. */
static int choose_comment_char(struct commit_run *run, struct err *err)
{
	char c = message_free_comment_char(run->message.buf, run->message.len);

	if (!c)
		return err_set(err, ERR_INVALID,
			       "unable to select a comment character that is not used\n"
			       "in the current commit message");
	run->comment_char = c;
	return 0;
}

int commit_message_prepare(struct commit_run *run, struct err *err)
{
	int rc;

	if ((rc = repo_ident(run->repo, &run->committer, IDENT_COMMITTER | IDENT_STRICT, err)) < 0 ||
	    (rc = find_words(run, &run->message, err)) < 0)
		return rc;
	/* what the user wrote is tidied before anything is put below it */
	if (run->cleanup != CLEANUP_VERBATIM && run->hook_source &&
	    strcmp(run->hook_source, "template") && strcmp(run->hook_source, "merge"))
		message_cleanup(&run->message, CLEANUP_WHITESPACE, run->comment_char);
	if (run->o.signoff)
		add_signoff(run, &run->message);
	rc = trailers_add(run->repo, &run->message, &run->o.trailers, run->comment_char, err);
	if (rc >= 0 && !run->o.dry_run && edit_comment_char_is_auto(run->repo))
		rc = choose_comment_char(run, err);
	return rc;
}

/* ---- the file that is edited ---- */

static void add_commented(struct commit_run *run, struct strbuf *out, const char *text)
{
	message_add_commented(out, text, strlen(text), run->comment_char);
}

static void explain_cleanup(struct commit_run *run, struct strbuf *out)
{
	struct strbuf text = STRBUF_INIT;

	strbuf_addstr(&text, "Please enter the commit message for your changes.");
	if (run->cleanup == CLEANUP_STRIP)
		strbuf_addf(&text, " Lines starting\nwith '%c' will be ignored%s.\n",
			    run->comment_char, run->o.allow_empty_message ? "" :
			    ", and an empty message aborts the commit");
	else
		strbuf_addf(&text, " Lines starting\nwith '%c' will be kept; you may remove them "
			    "yourself if you want to.\n%s", run->comment_char,
			    run->o.allow_empty_message ? "" :
			    "An empty message aborts the commit.\n");
	add_commented(run, out, text.buf);
	strbuf_release(&text);
}

/* Lines on author and date where they are not what one would expect. */
static void explain_people(struct commit_run *run, struct strbuf *out)
{
	struct ident_split a, c;
	struct date_mode mode = DATE_MODE_INIT;
	struct strbuf text = STRBUF_INIT;

	if (ident_split_line(&a, run->author.buf, run->author.len) < 0 ||
	    ident_split_line(&c, run->committer.buf, run->committer.len) < 0)
		return;
	if (!ident_split_eq(&a, &c))
		strbuf_addf(&text, "Author:    %.*s <%.*s>\n", (int)a.name_len, a.name,
			    (int)a.mail_len, a.mail);
	if (run->author_date_given) {
		strbuf_addstr(&text, "Date:      ");
		date_format(&text, a.date, a.tz, &mode);
		strbuf_addch(&text, '\n');
	}
	if (text.len) {
		add_commented(run, out, "\n");
		add_commented(run, out, text.buf);
	}
	strbuf_release(&text);
}

/* What a commit concludes, and how to get out of that. */
static void explain_whence(struct commit_run *run, struct strbuf *out)
{
	bool merge = run->whence == FROM_MERGE;
	struct strbuf text = STRBUF_INIT;

	if (run->cleanup == CLEANUP_SCISSORS &&
	    message_scissors(run->message.buf, run->message.len, run->comment_char) ==
		    run->message.len)
		message_add_scissors(out, run->comment_char);
	strbuf_addf(&text, "\nIt looks like you may be committing a %s.\n"
		    "If this is not correct, please run\n"
		    "\tgit update-ref -d %s\nand try again.\n",
		    merge ? "merge" : "cherry-pick", repo_state_name(merge ? STATE_MERGE_HEAD : STATE_CHERRY_PICK_HEAD));
	add_commented(run, out, text.buf);
	strbuf_addch(out, '\n');
	strbuf_release(&text);
}

static int add_template_comments(struct commit_run *run, struct err *err)
{
	struct strbuf status = STRBUF_INIT, out = STRBUF_INIT, patches = STRBUF_INIT;
	int rc = 0;

	if (run->whence != FROM_COMMIT)
		explain_whence(run, &out);
	strbuf_addch(&out, '\n');
	if (run->cleanup != CLEANUP_SCISSORS)
		explain_cleanup(run, &out);
	else if (run->whence == FROM_COMMIT)
		message_add_scissors(&out, run->comment_char);
	explain_people(run, &out);
	rc = commit_status_text(run, &status, &patches, err);
	if (rc >= 0) {
		add_commented(run, &out, "\n");
		message_add_commented(&out, status.buf, status.len, run->comment_char);
		if (run->o.verbose)
			message_add_scissors(&out, run->comment_char);
		strbuf_addbuf(&out, &patches);
		strbuf_addbuf(&run->message, &out);
	}
	strbuf_release(&status);
	strbuf_release(&patches);
	strbuf_release(&out);
	return rc;
}

/* ---- hooks and editor ---- */

static void hook_environment(const struct commit_run *run, struct strvec *env)
{
	strvec_pushf(env, "GIT_INDEX_FILE=%s", run->ci.seen_by_hooks);
	if (!run->use_editor)
		strvec_push(env, "GIT_EDITOR=:");
}

int commit_run_hook(struct commit_run *run, const char *name, const char *const *args,
		    struct err *err)
{
	struct strvec env = STRVEC_INIT;
	int rc;

	if (!repo_has_hook(run->repo, name))
		return 0;
	rc = commit_index_expose(run, err);
	if (rc < 0)
		return rc;
	hook_environment(run, &env);
	rc = repo_run_hook(run->repo, name, env.v, args, NULL, err);
	strvec_clear(&env);
	return rc;
}

int commit_run_last_hook(struct commit_run *run, const char *name, const char *const *args,
			 struct err *err)
{
	const char *env[3] = { NULL };
	char *index;
	int rc;

	if (!repo_has_hook(run->repo, name))
		return 0;
	index = xstrfmt("GIT_INDEX_FILE=%s", run->repo->index_path);
	env[0] = index;
	env[1] = run->use_editor ? NULL : "GIT_EDITOR=:";
	rc = repo_run_hook(run->repo, name, env, args, NULL, err);
	free(index);
	return rc;
}

static int run_editor(struct commit_run *run, const char *path, struct err *err)
{
	struct strvec env = STRVEC_INIT;
	int rc = commit_index_expose(run, err);

	if (rc < 0)
		return rc;
	strvec_pushf(&env, "GIT_INDEX_FILE=%s", run->ci.seen_by_hooks);
	rc = launch_editor(run->repo, path, env.v, err);
	strvec_clear(&env);
	if (rc < 0) {
		run->why_not = "Please supply the message using either -m or -F option.";
		rc = ERR_ABORTED;
	}
	return rc;
}

static int aborted(struct commit_run *run, const char *why)
{
	run->why_not = why;
	return 1;
}

/* Verbatim, an empty line is something. */
static bool says_nothing(const struct commit_run *run, const char *text, size_t len)
{
	return run->cleanup == CLEANUP_VERBATIM ? !len : message_is_empty(text, len);
}

static bool is_untouched_template(struct commit_run *run)
{
	struct strbuf tmpl = STRBUF_INIT;
	bool same;

	if (!run->template_text.len || run->cleanup == CLEANUP_VERBATIM)
		return false;
	strbuf_addbuf(&tmpl, &run->template_text);
	message_cleanup(&tmpl, run->cleanup, run->comment_char);
	same = starts_with(run->message.buf, tmpl.buf) &&
	       message_is_empty(run->message.buf + tmpl.len, run->message.len - tmpl.len);
	strbuf_release(&tmpl);
	return same;
}

static bool has_empty_body(const struct commit_run *run)
{
	const char *body;
	size_t len;

	if (!starts_with(run->message.buf, "amend! "))
		return false;
	body = commit_body(run->message.buf, run->message.len, &len);
	return says_nothing(run, body, len);
}

static int check_message(struct commit_run *run)
{
	size_t cut = run->message.len;

	if (run->o.verbose)
		cut = message_scissors(run->message.buf, cut, run->comment_char);
	strbuf_setlen(&run->message, cut);
	message_cleanup(&run->message, run->cleanup, run->comment_char);
	if (says_nothing(run, run->message.buf, run->message.len) &&
	    !run->o.allow_empty_message)
		return aborted(run, "Aborting commit due to empty commit message.");
	if (is_untouched_template(run) && !run->o.allow_empty_message)
		return aborted(run, "Aborting commit; you did not edit the message.");
	if (run->o.fixup_amends && !run->o.allow_empty_message && has_empty_body(run))
		return aborted(run, "Aborting commit due to empty commit message body.");
	return 0;
}

static int run_message_hooks(struct commit_run *run, const char *path, struct err *err)
{
	const char *args[] = { path, run->hook_source, run->hook_commit, NULL };
	const char *msg_args[] = { path, NULL };
	int rc = commit_run_hook(run, "prepare-commit-msg", args, err);

	if (rc >= 0 && run->use_editor)
		rc = run_editor(run, path, err);
	if (rc >= 0 && !run->o.no_verify)
		rc = commit_run_hook(run, "commit-msg", msg_args, err);
	return rc;
}

int commit_message_finish(struct commit_run *run, struct err *err)
{
	char *path = repo_path(run->repo, "COMMIT_EDITMSG");
	int rc = 0;

	if (run->use_editor && run->o.show_status)
		rc = add_template_comments(run, err);
	if (rc >= 0)
		rc = edit_text_write(path, &run->message, err);
	if (rc >= 0)
		rc = run_message_hooks(run, path, err);
	if (rc >= 0) {
		strbuf_reset(&run->message);
		rc = read_file(&run->message, path, EDIT_TEXT_MAX, err);
	}
	free(path);
	return rc < 0 ? rc : check_message(run);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* git-format-patch(1) */
#include "compat/posix.h"
#include "builtin/format-patch/format-patch.h"
#include "builtin/range-diff/range-diff.h"
#include "cli/rename-limit.h"
#include "fs/file.h"
#include "history/names/revparse.h"
#include "util/alloc.h"
#include "util/path.h"

#define NAME_LENGTH 64 /* of files, by default */

/* ---- the directory ---- */

/* Relative to the place where the command was started, as names are shown. */
static void set_outdir(struct format_patch *f)
{
	const char *dir = f->output_dir, *prefix = f->prefix && *f->prefix ? f->prefix : NULL;
	struct strbuf path = STRBUF_INIT;

	if (prefix && !(dir && is_absolute_path(dir))) {
		strbuf_addstr(&path, prefix);
		f->outdir_offset = strlen(prefix);
	}
	if (dir)
		strbuf_addstr(&path, dir);
	else if (!prefix) {
		strbuf_addstr(&path, "./");
		f->outdir_offset = 2;
	}
	strbuf_complete(&path, '/');
	f->outdir = strbuf_detach(&path, NULL);
}

static int prepare_output(struct format_patch *f, struct err *err)
{
	int rc = 0;

	if (f->output)
		return 0;
	if (f->use_stdout) {
		setup_pager(f->repo, "format-patch");
		return 0;
	}
	set_outdir(f);
	if (f->output_dir && make_dirs(f->outdir, SHARED_PERM_UMASK, NULL) < 0)
		rc = err_set_errno(err, "could not create directory '%s'", f->outdir);
	fflush(stdout);
	f->saved_stdout = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (!rc && f->saved_stdout < 0)
		rc = err_set_errno(err, "cannot redirect standard output");
	return rc;
}

/* ---- numbers and threads ---- */

static bool wants_cover(const struct format_patch *f)
{
	bool several = f->commits.nr > 1;

	if (f->cover != MODE_UNSET)
		return f->cover;
	if (f->cover_config == MODE_AUTO)
		return several;
	if ((f->interdiff || f->range_diff) && several)
		return f->cover_config != 0;
	return f->cover_config == 1;
}

static void set_numbers(struct format_patch *f)
{
	bool numbered = f->numbered == 1 && !f->keep_subject;

	f->has_cover = wants_cover(f);
	if (!f->keep_subject && f->numbered == MODE_AUTO && (f->commits.nr > 1 || f->has_cover))
		numbered = true;
	f->total = numbered ? (int)f->commits.nr + f->start_number - 1 : 0;
}

/* Without its brackets. */
static void set_in_reply_to(struct format_patch *f)
{
	const char *s = f->in_reply_to, *end;

	if (!s)
		return;
	while (*s && (isspace((unsigned char)*s) || *s == '<'))
		s++;
	end = s + strlen(s);
	while (end > s && (isspace((unsigned char)end[-1]) || end[-1] == '>'))
		end--;
	if (end == s)
		die("insane in-reply-to: %s", f->in_reply_to);
	strvec_pushf(&f->references, "%.*s", (int)(end - s), s);
}

/* --interdiff: for the cover letter, or below the message of the only patch. */
static int prepare_interdiff(struct format_patch *f, struct err *err)
{
	if (!f->interdiff)
		return 0;
	if (!f->has_cover && f->commits.nr != 1)
		return err_set(err, ERR_INVALID, "%s requires --cover-letter or single patch", "--interdiff");
	return revparse_commit(f->repo, f->interdiff, &f->interdiff_oid, err);
}

/*
 * --range-diff: a range, or the last commit of an earlier version, which has a commit in common with this one. The series
 * is what lies behind its boundary.
 */
static int prepare_range_diff(struct format_patch *f, struct err *err)
{
	const struct object_id *head = &f->commits.items[0]->oid;
	const char *old = f->range_diff;
	bool is_range;

	if (!old && f->creation_factor >= 0)
		return err_set(err, ERR_INVALID, "the option '%s' requires '%s'", "--creation-factor", "--range-diff");
	if (!old)
		return 0;
	if (!f->has_cover && f->commits.nr != 1)
		return err_set(err, ERR_INVALID, "%s requires --cover-letter or single patch", "--range-diff");
	is_range = range_diff_is_range(f->repo, old);
	if (is_range && !f->origin)
		return err_set(err, ERR_INVALID, "failed to infer range-diff origin of current series");
	if (!f->origin)
		warning("using '%s' as range-diff origin of current series", old);
	f->range1 = is_range ? xstrdup(old) : xstrfmt("%s..%s", oid_hex(head), old);
	f->range2 = xstrfmt("%s..%s", f->origin ? oid_hex(&f->origin->oid) : old, oid_hex(head));
	return 0;
}

static int add_commentary(struct format_patch *f, struct err *err)
{
	int rc = 0;

	if (f->has_cover)
		return 0;
	if (f->interdiff) {
		strbuf_addch(&f->commentary, '\n');
		rc = cover_add_interdiff(f, "  ", &f->commentary, err);
	}
	if (!rc && f->range1) {
		strbuf_addch(&f->commentary, '\n');
		rc = cover_add_range_diff(f, &f->commentary, err);
	}
	return rc;
}

/* ---- the mails ---- */

static int write_mails(struct format_patch *f, struct err *err)
{
	size_t total = f->commits.nr;
	struct progress *progress = f->progress ? progress_start_delayed("Generating patches", total) : NULL;
	int rc = 0;

	for (size_t i = 0; !rc && i < total; i++) {
		progress_update(progress, i);
		f->nr = f->start_number + (int)i;
		rc = mail_commit(f, f->commits.items[total - 1 - i], err);
	}
	progress_stop(&progress);
	return rc;
}

static int format_series(struct format_patch *f, struct err *err)
{
	int rc = 0;

	if (!f->commits.nr)
		return 0;
	set_numbers(f);
	set_in_reply_to(f);
	rc = prepare_interdiff(f, err);
	if (!rc)
		rc = prepare_range_diff(f, err);
	if (!rc)
		rc = mail_prepare(f, err);
	if (!rc)
		rc = base_find(f, err);
	if (!rc && f->has_cover)
		rc = cover_write(f, err);
	if (!rc)
		rc = add_commentary(f, err);
	return rc < 0 ? rc : write_mails(f, err);
}

static int format_patch_run(struct format_patch *f, int argc, const char **argv, struct err *err)
{
	int rc = log_options_init(&f->log, f->repo, err);

	if (!rc)
		rc = rev_grep_config(f->log.walk, f->repo->config, err);
	if (!rc)
		rc = format_patch_options(f, argc, argv, err);
	if (!rc)
		rc = prepare_output(f, err);
	if (!rc)
		rc = series_collect(f, err);
	if (!rc)
		rc = format_series(f, err);
	if (!rc)
		warn_rename_limit(&f->log.limited);
	return rc;
}

static void format_patch_release(struct format_patch *f)
{
	struct strbuf *const texts[] = { &f->prefix_text, &f->header_text, &f->mail_text, &f->multipart, &f->separator,
					 &f->commentary, &f->sign_off_line, &f->name };

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		strbuf_release(texts[i]);
	strvec_clear(&f->to);
	strvec_clear(&f->cc);
	strvec_clear(&f->headers);
	strvec_clear(&f->references);
	oid_array_clear(&f->prerequisites);
	commit_list_clear(&f->commits);
	log_options_release(&f->log);
	free(f->message_id);
	free(f->marked_prefix);
	free(f->signature);
	free(f->from);
	free(f->branch);
	free(f->outdir);
	free(f->range1);
	free(f->range2);
	if (f->saved_stdout >= 0)
		close(f->saved_stdout);
}

int cmd_format_patch(int argc, const char **argv, struct command_ctx *ctx)
{
	struct format_patch f = {
		.repo = ctx->repo, .prefix = ctx->prefix, .numbered = MODE_AUTO, .start_number = 1, .binary = 1,
		.encode_headers = 1, .name_max = NAME_LENGTH, .cover = MODE_UNSET, .cover_config = MODE_UNSET,
		.cover_from = COVER_FROM_MESSAGE, .suffix = ".patch", .subject_prefix = "PATCH", .saved_stdout = -1, .creation_factor = -1,
		.to = STRVEC_INIT, .cc = STRVEC_INIT, .headers = STRVEC_INIT, .references = STRVEC_INIT,
		.prefix_text = STRBUF_INIT, .header_text = STRBUF_INIT, .mail_text = STRBUF_INIT, .multipart = STRBUF_INIT,
		.separator = STRBUF_INIT, .commentary = STRBUF_INIT, .sign_off_line = STRBUF_INIT, .name = STRBUF_INIT,
	};
	struct err err = ERR_INIT;
	int rc;

	if (argc == 2 && !strcmp(argv[1], "-h"))
		format_patch_help(&f, argc, argv);
	rc = format_patch_run(&f, argc, argv, &err);
	format_patch_release(&f);
	return rc < 0 ? report_fatal(&err) : finish_stdout();
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* git format-patch: options, and the configuration behind them. */
#include "compat/posix.h"
#include "builtin/format-patch/format-patch.h"
#include "history/names/revparse.h"
#include "object/ident.h"
#include "repo/ident.h"
#include "util/alloc.h"
#include "util/path.h"

#define NAME_MAX_DEFAULT 64
static const char *const usage[] = {
	"git format-patch [<options>] [<since> | <revision-range>]",
	NULL
};

/* ---- values that options and configuration share ---- */

/* "To: x" and "Cc: x" join the lists of these headers. */
static void add_header(struct format_patch *f, const char *value)
{
	char *line = xstrdup(value);
	const char *rest;
	size_t len = strlen(line);

	while (len && line[len - 1] == '\n')
		line[--len] = '\0';
	if (skip_iprefix(line, "to: ", &rest))
		strvec_push(&f->to, rest);
	else if (skip_iprefix(line, "cc: ", &rest))
		strvec_push(&f->cc, rest);
	else
		strvec_push(&f->headers, line);
	free(line);
}

static bool parse_thread(const char *value, int (*cmp)(const char *, const char *), enum thread_style *out)
{
	if (!cmp(value, "deep"))
		*out = THREAD_DEEP;
	else if (!cmp(value, "shallow"))
		*out = THREAD_SHALLOW;
	else
		return false;
	return true;
}

static bool parse_cover_from(const char *value, enum cover_from *out)
{
	static const struct {
		const char *name;
		enum cover_from mode;
	} modes[] = { { "default", COVER_FROM_MESSAGE }, { "message", COVER_FROM_MESSAGE }, { "none", COVER_FROM_NONE },
		      { "subject", COVER_FROM_SUBJECT }, { "auto", COVER_FROM_AUTO } };

	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		if (!strcmp(value, modes[i].name)) {
			*out = modes[i].mode;
			return true;
		}
	}
	return false;
}

/* NULL: the user. */
static void set_from(struct format_patch *f, const char *ident)
{
	struct strbuf own = STRBUF_INIT;
	struct err err = ERR_INIT;

	free(f->from);
	f->from = NULL;
	if (ident) {
		f->from = xstrdup(ident);
		return;
	}
	if (repo_ident(f->repo, &own, IDENT_COMMITTER | IDENT_NO_DATE, &err) < 0)
		die_err(&err);
	f->from = strbuf_detach(&own, NULL);
}

/* ---- configuration ---- */

/* 0, 1, MODE_AUTO */
static int read_mode(const struct config_set *c, const char *key, int *out, struct err *err)
{
	const struct config_entry *e = config_get(c, key);
	bool value;
	int rc;

	if (!e)
		return 0;
	if (e->value && !strcasecmp(e->value, "auto")) {
		*out = MODE_AUTO;
		return 0;
	}
	rc = config_entry_bool(e, &value, err);
	if (!rc)
		*out = value;
	return rc;
}

static int read_people(struct format_patch *f, const struct config_set *c, struct err *err)
{
	for (size_t i = 0; i < config_nr(c); i++) {
		const struct config_entry *e = config_at(c, i);
		bool header = !strcmp(e->key, "format.headers"), to = !strcmp(e->key, "format.to");

		if (!header && !to && strcmp(e->key, "format.cc") != 0)
			continue;
		if (!e->value)
			return config_entry_bad(e, err, "missing value");
		if (header)
			add_header(f, e->value);
		else
			strvec_push(to ? &f->to : &f->cc, e->value);
	}
	return 0;
}

static int read_thread(struct format_patch *f, const struct config_set *c, struct err *err)
{
	const struct config_entry *e = config_get(c, "format.thread");
	bool value;

	if (!e || (e->value && parse_thread(e->value, strcasecmp, &f->thread)))
		return 0;
	if (config_entry_bool(e, &value, err) < 0)
		return ERR_INVALID;
	f->thread = value ? THREAD_SHALLOW : THREAD_NONE;
	return 0;
}

static int read_base(struct format_patch *f, const struct config_set *c, struct err *err)
{
	const struct config_entry *e = config_get(c, "format.useautobase");
	bool value;

	if (!e)
		return 0;
	if (e->value && !strcasecmp(e->value, "whenAble")) {
		f->auto_base = AUTO_BASE_WHEN_ABLE;
		return 0;
	}
	if (config_entry_bool(e, &value, err) < 0)
		return ERR_INVALID;
	f->auto_base = value ? AUTO_BASE_ALWAYS : AUTO_BASE_NEVER;
	return 0;
}

static void read_from(struct format_patch *f, const struct config_set *c)
{
	const struct config_entry *e = config_get(c, "format.from");
	int yes = e ? e->value ? config_parse_maybe_bool(e->value) : 1 : 0;

	if (yes < 0)
		set_from(f, e->value);
	else if (yes)
		set_from(f, NULL);
}

/* Each entry in its order: "false" drops the ones before. */
static void read_notes(struct format_patch *f, const struct config_set *c)
{
	const struct config_entry *const *all;
	struct log_options *o = &f->log;
	size_t nr = 0;

	all = config_get_all(c, "format.notes", &nr);
	for (size_t i = 0; i < nr; i++) {
		int yes = all[i]->value ? config_parse_maybe_bool(all[i]->value) : 1;

		o->show_notes = yes != 0;
		if (yes > 0)
			o->notes_default = 1;
		else if (yes < 0)
			strvec_push(&o->notes_refs, all[i]->value);
		if (yes)
			continue;
		o->notes_default = -1;
		strvec_clear(&o->notes_refs);
	}
}

static void read_attach(struct format_patch *f, const struct config_set *c)
{
	const struct config_entry *e = config_get(c, "format.attach");

	if (!e)
		return;
	f->boundary = !e->value ? VERSION_TEXT : *e->value ? e->value : NULL;
	f->attached = true;
}

static int read_cover_from(struct format_patch *f, const struct config_set *c, struct err *err)
{
	const char *value = NULL;
	int rc = config_get_string(c, "format.coverfromdescription", &value, err);

	if (rc > 0 && !parse_cover_from(value, &f->cover_from))
		return err_set(err, ERR_INVALID, "%s: invalid cover from description mode", value);
	return rc < 0 ? rc : 0;
}

static int read_bool(const struct config_set *c, const char *key, int *out, struct err *err)
{
	bool value;
	int rc = config_get_bool(c, key, &value, err);

	if (rc > 0)
		*out = value;
	return rc < 0 ? rc : 0;
}

static int read_strings(struct format_patch *f, const struct config_set *c, struct err *err)
{
	const struct {
		const char *key;
		const char **out;
	} strings[] = { { "format.suffix", &f->suffix }, { "format.outputdirectory", &f->configured_dir },
			{ "format.subjectprefix", &f->subject_prefix }, { "format.signaturefile", &f->signature_config },
			{ "format.commitlistformat", &f->list_format } };
	const char *signature = NULL;
	int rc = 0;

	for (size_t i = 0; rc >= 0 && i < ARRAY_SIZE(strings); i++)
		rc = config_get_string(c, strings[i].key, strings[i].out, err);
	if (rc >= 0)
		rc = config_get_string(c, "format.signature", &signature, err);
	if (rc > 0)
		f->signature = xstrdup(signature);
	return rc < 0 ? rc : 0;
}

/* format.noprefix stands in the place of diff.noprefix, diff.mnemonicPrefix and the like. */
static int read_prefixes(struct format_patch *f, const struct config_set *c, struct err *err)
{
	const struct config_entry *e = config_get(c, "format.noprefix");
	const char *src = "a/", *dst = "b/";
	bool yes = false, mnemonic = false;

	if (e && config_entry_bool(e, &yes, err) < 0)
		return ERR_INVALID;
	if (config_get_bool(c, "diff.mnemonicprefix", &mnemonic, err) < 0)
		return ERR_INVALID;
	if (!mnemonic && (config_get_string(c, "diff.srcprefix", &src, err) < 0 ||
			  config_get_string(c, "diff.dstprefix", &dst, err) < 0))
		return ERR_INVALID;
	f->log.diff.src_prefix = yes ? "" : src;
	f->log.diff.dst_prefix = yes ? "" : dst;
	f->log.diff.mnemonic_prefix = false;
	return 0;
}

int format_patch_config(struct format_patch *f, struct err *err)
{
	const struct config_set *c = f->repo->config;
	bool mboxrd = false;
	int rc = read_strings(f, c, err);

	if (!rc)
		rc = read_people(f, c, err);
	if (!rc)
		rc = read_mode(c, "format.numbered", &f->numbered, err);
	if (!rc)
		rc = read_mode(c, "format.coverletter", &f->cover_config, err);
	if (!rc)
		rc = read_bool(c, "format.signoff", &f->sign_off, err);
	if (!rc)
		rc = read_bool(c, "format.forceinbodyfrom", &f->force_in_body_from, err);
	if (!rc)
		rc = read_bool(c, "format.encodeemailheaders", &f->encode_headers, err);
	if (!rc && config_get_int(c, "format.filenamemaxlength", &f->name_max, err) < 0)
		rc = ERR_INVALID;
	if (!rc)
		rc = read_thread(f, c, err);
	if (!rc)
		rc = read_base(f, c, err);
	if (!rc)
		rc = read_cover_from(f, c, err);
	if (!rc)
		rc = read_prefixes(f, c, err);
	if (!rc && config_get_bool(c, "format.mboxrd", &mboxrd, err) < 0)
		rc = ERR_INVALID;
	f->mboxrd = mboxrd;
	read_notes(f, c);
	read_attach(f, c);
	if (!rc)
		read_from(f, c);
	return rc;
}

/* ---- options ---- */

static int on_numbered(const struct option *opt, const char *arg UNUSED, int unset)
{
	struct format_patch *f = opt->value;

	f->numbers_given = !unset;
	f->numbered = !unset;
	return 0;
}

static int on_no_numbered(const struct option *opt, const char *arg, int unset UNUSED)
{
	return on_numbered(opt, arg, 1);
}

static int on_subject_prefix(const struct option *opt, const char *arg, int unset UNUSED)
{
	struct format_patch *f = opt->value;

	f->subject_prefix = arg;
	f->subject_prefix_given = true;
	return 0;
}

static int on_rfc(const struct option *opt, const char *arg, int unset)
{
	struct format_patch *f = opt->value;

	f->rfc = unset ? NULL : arg ? arg : "RFC";
	return 0;
}

static int on_header(const struct option *opt, const char *arg, int unset)
{
	struct format_patch *f = opt->value;

	if (!unset) {
		add_header(f, arg);
		return 0;
	}
	strvec_clear(&f->to);
	strvec_clear(&f->cc);
	strvec_clear(&f->headers);
	return 0;
}

static int on_from(const struct option *opt, const char *arg, int unset)
{
	struct format_patch *f = opt->value;

	if (!unset)
		set_from(f, arg);
	else
		FREE_AND_NULL(f->from);
	return 0;
}

static int on_attach(const struct option *opt, const char *arg, int unset)
{
	struct format_patch *f = opt->value;

	f->boundary = unset ? NULL : arg ? arg : VERSION_TEXT;
	f->attached = true;
	return 0;
}

static int on_inline(const struct option *opt, const char *arg, int unset UNUSED)
{
	struct format_patch *f = opt->value;

	f->boundary = arg ? arg : VERSION_TEXT;
	f->attached = false;
	return 0;
}

static int on_output_dir(const struct option *opt, const char *arg, int unset UNUSED)
{
	struct format_patch *f = opt->value;

	if (f->output_dir)
		die("two output directories?");
	f->output_dir = arg;
	return 0;
}

static int on_thread(const struct option *opt, const char *arg, int unset)
{
	struct format_patch *f = opt->value;

	f->thread = unset ? THREAD_NONE : THREAD_SHALLOW;
	if (arg && !parse_thread(arg, strcmp, &f->thread))
		return -1;
	return 0;
}

static int on_signature(const struct option *opt, const char *arg, int unset)
{
	struct format_patch *f = opt->value;

	free(f->signature);
	f->signature = unset ? NULL : xstrdup(arg);
	f->signature_given = true;
	return 0;
}

static int on_base(const struct option *opt, const char *arg, int unset)
{
	struct format_patch *f = opt->value;

	f->base = unset ? NULL : arg;
	f->base_given = true;
	return 0;
}

static int parse(struct format_patch *f, int argc, const char **argv)
{
	struct option opts[] = {
		OPT_CALLBACK_F('n', "numbered", f, NULL, "use [PATCH n/m] even with a single patch", PARSE_OPT_NOARG, on_numbered),
		OPT_CALLBACK_F('N', NULL, f, NULL, "use [PATCH] even with several patches (--no-numbered)", PARSE_OPT_NOARG,
			       on_no_numbered),
		OPT_BOOL('s', "signoff", &f->sign_off, "add a Signed-off-by trailer"),
		OPT_BOOL(0, "stdout", &f->use_stdout, "print patches to standard output"),
		OPT_BOOL(0, "cover-letter", &f->cover, "generate a cover letter"),
		OPT_STRING(0, "commit-list-format", &f->list_format, "format-spec",
			   "format of the list of commits in the cover letter"),
		OPT_BOOL(0, "numbered-files", &f->numbered_files, "use numbers as names of files"),
		OPT_STRING(0, "suffix", &f->suffix, "sfx", "use <sfx> instead of '.patch'"),
		OPT_INTEGER(0, "start-number", &f->start_number, "start numbering patches at <n> instead of 1"),
		OPT_STRING('v', "reroll-count", &f->reroll, "reroll-count", "mark the series as its <n>-th version"),
		OPT_INTEGER(0, "filename-max-length", &f->name_max, "longest name of a file"),
		OPT_CALLBACK_F(0, "rfc", f, "rfc", "add <rfc> (default 'RFC') before 'PATCH'", PARSE_OPT_OPTARG, on_rfc),
		OPT_STRING(0, "cover-from-description", &f->cover_from_name, "mode",
			   "fill parts of a cover letter from the description of the branch"),
		OPT_STRING(0, "description-file", &f->description_file, "file", "read that description from a file"),
		OPT_CALLBACK_F(0, "subject-prefix", f, "prefix", "use [<prefix>] instead of [PATCH]", PARSE_OPT_NONEG,
			       on_subject_prefix),
		OPT_CALLBACK_F('o', "output-directory", f, "dir", "store the files in <dir>", PARSE_OPT_NONEG, on_output_dir),
		OPT_STRING(0, "output", &f->output, "file", "write all patches to <file>"),
		OPT_BOOL('k', "keep-subject", &f->keep_subject, "don't strip or add [PATCH]"),
		OPT_BOOL(0, "binary", &f->binary, "output differences of binary files"),
		OPT_BOOL(0, "zero-commit", &f->zero_commit, "output a hash of zeros in the From line"),
		OPT_BOOL(0, "ignore-if-in-upstream", &f->ignore_upstream, "leave out patches that the upstream has"),
		OPT_BOOL(0, "always", &f->always, "include commits without a change (as is the default)"),
		{ OPTION_SET_INT, 'p', "no-stat", &f->patch_only, NULL, "show the patch alone, without a diffstat",
		  PARSE_OPT_NONEG, NULL, 1 },
		OPT_GROUP("Messaging"),
		OPT_CALLBACK(0, "add-header", f, "header", "add a header", on_header),
		OPT_STRVEC(0, "to", &f->to, "email", "add a To: header"),
		OPT_STRVEC(0, "cc", &f->cc, "email", "add a Cc: header"),
		OPT_CALLBACK_F(0, "from", f, "ident", "set From: to <ident> (default: the committer)", PARSE_OPT_OPTARG, on_from),
		OPT_BOOL(0, "force-in-body-from", &f->force_in_body_from, "name the author in the body, even the sender"),
		OPT_BOOL(0, "encode-email-headers", &f->encode_headers, "encode headers that are not ASCII"),
		OPT_STRING(0, "in-reply-to", &f->in_reply_to, "message-id", "make the first mail a reply to <message-id>"),
		OPT_CALLBACK_F(0, "attach", f, "boundary", "attach the patch", PARSE_OPT_OPTARG, on_attach),
		OPT_CALLBACK_F(0, "inline", f, "boundary", "inline the patch", PARSE_OPT_OPTARG | PARSE_OPT_NONEG, on_inline),
		OPT_CALLBACK_F(0, "thread", f, "style", "make a thread of the mails: shallow, deep", PARSE_OPT_OPTARG, on_thread),
		OPT_CALLBACK(0, "signature", f, "signature", "add a signature", on_signature),
		OPT_STRING(0, "signature-file", &f->signature_file, "file", "add a signature from a file"),
		OPT_CALLBACK(0, "base", f, "base-commit", "add the base of the series", on_base),
		OPT_BOOL('q', "quiet", &f->quiet, "don't print the names of files"),
		OPT_BOOL(0, "progress", &f->progress, "show progress while generating patches"),
		OPT_STRING(0, "interdiff", &f->interdiff, "rev", "show changes against <rev> in the cover letter or the single patch"),
		OPT_STRING(0, "range-diff", &f->range_diff, "refspec",
			   "show changes against <refspec> in the cover letter or the single patch"),
		OPT_INTEGER(0, "creation-factor", &f->creation_factor, "percentage by which creation is weighted"),
		OPT_END()
	};

	argc = parse_options(argc, argv, opts, usage, PARSE_OPT_KEEP_UNKNOWN | PARSE_OPT_NO_ABBREV |
			     PARSE_OPT_KEEP_DASHDASH | PARSE_OPT_KEEP_ARGV0);
	return argc;
}

void format_patch_help(struct format_patch *f, int argc, const char **argv)
{
	parse(f, argc, argv);
}

/* ---- what follows from them ---- */

static int fail_together(struct err *err, const char *a, const char *b)
{
	return err_set(err, ERR_INVALID, "options '%s' and '%s' cannot be used together", a, b);
}

/* Before revisions are looked at. */
static int check_subjects(struct format_patch *f, struct err *err)
{
	struct ident_split who;

	if (f->from && ident_split_line(&who, f->from, strlen(f->from)) < 0)
		return err_set(err, ERR_INVALID, "invalid ident line: %s", f->from);
	if (f->numbers_given && f->keep_subject)
		return fail_together(err, "-n", "-k");
	if (f->keep_subject && (f->subject_prefix_given || f->rfc))
		return fail_together(err, "--subject-prefix/--rfc", "-k");
	return 0;
}

static int check_conflicts(struct format_patch *f, struct err *err)
{
	static const struct {
		unsigned format;
		const char *name;
	} senseless[] = { { DIFF_FORMAT_NAME_ONLY, "--name-only" }, { DIFF_FORMAT_NAME_STATUS, "--name-status" },
			  { DIFF_FORMAT_CHECK, "--check" } };

	for (size_t i = 0; i < ARRAY_SIZE(senseless); i++)
		if (f->log.diff.formats & senseless[i].format)
			return err_set(err, ERR_INVALID, "%s does not make sense", senseless[i].name);
	if (f->log.merge_diff == MERGE_DIFF_REMERGE)
		return err_set(err, ERR_INVALID, "--remerge-diff does not make sense");
	if (f->use_stdout && f->output)
		return fail_together(err, "--stdout", "--output");
	if (f->output_dir && (f->use_stdout || f->output))
		return fail_together(err, f->use_stdout ? "--stdout" : "--output", "--output-directory");
	if (!f->output_dir && !f->use_stdout && !f->output)
		f->output_dir = f->configured_dir;
	return 0;
}

static void add_prefix_marks(struct format_patch *f)
{
	struct strbuf prefix = STRBUF_INIT;

	if (f->rfc && *f->rfc && *f->rfc != '-')
		strbuf_addf(&prefix, "%s ", f->rfc);
	strbuf_addstr(&prefix, f->subject_prefix);
	if (f->rfc && *f->rfc == '-')
		strbuf_addf(&prefix, " %s", f->rfc + 1);
	if (f->reroll)
		strbuf_addf(&prefix, " v%s", f->reroll);
	f->marked_prefix = strbuf_detach(&prefix, NULL);
}

/* Statistics as well, unless options chose formats; a patch in any case. */
static void set_formats(struct format_patch *f)
{
	struct diff_options *d = &f->log.diff;

	if (!f->patch_only && (!d->formats || d->formats == DIFF_FORMAT_PATCH))
		d->formats = DIFF_FORMAT_STAT | DIFF_FORMAT_SUMMARY;
	d->formats |= DIFF_FORMAT_PATCH;
	if (!d->stat_width)
		d->stat_width = 72;
	d->binary = f->binary && !d->text;
}

char *user_path(const struct format_patch *f, const char *name)
{
	return is_absolute_path(name) || !f->prefix ? xstrdup(name) : xconcat(f->prefix, name);
}

static void log_defaults(struct log_options *o)
{
	o->pretty.expand_tabs = 0;
	o->pretty.abbrev = -1;
	o->show_notes = 0;
	o->show_root = o->mailmap = o->follow = o->show_signature = false;
	o->color = o->diff.color = false;
	o->decorate = DECORATE_NO;
	o->diff.textconv = false;
	o->diff.stat_name_width = o->diff.stat_graph_width = 0;
	o->diff.submodule_format = DIFF_SUBMODULE_SHORT;
	o->diff.color_moved = DIFF_MOVED_NONE;
	o->walk->max_parents = 1;
}

int format_patch_options(struct format_patch *f, int argc, const char **argv, struct err *err)
{
	const char *list_format = f->list_format;
	int rc;

	log_defaults(&f->log);
	f->base_detect = f->log.diff.detect;
	rc = format_patch_config(f, err);
	if (rc < 0)
		return rc;
	list_format = f->list_format;
	argc = parse(f, argc, argv);
	if (f->output && redirect_stdout(f->repo, f->output, err) < 0)
		return ERR_IO;
	f->log.pretty.kind = f->mboxrd && f->use_stdout ? PRETTY_MBOXRD : PRETTY_EMAIL;
	if (f->cover_from_name && !parse_cover_from(f->cover_from_name, &f->cover_from))
		return err_set(err, ERR_INVALID, "%s: invalid cover from description mode", f->cover_from_name);
	rc = check_subjects(f, err);
	if (!rc)
		rc = log_options_parse(&f->log, argc, argv, err);
	if (rc < 0 && log_asks_for_help(err))
		usage_on_stdout(usage, NULL);
	if (f->list_format != list_format && f->cover == MODE_UNSET)
		f->cover = 1;
	if (!rc)
		rc = check_conflicts(f, err);
	if (rc < 0)
		return rc;
	add_prefix_marks(f);
	set_formats(f);
	if (!f->suffix)
		f->suffix = "";
	if ((size_t)(f->name_max < 0 ? 0 : f->name_max) <= strlen(f->suffix) + 5)
		f->name_max = (int)strlen(f->suffix) + 5;
	f->log.zero_ids = f->zero_commit;
	f->log.pretty.email_encode = f->encode_headers;
	return log_options_resolve(&f->log, err);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* git-tag(1): reads the options; lists, deletes and verifies tags. */
#include "compat/posix.h"
#include "cli/column.h"
#include "builtin/tag/gpg.h"
#include "cli/ref-options.h"
#include "builtin/tag/tag.h"
#include "operation/operation.h"
#include "util/alloc.h"
#include "util/color.h"
#include "util/map.h"

static const char *const usage[] = {
	"git tag [-a | -s | -u <key-id>] [-f] [-m <msg> | -F <file>] [-e]\n"
	"        [(--trailer <token>[(=|:)<value>])...]\n"
	"        <tagname> [<commit> | <object>]",
	"git tag -d <tagname>...",
	"git tag [-n[<num>]] -l [--contains <commit>] [--no-contains <commit>]\n"
	"        [--points-at <object>] [--column[=<options>] | --no-column]\n"
	"        [--create-reflog] [--sort=<key>] [--format=<format>]\n"
	"        [--merged <commit>] [--no-merged <commit>] [<pattern>...]",
	"git tag -v [--format=<format>] <tagname>...",
	NULL
};

enum mode { MODE_CREATE, MODE_LIST, MODE_DELETE, MODE_VERIFY };

struct tag_args {
	struct repository *repo;
	struct ref_options refs;
	int mode; /* enum mode */
	int lines; /* -1: not given */
	int annotate, sign /* -1: not said */, force, edit, reflog, icase, omit_empty, color;
	const char *file, *key, *cleanup, *format;
	struct strvec messages, trailers;
	struct reflist *verified; /* by which verified tags are shown */
	unsigned columns;
};

/* ---- listing ---- */

static char *usual_format(const struct tag_args *a)
{
	if (a->lines > 0)
		return xstrfmt("%%(align:15)%%(refname:strip=2)%%(end) %%(contents:lines=%d)",
			       a->lines);
	return xstrdup("%(refname:strip=2)");
}

static int print_text(void *data, struct strbuf *text)
{
	const struct tag_args *a = data;

	if (text->len || !a->omit_empty) {
		strbuf_addch(text, '\n');
		fwrite(text->buf, 1, text->len, stdout);
	}
	strbuf_reset(text);
	return 0;
}

static int keep_text(void *data, struct strbuf *text)
{
	strvec_push(data, text->buf);
	strbuf_reset(text);
	return 0;
}

static int show_in_columns(struct tag_args *a, struct reflist *l, struct err *err)
{
	const struct column_layout layout = { .padding = 2 };
	struct strvec items = STRVEC_INIT;
	struct strbuf out = STRBUF_INIT;
	int rc = reflist_each(l, &a->refs.filter, 0, keep_text, &items, err);

	column_print(&out, &items, a->columns, &layout);
	fwrite(out.buf, 1, out.len, stdout);
	strbuf_release(&out);
	strvec_clear(&items);
	return rc;
}

static int list_tags(struct tag_args *a, int argc, const char **argv)
{
	struct reflist *l = reflist_new(a->repo);
	char *format = a->format ? xstrdup(a->format) : usual_format(a);
	struct err err = ERR_INIT;
	int rc;

	a->refs.filter.kinds = REFLIST_TAGS;
	a->refs.filter.match_short = true;
	a->refs.filter.ignore_case = l->ignore_case = a->icase;
	l->color = color_wanted(a->color, STDOUT_FILENO, pager_in_use());
	for (int i = 0; i < argc; i++)
		strvec_push(&a->refs.filter.patterns, argv[i]);
	rc = ref_options_sort(&a->refs, l, "tag.sort", &err);
	if (!rc)
		rc = reflist_set_format(l, format, &err);
	if (!rc)
		rc = column_active(a->columns) ?
			show_in_columns(a, l, &err) :
			reflist_each(l, &a->refs.filter, 0, print_text, a, &err);
	free(format);
	reflist_free(l);
	return rc < 0 ? report_fatal(&err) : 0;
}

/* ---- deleting ---- */

struct doomed {
	struct string_list tags; /* names as given, util: struct object_id */
	struct strset seen;
};

static bool find_tag(struct tag_args *a, const char *name, struct object_id *oid)
{
	char *ref = xstrfmt("refs/tags/%s", name);
	bool found = !ref_resolve(a->repo->refs, ref, oid, NULL, NULL, NULL);

	if (!found)
		error("tag '%s' not found.", name);
	free(ref);
	return found;
}

static int queue_deletions(struct tag_args *a, const struct doomed *d, struct ref_transaction *t,
			   struct err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < d->tags.nr; i++) {
		char *ref = xstrfmt("refs/tags/%s", d->tags.items[i].string);

		rc = ref_transaction_update(t, ref, &a->repo->algo->null_oid, NULL, REF_NO_DEREF,
					    NULL, err);
		free(ref);
	}
	return rc;
}

/* Deletes all existing tags together, or none of them. */
static int delete_together(struct tag_args *a, const struct doomed *d, struct err *err)
{
	struct repo_operation *op = repo_operation_begin(a->repo);
	struct ref_transaction *t = repo_operation_new_refs(op, 0);

	return repo_operation_end(op, queue_deletions(a, d, t, err), err);
}

static void report_deleted(struct tag_args *a, const struct doomed *d)
{
	struct strbuf was = STRBUF_INIT;

	for (size_t i = 0; i < d->tags.nr; i++) {
		strbuf_reset(&was);
		odb_abbrev(a->repo->odb, d->tags.items[i].util, a->repo->settings.abbrev, &was);
		printf("Deleted tag '%s' (was %s)\n", d->tags.items[i].string, was.buf);
	}
	strbuf_release(&was);
}

static int delete_tags(struct tag_args *a, int argc, const char **argv)
{
	struct doomed d = { STRING_LIST_INIT, STRSET_INIT };
	struct err err = ERR_INIT;
	struct object_id oid;
	int code = 0;

	for (int i = 0; i < argc; i++) {
		if (!find_tag(a, argv[i], &oid))
			code = 1;
		else if (strset_add(&d.seen, argv[i]))
			string_list_append(&d.tags, argv[i])->util = xmemdup(&oid, sizeof(oid));
	}
	if (d.tags.nr && delete_together(a, &d, &err) < 0) {
		err_prefix(&err, "could not delete references");
		code = report_error(&err);
	} else {
		report_deleted(a, &d);
	}
	string_list_clear(&d.tags, free);
	strset_clear(&d.seen);
	return code;
}

/* ---- verifying ---- */

static int verify_tags(struct tag_args *a, int argc, const char **argv)
{
	unsigned flags = a->format ? GPG_VERIFY_OMIT_STATUS : GPG_VERIFY_VERBOSE;
	struct err err = ERR_INIT;
	struct object_id oid;
	int code = 0, rc = 0;

	for (int i = 0; !rc && i < argc; i++) {
		if (!find_tag(a, argv[i], &oid) || !gpg_verify_tag(a->repo, argv[i], &oid, flags))
			code = 1;
		else if (a->verified)
			rc = gpg_show_tag(a->verified, argv[i], &oid, a->omit_empty, &err);
	}
	return rc < 0 ? report_fatal(&err) : code;
}

/* ---- options ---- */

static int parse_color(const struct option *opt, const char *arg, int unset)
{
	int *color = opt->value;

	*color = unset ? COLOR_NEVER : arg ? (int)color_when_parse(arg) : COLOR_ALWAYS;
	if (*color == COLOR_UNSET)
		return error("option `color' expects \"always\", \"auto\", or \"never\"");
	return 0;
}

static int parse_lines(const struct option *opt, const char *arg, int unset)
{
	int *lines = opt->value;

	if (unset)
		*lines = -1;
	else if (!arg)
		*lines = 1;
	else if (!parse_int_strict(arg, lines))
		return error("switch `n' expects a numerical value");
	return 0;
}

static bool filters_commits(const struct reflist_filter *f)
{
	return f->contains.nr || f->no_contains.nr || f->merged.nr || f->no_merged.nr ||
	       f->points_at.nr;
}

/* False: the options do not go together. */
static bool choose_mode(struct tag_args *a, int argc)
{
	bool creates;

	if (a->mode == MODE_CREATE &&
	    (!argc || filters_commits(&a->refs.filter) || a->lines >= 0))
		a->mode = MODE_LIST;
	creates = a->annotate || a->sign > 0 || a->key || a->messages.nr || a->file ||
		  a->trailers.nr;
	return !((creates || a->force) && a->mode != MODE_CREATE);
}

static int parse_command_line(int argc, const char **argv, struct tag_args *a)
{
	struct ref_options *refs = &a->refs;
	struct option opts[] = {
		OPT_CMDMODE('l', "list", &a->mode, "list tag names", MODE_LIST),
		OPT_CALLBACK_F('n', NULL, &a->lines, "n", "print <n> lines of each tag message",
			       PARSE_OPT_OPTARG, parse_lines),
		OPT_CMDMODE('d', "delete", &a->mode, "delete tags", MODE_DELETE),
		OPT_CMDMODE('v', "verify", &a->mode, "verify tags", MODE_VERIFY),
		OPT_GROUP("Tag creation options"),
		OPT_BOOL('a', "annotate", &a->annotate, "annotated tag, needs a message"),
		{ OPTION_STRVEC, 'm', "message", OPT_VALUE(struct strvec, &a->messages), "message", "tag message",
		  PARSE_OPT_NONEG, NULL, 0 },
		OPT_STRING('F', "file", &a->file, "file", "read message from file"),
		OPT_STRVEC(0, "trailer", &a->trailers, "trailer", "add custom trailer(s)"),
		OPT_BOOL('e', "edit", &a->edit, "force edit of tag message"),
		OPT_BOOL('s', "sign", &a->sign, "annotated and GPG-signed tag"),
		OPT_STRING(0, "cleanup", &a->cleanup, "mode",
			   "how to strip spaces and #comments from message"),
		OPT_STRING('u', "local-user", &a->key, "key-id", "use another key to sign the tag"),
		OPT__FORCE(&a->force, "replace the tag if exists"),
		OPT_BOOL(0, "create-reflog", &a->reflog, "create a reflog"),
		OPT_GROUP("Tag listing options"),
		OPT_COLUMN(&a->columns, "show tag list in columns"),
		REF_OPT_COMMIT("contains", refs, "print only tags that contain the commit",
			       on_ref_contains),
		REF_OPT_COMMIT("no-contains", refs, "print only tags that don't contain the commit",
			       on_ref_no_contains),
		REF_OPT_WITH(refs),
		REF_OPT_WITHOUT(refs),
		REF_OPT_MERGED(refs, "print only tags that are merged"),
		REF_OPT_NO_MERGED(refs, "print only tags that are not merged"),
		OPT_BOOL(0, "omit-empty", &a->omit_empty,
			 "do not output a newline after empty formatted refs"),
		REF_OPT_SORT(refs),
		{ OPTION_CALLBACK, 0, "points-at", refs, "object",
		  "print only tags of the object", PARSE_OPT_LASTARG_DEFAULT | PARSE_OPT_NONEG,
		  on_ref_points_at, (intptr_t)"HEAD" },
		OPT_STRING(0, "format", &a->format, "format", "format to use for the output"),
		OPT_CALLBACK_F(0, "color", &a->color, "when", "respect format colors",
			       PARSE_OPT_OPTARG, parse_color),
		OPT_BOOL('i', "ignore-case", &a->icase,
			 "sorting and filtering are case insensitive"),
		OPT_END()
	};

	argc = parse_options(argc, argv, opts, usage, 0);
	if (!choose_mode(a, argc))
		usage_with_options(usage, opts);
	if (a->mode == MODE_VERIFY && a->repo)
		a->verified = gpg_open_format(a->repo, a->format, a->color, usage, opts);
	return argc;
}

/* ---- what the options mean ---- */

static bool config_bool(const struct tag_args *a, const char *key)
{
	struct err err = ERR_INIT;
	bool on = false;

	if (config_get_bool(a->repo->config, key, &on, &err) < 0)
		die_err(&err);
	return on;
}

static void only_when_listing(bool given, const char *option)
{
	if (given)
		die("the '%s' option is only allowed in list mode", option);
}

static void refuse_list_options(const struct tag_args *a)
{
	const struct reflist_filter *f = &a->refs.filter;

	only_when_listing(a->lines >= 0, "-n");
	only_when_listing(f->contains.nr, "--contains");
	only_when_listing(f->no_contains.nr, "--no-contains");
	only_when_listing(f->points_at.nr, "--points-at");
	only_when_listing(f->merged.nr, "--merged");
	only_when_listing(f->no_merged.nr, "--no-merged");
}

/* Report bad keys even if nothing is listed. */
static void check_sort_keys(struct tag_args *a)
{
	struct reflist *l = reflist_new(a->repo);
	struct err err = ERR_INIT;

	if (ref_options_sort(&a->refs, l, "tag.sort", &err) < 0)
		die_err(&err);
	reflist_free(l);
}

static int create(struct tag_args *a, int argc, const char **argv, const char *prefix)
{
	bool sign_all = config_bool(a, "tag.gpgsign");
	bool sign_annotated = config_bool(a, "tag.forcesignannotated");
	struct tag_create_options o = { .repo = a->repo, .prefix = prefix, .force = a->force,
					.reflog = a->reflog, .edit = a->edit,
					.messages = &a->messages, .file = a->file,
					.trailers = &a->trailers, .cleanup = a->cleanup,
					.key = a->key ? a->key : "" };

	o.sign = a->key ? true : a->sign >= 0 ? a->sign : sign_all;
	o.annotate = o.sign || a->annotate || a->messages.nr || a->file || a->trailers.nr;
	if (o.annotate && sign_annotated && !a->annotate)
		o.sign = true;
	if (a->messages.nr && a->file)
		die("options '%s' and '%s' cannot be used together", "-F", "-m");
	if (argc > 2)
		die("too many arguments");
	return tag_create(&o, argv[0], argc == 2 ? argv[1] : "HEAD");
}

static int list(struct tag_args *a, int argc, const char **argv)
{
	setup_pager(a->repo, "tag");
	column_resolve(&a->columns);
	if (a->lines >= 0) {
		if ((a->columns & COLUMN_EXPLICIT) && column_active(a->columns))
			die("options '%s' and '%s' cannot be used together", "--column", "-n");
		a->columns = 0;
	}
	return list_tags(a, argc, argv);
}

static int tag_run(struct tag_args *a, int argc, const char **argv, const char *prefix)
{
	if (a->mode == MODE_LIST)
		return list(a, argc, argv);
	refuse_list_options(a);
	check_sort_keys(a);
	if (a->mode == MODE_DELETE)
		return delete_tags(a, argc, argv);
	if (a->mode == MODE_VERIFY)
		return verify_tags(a, argc, argv);
	return create(a, argc, argv, prefix);
}

/* %(color:…) is for terminals unless color.ui says otherwise. */
static int configured_color(struct repository *r)
{
	const struct config_entry *e = config_get(r->config, "color.ui");

	return e && e->value ? (int)color_when_parse(e->value) : COLOR_AUTO;
}

int cmd_tag(int argc, const char **argv, struct command_ctx *ctx)
{
	struct tag_args a = { .repo = ctx->repo, .refs = REF_OPTIONS_INIT, .lines = -1,
			      .sign = -1, .messages = STRVEC_INIT, .trailers = STRVEC_INIT };
	int code;

	a.refs.repo = ctx->repo;
	if (ctx->repo) {
		a.columns = column_config(ctx->repo, "tag");
		a.color = configured_color(ctx->repo);
	}
	argc = parse_command_line(argc, argv, &a);
	code = tag_run(&a, argc, argv, ctx->prefix);
	if (a.verified)
		reflist_free(a.verified);
	ref_options_release(&a.refs);
	strvec_clear(&a.messages);
	strvec_clear(&a.trailers);
	return code;
}

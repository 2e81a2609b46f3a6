/* SPDX-License-Identifier: GPL-2.0-only */
/* git-replace(1): the command line, and all that is not about the contents of a replacement (replace-ref.c, replace-edit.c, replace-graft.c). */
#include "compat/posix.h"
#include "builtin/replace/replace-cmd.h"
#include "history/names/revparse.h"
#include "util/alloc.h"
#include "util/wildmatch.h"

static const char *const usage[] = {
	"git replace [-f] <object> <replacement>",
	"git replace [-f] --edit <object>",
	"git replace [-f] --graft <commit> [<parent>...]",
	"git replace [-f] --convert-graft-file",
	"git replace -d <object>...",
	"git replace [--format=<format>] [-l [<pattern>]]",
	NULL
};

enum replace_mode { MODE_NONE, MODE_LIST, MODE_DELETE, MODE_EDIT, MODE_GRAFT, MODE_CONVERT, MODE_REPLACE };

struct replace_options {
	int mode, force, raw; /* enum replace_mode */
	const char *format;
};

/* ---- list ---- */

enum replace_format { FORMAT_SHORT, FORMAT_MEDIUM, FORMAT_LONG };

struct replace_list {
	struct replace_cmd *c;
	const char *pattern;
	enum replace_format format;
};

static const char *type_name_of(struct replace_cmd *c, const struct object_id *oid)
{
	enum object_type type = OBJ_BAD;

	return replace_type(c, oid, &type) < 0 ? NULL : object_type_name(type);
}

static int list_replacement(void *data, const struct ref *ref)
{
	const struct replace_list *l = data;
	const char *name = ref->name + strlen(l->c->base), *old_type, *new_type;
	struct object_id oid;

	if (l->pattern && !wildmatch(l->pattern, name, 0))
		return 0;
	if (l->format == FORMAT_SHORT) {
		puts(name);
		return 0;
	}
	if (l->format == FORMAT_MEDIUM) {
		printf("%s -> %s\n", name, oid_hex(&ref->oid));
		return 0;
	}
	if (oid_from_hex(&oid, name, l->c->r->algo) < 0 || !(old_type = type_name_of(l->c, &oid)) ||
	    !(new_type = type_name_of(l->c, &ref->oid)))
		return error("failed to resolve '%s' as a valid ref", name);
	printf("%s (%s) -> %s (%s)\n", name, old_type, oid_hex(&ref->oid), new_type);
	return 0;
}

static int list_replacements(struct replace_cmd *c, const char *pattern, const char *format)
{
	static const char *const formats[] = { "short", "medium", "long" };
	struct replace_list l = { .c = c, .pattern = pattern };
	struct err err = ERR_INIT;
	size_t i = 0;
	int rc;

	if (format && !*format)
		format = NULL;
	while (format && i < ARRAY_SIZE(formats) && strcmp(format, formats[i]) != 0)
		i++;
	if (i == ARRAY_SIZE(formats)) {
		error("invalid replace format '%s'\nvalid formats are 'short', 'medium' and 'long'", format);
		return REPLACE_FAILED;
	}
	l.format = (enum replace_format)i;
	rc = refs_foreach(c->r->refs, c->base, REFS_NO_PEEL, list_replacement, &l, &err);
	return rc == -1 ? REPLACE_FAILED : rc < 0 ? report_fatal(&err) : 0;
}

/* ---- delete ---- */

static bool queue_deletion(struct replace_cmd *c, struct ref_transaction *t, const char *name, struct strvec *gone)
{
	struct object_id oid, value;
	struct err err = ERR_INIT;
	char *ref;
	int rc;

	if (revparse_oid(c->r, name, &oid, NULL) < 0) {
		error("failed to resolve '%s' as a valid ref", name);
		return false;
	}
	if (strvec_contains(gone, oid_hex(&oid))) {
		error("replace ref '%s' not found", oid_hex(&oid));
		return false;
	}
	ref = replace_ref(c, &oid);
	rc = ref_resolve(c->r->refs, ref, &value, NULL, NULL, NULL);
	if (rc < 0) {
		error("replace ref '%s' not found", oid_hex(&oid));
	} else {
		rc = ref_transaction_update(t, ref, &c->r->algo->null_oid, &value, REF_NO_DEREF, NULL, &err);
		if (rc < 0)
			report_error(&err);
		strvec_push(gone, oid_hex(&oid));
	}
	free(ref);
	return rc >= 0;
}

/* One transaction. Names that cannot be deleted do not keep the others. */
static int delete_replacements(struct replace_cmd *c, int argc, const char **argv)
{
	struct ref_transaction *t = NULL;
	struct strvec gone = STRVEC_INIT;
	struct err err = ERR_INIT;
	bool failed = false;
	int rc;

	c->op = repo_operation_begin(c->r);
	rc = repo_operation_begin_refs(c->op, 0, &t, &err);
	for (int i = 0; !rc && i < argc; i++)
		failed |= !queue_deletion(c, t, argv[i], &gone);
	rc = repo_operation_end(c->op, rc, &err);
	for (size_t i = 0; !rc && i < gone.nr; i++)
		printf("Deleted replace ref '%s'\n", gone.v[i]);
	strvec_clear(&gone);
	if (rc < 0)
		report_error(&err);
	return rc < 0 || failed;
}

/* ---- the command ---- */

static void check_mode(const struct replace_options *o, int argc, const struct option *opts)
{
	const char *msg = NULL;

	if (o->format && o->mode != MODE_LIST)
		msg = "--format cannot be used when not listing";
	else if (o->force && (o->mode == MODE_LIST || o->mode == MODE_DELETE))
		msg = "-f only makes sense when writing a replacement";
	else if (o->raw && o->mode != MODE_EDIT)
		msg = "--raw only makes sense with --edit";
	else if (o->mode == MODE_DELETE && argc < 1)
		msg = "-d needs at least one argument";
	else if (o->mode == MODE_REPLACE && argc != 2)
		msg = "bad number of arguments";
	else if (o->mode == MODE_EDIT && argc != 1)
		msg = "-e needs exactly one argument";
	else if (o->mode == MODE_GRAFT && argc < 1)
		msg = "-g needs at least one argument";
	else if (o->mode == MODE_CONVERT && argc != 0)
		msg = "--convert-graft-file takes no argument";
	else if (o->mode == MODE_LIST && argc > 1)
		msg = "only one pattern can be given with -l";
	if (msg)
		usage_msg_opt(msg, usage, opts);
}

static int run_mode(struct replace_cmd *c, const struct replace_options *o, int argc, const char **argv)
{
	switch (o->mode) {
	case MODE_LIST:
		return list_replacements(c, argc ? argv[0] : NULL, o->format);
	case MODE_DELETE:
		return delete_replacements(c, argc, argv);
	case MODE_EDIT:
		return replace_by_edit(c, argv[0], o->raw);
	case MODE_GRAFT:
		return replace_by_graft(c, argc, argv);
	case MODE_CONVERT:
		return replace_convert_grafts(c);
	default:
		return replace_object(c, argv[0], argv[1]);
	}
}

int cmd_replace(int argc, const char **argv, struct command_ctx *ctx)
{
	struct replace_options o = { 0 };
	struct option opts[] = {
		OPT_CMDMODE('l', "list", &o.mode, "list replace refs", MODE_LIST),
		OPT_CMDMODE('d', "delete", &o.mode, "delete replace refs", MODE_DELETE),
		OPT_CMDMODE('e', "edit", &o.mode, "edit existing object", MODE_EDIT),
		OPT_CMDMODE('g', "graft", &o.mode, "change a commit's parents", MODE_GRAFT),
		OPT_CMDMODE(0, "convert-graft-file", &o.mode, "convert existing graft file", MODE_CONVERT),
		OPT_BOOL('f', "force", &o.force, "replace the ref if it exists"),
		OPT_BOOL(0, "raw", &o.raw, "do not pretty-print contents for --edit"),
		OPT_STRING(0, "format", &o.format, "format", "use this format"),
		OPT_END()
	};
	const char *base = getenv("GIT_REPLACE_REF_BASE");
	struct replace_cmd c = { .r = ctx->repo, .queued = STRMAP_INIT };
	int code;

	argc = parse_options(argc, argv, opts, usage, 0);
	if (!o.mode)
		o.mode = argc ? MODE_REPLACE : MODE_LIST;
	check_mode(&o, argc, opts);
	c.force = o.force;
	c.base = base ? xstrfmt("%s%s", base, ends_with(base, "/") ? "" : "/") : xstrdup("refs/replace/");
	repo_ignore_replacements(c.r);
	code = run_mode(&c, &o, argc, argv);
	free(c.base);
	return code ? code : finish_stdout();
}

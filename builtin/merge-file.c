/* SPDX-License-Identifier: GPL-2.0-only */
/* git-merge-file(1) */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "fs/file.h"
#include "fs/replace.h"
#include "history/names/revparse.h"
#include "merge/texts.h"
#include "operation/operation.h"
#include "util/alloc.h"
#include "util/path.h"

#define FILE_MAX ((size_t)1 << 30) /* bytes of one file */
#define BINARY_CHECK_BYTES 8000	   /* a NUL in these makes a file binary */
#define MOST_CONFLICTS 127	   /* in the exit code */

static const char *const usage[] = {
	"git merge-file [<options>] [-L <name1> [-L <orig> [-L <name2>]]] <file1> <orig-file> <file2>",
	NULL
};

struct merge_file {
	struct repository *r; /* or NULL */
	const char *prefix;
	struct merge3 m;
	struct strvec labels;
	struct strbuf text[3], out;
	const char *algorithm;
	int to_stdout, object_id, quiet, style, favor, marker_size;
};

/* ---- the three versions ---- */

static int read_blob(struct merge_file *f, const char *name, struct strbuf *out, struct err *err)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	struct object_id oid;
	int rc;

	if (revparse_oid(f->r, name, &oid, NULL) < 0)
		return err_set(err, ERR_NOT_FOUND, "object '%s' does not exist", name);
	if (oid_eq(&oid, &f->r->algo->empty_blob)) /* which need not be there */
		return 0;
	rc = odb_read_type(f->r->odb, &oid, OBJ_BLOB, &buf, NULL);
	if (rc < 0)
		die("unable to read blob object %s", oid_hex(&oid));
	if (!rc)
		strbuf_add(out, buf.data, buf.size);
	object_buf_release(&buf);
	return rc;
}

static char *place_of(const struct merge_file *f, const char *name)
{
	return f->prefix && *name != '/' ? xstrfmt("%s%s", f->prefix, name) : xstrdup(name);
}

static int read_version(struct merge_file *f, const char *name, struct strbuf *out, struct err *err)
{
	char *place;
	struct stat st;
	int rc = 0;

	if (f->object_id) {
		rc = read_blob(f, name, out, err);
	} else {
		place = place_of(f, name);
		if (stat(place, &st) < 0)
			rc = err_set_errno(err, "Could not stat %s", name);
		else
			rc = read_named_file(out, place, FILE_MAX, err);
		free(place);
	}
	if (!rc && memchr(out->buf, 0, out->len < BINARY_CHECK_BYTES ? out->len : BINARY_CHECK_BYTES))
		rc = err_set(err, ERR_UNSUPPORTED, "Cannot merge binary files: %s", name);
	return rc;
}

/* In a partial clone: together. An unknown name is reported when its turn comes. */
static int prefetch(struct merge_file *f, const char *const *names, struct err *err)
{
	struct oid_array wanted = OID_ARRAY_INIT;
	struct object_id oid;
	int rc;

	if (!f->object_id || !odb_can_fetch(f->r->odb))
		return 0;
	for (int i = 0; i < 3; i++)
		if (!revparse_oid(f->r, names[i], &oid, NULL))
			oid_array_append(&wanted, &oid);
	rc = odb_prefetch(f->r->odb, &wanted, err);
	oid_array_clear(&wanted);
	return rc;
}

static int read_all(struct merge_file *f, const char *const *names, struct err *err)
{
	int rc = prefetch(f, names, err);

	for (int i = 0; !rc && i < 3; i++) {
		rc = read_version(f, names[i], &f->text[i], err);
		f->m.side[i].text = f->text[i].buf;
		f->m.side[i].len = f->text[i].len;
		f->m.side[i].label = f->labels.nr > (size_t)i ? f->labels.v[i] : names[i];
	}
	return rc;
}

/* ---- the result ---- */

static int replace_file(struct merge_file *f, const char *name, struct err *err)
{
	char *place = place_of(f, name), *real = path_real(place, 0);
	int rc;

	if (real)
		rc = replace_user_file(real, &f->out, ".merge_file_", name, err);
	else
		rc = err_set_errno(err, "Could not open %s for writing", name);
	free(real);
	free(place);
	return rc;
}

static int write_blob(struct merge_file *f, struct err *err)
{
	struct object_id oid;
	int rc = repo_operation_write_object(f->r, OBJ_BLOB, f->out.buf, f->out.len, &oid, err);

	if (!rc)
		puts(oid_hex(&oid));
	return rc;
}

static int write_result(struct merge_file *f, const char *name, struct err *err)
{
	if (f->to_stdout)
		return print_and_clear(NULL, &f->out, err);
	return f->object_id ? write_blob(f, err) : replace_file(f, name, err);
}

/* ---- the command ---- */

static int set_algorithm(struct merge_file *f, struct err *err)
{
	struct diff_options o = { 0 };

	if (!f->algorithm)
		return 0;
	if (!diff_set_algorithm(&o, f->algorithm))
		return err_set(err, ERR_INVALID, "option diff-algorithm accepts \"myers\", \"minimal\", "
			       "\"patience\" and \"histogram\"");
	f->m.algorithm = o.algorithm;
	f->m.minimal = o.minimal;
	return 0;
}

static void read_settings(struct merge_file *f)
{
	const char *style = NULL;
	struct err err = ERR_INIT;
	int rc = config_get_string(command_config(f->r), "merge.conflictstyle", &style, &err);

	if (rc > 0 && !merge3_parse_style(&f->m.style, style))
		rc = config_entry_bad(config_get(command_config(f->r), "merge.conflictstyle"), &err,
				      "unknown conflict style");
	if (rc < 0)
		die_err(&err);
	if (f->style >= 0)
		f->m.style = (enum merge3_style)f->style;
	f->m.favor = (enum merge3_favor)f->favor;
	f->m.join_over_blank = true;
	if (f->marker_size > 0)
		f->m.marker_size = (size_t)f->marker_size;
}

static int run_merge_file(struct merge_file *f, const char *const *names)
{
	struct err err = ERR_INIT;
	size_t conflicts = 0;
	int rc = read_all(f, names, &err);

	if (!rc) {
		conflicts = merge3_texts(&f->m, &f->out);
		rc = write_result(f, names[0], &err);
	}
	if (rc < 0) {
		if (!f->quiet)
			report_error(&err);
		err_release(&err);
		return 255;
	}
	rc = finish_stdout();
	return rc ? 255 : conflicts > MOST_CONFLICTS ? MOST_CONFLICTS : (int)conflicts;
}

/* The exit code, if the options cannot be right; else 0. */
static int check_merge_file_options(struct merge_file *f)
{
	struct err err = ERR_INIT;

	if (f->labels.nr > 3)
		error("too many labels on the command line");
	else if (set_algorithm(f, &err) < 0)
		report_error(&err);
	else
		return 0;
	return 129;
}

int cmd_merge_file(int argc, const char **argv, struct command_ctx *ctx)
{
	struct merge_file f = { .r = ctx->repo, .prefix = ctx->prefix, .m = MERGE3_INIT, .labels = STRVEC_INIT,
				.text = { STRBUF_INIT, STRBUF_INIT, STRBUF_INIT }, .out = STRBUF_INIT, .style = -1 };
	struct option opts[] = {
		OPT_BOOL('p', "stdout", &f.to_stdout, "send results to standard output"),
		OPT_BOOL(0, "object-id", &f.object_id, "use object IDs instead of filenames"),
		OPT_SET_INT(0, "diff3", &f.style, "use a diff3 based merge", MERGE3_DIFF3),
		OPT_SET_INT(0, "zdiff3", &f.style, "use a zealous diff3 based merge", MERGE3_ZDIFF3),
		OPT_SET_INT(0, "ours", &f.favor, "for conflicts, use our version", MERGE3_TAKE_OURS),
		OPT_SET_INT(0, "theirs", &f.favor, "for conflicts, use their version", MERGE3_TAKE_THEIRS),
		OPT_SET_INT(0, "union", &f.favor, "for conflicts, use a union version", MERGE3_UNION),
		OPT_STRING(0, "diff-algorithm", &f.algorithm, "algorithm", "choose a diff algorithm"),
		OPT_INTEGER(0, "marker-size", &f.marker_size, "for conflicts, use this marker size"),
		OPT_BOOL('q', "quiet", &f.quiet, "do not warn about conflicts"),
		OPT_STRVEC('L', NULL, &f.labels, "name", "set labels for file1/orig-file/file2"),
		OPT_END()
	};
	int code;

	argc = parse_options(argc, argv, opts, usage, 0);
	if (argc != 3)
		usage_with_options(usage, opts);
	if (f.object_id && !f.r)
		die("not a git repository (or any of the parent directories): .git");
	code = check_merge_file_options(&f);
	if (!code) {
		read_settings(&f);
		code = run_merge_file(&f, argv);
	}
	strvec_clear(&f.labels);
	for (int i = 0; i < 3; i++)
		strbuf_release(&f.text[i]);
	strbuf_release(&f.out);
	return code;
}

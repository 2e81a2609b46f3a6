/* SPDX-License-Identifier: GPL-2.0-only */
/* Options of the command line and of the stream, and the import itself. */
#include "compat/posix.h"
#include "fastimport/fastimport-internal.h"
#include "util/alloc.h"
#include "util/path.h"

int fast_import_new(struct fast_import **out, struct repository *r, const struct fast_import_options *o, struct err *err)
{
	struct fast_import *fi = *out = xcalloc(1, sizeof(*fi));
	int rc;

	fi->repo = r;
	fi->o = *o;
	fi->answer_fd = o->out_fd;
	fi->depth = 50;
	fi->max_active = 5;
	fi->big_file = r->settings.big_file_threshold;
	strbuf_init(&fi->last.data, 0);
	strvec_init(&fi->args);
	strmap_init(&fi->branches);
	strmap_init(&fi->known_packs.map);
	strmap_init(&fi->sub_from);
	strmap_init(&fi->sub_to);
	import_input_init(&fi->in, o->in_fd);
	rc = config_get_ulong(r->config, "pack.depth", &fi->depth, err);
	if (fi->depth > PACK_WRITER_DEPTH_MAX)
		fi->depth = PACK_WRITER_DEPTH_MAX;
	return rc;
}

void fast_import_free(struct fast_import *fi)
{
	if (!fi)
		return;
	if (fi->op) {
		repo_operation_abort(fi->op);
		repo_operation_free(fi->op);
	}
	for (size_t i = 0; i < fi->nr_branches; i++) {
		import_root_free(fi->branch_list[i]->root);
		free(fi->branch_list[i]->name);
		free(fi->branch_list[i]);
	}
	for (size_t i = 0; i < fi->nr_tags; i++)
		free(fi->tags[i].name);
	free(fi->branch_list);
	free(fi->tags);
	free(fi->marks.v);
	free(fi->export_marks);
	free(fi->import_marks);
	free(fi->pack_edges);
	strset_clear(&fi->known_packs);
	free(fi->signed_commits.key);
	free(fi->signed_tags.key);
	strmap_clear(&fi->branches, NULL);
	strmap_clear(&fi->sub_from, free);
	strmap_clear(&fi->sub_to, free);
	oidmap_clear(&fi->sub_map, free);
	strbuf_release(&fi->last.data);
	strvec_clear(&fi->args);
	import_input_release(&fi->in);
	free(fi);
}

bool fast_import_is_quiet(const struct fast_import *fi)
{
	return fi->quiet;
}

/* ---- values ---- */

static int count_value(const char *option, const char *v, unsigned long *out, struct err *err)
{
	char *end;

	errno = 0;
	*out = strtoul(v, &end, 10);
	if (errno || end == v || *end || *v == '-')
		return err_set(err, ERR_INVALID, "%s: argument must be a non-negative integer", option);
	return 1;
}

/* 0, as for an option that is not known: it is no size. */
static int size_value(const char *v, uint64_t *out)
{
	int64_t n;

	if (config_parse_int64(v, &n, NULL) < 0)
		return 0;
	*out = n < 0 ? 0 : (uint64_t)n;
	return 1;
}

static int pack_size_value(struct fast_import *fi, const char *v)
{
	int rc = size_value(v, &fi->max_pack);

	if (rc > 0 && fi->max_pack < 8192) {
		import_warn(fi, "max-pack-size is now in bytes, assuming --max-pack-size=%" PRIu64 "m", fi->max_pack);
		fi->max_pack *= 1024 * 1024;
	} else if (rc > 0 && fi->max_pack < 1024 * 1024) {
		import_warn(fi, "minimum max-pack-size is 1 MiB");
		fi->max_pack = 1024 * 1024;
	}
	return rc;
}

static int signed_value(const char *option, const char *v, struct import_signed *out, struct err *err)
{
	static const char *const modes[] = { "verbatim", "warn-verbatim", "abort", "strip", "warn-strip", "strip-if-invalid",
					     "sign-if-invalid", "abort-if-invalid" };
	const char *key = NULL;

	if (!strcmp(v, "warn"))
		v = "warn-verbatim";
	if (skip_prefix(v, "sign-if-invalid=", &key))
		v = "sign-if-invalid";
	for (unsigned i = 0; i < sizeof(modes) / sizeof(*modes); i++)
		if (!strcmp(v, modes[i])) {
			out->mode = i;
			free(out->key);
			out->key = key ? xstrdup(key) : NULL;
			return 1;
		}
	return err_set(err, ERR_INVALID, "unknown %s mode '%s'", option, v);
}

static int date_value(struct fast_import *fi, const char *v, struct err *err)
{
	static const char *const names[] = { "raw", "raw-permissive", "rfc2822", "now" };

	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(v, names[i])) {
			fi->date = i;
			return 1;
		}
	return err_set(err, ERR_INVALID, "unknown --date-format argument %s", v);
}

/* Relative to the directory where the command was started. */
static char *user_path(const struct fast_import *fi, const char *v)
{
	return fi->repo->prefix && !is_absolute_path(v) ? path_join(fi->repo->prefix, v) : xstrdup(v);
}

static char *marks_path(const struct fast_import *fi, const char *v)
{
	if (fi->relative_marks && !is_absolute_path(v))
		return repo_path(fi->repo, "info/fast-import/%s", v);
	return user_path(fi, v);
}

/* ---- 1: known, 0: unknown ---- */

static int tuning_option(struct fast_import *fi, const char *s, struct err *err)
{
	const char *v;

	if (skip_prefix(s, "max-pack-size=", &v))
		return pack_size_value(fi, v);
	if (skip_prefix(s, "big-file-threshold=", &v))
		return size_value(v, &fi->big_file);
	if (skip_prefix(s, "depth=", &v)) {
		int rc = count_value("--depth", v, &fi->depth, err);

		return rc > 0 && fi->depth > PACK_WRITER_DEPTH_MAX ?
			err_set(err, ERR_INVALID, "--depth cannot exceed %u", PACK_WRITER_DEPTH_MAX) : rc;
	}
	if (skip_prefix(s, "active-branches=", &v))
		return count_value("--active-branches", v, &fi->max_active, err);
	if (skip_prefix(s, "export-pack-edges=", &v)) {
		free(fi->pack_edges);
		fi->pack_edges = user_path(fi, v);
		return 1;
	}
	if (skip_prefix(s, "signed-commits=", &v))
		return signed_value("--signed-commits", v, &fi->signed_commits, err);
	if (skip_prefix(s, "signed-tags=", &v))
		return signed_value("--signed-tags", v, &fi->signed_tags, err);
	if (!strcmp(s, "quiet") || !strcmp(s, "stats")) {
		fi->quiet = *s == 'q';
		return 1;
	}
	if (strcmp(s, "allow-unsafe-features"))
		return 0;
	return 1;
}

static int check_unsafe(const struct fast_import *fi, const char *feature, bool from_stream, struct err *err)
{
	if (from_stream && !fi->unsafe)
		return err_set(err, ERR_INVALID, "feature '%s' forbidden in input without --allow-unsafe-features", feature);
	return 0;
}

static int set_import_marks(struct fast_import *fi, const char *v, bool from_stream, bool may_miss, struct err *err)
{
	if (fi->import_marks && from_stream)
		return err_set(err, ERR_INVALID, "only one import-marks command allowed per stream");
	free(fi->import_marks);
	fi->import_marks = marks_path(fi, v);
	fi->marks_may_miss = may_miss;
	fi->marks_read = false;
	/* Each option of the command line adds a file; the last one wins where they differ. */
	return from_stream ? 1 : import_marks_read(fi, err) < 0 ? ERR_IO : 1;
}

static int marks_feature(struct fast_import *fi, const char *s, bool from_stream, struct err *err)
{
	const char *v;
	bool may_miss = skip_prefix(s, "import-marks-if-exists=", &v);

	if (may_miss || skip_prefix(s, "import-marks=", &v)) {
		if (check_unsafe(fi, may_miss ? "import-marks-if-exists" : "import-marks", from_stream, err) < 0)
			return ERR_INVALID;
		return set_import_marks(fi, v, from_stream, may_miss, err);
	}
	if (!skip_prefix(s, "export-marks=", &v))
		return 0;
	if (check_unsafe(fi, s, from_stream, err) < 0)
		return ERR_INVALID;
	free(fi->export_marks);
	fi->export_marks = marks_path(fi, v);
	return 1;
}

static int feature_option(struct fast_import *fi, const char *s, bool from_stream, struct err *err)
{
	static const char *const there[] = { "get-mark", "cat-blob", "ls", "notes", "alias" };
	const char *v;
	int rc = marks_feature(fi, s, from_stream, err);

	if (rc)
		return rc;
	if (skip_prefix(s, "date-format=", &v))
		return date_value(fi, v, err);
	for (size_t i = 0; i < sizeof(there) / sizeof(*there); i++)
		if (!strcmp(s, there[i]))
			return 1;
	if (!strcmp(s, "relative-marks") || !strcmp(s, "no-relative-marks"))
		fi->relative_marks = *s == 'r';
	else if (!strcmp(s, "done"))
		fi->need_done = true;
	else if (!strcmp(s, "force"))
		fi->force = true;
	else
		return 0;
	return 1;
}

static int submodule_option(struct strmap *m, const char *v, struct err *err)
{
	const char *colon = strchr(v, ':');
	char *name;

	if (!colon)
		return err_set(err, ERR_INVALID, "expected format name:filename for submodule rewrite option");
	name = xmemdupz(v, (size_t)(colon - v));
	free(strmap_put(m, name, xstrdup(colon + 1)));
	free(name);
	return 1;
}

static int line_option(struct fast_import *fi, const char *s, struct err *err)
{
	unsigned long fd;
	const char *v;
	int rc = tuning_option(fi, s, err);

	if (!rc)
		rc = feature_option(fi, s, false, err);
	if (!rc && skip_prefix(s, "rewrite-submodules-from=", &v))
		rc = submodule_option(&fi->sub_from, v, err);
	if (!rc && skip_prefix(s, "rewrite-submodules-to=", &v))
		rc = submodule_option(&fi->sub_to, v, err);
	if (!rc && skip_prefix(s, "cat-blob-fd=", &v)) {
		rc = count_value("--cat-blob-fd", v, &fd, err);
		if (rc > 0 && fd > INT_MAX)
			rc = err_set(err, ERR_INVALID, "--cat-blob-fd cannot exceed %d", INT_MAX);
		if (rc > 0)
			fi->answer_fd = (int)fd;
	}
	return rc ? rc : err_set(err, ERR_UNSUPPORTED, "unknown option --%s", s);
}

/* The command line comes after the options of the stream, which it overrides. */
int fast_import_option(struct fast_import *fi, const char *option, struct err *err UNUSED)
{
	if (!strcmp(option, "allow-unsafe-features"))
		fi->unsafe = true;
	strvec_push(&fi->args, option);
	return 0;
}

/* ---- the stream ---- */

static int import_unpack_limit(const struct fast_import *fi, unsigned *out, struct err *err)
{
	int limit = 100, rc = config_get_int(fi->repo->config, "fastimport.unpacklimit", &limit, err);

	if (!rc)
		rc = config_get_int(fi->repo->config, "transfer.unpacklimit", &limit, err);
	*out = limit > 0 ? (unsigned)limit : 1;
	return rc;
}

/* Does the command line name files of marks? Then that of the stream is not read. */
static bool line_names_marks(const struct fast_import *fi)
{
	for (size_t i = 0; i < fi->args.nr; i++)
		if (starts_with(fi->args.v[i], "import-marks"))
			return true;
	return false;
}

/* Not the level of new objects, which is low by default: a repack copies these packs as they are. */
static int import_level(const struct fast_import *fi)
{
	const struct config_set *c = fi->repo->config;
	bool given = config_get(c, "core.compression") || config_get(c, "pack.compression");

	return given ? fi->repo->settings.pack_level : -1;
}

int import_begin_data(struct fast_import *fi, struct err *err)
{
	unsigned limit;
	int rc = 0;

	fi->seen_data = true;
	if (fi->import_marks && !line_names_marks(fi))
		rc = import_marks_read(fi, err);
	for (size_t i = 0; rc >= 0 && i < fi->args.nr; i++)
		rc = line_option(fi, fi->args.v[i], err);
	if (rc >= 0)
		rc = import_marks_map_submodules(fi, err);
	if (rc >= 0)
		rc = import_unpack_limit(fi, &limit, err);
	if (rc >= 0)
		rc = import_edges_begin(fi, err);
	if (rc < 0)
		return rc;
	fi->level = import_level(fi);
	fi->op = repo_operation_begin(fi->repo);
	rc = repo_operation_open_objects(fi->op, err);
	if (!rc)
		bulk_checkin_set_limits(odb_batch(fi->repo->odb), limit, fi->max_pack, fi->level);
	return rc;
}

int import_feature(struct fast_import *fi, const char *text, struct err *err)
{
	int rc;

	if (fi->seen_data)
		return err_set(err, ERR_INVALID, "got feature command '%s' after data command", text);
	rc = feature_option(fi, text, true, err);
	return rc ? rc : err_set(err, ERR_UNSUPPORTED, "this version of fast-import does not support feature %s.", text);
}

int import_stream_option(struct fast_import *fi, const char *text, struct err *err)
{
	int rc;

	if (fi->seen_data)
		return err_set(err, ERR_INVALID, "got option command '%s' after data command", text);
	rc = tuning_option(fi, text, err);
	return rc ? rc : err_set(err, ERR_UNSUPPORTED, "this version of fast-import does not support option: %s", text);
}

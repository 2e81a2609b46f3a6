/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "merge/contents.h"
#include "merge/driver.h"
#include "object/tree.h"
#include "util/alloc.h"

#define BINARY_CHECK_BYTES 8000 /* a NUL in these makes a file binary */
#define TEXT_MAX ((uint64_t)1023 * 1024 * 1024)
#define MARKER_SIZE 7

int merge_config_style(enum merge3_style *style, const struct config_set *c, struct err *err)
{
	const char *name;
	int rc = config_get_string(c, "merge.conflictstyle", &name, err);

	if (rc > 0 && !merge3_parse_style(style, name))
		return config_entry_bad(config_get(c, "merge.conflictstyle"), err, "unknown conflict style");
	return rc < 0 ? rc : 0;
}

bool merge_version_eq(const struct merge_version *a, const struct merge_version *b)
{
	return a->mode == b->mode && (!a->mode || oid_eq(&a->oid, &b->oid));
}

bool merge_version_same_type(const struct merge_version *a, const struct merge_version *b)
{
	return mode_object_type(a->mode) == mode_object_type(b->mode) && MODE_IS_SYMLINK(a->mode) == MODE_IS_SYMLINK(b->mode);
}

/* ---- blobs ---- */

static const enum merge3_side side_of[MERGE_STAGES] = { MERGE3_BASE, MERGE3_OURS, MERGE3_THEIRS };

static bool is_binary_text(const struct object_buf *b)
{
	return b->size > TEXT_MAX ||
	       (b->size && memchr(b->data, 0, b->size < BINARY_CHECK_BYTES ? b->size : BINARY_CHECK_BYTES));
}

static int read_normalized(const struct merge_rules *rules, struct odb *odb, const char *path, const struct object_id *oid,
			   struct object_buf *buf, struct err *err)
{
	int rc = odb_read_type(odb, oid, OBJ_BLOB, buf, err);

	if (!rc && rules->renormalize && rules->normalize)
		rc = rules->normalize(rules->attributes_data, path, buf, err);
	return rc;
}

int merge_same_if_normalized(const struct merge_rules *rules, struct odb *odb, const char *path, const struct object_id *a,
			     const struct object_id *b, bool *same, struct err *err)
{
	struct object_buf x = OBJECT_BUF_INIT, y = OBJECT_BUF_INIT;
	int rc = 0;

	*same = false;
	if (!rules->renormalize || !rules->normalize)
		return 0;
	rc = read_normalized(rules, odb, path, a, &x, err);
	if (!rc)
		rc = read_normalized(rules, odb, path, b, &y, err);
	*same = !rc && x.size == y.size && (!x.size || !memcmp(x.data, y.data, x.size));
	object_buf_release(&x);
	object_buf_release(&y);
	return rc;
}

static int read_versions(const struct merge_blobs *b, const struct merge_rules *rules, struct odb *odb,
			 struct object_buf buf[MERGE_STAGES], bool *binary, struct err *err)
{
	for (int i = 0; i < MERGE_STAGES; i++) {
		int rc = b->oid[i] ? read_normalized(rules, odb, b->path, b->oid[i], &buf[i], err) : 0;

		if (rc)
			return rc;
		*binary |= is_binary_text(&buf[i]);
	}
	return 0;
}

/* Which version stands for the result where there are no lines to be merged? */
static void take_version(const struct merge_rules *rules, const struct object_buf buf[MERGE_STAGES], struct strbuf *out,
			 struct merge_blobs_outcome *outcome)
{
	enum merge_stage s = rules->depth ? MERGE_BASE : rules->favor == MERGE3_TAKE_THEIRS ? MERGE_THEIRS : MERGE_OURS;

	strbuf_add(out, buf[s].data, buf[s].size);
	outcome->binary = true;
	outcome->clean = !rules->depth && (rules->favor == MERGE3_TAKE_OURS || rules->favor == MERGE3_TAKE_THEIRS);
}

static size_t marker_size_of(const struct merge_blobs *b, const struct merge_rules *rules, const struct merge_attributes *a)
{
	return (a->marker_size ? a->marker_size : MARKER_SIZE) + 2 * (size_t)rules->depth + b->nested;
}

static void merge_lines(const struct merge_blobs *b, const struct merge_rules *rules, const struct merge_attributes *a,
			const struct object_buf buf[MERGE_STAGES], struct strbuf *out, struct merge_blobs_outcome *outcome)
{
	struct merge3 m = { .style = rules->style, .favor = rules->depth ? MERGE3_CONFLICT : rules->favor,
			    .algorithm = rules->algorithm, .minimal = rules->minimal, .ignore = rules->ignore };

	m.marker_size = marker_size_of(b, rules, a);
	if (a->kind == MERGE_KIND_UNION)
		m.favor = MERGE3_UNION;
	for (int i = 0; i < MERGE_STAGES; i++)
		m.side[side_of[i]] = (struct merge3_text){ .text = buf[i].data ? buf[i].data : "", .len = buf[i].size,
							   .label = b->label[i] };
	outcome->clean = merge3_texts(&m, out) == 0;
}

static int merge_by_program(const struct merge_blobs *b, const struct merge_rules *rules, const struct merge_attributes *a,
			    const struct object_buf buf[MERGE_STAGES], struct strbuf *out,
			    struct merge_blobs_outcome *outcome, struct err *err)
{
	struct merge_driver_call call = { .command = a->command, .path = b->path, .version = buf, .label = b->label,
					  .marker_size = marker_size_of(b, rules, a) };

	return merge_driver_run(&call, out, &outcome->clean, err);
}

int merge_blobs(const struct merge_blobs *b, const struct merge_rules *rules, struct odb *odb, struct strbuf *out,
		struct merge_blobs_outcome *outcome, struct err *err)
{
	struct object_buf buf[MERGE_STAGES] = { OBJECT_BUF_INIT, OBJECT_BUF_INIT, OBJECT_BUF_INIT };
	struct merge_attributes attributes = { .kind = MERGE_KIND_TEXT };
	bool binary = false;
	int rc = 0;

	*outcome = (struct merge_blobs_outcome){ 0 };
	if (rules->attributes)
		rc = rules->attributes(rules->attributes_data, b->path, rules->depth > 0, &attributes, err);
	if (!rc)
		rc = read_versions(b, rules, odb, buf, &binary, err);
	if (!rc && attributes.kind == MERGE_KIND_PROGRAM)
		rc = merge_by_program(b, rules, &attributes, buf, out, outcome, err);
	else if (!rc && (binary || attributes.kind == MERGE_KIND_BINARY))
		take_version(rules, buf, out, outcome);
	else if (!rc)
		merge_lines(b, rules, &attributes, buf, out, outcome);
	for (int i = 0; i < MERGE_STAGES; i++)
		object_buf_release(&buf[i]);
	return rc;
}

/* ---- files ---- */

/* True: both sides have the same mode, or one of them the base's. */
static bool merge_modes(const struct merge_version v[MERGE_STAGES], unsigned *mode)
{
	unsigned ours = v[MERGE_OURS].mode, theirs = v[MERGE_THEIRS].mode;

	*mode = ours == v[MERGE_BASE].mode ? theirs : ours;
	return ours == theirs || ours == v[MERGE_BASE].mode || theirs == v[MERGE_BASE].mode;
}

/* The base counts if it is of the same type as the sides. */
static bool has_base(const struct merge_version v[MERGE_STAGES])
{
	return v[MERGE_BASE].mode && merge_version_same_type(&v[MERGE_BASE], &v[MERGE_OURS]);
}

static int write_merged(const struct merge_file *f, const struct merge_rules *rules, struct odb *odb,
			struct merge_file_outcome *outcome, struct err *err)
{
	struct merge_blobs b = { .path = f->path, .nested = f->nested };
	struct merge_blobs_outcome how;
	struct strbuf text = STRBUF_INIT;
	int rc;

	for (int i = 0; i < MERGE_STAGES; i++) {
		b.oid[i] = i == MERGE_BASE && !has_base(f->version) ? NULL : &f->version[i].oid;
		b.label[i] = f->label[i];
	}
	rc = merge_blobs(&b, rules, odb, &text, &how, err);
	if (!rc)
		rc = odb_write(odb, OBJ_BLOB, text.buf, text.len, &outcome->result.oid, err);
	strbuf_release(&text);
	outcome->merged = true;
	outcome->clean &= how.clean;
	outcome->binary = how.binary && !how.clean;
	return rc;
}

/* Both sides have changed a symbolic link, or a submodule. */
static void take_one(const struct merge_file *f, const struct merge_rules *rules, struct merge_file_outcome *outcome)
{
	const struct merge_version *v = f->version;
	bool link = MODE_IS_SYMLINK(v[MERGE_OURS].mode);
	enum merge_stage s = MERGE_OURS;

	if (rules->depth)
		s = MERGE_BASE;
	else if (link && rules->favor == MERGE3_TAKE_THEIRS)
		s = MERGE_THEIRS;
	outcome->result = v[s];
	outcome->clean &= link && !rules->depth &&
			  (rules->favor == MERGE3_TAKE_OURS || rules->favor == MERGE3_TAKE_THEIRS);
}

/* In a merge of merge bases the base is the result of a conflict. */
static int merge_submodules(const struct merge_file *f, const struct merge_rules *rules, struct merge_file_outcome *outcome,
			    struct err *err)
{
	const struct merge_version *v = f->version;
	const struct merge_submodule_call call = {
		.path = f->path, .base = has_base(v) ? &v[MERGE_BASE].oid : NULL, .ours = &v[MERGE_OURS].oid,
		.theirs = &v[MERGE_THEIRS].oid, .search = !rules->depth,
	};
	int rc = rules->submodule ? rules->submodule(rules->submodule_data, &call, &outcome->submodule, err) : 0;

	if (rc || outcome->submodule.how != MERGE_SUBMODULE_FORWARD) {
		take_one(f, rules, outcome);
		return rc;
	}
	outcome->result.oid = outcome->submodule.result;
	return 0;
}

int merge_file(const struct merge_file *f, const struct merge_rules *rules, struct odb *odb,
	       struct merge_file_outcome *outcome, struct err *err)
{
	const struct merge_version *v = f->version;
	const struct object_id *base = has_base(v) ? &v[MERGE_BASE].oid : NULL;

	*outcome = (struct merge_file_outcome){ .result.oid = v[MERGE_OURS].oid };
	outcome->clean = merge_modes(v, &outcome->result.mode);
	if (oid_eq(&v[MERGE_OURS].oid, &v[MERGE_THEIRS].oid) || (base && oid_eq(base, &v[MERGE_THEIRS].oid)))
		return 0;
	if (base && oid_eq(base, &v[MERGE_OURS].oid)) {
		outcome->result.oid = v[MERGE_THEIRS].oid;
		return 0;
	}
	if (MODE_IS_FILE(v[MERGE_OURS].mode))
		return write_merged(f, rules, odb, outcome, err);
	if (MODE_IS_GITLINK(v[MERGE_OURS].mode))
		return merge_submodules(f, rules, outcome, err);
	take_one(f, rules, outcome);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "diff/diff-internal.h"
#include "diff/hunk-internal.h"
#include "diff/patch-id.h"
#include "util/alloc.h"

#define CONTEXT_LINES 3

static void hash_without_space(struct hash_ctx *h, const char *s, size_t len)
{
	const char *end = s + len, *from = s;

	for (; s < end; s++)
		if (isspace((unsigned char)*s)) {
			hash_update(h, from, s - from);
			from = s + 1;
		}
	hash_update(h, from, end - from);
}

static void hash_names(struct hash_ctx *h, const struct diff_pair *p)
{
	static const char *const kinds[] = { "change", "create", "delete" };
	int kind = !diff_file_exists(p->old) ? 1 : !diff_file_exists(p->new) ? 2 : 0;
	unsigned mode = kind == 1 ? p->new->mode : kind == 2 ? p->old->mode : 0;
	char text[32];

	snprintf(text, sizeof(text), "%s%o", kinds[kind], mode);
	hash_update(h, text, strlen(text) + 1);
	hash_without_space(h, p->old->path, strlen(p->old->path));
	hash_update(h, "", 1);
	hash_without_space(h, p->new->path, strlen(p->new->path));
	hash_update(h, "", 1);
}

/* Hunks without the lines that say where they are, and whether a newline is missing. */
static void hash_hunks(struct hash_ctx *h, const struct strbuf *hunks)
{
	const char *line = hunks->buf, *end = line + hunks->len;

	while (line < end) {
		const char *eol = memchr(line, '\n', end - line);
		size_t len = (eol ? eol : end) - line;

		if (len && *line != '@' && *line != '\\')
			hash_without_space(h, line, len);
		line += len + 1;
	}
}

static int hash_text(struct hash_ctx *h, const struct diff_pair *p, const struct diff_options *o,
		     struct err *err)
{
	struct strbuf hunks = STRBUF_INIT;
	struct text_diff d;
	struct hunk_printer hp = { .o = o, .d = &d, .out = &hunks };
	struct funcname *funcname;
	int rc = diff_file_load(p->old, o, err);

	if (!rc)
		rc = diff_file_load(p->new, o, err);
	if (!rc)
		rc = funcname_new(&funcname, NULL, err);
	if (rc < 0)
		return rc;
	hp.funcname = funcname;
	text_diff(&d, p->old->content.data, p->old->content.size, p->new->content.data,
		  p->new->content.size, o);
	hunks_print(&hp);
	hash_hunks(h, &hunks);
	text_diff_release(&d);
	funcname_free(funcname);
	strbuf_release(&hunks);
	diff_file_unload(p->old);
	diff_file_unload(p->new);
	return 0;
}

static int hash_pair(struct hash_ctx *h, const struct diff_pair *p, const struct diff_options *o,
		     bool names_only, struct err *err)
{
	int rc;

	if (diff_pair_is_unmodified(p))
		return 0;
	hash_names(h, p);
	if (names_only)
		return 0;
	rc = diff_file_binary(p->old, o, err);
	if (!rc)
		rc = diff_file_binary(p->new, o, err);
	if (rc < 0)
		return rc;
	if (!p->old->is_binary && !p->new->is_binary)
		return hash_text(h, p, o, err);
	hash_update(h, p->old->oid.hash, sizeof(p->old->oid.hash));
	hash_update(h, p->new->oid.hash, sizeof(p->new->oid.hash));
	return 0;
}

static void patch_id_options(struct diff_options *o, struct odb *odb)
{
	diff_options_init(o, odb);
	o->context = CONTEXT_LINES;
	o->indent_heuristic = false;
	o->detect = DIFF_DETECT_NONE;
}

int patch_id(struct odb *odb, const struct pathspec *paths, const struct object_id *from,
	     const struct object_id *to, bool names_only, struct object_id *out, struct err *err)
{
	struct diff_queue q = DIFF_QUEUE_INIT;
	struct diff_options o;
	struct hash_ctx h;
	int rc;

	patch_id_options(&o, odb);
	o.pathspec = paths;
	rc = diff_trees(&q, &o, from, to, err);
	if (!rc)
		rc = diff_process(&q, &o, err);
	hash_init(&h, odb_algo(odb));
	for (size_t i = 0; !rc && i < q.nr; i++)
		rc = hash_pair(&h, q.pairs[i], &o, names_only, err);
	if (!rc)
		(void)hash_final(&h, out);
	hash_release(&h);
	diff_queue_clear(&q);
	diff_options_release(&o);
	return rc;
}

/* ---- as git-patch-id(1) has it ---- */

static void hash_word(struct hash_ctx *h, const char *word)
{
	hash_update(h, word, strlen(word));
}

static void hash_label(struct hash_ctx *h, const char *label, const char *path)
{
	hash_word(h, label);
	hash_without_space(h, path, strlen(path));
}

static void hash_mode(struct hash_ctx *h, const char *label, unsigned mode)
{
	char text[48];

	snprintf(text, sizeof(text), "%s%06o", label, mode);
	hash_word(h, text);
}

/* The lines above the hunks, without white space. */
static void hash_file_header(struct hash_ctx *h, const struct diff_pair *p, bool binary)
{
	const char *old = p->old->path, *new = p->new->path;
	bool created = !diff_file_exists(p->old), deleted = !diff_file_exists(p->new);

	hash_label(h, "diff--gita/", old);
	hash_label(h, "b/", new);
	if (created)
		hash_mode(h, "newfilemode", p->new->mode);
	else if (deleted)
		hash_mode(h, "deletedfilemode", p->old->mode);
	else if (p->old->mode != p->new->mode) {
		hash_mode(h, "oldmode", p->old->mode);
		hash_mode(h, "newmode", p->new->mode);
	}
	if (binary) {
		hash_word(h, oid_hex(&p->old->oid));
		hash_word(h, oid_hex(&p->new->oid));
		return;
	}
	hash_label(h, created ? "---/dev/null" : "---a/", created ? "" : old);
	hash_label(h, deleted ? "+++/dev/null" : "+++b/", deleted ? "" : new);
}

/* sum += one, as numbers whose lowest byte comes first. */
static void add_hash(struct object_id *sum, const struct object_id *one, size_t len)
{
	unsigned carry = 0;

	for (size_t i = 0; i < len; i++) {
		carry += (unsigned)sum->hash[i] + one->hash[i];
		sum->hash[i] = (unsigned char)carry;
		carry >>= 8;
	}
}

static int hash_file_patch(struct hash_ctx *h, const struct diff_pair *p, const struct diff_options *o, struct err *err)
{
	int rc = diff_file_binary(p->old, o, err);
	bool binary;

	if (!rc)
		rc = diff_file_binary(p->new, o, err);
	if (rc < 0)
		return rc;
	binary = p->old->is_binary || p->new->is_binary;
	hash_file_header(h, p, binary);
	return binary ? 0 : hash_text(h, p, o, err);
}

int patch_id_stable(struct odb *odb, enum diff_detect detect, const struct object_id *from, const struct object_id *to,
		    struct object_id *out, struct err *err)
{
	struct diff_queue q = DIFF_QUEUE_INIT;
	struct diff_options o;
	struct object_id sum, one;
	int rc;

	memset(&sum, 0, sizeof(sum));
	patch_id_options(&o, odb);
	o.detect = detect;
	rc = diff_trees(&q, &o, from, to, err);
	if (!rc)
		rc = diff_process(&q, &o, err);
	for (size_t i = 0; !rc && i < q.nr; i++) {
		struct hash_ctx h;

		if (diff_pair_is_unmodified(q.pairs[i]))
			continue;
		hash_init(&h, odb_algo(odb));
		rc = hash_file_patch(&h, q.pairs[i], &o, err);
		if (!rc)
			(void)hash_final(&h, &one);
		hash_release(&h);
		if (!rc) {
			sum.algo = one.algo;
			add_hash(&sum, &one, odb_algo(odb)->raw_len);
		}
	}
	if (!rc)
		*out = sum;
	diff_queue_clear(&q);
	diff_options_release(&o);
	return rc;
}

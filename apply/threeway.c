/* SPDX-License-Identifier: GPL-2.0-only */
/* --3way: the blob that the patch was made for is the base of a merge. */
#include "compat/posix.h"
#include "apply/apply-internal.h"
#include "object/tree.h"
#include "worktree/content-merge.h"

static int write_blob_of(struct apply *a, const struct strbuf *content, struct object_id *oid)
{
	return odb_write(a->repo->odb, OBJ_BLOB, content->buf, content->len, oid, NULL);
}

static int read_blob_into(struct apply *a, const struct object_id *oid, struct strbuf *out)
{
	struct object_buf buf = OBJECT_BUF_INIT;

	if (odb_read_type(a->repo->odb, oid, OBJ_BLOB, &buf, NULL) < 0)
		return -1;
	strbuf_reset(out);
	strbuf_add(out, buf.data, buf.size);
	object_buf_release(&buf);
	return 0;
}

/* The content that the patch was made for. */
static int read_base(struct apply *a, struct apply_patch *ap, struct object_id *oid, struct strbuf *out)
{
	if (ap->p.is_new > 0)
		return write_blob_of(a, out, oid);
	if (a->resolve(a->data, ap->p.old_oid, oid) < 0 || read_blob_into(a, oid, out) < 0)
		return apply_error(a, "repository lacks the necessary blob to perform 3-way merge.");
	return 0;
}

static int read_ours(struct apply *a, struct apply_patch *ap, const struct index_entry *e, struct strbuf *out)
{
	if (ap->p.is_new > 0) {
		if (apply_load_current(a, ap, out) < 0)
			return apply_error(a, "cannot read the current contents of '%s'", ap->p.new_name);
	} else if (apply_load_preimage(a, ap, e, out) < 0) {
		return apply_error(a, "cannot read the current contents of '%s'", ap->p.old_name);
	}
	return 0;
}

/* 1: with conflicts. */
static int merge_versions(struct apply *a, const char *path, const struct object_id *oid, struct strbuf *out)
{
	const struct merge_blobs b = { .path = path,
				       .oid = { &oid[MERGE_BASE], &oid[MERGE_OURS], &oid[MERGE_THEIRS] },
				       .label = { "base", "ours", "theirs" } };
	struct content_merge content = { .r = a->repo, .attrs = converter_attrs(a->conv), .ix = &a->ix };
	struct merge_rules rules = MERGE_RULES_INIT;
	struct merge_blobs_outcome outcome = { 0 };
	int rc;

	if (oid_eq(&oid[MERGE_BASE], &oid[MERGE_OURS]))
		return read_blob_into(a, &oid[MERGE_THEIRS], out);
	if (oid_eq(&oid[MERGE_BASE], &oid[MERGE_THEIRS]) || oid_eq(&oid[MERGE_OURS], &oid[MERGE_THEIRS]))
		return read_blob_into(a, &oid[MERGE_OURS], out);
	content_merge_use(&content, &rules);
	rules.favor = (enum merge3_favor)a->favor;
	strbuf_reset(out);
	rc = merge_config_style(&rules.style, a->repo->config, NULL);
	if (!rc)
		rc = merge_blobs(&b, &rules, a->repo->odb, out, &outcome, NULL);
	if (!rc && outcome.binary && !outcome.clean)
		apply_say(a, "warning: Cannot merge binary files: %s (%s vs. %s)\n", path, "ours", "theirs");
	content_merge_release(&content);
	return rc < 0 ? rc : !outcome.clean;
}

static void note_conflict(struct apply *a, struct apply_patch *ap, const struct object_id *oid)
{
	ap->conflicted = true;
	for (int i = 0; i < MERGE_STAGES; i++) {
		ap->oid[i] = oid[i];
		ap->has_oid[i] = i != MERGE_BASE || ap->p.is_new <= 0;
	}
	apply_say(a, "Applied patch to '%s' with conflicts.\n", ap->p.new_name);
}

/* As in Git, nor has a patch that may be a deletion: no line is left, and no header tells. */
static bool has_no_merge(const struct apply_patch *ap)
{
	const struct file_patch *p = &ap->p;

	return p->is_delete || MODE_IS_GITLINK(p->old_mode) || MODE_IS_GITLINK(p->new_mode) ||
	       (p->is_new > 0 && !ap->direct_to_threeway) || (p->is_rename && !p->added && !p->deleted);
}

int apply_threeway(struct apply *a, struct apply_patch *ap, const struct index_entry *e, struct strbuf *result)
{
	struct object_id oid[MERGE_STAGES];
	struct strbuf text = STRBUF_INIT;
	int rc = -1;

	if (has_no_merge(ap) || read_base(a, ap, &oid[MERGE_BASE], &text) < 0)
		goto out;
	if (ap->direct_to_threeway)
		apply_say(a, "Performing three-way merge...\n");
	if (apply_hunks(a, ap, &text) < 0 || write_blob_of(a, &text, &oid[MERGE_THEIRS]) < 0)
		goto out;
	strbuf_reset(&text);
	if (read_ours(a, ap, e, &text) < 0 || write_blob_of(a, &text, &oid[MERGE_OURS]) < 0)
		goto out;
	rc = merge_versions(a, ap->p.new_name, oid, &text);
	if (rc < 0) {
		apply_say(a, "Failed to perform three-way merge...\n");
		goto out;
	}
	strbuf_swap(result, &text);
	if (rc)
		note_conflict(a, ap, oid);
	else
		apply_say(a, "Applied patch to '%s' cleanly.\n", ap->p.new_name);
	rc = 0;
out:
	strbuf_release(&text);
	return rc;
}

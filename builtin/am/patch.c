/* SPDX-License-Identifier: GPL-2.0-only */
/* git-am(1): a patch is applied to the index in memory, or merged with what it was made for. */
#include "compat/posix.h"
#include "builtin/am/am-cmd.h"
#include "cli/edit-text.h"
#include "fs/file.h"
#include "history/names/revparse.h"
#include "index/cache-tree.h"
#include "merge/options.h"
#include "util/alloc.h"
#include "util/quote.h"
#include "worktree/content-merge.h"

/* ---- git-apply(1) ---- */

static void say_of_apply(void *data UNUSED, const char *text)
{
	fflush(stdout);
	fputs(text, stderr);
}

static int resolve_blob(void *data, const char *name, struct object_id *out)
{
	struct am_cmd *c = data;

	return revparse_oid(c->r, name, out, NULL);
}

static int open_apply(struct am_cmd *c, struct apply *a, struct err *err)
{
	apply_init(a, c->r, NULL);
	a->in_series = true;
	a->say = say_of_apply;
	a->print = print_and_clear;
	a->resolve = resolve_blob;
	a->data = c;
	return apply_config(a, c->r->config, err);
}

/* Those of the command line. < 0: they cannot be used, which has been said. */
static int take_options(struct am_cmd *c, struct apply *a)
{
	int rc = am_apply_options(c, a);

	return rc < 0 ? rc : apply_check_options(a);
}

static void close_apply(struct apply *a)
{
	free((char *)a->root);
	a->root = NULL;
	apply_release(a);
}

/* The options are bad: the stop comes as late as in Git. */
static int stop_at_options(struct am_cmd *c, struct err *err)
{
	int rc = am_publish_stop(c, NULL, err);

	return rc ? rc : AM_STOPPED;
}

static int load_patch(struct am_cmd *c, struct err *err)
{
	char *path;
	int rc;

	if (c->mail.has_text)
		return 0;
	path = am_path(c, "patch");
	strbuf_reset(&c->mail.patch);
	rc = read_file(&c->mail.patch, path, EDIT_TEXT_MAX, err);
	free(path);
	return rc;
}

/* ---- after a failure ---- */

static int report_failed_patch(struct am_cmd *c)
{
	printf("Patch failed at %04zu %.*s\n", c->next, am_subject_len(c), c->mail.message.buf);
	fflush(stdout);
	if (advice_enabled(c->r, "amWorkDir"))
		advise("Use 'git am --show-current-patch=diff' to see the failed patch");
	c->code = am_advise(c);
	return AM_STOPPED;
}

static int stop_failed(struct am_cmd *c, const struct am_change *change, struct err *err)
{
	int rc = am_publish_stop(c, change, err);

	return rc ? rc : report_failed_patch(c);
}

/* ---- --reject: files change, patch by patch ---- */

static int apply_with_rejects(struct am_cmd *c, struct apply *a, bool *failed, struct err *err)
{
	char *path = am_path(c, "patch");
	const char *names[] = { path };
	int rc = am_publish(c, NULL, err);

	if (!rc)
		rc = repo_operation_end_unsealed(c->op, 0, err);
	c->op = NULL;
	if (!rc) {
		*failed = apply_run(a, names, 1) != 0;
		rc = am_begin(c, err);
	}
	free(path);
	return rc;
}

/* ---- 3-way ---- */

struct fallback {
	struct apply_series base; /* the blobs that the patch was made for; then with the patch */
	struct object_id base_tree, their_tree;
};

static void list_reconstructed(const struct am_cmd *c, const struct index_state *base)
{
	struct strbuf line = STRBUF_INIT;

	for (size_t i = 0; !c->s.quiet && i < base->nr; i++) {
		const struct index_entry *e = base->entries[i];
		const struct index_entry *ours = index_find(&c->series.ix, e->name, e->name_len);

		if (ours && ours->mode == e->mode && oid_eq(&ours->oid, &e->oid))
			continue;
		if (ours && (ours->mode & S_IFMT) != (e->mode & S_IFMT)) /* of another type: not listed, as in Git */
			continue;
		strbuf_reset(&line);
		strbuf_addf(&line, "%c\t", ours ? 'M' : 'A');
		quote_c_style(&line, e->name, e->name_len, c->r->settings.quote_path);
		puts(line.buf);
	}
	fflush(stdout);
	strbuf_release(&line);
}

/* 1: it has been said why not. */
static int build_base(struct am_cmd *c, struct fallback *f, const char *name, struct err *err)
{
	struct apply a;
	int rc = open_apply(c, &a, err);

	if (!rc)
		rc = take_options(c, &a) < 0 || apply_find_ancestor(&a, &c->series, &c->mail.patch, name, &f->base.ix);
	close_apply(&a);
	if (rc > 0)
		error("could not build fake ancestor");
	if (!rc)
		rc = cache_tree_update(&f->base.ix, c->r, WRITE_TREE_MISSING_OK, &f->base_tree, err);
	if (rc)
		return rc;
	am_say(c, "Using index info to reconstruct a base tree...");
	list_reconstructed(c, &f->base.ix);
	return 0;
}

static int patch_base(struct am_cmd *c, struct fallback *f, const char *name, struct err *err)
{
	struct apply a;
	int rc = open_apply(c, &a, err);

	a.cached = 1;
	if (!rc)
		rc = take_options(c, &a) < 0 || apply_to_series(&a, &f->base, &c->mail.patch, name);
	close_apply(&a);
	if (rc > 0)
		error("Did you hand edit your patch?\nIt does not apply to blobs recorded in its index.");
	return rc ? rc : cache_tree_update(&f->base.ix, c->r, WRITE_TREE_MISSING_OK, &f->their_tree, err);
}

static int merge_patch(struct am_cmd *c, const struct fallback *f, struct merge_result *result, struct err *err)
{
	struct content_merge attributes = { .r = c->r, .ix = &c->series.ix };
	char *label = xstrndup(c->mail.message.buf, (size_t)am_subject_len(c));
	struct merge_trees m = { .odb = c->r->odb, .abbrev = c->r->settings.abbrev,
				 .tree = { &f->base_tree, &c->tree, &f->their_tree },
				 .label = { "constructed fake ancestor", "HEAD", label } };
	int rc = merge_options_config(&m, c->r->config, err);

	m.renames.directories = MERGE_DIR_RENAMES_NONE;
	content_merge_use(&attributes, &m.rules);
	if (!rc)
		rc = attrs_new(&attributes.attrs, c->r, &c->series.ix, ATTR_CHECKOUT, err);
	if (!rc)
		rc = merge_trees(&m, result, err);
	attrs_free(attributes.attrs);
	content_merge_release(&attributes);
	free(label);
	return rc;
}

int am_follow_tree(struct am_cmd *c, const struct object_id *tree, struct err *err)
{
	struct index_state want, *ix = &c->series.ix;
	int rc;

	index_init(&want, c->r->algo);
	rc = unpack_trees_list(c->r, tree, &want, err);
	for (size_t i = 0; !rc && i < ix->nr; i++)
		if (!index_find(&want, ix->entries[i]->name, ix->entries[i]->name_len)) {
			strset_add(&c->series.changed, ix->entries[i]->name);
			ix->entries[i]->flags |= CE_REMOVE;
			cache_tree_invalidate(ix, ix->entries[i]->name);
		}
	index_remove_marked(ix);
	for (size_t i = 0; !rc && i < want.nr; i++) {
		const struct index_entry *e = want.entries[i], *old = index_find(ix, e->name, e->name_len);

		if (old && old->mode == e->mode && oid_eq(&old->oid, &e->oid))
			continue;
		strset_add(&c->series.changed, e->name);
		rc = index_add(ix, index_entry_new(ix, e->mode, &e->oid, e->name, e->name_len, 0), INDEX_ADD_REPLACE,
			       c->r->settings.protect, err);
	}
	index_release(&want);
	return rc;
}

static void print_merge_messages(const struct am_cmd *c, const struct merge_result *result)
{
	for (size_t i = 0; !c->s.quiet && i < result->nr_messages; i++)
		puts(result->messages[i].text);
	fflush(stdout);
}

static int take_clean_merge(struct am_cmd *c, const struct object_id *tree, struct err *err)
{
	if (oid_eq(tree, &c->head_tree)) {
		am_say(c, "No changes -- Patch already applied.");
		return AM_ALREADY;
	}
	c->tree = *tree;
	return am_follow_tree(c, tree, err);
}

static int stop_at_conflict(struct am_cmd *c, const struct merge_result *result, struct err *err)
{
	const struct am_change change = { &result->tree, &result->stages };
	int rc = am_publish_stop(c, &change, err);

	if (rc)
		return rc;
	error("Failed to merge in the changes.");
	return report_failed_patch(c);
}

static int merge_and_take(struct am_cmd *c, struct fallback *f, struct err *err)
{
	struct merge_result result;
	struct err why = ERR_INIT;
	int rc = merge_patch(c, f, &result, err);

	if (rc)
		return rc;
	rc = am_check_tree(c, &result.tree, &why);
	if (rc == ERR_CONFLICT) {
		report_error(&why);
		error("Failed to merge in the changes.");
		rc = stop_failed(c, NULL, err);
	} else if (rc) {
		err_move(err, &why);
	} else {
		print_merge_messages(c, &result);
		rc = result.clean ? take_clean_merge(c, &result.tree, err) : stop_at_conflict(c, &result, err);
	}
	merge_result_release(&result);
	return rc;
}

static int fall_back(struct am_cmd *c, const char *name, struct err *err)
{
	struct fallback f = { .base = { .op = c->op, .changed = STRSET_INIT } };
	/* names of blobs that earlier patches have made are looked up */
	int rc = repo_operation_show_objects(c->op, err);

	index_init(&f.base.ix, c->r->algo);
	if (!rc)
		rc = repo_operation_open_objects(c->op, err);
	if (!rc)
		rc = build_base(c, &f, name, err);
	if (!rc)
		rc = patch_base(c, &f, name, err);
	if (!rc) {
		am_say(c, "Falling back to patching base and 3-way merge...");
		rc = merge_and_take(c, &f, err);
	} else if (rc > 0) {
		rc = stop_failed(c, NULL, err);
	}
	index_release(&f.base.ix);
	strset_clear(&f.base.changed);
	return rc;
}

/* ---- both ---- */

static int apply_once(struct am_cmd *c, const char *name, bool *failed, struct err *err)
{
	struct apply a;
	int rc = open_apply(c, &a, err);

	a.index = 1;
	a.verbosity = c->s.threeway ? -1 : 0; /* no messages of an attempt that is not the last one */
	if (!rc && take_options(c, &a) < 0)
		rc = stop_at_options(c, err);
	else if (!rc && a.reject)
		rc = apply_with_rejects(c, &a, failed, err);
	else if (!rc) {
		int code = apply_to_series(&a, &c->series, &c->mail.patch, name);
		*failed = code != 0;
		if (code == APPLY_SERIES_BROKEN)
			rc = err_set(err, ERR_GENERIC, "could not apply '%s'", name);
	}
	close_apply(&a);
	return rc;
}

int am_apply_patch(struct am_cmd *c, struct err *err)
{
	char *name = am_path(c, "patch");
	bool failed = false;
	int rc = load_patch(c, err);

	if (!rc)
		rc = apply_once(c, name, &failed, err);
	if (!rc && !failed)
		rc = cache_tree_update(&c->series.ix, c->r, WRITE_TREE_MISSING_OK, &c->tree, err);
	else if (!rc && c->s.threeway)
		rc = fall_back(c, name, err);
	else if (!rc)
		rc = stop_failed(c, NULL, err);
	free(name);
	return rc;
}

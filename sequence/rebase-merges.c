/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The walk finds the commits that are rebased; their oldest parents are not among them. Each commit that
 * a merge brings in, and the last one, is the tip of a branch. A branch is its tip and the first parents below it, down to a
 * commit of another branch, or to one that is not rebased. Branches come in the order of their merges.
 */
#include "compat/posix.h"
#include "object/commit.h"
#include "sequence/rebase-merges.h"
#include "util/alloc.h"
#include "util/map.h"

struct branches {
	struct repository *r;
	struct commit_pool *pool;
	struct pretty *p;
	const struct rebase_list_options *o;
	struct commit_list commits; /* oldest first */
	struct commit_list tips;
	struct oidset rebased, bases, placed, has_child;
	struct oidmap labels; /* of commits */
	struct strset used;   /* labels, in lower case */
	struct strmap names;  /* of branches, by the commits to which they lead, in hex */
};

/* ---- names ---- */

static int note_branch_name(void *data, const struct ref *ref)
{
	struct branches *b = data;
	const char *name = ref->name, *hex = oid_hex(&ref->oid);

	if (ref->flags & (REF_IS_BROKEN | REF_IS_SYMREF) || !skip_prefix(name, "refs/heads/", &name))
		return 0;
	if (!strmap_contains(&b->names, hex))
		strmap_put(&b->names, hex, xstrdup(name));
	return 0;
}

/* A part of a ref name: letters and digits, '-' in place of others. */
static char *clean_label(const char *text)
{
	struct strbuf out = STRBUF_INIT;

	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c >= 0x80 || isalnum(c))
			strbuf_addch(&out, (char)c);
		else if (out.len && out.buf[out.len - 1] != '-')
			strbuf_addch(&out, '-');
	}
	while (out.len && out.buf[out.len - 1] == '-')
		strbuf_setlen(&out, out.len - 1);
	return strbuf_detach(&out, NULL);
}

static char *lower_case(const char *text)
{
	char *out = xstrdup(text);

	for (char *c = out; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	return out;
}

/* A second label of that name is NAME-2. */
static char *unique_label(struct branches *b, const char *text)
{
	char *base = clean_label(text), *name, *key;
	int n = 2;

	if (!*base) {
		free(base);
		base = xstrdup("branch");
	}
	for (name = xstrdup(base), key = lower_case(name); !strset_add(&b->used, key); n++) {
		free(name);
		free(key);
		name = xstrfmt("%s-%d", base, n);
		key = lower_case(name);
	}
	free(key);
	free(base);
	return name;
}

static void label_commit(struct branches *b, const struct commit *c, const char *text)
{
	if (!oidmap_get(&b->labels, &c->oid))
		oidmap_put(&b->labels, &c->oid, unique_label(b, text));
}

/* "Merge branch 'x' into y": x. Otherwise the subject. */
static char *name_in_subject(const char *subject)
{
	static const char *const starts[] = { "Merge branch '", "Merge remote-tracking branch '", "Merge tag '" };
	const char *rest, *end;

	for (size_t i = 0; i < ARRAY_SIZE(starts); i++) {
		if (!skip_prefix(subject, starts[i], &rest))
			continue;
		end = strchr(rest, '\'');
		if (end)
			return xmemdupz(rest, (size_t)(end - rest));
	}
	return xstrdup(subject);
}

static int subject_of_commit(struct branches *b, struct commit *c, struct strbuf *out, struct err *err)
{
	struct commit_view view = { .parents = NULL };
	const char *buf;
	size_t len;
	int rc = commit_buffer(b->pool, c, &buf, &len, err);

	if (!rc)
		rc = commit_parse(&view, buf, len, b->r->algo, err);
	if (!rc)
		commit_subject(out, view.message, view.message_len, " ");
	commit_view_release(&view);
	commit_release_buffer(c);
	return rc;
}

/* ---- the commits ---- */

static int collect_commits(struct branches *b, struct rev_walk *w, struct oid_array *skipped, struct err *err)
{
	struct commit *c;
	int rc;

	while ((rc = rev_walk_next(w, &c, err)) > 0) {
		rc = rebase_commit_is_empty(b->r, b->pool, c, err);
		if (rc < 0)
			return rc;
		if (!rc && c->flags & REV_PATCH_SAME)
			oid_array_append(skipped, &c->oid);
		if (rc ? b->o->drop_empty : c->flags & REV_PATCH_SAME)
			continue;
		commit_list_add(&b->commits, c);
		oidset_insert(&b->rebased, &c->oid);
	}
	return rc;
}

static int find_bases(struct branches *b, struct err *err)
{
	struct commit *from = commit_lookup(b->pool, b->o->upstream ? b->o->upstream : b->o->onto);
	struct commit *head = commit_lookup(b->pool, b->o->head);
	struct commit_list bases = COMMIT_LIST_INIT;
	int rc = merge_bases(b->pool, from, &head, 1, &bases, err);

	for (size_t i = 0; !rc && i < bases.nr; i++)
		oidset_insert(&b->bases, &bases.items[i]->oid);
	oidset_insert(&b->bases, b->o->onto);
	commit_list_clear(&bases);
	return rc;
}

static bool is_tip(const struct branches *b, const struct commit *c)
{
	for (size_t i = 0; i < b->tips.nr; i++)
		if (b->tips.items[i] == c)
			return true;
	return false;
}

/* The commits that a merge brings in have the name of a branch, or that in the message. */
static int label_merged(struct branches *b, struct commit *merge, struct err *err)
{
	struct strbuf subject = STRBUF_INIT;
	int rc = merge->nr_parents > 1 ? subject_of_commit(b, merge, &subject, err) : 0;

	for (uint32_t i = 1; !rc && i < merge->nr_parents; i++) {
		struct commit *c = merge->parents[i];
		const char *branch = strmap_get(&b->names, oid_hex(&c->oid));
		char *name;

		if (!oidset_contains(&b->rebased, &c->oid))
			continue;
		name = branch ? xstrdup(branch) : name_in_subject(subject.buf);
		if (!is_tip(b, c))
			commit_list_add(&b->tips, c);
		label_commit(b, c, name);
		free(name);
	}
	strbuf_release(&subject);
	return rc;
}

/* Two commits have the same first parent. */
static void label_branch_point(struct branches *b, const struct commit *c)
{
	const struct commit *parent = c->nr_parents ? c->parents[0] : NULL;

	if (parent && oidset_contains(&b->rebased, &parent->oid) && !oidset_insert(&b->has_child, &parent->oid))
		label_commit(b, parent, "branch-point");
}

static int label_all(struct branches *b, struct err *err)
{
	int rc = 0;

	strset_add(&b->used, "onto");
	for (size_t i = 0; !rc && i < b->commits.nr; i++)
		rc = label_merged(b, b->commits.items[i], err);
	for (size_t i = 0; i < b->commits.nr; i++)
		label_branch_point(b, b->commits.items[i]);
	if (b->commits.nr && !is_tip(b, b->commits.items[b->commits.nr - 1]))
		commit_list_add(&b->tips, b->commits.items[b->commits.nr - 1]);
	return rc;
}

/* ---- the commands ---- */

/* The label of a commit, or its name if it is not rebased. */
static void add_head_name(struct branches *b, const struct commit *c, struct strbuf *out)
{
	const char *label = oidmap_get(&b->labels, &c->oid);

	if (label)
		strbuf_addstr(out, label);
	else if (oidset_contains(&b->bases, &c->oid))
		strbuf_addstr(out, "onto");
	else
		odb_abbrev(b->r->odb, &c->oid, b->r->settings.abbrev, out);
}

static int emit_merge(struct branches *b, struct todo_list *list, struct commit *c, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int rc;

	for (uint32_t i = 1; i < c->nr_parents; i++) {
		if (i > 1)
			strbuf_addch(&text, ' ');
		add_head_name(b, c->parents[i], &text);
	}
	strbuf_addch(&text, ' ');
	rc = rebase_list_subject(b->p, b->pool, c, &text, err);
	if (!rc)
		todo_append(list, b->r, TODO_MERGE, TODO_USE_MESSAGE, &c->oid, text.buf);
	strbuf_release(&text);
	return rc;
}

static int emit_pick(struct branches *b, struct todo_list *list, struct commit *c, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int empty = rebase_commit_is_empty(b->r, b->pool, c, err);
	int rc = empty < 0 ? empty : rebase_list_subject(b->p, b->pool, c, &text, err);

	if (empty > 0)
		strbuf_addstr(&text, " # empty");
	if (!rc)
		todo_append(list, b->r, TODO_PICK, 0, &c->oid, text.buf);
	strbuf_release(&text);
	return rc;
}

static int emit_commit(struct branches *b, struct todo_list *list, struct commit *c, struct err *err)
{
	const char *label = oidmap_get(&b->labels, &c->oid);
	int rc = c->nr_parents > 1 ? emit_merge(b, list, c, err) : emit_pick(b, list, c, err);

	if (!rc && label)
		todo_append(list, b->r, TODO_LABEL, 0, NULL, label);
	oidset_insert(&b->placed, &c->oid);
	commit_release_buffer(c);
	return rc;
}

/* Where a branch begins. parent NULL: with a root. */
static int emit_reset(struct branches *b, struct todo_list *list, struct commit *parent, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	const bool is_own = parent && oidset_contains(&b->rebased, &parent->oid);
	int rc = 0;

	if (!parent)
		strbuf_addstr(&text, b->o->roots_onto ? "onto" : "[new root]");
	else if (!is_own && (b->o->rebase_cousins || oidset_contains(&b->bases, &parent->oid)))
		strbuf_addstr(&text, "onto");
	else
		add_head_name(b, parent, &text);
	if (parent && strcmp(text.buf, "onto")) {
		strbuf_addstr(&text, " # ");
		rc = subject_of_commit(b, parent, &text, err);
	}
	if (!rc)
		todo_append(list, b->r, TODO_RESET, 0, NULL, text.buf);
	strbuf_release(&text);
	return rc;
}

static int emit_branch(struct branches *b, struct todo_list *list, struct commit *tip, bool is_last, struct err *err)
{
	struct commit_list chain = COMMIT_LIST_INIT;
	struct commit *c = tip;
	int rc = 0;

	while (c && oidset_contains(&b->rebased, &c->oid) && !oidset_contains(&b->placed, &c->oid)) {
		commit_list_add(&chain, c);
		c = c->nr_parents ? c->parents[0] : NULL;
	}
	if (chain.nr) {
		rebase_list_add_comment(list, b->r, "");
		if (!is_last) {
			char *text = xstrfmt("# Branch %s", (const char *)oidmap_get(&b->labels, &tip->oid));

			rebase_list_add_comment(list, b->r, text);
			free(text);
		}
		rc = emit_reset(b, list, c, err);
	}
	for (size_t i = chain.nr; !rc && i > 0; i--)
		rc = emit_commit(b, list, chain.items[i - 1], err);
	commit_list_clear(&chain);
	return rc;
}

static void release_branches(struct branches *b)
{
	commit_list_clear(&b->commits);
	commit_list_clear(&b->tips);
	oidset_clear(&b->rebased);
	oidset_clear(&b->bases);
	oidset_clear(&b->placed);
	oidset_clear(&b->has_child);
	oidmap_clear(&b->labels, free);
	strset_clear(&b->used);
	strmap_clear(&b->names, free);
}

int rebase_list_add_merges(struct todo_list *list, const struct rebase_list_options *o, struct rev_walk *w,
			   struct pretty *p, struct oid_array *skipped, struct err *err)
{
	struct branches b = { .r = o->r, .pool = w->pool, .p = p, .o = o, .rebased = OIDSET_INIT, .bases = OIDSET_INIT,
			      .placed = OIDSET_INIT, .has_child = OIDSET_INIT, .labels = OIDMAP_INIT, .used = STRSET_INIT,
			      .names = STRMAP_INIT };
	int rc = refs_foreach(o->r->refs, "refs/heads/", REFS_NO_PEEL, note_branch_name, &b, err);

	if (!rc)
		rc = collect_commits(&b, w, skipped, err);
	if (!rc)
		rc = find_bases(&b, err);
	if (!rc)
		rc = label_all(&b, err);
	if (!rc && b.commits.nr)
		todo_append(list, o->r, TODO_LABEL, 0, NULL, "onto");
	for (size_t i = 0; !rc && i < b.tips.nr; i++)
		rc = emit_branch(&b, list, b.tips.items[i], i + 1 == b.tips.nr, err);
	release_branches(&b);
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "commit/commit.h"
#include "merge/options.h"
#include "object/commit.h"
#include "repo/ident.h"
#include "sequence/replay.h"
#include "util/alloc.h"

/* ---- begin and end ---- */

int replay_begin(struct replay *p, struct err *err)
{
	int rc = repo_ident(p->r, &p->committer, IDENT_COMMITTER | IDENT_STRICT, err);

	p->merge = (struct merge_trees){ .odb = p->r->odb, .abbrev = p->r->settings.abbrev };
	p->attributes = (struct content_merge){ .r = p->r, .ix = &p->no_index };
	index_init(&p->no_index, p->r->algo);
	if (!rc)
		rc = merge_options_config(&p->merge, p->r->config, err);
	content_merge_use(&p->attributes, &p->merge.rules);
	if (!rc)
		rc = attrs_new(&p->attributes.attrs, p->r, &p->no_index, ATTR_CHECKIN, err);
	return rc ? rc : repo_operation_open_objects(p->op, err);
}

void replay_end(struct replay *p)
{
	for (size_t i = 0; i < p->nr_updates; i++)
		free(p->updates[i].name);
	free(p->updates);
	free(p->became);
	strbuf_release(&p->committer);
	attrs_free(p->attributes.attrs);
	content_merge_release(&p->attributes);
	index_release(&p->no_index);
}

/* ---- what commits become ---- */

void replay_set(struct replay *p, const struct commit *c, const struct replay_tip *tip)
{
	if (c->index >= p->nr_became) {
		size_t nr = commit_pool_nr(p->pool) * 2;

		p->became = xreallocarray(p->became, nr, sizeof(*p->became));
		memset(p->became + p->nr_became, 0, (nr - p->nr_became) * sizeof(*p->became));
		p->nr_became = nr;
	}
	p->became[c->index] = *tip;
	p->became[c->index].is_set = true;
}

const struct replay_tip *replay_of(const struct replay *p, const struct commit *c)
{
	return c->index < p->nr_became && p->became[c->index].is_set ? &p->became[c->index] : NULL;
}

int replay_tip_of(struct replay *p, const struct object_id *commit, struct replay_tip *out, struct err *err)
{
	struct commit *c = commit_lookup(p->pool, commit);
	int rc = commit_parse_node(p->pool, c, err);

	if (!rc)
		*out = (struct replay_tip){ c->oid, c->tree, true };
	return rc;
}

/* ---- one commit ---- */

static int author_of(struct replay *p, struct pick *pick, struct strbuf *out, struct err *err)
{
	return p->revert ? repo_ident(p->r, out, IDENT_AUTHOR | IDENT_STRICT, err) : pick_author(pick, out, err);
}

static int add_other_headers(struct replay *p, struct commit *c, struct strbuf *out, struct err *err)
{
	const char *buf;
	size_t len;
	int rc = commit_buffer(p->pool, c, &buf, &len, err);

	if (!rc)
		commit_other_headers(buf, len, out);
	commit_release_buffer(c);
	return rc;
}

int replay_write(struct replay *p, struct commit *c, const struct object_id *tree, const struct object_id *parents,
		 size_t nr_parents, const struct strbuf *message, struct object_id *out, struct err *err)
{
	struct pick pick = { .r = p->r, .pool = p->pool, .commit = c, .revert = p->revert };
	struct strbuf author = STRBUF_INIT, text = STRBUF_INIT, headers = STRBUF_INIT;
	struct pick_message_options o = { .comment_char = '#' };
	struct new_commit n = { .sign_key = NULL };
	int rc = author_of(p, &pick, &author, err);

	if (!rc && message)
		strbuf_addbuf(&text, message);
	else if (!rc)
		rc = pick_message(&pick, &o, &text, err);
	if (!rc && !p->revert)
		rc = add_other_headers(p, c, &headers, err);
	n.draft = (struct commit_draft){
		.tree = *tree, .parents = parents, .nr_parents = nr_parents, .author = author.buf, .committer = p->committer.buf,
		.message = text.buf, .message_len = text.len, .encoding = commit_encoding(p->r), .extra_headers = headers.buf,
	};
	if (!rc)
		rc = commit_create(p->op, &n, out, err);
	strbuf_release(&author);
	strbuf_release(&text);
	strbuf_release(&headers);
	return rc;
}

int replay_merge(struct replay *p, const struct object_id *base, const struct object_id *ours,
		 const struct object_id *theirs, struct object_id *out, struct err *err)
{
	struct merge_trees m = p->merge;
	struct merge_result result;
	bool clean;
	int rc;

	m.tree[MERGE_BASE] = base;
	m.tree[MERGE_OURS] = ours;
	m.tree[MERGE_THEIRS] = theirs;
	m.label[MERGE_BASE] = "base";
	m.label[MERGE_OURS] = "ours";
	m.label[MERGE_THEIRS] = "theirs";
	rc = merge_trees(&m, &result, err);
	if (rc)
		return rc;
	*out = result.tree;
	clean = result.clean;
	merge_result_release(&result);
	return !clean;
}

/* Does the commit's change leave nothing to do, though it is one? Then *tip stays. */
static bool is_done(const struct commit *c, const struct object_id *before, const struct object_id *merged,
		    const struct replay_tip *tip)
{
	return oid_eq(merged, &tip->tree) && !oid_eq(&c->tree, before);
}

int replay_commit(struct replay *p, struct commit *c, struct replay_tip *tip, struct err *err)
{
	const struct object_id *before = &p->r->algo->empty_tree;
	struct object_id merged, made;
	int rc = commit_parse_node(p->pool, c, err);

	if (!rc && c->nr_parents > 1)
		rc = err_set(err, ERR_UNSUPPORTED, "replaying merge commits is not supported yet!");
	if (!rc && c->nr_parents) {
		const struct replay_tip *parent = replay_of(p, c->parents[0]);

		rc = commit_parse_node(p->pool, c->parents[0], err);
		before = &c->parents[0]->tree;
		if (parent && !p->revert)
			*tip = *parent;
	}
	if (!rc)
		rc = content_merge_follow(&p->attributes, &tip->tree, err);
	if (!rc)
		rc = p->revert ? replay_merge(p, &c->tree, &tip->tree, before, &merged, err) :
				 replay_merge(p, before, &tip->tree, &c->tree, &merged, err);
	if (rc)
		return rc;
	if (p->empty != REPLAY_EMPTY_KEEP && is_done(c, before, &merged, tip)) {
		if (p->empty == REPLAY_EMPTY_ABORT)
			return err_set(err, ERR_CONFLICT, "commit %s became empty after replay", oid_hex(&c->oid));
	} else {
		rc = replay_write(p, c, &merged, &tip->commit, 1, NULL, &made, err);
		if (rc)
			return rc;
		*tip = (struct replay_tip){ made, merged, true };
	}
	replay_set(p, c, tip);
	return 0;
}

/* ---- refs ---- */

void replay_add_branch(struct replay_branches *b, const char *name, const struct object_id *oid)
{
	ALLOC_GROW(b->items, b->nr + 1, b->alloc);
	b->items[b->nr++] = (struct replay_update){ .name = xstrdup(name), .old = *oid };
}

static int add_branch_of(void *data, const struct ref *ref)
{
	replay_add_branch(data, ref->name, &ref->oid);
	return 0;
}

/* As Git's decorations: HEAD, then the last name. */
static void reverse_branches(struct replay_branches *b)
{
	for (size_t i = 0, j = b->nr; i + 1 < j; i++) {
		struct replay_update swap = b->items[i];

		b->items[i] = b->items[--j];
		b->items[j] = swap;
	}
}

int replay_read_branches(struct replay_branches *b, struct repository *r, struct err *err)
{
	int rc = refs_foreach(r->refs, "refs/heads/", 0, add_branch_of, b, err);
	struct object_id head;
	char *target = NULL;

	if (!rc && !ref_read_raw(r->refs, "HEAD", &head, &target, NULL) && !target)
		replay_add_branch(b, "HEAD", &head);
	free(target);
	reverse_branches(b);
	return rc;
}

void replay_release_branches(struct replay_branches *b)
{
	for (size_t i = 0; i < b->nr; i++)
		free(b->items[i].name);
	FREE_AND_NULL(b->items);
	b->nr = b->alloc = 0;
}

void replay_add_update(struct replay *p, const char *name, const struct object_id *old, const struct object_id *new)
{
	ALLOC_GROW(p->updates, p->nr_updates + 1, p->alloc_updates);
	p->updates[p->nr_updates++] = (struct replay_update){ xstrdup(name), *old, *new };
}

int replay_queue_updates(struct replay *p, const char *log, struct err *err)
{
	struct ref_transaction *t = NULL;
	int rc = p->nr_updates ? repo_operation_begin_refs(p->op, 0, &t, err) : 0;

	p->has_queued = true;
	for (size_t i = 0; !rc && i < p->nr_updates; i++)
		rc = ref_transaction_update(t, p->updates[i].name, &p->updates[i].new, &p->updates[i].old, 0, log, err);
	return rc;
}

int replay_commit_updates(struct replay *p, struct err *err)
{
	int rc = repo_operation_end(p->op, 0, err);

	if (rc < 0 && rc != ERR_ABORTED && p->has_queued)
		err_prefix(err, "failed to commit ref transaction");
	return rc;
}

void replay_print_updates(const struct replay *p, struct strbuf *out)
{
	for (size_t i = 0; i < p->nr_updates; i++) {
		strbuf_addf(out, "update %s ", p->updates[i].name);
		strbuf_add_oid(out, &p->updates[i].new);
		strbuf_addch(out, ' ');
		strbuf_add_oid(out, &p->updates[i].old);
		strbuf_addch(out, '\n');
	}
}

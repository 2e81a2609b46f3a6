/* SPDX-License-Identifier: GPL-2.0-only */
/* git-rebase(1): what has been done of the list. */
#include "compat/posix.h"
#include "builtin/rebase/rebase-run.h"
#include "repo/hook.h"
#include "util/alloc.h"

/* ---- progress ---- */

static void copy_text(struct strbuf *to, const struct strbuf *from)
{
	strbuf_reset(to);
	strbuf_addbuf(to, from);
}

void progress_copy(struct rebase_progress *to, const struct rebase_progress *from)
{
	to->head = from->head;
	to->tree = from->tree;
	to->at = from->at;
	to->done_nr = from->done_nr;
	to->has_fixup_text = from->has_fixup_text;
	copy_text(&to->done, &from->done);
	copy_text(&to->rewritten, &from->rewritten);
	copy_text(&to->pending, &from->pending);
	copy_text(&to->fixups, &from->fixups);
	copy_text(&to->squash_text, &from->squash_text);
	copy_text(&to->fixup_text, &from->fixup_text);
}

void progress_init(struct rebase_progress *p)
{
	*p = (struct rebase_progress){ .done = STRBUF_INIT, .rewritten = STRBUF_INIT, .pending = STRBUF_INIT,
				       .fixups = STRBUF_INIT, .squash_text = STRBUF_INIT, .fixup_text = STRBUF_INIT };
}

void progress_release(struct rebase_progress *p)
{
	strbuf_release(&p->done);
	strbuf_release(&p->rewritten);
	strbuf_release(&p->pending);
	strbuf_release(&p->fixups);
	strbuf_release(&p->squash_text);
	strbuf_release(&p->fixup_text);
}

void rebase_run_init(struct rebase_run *run, struct rebase_cmd *c)
{
	const struct rebase_state *s = &c->state;

	*run = (struct rebase_run){ .c = c, .r = c->r, .committer = STRBUF_INIT, .amended = STRBUF_INIT };
	progress_init(&run->now);
	progress_init(&run->published);
	index_init(&run->ix, c->r->algo);
	run->fast_forwards = !c->o.force && !s->signoff && !s->trailers.nr && !s->reset_author_date &&
			     !s->committer_date_is_author_date;
	run->one_by_one = repo_has_hook(c->r, "post-commit") || repo_has_hook(c->r, "prepare-commit-msg") ||
			  repo_has_hook(c->r, "reference-transaction");
}

void rebase_run_release(struct rebase_run *run)
{
	progress_release(&run->now);
	progress_release(&run->published);
	for (size_t i = 0; i < run->nr_steps; i++)
		free(run->steps[i].msg);
	free(run->steps);
	rebase_refs_release(&run->labels);
	rebase_refs_release(&run->updates);
	strbuf_release(&run->committer);
	strbuf_release(&run->amended);
	notes_rewrite_free(run->notes);
	attrs_free(run->attributes.attrs);
	content_merge_release(&run->attributes);
	index_release(&run->ix);
}

/* ---- what has been done ---- */

void rebase_run_add_step(struct rebase_run *run, const struct object_id *oid, const char *command, const char *subject)
{
	ALLOC_GROW(run->steps, run->nr_steps + 1, run->alloc_steps);
	run->steps[run->nr_steps].oid = *oid;
	run->steps[run->nr_steps++].msg = xstrfmt("%s (%s): %s", run->c->action, command, subject);
}

void rebase_run_fast_forward(struct rebase_run *run, const struct commit *c)
{
	run->now.head = c->oid;
	run->now.tree = c->tree;
	ALLOC_GROW(run->steps, run->nr_steps + 1, run->alloc_steps);
	run->steps[run->nr_steps].oid = c->oid;
	run->steps[run->nr_steps++].msg = xstrfmt("%s: fast-forward", run->c->action);
}

bool rebase_list_has_fixup_at(const struct todo_list *l, size_t at)
{
	for (size_t i = at; i < l->nr; i++)
		if (l->items[i].command != TODO_COMMENT && l->items[i].command != TODO_DROP &&
		    l->items[i].command != TODO_NOOP)
			return todo_is_fixup(l->items[i].command);
	return false;
}

static bool is_before_fixup(const struct rebase_run *run)
{
	return rebase_list_has_fixup_at(&run->c->list, run->now.at + !run->is_advanced);
}

bool rebase_run_is_last_fixup(const struct rebase_run *run)
{
	return !is_before_fixup(run);
}

void rebase_run_flush_pending(struct rebase_run *run)
{
	const char *p = run->now.pending.buf;

	while (*p) {
		size_t len = strcspn(p, "\n");

		strbuf_addf(&run->now.rewritten, "%.*s %s\n", (int)len, p, oid_hex(&run->now.head));
		p += len + (p[len] == '\n');
	}
	strbuf_reset(&run->now.pending);
}

void rebase_run_note_rewritten(struct rebase_run *run, const struct object_id *oid)
{
	strbuf_addf(&run->now.pending, "%s\n", oid_hex(oid));
	if (!is_before_fixup(run))
		rebase_run_flush_pending(run);
}

void rebase_run_note_done(struct rebase_run *run, const struct todo_item *item)
{
	if (item->command == TODO_COMMENT)
		strbuf_add(&run->now.done, run->c->list.text.buf + item->offset, item->len);
	else
		todo_format_item(item, run->r, TODO_NAMES_FULL, false, &run->now.done);
}

void rebase_run_advance(struct rebase_run *run)
{
	rebase_run_note_done(run, &run->c->list.items[run->now.at++]);
}

void rebase_run_advance_early(struct rebase_run *run)
{
	rebase_run_advance(run);
	run->is_advanced = true;
}

int rebase_run_begin_op(struct rebase_run *run, struct err *err)
{
	if (!run->op)
		run->op = rebase_take_operation(run->c);
	return repo_operation_open_objects(run->op, err);
}

int rebase_run_read_head(struct rebase_run *run, struct err *err)
{
	int rc = ref_resolve(run->r->refs, "HEAD", &run->now.head, NULL, NULL, err);

	if (!rc)
		rc = object_peel(odb_source(run->r->odb), &run->now.head, OBJ_TREE, &run->now.tree, NULL, err);
	run->base_head = run->now.head;
	run->base_tree = run->now.tree;
	run->published.head = run->now.head;
	run->published.tree = run->now.tree;
	return rc;
}

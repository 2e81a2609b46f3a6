/* SPDX-License-Identifier: GPL-2.0-only */
/* git-rebase(1): label, reset, merge, update-ref. Labels are refs/rewritten/x if a child, or a stop, needs them. */
#include "compat/posix.h"
#include "builtin/rebase/rebase-run.h"
#include "history/names/revparse.h"
#include "object/commit.h"
#include "repo/ident.h"
#include "util/alloc.h"

/* ---- update-ref ---- */

int rebase_run_update_ref(struct rebase_run *run, const struct todo_item *item, struct err *err UNUSED)
{
	struct rebase_ref *u = rebase_refs_find(&run->updates, item->arg);
	struct object_id before = run->r->algo->null_oid;

	if (!u) {
		(void)!ref_resolve(run->r->refs, item->arg, &before, NULL, NULL, NULL);
		u = rebase_refs_add(&run->updates, item->arg, &before, &run->now.head);
	}
	u->after = run->now.head;
	u->queued = false;
	return 0;
}

/* ---- label, reset ---- */

/* "onto # comment": the first word. */
static char *first_word(const char *arg)
{
	return xstrndup(arg, strcspn(arg, " \t"));
}

void rebase_run_label(struct rebase_run *run, const struct todo_item *item)
{
	char *ref = xstrfmt("refs/rewritten/%s", item->arg);
	struct rebase_ref *l = rebase_refs_find(&run->labels, ref);

	if (l && l->queued) /* a ref that is there gets a new value */
		*rebase_refs_add(&run->labels, ref, &l->before, &run->now.head) = (struct rebase_ref){
			.name = xstrdup(ref), .before = run->r->algo->null_oid, .after = run->now.head };
	else if (l)
		l->after = run->now.head;
	else
		rebase_refs_add(&run->labels, ref, &run->r->algo->null_oid, &run->now.head);
	free(ref);
}

static bool is_label(struct rebase_run *run, const char *name)
{
	char *ref = xstrfmt("refs/rewritten/%s", name);
	bool yes = rebase_refs_find(&run->labels, ref);

	free(ref);
	return yes;
}

/* A label, or any other name of a commit. */
static int find_label(struct rebase_run *run, const char *name, struct commit **out, struct err *err)
{
	char *ref = xstrfmt("refs/rewritten/%s", name);
	const struct rebase_ref *l = rebase_refs_find(&run->labels, ref);
	struct object_id oid;
	int rc = 0;

	if (l)
		oid = l->after;
	else if (revparse_commit(run->r, ref, &oid, NULL) && revparse_commit(run->r, name, &oid, NULL))
		rc = err_set(err, ERR_NOT_FOUND, "could not resolve '%s'", name);
	free(ref);
	if (rc)
		return rc;
	*out = commit_lookup(run->c->pool, &oid);
	return commit_parse_node(run->c->pool, *out, err);
}

static int make_new_root(struct rebase_run *run, struct commit **out, struct err *err)
{
	struct strbuf empty = STRBUF_INIT;
	const struct rebase_new n = { .tree = &run->r->algo->empty_tree, .author = run->committer.buf, .message = &empty };
	struct rebase_state *s = &run->c->state;
	int rc = 0;

	if (oid_is_null(&s->squash_onto)) {
		rc = rebase_run_commit_without_hooks(run, &n, err);
		s->squash_onto = run->now.head;
	}
	*out = commit_lookup(run->c->pool, &s->squash_onto);
	return rc ? rc : commit_parse_node(run->c->pool, *out, err);
}

int rebase_run_reset(struct rebase_run *run, const struct todo_item *item, struct err *err)
{
	const bool new_root = starts_with(item->arg, "[new root]");
	char *name = first_word(item->arg), *what = xstrfmt("'%s'", new_root ? "[new root]" : name);
	struct object_id before = run->now.head;
	struct commit *c = NULL;
	int rc = new_root ? make_new_root(run, &c, err) : find_label(run, name, &c, err);

	if (!rc) {
		run->now.head = c->oid;
		run->now.tree = c->tree;
		if (!oid_eq(&before, &c->oid))
			rebase_run_add_step(run, &c->oid, "reset", what);
	}
	free(what);
	free(name);
	if (rc != ERR_NOT_FOUND)
		return rc;
	report_error(err);
	err_release(err);
	return rebase_stop_rescheduled(run, item, err);
}

/* ---- merge ---- */

struct merge_command {
	struct commit *original; /* of -C, -c; NULL: none */
	struct commit_list heads;
	char *label; /* of the first one: "refs/rewritten/x" */
	struct strbuf message;
	char *oneline; /* behind '#'; NULL: none */
};

static void merge_command_release(struct merge_command *m)
{
	commit_list_clear(&m->heads);
	strbuf_release(&m->message);
	free(m->oneline);
	free(m->label);
}

/* "LABEL... # oneline". 1: a label is unknown; that has been printed. */
static int parse_merge(struct rebase_run *run, const struct todo_item *item, struct merge_command *m, struct err *err)
{
	char *text = xstrdup(item->arg), *hash = starts_with(text, "#") ? text : strstr(text, " #"), *save = NULL;
	int rc = 0;

	if (hash) {
		m->oneline = xstrdup(hash + 2 + strspn(hash + 2, " \t"));
		*hash = '\0';
	}
	for (char *word = strtok_r(text, " \t", &save); !rc && word; word = strtok_r(NULL, " \t", &save)) {
		struct commit *c;

		rc = find_label(run, word, &c, err);
		if (rc == ERR_NOT_FOUND) {
			report_error(err);
			err_release(err);
			error("unable to parse '%s'", word);
			rc = 1;
		}
		if (!rc)
			commit_list_add(&m->heads, c);
		if (!rc && !m->label)
			m->label = xstrfmt("%s%s", is_label(run, word) ? "refs/rewritten/" : "", word);
	}
	if (!rc && !m->heads.nr)
		rc = err_set(err, ERR_INVALID, "nothing to merge: '%s'", item->arg);
	if (!rc && !oid_is_null(&item->oid)) {
		m->original = commit_lookup(run->c->pool, &item->oid);
		rc = commit_parse_node(run->c->pool, m->original, err);
	}
	free(text);
	return rc;
}

static int merge_message(struct rebase_run *run, const struct todo_item *item, struct merge_command *m, struct err *err)
{
	if (m->original)
		return rebase_run_message(run, m->original, &m->message, err);
	if (m->oneline && *m->oneline)
		strbuf_addf(&m->message, "%s\n", m->oneline);
	else
		strbuf_addf(&m->message, "Merge %s '%s'\n", m->heads.nr > 1 ? "branches" : "branch", item->arg);
	return 0;
}

/* The merge as it was, if its parents are what they were. */
static bool merge_is_unchanged(const struct rebase_run *run, const struct merge_command *m, const struct todo_item *item)
{
	const struct commit *o = m->original;

	if (!run->fast_forwards || !o || item->flags & TODO_EDIT_MESSAGE || o->nr_parents != m->heads.nr + 1 ||
	    !oid_eq(&o->parents[0]->oid, &run->now.head))
		return false;
	for (size_t i = 0; i < m->heads.nr; i++)
		if (o->parents[i + 1] != m->heads.items[i])
			return false;
	return true;
}

static void subject_of(const struct strbuf *message, struct strbuf *out)
{
	strbuf_add(out, message->buf, strcspn(message->buf, "\n"));
}

static int commit_merge(struct rebase_run *run, struct merge_command *m, const struct object_id *tree, struct err *err)
{
	struct oid_array parents = OID_ARRAY_INIT;
	struct strbuf author = STRBUF_INIT, subject = STRBUF_INIT;
	struct rebase_new n = { .tree = tree, .message = &m->message };
	int rc = 0;

	oid_array_append(&parents, &run->now.head);
	for (size_t i = 0; i < m->heads.nr; i++)
		oid_array_append(&parents, &m->heads.items[i]->oid);
	if (m->original)
		rc = rebase_run_author(run, m->original, &author, err);
	else
		rc = repo_ident(run->r, &author, IDENT_AUTHOR | IDENT_STRICT, err);
	n.parents = parents.oid;
	n.nr_parents = parents.nr;
	n.author = author.buf;
	if (!rc)
		rc = rebase_run_commit(run, &n, err);
	subject_of(&m->message, &subject);
	if (!rc)
		rebase_run_add_step(run, &run->now.head, "merge", subject.buf);
	oid_array_clear(&parents);
	strbuf_release(&author);
	strbuf_release(&subject);
	return rc;
}

static int stop_at_merge_conflict(struct rebase_run *run, const struct todo_item *item, struct merge_command *m,
				  const struct merge_result *result, struct err *err)
{
	struct rebase_stop stop = { .tree = result->tree, .has_message = true, .merge_head = m->heads.items[0]->oid };
	struct commit *c = m->original ? m->original : m->heads.items[0];
	int rc;

	strbuf_addbuf(&stop.message, &m->message);
	rebase_run_advance_early(run);
	rc = rebase_stop_conflict(run, item, c, result, &stop, err);
	rebase_stop_release(&stop);
	return rc;
}

static int merge_label(struct rebase_run *run, struct todo_item *item, struct merge_command *m, struct err *err)
{
	struct commit *head = commit_lookup(run->c->pool, &run->now.head), *other = m->heads.items[0];
	struct commit_list bases = COMMIT_LIST_INIT;
	struct merge_trees settings = run->merge;
	struct merge_result result;
	int rc = commit_parse_node(run->c->pool, head, err);

	if (!rc)
		rc = merge_bases(run->c->pool, head, &other, 1, &bases, err);
	settings.label[MERGE_OURS] = "HEAD";
	settings.label[MERGE_THEIRS] = m->label;
	if (!rc && bases.nr && bases.items[0] == other) /* HEAD has it */
		goto out;
	if (!rc)
		rc = content_merge_follow(&run->attributes, &run->now.tree, err);
	if (!rc)
		rc = merge_commits(&settings, run->c->pool, head, other, &bases, &result, err);
	if (!rc) {
		rc = result.clean ? commit_merge(run, m, &result.tree, err) :
				    stop_at_merge_conflict(run, item, m, &result, err);
		merge_result_release(&result);
	}
out:
	commit_list_clear(&bases);
	return rc;
}

/* git merge makes it. If it cannot, the command stays in the list: the user merges, or edits the list. */
static int merge_octopus(struct rebase_run *run, const struct todo_item *item, struct merge_command *m, struct err *err)
{
	struct strbuf author = STRBUF_INIT;
	struct rebase_child_merge cm = { .heads = &m->heads, .message = m->message.buf };
	int rc = 0;

	if (m->original)
		rc = rebase_run_author(run, m->original, &author, err);
	else
		rc = repo_ident(run->r, &author, IDENT_AUTHOR | IDENT_STRICT, err);
	cm.author = author.buf;
	if (!rc)
		rc = rebase_publish(run, NULL, false, err);
	if (!rc)
		rc = rebase_child_octopus(run, &cm, err);
	if (rc > 0)
		rc = rebase_stop_rescheduled(run, item, err);
	strbuf_release(&author);
	return rc;
}

/* merge -c: the user edits the message. */
static int edit_merge_message(struct rebase_run *run, struct err *err)
{
	struct rebase_child_commit cc = { .command = "merge", .amend = true, .edit = true, .verify = true, .allow_empty = true };
	int rc;

	rebase_run_advance_early(run);
	rc = rebase_publish(run, NULL, false, err);
	return rc ? rc : rebase_child_commit(run, &cc, err);
}

int rebase_run_merge(struct rebase_run *run, struct todo_item *item, struct err *err)
{
	struct merge_command m = { .message = STRBUF_INIT };
	int rc = parse_merge(run, item, &m, err);
	bool is_unchanged;

	if (rc > 0)
		rc = rebase_stop_rescheduled(run, item, err);
	else if (!rc)
		rc = merge_message(run, item, &m, err);
	is_unchanged = !rc && merge_is_unchanged(run, &m, item);
	if (is_unchanged) {
		rebase_run_fast_forward(run, m.original);
	} else if (!rc && m.heads.nr > 1) {
		rc = merge_octopus(run, item, &m, err);
	} else if (!rc) {
		rc = merge_label(run, item, &m, err);
	}
	if (!rc && item->flags & TODO_EDIT_MESSAGE && !is_unchanged)
		rc = edit_merge_message(run, err);
	if (!rc && m.original)
		rebase_run_note_rewritten(run, &m.original->oid);
	merge_command_release(&m);
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* git-rebase(1): refs beside HEAD and its branch: labels, and branches of update-ref. */
#include "compat/posix.h"
#include "builtin/rebase/rebase-run.h"
#include "util/alloc.h"

/* ---- refs ---- */

struct rebase_ref *rebase_refs_add(struct rebase_refs *l, const char *name, const struct object_id *before,
				   const struct object_id *after)
{
	ALLOC_GROW(l->items, l->nr + 1, l->alloc);
	l->items[l->nr] = (struct rebase_ref){ .name = xstrdup(name), .before = *before, .after = *after };
	return &l->items[l->nr++];
}

void rebase_refs_release(struct rebase_refs *l)
{
	for (size_t i = 0; i < l->nr; i++)
		free(l->items[i].name);
	free(l->items);
	*l = (struct rebase_refs){ 0 };
}

/* The last one of that name counts. */
struct rebase_ref *rebase_refs_find(struct rebase_refs *l, const char *name)
{
	for (size_t i = l->nr; i > 0; i--)
		if (!strcmp(l->items[i - 1].name, name))
			return &l->items[i - 1];
	return NULL;
}

/* ---- from the list, from files ---- */

static int cmp_ref_names(const void *a, const void *b)
{
	return strcmp(((const struct rebase_ref *)a)->name, ((const struct rebase_ref *)b)->name);
}

void rebase_run_plan_refs(struct rebase_run *run)
{
	const struct todo_list *l = &run->c->list;
	struct object_id before;

	for (size_t i = 0; i < l->nr; i++) {
		if (l->items[i].command != TODO_UPDATE_REF || rebase_refs_find(&run->updates, l->items[i].arg))
			continue;
		before = run->r->algo->null_oid;
		(void)!ref_resolve(run->r->refs, l->items[i].arg, &before, NULL, NULL, NULL);
		rebase_refs_add(&run->updates, l->items[i].arg, &before, &run->r->algo->null_oid);
	}
	if (run->updates.nr)
		qsort(run->updates.items, run->updates.nr, sizeof(*run->updates.items), cmp_ref_names);
}

/* Three lines for each: name, old value, new one. */
static int read_updates(struct rebase_run *run, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	char *save = NULL, *name;
	int rc = 0;

	if (repo_state_exists(run->r, STATE_REBASE_MERGE_UPDATE_REFS))
		rc = repo_state_read(run->r, STATE_REBASE_MERGE_UPDATE_REFS, &text, err);
	for (name = rc ? NULL : strtok_r(text.buf, "\n", &save); !rc && name; name = strtok_r(NULL, "\n", &save)) {
		struct object_id before, after;
		const char *b = strtok_r(NULL, "\n", &save), *a = b ? strtok_r(NULL, "\n", &save) : NULL;

		if (!a || oid_parse_hex(&before, b, run->r->algo, NULL) < 0 || oid_parse_hex(&after, a, run->r->algo, NULL) < 0)
			rc = err_set(err, ERR_CORRUPT, "update-refs file at '%s' is invalid",
				     repo_state_name(STATE_REBASE_MERGE_UPDATE_REFS));
		else
			rebase_refs_add(&run->updates, name, &before, &after)->queued = !oid_is_null(&after);
	}
	strbuf_release(&text);
	return rc;
}

static int read_labels(struct rebase_run *run, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	char *save = NULL;
	int rc = 0;

	if (repo_state_exists(run->r, STATE_REBASE_MERGE_REFS_TO_DELETE))
		rc = repo_state_read(run->r, STATE_REBASE_MERGE_REFS_TO_DELETE, &text, err);
	for (char *name = rc ? NULL : strtok_r(text.buf, "\n", &save); name; name = strtok_r(NULL, "\n", &save)) {
		struct object_id oid;

		if (starts_with(name, "refs/rewritten/") && !rebase_refs_find(&run->labels, name) &&
		    !ref_resolve(run->r->refs, name, &oid, NULL, NULL, NULL))
			rebase_refs_add(&run->labels, name, &run->r->algo->null_oid, &oid)->queued = true;
	}
	strbuf_release(&text);
	return rc;
}

int rebase_run_read_refs(struct rebase_run *run, struct err *err)
{
	int rc = read_updates(run, err);

	return rc ? rc : read_labels(run, err);
}

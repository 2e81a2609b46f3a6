/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files that make a list of a rebase share. */
#include "compat/posix.h"
#include "pretty/pretty.h"
#include "sequence/rebase-list.h"
#include "util/alloc.h"

/* ---- lists ---- */

void rebase_list_add_comment(struct todo_list *list, struct repository *r, const char *text)
{
	struct todo_item *item;

	todo_append(list, r, TODO_COMMENT, 0, NULL, NULL);
	item = &list->items[list->nr - 1];
	strbuf_setlen(&list->text, item->offset);
	strbuf_addf(&list->text, "%s\n", text);
	item->len = list->text.len - item->offset;
}

void rebase_list_copy(struct todo_list *to, struct repository *r, const struct todo_list *from, const struct todo_item *item)
{
	if (item->command == TODO_COMMENT) {
		char *text = xstrndup(from->text.buf + item->offset, item->len - 1);

		rebase_list_add_comment(to, r, text);
		free(text);
		return;
	}
	todo_append(to, r, item->command, item->flags, oid_is_null(&item->oid) ? NULL : &item->oid, item->arg);
}

void rebase_list_set(struct todo_list *list, struct todo_list *from)
{
	todo_release(list);
	*list = *from;
	todo_init(from);
}

/* ---- commits ---- */

int rebase_commit_is_empty(const struct repository *r, struct commit_pool *pool, struct commit *c, struct err *err)
{
	int rc = commit_parse_node(pool, c, err);

	if (rc || c->nr_parents > 1)
		return rc;
	if (!c->nr_parents)
		return oid_eq(&c->tree, &r->algo->empty_tree);
	rc = commit_parse_node(pool, c->parents[0], err);
	return rc ? rc : oid_eq(&c->tree, &c->parents[0]->tree);
}

int rebase_list_subject(struct pretty *p, struct commit_pool *pool, struct commit *c, struct strbuf *out, struct err *err)
{
	strbuf_addstr(out, "# ");
	return pretty_commit(p, pool, c, out, err);
}

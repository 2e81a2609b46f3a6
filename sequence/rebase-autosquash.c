/* SPDX-License-Identifier: GPL-2.0-only */
/* --autosquash: commits whose subjects begin with "fixup!", "squash!" or "amend!" move behind the commits that they name. */
#include "compat/posix.h"
#include "history/names/revparse.h"
#include "object/commit.h"
#include "sequence/rebase-list.h"
#include "util/alloc.h"
#include "util/map.h"

struct squash_item {
	char *subject;
	ssize_t next, tail; /* the chain of fixups behind this one; -1: none */
	bool moved;
	bool amends;
	bool squashes;
};

struct autosquash {
	struct repository *r;
	struct todo_list *list;
	struct squash_item *items;
	struct strmap by_subject; /* to the first item */
};

static int read_subject(struct autosquash *a, const struct object_id *oid, char **out, struct err *err)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	struct commit_view view = { .parents = NULL };
	struct strbuf subject = STRBUF_INIT;
	int rc = odb_read_type(a->r->odb, oid, OBJ_COMMIT, &buf, err);

	if (!rc)
		rc = commit_parse(&view, buf.data, buf.size, a->r->algo, err);
	if (!rc)
		commit_subject(&subject, view.message, view.message_len, " ");
	*out = strbuf_detach(&subject, NULL);
	commit_view_release(&view);
	object_buf_release(&buf);
	return rc;
}

static bool skip_marker(const char *subject, const char **rest)
{
	static const char *const markers[] = { "fixup! ", "squash! ", "amend! " };

	for (size_t i = 0; i < ARRAY_SIZE(markers); i++)
		if (skip_prefix(subject, markers[i], rest))
			return true;
	return false;
}

static ssize_t find_by_name(struct autosquash *a, const char *name, size_t end)
{
	struct object_id oid;

	if (strchr(name, ' ') || revparse_of_type(a->r, name, OBJ_COMMIT, &oid, NULL))
		return -1;
	for (size_t i = 0; i < end; i++)
		if (a->items[i].subject && oid_eq(&a->list->items[i].oid, &oid))
			return (ssize_t)i;
	return -1;
}

static ssize_t find_by_prefix(const struct autosquash *a, const char *prefix, size_t end)
{
	for (size_t i = 0; i < end; i++)
		if (a->items[i].subject && starts_with(a->items[i].subject, prefix))
			return (ssize_t)i;
	return -1;
}

/* The target is above its fixup: a subject, the name of a commit, the beginning of a subject. */
static ssize_t find_target(struct autosquash *a, const char *rest, size_t end)
{
	const size_t *at = strmap_get(&a->by_subject, rest);
	ssize_t found = at && *at < end ? (ssize_t)*at : find_by_name(a, rest, end);

	return found >= 0 ? found : find_by_prefix(a, rest, end);
}

static void chain_item(struct autosquash *a, size_t target, size_t i)
{
	struct squash_item *t = &a->items[target];

	if (t->tail >= 0) {
		a->items[i].next = a->items[t->tail].next;
		a->items[t->tail].next = (ssize_t)i;
	} else {
		a->items[i].next = t->next;
		t->next = (ssize_t)i;
	}
	t->tail = (ssize_t)i;
	a->items[i].moved = true;
}

static int place_item(struct autosquash *a, size_t i, struct err *err)
{
	struct squash_item *s = &a->items[i];
	const char *rest, *more;
	ssize_t target;
	int rc;

	if (a->list->items[i].command != TODO_PICK)
		return 0;
	rc = read_subject(a, &a->list->items[i].oid, &s->subject, err);
	if (rc)
		return rc;
	if (skip_marker(s->subject, &rest)) {
		while (skip_marker(rest, &more))
			rest = more;
		while (*rest == ' ')
			rest++;
		target = find_target(a, rest, i);
		if (target >= 0) {
			s->squashes = starts_with(s->subject, "squash!");
			s->amends = starts_with(s->subject, "amend!");
			chain_item(a, (size_t)target, i);
			return 0;
		}
	}
	if (!strmap_contains(&a->by_subject, s->subject)) {
		size_t *at = xmalloc(sizeof(*at));

		*at = i;
		strmap_put(&a->by_subject, s->subject, at);
	}
	return 0;
}

static void emit_item(struct autosquash *a, struct todo_list *out, size_t i)
{
	struct todo_item *item = &a->list->items[i];
	const struct squash_item *s = &a->items[i];

	if (s->moved) {
		item->command = s->squashes ? TODO_SQUASH : TODO_FIXUP;
		item->flags = s->amends ? TODO_USE_MESSAGE : 0;
	}
	rebase_list_copy(out, a->r, a->list, item);
}

int rebase_list_autosquash(struct todo_list *list, struct repository *r, struct err *err)
{
	struct autosquash a = { .r = r, .list = list, .by_subject = STRMAP_INIT };
	struct todo_list out;
	int rc = 0;

	CALLOC_ARRAY(a.items, list->nr + 1);
	for (size_t i = 0; i < list->nr; i++)
		a.items[i].next = a.items[i].tail = -1;
	for (size_t i = 0; !rc && i < list->nr; i++)
		rc = place_item(&a, i, err);
	todo_init(&out);
	for (size_t i = 0; !rc && i < list->nr; i++)
		for (ssize_t k = a.items[i].moved ? -1 : (ssize_t)i; k >= 0; k = a.items[k].next)
			emit_item(&a, &out, (size_t)k);
	for (size_t i = 0; i < list->nr; i++)
		free(a.items[i].subject);
	if (!rc)
		rebase_list_set(list, &out);
	todo_release(&out);
	strmap_clear(&a.by_subject, free);
	free(a.items);
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "transport/push/push.h"
#include "util/alloc.h"

struct push_update *push_list_add(struct push_list *l, const char *src, const char *dst)
{
	struct push_update *u;

	ALLOC_GROW(l->items, l->nr + 1, l->alloc);
	u = &l->items[l->nr++];
	memset(u, 0, sizeof(*u));
	u->src = src ? xstrdup(src) : NULL;
	u->dst = xstrdup(dst);
	return u;
}

static void update_release(struct push_update *u)
{
	free(u->src);
	free(u->dst);
	free(u->message);
	free(u->tracking);
	push_reports_release(&u->results);
}

void push_list_release(struct push_list *l)
{
	for (size_t i = 0; i < l->nr; i++)
		update_release(&l->items[i]);
	free(l->items);
	*l = (struct push_list)PUSH_LIST_INIT;
}

bool push_update_is_refused(const struct push_update *u)
{
	return u->status != PUSH_PENDING && u->status != PUSH_OK && u->status != PUSH_UP_TO_DATE;
}

void push_list_fail_atomic(struct push_list *l)
{
	bool refused = false;

	for (size_t i = 0; i < l->nr; i++)
		refused |= push_update_is_refused(&l->items[i]);
	for (size_t i = 0; refused && i < l->nr; i++)
		if (l->items[i].status == PUSH_PENDING)
			l->items[i].status = PUSH_ATOMIC_FAILED;
}

/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "util/alloc.h"
#include "wire/push-report.h"

static struct push_report *open_report(struct push_reports *l)
{
	if (!l->is_open) {
		l->items = xreallocarray(l->items, l->nr + 1, sizeof(*l->items));
		memset(&l->items[l->nr++], 0, sizeof(*l->items));
		l->is_open = true;
	}
	return &l->items[l->nr - 1];
}

void push_reports_take_option(struct push_reports *l, const char *text, const struct hash_algo *algo)
{
	struct push_report *r = open_report(l);
	const char *value;

	if (skip_prefix(text, "refname ", &value)) {
		free(r->name);
		r->name = xstrdup(value);
	} else if (skip_prefix(text, "old-oid ", &value)) {
		r->has_old = !oid_from_hex(&r->old_oid, value, algo);
	} else if (skip_prefix(text, "new-oid ", &value)) {
		r->has_new = !oid_from_hex(&r->new_oid, value, algo);
	} else if (!strcmp(text, "forced-update")) {
		r->forced = true;
	}
}

void push_reports_close(struct push_reports *l)
{
	l->is_open = false;
}

void push_report_write(struct pkt_writer *w, const struct push_report *r)
{
	if (r->name)
		pkt_writer_addf(w, "option refname %s\n", r->name);
	if (r->has_old)
		pkt_writer_addf(w, "option old-oid %s\n", oid_hex(&r->old_oid));
	if (r->has_new)
		pkt_writer_addf(w, "option new-oid %s\n", oid_hex(&r->new_oid));
	if (r->forced)
		pkt_writer_addf(w, "option forced-update\n");
}

void push_reports_release(struct push_reports *l)
{
	for (size_t i = 0; i < l->nr; i++)
		free(l->items[i].name);
	free(l->items);
	*l = (struct push_reports){ .items = NULL };
}

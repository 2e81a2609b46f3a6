/* SPDX-License-Identifier: GPL-2.0-only */
/* Lines that commits and tags have in common. */
#include "compat/posix.h"
#include "builtin/stream/export.h"

void export_progress(struct fast_export *x)
{
	x->shown++;
	if (x->progress && !(x->shown % (unsigned long)x->progress))
		printf("progress %lu objects\n", x->shown);
}

void export_original_id(const struct fast_export *x, const struct object_id *oid)
{
	if (x->original_ids)
		printf("original-oid %s\n", oid_hex(oid));
}

void export_data(const void *p, size_t len)
{
	printf("data %zu\n", len);
	(void)!fwrite(p, 1, len, stdout);
}

const char *export_ref_name(struct fast_export *x, const char *name, struct strbuf *out)
{
	strbuf_reset(out);
	if (x->anonymous)
		anonymize_ref(&x->anon, name, out);
	else
		strbuf_addstr(out, name);
	return out->buf;
}

void export_add_person(struct fast_export *x, const char *role, const char *ident, size_t len, struct strbuf *out)
{
	strbuf_addf(out, "%s ", role);
	if (x->anonymous)
		anonymize_ident(&x->anon, ident, len, out);
	else
		strbuf_add(out, ident, len);
	strbuf_addch(out, '\n');
}

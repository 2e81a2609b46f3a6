/* SPDX-License-Identifier: GPL-2.0-only */
/* The tips that negotiation offers to a server: commits, refs and patterns of refs, by option or remote.<name>.*. */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "builtin/fetch/fetch.h"
#include "history/names/revparse.h"
#include "util/alloc.h"
#include "util/wildmatch.h"

struct tip_glob {
	const char *pattern;
	struct oid_array *out;
};

static int add_matching(void *data, const struct ref *ref)
{
	struct tip_glob *g = data;

	if (wildmatch(g->pattern, ref->name, 0))
		oid_array_append(g->out, &ref->oid);
	return 0;
}

static void add_glob(struct fetch_cmd *f, const char *text, struct oid_array *out)
{
	char *pattern = starts_with(text, "refs/") ? xstrdup(text) : xstrfmt("refs/%s", text);
	struct tip_glob g = { pattern, out };
	struct err err = ERR_INIT;

	if (refs_foreach(f->r->refs, "", REFS_NO_PEEL, add_matching, &g, &err) < 0)
		die_err(&err);
	free(pattern);
}

static void add_tips(struct fetch_cmd *f, const struct strvec *from, const char *option, struct oid_array *out)
{
	for (size_t i = 0; i < from->nr; i++) {
		const char *text = from->v[i];
		struct object_id oid;

		if (strpbrk(text, "*?[")) {
			size_t before = out->nr;

			add_glob(f, text, out);
			if (out->nr == before)
				warning("ignoring %s=%s because it does not match any refs", option, text);
		} else if (!revparse_oid(f->r, text, &oid, NULL) && !odb_has(f->r->odb, &oid)) {
			die("the object %s does not exist", text);
		} else if (!revparse_oid(f->r, text, &oid, NULL)) {
			oid_array_append(out, &oid);
		}
	}
}

void fetch_read_tips(struct fetch_cmd *f, const struct remote *remote)
{
	const struct strvec *only = f->restrict_to.nr ? &f->restrict_to : &remote->negotiation_restrict;
	const struct strvec *also = f->include.nr ? &f->include : &remote->negotiation_include;

	add_tips(f, only, "--negotiation-restrict", &f->tip_oids);
	add_tips(f, also, "--negotiation-include", &f->include_oids);
	if (only->nr)
		f->o.wanted.tips = &f->tip_oids;
	oid_array_sort_unique(&f->include_oids);
	f->o.wanted.include = &f->include_oids;
}

int fetch_print_common(struct fetch_cmd *f, const struct remote *remote)
{
	struct oid_array common = OID_ARRAY_INIT;
	struct err err = ERR_INIT;
	int rc = fetch_negotiate(f->r, remote, &f->o, &common, &err);

	for (size_t i = 0; !rc && i < common.nr; i++)
		puts(oid_hex(&common.oid[i]));
	oid_array_clear(&common);
	return rc < 0 ? report_fatal(&err) : 0;
}

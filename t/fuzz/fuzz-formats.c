/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Formats and sort keys of for-each-ref, pretty formats, revisions, refspecs. The first byte
 * selects which.
 */
#include "compat/posix.h"
#include "t/fuzz/fuzz.h"
#include "t/fuzz/scratch.h"
#include "util/alloc.h"
#include "pretty/pretty.h"
#include "reflist/reflist.h"
#include "history/reach/refglob.h"
#include "history/names/revparse.h"

static int count(void *data, struct strbuf *text)
{
	++*(size_t *)data;
	strbuf_reset(text);
	return 0;
}

/* A valid format is expanded for every ref, or gives an error message. */
static void ref_format(struct repository *r, const char *format, unsigned quote)
{
	struct reflist_filter f = REFLIST_FILTER_INIT;
	struct reflist *l = reflist_new(r);
	struct err err = ERR_INIT;
	size_t shown = 0;

	l->quote = quote % (REFLIST_QUOTE_TCL + 1);
	l->color = true;
	if (!reflist_set_format(l, format, NULL) &&
	    !reflist_each(l, &f, 0, count, &shown, &err) && shown != 4)
		abort();
	if (!shown && err.code && !err.msg)
		abort();
	err_release(&err);
	reflist_filter_release(&f);
	reflist_free(l);
}

/* Sorting by any key keeps the set of refs. */
static void ref_sort(struct repository *r, const char *key)
{
	struct reflist_filter f = REFLIST_FILTER_INIT;
	struct reflist *l = reflist_new(r);

	if (!reflist_sort_by(l, key, NULL) && !reflist_collect(l, &f, NULL) &&
	    l->nr != 4)
		abort();
	reflist_filter_release(&f);
	reflist_free(l);
}

static void pretty_format(struct repository *r, const char *format)
{
	struct strbuf out = STRBUF_INIT;
	struct commit_pool *pool;
	struct commit *c;
	struct pretty p;

	pretty_init(&p, r);
	p.color = true;
	if (commit_pool_new(&pool, r, NULL) < 0)
		abort();
	c = commit_lookup(pool, &scratch_head);
	if (commit_parse_node(pool, c, NULL) < 0)
		abort();
	if (!pretty_set_format(&p, format, NULL) && pretty_commit(&p, pool, c, &out, NULL) < 0 &&
	    p.kind != PRETTY_USER)
		abort();
	pretty_release(&p);
	commit_pool_free(pool);
	strbuf_release(&out);
}

/* The objects of a revision exist, unless they were given by their full names. */
static void revision(struct repository *r, const char *name)
{
	struct strbuf sb = STRBUF_INIT;
	struct revparse_result out;
	struct object_id oid;
	char *full;

	if (!revparse(r, name, OBJ_ANY, &out, NULL)) {
		if (!odb_has_quick(r->odb, &out.oid) && strlen(name) < r->algo->hex_len)
			abort();
		revparse_result_release(&out);
	}
	if (revparse_ref(r, name, strlen(name), &full, &oid, NULL) > 0)
		free(full);
	revparse_branch_name(r, name, strlen(name), &sb, NULL);
	strbuf_release(&sb);
}

static int visit(void *data, const struct ref *ref)
{
	(void)data;
	return !ref->name;
}

static void globs(struct repository *r, const char *pattern)
{
	struct ref_exclusions x = REF_EXCLUSIONS_INIT;

	ref_exclusions_add(&x, "refs/heads/t*");
	if (refs_foreach_glob(r, "", pattern, &x, 0, visit, NULL, NULL))
		abort();
	ref_exclusions_add(&x, pattern);
	if (refs_foreach_glob(r, "refs/heads/", NULL, &x, 0, visit, NULL, NULL))
		abort();
	ref_exclusions_clear(&x);
}

/* The input as remote.o.fetch and remote.o.push. */
static void refspecs(struct repository *r, const char *spec)
{
	struct config_set *before = r->config;
	struct string_list found = STRING_LIST_INIT;
	struct strbuf sb = STRBUF_INIT;
	char *ref;

	for (const char *p = spec; *p; p++)
		if (*p == '"' || *p == '\\' || *p == '\n')
			return;
	strbuf_addf(&sb, "[remote \"o\"]\nurl=x\nfetch=\"%s\"\npush=\"%s\"\n[branch \"main\"]\n"
		    "remote=o\nmerge=refs/heads/main\n", spec, spec);
	r->config = config_set_new();
	if (!config_set_read_buf(r->config, sb.buf, sb.len, "f", CONFIG_ORIGIN_FILE,
				 CONFIG_SCOPE_LOCAL, NULL, NULL)) {
		if (!branch_upstream(r, "main", &ref, NULL))
			free(ref);
		if (!branch_push_target(r, "main", &ref, NULL))
			free(ref);
		remotes_fetching_into(r, "refs/remotes/o/main", &found);
		string_list_clear(&found, free);
	}
	config_set_free(r->config);
	r->config = before;
	strbuf_release(&sb);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct repository *r = scratch_repo();
	char *text;

	if (!size)
		return 0;
	text = xmemdupz(data + 1, size - 1);
	switch (data[0] % 6) {
	case 0:
		ref_format(r, text, data[0] / 6);
		break;
	case 1:
		ref_sort(r, text);
		break;
	case 2:
		pretty_format(r, text);
		break;
	case 3:
		revision(r, text);
		break;
	case 4:
		globs(r, text);
		break;
	default:
		refspecs(r, text);
	}
	free(text);
	return 0;
}

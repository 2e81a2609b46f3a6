/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "pretty/pretty.h"
#include "history/notes.h"
#include "util/alloc.h"
#include "util/string-list.h"
#include "history/reach/refglob.h"
#include "history/names/revparse.h"

#define DEFAULT_REF "refs/notes/commits"

struct shown_notes {
	char *ref;
	struct notes_tree *tree;
};

struct notes {
	struct repository *repo;
	struct shown_notes *trees;
	size_t nr, alloc;
};

char *notes_default_ref(struct repository *r)
{
	const char *ref = getenv("GIT_NOTES_REF");

	if (!ref)
		config_get_string(r->config, "core.notesref", &ref, NULL);
	return xstrdup(ref ? ref : DEFAULT_REF);
}

static int add_ref(void *data, const struct ref *ref)
{
	struct strvec *out = data;
	size_t i;

	for (i = 0; i < out->nr; i++)
		if (!strcmp(out->v[i], ref->name))
			return 0;
	strvec_push(out, ref->name);
	return 0;
}

static int add_globs(struct repository *r, struct strvec *out, const char *pattern, struct err *err)
{
	struct ref ref = { .name = pattern };

	if (strpbrk(pattern, "*?["))
		return refs_foreach_glob(r, "", pattern, NULL, 0, add_ref, out, err);
	return *pattern ? add_ref(out, &ref) : 0;
}

int notes_display_refs(struct repository *r, struct strvec *out, struct err *err)
{
	const char *env = getenv("GIT_NOTES_DISPLAY_REF");
	const struct config_entry *const *all;
	char *ref = notes_default_ref(r);
	size_t nr = 0, i;
	int rc = 0;

	strvec_push(out, ref);
	free(ref);
	if (env) {
		struct string_list list = STRING_LIST_INIT;

		string_list_split(&list, env, ":");
		for (i = 0; !rc && i < list.nr; i++)
			rc = add_globs(r, out, list.items[i].string, err);
		string_list_clear(&list, NULL);
		return rc;
	}
	all = config_get_all(r->config, "notes.displayref", &nr);
	for (i = 0; !rc && i < nr; i++)
		if (all[i]->value)
			rc = add_globs(r, out, all[i]->value, err);
	return rc;
}

char *notes_expand_ref(const char *name)
{
	if (starts_with(name, "refs/notes/"))
		return xstrdup(name);
	return starts_with(name, "notes/") ? xstrfmt("refs/%s", name) :
		xstrfmt("refs/notes/%s", name);
}

int notes_open(struct notes **out, struct repository *r, const struct strvec *refs, struct strvec *missing,
	       struct err *err)
{
	struct strvec names = STRVEC_INIT;
	struct notes *n;
	size_t i;
	int rc = 0;

	CALLOC_ARRAY(n, 1);
	n->repo = r;
	for (i = 0; !rc && i < refs->nr; i++) {
		char *name = notes_expand_ref(refs->v[i]);

		rc = add_globs(r, &names, name, err);
		free(name);
	}
	for (i = 0; !rc && i < names.nr; i++) {
		char *ref = xstrdup(names.v[i]);
		struct object_id oid, tree;

		if (ref_resolve(r->refs, ref, &oid, NULL, NULL, NULL) < 0 ||
		    object_peel(odb_source(r->odb), &oid, OBJ_TREE, &tree, NULL, NULL) < 0) {
			strvec_push(missing, ref);
			free(ref);
			continue;
		}
		ALLOC_GROW(n->trees, n->nr + 1, n->alloc);
		n->trees[n->nr].ref = ref;
		n->trees[n->nr++].tree = notes_tree_new(r->odb, &tree, NOTES_READ_ONLY);
	}
	strvec_clear(&names);
	if (rc < 0)
		notes_free(n);
	else
		*out = n;
	return rc;
}

void notes_free(struct notes *n)
{
	size_t i;

	if (!n)
		return;
	for (i = 0; i < n->nr; i++) {
		notes_tree_free(n->trees[i].tree);
		free(n->trees[i].ref);
	}
	free(n->trees);
	free(n);
}

static void add_heading(struct strbuf *out, const char *ref)
{
	const char *name = ref;

	if (!strcmp(ref, DEFAULT_REF)) {
		strbuf_addstr(out, "\nNotes:\n");
		return;
	}
	skip_prefix(name, "refs/", &name);
	skip_prefix(name, "notes/", &name);
	strbuf_addf(out, "\nNotes (%s):\n", name);
}

static void add_text(struct strbuf *out, const char *s, size_t len, bool raw)
{
	const char *end = s + len, *eol;

	end -= len && end[-1] == '\n';
	for (; s < end; s = eol + 1) {
		eol = s;
		while (eol < end && *eol && *eol != '\n') /* a NUL separates records of log -z */
			eol++;
		if (!raw)
			strbuf_addstr(out, "    ");
		strbuf_add(out, s, eol - s);
		strbuf_addch(out, '\n');
	}
}

void notes_format(struct notes *n, const struct object_id *oid, struct strbuf *out, bool raw)
{
	size_t i;

	for (i = 0; i < n->nr; i++) {
		struct object_buf buf = OBJECT_BUF_INIT;
		struct object_id note;

		/* A tree or a blob that cannot be read shows no note. */
		if (notes_tree_find(n->trees[i].tree, oid, &note, NULL) <= 0 ||
		    odb_read_type(n->repo->odb, &note, OBJ_BLOB, &buf, NULL) < 0)
			continue;
		if (!raw)
			add_heading(out, n->trees[i].ref);
		add_text(out, buf.data, buf.size, raw);
		object_buf_release(&buf);
	}
}

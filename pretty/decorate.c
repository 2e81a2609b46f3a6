/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "pretty/pretty.h"
#include "object/tag.h"
#include "util/alloc.h"
#include "util/path.h"
#include "util/wildmatch.h"
#include "history/grafts.h"
#include "history/names/revparse.h"

struct decoration {
	struct decoration *next;
	enum decoration_kind kind;
	char name[]; /* full ref name, "replaced" or "grafted" */
};

struct decorations {
	struct oidmap by_oid; /* to struct decoration, the last one added comes first */
	struct repository *repo;
	const struct decorate_options *o;
	char *head_branch; /* full name; NULL: detached */
};

void decorate_options_release(struct decorate_options *o)
{
	strvec_clear(&o->include);
	strvec_clear(&o->exclude);
	strvec_clear(&o->exclude_config);
}

static void free_list(void *data)
{
	struct decoration *d = data, *next;

	for (; d; d = next) {
		next = d->next;
		free(d);
	}
}

bool decorations_has(const struct decorations *d, const struct object_id *oid)
{
	return oidmap_contains(&d->by_oid, oid);
}

void decorations_free(struct decorations *d)
{
	if (!d)
		return;
	oidmap_clear(&d->by_oid, free_list);
	free(d->head_branch);
	free(d);
}

static void decorate_add(struct decorations *d, const struct object_id *oid,
			 enum decoration_kind kind,
			 const char *name)
{
	size_t len = strlen(name);
	struct decoration *dec = xmalloc(st_add(sizeof(*dec), len + 1));

	dec->kind = kind;
	memcpy(dec->name, name, len + 1);
	dec->next = oidmap_get(&d->by_oid, oid);
	oidmap_put(&d->by_oid, oid, dec);
}

static enum decoration_kind kind_of(const char *name)
{
	if (starts_with(name, "refs/heads/"))
		return DECORATION_BRANCH;
	if (starts_with(name, "refs/remotes/"))
		return DECORATION_REMOTE;
	if (starts_with(name, "refs/tags/"))
		return DECORATION_TAG;
	if (!strcmp(name, "refs/stash"))
		return DECORATION_STASH;
	if (!strcmp(name, "HEAD"))
		return DECORATION_HEAD;
	return DECORATION_OTHER;
}

/* A glob, or the beginning of a name up to a slash. "refs/" may be left out. */
static bool pattern_matches(const char *pattern, const char *name)
{
	struct strbuf full = STRBUF_INIT;
	bool match;

	if (!starts_with(pattern, "refs/") && strcmp(pattern, "HEAD"))
		strbuf_addstr(&full, "refs/");
	strbuf_addstr(&full, pattern);
	if (has_glob_chars(pattern))
		match = wildmatch(full.buf, name, 0);
	else
		match = path_inside(name, full.buf) != NULL;
	strbuf_release(&full);
	return match;
}

static bool any_matches(const struct strvec *patterns, const char *name)
{
	size_t i;

	for (i = 0; i < patterns->nr; i++)
		if (pattern_matches(patterns->v[i], name))
			return true;
	return false;
}

/* Without patterns only the usual refs are shown: branches, tags, and so on. */
static bool is_wanted(const struct decorate_options *o, const char *name, bool usual)
{
	bool any_pattern = o->include.nr || o->exclude.nr || o->exclude_config.nr;

	if (any_matches(&o->exclude, name))
		return false;
	if (o->include.nr && any_matches(&o->include, name))
		return true;
	if (any_matches(&o->exclude_config, name))
		return false;
	if (o->include.nr)
		return false;
	return o->all_refs || any_pattern || usual;
}

/* The tag, and what it leads to, step by step. */
static void add_peeled(struct decorations *d, const struct object_id *oid,
		       enum decoration_kind kind, const char *name)
{
	struct odb *odb = d->repo->odb;
	struct object_id at = *oid;
	struct object_buf buf;
	struct tag_view tag;
	struct object_info info;
	int depth;

	for (depth = 0; depth < 100; depth++) {
		if (odb_type(odb, &at, &info.type, &info.size, NULL) < 0 || info.type != OBJ_TAG)
			return;
		buf = (struct object_buf)OBJECT_BUF_INIT;
		if (odb_read(odb, &at, &buf, NULL) < 0)
			return;
		if (tag_parse(&tag, buf.data, buf.size, d->repo->algo, NULL) < 0) {
			object_buf_release(&buf);
			return;
		}
		at = tag.target;
		object_buf_release(&buf);
		decorate_add(d, &at, kind, name);
	}
}

static int on_ref(void *data, const struct ref *ref)
{
	struct decorations *d = data;
	enum decoration_kind kind = kind_of(ref->name);
	struct object_id original;
	bool replaces = repo_ref_replaces(d->repo, ref->name, &original);

	if (!is_wanted(d->o, ref->name, replaces || kind != DECORATION_OTHER))
		return 0;
	if (replaces) {
		decorate_add(d, &original, DECORATION_GRAFT, "replaced");
		return 0;
	}
	decorate_add(d, &ref->oid, kind, ref->name);
	add_peeled(d, &ref->oid, kind, ref->name);
	return 0;
}

static int add_head(struct decorations *d)
{
	struct object_id oid;
	unsigned flags;
	char *final = NULL;

	if (ref_resolve(d->repo->refs, "HEAD", &oid, &final, &flags, NULL) < 0) {
		free(final);
		return 0;
	}
	if (flags & REF_IS_SYMREF)
		d->head_branch = final;
	else
		free(final);
	if (is_wanted(d->o, "HEAD", true))
		decorate_add(d, &oid, DECORATION_HEAD, "HEAD");
	return 0;
}

static int add_grafts(struct decorations *d, struct err *err)
{
	const struct object_id *oid;
	struct grafts grafts;
	void *graft;
	int rc = grafts_read(&grafts, d->repo, err);

	if (rc < 0)
		return rc;
	for (size_t i = 0; oidmap_next(&grafts.by_oid, &i, &oid, &graft);)
		decorate_add(d, oid, DECORATION_GRAFT, "grafted");
	grafts_clear(&grafts);
	return 0;
}

int decorations_load(struct decorations **out, struct repository *r,
		     const struct decorate_options *o, struct err *err)
{
	struct decorations *d;
	int rc;

	CALLOC_ARRAY(d, 1);
	d->repo = r;
	d->o = o;
	rc = refs_foreach(r->refs, "", REFS_NO_PEEL, on_ref, d, err);
	if (!rc)
		rc = add_head(d);
	if (!rc)
		rc = add_grafts(d, err);
	if (rc < 0)
		decorations_free(d);
	else
		*out = d;
	return rc;
}

/* ---- text ---- */

void decorate_colors_read(struct decorate_colors *c, const struct config_set *config)
{
	static const struct { const char *key, *value; } slots[DECORATION_NR] = {
		[DECORATION_BRANCH] = { "branch", "bold green" },
		[DECORATION_REMOTE] = { "remotebranch", "bold red" },
		[DECORATION_TAG] = { "tag", "bold yellow" },
		[DECORATION_STASH] = { "stash", "bold magenta" },
		[DECORATION_HEAD] = { "head", "bold cyan" },
		[DECORATION_GRAFT] = { "grafted", "bold blue" },
		[DECORATION_OTHER] = { NULL, "normal" },
	};
	size_t i;

	for (i = 0; i < DECORATION_NR; i++) {
		const char *value = NULL;

		if (slots[i].key) {
			char *key = xstrfmt("color.decorate.%s", slots[i].key);

			config_get_string(config, key, &value, NULL);
			free(key);
		}
		if (!value || color_parse(value, c->slot[i]) < 0)
			color_parse(slots[i].value, c->slot[i]);
	}
}

static const char *display_name(const struct decoration *d, bool full)
{
	const char *rest;

	if (full)
		return d->name;
	if (skip_prefix(d->name, "refs/heads/", &rest) ||
	    skip_prefix(d->name, "refs/tags/", &rest) ||
	    skip_prefix(d->name, "refs/remotes/", &rest))
		return rest;
	return d->name;
}

struct painter {
	struct strbuf *out;
	bool color;
};

/* Each part has its colour to itself. */
static void paint(struct painter *p, const char *color, const char *part)
{
	if (!*part)
		return;
	if (p->color)
		strbuf_addstr(p->out, color);
	strbuf_addstr(p->out, part);
	if (p->color)
		strbuf_addstr(p->out, COLOR_RESET);
}

static const struct decoration *find_head(const struct decoration *list)
{
	while (list && list->kind != DECORATION_HEAD)
		list = list->next;
	return list;
}

/* The branch that HEAD points to: shown with it. */
static const struct decoration *find_current(const struct decorations *d,
					     const struct decoration *list)
{
	if (!d->head_branch || !find_head(list))
		return NULL;
	while (list && strcmp(list->name, d->head_branch))
		list = list->next;
	return list;
}

void decorations_format(struct strbuf *out, struct decorations *d, const struct object_id *oid,
			const struct decoration_text *text, bool full,
			const struct decorate_colors *colors, const char *base)
{
	const struct decoration *list = d ? oidmap_get(&d->by_oid, oid) : NULL, *current;
	const char *before = text->prefix;
	struct painter p = { out, colors != NULL };

	if (!list)
		return;
	current = find_current(d, list);
	for (const struct decoration *dec = list; dec; dec = dec->next) {
		const char *color = colors ? colors->slot[dec->kind] : "";

		if (dec == current)
			continue;
		paint(&p, base, before);
		if (dec->kind == DECORATION_TAG)
			paint(&p, color, text->tag);
		paint(&p, color, display_name(dec, full));
		if (dec->kind == DECORATION_HEAD && current) {
			paint(&p, base, text->pointer);
			paint(&p, colors ? colors->slot[current->kind] : "",
			      display_name(current, full));
		}
		before = text->separator;
	}
	paint(&p, base, text->suffix);
}

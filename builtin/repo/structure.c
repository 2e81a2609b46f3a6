/* SPDX-License-Identifier: GPL-2.0-only */
/* git repo structure: numbers and sizes of refs and objects. */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "builtin/repo/repo.h"
#include "history/revision/objects.h"
#include "history/revision/revision.h"
#include "object/tree.h"
#include "refs/refs.h"
#include "util/alloc.h"

enum ref_kind { KIND_BRANCH, KIND_TAG, KIND_REMOTE, KIND_OTHER, REF_KINDS };
enum object_kind { KIND_COMMITS, KIND_TREES, KIND_BLOBS, KIND_TAGS, OBJECT_KINDS };

struct largest {
	uint64_t value;
	struct object_id oid; /* null: there is none */
};

struct structure {
	struct repository *repo;
	uint64_t refs[REF_KINDS], count[OBJECT_KINDS], inflated[OBJECT_KINDS], disk[OBJECT_KINDS];
	struct largest size[OBJECT_KINDS], parents, entries;
};

static const char *const object_names[] = { "commits", "trees", "blobs", "tags" };
static const char *const object_titles[] = { "Commits", "Trees", "Blobs", "Tags" };
static const char *const ref_names[] = { "branches", "tags", "remotes", "others" };
static const char *const ref_titles[] = { "Branches", "Tags", "Remotes", "Others" };

/* ---- counting ---- */

static int count_ref(void *data, const struct ref *ref)
{
	struct structure *s = data;

	if (starts_with(ref->name, "refs/heads/"))
		s->refs[KIND_BRANCH]++;
	else if (starts_with(ref->name, "refs/tags/"))
		s->refs[KIND_TAG]++;
	else if (starts_with(ref->name, "refs/remotes/"))
		s->refs[KIND_REMOTE]++;
	else
		s->refs[KIND_OTHER]++;
	return 0;
}

static void note_largest(struct largest *l, uint64_t value, const struct object_id *oid)
{
	if (value <= l->value && !oid_is_null(&l->oid))
		return;
	l->value = value;
	l->oid = *oid;
}

static int count_entries(struct structure *s, const struct object_id *oid, struct err *err)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	struct tree_iter it;
	struct tree_entry e;
	uint64_t nr = 0;
	int rc = odb_read_type(s->repo->odb, oid, OBJ_TREE, &buf, err);

	if (rc < 0)
		return rc;
	tree_iter_init(&it, buf.data, buf.size, s->repo->algo);
	while ((rc = tree_iter_next(&it, &e, err)) > 0)
		nr++;
	object_buf_release(&buf);
	note_largest(&s->entries, nr, oid);
	return rc < 0 ? rc : 0;
}

static int structure_count_object(struct structure *s, enum object_kind kind, const struct object_id *oid, struct err *err)
{
	struct object_info info = { 0 };
	int rc = odb_info(s->repo->odb, oid, &info, err);

	if (rc < 0)
		return rc;
	s->count[kind]++;
	s->inflated[kind] += info.size;
	s->disk[kind] += info.disk_size;
	note_largest(&s->size[kind], info.size, oid);
	return kind == KIND_TREES ? count_entries(s, oid, err) : 0;
}

static int count_commit(void *data, struct commit *c, struct err *err)
{
	struct structure *s = data;

	note_largest(&s->parents, c->nr_parents, &c->oid);
	return structure_count_object(s, KIND_COMMITS, &c->oid, err);
}

static int count_walked(void *data, const struct walked_object *o, struct err *err)
{
	enum object_kind kind = o->type == OBJ_TREE ? KIND_TREES : o->type == OBJ_TAG ? KIND_TAGS : KIND_BLOBS;

	return structure_count_object(data, kind, o->oid, err);
}

static int count_objects(struct structure *s, struct err *err)
{
	const char *argv[] = { "repo", "--glob=*", NULL };
	const struct object_walk_options o = { .commit = count_commit, .object = count_walked, .data = s };
	struct rev_walk *w;
	int rc = rev_walk_new(&w, s->repo, err);

	if (rc < 0)
		return rc;
	w->objects = true;
	w->default_rev = NULL;
	rc = rev_walk_arguments(w, 2, argv, NULL, err);
	if (!rc)
		rc = rev_walk_begin(w, err);
	if (!rc)
		rc = object_walk(w, &o, err);
	rev_walk_free(w);
	return rc;
}

/* ---- keys and values ---- */

static uint64_t sum(const uint64_t *values, size_t nr)
{
	uint64_t all = 0;

	while (nr)
		all += values[--nr];
	return all;
}

static void print_number(enum repo_format f, const char *group, const char *name, const char *what, uint64_t value)
{
	printf(f == REPO_NUL ? "%s.%s.%s\n%" PRIu64 : "%s.%s.%s=%" PRIu64, group, name, what, value);
	putchar(f == REPO_NUL ? '\0' : '\n');
}

static void print_largest(enum repo_format f, const char *name, const char *what, const struct largest *l)
{
	print_number(f, "objects", name, what, l->value);
	printf("objects.%s.%s_oid%c%s", name, what, f == REPO_NUL ? '\n' : '=', oid_hex(&l->oid));
	putchar(f == REPO_NUL ? '\0' : '\n');
}

static void print_keys(const struct structure *s, enum repo_format f)
{
	for (int i = 0; i < REF_KINDS; i++)
		print_number(f, "references", ref_names[i], "count", s->refs[i]);
	for (int i = 0; i < OBJECT_KINDS; i++)
		print_number(f, "objects", object_names[i], "count", s->count[i]);
	for (int i = 0; i < OBJECT_KINDS; i++)
		print_number(f, "objects", object_names[i], "inflated_size", s->inflated[i]);
	for (int i = 0; i < OBJECT_KINDS; i++)
		print_number(f, "objects", object_names[i], "disk_size", s->disk[i]);
	for (int i = 0; i < OBJECT_KINDS; i++)
		print_largest(f, object_names[i], "max_size", &s->size[i]);
	print_largest(f, "commits", "max_parents", &s->parents);
	print_largest(f, "trees", "max_entries", &s->entries);
}

/* ---- the table ---- */

struct table_row {
	char *title, *number, *unit; /* number NULL: a heading */
	const struct object_id *oid; /* a note below the table; NULL: none */
};

struct table {
	struct table_row rows[40];
	size_t nr;
};

#define TITLE_WIDTH 25

static struct table_row *add_row(struct table *t, int depth, const char *title)
{
	struct table_row *r = &t->rows[t->nr++];

	*r = (struct table_row){ .title = depth < 0 ? xstrdup("") : xstrfmt("%*s* %s", 2 * depth, "", title) };
	return r;
}

static void add_count_row(struct table *t, int depth, const char *title, uint64_t n, const struct object_id *oid)
{
	static const struct { uint64_t one; const char *unit; } units[] = { { 1000000000, "G" }, { 1000000, "M" }, { 1000, "k" } };
	struct table_row *r = add_row(t, depth, title);

	for (size_t i = 0; !r->number && i < ARRAY_SIZE(units); i++) {
		uint64_t hundredths = (n + units[i].one / 200) / (units[i].one / 100);

		if (n < units[i].one)
			continue;
		r->number = xstrfmt("%" PRIu64 ".%02" PRIu64, hundredths / 100, hundredths % 100);
		r->unit = xstrdup(units[i].unit);
	}
	if (!r->number) {
		r->number = xstrfmt("%" PRIu64, n);
		r->unit = xstrdup("");
	}
	r->oid = oid && !oid_is_null(oid) ? oid : NULL;
}

static void add_size_row(struct table *t, int depth, const char *title, uint64_t n, const struct object_id *oid)
{
	struct table_row *r = add_row(t, depth, title);
	struct strbuf text = STRBUF_INIT;
	size_t len;

	strbuf_humanise_bytes(&text, n);
	len = strcspn(text.buf, " ");
	r->number = xstrndup(text.buf, len);
	r->unit = xstrdup(starts_with(text.buf + len, " byte") ? "B" : text.buf + len + 1);
	r->oid = oid && !oid_is_null(oid) ? oid : NULL;
	strbuf_release(&text);
}

static void add_kinds(struct table *t, const char *title, const uint64_t *values, bool sizes)
{
	(sizes ? add_size_row : add_count_row)(t, 1, title, sum(values, OBJECT_KINDS), NULL);
	for (int i = 0; i < OBJECT_KINDS; i++)
		(sizes ? add_size_row : add_count_row)(t, 2, object_titles[i], values[i], NULL);
}

static void add_rows(struct table *t, const struct structure *s)
{
	add_row(t, 0, "References");
	add_count_row(t, 1, "Count", sum(s->refs, REF_KINDS), NULL);
	for (int i = 0; i < REF_KINDS; i++)
		add_count_row(t, 2, ref_titles[i], s->refs[i], NULL);
	add_row(t, -1, NULL);
	add_row(t, 0, "Reachable objects");
	add_kinds(t, "Count", s->count, false);
	add_kinds(t, "Inflated size", s->inflated, true);
	add_kinds(t, "Disk size", s->disk, true);
	add_row(t, -1, NULL);
	add_row(t, 0, "Largest objects");
	for (int i = 0; i < OBJECT_KINDS; i++) {
		add_row(t, 1, object_titles[i]);
		add_size_row(t, 2, "Maximum size", s->size[i].value, &s->size[i].oid);
		if (i == KIND_COMMITS)
			add_count_row(t, 2, "Maximum parents", s->parents.value, &s->parents.oid);
		if (i == KIND_TREES)
			add_count_row(t, 2, "Maximum entries", s->entries.value, &s->entries.oid);
	}
}

static int longest(const struct table *t, bool units)
{
	size_t most = 0;

	for (size_t i = 0; i < t->nr; i++) {
		const char *text = units ? t->rows[i].unit : t->rows[i].number;

		if (text && strlen(text) > most)
			most = strlen(text);
	}
	return (int)most;
}

static void print_row(const struct table_row *r, int *notes, int numbers, int units)
{
	if (r->oid)
		printf("| %-*s [%d] | ", TITLE_WIDTH - 4, r->title, ++*notes);
	else
		printf("| %-*s | ", TITLE_WIDTH, r->title);
	printf("%*s %-*s |\n", numbers, r->number ? r->number : "", units, r->unit ? r->unit : "");
}

static void print_table(const struct structure *s)
{
	struct table t = { .nr = 0 };
	int notes = 0, numbers, units, value;

	add_rows(&t, s);
	numbers = longest(&t, false) < 4 ? 4 : longest(&t, false); /* the heading fits, with a unit */
	units = longest(&t, true);
	value = numbers + 1 + units;
	printf("| %-*s | %-*s |\n| ", TITLE_WIDTH, "Repository structure", value, "Value");
	for (int i = 0; i < TITLE_WIDTH; i++)
		putchar('-');
	printf(" | ");
	for (int i = 0; i < value; i++)
		putchar('-');
	puts(" |");
	for (size_t i = 0; i < t.nr; i++)
		print_row(&t.rows[i], &notes, numbers, units);
	notes = 0;
	for (size_t i = 0; i < t.nr; i++) {
		if (t.rows[i].oid)
			printf("%s[%d] %s\n", notes ? "" : "\n", notes + 1, oid_hex(t.rows[i].oid));
		notes += t.rows[i].oid != NULL;
		free(t.rows[i].title);
		free(t.rows[i].number);
		free(t.rows[i].unit);
	}
}

int repo_print_structure(struct repository *r, enum repo_format f, struct err *err)
{
	struct structure s = { .repo = r };
	int rc = refs_foreach(r->refs, "", REFS_NO_PEEL, count_ref, &s, err);

	for (int i = 0; i < OBJECT_KINDS; i++)
		s.size[i].oid = r->algo->null_oid;
	s.parents.oid = s.entries.oid = r->algo->null_oid;
	if (!rc)
		rc = count_objects(&s, err);
	if (rc < 0)
		return rc;
	if (f == REPO_TABLE)
		print_table(&s);
	else
		print_keys(&s, f);
	return 0;
}

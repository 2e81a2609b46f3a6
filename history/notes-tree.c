/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Directories are read when something in them is looked for, and kept. `left` is the number of
 * hex digits that the names of notes in a directory have: all of them at the top, two less in
 * each directory below.
 *
 * In a tree that may be written, a note never lies beside the directory that its digits name:
 * it is moved there when the directory around both is read. So there is one place to look for
 * a note, and one to put it.
 */
#include "compat/posix.h"
#include "history/notes.h"
#include "object/tree.h"
#include "util/alloc.h"

struct notes_entry {
	char *name;
	unsigned mode;
	struct object_id oid;
	struct notes_dir *dir; /* a directory that has been read, which counts then; or NULL */
};

struct notes_dir {
	struct notes_entry *v; /* sorted by strcmp of names, each once */
	size_t nr, alloc;
};

struct notes_tree {
	struct odb *odb;
	struct object_id tree; /* null: there is none yet */
	struct notes_dir *top; /* NULL: not read yet */
	enum notes_access access;
};

/* ---- memory ---- */

static void dir_free(struct notes_dir *d)
{
	for (size_t i = 0; d && i < d->nr; i++) {
		dir_free(d->v[i].dir);
		free(d->v[i].name);
	}
	if (d)
		free(d->v);
	free(d);
}

struct notes_tree *notes_tree_new(struct odb *odb, const struct object_id *tree,
				  enum notes_access access)
{
	struct notes_tree *t = xcalloc(1, sizeof(*t));

	t->odb = odb;
	t->tree = tree ? *tree : odb_algo(odb)->null_oid;
	t->access = access;
	return t;
}

void notes_tree_free(struct notes_tree *t)
{
	if (!t)
		return;
	dir_free(t->top);
	free(t);
}

/* ---- entries ---- */

static bool is_hex(const char *s)
{
	return s[strspn(s, "0123456789abcdef")] == '\0';
}

static bool is_note(const struct notes_entry *e, size_t left)
{
	return MODE_IS_FILE(e->mode) && strlen(e->name) == left && is_hex(e->name);
}

static bool has_name_of_fanout(const struct notes_entry *e, size_t left)
{
	return left > 2 && strlen(e->name) == 2 && is_hex(e->name);
}

static bool is_fanout(const struct notes_entry *e, size_t left)
{
	return MODE_IS_TREE(e->mode) && has_name_of_fanout(e, left);
}

static int entry_cmp_name(const void *a, const void *b)
{
	const struct notes_entry *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* The first entry that is not before `name`. */
static size_t dir_position(const struct notes_dir *d, const char *name)
{
	size_t low = 0, high = d->nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (strcmp(d->v[mid].name, name) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static struct notes_entry *dir_find(const struct notes_dir *d, const char *name)
{
	size_t i = dir_position(d, name);

	return i < d->nr && !strcmp(d->v[i].name, name) ? &d->v[i] : NULL;
}

/* Returns a name that is there twice, or NULL. */
static const char *dir_sort(struct notes_dir *d)
{
	if (d->nr)
		qsort(d->v, d->nr, sizeof(*d->v), entry_cmp_name);
	for (size_t i = 1; i < d->nr; i++)
		if (!strcmp(d->v[i - 1].name, d->v[i].name))
			return d->v[i].name;
	return NULL;
}

/* The directory for a note of that name, read or not; NULL if there is none. */
static struct notes_entry *find_fanout(const struct notes_dir *d, const char *name, size_t left)
{
	char digits[3] = { name[0], name[1], '\0' };
	struct notes_entry *e = dir_find(d, digits);

	return e && is_fanout(e, left) ? e : NULL;
}

static struct notes_entry *dir_insert(struct notes_dir *d, const char *name)
{
	size_t i = dir_position(d, name);

	ALLOC_GROW(d->v, d->nr + 1, d->alloc);
	memmove(d->v + i + 1, d->v + i, (d->nr - i) * sizeof(*d->v));
	d->nr++;
	memset(&d->v[i], 0, sizeof(d->v[i]));
	d->v[i].name = xstrdup(name);
	return &d->v[i];
}

/* Keep the entries that `keep` wants, in their order. */
static void dir_filter(struct notes_dir *d, size_t left,
		       bool (*keep)(const struct notes_entry *e, size_t left))
{
	size_t to = 0;

	for (size_t i = 0; i < d->nr; i++) {
		if (keep(&d->v[i], left)) {
			d->v[to++] = d->v[i];
			continue;
		}
		dir_free(d->v[i].dir);
		free(d->v[i].name);
	}
	d->nr = to;
}

static bool is_no_note(const struct notes_entry *e, size_t left)
{
	return !is_note(e, left);
}

/* Directories that have been read, and hold nothing any more, go. */
static bool is_in_use(const struct notes_entry *e, size_t left)
{
	(void)left;
	return !e->dir || e->dir->nr;
}

/* ---- reading ---- */

static int parse_dir(struct notes_tree *t, const struct object_id *tree, struct notes_dir *d,
		     const struct object_buf *buf, struct err *err)
{
	struct tree_iter it;
	struct tree_entry e;
	const char *twice;
	int rc;

	tree_iter_init(&it, buf->data, buf->size, odb_algo(t->odb));
	while ((rc = tree_iter_next(&it, &e, err)) > 0) {
		ALLOC_GROW(d->v, d->nr + 1, d->alloc);
		d->v[d->nr++] = (struct notes_entry){ .name = xstrdup(e.name),
						      .mode = e.raw_mode, .oid = e.oid };
	}
	twice = dir_sort(d);
	return rc < 0 || !twice ? rc :
		err_set(err, ERR_CORRUPT, "tree %s has two entries '%s'", oid_hex(tree), twice);
}

static int gather_strays(struct notes_tree *t, struct notes_dir *d, size_t left, struct err *err);

static int read_dir(struct notes_tree *t, const struct object_id *tree, size_t left,
		    struct notes_dir **out, struct err *err)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	struct notes_dir *d = xcalloc(1, sizeof(*d));
	int rc = odb_read_type(t->odb, tree, OBJ_TREE, &buf, err);

	if (rc >= 0)
		rc = parse_dir(t, tree, d, &buf, err);
	if (rc >= 0 && t->access == NOTES_WRITABLE)
		rc = gather_strays(t, d, left, err);
	object_buf_release(&buf);
	if (rc < 0)
		dir_free(d);
	else
		*out = d;
	return rc;
}

static int read_entry(struct notes_tree *t, struct notes_entry *e, size_t left, struct err *err)
{
	return e->dir ? 0 : read_dir(t, &e->oid, left - 2, &e->dir, err);
}

static int read_top(struct notes_tree *t, struct err *err)
{
	if (!t->top && oid_is_null(&t->tree))
		t->top = xcalloc(1, sizeof(*t->top));
	return t->top ? 0 : read_dir(t, &t->tree, odb_algo(t->odb)->hex_len, &t->top, err);
}

int notes_tree_read(struct notes_tree *t, struct err *err)
{
	return read_top(t, err);
}

/* ---- all of them ---- */

struct notes_visit {
	struct notes_tree *t;
	int (*fn)(void *data, const struct object_id *oid, const struct object_id *note, struct err *err);
	void *data;
	char hex[HASH_MAX_HEX + 1];
};

static int visit_note(struct notes_visit *v, const struct notes_entry *e, size_t at, struct err *err)
{
	struct object_id oid;

	memcpy(v->hex + at, e->name, strlen(e->name) + 1);
	return oid_from_hex(&oid, v->hex, odb_algo(v->t->odb)) < 0 ? 0 : v->fn(v->data, &oid, &e->oid, err);
}

static int visit_dir(struct notes_visit *v, struct notes_dir *d, size_t left, struct err *err)
{
	size_t at = odb_algo(v->t->odb)->hex_len - left;
	int rc = 0;

	for (size_t i = 0; !rc && i < d->nr; i++) {
		struct notes_entry *e = &d->v[i];

		if (is_note(e, left)) {
			rc = visit_note(v, e, at, err);
		} else if (is_fanout(e, left)) {
			rc = read_entry(v->t, e, left, err);
			memcpy(v->hex + at, e->name, 2);
			if (!rc)
				rc = visit_dir(v, e->dir, left - 2, err);
		}
	}
	return rc;
}

int notes_tree_foreach(struct notes_tree *t,
		       int (*fn)(void *data, const struct object_id *oid, const struct object_id *note, struct err *err),
		       void *data, struct err *err)
{
	struct notes_visit v = { .t = t, .fn = fn, .data = data };
	int rc = read_top(t, err);

	return rc ? rc : visit_dir(&v, t->top, odb_algo(t->odb)->hex_len, err);
}

/* ---- finding and changing ---- */

/*
 * The directory to which a note belongs as the tree is now; *name loses the digits that lead
 * there.
 */
static int descend(struct notes_tree *t, struct notes_dir **d, const char **name, size_t left,
		   struct err *err)
{
	struct notes_entry *e;

	while ((e = find_fanout(*d, *name, left))) {
		int rc = read_entry(t, e, left, err);

		if (rc < 0)
			return rc;
		*d = e->dir;
		*name += 2;
		left -= 2;
	}
	return 0;
}

/* 1: found, below the directory that its digits name or beside it; 0; < 0. */
static int dir_lookup(struct notes_tree *t, struct notes_dir *d, const char *name, size_t left,
		      struct object_id *note, struct err *err)
{
	struct notes_entry *e = find_fanout(d, name, left);
	int rc = e ? read_entry(t, e, left, err) : 0;

	if (rc >= 0 && e)
		rc = dir_lookup(t, e->dir, name + 2, left - 2, note, err);
	if (rc)
		return rc;
	e = dir_find(d, name);
	if (!e || !is_note(e, left))
		return 0;
	*note = e->oid;
	return 1;
}

int notes_tree_find(struct notes_tree *t, const struct object_id *oid, struct object_id *note,
		    struct err *err)
{
	char hex[HASH_MAX_HEX + 1];
	int rc = read_top(t, err);

	oid_to_hex_r(hex, oid);
	return rc < 0 ? rc : dir_lookup(t, t->top, hex, strlen(hex), note, err);
}

/* Another kind of entry has the name that a note should get. */
static int err_in_the_way(const char *name, struct err *err)
{
	return err_set(err, ERR_CORRUPT, "'%s' is in the way of a note", name);
}

/* Put a note into its place below d. A second one for the same object is added to the first. */
static int dir_put(struct notes_tree *t, struct notes_dir *d, const char *name, size_t left,
		   const struct object_id *note, bool replace, struct err *err)
{
	struct notes_entry *e;
	int rc = descend(t, &d, &name, left, err);

	if (rc < 0)
		return rc;
	e = dir_find(d, name);
	if (e && !is_note(e, strlen(name)))
		return err_in_the_way(name, err);
	if (e && !replace && !oid_eq(&e->oid, note))
		return notes_concatenate(t->odb, &e->oid, note, &e->oid, err);
	if (!e) {
		e = dir_insert(d, name);
		e->mode = MODE_FILE;
	}
	e->oid = *note;
	return 0;
}

int notes_tree_put(struct notes_tree *t, const struct object_id *oid,
		   const struct object_id *note, struct err *err)
{
	char hex[HASH_MAX_HEX + 1];
	int rc = read_top(t, err);

	oid_to_hex_r(hex, oid);
	return rc < 0 ? rc : dir_put(t, t->top, hex, strlen(hex), note, true, err);
}

int notes_tree_remove(struct notes_tree *t, const struct object_id *oid, struct err *err)
{
	char hex[HASH_MAX_HEX + 1];
	const char *name = hex;
	struct notes_dir *d;
	struct notes_entry *e;
	int rc = read_top(t, err);

	oid_to_hex_r(hex, oid);
	d = t->top;
	if (rc >= 0)
		rc = descend(t, &d, &name, strlen(hex), err);
	e = rc >= 0 ? dir_find(d, name) : NULL;
	if (!e || !is_note(e, strlen(name)))
		return rc;
	free(e->name);
	memmove(e, e + 1, (d->v + d->nr - (e + 1)) * sizeof(*e));
	d->nr--;
	return 0;
}

/* ---- fan-out ---- */

static bool is_no_stray(const struct notes_entry *e, size_t left)
{
	(void)left;
	return e->mode;
}

/* Move each note that has a directory into it. */
static int gather_strays(struct notes_tree *t, struct notes_dir *d, size_t left, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < d->nr; i++) {
		struct notes_entry *e = &d->v[i];

		if (!is_note(e, left) || !find_fanout(d, e->name, left))
			continue;
		rc = dir_put(t, d, e->name, left, &e->oid, false, err);
		e->mode = 0;
	}
	if (!rc)
		dir_filter(d, left, is_no_stray);
	return rc;
}

/*
 * Counts the notes of a directory; one that has not been read counts as more than one, which is
 * enough for all callers.
 */
static size_t count_notes(const struct notes_entry *e, size_t left)
{
	size_t nr = 0;

	if (is_note(e, left))
		return 1;
	if (!is_fanout(e, left))
		return 0;
	if (!e->dir)
		return 2;
	for (size_t i = 0; i < e->dir->nr; i++)
		nr += count_notes(&e->dir->v[i], left - 2);
	return nr;
}

static bool wants_fanout(const struct notes_dir *d, size_t left)
{
	size_t nr[16] = { 0 };

	for (size_t i = 0; i < d->nr; i++) {
		size_t more = count_notes(&d->v[i], left);

		if (more)
			nr[hex_value((unsigned char)d->v[i].name[0])] += more;
		else if (has_name_of_fanout(&d->v[i], left) && !is_fanout(&d->v[i], left))
			return false; /* in the way of a directory */
	}
	for (size_t i = 0; i < ARRAY_SIZE(nr); i++)
		if (nr[i] < 2)
			return false;
	return left > 2;
}

/* Make the directories that are missing, and move the notes there. */
static int spread(struct notes_tree *t, struct notes_dir *d, size_t left, struct err *err)
{
	size_t old_nr = d->nr;

	for (size_t i = 0; i < old_nr; i++) {
		const char *name = d->v[i].name;
		const struct notes_entry *last = &d->v[d->nr - 1];

		/* All notes of a directory follow one another. */
		if (!is_note(&d->v[i], left) || (d->nr > old_nr && !strncmp(last->name, name, 2)))
			continue;
		ALLOC_GROW(d->v, d->nr + 1, d->alloc);
		d->v[d->nr++] = (struct notes_entry){ .name = xstrndup(name, 2),
						      .mode = MODE_TREE,
						      .dir = xcalloc(1, sizeof(*d)) };
	}
	if (dir_sort(d))
		BUG("a directory of notes is made twice");
	return gather_strays(t, d, left, err);
}

/* Move the notes of a directory, which has no directories of notes below it, to the one above. */
static void move_up(struct notes_dir *to, const char *digits, struct notes_dir *from, size_t left)
{
	for (size_t i = 0; i < from->nr; i++) {
		struct notes_entry *e = &from->v[i];

		if (!is_note(e, left))
			continue;
		ALLOC_GROW(to->v, to->nr + 1, to->alloc);
		to->v[to->nr] = *e;
		to->v[to->nr++].name = xconcat(digits, e->name);
	}
	dir_filter(from, left, is_no_note);
}

/* All notes below d into d. */
static int collect(struct notes_tree *t, struct notes_dir *d, size_t left, struct err *err)
{
	size_t old_nr = d->nr;
	const char *twice;
	int rc = 0;

	for (size_t i = 0; !rc && i < old_nr; i++) {
		if (!is_fanout(&d->v[i], left))
			continue;
		rc = read_entry(t, &d->v[i], left, err);
		if (!rc)
			rc = collect(t, d->v[i].dir, left - 2, err);
		if (!rc)
			move_up(d, d->v[i].name, d->v[i].dir, left - 2);
	}
	dir_filter(d, left, is_in_use);
	twice = dir_sort(d);
	return rc || !twice ? rc : err_in_the_way(twice, err);
}

static int arrange(struct notes_tree *t, struct notes_dir *d, size_t left, struct err *err)
{
	int rc;

	if (!wants_fanout(d, left))
		return collect(t, d, left, err);
	rc = spread(t, d, left, err);
	for (size_t i = 0; !rc && i < d->nr; i++)
		if (d->v[i].dir)
			rc = arrange(t, d->v[i].dir, left - 2, err);
	dir_filter(d, left, is_in_use);
	return rc;
}

/* ---- writing ---- */

static int entry_cmp_tree(const void *a, const void *b)
{
	const struct notes_entry *x = *(const struct notes_entry *const *)a;
	const struct notes_entry *y = *(const struct notes_entry *const *)b;

	return tree_entry_cmp(x->name, strlen(x->name), x->mode, y->name, strlen(y->name),
			      y->mode);
}

static void compose(const struct notes_dir *d, struct strbuf *out)
{
	const struct notes_entry **sorted;

	ALLOC_ARRAY(sorted, d->nr + 1);
	for (size_t i = 0; i < d->nr; i++)
		sorted[i] = &d->v[i];
	qsort(sorted, d->nr, sizeof(*sorted), entry_cmp_tree);
	for (size_t i = 0; i < d->nr; i++)
		tree_append(out, sorted[i]->mode, sorted[i]->name, strlen(sorted[i]->name),
			    &sorted[i]->oid);
	free(sorted);
}

static int write_dir(struct notes_tree *t, struct notes_dir *d, struct object_id *out,
		     struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int rc = 0;

	for (size_t i = 0; !rc && i < d->nr; i++)
		if (d->v[i].dir)
			rc = write_dir(t, d->v[i].dir, &d->v[i].oid, err);
	if (!rc) {
		compose(d, &text);
		rc = odb_write(t->odb, OBJ_TREE, text.buf, text.len, out, err);
	}
	strbuf_release(&text);
	return rc;
}

int notes_tree_write(struct notes_tree *t, struct object_id *out, struct err *err)
{
	int rc = read_top(t, err);

	if (!rc)
		rc = arrange(t, t->top, odb_algo(t->odb)->hex_len, err);
	return rc ? rc : write_dir(t, t->top, out, err);
}

/* ---- texts ---- */

int notes_concatenate(struct odb *odb, const struct object_id *first,
		      const struct object_id *second, struct object_id *out, struct err *err)
{
	struct object_buf a = OBJECT_BUF_INIT, b = OBJECT_BUF_INIT;
	struct strbuf text = STRBUF_INIT;
	int rc;

	if ((rc = odb_read_type(odb, first, OBJ_BLOB, &a, err)) < 0 ||
	    (rc = odb_read_type(odb, second, OBJ_BLOB, &b, err)) < 0)
		goto out;
	if (!a.size || !b.size) {
		*out = a.size ? *first : *second;
		goto out;
	}
	strbuf_add(&text, a.data, a.size);
	strbuf_complete_line(&text);
	strbuf_addch(&text, '\n');
	strbuf_add(&text, b.data, b.size);
	rc = odb_write(odb, OBJ_BLOB, text.buf, text.len, out, err);
out:
	object_buf_release(&a);
	object_buf_release(&b);
	strbuf_release(&text);
	return rc;
}

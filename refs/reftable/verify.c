/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The checks of git refs verify and git fsck: lists, names of tables, every block and record of every table, and every
 * ref that counts. Readers go only as far as they need; here a damaged table does not hide the faults of the next one.
 */
#include "compat/posix.h"
#include "fs/file.h"
#include "object/fsck.h"
#include "refs/reftable/reftable-internal.h"
#include "refs/root-refs.h"
#include "util/alloc.h"
#include "util/path.h"

#define LIST_BYTES_MAX ((size_t)16 << 20)
/* So often a list is read again if a table is gone, because another process may have replaced both. */
#define LIST_TRIES 5

struct table_verify {
	struct ref_verify base;
	struct ref_store *rs;
	const char *prefix; /* of names: "", "worktrees/ID/" */
	uint64_t last_index; /* of the table before */
	struct strbuf valid_dir; /* "refs/heads/": the last valid name up to its last component */
	bool damaged;
	bool odd; /* a table is unusual, or holds a ref that is wrong if it counts */
};

static void check_ref(struct table_verify *v, const struct reftable_record *rec);

static void report_table(struct table_verify *v, const char *name, const char *fmt, const char *why)
{
	char *where = xconcat(v->prefix, name);

	v->damaged = true;
	ref_verify_report(&v->base, where, "badReftable", fmt, why);
	free(where);
}

/* ---- names: "0xMIN-0xMAX-RANDOM.ref", gitformat-reftable(5) ---- */

static bool skip_hex(const char **p, size_t min)
{
	size_t n = strspn(*p, "0123456789abcdef");

	*p += n;
	return n >= min;
}

static bool is_usual_name(const char *name)
{
	return skip_prefix(name, "0x", &name) && skip_hex(&name, 12) && skip_prefix(name, "-0x", &name) && skip_hex(&name, 12) &&
	       skip_prefix(name, "-", &name) && skip_hex(&name, 1) && (!strcmp(name, ".ref") || !strcmp(name, ".log"));
}

static void check_table_name(struct table_verify *v, const char *name)
{
	char *where = xconcat(v->prefix, name);

	if (!is_usual_name(name))
		ref_verify_report(&v->base, where, "badReftableTableName", "invalid reftable table name");
	free(where);
}

/* ---- one table ---- */

static int check_records(struct reftable *t, enum block_type type, struct err *err)
{
	struct table_iter it = TABLE_ITER_INIT;
	int rc = table_iter_seek(&it, t, type, NULL, 0, err);

	while (!rc && (rc = table_iter_next(&it, err)) > 0)
		rc = 0;
	table_iter_release(&it);
	return rc;
}

/* From the index, the first record whose key is not less than `key` is the one with the key `want` (NULL: there is none). */
static int check_seek(struct table_iter *found, struct reftable *t, const struct strbuf *key, const struct strbuf *want,
		      struct err *err)
{
	int rc = table_iter_seek(found, t, BLOCK_REF, key->buf, key->len, err);

	if (!rc)
		rc = table_iter_next(found, err);
	if (rc < 0)
		return rc;
	if (want ? !rc || reftable_key_cmp(&found->cursor.rec.key, want->buf, want->len) : rc)
		return err_set(err, ERR_CORRUPT, "reftable '%s': its index does not lead to '%s'", t->path, want ? want->buf : "its end");
	return 0;
}

/* Each ref is found from the index, too, and from a name that would come before it. */
static int check_index(struct reftable *t, struct err *err)
{
	struct table_iter all = TABLE_ITER_INIT, found = TABLE_ITER_INIT;
	const struct strbuf *key = &all.cursor.rec.key;
	struct strbuf behind = STRBUF_INIT; /* the least key that is larger than that of the last record */
	uint64_t at = 0;
	int rc = table_iter_seek(&all, t, BLOCK_REF, NULL, 0, err);

	while (!rc && (rc = table_iter_next(&all, err)) > 0) {
		rc = check_seek(&found, t, key, key, err);
		if (!rc && all.block.at != at)
			rc = check_seek(&found, t, &behind, key, err);
		at = all.block.at;
		strbuf_reset(&behind);
		strbuf_addbuf(&behind, key);
		strbuf_addch(&behind, '\0');
	}
	if (!rc && behind.len)
		rc = check_seek(&found, t, &behind, NULL, err);
	table_iter_release(&all);
	table_iter_release(&found);
	strbuf_release(&behind);
	return rc;
}

static void note_odd(void *odd, const struct ref_finding *f)
{
	(void)f;
	*(bool *)odd = true;
}

static void look_at_ref(void *data, const struct reftable_record *rec)
{
	if (rec->ref.type != REF_VALUE_DELETED)
		check_ref(data, rec);
}

/* Whether a ref counts depends on the tables above; here it is looked at in passing. */
static bool refs_are_sound(struct table_verify *v, struct reftable *t)
{
	struct ref_verify_options o = { .checks = v->base.o->checks, .report = note_odd, .data = &v->odd };
	struct table_verify look = { .base = { .o = &o }, .rs = v->rs, .prefix = "", .valid_dir = STRBUF_INIT };
	bool sound = reftable_refs_are_sound(t, look_at_ref, &look);

	strbuf_release(&look.valid_dir);
	v->odd |= !sound;
	return sound;
}

/* Ref by ref only if something is unusual: the first fault then has its message. */
static void check_table_content(struct table_verify *v, struct reftable *t)
{
	static const enum block_type types[] = { BLOCK_REF, BLOCK_OBJ, BLOCK_LOG };
	bool sound = refs_are_sound(v, t);
	struct err why = ERR_INIT;
	int rc = 0;

	if (t->min_update_index <= v->last_index)
		report_table(v, t->name, "%s", "its update indexes do not follow those of the table before");
	v->last_index = t->max_update_index;
	for (size_t i = sound; !rc && i < ARRAY_SIZE(types); i++)
		rc = check_records(t, types[i], &why);
	if (!rc && !sound)
		rc = check_index(t, &why);
	if (rc < 0)
		report_table(v, t->name, "%s", err_message(&why));
	err_release(&why);
}

/* ERR_NOT_FOUND: it is gone. */
static int check_table(struct table_verify *v, const char *dir, const char *name)
{
	char *path = path_join(dir, name), *what = xconcat("table: ", name);
	struct reftable *t = NULL;
	struct err why = ERR_INIT;
	int rc = reftable_open(&t, path, v->rs->algo, &why);

	if (rc != ERR_NOT_FOUND) {
		ref_verify_checking(&v->base, what);
		check_table_name(v, name);
	}
	if (!rc)
		check_table_content(v, t);
	else if (rc != ERR_NOT_FOUND)
		report_table(v, name, "%s", err_message(&why));
	reftable_put(t);
	err_release(&why);
	free(what);
	free(path);
	return rc == ERR_NOT_FOUND ? rc : 0;
}

/* ---- the list ---- */

static void report_list(struct table_verify *v, const char *fmt, const char *arg)
{
	char *where = xconcat(v->prefix, "reftable/tables.list");

	v->damaged = true;
	ref_verify_report(&v->base, where, "badReftableList", fmt, arg);
	free(where);
}

/* The missing table, or NULL. Lines before *from have been checked. */
static const char *check_lines(struct table_verify *v, const char *dir, struct string_list *lines, size_t *from)
{
	for (; *from < lines->nr; ++*from) {
		const char *name = lines->items[*from].string;

		if (!*name || *name == '.' || strchr(name, '/'))
			report_list(v, "malformed line '%s'", name);
		else if (check_table(v, dir, name) == ERR_NOT_FOUND)
			return name;
	}
	return NULL;
}

static int read_list(struct strbuf *text, const char *path, struct err *err)
{
	int rc;

	strbuf_reset(text);
	rc = read_file(text, path, LIST_BYTES_MAX, err);
	return rc == ERR_NOT_FOUND ? 0 : rc;
}

static void split_list(struct table_verify *v, const struct strbuf *text, struct string_list *lines)
{
	if (strlen(text->buf) != text->len)
		report_list(v, "%s", "it has a NUL in it");
	if (text->len && text->buf[text->len - 1] != '\n')
		report_list(v, "%s", "its last line does not end");
	string_list_split(lines, text->buf, "\n");
	if (lines->nr && !*lines->items[lines->nr - 1].string)
		free(lines->items[--lines->nr].string);
}

static int check_list(struct table_verify *v, const struct reftable_stack *s, struct err *err)
{
	struct strbuf text = STRBUF_INIT, again = STRBUF_INIT;
	const char *missing = NULL;
	int rc = read_list(&text, s->list_path, err);

	for (int try = 0; !rc && try < LIST_TRIES; try++) {
		struct string_list lines = STRING_LIST_INIT;
		size_t from = 0;

		v->last_index = 0;
		split_list(v, &text, &lines);
		while ((missing = check_lines(v, s->dir, &lines, &from))) {
			rc = read_list(&again, s->list_path, err);
			if (rc < 0 || strcmp(text.buf, again.buf))
				break;
			report_list(v, "names the missing table '%s'", missing);
			from++;
		}
		strbuf_swap(&text, &again);
		string_list_clear(&lines, NULL);
		if (!missing)
			break;
	}
	strbuf_release(&text);
	strbuf_release(&again);
	return rc;
}

/* ---- refs ---- */

static void report_ref(struct table_verify *v, const char *bare, const char *msg_id, const char *fmt, const char *arg)
{
	char *where = xconcat(v->prefix, bare);

	ref_verify_report(&v->base, where, msg_id, fmt, arg);
	free(where);
}

static void check_ref(struct table_verify *v, const struct reftable_record *rec)
{
	const struct ref_record *r = &rec->ref;
	const struct object_id *null_oid = &v->rs->algo->null_oid;
	const char *bare = rec->key.buf;

	if (!refname_is_valid_after(&v->valid_dir, bare, rec->key.len, 0) && !refname_is_root_ref(bare))
		report_ref(v, bare, "badRefName", "%s", "invalid refname format");
	if (r->type == REF_VALUE_SYMREF) {
		char *target = xmemdupz(r->target, r->target_len), *where = xconcat(v->prefix, bare);

		ref_verify_target(&v->base, where, bare, target);
		free(where);
		free(target);
		return;
	}
	if (!memcmp(r->oid, null_oid->hash, v->rs->algo->raw_len))
		report_ref(v, bare, "badRefOid", "points to invalid object ID '%s'", oid_hex(null_oid));
}

static int check_refs(struct table_verify *v, struct reftable_stack *s, struct err *err)
{
	struct merged_iter m = MERGED_ITER_INIT;
	const struct reftable_record *rec;
	int rc = reftable_stack_reload(s, err);

	merged_iter_start(&m, BLOCK_REF, s->tables, s->nr);
	if (!rc)
		rc = merged_iter_seek(&m, NULL, 0, err);
	while (!rc && (rc = merged_iter_next(&m, &rec, err)) > 0) {
		check_ref(v, rec);
		rc = 0;
	}
	merged_iter_release(&m);
	return rc;
}

/* ---- stacks ---- */

static int check_stack(struct table_verify *v, struct reftable_stack *s, const char *prefix, struct err *err)
{
	int rc;

	v->prefix = prefix;
	v->damaged = v->odd = false;
	rc = check_list(v, s, err);
	return rc < 0 || v->damaged || !v->odd ? rc : check_refs(v, s, err);
}

static int check_worktree_stack(struct table_verify *v, const char *id, struct err *err)
{
	char *name = xstrfmt("worktrees/%s/HEAD", id), *prefix = xstrfmt("worktrees/%s/", id);
	const char *bare;
	struct reftable_stack *s = reftable_stack_of(v->rs, name, &bare);
	int rc = s == reftable_store(v->rs)->own ? 0 : check_stack(v, s, prefix, err);

	free(prefix);
	free(name);
	return rc;
}

int reftable_verify(struct ref_store *rs, const struct ref_verify_options *o, size_t *errors, struct err *err)
{
	struct table_verify v = { .base = { .o = o }, .rs = rs, .valid_dir = STRBUF_INIT };
	struct reftable_store *st = reftable_store(rs);
	struct string_list ids = STRING_LIST_INIT;
	int rc = check_stack(&v, st->own, "", err);

	if (!rc && st->shared != st->own)
		rc = check_stack(&v, st->shared, "", err);
	if (!rc)
		rc = worktree_ids(st->commondir, &ids, err);
	for (size_t i = 0; !rc && i < ids.nr; i++)
		rc = check_worktree_stack(&v, ids.items[i].string, err);
	string_list_clear(&ids, NULL);
	strbuf_release(&v.valid_dir);
	if (!rc)
		*errors = v.base.errors;
	return rc;
}

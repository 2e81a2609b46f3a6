/* SPDX-License-Identifier: GPL-2.0-only */
/* The notes of three trees side by side. */
#include "compat/posix.h"
#include "merge/texts.h"
#include "notes/notes-merge-internal.h"
#include "util/alloc.h"

void notes_merge_say(const struct notes_merge *m, int level, const char *fmt, ...)
{
	struct strbuf line = STRBUF_INIT;
	va_list ap;

	if (m->verbosity < level)
		return;
	va_start(ap, fmt);
	strbuf_vaddf(&line, fmt, ap);
	va_end(ap);
	m->report(m->data, line.buf);
	strbuf_release(&line);
}

struct note_list {
	struct notes_pair_of {
		struct object_id oid, note;
	} *v;
	size_t nr, alloc, at;
};

static int add_note(void *data, const struct object_id *oid, const struct object_id *note, struct err *err UNUSED)
{
	struct note_list *l = data;

	/* A note that lies beside the directory of another one for the same object: the first counts. */
	if (l->nr && oid_eq(&l->v[l->nr - 1].oid, oid))
		return 0;
	ALLOC_GROW(l->v, l->nr + 1, l->alloc);
	l->v[l->nr++] = (struct notes_pair_of){ *oid, *note };
	return 0;
}

static int read_notes(struct odb *odb, const struct object_id *tree, struct note_list *out, struct err *err)
{
	struct notes_tree *t = notes_tree_new(odb, tree, NOTES_READ_ONLY);
	int rc = notes_tree_foreach(t, add_note, out, err);

	notes_tree_free(t);
	return rc;
}

/* The note of that object, which the list has come to; null if it has none. */
static struct object_id take_note(struct note_list *l, const struct object_id *oid, const struct object_id *null_oid)
{
	while (l->at < l->nr && oid_cmp(&l->v[l->at].oid, oid) < 0)
		l->at++;
	return l->at < l->nr && oid_eq(&l->v[l->at].oid, oid) ? l->v[l->at].note : *null_oid;
}

/* The next object that the base or the remote side has a note for. */
static bool next_object(const struct note_list *base, const struct note_list *remote, struct object_id *oid)
{
	bool b = base->at < base->nr, r = remote->at < remote->nr;

	if (!b && !r)
		return false;
	*oid = b && (!r || oid_cmp(&base->v[base->at].oid, &remote->v[remote->at].oid) < 0) ?
		base->v[base->at].oid : remote->v[remote->at].oid;
	return true;
}

static void pass(struct note_list *l, const struct object_id *oid)
{
	if (l->at < l->nr && oid_eq(&l->v[l->at].oid, oid))
		l->at++;
}

static void compare_lists(struct note_list *base, struct note_list *local, struct note_list *remote,
			  const struct object_id *null_oid, struct notes_change **out, size_t *nr)
{
	struct notes_change c;
	size_t alloc = 0;

	while (next_object(base, remote, &c.oid)) {
		c.base = take_note(base, &c.oid, null_oid);
		c.local = take_note(local, &c.oid, null_oid);
		c.remote = take_note(remote, &c.oid, null_oid);
		pass(base, &c.oid);
		pass(remote, &c.oid);
		if (oid_eq(&c.base, &c.remote) || oid_eq(&c.local, &c.remote))
			continue;
		ALLOC_GROW(*out, *nr + 1, alloc);
		(*out)[(*nr)++] = c;
	}
}

int notes_merge_changes(struct odb *odb, const struct object_id *base, const struct object_id *local,
			const struct object_id *remote, struct notes_change **out, size_t *nr, struct err *err)
{
	struct note_list lists[3] = { 0 };
	int rc = read_notes(odb, base, &lists[0], err);

	if (!rc)
		rc = read_notes(odb, local, &lists[1], err);
	if (!rc)
		rc = read_notes(odb, remote, &lists[2], err);
	if (!rc)
		compare_lists(&lists[0], &lists[1], &lists[2], &odb_algo(odb)->null_oid, out, nr);
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		free(lists[i].v);
	return rc;
}

/* ---- one note ---- */

static int read_side(const struct notes_merge *m, const struct object_id *oid, struct object_buf *buf,
		     struct merge3_text *side, struct err *err)
{
	int rc = oid_is_null(oid) ? 0 : odb_read_type(m->repo->odb, oid, OBJ_BLOB, buf, err);

	if (rc >= 0 && !oid_is_null(oid)) {
		side->text = buf->data;
		side->len = buf->size;
	} else {
		side->text = "";
	}
	return rc;
}

static bool is_binary(const struct merge3_text *t)
{
	return memchr(t->text, '\0', t->len < 8000 ? t->len : 8000) != NULL;
}

int notes_merge_text(const struct notes_merge *m, const struct notes_change *c, struct strbuf *out, struct err *err)
{
	struct object_buf buf[3] = { OBJECT_BUF_INIT, OBJECT_BUF_INIT, OBJECT_BUF_INIT };
	struct merge3 texts = MERGE3_INIT;
	const struct object_id *const sides[3] = { [MERGE3_OURS] = &c->local, [MERGE3_BASE] = &c->base,
						   [MERGE3_THEIRS] = &c->remote };
	bool binary = false;
	int rc = 0;

	for (int i = 0; rc >= 0 && i < 3; i++) {
		rc = read_side(m, sides[i], &buf[i], &texts.side[i], err);
		binary |= rc >= 0 && is_binary(&texts.side[i]);
	}
	texts.side[MERGE3_OURS].label = m->local;
	texts.side[MERGE3_THEIRS].label = m->remote;
	if (rc >= 0 && binary) {
		char *line = xstrfmt("Cannot merge binary files: %s (%s vs. %s)", oid_hex(&c->oid), m->local, m->remote);

		m->warn(m->data, line);
		free(line);
		strbuf_add(out, texts.side[MERGE3_OURS].text, texts.side[MERGE3_OURS].len);
	} else if (rc >= 0) {
		(void)merge3_texts(&texts, out);
	}
	for (int i = 0; i < 3; i++)
		object_buf_release(&buf[i]);
	return rc < 0 ? rc : 0;
}

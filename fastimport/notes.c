/* SPDX-License-Identifier: GPL-2.0-only */
/* Trees of notes: a path is the hex name of a commit, cut by slashes as often as the number of notes asks for. */
#include "compat/posix.h"
#include "fastimport/fastimport-internal.h"
#include "object/tree.h"
#include "util/alloc.h"

unsigned import_fanout(uint64_t nr)
{
	unsigned fanout = 0;

	while (nr >>= 8)
		fanout++;
	return fanout;
}

static void note_path(struct strbuf *out, const char *hex, unsigned fanout)
{
	strbuf_reset(out);
	for (; fanout; fanout--, hex += 2)
		strbuf_addf(out, "%.2s/", hex);
	strbuf_addstr(out, hex);
}

struct note_move {
	struct strvec from;
	struct strvec hex;
};

/* Collects the paths of all notes. */
static int find_notes(struct fast_import *fi, struct import_entry *dir, struct strbuf *path, struct note_move *m,
		      struct err *err)
{
	size_t len = path->len, hex_len = fi->repo->algo->hex_len;
	int rc = import_tree_load(fi, dir, err);

	for (size_t i = 0; !rc && i < dir->tree->nr; i++) {
		struct import_entry *e = dir->tree->v[i];

		strbuf_addstr(path, e->name);
		if (MODE_IS_TREE(e->mode) && e->name_len == 2) {
			strbuf_addch(path, '/');
			rc = find_notes(fi, e, path, m, err);
		} else if (!MODE_IS_TREE(e->mode)) {
			char *hex = xstrdup(path->buf), *w = hex;

			for (const char *r = hex; *r; r++)
				if (*r != '/')
					*w++ = *r;
			*w = '\0';
			if (strlen(hex) == hex_len && strspn(hex, "0123456789abcdef") == hex_len) {
				strvec_push(&m->from, path->buf);
				strvec_push(&m->hex, hex);
			}
			free(hex);
		}
		strbuf_setlen(path, len);
	}
	return rc;
}

static int count_notes(struct fast_import *fi, struct import_branch *b, struct err *err)
{
	struct note_move m = { STRVEC_INIT, STRVEC_INIT };
	struct strbuf path = STRBUF_INIT;
	int rc = b->fanout_known ? 0 : find_notes(fi, b->root, &path, &m, err);

	if (!rc && !b->fanout_known) {
		b->nr_notes = m.from.nr;
		b->fanout = import_fanout(b->nr_notes);
		b->fanout_known = true;
	}
	strvec_clear(&m.from);
	strvec_clear(&m.hex);
	strbuf_release(&path);
	return rc;
}

int import_note_put(struct fast_import *fi, struct import_branch *b, const struct object_id *commit,
		    const struct object_id *note, struct err *err)
{
	struct import_leaf leaf = { MODE_FILE, *note, NULL };
	struct strbuf path = STRBUF_INIT;
	int rc = count_notes(fi, b, err);

	if (!rc) {
		note_path(&path, oid_hex(commit), b->fanout);
		rc = import_tree_remove(fi, b->root, path.buf, NULL, err);
	}
	if (rc > 0)
		b->nr_notes--;
	if (rc >= 0 && !oid_is_null(note)) {
		b->nr_notes++;
		rc = import_tree_set(fi, b->root, path.buf, &leaf, err);
	}
	strbuf_release(&path);
	return rc < 0 ? rc : 0;
}

/* Before the commit: all notes move, if their number now asks for another depth. */
int import_notes_settle_fanout(struct fast_import *fi, struct import_branch *b, struct err *err)
{
	unsigned wanted = import_fanout(b->nr_notes);
	struct note_move m = { STRVEC_INIT, STRVEC_INIT };
	struct strbuf path = STRBUF_INIT;
	int rc;

	if (!b->fanout_known || wanted == b->fanout)
		return 0;
	rc = find_notes(fi, b->root, &path, &m, err);
	for (size_t i = 0; rc >= 0 && i < m.from.nr; i++) {
		struct import_leaf leaf = { 0 };

		note_path(&path, m.hex.v[i], wanted);
		if (!strcmp(path.buf, m.from.v[i]))
			continue;
		rc = import_tree_remove(fi, b->root, m.from.v[i], &leaf, err);
		if (rc > 0)
			rc = import_tree_set(fi, b->root, path.buf, &leaf, err);
		import_tree_free(leaf.tree);
	}
	b->fanout = wanted;
	strvec_clear(&m.from);
	strvec_clear(&m.hex);
	strbuf_release(&path);
	return rc < 0 ? rc : 0;
}

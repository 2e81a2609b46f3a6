/* SPDX-License-Identifier: GPL-2.0-only */
/* A commit: the new blobs first, then its headers, its message and what it changes. */
#include "compat/posix.h"
#include "builtin/stream/export.h"
#include "object/commit.h"
#include "object/tree.h"
#include "sign/sign.h"
#include "util/alloc.h"
#include "util/quote.h"
#include "util/utf8.h"

/* ---- blobs ---- */

static int print_piece(void *data, const void *p, size_t len, struct err *err)
{
	(void)data;
	return fwrite(p, 1, len, stdout) == len ? 0 : err_set_errno(err, "cannot write to standard output");
}

static void begin_blob(struct fast_export *x, const struct object_id *oid)
{
	printf("blob\n");
	export_mark_next(x, oid, OBJ_BLOB);
	export_original_id(x, oid);
}

static int print_blob(struct fast_export *x, const struct object_id *oid, struct err *err)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	enum object_type type;
	uint64_t size;
	int rc = odb_type(x->repo->odb, oid, &type, &size, err);

	if (!rc && size > x->repo->settings.big_file_threshold) {
		begin_blob(x, oid);
		printf("data %" PRIu64 "\n", size);
		return odb_stream(x->repo->odb, oid, print_piece, NULL, err);
	}
	if (!rc)
		rc = odb_read_type(x->repo->odb, oid, OBJ_BLOB, &buf, err);
	if (!rc) {
		begin_blob(x, oid);
		export_data(buf.data, buf.size);
	}
	object_buf_release(&buf);
	return rc;
}

int export_blob(struct fast_export *x, const struct object_id *oid, struct err *err)
{
	int rc = 0;

	if (x->no_data || export_mark_of(x, oid))
		return 0;
	if (x->anonymous) {
		struct strbuf text = STRBUF_INIT;

		anonymize_blob(&x->anon, &text);
		begin_blob(x, oid);
		export_data(text.buf, text.len);
		strbuf_release(&text);
	} else {
		rc = print_blob(x, oid, err);
	}
	if (!rc) {
		putchar('\n');
		export_progress(x);
	}
	return rc;
}

/* ---- changes ---- */

static const char *name_of(const struct diff_pair *p)
{
	return p->old->mode ? p->old->path : p->new->path;
}

/* Paths in a directory come before a file of the directory's name; a rename comes after other changes of its source. */
static int cmp_changes(const void *va, const void *vb)
{
	const struct diff_pair *a = *(struct diff_pair *const *)va, *b = *(struct diff_pair *const *)vb;
	const char *x = name_of(a), *y = name_of(b);
	size_t nx = strlen(x), ny = strlen(y);
	int cmp = memcmp(x, y, nx < ny ? nx : ny);

	if (cmp)
		return cmp;
	if (nx != ny)
		return nx > ny ? -1 : 1;
	return (a->status == DIFF_STATUS_RENAMED) - (b->status == DIFF_STATUS_RENAMED);
}

static void print_path(struct fast_export *x, const char *path)
{
	struct strbuf text = STRBUF_INIT, shown = STRBUF_INIT;

	if (x->anonymous)
		anonymize_path(&x->anon, path, &text);
	else
		strbuf_addstr(&text, path);
	if (!quote_c_style(&shown, text.buf, text.len, x->repo->settings.quote_path) && strchr(text.buf, ' '))
		printf("\"%s\"", text.buf);
	else
		fputs(shown.buf, stdout);
	strbuf_release(&text);
	strbuf_release(&shown);
}

/* The mark; 0: the name of the object. */
static void add_mark_or_id(struct fast_export *x, uint64_t mark, const struct object_id *oid, struct strbuf *out)
{
	if (mark)
		strbuf_addf(out, ":%" PRIu64, mark);
	else if (x->anonymous)
		anonymize_id(&x->anon, oid, out);
	else
		strbuf_addstr(out, oid_hex(oid));
}

static void print_new(struct fast_export *x, const struct diff_file *f)
{
	struct strbuf id = STRBUF_INIT;

	/* A commit of this repository may be that of a gitlink as well, by chance. */
	add_mark_or_id(x, MODE_IS_GITLINK(f->mode) ? 0 : export_mark_of(x, &f->oid), &f->oid, &id);
	printf("M %06o %s ", f->mode, id.buf);
	print_path(x, f->path);
	putchar('\n');
	strbuf_release(&id);
}

/* What the lines that have been printed for a commit have done to the importer's tree. */
struct done {
	struct strset changed; /* paths that have a new content, or are gone */
	struct strset dirs;    /* directories that lead to new files */
};

/* Calls fn for "a/b" and "a", if path is "a/b/c". True: it was so for one of them. */
static bool any_parent(const char *path, bool (*fn)(struct strset *s, const char *parent), struct strset *s)
{
	char *parent = xstrdup(path), *slash;
	bool found = false;

	while (!found && (slash = strrchr(parent, '/'))) {
		*slash = '\0';
		found = fn(s, parent);
	}
	free(parent);
	return found;
}

static bool contains(struct strset *s, const char *parent)
{
	return strset_contains(s, parent);
}

static bool add_dir(struct strset *s, const char *parent)
{
	return !strset_add(s, parent); /* those above are in it as well, then */
}

/* Is the source of a rename or a copy what it was before the commit, or has it got a new content, or gone? */
static bool is_untouched(struct done *done, const char *path)
{
	return !strset_contains(&done->changed, path) && !strset_contains(&done->dirs, path) &&
	       !any_parent(path, contains, &done->changed);
}

static void note_new(struct done *done, const char *path)
{
	(void)strset_add(&done->changed, path);
	any_parent(path, add_dir, &done->dirs);
}

static void print_deletion(struct fast_export *x, const char *path, struct done *done)
{
	printf("D ");
	print_path(x, path);
	putchar('\n');
	(void)strset_add(&done->changed, path);
}

static void print_change(struct fast_export *x, const struct diff_pair *p, struct done *done)
{
	bool moved = p->status == DIFF_STATUS_RENAMED || p->status == DIFF_STATUS_COPIED;

	if (moved && is_untouched(done, p->old->path)) {
		printf("%c ", p->status);
		print_path(x, p->old->path);
		putchar(' ');
		print_path(x, p->new->path);
		putchar('\n');
		moved = oid_eq(&p->old->oid, &p->new->oid) && p->old->mode == p->new->mode;
	} else {
		moved = false;
	}
	if (!moved)
		print_new(x, p->new);
	note_new(done, p->new->path);
}

/* A file whose name becomes that of a directory is deleted first: later, the deletion would take the directory with it. */
static void print_sorted(struct fast_export *x, const struct diff_queue *q, struct done *done)
{
	struct strset new_dirs = STRSET_INIT;

	for (size_t i = 0; i < q->nr; i++)
		if (q->pairs[i]->status != DIFF_STATUS_DELETED)
			any_parent(q->pairs[i]->new->path, add_dir, &new_dirs);
	for (int first = 1; first >= 0; first--)
		for (size_t i = 0; i < q->nr; i++) {
			const struct diff_pair *p = q->pairs[i];

			if (p->status == DIFF_STATUS_DELETED && strset_contains(&new_dirs, p->old->path) == first)
				print_deletion(x, p->old->path, done);
			else if (p->status != DIFF_STATUS_DELETED && !first)
				print_change(x, p, done);
		}
	strset_clear(&new_dirs);
}

static int print_changes(struct fast_export *x, struct diff_queue *q, struct err *err)
{
	struct done done = { STRSET_INIT, STRSET_INIT };
	int rc = diff_process(q, &x->log.diff, err);

	if (!rc && q->nr)
		qsort(q->pairs, q->nr, sizeof(*q->pairs), cmp_changes);
	if (!rc)
		print_sorted(x, q, &done);
	strset_clear(&done.changed);
	strset_clear(&done.dirs);
	return rc;
}

/* The tree that the importer has before the changes of the commit; NULL: an empty one. */
static int base_tree(struct fast_export *x, const struct commit *c, const struct object_id **out, struct err *err)
{
	struct commit *p = c->nr_parents ? c->parents[0] : NULL;
	int rc = 0;

	*out = NULL;
	if (!p || x->full_tree || (!x->reference_parents && !export_mark_of(x, &p->oid)))
		return 0;
	rc = commit_parse_node(x->walk->pool, p, err);
	*out = &p->tree;
	return rc;
}

static int find_changes(struct fast_export *x, const struct commit *c, struct diff_queue *q, struct err *err)
{
	const struct object_id *base;
	int rc = base_tree(x, c, &base, err);

	if (!rc)
		rc = diff_trees(q, &x->log.diff, base, &c->tree, err);
	for (size_t i = 0; !rc && i < q->nr; i++)
		if (q->pairs[i]->new->mode && !MODE_IS_GITLINK(q->pairs[i]->new->mode))
			rc = export_blob(x, &q->pairs[i]->new->oid, err);
	return rc;
}

/* ---- headers ---- */

/* Appends the lines of the stream for each signature of that header. Returns how many there are. */
static unsigned add_signatures(const char *buf, size_t len, const char *header, const char *algo, struct strbuf *out)
{
	struct strbuf sig = STRBUF_INIT;
	size_t pos = 0;
	unsigned nr = 0;

	for (; commit_next_header(buf, len, &pos, header, &sig); nr++) {
		const char *format = signature_format(sig.buf);

		strbuf_addf(out, "gpgsig %s %s\ndata %zu\n", algo, format ? format : "unknown", sig.len);
		strbuf_addbuf(out, &sig);
		strbuf_addch(out, '\n');
		strbuf_reset(&sig);
	}
	strbuf_release(&sig);
	return nr;
}

/* What the option makes of the signatures of a commit: the lines that keep them, or none. */
static int take_signatures(struct fast_export *x, const struct commit *c, const char *buf, size_t len, struct strbuf *out,
			   struct err *err)
{
	unsigned nr = add_signatures(buf, len, "gpgsig", "sha1", out);

	nr += add_signatures(buf, len, "gpgsig-sha256", "sha256", out);
	if (!nr)
		return 0;
	if (x->signed_commits == EXPORT_ABORT)
		return err_set(err, ERR_INVALID, "encountered signed commit %s; use --signed-commits=<mode> to handle it",
			       oid_hex(&c->oid));
	if (x->signed_commits == EXPORT_WARN_VERBATIM)
		warning("exporting %u signature(s) for commit %s", nr, oid_hex(&c->oid));
	if (x->signed_commits == EXPORT_WARN_STRIP)
		warning("stripping signature(s) from commit %s", oid_hex(&c->oid));
	if (x->signed_commits == EXPORT_STRIP || x->signed_commits == EXPORT_WARN_STRIP)
		strbuf_reset(out);
	return 0;
}

struct commit_text {
	struct commit_view view;
	struct strbuf signatures, message;
	char *encoding; /* of the message; NULL: UTF-8, or it has become that */
};

static int take_message(struct fast_export *x, const struct commit *c, struct commit_text *t, struct err *err)
{
	const struct commit_view *v = &t->view;
	char *encoding, *utf8 = NULL;
	size_t len = v->message_len;

	if (!v->encoding || x->anonymous)
		goto plain;
	encoding = xstrndup(v->encoding, v->encoding_len);
	if (x->reencode == EXPORT_REENCODE_ABORT) {
		int rc = err_set(err, ERR_INVALID, "encountered commit-specific encoding %s in commit %s; "
				 "use --reencode=[yes|no] to handle it", encoding, oid_hex(&c->oid));

		free(encoding);
		return rc;
	}
	if (x->reencode == EXPORT_REENCODE_YES)
		utf8 = reencode_string(v->message, v->message_len, "UTF-8", encoding, &len);
	if (utf8)
		free(encoding);
	else
		t->encoding = encoding;
plain:
	if (x->anonymous)
		anonymize_commit_message(&x->anon, &t->message);
	else
		strbuf_add(&t->message, utf8 ? utf8 : v->message, utf8 ? len : v->message_len);
	free(utf8);
	return 0;
}

/* The numbers of anonymous people begin with the committer. */
static void print_people(struct fast_export *x, const struct commit_view *v)
{
	struct strbuf author = STRBUF_INIT, committer = STRBUF_INIT;

	export_add_person(x, "committer", v->committer, v->committer_len, &committer);
	export_add_person(x, "author", v->author, v->author_len, &author);
	(void)!fwrite(author.buf, 1, author.len, stdout);
	(void)!fwrite(committer.buf, 1, committer.len, stdout);
	strbuf_release(&author);
	strbuf_release(&committer);
}

static void print_parents(struct fast_export *x, const struct commit *c)
{
	bool first = true;

	for (uint32_t i = 0; i < c->nr_parents; i++) {
		const struct object_id *oid = &c->parents[i]->oid;
		uint64_t mark = export_mark_of(x, oid);
		struct strbuf id = STRBUF_INIT;

		if (!mark && !x->reference_parents)
			continue;
		add_mark_or_id(x, mark, oid, &id);
		printf("%s %s\n", first ? "from" : "merge", id.buf);
		strbuf_release(&id);
		first = false;
	}
}

static void print_head(struct fast_export *x, const struct commit *c, const struct commit_text *t)
{
	const char *found = rev_source(x->walk, c), *source = found ? found : oid_hex(&c->oid);
	struct string_list_item *ref = string_list_lookup(&x->refs, source);
	struct strbuf name = STRBUF_INIT;

	if (ref)
		((struct export_ref *)ref->util)->carried = true;
	export_ref_name(x, source, &name);
	if (!c->nr_parents)
		printf("reset %s\n", name.buf);
	printf("commit %s\n", name.buf);
	export_mark_next(x, &c->oid, OBJ_COMMIT);
	export_original_id(x, &c->oid);
	strbuf_release(&name);
	print_people(x, &t->view);
	(void)!fwrite(t->signatures.buf, 1, t->signatures.len, stdout);
	if (t->encoding)
		printf("encoding %s\n", t->encoding);
	export_data(t->message.buf, t->message.len);
	print_parents(x, c);
	if (x->full_tree)
		printf("deleteall\n");
}

int export_commit(struct fast_export *x, struct commit *c, struct err *err)
{
	struct commit_text t = { .signatures = STRBUF_INIT, .message = STRBUF_INIT };
	struct diff_queue q = DIFF_QUEUE_INIT;
	const char *buf;
	size_t len;
	int rc = commit_buffer(x->walk->pool, c, &buf, &len, err);

	if (!rc)
		rc = commit_parse(&t.view, buf, len, x->repo->algo, err);
	if (!rc)
		rc = find_changes(x, c, &q, err);
	if (!rc)
		rc = take_message(x, c, &t, err);
	if (!rc)
		rc = take_signatures(x, c, buf, len, &t.signatures, err);
	if (!rc) {
		print_head(x, c, &t);
		rc = print_changes(x, &q, err);
	}
	if (!rc) {
		putchar('\n');
		export_progress(x);
	}
	diff_queue_clear(&q);
	commit_view_release(&t.view);
	strbuf_release(&t.signatures);
	strbuf_release(&t.message);
	free(t.encoding);
	commit_release_buffer(c);
	return rc;
}

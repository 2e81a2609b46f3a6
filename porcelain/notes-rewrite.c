/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "porcelain/notes-rewrite.h"
#include "cli/cli.h"
#include "history/notes.h"
#include "history/reach/refglob.h"
#include "history/names/revparse.h"
#include "cli/utf8-warning.h"
#include "commit/commit.h"
#include "util/alloc.h"
#include "util/string-list.h"
#include "util/map.h"
#include "util/wildmatch.h"

#define NOTES_PREFIX "refs/notes/"

/* What becomes of the note that the new commit has, if the old one has one too. */
enum notes_mode {
	NOTES_CONCATENATE,
	NOTES_OVERWRITE, /* also by none */
	NOTES_CAT_SORT_UNIQ,
	NOTES_KEEP,
};

struct notes_rewrite {
	struct repository *repo;
	enum notes_mode mode;
	struct strvec refs;
};

/* ---- settings ---- */

static enum notes_mode parse_mode(const char *name, const char *source)
{
	static const struct {
		const char *name;
		enum notes_mode mode;
	} modes[] = {
		{ "overwrite", NOTES_OVERWRITE },
		{ "ignore", NOTES_KEEP },
		{ "concatenate", NOTES_CONCATENATE },
		{ "cat_sort_uniq", NOTES_CAT_SORT_UNIQ },
	};

	for (size_t i = 0; i < ARRAY_SIZE(modes); i++)
		if (!strcasecmp(name, modes[i].name))
			return modes[i].mode;
	error("Bad %s value: '%s'", source, name);
	return NOTES_KEEP;
}

static int read_mode(struct notes_rewrite *n, struct err *err)
{
	const char *env = getenv("GIT_NOTES_REWRITE_MODE");
	const struct config_entry *const *all;
	size_t nr = 0;

	n->mode = NOTES_CONCATENATE;
	if (env) {
		n->mode = parse_mode(env, "GIT_NOTES_REWRITE_MODE");
		return 0;
	}
	all = config_get_all(n->repo->config, "notes.rewritemode", &nr);
	for (size_t i = 0; i < nr; i++) {
		if (!all[i]->value)
			return config_entry_bad(all[i], err, "missing value");
		n->mode = parse_mode(all[i]->value, "notes.rewriteMode");
	}
	return 0;
}

static int add_ref(void *data, const struct ref *ref)
{
	struct notes_rewrite *n = data;

	strvec_push(&n->refs, ref->name);
	return 0;
}

static int add_glob(struct notes_rewrite *n, const char *glob, struct err *err)
{
	const char *prefix = starts_with(glob, NOTES_PREFIX) ? NOTES_PREFIX : "";
	struct object_id oid;

	if (has_glob_chars(glob))
		return refs_foreach_glob(n->repo, prefix, glob + strlen(prefix), NULL, 0, add_ref, n,
					 err);
	if (revparse_oid(n->repo, glob, &oid, NULL) < 0) {
		warning("notes ref %s is invalid", glob);
		return 0;
	}
	if (ref_resolve(n->repo->refs, glob, &oid, NULL, NULL, NULL) < 0)
		return err_set(err, ERR_INVALID, "Cannot use notes ref %s", glob);
	strvec_push(&n->refs, glob);
	return 0;
}

static int read_refs_of_env(struct notes_rewrite *n, const char *env, struct err *err)
{
	struct string_list list = STRING_LIST_INIT;
	int rc = 0;

	string_list_split(&list, env, ":");
	for (size_t i = 0; !rc && i < list.nr; i++)
		if (*list.items[i].string)
			rc = add_glob(n, list.items[i].string, err);
	string_list_clear(&list, NULL);
	return rc;
}

static int read_refs(struct notes_rewrite *n, struct err *err)
{
	const char *env = getenv("GIT_NOTES_REWRITE_REF");
	const struct config_entry *const *all;
	size_t nr = 0;
	int rc = 0;

	if (env)
		return read_refs_of_env(n, env, err);
	all = config_get_all(n->repo->config, "notes.rewriteref", &nr);
	for (size_t i = 0; !rc && i < nr; i++) {
		const char *glob = all[i]->value;

		if (!glob)
			rc = config_entry_bad(all[i], err, "missing value");
		else if (starts_with(glob, NOTES_PREFIX))
			rc = add_glob(n, glob, err);
		else
			warning("Refusing to rewrite notes in %s (outside of " NOTES_PREFIX ")", glob);
	}
	return rc;
}

/* A ref that several names lead to is copied once. */
static int drop_repeated_refs(struct notes_rewrite *n, struct err *err)
{
	struct strvec found = n->refs;
	struct strset targets = STRSET_INIT;
	int rc = 0;

	strvec_init(&n->refs);
	for (size_t i = 0; !rc && i < found.nr; i++) {
		struct object_id oid;
		char *target = NULL;

		rc = ref_resolve(n->repo->refs, found.v[i], &oid, &target, NULL, err);
		if (!rc && strset_add(&targets, target))
			strvec_push(&n->refs, found.v[i]);
		free(target);
	}
	strset_clear(&targets);
	strvec_clear(&found);
	return rc;
}

int notes_rewrite_open(struct notes_rewrite **out, struct repository *r, const char *command,
		       struct err *err)
{
	char *key = xstrfmt("notes.rewrite.%s", command);
	struct notes_rewrite *n = xcalloc(1, sizeof(*n));
	bool on = true;
	int rc = config_get_bool(r->config, key, &on, err);

	free(key);
	n->repo = r;
	strvec_init(&n->refs);
	if (rc < 0 || (rc = read_mode(n, err)) < 0 || (rc = read_refs(n, err)) < 0 ||
	    (rc = drop_repeated_refs(n, err)) < 0 || !on || !n->refs.nr) {
		notes_rewrite_free(n);
		n = NULL;
	}
	if (rc >= 0)
		*out = n;
	return rc;
}

void notes_rewrite_free(struct notes_rewrite *n)
{
	if (!n)
		return;
	strvec_clear(&n->refs);
	free(n);
}

/* ---- two notes become one ---- */

static int add_lines(struct notes_rewrite *n, const struct object_id *note, struct strvec *lines,
		     struct err *err)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	struct string_list split = STRING_LIST_INIT;
	int rc = odb_read_type(n->repo->odb, note, OBJ_BLOB, &buf, err);

	if (rc >= 0 && memchr(buf.data, '\0', buf.size))
		rc = err_set(err, ERR_INVALID, "note %s is no text, its lines cannot be sorted",
			     oid_hex(note));
	if (rc >= 0)
		string_list_split(&split, buf.data, "\n");
	for (size_t i = 0; i < split.nr; i++)
		if (*split.items[i].string)
			strvec_push(lines, split.items[i].string);
	string_list_clear(&split, NULL);
	object_buf_release(&buf);
	return rc;
}

static int sort_lines(struct notes_rewrite *n, const struct object_id *a,
		      const struct object_id *b, struct object_id *out, struct err *err)
{
	struct strvec lines = STRVEC_INIT;
	struct strbuf text = STRBUF_INIT;
	int rc;

	if ((rc = add_lines(n, a, &lines, err)) >= 0 && (rc = add_lines(n, b, &lines, err)) >= 0) {
		strvec_sort_unique(&lines);
		for (size_t i = 0; i < lines.nr; i++)
			strbuf_addf(&text, "%s\n", lines.v[i]);
		rc = odb_write(n->repo->odb, OBJ_BLOB, text.buf, text.len, out, err);
	}
	strbuf_release(&text);
	strvec_clear(&lines);
	return rc;
}

static int combine(struct notes_rewrite *n, const struct object_id *existing,
		   const struct object_id *added, struct object_id *out, struct err *err)
{
	*out = n->mode == NOTES_KEEP ? *existing : *added;
	if (n->mode == NOTES_KEEP || n->mode == NOTES_OVERWRITE || oid_eq(existing, added))
		return 0;
	return n->mode == NOTES_CAT_SORT_UNIQ ? sort_lines(n, existing, added, out, err) :
		notes_concatenate(n->repo->odb, existing, added, out, err);
}

/* The notes of both commits; `has_…` says whether there is one. */
struct note_pair {
	struct object_id from, to;
	bool has_from, has_to;
};

static int find_pair(struct notes_tree *t, const struct notes_copy *copy, struct note_pair *p,
		     struct err *err)
{
	int from = notes_tree_find(t, copy->from, &p->from, err);
	int to = from < 0 ? from : notes_tree_find(t, copy->to, &p->to, err);

	p->has_from = from > 0;
	p->has_to = to > 0;
	return to < 0 ? to : 0;
}

static int copy_note(struct notes_rewrite *n, struct notes_tree *t, const struct object_id *to,
		     const struct note_pair *p, struct err *err)
{
	struct object_id note = p->from;
	int rc = 0;

	if (!p->has_from)
		return n->mode == NOTES_OVERWRITE ? notes_tree_remove(t, to, err) : 0;
	if (p->has_to)
		rc = combine(n, &p->to, &p->from, &note, err);
	return rc ? rc : notes_tree_put(t, to, &note, err);
}

/* ---- the refs ---- */

static int notes_rewrite_write_commit(struct notes_rewrite *n, const struct notes_copy *copy,
				      const struct object_id *tree, const struct object_id *parent,
				      struct object_id *out, struct err *err)
{
	char *message = xstrfmt("Notes added by '%s'\n", copy->by);
	const struct new_commit c = {
		.draft = {
			.tree = *tree,
			.parents = parent,
			.nr_parents = 1,
			.author = copy->author,
			.committer = copy->committer,
			.encoding = commit_encoding(n->repo),
			.message = message,
			.message_len = strlen(message),
		},
		.warn_not_utf8 = warn_commit_not_utf8,
	};
	int rc = commit_create(n->repo->operation, &c, out, err);

	free(message);
	return rc;
}

static int check_is_commit(struct notes_rewrite *n, const char *ref, const struct object_id *oid,
			   struct err *err)
{
	enum object_type type;
	uint64_t size;
	int rc = odb_type(n->repo->odb, oid, &type, &size, err);

	return rc || type == OBJ_COMMIT ? rc :
		err_set(err, ERR_INVALID, "Failed to find/parse commit %s", ref);
}

static int change_ref(struct notes_rewrite *n, const struct notes_copy *copy, const char *ref,
		      const struct object_id *tree, const struct object_id *old,
		      struct ref_transaction *t, struct err *err)
{
	char *log = xstrfmt("notes: Notes added by '%s'", copy->by);
	struct object_id commit;
	int rc = notes_rewrite_write_commit(n, copy, tree, old, &commit, err);

	if (!rc)
		rc = ref_transaction_update(t, ref, &commit, old, 0, log, err);
	free(log);
	return rc;
}

/* The message that scripts know, below the reason. */
static int cannot_read(const char *ref, const struct object_id *oid, struct err *why,
		       struct err *err)
{
	char *reason = xstrfmt("error: %s\n", err_message(why));
	int rc = err_set(err, ERR_INVALID, "Failed to read notes tree referenced by %s (%s)",
			 ref, oid_hex(oid));

	err_set_preface(err, reason);
	err_release(why);
	free(reason);
	return rc;
}

static int change_notes(struct notes_rewrite *n, const struct notes_copy *copy, const char *ref,
			struct notes_tree *tree, const struct note_pair *pair,
			const struct object_id *old, struct ref_transaction *t, struct err *err)
{
	struct object_id oid;
	int rc = check_is_commit(n, ref, old, err);

	if (rc < 0)
		return rc;
	rc = copy_note(n, tree, copy->to, pair, err);
	if (!rc)
		rc = notes_tree_write(tree, &oid, err);
	if (rc < 0)
		err_prefix(err, "cannot copy notes in '%s'", ref);
	return rc ? rc : change_ref(n, copy, ref, &oid, old, t, err);
}

static int copy_in_ref(struct notes_rewrite *n, const struct notes_copy *copy, const char *ref,
		       struct ref_transaction *t, struct err *err)
{
	struct notes_tree *tree = NULL;
	struct err why = ERR_INIT;
	struct object_id old, oid;
	struct note_pair pair;
	int rc = ref_resolve(n->repo->refs, ref, &old, NULL, NULL, err);

	if (rc < 0)
		return rc;
	rc = object_peel(odb_source(n->repo->odb), &old, OBJ_TREE, &oid, NULL, &why);
	if (!rc) {
		tree = notes_tree_new(n->repo->odb, &oid, NOTES_WRITABLE);
		rc = find_pair(tree, copy, &pair, &why);
	}
	if (rc < 0)
		rc = cannot_read(ref, &old, &why, err);
	else if (pair.has_from || pair.has_to)
		rc = change_notes(n, copy, ref, tree, &pair, &old, t, err);
	notes_tree_free(tree);
	return rc;
}

int notes_rewrite_copy(struct notes_rewrite *n, const struct notes_copy *copy,
		       struct repo_operation *op, struct ref_transaction *t, struct err *err)
{
	int rc = n ? repo_operation_open_objects(op, err) : 0;

	for (size_t i = 0; !rc && n && i < n->refs.nr; i++)
		rc = copy_in_ref(n, copy, n->refs.v[i], t, err);
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "notes/notes-rewrite.h"
#include "cli/cli.h"
#include "notes/notes.h"
#include "history/reach/refglob.h"
#include "history/names/revparse.h"
#include "util/alloc.h"
#include "util/string-list.h"
#include "util/map.h"
#include "util/wildmatch.h"


struct notes_rewrite {
	struct repository *repo;
	enum notes_combination mode;
	struct strvec refs;
};

/* ---- settings ---- */

static enum notes_combination parse_mode(const char *name, const char *source)
{
	static const struct {
		const char *name;
		enum notes_combination mode;
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

static int add_rewritten_ref(void *data, const struct ref *ref)
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
		return refs_foreach_glob(n->repo, prefix, glob + strlen(prefix), NULL, 0, add_rewritten_ref, n,
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

/* ---- the refs ---- */

static int copy_pairs(struct notes_rewrite *n, const struct notes_copy *copy, struct notes_ref *ref, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < copy->nr; i++)
		rc = notes_ref_copy(ref, &copy->pairs[i].from, &copy->pairs[i].to, n->mode, err);
	if (rc < 0)
		err_prefix(err, "cannot copy notes in '%s'", ref->name);
	return rc;
}

static int copy_in_ref(struct notes_rewrite *n, const struct notes_copy *copy, const char *name,
		       struct repo_operation *op, struct ref_transaction *t, struct err *err)
{
	char *reflog = xstrfmt("Notes added by '%s'", copy->by), *message = xstrfmt("%s\n", reflog);
	const struct notes_words words = { copy->author, copy->committer, message, reflog };
	struct notes_ref ref;
	int rc = notes_ref_open(&ref, n->repo, name, NOTES_WRITABLE, err);

	if (!rc)
		rc = copy_pairs(n, copy, &ref, err);
	if (!rc)
		rc = notes_ref_queue(&ref, op, t, &words, err);
	notes_ref_release(&ref);
	free(message);
	free(reflog);
	return rc;
}

int notes_rewrite_copy(struct notes_rewrite *n, const struct notes_copy *copy,
		       struct repo_operation *op, struct ref_transaction *t, struct err *err)
{
	int rc = n ? repo_operation_open_objects(op, err) : 0;

	for (size_t i = 0; !rc && n && i < n->refs.nr; i++)
		rc = copy_in_ref(n, copy, n->refs.v[i], op, t, err);
	return rc;
}

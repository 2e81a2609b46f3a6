/* SPDX-License-Identifier: GPL-2.0-only */
/* What others hold, or say that they hold: root-lists.h. */
#include "compat/posix.h"
#include "history/alternate-refs.h"
#include "fs/file.h"
#include "maintain/root-lists.h"
#include "util/alloc.h"
#include "util/run-command.h"

/* Names in the output of a hook: some ten millions. */
#define HOOK_OUTPUT_MAX ((size_t)1024 * 1024 * 1024)

/* ---- borrowers ---- */

struct borrowed {
	struct roots *out;
	struct odb *odb;
};

static int add_if_there(void *data, const struct object_id *oid)
{
	const struct borrowed *b = data;

	if (odb_has(b->odb, oid))
		oid_array_append(&b->out->weak, oid);
	return 0;
}

static bool is_same_dir(const char *a, const char *b)
{
	struct stat one, two;

	return !stat(a, &one) && !stat(b, &two) && is_same_file(&one, &two);
}

static bool borrows_from(const struct repository *borrower, const char *objdir)
{
	bool yes = false;

	for (size_t i = 0; !yes && i < odb_nr_alternates(borrower->odb); i++)
		yes = is_same_dir(odb_alternate(borrower->odb, i), objdir);
	return yes;
}

/* objdir: an alternate of r. */
static int add_borrower(struct roots *out, struct repository *r, const char *objdir,
			struct err *err)
{
	struct borrowed b = { .out = out, .odb = r->odb };
	struct repository *other = NULL;
	char *gitdir = xstrdup(objdir);
	const char *command = NULL;
	size_t len;
	int rc = 0;

	if (strip_suffix(gitdir, "/objects", &len)) {
		gitdir[len] = '\0';
		if (is_git_directory(gitdir))
			rc = repo_open_at(&other, gitdir, NULL, err);
	}
	config_get_string(r->config, "core.alternaterefscommand", &command, NULL);
	if (!rc && other && borrows_from(other, odb_objdir(r->odb))) {
		rc = roots_collect(out, other, r->odb, err);
		if (!rc && command)
			rc = alternate_refs_list(r, objdir, add_if_there, &b, err);
		if (rc > 0)
			rc = err_set(err, ERR_ABORTED, "core.alternateRefsCommand has failed for '%s'",
				     gitdir);
	}
	repo_free(other);
	free(gitdir);
	return rc;
}

int roots_collect_borrowers(struct roots *out, struct repository *r, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < odb_nr_alternates(r->odb); i++)
		rc = add_borrower(out, r, odb_alternate(r->odb, i), err);
	return rc;
}

/* ---- gc.recentObjectsHook ---- */

static int read_names(struct oid_array *out, struct repository *r, const char *text,
		      struct err *err)
{
	struct object_id oid;
	const char *end;

	for (; *text; text = end + (*end == '\n')) {
		if (oid_parse_hex(&oid, text, r->algo, &end) < 0 || (*end && *end != '\n'))
			return err_set(err, ERR_ABORTED, "invalid extra cruft tip: '%.*s'",
				       (int)strcspn(text, "\n"), text);
		if (odb_has(r->odb, &oid))
			oid_array_append(out, &oid);
	}
	return 0;
}

static int run_hook(struct oid_array *out, struct repository *r, const char *command,
		    struct err *err)
{
	struct child_process cp = CHILD_PROCESS_INIT;
	struct strbuf text = STRBUF_INIT;
	int rc;

	cp.use_shell = true;
	cp.no_stdin = true;
	strvec_push(&cp.args, command);
	rc = pipe_command(&cp, NULL, 0, &text, NULL, HOOK_OUTPUT_MAX, err);
	if (!rc)
		rc = read_names(out, r, text.buf, err);
	else if (rc > 0)
		rc = err_set(err, ERR_ABORTED, "unable to enumerate additional recent objects: "
			     "'%s' has failed", command);
	strbuf_release(&text);
	return rc;
}

int roots_collect_recent(struct oid_array *out, struct repository *r, struct err *err)
{
	size_t nr = 0;
	const struct config_entry *const *v = config_get_all(r->config, "gc.recentobjectshook", &nr);
	int rc = 0;

	for (size_t i = 0; !rc && i < nr; i++) {
		if (!v[i]->value)
			return err_set(err, ERR_INVALID, "missing value for 'gc.recentObjectsHook'");
		rc = run_hook(out, r, v[i]->value, err);
	}
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "history/alternate-refs.h"
#include "util/alloc.h"
#include "util/run-command.h"

#define ALTERNATE_REFS_MAX ((size_t)1024 * 1024 * 1024)

/* core.alternateRefsCommand is given the repository; without it for-each-ref does the work. */
static void set_command(const struct repository *r, struct child_process *cp, const char *gitdir)
{
	const char *value = NULL;
	struct string_list prefixes = STRING_LIST_INIT;

	config_get_string(r->config, "core.alternaterefscommand", &value, NULL);
	if (value) {
		cp->use_shell = true;
		strvec_push(&cp->args, value);
		strvec_push(&cp->args, gitdir);
		return;
	}
	strvec_push(&cp->args, "git");
	strvec_pushf(&cp->args, "--git-dir=%s", gitdir);
	strvec_push(&cp->args, "for-each-ref");
	strvec_push(&cp->args, "--format=%(objectname)");
	config_get_string(r->config, "core.alternaterefsprefixes", &value, NULL);
	if (value) {
		strvec_push(&cp->args, "--");
		string_list_split(&prefixes, value, " \t\n");
		for (size_t i = 0; i < prefixes.nr; i++)
			if (*prefixes.items[i].string)
				strvec_push(&cp->args, prefixes.items[i].string);
		string_list_clear(&prefixes, NULL);
	}
}

static int each_name(struct repository *r, const char *text,
		     int (*fn)(void *data, const struct object_id *oid), void *data)
{
	struct object_id oid;
	const char *end;
	int rc = 0;

	for (; !rc && *text; text = end + (*end == '\n')) {
		end = strchrnul(text, '\n');
		if (oid_parse_hex(&oid, text, r->algo, &end) < 0 || (*end && *end != '\n')) {
			repo_warn(r, "invalid line while parsing alternate refs: %.*s",
				  (int)strcspn(text, "\n"), text);
			return 0;
		}
		rc = fn(data, &oid);
	}
	return rc;
}

int alternate_refs_list(struct repository *r, const char *objdir,
			int (*fn)(void *data, const struct object_id *oid), void *data,
			struct err *err)
{
	struct child_process cp = CHILD_PROCESS_INIT;
	struct strbuf out = STRBUF_INIT;
	char *gitdir = xstrdup(objdir);
	size_t len;
	int rc = 0;

	if (strip_suffix(gitdir, "/objects", &len)) {
		gitdir[len] = '\0';
		cp.no_stdin = true;
		strvec_push(&cp.env, "GIT_DIR");
		strvec_push(&cp.env, "GIT_WORK_TREE");
		strvec_push(&cp.env, "GIT_OBJECT_DIRECTORY");
		strvec_push(&cp.env, "GIT_ALTERNATE_OBJECT_DIRECTORIES");
		set_command(r, &cp, gitdir);
		rc = pipe_command(&cp, NULL, 0, &out, NULL, ALTERNATE_REFS_MAX, err);
		if (rc >= 0) {
			const int stopped = each_name(r, out.buf, fn, data);

			rc = stopped ? stopped : rc;
		}
	}
	strbuf_release(&out);
	free(gitdir);
	return rc;
}

static int append_name(void *out, const struct object_id *oid)
{
	oid_array_append(out, oid);
	return 0;
}

int alternate_refs_collect(struct repository *r, struct oid_array *out, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc >= 0 && i < odb_nr_alternates(r->odb); i++)
		rc = alternate_refs_list(r, odb_alternate(r->odb, i), append_name, out, err);
	oid_array_sort_unique(out);
	return rc < 0 ? rc : 0;
}

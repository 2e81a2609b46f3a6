/* SPDX-License-Identifier: GPL-2.0-only */
/* Several edits of the repository's configuration file, under one lock. */
#include "compat/posix.h"
#include "porcelain/remote.h"
#include "util/alloc.h"

struct remote_edit {
	char *key, *value, *pattern;
	bool fixed, multi, append;
};

void remote_edits_release(struct remote_edits *e)
{
	for (size_t i = 0; i < e->nr; i++) {
		free(e->list[i].key);
		free(e->list[i].value);
		free(e->list[i].pattern);
	}
	free(e->list);
	free(e->section);
	free(e->new_section);
	*e = (struct remote_edits)REMOTE_EDITS_INIT;
}

static char *dup_or_null(const char *s)
{
	return s ? xstrdup(s) : NULL;
}

static struct remote_edit *push(struct remote_edits *e, const char *key, const char *value, const char *pattern)
{
	ALLOC_GROW(e->list, e->nr + 1, e->alloc);
	e->list[e->nr] = (struct remote_edit){ .key = xstrdup(key), .value = dup_or_null(value),
					       .pattern = dup_or_null(pattern) };
	return &e->list[e->nr++];
}

void remote_edits_add(struct remote_edits *e, const char *key, const char *value)
{
	push(e, key, value, NULL)->append = true;
}

void remote_edits_replace(struct remote_edits *e, const char *key, const char *old, const char *value)
{
	struct remote_edit *one = push(e, key, value, old);

	one->fixed = one->multi = true;
}

void remote_edits_set(struct remote_edits *e, const char *key, const char *pattern, const char *value)
{
	push(e, key, value, pattern);
}

void remote_edits_unset(struct remote_edits *e, const char *key, const char *pattern)
{
	push(e, key, NULL, pattern)->multi = true;
}

static int edit_one(struct strbuf *text, const struct remote_edit *one, const char *path, struct err *err)
{
	const struct config_edit edit = {
		.key = one->key, .value = one->value, .value_pattern = one->pattern,
		.fixed_value = one->fixed, .multi = one->multi, .append = one->append,
	};
	struct err why = ERR_INIT;
	int rc = config_text_edit(text, &edit, path, &why);

	if (rc == ERR_NOT_FOUND && !one->value)
		rc = 0; /* as it shall be */
	else if (rc < 0)
		err_move(err, &why);
	err_release(&why);
	return rc;
}

static int apply(struct strbuf *text, const char *path, const void *data, struct err *err)
{
	const struct remote_edits *e = data;
	const struct config_section_edit section = { e->section, e->new_section, false };
	size_t found = 1;
	int rc = 0;

	if (e->section)
		rc = config_text_edit_sections(text, &section, 1, &found, path, err);
	if (!rc && !found)
		rc = err_set(err, ERR_NOT_FOUND, "no such section: %s", e->section);
	for (size_t i = 0; !rc && i < e->nr; i++)
		rc = edit_one(text, &e->list[i], path, err);
	return rc;
}

int remote_edits_stage(const struct remote_edits *e, struct repository *r, struct repo_operation *op,
		       enum publish_class order, struct err *err)
{
	char *path = xstrfmt("%s/config", r->commondir);
	int rc = config_file_change(path, apply, e, order, repo_operation_batch(op), err);

	free(path);
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* core.commentChar and core.commentString: the same setting, the last one wins. */
#include "compat/posix.h"
#include "cli/edit-text.h"
#include "util/alloc.h"

static bool is_char(const struct config_entry *e)
{
	return !strcmp(e->key, "core.commentchar");
}

static const char *shown_key(const struct config_entry *e)
{
	return is_char(e) ? "core.commentChar" : "core.commentString";
}

static bool is_comment_entry(const struct config_entry *e)
{
	return is_char(e) || !strcmp(e->key, "core.commentstring");
}

static bool is_auto(const struct config_entry *e)
{
	return e && e->value && !strcasecmp(e->value, "auto");
}

/* The last one; in_files: not what the command line says. NULL: there is none. */
static const struct config_entry *find_entry(const struct config_set *c, bool in_files)
{
	for (size_t i = config_nr(c); i > 0; i--) {
		const struct config_entry *e = config_at(c, i - 1);

		if (is_comment_entry(e) && !(in_files && e->scope == CONFIG_SCOPE_COMMAND))
			return e;
	}
	return NULL;
}

bool edit_comment_char_is_auto(struct repository *r)
{
	return is_auto(find_entry(command_config(r), false));
}

char edit_comment_char(struct repository *r)
{
	const struct config_entry *e = find_entry(command_config(r), false);

	if (!e || !e->value || is_auto(e))
		return '#';
	if (strlen(e->value) != 1)
		die("%s should only be one ASCII character", shown_key(e));
	return e->value[0];
}

/* ---- how to get rid of "auto" ---- */

static bool is_file(const struct config_entry *e, char *path)
{
	bool same = path && e->file && !strcmp(e->file, path);

	free(path);
	return same;
}

static bool is_global_file(const struct config_entry *e)
{
	char *paths[2];
	bool found = false;

	for (size_t nr = config_global_paths(paths); nr > 0; nr--)
		found |= is_file(e, paths[nr - 1]);
	return found;
}

/* The options of git config for the file of this entry, with a space behind them. */
static void add_place(struct repository *r, const struct config_entry *e, struct strbuf *out)
{
	if (e->scope == CONFIG_SCOPE_SYSTEM && is_file(e, config_system_path()))
		strbuf_addstr(out, "--system ");
	else if (e->scope == CONFIG_SCOPE_GLOBAL && is_global_file(e))
		strbuf_addstr(out, "--global ");
	else if (e->scope == CONFIG_SCOPE_WORKTREE &&
		 is_file(e, xstrfmt("%s/config.worktree", r->gitdir)))
		strbuf_addstr(out, "--worktree ");
	else if (e->scope != CONFIG_SCOPE_LOCAL ||
		 !is_file(e, xstrfmt("%s/config", r->commondir)))
		strbuf_addf(out, "--file %s ", e->file); /* included by one of these */
}

static bool same_place(const struct config_entry *a, const struct config_entry *b)
{
	return is_comment_entry(b) && is_char(a) == is_char(b) && a->scope == b->scope &&
	       !strcmp(a->file ? a->file : "", b->file ? b->file : "");
}

/* How often the setting is in the file of entry `at`; 0 if an earlier one has counted it. */
static size_t count_in_place(const struct config_set *c, size_t at)
{
	const struct config_entry *e = config_at(c, at);
	size_t n = 0;

	for (size_t i = 0; i < config_nr(c); i++) {
		if (!same_place(e, config_at(c, i)))
			continue;
		if (i < at)
			return 0;
		n++;
	}
	return n;
}

void edit_warn_auto_comment_char(struct repository *r)
{
	struct strbuf text = STRBUF_INIT, place = STRBUF_INIT;
	const struct config_entry *last = NULL;

	if (!edit_comment_char_is_auto(r))
		return;
	warning("Support for '%s=auto' is deprecated and will be removed in Git 3.0",
		shown_key(find_entry(r->config, false)));
	if (!is_auto(find_entry(r->config, true)))
		return;
	strbuf_addstr(&text, "\nTo use the default comment string (#) please run\n\n");
	for (size_t i = 0; i < config_nr(r->config); i++) {
		const struct config_entry *e = config_at(r->config, i);
		size_t n = is_comment_entry(e) && e->scope != CONFIG_SCOPE_COMMAND ?
			count_in_place(r->config, i) : 0;

		if (!n)
			continue;
		last = e;
		strbuf_reset(&place);
		add_place(r, e, &place);
		strbuf_addf(&text, "    git config unset %s%s%s\n", place.buf, n > 1 ? "--all " : "",
			    shown_key(e));
	}
	strbuf_addf(&text, "\nTo set a custom comment string please run\n\n"
		    "    git config set %s%s <comment string>\n\n"
		    "where '<comment string>' is the string you wish to use.",
		    place.buf, shown_key(last));
	advise("%s", text.buf);
	strbuf_release(&place);
	strbuf_release(&text);
}

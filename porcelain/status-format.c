/* SPDX-License-Identifier: GPL-2.0-only */
/* What all formats share; the short format; the second porcelain format. */
#include "compat/posix.h"
#include "cli/edit-text.h"
#include "porcelain/status-format.h"
#include "util/alloc.h"
#include "util/path.h"
#include "util/quote.h"
#include "history/history.h"
#include "history/names/revparse.h"

/* ---- settings ---- */

int status_untracked_mode(enum untracked_mode *mode, const char *word, struct err *err)
{
	int on = config_parse_maybe_bool(word);

	if (!word || !strcmp(word, "normal"))
		*mode = UNTRACKED_NORMAL;
	else if (!strcmp(word, "all"))
		*mode = UNTRACKED_ALL;
	else if (on >= 0)
		*mode = on ? UNTRACKED_NORMAL : UNTRACKED_NO;
	else
		return err_set(err, ERR_INVALID, "Invalid untracked files mode '%s'", word);
	return 0;
}

int status_submodule_mode(enum submodule_mode *mode, struct repository *r, const char *word,
			  struct err *err)
{
	const struct config_entry *e = config_get(r->config, "diff.ignoresubmodules");

	if (!word && e)
		word = e->value;
	*mode = SUBMODULES_ALL;
	if (word && !submodule_mode_parse(word, mode))
		return err_set(err, ERR_INVALID, "bad --ignore-submodules argument: %s", word);
	return 0;
}

int status_rename_mode(struct repository *r)
{
	const struct config_entry *e = config_get(r->config, "status.renames");
	int on;

	if (!e)
		e = config_get(r->config, "diff.renames");
	if (!e)
		return 1;
	if (e->value && (!strcasecmp(e->value, "copies") || !strcasecmp(e->value, "copy")))
		return 2;
	on = config_parse_maybe_bool(e->value);
	return on < 0 ? 1 : on;
}

static const struct {
	const char *name, *alias, *value;
} slots[SLOT_NR] = {
	[SLOT_HEADER] = { "header", NULL, "" },
	[SLOT_UPDATED] = { "updated", "added", "\033[32m" },
	[SLOT_CHANGED] = { "changed", NULL, "\033[31m" },
	[SLOT_UNTRACKED] = { "untracked", NULL, "\033[31m" },
	[SLOT_NOBRANCH] = { "nobranch", NULL, "\033[31m" },
	[SLOT_UNMERGED] = { "unmerged", NULL, "\033[31m" },
	[SLOT_LOCAL_BRANCH] = { "localbranch", NULL, "\033[32m" },
	[SLOT_REMOTE_BRANCH] = { "remotebranch", NULL, "\033[31m" },
	[SLOT_BRANCH] = { "branch", NULL, "" },
};

/* The slot that "color.status.NAME" or "status.color.NAME" sets; SLOT_NR: another key. */
static enum status_slot slot_of(const char *key)
{
	int i = 0;

	if (!skip_prefix(key, "color.status.", &key) && !skip_prefix(key, "status.color.", &key))
		return SLOT_NR;
	while (i < SLOT_NR && strcasecmp(key, slots[i].name) &&
	       !(slots[i].alias && !strcasecmp(key, slots[i].alias)))
		i++;
	return i;
}

/* A bad value is an error even where no colours are wanted. */
static int read_colors(struct status_format *f, const struct config_set *c, bool color,
		       struct err *err)
{
	for (int i = 0; color && i < SLOT_NR; i++)
		snprintf(f->colors[i], COLOR_MAXLEN, "%s", slots[i].value);
	for (size_t i = 0; i < config_nr(c); i++) {
		const struct config_entry *e = config_at(c, i);
		enum status_slot slot = slot_of(e->key);
		char parsed[COLOR_MAXLEN];

		if (slot == SLOT_NR)
			continue;
		if (!e->value)
			return config_entry_bad(e, err, "missing value");
		if (color_parse(e->value, parsed) < 0)
			return config_entry_bad(e, err, "invalid color value");
		if (color)
			memcpy(f->colors[slot], parsed, sizeof(parsed));
	}
	return 0;
}

bool status_wants_color(struct repository *r)
{
	const char *key = "color.status";

	for (size_t i = 0; i < config_nr(r->config); i++) {
		const char *set = config_at(r->config, i)->key;

		if (!strcmp(set, "color.status") || !strcmp(set, "status.color"))
			key = set;
	}
	return want_color(r, key, STDOUT_FILENO);
}

int status_format_init(struct status_format *f, struct repository *r, const struct status *s,
		       bool color, struct err *err)
{
	bool commented = false;
	const char *compared;
	int rc = config_get_bool(r->config, "status.displaycommentprefix", &commented, err);

	memset(f, 0, sizeof(*f));
	f->repo = r;
	f->s = s;
	f->comment_char = commented ? edit_comment_char(r) : '\0';
	f->hints = advice_enabled(r, "statusHints");
	if (rc >= 0)
		rc = config_get_string(r->config, "status.comparebranches", &compared, err);
	return rc < 0 ? rc : read_colors(f, r->config, color, err);
}

/* ---- paths ---- */

void status_add_path(const struct status_format *f, struct strbuf *out, const char *path,
		     bool quote_space)
{
	struct strbuf rel = STRBUF_INIT, quoted = STRBUF_INIT;

	if (f->nul) {
		strbuf_addstr(out, path);
		return;
	}
	if (f->prefix) {
		char *from = xstrfmt("/%s", f->prefix), *to = xstrfmt("/%s", path);
		size_t len = strlen(from), to_len = strlen(to);
		bool dir = to_len > 1 && to[to_len - 1] == '/';

		if (len > 1 && from[len - 1] == '/')
			from[len - 1] = '\0';
		if (dir)
			to[to_len - 1] = '\0';
		strbuf_relative_path(&rel, to, from);
		if (!rel.len)
			strbuf_addch(&rel, '.');
		if (dir)
			strbuf_addch(&rel, '/');
		free(from);
		free(to);
	} else {
		strbuf_addstr(&rel, path);
	}
	if (!quote_c_style(&quoted, rel.buf, rel.len, f->repo->settings.quote_path) &&
	    quote_space && strchr(rel.buf, ' '))
		strbuf_addf(out, "\"%s\"", rel.buf);
	else
		strbuf_addbuf(out, &quoted);
	strbuf_release(&quoted);
	strbuf_release(&rel);
}

/* ---- the branch and what it builds on ---- */

void tracking_release(struct tracking *t)
{
	FREE_AND_NULL(t->name);
}

static void compare_with(struct tracking *t, const struct status_format *f, const char *ref)
{
	struct object_id theirs;

	t->name = ref_shorten(f->repo->refs, ref, false);
	if (!tracked_commit(f->repo, ref, &theirs)) {
		t->gone = true;
	} else if (!f->s->initial) {
		t->same = oid_eq(&theirs, &f->s->head);
		if (t->same || f->ahead_behind)
			t->counted = ahead_behind(f->repo, &f->s->head, &theirs, &t->ahead,
						  &t->behind, NULL) >= 0;
	}
}

void tracking_find_named(struct tracking *t, const struct status_format *f, const char *name)
{
	char *upstream = NULL, *target = NULL;
	const char *branch;

	memset(t, 0, sizeof(*t));
	if (!f->s->branch || !skip_prefix(f->s->branch, "refs/heads/", &branch))
		return;
	if (branch_upstream(f->repo, branch, &upstream, NULL) < 0)
		upstream = NULL;
	if (branch_push_target(f->repo, branch, &target, NULL) < 0)
		target = NULL;
	t->is_upstream = upstream && (!strcmp(name, "@{upstream}") || (target && !strcmp(upstream, target)));
	t->is_push_target = !t->is_upstream || !target || !strcmp(upstream, target);
	if (t->is_upstream)
		compare_with(t, f, upstream);
	else if (target && !strcmp(name, "@{push}"))
		compare_with(t, f, target);
	if (t->gone && !t->is_upstream)
		tracking_release(t);
	free(upstream);
	free(target);
}

void tracking_find(struct tracking *t, const struct status_format *f)
{
	tracking_find_named(t, f, "@{upstream}");
}

static void add_colored(const struct status_format *f, struct strbuf *out,
			enum status_slot slot, const char *text)
{
	if (*f->colors[slot])
		strbuf_addf(out, "%s%s%s", f->colors[slot], text, COLOR_RESET);
	else
		strbuf_addstr(out, text);
}

/* ---- short format, which is also porcelain v1 ---- */

static void end_line(const struct status_format *f, struct strbuf *out)
{
	strbuf_addch(out, f->nul ? '\0' : '\n');
}

static void short_tracking(const struct status_format *f, const struct tracking *t,
			   struct strbuf *out)
{
	char num[32];

	strbuf_addstr(out, "...");
	add_colored(f, out, SLOT_REMOTE_BRANCH, t->name);
	if (t->gone) {
		add_colored(f, out, SLOT_HEADER, " [");
		strbuf_addstr(out, "gone]");
	} else if (!t->counted) {
		strbuf_addstr(out, t->same ? "" : " [different]");
	} else if (t->ahead || t->behind) {
		strbuf_addstr(out, " [");
		if (t->ahead) {
			snprintf(num, sizeof(num), "%zu", t->ahead);
			strbuf_addstr(out, "ahead ");
			add_colored(f, out, SLOT_LOCAL_BRANCH, num);
		}
		if (t->behind) {
			snprintf(num, sizeof(num), "%zu", t->behind);
			strbuf_addstr(out, t->ahead ? ", behind " : "behind ");
			add_colored(f, out, SLOT_REMOTE_BRANCH, num);
		}
		strbuf_addstr(out, "]");
	}
}

static void status_format_short_branch(const struct status_format *f, struct strbuf *out)
{
	struct tracking t;
	const char *name = f->s->branch;

	add_colored(f, out, SLOT_HEADER, "## ");
	if (f->s->initial)
		add_colored(f, out, SLOT_HEADER, "No commits yet on ");
	if (!name) {
		add_colored(f, out, SLOT_NOBRANCH, "HEAD (no branch)");
		end_line(f, out);
		return;
	}
	skip_prefix(name, "refs/heads/", &name);
	add_colored(f, out, SLOT_LOCAL_BRANCH, name);
	tracking_find(&t, f);
	if (t.name)
		short_tracking(f, &t, out);
	tracking_release(&t);
	end_line(f, out);
}

/* "UU" and the other pairs of unmerged paths, by the stages that exist. */
static const char *unmerged_letters(unsigned stages)
{
	static const char *const letters[] = { "  ", "DD", "AU", "UD", "UA", "DU", "AA", "UU" };

	return letters[stages & 7];
}

/* The short format shows the changes inside a submodule; v1 does not. */
static char unstaged_letter(const struct status_format *f, const struct status_item *it)
{
	if (f->stable || it->unstaged != 'M' || it->gitlink_new_commits)
		return it->unstaged;
	if (it->gitlink_modified)
		return 'm';
	return it->gitlink_untracked ? '?' : it->unstaged;
}

static void short_letters(const struct status_format *f, const struct status_item *it,
			  struct strbuf *out)
{
	char text[2] = { 0, 0 };

	if (it->stages) {
		add_colored(f, out, SLOT_UNMERGED, unmerged_letters(it->stages));
		return;
	}
	text[0] = it->staged;
	if (it->staged == ' ')
		strbuf_addch(out, ' ');
	else
		add_colored(f, out, SLOT_UPDATED, text);
	text[0] = unstaged_letter(f, it);
	if (it->unstaged == ' ')
		strbuf_addch(out, ' ');
	else
		add_colored(f, out, SLOT_CHANGED, text);
}

static void short_item(const struct status_format *f, const struct status_item *it,
		       struct strbuf *out)
{
	const char *old = it->old_path ? it->old_path : it->wt_old_path;

	short_letters(f, it, out);
	strbuf_addch(out, ' ');
	if (f->nul) {
		strbuf_addstr(out, it->path);
		strbuf_addch(out, '\0');
		if (old) {
			strbuf_addstr(out, old);
			strbuf_addch(out, '\0');
		}
		return;
	}
	if (old) {
		status_add_path(f, out, old, true);
		strbuf_addstr(out, " -> ");
	}
	status_add_path(f, out, it->path, true);
	strbuf_addch(out, '\n');
}

static void short_others(const struct status_format *f, const struct string_list *l,
			 const char *mark, struct strbuf *out)
{
	for (size_t i = 0; i < l->nr; i++) {
		add_colored(f, out, SLOT_UNTRACKED, mark);
		strbuf_addch(out, ' ');
		status_add_path(f, out, l->items[i].string, true);
		end_line(f, out);
	}
}

void status_format_short(const struct status_format *f, struct strbuf *out)
{
	if (f->branch)
		status_format_short_branch(f, out);
	for (size_t i = 0; i < f->s->nr; i++)
		short_item(f, &f->s->items[i], out);
	short_others(f, &f->s->untracked, "??", out);
	short_others(f, &f->s->ignored, "!!", out);
}

/* ---- porcelain v2 ---- */

static void v2_branch(const struct status_format *f, struct strbuf *out)
{
	const struct status *s = f->s;
	const char *name = s->branch;
	struct tracking t;

	strbuf_addf(out, "# branch.oid %s", s->initial ? "(initial)" : oid_hex(&s->head));
	end_line(f, out);
	if (name)
		skip_prefix(name, "refs/heads/", &name);
	strbuf_addf(out, "# branch.head %s", name ? name : "(detached)");
	end_line(f, out);
	tracking_find(&t, f);
	if (t.name) {
		strbuf_addf(out, "# branch.upstream %s", t.name);
		end_line(f, out);
		if (t.counted) {
			strbuf_addf(out, "# branch.ab +%zu -%zu", t.ahead, t.behind);
			end_line(f, out);
		} else if (!t.gone && !s->initial) {
			strbuf_addstr(out, "# branch.ab +? -?");
			end_line(f, out);
		}
	}
	tracking_release(&t);
}

static void v2_submodule(const struct status_item *it, char out[5])
{
	snprintf(out, 5, "%s", it->is_gitlink ? "S..." : "N...");
	if (it->is_gitlink && it->gitlink_new_commits)
		out[1] = 'C';
	if (it->is_gitlink && it->gitlink_modified)
		out[2] = 'M';
	if (it->is_gitlink && it->gitlink_untracked)
		out[3] = 'U';
}

static char dot(char letter)
{
	return letter == ' ' ? '.' : letter;
}

static const char *id_or_zeros(const struct status_format *f, const struct object_id *oid,
			       unsigned mode)
{
	return oid_hex(mode ? oid : &f->repo->algo->null_oid);
}

static void v2_unmerged(const struct status_format *f, const struct status_item *it,
			struct strbuf *out)
{
	char sub[5];

	v2_submodule(it, sub);
	strbuf_addf(out, "u %s %s", unmerged_letters(it->stages), sub);
	for (int i = 0; i < 3; i++)
		strbuf_addf(out, " %06o", it->stage_mode[i]);
	strbuf_addf(out, " %06o", it->mode_worktree);
	for (int i = 0; i < 3; i++)
		strbuf_addf(out, " %s", id_or_zeros(f, &it->stage_oid[i], it->stage_mode[i]));
	strbuf_addch(out, ' ');
	status_add_path(f, out, it->path, false);
	end_line(f, out);
}

/* What neither side changed is as the index has it. */
static void v2_changed(const struct status_format *f, const struct status_item *it,
		       struct strbuf *out)
{
	const char *old = it->old_path ? it->old_path : it->wt_old_path;
	bool staged = it->staged != ' ', unstaged = it->unstaged != ' ';
	unsigned head = staged ? it->mode_head : it->mode_index;
	unsigned wt = unstaged ? it->mode_worktree : it->mode_index;
	const struct object_id *head_oid = staged ? &it->oid_head : &it->oid_index;
	char sub[5];

	v2_submodule(it, sub);
	strbuf_addf(out, "%c %c%c %s %06o %06o %06o %s", old ? '2' : '1', dot(it->staged),
		    dot(it->unstaged), sub, head, it->mode_index, wt,
		    id_or_zeros(f, head_oid, head));
	strbuf_addf(out, " %s ", id_or_zeros(f, &it->oid_index, it->mode_index));
	if (old)
		strbuf_addf(out, "%c%d ", it->old_path ? it->staged : it->unstaged,
			    it->old_path ? it->score : it->wt_score);
	status_add_path(f, out, it->path, false);
	if (old) {
		strbuf_addch(out, f->nul ? '\0' : '\t');
		status_add_path(f, out, old, false);
	}
	end_line(f, out);
}

static void v2_others(const struct status_format *f, const struct string_list *l, char mark,
		      struct strbuf *out)
{
	for (size_t i = 0; i < l->nr; i++) {
		strbuf_addf(out, "%c ", mark);
		status_add_path(f, out, l->items[i].string, false);
		end_line(f, out);
	}
}

void status_format_v2(const struct status_format *f, struct strbuf *out)
{
	const struct status *s = f->s;

	if (f->branch)
		v2_branch(f, out);
	if (f->show_stash && s->stash_count) {
		strbuf_addf(out, "# stash %zu", s->stash_count);
		end_line(f, out);
	}
	for (size_t i = 0; i < s->nr; i++)
		if (!s->items[i].stages)
			v2_changed(f, &s->items[i], out);
	for (size_t i = 0; i < s->nr; i++)
		if (s->items[i].stages)
			v2_unmerged(f, &s->items[i], out);
	v2_others(f, &s->untracked, '?', out);
	v2_others(f, &s->ignored, '!', out);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Messages of checkout and switch: the switch itself, differences from the new commit, commits left
 * behind.
 */
#include "compat/posix.h"
#include "builtin/checkout/checkout.h"
#include "diff/diff.h"
#include "history/history.h"
#include "history/revision/revision.h"
#include "porcelain/head.h"
#include "porcelain/status-format.h"
#include "util/alloc.h"
#include "util/string-list.h"

/* ---- what differs from the new commit ---- */

struct local_changes {
	struct checkout *co;
	struct string_list letters; /* path; util: the letter */
};

static void set_letter(struct local_changes *l, const char *path, const char *letter)
{
	string_list_insert(&l->letters, path)->util = (void *)letter;
}

/* A file with a conflict, in the new commit or not, is compared by its file on disk. */
static const char *unmerged_letter(const char *path, unsigned old_mode)
{
	struct stat st;

	if (!old_mode)
		return "A";
	if (lstat(path, &st) < 0)
		return "D";
	return (st.st_mode & S_IFMT) != (old_mode & S_IFMT) ? "T" : "M";
}

static int on_staged(void *data, const char *path, unsigned old_mode,
		     const struct object_id *old_oid, const struct index_entry *e, struct err *err)
{
	struct local_changes *l = data;

	(void)old_oid;
	(void)err;
	set_letter(l, path, !e ? "D" : e->stage ? unmerged_letter(path, old_mode) : !old_mode ? "A" :
		   (e->mode & 0170000) != (old_mode & 0170000) ? "T" : "M");
	return 0;
}

static int add_unstaged(struct local_changes *l, struct index_entry *e, struct err *err)
{
	struct checkout *co = l->co;
	struct string_list_item *staged;
	enum worktree_change change;
	int rc;

	if (e->stage || (e->flags & CE_SKIP_WORKTREE))
		return 0;
	rc = worktree_entry_changed(co->r, &co->ix, e, co->conv, &change, NULL, NULL, err);
	if (rc || change == WT_UNCHANGED)
		return rc;
	staged = string_list_lookup(&l->letters, e->name);
	if (staged && *(char *)staged->util == 'A') {
		if (change == WT_DELETED)
			staged->util = (void *)"";
		return 0;
	}
	set_letter(l, e->name, change == WT_DELETED ? "D" : change == WT_TYPE_CHANGED ? "T" : "M");
	return 0;
}

int checkout_show_changes(struct checkout *co, struct err *err)
{
	struct local_changes l = { .co = co };
	int rc = index_diff_tree(&co->ix, odb_source(co->r->odb), &co->tree, on_staged, &l, err);

	for (size_t i = 0; i < co->ix.nr && !rc; i++)
		rc = add_unstaged(&l, co->ix.entries[i], err);
	if (!rc && co->carried)
		puts("The following paths have local changes:");
	for (size_t i = 0; i < l.letters.nr && !rc; i++)
		if (*(char *)l.letters.items[i].util)
			printf("%s\t%s\n", (char *)l.letters.items[i].util, l.letters.items[i].string);
	string_list_clear(&l.letters, NULL);
	return rc;
}

/* ---- words ---- */

static void advise_detached(const struct checkout *co)
{
	char *text = head_detached_advice(co->name ? co->name : "HEAD");

	fputs(text, stderr);
	free(text);
}

static void tell_commit(const struct checkout *co, const char *what, const struct object_id *oid)
{
	struct strbuf text = STRBUF_INIT;

	if (!head_describe_commit(co->r, oid, &text, NULL))
		fprintf(stderr, "%s %.*s%s%s\n", what, (int)strcspn(text.buf, " "), text.buf, oid_ellipsis() ? "..." : "",
			strchrnul(text.buf, ' '));
	strbuf_release(&text);
}

/* Nothing but HEAD was named: it stays as it is. */
bool checkout_head_stays(const struct checkout *co)
{
	return !co->branch && !co->detach && (!co->arg || !strcmp(co->name, "HEAD"));
}

static bool is_same_branch(const struct checkout *co)
{
	return co->branch && co->old_branch && !strcmp(co->branch, co->old_branch);
}

static bool creates(const struct checkout *co)
{
	return co->new_branch || co->reset_branch;
}

static const char *checkout_report_short_name(const char *ref)
{
	skip_prefix(ref, "refs/heads/", &ref);
	return ref;
}

static void tell_branch(const struct checkout *co, bool existed)
{
	const char *name = checkout_report_short_name(co->branch);

	if (co->orphan || (creates(co) && !co->has_commit))
		fprintf(stderr, "Switched to a new branch '%s'\n", name);
	else if (is_same_branch(co))
		fprintf(stderr, co->reset_branch ? "Reset branch '%s'\n" : "Already on '%s'\n", name);
	else if (!creates(co))
		fprintf(stderr, "Switched to branch '%s'\n", name);
	else if (existed)
		fprintf(stderr, "Switched to and reset branch '%s'\n", name);
	else
		fprintf(stderr, "Switched to a new branch '%s'\n", name);
}

static void tell_tracking(const struct checkout *co, const char *branch)
{
	struct strbuf text = STRBUF_INIT;

	status_format_tracking(co->r, branch, &co->commit, &text);
	fputs(text.buf, stdout);
	strbuf_release(&text);
}

static void tell_new_place(const struct checkout *co, bool existed)
{
	if (co->branch) {
		tell_branch(co, existed);
		if (co->has_commit)
			tell_tracking(co, co->branch);
		return;
	}
	if (co->old_branch && !co->detach && advice_enabled(co->r, "detachedHead"))
		advise_detached(co);
	tell_commit(co, "HEAD is now at", &co->commit);
}

/* ---- commits that are left behind ---- */

#define MANY_LEFT 4 /* so many are named, or one more */

static void describe_left(struct checkout *co, const struct object_id *oid, struct strbuf *out)
{
	struct strbuf text = STRBUF_INIT;

	if (!head_describe_commit(co->r, oid, &text, NULL))
		strbuf_addf(out, "  %s\n", text.buf);
	strbuf_release(&text);
}

/*
 * Counts the commits that neither a ref nor the new HEAD reaches, newest first, and describes some.
 */
static int count_left_behind(struct checkout *co, size_t *nr, struct strbuf *text, struct err *err)
{
	char *old = xstrdup(oid_hex(&co->old_commit));
	const char *argv[] = { "", old, "--not", "--all", NULL };
	struct object_id last;
	struct rev_walk *w = NULL;
	struct commit *c;
	int rc = rev_walk_new(&w, co->r, err);

	if (!rc) {
		w->single_worktree = true;
		rc = rev_walk_arguments(w, 4, argv, NULL, err);
	}
	if (!rc)
		rc = rev_walk_begin(w, err);
	while (!rc && (rc = rev_walk_next(w, &c, err)) > 0) {
		if ((*nr)++ < MANY_LEFT)
			describe_left(co, &c->oid, text);
		last = c->oid;
		rc = 0;
	}
	if (!rc && *nr == MANY_LEFT + 1)
		describe_left(co, &last, text);
	else if (!rc && *nr > MANY_LEFT)
		strbuf_addf(text, " ... and %zu more.\n", *nr - MANY_LEFT);
	rev_walk_free(w);
	free(old);
	return rc;
}

static void warn_of_left(struct checkout *co, size_t nr, const char *text)
{
	struct strbuf id = STRBUF_INIT;

	fprintf(stderr, "Warning: you are leaving %zu commit%s behind, not connected to\n"
		"any of your branches:\n\n%s\n", nr, nr == 1 ? "" : "s", text);
	if (!advice_enabled(co->r, "detachedHead"))
		return;
	odb_abbrev(co->r->odb, &co->old_commit, co->r->settings.abbrev, &id);
	fprintf(stderr, "If you want to keep %s by creating a new branch, this may be a good time\n"
		"to do so with:\n\n git branch <new-branch-name> %s\n\n", nr == 1 ? "it" : "them",
		id.buf);
	strbuf_release(&id);
}

static void tell_old_place(struct checkout *co)
{
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;
	size_t nr = 0;

	if (co->old_branch || co->unborn || (co->has_commit && oid_eq(&co->old_commit, &co->commit)))
		return;
	if (count_left_behind(co, &nr, &text, &err) < 0)
		report_error(&err);
	else if (nr)
		warn_of_left(co, nr, text.buf);
	else
		tell_commit(co, "Previous HEAD position was", &co->old_commit);
	strbuf_release(&text);
}

void checkout_tell(struct checkout *co, bool existed)
{
	tell_old_place(co);
	if (!checkout_head_stays(co))
		tell_new_place(co, existed);
	else if (co->old_branch && !co->unborn)
		tell_tracking(co, co->old_branch);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* git-am(1): one patch after the other. */
#include "compat/posix.h"
#include "builtin/am/am-cmd.h"
#include "porcelain/auto-maintenance.h"
#include "repo/hook.h"
#include "repo/state.h"
#include "util/alloc.h"

/* ---- stops ---- */

static int stop_at_empty(struct am_cmd *c, struct err *err)
{
	int rc = am_publish_stop(c, NULL, err);

	if (rc)
		return rc;
	puts("Patch is empty.");
	fflush(stdout);
	c->code = am_advise(c);
	return AM_STOPPED;
}

/* A hook has refused: what has been published stays, as in Git. */
static int stop_by_hook(struct am_cmd *c, struct err *why, struct err *err)
{
	int rc = am_seal(c, err);

	if (why->msg && *why->msg)
		report_error(why);
	err_release(why);
	c->code = 1;
	return rc ? rc : AM_STOPPED;
}

/* ---- hooks and prompts ---- */

static int run_message_hook(struct am_cmd *c, struct err *err)
{
	char *path = am_path(c, "final-commit");
	const char *args[] = { path, NULL };
	struct err why = ERR_INIT;
	int rc = 0;

	if (!c->o.no_verify && repo_has_hook(c->r, "applypatch-msg")) {
		rc = am_publish(c, NULL, err);
		if (!rc && repo_run_hook(c->r, "applypatch-msg", NULL, args, NULL, &why) < 0)
			rc = stop_by_hook(c, &why, err);
		strbuf_reset(&c->mail.message);
		if (!rc)
			rc = repo_state_read(c->r, STATE_REBASE_APPLY_FINAL_COMMIT, &c->mail.message, err);
		if (!rc)
			rc = am_begin(c, err);
	}
	free(path);
	return rc;
}

static int ask_about_patch(struct am_cmd *c, bool *no, struct err *err)
{
	int rc = 0;

	*no = false;
	if (!c->o.interactive)
		return 0;
	rc = am_publish(c, NULL, err);
	if (!rc)
		rc = am_seal(c, err); /* the user may think for a long time */
	if (!rc)
		rc = am_ask(c, no, err);
	return rc ? rc : am_begin(c, err);
}

/* ---- one patch ---- */

void am_advance(struct am_cmd *c)
{
	am_mail_reset(&c->mail);
	c->next++;
}

static int apply_and_commit(struct am_cmd *c, struct err *err)
{
	int rc;

	am_say(c, "Applying: %.*s", am_subject_len(c), c->mail.message.buf);
	rc = am_apply_patch(c, err);
	if (rc == AM_ALREADY)
		return 0;
	return rc ? rc : am_commit(c, err);
}

static int take_current(struct am_cmd *c, struct err *err)
{
	const bool empty = am_patch_is_empty(c);
	int rc;

	if (empty && c->o.empty == AM_EMPTY_DROP) {
		am_say(c, "Skipping: %.*s", am_subject_len(c), c->mail.message.buf);
		return 0;
	}
	if (empty && c->o.empty == AM_EMPTY_STOP)
		return stop_at_empty(c, err);
	if (empty)
		am_say(c, "Creating an empty commit: %.*s", am_subject_len(c), c->mail.message.buf);
	rc = run_message_hook(c, err);
	if (rc)
		return rc;
	return empty ? am_commit(c, err) : apply_and_commit(c, err);
}

static int missing_file(const struct am_cmd *c, const char *name, struct err *err)
{
	char *path = am_path(c, name);
	int rc = err_set(err, ERR_INVALID, "cannot resume: %s does not exist.", path);

	free(path);
	return rc;
}

static bool mail_is_there(const struct am_cmd *c)
{
	char *name = xstrfmt("%04zu", c->next), *path = am_path(c, name);
	bool yes = !c->begun || !access(path, F_OK);

	free(path);
	free(name);
	return yes;
}

static int one_patch(struct am_cmd *c, bool resumes, struct err *err)
{
	bool no;
	int rc = 0;

	if (!mail_is_there(c))
		return 0;
	if (resumes && !c->mail.has_message)
		return missing_file(c, "final-commit", err);
	if (!resumes)
		rc = am_read_mail(c, err);
	if (rc > 0)
		return 0; /* no mail with a patch */
	if (rc)
		return c->rebasing ? rc : am_publish_failure(c, NULL, rc, err);
	rc = ask_about_patch(c, &no, err);
	return rc || no ? rc : take_current(c, err);
}

/* ---- all ---- */

struct dirty_names {
	struct strbuf names;
};

static int add_dirty_name(void *data, const char *path, unsigned mode UNUSED, const struct object_id *oid UNUSED,
			  const struct index_entry *e UNUSED, struct err *err UNUSED)
{
	struct dirty_names *d = data;

	strbuf_addf(&d->names, "%s%s", d->names.len ? " " : "", path);
	return 0;
}

/* Without a mail that has been read; `dirtyindex` tells --abort that HEAD has not moved. */
static int stop_at_dirty_index(struct am_cmd *c, const char *names, struct err *err)
{
	int rc = c->begun ? 0 : am_publish_beginning(c, err);

	if (!rc)
		rc = repo_operation_write_state(c->op, STATE_REBASE_APPLY_DIRTY_INDEX, "t\n", 2, err);
	if (!rc)
		rc = am_seal(c, err);
	return rc ? rc : err_set(err, ERR_CONFLICT, "Dirty index: cannot apply patches (dirty: %s)", names);
}

static void print_unmerged(const struct index_state *ix)
{
	const char *last = "";

	for (size_t i = 0; i < ix->nr; i++)
		if (ix->entries[i]->stage && strcmp(ix->entries[i]->name, last) != 0)
			printf("%s: needs merge\n", last = ix->entries[i]->name);
}

static int check_clean_index(struct am_cmd *c, struct err *err)
{
	struct dirty_names d = { STRBUF_INIT };
	int rc = index_diff_tree(&c->series.ix, odb_source(c->r->odb), &c->head_tree, add_dirty_name, &d, err);

	print_unmerged(&c->series.ix);
	if (!rc && d.names.len)
		rc = stop_at_dirty_index(c, d.names.buf, err);
	strbuf_release(&d.names);
	return rc;
}

static int run_patches(struct am_cmd *c, bool resumes, struct err *err)
{
	int rc = 0;

	c->index_clean = true;
	while (!rc && c->next <= c->last) {
		rc = one_patch(c, resumes, err);
		if (rc)
			break;
		if (resumes && c->begun) { /* options of the command line are for one patch */
			const size_t done = c->next;

			rc = am_load(c, err);
			c->next = done;
		}
		resumes = false;
		am_advance(c);
	}
	if (!rc)
		rc = am_publish_end(c, err);
	if (!rc && !c->rebasing)
		auto_maintenance(c->r, c->s.quiet);
	return rc == AM_STOPPED ? c->code : rc;
}

int am_run(struct am_cmd *c, bool resumes, struct err *err)
{
	int rc = am_begin(c, err);

	if (!rc)
		rc = check_clean_index(c, err);
	return rc ? rc : run_patches(c, resumes, err);
}

int am_run_on(struct am_cmd *c, struct err *err)
{
	return c->update_begun ? run_patches(c, false, err) : am_run(c, false, err);
}

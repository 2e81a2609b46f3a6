/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Programs that take part in a patch: diff.<driver>.textconv makes a text of a file, an external
 * diff (GIT_EXTERNAL_DIFF, diff.external, diff.<driver>.command) prints the difference itself.
 * Both get files: those of objects are made in a temporary directory.
 */
#include "compat/posix.h"
#include "diff/diff-internal.h"
#include "diff/external-internal.h"
#include "fs/tempfile.h"
#include "object/tree.h"
#include "util/alloc.h"
#include "util/path.h"
#include "util/run-command.h"
#include "write-or-die.h"

/* ---- files for programs ---- */

struct given_file {
	struct tempfile *dir, *file;
	const char *path;
};

/* As it is in the work tree. */
static int given_content(struct strbuf *out, struct diff_file *f, const struct diff_options *o,
			 struct err *err)
{
	int ret = diff_file_load(f, o, err);

	if (!ret && f->oid_valid && S_ISREG(f->mode) && o->smudge)
		ret = o->smudge(o->smudge_data, f, out, err);
	if (!ret)
		strbuf_add(out, f->content.data, f->content.size);
	return ret < 0 ? ret : 0;
}

static int give_file(struct given_file *g, struct diff_file *f, const struct diff_options *o,
		     struct err *err)
{
	const char *tmp = getenv("TMPDIR");
	struct strbuf text = STRBUF_INIT;
	char *path;
	int ret;

	*g = (struct given_file){ NULL, NULL, "/dev/null" };
	if (!diff_file_exists(f))
		return 0;
	if (!f->oid_valid && o->read_is_worktree && S_ISREG(f->mode)) {
		g->path = f->path;
		return 0;
	}
	ret = given_content(&text, f, o, err);
	if (!ret)
		ret = tempfile_create_dir(&g->dir, tmp && *tmp ? tmp : "/tmp", "git-blob-", err);
	if (ret < 0)
		return ret;
	path = xstrfmt("%s/%s", g->dir->path, path_basename(f->path));
	ret = tempfile_create(&g->file, path, 0600, err);
	free(path);
	if (!ret)
		ret = write_in_full(g->file->fd, text.buf, text.len, g->file->path, err);
	if (!ret)
		ret = tempfile_close(g->file, err);
	if (!ret)
		g->path = g->file->path;
	strbuf_release(&text);
	return ret;
}

static void take_back(struct given_file *g)
{
	tempfile_delete(&g->file);
	tempfile_delete(&g->dir);
}

/* ---- textconv ---- */

/* "error: cannot run PROGRAM: …" on a line of its own, as Git does. */
static void preface_by_reason(struct err *err)
{
	char *reason = xstrfmt("error: %s\n", err_message(err));

	err_set_preface(err, reason);
	err_reword(err, "unable to read files to diff");
	free(reason);
}

int diff_textconv(struct diff_file *f, const struct diff_options *o, struct strbuf *out,
		  bool *converted, struct err *err)
{
	struct child_process cp = CHILD_PROCESS_INIT;
	struct diff_driver driver;
	struct given_file g;
	int ret;

	*converted = false;
	if (!o->textconv || !diff_file_exists(f) || !S_ISREG(f->mode))
		return 0;
	diff_driver_of(o, f->path, &driver);
	if (!driver.textconv)
		return 0;
	ret = give_file(&g, f, o, err);
	if (!ret) {
		cp.use_shell = true;
		strvec_pushl(&cp.args, driver.textconv, g.path, NULL);
		ret = pipe_command(&cp, NULL, 0, out, NULL, TEXT_MAX, err);
		if (ret < 0)
			preface_by_reason(err);
		if (ret > 0)
			ret = err_set(err, ERR_INVALID, "unable to read files to diff: '%s' could not convert '%s' to text",
				      driver.textconv, f->path);
	}
	take_back(&g);
	*converted = !ret;
	return ret;
}

int diff_textconv_object(const struct diff_options *o, const char *path, const struct object_id *oid,
			 struct object_buf *buf, struct err *err)
{
	struct diff_file f = { .mode = S_IFREG | 0644, .loaded = true, .content = *buf };
	struct diff_options of_file = *o;
	struct strbuf out = STRBUF_INIT;
	bool converted;
	int ret;

	f.path = xstrdup(path);
	f.oid_valid = oid;
	if (oid)
		f.oid = *oid;
	of_file.read_is_worktree = true;
	ret = diff_textconv(&f, oid ? o : &of_file, &out, &converted, err);
	if (!ret && converted) {
		object_buf_release(buf);
		buf->type = OBJ_BLOB;
		buf->data = strbuf_detach(&out, &buf->size);
	}
	free(f.path);
	strbuf_release(&out);
	return ret ? ret : converted;
}

/* ---- external diff ---- */

bool diff_external_of(const struct diff_options *o, const char *path,
		      struct external_diff *out)
{
	const char *env = getenv("GIT_EXTERNAL_DIFF");
	const char *trust = getenv("GIT_EXTERNAL_DIFF_TRUST_EXIT_CODE");
	struct diff_driver driver;

	*out = (struct external_diff){ NULL, false };
	if (!o->allow_external)
		return false;
	diff_driver_of(o, path, &driver);
	if (driver.command)
		*out = (struct external_diff){ driver.command, driver.trust_exit_code };
	else if (env && *env)
		*out = (struct external_diff){ env, config_parse_maybe_bool(trust ? trust : "no") == 1 };
	else if (o->external && *o->external)
		*out = (struct external_diff){ o->external, o->external_trust };
	return out->command != NULL;
}

static void push_side(struct strvec *args, const struct diff_options *o,
		      const struct diff_file *f, const struct given_file *g)
{
	strvec_push(args, g->path);
	if (!diff_file_exists(f)) {
		strvec_pushl(args, ".", ".", NULL);
		return;
	}
	strvec_push(args, oid_hex(f->oid_valid ? &f->oid : &o->algo->null_oid));
	strvec_pushf(args, "%06o", f->mode);
}

/* On our standard output if that is where the text goes, else into `out`. */
static int run(struct child_process *cp, const struct diff_options *o, struct strbuf *out,
	       struct err *err)
{
	int ret;

	if (!o->drain)
		return pipe_command(cp, NULL, 0, out, NULL, 0, err);
	ret = o->drain(o->drain_data, out, err);
	if (ret < 0 || fflush(stdout)) {
		child_process_release(cp);
		return ret < 0 ? ret : err_set_errno(err, "cannot write to standard output");
	}
	return run_command(cp, err);
}

int diff_run_external(const struct external_diff *e, struct external_call *c,
		      const struct diff_options *o, struct strbuf *out, struct err *err)
{
	struct child_process cp = CHILD_PROCESS_INIT;
	struct given_file old, new = { NULL, NULL, NULL };
	int ret = give_file(&old, c->old, o, err);

	if (!ret)
		ret = give_file(&new, c->new, o, err);
	if (!ret) {
		cp.use_shell = true;
		strvec_pushl(&cp.args, e->command, c->path, NULL);
		push_side(&cp.args, o, c->old, &old);
		push_side(&cp.args, o, c->new, &new);
		if (c->new_path)
			strvec_pushl(&cp.args, c->new_path, c->header, NULL);
		strvec_pushf(&cp.env, "GIT_DIFF_PATH_COUNTER=%zu", c->counter);
		strvec_pushf(&cp.env, "GIT_DIFF_PATH_TOTAL=%zu", c->total);
		ret = run(&cp, o, out, err);
		if (ret > 0 && !(e->trust_exit_code && ret == 1))
			ret = err_set(err, ERR_INVALID, "external diff died, stopping at %s", c->path);
		c->same = e->trust_exit_code && !ret;
	}
	take_back(&old);
	take_back(&new);
	return ret < 0 ? ret : 0;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* uploadpack.packObjectsHook: the host's own command, which makes the pack: git-config(1). */
#include "compat/posix.h"
#include "compat/os.h"
#include "upload/upload.h"
#include "write-or-die.h"

static void add_lines(struct strbuf *out, const char *word, const struct oid_array *oids)
{
	for (size_t i = 0; i < oids->nr; i++)
		strbuf_addf(out, "%s%s\n", word, oid_hex(&oids->oid[i]));
}

/* The input of pack-objects --revs: a file, so that the command can read it at any time. */
static int hook_input(const struct fetch_request *q, int *fd, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int rc;

	add_lines(&text, "--shallow ", &q->cut);
	add_lines(&text, "", &q->wants);
	strbuf_addstr(&text, "--not\n");
	add_lines(&text, "", &q->haves);
	add_lines(&text, "", &q->unshallowed);
	strbuf_addch(&text, '\n');
	*fd = os_unnamed_file();
	if (*fd < 0)
		rc = err_set_errno(err, "cannot make a temporary file");
	else
		rc = write_in_full(*fd, text.buf, text.len, "input of uploadpack.packObjectsHook",
				   err);
	if (!rc && lseek(*fd, 0, SEEK_SET) < 0)
		rc = err_set_errno(err, "cannot seek in a temporary file");
	strbuf_release(&text);
	return rc;
}

static void hook_arguments(struct strvec *args, const char *hook, const struct fetch_request *q)
{
	struct strbuf filter = STRBUF_INIT;

	strvec_pushl(args, hook, "git", NULL);
	if (q->cut.nr)
		strvec_pushl(args, "--shallow-file", "", NULL);
	strvec_pushl(args, "pack-objects", "--revs", NULL);
	if (q->thin)
		strvec_push(args, "--thin");
	strvec_push(args, "--stdout");
	if (q->cut.nr)
		strvec_push(args, "--shallow");
	if (!q->no_progress)
		strvec_push(args, "--progress");
	if (q->ofs_delta)
		strvec_push(args, "--delta-base-offset");
	if (q->include_tag)
		strvec_push(args, "--include-tag");
	filter_spec_format(&q->filter, &filter);
	if (filter.len)
		strvec_pushf(args, "--filter=%s", filter.buf);
	strbuf_release(&filter);
}

int upload_hook_start(const char *hook, const struct fetch_request *q, bool bands,
		      struct child_process *cp, struct err *err)
{
	int fd = -1, rc = hook_input(q, &fd, err);

	if (rc < 0) {
		if (fd >= 0)
			close(fd);
		return rc;
	}
	hook_arguments(&cp->args, hook, q);
	cp->use_shell = true;
	cp->in = fd;
	cp->out = -1;
	cp->err = bands ? -1 : 0;
	return start_command(cp, err);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* git-am(1): the questions of --interactive. */
#include "compat/posix.h"
#include "builtin/am/am-cmd.h"
#include "cli/edit-text.h"
#include "fs/file.h"
#include "util/run-command.h"

static int edit_message_of_patch(struct am_cmd *c)
{
	char *path = am_path(c, "final-commit");
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;
	int rc = launch_editor(c->r, path, NULL, &err);

	if (!rc)
		rc = read_file(&text, path, EDIT_TEXT_MAX, &err);
	if (!rc)
		strbuf_swap(&c->mail.message, &text);
	else
		report_error(&err);
	strbuf_release(&text);
	free(path);
	return rc;
}

static void view_patch(struct am_cmd *c)
{
	struct child_process cp = CHILD_PROCESS_INIT;
	const char *pager = pager_program(c->r);
	struct err err = ERR_INIT;
	char *path = am_path(c, "patch");

	strvec_pushl(&cp.args, "sh", "-c", "exec ${0} \"$1\"", pager ? pager : "cat", path, NULL);
	if (run_command(&cp, &err) < 0)
		report_error(&err);
	free(path);
}

int am_ask(struct am_cmd *c, bool *no, struct err *err UNUSED)
{
	char reply[64];

	for (;;) {
		printf("Commit Body is:\n--------------------------\n%s--------------------------\n", c->mail.message.buf);
		fputs("Apply? [y]es/[n]o/[e]dit/[v]iew patch/[a]ccept all: ", stdout);
		fflush(stdout);
		if (!fgets(reply, sizeof(reply), stdin))
			die("unable to read from stdin; aborting");
		*no = *reply == 'n' || *reply == 'N';
		if (*reply == 'a' || *reply == 'A')
			c->o.interactive = 0;
		if (*no || strchr("yYaA", *reply))
			return 0;
		if (*reply == 'e' || *reply == 'E')
			(void)!edit_message_of_patch(c);
		else if (*reply == 'v' || *reply == 'V')
			view_patch(c);
	}
}

/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "fs/file.h"
#include "fs/tempfile.h"
#include "merge/driver.h"
#include "util/path.h"
#include "util/quote.h"
#include "util/run-command.h"
#include "write-or-die.h"

#define EXIT_CRASHED 128 /* a higher exit code is no conflict but a failure */

static int write_version(struct tempfile **t, const struct object_buf *b, struct err *err)
{
	int rc = tempfile_create_in(t, ".", ".merge_file_", 0600, err);

	if (!rc)
		rc = write_in_full((*t)->fd, b->data, b->size, (*t)->path, err);
	return rc ? rc : tempfile_close(*t, err);
}

/* Returns false for a character that is no placeholder. */
static bool expand_placeholder(struct strbuf *out, char c, const struct merge_driver_call *call, struct tempfile *const *t)
{
	static const char files[] = "OAB", labels[] = "SXY"; /* by enum merge_stage */
	const char *at;

	if (c && (at = strchr(files, c)))
		strbuf_addstr(out, path_basename(t[at - files]->path));
	else if (c && (at = strchr(labels, c)))
		sq_quote(out, call->label[at - labels] ? call->label[at - labels] : "");
	else if (c == 'P')
		sq_quote(out, call->path);
	else if (c == 'L')
		strbuf_addf(out, "%zu", call->marker_size);
	else if (c == '%')
		strbuf_addch(out, '%');
	else
		return false;
	return true;
}

static void expand_driver(struct strbuf *out, const struct merge_driver_call *call, struct tempfile *const *t)
{
	for (const char *p = call->command; *p; p++) {
		if (*p == '%' && expand_placeholder(out, p[1], call, t))
			p++;
		else
			strbuf_addch(out, *p);
	}
}

/* Returns the exit code; < 0: the shell could not be started. */
static int run_driver(const struct merge_driver_call *call, struct tempfile *const *t, struct err *err)
{
	struct child_process cp = CHILD_PROCESS_INIT;
	struct strbuf line = STRBUF_INIT;

	if (!*call->command) /* as a program that does not exist */
		return 127;
	expand_driver(&line, call, t);
	strbuf_addch(&line, '\n'); /* for a shell in any case: it reports a missing program, which is a conflict (127) */
	strvec_push(&cp.args, line.buf);
	cp.use_shell = true;
	strbuf_release(&line);
	return run_command(&cp, err);
}

static int read_result(const struct merge_driver_call *call, const struct tempfile *ours, struct strbuf *out, struct err *err)
{
	struct err why = ERR_INIT;
	int rc = read_file_nofollow(out, ours->path, 0, &why);

	err_release(&why);
	return rc ? err_set(err, ERR_ABORTED, "failed to execute internal merge for %s", call->path) : 0;
}

int merge_driver_run(const struct merge_driver_call *call, struct strbuf *out, bool *clean, struct err *err)
{
	struct tempfile *t[MERGE_STAGES] = { NULL };
	int rc = 0;

	for (int s = 0; !rc && s < MERGE_STAGES; s++)
		rc = write_version(&t[s], &call->version[s], err);
	if (!rc)
		rc = run_driver(call, t, err);
	if (rc > EXIT_CRASHED)
		rc = err_set(err, ERR_ABORTED, "failed to execute internal merge for %s", call->path);
	if (rc >= 0) {
		*clean = !rc;
		rc = read_result(call, t[MERGE_OURS], out, err);
	}
	for (int s = 0; s < MERGE_STAGES; s++)
		tempfile_delete(&t[s]);
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* git-maintenance(1): what schedules have in common, and running the programs that keep them. */
#include "compat/posix.h"
#include "builtin/maintenance/maintenance.h"
#include "compat/os.h"
#include "util/alloc.h"
#include "util/run-command.h"

#define OUTPUT_BYTES_MAX ((size_t)16 * 1024 * 1024)
/* "NAME:COMMAND,…": only these schedulers are there, and COMMAND is run for each. For tests. */
#define TEST_VARIABLE "GIT_TEST_MAINT_SCHEDULER"

const char *const maintenance_frequencies[3] = { "hourly", "daily", "weekly" };

unsigned maintenance_minute(void)
{
	return (unsigned)(os_random64() % 60);
}

/* The command for that scheduler. Caller frees; NULL: it is not there. */
static char *program_of(const char *name)
{
	const char *at = getenv(TEST_VARIABLE);
	size_t len = strlen(name);

	if (!at)
		return xstrdup(name);
	while (*at) {
		size_t n = strcspn(at, ",");

		if (n > len && !strncmp(at, name, len) && at[len] == ':')
			return xstrndup(at + len + 1, n - len - 1);
		at += n + (at[n] == ',');
	}
	return NULL;
}

int scheduler_run(const char *name, const char *const *args, struct strbuf *out)
{
	struct child_process cp = CHILD_PROCESS_INIT;
	struct strbuf ignored = STRBUF_INIT;
	char *program = program_of(name);
	struct err err = ERR_INIT;
	int rc;

	if (!program)
		return -1;
	strvec_push(&cp.args, program);
	strvec_pushv(&cp.args, args);
	cp.use_shell = getenv(TEST_VARIABLE) != NULL;
	cp.no_stdin = true;
	/*
	 * A scheduler that does not work for this user prints that to stderr; the caller has its
	 * own message.
	 */
	rc = pipe_command(&cp, NULL, 0, out ? out : &ignored, &ignored, OUTPUT_BYTES_MAX, &err);
	err_release(&err);
	strbuf_release(&ignored);
	free(program);
	return rc;
}

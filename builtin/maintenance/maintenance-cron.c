/* SPDX-License-Identifier: GPL-2.0-only */
/* The schedule of git-maintenance(1) in the user's crontab(5): a region between two marks. */
#include "compat/posix.h"
#include "builtin/maintenance/maintenance.h"
#include "cli/git-options.h"
#include "compat/os.h"
#include "fs/tempfile.h"
#include "util/alloc.h"
#include "write-or-die.h"

#define BEGIN_MARK "# BEGIN GIT MAINTENANCE SCHEDULE"
#define END_MARK "# END GIT MAINTENANCE SCHEDULE"

static int read_table(struct strbuf *out)
{
	static const char *const args[] = { "-l", NULL };

	return scheduler_run("crontab", args, out);
}

/* A user without a table gets exit code 1; that is fine. */
bool cron_is_available(void)
{
	struct strbuf table = STRBUF_INIT;
	int rc = read_table(&table);

	strbuf_release(&table);
	return rc == 0 || rc == 1;
}

/*
 * Copies the table without our region. ERR_CORRUPT: the region has no end, and the rest may be the
 * user's own.
 */
static int copy_rest(struct strbuf *out, const char *table, struct err *err)
{
	bool inside = false;

	while (*table) {
		size_t len = strcspn(table, "\n");

		if (!inside && len == strlen(BEGIN_MARK) && !strncmp(table, BEGIN_MARK, len))
			inside = true;
		else if (inside && len == strlen(END_MARK) && !strncmp(table, END_MARK, len))
			inside = false;
		else if (!inside)
			strbuf_addf(out, "%.*s\n", (int)len, table);
		table += len + (table[len] == '\n');
	}
	if (inside)
		return err_set(err, ERR_CORRUPT, "the crontab has a line '%s' without '%s'", BEGIN_MARK, END_MARK);
	return 0;
}

/* For the shell in double quotes, and for cron, to which % is the end of the line. */
static void add_quoted(struct strbuf *out, const char *path)
{
	strbuf_addch(out, '"');
	for (; *path; path++) {
		if (strchr("\\\"$`%", *path))
			strbuf_addch(out, '\\');
		strbuf_addch(out, *path);
	}
	strbuf_addch(out, '"');
}

static void add_line(struct strbuf *out, const char *when, const char *frequency)
{
	char *program = xstrfmt("%s/git", git_exec_path());

	strbuf_addf(out, "%s ", when);
	add_quoted(out, program);
	strbuf_addstr(out, " --exec-path=");
	add_quoted(out, git_exec_path());
	strbuf_addf(out, " -c credential.interactive=false -c core.askPass=true for-each-repo --keep-going "
		    "--config=maintenance.repo maintenance run --schedule=%s\n", frequency);
	free(program);
}

/* Each hour; once a day the hour is the daily or the weekly one instead. */
static void add_region(struct strbuf *out)
{
	static const char *const when[3] = { "1-23 * * *", "0 * * 1-6", "0 * * 0" };
	unsigned minute = maintenance_minute();

	strbuf_addstr(out, BEGIN_MARK "\n"
		      "# Written by 'git maintenance start'. What you change between these marks is\n"
		      "# lost when that command, or 'git maintenance stop', is run again.\n\n");
	for (size_t i = 0; i < ARRAY_SIZE(when); i++) {
		char *times = xstrfmt("%u %s", minute, when[i]);

		add_line(out, times, maintenance_frequencies[i]);
		free(times);
	}
	strbuf_addstr(out, "\n" END_MARK "\n");
}

static int install(const struct strbuf *table, struct err *err)
{
	const char *dir = getenv("TMPDIR");
	struct tempfile *t;
	int rc = tempfile_create_in(&t, dir && *dir ? dir : "/tmp", "git-crontab-", 0600, err);
	const char *args[2] = { NULL, NULL };

	if (rc < 0)
		return rc;
	rc = write_in_full(t->fd, table->buf, table->len, t->path, err);
	args[0] = t->path;
	if (!rc && scheduler_run("crontab", args, NULL))
		rc = err_set(err, ERR_GENERIC, "'crontab' did not accept the new schedule");
	tempfile_delete(&t);
	return rc;
}

int cron_set(struct repository *r UNUSED, bool enable, struct err *err)
{
	struct strbuf old = STRBUF_INIT, table = STRBUF_INIT;
	int rc = 0;

	if (read_table(&old)) /* there is none; the output is no table */
		strbuf_reset(&old);
	rc = copy_rest(&table, old.buf, err);
	if (!rc && enable)
		add_region(&table);
	if (!rc && (table.len != old.len || memcmp(table.buf, old.buf, old.len)))
		rc = install(&table, err);
	strbuf_release(&old);
	strbuf_release(&table);
	return rc;
}

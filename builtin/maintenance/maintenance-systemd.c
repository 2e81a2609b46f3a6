/* SPDX-License-Identifier: GPL-2.0-only */
/* The schedule of git-maintenance(1) as timers of the user's systemd: systemd.timer(5). */
#include "compat/posix.h"
#include "builtin/maintenance/maintenance.h"
#include "cli/git-options.h"
#include "fs/file.h"
#include "fs/lockfile.h"
#include "operation/operation.h"
#include "util/alloc.h"
#include "write-or-die.h"

#define HEADER \
	"# Written by 'git maintenance start', which replaces it, and removed by 'git maintenance stop'.\n" \
	"# Changes belong into a file of your own in %s.d/.\n\n"
#define SERVICE "git-maintenance@.service"

bool systemd_is_available(void)
{
	static const char *const args[] = { "--user", "list-timers", NULL };

	return scheduler_run("systemctl", args, NULL) == 0;
}

/* ---- where ---- */

static char *unit_path(const char *name)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

	if (config && *config)
		return xstrfmt("%s/systemd/user/%s", config, name);
	if (!home || !*home)
		die("$HOME not set");
	return xstrfmt("%s/.config/systemd/user/%s", home, name);
}

static char *timer_name(const char *frequency)
{
	return xstrfmt("git-maintenance@%s.timer", frequency);
}

/* ---- what ---- */

/* A word of a command line in a unit: % begins a specifier, and $ a variable. */
static void add_word(struct strbuf *out, const char *text)
{
	strbuf_addch(out, '"');
	for (; *text; text++) {
		if (strchr("\\\"", *text))
			strbuf_addch(out, '\\');
		else if (strchr("%$", *text))
			strbuf_addch(out, *text);
		strbuf_addch(out, *text);
	}
	strbuf_addch(out, '"');
}

/* It may do what git needs, with hooks and ssh among that, and no more. */
static void make_service(struct strbuf *out)
{
	char *program = xstrfmt("%s/git", git_exec_path()), *option = xstrfmt("--exec-path=%s", git_exec_path());

	strbuf_addf(out, HEADER "[Unit]\nDescription=Maintenance of Git repositories\n\n"
		    "[Service]\nType=oneshot\nExecStart=", SERVICE);
	add_word(out, program);
	strbuf_addch(out, ' ');
	add_word(out, option);
	strbuf_addstr(out, " -c credential.interactive=false -c core.askPass=true for-each-repo --keep-going "
		      "--config=maintenance.repo maintenance run --schedule=%i\n"
		      "NoNewPrivileges=yes\n"
		      "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_VSOCK\n"
		      "RestrictNamespaces=yes\n"
		      "RestrictRealtime=yes\n"
		      "RestrictSUIDSGID=yes\n"
		      "LockPersonality=yes\n"
		      "MemoryDenyWriteExecute=yes\n"
		      "SystemCallArchitectures=native\n"
		      "SystemCallFilter=@system-service\n");
	free(program);
	free(option);
}

static void make_timer(struct strbuf *out, size_t which, unsigned minute)
{
	static const char *const when[3] = { "*-*-* 1..23:%02u:00", "Tue..Sun *-*-* 0:%02u:00",
					     "Mon *-*-* 0:%02u:00" };
	char *name = timer_name(maintenance_frequencies[which]);

	strbuf_addf(out, HEADER "[Unit]\nDescription=Maintenance of Git repositories, %s\n\n[Timer]\nOnCalendar=",
		    name, maintenance_frequencies[which]);
	strbuf_addf(out, when[which], minute); /* NOLINT: a literal with one %u */
	strbuf_addstr(out, "\nPersistent=true\n\n[Install]\nWantedBy=timers.target\n");
	free(name);
}

/* ---- writing ---- */

static int stage_unit(struct fsync_batch *b, const char *name, const struct strbuf *text, struct err *err)
{
	struct lockfile lk = LOCKFILE_INIT;
	char *path = unit_path(name);
	int rc = lockfile_hold(&lk, path, LOCK_MAKE_DIRS, 0, err);

	if (!rc)
		rc = write_in_full(lk.tf->fd, text->buf, text->len, lk.tf->path, err);
	if (!rc)
		rc = lockfile_stage(&lk, b, FSYNC_OTHER, PUBLISH_FILE, err);
	lockfile_release(&lk);
	free(path);
	return rc;
}

static int write_units(struct repository *r, struct err *err)
{
	struct repo_operation *op = repo_operation_begin(r);
	struct fsync_batch *b = repo_operation_batch(op);
	struct strbuf text = STRBUF_INIT;
	unsigned minute = maintenance_minute();
	int rc;

	make_service(&text);
	rc = stage_unit(b, SERVICE, &text, err);
	for (size_t i = 0; i < ARRAY_SIZE(maintenance_frequencies) && !rc; i++) {
		char *name = timer_name(maintenance_frequencies[i]);

		strbuf_reset(&text);
		make_timer(&text, i, minute);
		rc = stage_unit(b, name, &text, err);
		free(name);
	}
	strbuf_release(&text);
	return repo_operation_end(op, rc, err);
}

static int remove_units(struct err *err)
{
	char *service = unit_path(SERVICE);
	int rc = remove_file(service, err);

	for (size_t i = 0; i < ARRAY_SIZE(maintenance_frequencies) && !rc; i++) {
		char *name = timer_name(maintenance_frequencies[i]), *path = unit_path(name);

		rc = remove_file(path, err);
		free(name);
		free(path);
	}
	free(service);
	return rc;
}

/* ---- timers ---- */

static int set_timer(bool enable, const char *frequency, struct err *err)
{
	char *name = timer_name(frequency);
	const char *args[] = { "--user", enable ? "enable" : "disable", "--now", name, NULL };
	int rc = scheduler_run("systemctl", args, NULL);

	/* One that is not there cannot be disabled, and need not be. */
	if (rc && enable)
		rc = err_set(err, ERR_GENERIC, "'systemctl --user enable --now %s' failed", name);
	else
		rc = 0;
	free(name);
	return rc;
}

static int set_timers(bool enable, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < ARRAY_SIZE(maintenance_frequencies) && !rc; i++)
		rc = set_timer(enable, maintenance_frequencies[i], err);
	return rc;
}

int systemd_set(struct repository *r, bool enable, struct err *err)
{
	struct err ignored = ERR_INIT;
	int rc;

	if (!enable) {
		rc = set_timers(false, err);
		return rc ? rc : remove_units(err);
	}
	rc = write_units(r, err);
	if (!rc)
		rc = set_timers(true, err);
	if (rc < 0) { /* no half of a schedule */
		if (set_timers(false, &ignored) < 0 || remove_units(&ignored) < 0)
			err_release(&ignored);
	}
	return rc;
}

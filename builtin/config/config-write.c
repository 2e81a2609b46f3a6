/* SPDX-License-Identifier: GPL-2.0-only */
/* git config: set, unset, rename-section, remove-section, edit. */
#include "compat/posix.h"
#include "repo/ident.h"
#include "builtin/config/config-cmd.h"
#include "fs/file.h"
#include "operation/operation.h"

static struct repo_operation *config_write_begin(const struct config_cmd *c)
{
	struct fsync_policy policy;

	if (c->ctx->repo)
		return repo_operation_begin(c->ctx->repo);
	/* a bad value of another setting must not keep us from mending it */
	policy = command_fsync_policy();
	return repo_operation_begin_outside(&policy);
}

static int exit_code_of(int rc, const char *key)
{
	const char *dot = strrchr(key, '.');

	switch (rc) {
	case 0:
		return 0;
	case ERR_INVALID:
		return !dot || dot == key || !dot[1] ? CONFIG_EXIT_NO_SECTION_OR_NAME
						     : CONFIG_EXIT_INVALID_KEY;
	case ERR_PATTERN:
		return CONFIG_EXIT_INVALID_PATTERN;
	case ERR_NOT_FOUND:
	case ERR_AMBIGUOUS:
		return CONFIG_EXIT_NOTHING_SET;
	case ERR_CORRUPT:
		return CONFIG_EXIT_INVALID_FILE;
	case ERR_LOCKED:
		return CONFIG_EXIT_LOCKED;
	default:
		return CONFIG_EXIT_NO_WRITE;
	}
}

/* P1 for what an editor wrote into c->path. */
static int seal_edited(const struct config_cmd *c, struct err *err)
{
	struct repo_operation *op = config_write_begin(c);

	return repo_operation_end(op, repo_operation_add_written_file(op, c->path, err), err);
}

/* A first global file says what it is for. */
static void begin_global_file(const char *path)
{
	struct strbuf ident = STRBUF_INIT;
	FILE *fp;

	if (file_exists(path))
		return;
	if (ident_from_config(command_config(NULL), &ident, IDENT_AUTHOR | IDENT_NO_DATE, NULL) < 0)
		strbuf_addstr(&ident, "Your Name <you@example.com>");
	fp = fopen(path, "wx"); /* check-calls: the user's editor writes it anyway */
	if (fp) {
		char *mail = strrchr(ident.buf, '<');

		if (mail) {
			char *end = strrchr(mail, '>');

			*mail = '\0';
			if (end)
				*end = '\0';
			strbuf_setlen(&ident, mail - ident.buf);
		}
		strbuf_rtrim(&ident);
		fprintf(fp, "# Settings of yours for all repositories, as \"git help config\" has them.\n"
			"[user]\n#\tname = %s\n#\temail = %s\n", ident.buf, mail ? mail + 1 : "");
		fclose(fp);
	}
	strbuf_release(&ident);
}

int config_cmd_edit_file(struct config_cmd *c)
{
	struct err err = ERR_INIT;

	if (c->from_stdin)
		die("editing stdin is not supported");
	if (c->blob)
		die("editing blobs is not supported");
	if (!c->path && !c->ctx->repo)
		die("not in a git directory");
	config_cmd_file_to_write(c);
	if (c->use_global)
		begin_global_file(c->path);
	if (launch_editor(c->ctx->repo, c->path, NULL, &err) < 0 ||
	    seal_edited(c, &err) < 0)
		return report_error(&err);
	return 0;
}

static void report_result(int rc, const struct config_edit *e, struct err *err)
{
	if (rc == ERR_AMBIGUOUS) {
		warning("%s has multiple values", e->key);
		if (e->value)
			report_error(err);
	} else if (rc != ERR_NOT_FOUND) {
		report_error(err);
	}
	err_release(err);
}

int config_cmd_write(struct config_cmd *c, const struct config_edit *e)
{
	const char *path = config_cmd_file_to_write(c);
	struct repo_operation *op = config_write_begin(c);
	struct err err = ERR_INIT;
	int rc = config_file_edit(path, e, repo_operation_batch(op), &err);

	rc = repo_operation_end(op, rc, &err);
	if (rc < 0)
		report_result(rc, e, &err);
	return exit_code_of(rc, e->key);
}

int config_cmd_rename_section(struct config_cmd *c, const char *old_name, const char *new_name)
{
	const char *path = config_cmd_file_to_write(c);
	struct repo_operation *op = config_write_begin(c);
	struct err err = ERR_INIT;
	int rc = config_file_rename_section(path, old_name, new_name, repo_operation_batch(op),
					    &err);

	rc = repo_operation_end(op, rc, &err);
	if (rc == ERR_NOT_FOUND)
		return report_fatal(&err);
	if (rc < 0)
		report_error(&err);
	return rc == ERR_INVALID ? CONFIG_EXIT_BAD_SECTION : exit_code_of(rc, "a.b");
}

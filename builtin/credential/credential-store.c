/* SPDX-License-Identifier: GPL-2.0-only */
/* git-credential-store(1): passwords in a file, a line with a URL each. */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "compat/syscalls.h"
#include "fs/lockfile.h"
#include "operation/operation.h"
#include "credential/credential.h"
#include "credential/secret.h"
#include "util/alloc.h"
#include "util/path.h"
#include "write-or-die.h"

static const char *const usage[] = { "git credential-store [<options>] <action>", NULL };

#define FILE_MAX_BYTES (64u << 20)
#define LOCK_TIMEOUT_MS 1000

/* ---- lines ---- */

/* The credential of a line; false: it is something else. */
static bool parse_line(struct credential *c, const char *s, size_t len)
{
	char *line = xmemdupz(s, len);
	bool ok = strlen(line) == len && !credential_from_url(c, line, NULL) && c->username && c->password;

	secret_wipe(line, len);
	free(line);
	return ok;
}

typedef void (*line_fn)(const char *line, size_t len, bool matches, void *data);

/* Calls `fn` for each line of the text, with whether it matches the wanted credential. */
static void each_line(const struct strbuf *text, const struct credential *wanted, bool with_secret, line_fn fn,
		      void *data)
{
	const char *p = text->buf, *end = p + text->len;
	struct credential c;

	credential_init(&c);
	while (p < end) {
		const char *eol = memchr(p, '\n', end - p);
		size_t len = (eol ? eol : end) - p;

		fn(p, len, parse_line(&c, p, len) && credential_matches(wanted, &c, with_secret), data);
		p += len + 1;
	}
	credential_release(&c);
}

static void add_encoded(struct strbuf *out, const char *s, const char *plain)
{
	for (; *s; s++) {
		char escape[4];

		snprintf(escape, sizeof(escape), "%%%02x", (unsigned char)*s);
		if (isalnum((unsigned char)*s) || strchr(plain, *s))
			secret_buf_add(out, s, 1);
		else
			secret_buf_addstr(out, escape);
	}
}

static void add_line(struct strbuf *out, const struct credential *c)
{
	secret_buf_addstr(out, c->protocol);
	secret_buf_addstr(out, "://");
	add_encoded(out, c->username, "-._~");
	secret_buf_addstr(out, ":");
	add_encoded(out, c->password, "-._~");
	secret_buf_addstr(out, "@");
	add_encoded(out, c->host ? c->host : "", "-._~");
	if (c->path) {
		secret_buf_addstr(out, "/");
		add_encoded(out, c->path, "-._~/!$&'()*+,;=:@?");
	}
	secret_buf_addstr(out, "\n");
}

/* ---- the file ---- */

/* A file that is not there is empty: *exists. */
static int read_store(struct strbuf *text, const char *path, bool *exists, struct err *err)
{
	int fd = (int)RETRY_EINTR(sys->open(path, O_RDONLY | O_CLOEXEC, 0)), rc;

	*exists = fd >= 0;
	if (fd < 0)
		return errno == ENOENT || errno == ENOTDIR ? 0 : err_set_errno(err, "unable to open %s", path);
	rc = secret_buf_read(text, fd, FILE_MAX_BYTES, path, err);
	sys->close(fd);
	return rc;
}

struct rewriting {
	struct strbuf text;
	bool changed;
};

static void keep_others(const char *line, size_t len, bool matches, void *data)
{
	struct rewriting *r = data;

	r->changed |= matches;
	if (matches)
		return;
	secret_buf_add(&r->text, line, len);
	secret_buf_addstr(&r->text, "\n");
}

/* No other user may read the file, from the moment that it has a name. */
static int stage_text(struct repo_operation *op, struct lockfile *lk, const struct strbuf *text, struct err *err)
{
	int rc = 0;

	if (RETRY_EINTR(sys->fchmod(lk->tf->fd, 0600)) < 0)
		rc = err_set_errno(err, "chmod on '%s' failed", lk->tf->path);
	if (!rc)
		rc = write_in_full(lk->tf->fd, text->buf, text->len, lk->tf->path, err);
	/* D1: the new content is written back before the rename; a crash leaves the old file or the new one. */
	return rc ? rc : lockfile_stage(lk, repo_operation_batch(op), FSYNC_OTHER, PUBLISH_FILE, err);
}

/* Writes `path` anew without lines that match c; a credential to be stored comes first. */
static int rewrite_locked(struct repo_operation *op, struct lockfile *lk, const char *path,
			  const struct credential *c, bool keep, struct err *err)
{
	struct rewriting r = { STRBUF_INIT, keep };
	struct strbuf old = STRBUF_INIT;
	bool exists;
	int rc = read_store(&old, path, &exists, err);

	if (!rc) {
		if (keep)
			add_line(&r.text, c);
		each_line(&old, c, !keep, keep_others, &r);
	}
	if (!rc && r.changed)
		rc = stage_text(op, lk, &r.text, err);
	secret_buf_release(&old);
	secret_buf_release(&r.text);
	return rc;
}

static int rewrite(struct repo_operation *op, const char *path, const struct credential *c, bool keep,
		   struct err *err)
{
	struct lockfile lk = LOCKFILE_INIT;
	int timeout_ms = LOCK_TIMEOUT_MS, rc = 0;

	if (!keep && access(path, F_OK))
		return 0;
	if (config_get_int(command_config(NULL), "credentialstore.locktimeoutms", &timeout_ms, err) < 0)
		return ERR_INVALID;
	rc = lockfile_hold(&lk, path, 0, timeout_ms, err);
	if (rc < 0)
		err_prefix(err, "unable to get credential storage lock in %d ms", timeout_ms);
	else
		rc = rewrite_locked(op, &lk, path, c, keep, err);
	lockfile_release(&lk);
	return rc;
}

/* ---- actions, on files of which the first counts most ---- */

struct answer {
	const struct credential *wanted;
	struct strbuf out;
};

static void take_first(const char *line, size_t len, bool matches, void *data)
{
	struct answer *a = data;
	struct credential c;

	if (!matches || a->out.len)
		return;
	credential_init(&c);
	if (parse_line(&c, line, len)) {
		secret_buf_addstr(&a->out, "username=");
		secret_buf_addstr(&a->out, c.username);
		secret_buf_addstr(&a->out, "\npassword=");
		secret_buf_addstr(&a->out, c.password);
		secret_buf_addstr(&a->out, "\n");
	}
	credential_release(&c);
}

static int credential_store_get(const struct strvec *files, struct credential *c, struct err *err)
{
	struct answer a = { c, STRBUF_INIT };
	struct strbuf text = STRBUF_INIT;
	bool exists;
	int rc = 0;

	for (size_t i = 0; !rc && i < files->nr && !a.out.len; i++) {
		rc = read_store(&text, files->v[i], &exists, err);
		if (!rc)
			each_line(&text, c, false, take_first, &a);
		secret_buf_release(&text);
	}
	if (!rc)
		rc = write_in_full(STDOUT_FILENO, a.out.buf, a.out.len, "standard output", err);
	secret_buf_release(&a.out);
	return rc;
}

/* Into the first file that is there, else the first one. */
static int credential_store_store(const struct strvec *files, struct credential *c, struct err *err)
{
	struct fsync_policy policy = command_fsync_policy();
	struct repo_operation *op;
	const char *path = files->v[0];

	if (!c->protocol || !(c->host || c->path) || !c->username || !c->password)
		return 0;
	for (size_t i = 0; i < files->nr; i++)
		if (!access(files->v[i], F_OK)) {
			path = files->v[i];
			break;
		}
	op = repo_operation_begin_outside(&policy);
	return repo_operation_end(op, rewrite(op, path, c, true, err), err);
}

static int credential_store_erase(const struct strvec *files, struct credential *c, struct err *err)
{
	struct fsync_policy policy = command_fsync_policy();
	struct repo_operation *op;
	int rc = 0;

	if (!c->protocol && !c->host && !c->path && !c->username)
		return 0; /* it would match everything */
	op = repo_operation_begin_outside(&policy);
	for (size_t i = 0; !rc && i < files->nr; i++)
		rc = rewrite(op, files->v[i], c, false, err);
	return repo_operation_end(op, rc, err);
}

/* ---- the command ---- */

static void default_files(struct strvec *files)
{
	char *home = path_expand_user("~/.git-credentials"), *xdg = xdg_config_path("credentials");

	if (home)
		strvec_push(files, home);
	if (xdg)
		strvec_push(files, xdg);
	free(home);
	free(xdg);
}

static int credential_store_act(const char *action, const struct strvec *files,
				struct credential *c, struct err *err)
{
	if (!strcmp(action, "get"))
		return credential_store_get(files, c, err);
	if (!strcmp(action, "store"))
		return credential_store_store(files, c, err);
	if (!strcmp(action, "erase"))
		return credential_store_erase(files, c, err);
	return 0; /* of a newer program */
}

int cmd_credential_store(int argc, const char **argv, struct command_ctx *ctx)
{
	const char *file = NULL;
	struct option opts[] = {
		OPT_STRING(0, "file", &file, "path", "fetch and store credentials in <path>"),
		OPT_END()
	};
	struct strvec files = STRVEC_INIT;
	struct err err = ERR_INIT;
	struct credential c;
	int rc;

	argc = parse_options(argc, argv, opts, usage, 0);
	if (argc != 1)
		usage_with_options(usage, opts);
	if (file)
		strvec_pushf(&files, "%s%s", ctx->prefix && *file != '/' ? ctx->prefix : "", file);
	else
		default_files(&files);
	if (!files.nr)
		die("unable to set up default path; use --file");
	credential_init(&c);
	rc = credential_read(&c, STDIN_FILENO, &err);
	if (rc < 0)
		err_prefix(&err, "unable to read credential");
	else
		rc = credential_store_act(argv[0], &files, &c, &err);
	credential_release(&c);
	strvec_clear(&files);
	return rc < 0 ? report_fatal(&err) : 0;
}

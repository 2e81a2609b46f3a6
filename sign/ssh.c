/* SPDX-License-Identifier: GPL-2.0-only */
/* ssh-keygen -Y: sign, find-principals, verify, check-novalidate; see ssh-keygen(1). */
#include "compat/posix.h"
#include "sign/sign-internal.h"
#include "fs/file.h"
#include "object/message.h"
#include "util/alloc.h"
#include "util/path.h"
#include "util/run-command.h"

#define NAMESPACE "git"
#define SIGNATURE_MAX ((size_t)1 << 20)

/* "key::TEXT" or "ssh-…": the key itself, not a file. NULL: a file. */
static const char *literal_key(const char *key)
{
	const char *rest;

	if (skip_prefix(key, "key::", &rest))
		return rest;
	return starts_with(key, "ssh-") ? key : NULL;
}

/* ---- the key, where none is given ---- */

static void warn_of_command(struct repository *r, const char *what, const struct strbuf *errors,
			    const struct strbuf *out)
{
	char *text = xstrfmt("gpg.ssh.defaultKeyCommand %s: %s %s", what, errors->buf, out->buf);

	if (r->warn)
		r->warn(r->warn_data, text);
	free(text);
}

/* The first line of what the command prints. "": it has none. */
static char *run_key_command(struct repository *r, const struct strvec *words)
{
	struct child_process cp = CHILD_PROCESS_INIT;
	struct strbuf out = STRBUF_INIT, errors = STRBUF_INIT;
	struct err err = ERR_INIT;
	char *key = NULL;
	int rc;

	strvec_pushv(&cp.args, words->v);
	rc = pipe_command(&cp, NULL, 0, &out, &errors, SIGN_OUTPUT_MAX, &err);
	if (rc < 0)
		sign_report_error(r, &err);
	if (rc)
		warn_of_command(r, "failed", &errors, &out);
	else if (literal_key(out.buf))
		key = xmemdupz(out.buf, strcspn(out.buf, "\n"));
	else
		warn_of_command(r, "succeeded but returned no keys", &errors, &out);
	strbuf_release(&out);
	strbuf_release(&errors);
	return key ? key : xstrdup("");
}

static int default_key(struct repository *r, char **key, struct err *err)
{
	struct strvec words = STRVEC_INIT;
	const char *command = NULL;
	int rc = config_get_string(r->config, "gpg.ssh.defaultkeycommand", &command, err);

	if (rc < 0)
		return rc;
	if (!rc)
		return err_set(err, ERR_INVALID, "either user.signingkey or "
			       "gpg.ssh.defaultKeyCommand needs to be configured");
	rc = 0;
	if (strvec_split_cmdline(&words, command) < 0)
		rc = err_set(err, ERR_INVALID, "malformed gpg.ssh.defaultKeyCommand: %s", command);
	else if (!words.nr)
		rc = err_set(err, ERR_INVALID, "gpg.ssh.defaultKeyCommand is empty");
	else
		*key = run_key_command(r, &words);
	strvec_clear(&words);
	return rc;
}

/* ---- signing ---- */

/* In our temporary directory, which is deleted as a whole. */
static int write_file_at(const char *path, const char *text, size_t len, struct err *err)
{
	struct tempfile *t = NULL;
	int rc = tempfile_create(&t, path, 0600, err);

	if (!rc)
		rc = sign_fill_temp(&t, text, len, err);
	if (!rc)
		tempfile_forget(&t);
	return rc;
}

/* The key file for ssh-keygen; caller frees the path. */
static int make_key_file(const char *key, const char *dir, char **path, struct err *err)
{
	const char *literal = literal_key(key);
	int rc;

	if (literal) {
		*path = path_join(dir, ".git_signing_key");
		rc = write_file_at(*path, literal, strlen(literal), err);
	} else {
		*path = path_expand_user(key);
		rc = *path ? 0 : err_set(err, ERR_INVALID, "failed to expand user dir in: '%s'",
					 key);
	}
	return rc;
}

static int run_signer(const char *program, const char *key_file, const char *buffer,
		      struct err *err)
{
	struct child_process cp = CHILD_PROCESS_INIT;
	struct strbuf errors = STRBUF_INIT;
	int rc;

	strvec_pushl(&cp.args, program, "-Y", "sign", "-n", NAMESPACE, "-f", key_file, buffer,
		     NULL);
	rc = pipe_command(&cp, NULL, 0, NULL, &errors, SIGN_OUTPUT_MAX, err);
	if (rc < 0)
		rc = ERR_GENERIC;
	else if (rc)
		rc = err_set(err, ERR_GENERIC, "%s", errors.buf);
	if (strstr(errors.buf, "usage:"))
		err_set_preface(err, "error: ssh-keygen -Y sign is needed for ssh signing "
				"(available in openssh version 8.2p1+)\n");
	strbuf_release(&errors);
	return rc;
}

static int read_signature(const char *buffer, struct strbuf *signature, struct err *err)
{
	char *path = xstrfmt("%s.sig", buffer);
	size_t from = signature->len;
	struct err local = ERR_INIT;
	int rc = read_file(signature, path, SIGNATURE_MAX, &local);

	if (rc == ERR_TOO_BIG)
		err_move(err, &local);
	else if (rc < 0)
		rc = err_set(err, ERR_GENERIC,
			     "failed reading ssh signing data buffer from '%s': %s", path,
			     strerror(local.sys_errno ? local.sys_errno : ENOENT));
	else
		sign_remove_cr(signature, from);
	err_release(&local);
	free(path);
	return rc;
}

/*
 * The program writes its result beside its input file: both are in a temporary directory,
 * which is deleted in all cases.
 */
static int ssh_sign(const struct sign_request *q, const char *key, struct strbuf *signature,
		    struct err *err)
{
	struct tempfile *dir = NULL;
	char *key_file = NULL, *buffer = NULL;
	int rc;

	if (!*key)
		return err_set(err, ERR_GENERIC, "user.signingKey needs to be set for ssh signing");
	rc = tempfile_create_dir(&dir, sign_temp_dir(), ".git_signing_tmp", err);
	if (rc < 0)
		return rc;
	buffer = path_join(dir->path, ".git_signing_buffer");
	rc = make_key_file(key, dir->path, &key_file, err);
	if (!rc)
		rc = write_file_at(buffer, q->payload, q->len, err);
	if (!rc)
		rc = run_signer(q->program, key_file, buffer, err);
	if (!rc)
		rc = read_signature(buffer, signature, err);
	tempfile_delete(&dir);
	free(key_file);
	free(buffer);
	return rc;
}

/* ---- checking ---- */

struct ssh_check {
	const struct sign_request *q;
	char *allowed, *revoked;  /* gpg.ssh.allowedSignersFile, gpg.ssh.revocationFile */
	struct strbuf time;	  /* "-Overify-time=…"; empty: no date */
	const char *file;	  /* the signature */
	struct strbuf principals, principals_err; /* of find-principals */
	struct strbuf out, errors;		  /* of the check itself */
};

static void release(struct ssh_check *k)
{
	free(k->allowed);
	free(k->revoked);
	strbuf_release(&k->time);
	strbuf_release(&k->principals);
	strbuf_release(&k->principals_err);
	strbuf_release(&k->out);
	strbuf_release(&k->errors);
}

/* Keys are valid for a time: that of the object counts. ssh-keygen reads local time. */
static void add_time(struct ssh_check *k)
{
	struct date_mode mode = DATE_MODE_INIT;

	if (!k->q->date || date_mode_parse(&mode, "format-local:%Y%m%d%H%M%S") < 0)
		return;
	strbuf_addstr(&k->time, "-Overify-time=");
	date_format(&k->time, k->q->date, 0, &mode);
	date_mode_release(&mode);
}

/* "-Y ACTION" and what each action takes. */
static void begin(struct ssh_check *k, struct child_process *cp, const char *action)
{
	strvec_pushl(&cp->args, k->q->program, "-Y", action, NULL);
}

static void add_signature(struct ssh_check *k, struct child_process *cp)
{
	strvec_pushl(&cp->args, "-s", k->file, NULL);
	if (k->time.len)
		strvec_push(&cp->args, k->time.buf);
}

/* Exit code, or < 0 if it did not run; that is reported. */
static int run(struct ssh_check *k, struct child_process *cp, const char *in, size_t len,
	       struct strbuf *out, struct strbuf *errors)
{
	struct err err = ERR_INIT;
	int rc = pipe_command(cp, in, len, out, errors, SIGN_OUTPUT_MAX, &err);
	if (rc < 0)
		sign_report_error(k->q->r, &err);
	return rc;
}

static int find_principals(struct ssh_check *k)
{
	struct child_process cp = CHILD_PROCESS_INIT;

	begin(k, &cp, "find-principals");
	strvec_pushl(&cp.args, "-f", k->allowed, NULL);
	add_signature(k, &cp);
	return run(k, &cp, NULL, 0, &k->principals, &k->principals_err);
}

/* For a key that is not trusted: never good, but the output names the key. */
static void check_novalidate(struct ssh_check *k)
{
	struct child_process cp = CHILD_PROCESS_INIT;

	begin(k, &cp, "check-novalidate");
	strvec_pushl(&cp.args, "-n", NAMESPACE, NULL);
	add_signature(k, &cp);
	run(k, &cp, k->q->payload, k->q->len, &k->out, &k->errors);
}

static void add_revoked(struct ssh_check *k, struct strvec *args)
{
	struct repository *r = k->q->r;

	if (!k->revoked)
		return;
	if (file_exists(k->revoked)) {
		strvec_pushl(args, "-r", k->revoked, NULL);
	} else if (r->warn) {
		char *text = xstrfmt("ssh signing revocation file configured but not found: %s",
				     k->revoked);

		r->warn(r->warn_data, text);
		free(text);
	}
}

static bool verify_as(struct ssh_check *k, const char *principal)
{
	struct child_process cp = CHILD_PROCESS_INIT;

	strbuf_reset(&k->out);
	strbuf_reset(&k->errors);
	begin(k, &cp, "verify");
	strvec_pushl(&cp.args, "-n", NAMESPACE, "-f", k->allowed, "-I", principal, NULL);
	add_signature(k, &cp);
	add_revoked(k, &cp.args);
	return !run(k, &cp, k->q->payload, k->q->len, &k->out, &k->errors) &&
	       starts_with(k->out.buf, "Good");
}

/* The signature is good if it verifies for one of the principals of the key. */
static bool verify_any(struct ssh_check *k)
{
	char *line = k->principals.buf, *end;
	bool good = false;

	for (; *line && !good; line = end) {
		end = line + strcspn(line, "\n");
		if (*end)
			*end++ = '\0';
		line[strcspn(line, "\r")] = '\0';
		if (*line)
			good = verify_as(k, line);
	}
	return good;
}

/* 'Good "git" signature for WHO with TYPE key FINGERPRINT', or without "for WHO". */
static void parse_output(struct signature_check *c)
{
	size_t len = strcspn(c->output, "\n");
	char *line = xmemdupz(c->output, len), *with = NULL, *key;
	const char *who;

	c->result = 'B';
	c->trust = SIGNATURE_TRUST_NEVER;
	for (char *s = line; (s = strstr(s, " with ")); s++)
		with = s; /* the last one: a name may contain it as well */
	key = with ? strstr(with, " key ") : NULL;
	if (key && skip_prefix(line, "Good \"" NAMESPACE "\" signature for ", &who) &&
	    who <= with) {
		c->result = 'G';
		c->trust = SIGNATURE_TRUST_FULLY;
		c->signer = xmemdupz(who, (size_t)(with - who));
	} else if (key && starts_with(line, "Good \"" NAMESPACE "\" signature with ")) {
		c->result = 'G';
		c->trust = SIGNATURE_TRUST_UNDEFINED;
	}
	if (c->result == 'G') {
		c->fingerprint = xstrdup(key + strlen(" key "));
		c->key = xstrdup(c->fingerprint);
	}
	free(line);
}

static void store_output(struct ssh_check *k, struct signature_check *c)
{
	struct strbuf all = STRBUF_INIT;

	message_cleanup(&k->out, CLEANUP_WHITESPACE, '#');
	message_cleanup(&k->errors, CLEANUP_WHITESPACE, '#');
	strbuf_addbuf(&all, &k->out);
	strbuf_addbuf(&all, &k->principals_err);
	strbuf_addbuf(&all, &k->errors);
	c->output = strbuf_detach(&all, NULL);
	c->status = xstrdup(c->output);
	parse_output(c);
}

static int read_files(struct ssh_check *k, struct err *err)
{
	struct config_set *config = k->q->r->config;
	int rc = config_get_path(config, "gpg.ssh.allowedsignersfile", &k->allowed, err);

	if (rc >= 0)
		rc = config_get_path(config, "gpg.ssh.revocationfile", &k->revoked, err);
	if (rc < 0)
		return rc;
	if (!k->allowed)
		return err_set(err, ERR_INVALID, "gpg.ssh.allowedSignersFile needs to be "
			       "configured and exist for ssh signature verification");
	return 0;
}

static bool run_checks(struct ssh_check *k, struct signature_check *c)
{
	struct err err = ERR_INIT;
	bool good = false;
	int rc = find_principals(k);

	if (rc && strstr(k->principals_err.buf, "usage:")) {
		err_set(&err, ERR_GENERIC, "ssh-keygen -Y find-principals/verify is needed for ssh "
			"signature verification (available in openssh version 8.2p1+)");
		sign_report_error(k->q->r, &err);
		return false;
	}
	if (rc || !k->principals.len)
		check_novalidate(k);
	else
		good = verify_any(k);
	store_output(k, c);
	return good;
}

static bool check(const struct sign_request *q, const char *signature, size_t len,
		  struct signature_check *c)
{
	struct ssh_check k = { .q = q, .time = STRBUF_INIT, .principals = STRBUF_INIT,
			       .principals_err = STRBUF_INIT, .out = STRBUF_INIT,
			       .errors = STRBUF_INIT };
	struct tempfile *file = NULL;
	struct err err = ERR_INIT;
	bool good = false;
	int rc = read_files(&k, &err);

	if (!rc)
		rc = sign_write_temp(&file, ".git_vtag_tmp", signature, len, &err);
	if (rc < 0) {
		sign_report_error(q->r, &err);
	} else {
		k.file = file->path;
		add_time(&k);
		good = run_checks(&k, c);
	}
	tempfile_delete(&file);
	release(&k);
	return good;
}

static const char *const begins[] = { "-----BEGIN SSH SIGNATURE-----", NULL };
static const char *const no_args[] = { NULL };

const struct sign_format sign_format_ssh = {
	.name = "ssh", .index = 2, .default_program = "ssh-keygen",
	.begins = begins, .check_args = no_args,
	.default_key = default_key, .sign = ssh_sign, .check = check,
};

/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "builtin/gpg.h"
#include "compat/syscalls.h"
#include "fs/tempfile.h"
#include "object/tag.h"
#include "util/alloc.h"
#include "util/run-command.h"

static const char *config_string(struct repository *r, const char *key)
{
	const struct config_entry *e = config_get(r->config, key);

	return e && e->value && *e->value ? e->value : NULL;
}

static int find_program(struct repository *r, const char **program, struct err *err)
{
	const char *format = config_string(r, "gpg.format");
	const char *p;

	if (!format || !strcasecmp(format, "openpgp")) {
		p = config_string(r, "gpg.openpgp.program");
		if (!p)
			p = config_string(r, "gpg.program");
		*program = p ? p : "gpg";
		return 0;
	}
	if (!strcasecmp(format, "x509")) {
		p = config_string(r, "gpg.x509.program");
		*program = p ? p : "gpgsm";
		return 0;
	}
	return err_set(err, ERR_UNSUPPORTED, "gpg.format '%s' is not available yet", format);
}

static int find_key(struct repository *r, const char *given, char **key, struct err *err)
{
	struct strbuf ident = STRBUF_INIT;
	const char *p = *given ? given : config_string(r, "user.signingkey");
	int rc = 0;

	if (p)
		*key = xstrdup(p);
	else if (!(rc = repo_ident(r, &ident, IDENT_COMMITTER | IDENT_STRICT | IDENT_NO_DATE, err)))
		*key = strbuf_detach(&ident, NULL);
	strbuf_release(&ident);
	return rc;
}

int gpg_sign(struct repository *r, const char *payload, size_t len, const char *given,
	     struct strbuf *signature, struct err *err)
{
	struct child_process cp = CHILD_PROCESS_INIT;
	struct strbuf status = STRBUF_INIT, out = STRBUF_INIT;
	const char *program = NULL;
	char *key = NULL;
	int rc;

	if ((rc = find_program(r, &program, err)) < 0 || (rc = find_key(r, given, &key, err)) < 0)
		return rc;
	strvec_pushl(&cp.args, program, "--status-fd=2", "-bsau", key, NULL);
	rc = pipe_command(&cp, payload, len, &out, &status, 0, err);
	if (rc >= 0) {
		if (rc || !strstr(status.buf, "[GNUPG:] SIG_CREATED ")) {
			fputs(status.buf, stderr);
			rc = err_set(err, ERR_GENERIC, "gpg failed to sign the data");
		} else {
			strbuf_addbuf(signature, &out);
		}
	}
	free(key);
	strbuf_release(&status);
	strbuf_release(&out);
	return rc;
}

/* ---- verifying ---- */

static bool begins(const char *s, size_t len, const char *prefix)
{
	return len >= strlen(prefix) && !memcmp(s, prefix, strlen(prefix));
}

/* By how the signature begins. */
static int find_verifier(struct repository *r, const char *signature, size_t len,
			 struct strvec *args, struct err *err)
{
	const char *p;

	if (begins(signature, len, "-----BEGIN PGP ")) {
		p = config_string(r, "gpg.openpgp.program");
		if (!p)
			p = config_string(r, "gpg.program");
		strvec_pushl(args, p ? p : "gpg", "--keyid-format=long", NULL);
		return 0;
	}
	if (begins(signature, len, "-----BEGIN SIGNED MESSAGE-----")) {
		p = config_string(r, "gpg.x509.program");
		strvec_push(args, p ? p : "gpgsm");
		return 0;
	}
	return err_set(err, ERR_UNSUPPORTED, "signatures of this format cannot be verified yet");
}

static int write_signature(struct tempfile **t, const char *signature, size_t len,
			   struct err *err)
{
	const char *dir = getenv("TMPDIR");
	int rc = tempfile_create_in(t, dir && *dir ? dir : "/tmp", ".git_vtag_tmp", 0600, err);

	if (rc < 0)
		return rc;
	rc = write_in_full((*t)->fd, signature, len, (*t)->path, err);
	return rc < 0 ? rc : tempfile_close(*t, err);
}

/* Behind "[GNUPG:] TRUST_", or NULL. */
static const char *find_trust(const char *status)
{
	const char *at = strstr(status, "[GNUPG:] TRUST_");

	return at ? at + strlen("[GNUPG:] TRUST_") : NULL;
}

static int trust_rank(const char *name)
{
	static const char *const levels[] = { "undefined", "never", "marginal", "fully",
					      "ultimate" };

	for (size_t i = 0; i < ARRAY_SIZE(levels); i++)
		if (istarts_with(name, levels[i]))
			return (int)i;
	return -1;
}

static int check_trust(struct repository *r, const char *status, struct err *err)
{
	const char *wanted = config_string(r, "gpg.mintrustlevel"), *trust = find_trust(status);

	if (!wanted)
		return 0;
	if (trust_rank(wanted) < 0)
		return err_set(err, ERR_INVALID, "invalid value for 'gpg.mintrustlevel': '%s'", wanted);
	return trust && trust_rank(trust) >= trust_rank(wanted) ? 0 : ERR_ABORTED;
}

static int judge(struct repository *r, int code, const struct strbuf *status, struct err *err)
{
	if (code || (!starts_with(status->buf, "[GNUPG:] GOODSIG ") &&
		     !strstr(status->buf, "\n[GNUPG:] GOODSIG ")))
		return ERR_ABORTED;
	return check_trust(r, status->buf, err);
}

int gpg_verify(struct repository *r, const char *payload, size_t len, const char *signature,
	       size_t signature_len, unsigned flags, struct err *err)
{
	struct child_process cp = CHILD_PROCESS_INIT;
	struct strbuf status = STRBUF_INIT, words = STRBUF_INIT;
	struct tempfile *file = NULL;
	int rc = find_verifier(r, signature, signature_len, &cp.args, err);

	if (!rc)
		rc = write_signature(&file, signature, signature_len, err);
	if (rc < 0) {
		child_process_release(&cp);
		goto out;
	}
	strvec_pushl(&cp.args, "--status-fd=1", "--verify", file->path, "-", NULL);
	rc = pipe_command(&cp, payload, len, &status, &words, 0, err);
	if (rc >= 0)
		rc = judge(r, rc, &status, err);
	if (flags & GPG_VERIFY_VERBOSE)
		fwrite(payload, 1, len, stdout);
	fflush(stdout);
	if (!(flags & GPG_VERIFY_OMIT_STATUS))
		fputs(flags & GPG_VERIFY_RAW ? status.buf : words.buf, stderr);
out:
	tempfile_delete(&file);
	strbuf_release(&status);
	strbuf_release(&words);
	return rc;
}

int gpg_verify_tag(struct repository *r, const char *object, size_t len, unsigned flags,
		   struct err *err)
{
	struct tag_view tag;
	const char *signature;
	int rc = tag_parse(&tag, object, len, r->algo, err);

	if (rc < 0)
		return rc;
	signature = tag.message + tag.signature_offset;
	if (tag.signature_offset == tag.message_len) {
		if (flags & GPG_VERIFY_VERBOSE)
			fwrite(object, 1, len, stdout);
		fflush(stdout);
		return err_set(err, ERR_NOT_FOUND, "no signature found");
	}
	return gpg_verify(r, object, (size_t)(signature - object), signature,
			  len - (size_t)(signature - object), flags, err);
}

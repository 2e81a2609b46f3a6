/* SPDX-License-Identifier: GPL-2.0-only */
/* gpg and gpgsm, and their status lines (doc/DETAILS of GnuPG). */
#include "compat/posix.h"
#include "repo/ident.h"
#include "sign/sign-internal.h"
#include "util/alloc.h"
#include "util/run-command.h"

static int committer(struct repository *r, char **key, struct err *err)
{
	struct strbuf ident = STRBUF_INIT;
	int rc = repo_ident(r, &ident, IDENT_COMMITTER | IDENT_STRICT | IDENT_NO_DATE, err);

	if (!rc)
		*key = strbuf_detach(&ident, NULL);
	strbuf_release(&ident);
	return rc;
}

/* The rest of the first line "[GNUPG:] WORD…"; NULL: there is none. */
static const char *find_status(const char *status, const char *word)
{
	const char *line = status, *rest;

	for (; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
		if (skip_prefix(line, "[GNUPG:] ", &rest) && skip_prefix(rest, word, &rest))
			return rest;
	return NULL;
}

static int gpg_sign(const struct sign_request *q, const char *key, struct strbuf *signature,
		    struct err *err)
{
	struct child_process cp = CHILD_PROCESS_INIT;
	struct strbuf status = STRBUF_INIT, out = STRBUF_INIT;
	size_t from = signature->len;
	int rc;

	strvec_pushl(&cp.args, q->program, "--status-fd=2", "-bsau", key, NULL);
	rc = pipe_command(&cp, q->payload, q->len, &out, &status, SIGN_OUTPUT_MAX, err);
	if (rc < 0) {
		rc = ERR_GENERIC;
	} else if (rc || !find_status(status.buf, "SIG_CREATED ")) {
		rc = err_set(err, ERR_GENERIC, "gpg failed to sign the data:\n%s", status.len ? status.buf : "(no gpg output)");
	} else {
		strbuf_addbuf(signature, &out);
		sign_remove_cr(signature, from);
	}
	strbuf_release(&status);
	strbuf_release(&out);
	return rc;
}

/* ---- status lines ---- */

static const struct verdict {
	const char *word;
	char result;
	bool has_signer;
} verdicts[] = {
	{ "GOODSIG ", 'G', true }, { "BADSIG ", 'B', true }, { "ERRSIG ", 'E', false },
	{ "EXPSIG ", 'X', true }, { "EXPKEYSIG ", 'Y', true }, { "REVKEYSIG ", 'R', true },
};

static void set(char **field, const char *text, size_t len)
{
	free(*field);
	*field = xmemdupz(text, len);
}

/* "KEY SIGNER" */
static void parse_names(struct signature_check *c, const struct verdict *v, const char *s)
{
	size_t n = strcspn(s, " \n");

	set(&c->key, s, n);
	if (!v->has_signer)
		return;
	s += n;
	if (*s == ' ')
		s++;
	set(&c->signer, s, strcspn(s, "\n"));
}

/* "FINGERPRINT", eight more output, "PRIMARY-FINGERPRINT" */
static void parse_fingerprints(struct signature_check *c, const char *s)
{
	size_t n = strcspn(s, " \n");

	set(&c->fingerprint, s, n);
	for (int i = 0; i < 9; i++) {
		s += n;
		if (*s != ' ')
			return;
		n = strcspn(++s, " \n");
	}
	set(&c->primary_fingerprint, s, strcspn(s, "\n"));
}

static bool parse_trust(struct signature_check *c, const char *s)
{
	static const char *const levels[] = { "UNDEFINED", "NEVER", "MARGINAL", "FULLY",
					      "ULTIMATE" };
	size_t n = strcspn(s, " \n");

	for (size_t i = 0; i < ARRAY_SIZE(levels); i++)
		if (strlen(levels[i]) == n && !memcmp(s, levels[i], n)) {
			c->trust = (enum signature_trust)i;
			return true;
		}
	return false;
}

/* False: the status cannot be trusted. */
static bool parse_line(struct signature_check *c, const char *s, bool *judged)
{
	const char *rest;

	for (size_t i = 0; i < ARRAY_SIZE(verdicts); i++)
		if (skip_prefix(s, verdicts[i].word, &rest)) {
			if (*judged)
				return false; /* two signatures: ambiguous */
			*judged = true;
			c->result = verdicts[i].result;
			parse_names(c, &verdicts[i], rest);
			return true;
		}
	if (skip_prefix(s, "VALIDSIG ", &rest))
		parse_fingerprints(c, rest);
	else if (skip_prefix(s, "TRUST_", &rest))
		return parse_trust(c, rest);
	return true;
}

static void parse_status(struct signature_check *c)
{
	const char *line = c->status, *rest;
	bool judged = false;

	for (; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		if (!skip_prefix(line, "[GNUPG:] ", &rest) || parse_line(c, rest, &judged))
			continue;
		c->result = 'E';
		FREE_AND_NULL(c->signer);
		FREE_AND_NULL(c->key);
		FREE_AND_NULL(c->fingerprint);
		FREE_AND_NULL(c->primary_fingerprint);
		return;
	}
}

static bool gpg_check(const struct sign_request *q, const char *signature, size_t len,
		      struct signature_check *c)
{
	struct child_process cp = CHILD_PROCESS_INIT;
	struct strbuf status = STRBUF_INIT, output = STRBUF_INIT;
	struct tempfile *file = NULL;
	struct err err = ERR_INIT;
	int rc = sign_write_temp(&file, ".git_vtag_tmp", signature, len, &err);

	if (rc < 0) {
		sign_report_error(q->r, &err);
		return false;
	}
	strvec_push(&cp.args, q->program);
	for (const char *const *arg = q->format->check_args; *arg; arg++)
		strvec_push(&cp.args, *arg);
	strvec_pushl(&cp.args, "--status-fd=1", "--verify", file->path, "-", NULL);
	rc = pipe_command(&cp, q->payload, q->len, &status, &output, SIGN_OUTPUT_MAX, &err);
	if (rc < 0)
		sign_report_error(q->r, &err);
	tempfile_delete(&file);
	c->status = strbuf_detach(&status, NULL);
	c->output = strbuf_detach(&output, NULL);
	parse_status(c);
	return !rc && find_status(c->status, "GOODSIG ");
}

/* ---- both formats ---- */

static const char *const openpgp_begins[] = { "-----BEGIN PGP SIGNATURE-----",
					      "-----BEGIN PGP MESSAGE-----", NULL };
static const char *const openpgp_args[] = { "--keyid-format=long", NULL };
static const char *const x509_begins[] = { "-----BEGIN SIGNED MESSAGE-----", NULL };
static const char *const no_args[] = { NULL };

const struct sign_format sign_format_openpgp = {
	.name = "openpgp", .index = 0, .default_program = "gpg",
	.begins = openpgp_begins, .check_args = openpgp_args,
	.default_key = committer, .sign = gpg_sign, .check = gpg_check,
};

const struct sign_format sign_format_x509 = {
	.name = "x509", .index = 1, .default_program = "gpgsm",
	.begins = x509_begins, .check_args = no_args,
	.default_key = committer, .sign = gpg_sign, .check = gpg_check,
};

/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "builtin/gpg.h"
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

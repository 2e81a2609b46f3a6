/* SPDX-License-Identifier: GPL-2.0-only */
/* Asks helpers and the user, and reports the result to helpers: gitcredentials(7), "CUSTOM HELPERS". */
#include "compat/posix.h"
#include "credential/ask.h"
#include "credential/credential-internal.h"
#include "credential/secret.h"
#include "util/alloc.h"
#include "util/path.h"
#include "util/run-command.h"

/* ---- one helper ---- */

/* The command for the shell, with its operation. */
static char *helper_command(const char *helper, const char *operation)
{
	if (*helper == '!')
		return xstrfmt("%s %s", helper + 1, operation);
	if (*helper == '/')
		return xstrfmt("%s %s", helper, operation);
	return xstrfmt("git credential-%s %s", helper, operation);
}

static void report_trouble(const struct credential *c, struct err *why)
{
	if (c->warn)
		c->warn(c->warn_data, err_message(why));
	err_release(why);
}

/* Run the helper with c on its stdin. *out: its output; NULL: not needed. < 0: c holds a value that helpers may not get. */
static int run_helper(const struct credential *c, const char *helper, const char *operation, struct strbuf *out,
		      struct err *err)
{
	struct child_process cp = CHILD_PROCESS_INIT;
	struct strbuf in = STRBUF_INIT;
	struct err why = ERR_INIT;
	char *command;
	int rc = credential_write(c, strcmp(operation, "get") ? CREDENTIAL_FOR_REPORT : CREDENTIAL_FOR_HELPER, &in, err);

	if (rc < 0) {
		secret_buf_release(&in);
		child_process_release(&cp);
		return rc;
	}
	command = helper_command(helper, operation);
	strvec_push(&cp.args, command);
	cp.use_shell = true;
	if (out)
		strbuf_grow(out, CREDENTIAL_MAX_BYTES + 1); /* so that it does not move */
	else
		cp.out = open("/dev/null", O_WRONLY | O_CLOEXEC); /* check-calls: nothing is kept there */
	rc = pipe_command(&cp, in.buf, in.len, out, NULL, CREDENTIAL_MAX_BYTES, &why);
	if (rc < 0)
		report_trouble(c, &why);
	free(command);
	secret_buf_release(&in);
	return 0;
}

/* Drop values of a capability that the helper or the caller does not have. */
static void drop_unannounced(struct credential *c, struct strvec *answered)
{
	if (!c->capa_authtype.caller || !c->capa_authtype.helper) {
		secret_free(&c->authtype);
		secret_free(&c->credential);
		c->ephemeral = false;
	}
	if (!c->capa_state.caller || !c->capa_state.helper) {
		credential_clear_list(answered);
		c->multistage = false;
	}
}

/* `answered`: the state that helpers have sent; c->state is what they get. */
static int ask_helper(struct credential *c, const char *helper, struct strvec *answered, struct err *err)
{
	struct strbuf out = STRBUF_INIT;
	struct err why = ERR_INIT;
	struct strvec sent = c->state;
	int rc = run_helper(c, helper, "get", &out, err);

	if (!rc) {
		c->state = *answered;
		if (credential_parse_lines(c, out.buf, out.len, true, &why) < 0)
			report_trouble(c, &why);
		*answered = c->state;
		c->state = sent;
		drop_unannounced(c, answered);
		credential_drop_expired(c);
	}
	secret_buf_release(&out);
	if (!rc && c->quit && !credential_is_complete(c))
		rc = err_set(err, ERR_ABORTED, "credential helper '%s' told us to quit", helper);
	return rc;
}

static int ask_helpers(struct credential *c, struct err *err)
{
	struct strvec answered = STRVEC_INIT;
	int rc = 0;

	c->capa_authtype.helper = c->capa_state.helper = false;
	c->multistage = c->ephemeral = false;
	for (size_t i = 0; !rc && i < c->helpers.nr && !credential_is_complete(c); i++)
		rc = ask_helper(c, c->helpers.v[i], &answered, err);
	credential_clear_list(&c->state);
	c->state = answered;
	credential_clear_list(&c->wwwauth); /* The question has been answered. */
	return rc;
}

/* ---- the user ---- */

static int prompt_user(const struct credential *c, char **answer, const char *what, bool hidden,
	       const struct config_set *config, struct err *err)
{
	struct strbuf place = STRBUF_INIT, prompt = STRBUF_INIT;
	struct err why = ERR_INIT;
	int rc;

	credential_describe(c, &place);
	if (place.len)
		strbuf_addf(&prompt, "%s for '%s': ", what, place.buf);
	else
		strbuf_addf(&prompt, "%s: ", what);
	rc = ask_user(answer, prompt.buf, hidden, config, c->warn, c->warn_data, &why);
	if (rc < 0)
		rc = err_set(err, why.code, "could not read %s%s%s%s: %s", what, place.len ? " for '" : "", place.buf,
			     place.len ? "'" : "", err_message(&why));
	err_release(&why);
	strbuf_release(&place);
	strbuf_release(&prompt);
	return rc;
}

static int ask_for_rest(struct credential *c, const struct config_set *config, struct err *err)
{
	int rc = 0;

	if (c->no_questions)
		return err_set(err, ERR_ABORTED, "unable to get password from user");
	if (!c->username)
		rc = prompt_user(c, &c->username, "Username", false, config, err);
	if (!rc && !c->password)
		rc = prompt_user(c, &c->password, "Password", true, config, err);
	return rc;
}

/* ---- the three operations ---- */

int credential_fill(struct credential *c, const struct config_set *config, struct err *err)
{
	int rc;

	if (c->multistage) { /* the last answer is used up */
		secret_free(&c->credential);
		secret_free(&c->password);
	}
	if (credential_is_complete(c) && c->host && c->protocol)
		return 0;
	rc = credential_configure(c, config, err);
	credential_drop_expired(c);
	if (!rc && !c->username && c->default_username)
		secret_set(&c->username, c->default_username);
	if (!rc && !credential_is_complete(c))
		rc = ask_helpers(c, err);
	if (!rc && !credential_is_complete(c))
		rc = ask_for_rest(c, config, err);
	return rc;
}

static int tell_helpers(const struct credential *c, const char *operation, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < c->helpers.nr; i++)
		rc = run_helper(c, c->helpers.v[i], operation, NULL, err);
	return rc;
}

int credential_approve(struct credential *c, const struct config_set *config, struct err *err)
{
	int rc;

	if (c->approved || !credential_is_complete(c) || c->password_expiry < date_now(NULL))
		return 0;
	rc = credential_configure(c, config, err);
	if (!rc)
		rc = tell_helpers(c, "store", err);
	c->approved = true;
	return rc;
}

int credential_reject(struct credential *c, const struct config_set *config, struct err *err)
{
	int rc = credential_configure(c, config, err);

	if (!rc)
		rc = tell_helpers(c, "erase", err);
	secret_free(&c->username);
	secret_free(&c->password);
	secret_free(&c->authtype);
	secret_free(&c->credential);
	secret_free(&c->oauth_refresh_token);
	c->password_expiry = TIME_MAX;
	c->approved = c->multistage = c->ephemeral = false;
	return rc;
}

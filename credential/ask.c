/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "credential/ask-internal.h"
#include "credential/secret.h"
#include "util/alloc.h"
#include "util/run-command.h"

#define ANSWER_MAX_BYTES 65536

/* The first that is set counts, also if it is empty: then there is none. */
static const char *askpass_program(const struct config_set *config)
{
	const char *program = getenv("GIT_ASKPASS");

	if (!program && config && config_get_string(config, "core.askpass", &program, NULL) < 0)
		program = NULL;
	if (!program)
		program = getenv("SSH_ASKPASS");
	return program && *program ? program : NULL;
}

/* 0, or the reason why there is no answer. */
static int ask_program(char **answer, const char *program, const char *prompt, struct err *err)
{
	struct child_process cp = CHILD_PROCESS_INIT;
	struct strbuf out = STRBUF_INIT;
	int rc;

	strvec_pushl(&cp.args, program, prompt, NULL);
	strbuf_grow(&out, ANSWER_MAX_BYTES + 1);
	rc = pipe_command(&cp, NULL, 0, &out, NULL, ANSWER_MAX_BYTES, err);
	if (rc > 0)
		rc = err_set(err, ERR_ABORTED, "unable to read askpass response from '%s'", program);
	if (!rc) {
		out.buf[strcspn(out.buf, "\r\n")] = '\0';
		*answer = xstrdup(out.buf);
	}
	secret_buf_release(&out);
	return rc;
}

static int may_use_terminal(struct err *err)
{
	const char *value = getenv("GIT_TERMINAL_PROMPT");
	int allowed = value ? config_parse_maybe_bool(value) : 1;

	if (allowed < 0)
		return err_set(err, ERR_INVALID, "bad boolean environment value '%s' for 'GIT_TERMINAL_PROMPT'", value);
	if (!allowed)
		return err_set(err, ERR_ABORTED, "terminal prompts disabled");
	return 0;
}

int ask_user(char **answer, const char *prompt, bool hidden, const struct config_set *config,
	     void (*warn)(void *data, const char *msg), void *warn_data, struct err *err)
{
	const char *program = askpass_program(config);
	struct err why = ERR_INIT;
	int rc;

	if (program) {
		if (!ask_program(answer, program, prompt, &why))
			return 0;
		if (warn)
			warn(warn_data, err_message(&why));
		err_release(&why);
	}
	rc = may_use_terminal(err);
	return rc ? rc : ask_on_terminal(answer, prompt, hidden, err);
}

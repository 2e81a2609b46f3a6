/* SPDX-License-Identifier: GPL-2.0-only */
/* git-credential(1) */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "credential/credential.h"
#include "credential/secret.h"
#include "write-or-die.h"

static const char *const usage[] = { "git credential (fill|approve|reject|capability)", NULL };

static int fill(struct credential *c, const struct config_set *config, struct err *err)
{
	struct strbuf out = STRBUF_INIT;
	int rc = credential_fill(c, config, err);

	if (!rc)
		rc = credential_write(c, CREDENTIAL_FOR_CALLER, &out, err);
	if (!rc)
		rc = write_in_full(STDOUT_FILENO, out.buf, out.len, "standard output", err);
	secret_buf_release(&out);
	return rc;
}

static int credential_print_capabilities(void)
{
	puts("version 0\ncapability authtype\ncapability state");
	return finish_stdout();
}

/* The caller of "approve" and "reject" passes on what a helper has answered. */
static void trust_caller(struct credential *c)
{
	c->capa_authtype.helper = c->capa_authtype.caller;
	c->capa_state.helper = c->capa_state.caller;
}

typedef int (*action_fn)(struct credential *c, const struct config_set *config, struct err *err);

static action_fn action_of(const char *name)
{
	static const struct {
		const char *name;
		action_fn run;
	} actions[] = {
		{ "fill", fill }, { "approve", credential_approve }, { "reject", credential_reject },
	};

	for (size_t i = 0; i < ARRAY_SIZE(actions); i++)
		if (!strcmp(actions[i].name, name))
			return actions[i].run;
	return NULL;
}

int cmd_credential(int argc, const char **argv, struct command_ctx *ctx)
{
	struct option opts[] = { OPT_END() };
	struct err err = ERR_INIT;
	struct credential c;
	action_fn run;
	int rc;

	argc = parse_options(argc, argv, opts, usage, 0);
	if (argc != 1)
		usage_with_options(usage, opts);
	if (!strcmp(argv[0], "capability"))
		return credential_print_capabilities();
	run = action_of(argv[0]);
	if (!run)
		usage_with_options(usage, opts);
	credential_init(&c);
	c.warn = warning_callback;
	rc = credential_read(&c, STDIN_FILENO, &err);
	if (run != fill)
		trust_caller(&c);
	if (rc < 0)
		err_prefix(&err, "unable to read credential from stdin");
	else
		rc = run(&c, command_config(ctx->repo), &err);
	credential_release(&c);
	return rc < 0 ? report_fatal(&err) : 0;
}

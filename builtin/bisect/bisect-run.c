/* SPDX-License-Identifier: GPL-2.0-only */
/* git-bisect(1): run. */
#include "compat/posix.h"
#include "builtin/bisect/bisect-cmd.h"
#include "history/names/revparse.h"
#include "util/alloc.h"
#include "util/quote.h"
#include "util/run-command.h"

static int run_test(const char *command)
{
	struct child_process cp = CHILD_PROCESS_INIT;
	struct err err = ERR_INIT;
	int code;

	printf("running %s\n", command);
	fflush(stdout);
	cp.use_shell = true;
	strvec_push(&cp.args, command);
	code = run_command(&cp, &err);
	if (code < 0)
		report_error(&err);
	return code;
}

/* To a commit and no further: nothing else changes. Returns an exit code. */
static int go_to(struct bisect *b, const struct object_id *oid)
{
	struct repo_operation *op = repo_operation_begin(b->r);
	struct strbuf name = STRBUF_INIT;
	struct err err = ERR_INIT;
	int code;

	if (b->no_checkout) {
		char *line = xstrfmt("%s\n", oid_hex(oid));

		code = repo_operation_write_state(op, STATE_BISECT_HEAD, line, strlen(line), &err);
		free(line);
		code = repo_operation_end(op, code, &err) < 0 ? report_fatal(&err) : 0;
	} else {
		char hex[HASH_MAX_HEX + 1];

		oid_to_hex_r(hex, oid);
		code = command_checkout_in(b->ctx, op, hex, true);
	}
	bisect_add_commit_name(b, oid, &name);
	if (!code)
		printf("%s\n", name.buf);
	fflush(stdout);
	strbuf_release(&name);
	return code;
}

/*
 * The shell's codes for a command that cannot be run, at the first test: the same from a good commit says that the command is
 * wrong. True: it is, and that has been reported.
 */
static bool fails_everywhere(struct bisect *b, const char *command, int code)
{
	const char *head = b->no_checkout ? repo_state_name(STATE_BISECT_HEAD) : "HEAD";
	struct object_id here;
	int again;

	if (!b->good.nr || revparse_oid(b->r, head, &here, NULL) < 0)
		return false;
	if (go_to(b, &b->good.oid[0]))
		return true;
	again = run_test(command);
	if (go_to(b, &here))
		return true;
	if (again < 0 || again >= 128)
		error("unable to verify %s on '%s' revision", command, b->term_good);
	else if (again == code)
		error("bogus exit code %d for '%s' revision", again, b->term_good);
	else
		return false;
	return true;
}

/* One mark; *b is read anew before. Returns an outcome. */
static int mark_result(struct bisect *b, int code, const char **state)
{
	struct command_ctx *ctx = b->ctx;
	struct err err = ERR_INIT;

	bisect_release(b);
	bisect_init(b, ctx);
	if (bisect_read(b, &err) < 0)
		return report_fatal(&err);
	*state = code == 125 ? "skip" : code ? b->term_bad : b->term_good;
	return bisect_state_cmd(b, *state, 0, NULL);
}

/* Returns true if the tests go on. */
static bool goes_on(const struct bisect *b, const char *state, int *outcome)
{
	fflush(stdout);
	switch (*outcome) {
	case BISECT_OK:
		return true;
	case BISECT_ONLY_SKIPPED:
		error("bisect run cannot continue any more");
		break;
	case BISECT_TEST_MERGE_BASE:
		printf("bisect run success\n");
		break;
	case BISECT_FOUND:
		printf("bisect found first '%s' commit\n", b->term_bad);
		break;
	default:
		error("bisect run failed: 'git bisect %s' exited with error code %d", state, -*outcome);
	}
	return false;
}

int bisect_run_cmd(struct bisect *b, const char **argv)
{
	struct strbuf command = STRBUF_INIT;
	const char *state = "";
	bool first = true;
	int code, outcome = BISECT_FAILED;

	sq_quote_argv(&command, argv);
	strbuf_remove(&command, 0, 1); /* the first blank */
	do {
		code = run_test(command.buf);
		if (first && (code == 126 || code == 127) && fails_everywhere(b, command.buf, code))
			break;
		first = false;
		if (code < 0 || code >= 128) {
			error("bisect run failed: exit code %d from %s is < 0 or >= 128", code, command.buf);
			outcome = code < 0 ? BISECT_FAILED : (256 - code) & 255;
			break;
		}
		outcome = mark_result(b, code, &state);
	} while (goes_on(b, state, &outcome));
	strbuf_release(&command);
	return outcome;
}

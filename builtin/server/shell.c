/* SPDX-License-Identifier: GPL-2.0-only */
/* git-shell(1): a login shell for accounts that only serve repositories. */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "builtin/server/service.h"
#include "cli/git-options.h"
#include "util/alloc.h"
#include "util/quote.h"
#include "util/run-command.h"

#define COMMAND_DIR "git-shell-commands"
#define LINE_LEN_MAX ((size_t)1024 * 1024)

/* ---- services ---- */

static const char *const services[] = { "upload-pack", "receive-pack", "upload-archive" };

/* The one word, quoted as clients quote it, that is left of the command line. Caller frees. */
static char *only_argument(const char *text)
{
	const char *end = NULL;
	char *word = sq_dequote_step(text, &end);

	if (!word || *end || *word == '-') {
		free(word);
		die("bad argument");
	}
	return word;
}

/* "git-upload-pack 'DIR'" or "git upload-pack 'DIR'": does not come back. */
static void serve_if_asked(const char *line, const struct command_ctx *ctx)
{
	const char *rest;

	if (!skip_prefix(line, "git-", &rest) && !skip_prefix(line, "git ", &rest))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(services); i++) {
		struct strvec args = STRVEC_INIT;
		const char *dir;
		char *argument;

		if (!skip_prefix(rest, services[i], &dir) || (*dir && *dir != ' '))
			continue;
		argument = only_argument(*dir ? dir + 1 : dir);
		if (!service_is_there(ctx, services[i]))
			die("this server has no git %s", services[i]);
		push_own_command(&args, services[i]);
		strvec_push(&args, argument);
		execv(args.v[0], (char *const *)args.v);
		die("cannot run git %s: %s", services[i], strerror(errno));
	}
}

/* ---- the commands of the account ---- */

static void go_home(void)
{
	const char *home = getenv("HOME");

	if (!home)
		die("could not determine user's home directory; HOME is unset");
	if (chdir(home) < 0)
		die("could not chdir to user's home directory: %s", strerror(errno));
}

/* A name in COMMAND_DIR, and not of another place. */
static bool is_command_name(const char *name)
{
	return *name && strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			       "0123456789-_") == strlen(name);
}

static int split(struct strvec *words, const char *line, struct err *err)
{
	int rc = strvec_split_cmdline(words, line);

	return rc ? err_set(err, ERR_INVALID, "invalid command format '%s': %s", line,
			    rc == -1 ? "unclosed quote" : "cmdline ends with \\") : 0;
}

/* The command line of a client: a command takes our place, so that signals reach it. */
NORETURN static void run_line(const char *line, const struct command_ctx *ctx)
{
	struct strvec words = STRVEC_INIT, args = STRVEC_INIT;
	struct err err = ERR_INIT;

	serve_if_asked(line, ctx);
	go_home();
	if (split(&words, line, &err) < 0)
		die_err(&err);
	if (words.nr && is_command_name(words.v[0])) {
		strvec_pushf(&args, "%s/%s", COMMAND_DIR, words.v[0]);
		strvec_pushv(&args, words.v + 1);
		execv(args.v[0], (char *const *)args.v);
	}
	die("unrecognized command '%s'", line);
}

/* ---- interactive use ---- */

/* True: there was one; false: end of the input. */
static bool read_line(struct strbuf *line)
{
	int c;

	strbuf_reset(line);
	while ((c = getc(stdin)) != EOF && c != '\n') {
		if (line->len == LINE_LEN_MAX)
			die("a line is longer than %zu bytes", LINE_LEN_MAX);
		strbuf_addch(line, c);
	}
	return c != EOF || line->len;
}

static bool is_end(const char *word)
{
	static const char *const ends[] = { "quit", "logout", "exit", "bye" };

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		if (!strcmp(word, ends[i]))
			return true;
	return false;
}

/* *code is that of the command. ERR_NOT_FOUND: there is none of that name. */
static int run_custom(const struct strvec *words, int *code, struct err *err)
{
	struct child_process cp = CHILD_PROCESS_INIT;
	char *path = xstrfmt("%s/%s", COMMAND_DIR, words->v[0]);
	int rc;

	if (access(path, X_OK)) {
		free(path);
		return err_set(err, ERR_NOT_FOUND, "unrecognized command '%s'", words->v[0]);
	}
	strvec_push(&cp.args, path);
	strvec_pushv(&cp.args, words->v + 1);
	free(path);
	rc = run_command(&cp, err);
	if (rc < 0)
		return rc;
	*code = rc;
	return 0;
}

/* A command that need not be there; its exit code, or -1 if it is not. */
static int run_optional(const char *name)
{
	struct strvec words = STRVEC_INIT;
	struct err err = ERR_INIT;
	int code = -1, rc;

	strvec_push(&words, name);
	rc = run_custom(&words, &code, &err);
	if (rc && rc != ERR_NOT_FOUND)
		error("%s", err_message(&err));
	err_release(&err);
	strvec_clear(&words);
	return rc == ERR_NOT_FOUND ? -1 : rc ? 128 : code;
}

/* What a user has typed. True: to go on. */
static bool run_typed(const char *line)
{
	struct strvec words = STRVEC_INIT;
	struct err err = ERR_INIT;
	bool go_on = true;
	int code, rc = split(&words, line, &err);

	if (!rc && words.nr) {
		go_on = !is_end(words.v[0]);
		if (go_on && !is_command_name(words.v[0]))
			rc = err_set(&err, ERR_INVALID, "invalid command format '%s'", words.v[0]);
		else if (go_on)
			rc = run_custom(&words, &code, &err);
	}
	if (rc)
		fprintf(stderr, "%s\n", err_message(&err));
	err_release(&err);
	strvec_clear(&words);
	return go_on;
}

static int converse(void)
{
	struct strbuf line = STRBUF_INIT;
	bool go_on = true;

	setvbuf(stdin, NULL, _IONBF, 0); /* what comes behind a line is for the command */
	run_optional("help");
	while (go_on) {
		fprintf(stderr, "git> ");
		if (!read_line(&line)) {
			fputc('\n', stderr);
			break;
		}
		go_on = run_typed(line.buf);
	}
	strbuf_release(&line);
	return 0;
}

static int interact(void)
{
	int code;

	go_home();
	if (access(COMMAND_DIR, R_OK | X_OK))
		die("Interactive git shell is not enabled.\n"
		    "hint: ~/" COMMAND_DIR " should exist and have read and execute access.");
	code = run_optional("no-interactive-login");
	return code >= 0 ? code : converse();
}

int cmd_shell(int argc, const char **argv, struct command_ctx *ctx)
{
	if (argc == 1)
		return interact();
	if (argc != 3 || strcmp(argv[1], "-c") != 0)
		die("Run with no arguments or with -c cmd");
	run_line(argv[2], ctx);
}

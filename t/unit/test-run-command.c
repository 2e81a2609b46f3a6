/* SPDX-License-Identifier: GPL-2.0-only */
/* Child processes; the option parser and the progress meter, each in a child. */
#include "compat/posix.h"
#include <pthread.h>
#include <pty.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/wait.h>
#include <cmocka.h>
#include "scratch.h"
#include "util/alloc.h"
#include "util/parse-options.h"
#include "util/progress.h"
#include "util/run-command.h"
#include "util/workers.h"

/* ---- run-command ---- */

/* sh -c SCRIPT a1 */
static void shell(struct child_process *cp, const char *script, const char *arg)
{
	child_process_init(cp);
	strvec_pushl(&cp->args, "sh", "-c", script, "sh", arg, NULL);
}

static void test_exit_codes(void **state)
{
	struct child_process cp;
	struct err err = ERR_INIT;

	(void)state;
	shell(&cp, "exit 7", NULL);
	assert_int_equal(run_command(&cp, &err), 7);
	shell(&cp, "kill -9 $$", NULL);
	assert_int_equal(run_command(&cp, &err), 128 + 9);
	shell(&cp, "kill -PIPE $$; exit 0", NULL);
	signal(SIGPIPE, SIG_IGN); /* ours; the child has the default */
	assert_int_equal(run_command(&cp, &err), 128 + SIGPIPE);
	signal(SIGPIPE, SIG_DFL);
	assert_null(err.msg);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no zombie is left */
	assert_int_equal(errno, ECHILD);
}

static void test_cannot_start(void **state)
{
	struct child_process cp = CHILD_PROCESS_INIT;
	struct err err = ERR_INIT;
	char *directory = scratch_new();

	(void)state;
	if (!scratch_spawn_tells())
		skip();
	strvec_push(&cp.args, "no-such-program-here");
	cp.in = -1;
	assert_int_equal(start_command(&cp, &err), ERR_NOT_FOUND);
	assert_string_equal(err_message(&err),
			    "cannot run no-such-program-here: No such file or directory");
	assert_int_equal(finish_command(&cp), -1);
	child_process_release(&cp);
	err_release(&err);

	child_process_init(&cp);
	strvec_push(&cp.args, "/no/such/program");
	assert_int_equal(run_command(&cp, &err), ERR_NOT_FOUND);
	err_release(&err);

	child_process_init(&cp);
	strvec_push(&cp.args, directory);
	assert_int_equal(run_command(&cp, &err), ERR_IO);
	assert_int_equal(err.sys_errno, EACCES);
	err_release(&err);

	child_process_init(&cp);
	strvec_push(&cp.args, "true");
	cp.dir = "/no/such/dir";
	assert_int_equal(run_command(&cp, &err), ERR_IO);
	assert_non_null(strstr(err_message(&err), "'/no/such/dir'"));
	err_release(&err);
	scratch_remove(directory);
}

static void test_descriptors_close_on_failure(void **state)
{
	struct child_process cp = CHILD_PROCESS_INIT;
	struct err err = ERR_INIT;
	int fd[2];

	(void)state;
	assert_int_equal(pipe(fd), 0);
	strvec_push(&cp.args, "no-such-program-here");
	cp.in = fd[0];
	cp.out = fd[1];
	assert_int_equal(run_command(&cp, &err), ERR_NOT_FOUND);
	assert_int_equal(fcntl(fd[0], F_GETFD), -1);
	assert_int_equal(fcntl(fd[1], F_GETFD), -1);
	err_release(&err);
}

static void check_output(struct child_process *cp, int code, const char *want)
{
	struct strbuf out = STRBUF_INIT;
	struct err err = ERR_INIT;

	assert_int_equal(pipe_command(cp, NULL, 0, &out, NULL, 0, &err), code);
	assert_string_equal(out.buf, want);
	assert_null(err.msg);
	strbuf_release(&out);
}

static void test_environment_and_directory(void **state)
{
	struct child_process cp;

	(void)state;
	setenv("T_KEPT", "kept", 1);
	setenv("T_GONE", "x", 1);
	setenv("T_NEW", "old", 1);
	shell(&cp, "echo \"$T_KEPT ${T_GONE-gone} $T_NEW $T_LAST\"; pwd", NULL);
	strvec_pushl(&cp.env, "T_GONE", "T_NEW=new", "T_LAST=1", "T_LAST=2", NULL);
	cp.dir = "/";
	check_output(&cp, 0, "kept gone new 2\n/\n");
	assert_string_equal(getenv("T_NEW"), "old");
}

static void test_shell_lines(void **state)
{
	struct child_process cp = CHILD_PROCESS_INIT;

	(void)state;
	cp.use_shell = true;
	strvec_pushl(&cp.args, "printf '[%s]'", "a b", "c", NULL);
	check_output(&cp, 0, "[a b][c]");
	child_process_init(&cp);
	cp.use_shell = true;
	strvec_push(&cp.args, "echo one; echo $0 | wc -w");
	check_output(&cp, 0, "one\n7\n"); /* $0 is the line itself */
	child_process_init(&cp);
	cp.use_shell = true;
	strvec_pushl(&cp.args, "echo", "$HOME", NULL); /* no shell needed */
	check_output(&cp, 0, "$HOME\n");
}

static void test_script_without_interpreter(void **state)
{
	struct child_process cp = CHILD_PROCESS_INIT;
	char *directory;

	(void)state;
	if (!scratch_spawn_tells())
		skip();
	directory = scratch_new();
	write_text(at(directory, "hook"), "echo \"hook $1\"\n");
	assert_int_equal(chmod(at(directory, "hook"), 0755), 0);
	strvec_pushl(&cp.args, at(directory, "hook"), "arg", NULL);
	check_output(&cp, 0, "hook arg\n");
	scratch_remove(directory);
}

static void test_where_output_goes(void **state)
{
	struct strbuf out = STRBUF_INIT, errout = STRBUF_INIT;
	struct child_process cp;
	struct err err = ERR_INIT;

	(void)state;
	shell(&cp, "echo out; echo err >&2; exit 3", NULL);
	assert_int_equal(pipe_command(&cp, NULL, 0, &out, &errout, 0, &err), 3);
	assert_string_equal(out.buf, "out\n");
	assert_string_equal(errout.buf, "err\n");
	strbuf_reset(&errout);
	shell(&cp, "echo out; echo err >&2", NULL);
	cp.stdout_to_stderr = true;
	assert_int_equal(pipe_command(&cp, NULL, 0, NULL, &errout, 0, &err), 0);
	assert_string_equal(errout.buf, "out\nerr\n");
	strbuf_reset(&out);
	shell(&cp, "cat; echo out", NULL);
	cp.no_stdin = true;
	assert_int_equal(pipe_command(&cp, NULL, 0, &out, NULL, 0, &err), 0);
	assert_string_equal(out.buf, "out\n");
	strbuf_release(&out);
	strbuf_release(&errout);
}

/* The child inherits no other descriptors. */
static void test_nothing_leaks_into_the_child(void **state)
{
	struct child_process cp, other;
	struct err err = ERR_INIT;
	char number[16];

	(void)state;
	shell(&other, "cat >/dev/null", NULL);
	other.in = -1;
	assert_int_equal(start_command(&other, &err), 0);
	snprintf(number, sizeof(number), "%d", other.in);
	shell(&cp, "(exec 3>&$1) 2>/dev/null && echo open || echo closed", number);
	check_output(&cp, 0, "closed\n");
	close(other.in);
	assert_int_equal(finish_command(&other), 0);
	child_process_release(&other);
}

/* More than a pipe holds, both ways at once. */
static void test_no_deadlock(void **state)
{
	enum { LEN = 3000000 };
	char *big = xmalloc(LEN);
	struct strbuf out = STRBUF_INIT, errout = STRBUF_INIT;
	struct child_process cp;
	struct err err = ERR_INIT;

	(void)state;
	for (size_t i = 0; i < LEN; i++)
		big[i] = (char)('a' + i % 26);
	shell(&cp, "tee /dev/stderr", NULL);
	assert_int_equal(pipe_command(&cp, big, LEN, &out, &errout, 0, &err), 0);
	assert_int_equal(out.len, LEN);
	assert_memory_equal(out.buf, big, LEN);
	assert_int_equal(errout.len, LEN);
	free(big);
	strbuf_release(&out);
	strbuf_release(&errout);
}

/* A child that does not read its input is not a failure and causes no SIGPIPE. */
static void test_input_not_read(void **state)
{
	char *big = xcalloc(1, 1000000);
	struct strbuf out = STRBUF_INIT;
	struct child_process cp;
	struct err err = ERR_INIT;
	sigset_t pending;

	(void)state;
	shell(&cp, "exec <&-; echo done", NULL);
	assert_int_equal(pipe_command(&cp, big, 1000000, &out, NULL, 0, &err), 0);
	assert_string_equal(out.buf, "done\n");
	sigpending(&pending);
	assert_false(sigismember(&pending, SIGPIPE));
	shell(&cp, "cat", NULL);
	assert_int_equal(pipe_command(&cp, "", 0, &out, NULL, 0, &err), 0);
	assert_string_equal(out.buf, "done\n");
	free(big);
	strbuf_release(&out);
}

static void test_output_is_capped(void **state)
{
	struct strbuf out = STRBUF_INIT;
	struct child_process cp;
	struct err err = ERR_INIT;

	(void)state;
	strbuf_addstr(&out, "before");
	shell(&cp, "exec yes", NULL);
	assert_int_equal(pipe_command(&cp, NULL, 0, &out, NULL, 1000, &err), ERR_TOO_BIG);
	assert_string_equal(out.buf, "before"); /* untouched */
	assert_non_null(strstr(err_message(&err), "1000 bytes"));
	err_release(&err);
	strbuf_reset(&out);
	shell(&cp, "printf 12345", NULL);
	assert_int_equal(pipe_command(&cp, NULL, 0, &out, NULL, 5, &err), 0);
	assert_string_equal(out.buf, "12345");
	strbuf_release(&out);
}

static void test_errors_are_capped(void **state)
{
	struct strbuf out = STRBUF_INIT, errout = STRBUF_INIT;
	struct child_process cp;
	struct err err = ERR_INIT;

	(void)state;
	shell(&cp, "echo out; head -c 3000000 /dev/zero >&2", NULL);
	assert_int_equal(pipe_command(&cp, NULL, 0, &out, &errout, 1000, &err), ERR_TOO_BIG);
	assert_int_equal(out.len + errout.len, 0);
	assert_non_null(strstr(err_message(&err), "1000 bytes"));
	err_release(&err);
	shell(&cp, "printf 12345 >&2", NULL);
	assert_int_equal(pipe_command(&cp, NULL, 0, NULL, &errout, 5, &err), 0);
	assert_string_equal(errout.buf, "12345");
	strbuf_release(&out);
	strbuf_release(&errout);
}

static void run_in_thread(void *arg)
{
	struct child_process cp;
	struct err err = ERR_INIT;

	shell(&cp, "kill -TERM $$; exit 0", NULL);
	*(int *)arg = run_command(&cp, &err);
}

/* Our threads block all signals; children that they start must not. */
static void test_signal_mask_of_children(void **state)
{
	struct workers *w = workers_new(2, 8);
	int code[4] = { 0 };

	(void)state;
	for (size_t i = 0; i < 4; i++)
		workers_submit(w, run_in_thread, NULL, &code[i]);
	workers_free(w);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(code[i], 128 + SIGTERM);
}

static void test_locate(void **state)
{
	char *directory = scratch_new();
	char *old = xstrdup(getenv("PATH")), *path = xstrfmt("%s:/nowhere", directory);

	(void)state;
	write_text(at(directory, "tool"), "");
	setenv("PATH", path, 1);
	free(path);
	assert_null(locate_in_path("tool")); /* not executable */
	assert_int_equal(chmod(at(directory, "tool"), 0755), 0);
	path = locate_in_path("tool");
	assert_string_equal(path, at(directory, "tool"));
	free(path);
	assert_null(locate_in_path(""));
	setenv("PATH", old, 1);
	free(old);
	scratch_remove(directory);
}

/* ---- parse-options: each case in a child, since it may exit ---- */

static struct values {
	int dry_run, verbose, number, mode, no_verify;
	unsigned bits;
	unsigned long size;
	const char *string, *optional;
	struct strvec list;
} v;

static int see(const struct option *opt, const char *arg, int unset)
{
	struct strvec *list = opt->value;

	if (arg && !strcmp(arg, "fail")) {
		fprintf(stderr, "error: as you wish\n");
		return -1;
	}
	strvec_push(list, unset ? "unset" : arg ? arg : "none");
	return 0;
}

static const char *const usage[] = {
	"git test [<options>]\n        [<path>]",
	"git test --other",
	NULL,
};

static int parse(int argc, const char **argv, unsigned flags)
{
	struct option opts[] = {
		OPT__DRY_RUN(&v.dry_run, "dry run"),
		OPT__VERBOSE(&v.verbose),
		OPT_GROUP("Group"),
		OPT_STRING('m', "message", &v.string, "message", "the message"),
		OPT_INTEGER(0, "number", &v.number, "a number"),
		OPT_MAGNITUDE(0, "size", &v.size, "a size"),
		OPT_CMDMODE('l', "list", &v.mode, "list", 1),
		OPT_CMDMODE('d', "delete", &v.mode, "delete", 2),
		OPT_BIT(0, "bit", &v.bits, "a bit", 4),
		OPT_BOOL(0, "no-verify", &v.no_verify, "no hooks"),
		OPT_STRVEC(0, "add", &v.list, "word", "a list"),
		OPT_CALLBACK_F(0, "call", &v.list, "what", "calls", PARSE_OPT_OPTARG, see),
		{ OPTION_STRING, 'S', "sign", &v.optional, "key", "sign",
		  PARSE_OPT_OPTARG, NULL, (intptr_t)"default" },
		{ OPTION_BOOL, 0, "a-very-long-name-of-an-option", &v.dry_run, NULL, "hm",
		  PARSE_OPT_NONEG, NULL, 1 },
		{ OPTION_BOOL, 0, "hidden", &v.dry_run, NULL, "hm", PARSE_OPT_HIDDEN,
		  NULL, 1 },
		OPT_END()
	};

	v = (struct values){ .list = STRVEC_INIT, .number = -1 };
	return parse_options(argc, argv, opts, usage, flags);
}

/* Words of `line` as arguments; everything printed, and "exit N", to `out`. */
static void parse_in_child(const char *line, unsigned flags, struct strbuf *out)
{
	struct strvec argv = STRVEC_INIT;
	int fd[2], status;
	char buf[4096];
	ssize_t n;
	pid_t pid;

	strvec_push(&argv, "test");
	assert_int_equal(strvec_split_cmdline(&argv, line), 0);
	assert_int_equal(pipe(fd), 0);
	fflush(NULL);
	pid = fork();
	if (!pid) {
		int argc;

		dup2(fd[1], 1);
		dup2(fd[1], 2);
		argc = parse((int)argv.nr, argv.v, flags);
		for (int i = 0; i < argc; i++)
			printf("[%s]", argv.v[i]);
		fflush(stdout);
		_exit(0);
	}
	close(fd[1]);
	while ((n = read(fd[0], buf, sizeof(buf))) > 0)
		strbuf_add(out, buf, (size_t)n);
	close(fd[0]);
	waitpid(pid, &status, 0);
	strbuf_addf(out, "exit %d", WEXITSTATUS(status));
	strvec_clear(&argv);
}

static const struct {
	const char *line;
	unsigned flags;
	const char *start; /* start of the output */
} talks[] = {
	{ "a -n b -- -c", 0, "[a][b][-c]exit 0" },
	{ "a -n -- b", PARSE_OPT_KEEP_DASHDASH, "[a][--][b]exit 0" },
	{ "-n a -v", PARSE_OPT_STOP_AT_NON_OPTION, "[a][-v]exit 0" },
	{ "-n a", PARSE_OPT_KEEP_ARGV0, "[test][a]exit 0" },
	{ "-nXv --what --verb", PARSE_OPT_KEEP_UNKNOWN, "[-Xv][--what]exit 0" },
	{ "-", 0, "[-]exit 0" },
	{ "--end-of-options -n", 0, "[-n]exit 0" },
	{ "--foo=bar", 0, "error: unknown option `foo=bar'\nusage: git test [<options>]\n               [<path>]\n   or: git test --other\n\n    -n, --dry-run         dry run\n" },
	{ "-x", 0, "error: unknown switch `x'\nusage: " },
	{ "-\xc3\xa9", 0, "error: unknown non-ascii option in string: `-\xc3\xa9'\nusage: " },
	{ "--no-a-very", 0, "error: unknown option `no-a-very'\n" },
	{ "-m", 0, "error: switch `m' requires a value\nexit 129" },
	{ "--message", 0, "error: option `message' requires a value\nexit 129" },
	{ "--dry-run=3", 0, "error: option `dry-run' takes no value\nexit 129" },
	{ "--no-dry-run=3", 0, "error: option `no-dry-run' takes no value\nexit 129" },
	{ "--number=x", 0, "error: option `number' expects an integer value with an optional k/m/g suffix\nexit 129" },
	{ "--number=1kk", 0, "error: option `number' expects an integer value" },
	{ "--number=", 0, "error: option `number' expects a numerical value\nexit 129" },
	{ "--number=99999999999", 0, "error: value 99999999999 for option `number' not in range [-2147483648,2147483647]\nexit 129" },
	{ "--number=2g", 0, "error: value 2g for option `number' not in range" },
	{ "--number=-99999999999999999999", 0, "error: value -99999999999999999999 for option `number' not in range" },
	{ "--size=99999999999999999999", 0, "error: value 99999999999999999999 for option `size' not in range [0," },
	{ "--size=", 0, "error: option `size' expects a numerical value\nexit 129" },
	{ "--size=4q", 0, "error: option `size' expects a non-negative integer value with an optional k/m/g suffix\nexit 129" },
	{ "--size=-1", 0, "error: option `size' expects a non-negative" },
	{ "-ld", 0, "error: options '-d' and '-l' cannot be used together\nexit 129" },
	{ "--list --delete", 0, "error: options '--delete' and '--list' cannot be used together\nexit 129" },
	{ "--no-ver", 0, "error: ambiguous option: no-ver (could be --no-verbose or --no-verify)\nusage: " },
	{ "-verbose", 0, "error: did you mean `--verbose` (with two dashes)?\nexit 129" },
	{ "-vh", 0, "usage: git test" },
	{ "--call=fail", 0, "error: as you wish\nexit 129" },
	{ "-h", PARSE_OPT_NO_INTERNAL_HELP, "error: unknown switch `h'\n" },
};

static void test_option_output(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(talks); i++) {
		struct strbuf out = STRBUF_INIT;

		parse_in_child(talks[i].line, talks[i].flags, &out);
		if (!starts_with(out.buf, talks[i].start))
			fail_msg("'%s' prints\n%s", talks[i].line, out.buf);
		if (starts_with(out.buf, "error:"))
			assert_true(ends_with(out.buf, "exit 129"));
		strbuf_release(&out);
	}
}

static void test_usage_layout(void **state)
{
	struct strbuf out = STRBUF_INIT;

	(void)state;
	parse_in_child("-h", 0, &out);
	assert_string_equal(out.buf,
		"usage: git test [<options>]\n"
		"               [<path>]\n"
		"   or: git test --other\n"
		"\n"
		"    -n, --dry-run         dry run\n"
		"    -v, --verbose         be more verbose\n"
		"\n"
		"Group\n"
		"    -m, --message <message>\n"
		"                          the message\n"
		"    --number <n>          a number\n"
		"    --size <n>            a size\n"
		"    -l, --list            list\n"
		"    -d, --delete          delete\n"
		"    --bit                 a bit\n"
		"    --no-verify           no hooks\n"
		"    --add <word>          a list\n"
		"    --call[=<what>]       calls\n"
		"    -S, --sign[=<key>]    sign\n"
		"    --a-very-long-name-of-an-option\n"
		"                          hm\n"
		"\n"
		"exit 129");
	strbuf_reset(&out);
	parse_in_child("--help-all", 0, &out);
	assert_non_null(strstr(out.buf, "    --hidden              hm\n"));
	strbuf_release(&out);
}

static void set(const char *line)
{
	struct strvec argv = STRVEC_INIT;
	const char **detached;

	strvec_clear(&v.list);
	strvec_push(&argv, "test");
	assert_int_equal(strvec_split_cmdline(&argv, line), 0);
	detached = xmemdup(argv.v, (argv.nr + 1) * sizeof(*detached));
	assert_int_equal(parse((int)argv.nr, detached, 0), 0);
	free(detached);
	/* values point into argv: leave it to the next call */
	{
		static struct strvec keep = STRVEC_INIT;

		strvec_clear(&keep);
		keep = argv;
	}
}

static void test_option_values(void **state)
{
	(void)state;
	set("-nvv -m text --number -3 --size=2k --bit --verif");
	assert_int_equal(v.dry_run, 1);
	assert_int_equal(v.verbose, 2);
	assert_string_equal(v.string, "text");
	assert_int_equal(v.number, -3);
	assert_int_equal(v.size, 2048);
	assert_int_equal(v.bits, 4);
	assert_int_equal(v.no_verify, 0);
	set("-nv --no-dry-run --no-verb --no-no-verify");
	assert_int_equal(v.no_verify, 0);
	assert_int_equal(v.dry_run, 0);
	assert_int_equal(v.verbose, 0);
	set("--no-verify -mtext --no-message --number=5 --no-number");
	assert_int_equal(v.no_verify, 1);
	assert_null(v.string);
	assert_int_equal(v.number, 0);
	set("-S --add a --add=b --mess=x -l --list");
	assert_string_equal(v.optional, "default");
	assert_int_equal(v.list.nr, 2);
	assert_string_equal(v.string, "x");
	assert_int_equal(v.mode, 1);
	set("-Skey --add a --no-add --call --call=x --no-call");
	assert_string_equal(v.optional, "key");
	assert_int_equal(v.list.nr, 3);
	assert_string_equal(v.list.v[0], "none");
	assert_string_equal(v.list.v[2], "unset");
	set("");
	strvec_clear(&v.list);
}

static void test_numbers(void **state)
{
	uint64_t u = 7;
	int i = 7;

	(void)state;
	assert_false(parse_magnitude("", &u) || parse_magnitude("k", &u));
	assert_false(parse_magnitude("1kk", &u) || parse_magnitude("-1", &u));
	assert_false(parse_magnitude("18446744073709551616", &u));
	assert_false(parse_magnitude("17179869184g", &u));
	assert_int_equal(u, 7);
	assert_true(parse_magnitude("18446744073709551615", &u) && u == UINT64_MAX);
	assert_true(parse_magnitude("3G", &u) && u == UINT64_C(3) << 30);
	assert_true(parse_magnitude("0x10", &u) && u == 16);
	assert_false(parse_int_strict("", &i) || parse_int_strict("1 ", &i));
	assert_false(parse_int_strict("2147483648", &i));
	assert_true(parse_int_strict("-2147483648", &i) && i == INT_MIN);
}

/* ---- progress ---- */

/* What the meter writes to a terminal. */
static void watch(const char *delay, uint64_t total, struct strbuf *out)
{
	int terminal, status;
	char buf[4096];
	ssize_t n;
	pid_t pid;

	fflush(NULL);
	pid = forkpty(&terminal, NULL, NULL, NULL);
	if (pid < 0)
		skip(); /* no /dev/pts here */
	if (!pid) {
		struct progress *p;

		setenv("GIT_PROGRESS_DELAY", delay, 1);
		p = progress_start("Adding files", total);
		for (uint64_t i = 1; p && i <= 1000; i++) {
			progress_update(p, i);
			if (i % 250 == 0)
				usleep(120000);
		}
		progress_stop(&p);
		_exit(p ? 1 : 0);
	}
	while ((n = read(terminal, buf, sizeof(buf))) > 0)
		strbuf_add(out, buf, (size_t)n);
	close(terminal);
	waitpid(pid, &status, 0);
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void test_progress(void **state)
{
	struct strbuf out = STRBUF_INIT;
	struct progress *none = NULL;

	(void)state;
	watch("0", 1000, &out);
	assert_true(starts_with(out.buf, "Adding files:   0% (1/1000)\r"));
	assert_non_null(strstr(out.buf, "Adding files:  25% (251/1000)\r"));
	assert_true(ends_with(out.buf, "Adding files: 100% (1000/1000), done.\r\n"));
	strbuf_reset(&out);
	watch("0", 0, &out);
	assert_true(ends_with(out.buf, "Adding files: 1000, done.\r\n"));
	strbuf_reset(&out);
	watch("60", 1000, &out); /* finished before the delay: nothing is shown */
	assert_string_equal(out.buf, "");
	progress_update(none, 1);
	progress_stop(&none);
	strbuf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exit_codes),
		cmocka_unit_test(test_cannot_start),
		cmocka_unit_test(test_descriptors_close_on_failure),
		cmocka_unit_test(test_environment_and_directory),
		cmocka_unit_test(test_shell_lines),
		cmocka_unit_test(test_script_without_interpreter),
		cmocka_unit_test(test_where_output_goes),
		cmocka_unit_test(test_nothing_leaks_into_the_child),
		cmocka_unit_test(test_no_deadlock),
		cmocka_unit_test(test_input_not_read),
		cmocka_unit_test(test_output_is_capped),
		cmocka_unit_test(test_errors_are_capped),
		cmocka_unit_test(test_signal_mask_of_children),
		cmocka_unit_test(test_locate),
		cmocka_unit_test(test_option_output),
		cmocka_unit_test(test_usage_layout),
		cmocka_unit_test(test_option_values),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_progress),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

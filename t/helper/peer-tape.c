/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * peer-tape record TAPE GIT ARGS...   run stock Git, note its answer, and pass it on
 * peer-tape play TAPE GIT ARGS...     give the noted answer; run GIT, which is ours, for its effects
 * peer-tape fold TAPE                 note long answers that are equal only once
 *
 * So that tests which compare with stock Git can run where there is none (t/README). A tape is a
 * text: for each call a line with the test ($PEER_TEST: checksum of its title), the directory and the
 * arguments, then what was printed, and the exit code if it was not 0. Equal calls in one test
 * are distinguished by their order ($PEER_STATE counts them).
 *
 *	= 3 theirs: log -1
 *	>a line of standard output
 *	!a line of standard error
 *	>"one with a control character\001, a backslash or quote at its start, or without an end
 *	? 128
 *	& 17	the answer is that of the 17th call
 *
 * The trash directory ($TRASH_DIRECTORY) is @TRASH@ in it. Exits with 125 if no answer is noted.
 */
#include "compat/posix.h"
#include <sys/file.h>
#include <sys/wait.h>
#include "fs/file.h"
#include "util/alloc.h"
#include "util/map.h"
#include "util/quote.h"
#include "util/strbuf.h"
#include "write-or-die.h"

#define TRASH "@TRASH@"
#define NO_ANSWER 125
/* Longer answers are not noted: such tests need the other Git. */
#define ANSWER_MAX 32768

static const char *trash;

static void die(const char *what)
{
	perror(what);
	exit(NO_ANSWER);
}

static void replace_all(struct strbuf *sb, const char *what, const char *with)
{
	struct strbuf out = STRBUF_INIT;
	const char *p = sb->buf, *end = sb->buf + sb->len, *hit;

	while ((hit = memmem(p, (size_t)(end - p), what, strlen(what)))) {
		strbuf_add(&out, p, (size_t)(hit - p));
		strbuf_addstr(&out, with);
		p = hit + strlen(what);
	}
	strbuf_add(&out, p, (size_t)(end - p));
	strbuf_swap(sb, &out);
	strbuf_release(&out);
}

/* ---- keys ---- */

/* The directory and the arguments, in one line. */
static void make_key(struct strbuf *key, char **args)
{
	char *cwd = getcwd(NULL, 0);
	size_t len = strlen(trash);

	if (!cwd)
		die("getcwd");
	strbuf_addf(key, "= %s ", getenv("PEER_TEST"));
	if (starts_with(cwd, trash))
		strbuf_addf(key, "%s:", cwd[len] ? cwd + len + 1 : ".");
	else
		strbuf_addf(key, "%s:", cwd);
	free(cwd);
	for (; *args; args++) {
		strbuf_addch(key, ' ');
		quote_c_style(key, *args, strlen(*args), false);
	}
	strbuf_addch(key, '\n');
	replace_all(key, trash, TRASH);
}

/* How many equal calls were there before in this run? */
static size_t count_call(const struct strbuf *key)
{
	struct strbuf seen = STRBUF_INIT;
	int fd = open(getenv("PEER_STATE"), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	size_t nr = 0;

	if (fd < 0 || flock(fd, LOCK_EX) || read_fd(&seen, fd, 0, "PEER_STATE", NULL) < 0)
		die("PEER_STATE");
	for (const char *p = seen.buf; (p = strstr(p, key->buf)); p += key->len)
		nr++;
	if (write(fd, key->buf, key->len) != (ssize_t)key->len)
		die("PEER_STATE");
	close(fd);
	strbuf_release(&seen);
	return nr;
}

/* ---- answers ---- */

static bool is_plain(const char *p, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)p[i] < ' ' && p[i] != '\t')
			return false;
	return *p != '"';
}

static void note_lines(struct strbuf *out, char kind, const struct strbuf *text)
{
	const char *p = text->buf, *end = p + text->len, *eol;
	size_t start;

	for (; p < end; p = eol) {
		eol = memchr(p, '\n', (size_t)(end - p));
		strbuf_addch(out, kind);
		if (eol && is_plain(p, (size_t)(eol - p))) {
			strbuf_add(out, p, (size_t)(++eol - p));
			continue;
		}
		eol = eol ? eol + 1 : end;
		start = out->len;
		if (!quote_c_style(out, p, (size_t)(eol - p), false)) {
			strbuf_insert(out, start, "\"", 1);
			strbuf_addch(out, '"');
		}
		strbuf_addch(out, '\n');
	}
}

static void play_line(FILE *to, const char *p, const char *eol)
{
	struct strbuf line = STRBUF_INIT;

	if (*p != '"')
		strbuf_add(&line, p, (size_t)(eol + 1 - p));
	else if (unquote_c_style(&line, p, NULL))
		die("a quoted line");
	replace_all(&line, TRASH, trash);
	fwrite(line.buf, 1, line.len, to);
	strbuf_release(&line);
}

/* ---- folding ---- */

/* Shorter ones are not worth a reference. */
#define FOLD_MIN 100

static const char *end_of_answer(const char *answer)
{
	const char *end = *answer == '=' ? answer : strstr(answer, "\n=");

	return !end ? strchr(answer, '\0') : end == answer ? end : end + 1;
}

/* The answer of the nr-th call, from 1 on */
static const char *answer_of(const char *tape, size_t nr)
{
	const char *p = strstr(tape, "\n=");

	while (p && --nr)
		p = strstr(p + 1, "\n=");
	return p ? strchrnul(p + 1, '\n') + 1 : NULL;
}

static int fold(const char *path)
{
	struct strbuf tape = STRBUF_INIT, out = STRBUF_INIT;
	struct strmap first = STRMAP_INIT;
	const char *p, *answer, *end;
	size_t nr = 1;
	FILE *f;

	if (read_file(&tape, path, 0, NULL) < 0)
		die(path);
	p = strchrnul(tape.buf, '\n') + 1;
	strbuf_add(&out, tape.buf, (size_t)(p - tape.buf));
	for (; *p; p = end, nr++) {
		char *copy;
		size_t seen;

		answer = strchr(p, '\n') + 1;
		end = end_of_answer(answer);
		copy = xmemdupz(answer, (size_t)(end - answer));
		seen = (size_t)(uintptr_t)strmap_get(&first, copy);
		strbuf_add(&out, p, (size_t)(answer - p));
		if (seen && strlen(copy) > FOLD_MIN)
			strbuf_addf(&out, "& %zu\n", seen);
		else
			strbuf_addstr(&out, copy);
		if (!seen)
			strmap_put(&first, copy, (void *)(uintptr_t)nr);
		free(copy);
	}
	f = fopen(path, "w");
	if (!f || fwrite(out.buf, 1, out.len, f) != out.len || fclose(f))
		die(path);
	strmap_clear(&first, NULL);
	strbuf_release(&tape);
	strbuf_release(&out);
	return 0;
}

/* ---- running ---- */

static int run(char **argv, int out, int err)
{
	int status = 0;
	pid_t pid = fork();

	if (!pid) {
		dup2(out, 1);
		dup2(err, 2);
		execv(argv[0], argv);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		die(argv[0]);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void take(FILE *f, struct strbuf *text, int pass_to)
{
	rewind(f);
	if (read_fd(text, fileno(f), 0, "output", NULL) < 0 ||
	    write_in_full(pass_to, text->buf, text->len, "output", NULL) < 0)
		_exit(141); /* as if by SIGPIPE */
	replace_all(text, trash, TRASH);
	fclose(f);
}

static int record(const char *tape, char **argv)
{
	struct strbuf entry = STRBUF_INIT, text = STRBUF_INIT;
	FILE *out = tmpfile(), *err = tmpfile();
	int fd, code;

	make_key(&entry, argv + 1);
	if (!out || !err)
		die("tmpfile");
	code = run(argv, fileno(out), fileno(err));
	fd = open(tape, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	take(err, &text, 2);
	note_lines(&entry, '!', &text);
	strbuf_reset(&text);
	take(out, &text, 1);
	note_lines(&entry, '>', &text);
	if (code)
		strbuf_addf(&entry, "? %d\n", code);
	if (entry.len > ANSWER_MAX)
		return code;
	if (fd < 0 || write(fd, entry.buf, entry.len) != (ssize_t)entry.len)
		die(tape);
	strbuf_release(&entry);
	strbuf_release(&text);
	return code;
}

static const char *find_answer(const struct strbuf *tape, const struct strbuf *key, size_t nr)
{
	const char *p = tape->buf;

	while ((p = strstr(p, key->buf))) {
		if ((p == tape->buf || p[-1] == '\n') && !nr--)
			return p + key->len;
		p += key->len;
	}
	return NULL;
}

static int play(const char *path, char **argv)
{
	struct strbuf tape = STRBUF_INIT, key = STRBUF_INIT;
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC), code = 0;
	const char *p, *eol;

	make_key(&key, argv + 1);
	if (read_file(&tape, path, 0, NULL) < 0)
		die(path);
	p = find_answer(&tape, &key, count_call(&key));
	if (!p) {
		fprintf(stderr, "peer-tape: no answer is noted for %s", key.buf);
		strbuf_release(&tape);
		strbuf_release(&key);
		return NO_ANSWER;
	}
	run(argv, null, null);
	if (*p == '&')
		p = answer_of(tape.buf, strtoul(p + 1, NULL, 10));
	if (!p)
		die("a reference");
	for (; *p && *p != '='; p = eol + 1) {
		eol = strchrnul(p, '\n');
		if (*p == '?')
			code = atoi(p + 1);
		else
			play_line(*p == '!' ? stderr : stdout, p + 1, eol);
	}
	strbuf_release(&tape);
	strbuf_release(&key);
	return code;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "fold"))
		return fold(argv[2]);
	trash = getenv("TRASH_DIRECTORY");
	if (argc < 4 || !trash || !getenv("PEER_TEST") || !getenv("PEER_STATE")) {
		fprintf(stderr, "usage: peer-tape (record | play) TAPE GIT ARGS...\n");
		return NO_ANSWER;
	}
	return !strcmp(argv[1], "record") ? record(argv[2], argv + 3) : play(argv[2], argv + 3);
}

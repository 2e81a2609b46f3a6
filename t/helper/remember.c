/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * remember DIR PROGRAM ARGS...
 *
 * What the program answers, from DIR if it has been asked the same before: the same arguments, content of files that
 * these name, standard input, and time zone. Names of files in $TMPDIR do not count. For programs that check signatures: they
 * are slow, and tests ask them the same for our git and for stock Git, in many ways. All of standard input is read.
 */
#include "compat/posix.h"
#include <sys/stat.h>
#include "fs/file.h"
#include "hash/hash.h"
#include "util/strbuf.h"
#include "util/run-command.h"

#define CANNOT_ASK 125

static void die(const char *what)
{
	perror(what);
	exit(CANNOT_ASK);
}

static void add_part(struct strbuf *question, const char *text, size_t len)
{
	strbuf_addf(question, "%zu ", len);
	strbuf_add(question, text, len);
}

static void add_argument(struct strbuf *question, const char *arg)
{
	const char *tmp = getenv("TMPDIR");
	bool is_temporary = tmp && starts_with(arg, tmp);
	struct strbuf content = STRBUF_INIT;
	struct stat st;

	add_part(question, is_temporary ? "" : arg, is_temporary ? 0 : strlen(arg));
	if (!stat(arg, &st) && S_ISREG(st.st_mode) && read_file(&content, arg, 0, NULL) >= 0)
		add_part(question, content.buf, content.len);
	strbuf_release(&content);
}

static void add_variable(struct strbuf *question, const char *name)
{
	const char *value = getenv(name);

	add_part(question, value ? value : "", value ? strlen(value) : 0);
}

/* An answer is "CODE LENGTH\n", that much of standard output, then standard error. */
static void ask(struct strbuf *answer, char **argv, const struct strbuf *input)
{
	struct child_process cp = CHILD_PROCESS_INIT;
	struct strbuf out = STRBUF_INIT, errout = STRBUF_INIT;
	struct err err = ERR_INIT;
	int code;

	for (; *argv; argv++)
		strvec_push(&cp.args, *argv);
	code = pipe_command(&cp, input->buf, input->len, &out, &errout, 0, &err);
	if (code < 0)
		die(cp.args.v ? cp.args.v[0] : "program");
	strbuf_addf(answer, "%d %zu\n", code, out.len);
	strbuf_add(answer, out.buf, out.len);
	strbuf_add(answer, errout.buf, errout.len);
	strbuf_release(&out);
	strbuf_release(&errout);
}

static void keep(const char *path, const struct strbuf *answer)
{
	struct strbuf temporary = STRBUF_INIT;
	FILE *f;

	strbuf_addf(&temporary, "%s.%d", path, (int)getpid());
	f = fopen(temporary.buf, "w");
	if (!f || fwrite(answer->buf, 1, answer->len, f) != answer->len || fclose(f) || rename(temporary.buf, path))
		die(path);
	strbuf_release(&temporary);
}

static int give(const struct strbuf *answer)
{
	char *end;
	int code = (int)strtol(answer->buf, &end, 10);
	size_t len = strtoul(end, &end, 10);
	const char *out = end + 1, *stop = answer->buf + answer->len;

	fwrite(out, 1, len, stdout);
	fwrite(out + len, 1, (size_t)(stop - out) - len, stderr);
	return fflush(stdout) ? CANNOT_ASK : code;
}

int main(int argc, char **argv)
{
	struct strbuf question = STRBUF_INIT, input = STRBUF_INIT, answer = STRBUF_INIT, path = STRBUF_INIT;
	char hex[HASH_MAX_HEX + 1];
	struct object_id name;
	int code;

	if (argc < 3) {
		fprintf(stderr, "usage: remember DIR PROGRAM ARGS...\n");
		return CANNOT_ASK;
	}
	if (read_fd(&input, 0, 0, "standard input", NULL) < 0)
		die("standard input");
	for (int i = 2; i < argc; i++)
		add_argument(&question, argv[i]);
	add_variable(&question, "TZ");
	add_variable(&question, "GNUPGHOME");
	add_part(&question, input.buf, input.len);
	hash_buf(hash_sha256, question.buf, question.len, &name);
	oid_to_hex_r(hex, &name);
	strbuf_addf(&path, "%s/%s", argv[1], hex);
	if (access(path.buf, R_OK) || read_file(&answer, path.buf, 0, NULL) < 0) {
		ask(&answer, argv + 2, &input);
		keep(path.buf, &answer);
	}
	code = give(&answer);
	strbuf_release(&question);
	strbuf_release(&input);
	strbuf_release(&answer);
	strbuf_release(&path);
	return code;
}

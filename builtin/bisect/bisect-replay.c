/* SPDX-License-Identifier: GPL-2.0-only */
/* git-bisect(1): replay. */
#include "compat/posix.h"
#include "builtin/bisect/bisect-cmd.h"
#include "fs/file.h"
#include "history/names/revparse.h"
#include "util/alloc.h"
#include "util/path.h"

#define LOG_MAX ((size_t)64 << 20)

/* rev: the rest of the line, as it is. */
static int replay_mark(struct bisect *b, const char *state, const char *rev)
{
	struct object_id oid;

	if (revparse_commit(b->r, rev, &oid, NULL) < 0) {
		error("couldn't get the oid of the rev '%s'", rev);
		return BISECT_FAILED;
	}
	bisect_mark(b, state, &oid, true);
	return 0;
}

static int read_again(struct bisect *b)
{
	struct command_ctx *ctx = b->ctx;
	struct err err = ERR_INIT;

	bisect_release(b);
	bisect_init(b, ctx);
	return bisect_read(b, &err) < 0 ? report_fatal(&err) : 0;
}

/* Those of one bisection, before another one starts. */
static int record_marks(struct bisect *b)
{
	int code = bisect_step_run(b);

	return code ? code : read_again(b);
}

static int replay_word(struct bisect *b, const char *word, const char *rest)
{
	bool has_words = !strcmp(word, "start") || !strcmp(word, "terms");
	struct strvec words = STRVEC_INIT;
	int code = 0;

	if (has_words && !bisect_dequote(rest, true, &words)) {
		error("badly quoted words: %s", rest);
		code = BISECT_FAILED;
	} else if (!strcmp(word, "start")) {
		code = b->nr_marks ? record_marks(b) : 0;
		if (!code && bisect_start_cmd(b, (int)words.nr, words.v) != BISECT_OK)
			code = BISECT_FAILED;
	} else if (has_words) {
		code = bisect_terms_cmd(b, (int)words.nr, words.v);
	} else if (b->has_terms && bisect_check_terms(b, word) < 0) {
		code = BISECT_FAILED;
	} else if (bisect_is_common_term(word) || !strcmp(word, "skip") || !strcmp(word, b->term_bad) || !strcmp(word, b->term_good)) {
		code = bisect_require_start(b);
		if (!code)
			code = bisect_check_terms(b, word) < 0 ? BISECT_FAILED : replay_mark(b, word, rest);
	} else {
		error("'%s'?? what are you talking about?", word);
		code = BISECT_FAILED;
	}
	strvec_clear(&words);
	return code;
}

static int replay_line(struct bisect *b, const char *line)
{
	const char *rest = line + strspn(line, " \t");
	char *word;
	int code;

	if (!skip_prefix(rest, "git bisect ", &rest) && !skip_prefix(rest, "git-bisect ", &rest))
		return 0;
	rest += strspn(rest, " \t");
	word = xmemdupz(rest, strcspn(rest, " \t"));
	rest += strlen(word);
	code = *word ? replay_word(b, word, rest + strspn(rest, " \t")) : 0;
	free(word);
	return code;
}

static void strip_cr(char *line)
{
	size_t len = strlen(line);

	if (len && line[len - 1] == '\r')
		line[len - 1] = '\0';
}

/* What `start` has written is read again; the marks after it are one step. What a bad line follows is recorded. */
static int replay_lines(struct bisect *b, struct strbuf *text)
{
	char *save = NULL;
	int code = 0;

	for (char *line = strtok_r(text->buf, "\n", &save); !code && line; line = strtok_r(NULL, "\n", &save)) {
		strip_cr(line);
		code = replay_line(b, line);
		if (!code && b->is_new)
			code = read_again(b);
	}
	if (!code)
		return bisect_auto_next(b);
	(void)bisect_step_run(b);
	return code;
}

int bisect_replay_cmd(struct bisect *b, const char *file)
{
	char *path = is_absolute_path(file) || !b->ctx->prefix ? xstrdup(file) : xstrfmt("%s%s", b->ctx->prefix, file);
	struct command_ctx *ctx = b->ctx;
	struct strbuf text = STRBUF_INIT;
	int code = BISECT_FAILED;

	if (read_named_file(&text, path, LOG_MAX, NULL) < 0 || !text.len)
		error("cannot read file '%s' for replaying", file);
	else if (!(code = bisect_reset_cmd(b, NULL))) {
		bisect_release(b);
		bisect_init(b, ctx);
		code = replay_lines(b, &text);
	}
	strbuf_release(&text);
	free(path);
	return code;
}

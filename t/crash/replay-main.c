/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Usage: replay list RECORD          the entries, one a line, separated by tabs:
 *                                    number type offset len ref time-us text
 *        replay build BASE RECORD K MODE PERCENT pages|requests SEED OUT
 *        replay serve BASE RECORD    reads such lines ("K MODE ... OUT") from stdin; prints
 *                                    "ok" or "failed" for each. Fast while K does not decrease.
 *
 * MODE: all, flushed, random, ignore-flushes.
 */
#include "compat/posix.h"
#include "t/crash/replay.h"

static int usage(void)
{
	fprintf(stderr, "usage: replay list RECORD\n"
			"   or: replay build BASE RECORD K MODE PERCENT pages|requests SEED OUT\n"
			"   or: replay serve BASE RECORD\n");
	return 129;
}

static int list(const char *record)
{
	static const char *const types[] = { "", "write", "zero", "flush", "done", "mark" };
	struct replay r;
	int ret = replay_open(&r, NULL, record);

	for (size_t i = 0; !ret && i < r.nr; i++) {
		const struct record_entry *e = &r.entries[i].head;
		const char *text = (const char *)r.entries[i].data;
		int len = e->type == RECORD_MARK ? (int)e->data_len : 0;

		if (len && text[len - 1] == '\n')
			len--;
		printf("%zu\t%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%.*s\n", i,
		       types[e->type], e->offset, e->len, e->ref, e->time_us, len, text);
	}
	replay_release(&r);
	return ret < 0;
}

static int parse_mode(const char *word, enum replay_mode *mode)
{
	static const char *const names[] = { "all", "flushed", "random", "ignore-flushes" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (!strcmp(word, names[i])) {
			*mode = (enum replay_mode)i;
			return 0;
		}
	}
	fprintf(stderr, "replay: unknown mode '%s'\n", word);
	return -1;
}

/* words: K MODE PERCENT UNIT SEED OUT */
static int build(struct replay *r, char **words)
{
	struct replay_choice c = { .percent = (unsigned)atoi(words[2]),
				   .whole = !strcmp(words[3], "requests"),
				   .seed = strtoull(words[4], NULL, 10) };
	int fd, ret;

	if (parse_mode(words[1], &c.mode) < 0 ||
	    replay_goto(r, strtoull(words[0], NULL, 10)) < 0)
		return -1;
	fd = open(words[5], O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0) {
		fprintf(stderr, "replay: %s: %s\n", words[5], strerror(errno));
		return -1;
	}
	ret = replay_build(r, &c, fd);
	close(fd);
	return ret;
}

static int serve(struct replay *r)
{
	char line[PATH_MAX + 256];

	while (fgets(line, sizeof(line), stdin)) {
		char *words[6], *save = NULL, *p = line;
		int n;

		for (n = 0; n < 6 && (words[n] = strtok_r(p, " \n", &save)); n++)
			p = NULL;
		puts(n == 6 && !build(r, words) ? "ok" : "failed");
		fflush(stdout);
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct replay r;
	int ret;

	if (argc == 3 && !strcmp(argv[1], "list"))
		return list(argv[2]);
	if (!(argc == 4 && !strcmp(argv[1], "serve")) &&
	    !(argc == 10 && !strcmp(argv[1], "build")))
		return usage();
	ret = replay_open(&r, argv[2], argv[3]);
	if (!ret)
		ret = argc == 4 ? serve(&r) : build(&r, argv + 4);
	replay_release(&r);
	return ret < 0;
}

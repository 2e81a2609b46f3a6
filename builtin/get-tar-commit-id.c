/* SPDX-License-Identifier: GPL-2.0-only */
/* git-get-tar-commit-id(1): the comment in the global header with which git archive begins. */
#include "compat/posix.h"
#include "compat/syscalls.h"
#include "builtin/builtin.h"

#define TAR_BLOCK ((size_t)512) /* a header; its content follows in the next block */
#define TAR_TYPE_AT 156		/* offset of the type in a header; 'g' is a global pax header */

#define SHA1_HEX 40
#define SHA256_HEX 64

static const char *const usage[] = { "git get-tar-commit-id", NULL };

/* Header and first block of content. */
static void read_start(char *buf, size_t size)
{
	size_t have = 0;

	while (have < size) {
		ssize_t n = RETRY_EINTR(read(0, buf + have, size - have));

		if (n < 0)
			die("git get-tar-commit-id: read error: %s", strerror(errno));
		if (!n)
			die("git get-tar-commit-id: EOF before reading tar header");
		have += (size_t)n;
	}
}

/* A pax record is "LENGTH KEY=VALUE\n". Its length, as it is given, says how long the id is. */
static const char *find_id(const char *content, size_t *len)
{
	static const struct {
		const char *start;
		size_t id_len;
	} records[] = {
		{ "52 comment=", SHA1_HEX }, { "76 comment=", SHA256_HEX },
	};
	const char *id;

	for (size_t i = 0; i < ARRAY_SIZE(records); i++) {
		if (skip_prefix(content, records[i].start, &id)) {
			*len = records[i].id_len;
			return id;
		}
	}
	return NULL;
}

int cmd_get_tar_commit_id(int argc, const char **argv, struct command_ctx *ctx UNUSED)
{
	struct option opts[] = { OPT_END() };
	char start[2 * TAR_BLOCK + 1] = "";
	const char *id;
	size_t len;

	if (parse_options(argc, argv, opts, usage, 0))
		usage_with_options(usage, opts);
	read_start(start, 2 * TAR_BLOCK);
	id = start[TAR_TYPE_AT] == 'g' ? find_id(start + TAR_BLOCK, &len) : NULL;
	if (!id)
		return 1;
	fwrite(id, 1, len, stdout);
	putchar('\n');
	return finish_stdout();
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * craft-pack [sha256] <lines >pack
 *
 * Makes a pack by hand, good or not. A line is one entry, counted from 0:
 *
 *   TYPE TEXT          an object; "\n" in TEXT is a line feed
 *   file TYPE PATH     the same with the content of a file
 *   ofs ENTRY TEXT     a delta that appends TEXT to entry ENTRY
 *   tail ENTRY N TEXT  a delta that has the last N bytes of entry ENTRY, at most 65535, then TEXT
 *   times ENTRY N      a delta that has entry ENTRY N times
 *   ref OID SIZE TEXT  a delta that appends TEXT to the object OID, which has SIZE bytes
 *   raw NUMBER SIZE TEXT  type and size as given, whatever the content
 *   count N            the count in the header
 */
#include "compat/posix.h"
#include "fs/file.h"
#include "t/pack-craft.h"
#include "util/alloc.h"
#include "write-or-die.h"

static NORETURN void fail(const char *line)
{
	fprintf(stderr, "craft-pack: bad line: %s\n", line);
	exit(2);
}

struct script {
	struct craft craft;
	size_t *sizes; /* of the objects */
	size_t alloc;
	uint32_t count;
};

static void note_size(struct script *s, size_t size)
{
	ALLOC_GROW(s->sizes, (size_t)s->craft.nr, s->alloc);
	s->sizes[s->craft.nr - 1] = size;
}

/* "\n" in place. */
static void unescape(char *text)
{
	char *out = text;

	for (; *text; text++)
		if (text[0] == '\\' && text[1] == 'n') {
			*out++ = '\n';
			text++;
		} else {
			*out++ = *text;
		}
	*out = 0;
}

static void add_object(struct script *s, enum object_type type, const void *p, size_t len)
{
	craft_object(&s->craft, type, p, len);
	note_size(s, len);
}

static void add_ofs(struct script *s, char *args)
{
	struct strbuf d = STRBUF_INIT;
	char *text;
	unsigned long base = strtoul(args, &text, 10);

	if (*text != ' ' || base >= s->craft.nr)
		fail(args);
	unescape(++text);
	delta_extend(&d, s->sizes[base], text);
	craft_ofs_delta(&s->craft, (uint32_t)base, &d);
	note_size(s, s->sizes[base] + strlen(text));
	strbuf_release(&d);
}

static void add_tail(struct script *s, char *args)
{
	struct strbuf d = STRBUF_INIT;
	char *text;
	unsigned long base = strtoul(args, &text, 10), n = strtoul(text, &text, 10);

	if (*text != ' ' || base >= s->craft.nr || n > s->sizes[base] || n > 0xffff)
		fail(args);
	unescape(++text);
	delta_begin(&d, s->sizes[base], n + strlen(text));
	if (n)
		delta_copy(&d, (uint32_t)(s->sizes[base] - n), (uint32_t)n);
	delta_insert(&d, text, strlen(text));
	craft_ofs_delta(&s->craft, (uint32_t)base, &d);
	note_size(s, n + strlen(text));
	strbuf_release(&d);
}

static void add_times(struct script *s, char *args)
{
	struct strbuf d = STRBUF_INIT;
	char *text;
	unsigned long base = strtoul(args, &text, 10), n = strtoul(text, NULL, 10);

	if (*text != ' ' || base >= s->craft.nr)
		fail(args);
	delta_begin(&d, s->sizes[base], n * s->sizes[base]);
	while (n--)
		for (size_t at = 0; at < s->sizes[base]; at += 0x10000)
			delta_copy(&d, (uint32_t)at, s->sizes[base] - at < 0x10000 ? (uint32_t)(s->sizes[base] - at) : 0x10000);
	craft_ofs_delta(&s->craft, (uint32_t)base, &d);
	note_size(s, strtoul(text, NULL, 10) * s->sizes[base]);
	strbuf_release(&d);
}

static void add_ref(struct script *s, char *args)
{
	struct strbuf d = STRBUF_INIT;
	struct object_id base;
	const char *rest;
	char *text;
	size_t size;

	if (oid_parse_hex(&base, args, s->craft.algo, &rest) < 0 || *rest != ' ')
		fail(args);
	size = strtoul(rest + 1, &text, 10);
	if (*text != ' ')
		fail(args);
	unescape(++text);
	delta_extend(&d, size, text);
	craft_ref_delta(&s->craft, &base, &d);
	note_size(s, size + strlen(text));
	strbuf_release(&d);
}

static void add_raw(struct script *s, char *args)
{
	char *text;
	unsigned type = (unsigned)strtoul(args, &text, 10);
	uint64_t size = strtoull(text, &text, 10);

	if (*text != ' ')
		fail(args);
	craft_header(&s->craft, type, size);
	craft_deflated(&s->craft, text + 1, strlen(text + 1));
	note_size(s, strlen(text + 1));
}

static void add_file(struct script *s, char *args)
{
	char *path = strchr(args, ' ');
	struct strbuf content = STRBUF_INIT;
	enum object_type type;

	if (!path)
		fail(args);
	type = object_type_from_name(args, (size_t)(path - args));
	if (type == OBJ_BAD || read_file(&content, path + 1, 0, NULL) < 0)
		fail(args);
	add_object(s, type, content.buf, content.len);
	strbuf_release(&content);
}

static void add_line(struct script *s, char *line)
{
	char *args = strchr(line, ' ');
	enum object_type type;

	if (!args)
		fail(line);
	*args++ = 0;
	type = object_type_from_name(line, strlen(line));
	if (!strcmp(line, "ofs"))
		add_ofs(s, args);
	else if (!strcmp(line, "tail"))
		add_tail(s, args);
	else if (!strcmp(line, "times"))
		add_times(s, args);
	else if (!strcmp(line, "ref"))
		add_ref(s, args);
	else if (!strcmp(line, "raw"))
		add_raw(s, args);
	else if (!strcmp(line, "file"))
		add_file(s, args);
	else if (!strcmp(line, "count"))
		s->count = (uint32_t)strtoul(args, NULL, 10);
	else if (type != OBJ_BAD) {
		unescape(args);
		add_object(s, type, args, strlen(args));
	} else
		fail(line);
}

int main(int argc, char **argv)
{
	struct script s = { .count = UINT32_MAX };
	char *line = NULL;
	size_t alloc = 0;
	ssize_t len;

	craft_init(&s.craft, argc > 1 && !strcmp(argv[1], "sha256") ? hash_sha256 : hash_sha1);
	while ((len = getline(&line, &alloc, stdin)) > 0) {
		line[strcspn(line, "\n")] = 0;
		add_line(&s, line);
	}
	craft_end_as(&s.craft, s.count == UINT32_MAX ? s.craft.nr : s.count);
	if (write_in_full(1, s.craft.out.buf, s.craft.out.len, "standard output", NULL) < 0)
		return 1;
	craft_release(&s.craft);
	free(s.sizes);
	free(line);
	return 0;
}

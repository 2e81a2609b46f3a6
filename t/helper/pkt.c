/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pkt-lines for shell tests.
 *
 *   pkt encode               lines of text become packets; "0000", "0001", "0002" are themselves, and a
 *                            line "hang up" ends the output in the middle of a packet
 *   pkt decode [FILE]        packets become lines of text, one for each; what is on band 1 behind
 *                            a line "packfile" (or behind "--bands") goes to FILE, and shows as
 *                            "band 1: LENGTH"
 */
#include "compat/posix.h"
#include "util/strbuf.h"
#include "wire/pkt-reader.h"
#include "wire/pkt-writer.h"
#include "write-or-die.h"

static int encode(void)
{
	struct strbuf line = STRBUF_INIT;
	struct pkt_writer w;
	int rc;

	pkt_writer_init(&w, 1);
	while (strbuf_getline_lf(&line, stdin) != -1) {
		if (!strcmp(line.buf, "0000"))
			pkt_writer_flush(&w);
		else if (!strcmp(line.buf, "0001"))
			pkt_writer_delim(&w);
		else if (!strcmp(line.buf, "0002"))
			pkt_writer_response_end(&w);
		else if (!strcmp(line.buf, "hang up"))
			strbuf_addstr(&w.buf, "0032have");
		else
			pkt_writer_addf(&w, "%s\n", line.buf);
	}
	strbuf_release(&line);
	rc = pkt_writer_send(&w, NULL);
	pkt_writer_release(&w);
	return rc < 0;
}

static void print_text(const char *p, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (p[i] == '\n' && i == len - 1)
			break;
		if ((unsigned char)p[i] < 32)
			printf("\\%03o", (unsigned char)p[i]);
		else
			putchar(p[i]);
	}
	putchar('\n');
}

static int decode(int fd, bool bands)
{
	static const char *const special[] = { "", "0000", "0001", "0002" };
	struct err err = ERR_INIT;
	struct pkt_reader r;
	int kind, failed;

	pkt_reader_init(&r, 0);
	while ((kind = pkt_reader_next(&r, &err)) >= 0 && kind != PKT_EOF) {
		if (kind != PKT_DATA) {
			puts(special[kind]);
		} else if (!bands || !r.len || r.line[0] > 3) {
			print_text(r.line, r.len);
			bands |= !strcmp(r.line, "packfile\n") || !strcmp(r.line, "\1packfile\n");
		} else if (r.line[0] > 1) {
			printf("band %d: ", r.line[0]);
			print_text(r.line + 1, r.len - 1);
		} else {
			printf("band 1: %zu\n", r.len - 1);
			if (fd >= 0 && write_in_full(fd, r.line + 1, r.len - 1, "pack", &err) < 0)
				break;
		}
	}
	if (err.code)
		fprintf(stderr, "pkt: %s\n", err_message(&err));
	failed = err.code != 0;
	err_release(&err);
	pkt_reader_release(&r);
	return failed;
}

int main(int argc, char **argv)
{
	bool bands = argc > 2 && !strcmp(argv[argc - 1], "--bands");
	const char *file = argc > 2 + bands ? argv[2] : NULL;
	int fd = -1;

	if (argc > 1 && !strcmp(argv[1], "encode"))
		return encode();
	if (argc < 2 || strcmp(argv[1], "decode") != 0)
		return 129;
	if (file && (fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) < 0)
		return 128;
	return decode(fd, bands);
}

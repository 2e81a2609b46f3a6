/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a client sends to upload-pack. The first byte chooses the version of the protocol and whether
 * the rest is sent as it is, or is lines of which packets are made. In lines "%0" to "%5" stand for
 * names of objects, and "0000", "0001", "0002" for the packets without a payload.
 */
#include "compat/posix.h"
#include "compat/os.h"
#include "t/fuzz/fuzz.h"
#include "t/fuzz/scratch.h"
#include "upload-pack.h"

#define VERSION_2 1u
#define STATELESS 2u
#define RAW 4u

#define EMPTY_BLOB_HEX "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
static const char config[] =
	"[uploadpack]\n\tallowFilter\n\tallowRefInWant\n\tallowSidebandAll\n"
	"\tallowReachableSHA1InWant\n\tadvertiseBundleURIs\n\thideRefs = refs/remotes\n"
	"\tblobPackfileUri = " EMPTY_BLOB_HEX " " EMPTY_BLOB_HEX " https://host/pack\n"
	"[transfer]\n\tadvertiseObjectInfo\n[bundle]\n\tversion = 1\n"
	"[promisor]\n\tadvertise\n[remote \"o\"]\n\tpromisor\n\turl = https://host/o\n";

/* ---- the request ---- */

static void expand(struct strbuf *out, const char *p, size_t len)
{
	static const char *const refs[] = { "HEAD", "refs/heads/topic", "refs/tags/v1",
					    "refs/remotes/o/main" };
	struct repository *r = scratch_repo();
	struct object_id oid;

	for (size_t i = 0; i < len; i++) {
		unsigned n = i + 1 < len && p[i] == '%' ? (unsigned char)p[i + 1] - '0' : 9;

		if (n > ARRAY_SIZE(refs) + 1) {
			strbuf_addch(out, p[i]);
			continue;
		}
		i++;
		oid = r->algo->null_oid;
		if (n < ARRAY_SIZE(refs) ? ref_resolve(r->refs, refs[n], &oid, NULL, NULL, NULL) < 0
		    : n == ARRAY_SIZE(refs) && object_peel(odb_source_unreplaced(r->odb), &scratch_head,
							   OBJ_TREE, &oid, NULL, NULL) < 0)
			abort();
		strbuf_add_oid(out, &oid);
	}
}

static void add_line(struct pkt_writer *w, const char *p, size_t len)
{
	struct strbuf line = STRBUF_INIT;

	expand(&line, p, len);
	if (!strcmp(line.buf, "0000"))
		pkt_writer_flush(w);
	else if (!strcmp(line.buf, "0001"))
		pkt_writer_delim(w);
	else if (!strcmp(line.buf, "0002"))
		pkt_writer_response_end(w);
	else if (line.len < PKT_MAX - 4)
		pkt_writer_add(w, line.buf, line.len);
	strbuf_release(&line);
}

static int request_fd(const uint8_t *p, size_t len, bool raw)
{
	struct pkt_writer w;
	int fd = os_unnamed_file();

	if (fd < 0)
		abort();
	pkt_writer_init(&w, fd);
	if (raw)
		strbuf_add(&w.buf, p, len);
	while (!raw && len) {
		const uint8_t *end = memchr(p, '\n', len);
		size_t n = end ? (size_t)(end - p) : len;

		add_line(&w, (const char *)p, n);
		n += end != NULL;
		p += n;
		len -= n;
	}
	if (pkt_writer_send(&w, NULL) < 0 || lseek(fd, 0, SEEK_SET) < 0)
		abort();
	pkt_writer_release(&w);
	return fd;
}

/* ---- the answer ---- */

/* It consists of packets; without bands a pack of version 0 is none. */
static void check_answer(int fd, bool v2)
{
	char head[8];
	off_t at = 0;
	ssize_t n;

	while ((n = pread(fd, head, sizeof(head), at)) > 0) {
		int len = n < 4 ? -1 : pkt_parse_length(head);

		if (!v2 && n >= 4 && !memcmp(head, "PACK", 4))
			return;
		if (len < 0 || len == 3 || len > PKT_MAX)
			abort();
		at += len < 4 ? 4 : len;
	}
	if (n < 0 || at != lseek(fd, 0, SEEK_END))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct upload_pack_options o = { 0 };
	static bool ready;

	if (!size)
		return 0;
	if (!ready)
		scratch_write(".gitconfig", config, sizeof(config) - 1);
	ready = true;
	scratch_repo();
	o.version = data[0] & VERSION_2 ? 2 : 0;
	o.stateless_rpc = data[0] & STATELESS;
	o.in = request_fd(data + 1, size - 1, data[0] & RAW);
	o.out = os_unnamed_file();
	if (o.out < 0)
		abort();
	(void)!upload_pack_serve(scratch_repo(), &o, NULL);
	check_answer(o.out, o.version == 2);
	close(o.in);
	close(o.out);
	return 0;
}

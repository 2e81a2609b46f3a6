/* SPDX-License-Identifier: GPL-2.0-only */
/* git-count-objects(1) */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "object-file.h"
#include "pack/pack.h"
#include "util/quote.h"

static const char *const usage[] = {
	"git count-objects [-v] [-H | --human-readable]", NULL
};

struct count {
	struct odb *odb;
	bool verbose;
	uint64_t loose, loose_bytes; /* bytes: what the disk holds */
	uint64_t packed, nr_packs, pack_bytes;
	uint64_t prunable;
	uint64_t garbage, garbage_bytes;
};

static int count_loose(void *data, const struct object_id *oid, const char *path)
{
	struct count *c = data;
	struct stat st;

	if (lstat(path, &st) < 0)
		return 0;
	c->loose++;
	c->loose_bytes += (uint64_t)st.st_blocks * 512;
	if (c->verbose && odb_is_packed_in(c->odb, ODB_OWN, oid))
		c->prunable++;
	return 0;
}

static void count_garbage(void *data, const char *why, const char *path)
{
	struct count *c = data;
	struct stat st;

	warning("%s: %s", why, path);
	c->garbage++;
	if (!lstat(path, &st))
		c->garbage_bytes += (uint64_t)st.st_size;
}

static int count_cruft(void *data, const char *path)
{
	struct count *c = data;

	if (c->verbose)
		count_garbage(data, "garbage found", path);
	return 0;
}

static int count_pack(void *data, struct pack *p)
{
	struct count *c = data;
	uint64_t idx_bytes = pack_idx_size_bytes(p);

	if (!idx_bytes)
		return 0; /* damaged, and told so */
	c->nr_packs++;
	c->packed += pack_nr_objects(p);
	c->pack_bytes += pack_size_bytes(p) + idx_bytes;
	return 0;
}

static void print_alternates(struct odb *odb)
{
	for (size_t i = 0; i < odb_nr_alternates(odb); i++) {
		const char *path = odb_alternate(odb, i);
		struct strbuf quoted = STRBUF_INIT;

		quote_c_style(&quoted, path, strlen(path), true);
		printf("alternate: %s\n", quoted.buf);
		strbuf_release(&quoted);
	}
}

static void add_size(struct strbuf *out, uint64_t bytes, bool human, const char *unit)
{
	if (human)
		strbuf_humanise_bytes(out, bytes);
	else
		strbuf_addf(out, "%" PRIu64 "%s", bytes / 1024, unit);
}

static void print_all(const struct count *c, bool human, struct odb *odb)
{
	struct strbuf loose = STRBUF_INIT, packs = STRBUF_INIT, garbage = STRBUF_INIT;

	add_size(&loose, c->loose_bytes, human, "");
	add_size(&packs, c->pack_bytes, human, "");
	add_size(&garbage, c->garbage_bytes, human, "");
	printf("count: %" PRIu64 "\n"
	       "size: %s\n"
	       "in-pack: %" PRIu64 "\n"
	       "packs: %" PRIu64 "\n"
	       "size-pack: %s\n"
	       "prune-packable: %" PRIu64 "\n"
	       "garbage: %" PRIu64 "\n"
	       "size-garbage: %s\n",
	       c->loose, loose.buf, c->packed, c->nr_packs, packs.buf, c->prunable,
	       c->garbage, garbage.buf);
	strbuf_release(&loose);
	strbuf_release(&packs);
	strbuf_release(&garbage);
	print_alternates(odb);
}

int cmd_count_objects(int argc, const char **argv, struct command_ctx *ctx)
{
	int verbose = 0, human = 0;
	struct option opts[] = {
		OPT_COUNTUP('v', "verbose", &verbose, "be verbose"),
		OPT_BOOL('H', "human-readable", &human, "print sizes in human readable format"),
		OPT_END()
	};
	struct count c = { .verbose = 0 };
	struct odb *odb;
	struct err err = ERR_INIT;
	struct strbuf size = STRBUF_INIT;

	argc = parse_options(argc, argv, opts, usage, 0);
	if (argc)
		usage_with_options(usage, opts);
	c.odb = odb = ctx->repo->odb; /* after -h, which needs no repository */
	c.verbose = verbose;
	if (verbose)
		odb_foreach_garbage(odb, ODB_ALL, count_garbage, &c);
	if (loose_object_foreach(odb_objdir(odb), odb_algo(odb), count_loose, count_cruft, &c,
				 &err) < 0)
		die_err(&err);
	if (verbose) {
		odb_foreach_pack(odb, ODB_OWN, count_pack, &c);
		print_all(&c, human, odb);
	} else {
		add_size(&size, c.loose_bytes, human, " kilobytes");
		printf("%" PRIu64 " objects, %s\n", c.loose, size.buf);
		strbuf_release(&size);
	}
	return finish_stdout();
}

/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "compat/dirscan.h"
#include "intake/quarantine.h"
#include "object-file.h"
#include "pack/receive/receive.h"
#include "util/alloc.h"
#include "util/path.h"

static int confine(const struct intake_check *c, struct err *err)
{
	struct sandbox sandbox;
	int rc = sandbox_probe(&sandbox, c->sandbox, err);

	return rc <= 0 ? rc : repo_confine(c->repo, &sandbox, -1, err);
}

/* ---- loose objects ---- */

static int drop(void *data UNUSED, const void *p UNUSED, size_t len UNUSED, struct err *err UNUSED)
{
	return 0;
}

static int check_loose(const struct intake_check *c, struct err *err)
{
	struct oid_array oids = OID_ARRAY_INIT;
	bool any;
	int rc = 0;

	for (unsigned i = 0; i < 256 && !rc; i++)
		rc = loose_object_list(c->dir, c->repo->algo, i, &oids, err);
	for (size_t i = 0; i < oids.nr && !rc; i++)
		rc = loose_object_stream(c->dir, &oids.oid[i], c->repo->algo, drop, NULL, &any, err);
	oid_array_clear(&oids);
	return rc;
}

/* ---- packs ---- */

static int check_name(struct pack_receive *rx, const char *stem, struct err *err)
{
	const char *hex = oid_hex(pack_receive_checksum(rx));

	return !strcmp(strrchr(stem, '/') + strlen("/pack-"), hex) ? 0 : err_set(err, ERR_CORRUPT, "the checksum of pack '%s' is %s", stem, hex);
}

static int check_tables(struct pack_receive *rx, const char *stem, struct err *err)
{
	char *idx = xstrfmt("%s.idx", stem), *rev = xstrfmt("%s.rev", stem);
	struct stat st;
	int rc = pack_receive_verify_idx(rx, idx, err);

	if (!rc && lstat(rev, &st) == 0)
		rc = pack_receive_verify_rev(rx, rev, err);
	free(idx);
	free(rev);
	return rc;
}

/* stem: the path without ".pack". No database: it would compare the objects with themselves. */
static int check_pack(const struct intake_check *c, const char *stem, struct err *err)
{
	struct pack_receive_options o = { .algo = c->repo->algo, .threads = c->threads, .limits = c->limits };
	struct pack_receive *rx = pack_receive_new(&o);
	char *path = xstrfmt("%s.pack", stem);
	int rc = pack_receive_file(rx, path, err);

	if (!rc)
		rc = pack_receive_resolve(rx, err);
	if (!rc)
		rc = check_name(rx, stem, err);
	if (!rc)
		rc = check_tables(rx, stem, err);
	pack_receive_free(rx);
	free(path);
	return rc;
}

static int check_file(const struct intake_check *c, const char *packdir, const char *name, struct err *err)
{
	char *stem;
	int rc;

	if (starts_with(name, "tmp_") || !ends_with(name, ".pack"))
		return 0;
	stem = xstrfmt("%s/%.*s", packdir, (int)(strlen(name) - strlen(".pack")), name);
	rc = check_pack(c, stem, err);
	free(stem);
	return rc;
}

static int check_packs(const struct intake_check *c, struct err *err)
{
	char *packdir = path_join(c->dir, "pack"), *buf = xmalloc(32768);
	struct dir_scan d;
	unsigned char type;
	const char *name;
	int rc = 0, more = 0;

	if (!dir_scan_open(&d, packdir, buf, 32768)) {
		while (!rc && (more = dir_scan_next(&d, &name, &type)) > 0)
			rc = check_file(c, packdir, name, err);
		dir_scan_close(&d);
	} else if (errno != ENOENT) {
		more = -1;
	}
	if (!rc && more < 0)
		rc = err_set_errno(err, "unable to open directory '%s'", packdir);
	free(buf);
	free(packdir);
	return rc;
}

int intake_check_objects(const struct intake_check *c, struct err *err)
{
	int rc = confine(c, err);

	if (!rc)
		rc = check_loose(c, err);
	return rc ? rc : check_packs(c, err);
}

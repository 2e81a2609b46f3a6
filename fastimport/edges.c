/* SPDX-License-Identifier: GPL-2.0-only */
/* --export-pack-edges: a line for each new pack, with the tips of branches and tags that are in it. */
#include "compat/posix.h"
#include "compat/syscalls.h"
#include "fastimport/fastimport-internal.h"
#include "fastimport/marks-file.h"
#include "fs/file.h"
#include "pack/pack.h"

struct edges {
	struct fast_import *fi;
	struct strbuf *text; /* NULL: the packs are not new */
};

static void add_edge(struct pack *pack, const struct object_id *oid, struct strbuf *out)
{
	if (!oid_is_null(oid) && pack_has_object(pack, oid))
		strbuf_addf(out, " %s", oid_hex(oid));
}

static int note_pack(void *data, struct pack *pack)
{
	struct edges *e = data;

	if (!strset_add(&e->fi->known_packs, pack_path(pack)) || !e->text)
		return 0;
	strbuf_addf(e->text, "%s:", pack_path(pack));
	for (size_t i = 0; i < e->fi->nr_branches; i++)
		add_edge(pack, &e->fi->branch_list[i]->tip, e->text);
	for (size_t i = 0; i < e->fi->nr_tags; i++)
		add_edge(pack, &e->fi->tags[i].oid, e->text);
	strbuf_addch(e->text, '\n');
	return 0;
}

/* Before anything is imported: the file can be written. Its directory is not made. */
static int touch_edges(const char *path, struct err *err)
{
	int fd = (int)sys->open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);

	if (fd < 0)
		return err_set_errno(err, "could not open '%s' for writing", path);
	sys->close(fd);
	return 0;
}

int import_edges_begin(struct fast_import *fi, struct err *err)
{
	struct edges e = { fi, NULL };
	int rc;

	if (!fi->pack_edges)
		return 0;
	rc = touch_edges(fi->pack_edges, err);
	return rc ? rc : odb_foreach_pack(fi->repo->odb, ODB_OWN, note_pack, &e);
}

int import_edges_stage(struct fast_import *fi, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	struct edges e = { fi, &text };
	struct stat st;
	int rc = 0;

	if (!stat(fi->pack_edges, &st) && S_ISREG(st.st_mode))
		rc = read_file(&text, fi->pack_edges, SIZE_MAX / 2, err);
	if (rc >= 0) {
		odb_refresh(fi->repo->odb, ODB_OWN);
		rc = odb_foreach_pack(fi->repo->odb, ODB_OWN, note_pack, &e);
	}
	if (!rc)
		rc = marks_file_stage(fi->op, fi->pack_edges, LOCK_MAKE_DIRS, &text, err);
	strbuf_release(&text);
	return rc;
}

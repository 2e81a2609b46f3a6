/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "fs/file.h"
#include "fs/lockfile.h"
#include "maintain/server-info.h"
#include "pack/pack.h"
#include "util/alloc.h"
#include "util/path.h"

#define LOCK_TIMEOUT_MS 1000

/* ---- contents of the files ---- */

struct refs_text {
	struct odb *odb;
	bool whole;
	struct err *err;
	struct strbuf *out;
	size_t prefix_len;
};

static int server_info_add_ref(void *data, const struct ref *ref)
{
	struct refs_text *t = data;
	const char *name = ref->name + t->prefix_len;

	if (ref->flags & REF_IS_BROKEN || !odb_has(t->odb, &ref->oid)) {
		if (!t->whole) /* a reader of the list could not get it */
			return 0;
		err_set(t->err, ERR_CORRUPT, "bad object %s", ref->name);
		return 1;
	}
	strbuf_add_oid(t->out, &ref->oid);
	strbuf_addf(t->out, "\t%s\n", name);
	if (!oid_is_null(&ref->peeled)) {
		strbuf_add_oid(t->out, &ref->peeled);
		strbuf_addf(t->out, "\t%s^{}\n", name);
	}
	return 0;
}

static int list_refs(struct repository *r, const char *prefix, bool whole, struct strbuf *out, struct err *err)
{
	struct refs_text t = { r->odb, whole, err, out, strlen(prefix) };
	char *refs = xstrfmt("%srefs/", prefix);
	int rc = refs_foreach(r->refs, refs, REFS_ALL_ROOTS, server_info_add_ref, &t, err);

	free(refs);
	return rc;
}

int server_info_refs(struct repository *r, const char *prefix, struct strbuf *out, struct err *err)
{
	return list_refs(r, prefix, false, out, err);
}

static int server_info_add_pack(void *data, struct pack *p)
{
	strbuf_addf(data, "P %s\n", path_basename(pack_path(p)));
	return 0;
}

void server_info_packs(struct repository *r, struct strbuf *out)
{
	odb_foreach_pack(r->odb, ODB_OWN, server_info_add_pack, out);
	strbuf_addch(out, '\n');
}

/* ---- the files ---- */

static bool has_content(const char *path, const struct strbuf *text)
{
	struct strbuf old = STRBUF_INIT;
	bool same = !read_file(&old, path, text->len + 1, NULL) && old.len == text->len &&
		    !memcmp(old.buf, text->buf, text->len);

	strbuf_release(&old);
	return same;
}

static int write_packs(struct repository *r, struct strbuf *out, struct err *err UNUSED)
{
	server_info_packs(r, out);
	return 0;
}

static int write_refs(struct repository *r, struct strbuf *out, struct err *err)
{
	return list_refs(r, "", true, out, err);
}

/*
 * Takes the lock before `make` reads the refs, so that the last writer does not write older values.
 */
static int update(struct repo_operation *op, struct repository *r, const char *path, bool all,
		  int (*make)(struct repository *r, struct strbuf *out, struct err *err),
		  struct err *err)
{
	struct lockfile lk = LOCKFILE_INIT;
	struct strbuf text = STRBUF_INIT;
	int rc = lockfile_hold(&lk, path, LOCK_MAKE_DIRS, LOCK_TIMEOUT_MS, err);

	if (!rc)
		rc = make(r, &text, err);
	if (!rc && (all || !has_content(path, &text))) {
		rc = apply_shared_perm(lk.tf->path, r->settings.shared_perm, err);
		if (!rc)
			rc = write_in_full(lk.tf->fd, text.buf, text.len, lk.tf->path, err);
		if (!rc) /* D1; late: it lists what has its name already */
			rc = lockfile_stage(&lk, repo_operation_batch(op), FSYNC_OTHER,
					    PUBLISH_FILE_LATE, err);
	}
	lockfile_release(&lk);
	strbuf_release(&text);
	return rc;
}

int server_info_update(struct repo_operation *op, struct repository *r, bool all, struct err *err)
{
	char *refs = path_join(r->commondir, "info/refs");
	char *packs = path_join(r->objdir, "info/packs");
	int partly = update(op, r, refs, all, write_refs, err), rc = partly < 0 ? partly : 0;

	if (partly > 0)
		err_prefix(err, "unable to update %s", refs);
	if (!rc)
		rc = update(op, r, packs, all, write_packs, err);
	free(refs);
	free(packs);
	return rc ? rc : partly;
}

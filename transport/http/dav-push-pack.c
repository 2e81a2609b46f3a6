/* SPDX-License-Identifier: GPL-2.0-only */
/* The objects of a push over WebDAV: this file makes one pack and its index. The pack is not thin. */
#include "compat/posix.h"
#include <fcntl.h>
#include "compat/syscalls.h"
#include "fs/tmp-objdir.h"
#include "operation/operation.h"
#include "transport/http/dav-push-internal.h"
#include "transport/push/push-pack.h"
#include "util/alloc.h"
#include "util/path.h"

#define LIST_BYTES_MAX ((size_t)16 << 20)

/* Upload under a name that no reader uses, then move it to its own name. */
static int upload(struct dav_push *s, const char *file, const char *name, struct err *err)
{
	char *path = xconcat("objects/pack/", name), *tmp = xconcat("objects/pack/tmp_", name);
	char *url = dav_push_url(s, path), *tmp_url = dav_push_url(s, tmp);
	int fd = (int)RETRY_EINTR(sys->open(file, O_RDONLY | O_CLOEXEC, 0)), rc;

	dav_push_say(s, "sending %s", name);
	rc = fd < 0 ? err_set_errno(err, "cannot open '%s'", file) : dav_put_fd(s->c, tmp_url, fd, err);
	if (!rc)
		rc = dav_move(s->c, tmp_url, url, NULL, err);
	if (rc < 0 && fd >= 0 && dav_delete(s->c, tmp_url, NULL, NULL) < 0)
		dav_push_say(s, "%s is left there", tmp);
	if (fd >= 0)
		sys->close(fd);
	free(path);
	free(tmp);
	free(url);
	free(tmp_url);
	return rc;
}

/* Readers look at indexes: they come last. */
static int upload_both(struct dav_push *s, const char *dir, const char *hash, struct err *err)
{
	char *url = dav_push_url(s, "objects/pack/");
	int rc = dav_make_folder(s->c, url, err);

	for (int i = 0; !rc && i < 2; i++) {
		char *name = xstrfmt("pack-%s.%s", hash, i ? "idx" : "pack"), *file = path_join(dir, name);

		rc = upload(s, file, name, err);
		free(name);
		free(file);
	}
	free(url);
	return rc;
}

static void list_ends(const struct dav_push *s, const struct push_list *l, struct oid_array *wants, struct oid_array *haves)
{
	for (size_t i = 0; i < l->nr; i++)
		if (l->items[i].status == PUSH_PENDING && !oid_is_null(&l->items[i].new_oid))
			oid_array_append(wants, &l->items[i].new_oid);
	for (size_t i = 0; !s->o->all && i < s->refs.nr; i++)
		if (!oid_is_null(&s->refs.items[i].oid))
			oid_array_append(haves, &s->refs.items[i].oid);
	oid_array_sort_unique(wants);
	oid_array_sort_unique(haves);
}

/* Files for this push alone: published where no other process looks, and never sealed. */
static int make_pack(struct dav_push *s, const struct push_list *l, const char *dir, struct oid_array *sums, struct err *err)
{
	const struct push_request_options ro = { .quiet = true };
	struct oid_array wants = OID_ARRAY_INIT, haves = OID_ARRAY_INIT;
	const struct push_pack p = { .r = s->r, .o = &ro, .wants = &wants, .haves = &haves, .ofs_delta = true };
	struct repo_operation *op;
	int rc = 0;

	list_ends(s, l, &wants, &haves);
	if (wants.nr) {
		op = repo_operation_begin(s->r);
		rc = push_pack_write_files(&p, dir, repo_operation_batch(op), sums, err);
		rc = repo_operation_end_unsealed(op, rc, err);
	}
	oid_array_clear(&wants);
	oid_array_clear(&haves);
	return rc;
}

int dav_push_send_pack(struct dav_push *s, const struct push_list *l, char **name, struct err *err)
{
	struct oid_array sums = OID_ARRAY_INIT;
	struct tmp_objdir *dir = NULL;
	int rc = tmp_objdir_create(&dir, s->r->objdir, "push", s->r->settings.shared_perm, err);

	*name = NULL;
	if (!rc)
		rc = make_pack(s, l, tmp_objdir_path(dir), &sums, err);
	if (!rc && sums.nr) {
		*name = xstrfmt("pack-%s", oid_hex(&sums.oid[0]));
		rc = upload_both(s, tmp_objdir_path(dir), oid_hex(&sums.oid[0]), err);
	}
	if (rc < 0)
		FREE_AND_NULL(*name);
	oid_array_clear(&sums);
	tmp_objdir_destroy(&dir);
	return rc;
}

int dav_push_announce_pack(struct dav_push *s, const char *name, struct err *err)
{
	char *line = xstrfmt("P %s.pack\n", name), *url = dav_push_url(s, "objects/info/");
	struct strbuf text = STRBUF_INIT, before = STRBUF_INIT;
	bool there;
	int rc = dav_push_read(s, "objects/info/packs", LIST_BYTES_MAX, &before, &there, err);

	if (!rc && !there)
		rc = dav_make_folder(s->c, url, err);
	if (!rc && !strstr(before.buf, line)) {
		strbuf_addf(&text, "%s%s", line, before.len ? before.buf : "\n");
		rc = dav_push_replace(s, "objects/info/packs", &text, NULL, err);
	}
	strbuf_release(&text);
	strbuf_release(&before);
	free(line);
	free(url);
	return rc;
}

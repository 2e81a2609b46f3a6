/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The small files of a repository, and marks of owners. The first byte chooses what the
 * rest is the content of.
 */
#include "compat/posix.h"
#include "fs/owner.h"
#include "object-file.h"
#include "operation/operation.h"
#include "refs/files/loose-internal.h"
#include "t/fuzz/fuzz.h"
#include "t/fuzz/scratch.h"
#include "util/alloc.h"
#include "history/history.h"
#include "repo/setup-internal.h"

/* A loose ref is an object id, a symref with a safe target, or an error. */
static void loose_ref(struct repository *r, const uint8_t *p, size_t len)
{
	struct loose_value v = { 0 };
	struct object_id oid;
	char *final = NULL;

	scratch_write("repo/.git/refs/heads/f", p, len);
	if (loose_read(r->refs, "refs/heads/f", &v, NULL, NULL) < 0 || v.kind == LOOSE_MISSING)
		abort();
	if (v.kind == LOOSE_SYMREF && !v.target)
		abort();
	if (!ref_resolve(r->refs, "refs/heads/f", &oid, &final, NULL, NULL) &&
	    !refname_is_safe(final))
		abort();
	free(final);
	loose_value_release(&v);
	unlink(scratch_path("repo/.git/refs/heads/f"));
}

static int note_entry(void *data, const struct reflog_entry *e)
{
	if (strchr(e->msg, '\n') || strchr(e->ident, '\n'))
		abort();
	++*(size_t *)data;
	return 0;
}

static int keep_entry(void *data, size_t i, size_t nr, const struct reflog_entry *e,
		      struct err *err)
{
	(void)data, (void)e, (void)err;
	if (i >= nr)
		abort();
	return i % 3 != 1;
}

/* Reading from either end gives the same number; a rewritten log has the kept entries. */
static void reflog(struct repository *r, const uint8_t *p, size_t len)
{
	struct repo_operation *op = repo_operation_begin(r);
	size_t oldest = 0, newest = 0, after = 0;

	scratch_write("repo/.git/logs/refs/heads/f", p, len);
	if (reflog_foreach(r->refs, "refs/heads/f", false, note_entry, &oldest, NULL) < 0 ||
	    reflog_foreach(r->refs, "refs/heads/f", true, note_entry, &newest, NULL) < 0)
		abort();
	if (reflog_rewrite(r->refs, "refs/heads/f", REFLOG_FIX_OLD, keep_entry, NULL,
			   repo_operation_batch(op), NULL) < 0 ||
	    repo_operation_end(op, 0, NULL) < 0 ||
	    reflog_foreach(r->refs, "refs/heads/f", false, note_entry, &after, NULL) < 0)
		abort();
	if (oldest != newest || after != oldest - (oldest + 1) / 3)
		abort();
}

static void gitfile(const uint8_t *p, size_t len)
{
	char *common;

	scratch_write("link", p, len);
	free(read_gitfile(scratch_path("link"), NULL));
	scratch_write("linked/commondir", p, len);
	if (!setup_commondir(&common, scratch_path("linked"), false, NULL))
		free(common);
}

static void alternates(struct repository *r, const uint8_t *p, size_t len)
{
	struct odb_options o = { .objdir = scratch_path("alt"), .algo = r->algo };
	char *env = xmemdupz(p, len);
	struct odb *odb;

	scratch_write("alt/info/alternates", p, len);
	o.alternates_env = env;
	if (!odb_open(&odb, &o, NULL)) {
		if (odb_has(odb, &r->algo->null_oid))
			abort();
		odb_free(odb);
	}
	free(env);
}

/* What was read is written identically, apart from leading zeros and the like. */
static void owner(const uint8_t *p, size_t len)
{
	char text[OWNER_TEXT_MAX + 1];
	struct owner o, again;
	size_t n;

	if (!owner_parse(&o, (const char *)p, len, ' '))
		return;
	owner_state(&o, ".", 1);
	n = owner_format(text, &o, '-');
	if (!owner_parse(&again, text, n, '-') || again.pid != o.pid ||
		  again.home != o.home || again.boot != o.boot || strcmp(again.id, o.id))
		abort();
}

static int sink(void *data, const void *p, size_t len, struct err *err)
{
	(void)data, (void)p, (void)err;
	(void)len;
	return 0;
}

/* A file that is not a valid object of that name is an error for every way of reading. */
static void loose_object(struct repository *r, const uint8_t *p, size_t len)
{
	const char *objdir = scratch_path("alt");
	struct object_buf buf = OBJECT_BUF_INIT;
	struct object_info info;
	struct object_id oid = { .hash = { 0x12 }, .algo = HASH_SHA1 };
	bool any;

	scratch_write("alt/12/00000000000000000000000000000000000000", p, len);
	if (!loose_object_read(objdir, &oid, r->algo, 1 << 20, &buf, NULL) ||
	    !loose_object_stream(objdir, &oid, r->algo, sink, NULL, &any, NULL))
		abort();
	if (!loose_object_info(objdir, &oid, &info, NULL) && info.type > OBJ_TAG)
		abort();
	object_buf_release(&buf);
}

static void grafts(struct repository *r, const uint8_t *p, size_t len)
{
	struct commit_pool *pool;

	scratch_write("repo/.git/shallow", p, len);
	scratch_write("repo/.git/info/grafts", p, len);
	if (!commit_pool_new(&pool, r, NULL))
		commit_pool_free(pool);
	unlink(scratch_path("repo/.git/shallow"));
	unlink(scratch_path("repo/.git/info/grafts"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct repository *r = scratch_repo();

	if (!size)
		return 0;
	switch (data[0] % 7) {
	case 0:
		loose_ref(r, data + 1, size - 1);
		break;
	case 1:
		reflog(r, data + 1, size - 1);
		break;
	case 2:
		gitfile(data + 1, size - 1);
		break;
	case 3:
		alternates(r, data + 1, size - 1);
		break;
	case 4:
		owner(data + 1, size - 1);
		break;
	case 5:
		loose_object(r, data + 1, size - 1);
		break;
	default:
		grafts(r, data + 1, size - 1);
	}
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * git update-ref --stdin. The first byte has flags, the rest is the input. Afterwards every
 * ref must resolve to an object, and no lock file may be left.
 */
#include "compat/posix.h"
#include <setjmp.h>
#include "fs/file.h"
#include "operation/operation.h"
#include "t/fuzz/fuzz.h"
#include "t/fuzz/scratch.h"
#include "util/alloc.h"

static jmp_buf ended;
static FILE *nowhere;

static NORETURN void end_input(int code)
{
	longjmp(ended, code ? code : -1);
}

/* die() and similar functions print nothing, and end this input instead of the process. */
#define exit end_input
#undef stderr
#define stderr nowhere
#include "cli/report.c"
#undef exit
#include "builtin/refs/update-ref.h"

/* Memory that a command holds when it dies is not a leak: usually the process ends. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}

/* ---- the same refs for each input ---- */

static struct strbuf packed_text = STRBUF_INIT;

static int add_packed(void *data, const struct ref *ref)
{
	(void)data;
	strbuf_addf(&packed_text, "%s %s\n", oid_hex(&ref->oid), ref->name);
	return 0;
}

static void begin_once(struct repository *r)
{
	if (nowhere)
		return;
	nowhere = fopen("/dev/null", "w");
	if (!nowhere || !freopen("/dev/null", "w", stdout) ||
	    refs_foreach(r->refs, "", REFS_NO_PEEL, add_packed, NULL, NULL))
		abort();
}

static void reset_refs(void)
{
	static const char *const gone[] = { "refs/heads", "refs/tags", "refs/bisect", "logs" };
	char loose[HASH_MAX_HEX + 2];

	for (size_t i = 0; i < ARRAY_SIZE(gone); i++) {
		char *name = xstrfmt("repo/.git/%s", gone[i]);

		if (remove_tree(scratch_path(name), false, NULL) < 0)
			abort();
		free(name);
	}
	scratch_write("repo/.git/HEAD", "ref: refs/heads/main\n", 21);
	scratch_write("repo/.git/packed-refs", packed_text.buf, packed_text.len);
	snprintf(loose, sizeof(loose), "%s\n", oid_hex(&scratch_head));
	scratch_write("repo/.git/refs/heads/main", loose, strlen(loose));
}

/* ---- what must hold afterwards ---- */

static int check_ref(void *data, const struct ref *ref)
{
	const struct repository *r = data;

	if (ref->flags & REF_IS_SYMREF)
		return 0; /* may dangle, if that was asked for */
	if (ref->flags & REF_IS_BROKEN || !odb_has_quick(r->odb, &ref->oid))
		abort();
	return 0;
}

/* All refs can be locked, so no lock is left. */
static int lock_ref(void *data, const struct ref *ref)
{
	if (ref_transaction_update(data, ref->name, &scratch_head, NULL,
				   REF_NO_DEREF | REF_SKIP_REFLOG, NULL,
				   NULL) < 0)
		abort();
	return 0;
}

static void check_refs(struct repository *r)
{
	struct repo_operation *op = repo_operation_begin(r);
	struct ref_transaction *t = repo_operation_new_refs(op, 0);
	struct err err = ERR_INIT;

	if (refs_foreach(r->refs, "", REFS_INCLUDE_BROKEN, check_ref, r, &err) ||
	    refs_foreach(r->refs, "", REFS_INCLUDE_BROKEN, lock_ref, t, &err) ||
	    repo_operation_prepare(op, &err) < 0)
		BUG("%s", err_message(&err));
	repo_operation_abort(op);
	repo_operation_free(op);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct repository *r = scratch_repo();
	struct update_ref_options o = { .repo = r, .msg = "fuzz" };
	FILE *const real_stdin = stdin;

	if (size < 2)
		return 0;
	begin_once(r);
	reset_refs();
	o.nul = data[0] & 1;
	o.batch = data[0] & 2;
	o.flags = data[0] & 4 ? REF_NO_DEREF : 0;
	stdin = fmemopen((void *)(uintptr_t)(data + 1), size - 1, "rb");
	if (!stdin)
		abort();
	if (!setjmp(ended)) {
		update_ref_stdin(&o);
	} else if (r->operation) { /* as at exit */
		repo_operation_abort(r->operation);
		repo_operation_free(r->operation);
	}
	fclose(stdin);
	stdin = real_stdin;
	check_refs(r);
	return 0;
}

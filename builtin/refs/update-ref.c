/* SPDX-License-Identifier: GPL-2.0-only */
/* git-update-ref(1) */
#include "compat/posix.h"
#include "builtin/refs/update-ref.h"
#include "operation/operation.h"

static const char *const usage[] = {
	"git update-ref [<options>] -d <refname> [<old-oid>]",
	"git update-ref [<options>]    <refname> <new-oid> [<old-oid>]",
	"git update-ref [<options>] --stdin [-z] [--batch-updates]",
	NULL
};

static int update_ref_run(const struct update_ref_options *o, const char *name,
			  const struct object_id *new_oid, const struct object_id *old_oid,
			  struct err *err)
{
	struct repo_operation *op = repo_operation_begin(o->repo);
	struct ref_transaction *t = NULL;
	int rc = repo_operation_begin_refs(op, 0, &t, err);

	if (!rc)
		rc = ref_transaction_update(t, name, new_oid, old_oid, o->flags, o->msg, err);
	return repo_operation_end(op, rc, err);
}

static int update(const struct update_ref_options *o, int argc, const char **argv)
{
	struct object_id new_oid, old_oid;
	struct err err = ERR_INIT;
	int rc;

	if (!update_ref_parse_oid(o->repo, argv[1], &new_oid) || !*argv[1])
		die("%s: not a valid SHA1", argv[1]);
	if (argc == 3 && !update_ref_parse_oid(o->repo, argv[2], &old_oid))
		die("%s: not a valid old SHA1", argv[2]);
	rc = update_ref_run(o, argv[0], &new_oid, argc == 3 ? &old_oid : NULL, &err);
	if (rc == ERR_ABORTED)
		return report_fatal(&err); /* by the hook: that says it all */
	if (rc < 0) {
		err_prefix(&err, "update_ref failed for ref '%s'", argv[0]);
		return report_fatal(&err);
	}
	return 0;
}

/* A null old value does not ask for anything here. */
static int update_ref_delete(const struct update_ref_options *o, int argc, const char **argv)
{
	struct object_id old_oid;
	struct err err = ERR_INIT;
	bool check = false;
	int rc;

	if (argc == 2) {
		if (!update_ref_parse_oid(o->repo, argv[1], &old_oid))
			die("%s: not a valid old SHA1", argv[1]);
		check = !oid_is_null(&old_oid);
	}
	rc = update_ref_run(o, argv[0], &o->repo->algo->null_oid, check ? &old_oid : NULL, &err);
	if (rc == ERR_ABORTED)
		return report_fatal(&err);
	return rc < 0 ? report_error(&err) : 0;
}

int cmd_update_ref(int argc, const char **argv, struct command_ctx *ctx)
{
	struct update_ref_options o = { .repo = ctx->repo };
	int delete_it = 0, no_deref = 0, from_stdin = 0, nul = 0, create_reflog = 0;
	int batch = 0;
	struct option options[] = {
		OPT_STRING('m', NULL, &o.msg, "reason", "reason of the update"),
		OPT_BOOL('d', NULL, &delete_it, "delete the reference"),
		OPT_BOOL(0, "no-deref", &no_deref, "update <refname> not the one it points to"),
		OPT_BOOL('z', NULL, &nul, "stdin has NUL-terminated arguments"),
		OPT_BOOL(0, "stdin", &from_stdin, "read updates from stdin"),
		OPT_BOOL('0', "batch-updates", &batch, "batch reference updates"),
		OPT_BOOL(0, "create-reflog", &create_reflog, "create a reflog"),
		OPT_END()
	};

	argc = parse_options(argc, argv, options, usage, 0);
	if (o.msg && !*o.msg)
		die("Refusing to perform update with empty message.");
	o.nul = nul;
	o.batch = batch;
	if (create_reflog)
		o.flags |= REF_FORCE_REFLOG;
	if (from_stdin) {
		if (delete_it || argc)
			usage_with_options(usage, options);
		if (no_deref)
			o.flags |= REF_NO_DEREF;
		return update_ref_stdin(&o);
	}
	if (batch)
		die("--batch-updates can only be used with --stdin");
	if (nul)
		usage_with_options(usage, options);
	if (no_deref)
		o.flags |= REF_NO_DEREF;
	if (delete_it) {
		if (argc < 1 || argc > 2)
			usage_with_options(usage, options);
		return update_ref_delete(&o, argc, argv);
	}
	if (argc < 2 || argc > 3)
		usage_with_options(usage, options);
	return update(&o, argc, argv);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* git-symbolic-ref(1) */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "operation/operation.h"

static const char *const usage[] = {
	"git symbolic-ref [-m <reason>] <name> <ref>",
	"git symbolic-ref [-q] [--short] [--no-recurse] <name>",
	"git symbolic-ref --delete [-q] <name>",
	NULL
};

/* What `name` leads to: one step, or all; NULL if it is no symbolic ref. */
static char *read_target(struct repository *r, const char *name, bool recurse)
{
	struct object_id oid;
	struct err err = ERR_INIT;
	char *target = NULL;
	unsigned flags = 0;
	int rc;

	if (!recurse) {
		rc = ref_read_raw(r->refs, name, &oid, &target, &err);
	} else {
		rc = ref_resolve(r->refs, name, &oid, &target, &flags, &err);
		if (rc == ERR_NOT_FOUND && (flags & REF_IS_SYMREF))
			rc = 0; /* a branch that is yet to be born */
		if (!rc && !(flags & REF_IS_SYMREF)) {
			free(target);
			target = NULL;
		}
	}
	if (rc < 0) {
		if (rc == ERR_NOT_FOUND)
			free(target);
		if (rc != ERR_NOT_FOUND)
			die("No such ref: %s", name);
		target = NULL;
	}
	err_release(&err);
	return target;
}

static int symbolic_ref_show(struct repository *r, const char *name, bool quiet, bool shorten,
			     bool recurse)
{
	char *target = read_target(r, name, recurse);

	if (!target) {
		if (quiet)
			return 1;
		die("ref %s is not a symbolic ref", name);
	}
	if (shorten) {
		char *s = ref_shorten(r->refs, target, false);

		puts(s);
		free(s);
	} else {
		puts(target);
	}
	free(target);
	return 0;
}

static int change(struct repository *r, const char *name, const char *target,
		  const char *old_target, const char *msg)
{
	struct repo_operation *op = repo_operation_begin(r);
	struct ref_transaction *t = NULL;
	struct err err = ERR_INIT;
	int rc = repo_operation_begin_refs(op, 0, &t, &err);

	if (!rc)
		rc = ref_transaction_update_symref(t, name, target, old_target, REF_NO_DEREF,
						   msg, &err);
	rc = repo_operation_end(op, rc, &err);
	return rc < 0 ? report_error(&err) : 0;
}

static int symbolic_ref_delete(struct repository *r, const char *name)
{
	char *target = read_target(r, name, false);
	int rc;

	if (!target)
		die("Cannot delete %s, not a symbolic ref", name);
	if (!strcmp(name, "HEAD"))
		die("deleting '%s' is not allowed", name);
	rc = change(r, name, NULL, target, NULL);
	free(target);
	return rc;
}

int cmd_symbolic_ref(int argc, const char **argv, struct command_ctx *ctx)
{
	int quiet = 0, delete_it = 0, shorten = 0, recurse = 1;
	const char *msg = NULL;
	struct option options[] = {
		OPT_COUNTUP('q', "quiet", &quiet,
			    "suppress error message for non-symbolic (detached) refs"),
		OPT_BOOL('d', "delete", &delete_it, "delete symbolic ref"),
		OPT_BOOL(0, "short", &shorten, "shorten ref output"),
		OPT_BOOL(0, "recurse", &recurse, "recursively dereference (default)"),
		OPT_STRING('m', NULL, &msg, "reason", "reason of the update"),
		OPT_END()
	};

	argc = parse_options(argc, argv, options, usage, 0);
	if (msg && !*msg)
		die("Refusing to perform update with empty message");
	if (delete_it) {
		if (argc != 1)
			usage_with_options(usage, options);
		return symbolic_ref_delete(ctx->repo, argv[0]);
	}
	if (argc == 1)
		return symbolic_ref_show(ctx->repo, argv[0], quiet, shorten, recurse);
	if (argc != 2)
		usage_with_options(usage, options);
	if (!refname_is_valid(argv[1], REFNAME_ALLOW_ONELEVEL))
		die("Refusing to set '%s' to invalid ref '%s'", argv[0], argv[1]);
	if (!strcmp(argv[0], "HEAD") && !starts_with(argv[1], "refs/"))
		die("Refusing to point HEAD outside of refs/");
	return change(ctx->repo, argv[0], argv[1], NULL, msg);
}

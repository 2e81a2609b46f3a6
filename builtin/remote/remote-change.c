/* SPDX-License-Identifier: GPL-2.0-only */
/* git remote rename, remove, set-head and set-branches. */
#include "compat/posix.h"
#include "builtin/remote/remote.h"
#include "porcelain/remote.h"
#include "util/alloc.h"

/* ---- rename ---- */

static int report_rename(int rc, const struct remote_move *move, const struct remote *old, const char *new,
			 struct err *err)
{
	if (rc == ERR_NOT_FOUND) {
		error("Could not rename config section 'remote.%s' to 'remote.%s'", old->name, new);
		err_release(err);
		return 1;
	}
	if (rc != ERR_CONFLICT)
		return report_fatal(err);
	error("renaming remote references failed: %s", err_message(err));
	err_release(err);
	if (move->nested)
		advise("The remote you are trying to rename has references where the new\n"
		       "ones need a directory, or the other way round. That is so when a\n"
		       "remote is put below itself ('parent' to 'parent/child'), or taken\n"
		       "from below another one.\n\n"
		       "Give the remote a different name first, then the one you want.");
	return 128;
}

int remote_cmd_rename(int argc, const char **argv, struct repository *r, bool verbose UNUSED)
{
	static const char *const usage[] = { "git remote rename [--[no-]progress] <old> <new>", NULL };
	int progress = -1, rc;
	struct option opts[] = {
		OPT_BOOL(0, "progress", &progress, "force progress reporting"),
		OPT_END()
	};
	struct remote_move move = { false };
	struct err err = ERR_INIT;
	struct remote *old, *new;

	argc = parse_options(argc, argv, opts, usage, 0);
	if (argc != 2)
		usage_with_options(usage, opts);
	old = own_remote(r, argv[0], true);
	if (!old)
		return EXIT_NO_REMOTE;
	if (!strcmp(argv[0], argv[1]) && old->origin != REMOTE_CONFIG)
		return remote_convert(r, old, &err) < 0 ? report_fatal(&err) : 0;
	new = *argv[1] ? remote_or_die(r, argv[1]) : NULL;
	if (new && remote_is_own(r, new)) {
		error("remote %s already exists.", argv[1]);
		return EXIT_REMOTE_EXISTS;
	}
	if (!remote_name_is_valid(argv[1]))
		die("'%s' is not a valid remote name", argv[1]);
	rc = remote_rename(r, old, argv[1], warning_callback, NULL, &move, &err);
	return rc < 0 ? report_rename(rc, &move, old, argv[1], &err) : 0;
}

/* ---- remove ---- */

static void tell_kept(const struct strvec *kept)
{
	if (!kept->nr)
		return;
	fprintf(stderr, kept->nr == 1 ? "Note: A branch outside the refs/remotes/ hierarchy was not removed;\n"
					"to delete it, use:\n" :
					"Note: Some branches outside the refs/remotes/ hierarchy were not removed;\n"
					"to delete them, use:\n");
	for (size_t i = 0; i < kept->nr; i++)
		fprintf(stderr, "  git branch -d %s\n", kept->v[i]);
}

int remote_cmd_remove(int argc, const char **argv, struct repository *r, bool verbose UNUSED)
{
	static const char *const usage[] = { "git remote remove <name>", NULL };
	struct option opts[] = { OPT_END() };
	struct strvec kept = STRVEC_INIT;
	struct err err = ERR_INIT;
	struct remote *remote;
	int rc;

	argc = parse_options(argc, argv, opts, usage, 0);
	if (argc != 1)
		usage_with_options(usage, opts);
	remote = own_remote(r, argv[0], true);
	if (!remote)
		return EXIT_NO_REMOTE;
	rc = remote_remove(r, remote, warning_callback, NULL, &kept, &err);
	if (!rc)
		tell_kept(&kept);
	strvec_clear(&kept);
	if (rc == ERR_NOT_FOUND) {
		err_release(&err);
		return -error("Could not remove config section 'remote.%s'", remote->name);
	}
	return rc < 0 ? report_fatal(&err) : 0;
}

/* ---- set-head ---- */

struct head_change {
	struct repository *r;
	const char *remote;
	char *ref, *prefix; /* refs/remotes/REMOTE/HEAD, refs/remotes/REMOTE/ */
	char *old_target;
	bool exists;
	struct object_id old_oid;
};

static void read_head(struct head_change *h, struct repository *r, const char *remote)
{
	*h = (struct head_change){ .r = r, .remote = remote };
	h->ref = xstrfmt("refs/remotes/%s/HEAD", remote);
	h->prefix = xstrfmt("refs/remotes/%s/", remote);
	h->exists = !ref_read_raw(r->refs, h->ref, &h->old_oid, &h->old_target, NULL);
}

static void head_change_release(struct head_change *h)
{
	free(h->ref);
	free(h->prefix);
	free(h->old_target);
}

static void tell_head(const struct head_change *h, const char *branch)
{
	const char *was;

	if (!h->exists)
		printf("'%s/HEAD' is now created and points to '%s'\n", h->remote, branch);
	else if (!h->old_target)
		printf("'%s/HEAD' was detached at '%s' and now points to '%s'\n", h->remote, oid_hex(&h->old_oid), branch);
	else if (!skip_prefix(h->old_target, h->prefix, &was))
		printf("'%s/HEAD' used to point to '%s' (which is not a remote branch), but now points to '%s'\n",
		       h->remote, h->old_target, branch);
	else if (!strcmp(was, branch))
		printf("'%s/HEAD' is unchanged and points to '%s'\n", h->remote, branch);
	else
		printf("'%s/HEAD' has changed from '%s' and now points to '%s'\n", h->remote, was, branch);
}

/* followRemoteHEAD=always would undo it with the next fetch; then the user is only told. */
static int stage_follow(const struct head_change *h, struct repo_operation *op, struct err *err)
{
	const struct remote *remote = remotes_find(remotes_or_die(h->r), h->remote);
	char *key = xstrfmt("remote.%s.followRemoteHEAD", h->remote);
	struct remote_edits edits = REMOTE_EDITS_INIT;
	int rc = 0;

	if (remote && remote->follow_head == FOLLOW_HEAD_ALWAYS) {
		remote_edits_set(&edits, key, NULL, "warn");
		rc = remote_edits_stage(&edits, h->r, op, PUBLISH_FILE, err);
	}
	remote_edits_release(&edits);
	free(key);
	return rc;
}

static int set_head(const struct head_change *h, const char *branch, bool tell)
{
	char *target = xconcat(h->prefix, branch);
	struct ref_transaction *t = NULL;
	struct repo_operation *op;
	struct err err = ERR_INIT;
	int rc;

	if (!ref_exists(h->r->refs, target)) {
		rc = -error("Not a valid ref: %s", target);
		free(target);
		return rc;
	}
	op = repo_operation_begin(h->r);
	rc = repo_operation_begin_refs(op, 0, &t, &err);
	if (!rc && (!h->old_target || strcmp(h->old_target, target) != 0))
		rc = ref_transaction_update_symref(t, h->ref, target, NULL, REF_NO_DEREF, "remote set-head", &err);
	if (!rc)
		rc = stage_follow(h, op, &err);
	rc = repo_operation_end(op, rc, &err);
	free(target);
	if (rc < 0) {
		report_error(&err);
		return -error("Could not set up %s", h->ref);
	}
	if (tell)
		tell_head(h, branch);
	return 0;
}

static int delete_head(const struct head_change *h)
{
	struct repo_operation *op = repo_operation_begin(h->r);
	struct ref_transaction *t = NULL;
	struct err err = ERR_INIT;
	int rc = repo_operation_begin_refs(op, 0, &t, &err);

	if (!rc && h->exists)
		rc = h->old_target ? ref_transaction_update_symref(t, h->ref, NULL, h->old_target, REF_NO_DEREF, NULL, &err) :
				     ref_transaction_update(t, h->ref, &h->r->algo->null_oid, &h->old_oid, REF_NO_DEREF,
							    NULL, &err);
	rc = repo_operation_end(op, rc, &err);
	if (rc < 0)
		return report_error(&err);
	return 0;
}

static int set_head_as_there(const struct head_change *h)
{
	struct remote *remote = remote_or_die(h->r, h->remote);
	struct remote_refs refs = REMOTE_REFS_INIT;
	struct strvec heads = STRVEC_INIT;
	int code = 1;

	remote_ask_or_die(h->r, remote, &refs);
	remote_head_branches(&refs, &heads);
	if (!heads.nr)
		error("Cannot determine remote HEAD");
	else if (heads.nr == 1)
		code = set_head(h, heads.v[0], true);
	else
		error("Multiple remote HEAD branches. Please choose one explicitly with:");
	for (size_t i = 0; heads.nr > 1 && i < heads.nr; i++)
		fprintf(stderr, "  git remote set-head %s %s\n", h->remote, heads.v[i]);
	strvec_clear(&heads);
	remote_refs_release(&refs);
	return code;
}

int remote_cmd_set_head(int argc, const char **argv, struct repository *r, bool verbose UNUSED)
{
	static const char *const usage[] = {
		"git remote set-head <name> (-a | --auto | -d | --delete | <branch>)", NULL
	};
	int automatic = 0, delete = 0, code;
	struct option opts[] = {
		OPT_BOOL('a', "auto", &automatic, "set refs/remotes/<name>/HEAD according to remote"),
		OPT_BOOL('d', "delete", &delete, "delete refs/remotes/<name>/HEAD"),
		OPT_END()
	};
	struct head_change h;

	argc = parse_options(argc, argv, opts, usage, 0);
	if (argc - 1 + automatic + delete != 1 || !argc || argc > 2)
		usage_with_options(usage, opts);
	read_head(&h, r, argv[0]);
	code = argc == 2 ? set_head(&h, argv[1], false) : delete ? delete_head(&h) : set_head_as_there(&h);
	head_change_release(&h);
	return code;
}

/* ---- set-branches ---- */

int remote_cmd_set_branches(int argc, const char **argv, struct repository *r, bool verbose UNUSED)
{
	static const char *const usage[] = {
		"git remote set-branches <name> <branch>...", "git remote set-branches --add <name> <branch>...", NULL
	};
	int add = 0, rc;
	struct option opts[] = { OPT_BOOL(0, "add", &add, "add branch"), OPT_END() };
	struct remote_edits edits = REMOTE_EDITS_INIT;
	struct repo_operation *op;
	struct err err = ERR_INIT;
	struct remote *remote;
	char *key;

	argc = parse_options(argc, argv, opts, usage, 0);
	if (!argc) {
		error("no remote specified");
		usage_with_options(usage, opts);
	}
	remote = own_remote(r, argv[0], false);
	if (!remote)
		return EXIT_NO_REMOTE;
	key = xstrfmt("remote.%s.fetch", remote->name);
	if (!add)
		remote_edits_unset(&edits, key, NULL);
	for (int i = 1; i < argc; i++) {
		char *text = remote_branch_refspec_or_die(r, argv[i], remote->name, remote->mirror);

		remote_edits_add(&edits, key, text);
		free(text);
	}
	op = repo_operation_begin(r);
	rc = remote_edits_stage(&edits, r, op, PUBLISH_FILE, &err);
	rc = repo_operation_end(op, rc, &err);
	remote_edits_release(&edits);
	free(key);
	return rc < 0 ? report_fatal(&err) : 0;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* checkout and switch: what the first argument names, a revision or a path, or a branch to be made. */
#include "compat/posix.h"
#include "builtin/checkout/checkout.h"
#include "history/names/revparse.h"
#include "util/alloc.h"

/* ---- a branch that some remote has ---- */

static NORETURN void die_of_many(struct repository *r, const char *name, size_t nr)
{
	if (advice_enabled(r, "checkoutAmbiguousRemoteBranchName"))
		advise("If you meant to check out a remote tracking branch on, e.g. 'origin',\n"
		       "you can do so by fully qualifying the name with the --track option:\n\n"
		       "    git checkout --track origin/<name>\n\n"
		       "If you'd like to always have checkouts of an ambiguous <name> prefer\n"
		       "one remote, e.g. the 'origin' remote, consider setting\n"
		       "checkout.defaultRemote=origin in your config.");
	die("'%s' matched multiple (%zu) remote tracking branches", name, nr);
}

/* The ref of the only remote that has a branch of that name, or of checkout.defaultRemote; or NULL. */
static char *guess_remote_branch(struct checkout *co, const char *name)
{
	struct err err = ERR_INIT;
	char *ref = NULL;
	size_t nr;

	if (branch_guess_remote(co->r, name, &ref, &nr, &err) < 0)
		die_err(&err);
	if (!ref && nr > 1)
		die_of_many(co->r, name, nr);
	return ref;
}

static bool may_guess(const struct checkout *co)
{
	bool guess = true;
	struct err err = ERR_INIT;

	if (co->guess < 0 && config_get_bool(co->r->config, "checkout.guess", &guess, &err) < 0)
		die_err(&err);
	if (co->guess >= 0)
		guess = co->guess;
	return guess && co->track == BRANCH_TRACK_UNSET && !co->new_branch && !co->reset_branch &&
	       !co->orphan;
}

/* No revision has that name: is it a branch of a remote? Then one is made from it. */
static bool complete_to_remote(struct checkout *co, const char *arg, bool alone, bool is_path)
{
	char *ref;

	if (!may_guess(co) || !alone || strpbrk(arg, "*?[\\"))
		return false;
	ref = guess_remote_branch(co, arg);
	if (!ref)
		return false;
	if (is_path)
		die("'%s' could be both a local file and a tracking branch.\n"
		    "Please use -- (and optionally --no-guess) to disambiguate", arg);
	co->new_branch = arg;
	co->arg = co->guessed = ref;
	return true;
}

/* ---- what a name means ---- */

/* A blob, or a name in full that no object has: it is no path all the same. */
static void refuse_other_object(const struct checkout *co, const char *arg)
{
	struct revparse_result res;

	if (!revparse(co->r, arg, OBJ_COMMIT, &res, NULL))
		die("unable to read tree (%s)", oid_hex(&res.oid));
}

/* "master...topic": their only merge base, as branch_find_start has it. */
static bool find_object(struct checkout *co, const char *arg)
{
	struct branch_start start = { .ref = NULL };
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;

	if (!revparse_commit(co->r, arg, &co->commit, NULL))
		co->has_commit = true;
	else if (strstr(arg, "...") && !branch_find_start(co->r, arg, BRANCH_TRACK_NEVER, &start, &text, &err)) {
		co->commit = start.oid;
		co->has_commit = true;
	}
	err_release(&err);
	strbuf_release(&text);
	free(start.ref);
	if (co->has_commit) {
		if (object_peel(odb_source(co->r->odb), &co->commit, OBJ_TREE, &co->tree, NULL, &err) < 0)
			die_err(&err);
		co->has_tree = true;
		return true;
	}
	co->has_tree = !revparse_tree(co->r, arg, &co->tree, NULL);
	if (!co->has_tree)
		refuse_other_object(co, arg);
	return co->has_tree;
}

/* A branch if there is one of that name; "@{-1}" becomes what it stands for. */
static void find_branch(struct checkout *co)
{
	struct strbuf ref = STRBUF_INIT, name = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct object_id oid;
	bool valid = false;

	if (branch_short_name(co->r, co->arg, false, &name, &err) < 0)
		die_err(&err);
	co->name = strbuf_detach(&name, NULL);
	if (branch_full_name(co->r, co->arg, &ref, &valid, &err) < 0)
		die_err(&err);
	if (valid && !co->detach && !ref_resolve(co->r->refs, ref.buf, &oid, NULL, NULL, NULL)) {
		co->branch = strbuf_detach(&ref, NULL);
		co->commit = oid;
		if (object_peel(odb_source(co->r->odb), &oid, OBJ_TREE, &co->tree, NULL, &err) < 0)
			die_err(&err);
	}
	strbuf_release(&ref);
}

static NORETURN void die_both(const char *arg)
{
	die("ambiguous argument '%s': both revision and filename\n"
	    "Use '--' to separate paths from revisions, like this:\n"
	    "'git <command> [<revision>...] -- [<file>...]'", arg);
}

/*
 * The paths begin at argv + n; dashes: "--" separates them. A revision that stands alone
 * is one, whatever files there are.
 */
static size_t take_revision(struct checkout *co, const char **argv, bool dashes)
{
	const char *arg = !strcmp(argv[0], "-") ? "@{-1}" : !strcmp(argv[0], "@") ? "HEAD" : argv[0];
	bool alone = !argv[1] || (dashes && !argv[2]), switches = co->command == SWITCH;
	bool path_too = !dashes && !switches && path_arg_exists(co->prefix, arg);

	co->arg = arg;
	if (!find_object(co, arg)) {
		co->arg = NULL;
		if (complete_to_remote(co, arg, switches || alone, path_too)) {
			if (!find_object(co, co->arg))
				die("invalid reference: %s", co->arg);
		} else if (dashes || switches) {
			die("invalid reference: %s", arg);
		} else {
			return 0;
		}
	} else if (path_too && !alone) {
		die_both(arg);
	}
	find_branch(co);
	return dashes ? 2 : 1;
}

const char **checkout_find_start(struct checkout *co, const char **argv)
{
	if (!argv[0])
		return argv;
	if (!strcmp(argv[0], "--"))
		return argv + 1;
	argv += take_revision(co, argv, argv[1] && !strcmp(argv[1], "--"));
	if (argv[0] && !strcmp(argv[0], "--"))
		argv++;
	return argv;
}

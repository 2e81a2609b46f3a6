/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The names of Git's commands (git(1)), so that a message can distinguish one that is not here yet
 * by name, and is never taken for a program of that name that another Git put on
 * PATH. Those in a group are shown by "git" alone, if they are here.
 */
#include "compat/posix.h"
#include <dirent.h>
#include "cli/known-commands.h"
#include "fs/file.h"
#include "util/path.h"

const struct known_command known_commands[] = {
	{ "add", GROUP_CHANGE, "stage file contents for the next commit" },
	{ "am", GROUP_NONE, "apply patches from mails" },
	{ "annotate", GROUP_NONE, "annotate lines with the commits that made them" },
	{ "apply", GROUP_NONE, "apply a patch to files or the index" },
	{ "archimport", GROUP_NONE, "import an Arch repository" },
	{ "archive", GROUP_NONE, "make an archive of a tree" },
	{ "backfill", GROUP_NONE, "fetch missing objects of a partial clone" },
	{ "bisect", GROUP_EXAMINE, "search the commit that brought a change by halving" },
	{ "blame", GROUP_NONE, "tell for each line who changed it last" },
	{ "branch", GROUP_GROW, "list, create or delete branches" },
	{ "bugreport", GROUP_NONE, "collect information for a bug report" },
	{ "bundle", GROUP_NONE, "carry objects and refs in a file" },
	{ "cat-file", GROUP_NONE, "show content, type or size of objects" },
	{ "check-attr", GROUP_NONE, "tell the attributes of paths" },
	{ "check-ignore", GROUP_NONE, "tell which ignore rule matches a path" },
	{ "check-mailmap", GROUP_NONE, "tell canonical names of contacts" },
	{ "check-ref-format", GROUP_NONE, "check whether a ref name is well formed" },
	{ "checkout", GROUP_NONE, "switch branches or restore files" },
	{ "checkout-index", GROUP_NONE, "copy files from the index to the work tree" },
	{ "cherry", GROUP_NONE, "find commits that are not upstream yet" },
	{ "cherry-pick", GROUP_NONE, "repeat what existing commits changed" },
	{ "citool", GROUP_NONE, "commit with a graphical tool" },
	{ "clean", GROUP_NONE, "remove untracked files" },
	{ "clone", GROUP_START, "copy a repository into a new directory" },
	{ "column", GROUP_NONE, "lay data out in columns" },
	{ "commit", GROUP_GROW, "record the staged changes as a new commit" },
	{ "commit-graph", GROUP_NONE, "write and verify commit-graph files" },
	{ "commit-tree", GROUP_NONE, "make a commit object of a tree" },
	{ "config", GROUP_NONE, "read and write options" },
	{ "count-objects", GROUP_NONE, "count loose objects and their size" },
	{ "credential", GROUP_NONE, "fetch and store credentials" },
	{ "credential-cache", GROUP_NONE, "keep passwords in memory for a while" },
	{ "credential-store", GROUP_NONE, "keep passwords on disk" },
	{ "cvsexportcommit", GROUP_NONE, "export a commit to CVS" },
	{ "cvsimport", GROUP_NONE, "import from CVS" },
	{ "cvsserver", GROUP_NONE, "serve CVS clients" },
	{ "daemon", GROUP_NONE, "serve repositories over the git protocol" },
	{ "describe", GROUP_NONE, "name a commit after a tag near it" },
	{ "diagnose", GROUP_NONE, "make an archive of diagnostic information" },
	{ "diff", GROUP_EXAMINE, "show changes between commits, index and work tree" },
	{ "diff-files", GROUP_NONE, "compare work tree and index" },
	{ "diff-index", GROUP_NONE, "compare a tree with work tree or index" },
	{ "diff-pairs", GROUP_NONE, "compare given pairs of blobs" },
	{ "diff-tree", GROUP_NONE, "compare two trees" },
	{ "difftool", GROUP_NONE, "show changes with another tool" },
	{ "fast-export", GROUP_NONE, "write history as a stream" },
	{ "fast-import", GROUP_NONE, "read history from a stream" },
	{ "fetch", GROUP_COLLABORATE, "get objects and refs from another repository" },
	{ "fetch-pack", GROUP_NONE, "receive missing objects" },
	{ "filter-branch", GROUP_NONE, "rewrite branches" },
	{ "fmt-merge-msg", GROUP_NONE, "make the message of a merge" },
	{ "for-each-ref", GROUP_NONE, "show information on each ref" },
	{ "for-each-repo", GROUP_NONE, "run a command in a list of repositories" },
	{ "format-patch", GROUP_NONE, "make mails of commits" },
	{ "fsck", GROUP_NONE, "verify objects and what they refer to" },
	{ "fsmonitor--daemon", GROUP_NONE, "watch the work tree for changes" },
	{ "gc", GROUP_NONE, "clean up and pack the repository" },
	{ "get-tar-commit-id", GROUP_NONE, "find the commit that an archive was made of" },
	{ "grep", GROUP_EXAMINE, "find lines that match a pattern" },
	{ "gui", GROUP_NONE, "graphical interface" },
	{ "hash-object", GROUP_NONE, "name, and perhaps write, an object" },
	{ "help", GROUP_NONE, "show help on git" },
	{ "history", GROUP_GROW, "rewrite commits of the current history" },
	{ "hook", GROUP_NONE, "run hooks" },
	{ "http-backend", GROUP_NONE, "serve repositories over HTTP" },
	{ "http-fetch", GROUP_NONE, "fetch over dumb HTTP" },
	{ "http-push", GROUP_NONE, "push over WebDAV" },
	{ "imap-send", GROUP_NONE, "send patches to an IMAP folder" },
	{ "index-pack", GROUP_NONE, "make the index of a pack" },
	{ "init", GROUP_START, "make a repository, or look one over again" },
	{ "init-db", GROUP_NONE, "make a repository (old name of init)" },
	{ "instaweb", GROUP_NONE, "browse the repository in a web browser" },
	{ "interpret-trailers", GROUP_NONE, "add or parse trailers of messages" },
	{ "last-modified", GROUP_NONE, "tell when paths changed last" },
	{ "log", GROUP_EXAMINE, "show the history of commits" },
	{ "ls-files", GROUP_NONE, "list files of index and work tree" },
	{ "ls-remote", GROUP_NONE, "list refs of another repository" },
	{ "ls-tree", GROUP_NONE, "list the contents of a tree" },
	{ "mailinfo", GROUP_NONE, "take patch and author out of a mail" },
	{ "mailsplit", GROUP_NONE, "split a mailbox" },
	{ "maintenance", GROUP_NONE, "optimise repositories in the background" },
	{ "merge", GROUP_GROW, "join histories" },
	{ "merge-base", GROUP_NONE, "find common ancestors" },
	{ "merge-file", GROUP_NONE, "merge three versions of a file" },
	{ "merge-index", GROUP_NONE, "run a merge for files that need one" },
	{ "merge-one-file", GROUP_NONE, "helper of merge-index" },
	{ "merge-tree", GROUP_NONE, "merge without touching index or work tree" },
	{ "mergetool", GROUP_NONE, "resolve conflicts with another tool" },
	{ "mktag", GROUP_NONE, "make a tag object, checked" },
	{ "mktree", GROUP_NONE, "make a tree object of a listing" },
	{ "multi-pack-index", GROUP_NONE, "write and verify multi-pack indexes" },
	{ "mv", GROUP_CHANGE, "move or rename files" },
	{ "name-rev", GROUP_NONE, "find symbolic names of commits" },
	{ "notes", GROUP_NONE, "add notes to objects" },
	{ "p4", GROUP_NONE, "work with Perforce" },
	{ "pack-objects", GROUP_NONE, "make a pack" },
	{ "pack-redundant", GROUP_NONE, "find packs that are not needed" },
	{ "pack-refs", GROUP_NONE, "pack refs into one file" },
	{ "patch-id", GROUP_NONE, "compute an id of a patch" },
	{ "prune", GROUP_NONE, "remove unreachable objects" },
	{ "prune-packed", GROUP_NONE, "remove loose objects that are packed" },
	{ "pull", GROUP_COLLABORATE, "fetch from another repository, and merge or rebase" },
	{ "push", GROUP_COLLABORATE, "update refs of another repository" },
	{ "quiltimport", GROUP_NONE, "apply a quilt series" },
	{ "range-diff", GROUP_NONE, "compare two versions of a branch" },
	{ "read-tree", GROUP_NONE, "read trees into the index" },
	{ "rebase", GROUP_GROW, "put commits on top of another base" },
	{ "receive-pack", GROUP_NONE, "receive a push into the repository" },
	{ "reflog", GROUP_NONE, "manage reflogs" },
	{ "refs", GROUP_NONE, "low-level access to refs" },
	{ "remote", GROUP_NONE, "manage tracked repositories" },
	{ "repack", GROUP_NONE, "pack unpacked objects" },
	{ "replace", GROUP_NONE, "manage replacements of objects" },
	{ "replay", GROUP_NONE, "replay commits on a new base" },
	{ "repo", GROUP_NONE, "tell about the repository" },
	{ "request-pull", GROUP_NONE, "summarise pending changes" },
	{ "rerere", GROUP_NONE, "reuse recorded resolutions of conflicts" },
	{ "reset", GROUP_GROW, "move the branch, reset index or files" },
	{ "restore", GROUP_CHANGE, "restore files" },
	{ "rev-list", GROUP_NONE, "list commits in order" },
	{ "rev-parse", GROUP_NONE, "parse revisions and options" },
	{ "revert", GROUP_NONE, "undo what existing commits changed" },
	{ "rm", GROUP_CHANGE, "remove files from work tree and index" },
	{ "send-email", GROUP_NONE, "send patches as mails" },
	{ "send-pack", GROUP_NONE, "push, the low-level way" },
	{ "shell", GROUP_NONE, "restricted login shell" },
	{ "shortlog", GROUP_NONE, "summarise the log by author" },
	{ "show", GROUP_EXAMINE, "show objects" },
	{ "show-branch", GROUP_NONE, "show branches and their commits" },
	{ "show-index", GROUP_NONE, "show the index of a pack" },
	{ "show-ref", GROUP_NONE, "list refs" },
	{ "sparse-checkout", GROUP_NONE, "reduce the work tree to some paths" },
	{ "stage", GROUP_NONE, "stage file contents (other name of add)" },
	{ "stash", GROUP_NONE, "put changes aside" },
	{ "status", GROUP_EXAMINE, "show the state of the work tree" },
	{ "stripspace", GROUP_NONE, "remove needless white space" },
	{ "submodule", GROUP_NONE, "manage submodules" },
	{ "subtree", GROUP_NONE, "merge and split subtrees" },
	{ "svn", GROUP_NONE, "work with Subversion" },
	{ "switch", GROUP_GROW, "switch branches" },
	{ "symbolic-ref", GROUP_NONE, "read and write symbolic refs" },
	{ "tag", GROUP_GROW, "list, create or delete tags" },
	{ "unpack-file", GROUP_NONE, "write a blob to a temporary file" },
	{ "unpack-objects", GROUP_NONE, "unpack objects of a pack" },
	{ "update-index", GROUP_NONE, "change entries of the index" },
	{ "update-ref", GROUP_NONE, "change refs safely" },
	{ "update-server-info", GROUP_NONE, "prepare for dumb servers" },
	{ "upload-archive", GROUP_NONE, "send an archive" },
	{ "upload-pack", GROUP_NONE, "send objects to a fetch" },
	{ "var", GROUP_NONE, "show logical variables" },
	{ "verify-commit", GROUP_NONE, "check signatures of commits" },
	{ "verify-pack", GROUP_NONE, "verify packs" },
	{ "verify-tag", GROUP_NONE, "check signatures of tags" },
	{ "version", GROUP_NONE, "show the version" },
	{ "web--browse", GROUP_NONE, "start a web browser" },
	{ "whatchanged", GROUP_NONE, "show the history with changes" },
	{ "worktree", GROUP_NONE, "manage several work trees" },
	{ "write-tree", GROUP_NONE, "make a tree object of the index" },
};
const size_t nr_known_commands = ARRAY_SIZE(known_commands);

static int compare_name(const void *name, const void *command)
{
	return strcmp(name, ((const struct known_command *)command)->name);
}

const struct known_command *known_command_find(const char *name)
{
	return bsearch(name, known_commands, nr_known_commands, sizeof(known_commands[0]),
		       compare_name);
}

/* ---- lists ---- */

void list_programs(struct strvec *out, const char *dir, const char *prefix)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	const char *name;

	while (d && (e = readdir(d))) {
		char *path;

		if (!skip_prefix(e->d_name, prefix, &name) || !*name)
			continue;
		path = path_join(dir, e->d_name);
		if (!access(path, X_OK) && !is_directory(path))
			strvec_push(out, name);
		free(path);
	}
	if (d)
		closedir(d);
}

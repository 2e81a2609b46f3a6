/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * core.sandbox: a server's process, once it is set up, gives up all that serving a client from one
 * repository does not need (compat/landlock.h, compat/seccomp.h). Documentation/Serving.adoc.
 *
 *   sandbox_read_config(&mode, protected, err);
 *   if (sandbox_probe(&sandbox, mode, err) > 0)
 *           ... start who has to do the rest ...
 *           repo_confine(repo, &sandbox, -1, err);
 */
#ifndef REPO_CONFINE_H
#define REPO_CONFINE_H

#include "compat/posix.h"
#include "repo/repo.h"

enum sandbox_mode {
	SANDBOX_AUTO, /* as far as the system can */
	SANDBOX_OFF,
	SANDBOX_ON, /* all of it, or it is an error */
};
/* protected: see config_set_read_protected. A repository has no say in it. */
MUST_USE int sandbox_read_config(enum sandbox_mode *out, const struct config_set *protected,
				 struct err *err);

struct sandbox {
	enum sandbox_mode mode;
	int landlock; /* version of its interface; 0: there is none */
	bool seccomp;
	char missing[200]; /* what there is not, and why; "": nothing */
	/*
	 * To be set by the caller, before repo_confine. The host's own directory for files that it can do
	 * without (fs/private-dir.h): there, too, files may be read, and there alone made, written and
	 * removed, also by processes that it forks; not owned, NULL: none. One that is not private is none.
	 */
	const char *private_dir;
	/*
	 * private_dir is a quarantine instead: in it, too, directories may be made and removed, and files be flushed; no
	 * processes and no locks. It must have been made by this process: it may be open to a group.
	 */
	bool tree;
	bool locks; /* open files may be locked; always with a private_dir */
	const char *const *files; /* may be read besides, if they are there; NULL-terminated, NULL: none */
};
/*
 * What can be given up here? 1: something; 0: nothing, the traces say why. ERR_UNSUPPORTED: not all,
 * with SANDBOX_ON.
 */
int sandbox_probe(struct sandbox *out, enum sandbox_mode mode, struct err *err);
/*
 * From now on this process can read files below the directories of the repository (NULL: there is
 * none), of its alternates, and of symbolic links at their tops. It can write to open descriptors. All
 * else is denied, except the actions that the last members of `s` allow, which without Landlock is in no directory in particular. Only
 * while there is one thread. Descriptors above 2 that it was started with are closed. `messages`: a
 * socket on which it may send and receive messages; -1: none.
 *
 * Errors: ERR_IO; SANDBOX_AUTO skips a mechanism that does not work, and traces that.
 * Cost:   some 50 system calls.
 */
MUST_USE int repo_confine(struct repository *r, struct sandbox *s, int messages,
			  struct err *err);

#endif

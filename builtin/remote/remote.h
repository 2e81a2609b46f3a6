/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of git remote. */
#ifndef BUILTIN_REMOTE_REMOTE_H
#define BUILTIN_REMOTE_REMOTE_H

#include "builtin/builtin.h"
#include "repo/remotes.h"
#include "transport/remote-refs.h"

/* Exit codes of git-remote(1). */
#define EXIT_NO_REMOTE 2
#define EXIT_REMOTE_EXISTS 3

/* ---- remote-common.c ---- */
struct remotes *remotes_or_die(struct repository *r);
/*
 * Returns the remote of that name. A name without configuration is its own URL. Dies if the configuration is bad, if
 * credentials in a URL are refused, or if the remote has no URL.
 */
struct remote *remote_or_die(struct repository *r, const char *name);
/* Is it this repository that knows it: its configuration, or a file of old repositories? */
bool remote_is_own(struct repository *r, const struct remote *remote);
/* The same by name. NULL and an error message if it does not exist; with a colon if it was to be renamed or removed. */
struct remote *own_remote(struct repository *r, const char *name, bool to_change);
/* What fetches a branch of the remote; dies if no refspec can have that name. Caller frees. */
char *remote_branch_refspec_or_die(struct repository *r, const char *branch, const char *remote, bool mirror);
/* What the other side has; dies if it cannot be asked. */
void remote_ask_or_die(struct repository *r, const struct remote *remote, struct remote_refs *out);
/* The branches that HEAD may be there, in their order; appended. Several: the other side does not say. */
void remote_head_branches(const struct remote_refs *refs, struct strvec *out);
void remote_list(struct repository *r, bool verbose);

/* ---- subcommands, with what comes after `git remote`; verbose: -v before the subcommand ---- */
int remote_cmd_add(int argc, const char **argv, struct repository *r, bool verbose);
int remote_cmd_rename(int argc, const char **argv, struct repository *r, bool verbose);
int remote_cmd_remove(int argc, const char **argv, struct repository *r, bool verbose);
int remote_cmd_set_head(int argc, const char **argv, struct repository *r, bool verbose);
int remote_cmd_set_branches(int argc, const char **argv, struct repository *r, bool verbose);
int remote_cmd_get_url(int argc, const char **argv, struct repository *r, bool verbose);
int remote_cmd_set_url(int argc, const char **argv, struct repository *r, bool verbose);
int remote_cmd_show(int argc, const char **argv, struct repository *r, bool verbose);
int remote_cmd_prune(int argc, const char **argv, struct repository *r, bool verbose);
int remote_cmd_update(int argc, const char **argv, struct repository *r, bool verbose);

#endif

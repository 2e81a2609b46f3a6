/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of git push. */
#ifndef BUILTIN_PUSH_PUSH_H
#define BUILTIN_PUSH_PUSH_H

#include "compat/posix.h"
#include "builtin/builtin.h"
#include "repo/remotes.h"
#include "transport/push/push.h"

struct push_cmd {
	struct repository *r;
	struct remote *remote;
	char *branch; /* the current one, short; NULL: detached */
	const char *repo_name; /* as it was said; NULL: by default */
	struct refspec specs;
	struct push_list list;
	struct strvec leases, push_options;
	bool lease_for_all;
	const char *receive_pack, *recurse;
	enum push_signed sign;
	int all, mirror, tags, deletes, dry_run, porcelain, force, follow_tags, prune, verify, atomic, thin, set_upstream;
	int quiet, verbose, progress, ipv4, ipv6, if_includes;
	bool refspecs_are_default;
};

/* ---- push-default.c ---- */
/* Dies with advice where there is nothing that can be pushed. */
void push_choose_remote(struct push_cmd *c);
void push_add_arguments(struct push_cmd *c, int argc, const char **argv);
void push_add_default(struct push_cmd *c);

/* ---- push-after.c ---- */
/* The hook pre-push. ERR_ABORTED: it has refused. */
MUST_USE int push_run_hook(struct push_cmd *c, const char *url, struct err *err);
/* --recurse-submodules=check. ERR_ABORTED names what has not been pushed. */
MUST_USE int push_check_submodules(struct push_cmd *c, struct err *err);
/* Remote-tracking refs and the upstream of branches, in one operation. */
MUST_USE int push_record(struct push_cmd *c, struct err *err);
void push_advise(struct push_cmd *c);

#endif

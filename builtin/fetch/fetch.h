/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of git fetch. */
#ifndef BUILTIN_FETCH_FETCH_H
#define BUILTIN_FETCH_FETCH_H

#include "builtin/fetch/fetch-common.h"
#include "builtin/pack/pack-input.h"
#include "porcelain/fetch.h"

/* The command line, before the configuration has its say. */
struct fetch_cmd {
	struct repository *r;
	struct fetch_options o;
	struct pack_checks checks;
	struct pack_progress progress;
	struct filter_spec filter, remote_filter;
	struct strvec restrict_to, include, refmap, deepen_not, server_options;
	struct oid_array tip_oids, include_oids;
	const char *filter_text, *depth, *deepen, *since, *recurse;
	const char *recurse_default, *submodule_prefix; /* no submodule is fetched: without effect */
	bool filter_auto; /* --filter=auto */
	bool filter_none; /* --no-filter: not even that of the remote */
	int all, multiple, jobs, tags, quiet, verbose, show_progress, unshallow, auto_maintenance;
	int write_graph, write_fetch_head, forced_updates, from_stdin, promised, negotiate_only, ipv4, ipv6;
	int append, atomic, dry_run, force, keep, prefetch, porcelain, set_upstream, update_head_ok, update_shallow, refetch;
};

/* ---- fetch-tips.c: what negotiation begins with ---- */
/* --negotiation-restrict, --negotiation-include, or what the remote says. Dies. */
void fetch_read_tips(struct fetch_cmd *f, const struct remote *remote);
/* --negotiate-only; the exit code. */
int fetch_print_common(struct fetch_cmd *f, const struct remote *remote);

/* ---- fetch-many.c: several remotes, each by a command of its own ---- */
/*
 * Turns names of remotes and of groups (remotes.<group>) into names of remotes; dies if a name is
 * neither.
 */
void fetch_add_remotes(struct fetch_cmd *f, const char *name, struct strvec *out);
void fetch_add_all_remotes(struct fetch_cmd *f, struct strvec *out);
/* The number of a group's members; 0: it is no group. */
size_t remote_group_add(struct repository *r, const char *name, struct strvec *out);
/* The exit code. */
int fetch_many(struct fetch_cmd *f, const struct strvec *names);

#endif

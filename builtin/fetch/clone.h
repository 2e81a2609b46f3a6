/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of git clone. */
#ifndef BUILTIN_FETCH_CLONE_H
#define BUILTIN_FETCH_CLONE_H

#include "builtin/fetch/fetch-common.h"
#include "builtin/pack/pack-input.h"
#include "fs/tempfile.h"
#include "porcelain/clone/clone.h"

/* The command line. */
struct clone_cmd {
	struct clone_options o;
	struct strvec kept; /* what o points to */
	struct pack_checks checks;
	struct pack_progress progress;
	struct filter_spec filter;
	struct strvec config_args, references, optional_references, objdirs, deepen_not, server_options, submodules;
	struct config_edit *edits;
	const char *name; /* of the source, as it was given */
	bool is_bundle;	  /* or some other file */
	const char *dir;  /* the new one, as it was given or guessed */
	const char *filter_text, *depth, *since, *origin, *template, *separate, *ref_format, *bundle_uri;
	int show_progress, reject_shallow, no_checkout, bare, mirror, local, no_hardlinks, shared;
	int dissociate, single_branch, tags, jobs, sparse, also_filter_submodules, remote_submodules;
	int shallow_submodules, ipv4, ipv6;
	/* Removed at exit, unless the clone has succeeded. */
	struct tempfile *trees[2];
};

/* The copy lives as long as the command. */
const char *clone_keep(struct clone_cmd *cc, char *owned);
const char *clone_absolute(struct clone_cmd *cc, const char *path);

/* ---- clone-place.c: from where, and to where ---- */
/* o.url, o.source; dies if there is nothing. */
void clone_find_source(struct clone_cmd *cc);
/* cc->dir, if it was not given. */
void clone_guess_dir(struct clone_cmd *cc);
/* Checks the places, makes the directories of the new repository and watches them. */
void clone_make_places(struct clone_cmd *cc);
/* The clone is done: they stay. Or it is not: they go, as far as they were not there before. */
void clone_leave_places(struct clone_cmd *cc, bool done);
/* Object directories of --reference and --reference-if-able; dies. */
void clone_add_references(struct clone_cmd *cc);

#endif

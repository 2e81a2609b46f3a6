/* SPDX-License-Identifier: GPL-2.0-only */
/* git refs migrate: all refs and reflogs from one format to another, git-refs(1). */
#ifndef MAINTAIN_MIGRATE_REFS_H
#define MAINTAIN_MIGRATE_REFS_H

#include "compat/posix.h"
#include "operation/operation.h"
#include "repo/repo.h"

struct ref_migration_options {
	const struct ref_backend *to;
	bool reflogs; /* else they are dropped */
	bool dry_run; /* write the new format to a directory, and stop */
};
/*
 * The refs of the repository get another format. The steps, each sealed before the next one:
 *
 *	build    the new format, in "ref_migration" below the gitdir
 *	place    its files get their places. Nothing reads them there: the configuration names the old format
 *	switch   the configuration names the new format: this rename decides
 *	sweep    the files of the old format are removed (D8), and "ref_migration" last of all
 *
 * A crash between them leaves the repository with the format that its configuration names, and with "ref_migration".
 * The next migration begins with the sweep of that, and gc and maintenance do it, too. Writers that do not wait are found before the switch:
 * then both formats differ, and nothing is switched.
 *
 * *dir: of a dry run, the directory that it wrote. The caller frees it.
 * r->refs must not be used afterwards.
 *
 * Durability: the new format and its name survive a power cut; before the switch the repository is as it was.
 * Errors:     ERR_UNSUPPORTED: there are worktrees. ERR_LOCKED: another migration. ERR_CONFLICT: refs have
 *             changed meanwhile. ERR_CORRUPT: a broken ref.
 * Cost:       three flushes, four if tables are the new format, whatever the number of refs.
 */
MUST_USE int ref_migrate(struct repository *r, const struct ref_migration_options *o, char **dir, struct err *err);
/* The files of a migration that was killed go (P5). Nothing happens while another one is at work. Publishes the staged changes of op. */
MUST_USE int ref_migration_sweep(struct repo_operation *op, struct repository *r, struct err *err);

#endif

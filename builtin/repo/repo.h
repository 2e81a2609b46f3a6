/* SPDX-License-Identifier: GPL-2.0-only */
/* git-repo(1): what its two commands share. */
#ifndef BUILTIN_REPO_REPO_H
#define BUILTIN_REPO_REPO_H

#include "compat/posix.h"
#include "repo/repo.h"

enum repo_format { REPO_TABLE, REPO_LINES, REPO_NUL };

MUST_USE int repo_print_structure(struct repository *r, enum repo_format f, struct err *err);

#endif

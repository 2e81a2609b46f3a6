/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Refs in files, as every git knows them: gitrepository-layout(5). A ref is a loose file
 * ("refs/heads/main") or a line of packed-refs; reflogs are files below logs/.
 */
#ifndef REFS_FILES_FILES_H
#define REFS_FILES_FILES_H

#include "compat/posix.h"
#include "refs/refs.h"

/* For struct ref_store_options. */
extern const struct ref_backend files_ref_backend;

#endif

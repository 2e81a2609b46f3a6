/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Refs as a client sees them: those of one namespace (gitnamespaces(7)), without what
 * transfer.hideRefs and its like hide (git-config(1)).
 */
#ifndef REPO_HIDDEN_REFS_H
#define REPO_HIDDEN_REFS_H

#include "compat/posix.h"
#include "repo/repo.h"
#include "util/strvec.h"

struct hidden_refs {
	struct strvec rules; /* the later ones win */
};
#define HIDDEN_REFS_INIT { STRVEC_INIT }

/*
 * The values of transfer.hideRefs and of SERVICE.hideRefs ("uploadpack", "receive"), in the order
 * of the configuration.
 */
MUST_USE int hidden_refs_read(struct hidden_refs *out, const struct config_set *c,
			      const char *service, struct err *err);
void hidden_refs_release(struct hidden_refs *h);
/* name: as the client sees it, NULL outside of the namespace; full_name: in the repository. */
bool ref_is_hidden(const struct hidden_refs *h, const char *name, const char *full_name);
/*
 * Directories ("refs/pull/", whole names) below which every ref of the namespace with that prefix is hidden, sorted
 * and none below another: a caller can skip them. `out` is empty before. Others can be hidden as well.
 */
void hidden_refs_directories(const struct hidden_refs *h, const char *prefix, struct strvec *out);

/*
 * The beginning of all names of refs in the namespace of GIT_NAMESPACE, "" without one:
 * "refs/namespaces/a/refs/namespaces/b/" for "a/b". ERR_INVALID. Caller frees.
 */
MUST_USE int namespace_prefix(char **out, struct err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* Signatures, as commands check and show them. */
#ifndef BUILTIN_TAG_GPG_H
#define BUILTIN_TAG_GPG_H

#include "builtin/builtin.h"
#include "sign/sign.h"
#include "reflist/reflist.h"

#define GPG_VERIFY_VERBOSE 1u	  /* the payload goes to standard output */
#define GPG_VERIFY_RAW 2u	  /* the status lines are shown, not the words for people */
#define GPG_VERIFY_OMIT_STATUS 4u /* neither is shown */
/* Payload and what the program said. */
void gpg_show_check(const struct signature_check *c, unsigned flags);
/* Returns true if the tag has a good signature; otherwise prints the reason. */
bool gpg_verify_tag(struct repository *r, const char *name, const struct object_id *oid,
		    unsigned flags);
/*
 * The listing whose format (--format, NULL without) shows verified tags. One that cannot be
 * parsed is a matter of usage, and comes before any tag is looked at.
 */
struct reflist *gpg_open_format(struct repository *r, const char *format, int color_when,
				const char *const *usage, const struct option *opts);
/*
 * The line that the listing's format makes of a tag that has been verified, named as the
 * user did.
 */
MUST_USE int gpg_show_tag(struct reflist *l, const char *name, const struct object_id *oid,
			  bool omit_empty, struct err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* git-pack-objects(1): what its standard input says. */
#ifndef BUILTIN_PACK_PACK_OBJECTS_H
#define BUILTIN_PACK_PACK_OBJECTS_H

#include "compat/posix.h"
#include "packing/pack-collection.h"

/* Names of objects, with paths; "-NAME" for what the other side has. */
MUST_USE int pack_read_object_list(struct pack_collection *c, struct err *err);
/* Names of packs; "^NAME": its objects are left out; with `follow` also "!NAME": see struct pack_choices. */
MUST_USE int pack_read_pack_list(struct pack_collection *c, bool follow, struct err *err);
/* Lines up to an empty one or the end. */
MUST_USE int pack_read_revisions(struct strvec *lines, struct err *err);
/* --cruft: names of packs; "-NAME" will be deleted, and is added to the set. All have to be there. */
MUST_USE int pack_read_discarded(struct pack_collection *c, struct strset *discarded,
				 struct err *err);

#endif

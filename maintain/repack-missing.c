/* SPDX-License-Identifier: GPL-2.0-only */
/* In the place of repack.h's functions until they are there: gc refuses before it changes anything. */
#include "compat/posix.h"
#include "maintain/repack.h"

void repack_options_init(struct repack_options *o, struct repository *r)
{
	memset(o, 0, sizeof(*o));
	strvec_init(&o->keep_packs);
	pack_objects_options_init(&o->pack, r->odb);
	pack_objects_options_init(&o->cruft, r->odb);
}

int repack_options_read(struct repack_options *o UNUSED, struct repository *r UNUSED,
			struct err *err)
{
	return err_set(err, ERR_UNSUPPORTED, "packing a repository anew is not available yet");
}

void repack_options_release(struct repack_options *o)
{
	strvec_clear(&o->keep_packs);
	filter_spec_release(&o->filter);
}

int repack_run(struct repo_operation *op UNUSED, struct repository *r UNUSED,
	       const struct repack_options *o UNUSED, struct repack_result *out UNUSED,
	       struct err *err)
{
	return err_set(err, ERR_UNSUPPORTED, "packing a repository anew is not available yet");
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* Trailers as they are shown: %(trailers:…) of git-log(1) and git-for-each-ref(1). */
#ifndef PRETTY_TRAILERS_H
#define PRETTY_TRAILERS_H

#include "compat/posix.h"
#include "util/strbuf.h"
#include "util/strvec.h"

struct trailer_options {
	struct strvec keys;
	bool only, unfold, key_only, value_only;
	struct strbuf separator, key_value_separator;
	bool has_separator, has_key_value_separator;
};
#define TRAILER_OPTIONS_INIT { STRVEC_INIT, false, false, false, false, STRBUF_INIT, \
	STRBUF_INIT, false, false }
void trailer_options_release(struct trailer_options *o);

/* One option, s[0..len): "key=Acked-by", "only", "separator=%x2C". False: it is none. */
bool trailer_options_add(struct trailer_options *o, const char *s, size_t len);
/* Append the trailers of a message; without any option the block as it stands. */
void trailers_format(const struct trailer_options *o, const char *msg, size_t msg_len,
		     struct strbuf *out);

#endif

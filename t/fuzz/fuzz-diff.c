/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A diff. The first byte has flags, then come two texts, separated by the first NUL. The
 * changes that are found, applied to the first text, must give the second.
 */
#include "compat/posix.h"
#include "diff/hunk-internal.h"
#include "diff/text-internal.h"
#include "t/fuzz/fuzz.h"
#include "util/alloc.h"

static void check(const struct text_diff *d, const uint8_t *new_text, size_t new_len)
{
	struct strbuf made = STRBUF_INIT;
	size_t i = 0;

	for (size_t n = 0; n <= d->nr; n++) {
		const struct text_change *c = n < d->nr ? &d->changes[n] : NULL;
		size_t end = c ? c->old_first : d->side[0].nr;

		for (; i < end; i++)
			strbuf_add(&made, d->side[0].lines[i].text, d->side[0].lines[i].len);
		for (size_t j = 0; c && j < c->new_nr; j++)
			strbuf_add(&made, d->side[1].lines[c->new_first + j].text,
				   d->side[1].lines[c->new_first + j].len);
		i += c ? c->old_nr : 0;
	}
	if (made.len != new_len || (new_len && memcmp(made.buf, new_text, new_len)))
		abort();
	strbuf_release(&made);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *nul = size ? memchr(data + 1, 0, size - 1) : NULL;
	struct diff_options o;
	struct strbuf out = STRBUF_INIT;
	struct text_diff d;
	struct hunk_printer hp = { .o = &o, .d = &d, .out = &out };
	size_t old_len, new_len;
	uint64_t added, deleted;

	if (!nul)
		return 0;
	old_len = (size_t)(nul - data) - 1;
	new_len = size - old_len - 2;
	diff_options_init(&o, NULL);
	o.minimal = data[0] & 1;
	o.indent_heuristic = data[0] & 2;
	o.color = data[0] & 4;
	o.ignore = data[0] >> 3;
	o.algorithm = (enum diff_algorithm)(old_len % 3);
	o.function_context = new_len & 1;
	o.word_diff = new_len & 2 ? DIFF_WORDS_PLAIN : DIFF_WORDS_NONE;
	text_diff(&d, (const char *)data + 1, old_len, (const char *)nul + 1, new_len, &o);
	if (!o.ignore)
		check(&d, nul + 1, new_len);
	hunks_print(&hp);
	hunks_count(&d, &o, &added, &deleted);
	text_diff_release(&d);
	diff_options_release(&o);
	strbuf_release(&out);
	return 0;
}

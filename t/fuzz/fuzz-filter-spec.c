/* SPDX-License-Identifier: GPL-2.0-only */
/* A filter specification: its canonical text means the same, and is its own canonical text. */
#include "compat/posix.h"
#include "t/fuzz/fuzz.h"
#include "util/alloc.h"
#include "wire/filter-spec.h"

static void compare(const struct filter_spec *a, const struct filter_spec *b)
{
	if (a->nr != b->nr || a->nr > FILTER_PARTS_MAX)
		abort();
	for (size_t i = 0; i < a->nr; i++) {
		const struct filter_part *x = &a->parts[i], *y = &b->parts[i];

		if (x->kind != y->kind || x->number != y->number || x->type != y->type ||
		    !x->name != !y->name || (x->name && strcmp(x->name, y->name)))
			abort();
	}
}

static void read_back(const struct filter_spec *f)
{
	struct strbuf text = STRBUF_INIT, again = STRBUF_INIT;
	struct filter_spec g = FILTER_SPEC_INIT;

	filter_spec_format(f, &text);
	if (filter_spec_parse(&g, text.buf, NULL) < 0)
		abort();
	compare(f, &g);
	filter_spec_format(&g, &again);
	if (strcmp(text.buf, again.buf))
		abort();
	filter_spec_release(&g);
	strbuf_release(&again);
	strbuf_release(&text);
}

/* Each line is added to what the lines before it made. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = xmemdupz(data, size), *line, *rest = text;
	struct filter_spec f = FILTER_SPEC_INIT;

	while ((line = strsep(&rest, "\n"))) {
		size_t before = f.nr;

		if (filter_spec_parse(&f, line, NULL) < 0) {
			if (f.nr != before)
				abort();
		} else {
			read_back(&f);
		}
	}
	filter_spec_release(&f);
	free(text);
	return 0;
}

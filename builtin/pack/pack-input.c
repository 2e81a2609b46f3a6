/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "builtin/pack/pack-input.h"
#include "util/alloc.h"

void print_pack_finding(bool is_error, const char *msg)
{
	if (is_error)
		error("%s", msg);
	else
		warning("%s", msg);
}

/* ---- statistics ---- */

struct statistics {
	bool objects;
	uint64_t *chains; /* objects by the length of their chains */
	size_t nr, alloc;
};

static int count_object(void *data, const struct received_object *o)
{
	struct statistics *s = data;

	while (s->nr <= o->depth) {
		ALLOC_GROW(s->chains, s->nr + 1, s->alloc);
		s->chains[s->nr++] = 0;
	}
	s->chains[o->depth]++;
	if (!s->objects)
		return 0;
	printf("%s %-6s %" PRIu64 " %" PRIu64 " %" PRIu64, oid_hex(&o->oid), object_type_name(o->type),
	       o->size, o->packed_bytes, o->offset);
	if (o->depth)
		printf(" %u %s", o->depth, oid_hex(&o->base));
	putchar('\n');
	return 0;
}

static const char *objects_word(uint64_t n)
{
	return n == 1 ? "object" : "objects";
}

void print_pack_statistics(struct pack_receive *rx, bool objects)
{
	struct statistics s = { .objects = objects };
	struct err err = ERR_INIT;

	if (pack_receive_foreach(rx, count_object, &s, &err) < 0)
		die_err(&err);
	if (s.nr && s.chains[0])
		printf("non delta: %" PRIu64 " %s\n", s.chains[0], objects_word(s.chains[0]));
	for (size_t i = 1; i < s.nr; i++)
		if (s.chains[i])
			printf("chain length = %zu: %" PRIu64 " %s\n", i, s.chains[i],
			       objects_word(s.chains[i]));
	free(s.chains);
}

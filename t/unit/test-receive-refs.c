/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of a push that make room for others: which, and how many comparisons that takes. */
#include "compat/posix.h"
#include "receive/receive.h"
#include "refs/refs.h"
#include "util/alloc.h"
#include "util/map.h"
#include <setjmp.h>
#include <cmocka.h>

struct commands {
	struct push_command *c, **sorted;
	size_t nr, alloc;
};

static void add_command(struct commands *cs, char *name, bool deletes)
{
	struct push_command *c;

	ALLOC_GROW(cs->c, cs->nr + 1, cs->alloc);
	c = &cs->c[cs->nr++];
	memset(c, 0, sizeof(*c));
	c->full_name = name;
	if (!deletes)
		c->new_oid.hash[0] = 1;
}

static bool find_makers(struct commands *cs)
{
	size_t compared;
	bool any;

	ALLOC_ARRAY(cs->sorted, cs->nr + 1);
	for (size_t i = 0; i < cs->nr; i++)
		cs->sorted[i] = &cs->c[i];
	any = receive_find_room_makers(cs->sorted, cs->nr, &compared);
	assert_in_range(compared, 0, 2 * cs->nr);
	return any;
}

static void release_commands(struct commands *cs)
{
	for (size_t i = 0; i < cs->nr; i++)
		free(cs->c[i].full_name);
	free(cs->c);
	free(cs->sorted);
	*cs = (struct commands){ .nr = 0 };
}

/* ---- which ---- */

static bool is_below(const char *name, const char *dir)
{
	size_t len = strlen(dir);

	return !strncmp(name, dir, len) && name[len] == '/';
}

static bool needs_room(const struct push_command *creation, const struct push_command *deletion)
{
	return !push_command_is_delete(creation) && push_command_is_delete(deletion) &&
	       (is_below(creation->full_name, deletion->full_name) ||
		is_below(deletion->full_name, creation->full_name));
}

static bool makes_room(const struct commands *cs, const struct push_command *c)
{
	for (size_t i = 0; i < cs->nr; i++)
		if (needs_room(&cs->c[i], c))
			return true;
	return false;
}

static char *random_name(unsigned *seed)
{
	static const char *const pieces[] = { "a", "b", "a-", "a.", "-a" };
	struct strbuf sb = STRBUF_INIT;

	strbuf_addstr(&sb, "refs");
	do {
		strbuf_addch(&sb, '/');
		strbuf_addstr(&sb, pieces[rand_r(seed) % ARRAY_SIZE(pieces)]);
	} while (rand_r(seed) % 4);
	return strbuf_detach(&sb, NULL);
}

/* A push names each ref once. */
static void add_random_commands(struct commands *cs, unsigned *seed)
{
	struct strset seen = STRSET_INIT;

	for (int i = 0; i < 30; i++) {
		char *name = random_name(seed);

		if (strset_add(&seen, name))
			add_command(cs, name, rand_r(seed) % 3);
		else
			free(name);
	}
	strset_clear(&seen);
}

static void test_makers(void **state UNUSED)
{
	struct commands cs = { .nr = 0 };
	unsigned seed = 1, makers = 0;

	for (int round = 0; round < 400; round++) {
		bool any, expect = false;

		add_random_commands(&cs, &seed);
		any = find_makers(&cs);
		for (size_t i = 0; i < cs.nr; i++) {
			bool makes = makes_room(&cs, &cs.c[i]);

			if (cs.c[i].makes_room != makes)
				fail_msg("round %d: %s", round, cs.c[i].full_name);
			expect |= makes;
			makers += makes;
		}
		assert_int_equal(any, expect);
		release_commands(&cs);
	}
	assert_in_range(makers, 400, 400 * 30);
}

/* ---- how many comparisons ---- */

static char *long_name(const char *piece, int pieces, int number)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_addstr(&sb, "refs/tags/");
	while (pieces--)
		strbuf_addstr(&sb, piece);
	strbuf_addf(&sb, "%d", number);
	return strbuf_detach(&sb, NULL);
}

/* Each of the first names is a prefix of all that follow, or a directory of theirs. */
static void test_chain(const char *piece)
{
	struct commands cs = { .nr = 0 };

	for (int i = 0; i < 300; i++)
		add_command(&cs, long_name(piece, i, 1), i % 2);
	for (int i = 0; i < 3000; i++)
		add_command(&cs, long_name(piece, 300, i), i % 2);
	find_makers(&cs);
	release_commands(&cs);
}

static void test_chains(void **state UNUSED)
{
	test_chain("1");
	test_chain("1/");
	test_chain("-1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_makers),
		cmocka_unit_test(test_chains),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

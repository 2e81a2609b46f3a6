/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A config file. A file that can be read can be edited: a value that is set can be read back,
 * all other entries are unchanged, and unsetting it again leaves a valid file.
 */
#include "compat/posix.h"
#include "config/config.h"
#include "t/fuzz/fuzz.h"

#define KEY "core.fuzzed"

static struct config_set *parse(const char *text, size_t len)
{
	struct config_set *c = config_set_new();

	if (!config_set_read_buf(c, text, len, "f", CONFIG_ORIGIN_FILE, CONFIG_SCOPE_LOCAL, NULL,
				 NULL))
		return c;
	config_set_free(c);
	return NULL;
}

static struct config_set *parse_or_abort(const struct strbuf *text)
{
	struct config_set *c = parse(text->buf, text->len);

	if (!c)
		abort();
	return c;
}

static void edit(struct strbuf *text, const char *value)
{
	struct config_edit e = { .key = KEY, .value = value, .multi = true };

	if (config_text_edit(text, &e, "f", NULL) < 0)
		abort();
}

/* Without those of KEY, both have the same entries in the same order. */
static void compare_others(const struct config_set *before, const struct config_set *after)
{
	size_t k = 0;

	for (size_t i = 0; i < config_nr(before); i++) {
		const struct config_entry *a = config_at(before, i), *b;

		if (!strcmp(a->key, KEY))
			continue;
		while (k < config_nr(after) && !strcmp(config_at(after, k)->key, KEY))
			k++;
		if (k == config_nr(after))
			abort();
		b = config_at(after, k++);
		if (strcmp(a->key, b->key) || !a->value != !b->value ||
		    (a->value && strcmp(a->value, b->value)))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct config_set *before = size ? parse((const char *)data, size) : NULL, *after;
	struct strbuf text = STRBUF_INIT;
	char *value;
	const char *got;

	if (!before)
		return 0;
	strbuf_add(&text, data, size);
	value = strndup((const char *)data, size < 20 ? size : 20);
	edit(&text, value);
	after = parse_or_abort(&text);
	got = config_get(after, KEY)->value;
	if (!got || strcmp(got, value))
		abort();
	compare_others(before, after);
	config_set_free(after);

	edit(&text, NULL);
	after = parse_or_abort(&text);
	if (config_get(after, KEY))
		abort();
	compare_others(before, after);
	config_set_free(after);
	config_set_free(before);
	strbuf_release(&text);
	free(value);
	return 0;
}

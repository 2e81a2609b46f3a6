/* SPDX-License-Identifier: GPL-2.0-only */
/* Texts that a server gives to a client, apart from the protocol itself. The first byte chooses the parser. */
#include "compat/posix.h"
#include "t/fuzz/fuzz.h"
#include "t/fuzz/scratch.h"
#include "transport/bundle-list.h"
#include "transport/download.h"
#include "transport/fetch/fetch-internal.h"
#include "transport/http/http-internal.h"
#include "util/alloc.h"

#define LONGEST 5000 /* headers that go on can be of any length, but not these inputs */

static void add_lines(struct strvec *out, const char *text)
{
	while (*text) {
		size_t len = strcspn(text, "\n");
		char *line = xstrndup(text, len);

		strvec_push(out, line);
		free(line);
		text += len + !!text[len];
	}
}

/* ---- lists of bundles ---- */

static void check_list(const struct bundle_list *l)
{
	if (l->nr > BUNDLE_LIST_ITEMS_MAX || l->version != 1 || l->mode == BUNDLE_LIST_NONE)
		abort();
	for (size_t i = 0; i < l->nr; i++)
		if (!l->items[i].id || !l->items[i].uri)
			abort();
}

static void list_of_text(const char *text)
{
	struct bundle_list a = BUNDLE_LIST_INIT, b = BUNDLE_LIST_INIT;
	int rc = bundle_list_read_text(&a, text, strlen(text), "https://h.example/d/list", NULL);

	if (rc != bundle_list_read_text(&b, text, strlen(text), "https://h.example/d/list", NULL) || a.nr != b.nr)
		abort();
	if (!rc)
		check_list(&a);
	bundle_list_release(&a);
	bundle_list_release(&b);
}

static void list_of_lines(const char *text)
{
	struct bundle_list l = BUNDLE_LIST_INIT;
	struct strvec lines = STRVEC_INIT;

	add_lines(&lines, text);
	if (!bundle_list_read_lines(&l, &lines, "https://h.example/repo", NULL))
		check_list(&l);
	bundle_list_release(&l);
	strvec_clear(&lines);
}

/* ---- URIs ---- */

static void packfile_uris(const char *text)
{
	static const char config[] = "[fetch]\nuriProtocols = https,http\n";
	struct repository r = *scratch_repo();
	struct fetch_session s = { .algo = r.algo, .capabilities = STRVEC_INIT, .version = 2 };
	struct fetch_wanted w = { .depth = 0 };
	struct fetch_task t = { .s = &s, .r = &r, .w = &w, .uris = STRVEC_INIT };
	struct config_set *c = config_set_new();
	struct strvec lines = STRVEC_INIT;
	size_t taken = 0;

	if (config_set_read_buf(c, config, strlen(config), "x", CONFIG_ORIGIN_FILE, CONFIG_SCOPE_LOCAL, NULL, NULL) < 0)
		abort();
	r.config = c;
	strvec_push(&s.capabilities, "fetch=packfile-uris");
	add_lines(&lines, text);
	for (size_t i = 0; i < lines.nr; i++)
		taken += !fetch_take_uri(&t, lines.v[i], NULL);
	if (taken != t.uris.nr || taken > FETCH_URIS_MAX)
		abort();
	strvec_clear(&lines);
	strvec_clear(&t.uris);
	strvec_clear(&s.capabilities);
	config_set_free(c);
}

/* Whatever is accepted can be said in one packet. */
static void promisors(const char *text)
{
	static const char config[] = "[promisor]\nacceptFromServer = all\n[remote \"a\"]\npromisor\nurl = x\n";
	struct config_set *c = config_set_new();
	struct fetch_session s = { .o = { .config = c }, .promisors = STRBUF_INIT, .auto_filter = FILTER_SPEC_INIT };

	if (config_set_read_buf(c, config, strlen(config), "x", CONFIG_ORIGIN_FILE, CONFIG_SCOPE_LOCAL, NULL, NULL) < 0 ||
	    session_take_promisors(&s, text, NULL) < 0 || s.promisors.len > strlen(text))
		abort();
	strbuf_release(&s.promisors);
	filter_spec_release(&s.auto_filter);
	config_set_free(c);
}

/* Nothing relative leads to another host. */
static void resolve(const char *text)
{
	char *file = uri_resolve("https://h.example/a/b", false, text), *dir = uri_resolve("https://h.example/a/b", true, text);

	if (!url_has_scheme(text) && (!starts_with(file, "https://h.example/") || !starts_with(dir, "https://h.example/")))
		abort();
	free(file);
	free(dir);
}

/* ---- http ---- */

static void headers(const char *text)
{
	struct http_challenges c = { .values = STRVEC_INIT };
	struct strvec lines = STRVEC_INIT;

	add_lines(&lines, text);
	for (size_t i = 0; i < lines.nr; i++)
		http_take_header(&c, lines.v[i], strlen(lines.v[i]));
	for (size_t i = 0; i < c.values.nr; i++)
		if (strchr(c.values.v[i], '\n'))
			abort();
	strvec_clear(&c.values);
	strvec_clear(&lines);
}

static void without_user(const char *text)
{
	char *url = xstrfmt("https://%s", text), *plain = http_url_without_user(url), *again = http_url_without_user(plain);
	const char *host = plain + strlen("https://");

	if (strcmp(plain, again) != 0 || memchr(host, '@', strcspn(host, "/?#")))
		abort();
	free(url);
	free(plain);
	free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const parsers[])(const char *) = {
		list_of_text, list_of_lines, packfile_uris, resolve, headers, without_user, promisors,
	};
	char *text;

	if (!size || size > LONGEST)
		return 0;
	text = xmemdupz(data + 1, size - 1);
	parsers[data[0] % ARRAY_SIZE(parsers)](text);
	free(text);
	return 0;
}

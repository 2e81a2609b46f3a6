/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "repo/hidden-refs.h"
#include "util/alloc.h"
#include "util/string-list.h"

int hidden_refs_read(struct hidden_refs *out, const struct config_set *c, const char *service,
		     struct err *err)
{
	char *own = xstrfmt("%s.hiderefs", service);
	size_t nr = config_nr(c);
	int rc = 0;

	for (size_t i = 0; i < nr && !rc; i++) {
		const struct config_entry *e = config_at(c, i);
		size_t len;

		if (strcmp(e->key, "transfer.hiderefs") != 0 && strcmp(e->key, own) != 0)
			continue;
		if (!e->value) {
			rc = config_entry_bad(e, err, "missing value");
			break;
		}
		len = strlen(e->value);
		while (len && e->value[len - 1] == '/')
			len--;
		strvec_pushf(&out->rules, "%.*s", (int)len, e->value);
	}
	free(own);
	return rc;
}

void hidden_refs_release(struct hidden_refs *h)
{
	strvec_clear(&h->rules);
}

/* Does the rule name it, or a directory above it? */
static bool covers(const char *rule, const char *name)
{
	const char *rest;

	return name && skip_prefix(name, rule, &rest) && (!*rest || *rest == '/');
}

bool ref_is_hidden(const struct hidden_refs *h, const char *name, const char *full_name)
{
	for (size_t i = h->rules.nr; i-- > 0;) {
		const char *rule = h->rules.v[i], *subject = name;
		bool hides = *rule != '!';

		if (!hides)
			rule++;
		if (*rule == '^') {
			subject = full_name;
			rule++;
		}
		if (covers(rule, subject))
			return hides;
	}
	return false;
}

/* What a rule hides a later one can show again: only those behind the last "!" hide all. */
void hidden_refs_directories(const struct hidden_refs *h, const char *prefix, struct strvec *out)
{
	for (size_t i = h->rules.nr; i-- > 0 && h->rules.v[i][0] != '!';) {
		const char *rule = h->rules.v[i];

		if (*rule == '^')
			strvec_pushf(out, "%s/", rule + 1);
		else
			strvec_pushf(out, "%s%s/", prefix, rule);
	}
	strvec_sort_prefixes(out);
}

int namespace_prefix(char **out, struct err *err)
{
	const char *name = getenv("GIT_NAMESPACE");
	struct string_list parts = STRING_LIST_INIT;
	struct strbuf sb = STRBUF_INIT;

	if (!name)
		name = "";
	string_list_split(&parts, name, "/");
	for (size_t i = 0; i < parts.nr; i++)
		if (*parts.items[i].string)
			strbuf_addf(&sb, "refs/namespaces/%s/", parts.items[i].string);
	string_list_clear(&parts, NULL);
	if (sb.len) {
		strbuf_setlen(&sb, sb.len - 1);
		if (!refname_is_valid(sb.buf, 0)) {
			strbuf_release(&sb);
			return err_set(err, ERR_INVALID, "bad git namespace path \"%s\"", name);
		}
		strbuf_addch(&sb, '/');
	}
	*out = strbuf_detach(&sb, NULL);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* git log --show-signature */
#include "compat/posix.h"
#include "builtin/log/log.h"
#include "object/commit.h"
#include "object/tag.h"
#include "sign/sign.h"

/* Every line in the colour of good or bad news. */
static void add_lines(const struct log_options *o, bool good, const char *text, struct strbuf *out)
{
	const char *color = o->diff.colors[good ? DIFF_COLOR_FRAG : DIFF_COLOR_WHITESPACE];

	while (*text) {
		size_t n = strcspn(text, "\n");

		if (o->color)
			strbuf_addf(out, "%s%.*s%s\n", color, (int)n, text, COLOR_RESET);
		else
			strbuf_addf(out, "%.*s\n", (int)n, text);
		text += n + (text[n] == '\n');
	}
}

static const char *words_of(const struct signature_check *c)
{
	return c->good || c->output ? c->output : "No signature\n";
}

static int add_own(struct log_options *o, const char *object, size_t len, struct strbuf *out,
		   struct err *err)
{
	struct signature_check c = SIGNATURE_CHECK_INIT;
	int rc = signature_check_commit(&c, o->repo, object, len, err);

	if (!rc && c.is_signed)
		add_lines(o, c.good, words_of(&c), out);
	signature_check_release(&c);
	return rc;
}

/* ---- tags that were merged ---- */

static void add_what_it_is(const struct commit *c, const struct tag_view *t, struct strbuf *out)
{
	uint32_t i;

	for (i = 0; i < c->nr_parents; i++)
		if (oid_eq(&c->parents[i]->oid, &t->target))
			break;
	if (c->nr_parents == 2 && i == 1)
		strbuf_addf(out, "merged tag '%.*s'\n", (int)t->name_len, t->name);
	else if (i == c->nr_parents)
		strbuf_addf(out, "tag %.*s names a non-parent %s\n", (int)t->name_len, t->name,
			    oid_hex(&t->target));
	else
		strbuf_addf(out, "parent #%" PRIu32 ", tagged '%.*s'\n", i + 1, (int)t->name_len,
			    t->name);
}

static int add_tag(struct log_options *o, const struct commit *c, const struct strbuf *tag,
		   struct strbuf *out, struct err *err)
{
	struct signature_check check = SIGNATURE_CHECK_INIT;
	struct strbuf text = STRBUF_INIT;
	struct tag_view t;
	int rc;

	if (tag_parse(&t, tag->buf, tag->len, o->repo->algo, NULL) < 0) {
		add_lines(o, false, "malformed mergetag\n", out);
		return 0; /* not worth the log */
	}
	add_what_it_is(c, &t, &text);
	rc = signature_check_tag(&check, o->repo, tag->buf, tag->len, err);
	if (check.is_signed)
		strbuf_addstr(&text, words_of(&check));
	if (!rc)
		add_lines(o, check.good, text.buf, out);
	signature_check_release(&check);
	strbuf_release(&text);
	return rc;
}

int log_add_signatures(struct log_options *o, struct commit *c, struct strbuf *out,
		       struct err *err)
{
	struct strbuf tag = STRBUF_INIT;
	const char *text;
	size_t len, at = 0;
	int rc = commit_buffer(o->walk->pool, c, &text, &len, err);

	if (!rc)
		rc = add_own(o, text, len, out, err);
	while (!rc && commit_next_header(text, len, &at, "mergetag", &tag)) {
		strbuf_addch(&tag, '\n');
		rc = add_tag(o, c, &tag, out, err);
		strbuf_reset(&tag);
	}
	strbuf_release(&tag);
	return rc;
}

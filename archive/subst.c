/* SPDX-License-Identifier: GPL-2.0-only */
/* The attribute export-subst: $Format:…$ in files, with the placeholders of git-log(1). */
#include "compat/posix.h"
#include "archive/archive-internal.h"
#include "history/history.h"
#include "pretty/pretty.h"
#include "util/alloc.h"

struct archive_subst {
	struct pretty pretty;
	struct commit_pool *pool;
	struct commit *commit;
};

int archive_subst_new(struct archive_subst **out, struct repository *r,
		      const struct object_id *commit, struct err *err)
{
	struct archive_subst *s = xcalloc(1, sizeof(*s));
	int rc = commit_pool_new(&s->pool, r, err);

	pretty_init(&s->pretty, r);
	s->pretty.describe_once = true; /* it may take long, and clients can ask for archives */
	if (!rc) {
		s->commit = commit_lookup(s->pool, commit);
		rc = commit_parse_node(s->pool, s->commit, err);
	}
	if (rc)
		archive_subst_free(s);
	else
		*out = s;
	return rc;
}

void archive_subst_free(struct archive_subst *s)
{
	if (!s)
		return;
	pretty_release(&s->pretty);
	commit_pool_free(s->pool);
	free(s);
}

/* format[0..len) is what stands between "$Format:" and "$". */
static int expand_one(struct archive_subst *s, const char *format, size_t len, struct strbuf *out,
		      struct err *err)
{
	char *text = xstrfmt("format:%.*s", (int)len, format);
	int rc = pretty_set_format(&s->pretty, text, err);

	if (!rc)
		rc = pretty_commit(&s->pretty, s->pool, s->commit, out, err);
	free(text);
	return rc;
}

int archive_subst_expand(struct archive_subst *s, const char *in, size_t len, struct strbuf *out,
			 struct err *err)
{
	static const char open[] = "$Format:";
	const char *end = in + len;
	int rc = 0;

	while (!rc) {
		const char *begin = memmem(in, (size_t)(end - in), open, sizeof(open) - 1);
		const char *format = begin ? begin + sizeof(open) - 1 : NULL;
		const char *close = format ? memchr(format, '$', (size_t)(end - format)) : NULL;

		if (!close)
			break;
		strbuf_add(out, in, (size_t)(begin - in));
		rc = close - format > INT_MAX ? err_set(err, ERR_TOO_BIG, "a format is too long") :
		     expand_one(s, format, (size_t)(close - format), out, err);
		in = close + 1;
	}
	strbuf_add(out, in, (size_t)(end - in));
	return rc;
}

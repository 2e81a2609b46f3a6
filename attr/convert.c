/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "util/alloc.h"
#include "util/utf8.h"
#include "attr/convert.h"
#include "attr/eol.h"
#include "attr/filter-internal.h"

enum autocrlf { AUTOCRLF_FALSE, AUTOCRLF_TRUE, AUTOCRLF_INPUT };
enum safecrlf { SAFECRLF_FALSE, SAFECRLF_WARN, SAFECRLF_FAIL };

struct converter {
	struct repository *repo;
	const struct index_state *ix;
	struct attrs *attrs;
	struct filters *filters;
	enum autocrlf autocrlf;
	enum safecrlf safecrlf;
	bool core_eol_crlf;
	const char *roundtrip; /* core.checkRoundtripEncoding */
	char *ref;		  /* converter_set_origin; NULL: none */
	struct object_id treeish; /* null: none */
};

/* ---- configuration ---- */

static int read_autocrlf(struct converter *c, const struct config_set *config, struct err *err)
{
	const struct config_entry *e = config_get(config, "core.autocrlf");
	bool on = false;
	int rc;

	if (e && e->value && !strcasecmp(e->value, "input")) {
		c->autocrlf = AUTOCRLF_INPUT;
		return 0;
	}
	rc = config_get_bool(config, "core.autocrlf", &on, err);
	c->autocrlf = on ? AUTOCRLF_TRUE : AUTOCRLF_FALSE;
	return rc < 0 ? rc : 0;
}

static int read_safecrlf(struct converter *c, const struct config_set *config, struct err *err)
{
	const struct config_entry *e = config_get(config, "core.safecrlf");
	bool on = false;
	int rc;

	c->safecrlf = SAFECRLF_WARN;
	if (!e || (e->value && !strcasecmp(e->value, "warn")))
		return 0;
	rc = config_get_bool(config, "core.safecrlf", &on, err);
	c->safecrlf = on ? SAFECRLF_FAIL : SAFECRLF_FALSE;
	return rc < 0 ? rc : 0;
}

int converter_check_config(const struct config_set *config, struct err *err)
{
	struct converter scratch;
	int rc = read_autocrlf(&scratch, config, err);

	return rc < 0 ? rc : read_safecrlf(&scratch, config, err);
}

static int read_config(struct converter *c, struct err *err)
{
	const struct config_entry *e;
	int rc;

	if ((rc = read_autocrlf(c, c->repo->config, err)) < 0 || (rc = read_safecrlf(c, c->repo->config, err)) < 0)
		return rc;
	e = config_get(c->repo->config, "core.eol");
	c->core_eol_crlf = e && e->value && !strcasecmp(e->value, "crlf");
	if (c->core_eol_crlf && c->autocrlf == AUTOCRLF_INPUT)
		return err_set(err, ERR_INVALID, "core.autocrlf=input conflicts with core.eol=crlf");
	e = config_get(c->repo->config, "core.checkroundtripencoding");
	c->roundtrip = e && e->value ? e->value : "SHIFT-JIS";
	return 0;
}

int converter_new(struct converter **out, struct repository *r, const struct index_state *ix,
		  enum attr_direction dir, struct err *err)
{
	struct converter *c;
	int rc;

	CALLOC_ARRAY(c, 1);
	c->repo = r;
	c->ix = ix;
	c->treeish = r->algo->null_oid;
	if ((rc = read_config(c, err)) < 0 ||
	    (rc = attrs_new(&c->attrs, r, ix, dir, err)) < 0) {
		converter_free(c);
		return rc;
	}
	c->filters = filters_new(r->config);
	*out = c;
	return 0;
}

void converter_free(struct converter *c)
{
	if (!c)
		return;
	filters_free(c->filters);
	attrs_free(c->attrs);
	free(c->ref);
	free(c);
}

void converter_set_origin(struct converter *c, const char *ref, const struct object_id *treeish)
{
	free(c->ref);
	c->ref = ref ? xstrdup(ref) : NULL;
	c->treeish = *treeish;
}

void converter_set_named_origin(struct converter *c, const char *name, const struct object_id *treeish)
{
	struct object_id oid;
	char *ref = NULL;

	if (name)
		(void)ref_dwim(c->repo->refs, name, strlen(name), &ref, &oid);
	converter_set_origin(c, ref, treeish);
	free(ref);
}

struct attrs *converter_attrs(struct converter *c)
{
	return c->attrs;
}

struct repository *converter_repository(struct converter *c)
{
	return c->repo;
}

/* ---- the conversion of a path ---- */

static bool value_is(const struct attr_value *v, const char *s)
{
	return v->state == ATTR_VALUE && !strcmp(v->value, s);
}

/* "text" and its older name "crlf": one of TEXT_*, or -1 for unspecified. */
static int text_of(const struct attr_value *v)
{
	if (v->state == ATTR_SET)
		return TEXT_YES;
	if (v->state == ATTR_UNSET)
		return TEXT_NO;
	if (value_is(v, "auto"))
		return TEXT_AUTO;
	if (value_is(v, "input"))
		return TEXT_YES;
	return -1;
}

static bool default_crlf_out(const struct converter *c)
{
	if (c->autocrlf != AUTOCRLF_FALSE)
		return c->autocrlf == AUTOCRLF_TRUE;
	return c->core_eol_crlf;
}

static void decide_text(const struct converter *c, const struct attr_value *text,
			const struct attr_value *eol, const struct attr_value *crlf,
			struct conversion *out)
{
	int t = text_of(text);
	bool input = value_is(text, "input");
	int want = value_is(eol, "crlf") ? 1 : value_is(eol, "lf") ? 0 : -1;

	if (t < 0) {
		t = text_of(crlf);
		input = value_is(crlf, "input");
	}
	if (t != TEXT_NO && input)
		want = 0;
	if (t < 0 && want >= 0)
		t = TEXT_YES;
	if (t < 0)
		t = c->autocrlf == AUTOCRLF_FALSE ? TEXT_NO : TEXT_AUTO;
	out->text = (unsigned)t;
	out->crlf_out = want >= 0 ? want : default_crlf_out(c);
}

static void find_in_index(const struct converter *c, const char *path, struct conversion *out)
{
	const struct index_entry *e = c->ix ? index_find(c->ix, path, strlen(path)) : NULL;

	out->in_index = e && MODE_IS_FILE(e->mode);
	if (out->in_index)
		out->index_oid = e->oid;
}

void converter_lookup(struct converter *c, const char *path, struct conversion *out)
{
	static const char *const names[] = { "text", "eol", "crlf", "ident", "filter",
					     "working-tree-encoding" };
	struct attr_value v[ARRAY_SIZE(names)];

	memset(out, 0, sizeof(*out));
	attrs_get(c->attrs, path, names, ARRAY_SIZE(names), v);
	decide_text(c, &v[0], &v[1], &v[2], out);
	out->ident = v[3].state == ATTR_SET;
	if (v[4].state == ATTR_VALUE)
		out->filter = v[4].value;
	if (v[5].state == ATTR_VALUE && *v[5].value && !is_encoding_utf8(v[5].value))
		out->encoding = v[5].value;
	out->bad_encoding = v[5].state == ATTR_SET || v[5].state == ATTR_UNSET;
	if (out->text == TEXT_AUTO)
		find_in_index(c, path, out);
}

bool conversion_needs_main_thread(struct converter *c, const struct conversion *cv)
{
	return cv->filter && filter_is_active(c->filters, cv->filter, FILTER_CLEAN);
}

bool conversion_is_noop_to_git(struct converter *c, const struct conversion *cv)
{
	return cv->text == TEXT_NO && !cv->ident && !cv->encoding && !cv->bad_encoding &&
	       !conversion_needs_main_thread(c, cv);
}

bool conversion_is_noop_to_worktree(const struct conversion *cv)
{
	return (cv->text == TEXT_NO || !cv->crlf_out) && !cv->ident && !cv->encoding && !cv->bad_encoding && !cv->filter;
}

/* ---- encodings ---- */

/* "utf-16le": "16". Only for encodings that have_..._utf_bom have something to say about. */
static const char *utf_bits(const char *enc)
{
	const char *digits = enc + strcspn(enc, "0123456789");

	return starts_with(digits, "16") ? "16" : "32";
}

static int refuse_bom(struct err *err, const char *problem, const char *path, const char *enc, char *hint)
{
	int rc = err_set(err, ERR_INVALID, "BOM is %s in '%s' if encoded as %s", problem, path, enc);

	err_set_preface(err, hint);
	free(hint);
	return rc;
}

static int check_bom(const char *path, const char *enc, const char *data, size_t len,
		     struct err *err)
{
	const char *bits = utf_bits(enc);

	if (has_prohibited_utf_bom(enc, data, len))
		return refuse_bom(err, "prohibited", path, enc,
			xstrfmt("hint: The file '%s' contains a byte order mark (BOM). Please use UTF-%s as "
				"working-tree-encoding.\n", path, bits));
	if (has_missing_utf_bom(enc, data, len))
		return refuse_bom(err, "required", path, enc,
			xstrfmt("hint: The file '%s' is missing a byte order mark (BOM). Please use UTF-%sBE or UTF-%sLE "
				"(depending on the byte order) as working-tree-encoding.\n", path, bits, bits));
	return 0;
}

static bool wants_roundtrip(const struct converter *c, const char *enc)
{
	const char *s = c->roundtrip;
	size_t len = strlen(enc);

	while (*s) {
		size_t n = strcspn(s, ", \t");

		if (n == len && !strncasecmp(s, enc, n))
			return true;
		s += n;
		s += strspn(s, ", \t");
	}
	return false;
}

static int check_roundtrip(const char *path, const char *enc, const char *utf8,
			   size_t utf8_len, const void *data, size_t len, struct err *err)
{
	size_t back_len = 0;
	char *back = reencode_string(utf8, utf8_len, enc, "UTF-8", &back_len);
	bool same = back && back_len == len && !memcmp(back, data, len);

	free(back);
	if (same)
		return 0;
	return err_set(err, ERR_INVALID, "encoding '%s' from %s to UTF-8 and back is not the same",
		       path, enc);
}

static int encode_text(struct converter *c, const char *path, const char *enc,
		       struct strbuf *cur, unsigned flags, struct err *err)
{
	size_t len = 0;
	char *utf8;
	int rc;

	if ((rc = check_bom(path, enc, cur->buf, cur->len, err)) < 0)
		return rc;
	utf8 = reencode_string(cur->buf, cur->len, "UTF-8", enc, &len);
	if (!utf8)
		return err_set(err, ERR_INVALID, "failed to encode '%s' from %s to UTF-8", path,
			       enc);
	if ((flags & CONVERT_WRITE_OBJECT) && wants_roundtrip(c, enc))
		rc = check_roundtrip(path, enc, utf8, len, cur->buf, cur->len, err);
	if (rc < 0)
		free(utf8);
	else
		strbuf_attach(cur, utf8, len, len + 1);
	return rc;
}

/* Where no object is written, an error is only told, and the text stays as it is. Returns whether it has changed. */
static int encode_to_git(struct converter *c, const char *path, const char *enc, struct strbuf *cur,
			 unsigned flags, struct strbuf *warn, struct err *err)
{
	struct err why = ERR_INIT;
	int rc = cur->len ? encode_text(c, path, enc, cur, flags, &why) : 0;

	if (!rc)
		return 1;
	if (flags & CONVERT_WRITE_OBJECT) {
		err_move(err, &why);
	} else {
		strbuf_addf(warn, "error: %s\n", err_message(&why));
		rc = 0;
	}
	err_release(&why);
	return rc;
}

static int encode_to_worktree(const char *path, const char *enc, struct strbuf *cur,
			      struct strbuf *warn)
{
	size_t len = 0;
	char *data = reencode_string(cur->buf, cur->len, enc, "UTF-8", &len);

	if (!data) {
		strbuf_addf(warn, "error: failed to encode '%s' from UTF-8 to %s\n", path, enc);
		return 0;
	}
	strbuf_attach(cur, data, len, len + 1);
	return 1;
}

/* ---- line ends ---- */

static bool blob_has_crlf(struct converter *c, const struct object_id *oid)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	struct eol_stats s;

	if (odb_read_type(c->repo->odb, oid, OBJ_BLOB, &buf, NULL) < 0)
		return false;
	eol_stats_gather(&s, buf.data, buf.size);
	object_buf_release(&buf);
	return s.crlf && !eol_stats_binary(&s);
}

static bool is_written_as_crlf(const struct conversion *cv, const struct eol_stats *s)
{
	if (!cv->crlf_out || !s->lone_lf)
		return false;
	if (cv->text == TEXT_AUTO)
		return !s->lone_cr && !s->crlf && !eol_stats_binary(s);
	return true;
}

/* Would the file look different after a commit and a checkout? */
static int check_safecrlf(const struct converter *c, const char *path,
			  const struct conversion *cv, const struct eol_stats *old,
			  bool to_lf, bool only_warn, struct strbuf *warn, struct err *err)
{
	struct eol_stats new = *old;
	const char *from = NULL, *to = NULL;

	if (c->safecrlf == SAFECRLF_FALSE)
		return 0;
	if (to_lf) {
		new.lone_lf += new.crlf;
		new.crlf = 0;
	}
	if (is_written_as_crlf(cv, &new)) {
		new.crlf += new.lone_lf;
		new.lone_lf = 0;
	}
	if (old->crlf && !new.crlf) {
		from = "CRLF";
		to = "LF";
	} else if (old->lone_lf && !new.lone_lf) {
		from = "LF";
		to = "CRLF";
	}
	if (!from)
		return 0;
	if (c->safecrlf == SAFECRLF_FAIL && !only_warn)
		return err_set(err, ERR_INVALID, "%s would be replaced by %s in %s", from, to,
			       path);
	strbuf_addf(warn,
		    "warning: in the working copy of '%s', %s will be replaced by %s the next time Git touches it\n",
		    path, from, to);
	return 0;
}

static int crlf_to_git(struct converter *c, const char *path, const struct conversion *cv,
		       struct strbuf *cur, unsigned flags, struct strbuf *warn,
		       struct err *err)
{
	struct strbuf out = STRBUF_INIT;
	struct eol_stats s;
	bool to_lf;
	int rc;

	if (cv->text == TEXT_NO || !cur->len)
		return 0;
	eol_stats_gather(&s, cur->buf, cur->len);
	if (cv->text == TEXT_AUTO && eol_stats_binary(&s))
		return 0;
	to_lf = s.crlf != 0;
	if (to_lf && cv->text == TEXT_AUTO && !(flags & CONVERT_RENORMALIZE) &&
	    cv->in_index && blob_has_crlf(c, &cv->index_oid))
		to_lf = false;
	if (flags & (CONVERT_WRITE_OBJECT | CONVERT_WARN)) {
		rc = check_safecrlf(c, path, cv, &s, to_lf, flags & CONVERT_WARN, warn, err);
		if (rc < 0)
			return rc;
	}
	if (!to_lf)
		return 0;
	eol_to_lf(&out, cur->buf, cur->len);
	strbuf_swap(cur, &out);
	strbuf_release(&out);
	return 1;
}

static int crlf_to_worktree(const struct conversion *cv, struct strbuf *cur)
{
	struct strbuf out = STRBUF_INIT;
	struct eol_stats s;

	if (cv->text == TEXT_NO || !cv->crlf_out || !cur->len)
		return 0;
	eol_stats_gather(&s, cur->buf, cur->len);
	if (!is_written_as_crlf(cv, &s))
		return 0;
	eol_to_crlf(&out, cur->buf, cur->len);
	strbuf_swap(cur, &out);
	strbuf_release(&out);
	return 1;
}

/* ---- all steps ---- */

static int refuse_bad_encoding(const struct conversion *cv, struct err *err)
{
	return cv->bad_encoding ? err_set(err, ERR_INVALID,
					  "true/false are no valid working-tree-encodings")
				: 0;
}

static void name_origin(const struct converter *c, struct filter_request *q)
{
	q->ref = c->ref;
	q->treeish = oid_is_null(&c->treeish) ? NULL : &c->treeish;
}

static int filter_step(struct converter *c, const char *path, const struct conversion *cv,
		       enum filter_direction dir, const struct object_id *oid,
		       struct strbuf *cur, struct strbuf *warn, struct err *err)
{
	struct filter_request q = { .dir = dir, .path = path, .data = cur->buf, .len = cur->len,
				    .oid = oid, .may_delay = cv->may_delay };
	struct strbuf out = STRBUF_INIT;
	int rc;

	if (dir == FILTER_SMUDGE)
		name_origin(c, &q);

	if (!cv->filter || !filter_is_active(c->filters, cv->filter, dir))
		return 0;
	rc = filter_apply(c->filters, cv->filter, &q, &out, warn, err);
	if (rc == 1)
		strbuf_swap(cur, &out);
	strbuf_release(&out);
	return rc;
}

static int ident_step(struct strbuf *cur, const struct object_id *oid)
{
	struct strbuf out = STRBUF_INIT;
	bool changed = oid ? ident_expand(&out, cur->buf, cur->len, oid)
			   : ident_collapse(&out, cur->buf, cur->len);

	if (changed)
		strbuf_swap(cur, &out);
	strbuf_release(&out);
	return changed;
}

int convert_to_git(struct converter *c, const char *path, const struct conversion *cv,
		   const void *data, size_t len, struct strbuf *out, unsigned flags,
		   struct strbuf *warn, struct err *err)
{
	struct strbuf cur = STRBUF_INIT;
	int rc, changed;

	if ((rc = refuse_bad_encoding(cv, err)) < 0 || conversion_is_noop_to_git(c, cv))
		return rc;
	strbuf_add(&cur, data, len);
	rc = changed = filter_step(c, path, cv, FILTER_CLEAN, NULL, &cur, warn, err);
	if (rc >= 0 && cv->encoding) {
		rc = encode_to_git(c, path, cv->encoding, &cur, flags, warn, err);
		changed |= rc > 0;
	}
	if (rc >= 0) {
		rc = crlf_to_git(c, path, cv, &cur, flags, warn, err);
		changed |= rc > 0;
	}
	if (rc >= 0 && cv->ident)
		changed |= ident_step(&cur, NULL);
	if (rc >= 0 && changed)
		strbuf_swap(out, &cur);
	strbuf_release(&cur);
	return rc < 0 ? rc : changed > 0;
}

int convert_to_worktree(struct converter *c, const char *path, const struct conversion *cv,
			const void *data, size_t len, const struct object_id *oid,
			struct strbuf *out, struct strbuf *warn, struct err *err)
{
	struct strbuf cur = STRBUF_INIT;
	int rc, changed = 0;

	_Static_assert(CONVERT_DELAYED == FILTER_DELAYED, "it is passed on");
	if ((rc = refuse_bad_encoding(cv, err)) < 0 || conversion_is_noop_to_worktree(cv))
		return rc;
	strbuf_add(&cur, data, len);
	if (cv->ident)
		changed |= ident_step(&cur, oid);
	changed |= crlf_to_worktree(cv, &cur);
	if (cv->encoding && cur.len)
		changed |= encode_to_worktree(path, cv->encoding, &cur, warn);
	rc = filter_step(c, path, cv, FILTER_SMUDGE, oid, &cur, warn, err);
	if (rc == 0 || rc == 1) {
		changed |= rc;
		rc = changed > 0;
		if (changed)
			strbuf_swap(out, &cur);
	}
	strbuf_release(&cur);
	return rc;
}

bool converter_await(struct converter *c, struct string_list *ready, struct strbuf *warn)
{
	return filters_await(c->filters, ready, warn);
}

int convert_delayed(struct converter *c, const char *path, const struct conversion *cv,
		    const struct object_id *oid, struct strbuf *out, struct strbuf *warn,
		    struct err *err)
{
	struct filter_request q = { .dir = FILTER_SMUDGE, .path = path, .data = "", .oid = oid };

	name_origin(c, &q);
	return filter_collect(c->filters, cv->filter, &q, out, warn, err);
}

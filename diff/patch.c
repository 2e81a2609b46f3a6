/* SPDX-License-Identifier: GPL-2.0-only */
/* A pair as a patch: the header lines, then hunks or binary data. */
#include "compat/posix.h"
#include <zlib.h>
#include "diff/diff-internal.h"
#include "diff/external-internal.h"
#include "diff/hunk-internal.h"
#include "diff/line-ranges.h"
#include "diff/text-internal.h"
#include "object/tree.h"
#include "util/alloc.h"
#include "util/quote.h"

struct patch {
	const struct diff_options *o;
	struct strbuf *out;
	struct diff_file *old, *new;
	struct diff_pair *pair; /* for renames and rewrites */
	char *old_name, *new_name;    /* with prefix, quoted; never /dev/null */
	bool must_show;		      /* show the header even without hunks */
	struct strbuf header;
	/* what a driver makes of the contents */
	struct strbuf text[2];
	bool converted[2];
	size_t counter, total; /* of files, for external diffs */
	struct moved_lines *moved;
	const struct line_ranges *lines; /* as in struct diff_pair */
};

/* ---- names ---- */

/* Prefix and path, quoted as one. */
static char *labelled(const struct diff_options *o, const char *prefix, const char *path)
{
	struct strbuf plain = STRBUF_INIT, out = STRBUF_INIT;

	strbuf_addstr(&plain, prefix);
	path = diff_shown_path(o, path);
	strbuf_addstr(&plain, path + (*path == '/')); /* --no-index */
	quote_c_style(&out, plain.buf, plain.len, o->quote_path);
	strbuf_release(&plain);
	return strbuf_detach(&out, NULL);
}

/* The label in "---" and "+++" lines, and of binary files. */
static const char *side_label(const struct diff_file *f, const char *name)
{
	return diff_file_exists(f) ? name : "/dev/null";
}

/* ---- header ---- */

static void PRINTF_LIKE(3, 4) meta(const struct patch *p, struct strbuf *out, const char *fmt, ...)
{
	va_list ap;

	if (p->o->line_prefix)
		strbuf_addstr(out, p->o->line_prefix);
	strbuf_addstr(out, diff_color_of(p->o, DIFF_COLOR_META));
	va_start(ap, fmt);
	strbuf_vaddf(out, fmt, ap);
	va_end(ap);
	strbuf_addf(out, "%s\n", diff_color_of(p->o, DIFF_COLOR_RESET));
}

static void patch_meta_path(struct patch *p, const char *what, const char *path)
{
	struct strbuf name = STRBUF_INIT;

	path = diff_shown_path(p->o, path);
	quote_c_style(&name, path, strlen(path), p->o->quote_path);
	meta(p, &p->header, "%s %s", what, name.buf);
	strbuf_release(&name);
}

/* "index 1234567..89abcde 100644"; names in full where a patch needs them. */
static int patch_add_index_line(struct patch *p, struct err *err)
{
	const struct diff_options *o = p->o;
	struct strbuf line = STRBUF_INIT;
	bool full = o->full_index;
	int abbrev = o->abbrev ? o->abbrev : o->index_abbrev, ret = diff_file_hash(p->old, o, err);

	if (!ret)
		ret = diff_file_hash(p->new, o, err);
	if (!ret && o->binary && !full) {
		ret = diff_file_binary(p->old, o, err);
		if (!ret)
			ret = diff_file_binary(p->new, o, err);
		full = p->old->is_binary || p->new->is_binary;
	}
	if (ret < 0 || (diff_file_exists(p->old) == diff_file_exists(p->new) &&
			oid_eq(&p->old->oid, &p->new->oid)))
		return ret;
	if (full)
		abbrev = 0;
	strbuf_addstr(&line, "index ");
	diff_add_oid(&line, o, &p->old->oid, abbrev);
	strbuf_addstr(&line, "..");
	diff_add_oid(&line, o, &p->new->oid, abbrev);
	if (p->old->mode == p->new->mode)
		strbuf_addf(&line, " %06o", p->old->mode);
	meta(p, &p->header, "%s", line.buf);
	strbuf_release(&line);
	return 0;
}

static void add_similarity(struct patch *p, const char *what)
{
	char from[16], to[16];

	snprintf(from, sizeof(from), "%s from", what);
	snprintf(to, sizeof(to), "%s to", what);
	meta(p, &p->header, "similarity index %u%%", diff_pair_percent(p->pair));
	patch_meta_path(p, from, p->old->path);
	patch_meta_path(p, to, p->new->path);
	p->must_show = true;
}

static void add_extra_header(struct patch *p)
{
	struct strvec lines = STRVEC_INIT;

	if (p->o->extra_header)
		p->o->extra_header(p->o->extra_header_data, diff_file_exists(p->new) ? p->new->path : p->old->path, &lines);
	for (size_t i = 0; i < lines.nr; i++)
		meta(p, &p->header, "%s", lines.v[i]);
	p->must_show |= lines.nr > 0;
	strvec_clear(&lines);
}

static int patch_add_header(struct patch *p, struct err *err)
{
	char status = p->pair ? p->pair->status : 0;

	meta(p, &p->header, "diff --git %s %s", p->old_name, p->new_name);
	if (!diff_file_exists(p->old)) {
		meta(p, &p->header, "new file mode %06o", p->new->mode);
		p->must_show = true;
	} else if (!diff_file_exists(p->new)) {
		meta(p, &p->header, "deleted file mode %06o", p->old->mode);
		p->must_show = true;
	} else if (p->old->mode != p->new->mode) {
		meta(p, &p->header, "old mode %06o", p->old->mode);
		meta(p, &p->header, "new mode %06o", p->new->mode);
		p->must_show = true;
	}
	if (status == DIFF_STATUS_RENAMED) {
		add_similarity(p, "rename");
	} else if (status == DIFF_STATUS_COPIED) {
		add_similarity(p, "copy");
	} else if (status == DIFF_STATUS_MODIFIED && p->pair->score) {
		meta(p, &p->header, "dissimilarity index %u%%", diff_pair_percent(p->pair));
		p->must_show = true;
	}
	add_extra_header(p);
	return patch_add_index_line(p, err);
}

static void show_header(struct patch *p)
{
	strbuf_addbuf(p->out, &p->header);
	strbuf_reset(&p->header);
}

/* ---- binary ---- */

static void add_line(struct patch *p, const char *line)
{
	if (p->o->line_prefix)
		strbuf_addstr(p->out, p->o->line_prefix);
	strbuf_addf(p->out, "%s\n", line);
}

/* Up to 52 bytes: a letter for the length, then five digits for each four bytes. */
static void add_base85_line(struct patch *p, const unsigned char *data, size_t len)
{
	static const char digits[] =
		"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
		"!#$%&()*+-;<=>?@^_`{|}~";
	char line[1 + 13 * 5 + 1], *at = line;

	*at++ = (char)(len <= 26 ? 'A' + len - 1 : 'a' + len - 27);
	for (size_t i = 0; i < len; i += 4) {
		uint32_t word = 0;

		for (size_t k = 0; k < 4; k++)
			word = word << 8 | (i + k < len ? data[i + k] : 0);
		for (int k = 4; k >= 0; k--, word /= 85)
			at[k] = digits[word % 85];
		at += 5;
	}
	*at = '\0';
	add_line(p, line);
}

static void add_literal(struct patch *p, const struct object_buf *buf)
{
	uLongf len = compressBound(buf->size);
	unsigned char *packed = xmalloc(len);
	char head[48];

	if (compress2(packed, &len, buf->data, buf->size, Z_BEST_SPEED) != Z_OK)
		BUG("zlib cannot compress %zu bytes", buf->size);
	snprintf(head, sizeof(head), "literal %zu", buf->size);
	add_line(p, head);
	for (size_t i = 0; i < len; i += 52)
		add_base85_line(p, packed + i, len - i < 52 ? len - i : 52);
	add_line(p, "");
	free(packed);
}

static int patch_add_binary(struct patch *p, struct err *err)
{
	bool same = diff_file_exists(p->old) && diff_file_exists(p->new) &&
		    oid_eq(&p->old->oid, &p->new->oid);
	int ret;

	if (same) { /* a rename without change; a file that was only touched */
		if (p->must_show)
			show_header(p);
		return 0;
	}
	show_header(p);
	if (!p->o->binary) {
		if (p->o->line_prefix)
			strbuf_addstr(p->out, p->o->line_prefix);
		strbuf_addf(p->out, "Binary files %s and %s differ\n",
			    side_label(p->old, p->old_name), side_label(p->new, p->new_name));
		return 0;
	}
	ret = diff_file_load(p->old, p->o, err);
	if (!ret)
		ret = diff_file_load(p->new, p->o, err);
	if (ret < 0)
		return ret;
	add_line(p, "GIT binary patch");
	add_literal(p, &p->new->content);
	add_literal(p, &p->old->content);
	return 0;
}

/* ---- text ---- */

/* A name with a blank in it ends in a tab, so that patch(1) knows where it ends. */
static void add_file_line(struct patch *p, const char *sign, const char *label)
{
	const struct diff_options *o = p->o;

	if (o->line_prefix)
		strbuf_addstr(p->out, o->line_prefix);
	strbuf_addf(p->out, "%s%s %s%s%s\n", diff_color_of(o, DIFF_COLOR_META), sign, label,
		    diff_color_of(o, DIFF_COLOR_RESET), strchr(label, ' ') ? "\t" : "");
}

static void patch_add_file_lines(struct patch *p)
{
	add_file_line(p, "---", side_label(p->old, p->old_name));
	add_file_line(p, "+++", side_label(p->new, p->new_name));
}

/* Both contents, as drivers convert them. */
static int load_texts(struct patch *p, struct text_line out[2], struct err *err)
{
	struct diff_file *const files[] = { p->old, p->new };

	for (int i = 0; i < 2; i++) {
		int ret = diff_file_load(files[i], p->o, err);

		if (ret < 0)
			return ret;
		if (p->converted[i])
			out[i] = (struct text_line){ p->text[i].buf, p->text[i].len };
		else
			out[i] = (struct text_line){ files[i]->content.data,
						     files[i]->content.size };
	}
	return 0;
}

static int words_of(struct words_regex **out, const struct diff_options *o,
		    const struct diff_driver *old, const struct diff_driver *new, struct err *err)
{
	const struct diff_driver *driver = old->word_regex ? old : new;
	const char *pattern = o->word_regex ? o->word_regex :
			      driver->word_regex ? driver->word_regex : o->word_regex_default;

	return words_regex_new(out, o->word_diff ? pattern : NULL,
			       pattern == driver->word_regex && driver->word_icase, err);
}

/* GIT_DIFF_OPTS, "-u<n>" or "--unified=<n>", is more than options. */
static void heed_environment(struct diff_options *o)
{
	const char *value = getenv("GIT_DIFF_OPTS");
	unsigned long n;

	if (!value || (!skip_prefix(value, "-u", &value) && !skip_prefix(value, "--unified=", &value)))
		return;
	while (isspace((unsigned char)*value))
		value++;
	n = isdigit((unsigned char)*value) ? strtoul(value, NULL, 10) : 0;
	o->context = n < UINT_MAX / 4 ? (unsigned)n : UINT_MAX / 4;
}

/* A hunk around a change must cover all lines of its range. */
static const struct diff_options *widen_context(const struct diff_options *o, const struct line_ranges *lines,
						struct diff_options *scratch)
{
	size_t longest = line_ranges_longest(lines);

	if (o != scratch)
		*scratch = *o;
	if (longest > o->context)
		scratch->context = longest < UINT_MAX / 4 ? (unsigned)longest : UINT_MAX / 4;
	return scratch;
}

static int patch_add_text(struct patch *p, struct err *err)
{
	bool rewrite = p->pair && p->pair->status == DIFF_STATUS_MODIFIED && p->pair->score;
	struct text_diff d;
	struct hunk_printer hp = { p->o, &d, NULL, p->out, 0, NULL, p->moved, p->lines };
	struct funcname *funcname;
	struct words_regex *words;
	struct diff_driver driver, other;
	struct diff_options scratch;
	const struct diff_options *o;
	struct text_line text[2];
	bool any;
	int ret = load_texts(p, text, err);

	if (ret < 0)
		return ret;
	diff_driver_of(p->o, p->old->path, &driver);
	diff_driver_of(p->o, p->new->path, &other);
	hp.whitespace = diff_whitespace_of(p->o, &other);
	ret = words_of(&words, p->o, &driver, &other, err);
	if (!ret)
		ret = funcname_new(&funcname, driver.funcname ? &driver : &other, err);
	if (ret < 0) {
		words_regex_free(words);
		return ret;
	}
	hp.words = words;
	hp.funcname = funcname;
	o = diff_options_for(p->o, p->old->path, &scratch);
	if (o != &scratch)
		scratch = *o;
	heed_environment(&scratch);
	hp.o = o = &scratch;
	if (p->lines)
		hp.o = o = widen_context(o, p->lines, &scratch);
	text_diff(&d, text[0].text, text[0].len, text[1].text, text[1].len, o);
	any = rewrite || (p->lines ? hunks_any_chosen(&hp) : hunks_any(&d, o));
	if ((any || p->must_show) && !o->bare_hunks)
		show_header(p);
	if (any) {
		if (!o->bare_hunks)
			patch_add_file_lines(p);
		if (rewrite)
			hunks_print_rewrite(&hp);
		else
			hunks_print(&hp);
	}
	text_diff_release(&d);
	funcname_free(funcname);
	words_regex_free(words);
	return 0;
}

int diff_is_ignorable(struct diff_pair *p, const struct diff_options *o, bool *ignorable,
		      struct err *err)
{
	struct diff_options scratch;
	struct text_diff d;
	int ret = diff_file_binary(p->old, o, err);

	if (!ret)
		ret = diff_file_binary(p->new, o, err);
	if (ret < 0)
		return ret;
	if (!o->text && (p->old->is_binary || p->new->is_binary)) {
		*ignorable = oid_eq(&p->old->oid, &p->new->oid);
		return 0;
	}
	ret = diff_file_load(p->old, o, err);
	if (!ret)
		ret = diff_file_load(p->new, o, err);
	if (ret < 0)
		return ret;
	o = diff_options_for(o, p->old->path, &scratch);
	text_diff(&d, p->old->content.data, p->old->content.size, p->new->content.data,
		  p->new->content.size, o);
	*ignorable = !hunks_any(&d, o);
	text_diff_release(&d);
	diff_file_unload(p->old);
	diff_file_unload(p->new);
	return 0;
}

/* ---- a pair ---- */

/* Text or binary, after the header. */
static int add_body(struct patch *p, struct err *err)
{
	int ret = diff_textconv(p->old, p->o, &p->text[0], &p->converted[0], err);

	if (!ret)
		ret = diff_textconv(p->new, p->o, &p->text[1], &p->converted[1], err);
	if (!ret)
		ret = diff_file_binary(p->old, p->o, err);
	if (!ret)
		ret = diff_file_binary(p->new, p->o, err);
	if (ret < 0)
		return ret;
	if (!p->o->text && ((p->old->is_binary && !p->converted[0]) ||
			    (p->new->is_binary && !p->converted[1])))
		return patch_add_binary(p, err);
	return patch_add_text(p, err);
}

/* The header without its first line, as the program gets it. */
static int add_external(struct patch *p, const struct external_diff *e, struct err *err)
{
	struct diff_options plain = *p->o;
	const struct diff_options *o = p->o;
	struct external_call c = { p->old, p->new, diff_shown_path(o, p->old->path), NULL, NULL,
				   p->counter, p->total, false };
	int ret;

	plain.color = false;
	plain.line_prefix = NULL;
	p->o = &plain;
	ret = patch_add_header(p, err);
	p->o = o;
	if (ret < 0)
		return ret;
	if (strcmp(p->old->path, p->new->path)) {
		const char *eol = strchr(p->header.buf, '\n');

		c.new_path = diff_shown_path(o, p->new->path);
		c.header = eol ? eol + 1 : "";
	}
	ret = diff_run_external(e, &c, o, p->out, err);
	p->pair->same = c.same;
	return ret;
}

static bool shows_submodule(const struct diff_file *old, const struct diff_file *new,
			    const struct diff_options *o)
{
	return o->submodule_format != DIFF_SUBMODULE_SHORT && o->submodule_changes &&
	       (!old->mode || MODE_IS_GITLINK(old->mode)) && (!new->mode || MODE_IS_GITLINK(new->mode));
}

static int add_one(struct diff_file *old, struct diff_file *new, const struct patch *frame,
		   struct err *err)
{
	const struct diff_options *o = frame->o;
	const char *a = o->reverse ? o->dst_prefix : o->src_prefix;
	const char *b = o->reverse ? o->src_prefix : o->dst_prefix;
	struct external_diff external;
	struct patch p = *frame;
	int ret;

	if (shows_submodule(old, new, o))
		return o->submodule_changes(o->submodule_changes_data, o, old, new, p.out, err);
	p.old = old;
	p.new = new;
	p.old_name = labelled(o, a, diff_file_exists(old) ? old->path : new->path);
	p.new_name = labelled(o, b, diff_file_exists(new) ? new->path : old->path);
	p.header = p.text[0] = p.text[1] = (struct strbuf)STRBUF_INIT;
	if (diff_external_of(o, old->path, &external)) {
		ret = add_external(&p, &external, err);
	} else {
		ret = patch_add_header(&p, err);
		if (o->irreversible_delete && !diff_file_exists(new))
			show_header(&p);
		else if (!ret)
			ret = add_body(&p, err);
	}
	free(p.old_name);
	free(p.new_name);
	strbuf_release(&p.header);
	strbuf_release(&p.text[0]);
	strbuf_release(&p.text[1]);
	return ret;
}

/* A change of type is a deletion and a creation. */
static int add_type_change(struct patch *frame, struct diff_pair *p, struct err *err)
{
	struct diff_file *none = diff_file_new(p->new->path, 0, NULL);
	int ret;

	frame->pair = NULL;
	ret = add_one(p->old, none, frame, err);
	if (!ret)
		ret = add_one(none, p->new, frame, err);
	diff_file_free(none);
	return ret;
}

/* A file without a difference, of which there is something to tell. */
static void add_header_alone(const struct patch *frame, const char *path)
{
	const struct diff_options *o = frame->o;
	struct patch p = *frame;

	p.old = frame->pair->old;
	p.new = frame->pair->new;
	p.header = (struct strbuf)STRBUF_INIT;
	p.old_name = labelled(o, o->reverse ? o->dst_prefix : o->src_prefix, path);
	p.new_name = labelled(o, o->reverse ? o->src_prefix : o->dst_prefix, path);
	meta(&p, &p.header, "diff --git %s %s", p.old_name, p.new_name);
	add_extra_header(&p);
	show_header(&p);
	free(p.old_name);
	free(p.new_name);
	strbuf_release(&p.header);
}

int diff_add_patch(const struct diff_queue *q, size_t at, const struct diff_options *o,
		   struct moved_lines *moved, struct strbuf *out, struct err *err)
{
	struct diff_pair *p = q->pairs[at];
	struct patch frame = { .o = o, .out = out, .pair = p, .counter = at + 1, .total = q->nr,
			       .moved = moved, .lines = p->lines };
	struct external_diff external;

	if (p->header_only) {
		add_header_alone(&frame, p->old->path);
		return 0;
	}
	if (p->unmerged) {
		strbuf_addf(out, "* Unmerged path %s\n", diff_shown_path(o, p->old->path));
		return 0;
	}
	if (MODE_IS_TREE(p->old->mode) || MODE_IS_TREE(p->new->mode))
		return 0;
	if (p->status == DIFF_STATUS_TYPE_CHANGED && !diff_external_of(o, p->old->path, &external))
		return add_type_change(&frame, p, err); /* another program gets both sides at once */
	return add_one(p->old, p->new, &frame, err);
}

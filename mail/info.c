/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a mail says. Headers, then the body: its parts, decoded, are read line by line. Lines are the message until one
 * begins a patch; all lines behind that are the patch.
 *
 *   IN_BODY_HEADERS --a line that is no header--> MESSAGE --"---", "diff -", "Index: "--> PATCH
 *        ^                                           |
 *        +------------- a line of scissors ----------+
 */
#include "compat/posix.h"
#include "hash/hash.h"
#include "mail/mail-internal.h"
#include "util/alloc.h"

#define MAX_BOUNDARIES 5 /* of multiparts in each other */

enum transfer { TRANSFER_PLAIN, TRANSFER_BASE64, TRANSFER_QP };
enum stage { STAGE_IN_BODY_HEADERS, STAGE_MESSAGE, STAGE_PATCH };
enum header { HEADER_FROM, HEADER_SUBJECT, HEADER_DATE, HEADERS };

static const char *const header_names[] = { "From", "Subject", "Date" };

struct header_set {
	struct strbuf value[HEADERS];
	bool there[HEADERS];
};

struct reading {
	const struct mail_options *o;
	struct mail_info *out;
	const char *pos, *end;
	struct header_set outer, inner; /* of the mail; of its body */
	struct strbuf folded;		/* a header of the body that may go on */
	struct strbuf charset, message_id;
	struct strbuf boundary[MAX_BOUNDARIES];
	int nr_boundaries;
	enum transfer transfer;
	enum stage stage;
	bool flowed, delsp, has_quoted_cr;
	struct strbuf rest; /* what goes on in the next line: lines of format=flowed, decoded text without a line break */
};

/* ---- input ---- */

/* The next line with its line break; false at the end. */
static bool next_line(struct reading *r, struct strbuf *line)
{
	const char *eol;

	strbuf_reset(line);
	if (r->pos == r->end)
		return false;
	eol = memchr(r->pos, '\n', (size_t)(r->end - r->pos));
	eol = eol ? eol + 1 : r->end;
	strbuf_add(line, r->pos, (size_t)(eol - r->pos));
	r->pos = eol;
	return true;
}

static bool is_header_line(const char *s)
{
	if (starts_with(s, "From ") || starts_with(s, ">From "))
		return true;
	while (*s > ' ' && *s < 0x7f && *s != ':')
		s++;
	return *s == ':';
}

/* The next header, unfolded; false: there is none, and `line` is the first one of the body. */
static bool next_header(struct reading *r, struct strbuf *line)
{
	struct strbuf more = STRBUF_INIT;


	if (r->pos == r->end) /* the last header stays in `line` and becomes the body, as in Git */
		return false;
	next_line(r, line);
	strbuf_rtrim(line);
	if (!line->len || !is_header_line(line->buf)) {
		strbuf_addch(line, '\n');
		return false;
	}
	while (r->pos < r->end && (*r->pos == ' ' || *r->pos == '\t')) {
		next_line(r, &more);
		strbuf_rtrim(&more);
		if (more.len)
			more.buf[0] = ' ';
		strbuf_addbuf(line, &more);
	}
	strbuf_release(&more);
	return true;
}

/* ---- headers ---- */

static void take_main_header(struct reading *r, struct header_set *set, const struct strbuf *line, bool replace)
{
	const char *value;

	for (int i = 0; i < HEADERS; i++) {
		if (!mail_header_is(line, header_names[i], &value))
			continue;
		if (set->there[i] && !replace)
			continue;
		set->there[i] = true;
		strbuf_reset(&set->value[i]);
		strbuf_addstr(&set->value[i], value);
		if (!mail_decode_header(r->o, &set->value[i]))
			r->out->faulty = true;
		return;
	}
}

static void take_content_type(struct reading *r, struct strbuf *value)
{
	struct strbuf parameter = STRBUF_INIT;

	if (mail_header_parameter(value->buf, "boundary=", &parameter)) {
		if (r->nr_boundaries == MAX_BOUNDARIES) {
			r->o->report_error("Too many boundaries to handle");
			r->out->faulty = true;
		} else {
			strbuf_insertstr(&parameter, 0, "--");
			strbuf_swap(&r->boundary[r->nr_boundaries], &parameter);
			r->nr_boundaries++;
		}
	}
	r->flowed = mail_header_parameter(value->buf, "format=", &parameter) && !strcasecmp(parameter.buf, "flowed");
	r->delsp = mail_header_parameter(value->buf, "delsp=", &parameter) && !strcasecmp(parameter.buf, "yes");
	(void)mail_header_parameter(value->buf, "charset=", &r->charset);
	strbuf_release(&parameter);
}

static void take_transfer(struct reading *r, const char *value)
{
	r->transfer = strcasestr(value, "base64") ? TRANSFER_BASE64 :
		      strcasestr(value, "quoted-printable") ? TRANSFER_QP : TRANSFER_PLAIN;
}

static void take_header(struct reading *r, const struct strbuf *line, bool replace)
{
	struct strbuf decoded = STRBUF_INIT;
	const char *value;

	take_main_header(r, &r->outer, line, replace);
	if (mail_header_is(line, "Content-Type", &value)) {
		strbuf_addstr(&decoded, value);
		if (!mail_decode_header(r->o, &decoded))
			r->out->faulty = true;
		take_content_type(r, &decoded);
	} else if (mail_header_is(line, "Content-Transfer-Encoding", &value)) {
		strbuf_addstr(&decoded, value);
		if (!mail_decode_header(r->o, &decoded))
			r->out->faulty = true;
		take_transfer(r, decoded.buf);
	} else if (mail_header_is(line, "Message-ID", &value) && r->o->add_message_id) {
		strbuf_addstr(&decoded, value);
		if (!mail_decode_header(r->o, &decoded))
			r->out->faulty = true;
		strbuf_swap(&r->message_id, &decoded);
	}
	strbuf_release(&decoded);
}

/* ---- headers in the body ---- */

static void end_folded(struct reading *r)
{
	if (!r->folded.len)
		return;
	take_main_header(r, &r->inner, &r->folded, false);
	strbuf_reset(&r->folded);
}

/* "From ", the name of a commit, and the date that format-patch writes. */
static bool is_patch_separator(const char *s)
{
	static const char date[] = " Mon Sep 17 00:00:00 2001\n";
	size_t n = 0;

	if (!skip_prefix(s, "From ", &s))
		return false;
	while (hex_value((unsigned char)s[n]) >= 0)
		n++;
	return n == 40 && !strcmp(s + n, date);
}

static bool is_in_body_header(const struct reading *r, const struct strbuf *line)
{
	const char *value;

	for (int i = 0; i < HEADERS; i++)
		if (!r->inner.there[i] && mail_header_is(line, header_names[i], &value))
			return true;
	return false;
}

static bool is_scissors_line(const struct strbuf *line);

/* False: the message begins with this line. */
static bool take_in_body_header(struct reading *r, const struct strbuf *line)
{
	if (r->folded.len && (line->buf[0] == ' ' || line->buf[0] == '\t')) {
		if (r->o->scissors && is_scissors_line(line)) {
			end_folded(r);
			return false;
		}
		strbuf_strip_suffix(&r->folded, "\n");
		strbuf_addbuf(&r->folded, line);
		return true;
	}
	end_folded(r);
	if (starts_with(line->buf, ">From") && isspace((unsigned char)line->buf[5]))
		return is_patch_separator(line->buf + 1);
	if (starts_with(line->buf, "[PATCH]") && isspace((unsigned char)line->buf[7])) {
		strbuf_reset(&r->inner.value[HEADER_SUBJECT]);
		strbuf_addbuf(&r->inner.value[HEADER_SUBJECT], line);
		return r->inner.there[HEADER_SUBJECT] = true;
	}
	if (!is_in_body_header(r, line))
		return false;
	strbuf_addbuf(&r->folded, line);
	return true;
}

/* ---- the message ---- */

static bool is_patch_break(const struct strbuf *line)
{
	const char *rest;

	if (starts_with(line->buf, "diff -") || starts_with(line->buf, "Index: "))
		return true;
	if (!skip_prefix(line->buf, "---", &rest))
		return false;
	if (*rest == ' ' && !isspace((unsigned char)rest[1]))
		return true;
	while (*rest != '\n' && isspace((unsigned char)*rest))
		rest++;
	return *rest == '\n';
}

static size_t scissors_length(const char *s)
{
	static const char *const pairs[] = { ">8", "8<", ">%", "%<" };

	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++)
		if (!strncmp(s, pairs[i], 2))
			return 2;
	return 0;
}

/* Mostly "-" and scissors, eight columns at least; gaps of blanks in the perforation are small. */
static bool is_scissors_line(const struct strbuf *line)
{
	size_t first = line->len, last = 0, perforation = 0, gap = 0, scissors = 0, visible;
	bool inside = false;

	for (size_t i = 0, n; i < line->len; i += n) {
		const char *c = line->buf + i;

		n = 1;
		if (isspace((unsigned char)*c)) {
			if (inside) {
				perforation++;
				gap++;
			}
			continue;
		}
		if (first > i)
			first = i;
		if (*c == '-') {
			inside = true;
			perforation++;
		} else if (scissors_length(c)) {
			n = 2;
			inside = true;
			perforation += 2;
			scissors += 2;
		} else {
			inside = false;
		}
		last = i;
	}
	visible = last >= first ? last - first + 1 : 0;
	return scissors && visible >= 8 && visible < perforation * 3 && gap * 2 < perforation;
}

static void forget_message(struct reading *r)
{
	strbuf_reset(&r->out->message);
	for (int i = 0; i < HEADERS; i++)
		r->inner.there[i] = false;
	r->stage = STAGE_IN_BODY_HEADERS;
}

/* True: a patch begins here. */
static bool take_message_line(struct reading *r, struct strbuf *line)
{
	if (r->stage == STAGE_IN_BODY_HEADERS) {
		if (!line->len || !strcmp(line->buf, "\n")) {
			if (r->folded.len) {
				end_folded(r);
				r->stage = STAGE_MESSAGE;
			}
			return false;
		}
		if (take_in_body_header(r, line))
			return false;
		r->stage = STAGE_MESSAGE;
	}
	if (!mail_to_charset(r->o, line, r->charset.buf)) {
		r->out->faulty = true;
		return false;
	}
	if (r->o->scissors && is_scissors_line(line)) {
		forget_message(r);
		return false;
	}
	if (is_patch_break(line)) {
		if (r->message_id.len)
			strbuf_addf(&r->out->message, "Message-ID: %s\n", r->message_id.buf);
		return true;
	}
	strbuf_addbuf(&r->out->message, line);
	return false;
}

static void take_line(struct reading *r, struct strbuf *line)
{
	if (r->stage != STAGE_PATCH && take_message_line(r, line))
		r->stage = STAGE_PATCH;
	if (r->stage == STAGE_PATCH)
		strbuf_addbuf(&r->out->patch, line);
}

static void check_quoted_cr(struct reading *r, struct strbuf *line)
{
	if (line->len < 2 || strcmp(line->buf + line->len - 2, "\r\n"))
		return;
	r->has_quoted_cr = true;
	if (r->o->quoted_cr == QUOTED_CR_STRIP) {
		strbuf_setlen(line, line->len - 2);
		strbuf_addch(line, '\n');
	}
}

/* RFC 3676: a line that ends with a space goes on in the next one. */
static void take_flowed_line(struct reading *r, struct strbuf *line)
{
	size_t len = line->len;
	bool signature;

	if (!r->flowed) {
		check_quoted_cr(r, line);
		take_line(r, line);
		return;
	}
	if (len && line->buf[len - 1] == '\n')
		len -= 1 + (len > 1 && line->buf[len - 2] == '\r');
	signature = len == 3 && starts_with(line->buf, "-- ");
	if (!signature && len && line->buf[0] == ' ') {
		strbuf_remove(line, 0, 1);
		len--;
	}
	if (!signature && len && line->buf[len - 1] == ' ') {
		strbuf_add(&r->rest, line->buf, len - r->delsp);
		return;
	}
	strbuf_insert(line, 0, r->rest.buf, r->rest.len);
	strbuf_reset(&r->rest);
	take_line(r, line);
}

/* ---- the body ---- */

static bool is_boundary(const struct reading *r, const struct strbuf *line)
{
	const struct strbuf *b = r->nr_boundaries ? &r->boundary[r->nr_boundaries - 1] : NULL;

	return b && line->len >= b->len && !memcmp(line->buf, b->buf, b->len);
}

static bool find_boundary(struct reading *r, struct strbuf *line)
{
	while (next_line(r, line))
		if (is_boundary(r, line))
			return true;
	return false;
}

/* A boundary "--X--" ends the multipart. False: the mail ends. */
static bool end_multiparts(struct reading *r, struct strbuf *line)
{
	struct strbuf newline = STRBUF_INIT;

	strbuf_addch(&newline, '\n');
	while (line->len >= r->boundary[r->nr_boundaries - 1].len + 2 &&
	       !memcmp(line->buf + r->boundary[r->nr_boundaries - 1].len, "--", 2)) {
		r->nr_boundaries--;
		take_line(r, &newline);
		strbuf_reset(&newline); /* one for all that end here, as in Git */
		if (!r->nr_boundaries || !find_boundary(r, line)) {
			strbuf_release(&newline);
			return false;
		}
	}
	strbuf_release(&newline);
	return true;
}

/* `line` is a boundary; afterwards it is the first line of the next part, whatever that is. False: the mail ends. */
static bool begin_part(struct reading *r, struct strbuf *line)
{
	if (!end_multiparts(r, line))
		return false;
	r->transfer = TRANSFER_PLAIN;
	strbuf_reset(&r->charset);
	while (next_header(r, line))
		take_header(r, line, false);
	if (r->pos == r->end)
		return false;
	next_line(r, line); /* in `line` was the empty one behind the headers */
	strbuf_complete_line(line);
	return true;
}

/* All lines of the decoded text; what has no line break yet waits. */
static void take_decoded(struct reading *r, const struct strbuf *decoded)
{
	struct strbuf line = STRBUF_INIT;
	const char *p = decoded->buf, *end = p + decoded->len, *eol;

	for (; (eol = memchr(p, '\n', (size_t)(end - p))); p = eol + 1) {
		strbuf_reset(&line);
		strbuf_add(&line, p, (size_t)(eol + 1 - p));
		take_flowed_line(r, &line);
	}
	strbuf_add(&r->rest, p, (size_t)(end - p));
	strbuf_release(&line);
}

static void take_encoded_line(struct reading *r, struct strbuf *line)
{
	struct strbuf decoded = STRBUF_INIT;

	if (r->transfer == TRANSFER_PLAIN) {
		take_flowed_line(r, line);
		return;
	}
	strbuf_swap(&decoded, &r->rest);
	if (r->transfer == TRANSFER_BASE64)
		mail_decode_base64(&decoded, line->buf, line->len);
	else
		mail_decode_qp(&decoded, line->buf, line->len, false);
	take_decoded(r, &decoded);
	strbuf_release(&decoded);
}

static void flush_rest(struct reading *r)
{
	if (r->rest.len)
		take_line(r, &r->rest);
	strbuf_reset(&r->rest);
}

/* Once for each part. */
static void report_quoted_cr(struct reading *r)
{
	if (r->has_quoted_cr && r->o->quoted_cr == QUOTED_CR_WARN)
		r->o->warn("quoted CRLF detected");
	r->has_quoted_cr = false;
}

static void read_body(struct reading *r, struct strbuf *line)
{
	bool more = !r->nr_boundaries || find_boundary(r, line);

	while (more) {
		if (is_boundary(r, line)) {
			flush_rest(r);
			report_quoted_cr(r);
			if (!begin_part(r, line))
				break;
		}
		take_encoded_line(r, line);
		more = !r->out->faulty && next_line(r, line);
	}
	flush_rest(r);
	end_folded(r);
}

/* ---- results ---- */

/* A header in the body counts only where there is a patch. */
static bool choose_header(struct reading *r, enum header h, struct strbuf *out)
{
	const struct header_set *set = r->inner.there[h] && r->out->patch.len ? &r->inner : &r->outer;

	strbuf_reset(out);
	if (!set->there[h])
		return false;
	strbuf_addbuf(out, &set->value[h]);
	return true;
}

static void fill_results(struct reading *r)
{
	struct strbuf from = STRBUF_INIT;
	struct mail_info *m = r->out;

	m->has_author = choose_header(r, HEADER_FROM, &from);
	if (m->has_author) {
		mail_join_spaces(&from);
		mail_parse_from(&from, &m->author, &m->email);
	}
	m->has_subject = choose_header(r, HEADER_SUBJECT, &m->subject);
	if (m->has_subject && !r->o->keep_subject) {
		mail_clean_subject(r->o, &m->subject);
		mail_join_spaces(&m->subject);
	}
	m->has_date = choose_header(r, HEADER_DATE, &m->date);
	mail_join_spaces(&m->date);
	strbuf_release(&from);
}

static void release_reading(struct reading *r)
{
	for (int i = 0; i < HEADERS; i++) {
		strbuf_release(&r->outer.value[i]);
		strbuf_release(&r->inner.value[i]);
	}
	for (int i = 0; i < MAX_BOUNDARIES; i++)
		strbuf_release(&r->boundary[i]);
	strbuf_release(&r->folded);
	strbuf_release(&r->charset);
	strbuf_release(&r->message_id);
	strbuf_release(&r->rest);
}

static void init_reading(struct reading *r, const char *text, size_t len)
{
	struct strbuf *const all[] = { &r->folded, &r->charset, &r->message_id, &r->rest };

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		strbuf_init(all[i], 0);
	for (int i = 0; i < HEADERS; i++) {
		strbuf_init(&r->outer.value[i], 0);
		strbuf_init(&r->inner.value[i], 0);
	}
	for (int i = 0; i < MAX_BOUNDARIES; i++)
		strbuf_init(&r->boundary[i], 0);
	r->pos = text;
	r->end = text + len;
	while (r->pos < r->end && isspace((unsigned char)*r->pos))
		r->pos++;
}

void mail_read(const char *text, size_t len, const struct mail_options *o, struct mail_info *m)
{
	struct strbuf line = STRBUF_INIT;
	struct reading r = { .o = o, .out = m };

	init_reading(&r, text, len);
	while (next_header(&r, &line))
		take_header(&r, &line, true);
	read_body(&r, &line);
	report_quoted_cr(&r);
	fill_results(&r);
	m->flowed = r.flowed;
	release_reading(&r);
	strbuf_release(&line);
}

/* ---- outside ---- */

bool quoted_cr_parse(const char *name, enum quoted_cr *out)
{
	static const char *const names[] = { "nowarn", "warn", "strip" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (!strcmp(name, names[i])) {
			*out = (enum quoted_cr)i;
			return true;
		}
	}
	return false;
}

void mail_info_init(struct mail_info *m)
{
	struct strbuf *const all[] = { &m->author, &m->email, &m->subject, &m->date, &m->message, &m->patch };

	memset(m, 0, sizeof(*m));
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		strbuf_init(all[i], 0);
}

void mail_info_release(struct mail_info *m)
{
	struct strbuf *const all[] = { &m->author, &m->email, &m->subject, &m->date, &m->message, &m->patch };

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		strbuf_release(all[i]);
}

static void add_header_lines(struct strbuf *out, const char *name, const struct strbuf *value)
{
	const char *p = value->buf, *eol;

	while ((eol = strchr(p, '\n'))) {
		strbuf_addf(out, "%s: %.*s\n", name, (int)(eol - p), p);
		p = eol + 1;
	}
	strbuf_addf(out, "%s: %s\n", name, p);
}

void mail_format_info(const struct mail_info *m, struct strbuf *out)
{
	if (m->has_author)
		strbuf_addf(out, "Author: %s\nEmail: %s\n", m->author.buf, m->email.buf);
	if (m->has_subject)
		add_header_lines(out, "Subject", &m->subject);
	if (m->has_date)
		strbuf_addf(out, "Date: %s\n", m->date.buf);
	strbuf_addch(out, '\n');
}

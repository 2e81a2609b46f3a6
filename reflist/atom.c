/* SPDX-License-Identifier: GPL-2.0-only */
/* Parsing atoms: FIELD NAMES of git-for-each-ref(1). */
#include "compat/posix.h"
#include "util/alloc.h"
#include "util/color.h"
#include "util/parse-options.h"
#include "reflist/reflist-internal.h"
#include "history/names/revparse.h"

typedef int (*parse_fn)(struct reflist *l, struct ref_atom *a, const char *arg,
			struct err *err);

static int bad_argument(const struct ref_atom *a, const char *arg, struct err *err)
{
	size_t len = strcspn(a->text, ":");

	return err_set(err, ERR_INVALID, "unrecognized %%(%.*s) argument: %s", (int)len, a->text,
		       arg);
}

static int no_argument(struct reflist *l UNUSED, struct ref_atom *a, const char *arg,
		       struct err *err)
{
	if (!arg)
		return 0;
	return err_set(err, ERR_INVALID, "%%(%.*s) does not take arguments",
		       (int)strcspn(a->text, ":"), a->text);
}

static bool parse_positive(const char *s, int *out)
{
	return parse_int_strict(s, out) && *out > 0;
}

/* ---- names of refs ---- */

static int parse_strip(struct ref_atom *a, enum name_form form, const char *number,
		       const char *arg, struct err *err)
{
	a->name_form = form;
	if (parse_int_strict(number, &a->strip))
		return 0;
	return err_set(err, ERR_INVALID, "Integer value expected refname:%s", arg);
}

static int parse_refname(struct reflist *l UNUSED, struct ref_atom *a, const char *arg,
			 struct err *err)
{
	const char *rest;

	a->name_form = NAME_FULL;
	if (!arg)
		return 0;
	if (!strcmp(arg, "short")) {
		a->name_form = NAME_SHORT;
		return 0;
	}
	if (skip_prefix(arg, "lstrip=", &rest) || skip_prefix(arg, "strip=", &rest))
		return parse_strip(a, NAME_LSTRIP, rest, arg, err);
	if (skip_prefix(arg, "rstrip=", &rest))
		return parse_strip(a, NAME_RSTRIP, rest, arg, err);
	return bad_argument(a, arg, err);
}

/* False: it is not one of these words. */
static bool parse_remote_part(struct ref_atom *a, const char *part)
{
	static const struct { const char *name; enum remote_form form; } forms[] = {
		{ "track", REMOTE_TRACK }, { "trackshort", REMOTE_TRACKSHORT },
		{ "remotename", REMOTE_NAME }, { "remoteref", REMOTE_THEIR_REF },
	};

	if (!strcmp(part, "nobracket")) {
		a->nobracket = true;
		return true;
	}
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++)
		if (!strcmp(part, forms[i].name)) {
			a->remote_form = forms[i].form;
			return true;
		}
	return false;
}

static int parse_remote(struct reflist *l, struct ref_atom *a, const char *arg,
			struct err *err)
{
	struct string_list parts = STRING_LIST_INIT;
	int rc = 0;

	if (arg)
		string_list_split(&parts, arg, ",");
	for (size_t i = 0; !rc && i < parts.nr; i++)
		if (!parse_remote_part(a, parts.items[i].string)) {
			a->remote_form = REMOTE_REF;
			rc = parse_refname(l, a, arg, err);
		}
	string_list_clear(&parts, NULL);
	return rc;
}

/* ---- names of objects ---- */

static int parse_oid(struct reflist *l, struct ref_atom *a, const char *arg,
		     struct err *err)
{
	const char *rest;

	if (!arg)
		return 0;
	a->abbrev = l->repo->settings.abbrev;
	if (!strcmp(arg, "short"))
		return 0;
	if (!skip_prefix(arg, "short=", &rest))
		return bad_argument(a, arg, err);
	if (!parse_positive(rest, &a->abbrev))
		return err_set(err, ERR_INVALID, "positive value expected '%s' in %%(%s)", rest,
			       a->text);
	if (a->abbrev < 4)
		a->abbrev = 4;
	return 0;
}

static int parse_objectsize(struct reflist *l UNUSED, struct ref_atom *a, const char *arg,
			    struct err *err)
{
	a->numeric = true;
	a->flag = arg && !strcmp(arg, "disk");
	return !arg || a->flag ? 0 : bad_argument(a, arg, err);
}

static int parse_number(struct reflist *l, struct ref_atom *a, const char *arg,
			struct err *err)
{
	a->numeric = true;
	return no_argument(l, a, arg, err);
}

static int parse_ahead_behind(struct reflist *l, struct ref_atom *a, const char *arg,
			      struct err *err)
{
	struct err local = ERR_INIT;
	int rc;

	if (!arg)
		return err_set(err, ERR_INVALID, "expected format: %%(ahead-behind:<committish>)");
	rc = revparse_commit(l->repo, arg, &a->oid, &local);
	err_release(&local);
	return rc < 0 ? err_set(err, ERR_INVALID, "failed to find '%s'", arg) : 0;
}

static int parse_unavailable(struct reflist *l UNUSED, struct ref_atom *a,
			     const char *arg UNUSED, struct err *err)
{
	return err_set(err, ERR_UNSUPPORTED, "%%(%s) is not available yet", a->text);
}

static int parse_rejected(struct reflist *l UNUSED, struct ref_atom *a,
			  const char *arg UNUSED, struct err *err)
{
	return err_set(err, ERR_INVALID, "this command reject atom %%(%s)", a->text);
}

/* ---- people ---- */

static int parse_email(struct ref_atom *a, const char *arg, bool name, struct err *err)
{
	struct string_list parts = STRING_LIST_INIT;
	int rc = 0;

	string_list_split(&parts, arg, ",");
	for (size_t i = 0; !rc && i < parts.nr; i++) {
		const char *part = parts.items[i].string;

		if (!strcmp(part, "mailmap"))
			a->email |= EMAIL_MAILMAP;
		else if (!name && !strcmp(part, "trim"))
			a->email |= EMAIL_TRIM;
		else if (!name && !strcmp(part, "localpart"))
			a->email |= EMAIL_LOCALPART;
		else
			rc = bad_argument(a, name ? arg : part, err);
	}
	string_list_clear(&parts, NULL);
	return rc;
}

static int parse_person(struct reflist *l UNUSED, struct ref_atom *a, const char *arg,
			struct err *err)
{
	if (a->part == PART_DATE) {
		bool formatted = a->text[strcspn(a->text, ":")] != '\0';

		a->numeric = !formatted; /* else sorted as text */
		if (formatted && date_mode_parse(&a->date, arg ? arg : "") < 0)
			return err_set(err, ERR_INVALID, "unknown date format %s", arg ? arg : "");
		return 0;
	}
	if (!arg)
		return 0;
	if (a->part == PART_ALL)
		return no_argument(l, a, arg, err);
	return parse_email(a, arg, a->part == PART_NAME, err);
}

/* ---- messages ---- */

static int parse_subject(struct reflist *l UNUSED, struct ref_atom *a, const char *arg,
			 struct err *err)
{
	a->flag = arg && !strcmp(arg, "sanitize");
	return !arg || a->flag ? 0 : bad_argument(a, arg, err);
}

static int parse_trailers(struct reflist *l, struct ref_atom *a, const char *arg,
			  struct err *err)
{
	struct string_list parts = STRING_LIST_INIT;
	int rc = 0;

	a->id = ATOM_TRAILERS;
	trailer_options_read_config(&a->trailers, l->repo->config);
	if (arg)
		string_list_split(&parts, arg, ",");
	for (size_t i = 0; !rc && i < parts.nr; i++) {
		const char *part = parts.items[i].string;

		if (!*part || trailer_options_add(&a->trailers, part, strlen(part)))
			continue;
		rc = !strcmp(part, "key") ?
			err_set(err, ERR_INVALID, "expected %%(trailers:key=<value>)") :
			err_set(err, ERR_INVALID, "unknown %%(trailers) argument: %s", part);
	}
	string_list_clear(&parts, NULL);
	return rc;
}

static int parse_contents(struct reflist *l, struct ref_atom *a, const char *arg,
			  struct err *err)
{
	static const struct { const char *name; enum contents_part part; } parts[] = {
		{ "subject", CONTENTS_SUBJECT }, { "body", CONTENTS_BODY },
		{ "signature", CONTENTS_SIGNATURE }, { "size", CONTENTS_SIZE },
	};
	const char *rest;
	int n;

	if (!arg)
		return 0;
	if (!strcmp(arg, "trailers"))
		return parse_trailers(l, a, NULL, err);
	if (skip_prefix(arg, "trailers:", &rest))
		return parse_trailers(l, a, rest, err);
	if (skip_prefix(arg, "lines=", &rest)) {
		a->contents = CONTENTS_LINES;
		if (!parse_int_strict(rest, &n) || n < 0)
			return err_set(err, ERR_INVALID, "positive value expected contents:lines=%s",
				       rest);
		a->lines = (unsigned long)n;
		return 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (!strcmp(arg, parts[i].name)) {
			a->contents = parts[i].part;
			a->numeric = a->contents == CONTENTS_SIZE;
			return 0;
		}
	return bad_argument(a, arg, err);
}

static int parse_signature(struct reflist *l UNUSED, struct ref_atom *a, const char *arg,
			   struct err *err)
{
	static const struct { const char *name; enum signature_part part; } parts[] = {
		{ "grade", SIGNATURE_GRADE }, { "signer", SIGNATURE_SIGNER },
		{ "key", SIGNATURE_KEY }, { "fingerprint", SIGNATURE_FINGERPRINT },
		{ "primarykeyfingerprint", SIGNATURE_PRIMARY },
		{ "trustlevel", SIGNATURE_TRUST },
	};

	if (!arg)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (!strcmp(arg, parts[i].name)) {
			a->signature = parts[i].part;
			return 0;
		}
	return bad_argument(a, arg, err);
}

static int parse_describe(struct reflist *l, struct ref_atom *a, const char *arg,
			  struct err *err)
{
	return commit_description_new(&a->description, l->repo, arg ? arg : "", false, err);
}

static int parse_raw(struct reflist *l UNUSED, struct ref_atom *a, const char *arg,
		     struct err *err)
{
	a->flag = arg && !strcmp(arg, "size");
	return !arg || a->flag ? 0 : bad_argument(a, arg, err);
}

/* ---- of the format ---- */

static int parse_color(struct reflist *l UNUSED, struct ref_atom *a, const char *arg,
		       struct err *err)
{
	char escape[COLOR_MAXLEN];

	if (!arg)
		return err_set(err, ERR_INVALID, "expected format: %%(color:<color>)");
	if (color_parse(arg, escape) < 0) {
		struct strbuf why = STRBUF_INIT;

		strbuf_addf(&why, "error: invalid color value: %s\n", arg);
		err_set(err, ERR_INVALID, "unrecognized color: %%(%s)", a->text);
		err_set_preface(err, why.buf);
		strbuf_release(&why);
		return ERR_INVALID;
	}
	a->arg = xstrdup(escape);
	return 0;
}

static bool parse_position(const char *s, enum align_position *out)
{
	static const char *const names[] = { "left", "middle", "right" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(s, names[i])) {
			*out = (enum align_position)i;
			return true;
		}
	return false;
}

static bool parse_width(const char *s, unsigned long *out)
{
	int n;

	if (!parse_int_strict(s, &n) || n < 0)
		return false;
	*out = (unsigned long)n;
	return true;
}

static int parse_align_part(struct ref_atom *a, const char *s, bool *has_width, struct err *err)
{
	const char *rest;

	if (skip_prefix(s, "position=", &rest))
		return parse_position(rest, &a->position) ? 0 :
			err_set(err, ERR_INVALID, "unrecognized position:%s", rest);
	if (skip_prefix(s, "width=", &rest)) {
		*has_width = true;
		return parse_width(rest, &a->width) ? 0 :
			err_set(err, ERR_INVALID, "unrecognized width:%s", rest);
	}
	if (parse_width(s, &a->width))
		*has_width = true;
	else if (!parse_position(s, &a->position))
		return err_set(err, ERR_INVALID, "unrecognized %%(align) argument: %s", s);
	return 0;
}

static int parse_align(struct reflist *l UNUSED, struct ref_atom *a, const char *arg,
		       struct err *err)
{
	struct string_list parts = STRING_LIST_INIT;
	bool has_width = false;
	int rc = 0;

	if (!arg)
		return err_set(err, ERR_INVALID, "expected format: %%(align:<width>,<position>)");
	string_list_split(&parts, arg, ",");
	for (size_t i = 0; !rc && i < parts.nr; i++)
		rc = parse_align_part(a, parts.items[i].string, &has_width, err);
	string_list_clear(&parts, NULL);
	if (!rc && !has_width)
		rc = err_set(err, ERR_INVALID, "positive width expected with the %%(align) atom");
	return rc;
}

static int parse_if(struct reflist *l UNUSED, struct ref_atom *a, const char *arg,
		    struct err *err)
{
	const char *rest;

	if (!arg)
		return 0;
	if (skip_prefix(arg, "equals=", &rest))
		a->if_form = IF_EQUALS;
	else if (skip_prefix(arg, "notequals=", &rest))
		a->if_form = IF_NOTEQUALS;
	else
		return bad_argument(a, arg, err);
	a->arg = xstrdup(rest);
	return 0;
}

/* ---- the table ---- */

#define PERSON(name, kind) \
	{ name, ATOM_PERSON, parse_person, kind, PART_ALL }, \
	{ name "name", ATOM_PERSON, parse_person, kind, PART_NAME }, \
	{ name "email", ATOM_PERSON, parse_person, kind, PART_EMAIL }, \
	{ name "date", ATOM_PERSON, parse_person, kind, PART_DATE }

static const struct field {
	const char *name;
	enum atom_id id;
	parse_fn parse;
	enum person_kind person;
	enum person_part part;
} fields[] = {
	{ "refname", ATOM_REFNAME, parse_refname, 0, 0 },
	{ "objectname", ATOM_OBJECTNAME, parse_oid, 0, 0 },
	{ "objecttype", ATOM_OBJECTTYPE, no_argument, 0, 0 },
	{ "objectsize", ATOM_OBJECTSIZE, parse_objectsize, 0, 0 },
	{ "deltabase", ATOM_DELTABASE, no_argument, 0, 0 },
	{ "tree", ATOM_TREE, parse_oid, 0, 0 },
	{ "parent", ATOM_PARENT, parse_oid, 0, 0 },
	{ "numparent", ATOM_NUMPARENT, parse_number, 0, 0 },
	{ "object", ATOM_OBJECT, no_argument, 0, 0 },
	{ "type", ATOM_TYPE, no_argument, 0, 0 },
	{ "tag", ATOM_TAG, no_argument, 0, 0 },
	PERSON("author", PERSON_AUTHOR),
	PERSON("committer", PERSON_COMMITTER),
	PERSON("tagger", PERSON_TAGGER),
	{ "creator", ATOM_PERSON, parse_person, PERSON_CREATOR, PART_ALL },
	{ "creatordate", ATOM_PERSON, parse_person, PERSON_CREATOR, PART_DATE },
	{ "subject", ATOM_SUBJECT, parse_subject, 0, 0 },
	{ "body", ATOM_BODY, no_argument, 0, 0 },
	{ "trailers", ATOM_TRAILERS, parse_trailers, 0, 0 },
	{ "contents", ATOM_CONTENTS, parse_contents, 0, 0 },
	{ "signature", ATOM_SIGNATURE, parse_signature, 0, 0 },
	{ "raw", ATOM_RAW, parse_raw, 0, 0 },
	{ "upstream", ATOM_UPSTREAM, parse_remote, 0, 0 },
	{ "push", ATOM_PUSH, parse_remote, 0, 0 },
	{ "symref", ATOM_SYMREF, parse_refname, 0, 0 },
	{ "flag", ATOM_FLAG, no_argument, 0, 0 },
	{ "HEAD", ATOM_HEAD, no_argument, 0, 0 },
	{ "worktreepath", ATOM_WORKTREEPATH, no_argument, 0, 0 },
	{ "ahead-behind", ATOM_AHEAD_BEHIND, parse_ahead_behind, 0, 0 },
	{ "color", ATOM_COLOR, parse_color, 0, 0 },
	{ "align", ATOM_ALIGN, parse_align, 0, 0 },
	{ "end", ATOM_END, no_argument, 0, 0 },
	{ "if", ATOM_IF, parse_if, 0, 0 },
	{ "then", ATOM_THEN, no_argument, 0, 0 },
	{ "else", ATOM_ELSE, no_argument, 0, 0 },
	{ "is-base", ATOM_END, parse_unavailable, 0, 0 },
	{ "describe", ATOM_DESCRIBE, parse_describe, 0, 0 },
	{ "rest", ATOM_END, parse_rejected, 0, 0 },
};

static const struct field *find_field(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		if (strlen(fields[i].name) == len && !memcmp(fields[i].name, name, len))
			return &fields[i];
	return NULL;
}

void ref_atom_free(struct ref_atom *a)
{
	date_mode_release(&a->date);
	trailer_options_release(&a->trailers);
	commit_description_free(a->description);
	free(a->arg);
	free(a->text);
	free(a);
}

static int parse_atom(struct reflist *l, const char *text, size_t len,
		      struct ref_atom **out, struct err *err)
{
	static const struct ref_atom blank = { .trailers = TRAILER_OPTIONS_INIT };
	size_t name_len;
	const char *name = text, *arg;
	const struct field *field;
	struct ref_atom *a;
	int rc;

	if (*name == '*')
		name++;
	name_len = text + len - name;
	arg = memchr(name, ':', name_len);
	field = find_field(name, arg ? (size_t)(arg - name) : name_len);
	if (!field)
		return err_set(err, ERR_INVALID, name_len ? "unknown field name: %.*s" :
			       "malformed field name: %.*s", (int)len, text);
	a = xmemdup(&blank, sizeof(blank));
	a->text = xmemdupz(text, len);
	a->deref = *text == '*';
	a->id = field->id;
	a->person = field->person;
	a->part = field->part;
	arg = strchr(a->text, ':');
	rc = field->parse(l, a, arg && arg[1] ? arg + 1 : NULL, err);
	if (rc < 0)
		ref_atom_free(a);
	else
		*out = a;
	return rc;
}

int ref_atom_parse(struct reflist *l, const char *text, size_t len, size_t *out,
		   struct err *err)
{
	struct reflist_state *s = l->state;
	struct ref_atom *a = NULL;
	int rc;

	for (size_t i = 0; i < s->nr_atoms; i++)
		if (strlen(s->atoms[i]->text) == len && !memcmp(s->atoms[i]->text, text, len)) {
			*out = i;
			return 0;
		}
	rc = parse_atom(l, text, len, &a, err);
	if (rc < 0)
		return rc;
	ALLOC_GROW(s->atoms, s->nr_atoms + 1, s->alloc_atoms);
	*out = s->nr_atoms;
	s->atoms[s->nr_atoms++] = a;
	return 0;
}

bool ref_atom_needs_object(const struct ref_atom *a)
{
	return (a->id >= ATOM_OBJECTTYPE && a->id <= ATOM_RAW) ||
	       (a->id == ATOM_OBJECTNAME && a->deref);
}

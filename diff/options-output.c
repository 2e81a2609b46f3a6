/* SPDX-License-Identifier: GPL-2.0-only */
/* Options that say which files and lines are shown, in which order, and how. */
#include "compat/posix.h"
#include "diff/diff-internal.h"
#include "diff/options-internal.h"
#include "diff/moved-internal.h"
#include "diff/whitespace.h"
#include "util/alloc.h"

/* ---- order ---- */

static int set_order(struct diff_options *o, const struct option_row *r UNUSED,
		     const char *value, struct err *err UNUSED)
{
	free(o->order_file);
	o->order_file = o->prefix && *value && *value != '/' ? xstrfmt("%s%s", o->prefix, value) :
							       xstrdup(value);
	return 0;
}

static int set_rotate(struct diff_options *o, const struct option_row *r, const char *value,
		      struct err *err UNUSED)
{
	o->rotate_to = value;
	o->rotate_skips = *r->name == 's';
	return 0;
}

/* ---- lines ---- */

static int set_indicator(struct diff_options *o, const struct option_row *r, const char *value,
			 struct err *err)
{
	const char *which = r->name + strlen("output-indicator-");

	if (!value[0] || value[1])
		return err_set(err, ERR_INVALID, "%s expects a character, got '%s'", r->name, value);
	o->indicator[*which == 'n' ? 0 : *which == 'o' ? 1 : 2] = *value;
	return 0;
}

static int set_highlight(struct diff_options *o, const struct option_row *r UNUSED,
			 const char *value, struct err *err)
{
	if (!whitespace_parse_highlight(&o->ws_highlight, value))
		return err_set(err, ERR_INVALID, "unknown value after ws-error-highlight=");
	return 0;
}

static int set_ignored(struct diff_options *o, const struct option_row *r UNUSED,
		       const char *value, struct err *err)
{
	if (!diff_regexes_add(&o->ignore_lines, value))
		return err_set(err, ERR_INVALID, "invalid regex given to -I: '%s'", value);
	return 0;
}

/* ---- prefixes ---- */

static int set_default_prefix(struct diff_options *o, const struct option_row *r UNUSED,
			      const char *value UNUSED, struct err *err UNUSED)
{
	o->src_prefix = "a/";
	o->dst_prefix = "b/";
	o->mnemonic_prefix = false;
	return 0;
}

static int set_prefix(struct diff_options *o, const struct option_row *r, const char *value,
		      struct err *err UNUSED)
{
	if (*r->name == 'n')
		o->src_prefix = o->dst_prefix = "";
	else if (*r->name == 's')
		o->src_prefix = value;
	else
		o->dst_prefix = value;
	o->mnemonic_prefix = false;
	return 0;
}

void diff_options_mnemonic(struct diff_options *o, const char *src, const char *dst)
{
	if (!o->mnemonic_prefix)
		return;
	o->src_prefix = src;
	o->dst_prefix = dst;
}

static int config_prefix(struct diff_options *o, const struct config_set *c, struct err *err)
{
	bool none = false, mnemonic = false;
	const char *src = NULL, *dst = NULL;

	if (config_get_bool(c, "diff.noprefix", &none, err) < 0 ||
	    config_get_bool(c, "diff.mnemonicprefix", &mnemonic, err) < 0 ||
	    config_get_string(c, "diff.srcprefix", &src, err) < 0 ||
	    config_get_string(c, "diff.dstprefix", &dst, err) < 0)
		return ERR_INVALID;
	if (none) {
		o->src_prefix = o->dst_prefix = "";
	} else if (mnemonic) {
		o->mnemonic_prefix = true;
	} else {
		o->src_prefix = src ? src : o->src_prefix;
		o->dst_prefix = dst ? dst : o->dst_prefix;
	}
	return 0;
}

/* ---- objects ---- */

static int set_find_object(struct diff_options *o, const struct option_row *r UNUSED,
			   const char *value, struct err *err UNUSED)
{
	o->pickaxe_conflict |= o->pickaxe != NULL;
	strvec_push(&o->find_objects, value);
	o->show_trees = true;
	return 0;
}

static int set_ita(struct diff_options *o, const struct option_row *r,
		   const char *value UNUSED, struct err *err UNUSED)
{
	o->ita_invisible = !strcmp(r->name, "ita-invisible-in-index");
	return 0;
}

int diff_options_resolve(struct diff_options *o,
			 int (*resolve)(void *data, const char *name, struct object_id *out,
					struct err *err),
			 void *data, struct err *err)
{
	int ret = diff_read_order(o, err);

	free(o->find_oids);
	ALLOC_ARRAY(o->find_oids, o->find_objects.nr);
	for (size_t i = 0; !ret && i < o->find_objects.nr; i++) {
		ret = resolve(data, o->find_objects.v[i], &o->find_oids[i], err);
		if (ret < 0) {
			err_release(err);
			ret = err_set(err, ERR_INVALID, "unable to resolve '%s'",
				      o->find_objects.v[i]);
		}
	}
	return ret;
}

/* A file gets no colours, unless they are for everything. */
static int set_output(struct diff_options *o, const struct option_row *r UNUSED,
		      const char *value, struct err *err UNUSED)
{
	o->output = value;
	o->color &= o->color_always;
	return 0;
}

/* ---- submodules ---- */

static bool parse_submodule_format(struct diff_options *o, const char *value)
{
	static const char *const names[] = { "short", "log", "diff" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (strcmp(value, names[i]))
			continue;
		o->submodule_format = (enum diff_submodule_format)i;
		return true;
	}
	return false;
}

static int set_submodule(struct diff_options *o, const struct option_row *r UNUSED, const char *value,
			 struct err *err)
{
	if (parse_submodule_format(o, value ? value : "log"))
		return 0;
	return err_set(err, ERR_INVALID, "failed to parse --submodule option parameter: '%s'", value);
}

/* An unknown value is reported and ignored. */
static int config_submodule(struct diff_options *o, const struct config_set *c, struct err *err)
{
	const char *value;
	int ret = config_get_string(c, "diff.submodule", &value, err);

	if (ret > 0 && !parse_submodule_format(o, value)) {
		free(o->complaint);
		o->complaint = xstrfmt("Unknown value for 'diff.submodule' config variable: '%s'", value);
	}
	return ret < 0 ? ret : 0;
}

/* ---- moved lines ---- */

static const char moved_modes[] =
	"color moved setting must be one of 'no', 'default', 'blocks', 'zebra', 'dimmed-zebra', 'plain'";

static int set_moved(struct diff_options *o, const struct option_row *r, const char *value,
		     struct err *err)
{
	if (*r->name == 'n')
		value = "no";
	if (moved_parse_mode(o, value ? value : "default"))
		return 0;
	return err_set(err, ERR_INVALID, "%s", moved_modes);
}

static int set_moved_whitespace(struct diff_options *o, const struct option_row *r,
				const char *value, struct err *err)
{
	return moved_parse_whitespace(o, *r->name == 'n' ? "no" : value, err);
}

static int config_moved(struct diff_options *o, const struct config_set *c, struct err *err)
{
	const struct config_entry *mode = config_get(c, "diff.colormoved");
	const char *whitespace;
	int ret;

	if (mode && !moved_parse_mode(o, mode->value ? mode->value : "true"))
		return config_entry_bad(mode, err, moved_modes);
	ret = config_get_string(c, "diff.colormovedws", &whitespace, err);
	return ret > 0 ? moved_parse_whitespace(o, whitespace, err) : ret;
}

/* ---- formats ---- */

static int set_check(struct diff_options *o, const struct option_row *r UNUSED,
		     const char *value UNUSED, struct err *err UNUSED)
{
	diff_add_format(o, DIFF_FORMAT_CHECK);
	return 0;
}

static int set_textconv(struct diff_options *o, const struct option_row *r, const char *value UNUSED,
			struct err *err UNUSED)
{
	o->textconv = o->textconv_asked = !starts_with(r->name, "no-");
	return 0;
}

/* "12.3": permille, further digits do not count. */
static bool parse_cut_off(unsigned *permille, const char *text)
{
	unsigned long n = strtoul(text, (char **)&text, 10) * 10;

	if (*text == '.' && isdigit((unsigned char)*++text)) {
		n += (unsigned)(*text++ - '0');
		text += strspn(text, "0123456789");
	}
	*permille = n < 100000 ? (unsigned)n : 100000;
	return !*text;
}

static void dirstat_word(struct diff_dirstat *d, const char *word, struct strbuf *complaints)
{
	if (!strcmp(word, "changes")) {
		d->by_line = d->by_file = false;
	} else if (!strcmp(word, "lines")) {
		d->by_line = true;
		d->by_file = false;
	} else if (!strcmp(word, "files")) {
		d->by_line = false;
		d->by_file = true;
	} else if (!strcmp(word, "noncumulative") || !strcmp(word, "cumulative")) {
		d->cumulative = *word == 'c';
	} else if (isdigit((unsigned char)*word)) {
		unsigned permille;

		if (parse_cut_off(&permille, word))
			d->permille = permille;
		else
			strbuf_addf(complaints, "  Failed to parse dirstat cut-off percentage "
				    "'%s'\n", word);
	} else {
		strbuf_addf(complaints, "  Unknown dirstat parameter '%s'\n", word);
	}
}

static void parse_dirstat(struct diff_dirstat *d, const char *value, struct strbuf *complaints)
{
	while (*value) {
		size_t len = strcspn(value, ",");
		char *word = xmemdupz(value, len);

		dirstat_word(d, word, complaints);
		free(word);
		value += len;
		value += *value == ',';
	}
}

/* --dirstat, --dirstat-by-file, --cumulative */
static int set_dirstat(struct diff_options *o, const struct option_row *r, const char *value,
		       struct err *err)
{
	struct strbuf complaints = STRBUF_INIT;
	int ret = 0;

	if (r->name && !strcmp(r->name, "dirstat-by-file"))
		parse_dirstat(&o->dirstat, "files", &complaints);
	if (r->name && !strcmp(r->name, "cumulative"))
		o->dirstat.cumulative = true;
	if (value)
		parse_dirstat(&o->dirstat, value, &complaints);
	if (complaints.len)
		ret = err_set(err, ERR_UNSUPPORTED, "Failed to parse --dirstat/-X option parameter:"
			      "\n%s", complaints.buf);
	strbuf_release(&complaints);
	diff_add_format(o, DIFF_FORMAT_DIRSTAT);
	return ret;
}

static int config_dirstat(struct diff_options *o, const struct config_set *c, struct err *err)
{
	struct strbuf complaints = STRBUF_INIT;
	const char *value;
	int ret = config_get_string(c, "diff.dirstat", &value, err);

	if (ret > 0)
		parse_dirstat(&o->dirstat, value, &complaints);
	if (complaints.len) {
		free(o->complaint);
		o->complaint = xstrfmt("Found errors in 'diff.dirstat' config variable:\n%s",
				       complaints.buf);
	}
	strbuf_release(&complaints);
	return ret < 0 ? ret : 0;
}

/* ---- all of them ---- */

int diff_output_config_plumbing(struct diff_options *o, const struct config_set *c,
				struct err *err)
{
	const char *highlight;
	int ret = config_dirstat(o, c, err);

	if (ret < 0)
		return ret;
	ret = config_get_string(c, "diff.wserrorhighlight", &highlight, err);
	if (ret > 0 && !whitespace_parse_highlight(&o->ws_highlight, highlight))
		return config_entry_bad(config_get(c, "diff.wserrorhighlight"), err,
					"unknown value");
	return ret < 0 ? ret : 0;
}

int diff_output_config(struct diff_options *o, const struct config_set *c, struct err *err)
{
	char *order = NULL;
	int ret = config_get_string(c, "diff.external", &o->external, err);

	if (ret < 0 || config_get_bool(c, "diff.trustexitcode", &o->external_trust, err) < 0)
		return ERR_INVALID;
	ret = config_prefix(o, c, err);
	if (ret < 0 || (ret = config_get_path(c, "diff.orderfile", &order, err)) < 0)
		return ret;
	if (order) {
		free(o->order_file);
		o->order_file = order;
	}
	ret = config_submodule(o, c, err);
	return ret < 0 ? ret : config_moved(o, c, err);
}

const struct option_call diff_output_rows[] = {
	CALL_ROW('O', NULL, NEEDED, set_order),
	CALL_ROW(0, "rotate-to", NEEDED, set_rotate),
	CALL_ROW(0, "skip-to", NEEDED, set_rotate),
	CALL_ROW(0, "output-indicator-new", NEEDED, set_indicator),
	CALL_ROW(0, "output-indicator-old", NEEDED, set_indicator),
	CALL_ROW(0, "output-indicator-context", NEEDED, set_indicator),
	CALL_ROW(0, "ws-error-highlight", NEEDED, set_highlight),
	CALL_ROW(0, "submodule", OPTIONAL, set_submodule),
	CALL_ROW(0, "color-moved", OPTIONAL, set_moved),
	CALL_ROW(0, "no-color-moved", 0, set_moved),
	CALL_ROW(0, "color-moved-ws", NEEDED, set_moved_whitespace),
	CALL_ROW(0, "no-color-moved-ws", 0, set_moved_whitespace),
	CALL_ROW('I', "ignore-matching-lines", NEEDED, set_ignored),
	{ { 'W', "function-context", SET_TRUE, FIELD(function_context), 0, 0 }, NULL },
	BOOL_ROW("no-function-context", SET_FALSE, function_context),
	CALL_ROW(0, "src-prefix", NEEDED, set_prefix),
	CALL_ROW(0, "dst-prefix", NEEDED, set_prefix),
	CALL_ROW(0, "no-prefix", 0, set_prefix),
	CALL_ROW(0, "default-prefix", 0, set_default_prefix),
	BOOL_ROW("rename-empty", SET_TRUE, rename_empty),
	BOOL_ROW("no-rename-empty", SET_FALSE, rename_empty),
	CALL_ROW(0, "textconv", 0, set_textconv),
	CALL_ROW(0, "no-textconv", 0, set_textconv),
	BOOL_ROW("ext-diff", SET_TRUE, allow_external),
	BOOL_ROW("no-ext-diff", SET_FALSE, allow_external),
	CALL_ROW(0, "output", NEEDED, set_output),
	BOOL_ROW("exit-code", SET_TRUE, exit_code),
	BOOL_ROW("no-exit-code", SET_FALSE, exit_code),
	CALL_ROW(0, "check", 0, set_check),
	CALL_ROW('X', "dirstat", OPTIONAL, set_dirstat),
	CALL_ROW(0, "dirstat-by-file", OPTIONAL, set_dirstat),
	CALL_ROW(0, "cumulative", 0, set_dirstat),
	CALL_ROW(0, "find-object", NEEDED, set_find_object),
	CALL_ROW(0, "ita-invisible-in-index", 0, set_ita),
	CALL_ROW(0, "ita-visible-in-index", 0, set_ita),
	END_ROW
};

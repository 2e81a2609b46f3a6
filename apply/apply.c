/* SPDX-License-Identifier: GPL-2.0-only */
/* The steps of an input: read, check, write, report. */
#include "compat/posix.h"
#include "apply/apply-internal.h"
#include "diff/whitespace.h"
#include "fs/file.h"
#include "util/alloc.h"
#include "util/parse-options.h"
#include "util/path.h"
#include "util/wildmatch.h"

#define INPUT_MAX ((size_t)1023 * 1024 * 1024)
#define EXIT_BAD 128

/* ---- which patches ---- */

static void say_of_reader(void *data, const char *text)
{
	apply_say(data, "%s", text);
}

static bool uses_name(const struct apply *a, const char *name)
{
	if (a->prefix && !starts_with(name, a->prefix))
		return false;
	for (size_t i = 0; i < a->limits.nr; i++)
		if (wildmatch(a->limits.v[i] + 1, name, 0))
			return a->limits.v[i][0] == '+';
	return !a->has_include;
}

static bool uses_patch(const struct apply *a, const struct file_patch *p)
{
	return uses_name(a, p->new_name ? p->new_name : p->old_name);
}

static void add_prefix(const struct apply *a, char **name)
{
	char *old = *name;

	if (!old)
		return;
	*name = xstrfmt("%s%s", a->prefix, old);
	free(old);
}

static void on_header(void *data, struct file_patch *p)
{
	struct apply *a = data;

	if (a->prefix && !p->from_top) {
		add_prefix(a, &p->old_name);
		add_prefix(a, &p->new_name);
	}
	p->ws_rule = uses_patch(a, p) ? apply_whitespace_rule(a, p->new_name ? p->new_name : p->old_name) : 0;
}

static void on_line(void *data, struct file_patch *p, char sign, const char *line, size_t len)
{
	struct apply *a = data;

	size_t shown;

	len -= len > 0; /* its newline */
	/* Git cuts off the last byte of an incomplete line. */
	shown = len && patch_is_no_newline(line + len + 1, a->reader.end) ? len - 1 : len;
	if (sign == ' ' ? a->ws == APPLY_WS_FIX : a->ws != APPLY_WS_NOWARN)
		apply_note_whitespace(a, whitespace_errors(p->ws_rule, line, len), line, shown, a->reader.line);
}

/* ---- one input ---- */

static void free_patches(struct apply *a)
{
	for (size_t i = 0; i < a->nr; i++) {
		struct apply_patch *ap = a->patches[i];

		tempfile_delete(&ap->staged);
		file_patch_release(&ap->p);
		strbuf_release(&ap->result);
		free(ap);
	}
	a->nr = a->skipped = 0;
	strmap_clear(&a->table, NULL);
	strset_clear(&a->links);
	strset_clear(&a->links_gone);
}

static void take_patch(struct apply *a, struct file_patch *p)
{
	struct apply_patch *ap = xcalloc(1, sizeof(*ap));

	strbuf_init(&ap->result, 0);
	ap->p = *p;
	if (a->reverse)
		file_patch_reverse(&ap->p);
	if (!uses_patch(a, &ap->p)) {
		if (a->verbosity > 0)
			apply_say_name(a, ap, "Skipped patch '", "'.");
		file_patch_release(&ap->p);
		free(ap);
		a->skipped++;
		return;
	}
	ALLOC_GROW(a->patches, a->nr + 1, a->alloc);
	/* the last patch is the first to be taken back */
	if (a->reverse)
		memmove(a->patches + 1, a->patches, a->nr * sizeof(*a->patches));
	a->patches[a->reverse ? 0 : a->nr] = ap;
	a->nr++;
}

static int read_patches(struct apply *a, const struct strbuf *text, const char *name)
{
	struct patch_reader *r = &a->reader;
	struct err err = ERR_INIT;
	int rc = 1;

	r->file = name;
	r->at = text->buf;
	r->end = text->buf + text->len;
	r->line = 1;
	while (rc == 1) {
		struct file_patch p;

		r->needs_change = a->apply || a->check;
		file_patch_init(&p);
		rc = patch_read(r, &p, &err);
		if (rc == 1)
			take_patch(a, &p);
		else
			file_patch_release(&p);
	}
	if (rc < 0)
		apply_error(a, "%s", err_message(&err));
	err_release(&err);
	return rc < 0 ? EXIT_BAD : 0;
}

/* The index is locked once, for the first input that changes it. */
static int open_index(struct apply *a)
{
	struct err err = ERR_INIT;
	bool read = a->index && !a->has_index;
	int rc = 0;

	a->update_index = (a->index || a->intent_to_add) && a->apply;
	if (a->series) {
		a->has_index = a->index;
		return 0;
	}
	if (a->update_index && !a->locked) {
		rc = repo_operation_lock_index(a->op, &err);
		a->locked = !rc;
		read = read || (!rc && !a->has_index);
	}
	if (!rc && read) {
		rc = index_read_repo(&a->ix, a->repo, &err);
		a->has_index = !rc && a->index;
	}
	if (!rc && (a->threeway || a->update_index))
		rc = repo_operation_open_objects(a->op, &err);
	if (rc < 0)
		apply_error(a, "%s", err_message(&err));
	err_release(&err);
	return rc < 0 ? EXIT_BAD : 0;
}

/* 0; 1: parts, or nothing, applied; 128 */
static int check_and_write(struct apply *a)
{
	int rc;

	if (a->check || a->apply) {
		rc = apply_check_patches(a);
		if (rc == APPLY_FATAL)
			return EXIT_BAD;
		if (rc < 0 && !a->reject)
			return -1;
	}
	if (!a->apply)
		return 0;
	a->writes_begun = true;
	rc = apply_write_results(a);
	if (rc < 0)
		return EXIT_BAD;
	return rc && a->reject ? -1 : rc;
}

static int print_report(struct apply *a)
{
	struct strbuf out = STRBUF_INIT;
	struct err err = ERR_INIT;
	int rc;

	apply_report(a, &out);
	rc = out.len ? a->print(a->data, &out, &err) : 0;
	if (rc < 0)
		apply_error(a, "%s", err_message(&err));
	strbuf_release(&out);
	err_release(&err);
	return rc < 0 ? EXIT_BAD : 0;
}

/* 0; 1: with conflicts; -1: refused or in parts, and the index stays as it is; 128 */
static int apply_text(struct apply *a, const struct strbuf *text, const char *name)
{
	int rc = read_patches(a, text, name);

	if (rc)
		return rc;
	if (!a->nr && !a->skipped) {
		if (a->allow_empty)
			return 0;
		apply_error(a, "No valid patches in input (allow with \"--allow-empty\")");
		return EXIT_BAD;
	}
	if (a->ws_errors && a->ws == APPLY_WS_ERROR)
		a->apply = 0;
	rc = open_index(a);
	if (!rc)
		rc = check_and_write(a);
	if (rc)
		return rc;
	if ((a->fake_ancestor || a->ancestor) && apply_build_ancestor(a) < 0)
		return EXIT_BAD;
	return a->verbosity >= 0 ? print_report(a) : 0;
}

static int apply_input(struct apply *a, const char *name)
{
	char *place = a->prefix && name && *name != '/' ? xstrfmt("%s%s", a->prefix, name) : xstrdup(name ? name : "");
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct stat st;
	int rc;

	if (!name)
		rc = read_fd(&text, 0, INPUT_MAX, "standard input", &err);
	else
		rc = stat(place, &st) < 0 ? err_set_errno(&err, "can't open patch '%s'", place) :
					    read_named_file(&text, place, INPUT_MAX, &err);
	if (rc < 0) {
		apply_error(a, "%s", rc == ERR_TOO_BIG ? "patch too large" : err_message(&err));
		rc = EXIT_BAD;
	} else {
		if (a->ws == APPLY_WS_DEFAULT)
			a->ws = a->apply ? APPLY_WS_WARN : APPLY_WS_NOWARN;
		rc = apply_text(a, &text, name ? place : "<stdin>");
	}
	free_patches(a);
	strbuf_release(&text);
	err_release(&err);
	free(place);
	return rc;
}

/* ---- options ---- */

bool apply_set_whitespace(struct apply *a, const char *value)
{
	static const struct {
		const char *name;
		enum apply_whitespace ws;
		bool all;
	} names[] = {
		{ "warn", APPLY_WS_WARN, false }, { "nowarn", APPLY_WS_NOWARN, false }, { "error", APPLY_WS_ERROR, false },
		{ "error-all", APPLY_WS_ERROR, true }, { "strip", APPLY_WS_FIX, false }, { "fix", APPLY_WS_FIX, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (strcmp(names[i].name, value) != 0)
			continue;
		a->ws = names[i].ws;
		if (names[i].all)
			a->ws_most = 0;
		return true;
	}
	return false;
}

bool apply_set_context(struct apply *a, const char *value)
{
	uint64_t n;

	if (!parse_magnitude(value, &n))
		return false;
	a->context = (unsigned long)n;
	return true;
}

bool apply_set_strip(struct apply *a, const char *value)
{
	int n;

	if (!parse_int_strict(value, &n) || n < 0)
		return false;
	a->strip = n;
	a->strip_known = true;
	return true;
}

static int set_ignore_space(struct apply *a, const char *value, struct err *err)
{
	static const char *const no[] = { "no", "false", "never", "none" };

	for (size_t i = 0; i < ARRAY_SIZE(no); i++)
		if (!strcmp(no[i], value)) {
			a->ignore_space = false;
			return 0;
		}
	if (strcmp(value, "change") != 0)
		return err_set(err, ERR_INVALID, "unrecognized whitespace ignore option '%s'", value);
	a->ignore_space = true;
	return 0;
}

int apply_config(struct apply *a, const struct config_set *c, struct err *err)
{
	const char *value;
	int rc = config_get_string(c, "core.whitespace", &value, err);

	if (rc > 0)
		rc = whitespace_parse(&a->ws_rule, value, err);
	if (rc >= 0)
		rc = config_get_string(c, "apply.whitespace", &value, err);
	if (rc > 0 && !apply_set_whitespace(a, value))
		rc = err_set(err, ERR_INVALID, "unrecognized whitespace option '%s'", value);
	if (rc >= 0)
		rc = config_get_string(c, "apply.ignorewhitespace", &value, err);
	if (rc > 0)
		rc = set_ignore_space(a, value, err);
	return rc < 0 ? rc : 0;
}

int apply_set_root(struct apply *a, const char *directory)
{
	struct strbuf root = STRBUF_INIT;

	strbuf_addstr(&root, directory);
	if (strbuf_path_normalize(&root) < 0) {
		strbuf_release(&root);
		return ERR_INVALID;
	}
	if (root.len)
		strbuf_complete(&root, '/');
	free((char *)a->root);
	a->root = strbuf_detach(&root, NULL);
	return 0;
}

void apply_init(struct apply *a, struct repository *r, const char *prefix)
{
	*a = (struct apply){ .repo = r, .prefix = prefix, .apply = 1, .context = ULONG_MAX, .strip = 1, .ws_most = 5,
			     .limits = STRVEC_INIT, .ws_rule = WS_DEFAULT, .reader = PATCH_READER_INIT };
	a->algo = r ? r->algo : hash_sha1;
	index_init(&a->ix, a->algo);
	strmap_init(&a->table);
}

void apply_release(struct apply *a)
{
	free_patches(a);
	free(a->patches);
	strvec_clear(&a->limits);
	converter_free(a->conv);
	index_release(&a->ix);
}

/* Also with --quiet. */
static int refuse_options(struct apply *a, const char *text)
{
	a->say(a->data, text);
	return -1;
}

static int refuse_option(struct apply *a, const char *option)
{
	char *text = xstrfmt("error: '%s' outside a repository\n", option);

	a->say(a->data, text);
	free(text);
	return -1;
}

/* Do the options go together? */
int apply_check_options(struct apply *a)
{
	if (a->favor && !a->threeway)
		return refuse_options(a, "fatal: --ours, --theirs, and --union require --3way\n");
	if (a->reject && a->threeway)
		return refuse_options(a, "error: options '--reject' and '--3way' cannot be used together\n");
	if (a->threeway && !a->repo)
		return refuse_option(a, "--3way");
	if (a->threeway)
		a->index = 1;
	if (a->reject) {
		a->apply = 1;
		if (!a->verbosity)
			a->verbosity = 1;
	}
	if (!a->force_apply && (a->stat || a->numstat || a->summary || a->check || a->fake_ancestor || a->ancestor))
		a->apply = 0;
	if (a->index && !a->repo)
		return refuse_option(a, "--index");
	if (a->cached && !a->repo)
		return refuse_option(a, "--cached");
	if (a->cached)
		a->index = 1;
	if (a->index || !a->repo)
		a->intent_to_add = 0;
	if (a->index)
		a->unsafe_paths = 0;
	return 0;
}

static void set_up_reader(struct apply *a)
{
	struct patch_reader *r = &a->reader;

	r->strip = a->strip;
	r->strip_known = a->strip_known;
	r->root = a->root;
	r->prefix = a->prefix;
	r->hex_len = a->algo->hex_len;
	r->reverse = a->reverse;
	r->recount = a->recount;
	r->on_header = on_header;
	r->on_line = on_line;
	r->say = say_of_reader;
	r->data = a;
}

/* ---- all inputs ---- */

static void say_squelched(struct apply *a)
{
	size_t more = a->ws_most && a->ws_errors > a->ws_most ? a->ws_errors - a->ws_most : 0;

	if (more)
		apply_say(a, "warning: squelched %zu whitespace error%s\n", more, more == 1 ? "" : "s");
}

static int say_whitespace_errors(struct apply *a)
{
	size_t nr = a->ws_errors;

	if (!nr)
		return 0;
	say_squelched(a);
	if (a->ws == APPLY_WS_ERROR) {
		apply_error(a, "%zu line%s add%s whitespace errors.", nr, nr == 1 ? "" : "s", nr == 1 ? "s" : "");
		return EXIT_BAD;
	}
	if (a->ws_fixed && a->apply)
		apply_say(a, "warning: %zu line%s applied after fixing whitespace errors.\n", a->ws_fixed,
			  a->ws_fixed == 1 ? "" : "s");
	else
		apply_say(a, "warning: %zu line%s add%s whitespace errors.\n", nr, nr == 1 ? "" : "s", nr == 1 ? "s" : "");
	return 0;
}

static int apply_all(struct apply *a, const char *const *names, size_t nr)
{
	int ret = 0, rc = nr ? 0 : apply_input(a, NULL);

	ret |= rc;
	for (size_t i = 0; i < nr && rc >= 0 && rc < EXIT_BAD; i++) {
		rc = apply_input(a, strcmp(names[i], "-") ? names[i] : NULL);
		ret |= rc;
	}
	if (rc >= 0 && rc < EXIT_BAD)
		rc = say_whitespace_errors(a);
	return rc < 0 || rc >= EXIT_BAD ? rc : ret;
}

/* The index is written if all inputs have been applied, or left conflicts. */
static int end_operation(struct apply *a, int rc)
{
	struct err err = ERR_INIT;
	bool stays = rc < 0 || rc >= EXIT_BAD;

	if (!stays && a->update_index)
		repo_operation_set_index(a->op, &a->ix);
	if (stays || !a->update_index) {
		repo_operation_abort(a->op);
		repo_operation_free(a->op);
		return rc;
	}
	if (repo_operation_end(a->op, 0, &err) < 0) {
		apply_error(a, "%s", err_message(&err));
		rc = EXIT_BAD;
	}
	err_release(&err);
	return rc;
}

int apply_run(struct apply *a, const char *const *names, size_t nr)
{
	struct err err = ERR_INIT;
	int rc;

	if (apply_check_options(a) < 0)
		return EXIT_BAD;
	set_up_reader(a);
	if (a->repo && converter_new(&a->conv, a->repo, &a->ix, ATTR_CHECKIN, &err) < 0) {
		apply_error(a, "%s", err_message(&err));
		err_release(&err);
		return EXIT_BAD;
	}
	if (a->repo)
		a->op = repo_operation_begin(a->repo);
	rc = apply_all(a, names, nr);
	if (a->op)
		rc = end_operation(a, rc);
	return rc < 0 ? 1 : rc;
}

/* ---- a patch in memory ---- */

static int apply_patch_text(struct apply *a, const struct strbuf *patch, const char *name)
{
	int rc;

	if (a->ws == APPLY_WS_DEFAULT)
		a->ws = a->apply ? APPLY_WS_WARN : APPLY_WS_NOWARN;
	rc = apply_text(a, patch, name);
	if (rc >= 0 && rc < EXIT_BAD) {
		int spaces = say_whitespace_errors(a);

		rc = spaces ? spaces : rc;
	}
	return rc < 0 ? 1 : rc;
}

static int run_text(struct apply *a, const struct strbuf *text)
{
	struct err err = ERR_INIT;
	int rc = 0;

	set_up_reader(a);
	if (!a->conv)
		rc = converter_new(&a->conv, a->repo, &a->ix, ATTR_CHECKIN, &err);
	if (rc < 0) {
		apply_error(a, "%s", err_message(&err));
		err_release(&err);
		return EXIT_BAD;
	}
	rc = apply_patch_text(a, text, a->input_name ? a->input_name : "<stdin>");
	free_patches(a);
	return rc;
}

int apply_text_to_files(struct apply *a, const struct strbuf *text)
{
	a->index = a->cached = 0;
	if (a->check)
		a->apply = 0;
	return run_text(a, text);
}

int apply_text_to_index(struct apply *a, struct index_state *ix, struct repo_operation *op, const struct strbuf *text)
{
	struct index_state none = a->ix;
	int rc;

	a->index = a->cached = 1;
	if (a->check)
		a->apply = 0;
	a->ix = *ix;
	a->has_index = a->locked = true;
	a->op = op;
	rc = run_text(a, text);
	*ix = a->ix;
	a->ix = none;
	a->op = NULL;
	return rc;
}

/* ---- a series in memory ---- */

static int run_on_series(struct apply *a, struct apply_series *s, const struct strbuf *patch, const char *name)
{
	struct err err = ERR_INIT;
	int rc;

	a->index_with_files = !a->cached;
	a->index = a->cached = 1;
	a->series = s;
	a->op = s->op;
	index_release(&a->ix);
	a->ix = s->ix;
	set_up_reader(a);
	if (converter_new(&a->conv, a->repo, &a->ix, ATTR_CHECKOUT, &err) < 0) {
		apply_error(a, "%s", err_message(&err));
		err_release(&err);
		rc = EXIT_BAD;
	} else {
		rc = apply_patch_text(a, patch, name);
	}
	free_patches(a);
	converter_free(a->conv);
	a->conv = NULL;
	s->ix = a->ix;
	index_init(&a->ix, a->algo);
	return rc;
}

int apply_to_series(struct apply *a, struct apply_series *s, const struct strbuf *patch, const char *name)
{
	int rc = run_on_series(a, s, patch, name);

	return rc && a->writes_begun ? APPLY_SERIES_BROKEN : rc;
}

int apply_find_ancestor(struct apply *a, struct apply_series *s, const struct strbuf *patch, const char *name,
			struct index_state *out)
{
	a->ancestor = out;
	a->apply = 0;
	return run_on_series(a, s, patch, name);
}

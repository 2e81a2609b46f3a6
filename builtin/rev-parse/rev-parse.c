/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * git-rev-parse(1): arguments are answered in the order in which they come, so
 * the whole is one loop that knows what has been said before.
 */
#include "compat/posix.h"
#include "builtin/rev-parse/rev-parse.h"
#include "fs/file.h"
#include "index/pathspec.h"
#include "util/alloc.h"
#include "util/date.h"
#include "util/path.h"
#include "util/quote.h"
#include "history/history.h"
#include "history/reach/refglob.h"
#include "history/names/revparse.h"

/* Kinds of arguments to show. */
#define SHOW_REVS 1u
#define SHOW_NOREV 2u
#define SHOW_FLAGS 4u
#define SHOW_NONFLAGS 8u

enum symbolic { SYMBOLIC_NO, SYMBOLIC_AS_IS, SYMBOLIC_FULL };

struct rev_parse {
	struct repository *repo;
	unsigned filter;
	enum symbolic symbolic;
	enum path_format path_format;
	bool abbrev_ref, abbrev_strict;
	bool invert;	     /* --not */
	bool sq, verify, quiet;
	bool shorten;	     /* --short */
	int abbrev;	     /* digits; -1: automatic */
	bool has_dashdash;
	const char *default_rev; /* until something has been shown */
	const char *output_prefix;
	struct ref_exclusions exclusions;
	/* --verify: what has been seen */
	unsigned nr_revs;
	struct object_id first_oid;
	const char *first_name;
	bool first_negative;
};

/* ---- output ---- */

static void show(struct rev_parse *p, const char *text)
{
	struct strbuf quoted = STRBUF_INIT;

	if (!p->sq) {
		puts(text);
		return;
	}
	sq_quote(&quoted, text);
	fwrite(quoted.buf, 1, quoted.len, stdout);
	putchar(' ');
	strbuf_release(&quoted);
}

static void show_signed(struct rev_parse *p, bool negative, const char *text)
{
	struct strbuf out = STRBUF_INIT;

	if (negative != p->invert) {
		if (p->sq)
			putchar('^'); /* outside of the quotes */
		else
			strbuf_addch(&out, '^');
	}
	strbuf_addstr(&out, text);
	show(p, out.buf);
	strbuf_release(&out);
}

/* The ref that name stands for, in full or shortened; nothing if it is none. */
static void show_ref_name(struct rev_parse *p, bool negative, const char *name)
{
	struct err err = ERR_INIT;
	char *full = NULL, *shown;
	int nr = revparse_ref(p->repo, name, strlen(name), &full, NULL, &err);

	if (nr < 0)
		die_err(&err);
	if (nr > 1) {
		error("refname '%s' is ambiguous", name);
	} else if (nr == 1) {
		shown = p->abbrev_ref ? ref_shorten(p->repo->refs, full, p->abbrev_strict) : xstrdup(full);
		show_signed(p, negative, shown);
		free(shown);
	}
	free(full);
}

static void show_rev(struct rev_parse *p, bool negative, const struct object_id *oid,
		     const char *name)
{
	struct strbuf hex = STRBUF_INIT;

	if (!(p->filter & SHOW_REVS))
		return;
	p->default_rev = NULL;
	if (name && (p->symbolic == SYMBOLIC_FULL || p->abbrev_ref)) {
		show_ref_name(p, negative, name);
	} else if (name && p->symbolic == SYMBOLIC_AS_IS) {
		show_signed(p, negative, name);
	} else {
		if (p->shorten)
			odb_abbrev(p->repo->odb, oid, p->abbrev, &hex);
		else
			strbuf_add_oid(&hex, oid);
		show_signed(p, negative, hex.buf);
		strbuf_release(&hex);
	}
}

static bool parse_rev(struct rev_parse *p, const char *name, enum object_type hint,
		      struct object_id *oid)
{
	struct revparse_result res;
	struct err err = ERR_INIT;
	int rc = revparse_quietly(p->repo, name, hint, &res, &err);

	if (!rc) {
		*oid = res.oid;
		revparse_result_release(&res);
		return true;
	}
	/* Certain to be a revision, and certain not to exist. */
	if (rc == ERR_INVALID || rc == ERR_CORRUPT) {
		if (p->quiet && starts_with(err_message(&err), "log for "))
			exit(128);
		die_err(&err);
	}
	if (rc == ERR_AMBIGUOUS && !p->quiet)
		report_preface(&err);
	else if (err.msg && rc != ERR_AMBIGUOUS && !p->quiet)
		error("%s", err_message(&err));
	err_release(&err);
	return false;
}

/* --default, when it turns out that nothing else is shown. */
static bool show_default(struct rev_parse *p)
{
	const char *name = p->default_rev;
	struct object_id oid;

	p->default_rev = NULL;
	if (!name || !parse_rev(p, name, OBJ_ANY, &oid))
		return false;
	show_rev(p, false, &oid, name);
	return true;
}

/* Options that git rev-list takes, with or without a value behind "=". */
static bool is_rev_list_flag(const char *arg)
{
	static const char *const exact[] = {
		"--all", "--bisect", "--branches", "--date-order", "--dense", "--header",
		"--ignore-missing", "--no-max-parents", "--no-merges", "--no-min-parents",
		"--objects", "--objects-edge", "--parents", "--pretty", "--remotes", "--sparse",
		"--tags", "--topo-order", "--unpacked",
	};
	static const char *const with_value[] = {
		"--max-age=", "--max-count=", "--max-parents=", "--min-age=", "--min-parents=",
	};
	size_t i;

	if (arg[1] == 'n' || isdigit((unsigned char)arg[1]))
		return true;
	for (i = 0; i < ARRAY_SIZE(exact); i++)
		if (!strcmp(arg, exact[i]))
			return true;
	for (i = 0; i < ARRAY_SIZE(with_value); i++)
		if (starts_with(arg, with_value[i]))
			return true;
	return false;
}

static bool show_flag(struct rev_parse *p, const char *arg)
{
	if (!(p->filter & SHOW_FLAGS))
		return false;
	if (!(p->filter & (is_rev_list_flag(arg) ? SHOW_REVS : SHOW_NOREV)))
		return false;
	show(p, arg);
	return true;
}

/* False: the output is not to have paths, so they are not looked at, either. */
static bool show_file(struct rev_parse *p, const char *arg)
{
	struct strbuf path = STRBUF_INIT;

	show_default(p);
	if ((p->filter & (SHOW_NONFLAGS | SHOW_NOREV)) != (SHOW_NONFLAGS | SHOW_NOREV))
		return false;
	if (p->output_prefix && !is_absolute_path(arg))
		strbuf_addstr(&path, p->output_prefix);
	strbuf_addstr(&path, arg);
	show(p, path.buf);
	strbuf_release(&path);
	return true;
}

/* Like show_file(), for an argument that is no path. */
static void show_mark(struct rev_parse *p, const char *arg)
{
	const char *prefix = p->output_prefix;

	p->output_prefix = NULL;
	show_file(p, arg);
	p->output_prefix = prefix;
}

/* ---- paths ---- */

static bool path_exists(const struct rev_parse *p, const char *arg)
{
	const char *prefix = p->output_prefix ? p->output_prefix : p->repo->prefix;

	return path_arg_is_pattern(arg) || path_arg_exists(prefix, arg);
}

/* diagnose: it could have been a revision as well. */
static void verify_filename(struct rev_parse *p, const char *arg, bool diagnose)
{
	struct err err = ERR_INIT;

	if (*arg == '-')
		die("option '%s' must come before non-option arguments", arg);
	if (path_exists(p, arg))
		return;
	if (!diagnose)
		die("%s: no such path in the working tree.\n"
		    "Use 'git <command> -- <path>...' to specify paths that do not exist locally.",
		    arg);
	/* Again, for the message. The candidates of an abbreviation have been printed before. */
	{
		struct revparse_result res;

		if (revparse(p->repo, arg, OBJ_ANY, &res, &err) < 0)
			die("%s", err_message(&err));
		revparse_result_release(&res);
	}
}

/* ---- revisions ---- */

static NORETURN void die_no_single_rev(const struct rev_parse *p)
{
	if (p->quiet) {
		set_exit_code(1);
		exit(1);
	}
	die("Needed a single revision");
}

/* False: an end is no commit. */
static bool show_merge_bases(struct rev_parse *p, const struct object_id *a,
			     const struct object_id *b)
{
	struct commit_list bases = COMMIT_LIST_INIT;
	struct commit_pool *pool;
	struct err err = ERR_INIT;
	struct object_id ca, cb;
	struct commit *other;
	size_t i;

	if (object_peel(odb_source(p->repo->odb), a, OBJ_COMMIT, &ca, NULL, NULL) < 0 ||
	    object_peel(odb_source(p->repo->odb), b, OBJ_COMMIT, &cb, NULL, NULL) < 0)
		return false;
	if (commit_pool_new(&pool, p->repo, &err) < 0)
		die_err(&err);
	other = commit_lookup(pool, &cb);
	if (merge_bases(pool, commit_lookup(pool, &ca), &other, 1, &bases, &err) < 0)
		die_err(&err);
	for (i = 0; i < bases.nr; i++)
		show_rev(p, true, &bases.items[i]->oid, NULL);
	commit_list_clear(&bases);
	commit_pool_free(pool);
	return true;
}

/* "a..b": b ^a; "a...b": b a and what they have in common negated. */
static bool try_range(struct rev_parse *p, const char *arg)
{
	const char *dots = strstr(arg, ".."), *start, *end;
	struct object_id start_oid, end_oid;
	bool symmetric, found;
	char *copy;

	/* ".." is a directory */
	if (!dots || (dots == arg && !dots[2]))
		return false;
	symmetric = dots[2] == '.';
	copy = xstrndup(arg, dots - arg);
	start = *copy ? copy : "HEAD";
	end = dots + 2 + symmetric;
	if (!*end)
		end = "HEAD";
	found = parse_rev(p, start, OBJ_COMMIT, &start_oid) &&
		parse_rev(p, end, OBJ_COMMIT, &end_oid);
	if (found) {
		show_rev(p, false, &end_oid, end);
		show_rev(p, !symmetric, &start_oid, start);
		if (symmetric)
			found = show_merge_bases(p, &start_oid, &end_oid);
	}
	free(copy);
	return found;
}

enum parent_form { FORM_NONE, FORM_ALL, FORM_ONLY, FORM_MINUS };

/* "x^@", "x^!", "x^-3": where the '^' is, and the number. */
static enum parent_form parse_parent_form(const char *arg, size_t *base, unsigned *n)
{
	size_t len = strlen(arg), at;

	*n = 1;
	if (len > 2 && !strcmp(arg + len - 2, "^@"))
		return *base = len - 2, FORM_ALL;
	if (len > 2 && !strcmp(arg + len - 2, "^!"))
		return *base = len - 2, FORM_ONLY;
	at = len;
	while (at && isdigit((unsigned char)arg[at - 1]))
		at--;
	if (at < 3 || arg[at - 1] != '-' || arg[at - 2] != '^')
		return FORM_NONE;
	if (at < len)
		*n = strtoul(arg + at, NULL, 10);
	*base = at - 2;
	return *n ? FORM_MINUS : FORM_NONE;
}

static void show_parents(struct rev_parse *p, const char *name, const struct object_id *oid,
			 const struct commit *c, enum parent_form form, unsigned n)
{
	uint32_t i;

	if (form != FORM_ALL)
		show_rev(p, false, oid, name);
	for (i = 0; i < c->nr_parents; i++) {
		char *parent;

		if (form == FORM_MINUS && i + 1 != n)
			continue;
		parent = xstrfmt("%s^%u", name, i + 1);
		show_rev(p, form != FORM_ALL, &c->parents[i]->oid,
			 p->symbolic ? parent : NULL);
		free(parent);
	}
}

static bool try_parents(struct rev_parse *p, const char *arg)
{
	enum parent_form form;
	struct commit_pool *pool;
	struct err err = ERR_INIT;
	struct object_id oid, commit;
	struct commit *c;
	bool found = false;
	size_t base;
	unsigned n;
	char *name;

	form = parse_parent_form(arg, &base, &n);
	if (form == FORM_NONE)
		return false;
	name = xstrndup(arg, base);
	if (parse_rev(p, name, OBJ_COMMIT, &oid) &&
	    !object_peel(odb_source(p->repo->odb), &oid, OBJ_COMMIT, &commit, NULL, NULL)) {
		if (commit_pool_new(&pool, p->repo, &err) < 0)
			die_err(&err);
		c = commit_lookup(pool, &commit);
		found = !commit_parse_node(pool, c, NULL) &&
			(form != FORM_MINUS || n <= c->nr_parents);
		if (found)
			show_parents(p, name, &oid, c, form, n);
		commit_pool_free(pool);
	}
	free(name);
	return found;
}

static bool try_rev(struct rev_parse *p, const char *arg)
{
	bool negative = *arg == '^';
	struct object_id oid;

	if (try_range(p, arg) || try_parents(p, arg))
		return true;
	if (!parse_rev(p, arg + negative, OBJ_ANY, &oid))
		return false;
	if (!p->verify) {
		show_rev(p, negative, &oid, arg + negative);
		return true;
	}
	if (!p->nr_revs++) {
		p->first_oid = oid;
		p->first_name = arg + negative;
		p->first_negative = negative;
	}
	return true;
}

/* ---- refs ---- */

static int on_ref(void *data, const struct ref *ref)
{
	show_rev(data, false, &ref->oid, ref->name);
	return 0;
}

struct below {
	struct rev_parse *p;
	size_t skip; /* bytes of the prefix */
};

static int on_ref_below(void *data, const struct ref *ref)
{
	struct below *b = data;

	/* --branches --symbolic: "main", not "refs/heads/main" */
	show_rev(b->p, false, &ref->oid, ref->name + b->skip);
	return 0;
}

static void show_matching(struct rev_parse *p, const char *prefix, const char *pattern,
			  const struct ref_exclusions *exclusions)
{
	struct below b = { p, strlen(prefix) };
	struct err err = ERR_INIT;

	if (refs_foreach_glob(p->repo, prefix, pattern, exclusions, REFS_ALL_ROOTS,
			      *prefix ? on_ref_below : on_ref,
			      *prefix ? (void *)&b : (void *)p, &err) < 0)
		die_err(&err);
}

static void show_refs(struct rev_parse *p, const char *prefix, const char *pattern)
{
	show_matching(p, prefix, pattern, &p->exclusions);
	ref_exclusions_clear(&p->exclusions);
}

static bool ref_option(struct rev_parse *p, const char *arg)
{
	static const struct { const char *name, *prefix; } kinds[] = {
		{ "--branches", "refs/heads/" },
		{ "--tags", "refs/tags/" },
		{ "--remotes", "refs/remotes/" },
	};
	struct err err = ERR_INIT;
	const char *value;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (!skip_prefix(arg, kinds[i].name, &value) || (*value && *value != '='))
			continue;
		if (p->exclusions.hidden_configured) {
			error("options '%s' and '%s' cannot be used together", "--exclude-hidden", kinds[i].name);
			exit(255); /* as Git's rev-parse, and it alone */
		}
		show_refs(p, kinds[i].prefix, *value ? value + 1 : NULL);
		return true;
	}
	if (!strcmp(arg, "--all")) {
		show_refs(p, "", NULL);
	} else if (skip_prefix(arg, "--glob=", &value)) {
		show_refs(p, "", value);
	} else if (skip_prefix(arg, "--exclude=", &value)) {
		ref_exclusions_add(&p->exclusions, value);
	} else if (skip_prefix(arg, "--exclude-hidden=", &value)) {
		if (ref_exclusions_hide(&p->exclusions, p->repo, value, &err) < 0)
			die_err(&err);
	} else if (!strcmp(arg, "--bisect")) {
		show_matching(p, "", "refs/bisect/bad*", &p->exclusions);
		p->invert = !p->invert;
		show_matching(p, "", "refs/bisect/good*", NULL);
		p->invert = !p->invert;
	} else {
		return false;
	}
	return true;
}

static void disambiguate(struct rev_parse *p, const char *prefix)
{
	struct oid_array oids = OID_ARRAY_INIT;
	char lower[HASH_MAX_HEX + 1];
	struct err err = ERR_INIT;
	size_t len = strlen(prefix), i;

	if (len < 4 || len > p->repo->algo->hex_len)
		return;
	for (i = 0; i < len; i++) {
		if (hex_value((unsigned char)prefix[i]) < 0)
			return;
		lower[i] = tolower((unsigned char)prefix[i]);
	}
	lower[len] = '\0';
	if (odb_prefix_lookup(p->repo->odb, lower, len, &oids, &err) < 0)
		die_err(&err);
	for (i = 0; i < oids.nr; i++)
		show_rev(p, false, &oids.oid[i], NULL);
	oid_array_clear(&oids);
}

/* ---- options ---- */

static void set_abbrev_ref(struct rev_parse *p, const char *value)
{
	p->abbrev_ref = true;
	p->abbrev_strict = true;
	config_get_bool(p->repo->config, "core.warnambiguousrefs", &p->abbrev_strict, NULL);
	if (!*value)
		return;
	if (!strcmp(value, "=strict"))
		p->abbrev_strict = true;
	else if (!strcmp(value, "=loose"))
		p->abbrev_strict = false;
	else
		die("unknown mode for --abbrev-ref: %s", value + 1);
}

static void set_short(struct rev_parse *p, const char *value)
{
	p->filter &= ~(SHOW_FLAGS | SHOW_NOREV);
	p->verify = p->shorten = true;
	p->abbrev = p->repo->settings.abbrev;
	if (*value != '=')
		return;
	p->abbrev = atoi(value + 1);
	if (p->abbrev < 4)
		p->abbrev = 4;
	if (p->abbrev > (int)p->repo->algo->hex_len)
		p->abbrev = p->repo->algo->hex_len;
}

static void show_date(struct rev_parse *p, const char *option, const char *text)
{
	struct strbuf out = STRBUF_INIT;

	if (p->filter & SHOW_NOREV || p->filter & SHOW_REVS) {
		strbuf_addf(&out, "%s%" PRIu64, option, date_approxidate(text, NULL));
		show(p, out.buf);
		strbuf_release(&out);
	}
}

/* What changes the way of showing; how many arguments it took, 0: none of these. */
static int mode_option(struct rev_parse *p, const char *arg, const char *next)
{
	const char *value;

	if (!strcmp(arg, "--default")) {
		if (!next)
			die("--default requires an argument");
		p->default_rev = next;
		return 2;
	}
	if (!strcmp(arg, "--prefix")) {
		if (!next)
			die("--prefix requires an argument");
		p->output_prefix = next;
		free(p->repo->prefix); /* names like "HEAD:./file" begin there, too */
		p->repo->prefix = xstrdup(next);
		return 2;
	}
	if (!strcmp(arg, "--revs-only"))
		p->filter &= ~SHOW_NOREV;
	else if (!strcmp(arg, "--no-revs"))
		p->filter &= ~SHOW_REVS;
	else if (!strcmp(arg, "--flags"))
		p->filter &= ~SHOW_NONFLAGS;
	else if (!strcmp(arg, "--no-flags"))
		p->filter &= ~SHOW_FLAGS;
	else if (!strcmp(arg, "--verify"))
		p->filter &= ~(SHOW_FLAGS | SHOW_NOREV), p->verify = true;
	else if (!strcmp(arg, "--quiet") || !strcmp(arg, "-q"))
		p->quiet = true;
	else if (skip_prefix(arg, "--short", &value) && (!*value || *value == '='))
		set_short(p, value);
	else if (!strcmp(arg, "--sq"))
		p->sq = true;
	else if (!strcmp(arg, "--not"))
		p->invert = !p->invert;
	else if (!strcmp(arg, "--symbolic"))
		p->symbolic = SYMBOLIC_AS_IS;
	else if (!strcmp(arg, "--symbolic-full-name"))
		p->symbolic = SYMBOLIC_FULL;
	else if (skip_prefix(arg, "--abbrev-ref", &value) && (!*value || *value == '='))
		set_abbrev_ref(p, value);
	else
		return 0;
	return 1;
}

static bool value_option(struct rev_parse *p, const char *arg)
{
	const char *value;

	if (skip_prefix(arg, "--since=", &value) || skip_prefix(arg, "--after=", &value))
		show_date(p, "--max-age=", value);
	else if (skip_prefix(arg, "--until=", &value) || skip_prefix(arg, "--before=", &value))
		show_date(p, "--min-age=", value);
	else if (skip_prefix(arg, "--disambiguate=", &value))
		disambiguate(p, value);
	else
		return ref_option(p, arg);
	return true;
}

static int option(struct rev_parse *p, const char *arg, const char *next)
{
	int used;

	if (!strcmp(arg, "-n")) {
		if (!next)
			die("-n requires an argument");
		if ((p->filter & SHOW_FLAGS) && (p->filter & SHOW_REVS)) {
			show(p, arg);
			show(p, next);
		}
		return 2;
	}
	used = mode_option(p, arg, next);
	if (!used)
		used = rev_parse_place_option(p->repo, arg, next, &p->path_format);
	if (!used)
		used = value_option(p, arg);
	if (!used) {
		if (show_flag(p, arg) && p->verify)
			die_no_single_rev(p);
		used = 1;
	}
	return used;
}

/* ---- the loop ---- */

static int finish(struct rev_parse *p)
{
	if (p->verify) {
		if (p->nr_revs == 1) {
			show_rev(p, p->first_negative, &p->first_oid, p->first_name);
			return 0;
		}
		if (!p->nr_revs && show_default(p))
			return 0;
		die_no_single_rev(p);
	}
	show_default(p);
	return 0;
}

static int parse_arguments(struct rev_parse *p, int argc, const char **argv)
{
	bool paths = false, no_more_options = false, after_dashdash = false;
	int i;

	for (i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--")) {
			p->has_dashdash = true;
			break;
		}
	for (i = 1; i < argc; i++) {
		const char *arg = argv[i];

		if (paths) {
			if (show_file(p, arg) && !after_dashdash)
				verify_filename(p, arg, false);
			continue;
		}
		if (*arg == '-' && !no_more_options && strcmp(arg, "--")) {
			if (!strcmp(arg, "--end-of-options")) {
				no_more_options = true;
				if (p->filter & (SHOW_FLAGS | SHOW_REVS) && !p->verify)
					show_file(p, arg);
				continue;
			}
			i += option(p, arg, argv[i + 1]) - 1;
			continue;
		}
		if (!strcmp(arg, "--")) {
			paths = after_dashdash = true;
			if (p->filter & (SHOW_FLAGS | SHOW_REVS))
				show_mark(p, arg);
			continue;
		}
		if (try_rev(p, arg))
			continue;
		if (p->verify)
			die_no_single_rev(p);
		if (p->has_dashdash)
			die("bad revision '%s'", arg);
		paths = true;
		if (!show_file(p, arg))
			break;
		verify_filename(p, arg, true);
	}
	return finish(p);
}

static const char usage_text[] =
	"usage: git rev-parse --parseopt [<options>] -- [<args>...]\n"
	"   or: git rev-parse --sq-quote [<arg>...]\n"
	"   or: git rev-parse [<options>] [<arg>...]\n"
	"\n"
	"Run \"git rev-parse --parseopt -h\" for more information on the first usage.\n";

int cmd_rev_parse(int argc, const char **argv, struct command_ctx *ctx)
{
	struct rev_parse p = {
		.repo = ctx->repo, .filter = ~0u, .exclusions = REF_EXCLUSIONS_INIT,
	};
	int rc;

	if (argc > 1 && !strcmp(argv[1], "--parseopt"))
		return rev_parse_parseopt(argc - 1, argv + 1);
	if (argc > 1 && !strcmp(argv[1], "--sq-quote"))
		return rev_parse_sq_quote(argc - 2, argv + 2);
	if (argc > 1 && !strcmp(argv[1], "-h")) {
		fputs(usage_text, stdout);
		return 129;
	}
	/* these two need no repository */
	if (argc == 2 && !strcmp(argv[1], "--local-env-vars"))
		return rev_parse_place_option(p.repo, argv[1], NULL, &p.path_format) ? 0 : 128;
	if (argc == 3 && !strcmp(argv[1], "--resolve-git-dir"))
		return rev_parse_place_option(p.repo, argv[1], argv[2], &p.path_format) ? 0 : 128;
	if (!p.repo) {
		/* There is none: print the reason this time. */
		struct err err = ERR_INIT;

		if (repo_open(&p.repo, &(struct repo_open_options){ .lenient = false }, &err) < 0)
			die_err(&err);
	}
	rc = parse_arguments(&p, argc, argv);
	ref_exclusions_clear(&p.exclusions);
	return rc;
}

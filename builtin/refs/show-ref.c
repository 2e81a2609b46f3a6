/* SPDX-License-Identifier: GPL-2.0-only */
/* git-show-ref(1) */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "history/reach/refglob.h"
#include "history/names/revparse.h"
#include "util/map.h"

static const char *const usage[] = {
	"git show-ref [--head] [-d | --dereference]\n"
	"             [-s | --hash[=<n>]] [--abbrev[=<n>]] [--branches] [--tags]\n"
	"             [--] [<pattern>...]",
	"git show-ref --verify [-q | --quiet] [-d | --dereference]\n"
	"             [-s | --hash[=<n>]] [--abbrev[=<n>]]\n"
	"             [--] [<ref>...]",
	"git show-ref --exclude-existing[=<pattern>]",
	"git show-ref --exists <ref>",
	NULL
};

struct show_ref {
	struct repository *repo;
	int quiet, head, heads, tags, dereference, hash_only, verify, exists;
	int abbrev; /* 0: whole names; -1: automatic */
	const char *exclude; /* "" without a pattern; NULL: other modes */
	const char **patterns;
	size_t nr_patterns, found;
	struct strbuf line; /* that is shown: one after the other */
};

/* ---- showing ---- */

static void show_line(struct show_ref *s, const struct object_id *oid, const char *name,
		      const char *behind)
{
	struct strbuf *line = &s->line;

	strbuf_reset(line);
	if (s->abbrev)
		odb_abbrev(s->repo->odb, oid, s->abbrev < 0 ? s->repo->settings.abbrev : s->abbrev,
			   line);
	else
		strbuf_add_oid(line, oid);
	if (name) {
		strbuf_addch(line, ' ');
		strbuf_addstr(line, name);
		strbuf_addstr(line, behind);
	}
	strbuf_addch(line, '\n');
	fwrite(line->buf, 1, line->len, stdout);
}

static void show_one(struct show_ref *s, const char *name, const struct ref *ref)
{
	struct object_id peeled;

	if (!odb_has(s->repo->odb, &ref->oid))
		die("git show-ref: bad ref %s (%s)", name, oid_hex(&ref->oid));
	if (s->quiet)
		return;
	show_line(s, &ref->oid, s->hash_only ? NULL : name, "");
	if (!s->dereference)
		return;
	peeled = ref->peeled;
	if (oid_is_null(&peeled) && ref->flags & REF_PEEL_KNOWN)
		return;
	if (oid_is_null(&peeled) &&
	    (object_peel_as_named(odb_source(s->repo->odb), &ref->oid, &peeled, NULL) < 0 ||
	     oid_eq(&peeled, &ref->oid)))
		return;
	show_line(s, &peeled, name, "^{}");
}

/* Patterns match whole components at the end of the name. */
static bool matches(const struct show_ref *s, const char *name)
{
	size_t len = strlen(name), i;

	for (i = 0; i < s->nr_patterns; i++) {
		size_t n = strlen(s->patterns[i]);

		if (n <= len && !strcmp(name + len - n, s->patterns[i]) &&
		    (n == len || name[len - n - 1] == '/'))
			return true;
	}
	return !s->nr_patterns;
}

static int visit(void *data, const struct ref *ref)
{
	struct show_ref *s = data;

	if (s->head && !strcmp(ref->name, "HEAD"))
		; /* whatever the patterns say */
	else if (!matches(s, ref->name))
		return 0;
	if ((ref->flags & REF_IS_SYMREF) && (ref->flags & REF_IS_BROKEN))
		return 0; /* leads to a branch that is not born */
	s->found++;
	show_one(s, ref->name, ref);
	return 0;
}

static int visit_head(struct show_ref *s)
{
	struct err err = ERR_INIT;
	int rc = ref_visit_head(s->repo, visit, s, &err);

	if (rc < 0)
		die_err(&err);
	return rc;
}

static int show_all(struct show_ref *s)
{
	static char buf[1 << 16]; /* 100,000 refs in a hundred writes */
	struct ref_store *refs = s->repo->refs;
	unsigned flags = REFS_INCLUDE_BROKEN | (s->dereference ? 0 : REFS_NO_PEEL);
	struct err err = ERR_INIT;
	int rc = 0;

	setvbuf(stdout, buf, _IOFBF, sizeof(buf));
	if (s->head)
		rc = visit_head(s);
	if (s->heads || s->tags) {
		if (!rc && s->heads)
			rc = refs_foreach(refs, "refs/heads/", flags, visit, s, &err);
		if (!rc && s->tags)
			rc = refs_foreach(refs, "refs/tags/", flags, visit, s, &err);
	} else if (!rc) {
		rc = refs_foreach(refs, "", flags, visit, s, &err);
	}
	if (rc < 0)
		return report_fatal(&err);
	return s->found ? 0 : 1;
}

/* ---- --verify, --exists ---- */

/* HEAD, FETCH_HEAD, AUTO_MERGE and names like these. */
static bool is_capital(const char *name)
{
	return strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == strlen(name);
}

static int show_ref_verify(struct show_ref *s)
{
	size_t i;

	if (!s->nr_patterns)
		die("--verify requires a reference");
	for (i = 0; i < s->nr_patterns; i++) {
		const char *name = s->patterns[i];
		struct ref ref = { .name = name, .peeled = s->repo->algo->null_oid };

		if ((starts_with(name, "refs/") || is_capital(name)) &&
		    !ref_resolve(s->repo->refs, name, &ref.oid, NULL, NULL, NULL))
			show_one(s, name, &ref);
		else if (s->quiet)
			return 1;
		else
			die("'%s' - not a valid ref", name);
	}
	return 0;
}

static int check_existence(struct show_ref *s)
{
	struct err err = ERR_INIT;
	struct object_id oid;
	char *target = NULL;
	int rc;

	if (s->nr_patterns != 1)
		die("--exists requires exactly one reference");
	rc = ref_read_raw(s->repo->refs, s->patterns[0], &oid, &target, &err);
	free(target);
	if (rc == ERR_NOT_FOUND) {
		error("reference does not exist");
		err_release(&err);
		return 2;
	}
	if (rc == ERR_CORRUPT) /* broken, but there */
		rc = 0;
	if (rc < 0) {
		err_prefix(&err, "failed to look up reference");
		return report_error(&err);
	}
	err_release(&err);
	return 0;
}

/* ---- --exclude-existing ---- */

static int show_ref_collect_name(void *data, const struct ref *ref)
{
	strset_add(data, ref->name);
	return 0;
}

/* From "<anything> NAME^{}", the name. */
static const char *name_of_line(struct strbuf *line)
{
	const char *s;

	strbuf_strip_suffix(line, "^{}");
	for (s = line->buf + line->len; s > line->buf; s--)
		if (isspace((unsigned char)s[-1]))
			break;
	return s;
}

static int exclude_existing(struct show_ref *s)
{
	struct strset existing = STRSET_INIT;
	struct strbuf line = STRBUF_INIT;
	struct err err = ERR_INIT;

	if (refs_foreach(s->repo->refs, "", REFS_NO_PEEL, show_ref_collect_name, &existing,
			 &err) < 0)
		return report_fatal(&err);
	while (strbuf_getline_lf(&line, stdin) >= 0) {
		const char *name = name_of_line(&line);

		if (!starts_with(name, s->exclude))
			continue;
		if (!refname_is_valid(name, 0))
			warning("ref '%s' ignored", name);
		else if (!strset_contains(&existing, name))
			puts(line.buf);
	}
	strset_clear(&existing);
	strbuf_release(&line);
	return 0;
}

/* ---- options ---- */

static int parse_abbrev(const struct option *opt, const char *arg, int *out)
{
	int n;

	if (!arg) {
		*out = -1;
		return 0;
	}
	if (!parse_int_strict(arg, &n))
		return error("option `%s' expects a numerical value", opt->long_name);
	*out = n && n < 4 ? 4 : n;
	return 0;
}

static int on_abbrev(const struct option *opt, const char *arg, int unset)
{
	struct show_ref *s = opt->value;

	if (unset) {
		s->abbrev = 0;
		return 0;
	}
	return parse_abbrev(opt, arg, &s->abbrev);
}

static int on_hash(const struct option *opt, const char *arg, int unset UNUSED)
{
	struct show_ref *s = opt->value;

	s->hash_only = 1; /* by --no-hash as well, as in Git */
	return arg ? parse_abbrev(opt, arg, &s->abbrev) : 0;
}

static int on_exclude(const struct option *opt, const char *arg, int unset)
{
	struct show_ref *s = opt->value;

	s->exclude = unset ? NULL : arg ? arg : "";
	return 0;
}

int cmd_show_ref(int argc, const char **argv, struct command_ctx *ctx)
{
	struct show_ref s = { .repo = ctx->repo, .line = STRBUF_INIT };
	struct option options[] = {
		OPT_BOOL(0, "tags", &s.tags, "only show tags (can be combined with branches)"),
		OPT_BOOL(0, "branches", &s.heads, "only show branches (can be combined with tags)"),
		{ .type = OPTION_BOOL, .long_name = "heads", .value = OPT_VALUE(int, &s.heads), .defval = 1,
		  .help = "the same as --branches" },
		OPT_BOOL(0, "exists", &s.exists, "check for reference existence without resolving"),
		OPT_BOOL(0, "verify", &s.verify, "stricter reference checking, requires exact ref path"),
		OPT_BOOL(0, "head", &s.head,
			 "show the HEAD reference, even if it would be filtered out"),
		OPT_BOOL('d', "dereference", &s.dereference, "dereference tags into object IDs"),
		OPT_CALLBACK_F('s', "hash", &s, "n", "only show SHA1 hash using <n> digits",
			       PARSE_OPT_OPTARG, on_hash),
		OPT_CALLBACK_F(0, "abbrev", &s, "n", "use <n> digits to display object names",
			       PARSE_OPT_OPTARG, on_abbrev),
		OPT_BOOL('q', "quiet", &s.quiet,
			 "do not print results to stdout (useful with --verify)"),
		OPT_CALLBACK_F(0, "exclude-existing", &s, "pattern",
			       "show refs from stdin that aren't in local repository",
			       PARSE_OPT_OPTARG, on_exclude),
		{ OPTION_BOOL, 'h', NULL, OPT_VALUE(int, &s.head), NULL, NULL, PARSE_OPT_HIDDEN, NULL, 1 },
		OPT_END()
	};
	int rc;

	if (argc == 2 && !strcmp(argv[1], "-h")) /* among others it is --head */
		usage_on_stdout(usage, options);
	argc = parse_options(argc, argv, options, usage, 0);
	s.patterns = argv;
	s.nr_patterns = argc;
	if (!!s.exclude + s.verify + s.exists > 1)
		die("only one of '%s', '%s' or '%s' can be given", "--exclude-existing",
		    "--verify", "--exists");
	if (s.exclude)
		return exclude_existing(&s);
	if (s.exists)
		return check_existence(&s);
	rc = s.verify ? show_ref_verify(&s) : show_all(&s);
	strbuf_release(&s.line);
	return rc;
}

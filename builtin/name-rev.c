/* SPDX-License-Identifier: GPL-2.0-only */
/* git-name-rev(1) */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "history/describe/rev-names.h"
#include "history/names/revparse.h"
#include "util/alloc.h"

static const char *const usage[] = {
	"git name-rev [<options>] <commit>...",
	"git name-rev [<options>] --all",
	"git name-rev [<options>] --annotate-stdin",
	NULL
};

struct wanted {
	const char *arg;
	struct object_id oid;
	struct commit *commit; /* NULL: it is no commit */
};

struct name_rev {
	struct repository *repo;
	struct commit_pool *pool;
	struct rev_names *names;
	struct wanted *wanted;
	size_t nr;
	int name_only, undefined, always, peel_tag;
	struct strbuf name;
};

/* ---- objects to name ---- */

/* False: a word has been said about it, and it is left out. */
static bool find_object(struct name_rev *c, const char *arg, struct wanted *out)
{
	struct object_id commit;
	enum object_type type;
	uint64_t size;

	out->arg = arg;
	out->commit = NULL;
	if (revparse_oid(c->repo, arg, &out->oid, NULL) < 0) {
		fprintf(stderr, "Could not get sha1 for %s. Skipping.\n", arg);
		return false;
	}
	if (odb_type(c->repo->odb, &out->oid, &type, &size, NULL) < 0) {
		fprintf(stderr, "Could not get object for %s. Skipping.\n", arg);
		return false;
	}
	if (!object_peel(odb_source(c->repo->odb), &out->oid, OBJ_COMMIT, &commit, NULL, NULL)) {
		out->commit = commit_lookup(c->pool, &commit);
		if (commit_parse_node(c->pool, out->commit, NULL) < 0)
			out->commit = NULL;
	}
	if (c->peel_tag && !out->commit) {
		fprintf(stderr, "Could not get commit for %s. Skipping.\n", arg);
		return false;
	}
	if (out->commit)
		rev_names_want(c->names, out->commit);
	if (c->peel_tag || type == OBJ_COMMIT)
		out->oid = out->commit ? out->commit->oid : out->oid;
	else
		out->commit = NULL; /* a tag is called by its own name */
	return true;
}

static void find_objects(struct name_rev *c, int argc, const char **argv)
{
	ALLOC_ARRAY(c->wanted, (size_t)argc + 1);
	for (int i = 0; i < argc; i++)
		if (find_object(c, argv[i], &c->wanted[c->nr]))
			c->nr++;
}

/* ---- output ---- */

static int name_rev_show(struct name_rev *c, const char *arg, const struct object_id *oid,
			 const struct commit *commit, struct err *err)
{
	struct strbuf *out = &c->name;

	if (!c->name_only)
		printf("%s ", arg ? arg : oid_hex(oid));
	strbuf_reset(out);
	if (!(commit ? rev_names_commit(c->names, commit, out) :
		       rev_names_object(c->names, oid, out))) {
		if (c->undefined)
			strbuf_addstr(out, "undefined");
		else if (c->always)
			odb_abbrev(c->repo->odb, oid, c->repo->settings.abbrev, out);
		else
			return err_set(err, ERR_NOT_FOUND, "cannot describe '%s'", oid_hex(oid));
	}
	puts(out->buf);
	return 0;
}

static int show_wanted(struct name_rev *c, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < c->nr; i++)
		rc = name_rev_show(c, c->wanted[i].arg, &c->wanted[i].oid, c->wanted[i].commit,
				   err);
	return rc;
}

struct show_all {
	struct name_rev *c;
	struct err *err;
};

static int show_one_of_all(void *data, struct commit *commit)
{
	struct show_all *a = data;

	return name_rev_show(a->c, NULL, &commit->oid, commit, a->err);
}

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

/* The text up to the end of a full object name; the name behind it, or in its place. */
static void annotate(struct name_rev *c, const char *from, const char *end)
{
	size_t hex_len = c->repo->algo->hex_len;
	struct object_id oid;

	strbuf_reset(&c->name);
	if (oid_parse_hex(&oid, end - hex_len, c->repo->algo, NULL) < 0 ||
	    !rev_names_get(c->names, &oid, &c->name)) {
		fwrite(from, 1, (size_t)(end - from), stdout);
	} else if (c->name_only) {
		fwrite(from, 1, (size_t)(end - from) - hex_len, stdout);
		fwrite(c->name.buf, 1, c->name.len, stdout);
	} else {
		fwrite(from, 1, (size_t)(end - from), stdout);
		printf(" (%s)", c->name.buf);
	}
}

static void annotate_line(struct name_rev *c, const struct strbuf *line)
{
	const char *shown = line->buf, *p = shown, *end = line->buf + line->len;
	size_t hex_len = c->repo->algo->hex_len;

	while (p < end) {
		const char *start = p;

		while (p < end && is_hex(*p))
			p++;
		if ((size_t)(p - start) == hex_len) {
			annotate(c, shown, p);
			shown = p;
		}
		if (p == start)
			p++;
	}
	fwrite(shown, 1, (size_t)(end - shown), stdout);
}

static void annotate_stdin(struct name_rev *c)
{
	struct strbuf line = STRBUF_INIT;

	while (!strbuf_getdelim(&line, stdin, '\n')) {
		annotate_line(c, &line);
		putchar('\n');
	}
	strbuf_release(&line);
}

/* ---- the command ---- */

struct choice {
	int all, from_stdin, deprecated_stdin;
};

static int name_rev_run(struct name_rev *c, const struct choice *how, int argc, const char **argv,
			const struct rev_names_options *o, struct err *err)
{
	struct show_all all = { c, err };
	int rc = commit_pool_new(&c->pool, c->repo, err);

	if (!rc)
		rc = rev_names_new(&c->names, c->pool, c->repo, o, err);
	if (rc < 0)
		return rc;
	if (how->all || how->from_stdin)
		rev_names_want_all(c->names);
	find_objects(c, argc, argv);
	rc = rev_names_build(c->names, err);
	if (rc < 0)
		return rc;
	if (how->from_stdin) {
		annotate_stdin(c);
		return 0;
	}
	return how->all ? rev_names_foreach(c->names, show_one_of_all, &all) : show_wanted(c, err);
}

static void check_choice(const struct choice *how, int argc, const struct option *opts)
{
	if (how->all + how->from_stdin + (argc > 0) > 1) {
		error("Specify either a list, or --all, not both!");
		usage_with_options(usage, opts);
	}
}

int cmd_name_rev(int argc, const char **argv, struct command_ctx *ctx)
{
	struct name_rev c = { .repo = ctx->repo, .undefined = 1, .name = STRBUF_INIT };
	struct strvec refs = STRVEC_INIT, exclude = STRVEC_INIT;
	struct choice how = { 0 };
	int tags_only = 0;
	struct option opts[] = {
		OPT_BOOL(0, "name-only", &c.name_only, "print only names, no object names"),
		OPT_BOOL(0, "tags", &tags_only, "use only tags"),
		OPT_STRVEC(0, "refs", &refs, "pattern", "use only refs that match the pattern"),
		OPT_STRVEC(0, "exclude", &exclude, "pattern", "ignore refs that match the pattern"),
		OPT_GROUP(""),
		OPT_BOOL(0, "all", &how.all, "name all commits that refs lead to"),
		{ OPTION_BOOL, 0, "stdin", OPT_VALUE(int, &how.deprecated_stdin), NULL,
		  "the old name of --annotate-stdin", PARSE_OPT_HIDDEN, NULL, 1 },
		OPT_BOOL(0, "annotate-stdin", &how.from_stdin, "annotate text from stdin"),
		OPT_BOOL(0, "undefined", &c.undefined,
			 "print `undefined` for what has no name (default)"),
		OPT_BOOL(0, "always", &c.always, "abbreviated object names as a fallback"),
		{ OPTION_BOOL, 0, "peel-tag", OPT_VALUE(int, &c.peel_tag), NULL,
		  "name the commits that tags lead to", PARSE_OPT_HIDDEN, NULL, 1 },
		OPT_END()
	};
	struct rev_names_options o = { .refs = &refs, .exclude = &exclude };
	struct err err = ERR_INIT;
	int rc;

	argc = parse_options(argc, argv, opts, usage, 0);
	if (how.deprecated_stdin) {
		warning("--stdin is deprecated. Please use --annotate-stdin instead, which is "
			"functionally equivalent.\nThis option will be removed in a future release.");
		how.from_stdin = 1;
	}
	check_choice(&how, argc, opts);
	o.tags_only = tags_only;
	o.short_names = c.name_only;
	rc = name_rev_run(&c, &how, argc, argv, &o, &err);
	rev_names_free(c.names);
	commit_pool_free(c.pool);
	free(c.wanted);
	strbuf_release(&c.name);
	strvec_clear(&refs);
	strvec_clear(&exclude);
	return rc < 0 ? report_fatal(&err) : finish_stdout();
}

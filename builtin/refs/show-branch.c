/* SPDX-License-Identifier: GPL-2.0-only */
/* git-show-branch(1) */
#include "compat/posix.h"
#include "builtin/refs/show-branch.h"
#include "history/names/revparse.h"
#include "object/commit.h"
#include "pretty/pretty.h"
#include "util/alloc.h"
#include "util/color.h"

static const char *const usage[] = {
	"git show-branch [-a | --all] [-r | --remotes] [--topo-order | --date-order]\n"
	"                [--current] [--color[=<when>] | --no-color] [--sparse]\n"
	"                [--more=<n> | --list | --independent | --merge-base]\n"
	"                [--no-name | --sha1-name] [--topics]\n"
	"                [(<rev> | <glob>)...]",
	"git show-branch (-g | --reflog)[=<n>[,<base>]] [--list] [<ref>]",
	NULL
};

enum show_order { SHOW_TOPO, SHOW_DATE };

struct options {
	int all, remotes, more, no_name, current, sha1_name, merge_base, independent, topics;
	int sparse, order, reflog;
	const char *reflog_base;
	enum color_when color;
};

/* ---- options ---- */

static int on_more(const struct option *opt, const char *arg, int unset)
{
	struct options *o = opt->value;

	o->more = unset ? 0 : 1;
	if (arg && !parse_int_strict(arg, &o->more))
		return error("option `more' expects an integer value with an optional k/m/g suffix");
	return 0;
}

static int show_branch_on_color(const struct option *opt, const char *arg, int unset)
{
	struct options *o = opt->value;

	o->color = unset ? COLOR_NEVER : arg ? color_when_parse(arg) : COLOR_ALWAYS;
	if (o->color == COLOR_UNSET)
		return error("option `color' expects \"always\", \"auto\", or \"never\"");
	return 0;
}

#define DEFAULT_REFLOG 4

static int on_reflog(const struct option *opt, const char *arg, int unset UNUSED)
{
	struct options *o = opt->value;
	char *end;
	long n = DEFAULT_REFLOG;

	if (arg) {
		n = strtol(arg, &end, 10);
		if (*end == ',')
			o->reflog_base = end + 1;
		else if (*end)
			return error("unrecognized reflog param '%s'", arg);
		else
			o->reflog_base = NULL;
	}
	o->reflog = n <= 0 ? DEFAULT_REFLOG : n > INT_MAX ? INT_MAX : (int)n;
	return 0;
}

/* ---- output ---- */

struct show {
	const struct options *o;
	struct tip_bits *join;
	struct shown_refs *refs;
	struct repository *repo;
	struct pretty pretty;
	bool color;
	size_t head; /* the tip that HEAD is; nr_tips: none */
};

static const char *const colors[] = {
	"\033[31m", "\033[32m", "\033[33m", "\033[34m", "\033[35m", "\033[36m",
	"\033[1;31m", "\033[1;32m", "\033[1;33m", "\033[1;34m", "\033[1;35m", "\033[1;36m",
};

static void add_mark(const struct show *s, size_t tip, char mark, struct strbuf *out)
{
	if (s->color)
		strbuf_addf(out, "%s%c%s", colors[tip % ARRAY_SIZE(colors)], mark, COLOR_RESET);
	else
		strbuf_addch(out, mark);
}

static int add_commit(struct show *s, struct commit *c, bool with_name, struct strbuf *out,
		      struct err *err)
{
	struct strbuf subject = STRBUF_INIT;
	const char *text;
	int rc = pretty_commit(&s->pretty, s->join->pool, c, &subject, err);

	if (!rc && with_name) {
		strbuf_addch(out, '[');
		if (!tip_bits_add_name(s->join, c, out))
			odb_abbrev(s->repo->odb, &c->oid, s->repo->settings.abbrev, out);
		strbuf_addstr(out, "] ");
	}
	text = subject.buf;
	skip_prefix(text, "[PATCH] ", &text);
	strbuf_addf(out, "%s\n", text);
	strbuf_release(&subject);
	commit_release_buffer(c);
	return rc;
}

static int add_tip(struct show *s, size_t i, struct strbuf *out, struct err *err)
{
	struct shown_ref *ref = &s->refs->items[i];
	bool is_head = shown_ref_is_head(s->refs, i);

	if (is_head)
		s->head = i;
	if (s->o->more < 0) {
		strbuf_addf(out, "%c [%s] ", is_head ? '*' : ' ', ref->name);
	} else {
		strbuf_addchars(out, ' ', i);
		add_mark(s, i, is_head ? '*' : '!', out);
		strbuf_addf(out, " [%s] ", ref->name);
	}
	if (!ref->log)
		return add_commit(s, s->join->tips[i], false, out, err);
	strbuf_addf(out, "%s\n", ref->log);
	return 0;
}

static int add_tips(struct show *s, struct strbuf *out, struct err *err)
{
	int rc = 0;

	s->head = s->join->nr_tips;
	if (s->join->nr_tips < 2 && s->o->more >= 0)
		return 0;
	for (size_t i = 0; !rc && i < s->join->nr_tips; i++)
		rc = add_tip(s, i, out, err);
	if (s->o->more >= 0) {
		strbuf_addchars(out, '-', s->join->nr_tips);
		strbuf_addch(out, '\n');
	}
	return rc;
}

static void add_marks(struct show *s, const struct commit *c, uint32_t tips, struct strbuf *out)
{
	for (size_t i = 0; i < s->join->nr_tips; i++) {
		if (!(tips & 1u << i))
			strbuf_addch(out, ' ');
		else
			add_mark(s, i, c->nr_parents > 1 ? '-' : i == s->head ? '*' : '+', out);
	}
	strbuf_addch(out, ' ');
}

/* Merges within one branch are of no interest, unless they are its tip. */
static bool is_omitted(const struct show *s, const struct commit *c, uint32_t tips)
{
	if (s->o->sparse || c->nr_parents < 2 || (tips & (tips - 1)))
		return false;
	for (size_t i = 0; i < s->join->nr_tips; i++)
		if (s->join->tips[i] == c)
			return false;
	return true;
}

static int add_commits(struct show *s, struct strbuf *out, struct err *err)
{
	uint32_t all = (uint32_t)((1u << s->join->nr_tips) - 1);
	bool several = s->join->nr_tips > 1, met = false;
	int more = s->o->more, rc = 0;

	for (size_t i = 0; !rc && i < s->join->commits.nr; i++) {
		struct commit *c = s->join->commits.items[i];
		uint32_t tips = tip_bits_tips(s->join, c);

		met |= tips == all;
		if (several && ((s->o->topics && tips != all && (tips & 1)) ||
				is_omitted(s, c, tips)))
			continue;
		if (several)
			add_marks(s, c, tips, out);
		rc = add_commit(s, c, !s->o->no_name, out, err);
		if (met && --more < 0)
			break;
	}
	return rc;
}

static void name_commits(struct show *s)
{
	const char *names[TIP_BITS_MAX];

	for (size_t i = 0; i < s->refs->nr; i++)
		names[i] = s->refs->items[i].name;
	tip_bits_name(s->join, names);
}

static int show_history(struct show *s, struct err *err)
{
	struct strbuf out = STRBUF_INIT;
	int rc;

	pretty_init(&s->pretty, s->repo);
	rc = pretty_config(&s->pretty, s->repo->config, err);
	s->pretty.kind = PRETTY_ONELINE;
	s->color = s->o->color == COLOR_UNSET ? want_color(s->repo, "color.showbranch", 1) :
						color_wanted(s->o->color, 1, pager_in_use());
	if (!rc)
		rc = add_tips(s, &out, err);
	if (!rc && s->o->more >= 0) {
		tip_bits_sort(s->join, s->o->order == SHOW_DATE);
		if (!s->o->sha1_name && !s->o->no_name)
			name_commits(s);
		rc = add_commits(s, &out, err);
	}
	fwrite(out.buf, 1, out.len, stdout);
	strbuf_release(&out);
	pretty_release(&s->pretty);
	return rc;
}

/* 1: there is none. */
static int show_merge_bases(struct tip_bits *j)
{
	struct commit_list bases = COMMIT_LIST_INIT;
	int none;

	tip_bits_merge_bases(j, &bases);
	none = !bases.nr;
	for (size_t i = 0; i < bases.nr; i++)
		puts(oid_hex(&bases.items[i]->oid));
	commit_list_clear(&bases);
	return none;
}

static bool is_repeated(const struct tip_bits *j, size_t tip)
{
	for (size_t i = 0; i < tip; i++)
		if (j->tips[i] == j->tips[tip])
			return true;
	return false;
}

static int show_independent(struct tip_bits *j)
{
	for (size_t i = 0; i < j->nr_tips; i++)
		if (tip_bits_is_independent(j, i) && !is_repeated(j, i))
			puts(oid_hex(&j->tips[i]->oid));
	return 0;
}

/* ---- the command ---- */

static int show_branch_run(struct repository *r, const struct options *o, struct shown_refs *refs,
			   struct err *err)
{
	struct show s = { .o = o, .refs = refs, .repo = r };
	int rc = tip_bits_new(&s.join, r, err);

	for (size_t i = 0; !rc && i < refs->nr; i++)
		rc = tip_bits_add(s.join, &refs->items[i].oid, err);
	if (!rc)
		rc = tip_bits_walk(s.join, o->more, err);
	if (!rc)
		rc = o->merge_base ? show_merge_bases(s.join) :
		     o->independent ? show_independent(s.join) : show_history(&s, err);
	tip_bits_free(s.join);
	return rc;
}

static int collect(const struct options *o, struct shown_refs *refs, int argc, const char **argv,
		   struct err *err)
{
	bool all = o->all, remotes = o->all || o->remotes;
	int rc = 0;

	if (o->reflog)
		return shown_refs_add_log(refs, argc, argv, o->reflog, o->reflog_base, err);
	if (argc <= o->topics && !all && !remotes)
		all = true;
	for (int i = 0; !rc && i < argc; i++)
		rc = shown_refs_add(refs, argv[i], err);
	if (!rc && all)
		rc = shown_refs_add_below(refs, "refs/heads/", err);
	if (!rc && remotes)
		rc = shown_refs_add_below(refs, "refs/remotes/", err);
	if (!rc && o->current)
		rc = shown_refs_add_current(refs, err);
	return rc;
}

/* showbranch.default, if there are no arguments at all. */
static int default_arguments(struct repository *r, struct strvec *args)
{
	const struct config_entry *const *all;
	size_t nr = 0;

	all = config_get_all(r->config, "showbranch.default", &nr);
	if (!nr)
		return 0;
	strvec_push(args, "show-branch");
	for (size_t i = 0; i < nr; i++)
		strvec_push(args, all[i]->value ? all[i]->value : "");
	return (int)args->nr;
}

static void check_options(const struct options *o, const struct option *opts)
{
	if ((o->more || o->reflog) && (o->independent || o->merge_base))
		usage_with_options(usage, opts);
	if (o->reflog && (o->more > 0 || o->all || o->remotes))
		die("options '%s' and '%s' cannot be used together", "--reflog",
		    "--all/--remotes/--independent/--merge-base");
}

int cmd_show_branch(int argc, const char **argv, struct command_ctx *ctx)
{
	struct options o = { .color = COLOR_UNSET };
	struct option opts[] = {
		OPT_BOOL('a', "all", &o.all, "show remote-tracking and local branches"),
		OPT_BOOL('r', "remotes", &o.remotes, "show remote-tracking branches"),
		OPT_CALLBACK_F(0, "color", &o, "when", "color '*!+-' by the branch",
			       PARSE_OPT_OPTARG, show_branch_on_color),
		OPT_CALLBACK_F(0, "more", &o, "n", "show <n> more commits after the common ancestor",
			       PARSE_OPT_OPTARG, on_more),
		OPT_SET_INT(0, "list", &o.more, "the same as --more=-1", -1),
		OPT_BOOL(0, "no-name", &o.no_name, "do not show names of commits"),
		OPT_BOOL(0, "current", &o.current, "include the current branch"),
		OPT_BOOL(0, "sha1-name", &o.sha1_name, "name commits with their object names"),
		OPT_BOOL(0, "merge-base", &o.merge_base, "show possible merge bases"),
		OPT_BOOL(0, "independent", &o.independent,
			 "show tips that no other tip leads to"),
		OPT_SET_INT(0, "topo-order", &o.order, "show commits in topological order",
			    SHOW_TOPO),
		OPT_BOOL(0, "topics", &o.topics, "leave out what the first branch has"),
		OPT_BOOL(0, "sparse", &o.sparse, "show merges that only one branch has"),
		OPT_SET_INT(0, "date-order", &o.order, "the same, by date where that is possible",
			    SHOW_DATE),
		OPT_CALLBACK_F('g', "reflog", &o, "<n>[,<base>]",
			       "show <n> entries of the reflog, from <base> on",
			       PARSE_OPT_OPTARG | PARSE_OPT_NONEG, on_reflog),
		OPT_END()
	};
	struct shown_refs refs = { .repo = ctx->repo };
	struct strvec args = STRVEC_INIT;
	const char **copy = NULL;
	struct err err = ERR_INIT;
	int rc;

	if (argc == 1 && ctx->repo && default_arguments(ctx->repo, &args)) {
		argc = (int)args.nr;
		argv = copy = xmemdup(args.v, (args.nr + 1) * sizeof(*copy)); /* it is reordered */
	}
	argc = parse_options(argc, argv, opts, usage, PARSE_OPT_STOP_AT_NON_OPTION);
	check_options(&o, opts);
	rc = collect(&o, &refs, argc, argv, &err);
	if (!rc && !refs.nr) {
		fprintf(stderr, "No revs to be shown.\n");
	} else if (!rc) {
		rc = show_branch_run(ctx->repo, &o, &refs, &err);
	}
	shown_refs_release(&refs);
	strvec_clear(&args);
	free(copy);
	return rc < 0 ? report_fatal(&err) : finish_stdout() ? 128 : rc;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* git-cherry-pick(1) and git-revert(1): options, and the file in which they wait for the next command. */
#include "compat/posix.h"
#include "builtin/pick/pick-cmd.h"
#include "cli/edit-text.h"
#include "repo/state.h"
#include "util/alloc.h"

static const char *const pick_usages[] = {
	"git cherry-pick [--edit] [-n] [-m <parent-number>] [-s] [-x] [--ff]\n"
	"                [-S[<keyid>]] <commit>...",
	"git cherry-pick (--continue | --skip | --abort | --quit)",
	NULL
};

static const char *const revert_usages[] = {
	"git revert [--[no-]edit] [-n] [-m <parent-number>] [-s] [-S[<keyid>]] <commit>...",
	"git revert (--continue | --skip | --abort | --quit)",
	NULL
};

/* ---- the command line ---- */

static int on_key(const struct option *opt, const char *arg, int unset)
{
	const char **key = opt->value;

	*key = unset ? NULL : arg ? arg : "";
	return 0;
}

static int on_mainline(const struct option *opt, const char *arg, int unset)
{
	int *mainline = opt->value;
	char *end = NULL;
	long n = unset ? 0 : strtol(arg, &end, 10);

	*mainline = 0;
	if (unset)
		return 0;
	if (end == arg || *end || n <= 0 || n > INT_MAX) {
		error("option `%s' expects a number greater than zero", "mainline");
		exit(129);
	}
	*mainline = (int)n;
	return 0;
}

static int on_empty(const struct option *opt, const char *arg, int unset UNUSED)
{
	int *empty = opt->value;

	if (!strcmp(arg, "stop"))
		*empty = PICK_EMPTY_STOP;
	else if (!strcmp(arg, "drop"))
		*empty = PICK_EMPTY_DROP;
	else if (!strcmp(arg, "keep"))
		*empty = PICK_EMPTY_KEEP;
	else {
		error("invalid value for '--empty': '%s'", arg);
		exit(129);
	}
	return 0;
}

#define COMMON_OPTIONS(o) \
	OPT_CMDMODE(0, "quit", &(o)->mode, "end revert or cherry-pick sequence", PICK_MODE_QUIT), \
	OPT_CMDMODE(0, "continue", &(o)->mode, "resume revert or cherry-pick sequence", PICK_MODE_CONTINUE), \
	OPT_CMDMODE(0, "abort", &(o)->mode, "cancel revert or cherry-pick sequence", PICK_MODE_ABORT), \
	OPT_CMDMODE(0, "skip", &(o)->mode, "skip current commit and continue", PICK_MODE_SKIP), \
	OPT_STRING(0, "cleanup", &(o)->cleanup_name, "mode", "how to strip spaces and #comments from message"), \
	OPT_BOOL('n', "no-commit", &(o)->no_commit, "don't automatically commit"), \
	OPT_BOOL('e', "edit", &(o)->edit, "edit the commit message"), \
	OPT_BOOL('s', "signoff", &(o)->signoff, "add a Signed-off-by trailer"), \
	OPT_CALLBACK_F('m', "mainline", &(o)->mainline, "parent-number", "select mainline parent", 0, on_mainline), \
	OPT_BOOL(0, "rerere-autoupdate", &(o)->rerere_autoupdate, \
		 "update the index with reused conflict resolution if possible"), \
	OPT_STRING(0, "strategy", &(o)->strategy, "strategy", "merge strategy"), \
	OPT_STRVEC('X', "strategy-option", &(o)->strategy_options, "option", "option for merge strategy"), \
	OPT_CALLBACK_F('S', "gpg-sign", &(o)->sign_key, "key-id", "GPG sign commit", PARSE_OPT_OPTARG, on_key)

#define PICK_OPTIONS(o) { \
	COMMON_OPTIONS(o), \
	OPT_BOOL('x', NULL, &(o)->record_origin, "append commit name"), \
	OPT_BOOL(0, "ff", &(o)->ff, "allow fast-forward"), \
	OPT_BOOL(0, "allow-empty", &(o)->allow_empty, "preserve initially empty commits"), \
	OPT_BOOL(0, "allow-empty-message", &(o)->allow_empty_message, "allow commits with empty messages"), \
	OPT_BOOL(0, "keep-redundant-commits", &(o)->keep_redundant, "deprecated: use --empty=keep instead"), \
	OPT_CALLBACK_F(0, "empty", &(o)->empty, "(stop|drop|keep)", "how to handle commits that become empty", \
		       PARSE_OPT_NONEG, on_empty), \
	OPT_END() }

#define REVERT_OPTIONS(o) { \
	COMMON_OPTIONS(o), \
	OPT_BOOL(0, "reference", &(o)->reference, "use the 'reference' format to refer to commits"), \
	OPT_END() }

static int parse_words(struct pick_cmd *c, int argc, const char **argv)
{
	struct option picks[] = PICK_OPTIONS(&c->o), reverts[] = REVERT_OPTIONS(&c->o);

	return parse_options(argc, argv, c->revert ? reverts : picks, c->revert ? revert_usages : pick_usages,
			     PARSE_OPT_KEEP_ARGV0 | PARSE_OPT_KEEP_UNKNOWN | PARSE_OPT_NO_ABBREV);
}

void pick_usage(struct pick_cmd *c)
{
	struct option picks[] = PICK_OPTIONS(&c->o), reverts[] = REVERT_OPTIONS(&c->o);

	usage_with_options(c->revert ? revert_usages : pick_usages, c->revert ? reverts : picks);
}

static void refuse_with(const struct pick_cmd *c, const char *with)
{
	const struct pick_options *o = &c->o;
	const struct {
		bool given;
		const char *option;
	} all[] = {
		{ o->no_commit, "--no-commit" },
		{ o->signoff, "--signoff" },
		{ o->mainline && strcmp(with, "--ff"), "--mainline" },
		{ o->strategy && strcmp(with, "--ff"), "--strategy" },
		{ o->strategy_options.nr && strcmp(with, "--ff"), "--strategy-option" },
		{ o->record_origin, "-x" },
		{ o->ff && strcmp(with, "--ff"), "--ff" },
		{ o->edit > 0 && !strcmp(with, "--ff"), "--edit" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (all[i].given)
			die("%s: %s cannot be used with %s", c->name, all[i].option, with);
}

static void check_together(const struct pick_cmd *c)
{
	static const char *const mode[] = { [PICK_MODE_CONTINUE] = "--continue", [PICK_MODE_SKIP] = "--skip",
					    [PICK_MODE_ABORT] = "--abort", [PICK_MODE_QUIT] = "--quit" };

	if (c->o.mode != PICK_MODE_START)
		refuse_with(c, mode[c->o.mode]);
	if (c->o.ff)
		refuse_with(c, "--ff");
}

/* "default" is the mode of an editor. */
static void set_cleanup(struct pick_cmd *c)
{
	const char *name = c->o.cleanup_name, *setting;

	if (name && !strcmp(name, "default"))
		c->o.cleanup_name = "strip";
	if (name && cleanup_mode_parse(c->o.cleanup_name, &c->cleanup) < 0)
		die("Invalid cleanup mode %s", name);
	if (name)
		return;
	setting = pick_cleanup_setting(c->r, &c->cleanup);
	if (c->cleanup != CLEANUP_DEFAULT)
		c->o.cleanup_name = setting;
	else if (setting)
		warning("invalid commit message cleanup mode '%s'", setting);
}

static void read_config_bool(struct pick_cmd *c, const char *key, bool *on)
{
	struct err err = ERR_INIT;

	if (config_get_bool(c->r->config, key, on, &err) < 0)
		die_err(&err);
}

int pick_parse_options(struct pick_cmd *c, int argc, const char **argv)
{
	struct pick_options *o = &c->o;
	bool sign = false, reference = false;

	o->edit = o->rerere_autoupdate = -1;
	if (c->r) {
		read_config_bool(c, "commit.gpgsign", &sign);
		read_config_bool(c, "revert.reference", &reference);
	}
	o->sign_key = sign ? "" : NULL;
	o->reference = c->revert && reference;
	argc = parse_words(c, argc, argv);
	check_together(c);
	if (!c->r)
		return argc;
	c->comment_char = edit_comment_char(c->r);
	set_cleanup(c);
	if (o->keep_redundant)
		o->empty = PICK_EMPTY_KEEP;
	if (o->empty == PICK_EMPTY_KEEP)
		o->allow_empty = true;
	return argc;
}

/* ---- sequencer/opts: a configuration file ---- */

static void add_flag(struct strbuf *out, bool on, const char *key)
{
	if (on)
		strbuf_addf(out, "\t%s = true\n", key);
}

static void add_text(struct strbuf *out, const char *key, const char *value)
{
	if (!value)
		return;
	strbuf_addf(out, "\t%s = ", key);
	if (strpbrk(value, "#;\"\\\n\t") || isspace((unsigned char)*value) ||
	    (*value && isspace((unsigned char)value[strlen(value) - 1]))) {
		strbuf_addch(out, '"');
		for (; *value; value++) {
			if (*value == '"' || *value == '\\')
				strbuf_addch(out, '\\');
			if (*value == '\n')
				strbuf_addstr(out, "\\n");
			else
				strbuf_addch(out, *value);
		}
		strbuf_addch(out, '"');
	} else {
		strbuf_addstr(out, value);
	}
	strbuf_addch(out, '\n');
}

void pick_format_options(const struct pick_cmd *c, struct strbuf *out)
{
	const struct pick_options *o = &c->o;
	size_t start;

	strbuf_addstr(out, "[options]\n");
	start = out->len;
	add_flag(out, o->no_commit, "no-commit");
	if (o->edit >= 0)
		strbuf_addf(out, "\tedit = %s\n", o->edit ? "true" : "false");
	add_flag(out, o->allow_empty, "allow-empty");
	add_flag(out, o->allow_empty_message, "allow-empty-message");
	add_flag(out, o->empty == PICK_EMPTY_DROP, "drop-redundant-commits");
	add_flag(out, o->empty == PICK_EMPTY_KEEP, "keep-redundant-commits");
	add_flag(out, o->signoff, "signoff");
	add_flag(out, o->record_origin, "record-origin");
	add_flag(out, o->ff, "allow-ff");
	if (o->rerere_autoupdate >= 0)
		strbuf_addf(out, "\tallow-rerere-auto = %s\n", o->rerere_autoupdate ? "true" : "false");
	if (o->mainline)
		strbuf_addf(out, "\tmainline = %d\n", o->mainline);
	add_text(out, "strategy", o->strategy);
	add_text(out, "gpg-sign", o->sign_key);
	for (size_t i = 0; i < o->strategy_options.nr; i++)
		add_text(out, "strategy-option", o->strategy_options.v[i]);
	if (c->cleanup != CLEANUP_DEFAULT)
		add_text(out, "default-msg-cleanup", o->cleanup_name);
	if (out->len == start)
		strbuf_reset(out);
}

static const char *keep(struct pick_cmd *c, const char *word)
{
	strvec_push(&c->saved, word);
	return c->saved.v[c->saved.nr - 1];
}

static int take_saved(struct pick_cmd *c, const struct config_entry *e, struct err *err)
{
	struct pick_options *o = &c->o;
	const char *key, *value = e->value ? e->value : "true";
	int on = config_parse_maybe_bool(value) > 0;

	if (!skip_prefix(e->key, "options.", &key))
		return 0;
	if (!strcmp(key, "no-commit"))
		o->no_commit = on;
	else if (!strcmp(key, "edit"))
		o->edit = on;
	else if (!strcmp(key, "allow-empty"))
		o->allow_empty = on;
	else if (!strcmp(key, "allow-empty-message"))
		o->allow_empty_message = on;
	else if (!strcmp(key, "drop-redundant-commits") && on)
		o->empty = PICK_EMPTY_DROP;
	else if (!strcmp(key, "keep-redundant-commits") && on)
		o->empty = PICK_EMPTY_KEEP;
	else if (!strcmp(key, "signoff"))
		o->signoff = on;
	else if (!strcmp(key, "record-origin"))
		o->record_origin = on;
	else if (!strcmp(key, "allow-ff"))
		o->ff = on;
	else if (!strcmp(key, "allow-rerere-auto"))
		o->rerere_autoupdate = on;
	else if (!strcmp(key, "mainline"))
		o->mainline = atoi(value);
	else if (!strcmp(key, "strategy"))
		o->strategy = keep(c, value);
	else if (!strcmp(key, "gpg-sign"))
		o->sign_key = keep(c, value);
	else if (!strcmp(key, "strategy-option"))
		strvec_push(&o->strategy_options, value);
	else if (!strcmp(key, "default-msg-cleanup") && cleanup_mode_parse(value, &c->cleanup) < 0)
		return err_set(err, ERR_INVALID, "Invalid cleanup mode %s", value);
	return 0;
}

int pick_read_saved_options(struct pick_cmd *c, struct err *err)
{
	const struct config_include_ctx nowhere = { NULL, NULL, NULL };
	struct config_set *set = config_set_new();
	char *path = repo_state_path(c->r, STATE_SEQUENCER_OPTS);
	int rc = 0;

	if (repo_state_exists(c->r, STATE_SEQUENCER_OPTS))
		rc = config_set_read_file(set, path, CONFIG_SCOPE_LOCAL, &nowhere, err);
	for (size_t i = 0; !rc && i < config_nr(set); i++)
		rc = take_saved(c, config_at(set, i), err);
	free(path);
	config_set_free(set);
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* git log, and other commands that show commits like it. */
#ifndef BUILTIN_LOG_LOG_H
#define BUILTIN_LOG_LOG_H

#include "compat/posix.h"
#include "builtin/builtin.h"
#include "diff/diff.h"
#include "pretty/pretty.h"
#include "history/revision/revision.h"
#include "history/lines/line-history.h"
#include "worktree/diff-submodules.h"

enum decorate_style { DECORATE_UNSET = -1, DECORATE_NO, DECORATE_SHORT, DECORATE_FULL,
		      DECORATE_AUTO };
/* Diffs of merges: none, to the first parent, to each; what log.diffMerges says; combined. */
enum merge_diff { MERGE_DIFF_UNSET, MERGE_DIFF_OFF, MERGE_DIFF_FIRST, MERGE_DIFF_EACH,
		  MERGE_DIFF_DEFAULT, MERGE_DIFF_COMBINED, MERGE_DIFF_REMERGE };

struct log_options {
	struct repository *repo;
	struct rev_walk *walk;
	struct pretty pretty;
	struct diff_options diff;
	struct attrs *attrs; /* if contents are compared, or paths matched by attributes */
	struct diff_attrs *diff_attrs; /* if contents are compared */
	struct diff_submodules *submodules; /* if there are differences */
	enum submodule_mode ignore_submodules; /* if ..._given */
	bool ignore_submodules_given;
	bool abbrev_commit, abbrev_commit_given;
	bool format_given; /* --pretty and the like */
	bool plumbing;	   /* from log_options_init_plumbing */
	bool walk_only;	   /* --decorate, --mailmap and --source are unknown */
	bool follow, follow_asked; /* log.follow; an option */
	char *follow_path; /* the name that the file has now; owned */
	bool takes_lines;	   /* -L is an option */
	struct strvec line_specs; /* its values */
	struct line_history *lines; /* NULL: without -L */
	bool ids_only;	   /* header: the name of the commit, nothing more */
	bool no_header;	   /* not even that, above a diff */
	bool only_changes; /* commits without a difference are not shown */
	bool full_diff, show_root, log_size, show_signature;
	bool with_graph;
	bool color;
	enum decorate_style decorate;
	bool decorate_given;
	struct decorate_options decorations;
	bool decorate_refs_given;
	bool mailmap;
	struct mailmap *map;
	enum merge_diff merge_diff;
	const char *merge_diff_default; /* log.diffMerges: what -m means */
	bool patch_by_default;
	bool dense_by_default;	       /* merges: --cc, unless an option says other */
	bool merges_need_diff;	       /* even if no other commit does */
	bool merges_ask;	       /* -c, --cc: for other commits as well */
	bool diff_asked;	       /* for every commit */
	bool quiet;
	/* notes */
	int show_notes; /* -1: unless the format is the user's */
	struct strvec notes_refs;
	int notes_default; /* and the default ones; -1: if there are no others */
	struct notes *notes;
	char line_end; /* LF, or NUL with -z */
	/* while showing */
	bool shown_one;
	struct diff_rename_limit limited; /* in any of the commits */
	bool check_failed; /* --check: exit code 2 */
	bool has_differences; /* --exit-code: 1 */
	struct strbuf text;
	/* Takes and clears o->text; NULL: it goes to standard output. */
	int (*emit)(void *data, struct strbuf *text, struct err *err);
	void *emit_data;
	const char *mail_headers; /* below a "From …" line; NULL: none */
	bool zero_ids;		  /* in "From …" lines */
	bool open_line;	     /* the last message had no newline at its end */
	struct graph *graph; /* NULL: none */
	struct commit **graph_parents;
	char (*graph_colors)[COLOR_MAXLEN];
	const char *line_prefix;    /* --line-prefix; "": none */
	struct strbuf graph_prefix; /* of lines of diffs */
};

MUST_USE int log_options_init(struct log_options *o, struct repository *r, struct err *err);
/* Without the configuration that is meant for people, and without a default revision. */
MUST_USE int log_options_init_plumbing(struct log_options *o, struct repository *r,
				       struct err *err);
void log_options_release(struct log_options *o);
/* Formats, dates, abbreviations, notes, the graph: as the option of struct rev_hooks. */
MUST_USE int log_format_option(struct log_options *o, const char *const *argv, struct err *err);
/*
 * Options about commits and their messages, which the commands that compare trees and files take and do not use; how
 * many arguments were used. The way to compare merges goes to `diff`, where it chooses the format.
 */
MUST_USE int log_unused_option(struct repository *r, const char *const *argv, struct diff_options *diff, struct err *err);
/* Reports an unknown --NAME=VALUE and exits, if --NAME is an option. */
void log_refuse_value(struct repository *r, const char *arg);
/* argv[1..): options of log, of the walker, of diff; revisions and paths. */
MUST_USE int log_options_parse(struct log_options *o, int argc, const char **argv,
			       struct err *err);
/* -S, -G, --diff-filter: commits without such a difference are not shown. */
bool log_diff_decides(const struct log_options *o);
/* Decorations, mailmap, notes: what the options ask for. */
MUST_USE int log_options_resolve(struct log_options *o, struct err *err);
MUST_USE int log_walk_and_show(struct log_options *o, struct err *err);
/* The body of a command; returns the exit code. */
/* Was -h among the options, as log_run() and log_options_parse() report it? Then the usage is the answer. */
bool log_asks_for_help(const struct err *err);
int log_command(int argc, const char **argv, struct command_ctx *ctx, const char *const *usages,
		int (*run)(struct log_options *o, int argc, const char **argv, struct err *err));
/* Both, and show the commits: what argv[1..) asks for. */
MUST_USE int log_run(struct log_options *o, int argc, const char **argv, struct err *err);
/*
 * Lines of --show-signature for the commit: its own signature, and those of the tags that it
 * merged. Each ends in a newline; with colours if the log has them.
 */
MUST_USE int log_add_signatures(struct log_options *o, struct commit *c, struct strbuf *out,
				struct err *err);
/* ---- -L: log-lines.c ---- */
/* As the option of struct rev_hooks. */
MUST_USE int log_lines_option(struct log_options *o, const char *const *argv);
/* Checks the options that -L excludes, and sets the default format. */
MUST_USE int log_lines_check(struct log_options *o, struct err *err);
/* After all options have been settled: the lines are found, and the walk follows them. */
MUST_USE int log_lines_begin(struct log_options *o, struct err *err);
/* The differences of a commit within its lines, processed. */
MUST_USE int log_lines_changes(struct log_options *o, const struct commit *c, struct diff_queue *q,
			       struct err *err);

/* ---- --remerge-diff: log-remerge.c ---- */
struct log_remerge;
/*
 * Makes a merge of two commits again. Its difference to the commit, processed, is appended to `q`, and can be formatted until
 * log_remerge_end, which gives the objects of the merge up. *out is to be ended in any case.
 */
MUST_USE int log_remerge_begin(struct log_remerge **out, struct log_options *o, const struct commit *c, struct diff_queue *q,
			       struct err *err);
void log_remerge_end(struct log_remerge *g);

/* ---- pieces of a commit's text, appended to o->text: log-show.c ---- */
void log_add_hash(struct log_options *o, const struct object_id *oid);
MUST_USE int log_begin_graph(struct log_options *o, struct commit *c, struct err *err);
/* The beginning of a line: --line-prefix, a row of the graph. True: the commit's own row. */
bool log_add_row(struct log_options *o);
/* --line-prefix, a row of the graph between commits. */
void log_add_padding(struct log_options *o);
/* Rows up to the commit's own, which stays open for the text. */
void log_add_rows_above(struct log_options *o);
/* Text whose first line stands beside a row already; then what rows are left. */
void log_add_text_beside_graph(struct log_options *o, const struct strbuf *text);

/* For --exit-code: remember whether there are differences in q, which has been processed. */
MUST_USE int log_note_differences(struct log_options *o, struct diff_queue *q, struct err *err);
/* Header, message and diff of a commit on standard output. */
/* 1: shown; 0: its diff does not ask for it; < 0: failure. */
MUST_USE int log_show_commit(struct log_options *o, struct commit *c, struct err *err);

#endif

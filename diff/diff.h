/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Differences between two states of files: git-diff(1), gitdiffcore(7).
 *
 *   struct diff_options o;
 *   struct diff_queue q = DIFF_QUEUE_INIT;
 *
 *   diff_options_init(&o, odb);
 *   diff_options_config(&o, config, &err);
 *   o.formats = DIFF_FORMAT_STAT | DIFF_FORMAT_PATCH;
 *   diff_trees(&q, &o, &old_tree, &new_tree, &err);   or diff_queue_add() …
 *   diff_process(&q, &o, &err);                       renames, filters, status
 *   diff_format(&q, &o, &out, &err);                  text
 *   diff_queue_clear(&q);
 *   diff_options_release(&o);
 *
 * A pair of the queue is a file's old and new side. Sides that are objects are read
 * from the object database; sides that are something else (a file in the work tree)
 * are read by the callback options.read.
 */
#ifndef DIFF_DIFF_H
#define DIFF_DIFF_H

#include "compat/posix.h"
#include "config/config.h"
#include "hash/hash.h"
#include "index/pathspec.h"
#include "object/object.h"
#include "odb/odb.h"
#include "util/err.h"
#include "util/strbuf.h"
#include "util/strvec.h"

/* ---- pairs ---- */

/* One side of a pair. Shared by the pairs that a rename or copy puts it into. */
struct diff_file {
	char *path;
	unsigned mode;	      /* as in trees; 0: there is no such side */
	struct object_id oid; /* null if not known */
	bool oid_valid;	      /* false: the content comes from options->read */
	bool dirty;	      /* a gitlink whose work tree has changes: "-dirty" behind its commit */
	bool dirty_modified, dirty_untracked; /* what they are */
	/* ---- internal ---- */
	int refs;
	int rename_used;      /* pairs that have this as the source of a rename */
	bool gone; /* named, but there is no file: as a combined patch, a deletion */
	bool oid_shown; /* not valid, but --raw shows it all the same: a step has compared by it */
	bool loaded, size_known, driver_known, binary_known, is_binary;
	int driver_binary;    /* as in struct diff_driver */
	uint64_t size;
	struct object_buf content;
	struct diff_chunks *chunks; /* for similarity */
};

#define DIFF_STATUS_ADDED 'A'
#define DIFF_STATUS_COPIED 'C'
#define DIFF_STATUS_DELETED 'D'
#define DIFF_STATUS_MODIFIED 'M'
#define DIFF_STATUS_RENAMED 'R'
#define DIFF_STATUS_TYPE_CHANGED 'T'
#define DIFF_STATUS_UNMERGED 'U'

#define DIFF_MAX_SCORE 60000u
/*
 * "50%", ".5" and "5" are the same part of DIFF_MAX_SCORE: digits without a percent sign are
 * decimals. *end: after the number.
 */
unsigned diff_parse_score(const char *s, const char **end);

struct line_ranges;
struct diff_pair {
	struct diff_file *old, *new; /* never NULL; mode 0 for the missing side */
	char status;		     /* set by diff_process */
	/*
	 * Renames, copies: similarity; a modified pair: dissimilarity if it is a rewrite, else 0. At
	 * most DIFF_MAX_SCORE.
	 */
	unsigned score;
	bool unmerged;
	bool differs; /* contents have been compared by who added it */
	bool broken;  /* one half of a broken pair (-B) */
	bool renamed; /* a rename or copy was found */
	bool header_only; /* diff_queue_add_header_only */
	bool same;    /* a program has compared the sides, and its exit code, which counts, is 0 */
	/* Patches show only these lines of the new side (line-ranges.h); NULL: all. Not owned. */
	const struct line_ranges *lines;
};

struct diff_queue {
	struct diff_pair **pairs;
	size_t nr, alloc;
	/* Set by diff_queue_add: for options.quick. */
	bool has_changes;
	bool check_failed; /* set by diff_format with --check: exit code 2 */
};
#define DIFF_QUEUE_INIT { NULL, 0, 0, false, false }

/*
 * A mode of 0: no such side. An oid of NULL: not known, options->read has the
 * content. Paths are relative to the top of the work tree and copied.
 */
struct diff_pair *diff_queue_add(struct diff_queue *q,
				 const char *old_path, unsigned old_mode,
				 const struct object_id *old_oid,
				 const char *new_path, unsigned new_mode,
				 const struct object_id *new_oid);
struct diff_pair *diff_queue_add_unmerged(struct diff_queue *q, const char *path);
/*
 * After diff_process: a file without a difference, unless the queue has it. Patches show its header with the lines of
 * options->extra_header; no other format shows it. Its place is that of its name.
 */
void diff_queue_add_header_only(struct diff_queue *q, const char *path);
void diff_queue_clear(struct diff_queue *q);
/* pair->score in percent: the 95 of "R095". */
unsigned diff_pair_percent(const struct diff_pair *p);

/* ---- options ---- */

#define DIFF_FORMAT_RAW 1u
#define DIFF_FORMAT_STAT 2u
#define DIFF_FORMAT_NUMSTAT 4u
#define DIFF_FORMAT_SHORTSTAT 8u
#define DIFF_FORMAT_SUMMARY 16u
#define DIFF_FORMAT_PATCH 32u
#define DIFF_FORMAT_NAME_ONLY 64u
#define DIFF_FORMAT_NAME_STATUS 128u
#define DIFF_FORMAT_NONE 256u /* -s */
#define DIFF_FORMAT_CHECK 512u
#define DIFF_FORMAT_DIRSTAT 1024u

/* How differences are found: E. Myers' search, patience diff, histogram diff. */
enum diff_algorithm { DIFF_MYERS, DIFF_PATIENCE, DIFF_HISTOGRAM };

enum diff_words { DIFF_WORDS_NONE, DIFF_WORDS_PLAIN, DIFF_WORDS_PORCELAIN, DIFF_WORDS_COLOR };

/* What has been moved: each line; blocks; neighbours told apart; only where they meet. */
enum diff_moved { DIFF_MOVED_NONE, DIFF_MOVED_PLAIN, DIFF_MOVED_BLOCKS, DIFF_MOVED_ZEBRA,
		  DIFF_MOVED_DIMMED };

/* Several old sides: each with the new one; all together; the same without what comes from one alone. */
enum diff_combine { DIFF_COMBINE_NONE, DIFF_COMBINE_ALL, DIFF_COMBINE_DENSE };

/* Submodules: a line with the commit; the commits between; the differences. */
enum diff_submodule_format { DIFF_SUBMODULE_SHORT, DIFF_SUBMODULE_LOG, DIFF_SUBMODULE_DIFF };

enum diff_detect { DIFF_DETECT_NONE, DIFF_DETECT_RENAMES, DIFF_DETECT_COPIES };

/* Whitespace to ignore when lines are compared. */
#define DIFF_IGNORE_SPACE_AT_EOL 1u
#define DIFF_IGNORE_CR_AT_EOL 2u
#define DIFF_IGNORE_SPACE_CHANGE 4u
#define DIFF_IGNORE_ALL_SPACE 8u
#define DIFF_IGNORE_BLANK_LINES 16u

/* From the attributes of a path: "diff", "-diff", "diff=NAME". */
struct diff_driver {
	int binary;	      /* 1: binary, 0: text, -1: look at the content */
	const char *funcname; /* extended regular expression (several lines, "!"
				 negates); NULL: the default */
	bool funcname_icase;  /* it does not tell capital letters from others */
	bool funcname_basic;  /* it is a basic one */
	const char *algorithm; /* as diff.algorithm; NULL: the options' */
	const char *textconv; /* a program that makes a text of a file; NULL: none */
	const char *command;  /* an external diff; NULL: none */
	bool trust_exit_code; /* of it */
	const char *word_regex; /* as diff.wordRegex; NULL: the options' */
	bool word_icase;
	const char *whitespace; /* as core.whitespace; "": all rules; NULL: the options' */
	bool no_whitespace;	/* -whitespace: no rule at all */
	size_t marker_size;	/* of conflict markers */
};

enum diff_color {
	DIFF_COLOR_RESET, DIFF_COLOR_CONTEXT, DIFF_COLOR_META, DIFF_COLOR_FRAG,
	DIFF_COLOR_FUNC, DIFF_COLOR_OLD, DIFF_COLOR_NEW, DIFF_COLOR_WHITESPACE,
	DIFF_COLOR_OLD_MOVED, DIFF_COLOR_OLD_MOVED_ALT, DIFF_COLOR_OLD_MOVED_DIM,
	DIFF_COLOR_OLD_MOVED_ALT_DIM,
	DIFF_COLOR_NEW_MOVED, DIFF_COLOR_NEW_MOVED_ALT, DIFF_COLOR_NEW_MOVED_DIM,
	DIFF_COLOR_NEW_MOVED_ALT_DIM,
	/* lines of patches that are compared: only in the old patch, only in the new one */
	DIFF_COLOR_CONTEXT_DIM, DIFF_COLOR_OLD_DIM, DIFF_COLOR_NEW_DIM,
	DIFF_COLOR_CONTEXT_BOLD, DIFF_COLOR_OLD_BOLD, DIFF_COLOR_NEW_BOLD,
	DIFF_COLOR_NR
};

/* Where rename detection stopped because of rename_limit. */
struct diff_rename_limit {
	size_t needed; /* the limit that would have been enough; 0: it did not stop */
	bool copies;   /* only the sources of copies that are unchanged were left out */
};

/* GIT_PRINT_SHA1_ELLIPSIS of git(1) is "yes". */
bool oid_ellipsis(void);

struct diff_options {
	struct odb *odb; /* NULL: there are no objects; contents come from `read` */
	const struct hash_algo *algo;
	char *complaint; /* a warning about the configuration, for the command to print; owned */
	unsigned formats; /* DIFF_FORMAT_*; 0: the command's default */

	/* which pairs */
	const struct pathspec *pathspec; /* NULL: all; not owned */
	bool recursive;	 /* default */
	int max_depth;	 /* trees: levels of directories below the top, or below a path that was given; < 0: all, default */
	bool show_trees; /* -t */
	bool quick;	 /* stop at the first difference; for diff_trees */
	bool reverse;	 /* -R */
	char *order_file; /* -O, diff.orderFile; owned. "": none */
	struct strvec order; /* its patterns, read by diff_options_resolve */
	int order_errno; /* why they could not be read: an error once there is a file to be put in order */
	const char *rotate_to; /* --rotate-to, --skip-to: the file that comes first */
	bool rotate_skips;     /* files before it are left out */
	bool rotate_strict;    /* a file that is not there is an error */
	int ita_invisible;     /* --ita-invisible-in-index: 1, --ita-visible-in-index: 0; -1: neither */
	char filter[24]; /* --diff-filter: letters that may pass; "": all */
	const char *prefix; /* "dir/" for --relative without a path; NULL: none. Not owned */
	char *relative;	 /* only paths that begin so, shown without it; owned */
	/* A gitlink whose changes are not shown. NULL: there is none. */
	bool (*ignores_submodule)(void *data, const char *path);
	void *ignores_submodule_data;
	enum diff_submodule_format submodule_format;
	/* For formats but _SHORT: append text about a pair of which a side is a gitlink, and both if they are there. */
	int (*submodule_changes)(void *data, const struct diff_options *o, const struct diff_file *old,
				 const struct diff_file *new, struct strbuf *out, struct err *err);
	void *submodule_changes_data;

	/* renames, copies, rewrites */
	enum diff_detect detect;
	bool find_copies_harder; /* needs unchanged files in the queue */
	bool break_rewrites;	 /* -B */
	unsigned rename_score;	 /* of DIFF_MAX_SCORE; 0: 50% */
	unsigned break_score, merge_score; /* 0: 50%, 60% */
	int rename_limit;	 /* -1: default 1000; 0: none */
	bool rename_empty;	 /* empty files too; default */
	/*
	 * After files of the same content have been found: is it worth while to look for more renames of this source? NULL: of
	 * each one.
	 */
	bool (*wants_rename)(void *data, const char *path);
	/*
	 * A rename of this source was found by its content or by its last name. Called for all of these before wants_rename is
	 * asked for the last time, before the search that compares each file with each one. NULL: not wanted.
	 */
	void (*found_rename)(void *data, const char *path, const char *new);
	void *wants_rename_data;
	struct diff_rename_limit *limited; /* each comparison adds to it; NULL: not wanted. Not owned */

	/* text */
	unsigned context, interhunk_context;
	unsigned ignore; /* DIFF_IGNORE_* */
	enum diff_algorithm algorithm;
	bool minimal; /* Myers' search finds the shortest script, whatever it costs */
	bool algorithm_given; /* by an option: those of drivers do not count */
	struct strvec anchors; /* patience: unique lines that begin so stay; owned */
	bool indent_heuristic;
	bool text;	 /* -a: nothing is binary */
	bool binary;	 /* --binary: patches that can be applied */
	bool irreversible_delete; /* -D: the content of deleted files is not shown */
	bool full_index;
	int abbrev;	 /* digits; -1: automatic, 0: all */
	bool ellipsis;	 /* after shortened names in raw lines: oid_ellipsis() */
	int index_abbrev; /* in "index" lines of patches where abbrev is 0: core.abbrev */
	const char *src_prefix, *dst_prefix;
	const char *line_prefix; /* before every line */
	const char *patch_separator; /* text below the empty line between statistics and patch; NULL: none */
	char indicator[3];	 /* in front of new, old and context lines */
	bool function_context;	 /* -W: whole functions */
	bool bare_hunks;	 /* patches have no headers, and their hunks no line numbers: git-range-diff(1) */
	bool dual_color;	 /* the sides are patches: their lines keep the colours of a patch, and signs are reversed */
	struct diff_regexes *ignore_lines; /* -I; owned */
	enum diff_words word_diff;
	const char *word_regex;	 /* what a word is; NULL: as the driver says */
	const char *word_regex_default; /* diff.wordRegex; NULL: runs of non-space characters */
	unsigned ws_highlight;	 /* WS_SHOW_*; diff/whitespace.h */
	bool mnemonic_prefix;	 /* diff.mnemonicPrefix, and no option says other */
	uint64_t big_file_threshold; /* larger is binary */
	bool suppress_blank_empty;
	unsigned whitespace; /* core.whitespace */

	/* output */
	bool null_term;	 /* -z */
	bool quote_path; /* core.quotePath */
	int stat_width, stat_name_width, stat_graph_width, stat_count; /* 0: automatic */
	int term_columns; /* for --stat; 0: $COLUMNS or 80 */
	bool compact_summary;
	enum diff_combine combine; /* -c, --cc: set by the command */
	bool combined_all_paths;
	struct diff_dirstat {
		bool by_line, by_file, cumulative; /* else by bytes */
		unsigned permille;		   /* smaller parts are left out */
	} dirstat;
	bool color;
	char colors[DIFF_COLOR_NR][75];
	enum diff_moved color_moved; /* --color-moved */
	unsigned color_moved_ignore; /* --color-moved-ws: DIFF_IGNORE_* */
	bool color_moved_indent;     /* blocks may be indented in another way */
	bool color_always;  /* by an option, and not just for a terminal */
	const char *output; /* --output: the command's file instead of standard output; not owned */
	bool exit_code;	    /* --exit-code: the command ends with 1 if there are differences */
	/* If set: called with `out` after each file's text, may drain it. */
	int (*drain)(void *data, struct strbuf *out, struct err *err);
	void *drain_data;

	/* programs */
	bool textconv;	     /* drivers may convert files to text */
	bool textconv_asked; /* by --textconv: for objects that are shown as they are, too */
	bool allow_external; /* --ext-diff */
	const char *external; /* diff.external; NULL: none */
	bool external_trust;  /* diff.trustExitCode */

	/* pickaxe */
	char *pickaxe;	 /* -S or -G; owned */
	bool pickaxe_grep, pickaxe_regex, pickaxe_all;
	bool pickaxe_ignore_case;
	bool pickaxe_conflict; /* -S and -G were given */
	struct strvec find_objects; /* --find-object: names as they were given; owned */
	struct object_id *find_oids; /* set by diff_options_resolve; owned */

	/* Appends lines of the extended header, before "index", of the file. NULL: there are none. --remerge-diff */
	void (*extra_header)(void *data, const char *path, struct strvec *lines);
	void *extra_header_data;

	/* content of sides with oid_valid false */
	int (*read)(void *data, const struct diff_file *file, struct object_buf *out,
		    struct err *err);
	/*
	 * The size of such a side, and its name if oid is not NULL, of a file that need not be held in memory for that: 1. 0: it
	 * must be read. NULL: each is read.
	 */
	int (*measure)(void *read_data, const struct diff_file *file, uint64_t *size, struct object_id *oid, struct err *err);
	void *read_data;
	/* Those are files of the work tree at their paths: programs get them, not copies. */
	bool read_is_worktree;
	/*
	 * What an object is in the work tree, for programs. 1: it is in out; 0: as it is. NULL:
	 * always as it is.
	 */
	int (*smudge)(void *data, const struct diff_file *file, struct strbuf *out, struct err *err);
	void *smudge_data;
	bool no_names;	/* --raw shows no names of such sides, come what may */
	bool keep_same; /* such a side is shown even if its content is that of the other side */
	/* attributes; NULL: none are set */
	void (*driver)(void *data, const char *path, struct diff_driver *out);
	void *driver_data;
};

/* odb NULL: outside of a repository, with names of SHA-1. */
void diff_options_init(struct diff_options *o, struct odb *odb);
void diff_options_release(struct diff_options *o);
/* The diff.*, color.diff.* and core.* keys; options.prefix is set. ERR_INVALID names a bad value. */
MUST_USE int diff_options_config(struct diff_options *o, const struct config_set *c,
				 struct err *err);
/* Those of them that count for plumbing as well. */
MUST_USE int diff_options_config_plumbing(struct diff_options *o, const struct config_set *c,
					  struct err *err);
/*
 * One option of git-diff(1) at argv[0] (its value perhaps at argv[1]). Returns how
 * many arguments it used, 0 if it is no option of diff, ERR_INVALID with Git's message.
 */
int diff_options_parse(struct diff_options *o, const char *const *argv, struct err *err);
/* What --abbrev=VALUE means: text that is no number counts as 0, a negative number as a very large one. */
int diff_abbrev_length(const char *value, size_t hex_len);
/* "patience" and the like; false: no such name. */
bool diff_set_algorithm(struct diff_options *o, const char *name);
/* After the last option: conflicts; --name-only and --name-status are alone. */
MUST_USE int diff_options_check(struct diff_options *o, struct err *err);

/*
 * Before the first comparison: the object of --find-object, found by `resolve` (the name is
 * gitrevisions(7)'s), patterns and files that options name.
 */
MUST_USE int diff_options_resolve(struct diff_options *o,
				  int (*resolve)(void *data, const char *name,
						 struct object_id *out, struct err *err),
				  void *data, struct err *err);
/* "i/" and "w/" or the like, if diff.mnemonicPrefix asks for it and no option for others. */
void diff_options_mnemonic(struct diff_options *o, const char *src, const char *dst);

/*
 * What the textconv of the path's driver makes of an object, in place: 1. 0: its driver has none,
 * and buf is as it was. oid NULL: of the file in the work tree.
 */
MUST_USE int diff_textconv_object(const struct diff_options *o, const char *path, const struct object_id *oid,
				  struct object_buf *buf, struct err *err);

/* ---- filling the queue ---- */

/*
 * All differences between two trees; NULL is the empty tree. Pairs come in index
 * order. If options.quick is set, the first pair ends it (q->has_changes).
 */
MUST_USE int diff_trees(struct diff_queue *q, const struct diff_options *o,
			const struct object_id *old_tree, const struct object_id *new_tree,
			struct err *err);

/* Do options.pathspec and options.relative select the path, or something in the directory? */
bool diff_selects(const struct diff_options *o, const struct strbuf *path, bool is_dir);

/*
 * Rewrites, renames and copies, pickaxe, filter, direction; sets every status.
 * Pairs without any difference are dropped.
 */
MUST_USE int diff_process(struct diff_queue *q, const struct diff_options *o,
			  struct err *err);

/* The steps of it that choose and order pairs, for pairs that have their status. */
MUST_USE int diff_choose(struct diff_queue *q, const struct diff_options *o, struct err *err);

/*
 * Both steps for one file, *path (owned by the caller): options.pathspec does not count. Where
 * the file comes into being, the one from which it was renamed or copied is searched for, and
 * *path becomes that one's name.
 */
MUST_USE int diff_follow(struct diff_queue *q, const struct diff_options *o,
			 const struct object_id *old_tree, const struct object_id *new_tree,
			 char **path, struct err *err);

/* For a search among all files: the same options without any that leaves out files, or chooses pairs. */
struct diff_options diff_options_for_search(const struct diff_options *o);

/* ---- several old sides at once: git-diff(1), "Combined diff format" ---- */

/* A file that differs from each of its old versions. */
struct diff_combined {
	struct diff_file *new;
	struct diff_file **old; /* nr of them; mode 0: not there */
	char *status;		/* a letter for each: DIFF_STATUS_* */
	size_t nr;
};
struct diff_combined_list {
	struct diff_combined *items;
	size_t nr, alloc;
};
#define DIFF_COMBINED_LIST_INIT { NULL, 0, 0 }

/* A new item of `nr` old sides, all of them to be set. The files are shared. */
struct diff_combined *diff_combined_add(struct diff_combined_list *list, struct diff_file *new, size_t nr);
void diff_combined_set(struct diff_combined *c, size_t side, struct diff_file *old, char status);
/*
 * The files that are in all `nr` queues, which have been processed: each compares another old
 * tree with the same new one. At most DIFF_COMBINED_MAX: else ERR_UNSUPPORTED.
 */
#define DIFF_COMBINED_MAX 60
MUST_USE int diff_combine(struct diff_combined_list *list, const struct diff_queue *queues, size_t nr,
			  struct err *err);
/*
 * The differences between each of `nr` old trees and a new one, and the pairs that are in all of them. The first
 * of these stays in *first: what --stat and the like count.
 */
MUST_USE int diff_trees_combined(struct diff_combined_list *list, struct diff_queue *first,
				 const struct diff_options *o, const struct object_id *new_tree,
				 const struct object_id *old_trees, size_t nr, struct err *err);
/* Append --raw, names, a patch; options.combine is set. */
MUST_USE int diff_format_combined(const struct diff_combined_list *list, const struct diff_options *o,
				  struct strbuf *out, struct err *err);
/* All formats: statistics are those of *first; then --raw and names; then a patch. */
MUST_USE int diff_format_merge(const struct diff_combined_list *list, struct diff_queue *first,
			       const struct diff_options *o, struct strbuf *out, struct err *err);
void diff_combined_clear(struct diff_combined_list *list);

/* ---- text ---- */

/* Append what options.formats ask for. */
MUST_USE int diff_format(struct diff_queue *q, const struct diff_options *o,
			 struct strbuf *out, struct err *err);

/*
 * For an exit code, after diff_format: is there any difference? Where lines are ignored (-w, -I and the
 * like) only the texts of the pairs tell, and they are compared. If nothing is shown, programs whose exit code
 * counts (diff.trustExitCode) are run now.
 */
MUST_USE int diff_differs(struct diff_queue *q, const struct diff_options *o, bool *out,
			  struct err *err);

struct diff_totals {
	size_t files, unmerged;
	uint64_t insertions, deletions;
};
/* Lines of the hunks between two texts, their headers included. */
size_t diff_texts_lines(const struct diff_options *o, const char *old, size_t old_len, const char *new, size_t new_len);
MUST_USE int diff_count(struct diff_queue *q, const struct diff_options *o,
			struct diff_totals *out, struct err *err);
/* " 2 files changed, 3 insertions(+), 1 deletion(-)\n" */
void diff_add_totals(struct strbuf *out, const struct diff_totals *t);

#endif

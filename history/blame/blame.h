/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which commit brought each line of a file: git-blame(1).
 *
 *	blame_init(&b, pool, &diff_options)
 *	blame_start(&b, commit, path, oid, mode)     or blame_start_text()
 *	blame_add_lines(&b, begin, end)              ranges in order
 *	blame_run(&b, &err)
 *	b.done                                       entries, by line of the final text
 *	blame_release(&b)
 *
 * A blame_file is a path in a commit that is suspected of some lines. A commit gives the lines that its parents have
 * to them, and keeps the others. Commits are looked at by date, the youngest first. An ignored commit keeps a line only if
 * no line of its parents is like it.
 *
 * Cost: for each commit on the way, a filter of changed paths, or the trees of each parent as far as they differ. In a long
 * history a thread reads ahead on a second processor: commits, or trees where a commit-graph has the commits. A text is
 * read once as long as its commit is looked at.
 */
#ifndef HISTORY_BLAME_BLAME_H
#define HISTORY_BLAME_BLAME_H

#include "compat/posix.h"
#include "diff/diff.h"
#include "history/history.h"
#include "index/index.h"
#include "util/prio-queue.h"

struct blame_entry {
	struct blame_entry *next;
	size_t line;	  /* in the final text, from 0 */
	size_t nr;
	size_t file_line; /* in the text of the suspect */
	struct blame_file *suspect;
	bool ignored;	 /* an ignored commit had these lines, and they were given on by likeness */
	bool unblamable; /* an ignored commit brought them, and nothing before is like them */
};

struct blame_file {
	struct blame_file *next; /* of the same commit */
	struct commit *commit;
	char *path;
	struct object_id oid;
	unsigned mode;
	struct blame_file *previous; /* in the first parent that has the file */
	struct blame_entry *suspects; /* by file_line */
	struct object_buf text;
	bool loaded, given; /* given: the text is no object */
	bool unused; /* the next comparison counts as one more blob, as in Git */
	size_t references; /* blame_count_references() */
	const struct blame_trail *trail; /* the directories on the way to it; NULL: not known, or none */
};

struct blame {
	struct commit_pool *pool;
	const struct diff_options *diff; /* without context; textconv: of all texts */
	bool show_root, first_parent;
	bool moves;	   /* -M */
	unsigned copies;   /* -C: 1 in changed files, 2 in all files where the file is new, 3 in all files */
	unsigned move_score, copy_score; /* letters and digits that have to move together */
	timestamp_t since; /* 0: none */
	const struct oidset *ignore; /* commits whose changes count as if they had not been made; may be NULL */
	/* --reverse: lines go to children, to the last commit that has them. NULL: they go to parents. */
	const struct commit_list *(*children)(void *data, const struct commit *c);
	void *children_data;
	const struct index_state *index; /* the files of a commit that is none: blame_start_text() */
	void (*found)(void *data, const struct blame_entry *e); /* as soon as it is known; may be NULL */
	void *found_data;
	/* ---- results ---- */
	struct blame_file *final;
	struct blame_entry *done; /* by line; neighbours are joined */
	size_t *lines, nr_lines;  /* where the lines of the final text begin; [nr] is its end */
	size_t nr_blobs, nr_texts, nr_commits; /* --show-stats */
	/* ---- internal ---- */
	struct prio_queue queue;
	struct blame_file **files; /* by commit->index */
	size_t nr_files;
	struct blame_trail *trails;  /* all of them */
	struct blame_filter *filter; /* changed-path filters, for the last path */
	struct blame_ahead *ahead;   /* a thread that looks up paths; NULL: none */
	unsigned nr_alone;	     /* look-ups in a row that it did not make */
};

/* Flags of commits: REV_UNINTERESTING of revision.h, and this one. */
#define BLAME_SHOWN REV_MARK

void blame_init(struct blame *b, struct commit_pool *pool, const struct diff_options *o);
void blame_release(struct blame *b);
/* ERR_NOT_FOUND: the commit has no such file. */
MUST_USE int blame_start(struct blame *b, struct commit *c, const char *path, struct err *err);
/* A text that is in no commit. `c` is made by the caller, with its parents. Takes the text. */
MUST_USE int blame_start_text(struct blame *b, struct commit *c, const char *path, unsigned mode, struct object_buf *text,
			      struct err *err);
/* Lines begin .. end-1, behind those added before. */
void blame_add_lines(struct blame *b, size_t begin, size_t end);
MUST_USE int blame_run(struct blame *b, struct err *err);
/* After the run, as --score-debug shows it: entries of the file, and files that have it as `previous`. */
void blame_count_references(struct blame *b);
/* Letters and digits in the lines of an entry, and 1. */
unsigned blame_score(const struct blame *b, const struct blame_entry *e);

#endif

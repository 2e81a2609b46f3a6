/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of an import: input, marks, objects, trees, branches, commands. */
#ifndef FASTIMPORT_FASTIMPORT_INTERNAL_H
#define FASTIMPORT_FASTIMPORT_INTERNAL_H

#include "compat/posix.h"
#include "fastimport/fastimport.h"
#include "operation/operation.h"
#include "util/map.h"
#include "util/strbuf.h"
#include "util/strvec.h"

#define RECENT_COMMANDS 100
#define IMPORT_TYPES 5 /* by enum object_type */

/* ---- stream.c ---- */
struct import_input {
	int fd;
	unsigned char *buf;
	size_t pos, len;
	bool eof;
	struct strbuf line;   /* the command */
	bool unread;	      /* give the same line again */
	char *recent[RECENT_COMMANDS];
	uint64_t nr_lines;
};
void import_input_init(struct import_input *in, int fd);
void import_input_release(struct import_input *in);
/* 1: the next line is in in->line; 0: the end. */
MUST_USE int import_input_line(struct import_input *in, struct err *err);
/* The same into another buffer, and not as a command. */
MUST_USE int import_input_text(struct import_input *in, struct strbuf *line, struct err *err);
/* Up to len bytes; *got is 0 only at the end. */
MUST_USE int import_input_read(struct import_input *in, void *p, size_t len, size_t *got, struct err *err);
/* Skip one LF, if it is next. */
MUST_USE int import_input_skip_lf(struct import_input *in, struct err *err);

/* ---- trees.c ---- */
struct import_tree;
struct import_entry {
	unsigned mode;		  /* 0: there is none */
	bool dirty;		  /* oid is out of date */
	struct object_id oid;
	struct import_tree *tree; /* of a directory; NULL: not loaded */
	size_t name_len;
	char name[];
};
struct import_leaf { /* an entry that was found, or is to be put somewhere */
	unsigned mode;
	struct object_id oid;
	struct import_tree *tree; /* owned; NULL: not loaded */
};
struct import_tree {
	struct import_entry **v; /* by name, as bytes */
	size_t nr, alloc;
	struct object_id old_oid; /* as it was read or written last */
	struct strbuf old;	  /* its content */
};
void import_tree_free(struct import_tree *t);
struct import_entry *import_root_new(const struct hash_algo *algo);
void import_root_free(struct import_entry *root);
void import_root_set(struct import_entry *root, const struct object_id *oid);

struct import_branch {
	char *name;
	struct import_entry *root;
	struct object_id tip, tree; /* tree: of the tip */
	uint64_t last_commit, nr_notes;
	unsigned fanout;
	bool fanout_known, deleted, active, has_commit;
};
struct import_tag {
	char *name;
	struct object_id oid;
};

struct import_mark {
	uint64_t id;
	struct object_id oid;
	enum object_type type;
};
struct import_marks {
	struct import_mark *v; /* by id, a hash table */
	size_t nr, size;
};

struct import_last { /* the blob that was written last, for deltas */
	struct strbuf data;
	struct object_id oid;
};

struct fast_import {
	struct repository *repo;
	struct fast_import_options o;
	struct repo_operation *op;
	struct import_input in;
	struct import_marks marks;
	struct strmap branches; /* to struct import_branch */
	struct import_branch **branch_list;
	size_t nr_branches, alloc_branches, nr_active, loads;
	struct import_tag *tags;
	size_t nr_tags, alloc_tags;
	struct import_last last;
	uint64_t count[IMPORT_TYPES], duplicates[IMPORT_TYPES], deltas[IMPORT_TYPES], attempts[IMPORT_TYPES];
	uint64_t next_mark;
	bool failed_refs;
	/* options */
	bool force, quiet, unsafe, seen_data, need_done, done_seen, relative_marks;
	enum { IMPORT_DATE_RAW, IMPORT_DATE_PERMISSIVE, IMPORT_DATE_RFC2822, IMPORT_DATE_NOW } date;
	unsigned long depth, max_active;
	uint64_t big_file, max_pack;
	int level; /* of compression in packs */
	char *export_marks, *import_marks, *pack_edges;
	struct strset known_packs; /* paths, for --export-pack-edges */
	bool marks_from_stream, marks_may_miss, marks_read;
	int answer_fd;
	struct strvec args; /* options of the command line, which come after those of the stream */
	struct strmap sub_from, sub_to; /* of --rewrite-submodules: name to file */
	struct oidmap sub_map;
	struct import_signed { /* signatures of commits, and of tags */
		enum import_signed_mode {
			SIGNED_VERBATIM, SIGNED_WARN_VERBATIM, SIGNED_ABORT, SIGNED_STRIP, SIGNED_WARN_STRIP,
			/* These are checked; a good one stays. */
			SIGNED_STRIP_IF_INVALID, SIGNED_SIGN_IF_INVALID, SIGNED_ABORT_IF_INVALID,
		} mode;
		char *key; /* for a new one; "": the default */
	} signed_commits, signed_tags;
};

void import_warn(const struct fast_import *fi, const char *fmt, ...) PRINTF_LIKE(2, 3);
MUST_USE int import_answer(const struct fast_import *fi, int fd, const void *p, size_t len, struct err *err);

/* ---- input.c, on top of it ---- */
MUST_USE int import_next(struct fast_import *fi, struct err *err);
MUST_USE int import_read_data(struct fast_import *fi, struct strbuf *out, struct err *err);
/* The data of a blob, which may be streamed. Marks it, if fi->next_mark is set. */
MUST_USE int import_read_blob(struct fast_import *fi, struct object_id *oid, struct err *err);
MUST_USE int import_parse_mark_line(struct fast_import *fi, struct err *err);
MUST_USE int import_skip_original_oid(struct fast_import *fi, struct err *err);

/* ---- marks.c ---- */
struct import_mark *import_mark_get(struct import_marks *m, uint64_t id);
void import_mark_set(struct import_marks *m, uint64_t id, const struct object_id *oid, enum object_type type);
MUST_USE int import_marks_read(struct fast_import *fi, struct err *err);
MUST_USE int import_marks_stage(struct fast_import *fi, struct err *err);
MUST_USE int import_marks_map_submodules(struct fast_import *fi, struct err *err);
void import_marks_text(const struct fast_import *fi, struct strbuf *out);
/* ":5" at *p, which is advanced behind it; `after` must follow. */
MUST_USE int import_parse_mark(struct fast_import *fi, const char **p, char after, struct import_mark **out,
			       struct err *err);

/* ---- objects.c ---- */
/* base: content of an older version, for a delta; NULL: none. */
struct import_base {
	const struct object_id *oid;
	const void *data;
	size_t len;
};
MUST_USE int import_store(struct fast_import *fi, enum object_type type, const struct strbuf *data,
			  const struct import_base *base, struct object_id *oid, struct err *err);
void import_mark_object(struct fast_import *fi, const struct object_id *oid, enum object_type type);

/* ---- trees.c, with objects ---- */
MUST_USE int import_tree_set(struct fast_import *fi, struct import_entry *root, const char *path,
			     struct import_leaf *leaf, struct err *err);
/* 1: removed, and *out (may be NULL) has it; 0: there is no such path. */
int import_tree_remove(struct fast_import *fi, struct import_entry *root, const char *path,
		       struct import_leaf *out, struct err *err);
/* 1: *out is a copy; 0: there is no such path. */
int import_tree_get(struct fast_import *fi, struct import_entry *root, const char *path, struct import_leaf *out,
		    struct err *err);
/* Write all trees that have changed; root->oid is the result. */
MUST_USE int import_tree_store(struct fast_import *fi, struct import_entry *root, struct err *err);
MUST_USE int import_tree_load(struct fast_import *fi, struct import_entry *e, struct err *err);

/* ---- notes.c ---- */
unsigned import_fanout(uint64_t nr);
MUST_USE int import_note_put(struct fast_import *fi, struct import_branch *b, const struct object_id *commit,
			     const struct object_id *note, struct err *err);
MUST_USE int import_notes_settle_fanout(struct fast_import *fi, struct import_branch *b, struct err *err);

/* ---- branches.c ---- */
struct import_branch *import_branch_get(const struct fast_import *fi, const char *name);
MUST_USE int import_branch_new(struct fast_import *fi, const char *name, struct import_branch **out,
			       struct err *err);
void import_branch_activate(struct fast_import *fi, struct import_branch *b);
/* A commit-ish of the stream: a branch, a mark or an expression. */
MUST_USE int import_commit_of(struct fast_import *fi, const char *name, struct object_id *oid, struct err *err);
MUST_USE int import_parse_from(struct fast_import *fi, struct import_branch *b, struct err *err);
MUST_USE int import_publish(struct fast_import *fi, bool with_refs, struct err *err);

/* ---- edges.c ---- */
/* Makes the file, if it is missing. Packs that are there before the import have no line. ERR_IO: it cannot be written. */
MUST_USE int import_edges_begin(struct fast_import *fi, struct err *err);
/* After new packs have got their names: their lines are appended. */
MUST_USE int import_edges_stage(struct fast_import *fi, struct err *err);

/* ---- signatures.c ---- */
/*
 * For the modes that check, of an object that has a signature: 1, it is good; 0, it is not, and has to go, which has been
 * told. ERR_INVALID: the mode says abort, or settings are bad.
 */
MUST_USE int import_check_signature(const struct fast_import *fi, const struct import_signed *s, enum object_type type,
				    const struct strbuf *object, const char *signature, struct err *err);
/* A new signature of the object without one, without LF at its end; empty if the mode does not ask for one. */
MUST_USE int import_make_signature(const struct fast_import *fi, const struct import_signed *s, const struct strbuf *object,
				   struct strbuf *signature, struct err *err);

/* ---- commit.c, files.c, commands.c, options.c ---- */
MUST_USE int import_commit(struct fast_import *fi, const char *name, struct err *err);
MUST_USE int import_ident(struct fast_import *fi, const char *text, struct strbuf *out, struct err *err);
/* A change of the tree, in fi->in.line. 0: it is none. */
int import_file_change(struct fast_import *fi, struct import_branch *b, struct err *err);
MUST_USE int import_tag(struct fast_import *fi, const char *name, struct err *err);
MUST_USE int import_ls(struct fast_import *fi, const char *args, struct import_branch *b, struct err *err);
MUST_USE int import_get_mark(struct fast_import *fi, const char *arg, struct err *err);
MUST_USE int import_cat_blob(struct fast_import *fi, const char *arg, struct err *err);
MUST_USE int import_begin_data(struct fast_import *fi, struct err *err);
MUST_USE int import_feature(struct fast_import *fi, const char *text, struct err *err);
MUST_USE int import_stream_option(struct fast_import *fi, const char *text, struct err *err);
MUST_USE int import_path_eol(struct fast_import *fi, const char *p, const char *field, struct strbuf *out, struct err *err);
MUST_USE int import_path_space(struct fast_import *fi, const char **p, const char *field, struct strbuf *out,
			       struct err *err);

#endif
